"""What a campaign met: mishaps by phase, wagers by base game, acts, events and alerts. Blind spots are failures.

Of so many seeds as `ENOUGH`, every cell must have been met that can be. A cell that cannot says why; if it is met all
the same, the reason is wrong, however few the seeds.
"""

from collections import Counter

from rich.table import Table

from shoe_controller.daemon.table_journal import TOPICS_BY_FACT
from shoe_controller.messages.acts import ACTS
from shoe_controller.table.alerts import ALERTS
from tests.simulation.aims import PHASES
from tests.simulation.houses import GAMES, every_wager
from tests.simulation.mishaps import AROUND, NEVER_RAISED, SHOE_FAULTS, why_never

ENOUGH = 1000
ALL_ACTS = sorted(rule.name for rule in ACTS.values())
ALL_FACTS = sorted(TOPICS_BY_FACT)
MEANING = (
    "A number is how often the mishap came in that phase of the table (down: no daemon runs). (1), (2): it cannot, for "
    f"the reason below; if it comes all the same, the campaign fails. none: from {ENOUGH} seeds on, the campaign fails."
)

Met = Counter[tuple[str, str]]


def coverage_table(met: Met) -> Table:
    """How often each mishap came in each phase of the table; where it never can, why."""
    table = Table(title="mishaps by the phase in which they came")
    table.add_column("mishap")
    for phase in PHASES:
        table.add_column(phase, justify="right")
    reasons: dict[str, int] = {}
    for name in (*SHOE_FAULTS, *AROUND):
        cells = []
        for phase in PHASES:
            count = met[name, phase]
            why = why_never(name, phase)
            if count:
                cells.append(str(count) if why is None else f"[bold]{count}, and it cannot[/bold]")
            elif why is None:
                cells.append("[bold]none[/bold]")
            else:
                cells.append(f"({reasons.setdefault(why, len(reasons) + 1)})")
        table.add_row(name, *cells)
    table.caption = "\n".join([MEANING, *(f"({number}) {why}" for why, number in reasons.items())])
    return table


def alerts_table(alerts: Counter[str]) -> Table:
    """How often each alert was raised: those that never were are shown as well, with the reason where there is one."""
    table = Table(title="alerts that were raised")
    table.add_column("alert")
    table.add_column("times", justify="right")
    table.add_column("")
    for kind in sorted(ALERTS):
        table.add_row(kind, str(alerts[kind] or "none"), "" if alerts[kind] else NEVER_RAISED.get(kind, ""))
    return table


def acts_table(acts: Counter[str]) -> Table:
    """How often people did each thing that they can do."""
    table = Table(title="acts of dealers and supervisors")
    table.add_column("act")
    table.add_column("times", justify="right")
    for name in ALL_ACTS:
        table.add_row(name, str(acts[name] or "none"))
    return table


def facts_table(facts: Counter[str]) -> Table:
    """How often each kind of event was published."""
    table = Table(title="events")
    table.add_column("event")
    table.add_column("times", justify="right")
    for name in ALL_FACTS:
        table.add_row(name, str(facts[name] or "none"))
    return table


def blind_spots(met: Met, settled: Met, acts: Counter[str], facts: Counter[str], seeds: int) -> list[str]:
    """What makes the campaign fail, in sentences."""
    found = [
        f"{name} came in the phase {phase}, and this is said to be impossible: {why_never(name, phase)}"
        for name, phase in sorted(met)
        if why_never(name, phase) is not None
    ]
    if seeds >= ENOUGH:
        found += [
            f"{name} never came in the phase {phase}, and no reason says that it cannot"
            for name in (*SHOE_FAULTS, *AROUND)
            for phase in PHASES
            if not met[name, phase] and why_never(name, phase) is None
        ]
        found += [
            f"{wager} was never settled in the base game {game}"
            for game in GAMES
            for wager in every_wager()
            if not settled[game, wager]
        ]
        found += [f"nobody ever did {name}" for name in ALL_ACTS if not acts[name]]
        found += [f"nothing ever led to the event {name}" for name in ALL_FACTS if not facts[name]]
    return found


def wagers_line(settled: Met) -> str:
    return (
        f"{settled.total()} wagers were settled and reckoned a second time from the cards: "
        f"{len(settled)} of {len(GAMES) * len(every_wager())} kinds (base game and wager)"
    )
