"""`shoe-controller catalogue`: what exists, what each wager pays, where it comes from."""

import re
from pathlib import Path

import pytest

from shoe_controller.house.catalogue_files import built_in_catalogue
from tests.commands.running import run, run_program, run_with_closed_output

Capsys = pytest.CaptureFixture[str]


def test_the_json_has_everything_that_the_catalogue_has(capsys: Capsys) -> None:
    answer = run(capsys, "catalogue", "--json")
    assert (answer.exit_code, answer.err) == (0, "")
    shown, catalogue = answer.json, built_in_catalogue()
    assert list(shown) == ["documents", "groups", "wagers", "base_games", "layouts"]
    assert shown["documents"]["golden_bacc"] == {"title": "Golden Bacc Rules of Play", "decks": [6, 8]}
    assert list(shown["documents"]) == list(catalogue.documents)
    assert list(shown["groups"]) == list(catalogue.groups)
    assert [wager["wager"] for wager in shown["wagers"]] == list(catalogue.wagers)
    assert [game["base_game"] for game in shown["base_games"]] == list(catalogue.base_games)
    assert [layout["layout"] for layout in shown["layouts"]] == list(catalogue.layouts)


def test_the_json_of_a_wager(capsys: Capsys) -> None:
    wagers = {wager["wager"]: wager for wager in run(capsys, "catalogue", "--json").json["wagers"]}
    assert wagers["lucky_6.lucky_6"] == {
        "wager": "lucky_6.lucky_6",
        "name": {"en": "Lucky 6", "zh_hant": "幸運六", "zh_hans": "幸运六"},
        "documents": ["nepal_super_baccarat"],
        "decks": [5, 6, 7, 8],
        "default_pay_table": None,
        "pay_tables": {
            "": [
                {"when": "winner banker, banker_total 6, banker_cards 3", "pays": "20:1", "commission": False},
                {"when": "winner banker, banker_total 6, banker_cards 2", "pays": "12:1", "commission": False},
            ]
        },
    }
    assert wagers["lucky_8.player"]["default_pay_table"] == "L8-1"
    assert [row["pays"] for row in wagers["lucky_8.player"]["pay_tables"]["L8-2"]] == [
        "200:1",
        "40:1",
        "25:1",
        "8:1",
        "3:1",
    ]
    assert wagers["base.banker"]["pay_tables"] == {}


def test_the_json_of_a_base_game_and_of_a_layout(capsys: Capsys) -> None:
    shown = run(capsys, "catalogue", "--json").json
    (commission,) = (game for game in shown["base_games"] if game["base_game"] == "commission")
    assert commission["commission"] == "5.00%"
    assert [row["pays"] for row in commission["pay_tables"]["base.banker"]] == ["1:1", "push"]
    (layout,) = (layout for layout in shown["layouts"] if layout["layout"] == "lucky_8")
    assert layout["decks"] == [6, 8]
    assert layout["offers"] == ["base.player", "base.banker", "base.tie", "lucky_8.player", "lucky_8.banker"]


def test_the_drawing_has_every_name_whole(capsys: Capsys) -> None:
    """Whoever writes a configuration copies the names from here, so none may be cut off."""
    answer = run(capsys, "catalogue")
    assert (answer.exit_code, answer.err) == (0, "")
    words = set(re.findall(r"[\w.]+", answer.out))
    catalogue = built_in_catalogue()
    missing = {*catalogue.wagers, *catalogue.base_games, *catalogue.layouts, *catalogue.documents} - words
    assert missing == set()
    assert "…" not in answer.out


def test_the_drawing_says_what_things_pay(capsys: Capsys) -> None:
    out = run(capsys, "catalogue").out
    for part in ("winner banker, banker_total 6: 1:2", "winner banker: 1:1 less 5% commission", "by the base game"):
        assert part in out
    assert "閒對" in out


def test_there_are_no_terminal_codes_in_a_pipe() -> None:
    answer = run_program("catalogue")
    assert answer.exit_code == 0
    assert "\x1b" not in answer.out


@pytest.mark.parametrize("arguments", [("--json",), ()], ids=["json", "drawing"])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: tuple[str, ...]) -> None:
    assert run_with_closed_output("catalogue", *arguments) == (0, "")


def test_arguments_that_do_not_belong_here(capsys: Capsys) -> None:
    answer = run(capsys, "catalogue", "lucky_8")
    assert (answer.exit_code, answer.out) == (2, "")


@pytest.mark.parametrize("arguments", [(), ("casino",), ("--jason",)])
def test_a_command_that_there_is_not(capsys: Capsys, arguments: tuple[str, ...]) -> None:
    answer = run(capsys, *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith("usage: shoe-controller")


OUR_OWN = """
[document.ours]
title = "House rules"
decks = [6, 8]

[group]
club = { en = "Club", zh_hant = "會所", zh_hans = "会所" }

[[wager]]
id = "club.high_tie"
name = { en = "High Tie", zh_hant = "高和", zh_hans = "高和" }
document = "ours"
rows = [{ when = { winner = "tie", player_total = [8, 9] }, pays = "35:1" }]
"""


def test_a_house_sees_its_own_wagers_and_their_odds(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(OUR_OWN, encoding="utf-8")
    shown = run(capsys, "catalogue", "--catalogue", str(file), "--json").json
    assert "club.high_tie" in {wager["wager"] for wager in shown["wagers"]}
    (odds,) = run(capsys, "odds", "--catalogue", str(file), "--wager", "club.high_tie", "--json").json
    assert 0 < odds["house_edge"] < 1
    hand = run(capsys, "hand", "8H", "8D", "KS", "TC", "--catalogue", str(file), "--json").json
    assert hand["wagers"]["club.high_tie"] == {"result": "win", "pays": "35:1"}
    assert "High Tie" in run(capsys, "hand", "8H", "8D", "KS", "TC", "--catalogue", str(file)).out


@pytest.mark.parametrize("command", [("catalogue",), ("odds",), ("hand", "8H", "8D", "KS", "TC")])
def test_a_catalogue_file_that_cannot_be_used_is_named(
    capsys: Capsys, tmp_path: Path, command: tuple[str, ...]
) -> None:
    answer = run(capsys, *command, "--catalogue", str(tmp_path / "nowhere.toml"), "--json")
    assert (answer.exit_code, answer.json["error"]["code"]) == (2, "bad_catalogue")
    assert "nowhere.toml" in answer.err
