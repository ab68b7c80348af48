"""`shoe-controller roads` as its user types it, nonsense included."""

import argparse
import io
import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.baccarat.roads import RoadResult, Roads, RoadWinner, roads
from shoe_controller.commands.roads import BadResultsError, add_parser, parse_results

TITLES = ("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach road")
LONG_SHOE = "BBPTPPPPPPPPPBnPBbBBPPBpTTPBP" * 8

Command = Callable[..., int]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Command:
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    parser = argparse.ArgumentParser(prog="shoe-controller")
    add_parser(parser.add_subparsers(required=True, dest="command"))

    def run(*arguments: str) -> int:
        args = parser.parse_args(["roads", *arguments])
        exit_code = args.run(args)
        assert isinstance(exit_code, int)
        return exit_code

    return run


def drawn_roads(output: str) -> dict[str, list[str]]:
    """Each road's lines below its title; a blank line stands between roads."""
    pictures = {}
    for block in output.rstrip("\n").split("\n\n"):
        title, *lines = block.split("\n")
        pictures[title.split(" (")[0]] = lines
    return pictures


# --- Reading the text. -----------------------------------------------------------------------------------------------


@st.composite
def results_and_their_text(draw: st.DrawFn) -> tuple[list[RoadResult], str]:
    results = []
    text = draw(st.sampled_from(["", " ", ",-"]))
    for winner in draw(st.lists(st.sampled_from(RoadWinner), max_size=30)):
        marks = draw(st.lists(st.sampled_from("bpn"), unique=True))
        results.append(
            RoadResult(winner=winner, banker_pair="b" in marks, player_pair="p" in marks, natural="n" in marks)
        )
        text += winner.value + "".join(marks) + draw(st.sampled_from(["", "", " ", ",", "-", ", ", "\n", "\t--"]))
    return results, text


@given(results_and_their_text())
def test_marks_in_any_order_and_anything_between_rounds(case: tuple[list[RoadResult], str]) -> None:
    results, text = case
    assert parse_results(text) == results


@pytest.mark.parametrize(
    ("text", "letter", "position"),
    [
        ("x", "x", 1),
        ("BPx", "x", 3),
        ("BP T9", "9", 5),
        ("Bt", "t", 2),
        ("BB;P", ";", 3),
        ("Ｂ", "Ｂ", 1),  # noqa: RUF001 - a full-width letter, as an Asian keyboard gives it, is what is tested
        ("b", "b", 1),
        ("nB", "n", 1),
        (" -n", "n", 3),
        ("B p", "p", 3),
        ("B,P,b", "b", 5),
        ("Bnn", "n", 3),
        ("BPbpb", "b", 5),
    ],
)
def test_the_error_names_letter_and_position_and_says_what_to_write(text: str, letter: str, position: int) -> None:
    with pytest.raises(BadResultsError, match=f"^'{re.escape(letter)}' at position {position} is .*: write "):
        parse_results(text)


@given(st.text(alphabet="BPTbpn ,-xé0\0", max_size=12))
def test_nonsense_is_read_or_refused_at_a_position_of_the_text(text: str) -> None:
    try:
        results = parse_results(text)
    except BadResultsError as error:
        message = str(error)
    else:
        assert len(results) == sum(text.count(letter) for letter in "BPT")
        return
    found = re.search(r"at position (\d+) is", message)
    assert found
    position = int(found[1])
    assert message.startswith(repr(text[position - 1]))
    # Up to there the text was good, and with the letter it is not.
    parse_results(text[: position - 1])
    with pytest.raises(BadResultsError):
        parse_results(text[:position])


