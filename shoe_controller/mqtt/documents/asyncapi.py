"""Generates what is written down of the contract: `asyncapi.yaml`, `schemas/`, and the tables of `docs/mqtt.md`.

    python -m shoe_controller.mqtt.documents.asyncapi

Nothing here is used by a running table. A test fails when what is checked in differs from what this makes.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoe_controller.mqtt.contract import TopicKind, TopicRow, contract
from shoe_controller.mqtt.documents.json_schema import Schema
from shoe_controller.mqtt.documents.markdown_tables import with_tables
from shoe_controller.mqtt.documents.message_schemas import REPLAYED, Messages, MessageSchema
from shoe_controller.mqtt.documents.yaml_text import yaml_text

HERE = Path(__file__).parent.parent
ADDRESS = "shoe/v1/{site}/{table}/"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
BINDING = "0.2.0"
"""The version of AsyncAPI's bindings for MQTT."""

DESCRIPTION = """\
What a baccarat table tells its displays, and what can be asked of it. Seen from the controller: it sends what is \
retained, events and answers, and receives requests.

A display reads the retained messages first, then follows the events. Events are numbered without a gap by `seq`: one \
that comes twice has the number of one you have, and a number that is left out is asked for with \
`request/display/replay`. Fields may be added within a version: leave alone what you do not know.

Amounts are whole minor units of the table's currency, times are milliseconds since 1970, and a card is its rank and \
suit, as 9H or TS."""

PARAMETERS = {
    "site": {"description": "The house, as the table's file names it."},
    "table": {"description": "The table, as its file names it."},
    "client": {"description": "Whoever asked: the client id or the user name, so that nobody reads another's answers."},
    "name": {"description": "Whatever the asker likes; there may be more levels."},
}


# --- schemas ---------------------------------------------------------------------------------------------------------


def schema_files() -> dict[str, str]:
    """File names and texts of the JSON Schemas, one for each message."""
    messages = Messages("#/$defs/")
    return {f"{message.name}.json": _schema_file(message, messages.common) for message in messages.all}


def _schema_file(message: MessageSchema, common: dict[str, Schema]) -> str:
    needed = _needed(message.payload, common, {})
    schema: Schema = {"$schema": DIALECT, "$id": f"urn:shoe-controller:v1:{message.name}", "title": message.name}
    schema |= message.payload
    if needed:
        schema["$defs"] = {name: needed[name] for name in sorted(needed)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _needed(schema: object, common: dict[str, Schema], found: dict[str, Schema]) -> dict[str, Schema]:
    """The common schemas that a schema refers to, and those that these refer to."""
    for name in _references(schema):
        if name not in found:
            found[name] = common[name]
            _needed(common[name], common, found)
    return found


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(ref := schema.get("$ref"), str):
            yield ref.rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


# --- AsyncAPI --------------------------------------------------------------------------------------------------------


def asyncapi() -> dict[str, Any]:
    messages = Messages("#/components/schemas/")
    payloads = {message.name: message.payload for message in messages.all}
    return {
        "asyncapi": "3.0.0",
        "id": "urn:shoe-controller:v1",
        "info": {"title": "shoe-controller", "version": "1", "description": DESCRIPTION},
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": {_key(row): _channel(row, messages) for row in contract()},
        "operations": {_key(row): _operation(row, messages) for row in contract() if row.kind is not TopicKind.REPLY},
        "components": {
            "schemas": dict(sorted((messages.common | payloads).items())),
            "messages": {message.name: _message(message) for message in messages.all},
            "parameters": PARAMETERS,
            "correlationIds": {
                "correlation": {
                    "description": "The correlation data of MQTT 5: an answer carries that of its request.",
                    "location": "$message.header#/correlationData",
                }
            },
        },
    }


def _server() -> dict[str, Any]:
    return {
        "host": "broker.example:1883",
        "protocol": "mqtt",
        "protocolVersion": "5.0",
        "description": "The house's broker; usually Mosquitto, with TLS and an access list.",
        "bindings": {
            "mqtt": {
                "clientId": "shoe-controller-{site}-{table}",
                "cleanSession": True,
                "lastWill": {
                    "topic": f"{ADDRESS}status",
                    "qos": 1,
                    "retain": True,
                    "message": "a status with online false, and the session number of the connection that was lost",
                },
                "bindingVersion": BINDING,
            }
        },
    }


def _key(row: TopicRow) -> str:
    return "reply" if row.kind is TopicKind.REPLY else row.below.replace("/", ".")


def _of(row: TopicRow, messages: Messages) -> list[MessageSchema]:
    return [message for message in messages.all if message.row == row]


def _channel(row: TopicRow, messages: Messages) -> dict[str, Any]:
    address = ADDRESS + row.below
    return {
        "address": address,
        "description": _sentence(row.what),
        "parameters": {
            name: {"$ref": f"#/components/parameters/{name}"} for name in PARAMETERS if f"{{{name}}}" in address
        },
        "messages": {message.name: {"$ref": f"#/components/messages/{message.name}"} for message in _of(row, messages)},
    }


def _operation(row: TopicRow, messages: Messages) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "action": "receive" if row.kind is TopicKind.REQUEST else "send",
        "channel": {"$ref": f"#/channels/{_key(row)}"},
        "summary": _sentence(row.what),
        "description": _manner(row),
        "messages": [{"$ref": f"#/channels/{_key(row)}/messages/{message.name}"} for message in _of(row, messages)],
        "bindings": {"mqtt": {"qos": 1, "retain": row.kind is TopicKind.RETAINED, "bindingVersion": BINDING}},
    }
    if row.kind is TopicKind.REQUEST:
        answers = ["reply.answer", REPLAYED] if row.below == "request/display/replay" else ["reply.answer"]
        operation["reply"] = {
            "address": {
                "description": "The response topic of MQTT 5. Anywhere but under reply/, the request is not served.",
                "location": "$message.header#/responseTopic",
            },
            "channel": {"$ref": "#/channels/reply"},
            "messages": [{"$ref": f"#/channels/reply/messages/{name}"} for name in answers],
        }
    return operation


