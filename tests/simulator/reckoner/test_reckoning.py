"""The reckoner finds nothing in an honest evening; what it finds in forged ones is in `test_mutants.py`."""

from typing import Any

import pytest

from shoe_controller.messages.facts import AnyFact
from simulator import reckoner
from simulator.reckoner.alignment import STRICT, Leniency
from simulator.reckoner.books import TableBooks
from simulator.reckoner.house import house_of
from simulator.reckoner.inputs import request_problems
from simulator.reckoner.reckoning import Reckoning, Step, reckon
from simulator.reckoner.recorded_cards import RecordedCard
from simulator.second_sum import differences, second_sum
from tests.simulator.reckoner.evenings import EVENINGS, Evening
from tests.simulator.reckoner.verdict import verdicts

UNDER_WAY = Leniency(under_way=True)
LOSES = Leniency(any_loss=True)


def reckoned(evening: Evening, leniency: Leniency = STRICT, **how: Any) -> Reckoning:  # noqa: ANN401 - as `reckon` has it
    return reckon(evening.truth, evening.steps, house_of(evening.info), leniency=leniency, **how)


@pytest.fixture
def evening() -> Evening:
    return EVENINGS["everything"]().copied()


@pytest.mark.parametrize("name", EVENINGS)
def test_an_honest_evening(name: str) -> None:
    evening = EVENINGS[name]()
    assert {way: problems for way, problems in verdicts(reckoner, evening).items() if problems} == {}
    found = reckoned(evening)
    assert found.cards == sum(line["what"] == "card_out" for line in evening.truth)
    assert found.results == sum(line["what"] == "round_ended" for line in evening.truth)
    assert found.wagers > 0
    assert (found.unpriced, found.lost, found.invented, found.under_way) == (0, 0, 0, 0)
    assert differences(found, evening.events) == []


def test_the_evenings_hold_every_kind_of_event_that_is_looked_at() -> None:
    happened = {event["fact"] for evening in EVENINGS.values() for event in evening().events}
    assert TableBooks().looked_at <= happened


def test_every_event_that_a_table_can_publish_is_known() -> None:
    published = {fact.__struct_config__.tag for fact in AnyFact.__args__}
    assert published == TableBooks().kinds


def test_unknown_fields_and_events_are_ignored(evening: Evening) -> None:
    for event in evening.events:
        event["journal"], event["detail"] = "j1", {"code": "new"}
    last = evening.events[-1]
    evening.steps.append(Step(None, [last | {"seq": last["seq"] + 1, "fact": "weather"}]))
    assert reckoned(evening).problems == ()


# --- what is allowed for ---------------------------------------------------------------------------------------------


def test_a_card_in_the_last_moment_is_under_way(evening: Evening) -> None:
    evening.truth.append({"what": "card_out", "t": 99.0, "card": "5H", "card_id": "x", "to": "player", "position": 1})
    assert reckoned(evening).problems
    assert (reckoned(evening, UNDER_WAY).under_way, reckoned(evening, UNDER_WAY).problems) == (1, ())


def test_a_loss_in_the_middle_is_not_under_way(evening: Evening) -> None:
    evening.truth.insert(12, evening.truth[12] | {"card": "AC", "card_id": "x"})
    assert reckoned(evening, UNDER_WAY).problems
    assert (reckoned(evening, LOSES).lost, reckoned(evening, LOSES).problems) == (1, ())


def test_what_is_invented_is_no_loss(evening: Evening) -> None:
    evening.truth.pop(3)
    assert reckoned(evening, LOSES).problems
    assert reckoned(evening, Leniency(any_invention=True)).invented == 1


