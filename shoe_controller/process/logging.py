"""Logging: JSON lines under systemd, readable lines in a terminal. The one file that imports structlog.

One line for each relevant event, with table, shoe and round bound to it. Secrets are never logged. Values are bounded,
because some of them come from strangers; `log_writer.py` bounds what waits.
"""

import atexit
import logging
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any, TextIO, cast

import structlog

from shoe_controller.config.table import LogSettings
from shoe_controller.process.log_writer import LogStream, LogWriter
from shoe_controller.words.printable import printable

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

LONGEST_VALUE = 4000
"""Characters of a value in a log line; of a longer one, such as a traceback, its beginning and its end are kept."""

LIBRARY_LINES = 20
"""Lines a minute, at most, that libraries may log: what a stranger sends must not fill the disk."""

Log = Any
"""A structlog logger: `log.info("card_dealt", hand="player")`."""


def set_up(settings: LogSettings) -> Log:
    """Configure logging to standard error, so that standard output stays free for what a command prints."""
    as_json = settings.format == "json" or (settings.format == "auto" and not _is_terminal())
    last: structlog.types.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=_is_terminal())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _bounded,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[settings.level]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", LogStream(_standard_error()))),
        cache_logger_on_first_use=True,
    )
    return structlog.get_logger()


def set_up_process(settings: LogSettings) -> Log:
    """Like `set_up`, for all that this process writes: what libraries log, and Python's own messages and tracebacks."""
    log = set_up(settings)
    writer = _standard_error()
    sys.stderr = cast("TextIO", LogStream(writer))
    atexit.register(writer.drain)
    logging.basicConfig(level=logging.WARNING, handlers=[LibraryMessages(log, time.monotonic)], force=True)
    return log


class LibraryMessages(logging.Handler):
    """Writes what libraries log as lines of our own, so many a minute; the next line counts those left out."""

    def __init__(self, log: Log, clock: Callable[[], float]) -> None:
        super().__init__()
        self._log = log
        self._clock = clock
        self._minute = -1
        self._lines = 0
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        minute = int(self._clock() // 60)
        if minute != self._minute:
            self._minute, self._lines = minute, 0
        self._lines += 1
        if self._lines > LIBRARY_LINES:
            self._left_out += 1
            return
        more = {"left_out": self._left_out} if self._left_out else {}
        self._left_out = 0
        level = logging.ERROR if record.levelno >= logging.ERROR else logging.WARNING
        self._log.log(
            level, "library_message", library=record.name, what=record.getMessage(), exc_info=record.exc_info, **more
        )


@cache
def _standard_error() -> LogWriter:
    return LogWriter(2, _dropped_line)


def _dropped_line(lines: int, in_all: int) -> str:
    """Rendered like every other line; the writer queues it itself."""
    event: Any = {"event": "log_lines_dropped", "lines": lines, "in_all": in_all}
    for processor in structlog.get_config()["processors"]:
        event = processor(None, "warning", event)
    return f"{event}\n"


def _bounded(_logger: object, _name: str, event: structlog.types.EventDict) -> structlog.types.EventDict:
    for key, value in event.items():
        if not isinstance(value, str):
            continue
        text = value
        if len(text) > LONGEST_VALUE:
            half = LONGEST_VALUE // 2
            text = f"{text[:half]} … {len(text) - 2 * half} characters left out … {text[-half:]}"
        event[key] = printable(text, keep="\n")
    return event


def _is_terminal() -> bool:
    # Under systemd there may happen to be a terminal; its journal gets JSON all the same.
    return os.isatty(2) and "JOURNAL_STREAM" not in os.environ
