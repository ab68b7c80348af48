"""`docs/dependencies.md` leaves out no dependency: not of the program, not of its tests, not of the system."""

import re
import tomllib
from itertools import chain

from tests.documents.snippets import ROOT, text_of

ROWS = [line for line in text_of("docs/dependencies.md").splitlines() if line.startswith("|")]
NAMED = set(re.findall(r"`([a-z0-9.+-]+)`", "\n".join(ROWS)))


def test_every_requirement_is_explained() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, build = settings["project"], settings["build-system"]
    every = chain(build["requires"], project["dependencies"], *project["optional-dependencies"].values())
    assert {re.split(r"[<>=]", requirement)[0] for requirement in every} - NAMED == set()


def test_every_system_package_is_explained() -> None:
    script = (ROOT / ".ci" / "system-packages").read_text(encoding="utf-8")
    needed = re.findall(r"^ +needs \S+ (\S+)$", script, re.MULTILINE)
    listed = " ".join(re.findall(r"missing\+=\(([a-z0-9 -]+)\)", script)).split()
    assert needed
    assert listed
    assert {*needed, *listed} - NAMED == set()
