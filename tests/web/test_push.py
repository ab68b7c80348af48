"""What an open page was sent already, and the signal that wakes every waiting stream."""

import asyncio
import json

import pytest

from shoe_controller.web.push import ChangeSignal, SentSections


def test_first_everything_then_what_has_changed_then_nothing() -> None:
    sent = SentSections()
    assert json.loads(sent.message({"a": 1, "b": [2]}) or b"") == {"a": 1, "b": [2]}
    assert sent.message({"a": 1, "b": [2]}) is None
    assert json.loads(sent.message({"a": 1, "b": [3]}) or b"") == {"b": [3]}
    assert json.loads(sent.message({"a": None}) or b"") == {"a": None}, "what is gone is sent as null"
    assert sent.message({"b": [3]}) is None, "what is not named stays as it was sent"


def test_what_was_forgotten_is_sent_again() -> None:
    sent = SentSections()
    sent.message({"a": None})
    sent.forget("a")
    sent.forget("never sent")
    assert sent.message({"a": None}) == b'{"a":null}'


@pytest.mark.asyncio
async def test_a_signal_wakes_every_waiting_stream_and_none_that_comes_later() -> None:
    bell = ChangeSignal()
    waiting = [asyncio.create_task(bell.rings()) for _ in range(3)]
    await asyncio.sleep(0)
    bell.ring()
    async with asyncio.timeout(5):
        await asyncio.gather(*waiting)
    late = asyncio.create_task(bell.rings())
    await asyncio.sleep(0)
    assert not late.done()
    late.cancel()
