"""Rounds assembled from what was received: every way in which a round can fail to agree, each with its sentence."""

import random

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
    Standby,
    Started,
)
from firmware_protocol.link import EventGap, LineError, LinkReport
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.sides import Side
from shoe_controller.commands.capture_rounds import CapturedRound, CaptureRounds
from tests.firmware_protocol.angel_eye.rounds import NEW_SHOE, PLAIN_ROUND, drawn, four_cards, told

GAP = EventGap(expected=2, received=4, reason="at least 2 telegrams were missed")
NATURAL = four_cards("9S KH KC 7D")
PLAYER_WINS = ResultIndicated(winner=IndicatedWinner.PLAYER)
EXTRA = CardDrawn(hand=Hand.EXTRA)


def rounds_of(*heard: AnyShoeEvent | LinkReport) -> list[CapturedRound]:
    collector = CaptureRounds()
    rounds = [ended for item in heard for ended in collector.feed(item)]
    rounds += collector.finish()
    assert collector.rounds == len(rounds)
    assert collector.disagreeing == sum(not captured.agrees for captured in rounds)
    assert [captured.number for captured in rounds] == list(range(1, len(rounds) + 1))
    assert all(captured.agrees == (not captured.problems) for captured in rounds)
    return rounds


def legal_round(random_cards: random.Random) -> list[AnyShoeEvent]:
    """A round by the rules, with the result it has."""
    deal = Deal()
    dealt = {Side.PLAYER: 0, Side.BANKER: 0}
    events: list[AnyShoeEvent] = []
    while deal.next_side is not None:
        side = deal.next_side
        dealt[side] += 1
        card = random_cards.choice(list(Card))
        deal.feed(card)
        events.append(CardDrawn(hand=Hand(side.value), position=dealt[side], card=card))
    facts = deal.facts
    winner = IndicatedWinner(facts.winner.value)
    six = winner is IndicatedWinner.BANKER and facts.banker_total == 6 and random_cards.random() < 0.5
    result = ResultIndicated(
        winner=winner, player_pair=facts.player_pair, banker_pair=facts.banker_pair, banker_six=six
    )
    return [*events, result]


@pytest.mark.parametrize("at_result", [False, True])
def test_any_legal_round_agrees_and_any_change_to_it_does_not(at_result: bool) -> None:  # noqa: FBT001 - a parameter
    source = random.Random(20)  # noqa: S311 - cards for a test
    for _ in range(300):
        happened = legal_round(source)
        heard = told(happened) if at_result else happened
        (sound,) = rounds_of(*heard)
        assert sound.agrees, sound
        assert sound.computed is not None
        assert not sound.partial
        # Without any one of its events the round is no longer whole.
        for missing in range(len(heard)):
            damaged = rounds_of(*heard[:missing], *heard[missing + 1 :])
            assert not any(captured.agrees for captured in damaged)
        result = happened[-1]
        assert isinstance(result, ResultIndicated)
        for winner in {*IndicatedWinner, None} - {result.winner}:
            changed = ResultIndicated(winner=winner, player_pair=result.player_pair, banker_pair=result.banker_pair)
            assert not rounds_of(*heard[:-1], changed)[0].agrees
        for player_pair, banker_pair in ((True, False), (False, True)):
            changed = ResultIndicated(
                winner=result.winner,
                player_pair=result.player_pair ^ player_pair,
                banker_pair=result.banker_pair ^ banker_pair,
            )
            (disagreeing,) = rounds_of(*heard[:-1], changed)
            assert not disagreeing.agrees
            assert not disagreeing.partial


def only_problem(captured: CapturedRound) -> str:
    (problem,) = captured.problems
    return problem


@pytest.mark.parametrize(
    ("heard", "problem"),
    [
        ([*NATURAL, ResultIndicated(winner=IndicatedWinner.TIE)], "The shoe says tie, the cards say player."),
        ([*NATURAL, ResultIndicated(winner=None)], "The dealer forced the round to end."),
        (
            [*NATURAL, ResultIndicated(winner=IndicatedWinner.PLAYER, player_pair=True)],
            "a Player pair, the cards say no pair",
        ),
        ([*PLAIN_ROUND[:-2], PLAYER_WINS], "no Banker pair, the cards say a pair"),
        ([*four_cards("2S 9H KC KD"), ResultIndicated(winner=IndicatedWinner.BANKER, banker_six=True)], "won with 6"),
        ([*NATURAL, drawn(Hand.PLAYER, 3, "2C"), PLAYER_WINS], "2C is one card too many"),
        ([*four_cards("2S KH KC 3D"), ResultIndicated(winner=IndicatedWinner.BANKER)], "The round is not complete"),
        ([NATURAL[0], NATURAL[2], *NATURAL[1:2], NATURAL[3], PLAYER_WINS], "it is Banker's turn"),
    ],
)
def test_rules_and_results_that_do_not_agree(heard: list[AnyShoeEvent], problem: str) -> None:
    (captured,) = rounds_of(*heard)
    assert any(problem in sentence for sentence in captured.problems), captured.problems
    assert not captured.partial


