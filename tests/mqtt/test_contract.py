"""What is written down of the contract is up to date, valid, and true of real messages."""

import ast
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from shoe_controller.house.rules import read_rules
from shoe_controller.journal.records import Head
from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.codes import FAMILIES, codes_of
from shoe_controller.messages.facts import AnyFact, Fact
from shoe_controller.messages.limits import LARGEST_STAKE
from shoe_controller.messages.requests import LONGEST_USER, ActRequest, RequestRole, acts_of
from shoe_controller.messages.topics import (
    EVENT,
    EVENT_TOPICS,
    EVENTS,
    INFO,
    REPLY,
    REQUEST,
    ROADS,
    ROOT,
    ROUNDS,
    STATE,
    STATUS,
    TopicKind,
    Topics,
    contract,
)
from shoe_controller.mqtt.documents import asyncapi
from shoe_controller.mqtt.documents.json_schema import SchemaBook
from shoe_controller.mqtt.documents.message_schemas import REPLAYED, Messages, MessageSchema
from shoe_controller.mqtt.documents.yaml_text import yaml_text
from shoe_controller.mqtt.envelope import Envelopes
from shoe_controller.mqtt.retained import roads_message, state_message
from tests.mqtt import renew_examples
from tests.mqtt.every_fact import RememberedSitting, every_sitting
from tests.mqtt.schema_check import SCHEMAS, objections

