"""A table with its console, each part as it is in a casino: emulated shoe, daemon, Mosquitto, the console's process.

async with console_at(tmp_path) as at:            # a new shoe is announced; its cards are drawn by the test's hand
page = await at.page()                        # Chromium, at the door
"""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from firmware_protocol.events import Button
from simulator.decks import read_cards
from simulator.emulator import EmulatedShoe
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.daemon.programs import PATIENCE, Program

CARDS = "AS " + "2C " + " ".join(["9H KD KS 5C"] * 20)
"""An ace is shown first, so that one card is burned; then rounds of four cards that Player wins by 9 to 5."""


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


class ConsoleAt:
    """The dealer's hands, a display that knows the truth, and the console's address."""

    def __init__(self, chain: Chain, shoe: EmulatedShoe, display: Display, console: Program, address: str) -> None:
        self.chain = chain
        self.shoe = shoe
        self.display = display
        self.console = console
        self.address = address

    async def draw(self, cards: int = 1) -> None:
        for _ in range(cards):
            await self.shoe.until(lambda: self.shoe.emulation.shoe.why_no_card is None, within=PATIENCE)
            before = self._cards_out
            self.shoe.draw()
            await self.display.until(lambda before=before: self._cards_out > before, what="the card")  # type: ignore[misc]  # bound at once

    @property
    def _cards_out(self) -> int:
        return 0 if self.display.state is None else self.display.state.cards_out

    async def phase(self, name: str) -> None:
        await self.display.until(lambda: self.display.phase == name, what=f"the phase {name}")
        await self.display.is_up_to_date()


@asynccontextmanager
async def console_at(
    folder: Path,
    cards: str = CARDS,
    *,
    console: dict[str, Any] | None = None,
    tls: bool = False,
    more: dict[str, Any] | None = None,
    broker_settings: str = "allow_anonymous true",
    mqtt: dict[str, Any] | None = None,
    display: dict[str, Any] | None = None,
    **procedure: Any,  # noqa: ANN401 - settings of [procedure]
) -> AsyncIterator[ConsoleAt]:
    async with Chain(folder, procedure=procedure, mqtt=mqtt, broker_settings=broker_settings) as chain:
        port = free_port()
        chain.data["console"] = {"port": port} | (console or {})
        for section, settings in (more or {}).items():
            chain.data[section] = chain.data.get(section, {}) | settings
        file = chain.write_file()
        await chain.start_daemon()
        program = Program("shoe-controller", "console", str(file), log=folder / "console.log")
        await program.start()
        try:
            async with chain.emulated_shoe(cards=tuple(read_cards(cards, "the test's cards")), speed=None) as shoe:
                seen = await chain.display(**(display or {}))
                await seen.until(lambda: seen.state is not None and seen.state.link_up, what="the shoe")
                shoe.press(Button.NEW_SHOE)
                await seen.until(lambda: seen.phase in ("first_card", "betting"), what="the new shoe")
                ready = '"event": "ready"'
                await chain.becomes(lambda: ready in program.output or not program.is_running, what="the console")
                assert program.is_running, program.output
                address = f"http{'s' if tls else ''}://127.0.0.1:{port}"
                yield ConsoleAt(chain, shoe, seen, program, address)
                assert await program.terminate() == 0, program.output
        except BaseException:
            print(program.output[-4000:])  # noqa: T201 - for whoever reads the failure
            raise
        finally:
            await program.kill()
