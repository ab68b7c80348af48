"""Reads the promises of the fault table and looks for them in what a controller has seen."""

from typing import Any


def fields_of(promise: str) -> tuple[str, dict[str, object]]:
    """`fault code=over_draw stopped=no` as the name and the fields of an event."""
    plain: dict[str, object] = {"yes": True, "no": False, "none": None}
    name, *fields = promise.split()
    pairs = (field.split("=") for field in fields)
    return name, {key: int(value) if value.isdigit() else plain.get(value, value) for key, value in pairs}


def assert_seen_in_order(promises: tuple[str, ...], seen: list[dict[str, Any]]) -> None:
    rest = iter(seen)
    for promise in promises:
        name, fields = fields_of(promise)
        assert any(event["event"] == name and fields.items() <= event.items() for event in rest), (
            f"{promise!r} is promised and was not seen, or not in that order"
        )
