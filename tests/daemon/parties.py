"""The people of a table: players who bet and a dealer who speaks over MQTT, and the emulated one who deals."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial

from shoe_controller.messages.retained import TableView
from simulator.emulator import EmulatedShoe
from simulator.firmware import Stage
from tests.daemon.clients import Display, Terminal
from tests.daemon.house_file import SEATS

STAKES = (
    {"base.player": 500},
    {"base.banker": 700, "pairs.banker": 100},
    {"base.tie": 300},
    {"base.player": 1100, "pairs.player": 200},
    {"base.banker": 901},
    {"base.player": 400, "base.tie": 100},
    {"base.banker": 2000, "lucky_6.lucky_6": 100},
    {"base.player": 10_000, "pairs.player": 100, "pairs.banker": 100},
)
"""What is bet from one seat to the next; a seat's stakes move on by one with each round."""


def takes_wagers(state: TableView | None) -> bool:
    return state is not None and state.betting_open


class PatientDealer:
    """Keeps an emulated dealer from beginning a round before the gate was locked after the one before.

    A dealer of flesh and blood takes longer for it than any controller; the emulated one is quick, and a machine with
    too much to do may let the controller wait. Made before the shoe is entered as a context.
    """

    def __init__(self, shoe: EmulatedShoe) -> None:
        self._shoe = shoe
        self._locked_since = True
        """Whether the gate was locked since the last round, or the burn, was over."""
        self._was_between = False
        self._gate_moves = 0
        """Of the gate, when that was over."""
        self._held = False
        shoe.on_change = self._look

    def _look(self) -> None:
        emulation = self._shoe.emulation
        virtual = emulation.shoe
        between = virtual.firmware.stage is Stage.READY
        if between and not self._was_between:
            self._locked_since = False
            self._gate_moves = virtual.gate_moves
        self._was_between = between
        # A quick controller locks the gate and opens it again in one write.
        self._locked_since = self._locked_since or virtual.gate_locked or virtual.gate_moves > self._gate_moves
        # A card that lies there already could be laid behind a locked gate.
        waits = between and (not self._locked_since or (virtual.firmware.carried is not None and virtual.gate_locked))
        if waits and emulation.dealer_is_on:
            self._held, emulation.dealer_is_on = True, False
            emulation.dealer.rest()
        elif self._held and not waits:
            self._held = False
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._shoe.let_dealer(deal=True)


class Players:
    """Bet from every seat in every round, as soon as wagers are open."""

    def __init__(self, terminal: Terminal, display: Display, *more: Terminal) -> None:
        self.terminals = (terminal, *more)
        """Take turns: a quick dealer has more bets placed in a shoe than one client may send."""
        self.display = display
        self.accepted: dict[tuple[int, int], int] = {}
        """Seats whose wagers were taken, by shoe and round."""
        self.refused: list[str] = []

    async def bet(self) -> tuple[int, int] | None:
        """Place wagers for the round that the display shows; which round that is, if all were taken."""
        state = self.display.state
        assert state is not None
        terminal = self.terminals[state.round % len(self.terminals)]
        sent = [
            terminal.send_bet(seat, STAKES[(state.round + number) % len(STAKES)]) for number, seat in enumerate(SEATS)
        ]
        answers = [await terminal.answer_to(each) for each in sent]
        taken = sum(answer.status == "ok" for answer in answers)
        self.refused += [answer.code for answer in answers if answer.status != "ok"]
        self.accepted[state.shoe, state.round] = taken
        return (state.shoe, state.round) if taken == len(SEATS) else None


async def deal_on(display: Display, players: Players | None, dealer: Terminal | None) -> None:
    """Bet, and say "no more bets", round after round until cancelled."""
    while True:
        await display.until(lambda: takes_wagers(display.state), within=600, what="wagers to open")
        now = _round_of(display)
        if players is not None:
            await players.bet()
        if dealer is not None and now == _round_of(display) and display.phase == "betting":
            await dealer.act("no_more_bets")
        await display.until(partial(_is_over, display, now), within=600, what="the next round")


def _is_over(display: Display, was: tuple[int, int]) -> bool:
    return _round_of(display) != was


def _round_of(display: Display) -> tuple[int, int]:
    state = display.state
    assert state is not None
    return state.shoe, state.round


@asynccontextmanager
async def at_work(*people: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Let these act beside the test, and stop them with the context; an error of theirs is the test's."""
    tasks = [asyncio.create_task(each) for each in people]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
