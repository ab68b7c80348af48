"""The tables of `docs/mqtt.md`, made from the contract and put between their markers in the text.

<!-- topics -->
(the table)
<!-- end -->
"""

import re
from collections.abc import Callable
from enum import Enum
from functools import partial

import msgspec

from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.alerts import Clearer, Remedy, Severity
from shoe_controller.messages.causes import CorrectionCause, DiscardCause, ReturnCause
from shoe_controller.messages.codes import FAMILIES, codes_of
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Reveal, ShownCard
from shoe_controller.messages.requests import RequestRole, acts_of
from shoe_controller.messages.topics import EVENT_TOPICS, EVENTS, TopicKind, TopicRow, contract, event_topic
from shoe_controller.mqtt.documents.json_schema import class_text, field_texts
from shoe_controller.mqtt.documents.message_schemas import event_name, name_of

_MARKED = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def with_tables(document: str) -> str:
    """The document with each of its tables as it is now."""
    return _MARKED.sub(lambda found: f"<!-- {found[1]} -->\n{TABLES[found[1]]()}<!-- end -->", document)


def _table(*rows: tuple[str, ...]) -> str:
    head, *others = rows
    lines = [head, ("---",) * len(head), *others]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def topics() -> str:
    rows = [(f"`{row.below}`", row.kind.value, row.what, _schemas_of(row)) for row in contract() if row.act is None]
    own = [_acts_of(role) for role in (RequestRole.DEALER, RequestRole.SUPERVISOR)]
    at = next(number for number, row in enumerate(rows) if row[1] == TopicKind.REQUEST.value)
    return _table(("topic", "kind", "what it holds", "schema"), *rows[: at + 1], *own, *rows[at + 1 :])


def _acts_of(role: RequestRole) -> tuple[str, ...]:
    """One row for all acts of a role."""
    some = next(row for row in contract() if row.act is not None and f"/{role.value}/" in row.below)
    topic = f"{some.below.rpartition('/')[0]}/{{act}}"
    return f"`{topic}`", "request", f"what a {role.value} does", f"`request.{role.value}.{{act}}`"


def _schemas_of(row: TopicRow) -> str:
    match row.kind:
        case TopicKind.EVENT:
            return "see below"
        case TopicKind.REPLY:
            return "`reply.answer`, `reply.replayed_event`, `reply.replayed_events`"
    return f"`{name_of(row)}`"


def events() -> str:
    rows = [
        (f"`{event_topic(topic)}`", f"`{event_name(fact).removeprefix('event.')}`", text)
        for topic in EVENT_TOPICS
        for fact, text in EVENTS.items()
        if topic == fact.TOPIC
    ]
    return _table(("topic", "`fact`", "what happened"), *rows)


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


def codes(family: str) -> str:
    """The codes of a family, each with its values."""
    rows = [
        (f"`{code}`", ", ".join(f"`{field.name}`" for field in msgspec.structs.fields(of)), class_text(of))
        for code, of in codes_of(family).items()
    ]
    return _table(("code", "values", "what it means"), *rows)


def values(of: type[Enum]) -> str:
    """The values of an enumeration."""
    texts = field_texts(of)
    return _table(
        ("value", "what it means"), *((f"`{member.value}`", texts[name]) for name, member in of.__members__.items())
    )


ENUMERATIONS = {
    "phases": Phase,
    "severities": Severity,
    "clearers": Clearer,
    "return_causes": ReturnCause,
    "correction_causes": CorrectionCause,
    "discard_causes": DiscardCause,
    "remedies": Remedy,
    "shown_card": ShownCard,
    "discarded_card": DiscardedCard,
    "bets_close": BetsClose,
    "reveal": Reveal,
}

TABLES: dict[str, Callable[[], str]] = {
    "topics": topics,
    "events": events,
    "acts": acts,
    **{family: partial(codes, family) for family in FAMILIES},
    **{name: partial(values, of) for name, of in ENUMERATIONS.items()},
}
