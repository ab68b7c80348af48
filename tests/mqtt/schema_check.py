"""Validates messages against the checked-in schemas, as a display builder's own tests would."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from shoe_controller.mqtt.documents.asyncapi import HERE

SCHEMAS = HERE / "schemas"


@cache
def validator(name: str, *, strict: bool = False) -> Draft202012Validator:
    """For a message by name; a strict one also objects to fields that the schema does not tell of."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return Draft202012Validator(_closed(schema) if strict else schema)


def objections(name: str, message: Any, *, strict: bool = False) -> list[str]:  # noqa: ANN401 - any JSON
    found = validator(name, strict=strict).iter_errors(message)
    return [f"{name} {error.json_path}: {error.message[:300]}" for error in found]


def name_of(below: str, message: dict[str, Any]) -> str:
    """Which schema is for a message, by its topic below the table's own, and by what it holds."""
    if below.startswith("event/"):
        return f"event.{message['fact']}"
    if below.startswith("reply/"):
        replayed = "reply.replayed_events" if "events" in message else "reply.answer"
        return "reply.replayed_event" if "fact" in message else replayed
    if below.startswith("request/"):
        role, _user, name = below.removeprefix("request/").split("/")
        return f"request.{role}.{name}"
    return below.replace("/", ".")


def _closed(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(item) for key, item in schema.items()}
    if "properties" in schema and isinstance(schema.get("required"), list):
        closed.setdefault("additionalProperties", False)
    return closed
