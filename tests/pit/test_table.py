"""One table, as the pit sees it: edges from shown cards alone, or the reason why there are none; its alarms."""

from collections.abc import Iterable

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CutCard, Hand, IndicatedWinner, LidChanged, Misread
from shoe_controller.baccarat.composition import shoe_without
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    Approve,
    ClearAlert,
    CorrectCard,
    EndShoe,
    FreeHand,
    NoMoreBets,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import AlertRaised, CardDealt, ShoeOpened
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.pit import WagerExposed
from shoe_controller.messages.procedure import Reveal
from shoe_controller.pit.certainty import HIDES_CARDS, PROVES_BAD
from shoe_controller.pit.table import EXPIRES, MOST_LINES
from shoe_controller.protection.following import Following
from shoe_controller.protection.live_odds import LiveOdds
from shoe_controller.table.inputs import EventsMissed
from tests.follow.samples import published
from tests.pit.following import WALL, Followed
from tests.table.sitting import Sitting

ROUND = "9H 4D KS 2C"
"""Nine against six: Player wins."""


def exact(sitting: Sitting, out: Iterable[str], wager: str = "base.tie") -> float:
    schedule = read_rules(sitting.rules).schedule
    (odds,) = LiveOdds(schedule, [wager]).odds(shoe_without(8, map(Card.parse, out)), 8)
    return float(odds.expectation)


def play(sitting: Sitting, cards: str = ROUND, winner: IndicatedWinner = IndicatedWinner.PLAYER) -> None:
    sitting.deal(cards)
    sitting.result(winner)


@pytest.fixture
def sitting() -> Sitting:
    made = Sitting()
    made.open_shoe("AS")
    return made


@pytest.fixture
def followed(sitting: Sitting) -> Followed:
    made = Followed(sitting)
    made.connect()
    return made


# --- edges -----------------------------------------------------------------------------------------------------------


def test_the_edges_of_a_round_follow_from_the_cards_that_were_shown(sitting: Sitting, followed: Followed) -> None:
    message = followed.edges()
    assert (message.shoe, message.round, message.unseen, message.none) == (1, 1, 415, None)
    assert (message.journal, message.start, message.time, message.until) == ("4f2a", "s1", WALL, WALL + EXPIRES * 1000)
    assert message.seq == sitting.facts[-1].seq
    offered = [wager.id for wager in sitting.last(ShoeOpened).rules.offered]  # type: ignore[union-attr]  # it has rules
    assert sorted(each.wager for each in message.edges) == sorted(offered)
    assert list(message.edges) == sorted(message.edges, key=lambda each: -each.edge)
    full = exact(sitting, ())
    assert [each.full_shoe for each in message.edges if each.wager == "base.tie"] == [pytest.approx(full, abs=1e-12)]
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS"]), abs=1e-12)
    play(sitting)
    followed.catch_up()
    assert followed.edges().round == 2
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS", *ROUND.split()]), abs=1e-12)
    assert followed.edge("base.tie") != full


def test_between_close_and_the_next_round_there_are_none(sitting: Sitting, followed: Followed) -> None:
    sitting.deal("9H")
    followed.catch_up()
    assert followed.why_none() == "no_round_to_come"
    assert followed.edges().round == 1
    sitting.deal("4D KS 2C")
    followed.catch_up()
    assert followed.why_none() == "no_round_to_come"


def test_a_card_that_is_corrected_while_wagers_are_open_corrects_the_edges(
    sitting: Sitting, followed: Followed
) -> None:
    play(sitting)
    followed.catch_up()
    before = followed.edges()
    amended = AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card("8H")),), wagers=())
    sitting.act(amended)
    proposal = sitting.state.lasting.proposal
    assert proposal is not None
    sitting.act(Approve(proposal=proposal.number), person="bob")
    followed.catch_up()
    after = followed.edges()
    assert (after.round, after.seq) == (before.round, sitting.facts[-1].seq)
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS", "8H", "4D", "KS", "2C"]), abs=1e-12)


