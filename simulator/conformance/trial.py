"""A trial: a small function that does something to a shoe, and notes which clauses of the page held."""

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from simulator.conformance.bench import Bench


class Needs(Enum):
    """What a trial needs beside the line."""

    NOTHING = "nothing"
    CARDS = "cards"
    EYES = "somebody who looks"
    MANY_CARDS = "many cards"
    POWER = "power off and on"


class Trial(NamedTuple):
    title: str
    clauses: tuple[str, ...]
    needs: Needs
    run: Callable[[Bench], None]
    parts: tuple[str, ...] = ()
    """Clauses that it can find broken, and cannot find held: another trial decides them."""


def trial(
    *clauses: str, needs: Needs = Needs.NOTHING, parts: tuple[str, ...] = ()
) -> Callable[[Callable[[Bench], None]], Trial]:
    """Make a trial of a function. Its docstring is its title; `clauses` are those that it decides."""

    def made(run: Callable[[Bench], None]) -> Trial:
        title = (run.__doc__ or "").partition("\n")[0].rstrip(".")
        return Trial(title, clauses, needs, run, parts)

    return made
