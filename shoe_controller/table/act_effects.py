"""What each act does, and what must be so for it to be possible. Who may do it is decided in `people.py`."""

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.table.acts import (
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
from shoe_controller.table.alerts import Clearer, Scope, Severity
from shoe_controller.table.dealing import (
    after_cards_changed,
    count_face,
    identify_first,
)
from shoe_controller.table.draft import Draft, kind_of
from shoe_controller.table.facts import CardCorrected, ExtraCardDecided, FreeHandAnnounced
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
from shoe_controller.table.identifying import make_known
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.judging import judge, place_of, standing_of
from shoe_controller.table.phases import Phase
from shoe_controller.table.procedure import OverDrawn, Reveal
from shoe_controller.table.shoe_events import close_betting
from shoe_controller.table.state import Alert

Why = tuple[str, str] | None
"""Why something is not possible: a code and a sentence; nothing if it is."""


def why_not(draft: Draft, act: AnyAct, given: PersonActs) -> Why:  # noqa: C901, PLR0911, PLR0912 - one case for each act
    match act:
        case ClearAlert():
            return _why_not_clear(draft, act, given)
        case Confirm():
            return _why_not_confirm(draft, given)
        case FreeHand() if draft.round.free:
            return "free_hand", "this round is a free hand already"
        case FreeHand() if draft.round.wagers:
            return "wagers_stand", "wagers stand already; they must be taken back before a free hand"
        case NoMoreBets() if draft.stopped:
            return "stopped", "the table is stopped"
        case RevealCards():
            if draft.procedure.reveal is not Reveal.BY_DEALER:
                return "not_by_dealer", "at this table the dealer does not show the cards"
            return None if _hidden(draft, act) else ("nothing_hidden", "no such card lies face down")
        case IdentifyCard(card=None) | CorrectCard(card=None):
            return "card_missing", "say which card it is"
        case IdentifyCard():
            return _why_not_identify(draft, act)
        case CorrectCard():
            return _why_not_correct(draft, act)
        case UseExtraCard() | BurnExtraCard() if not draft.round.extras:
            return "no_extra_card", "there is no card too many"
        case UseExtraCard() if not _may_use_extra(draft):
            return "only_burned", "the card was no over-draw of a complete round; it can only be burned"
        case UndoLastResult():
            return _why_not_undo(draft)
        case VoidRound() if draft.phase is Phase.BETTING and not _anything_to_void(draft):
            return "nothing_to_void", "no wager and no card lies on the table"
    return None


def _anything_to_void(draft: Draft) -> bool:
    return bool(draft.round.wagers) or draft.round.free or _has_alert_about_round(draft)


def _has_alert_about_round(draft: Draft) -> bool:
    return any(kind_of(alert).scope is Scope.ROUND for alert in draft.lasting.alerts)


def _why_not_undo(draft: Draft) -> Why:
    if draft.shoe.previous is None:
        return "nothing_to_undo", "there is no settled round to take back"
    if _has_alert_about_round(draft):
        return "stopped", "an alert about the round that comes must be over first, or that round voided"
    return None


def do(draft: Draft, act: AnyAct, person: str, reason: str) -> None:  # noqa: C901, PLR0912 - one case for each act
    match act:
        case NoMoreBets():
            close_betting(draft, person)
        case FreeHand():
            draft.round.free = True
            draft.say(FreeHandAnnounced)
        case RevealCards():
            show(draft, _hidden(draft, act))
        case Confirm():
            draft.end_alerts(person, "result_undone")
            confirm(draft, person)
        case CallSupervisor():
            draft.alert("supervisor_called", person)
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
            draft.end_alerts(person, "lid_opened", scope=Scope.SHOE)
            end_shoe(draft, reason)
        case _:
            pass  # signing in proves the PIN and does nothing else; a shoe is opened by `table.py`


def as_told(draft: Draft, act: AnyAct) -> AnyAct:
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


def _why_not_clear(draft: Draft, act: ClearAlert, given: PersonActs) -> Why:  # noqa: PLR0911 - a reason each
    alert = _alert(draft, act.alert)
    if alert is None:
        return "no_such_alert", f"there is no alert {act.alert}; it may be over already"
    clearer = kind_of(alert).cleared_by
    if clearer is Clearer.NOBODY:
        return "cannot_be_cleared", f"{alert.kind} cannot be cleared; it must be put right"
    if clearer is Clearer.SUPERVISOR:
        if given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT:
            return "not_a_supervisor", f"{alert.kind} is cleared by a supervisor, with a PIN"
        if not given.reason.strip():
            return "reason_missing", "say why: clearing this alert needs a reason"
    if alert.kind == "lid_opened" and draft.lasting.lid_open:
        return "lid_open", "the lid of the shoe is still open"
    if alert.kind == "shoe_lost" and not draft.lasting.link.up:
        return "no_shoe_link", "the shoe is still not connected"
    return None


def _clear(draft: Draft, act: ClearAlert, person: str) -> None:
    alert = _alert(draft, act.alert)
    if alert is None:
        return
    if alert.kind == "over_draw":
        used = draft.procedure.over_drawn is OverDrawn.USE and _may_use_extra(draft)
        decide_extra(draft, used=used, person=person)
    if alert.kind == "late_wager":
        return_wagers_of(draft, set(alert.seats), "they came after the first card")
    if _alert(draft, act.alert) is not None:
        draft.end_alert(alert, person)


def _why_not_confirm(draft: Draft, given: PersonActs) -> Why:
    blocking = [alert for alert in draft.lasting.alerts if kind_of(alert).severity is Severity.STOPS]
    undone = [alert for alert in blocking if alert.kind == "result_undone"]
    if len(blocking) > len(undone):
        return "stopped", "an alert stops the round; it must be over before the result is confirmed"
    if undone and (given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT):
        return "not_a_supervisor", "a result that was taken back is confirmed by a supervisor, with a PIN"
    return None


# --- cards -----------------------------------------------------------------------------------------------------------


def _why_not_identify(draft: Draft, act: IdentifyCard) -> Why:
    if draft.phase is Phase.FIRST_CARD:
        first = draft.shoe.first_card
        return None if act.number == 0 and first is not None else ("no_such_card", "no such card needs a name")
    if not 1 <= act.number <= len(draft.round.cards):
        return "no_such_card", f"there is no card {act.number} in this round"
    if draft.round.cards[act.number - 1].card is not None:
        return "card_is_known", "that card is known; if it is wrong, correct it"
    if any(alert.kind == "foreign_card" and alert.card == act.number for alert in draft.lasting.alerts):
        return "foreign_card", "a foreign card cannot be part of a round; the round can only be voided"
    return None


def _identify(draft: Draft, act: IdentifyCard, card: Card, person: str) -> None:
    if draft.phase is Phase.FIRST_CARD:
        identify_first(draft, card, person)
        return
    make_known(draft, act.number, card, person)


def _why_not_correct(draft: Draft, act: CorrectCard) -> Why:
    if not 1 <= act.number <= len(draft.round.cards):
        return "no_such_card", f"there is no card {act.number} in this round"
    laid = draft.round.cards[act.number - 1]
    if laid.card is None:
        return "card_is_unknown", "that card is not known yet; identify it"
    if laid.card is act.card:
        return "same_card", f"that card is {act.card} already"
    return None


def _correct(draft: Draft, act: CorrectCard, card: Card, person: str) -> None:
    """The face changes, the card stays where it lies; everything after it is worked out anew."""
    laid = draft.round.cards[act.number - 1]
    if laid.card is not None:
        count_face(draft, laid.card, by=-1)
    fits = count_face(draft, card)
    differed = draft.has_alert("result_differs")
    # Whoever confirmed it saw other cards.
    draft.round.confirmed_by = draft.round.button_ns = None
    draft.replace_card(act.number, card=card)
    cards = draft.round.cards
    seq = draft.say(
        CardCorrected,
        place=place_of(act.number, cards[act.number - 1]),
        standing=standing_of(cards),
        replaces=laid.seq,
    )
    draft.replace_card(act.number, seq=seq)
    for alert in draft.lasting.alerts:
        # What the cards come to is compared again below, and what they may not be is found again.
        if alert.kind in ("result_differs", "card_not_due") or _fits_now(draft, alert):
            draft.end_alert(alert, person)
    if not fits:
        draft.alert("too_many_copies", f"card {act.number}, {laid.hand}'s", card=act.number)
    judgement = judge(draft.round.cards)
    if judgement.illegal is not None:
        detail = f"card {judgement.illegal} should not have been drawn"
        draft.alert("card_not_due", detail, card=judgement.illegal)
    after_cards_changed(draft)
    indicated = draft.round.indicated
    if differed and indicated is not None and draft.phase is Phase.COMPLETE:
        difference = result_differs(indicated, judgement.deal.facts)
        if difference:
            draft.alert("result_differs", difference)


def _fits_now(draft: Draft, alert: Alert) -> bool:
    """Whether the decks hold a card after all that seemed to be one copy too many."""
    if alert.kind != "too_many_copies" or alert.card is None:
        return False
    card = draft.round.cards[alert.card - 1].card
    return card is None or draft.shoe.copies[card.number] <= draft.shoe.decks


def decide_extra(draft: Draft, *, used: bool, person: str) -> None:
    """What becomes of cards too many: the first begins the next round, or all of them are burned."""
    if draft.state.round is not None and draft.round.extras:
        extras = draft.round.extras
        draft.round.extras = ()
        if used:
            draft.shoe.carried = extras[0]
        draft.shoe.burned += len(extras) - used
        draft.say(ExtraCardDecided, burned=len(extras) - used, used=used)
    draft.end_alerts(person, "over_draw", "extra_card")


def _may_use_extra(draft: Draft) -> bool:
    """Only a card drawn after a complete round can begin the next one, and only one card can."""
    return draft.phase is not Phase.DEALING and not draft.has_alert("extra_card") and draft.shoe.carried is None
