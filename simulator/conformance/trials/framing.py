"""Trials of section 1: what is a frame, and what becomes of everything else on the line."""

from binascii import crc_hqx
from collections.abc import Callable

from firmware_protocol.native.framing import CRC_START, MAX_BODY, encode_frame
from firmware_protocol.native.messages import FrameType
from simulator.conformance.bench import Bench
from simulator.conformance.trial import trial

FLOOD = 20_000
"""Bytes without a zero byte: many times what a shoe can hold."""
ENCODED_TOO_LONG = MAX_BODY + 1
LONGEST_RUN = MAX_BODY + 3
"""Bytes of the longest frame between two zero bytes."""


def _answers(bench: Bench, hello: bytes) -> bool:
    return bench.wait_for(FrameType.CHALLENGE, lambda heard: heard.body[7:23] == hello[4:20]) is not None


def _frame_of_any_size(body: bytes) -> bytes:
    """A frame that may be longer than frames are; its body must have no run of 254 bytes without a zero."""
    checked = body + crc_hqx(body, CRC_START).to_bytes(2, "big")
    return b"".join(bytes((len(run) + 1,)) + run for run in checked.split(b"\0")) + b"\0"


@trial("1.2", "1.4")
def endless_run(bench: Bench) -> None:
    """A run of bytes without end is dropped, and the next frame understood."""
    noise = bytes(byte or 1 for byte in bench.random_bytes(FLOOD))
    bench.pause_between_hellos()
    hello = bench.hello()
    bench.send_bytes(noise)
    bench.send_bytes(b"\0" + encode_frame(hello))
    bench.check("1.2", _answers(bench, hello), f"no answer to a HELLO after {FLOOD} bytes without a zero byte")
    bench.pause_between_hellos()
    hello = bench.hello()
    bench.send_bytes(bench.random_bytes(3000) + b"\0" + encode_frame(hello))
    bench.check("1.4", _answers(bench, hello), "no answer to a HELLO after 3000 bytes of garbage and a zero byte")


@trial("1.2", parts=("2.2",))
def frames_of_every_size(bench: Bench) -> None:
    """A frame of 240 bytes is understood, one of 241 is dropped, and so is a frame within a longer run."""
    bench.pause_between_hellos()
    hello = bench.hello()
    longest = hello + bytes(MAX_BODY - len(hello))
    bench.send_bytes(b"\0" + _frame_of_any_size(longest))
    bench.check_part("2.2", _answers(bench, hello), "no answer to a HELLO of 240 bytes with appended fields")
    bench.pause_between_hellos()
    hello = bench.hello()
    bench.send_bytes(b"\0" + _frame_of_any_size(hello + bytes(ENCODED_TOO_LONG - len(hello))))
    bench.check("1.2", not _answers(bench, hello), "a frame of 241 bytes was answered")
    for what, longer in (
        ("longest frame that goes on without a zero byte", _before_more),
        ("HELLO behind 243 bytes without a zero byte", _behind(LONGEST_RUN)),
        ("HELLO behind 244 bytes without a zero byte", _behind(LONGEST_RUN + 1)),
    ):
        bench.pause_between_hellos()
        hello = bench.hello()
        bench.send_bytes(b"\0" + longer(hello))
        bench.check("1.2", not _answers(bench, hello), f"a {what} was answered")


def _before_more(hello: bytes) -> bytes:
    return _frame_of_any_size(hello + bytes(MAX_BODY - len(hello)))[:-1] + b"U" * 20 + b"\0"


def _behind(size: int) -> Callable[[bytes], bytes]:
    return lambda hello: b"U" * size + encode_frame(hello)


_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a wrong crc": lambda wire: wire[:-2] + bytes((wire[-2] ^ 0x55 or 0x54,)) + b"\0",
    "a byte changed in the middle": lambda wire: wire[:9] + bytes((wire[9] ^ 0xFF or 1,)) + wire[10:],
    "its first byte missing": lambda wire: wire[1:],
    "COBS that points behind the end": lambda wire: b"\xff" + wire[1:],
}


@trial("1.3", parts=("9.1",))
def damaged_frames(bench: Bench) -> None:
    """Damaged frames are dropped, and none is answered."""
    for what, spoil in _DAMAGES.items():
        bench.pause_between_hellos()
        bench.send_bytes(b"\0" + spoil(encode_frame(bench.hello())))
        answers = [heard for heard in bench.quiet() if heard.type in (FrameType.CHALLENGE, FrameType.REJECT)]
        bench.check("1.3", not answers, f"a HELLO with {what} was answered")
    empty = b"\x03\xff\xff\0"
    bench.send_bytes(b"\0" + empty * 3)
    bench.check_part("9.1", not _unexpected(bench), "frames without a body were answered")


def _unexpected(bench: Bench) -> list[int]:
    """Types of frames that nothing has asked for; keep-alive, resent events and AWAKE aside."""
    usual = (FrameType.STATUS, FrameType.EVENT, FrameType.AWAKE)
    return [heard.type for heard in bench.quiet() if heard.type not in usual]


@trial("1.5", "1.4")
def zeros_and_pieces(bench: Bench) -> None:
    """Zero bytes between frames mean nothing, and a frame may come byte by byte."""
    bench.pause_between_hellos()
    hello = bench.hello()
    bench.send_bytes(bytes(500) + encode_frame(hello) + bytes(500))
    bench.check("1.5", _answers(bench, hello), "no answer to a HELLO between zero bytes")
    bench.pause_between_hellos()
    hello = bench.hello()
    *first, last = b"\0" + encode_frame(hello)
    for byte in first:
        bench.send_bytes(bytes((byte,)))
        bench.hear(0.005)
    bench.send_bytes(bytes((last,)))
    bench.check("1.4", _answers(bench, hello), "no answer to a HELLO that came byte by byte")


@trial("2.1", "9.2", "9.4")
def frames_for_nobody(bench: Bench) -> None:
    """Frames of the shoe's own direction, of unknown types and too short ones are dropped."""
    for clause, what, body in (
        ("2.1", "its own AWAKE", bytes((FrameType.AWAKE,))),
        ("2.1", "a frame of its own direction", bytes((FrameType.STATUS,)) + bytes(33)),
        ("9.2", "a bare frame of type 0F", b"\x0f" + bytes(30)),
        ("9.4", "a HELLO of 19 bytes", bench.hello()[:-1]),
        ("9.4", "a PROOF of 20 bytes", bytes((FrameType.PROOF,)) + bytes(19)),
    ):
        bench.pause_between_hellos()
        bench.send(body)
        bench.check(clause, not _unexpected(bench), f"{what} was answered")
    hello = bench.hello()
    bench.send(hello)
    bench.check("2.1", _answers(bench, hello), "no answer to a HELLO after frames that are to be dropped")


TRIALS = (endless_run, frames_of_every_size, damaged_frames, zeros_and_pieces, frames_for_nobody)
