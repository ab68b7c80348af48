"""What each act does, and what must hold for it to be possible. Who may do it is decided in `people.py`."""

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.messages.actors import Person
from shoe_controller.messages.acts import (
    AcceptRollback,
    AnyAct,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    RevealCards,
    Role,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertKind, Clearer, Severity
from shoe_controller.messages.causes import EndedByPerson, EndedEarly, ReturnCause
from shoe_controller.messages.details import CalledBy, CardOfRound
from shoe_controller.messages.facts import CardCorrected, ExtraCardDecided, FreeHandAnnounced
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CannotBeCleared,
    CardIsKnown,
    CardIsUnknown,
    CardMissing,
    ForeignCardRefused,
    FreeHandRefused,
    LidOpen,
    NoExtraCard,
    NoShoeLink,
    NoSuchAlert,
    NoSuchCard,
    NotASupervisor,
    NotByDealer,
    NothingHidden,
    NothingToAccept,
    NothingToUndo,
    NothingToVoid,
    OnlyBurned,
    ReasonMissing,
    SameCard,
    TableStopped,
    WagersStand,
)
from shoe_controller.table.alerts import Scope, rule_of
from shoe_controller.table.dealing import (
    after_cards_changed,
    count_face,
    identify_first,
)
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import (
    confirm,
    end_shoe,
    result_differs,
    return_wagers_of,
    show,
    undo,
    void,
    void_and_replay,
)
from shoe_controller.table.identifying import card_not_due, make_known
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.judging import judge, place_of, standing_of
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.shoe_events import close_betting
from shoe_controller.table.state import Alert, TableState


def why_not(draft: Draft, act: AnyAct, given: PersonActs) -> AnyRefusal | None:  # noqa: C901, PLR0911, PLR0912 - one case for each act
    match act:
        case ClearAlert():
            return _why_not_clear(draft, act, given)
        case Confirm():
            return _why_not_confirm(draft, given)
        case FreeHand() if draft.round.free:
            return FreeHandRefused()
        case FreeHand() if draft.round.wagers:
            return WagersStand()
        case NoMoreBets() if draft.stopped:
            return TableStopped()
        case RevealCards():
            if draft.procedure.reveal is not Reveal.BY_DEALER:
                return NotByDealer()
            return None if _hidden(draft, act) else NothingHidden()
        case IdentifyCard(card=None) | CorrectCard(card=None):
            return CardMissing()
        case IdentifyCard():
            return _why_not_identify(draft, act)
        case CorrectCard():
            return _why_not_correct(draft, act)
        case UseExtraCard() | BurnExtraCard() if not draft.round.extras:
            return NoExtraCard()
        case UseExtraCard() if not may_use_extra(draft.state, draft.phase):
            return OnlyBurned()
        case UndoLastResult():
            return _why_not_undo(draft)
        case AcceptRollback() if not draft.has_alert(AlertKind.JOURNAL_ROLLED_BACK):
            return NothingToAccept()
        case VoidRound() if draft.phase is Phase.BETTING and not anything_to_void(draft.state):
            return NothingToVoid()
    return None


def anything_to_void(state: TableState) -> bool:
    playing = state.round
    lies_there = playing is not None and (bool(playing.wagers) or playing.free)
    return lies_there or has_alert_about_round(state)


def has_alert_about_round(state: TableState) -> bool:
    return any(rule_of(alert).scope is Scope.ROUND for alert in state.lasting.alerts)


def _why_not_undo(draft: Draft) -> AnyRefusal | None:
    if draft.shoe.previous is None:
        return NothingToUndo()
    if has_alert_about_round(draft.state):
        return TableStopped()
    return None


