"""What the pages are told: plain values made from a table's model, ready to be encoded. Pure.

A board is for players: nothing of seats, people, alerts or proposals is in its sections. The pit view is for staff.
"""

from itertools import chain

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.wagers import BASE_GROUP, Names
from shoe_controller.board.floor import Floor
from shoe_controller.board.model import TableModel
from shoe_controller.board.prices import PostedPrice, posted_prices
from shoe_controller.mqtt.contract import InfoMessage, StateMessage
from shoe_controller.table.view import AlertView, LastOutcome
from shoe_controller.web.sentences import Sentence, reason_of

MINI_COLUMNS = 16
"""Columns of the big road that the pit view shows of a table."""

STOPS = "stops"
BETWEEN_SHOES = ("no_shoe", "ended")


class LiveSection(msgspec.Struct, frozen=True):
    live: bool
    why: str
    """Why it is not: "broker", "controller", or "unknown" for a table that nobody has told of."""
    unverified: bool
    """The shoe has not proven itself with a key."""


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
    commission: str
    wagers: tuple[PostedWager, ...]
    round_limit: int | None


class WonWager(msgspec.Struct, frozen=True):
    names: Names
    pays: str


class Hand(msgspec.Struct, frozen=True):
    cards: tuple[Card | None, ...]
    total: int | None


class ResultMoment(msgspec.Struct, frozen=True, tag_field="kind", tag="result"):
    round: int
    winner: str
    wagers: tuple[WonWager, ...]
    """Side wagers that won; those of an older round are known a moment later."""


class VoidMoment(msgspec.Struct, frozen=True, tag_field="kind", tag="void"):
    round: int
    again: bool
    """The round is dealt again with the same wagers."""


class RoundSection(msgspec.Struct, frozen=True):
    shoe: int
    round: int
    phase: str
    free: bool
    last: bool
    """It is the last round of the shoe."""
    player: Hand
    banker: Hand
    next: str | None
    reason: Sentence | None
    moment: ResultMoment | VoidMoment | None
    """How the round before ended; gone with the first card of the next."""
    trouble: bool
    """Somebody must put something right before the table goes on."""


class MiniRoad(msgspec.Struct, frozen=True):
    columns: int
    cells: tuple[tuple[int, int, str, int], ...]
    """Column, row, winner and ties of the last columns of the big road."""


class PitRow(msgspec.Struct, frozen=True):
    name: str
    title: str
    live: bool
    why: str
    phase: str
    shoe: int
    round: int
    stopped: bool
    last: LastOutcome | None
    road: MiniRoad
    pace: int | None
    link: bool
    authenticated: bool
    storing: bool
    publishing: str
    version: str
    rules_wait: str
    alerts: tuple[AlertView, ...]


# --- the board -------------------------------------------------------------------------------------------------------


def board_sections(floor: Floor, table: TableModel | None) -> dict[str, msgspec.Struct | None]:
    """Each section of a board by its name; `None` for what is not known yet."""
    if table is None:
        unknown = LiveSection(live=False, why="unknown", unverified=False)
        return {"live": unknown, "table": None, "round": None, "roads": None}
    return {
        "live": _live(floor, table),
        "table": None if table.info is None else _posted(table.info),
        "round": None if table.state is None else _round(table, table.state),
        "roads": table.roads,
    }


def _why_not_live(floor: Floor, table: TableModel) -> str:
    if not floor.connected:
        return "broker"
    return "" if table.online else "controller"


def _live(floor: Floor, table: TableModel) -> LiveSection:
    status = table.status
    live = floor.is_live(table)
    unverified = live and status is not None and status.shoe_link and not status.authenticated
    return LiveSection(live=live, why=_why_not_live(floor, table), unverified=unverified)


def _posted(info: InfoMessage) -> TableSection:
    limit = info.round_limit
    return TableSection(
        name=info.table,
        title=info.title or info.table,
        headline=info.headline,
        currency=info.currency,
        commission=info.commission,
        wagers=tuple(
            PostedWager(
                id=wager.id,
                names=wager.names,
                prices=posted_prices(wager.prices),
                min=wager.min,
                max=wager.max,
                limited=limit is not None and wager.id in limit.wagers,
            )
            for wager in info.offered
        ),
        round_limit=None if limit is None else limit.amount,
    )


