"""A table whose journal is an older copy of itself notices it, keeps the copy, goes on in a new journal, and stops.

Real processes on a real Mosquitto; the journal is copied and put back while no controller runs.
"""

from pathlib import Path

import pytest

from shoe_controller.journal.anchor import Claim, read_anchor
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.details import JournalBehind
from shoe_controller.messages.retained import StateMessage
from tests.daemon.clients import Display
from tests.daemon.harness import Chain


def copies(chain: Chain) -> dict[Path, bytes]:
    """The journal and its log, as they are."""
    return {file: file.read_bytes() for file in (chain.journal, Path(f"{chain.journal}-wal")) if file.exists()}


def put_back(chain: Chain, files: dict[Path, bytes]) -> None:
    for file in chain.folder.glob(f"{chain.journal.name}-*"):
        file.unlink()
    for file, content in files.items():
        file.write_bytes(content)


async def deal(chain: Chain, rounds: int) -> None:
    """Wait for so many rounds more."""
    before = chain.times_logged("round_result")
    await chain.becomes(lambda: chain.times_logged("round_result") >= before + rounds, what=f"{rounds} rounds")


def shown(display: Display) -> StateMessage:
    assert display.state is not None
    return display.state


async def raised(display: Display, kind: str) -> AlertMessage:
    """The alert of that kind, when it stands."""
    await display.until(
        lambda: display.state is not None and any(alert.kind == kind for alert in display.state.alerts), what=kind
    )
    return next(alert for alert in shown(display).alerts if alert.kind == kind)


@pytest.mark.asyncio
@pytest.mark.parametrize("seen_by", ["anchor", "status"])
async def test_an_older_copy_stops_the_table_until_two_supervisors_accept_it(tmp_path: Path, seen_by: str) -> None:
    async with Chain(tmp_path, speed="100") as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        await deal(chain, 1)
        await chain.stop_daemon()
        older = copies(chain)
        with JournalReader(chain.journal) as reader:
            old_id, old_head = reader.identity.journal_id, reader.position().head
        await chain.start_daemon()
        await deal(chain, 2)
        await chain.kill_daemon()  # as a power cut: what the broker has now is the will
        put_back(chain, older)
        if seen_by == "status":
            chain.anchor.unlink()
        else:
            await chain.broker.kill()
            await chain.broker.start()
        await chain.start_daemon()

        display = await chain.display()
        alert = await raised(display, "journal_rolled_back")
        assert shown(display).stopped
        behind = alert.detail
        assert isinstance(behind, JournalBehind)
        assert (behind.journal, behind.source) == (old_id, seen_by)
        assert behind.noted > old_head.number
        with JournalReader(chain.folder / behind.file) as kept, JournalReader(chain.journal) as new:
            assert kept.identity.journal_id == old_id
            assert str(kept.position().head) == f"{behind.number}:{behind.hash}"
            assert kept.hash_at(old_head.number) == old_head.hash
            assert new.identity.journal_id != old_id
        assert shown(display).shoe == 1, "the table's state was taken over"

        terminal = await chain.terminal(display)
        assert (await terminal.supervisor("accept_rollback", reason="compared with the displays")).status == "ok"
        await display.until(lambda: shown(display).proposal is not None, what="the proposal")
        proposal = shown(display).proposal
        assert proposal is not None
        assert (await terminal.supervisor("approve", proposal=proposal.proposal)).code == "same_person"
        assert (await terminal.supervisor("approve", "shah", proposal=proposal.proposal)).status == "ok"
        await display.until(
            lambda: all(each.kind != "journal_rolled_back" for each in shown(display).alerts), what="the alert's end"
        )
        await chain.stop_daemon()
        with JournalReader(chain.journal) as reader:
            assert read_anchor(chain.anchor)[-1] == Claim(reader.identity.journal_id, reader.position().head)
