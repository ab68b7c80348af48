"""`vectors.json` is what our ends say today, and what `PROTOCOL.md` says they must: nobody's firmware breaks unseen."""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

import firmware_protocol.native
from firmware_protocol.events import AnyShoeEvent, FaultCode
from firmware_protocol.link import Delivery, EventGap, LineError, LinkReport, LinkUp, Refused
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.event_layouts import FAULTS, decode_event, encode_event
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.messages import FrameType
from firmware_protocol.native.progress import LastCommitted
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import EventStoreFullError, ShoeStore, StoredEvent
from tests.firmware_protocol.native import make_vectors, vector_talks
from tests.firmware_protocol.native.line import bodies

VECTORS: dict[str, Any] = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))
DOCUMENT = (Path(firmware_protocol.native.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")


def test_the_file_is_up_to_date() -> None:
    """If this is meant: `python -m tests.firmware_protocol.native.make_vectors`, and look at what has changed."""
    assert make_vectors.FILE.read_text(encoding="utf-8") == make_vectors.text()


def keyed(key: str, label: bytes, *parts: str) -> str:
    """The formula of the document, spelled out: nothing of our own code is used."""
    return hashlib.blake2s(label + bytes.fromhex("".join(parts)), key=bytes.fromhex(key)).hexdigest()


def test_keys_and_tags_follow_the_documents_formulas() -> None:
    keys = VECTORS["keys"]
    key, challenge, proof = keys["key"], keys["challenge"], keys["proof"]
    assert keys["shoe_tag"] == keyed(key, b"SHOE-TAG", challenge)[:32]
    assert keys["controller_tag"] == keyed(key, b"CTRL-TAG", challenge, proof)[:32]
    assert keys["key_from_shoe"] == keyed(key, b"SHOE-KEY", challenge)
    assert keys["key_to_shoe"] == keyed(key, b"CTRL-KEY", challenge)
    frames = VECTORS["conversation"]["frames"]
    assert [shown["body"] for shown in frames if shown["type"] == "CHALLENGE"] == [challenge + keys["shoe_tag"]]
    assert [shown["body"] for shown in frames if shown["type"] == "PROOF"] == [proof + keys["controller_tag"]]
    counters = {"shoe": count(1), "controller": count(1)}
    for shown in frames:
        if int(shown["body"][:2], 16) & 0x70:
            own = keys["key_from_shoe"] if shown["from"] == "shoe" else keys["key_to_shoe"]
            assert shown["body"][-16:] == keyed(own, b"", shown["body"][:-16])[:16]
            assert int(shown["body"][2:18], 16) == next(counters[shown["from"]])


def test_every_frame_on_the_wire_carries_its_body() -> None:
    shown = [*VECTORS["framing"], *VECTORS["refused"]]
    shown += [frame for name in ("conversation", "unrecognised", "insecure") for frame in VECTORS[name]["frames"]]
    shown += [frame for trial in VECTORS["trials"] for frame in trial["frames"]]
    shown += [half for pair in VECTORS["rejected"] for half in (pair["hello"], pair["reject"])]
    shown += [half for pair in VECTORS["answered"] for half in (pair["said"], pair["answer"])]
    for frame in shown:
        assert FrameReader().feed(bytes.fromhex(frame["wire"])) == [bytes.fromhex(frame["body"])]


@pytest.mark.parametrize("bad", VECTORS["bad_framing"], ids=lambda bad: bad["why"])
def test_bad_framing_is_a_line_error(bad: dict[str, str]) -> None:
    (error,) = FrameReader().feed(bytes.fromhex(bad["between_zeros"]) + b"\0")
    assert isinstance(error, LineError)


def test_every_kind_of_event_is_there_and_comes_back() -> None:
    for shown in VECTORS["events"]:
        event: AnyShoeEvent = msgspec.convert(shown["event"], AnyShoeEvent)
        encoded = bytes.fromhex(shown["bytes"])
        assert encode_event(event) == encoded
        assert decode_event(encoded[0], encoded[1:]) == event
    assert {shown["event"]["event"] for shown in VECTORS["events"]} == {
        kind.__struct_config__.tag for kind in AnyShoeEvent.__args__
    }


def test_every_type_of_frame_is_there() -> None:
    shown = [*VECTORS["conversation"]["frames"], *(pair["reject"] for pair in VECTORS["rejected"])]
    assert {frame["type"] for frame in shown} == {frame_type.name for frame_type in FrameType}


def controller_of(talk: dict[str, Any]) -> NativeController:
    link = NativeController(
        key=bytes.fromhex(talk["key"]),
        nonce=lambda: bytes.fromhex(talk["controller_nonce"]),
        last_committed=LastCommitted(**talk["stored_last"]),
    )
    link.connected(0.25)
    return link


def test_a_controller_that_hears_the_shoes_half_says_the_other_and_refuses_the_forged() -> None:
    talk = VECTORS["conversation"]
    link = controller_of(talk)
    found: list[Delivery | LinkReport] = []
    for place, shown in enumerate([*talk["frames"], None]):
        for refused in VECTORS["refused"]:
            if refused["by"] == "controller" and refused["after"] == place:
                before = sum(link.counts.refused.values())
                reports = link.receive(bytes.fromhex(refused["wire"]), 0.25)
                assert all(isinstance(item, Refused) for item in reports)
                assert sum(link.counts.refused.values()) == before + 1, refused["why"]
        if shown is not None and shown["from"] == "shoe" and not shown["lost"]:
            found += link.receive(bytes.fromhex(shown["wire"]), shown["t"])
    proof = next(shown["wire"] for shown in talk["frames"] if shown["type"] == "PROOF")
    assert bytes.fromhex(proof) in link.to_send()
    assert isinstance(found[0], LinkUp)
    assert [item.sequence for item in found[1:] if isinstance(item, Delivery)] == [41, 42, 43, 44]
    assert len(found) == 5, "no gap, no refusal of what the shoe sent"


def shoe_of(talk: dict[str, Any]) -> NativeShoe:
    """As it is powered up, with what it kept."""
    keeps = talk["shoe_keeps"]
    held = [
        StoredEvent(sequence=event["sequence"], boot_id=event["boot_id"], happened=0.0, event=decoded(event["bytes"]))
        for event in keeps["held"]
    ]
    store = ShoeStore(
        events=held,
        next_sequence=keeps["next"],
        card_total=keeps["total"],
        capacity=keeps.get("places", 1024),
        acknowledged_boot_id=keeps["acknowledged"]["boot_id"],
        acknowledged_sequence=keeps["acknowledged"]["sequence"],
    )
    nonces = iter(talk["shoe_nonces"] if "shoe_nonces" in talk else [talk["shoe_nonce"]])
    key = bytes.fromhex(talk["key"])
    shoe = NativeShoe(
        identity=vector_talks.SHOE, store=store, nonce=lambda: bytes.fromhex(next(nonces)), now=0.0, key=key
    )
    shoe.connected(0.0)
    return shoe


def decoded(said: str) -> AnyShoeEvent:
    return decode_event(int(said[:2], 16), bytes.fromhex(said[2:]))


def replayed(shoe: NativeShoe, talk: dict[str, Any], to_refuse: list[dict[str, Any]]) -> list[str]:
    """What the shoe says when it hears the controller's half, with frames to be refused at their places."""
    now = 0.0
    said: list[str] = []
    happens = list(talk["happens"])
    for place, shown in enumerate([*talk["frames"], None]):
        for refused in to_refuse:
            if refused["by"] == "shoe" and refused["after"] == place:
                before = sum(shoe.counts.refused.values())
                shoe.receive(bytes.fromhex(refused["wire"]), now)
                assert sum(shoe.counts.refused.values()) == before + 1, refused["why"]
        if shown is None:
            break
        now = shown["t"]
        shoe.tick(now)
        while happens and happens[0]["t"] <= now:
            with suppress(EventStoreFullError):
                shoe.report(decoded(happens.pop(0)["bytes"]), now)
        if shown["from"] == "controller":
            shoe.receive(bytes.fromhex(shown["wire"]), now)
        said += [body.hex() for body in bodies(shoe.to_send())]
    return said


def shoes_half(talk: dict[str, Any]) -> list[str]:
    return [shown["body"] for shown in talk["frames"] if shown["from"] == "shoe"]


def test_a_shoe_that_hears_the_controllers_half_says_the_other_and_refuses_the_forged() -> None:
    talk = VECTORS["conversation"]
    shoe = shoe_of(talk)
    assert replayed(shoe, talk, VECTORS["refused"]) == shoes_half(talk)
    for pair in VECTORS["answered"]:
        shoe.receive(bytes.fromhex(pair["said"]["wire"]), pair["t"])
        assert [body.hex() for body in bodies(shoe.to_send())] == [pair["answer"]["body"]], pair["why"]


@pytest.mark.parametrize("trial", VECTORS["trials"], ids=lambda trial: trial["why"])
def test_a_shoe_answers_every_trial_byte_for_byte(trial: dict[str, Any]) -> None:
    assert replayed(shoe_of(trial), trial, []) == shoes_half(trial)


def test_a_controller_that_is_not_recognised_reports_a_gap_and_takes_every_event() -> None:
    link = controller_of(VECTORS["unrecognised"])
    found: list[Delivery | LinkReport] = []
    for shown in VECTORS["unrecognised"]["frames"]:
        if shown["from"] == "shoe" and not shown["lost"]:
            found += link.receive(bytes.fromhex(shown["wire"]), shown["t"])
    assert isinstance(found[1], EventGap)
    assert (found[1].expected, found[1].received) == (8, 40)
    assert [item.sequence for item in found if isinstance(item, Delivery)] == [40, 41, 42]


@pytest.mark.parametrize("shown", VECTORS["not_understood"], ids=lambda shown: shown["why"])
def test_an_event_that_is_not_understood_becomes_what_the_file_says(shown: dict[str, Any]) -> None:
    said = bytes.fromhex(shown["bytes"])
    assert msgspec.to_builtins(decode_event(said[0], said[1:])) == shown["becomes"]


# --- the document ----------------------------------------------------------------------------------------------


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading of the document."""
    section = DOCUMENT.partition(heading)[2]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.group().splitlines()[2:]]


def test_the_documents_table_of_frames_is_the_codes() -> None:
    listed = {row[1]: (int(row[0], 16), row[2], row[3].startswith("sealed")) for row in rows("## 2. Frames")}
    assert listed == {
        kind.name: (kind.value, "shoe" if kind & 0x80 else "controller", bool(kind & 0x70)) for kind in FrameType
    }


def test_the_documents_table_of_events_is_the_codes() -> None:
    listed = {int(row[0], 16) for row in rows("## 7. Events")}
    assert listed == {int(shown["bytes"][:2], 16) for shown in VECTORS["events"]}


def test_the_documents_fault_codes_are_the_codes() -> None:
    listed = DOCUMENT.partition("Fault codes: ")[2].partition(".")[0].replace("\n", " ")
    codes = {int(number): name for number, name in re.findall(r"(\d+) ([a-z -]+)", listed)}
    written = {
        code: name.replace("-", " ").replace("time out", "timeout").replace(" ", "_") for code, name in codes.items()
    }
    assert written == {code: fault.value for code, fault in FAULTS.items()}
    assert set(FAULTS.values()) == set(FaultCode)


def names_in(value: object) -> Iterator[str]:
    """Every key of the file but those of an event's JSON, which is not the wire's business."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            if name not in ("event", "becomes"):
                yield from names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from names_in(item)


def test_the_document_explains_every_key_of_the_file_and_no_other() -> None:
    section = DOCUMENT.partition("## 11. vectors.json")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(names_in(VECTORS))


def test_the_trials_name_clauses_of_the_document() -> None:
    named = {clause for trial in VECTORS["trials"] for clause in trial["clauses"]}
    assert named <= set(re.findall(r"^- \*\*(\d+\.\d+) (?:shoe|both)\*\*", DOCUMENT, re.MULTILINE))
