"""The journals that commit 25f84e2 wrote, in layout 1, and what that program said of them; see their README."""

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

WORDED = frozenset({"prompt", "why", "happened", "detail", "to_do", "void_why"})
"""What was a sentence in English."""


def copied(name: str, folder: Path, as_name: str = "table.journal") -> Path:
    """A copy of the journal, with its log where that is needed."""
    path = folder / as_name
    for ending in ("", "-wal"):
        file = FOLDER / f"{name}.journal{ending}"
        if file.exists():
            shutil.copy(file, f"{path}{ending}")
    return path


def said(name: str) -> dict[str, Any]:
    """What the program of that commit said of the journal."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.said.json").read_text(encoding="utf-8"))
    return found


def without_words(value: Any) -> Any:  # noqa: ANN401 - anything that JSON can hold
    """The same without its sentences."""
    match value:
        case dict():
            return {key: without_words(item) for key, item in value.items() if key not in WORDED}
        case list() | tuple():
            return [without_words(item) for item in value]
        case _:
            return value
