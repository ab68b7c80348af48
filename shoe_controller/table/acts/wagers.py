"""Acts about single wagers after the close: a stake set or removed, a wager moved to the seat that it belongs to.

The limits of the house hold for what a supervisor sets, as they do for a seat.
"""

import msgspec

from shoe_controller.baccarat.house import refusals
from shoe_controller.baccarat.wager_refusals import UnknownSeat
from shoe_controller.messages.acts import Act, MoveWager, SetWager
from shoe_controller.messages.causes import CorrectionCause
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal, FreeHandRefused, NoSuchWager, NothingChanges
from shoe_controller.table.acts.act import ActAtTable, By, Seen, only_if
from shoe_controller.table.betting import correct_wagers, decide_wager, note_change
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import placed
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.state import StandingWager

DECIDES_ONE_WAGER = 4
"""The `REVISION` of the running program from which a correction decides about its wager alone. Before, nothing of the
seat was returned any more that was late."""

COUNTS_CARDS_ASIDE = 4
"""The `REVISION` of the running program from which an extra card, and one that waits for a supervisor, is out too."""

Wagers = tuple[StandingWager, ...]


def _with_stake(draft: Draft, act: SetWager) -> Wagers:
    others = tuple(wager for wager in draft.round.wagers if (wager.seat, wager.wager) != (act.seat, act.wager))
    if not act.stake:
        return others
    return (*others, StandingWager(seat=act.seat, wager=act.wager, stake=act.stake, accepted_ns=draft.now))


def _moved(draft: Draft, act: MoveWager) -> Wagers:
    return tuple(
        msgspec.structs.replace(wager, seat=act.to_seat, accepted_ns=draft.now)
        if (wager.seat, wager.wager) == (act.seat, act.wager)
        else wager
        for wager in draft.round.wagers
    )


def _why_not(draft: Draft, act: SetWager | MoveWager, _given: PersonActs) -> AnyRefusal | None:
    if draft.round.free:
        return FreeHandRefused()
    seats = draft.house.seats
    for seat in (act.seat, act.to_seat) if isinstance(act, MoveWager) else (act.seat,):
        if seat not in seats:
            return UnknownSeat(seat=seat, wager=act.wager, seats=seats)
    stands = any((wager.seat, wager.wager) == (act.seat, act.wager) for wager in draft.round.wagers)
    if not stands and (isinstance(act, MoveWager) or not act.stake):
        return NoSuchWager(seat=act.seat, wager=act.wager)
    wagers = _moved(draft, act) if isinstance(act, MoveWager) else _with_stake(draft, act)
    if set(placed(wagers)) == set(placed(draft.round.wagers)):
        return NothingChanges()
    refused = refusals(draft.house, placed(wagers))
    return refused[0] if refused else None


def _set(draft: Draft, act: SetWager, _by: By) -> None:
    _correct(draft, CorrectionCause.SET, _with_stake(draft, act), act.wager, act.seat)


def _move(draft: Draft, act: MoveWager, _by: By) -> None:
    _correct(draft, CorrectionCause.MOVED, _moved(draft, act), act.wager, act.seat, act.to_seat)


def _correct(draft: Draft, cause: CorrectionCause, wagers: Wagers, wager: str, *seats: str) -> None:
    for seat in seats:
        if draft.phase is Phase.CLOSED:
            note_change(draft, seat)
        elif draft.lasting.revision >= DECIDES_ONE_WAGER:
            decide_wager(draft, seat, wager, wagers)
        else:
            draft.round.changes = tuple(change for change in draft.round.changes if change.seat != seat)
    correct_wagers(draft, cause, wagers)


def _card_is_out(seen: Seen) -> bool:
    """Whether somebody may know a card of the round, also one that lies face down or aside, or was carried over."""
    state, playing = seen.state, seen.state.round
    carried = state.shoe is not None and state.shoe.carried is not None
    if state.lasting.revision >= COUNTS_CARDS_ASIDE and playing is not None:
        carried = carried or bool(playing.extras or state.lasting.held)
    return carried or bool(state.lasting.unentered) or not CARDS_OUT.isdisjoint(seen.phases)


TWO_IF_CARD = "once a card of the round has left the shoe"


def _offers_set(seen: Seen) -> bool:
    return seen.state.round is not None and not seen.state.round.free


def _offers_move(seen: Seen) -> bool:
    return seen.state.round is not None and bool(seen.state.round.wagers)


ACTS: dict[type[Act], ActAtTable] = {
    SetWager: ActAtTable(
        phases=IN_ROUND,
        why_not=_why_not,
        does=_set,
        about=only_if(_offers_set),
        takes_two=_card_is_out,
        two_if=TWO_IF_CARD,
    ),
    MoveWager: ActAtTable(
        phases=IN_ROUND,
        why_not=_why_not,
        does=_move,
        about=only_if(_offers_move),
        takes_two=_card_is_out,
        two_if=TWO_IF_CARD,
    ),
}
