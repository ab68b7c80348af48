"""A demonstration by its events: no card that everyone has seen begins a round with wagers, and a bad shoe is ended."""

import tempfile
from pathlib import Path

import pytest

from shoe_controller.demo.screen import PlainScreen
from shoe_controller.demo.settings import DemoSettings
from shoe_controller.demo.show import Show
from shoe_controller.messages.facts import (
    AnyFact,
    BettingClosed,
    CardDealt,
    FreeHandAnnounced,
    RoundSettled,
    ShoeEnded,
    ShoeOpened,
)

CARRIED = "over_draw_carried_over"


@pytest.mark.asyncio
@pytest.mark.parametrize(("wire", "bad_card"), [("native", "foreign_card"), ("angel_eye", "ninth_copy")])
async def test_a_shown_card_begins_no_round_with_wagers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wire: str, bad_card: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    settings = DemoSettings(
        wire=wire,
        game="nepal",
        speed=40.0,
        tables=1,
        rounds=None,
        seed=7,
        faults=(CARRIED, bad_card),
        broker="auto",
        pages=False,
    )
    show = Show(settings, PlainScreen(several_tables=False))
    report = await show.run()
    assert report is not None
    assert report.good, report.lines
    facts = show.watches[0].facts
    carried = [fact for fact in facts if isinstance(fact, CardDealt) and fact.carried]
    assert carried
    for card in carried:
        check_without_wagers(facts, card)
    # The shoe that held what its decks do not was ended, and the next one was opened.
    assert sum(isinstance(fact, ShoeEnded) for fact in facts) == 1
    assert sum(isinstance(fact, ShoeOpened) for fact in facts) == 2


def check_without_wagers(facts: list[AnyFact], card: CardDealt) -> None:
    of_round = [fact for fact in facts if (fact.shoe, fact.round) == (card.shoe, card.round)]
    before = [fact for fact in of_round if fact.seq < card.seq]
    assert any(isinstance(fact, FreeHandAnnounced) and fact.carried for fact in before)
    assert [fact.stakes for fact in before if isinstance(fact, BettingClosed)] == [0]
    assert not [fact for fact in of_round if isinstance(fact, RoundSettled) and fact.settlement.wagers]
