"""`docs/security.md`: after a secret was lost, its commands make a new one, and leave every other as it was."""

import re
import subprocess
from pathlib import Path

import pytest

from shoe_controller.config.pins import parse_pin_hash
from shoe_controller.config.table_file import load_config
from tests.deploy.new_house import PINS
from tests.documents.places import new_house
from tests.documents.running import run, why_not_run
from tests.documents.snippets import SHELL, snippets_of

ROOT = Path(__file__).parents[2]
BLOCKS = [snippet for snippet in snippets_of("docs/security.md") if snippet.language == SHELL]


def everything_in(house: Path) -> dict[str, bytes]:
    return {str(file.relative_to(house)): file.read_bytes() for file in house.rglob("*") if file.is_file()}


def after(part: str, house: Path) -> set[str]:
    """The files that are other ones, or no longer there, after the block with this in it."""
    before = everything_in(house)
    (block,) = [block for block in BLOCKS if part in block.text]
    for line in block.lines:
        run(line, house)
    now = everything_in(house)
    return {name for name, content in before.items() if now.get(name) != content}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return new_house(tmp_path / "house")


def test_every_protection_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    _, table = text.split("| someone… |", 1)
    rows = [row.split("|")[1:-1] for row in table.split("\n\n", 1)[0].splitlines()[2:]]
    for _, protection, _, shown_by in rows:
        shown = re.findall(r"`([a-z_/]+(?:\.py)?)`", shown_by)
        assert shown or not protection.strip(), f"nothing shows: {protection}"
        assert [name for name in shown if not (ROOT / name).exists()] == []


def test_there_are_five_kinds_of_secrets_and_each_block_is_tried_here() -> None:
    assert len(BLOCKS) == 5
    assert all(any(why_not_run(line) is None for line in block.lines) for block in BLOCKS)


def test_a_new_key_for_the_shoe(house: Path) -> None:
    old = (house / "shoe.key").read_bytes()
    assert after("shoe.key.lost", house) == {"shoe.key"}
    assert (house / "shoe.key.lost").read_bytes() == old
    assert load_config(house / "table.toml").shoe is not None


def test_a_new_key_for_the_seals(house: Path) -> None:
    old = (house / "seal.key").read_bytes()
    assert after("seal.key.lost", house) == {"seal.key"}
    assert (house / "seal.key.lost").read_bytes() == old


def test_a_new_password_at_the_broker(house: Path) -> None:
    passwords = house / "broker" / "passwords"
    old = passwords.read_text(encoding="utf-8").splitlines()
    assert after("/^board:/d", house) == {"users/board.password", "board.password", "broker/passwords"}
    assert (house / "users" / "board.password").read_bytes() == (house / "board.password").read_bytes()
    now = passwords.read_text(encoding="utf-8").splitlines()
    assert {line.partition(":")[0] for line in now} == {line.partition(":")[0] for line in old}
    assert {line.partition(":")[0] for line in set(now) - set(old)} == {"board"}


def test_a_new_pin(house: Path) -> None:
    (block,) = [block for block in BLOCKS if "keys pin" in block.text]
    printed = "".join(run(line, house) for line in block.lines)
    assert parse_pin_hash(printed.strip()).fits(next(iter(PINS.values())))


def test_a_new_authority(house: Path) -> None:
    changed = after("authority.lost", house)
    assert changed == {"authority/ca.key", "ca.pem", "broker/ca.pem", "broker/broker.key", "broker/broker.pem"}
    subprocess.run(
        ["/usr/bin/openssl", "verify", "-CAfile", house / "ca.pem", house / "broker" / "broker.pem"],
        check=True,
        capture_output=True,
    )
