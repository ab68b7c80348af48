"""What an archive makes of messages: steps in the order of each journal, requests, holes, and what it lets go of."""

from typing import Any

import msgspec
import pytest

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.archive.site import MOST_ASKED, RENEW, ArchivedSite, SetBack, Unknown
from shoe_controller.archive.steps import AnnouncedHead, Hole, Step, StepQueue
from shoe_controller.archive.table import SET_BACK_AFTER
from shoe_controller.follow.event_sequencer import ASK_AGAIN_LAST
from shoe_controller.follow.table import Request
from shoe_controller.messages.archive import ArchiveMessage
from shoe_controller.messages.refusals import Pruned
from shoe_controller.messages.requests import ReplayRequest
from shoe_controller.messages.topics import Topics, archive_topic
from shoe_controller.mqtt.broker import Incoming
from tests.follow.samples import JOURNAL, answered, encode, other, published, refused_replay, replayed, state, status

OWN = archive_topic("north", "archive")
NUMBER = 7
"""Of the journal in the database."""


class Bench:
    """A site without a broker and a database; it is also the session, which remembers what is published."""

    def __init__(self, most_steps: int = 1000) -> None:
        self.now = 1000.0
        self.presences: list[ArchiveMessage] = []
        self.set_back: list[SetBack] = []
        self.queue = StepQueue(most_steps=most_steps)
        self._starts = iter("abcdefgh")
        self.site = ArchivedSite(
            "north",
            tables=frozenset(),
            client="archive",
            instance="i",
            queue=self.queue,
            clock=lambda: self.now,
            wall=lambda: int(self.now * 1000),
            new_start=lambda: next(self._starts),
            set_back=self.set_back.append,
        )
        self.site.will()
        self.site.broker_up(self)  # type: ignore[arg-type]  # all that is used of a session
        self.site.works(storing=True)

    def publish_soon(self, topic: str, payload: bytes, *, retain: bool) -> None:
        assert (topic, retain) == (OWN, True)
        self.presences.append(msgspec.json.decode(payload, type=ArchiveMessage))

    def get(self, below: str, payload: bytes, table: str = "t1") -> None:
        self.site.receive(Incoming(topic=f"{Topics('north', table).prefix}/{below}", payload=payload), self.now)

    def own(self, message: ArchiveMessage) -> None:
        self.site.receive(Incoming(topic=OWN, payload=encode(message)), self.now)

    def live(self, *seqs: int, table: str = "t1", journal: str = JOURNAL) -> None:
        for seq in seqs:
            self.get("event/round", published(other(seq), journal), table)

    def replayed(self, request: Request, *seqs: int, newest: int) -> None:
        below = request.response_topic.removeprefix("shoe/v1/north/t1/")
        self.get(below, replayed(*map(other, seqs)))
        self.get(below, answered(request, newest, seqs[-1]))

    def look(self, after: float = 1.0) -> list[Request]:
        """What is requested after so many seconds."""
        requests = list(self.site.requests(self.now))
        if not requests:
            self.now += after
            requests = list(self.site.requests(self.now))
        return requests

    @property
    def steps(self) -> list[Step]:
        return self.queue.first(10_000, 10**9)

    @property
    def seqs(self) -> list[int]:
        return [step.seq for step in self.steps if isinstance(step, ArchivedEvent)]


def online(have: int = 0, newest: int = 0, **options: Any) -> Bench:  # noqa: ANN401 - of Bench
    """A table is there, and its journal is in the database up to `have`."""
    bench = Bench(**options)
    bench.get("status", encode(status()))
    bench.get("state", encode(state(newest)))
    assert bench.site.unknown() == [Unknown("t1", JOURNAL)]
    bench.site.position_known(Unknown("t1", JOURNAL), NUMBER, have, have)
    return bench


def asked_after(requests: list[Request]) -> int:
    (request,) = requests
    return msgspec.json.decode(request.payload, type=ReplayRequest).after