def test_a_card_that_nobody_could_read_is_an_unknown_card_as_to_everybody(sitting: Sitting, followed: Followed) -> None:
    sitting.deal("9H")
    sitting.event(Misread(hand=Hand.BANKER, position=1))
    sitting.act(VoidRound())
    followed.catch_up()
    assert followed.edges().unseen == 414
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS", "9H"]), abs=1e-12)


def test_a_card_that_was_corrected_counts_as_what_it_is_also_in_a_round_that_is_void(
    sitting: Sitting, followed: Followed
) -> None:
    sitting.deal("9H 4D")
    sitting.act(CorrectCard(number=1, card=Card("8H")))
    sitting.act(VoidRound())
    followed.catch_up()
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS", "8H", "4D"]), abs=1e-12)


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_cards_that_were_never_shown_make_no_difference(reveal: Reveal) -> None:
    """Two shoes that differ in cards of a void round that nobody saw."""
    published_edges = []
    for hidden in ("KS", "2C"):
        sitting = Sitting(reveal=reveal)
        sitting.open_shoe("AS")
        followed = Followed(sitting)
        followed.connect()
        sitting.deal(f"9H {hidden}")
        followed.catch_up()
        sitting.act(VoidRound())
        followed.catch_up()
        published_edges.append(msgspec.structs.replace(followed.edges(), time=0, until=0))
    assert published_edges[0] == published_edges[1]
    assert published_edges[0].edges
    assert published_edges[0].unseen == 415


# --- reasons why there are none --------------------------------------------------------------------------------------


def test_nothing_is_known_before_the_table_shows_itself() -> None:
    followed = Followed(Sitting())
    assert followed.table.edges_message(followed.table.figures(), "s1", WALL) is None
    followed.status()
    assert followed.why_none() == "events_awaited"
    followed.state()
    followed.settle()
    assert followed.why_none() == "no_shoe"


def test_a_table_that_is_away_has_none_and_nothing_from_before_a_lost_connection_counts(followed: Followed) -> None:
    assert followed.why_none() is None
    followed.status(online=False, session=2)
    assert followed.why_none() == "table_away"
    followed.status(session=3)
    assert followed.why_none() is None
    followed.table.broker_down()
    assert followed.why_none() == "table_away"
    followed.table.broker_up()
    followed.status(session=3)
    assert followed.why_none() == "events_awaited"
    followed.state()
    assert followed.why_none() is None


def test_while_an_event_is_missing_there_are_none(sitting: Sitting, followed: Followed) -> None:
    play(sitting)
    lost, *others = sitting.facts[followed.sent :]
    for fact in others:
        followed.table.receive(f"event/{fact.TOPIC}", published(fact), followed.now)
    followed.state()
    assert followed.why_none() == "events_awaited"
    followed.settle()
    assert [request.after for request in followed.requests][-1] == lost.seq - 1
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AS", *ROUND.split()]), abs=1e-12)


def test_a_free_hand_and_a_shoe_that_ended_have_none(sitting: Sitting, followed: Followed) -> None:
    sitting.dealer(FreeHand())
    followed.catch_up()
    assert followed.why_none() == "free_hand"
    play(sitting)
    sitting.act(EndShoe())
    assert sitting.at(Phase.ENDED)
    followed.catch_up()
    assert followed.why_none() == "no_shoe"


@pytest.mark.parametrize("cleared", [False, True])
def test_where_a_card_may_have_left_unnoticed_there_are_none_until_the_next_shoe(
    sitting: Sitting, followed: Followed, *, cleared: bool
) -> None:
    sitting.give(EventsMissed(reason="three of them"))
    assert AlertKind.EVENT_GAP in sitting.alerts
    if cleared:
        sitting.act(ClearAlert(alert=sitting.alert_number("event_gap")))
        play(sitting)
    followed.catch_up()
    assert followed.why_none() == "cards_uncertain"
    assert followed.edges().edges == ()
    assert list(followed.table.to_write()) == []
    if cleared:
        sitting.open_shoe("AS")
        followed.catch_up()
        assert (followed.why_none(), followed.edges().shoe) == (None, 2)


def test_a_lid_that_was_opened_leaves_it_open_what_is_in_the_shoe(sitting: Sitting, followed: Followed) -> None:
    sitting.event(LidChanged(opened=True))
    followed.catch_up()
    assert followed.why_none() == "cards_uncertain"


