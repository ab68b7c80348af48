"""What the pit's page shows: the rows of the board's pit view, and beside them edges and alarms. Pure."""

from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.wagers import Names
from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import PitRow, pit_row
from shoe_controller.messages.pit import AnyNoEdges, EdgesMessage, EventsAwaited, RaisedPitAlarm, TableAway, WagerEdge
from shoe_controller.messages.retained import InfoMessage, StateMessage
from shoe_controller.pit.exposure import Exposure


class WagerOnPage(msgspec.Struct, frozen=True):
    id: str
    names: Names | None
    """`None` where the table does not offer it any more."""
    edge: float
    full_shoe: float
    staked: int
    """Over all seats, in minor units."""


class AlarmOnPage(msgspec.Struct, frozen=True):
    raised: RaisedPitAlarm
    names: Names | None
    """Of the wager that it is about."""


class TableExposure(msgspec.Struct, frozen=True):
    none: AnyNoEdges | None
    """Why there are no edges."""
    most: WagerOnPage | None
    """The most exposed wager of the round that wagers are open for."""
    curve: tuple[tuple[int, float], ...]
    """Rounds of this shoe, and the edge of the most exposed wager of each."""
    alarms: tuple[AlarmOnPage, ...]
    """The newest first."""
    decimals: int
    currency: str


class ExposedRow(PitRow, frozen=True, kw_only=True):
    exposure: TableExposure


class TableDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of the edges at one table."""

    title: str
    shoe: int
    round: int
    unseen: int
    """Cards that nobody has seen."""
    wagers: tuple[WagerOnPage, ...]
    """The most exposed first."""
    exposure: TableExposure


class Moment(NamedTuple):
    """When a page is made: by a clock that only goes forward, in seconds, and since 1970, in milliseconds."""

    steady: float
    wall: int


def exposed_row(floor: Floor, name: str, exposure: Exposure | None, now: Moment) -> ExposedRow:
    row = pit_row(floor, name, now.steady)
    return ExposedRow(**msgspec.structs.asdict(row), exposure=_exposure(floor, name, exposure, now))


def table_details(floor: Floor, name: str, exposure: Exposure | None, now: Moment) -> TableDetails | None:
    """`None` for a table of which nothing is known."""
    table = floor.tables.get(name)
    if table is None:
        return None
    info, state = table.followed.info, table.followed.state
    edges, _ = _counting(exposure, now, live=table.followed.online)
    return TableDetails(
        title=name if info is None else info.title or name,
        shoe=0 if state is None else state.shoe,
        round=0 if state is None else state.round,
        unseen=0 if edges is None else edges.unseen,
        wagers=() if edges is None else tuple(_wager(edge, info, state) for edge in edges.edges),
        exposure=_exposure(floor, name, exposure, now),
    )


def _exposure(floor: Floor, name: str, exposure: Exposure | None, now: Moment) -> TableExposure:
    followed = floor.tables[name].followed
    info, state = followed.info, followed.state
    edges, none = _counting(exposure, now, live=followed.online)
    return TableExposure(
        none=none,
        most=_wager(edges.edges[0], info, state) if edges is not None and edges.edges else None,
        curve=() if exposure is None else tuple((point.round, point.edge) for point in exposure.curve),
        alarms=()
        if exposure is None
        else tuple(AlarmOnPage(raised, _names(info, raised.alarm.wager)) for raised in reversed(exposure.alarms)),
        decimals=2 if info is None else info.rules.decimals,
        currency="" if info is None else info.rules.currency,
    )


def _counting(exposure: Exposure | None, now: Moment, *, live: bool) -> tuple[EdgesMessage | None, AnyNoEdges | None]:
    """The edges that count at this moment, or why there are none: an old edge is never shown."""
    if not live:
        return None, TableAway()
    if exposure is None or exposure.edges is None:
        return None, EventsAwaited()
    edges = exposure.edges
    if edges.none is not None:
        return None, edges.none
    return (None, EventsAwaited()) if edges.until <= now.wall else (edges, None)


def _wager(edge: WagerEdge, info: InfoMessage | None, state: StateMessage | None) -> WagerOnPage:
    staked = 0 if state is None else sum(placed.stake for placed in state.wagers if placed.wager == edge.wager)
    return WagerOnPage(edge.wager, _names(info, edge.wager), edge.edge, edge.full_shoe, staked)


def _names(info: InfoMessage | None, wager: str) -> Names | None:
    offered = () if info is None else info.rules.offered
    return next((each.names for each in offered if each.id == wager), None)
