"""Generates from the types in `messages/`: `asyncapi.yaml`, `schemas/`, `messages.d.ts`, the tables of `docs/mqtt.md`.

    python -m shoe_controller.mqtt.documents.asyncapi

Nothing here is used by a running table. A test fails when what is checked in differs from what this makes. The examples
come from sittings at real tables, by `python -m tests.mqtt.renew_examples`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoe_controller import messages as messages_room
from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.topics import REPLY, ROOT, STATUS, TopicKind, TopicRow, contract
from shoe_controller.mqtt.documents.json_schema import Schema
from shoe_controller.mqtt.documents.markdown_tables import with_tables
from shoe_controller.mqtt.documents.message_schemas import Messages, MessageSchema, camel_case, name_of
from shoe_controller.mqtt.documents.typescript import typescript
from shoe_controller.mqtt.documents.yaml_text import yaml_text

HERE = Path(messages_room.__file__).parent
EXAMPLES = HERE / "examples.json"
"""An example of each message, by the name of its schema."""
ADDRESS = f"{ROOT}/{{site}}/{{table}}/"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
BINDING = "0.2.0"
"""The version of AsyncAPI's bindings for MQTT."""

DESCRIPTION = """\
What a baccarat table publishes for displays, and the requests that it serves. Written from the controller's side: it \
sends retained messages, events and answers, and receives requests.

A display reads the retained messages first, then follows the events. Events are numbered by `seq` without a gap: an \
event that comes twice has the same number, and events that were missed are requested with a replay.

Fields, codes and values of enumerations may be added within a version; nothing is removed and nothing changes its \
meaning. Ignore fields that you do not know. Show a code or value that you do not know as it is written, and an alert \
of an unknown kind by its severity.

Amounts are whole minor units of the table's currency, times are milliseconds since 1970, and a card is its rank and \
suit, as 9H or TS."""

PARAMETERS = {
    "site": {"description": "The house, as the table's file names it."},
    "table": {"description": "The table, as its file names it."},
    "client": {"description": "The broker's user who sent the request: no other user may read the answers."},
    "user": {"description": "The broker's user: of the request's sender, a witness, the pit's process or an archive."},
    "name": {"description": "Chosen by the client; there may be more levels."},
}


# --- schemas ---------------------------------------------------------------------------------------------------------


def schema_files() -> dict[str, str]:
    """File names and texts of the JSON Schemas, one for each message."""
    messages, examples = Messages("#/$defs/"), _examples()
    return {
        f"{message.name}.json": _schema_file(message, messages.common, examples.get(message.name))
        for message in messages.all
    }


def _examples() -> dict[str, Any]:
    examples: dict[str, Any] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return examples


def _schema_file(message: MessageSchema, common: dict[str, Schema], example: object) -> str:
    needed = _needed(message.payload, common, {})
    schema: Schema = {"$schema": DIALECT, "$id": f"urn:shoe-controller:v1:{message.name}", "title": message.component}
    schema |= message.payload
    if example is not None:
        schema["examples"] = [example]
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
    messages, examples = Messages("#/components/schemas/"), _examples()
    payloads = {message.component: message.payload for message in messages.all}
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
            "messages": {m.component: _message(m, examples.get(m.name)) for m in messages.all},
            "parameters": PARAMETERS,
            "securitySchemes": {
                "user": {
                    "type": "userPassword",
                    "description": "A user of the broker. Its access list says what the user may read and request.",
                }
            },
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
        "host": "broker.example:8883",
        "protocol": "mqtts",
        "protocolVersion": "5.0",
        "description": "The house's broker, as `shoe-controller init` sets Mosquitto up: TLS from version 1.2 on with "
        "a certificate of the house's own authority (`ca.pem`), a password for each user, and an access list.",
        "security": [{"$ref": "#/components/securitySchemes/user"}],
        "bindings": {
            "mqtt": {
                "clientId": "shoe-controller-{site}-{table}",
                "cleanSession": True,
                "lastWill": {
                    "topic": f"{ADDRESS}{STATUS}",
                    "qos": 1,
                    "retain": True,
                    "message": "a status with online false, and the session number of the connection that was lost",
                },
                "bindingVersion": BINDING,
            }
        },
    }


def _key(row: TopicRow) -> str:
    name = camel_case(name_of(row))
    return f"{name[0].lower()}{name[1:]}"


def _of(row: TopicRow, messages: Messages) -> list[MessageSchema]:
    return [message for message in messages.all if message.row == row]


def _channel(row: TopicRow, messages: Messages) -> dict[str, Any]:
    address = row.address("{site}", "{table}", "{user}")
    return {
        "address": address,
        "description": _sentence(row.what),
        "parameters": {
            name: {"$ref": f"#/components/parameters/{name}"} for name in PARAMETERS if f"{{{name}}}" in address
        },
        "messages": {m.component: {"$ref": f"#/components/messages/{m.component}"} for m in _of(row, messages)},
    }


def _operation(row: TopicRow, messages: Messages) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "action": "receive" if row.kind is TopicKind.REQUEST else "send",
        "channel": {"$ref": f"#/channels/{_key(row)}"},
        "summary": _sentence(row.what),
        "description": _manner(row),
        "messages": [
            {"$ref": f"#/channels/{_key(row)}/messages/{message.component}"} for message in _of(row, messages)
        ],
        "bindings": {"mqtt": {"qos": 1, "retain": row.kind is TopicKind.RETAINED, "bindingVersion": BINDING}},
    }
    if row.kind is TopicKind.REQUEST:
        replays = ["ReplayedEvent", "ReplayedEvents"] if row.role is RequestRole.DISPLAY else []
        answers = ["Answer", *replays]
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
            return "Retained: a client receives it as soon as it subscribes, and again when it changes."
        case TopicKind.EVENT:
            return "Never retained, in the order of `seq`. It may come twice."
        case TopicKind.CONTROLLER:
            return "Never retained. Only the table's own user at the broker writes and reads it."
        case _:
            return "Never retain a request. The answer goes to its response topic."


def _message(message: MessageSchema, example: object) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": message.component,
        "title": message.name.replace("_", " ").replace(".", " "),
        "summary": _sentence(message.what),
        "payload": {"$ref": f"#/components/schemas/{message.component}"},
    }
    if example is not None:
        made["examples"] = [{"payload": example}]
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
            "description": f"A property of MQTT 5: {ADDRESS}{REPLY}/, your own name, and at least one more level.",
        }
    return {"type": "object", "description": "Properties of the MQTT 5 message.", "properties": fields}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


# --- files -----------------------------------------------------------------------------------------------------------


def files(project: Path) -> dict[Path, str]:
    """Everything that is generated, by its path."""
    document = project / "docs" / "mqtt.md"
    note = "# Generated by `python -m shoe_controller.mqtt.documents.asyncapi`; do not edit it.\n"
    return {
        HERE / "asyncapi.yaml": note + yaml_text(asyncapi()),
        HERE / "messages.d.ts": typescript(),
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
