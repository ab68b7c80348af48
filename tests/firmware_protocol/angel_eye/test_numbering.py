"""The numbers around errors: a shoe may begin them anew with `E` and `e`, or after them, and a gap is still a gap."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.messages import encode_event
from firmware_protocol.angel_eye.sequence import AngelEyeState
from firmware_protocol.angel_eye.telegrams import Telegram, encode_telegram
from firmware_protocol.link import Delivery, EventGap
from tests.firmware_protocol.angel_eye.rounds import OVER_DRAW_BURNED, OVER_DRAW_CARRIED_OVER, told

NEVER, WITH_IT, AFTER_IT = "never", "with the error", "after the error"
EVENING = [encode_event(event) for event in told([*OVER_DRAW_BURNED, *OVER_DRAW_CARRIED_OVER])]


class Sent(NamedTuple):
    raw: bytes
    anew: bool
    """Whether the shoe began to number anew with it."""

    @property
    def number(self) -> int:
        return Telegram(self.raw, 0).number

    @property
    def is_error(self) -> bool:
        return self.raw[2:3] in (b"E", b"e")


def numbered(first: int, anew: str) -> list[Sent]:
    sent: list[Sent] = []
    number, restarts = first, False
    for data in EVENING:
        error = data[:1] in (b"E", b"e")
        restarts = restarts or (anew == WITH_IT and error)
        number = 1 if restarts else number
        sent.append(Sent(encode_telegram(number, data), restarts))
        number, restarts = number % 9 + 1, anew == AFTER_IT and error
    return sent


def gaps(sent: Sequence[Sent]) -> list[int]:
    """The telegrams, counted from 0, before which the link reports a gap; it has received the first one before."""
    link = AngelEyeController(state=AngelEyeState(last_telegram=sent[0].raw, delivered=1))
    link.connected(0.0)
    found = []
    for place, telegram in enumerate(sent[1:], 1):
        for item in link.receive(telegram.raw, float(place)):
            if isinstance(item, EventGap):
                found.append(place)
            elif isinstance(item, Delivery):
                link.committed(item, float(place))
    return found


@pytest.mark.parametrize("anew", [NEVER, WITH_IT, AFTER_IT])
@pytest.mark.parametrize("first", range(1, 10))
def test_no_gap_is_claimed_where_a_shoe_numbers_anew_at_an_error(anew: str, first: int) -> None:
    assert gaps(numbered(first, anew)) == []


@pytest.mark.parametrize("anew", [NEVER, WITH_IT, AFTER_IT])
def test_a_real_gap_is_reported_at_every_place(anew: str) -> None:
    """Every stretch of one to eight telegrams is left out, from every place."""
    tried = 0
    for first in (1, 4, 8):
        sent = numbered(first, anew)
        for place in range(2, len(sent) - 1):  # the second has joined the line: after it nothing excuses a number
            for count in range(1, min(9, len(sent) - place)):
                rest = [*sent[:place], *sent[place + count :]]
                tried += 1
                assert gaps(rest) == ([] if _cannot_be_told(rest[place - 1], rest[place]) else [place])
    assert tried > 500


def _cannot_be_told(before: Sent, after: Sent) -> bool:
    """Nothing tells it from the next one, or from a number that begins anew at an error."""
    at_error = after.number == 1 and (before.is_error or after.is_error)
    return after.number == before.number % 9 + 1 or at_error
