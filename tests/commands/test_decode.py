"""`shoe-controller decode` as a field engineer uses it, nonsense included."""

import argparse
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from firmware_protocol.angel_eye.shoe import AngelEyeShoe, Disclosing, ShoeManner
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.events import AnyShoeEvent, CardDrawn, Hand, Standby
from shoe_controller.commands import decode
from simulator.reader_ids import EMULATED_PATTERN, cards_file
from tests.firmware_protocol.angel_eye.rounds import (
    NEW_SHOE,
    OVER_DRAW_BURNED,
    OVER_DRAW_CARRIED_OVER,
    PLAIN_ROUND,
)
from tests.firmware_protocol.native.line import KEY, Line

Object = dict[str, Any]

START = encode_telegram(0, b"S")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="shoe-controller")
    decode.add_parser(top.add_subparsers(required=True))
    return top


class Answer(NamedTuple):
    exit_code: int
    objects: list[Object]
    errors: str

    def events(self, name: str) -> list[Object]:
        return [found for found in self.objects if found["event"] == name]


Decode = Callable[..., Answer]


@pytest.fixture
def run_decode(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Decode:
    def run(*arguments: str, capture: bytes | None = None, stdin: bytes | None = None) -> Answer:
        files = []
        if capture is not None:
            (tmp_path / "capture").write_bytes(capture)
            files.append(str(tmp_path / "capture"))
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        args = parser().parse_args(["decode", *arguments, *files])
        exit_code = args.run(args)
        output = capsysbinary.readouterr()
        return Answer(exit_code, [json.loads(line) for line in output.out.splitlines()], output.err.decode())

    return run


def capture_of(events: list[AnyShoeEvent], disclosing: Disclosing = Disclosing.AT_RESULT, copies: int = 3) -> bytes:
    shoe = AngelEyeShoe(ShoeManner(disclosing=disclosing, copies=copies, spacing=0))
    shoe.connected(0)
    for event in events:
        shoe.report(event, 0)
    return shoe.to_send()


def recording(*chunks: tuple[float, str, bytes]) -> bytes:
    lines = [json.dumps({"t": at, "dir": direction, "hex": data.hex(" ")}) for at, direction, data in chunks]
    return "\n".join(lines).encode() + b"\n"


# --- Lines. ----------------------------------------------------------------------------------------------------------


def test_a_capture_of_a_reader(run_decode: Decode, tmp_path: Path) -> None:
    cards = tmp_path / "cards.jsonl"
    cards.write_bytes(cards_file(8, "pieces"))
    form = ["--prefix", "$", "--suffix", "*", "--checksum", "crc16", "--unread", "NOREAD"]
    nine = EMULATED_PATTERN.write("E09H01")
    capture = recording((0.0, "shoe", nine), (0.5, "shoe", nine + b"NOREAD\r\n$junk*0000\n"), (9.0, "shoe", nine))
    answer = run_decode("--wire", "lines", *form, "--cards", str(cards), capture=capture)
    assert [found["event"] for found in answer.objects] == [
        "card_drawn",
        "card_read_again",
        "misread",
        "line_error",
        "misread",
        "card_drawn",
    ]
    assert answer.objects[0]["card_id"] == "E09H01"
    assert answer.errors.startswith("5 events, 1 repeat, 1 line error")
    assert "give it with --cards" in run_decode("--wire", "lines", capture=capture).errors
    assert "cannot be read" in run_decode("--wire", "lines", "--cards", "/no/file", capture=capture).errors
    cards.write_bytes(b"nonsense")
    assert "line 1" in run_decode("--wire", "lines", "--cards", str(cards), capture=capture).errors


# --- Angel Eye, raw. -------------------------------------------------------------------------------------------------


def test_a_capture_becomes_one_object_per_event(run_decode: Decode) -> None:
    capture = capture_of([*NEW_SHOE, *PLAIN_ROUND])
    answer = run_decode("--wire", "angel_eye", capture=capture[:6] + b"\xff\x00" + capture[6:])
    assert answer.exit_code == 0
    assert [found["event"] for found in answer.objects] == [
        "started",
        "line_error",
        *["card_drawn"] * 9,
        *["card_identified"] * 6,
        "result",
        "standby",
    ]
    assert answer.events("line_error") == [
        {"event": "line_error", "offset": 6, "length": 2, "reason": "noise between telegrams"}
    ]
    first, burn = answer.events("card_drawn")[:2]
    assert (first["hand"], first["card"], first["first_of_shoe"]) == ("burn", "2C", True)
    assert (burn["hand"], burn["card"], burn["burns_left"]) == ("burn", None, 1)
    assert {"hand": "player", "position": 1, "card": None}.items() <= answer.events("card_drawn")[3].items()
    assert {"hand": "player", "position": 1, "card": "2S"}.items() <= answer.events("card_identified")[0].items()
    assert answer.events("result")[0] == {
        "event": "result",
        "winner": "player",
        "player_pair": False,
        "banker_pair": True,
        "banker_six": False,
    }
    assert answer.errors == "18 events, 36 repeats, 1 line error, 0 gaps\n"


def test_stdin_is_read_with_a_dash_or_with_nothing(run_decode: Decode) -> None:
    for arguments in ((), ("-",)):
        answer = run_decode("--wire", "angel_eye", *arguments, stdin=START)
        assert answer.exit_code == 0
        assert answer.objects == [{"event": "started", "cause": "unknown"}]


def test_an_empty_capture_is_no_error(run_decode: Decode) -> None:
    answer = run_decode("--wire", "angel_eye", "--rounds", capture=b"")
    assert answer == (0, [], "0 events, 0 repeats, 0 line errors, 0 gaps, 0 rounds (0 not agreeing)\n")


def test_the_last_unfinished_telegram_is_not_passed_over(run_decode: Decode) -> None:
    answer = run_decode("--wire", "angel_eye", capture=START + START[:4])
    assert answer.events("line_error")[0]["offset"] == 6
    assert answer.errors == "1 event, 0 repeats, 1 line error, 0 gaps\n"


def test_lost_telegrams_are_gaps(run_decode: Decode) -> None:
    answer = run_decode("--wire", "angel_eye", capture=START + encode_telegram(4, b"P"))
    (gap,) = answer.events("gap")
    assert (gap["expected"], gap["received"]) == (1, 4)
    assert answer.errors == "2 events, 0 repeats, 0 line errors, 1 gap\n"


# --- Rounds. ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("disclosing", Disclosing)
@pytest.mark.parametrize(
    ("sequence", "rounds"),
    [
        (NEW_SHOE, []),
        (PLAIN_ROUND, [(["2S", "3C", "4H"], ["KH", "KD", "6S"], [])]),
        (OVER_DRAW_BURNED, [(["9S", "KC"], ["KH", "7D"], ["AC"])]),
        (OVER_DRAW_CARRIED_OVER, [(["9S", "KC"], ["KH", "7D"], None), (["AC", "5D"], ["8H", "KS"], [])]),
    ],
    ids=["new shoe", "plain round", "over-draw burned", "over-draw carried over"],
)
def test_each_sequence_that_was_seen_gives_its_rounds(
    run_decode: Decode,
    sequence: list[AnyShoeEvent],
    rounds: list[tuple[list[str], list[str], list[str] | None]],
    disclosing: Disclosing,
) -> None:
    answer = run_decode("--wire", "angel_eye", "--rounds", capture=capture_of(sequence, disclosing))
    found = answer.events("round")
    assert [(heard["cards"]["player"], heard["cards"]["banker"]) for heard in found] == [
        (player, banker) for player, banker, _ in rounds
    ]
    for heard, (_, _, extra) in zip(found, rounds, strict=True):
        # Where the extra card is carried over, its face comes only with the next round.
        assert heard["cards"]["extra"] == (
            [None if disclosing is Disclosing.AT_RESULT else "AC"] if extra is None else extra
        )
        assert (heard["agrees"], heard["partial"], heard["problems"]) == (True, False, [])
    assert f"{len(rounds)} round" in answer.errors
    assert "(0 not agreeing)" in answer.errors


def test_a_round_says_what_was_computed_and_what_was_indicated(run_decode: Decode) -> None:
    answer = run_decode("--wire", "angel_eye", "--rounds", capture=capture_of([*PLAIN_ROUND]))
    (heard,) = answer.events("round")
    assert heard == {
        "event": "round",
        "number": 1,
        "cards": {"player": ["2S", "3C", "4H"], "banker": ["KH", "KD", "6S"], "extra": []},
        "computed": {
            "winner": "player",
            "player_total": 9,
            "banker_total": 6,
            "player_pair": False,
            "banker_pair": True,
            "banker_six": False,
        },
        "indicated": {"winner": "player", "player_pair": False, "banker_pair": True, "banker_six": False},
        "agrees": True,
        "partial": False,
        "problems": [],
    }
    # The round follows its result at once.
    assert [found["event"] for found in answer.objects[-3:]] == ["result", "round", "standby"]


def test_a_gap_in_mid_round_shows_in_the_round(run_decode: Decode) -> None:
    telegrams = capture_of([*PLAIN_ROUND, *PLAIN_ROUND], Disclosing.AT_DRAW, copies=1).split(b"\x05")[1:]
    del telegrams[3]
    answer = run_decode("--wire", "angel_eye", "--rounds", capture=b"".join(b"\x05" + rest for rest in telegrams))
    damaged, sound = answer.events("round")
    assert (damaged["agrees"], damaged["partial"]) == (False, True)
    assert damaged["problems"][0] == "Part of the round is missing: at least 1 telegram was missed."
    assert sound["agrees"] is True


# --- Recordings. -----------------------------------------------------------------------------------------------------


def test_a_recording_brings_times_and_the_host(run_decode: Decode) -> None:
    lock = b"\x02OPLK02\x031B"
    answer = run_decode(
        "--wire",
        "angel_eye",
        capture=recording(
            (10.0, "shoe", START),
            (10.5, "host", lock[:5]),
            (10.6, "host", lock[5:] + lock[:-1] + b"0" + b"zz"),
            (10.7, "shoe", b"\x06\x1521"),
            (20.0, "shoe", encode_telegram(1, b"P")),
            (20.1, "shoe", encode_telegram(1, b"P")),
            (30.0, "shoe", encode_telegram(1, b"P")),
            (30.1, "host", b"\x02OP"),
        ),
    )
    assert answer.exit_code == 0
    assert [(found["event"], found.get("t")) for found in answer.objects] == [
        ("started", 10.0),
        ("host_command", 10.6),
        ("line_error", 10.6),
        ("line_error", 10.6),
        ("answer", 10.7),
        ("answer", 10.7),
        ("standby", 20.0),
        ("gap", 30.0),
        ("standby", 30.0),
        ("line_error", None),
    ]
    assert answer.events("host_command")[0] == {"event": "host_command", "type": "LK", "data": "02", "t": 10.6}
    assert [found.get("dir") for found in answer.events("line_error")] == ["host"] * 3
    assert [found["accepted"] for found in answer.events("answer")] == [True, False]


def test_noise_before_a_pause_is_reported_in_its_place(run_decode: Decode) -> None:
    answer = run_decode(
        "--wire",
        "angel_eye",
        capture=recording((0, "shoe", START + b"\xff"), (60, "shoe", b"\xfe"), (61, "shoe", START)),
    )
    assert [(found["event"], found.get("offset")) for found in answer.objects] == [
        ("started", None),
        ("line_error", 6),
        ("line_error", 7),
        ("started", None),
    ]


def test_a_clock_that_was_set_back_upsets_nothing(run_decode: Decode) -> None:
    answer = run_decode(
        "--wire",
        "angel_eye",
        capture=recording(
            (100, "shoe", START), (3, "shoe", START), (104, "shoe", START), (105, "shoe", encode_telegram(1, b"P"))
        ),
    )
    assert [(found["event"], found["t"]) for found in answer.objects] == [("started", 100), ("standby", 105)]
    assert "2 repeats," in answer.errors


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"t": 1, "dir": "shoe"}', "missing required field `hex`"),
        (b'{"t": 1, "dir": "table", "hex": ""}', "table"),
        (b'{"t": 1, "dir": "shoe", "hex": "5"}', "fromhex"),
        (b'{"t": "now", "dir": "shoe", "hex": ""}', "float"),
        (b"[]", "object"),
        (b"\xff\xfe", ""),
        (b'{"t": 1', "truncated"),
        (b'{"hex": "' + b"0" * (1 << 20) + b'"}', "truncated"),
    ],
)
def test_a_line_that_is_no_recording_is_named_and_what_came_before_is_kept(
    run_decode: Decode, line: bytes, reason: str
) -> None:
    answer = run_decode("--wire", "angel_eye", capture=recording((1, "shoe", START)) + b"\n" + line + b"\n")
    assert answer.exit_code == 2
    assert [found["event"] for found in answer.objects] == ["started"]
    counts, sentence = answer.errors.splitlines()
    assert counts.startswith("1 event,")
    assert sentence.startswith("shoe-controller decode: line 3 of ")
    assert reason in sentence


