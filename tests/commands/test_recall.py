"""`shoe-controller journal recall` as its user types it: in a terminal, for programs, and with nonsense."""

import os
import pty
import re
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import Hand, IndicatedWinner, Misread
from shoe_controller.commands.recall import recalled
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import ReplayStep
from shoe_controller.messages.acts import Approve, Confirm, CorrectCard, IdentifyCard, UndoLastResult, VoidAndReplay
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.state import RulesSource
from tests.commands.running import PROGRAM, Answer, run, run_program, run_with_closed_output
from tests.journal.samples import SOFTWARE, moment, opened, shoes, write
from tests.journal.tampering import tampered
from tests.recorded_sitting import RecordedSitting

Capsys = pytest.CaptureFixture[str]

NATURAL = "9H 4D KS 2C"
YEARS_LATER = 4_000_000_000_000


def plain(table: RecordedSitting) -> None:
    table.bet("1", "base.player", 50)
    table.deal(NATURAL)
    table.result(IndicatedWinner.PLAYER)


def told_evening() -> RecordedSitting:
    """Two shoes: a round with everything in it, a plain one, and one that is under way with its cards face down."""
    table = RecordedSitting()
    table.open_shoe("3H")
    table.bets("1", [("base.player", 50), ("base.tie", 5)])
    table.bet("2", "base.banker", 200)
    table.card("9H")
    table.card("9D", hand=Hand.PLAYER, position=2)
    table.act(VoidAndReplay(), reason="the card went to the wrong hand")
    table.deal("9H 4D")
    table.event(Misread(hand=Hand.PLAYER, position=2))
    table.act(IdentifyCard(number=3, card=Card.parse("KS")), reason="\x1b[31mseen\x1b[0m [bold]by\nme[/bold] :smile:")
    table.card("2C")
    table.result(IndicatedWinner.PLAYER)
    table.bet("3", "base.banker", 7)
    table.act(UndoLastResult(), reason="it was a five")
    assert table.state.lasting.proposal is not None
    table.act(Approve(proposal=table.state.lasting.proposal.number), person="bob")
    table.act(CorrectCard(number=4, card=Card.parse("5C")), reason="it was a five")
    table.act(Confirm())
    plain(table)
    rules = table.rules
    procedure = msgspec.structs.replace(rules.procedure, reveal=Reveal.AT_RESULT)
    table.rules = RulesSource(house=rules.house, catalogue=rules.catalogue, procedure=procedure)
    table.open_shoe("AS")
    table.bet("2", "base.banker", 10)
    table.deal("8H 7D")
    return table


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return told_evening().write(tmp_path_factory.mktemp("evening") / "table.journal")


def recall(capsys: Capsys, *arguments: str | int | Path) -> Answer:
    return run(capsys, "journal", "recall", *map(str, arguments))


# --- for people ------------------------------------------------------------------------------------------------------

WHOLE_STORY = """\
Shoe 1, round 1: Tie
  wagers closed by the first card
Dealt for the first time:
9D was set aside: A card went to Player, but it was Banker’s turn.
Voided by ann, to be dealt again with the same wagers: the card went to the wrong hand
Dealt for the second time:
1  Player  9H  Player’s first card
3  Player  KS  Player’s second card
identified by ann
4  Banker  5C  Banker’s second card
corrected from 2C to 5C by ann
Player 9 (9H KS), Banker 6 (4D 2C). Player has a natural 9.
Player wins, confirmed by the shoe
UNDONE
by ann and bob: it was a five
Payments, all of them undone:
seat 1  take  5    base.tie     stake 5
seat 2  take  200  base.banker  stake 200
seat 1  pay   50   base.player  stake 50, 1:1
Seat 1: stakes 55, taken 5, paid 50.
All: stakes 255, taken 205, paid 50.
Player 9 (9H KS), Banker 9 (4D 5C). Naturals: Player 9, Banker 9.
Tie, confirmed by ann
Payments, in the dealer's order:
out_of_turn (stops)
the round was voided, void_and_replay.
misread (stops)
A card left the shoe and could not be read. (Card 3, Player’s)
: ann, identify_card.
ann (supervisor) identify_card card 3, KS:
ann (supervisor) undo_last_result, approved by bob: it was a five
Shoe 1, round 2: Player wins
Returned at
7 in all: the result before was taken back
seat 3  7  base.banker
Shoe 1, round 3: not dealt, the shoe was over
a new shoe was opened.
Shoe 2, before its first round
The shoe was opened by ann, 8 decks.
First card AS: 1 to burn.
Shoe 2, round 1: under way
1  Player  --  Player’s first card
2  Banker  --  Banker’s first card
-- lies face down, or has not been identified.
Wagers that stand:
seat 2  10  base.banker
"""


