"""A witness at a real Mosquitto with an access list, beside a real table: what it keeps, and what it alarms on."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import run_program
from tests.witness.house import House, house

pytestmark = pytest.mark.asyncio


async def test_absence_is_no_alarm_a_kill_loses_nothing_and_a_rollback_is_alarmed(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await here.witness.start()
        await here.start_table()
        await here.sign(2)
        await here.keeps(1, 2)

        await here.witness.kill()
        await here.sign(2)
        await here.witness.start()
        await here.keeps(1, 2, 3, 4)

        await here.stop_table()
        older = await here.copy("older")
        await here.start_table()
        await here.sign()
        await here.keeps(1, 2, 3, 4, 5)
        assert here.alarms == []
        await here.stop_table()

        # Everything that was published is in the file, and fits the journal.
        done = verify(here, "--json")
        assert done["exit"] == 0, done
        assert done["witness"][0]["checkpoints"] == 5

        # The attacker puts everything back that knows of the journal, but for what the witness has seen.
        await here.put_back(older)
        await here.start_table()
        await here.alarmed("journal_rolled_back")
        await here.alarmed("checkpoints_rolled_back")
        assert any(json.loads(line)["event"] == "alarm" for line in here.witness.output.splitlines())
        await here.stop_table()
        done = verify(here, "--json")
        assert done["exit"] == 1, done
        assert any("checkpoint 5 is missing" in problem["what"] for problem in done["problems"])
        assert done["witness"][0]["alarms"]


def verify(here: House, *options: str) -> dict[str, Any]:
    done = run_program("journal", "verify", str(here.chain.journal), "--witness", str(here.file), *options)
    found: dict[str, Any] = json.loads(done.out)
    return found | {"exit": done.exit_code}
