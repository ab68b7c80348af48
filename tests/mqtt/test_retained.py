"""The retained messages: what they hold is true of the table, exact, and made anew only when something has changed."""

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner
from firmware_protocol.link import LineQuality
from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.roads import roads
from shoe_controller.baccarat.wagers import Catalogue, Result
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import CallSupervisor
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import OperatingSystemError
from shoe_controller.messages.facts import AnyFact, ResultUndone, RoundAmended, RoundResult, RoundVoided, ShoeOpened
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.messages.retained import (
    HeadMessage,
    InfoMessage,
    LastVoid,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    StatusMessage,
    TableListing,
)
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import LARGEST_PACKET
from shoe_controller.mqtt.presence import NotedHead, TablePresence
from shoe_controller.mqtt.retained import Posted, gravest_alert, roads_message, rounds_message, state_message
from shoe_controller.table.inputs import LinkLost
from shoe_controller.table.published_rules import percentage, rules_hash
from shoe_controller.table.state import RulesSource, TableState
from shoe_controller.table.view import view_of
from tests.mqtt.every_fact import RememberedSitting, every_sitting
from tests.mqtt.schema_check import objections
from tests.table.sitting import Sitting, rules

TOPICS = Topics("north", "t1")
POSTED = Posted(version="1.0", start="5e1f", site="north", table="t1", title="Table 1", headline="")


