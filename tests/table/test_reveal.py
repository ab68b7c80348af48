"""When cards are shown is the house's choice: until then nothing that leaves the table gives them away.

Shoes that disclose their cards only at the result go through the same life as those that disclose them at the draw.
"""

import os
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CardReturned,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    LidChanged,
    ResultIndicated,
    Started,
)
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    ACTS,
    ActName,
    AnyAct,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    OpenShoe,
    RevealCards,
    Role,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.details import ResultDiffersFaceDown
from shoe_controller.messages.facts import AnyFact, CardsShown, RoundResult, RoundSettled
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.prompts import ShowCards
from shoe_controller.messages.refusals import AnyRefusal, NotNow
from shoe_controller.messages.retained import TableView
from shoe_controller.table.inputs import EventsMissed, LinkBack, LinkLost, PersonActs, PinVerdict
from shoe_controller.table.judging import judge
from shoe_controller.table.procedure import GateLocks
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_possible_acts import attempts

EXAMPLES = 200 if os.environ.get("LONG_TESTS") else 25

HIDING = [Reveal.BY_DEALER, Reveal.AT_RESULT]
NATURAL = "9H 4D KS 2C"
ANOTHER_IS_DUE = "2H 4D KS 2C"

cards = st.sampled_from(CARDS_BY_NUMBER)
six_cards = st.lists(cards, min_size=6, max_size=6)


def dealt(faces: list[Card]) -> list[tuple[Hand, Card]]:
    """A legal round of these cards, with the hand that each goes to."""
    deal, places = Deal(), []
    for card in faces:
        if deal.next_side is not None:
            places.append((Hand(deal.next_side.value), card))
            deal.feed(card)
    return places


def seen(table: Sitting) -> bytes:
    """All that leaves the table: facts, the retained state, refusals, and what is desired of the shoe."""
    desired = table.table.desired_shoe
    lamps = sorted(lamp.value for lamp in desired.lamps)
    shoe = (desired.gate_locked, lamps, desired.next_hand)
    return msgspec.json.encode((table.facts, view_of(table.state, read_rules), refusals(table), shoe))


def refusals(table: Sitting) -> list[AnyRefusal | None]:
    """Why the table refuses each act with each target, to a dealer and to a supervisor."""
    return [
        _refusal(table, attempt, role)
        for act in ACTS
        for role in Role
        for attempt, _ in attempts(act)
        if not isinstance(attempt, Confirm | OpenShoe)
    ]


def _refusal(table: Sitting, act: AnyAct, role: Role) -> AnyRefusal | None:
    given = PersonActs(
        act=act,
        person="cat",
        role=role,
        pin=PinVerdict.RIGHT if role is Role.SUPERVISOR else PinVerdict.NOT_GIVEN,
        reason="as seen on the table",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )
    return table.table.handle(given, table.moment()).refusal


def acts_in(view: TableView) -> set[ActName]:
    return {listed.act for listed in view.acts}


@pytest.mark.parametrize("reveal", HIDING)
@pytest.mark.parametrize("gate", GateLocks)
@settings(max_examples=EXAMPLES)
@given(one=six_cards, other=six_cards)
def test_rounds_that_differ_in_hidden_faces_alone_look_the_same(
    one: list[Card], other: list[Card], reveal: Reveal, gate: GateLocks
) -> None:
    tables = [Sitting(reveal=reveal, gate_locks=gate, burn=False) for _ in range(2)]
    for table in tables:
        table.open_shoe()
        table.bet("1", "base.player", 50)
    rounds = [dealt(one), dealt(other)]
    for (hand, first), (other_hand, second) in zip(*rounds, strict=False):
        if hand is not other_hand:
            break  # to which hand a card goes, everybody sees
        for table, card in zip(tables, (first, second), strict=True):
            table.card(card.value, hand)
        assert seen(tables[0]) == seen(tables[1])


HAPPENINGS: dict[str, Callable[[Sitting], object]] = {
    "lost": lambda table: table.give(LinkLost(reason="cable")),
    "back": lambda table: table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1)),
    "lid": lambda table: table.event(LidChanged(opened=True)),
    "lid closed": lambda table: table.event(LidChanged(opened=False)),
    "gate": lambda table: table.event(Fault(code=FaultCode.GATE_FORCED)),
    "fault": lambda table: table.event(Fault(code=FaultCode.SENSOR, stopped=True)),
    "fault over": lambda table: table.event(FaultCleared(code=FaultCode.SENSOR)),
    "unreadable": lambda table: table.event(Fault(code=FaultCode.UNREADABLE, stopped=True)),
    "pushed back": lambda table: table.event(CardReturned(card=Card.parse("4D"))),
    "together": lambda table: table.event(DoubleFeed(cards=2)),
    "restarted": lambda table: table.event(Started()),
    "gap": lambda table: table.give(EventsMissed(reason="numbers 5 to 7 never came")),
    "call": lambda table: table.dealer(CallSupervisor()),
    "clear": lambda table: [table.act(ClearAlert(alert=alert.number)) for alert in table.state.lasting.alerts],
    "propose": lambda table: table.act(UndoLastResult()),
    "wait": lambda table: table.wait(3600),
    "void": lambda table: table.act(VoidRound()),
    "replay": lambda table: table.act(VoidAndReplay()),
}
"""What may happen while cards lie face down, and has nothing to do with their faces."""


