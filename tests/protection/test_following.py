"""Whether stakes follow the edge: what is evidence, what is none, and who is found."""

import os
from random import Random

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from shoe_controller.demo.strategies import COUNTS
from shoe_controller.protection.following import (
    Following,
    SeatEvidence,
    calibrated,
    p_value,
)
from shoe_controller.protection.fresh_shoes import ENOUGH, SHOES, FreshShoes, FreshWager, KeptFreshShoes, fresh_shoes
from shoe_controller.protection.shoe_record import ShoeRecord
from tests.protection.following import Campaign, most_by_chance, run, wagers_to_play, wrongs

WAGER, OTHER = "tie_wins_on.7", "base.player"


def walks(shoes: int, seed: int, rounds: int = 40) -> list[NDArray[np.float32]]:
    """Edges that wander from -0.05, as those of a wager do."""
    steps = np.random.default_rng(seed).normal(0, 0.02, (shoes, rounds))
    return [(-0.05 + of_shoe.cumsum()).astype(np.float32) for of_shoe in steps]


FRESH = FreshShoes(walks(500, seed=1))


def record(edges: NDArray[np.float32], **stakes: list[int]) -> ShoeRecord:
    """Each seat also stakes 100 on another wager in each round."""
    rounds = len(edges)
    by_wager = {WAGER: tuple(map(float, edges)), OTHER: (0.0,) * rounds}
    placed = {(seat, WAGER): tuple(plan) for seat, plan in stakes.items() if any(plan)}
    placed |= {(seat, OTHER): (100,) * rounds for seat in stakes}
    return ShoeRecord(8, 1, tuple(range(1, rounds + 1)), by_wager, placed)


def counters(edges: NDArray[np.float32]) -> list[int]:
    return [1000 if edge > 0 else 0 for edge in edges]


def test_the_e_value_of_chance_has_a_mean_of_no_more_than_one() -> None:
    for others in (1, 10, 99, 1000, 20_000):
        possible = [calibrated((1 + above) / (1 + others)) for above in range(others + 1)]
        assert 0.3 < sum(possible) / len(possible) <= 1
        assert possible == sorted(possible, reverse=True)
    assert calibrated(1.0) > 0


def test_a_p_value_is_the_share_of_shoes_that_are_followed_as_closely() -> None:
    edges = np.array([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3], [0.1, 0.0]], dtype=np.float32)
    fresh = FreshShoes(list(edges))
    weights = np.array([-1.0, 1.0])
    assert p_value((1, 2), weights, np.array([0.0, 0.25]), fresh) == 2 / 5
    assert p_value((1, 2), weights, np.array([0.0, 0.05]), fresh) == 4 / 5
    assert p_value((1, 2), weights, np.array([0.0, 0.9]), fresh) == 1 / 5
    # None of these rounds is counted.
    assert p_value((3, 4), weights, np.array([0.0, 0.9]), fresh) == 1
    # Of rounds that are left out, nothing counts.
    assert p_value((2,), np.array([1.0]), np.array([0.25]), fresh) == 2 / 5


