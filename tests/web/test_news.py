"""What an open page was told already, and the bell that wakes everybody."""

import asyncio
import json

import pytest

from shoe_controller.web.push import ChangeSignal, SentSections


def test_first_everything_then_what_has_changed_then_nothing() -> None:
    told = SentSections()
    assert json.loads(told.message({"a": 1, "b": [2]}) or b"") == {"a": 1, "b": [2]}
    assert told.message({"a": 1, "b": [2]}) is None
    assert json.loads(told.message({"a": 1, "b": [3]}) or b"") == {"b": [3]}
    assert json.loads(told.message({"a": None}) or b"") == {"a": None}, "what is gone is told as null"
    assert told.message({"b": [3]}) is None, "what is not named stays as it was told"


def test_what_was_forgotten_is_told_again() -> None:
    told = SentSections()
    told.message({"a": None})
    told.forget("a")
    told.forget("never told")
    assert told.message({"a": None}) == b'{"a":null}'


@pytest.mark.asyncio
async def test_a_bell_wakes_everybody_who_waits_and_nobody_who_comes_later() -> None:
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
