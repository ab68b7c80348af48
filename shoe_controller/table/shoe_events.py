"""What the shoe reports, event by event: each is judged in the phase in which it comes.

Cards go on to `dealing.py` and `identifying.py`. Everything else is here: the shoe's result, its buttons, faults, lid
and restarts.
"""

from copy import copy

from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CameAgain,
    CardDrawn,
    CardIdentified,
    CardReadAgain,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    Started,
)
from shoe_controller.baccarat.facts import Winner
from shoe_controller.messages.actors import AnyActor, ShoeButton
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.causes import EndedByShoe, FaultClearedNow, MoreCameAgain, ShoeBack, ShoeRestartedNow
from shoe_controller.messages.details import (
    AnotherRoundBegun,
    CardOfRound,
    CardProblem,
    EventsCameAgain,
    FaceReadAgain,
    FirstCardOfShoe,
    ShoeFault,
    ShoeIndicates,
    ShoeRestarted,
    ShoeStoreFull,
)
from shoe_controller.messages.facts import BettingClosed, CutCardOut
from shoe_controller.messages.phases import Phase
from shoe_controller.table.alerts import Scope, rule_of
from shoe_controller.table.burning import bad_card_out_of_round, burn_announced
from shoe_controller.table.counting import arrived_from
from shoe_controller.table.dealing import (
    await_extra_card,
    card_left,
    cards_left_together,
    carried_over,
    due_in_truth,
    over_draw_is_over,
)
from shoe_controller.table.dealing_on import has_begun_unnoticed, next_to_deal, waits
from shoe_controller.table.draft import Draft
from shoe_controller.table.entered_cards import about_entered_cards
from shoe_controller.table.finishing import compare_results, confirm, result_differs, settle_if_ready
from shoe_controller.table.identifying import card_identified
from shoe_controller.table.inputs import ShoeReport
from shoe_controller.table.inventory import is_bad, judge_shoe
from shoe_controller.table.judging import judge
from shoe_controller.table.opening import ENDS_WITH_SUPERVISOR, button_too_early, held_back
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND, Move
from shoe_controller.table.remainder import counts_remainder
from shoe_controller.table.state import Alert

CARRIED_IS_NO_NEW_CARD = 3
"""The first `REVISION` in which a card that is carried over without an open shoe is not set aside once more."""

COMPARES_FAULTS = 3
"""The first `REVISION` in which a fault of the last card is not taken for what stands about an earlier one."""

LID_OF_THE_READER = 4
"""The `REVISION` of the running program from which an open lid does not outlast its shoe, nor hold up dealing by
hand."""

WARNS_OF_RESTART = 5
"""The `REVISION` of the running program from which a restart does not stop a table without cards and wagers."""

COMPARED_ONCE = 6
"""The `REVISION` of the running program from which cards that waited are compared with entered ones when they come, and
not once more when they are dealt: what was entered meanwhile may be reported later."""

IN_PLAY = frozenset(Phase) - {Phase.NO_SHOE, Phase.ENDED}


def shoe_reports(draft: Draft, report: ShoeReport) -> None:
    if not isinstance(report.event, Misread | ForeignCard):  # a reader of lines makes these of whatever comes
        draft.end_alerts(ShoeBack(), AlertKind.WRONG_LINE)
    if isinstance(report.event, CameAgain):
        _came_again(draft, report.event.what)
    elif about_entered_cards(draft, report):
        settle_if_ready(draft)
    else:
        _judge_event(draft, report.event, report.age_ms)


def _judge_event(draft: Draft, event: AnyShoeEvent, age_ms: int) -> None:  # noqa: C901, PLR0912 - one case for each event
    if counts_remainder(draft, event) or held_back(draft, event) or waits(draft, event):
        return
    match event:
        case CardDrawn(carried_over=True) if _is_on_record(draft):
            carried_over(draft, event, age_ms)
        case CardDrawn() | Misread() | ForeignCard():
            card_left(draft, arrived_from(event, age_ms))
        case DoubleFeed():
            cards_left_together(draft, event, age_ms)
        case CardIdentified():
            card_identified(draft, event)
        case Burn():
            burn_announced(draft, event)
        case ResultIndicated():
            _result(draft, event)
        case CutCard():
            cut_card(draft)
        case ButtonPressed():
            _button(draft, event.button)
        case Fault():
            _fault(draft, event)
        case FaultCleared():
            _fault_cleared(draft, event)
        case CardReadAgain(card_id=None) if draft.phase in IN_PLAY and not draft.lasting.hand_entry:
            # Of a piece it is known that it is the same one: that stands in the journal, and nothing follows.
            draft.alert(AlertKind.EVENT_GAP, FaceReadAgain())
        case CardReturned():
            draft.alert(AlertKind.CARD_PUSHED_BACK)
        case LidChanged():
            _lid(draft, event)
        case Started():
            restarted(draft)
            if draft.phase in CARDS_OUT:
                # What it had kept from before has come: a wire that keeps events sends them in order.
                draft.round.restarted = True
        case PresetChanged():
            draft.alert(AlertKind.PRESET_CHANGED)
        case _:
            pass  # standby, health and the gate's own report change nothing at the table
    settle_if_ready(draft)


