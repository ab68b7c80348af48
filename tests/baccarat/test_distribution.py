"""The counts behind the odds: published totals, closed formulas, and a large seeded sample of real deals."""

import random
from collections import Counter
from math import perm

import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.composition import all_draws, full_shoe
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.distribution import draws_by_facts
from shoe_controller.baccarat.facts import Facts, Winner, all_facts


def count(decks: int, holds: str) -> int:
    """Draws in which an attribute of the facts is true."""
    return sum(draws for draws, facts in zip(draws_by_facts(decks), all_facts(), strict=True) if getattr(facts, holds))


@pytest.mark.parametrize(
    ("decks", "banker", "player", "tie"),
    [
        (8, 2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
        (6, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
    ],
)
def test_published_totals(decks: int, banker: int, player: int, tie: int) -> None:
    winners: Counter[Winner] = Counter()
    for draws, facts in zip(draws_by_facts(decks), all_facts(), strict=True):
        winners[facts.winner] += draws
    assert winners == {Winner.BANKER: banker, Winner.PLAYER: player, Winner.TIE: tie}


def test_all_draws_of_eight_decks() -> None:
    assert all_draws(full_shoe(8)) == 4_998_398_275_503_360 == 416 * 415 * 414 * 413 * 412 * 411


@pytest.mark.parametrize("decks", range(1, 9))
def test_counts_are_whole_and_complete(decks: int) -> None:
    counts = draws_by_facts(decks)
    assert min(counts) >= 0
    assert sum(counts) == all_draws(full_shoe(decks))
    # One deck has no two cards alike, so some facts (a suited pair) cannot be; eight decks can make all of them.
    assert all(counts) or decks < 8
    assert not all(counts) or decks > 1


@pytest.mark.parametrize("decks", range(1, 9))
@pytest.mark.parametrize("side", ["player", "banker"])
def test_pairs_by_the_closed_formula(decks: int, side: str) -> None:
    """Any second card of the first one's rank: (4n - 1) of the (52n - 1) cards left."""
    assert count(decks, f"{side}_pair") * (52 * decks - 1) == all_draws(full_shoe(decks)) * (4 * decks - 1)


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_quarter_of_all_two_card_nines_are_suited(decks: int) -> None:
    """A nine on two cards is never a pair, and of two cards of different rank exactly a quarter have one suit."""
    nines = [
        (draws, facts)
        for draws, facts in zip(draws_by_facts(decks), all_facts(), strict=True)
        if facts.player_cards == 2 and facts.player_total == 9
    ]
    assert sum(draws for draws, facts in nines if facts.player_suited) * 4 == sum(draws for draws, _ in nines)


def test_hands_of_four_cards_by_brute_force() -> None:
    """Player's natural beside Banker's pair of twins (one rank, one suit): every four-card draw of eight decks."""
    decks = 8
    twins = 0
    for one in Card:
        for two in Card:
            if (one.points + two.points) % 10 < 8:
                continue
            ways = decks * (decks - (one is two))
            for card in Card:
                left = decks - (card is one) - (card is two)
                twins += ways * left * (left - 1)
    counted = sum(
        draws
        for draws, facts in zip(draws_by_facts(decks), all_facts(), strict=True)
        if facts.player_natural and facts.banker_pair and facts.banker_suited
    )
    assert counted == twins * perm(52 * decks - 4, 2)


def test_a_large_sample_of_real_deals_fits_every_joint_count() -> None:
    """Not a proof, but it would show a mistake in how pairs, suits and totals hang together."""
    dealer = random.Random(20_240_229)  # noqa: S311 - a sample, not a secret
    rounds = 60_000
    for decks in (1, 8):
        shoe = list(Card) * decks
        seen: Counter[Facts] = Counter()
        for _ in range(rounds):
            deal = Deal()
            for card in dealer.sample(shoe, 6):
                if deal.feed(card) is None:
                    break
            seen[deal.facts] += 1
        whole = all_draws(full_shoe(decks))
        for draws, facts in zip(draws_by_facts(decks), all_facts(), strict=True):
            expected = rounds * draws / whole
            # Six standard deviations of a rare event, and room for the rarest.
            assert abs(seen[facts] - expected) <= 6 * expected**0.5 + 6, (decks, facts)
