"""What was found out about each clause of the page, while trials go on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum


class Verdict(Enum):
    HELD = "held"
    FAILED = "failed"
    ADVICE = "advice"
    """A SHOULD that this shoe does not follow: no failure."""
    NOT_TRIED = "not tried"
    CONTROLLER = "controller"
    """It binds the controller alone."""


class TrialEndedError(Exception):
    """A trial cannot go on; the message says why. What it has found out so far stays."""


@dataclass
class Findings:
    failed: dict[str, list[str]] = field(default_factory=dict)
    untried: dict[str, list[str]] = field(default_factory=dict)
    _right: set[str] = field(default_factory=set)
    _doing: str = ""
    _checked: set[str] = field(default_factory=set)
    """In the present trial."""

    @property
    def held(self) -> set[str]:
        """None that one trial could not try, whatever another has seen of it: a clause is not held by halves."""
        return self._right - self.untried.keys() - self.failed.keys()

    def check(self, clause: str, right: bool, what: str) -> bool:  # noqa: FBT001 - an assertion, and its value
        """Note that a clause held, or how it was broken. Return whether it held."""
        self._checked.add(clause)
        if right:
            self._right.add(clause)
        else:
            _add(self.failed, clause, f"{what} ({self._doing})" if self._doing else what)
        return right

    def check_part(self, clause: str, right: bool, what: str) -> bool:  # noqa: FBT001 - as above
        """As `check`, where this alone cannot tell that the clause holds: another trial decides it."""
        return right or self.check(clause, right, what)

    def require(self, clause: str, right: bool, what: str) -> None:  # noqa: FBT001 - as above
        """As `check`; the trial ends if it did not hold."""
        if not self.check(clause, right, what):
            raise TrialEndedError(f"clause {clause} did not hold: {what}")

    def fail(self, clause: str, what: str) -> None:
        """Note how a clause was broken."""
        self.check(clause, False, what)  # noqa: FBT003 - as above

    @contextmanager
    def of_trial(self, title: str, clauses: tuple[str, ...]) -> Iterator[None]:
        """Take what happens inside as one trial, which tries these clauses."""
        self._doing, self._checked = title, set()
        why = "another part of the same trial came first"
        try:
            yield
        except TrialEndedError as ended:
            why = str(ended)
        finally:
            self._doing = ""
        for clause in clauses:
            if clause not in self._checked and clause not in self.untried:
                _add(self.untried, clause, why)

    def could_not_try(self, clauses: tuple[str, ...], why: str) -> None:
        for clause in clauses:
            _add(self.untried, clause, why)

    def of(self, clause: str) -> tuple[Verdict, str]:
        if clause in self.failed:
            return Verdict.FAILED, "; ".join(self.failed[clause])
        if clause in self.held:
            return Verdict.HELD, ""
        return Verdict.NOT_TRIED, "; ".join(self.untried.get(clause, []))


def _add(notes: dict[str, list[str]], clause: str, note: str) -> None:
    """The same note once: a shoe that is wrong in every frame is wrong in one way."""
    known = notes.setdefault(clause, [])
    if note not in known:
        known.append(note)
