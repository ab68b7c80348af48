"""One real round of cards for each of the facts there can be."""

from functools import cache
from itertools import product

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.facts import Facts, all_facts

RANK_OF_POINTS = "TA23456789"


def _first_two() -> list[tuple[str, str]]:
    """Ranks for every two-card total, with and without a pair."""
    found: dict[tuple[int, bool], tuple[str, str]] = {}
    for one, two in product("TJA23456789", repeat=2):
        points = (RANK_OF_POINTS.find(one.replace("J", "T")) + RANK_OF_POINTS.find(two.replace("J", "T"))) % 10
        found.setdefault((points, one == two), (one, two))
    return list(found.values())


ONE_SUIT, FIRST_TWO_OF_ONE_SUIT, NO_TWO_OF_ONE_SUIT = "SSS", "SSD", "SHD"


def _with_suits(ranks: tuple[str, ...], suits: str) -> list[Card]:
    return [Card(rank + suit) for rank, suit in zip(ranks, suits, strict=False)]


@cache
def round_for_each_facts() -> dict[Facts, tuple[Card, ...]]:
    rounds: dict[Facts, tuple[Card, ...]] = {}
    thirds = RANK_OF_POINTS
    for (player, banker), third, last in product(product(_first_two(), repeat=2), thirds, thirds):
        for suits in product((NO_TWO_OF_ONE_SUIT, ONE_SUIT, FIRST_TWO_OF_ONE_SUIT), repeat=2):
            player_cards = _with_suits((*player, third), suits[0])
            banker_cards = _with_suits((*banker, last), suits[1])
            deal = Deal()
            cards = {"player": iter(player_cards), "banker": iter(banker_cards)}
            while deal.next_side is not None:
                deal.feed(next(cards[deal.next_side.value]))
            rounds.setdefault(deal.facts, deal.cards)
        if len(rounds) == len(all_facts()):
            break
    return rounds
