"""Writes the generated parts of the documents anew: `python -m tests.renew_documents`.

A part stands between `<!-- generated: name -->` and `<!-- end -->`; what it holds comes from the code.
`test_table_documents.py` fails when a document is behind.
"""

import re
from pathlib import Path

from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.alerts import Clearer
from shoe_controller.table import act_phases, phases
from shoe_controller.table.alerts import ALERTS, AlertRule
from shoe_controller.words.render import ENGLISH

DOCS = Path(__file__).parent.parent / "docs"
COMMAND = "python -m tests.renew_documents"

_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _reasons() -> str:
    names = [f"`{rule.name}`" for rule in ACTS.values() if rule.reason]
    return f"A reason must be given for {', '.join(names[:-1])} and {names[-1]}.\n"


def _how_it_ends(rule: AlertRule) -> str:
    ways = [f"by itself {ENGLISH.ends(rule.kind)}"] if rule.ends_itself else []
    if rule.cleared_by is not Clearer.NOBODY:
        ways.append(f"the {rule.cleared_by} clears it")
    return ", ".join([*ways, *(f"`{act}`" for act in rule.ended_by)])


def _alerts() -> str:
    lines = ["| alert | | what happened | what the dealer does | what ends it |", "|---|---|---|---|---|"]
    lines += [
        f"| `{kind}` | {rule.severity} | {ENGLISH.happened(kind)} | {ENGLISH.to_do(kind)} | {_how_it_ends(rule)} |"
        for kind, rule in ALERTS.items()
    ]
    return "\n".join(lines) + "\n"


PARTS = {
    "table.md": {"phases": f"```mermaid\n{phases.diagram()}```\n"},
    "operator.md": {"reasons": _reasons(), "acts": act_phases.markdown_table(), "alerts": _alerts()},
}


def renewed(text: str, parts: dict[str, str]) -> str:
    """The document with these parts, each of which must be in it once."""
    found = [name for _, name, _ in _PART.findall(text)]
    if sorted(found) != sorted(parts):
        raise ValueError(f"the generated parts should be {sorted(parts)}, not {sorted(found)}")
    return _PART.sub(lambda match: f"{match[1]}\n{parts[match[2]]}\n{match[3]}", text)


def main() -> None:
    for name, parts in PARTS.items():
        file = DOCS / name
        file.write_text(renewed(file.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
