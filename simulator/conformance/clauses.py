"""The clauses of PROTOCOL.md: `**6.7 shoe** … MUST …`, each with its number and whom it binds."""

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
    """A MUST; else a SHOULD, which is advice."""
    text: str
    """The whole clause on one line, without its number."""


_HEAD = re.compile(r"\*\*(?P<number>\d+\.\d+[a-z]?) (?P<bound>shoe|controller|both)\*\*")
_END = re.compile(r"\n\s*\n|\n#|\n(?=\s*(?:[-*]|\d+\.|\|) )|\Z")
"""A clause ends with its paragraph, its item of a list or its row of a table."""


def read_clauses(page: str) -> tuple[Clause, ...]:
    heads = list(_HEAD.finditer(page))
    clauses = []
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        ending = _END.search(page, head.end())
        end = min(ending.start() if ending else len(page), following.start() if following else len(page))
        text = " ".join(page[head.end() : end].split()).strip("|").strip()
        clauses.append(Clause(head["number"], Bound(head["bound"]), "MUST" in text, text))
    return tuple(clauses)
