"""The way of a real card through the controller, function by function: `python -m tests.daemon.way_of_a_card`.

The daemon runs in this process with every call of its own code noted, in all its threads; the emulated shoe and the
broker are programs of their own. A card's way begins where its bytes are read from the port, and ends where its
event is handed to the broker's client.
"""

import asyncio
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import CodeType, FrameType

from tests.daemon.harness import Chain
from tests.daemon.in_process import ClockThatIsSet, daemon_running

ROOT = Path(__file__).parents[2]
OURS = (str(ROOT / "shoe_controller"), str(ROOT / "firmware_protocol"))

READ = "shoe_controller/transports/descriptor_line.py: DescriptorLine._readable"
LAID = "shoe_controller/table/dealing.py: _lay"
SENT = "shoe_controller/mqtt/client.py: _Session.publish_soon"


class CallLog:
    """Every call of a function of ours since it was switched on, in the order of the calls."""

    def __init__(self) -> None:
        self._calls: list[CodeType] = []

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS) and not code.co_name.startswith("<"):
            self._calls.append(code)

    def names(self) -> list[str]:
        known = {code: _name_of(code) for code in set(self._calls)}
        return [known[code] for code in self._calls]


def _name_of(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(ROOT)}: {code.co_qualname}"


@asynccontextmanager
async def calls_logged() -> AsyncIterator[CallLog]:
    log = CallLog()
    threading.setprofile(log.note)
    sys.setprofile(log.note)
    try:
        yield log
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def way_of_a_card(folder: Path) -> list[str]:
    """Each function that the card passes, once, in the order in which the card comes to it."""
    async with Chain(folder, speed="20") as chain:
        display = await chain.display()
        async with calls_logged() as log, daemon_running(chain.folder / "table.toml", ClockThatIsSet()):
            await chain.start_emulator()
            await display.until(lambda: display.state is not None and len(display.state.cards) > 1, what="two cards")
            names = log.names()
    laid = names.index(LAID)
    start = len(names[:laid]) - 1 - names[:laid][::-1].index(READ)
    end = names.index(SENT, laid) + 1
    return list(dict.fromkeys(names[start:end]))


def files_of(way: list[str]) -> list[str]:
    return list(dict.fromkeys(step.partition(":")[0] for step in way))


async def _main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        way = await way_of_a_card(Path(folder))
    sys.stdout.write("\n".join(way) + f"\n{len(way)} functions in {len(files_of(way))} files\n")


if __name__ == "__main__":
    asyncio.run(_main())
