"""`shoe-controller odds` as its user types it. That the figures are right is the business of the tests of the game."""

import os
import subprocess
from fractions import Fraction
from importlib import resources
from math import isclose, perm, sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from firmware_protocol.events import IndicatedWinner
from shoe_controller.house.catalogue_files import built_in_catalogue
from tests.commands.running import PROGRAM, run, run_program, run_with_closed_output
from tests.recorded_sitting import RecordedSitting

Capsys = pytest.CaptureFixture[str]


def odds(capsys: Capsys, *arguments: str) -> list[dict[str, Any]]:
    answer = run(capsys, "odds", "--json", *arguments)
    assert (answer.exit_code, answer.err) == (0, "")
    entries: list[dict[str, Any]] = answer.json
    return entries


def price(pays: str) -> Fraction:
    won, staked = pays.split(":")
    return Fraction(int(won), int(staked))


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_every_entry_is_exactly_as_promised_and_agrees_with_its_rows(capsys: Capsys, decks: int) -> None:
    entries = odds(capsys, "--decks", str(decks))
    assert [entry["wager"] for entry in entries] == list(built_in_catalogue().wagers)
    for entry in entries:
        assert list(entry) == [
            "wager",
            "pay_table",
            "decks",
            "house_edge",
            "exact",
            "hit_frequency",
            "standard_deviation",
            "rows",
            "combined",
        ]
        assert all(list(row) == ["when", "pays", "count"] for row in entry["rows"])
        assert entry["decks"] == decks
        draws = perm(52 * decks, 6)
        assert sum(row["count"] for row in entry["rows"]) == draws
        assert [row["pays"] for row in entry["rows"]].count("lose") == 1
        gains = {"lose": Fraction(-1), "push": Fraction(0)}
        outcomes = [(gains.get(row["pays"]) or price_or_push(row["pays"]), row["count"]) for row in entry["rows"]]
        mean = sum((gain * count for gain, count in outcomes), Fraction(0)) / draws
        square = sum((gain**2 * count for gain, count in outcomes), Fraction(0)) / draws
        assert entry["exact"] == f"{-mean.numerator}/{mean.denominator}"
        assert entry["house_edge"] == float(-mean)
        assert entry["hit_frequency"] == sum(count for gain, count in outcomes if gain > 0) / draws
        assert isclose(entry["standard_deviation"], sqrt(square - mean**2), rel_tol=1e-12)


def price_or_push(pays: str) -> Fraction:
    return Fraction(0) if pays == "push" else price(pays)


def test_the_default_is_eight_decks_nepal_and_every_wager_once(capsys: Capsys) -> None:
    entries = odds(capsys)
    assert entries == odds(capsys, "--decks", "8", "--base", "nepal")
    tables = {entry["wager"]: entry["pay_table"] for entry in entries}
    assert len(tables) == len(entries) == 60
    assert tables["base.banker"] == "nepal"
    assert tables["base.player"] is None
    assert tables["lucky_8.player"] == "L8-1"
    assert tables["infinite_fortune.tie_7"] == "1"
    assert tables["five_dragons.any_dragon"] == "B"


def test_the_pay_table_selected_is_the_one_that_is_counted(capsys: Capsys) -> None:
    wager = "five_dragons.any_dragon"
    (suite_a,) = odds(capsys, "--wager", wager, "--pay-table", f"{wager}=A")
    assert suite_a["pay_table"] == "A"
    assert f"{suite_a['house_edge']:.2%}" == "-34.74%"
    (commission,) = odds(capsys, "--wager", "base.banker", "--base", "commission")
    assert commission["pay_table"] == "commission"
    assert [row["pays"] for row in commission["rows"]] == ["19:20", "push", "lose"]


def test_one_wager_or_all_of_a_group(capsys: Capsys) -> None:
    assert [entry["wager"] for entry in odds(capsys, "--wager", "base.tie")] == ["base.tie"]
    assert [entry["wager"] for entry in odds(capsys, "--wager", "pairs")] == ["pairs.player", "pairs.banker"]


