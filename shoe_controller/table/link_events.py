"""The link to the shoe, the controller's own restarts and clock, and its journal: what happens around the cards."""

import msgspec

from firmware_protocol.events import LineLook
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import GateObeyed, PublishingAgain, SessionBegun, ShoeBack, StoringAgain
from shoe_controller.messages.details import (
    AgeOfEvent,
    BrokerError,
    ClockStep,
    ControllerRestarted,
    DealtSign,
    DecoderMessage,
    EarlierDetail,
    FloodingUser,
    JournalSetAside,
    LineLooksLike,
    LinkDropped,
    MetController,
    NewJournalBegun,
    OldShoeUnheard,
    OperatingSystemError,
    OtherController,
    ShoeExchangedNow,
    SilentController,
    SilentShoe,
    StatusBeyondJournal,
)
from shoe_controller.messages.facts import CheckpointSigned, ShoeExchanged, ShoeLinkChanged
from shoe_controller.table.alerts import ENDED_BY_SESSION_NAMES
from shoe_controller.table.carrying import burn_carried_before_wagers
from shoe_controller.table.dealing import over_draw_is_over
from shoe_controller.table.dealing_on import gap_waits
from shoe_controller.table.draft import Draft
from shoe_controller.table.entered_cards import await_nothing, date_entries_anew, some_may_be_missing
from shoe_controller.table.inputs import (
    AgeImpossible,
    CheckpointMade,
    ClockStepped,
    ControllerMet,
    ControllerStarted,
    EventsMissed,
    GateUnanswered,
    JournalBegun,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LineStrange,
    LinkBack,
    LinkLost,
    MessagesRefused,
    NewShoeLine,
    RequestsFlooded,
    StatusAhead,
)
from shoe_controller.table.phases import IN_ROUND
from shoe_controller.table.pins import date_pins_anew
from shoe_controller.table.shoe_events import IN_PLAY, LID_OF_THE_READER, restarted
from shoe_controller.table.state import LinkState, PublishedCheckpoint, Round

SETTINGS = {
    LineLook.NATIVE: 'wire = "native"',
    LineLook.ANGEL_EYE: 'wire = "angel_eye"',
    LineLook.LINES: 'wire = "lines"',
    LineLook.OTHER_SPEED: "baud",
}
"""What to set in [shoe], by what the line looks like."""

MAY_BE_THE_SAME = 4
"""The `REVISION` of the running program from which a shoe may be exchanged for itself at another port, and still report
cards that were entered."""

ONE_ALERT = 5
"""The `REVISION` of the running program from which a shoe that is back and has kept nothing leaves one alert."""

MOST_FLOODS = 5
"""Alerts about flooding clients that stand at once: a broker without an access list lets a client use any name."""

SAYS_WHAT_IS_KEPT = 5
"""The revision from which on the link's fact says whether the shoe keeps its events."""


def link_lost(draft: Draft, given: LinkLost) -> None:
    if draft.lasting.link.up:
        _link_down(draft, EarlierDetail(text=given.reason) if given.how is None else LinkDropped(cause=given.how))


def _link_down(draft: Draft, cause: LinkDropped | ControllerRestarted | EarlierDetail) -> None:
    draft.lasting.link = msgspec.structs.replace(draft.lasting.link, up=False)
    _emit_link(draft, cause)
    if draft.state.shoe is not None and not draft.lasting.link.keeps_events:
        over_draw_is_over(draft)
        draft.shoe.joined_in_doubt = False
    if draft.phase in IN_ROUND and not draft.lasting.hand_entry:
        draft.alert(AlertKind.SHOE_LOST, cause)


