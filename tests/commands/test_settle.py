"""`shoe-controller settle` as its user types it: a table's wagers settled, or refused with their rule and untouched."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.commands.running import Answer, run, run_program, run_with_closed_output
from tests.table_files import EXAMPLE, small_house, write

Capsys = pytest.CaptureFixture[str]

NATURAL = ("9H", "4D", "KS", "2C")
"""Player wins with a natural 9 against 6."""
TIE = ("9H", "9D", "KS", "QC")
BANKER_WINS = ("KH", "9D", "QS", "KC")

Placed = tuple[str, str, int]


def as_json(*placed: Placed) -> bytes:
    return msgspec.json.encode([{"seat": seat, "wager": wager, "stake": stake} for seat, wager, stake in placed])


def settle(capsys: Capsys, config: Path, cards: tuple[str, ...], *placed: Placed) -> Answer:
    return run(capsys, "settle", str(config), "-", *cards, "--json", stdin=as_json(*placed))


def settled(capsys: Capsys, config: Path, cards: tuple[str, ...], *placed: Placed) -> dict[str, Any]:
    answer = settle(capsys, config, cards, *placed)
    assert (answer.exit_code, answer.err) == (0, "")
    settlement: dict[str, Any] = answer.json
    return settlement


# --- Settled. --------------------------------------------------------------------------------------------------------


def test_the_json_of_a_settlement_is_exactly_as_promised(capsys: Capsys) -> None:
    settlement = settled(
        capsys,
        EXAMPLE,
        NATURAL,
        ("3", "base.banker", 4000),
        ("1", "player_wins_on.9", 600),
        ("1", "base.player", 2500),
        ("3", "lucky_6.lucky_6", 500),
    )
    assert settlement == {
        "wagers": [
            {
                "seat": "1",
                "wager": "base.player",
                "stake": 2500,
                "result": "win",
                "winnings": 2500,
                "commission": 0,
                "cut": 0,
                "returned": 5000,
                "pays": "1:1",
            },
            {
                "seat": "1",
                "wager": "player_wins_on.9",
                "stake": 600,
                "result": "win",
                "winnings": 3600,
                "commission": 0,
                "cut": 0,
                "returned": 4200,
                "pays": "6:1",
            },
            {
                "seat": "3",
                "wager": "base.banker",
                "stake": 4000,
                "result": "lose",
                "winnings": 0,
                "commission": 0,
                "cut": 0,
                "returned": 0,
            },
            {
                "seat": "3",
                "wager": "lucky_6.lucky_6",
                "stake": 500,
                "result": "lose",
                "winnings": 0,
                "commission": 0,
                "cut": 0,
                "returned": 0,
            },
        ],
        "totals": {
            "stakes": 7600,
            "taken": 4500,
            "winnings": 6100,
            "commission": 0,
            "cut": 0,
            "paid": 6100,
            "returned": 9200,
        },
        "seats": {
            "1": {
                "stakes": 3100,
                "taken": 0,
                "winnings": 6100,
                "commission": 0,
                "cut": 0,
                "paid": 6100,
                "returned": 9200,
            },
            "3": {"stakes": 4500, "taken": 4500, "winnings": 0, "commission": 0, "cut": 0, "paid": 0, "returned": 0},
        },
        "steps": [
            {"step": "take", "seat": "3", "wager": "base.banker", "amount": 4000},
            {"step": "take", "seat": "3", "wager": "lucky_6.lucky_6", "amount": 500},
            {"step": "pay", "seat": "1", "wager": "base.player", "amount": 2500},
            {"step": "pay", "seat": "1", "wager": "player_wins_on.9", "amount": 3600},
        ],
        "rounding": {"mode": "down", "unit": 1},
        "commission_taken": "at_once",
        "limit_reached": None,
    }


def test_pushes_are_named_at_their_seat_with_the_payments(capsys: Capsys) -> None:
    settlement = settled(
        capsys, EXAMPLE, TIE, ("2", "base.tie", 500), ("2", "base.player", 2500), ("1", "lucky_6.lucky_6", 500)
    )
    assert [(step["step"], step["seat"], step["wager"], step["amount"]) for step in settlement["steps"]] == [
        ("take", "1", "lucky_6.lucky_6", 500),
        ("push", "2", "base.player", 2500),
        ("pay", "2", "base.tie", 4000),
    ]


@pytest.mark.parametrize(("taken", "returned"), [("at_once", 196), ("marked", 202)])
def test_commission_is_taken_at_once_or_marked(capsys: Capsys, tmp_path: Path, taken: str, returned: int) -> None:
    limits = {"all": {"min": 2, "max": 1000}}
    config = write(tmp_path, small_house(base_game="commission", commission={"taken": taken}, limits=limits))
    settlement = settled(capsys, config, BANKER_WINS, ("1", "base.banker", 101))
    (wager,) = settlement["wagers"]
    # 95.95 is rounded down to 95, and commission is the rest.
    assert (wager["winnings"], wager["commission"], wager["pays"]) == (101, 6, "19:20")
    assert wager["returned"] == returned
    assert settlement["commission_taken"] == taken


@pytest.mark.parametrize(("policy", "cut"), [("proportional", [27, 53]), ("in_order", [0, 80])])
def test_the_limit_of_a_round_says_what_was_cut_and_why(
    capsys: Capsys, tmp_path: Path, policy: str, cut: list[int]
) -> None:
    config = write(tmp_path, small_house(round_limit={"amount": 100, "over_limit": policy}))
    placed = [("1", "player_wins_on.9", 10), ("2", "player_wins_on.9", 20), ("1", "base.player", 50)]
    settlement = settled(capsys, config, NATURAL, *placed)
    assert [wager["cut"] for wager in settlement["wagers"]] == [0, *cut]
    assert settlement["totals"]["cut"] == 80
    assert settlement["limit_reached"] == {"limit": 100, "winnings": 180, "policy": policy}
    drawn = run(capsys, "settle", str(config), "-", *NATURAL, stdin=as_json(*placed)).out
    assert "limit of 100" in drawn


def test_no_wagers_are_settled_to_nothing(capsys: Capsys) -> None:
    settlement = settled(capsys, EXAMPLE, NATURAL)
    assert (settlement["wagers"], settlement["steps"], settlement["seats"]) == ([], [], {})


def test_wagers_come_from_a_file_too(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "wagers.json"
    file.write_bytes(as_json(("1", "base.player", 2500)))
    from_file = run(capsys, "settle", str(EXAMPLE), str(file), *NATURAL, "--json")
    assert from_file == settle(capsys, EXAMPLE, NATURAL, ("1", "base.player", 2500))


def test_the_drawing_has_every_wager_and_every_step(capsys: Capsys) -> None:
    placed = [("1", "base.player", 2500), ("2", "base.banker", 3000), ("5", "base.tie", 700)]
    answer = run(capsys, "settle", str(EXAMPLE), "-", *NATURAL, stdin=as_json(*placed))
    assert (answer.exit_code, answer.err) == (0, "")
    for part in ("base.player", "base.banker", "base.tie", "2500", "3000", "700", "take", "pay", "6200", "5000"):
        assert part in answer.out
    assert answer.out.index("take") < answer.out.index("pay ", answer.out.index("take"))


@pytest.mark.parametrize("seat", ["[VIP]", "[/]", "[red]", "[bold]x[/bold]", "座位"])
def test_a_seat_is_shown_by_the_name_the_house_gave_it(capsys: Capsys, tmp_path: Path, seat: str) -> None:
    config = write(tmp_path, small_house(seats=[seat]))
    answer = run(capsys, "settle", str(config), "-", *NATURAL, stdin=as_json((seat, "base.player", 50)))
    assert answer.exit_code == 0
    assert answer.out.count(seat) == 2


# --- Refused. --------------------------------------------------------------------------------------------------------

BASE: Placed = ("1", "base.player", 50)
LUCKY = {"layout": "lucky_8"}


@pytest.mark.parametrize(
    ("house", "placed", "code", "reason"),
    [
        ({}, [("9", "base.player", 50)], "unknown_seat", "the seats are 1, 2"),
        ({}, [("1", "lucky_8.player", 50)], "not_offered", "not offered at this table"),
        ({}, [("1", "base.plyer", 50)], "not_offered", "not offered at this table"),
        ({}, [("1", "base", 50)], "not_offered", "not offered at this table"),
        ({}, [("1", "base.player", 0)], "below_minimum", "0 is below the minimum of 2"),
        ({}, [("1", "base.player", -50)], "below_minimum", "-50 is below the minimum of 2"),
        ({}, [("1", "base.player", 101)], "above_maximum", "101 is above the maximum of 100"),
        ({}, [("1", "base.player", 10**30)], "above_maximum", "above the maximum of 100"),
        ({}, [BASE, BASE], "placed_twice", "already; place it once"),
        (
            {"needs_base": ["pairs"]},
            [("1", "pairs.player", 9)],
            "needs_base_wager",
            "needs a wager on Player or Banker",
        ),
        ({"needs_base": ["pairs"]}, [("1", "pairs.player", 9), ("1", "base.tie", 9)], "needs_base_wager", "needs a"),
        ({"needs_base": ["pairs"]}, [("1", "pairs.player", 9), ("2", "base.player", 9)], "needs_base_wager", "needs a"),
        (
            LUCKY,
            [BASE, ("1", "base.banker", 50)],
            "one_of_option",
            "only one of base.player, base.banker may be played",
        ),
        (
            LUCKY,
            [BASE, ("1", "base.tie", 9), ("1", "lucky_8.player", 9), ("1", "lucky_8.banker", 9)],
            "too_many_options",
            "of 4 betting options a seat may play 3",
        ),
    ],
)
def test_each_rule_of_the_house_is_named_and_nothing_is_settled(
    capsys: Capsys, tmp_path: Path, *, house: dict[str, object], placed: list[Placed], code: str, reason: str
) -> None:
    config = write(tmp_path, small_house(**house))
    good: Placed = ("2", "base.banker", 50)
    answer = run(capsys, "settle", str(config), "-", *NATURAL, "--json", stdin=as_json(good, *placed))
    assert answer.exit_code == 2
    error = answer.json["error"]
    assert list(answer.json) == ["error"]
    assert error["code"] == "refused"
    (refusal,) = error["refused"]
    assert {"code", "seat", "wager", "message"} <= refusal.keys()
    assert (refusal["code"], refusal["seat"]) == (code, placed[0][0])
    assert refusal["wager"] in {wager for _, wager, _ in placed}
    assert reason in refusal["message"]
    assert refusal["message"] in answer.err
    assert "Nothing was settled." in answer.err
    drawn = run(capsys, "settle", str(config), "-", *NATURAL, stdin=as_json(good, *placed))
    assert (drawn.exit_code, drawn.out, drawn.err) == (2, "", answer.err)


def test_three_of_the_four_options_stand(capsys: Capsys, tmp_path: Path) -> None:
    config = write(tmp_path, small_house(**LUCKY))
    settled(capsys, config, NATURAL, BASE, ("1", "base.tie", 9), ("1", "lucky_8.player", 9), ("2", "base.banker", 9))


def test_everything_that_is_not_permitted_is_named_at_once(capsys: Capsys, tmp_path: Path) -> None:
    config = write(tmp_path, small_house(needs_base=["pairs"]))
    answer = settle(
        capsys, config, NATURAL, ("1", "pairs.player", 500), ("7", "base.tie", 9), ("2", "x.y", 9), ("2", "base.tie", 0)
    )
    codes = [(refusal["code"], refusal["seat"]) for refusal in answer.json["error"]["refused"]]
    assert sorted(codes) == [
        ("above_maximum", "1"),
        ("below_minimum", "2"),
        ("needs_base_wager", "1"),
        ("not_offered", "2"),
        ("unknown_seat", "7"),
    ]


# --- Input that cannot be used. --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wagers",
    [
        b"",
        b"no json",
        b"null",
        b"{}",
        b'"base.player"',
        b"[1]",
        b"[{}]",
        b'[{"seat": 1, "wager": "base.player", "stake": 50}]',
        b'[{"seat": "1", "wager": "base.player", "stake": "50"}]',
        b'[{"seat": "1", "wager": "base.player", "stake": 50.5}]',
        b'[{"seat": "1", "wager": "base.player", "stake": true}]',
        b'[{"seat": "1", "wager": "base.player", "stake": null}]',
        b'[{"seat": "1", "wager": "base.player"}]',
        b'[{"seat": "1", "wager": "base.player", "stake": 50, "tip": 5}]',
        b'[{"seat": "1", "wager": "base.player", "stake": 50}',
        b'[{"seat": "1", "wager": "base.player", "stake": 50}] and more',
        b'[{"seat": "\xff", "wager": "base.player", "stake": 50}]',
        b'[{"\xff": "1", "wager": "base.player", "stake": 50}]',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_wagers_that_cannot_be_read(capsys: Capsys, wagers: bytes) -> None:
    answer = run(capsys, "settle", str(EXAMPLE), "-", *NATURAL, "--json", stdin=wagers)
    assert answer.exit_code == 2
    assert answer.json["error"]["code"] == "bad_wagers"
    assert answer.err.startswith("shoe-controller settle: ")
    assert "wagers" in answer.err


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        (("9X",), "bad_card"),
        (NATURAL[:3], "under_draw"),
        ((*NATURAL, "3C"), "over_draw"),
        (("9H", "9H", "KS", "KC"), "impossible_card"),
    ],
)
def test_cards_that_are_no_round(capsys: Capsys, tmp_path: Path, cards: tuple[str, ...], code: str) -> None:
    config = write(tmp_path, small_house(decks=1, allow_decks=["base", "nepal_super_baccarat"], offer=["base"]))
    answer = settle(capsys, config, cards, BASE)
    assert answer.exit_code == 2
    assert answer.json["error"]["code"] == code
    assert answer.err == f"shoe-controller settle: {answer.json['error']['message']}\n"


def test_files_that_do_not_exist_are_named(capsys: Capsys, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    config = run(capsys, "settle", nowhere, "-", *NATURAL, "--json")
    assert (config.exit_code, config.json["error"]["code"]) == (2, "bad_config")
    assert nowhere in config.err
    wagers = run(capsys, "settle", str(EXAMPLE), nowhere, *NATURAL, "--json")
    assert (wagers.exit_code, wagers.json["error"]["code"]) == (2, "bad_wagers")
    assert nowhere in wagers.err


def test_everything_wrong_with_the_configuration_is_reported(capsys: Capsys, tmp_path: Path) -> None:
    config = write(tmp_path, small_house(seats=[], rounding={"unit": 0}))
    answer = settle(capsys, config, NATURAL, BASE)
    assert (answer.exit_code, answer.json["error"]["code"]) == (2, "bad_config")
    assert len(answer.err.splitlines()) == 2
    assert all(line.startswith("shoe-controller settle: ") for line in answer.err.splitlines())


@pytest.mark.parametrize("arguments", [(), (str(EXAMPLE),), (str(EXAMPLE), "-")])
def test_arguments_that_are_missing(capsys: Capsys, arguments: tuple[str, ...]) -> None:
    answer = run(capsys, "settle", *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "CARD" in answer.err


# --- As a program. ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [("--json",), ()], ids=["json", "drawing"])
def test_the_program_answers_as_the_function_does(capsys: Capsys, options: tuple[str, ...]) -> None:
    arguments = ("settle", str(EXAMPLE), "-", *NATURAL, *options)
    wagers = as_json(("1", "base.player", 2500))
    answer = run_program(*arguments, stdin=wagers)
    assert answer == run(capsys, *arguments, stdin=wagers)
    assert answer.exit_code == 0
    assert "\x1b" not in answer.out


@pytest.mark.parametrize("options", [("--json",), ()], ids=["json", "drawing"])
def test_a_reader_that_has_seen_enough_is_no_error(options: tuple[str, ...]) -> None:
    wagers = as_json(("1", "base.player", 2500))
    assert run_with_closed_output("settle", str(EXAMPLE), "-", *NATURAL, *options, stdin=wagers) == (0, "")
