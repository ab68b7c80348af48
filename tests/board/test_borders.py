"""What of the board is pure: it touches no network, no clock and no file, so that all of it can be tested by itself."""

import pytest

from tests.test_layers import LAYERS, ROOT, package_of, wrong_arrows

PURE = ("model", "floor", "sections", "feeds", "prices")

(BOARD,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/board")


@pytest.mark.parametrize("name", PURE)
def test_the_core_of_the_board_is_pure(name: str) -> None:
    file = ROOT / BOARD.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), BOARD._replace(pure=True)) == []
