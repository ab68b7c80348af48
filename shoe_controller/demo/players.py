"""The players at a table: what each seat stakes on a round. Pure; chance is passed in."""

import random
from collections.abc import Iterable

from firmware_protocol.cards import Card
from shoe_controller.demo.strategies import PublishedCount
from shoe_controller.messages.facts import AnyFact, CardBurned, RoundResult
from shoe_controller.messages.requests import Stake
from shoe_controller.messages.retained import InfoMessage

_BASE = ("base.player", "base.banker")
_SITS_OUT = 0.15
_TAKES_SIDE_WAGER = 0.35
_CHIPS = (100, 200, 500, 1000)


def stakes_of_seat(info: InfoMessage, generator: random.Random) -> tuple[Stake, ...]:
    """Mostly one of the two hands, now and then something beside it, sometimes nothing."""
    if generator.random() < _SITS_OUT:
        return ()
    offered = {wager.id: wager for wager in info.rules.offered}
    chosen = [generator.choice([wager for wager in _BASE if wager in offered])]
    others = [wager for wager in offered if wager not in _BASE]
    if others and generator.random() < _TAKES_SIDE_WAGER:
        chosen.append(generator.choice(others))
    return tuple(
        Stake(wager, min(max(generator.choice(_CHIPS), offered[wager].min), offered[wager].max)) for wager in chosen
    )


def stakes_of_counter(info: InfoMessage, count: PublishedCount, shown: Iterable[Card]) -> tuple[Stake, ...]:
    """The least on Player, to be there; and the most on the wager that is counted, when the count favours it."""
    offered = {wager.id: wager for wager in info.rules.offered}
    seen = [0] * 10
    for card in shown:
        seen[card.points] += 1
    bets = count.wager in offered and count.favours_player(seen, info.rules.decks)
    base = Stake(_BASE[0], offered[_BASE[0]].min)
    return (base, Stake(count.wager, offered[count.wager].max)) if bets else (base,)


def cards_shown(facts: Iterable[AnyFact], shoe: int) -> list[Card]:
    """The cards of a shoe that everybody has seen: the first one, and those of every result."""
    first: Card | None = None
    rounds: dict[int, RoundResult] = {}
    for fact in facts:
        if fact.shoe == shoe and isinstance(fact, CardBurned):
            first = fact.card or first
        elif fact.shoe == shoe and isinstance(fact, RoundResult):
            rounds[fact.round] = fact
    hands = [hand for result in rounds.values() for hand in (result.outcome.player, result.outcome.banker)]
    return [card for card in (first, *(card for hand in hands for card in hand.cards)) if card is not None]
