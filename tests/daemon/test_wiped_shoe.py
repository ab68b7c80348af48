"""A shoe whose memory was wiped and whose power-up number repeats, at a real daemon over TCP: everything is stored."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Button,
    ButtonPressed,
    CardDrawn,
    Fault,
    FaultCode,
    Hand,
    IndicatedWinner,
    ResultIndicated,
    Started,
)
from firmware_protocol.link import ClockSet, ShoeIdentity
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore
from shoe_controller.journal.reading import JournalReader
from tests.daemon.harness import Chain
from tests.daemon.house_file import SHOE_KEY

pytestmark = pytest.mark.asyncio

PLAYER, BANKER = Hand.PLAYER, Hand.BANKER
FACES = ("9H", "8C", "2D", "KS", "3H", "QC", "7D")


class ShoeOnTheDesk:
    """First power-up of a board: the memory that was wiped has held its count of power-ups."""

    def __init__(self, first_nonce: int = 1) -> None:
        identity = ShoeIdentity(
            model="Board", firmware="0", serial_number="7", boot_id=77, protocol_version=1, capabilities=frozenset()
        )
        self._loop = asyncio.get_running_loop()
        nonces = iter(range(first_nonce, 10_000))
        self.store = ShoeStore()
        self.times_set: list[int] = []
        self._link = NativeShoe(
            identity=identity,
            store=self.store,
            nonce=lambda: next(nonces).to_bytes(16, "big"),
            now=self._loop.time(),
            key=SHOE_KEY,
        )

    def report(self, *events: AnyShoeEvent) -> None:
        for event in events:
            self._link.report(event, self._loop.time())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._link.connected(self._loop.time())
        try:
            while not reader.at_eof():
                writer.write(self._link.to_send())
                data = b""
                try:
                    async with asyncio.timeout(0.01):
                        data = await reader.read(4096)
                except TimeoutError:
                    self._link.tick(self._loop.time())
                except ConnectionError:
                    break
                for notice in self._link.receive(data, self._loop.time()):
                    if isinstance(notice, ClockSet):
                        self.times_set.append(notice.unix_milliseconds)
        finally:
            self._link.disconnected(self._loop.time())
            writer.close()

    @asynccontextmanager
    async def listening(self, port: int = 0) -> AsyncIterator[int]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", port)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()


def dealt(faces: tuple[str, ...]) -> list[AnyShoeEvent]:
    """A shoe as far as its first results, and a jam."""
    hands = [Hand.BURN, PLAYER, BANKER, PLAYER, BANKER, PLAYER, BANKER]
    cards = [
        CardDrawn(hand=hand, card=Card(face), first_of_shoe=not number)
        for number, (hand, face) in enumerate(zip(hands, faces, strict=True))
    ]
    result = ResultIndicated(winner=IndicatedWinner.TIE)
    jam = Fault(code=FaultCode.JAM, stopped=True)
    return [Started(), ButtonPressed(button=Button.NEW_SHOE), *cards, result, jam]


def reported(journal: Path) -> list[dict[str, Any]]:
    """What the shoe reported by the journal's inputs, those in the opening of a shoe too."""
    with JournalReader(journal) as reader:
        names = ("shoe_report", "new_shoe")
        inputs = [json.loads(record.body) for record in reader.inputs_backwards(names, 10_000)]
    return [given["cause"] if given["input"] == "new_shoe" else given for given in reversed(inputs)]


@pytest.mark.parametrize("first_nonce", [1, 5000], ids=["its nonces repeat", "its nonces are new"])
async def test_all_events_of_a_wiped_shoe_reach_the_journal_before_they_are_acknowledged(
    tmp_path: Path, first_nonce: int
) -> None:
    async with Chain(tmp_path, with_broker=False) as chain:
        old, new = ShoeOnTheDesk(), ShoeOnTheDesk(first_nonce)
        first, second = dealt(FACES), dealt(FACES[::-1])
        async with old.listening() as port:
            chain.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"
            chain.write_file()
            await chain.start_daemon()
            old.report(*first)
            await chain.becomes(lambda: not old.store.events, what="the first shoe's events to be stored")
            assert old.times_set, "each session begins with the time of day"
            await chain.kill_daemon()
        async with new.listening(port):
            new.report(*second)
            await chain.start_daemon()
            await chain.becomes(lambda: not new.store.events, what="the wiped shoe's events to be stored")
        reports = reported(chain.journal)
        assert [report["sequence"] for report in reports] == [*range(1, len(first) + 1)] * 2
        again = [report["event"] for report in reports[len(first) :]]
        same = [place for place, event in enumerate(again) if event["event"] == "came_again"]
        assert same == [0, 1, 5, 9, 10], "start, button, the card in the middle, result and jam are as they were"
        heard = [event["what"] if event["event"] == "came_again" else event for event in again]
        assert [event["event"] for event in heard] == [msgspec.to_builtins(event)["event"] for event in second]
        assert [event["card"] for event in heard if "card" in event] == list(FACES[::-1])
        alerts = [line["kind"] for line in chain.log_lines if line["event"] == "alert_raised"]
        assert alerts.count("events_came_again") == 5
        assert "event_gap" in alerts, "the table stands still meanwhile"


async def test_events_that_come_again_around_a_kill_of_the_controller_count_once(tmp_path: Path) -> None:
    """The shoe has lost its marks, not its events; the controller is killed when five of them have come again."""
    async with Chain(tmp_path, with_broker=False) as chain:
        old, new = ShoeOnTheDesk(), ShoeOnTheDesk()
        events = dealt(FACES)
        async with old.listening() as port:
            chain.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"
            chain.write_file()
            await chain.start_daemon()
            old.report(*events)
            await chain.becomes(lambda: not old.store.events, what="the shoe's events to be stored")
            await chain.kill_daemon()
        async with new.listening(port):
            new.report(*events[:5])
            await chain.start_daemon()
            await chain.becomes(lambda: not new.store.events, what="the first events that come again to be stored")
            await chain.kill_daemon()
            new.report(*events[5:])
            await chain.start_daemon()
            await chain.becomes(lambda: not new.store.events, what="the rest of them to be stored")
        after = reported(chain.journal)[len(events) :]
        assert [report["sequence"] for report in after] == [*range(1, len(events) + 1)]
        assert {report["event"]["event"] for report in after} == {"came_again"}
