"""Rounds that were settled again after they were over: what they come to, worked out from what was said of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from simulator.reckoner.drawing import Round, dealt
from simulator.reckoner.house import HouseRules
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.settlement import MARKED, SettledRow, Wager, wagers_of

NOT_NEEDED = ("2C", "2C")
"""Cards for a round that was ended too early: so it can be compared with what it should have been."""


class SettledBefore(NamedTuple):
    """What a round came to last."""

    rows: tuple[SettledRow, ...]
    taken: str
    """How its commission was taken."""
    house: HouseRules | None
    """The house when it was settled."""

    @property
    def marks(self) -> dict[str, int]:
        """Commission that was marked, by seat."""
        marks: Counter[str] = Counter()
        for row in self.rows if self.taken == MARKED else ():
            marks[row.seat] += row.commission
        return _without_zeros(marks)


def amended_round(played: Round, act: Json) -> Round:
    """The round with the cards that a supervisor named; they must lie where the cards before them lay."""
    cards = [played.player[0], played.banker[0], played.player[1], played.banker[1]]
    cards += [*played.player[2:], *played.banker[2:]]
    for card in act["cards"]:
        cards[card["number"] - 1] = card["card"]
    again = dealt([*cards, *NOT_NEEDED])
    if [len(hand) for hand in again] != [len(hand) for hand in played]:
        raise MismatchError(f"{cards} are no whole round as they lie: {act}")
    return again


def amended_wagers(rows: Sequence[SettledRow], act: Json) -> list[Wager]:
    stakes = {(row.seat, row.wager): row.stake for row in rows}
    for wager in act["wagers"]:
        stakes[wager["seat"], wager["wager"]] = wager["stake"]
    return [Wager(seat, wager, stake) for (seat, wager), stake in stakes.items() if stake]


def difference(old: Sequence[SettledRow], new: Sequence[SettledRow]) -> dict[str, int]:
    """What each seat gets, or gives, so that it has what the new settlement says."""
    seats: Counter[str] = Counter()
    for sign, rows in ((-1, old), (1, new)):
        for row in rows:
            seats[row.seat] += sign * (row.returned - row.stake)
    return _without_zeros(seats)


def marked_difference(old: SettledBefore | None, new: SettledBefore) -> dict[str, int]:
    seats: Counter[str] = Counter(new.marks)
    seats.subtract({} if old is None else old.marks)
    return _without_zeros(seats)


def _without_zeros(seats: Mapping[str, int]) -> dict[str, int]:
    return {seat: amount for seat, amount in seats.items() if amount}


def check_difference(stated: Json | None, right: Mapping[str, int] | None, where: object) -> None:
    if stated != right:
        raise MismatchError(f"{where}: the difference is said to be {stated}; it is {right}")


def check_correction(event: Json, act: Json) -> None:
    """The wagers after a correction are those before it, but for the one that a supervisor put right."""
    stakes = {(wager.seat, wager.wager): wager.stake for wager in wagers_of(event["before"])}
    if act["act"] == "move_wager":
        stakes[act["to_seat"], act["wager"]] = stakes.pop((act["seat"], act["wager"]), 0)
    else:
        stakes[act["seat"], act["wager"]] = act["stake"]
    right = Counter(Wager(*which, stake) for which, stake in stakes.items() if stake)
    if Counter(wagers_of(event["after"])) != right:
        raise MismatchError(f"{act} leads to {event['after']}; it should be {list(right)}")
