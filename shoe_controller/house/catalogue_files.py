"""Reads catalogue files, our own and a house's, into a `Catalogue`.

A house's file adds to what is there, or replaces what has the same name. Everything that cannot be used is reported at
once, with its file, its wager, its row and the reason. The format is described in `docs/catalogue.md`.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from shoe_controller.baccarat.conditions import ConditionError, describe, facts_where
from shoe_controller.baccarat.wagers import (
    ONLY_TABLE,
    BaseGame,
    Catalogue,
    CatalogueError,
    Document,
    Layout,
    Names,
    OptionRule,
    PayTable,
    Row,
    Wager,
    unknown,
)
from shoe_controller.config.strict_reading import BadFileError, Problem, parse_toml, read, read_text


class _DocumentEntry(msgspec.Struct):
    title: str
    decks: tuple[int, ...]


class _RowEntry(msgspec.Struct):
    when: dict[str, object]
    pays: str | dict[str, str]
    commission: bool = False


class _WagerEntry(msgspec.Struct):
    id: str
    name: Names
    document: str | tuple[str, ...]
    rows: tuple[object, ...] = ()
    decks: tuple[int, ...] | None = None
    default_pay_table: str | None = None


class _BaseGameEntry(msgspec.Struct):
    id: str
    name: Names
    pay_tables: dict[str, tuple[object, ...]]
    commission: str = "0%"


class _LayoutEntry(msgspec.Struct):
    id: str
    name: Names
    document: str
    offers: tuple[str, ...]
    pay_tables: dict[str, str] = {}
    option_rule: OptionRule | None = None


class _File(msgspec.Struct):
    """The top of a catalogue file; entries are read one by one, so that a problem can name its wager."""

    document: dict[str, _DocumentEntry] = {}
    group: dict[str, Names] = {}
    wager: tuple[dict[str, object], ...] = ()
    base_game: tuple[dict[str, object], ...] = ()
    layout: tuple[dict[str, object], ...] = ()


@cache
def built_in_catalogue() -> Catalogue:
    """The catalogue that comes with the product: every wager of the source documents."""
    folder = resources.files("shoe_controller.baccarat") / "catalogue"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return extend(_EMPTY, [(file.name, file.read_text(encoding="utf-8")) for file in files])


def catalogue_with(house_files: Iterable[Path]) -> Catalogue:
    """Return the built-in catalogue with a house's own files on top."""
    sources = [(str(file), read_text(file)) for file in house_files]
    return extend(built_in_catalogue(), sources) if sources else built_in_catalogue()


_EMPTY = Catalogue(documents={}, groups={}, wagers={}, base_games={}, layouts={})


def extend(catalogue: Catalogue, sources: Iterable[tuple[str, str]]) -> Catalogue:
    """Return a catalogue with these named texts added, in order."""
    for name, text in sources:
        catalogue = _FileReader(name, catalogue).read(text)
    return catalogue


