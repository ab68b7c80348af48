"""What single events mean, without a database: every event of the contract, and those that no version publishes yet."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.archive.derived.facts_to_rows import TAKING, WITHOUT_ROWS, rows_of
from shoe_controller.archive.derived.rows import Row, Rows
from shoe_controller.archive.derived.tables import NOTE, Table
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.messages import facts

EXAMPLES: dict[str, dict[str, Any]] = {
    name: example
    for name, example in json.loads(
        (Path(facts.__file__).parents[1] / "examples.json").read_text(encoding="utf-8")
    ).items()
    if name.startswith("event.")
}


def event_of(content: dict[str, Any]) -> ArchivedEvent:
    return ArchivedEvent(
        journal_id=7,
        site="north",
        table="14",
        journal=content["journal"],
        seq=content["seq"],
        at_ms=content["time"],
        fact=content["fact"],
        shoe=content["shoe"],
        round=content["round"],
        topic="event/any",
        payload=json.dumps(content).encode(),
    )


def test_every_fact_of_the_contract_is_taken() -> None:
    every = set(facts.AnyFact.__args__)
    assert {*TAKING, *WITHOUT_ROWS} == every
    assert {f"event.{kind.__struct_config__.tag}" for kind in every} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_fact_names_columns_of_its_tables(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add, patch = Rows.add, Rows.patch

    def checked_add(rows: Rows, table: Table, begin: Row, /, **values: object) -> None:
        assert set(values) <= set(table.names[len(begin) :])
        add(rows, table, begin, **values)

    def checked_patch(rows: Rows, table: Table, key: Row, /, **values: object) -> None:
        assert set(values) <= set(table.names[table.key :])
        assert len(key) == table.key
        patch(rows, table, key, **values)

    monkeypatch.setattr(Rows, "add", checked_add)
    monkeypatch.setattr(Rows, "patch", checked_patch)
    rows = rows_of(event_of(EXAMPLES[name]))
    without = {f"event.{kind.__struct_config__.tag}" for kind in WITHOUT_ROWS}
    assert bool(rows.added or rows.patches) == (name not in without)
    for replaced in rows.replaced:
        assert {"replaced_by", *replaced.having} <= set(replaced.table.names)
    for sweep in rows.sweeps:
        assert {*sweep.where, *sweep.values} <= set(sweep.table.names)
    assert not any(table.name == "not_derived" for table, _ in rows.added)


def added(content: dict[str, Any]) -> list[tuple[str, dict[str, object]]]:
    rows = rows_of(event_of(content))
    return [(table.name, dict(zip(table.names, row, strict=True))) for table, row in rows.added]


def test_an_unknown_fact_gives_no_rows() -> None:
    rows = rows_of(event_of({**EXAMPLES["event.note_made"], "fact": "table_moved", "to": "the other wall"}))
    assert not (rows.added)
    assert not (rows.patches)
    assert not (rows.replaced)
    assert not (rows.sweeps)


def test_unknown_fields_are_passed_over() -> None:
    example = EXAMPLES["event.note_made"]
    assert added({**example, "colour": {"red": 1}}) == added(example)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("event.betting_closed", {"closed_by": {"code": "a_bell_rang"}}, "a_bell_rang"),
        ("event.payment_adjusted", {"amount": 2**70}, "larger"),
        ("event.note_made", {"text": None}, "text"),
    ],
)
def test_what_cannot_be_read_is_listed_with_the_reason(name: str, change: dict[str, Any], why: str) -> None:
    ((table, row),) = added({**EXAMPLES[name], **change})
    assert (table, row["fact"]) == ("not_derived", name.removeprefix("event."))
    assert why in str(row["why"])


def test_bytes_that_are_no_event_at_all_are_listed_too() -> None:
    event = event_of(EXAMPLES["event.note_made"])
    for payload in (b"", b"\xff", b'{"fact":"note_made"', b"[" * 100_000):
        assert [table.name for table, _ in rows_of(event._replace(payload=payload)).added] == ["not_derived"]


def test_a_nul_is_shown_by_its_symbol() -> None:
    ((_, row),) = added({**EXAMPLES["event.note_made"], "text": "a\x00b"})
    assert row["note"] == "a␀b"
    act = {
        **EXAMPLES["event.person_acted"],
        "act": {"act": "set_wager", "seat": "\x00", "wager": "\\u0000", "stake": 1},
    }
    details = dict(added(act))["act"]["details"]
    assert isinstance(details, str)
    assert msgspec.json.decode(details) == {"act": "set_wager", "seat": "␀", "wager": "\\u0000", "stake": 1}


def test_rows_of_no_time_that_a_month_can_be_for() -> None:
    for at_ms, year in ((-1, 1970), (10**17, 2199)):
        event = event_of(EXAMPLES["event.note_made"])._replace(at_ms=at_ms)
        ((table, row),) = rows_of(event).added
        time = row[NOTE.names.index("at")]
        assert (table, time.year) == (NOTE, year)  # type: ignore[attr-defined]
