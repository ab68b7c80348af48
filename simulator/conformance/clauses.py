"""The clauses of PROTOCOL.md, each with its number and whom it binds. The page itself says how a program reads them."""

import re
from enum import Enum
from typing import NamedTuple


class Bound(Enum):
    SHOE = "shoe"
    CONTROLLER = "controller"
    BOTH = "both"


class Clause(NamedTuple):
    number: str
    bound: Bound
    must: bool
    """A MUST or MUST NOT; else a SHOULD, which is advice."""
    text: str
    """The whole clause on one line, without its number."""


_CLAUSE = re.compile(r"^- \*\*(\d+\.\d+) (shoe|controller|both)\*\* (.*(?:\n  .*)*)", re.MULTILINE)


def read_clauses(page: str) -> tuple[Clause, ...]:
    return tuple(
        Clause(number, Bound(bound), "MUST" in text, " ".join(text.split()))
        for number, bound, text in _CLAUSE.findall(page)
    )