PROJECT = Path(__file__).parent.parent.parent
# Every process that runs tests imports this file, and PyYAML's own parser takes a second for the document.
DOCUMENT = yaml.load((asyncapi.HERE / "asyncapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
MESSAGES = Messages("#/$defs/").all
NAMES = [message.name for message in MESSAGES]
COMPONENTS = [message.component for message in MESSAGES]
HEAD = Head(number=17, hash=b"\x0f" * 32)


@pytest.fixture(scope="module")
def sittings() -> list[RememberedSitting]:
    return every_sitting()


def as_json(message: Any) -> Any:  # noqa: ANN401 - any struct, any JSON
    return json.loads(msgspec.json.encode(message))


# --- what is checked in ----------------------------------------------------------------------------------------------


def test_what_is_checked_in_is_what_the_contract_makes() -> None:
    generated = asyncapi.files(PROJECT)
    old = [path.name for path, text in generated.items() if path.read_text(encoding="utf-8") != text]
    assert old == [], "run `python -m shoe_controller.mqtt.documents.asyncapi` and check the result in"
    assert {path for path in asyncapi.HERE.glob("schemas/*") if path not in generated} == set(), "left over"


def test_the_examples_are_what_the_sittings_give() -> None:
    given = json.loads(asyncapi.EXAMPLES.read_text(encoding="utf-8"))
    assert given == renew_examples.examples(), f"run `{renew_examples.COMMAND}` and check the result in"


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_every_message_has_an_example_that_fits_its_schema(message: MessageSchema) -> None:
    (example,) = json.loads((SCHEMAS / f"{message.name}.json").read_text(encoding="utf-8"))["examples"]
    strict = not message.name.startswith(REPLAYED)
    assert objections(message.name, example, strict=strict) == []
    assert DOCUMENT["components"]["messages"][message.component]["examples"] == [{"payload": example}]


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_valid_and_its_references_lead_somewhere(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)
    used = {reference.removeprefix("#/$defs/") for reference in references(schema)}
    assert used == set(schema.get("$defs", {}))


def references(document: object) -> Iterator[str]:
    if isinstance(document, dict):
        if isinstance(document.get("$ref"), str):
            yield document["$ref"]
        for value in document.values():
            yield from references(value)
    elif isinstance(document, list):
        for value in document:
            yield from references(value)


# --- AsyncAPI --------------------------------------------------------------------------------------------------------


def at(reference: str) -> Any:  # noqa: ANN401 - any part of the document
    found = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def test_the_yaml_holds_the_document() -> None:
    assert asyncapi.asyncapi() == DOCUMENT
    assert DOCUMENT["asyncapi"] == "3.0.0"


def test_every_reference_of_the_document_leads_somewhere() -> None:
    for reference in set(references(DOCUMENT)):
        assert reference.startswith("#/")
        assert at(reference) is not None


ENUMERATIONS = ("Phase", "AlertKind", "Severity", "Clearer", "Role", "ActName", "ReturnCause", "Winner", "Side", "Card")


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_what_has_a_few_values_is_an_enumeration(name: str) -> None:
    schema = DOCUMENT["components"]["schemas"][name]
    assert len(schema["enum"]) > 1
    assert schema["type"] == "string"


def test_every_property_of_every_message_has_a_description() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert schema["description"], name
        for at_path, field in properties(name, schema):
            assert field.get("description"), at_path


def properties(name: str, schema: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any part of a schema
    for field, inner in schema.get("properties", {}).items():
        yield f"{name}.{field}", inner
        yield from properties(f"{name}.{field}", inner)


@pytest.mark.parametrize(
    ("component", "field", "most"),
    [
        ("StateMessage", "cards", 6),
        ("PossibleAct", "hands", 2),
        ("HandOutcome", "cards", 3),
        ("CardsShown", "places", 6),
        ("RequestWagersPlace", "stakes", 100),
        ("ReplayedEvents", "events", 100),
    ],
)
def test_lists_that_have_a_limit_say_so(component: str, field: str, most: int) -> None:
    assert DOCUMENT["components"]["schemas"][component]["properties"][field]["maxItems"] == most


def test_names_of_components_are_names_in_any_language() -> None:
    components = DOCUMENT["components"]
    for name in (*components["schemas"], *components["messages"]):
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]+", name), name
    for name in (*DOCUMENT["channels"], *DOCUMENT["operations"]):
        assert re.fullmatch(r"[a-z][A-Za-z0-9]+", name), name


def test_the_server_is_the_one_that_init_sets_up() -> None:
    server = DOCUMENT["servers"]["broker"]
    configuration = (PROJECT / "deploy" / "mosquitto" / "shoe-controller.conf").read_text(encoding="utf-8")
    assert server["host"].endswith(re.findall(r"(?m)^listener (\d+)$", configuration)[0])
    assert server["protocol"] == "mqtts"
    assert [at(scheme["$ref"])["type"] for scheme in server["security"]] == ["userPassword"]


def test_every_topic_is_a_channel_with_its_parameters_and_messages() -> None:
    channels = DOCUMENT["channels"]
    assert [channel["address"] for channel in channels.values()] == [
        row.address("{site}", "{table}", "{user}") for row in contract()
    ]
    for channel in channels.values():
        assert set(channel["parameters"]) == set(re.findall(r"{(\w+)}", channel["address"]))
        assert channel["messages"]
    carried = [name for channel in channels.values() for name in channel["messages"]]
    assert sorted(carried) == sorted(COMPONENTS)
    assert sorted(DOCUMENT["components"]["messages"]) == sorted(COMPONENTS)


def test_every_topic_but_the_replies_is_an_operation() -> None:
    operations = DOCUMENT["operations"]
    assert set(operations) == set(DOCUMENT["channels"]) - {"reply"}
    for row in contract():
        if row.kind is TopicKind.REPLY:
            continue
        operation = next(o for o in operations.values() if at(o["channel"]["$ref"])["address"].endswith(row.below))
        assert operation["action"] == ("receive" if row.kind is TopicKind.REQUEST else "send")
        channel = at(operation["channel"]["$ref"])
        assert channel["address"].endswith(f"/{row.below}")
        # AsyncAPI wants an operation's messages to be those of its own channel.
        prefix = f"{operation['channel']['$ref']}/messages/"
        assert [m["$ref"].removeprefix(prefix) for m in operation["messages"]] == list(channel["messages"])
        assert operation["bindings"]["mqtt"] == {
            "qos": 1,
            "retain": row.kind is TopicKind.RETAINED,
            "bindingVersion": "0.2.0",
        }


def test_every_request_has_a_reply_by_response_topic_and_correlation_data() -> None:
    for name, operation in DOCUMENT["operations"].items():
        assert ("reply" in operation) == name.startswith("request")
        if "reply" not in operation:
            continue
        assert operation["reply"]["address"]["location"] == "$message.header#/responseTopic"
        message = at(at(operation["messages"][0]["$ref"])["$ref"])
        assert set(message["headers"]["properties"]) == {"correlationData", "responseTopic"}
        assert at(message["correlationId"]["$ref"])["location"] == "$message.header#/correlationData"


def test_the_schemas_of_the_document_are_valid_in_the_draft_that_asyncapi_takes_them_for() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft7Validator.check_schema(schema)


TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], include_characters="\n\t"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(JSON)
def test_whatever_is_written_as_yaml_is_read_as_the_same(value: object) -> None:
    assert yaml.safe_load(yaml_text(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "No",
        "null",
        "1",
        "1e3",
        "0x1f",
        "2026-11-16",
        "a: b",
        "a #b",
        "- a",
        "",
        "~",
        "=",
        "on",
        "NaN",
        "a\nb",
        "é",
    ],
)
def test_a_text_that_looks_like_something_else_stays_a_text(text: str) -> None:
    assert yaml.safe_load(yaml_text({text: [text, {text: text}]})) == {text: [text, {text: text}]}


# --- the contract itself ---------------------------------------------------------------------------------------------


def test_every_fact_has_its_topic_and_is_explained() -> None:
    every = set(AnyFact.__args__)
    assert set(EVENTS) == every
    assert {fact.TOPIC for fact in every} == set(EVENT_TOPICS)
    carried = [fact for row in contract() if row.kind is TopicKind.EVENT for fact in row.payloads]
    assert len(carried) == len(every)
    assert set(carried) == every


def test_every_act_can_be_asked_for_and_a_dealers_by_both() -> None:
    dealer, supervisor = acts_of(RequestRole.DEALER), acts_of(RequestRole.SUPERVISOR)
    assert {*dealer.values(), *supervisor.values()} == set(ACTS)
    assert acts_of(RequestRole.WAGERS) == acts_of(RequestRole.DISPLAY) == {}


def test_no_two_topics_are_alike() -> None:
    topics = [row.below for row in contract()]
    assert len(set(topics)) == len(topics)


REPLIES = Topics("north", "t1").prefix + "/reply/"


@pytest.mark.parametrize("topic", [f"{REPLIES}board/1", f"{REPLIES}board/a/b/c", f"{REPLIES}board/ "])
def test_an_answer_may_go_below_the_reply_topic_of_its_user(topic: str) -> None:
    assert Topics("north", "t1").is_reply(topic, "board")


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "reply/board/1",
        REPLIES,
        f"{REPLIES}board",
        f"{REPLIES}board/",
        f"{REPLIES}/1",
        f"{REPLIES}board2/1",
        f"{REPLIES}pit/1",
        f"{REPLIES}+/1",
        f"{REPLIES}board/#",
        f"x{REPLIES}board/1",
        "shoe/v1/north/t1/event/outcome",
        "shoe/v1/north/t1/replyx/board/1",
        "shoe/v1/north/t2/reply/board/1",
        "$SYS/reply/board/1",
    ],
)
def test_an_answer_may_go_nowhere_else(topic: str) -> None:
    assert not Topics("north", "t1").is_reply(topic, "board")


