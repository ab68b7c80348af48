"""What the documents say can be typed: every command is one that exists, every piece of configuration is good."""

import re
import shlex
from pathlib import Path

import pytest

from shoe_controller.config import load_config
from tests.deploy.test_units import DEPLOY

DOCS = DEPLOY.parent / "docs"
NAMES = ("install.md", "house.md", "security.md", "architecture.md")
OURS = {file.stem.replace("_", "-") for file in (DEPLOY.parent / "shoe_controller" / "commands").glob("*.py")}
UNITS = {unit.name.removesuffix(".service") for unit in (DEPLOY / "systemd").glob("*.service")}


def blocks(name: str, language: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists(name: str) -> None:
    for line in (line for block in blocks(name, "sh") for line in block.splitlines()):
        words = [word for word in shlex.split(line) if word != "sudo"]
        if words[0] == "shoe-controller":
            assert words[1] in OURS, line
            option_text = (
                DEPLOY.parent / "shoe_controller" / "commands" / f"{words[1].replace('-', '_')}.py"
            ).read_text(encoding="utf-8")
            for option in (word for word in words[2:] if word.startswith("--")):
                known = option.removeprefix("--") in ("supervisor", "dealer", "json", "decks", "wager")
                assert known or f'"{option}"' in option_text, line
        elif words[0] == "systemctl" and words[-1] != "mosquitto":
            assert re.sub(r"@.*", "@", words[-1]) in UNITS, line


@pytest.mark.parametrize("name", NAMES)
def test_every_piece_of_configuration_is_good(name: str, tmp_path: Path) -> None:
    for block in blocks(name, "toml"):
        (tmp_path / "table.toml").write_text(block, encoding="utf-8")
        load_config(tmp_path / "table.toml")


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (DOCS / name).read_text(encoding="utf-8")):
        assert (DOCS / target).exists(), target
    for path in re.findall(
        r"`((?:tests|deploy|shoe_controller|docs)/[\w./]+)`", (DOCS / name).read_text(encoding="utf-8")
    ):
        assert (DEPLOY.parent / path).exists(), path
