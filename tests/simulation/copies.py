"""Older copies of a simulated journal, each with what was known when it was taken; one of them is put back."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shoe_controller.journal.database import files_of
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from tests.simulation.observer import Memory

EVERY = 6
"""Entries between two copies."""


class Copy(NamedTuple):
    head: Head
    main: bytes
    log: bytes | None
    memory: Memory


class JournalCopies:
    """Copies of the present journal, oldest first."""

    def __init__(self, journal: Path, remember: Callable[[], Memory] | None) -> None:
        self._journal = journal
        self._remember = remember
        """`None` where nothing is ever put back, and no copy is worth its time."""
        self._copies: list[Copy] = []
        self._entries = 0

    def take(self, head: Head) -> None:
        """Copy the journal, which ends with this head."""
        main, log, _ = files_of(self._journal)
        if self._remember is not None and all(copy.head != head for copy in self._copies):
            self._copies.append(
                Copy(head, main.read_bytes(), log.read_bytes() if log.exists() else None, self._remember())
            )

    def take_now_and_then(self, head: Head) -> None:
        self._entries += 1
        if self._entries % EVERY == 0:
            self.take(head)

    def forget(self) -> None:
        """A new journal has begun."""
        self._copies.clear()

    def behind(self, noted: int) -> list[Copy]:
        """Those which lack a record that was noted elsewhere."""
        return [copy for copy in self._copies if copy.head.number < noted]

    def put_back(self, main_now: bytes, number: int, noted: int) -> Copy:
        """Put one of them in the journal's place, or take its log away where that leaves one of them."""
        chosen = self.behind(noted)[number // 2 % len(self.behind(noted))]
        if number % 2:
            self._write(main_now, None)
            with JournalReader(self._journal) as reader:
                head = reader.position().head
            without_log = [copy for copy in self.behind(noted) if copy.head == head]
            if without_log:
                return without_log[0]
        self._write(chosen.main, chosen.log)
        return chosen

    def _write(self, main: bytes, log: bytes | None) -> None:
        for file in files_of(self._journal):
            file.unlink(missing_ok=True)
        for file, content in zip(files_of(self._journal), (main, log), strict=False):
            if content is not None:
                file.write_bytes(content)
