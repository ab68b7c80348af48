"""Writes the generated parts of the documents anew: `python -m tests.renew_documents`.

A part stands between `<!-- generated: name -->` and `<!-- end -->`; what it holds comes from the code.
`test_table_documents.py` fails when a document is behind.
"""

import re
from pathlib import Path

from shoe_controller.messages.acts import ACTS, Role
from shoe_controller.messages.alerts import Clearer
from shoe_controller.table import acts, phases
from shoe_controller.table.alerts import ALERTS, AlertRule
from shoe_controller.words.render import ENGLISH
from tests.web.words import TABLE, TAGS, read

DOCS = Path(__file__).parent.parent / "docs"
COMMAND = "python -m tests.renew_documents"

_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _reasons() -> str:
    names = [f"`{rule.name}`" for rule in ACTS.values() if rule.reason]
    needed = f"A reason must be given for {', '.join(names[:-1])} and {names[-1]}"
    at_times = "for `clear_alert` where only a supervisor may clear the alert"
    return f"{needed}; {at_times}, and for `open_shoe` where only a supervisor may open the shoe.\n"


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


AT_BOTTOM, IN_SUPERVISOR_MODE = "at the bottom", "**Supervisor**"

PLACES = {
    "open_shoe": f"{AT_BOTTOM}; where only a supervisor may open it, {IN_SUPERVISOR_MODE}",
    "sign_in": "at the door; for supervisor mode, **Supervisor** at the bottom",
    "sign_out": f"at the top; of a dealer who has left, {IN_SUPERVISOR_MODE}",
    "confirm": f"{AT_BOTTOM}; after a result was taken back, {IN_SUPERVISOR_MODE}",
    "reveal_cards": f"{AT_BOTTOM}, for each hand",
    "clear_alert": "**Alerts**, beside the alert",
    "blink_shoe": "**Alerts**, below them",
    "deal_card": "**Cards**, while the table is dealt by hand: rank, suit, then this",
    "note": f"**Rounds**; on an earlier round, {IN_SUPERVISOR_MODE}",
    "close_dispute": f"**Alerts**, beside the dispute; or {IN_SUPERVISOR_MODE}",
    "collect_commission": "**Payments**, beside the seat",
    "approve": "**Alerts**, beside the proposal",
    "withdraw": "**Alerts**, beside the proposal",
}
"""Where the console offers an act; others are at the bottom if they are the dealer's, or else in supervisor mode."""

BUTTONS = {"sign_in": "enter", "clear_alert": "clear", "deal_card": "enter_dealt", "collect_commission": "collect"}
"""Whose button has another word than the act."""


def button_of(act: str, tag: str) -> str:
    """What is on the button of an act, in a language."""
    word = BUTTONS.get(act, act)
    return str(read("console", tag).get(word) or TABLE[tag]["acts"][word]).replace("{card}", "…")


def _buttons() -> str:
    lines = ["| act | button | 繁體 | 简体 | where |", "|---|---|---|---|---|"]
    for rule in ACTS.values():
        place = PLACES.get(rule.name, AT_BOTTOM if rule.role is Role.DEALER else IN_SUPERVISOR_MODE)
        lines.append(f"| `{rule.name}` | {' | '.join(button_of(rule.name, tag) for tag in TAGS)} | {place} |")
    return "\n".join(lines) + "\n"


PARTS = {
    "table.md": {"phases": f"```mermaid\n{phases.diagram()}```\n"},
    "operator.md": {"reasons": _reasons(), "buttons": _buttons(), "acts": acts.markdown_table(), "alerts": _alerts()},
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
