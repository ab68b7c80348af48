"""What the pages show: plain values made from what is known of a table, ready to be encoded. Pure.

A board is for players: nothing of seats, people, alerts or proposals is in its sections. The pit view is for staff.
"""

from itertools import chain

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.sides import Side
from shoe_controller.baccarat.wagers import BASE_GROUP, Names
from shoe_controller.board.floor import Floor
from shoe_controller.board.model import BoardTable
from shoe_controller.board.prices import PostedPrice, posted_prices
from shoe_controller.messages.alerts import AlertMessage, Severity
from shoe_controller.messages.facts import Dispute
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.retained import InfoMessage, LastOutcome, StateMessage
from shoe_controller.messages.witness import RaisedAlarm

MINI_COLUMNS = 16
"""Columns of the big road that the pit view shows of a table."""

BETWEEN_SHOES = (Phase.NO_SHOE, Phase.ENDED)


class LiveSection(msgspec.Struct, frozen=True):
    live: bool
    why: str
    """Why it is not live: "broker", "controller", or "unknown" for a table of which no message has come."""
    unverified: bool
    """The shoe has not proven itself with a key."""
    by_hand: bool = False
    """The dealer enters the cards."""
    unkept: bool = False
    """The shoe cannot send again what was lost on the way."""


class PostedWager(msgspec.Struct, frozen=True):
    id: str
    names: Names
    prices: tuple[PostedPrice, ...]
    min: int
    max: int
    limited: bool
    """Counts towards the limit of the round."""


class TableSection(msgspec.Struct, frozen=True):
    """What is posted at the table."""

    name: str
    title: str
    headline: str
    currency: str
    decimals: int
    commission: str
    wagers: tuple[PostedWager, ...]
    round_limit: int | None


class WonWager(msgspec.Struct, frozen=True):
    names: Names
    pays: str


class ShownHand(msgspec.Struct, frozen=True):
    cards: tuple[Card | None, ...]
    total: int | None


class ResultMoment(msgspec.Struct, frozen=True, tag_field="kind", tag="result"):
    round: int
    winner: Winner
    wagers: tuple[WonWager, ...]
    """Side wagers that won."""


class VoidMoment(msgspec.Struct, frozen=True, tag_field="kind", tag="void"):
    round: int
    again: bool
    """The round is dealt again with the same wagers."""


class RoundSection(msgspec.Struct, frozen=True):
    shoe: int
    round: int
    phase: Phase
    free: bool
    last: bool
    """It is the last round of the shoe."""
    player: ShownHand
    banker: ShownHand
    next: Side | None
    reason: AnyReason | None
    moment: ResultMoment | VoidMoment | None
    """How the round before ended; gone with the first card of the next."""
    trouble: bool
    """A person must put something right before the table goes on."""


class LastResult(msgspec.Struct, frozen=True):
    winner: Winner
    player: int
    banker: int
    """The totals of the hands."""


class MiniRoad(msgspec.Struct, frozen=True):
    columns: int
    cells: tuple[tuple[int, int, str, int], ...]
    """Column, row, winner and ties of the last columns of the big road."""


class PitRow(msgspec.Struct, frozen=True):
    name: str
    title: str
    live: bool
    why: str
    phase: Phase | None
    shoe: int
    round: int
    stopped: bool
    last: LastResult | None
    road: MiniRoad
    pace: int | None
    link: bool
    authenticated: bool
    keeps_events: bool
    """The shoe can send again what was lost on the way."""
    storing: bool
    publishing: str
    version: str
    rules_pending: bool
    """New rules wait for the next shoe."""
    by_hand: bool
    """The dealer enters the cards."""
    alerts: tuple[AlertMessage, ...]
    disputes: tuple[Dispute, ...]
    """Those that are open."""
    witness: tuple[RaisedAlarm, ...]
    """What witnesses of its journal object to."""


# --- the board -------------------------------------------------------------------------------------------------------


def board_sections(floor: Floor, table: BoardTable | None) -> dict[str, msgspec.Struct | None]:
    """Each section of a board by its name; `None` for what is not known yet."""
    if table is None:
        unknown = LiveSection(live=False, why="unknown", unverified=False)
        return {"live": unknown, "table": None, "round": None, "roads": None}
    info, state = table.followed.info, table.followed.state
    return {
        "live": _live(floor, table),
        "table": None if info is None else _posted(info),
        "round": None if state is None else _round(table, state),
        "roads": table.followed.roads,
    }


def _why_not_live(floor: Floor, table: BoardTable) -> str:
    if not floor.connected:
        return "broker"
    return "" if table.followed.online else "controller"


def _live(floor: Floor, table: BoardTable) -> LiveSection:
    status, live = table.followed.status, table.followed.online
    connected = live and status is not None and status.shoe_link
    return LiveSection(
        live=live,
        why=_why_not_live(floor, table),
        unverified=connected and status is not None and not status.authenticated,
        by_hand=live and _is_by_hand(table),
        unkept=connected and status is not None and not status.keeps_events,
    )


def _is_by_hand(table: BoardTable) -> bool:
    return table.followed.state is not None and table.followed.state.hand_entry


