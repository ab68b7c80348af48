"""The hash of a record covers every field of it, and no two records give the same bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.journal.chain import genesis, link, link_fields
from shoe_controller.journal.records import Record

INTEGERS = st.integers(-(2**63), 2**63 - 1)
RECORDS = st.builds(
    Record,
    number=INTEGERS,
    entry=INTEGERS,
    kind=st.sampled_from(["raw", "input", "event", "fact"]),
    name=st.text(max_size=4),
    wall_ms=INTEGERS,
    mono_ns=INTEGERS,
    synchronised=st.integers(0, 1),
    shoe=INTEGERS,
    round=INTEGERS,
    seq=st.none() | st.integers(1, 2**63 - 1),
    software=st.text(max_size=4),
    body=st.binary(max_size=4),
    hash=st.just(b""),
)
RECORD = Record(5, 4, "fact", "total", 1, 2, 1, 3, 4, None, "0.1.0", b"body", b"")
CHANGES: list[dict[str, Any]] = [
    {"number": 6},
    {"entry": 5},
    {"kind": "input"},
    {"name": "totals"},
    {"wall_ms": 2},
    {"mono_ns": 3},
    {"synchronised": 0},
    {"shoe": 4},
    {"round": 5},
    {"seq": 1},
    {"software": "0.1.1"},
    {"body": b"bodY"},
    {"name": "tot", "software": "al0.1.0"},
    {"software": "0.1.0b", "body": b"ody"},
    {"kind": "fac", "name": "ttotal"},
]


@given(RECORDS, RECORDS)
def test_different_records_have_different_hashes(one: Record, other: Record) -> None:
    assert (link(bytes(32), one) == link(bytes(32), other)) == (one == other)


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_every_field_counts(change: dict[str, Any]) -> None:
    assert link(bytes(32), RECORD._replace(**change)) != link(bytes(32), RECORD)


def test_every_field_is_among_the_changes() -> None:
    assert {field for change in CHANGES for field in change} | {"hash"} == set(Record._fields)


def test_the_record_before_counts() -> None:
    assert link(bytes(32), RECORD) != link(bytes(31) + b"\1", RECORD)


def test_the_hash_of_a_known_record_is_the_same_for_ever() -> None:
    assert link(bytes(32), RECORD).hex() == "4f8281994af657e5b727a5c5bafafeb6080a516c892a86110b7207571e405f53"
    assert genesis("table", "id").hex() == "19bbdcde10dbd2c35c17487d88a22792a64c5960dc2d5367105b5ee871cb7f35"


@given(RECORDS)
def test_the_hash_is_the_same_before_and_after_there_is_a_record(record: Record) -> None:
    number, entry, kind, name, wall_ms, mono_ns, synchronised, shoe, round_, seq, software, body, _ = record
    fields = (number, entry, kind, name, wall_ms, mono_ns, synchronised, shoe, round_, seq, software, body)
    assert link_fields(bytes(32), fields) == link(bytes(32), record)


def test_table_and_file_are_told_apart_in_the_genesis() -> None:
    assert len({genesis("ab", "c"), genesis("a", "bc"), genesis("abc", "")}) == 3
