"""Writes the examples of the schemas anew, an example for each message: `python -m tests.mqtt.renew_examples`.

Those of events and retained messages come from sittings at real tables; requests are written here, and checked against
their schemas like every other example (`test_contract.py`).
"""

import json
from typing import Any

import msgspec

from shoe_controller.house.rules import read_rules
from shoe_controller.journal.records import Head
from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.archive import ArchiveMessage
from shoe_controller.messages.controllers import ControllerAnswer, ControllerQuestion
from shoe_controller.messages.facts import Fact
from shoe_controller.messages.pit import (
    EdgesMessage,
    PitAlarmsMessage,
    PitMessage,
    RaisedPitAlarm,
    SuggestedAct,
    WagerEdge,
    WagerExposed,
)
from shoe_controller.messages.refusals import OtherRound
from shoe_controller.messages.requests import RequestRole, acts_of, refused
from shoe_controller.messages.retained import HeadMessage, StatusMessage
from shoe_controller.messages.witness import JournalRolledBack, RaisedAlarm, WitnessMessage
from shoe_controller.mqtt.documents.asyncapi import EXAMPLES
from shoe_controller.mqtt.envelope import Envelopes, EventMessage, replayed, replayed_in_batches
from shoe_controller.mqtt.retained import (
    Posted,
    gravest_alert,
    info_message,
    roads_message,
    rounds_message,
    state_message,
    table_listing,
)
from tests.mqtt.every_fact import RememberedSitting, every_sitting

COMMAND = "python -m tests.mqtt.renew_examples"
HOUSE = {"offer": ["base", "pairs"], "round_limit": {"amount": 500_000, "groups": ["pairs"]}}
JOURNAL = "4f2a9c1e77b3d508"
SEAL = bytes(range(32, 64)).hex()
HEAD = Head(number=412, hash=bytes(range(32)))
VERSION = "0.1.0"
START = "5e1fb2a0"
TOKEN = "qH3vV0m2Zk9sB7dXy1LwR5tN8uJ4pC6a"  # noqa: S105 - of an example

DETAILS: dict[str, dict[str, Any]] = {
    "reveal_cards": {"hand": "banker"},
    "clear_alert": {"alert": 3},
    "identify_card": {"number": 2, "card": "9H"},
    "correct_card": {"number": 2, "card": "9H"},
    "assign_cards": {"cards": [{"hand": "player"}, {"hand": "banker", "card": "9H"}]},
    "discard_card": {"number": 2, "cause": "damaged", "card": "9H"},
    "set_wager": {"seat": "1", "wager": "base.player", "stake": 5000},
    "move_wager": {"seat": "1", "wager": "base.player", "to_seat": "2"},
    "amend_round": {
        "shoe": 1,
        "round": 12,
        "cards": [{"number": 2, "card": "9H"}],
        "wagers": [{"seat": "1", "wager": "base.player", "stake": 5000}],
    },
    "count_remainder": {"cards": 83},
    "note": {"shoe": 2, "round": 7},
    "open_dispute": {"shoe": 2, "round": 7, "seat": "1"},
    "close_dispute": {"dispute": 1},
    "adjust": {"shoe": 2, "round": 7, "seat": "1", "amount": -500},
    "collect_commission": {"seat": "1"},
    "waive_commission": {"seat": "1", "shoe": 2},
    "enter_card": {"number": 2, "card": "9H"},
    "deal_card": {"card": "9H"},
    "approve": {"proposal": 1},
    "withdraw": {"proposal": 1},
}
"""Of acts that have any."""


def examples() -> dict[str, Any]:
    """By the name of the message's schema."""
    sittings = every_sitting(HOUSE)
    return {
        **_retained(sittings[0]),
        **_events(sittings),
        **_requests(),
        **_replies(sittings[0]),
        **_between_controllers(),
    }


def as_json(message: object) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(msgspec.json.encode(message))


def _retained(sitting: RememberedSitting) -> dict[str, Any]:
    """At the moment when a card is late for its wager, which is an alert; the roads at the end."""
    state = next(state for state in sitting.states if state.lasting.alerts)
    posted = Posted(version=VERSION, start=START, site="north", table="t1", title="Table 1", headline="Good luck!")
    status = StatusMessage(
        online=True,
        session=1_790_000_000,
        start=START,
        seq=state.lasting.seq,
        version=VERSION,
        journal=JOURNAL,
        head=str(HEAD),
        seal=SEAL,
        shoe_link=True,
        authenticated=True,
        alert=gravest_alert(state),
    )
    info = info_message(
        posted=posted,
        rules=sitting.rules,
        house=read_rules(sitting.rules),
        journal=JOURNAL,
        seq=state.lasting.seq,
        rules_pending=False,
    )
    return {
        "status": as_json(status),
        "head": as_json(HeadMessage(journal=JOURNAL, head=str(HEAD), seal=SEAL)),
        "info": as_json(info),
        "state": as_json(state_message(state, JOURNAL, read_rules)),
        "roads": as_json(roads_message(sitting.state, JOURNAL)),
        "rounds": as_json(rounds_message(sitting.state, JOURNAL)),
        "tables": as_json(table_listing(posted, JOURNAL)),
        "witness": as_json(_witnessed()),
        **_of_pit(),
        "archive.presence": as_json(ArchiveMessage(online=True, start=START, time=1_790_003_600_000, storing=True)),
    }


