"""When faults happen: at a card, at a byte, at random, or as soon as possible after an injection.

Each waits here for its moment: a card of a round, the middle of a round, its end, or none at all. What it then does is
in `fault_effects.py`. All randomness comes from the generator that is passed in.
"""

import random

import msgspec

from simulator.fault_effects import FaultEffects
from simulator.faults import FaultKind, Moment
from simulator.firmware import Stage
from simulator.scenario import PlannedFault
from simulator.virtual_shoe import VirtualShoe

_AFTER_A_CARD = frozenset({Moment.AT_ONCE, Moment.MID_ROUND, Moment.ROUND_COMPLETE})


class _Waiting(msgspec.Struct, eq=False):
    fault: PlannedFault
    times_left: int | None


class FaultPlan:
    def __init__(
        self,
        shoe: VirtualShoe,
        effects: FaultEffects,
        faults: tuple[PlannedFault, ...],
        generator: random.Random,
        now: float,
    ) -> None:
        self._shoe = shoe
        self._effects = effects
        self._random = generator
        self._waiting = [_Waiting(fault, fault.times) for fault in faults]
        for waiting in [waiting for waiting in self._waiting if waiting.fault.at_byte is not None]:
            # The line itself counts its bytes.
            self._do(waiting, now)

    @property
    def armed(self) -> list[FaultKind]:
        """Faults that will happen as soon as they can."""
        return [
            waiting.fault.kind
            for waiting in self._waiting
            if waiting.fault.chance is None and (waiting.fault.at_card or 0) <= self._shoe.cards_out
        ]

    def inject(self, fault: PlannedFault, now: float) -> None:
        """Make it happen, now or as soon as it can."""
        self._waiting.append(_Waiting(fault, 1))
        self._do_all(_AFTER_A_CARD | {Moment.LINE}, self._shoe.cards_out, now, planned_only=True)

    def disarm(self) -> None:
        """Remove what has not happened yet."""
        armed = self.armed
        self._waiting = [waiting for waiting in self._waiting if waiting.fault.kind not in armed]

    def draw(self, now: float) -> None:
        """Draw a card, with whatever fault is due at it."""
        shoe = self._shoe
        if shoe.why_no_card is not None or not shoe.next_is_a_new_card:
            shoe.draw(now)
            return
        number = shoe.cards_out + 1
        self._do_all(frozenset({Moment.LINE}), number, now, planned_only=True)
        waiting = self._one_for_this_card(number)
        if waiting is None:
            shoe.draw(now)
        else:
            self._do(waiting, now)
        self._do_all(_AFTER_A_CARD, shoe.cards_out, now)

    def before_sending(self, now: float) -> None:
        """Called when the shoe is about to send data: random line faults may hit it."""
        for waiting in list(self._waiting):
            fault = waiting.fault
            if fault.kind.moment is Moment.LINE and fault.chance and self._random.random() < fault.chance:
                self._do(waiting, now)

    def _do_all(self, moments: frozenset[Moment], card: int, now: float, *, planned_only: bool = False) -> None:
        for waiting in list(self._waiting):
            fault = waiting.fault
            if fault.kind.moment in moments and self._can_happen(fault.kind):
                by_chance = fault.chance is not None and not planned_only and self._random.random() < fault.chance
                if by_chance or (fault.chance is None and card >= (fault.at_card or 0)):
                    self._do(waiting, now)

    def _one_for_this_card(self, card: int) -> _Waiting | None:
        for waiting in self._waiting:
            fault = waiting.fault
            if fault.kind.moment is Moment.NEXT_CARD and self._can_happen(fault.kind):
                if fault.chance is None and card >= (fault.at_card or 0):
                    return waiting
                if fault.chance is not None and self._random.random() < fault.chance:
                    return waiting
        return None

    def _can_happen(self, kind: FaultKind) -> bool:
        shoe = self._shoe
        stage = shoe.firmware.stage
        match kind.moment:
            case Moment.NEXT_CARD:
                fits = {"duplicate_card": shoe.stack.has_let_out_cards, "double_feed": shoe.cards_inside > 1}
                in_round = stage in (Stage.READY, Stage.DEALING) and not shoe.firmware.stopped
                return in_round and not shoe.firmware.burn_next and fits.get(kind.name, True)
            case Moment.MID_ROUND:
                return shoe.powered and stage is Stage.DEALING
            case Moment.ROUND_COMPLETE:
                in_order = stage is Stage.COMPLETE and not shoe.firmware.standing
                return in_order and shoe.why_no_card is None and shoe.cards_inside > 0
            case Moment.AT_ONCE if kind.name in ("gate_forced", "low_voltage"):
                return shoe.powered
            case _:
                return kind.name != "replayed_frame" or self._effects.stranger.replay() is not None

    def _do(self, waiting: _Waiting, now: float) -> None:
        if waiting.times_left is not None:
            waiting.times_left -= 1
            if not waiting.times_left:
                self._waiting.remove(waiting)
        self._effects.do(waiting.fault, now)
