"""`vectors.json` is what our ends say today, and what `PROTOCOL.md` says they must: nobody's firmware breaks unseen."""

import hashlib
import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

import firmware_protocol.native
from firmware_protocol.events import AnyShoeEvent, FaultCode
from firmware_protocol.link import Delivery, LineError, LinkUp, Refused
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.event_layouts import FAULTS, decode_event, encode_event
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.messages import FrameType
from firmware_protocol.native.progress import LastCommitted
from tests.firmware_protocol.native import make_vectors

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
    shown = [
        *VECTORS["framing"],
        *VECTORS["conversation"]["frames"],
        *VECTORS["insecure"]["frames"],
        *VECTORS["refused"],
    ]
    shown += [half for pair in VECTORS["rejected"] for half in (pair["hello"], pair["reject"])]
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


def test_a_controller_that_hears_the_shoes_half_says_the_other_and_refuses_the_forged() -> None:
    talk = VECTORS["conversation"]
    link = NativeController(
        key=bytes.fromhex(talk["key"]),
        nonce=lambda: bytes.fromhex(talk["controller_nonce"]),
        last_committed=LastCommitted(**talk["stored_last"]),
    )
    link.connected(0.0)
    found = []
    for shown in talk["frames"]:
        if shown["from"] == "shoe" and not shown["lost"]:
            found += link.receive(bytes.fromhex(shown["wire"]), 0.0)
    proof = next(shown["wire"] for shown in talk["frames"] if shown["type"] == "PROOF")
    assert bytes.fromhex(proof) in link.to_send()
    assert isinstance(found[0], LinkUp)
    assert [item.sequence for item in found[1:] if isinstance(item, Delivery)] == [41, 42, 43, 44]
    assert len(found) == 5, "no gap, no refusal"
    for shown in VECTORS["refused"]:
        if shown["by"] == "controller":
            before = sum(link.counts.refused.values())
            assert all(isinstance(item, Refused) for item in link.receive(bytes.fromhex(shown["wire"]), 0.0))
            assert sum(link.counts.refused.values()) == before + 1, shown["why"]


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
