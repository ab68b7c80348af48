"""What a state requires: of the shoe (gate, lamps, whose card is next, faults cleared), and a timer.

Both are worked out from the state alone, so that they are the same after a restart, and sent again after a reconnect.
"""

from collections.abc import Iterator

from firmware_protocol.events import FaultCode, Hand
from firmware_protocol.link import DesiredShoe, Lamp
from shoe_controller.baccarat.roads import RoadWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.table.carrying import carries
from shoe_controller.table.draft import is_stopped
from shoe_controller.table.duty import awaits_dealer, burn_is_due
from shoe_controller.table.judging import standing_of
from shoe_controller.table.procedure import GateLocks, Procedure
from shoe_controller.table.state import SECOND, Round, TableState, Timer

RESULT_GRACE = 2 * SECOND
"""Time allowed for the shoe's own result after its button was pressed."""

_HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}
_LAMPS = {RoadWinner.PLAYER: Lamp.PLAYER, RoadWinner.BANKER: Lamp.BANKER, RoadWinner.TIE: Lamp.TIE}


_BY_HAND = DesiredShoe(gate_locked=False, lamps=frozenset(), next_hand=None)
"""While the table is dealt by hand the shoe is left alone: it may be what the cards are dealt from.

While the cards that are left are drawn through the reader, no alert may keep them in."""


def desired_shoe(state: TableState) -> DesiredShoe:
    if state.lasting.hand_entry or (state.shoe is not None and state.shoe.run_out is not None):
        return _BY_HAND
    stopped = is_stopped(state)
    lamps = {Lamp.ALERT} if stopped else set()
    if state.shoe is not None and state.shoe.results and state.phase in (Phase.BETTING, Phase.CLOSED, Phase.ENDED):
        # The last result stays lit until the next card comes.
        lamps.add(_LAMPS[state.shoe.results[-1].winner])
    # Cards that wait for the round before them to be decided on are enough: nobody is to draw more.
    waits = state.shoe is not None and bool(state.shoe.dealt_on)
    locked = stopped or waits or not _card_is_due(state)
    return DesiredShoe(gate_locked=locked, lamps=frozenset(lamps), next_hand=_next_hand(state, stopped))


def faults_put_right(state: TableState) -> frozenset[FaultCode]:
    """The faults of the shoe that are over at the table: all of them, once nothing stops it.

    Not an over-draw whose card begins the next round: it is not known what the shoe would do with that card.
    """
    if is_stopped(state):
        return frozenset()
    kept = {FaultCode.OVER_DRAW} if state.shoe is not None and state.shoe.carried is not None else frozenset()
    return frozenset(FaultCode) - kept


def _card_is_due(state: TableState) -> bool:
    if state.shoe is None or state.shoe.rules.procedure.gate_locks is GateLocks.WHEN_STOPPED:
        return True
    match state.phase:
        case Phase.ENDED:
            return False
        case Phase.BETTING if awaits_dealer(state):
            return False
        case Phase.BETTING:
            free = state.round is not None and state.round.free
            return free or burn_is_due(state) or state.shoe.rules.procedure.bets_close is BetsClose.FIRST_CARD
        case Phase.COMPLETE:
            # While cards lie face down, a locked gate would give away that no more may come.
            return state.round is not None and standing_of(state.round.cards).complete is None
        case _:
            return True


def _next_hand(state: TableState, stopped: bool) -> Hand | None:  # noqa: FBT001 - of this file alone
    if stopped or state.round is None or state.phase not in (Phase.BETTING, Phase.CLOSED, Phase.DEALING):
        return Hand.BURN if state.phase in (Phase.FIRST_CARD, Phase.BURNING) and not stopped else None
    if not _card_is_due(state):
        return None
    if state.phase is not Phase.DEALING and burn_is_due(state):
        return Hand.BURN
    if carries(state) is not None:
        return Hand.BANKER  # the carried card is Player's first
    due = standing_of(state.round.cards).next_hand
    return None if due is None else _HANDS[due]


def next_timer(state: TableState) -> tuple[Timer, int] | None:
    """What the table waits for first, and until when."""
    return min(_timers(state), key=lambda timer: timer[1], default=None)


def due_at(state: TableState, timer: Timer) -> int | None:
    return next((at for name, at in _timers(state) if name is timer), None)


def _timers(state: TableState) -> Iterator[tuple[Timer, int]]:
    procedure = Procedure() if state.shoe is None else state.shoe.rules.procedure
    if state.lasting.proposal is not None:
        yield Timer.PROPOSAL, state.lasting.proposal.at_ns + int(procedure.approve_within * SECOND)
    if state.round is not None and not is_stopped(state):
        yield from _round_timers(state, state.round, procedure)


def _round_timers(state: TableState, playing: Round, procedure: Procedure) -> Iterator[tuple[Timer, int]]:
    if state.phase is Phase.DEALING and procedure.draw_within is not None:
        reported = any(alert.kind is AlertKind.DRAW_TOO_SLOW for alert in state.lasting.alerts)
        # Where faces are not known yet, the cards may well be all there: the shoe waits for its result button.
        if not reported and standing_of(playing.cards).complete is False:
            last = max(playing.last_card_ns, playing.resumed_ns)
            yield Timer.DRAW, last + int(procedure.draw_within * SECOND)
    if state.phase is Phase.COMPLETE and playing.confirmed_by is None and not state.lasting.hand_entry:
        if procedure.confirm_after is not None:
            last = max(playing.complete_ns, playing.resumed_ns)
            yield Timer.CONFIRM, last + int(procedure.confirm_after * SECOND)
        if playing.button_ns is not None:
            yield Timer.RESULT, playing.button_ns + RESULT_GRACE
