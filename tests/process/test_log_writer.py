"""A log that nobody reads, or that is gone, holds nobody up; what was dropped is counted and reported."""

import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shoe_controller.process.log_writer import MOST_BYTES, LogWriter
from shoe_controller.process.logging import LIBRARY_LINES, LONGEST_VALUE, LibraryMessages

LINE = "x" * 999 + "\n"


def pipe() -> tuple[int, int]:
    return os.pipe()


def journal_socket() -> tuple[int, int]:
    """As systemd gives a service: a stream socket to journald."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return theirs.detach(), ours.detach()


def non_blocking_pipe() -> tuple[int, int]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    return reader, writer


def dropped(lines: int, in_all: int) -> str:
    return json.dumps({"dropped": lines, "in_all": in_all}) + "\n"


def accounted_for(data: bytes) -> tuple[int, int]:
    """Lines that have come, and those that the reader was told are missing."""
    told = [json.loads(line) for line in data.split(b"\n")[:-1] if line.startswith(b"{")]
    assert sum(each["dropped"] for each in told) == (told[-1]["in_all"] if told else 0)
    return data.count(LINE.encode()), told[-1]["in_all"] if told else 0


@contextmanager
def read_in_background(reader: int, enough: Callable[[bytes], bool]) -> Iterator[list[bytes]]:
    """Reads until there is enough; the one item of the list is what was read."""
    found = [b""]

    def read() -> None:
        while not enough(found[0]) and (data := os.read(reader, 1 << 16)):
            found[0] += data

    reading = threading.Thread(target=read)
    reading.start()
    yield found
    reading.join(20)
    assert not reading.is_alive(), "the reader still waits for lines"


@pytest.mark.parametrize("kind", [pipe, journal_socket, non_blocking_pipe])
def test_a_reader_that_hangs_holds_nobody_up_and_learns_what_it_missed(kind: Callable[[], tuple[int, int]]) -> None:
    reader, writer = kind()
    log = LogWriter(writer, dropped)
    written = 3 * MOST_BYTES // len(LINE)
    for _ in range(written):  # would hang here
        log.write(LINE)
    log.drain(within=0.01)
    with read_in_background(reader, lambda data: sum(accounted_for(data)) == written) as found:
        pass
    lines, missing = accounted_for(found[0])
    assert lines >= MOST_BYTES // len(LINE)
    assert lines + missing == written
    os.close(reader)
    log.write(LINE)
    log.drain()  # the reader is gone


def test_lines_that_could_not_be_written_are_counted_when_they_can_be_again() -> None:
    reader, writer = os.pipe()
    full = os.open("/dev/full", os.O_WRONLY)
    descriptor = os.dup(full)
    log = LogWriter(descriptor, dropped)
    for _ in range(5):
        log.write("lost\n")
    log.drain()
    os.dup2(writer, descriptor)
    log.write("there is room again\n")
    log.drain()
    assert os.read(reader, 1000).decode().splitlines() == [
        "there is room again",
        '{"dropped": 5, "in_all": 5}',
    ]


def test_everything_that_a_process_writes_goes_this_way_and_its_last_lines_are_not_lost() -> None:
    program = """
import logging, sys
from shoe_controller.config.table import LogSettings
from shoe_controller.process.logging import set_up_process
log = set_up_process(LogSettings("info", "json"))
log.info("long", text="a" * 100_000 + "\\x1b[2J", ok="\\u202e")
logging.getLogger("asyncio").error("a task failed")
print("to standard error", file=sys.stderr)
raise RuntimeError("the end")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    first, second, third, *rest = ended.stderr.splitlines()
    long = json.loads(first)
    assert len(long["text"]) < LONGEST_VALUE + 100
    assert long["text"].endswith("a\\x1b[2J")
    assert long["ok"] == "\\u202e"
    message = json.loads(second)
    assert (message["event"], message["library"], message["what"]) == ("library_message", "asyncio", "a task failed")
    assert third == "to standard error"
    assert rest[-1] == "RuntimeError: the end"


class Lines:
    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def log(self, _level: int, event: str, **values: object) -> None:
        self.lines.append({"event": event} | values)


def test_what_libraries_log_is_bounded_by_the_minute_and_what_was_left_out_is_counted() -> None:
    log, now = Lines(), [120.0]
    library = logging.getLogger("tests.library")
    library.propagate = False
    library.addHandler(LibraryMessages(log, lambda: now[0]))
    for _ in range(1000):
        library.error("malformed")
    assert len(log.lines) == LIBRARY_LINES
    now[0] += 60
    library.error("malformed")
    library.error("malformed")
    assert [line.get("left_out") for line in log.lines[LIBRARY_LINES:]] == [1000 - LIBRARY_LINES, None]
