"""Host commands: their bytes, their answers, one at a time, and how both ends of the line see them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.angel_eye.commands import (
    CONFIRM_GAME,
    LOCK,
    NAK_MEANINGS,
    UNLOCK,
    AnswerOverheard,
    CommandDone,
    CommandFailed,
    CommandReader,
    HostCommand,
    clear_error,
    encode_command,
)
from firmware_protocol.angel_eye.controller import AngelEyeController, LineSettings
from firmware_protocol.angel_eye.shoe import AngelEyeShoe, ShoeManner
from firmware_protocol.angel_eye.telegrams import Garbage, encode_telegram
from firmware_protocol.events import FaultCode
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    GateFailed,
    GateObeyed,
    Lamp,
    LineError,
    LinkUp,
    LinkUsageError,
    Wanted,
)

LOCK_BYTES = b"\x02OPLK02\x0319"
UNLOCK_BYTES = b"\x02OPLK01\x031A"
ACK = b"\x06"
ALL_COMMANDS = [LOCK, UNLOCK, CONFIRM_GAME, *map(clear_error, range(1, 8))]
RETRIED = {"01", "02", "03", "21", "22"}


def opened(*, stx_in_bcc: bool = False) -> AngelEyeController:
    link = AngelEyeController(commands=True, line=LineSettings(stx_in_bcc=stx_in_bcc))
    link.connected(0)
    assert link.tick(0) == [LinkUp(authenticated=False)]
    return link


def test_the_check_of_a_command_with_and_without_stx() -> None:
    assert encode_command(LOCK, stx_in_bcc=False) == LOCK_BYTES
    assert encode_command(LOCK, stx_in_bcc=True) == b"\x02OPLK02\x031B"


@pytest.mark.parametrize("stx_in_bcc", [False, True])
def test_every_command_goes_through_both_ends(stx_in_bcc: bool) -> None:  # noqa: FBT001 - a parameter of the test
    link = opened(stx_in_bcc=stx_in_bcc)
    shoe = AngelEyeShoe(ShoeManner(stx_in_bcc=stx_in_bcc))
    shoe.connected(0)
    shoe.to_send()
    link.want(DesiredShoe(gate_locked=True, lamps=frozenset({Lamp.ALERT})), 0)
    link.confirm_game(0)
    for code in list(FaultCode)[:7]:
        link.clear_error(code, 0)
    link.want(DesiredShoe(gate_locked=False), 0)
    notices = []
    answers = []
    while out := link.to_send():
        notices += shoe.receive(out, 0)
        answers += link.receive(shoe.to_send(), 0)
    commands = [LOCK, CONFIRM_GAME, *map(clear_error, range(1, 8)), UNLOCK]
    assert [answer for answer in answers if isinstance(answer, CommandDone)] == [
        CommandDone(command=command) for command in commands
    ]
    assert GateObeyed() not in answers
    assert notices == [
        Wanted(desired=DesiredShoe(gate_locked=True)),
        *commands[1:-1],
        Wanted(desired=DesiredShoe(gate_locked=False)),
    ]


def test_one_command_at_a_time() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    link.confirm_game(0)
    assert link.to_send() == LOCK_BYTES
    assert link.to_send() == b""
    assert link.receive(ACK, 0.2) == [CommandDone(command=LOCK)]
    assert link.to_send() == encode_command(CONFIRM_GAME, stx_in_bcc=False)


def test_of_what_waits_only_the_last_wish_for_the_gate_is_sent() -> None:
    link = opened()
    link.confirm_game(0)
    for number in range(100):
        link.want(DesiredShoe(gate_locked=number % 2 == 0), 0)
        link.clear_error(FaultCode.OVER_DRAW, 0)
    sent = b""
    while out := link.to_send():
        sent += out
        link.receive(ACK, 0)
    expected = [CONFIRM_GAME, clear_error(2), UNLOCK]
    assert sorted(CommandReader(stx_in_bcc=False).read(sent), key=str) == sorted(expected, key=str)


def test_silence_is_answered_with_one_more_try() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    assert link.to_send() == LOCK_BYTES
    assert link.next_deadline() == 1.0
    assert link.tick(0.9) == []
    assert link.tick(1.0) == []
    assert link.to_send() == LOCK_BYTES
    assert link.next_deadline() == 2.0
    why = "the shoe did not answer either of two attempts"
    assert link.tick(2.0) == [
        CommandFailed(command=LOCK, reason=why),
        GateFailed(reason=f"command to lock the gate: {why}"),
    ]
    assert link.to_send() == b""
    # It is tried again when it is wanted again, and after a while by itself.
    assert link.next_deadline() == 7.0
    link.want(DesiredShoe(gate_locked=True), 3)
    assert link.to_send() == LOCK_BYTES
    assert link.next_deadline() == 4.0


def test_a_gate_that_did_not_obey_is_asked_again_until_it_does() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    asked, now = 0, 0.0
    while now < 60:
        asked += link.to_send().count(LOCK_BYTES)
        deadline = link.next_deadline()
        assert deadline is not None
        now = deadline
        link.tick(now)
    assert asked >= 16


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        ("99", b"99"),
        *((code, code.encode()) for code in NAK_MEANINGS),
        *((code, bytes.fromhex(code)) for code in NAK_MEANINGS),
    ],
)
def test_every_refusal_is_named(code: str, sent: bytes) -> None:
    nak = b"\x15" + sent
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    link.to_send()
    out = link.receive(nak, 0.5)
    if code in RETRIED:
        assert out == []
        assert link.to_send() == b""
        assert link.tick(1.0) == []
        assert link.to_send() == LOCK_BYTES
        out = link.receive(nak, 1.5)
    failed, told = out
    assert isinstance(failed, CommandFailed)
    assert told == GateFailed(reason=f"command to lock the gate: {failed.reason}")
    assert (failed.command, failed.nak_code) == (LOCK, code)
    assert NAK_MEANINGS.get(code, "unknown code") in failed.reason
    assert link.to_send() == b""


def test_a_refusal_worth_another_try_can_still_be_accepted() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    link.receive(b"\x1521", 0.1)
    link.tick(1.0)
    assert link.receive(ACK, 1.1) == [CommandDone(command=LOCK)]
    assert link.next_deadline() is None


def test_a_second_answer_to_one_try_answers_nothing() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    link.receive(b"\x1521", 0.1)
    assert link.receive(ACK, 0.2) == [LineError(offset=3, length=1, reason="an ACK that answers no command")]


def test_what_was_not_sent_before_the_line_closed_is_not_sent_after() -> None:
    link = opened()
    link.confirm_game(0)
    link.disconnected(0)
    link.connected(1)
    assert link.to_send() == b""
    assert link.next_deadline() == 1
    link.tick(1)
    assert link.next_deadline() is None


def test_an_answer_between_telegrams_is_found_and_in_noise_is_not() -> None:
    link = opened()
    link.confirm_game(0)
    copy = encode_telegram(0, b"S")
    out = link.receive(copy + ACK + copy, 0)
    assert CommandDone(command=CONFIRM_GAME) in out
    assert link.repeats == 1
    link.confirm_game(0)
    assert link.receive(b"\x00" + ACK + copy, 0) == [LineError(offset=13, length=2, reason="noise between telegrams")]


def test_an_answer_to_nothing_is_an_error() -> None:
    link = opened()
    out = link.receive(ACK + b"\x1502", 0)
    assert out == [
        LineError(offset=0, length=1, reason="an ACK that answers no command"),
        LineError(offset=1, length=3, reason="a NAK (wrong check characters) that answers no command"),
    ]


def test_a_listener_hears_the_answers_to_others() -> None:
    link = AngelEyeController(overhear=True)
    link.connected(0)
    link.tick(0)
    assert link.receive(ACK + b"\x1521", 0) == [
        AnswerOverheard(accepted=True),
        AnswerOverheard(accepted=False, nak_code="21", meaning="busy"),
    ]
    assert link.to_send() == b""


def test_the_gate_is_asked_for_after_every_connection_and_every_start() -> None:
    link = AngelEyeController(commands=True)
    link.want(DesiredShoe(gate_locked=True), 0)
    assert link.to_send() == b""
    link.connected(1)
    assert link.to_send() == LOCK_BYTES
    link.confirm_game(1)
    assert link.disconnected(2) == [
        CommandFailed(command=LOCK, reason="the line closed before an answer"),
        CommandFailed(command=CONFIRM_GAME, reason="the line closed before an answer"),
    ]
    link.connected(3)
    assert link.to_send() == LOCK_BYTES
    link.receive(ACK, 3)
    link.want(DesiredShoe(gate_locked=True), 3)
    assert link.to_send() == b""
    link.receive(encode_telegram(0, b"S") * 3, 4)
    assert link.to_send() == LOCK_BYTES
    link.receive(ACK, 4)
    link.want(DesiredShoe(), 5)
    assert link.to_send() == b""


def test_nonsense_asked_of_the_link_is_refused() -> None:
    link = AngelEyeController(commands=True)
    with pytest.raises(LinkUsageError, match="not open"):
        link.confirm_game(0)
    link.connected(0)
    with pytest.raises(LinkUsageError, match="no number"):
        link.clear_error(FaultCode.JAM, 0)
    assert link.to_send() == b""


# --- The shoe's side. ------------------------------------------------------------------------------------------------


def recoded(text: bytes) -> bytes:
    """A command with these seven characters and check characters that fit."""
    covered = text + b"\x03"
    bcc = 0
    for byte in covered:
        bcc ^= byte
    return b"\x02" + covered + b"%02X" % bcc


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        (LOCK_BYTES, b"\x06"),
        (b"\x02OPLK02\x031B", b"\x1502"),
        (LOCK_BYTES[:-1] + b"8", b"\x1502"),
        (b"\x02OPLK02019", b"\x1503"),
        (recoded(b"XXLK02"), b"\x1513"),
        (recoded(b"OPXX02"), b"\x1514"),
        (recoded(b"OPLK03"), b"\x1511"),
        (recoded(b"OPGP01"), b"\x1511"),
        (recoded(b"OPECx1"), b"\x1511"),
        (b"hello", b""),
    ],
)
def test_the_shoe_answers_every_command_and_says_what_was_wrong(raw: bytes, answer: bytes) -> None:
    shoe = AngelEyeShoe()
    shoe.connected(0)
    shoe.to_send()
    notices = shoe.receive(raw, 0)
    assert shoe.to_send() == answer
    assert [isinstance(notice, LineError) for notice in notices] == [answer != b"\x06"]


def test_a_busy_shoe_refuses_and_obeys_nothing() -> None:
    shoe = AngelEyeShoe()
    shoe.connected(0)
    shoe.to_send()
    shoe.refuse_with = "21"
    assert shoe.receive(LOCK_BYTES, 0) == []
    assert shoe.to_send() == b"\x1521"


@given(st.lists(st.one_of(st.binary(max_size=12), st.sampled_from(ALL_COMMANDS)), max_size=8), st.data())
def test_commands_are_found_in_any_bytes_cut_anywhere(parts: list[bytes | HostCommand], data: st.DataObject) -> None:
    line = b"".join(
        encode_command(part, stx_in_bcc=False) if isinstance(part, HostCommand) else part.replace(b"\x02", b"")
        for part in parts
    )
    reader = CommandReader(stx_in_bcc=False)
    items = []
    at = 0
    while at < len(line):
        piece = data.draw(st.integers(1, len(line)))
        items += reader.read(line[at : at + piece])
        at += piece
    assert [item for item in items if isinstance(item, HostCommand)] == [
        part for part in parts if isinstance(part, HostCommand)
    ]
    if not any(isinstance(part, HostCommand) for part in parts):
        assert sum(item.length for item in items if isinstance(item, Garbage)) == len(line)


def test_a_command_cut_off_by_the_next_is_reported_and_the_next_is_taken() -> None:
    reader = CommandReader(stx_in_bcc=None)
    assert reader.read(LOCK_BYTES[:6] + UNLOCK_BYTES) == [
        Garbage(0, 6, "a command was cut off by the start of the next"),
        UNLOCK,
    ]
    assert reader.read(b"\x02OPLK02\x031B" + LOCK_BYTES) == [LOCK, LOCK]


@given(st.lists(st.binary(max_size=40), max_size=10))
def test_no_bytes_upset_the_shoe(pieces: list[bytes]) -> None:
    shoe = AngelEyeShoe()
    shoe.connected(0)
    for now, piece in enumerate(pieces):
        shoe.receive(piece, now)
        shoe.to_send()


OVER_DRAWN = encode_telegram(1, b"E\x82")
OVER_DRAW_OVER = encode_telegram(2, b"e\x82")


def commit(link: AngelEyeController, raw: bytes, now: float) -> None:
    for item in link.receive(raw, now):
        if isinstance(item, Delivery):
            link.committed(item, now)


def commands_sent(link: AngelEyeController) -> list[object]:
    sent = b""
    while out := link.to_send():
        sent += out
        link.receive(ACK, 0)
    return [*CommandReader(stx_in_bcc=False).read(sent)]


def test_an_error_that_is_put_right_at_the_table_is_cleared_once_and_the_game_confirmed() -> None:
    link = opened()
    commit(link, encode_telegram(0, b"S") + OVER_DRAWN, 0)
    link.put_right(frozenset(), 0)
    assert commands_sent(link) == []
    link.put_right(frozenset({FaultCode.OVER_DRAW, FaultCode.JAM}), 1)
    assert commands_sent(link) == [clear_error(2), CONFIRM_GAME]
    link.put_right(frozenset({FaultCode.OVER_DRAW}), 2)
    assert commands_sent(link) == [], "each error once"
    commit(link, OVER_DRAW_OVER, 3)
    commit(link, encode_telegram(3, b"E\x82"), 4)
    link.put_right(frozenset({FaultCode.OVER_DRAW}), 4)
    assert commands_sent(link) == [clear_error(2), CONFIRM_GAME], "it is another error"


def test_an_error_that_still_stands_is_cleared_again_on_a_new_line_and_only_once_it_is_stored() -> None:
    link = opened()
    link.put_right(frozenset({FaultCode.OVER_DRAW}), 0)
    out = link.receive(encode_telegram(0, b"S") + OVER_DRAWN, 0)
    link.put_right(frozenset({FaultCode.OVER_DRAW}), 0)
    assert commands_sent(link) == [], "the table cannot have heard of it"
    for item in out:
        if isinstance(item, Delivery):
            link.committed(item, 0)
    link.disconnected(1)
    link.connected(2)
    assert commands_sent(link) == [clear_error(2), CONFIRM_GAME]


def test_a_gate_that_fails_and_obeys_again_is_told_of_once_each_and_anew_on_a_new_line() -> None:
    link = opened()
    link.want(DesiredShoe(gate_locked=True), 0)
    reports = [report for now in range(1, 40) for report in link.tick(float(now))]
    assert [type(report) for report in reports if isinstance(report, GateFailed | GateObeyed)] == [GateFailed]
    link.tick(42.0)
    answered = link.receive(ACK, 42.1) or link.receive(ACK, 43.0)
    assert GateObeyed() in answered
    link.disconnected(50)
    link.connected(51)
    reports = [report for now in range(51, 60) for report in link.tick(float(now))]
    assert [type(report) for report in reports if isinstance(report, GateFailed | GateObeyed)] == [GateFailed]
