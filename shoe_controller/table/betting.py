"""Wagers: placed, changed and withdrawn by seat, while they are open and the shoe is there; what was late returned."""

from collections.abc import Iterable

import msgspec

from shoe_controller.baccarat.house import refusals
from shoe_controller.baccarat.wager_refusals import UnknownSeat
from shoe_controller.messages.causes import CorrectionCause
from shoe_controller.messages.facts import WagersChanged, WagersCorrected
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    BettingClosedRefused,
    FreeHandRefused,
    NoShoeLink,
    NoSuchWager,
    TableStopped,
    TooManyChanges,
)
from shoe_controller.table.draft import Draft, is_stopped
from shoe_controller.table.finishing import FREE_STAYS_FREE, by_seat, placed, stakes_by_seat
from shoe_controller.table.inputs import SeatBets
from shoe_controller.table.state import SeatChange, StandingWager, TableState

MOST_CHANGES = 100
"""Changes of one seat that are kept in a round."""

KEEPS_EVERY_CHANGE = 4
"""The `REVISION` of the running program from which a seat makes no more changes than are kept, and one that changes
nothing is none. Before, the oldest was forgotten, and with it what was in time."""


def seat_bets(draft: Draft, given: SeatBets) -> None:
    closed = why_betting_closed(draft.state)
    if closed is not None:
        draft.refuse(closed)
        return
    if given.seat not in draft.house.seats:
        draft.refuse(UnknownSeat(seat=given.seat, wager="", seats=draft.house.seats))
        return
    stands = {wager.wager: wager for wager in draft.round.wagers if wager.seat == given.seat}
    for change in given.stakes:
        if change.stake:
            stands[change.wager] = StandingWager(
                seat=given.seat, wager=change.wager, stake=change.stake, accepted_ns=draft.now
            )
        elif stands.pop(change.wager, None) is None:
            draft.refuse(NoSuchWager(seat=given.seat, wager=change.wager))
            return
    wagers = tuple(stands.values())
    refused = refusals(draft.house, placed(wagers))
    if refused:
        draft.refuse(refused[0])
    elif _too_many_changes(draft, given.seat, wagers):
        draft.refuse(TooManyChanges(seat=given.seat, most=MOST_CHANGES))
    else:
        if not _keeps_every_change(draft) or _changes(draft, given.seat, wagers):
            note_change(draft, given.seat)
        others = tuple(wager for wager in draft.round.wagers if wager.seat != given.seat)
        draft.round.wagers = (*others, *wagers)
        if any(not change.stake for change in given.stakes):
            # Nothing stands that could show it, should it turn out that the first card had left by now.
            before = tuple(taken for taken in draft.round.taken_back if taken[0] != given.seat)
            draft.round.taken_back = (*before, (given.seat, draft.now))
        draft.emit(
            WagersChanged,
            seat=given.seat,
            wagers=placed(wagers),
            total=sum(wager.stake for wager in wagers),
            user=given.user,
        )


def _keeps_every_change(draft: Draft) -> bool:
    return draft.lasting.revision >= KEEPS_EVERY_CHANGE


def _changes(draft: Draft, seat: str, wagers: Iterable[StandingWager]) -> bool:
    return set(placed(wagers)) != set(placed(wager for wager in draft.round.wagers if wager.seat == seat))


def _too_many_changes(draft: Draft, seat: str, wagers: Iterable[StandingWager]) -> bool:
    made = sum(change.seat == seat for change in draft.round.changes)
    return made >= MOST_CHANGES and _keeps_every_change(draft) and _changes(draft, seat, wagers)


def note_change(draft: Draft, seat: str) -> None:
    """The wagers of this seat are about to change; what they are now is kept, should that turn out to be too late."""
    playing = draft.round
    of_seat = [change for change in playing.changes if change.seat == seat]
    full = len(of_seat) >= MOST_CHANGES and not _keeps_every_change(draft)
    forgotten = of_seat[0] if full else None
    before = tuple(wager for wager in playing.wagers if wager.seat == seat)
    kept = tuple(change for change in playing.changes if change is not forgotten)
    playing.changes = (*kept, SeatChange(seat=seat, at_ns=draft.now, before=before))


def return_late(draft: Draft, seats: set[str]) -> None:
    """The wagers of these seats are again what they were when the first card left the shoe; a free hand has none."""
    playing = draft.round
    if playing.free and draft.lasting.revision >= FREE_STAYS_FREE:
        return
    in_time: dict[str, tuple[StandingWager, ...]] = {}
    for change in playing.changes:
        if change.seat in seats and change.at_ns > playing.first_card_ns:
            in_time.setdefault(change.seat, change.before)
    playing.changes = tuple(change for change in playing.changes if change.seat not in in_time)
    if in_time:
        others = tuple(wager for wager in playing.wagers if wager.seat not in in_time)
        correct_wagers(draft, CorrectionCause.LATE, (*others, *(w for wagers in in_time.values() for w in wagers)))


def decide_wager(draft: Draft, seat: str, decided: str, wagers: Iterable[StandingWager]) -> None:
    """Supervisors have said what this wager of the seat is: that stands, and what else was late is still returned."""
    stands = tuple(wager for wager in wagers if (wager.seat, wager.wager) == (seat, decided))
    draft.round.changes = tuple(
        msgspec.structs.replace(change, before=(*(wager for wager in change.before if wager.wager != decided), *stands))
        if change.seat == seat
        else change
        for change in draft.round.changes
    )


def correct_wagers(draft: Draft, cause: CorrectionCause, wagers: tuple[StandingWager, ...]) -> None:
    """These are the wagers of the round from now on."""
    before, after = placed(draft.round.wagers), placed(wagers)
    changed = set(before) ^ set(after)
    seats = tuple(seat for seat in draft.house.seats if any(wager.seat == seat for wager in changed))
    draft.round.wagers = wagers
    if seats:
        draft.emit(
            WagersCorrected,
            cause=cause,
            seats=seats,
            before=tuple(wager for wager in before if wager.seat in seats),
            after=tuple(wager for wager in after if wager.seat in seats),
            difference=by_seat(stakes_by_seat(before), stakes_by_seat(after), sign=-1),
            stakes=sum(wager.stake for wager in after),
        )


def why_betting_closed(state: TableState) -> AnyRefusal | None:
    """Why no wager is accepted now; nothing if one is."""
    # While the table is dealt by hand, a card that the shoe reported has left it, also before it is entered.
    if state.phase is not Phase.BETTING or state.round is None or state.lasting.unentered:
        return BettingClosedRefused()
    if is_stopped(state):
        return TableStopped()
    if not state.lasting.link.up and not state.lasting.hand_entry:
        return NoShoeLink()
    if state.round.free:
        return FreeHandRefused()
    return None
