"""Prompts at a terminal for what no option gives; without a terminal, defaults apply or it is an error."""

import sys
from typing import NamedTuple


class NotAnsweredError(ValueError):
    """A required value was not given."""


class Questions(NamedTuple):
    ask: bool
    """Whether there is a terminal to prompt at."""

    def text(self, option: str, given: str | None, question: str, default: str | None = None) -> str:
        if given is not None:
            return given
        if self.ask:
            sys.stdout.write(f"{question}{f' [{default}]' if default else ''}: ")
            sys.stdout.flush()
            answer = sys.stdin.readline()
            if answer.strip():
                return answer.strip()
        if default is None:
            raise NotAnsweredError(f"{option} is missing: {question[0].lower()}{question[1:]}")
        return default

    def number(self, option: str, given: int | None, question: str, default: int) -> int:
        if given is not None:
            return given
        answer = self.text(option, None, question, str(default))
        try:
            return int(answer)
        except ValueError:
            raise NotAnsweredError(f"{option} takes a whole number, not {answer!r}") from None

    def agrees(self, question: str, *, usually: bool = False) -> bool:
        """Ask yes or no, with what an empty answer means; no without a terminal."""
        if not self.ask:
            return False
        sys.stdout.write(f"{question} {'[Y/n]' if usually else '[y/N]'} ")
        sys.stdout.flush()
        answer = sys.stdin.readline().strip().lower()
        return answer in ("y", "yes") or (usually and not answer)
