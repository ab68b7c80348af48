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
        *("wagers_corrected", "round_amended"),
        *("dispute_opened", "dispute_closed", "commission_collected", "commission_waived"),
    }
)
"""Kinds of events of which none can be left out unnoticed."""

CANNOT_COME_TWICE = CANNOT_GO - {"betting_opened", "cards_shown", "shoe_opened", "wagers_changed"} | {"alert_ended"}
"""Kinds of events that cannot be doubled unnoticed."""

CHECKED_FIELDS: dict[str, tuple[str, ...]] = {
    "card_burned": ("card",),
    "card_dealt": ("shoe", "round", "place", "moved"),
    "card_set_aside": ("card",),
    "cards_shown": ("places",),
    "card_corrected": ("place", "replaces"),
    "cards_assigned": ("places", "extra_cards"),
    "card_discarded": ("place", "cause", "places", "extra_cards", "replaces"),
    "extra_card_decided": ("burned", "used"),
    "betting_closed": ("stakes",),
    "wagers_changed": ("seat", "wagers", "total"),
    "wagers_returned": ("returned", "total"),
    "round_voided": ("replay", "returned", "total"),
    "wagers_corrected": ("before", "after", "difference", "stakes"),
    "round_amended": (
        *("of_round", "outcome", "old_outcome", "settlement", "old_settlement"),
        *("difference", "commission", "commission_back", "replaces", "replaces_settlement"),
    ),
    "round_result": ("shoe", "round", "outcome", "replaces"),
    "result_undone": ("shoe", "round", "replaces"),
    "round_settled": ("shoe", "round", "settlement", "replaces", "difference"),
    "settlement_undone": ("replaces", "commission_back"),
    "alert_ended": ("replaces",),
    "shoe_ended": ("commission_due", "cards_out", "inventory"),
    "run_out_begun": ("expected",),
    "card_counted": ("card", "counted"),
    "remainder_counted": ("expected", "found", "fits", "faces"),
    "note_made": ("of_shoe", "of_round", "text"),
    "dispute_opened": ("dispute",),
    "dispute_closed": ("dispute", "decision"),
    "payment_adjusted": ("of_shoe", "of_round", "seat", "amount"),
    "commission_collected": ("seat", "amount", "due"),
    "commission_waived": ("seat", "amount", "due"),
}
"""What of an event cannot be changed unnoticed."""

MAY_BE_ABSENT = ("faces", "inventory")
"""Objects instead of which no other value can stand."""

ENOUGH, ENOUGH_VALUES = 5, 1
"""So many events of a kind are forged, and so many values of the same name in them."""

UNCHECKED = frozenset({"rounding", "limit_reached", "pays", "foreign"})
"""What of these nothing follows from. The price of an outcome is looked at by itself; which of the cards that are
left is foreign, no event says."""


class Forging(NamedTuple):
    name: str
    forge: Callable[..., object]
    args: tuple[Any, ...] = ()


def forgeries() -> Iterator[Forgery]:
    for evening in EVENINGS:
        more = (
            (*_of_duty(),) if evening == "relief" else (*_of_truth(evening), *_of_inputs(evening), *_by_hand(evening))
        )
        for forging in (*_of_events(evening), *more):
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
    # What people put right is another round at the table than at the shoe.
    ended = [number for number, line in enumerate(truth) if line["what"] == "round_ended"]
    rounds = dict.fromkeys((e["shoe"], e["round"]) for e in EVENINGS[evening]().events if e["fact"] == "round_result")
    for number, key in zip(ended, rounds, strict=True):
        if key not in _rearranged(evening):
            yield Forging(
                f"round at {number} was dealt otherwise", lambda e, n: e.truth[n]["player"].reverse(), (number,)
            )
            yield Forging(
                f"round at {number} had another winner", lambda e, n: e.truth[n].update(winner="no"), (number,)
            )


def _rearranged(evening: str) -> set[tuple[int, int]]:
    """The rounds in which cards lie otherwise than the shoe reported them."""
    events = EVENINGS[evening]().events
    amended = (e["act"] for e in events if e["fact"] == "person_acted" and e["act"]["act"] == "amend_round")
    return {
        *((e["shoe"], e["round"]) for e in events if e["fact"] in ("cards_assigned", "card_discarded")),
        *((act["shoe"], act["round"]) for act in amended if act["cards"]),
    }


