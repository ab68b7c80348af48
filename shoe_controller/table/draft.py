"""A state that is being worked on: a copy, with the facts emitted on the way.

`table.py` makes one for each input. The files that look at inputs change the copies here and `emit` facts; when the
shell has stored the facts, the copy becomes the table's state.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.clock.moment import Moment
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.causes import AnyAlertEnd
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.facts import AlertEnded, AlertRaised, AnyFact, Fact
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.table.alerts import Scope, alert_message, rule_of
from shoe_controller.table.phases import Move, after
from shoe_controller.table.procedure import Procedure
from shoe_controller.table.remedies import remedy_of
from shoe_controller.table.state import Alert, Round, RulesSource, Shoe, TableState

ReadRules = Callable[[RulesSource], House]
"""Builds the rules of the house from their texts; always the same from the same texts."""

F = TypeVar("F", bound=Fact)

_NO_PROCEDURE = Procedure()


class Draft:
    def __init__(self, state: TableState, at: Moment, read_rules: ReadRules) -> None:
        self.at = at
        self.facts: list[AnyFact] = []
        self.refusal: AnyRefusal | None = None
        self.read_rules = read_rules
        self.deals_on = False
        """Whether cards are dealt that came while something stopped the table (`dealing_on.py`)."""
        self.restart_from(state)

    def restart_from(self, state: TableState) -> None:
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

    def emit(self, fact: type[F], **fields: Any) -> int:  # noqa: ANN401 - each fact has fields of its own
        """Add a fact, and return its number."""
        self.lasting.seq += 1
        emitted: Any = fact(
            seq=self.lasting.seq,
            time=self.at.wall_ms,
            shoe=self.state.shoe_number,
            round=self.state.round_number,
            **fields,
        )
        self.facts.append(emitted)
        return self.lasting.seq

    def move(self, move: Move) -> None:
        self.state.phase = after(self.phase, move)

    def refuse(self, refusal: AnyRefusal) -> None:
        self.refusal = refusal

    def alert(
        self,
        kind: AlertKind,
        detail: AnyDetail | None = None,
        *,
        card: int | None = None,
        fault: str | None = None,
        seats: tuple[str, ...] = (),
    ) -> None:
        """Raise an alert, unless the same one stands already."""
        if any(open_.kind == kind and open_.card == card and open_.fault == fault for open_ in self.lasting.alerts):
            return
        self.lasting.alerts_raised += 1
        number, seq = self.lasting.alerts_raised, self.lasting.seq + 1
        raised = Alert(number=number, kind=kind, detail=detail, card=card, seq=seq, fault=fault, seats=seats)
        raised = msgspec.structs.replace(raised, remedy=remedy_of(self.state, raised))
        self.emit(AlertRaised, alert=alert_message(raised))
        self.lasting.alerts = (*self.lasting.alerts, raised)

    def end_alert(self, alert: Alert, cause: AnyAlertEnd) -> None:
        was_stopped = self.stopped
        self.lasting.alerts = tuple(other for other in self.lasting.alerts if other.number != alert.number)
        self.emit(AlertEnded, alert=alert_message(alert), cause=cause, replaces=alert.seq)
        if was_stopped and not self.stopped and self.state.round is not None:
            # The time that a person has for the next step starts again.
            self.state.round.resumed_ns = self.now

    def end_alerts(self, cause: AnyAlertEnd, *kinds: AlertKind, scope: Scope | None = None) -> None:
        """End those of these kinds, and those of this scope."""
        for alert in self.lasting.alerts:
            if alert.kind in kinds or rule_of(alert).scope is scope:
                self.end_alert(alert, cause)

    def has_alert(self, *kinds: AlertKind) -> bool:
        return any(alert.kind in kinds for alert in self.lasting.alerts)

    def replace_card(self, number: int, **changes: Any) -> None:  # noqa: ANN401 - fields of a laid card
        cards = list(self.round.cards)
        cards[number - 1] = msgspec.structs.replace(cards[number - 1], **changes)
        self.round.cards = tuple(cards)


def is_stopped(state: TableState) -> bool:
    return any(rule_of(alert).severity is Severity.STOPS for alert in state.lasting.alerts)
