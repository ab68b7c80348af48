"""`shoe-controller hand` as its user types it: one hand, hands line by line, and nonsense."""

import random
import subprocess

import pytest

from firmware_protocol.cards import Card
from shoe_controller.house.catalogue_files import built_in_catalogue
from tests.commands.running import PROGRAM, run, run_program, run_with_closed_output

NATURAL = ("9H", "4D", "KS", "2C")
"""Player has a natural 9, Banker 6."""
SIX_CARDS = ("2H", "3D", "3S", "2C", "4H", "AS")
"""Player draws on 5, to 9; Banker has 5 and draws against a 4, to 6."""
BANKER_WINS_WITH_6 = ("2H", "3D", "2S", "3C", "KH")
BANKER_WINS_WITH_THREE_CARD_7 = ("2H", "2D", "2S", "3C", "7H", "2C")

Capsys = pytest.CaptureFixture[str]


def outcome(capsys: Capsys, *arguments: str) -> dict[str, dict[str, str]]:
    answer = run(capsys, "hand", "--json", *arguments)
    assert answer.exit_code == 0, answer
    wagers: dict[str, dict[str, str]] = answer.json["wagers"]
    return wagers


# --- One hand. -------------------------------------------------------------------------------------------------------


def test_the_json_of_a_hand_is_exactly_as_promised(capsys: Capsys) -> None:
    answer = run(capsys, "hand", *NATURAL, "--json")
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out.count("\n") == 1
    hand = answer.json
    assert list(hand) == ["player", "banker", "winner", "wagers"]
    assert hand["player"] == {"cards": ["9H", "KS"], "total": 9, "natural": True}
    assert hand["banker"] == {"cards": ["4D", "2C"], "total": 6, "natural": False}
    assert hand["winner"] == "player"
    assert list(hand["wagers"]) == list(built_in_catalogue().wagers)
    winners = {wager: result for wager, result in hand["wagers"].items() if result["result"] != "lose"}
    assert winners == {
        "base.player": {"result": "win", "pays": "1:1"},
        "player_wins_on.9": {"result": "win", "pays": "6:1"},
        "phoenix_bonus.player": {"result": "win", "pays": "1:1"},
    }
    assert all(result == {"result": "lose"} for wager, result in hand["wagers"].items() if wager not in winners)


def test_six_cards_go_where_the_drawing_rules_say(capsys: Capsys) -> None:
    hand = run(capsys, "hand", *SIX_CARDS, "--json").json
    assert hand["player"] == {"cards": ["2H", "3S", "4H"], "total": 9, "natural": False}
    assert hand["banker"] == {"cards": ["3D", "2C", "AS"], "total": 6, "natural": False}


def test_a_tie_pushes_both_sides(capsys: Capsys) -> None:
    answer = run(capsys, "hand", "9H", "9D", "KS", "QC", "--json")
    assert answer.json["winner"] == "tie"
    pushes = {wager for wager, result in answer.json["wagers"].items() if result == {"result": "push"}}
    assert pushes == {"base.player", "base.banker", "phoenix_bonus.player", "phoenix_bonus.banker"}


@pytest.mark.parametrize(
    ("base_game", "banker_wins_with_6", "banker_wins_with_three_card_7"),
    [
        ("nepal", {"result": "win", "pays": "1:2"}, {"result": "win", "pays": "1:1"}),
        ("commission", {"result": "win", "pays": "19:20"}, {"result": "win", "pays": "19:20"}),
        ("no_commission", {"result": "win", "pays": "1:1"}, {"result": "push"}),
    ],
)
def test_base_games_price_banker_in_lowest_terms(
    capsys: Capsys, base_game: str, banker_wins_with_6: object, banker_wins_with_three_card_7: object
) -> None:
    six = outcome(capsys, *BANKER_WINS_WITH_6, "--base", base_game)
    assert six["base.banker"] == banker_wins_with_6
    seven = outcome(capsys, *BANKER_WINS_WITH_THREE_CARD_7, "--base", base_game)
    assert seven["base.banker"] == banker_wins_with_three_card_7


def test_the_default_base_game_is_nepal(capsys: Capsys) -> None:
    assert outcome(capsys, *NATURAL) == outcome(capsys, *NATURAL, "--base", "nepal")
    assert outcome(capsys, *BANKER_WINS_WITH_6)["base.banker"]["pays"] == "1:2"


