"""What stands between the trials and a real shoe: a line of bytes, and a person who does things at the shoe.

Both are interfaces here. `shoe_controller/conformance` has them for real ports and people, the tests for virtual time.
"""

from enum import Enum
from typing import NamedTuple, Protocol


class LineLostError(Exception):
    """The line ended: the shoe lost its power, or a cable was pulled. The message says what happened."""


class Line(Protocol):
    """The stream of bytes to and from the shoe, and the clock by which it is judged."""

    def now(self) -> float:
        """Seconds on a clock that never goes back."""

    def send(self, data: bytes) -> None: ...

    def receive(self, until: float) -> bytes:
        """Return bytes as soon as some are there; empty when `until` has come. Raises `LineLostError`."""

    def reopen(self) -> None:
        """Close the line, if it is open, and open it again. Raises `LineLostError` if that is not possible now."""


class Doing(Enum):
    """What a person is asked to do or to look at; the values are the words of the operator's protocol."""

    DRAW = "draw"
    EVENT = "event"
    POWER = "power"
    SEE_GATE_LOCKED = "see gate locked"
    SEE_LAMPS = "see lamps"
    SEE_IDENTIFY = "see identify"


class Request(NamedTuple):
    doing: Doing
    number: int
    text: str
    """What to do, for a person."""
    why: str


class Answer(NamedTuple):
    yes: bool
    """Done, or for a question: yes."""
    why_not: str = ""
    """Why it cannot be done or seen."""

    @property
    def impossible(self) -> bool:
        return bool(self.why_not)


class Operator(Protocol):
    """A person at the shoe, or a program in a person's place. The line goes on while it is busy."""

    def ask(self, request: Request) -> None: ...

    def answer(self) -> Answer | None:
        """The answer to the last request; `None` as long as there is none."""

    def seen(self) -> None:
        """The shoe has reported what was asked for: no answer is needed any more."""
