"""What the tests of the whole chain rely on."""

from pathlib import Path

import pytest

from tests.daemon.harness import Chain


@pytest.mark.asyncio
async def test_a_killed_emulator_leaves_no_link_to_a_terminal_that_another_test_will_get(tmp_path: Path) -> None:
    async with Chain(tmp_path, with_broker=False) as chain:
        await chain.start_emulator()
        assert chain.shoe_port.exists()
        await chain.kill_emulator()
        assert not chain.shoe_port.is_symlink()
