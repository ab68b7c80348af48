"""The picture of a demonstration for a terminal of any size, as lines of text. Pure; `screen.py` shows it.

With one table: how it stands, the cards with their reasons, the last settlement by seat, exact odds, the big road and
what happened. With several: one line for each, and what happened.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.roads import ROWS, BigRoadCell, RoadWinner
from shoe_controller.baccarat.settlement import SettledWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.demo.display import TableWatch, TimedLine
from shoe_controller.demo.event_lines import BAD, FAULT, QUIET, WARNING, WINNER_STYLES, face, result_words
from shoe_controller.demo.settings import SEATS
from shoe_controller.messages.retained import TableView
from shoe_controller.words.render import ENGLISH

NARROW = 100
"""Columns below which odds and roads make do with less."""

ROOM_FOR_PRICES = 46
"""Columns that the odds need with what each wager pays."""

_RED_SUITS = ("D", "H")
_ROAD_STYLES = {RoadWinner.BANKER: "bold red", RoadWinner.PLAYER: "bold blue", None: "bold green"}


class Odds(NamedTuple):
    name: str
    pays: str
    edge: float
    wins: float


class DemoView(NamedTuple):
    about: str
    broker: str
    watches: list[TableWatch]
    lines: list[tuple[str, TimedLine]]
    odds: list[Odds]
    faults: str
    """How many of the faults have happened; empty where none are to."""
    ending: str
    alarm: str
    """The seat that the pit's process found last; empty before it found one."""
    pit: str
    """Where the pit view is served; empty where no pages are."""
    edges: str
    """Where the pit's page is served, and how one signs in; empty where it is not."""
    console: str
    """Where the console is served, and how one signs in; empty where no pages are."""


def picture(view: DemoView, width: int, height: int) -> list[Text]:
    """Exactly so many lines, none wider than that."""
    body = _one_table(view, width, height) if len(view.watches) == 1 else _several(view, width, height)
    lines = [_head(view, width), *body]
    foot = [_rule(width, *_if_it_fits(1, view.console, width)), _foot(view, width)]
    room = max(height - len(foot), 0)
    lines = lines[:room] + [Text()] * (room - len(lines)) + foot
    for line in lines:
        line.no_wrap = True
        line.truncate(width, overflow="ellipsis")
    return lines[:height]


def _head(view: DemoView, width: int) -> Text:
    return _to_the_right(Text(" shoe-controller demo ", "bold").append(f" {view.about}"), "Ctrl-C ends ", width)


def _to_the_right(line: Text, words: str, width: int) -> Text:
    """With something at the right margin, if there is room for it."""
    room = width - line.cell_len - len(words)
    return line if room < 1 else line.append(" " * room + words, QUIET)


def _foot(view: DemoView, width: int) -> Text:
    """As much as there is room for, the most important first."""
    if view.ending:
        return Text(f" {view.ending}", WARNING)
    watch = max(view.watches, key=lambda each: len(each.latencies.all))
    parts = [(str(watch.latencies), QUIET)]
    if len(view.watches) == 1 and watch.head:
        number, _, digest = watch.head.partition(":")
        parts.append((f"journal {number}:{digest[:8]}", QUIET))
    if len(view.watches) > 1:
        parts.append((view.broker, QUIET))
    if view.alarm:
        parts.insert(0, (f"PIT ALARM: {view.alarm}", FAULT))
    if view.faults:
        parts.append((view.faults, FAULT))
    parts.append((f"{sum(each.messages for each in view.watches):,} messages", QUIET))
    foot = Text(" ")
    for words, style in parts:
        between = " · " if foot.cell_len > 1 else ""
        if foot.cell_len + len(between) + len(words) <= width:
            foot.append(between, QUIET).append(words, style)
    return foot


def _rule(width: int, *titles: tuple[int, str]) -> Text:
    line = "─" * width
    for at, title in titles:
        line = f"{line[:at]} {title} {line[at + len(title) + 2 :]}"
    return Text(line[:width], QUIET)


def _if_it_fits(at: int, title: str, width: int) -> list[tuple[int, str]]:
    """As a title of a rule: half an address or half a PIN would be worse than none."""
    return [(at, title)] if title and at + len(title) + 2 <= width else []


def _edges(view: DemoView, at: int, width: int) -> list[tuple[int, str]]:
    """In a narrow terminal without the scheme, which a browser does not need."""
    return _if_it_fits(at, view.edges, width) or _if_it_fits(at, view.edges.replace("http://", "", 1), width)


# --- one table -------------------------------------------------------------------------------------------------------