@pytest.mark.parametrize(
    ("table", "exact", "posted"), [("L8-1", 7.9358, 7.9), ("L8-2", 10.1318, 10.1), ("L8-3", 13.6123, 13.6)]
)
def test_the_combined_edge_that_lucky_8_posts(capsys: Capsys, table: str, exact: float, posted: float) -> None:
    player, banker = odds(capsys, "--wager", "lucky_8", "--pay-table", f"lucky_8={table}")
    combined = player["combined"]
    assert combined == banker["combined"]
    assert combined["wagers"] == ["lucky_8.player", "lucky_8.banker"]
    assert Fraction(combined["exact"]) == (Fraction(player["exact"]) + Fraction(banker["exact"])) / 2
    assert isclose(combined["house_edge"] * 100, exact, abs_tol=0.00005)
    assert (combined["posted"], combined["posted_decks"], combined["as_posted"]) == (float(f"{posted}e-2"), 8, True)
    drawn = run(capsys, "odds", "--pay-table", f"lucky_8={table}").out
    assert f"({table}): house edge {exact}%; its document posts {posted}%, which is that figure rounded." in drawn


def test_the_combined_edge_where_nothing_is_posted_for_it(capsys: Capsys, tmp_path: Path) -> None:
    six_decks = odds(capsys, "--wager", "lucky_8", "--decks", "6")
    assert [entry["combined"]["as_posted"] for entry in six_decks] == [None, None]
    assert "posts 7.9% for 8 decks." in run(capsys, "odds", "--decks", "6").out
    mixed = odds(capsys, "--pay-table", "lucky_8.player=L8-2", "--decks", "8")
    assert {str(entry["combined"]) for entry in mixed} == {"None"}
    assert odds(capsys, "--wager", "lucky_8.player")[0]["combined"] is None
    file = tmp_path / "own.toml"
    catalogue = resources.files("shoe_controller.baccarat") / "catalogue" / "lucky_8.toml"
    file.write_text(catalogue.read_text(encoding="utf-8").replace('"L8-1" = "50:1"', '"L8-1" = "60:1"'), "utf-8")
    own = run(capsys, "odds", "--wager", "lucky_8", "--catalogue", str(file)).out
    assert "its document posts 7.9%, which is another figure." in own


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--wager", "base.bankr"], "did you mean 'base.banker'?"),
        (["--wager", ""], "there is no group or wager ''"),
        (["--base", "poker"], "there is no base game 'poker'; there is commission, nepal, no_commission"),
        (["--pay-table", "lucky_8=A"], "it has L8-1, L8-2, L8-3"),
    ],
)
def test_names_that_do_not_exist(capsys: Capsys, arguments: list[str], reason: str) -> None:
    answer = run(capsys, "odds", *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith("shoe-controller odds: ")
    assert reason in answer.err
    with_json = run(capsys, "odds", *arguments, "--json")
    assert with_json.exit_code == 2
    assert with_json.json["error"]["code"] == "unknown_name"


@pytest.mark.parametrize("decks", ["0", "9", "six", "", "6.0"])
def test_a_number_of_decks_that_there_is_not(capsys: Capsys, decks: str) -> None:
    answer = run(capsys, "odds", "--decks", decks)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "must be a number of decks from 1 to 8" in answer.err


def test_arguments_that_do_not_belong_here(capsys: Capsys) -> None:
    answer = run(capsys, "odds", "lucky_8")
    assert (answer.exit_code, answer.out) == (2, "")
    assert "lucky_8" in answer.err


def test_the_table_for_people(capsys: Capsys) -> None:
    answer = run(capsys, "odds")
    assert (answer.exit_code, answer.err) == (0, "")
    for wager in built_in_catalogue().wagers:
        assert wager in answer.out
    for part in ("8 decks", "1.2351%", "1.4581%", "14.3596%"):
        assert part in answer.out


def test_the_rows_of_one_wager_for_people(capsys: Capsys) -> None:
    answer = run(capsys, "odds", "--wager", "lucky_6", "--decks", "8")
    for part in ("16.6836%", "20:1", "12:1", "lose", "winner banker, banker_total 6, banker_cards 3"):
        assert part in answer.out


def test_one_deck_is_one_deck(capsys: Capsys) -> None:
    assert "1 decks" not in run(capsys, "odds", "--wager", "base", "--decks", "1").out


def test_there_are_no_terminal_codes_in_a_pipe() -> None:
    answer = run_program("odds", "--pay-table", "five_dragons.any_dragon=A")
    assert answer.exit_code == 0
    assert "-34.73" in answer.out
    assert "\x1b" not in answer.out


@pytest.mark.parametrize("arguments", [("--json",), ()], ids=["json", "drawing"])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: tuple[str, ...]) -> None:
    assert run_with_closed_output("odds", *arguments) == (0, "")


