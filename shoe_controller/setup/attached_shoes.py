"""Finds and identifies the shoes that are plugged in: on each port it sends HELLO, as a controller would.

Only ports that a person agreed to are opened: what is plugged in may be something else, which does not expect
any bytes. A shoe with a key reveals no more than that it has one.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firmware_protocol.native.controller import NativeController
from shoe_controller.config.shoe import ShoeSettings, Wire, port_of
from shoe_controller.doctor.shoe import listen
from shoe_controller.transports.transport import TransportError

FOLDERS = (Path("/dev/shoe"), Path("/dev/serial/by-id"))
"""Persistent names; the first are those of our own udev rule."""

SECONDS = 1.5


class Attached(NamedTuple):
    port: str
    wire: Wire | None
    """`None` if it sent nothing that was understood."""
    what: str


def candidates(folders: tuple[Path, ...] = FOLDERS) -> Iterator[str]:
    """Yield ports by their persistent names, each device once."""
    seen: set[Path] = set()
    for folder in folders:
        for path in sorted(folder.glob("*")):
            device = path.resolve()
            if device.is_char_device() and device not in seen:
                seen.add(device)
                yield str(path)


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
        return Attached(port, "native", f"native shoe {shoe.model}, serial number {shoe.serial_number}, without a key")
    if listener.refused:
        return Attached(port, "native", f"native shoe; {listener.refused}")
    if listener.received_bytes:
        return Attached(port, None, "something that speaks another protocol; an Angel Eye shoe, perhaps")
    return Attached(port, None, "no answer; an Angel Eye shoe sends only when a card is drawn")
