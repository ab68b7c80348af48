"""The project's own wheel and source distribution have all our files, and the same files give the same bytes."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.hardware.guest_image import PROJECT

PACKAGES = ("shoe_controller", "firmware_protocol", "simulator")

READS_EVERYTHING = """\
from importlib.resources import files
from shoe_controller.board.process import STATIC as BOARD
from shoe_controller.console.process import STATIC as CONSOLE
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.setup.template import example_text
from shoe_controller.web.static_files import SHARED, TABLE_WORDS
from shoe_controller.words.render import ENGLISH
from simulator.conformance.clauses import read_clauses
import shoe_controller

print(shoe_controller.__file__)
assert all(any(folder.iterdir()) for folder in (BOARD, CONSOLE, SHARED, TABLE_WORDS))
assert built_in_catalogue().documents
assert example_text()
assert ENGLISH.happened("misread")
assert read_clauses(files("firmware_protocol.native").joinpath("PROTOCOL.md").read_text(encoding="utf-8"))
"""


class Built(NamedTuple):
    wheel: Path
    source: Path


def build(checkout: Path, output: Path, umask: int, *kinds: str) -> None:
    targets = [word for kind in kinds for word in ("--target", kind)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *targets, "--directory", str(output)],
        cwd=checkout,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"},
        check=True,
        capture_output=True,
        umask=umask,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    output = tmp_path_factory.mktemp("built")
    build(PROJECT, output, 0o022, "wheel", "sdist")
    (wheel,), (source,) = output.glob("*.whl"), output.glob("*.tar.gz")
    return Built(wheel, source)


def test_every_file_of_the_packages_is_in_the_wheel(built: Built) -> None:
    listed = subprocess.run(
        ["git", "-C", str(PROJECT), "ls-files", *PACKAGES],  # noqa: S607 - the git of whoever runs this
        check=True,
        capture_output=True,
        text=True,
    )
    ours = {name for name in listed.stdout.splitlines() if (PROJECT / name).exists()}
    packed = set(zipfile.ZipFile(built.wheel).namelist())
    assert ours - packed == set()
    assert {name for name in packed - ours if ".dist-info/" not in name} == {"shoe_controller/setup/table.example.toml"}


def test_what_the_programs_read_is_there_without_a_checkout(built: Built, tmp_path: Path) -> None:
    shutil.unpack_archive(built.wheel, tmp_path / "installed", "zip")
    done = subprocess.run(
        [sys.executable, "-c", READS_EVERYTHING],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "installed"))


def test_the_source_distribution_gives_the_same_wheel_byte_for_byte(built: Built, tmp_path: Path) -> None:
    """In another folder, written at another time, by a builder with another umask."""
    with tarfile.open(built.source) as packed:
        packed.extractall(tmp_path / "elsewhere", filter="data")
    (checkout,) = (tmp_path / "elsewhere").iterdir()
    os.utime(checkout / "README.md", (1, 1))
    build(checkout, tmp_path, 0o077, "wheel")
    assert (tmp_path / built.wheel.name).read_bytes() == built.wheel.read_bytes()