# --- what is left of a shoe ------------------------------------------------------------------------------------------


def test_odds_when_cards_are_gone(capsys: Capsys) -> None:
    entries = odds(capsys, "--out", "9H", "9H", "10s", "ac,2C", "--decks", "2")
    assert all(entry["cards_left"] == 99 for entry in entries)
    assert all(sum(row["count"] for row in entry["rows"]) == perm(99, 6) for entry in entries)
    full = {entry["wager"]: entry["house_edge"] for entry in odds(capsys, "--decks", "2")}
    assert all(entry["house_edge"] != full[entry["wager"]] for entry in entries)
    drawn = run(capsys, "odds", "--out", "9H", "9H", "--wager", "base.tie").out
    assert "8 decks, 2 cards gone" in drawn


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (
            ("--out", "9H", "9H", "--decks", "1"),
            "impossible_composition",
            "9H is gone 2 times; one deck cannot hold so many",
        ),
        (("--out", "1H"), "bad_card", "'1H' is not a card"),
        (("--out", "9H", "--journal", "x"), "bad_options", "give one of them"),
        (("--round", "3"), "bad_options", "--shoe and --round belong to --journal"),
        (("--cut", "20"), "bad_options", "--cut belongs to --counted"),
        (("--journal", "nowhere.journal"), "bad_journal", "nowhere.journal"),
        (("--counted", "--out", "9H"), "bad_options", "--counted plays whole shoes"),
        (("--counted", "--tags", "0,1,1,1,1,1,-5,1,-5,1"), "bad_options", "--tags and --trigger belong together"),
        (("--counted", "--cut", "400"), "bad_options", "--cut must be from 6 to 390 with 8 decks"),
        (("--counted", "--shoes", "0"), "bad_options", "--shoes must be at least 1"),
    ],
)
def test_what_cannot_be_computed_is_refused(capsys: Capsys, arguments: tuple[str, ...], code: str, says: str) -> None:
    answer = run(capsys, "odds", "--json", *arguments)
    assert answer.exit_code == 2
    assert answer.json["error"]["code"] == code
    assert says in answer.json["error"]["message"]
    assert says in answer.err


