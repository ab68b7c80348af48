"""What of the console is pure: it touches no network, clock or file, so that all of it can be tested by itself."""

import pytest

from tests.test_layers import LAYERS, ROOT, package_of, wrong_arrows

PURE = ("failures", "forms", "model", "sections")

(CONSOLE,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/console")


@pytest.mark.parametrize("name", PURE)
def test_the_core_of_the_console_is_pure(name: str) -> None:
    file = ROOT / CONSOLE.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), CONSOLE._replace(pure=True)) == []