# --- The native wire. ------------------------------------------------------------------------------------------------


def native_recording(events: list[AnyShoeEvent]) -> list[tuple[float, str, bytes]]:
    """Both directions of a native line on which these events were reported."""
    line = Line(seed=3)
    heard: list[tuple[float, str, bytes]] = []

    def tap(sender: str, data: bytes) -> bytes:
        heard.append((line.now, "shoe" if sender == "shoe" else "host", data))
        return data

    line.tap = tap
    line.plan(events)
    line.run_until(lambda: len(line.journal) == len(events))
    return heard


@pytest.fixture
def key_file(tmp_path: Path) -> str:
    (tmp_path / "key").write_text(KEY.hex() + "\n")
    return str(tmp_path / "key")


def test_a_native_recording_with_the_key(run_decode: Decode, key_file: str) -> None:
    chunks = native_recording(list(PLAIN_ROUND))
    answer = run_decode("--wire", "native", "--key", key_file, "--rounds", capture=recording(*chunks))
    assert answer.exit_code == 0
    (up,) = answer.events("link_up")
    assert (up["authenticated"], up["shoe"]["serial_number"]) == (True, "TS-0001")
    cards = answer.events("card_drawn")
    assert [found["card"] for found in cards] == ["2S", "KH", "3C", "KD", "4H", "6S"]
    assert all(found["authenticated"] is True for found in cards)
    assert [found["total"] for found in cards] == [1, 2, 3, 4, 5, 6]
    (captured,) = answer.events("round")
    assert (captured["agrees"], captured["authenticated"]) == (True, True)
    assert answer.errors.startswith("8 events,")
    assert "AUTHENTICATED" not in answer.errors