def test_odds_as_a_shoe_stood(capsys: Capsys, tmp_path: Path) -> None:
    table = RecordedSitting()
    table.open_shoe("3H")
    table.deal("9H 4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    table.deal("8H 7D")
    journal = str(table.write(tmp_path / "table.journal"))
    decks = 8
    first = odds(capsys, "--journal", journal, "--shoe", "1", "--round", "1")
    assert first[0]["cards_left"] == 52 * decks - 1
    second = odds(capsys, "--journal", journal, "--round", "2")
    assert second == odds(capsys, "--decks", str(decks), "--out", "3H", "9H", "4D", "KS", "2C")
    assert odds(capsys, "--journal", journal)[0]["cards_left"] == 52 * decks - 7
    for wrong, says in (("--shoe=2", "does not contain the opening of shoe 2"), ("--round=4", "there is no round 4")):
        answer = run(capsys, "odds", "--journal", journal, wrong)
        assert (answer.exit_code, says in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("tags", "trigger", "says"),
    [
        ("1,2", "3", "'1,2' must be ten numbers"),
        ("nan,0,0,0,0,0,0,0,0,0", "1", "'nan' is not a number"),
        ("1e400,0,0,0,0,0,0,0,0,0", "1", "'1e400' is not a number"),
        ("A,0,0,0,0,0,0,0,0,0", "1", "'A' is not a number"),
        ("1,0,0,0,0,0,0,0,0,0", "nan", "'nan' is not a number"),
        ("1,0,0,0,0,0,0,0,0,0", "-inf", "-inf"),
    ],
)
def test_a_count_that_is_none_is_refused(capsys: Capsys, tags: str, trigger: str, says: str) -> None:
    answer = run(capsys, "odds", "--counted", "--shoes", "1", f"--tags={tags}", f"--trigger={trigger}")
    assert answer.exit_code == 2
    assert says in answer.err


# --- what a counter would win ----------------------------------------------------------------------------------------


def test_what_a_counter_would_win(capsys: Capsys, tmp_path: Path) -> None:
    picture = tmp_path / "counted.svg"
    arguments = ("odds", "--counted", "--wager", "five_dragons.red_dragon_6", "--decks", "2", "--shoes", "10")
    answer = run(capsys, *arguments, "--svg", str(picture), "--json")
    assert (answer.exit_code, answer.err) == (0, "")
    (entry,) = answer.json
    assert (entry["wager"], entry["decks"], entry["shoes"]) == ("five_dragons.red_dragon_6", 2, 10)
    units = [figures["per_shoe"] for figures in entry["by_depth"]]
    assert [figures["cut"] for figures in entry["by_depth"]] == [14, 26, 39, 52, 78]
    assert units == sorted(units, reverse=True)
    assert units[0] > 0
    assert run(capsys, *arguments, "--json").out == answer.out
    assert run(capsys, *arguments, "--seed", "2", "--json").out != answer.out
    again = run(capsys, *arguments, "--svg", str(picture))
    assert (again.exit_code, "exists already and was left alone" in again.err) == (2, True)
    nowhere = run(capsys, *arguments, "--svg", str(tmp_path / "missing" / "counted.svg"))
    assert (nowhere.exit_code, "there is no folder" in nowhere.err) == (2, True)
    drawing = ET.fromstring(picture.read_text("utf-8"))  # noqa: S314 - our own file
    assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 1
    drawn = run(capsys, *arguments).out
    assert f"{units[0]:.3f}" in drawn
    assert "█" in drawn


def test_a_terminal_sees_how_far_it_is() -> None:
    arguments = ("odds", "--counted", "--wager", "base.tie", "--decks", "1", "--shoes", "3", "--json")
    terminal, theirs = os.openpty()
    with os.fdopen(terminal, "rb", buffering=0) as ours:
        # Less to read than a terminal holds.
        subprocess.run([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=100)
        os.close(theirs)
        seen = ours.read(65536).decode()
    assert "shoes" in seen
    assert "3/3" in seen


def test_what_loses_is_drawn_below_what_wins_nothing(capsys: Capsys, tmp_path: Path) -> None:
    """A pair bet in every round: the longer the shoe, the more it loses."""
    picture = tmp_path / "counted.svg"
    count = ("--tags", "0,0,0,0,0,0,0,0,0,0", "--trigger", "0")
    arguments = ("--wager", "pairs.player", "--decks", "2", "--shoes", "1", "--svg", str(picture))
    assert run(capsys, "odds", "--counted", *count, *arguments).exit_code == 0
    space = "{http://www.w3.org/2000/svg}"
    drawing = ET.fromstring(picture.read_text("utf-8"))  # noqa: S314 - our own file
    (line,) = drawing.findall(f"{space}polyline")
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
    top, bottom = 40, 360
    assert heights == sorted(heights, reverse=True)
    assert heights[0] == bottom
    assert all(top < height < bottom for height in heights[1:])
    ticks = [text.text for text in drawing.findall(f"{space}text") if text.attrib.get("text-anchor") == "end"]
    assert [float(tick or "") for tick in ticks] == sorted(float(tick or "") for tick in ticks)
    assert ticks[-1] == "0.00"


def test_a_published_count_wins_no_more_than_perfect_play(capsys: Capsys) -> None:
    arguments = (
        "odds",
        "--counted",
        "--wager",
        "golden_bacc.natural_9_over_7",
        "--decks",
        "2",
        "--shoes",
        "12",
        "--json",
    )
    perfect = run(capsys, *arguments).json[0]["by_depth"]
    by_tags = run(capsys, *arguments, "--tags", "0,1,1,1,1,1,-5,1,-5,1", "--trigger", "6").json[0]["by_depth"]
    assert 0 < by_tags[0]["per_shoe"] < perfect[0]["per_shoe"]