def _round(table: TableModel, state: StateMessage) -> RoundSection:
    moment = _moment(table, state)
    standing, last = state.standing, state.last_outcome
    if isinstance(moment, ResultMoment) and last is not None:
        player, banker = (Hand(hand.cards, hand.total) for hand in (last.player, last.banker))
    else:
        player = _hand(state, "player", None if standing is None else standing.player_total)
        banker = _hand(state, "banker", None if standing is None else standing.banker_total)
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
        next=None if standing is None or standing.next_hand is None else standing.next_hand.value,
        reason=None if standing is None else reason_of(standing.why),
        moment=moment,
        trouble=_is_in_trouble(table, state),
    )


def _hand(state: StateMessage, side: str, total: int | None) -> Hand:
    cards = tuple(place.card for place in state.cards if place.hand.value == side)
    return Hand(cards, total if cards else None)


def _is_in_trouble(table: TableModel, state: StateMessage) -> bool:
    """Between two shoes nobody waits for the shoe: its cable may be out while the cards are changed."""
    shoe_is_missed = not state.link_up and state.phase not in BETWEEN_SHOES
    return state.stopped or shoe_is_missed or (table.status is not None and not table.status.storing)


def _moment(table: TableModel, state: StateMessage) -> ResultMoment | VoidMoment | None:
    """How the last round ended, until the first card of the next one lies there."""
    if state.cards:
        return None
    void, last = table.void, state.last_outcome
    told = 0 if table.result is None else table.result.seq
    if void is not None and void.shoe == state.shoe and void.seq > told and void.seq <= state.seq:
        return VoidMoment(round=void.round, again=void.replay)
    if last is None:
        return None
    return ResultMoment(
        round=last.round,
        winner=last.winner.value,
        wagers=_won(table, state, last),
    )


def _won(table: TableModel, state: StateMessage, last: LastOutcome) -> tuple[WonWager, ...]:
    result = table.result
    if result is None or table.info is None or (result.shoe, result.round) != (state.shoe, last.round):
        return ()
    names = {wager.id: wager.names for wager in table.info.offered}
    return tuple(
        WonWager(names[wager], outcome.pays)
        for wager, outcome in result.outcome.wagers.items()
        if outcome.pays is not None and wager in names and wager.partition(".")[0] != BASE_GROUP
    )


# --- the pit view ----------------------------------------------------------------------------------------------------


def pit_row(floor: Floor, table: TableModel, now: float) -> PitRow:
    status, info, state = table.status, table.info, table.state
    return PitRow(
        name=table.name,
        title=table.name if info is None else info.title or table.name,
        live=floor.is_live(table),
        why=_why_not_live(floor, table),
        phase="" if state is None else state.phase,
        shoe=0 if state is None else state.shoe,
        round=0 if state is None else state.round,
        stopped=state is not None and _is_in_trouble(table, state),
        last=None if state is None else state.last_outcome,
        road=_mini_road(table),
        pace=table.pace(now),
        link=status is not None and status.shoe_link,
        authenticated=status is not None and status.authenticated,
        storing=status is None or status.storing,
        publishing="" if status is None else status.publishing,
        version="" if status is None else status.version,
        rules_wait="" if info is None else info.rules_wait,
        alerts=_alerts(table),
    )


def _alerts(table: TableModel) -> tuple[AlertView, ...]:
    """All that stand, what stops the table first; one that cannot be stored is in the status alone."""
    status = () if table.status is None or table.status.alert is None else (table.status.alert,)
    state = () if table.state is None else table.state.alerts
    by_number = {alert.alert: alert for alert in chain(state, (alert for alert in status if alert.alert == 0))}
    return tuple(sorted(by_number.values(), key=lambda alert: (alert.severity != STOPS, alert.alert)))


def _mini_road(table: TableModel) -> MiniRoad:
    cells = () if table.roads is None else table.roads.roads.big_road.cells
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
