"""`docs/table.md` and `docs/operator.md` are true: generated parts are up to date, lists are complete.

Their commands are run in `tests/documents`.
"""

import re
from collections.abc import Iterator
from types import UnionType
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from firmware_protocol.events import Button, ButtonPressed
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.facts import AnyFact, Fact
from shoe_controller.messages.phases import Phase
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.inputs import AnyInput, ShoeReport
from shoe_controller.table.phases import TRANSITIONS
from tests.renew_documents import COMMAND, DOCS, PARTS, renewed
from tests.table.sitting import Sitting
from tests.table_files import EXAMPLE

TEXTS = {name: (DOCS / name).read_text(encoding="utf-8") for name in PARTS}
TABLE, OPERATOR = TEXTS["table.md"], TEXTS["operator.md"]
WRITTEN_BY_HAND = {
    name: re.sub(r"<!-- generated.*?<!-- end -->", "", text, flags=re.DOTALL) for name, text in TEXTS.items()
}


@pytest.mark.parametrize("name", PARTS)
def test_what_is_generated_is_up_to_date(name: str) -> None:
    assert TEXTS[name] == renewed(TEXTS[name], PARTS[name]), f"docs/{name} is behind the code; run `{COMMAND}`"


def test_the_check_can_fail() -> None:
    behind = TABLE.replace("no_shoe --> first_card", "no_shoe --> ended")
    assert behind != TABLE
    assert renewed(behind, PARTS["table.md"]) == TABLE
    with pytest.raises(ValueError, match="phases"):
        renewed("no parts", PARTS["table.md"])


def test_the_diagram_has_every_transition_and_phase() -> None:
    drawn = re.findall(r"^    (\w+) --> (\w+): (.+)$", TABLE, re.MULTILINE)
    assert len(drawn) == len(TRANSITIONS)
    assert {name for start, end, _ in drawn for name in (start, end)} == {phase.value for phase in Phase}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading of docs/table.md."""
    section = TABLE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def tags(union: Any) -> list[str]:  # noqa: ANN401 - a union of structs is no type of its own
    assert isinstance(union, UnionType)
    return [f"`{struct.__struct_config__.tag}`" for struct in get_args(union)]


def test_every_input_is_in_the_list() -> None:
    assert [row[0] for row in rows("Inputs")] == tags(AnyInput)


def test_every_fact_is_in_the_list_with_its_topic() -> None:
    facts: tuple[type[Fact], ...] = get_args(AnyFact)
    assert [row[0] for row in rows("Facts")] == tags(AnyFact)
    assert [row[1] for row in rows("Facts")] == [f"`{fact.TOPIC}`" for fact in facts]


def structs_of(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """A struct and those inside it that are its own, not ones that another document explains."""
    yield struct
    for hint in get_type_hints(struct).values():
        for part in _parts(hint):
            if isinstance(part, type) and issubclass(part, msgspec.Struct) and part.__module__ == struct.__module__:
                yield from structs_of(part)


def _parts(hint: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever a type can be
    yield hint
    for part in get_args(hint):
        yield from _parts(part)


def test_every_key_of_a_recalled_round_is_explained() -> None:
    section = TABLE.split("## Recalling rounds\n")[1]
    words = set(re.findall(r"`(?:[a-z_]+\[\]\.)*([a-z_]+)`", section))
    missing = [
        f"{struct.__name__}.{field}"
        for struct in structs_of(RecalledRound)
        for field in struct.__struct_fields__
        if field not in words
    ]
    assert missing == []
    assert Settlement not in list(structs_of(RecalledRound))


def test_the_manual_names_only_what_there_is() -> None:
    known = {rule.name for rule in ACTS.values()} | set(ALERTS) | {phase.value for phase in Phase} | {"this type"}
    keys = set(re.findall(r"^(?:# )?(\w+) = ", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"`([^`]+)`", WRITTEN_BY_HAND["operator.md"]))
    assert {name for name in named if name.partition(" = ")[0] not in keys} <= known


def test_the_lines_of_python_do_what_their_comments_say() -> None:
    (lines,) = re.findall(r"(?<=\n\n)((?: {4}handled = .*\n)(?: {4}.*\n)+)", TABLE)
    asking, _, taking = map(str.strip, lines.splitlines())
    sitting = Sitting()
    table, before = sitting.table, sitting.state
    given = ShoeReport(event=ButtonPressed(button=Button.CALL_SUPERVISOR), sequence=1)
    names = {"table": table, "given": given, "at": sitting.moment()}
    exec(asking, names)  # noqa: S102 - the document's own line
    assert table.state == before
    exec(taking, names)  # noqa: S102 - the document's own line
    assert table.state != before