def _manner(row: TopicRow) -> str:
    match row.kind:
        case TopicKind.RETAINED:
            return "Retained: whoever subscribes gets it at once, and again when it changes."
        case TopicKind.EVENT:
            return "Never retained, in the order of `seq`. It may come twice."
        case _:
            return "Never retain a request. The answer goes to its response topic."


def _message(message: MessageSchema) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": message.name,
        "title": message.name.replace("_", " ").replace(".", " "),
        "summary": _sentence(message.what),
        "payload": {"$ref": f"#/components/schemas/{message.name}"},
    }
    if message.row.kind in (TopicKind.REQUEST, TopicKind.REPLY):
        made["headers"] = _headers(message.row.kind)
        made["correlationId"] = {"$ref": "#/components/correlationIds/correlation"}
    return made


def _headers(kind: TopicKind) -> Schema:
    fields: dict[str, Schema] = {
        "correlationData": {"type": "string", "description": "A property of MQTT 5. The answer carries the same."}
    }
    if kind is TopicKind.REQUEST:
        fields["responseTopic"] = {
            "type": "string",
            "description": f"A property of MQTT 5: {ADDRESS}reply/, your own name, and at least one more level.",
        }
    return {"type": "object", "description": "Properties of the MQTT 5 message.", "properties": fields}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


# --- files -----------------------------------------------------------------------------------------------------------


def files(project: Path) -> dict[Path, str]:
    """Everything that is generated, by its path."""
    document = project / "docs" / "mqtt.md"
    note = "# Generated from contract.py by `python -m shoe_controller.mqtt.documents.asyncapi`; do not edit it.\n"
    return {
        HERE / "asyncapi.yaml": note + yaml_text(asyncapi()),
        **{HERE / "schemas" / name: text for name, text in schema_files().items()},
        document: with_tables(document.read_text(encoding="utf-8")),
    }


def main() -> None:
    made = files(HERE.parent.parent)
    for old in (HERE / "schemas").glob("*.json"):
        if old not in made:
            old.unlink()
    (HERE / "schemas").mkdir(exist_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(made)} files written.\n")


if __name__ == "__main__":
    main()
