"""Prompts at a terminal for what no option gives; without a terminal, defaults apply or it is an error."""

import getpass
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from shoe_controller.config.passwords import MOST_CHARACTERS, BadPasswordError, check_password
from shoe_controller.config.pins import BadPinError, check_strength, least_digits
from shoe_controller.messages.acts import Role

LONGEST_LINE = 1000
NO_OWNERS: Mapping[str, str] = MappingProxyType({})
ENDED = "the terminal was closed before all was answered"


_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


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
            sys.stdout.write(f"  {wrong}{'' if wrong.endswith(('.', '?')) else '.'}\n")
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

    def new_pin(self, identity: str, name: str, role: Role, owners: Mapping[str, str] = NO_OWNERS) -> str:
        """A PIN for this person: at a terminal twice and without echo, until it will do; else the next line.

        `owners` are the names of those who have one already, by their PINs.
        """
        least = least_digits(role)
        if not sys.stdin.isatty():
            return _next_pin(f"the PIN of {name} (--{role.value} {identity})", name, least, owners)
        while True:
            try:
                pin = getpass.getpass(f"{name}'s PIN: ")
                _check_pin(pin, least, owners)
                if getpass.getpass("The same PIN again: ") == pin:
                    return pin
                sys.stdout.write("  Those were two different PINs: try again.\n")
            except BadPinError as error:
                sys.stdout.write(f"  {error}.\n")
            except EOFError:
                raise NotAnsweredError(ENDED) from None

    def new_password(self, identity: str = "") -> str:
        """A password for this person: at a terminal twice and without echo, until it will do; else the next line."""
        if not self.ask:
            line = sys.stdin.buffer.readline(4 * MOST_CHARACTERS + 2)
            if not line:
                raise NotAnsweredError("standard input has ended, and a password is needed on its first line")
            password = line.decode(errors="replace").rstrip("\r\n")
            check_password(password, identity)
            return password
        while True:
            try:
                password = getpass.getpass("Password: ")
                check_password(password, identity)
                if getpass.getpass("The same password again: ") == password:
                    return password
                sys.stdout.write("  Those were two different passwords: try again.\n")
            except BadPasswordError as error:
                sys.stdout.write(f"  {error}.\n")
            except EOFError:
                raise NotAnsweredError(ENDED) from None

    def agrees(self, question: str, *, usually: bool = False) -> bool:
        """Ask yes or no, with what an empty answer means; no without a terminal."""
        if not self.ask:
            return False
        while True:
            sys.stdout.write(f"{question} {'[Y/n]' if usually else '[y/N]'} ")
            sys.stdout.flush()
            answer = _line().lower()
            if answer in _ANSWERS or not answer:
                return _ANSWERS.get(answer, usually)
            sys.stdout.write("  Answer y or n.\n")


def _check_pin(pin: str, least: int, owners: Mapping[str, str]) -> None:
    check_strength(pin, least)
    if pin in owners:  # not whose: that would give it away
        raise BadPinError("somebody else has this PIN: choose another")


def _next_pin(what: str, name: str, least: int, owners: Mapping[str, str]) -> str:
    """The PIN of the next line, all of which one person gives."""
    line = sys.stdin.readline(LONGEST_LINE)
    if not line:
        order = "give one PIN on each line, dealers first, then supervisors"
        raise NotAnsweredError(f"{what}: standard input has ended; {order}")
    pin = line.rstrip("\r\n")
    try:
        check_strength(pin, least)
    except BadPinError as error:
        raise BadPinError(f"{what}: {error}") from None
    if pin in owners:
        raise BadPinError(f"{name} and {owners[pin]} have the same PIN: let one of them choose another")
    return pin


def _line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise NotAnsweredError(ENDED)
    return line.strip()
