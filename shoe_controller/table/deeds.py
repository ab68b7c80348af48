"""What each act does, and what must be so for it to be possible. Who may do it is decided in `people.py`."""

import msgspec

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
from shoe_controller.table.alerts import Clearer
from shoe_controller.table.dealing import (
    after_cards_changed,
    burns_for,
    count_face,
    first_card_known,
    make_known,
)
from shoe_controller.table.draft import Draft, kind_of
from shoe_controller.table.facts import CardBurned, CardCorrected, ExtraCardDecided, FreeHandAnnounced
from shoe_controller.table.finishing import (
    confirm,
    end_shoe,
    return_wagers_of,
    show,
    undo,
    void,
    void_and_replay,
)
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.judging import judge, place_of, standing_of
from shoe_controller.table.phases import Phase
from shoe_controller.table.procedure import OverDrawn, Reveal
from shoe_controller.table.shoe_events import close_betting
from shoe_controller.table.state import Alert

Why = tuple[str, str] | None
"""Why something is not possible: a code and a sentence; nothing if it is."""


def why_not(draft: Draft, act: AnyAct, given: PersonActs) -> Why:  # noqa: C901, PLR0911 - one case for each act
    match act:
        case ClearAlert():
            return _why_not_clear(draft, act, given)
        case Confirm():
            return _why_not_confirm(draft, given)
        case FreeHand() if draft.round.wagers:
            return "wagers_stand", "wagers stand already; they must be taken back before a free hand"
        case NoMoreBets() if draft.stopped:
            return "stopped", "the table is stopped"
        case RevealCards():
            if draft.procedure.reveal is not Reveal.BY_DEALER:
                return "not_by_dealer", "at this table the dealer does not show the cards"
            return None if _hidden(draft, act) else ("nothing_hidden", "no such card lies face down")
        case IdentifyCard():
            return _why_not_identify(draft, act)
        case CorrectCard():
            return _why_not_correct(draft, act)
        case UseExtraCard() | BurnExtraCard() if not draft.round.extras:
            return "no_extra_card", "there is no card too many"
        case UseExtraCard() if draft.phase is Phase.DEALING:
            return "not_now", "the round is not complete; the card can only be burned"
        case UndoLastResult() if draft.shoe.previous is None:
            return "nothing_to_undo", "there is no settled round to take back"
        case VoidRound() if draft.phase is Phase.BETTING and not (draft.round.wagers or draft.lasting.alerts):
            return "nothing_to_void", "no wager and no card lies on the table"
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
        case IdentifyCard():
            _identify(draft, act, person)
        case CorrectCard():
            _correct(draft, act, person)
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
            draft.end_alerts(person, "lid_opened")
            end_shoe(draft, reason)
        case _:
            pass  # signing in proves the PIN and does nothing else; a shoe is opened by `table.py`


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
        decide_extra(draft, used=draft.procedure.over_drawn is OverDrawn.USE, person=person)
    if alert.kind == "late_wager":
        late = set(alert.detail.removeprefix("seat ").split(", "))
        return_wagers_of(draft, late, "they came after the first card")
    if _alert(draft, act.alert) is not None:
        draft.end_alert(alert, person)


def _why_not_confirm(draft: Draft, given: PersonActs) -> Why:
    blocking = [alert for alert in draft.lasting.alerts if kind_of(alert).severity.value == "stops"]
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


def _identify(draft: Draft, act: IdentifyCard, person: str) -> None:
    if draft.phase is Phase.FIRST_CARD:
        _identify_first(draft, act, person)
        return
    for alert in draft.lasting.alerts:
        if alert.card == act.number and alert.kind in ("misread", "undisclosed_card"):
            draft.end_alert(alert, person)
    make_known(draft, act.number, act.card, draft.round.cards[act.number - 1].card_id)


def _identify_first(draft: Draft, act: IdentifyCard, person: str) -> None:
    first = draft.shoe.first_card
    if first is None:
        return
    if not count_face(draft, act.card):
        draft.alert("bad_card_out_of_round", "too_many_copies", fault="too_many_copies")
    seq = draft.say(CardBurned, card=act.card, burned=0, to_burn=burns_for(act.card))
    draft.shoe.first_card = msgspec.structs.replace(first, card=act.card, seq=seq)
    draft.end_alerts(person, "misread", "undisclosed_card")
    first_card_known(draft)


def _why_not_correct(draft: Draft, act: CorrectCard) -> Why:
    if not 1 <= act.number <= len(draft.round.cards):
        return "no_such_card", f"there is no card {act.number} in this round"
    laid = draft.round.cards[act.number - 1]
    if laid.card is None:
        return "card_is_unknown", "that card is not known yet; identify it"
    if laid.card is act.card:
        return "same_card", f"that card is {act.card} already"
    return None


def _correct(draft: Draft, act: CorrectCard, person: str) -> None:
    """The face changes, the card stays where it lies; everything after it is worked out anew."""
    laid = draft.round.cards[act.number - 1]
    if laid.card is not None:
        count_face(draft, laid.card, by=-1)
    fits = count_face(draft, act.card)
    draft.replace_card(act.number, card=act.card)
    cards = draft.round.cards
    seq = draft.say(
        CardCorrected,
        place=place_of(act.number, cards[act.number - 1]),
        standing=standing_of(cards),
        replaces=laid.seq,
    )
    draft.replace_card(act.number, seq=seq)
    for alert in draft.lasting.alerts:
        about_this = alert.card == act.number and alert.kind == "too_many_copies"
        # What the cards come to is compared again below, and what they may not be is found again.
        if about_this or alert.kind in ("result_differs", "card_not_due"):
            draft.end_alert(alert, person)
    if not fits:
        draft.alert("too_many_copies", f"card {act.number}, {laid.hand}'s", card=act.number)
    judgement = judge(draft.round.cards)
    if judgement.illegal is not None:
        detail = f"card {judgement.illegal} should not have been drawn"
        draft.alert("card_not_due", detail, card=judgement.illegal)
    draft.round.confirmed_by = None
    after_cards_changed(draft)


def decide_extra(draft: Draft, *, used: bool, person: str) -> None:
    """What becomes of cards too many: the first begins the next round, or all of them are burned."""
    extras = draft.round.extras
    draft.round.extras = ()
    if extras and used:
        draft.shoe.carried = extras[0]
    draft.shoe.burned += len(extras) - used if extras else 0
    if extras:
        draft.say(ExtraCardDecided, burned=len(extras) - used, used=used)
    draft.end_alerts(person, "over_draw", "extra_card")
