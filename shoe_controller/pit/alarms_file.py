"""The pit's file of alarms: what cannot be written waits, while edges and alarms are published all the same."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from shoe_controller.messages.pit import AnyPitAlarm, WagerExposed
from shoe_controller.pit.lines import AlarmRaised, AnyLine, LineChain
from shoe_controller.process.lines_file import LinesFile, LinesFileError

MOST_WAITING = 10_000
"""Lines that wait to be written; further ones are dropped, so that they cannot fill the memory."""

TRY_AGAIN = 15.0
"""Seconds after which a file that could not be written to is opened anew."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""What makes a start go on without its file."""


class AlarmsObserver(Protocol):
    def restored(self, line: AlarmRaised) -> None:
        """An alarm is in the file since before this start."""

    def written(self, line: AlarmRaised) -> None:
        """An alarm is in the file now."""

    def file_failed(self, error: OSError | LinesFileError) -> None:
        """Called once for each time that the file cannot be written to."""

    def file_works(self) -> None:
        """It can be written to again."""


class AlarmsFile:
    def __init__(  # noqa: PLR0913 - the parts of a file, each given by name
        self,
        path: Path,
        *,
        version: str,
        acknowledged: int,
        observer: AlarmsObserver,
        clock: Callable[[], float],
        wall: Callable[[], int],
        open_file: Callable[[Path], LinesFile[AnyLine]] = lambda path: LinesFile(path, LineChain()),
    ) -> None:
        """`clock` only goes forward, in seconds; `wall` is in milliseconds since 1970."""
        self.works = True
        self._path = path
        self._version = version
        self._acknowledged = acknowledged
        self._observer = observer
        self._clock = clock
        self._wall = wall
        self._open_file = open_file
        self._file: LinesFile[AnyLine] | None = None
        self._is_restored = False
        self._waiting: dict[tuple[object, ...], AlarmRaised] = {}
        self._failed_at = 0.0

    def open(self) -> int:
        """Take up what is in the file, and write that the process was started; returns the bytes that were torn.

        `LinesFileError` or `OSError` if it cannot be used; one that cannot be written to only for want of room is tried
        again later.
        """
        self._file = file = self._open_file(self._path)
        for line in file.restored():
            if isinstance(line, AlarmRaised) and not self._is_restored:
                self._observer.restored(line)
            elif isinstance(line, AlarmRaised) and self._waiting.pop(_key(line), None) is not None:
                # It could be written, and only not be synced.
                self._observer.written(line)
        self._is_restored = True
        try:
            return file.start(self._version, self._acknowledged, self._wall()).torn
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self._fail(error)
            return 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, table: str, journal: str, alarm: AnyPitAlarm) -> None:
        """Have a line written by the next `flush`; one that waits already, about the same, is replaced."""
        line = AlarmRaised(table=table, journal=journal, alarm=alarm)
        if len(self._waiting) < MOST_WAITING:
            self._waiting[_key(line)] = line

    def flush(self) -> None:
        """Write what waits."""
        if self._file is None and self._clock() - self._failed_at >= TRY_AGAIN:
            self._open_again()
        if self._file is None or not self._waiting:
            return
        try:
            written = self._file.add_all(list(self._waiting.values()), self._wall())
        except OSError as error:
            self._fail(error)
            return
        self._waiting.clear()
        for line in written:
            self._observer.written(line)

    def _open_again(self) -> None:
        self._failed_at = self._clock()
        try:
            self.open()
        except (OSError, LinesFileError) as error:
            # Changed or taken while it was closed: a start refuses such a file, edges and alarms go on.
            self._fail(error)
        if self._file is not None:
            self.works = True
            self._observer.file_works()

    def _fail(self, error: OSError | LinesFileError) -> None:
        self.close()
        self._failed_at = self._clock()
        if self.works:
            self.works = False
            self._observer.file_failed(error)


def _key(line: AlarmRaised) -> tuple[object, ...]:
    """What the line is about: it is never written twice."""
    alarm = line.alarm
    if isinstance(alarm, WagerExposed):
        return line.table, line.journal, alarm.shoe, alarm.round, alarm.wager
    return line.table, line.journal, alarm.shoe, alarm.seat, alarm.wager
