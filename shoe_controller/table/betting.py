"""Wagers: placed, changed and withdrawn by seat, while they are open and the shoe is there."""

from shoe_controller.baccarat.house import refusals
from shoe_controller.table.draft import Draft
from shoe_controller.table.facts import WagersChanged
from shoe_controller.table.finishing import placed
from shoe_controller.table.inputs import SeatBets
from shoe_controller.table.phases import Phase
from shoe_controller.table.state import StandingWager

MOST_AT_ONCE = 100
"""Wagers in one request; a layout has fewer."""


def seat_bets(draft: Draft, given: SeatBets) -> None:
    why = _why_closed(draft)
    if why is not None:
        draft.refuse(*why)
        return
    if len(given.stakes) > MOST_AT_ONCE:
        draft.refuse("too_many", f"at most {MOST_AT_ONCE} wagers can be changed at once")
        return
    if given.seat not in draft.house.seats:
        draft.refuse("unknown_seat", f"there is no seat {given.seat!r}; seats: {', '.join(draft.house.seats)}")
        return
    stands = {wager.wager: wager for wager in draft.round.wagers if wager.seat == given.seat}
    for change in given.stakes:
        if change.stake:
            stands[change.wager] = StandingWager(
                seat=given.seat, wager=change.wager, stake=change.stake, accepted_ns=draft.now
            )
        elif stands.pop(change.wager, None) is None:
            draft.refuse("no_such_wager", f"seat {given.seat} has no wager {change.wager} to take back")
            return
    wagers = tuple(stands.values())
    refused = refusals(draft.house, placed(wagers))
    if refused:
        draft.refuse(refused[0].code, "; ".join(refusal.message for refusal in refused))
    elif not given.stakes:
        draft.refuse("nothing", "no wager was named")
    else:
        others = tuple(wager for wager in draft.round.wagers if wager.seat != given.seat)
        draft.round.wagers = (*others, *wagers)
        if any(not change.stake for change in given.stakes):
            # Nothing stands that could show it, should it turn out that the first card had left by now.
            before = tuple(taken for taken in draft.round.taken_back if taken[0] != given.seat)
            draft.round.taken_back = (*before, (given.seat, draft.now))
        draft.say(WagersChanged, seat=given.seat, wagers=placed(wagers), total=sum(wager.stake for wager in wagers))


def _why_closed(draft: Draft) -> tuple[str, str] | None:
    if draft.phase is not Phase.BETTING:
        return "betting_closed", "wagers are not open now"
    if draft.stopped:
        return "stopped", "the table is stopped; wagers are not taken until it goes on"
    if not draft.lasting.link.up:
        return "no_shoe_link", "the shoe is not connected; wagers are not taken until it is"
    if draft.round.free:
        return "free_hand", "this round is a free hand, dealt without wagers"
    return None