def test_events_go_on_after_the_position_of_the_database_and_bytes_are_as_they_were_published() -> None:
    bench = online(have=40, newest=42)
    bench.live(43)
    requests = bench.look()
    assert asked_after(requests) == 40
    bench.replayed(requests[0], 41, 42, newest=43)
    assert bench.seqs == [41, 42, 43]
    assert {step.payload for step in bench.steps} == {published(other(seq)) for seq in (41, 42, 43)}  # type: ignore[union-attr]
    assert {step.topic for step in bench.steps} == {"event/round"}  # type: ignore[union-attr]
    assert bench.site.newest() == {NUMBER: 42}


def test_nothing_is_a_step_before_the_position_is_known() -> None:
    bench = Bench()
    bench.get("status", encode(status()))
    bench.live(1, 2)
    assert bench.look() == []
    assert bench.steps == []
    bench.site.position_known(Unknown("t1", JOURNAL), NUMBER, 1, 1)
    bench.live(3)
    assert bench.steps == []
    assert asked_after(bench.look()) == 1


def test_what_was_pruned_is_a_hole() -> None:
    bench = online(have=40, newest=500)
    requests = bench.look()
    below = requests[0].response_topic.removeprefix("shoe/v1/north/t1/")
    bench.get(below, refused_replay(requests[0], Pruned(oldest=300)))
    assert bench.steps == [Hole(NUMBER, 41, 299)]
    assert asked_after(bench.look()) == 299


def test_a_new_journal_is_followed_from_its_own_position_and_the_old_one_stays_stored() -> None:
    bench = online()
    bench.live(1, 2)
    bench.get("status", encode(status(2, journal="other")))
    assert bench.site.unknown() == [Unknown("t1", "other")]
    bench.site.position_known(Unknown("t1", "other"), 8, 0, 0)
    bench.live(1, journal="other")
    bench.live(3)  # late, of the journal before
    assert [(step.journal_id, step.seq) for step in bench.steps if isinstance(step, ArchivedEvent)] == [
        (NUMBER, 1),
        (NUMBER, 2),
        (8, 1),
    ]


def test_a_full_queue_lets_go_and_what_was_let_go_is_requested_when_there_is_room() -> None:
    bench = online(most_steps=3)
    bench.live(1, 2, 3, 4, 5)
    assert bench.seqs == [1, 2, 3]
    bench.get("state", encode(state(5)))
    assert bench.look(ASK_AGAIN_LAST) == [], "there is no room for what would come"
    bench.queue.stored(3)
    assert asked_after(bench.look()) == 3


def test_after_an_outage_the_positions_of_the_database_count() -> None:
    bench = online()
    bench.live(1, 2, 3, 4)
    # 1 and 2 were committed without our knowing; then it was set back to nothing, as by a fail-over.
    for have, kept, next_one in ((2, [3, 4], 4), (9, [], 9), (0, [], 0)):
        bench.queue.keep_what_follows({NUMBER: have})
        bench.site.resume({NUMBER: have}, bench.queue.positions())
        assert bench.seqs == kept
        bench.get("state", encode(state(20)))
        assert asked_after(bench.look(ASK_AGAIN_LAST)) == next_one


def test_another_database_gets_a_row_first() -> None:
    bench = online()
    bench.live(1)
    bench.queue.keep_what_follows({})
    bench.site.resume({}, {})
    bench.live(2)
    assert bench.steps == []
    assert bench.site.unknown() == [Unknown("t1", JOURNAL)]
    bench.site.position_known(Unknown("t1", JOURNAL), 1, 0, 0)
    bench.get("state", encode(state(2)))
    assert asked_after(bench.look()) == 0


def test_an_event_of_a_newer_version_is_stored_as_it_is() -> None:
    bench = online()
    odd = b'{"journal":"4f2a","seq":1,"fact":"a_new\\u0000one","time":"noon","shoe":-1,"round":99999999999}'
    bench.get("event/new", odd)
    (step,) = bench.steps
    assert isinstance(step, ArchivedEvent)
    assert (step.payload, step.fact, step.shoe, step.round) == (odd, "a_new\ufffdone", 0, 0)


