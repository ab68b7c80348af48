"""The guard: a wager that favours the player, or that its document does not permit here, is not offered by accident.

A house that means it says so, wager by wager, in its configuration.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.baccarat.wagers import Catalogue, Schedule


class Objection(NamedTuple):
    """Why the guard does not let a wager be offered, and the setting by which a house can insist."""

    wager: str
    message: str
    setting: str


def objections(
    catalogue: Catalogue, schedule: Schedule | None, offered: Iterable[str], decks: int
) -> Iterator[Objection]:
    """Everything the guard has against offering these wagers with that many decks, as far as it knows their prices."""
    for wager in offered:
        permitted = catalogue.wagers[wager].decks
        if decks not in permitted:
            message = f"{wager} may be dealt with {one_of(permitted)} decks, not with {decks}"
            yield Objection(wager, message, setting="allow_decks")
        if schedule is None or wager not in schedule.pay_tables:
            continue
        odds = exact_odds(schedule, wager, decks)
        if odds.expectation > 0:
            table = f" with pay table {odds.pay_table}" if odds.pay_table else ""
            edge = f"{float(odds.expectation):.2%} ({decks} decks)"
            yield Objection(wager, f"{wager}{table} gives the player an edge of {edge}", setting="allow_player_edge")


def one_of(numbers: Iterable[int]) -> str:
    """Read numbers out as a choice: "5, 6, 7 or 8"."""
    *most, last = (str(number) for number in sorted(numbers))
    return f"{', '.join(most)} or {last}" if most else last