def _one_table(view: DemoView, width: int, height: int) -> list[Text]:
    watch = view.watches[0]
    table = watch.state
    middle = width * 9 // 16 if width < NARROW else width // 2
    title, seats = _seats(watch, table, middle - 2)
    odds_width = width - middle
    lines = [
        _rule(width, *_if_it_fits(1, view.pit, width), *_edges(view, 1 + len(view.pit) + 2, width)),
        _to_the_right(_stands(table), f"{view.broker} ", width),
        _prompt(table),
        *_hands(watch, table),
        _rule(width, (1, title), (middle, f"exact odds: {'pays, ' if odds_width > ROOM_FOR_PRICES else ''}edge, wins")),
    ]
    rows = max(len(view.odds), len(SEATS))
    lines += _beside(seats, [_odds(odds, odds_width) for odds in view.odds], middle, rows)
    road_width = width * 3 // 10 if width < NARROW else width // 2
    lines.append(_rule(width, (1, _counts(watch)), (road_width, "what happened")))
    room = max(height - len(lines) - 3, ROWS)
    happened = _happened(view, room)
    return lines + _beside(_big_road(watch, road_width - 2), happened, road_width, room)


def _stands(table: TableView | None) -> Text:
    if table is None:
        return Text(" waiting for the table", WARNING)
    words = Text(f" Shoe {table.shoe}, round {table.round}: ", "bold")
    words.append(table.phase.replace("_", " "), "bold")
    words.append(f"   {table.cards_out} cards out", QUIET)
    if table.last_round is not None:
        words.append(f"   round {table.last_round} is the last", WARNING)
    return words


def _prompt(table: TableView | None) -> Text:
    if table is None:
        return Text()
    if table.alerts:
        alert = next((each for each in table.alerts if each.severity == "stops"), table.alerts[0])
        style = BAD if alert.severity == "stops" else WARNING
        return Text(f" {alert.kind}: {ENGLISH.happened(alert.kind)}", style)
    return Text(f" {ENGLISH.prompt(table.prompt)}")


def _hands(watch: TableWatch, table: TableView | None) -> list[Text]:
    """The cards on the table, or while there are none those of the round before; below them why, or who won."""
    if table is not None and table.cards:
        player, banker = ([place.card for place in table.cards if place.hand is side] for side in Side)
        standing = table.standing
        return [
            _hand("Player", player, None if standing is None else standing.player_total),
            _hand("Banker", banker, None if standing is None else standing.banker_total),
            Text(f" Last card: {watch.reason}", QUIET),
        ]
    if watch.result is None:
        return [Text(), Text(), Text()]
    outcome = watch.result.outcome
    winner = outcome.winner.value
    result = Text(f" Round {watch.result.round}: {result_words(winner)}", WINNER_STYLES[winner])
    return [
        _hand("Player", outcome.player.cards, outcome.player.total),
        _hand("Banker", outcome.banker.cards, outcome.banker.total),
        result.append(f"   {ENGLISH.of(watch.result.why)}", QUIET),
    ]


def _hand(name: str, cards: "tuple[Card, ...] | list[Card | None]", total: int | None) -> Text:
    line = Text(f" {name}  ", WINNER_STYLES[name.lower()])
    for card in cards:
        style = WARNING if card is None else "red" if card.value[1] in _RED_SUITS else "bold"
        line.append(f" {face(card):<3}", style)
    line.append(" " * (24 - line.cell_len))
    return line.append(_total(total) if cards else "", "bold")


def _seats(watch: TableWatch, table: TableView | None, width: int) -> tuple[str, list[Text]]:
    """While cards are dealt the wagers that stand; else what became of the last ones. A title, and a line by seat."""
    if table is not None and table.cards:
        seats = sorted({wager.seat for wager in table.wagers}, key=SEATS.index)
        return f"round {table.round}: wagers by seat", [_seat(watch, seat, table.wagers, width) for seat in seats]
    if watch.settled is None:
        return "wagers by seat", []
    settlement = watch.settled.settlement
    lines = []
    for seat, totals in settlement.seats.items():
        net = totals.returned - totals.stakes
        line = _seat(watch, seat, settlement.wagers, width - 8)
        lines.append(line.append(f"{net:>+8,}", "green" if net > 0 else "red" if net < 0 else QUIET))
    return f"round {watch.settled.round}: settled by seat", lines


