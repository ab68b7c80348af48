"""Makes the recordings of `tests/recordings/` anew: `python -m tests.simulator.make_recordings`.

Ten shoes on each wire, each a whole shoe of one deck with some faults of the table, so that all ten together have every
fault that the wire can express. Only an unplugged cable is not among them: a recording cannot say that nobody is there.
"""

import gzip
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from simulator.emulation import EmulationSettings
from simulator.faults import FAULTS, Detection
from simulator.recording import Chunk
from simulator.scenario import planned
from simulator.shoe_line import Wire, WireSettings
from tests.simulator.virtual_table import KEY, VirtualTable

FOLDER = Path(__file__).parents[1] / "recordings"
SHOES = 10
SEED = 100
FIRST_FAULT, NEXT_FAULT = 14, 7
"""Cards: the first comes when most shoes have finished burning."""
SPEED = 8.0
"""Times a person's pace: fewer keep-alives for the same cards."""


class Recorded(NamedTuple):
    table: VirtualTable
    traffic: bytes
    expected: bytes


RECORDED = (Wire.NATIVE, Wire.ANGEL_EYE)
"""A reader of ids says a card and nothing else: there is nothing to record that its tests do not have."""


def faults_of(wire: Wire, number: int) -> list[str]:
    """The faults of one shoe. Those that end it come last: what follows the others shows what they did."""
    names = [name for name, kind in FAULTS.items() if isinstance(kind.on(wire), Detection) and name != "unplug"]
    return sorted(names[number - 1 :: SHOES], key=lambda name: name in ("cut_card_in_round", "empty_in_round"))


def settings_of(wire: Wire, number: int) -> EmulationSettings:
    return EmulationSettings(
        wire=WireSettings(
            wire=wire,
            disclosing=Disclosing.AT_DRAW if number % 2 else Disclosing.AT_RESULT,
            key=KEY if wire is Wire.NATIVE else None,
        ),
        seed=SEED + number,
        decks=1,
        shoes=1,
        speed=SPEED,
        faults=tuple(
            planned(name, at_card=FIRST_FAULT + NEXT_FAULT * place)
            for place, name in enumerate(faults_of(wire, number))
        ),
    )


def record(wire: Wire, number: int) -> Recorded:
    table = VirtualTable(settings_of(wire, number))
    table.run_until(lambda: table.emulation.dealer.finished)
    table.run_for(3)
    traffic = b"".join(
        msgspec.json.encode(Chunk(carried.t, "shoe" if carried.sender == "shoe" else "host", carried.data.hex()))
        + b"\n"
        for carried in table.traffic
    )
    return Recorded(table, traffic, expected_lines(table.seen))


def expected_lines(seen: Sequence[object]) -> bytes:
    return b"".join(msgspec.json.encode(item, order="deterministic") + b"\n" for item in seen)


def name_of(wire: Wire, number: int) -> str:
    return f"{wire.value}_{number:02d}"


def main() -> None:
    for wire in RECORDED:
        for number in range(1, SHOES + 1):
            recorded = record(wire, number)
            name = name_of(wire, number)
            (FOLDER / f"{name}.jsonl.gz").write_bytes(gzip.compress(recorded.traffic, 9, mtime=0))
            (FOLDER / f"{name}.expected.jsonl").write_bytes(recorded.expected)
            sys.stdout.write(f"{name}: {len(recorded.traffic):,} bytes; {', '.join(faults_of(wire, number))}\n")


if __name__ == "__main__":
    main()
