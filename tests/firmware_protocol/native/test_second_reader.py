"""The page says enough: a codec written from PROTOCOL.md alone meets every vector, both ways.

`second_reader` shares no code with the product, and is the judge of the vectors; the shoe in C is held against them and
the product's controller in `test_c_shoe`.
"""

import inspect
import re
import sys

import pytest

from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.second_reader import Fields, Line
from tests.firmware_protocol.native.second_trials import Overheard
from tests.firmware_protocol.native.second_vectors import (
    CONVERSATIONS,
    TYPES,
    VECTORS,
    all_frames,
    fields_of,
    frames_of_trials,
    title,
)


def test_it_shares_nothing_with_the_product() -> None:
    imported = re.findall(r"^\s*(?:from|import) (\S+)", inspect.getsource(second), re.MULTILINE)
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "vector", [*VECTORS["framing"], *all_frames(), *frames_of_trials(), *VECTORS["refused"]], ids=title
)
def test_the_bytes_on_the_wire_are_those_of_the_vectors(vector: Fields) -> None:
    body, wire = bytes.fromhex(vector["body"]), bytes.fromhex(vector["wire"])
    assert second.framed(body) == wire
    assert second.unframed(wire[:-1]) == body


@pytest.mark.parametrize("vector", VECTORS["bad_framing"], ids=title)
def test_what_is_no_frame_is_dropped_and_the_next_frame_is_heard(vector: Fields) -> None:
    garbage = bytes.fromhex(vector["between_zeros"])
    with pytest.raises(second.NotAFrameError):
        second.unframed(garbage)
    line = Line()
    assert list(line.bodies(garbage + b"\0" + second.framed(b"\x81"))) == [b"\x81"]
    assert line.errors == 1


def test_240_bytes_are_the_longest_body() -> None:
    longest = bytes(range(1, 241))
    assert list(Line().bodies(second.framed(longest))) == [longest]
    with pytest.raises(second.NotAFrameError):
        second.framed(longest + b"x")


@pytest.mark.parametrize("vector", VECTORS["events"], ids=title)
def test_events_are_those_of_the_vectors(vector: Fields) -> None:
    said = bytes.fromhex(vector["bytes"])
    assert second.event_bytes(vector["event"]) == said
    assert second.event_fields(said) == vector["event"]
    assert second.event_fields(said + b"of a later version") == vector["event"]


def test_the_vectors_have_every_kind_and_every_type() -> None:
    assert {bytes.fromhex(vector["bytes"])[0] for vector in VECTORS["events"]} == set(second.EVENTS)
    assert {frame["type"] for frame in all_frames()} == set(TYPES)
    assert {bytes.fromhex(frame["body"])[0] for frame in all_frames()} == set(second.MESSAGES)


@pytest.mark.parametrize(
    "frame", [frame for frame in all_frames() if frame["type"] not in {"PROOF", "CHALLENGE"}], ids=title
)
def test_messages_are_those_of_the_vectors(frame: Fields) -> None:
    type_, body = TYPES[frame["type"]], bytes.fromhex(frame["body"])
    said = body if second.is_bare(type_) else body[9:-8]
    assert second.message_bytes(type_, fields_of(frame)) == said
    assert second.message_fields(type_, said) == fields_of(frame)
    assert second.is_from_shoe(type_) == (frame["from"] == "shoe")


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_tags_and_seals_are_those_of_the_vectors(name: str) -> None:
    """Each frame is made from its fields and opened as its receiver would, with the keys of the handshake."""
    key = bytes.fromhex(VECTORS[name]["key"])
    challenge = b""
    taken = {"shoe": 0, "controller": 0}
    for frame in VECTORS[name]["frames"]:
        type_, body, sender = TYPES[frame["type"]], bytes.fromhex(frame["body"]), frame["from"]
        said = second.message_bytes(type_, fields_of(frame))
        if type_ == second.CHALLENGE:
            challenge = said
            assert said + second.shoe_tag(key, challenge) == body
            assert second.message_fields(type_, body[:-16]) == fields_of(frame)
        elif type_ == second.PROOF:
            assert said + second.controller_tag(key, challenge, said) == body
            assert second.message_fields(type_, body[:-16]) == fields_of(frame)
        elif not second.is_bare(type_):
            session_key = (second.key_from_shoe if sender == "shoe" else second.key_to_shoe)(key, challenge)
            counter = frame["says"]["counter"]
            assert second.sealed(session_key, type_, counter, said) == body
            assert second.opened(session_key, body, taken[sender]) == (counter, said)
            taken[sender] = counter
    assert taken["shoe"]
    assert taken["controller"]


