"""What controllers of one table say to each other, so that one of them serves it and no other.

Only the broker's user of the table reads and writes these messages. No display needs them.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

LONGEST_PLACE = 255
"""Characters of a machine's name or address: as many as a name in DNS can have."""

LONGEST_ID = 64

Id = Annotated[str, Meta(max_length=LONGEST_ID)]
Place = Annotated[str, Meta(max_length=LONGEST_PLACE)]
Milliseconds = Annotated[int, Meta(ge=0)]


class _FromController(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    """The version of this message."""
    question: Id
    """Random, new with each question; an answer repeats it."""
    start: Id
    """The start of the controller that sends this, as in `status`."""
    to: Id
    """The start of the controller that it is for; in a question, empty for whichever serves the table."""
    served: Milliseconds | None
    """For how long its sender has served the table; 0 if it has not begun, null if it only wants to know."""
    host: Place
    """The name of the machine that it runs on."""
    address: Place = ""
    """The address that this machine has on its way to the broker."""
    process: int = 0
    """The number of its process."""
    boot: Id = ""
    """The machine's id of its current boot: two machines may have one name."""
    seal: Id = ""
    """A keyed hash of all of the above with the password of the table's user; empty where that has none."""


class ControllerQuestion(_FromController, frozen=True, kw_only=True):
    """A controller that wants to serve the table, or serves it, asks another one whether it lives."""


class ControllerAnswer(_FromController, frozen=True, kw_only=True):
    """A controller that serves the table says so; of two that serve it, the one that was asked decides.

    The one that does not serve, or not any more, says so too, with `stays` false.
    """

    stays: bool
    """Whether its sender goes on to serve the table; then the one that asked does not."""
