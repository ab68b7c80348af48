"""Evenings in which one thing is not as it was. The reckoner must find a problem in each.

A forger who leaves out an event or adds one numbers the others anew, so that no number gives it away.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any, NamedTuple

from simulator.reckoner.reckoning import Step
from tests.simulator.reckoner.evenings import EVENINGS, Evening

Event = dict[str, Any]
Path = tuple[str | int, ...]


class Forgery(NamedTuple):
    name: str
    evening: Evening


CANNOT_GO = frozenset(
    {
        *("card_dealt", "card_set_aside", "cards_shown", "card_corrected", "extra_card_decided", "shoe_opened"),
        *("betting_opened", "wagers_changed", "wagers_returned", "round_voided", "alert_raised"),
        *("round_result", "result_undone", "round_settled", "settlement_undone"),
    }
)
"""Kinds of events of which none can be left out unnoticed."""

CANNOT_COME_TWICE = CANNOT_GO - {"betting_opened", "cards_shown", "shoe_opened", "wagers_changed"} | {"alert_ended"}
"""Kinds of events that cannot be doubled unnoticed."""

CHECKED_FIELDS: dict[str, tuple[str, ...]] = {
    "card_burned": ("card",),
    "card_dealt": ("shoe", "round", "place"),
    "card_set_aside": ("card",),
    "cards_shown": ("places",),
    "card_corrected": ("place", "replaces"),
    "extra_card_decided": ("burned", "used"),
    "betting_closed": ("stakes",),
    "wagers_changed": ("seat", "wagers", "total"),
    "wagers_returned": ("returned", "total"),
    "round_voided": ("replay", "returned", "total"),
    "round_result": ("shoe", "round", "outcome", "replaces"),
    "result_undone": ("shoe", "round", "replaces"),
    "round_settled": ("shoe", "round", "settlement", "replaces"),
    "settlement_undone": ("replaces",),
    "alert_ended": ("replaces",),
    "shoe_ended": ("commission_due",),
}
"""What of an event cannot be changed unnoticed."""

ENOUGH, ENOUGH_VALUES = 5, 1
"""So many events of a kind are forged, and so many values of the same name in them."""

UNCHECKED = frozenset({"rounding", "limit_reached", "pays"})
"""What of these nothing follows from. The price of an outcome is looked at by itself."""


class Forging(NamedTuple):
    name: str
    forge: Callable[..., object]
    args: tuple[Any, ...] = ()


def forgeries() -> Iterator[Forgery]:
    for evening in EVENINGS:
        for forging in (*_of_truth(evening), *_of_inputs(evening), *_of_events(evening), *_by_hand(evening)):
            forged = EVENINGS[evening]().copied()
            forging.forge(forged, *forging.args)
            yield Forgery(f"{evening}: {forging.name}", forged)


# --- the truth and the inputs ----------------------------------------------------------------------------------------


def _of_truth(evening: str) -> Iterator[Forging]:
    truth = EVENINGS[evening]().truth
    cards = [number for number, line in enumerate(truth) if line.get("to") in ("player", "banker", "burn")]
    for number in cards[::8]:
        yield Forging(f"truth {number} is missing", lambda e, n: e.truth.pop(n), (number,))
        yield Forging(f"truth {number} happened twice", lambda e, n: e.truth.insert(n, e.truth[n]), (number,))
        yield Forging(
            f"truth {number} went elsewhere", lambda e, n: e.truth[n].update(to="extra", position=7), (number,)
        )
    for number, line in enumerate(truth):
        if line["what"] == "round_ended":
            yield Forging(
                f"round at {number} was dealt otherwise", lambda e, n: e.truth[n]["player"].reverse(), (number,)
            )
            yield Forging(
                f"round at {number} had another winner", lambda e, n: e.truth[n].update(winner="no"), (number,)
            )


def _of_inputs(evening: str) -> Iterator[Forging]:
    steps = EVENINGS[evening]().steps
    given: list[Event] = [dict(step.given or {}) for step in steps]
    reports = [number for number, each in enumerate(given) if each.get("event", {}).get("event") == "card_drawn"]
    for number in reports[::9]:
        yield Forging(f"report {number} is missing", _forget_input, (number,))
        yield Forging(f"report {number} is of another card", lambda e, n: _event(e, n).update(card="AC"), (number,))
        yield Forging(f"report {number} is stored twice", _store_twice, (number,))
    bets = [number for number, each in enumerate(given) if each.get("request_id")]
    for earlier, later in pairwise(bets):
        yield Forging(f"request {later} is carried out twice", _same_request, (earlier, later))


def _forget_input(evening: Evening, number: int) -> None:
    evening.steps[number] = evening.steps[number]._replace(given=None)


def _store_twice(evening: Evening, number: int) -> None:
    evening.steps.insert(number, Step(evening.steps[number].given, []))


def _same_request(evening: Evening, earlier: int, later: int) -> None:
    first, second = evening.steps[earlier].given, evening.steps[later].given
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    second["request_id"] = first["request_id"]


def _event(evening: Evening, number: int) -> Event:
    event: Event = evening.steps[number].given["event"]  # type: ignore[index]  # these have one
    return event


# --- events ----------------------------------------------------------------------------------------------------------


def _of_events(evening: str) -> Iterator[Forging]:
    events = EVENINGS[evening]().events
    seen: Counter[tuple[str, Path]] = Counter()
    for number, event in enumerate(events):
        kind = event["fact"]
        seen[kind, ()] += 1
        if seen[kind, ()] > ENOUGH:
            continue
        if kind in CANNOT_GO and number < len(events) - 1 and _matters(event, events[number + 1 :]):
            yield Forging(f"{kind} {number} is missing", _leave_out, (number,))
        if kind in CANNOT_COME_TWICE and (kind != "round_voided" or event["returned"]):
            yield Forging(f"{kind} {number} comes twice", _double, (number,))
        offered = {wager["id"] for wager in EVENINGS[evening]().info["offered"]}
        for path in _leaves([event[field] for field in CHECKED_FIELDS.get(kind, ())]):
            if "outcome" in CHECKED_FIELDS[kind] and "wagers" in path and path[2] not in offered:
                continue  # it is priced by a pay table that this house did not choose
            real: Path = (CHECKED_FIELDS[kind][int(path[0])], *path[1:])
            where = (kind, tuple(part for part in real if isinstance(part, str)))
            seen[where] += 1
            if seen[where] <= ENOUGH_VALUES:
                yield Forging(f"{kind} {number} has another {real}", _change, (number, real))


def _matters(event: Event, later: list[Event]) -> bool:
    """Whether something follows from this event, of a kind from which something usually does."""
    match event["fact"]:
        case "card_corrected":
            return event["place"]["card"] is not None
        case "wagers_changed":
            closed = next(n for n, each in enumerate(later) if each["fact"] == "betting_closed")
            return all(each.get("seat") != event["seat"] for each in later[:closed])
        case "shoe_opened":
            return bool(event["shoe"] > 1)
        case "betting_opened":
            return any(each["fact"] == "card_dealt" and each["round"] == event["round"] for each in later)
    return True


def _leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """The way to every value in it that is not a list or an object."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in UNCHECKED:
                yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, number))
    else:
        yield path