def written_topics(program: str) -> Iterator[str]:
    """Strings in a program that are a topic or a part of one, and retained topics that something is compared with."""
    levels = (f"{ROOT}/", *(f"{level}/" for level in (EVENT, REQUEST, REPLY)))
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Compare):
            sides = [side.value for side in (node.left, *node.comparators) if isinstance(side, ast.Constant)]
            yield from (side for side in sides if side in (STATUS, INFO, STATE, ROADS, ROUNDS))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.removeprefix("/")
            yield from [node.value] if text.startswith(levels) and " " not in text else []


def test_topics_are_written_in_the_contract_alone() -> None:
    assert list(written_topics('if below == "status" or topic == f"{prefix}/event/card": pass')) == [
        "status",
        "/event/card",
    ]
    room = PROJECT / "shoe_controller"
    programs = [path for path in room.rglob("*.py") if path != room / "messages" / "topics.py"]
    written = {path.name: list(written_topics(path.read_text(encoding="utf-8"))) for path in programs}
    assert {name: topics for name, topics in written.items() if topics} == {}


def test_a_request_is_known_by_its_topic_under_this_table_alone() -> None:
    topics = Topics("north", "t1")
    assert topics.read_request(topics.request(RequestRole.DEALER, "anita", "confirm")) == ("dealer", "anita", "confirm")
    for other in (
        "dealer/anita/confirm",
        "shoe/v1/north/t2/request/dealer/anita/confirm",
        "shoe/v1/north/t1/request/dealer/confirm",
        "shoe/v1/north/t1/request/dealer//confirm",
        f"shoe/v1/north/t1/request/dealer/{'a' * (LONGEST_USER + 1)}/confirm",
        "",
    ):
        assert topics.read_request(other) is None


# --- real messages ---------------------------------------------------------------------------------------------------


def message_of(fact: Fact) -> dict[str, Any]:
    """As it is published."""
    message = Envelopes("a1b2").message(
        seq=fact.seq,
        topic=f"event/{fact.TOPIC}",
        shoe=fact.shoe,
        round_number=fact.round,
        head=HEAD,
        body=msgspec.json.encode(fact),
    )
    decoded: dict[str, Any] = msgspec.json.decode(message.payload)
    return decoded


