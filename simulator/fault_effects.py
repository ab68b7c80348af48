"""What each fault of the table does to the shoe, its cards and its line.

Uses the same acts as people and the virtual dealer. What ends by itself (a lid that is closed again, power that comes
back) is scheduled here. When a fault happens is decided in `fault_plan.py`.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable
from enum import Enum
from itertools import count

from firmware_protocol.cards import Card
from firmware_protocol.events import Button, StartCause
from simulator.decks import new_deck_set
from simulator.intruder import Stranger
from simulator.line_faults import BadLine, Trouble
from simulator.scenario import PlannedFault
from simulator.truth import FaultInjected, Reading, TruthSink
from simulator.virtual_shoe import VirtualShoe

_TROUBLES = {trouble.value: trouble for trouble in Trouble}


class PortOrder(Enum):
    """What only the owner of the port can do."""

    UNPLUG = "unplug"
    REPLUG = "replug"


class FaultEffects:
    def __init__(self, shoe: VirtualShoe, generator: random.Random, truth: TruthSink) -> None:
        self.from_shoe = BadLine()
        self.from_host = BadLine()
        self.stranger = Stranger(shoe.line.settings, generator)
        self.port_orders: deque[PortOrder] = deque()
        self.carries_over = False
        """Whether an extra card is carried over or burned."""
        self._shoe = shoe
        self._random = generator
        self._truth = truth
        self._later: list[tuple[float, int, Callable[[float], None]]] = []
        self._ids = count()

    def next_deadline(self) -> float | None:
        return self._later[0][0] if self._later else None

    def tick(self, now: float) -> None:
        """End the faults whose time is over."""
        while self._later and self._later[0][0] <= now:
            _, _, end = heapq.heappop(self._later)
            end(now)

    def do(self, fault: PlannedFault, now: float) -> None:
        name = fault.kind.name
        if fault.bytes is None:
            self._record_fault(name, now)
        if name in _TROUBLES:
            self._trouble_line(_TROUBLES[name], fault, now)
        else:
            self._EFFECTS[name](self, fault, now)

    def record_line_faults(self, now: float) -> None:
        """Record line faults, which happen when the line reaches their bytes."""
        for line in (self.from_shoe, self.from_host):
            for trouble in line.struck:
                self._record_fault(trouble.value, now)
            line.struck.clear()

    def _record_fault(self, name: str, now: float) -> None:
        self._truth(FaultInjected(t=self._shoe.time_of(now), fault=name, at_card=self._shoe.cards_out))

    # --- at the shoe -------------------------------------------------------------------------------------------

    def _over_draw_burned(self, _fault: PlannedFault, now: float) -> None:
        self.carries_over = False
        self._shoe.draw(now)

    def _over_draw_carried_over(self, _fault: PlannedFault, now: float) -> None:
        self.carries_over = True
        self._shoe.draw(now)

    def _result_too_early(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.press(Button.RESULT, now)

    def _out_of_turn(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.draw(now, out_of_turn=True)

    def _pushed_back_at_exit(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.push_back(now, half_way=False)

    def _pushed_back_half_way(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.push_back(now, half_way=True)

    def _misread(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.draw(now, reading=Reading.UNREAD)

    def _undisclosed(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.draw(now, reading=Reading.HIDDEN)

    def _duplicate_card(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.stack.put_clone_on_top()
        self._shoe.draw(now)

    def _ninth_copy(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.stack.put_surplus_copies_on_top()
        self._shoe.draw(now)

    def _foreign_card(self, fault: PlannedFault, now: float) -> None:
        card = fault.card or self._random.choice(list(Card))
        self._shoe.stack.put_foreign_on_top(new_deck_set(self._random), card)
        self._shoe.draw(now)

    def _read_again(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.draw(now)
        self._shoe.line.read_again(now)

    def _double_feed(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.draw_two(now)

    def _cut_card_in_round(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.put_cut_card_on_top(now)

    def _empty_in_round(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.take_out_all(now)

    def _lid_opened(self, fault: PlannedFault, now: float) -> None:
        self._shoe.move_lid(now, opened=True)
        self._end(fault, now, lambda then: self._shoe.move_lid(then, opened=False))

    def _jam(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.jam(now)

    def _gate_forced(self, _fault: PlannedFault, now: float) -> None:
        self._shoe.force_gate(now)

    def _low_voltage(self, fault: PlannedFault, now: float) -> None:
        self._shoe.change_supply(now, low=True)
        self._end(fault, now, lambda then: self._shoe.change_supply(then, low=False))

    def _reboot(self, _fault: PlannedFault, now: float) -> None:
        self.restart(StartCause.WATCHDOG, now)

    def _power_loss(self, fault: PlannedFault, now: float) -> None:
        self.power_off(now)
        self._end(fault, now, lambda then: self.power_on(StartCause.POWER_ON, then))

    def _wrong_key(self, fault: PlannedFault, now: float) -> None:
        self.restart(StartCause.FIRMWARE_UPDATE, now, wrong_key=True)
        self._end(fault, now, lambda then: self.restart(StartCause.FIRMWARE_UPDATE, then))

    def _unplug(self, fault: PlannedFault, now: float) -> None:
        self.port_orders.append(PortOrder.UNPLUG)
        self._end(fault, now, lambda _: self.port_orders.append(PortOrder.REPLUG))

    def power_off(self, now: float) -> None:
        if self._shoe.powered:
            self.from_shoe.clear()
            self._shoe.power_off(now)

    def power_on(self, cause: StartCause, now: float) -> None:
        """Restore power, unless a person has already done so."""
        if not self._shoe.powered:
            self._shoe.power_on(cause, now)

    def restart(self, cause: StartCause, now: float, *, wrong_key: bool = False) -> None:
        self.power_off(now)
        self._shoe.power_on(cause, now, wrong_key=wrong_key)

    def _end(self, fault: PlannedFault, now: float, end: Callable[[float], None]) -> None:
        heapq.heappush(self._later, (now + (fault.seconds or 0.0), next(self._ids), end))

    # --- on the line -------------------------------------------------------------------------------------------

    def _trouble_line(self, trouble: Trouble, fault: PlannedFault, now: float) -> None:
        line = self.from_host if fault.from_host else self.from_shoe
        if fault.bytes is None:
            line.trouble_time(trouble, now + (fault.seconds or 0.0))
        else:
            begin = None if fault.at_byte is None else fault.at_byte - 1
            line.trouble_bytes(trouble, length=fault.bytes, begin=begin, seconds=fault.seconds or 0.0)

    def _forged_frame(self, _fault: PlannedFault, now: float) -> None:
        self.from_shoe.intrude(self.stranger.forge(), now)

    def _replayed_frame(self, _fault: PlannedFault, now: float) -> None:
        self.from_shoe.intrude(self.stranger.replay() or b"", now)

    _EFFECTS: dict[str, Callable[["FaultEffects", PlannedFault, float], None]] = {  # noqa: RUF012 -- never changed
        "over_draw_burned": _over_draw_burned,
        "over_draw_carried_over": _over_draw_carried_over,
        "result_too_early": _result_too_early,
        "out_of_turn": _out_of_turn,
        "pushed_back_at_exit": _pushed_back_at_exit,
        "pushed_back_half_way": _pushed_back_half_way,
        "misread": _misread,
        "undisclosed": _undisclosed,
        "duplicate_card": _duplicate_card,
        "ninth_copy": _ninth_copy,
        "foreign_card": _foreign_card,
        "double_feed": _double_feed,
        "read_again": _read_again,
        "cut_card_in_round": _cut_card_in_round,
        "empty_in_round": _empty_in_round,
        "lid_opened": _lid_opened,
        "reboot": _reboot,
        "power_loss": _power_loss,
        "wrong_key": _wrong_key,
        "unplug": _unplug,
        "jam": _jam,
        "gate_forced": _gate_forced,
        "low_voltage": _low_voltage,
        "forged_frame": _forged_frame,
        "replayed_frame": _replayed_frame,
    }
