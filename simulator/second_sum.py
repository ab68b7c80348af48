"""Recounts what `simulator/reckoner` has counted, in a simpler way and without its code.

A reckoner that passes over something counts less than there is, and a test of the reckoner alone might not show it. So
everyone who uses it counts a second time here: cards, results, settlements, and the money in them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Json = Mapping[str, Any]


class SecondSum(NamedTuple):
    events: int
    cards: int
    """That are on record as having left the shoe."""
    results: int
    settlements: int
    stakes: int
    paid_back: int
    problems: tuple[str, ...]


class Counted(Protocol):
    """What a reckoning says it has counted."""

    @property
    def events(self) -> int: ...
    @property
    def cards(self) -> int: ...
    @property
    def invented(self) -> int: ...
    @property
    def results(self) -> int: ...
    @property
    def settlements(self) -> int: ...
    @property
    def stakes(self) -> int: ...
    @property
    def paid_back(self) -> int: ...


def second_sum(events: Sequence[Json]) -> SecondSum:
    kinds = Counter(event["fact"] for event in events)
    stand = _settlements_that_stand(events)
    problems = []
    placed, gone = _stakes(events)
    if placed != gone + sum(totals["stakes"] for totals in stand):
        problems.append(f"{placed} was staked; {gone} returned or on the table; the rest is not what was settled")
    for totals in stand:
        into, out = totals["stakes"] + totals["winnings"], totals["taken"] + totals["returned"] + totals["cut"]
        if into - out not in (0, totals["commission"]):
            problems.append(f"a settlement does not balance: {totals}")
    return SecondSum(
        events=len(events),
        cards=sum(map(_cards_in_shoe, _by_shoe(events))),
        results=kinds["round_result"] - kinds["result_undone"],
        settlements=len(stand),
        stakes=sum(totals["stakes"] for totals in stand),
        paid_back=sum(totals["returned"] for totals in stand),
        problems=tuple(problems),
    )


def differences(counted: Counted, events: Sequence[Json]) -> list[str]:
    """What a reckoning has counted otherwise than the second sum."""
    second = second_sum(events)
    pairs = {
        "events": (counted.events, second.events),
        "cards": (counted.cards + counted.invented, second.cards),
        "results": (counted.results, second.results),
        "settlements": (counted.settlements, second.settlements),
        "stakes": (counted.stakes, second.stakes),
        "paid back": (counted.paid_back, second.paid_back),
    }
    return [
        f"{what}: the reckoner counted {first}, the second sum {other}"
        for what, (first, other) in pairs.items()
        if first != other
    ] + list(second.problems)


def _by_shoe(events: Sequence[Json]) -> Iterable[list[Json]]:
    shoe: list[Json] = []
    for event in events:
        if event["fact"] == "shoe_opened":
            yield shoe
            shoe = []
        shoe.append(event)
    yield shoe


def _cards_in_shoe(events: Sequence[Json]) -> int:  # noqa: C901 - one case for each kind of event
    """Every card once, when it is first dealt, set aside or burned: some are moved on later, or counted as burned."""
    cards = burned = aside = carried = 0
    shown_first = False
    for event in events:
        match event["fact"]:
            case "card_burned" if event["burned"] == 0 and not shown_first:
                cards, shown_first = cards + 1, True
            case "card_burned":
                cards, burned = cards + event["burned"] - burned, event["burned"]
            case "card_set_aside":
                cards, aside = cards + 1, aside + 1
            case "extra_card_decided":
                # Without one that lies aside, it is the carried card that is burned after all.
                carried = max(carried, event["used"]) if aside else 0
                burned, aside = burned + event["burned"], 0
            case "card_dealt" if event.get("carried") or (carried and event["place"]["number"] == 1):
                burned, carried = burned - (not carried), 0
            case "card_dealt" | "card_counted":
                cards += 1
            case "cards_assigned":
                burned -= max(0, event["taken_back"] - carried)
                carried, aside = carried if not event["taken_back"] else 0, event["extra_cards"]
            case "card_discarded":
                aside = event["extra_cards"]
            case "betting_opened" | "round_voided" | "round_result":
                aside = 0
    return cards


def _settlements_that_stand(events: Sequence[Json]) -> list[Json]:
    undone = {event["replaces"] for event in events if event["fact"] == "settlement_undone"}
    undone |= {event["replaces_settlement"] for event in events if event["fact"] == "round_amended"}
    return [
        event["settlement"]["totals"]
        for event in events
        if event["fact"] in ("round_settled", "round_amended") and event["settlement"] and event["seq"] not in undone
    ]


def _stakes(events: Sequence[Json]) -> tuple[int, int]:
    """Stakes that ever were added to the table; and those that were given back unplayed, or stand in the end."""
    seats: Counter[str] = Counter()
    placed = returned = 0
    for event in events:
        match event["fact"]:
            case "wagers_changed":
                placed += event["total"] - seats[event["seat"]]
                seats[event["seat"]] = event["total"]
            case "wagers_corrected":
                placed -= sum(event["difference"].values())
                seats.subtract(event["difference"])
            case "round_amended":
                old, new = event["old_settlement"], event["settlement"]
                placed += (new["totals"]["stakes"] if new else 0) - (old["totals"]["stakes"] if old else 0)
            case "wagers_returned" | "round_voided":
                returned += event["total"]
                for one in event["returned"]:
                    seats[one["seat"]] -= one["stake"]
            case "round_settled":
                seats.clear()
            case "settlement_undone":
                undone = next(each for each in events if each["seq"] == event["replaces"])
                seats.update({seat: each["stakes"] for seat, each in undone["settlement"]["seats"].items()})
    return placed, returned + seats.total()