@pytest.mark.parametrize(
    ("heard", "problem"),
    [
        ([*NATURAL[:2], GAP, *NATURAL[2:], PLAYER_WINS], "Part of the round is missing: at least 2 telegrams"),
        ([*NATURAL[:2], Started(), *NATURAL[2:], PLAYER_WINS], "The shoe restarted in mid-round."),
        ([*NATURAL[:2], DoubleFeed(), *NATURAL[2:], PLAYER_WINS], "2 cards left the shoe at once."),
        ([*NATURAL[:2], CardReturned(), *NATURAL[2:], PLAYER_WINS], "pushed back into the shoe"),
        ([DoubleFeed(cards=3), *NATURAL, PLAYER_WINS], "3 cards left the shoe at once."),
        ([*NATURAL, NATURAL[3], PLAYER_WINS], "Banker card 2 was drawn twice: 7D, then 7D"),
        (
            [*NATURAL, CardIdentified(hand=Hand.BANKER, position=2, card=Card.SIX_OF_CLUBS), PLAYER_WINS],
            "Banker card 2 was 7D first and was then identified as 6C; the first is kept.",
        ),
        (
            [*NATURAL, CardIdentified(hand=Hand.PLAYER, position=3, card=Card.SIX_OF_CLUBS), PLAYER_WINS],
            "never seen drawn",
        ),
        ([*NATURAL[:3], CardDrawn(hand=Hand.BANKER, position=2), PLAYER_WINS], "Banker card 2 was never identified."),
        ([*NATURAL[:3], drawn(Hand.BANKER, 3, "7D"), PLAYER_WINS], "Banker card 3 came as the hand's card 2."),
        ([*NATURAL[:3], Misread(hand=Hand.BANKER, position=2), PLAYER_WINS], "could not be read"),
        (
            [*NATURAL[:3], ForeignCard(hand=Hand.BANKER, position=2, card=Card.SEVEN_OF_CLUBS), PLAYER_WINS],
            "another set",
        ),
        ([Misread(hand=Hand.PLAYER, position=1), *NATURAL[1:], PLAYER_WINS], "could not be read"),
        ([*NATURAL[1:], PLAYER_WINS], "Joined in mid-round"),
        ([CardIdentified(hand=Hand.PLAYER, position=1, card=Card.SIX_OF_CLUBS), PLAYER_WINS], "Joined in mid-round"),
        ([*NATURAL], "The capture ended before its result."),
        ([*NATURAL, *NEW_SHOE], "A new shoe began before its result."),
        ([EXTRA, *NATURAL, PLAYER_WINS], "1 card left the shoe outside a round, neither identified nor carried over."),
        ([EXTRA, EXTRA, *NATURAL, PLAYER_WINS], "2 cards left the shoe outside a round"),
        (
            [
                CardDrawn(hand=Hand.PLAYER, position=1, card=Card.NINE_OF_SPADES, carried_over=True),
                *NATURAL[1:],
                PLAYER_WINS,
            ],
            "carried over from an over-draw that was never seen",
        ),
        (
            [
                CardDrawn(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS),
                CardDrawn(hand=Hand.PLAYER, position=1, card=Card.NINE_OF_SPADES, carried_over=True),
                *NATURAL[1:],
                PLAYER_WINS,
            ],
            "AC was over-drawn, and 9S was carried over.",
        ),
    ],
)
def test_a_round_that_was_not_heard_whole_is_partial(heard: list[AnyShoeEvent | LinkReport], problem: str) -> None:
    (captured,) = rounds_of(*heard)
    assert any(problem in sentence for sentence in captured.problems), captured.problems
    assert captured.partial


def test_a_round_without_a_result_ends_when_the_next_begins() -> None:
    cut_short, sound = rounds_of(*NATURAL, *NATURAL, PLAYER_WINS)
    assert only_problem(cut_short) == "The next round began before its result."
    assert (cut_short.indicated, cut_short.partial) == (None, True)
    assert sound.agrees


def test_a_result_after_a_new_shoe_belongs_to_no_round() -> None:
    (cut_short,) = rounds_of(*NATURAL, *NEW_SHOE, PLAYER_WINS)
    assert len(cut_short.cards.player) == 2
    collector = CaptureRounds()
    assert [collector.feed(item) for item in (*NEW_SHOE, PLAYER_WINS)] == [[]] * (len(NEW_SHOE) + 1)
    assert (collector.rounds, collector.results_set_aside) == (0, 1)


