"""A table and the pit's process, each a process of its own, at a real Mosquitto with an access list."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import shoe_without
from shoe_controller.messages.pit import EdgesMessage, PitAlarmsMessage, PitMessage, WagerExposed
from shoe_controller.messages.rules import PublishedRules
from shoe_controller.messages.topics import PIT_ALARMS, PIT_EDGES, pit_topic
from shoe_controller.pit.lines import AlarmRaised, AnyLine, LineChain
from shoe_controller.pit.prices import SharedPrices
from shoe_controller.process.lines_file import TornTail, read_lines
from tests.daemon.clients import Display, Heard, MqttClient, Visitor
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, write_secret
from tests.daemon.programs import Program
from tests.doctor.guarded_broker import as_the_table, guarded_settings, password_of
from tests.pit.public_fold import Shown, read, shown
from tests.witness.house import as_toml_file

USER = "pit"

PRICES = SharedPrices()


class Everything(MqttClient):
    """Asks for all topics of the site, and keeps what it gets of the pit's."""

    def __init__(self, visitor: Visitor, prefix: str) -> None:
        super().__init__(visitor, f"shoe/v1/{SITE}/#", f"{prefix}/pit/#")
        self.messages = 0
        self.presence: PitMessage | None = None
        self.presences: list[PitMessage] = []
        self.edges: list[EdgesMessage] = []
        self.alarms: list[PitAlarmsMessage] = []

    def heard(self, message: Heard) -> None:
        self.messages += 1
        if message.topic == pit_topic(SITE, USER):
            self.presence = msgspec.json.decode(message.payload, type=PitMessage)
            self.presences.append(self.presence)
        elif message.topic.endswith(PIT_EDGES):
            self.edges.append(msgspec.json.decode(message.payload, type=EdgesMessage))
        elif message.topic.endswith(PIT_ALARMS):
            self.alarms.append(msgspec.json.decode(message.payload, type=PitAlarmsMessage))

    @property
    def heard_of_pit(self) -> int:
        return len(self.presences) + len(self.edges) + len(self.alarms)

    @property
    def figures(self) -> list[EdgesMessage]:
        return [message for message in self.edges if message.edges]

    def figures_of(self, start: str) -> list[EdgesMessage]:
        return [message for message in self.figures if message.start == start]


class PitHouse:
    def __init__(self, chain: Chain, display: Display, archive: Everything, board: Everything) -> None:
        self.chain = chain
        self.display = display
        self.archive = archive
        self.board = board
        self.file = chain.folder / "test.alarms"
        folder = chain.folder
        self.settings: dict[str, Any] = {
            "site": SITE,
            "port": 0,
            "edge_limit": -0.05,
            "file": str(self.file),
            "people_file": str(write_secret(folder / "site_people.toml", "# Nobody yet.\n")),
            "username": USER,
            "password_file": str(write_secret(folder / "pit.password", password_of(USER))),
        }
        self.settings["port"] = free_port()
        config = {
            "mqtt": {"host": "127.0.0.1", "port": chain.broker.port},
            "pit": self.settings,
            "log": {"format": "json"},
        }
        file = write_secret(folder / "pit.toml", as_toml_file(config))
        self.pit = Program("shoe-controller", "pit", str(file), log=folder / "pit.log")

    @property
    def lines(self) -> list[AnyLine]:
        return [written.line for written in read_lines(self.file, TornTail(), LineChain())]

    @property
    def exposed(self) -> list[tuple[str, int, int, str]]:
        return [
            (line.journal, line.alarm.shoe, line.alarm.round, line.alarm.wager)
            for line in self.lines
            if isinstance(line, AlarmRaised) and isinstance(line.alarm, WagerExposed)
        ]

    def shown_at(self, message: EdgesMessage) -> Shown:
        """What the public events up to that of the message show."""
        events = [read(self.display.events[seq].payload) for seq in sorted(self.display.events) if seq <= message.seq]
        found = shown(events)
        assert found is not None
        return found


def check(message: EdgesMessage, known: Shown) -> None:
    """Every figure follows from the shown cards, and from nothing else."""
    assert (message.shoe, message.round) == (known.shoe, known.round)
    rules = msgspec.convert(known.opened["rules"], PublishedRules)
    priced = PRICES.of(rules)
    out = [card for card in CARDS_BY_NUMBER for _ in range(known.seen[str(card)])]
    (edges,) = priced.live.edges([shoe_without(known.decks, out)])
    expected = dict(zip(priced.live.wagers, edges, strict=True))
    assert {each.wager: each.edge for each in message.edges} == expected
    assert {each.wager: each.full_shoe for each in message.edges} == dict(
        zip(priced.live.wagers, priced.full_shoe, strict=True)
    )
    assert message.unseen == 52 * known.decks - len(out)


def free_port() -> int:
    import socket  # noqa: PLC0415

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@asynccontextmanager
async def pit_house(folder: Path) -> AsyncIterator[PitHouse]:
    guarded = folder / "guarded"
    guarded.mkdir()
    async with Chain(
        folder, broker_settings=guarded_settings(guarded), mqtt=as_the_table(folder), shoes=2, speed="60"
    ) as chain:

        def visitor(name: str) -> Visitor:
            return Visitor(name, chain.broker.port, username=name, password=password_of(name))

        async with (
            Display(visitor("seats"), chain.topics) as display,
            Everything(visitor("archive"), chain.topics.prefix) as archive,
            Everything(visitor("board"), chain.topics.prefix) as board,
        ):
            made = PitHouse(chain, display, archive, board)
            try:
                yield made
            finally:
                await made.pit.kill()
                print(made.pit.output[-6000:])  # noqa: T201 - for whoever reads the failure
