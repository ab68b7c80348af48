"""A state that is being worked on: a copy, with what is said about it on the way.

`table.py` makes one for each input. The files that look at inputs change the copies here and `say` what happened; when
the shell has stored the facts, the copy becomes the table's state.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.clock.moment import Moment
from shoe_controller.table.alerts import ALERTS, AlertKind, Scope, Severity, how_it_ends
from shoe_controller.table.facts import AlertEnded, AlertRaised, AnyFact, Fact
from shoe_controller.table.phases import TRANSITIONS, Move, Phase
from shoe_controller.table.procedure import Procedure
from shoe_controller.table.state import Alert, Refusal, Round, RulesSource, Shoe, TableState

ReadRules = Callable[[RulesSource], House]
"""Builds the rules of the house from their texts; always the same from the same texts."""

F = TypeVar("F", bound=Fact)

_NO_PROCEDURE = Procedure()


class Draft:
    def __init__(self, state: TableState, at: Moment, read_rules: ReadRules) -> None:
        self.at = at
        self.facts: list[AnyFact] = []
        self.refusal: Refusal | None = None
        self.read_rules = read_rules
        self.begin_anew(state)

    def begin_anew(self, state: TableState) -> None:
        """Work on a copy of this state."""
        self.state = copy(state)
        self.state.lasting = self.lasting = copy(state.lasting)
        self.state.shoe = copy(state.shoe)
        self.state.round = copy(state.round)

    # --- what is at hand ---------------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def now(self) -> int:
        return self.at.mono_ns

    @property
    def shoe(self) -> Shoe:
        shoe = self.state.shoe
        if shoe is None:
            raise RuntimeError(f"there is no shoe in phase {self.phase}")
        return shoe

    @property
    def round(self) -> Round:
        playing = self.state.round
        if playing is None:
            raise RuntimeError(f"there is no round in phase {self.phase}")
        return playing

    @property
    def house(self) -> House:
        return self.read_rules(self.shoe.rules)

    @property
    def procedure(self) -> Procedure:
        return _NO_PROCEDURE if self.state.shoe is None else self.state.shoe.rules.procedure

    @property
    def stopped(self) -> bool:
        return is_stopped(self.state)

    # --- what is done ------------------------------------------------------------------------------------------------

    def say(self, fact: type[F], **fields: Any) -> int:  # noqa: ANN401 - each fact has fields of its own
        """Add a fact, and return its number."""
        self.lasting.seq += 1
        said: Any = fact(
            seq=self.lasting.seq,
            time=self.at.wall_ms,
            shoe=self.state.shoe_number,
            round=self.state.round_number,
            **fields,
        )
        self.facts.append(said)
        return self.lasting.seq

    def move(self, move: Move) -> None:
        self.state.phase = TRANSITIONS[self.phase, move]

    def refuse(self, code: str, message: str) -> None:
        self.refusal = Refusal(code, message)

    def alert(
        self,
        kind: str,
        detail: str = "",
        *,
        card: int | None = None,
        fault: str | None = None,
        seats: tuple[str, ...] = (),
    ) -> None:
        """Raise an alert, unless the same one stands already."""
        if any(open_.kind == kind and open_.card == card and open_.fault == fault for open_ in self.lasting.alerts):
            return
        known = ALERTS[kind]
        self.lasting.alerts_raised += 1
        number = self.lasting.alerts_raised
        seq = self.say(
            AlertRaised,
            alert=number,
            kind=kind,
            severity=known.severity.value,
            happened=known.happened,
            detail=detail,
            to_do=known.to_do,
            ends=how_it_ends(known),
        )
        raised = Alert(number=number, kind=kind, detail=detail, card=card, seq=seq, fault=fault, seats=seats)
        self.lasting.alerts = (*self.lasting.alerts, raised)

    def end_alert(self, alert: Alert, ended_by: str) -> None:
        was_stopped = self.stopped
        self.lasting.alerts = tuple(other for other in self.lasting.alerts if other.number != alert.number)
        self.say(AlertEnded, alert=alert.number, kind=alert.kind, ended_by=ended_by, replaces=alert.seq)
        if was_stopped and not self.stopped and self.state.round is not None:
            # Whoever waited for the alert gets the whole time again.
            self.state.round.resumed_ns = self.now

    def end_alerts(self, ended_by: str, *kinds: str, scope: Scope | None = None) -> None:
        """End those of these kinds, and those of this scope."""
        for alert in self.lasting.alerts:
            if alert.kind in kinds or ALERTS[alert.kind].scope is scope:
                self.end_alert(alert, ended_by)

    def has_alert(self, *kinds: str) -> bool:
        return any(alert.kind in kinds for alert in self.lasting.alerts)

    def replace_card(self, number: int, **changes: Any) -> None:  # noqa: ANN401 - fields of a laid card
        cards = list(self.round.cards)
        cards[number - 1] = msgspec.structs.replace(cards[number - 1], **changes)
        self.round.cards = tuple(cards)


def is_stopped(state: TableState) -> bool:
    return any(ALERTS[alert.kind].severity is Severity.STOPS for alert in state.lasting.alerts)


def kind_of(alert: Alert) -> AlertKind:
    return ALERTS[alert.kind]
