"""A sample of every attack; `make attack` runs them at full length."""

from pathlib import Path

import pytest

from tests.attacks.attack import Attack
from tests.attacks.collection import every_attack


@pytest.mark.parametrize("attack", [one for one in every_attack() if one.sample], ids=lambda attack: attack.name)
def test_what_is_attacked_holds(attack: Attack, tmp_path: Path) -> None:
    assert attack.run(tmp_path, attack.sample)
