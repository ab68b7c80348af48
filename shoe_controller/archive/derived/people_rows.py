"""Facts about alerts, and about what people did and wrote."""

from shoe_controller.archive.derived.round_rows import about_round
from shoe_controller.archive.derived.rows import Rows, Sweep, as_json, as_text, head, when
from shoe_controller.archive.derived.tables import (
    ACT,
    ADJUSTMENT,
    ALERT,
    DISPUTE,
    DUTY,
    NOTE,
    PERSON,
    PROPOSAL,
    WRONG_PIN,
)
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.messages.acts import Act, Role, rule_of
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.facts import (
    ActProposed,
    AlertEnded,
    AlertRaised,
    DealerChanged,
    DisputeClosed,
    DisputeOpened,
    NoteMade,
    PaymentAdjusted,
    PersonActed,
    ProposalEnded,
    WrongPin,
)


def _as_raised(event: ArchivedEvent, fact: AlertRaised | AlertEnded) -> dict[str, object]:
    alert = fact.alert
    return {
        "site": event.site,
        "table_name": event.table,
        "number": alert.number,
        "kind": alert.kind.value,
        "severity": alert.severity.value,
        "detail_code": None if alert.detail is None else alert.detail.code,
        "detail": as_json(alert.detail),
        "cleared_by": alert.cleared_by.value,
    }


def raised(event: ArchivedEvent, fact: AlertRaised, rows: Rows) -> None:
    where = {"shoe": event.shoe, "round": event.round, "raised_at": when(event.at_ms)}
    rows.patch(ALERT, (event.journal_id, event.seq), **where, **_as_raised(event, fact))
    about_round(event, rows, alerts=1)


def ended(event: ArchivedEvent, fact: AlertEnded, rows: Rows) -> None:
    # What an earlier journal raised is known by its end alone.
    key = fact.replaces or event.seq
    rows.patch(
        ALERT,
        (event.journal_id, key),
        shoe=event.shoe,
        round=event.round,
        ended_at=when(event.at_ms),
        ended_seq=event.seq,
        ended_how=fact.cause.code,
        ended_by=as_text(fact.cause.person) if isinstance(fact.cause, EndedByPerson) else None,
        **_as_raised(event, fact),
    )


def _known(event: ArchivedEvent, rows: Rows, person: str, role: Role | None = None) -> None:
    at = when(event.at_ms)
    rows.patch(
        PERSON,
        (event.journal_id, as_text(person)),
        site=event.site,
        table_name=event.table,
        first_at=at,
        last_at=at,
        acts_as_dealer=int(role is Role.DEALER),
        acts_as_supervisor=int(role is Role.SUPERVISOR),
    )


def _of(event: ArchivedEvent, act: Act) -> tuple[int, int]:
    """The shoe and the round that an act is about: those it names, or where the table is."""
    shoe, round_ = getattr(act, "shoe", None), getattr(act, "round", None)
    return (event.shoe, event.round) if shoe is None or round_ is None else (shoe, round_)


def acted(event: ArchivedEvent, fact: PersonActed, rows: Rows) -> None:
    name, details = rule_of(fact.act).name, as_json(fact.act)
    of_shoe, of_round = _of(event, fact.act)
    rows.add(
        ACT,
        head(event),
        act=name.value,
        person=as_text(fact.person),
        role=fact.role.value,
        reason=as_text(fact.reason),
        approved_by=as_text(fact.approved_by),
        terminal=as_text(fact.user),
        of_shoe=of_shoe,
        of_round=of_round,
        details=details,
    )
    _known(event, rows, fact.person, fact.role)
    if fact.approved_by is not None:
        _known(event, rows, fact.approved_by, Role.SUPERVISOR)
        proposed = {"journal_id": event.journal_id, "act": name.value, "state": "open"}
        at, by = when(event.at_ms), as_text(fact.approved_by)
        rows.sweeps.append(Sweep(PROPOSAL, proposed, {"state": "approved", "ended_at": at, "approved_by": by}))


def proposed(event: ArchivedEvent, fact: ActProposed, rows: Rows) -> None:
    rows.patch(
        PROPOSAL,
        (event.journal_id, fact.proposal),
        site=event.site,
        table_name=event.table,
        seq=event.seq,
        at=when(event.at_ms),
        shoe=event.shoe,
        round=event.round,
        act=rule_of(fact.act).name.value,
        person=as_text(fact.person),
        reason=as_text(fact.reason),
        details=as_json(fact.act),
        state="open",
    )


def proposal_ended(event: ArchivedEvent, fact: ProposalEnded, rows: Rows) -> None:
    rows.patch(
        PROPOSAL,
        (event.journal_id, fact.proposal),
        site=event.site,
        table_name=event.table,
        state="ended",
        ended_at=when(event.at_ms),
        ended_why=fact.cause.code,
    )


def dealer_changed(event: ArchivedEvent, fact: DealerChanged, rows: Rows) -> None:
    rows.add(DUTY, head(event), dealer=as_text(fact.dealer), before=as_text(fact.before))
    if fact.dealer is not None:
        _known(event, rows, fact.dealer)


def wrong_pin(event: ArchivedEvent, fact: WrongPin, rows: Rows) -> None:
    rows.add(
        WRONG_PIN,
        head(event),
        person=as_text(fact.person),
        failures=fact.failures,
        locked_out=fact.locked_out,
        terminal=as_text(fact.user),
    )


def note(event: ArchivedEvent, fact: NoteMade, rows: Rows) -> None:
    rows.add(NOTE, head(event), of_shoe=fact.of_shoe, of_round=fact.of_round, note=as_text(fact.text))


def dispute(event: ArchivedEvent, fact: DisputeOpened | DisputeClosed, rows: Rows) -> None:
    about = fact.dispute
    closed: dict[str, object] = {}
    if isinstance(fact, DisputeClosed):
        closed = {"closed_at": when(event.at_ms), "closed_seq": event.seq, "decision": as_text(fact.decision)}
    rows.patch(
        DISPUTE,
        (event.journal_id, about.number),
        site=event.site,
        table_name=event.table,
        shoe=about.shoe,
        round=about.round,
        seat=as_text(about.seat),
        disputed=as_text(about.text),
        opened_at=when(about.time),
        opened_by=as_text(about.person),
        **closed,
    )


def adjusted(event: ArchivedEvent, fact: PaymentAdjusted, rows: Rows) -> None:
    of = {"of_shoe": fact.of_shoe, "of_round": fact.of_round}
    rows.add(ADJUSTMENT, head(event), seat=as_text(fact.seat), amount=fact.amount, **of)