def test_the_whole_story_in_order(capsys: Capsys, evening: Path) -> None:
    answer = recall(capsys, evening, 3)
    assert (answer.exit_code, answer.err) == (0, "")
    rest = answer.out
    for line in WHOLE_STORY.splitlines():
        assert line.strip() in rest, line
        rest = rest[rest.index(line.strip()) + len(line.strip()) :]


def test_one_round_is_the_default_and_newest_is_last(capsys: Capsys, evening: Path) -> None:
    titles = [line for line in recall(capsys, evening).out.splitlines() if line.startswith("Shoe")]
    assert titles == ["Shoe 2, round 1: under way"]
    titles = [line for line in recall(capsys, evening, 2).out.splitlines() if line.startswith("Shoe")]
    assert titles == [
        "Shoe 1, round 2: Player wins",
        "Shoe 1, round 3: not dealt, the shoe was over",
        "Shoe 2, before its first round",
        "Shoe 2, round 1: under way",
    ]


def test_faces_that_are_not_shown_at_the_table_are_not_shown_here(capsys: Capsys, evening: Path) -> None:
    for answer in (recall(capsys, evening), recall(capsys, evening, "--json")):
        assert "8H" not in answer.out
        assert "7D" not in answer.out


def test_words_of_people_stay_words(capsys: Capsys, evening: Path) -> None:
    out = recall(capsys, evening, 3).out
    assert "\x1b" not in out
    assert "[31mseen [0m [bold]by me[/bold] :smile:" in out


def in_terminal(columns: int, *arguments: str | int | Path) -> str:
    """What the program writes to a real terminal of that width."""
    main, other = pty.openpty()
    try:
        termios.tcsetwinsize(other, (50, columns))
        environment = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
        }
        with subprocess.Popen(
            [*PROGRAM, "journal", "recall", *map(str, arguments)],
            stdout=other,
            stdin=other,
            env=environment | {"TERM": "xterm"},
        ) as program:
            os.close(other)
            written = b"".join(_until_closed(main))
        assert program.returncode == 0
        return written.decode()
    finally:
        os.close(main)