@pytest.mark.parametrize("with_times", [False, True])
def test_a_native_capture_without_the_key(run_decode: Decode, with_times: bool) -> None:  # noqa: FBT001 - a parameter
    chunks = native_recording(list(PLAIN_ROUND))
    raw = b"".join(data for _, direction, data in chunks if direction == "shoe")
    answer = run_decode("--wire", "native", "--rounds", capture=recording(*chunks) if with_times else raw)
    assert answer.exit_code == 0
    assert [found["authenticated"] for found in answer.events("card_drawn")] == [False] * 6
    (captured,) = answer.events("round")
    assert (captured["agrees"], captured["authenticated"]) == (True, False)
    assert "8 events NOT AUTHENTICATED" in answer.errors


def test_a_packed_recording_is_unpacked(run_decode: Decode, key_file: str) -> None:
    plain = recording(*native_recording(list(PLAIN_ROUND)))
    unpacked = run_decode("--wire", "native", "--key", key_file, capture=plain)
    assert run_decode("--wire", "native", "--key", key_file, capture=gzip.compress(plain)) == unpacked


def test_a_packed_recording_that_was_cut_is_a_sentence(run_decode: Decode) -> None:
    packed = gzip.compress(recording(*native_recording(list(PLAIN_ROUND))))
    answer = run_decode("--wire", "native", capture=packed[:-40])
    assert answer.exit_code == 2
    assert "Compressed file ended" in answer.errors


