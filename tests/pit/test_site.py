"""All tables of a site: presence, what is published and when, the file of alarms, and a disk that is full."""

import asyncio
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_protocol.events import CutCard, IndicatedWinner
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import NoMoreBets
from shoe_controller.messages.pit import EdgesMessage, PitAlarmsMessage, PitMessage, StakesFollowEdge, SuggestedAct
from shoe_controller.messages.topics import PIT_ALARMS, PIT_EDGES, Topics, pit_topic
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.mqtt.retained import state_message
from shoe_controller.pit.alarms_file import TRY_AGAIN, AlarmsFile
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.lines import AlarmRaised, AnyLine, LineChain
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.pit.site import ExposedSite
from shoe_controller.pit.table import EXPIRES, RENEW
from shoe_controller.process.lines_file import LinesFile, LinesFileError, TornTail, read_lines
from shoe_controller.protection.shoe_record import ShoeRecord
from tests.follow.samples import JOURNAL, published, status
from tests.table.sitting import Sitting

EDGES, ALARMS = (f"{Topics('north', 't1').prefix}/{below}" for below in (PIT_EDGES, PIT_ALARMS))
PRESENCE = pit_topic("north", "pit")
TYPES = {EDGES: EdgesMessage, ALARMS: PitAlarmsMessage, PRESENCE: PitMessage}

encode = msgspec.json.encode


