"""The pages of a demonstration: the process of the boards and the pit view, the pit's, and the first table's console.

All are ordinary commands, on free ports of this machine.
"""

import asyncio
import importlib.util
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from shoe_controller.demo.folder import (
    DEALER,
    PIT_PERSON,
    SUPERVISOR,
    PitFiles,
    TableFiles,
    write_board,
    write_console,
    write_pit,
)
from shoe_controller.demo.local_ports import HOST, Listening, start_listening
from shoe_controller.demo.programs import Program, python
from shoe_controller.demo.settings import DemoSettings

NOT_INSTALLED = "The pages need aiohttp, which is not installed here; the demonstration goes on without them."
NO_ARRAYS = "The pit's page needs numpy, which is not installed here; the demonstration goes on without it."


class Pages(NamedTuple):
    """What is served, and how one signs in. With several tables the console is the first one's."""

    board: Listening
    console: Listening
    pit: Listening | None
    """`None` where numpy is not installed."""
    pit_files: PitFiles
    tables: list[TableFiles]

    @property
    def programs(self) -> list[Program]:
        served = (self.board, self.console, self.pit)
        return [each.program for each in served if each is not None]

    @property
    def pit_address(self) -> str:
        return f"http://{HOST}:{self.board.port}/pit"

    @property
    def console_address(self) -> str:
        return f"http://{HOST}:{self.console.port}/"

    @property
    def edges(self) -> str:
        """Where the pit's page is served, and who may sign in there, in a few words; empty where it is not."""
        return "" if self.pit is None else f"edges http://{HOST}:{self.pit.port} {self._pit_person}"

    @property
    def _pit_person(self) -> str:
        """Who may sign in at the pit's page, with the password, which is valid for this demonstration alone."""
        return f"{PIT_PERSON} {self.pit_files.password}"

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
        edges = []
        if self.pit is not None:
            edges = [
                f"  edges     http://{HOST}:{self.pit.port}/",
                f"            sign in with id and password: {self._pit_person}",
            ]
        return [
            f"  board     http://{HOST}:{self.board.port}/table/{first}{others}",
            f"  pit view  {self.pit_address}",
            f"  console   {self.console_address}",
            f"            {whose}sign in with id and PIN: {self.people}",
            *edges,
        ]


def can_be_served() -> bool:
    return importlib.util.find_spec("aiohttp") is not None


def has_arrays() -> bool:
    """Whether edges can be computed."""
    return importlib.util.find_spec("numpy") is not None


async def start_pages(
    tables: list[TableFiles], settings: DemoSettings, broker_port: int, folder: Path, stack: AsyncExitStack
) -> Pages:
    """Start all, and wait until they answer; the stack ends them."""
    pit_files = write_pit(folder, settings)

    def board_on(port: int) -> Program:
        return _program("board", write_board(folder, broker_port, port), folder)

    def console_on(port: int) -> Program:
        return _program("console", write_console(folder, tables[0].name, broker_port, port), folder)

    def pit_on(port: int) -> Program:
        return _program("pit", pit_files.write(broker_port, port), folder)

    made = [board_on, console_on, *([pit_on] if has_arrays() else [])]
    # Side by side, because they need most of their time to import; and none is left alone while it still starts.
    started = await asyncio.gather(*(start_listening(each, stack) for each in made), return_exceptions=True)
    listening = []
    for each in started:
        if isinstance(each, BaseException):
            raise each
        listening.append(each)
    board, console, *pit = listening
    return Pages(board, console, pit[0] if pit else None, pit_files, tables)


def _program(command: str, config: Path, folder: Path) -> Program:
    arguments = (*python("shoe_controller.cli"), command, str(config))
    return Program(f"the {command}", *arguments, log=folder / f"{command}.log")
