"""Runs one of our commands for tests, inside this process, with all that it says."""

import argparse
import io
import sys
from typing import Protocol

import pytest

from tests.commands.running import Answer


class Command(Protocol):
    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]", /) -> None: ...


def run(capsys: pytest.CaptureFixture[str], command: Command, *arguments: str, stdin: str = "") -> Answer:
    top = argparse.ArgumentParser(prog="shoe-controller")
    command.add_parser(top.add_subparsers(dest="command", required=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        try:
            args = top.parse_args(arguments)
            exit_code: int = args.run(args)
        except SystemExit as stop:  # argparse leaves so when it does not like the arguments
            exit_code = stop.code if isinstance(stop.code, int) else 1
    return Answer(exit_code, *capsys.readouterr())