def link_back(draft: Draft, given: LinkBack) -> None:
    before = draft.lasting.link
    draft.lasting.link = LinkState(
        up=True,
        keeps_events=given.keeps_events,
        authenticated=given.authenticated,
        boot_id=given.boot_id,
        shoe_name=given.shoe_name,
        can_blink=given.can_blink,
    )
    _emit_link(draft, None)
    for alert in draft.lasting.alerts:
        if alert.kind is AlertKind.LINE_REFUSED and alert.fault in ENDED_BY_SESSION_NAMES:
            draft.end_alert(alert, SessionBegun())
    draft.end_alerts(ShoeBack(), AlertKind.GATE_UNANSWERED)  # the link commands it anew
    if given.keeps_events:  # the other wires are up as soon as their port is open
        draft.end_alerts(ShoeBack(), AlertKind.WRONG_LINE)
    exchanged, draft.lasting.exchanged = draft.lasting.exchanged, None
    if not given.keeps_events or exchanged not in (None, given.shoe_name):
        await_nothing(draft)
    if given.boot_id != before.boot_id:
        # A shoe that restarted reports that as its first event too; the one that comes first raises the alert.
        restarted(draft)
    in_doubt = IN_PLAY if draft.lasting.revision >= ONE_ALERT else IN_PLAY - IN_ROUND
    if given.keeps_events:
        draft.end_alerts(ShoeBack(), AlertKind.SHOE_LOST)
    elif draft.phase in in_doubt and _may_miss_cards(draft) and not draft.lasting.hand_entry:
        # Whole rounds may have been missed, and the wire's numbers wrap round too soon to show it.
        if not gap_waits(draft, SilentShoe()):
            draft.alert(AlertKind.EVENT_GAP, SilentShoe())
        if draft.lasting.revision >= ONE_ALERT:
            draft.shoe.joined_in_doubt = True
            draft.end_alerts(ShoeBack(), AlertKind.SHOE_LOST)


def _may_miss_cards(draft: Draft) -> bool:
    return draft.shoe.cards_out > 0 or (draft.phase in IN_ROUND and draft.lasting.revision >= ONE_ALERT)


def shoe_exchanged(draft: Draft, line: NewShoeLine) -> None:
    """Another shoe takes the place of this one. What this one kept and could not send is not known to anybody."""
    before = draft.lasting.link
    draft.emit(ShoeExchanged, wire=line.wire, port=line.port)
    draft.lasting.link = LinkState()
    if draft.lasting.revision >= LID_OF_THE_READER:
        # Nobody hears of the old lid any more: the person who clears the alert looks at the new one.
        draft.lasting.lid_open = False
    if before.up:
        _emit_link(draft, ShoeExchangedNow())
    if draft.lasting.revision >= MAY_BE_THE_SAME and before.keeps_events:
        draft.lasting.exchanged = before.shoe_name
    else:
        await_nothing(draft)
    if not before.up and draft.phase in IN_PLAY and draft.shoe.cards_out and not draft.lasting.hand_entry:
        draft.alert(AlertKind.EVENT_GAP, OldShoeUnheard())


def _emit_link(
    draft: Draft, cause: LinkDropped | ControllerRestarted | ShoeExchangedNow | EarlierDetail | None
) -> None:
    link = draft.lasting.link
    draft.emit(
        ShoeLinkChanged,
        up=link.up,
        authenticated=link.authenticated,
        shoe_name=link.shoe_name,
        keeps_events=link.keeps_events if draft.lasting.revision >= SAYS_WHAT_IS_KEPT else None,
        cause=cause,
    )


def events_missed(draft: Draft, given: EventsMissed) -> None:
    some_may_be_missing(draft)
    gap = DecoderMessage(text=given.reason)
    if given.joined and draft.state.shoe is not None and draft.shoe.joined_in_doubt:
        return
    if draft.phase in IN_PLAY and not draft.lasting.hand_entry and not gap_waits(draft, gap):
        draft.alert(AlertKind.EVENT_GAP, gap)


def line_refused(draft: Draft, given: LineRefused) -> None:
    fault = None if given.why is None else given.why.value
    draft.alert(AlertKind.LINE_REFUSED, DecoderMessage(text=given.reason), fault=fault)


def line_strange(draft: Draft, given: LineStrange) -> None:
    look = given.looks_like
    draft.alert(AlertKind.WRONG_LINE, LineLooksLike(looks_like=look, setting=SETTINGS[look]), fault=look.value)


def age_impossible(draft: Draft, given: AgeImpossible) -> None:
    draft.alert(AlertKind.IMPOSSIBLE_AGE, AgeOfEvent(reported_ms=given.reported_ms, taken_ms=given.taken_ms))


def gate_unanswered(draft: Draft, given: GateUnanswered) -> None:
    draft.alert(AlertKind.GATE_UNANSWERED, DecoderMessage(text=given.reason))


def gate_answered(draft: Draft) -> None:
    draft.end_alerts(GateObeyed(), AlertKind.GATE_UNANSWERED)


def clock_stepped(draft: Draft, given: ClockStepped) -> None:
    draft.alert(AlertKind.CLOCK_STEPPED, ClockStep(by_ms=given.by_ms))