def _find(evening: Evening, number: int) -> tuple[list[Event], int]:
    """The list in which the event with that index is, and where."""
    for step in evening.steps:
        if number < len(step.events):
            return step.events, number  # type: ignore[return-value]  # lists of the evening's own copy
        number -= len(step.events)
    raise IndexError(number)


def _change(evening: Evening, number: int, path: Path) -> None:
    events, at = _find(evening, number)
    inner: Any = events[at]
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = _another(inner[path[-1]])


def _another(value: object) -> object:  # noqa: PLR0911 - one for each type of value
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return 1
        case "player" | "banker":
            return "banker" if value == "player" else "player"
        case "win" | "lose":
            return "lose" if value == "win" else "win"
        case str() if len(value) == len("9H"):
            return "AC"
    return f"another {value}"


def _leave_out(evening: Evening, number: int) -> None:
    events, at = _find(evening, number)
    del events[at]
    _number_anew(evening)


def _double(evening: Evening, number: int) -> None:
    events, at = _find(evening, number)
    events.insert(at, copy.deepcopy(events[at]))
    _number_anew(evening)


def _number_anew(evening: Evening) -> None:
    numbers = count(1)
    new: dict[int, int] = {}
    for event in evening.events:
        new[event["seq"]] = next(numbers)
        event["seq"] = new[event["seq"]]
        if event.get("replaces") is not None:
            event["replaces"] = new.get(event["replaces"], 0)


# --- what no change of a single value can be -------------------------------------------------------------------------


def _by_hand(evening: str) -> Iterator[Forging]:
    last = {event["fact"]: number for number, event in enumerate(EVENINGS[evening]().events)}
    result, wagers, closed = last["round_result"], last["wagers_changed"], last["betting_closed"]
    yield Forging("a number is left out", lambda e: e.events[-1].update(seq=len(e.events) + 1))
    yield Forging("the hands are exchanged in the result", _swap_hands, (result,))
    yield Forging("a price is another", _change, (result, ("outcome", "wagers", "base.banker", "pays")))
    yield Forging("a wager is taken when wagers are closed", _close_before_wager)
    yield Forging("a stake of nothing", lambda e: e.events[wagers]["wagers"].append(_no_stake(e.events[wagers])))
    yield Forging("a wager for another seat", lambda e: e.events[wagers]["wagers"][0].update(seat="none"))
    yield Forging("a wager that is not offered", lambda e: e.events[wagers]["wagers"][0].update(wager="none.such"))
    yield Forging("a seat too many is summed up", _sum_up_another_seat)
    yield Forging("commission is taken otherwise", _take_commission_otherwise)
    yield Forging("a winner is paid more, and everything is summed up so", _pay_more)
    yield Forging("a wager of the last round is forgotten", _forget_wager, (closed,))
    yield Forging("a seat that is not there bets", _unknown_seat, (closed,))
    yield Forging("a card is unknown for a moment", _hide_for_a_moment)
    if evening == "face_down":
        yield Forging("a card is another of the same points", _exchange, ("3S", "3H"))
        return
    yield Forging("a round has the number of an earlier one", _number_round, (3, 1))
    yield Forging(
        "an alert has the number of another", lambda e: e.events[last["alert_raised"]]["alert"].update(number=1)
    )
    yield Forging("a result while an alert stops the round", _stop_first_result)
    yield Forging("fewer cards left than are recorded", lambda e: e.events[last["shoe_ended"]].update(cards_out=3))