def deal_on(draft: Draft) -> None:
    """The round on the table is decided on: what the shoe reported meanwhile is dealt, as far as nothing stops it."""
    while (waited := next_to_deal(draft)) is not None:
        draft.deals_on = True
        if waited.event is not None and draft.lasting.revision < COMPARED_ONCE:
            shoe_reports(draft, ShoeReport(event=waited.event, sequence=0))
        elif waited.event is not None:
            _judge_event(draft, waited.event, 0)
        else:
            draft.alert(AlertKind.EVENT_GAP, waited.gap)
        judge_shoe(draft, EndedByShoe())
    if draft.state.shoe is not None and has_begun_unnoticed(draft):
        draft.alert(AlertKind.PLACE_FILLED, AnotherRoundBegun())


def _is_on_record(draft: Draft) -> bool:
    """Whether a card that is carried over was put on record when it left the shoe, and is not put there again."""
    return draft.phase is not Phase.NO_SHOE or draft.lasting.revision >= CARRIED_IS_NO_NEW_CARD


def _came_again(draft: Draft, event: AnyShoeEvent) -> None:
    """The shoe's numbers went back, and what it sends is on the record already: count nothing, and tell people."""
    events, cards = 1, _cards_in(event)
    for alert in draft.lasting.alerts:
        if alert.kind is AlertKind.EVENTS_CAME_AGAIN and isinstance(alert.detail, EventsCameAgain):
            events, cards = events + alert.detail.events, cards + alert.detail.cards
            draft.end_alert(alert, MoreCameAgain())
    draft.alert(AlertKind.EVENTS_CAME_AGAIN, EventsCameAgain(events=events, cards=cards))


def _cards_in(event: AnyShoeEvent) -> int:
    match event:
        case CardDrawn():
            return 0 if event.carried_over else 1
        case Misread() | ForeignCard():
            return 1
        case DoubleFeed():
            return event.cards
    return 0


# --- results ---------------------------------------------------------------------------------------------------------


def _result(draft: Draft, event: ResultIndicated) -> None:
    if draft.phase not in CARDS_OUT:
        _result_between_rounds(draft, event)
        return
    playing = draft.round
    draft.shoe.over_draw_awaited = False
    if playing.forgotten:
        return  # it is the result of a round that the shoe began after its restart
    playing.button_ns = None
    judgement = judge(playing.cards)
    if event.winner is not None and judgement.card_is_due:
        # It is the result of a round that goes on, so it is not kept.
        draft.alert(AlertKind.RESULT_TOO_EARLY, ShoeIndicates(winner=Winner(event.winner.value)))
        return
    playing.indicated = event
    if event.winner is None:
        if not any(_stops_round(alert) for alert in draft.lasting.alerts):
            draft.alert(AlertKind.ENDED_BY_FORCE)
    elif judgement.unknown is not None:
        for number, laid in enumerate(playing.cards, 1):
            if laid.card is None and not any(alert.card == number for alert in draft.lasting.alerts):
                draft.alert(AlertKind.UNDISCLOSED_CARD, CardOfRound(number=number, hand=laid.hand), card=number)
    elif judgement.complete:
        compare_results(draft, event)


def _stops_round(alert: Alert) -> bool:
    return rule_of(alert).scope is Scope.ROUND and rule_of(alert).severity is Severity.STOPS


def _result_between_rounds(draft: Draft, event: ResultIndicated) -> None:
    shoe = draft.state.shoe
    if shoe is None:
        draft.alert(AlertKind.STRAY_RESULT)
        return
    if shoe.result_owed:
        # The round was voided before the shoe gave its result: whatever it is, it means nothing any more.
        shoe.result_owed = False
        return
    previous = shoe.previous
    if previous is not None and previous.forgotten:
        return
    if previous is not None and previous.indicated is None:
        shoe.previous = copy(previous)
        shoe.previous.indicated = event
        difference = result_differs(event, previous)
        if difference is not None:
            draft.alert(AlertKind.SETTLED_RESULT_DIFFERS, difference)
    elif shoe.rounds == 0:
        draft.alert(AlertKind.RESULT_AFTER_SHOE_CHANGE)
    elif event.winner is not None:
        draft.alert(AlertKind.STRAY_RESULT, ShoeIndicates(winner=Winner(event.winner.value)))


