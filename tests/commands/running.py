"""Runs `shoe-controller` for tests, inside this process or as a program of its own."""

import io
import os
import subprocess
import sys
from typing import Any, NamedTuple

import msgspec
import pytest

from shoe_controller.cli import main


class Answer(NamedTuple):
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the command wrote
        return msgspec.json.decode(self.out)

    @property
    def json_lines(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


def run(capsys: pytest.CaptureFixture[str], *arguments: str, stdin: bytes = b"") -> Answer:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        try:
            exit_code = main(arguments)
        except SystemExit as stop:  # argparse leaves so when it does not like the arguments
            exit_code = stop.code if isinstance(stop.code, int) else 1
    return Answer(exit_code, *capsys.readouterr())


PROGRAM = (sys.executable, "-m", "shoe_controller.cli")


def run_program(*arguments: str | bytes, stdin: bytes = b"") -> Answer:
    done = subprocess.run([*PROGRAM, *arguments], input=stdin, capture_output=True, check=False, timeout=60)
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def run_with_closed_output(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    """Exit code and standard error of the program when nobody reads what it says, as after `| head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*PROGRAM, *arguments], input=stdin, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr.decode()
