"""The pages of a demonstration: the process of the boards and the pit view, and that of the first table's console.

Both are ordinary commands, on free ports of this machine.
"""

import asyncio
import importlib.util
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from shoe_controller.demo.folder import DEALER, SUPERVISOR, TableFiles, write_board, write_console
from shoe_controller.demo.local_ports import HOST, Listening, start_listening
from shoe_controller.demo.programs import Program, python

NOT_INSTALLED = "The pages need aiohttp, which is not installed here; the demonstration goes on without them."


class Pages(NamedTuple):
    """What is served, and how one signs in. With several tables the console is the first one's."""

    board: Listening
    console: Listening
    tables: list[TableFiles]

    @property
    def programs(self) -> list[Program]:
        return [self.board.program, self.console.program]

    @property
    def pit_address(self) -> str:
        return f"http://{HOST}:{self.board.port}/pit"

    @property
    def console_address(self) -> str:
        return f"http://{HOST}:{self.console.port}/"

    @property
    def people(self) -> str:
        """The people who may sign in at the console, with their PINs, which are valid for this demonstration alone."""
        pins = self.tables[0].pins
        return f"dealer {DEALER} {pins[DEALER]}, supervisor {SUPERVISOR} {pins[SUPERVISOR]}"

    @property
    def lines(self) -> list[str]:
        """A line for each page, as they stand above the picture and in the report."""
        first, last = self.tables[0].name, self.tables[-1].name
        others = "" if first == last else f" and so on to {last}"
        whose = "" if first == last else f"{first}'s; "
        return [
            f"  board     http://{HOST}:{self.board.port}/table/{first}{others}",
            f"  pit view  {self.pit_address}",
            f"  console   {self.console_address}",
            f"            {whose}sign in with id and PIN: {self.people}",
        ]


def can_be_served() -> bool:
    return importlib.util.find_spec("aiohttp") is not None


async def start_pages(tables: list[TableFiles], broker_port: int, folder: Path, stack: AsyncExitStack) -> Pages:
    """Start both, and wait until they answer; the stack ends them."""

    def board_on(port: int) -> Program:
        return _program("board", write_board(folder, broker_port, port), folder)

    def console_on(port: int) -> Program:
        return _program("console", write_console(folder, tables[0].name, broker_port, port), folder)

    # Side by side, because they need most of their time to import; and none is left alone while it still starts.
    started = await asyncio.gather(
        start_listening(board_on, stack), start_listening(console_on, stack), return_exceptions=True
    )
    listening = []
    for each in started:
        if isinstance(each, BaseException):
            raise each
        listening.append(each)
    board, console = listening
    return Pages(board, console, tables)


def _program(command: str, config: Path, folder: Path) -> Program:
    arguments = (*python("shoe_controller.cli"), command, str(config))
    return Program(f"the {command}", *arguments, log=folder / f"{command}.log")
