"""A table with a reader that sends ids: a real daemon at a pty, and a dealer who goes by the display, as he must."""

from functools import partial
from pathlib import Path

import pytest

from shoe_controller.messages.facts import AlertRaised, ShoeLinkChanged
from simulator.emulator import EmulatedShoe
from simulator.firmware import Stage
from simulator.truth import RoundEnded
from tests.daemon.clients import Display, Terminal
from tests.daemon.harness import Chain
from tests.daemon.parties import at_work
from tests.reckoning import last_number, reckoned, sound_journal


class DealerAtDisplay:
    """Begins a shoe or a round when the display says so: no gate keeps him from it."""

    def __init__(self, shoe: EmulatedShoe, display: Display, terminal: Terminal) -> None:
        self._shoe = shoe
        self._display = display
        self._terminal = terminal
        self._may_begin = False
        shoe.on_change = self._look

    def _look(self) -> None:
        emulation = self._shoe.emulation
        stage = emulation.shoe.firmware.stage
        if stage is Stage.DEALING or stage is Stage.BURNING:
            self._may_begin = False
        elif stage in (Stage.READY, Stage.FIRST_CARD) and not self._may_begin and emulation.dealer_is_on:
            emulation.dealer_is_on = False
            emulation.dealer.rest()

    async def work(self) -> None:
        """The wire tells neither of a new shoe nor of a result: both are said at the console."""
        while True:
            phase = self._display.phase
            if phase == "no_shoe":
                await self._terminal.act("open_shoe")
            elif phase == "betting":
                await self._terminal.act("no_more_bets")
            elif phase == "complete":
                await self._terminal.act("confirm")
            elif phase in ("first_card", "closed"):
                self._may_begin = True
                self._shoe.let_dealer(deal=True)
            await self._display.until(partial(self._has_left, phase), within=60, what=f"the end of {phase}")

    def _has_left(self, phase: str | None) -> bool:
        return self._display.phase != phase


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("cut_card", "least"), [pytest.param(390, 2, id="short"), pytest.param(14, 60, id="whole", marks=pytest.mark.long)]
)
async def test_a_shoe_is_dealt_with_a_reader_of_ids(tmp_path: Path, cut_card: int, least: int) -> None:
    async with Chain(tmp_path, wire="lines", seed=20, procedure={"bets_close": "dealer"}) as chain:
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        async with chain.emulated_shoe(cut_card=cut_card) as shoe:
            dealer = DealerAtDisplay(shoe, display, terminal)
            await display.until(lambda: bool(display.facts_of(ShoeLinkChanged)), what="the link")
            link = display.facts_of(ShoeLinkChanged)[-1]
            assert (link.up, link.authenticated, link.keeps_events) == (True, False, False)
            async with at_work(dealer.work()):
                await display.until(lambda: display.phase == "ended", within=110, what="the shoe to end")
                await shoe.until(lambda: shoe.emulation.shoe.firmware.stage is Stage.READY)
        assert display.facts_of(AlertRaised) == []
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        rounds = sum(isinstance(happening, RoundEnded) for happening in chain.truth)
        assert rounds >= least
        journal = sound_journal(chain.journal, display.events)
        assert reckoned(journal, chain.truth, info=display.info, native=False, every_round=True).results == rounds
