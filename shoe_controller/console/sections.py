"""What the page is told: plain values made from the model, ready to be encoded. Pure.

Each section is a part of the page that is drawn anew when it changes; a page gets those that did.
"""

import msgspec

from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.baccarat.wagers import Names
from shoe_controller.console.allowed import OfferedAct, betting_is_open, dealer_acts, supervisor_acts
from shoe_controller.console.model import ConsoleModel
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.mqtt.contract import InfoMessage, StateMessage
from shoe_controller.table.view import AlertView
from shoe_controller.web.push import SentSections
from shoe_controller.web.sentences import Prompt, Sentence, prompt_of, reason_of


class LiveSection(msgspec.Struct, frozen=True, kw_only=True):
    live: bool
    why: str
    """Why not: "broker", "controller", or nothing."""
    unverified: bool
    """The shoe has not proven itself with its key."""
    storing: bool
    waits: str
    """What of a changed configuration waits for the next shoe."""


class TakenWager(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    names: Names
    min: int
    max: int


class TableSection(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    currency: str
    seats: tuple[str, ...]
    wagers: tuple[TakenWager, ...]
    unit: int
    """Stakes are multiples of it."""
    reveal: str


class PlaySection(msgspec.Struct, frozen=True, kw_only=True):
    """The table at this moment, and what may be done."""

    state: StateMessage
    prompt: Prompt
    """What comes next, taken apart so that the page can say it in its own language."""
    alerts: tuple[AlertView, ...]
    """What stops the table first."""
    betting: bool
    """Whether wagers are taken."""
    dealer: tuple[OfferedAct, ...]
    supervisor: tuple[OfferedAct, ...]


class PaymentSection(msgspec.Struct, frozen=True, kw_only=True):
    """The settlement that the dealer works off."""

    seq: int
    shoe: int
    round: int
    settlement: Settlement
    again: bool
    """The round was settled before: what was paid then has to be put right by hand."""


def sections(model: ConsoleModel) -> dict[str, object]:
    info, state = model.info, model.state
    return {
        "live": _live(model),
        "table": None if info is None else _table(info),
        "play": None if info is None or state is None else _play(info, state, model),
        "payment": _payment(model),
    }


def _live(model: ConsoleModel) -> LiveSection:
    status = model.status
    live = model.online
    why = "" if live else "controller" if model.connected else "broker"
    return LiveSection(
        live=live,
        why=why,
        unverified=live and status is not None and status.shoe_link and not status.authenticated,
        storing=status is None or status.storing,
        waits="" if model.info is None else model.info.rules_wait,
    )


def _table(info: InfoMessage) -> TableSection:
    return TableSection(
        name=info.table,
        title=info.title or info.table,
        currency=info.currency,
        seats=info.seats,
        wagers=tuple(TakenWager(id=w.id, names=w.names, min=w.min, max=w.max) for w in info.offered),
        unit=info.rounding.unit,
        reveal=info.reveal.value,
    )


def _play(info: InfoMessage, state: StateMessage, model: ConsoleModel) -> PlaySection:
    alerts = {alert.alert: alert for alert in state.alerts}
    unstored = None if model.status is None else model.status.alert
    if unstored is not None and unstored.alert == 0:
        alerts[0] = unstored  # one that cannot be stored is in the status alone
    live = model.online
    return PlaySection(
        state=state,
        prompt=prompt_of(state.prompt),
        alerts=tuple(sorted(alerts.values(), key=lambda alert: (alert.severity != "stops", alert.alert))),
        betting=live and betting_is_open(state),
        dealer=dealer_acts(info, state) if live else (),
        supervisor=supervisor_acts(info, state) if live else (),
    )


def _payment(model: ConsoleModel) -> PaymentSection | None:
    settled, state = model.settlement, model.state
    if settled is None or state is None or settled.shoe != state.shoe:
        return None
    return PaymentSection(
        seq=settled.seq,
        shoe=settled.shoe,
        round=settled.round,
        settlement=settled.settlement,
        again=settled.replaces is not None,
    )


class Feed:
    """What one open page gets: first everything, then whatever has changed. `null` takes a section away."""

    def __init__(self, model: ConsoleModel) -> None:
        self._model = model
        self._seen = -1
        self._told = SentSections()

    def news(self) -> bytes | None:
        """What to tell the page now; `None` if it knows everything."""
        if self._model.version == self._seen:
            return None
        self._seen = self._model.version
        return self._told.message(sections(self._model))


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """The last rounds, and beside them every reason in them taken apart, by its own words."""

    rounds: list[RecalledRound]
    reasons: dict[str, Sentence]


def recalled(rounds: list[RecalledRound]) -> Recalled:
    attempts = [attempt for played in rounds for attempt in played.attempts]
    said = {card.why for attempt in attempts for card in attempt.cards}
    said |= {result.why for attempt in attempts for result in attempt.results}
    reasons = {why: sentence for why in sorted(said) if (sentence := reason_of(why)) is not None and sentence.code}
    return Recalled(rounds=rounds, reasons=reasons)
