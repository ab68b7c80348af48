"""What a wager pays, as a board posts it: of each line only the condition that distinguishes it. Pure."""

from collections.abc import Sequence

import msgspec

from shoe_controller.messages.rules import Price

Condition = tuple[str, tuple[str, ...]]
"""A word of the catalogue and the values that it may have: ("banker_total", ("6", "7"))."""

PUSH_ON_TIE = "winner tie"
"""Obvious on a board, and would otherwise be on every line."""


class PostedPrice(msgspec.Struct, frozen=True):
    when: tuple[Condition, ...]
    """What distinguishes this line; empty where there is only one, or where it stands for all the rest."""
    pays: str


def posted_prices(prices: Sequence[Price]) -> tuple[PostedPrice, ...]:
    lines = [price for price in prices if not (price.pays == "push" and price.when == PUSH_ON_TIE)]
    conditions = [_conditions(price.when) for price in lines]
    common = set(conditions[0]).intersection(*conditions[1:]) if conditions else set()
    return tuple(
        PostedPrice(tuple(each for each in condition if each not in common), price.pays)
        for condition, price in zip(conditions, lines, strict=True)
    )


def _conditions(when: str) -> tuple[Condition, ...]:
    if when == "any round":
        return ()
    parts = (part.partition(" ") for part in when.split(", "))
    return tuple((word, tuple(values.split(" or "))) for word, _, values in parts)