@pytest.mark.parametrize("cards", [("10h", "9d", "9S", "TC"), ("th", "9D", "9s", "10C"), ("TH", "9D", "9S", "tc")])
def test_a_ten_is_t_or_10_and_case_does_not_matter(capsys: Capsys, cards: tuple[str, ...]) -> None:
    answer = run(capsys, "hand", *cards, "--json")
    assert answer.json["player"]["cards"] == ["TH", "9S"]
    assert answer.json["banker"]["cards"] == ["9D", "TC"]


@pytest.mark.parametrize("card", [card.value for card in Card])
def test_every_card_is_understood(capsys: Capsys, card: str) -> None:
    answer = run(capsys, "hand", card.lower(), "--json")
    assert answer.json["error"]["code"] == "under_draw"


# --- Pay tables. -----------------------------------------------------------------------------------------------------

SUITED_8 = ("2H", "KD", "2H", "3C", "4H", "QS")
"""Player has a three-card 8, all hearts, and wins against 3."""


@pytest.mark.parametrize(
    ("options", "pays"),
    [
        ([], "50:1"),
        (["lucky_8=L8-1"], "50:1"),
        (["lucky_8=L8-2"], "40:1"),
        (["lucky_8.player=L8-3"], "25:1"),
        # A choice for the wager is more exact than one for its group, in whichever order.
        (["lucky_8=L8-2", "lucky_8.player=L8-3"], "25:1"),
        (["lucky_8.player=L8-3", "lucky_8=L8-2"], "25:1"),
        (["lucky_8.banker=L8-3"], "50:1"),
        # The last of several choices for the same name holds.
        (["lucky_8=L8-3", "lucky_8=L8-2"], "40:1"),
    ],
)
def test_pay_tables_are_chosen_by_group_or_wager(capsys: Capsys, options: list[str], pays: str) -> None:
    wagers = outcome(capsys, *SUITED_8, *(part for option in options for part in ("--pay-table", option)))
    assert wagers["lucky_8.player"] == {"result": "win", "pays": pays}


def test_the_default_pay_tables(capsys: Capsys) -> None:
    fortune, dragon = "infinite_fortune.natural_9_over_natural_8", "five_dragons.any_dragon"
    natural_9_over_natural_8 = ("9H", "8D", "KS", "QC")
    assert outcome(capsys, *natural_9_over_natural_8)[fortune]["pays"] == "50:1"
    assert outcome(capsys, *natural_9_over_natural_8, "--pay-table", "infinite_fortune=2")[fortune]["pays"] == "45:1"
    assert outcome(capsys, *SUITED_8)[dragon]["pays"] == "4:1"
    assert outcome(capsys, *SUITED_8, "--pay-table", "five_dragons.any_dragon=A")[dragon]["pays"] == "6:1"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--pay-table", "lucky_8=L9"], "lucky_8 has no pay table 'L9'; it has L8-1, L8-2, L8-3"),
        (["--pay-table", "lucky_9=L8-1"], "did you mean 'lucky_"),
        (["--pay-table", "base.player=A"], "base.player has only one pay table"),
        (["--base", "napal"], "did you mean 'nepal'?"),
    ],
)
def test_names_that_do_not_exist(capsys: Capsys, options: list[str], reason: str) -> None:
    answer = run(capsys, "hand", *NATURAL, *options)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith("shoe-controller hand: ")
    assert reason in answer.err
    with_json = run(capsys, "hand", *NATURAL, *options, "--json")
    assert with_json.exit_code == 2
    assert with_json.json["error"]["code"] == "unknown_name"
    assert reason in with_json.json["error"]["message"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--pay-table", "lucky_8"], "GROUP_OR_WAGER=NAME"),
        (["--pay-table", "=L8-1"], "GROUP_OR_WAGER=NAME"),
        (["--pay-table", "lucky_8="], "GROUP_OR_WAGER=NAME"),
        (["--pay-table"], "expected one argument"),
        *((["--decks", decks], "from 1 to 8") for decks in ("0", "9", "-1", "eight", "", "8.0", "08", "\u0668")),
        (["--deks", "8"], "unrecognized arguments"),
    ],
)
def test_options_that_cannot_be_meant(capsys: Capsys, options: list[str], reason: str) -> None:
    answer = run(capsys, "hand", *NATURAL, *options)
    assert (answer.exit_code, answer.out) == (2, "")
    assert reason in answer.err


def test_cards_are_needed(capsys: Capsys) -> None:
    answer = run(capsys, "hand")
    assert answer.exit_code == 2
    assert "CARD" in answer.err


# --- Hands that are none. --------------------------------------------------------------------------------------------

