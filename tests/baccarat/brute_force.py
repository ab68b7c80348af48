"""Independent counters of a small shoe's draws: every order of its cards, dealt card by card."""

from collections import Counter
from itertools import permutations
from math import perm

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from shoe_controller.baccarat.composition import Composition
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.drawing import NOTHING_DEALT, HandTotals, dealt, next_side
from shoe_controller.baccarat.facts import Facts


def composition_of(cards: list[Card]) -> Composition:
    counts = Counter(cards)
    return tuple(counts[card] for card in CARDS_BY_NUMBER)


def every_order(cards: list[Card]) -> Counter[Facts]:
    """Deal every ordered draw of six of these very cards."""
    found: Counter[Facts] = Counter()
    for drawn in permutations(cards, 6):
        deal = Deal()
        for card in drawn:
            if deal.feed(card) is None:
                break
        found[deal.facts] += 1
    return found


def every_face(composition: Composition) -> Counter[Facts]:
    """Deal every draw once for all copies of a face, weighted with their number; for shoes of few faces."""
    found: Counter[Facts] = Counter()
    left = list(composition)
    total = sum(left)

    def go_on(drawn: list[Card], ways: int) -> None:
        deal = Deal()
        for card in drawn:
            deal.feed(card)
        if deal.complete:
            found[deal.facts] += ways * perm(total - len(drawn), 6 - len(drawn))
            return
        for card in CARDS_BY_NUMBER:
            copies = left[card.number]
            if copies:
                left[card.number] -= 1
                go_on([*drawn, card], ways * copies)
                left[card.number] += 1

    go_on([], 1)
    return found


def by_points(composition: Composition) -> Counter[tuple[int, int, int, int]]:
    """Work through all draws by points alone; keys are both totals and both numbers of cards."""
    left = [0] * 10
    for card, copies in zip(CARDS_BY_NUMBER, composition, strict=True):
        left[card.points] += copies
    total = sum(left)
    found: Counter[tuple[int, int, int, int]] = Counter()

    def draw(at: HandTotals, drawn: int, ways: int) -> None:
        if next_side(at) is None:
            end = at.player_total, at.banker_total, at.player_cards, at.banker_cards
            found[end] += ways * perm(total - drawn, 6 - drawn)
            return
        for points in range(10):
            copies = left[points]
            if copies:
                left[points] -= 1
                draw(dealt(at, points), drawn + 1, ways * copies)
                left[points] += 1

    draw(NOTHING_DEALT, 0, 1)
    return found
