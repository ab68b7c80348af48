"""What supervisors do about whole shoes: bad ones, remainders, new ones announced too early, and exchanges."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from firmware_protocol.events import Button
from shoe_controller.messages.acts import Role
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.prompts import CountCardsLeft
from shoe_controller.messages.retained import TableView
from simulator.emulation import Emulation
from simulator.firmware import Stage
from simulator.virtual_shoe import CannotError
from tests.simulation.cable import Cable

OF_SHOE = ("bad_shoe", "shoe_change_unconfirmed")
RUN_OUT = 0.4
"""How likely the rest is drawn through the reader, where the cards are still in."""
MOST_DRAWN = 12
"""Cards of the rest that are drawn; then people lose patience, and say that it is all;"""
PATIENT = 0.1
"""or they draw all of it."""
AT_A_LOOK = 10
"""Cards that patient people draw between two looks at the display."""
MISCOUNTED = 0.3
REFUSED = 0.25
"""How likely a supervisor says that a shoe which was announced too early is the same one."""


class Supervise(Protocol):
    def __call__(
        self,
        view: TableView,
        act: str,
        details: dict[str, object],
        *,
        person: str = "",
        alert: AlertMessage | None = None,
    ) -> None: ...


def takes_supervisor(view: TableView) -> bool:
    """Whether only a supervisor may open the next shoe."""
    return any(listed.act == "open_shoe" and listed.role is Role.SUPERVISOR for listed in view.acts)


class ShoeKeeper:
    def __init__(
        self, cable: Cable, chance: random.Random, *, supervise: Supervise, by_hand: Callable[[], bool]
    ) -> None:
        self._cable = cable
        self._chance = chance
        self._supervise = supervise
        self._by_hand = by_hand
        """Whether people deal from the shoe by hand."""
        self._drawn = 0
        self._patient = False
        self._counted: int | None = None
        """What the display showed at the last look: as long as it changes, cards are still being counted."""
        self._rests = False
        """The emulator's own dealer does nothing while the rest is drawn."""
        self.closes = False
        """The sitting is over: nobody deals on."""
        self.refused = 0
        """How often a supervisor said of a new shoe that it is the old one."""
        self.wants_exchange = False
        """The shoe is to be exchanged as soon as that is possible,"""
        self._switched_on = False
        """for one that has just been switched on."""

    @property
    def _emulation(self) -> Emulation:
        return self._cable.emulation

    def _may(self, view: TableView, act: str) -> bool:
        return any(listed.act == act and listed.role is Role.SUPERVISOR for listed in view.acts)

    def announce(self) -> None:
        """Somebody presses the button for a new shoe."""
        with suppress(CannotError):
            self._cable.do(lambda now: self._emulation.press(Button.NEW_SHOE, now))

    def want_exchange(self, *, switched_on: bool) -> None:
        self.wants_exchange, self._switched_on = True, switched_on

    def act(self, view: TableView) -> bool:
        """Whether the shoe is exchanged now."""
        if self._rests and not self._may(view, "end_run_out"):
            self._let_dealer(deal=True)
        if not self.wants_exchange or not self._may(view, "exchange_shoe"):
            return False
        self.wants_exchange = False
        if self._switched_on and self._emulation.shoe.powered:
            self._cable.do(self._emulation.reboot)
        self._supervise(view, "exchange_shoe", {})
        return True

    # --- what is left -------------------------------------------------------------------------------------------------

    def count_first(self, view: TableView) -> bool:
        """Whether the cards that are left come first, and somebody sees to it."""
        if self._may(view, "end_run_out"):
            self._run_out(view)
        elif isinstance(view.prompt, CountCardsLeft):
            self._count(view, view.prompt.cards)
        else:
            return False
        return True

    def _count(self, view: TableView, cards: int) -> None:
        if self._may(view, "begin_run_out") and self._chance.random() < RUN_OUT:
            self._drawn, self._patient = 0, self._chance.random() < PATIENT
            self._let_dealer(deal=False)
            self._supervise(view, "begin_run_out", {})
            return
        wrong = self._chance.choice([-1, 1]) if self._chance.random() < MISCOUNTED else 0
        self._supervise(view, "count_remainder", {"cards": max(0, cards + wrong)})

    def _run_out(self, view: TableView) -> None:
        if not self._rests:
            self._let_dealer(deal=False)
        counted, self._counted = self._counted, view.counted
        for _ in range(AT_A_LOOK if self._patient else 1):
            if not self._has_rest():
                if counted == view.counted:
                    self._supervise(view, "end_run_out", {})
                return
            if not self._emulation.shoe.line.has_room:
                return  # they draw as fast as it can report
            self._drawn += 1
            with suppress(CannotError):
                self._cable.do(self._emulation.draw)

    def _has_rest(self) -> bool:
        shoe = self._emulation.shoe
        old = shoe.firmware.stage is not Stage.FIRST_CARD and not shoe.lid_open and bool(shoe.cards_inside)
        return old and shoe.why_no_card is None and (self._patient or self._drawn < MOST_DRAWN)

    def _let_dealer(self, *, deal: bool) -> None:
        self._rests = not deal
        if not self.closes:
            self._cable.do(lambda now: self._emulation.let_dealer(now, deal=deal and not self._by_hand()))

    # --- alerts -------------------------------------------------------------------------------------------------------

    def mend(self, view: TableView, alert: AlertMessage) -> bool:
        """Open the shoe that is in, or end the one that is not; nothing where it is the same one, and all is well."""
        firmware = self._emulation.shoe.firmware
        changed = firmware.stage in (Stage.FIRST_CARD, Stage.BURNING)
        over = view.phase in ("no_shoe", "ended")
        if alert.kind == "shoe_change_unconfirmed" and not over and (not changed or self._chance.random() < REFUSED):
            self.refused += changed
            return False
        if self._may(view, "end_run_out"):
            self._supervise(view, "end_run_out", {}, alert=alert)
        elif alert.kind != "bad_shoe" and self._may(view, "open_shoe"):
            self._supervise(view, "open_shoe", {}, alert=alert)
        elif self._may(view, "end_shoe"):
            self._supervise(view, "end_shoe", {}, alert=alert)
        elif self._may(view, "count_remainder"):
            self._supervise(view, "count_remainder", {"cards": 0}, alert=alert)
        else:
            return False
        return True
