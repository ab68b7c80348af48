"""Every message of the contract by name, each with the JSON Schema of its payload.

Requests get a schema for each act, with what that act needs: a PIN, a reason, details.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from shoe_controller.messages.acts import ACTS, Act, CorrectCard, IdentifyCard
from shoe_controller.messages.envelope import EventEnvelope, OutcomeEnvelope
from shoe_controller.messages.facts import EventTopic, Fact
from shoe_controller.messages.requests import MOST_IN_BATCH, Answer, RequestRole
from shoe_controller.messages.topics import (
    EVENT_TOPICS,
    EVENTS,
    REPLAYED_TOPIC,
    TopicKind,
    TopicRow,
    contract,
    event_topic,
)
from shoe_controller.mqtt.documents.json_schema import Schema, SchemaBook, class_text, described

REPLAYED = "reply.replayed_event"
REPLAYED_EVENT = "ReplayedEvent"

_NAMES_A_CARD: tuple[type[Act], ...] = (IdentifyCard, CorrectCard)
"""Acts whose card is null only where they are published; a request must name it."""


class MessageSchema(NamedTuple):
    name: str
    """As its schema's file is called: "event.card_dealt"."""
    component: str
    """As AsyncAPI and TypeScript call it: "CardDealt"."""
    row: TopicRow
    """The topic it goes to."""
    what: str
    payload: Schema


class Messages:
    """All messages, and the schemas that they have in common; references begin with `refer_to`."""

    def __init__(self, refer_to: str) -> None:
        self._refer_to = refer_to
        rows = list(contract())
        requests = [row for row in rows if row.kind is TopicKind.REQUEST]
        written = dict.fromkeys(payload for row in rows if row not in requests for payload in row.payloads)
        read = dict.fromkeys(payload for row in requests for payload in (*row.payloads, row.act) if payload is not None)
        self._written = SchemaBook((*written, EventEnvelope, OutcomeEnvelope), refer_to, written=True)
        self._read = SchemaBook(read, refer_to, written=False)
        self.all: list[MessageSchema] = []
        for row in rows:
            for payload in row.payloads:
                self.all.append(self._message(row, payload))
            if row.kind is TopicKind.REPLY:
                self.all += self._replays(row)

    @property
    def common(self) -> dict[str, Schema]:
        """The schemas that messages refer to, by name."""
        events = {fact.__name__: self._event(fact) for fact in EVENTS}
        both = self._written.common | self._read.common | events | {REPLAYED_EVENT: self._replayed()}
        return {name: both[name] for name in sorted(both)}

    def _message(self, row: TopicRow, payload: type[msgspec.Struct]) -> MessageSchema:
        component = payload.__name__
        match row.kind:
            case TopicKind.RETAINED | TopicKind.CONTROLLER:
                return MessageSchema(name_of(row), component, row, row.what, self._written.struct(payload))
            case TopicKind.EVENT if issubclass(payload, Fact):
                return MessageSchema(event_name(payload), component, row, EVENTS[payload], self._event(payload))
            case TopicKind.REQUEST:
                return MessageSchema(name_of(row), camel_case(name_of(row)), row, row.what, self._request(row, payload))
            case TopicKind.REPLY if payload is Answer:
                return MessageSchema("reply.answer", component, row, "the answer", self._written.struct(payload))
        raise TypeError(f"{row.below} cannot carry {payload}")

    def _event(self, fact: type[Fact]) -> Schema:
        own = " ".join(text for text in (EVENTS[fact], class_text(fact)) if text)
        schema = self._written.struct(fact) | {"description": own}
        envelope = self._written.struct(OutcomeEnvelope if fact.TOPIC == EventTopic.OUTCOME else EventEnvelope)
        schema["properties"] = envelope["properties"] | schema["properties"]
        schema["required"] = envelope["required"] + schema["required"]
        return schema

    def _replays(self, row: TopicRow) -> Iterator[MessageSchema]:
        yield MessageSchema(REPLAYED, REPLAYED_EVENT, row, "an event that is sent again", self._replayed())
        events = {
            "description": "In the order of `seq`.",
            "type": "array",
            "items": {"$ref": f"{self._refer_to}{REPLAYED_EVENT}"},
            "minItems": 1,
            "maxItems": MOST_IN_BATCH,
        }
        batch: Schema = {
            "description": "Events that are sent again, for a request with a `batch` above 1.",
            "type": "object",
            "properties": {"events": events},
            "required": ["events"],
        }
        yield MessageSchema("reply.replayed_events", "ReplayedEvents", row, "events that are sent again", batch)

    def _replayed(self) -> Schema:
        """An event in full, and before its own fields the topic on which it went out."""
        topics = [event_topic(name) for name in EVENT_TOPICS]
        return {
            "description": "An event as it went out, with its topic before its own fields.",
            "type": "object",
            "properties": {"topic": {"description": REPLAYED_TOPIC, "enum": topics}},
            "required": ["topic"],
            "oneOf": [{"$ref": f"{self._refer_to}{fact.__name__}"} for fact in EVENTS],
        }

    # --- requests ----------------------------------------------------------------------------------------------------

    def _request(self, row: TopicRow, payload: type[msgspec.Struct]) -> Schema:
        schema = self._read.struct(payload)
        if row.act is not None:
            self._need_for_act(schema, row.act, row.role)
        return schema

    def _need_for_act(self, schema: Schema, act: type[Act], role: RequestRole | None) -> None:
        fields, required, rule = schema["properties"], schema["required"], ACTS[act]
        schema["description"] = f"{rule.name}: {rule.what}."
        if role is RequestRole.SUPERVISOR or rule.pin:
            del fields["person"]["default"]
            (pin,) = (choice for choice in fields["pin"]["anyOf"] if choice["type"] != "null")
            fields["pin"] = described(pin, fields["pin"]["description"])
            required += ["person", "pin"]
        if rule.reason:
            fields["reason"] |= {"pattern": r"\S"}
            del fields["reason"]["default"]
            required.append("reason")
        details = self._details(act)
        fields["details"] = details
        if details["required"]:
            required.append("details")

    def _details(self, act: type[Act]) -> Schema:
        schema = self._read.struct(act)
        # The topic names the act.
        tag = act.__struct_config__.tag_field
        del schema["properties"][tag]
        schema["required"].remove(tag)
        if act in _NAMES_A_CARD:
            card = {"$ref": f"{self._refer_to}Card"}
            schema["properties"]["card"] = described(card, "As it is printed: rank and suit, 9H.")
        return schema | {"additionalProperties": False}


def name_of(row: TopicRow) -> str:
    """As the schema of the row's message is called."""
    return row.key.replace("/", ".")


def camel_case(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[._]", name))


def event_name(fact: type[Fact]) -> str:
    return f"event.{fact.__struct_config__.tag}"