def _until_closed(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other end was closed
            return
        if not data:
            return
        yield data


@pytest.mark.parametrize("columns", [80, 44])
def test_a_terminal_gets_colours_and_no_line_too_long(evening: Path, columns: int) -> None:
    written = in_terminal(columns, evening, 3)
    assert "\x1b[1;3" in written
    plain_lines = _without_colours(written).splitlines()
    assert max(map(len, plain_lines)) <= columns
    words = " ".join(" ".join(plain_lines).split())
    assert "Voided by ann, to be dealt again with the same wagers: the card went to the wrong hand" in words


def _without_colours(text: str) -> str:
    parts = text.split("\x1b[")
    return parts[0] + "".join(part.partition("m")[2] for part in parts[1:])


# --- for programs ----------------------------------------------------------------------------------------------------


def test_json_is_one_object_for_each_round(capsys: Capsys, evening: Path) -> None:
    answer = recall(capsys, evening, 3, "--json")
    told = [msgspec.json.decode(line, type=RecalledRound) for line in answer.out.splitlines()]
    with JournalReader(evening) as reader:
        assert told == recalled(reader, 3)
    assert [(one.shoe, one.round, one.state) for one in told] == [
        (1, 1, "settled"),
        (1, 2, "settled"),
        (1, 3, "not_dealt"),
        (2, 0, "before"),
        (2, 1, "under_way"),
    ]


def test_it_stops_when_nobody_reads(evening: Path) -> None:
    assert run_with_closed_output("journal", "recall", str(evening), "3") == (0, "")
    assert run_with_closed_output("journal", "recall", str(evening), "3", "--json") == (0, "")


# --- journals of every sort ------------------------------------------------------------------------------------------


def test_more_rounds_than_there_are(capsys: Capsys, evening: Path) -> None:
    answer = recall(capsys, evening, 1000)
    assert answer.exit_code == 0
    assert answer.out.startswith("This journal contains only 3 rounds.\n\nShoe 1, before its first round\n")


def test_an_empty_journal(capsys: Capsys, tmp_path: Path) -> None:
    write(tmp_path / "new", [])
    assert recall(capsys, tmp_path / "new") == (0, "This journal contains no round yet.\n", "")
    assert recall(capsys, tmp_path / "new", "--json") == (0, "", "")


def test_beside_a_running_writer(capsys: Capsys, tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    table = RecordedSitting()
    table.open_shoe()
    plain(table)
    with opened(path) as journal:
        for number, entry in enumerate(table.entries):
            journal.submit(entry).result(timeout=10)
            if number % 5 == 0:
                assert recall(capsys, path).exit_code == 0
        assert "Shoe 1, round 1: Player wins" in recall(capsys, path).out


def pruned(path: Path) -> None:
    """Everything but the current shoe."""
    with JournalReader(path) as reader:
        last = reader.position().last_seq
    with opened(path) as journal:
        journal.confirm(last).result(timeout=10)
    prune(
        path,
        older_than_ms=YEARS_LATER,
        folder=path.parent,
        now=moment(1),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=lambda: None,
    )


def test_a_pruned_journal(capsys: Capsys, tmp_path: Path) -> None:
    path = told_evening().write(tmp_path / "table.journal")
    pruned(path)
    answer = recall(capsys, path, 5)
    assert answer.exit_code == 0
    assert "This journal contains only 1 round. Older shoes were pruned; their exports have them." in answer.out
    assert "Shoe 2, round 1: under way" in answer.out
    # The entry that opened the second shoe also says how the first one ended.
    assert re.findall(r"^Shoe 1, .*", answer.out, re.MULTILINE) == ["Shoe 1, round 3: not dealt, the shoe was over"]
    assert recall(capsys, path).out.startswith("Shoe 2, round 1: under way")


def test_a_journal_that_is_pruned_while_it_is_read(tmp_path: Path) -> None:
    path = told_evening().write(tmp_path / "table.journal")

    class PrunedMeanwhile(JournalReader):
        begun = False

        def steps(self, first: int) -> Iterator[ReplayStep]:
            if not self.begun:
                self.begun = True
                pruned(path)
            return super().steps(first)

    with PrunedMeanwhile(path) as reader:
        assert [(one.shoe, one.round) for one in recalled(reader, 2)] == [(1, 3), (2, 0), (2, 1)]


# --- what cannot be used ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", ["0", "00", "-1", "x", "1.5", "", " ", "1 2", "٣", "1001", "9" * 5000])
def test_nonsense_in_the_place_of_a_number(capsys: Capsys, evening: Path, rounds: str) -> None:
    answer = recall(capsys, evening, rounds)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "not a number of rounds" in answer.err or "at most 1000" in answer.err


def test_files_that_are_no_good(capsys: Capsys, tmp_path: Path) -> None:
    missing = recall(capsys, tmp_path / "nothing")
    assert missing.exit_code == 2
    assert "the file does not exist" in missing.err
    (tmp_path / "text").write_text("dear diary")
    assert recall(capsys, tmp_path / "text").exit_code == 1
    assert recall(capsys, tmp_path).exit_code == 2
    answer = recall(capsys, tmp_path / "text", "--json")
    assert answer.json["error"]["code"] == "damaged"


def test_facts_of_another_program(capsys: Capsys, tmp_path: Path) -> None:
    write(tmp_path / "other", shoes(2))
    answer = recall(capsys, tmp_path / "other")
    assert answer.exit_code == 2
    assert "cannot be read by this version of the program" in answer.err
    assert "journal export" in answer.err


def test_damage_in_what_is_shown_is_named_and_damage_long_before_is_not_read(capsys: Capsys, tmp_path: Path) -> None:
    table = RecordedSitting()
    table.open_shoe()
    for _ in range(6):
        plain(table)
    path = table.write(tmp_path / "table.journal")
    whole = recall(capsys, path)
    tampered(path, "UPDATE record SET body = x'00' WHERE number = 10")
    assert recall(capsys, path) == whole
    answer = recall(capsys, path, 6)
    assert (answer.exit_code, answer.out) == (1, "")
    assert "record 10 " in answer.err
    with JournalReader(path) as reader:
        end = reader.position().head.number
    tampered(path, "UPDATE record SET body = x'00' WHERE number = ?", values=(end - 3,))
    answer = recall(capsys, path)
    assert (answer.exit_code, answer.out) == (1, "")
    assert f"record {end - 3} " in answer.err


def test_as_a_program(evening: Path) -> None:
    answer = run_program("journal", "recall", str(evening), "2")
    assert (answer.exit_code, answer.err) == (0, "")
    assert "Shoe 2, round 1: under way" in answer.out
    named = run_program(b"journal", b"recall", b"/nowhere/\xff")
    assert named.exit_code == 2
    assert "the file does not exist" in named.err
