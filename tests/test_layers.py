"""Dependencies point one way. This reads the imports of every file, and fails on an arrow the other way.

The game and the wire are pure: they compute, and touch no file, clock, chance, network or loop. They share only the
cards. The simulator knows of the controller only the game and its words, so that it does not repeat a mistake of the
rest; its reckoner knows nothing of it, and the second sum nothing of the reckoner.
"""

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent

PURE_LIBRARIES = frozenset(
    {
        "abc",
        "binascii",
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "itertools",
        "math",
        "msgspec",
        "operator",
        "re",
        "string",
        "struct",
        "types",
        "typing",
    }
)
"""What compute alone. A library that is not here is either not pure, or a reason to think about this list."""

IMPURE_BUILT_INS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})

OUR_PACKAGES = ("shoe_controller", "firmware_protocol", "simulator")


class Layer(NamedTuple):
    folder: str
    may_import: frozenset[str]
    """Of our own packages; parts of what is named are meant too."""
    pure: bool


PURE_ROOMS = frozenset({"messages", "table"})

ROOMS: dict[str, tuple[str, ...]] = {
    "clock": (),
    "messages": ("baccarat", "firmware_protocol.cards", "firmware_protocol.events"),
    "words": ("messages", "baccarat"),
    "table": ("baccarat", "messages", "clock.moment", "firmware_protocol"),
    "journal": ("clock.moment",),
    "transports": (),
    "mqtt": ("journal.records", "table", "messages", "words", "baccarat", "clock.moment", "firmware_protocol"),
    "protection": ("baccarat", "firmware_protocol.cards"),
    "follow": ("messages", "baccarat", "mqtt.broker", "mqtt.client", "mqtt.discard_reports", "config.mqtt", "process"),
    "house": (
        "baccarat",
        "config.house",
        "config.strict_reading",
        "config.table_file",
        "table",
        "messages",
        "firmware_protocol.cards",
    ),
    "config": (
        "words.printable",
        "baccarat",
        "house",
        "table",
        "messages",
        "transports",
        "mqtt.broker",
        "firmware_protocol",
    ),
    "history": ("baccarat", "table", "messages", "words", "firmware_protocol.cards"),
    "process": ("config", "words.printable"),
    "web": ("config", "process", "follow", "messages", "words", "baccarat.codes"),
    "board": (
        "web",
        "config",
        "process",
        "follow",
        "messages",
        "words",
        "mqtt.broker",
        "baccarat",
        "firmware_protocol.cards",
    ),
    "console": (
        "web",
        "config",
        "process",
        "history",
        "follow",
        "messages",
        "words",
        "mqtt.broker",
        "baccarat",
        "firmware_protocol.cards",
    ),
    "witness": (
        "config",
        "process",
        "follow",
        "messages",
        "words",
        "mqtt.broker",
        "journal.checkpoints",
        "journal.reading",
        "journal.records",
    ),
    "pit": (
        "board.feeds",
        "board.floor",
        "board.sections",
        "web",
        "config",
        "process",
        "history",
        "follow",
        "messages",
        "words",
        "protection",
        "mqtt.broker",
        "baccarat",
        "firmware_protocol.cards",
    ),
    "postgres": (),
    "archive": (
        "postgres",
        "config",
        "process",
        "follow",
        "messages",
        "words",
        "mqtt.broker",
        "journal.reading",
        "journal.records",
        "baccarat",
        "firmware_protocol.cards",
    ),
    "daemon": (
        "baccarat",
        "clock",
        "config",
        "house",
        "journal",
        "messages",
        "mqtt",
        "process",
        "table",
        "words",
        "transports",
        "firmware_protocol",
    ),
}
"""The rooms of `shoe_controller`, and what each may know besides itself. `baccarat` has a line of its own below."""

AT_THE_EDGE = frozenset({"commands", "conformance", "demo", "doctor", "setup"})
"""These may know every room; no room knows them."""

