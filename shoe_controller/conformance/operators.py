"""Who does things at the shoe: a person at this terminal, a program in a person's place, or nobody."""

import select
import shlex
import subprocess
import sys

from simulator.conformance.line import Answer, Doing, Operator, Request

QUESTIONS = (Doing.SEE_GATE_LOCKED, Doing.SEE_LAMPS, Doing.SEE_IDENTIFY)
SKIPPED = "skipped by the operator"
ENDED_WITHIN = 5.0
"""Seconds that an operator's program has to end when its input does."""


class BadOperatorError(Exception):
    """The operator's program cannot be used; the message says why."""


class Nobody:
    def ask(self, request: Request) -> None:
        pass

    def answer(self) -> Answer:
        return Answer(yes=False, why_not="nobody is at the shoe: run it at a terminal, or with --operator")

    def seen(self) -> None:
        pass


class Person:
    """At this terminal: requests on standard error, answers on standard input."""

    def __init__(self) -> None:
        self._request: Request | None = None

    def ask(self, request: Request) -> None:
        self._request = request
        keys = "y, n or s to skip, then Enter" if request.doing in QUESTIONS else "Enter when it is done, s to skip"
        sys.stderr.write(f"\n>>> {request.text}\n    Why: {request.why}.\n    [{keys}] ")
        sys.stderr.flush()

    def answer(self) -> Answer | None:
        if not select.select([sys.stdin], [], [], 0)[0]:
            return None
        line = sys.stdin.readline()
        typed = line.strip().lower()
        if not line or typed.startswith("s"):
            return Answer(yes=False, why_not=SKIPPED)
        is_question = self._request is not None and self._request.doing in QUESTIONS
        if is_question and typed[:1] not in ("y", "n"):
            sys.stderr.write("    [y, n or s to skip, then Enter] ")
            sys.stderr.flush()
            return None
        return Answer(yes=not is_question or typed.startswith("y"))

    def seen(self) -> None:
        sys.stderr.write("the shoe has reported it.\n")
        sys.stderr.flush()


class OperatorProgram:
    """A program that is asked in lines and answers in lines: `done`, `yes`, `no` or `cannot WHY`."""

    def __init__(self, command: str) -> None:
        words = _words(command)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the operator's own command
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise BadOperatorError(f"--operator {words[0]} cannot be started: {error.strerror}") from error
        self._said = b""

    def ask(self, request: Request) -> None:
        number = f" {request.number}" if request.number else ""
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(f"{request.doing.value}{number}\n".encode())
        except BrokenPipeError:
            pass  # `answer` says that it has ended

    def answer(self) -> Answer | None:
        out = self._process.stdout
        if out is None or not select.select([out], [], [], 0)[0]:
            return None
        piece = out.read(4096)
        if not piece:
            return Answer(yes=False, why_not="the operator's program has ended")
        self._said += piece
        line, newline, rest = self._said.partition(b"\n")
        if not newline:
            return None
        self._said = rest
        return _meaning(line.decode(errors="replace").strip())

    def seen(self) -> None:
        """It answers every request, also where the shoe was quicker: that answer is waited for."""
        while self.answer() is None:
            pass

    def end(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(ENDED_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadOperatorError(f"--operator cannot be read as a command: {error}") from error
    if not words:
        raise BadOperatorError("--operator is empty: write the command that does things at the shoe")
    return words


def _meaning(line: str) -> Answer:
    word, _, rest = line.partition(" ")
    match word:
        case "done" | "yes":
            return Answer(yes=True)
        case "no":
            return Answer(yes=False)
        case "cannot":
            return Answer(yes=False, why_not=rest or "the operator's program does not say why")
        case _:
            return Answer(yes=False, why_not=f"the operator's program said {line!r}, not done, yes, no or cannot WHY")


def operator_of(command: str | None, *, nobody: bool) -> Operator:
    if command is not None:
        return OperatorProgram(command)
    return Nobody() if nobody or not sys.stdin.isatty() else Person()
