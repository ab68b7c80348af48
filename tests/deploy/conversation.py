"""`shoe-controller` at a terminal of its own, and a person who answers its questions."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable

PROGRAM = (sys.executable, "-m", "shoe_controller.cli")
OWN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""In a session of its own, whose terminal it is: Ctrl-C there reaches the program."""
PATIENCE = 30.0
"""Seconds to wait for a question, or for the end."""


class Conversation:
    """A program at a terminal of its own, and a person who answers."""

    def __init__(
        self,
        *words: str,
        patience: float = PATIENCE,
        program: tuple[str, ...] = PROGRAM,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._patience = patience
        until = time.monotonic() + patience
        while not ready():
            assert time.monotonic() < until, "what the program needs is not there"
            time.sleep(0.01)
        self._terminal, theirs = pty.openpty()
        started = [sys.executable, "-c", OWN_TERMINAL, *program, *words]
        self._process = subprocess.Popen(started, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.said = ""
        self._seen = 0

    def answer(self, question: str, text: str) -> None:
        """Wait for the question, then type."""
        self.wait_for(question)
        self._seen = len(self.said)
        os.write(self._terminal, f"{text}\n".encode())

    def wait_for(self, text: str) -> None:
        self._until(lambda: text in self.said[self._seen :], text)

    def expect(self, text: str) -> None:
        """Wait for this text, which comes after what was answered last; the next question comes after it."""
        self.wait_for(text)
        self._seen = self.said.index(text, self._seen) + len(text)

    def interrupt(self, question: str) -> None:
        """Wait for the question, then press Ctrl-C."""
        self.wait_for(question)
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