class Standing:
    """A table on the bench, as its presence looks at it."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.storing_trouble: str | None = None
        self.rules_pending = False
        self.noted_head = NotedHead("7:ab", "cd")
        self.line_quality = LineQuality(0, 0, 0)
        self.catalogue: Catalogue = built_in_catalogue()
        self.rules_read = 0
        self.presence = TablePresence(self, TOPICS, POSTED, self._read, "j1")

    def _read(self, source: RulesSource) -> House:
        self.rules_read += 1
        return read_rules(source)

    @property
    def state(self) -> TableState:
        return self.sitting.state

    @property
    def rules(self) -> RulesSource:
        return self.sitting.rules

    def status(self, *, session: int = 1, online: bool = True, publishing: str = "") -> StatusMessage:
        payload = self.presence.status(session, online=online, publishing=publishing, discarded=0)
        assert objections("status", json.loads(payload), strict=True) == []
        return msgspec.json.decode(payload, type=StatusMessage)

    def retained(self) -> dict[str, bytes]:
        return {topic.removeprefix(f"{TOPICS.prefix}/"): payload for topic, payload in self.presence.retained()}

    @property
    def info(self) -> InfoMessage:
        payload = self.retained()["info"]
        assert objections("info", json.loads(payload), strict=True) == []
        return msgspec.json.decode(payload, type=InfoMessage)


@pytest.fixture
def standing() -> Standing:
    return Standing(Sitting())


# --- status ----------------------------------------------------------------------------------------------------------


def test_a_status_tells_how_the_controller_is(standing: Standing) -> None:
    assert standing.status(session=7) == StatusMessage(
        online=True,
        session=7,
        start="5e1f",
        seq=1,
        version="1.0",
        journal="j1",
        head="7:ab",
        seal="cd",
        shoe_link=True,
        authenticated=True,
    )
    standing.sitting.give(LinkLost(reason="unplugged"))
    lost = standing.status(session=7)
    assert (lost.shoe_link, lost.authenticated, lost.seq) == (False, False, 2)


def test_an_offline_status_names_its_session_and_claims_nothing_of_the_shoe(standing: Standing) -> None:
    standing.sitting.open_shoe()
    offline = standing.status(session=7, online=False)
    assert offline == StatusMessage(
        online=False,
        session=7,
        start="5e1f",
        seq=standing.state.lasting.seq,
        version="1.0",
        journal="j1",
        head="7:ab",
        seal="cd",
    )
    assert not offline.shoe_link


def test_a_new_head_is_in_the_next_status_and_in_a_message_of_its_own(standing: Standing) -> None:
    standing.status()
    standing.noted_head = NotedHead("9:ef", "01")
    assert (standing.status().head, standing.status().seal) == ("9:ef", "01")
    payload = standing.retained()["head"]
    assert objections("head", json.loads(payload), strict=True) == []
    assert msgspec.json.decode(payload, type=HeadMessage) == HeadMessage(journal="j1", head="9:ef", seal="01")


def test_a_full_disk_is_an_alert_of_the_status(standing: Standing) -> None:
    standing.storing_trouble = "no space left"
    status = standing.status()
    assert not status.storing
    assert status.alert is not None
    assert (status.alert.number, status.alert.kind) == (0, AlertKind.JOURNAL_FULL)
    assert status.alert.detail == OperatingSystemError(text="no space left")
    standing.storing_trouble = None
    assert standing.status().storing
    assert standing.status().alert is None


def test_a_broker_that_refuses_is_reported(standing: Standing) -> None:
    assert standing.status(publishing="access denied").publishing == "access denied"
    assert standing.status().publishing == ""


def test_the_gravest_alert_is_the_oldest_that_stops_the_table(standing: Standing) -> None:
    assert gravest_alert(standing.state) is None
    sitting = standing.sitting
    sitting.open_shoe()
    sitting.dealer(CallSupervisor())
    called = standing.status().alert
    assert called is not None
    assert called.kind == "supervisor_called"
    sitting.card("7H")
    sitting.event(CardDrawn(hand=Hand.PLAYER, position=2, card=Card.parse("9H")))
    stopping = standing.status().alert
    assert stopping is not None
    assert (stopping.kind, stopping.severity) == ("out_of_turn", "stops")


# --- info ------------------------------------------------------------------------------------------------------------


def test_info_posts_what_the_house_offers() -> None:
    limit = {"amount": 5000, "groups": ["lucky_6"], "over_limit": "in_order"}
    house = {"base_game": "commission", "round_limit": limit, "limits": {"all": {"min": 5, "max": 1000}}}
    standing = Standing(Sitting(house=house, reveal=Reveal.AT_RESULT, bets_close=BetsClose.DEALER))
    standing.sitting.rules = msgspec.structs.replace(standing.rules, currency="NPR", decimals=0)
    posted, in_force = standing.info, read_rules(standing.rules)
    assert (posted.version, posted.site, posted.table) == ("1.0", "north", "t1")
    info = posted.rules
    assert (info.currency, info.decimals) == ("NPR", 0)
    assert (info.base_game, info.commission, info.decks, info.seats) == ("commission", "5%", 8, ("1", "2", "3"))
    assert (info.reveal, info.bets_close) == (Reveal.AT_RESULT, BetsClose.DEALER)
    assert tuple(wager.id for wager in info.offered) == in_force.offered
    assert {(wager.min, wager.max) for wager in info.offered} == {(5, 1000)}
    assert {wager.id for wager in info.offered if wager.needs_base} == in_force.needs_base
    assert info.option_rules == in_force.option_rules
    assert info.round_limit is not None
    assert (info.round_limit.amount, info.round_limit.wagers) == (5000, ("lucky_6.lucky_6",))
    assert info.round_limit.policy.value == "in_order"
    banker = next(wager for wager in info.offered if wager.id == "base.banker")
    assert "19:20" in [price.pays for price in banker.prices]


def test_the_hash_tells_rules_apart() -> None:
    kinds: list[dict[str, Any]] = [{}, {"decks": 6}, {"base_game": "commission"}, {"seats": ["1"]}]
    sources = [rules(house) for house in kinds] + [rules(reveal=Reveal.AT_RESULT)]
    assert len({rules_hash(source) for source in sources}) == len(sources)
    assert rules_hash(rules()) == rules_hash(rules())


def test_info_says_whether_a_changed_configuration_waits_for_the_next_shoe(standing: Standing) -> None:
    assert not standing.info.rules_pending
    standing.rules_pending = True
    assert standing.info.rules_pending


def test_a_shoe_is_opened_with_the_rules_that_info_posts(standing: Standing) -> None:
    standing.sitting.open_shoe()
    assert standing.sitting.last(ShoeOpened).rules == standing.info.rules


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 20), "5%"),
        (Fraction(1, 40), "2.5%"),
        (Fraction(9, 200), "4.5%"),
        (Fraction(1, 1000), "0.1%"),
        (Fraction(41, 1000), "4.1%"),
        (Fraction(100001, 1000000), "10.0001%"),
        (Fraction(1, 14), "50/7%"),
        (Fraction(1), "100%"),
    ],
)
def test_a_percentage_is_exact(share: Fraction, text: str) -> None:
    assert percentage(share) == text


@given(st.fractions(min_value=0, max_value=1, max_denominator=10**9))
def test_no_percentage_is_rounded(share: Fraction) -> None:
    assert Fraction(percentage(share).removesuffix("%")) == share * 100


# --- state and roads -------------------------------------------------------------------------------------------------


def test_state_and_roads_say_what_the_table_knows_at_every_step() -> None:
    for state in (state for sitting in every_sitting() for state in sitting.states):
        told = msgspec.json.decode(msgspec.json.encode(state_message(state, "j1", read_rules)), type=StateMessage)
        view = view_of(state, read_rules)
        assert {name: getattr(told, name) for name in view.__struct_fields__} == msgspec.structs.asdict(view)
        assert (told.seq, told.schema) == (state.lasting.seq, 1)
        board = roads_message(state, "j1")
        results = () if state.shoe is None else state.shoe.results
        assert board.roads == roads(results)
        assert board.counts.rounds == len(results)
        assert board.counts.rounds == board.counts.banker + board.counts.player + board.counts.tie
        assert (board.seq, board.shoe) == (state.lasting.seq, state.shoe_number)


def test_the_last_outcome_and_the_last_void_round_are_those_of_the_events_at_every_step() -> None:
    voids = set()
    for sitting in every_sitting():
        for state in sitting.states:
            facts = [fact for fact in sitting.facts if fact.seq <= state.lasting.seq]
            told = state_message(state, "j1", read_rules)
            match newest(facts, ShoeOpened, RoundResult, ResultUndone, RoundAmended):
                case RoundResult(round=number, outcome=outcome) | RoundAmended(of_round=number, outcome=outcome):
                    won = {name: end.pays for name, end in outcome.wagers.items() if end.result is Result.WIN}
                    last = told.last_outcome
                    assert last is not None
                    assert (last.round, last.player, last.banker) == (number, outcome.player, outcome.banker)
                    assert (last.winner, last.won) == (outcome.winner, won)
                case _:
                    assert told.last_outcome is None
            match newest(facts, ShoeOpened, RoundResult, RoundVoided):
                case RoundVoided(round=number, replay=replay):
                    assert told.last_void == LastVoid(round=number, replay=replay)
                    voids.add(replay)
                case _:
                    assert told.last_void is None
    assert voids == {True, False}


def newest(facts: list[AnyFact], *kinds: type[AnyFact]) -> AnyFact | None:
    return next((fact for fact in reversed(facts) if isinstance(fact, kinds)), None)


# --- rounds and the list of tables -----------------------------------------------------------------------------------


def test_rounds_lists_what_the_results_among_the_events_say_at_every_step() -> None:
    for sitting in every_sitting():
        for state in sitting.states:
            told = rounds_message(state, "j1")
            assert objections("rounds", json.loads(msgspec.json.encode(told)), strict=True) == []
            results = results_among(fact for fact in sitting.facts if fact.seq <= state.lasting.seq)
            assert [(dealt.seq, dealt.time, dealt.round, dealt.free) for dealt in told.rounds] == [
                (result.seq, result.time, result.round, result.free) for result in results
            ]
            for dealt, result in zip(told.rounds, results, strict=True):
                outcome = result.outcome
                assert (dealt.player, dealt.banker, dealt.winner) == (outcome.player, outcome.banker, outcome.winner)
                assert dealt.round_id == f"j1-{result.shoe}-{result.round}"
            assert (told.seq, told.shoe, told.missing) == (state.lasting.seq, state.shoe_number, 0)


def results_among(facts: Iterable[AnyFact]) -> list[RoundResult]:
    """The results of the last shoe that stand."""
    standing: dict[int, RoundResult] = {}
    for fact in facts:
        match fact:
            case ShoeOpened():
                standing.clear()
            case RoundResult():
                standing[fact.round] = fact
            case RoundAmended():
                before = standing[fact.of_round]
                standing[fact.of_round] = msgspec.structs.replace(before, seq=fact.seq, outcome=fact.outcome)
            case ResultUndone():
                del standing[fact.round]
    return list(standing.values())


def test_a_shoe_from_before_cards_were_kept_says_how_many_rounds_are_missing() -> None:
    sitting = Sitting()
    sitting.open_shoe()
    assert sitting.state.shoe is not None
    sitting.state.shoe.revision = 1
    sitting.deal("7H 4D KS 2C")
    sitting.result(IndicatedWinner.PLAYER)
    told = rounds_message(sitting.state, "j1")
    assert (told.rounds, told.missing) == ((), 1)


def test_rounds_that_were_stored_without_a_time_are_listed_without_one() -> None:
    sitting = Sitting()
    sitting.open_shoe()
    sitting.deal("7H 4D KS 2C")
    sitting.result(IndicatedWinner.PLAYER)
    stored = json.loads(msgspec.json.encode(sitting.state))
    del stored["shoe"]["voided"], stored["shoe"]["settled"][0]["time"]
    state = msgspec.convert(stored, TableState)
    assert [dealt.time for dealt in rounds_message(state, "j1").rounds] == [None]
    assert view_of(state, read_rules) == view_of(sitting.state, read_rules)


def test_ninety_rounds_fit_into_a_message(standing: Standing) -> None:
    sitting = standing.sitting
    sitting.open_shoe()
    sitting.deal("2H 3D 3S 2C 4H 5D")
    sitting.result(IndicatedWinner.TIE)
    shoe = sitting.state.shoe
    assert shoe is not None
    shoe.settled *= 90
    shoe.results *= 90
    assert len(standing.retained()["rounds"]) < LARGEST_PACKET / 2


def test_a_table_is_in_the_list_of_its_site(standing: Standing) -> None:
    payload = dict(standing.presence.retained())["shoe/v1/north/tables/t1"]
    assert objections("tables", json.loads(payload), strict=True) == []
    assert msgspec.json.decode(payload, type=TableListing) == TableListing(
        journal="j1", site="north", table="t1", title="Table 1", version="1.0"
    )


# --- made anew only when something has changed -----------------------------------------------------------------------


def test_messages_are_the_same_bytes_until_something_in_them_changes(standing: Standing) -> None:
    sitting = standing.sitting
    sitting.open_shoe()
    before, status = standing.retained(), standing.status()
    assert standing.retained() == before
    sitting.deal("7H 4D KS 2C")
    after = standing.retained()
    assert after["state"] != before["state"]
    for name in ("info", "roads", "rounds"):
        assert after[name] == before[name]
    assert standing.status() == status
    assert standing.rules_read == 1
    sitting.result(IndicatedWinner.PLAYER)
    assert standing.retained()["roads"] != before["roads"]
    assert standing.retained()["rounds"] != before["rounds"]


def test_no_event_after_the_number_of_a_message_has_changed_it() -> None:
    """So a display may apply every event above the `seq` of what it got."""
    sitting = RememberedSitting()
    standing = Standing(sitting)
    makers: dict[str, Callable[[TableState, str], msgspec.Struct]] = {
        "state": lambda state, journal: state_message(state, journal, read_rules),
        "roads": roads_message,
        "rounds": rounds_message,
    }
    kinds: dict[str, Any] = {"state": StateMessage, "roads": RoadsMessage, "rounds": RoundsMessage}
    for step in (
        sitting.open_shoe,
        lambda: sitting.deal("7H 4D KS 2C"),
        lambda: sitting.result(IndicatedWinner.PLAYER),
    ):
        step()
        for name, payload in standing.retained().items():
            if name in makers:
                told = msgspec.json.decode(payload, type=kinds[name])
                now = makers[name](standing.state, "j1")
                assert told == msgspec.structs.replace(now, seq=told.seq)
