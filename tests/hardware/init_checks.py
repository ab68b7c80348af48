"""What `shoe-controller init` finds when a shoe is plugged in: the right one, by its lasting name, and what it is.

The name is the one that our udev rule makes; the emulated shoe is another process, which init greets as a controller
would.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from shoe_controller.config.table_file import for_running, load_config
from shoe_controller.setup.attached_shoes import candidates, look_at
from simulator.ports.usb_shoe import UsbKind
from simulator.ports.usbip import UsbIpPort
from tests.deploy.conversation import Conversation
from tests.deploy.udev_checks import until
from tests.hardware.emulator_checks import IDENTITY, NUMBER, WITH_KEY, shoe_emulator
from tests.hardware.usbip_command import attach, detach

NAME = f"/dev/shoe/native-{IDENTITY.serial_number}"
EMULATED_PROCESSOR = 10.0
"""Seconds for an answer that takes a few milliseconds on a real machine."""


@asynccontextmanager
async def plugged_in(wire: tuple[str, ...]) -> AsyncIterator[None]:
    async with shoe_emulator(f"usbip:127.0.0.1:{NUMBER}", wire=wire):
        assert list(candidates()) == []
        await attach(UsbIpPort(port=NUMBER, identity=IDENTITY, kind=UsbKind.CDC_ACM))
        await until(Path(NAME).exists, "the name")
        try:
            yield
        finally:
            await detach()
            await until(lambda: not Path(NAME).exists(), "the name to go")


async def every_kind_of_shoe_is_told_apart() -> None:
    """With a key, without one, and one that speaks only when a card is drawn."""
    async with plugged_in(WITH_KEY):
        # udev makes a second name under /dev/serial/by-id, and it is the same shoe.
        await until(Path("/dev/serial/by-id").is_dir, "udev's own name")
        assert list(candidates()) == [NAME]
        found = await look_at(NAME, EMULATED_PROCESSOR)
        assert (found.port, found.wire) == (NAME, "native")
        assert found.what.startswith("native shoe; "), found
        assert "without a key" not in found.what
    async with plugged_in(("--insecure",)):
        found = await look_at(NAME, EMULATED_PROCESSOR)
        assert (found.port, found.wire) == (NAME, "native")
        assert f"serial number {IDENTITY.serial_number}, without a key" in found.what
    async with plugged_in(("--wire", "angel_eye")):
        found = await look_at(NAME, 3.0)
        assert found.wire is None, found
        assert "Angel Eye" in found.what
    gone = await look_at(NAME, 1.0)
    assert gone.wire is None
    assert NAME in gone.what


async def init_asks_about_the_shoe_that_is_plugged_in() -> None:
    """A person agrees to everything that is proposed, and the table's file has the shoe's lasting name."""
    with TemporaryDirectory() as folder:
        async with plugged_in(("--insecure",)):
            house = Path(folder, "house")
            decided = ("--site", "guest", "--table", "t1", "--wire", "native", "--no-broker", "--insecure")
            talk = Conversation("init", str(house), *decided, "--journal", f"{folder}/t1.journal", patience=120.0)
            talk.answer("Open each of them, to see which is the shoe? A native shoe blinks. [Y/n]", "")
            talk.answer(f"Where the shoe is plugged in, its number or its path or address [{NAME}]", "")
            for question in (
                "The table's name on boards",
                "The currency",
                "The base game",
                "Decks",
                "The layout",
                "The groups and wagers offered",
                "The seats",
                "The lowest stake",
                "The highest stake",
                "Are these the rules of the table?",
            ):
                talk.answer(question, "")
            for role in ("dealer", "supervisor"):
                talk.answer(f"The id of a {role}", "")
            talk.answer("Without a supervisor no alert can be cleared. Go on without?", "y")
            talk.answer("and all that the table needs?", "")
            talk.answer("Deal a test round with an emulated shoe?", "n")
            talk.answer("Let the doctor look?", "n")
            assert talk.end() == 0, talk.said
        assert f"Plugged in:\r\n  1  {NAME}\r\n" in talk.said
        assert f"  1  {NAME}: native shoe " in talk.said, talk.said
        assert "it blinks for 5 s" in talk.said
        assert for_running(load_config(house / "table.toml")).shoe.address == NAME
