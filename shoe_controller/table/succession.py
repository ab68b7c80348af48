"""A table whose journal was rolled back: its state goes on in a new journal, which counts its events from 1 again."""

from typing import Any

import msgspec

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import RolledBack
from shoe_controller.table.state import TableState

_NUMBERS_OF_EVENTS = frozenset({"seq", "outcome_seq", "settlement_seq", "ended_seq", "remainder_seq"})


def for_new_journal(state: TableState) -> TableState:
    """The state without the numbers of the old journal's events, and without a proposal: nobody has seen it proposed.

    Nor is a dealer on duty: the sign-in may be one that has ended since.

    0 stands for an event of the old journal, so that what was published there still counts as published.
    """
    plain = msgspec.to_builtins(state)
    plain["lasting"]["proposal"] = plain["lasting"]["dealer"] = None
    return msgspec.convert(_numbered_anew(plain), TableState)


def _numbered_anew(value: Any) -> Any:  # noqa: ANN401 - plain values of any shape
    match value:
        case dict():
            return {
                key: 0 if key in _NUMBERS_OF_EVENTS and each is not None else _numbered_anew(each)
                for key, each in value.items()
            }
        case list() | tuple():
            return [_numbered_anew(each) for each in value]
        case _:
            return value


def take_over_state(draft: Draft, given: RolledBack) -> None:
    draft.restart_from(given.state)
    # Each rolled-back journal has an alert of its own, also where one stands from an earlier time.
    draft.alert(AlertKind.JOURNAL_ROLLED_BACK, given.behind, fault=given.behind.journal)