class _FileReader:
    """Adds one file to a catalogue and collects what is wrong with it."""

    def __init__(self, file: str, before: Catalogue) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.documents = dict(before.documents)
        self.groups = dict(before.groups)
        self.wagers = dict(before.wagers)
        self.base_games = dict(before.base_games)
        self.layouts = dict(before.layouts)

    def read(self, text: str) -> Catalogue:
        data = parse_toml(self.file, text)
        top = read(data, _File, self.problems)
        if top is not None:
            for name, document in top.document.items():
                self.documents[name] = Document(document.title, self._decks(f"document.{name}", document.decks))
            self.groups.update(top.group)
            self._refuse_twins("wager", top.wager)
            self._refuse_twins("base_game", top.base_game)
            self._refuse_twins("layout", top.layout)
            for entry in top.wager:
                self._add_wager(entry, f"wager {entry.get('id', '(no id)')}")
            for entry in top.base_game:
                self._add_base_game(entry, f"base_game {entry.get('id', '(no id)')}")
            for entry in top.layout:
                self._add_layout(entry, f"layout {entry.get('id', '(no id)')}")
        if self.problems:
            raise BadFileError(self.file, self.problems)
        return Catalogue(self.documents, self.groups, self.wagers, self.base_games, self.layouts)

    def _refuse_twins(self, kind: str, entries: tuple[dict[str, object], ...]) -> None:
        ids = [entry["id"] for entry in entries if "id" in entry]
        for one in ids:
            if ids.count(one) > 1:
                self._problem(f"{kind} {one}", "it is defined twice in this file")

    def _add_wager(self, entry: dict[str, object], place: str) -> None:
        wager = read(entry, _WagerEntry, self.problems, place)
        if wager is None:
            return
        group = wager.id.partition(".")[0]
        if not re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", wager.id) or group not in self.groups:
            self._problem(place, f"its id must be GROUP.NAME with a declared group: {', '.join(self.groups)}")
        documents = (wager.document,) if isinstance(wager.document, str) else wager.document
        if not documents:
            self._problem(place, "name at least one document")
        for document in documents:
            if document not in self.documents:
                self._problem(place, unknown("document", document, self.documents))
        permitted = frozenset(
            decks for document in documents if document in self.documents for decks in self.documents[document].decks
        )
        tables = self._pay_tables(wager.rows, place)
        default = wager.default_pay_table or next(iter(tables), ONLY_TABLE)
        if tables and default not in tables:
            self._problem(place, f"default_pay_table: there is no {default!r} among {', '.join(tables)}")
        self.wagers[wager.id] = Wager(
            id=wager.id,
            names=wager.name,
            documents=documents,
            decks=permitted if wager.decks is None else self._decks(place, wager.decks),
            pay_tables=tables,
            default_table=default,
        )

    def _add_base_game(self, entry: dict[str, object], place: str) -> None:
        game = read(entry, _BaseGameEntry, self.problems, place)
        if game is None:
            return
        tables: dict[str, PayTable] = {}
        for wager, rows in game.pay_tables.items():
            if wager not in self.wagers:
                self._problem(place, unknown("wager", wager, self.wagers))
            named = self._pay_tables(rows, f"{place}, {wager}")
            if not rows:
                self._problem(f"{place}, {wager}", "it has no rows, so that it would always lose")
            if list(named) not in ([ONLY_TABLE], []):
                self._problem(f"{place}, {wager}", "a base game has one price for each row, not several pay tables")
            tables[wager] = named.get(ONLY_TABLE, ())
        if "base.banker" not in tables:
            self._problem(place, "it must have a pay table for base.banker")
        commission = parse_percentage(game.commission)
        if commission is None:
            self._problem(place, f"commission must be a percentage like '5%', not {game.commission!r}")
        else:
            self.base_games[game.id] = BaseGame(game.id, game.name, commission, tables)

    def _add_layout(self, entry: dict[str, object], place: str) -> None:
        layout = read(entry, _LayoutEntry, self.problems, place)
        if layout is None:
            return
        if layout.document not in self.documents:
            self._problem(place, unknown("document", layout.document, self.documents))
        so_far = Catalogue(self.documents, self.groups, self.wagers, self.base_games, self.layouts)
        for name in layout.offers:
            try:
                so_far.expand((name,))
            except CatalogueError as error:
                self._problem(place, str(error))
        for name, table in layout.pay_tables.items():
            try:
                so_far.chosen_tables({name: table})
            except CatalogueError as error:
                self._problem(place, str(error))
        for message in option_rule_mistakes(layout.option_rule, self.wagers) if layout.option_rule else ():
            self._problem(place, message)
        self.layouts[layout.id] = Layout(
            id=layout.id,
            names=layout.name,
            document=layout.document,
            offers=layout.offers,
            pay_tables=layout.pay_tables,
            option_rule=layout.option_rule,
        )

    def _pay_tables(self, entries: tuple[object, ...], place: str) -> dict[str, PayTable]:
        """Build the pay tables from these rows: a row belongs to each table that it has a price for."""
        rows: list[_RowEntry | None] = []
        for number, entry in enumerate(entries, 1):
            row = read(entry, _RowEntry, self.problems, f"{place}, row {number}")
            if row is not None and row.pays == {}:
                self._problem(f"{place}, row {number}", "pays names no price")
            rows.append(row)
        names = list(dict.fromkeys(name for row in rows if row and isinstance(row.pays, dict) for name in row.pays))
        tables: dict[str, PayTable] = {}
        for name in names or [ONLY_TABLE]:
            table: list[Row] = []
            taken = 0
            for number, row in enumerate(rows, 1):
                if row is None:
                    continue
                price = row.pays if isinstance(row.pays, str) else row.pays.get(name)
                if price is None:
                    continue
                made = self._row(row, price, f"{place}, row {number}")
                if made is None:
                    continue
                if not made.holds & ~taken:
                    self._problem(
                        f"{place}, row {number}", "it can never fit: the rows above it cover every such round"
                    )
                taken |= made.holds
                table.append(made)
            tables[name] = tuple(table)
        return tables if rows else {}

    def _row(self, entry: _RowEntry, price: str, place: str) -> Row | None:
        holds = 0
        misfits = []
        for word, value in entry.when.items():
            try:
                facts_where({word: value})
            except ConditionError as error:
                misfits.append(str(error))
        if not misfits:
            try:
                holds = facts_where(entry.when)
            except ConditionError as error:
                misfits.append(str(error))
        for message in misfits:
            self._problem(place, message)
        ratio = re.fullmatch(r"([1-9][0-9]{0,8}):([1-9][0-9]{0,8})", price)
        if price != "push" and ratio is None:
            self._problem(place, f"pays must be a ratio like '20:1' or 'push', not {price!r}")
            return None
        if misfits:
            return None
        if ratio is None:
            return Row(describe(entry.when), holds, None)
        return Row(describe(entry.when), holds, Fraction(int(ratio[1]), int(ratio[2])), entry.commission)

    def _decks(self, place: str, decks: tuple[int, ...]) -> frozenset[int]:
        if not decks or any(number not in range(1, 9) for number in decks):
            self._problem(place, "decks must list numbers from 1 to 8")
        return frozenset(decks)

    def _problem(self, place: str, message: str) -> None:
        problem = Problem(place, message)
        # One bad row shared by several pay tables is one mistake.
        if problem not in self.problems:
            self.problems.append(problem)


def option_rule_mistakes(rule: OptionRule, wagers: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with a rule on how many options a seat may play."""
    for name in (wager for option in rule.options for wager in option):
        if name not in wagers:
            yield unknown("wager", name, wagers)
    if not 1 <= rule.at_most <= len(rule.options):
        yield f"at_most must be from 1 to the number of options, not {rule.at_most}"


def parse_percentage(text: str) -> Fraction | None:
    """Read "5%" or "4.75 %" as an exact fraction below one."""
    match = re.fullmatch(r"([0-9]{1,2}(?:\.[0-9]{1,4})?)\s*%", text)
    return None if match is None else Fraction(match[1]) / 100
