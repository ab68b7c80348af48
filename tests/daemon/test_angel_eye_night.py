"""The recorded Angel Eye night through a real pty into a real daemon, with a supervisor at a terminal.

`tests/table/test_angel_eye_night.py` plays it into the table with its timing; here each thing that needs a person is
decided on as soon as the display shows it.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.messages.facts import PersonActed, RoundResult
from simulator.ports.pty import PtyPort
from simulator.recording import Chunk, read_recording
from tests.daemon.clients import Display, Terminal
from tests.daemon.harness import Chain
from tests.simulator.angel_eye_night import FOLDER, NAME, NeedsPerson, Night

pytestmark = [pytest.mark.asyncio, pytest.mark.long]


class Nobody:
    """Who listens to the port: the shoe of a recording hears nothing."""

    def host_attached(self) -> None: ...

    def host_detached(self) -> None: ...

    def received(self, data: bytes) -> None: ...


async def test_the_night_is_followed_by_a_daemon(tmp_path: Path) -> None:
    told = msgspec.json.decode((FOLDER / f"{NAME}.truth.json").read_bytes(), type=Night)
    chunks = list(read_recording(FOLDER / f"{NAME}.jsonl.gz"))
    async with Chain(tmp_path, wire="angel_eye", procedure={"reveal": "at_result"}) as chain:
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        port = PtyPort(chain.shoe_port)
        await port.open(Nobody())
        try:
            await _connected(display, up=True)
            assert (await terminal.supervisor("open_shoe")).status == "ok"
            await _play(port, told, chunks, display, terminal)
            await display.until(lambda: len(display.facts_of(RoundResult)) == len(told.rounds), what="every round")
        finally:
            await port.close()
        results = [fact.outcome for fact in display.facts_of(RoundResult)]
        dealt = [(each.player, each.banker, each.winner.value) for each in told.rounds]
        assert [(each.player.cards, each.banker.cards, each.winner.value) for each in results] == dealt
        assert len(display.facts_of(PersonActed)) == len(told.needs) + 1


async def _play(port: PtyPort, told: Night, chunks: list[Chunk], display: Display, terminal: Terminal) -> None:
    moments: list[tuple[float, int, object]] = [(chunk.t, 3, chunk) for chunk in chunks]
    moments += [(outage.begin, 0, False) for outage in told.outages]
    moments += [(outage.end, 1, True) for outage in told.outages]
    moments += [(need.t, 2, need) for need in told.needs]
    for _, _, what in sorted(moments, key=lambda moment: moment[:2]):
        match what:
            case Chunk():
                port.write(what.data)
            case NeedsPerson():
                await _decide(what, display, terminal)
            case True:
                await port.replug()
                await _connected(display, up=True)
            case _:
                await port.unplug()
                await _connected(display, up=False)


async def _connected(display: Display, *, up: bool) -> None:
    await display.until(lambda: display.status and display.status.shoe_link is up, what=f"the shoe, {up=}")


async def _decide(need: NeedsPerson, display: Display, terminal: Terminal) -> None:
    def number() -> int | None:
        alerts = () if display.state is None else display.state.alerts
        return next((alert.number for alert in alerts if alert.kind == need.alert), None)

    def offered() -> bool:
        return display.state is not None and need.act in [act.act for act in display.state.acts]

    await display.until(lambda: number() is not None and offered(), what=f"{need.act} to be offered for {need.what}")
    details: dict[str, Any] = {}
    if need.act == "clear_alert":
        details = {"alert": number()}
    elif need.act == "enter_card":
        details = {"number": need.number, "card": need.card}
    answer = await terminal.supervisor(need.act, **details)
    assert answer.status == "ok", (need, answer)