def test_the_sittings_say_everything_that_a_table_can_say(sittings: list[RememberedSitting]) -> None:
    assert {type(fact) for sitting in sittings for fact in sitting.facts} == set(AnyFact.__args__)


def test_every_event_fits_its_schema_and_has_no_field_that_is_not_in_it(sittings: list[RememberedSitting]) -> None:
    for fact in (fact for sitting in sittings for fact in sitting.facts):
        message = message_of(fact)
        assert objections(f"event.{message['fact']}", message, strict=True) == []
        again = {"topic": f"event/{fact.TOPIC}"} | message
        assert objections("reply.replayed_event", again) == []
        assert objections("reply.replayed_event", message) != []


def test_every_state_and_its_roads_fit_their_schemas(sittings: list[RememberedSitting]) -> None:
    for state in (state for sitting in sittings for state in sitting.states):
        assert objections("state", as_json(state_message(state, "j1", read_rules)), strict=True) == []
        assert objections("roads", as_json(roads_message(state, "j1")), strict=True) == []


WRONG: tuple[Any, ...] = ({"wrong": "type"}, [], "wrong", 1.5, None, True)


def test_a_message_with_a_missing_field_or_one_of_a_wrong_type_does_not_fit(
    sittings: list[RememberedSitting],
) -> None:
    examples = {type(fact): message_of(fact) for sitting in sittings for fact in sitting.facts}
    for message in examples.values():
        name = f"event.{message['fact']}"
        for field in message:
            assert objections(name, {key: value for key, value in message.items() if key != field}) != []
            refused = [objections(name, message | {field: wrong}) != [] for wrong in WRONG]
            # A field may be a text, or empty; it is never all of these.
            assert sum(refused) >= 3, (name, field)


def test_a_card_that_is_none_does_not_fit(sittings: list[RememberedSitting]) -> None:
    message = next(
        message_of(f) for sitting in sittings for f in sitting.facts if message_of(f)["fact"] == "card_dealt"
    )
    for card in ("1H", "9h", "10H", "", "9H ", 9):
        assert objections("event.card_dealt", message | {"place": message["place"] | {"card": card}}) != []


# --- requests --------------------------------------------------------------------------------------------------------

ACT_ROWS = [row for row in contract() if row.act is not None]
USUAL = {"request_id": "r1", "shoe": 1, "round": 1}
WITH_PIN = {"person": "ann", "pin": "1234", "reason": "as seen"}
DETAILS: dict[str, dict[str, Any]] = {
    "clear_alert": {"alert": 1},
    "identify_card": {"number": 2, "card": "9H"},
    "correct_card": {"number": 2, "card": "9H"},
    "assign_cards": {"cards": [{"hand": "player"}]},
    "discard_card": {"number": 2, "cause": "face_up", "card": None},
    "set_wager": {"seat": "1", "wager": "base.player", "stake": 50},
    "move_wager": {"seat": "1", "wager": "base.player", "to_seat": "2"},
    "amend_round": {"shoe": 1, "round": 2},
    "enter_card": {"number": 2},
    "count_remainder": {"cards": 83},
    "close_dispute": {"dispute": 1},
    "adjust": {"seat": "1", "amount": -50},
    "collect_commission": {"seat": "1"},
    "waive_commission": {"seat": "1", "shoe": 2},
    "approve": {"proposal": 1},
    "withdraw": {"proposal": 1},
}
WITHOUT_DETAILS = {"reveal_cards", "use_extra_card", "note", "open_dispute", "deal_card"}
"""Acts whose fields can all be left out."""


@pytest.mark.parametrize("row", ACT_ROWS, ids=lambda row: row.below)
def test_a_request_for_an_act_must_have_what_the_act_needs(row: Any) -> None:  # noqa: ANN401 - a TopicRow
    name, act = row.key.replace("/", "."), row.below.rpartition("/")[2]
    request = USUAL | WITH_PIN
    if act in DETAILS:
        request["details"] = DETAILS[act]
    assert objections(name, request) == []
    msgspec.convert(request, ActRequest)
    needed = {"request_id", "shoe", "round"}
    needed |= {"details"} if act in DETAILS else set()
    needed |= {"reason"} if ACTS[row.act].reason else set()
    needed |= {"person", "pin"} if row.below.startswith("request/supervisor") or ACTS[row.act].pin else set()
    for field in request:
        without = {key: value for key, value in request.items() if key != field}
        assert bool(objections(name, without)) == (field in needed), field
    assert objections(name, request | {"details": DETAILS.get(act, {}) | {"more": 1}}) != []
    assert objections(name, request | {"more": 1}) != []
    assert objections(name, request | {"request_id": ""}) != []
    assert objections(name, request | {"request_id": "r" * 81}) != []


