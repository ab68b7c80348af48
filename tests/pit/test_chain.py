"""The pit's process at a real Mosquitto with an access list, beside a real table: what it publishes, who reads it."""

from pathlib import Path

import pytest

from tests.pit.chain import check, pit_house

pytestmark = pytest.mark.asyncio


async def test_edges_follow_from_shown_cards_no_display_reads_them_and_the_will_withdraws_them(tmp_path: Path) -> None:
    async with pit_house(tmp_path) as here:
        archive, pit = here.archive, here.pit
        await here.chain.start_daemon()
        await here.chain.start_emulator()
        await pit.start()
        await archive.until(lambda: len({message.round for message in archive.figures}) >= 3, what="edges of rounds")
        first = archive.presence
        assert first is not None
        assert first.online
        assert {message.start for message in archive.edges} == {first.start}

        await pit.kill()
        await archive.until(lambda: archive.presence and not archive.presence.online, what="the will")
        assert archive.presence is not None
        assert archive.presence.start == first.start

        # It comes back in the middle of a shoe, and asks for what was dealt before.
        await pit.start()
        await archive.until(lambda: archive.presence and archive.presence.online, what="the process to be back")
        second = archive.presence.start
        assert second != first.start
        await archive.until(lambda: len({m.round for m in archive.figures_of(second)}) >= 2, what="edges again")
        await here.chain.becomes(lambda: len(set(here.exposed)) > 20, what="lines about exposed wagers")

        assert await pit.terminate() == 0
        await archive.until(lambda: archive.presence and not archive.presence.online, what="the process to be gone")
        await here.display.is_up_to_date()
        for message in archive.figures:
            check(message, here.shown_at(message))
        assert len(here.exposed) == len(set(here.exposed)), "no wager has two lines for one round"
        assert archive.alarms
        assert here.board.messages > 20
        assert here.board.heard_of_pit == 0
