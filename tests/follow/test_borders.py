"""What of the follower is pure: it touches no network, clock or file, so that all of it can be tested by itself."""

import pytest

from tests.test_layers import LAYERS, ROOT, package_of, wrong_arrows

PURE = ("event_sequencer", "retained", "table")

(FOLLOW,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/follow")


@pytest.mark.parametrize("name", PURE)
def test_the_core_of_the_follower_is_pure(name: str) -> None:
    file = ROOT / FOLLOW.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), FOLLOW._replace(pure=True)) == []