def test_a_loss_is_excused_only_by_its_fault_and_only_beside_a_voided_round(evening: Evening) -> None:
    void = next(event for event in evening.events if event["fact"] == "round_voided")
    dealt = [event for event in evening.events if event["fact"] == "card_dealt"]
    in_void = next(number for number, event in enumerate(dealt) if event["round"] == void["round"])
    cards = [number for number, line in enumerate(evening.truth) if line.get("to") in ("player", "banker")]
    lossy = Leniency(faults=frozenset({"unplug"}))
    for place, fault, excused in (
        (cards[in_void + 1], "unplug", 1),
        (cards[in_void + 1], "misread", 0),
        (12, "unplug", 0),
    ):
        forged = evening.copied()
        forged.truth.insert(place, forged.truth[place] | {"card": "AC", "card_id": "x"})
        forged.truth.insert(0, {"what": "fault_injected", "t": 0.0, "fault": fault})
        found = reckoned(forged, lossy)
        assert (found.lost, not found.problems) == (excused, bool(excused)), (place, fault)


def test_the_second_card_of_two_at_once_is_not_reported_by_every_wire() -> None:
    evening = EVENINGS["face_down"]().copied()
    first = evening.truth[10]
    evening.truth.insert(11, first | {"card": "AC", "card_id": "x", "to": "extra", "reading": "with_another"})
    assert reckoned(evening).problems
    assert not reckoned(evening, native=False).problems


def test_of_cards_that_left_together_the_shoe_does_not_report_the_hand() -> None:
    burned = RecordedCard("burn", None, (1, 0))
    left = {"what": "card_out", "t": 1.0, "card": "QC", "card_id": "x", "to": "player", "position": 1}
    assert burned.fits(left | {"reading": "with_another"})
    assert not burned.fits(left | {"reading": "read"})


def test_every_round_has_a_result_if_that_is_asked_for(evening: Evening) -> None:
    assert reckoned(evening, every_round=True).problems
    face_down = EVENINGS["face_down"]().copied()
    assert not reckoned(face_down, every_round=True).problems
    face_down.truth.append(face_down.truth[-1])
    assert not reckoned(face_down).problems
    assert reckoned(face_down, every_round=True).problems


def test_a_wager_of_the_houses_own_is_counted_and_only_balanced(evening: Evening) -> None:
    house = house_of(evening.info)
    prices = {wager: rule for wager, rule in house.prices.items() if wager != "base.tie"}
    found = reckon(evening.truth, evening.steps, house._replace(prices=prices))
    assert (found.unpriced, found.problems) == (2, ())
    for event in evening.events:
        if event["fact"] == "round_settled" and event["round"] == 3:
            event["settlement"]["wagers"][0]["winnings"] += 1
    assert reckon(evening.truth, evening.steps, house._replace(prices=prices)).problems


# --- requests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "accepted", "unanswered", "good"),
    [
        pytest.param([500], [500], [600], True, id="as it should be"),
        pytest.param([500, 600], [500], [600], True, id="done, and the answer lost"),
        pytest.param([500, 500], [500], [], False, id="done twice"),
        pytest.param([500, 500], [], [500], False, id="done twice, and the answer lost"),
        pytest.param([], [500], [], False, id="accepted and not done"),
        pytest.param([500], [], [], False, id="refused and done"),
    ],
)
def test_requests(done: list[int], accepted: list[int], unanswered: list[int], good: bool) -> None:  # noqa: FBT001 - a parameter of the test
    events = [{"fact": "wagers_changed", "total": total} for total in done]
    assert (request_problems(events, accepted, unanswered) == []) is good


# --- the second sum --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("wagers_changed", ("total",)),
        ("round_voided", ("total",)),
        ("round_settled", ("settlement", "totals", "stakes")),
        ("round_settled", ("settlement", "totals", "taken")),
    ],
)
def test_the_second_sum_finds_money_that_does_not_balance(evening: Evening, kind: str, path: tuple[str, ...]) -> None:
    inner = next(event for event in evening.events if event["fact"] == kind)
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] += 1
    assert second_sum(evening.events).problems


@pytest.mark.parametrize("field", ["events", "cards", "results", "settlements", "stakes", "paid_back"])
def test_the_second_sum_finds_what_was_counted_otherwise(evening: Evening, field: str) -> None:
    found = reckoned(evening)
    other = found._replace(**{field: getattr(found, field) + 1})
    assert len(differences(other, evening.events)) == 1