def test_more_copies_than_the_decks_hold_are_no_composition(sitting: Sitting, followed: Followed) -> None:
    """Also before the table says so: the ninth of eight comes first, and its alert after it."""
    for _ in range(8):
        sitting.deal("9H")
        sitting.act(VoidRound())
    followed.catch_up()
    assert followed.why_none() is None
    sitting.deal("9H")
    for fact in sitting.facts[followed.sent :]:
        if not isinstance(fact, AlertRaised):
            followed.table.receive(f"event/{fact.TOPIC}", published(fact), followed.now)
            assert not followed.table.fold.in_doubt
        followed.sent += 1
        if isinstance(fact, CardDealt):
            assert followed.table.fold.doubtful


def test_every_kind_of_alert_was_thought_about() -> None:
    """A new kind belongs into `certainty.py`, or here: what was seen of the shoe is known all the same."""
    harmless = set(AlertKind) - HIDES_CARDS - PROVES_BAD
    assert harmless == {
        AlertKind(kind)
        for kind in [
            "over_draw",
            "extra_card",
            "out_of_turn",
            "place_filled",
            "misread",
            "undisclosed_card",
            "double_feed",
            "card_not_due",
            "shown_card_carried",
            "burned_card_carried",
            "late_wager",
            "draw_before_close",
            "result_too_early",
            "result_differs",
            "settled_result_differs",
            "ended_by_force",
            "result_undone",
            "draw_too_slow",
            "no_card_came",
            "burn_differs",
            "burned_between_rounds",
            "burn_due",
            "nobody_on_duty",
            "card_without_shoe",
            "card_after_end",
            "shoe_changed",
            "remainder_differs",
            "shoe_lost",
            "shoe_stopped",
            "shoe_fault",
            "gate_unanswered",
            "preset_changed",
            "line_refused",
            "wrong_line",
            "events_came_again",
            "impossible_age",
            "clock_stepped",
            "journal_full",
            "messages_refused",
            "dispute_open",
            "supervisor_called",
            "pin_guessing",
            "request_flood",
        ]
    }
    assert not HIDES_CARDS & PROVES_BAD


def test_an_event_that_cannot_be_read_hides_what_was_shown(sitting: Sitting, followed: Followed) -> None:
    play(sitting)
    for fact in sitting.facts[followed.sent :]:
        payload = published(fact)
        if fact.TOPIC == "card":
            payload = payload.replace(b'"place"', b'"plaice"')
            with pytest.raises(msgspec.DecodeError):
                followed.table.receive("event/card", payload, followed.now)
        else:
            followed.table.receive(f"event/{fact.TOPIC}", payload, followed.now)
    followed.state()
    assert followed.why_none() == "events_gone"


def test_an_event_about_cards_of_a_later_version_is_no_event_to_pass_over(sitting: Sitting, followed: Followed) -> None:
    sitting.deal("9H")
    sitting.act(VoidRound())
    for fact in sitting.facts[followed.sent :]:
        payload = published(fact).replace(b'"card_dealt"', b'"card_peeled"')
        followed.table.receive(f"event/{fact.TOPIC}", payload, followed.now)
    followed.state()
    assert followed.why_none() == "cards_uncertain"


def test_prices_that_cannot_be_read_are_a_reason(sitting: Sitting) -> None:
    followed = Followed(sitting)
    opened = sitting.last(ShoeOpened)
    at = sitting.facts.index(opened)
    assert opened.rules is not None
    wager = opened.rules.offered[0]
    strange = msgspec.structs.replace(wager.prices[0], when="moon full")
    wager = msgspec.structs.replace(wager, prices=(strange,))
    rules = msgspec.structs.replace(opened.rules, offered=(wager,))
    sitting.facts[at] = msgspec.structs.replace(opened, rules=rules)
    followed.connect()
    assert followed.why_none() == "prices_unknown"
    sitting.facts[at] = msgspec.structs.replace(opened, rules=None)
    old = Followed(sitting)
    old.connect()
    assert old.why_none() == "prices_unknown"


# --- started in the middle -------------------------------------------------------------------------------------------


