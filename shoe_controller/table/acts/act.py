"""What the table must know of an act: when it is possible, why it is refused, what it does.

Who may do it is in `messages/acts.py` and `people.py`; the files beside this one describe the acts, by subject.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from shoe_controller.messages.acts import Role
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import BadShoeSection, NewShoeLine, PersonActs
from shoe_controller.table.past import AnyPast
from shoe_controller.table.state import TableState

ANY_PHASE = frozenset(Phase)
BETTING = frozenset({Phase.BETTING})

Targets = dict[str, tuple[object, ...]]
"""What an act can be about, by the field of `PossibleAct`."""


class By(NamedTuple):
    """Who does an act, and with which words."""

    person: str
    """Of an act of two people, the first."""
    reason: str
    token_digest: str = ""
    """Of a dealer's token, if one came with the act."""
    past: AnyPast | None = None
    """The round that it is about, where that is over: as in `PersonActs`."""
    line: NewShoeLine | BadShoeSection | None = None
    """As in `PersonActs`."""


class Seen(NamedTuple):
    """The table as people may see it: whether an act is offered must not give away a card that lies face down."""

    state: TableState
    phases: Sequence[Phase]
    """Those that the table may be in, by the cards that are shown."""
    role: Role
    """Whom the act is offered to."""


def _nothing(_draft: Draft, _act: Any, _by: By) -> None:  # noqa: ANN401 - any act
    pass


def _never_refused(_draft: Draft, _act: Any, _given: PersonActs) -> AnyRefusal | None:  # noqa: ANN401 - any act
    return None


def _offered(_seen: Seen) -> Targets | None:
    return {}


class ActAtTable(msgspec.Struct, frozen=True, kw_only=True):
    phases: frozenset[Phase]
    """The phases in which it is possible."""
    does: Callable[[Draft, Any, By], None] = _nothing
    why_not: Callable[[Draft, Any, PersonActs], AnyRefusal | None] = _never_refused
    """Why it is refused in one of its phases; nothing if it is not."""
    about: Callable[[Seen], Targets | None] = _offered
    """What it can be about; `None` where it is not to be offered."""
    takes_two: Callable[[Seen], bool] | None = None
    """Whether it takes two supervisors as the table stands; `None` where `messages/acts.py` says it."""
    two_if: str = ""
    """When it does, for the operator's manual."""


def only_if(is_possible: Callable[[Seen], bool]) -> Callable[[Seen], Targets | None]:
    """For an act that is about nothing in particular."""
    return lambda seen: {} if is_possible(seen) else None


def some(field: str, targets: tuple[object, ...]) -> Targets | None:
    return {field: targets} if targets else None
