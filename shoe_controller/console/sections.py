"""What the page shows: plain values made from the model, ready to be encoded. Pure.

Each section is a part of the page that is drawn anew when it changes; a page gets those that did.
"""

import msgspec

from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.baccarat.wagers import Names
from shoe_controller.console.model import ConsoleModel, SaysDifference
from shoe_controller.messages.acts import (
    ACTS,
    ActName,
    Approve,
    ClearAlert,
    Confirm,
    Note,
    OpenShoe,
    Role,
    SignIn,
    SignOut,
    Withdraw,
)
from shoe_controller.messages.alerts import AlertMessage, Severity
from shoe_controller.messages.facts import RoundAmended, SettlementUndone
from shoe_controller.messages.retained import InfoMessage, PossibleAct, StateMessage
from shoe_controller.messages.topics import round_id
from shoe_controller.web.push import SentSections

BESIDE = (SignIn, ClearAlert, Approve, Withdraw)
"""Acts that have no button of their own: beside the alert or the proposal that they are about, or at the door."""

SUPERVISOR_ACTS = tuple(
    rule
    for act, rule in ACTS.items()
    if act not in BESIDE and (rule.role is Role.SUPERVISOR or act in (OpenShoe, Confirm, Note, SignOut))
)
"""The list of supervisor mode: it shows also what is not possible at the moment."""


class LiveSection(msgspec.Struct, frozen=True, kw_only=True):
    live: bool
    why: str
    """Why not: "broker", "controller", or nothing."""
    unverified: bool
    """The shoe has not proven itself with its key."""
    unkept: bool
    """The shoe cannot send again what was lost on the way."""
    storing: bool
    rules_pending: bool
    """A changed configuration waits for the next shoe."""


class WagerOnPage(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    names: Names
    min: int
    max: int


class TableSection(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    title: str
    currency: str
    decimals: int
    seats: tuple[str, ...]
    wagers: tuple[WagerOnPage, ...]
    signs_in: bool
    """The dealer's acts need a sign-in: the page of a person who is no longer on duty goes to the door."""


class SupervisorAct(msgspec.Struct, frozen=True, kw_only=True):
    act: ActName
    two_people: bool
    possible: PossibleAct | None
    """What it needs; null while it is not possible."""


class PlaySection(msgspec.Struct, frozen=True, kw_only=True):
    """The table at this moment, and what may be done."""

    state: StateMessage
    alerts: tuple[AlertMessage, ...]
    """What stops the table first."""
    betting: bool
    """Whether wagers are accepted."""
    acts: tuple[PossibleAct, ...]
    """What the table lists as possible; nothing while the controller is away."""
    supervisor: tuple[SupervisorAct, ...]


class PaymentSection(msgspec.Struct, frozen=True, kw_only=True):
    """The settlement that the dealer works off."""

    seq: int
    round_id: str
    shoe: int
    round: int
    settlement: Settlement
    again: bool
    """The round was settled before: what was paid then has to be put right by hand."""


class OpenDifference(msgspec.Struct, frozen=True, kw_only=True):
    """What to pay or to collect for a round that was settled before; shown until the next wagers are closed."""

    seq: int
    shoe: int
    round: int
    difference: dict[str, int] = {}
    """By seat; above 0 to pay, below 0 to collect."""
    commission: dict[str, int] = {}
    """By how much marked commission changes."""
    commission_back: dict[str, int] = {}
    """Commission that is not owed any more, to be paid back."""
    was_collected: bool = True
    """It is certain that it was collected; otherwise it is paid back if it was."""


def sections(model: ConsoleModel) -> dict[str, object]:
    info, state = model.followed.info, model.followed.state
    return {
        "live": _live(model),
        "table": None if info is None else _table(info),
        "play": None if info is None or state is None else _play(state, model),
        "payment": _payment(model),
        "differences": tuple(_difference(fact) for fact in model.differences),
    }


def _live(model: ConsoleModel) -> LiveSection:
    followed = model.followed
    status, live = followed.status, followed.online
    return LiveSection(
        live=live,
        why="" if live else "controller" if followed.connected else "broker",
        unverified=live and status is not None and status.shoe_link and not status.authenticated,
        unkept=live and status is not None and status.shoe_link and not status.keeps_events,
        storing=status is None or status.storing,
        rules_pending=followed.info is not None and followed.info.rules_pending,
    )


def _table(info: InfoMessage) -> TableSection:
    rules = info.rules
    return TableSection(
        name=info.table,
        title=info.title or info.table,
        currency=rules.currency,
        decimals=rules.decimals,
        seats=rules.seats,
        wagers=tuple(WagerOnPage(id=w.id, names=w.names, min=w.min, max=w.max) for w in rules.offered),
        signs_in=rules.dealer_signs_in,
    )


def _play(state: StateMessage, model: ConsoleModel) -> PlaySection:
    status, live = model.followed.status, model.followed.online
    # One that cannot be stored is in the status alone.
    unstored = () if status is None or status.alert is None or status.alert.number else (status.alert,)
    acts = state.acts if live else ()
    possible = {act.act: act for act in acts if act.role is Role.SUPERVISOR}
    return PlaySection(
        state=state,
        alerts=tuple(
            sorted((*state.alerts, *unstored), key=lambda alert: (alert.severity is not Severity.STOPS, alert.number))
        ),
        betting=live and state.betting_open,
        acts=acts,
        supervisor=tuple(
            SupervisorAct(
                act=rule.name,
                two_people=rule.two_people if rule.name not in possible else possible[rule.name].two_people,
                possible=possible.get(rule.name),
            )
            for rule in SUPERVISOR_ACTS
        ),
    )


def _payment(model: ConsoleModel) -> PaymentSection | None:
    settled, state = model.settlement, model.followed.state
    if settled is None or state is None or settled.shoe != state.shoe:
        return None
    return PaymentSection(
        seq=settled.seq,
        round_id=round_id(state.journal, settled.shoe, settled.round),
        shoe=settled.shoe,
        round=settled.round,
        settlement=settled.settlement,
        again=settled.replaces is not None,
    )


def _difference(fact: SaysDifference) -> OpenDifference:
    match fact:
        case RoundAmended():
            return OpenDifference(
                seq=fact.seq,
                shoe=fact.of_shoe,
                round=fact.of_round,
                difference=fact.difference,
                commission=fact.commission,
                commission_back=fact.commission_back,
                was_collected=fact.of_shoe == fact.shoe,
            )
        case SettlementUndone():
            return OpenDifference(seq=fact.seq, shoe=fact.shoe, round=fact.round, commission_back=fact.commission_back)
    return OpenDifference(seq=fact.seq, shoe=fact.shoe, round=fact.round, difference=fact.difference or {})


class ConsoleFeed:
    """What one open page gets: first everything, then whatever has changed. `null` takes a section away."""

    def __init__(self, model: ConsoleModel) -> None:
        self._model = model
        self._seen = -1
        self._sent = SentSections()

    def news(self) -> bytes | None:
        """What the page does not have yet; `None` if it has everything."""
        if self._model.followed.version == self._seen:
            return None
        self._seen = self._model.followed.version
        return self._sent.message(sections(self._model))
