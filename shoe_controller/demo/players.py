"""The players at a table: what each seat stakes on a round. Pure; chance is passed in."""

import random

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