def _of_pit() -> dict[str, Any]:
    opened, edge = 1_790_003_600_000, 0.1127
    edges = EdgesMessage(
        start=START,
        journal=JOURNAL,
        seq=731,
        shoe=2,
        round=61,
        time=opened,
        until=opened + 60_000,
        unseen=92,
        edges=(
            WagerEdge(wager="infinite_fortune.tie_7", edge=edge, full_shoe=-0.0964),
            WagerEdge(wager="base.banker", edge=-0.0107, full_shoe=-0.0106),
        ),
    )
    exposed = WagerExposed(
        shoe=2,
        round=61,
        wager="infinite_fortune.tie_7",
        edge=edge,
        limit=0.0,
        staked=20_000,
        suggested=(SuggestedAct.LOWER_LIMIT, SuggestedAct.TAKE_WAGER_OFF, SuggestedAct.END_SHOE_EARLY),
    )
    alarms = (RaisedPitAlarm(line=18, time=opened, alarm=exposed),)
    return {
        "pit.presence": as_json(PitMessage(online=True, start=START, time=opened)),
        "pit.edges": as_json(edges),
        "pit.alarms": as_json(PitAlarmsMessage(start=START, journal=JOURNAL, alarms=alarms)),
    }


def _between_controllers() -> dict[str, Any]:
    here: dict[str, Any] = {"host": "table-1-spare", "address": "192.0.2.7", "process": 812, "boot": "d2a0"}
    there: dict[str, Any] = {"host": "table-1", "address": "192.0.2.6", "process": 644, "boot": "71bc"}
    asked: dict[str, Any] = {"question": "9f6b21c07d3e58a4", "seal": SEAL}
    question = ControllerQuestion(start="0c77e1d9", to=START, served=0, **asked, **here)
    answer = ControllerAnswer(start=START, to="0c77e1d9", served=5_400_000, stays=True, **asked, **there)
    return {"controller.question": as_json(question), "controller.answer": as_json(answer)}


def _witnessed() -> WitnessMessage:
    alarm = JournalRolledBack(journal=JOURNAL, number=HEAD.number, known=730)
    return WitnessMessage(
        table="t1",
        journal=JOURNAL,
        head=str(HEAD),
        checkpoint=31,
        alarms=(RaisedAlarm(line=2044, time=1_790_003_600_000, alarm=alarm),),
        line=f"2044:{bytes(range(32, 64)).hex()}",
    )


def _events(sittings: list[RememberedSitting]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for fact in (fact for sitting in sittings for fact in sitting.facts):
        found.setdefault(f"event.{fact.__struct_config__.tag}", json.loads(published(fact).payload))
    return found


def published(fact: Fact) -> EventMessage:
    return Envelopes(JOURNAL).message(
        seq=fact.seq,
        topic=f"event/{fact.TOPIC}",
        shoe=fact.shoe,
        round_number=fact.round,
        head=HEAD,
        body=msgspec.json.encode(fact),
    )


def _requests() -> dict[str, Any]:
    at = {"request_id": "5d1c7a40", "shoe": 1, "round": 9}
    stakes = [{"wager": "base.banker", "stake": 500}, {"wager": "base.tie", "stake": 0}]
    found: dict[str, Any] = {
        "request.wagers.place": at | {"seat": "1", "stakes": stakes},
        "request.display.replay": {"request_id": "77a0", "after": 411, "limit": 500},
        "request.witness.checkpoints": {"request_id": "91c3", "after": 30},
    }
    for role in (RequestRole.DEALER, RequestRole.SUPERVISOR):
        for name, act in acts_of(role).items():
            rule = ACTS[act]
            pin = role is RequestRole.SUPERVISOR or rule.pin
            found[f"request.{role.value}.{name}"] = (
                at
                | ({"person": "anita" if role is RequestRole.DEALER else "rana"})
                | ({"pin": "480612"} if pin else {})
                | ({"token": TOKEN} if role is RequestRole.DEALER else {})
                | ({"reason": "seen on the table"} if rule.reason else {})
                | ({"details": DETAILS[name]} if name in DETAILS else {})
            )
    return found


def _replies(sitting: RememberedSitting) -> dict[str, Any]:
    refusal = OtherRound(shoe=1, round=9, table_shoe=1, table_round=10)
    batch = next(replayed_in_batches([published(fact) for fact in sitting.facts[-2:]], 10_000))
    return {
        "reply.answer": as_json(refused(refusal, "5d1c7a40")),
        "reply.replayed_event": json.loads(replayed(published(sitting.facts[-1]))),
        "reply.replayed_events": json.loads(batch),
    }


def main() -> None:
    EXAMPLES.write_text(json.dumps(examples(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
