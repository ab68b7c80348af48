"""`shoe-controller` at a terminal of its own, and a person who answers its questions."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable

PROGRAM = (sys.executable, "-m", "shoe_controller.cli")
PATIENCE = 30.0
"""Seconds to wait for a question, or for the end."""


class Conversation:
    """A program at a terminal of its own, and a person who answers."""

    def __init__(self, *words: str, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._terminal, theirs = pty.openpty()
        # In a session of its own, whose terminal it is: Ctrl-C there reaches the program.
        started = ["setsid", "--ctty", *PROGRAM, *words]
        self._process = subprocess.Popen(started, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.said = ""
        self._seen = 0

    def answer(self, question: str, text: str) -> None:
        """Wait for the question, then type."""
        self._until(lambda: question in self.said[self._seen :], question)
        self._seen = len(self.said)
        os.write(self._terminal, f"{text}\n".encode())

    def interrupt(self, question: str) -> None:
        """Wait for the question, then press Ctrl-C."""
        self._until(lambda: question in self.said[self._seen :], question)
        os.write(self._terminal, b"\x03")

    def end(self) -> int:
        self._until(lambda: self._process.poll() is not None, "the end")
        os.close(self._terminal)
        return self._process.wait()

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + self._patience
        while not condition():
            assert time.monotonic() < until, f"waited for {what!r}; it said:\n{self.said}"
            if select.select([self._terminal], [], [], 0.1)[0]:
                try:
                    self.said += os.read(self._terminal, 1 << 16).decode(errors="replace")
                except OSError:  # the program has ended
                    self._process.wait(self._patience)
