"""The `[procedure]` section of a table's file: how the house deals. `table/procedure.py` says what it means."""

from typing import Literal

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard
from shoe_controller.table.procedure import FinishedRound, GateLocks, OverDrawn, Procedure

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
    shown_card: Literal["burn", "free_hand"] = "burn"
    discarded_card: Literal["void", "next_card"] = "void"
    finished_round: Literal["one_supervisor", "two_supervisors"] = "one_supervisor"
    gate_locks: Literal["when_stopped", "when_no_card_is_due"] = "when_no_card_is_due"
    confirm_after: int | float | str = NEVER
    draw_within: int | float | str = _DEFAULTS.draw_within or NEVER
    card_sets: tuple[str, ...] = _DEFAULTS.card_sets
    wrong_pins: int = _DEFAULTS.wrong_pins
    locked_out_for: int | float = _DEFAULTS.locked_out_for
    approve_within: int | float = _DEFAULTS.approve_within
    dealer_signs_in: bool = _DEFAULTS.dealer_signs_in
    new_dealer_burns: bool = _DEFAULTS.new_dealer_burns
    remainder: Literal["not_counted", "counted"] = "not_counted"


def procedure_from(entry: ProcedureEntry, problems: list[Problem]) -> Procedure:
    """Return how the house deals; what cannot be used is added to the problems."""
    section = Section("procedure", problems)
    section.whole_number("last_rounds", entry.last_rounds, 0, 20)
    section.whole_number("wrong_pins", entry.wrong_pins, 1, 20)
    _check_card_sets(section, entry.card_sets)
    if entry.new_dealer_burns and not entry.dealer_signs_in:
        section.problem("new_dealer_burns", "needs dealer_signs_in = true: the table knows a new dealer by the sign-in")
    return Procedure(
        bets_close=BetsClose(entry.bets_close),
        reveal=Reveal(entry.reveal),
        burn=entry.burn,
        last_rounds=entry.last_rounds,
        over_drawn=OverDrawn(entry.over_drawn),
        shown_card=ShownCard(entry.shown_card),
        discarded_card=DiscardedCard(entry.discarded_card),
        finished_round=FinishedRound(entry.finished_round),
        gate_locks=GateLocks(entry.gate_locks),
        confirm_after=_seconds_or_never(section, "confirm_after", entry.confirm_after),
        draw_within=_seconds_or_never(section, "draw_within", entry.draw_within),
        card_sets=entry.card_sets,
        wrong_pins=entry.wrong_pins,
        locked_out_for=_seconds(section, "locked_out_for", entry.locked_out_for),
        approve_within=_seconds(section, "approve_within", entry.approve_within),
        dealer_signs_in=entry.dealer_signs_in,
        new_dealer_burns=entry.new_dealer_burns,
        remainder=Remainder(entry.remainder),
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