def controller_started(draft: Draft, given: ControllerStarted) -> None:
    """Until the shoe reports, its link counts as lost. After a power-up, earlier times cannot be compared any more."""
    draft.lasting.revision = given.revision
    draft.lasting.dealer_signs_in = given.dealer_signs_in
    burn_carried_before_wagers(draft)
    if draft.lasting.boot != given.boot:
        draft.lasting.boot = given.boot
        _date_everything_anew(draft)
    if draft.lasting.link.up:
        _link_down(draft, ControllerRestarted())


def _date_everything_anew(draft: Draft) -> None:
    now = draft.now
    date_pins_anew(draft)
    date_entries_anew(draft)
    if draft.lasting.proposal is not None:
        draft.lasting.proposal = msgspec.structs.replace(draft.lasting.proposal, at_ns=now)
    playing = draft.state.round
    if playing is not None:
        _date_round(playing, now)


def _date_round(playing: Round, now: int) -> None:
    # A card that left the shoe before now cannot be distinguished from one that left before the wagers were accepted.
    playing.wagers = tuple(msgspec.structs.replace(wager, accepted_ns=now) for wager in playing.wagers)
    playing.taken_back = tuple((seat, now) for seat, _ in playing.taken_back)
    if playing.first_card_ns:
        late = playing.first_card_ns
        playing.first_card_ns = now - 1
        playing.changes = tuple(
            msgspec.structs.replace(change, at_ns=now if change.at_ns > late else now - 1) for change in playing.changes
        )
    else:
        playing.changes = tuple(msgspec.structs.replace(change, at_ns=now) for change in playing.changes)
    playing.reported_ns = None
    playing.last_card_ns = playing.complete_ns = playing.resumed_ns = now
    if playing.button_ns is not None:
        playing.button_ns = now


def journal_failed(draft: Draft, given: JournalFailed) -> None:
    kind = AlertKind(given.trouble.value)
    detail = JournalSetAside(files=given.set_aside) if given.set_aside else OperatingSystemError(text=given.detail)
    draft.alert(kind, detail)
    if given.trouble is JournalTrouble.FULL:
        # That this could be stored means that there is room again.
        draft.end_alerts(StoringAgain(), kind)


def status_ahead(draft: Draft, given: StatusAhead) -> None:
    draft.alert(AlertKind.STATUS_AHEAD, StatusBeyondJournal(number=given.number, noted=given.noted))


def dealt_before(draft: Draft) -> None:
    draft.alert(AlertKind.JOURNAL_BEGUN, NewJournalBegun(signs=(DealtSign.STATUS,)))


def journal_begun(draft: Draft, given: JournalBegun) -> None:
    """On the record in any case; where the table has dealt before, a supervisor looks at that first."""
    draft.restart_from(given.state)
    if given.signs:
        draft.alert(AlertKind.JOURNAL_BEGUN, NewJournalBegun(signs=given.signs))


def controller_met(draft: Draft, given: ControllerMet) -> None:
    """One that is refused again and again is one alert; that it has served as well is another."""
    known = given.how is not MetController.UNANSWERED
    detail = OtherController(how=given.how, host=given.host, address=given.address) if known else SilentController()
    draft.alert(AlertKind.ANOTHER_CONTROLLER, detail, fault=given.how.value)


def messages_refused(draft: Draft, given: MessagesRefused) -> None:
    draft.alert(AlertKind.MESSAGES_REFUSED, BrokerError(text=given.reason))


def messages_taken(draft: Draft) -> None:
    draft.end_alerts(PublishingAgain(), AlertKind.MESSAGES_REFUSED)


def requests_flooded(draft: Draft, given: RequestsFlooded) -> None:
    standing = sum(alert.kind is AlertKind.REQUEST_FLOOD for alert in draft.lasting.alerts)
    if standing < MOST_FLOODS:
        draft.alert(AlertKind.REQUEST_FLOOD, FloodingUser(user=given.user), fault=given.user)


def checkpoint_made(draft: Draft, given: CheckpointMade) -> None:
    """Publish it, each one once: after a crash the engine may bring one that is published already."""
    checkpoint = given.checkpoint
    last = draft.lasting.checkpoint
    if last is None or last.journal != checkpoint.journal or last.index < checkpoint.index:
        draft.lasting.checkpoint = PublishedCheckpoint(journal=checkpoint.journal, index=checkpoint.index)
        draft.emit(CheckpointSigned, checkpoint=checkpoint)
