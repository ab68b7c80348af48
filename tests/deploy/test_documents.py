"""What the documents say can be typed: every command is one that exists, every piece of configuration is good."""

import re
import shlex
from pathlib import Path

import pytest

from shoe_controller.cli import parser
from shoe_controller.config import load_config
from tests.deploy.test_units import DEPLOY

DOCS = DEPLOY.parent / "docs"
NAMES = ("install.md", "house.md", "security.md", "architecture.md")
UNITS = {unit.name.removesuffix(".service") for unit in (DEPLOY / "systemd").glob("*.service")}


def blocks(name: str, language: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists(name: str) -> None:
    for line in (line for block in blocks(name, "sh") for line in block.splitlines()):
        words = [word for word in shlex.split(line) if word != "sudo"]
        if words[0] == "shoe-controller":
            # A wrong word ends the parser, and with it the test.
            assert parser(words[1]).parse_args(words[1:]).command == words[1], line
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