def test_started_in_the_middle_of_a_shoe_it_requests_the_events_of_the_shoe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoe_controller.pit.table.FIRST_LOOK", 40)
    sitting = Sitting()
    sitting.open_shoe("AS")
    out = ["AS"]
    for cards in (ROUND, "8H 3D QS 2D", "9C 5D TS 2H"):
        for stake in range(1, 60):
            sitting.bet("1", "base.player", stake)
        play(sitting, cards)
        out += cards.split()
    followed = Followed(sitting)
    followed.connect()
    newest = sitting.facts[-1].seq
    assert followed.requests[0].after == newest - 40
    assert len(followed.requests) >= 2
    assert followed.requests[-1].after < sitting.last(ShoeOpened).seq
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, out), abs=1e-12)
    # The curve of the rounds before is worked off when there is time.
    assert [point.round for point in followed.table.curve()] == [4]
    while followed.table.work_off():
        pass
    assert [point.round for point in followed.table.curve()] == [1, 2, 3, 4]


@pytest.mark.parametrize("pruned_in_shoe", [False, True])
def test_where_events_of_the_shoe_are_gone_there_are_no_edges_before_the_next(
    monkeypatch: pytest.MonkeyPatch, *, pruned_in_shoe: bool
) -> None:
    monkeypatch.setattr("shoe_controller.pit.table.FIRST_LOOK", 5)
    sitting = Sitting()
    sitting.open_shoe("AS")
    play(sitting)
    play(sitting, "8H 3D QS 2D")
    followed = Followed(sitting)
    opened = sitting.last(ShoeOpened).seq
    followed.pruned = opened if pruned_in_shoe else opened - 1
    followed.connect()
    assert followed.why_none() == ("events_gone" if pruned_in_shoe else None)
    if pruned_in_shoe:
        asked = len(followed.requests)
        followed.settle()
        assert len(followed.requests) == asked, "what is gone is not requested again and again"
        sitting.open_shoe("KH")
        followed.catch_up()
        assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["KH"]), abs=1e-12)


def test_another_journal_begins_without_edges(followed: Followed) -> None:
    followed.status(journal="b0b0", session=2)
    assert followed.why_none() == "events_awaited"
    assert followed.edges().journal == "b0b0"
    assert followed.edges().edges == ()


# --- alarms ----------------------------------------------------------------------------------------------------------


def test_a_wager_that_favours_the_player_is_an_alarm_with_what_is_staked_on_it(sitting: Sitting) -> None:
    followed = Followed(sitting, edge_limit=-0.2)
    followed.connect()
    exposed = {alarm.alarm.wager for alarm in followed.alarms() if isinstance(alarm.alarm, WagerExposed)}
    edges = {each.wager for each in followed.edges().edges if each.edge > -0.2}
    assert exposed == edges
    assert "base.tie" in exposed
    assert 0 < len(exposed) < len(followed.edges().edges)
    sitting.bet("1", "base.tie", 20)
    sitting.bet("2", "base.tie", 30)
    followed.catch_up()
    (alarm,) = (each for each in followed.alarms() if each.alarm.wager == "base.tie")
    assert isinstance(alarm.alarm, WagerExposed)
    assert (alarm.alarm.staked, alarm.alarm.round, alarm.alarm.limit, alarm.line) == (50, 1, -0.2, 0)
    assert list(followed.table.to_write()) == [], "it is written when wagers are closed"
    sitting.dealer(NoMoreBets())
    sitting.deal("9H")
    followed.catch_up()
    (line,) = (each for each in followed.table.to_write() if each.wager == "base.tie")
    assert (line.staked, line.edge) == (50, alarm.alarm.edge)
    assert list(followed.table.to_write()) == [], "each of them once"
    followed.table.written("4f2a", line, 7)
    assert [each.line for each in followed.alarms() if each.alarm.wager == "base.tie"] == [7]
    sitting.deal("4D KS 2C")
    sitting.result(IndicatedWinner.PLAYER)
    followed.catch_up()
    rounds = {alarm.alarm.round for alarm in followed.alarms() if isinstance(alarm.alarm, WagerExposed)}
    assert rounds == {2}, "an alarm ends with its round"