def do(draft: Draft, act: AnyAct, person: str, reason: str) -> None:  # noqa: C901, PLR0912 - one case for each act
    match act:
        case NoMoreBets():
            close_betting(draft, Person(person=person))
        case FreeHand():
            draft.round.free = True
            draft.emit(FreeHandAnnounced)
        case RevealCards():
            show(draft, _hidden(draft, act))
        case Confirm():
            draft.end_alerts(EndedByPerson(person=person), AlertKind.RESULT_UNDONE)
            confirm(draft, Person(person=person))
        case CallSupervisor():
            draft.alert(AlertKind.SUPERVISOR_CALLED, CalledBy(person=person))
        case ClearAlert():
            _clear(draft, act, person)
        case IdentifyCard(card=Card() as card):
            _identify(draft, act, card, person)
        case CorrectCard(card=Card() as card):
            _correct(draft, act, card, person)
        case UseExtraCard() | BurnExtraCard():
            decide_extra(draft, used=isinstance(act, UseExtraCard), person=person)
        case VoidRound():
            void(draft, reason)
        case VoidAndReplay():
            void_and_replay(draft, reason)
        case UndoLastResult():
            if draft.shoe.previous is not None:
                undo(draft, draft.shoe.previous)
        case EndShoe():
            draft.end_alerts(EndedByPerson(person=person), AlertKind.LID_OPENED, scope=Scope.SHOE)
            end_shoe(draft, EndedEarly(reason=reason))
        case AcceptRollback():
            draft.end_alerts(EndedByPerson(person=person), AlertKind.JOURNAL_ROLLED_BACK)
        case _:
            pass  # signing in proves the PIN and does nothing else; a shoe is opened by `table.py`


def as_published(draft: Draft, act: AnyAct) -> AnyAct:
    """The act as it may be published: without the face of a card that lies face down."""
    if not isinstance(act, IdentifyCard | CorrectCard) or draft.state.round is None:
        return act
    shown = draft.round.cards[act.number - 1].shown
    return act if shown else msgspec.structs.replace(act, card=None)


def _hidden(draft: Draft, act: RevealCards) -> list[int]:
    return [
        number
        for number, laid in enumerate(draft.round.cards, 1)
        if not laid.shown and (act.hand is None or laid.hand is act.hand)
    ]


# --- alerts and confirmation -----------------------------------------------------------------------------------------


def _alert(draft: Draft, number: int) -> Alert | None:
    return next((alert for alert in draft.lasting.alerts if alert.number == number), None)


def _why_not_clear(draft: Draft, act: ClearAlert, given: PersonActs) -> AnyRefusal | None:
    alert = _alert(draft, act.alert)
    if alert is None:
        return NoSuchAlert(number=act.alert)
    clearer = rule_of(alert).cleared_by
    if clearer is Clearer.NOBODY:
        return CannotBeCleared(kind=alert.kind)
    if clearer is Clearer.SUPERVISOR:
        if given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT:
            return NotASupervisor()
        if not given.reason.strip():
            return ReasonMissing()
    return why_cause_remains(draft.state, alert)


def why_cause_remains(state: TableState, alert: Alert) -> LidOpen | NoShoeLink | None:
    """An alert is not cleared while its cause is known to persist."""
    if alert.kind is AlertKind.LID_OPENED and state.lasting.lid_open:
        return LidOpen()
    if alert.kind is AlertKind.SHOE_LOST and not state.lasting.link.up:
        return NoShoeLink()
    return None


def _clear(draft: Draft, act: ClearAlert, person: str) -> None:
    alert = _alert(draft, act.alert)
    if alert is None:
        return
    if alert.kind is AlertKind.OVER_DRAW:
        used = draft.procedure.over_drawn is OverDrawn.USE and may_use_extra(draft.state, draft.phase)
        decide_extra(draft, used=used, person=person)
    if alert.kind is AlertKind.LATE_WAGER:
        return_wagers_of(draft, set(alert.seats), ReturnCause.LATE)
    if _alert(draft, act.alert) is not None:
        draft.end_alert(alert, EndedByPerson(person=person))


def _why_not_confirm(draft: Draft, given: PersonActs) -> AnyRefusal | None:
    blocking = [alert for alert in draft.lasting.alerts if rule_of(alert).severity is Severity.STOPS]
    undone = [alert for alert in blocking if alert.kind is AlertKind.RESULT_UNDONE]
    if len(blocking) > len(undone):
        return TableStopped()
    if undone and (given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT):
        return NotASupervisor()
    return None


# --- cards -----------------------------------------------------------------------------------------------------------


