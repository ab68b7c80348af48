"""Who may open the next shoe, and what becomes of cards that come before anybody may.

Before the cut card (one that a person entered does not count), while an alert stands that is a supervisor's, or while
something that was proposed waits for another supervisor, only a supervisor opens a shoe. What the shoe
itself says then (its button, or a card marked as the first) raises an alert, and that card and those after it wait:
they are dealt into the new shoe if a supervisor opens it, and count as burned from this one if the supervisor refuses.
"""

import msgspec

from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    ForeignCard,
    Hand,
    Misread,
)
from shoe_controller.messages.acts import Role
from shoe_controller.messages.alerts import AlertKind, Clearer, Severity
from shoe_controller.messages.details import ButtonBeforeEnd, FirstCardBeforeEnd
from shoe_controller.messages.facts import CardBurned
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Remainder
from shoe_controller.messages.refusals import (
    AnyRefusal,
    NotASupervisor,
    ReasonMissing,
    RemainderNotCounted,
    RoundTakenBack,
    RunOutUnderWay,
)
from shoe_controller.table.alerts import rule_of
from shoe_controller.table.burning import problem_out_of_round
from shoe_controller.table.counting import Arrived, arrived_from, count_face_and_piece, counted
from shoe_controller.table.dealing import card_left
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.inventory import remainder_of
from shoe_controller.table.remainder import is_counted
from shoe_controller.table.state import Alert, TableState

NEEDS_SUPERVISOR = 3
"""The first `REVISION` of the program that leaves the end of a shoe to supervisors, whoever opened the shoe."""

ENDS_WITH_SUPERVISOR = 4
"""The first `REVISION` of the program in which a dealer ends no shoe by saying that the cut card came, and buries
nothing that two supervisors are about to decide."""

OPENS_IN = frozenset({Phase.NO_SHOE, Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED})
"""The phases in which a shoe can be opened."""

_OVER = frozenset({Phase.NO_SHOE, Phase.ENDED})

_RAISED_FROM_OUTSIDE = frozenset(
    {
        AlertKind.ANOTHER_CONTROLLER,
        AlertKind.LINE_REFUSED,
        AlertKind.MESSAGES_REFUSED,
        AlertKind.PIN_GUESSING,
        AlertKind.REQUEST_FLOOD,
        AlertKind.STATUS_AHEAD,
        AlertKind.WRONG_LINE,
    }
)
"""Warnings that a stranger can raise: they must not hold up a table."""


def why_not_opened(state: TableState, given: PersonActs) -> AnyRefusal | None:
    """Why this person cannot open a shoe now."""
    if needs_supervisor(state):
        if given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT:
            return NotASupervisor()
        if not given.reason.strip():
            return ReasonMissing()
    return why_not_ended(state) or why_count_first(state)


def why_not_ended(state: TableState) -> RoundTakenBack | None:
    """Why the shoe cannot end: what was paid for a result that was taken back has to be settled anew or collected."""
    return RoundTakenBack() if state.round is not None and state.round.settlement_seq is not None else None


def needs_supervisor(state: TableState) -> bool:
    """Whether a shoe would end before its time, or with something that a supervisor has to look at."""
    if state.lasting.revision < NEEDS_SUPERVISOR:
        return False
    # Before the first shoe no warning can be buried.
    fresh = state.phase is Phase.NO_SHOE
    if any(_is_for_supervisor(alert, stops=fresh) for alert in state.lasting.alerts):
        return True
    if state.lasting.proposal is not None and state.lasting.revision >= ENDS_WITH_SUPERVISOR:
        return True
    if state.shoe is None:
        return False
    # Dealing by hand, the dealer says when the cut card comes, and with it when the shoe is over.
    said_alone = state.shoe.cut_card_entered
    if state.phase in _OVER:
        return said_alone
    before_cut_card = state.shoe.last_round is None or state.lasting.hand_entry or said_alone
    return before_cut_card or bool(state.lasting.disputes) or why_not_ended(state) is not None


def _is_for_supervisor(alert: Alert, *, stops: bool) -> bool:
    """Whether a supervisor has to look at it; with `stops`, only if it stops the table."""
    rule = rule_of(alert)
    if stops and rule.severity is not Severity.STOPS:
        return False
    return rule.cleared_by is not Clearer.DEALER and alert.kind not in _RAISED_FROM_OUTSIDE


