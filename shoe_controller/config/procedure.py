"""The `[procedure]` section of a table's file: how the house deals. `table/procedure.py` says what it means."""

from typing import Literal

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.procedure import GateLocks, OverDrawn, Procedure

NEVER = "never"
"""In place of seconds: no limit."""

LONGEST_SECONDS = 86_400
LONGEST_SET_NAME = 32
"""Longest name of a set of decks that a shoe can send."""

_DEFAULTS = Procedure()


class ProcedureEntry(msgspec.Struct):
    bets_close: Literal["first_card", "dealer"] = "first_card"
    reveal: Literal["at_draw", "by_dealer", "at_result"] = "at_draw"
    burn: bool = _DEFAULTS.burn
    last_rounds: int = _DEFAULTS.last_rounds
    over_drawn: Literal["burn", "use"] = "burn"
    gate_locks: Literal["when_stopped", "when_no_card_is_due"] = "when_no_card_is_due"
    confirm_after: int | float | str = NEVER
    draw_within: int | float | str = _DEFAULTS.draw_within or NEVER
    card_sets: tuple[str, ...] = _DEFAULTS.card_sets
    wrong_pins: int = _DEFAULTS.wrong_pins
    locked_out_for: int | float = _DEFAULTS.locked_out_for
    approve_within: int | float = _DEFAULTS.approve_within


def procedure_from(entry: ProcedureEntry, problems: list[Problem]) -> Procedure:
    """Return how the house deals; what cannot be used is added to the problems."""
    section = Section("procedure", problems)
    section.whole_number("last_rounds", entry.last_rounds, 0, 20)
    section.whole_number("wrong_pins", entry.wrong_pins, 1, 20)
    _check_card_sets(section, entry.card_sets)
    return Procedure(
        bets_close=BetsClose(entry.bets_close),
        reveal=Reveal(entry.reveal),
        burn=entry.burn,
        last_rounds=entry.last_rounds,
        over_drawn=OverDrawn(entry.over_drawn),
        gate_locks=GateLocks(entry.gate_locks),
        confirm_after=_seconds_or_never(section, "confirm_after", entry.confirm_after),
        draw_within=_seconds_or_never(section, "draw_within", entry.draw_within),
        card_sets=entry.card_sets,
        wrong_pins=entry.wrong_pins,
        locked_out_for=_seconds(section, "locked_out_for", entry.locked_out_for),
        approve_within=_seconds(section, "approve_within", entry.approve_within),
    )


def _seconds(section: Section, key: str, value: float) -> float:
    if not 0 < value <= LONGEST_SECONDS:
        section.problem(key, f"must be seconds, more than 0 and at most {LONGEST_SECONDS}, not {value}")
        return 1.0  # never used
    return float(value)


def _seconds_or_never(section: Section, key: str, value: float | str) -> float | None:
    if value == NEVER:
        return None
    if isinstance(value, str):
        section.problem(key, f'must be a number of seconds or "{NEVER}", not {value!r}')
        return None
    return _seconds(section, key, value)


def _check_card_sets(section: Section, names: tuple[str, ...]) -> None:
    for number, name in enumerate(names, 1):
        if not (name.strip() and name.isascii() and name.isprintable() and len(name) <= LONGEST_SET_NAME):
            message = f"must be 1 to {LONGEST_SET_NAME} printable ASCII characters, as the shoe sends them"
            section.problem(f"card_sets[{number}]", message)
        if name in names[: number - 1]:
            section.problem(f"card_sets[{number}]", f"{name!r} is listed more than once")
