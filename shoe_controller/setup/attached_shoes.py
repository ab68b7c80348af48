"""Finds the shoes that are plugged in, and says which is which: each port is greeted as a controller would.

Only ports that a person agreed to are opened: what is plugged in may be something else, which does not expect to be
spoken to. A shoe with a key says no more than that it has one.
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
"""Names that stay the same; the first are those of our own udev rule."""

SECONDS = 1.5


class Attached(NamedTuple):
    port: str
    wire: Wire | None
    """`None` if it said nothing that we understand."""
    what: str


def candidates(folders: tuple[Path, ...] = FOLDERS) -> Iterator[str]:
    """Ports by their lasting names, each device once."""
    seen: set[Path] = set()
    for folder in folders:
        for path in sorted(folder.glob("*")):
            device = path.resolve()
            if device.is_char_device() and device not in seen:
                seen.add(device)
                yield str(path)


async def look_at(port: str, seconds: float = SECONDS) -> Attached:
    """Greet whoever is there on the native wire; an Angel Eye shoe speaks only when a card is drawn."""
    link = NativeController(insecure=True, nonce=lambda: os.urandom(16))
    settings = ShoeSettings("native", port, None, None, commands=False)
    loop = asyncio.get_running_loop()
    try:
        heard = await listen(port_of(settings), link, loop.time, seconds)
    except TransportError as error:
        return Attached(port, None, str(error))
    if heard.up is not None and heard.up.shoe is not None:
        shoe = heard.up.shoe
        return Attached(port, "native", f"native shoe {shoe.model}, serial number {shoe.serial_number}, without a key")
    if heard.refused:
        return Attached(port, "native", f"native shoe; {heard.refused}")
    if heard.heard:
        return Attached(port, None, "something that speaks another language; an Angel Eye shoe, perhaps")
    return Attached(port, None, "nobody answered; an Angel Eye shoe speaks only when a card is drawn")