BAD_HANDS = [
    (("9H", "4D", "KS", "2X"), "bad_card", "'2X'"),
    (("1H",), "bad_card", "'1H'"),
    (("11H",), "bad_card", "'11H'"),
    (("100H",), "bad_card", "'100H'"),
    (("H9",), "bad_card", "'H9'"),
    (("",), "bad_card", "''"),
    (("9H4D",), "bad_card", "'9H4D'"),
    (("9H 4D KS 2C",), "bad_card", "'9H 4D KS 2C'"),
    (("9\N{BLACK HEART SUIT}",), "bad_card", "9H"),
    (("-", "9H"), "bad_card", "'-'"),
    (("9H",), "under_draw", "Banker"),
    (("9H", "4D", "KS"), "under_draw", "Banker"),
    (SIX_CARDS[:3], "under_draw", "The next card is missing: Banker’s second card."),
    (SIX_CARDS[:4], "under_draw", "Player"),
    (SIX_CARDS[:5], "under_draw", "Banker"),
    ((*NATURAL, "5H"), "over_draw", "5H"),
    ((*SIX_CARDS, "5H"), "over_draw", "5H"),
    ((*NATURAL, "5H", "5H", "5H", "5H", "5H", "5H", "5H", "5H", "5H"), "over_draw", "5H"),
    (("9H", "9H", "KS", "9H", "--decks", "2"), "impossible_card", "9H"),
    (("9H", "4D", "9H", "KS", "--decks", "1"), "impossible_card", "9H"),
]


@pytest.mark.parametrize(("arguments", "code", "mentioned"), BAD_HANDS)
def test_a_bad_hand_is_refused_with_its_reason(
    capsys: Capsys, arguments: tuple[str, ...], code: str, mentioned: str
) -> None:
    cards_last = ("--json", "--", *arguments) if "--decks" not in arguments else ("--json", *arguments)
    answer = run(capsys, "hand", *cards_last)
    assert answer.exit_code == 2
    assert list(answer.json) == ["error"]
    assert set(answer.json["error"]) == {"code", "message"}
    assert answer.json["error"]["code"] == code
    assert mentioned in answer.json["error"]["message"]
    assert answer.err == f"shoe-controller hand: {answer.json['error']['message']}\n"
    without_json = run(capsys, "hand", *(argument for argument in cards_last if argument != "--json"))
    assert (without_json.exit_code, without_json.out, without_json.err) == (2, "", answer.err)


def test_as_many_copies_as_there_are_decks_are_possible(capsys: Capsys) -> None:
    assert run(capsys, "hand", "9H", "9H", "KS", "KS", "--decks", "2", "--json").exit_code == 0


@pytest.mark.parametrize("text", ["9\N{LATIN SMALL LETTER LONG S}", "\N{FULLWIDTH DIGIT NINE}H"])
def test_letters_that_only_look_like_a_card_are_none(capsys: Capsys, text: str) -> None:
    """Upper-casing turns a long s into S; a card must not be invented by that."""
    answer = run(capsys, "hand", text, *NATURAL[1:], "--json")
    assert answer.json.get("error", {}).get("code") == "bad_card"


# --- The drawing. ----------------------------------------------------------------------------------------------------


def test_the_drawing_shows_both_hands_every_reason_and_every_wager(capsys: Capsys) -> None:
    answer = run(capsys, "hand", *SIX_CARDS)
    assert (answer.exit_code, answer.err) == (0, "")
    for part in (
        "Player has 5: Player draws",
        "Banker has 5, Player’s third card counts 4: Banker draws",
        "2H 3S 4H  9",
        "3D 2C AS  6",
        "Player wins",
    ):
        assert part in answer.out
    for wager in built_in_catalogue().wagers:
        assert wager in answer.out


def test_there_are_no_terminal_codes_in_a_pipe() -> None:
    answer = run_program("hand", *NATURAL)
    assert answer.exit_code == 0
    assert "\x1b" not in answer.out
    assert "natural" in answer.out


# --- Hands line by line. ---------------------------------------------------------------------------------------------


def test_each_line_is_answered_by_one_line_and_blank_lines_are_skipped(capsys: Capsys) -> None:
    lines = b"\n9H 4D KS 2C\n   \t \n\nnonsense\n9H\n9h,4d,10s,2c\r\n"
    answer = run(capsys, "hand", "-", stdin=lines)
    assert answer.exit_code == 2
    assert answer.err == "shoe-controller hand: 2 of 4 hands could not be used; their output lines say why\n"
    codes = [line.get("error", {}).get("code") for line in answer.json_lines]
    assert codes == [None, "bad_card", "under_draw", None]
    assert answer.json_lines[0] == run(capsys, "hand", *NATURAL, "--json").json


