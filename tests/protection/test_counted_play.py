"""What a counter would win: the shoes, what is known before each round, and what is added up."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from shoe_controller.baccarat.composition import shoe_without
from shoe_controller.baccarat.conditions import describe, facts_where
from shoe_controller.baccarat.wagers import Row, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.campaign import Campaign, counted, priced, sums_of
from shoe_controller.protection.counted_play import (
    Count,
    CountedPlay,
    ShoeRules,
    chance_of,
    dealt_shoe,
    played,
    rounds_with_cut,
)
from shoe_controller.protection.figures import SCALES, find, pay_table_text, stored_figures
from shoe_controller.protection.live_odds import LiveOdds

SCHEDULE = built_in_catalogue().schedule("nepal")
WAGERS = ["base.tie", "five_dragons.red_dragon_6", "base.player", "bad_beat.bad_beat"]
RULES = ShoeRules(decks=2, cut=14)


def chance(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - shoes for a test


@pytest.mark.parametrize("last_rounds", [0, 1, 2])
def test_a_cut_card_before_more_cards_ends_the_same_shoe_earlier(last_rounds: int) -> None:
    for seed in range(40):
        deep = ShoeRules(2, 14, last_rounds)
        rounds, ends = dealt_shoe(deep, chance(seed))
        for cut in range(14, 60):
            shorter = dealt_shoe(ShoeRules(2, cut, last_rounds), chance(seed))[0]
            assert shorter == rounds[: rounds_with_cut(deep, cut, rounds, ends)]


def test_the_cut_card_comes_in_the_round_before_the_last() -> None:
    for seed in range(20):
        rounds, ends = dealt_shoe(RULES, chance(seed))
        # The cut card comes in a round, or before the first card of the last one.
        assert rounds[-1].dealt >= 104 - 14
        assert rounds[-2].dealt < 104 - 14 <= ends[-2] <= ends[-1]


def test_of_the_burned_cards_only_the_first_is_seen() -> None:
    rounds, _ = dealt_shoe(RULES, chance(3))
    (first,) = [card for card, seen in zip(CARDS_BY_NUMBER, rounds[0].seen, strict=True) if seen]
    assert rounds[0].dealt == 1 + (first.points or 10)
    assert sum(rounds[1].seen) == 1 + rounds[1].dealt - rounds[0].dealt
    unburned, _ = dealt_shoe(ShoeRules(2, 14, burn=False), chance(3))
    assert (sum(unburned[0].seen), unburned[0].dealt) == (0, 0)


def test_perfect_play_adds_up_the_exact_edges_that_are_the_players() -> None:
    play = CountedPlay(RULES, priced(SCHEDULE, WAGERS), deeper=(40,))
    rounds, ends = dealt_shoe(RULES, chance_of(5, 0))
    live = LiveOdds(SCHEDULE, WAGERS)
    edges = []
    for playing in rounds:
        gone = [card for card, seen in zip(CARDS_BY_NUMBER, playing.seen, strict=True) for _ in range(seen)]
        edges.append([float(odds.expectation) for odds in live.odds(shoe_without(2, gone), 2)])
    shoe = play.deal(chance_of(5, 0))
    assert np.abs(shoe.edges - np.array(edges)).max() < 1e-12
    sums = played(play, None, 5, range(1))
    for at, dealt in enumerate((len(rounds), rounds_with_cut(RULES, 40, rounds, ends))):
        won = [sum(max(edge[wager], 0) for edge in edges[:dealt]) for wager in range(len(WAGERS))]
        assert sums.units[at] == pytest.approx(won, abs=1e-10)
        assert sums.bets[at].tolist() == [
            sum(edge[wager] > 0 for edge in edges[:dealt]) for wager in range(len(WAGERS))
        ]
        assert sums.rounds[at] == dealt
    assert sums.units[0].max() > 0


def test_a_count_bets_from_its_trigger_on_whatever_the_edge() -> None:
    play = CountedPlay(RULES, priced(SCHEDULE, ["base.tie"]))
    count = Count(tags=(-1, 0, 1, 1, 1, 1, 0, 0, 0, 0), trigger=-1)
    shoe = play.deal(chance_of(1, 2))
    expected = 0.0
    bets = 0
    for playing, edge in zip(shoe.rounds, shoe.edges[:, 0], strict=True):
        running = sum(count.tags[card.points] * seen for card, seen in zip(CARDS_BY_NUMBER, playing.seen, strict=True))
        if running >= -(104 - sum(playing.seen)) / 52:
            bets += 1
            expected += edge
    sums = play.sums(shoe, count)
    assert 0 < bets < len(shoe.rounds)
    assert sums.bets[0, 0] == bets
    assert sums.units[0, 0] == pytest.approx(expected)


def test_lower_prices_are_played_less_often() -> None:
    """A tie at 8 with prices a quarter lower is a tie at 6."""
    (scaled,) = (played(CountedPlay(RULES, priced(SCHEDULE, ["base.tie"])), None, 1, range(4)).scaled[:, 0],)
    assert list(scaled) == sorted(scaled, reverse=True)
    when = {"winner": "tie"}
    at_six = Schedule("test", {"t.tie": ("", (Row(describe(when), facts_where(when), Fraction(6)),))}, Fraction(0))
    whole = played(CountedPlay(RULES, priced(at_six, ["t.tie"])), None, 1, range(4))
    assert scaled[SCALES.index(0.25)] == pytest.approx(whole.units[0, 0])


def test_as_many_processes_as_you_like_play_the_same_shoes() -> None:
    campaign = Campaign(RULES, priced(SCHEDULE, WAGERS), (40,), None, seed=9)
    *_, sums = sums_of(campaign, shoes=13, processes=2)
    *_, alone = sums_of(campaign, shoes=13, processes=1)
    together = counted(campaign, SCHEDULE, WAGERS, sums)
    for one, two in zip(together, counted(campaign, SCHEDULE, WAGERS, alone), strict=True):
        assert one.shoes == two.shoes == 13
        assert one.by_depth[0].per_shoe == pytest.approx(two.by_depth[0].per_shoe)
        assert one.by_depth[1].standard_error == pytest.approx(two.by_depth[1].standard_error)


def test_effects_of_removal_of_lucky_6_as_published() -> None:
    """With 8 decks at 12 and 23 to 1 (wizardofodds.com): what one card less does to the player's expectation."""
    rows = (
        ({"winner": "banker", "banker_total": 6, "banker_cards": 3}, 23),
        ({"winner": "banker", "banker_total": 6}, 12),
    )
    table = tuple(Row(describe(when), facts_where(when), Fraction(pays)) for when, pays in rows)
    live = LiveOdds(Schedule("test", {"t.lucky_6": ("", table)}, Fraction(0)), ["t.lucky_6"])

    def expectation(gone: list[Card]) -> Fraction:
        (odds,) = live.odds(shoe_without(8, gone), 8)
        return odds.expectation

    full = expectation([])
    effects = {card.points: f"{float(expectation([card]) - full):.6f}" for card in Card}
    assert f"{-float(full):.4f}" == "0.1170"
    assert [effects[points] for points in range(10)] == [
        "-0.000611", "-0.000329", "-0.000323", "-0.001131", "-0.000393",
        "-0.000278", "-0.005386", "0.003907", "0.003537", "0.002838",
    ]  # fmt: skip


@pytest.mark.parametrize("decks", [6, 8])
def test_every_pay_table_of_the_catalogue_has_stored_figures(decks: int) -> None:
    choices: tuple[dict[str, str], ...] = (
        {},
        {"lucky_8": "L8-2", "infinite_fortune": "2", "five_dragons.any_dragon": "A"},
        {"lucky_8": "L8-3"},
    )
    for game in built_in_catalogue().base_games:
        for choice in choices:
            schedule = built_in_catalogue().schedule(game, choice)
            for wager in schedule.pay_tables:
                assert find(stored_figures().counted, pay_table_text(schedule, wager), decks, 1) is not None, wager