def _of_inputs(evening: str) -> Iterator[Forging]:
    steps = EVENINGS[evening]().steps
    given: list[Event] = [dict(step.given or {}) for step in steps]
    reports = [number for number, each in enumerate(given) if each.get("event", {}).get("event") == "card_drawn"]
    for number in reports[::9]:
        yield Forging(f"report {number} is missing", _forget_input, (number,))
        yield Forging(f"report {number} is of another card", lambda e, n: _event(e, n).update(card="AC"), (number,))
        yield Forging(f"report {number} is stored twice", _store_twice, (number,))
        yield Forging(f"before report {number} one came again that was never stored", _come_again, (number,))
    bets = [number for number, each in enumerate(given) if each.get("request_id")]
    for earlier, later in pairwise(bets):
        yield Forging(f"request {later} is carried out twice", _same_request, (earlier, later))


def _forget_input(evening: Evening, number: int) -> None:
    evening.steps[number] = evening.steps[number]._replace(given=None)


def _store_twice(evening: Evening, number: int) -> None:
    evening.steps.insert(number, Step(evening.steps[number].given, []))


def _come_again(evening: Evening, number: int) -> None:
    report = copy.deepcopy(evening.steps[number].given)
    assert isinstance(report, dict)
    report["event"] = {"event": "came_again", "what": report["event"]}
    evening.steps.insert(number, Step(report, []))


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
        values = [
            () if field in MAY_BE_ABSENT and event[field] is None else event[field]
            for field in CHECKED_FIELDS.get(kind, ())
        ]
        for path in _leaves(values):
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
            # It may be opened again, after the result before was taken back.
            again = next((n for n, each in enumerate(later) if each["fact"] == "betting_opened"), len(later))
            return any(each["fact"] == "card_dealt" and each["round"] == event["round"] for each in later[:again])
    return True