def _seat(watch: TableWatch, seat: str, wagers: "Sequence[PlacedWager | SettledWager]", width: int) -> Text:
    names = {} if watch.info is None else {wager.id: wager.names.en for wager in watch.info.rules.offered}
    of_seat = [wager for wager in wagers if wager.seat == seat]
    words = ", ".join(f"{names.get(wager.wager, wager.wager)} {wager.stake}" for wager in of_seat)
    line = Text(f" {seat}  ", "bold").append(words, "not bold")
    line.truncate(width, overflow="ellipsis", pad=True)
    return line


def _odds(odds: Odds, width: int) -> Text:
    pays = f"{odds.pays:>12}" if width > ROOM_FOR_PRICES else ""
    return Text(f" {odds.name:<12}{pays}{odds.edge:>10.4%}{odds.wins:>9.2%}")


def _counts(watch: TableWatch) -> str:
    if watch.roads is None:
        return "big road"
    counts = watch.roads.counts
    return f"big road: B{counts.banker} P{counts.player} T{counts.tie}"


def _big_road(watch: TableWatch, width: int) -> list[Text]:
    cells = () if watch.roads is None else watch.roads.roads.big_road.cells
    shown = max((width - 1) // 2, 1)
    columns = 1 + max((cell.column for cell in cells), default=0)
    latest = cells[-1].column if cells else 0
    first = min(max(columns - shown, 0), latest)
    grid = {(cell.column, cell.row): cell for cell in cells}
    return [_road_row(grid, row, range(first, first + shown)) for row in range(ROWS)]


def _road_row(grid: dict[tuple[int, int], BigRoadCell], row: int, columns: range) -> Text:
    line = Text(" ")
    for column in columns:
        cell = grid.get((column, row))
        if cell is None:
            line.append("· ", QUIET)
        else:
            letter = "T" if cell.winner is None else cell.winner.value
            line.append(letter, _ROAD_STYLES[cell.winner])
            line.append(" " if not cell.ties else str(min(cell.ties, 9)), "green")
    return line


def _happened(view: DemoView, room: int) -> list[Text]:
    several = len(view.watches) > 1
    lines = []
    for name, line in view.lines[-room:]:
        minutes, seconds = divmod(int(line.at), 60)
        text = Text(f"{minutes}:{seconds:02} ", QUIET)
        if several:
            text.append(f"{name} ", QUIET)
        lines.append(text.append(line.line.words, line.line.style))
    return lines


def _beside(left: list[Text], right: list[Text], at: int, rows: int) -> list[Text]:
    """Two columns, the second from column `at` on."""
    lines = []
    for row in range(rows):
        # Into a new line: the style of the whole left column would reach into the right one.
        line = Text().append_text(left[row]) if row < len(left) else Text()
        line.truncate(at - 1, overflow="ellipsis")
        line.append(" " * (at - line.cell_len))
        lines.append(line.append_text(right[row]) if row < len(right) else line)
    return lines


# --- several tables --------------------------------------------------------------------------------------------------


def _several(view: DemoView, width: int, height: int) -> list[Text]:
    lines = [_rule(width, (1, "table"), (11, "shoe.round"), (24, "stands"), (36, "P"), (39, "B"), (44, "big road"))]
    lines += [_table_line(watch) for watch in view.watches]
    lines.append(_rule(width, (1, "what happened"), *_if_it_fits(20, view.pit, width)))
    if view.edges:
        lines.append(_rule(width, *_edges(view, 1, width)))
    room = max(height - len(lines) - 3, 0)
    return lines + [Text(" ").append_text(line) for line in _happened(view, room)]


def _table_line(watch: TableWatch) -> Text:
    table = watch.state
    line = Text(f" {watch.topics.prefix.rpartition('/')[2]:<11}", "bold")
    if table is None:
        return line.append("waiting", WARNING)
    line.append(f"{f'{table.shoe}.{table.round}':<12}")
    stopping = [alert.kind for alert in table.alerts if alert.severity == "stops"]
    if stopping:
        return line.append(stopping[0], BAD)
    line.append(f"{table.phase.replace('_', ' '):<12}")
    totals = ("", "")
    if table.standing is not None and table.cards:
        totals = (_total(table.standing.player_total), _total(table.standing.banker_total))
    elif watch.result is not None:
        totals = (str(watch.result.outcome.player.total), str(watch.result.outcome.banker.total))
    line.append(f"{totals[0]:<3}", WINNER_STYLES["player"]).append(f"{totals[1]:<5}", WINNER_STYLES["banker"])
    for cell in () if watch.roads is None else watch.roads.roads.bead_plate.cells[-40:]:
        line.append(cell.winner.value, "green" if cell.winner is RoadWinner.TIE else _ROAD_STYLES[cell.winner])
    return line


def _total(total: int | None) -> str:
    return "?" if total is None else str(total)
