"""The second table of a machine: what docs/install.md says, word by word, and what it must not take from the first."""

import asyncio
import os
import re
import shutil
import urllib.request
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from shoe_controller.config.table_file import for_running, load_config, load_console
from tests.commands.running import Answer, run
from tests.daemon.programs import Program
from tests.deploy.new_house import PINS, command, init, its_broker, let_emulator_deal
from tests.deploy.test_from_nothing import SKIPPED
from tests.deploy.written_down import commands_below, started_by
from tests.mqtt.brokers import becomes

Capsys = pytest.CaptureFixture[str]

SECOND = ("--yes", "--file", "t2.toml", "--table", "t2", "--port", "/dev/shoe/two")


def as_written(words: list[str], folder: Path) -> Answer:
    """`sudo shoe-controller …` on a machine whose folders are all below this one."""
    assert words[:2] == ["sudo", "shoe-controller"]
    here = [
        word.replace("/etc/shoe-controller", str(folder)).replace("/dev/shoe", str(folder / "dev")) for word in words
    ]
    if here[2] == "init":
        name = here[here.index("--table") + 1]
        more = ("--journal", str(folder / f"{name}.journal"), "--anchor", str(folder / f"anchor/{name}.anchor"))
        here = ["sudo", "shoe-controller", "init", str(folder), *more, *here[3:]]
    return command(*here[2:], stdin="".join(f"{pin}\n" for pin in PINS.values()))


def emulated(folder: Path, number: int) -> Program:
    """The shoe at the port that the documents name."""
    key = "shoe.key" if number == 1 else f"t{number}.shoe.key"
    where = ("--port", f"pty:{folder}/dev/native-000{number}", "--key", str(folder / key))
    pace = ("--speed", "1", "--seed", str(number))
    return Program("shoe-emulator", "run", "--headless", *where, *pace, log=folder / f"emulator-{number}.log")


def linked(table: Program) -> bool:
    return "shoe_link" in table.output


async def answers(file: Path) -> bool:
    """Whether the console of this file serves its page."""
    address = f"http://127.0.0.1:{load_console(file).settings.port}/"
    try:
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(address, timeout=2).read())
    except OSError:
        return False
    return b"<html" in page


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "house"
    answer = init(folder, "--currency", "NPR", "--broker-host", "localhost")
    assert answer.exit_code == 0, answer.err
    return folder


@pytest.fixture
def house(tmp_path: Path, first: Path) -> Path:
    """A machine with one table."""
    return shutil.copytree(first, tmp_path / "house")


def first_as_written(house: Path) -> None:
    (house / "dev").mkdir(parents=True)
    (one,) = commands_below("What init asks for")
    answer = as_written(one, house)
    assert answer.exit_code == 0, answer.err
    let_emulator_deal(house)


def second_as_written(house: Path) -> Answer:
    made = as_written(commands_below("A second table")[0], house)
    assert made.exit_code == 0, made.err
    port = load_console(house / "t2.console.toml").settings.port
    assert f"The console of t2 is served at http://127.0.0.1:{port}/\n" in made.out
    return made


def test_the_documented_commands_make_a_second_table(tmp_path: Path) -> None:
    house = tmp_path / "house"
    first_as_written(house)
    made = second_as_written(house)
    _, _, enable, doctor = (" ".join(words) for words in commands_below("A second table"))
    steps = [line.strip() for line in made.out.partition("Next:\n")[2].splitlines()]
    assert steps[0] == f"sudo mosquitto -c {house}/broker/shoe-controller.conf", "no Mosquitto reads it by itself there"
    assert steps[-1] == doctor.replace("/etc/shoe-controller", str(house))
    for unit in enable.split()[4:]:
        assert Path(started_by(unit, house)[-1]).is_file(), unit
    first, second = (for_running(load_config(house / name)) for name in ("table.toml", "t2.toml"))
    assert (first.table.name, second.table.name) == ("t1", "t2")
    assert second.people == first.people


