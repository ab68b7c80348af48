"""Logging: JSON lines under systemd, readable lines in a terminal. The one file that imports structlog.

One line for each relevant event, with table, shoe and round bound to it. Secrets are never logged.
"""

import logging
import os
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from shoe_controller.config.table import LogSettings

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

Log = Any
"""A structlog logger: `log.info("card_dealt", hand="player")`."""


def set_up(settings: LogSettings) -> Log:
    """Configure logging to standard error, so that standard output stays free for what a command prints."""
    as_json = settings.format == "json" or (settings.format == "auto" and not _is_terminal())
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    last: structlog.types.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=_is_terminal())
    )
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[settings.level]),
        logger_factory=structlog.PrintLoggerFactory(file=cast("TextIO", _Lines())),
        cache_logger_on_first_use=True,
    )
    return structlog.get_logger()


class _Lines:
    """Standard error, ignoring its errors: a log that is full or gone must not stop a table."""

    def write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


def _is_terminal() -> bool:
    # Under systemd there may happen to be a terminal; its journal gets JSON all the same.
    return sys.stderr.isatty() and "JOURNAL_STREAM" not in os.environ