def _posted(info: InfoMessage) -> TableSection:
    rules = info.rules
    limit = rules.round_limit
    return TableSection(
        name=info.table,
        title=info.title or info.table,
        headline=info.headline,
        currency=rules.currency,
        decimals=rules.decimals,
        commission=rules.commission,
        wagers=tuple(
            PostedWager(
                id=wager.id,
                names=wager.names,
                prices=posted_prices(wager.prices),
                min=wager.min,
                max=wager.max,
                limited=limit is not None and wager.id in limit.wagers,
            )
            for wager in rules.offered
        ),
        round_limit=None if limit is None else limit.amount,
    )


def _round(table: BoardTable, state: StateMessage) -> RoundSection:
    moment = _moment(table, state)
    standing, last = state.standing, state.last_outcome
    if isinstance(moment, ResultMoment) and last is not None:
        player, banker = (ShownHand(hand.cards, hand.total) for hand in (last.player, last.banker))
    else:
        player = _hand(state, Side.PLAYER, None if standing is None else standing.player_total)
        banker = _hand(state, Side.BANKER, None if standing is None else standing.banker_total)
    if not state.cards:
        standing = None
    return RoundSection(
        shoe=state.shoe,
        round=state.round,
        phase=state.phase,
        free=state.free,
        last=state.last_round is not None and state.round >= state.last_round,
        player=player,
        banker=banker,
        next=None if standing is None else standing.next_hand,
        reason=None if standing is None else standing.why,
        moment=moment,
        trouble=_is_in_trouble(table, state),
    )


def _hand(state: StateMessage, side: Side, total: int | None) -> ShownHand:
    cards = tuple(place.card for place in state.cards if place.hand is side)
    return ShownHand(cards, total if cards else None)


def _is_in_trouble(table: BoardTable, state: StateMessage) -> bool:
    """Between two shoes a missing link is not shown: the cable may be out while the cards are changed."""
    shoe_is_missed = not state.link_up and state.phase not in BETWEEN_SHOES and not state.hand_entry
    status = table.followed.status
    return state.stopped or shoe_is_missed or (status is not None and not status.storing)


def _moment(table: BoardTable, state: StateMessage) -> ResultMoment | VoidMoment | None:
    """How the last round ended, until the first card of the next one lies there."""
    if state.cards:
        return None
    void, last = state.last_void, state.last_outcome
    if void is not None:
        return VoidMoment(round=void.round, again=void.replay)
    if last is None:
        return None
    return ResultMoment(round=last.round, winner=last.winner, wagers=_won(table.followed.info, last))


def _won(info: InfoMessage | None, last: LastOutcome) -> tuple[WonWager, ...]:
    names = {} if info is None else {wager.id: wager.names for wager in info.rules.offered}
    return tuple(
        WonWager(names[wager], pays)
        for wager, pays in last.won.items()
        if wager in names and wager.partition(".")[0] != BASE_GROUP
    )


# --- the pit view ----------------------------------------------------------------------------------------------------


def pit_row(floor: Floor, name: str, now: float) -> PitRow:
    table = floor.tables[name]
    status, info, state = table.followed.status, table.followed.info, table.followed.state
    return PitRow(
        name=name,
        title=name if info is None else info.title or name,
        live=table.followed.online,
        why=_why_not_live(floor, table),
        phase=None if state is None else state.phase,
        shoe=0 if state is None else state.shoe,
        round=0 if state is None else state.round,
        stopped=state is not None and _is_in_trouble(table, state),
        last=None if state is None or state.last_outcome is None else _last_result(state.last_outcome),
        road=_mini_road(table),
        pace=table.pace(now),
        link=status is not None and status.shoe_link,
        authenticated=status is not None and status.authenticated,
        keeps_events=status is None or status.keeps_events,
        storing=status is None or status.storing,
        publishing="" if status is None else status.publishing,
        version="" if status is None else status.version,
        rules_pending=info is not None and info.rules_pending,
        by_hand=_is_by_hand(table),
        alerts=_alerts(table),
        disputes=() if state is None else state.disputes,
        witness=tuple(alarm for each in floor.witnesses.get(name, {}).values() for alarm in each.alarms),
    )


def _last_result(last: LastOutcome) -> LastResult:
    return LastResult(winner=last.winner, player=last.player.total, banker=last.banker.total)


def _alerts(table: BoardTable) -> tuple[AlertMessage, ...]:
    """All that stand, what stops the table first; one that cannot be stored is in the status alone."""
    status, state = table.followed.status, table.followed.state
    unstored = () if status is None or status.alert is None or status.alert.number else (status.alert,)
    alerts = chain(() if state is None else state.alerts, unstored)
    return tuple(sorted(alerts, key=lambda alert: (alert.severity is not Severity.STOPS, alert.number)))


def _mini_road(table: BoardTable) -> MiniRoad:
    roads = table.followed.roads
    cells = () if roads is None else roads.roads.big_road.cells
    columns = max((cell.column for cell in cells), default=-1) + 1
    first = max(0, columns - MINI_COLUMNS)
    return MiniRoad(
        columns=MINI_COLUMNS,
        cells=tuple(
            (cell.column - first, cell.row, "" if cell.winner is None else cell.winner.value, cell.ties)
            for cell in cells
            if cell.column >= first
        ),
    )