def test_a_shoe_is_compared_with_those_that_ended_with_the_same_round() -> None:
    lengths = [10] * (2 * ENOUGH) + [11] * (2 * ENOUGH) + [12] * (ENOUGH // 2) + [13] * (ENOUGH // 2) + [14] * 3
    Random(1).shuffle(lengths)  # noqa: S311 - an order for a test
    fresh = FreshShoes([np.full(length, length, dtype=np.float32) for length in lengths])
    firsts = {last: sorted(set(fresh.ended_with(last)[:, 0])) for last in (9, 10, 11, 12)}
    assert firsts == {9: [10, 11, 12, 13, 14], 10: [10], 11: [11], 12: [12, 13]}
    assert fresh.longest == 12
    assert p_value((1, 14), np.array([0.0, 1.0]), np.array([0.0, 9.0]), fresh) == 1


def test_flat_stakes_are_no_evidence_whatever_the_cards() -> None:
    following = Following()
    for edges in walks(50, seed=2):
        shoe = record(edges, flat=[100] * len(edges), absent=[0] * len(edges))
        assert following.wagers("t", shoe) == frozenset()
        assert following.take("t", shoe, {WAGER: FRESH}) == []
    assert {kept.value for seat in following.kept() for kept in seat.by_wager.values()} == {0.0}


def test_a_counter_is_found_and_the_finding_says_what_it_rests_on() -> None:
    following = Following()
    staked: list[list[float]] = []
    for edges in walks(60, seed=3):
        shoe = record(edges, counter=counters(edges), other=[100] * len(edges))
        staked.append([float(edge) for edge in edges if edge > 0])
        found = following.take("t", shoe, {WAGER: FRESH})
        if found:
            break
    (follows,) = found
    assert (follows.seat, follows.wager) == ("counter", WAGER)
    assert follows.evidence >= 10_000
    assert 3 <= follows.shoes <= len(staked) <= 30
    rested_on = [edge for of_shoe in staked[-follows.shoes :] for edge in of_shoe]
    assert follows.rounds == len(rested_on)
    assert follows.mean_edge == pytest.approx(np.mean(rested_on))
    # It begins again: the same evidence is not found twice.
    assert following.take("t", shoe, {WAGER: FRESH}) == []


def test_staying_away_from_a_shoe_without_an_edge_is_evidence_too() -> None:
    good = np.linspace(-0.05, 0.3, 40, dtype=np.float32)
    bad = np.linspace(-0.05, -0.4, 40, dtype=np.float32)
    values = []
    for second in (bad, good):
        following = Following()
        following.take("t", record(good, counter=counters(good)), {WAGER: FRESH})
        shoe = record(second, counter=[0] * 40)
        assert following.wagers("t", shoe) == {WAGER}
        following.take("t", shoe, {WAGER: FRESH})
        values.append(following.kept()[0].by_wager[WAGER].value)
    after_bad, after_good = values
    assert after_bad > 10 * after_good
    # Nobody sits there: nothing is known of him.
    following.take("t", ShoeRecord(8, 1, (1,), {WAGER: (0.0,)}, {}), {WAGER: FRESH})
    assert following.kept()[0].by_wager[WAGER].value == after_good


def test_who_follows_an_edge_that_is_the_houses_raises_no_alarm() -> None:
    """Without an edge for the player, the stakes win nothing; it is only closer to even when they are high."""
    following = Following(threshold=10)
    for edges in walks(30, seed=4):
        low = np.minimum(edges, -0.02)
        shoe = record(low, careful=[1000 if edge > -0.04 else 100 for edge in low])
        assert following.take("t", shoe, {WAGER: FRESH}) == []
    assert following.kept()[0].by_wager[WAGER].value >= 10


def test_a_process_that_starts_again_goes_on_where_it_was() -> None:
    unbroken, broken = Following(), Following()
    both = []
    for edges in walks(30, seed=5):
        shoe = record(edges, counter=counters(edges))
        text = msgspec.json.encode(broken.kept())
        broken = Following(kept=msgspec.json.decode(text, type=tuple[SeatEvidence, ...]))
        both.append([each.take("t", shoe, {WAGER: FRESH}) for each in (unbroken, broken)])
    assert any(found for found, _ in both)
    assert all(one == two for one, two in both)


def test_no_more_seats_are_kept_than_agreed() -> None:
    following = Following(most_seats=3)
    edges = walks(1, seed=6)[0]
    for table in ("a", "b", "c", "a", "d"):
        following.take(table, record(edges, counter=counters(edges)), {WAGER: FRESH})
    assert [seat.table for seat in following.kept()] == ["c", "a", "d"]


def test_fresh_shoes_are_the_same_for_a_seed_and_the_longest_unused_make_room() -> None:
    wagers = wagers_to_play(["tie_7", "dragon_7"])
    tie, dragon = fresh_shoes(1, 1, wagers, seed=5, shoes=20)
    (alone,) = fresh_shoes(1, 1, wagers[1:], seed=5, shoes=20)
    assert np.array_equal(alone.ended_with(1), dragon.ended_with(1))
    assert not np.array_equal(tie.ended_with(1), dragon.ended_with(1))
    kept = KeptFreshShoes(most=2)
    one, two, three = (FreshWager(wagers[0], decks, 1) for decks in (1, 2, 3))
    kept.keep(one, tie)
    kept.keep(two, dragon)
    assert kept.get(one) is tie
    kept.keep(three, dragon)
    assert kept.missing((one, two, three)) == [two]


SMALL = Campaign(["natural_9_over_7"], decks=2, shoes=100, counted=80, fresh=200, seed=3)


def test_counters_are_found_and_others_are_not() -> None:
    """Two decks: a shoe of 17 rounds."""
    (judgement,) = run(SMALL, processes=1)
    for counter in ("stays away", "comes and goes"):
        assert len(judgement.found_after[counter]) >= 3
    for alarms in judgement.false_alarms.values():
        for threshold, number in alarms.items():
            assert number <= most_by_chance(SMALL.shoes / threshold)
    assert not any(judgement.false_alarms["flat"].values())


@pytest.mark.skipif("LONG_TESTS" not in os.environ, reason="minutes: make test-odds")
@pytest.mark.timeout(7200)
def test_every_published_count_is_found_as_soon_as_is_stated() -> None:
    campaign = Campaign(list(COUNTS), decks=8, shoes=10_000, counted=2_000, fresh=SHOES, seed=4)
    assert wrongs(list(run(campaign, processes=len(os.sched_getaffinity(0)))), campaign.shoes) == []
