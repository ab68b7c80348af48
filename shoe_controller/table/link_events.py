"""The line to the shoe, the controller's own restarts and clock, and its journal: what happens around the cards."""

import msgspec

from shoe_controller.table.draft import Draft
from shoe_controller.table.facts import ShoeLinkChanged
from shoe_controller.table.inputs import (
    ClockStepped,
    ControllerStarted,
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LinkBack,
    LinkLost,
    MessagesRefused,
)
from shoe_controller.table.phases import IN_ROUND
from shoe_controller.table.shoe_events import IN_PLAY, restarted
from shoe_controller.table.state import SECOND, LinkState, Round


def link_lost(draft: Draft, given: LinkLost) -> None:
    if draft.lasting.link.up:
        _link_down(draft, given.reason)


def _link_down(draft: Draft, why: str) -> None:
    draft.lasting.link = msgspec.structs.replace(draft.lasting.link, up=False)
    _say_link(draft, why)
    if draft.phase in IN_ROUND:
        draft.alert("shoe_lost", why)


def link_back(draft: Draft, given: LinkBack) -> None:
    before = draft.lasting.link
    draft.lasting.link = LinkState(
        up=True,
        keeps_events=given.keeps_events,
        authenticated=given.authenticated,
        boot_id=given.boot_id,
        shoe_name=given.shoe_name,
    )
    _say_link(draft, "")
    if given.boot_id != before.boot_id:
        # A shoe that has started anew says so as its first event too; whichever comes first raises the alert.
        restarted(draft)
    if given.keeps_events:
        draft.end_alerts("the shoe is back, with every event", "shoe_lost")
    elif draft.phase in IN_PLAY - IN_ROUND and draft.shoe.cards_out:
        # Whole rounds may have been dealt unheard, and the wire's numbers come round again too soon to show it.
        draft.alert("event_gap", "the shoe was not heard for a while, and does not tell again what it told then")


def _say_link(draft: Draft, why: str) -> None:
    link = draft.lasting.link
    draft.say(ShoeLinkChanged, up=link.up, authenticated=link.authenticated, shoe_name=link.shoe_name, why=why)


def events_missed(draft: Draft, given: EventsMissed) -> None:
    if draft.phase in IN_PLAY:
        draft.alert("event_gap", given.reason)


def line_refused(draft: Draft, given: LineRefused) -> None:
    draft.alert("line_refused", given.reason)


def clock_stepped(draft: Draft, given: ClockStepped) -> None:
    draft.alert("clock_stepped", f"by {given.by_ms / 1000:+.1f} s")


def controller_started(draft: Draft, given: ControllerStarted) -> None:
    """Until the shoe is heard of, it is taken for lost. After a power-up, old moments mean nothing any more."""
    if draft.lasting.boot != given.boot:
        draft.lasting.boot = given.boot
        _date_everything_anew(draft)
    if draft.lasting.link.up:
        _link_down(draft, "the controller started anew")


def _date_everything_anew(draft: Draft) -> None:
    now = draft.now
    locked_until = now + int(draft.procedure.locked_out_for * SECOND)
    draft.lasting.pins = tuple(
        record if record.locked_until_ns is None else msgspec.structs.replace(record, locked_until_ns=locked_until)
        for record in draft.lasting.pins
    )
    if draft.lasting.proposal is not None:
        draft.lasting.proposal = msgspec.structs.replace(draft.lasting.proposal, at_ns=now)
    playing = draft.state.round
    if playing is not None:
        _date_round(playing, now)


def _date_round(playing: Round, now: int) -> None:
    # A card that left the shoe before now cannot be told from one that left before the wagers were accepted.
    playing.wagers = tuple(msgspec.structs.replace(wager, accepted_ns=now) for wager in playing.wagers)
    playing.taken_back = tuple((seat, now) for seat, _ in playing.taken_back)
    playing.last_card_ns = playing.complete_ns = playing.resumed_ns = now
    if playing.button_ns is not None:
        playing.button_ns = now


def journal_failed(draft: Draft, given: JournalFailed) -> None:
    draft.alert(given.trouble.value, given.detail)
    if given.trouble is JournalTrouble.FULL:
        # That this could be stored means that there is room again.
        draft.end_alerts("there is room again", given.trouble.value)


def messages_refused(draft: Draft, given: MessagesRefused) -> None:
    draft.alert("messages_refused", given.reason)


def messages_taken(draft: Draft) -> None:
    draft.end_alerts("the broker takes them again", "messages_refused")
