"""What of the console is pure: it touches no network, clock or file, so that all of it can be tested by itself."""

import pytest

from tests.test_layers import LAYERS, ROOT, files_in, imports_of, package_of, wrong_arrows

PURE = ("model", "allowed", "sections", "sessions", "front")

(CONSOLE,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/console")


@pytest.mark.parametrize("name", PURE)
def test_the_core_of_the_console_is_pure(name: str) -> None:
    file = ROOT / CONSOLE.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), CONSOLE._replace(pure=True)) == []


def test_one_file_of_the_console_knows_the_web_server() -> None:
    knowing = [
        file.name
        for file in files_in(CONSOLE.folder)
        if any(name.startswith("aiohttp") for name in imports_of(file.read_text(encoding="utf-8"), package_of(file)))
    ]
    assert knowing == ["web.py"]