def test_lines_that_the_file_has_are_not_written_again(sitting: Sitting) -> None:
    followed = Followed(sitting, edge_limit=-0.2)
    followed.connect()
    play(sitting)
    followed.catch_up()
    while followed.table.work_off():
        pass
    lines = list(followed.table.to_write())
    assert lines
    again = Followed(sitting, edge_limit=-0.2)
    for number, line in enumerate(lines[1:]):
        again.table.written("4f2a", line, number + 1)
    again.connect()
    while again.table.work_off():
        pass
    assert list(again.table.to_write()) == lines[:1]


def test_remembered_lines_are_bounded(followed: Followed) -> None:
    line = WagerExposed(shoe=1, round=1, wager="base.tie", edge=0.1, limit=0.0, staked=0, suggested=())
    for number in range(MOST_LINES + 10):
        followed.table.written("4f2a", msgspec.structs.replace(line, round=number), number)
    assert len(followed.table.of_file.lines) == MOST_LINES


# --- the record of a shoe --------------------------------------------------------------------------------------------


def test_a_shoe_that_ends_leaves_edges_and_stakes_of_its_rounds(sitting: Sitting, followed: Followed) -> None:
    sitting.bet("1", "base.tie", 20)
    play(sitting)
    play(sitting, "8H 3D QS 2D")  # nobody bets
    sitting.bets("2", [("base.player", 5), ("base.tie", 7)])
    sitting.event(CutCard())  # before the first card of the round, which is the last
    play(sitting, "9C 5D TS 2H")
    assert sitting.at(Phase.ENDED)
    assert sitting.bet("1", "base.player", 9).refusal is not None
    followed.catch_up()
    ((ended, record),) = followed.table.records()
    assert (ended.shoe, ended.journal) == (1, "4f2a")
    assert list(followed.table.records()) == []
    assert (record.decks, record.last_rounds, record.rounds) == (8, 1, (1, 2, 3))
    assert record.stakes == {
        ("1", "base.tie"): (20, 0, 0),
        ("2", "base.player"): (0, 0, 5),
        ("2", "base.tie"): (0, 0, 7),
    }
    seen = ["AS", *ROUND.split(), *["8H", "3D", "QS", "2D"]]
    assert record.edges["base.tie"][2] == pytest.approx(exact(sitting, seen), abs=1e-12)
    assert record.edges.keys() == {each.id for each in sitting.last(ShoeOpened).rules.offered}  # type: ignore[union-attr]  # it has rules


def test_who_plays_alone_and_sits_rounds_out_has_stakes_that_vary(sitting: Sitting, followed: Followed) -> None:
    for stake in (100, 0, 100, 0):
        if stake:
            sitting.bet("1", "base.tie", stake)
        play(sitting)
    sitting.act(FreeHand())
    play(sitting)
    sitting.act(EndShoe())
    followed.catch_up()
    ((_, record),) = followed.table.records()
    assert (record.rounds, record.stakes) == ((1, 2, 3, 4), {("1", "base.tie"): (100, 0, 100, 0)})
    assert Following().wagers("t1", record) == {"base.tie"}


def test_rounds_whose_cards_are_in_doubt_are_in_no_record(sitting: Sitting, followed: Followed) -> None:
    sitting.bet("1", "base.tie", 20)
    play(sitting)
    sitting.give(EventsMissed(reason="three of them"))
    sitting.act(ClearAlert(alert=sitting.alert_number("event_gap")))
    sitting.bet("1", "base.tie", 40)
    sitting.deal("9C")
    sitting.event(CutCard())
    sitting.deal("5D TS 2H")
    sitting.result(IndicatedWinner.PLAYER)
    play(sitting, "9S 5H TD 2S")
    followed.catch_up()
    ((_, record),) = followed.table.records()
    assert (record.last_rounds, record.rounds, record.stakes) == (1, (1,), {("1", "base.tie"): (20,)})


def test_a_first_card_that_was_read_wrongly_is_the_corrected_one(sitting: Sitting, followed: Followed) -> None:
    sitting.act(CorrectCard(number=0, card=Card("AH")))
    followed.catch_up()
    assert followed.edge("base.tie") == pytest.approx(exact(sitting, ["AH"]), abs=1e-12)
