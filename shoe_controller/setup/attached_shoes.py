"""Finds and identifies the shoes that are plugged in: on each port it sends HELLO, as a controller would.

Only ports that a person agreed to are opened: what is plugged in may be something else, which does not expect
any bytes. A native shoe without a key blinks; one with a key reveals no more than that it has one. Shoes of the other
wires send only when a card is drawn, and are recognised by what they send then.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.link import Delivery
from firmware_protocol.native.controller import NativeController
from shoe_controller.config.shoe import ShoeSettings, Wire, port_of
from shoe_controller.doctor.shoe import listen
from shoe_controller.messages.acts import BLINK_SECONDS
from shoe_controller.transports.transport import TransportError

FOLDERS = (Path("/dev/shoe"), Path("/dev/serial/by-id"))
"""Persistent names; the first are those of our own udev rule."""

SECONDS = 1.5
PAUSE = 0.3
"""Seconds without a byte after which what was sent is complete."""
_LINES = re.compile(rb"(?:[ -~]+[\r\n]+)+")


class Attached(NamedTuple):
    port: str
    wire: Wire | None
    """`None` if it sent nothing that was understood."""
    what: str


def candidates() -> Iterator[str]:
    """Yield ports by their persistent names, each device once."""
    seen: set[Path] = set()
    for folder in FOLDERS:
        for path in sorted(folder.glob("*")):
            device = path.resolve()
            if device.is_char_device() and device not in seen:
                seen.add(device)
                yield str(path)


def lasting_name(port: str) -> str:
    """The persistent name of a port, if it has one: `ttyUSB0` may be another shoe tomorrow."""
    if not port.startswith("/"):
        return port
    device = Path(port).resolve()
    return next((name for name in candidates() if Path(name).resolve() == device), port)


async def overhear(port: str, wire: Wire, seconds: float) -> tuple[Wire | None, int]:
    """Listen at a wire's usual rate while a card is drawn; the wire that was recognised, and how many bytes came."""
    received = bytearray()
    stirred = asyncio.Event()

    def on_bytes(data: bytes) -> None:
        received.extend(data)
        stirred.set()

    settings = ShoeSettings(wire, port, None, None, commands=False)
    line = await port_of(settings).open(on_bytes, lambda _: stirred.set())
    try:
        async with asyncio.timeout(seconds):
            await stirred.wait()
            # A telegram comes in pieces.
            while stirred.is_set():
                stirred.clear()
                await asyncio.sleep(PAUSE)
    except TimeoutError:
        pass
    finally:
        await line.close()
    return recognised(bytes(received)), len(received)


def recognised(data: bytes) -> Wire | None:
    """The wire on which a shoe without a handshake has sent this."""
    link = AngelEyeController()
    link.connected(0.0)
    if any(isinstance(each, Delivery) for each in link.receive(data, 0.0)):
        return "angel_eye"
    return "lines" if _LINES.fullmatch(data) else None


async def look_at(port: str, seconds: float = SECONDS) -> Attached:
    """Send HELLO on the native wire; an Angel Eye shoe sends only when a card is drawn."""
    link = NativeController(insecure=True, nonce=lambda: os.urandom(16))
    settings = ShoeSettings("native", port, None, None, commands=False)
    loop = asyncio.get_running_loop()
    try:
        listener = await listen(port_of(settings), link, loop.time, seconds)
    except TransportError as error:
        return Attached(port, None, str(error))
    if listener.up is not None and listener.up.shoe is not None:
        shoe = listener.up.shoe
        blinks = f"; it blinks for {BLINK_SECONDS} s" if listener.blinks else ""
        what = f"native shoe {shoe.model}, serial number {shoe.serial_number}, without a key{blinks}"
        return Attached(port, "native", what)
    if listener.refused:
        return Attached(
            port, "native", f"native shoe; {listener.refused}, and it blinks once it has the key of this table"
        )
    if listener.received_bytes:
        return Attached(port, None, "something that speaks another protocol; an Angel Eye shoe, perhaps")
    return Attached(port, None, "no answer; an Angel Eye shoe sends only when a card is drawn")