@pytest.mark.skipif("LONG_TESTS" not in os.environ, reason="seconds; make test-deploy")
@pytest.mark.asyncio
async def test_both_documented_tables_are_served_beside_each_other(tmp_path: Path) -> None:
    house = tmp_path / "house"
    first_as_written(house)
    async with its_broker(house) as broker, AsyncExitStack() as stack:

        async def start(program: Program) -> Program:
            stack.push_async_callback(program.kill)
            await program.start()
            return program

        async def services(*units: str) -> None:
            for unit in units:
                words = started_by(unit, house)
                running[unit] = await start(Program("shoe-controller", *words, log=tmp_path / f"{unit}.log"))

        running: dict[str, Program] = {}
        await start(emulated(house, 1))
        await services("shoe-controller", "shoe-console")
        second_as_written(house)
        _, restart, enable, doctor = commands_below("A second table")
        await start(emulated(house, 2))
        assert restart == ["sudo", "systemctl", "restart", "mosquitto"]
        await broker.stop()
        await broker.start()
        assert enable[:4] == ["sudo", "systemctl", "enable", "--now"]
        await services(*enable[4:])
        for unit in ("shoe-controller", "shoe-controller@t2"):
            await becomes(partial(linked, running[unit]), within=60)
        while not all([await answers(house / name) for name in ("console.toml", "t2.console.toml")]):
            assert all(each.is_running for each in running.values())
            await asyncio.sleep(0.1)
        (house / "t2.journal.keys" / "first.public").rename(tmp_path / "elsewhere.public")
        skipped = [word for name in SKIPPED for word in ("--skip", name)]
        examined = as_written([*doctor, *skipped], house)
        assert examined.exit_code == 0, examined.out


def test_it_takes_over_what_the_house_shares(capsys: Capsys, house: Path) -> None:
    answer = run(capsys, "init", str(house), *SECOND, "--journal", str(house / "t2.journal"))
    assert answer.exit_code == 0, answer.err
    assert "The people of t1, with their PINs: anita, rana, shah.\n" in answer.out
    one, two = (for_running(load_config(house / name)) for name in ("table.toml", "t2.toml"))
    assert two.people == one.people
    assert (two.table.site, two.table.currency) == ("north", "NPR")
    assert one.mqtt is not None
    assert two.mqtt is not None
    assert (two.mqtt.host, two.mqtt.port, two.mqtt.ca_file) == (one.mqtt.host, one.mqtt.port, one.mqtt.ca_file)
    ports = {load_console(house / name).settings.port for name in ("console.toml", "t2.console.toml")}
    assert len(ports) == 2
    before = (house / "t2.console.toml").read_bytes()
    assert run(capsys, "init", str(house), "--file", "t2.toml").exit_code == 0
    assert (house / "t2.console.toml").read_bytes() == before


def test_people_who_are_named_are_those_of_the_second_table_alone(capsys: Capsys, house: Path) -> None:
    words = (*SECOND, "--journal", str(house / "t2.journal"), "--supervisor", "thapa=B. Thapa")
    assert run(capsys, "init", str(house), *words, stdin=b"905183\n").exit_code == 0
    assert [each.id for each in load_config(house / "t2.toml").people] == ["thapa"]


def test_a_first_table_without_a_broker_has_a_second_one_without(capsys: Capsys, tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house, "--no-broker").exit_code == 0
    assert run(capsys, "init", str(house), *SECOND, "--journal", str(house / "t2.journal")).exit_code == 0
    assert load_config(house / "t2.toml").mqtt is None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--site", "south"), r"--site is 'south', but the broker's access list here is for the site 'north' of \S+"),
        (("--table", "t1"), r"\S+/table.toml is the table 't1' already: give this one another name with --table"),
        (("--journal", "FOLDER/t1.journal"), r"\S+ is the journal of 't1' .*: name this table's own with --journal"),
        (("--port", "FOLDER/shoe"), r"\S+ is where the shoe of 't1' is .*: name this table's own with --port"),
    ],
)
def test_what_belongs_to_the_first_table_is_refused(
    capsys: Capsys, first: Path, house: Path, more: tuple[str, str], told: str
) -> None:
    before = sorted(house.rglob("*"))
    words = [word.replace("FOLDER", str(first)) for word in more]
    answer = run(capsys, "init", str(house), *SECOND, "--journal", str(house / "t2.journal"), *words)
    assert answer.exit_code == 2
    assert re.search(told, answer.err), answer.err
    assert sorted(house.rglob("*")) == before


def test_a_first_table_that_cannot_be_read_is_named(capsys: Capsys, house: Path) -> None:
    """What it shares, and what it keeps for itself, would not be known."""
    table = house / "table.toml"
    table.write_text(table.read_text(encoding="utf-8").replace("decks = 8", "decks = true"), encoding="utf-8")
    answer = run(capsys, "init", str(house), *SECOND)
    assert answer.exit_code == 2
    assert f"{table}: house.decks: expected a whole number" in answer.err
    assert not (house / "t2.toml").exists()
