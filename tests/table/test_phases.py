"""The life of a shoe: every transition of the table is made by some story, and the diagram says the same."""

import re
from collections.abc import Callable

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import Button, ButtonPressed, CardDrawn, Hand, IndicatedWinner
from shoe_controller.messages.acts import (
    Approve,
    Confirm,
    CorrectCard,
    EndShoe,
    NoMoreBets,
    OpenShoe,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import AnyInput, NewShoe
from shoe_controller.table.phases import TRANSITIONS, Move, diagram
from shoe_controller.table.table import Handled
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"


def first_card(table: Sitting, card: str = "2S") -> None:
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse(card), first_of_shoe=True))


def to_first_card(table: Sitting) -> None:
    table.open_shoe(burn=None)


def to_burning(table: Sitting) -> None:
    to_first_card(table)
    first_card(table)


def to_betting(table: Sitting) -> None:
    table.open_shoe()


def to_closed(table: Sitting) -> None:
    to_betting(table)
    table.dealer(NoMoreBets())


def to_dealing(table: Sitting) -> None:
    to_betting(table)
    table.deal("7H 4D")


def to_complete(table: Sitting) -> None:
    to_betting(table)
    table.deal(PLAYER_WINS)


def to_ended(table: Sitting) -> None:
    to_complete(table)
    table.result(IndicatedWinner.PLAYER)
    table.act(EndShoe())


TO: dict[Phase, Callable[[Sitting], None]] = {
    Phase.NO_SHOE: lambda _: None,
    Phase.FIRST_CARD: to_first_card,
    Phase.BURNING: to_burning,
    Phase.BETTING: to_betting,
    Phase.CLOSED: to_closed,
    Phase.DEALING: to_dealing,
    Phase.COMPLETE: to_complete,
    Phase.ENDED: to_ended,
}
"""How a table comes to each phase."""


def undo(table: Sitting) -> None:
    table.act(UndoLastResult())
    table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")


def settled_and_undone(table: Sitting) -> None:
    to_complete(table)
    table.result(IndicatedWinner.PLAYER)
    undo(table)


def ended_and_undone(table: Sitting) -> None:
    to_ended(table)
    undo(table)


def _and(phase: Phase, *then: Callable[[Sitting], object]) -> Callable[[Sitting], None]:
    def story(table: Sitting) -> None:
        TO[phase](table)
        for step in then:
            step(table)

    return story


def opens(table: Sitting) -> None:
    table.announce()


def voids(table: Sitting) -> None:
    table.act(VoidRound())


def bets_and_voids(table: Sitting) -> None:
    table.bet("1", "base.player", 50)
    table.act(VoidRound())


def replays(table: Sitting) -> None:
    table.act(VoidAndReplay())


def replays_as_before(table: Sitting) -> None:
    """In a shoe that an earlier version has opened, wagers stay closed."""
    table.revision = 2
    to_complete(table)
    table.act(VoidAndReplay())
    table.deal("7H")
    table.act(VoidAndReplay())
    assert table.at(Phase.CLOSED)


def ends(table: Sitting) -> None:
    table.act(EndShoe())


STORIES = [
    *(_and(phase, opens) for phase in TO),
    *(_and(phase, voids) for phase in (Phase.CLOSED, Phase.DEALING, Phase.COMPLETE)),
    _and(Phase.BETTING, bets_and_voids),
    *(_and(phase, replays) for phase in (Phase.DEALING, Phase.COMPLETE)),
    *(_and(phase, ends) for phase in (Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING)),
    _and(Phase.CLOSED, lambda table: table.deal("7H")),
    _and(Phase.COMPLETE, lambda table: table.act(CorrectCard(number=1, card=Card.parse("2H")))),
    replays_as_before,
    settled_and_undone,
    ended_and_undone,
]


class Moves:
    """Which moves were really made."""

    def __init__(self) -> None:
        self.made: set[tuple[Phase, Move]] = set()


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> Moves:
    moves = Moves()
    move, give = Draft.move, Sitting.give

    def recording_move(draft: Draft, made: Move) -> None:
        before = draft.phase
        move(draft, made)
        moves.made.add((before, made))
        assert TRANSITIONS[before, made] is draft.phase

    def recording_give(sitting: Sitting, given: AnyInput) -> Handled:
        before = sitting.state.phase
        handled = give(sitting, given)
        # An opening begins from nothing, so that it can be replayed; what it leaves is the phase before it.
        opening = next((g for g, _, facts in sitting.history[-1:] if facts is handled.facts), None)
        if isinstance(opening, NewShoe):
            moves.made.add((before, Move.OPEN if sitting.rules.procedure.burn else Move.OPEN_WITHOUT_BURN))
        return handled

    monkeypatch.setattr(Draft, "move", recording_move)
    monkeypatch.setattr(Sitting, "give", recording_give)
    return moves


def test_every_transition_is_made_and_no_other(moves: Moves) -> None:
    for story in STORIES:
        for burn in (True, False):
            if burn or story not in (STORIES[1], STORIES[2]):
                story(Sitting(burn=burn))
    for phase in (Phase.FIRST_CARD, Phase.BURNING):  # the house has changed its mind about burning meanwhile
        table = Sitting()
        TO[phase](table)
        table.rules = Sitting(burn=False).rules
        table.announce()
        assert table.at(Phase.BETTING)
    assert moves.made == set(TRANSITIONS)


@pytest.mark.parametrize("phase", Phase)
def test_the_way_to_each_phase(phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    assert table.at(phase)


def test_the_diagram_says_what_the_table_says() -> None:
    moves = {move.value: move for move in Move}
    drawn = {
        (Phase(start), moves[move]): Phase(end)
        for start, end, move in re.findall(r"^    (\w+) --> (\w+): (.+)$", diagram(), re.MULTILINE)
    }
    assert drawn == TRANSITIONS
    assert diagram().startswith("stateDiagram-v2\n    [*] --> no_shoe\n")


def test_every_phase_can_be_reached_and_left() -> None:
    assert set(TRANSITIONS.values()) == set(Phase) - {Phase.NO_SHOE}
    assert {start for start, _ in TRANSITIONS} == set(Phase)


@pytest.mark.parametrize("phase", [Phase.CLOSED, Phase.DEALING, Phase.COMPLETE])
def test_a_new_shoe_cannot_be_opened_in_a_round(phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    refusal = table.dealer(OpenShoe()).refusal
    assert refusal is not None
    assert refusal.code == "not_now"
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.alerts == ["shoe_changed"]
    assert table.at(phase)


def test_a_confirmed_round_leads_to_the_next() -> None:
    table = Sitting()
    to_complete(table)
    table.dealer(Confirm())
    assert table.at(Phase.BETTING)
    assert table.state.round_number == 2