def result_grace_over(draft: Draft) -> None:
    """The shoe's button was pressed and no result of its own followed: the button confirms."""
    draft.round.button_ns = None
    if draft.phase is Phase.COMPLETE:
        confirm(draft, ShoeButton())


# --- the cut card, buttons, lid --------------------------------------------------------------------------------------


def cut_card(draft: Draft, entered_by: str | None = None) -> None:
    if draft.phase in IN_PLAY and draft.shoe.last_round is None:
        # Before a round the cut card belongs to the round that comes.
        comes = draft.shoe.rounds + 1 if draft.state.round is None else draft.round.number
        draft.shoe.last_round = max(draft.shoe.rounds + draft.procedure.last_rounds, comes)
        draft.emit(CutCardOut, last_round=draft.shoe.last_round, entered_by=entered_by)
        draft.shoe.cut_card_entered = entered_by is not None and draft.lasting.revision >= ENDS_WITH_SUPERVISOR
    elif draft.state.shoe is not None and entered_by is None:
        draft.shoe.cut_card_entered = False


def _button(draft: Draft, button: Button) -> None:
    match button:
        case Button.NO_MORE_BETS if draft.phase is Phase.BETTING and not is_bad(draft.shoe):
            close_betting(draft, ShoeButton())
        case Button.RESULT if draft.phase is Phase.DEALING and judge(draft.round.cards).card_is_due:
            draft.alert(AlertKind.RESULT_TOO_EARLY)
        case Button.RESULT if draft.phase is Phase.COMPLETE:
            draft.round.button_ns = draft.now
        case Button.CALL_SUPERVISOR:
            draft.alert(AlertKind.SUPERVISOR_CALLED)
        case Button.NEW_SHOE if draft.phase in IN_ROUND:
            draft.alert(AlertKind.SHOE_CHANGED)
        case Button.NEW_SHOE:
            button_too_early(draft)
        case _:
            pass


def close_betting(draft: Draft, closed_by: AnyActor) -> None:
    stakes = sum(wager.stake for wager in draft.round.wagers)
    draft.emit(BettingClosed, closed_by=closed_by, stakes=stakes, dealer=draft.lasting.dealer_id)
    draft.move(Move.CLOSE)


def _lid(draft: Draft, event: LidChanged) -> None:
    draft.lasting.lid_open = event.opened
    if event.opened and draft.phase in IN_PLAY:
        draft.alert(AlertKind.LID_OPENED)


def lid_still_open(draft: Draft) -> None:
    """Cards are about to be dealt through the reader, and the lid of the shoe was not closed."""
    by_hand = draft.lasting.hand_entry and draft.lasting.revision >= LID_OF_THE_READER
    if draft.lasting.lid_open and not by_hand:
        draft.alert(AlertKind.LID_OPENED)


def restarted(draft: Draft) -> None:
    """The shoe has started afresh: what it had reported as wrong is over, and it may have forgotten the round."""
    for alert in draft.lasting.alerts:
        if alert.kind in _SHOE_FAULTS:
            draft.end_alert(alert, ShoeRestartedNow())
    # A lid that was closed while the shoe had no power is not reported: the person who clears the alert looks at it.
    draft.lasting.lid_open = False
    if draft.lasting.hand_entry:
        return
    loses_cards = draft.phase in IN_PLAY and bool(draft.shoe.cards_out) and not draft.lasting.link.keeps_events
    over_draw_is_over(draft)
    if draft.state.shoe is not None and draft.lasting.revision >= WARNS_OF_RESTART:
        draft.shoe.uncertain = draft.shoe.uncertain or loses_cards
    if draft.phase in CARDS_OUT:
        draft.alert(AlertKind.SHOE_RESTARTED)
    elif loses_cards and not _risks_wagers(draft):
        draft.alert(AlertKind.RESTARTED_BETWEEN_ROUNDS)
    elif loses_cards:
        draft.alert(AlertKind.EVENT_GAP, ShoeRestarted())


def _risks_wagers(draft: Draft) -> bool:
    """Whether the round of wagers that stand may have been dealt unseen."""
    wagers = draft.state.round is not None and bool(draft.round.wagers)
    return wagers or draft.lasting.revision < WARNS_OF_RESTART


