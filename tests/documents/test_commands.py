"""The commands of the documents do what their reader expects: each is run, in a house that `init` has made."""

import asyncio
import os
import re
import shlex
from pathlib import Path

import pytest

from shoe_controller.cli import parser
from simulator.cli import parser as emulator_parser
from simulator.options import settings_from
from tests.daemon.house_file import write_secret
from tests.daemon.programs import Program
from tests.deploy.new_house import its_broker
from tests.documents.places import copy_of, new_house, put_native_recording, with_free_ports
from tests.documents.running import make, run, why_not_run
from tests.documents.snippets import ROOT, SHELL, Snippet, every_snippet, snippets_of, text_of
from tests.mqtt.brokers import becomes

AT_A_TABLE = ("doctor", "status", "support-bundle", "journal", "8883")
"""What a command says that needs a table which runs, or has run."""

ELSEWHERE = ("-h localhost", "-p PORT")
"""A broker that lets everybody in: `tests/mqtt/test_documents.py` runs these."""

WHERE_NONE_IS = "journal begin"
"""For a table whose journal is lost: `tests/daemon/test_missing_journal.py` runs it."""

SKIPPED_BY_DOCTOR = ("clock", "disk-space", "disk-speed", "disk-kind", "open-ports")
"""What depends on the machine of the test."""

NO_BROKER = 1
"""A port at which nothing listens."""

PROTOCOL = "firmware_protocol/native/PROTOCOL.md"
HOUSE = "docs/house.md"
SECURITY = "docs/security.md"

BLOCKS = [
    snippet
    for snippet in every_snippet()
    if snippet.language == SHELL
    and snippet.document != SECURITY
    and not any(word in snippet.text for word in (*ELSEWHERE, WHERE_NONE_IS))
]
LIVE = [block for block in BLOCKS if block.document != PROTOCOL and any(word in block.text for word in AT_A_TABLE)]
STILL = [block for block in BLOCKS if block not in LIVE]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_house(tmp_path_factory.mktemp("documents") / "house")


def run_block(block: Snippet, house: Path) -> dict[str, str]:
    """What each of its commands wrote."""
    return {line: run(line, house) for line in block.lines}


@pytest.mark.parametrize("block", STILL, ids=str)
def test_every_command_that_needs_no_running_table(block: Snippet, house: Path, tmp_path: Path) -> None:
    place = copy_of(house, tmp_path / "house")
    if block.document == PROTOCOL or (block.document == HOUSE and "settle" in block.text):
        # The table is the one that the document has shown last.
        *_, table = [
            text for _, language, text in snippets_of(block.document) if language == "toml" and "[house]" in text
        ]
        (place / "table.toml").write_text("".join(with_free_ports(table)), encoding="utf-8")
    if block.document == PROTOCOL and "decode" in block.text:
        put_native_recording(place)
    if "init" in block.text and "--file" not in block.text and "--renew" not in block.text:
        place = tmp_path / "new"
        place.mkdir()
    for line, written in run_block(block, place).items():
        assert why_not_run(line) or written or "mkdir" in line, line


@pytest.mark.asyncio
async def test_every_command_at_a_running_table(tmp_path: Path) -> None:
    house = new_house(tmp_path / "house")
    (house / "t1.journal.keys" / "first.public").rename(tmp_path / "first.public")
    async with its_broker(house) as broker:
        daemon = Program("shoe-controller", "run", str(house / "table.toml"), log=tmp_path / "daemon.log")
        emulator = Program(
            *("shoe-emulator", "run", "--headless", "--port", f"pty:{house / 'shoe'}"),
            *("--key", str(house / "shoe.key"), "--speed", "40", "--seed", "3"),
            log=tmp_path / "emulator.log",
        )
        try:
            await emulator.start()
            await daemon.start()
            await becomes(lambda: daemon.output.count("round_result") >= 2, within=60)
            for number, block in enumerate(LIVE):
                await asyncio.to_thread(_at_the_table, block, house, broker.port, tmp_path / str(number))
            assert daemon.is_running
        finally:
            await daemon.terminate()
            await emulator.kill()


def _at_the_table(block: Snippet, house: Path, port: int, folder: Path) -> None:
    for line in block.lines:
        here = line.replace("-p 8883", f"-p {port}")
        if "doctor" in line:
            here = here.partition("#")[0] + "".join(f" --skip {name}" for name in SKIPPED_BY_DOCTOR)
        if "init" in line or "shoe-controller run" in line:
            # There is one already: another begins in a place of its own.
            place = folder / "new" if "init" in line else copy_of(house, folder)
            place.mkdir(parents=True, exist_ok=True)
            if "init" not in line:
                # It serves the table of the one that runs: it must not find that one.
                table = (place / "table.toml").read_text(encoding="utf-8")
                write_secret(place / "table.toml", table.replace(f"port = {port}", f"port = {NO_BROKER}"))
            run(_with_answers(here), place)
        else:
            written = run(here, house)
            assert why_not_run(line) or written or "mkdir" in line, line


def _with_answers(line: str) -> str:
    """What `init` would ask at a terminal is given as options, as the manual says it may be."""
    (options,) = re.findall(r"shoe-controller init (--site .*?) --dealer", text_of("docs/install.md"))
    return line if "init" not in line or "--site" in line else f"{line} {options}"


BY_WHEELS = re.findall(r"^(?:pipx|uvx) .* shoe-controller (shoe-\S+) (.+)$", text_of("docs/install.md"), re.MULTILINE)


@pytest.mark.parametrize(("program", "words"), BY_WHEELS)
def test_what_is_started_without_a_checkout_has_all_that_it_needs(program: str, words: str) -> None:
    programs = {"shoe-controller": parser("demo"), "shoe-emulator": emulator_parser()}
    arguments = programs[program].parse_args(shlex.split(words))
    if program == "shoe-emulator":
        settings_from(arguments)  # raises what the program would say


def test_both_ways_without_a_checkout_start_both_programs() -> None:
    assert [program for program, _ in BY_WHEELS] == ["shoe-controller", "shoe-emulator"] * 2


OPTIONS = re.findall(r"^\| `([A-Z]+=\S+)` \| `(--\S.*?)` \|", text_of("docs/demo.md"), re.MULTILINE)


@pytest.mark.parametrize(("of_make", "of_command"), OPTIONS)
def test_the_demonstration_takes_both_ways_of_saying_it(of_make: str, of_command: str) -> None:
    told = next(line for line in make("demo", of_make).splitlines() if "shoe_controller.cli demo" in line)
    words = shlex.split(told.partition("shoe_controller.cli ")[2])
    demo = parser("demo")
    assert vars(demo.parse_args(words)) == vars(demo.parse_args(["demo", *shlex.split(of_command)]))


def test_the_demonstration_has_no_other_options() -> None:
    (listed,) = re.findall(r"foreach option,([a-z ]+),", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert {of_make.partition("=")[0].lower() for of_make, _ in OPTIONS} == set(listed.split())
    assert os.access(ROOT / "deploy" / "install.sh", os.X_OK)