@pytest.mark.parametrize("reveal", HIDING)
@settings(max_examples=EXAMPLES)
@given(
    one=six_cards,
    other=six_cards,
    dealt_first=st.integers(min_value=1, max_value=4),
    happens=st.lists(st.sampled_from(sorted(HAPPENINGS)), max_size=5),
)
def test_what_goes_wrong_meanwhile_gives_nothing_away(
    one: list[Card], other: list[Card], dealt_first: int, happens: list[str], reveal: Reveal
) -> None:
    tables = [Sitting(reveal=reveal, burn=False) for _ in range(2)]
    for table, faces in zip(tables, (one, other), strict=True):
        table.open_shoe()
        table.bet("1", "base.player", 50)
        for hand, card in dealt(faces)[:dealt_first]:
            table.card(card.value, hand)
    for name in happens:
        for table in tables:
            HAPPENINGS[name](table)
        assert seen(tables[0]) == seen(tables[1])
        assert tables[0].table.next_timer == tables[1].table.next_timer


@pytest.mark.parametrize("reveal", HIDING)
def test_a_card_that_the_shoe_calls_one_too_many_does_not_tell_whether_the_round_was_complete(reveal: Reveal) -> None:
    tables = []
    for faces in (NATURAL, ANOTHER_IS_DUE):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(faces)
        table.event(Fault(code=FaultCode.OVER_DRAW))
        table.event(CardDrawn(hand=Hand.EXTRA))
        tables.append(table)
    views = [view_of(table.state, read_rules) for table in tables]
    assert views[0] == views[1]
    assert ActName.USE_EXTRA_CARD in acts_in(views[0])


@pytest.mark.parametrize("reveal", HIDING)
def test_a_result_that_is_not_there_yet_is_refused_in_the_same_words_whatever_the_cards_are(reveal: Reveal) -> None:
    given: list[AnyRefusal | None] = []
    for faces in (NATURAL, ANOTHER_IS_DUE, "2H 4D KS 9C"):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(faces)
        given.append(_refusal(table, Confirm(), Role.DEALER))
    too_early = NotNow(act=ActName.CONFIRM, phase=Phase.DEALING)
    assert given == [None, too_early, too_early]


@pytest.mark.parametrize("reveal", HIDING)
def test_a_correction_does_not_confirm_a_guess(reveal: Reveal) -> None:
    said = []
    for guess in ("2H", "3H"):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal("2H 4D")
        table.act(CorrectCard(number=1, card=Card.parse(guess)))
        said.append(seen(table))
    assert said[0] == said[1]


PLAYER_WINS, BANKER_WINS = "9H 4D KS 2C", "2H 9D KS TC"
A_RESULT_THAT_FITS_NEITHER = [
    ResultIndicated(winner=IndicatedWinner.TIE),
    ResultIndicated(winner=IndicatedWinner.TIE, player_pair=True),
    ResultIndicated(winner=None),
]


@pytest.mark.parametrize("reveal", HIDING)
@pytest.mark.parametrize("indicated", A_RESULT_THAT_FITS_NEITHER)
@pytest.mark.parametrize("corrected", ["", "KD"])
def test_a_result_of_the_shoe_that_differs_does_not_tell_what_the_cards_give(
    indicated: ResultIndicated, corrected: str, reveal: Reveal
) -> None:
    said = []
    for faces in (PLAYER_WINS, BANKER_WINS):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(faces)
        table.event(indicated)
        if corrected:
            table.act(CorrectCard(number=3, card=Card.parse(corrected)))
        assert table.alerts
        said.append(seen(table))
    assert said[0] == said[1]


@pytest.mark.parametrize("reveal", HIDING)
def test_a_mark_of_the_shoe_that_differs_says_nothing_of_the_cards(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER, player_pair=True))
    assert [alert.detail for alert in table.state.lasting.alerts] == [ResultDiffersFaceDown(round=1)]


@settings(max_examples=EXAMPLES)
@given(one=six_cards, other=six_cards)
def test_one_hand_shown_says_nothing_of_the_other(one: list[Card], other: list[Card]) -> None:
    rounds = [dealt(one)[:4], dealt(other)[:4]]
    tables = []
    for places in rounds:
        table = Sitting(reveal=Reveal.BY_DEALER, burn=False)
        table.open_shoe()
        for (hand, card), (_, player) in zip(places, rounds[0], strict=True):
            table.card((player if hand is Hand.PLAYER else card).value, hand)
        table.dealer(RevealCards(hand=Side.PLAYER))
        tables.append(table)
    assert seen(tables[0]) == seen(tables[1])
    assert tables[0].last(CardsShown).standing.player_total is not None
    assert tables[0].last(CardsShown).standing.banker_total is None