# --- faults ----------------------------------------------------------------------------------------------------------


def _fault(draft: Draft, event: Fault) -> None:  # noqa: C901 - one case for each fault
    match event.code:
        case FaultCode.OVER_DRAW if draft.phase in IN_PLAY:
            if not due_in_truth(draft):
                draft.alert(AlertKind.OVER_DRAW)
                await_extra_card(draft)
        case FaultCode.UNREADABLE | FaultCode.FOREIGN_CARD:
            unreadable = event.code is FaultCode.UNREADABLE
            _card_fault(draft, CardProblem.MISREAD if unreadable else CardProblem.FOREIGN_CARD)
        case FaultCode.BUTTON_MISUSED if draft.phase in CARDS_OUT and draft.round.forgotten:
            pass  # the shoe counts from its restart on
        case FaultCode.BUTTON_MISUSED if draft.phase in CARDS_OUT:
            draft.alert(AlertKind.RESULT_TOO_EARLY)
        case FaultCode.PUSHED_BACK_AT_EXIT | FaultCode.PUSHED_BACK_HALF_WAY:
            draft.alert(AlertKind.CARD_PUSHED_BACK)
        case FaultCode.DRAW_TIMEOUT if draft.state.shoe is not None and draft.shoe.over_draw_stands:
            pass  # nobody draws while it is decided what becomes of the extra card
        case FaultCode.DRAW_TIMEOUT | FaultCode.JAM if draft.phase in IN_PLAY:
            draft.alert(AlertKind.NO_CARD_CAME)
        case FaultCode.GATE_FORCED:
            draft.alert(AlertKind.GATE_FORCED)
        case FaultCode.EVENT_STORE_FULL:
            draft.alert(AlertKind.EVENT_GAP, ShoeStoreFull())
        case _:
            kind = AlertKind.SHOE_STOPPED if event.stopped else AlertKind.SHOE_FAULT
            draft.alert(kind, ShoeFault(fault=event.code, number=event.detail), fault=event.code.value)


_SHOE_FAULTS = (AlertKind.SHOE_STOPPED, AlertKind.SHOE_FAULT)
_CARD_FAULTS = (AlertKind.MISREAD, AlertKind.FOREIGN_CARD)


def _card_fault(draft: Draft, problem: CardProblem) -> None:
    """A wire without events for it reports of the last card, after it came, that it could not be read or is foreign."""
    cards = draft.round.cards if draft.phase in CARDS_OUT else ()
    number = len(cards)
    if _is_reported(draft, problem, number):
        return
    if problem is CardProblem.FOREIGN_CARD and draft.state.shoe is not None:
        draft.shoe.foreign += 1
        draft.shoe.last_is_foreign = True
        if cards and cards[-1].drawn == draft.shoe.cards_out:
            draft.replace_card(number, foreign=True)
    if cards and cards[-1].card is None:
        draft.alert(AlertKind(problem), CardOfRound(number=number, hand=cards[-1].hand), card=number)
    elif draft.phase is Phase.FIRST_CARD and draft.shoe.first_card is not None and problem is CardProblem.MISREAD:
        draft.alert(AlertKind.MISREAD, FirstCardOfShoe(), card=0)
    else:
        bad_card_out_of_round(draft, problem)


def _is_reported(draft: Draft, problem: CardProblem, number: int) -> bool:
    """Whether the same was reported of the last card as it came; `number` is its position in the round."""
    shoe, alerts = draft.state.shoe, draft.lasting.alerts
    of_card = any(alert.kind in _CARD_FAULTS and alert.card == number for alert in alerts)
    if shoe is None or shoe.revision < COMPARES_FAULTS:
        return of_card or draft.has_alert(AlertKind.DOUBLE_FEED, AlertKind.BAD_CARD_OUT_OF_ROUND)
    if shoe.last_is_foreign or draft.has_alert(AlertKind.DOUBLE_FEED):
        return True
    if problem is CardProblem.FOREIGN_CARD:
        return False
    # Of cards that left together it is known that they could not be read.
    aside = (alert.fault for alert in alerts if alert.kind is AlertKind.BAD_CARD_OUT_OF_ROUND)
    return of_card or any(fault in (problem, None) for fault in aside)


def _fault_cleared(draft: Draft, event: FaultCleared) -> None:
    if event.code is FaultCode.OVER_DRAW:
        over_draw_is_over(draft)
    for alert in draft.lasting.alerts:
        if alert.kind in _SHOE_FAULTS and alert.fault == event.code.value:
            draft.end_alert(alert, FaultClearedNow())
