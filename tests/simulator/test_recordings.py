"""The recordings of `tests/recordings/`: their seeds give the same bytes again, and they decode to what happened."""

import gzip
from functools import cache

import pytest

from firmware_protocol.link import Delivery, DesiredShoe, LinkReport
from simulator.faults import FAULTS, Detection
from simulator.recording import Chunk, read_recording
from simulator.shoe_line import Wire
from simulator.truth import FaultInjected
from tests.simulator.agreement import assert_agreement, assert_nothing_invented
from tests.simulator.angel_eye_night import NAME
from tests.simulator.make_recordings import (
    FOLDER,
    SHOES,
    expected_lines,
    faults_of,
    name_of,
    record,
    settings_of,
)
from tests.simulator.promises import assert_seen_in_order
from tests.simulator.virtual_table import controller_for

EVERY_SHOE = [pytest.param(wire, number, id=name_of(wire, number)) for wire in Wire for number in range(1, SHOES + 1)]
again = cache(record)


def chunks_of(wire: Wire, number: int) -> list[Chunk]:
    return list(read_recording(FOLDER / f"{name_of(wire, number)}.jsonl.gz"))


@pytest.mark.parametrize(("wire", "number"), EVERY_SHOE)
def test_the_seed_gives_the_same_bytes_again(wire: Wire, number: int) -> None:
    name = name_of(wire, number)
    stale = f"{name} is stale: run python -m tests.simulator.make_recordings and read the difference"
    assert gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()) == again(wire, number).traffic, stale
    assert (FOLDER / f"{name}.expected.jsonl").read_bytes() == again(wire, number).expected, stale


@pytest.mark.parametrize(("wire", "number"), EVERY_SHOE)
def test_the_recorded_bytes_decode_to_the_expected_events(wire: Wire, number: int) -> None:
    """A fresh controller's link receives the shoe's side, and sends byte for byte what the controller sent then."""
    link = controller_for(settings_of(wire, number))
    chunks = chunks_of(wire, number)
    seen: list[object] = []
    said = bytearray()

    def take(found: "list[Delivery | LinkReport] | list[LinkReport]", now: float) -> None:
        for item in found:
            if isinstance(item, Delivery):
                link.committed(item, now)
            seen.append(item.event if isinstance(item, Delivery) else item)
        said.extend(link.to_send())

    def wait_until(moment: float) -> None:
        while (deadline := link.next_deadline()) is not None and deadline < moment:
            take(link.tick(deadline), deadline)

    link.want(DesiredShoe(gate_locked=False), 0.0)
    link.connected(0.0)
    for chunk in chunks:
        if chunk.dir == "shoe":
            wait_until(chunk.t)
            take(link.receive(chunk.data, chunk.t), chunk.t)
            take(link.tick(chunk.t), chunk.t)
    wait_until(chunks[-1].t)

    assert expected_lines(seen) == (FOLDER / f"{name_of(wire, number)}.expected.jsonl").read_bytes()
    assert bytes(said).startswith(b"".join(chunk.data for chunk in chunks if chunk.dir == "host"))


@pytest.mark.parametrize(("wire", "number"), EVERY_SHOE)
def test_truth_and_events_agree(wire: Wire, number: int) -> None:
    table = again(wire, number).table
    injected = [happening.fault for happening in table.truth if isinstance(happening, FaultInjected)]
    assert sorted(injected) == sorted(faults_of(wire, number))
    told = [FAULTS[name].on(wire) for name in injected]
    for one in told:
        assert isinstance(one, Detection)
        assert_seen_in_order(one.sees, table.seen_plainly())
    if any(isinstance(one, Detection) and one.invents for one in told):
        return
    if any(isinstance(one, Detection) and one.loses for one in told):
        assert_nothing_invented(table.truth, table.seen)
    else:
        assert_agreement(table.truth, table.seen)


@pytest.mark.parametrize("wire", Wire)
def test_the_ten_shoes_have_every_fault_that_the_wire_can_express(wire: Wire) -> None:
    recorded_faults = {name for number in range(1, SHOES + 1) for name in faults_of(wire, number)}
    told = {name for name, kind in FAULTS.items() if isinstance(kind.on(wire), Detection)}
    assert told - recorded_faults == {"unplug"}


def test_nothing_else_lies_in_the_folder() -> None:
    names = {name_of(wire, number) for wire in Wire for number in range(1, SHOES + 1)}
    files = {f"{name}{ending}" for name in names for ending in (".jsonl.gz", ".expected.jsonl")}
    night = {f"{NAME}.jsonl.gz", f"{NAME}.truth.json"}
    assert {file.name for file in FOLDER.iterdir()} == files | night | {"README.md"}
