"""What rounds came to, counted from the events as JSON without any code of the archive."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from shoe_controller.archive.event import ArchivedEvent

Json = dict[str, Any]
RoundKey = tuple[int, int, int]
"""Journal, shoe, round."""


class Sums(NamedTuple):
    house_win: dict[RoundKey, int]
    """Of rounds whose settlement stands."""
    wagers: Counter[tuple[int, str, str]]
    """What the house won, by journal, seat and wager."""
    marked: Counter[tuple[int, str]]
    """Commission marked and not taken back, by journal and seat."""
    owed: Counter[tuple[int, str]]
    """What is still due of it."""
    stakes: int
    alerts: Counter[str]
    voided: set[RoundKey]
    """Rounds whose number was not used again: where nothing was dealt, it is."""
    announced: dict[RoundKey, int]
    """The stakes at the last close, of rounds that were not opened again after it."""


def contents(events: Iterable[ArchivedEvent]) -> list[tuple[int, Json]]:
    return [(event.journal_id, msgspec.json.decode(event.payload)) for event in events]


def sums_of(events: Iterable[ArchivedEvent]) -> Sums:
    every = contents(events)
    gone = {
        (journal, fact.get("replaces_settlement", fact["replaces"]))
        for journal, fact in every
        if fact["fact"] in ("settlement_undone", "round_amended")
    }
    sums = Sums({}, Counter(), Counter(), Counter(), 0, Counter(), set(), {})
    stakes = 0
    for journal, fact in every:
        match fact["fact"]:
            case "round_settled" | "round_amended" if fact["settlement"] and (journal, fact["seq"]) not in gone:
                stakes += _settle(sums, journal, fact)
            case "commission_collected" | "commission_waived":
                sums.owed[journal, fact["seat"]] -= fact["amount"]
            case "alert_raised":
                sums.alerts[fact["alert"]["kind"]] += 1
            case "round_voided" if not fact["replay"]:
                sums.voided.add((journal, *_round(fact)))
            case "betting_opened":
                sums.voided.discard((journal, *_round(fact)))
                sums.announced.pop((journal, *_round(fact)), None)
            case "betting_closed":
                sums.announced[journal, *_round(fact)] = fact["stakes"]
        for seat, amount in fact.get("commission_back", {}).items():
            sums.owed[journal, seat] += amount
    return sums._replace(stakes=stakes)


def _round(fact: Json) -> tuple[int, int]:
    return (fact["of_shoe"], fact["of_round"]) if fact["fact"] == "round_amended" else (fact["shoe"], fact["round"])


def _settle(sums: Sums, journal: int, fact: Json) -> int:
    key = (journal, *_round(fact))
    assert key not in sums.house_win
    settlement = fact["settlement"]
    sums.house_win[key] = sum(each["stake"] - each["returned"] for each in settlement["wagers"])
    for each in settlement["wagers"]:
        sums.wagers[journal, each["seat"], each["wager"]] += each["stake"] - each["returned"]
        if settlement["commission_taken"] == "marked":
            sums.marked[journal, each["seat"]] += each["commission"]
            sums.owed[journal, each["seat"]] += each["commission"]
    return sum(each["stake"] for each in settlement["wagers"])
