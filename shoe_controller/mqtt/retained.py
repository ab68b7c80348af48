"""The retained messages of a table, made from its state: what a display needs that connects just now."""

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.roads import RoadWinner, roads
from shoe_controller.messages.alerts import AlertKind, AlertMessage, Severity
from shoe_controller.messages.details import OperatingSystemError
from shoe_controller.messages.requests import SeatWagers
from shoe_controller.messages.retained import (
    Counts,
    DealtRound,
    InfoMessage,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    TableListing,
)
from shoe_controller.messages.topics import round_id
from shoe_controller.table.alerts import alert_message
from shoe_controller.table.finishing import placed
from shoe_controller.table.published_rules import published_rules
from shoe_controller.table.state import Alert, RulesSource, TableState
from shoe_controller.table.view import view_of


def state_message(state: TableState, journal: str) -> StateMessage:
    view = msgspec.structs.asdict(view_of(state))
    return StateMessage(journal=journal, round_id=round_id(journal, state.shoe_number, state.round_number), **view)


def gravest_alert(state: TableState) -> AlertMessage | None:
    """The one that a display shows first: what stops the table before what only warns, then the oldest."""
    alerts = map(alert_message, state.lasting.alerts)
    return min(alerts, key=lambda alert: (alert.severity is not Severity.STOPS, alert.number), default=None)


def storing_alert(trouble: str) -> AlertMessage:
    """The alert that cannot be stored: it lives in memory and in the status."""
    return alert_message(Alert(number=0, kind=AlertKind.JOURNAL_FULL, detail=OperatingSystemError(text=trouble), seq=0))


def roads_message(state: TableState, journal: str) -> RoadsMessage:
    results = () if state.shoe is None else state.shoe.results
    won = [result.winner for result in results]
    return RoadsMessage(
        journal=journal,
        seq=state.lasting.seq,
        shoe=state.shoe_number,
        counts=Counts(
            rounds=len(results),
            banker=won.count(RoadWinner.BANKER),
            player=won.count(RoadWinner.PLAYER),
            tie=won.count(RoadWinner.TIE),
            banker_pair=sum(result.banker_pair for result in results),
            player_pair=sum(result.player_pair for result in results),
            natural=sum(result.natural for result in results),
        ),
        roads=roads(results),
    )


def seat_wagers(state: TableState, seat: str) -> SeatWagers | None:
    """The wagers of a seat as they stand; `None` while there is no round."""
    if state.round is None:
        return None
    wagers = placed(wager for wager in state.round.wagers if wager.seat == seat)
    return SeatWagers(
        seq=state.lasting.seq,
        shoe=state.shoe_number,
        round=state.round_number,
        seat=seat,
        wagers=wagers,
        total=sum(wager.stake for wager in wagers),
    )


def rounds_message(state: TableState, journal: str) -> RoundsMessage:
    shoe, number = state.shoe, state.shoe_number
    settled = () if shoe is None else shoe.settled
    return RoundsMessage(
        journal=journal,
        seq=state.lasting.seq,
        shoe=number,
        missing=0 if shoe is None else len(shoe.results) - len(settled),
        rounds=tuple(
            DealtRound(
                round=dealt.number,
                round_id=round_id(journal, number, dealt.number),
                player=dealt.player,
                banker=dealt.banker,
                winner=dealt.winner,
                free=dealt.free,
                seq=dealt.seq,
            )
            for dealt in settled
        ),
    )


class Posted(msgspec.Struct, frozen=True, kw_only=True):
    """What of a table's file, and of this start of its controller, is published beside its rules."""

    version: str
    start: str
    site: str
    table: str
    title: str
    headline: str


def info_message(  # noqa: PLR0913 - the parts of the message, each given by name
    *, posted: Posted, rules: RulesSource, house: House, journal: str, seq: int, rules_pending: bool
) -> InfoMessage:
    return InfoMessage(
        journal=journal,
        seq=seq,
        version=posted.version,
        site=posted.site,
        table=posted.table,
        title=posted.title,
        headline=posted.headline,
        rules=published_rules(rules, house),
        rules_pending=rules_pending,
    )


def table_listing(posted: Posted, journal: str) -> TableListing:
    return TableListing(
        journal=journal, site=posted.site, table=posted.table, title=posted.title, version=posted.version
    )