def _why_not_identify(draft: Draft, act: IdentifyCard) -> AnyRefusal | None:
    if draft.phase is Phase.FIRST_CARD:
        first = draft.shoe.first_card
        return None if act.number == 0 and first is not None else NoSuchCard(number=act.number)
    if not 1 <= act.number <= len(draft.round.cards):
        return NoSuchCard(number=act.number)
    if draft.round.cards[act.number - 1].card is not None:
        return CardIsKnown()
    if any(alert.kind is AlertKind.FOREIGN_CARD and alert.card == act.number for alert in draft.lasting.alerts):
        return ForeignCardRefused()
    return None


def _identify(draft: Draft, act: IdentifyCard, card: Card, person: str) -> None:
    if draft.phase is Phase.FIRST_CARD:
        identify_first(draft, card, EndedByPerson(person=person))
        return
    make_known(draft, act.number, card, EndedByPerson(person=person))


def _why_not_correct(draft: Draft, act: CorrectCard) -> AnyRefusal | None:
    if not 1 <= act.number <= len(draft.round.cards):
        return NoSuchCard(number=act.number)
    laid = draft.round.cards[act.number - 1]
    if laid.card is None:
        return CardIsUnknown()
    if laid.card is act.card and laid.shown:
        # Of a card that lies face down, this refusal would confirm a guess without leaving a trace.
        return SameCard()
    return None


def _correct(draft: Draft, act: CorrectCard, card: Card, person: str) -> None:
    """The face changes, the card stays where it lies; everything after it is worked out again."""
    laid = draft.round.cards[act.number - 1]
    if laid.card is not None:
        count_face(draft, laid.card, by=-1)
    fits = count_face(draft, card)
    differed = draft.has_alert(AlertKind.RESULT_DIFFERS)
    # It was confirmed with other cards.
    draft.round.confirmed_by = draft.round.button_ns = None
    draft.replace_card(act.number, card=card)
    cards = draft.round.cards
    seq = draft.emit(
        CardCorrected,
        place=place_of(act.number, cards[act.number - 1]),
        standing=standing_of(cards),
        replaces=laid.seq,
    )
    draft.replace_card(act.number, seq=seq)
    for alert in draft.lasting.alerts:
        # The result is compared again below, and invalid cards are found again.
        compared_again = alert.kind in (AlertKind.RESULT_DIFFERS, AlertKind.CARD_NOT_DUE)
        if compared_again or _fits_now(draft, alert):
            draft.end_alert(alert, EndedByPerson(person=person))
    if not fits:
        draft.alert(AlertKind.TOO_MANY_COPIES, CardOfRound(number=act.number, hand=laid.hand), card=act.number)
    illegal = judge(draft.round.cards).illegal
    if illegal is not None:
        card_not_due(draft, illegal)
    after_cards_changed(draft)
    indicated = draft.round.indicated
    if differed and indicated is not None and draft.phase is Phase.COMPLETE:
        difference = result_differs(indicated, draft.round)
        if difference is not None:
            draft.alert(AlertKind.RESULT_DIFFERS, difference)


def _fits_now(draft: Draft, alert: Alert) -> bool:
    """Whether the decks hold a card after all that seemed to be an extra copy."""
    if alert.kind is not AlertKind.TOO_MANY_COPIES or alert.card is None:
        return False
    card = draft.round.cards[alert.card - 1].card
    return card is None or draft.shoe.copies[card.number] <= draft.shoe.decks


def decide_extra(draft: Draft, *, used: bool, person: str) -> None:
    """What becomes of extra cards: the first begins the next round, or all of them are burned."""
    if draft.state.round is not None and draft.round.extras:
        extras = draft.round.extras
        draft.round.extras = ()
        if used:
            draft.shoe.carried = extras[0]
        draft.shoe.burned += len(extras) - used
        draft.emit(ExtraCardDecided, burned=len(extras) - used, used=used)
    draft.end_alerts(EndedByPerson(person=person), AlertKind.OVER_DRAW, AlertKind.EXTRA_CARD)


def may_use_extra(state: TableState, phase: Phase) -> bool:
    """Only a card drawn after a complete round can begin the next one, and only one card can."""
    outside = any(alert.kind is AlertKind.EXTRA_CARD for alert in state.lasting.alerts)
    carried = state.shoe is not None and state.shoe.carried is not None
    return phase is not Phase.DEALING and not outside and not carried
