"""Cards that come before anybody has decided about the round on the table: they wait, in order, and are dealt then.

A shoe that is only listened to cannot be stopped, and bytes may arrive all at once after an outage. Where the shoe has
ended its round and begins the next, but something stops the table, those cards are of no round that is open. Where it
has restarted in the middle of a round, a supervisor says whether they go on with that round or begin another.
"""

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
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
    Misread,
    ResultIndicated,
    Started,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.phases import Phase
from shoe_controller.table.draft import Draft
from shoe_controller.table.judging import judge
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import DealtOn, Round, TableState

WAITS = 5
"""The `REVISION` of the running program from which this holds."""

CARDS_BEGIN = 6
"""The `REVISION` of the running program from which a restart alone lets no later card wait unnoticed."""

NOT_ENTERED = 7
"""The `REVISION` of the running program from which a card that waits is not entered by a person as well."""

WAITS_ALSO_BY_HAND = 8
"""The `REVISION` of the running program from which cards that wait go on waiting when dealing by hand begins."""

_CARD_OUT = CardDrawn | Misread | ForeignCard | DoubleFeed
_ABOUT_CARDS = _CARD_OUT | CardIdentified | CardReturned | Burn | CutCard
_BUTTONS = (Button.RESULT, Button.NO_MORE_BETS, Button.BURN)
_FAULTS = (
    FaultCode.OVER_DRAW,
    FaultCode.UNREADABLE,
    FaultCode.FOREIGN_CARD,
    FaultCode.BUTTON_MISUSED,
    FaultCode.PUSHED_BACK_AT_EXIT,
    FaultCode.PUSHED_BACK_HALF_WAY,
    FaultCode.DRAW_TIMEOUT,
    FaultCode.JAM,
)


def is_undecided(state: TableState) -> bool:
    """Whether what comes next may be of another round, and the one on the table is not over."""
    playing = state.round
    if state.phase not in CARDS_OUT or playing is None or (state.lasting.hand_entry and not _waits_by_hand(state)):
        return False
    return state.lasting.revision >= WAITS and (_is_forgotten(state, playing) or playing.indicated is not None)


def _waits_by_hand(state: TableState) -> bool:
    """Whether cards came before dealing by hand began, and wait. What the shoe reports since is not dealt from here."""
    return state.lasting.revision >= WAITS_ALSO_BY_HAND and state.shoe is not None and bool(state.shoe.dealt_on)


def _is_forgotten(state: TableState, playing: Round) -> bool:
    """Whether the shoe restarted in the middle of the round, and nobody has said yet whether it goes on."""
    return playing.restarted and any(alert.kind is AlertKind.SHOE_RESTARTED for alert in state.lasting.alerts)


def waits(draft: Draft, event: AnyShoeEvent) -> bool:
    """Let a report wait if it is of another round, or nobody knows of which; whether that is so."""
    if not is_undecided(draft.state) or not _is_of_round(event):
        return False
    begun = another_has_begun(draft.state) or _is_forgotten(draft.state, draft.round)
    if not begun and not (draft.stopped and _begins_another(event)):
        return False  # where nothing stops the table, an alert has to say that another round began
    draft.shoe.dealt_on = (*draft.shoe.dealt_on, DealtOn(event=event))
    return True


def another_has_begun(state: TableState) -> bool:
    """Whether cards wait already. A restart may wait without any, and then the next card is not expected yet."""
    waiting = () if state.shoe is None else state.shoe.dealt_on
    if state.lasting.revision < CARDS_BEGIN:
        return bool(waiting)
    return any(not isinstance(waited.event, Started) for waited in waiting)


def has_begun_unnoticed(draft: Draft) -> bool:
    """Whether cards of another round wait although a card of this one is due and nothing stops the table.

    It would ask for that card, and let it wait like the others.
    """
    if draft.lasting.revision < CARDS_BEGIN or draft.phase is not Phase.DEALING or draft.stopped:
        return False
    return is_undecided(draft.state) and another_has_begun(draft.state) and judge(draft.round.cards).card_is_due


def gap_waits(draft: Draft, gap: AnyDetail) -> bool:
    """Whether events are missing among those that wait; it is said when they are dealt."""
    if not is_undecided(draft.state) or not another_has_begun(draft.state):
        return False
    draft.shoe.dealt_on = (*draft.shoe.dealt_on, DealtOn(gap=gap))
    return True


def next_to_deal(draft: Draft) -> DealtOn | None:
    """What waited longest, once the round before it is decided on."""
    if draft.state.shoe is None or not draft.shoe.dealt_on or is_undecided(draft.state):
        return None
    first, *others = draft.shoe.dealt_on
    if not others and draft.shoe.carried is not None and _is_carried(first.event):
        # No card has left the shoe: wagers are open until one does, and the carried one is laid then.
        draft.shoe.dealt_on = ()
        return None
    draft.shoe.dealt_on = tuple(others)
    return first


def may_wait(state: TableState, card: Card) -> bool:
    """Whether a card of this face waits, or one whose face the shoe has not told."""
    if state.lasting.revision < NOT_ENTERED or state.shoe is None:
        return False
    events = [waiting.event for waiting in state.shoe.dealt_on]
    faces = [event.card if isinstance(event, CardDrawn) else None for event in events if isinstance(event, _CARD_OUT)]
    return None in faces or card in faces


def _is_carried(event: AnyShoeEvent | None) -> bool:
    return isinstance(event, CardDrawn) and event.carried_over


def _is_of_round(event: AnyShoeEvent) -> bool:
    match event:
        case CardDrawn(first_of_shoe=True):
            return False  # it is of another shoe
        case ButtonPressed(button=button):
            return button in _BUTTONS
        case Fault(code=code) | FaultCleared(code=code):
            return code in _FAULTS
        case _:
            return isinstance(event, _ABOUT_CARDS | ResultIndicated | Started)


def _begins_another(event: AnyShoeEvent) -> bool:
    match event:
        case CardDrawn(hand=Hand.BURN) | CardDrawn(carried_over=True) | Started():
            return True
        case CardDrawn(hand=hand, position=position) | Misread(hand=hand, position=position):
            return (hand, position) == (Hand.PLAYER, 1)
        case ForeignCard(hand=hand, position=position):
            return (hand, position) == (Hand.PLAYER, 1)
        case _:
            return False