# --- The command. ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "T", "BBnPTpB", LONG_SHOE])
def test_json_is_the_board_on_one_line(command: Command, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert command(text, "--json") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.count("\n") == 1
    assert msgspec.json.decode(captured.out, type=Roads, strict=True) == roads(parse_results(text))


def test_rounds_may_come_as_several_words(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("B", "Bn", "P,T", "--json") == 0
    in_words = capsys.readouterr().out
    assert command("BBnPT", "--json") == 0
    assert capsys.readouterr().out == in_words


@pytest.mark.parametrize("json_too", [(), ("--json",)])
@pytest.mark.parametrize("text", ["bpt", "BBx", "Bnn", "B p", "B\x1b[31m", "B\udcff"])
def test_bad_input_is_exit_code_2_and_a_sentence_on_stderr(
    command: Command, capsys: pytest.CaptureFixture[str], text: str, json_too: tuple[str, ...]
) -> None:
    assert command(text, *json_too) == 2
    captured = capsys.readouterr()
    if json_too:
        assert msgspec.json.decode(captured.out)["error"]["code"] == "bad_results"
    else:
        assert captured.out == ""
    assert captured.err.startswith("shoe-controller roads: ")
    assert captured.err.removesuffix("\n").isprintable()
    assert "write " in captured.err


def test_no_results_at_all_is_a_usage_error(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command()
    assert stopped.value.code == 2
    assert "RESULTS" in capsys.readouterr().err


# Streaks of 2, 2, 8, 2, 1, 1, 1, worked out and drawn by hand.
DRAWN_SHOE = "TBBnPTpTPBbBBBBBBBPPBPB"
DRAWING = r"""Bead plate (b Banker pair, p Player pair, n natural)
T  P  B  P
B  Bb B  B
Bn B  B  .
P  B  P  .
Tp B  P  .
T  B  B  .

Big road (a number counts ties)
B1 P2 B  P  B  P  B
B  P  B  P  .  .  .
.  .  B  .  .  .  .
.  .  B  .  .  .  .
.  .  B  .  .  .  .
.  .  B  B  B  .  .

Big eye boy (○ red, ◇ blue)
○ ◇ ○ ◇ ○ ◇ ○
○ . ○ . . ◇ .
○ . ○ . . . .
. . ○ . . . .
. . ○ . . . .
. . . . . . .

Small road (● red, ◆ blue)
● ◆ ● ◆ ● ◆
. . ● . ● ◆
. . ● . . .
. . ● . . .
. . ● . . .
. . . . . .

Cockroach road (/ red, \ blue)
/ \
/ \
. .
. .
. .
. .
"""


def test_the_drawing(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(DRAWN_SHOE) == 0
    assert capsys.readouterr().out == DRAWING


def test_a_shoe_without_a_round_is_drawn_as_empty(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("") == 0
    assert drawn_roads(capsys.readouterr().out) == {title: ["nothing yet"] for title in TITLES}


def test_ties_that_wait_for_a_winner_are_counted(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("TTTTTTTTTTT") == 0
    assert drawn_roads(capsys.readouterr().out)["Big road"] == ["T11", ".", ".", ".", ".", "."]


@pytest.mark.parametrize("width", [80, 79, 40, 2, 1])
def test_of_a_long_shoe_the_latest_columns_are_drawn(
    command: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", "10000")
    assert command(LONG_SHOE) == 0
    in_full = drawn_roads(capsys.readouterr().out)
    assert [len(lines) for lines in in_full.values()] == [6] * 5

    monkeypatch.setenv("COLUMNS", str(width))
    assert command(LONG_SHOE) == 0
    output = capsys.readouterr().out
    # The words above a road may be broken at blanks; its last six lines are the road itself.
    blocks = [block.split("\n") for block in output.rstrip("\n").split("\n\n")]
    for lines, full_lines in zip((block[-6:] for block in blocks), in_full.values(), strict=True):
        assert all(full.endswith(line) for line, full in zip(lines, full_lines, strict=True))
        assert all(lines)
    widest_cell = 2
    assert all(len(line) <= max(width, widest_cell) for line in output.split("\n"))


@pytest.mark.parametrize("width", ["79", "80"])
def test_what_does_not_fit_is_said(
    command: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    # Forty letters with a blank between them are 79 characters; nothing more fits into 80.
    monkeypatch.setenv("COLUMNS", width)
    assert command("BP" * 20) == 0
    assert len(drawn_roads(capsys.readouterr().out)["Big road"]) == 6
    assert command("BP" * 20 + "B") == 0
    assert drawn_roads(capsys.readouterr().out)["Big road"][:2] == [
        "1 of 41 columns do not fit here; --json has all",
        " ".join("PB" * 20),
    ]
    assert command("BP" * 21) == 0
    assert drawn_roads(capsys.readouterr().out)["Big road"][0] == "2 of 42 columns do not fit here; --json has all"


def test_the_latest_round_is_in_sight_beside_a_very_long_tail(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("B" * 60 + "PP") == 0
    remark, top, *_, bottom = drawn_roads(capsys.readouterr().out)["Big road"]
    assert remark == "15 of 55 columns do not fit here; --json has all"
    assert top == " ".join("P" + "." * 39)
    assert bottom == " ".join("B" * 40)


def test_a_cell_is_never_broken_in_two(
    command: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    assert command("Bbpn") == 0
    bead_plate, *_ = capsys.readouterr().out.split("\n\n")
    assert bead_plate.split("\n")[-6:] == ["Bbpn", ".", ".", ".", ".", "."]


def test_no_colour_codes_in_a_file_even_when_colour_is_forced(
    command: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert command(DRAWN_SHOE) == 0
    assert capsys.readouterr().out == DRAWING


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_the_same_drawing_in_colour(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert command(DRAWN_SHOE) == 0
    colour_code = re.compile(r"\x1b\[[0-9;]*m")
    assert colour_code.sub("", terminal.getvalue()) == DRAWING
    red, blue, green = "31", "34", "32"
    for shape, colour in [("B", red), ("P", blue), ("T", green), ("○", red), ("◇", blue), ("/", red), ("\\", blue)]:
        assert re.search(rf"\x1b\[(1;)?{colour}m{re.escape(shape)}", terminal.getvalue())


def test_an_output_that_knows_no_shapes_gets_letters(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    output = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    monkeypatch.setattr("sys.stdout", output)
    assert command(DRAWN_SHOE) == 0
    output.flush()
    in_letters = str.maketrans({"○": "r", "◇": "b", "●": "R", "◆": "B"})
    assert raw.getvalue().decode("ascii") == DRAWING.translate(in_letters)
