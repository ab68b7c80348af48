"""Why the console could not get an answer from the table: its own codes, beside the refusals of the table.

Their words are in `static/words.*.json`, under `failures`, with those for what the page itself finds out.
"""

from typing import Literal

import msgspec

from shoe_controller.baccarat.codes import Code


class Failure(Code, frozen=True):
    """Why there is no answer of the table."""


class ControllerAway(Failure, frozen=True):
    """The controller is not there; nothing was sent."""


class OtherTables(Failure, frozen=True):
    """Nothing has ever come from this table; others can be seen at the broker."""

    table: str
    there: str
    """Each as SITE/TABLE."""


class NoTable(Failure, frozen=True):
    """Nothing has ever come from this table, and no other can be seen at the broker."""

    table: str


class NoAnswer(Failure, frozen=True):
    """The request was sent, and no answer came: it may have been done or not."""


class NotAccepted(Failure, frozen=True):
    """The broker did not accept the request."""

    text: str
    """What the broker reported."""


class SignInsWaiting(Failure, frozen=True):
    """Too many people are signing in at this moment."""


AnyFailure = ControllerAway | OtherTables | NoTable | NoAnswer | NotAccepted | SignInsWaiting


class NotAnswered(msgspec.Struct, frozen=True):
    """What a page gets instead of the table's `Answer`."""

    failure: AnyFailure
    status: Literal["error"] = "error"