def test_the_details_of_every_act_with_fields_are_tried_above() -> None:
    with_fields = {rule.name for act, rule in ACTS.items() if msgspec.structs.fields(act)}
    assert with_fields - WITHOUT_DETAILS == set(DETAILS)
    assert objections("request.dealer.deal_card", USUAL | {"details": {"card": "9H"}}) == []
    assert objections("request.dealer.deal_card", USUAL | {"details": {"card": "9X"}}) != []
    assert objections("request.dealer.deal_card", USUAL | {"details": {"card": None}}) == []
    face_down = {"number": 2, "card": None}
    for act, may_be_null in (("identify_card", False), ("correct_card", False), ("enter_card", True)):
        assert (objections(f"request.supervisor.{act}", USUAL | WITH_PIN | {"details": face_down}) == []) is may_be_null
    of_round = {"details": {"shoe": 1, "round": 2, "seat": None}}
    assert objections("request.supervisor.open_dispute", USUAL | WITH_PIN | of_round) == []
    assert objections("request.supervisor.open_dispute", USUAL | WITH_PIN | {"details": {"round": 0}}) != []
    too_much = {"details": {"seat": "1", "amount": LARGEST_STAKE + 1}}
    assert objections("request.supervisor.adjust", USUAL | WITH_PIN | too_much) != []
    assert objections("request.dealer.reveal_cards", USUAL | {"details": {"hand": "banker"}}) == []
    assert objections("request.dealer.reveal_cards", USUAL | {"details": {"hand": "both"}}) != []


def test_wagers_and_replays_are_asked_for_as_their_schemas_say() -> None:
    stake = {"wager": "base.tie", "stake": 0}
    wagers = USUAL | {"seat": "1", "stakes": [stake]}
    assert objections("request.wagers.place", wagers) == []
    for stakes in ([], [{"wager": "base.tie", "stake": 0.5}], [stake] * 101):
        assert objections("request.wagers.place", wagers | {"stakes": stakes}) != []
    replay = {"request_id": "r1", "after": 0}
    assert objections("request.display.replay", replay) == []
    for wrong in ({"after": -1}, {"limit": 0}, {"limit": 100_001}, {"batch": 0}, {"batch": 101}, {"shoe": 1}):
        assert objections("request.display.replay", replay | wrong) != []


# --- codes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_every_code_is_told_apart_by_its_name_and_listed_in_the_document(family: str) -> None:
    codes = codes_of(family)
    assert len(codes) == len(FAMILIES[family].__args__)
    document = (PROJECT / "docs" / "mqtt.md").read_text(encoding="utf-8")
    listed = document.partition(f"<!-- {family} -->")[2].partition("<!-- end -->")[0]
    assert [line.split("`")[1] for line in listed.splitlines()[3:]] == list(codes)


def test_every_code_is_made_somewhere() -> None:
    """One that nothing makes is a promise that nobody keeps; those of earlier journals are made when one is read."""
    sources = [path for path in (PROJECT / "shoe_controller").rglob("*.py") if path.parent.name != "messages"]
    program = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    called = set(re.findall(r"\b(\w+)\(", program))
    codes = [code for family in FAMILIES for code in codes_of(family).values()]
    promised = [code for code in codes if f'"{code.__struct_config__.tag}"' not in program]
    assert {code.__name__ for code in promised} - called == set()


# --- making schemas --------------------------------------------------------------------------------------------------


class Odd(msgspec.Struct):
    when: Fraction


def two_results() -> list[type[msgspec.Struct]]:
    return [msgspec.defstruct("Result", [(field, int)]) for field in ("of_round", "of_wager")]


def test_a_type_that_has_no_schema_is_not_passed_over() -> None:
    with pytest.raises(TypeError, match="Fraction"):
        SchemaBook([Odd], "#/$defs/", written=True)


def test_two_types_with_one_name_are_not_mixed_up() -> None:
    with pytest.raises(TypeError, match="two types are called Result"):
        SchemaBook(two_results(), "#/$defs/", written=True)
