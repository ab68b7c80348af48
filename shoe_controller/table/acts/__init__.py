"""Every act at the table, by subject: each file lists its own, with phases, refusals, effects and what is offered.

`table/people.py` decides who may act and calls these; `table/possible_acts.py` offers them on displays.
"""

from shoe_controller.messages.acts import ACTS, Act
from shoe_controller.messages.phases import Phase
from shoe_controller.table.acts import (
    alerts,
    amendments,
    assigning,
    cards,
    commission,
    disputes,
    entry,
    people,
    rounds,
    shoe,
    wagers,
)
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, Seen

AT_TABLE: dict[type[Act], ActAtTable] = {
    **shoe.ACTS,
    **rounds.ACTS,
    **cards.ACTS,
    **assigning.ACTS,
    **wagers.ACTS,
    **amendments.ACTS,
    **entry.ACTS,
    **alerts.ACTS,
    **disputes.ACTS,
    **commission.ACTS,
    **people.ACTS,
}


def at_table(act: Act) -> ActAtTable:
    return AT_TABLE[type(act)]


def takes_two(act: type[Act], seen: Seen) -> bool:
    """Whether it is proposed by one supervisor and approved by another."""
    depends = AT_TABLE[act].takes_two
    return ACTS[act].two_people if depends is None else depends(seen)


def markdown_table() -> str:
    """The acts, for the operator's manual."""
    lines = ["| act | who | what it does | when |", "|---|---|---|---|"]
    for act, rule in ACTS.items():
        phases = AT_TABLE[act].phases
        who = "two supervisors" if rule.two_people else f"the {rule.role.value}"
        if AT_TABLE[act].two_if:
            who += f"; two {AT_TABLE[act].two_if}"
        when = "always" if phases == ANY_PHASE else ", ".join(phase.value for phase in Phase if phase in phases)
        lines.append(f"| `{rule.name}` | {who} | {rule.what} | {when} |")
    return "\n".join(lines) + "\n"
