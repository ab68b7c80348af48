"""`shoe-controller config check FILE` as its user types it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import run, run_program, run_with_closed_output
from tests.table_files import EXAMPLE, small_house, write

Capsys = pytest.CaptureFixture[str]


def test_a_good_file_is_called_good_with_what_it_comes_to(capsys: Capsys) -> None:
    answer = run(capsys, "config", "check", str(EXAMPLE))
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out.startswith(
        f"{EXAMPLE} is valid: base game nepal, 8 decks, 41 wagers offered, 8 seats, table kathmandu/baccarat-3, "
        "native shoe at /dev/serial/by-id/usb-Shoe_0001-if00, broker at broker.example port 8883 with TLS, "
        "1 dealer, 1 supervisor\n"
    )


def cells(drawn: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in drawn.splitlines() if "│" in line]


def typed_at(columns: int, *words: str) -> str:
    """What a command writes to a terminal that is so wide."""
    command = shlex.join((sys.executable, "-m", "shoe_controller.cli", *words))
    written = subprocess.run(
        ["script", "-qec", f"stty cols {columns}; {command}", "/dev/null"],  # noqa: S607 - Debian's own
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", written.stdout).replace("\r\n", "\n")


def figures_in(drawn: str) -> list[list[str]]:
    """The words of each wager's row, whether or not it has a frame, and its name one line."""
    lines = [line.replace("│", " ").split() for line in drawn.splitlines() if not set(line) & set("┃━┏┡└")]
    rows = []
    for line, after in zip(lines, [*lines[1:], []], strict=True):
        match line:
            case [name, *figures] if name.endswith("."):
                rows.append([name + after[0], *figures])
            case [name, _, *_] if "." in name and "±" in line:
                rows.append(line)
            case _:
                pass
    return rows


@pytest.mark.parametrize("columns", [60, 80])
def test_no_figure_is_cut_in_a_narrow_terminal(capsys: Capsys, columns: int) -> None:
    drawn = typed_at(columns, "config", "check", str(EXAMPLE)).partition("in minor units")[2]
    wide = figures_in(run(capsys, "config", "check", str(EXAMPLE)).out)
    assert len(wide) == 41
    assert figures_in(drawn) == wide
    if columns >= 80:
        assert max(len(line) for line in drawn.splitlines() if "±" in line) <= columns, "the terminal would wrap it"


def test_the_smallest_and_the_largest_payment_of_every_wager(capsys: Capsys, tmp_path: Path) -> None:
    rows = {row[0]: row[1:] for row in cells(run(capsys, "config", "check", str(EXAMPLE)).out)}
    assert len(rows) == 41
    # Nepal's six pays half; the round's limit of 5,000,000 is the most that a side wager can be paid.
    assert rows["base.banker"][:5] == ["nepal", "2,500", "1,250", "1,000,000", "1,000,000"]
    assert rows["base.tie"][:5] == ["", "500", "4,000", "100,000", "800,000"]
    assert rows["player_wins_on.1"][:5] == ["", "500", "80,000", "50,000", "5,000,000"]
    no_stake = small_house(offer=["base"], rounding={"unit": 60}, limits={"all": {"min": 130, "max": 170}})
    file = write(tmp_path, no_stake)
    assert [row[2] for row in cells(run(capsys, "config", "check", str(file)).out)] == ["none", "none", "none"]
    assert run(capsys, "config", "check", str(file), "--json").json["payments"]["base.tie"] is None


def test_a_file_with_a_house_alone_is_good(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house())
    answer = run(capsys, "config", "check", str(file))
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out.startswith(f"{file} is valid: base game nepal, 8 decks, 34 wagers offered, 2 seats\n")


RUNNABLE = {"table": {"site": "s", "name": "t"}, "shoe": {"port": "socket://host:1", "insecure": True}}


def test_whether_a_table_can_run_with_a_file(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house() | RUNNABLE | {"mqtt": {"host": "::1"}})
    answer = run(capsys, "config", "check", "--running", str(file))
    assert (answer.exit_code, answer.err) == (0, "")
    assert "table s/t, native shoe at socket://host:1 without a key, broker at ::1 port 1883\n" in answer.out


def test_what_a_table_lacks_to_run(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house() | {"shoe": {"port": "/dev/x", "key_file": "nowhere"}})
    answer = run(capsys, "config", "check", "--running", str(file), "--json")
    assert answer.exit_code == 2
    assert [problem["place"] for problem in answer.json["problems"]] == ["table", "shoe.key_file"]
    assert answer.err.startswith(f"{file}: table: is missing")


def test_a_good_file_in_json(capsys: Capsys) -> None:
    answer = run(capsys, "config", "check", str(EXAMPLE), "--json")
    assert (answer.exit_code, answer.err) == (0, "")
    said = answer.json
    payments, counted, warnings = said.pop("payments"), said.pop("counted"), said.pop("warnings")
    assert list(counted) == list(payments)
    assert any("base.tie" in warning for warning in warnings) == (counted["base.tie"]["per_shoe"] > 0.5)
    assert said == {"good": True, "file": str(EXAMPLE), "problems": []}
    assert len(payments) == 41
    assert payments["base.banker"] == {
        "lowest_stake": 2500,
        "highest_stake": 1_000_000,
        "smallest": 1250,
        "largest": 1_000_000,
    }


