"""A table on the bench whose every input goes into a journal too, as the controller would store it."""

from pathlib import Path
from typing import Any

from shoe_controller.daemon.table_journal import entry_for
from shoe_controller.journal.records import Entry
from shoe_controller.table.inputs import AnyInput
from shoe_controller.table.table import Handled
from tests.journal.samples import write
from tests.table.sitting import Sitting


class RecordedSitting(Sitting):
    def __init__(self, house: dict[str, Any] | None = None, **procedure: Any) -> None:  # noqa: ANN401 - as in Sitting
        self.entries: list[Entry] = []
        self.written = 0
        super().__init__(house, **procedure)

    def give(self, given: AnyInput) -> Handled:
        stored = len(self.history)
        handled = super().give(given)
        for wrapped, at, _ in self.history[stored:]:
            self.entries.append(entry_for(wrapped, handled, at))
        return handled

    def write(self, path: Path) -> Path:
        """Store what was not stored yet."""
        write(path, self.entries[self.written :])
        self.written = len(self.entries)
        return path