def test_heads_are_kept_each_once() -> None:
    bench = online()
    head = f"12:{'ab' * 32}"
    kept = AnnouncedHead(NUMBER, 12, b"\xab" * 32, None, 1_000_000)
    bench.get("status", encode(status(head=head)))
    bench.get("head", encode({"journal": JOURNAL, "head": head, "seal": ""}))
    assert bench.steps == [kept]
    outcome = b'{"journal":"4f2a","head":"13:%b","fact":"round_result","seq":1,"time":5}' % (b"cd" * 32)
    bench.get("event/outcome", outcome)
    bench.get("event/outcome", outcome.replace(b'"seq":1', b'"seq":2').replace(b"13:", b"x:"))
    assert [step for step in bench.steps if isinstance(step, AnnouncedHead)] == [
        kept,
        AnnouncedHead(NUMBER, 13, b"\xcd" * 32, 1, 5),
    ]
    assert bench.seqs == [1, 2], "what is no head is in its event all the same"


def test_only_some_tables_are_asked_at_once_and_all_of_them_in_the_end() -> None:
    bench = Bench()
    asked: list[str] = []
    for number in range(3 * MOST_ASKED):
        name = f"t{number}"
        bench.get("status", encode(status()), name)
        bench.get("state", encode(state(10)), name)
        bench.site.position_known(Unknown(name, JOURNAL), number, 0, 0)
    for _ in range(3):
        requests = bench.look(ASK_AGAIN_LAST)
        assert len(requests) == MOST_ASKED
        asked += [request.topic for request in requests]
        bench.now += ASK_AGAIN_LAST
    assert len(set(asked)) == 3 * MOST_ASKED


def test_without_a_database_nothing_is_requested() -> None:
    bench = online(newest=10)
    bench.site.works(storing=False)
    assert bench.look(ASK_AGAIN_LAST) == []
    assert bench.presences[-1].storing is False


def test_presence_says_what_it_does_and_comes_again_after_a_late_will() -> None:
    bench = online(newest=10)
    assert bench.presences[-1] == ArchiveMessage(online=True, start="a", time=1_000_000, storing=True)
    bench.look(RENEW)
    assert bench.presences[-1].behind == 10
    bench.own(ArchiveMessage(online=False, start="late", time=0))
    count = len(bench.presences)
    bench.look()
    assert len(bench.presences) > count
    bench.own(bench.presences[-1])
    count = len(bench.presences)
    bench.look(0.1)
    assert len(bench.presences) == count


def test_the_one_that_stores_is_shown_and_the_one_that_stands_by_when_there_is_none() -> None:
    bench = Bench()
    bench.own(ArchiveMessage(online=True, start="x", time=0, storing=True))
    bench.presences.clear()
    bench.site.works(storing=False, standby=True)
    bench.look(RENEW)
    assert bench.presences == []
    bench.own(ArchiveMessage(online=False, start="x", time=0))
    bench.look()
    assert bench.presences[-1].standby


@pytest.mark.parametrize("table", ["archive", "pit", "tables", "a b", "x" * 41])
def test_what_is_no_table_is_none(table: str) -> None:
    bench = Bench()
    bench.get("status", encode(status()), table)
    assert bench.site.unknown() == []


def test_a_table_that_is_cleared_is_forgotten_and_taken_up_again() -> None:
    bench = online()
    bench.get("status", b"")
    assert bench.site.newest() == {}
    bench.get("status", encode(status(3)))
    assert bench.site.unknown() == [Unknown("t1", JOURNAL)]


def test_an_older_copy_of_a_journal_is_reported_once() -> None:
    bench = online(have=40, newest=30)
    bench.look(SET_BACK_AFTER / 2)
    bench.get("state", encode(state(31)))
    bench.look(SET_BACK_AFTER)
    bench.look()
    assert bench.set_back == [SetBack("t1", JOURNAL)]
    late = online(have=40, newest=39)
    late.look(SET_BACK_AFTER / 2)
    late.get("state", encode(state(40)))
    late.look(SET_BACK_AFTER)
    assert late.set_back == []
