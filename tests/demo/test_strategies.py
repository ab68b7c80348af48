"""Players who count cards: what they go by, and when they bet."""

from pathlib import Path

import msgspec
import pytest

from firmware_protocol.cards import Card
from shoe_controller.config.table_file import load_config
from shoe_controller.demo.folder import write_table
from shoe_controller.demo.players import cards_shown, stakes_of_counter
from shoe_controller.demo.settings import GAMES, DemoSettings
from shoe_controller.demo.strategies import COUNTS, after_losses
from shoe_controller.messages import requests
from shoe_controller.messages.facts import AnyFact, CardBurned, RoundResult

EXAMPLES = Path(requests.__file__).with_name("examples.json")
COUNT = COUNTS["natural_9_over_7"]


class _Offer(msgspec.Struct):
    id: str
    min: int
    max: int


class _Rules(msgspec.Struct):
    offered: tuple[_Offer, ...]
    decks: int = 8


class _Info(msgspec.Struct):
    rules: _Rules


def stakes(shown: list[Card], *offered: str) -> dict[str, int]:
    info = _Info(_Rules(tuple(_Offer(name, 100, 10_000) for name in ("base.player", *offered))))
    placed = stakes_of_counter(info, COUNT, shown)  # type: ignore[arg-type]  # it has all that players look at
    return {stake.wager: stake.stake for stake in placed}


def test_a_counter_bets_from_the_trigger_on() -> None:
    """Of eight decks, 43 low cards are a true count of 5.99, and 44 of 6.15."""
    low = [Card("2H"), Card("3S"), Card("4C"), Card("5D"), Card("6H")] * 9
    assert stakes(low[:43], COUNT.wager) == {"base.player": 100}
    assert stakes(low[:44], COUNT.wager) == {"base.player": 100, COUNT.wager: 10_000}
    assert stakes([*low[:44], Card("9H")], COUNT.wager) == {"base.player": 100}
    assert stakes(low[:44]) == {"base.player": 100}


def test_a_counter_goes_by_what_was_shown_in_this_shoe_and_by_results_as_they_were_corrected() -> None:
    examples = msgspec.json.decode(EXAMPLES.read_bytes())
    burned = msgspec.convert(examples["event.card_burned"], AnyFact)
    result = msgspec.convert(examples["event.round_result"], AnyFact)
    assert isinstance(burned, CardBurned)
    assert isinstance(result, RoundResult)
    first = msgspec.structs.replace(burned, shoe=2, card=Card("9H"))
    unseen = msgspec.structs.replace(burned, shoe=2, card=None)
    of_shoe = [msgspec.structs.replace(result, shoe=2, round=number) for number in (1, 2)]
    corrected = msgspec.structs.replace(
        of_shoe[1], outcome=msgspec.structs.replace(result.outcome, banker=result.outcome.player)
    )
    hands = list(result.outcome.player.cards), list(result.outcome.banker.cards)
    before = msgspec.structs.replace(result, shoe=1)
    facts: list[AnyFact] = [before, first, unseen, *of_shoe]
    assert cards_shown(facts, 2) == [Card("9H"), *hands[0], *hands[1], *hands[0], *hands[1]]
    assert cards_shown([*facts, corrected], 2) == [Card("9H"), *hands[0], *hands[1], *hands[0], *hands[0]]


@pytest.mark.parametrize("count", COUNTS)
def test_the_wager_of_every_count_is_offered(count: str, tmp_path: Path) -> None:
    settings = DemoSettings("native", GAMES[0], 10.0, 1, None, 7, (), "auto", pages=False, counter=count)
    config = load_config(write_table(tmp_path, 1, settings, 1883).config)
    assert COUNTS[count].wager in config.house.offered


def test_stakes_after_losses_double_up_to_the_most() -> None:
    assert [after_losses(losses, 100, 1000) for losses in (0, 1, 2, 3, 4, 10_000)] == [100, 200, 400, 800, 1000, 1000]