def why_count_first(state: TableState) -> RemainderNotCounted | RunOutUnderWay | None:
    """Why the cards that are left come before the next shoe."""
    shoe = state.shoe
    if shoe is None:
        return None
    if shoe.run_out is not None:
        return RunOutUnderWay()
    if shoe.rules.procedure.remainder is Remainder.COUNTED and shoe.cards_out and not is_counted(shoe):
        return RemainderNotCounted(expected=remainder_of(shoe))
    return None


def shoe_may_open(state: TableState) -> bool:
    """Whether the shoe's own button, or its first card, opens the next shoe without a person."""
    is_free = not needs_supervisor(state) and why_not_ended(state) is None and why_count_first(state) is None
    return state.phase in OPENS_IN and is_free and not state.lasting.held


# --- the shoe says so too early --------------------------------------------------------------------------------------


def button_too_early(draft: Draft) -> None:
    """The button was pressed and opened nothing; one on a shoe from which nothing was drawn says nothing new."""
    shoe = draft.state.shoe
    fresh = shoe is not None and not shoe.cards_out and draft.phase is not Phase.ENDED
    if draft.lasting.revision >= NEEDS_SUPERVISOR and draft.phase in OPENS_IN and not fresh:
        draft.alert(AlertKind.SHOE_CHANGE_UNCONFIRMED, ButtonBeforeEnd())


_ABOUT_CARDS = CardDrawn | Misread | ForeignCard | DoubleFeed | CardIdentified | Burn | CutCard


def held_back(draft: Draft, event: AnyShoeEvent) -> bool:
    """Hold a report about cards, if nobody knows yet which shoe they belong to; whether that is so."""
    if not isinstance(event, _ABOUT_CARDS) or not (draft.lasting.held or _first_too_early(draft, event)):
        return False
    draft.lasting.held = (*draft.lasting.held, event)
    draft.alert(AlertKind.SHOE_CHANGE_UNCONFIRMED, FirstCardBeforeEnd())
    return True


def _first_too_early(draft: Draft, event: AnyShoeEvent) -> bool:
    if draft.lasting.revision < NEEDS_SUPERVISOR or not (isinstance(event, CardDrawn) and event.first_of_shoe):
        return False
    used = draft.state.shoe is None or draft.shoe.cards_out > 0
    # After "no more bets" no card lies there yet: nothing tells whether this one is of the shoe on the table.
    return used and draft.phase in (*OPENS_IN, Phase.CLOSED) and not shoe_may_open(draft.state)


# --- it is the same shoe ---------------------------------------------------------------------------------------------


def burn_held(draft: Draft) -> None:
    """A supervisor refuses: the cards that waited came out of this shoe, and are burned."""
    held, draft.lasting.held = draft.lasting.held, ()
    for event in held:
        match event:
            case CardDrawn(carried_over=True):
                pass  # no card left the shoe for it
            case CardDrawn() | Misread() | ForeignCard():
                _burn(draft, arrived_from(event, 0))
            case DoubleFeed():
                for _ in range(event.cards):
                    _burn(draft, Arrived())
            case CardIdentified() if event.card is not None and draft.state.shoe is not None:
                if sum(draft.shoe.copies) < draft.shoe.cards_out:
                    found = count_face_and_piece(draft, event.card, event.card_id, event.deck_set)
                    problem_out_of_round(draft, Arrived(problems=tuple(found)))
            case _:
                pass  # a cut card, or a burn, of a shoe that is none


def _burn(draft: Draft, arrived: Arrived) -> None:
    arrived = msgspec.structs.replace(arrived, hand=Hand.BURN, position=None, burns_left=None, first_of_shoe=False)
    if draft.phase in (*_OVER, Phase.FIRST_CARD, Phase.BURNING):
        card_left(draft, arrived)
        return
    arrived = counted(draft, arrived)
    draft.shoe.burned += 1
    draft.emit(CardBurned, card=None, burned=draft.shoe.burned, to_burn=None)
    problem_out_of_round(draft, arrived)
