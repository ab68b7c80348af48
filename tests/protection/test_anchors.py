"""What published counts win: as published, and as `odds --counted` counts it."""

import os

import numpy as np
import pytest

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.demo.strategies import COUNTS
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.campaign import priced
from shoe_controller.protection.counted_play import Count, CountedPlay, EdgeCounter, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.fresh_shoes import CUT
from tests.protection import anchors
from tests.protection.following import wagers_to_play

LONG = "LONG_TESTS" in os.environ
RULES = ShoeRules(anchors.DECKS, CUT)
WAGERS = wagers_to_play(list(COUNTS))
SEED = 33


@pytest.mark.timeout(3600 if LONG else 120)
def test_published_counts_win_what_was_published() -> None:
    """Within three standard errors; those of few shoes are wide."""
    anchors.begin(RULES, WAGERS)
    shoes = [anchors.counted(SEED, number) for number in range(10_000 if LONG else 100)]
    found = anchors.figures(np.array(shoes))
    assert [figure.name for figure in found] == list(anchors.PUBLISHED)
    assert [figure for figure in found if not figure.is_as_published] == []
    if LONG:
        assert max(figure.error for figure in found) < 0.03


def test_every_fourth_round_stands_for_four_and_a_count_bets_as_in_odds() -> None:
    anchors.begin(RULES, WAGERS)
    rounds, _ = dealt_shoe(RULES, chance_of(SEED, 1))
    looked_at = np.array([anchors.counted_in(rounds, first) for first in range(anchors.EVERY)]).mean(axis=0)
    for at, (name, wager) in enumerate(zip(COUNTS, WAGERS, strict=True)):
        play = CountedPlay(RULES, [wager])
        sums = play.sums(play.deal(chance_of(SEED, 1)), Count(COUNTS[name].tags, COUNTS[name].trigger))
        assert looked_at[at] == pytest.approx((len(rounds), sums.bets[0, 0], sums.units[0, 0])), name


def test_the_edge_of_a_pair_is_that_of_the_catalogue() -> None:
    rounds, _ = dealt_shoe(RULES, chance_of(SEED, 2))
    left = np.array(full_shoe(anchors.DECKS)) - np.array([playing.seen for playing in rounds])
    pairs = priced(built_in_catalogue().schedule("nepal"), ["pairs.player", "pairs.banker"])
    edges, _ = EdgeCounter(pairs).edges(left)
    assert edges == pytest.approx(np.stack([anchors.pair_edges(left)] * 2, axis=1))
