"""Bytes of another wire and noise of a wrong speed are recognised; a bad line or a late start is not taken for it."""

import random
from collections.abc import Callable, Iterable

import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.events import LineLook
from firmware_protocol.lines.cards_file import CardIds
from firmware_protocol.lines.controller import LinesController
from firmware_protocol.lines.pattern import LinePattern
from firmware_protocol.link import ControllerLink, StrangeBytes
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.recognition import ENOUGH_NOISE, QUIET_SECONDS


def native() -> NativeController:
    return NativeController(key=bytes(range(32)), nonce=lambda: bytes(range(16)))


def angel_eye() -> AngelEyeController:
    return AngelEyeController()


def lines() -> LinesController:
    return LinesController(cards=CardIds([]), pattern=LinePattern(prefix="$"))


OWN: dict[LineLook, Callable[[], ControllerLink]] = {
    LineLook.NATIVE: native,
    LineLook.ANGEL_EYE: angel_eye,
    LineLook.LINES: lines,
}

AWAKE = encode_frame(b"\x81")
STATUSES = [encode_frame(b"\x91" + bytes([number]) * 20) for number in range(3)]
TELEGRAM = encode_telegram(1, b"D\x81\x80")
IDS = [b"E0040100%06X\r\n" % number for number in range(8)]


def looks(link: ControllerLink, pieces: Iterable[bytes], every: float = 2.0, now: float = 0.0) -> list[LineLook]:
    """What the link says when it gets these pieces, one after another."""
    found = []
    link.connected(now)
    for number, piece in enumerate(pieces):
        items = link.receive(piece, now + number * every)
        found += [item.looks_like for item in items if isinstance(item, StrangeBytes)]
    return found


@pytest.mark.parametrize(
    ("look", "pieces"),
    [
        (LineLook.NATIVE, [AWAKE]),
        (LineLook.NATIVE, STATUSES),
        (LineLook.ANGEL_EYE, [TELEGRAM] * 3),
        (LineLook.ANGEL_EYE, [TELEGRAM[:4], TELEGRAM[4:] + TELEGRAM * 2]),
        (LineLook.LINES, IDS),
    ],
)
@pytest.mark.parametrize("own", OWN)
def test_another_wire_is_named_once_and_ones_own_never(own: LineLook, look: LineLook, pieces: list[bytes]) -> None:
    assert looks(OWN[own](), pieces * 2) == ([] if look is own else [look])


def noise(seed: int, pieces: int, size: int = 40) -> list[bytes]:
    generator = random.Random(seed)  # noqa: S311 - noise of a test
    return [generator.randbytes(size) for _ in range(pieces)]


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("seed", range(20))
def test_noise_that_never_ends_is_a_wrong_speed(own: LineLook, seed: int) -> None:
    assert looks(OWN[own](), noise(seed, 40), every=1.0) == [LineLook.OTHER_SPEED]


OWN_MESSAGE = {LineLook.NATIVE: AWAKE, LineLook.ANGEL_EYE: TELEGRAM, LineLook.LINES: b"$unread\r\n"}


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("seed", range(10))
def test_noise_on_a_line_that_was_understood_is_noise(own: LineLook, seed: int) -> None:
    link = (
        OWN[own]()
        if own is not LineLook.LINES
        else LinesController(cards=CardIds([]), pattern=LinePattern(prefix="$", unread="$unread"))
    )
    # A line ends the noise before it; the native frame and the telegram begin anew by themselves.
    begin = b"\0" if own is LineLook.NATIVE else b"\r\n"
    assert looks(link, [begin + OWN_MESSAGE[own], *noise(seed, 200)], every=0.5) == []


@pytest.mark.parametrize("own", OWN)
def test_a_start_in_the_middle_of_a_message_and_a_burst_are_nothing(own: LineLook) -> None:
    link = OWN[own]()
    assert looks(link, [OWN_MESSAGE[own][2:], *noise(3, 1, ENOUGH_NOISE * 2)], every=0.1) == []
    assert looks(OWN[own](), noise(4, 400, 2), every=QUIET_SECONDS + 1) == [], "a byte now and then: a loose contact"


@pytest.mark.parametrize("own", [LineLook.NATIVE, LineLook.ANGEL_EYE])
def test_what_a_shoe_prints_when_it_starts_is_no_reader_of_ids(own: LineLook) -> None:
    printed = [b"rst:0x1 (POWERON)\r\n", b"boot: start\r\n", b"load:0x3fff0030\r\n", b"entry 0x400805f0\r\n"] * 3
    assert looks(OWN[own](), printed, every=0.05) == []


@pytest.mark.parametrize("own", OWN)
def test_a_port_that_is_opened_anew_is_looked_at_anew(own: LineLook) -> None:
    link, other = OWN[own](), AWAKE if own is not LineLook.NATIVE else TELEGRAM * 3
    look = LineLook.ANGEL_EYE if own is LineLook.NATIVE else LineLook.NATIVE
    assert looks(link, [other, other]) == [look]
    link.disconnected(20.0)
    assert looks(link, [other], now=30.0) == [look]
