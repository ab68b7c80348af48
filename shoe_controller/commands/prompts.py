"""Prompts at a terminal for what no option gives; without a terminal, defaults apply or it is an error."""

import getpass
import sys
from collections.abc import Callable, Collection
from typing import NamedTuple

from shoe_controller.config.pins import BadPinError, check_strength, least_digits
from shoe_controller.messages.acts import Role

LONGEST_LINE = 1000
ENDED = "the terminal was closed before all was answered"


class NotAnsweredError(ValueError):
    """A required value was not given."""


Check = Callable[[str], str]
"""What is wrong with an answer and what to do, or nothing."""


def _accept(_: str) -> str:
    return ""


def missing(option: str, question: str) -> str:
    return f"{option} is missing: {question[0].lower()}{question[1:]}"


class Questions(NamedTuple):
    ask: bool
    """Whether there is a terminal to prompt at."""

    def text(
        self, option: str, given: str | None, question: str, default: str | None = None, *, check: Check = _accept
    ) -> str:
        """The option's value if it was given; else an answer that will do."""
        if given is not None:
            if self.ask and (wrong := check(given)):
                raise NotAnsweredError(f"{option}: {wrong}")
            return given
        while self.ask:
            sys.stdout.write(f"{question}{f' [{default}]' if default else ''}: ")
            sys.stdout.flush()
            answer = _line() or default
            wrong = "this needs an answer" if answer is None else check(answer)
            if answer is not None and not wrong:
                return answer
            sys.stdout.write(f"  {wrong}.\n")
        if default is None:
            raise NotAnsweredError(missing(option, question))
        return default

    def number(
        self,
        option: str,
        given: int | None,
        question: str,
        default: int,
        *,
        check: Check = _accept,
    ) -> int:
        def whole(answer: str) -> str:
            try:
                return check(str(int(answer)))
            except ValueError:
                return f"{option} takes a whole number, not {answer!r}"

        return int(self.text(option, None if given is None else str(given), question, str(default), check=whole))

    def new_pin(self, option: str, name: str, role: Role, others: Collection[str] = ()) -> str:
        """A PIN for this person: at a terminal twice and without echo, until it will do; else the next line."""
        least = least_digits(role)
        if not sys.stdin.isatty():
            line = sys.stdin.readline(LONGEST_LINE)
            if not line:
                raise NotAnsweredError(
                    f"{option}: the PIN of {name} is missing: give one line of standard input for each person"
                )
            pin = line.rstrip("\r\n")
            _check_pin(pin, least, others, name)
            return pin
        while True:
            try:
                pin = getpass.getpass(f"{name}'s PIN: ")
                _check_pin(pin, least, others, name)
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


def _check_pin(pin: str, least: int, others: Collection[str], name: str) -> None:
    try:
        check_strength(pin, least)
    except BadPinError as error:
        raise BadPinError(f"{name}: {error}") from None
    if pin in others:
        raise BadPinError(f"{name}: somebody else has this PIN: choose another")


def _line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise NotAnsweredError(ENDED)
    return line.strip()