def _leaves(value: object, path: Path = ()) -> Iterator[Path]:
    """The way to every value in it that is not a list or an object."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in UNCHECKED:
                yield from _leaves(inner, (*path, key))
    elif isinstance(value, list | tuple):
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
        for field in ("replaces", "replaces_settlement"):
            if event.get(field) is not None:
                event[field] = new.get(event[field], 0)


# --- what no change of a single value can be -------------------------------------------------------------------------


def _by_hand(evening: str) -> Iterator[Forging]:
    if evening == "by_hand":
        yield Forging("a card that was entered moves on too far", _move_too_far)
        yield Forging("a card of nobody is said to be entered", _enter_first_card)
        cut_card = next(n for n, event in enumerate(EVENINGS[evening]().events) if event["fact"] == "cut_card_out")
        yield Forging("a dealer opens a shoe before the cut card", _leave_out, (cut_card,))
        reports = (n for n, step in enumerate(EVENINGS[evening]().steps) if "'cut_card'" in str(step.given))
        *_, reported = reports
        yield Forging("a dealer opens a shoe after a cut card that was only entered", _forget_input, (reported,))
        return
    if evening == "counted":
        yield from _counted_by_hand()
        return
    for number, event in enumerate(EVENINGS[evening]().events):
        if event["fact"] == "alert_raised" and event["alert"]["kind"] == "dispute_open":
            yield Forging("a warning lists another dispute", _change, (number, ("alert", "detail", "disputes", 0)))
    last = {event["fact"]: number for number, event in enumerate(EVENINGS[evening]().events)}
    result, wagers, closed = last["round_result"], last["wagers_changed"], last["betting_closed"]
    yield Forging("a number is left out", lambda e: e.events[-1].update(seq=len(e.events) + 1))
    yield Forging("the hands are exchanged in the result", _swap_hands, (result,))
    offered = {wager["id"] for wager in EVENINGS[evening]().info["offered"]}
    prices = EVENINGS[evening]().events[result]["outcome"]["wagers"]
    won = next(wager for wager, came_to in prices.items() if wager in offered and "pays" in came_to)
    yield Forging("a price is another", _change, (result, ("outcome", "wagers", won, "pays")))
    yield Forging("a wager is taken when wagers are closed", _close_before_wager)
    yield Forging("a stake of nothing", lambda e: e.events[wagers]["wagers"].append(_no_stake(e.events[wagers])))
    yield Forging("a wager for another seat", lambda e: e.events[wagers]["wagers"][0].update(seat="none"))
    yield Forging("a wager that is not offered", lambda e: e.events[wagers]["wagers"][0].update(wager="none.such"))
    yield Forging("a seat too many is summed up", _sum_up_another_seat)
    yield Forging("commission is taken otherwise", _take_commission_otherwise)
    yield Forging("a winner is paid more, and everything is summed up so", _pay_more)
    yield Forging("a wager of the last round is forgotten", _forget_wager, (closed,))
    yield Forging("a seat that is not there bets", _unknown_seat, (closed,))
    if evening == "put_right":
        yield from _amended_by_hand(evening)
        return
    if evening == "placed":
        yield Forging("wagers are opened with a bad shoe", _raise_before_wagers, ("bad_shoe", False))
        yield Forging("wagers are opened after a piece came twice", _raise_before_wagers, ("card_twice", True))
        return
    yield Forging("a card is unknown for a moment", _hide_for_a_moment)
    if evening == "face_down":
        yield Forging("a card is another of the same points", _exchange, ("3S", "3H"))
        return
    yield Forging("a round has the number of an earlier one", _number_round, (3, 1))
    yield Forging(
        "an alert has the number of another", lambda e: e.events[last["alert_raised"]]["alert"].update(number=1)
    )
    yield Forging("a result while an alert stops the round", _stop_first_result)
    yield Forging("a shoe ends silently while a dispute is open", _end_silently)
    for act in ("adjust", "undo_last_result"):
        yield Forging(f"one person alone does {act}", _approve_nothing, (act,))
    yield Forging("fewer cards left than are recorded", lambda e: e.events[last["shoe_ended"]].update(cards_out=3))


def _amended_by_hand(evening: str) -> Iterator[Forging]:
    events = EVENINGS[evening]().events
    acted = [n for n, event in enumerate(events) if event["fact"] == "person_acted"]
    amends = [n for n in acted if events[n]["act"]["act"] == "amend_round"]
    with_cards = next(n for n in amends if events[n]["act"]["cards"])
    sets = next(n for n in acted if events[n]["act"]["act"] == "set_wager")
    moves = next(n for n in acted if events[n]["act"]["act"] == "move_wager")
    amended = [n for n, event in enumerate(events) if event["fact"] == "round_amended"]
    for act in ("amend_round", "set_wager"):
        yield Forging(f"one person alone does {act}", _approve_nothing, (act,))
    yield Forging(
        "another settlement before", lambda e: e.events[amended[0]].update(old_settlement=_new(e, amended[0]))
    )
    yield Forging("wagers are forgotten", lambda e: e.events[amended[-1]].update(settlement=None, difference={}))
    yield Forging("cards that are no round", lambda e: e.events[with_cards]["act"]["cards"][0].update(card="2C"))
    yield Forging("another round was meant", lambda e: e.events[with_cards]["act"].update(round=2))
    yield Forging("another stake was meant", lambda e: e.events[sets]["act"].update(stake=151))
    yield Forging("another seat was meant", lambda e: e.events[moves]["act"].update(to_seat="1"))


def _counted_by_hand() -> Iterator[Forging]:
    events = EVENINGS["counted"]().events
    where: dict[str, list[int]] = {}
    for number, event in enumerate(events):
        where.setdefault(event["fact"], []).append(number)
    ended, begun, counts = where["shoe_ended"][0], where["run_out_begun"][0], where["remainder_counted"]
    run_out, by_hand = counts[-2], counts[-1]
    yield Forging("one person alone corrects a finished round", _approve_nothing, ("correct_card",))
    yield Forging("a shoe does not say where its cards are", lambda e: e.events[ended].update(inventory=None))
    yield Forging("a face that came is another", lambda e: _move_one(e.events[ended]["inventory"]["known"], "2H", "2S"))
    yield Forging("a card is counted before anybody began to count", _count_too_early, (begun,))
    yield Forging("a shoe is opened while the last is being counted", _leave_out, (run_out,))
    yield Forging("a shoe is opened before the last is counted", _leave_out, (by_hand,))
    yield Forging("faces that came through the reader are forgotten", lambda e: e.events[run_out].update(faces=None))
    yield Forging("a card more is counted, of no face", _count_one_more, (run_out,))
    yield Forging("a face that came is missing", lambda e: _move_one(e.events[run_out]["faces"]["missing"], "AC", "2H"))


def _move_one(copies: dict[str, int], one: str, other: str) -> None:
    copies[one] -= 1
    copies[other] = copies.get(other, 0) + 1


def _count_too_early(evening: Evening, begun: int) -> None:
    events, at = _find(evening, begun)
    about = {field: events[at][field] for field in ("time", "shoe", "round")}
    events.insert(at, about | {"fact": "card_counted", "seq": -1, "card": "9H", "counted": 1})
    _number_anew(evening)


def _count_one_more(evening: Evening, number: int) -> None:
    counted = evening.events[number]
    counted["found"] += 1
    counted["faces"]["unseen"] += 1


def _raise_before_wagers(evening: Evening, kind: str, ended: bool) -> None:  # noqa: FBT001 - of this file alone
    """An alert that stops nothing is raised before the last wagers are opened, and may be ended at once."""
    events = evening.events
    number = max(n for n, event in enumerate(events) if event["fact"] == "betting_opened")
    listed, at = _find(evening, number)
    alert = {"number": 900, "kind": kind, "severity": "warns", "detail": None, "cleared_by": "nobody"}
    about = {field: events[number][field] for field in ("time", "shoe", "round")}
    raised = about | {"fact": "alert_raised", "seq": -1, "alert": alert}
    ends = about | {"fact": "alert_ended", "seq": -2, "alert": alert, "replaces": -1}
    listed[at:at] = [raised, ends] if ended else [raised]
    _number_anew(evening)


def _new(evening: Evening, number: int) -> Event:
    settlement: Event = copy.deepcopy(evening.events[number]["settlement"])
    return settlement


def _of_duty() -> Iterator[Forging]:
    events = EVENINGS["relief"]().events
    where: dict[str, list[int]] = {}
    for number, event in enumerate(events):
        kind = event["alert"]["kind"] if event["fact"] == "alert_raised" else event.get("act", {}).get("act")
        where.setdefault(kind or event["fact"], []).append(number)
    changed, opened = where["dealer_changed"], where["shoe_opened"][0]
    yield Forging("another opens the shoe", lambda e: e.events[opened]["opened_by"].update(person="eve"))
    yield Forging("another closes the wagers", lambda e: e.events[where["no_more_bets"][1]].update(person="dan"))
    yield Forging("another signs out", lambda e: e.events[where["sign_out"][-1]].update(person="eve"))
    yield Forging("another was on duty before", lambda e: e.events[changed[1]].update(before="fay"))
    yield Forging("the same is on duty", lambda e: e.events[changed[1]].update(dealer="dan"))
    yield Forging("who is on duty did not sign in", lambda e: e.events[where["sign_in"][1]].update(person="fay"))
    for kind in ("betting_closed", "round_result"):
        yield Forging(f"{kind} names another dealer", lambda e, k: e.events[where[k][1]].update(dealer="dan"), (kind,))
    yield Forging("no alert tells of a card that was not burned", _rename_alert, (where["burn_due"][0], "jam"))
    yield Forging(
        "an alert tells of a burn that was not due", _rename_alert, (where["supervisor_called"][0], "burn_due")
    )
    yield Forging("no alert tells that nobody is on duty", _rename_alert, (where["nobody_on_duty"][0], "jam"))
    yield Forging(
        "an alert tells that nobody is on duty", _rename_alert, (where["supervisor_called"][0], "nobody_on_duty")
    )
    yield Forging("more of a face come than the decks hold", lambda e: e.events[opened].update(decks=1))
    bad = where["bad_card_out_of_round"][0]
    yield Forging("an alert tells of the card that a new dealer burns", _rename_alert, (bad, "burned_between_rounds"))


def _rename_alert(evening: Evening, number: int, kind: str) -> None:
    raised = evening.events[number]
    for event in evening.events:
        if event is raised or (event["fact"] == "alert_ended" and event["replaces"] == raised["seq"]):
            event["alert"]["kind"] = kind


def _move_too_far(evening: Evening) -> None:
    moved = next(event["moved"] for event in evening.events if event.get("moved"))
    moved.append(dict(moved[-1], number=moved[-1]["number"] + 1))


def _enter_first_card(evening: Evening) -> None:
    next(event for event in evening.events if event["fact"] == "card_burned")["entered_by"] = "ann"


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


def _end_silently(evening: Evening) -> None:
    raised = (n for n, event in enumerate(evening.events) if event["fact"] == "alert_raised")
    _leave_out(evening, next(n for n in raised if evening.events[n]["alert"]["kind"] == "dispute_open"))


def _approve_nothing(evening: Evening, act: str) -> None:
    for event in evening.events:
        if event["fact"] == "person_acted" and event["act"]["act"] == act:
            event["approved_by"] = None


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
