"""A short sample of `make torture`: the same things, done a few times to a short shoe.

After each, the table goes on, and truth, journal and what a subscriber has are equal; the checks are in
`tests/torture/sitting.py`.
"""

import asyncio
import random
from pathlib import Path

import pytest

from simulator.faults import FAULTS, Group
from tests.daemon.house_file import Wire
from tests.torture.angel_eye_gaps import go_away
from tests.torture.broker_kills import kill_broker
from tests.torture.c_shoe import LINE_FAULTS, SLOW_LINE_FAULTS, deal_shoe_in_c, faults_in_turns
from tests.torture.daemon_kills import kill_daemon
from tests.torture.damaged_journal import damage_journal
from tests.torture.full_disk import WIRES, fill_disk, request_into_full_disk
from tests.torture.power_cuts import forgetful_disk, why_not
from tests.torture.unplugging import take_shoe_away

SHORT_SHOE = 336
"""Cards behind the cut card, so that some 80 of the 416 are dealt."""

needs_fuse = pytest.mark.skipif(bool(why_not()), reason=why_not())


def test_the_daemon_is_killed(tmp_path: Path) -> None:
    killed, books = asyncio.run(kill_daemon(tmp_path, seed=21, kills=2, cut_card=SHORT_SHOE))
    assert killed == 2
    assert books.wagers > 0


def test_the_broker_is_killed(tmp_path: Path) -> None:
    killed, books = asyncio.run(kill_broker(tmp_path, seed=22, kills=2, speed=80, cut_card=SHORT_SHOE))
    assert killed == 2
    assert books.wagers > 0


def test_the_shoe_is_unplugged(tmp_path: Path) -> None:
    books = asyncio.run(take_shoe_away(tmp_path, fault="unplug", seed=23, moments=("dealing", "over_drawn")))
    assert {"shoe_lost", "over_draw"} <= books.journal.alerts()


def test_the_shoe_starts_anew_in_a_round(tmp_path: Path) -> None:
    books = asyncio.run(take_shoe_away(tmp_path, fault="reboot", seed=24, moments=("complete",)))
    assert "shoe_restarted" in books.journal.alerts()


@pytest.mark.parametrize("rounds", [1, 3, 7, 21])
def test_a_shoe_in_c_has_every_fault_of_the_line(rounds: int) -> None:
    known = {kind.name for kind in FAULTS.values() if kind.group is Group.LINE}
    assert {*LINE_FAULTS, *SLOW_LINE_FAULTS} == known
    turns = faults_in_turns((*LINE_FAULTS, *SLOW_LINE_FAULTS), rounds, random.Random(1))  # noqa: S311 - no secret
    assert len(turns) == rounds
    assert {fault for turn in turns for fault in turn} == known


def test_a_shoe_in_c_and_the_daemon_restart_in_a_round(tmp_path: Path) -> None:
    books = asyncio.run(deal_shoe_in_c(tmp_path, seed=29, restarts=2))
    assert books.journal.alerts() >= {"shoe_restarted"}


@needs_fuse
@pytest.mark.parametrize("wire", WIRES)
def test_the_disk_is_full(wire: Wire, tmp_path: Path) -> None:
    with forgetful_disk() as disk:
        books = asyncio.run(fill_disk(tmp_path, disk, wire=wire, seed=25, times=2))
    assert books.journal.alerts() == {"journal_full"}


@needs_fuse
def test_a_request_is_the_first_that_finds_the_disk_full(tmp_path: Path) -> None:
    with forgetful_disk() as disk:
        asyncio.run(request_into_full_disk(tmp_path, disk, seed=26))


def test_the_daemon_is_away_from_an_angel_eye_shoe(tmp_path: Path) -> None:
    books = asyncio.run(go_away(tmp_path, how="kill", disclosing="at_draw", seed=27, moments=("dealing",)))
    assert "shoe_lost" in books.journal.alerts()


@pytest.mark.parametrize("damage", ["cut_off", "differs"])
def test_the_journal_cannot_be_trusted(damage: str, tmp_path: Path) -> None:
    assert "Set aside: table.journal.damaged-" in asyncio.run(damage_journal(tmp_path, damage=damage, seed=28))