@pytest.mark.parametrize("trial", VECTORS["trials"], ids=title)
def test_trials_are_what_they_say_and_what_nobody_can_read_cannot_be_read(trial: Fields) -> None:
    overheard = Overheard(trial)
    for frame in trial["frames"]:
        overheard.hear(frame)
    assert overheard.sessions == 1


def test_keys_are_those_of_the_vectors() -> None:
    keys = {name: bytes.fromhex(value) for name, value in VECTORS["keys"].items()}
    key, challenge, proof = keys["key"], keys["challenge"], keys["proof"]
    assert second.shoe_tag(key, challenge) == keys["shoe_tag"]
    assert second.controller_tag(key, challenge, proof) == keys["controller_tag"]
    assert second.key_from_shoe(key, challenge) == keys["key_from_shoe"]
    assert second.key_to_shoe(key, challenge) == keys["key_to_shoe"]


@pytest.mark.parametrize("vector", VECTORS["not_understood"], ids=title)
def test_events_that_are_not_understood_become_what_the_vectors_say(vector: Fields) -> None:
    assert second.event_fields(bytes.fromhex(vector["bytes"])) == vector["becomes"]


def test_boot_ids_and_nonces_without_a_random_source_are_those_of_the_vectors() -> None:
    vectors = VECTORS["without_random_source"]
    key, serial_number = bytes.fromhex(vectors["key"]), vectors["serial_number"]
    for vector in vectors["boot_ids"]:
        assert second.boot_id_without_random_source(key, serial_number, vector["power_ups"]) == vector["boot_id"]
    for vector in vectors["nonces"]:
        made = second.nonce_without_random_source(key, vector["power_ups"], vector["count"])
        assert made == bytes.fromhex(vector["nonce"])


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_every_challenge_is_believed(name: str) -> None:
    """Also with reserved flags, which the shoe sends back as 0."""
    frames = {frame["type"]: bytes.fromhex(frame["body"]) for frame in VECTORS[name]["frames"]}
    key, hello, challenge = bytes.fromhex(VECTORS[name]["key"]), frames["HELLO"], frames["CHALLENGE"]
    for asked in (hello, hello[:3] + bytes([hello[3] | 0xFE]) + hello[4:]):
        assert second.believed_challenge(key, asked, challenge)["boot_id"] == 0x00C0FFEE


REASONS = {
    "changed CHALLENGE: the tag does not fit its boot id": "tag",
    "changed CHALLENGE: the tag is wrong": "tag",
    "CHALLENGE that answers another HELLO: byte 6": "hello",
    "CHALLENGE with a version that the rule does not give": "version",
    "CHALLENGE with a boot id of 0": "boot id",
}


def _refused_by_nothing_but_its_tag_or_counter(vector: Fields, sender: str) -> str:
    """The second reader's reason; `sender` is who seems to have sent it."""
    frames = VECTORS["conversation"]["frames"][: vector["after"]]
    last = max(frame["says"].get("counter", 0) for frame in frames if frame["from"] == sender)
    key, challenge = (bytes.fromhex(VECTORS["keys"][name]) for name in ("key", "challenge"))
    session_key = (second.key_from_shoe if sender == "shoe" else second.key_to_shoe)(key, challenge)
    body = bytes.fromhex(vector["body"])
    assert (int.from_bytes(body[1:9], "big") <= last) == vector["why"].startswith("replayed")
    with pytest.raises(second.RefusedError) as refused:
        second.opened(session_key, body, last)
    return str(refused.value)


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=title)
def test_refused_frames_are_refused_for_their_reason(vector: Fields) -> None:
    body, why = bytes.fromhex(vector["body"]), vector["why"]
    sender = "controller" if vector["by"] == "shoe" else "shoe"
    if second.is_from_shoe(body[0]) == (vector["by"] == "shoe"):
        assert why.startswith("reflected"), "dropped for its type alone, before anybody looks at its tag"
    elif body[0] == second.CHALLENGE:
        hello = next(frame["body"] for frame in VECTORS["conversation"]["frames"] if frame["type"] == "HELLO")
        with pytest.raises(second.RefusedError, match=f"^{REASONS[why]}$"):
            second.believed_challenge(bytes.fromhex(VECTORS["keys"]["key"]), bytes.fromhex(hello), body)
    elif body[0] == second.PROOF:
        key, challenge = (bytes.fromhex(VECTORS["keys"][name]) for name in ("key", "challenge"))
        assert second.controller_tag(key, challenge, body[:-16]) != body[-16:]
        assert body[:17] == bytes.fromhex(VECTORS["keys"]["proof"])[:17], "it answers the CHALLENGE"
    else:
        expected = "counter" if why.startswith("replayed") else "tag"
        assert _refused_by_nothing_but_its_tag_or_counter(vector, sender) == expected
