"""What of the board is pure: it touches no network, no clock and no file, so that all of it can be tested by itself."""

import pytest

from tests.test_layers import LAYERS, ROOT, files_in, imports_of, package_of, wrong_arrows

PURE = ("model", "floor", "sections", "feeds", "reasons", "prices")

(BOARD,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/board")


@pytest.mark.parametrize("name", PURE)
def test_the_core_of_the_board_is_pure(name: str) -> None:
    file = ROOT / BOARD.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), BOARD._replace(pure=True)) == []


def test_one_file_of_the_board_knows_the_web_server() -> None:
    knowing = [
        file.name
        for file in files_in(BOARD.folder)
        if any(name.startswith("aiohttp") for name in imports_of(file.read_text(encoding="utf-8"), package_of(file)))
    ]
    assert knowing == ["web.py"]