def _settlement(evening: Evening) -> Event:
    settlement: Event = [event for event in evening.events if event["fact"] == "round_settled"][-1]["settlement"]
    return settlement


def _swap_hands(evening: Evening, result: int) -> None:
    outcome = evening.events[result]["outcome"]
    outcome["player"], outcome["banker"] = outcome["banker"], outcome["player"]


def _no_stake(changed: Event) -> Event:
    return {"seat": changed["seat"], "wager": "base.player", "stake": 0}


def _sum_up_another_seat(evening: Evening) -> None:
    settlement = _settlement(evening)
    settlement["seats"]["none"] = dict.fromkeys(settlement["totals"], 0)


def _take_commission_otherwise(evening: Evening) -> None:
    """Where there was none to take, if that can be: then nothing else gives it away."""
    settled = [event["settlement"] for event in evening.events if event["fact"] == "round_settled"]
    settlement = min(settled, key=lambda each: each["totals"]["commission"])
    settlement["commission_taken"] = "marked" if settlement["commission_taken"] == "at_once" else "at_once"


def _close_before_wager(evening: Evening) -> None:
    """The wagers of a round close before its first wager is taken."""
    events = evening.events
    number = next(n for n, event in enumerate(events) if event["fact"] == "wagers_changed")
    closed = copy.deepcopy(next(event for event in events if event["fact"] == "betting_closed"))
    listed, at = _find(evening, number)
    listed.insert(at, closed | {"stakes": 0})
    _number_anew(evening)


def _stop_first_result(evening: Evening) -> None:
    """An alert that stops the round is raised before the first result, and ended after it."""
    events = evening.events
    raised = copy.deepcopy(next(event for event in events if event["fact"] == "alert_raised"))
    number = next(n for n, event in enumerate(events) if event["fact"] == "round_result")
    listed, at = _find(evening, number)
    for event in events:
        if event["fact"] in ("alert_raised", "alert_ended"):
            event["alert"]["number"] += 1
    listed.insert(at, raised | {"alert": raised["alert"] | {"severity": "stops", "number": 1}})
    _number_anew(evening)


def _pay_more(evening: Evening) -> None:
    settlement = _settlement(evening)
    row = next(row for row in settlement["wagers"] if row["result"] == "win")
    step = next(s for s in settlement["steps"] if (s["seat"], s["wager"]) == (row["seat"], row["wager"]))
    step["amount"] += 5
    for sums in (settlement["totals"], settlement["seats"][row["seat"]]):
        sums["paid"] += 5
    for sums in (row, settlement["totals"], settlement["seats"][row["seat"]]):
        sums["winnings"] += 5
        sums["returned"] += 5


def _forget_wager(evening: Evening, closed: int) -> None:
    """One more wager stands in the last round; the settlement has the others alone."""
    events, at = _find(evening, closed)
    events[at]["stakes"] += 5
    events.insert(at, _wager_of("3", 5, events[at]))
    _number_anew(evening)


def _unknown_seat(evening: Evening, closed: int) -> None:
    """A seat that the table does not have places a wager, and takes it back."""
    events, at = _find(evening, closed)
    events[at:at] = [_wager_of("99", 5, events[at]), _wager_of("99", 0, events[at])]
    _number_anew(evening)


def _wager_of(seat: str, stake: int, at: Event) -> Event:
    return {
        **{field: at[field] for field in ("seq", "time", "shoe", "round")},
        "fact": "wagers_changed",
        "seat": seat,
        "total": stake,
        "wagers": [{"seat": seat, "wager": "base.tie", "stake": stake}] if stake else [],
    }


def _hide_for_a_moment(evening: Evening) -> None:
    number = next(n for n, event in enumerate(evening.events) if event["fact"] == "cards_shown")
    events, at = _find(evening, number)
    hidden = copy.deepcopy(events[at])
    for place in hidden["places"]:
        place["card"] = None
    events[at:at] = [copy.deepcopy(events[at]), hidden]
    _number_anew(evening)


def _exchange(evening: Evening, card: str, other: str) -> None:
    """Everywhere in what is published."""

    def exchanged(value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, dict):
            return {key: exchanged(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [exchanged(inner) for inner in value]
        return other if value == card else value

    for number, step in enumerate(evening.steps):
        evening.steps[number] = step._replace(events=exchanged(step.events))


def _number_round(evening: Evening, number: int, other: int) -> None:
    for event in evening.events:
        if (event["shoe"], event["round"]) == (1, number):
            event["round"] = other