LAYERS = [
    Layer("shoe_controller/baccarat", frozenset({"shoe_controller.baccarat", "firmware_protocol.cards"}), pure=True),
    Layer("firmware_protocol", frozenset({"firmware_protocol"}), pure=True),
    Layer(
        "simulator",
        frozenset({"simulator", "firmware_protocol", "shoe_controller.baccarat", "shoe_controller.words"}),
        pure=False,
    ),
    Layer("simulator/reckoner", frozenset({"simulator.reckoner"}), pure=True),
    Layer("simulator/second_sum.py", frozenset(), pure=True),
    Layer("simulator/conformance", frozenset({"simulator.conformance", "firmware_protocol"}), pure=True),
    *(
        Layer(
            f"shoe_controller/{room}",
            frozenset(
                known if known.startswith("firmware_protocol") else f"shoe_controller.{known}"
                for known in (room, *knows)
            ),
            pure=room in PURE_ROOMS,
        )
        for room, knows in ROOMS.items()
    ),
]

ONE_FILE_EACH = ("serial", "usb", "sqlite3", "paho", "structlog", "aiohttp", "asyncpg")
"""Outside libraries that talk to the world; one file knows each of them, so that it could be exchanged."""


@cache
def imports_of(source: str, package: str) -> tuple[str, ...]:
    """Every name that a file imports, dotted in full: anywhere in it, also for types alone, also relative to itself."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += (f"{module}.{alias.name}" for alias in node.names)
    return tuple(names)


def is_within(name: str, modules: Iterable[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def wrong_arrows(source: str, package: str, layer: Layer) -> list[str]:
    """Whatever a file of that layer should not know."""
    wrong = []
    for name in imports_of(source, package):
        ours = is_within(name, OUR_PACKAGES)
        if ours and not is_within(name, layer.may_import):
            wrong.append(name)
        if not ours and layer.pure and name.partition(".")[0] not in PURE_LIBRARIES:
            wrong.append(name)
    if layer.pure:
        wrong.extend(
            node.id
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Name) and node.id in IMPURE_BUILT_INS
        )
    return wrong


def files_in(folder: str) -> list[Path]:
    path = ROOT / folder
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def package_of(file: Path) -> str:
    return ".".join(file.parent.relative_to(ROOT).parts)


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.folder for layer in LAYERS])
def test_every_arrow_points_the_right_way(layer: Layer) -> None:
    files = files_in(layer.folder)
    assert files
    wrong = {
        str(file.relative_to(ROOT)): arrows
        for file in files
        if (arrows := wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), layer))
    }
    assert wrong == {}


def test_every_room_has_its_arrows_and_beside_the_rooms_is_only_the_command_line() -> None:
    inside = [path for path in (ROOT / "shoe_controller").iterdir() if path.name != "__pycache__"]
    assert {path.name for path in inside if path.is_dir()} == {"baccarat", *ROOMS, *AT_THE_EDGE}
    assert {path.name for path in inside if path.is_file()} == {"__init__.py", "cli.py"}


@pytest.mark.parametrize(
    "room", [file for package in OUR_PACKAGES for file in (ROOT / package).rglob("__init__.py")], ids=package_of
)
def test_a_room_describes_only_files_that_it_has(room: Path) -> None:
    described = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or ""
    places = (room.parent, room.parent / "static", ROOT, ROOT / "shoe_controller")
    named = re.findall(r"`([\w./]+\.(?:py|js|md|toml|yaml|ts))`", described)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


@pytest.mark.parametrize("package", ["shoe_controller", "simulator"])
@pytest.mark.parametrize("library", ONE_FILE_EACH)
def test_an_outside_library_has_one_file_that_knows_it(package: str, library: str) -> None:
    knowing = [
        str(file.relative_to(ROOT))
        for file in files_in(package)
        if any(is_within(name, [library]) for name in imports_of(file.read_text(encoding="utf-8"), package_of(file)))
    ]
    assert len(knowing) <= 1, knowing


def test_numpy_is_known_by_one_room_alone() -> None:
    knowing = {
        file.parent.name
        for file in files_in("shoe_controller")
        if any(is_within(name, ["numpy"]) for name in imports_of(file.read_text(encoding="utf-8"), package_of(file)))
    }
    assert knowing == {"protection"}


def test_no_file_knows_two_of_these_libraries() -> None:
    for file in (file for package in OUR_PACKAGES for file in files_in(package)):
        names = imports_of(file.read_text(encoding="utf-8"), package_of(file))
        assert sum(any(is_within(name, [library]) for name in names) for library in ONE_FILE_EACH) <= 1, file


# --- The check itself can fail. --------------------------------------------------------------------------------------

GAME, WIRE, SIMULATOR, RECKONER, SECOND_SUM, *_ = LAYERS


@pytest.mark.parametrize(
    ("layer", "source", "wrong"),
    [
        (GAME, "from shoe_controller.baccarat.facts import Facts\nimport msgspec, math", []),
        (GAME, "from firmware_protocol.cards import Card", []),
        (GAME, "from firmware_protocol import cards", []),
        (GAME, "from .facts import Facts\nfrom . import facts", []),
        (GAME, "from collections.abc import Iterable", []),
        (GAME, "import firmware_protocol", ["firmware_protocol"]),
        (GAME, "from firmware_protocol.events import Hand", ["firmware_protocol.events.Hand"]),
        (GAME, "from firmware_protocol.cards_more import x", ["firmware_protocol.cards_more.x"]),
        (GAME, "import shoe_controller.config", ["shoe_controller.config"]),
        (GAME, "from shoe_controller import config", ["shoe_controller.config"]),
        (GAME, "from ..config import load_config", ["shoe_controller.config.load_config"]),
        (GAME, "from .. import config", ["shoe_controller.config"]),
        (GAME, "def late():\n    import shoe_controller.cli", ["shoe_controller.cli"]),
        (GAME, "if TYPE_CHECKING:\n    from shoe_controller.cli import main", ["shoe_controller.cli.main"]),
        (GAME, "from simulator.decks import x", ["simulator.decks.x"]),
        (GAME, "class A:\n    def f(self):\n        return open('x')", ["open"]),
        (GAME, "read = open", ["open"]),
        *(
            (GAME, f"import {name}", [name])
            for name in (
                "asyncio",
                "datetime",
                "importlib.resources",
                "io",
                "logging",
                "os",
                "os.path",
                "pathlib",
                "random",
                "rich",
                "secrets",
                "socket",
                "sqlite3",
                "subprocess",
                "sys",
                "threading",
                "time",
                "tomllib",
            )
        ),
        (WIRE, "from firmware_protocol.native.framing import x\nimport struct", []),
        (WIRE, "from shoe_controller.baccarat.drawing import Side", ["shoe_controller.baccarat.drawing.Side"]),
        (WIRE, "import simulator.ports", ["simulator.ports"]),
        (WIRE, "import time", ["time"]),
        (SIMULATOR, "import asyncio, os, time\nfrom shoe_controller.baccarat.deal import Deal", []),
        (SIMULATOR, "from shoe_controller.baccarat import deal\nprint(deal)", []),
        (SIMULATOR, "import shoe_controller", ["shoe_controller"]),
        (SIMULATOR, "from shoe_controller.transports import serial_port", ["shoe_controller.transports.serial_port"]),
        (RECKONER, "from simulator.reckoner.cards import CardBook\nimport msgspec", []),
        (RECKONER, "from shoe_controller.baccarat.deal import Deal", ["shoe_controller.baccarat.deal.Deal"]),
        (RECKONER, "from simulator.truth import read_truth", ["simulator.truth.read_truth"]),
        (SECOND_SUM, "from simulator.reckoner.cards import CardBook", ["simulator.reckoner.cards.CardBook"]),
    ],
)
def test_the_check_sees_what_it_should_and_only_that(layer: Layer, source: str, wrong: list[str]) -> None:
    package = layer.folder.replace("/", ".")
    assert wrong_arrows(source, package, layer) == wrong
