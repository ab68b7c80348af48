"""The retained messages of a table, made from its state: what a display needs that is switched on just now."""

import hashlib
from fractions import Fraction

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.roads import RoadWinner, roads
from shoe_controller.baccarat.wagers import Catalogue, Row, Schedule, odds_text
from shoe_controller.mqtt.contract import (
    Counts,
    InfoMessage,
    OfferedWager,
    PostedLimit,
    Price,
    RoadsMessage,
    StateMessage,
)
from shoe_controller.table.alerts import ALERTS, Severity
from shoe_controller.table.state import RulesSource, TableState
from shoe_controller.table.view import AlertView, view_of


def rules_hash(rules: RulesSource) -> str:
    """Tells whether two shoes were dealt by the same rules and prices."""
    return hashlib.blake2s(msgspec.json.encode(rules)).hexdigest()


def state_message(state: TableState) -> StateMessage:
    return StateMessage(**msgspec.structs.asdict(view_of(state)))


def gravest_alert(state: TableState) -> AlertView | None:
    """The one that a display shows first: what stops the table before what only warns, then the oldest."""
    alerts = sorted(
        view_of(state).alerts, key=lambda alert: (ALERTS[alert.kind].severity is not Severity.STOPS, alert.alert)
    )
    return alerts[0] if alerts else None


def storing_alert(trouble: str) -> AlertView:
    """The alert that cannot be stored: it lives in memory and in the status."""
    kind = ALERTS["journal_full"]
    return AlertView(
        alert=0,
        kind=kind.name,
        severity=kind.severity.value,
        happened=kind.happened,
        detail=trouble,
        to_do=kind.to_do,
        cleared_by=kind.cleared_by.value,
        ended_by=kind.ended_by,
    )


def roads_message(state: TableState) -> RoadsMessage:
    results = () if state.shoe is None else state.shoe.results
    won = [result.winner for result in results]
    return RoadsMessage(
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


class Posted(msgspec.Struct, frozen=True, kw_only=True):
    """What of a table's file is posted beside its prices."""

    version: str
    site: str
    table: str
    title: str
    headline: str
    currency: str


def info_message(  # noqa: PLR0913 - the parts that a board posts, each given by name
    *, posted: Posted, rules: RulesSource, house: House, catalogue: Catalogue, seq: int, rules_wait: str
) -> InfoMessage:
    limit = house.round_limit
    return InfoMessage(
        seq=seq,
        version=posted.version,
        site=posted.site,
        table=posted.table,
        title=posted.title,
        headline=posted.headline,
        currency=posted.currency,
        rules_hash=rules_hash(rules),
        base_game=house.schedule.base_game,
        commission=percentage(house.schedule.commission),
        commission_taken=house.commission_taken,
        decks=house.decks,
        seats=house.seats,
        offered=tuple(_offered(wager, house, catalogue) for wager in house.offered),
        option_rules=house.option_rules,
        round_limit=None
        if limit is None
        else PostedLimit(amount=limit.amount, wagers=tuple(sorted(limit.wagers)), policy=limit.policy),
        rounding=house.rounding,
        bets_close=rules.procedure.bets_close,
        reveal=rules.procedure.reveal,
        rules_wait=rules_wait,
    )


def percentage(share: Fraction) -> str:
    """Exactly: as a decimal number where there is one, else as a fraction."""
    hundredths = share * 100
    digits = next((n for n in range(MOST_DECIMALS + 1) if 10**n % hundredths.denominator == 0), None)
    if digits is None:
        return f"{hundredths}%"
    whole, rest = divmod(hundredths.numerator * 10**digits // hundredths.denominator, 10**digits)
    return f"{whole}.{rest:0{digits}}%" if digits else f"{whole}%"


MOST_DECIMALS = 12
"""A longer number is harder to read than the fraction that it is."""


def _offered(wager: str, house: House, catalogue: Catalogue) -> OfferedWager:
    limits = house.limits[wager]
    return OfferedWager(
        id=wager,
        names=catalogue.wagers[wager].names,
        prices=tuple(_price(row, house.schedule) for row in house.schedule.pay_tables[wager]),
        min=limits.min,
        max=limits.max,
        needs_base=wager in house.needs_base,
    )


def _price(row: Row, schedule: Schedule) -> Price:
    pays = "push" if row.pays is None else odds_text(schedule.row_result(row).pays)
    return Price(when=row.when, pays=pays)
