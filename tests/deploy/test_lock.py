"""The lock of the package's dependencies, and its bill of materials."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENTRY = re.compile(r"([a-z0-9-]+)==([0-9a-z.]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")

COMPILED = {"aiohttp", "asyncpg", "cffi", "frozenlist", "msgspec", "multidict", "numpy", "propcache", "yarl"}
FOR_EVERY_PYTHON = {"pynacl"}
"""Compiled for Python's stable interface: one file for each architecture."""
TARGETS, ARCHITECTURES = 4, 2
"""Two releases of Debian, two architectures."""


def locked(name: str) -> dict[str, tuple[str, int]]:
    """Version and number of hashes of each library; nothing else may be in a lock."""
    _, _, entries = (DEPLOY / name).read_text(encoding="utf-8").partition("\n")
    assert ENTRY.sub("", entries) == ""
    return {name: (version, hashes.count("--hash=")) for name, version, hashes in ENTRY.findall(entries)}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("dependencies.lock", PROJECT["project"]["dependencies"]),
        ("build.lock", PROJECT["build-system"]["requires"]),
        ("pipx.lock", ["pip>=23.1"]),
    ],
)
def test_what_the_project_needs_is_locked_in_a_version_that_it_allows(name: str, wanted: list[str]) -> None:
    found = locked(name)
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(found[requirement.name][0]), f"{requirement}: run `make lock`"


def test_compiled_libraries_are_locked_for_every_target() -> None:
    found = locked("dependencies.lock")
    wanted = dict.fromkeys(COMPILED, TARGETS) | dict.fromkeys(FOR_EVERY_PYTHON, ARCHITECTURES)
    assert {name: count for name, (_, count) in found.items() if count != 1} == wanted


def test_what_is_installed_is_what_is_locked() -> None:
    for file in ("install.sh", "build_deb.py"):
        text = (DEPLOY / file).read_text(encoding="utf-8")
        assert {"dependencies.lock", "build.lock"} <= set(re.findall(r"[a-z]+\.lock", text))
        assert "--require-hashes" in text
    # Neither lets the build tools be fetched by themselves, in whatever version there is.
    assert "--no-build-isolation ." in (DEPLOY / "install.sh").read_text(encoding="utf-8")
    assert '"-m", "hatchling", "build"' in (DEPLOY / "build_deb.py").read_text(encoding="utf-8")


def test_the_bill_of_materials_names_what_is_inside() -> None:
    spec = importlib.util.spec_from_file_location("sbom", DEPLOY / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    sbom = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sbom)
    installed = [
        {
            "metadata": {"name": "Typing_Extensions", "version": "4.1", "license_expression": "PSF-2.0"},
            "download_info": {"url": "file:///a/path", "archive_info": {"hashes": {"sha256": "ab"}}},
        },
        {
            "metadata": {"name": "rich", "version": "15", "classifier": ["License :: OSI Approved :: MIT License"]},
            "download_info": {"url": "file:///a/path", "archive_info": {"hashes": {"sha256": "cd"}}},
        },
    ]
    for_arm = {
        "metadata": {"name": "rich", "version": "15", "license": "MIT License"},
        "download_info": {"archive_info": {"hashes": {"sha256": "ab"}}},
    }
    text = sbom.bill_of_materials("0.1.0", [*installed, for_arm])
    assert sbom.bill_of_materials("0.1.0", [for_arm, *reversed(installed)]) == text
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert [each["purl"] for each in bill["components"]] == ["pkg:pypi/rich@15", "pkg:pypi/typing-extensions@4.1"]
    assert [each["licenses"][0]["license"]["name"] for each in bill["components"]] == ["MIT License", "PSF-2.0"]
    rich = bill["components"][0]
    assert rich["hashes"] == [{"alg": "SHA-256", "content": "ab"}, {"alg": "SHA-256", "content": "cd"}]
    assert "a/path" not in text
