"""A running table signs its journal: published checkpoints, a kill, and the way of the keys into a new journal."""

from pathlib import Path

import msgspec
import pytest

from shoe_controller.journal.checkpoints import Checkpoint, is_genuine, read_checkpoint
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.facts import CheckpointSigned, ShoeEnded
from tests.commands.running import run_program
from tests.daemon.harness import Chain
from tests.daemon.parties import Players, at_work, deal_on
from tests.journal.tampering import tampered


def _checkpoints(journal: Path) -> list[Checkpoint]:
    with JournalReader(journal) as reader:
        return [read_checkpoint(record.body) for record in reader.checkpoints()]


@pytest.mark.asyncio
async def test_a_shoe_is_signed_when_it_ends_and_a_new_journal_is_vouched_for(tmp_path: Path) -> None:
    async with Chain(tmp_path, seed=5, procedure={"bets_close": "dealer"}) as chain:
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        players = Players(terminal, display)
        keys = chain.journal.with_name(f"{chain.journal.name}.keys")
        async with chain.emulated_shoe(cut_card=395), at_work(deal_on(display, players, terminal)):
            await display.until(lambda: display.facts_of(ShoeEnded), within=60, what="the shoe to end")
            await display.until(lambda: display.facts_of(CheckpointSigned), within=30, what="a checkpoint")
        (published,) = display.facts_of(CheckpointSigned)
        assert is_genuine(msgspec.convert(msgspec.to_builtins(published.checkpoint), Checkpoint))
        await chain.kill_daemon()
        (stored,) = _checkpoints(chain.journal)
        assert msgspec.to_builtins(stored) == msgspec.to_builtins(published.checkpoint)
        (public,) = keys.glob("*.public")
        answer = run_program("journal", "verify", str(chain.journal), "--key", str(public), "--json")
        assert answer.exit_code == 0, answer.out
        assert answer.json["proof"]["number"] == stored.number
        assert len(list(keys.glob("*.key"))) == 1

        tampered(chain.journal, "UPDATE record SET body = x'00' WHERE number = (SELECT max(number) FROM record)")
        await chain.start_daemon()
        await chain.becomes(lambda: _checkpoints(chain.journal), 30, what="the new journal to be vouched for")
        await chain.stop_daemon()
        (zero,) = _checkpoints(chain.journal)
        assert zero.succeeds is not None
        assert (zero.index, zero.succeeds.journal, zero.key) == (0, stored.journal, stored.next_key)
        (aside,) = (
            file for file in chain.folder.glob("table.journal.damaged-*") if not file.name.endswith(("wal", "shm"))
        )
        words = ("journal", "verify", str(chain.journal), "--key", str(public))
        assert run_program(*words).exit_code == 3
        followed = run_program(*words, "--earlier", str(aside))
        assert followed.exit_code == 0, followed.out
        assert "Proved up to record" in followed.out
