"""A journal was replaced: whatever the broker delivers, nothing of the discarded one is shown beside the new one.

On the models of the board and of the console, with the messages of real tables.
"""

from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.events import IndicatedWinner
from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import ResultMoment, RoundSection, board_sections
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import PaymentSection, sections
from shoe_controller.follow.event_sequencer import PATIENCE
from shoe_controller.follow.retained import RetainedTable
from shoe_controller.follow.table import FollowedTable
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.facts import RoundResult, RoundSettled
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.mqtt.retained import roads_message, rounds_message, state_message
from tests.console.bench import info_of
from tests.follow.samples import SITE, TABLE, after, answered, encode, published, replayed, status
from tests.table.sitting import Sitting

RETAINED = ("status", "info", "state", "roads", "rounds")
OLD, NEW = "0ld0", "4ew1"
BET, LESS = 700, 50


class Life(NamedTuple):
    """A table with one journal."""

    table: Sitting
    journal: str
    session: int

    @property
    def retained(self) -> dict[str, bytes]:
        state = self.table.state
        return {
            "status": encode(status(self.session, journal=self.journal, seq=state.lasting.seq)),
            "info": encode(info_of(self.table, self.journal)),
            "state": encode(state_message(state, self.journal, read_rules)),
            "roads": encode(roads_message(state, self.journal)),
            "rounds": encode(rounds_message(state, self.journal)),
        }

    @property
    def will(self) -> bytes:
        return encode(status(self.session, journal=self.journal, online=False))


def life(journal: str, session: int, *, rounds: int, stake: int) -> Life:
    table = Sitting()
    table.open_shoe()
    for _ in range(rounds):
        table.bet("1", "base.player", stake)
        table.deal("9H KD KS 5C")
        table.result(IndicatedWinner.PLAYER)
    return Life(table, journal, session)


class Both:
    """The models of a board and of a console, which get the same messages."""

    def __init__(self) -> None:
        self.floor = Floor(SITE)
        self.console = ConsoleModel(Topics(SITE, TABLE), client="me", instance="start")

    @property
    def followed(self) -> tuple[RetainedTable, FollowedTable]:
        return self.floor.tables[TABLE].followed, self.console.followed

    def broker_up(self) -> None:
        self.floor.broker_up()
        self.console.followed.broker_up()

    def broker_down(self) -> None:
        self.floor.broker_down()
        self.console.followed.broker_down()

    def receive(self, below: str, payload: bytes, *, retained: bool = False) -> None:
        self.floor.receive(Incoming(topic=f"shoe/v1/{SITE}/{TABLE}/{below}", payload=payload, retain=retained), 0.0)
        self.console.followed.receive(below, payload, 0.0, retained=retained)

    def receive_retained(self, life: Life, order: tuple[str, ...] = RETAINED) -> None:
        messages = life.retained
        for below in order:
            self.receive(below, messages[below], retained=True)

    def receive_events(self, life: Life) -> None:
        for fact in life.table.facts:
            self.receive(f"event/{fact.TOPIC}", published(fact, life.journal))

    def replay(self, life: Life, now: float = 0.0) -> None:
        """Answer the console's requests for what is missing."""
        followed = self.console.followed
        followed.request(now)
        request = followed.request(now + PATIENCE)
        if request is not None:
            below = followed.reply_topic.removeprefix(f"{followed.topics.prefix}/")
            for fact in life.table.facts[after(request) :]:
                followed.receive(below, replayed(fact, journal=life.journal), now)
            followed.receive(below, answered(request, life.table.facts[-1].seq), now)

    # --- what is shown -----------------------------------------------------------------------------------------------

    @property
    def payment(self) -> PaymentSection | None:
        made = sections(self.console)["payment"]
        assert made is None or isinstance(made, PaymentSection)
        return made

    @property
    def journals(self) -> set[str]:
        """Of everything that is shown."""
        messages = [
            message
            for followed in self.followed
            for message in (followed.status, followed.info, followed.state, followed.roads, followed.rounds)
        ]
        return {message.journal for message in messages if message is not None}

    def shows(self, life: Life) -> None:
        """Everything of this journal and nothing else."""
        assert self.journals == {life.journal}
        settled = life.table.last(RoundSettled)
        assert self.payment is not None
        assert (self.payment.seq, self.payment.settlement) == (settled.seq, settled.settlement)
        assert self.payment.round_id.startswith(life.journal)
        assert list(self.console.facts) == life.table.facts
        board = self.floor.tables[TABLE]
        rounds = board.followed.rounds
        assert rounds is not None
        results = [fact.seq for fact in life.table.facts if isinstance(fact, RoundResult)]
        assert [dealt.seq for dealt in rounds.rounds] == results
        made = board_sections(self.floor, board)["round"]
        assert isinstance(made, RoundSection)
        assert isinstance(made.moment, ResultMoment)
        assert made.moment.round == len(results)
        assert (made.shoe, made.round) == (life.table.state.shoe_number, life.table.state.round_number)