@pytest.mark.parametrize("stdin", [b"", b"\n\n", b"9H 4D KS 2C", b"9H 4D KS 2C\n"])
def test_good_lines_only_are_good(capsys: Capsys, stdin: bytes) -> None:
    answer = run(capsys, "hand", "-", stdin=stdin)
    assert answer.exit_code == 0
    assert len(answer.json_lines) == (b"9" in stdin)


def test_lines_are_answered_exactly_as_single_hands_are(capsys: Capsys) -> None:
    dealer = random.Random(20)  # noqa: S311 - a seed, so that the hands are the same every time
    faces = [card.value for card in Card]
    hands = [dealer.choices(faces, k=dealer.randint(4, 6)) for _ in range(150)]
    options = ("--base", "commission", "--pay-table", "lucky_8=L8-3", "--decks", "2")
    lines = run(capsys, "hand", "-", *options, stdin="\n".join(map(" ".join, hands)).encode()).out.splitlines()
    assert len(lines) == len(hands)
    for hand, line in zip(hands, lines, strict=True):
        assert run(capsys, "hand", *hand, *options, "--json").out == f"{line}\n"
    assert any('"winner":"tie"' in line for line in lines)
    assert any('"over_draw"' in line for line in lines)


def test_bytes_that_are_no_text_are_no_card_and_harm_no_other_line(capsys: Capsys) -> None:
    answer = run(capsys, "hand", "-", stdin=b"\xff\xfe\x00\n9H 4D KS 2C\n9\x80 4D KS 2C\n\xc3\x28\n")
    codes = [line.get("error", {}).get("code") for line in answer.json_lines]
    assert codes == ["bad_card", None, "bad_card", "bad_card"]
    assert answer.exit_code == 2


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"9H " * 200_000, "over_draw"), (b"9" * 1_000_000, "bad_card"), (b"9H 4D KS " + b"2" * 1_000_000, "bad_card")],
)
def test_a_very_long_line_gets_a_short_answer(capsys: Capsys, line: bytes, code: str) -> None:
    answer = run(capsys, "hand", "-", stdin=line + b"\n9H 4D KS 2C\n")
    first, second = answer.json_lines
    assert first["error"]["code"] == code
    assert second["winner"] == "player"
    assert len(first["error"]["message"]) < 500


def test_the_options_hold_for_every_line(capsys: Capsys) -> None:
    answer = run(capsys, "hand", "-", "--decks", "1", stdin=b"9H 4D 9H 2C\n9H 4D KS 2C\n")
    assert [line.get("error", {}).get("code") for line in answer.json_lines] == ["impossible_card", None]
    refused = run(capsys, "hand", "-", "--base", "x", stdin=b"9H 4D KS 2C\n")
    assert (refused.exit_code, refused.out) == (2, "")


def test_each_line_is_answered_before_the_next_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may hold a conversation with it."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # it would hide an answer that waits in a buffer
    with subprocess.Popen([*PROGRAM, "hand", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for hand, expected in ((b"9H 4D KS 2C\n", b'"winner":"player"'), (b"9H\n", b'"under_draw"')):
            program.stdin.write(hand)
            program.stdin.flush()
            assert expected in program.stdout.readline()
        program.stdin.close()
        assert program.wait(timeout=30) == 2


# --- As a program. ---------------------------------------------------------------------------------------------------


def test_the_program_answers_as_the_function_does(capsys: Capsys) -> None:
    for arguments in (("hand", *NATURAL, "--json"), ("hand", "9H", "--json"), ("hand", *SIX_CARDS)):
        assert run_program(*arguments) == run(capsys, *arguments)
    lines = b"9H 4D KS 2C\n\xff\n"
    assert run_program("hand", "-", stdin=lines) == run(capsys, "hand", "-", stdin=lines)


def test_an_argument_that_is_no_text_is_a_bad_card() -> None:
    answer = run_program("hand", b"\xff\xfe", "--json")
    assert answer.exit_code == 2
    assert answer.json["error"]["code"] == "bad_card"
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("arguments", [("-",), (*NATURAL, "--json"), NATURAL], ids=["lines", "json", "drawing"])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: tuple[str, ...]) -> None:
    assert run_with_closed_output("hand", *arguments, stdin=b"9H 4D KS 2C\n" * 2000) == (0, "")
