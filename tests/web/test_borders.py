"""What of the shared pages is pure, and that nothing of them knows a board or a console."""

import pytest

from tests.test_layers import LAYERS, ROOT, package_of, wrong_arrows

(SHARED,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/pages")


@pytest.mark.parametrize("name", ["in_order", "replay", "sentences"])
def test_what_computes_alone_is_pure(name: str) -> None:
    file = ROOT / SHARED.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), SHARED._replace(pure=True)) == []