@pytest.mark.parametrize("between", [GAP, Standby(), CutCard(), Started(), LineError(offset=0, length=1, reason="")])
def test_what_happens_between_rounds_spoils_none(between: AnyShoeEvent | LinkReport) -> None:
    first, second = rounds_of(*NATURAL, PLAYER_WINS, between, *NATURAL, PLAYER_WINS)
    assert first.agrees
    assert second.agrees


@pytest.mark.parametrize("between", [[EXTRA, *NEW_SHOE], [CardDrawn(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS)]])
def test_an_extra_card_that_is_accounted_for_spoils_nothing(between: list[AnyShoeEvent]) -> None:
    assert [heard.agrees for heard in rounds_of(*NATURAL, PLAYER_WINS, *between, *NATURAL, PLAYER_WINS)] == [True] * 2


@pytest.mark.parametrize("before", [EXTRA, DoubleFeed(), CardReturned()])
def test_what_is_unexplained_before_a_round_spoils_that_round_alone(before: AnyShoeEvent) -> None:
    rounds = rounds_of(before, *NATURAL, PLAYER_WINS, *NATURAL, PLAYER_WINS)
    assert [heard.agrees for heard in rounds] == [False, True]


def test_a_fault_that_stands_since_before_the_round_spoils_it() -> None:
    (captured,) = rounds_of(Fault(code=FaultCode.JAM), *NATURAL, PLAYER_WINS)
    assert only_problem(captured) == "The shoe reported jam and had not cleared it when the round ended."


@pytest.mark.parametrize("code", FaultCode)
def test_a_fault_spoils_a_round_unless_no_card_is_at_stake_or_it_was_settled(code: FaultCode) -> None:
    extra: list[AnyShoeEvent] = []
    if code is FaultCode.OVER_DRAW:
        extra = [EXTRA, CardIdentified(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS)]
    harmless = {
        FaultCode.BUTTON_MISUSED,
        FaultCode.DRAW_TIMEOUT,
        FaultCode.LOW_VOLTAGE,
        FaultCode.OVER_TEMPERATURE,
    }
    settled = {
        FaultCode.UNREADABLE,
        FaultCode.OVER_DRAW,
        FaultCode.PUSHED_BACK_AT_EXIT,
        FaultCode.PUSHED_BACK_HALF_WAY,
    }
    (standing,) = rounds_of(*NATURAL, Fault(code=code), *extra, PLAYER_WINS)
    assert standing.agrees == (code in harmless)
    (cleared,) = rounds_of(*NATURAL, Fault(code=code), *extra, FaultCleared(code=code), PLAYER_WINS)
    assert cleared.agrees == (code in harmless | settled)
    if not cleared.agrees:
        assert only_problem(cleared) == f"The shoe reported {code.value} in this round."


def test_an_over_draw_without_its_card_is_unexplained() -> None:
    over_draw = Fault(code=FaultCode.OVER_DRAW)
    (captured,) = rounds_of(*NATURAL, over_draw, FaultCleared(code=FaultCode.OVER_DRAW), PLAYER_WINS)
    assert only_problem(captured) == "The shoe reported an over-draw, and the extra card was never seen."


def test_a_banker_six_may_be_told_as_plain_banker() -> None:
    banker_six = four_cards("2S KH 3C 6D")
    plain = [*banker_six, drawn(Hand.PLAYER, 3, "9C"), ResultIndicated(winner=IndicatedWinner.BANKER)]
    six = [*plain[:-1], ResultIndicated(winner=IndicatedWinner.BANKER, banker_six=True)]
    assert rounds_of(*plain)[0].agrees
    assert rounds_of(*six)[0].agrees
    assert rounds_of(*plain)[0].computed == rounds_of(*six)[0].computed


def test_a_burn_in_a_round_is_no_part_of_it() -> None:
    (captured,) = rounds_of(*NATURAL, CardDrawn(hand=Hand.BURN), PLAYER_WINS)
    assert captured.agrees


def test_a_capture_of_garbage_does_not_grow_a_round_without_end() -> None:
    collector = CaptureRounds()
    garbage: list[AnyShoeEvent | LinkReport] = [GAP, EXTRA, NATURAL[3], DoubleFeed()]
    for item in [*NATURAL, *garbage * 5000]:
        collector.feed(item)
    (captured,) = collector.finish()
    assert len(captured.problems) < 10
    assert len(captured.cards.extra) <= 416
