"""Every act has a scenario on the console; a few are done here, and all of them by `make test-console`."""

from collections import Counter
from pathlib import Path

import pytest

from shoe_controller.messages.acts import ACTS
from tests.console.browser import chromium
from tests.console.every_act.by_hand import DEALT_BY_HAND
from tests.console.every_act.evenings import EVENINGS
from tests.console.every_act.trial import Combination, foreign, spend


def test_every_act_has_a_scenario() -> None:
    assert Counter(act for evening in EVENINGS for act in evening.acts) == Counter(rule.name for rule in ACTS.values())


@pytest.mark.asyncio
async def test_a_few_acts_in_chinese_on_a_phone(tmp_path: Path) -> None:
    async with chromium() as browser:
        results = await spend(DEALT_BY_HAND, browser, tmp_path, Combination("zh-Hant", (390, 844)))
    assert results == [(act, None) for act in DEALT_BY_HAND.acts]


def test_what_counts_as_translated() -> None:
    assert foreign("座位 1 · 第 1 張: KD “rana 提議” 20") == set()
    assert foreign("座位 1: misdeal") == {"misdeal"}