def test_a_native_capture_with_another_key(run_decode: Decode, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("ab" * 32)
    chunks = native_recording(list(PLAIN_ROUND))
    answer = run_decode("--wire", "native", "--key", str(tmp_path / "other"), capture=recording(*chunks))
    assert answer.exit_code == 0
    (refused,) = answer.events("refused")
    assert "does not hold this key" in refused["reason"]
    assert [found["authenticated"] for found in answer.events("card_drawn")] == [False] * 6


def test_cards_without_a_hand_are_shown_and_left_out_of_rounds(run_decode: Decode) -> None:
    chunks = native_recording([CardDrawn(), CardDrawn()])
    answer = run_decode("--wire", "native", "--rounds", capture=recording(*chunks))
    assert len(answer.events("card_drawn")) == 2
    assert "2 cards without a hand, left out of rounds" in answer.errors


# --- Bad input. ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "contains no key"),
        (b"ab" * 31, "contains no key"),
        (b"ab" * 33, "contains no key"),
        (b"xy" * 32, "contains no key"),
        (b"\xff" * 32, "contains no key"),
        (b"00" * 32, "a key of 32 zero bytes is not a key"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_bad_key_is_refused_without_showing_it(
    run_decode: Decode, tmp_path: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    answer = run_decode("--wire", "native", "--key", str(tmp_path / "key"), capture=b"")
    assert (answer.exit_code, answer.objects) == (2, [])
    assert said in answer.errors
    assert "abab" not in answer.errors


def test_a_key_for_a_wire_without_keys_is_refused(run_decode: Decode, key_file: str) -> None:
    answer = run_decode("--wire", "angel_eye", "--key", key_file, capture=START)
    assert (answer.exit_code, answer.objects) == (2, [])
    assert "has no keys" in answer.errors


def test_a_file_that_cannot_be_read_is_named(run_decode: Decode, tmp_path: Path) -> None:
    for name, reason in ((tmp_path / "nothing", "No such file"), (tmp_path, "Is a directory")):
        answer = run_decode("--wire", "angel_eye", str(name))
        assert (answer.exit_code, answer.objects) == (2, [])
        assert answer.errors.startswith(f"shoe-controller decode: {name} cannot be opened: {reason}")


def test_a_closed_stdin_is_a_sentence(run_decode: Decode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    answer = run_decode("--wire", "angel_eye")
    assert answer.exit_code == 2
    assert "there is no stdin" in answer.errors


@pytest.mark.parametrize("arguments", [[], ["--wire", "morse"], ["--wire", "native", "a", "b"]])
def test_wrong_arguments_are_explained(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args(["decode", *arguments])
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


# --- A capture is read as it comes. ----------------------------------------------------------------------------------

RUN = """
import argparse, resource, sys
from shoe_controller.commands import decode
resource.setrlimit(resource.RLIMIT_DATA, (96 << 20, 96 << 20))
top = argparse.ArgumentParser()
decode.add_parser(top.add_subparsers())
args = top.parse_args(["decode", *sys.argv[1:]])
sys.exit(args.run(args))
"""


def test_a_pipe_is_decoded_while_it_is_open() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "--wire", "angel_eye"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for number in range(1, 4):
            process.stdin.write(encode_telegram(number, b"P"))
            process.stdin.flush()
            line = process.stdout.readline()
            if number == 1:
                assert json.loads(line)["event"] == "gap"
                line = process.stdout.readline()
            assert json.loads(line) == {"event": "standby"}
        process.stdin.close()
        assert process.stderr.read() == b"3 events, 0 repeats, 0 line errors, 1 gap\n"
        assert process.wait(timeout=20) == 0


def test_a_big_capture_takes_little_memory() -> None:
    """Twice as much as the process may have."""
    telegrams = b"".join(encode_telegram(number % 9 + 1, b"P") for number in range(180))
    broken = b"\x05" * 500
    megabyte = telegrams + broken + b"\xff" * ((1 << 20) - len(telegrams) - len(broken))
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "--wire", "angel_eye", "--rounds"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        for _ in range(192):
            process.stdin.write(megabyte)
        process.stdin.close()
        assert process.stderr.read().startswith(b"34560 events, 0 repeats, 96000 line errors,")
        assert process.wait(timeout=60) == 0


def test_the_whole_of_an_evening(run_decode: Decode) -> None:
    events: list[AnyShoeEvent] = [*NEW_SHOE, *(PLAIN_ROUND * 70), Standby()]
    answer = run_decode("--wire", "angel_eye", "--rounds", capture=capture_of(events))
    assert len(answer.events("round")) == 70
    assert all(heard["agrees"] for heard in answer.events("round"))
    assert [found["hand"] for found in answer.events("card_drawn")[:3]] == [Hand.BURN.value] * 3