@pytest.mark.parametrize("reveal", HIDING)
def test_a_natural_is_not_given_away_by_what_people_may_do(reveal: Reveal) -> None:
    for faces in (NATURAL, ANOTHER_IS_DUE):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(faces)
        view = view_of(table.state, read_rules)
        assert view.phase == "dealing"
        assert ActName.CONFIRM in acts_in(view)
        assert view.prompt == ShowCards()
        assert view.standing is not None
        assert (view.standing.next_hand, view.standing.complete) == (None, None)
        assert not table.table.desired_shoe.gate_locked
        assert table.table.desired_shoe.next_hand is None
        timer = table.table.next_timer
        assert timer is None, "a card that is late would give away that one is due"


def test_the_dealer_shows_hand_by_hand() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.deal("2H 4D KS 2C")
    table.dealer(RevealCards(hand=Side.BANKER))
    assert [place.number for place in table.last(CardsShown).places] == [2, 4]
    refusal = table.dealer(RevealCards(hand=Side.BANKER)).refusal
    assert refusal is not None
    assert refusal.code == "nothing_hidden"
    table.dealer(RevealCards())
    assert table.last(CardsShown).standing.next_hand is Side.PLAYER
    assert view_of(table.state, read_rules).phase == "dealing"
    assert ActName.CONFIRM not in acts_in(view_of(table.state, read_rules))
    table.card("5H")
    assert view_of(table.state, read_rules).cards[4].card is None
    table.dealer(RevealCards())
    assert view_of(table.state, read_rules).phase == "complete"


@pytest.mark.parametrize("reveal", [Reveal.AT_DRAW, Reveal.AT_RESULT])
def test_elsewhere_the_dealer_shows_nothing(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.deal("2H")
    refusal = table.dealer(RevealCards()).refusal
    assert refusal is not None
    assert refusal.code == "not_by_dealer"


# --- shoes that disclose at the result -------------------------------------------------------------------------------


def play(table: Sitting, places: list[tuple[Hand, Card]], *, at_draw: bool, winner: IndicatedWinner) -> None:
    """A round as such a shoe tells of it."""
    table.bet("1", "base.player", 50)
    table.bet("2", "base.banker", 50)
    positions: dict[Hand, int] = {}
    laid = []
    for hand, card in places:
        positions[hand] = positions.get(hand, 0) + 1
        laid.append((hand, positions[hand], card))
        table.event(CardDrawn(hand=hand, position=positions[hand], card=card if at_draw else None))
    table.event(ButtonPressed(button=Button.RESULT))
    if not at_draw:
        for hand, position, card in sorted(laid, key=lambda place: place[0].value):
            table.event(CardIdentified(hand=hand, position=position, card=card))
    table.event(ResultIndicated(winner=winner))


def outcome(table: Sitting) -> list[AnyFact]:
    """What came of it, apart from when and under which number it was published."""
    return [
        msgspec.structs.replace(fact, seq=0, time=0)
        for fact in table.facts
        if isinstance(fact, RoundResult | RoundSettled)
    ]


@settings(max_examples=EXAMPLES)
@given(faces=six_cards)
def test_whenever_faces_are_disclosed_and_shown_the_round_comes_to_the_same(faces: list[Card]) -> None:
    places = dealt(faces)
    deal = Deal()
    for _, card in places:
        deal.feed(card)
    assume(deal.complete)
    winner = IndicatedWinner(deal.facts.winner.value)
    outcomes = []
    for reveal in Reveal:
        for at_draw in (True, False):
            table = Sitting(reveal=reveal, burn=False)
            table.open_shoe()
            play(table, places, at_draw=at_draw, winner=winner)
            assert table.alerts == []
            assert table.at(Phase.BETTING)
            outcomes.append(outcome(table))
            assert table.state.shoe is not None
            assert table.state.shoe.copies == tuple([card for _, card in places].count(c) for c in CARDS_BY_NUMBER)
    assert all(same == outcomes[0] for same in outcomes)
    assert len(outcomes[0]) == 2


def test_a_shoe_that_discloses_at_the_result_is_never_asked_for_it_too_early() -> None:
    table = Sitting()
    table.open_shoe()
    for _ in range(4):
        table.card(None)
    table.event(ButtonPressed(button=Button.RESULT))
    assert table.alerts == []
    assert table.table.next_timer is None
    assert table.state.round is not None
    assert judge(table.state.round.cards).unknown == 1


@pytest.mark.parametrize("reveal", Reveal)
def test_the_first_card_of_a_shoe_is_always_shown(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe("3H")
    assert b'"3H"' in msgspec.json.encode(table.facts)


@pytest.mark.parametrize("reveal", HIDING)
def test_cards_set_aside_are_not_shown_either(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.deal("2H")
    table.card("9C", Hand.EXTRA)
    table.card("8D", Hand.PLAYER)
    for face in (b"2H", b"9C", b"8D"):
        assert face not in seen(table)
