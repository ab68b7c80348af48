"""The journals that commit 25f84e2 wrote, in layout 1, and what that program printed about them; see their README."""

import json
import shutil
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "old_files" / "25f84e2"
TABLE = "test-site/table-1"
NAMES = (
    "carried_card",
    "killed_in_a_round",
    "marked_commission",
    "pruned_shoe",
    "standing_alert",
    "standing_proposal",
    "stopped_in_a_round",
)

WORDED = frozenset({"prompt", "why", "happened", "detail", "to_do", "void_why", "possible_acts"})
"""What was a sentence in English, and the list of acts that went by the phase alone."""

ACTORS = {"shoe": "shoe", "shoe_button": "shoe_button", "first_card": "first_card_drawn", "time": "time_ran_out"}
"""What did something, if it was no person: then and now."""


def copied(name: str, folder: Path, as_name: str = "table.journal") -> Path:
    """A copy of the journal, with its log where that is needed."""
    path = folder / as_name
    for ending in ("", "-wal"):
        file = FOLDER / f"{name}.journal{ending}"
        if file.exists():
            shutil.copy(file, f"{path}{ending}")
    return path


def said(name: str) -> dict[str, Any]:
    """What the program of that commit printed about the journal."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.said.json").read_text(encoding="utf-8"))
    return found


def differences(then: Any, now: Any, where: str = "") -> list[str]:  # noqa: ANN401 - anything that JSON can hold
    """Where something that was printed then is not now. New fields, and codes for sentences, are no difference."""
    match then, now:
        case dict(), dict():
            return _field_differences(then, now, where)
        case list(), list() if where.endswith("ended_by"):
            return [] if then == now[: len(then)] else [f"{where}: {then} is not the beginning of {now}"]
        case list(), list() if len(then) == len(now):
            pairs = enumerate(zip(then, now, strict=True))
            return [found for number, (old, new) in pairs for found in differences(old, new, f"{where}[{number}]")]
        case str(), {"code": "person" | "ended_by_person", "person": person}:
            return [] if then == person else [f"{where}: {then} is {person} now"]
        case str(), {"code": code}:
            return [] if ACTORS.get(then) == code else [f"{where}: {then} is {code} now"]
    return [] if then == now or (then == "" and now is None) else [f"{where}: {then} is {now} now"]


def _field_differences(then: dict[str, Any], now: dict[str, Any], where: str) -> list[str]:
    if "alert" in then and "kind" in then:
        # An alert has one shape now, in which its number is the number.
        then = dict(then)
        now = now | now.get("alert", now)
        then["number"] = then.pop("alert")
    found = []
    for key, old in then.items():
        if key in WORDED:
            continue
        new_key = "cause" if key == "ended_by" and not isinstance(old, list) else key
        if new_key not in now:
            found.append(f"{where}.{key} is gone")
        else:
            found += differences(old, now[new_key], f"{where}.{key}")
    return found