@pytest.fixture
def old() -> Life:
    return life(OLD, 1, rounds=2, stake=BET)


@pytest.fixture
def new() -> Life:
    """Of the same shoe and round numbers, and with more events than the one before."""
    return life(NEW, 2, rounds=3, stake=LESS)


@pytest.fixture
def both(old: Life) -> Both:
    """Two models that have followed the old journal."""
    made = Both()
    made.broker_up()
    made.receive_retained(old)
    made.replay(old)
    made.shows(old)
    return made


@pytest.mark.parametrize("order", list(permutations(RETAINED)))
def test_a_display_that_was_away_while_a_journal_was_replaced_shows_nothing_of_the_old_one(
    both: Both, new: Life, order: tuple[str, ...]
) -> None:
    both.broker_down()
    both.broker_up()
    messages = new.retained
    for number in range(1, len(order) + 1):
        both.receive(order[number - 1], messages[order[number - 1]], retained=True)
        assert len(both.journals) == 1, order[:number]
    assert both.payment is None, "it was the discarded journal's settlement"
    assert list(both.console.facts) == []
    both.replay(new)
    both.shows(new)


def test_a_display_that_was_there_all_the_time_changes_over(both: Both, old: Life, new: Life) -> None:
    both.receive("status", old.will)
    both.receive_retained(new)
    both.receive_events(new)
    both.shows(new)


def late_will(both: Both, old: Life, _new: Life) -> None:
    both.receive("status", old.will)


def late_retained(both: Both, old: Life, _new: Life) -> None:
    for below in RETAINED[1:]:
        both.receive(below, old.retained[below])


def late_events(both: Both, old: Life, _new: Life) -> None:
    both.receive_events(old)


def late_replay(both: Both, old: Life, _new: Life) -> None:
    followed = both.console.followed
    below = followed.reply_topic.removeprefix(f"{followed.topics.prefix}/")
    for fact in old.table.facts:
        followed.receive(below, replayed(fact, journal=old.journal), 0.0)


def broker_with_old_retained(both: Both, old: Life, _new: Life) -> None:
    both.broker_down()
    both.broker_up()
    both.receive_retained(old)


Late = Callable[[Both, Life, Life], None]


@pytest.mark.parametrize("late", [late_will, late_retained, late_events, late_replay, broker_with_old_retained])
def test_what_comes_late_of_the_old_journal_is_ignored(both: Both, old: Life, new: Life, late: Late) -> None:
    both.receive_retained(new)
    both.replay(new)
    late(both, old, new)
    both.shows(new)


def test_a_broker_with_old_retained_messages_is_not_live_until_the_controller_is_back(
    both: Both, old: Life, new: Life
) -> None:
    both.receive_retained(new)
    broker_with_old_retained(both, old, new)
    assert [followed.online for followed in both.followed] == [False, False]
    both.receive("status", new.retained["status"])
    assert [followed.online for followed in both.followed] == [True, True]


def test_a_will_of_the_new_journal_decides_too(both: Both, new: Life) -> None:
    """The controller began a new journal and went, while the display was away."""
    both.broker_down()
    both.broker_up()
    both.receive("status", new.will, retained=True)
    assert both.journals == {NEW}
    assert both.payment is None


def test_a_new_journal_by_a_clock_that_was_set_back(both: Both, old: Life, new: Life) -> None:
    set_back = new._replace(session=old.session - 1)
    both.broker_down()
    both.broker_up()
    both.receive_retained(set_back)
    assert both.journals == {OLD}
    assert [followed.online for followed in both.followed] == [False, False], "what is shown is shown as old"
    both.receive("status", set_back.retained["status"])
    both.replay(new)
    both.shows(new)


DELIVERIES = st.tuples(st.sampled_from([*RETAINED, "event"]), st.sampled_from([0, 1]))


@given(st.lists(DELIVERIES, max_size=12))
def test_two_lives_are_never_mixed(deliveries: list[tuple[str, int]]) -> None:
    """Messages of both journals in any order: whatever is shown is of one journal."""
    lives = (life(OLD, 1, rounds=1, stake=BET), life(NEW, 2, rounds=1, stake=LESS))
    messages = [each.retained for each in lives]
    both = Both()
    both.broker_up()
    both.receive("status", messages[0]["status"])
    for below, whose in deliveries:
        sender = lives[whose]
        if below == "event":
            both.receive_events(sender)
        else:
            both.receive(below, messages[whose][below], retained=True)
        assert len(both.journals) == 1
        (current,) = (each for each in lives if each.journal == both.console.followed.journal)
        facts = list(both.console.facts)
        assert facts == current.table.facts[: len(facts)]
