"""Prompts at a terminal for what no option gives; without a terminal, defaults apply or it is an error."""

import getpass
import sys
from typing import NamedTuple

from shoe_controller.config.pins import BadPinError, check_strength, least_digits
from shoe_controller.messages.acts import Role

LONGEST_LINE = 1000
ENDED = "the terminal was closed before all was answered"


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
            answer = _line()
            if answer:
                return answer
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

    def new_pin(self, option: str, name: str, role: Role) -> str:
        """A PIN for this person: at a terminal twice and without echo, until it will do; else the next line."""
        least = least_digits(role)
        if not self.ask:
            line = sys.stdin.readline(LONGEST_LINE)
            if not line:
                raise NotAnsweredError(
                    f"{option}: the PIN of {name} is missing: give one line of standard input for each person"
                )
            check_strength(line.rstrip("\r\n"), least)
            return line.rstrip("\r\n")
        while True:
            try:
                pin = getpass.getpass(f"{name}'s PIN: ")
                check_strength(pin, least)
                if getpass.getpass("The same PIN again: ") == pin:
                    return pin
                sys.stdout.write("  Those were two different PINs: try again.\n")
            except BadPinError as error:
                sys.stdout.write(f"  {error}.\n")
            except EOFError:
                raise NotAnsweredError(ENDED) from None

    def agrees(self, question: str, *, usually: bool = False) -> bool:
        """Ask yes or no, with what an empty answer means; no without a terminal."""
        if not self.ask:
            return False
        sys.stdout.write(f"{question} {'[Y/n]' if usually else '[y/N]'} ")
        sys.stdout.flush()
        answer = _line().lower()
        return answer in ("y", "yes") or (usually and not answer)


def _line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise NotAnsweredError(ENDED)
    return line.strip()
