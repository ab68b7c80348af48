"""Wagers: placed, changed and withdrawn by seat, while they are open and the shoe is there."""

from shoe_controller.baccarat.house import refusals
from shoe_controller.baccarat.wager_refusals import UnknownSeat
from shoe_controller.messages.facts import WagersChanged
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    BettingClosedRefused,
    FreeHandRefused,
    NoShoeLink,
    NoSuchWager,
    TableStopped,
)
from shoe_controller.table.draft import Draft, is_stopped
from shoe_controller.table.finishing import placed
from shoe_controller.table.inputs import SeatBets
from shoe_controller.table.state import StandingWager, TableState


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
    else:
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


def why_betting_closed(state: TableState) -> AnyRefusal | None:
    """Why no wager is accepted now; nothing if one is."""
    if state.phase is not Phase.BETTING or state.round is None:
        return BettingClosedRefused()
    if is_stopped(state):
        return TableStopped()
    if not state.lasting.link.up:
        return NoShoeLink()
    if state.round.free:
        return FreeHandRefused()
    return None
