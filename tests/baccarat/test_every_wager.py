"""Every wager, under every base game and pay table, on a round for each of the facts: against the second opinion."""

from collections import defaultdict

import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.outcome import dealt_round, outcome_of
from shoe_controller.baccarat.wagers import Result
from shoe_controller.house.catalogue_files import built_in_catalogue
from simulator.reckoner.drawing import dealt
from simulator.reckoner.pay_tables import LOSE, PUSH
from simulator.reckoner.pay_tables import rules as all_rules
from tests.baccarat.sample_rounds import round_for_each_facts

CHOICES = [("commission", "A", "1", "L8-1"), ("nepal", "B", "2", "L8-2"), ("no_commission", "A", "2", "L8-3")]
"""Every base game and every pay table at least once; they do not touch each other's wagers."""

PUSHES = {"base.player", "base.banker", "phoenix_bonus.player", "phoenix_bonus.banker"}
"""The wagers that can push at all."""


@pytest.mark.parametrize(("game", "suite", "fortune", "lucky"), CHOICES)
def test_results_agree_with_the_second_opinion(game: str, suite: str, fortune: str, lucky: str) -> None:
    rules = all_rules(game, suite, fortune, lucky)
    schedule = built_in_catalogue().schedule(
        game, {"five_dragons.any_dragon": suite, "infinite_fortune": fortune, "lucky_8": lucky}
    )
    assert set(rules) == set(schedule.pay_tables)
    seen: dict[str, set[Result]] = defaultdict(set)
    for facts, cards in round_for_each_facts().items():
        results = schedule.results[facts]
        round_ = dealt([card.value for card in cards])
        for wager, rule in rules.items():
            price = rule(round_)
            result = results[wager]
            expected = Result.LOSE if price is LOSE else Result.PUSH if price == PUSH else Result.WIN
            assert result.result is expected, (wager, cards)
            assert result.pays == (price or 0), (wager, cards)
            seen[wager].add(expected)
    # Every wager was seen to win, to lose and, where it can, to push.
    assert len(seen) == 60
    for wager, results_seen in seen.items():
        assert results_seen == ({*Result} if wager in PUSHES else {Result.WIN, Result.LOSE}), wager


@pytest.mark.parametrize(
    ("cards", "wager", "result", "pays"),
    [
        ("9H 4D KS 2C", "base.player", "win", "1:1"),
        ("9H 4D KS 2C", "golden_bacc.natural_9_over_7", "lose", None),
        ("6H 2D KS 4C", "base.banker", "push", None),
        ("2H 2D KS 4C 3H", "base.banker", "win", "1:2"),
        ("2H 2D KS 4C 3H", "lucky_6.lucky_6", "win", "12:1"),
        ("8H 8D TH TD", "phoenix_bonus.player", "push", None),
        ("AH KD KH JD 7H 8D", "lucky_8.player", "win", "200:1"),
        ("AH KD KH JD 7H 8D", "lucky_8.banker", "win", "200:1"),
        ("KH 8D TH TD", "lucky_8.banker", "win", "3:1"),
        ("TH KD TD 7C 5S", "pairs.player", "win", "11:1"),
        ("TH KD JD 7C 5S", "pairs.player", "lose", None),
    ],
)
def test_hands_read_off_the_documents(cards: str, wager: str, result: str, pays: str | None) -> None:
    deal = dealt_round([Card.parse(text) for text in cards.split()], decks=8)
    outcome = outcome_of(deal, built_in_catalogue().schedule("nepal")).wagers[wager]
    assert (outcome.result.value, outcome.pays) == (result, pays)
