"""A house made by `shoe-controller init`, and a Mosquitto that runs with what was written for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.commands.running import Answer, run_program
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

PINS = {"anita": "264079", "rana": "480612", "shah": "773501"}

PEOPLE = ("--dealer", "anita=Anita Rai", "--supervisor", "rana=Rana", "--supervisor", "shah=Shah")


def command(*arguments: str, stdin: str = "") -> Answer:
    return run_program(*arguments, stdin=stdin.encode())


def init(folder: Path, *more: str) -> Answer:
    words = ("init", str(folder), "--site", "north", "--table", "t1", "--port", str(folder / "shoe"))
    places = ("--journal", str(folder / "t1.journal"), "--anchor", str(folder / "anchor" / "t1.anchor"))
    return command(*words, *places, *PEOPLE, *more, stdin="".join(f"{pin}\n" for pin in PINS.values()))


def let_emulator_deal(folder: Path) -> None:
    """Nobody signs in there, says "no more bets" or counts what is left: the shoe alone deals."""
    file = folder / "table.toml"
    text = file.read_text(encoding="utf-8").replace('bets_close = "dealer"', 'bets_close = "first_card"')
    text = text.replace('remainder = "counted"', 'remainder = "not_counted"')
    for key in ("dealer_signs_in", "new_dealer_burns"):
        text = text.replace(f"{key} = true", f"{key} = false")
    file.write_text(text, encoding="utf-8")


def everything_in(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Content, mode and time of change of every file."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mode, file.stat().st_mtime_ns)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@asynccontextmanager
async def its_broker(folder: Path) -> AsyncIterator[Mosquitto]:
    """Mosquitto with the configuration that was written, on a free port; the house's files name it."""
    written = (folder / "broker" / "shoe-controller.conf").read_text(encoding="utf-8")
    settings = "\n".join(line for line in written.splitlines() if not line.startswith("listener "))
    memory = folder / "mosquitto"
    memory.mkdir(exist_ok=True)
    broker = Mosquitto(memory, settings)
    await broker.start()
    _tell_port(folder, broker.port)
    try:
        yield broker
    finally:
        await broker.kill()


def _tell_port(folder: Path, port: int) -> None:
    for file in folder.glob("*.toml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("# port = 8883", f"port = {port}"), encoding="utf-8")
