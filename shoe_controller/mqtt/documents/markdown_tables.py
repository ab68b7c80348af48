"""The tables of `docs/mqtt.md`, made from the contract and put between their markers in the text.

<!-- topics -->
(the table)
<!-- end -->
"""

import re
from collections.abc import Callable

from shoe_controller.mqtt.codes import CODES
from shoe_controller.mqtt.contract import EVENT_TOPICS, EVENTS, RequestRole, TopicKind, acts_of, contract
from shoe_controller.mqtt.documents.message_schemas import event_name
from shoe_controller.table.acts import ACTS

_MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def with_tables(document: str) -> str:
    """The document with each of its tables as it is now."""
    return _MARKED.sub(lambda found: f"<!-- {found[1]} -->\n{TABLES[found[1]]()}<!-- end -->", document)


def _table(*rows: tuple[str, ...]) -> str:
    head, *others = rows
    lines = [head, ("---",) * len(head), *others]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def topics() -> str:
    acts = {f"request/{role.value}/{name}" for role in RequestRole for name in acts_of(role)}
    rows = [
        (f"`{row.below}`", row.kind.value, row.what, _schemas_of(row.below))
        for row in contract()
        if row.below not in acts
    ]
    own = [
        (f"`request/{role.value}/{{act}}`", "request", f"what a {role.value} does", f"`request.{role.value}.{{act}}`")
        for role in (RequestRole.DEALER, RequestRole.SUPERVISOR)
    ]
    at = next(number for number, row in enumerate(rows) if row[1] == TopicKind.REQUEST.value)
    return _table(("topic", "kind", "what it holds", "schema"), *rows[: at + 1], *own, *rows[at + 1 :])


def _schemas_of(below: str) -> str:
    if below.startswith("event/"):
        return "see below"
    return "`reply.answer`, `reply.replayed_event`" if below.startswith("reply/") else f"`{below.replace('/', '.')}`"


def events() -> str:
    rows = [
        (f"`event/{topic}`", f"`{event_name(fact).removeprefix('event.')}`", text)
        for topic in EVENT_TOPICS
        for fact, text in EVENTS.items()
        if topic == fact.TOPIC
    ]
    return _table(("topic", "`fact`", "what it tells"), *rows)


def acts() -> str:
    dealers = acts_of(RequestRole.DEALER)
    rows = [
        (
            f"`{rule.name}`",
            "dealer" if rule.name in dealers else "two supervisors" if rule.two_people else "supervisor",
            rule.what,
            ", ".join(f"`{name}`" for name in act.__struct_fields__),
        )
        for act, rule in ACTS.items()
    ]
    return _table(("act", "who", "what it does", "`details`"), *rows)


def codes() -> str:
    return _table(("code", "what it means"), *((f"`{code}`", text) for code, text in CODES.items()))


TABLES: dict[str, Callable[[], str]] = {"topics": topics, "events": events, "acts": acts, "codes": codes}