class FullDisk(LinesFile[AnyLine]):
    """A file on a disk that can be full: half of what is written then arrives."""

    def __init__(self, path: Path, bench: "Bench") -> None:
        super().__init__(path, LineChain())
        self._bench = bench

    def _write(self, text: bytes) -> None:
        if self._bench.full:
            super()._write(text[: len(text) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        super()._write(text)


class Bench:
    """A site without a broker; it is also the session, which remembers what is published, and the observer."""

    def __init__(self, path: Path, *, edge_limit: float = -0.2, acknowledged: int = 0) -> None:
        self.now = 1000.0
        self.full = False
        self.sent: list[tuple[str, Any, int | None]] = []
        self.ended: list[tuple[str, EndedShoe, ShoeRecord]] = []
        self.failures: list[str] = []
        self.written_lines: list[AlarmRaised] = []
        self.sitting = Sitting()
        self._came = 0
        self.exposures = Exposures()
        self._starts = iter("abcdefgh")
        self.site = ExposedSite(
            "north",
            tables=frozenset(),
            client="pit",
            instance="i",
            edge_limit=edge_limit,
            acknowledged=acknowledged,
            sink=self.exposures,
            observer=self,
            clock=lambda: self.now,
            wall=lambda: int(self.now * 1000),
            new_start=lambda: next(self._starts),
        )
        self.file = self.site.file = AlarmsFile(
            path,
            version="1",
            acknowledged=acknowledged,
            observer=self,
            clock=lambda: self.now,
            wall=lambda: int(self.now * 1000),
            open_file=lambda path: FullDisk(path, self),
        )
        self.file.open()

    def connect(self) -> None:
        self.site.will()
        self.site.broker_up(self)  # type: ignore[arg-type]  # all that is used of a session

    # --- session -----------------------------------------------------------------------------------------------------

    def publish_soon(
        self, topic: str, payload: bytes, *, retain: bool, expiry: int | None = None
    ) -> "asyncio.Future[None] | None":
        assert retain
        self.sent.append((topic, msgspec.json.decode(payload, type=TYPES[topic]) if payload else None, expiry))
        return None

    def last(self, topic: str) -> Any:  # noqa: ANN401 - any message
        return [message for sent, message, _ in self.sent if sent == topic][-1]

    # --- observers ---------------------------------------------------------------------------------------------------

    def restored(self, line: AlarmRaised) -> None:
        self.site.remember(line)

    def written(self, line: AlarmRaised) -> None:
        self.written_lines.append(line)
        self.site.remember(line)

    def file_failed(self, error: OSError | LinesFileError) -> None:
        self.failures.append(error.strerror or "" if isinstance(error, OSError) else "not the file that was written")

    def file_works(self) -> None:
        self.failures.append("works")

    def shoe_ended(self, table: str, ended: EndedShoe, record: ShoeRecord) -> None:
        self.ended.append((table, ended, record))

    # --- what comes --------------------------------------------------------------------------------------------------

    def receive(self, below: str, payload: bytes, table: str = "t1") -> None:
        topic = f"{Topics('north', table).prefix}/{below}"
        self.site.receive(Incoming(topic=topic, payload=payload), self.now)

    def catch_up(self) -> None:
        self.receive("status", encode(status()))
        for fact in self.sitting.facts[self._came :]:
            self.receive(f"event/{fact.TOPIC}", published(fact))
        self._came = len(self.sitting.facts)
        self.receive("state", encode(state_message(self.sitting.state, JOURNAL, read_rules)))

    def look(self, seconds: float = 0.25) -> None:
        self.now += seconds
        list(self.site.requests(self.now))

    def play(self) -> None:
        self.sitting.dealer(NoMoreBets())
        self.sitting.deal("9H 4D KS 2C")
        self.sitting.result(IndicatedWinner.PLAYER)
        self.catch_up()
        self.look()

    def exposed(self) -> list[tuple[int, str]]:
        return [(line.alarm.round, line.alarm.wager) for line in self.lines() if line.alarm.code == "wager_exposed"]  # type: ignore[union-attr]  # it has a round

    def lines(self) -> list[AlarmRaised]:
        found = (written.line for written in read_lines(self.file._path, TornTail(), LineChain()))  # noqa: SLF001 - where it is
        return [line for line in found if isinstance(line, AlarmRaised)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "north.alarms")
    made.sitting.open_shoe("AS")
    made.connect()
    made.catch_up()
    yield made
    made.file.close()


def test_each_connection_has_a_start_of_its_own_and_a_will(bench: Bench) -> None:
    assert bench.last(PRESENCE) == PitMessage(online=True, start="a", time=1_000_000)
    assert bench.last(EDGES).start == "a"
    assert bench.last(EDGES).edges
    bench.site.broker_down()
    assert bench.exposures.of("t1").edges.none.code == "table_away"  # type: ignore[union-attr]  # it is known
    will = bench.site.will()
    assert (will.topic, msgspec.json.decode(will.payload, type=PitMessage)) == (
        PRESENCE,
        PitMessage(online=False, start="b", time=1_000_000),
    )
    before = len(bench.sent)
    bench.site.broker_up(bench)  # type: ignore[arg-type]  # as above
    assert bench.sent[before][0] == PRESENCE
    assert (bench.last(EDGES).start, bench.last(EDGES).none.code) == ("b", "table_away")
    bench.catch_up()
    assert (bench.last(EDGES).start, bench.last(EDGES).none) == ("b", None)


def test_figures_expire_and_are_renewed_before(bench: Bench) -> None:
    topic, message, expiry = next(each for each in reversed(bench.sent) if each[0] == EDGES)
    assert (expiry, message.until - message.time) == (EXPIRES, EXPIRES * 1000)
    count = len(bench.sent)
    bench.look()
    assert len(bench.sent) == count, "nothing has changed"
    bench.look(RENEW)
    assert {sent[0] for sent in bench.sent[count:]} == {PRESENCE, EDGES, ALARMS}, "a late will may have replaced ours"
    assert (bench.last(PRESENCE).online, bench.last(PRESENCE).start) == (True, message.start)
    assert bench.last(topic).time == message.time + int((RENEW + 0.25) * 1000)
    assert RENEW * 2 < EXPIRES


def test_a_wager_changes_the_alarms_and_not_the_edges(bench: Bench) -> None:
    count = len(bench.sent)
    bench.sitting.bet("1", "base.tie", 40)
    bench.catch_up()
    assert {sent[0] for sent in bench.sent[count:]} == {ALARMS}
    (staked,) = (each.alarm.staked for each in bench.last(ALARMS).alarms if each.alarm.wager == "base.tie")
    assert staked == 40


def test_exposed_wagers_are_written_once_also_by_one_that_comes_back(bench: Bench, tmp_path: Path) -> None:
    bench.play()
    bench.play()
    there = bench.exposed()
    assert {number for number, _ in there} == {1, 2}
    assert len(there) == len(set(there))
    assert [line.line for line in bench.written_lines] == [line.line for line in bench.lines()]
    bench.file.close()
    again = Bench(tmp_path / "north.alarms")
    again.sitting = bench.sitting
    again.connect()
    again.catch_up()
    again.look()
    again.play()
    assert [number for number, _ in again.exposed()[: len(there)]] == [number for number, _ in there]
    assert {number for number, _ in again.exposed()[len(there) :]} == {3}
    again.file.close()


def test_a_full_disk_stops_nothing_and_what_waited_is_written_once(bench: Bench) -> None:
    bench.full = True
    bench.play()
    assert bench.failures == ["No space left on device"]
    assert bench.last(PRESENCE).storing is False
    assert bench.last(EDGES).round == 2
    assert bench.last(EDGES).edges
    bench.look(TRY_AGAIN + 1)
    bench.play()
    assert bench.failures == ["No space left on device"], "it is said once"
    bench.full = False
    bench.look(TRY_AGAIN + 1)
    bench.look()
    assert bench.failures == ["No space left on device", "works"]
    assert bench.last(PRESENCE).storing is True
    there = bench.exposed()
    assert {number for number, _ in there} == {1, 2}
    assert len(there) == len(set(there))


def test_a_file_that_is_changed_while_the_disk_is_full_stops_nothing(bench: Bench, tmp_path: Path) -> None:
    bench.play()
    bench.full = True
    bench.play()
    path = tmp_path / "north.alarms"
    path.write_bytes(path.read_bytes().replace(b'"staked":0', b'"staked":9', 1))
    bench.full = False
    bench.look(TRY_AGAIN + 1)
    bench.play()
    assert bench.failures == ["No space left on device"], "it cannot be written to since then"
    assert bench.last(PRESENCE).storing is False
    assert (bench.last(EDGES).round, bench.last(EDGES).none) == (4, None)


def test_a_file_that_was_changed_or_is_in_use_is_refused(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(LinesFileError, match="in use"):
        Bench(tmp_path / "north.alarms")
    bench.play()
    bench.file.close()
    path = tmp_path / "north.alarms"
    path.write_bytes(path.read_bytes().replace(b'"staked":0', b'"staked":9', 1))
    with pytest.raises(LinesFileError, match="is not the one that was written there"):
        Bench(path)


FOLLOWS = StakesFollowEdge(
    seat="3",
    wager="base.tie",
    shoe=1,
    shoes=4,
    rounds=61,
    mean_edge=0.08,
    evidence=12_000.0,
    suggested=(SuggestedAct.WATCH_SEAT,),
)


def test_an_alarm_about_a_seat_stands_until_somebody_has_looked_into_it(bench: Bench, tmp_path: Path) -> None:
    bench.site.seat_follows("t1", JOURNAL, FOLLOWS)
    bench.look()
    (raised,) = (each for each in bench.last(ALARMS).alarms if each.alarm == FOLLOWS)
    assert bench.lines()[raised.line - 2].alarm == FOLLOWS
    bench.play()
    assert raised in bench.last(ALARMS).alarms
    bench.file.close()
    for acknowledged, stands in ((raised.line - 1, True), (raised.line, False)):
        again = Bench(tmp_path / "north.alarms", acknowledged=acknowledged)
        again.sitting = bench.sitting
        again.connect()
        again.catch_up()
        assert (raised in again.last(ALARMS).alarms) is stands
        again.file.close()


def test_a_shoe_that_ends_is_handed_over_once(bench: Bench) -> None:
    bench.sitting.bet("1", "base.tie", 40)
    bench.sitting.event(CutCard())
    bench.play()
    ((table, ended, record),) = bench.ended
    assert (table, ended.shoe, record.rounds) == ("t1", 1, (1,))
    bench.catch_up()
    assert len(bench.ended) == 1


def test_a_table_that_no_longer_exists_is_forgotten_and_its_edges_are_cleared(bench: Bench) -> None:
    bench.receive("status", b"")
    assert bench.exposures.of("t1") is None
    assert [message for topic, message, _ in bench.sent if topic == EDGES][-1] is None


def test_a_table_that_comes_back_has_its_alarms_and_no_line_twice(bench: Bench) -> None:
    bench.play()
    bench.site.seat_follows("t1", JOURNAL, FOLLOWS)
    bench.look()
    there = len(bench.lines())
    bench.receive("status", b"")
    bench.receive("status", encode(status()))
    for fact in bench.sitting.facts:
        bench.receive(f"event/{fact.TOPIC}", published(fact))
    bench.catch_up()
    bench.look()
    bench.look()
    assert bench.last(EDGES).edges
    assert len(bench.lines()) == there
    assert FOLLOWS in [each.alarm for each in bench.last(ALARMS).alarms]


@pytest.mark.parametrize("table", ["pit", "witness", "tables", "a b", "x" * 41])
def test_what_is_no_table_is_passed_over(bench: Bench, table: str) -> None:
    bench.receive("status", encode(status()), table)
    assert bench.exposures.of(table) is None
