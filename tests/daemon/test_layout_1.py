"""What layout 1 stored in words is read as a code; what has no exact code keeps its words.

Whole journals of that layout are in `tests/journal/test_old_journals.py`.
"""

from typing import Any

import msgspec
import pytest

from shoe_controller.daemon.layout_1 import without_words
from shoe_controller.daemon.table_journal import read_fact, read_input, same_fact
from shoe_controller.journal.records import Event, Input
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import AlertEnded, AlertRaised
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.inputs import Snapshot

COMMON = {"schema": 1, "seq": 7, "time": 1, "shoe": 1, "round": 2}


def read(name: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of a fact
    """A fact of layout 1 as it is read now."""
    body = msgspec.json.encode({"fact": name, **COMMON, **fields})
    fact: dict[str, Any] = msgspec.to_builtins(read_fact(Event(name=name, body=body)))
    return fact


def alert_fields(kind: str, detail: str) -> dict[str, Any]:
    return {
        "alert": 3,
        "kind": kind,
        "severity": "stops",
        "happened": "…",
        "detail": detail,
        "to_do": "…",
        "ends": "…",
    }


@pytest.mark.parametrize(
    ("name", "fields", "field", "expected"),
    [
        ("shoe_opened", {"decks": 8, "card_sets": [], "opened_by": "shoe"}, "opened_by", {"code": "shoe"}),
        (
            "shoe_opened",
            {"decks": 8, "card_sets": [], "opened_by": "anita"},
            "opened_by",
            {"code": "person", "person": "anita"},
        ),
        (
            "shoe_ended",
            {"why": "the last round is over", "cards_out": 9, "commission_due": {}},
            "cause",
            {"code": "last_round_over"},
        ),
        (
            "shoe_ended",
            {"why": "wet cards", "cards_out": 9, "commission_due": {}},
            "cause",
            {"code": "ended_early", "reason": "wet cards"},
        ),
        ("shoe_link", {"up": True, "authenticated": True, "shoe_name": "", "why": ""}, "cause", None),
        (
            "shoe_link",
            {"up": False, "authenticated": True, "shoe_name": "", "why": "the controller started anew"},
            "cause",
            {"code": "controller_restarted"},
        ),
        (
            "shoe_link",
            {"up": False, "authenticated": True, "shoe_name": "", "why": "unplugged"},
            "cause",
            {"code": "earlier_detail", "text": "unplugged"},
        ),
        ("betting_closed", {"closed_by": "first_card", "stakes": 5}, "closed_by", {"code": "first_card_drawn"}),
        ("round_voided", {"replay": True, "why": "misdeal", "returned": [], "total": 0}, "reason", "misdeal"),
        ("wagers_returned", {"why": "they came after the first card", "returned": [], "total": 0}, "cause", "late"),
        ("wagers_returned", {"why": "anything else", "returned": [], "total": 0}, "cause", "earlier"),
        (
            "card_set_aside",
            {"card": None, "why": "no shoe is open"},
            "why",
            {"code": "earlier_detail", "text": "no shoe is open"},
        ),
        (
            "proposal_ended",
            {"proposal": 1, "why": "withdrawn by cat"},
            "cause",
            {"code": "proposal_withdrawn", "person": "cat"},
        ),
        (
            "proposal_ended",
            {"proposal": 1, "why": "nobody approved it in time"},
            "cause",
            {"code": "proposal_timed_out"},
        ),
    ],
)
def test_a_fact(name: str, fields: dict[str, Any], field: str, expected: object) -> None:
    assert read(name, **fields)[field] == expected


def test_a_standing_keeps_its_words() -> None:
    standing = {"player_total": 4, "banker_total": 0, "next_hand": "banker", "complete": False, "why": "Banker's card"}
    place = {"number": 1, "hand": "player", "card": "4H"}
    then = read("card_dealt", place=place, standing=standing)["standing"]
    assert then["why"] == {"code": "earlier_reason", "text": "Banker's card"}
    assert read("card_dealt", place=place, standing=standing | {"why": ""})["standing"]["why"] is None


@pytest.mark.parametrize("kind", AlertKind)
def test_every_alert_has_the_shape_of_today(kind: AlertKind) -> None:
    earlier = "shoe_ailing" if kind is AlertKind.SHOE_FAULT else kind.value
    raised = read_fact(
        Event(name="", body=msgspec.json.encode({"fact": "alert_raised", **COMMON, **alert_fields(earlier, "x")}))
    )
    assert isinstance(raised, AlertRaised)
    assert (raised.alert.number, raised.alert.kind, raised.alert.severity) == (3, kind, ALERTS[kind].severity)
    assert raised.alert.detail is not None
    ended = read_fact(
        Event(
            name="",
            body=msgspec.json.encode(
                {"fact": "alert_ended", **COMMON, "alert": 3, "kind": earlier, "ended_by": "anita", "replaces": 5}
            ),
        )
    )
    assert isinstance(ended, AlertEnded)
    assert (ended.alert.kind, msgspec.to_builtins(ended.cause)) == (
        kind,
        {"code": "ended_by_person", "person": "anita"},
    )


def test_facts_that_differ_in_more_than_words_do_not_agree() -> None:
    def event(total: int, why: str) -> Event:
        fields = {"replay": False, "why": why, "returned": [], "total": total}
        return Event(name="round_voided", body=msgspec.json.encode({"fact": "round_voided", **COMMON, **fields}))

    assert same_fact(event(5, "a"), event(5, "a"))
    assert not same_fact(event(5, "a"), event(6, "a"))
    assert not same_fact(event(5, "a"), event(5, "b")), "a person's reason is not ours to leave out"


def test_only_words_are_left_out() -> None:
    fact = {"seq": 1, "why": "x", "standing": {"why": "y", "complete": True}, "places": [{"card": "9H", "detail": 1}]}
    assert without_words(fact) == {"seq": 1, "standing": {"complete": True}, "places": [{"card": "9H"}]}


def test_a_state_with_an_alert_a_refusal_and_a_confirmed_round() -> None:
    playing = {"number": 4, "confirmed_by": "shoe_button"}
    state = {
        "phase": "betting",
        "lasting": {
            "seq": 9,
            "alerts": [{"number": 2, "kind": "shoe_ailing", "detail": "", "seq": 8}],
            "answered": [
                {"request_id": "a", "refusal": {"code": "not_now", "message": "later"}},
                {"request_id": "b", "refusal": None},
            ],
        },
        "shoe": None,
        "round": playing,
    }
    given = read_input(Input(name="snapshot", body=msgspec.json.encode({"input": "snapshot", "state": state})))
    assert isinstance(given, Snapshot)
    (alert,), (first, second) = given.state.lasting.alerts, given.state.lasting.answered
    assert (alert.kind, alert.detail) == (AlertKind.SHOE_FAULT, None)
    assert msgspec.to_builtins(first.refusal) == {
        "code": "earlier_refusal",
        "earlier_code": "not_now",
        "text": "later",
    }
    assert second.refusal is None
    assert given.state.round is not None
    assert msgspec.to_builtins(given.state.round.confirmed_by) == {"code": "shoe_button"}