def test_everything_wrong_is_on_standard_error_a_line_each(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house(layout="five_dragons_a", seats=["1", "1"], rounding={"unit": 0}))
    answer = run(capsys, "config", "check", str(file))
    assert (answer.exit_code, answer.out) == (2, "")
    lines = answer.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{file}: house.") for line in lines)
    assert any("34.74%" in line and "allow_player_edge" in line for line in lines)


def test_everything_wrong_in_json(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house(seat=["1"], decks="8"))
    answer = run(capsys, "config", "check", str(file), "--json")
    assert answer.exit_code == 2
    assert answer.json == {
        "good": False,
        "file": str(file),
        "problems": [
            {"place": "house.decks", "message": "expected a whole number, got '8'; write 8, without quotes"},
            {"place": "house.seat", "message": "unknown key; did you mean 'seats'?"},
        ],
    }
    assert len(answer.err.splitlines()) == 2


@pytest.mark.parametrize("content", [None, b"\xff", b"house", b""])
def test_a_file_that_is_none(capsys: Capsys, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "table.toml"
    if content is not None:
        file.write_bytes(content)
    answer = run(capsys, "config", "check", str(file))
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith(f"{file}: ")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("check",), ("chek", "x"), ("check", "a", "b")])
def test_arguments_that_cannot_be_meant(capsys: Capsys, arguments: tuple[str, ...]) -> None:
    answer = run(capsys, "config", *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "usage: shoe-controller" in answer.err


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_file_whose_name_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")  # as under most locales
    name = os.fsencode(tmp_path) + b"/\xff.toml"
    missing = run_program("config", "check", name, *options)
    assert (missing.exit_code, "Traceback" in missing.err) == (2, False)
    shutil.copyfile(EXAMPLE, name)
    good = run_program("config", "check", name, *options)
    assert (good.exit_code, good.err) == (0, "")


def test_the_program_answers_as_the_function_does(capsys: Capsys) -> None:
    arguments = ("config", "check", str(EXAMPLE), "--json")
    assert run_program(*arguments) == run(capsys, *arguments)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    assert run_with_closed_output("config", "check", str(EXAMPLE)) == (0, "")


OWN_TIE = """
[document.club]
title = "House rules"
decks = [8]

[group]
club = { en = "Club", zh_hant = "會所", zh_hans = "会所" }

[[wager]]
id = "club.low_tie"
name = { en = "Low Tie", zh_hant = "低和", zh_hans = "低和" }
document = "club"
rows = [
    { when = { winner = "tie", player_total = [0, 1] }, pays = "40:1" },
]
"""


def test_what_a_counter_would_win_with_every_wager(capsys: Capsys, tmp_path: Path) -> None:
    house = small_house(layout="nepal_super_baccarat", offer=["base", "tie_wins_on"], counted_limit=0.4)
    file = write(tmp_path, house)
    said = run(capsys, "config", "check", str(file), "--json").json
    exposed = [wager for wager, figures in said["counted"].items() if figures["per_shoe"] > 0.4]
    assert "tie_wins_on.0" in exposed
    assert "base.tie" not in exposed
    assert len(said["warnings"]) == len(exposed)
    (of_zero,) = [warning for warning in said["warnings"] if "tie_wins_on.0" in warning]
    assert "units in a shoe with tie_wins_on.0, the cut card before 14 cards; with the cut card before " in of_zero
    assert " cards or with prices " in of_zero
    assert of_zero.endswith("% lower it is at most 0.4")
    drawn = run(capsys, "config", "check", str(file)).out
    assert f"WARNING: {of_zero}" in drawn
    rows = {row[0]: row[1:] for row in cells(drawn)}
    of_zero = said["counted"]["tie_wins_on.0"]
    assert rows["tie_wins_on.0"][5] == f"{of_zero['per_shoe']:.2f} ± {of_zero['standard_error']:.2f}"
    high = write(tmp_path, {"house": house["house"] | {"counted_limit": 100}})
    assert run(capsys, "config", "check", str(high), "--json").json["warnings"] == []
    longer = write(tmp_path, {"house": house["house"], "procedure": {"last_rounds": 2}})
    (warning,) = run(capsys, "config", "check", str(longer), "--json").json["warnings"]
    assert "is not known of base.player, base.banker, base.tie and 10 more" in warning


def test_a_wager_of_the_house_has_what_was_counted_last(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN_TIE, "utf-8")
    file = write(tmp_path, small_house(offer=["base", "club"], catalogue=["own.toml"]))
    before = run(capsys, "config", "check", str(file), "--json").json
    assert before["counted"]["club.low_tie"] is None
    assert before["warnings"] == [
        f"what a counter would win is not known of club.low_tie: run `shoe-controller odds --counted --table {file}`"
    ]
    counted = run(
        capsys, "odds", "--counted", "--table", str(file), "--shoes", "3", "--wager", "club.low_tie", "--json"
    )
    assert (counted.exit_code, counted.err) == (0, "")
    after = run(capsys, "config", "check", str(file), "--json").json
    assert after["counted"]["club.low_tie"] == counted.json[0]["by_depth"][0]
    assert not any("not known" in warning for warning in after["warnings"])


def test_a_limit_below_nothing_is_refused(capsys: Capsys, tmp_path: Path) -> None:
    answer = run(capsys, "config", "check", str(write(tmp_path, small_house(counted_limit=-1))))
    assert answer.exit_code == 2
    assert "house.counted_limit: must be units won in a shoe, 0 or more, not -1" in answer.err
