"""Which faults and irregularities a person means: by their own names, or by that of an alert that they raise. Pure."""

from shoe_controller.baccarat.wagers import unknown
from shoe_controller.demo.faults import FAULTS, NOT_SHOWN, DemoFault, faults_on
from shoe_controller.demo.irregularities import IRREGULARITIES, Irregularity, irregularities_at
from shoe_controller.messages.alerts import AlertKind

ALL_FAULTS, NO_FAULTS = "1", "0"
"""Values for yes and no."""

ENTRIES: dict[str, DemoFault | Irregularity] = {**FAULTS, **IRREGULARITIES}
ALERTS = frozenset(kind.value for kind in AlertKind)


class BadFaultError(ValueError):
    """A fault that does not exist, or not on this wire or with this game."""


def chosen_faults(text: str, wire: str, game: str) -> tuple[str, ...]:
    """The names, in the order in which they were given; an alert stands for everything that raises it here."""
    if text in (ALL_FAULTS, NO_FAULTS):
        return _all_at(wire, game) if text == ALL_FAULTS else ()
    chosen: list[str] = []
    for name in (part.strip() for part in text.split(",")):
        if name in ENTRIES:
            _check_possible(name, wire, game)
            chosen.append(name)
        elif name in ALERTS:
            chosen += _raising(name, wire, game)
        else:
            raise BadFaultError(
                unknown("fault or alert", name, [*ENTRIES, *sorted(ALERTS)], listed_by="shoe-controller demo --help")
            )
    return tuple(dict.fromkeys(chosen))


def _all_at(wire: str, game: str) -> tuple[str, ...]:
    return (*faults_on(wire), *irregularities_at(wire, game))


def _check_possible(name: str, wire: str, game: str) -> None:
    entry = ENTRIES[name]
    if name in NOT_SHOWN[wire]:
        raise BadFaultError(f"the {wire} wire shows nothing of {name}: leave it out")
    if wire not in entry.wires:
        raise BadFaultError(f"the {wire} wire cannot express {name}: leave it out")
    if isinstance(entry, Irregularity) and game not in entry.games:
        raise BadFaultError(f"{name} needs the game {' or '.join(entry.games)}: leave it out")


def _raising(alert: str, wire: str, game: str) -> list[str]:
    possible = _all_at(wire, game)
    anywhere = [name for name, entry in ENTRIES.items() if alert in _shown_by(entry)]
    here = [name for name in anywhere if name in possible]
    if here:
        return here
    if not anywhere:
        raise BadFaultError(f"nothing in the demo raises the alert {alert}: leave it out")
    raise BadFaultError(
        f"the alert {alert} is raised by {', '.join(anywhere)}, which the wire {wire} and the game {game} do not have: "
        "leave it out, or choose another wire or game"
    )


def _shown_by(entry: DemoFault | Irregularity) -> frozenset[str]:
    return entry.caught_by if isinstance(entry, DemoFault) else entry.put_right_by
