"""What a batch of events makes of the tables, worked out in memory from the rows that it concerns. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from shoe_controller.archive.derived.rows import Key, Patch, Replaced, Row, Rows, Sweep, Value
from shoe_controller.archive.derived.tables import ROUND, SHOE, TABLES, Merge, Table

RoundKey = tuple[Value, Value, Value]
"""Journal, shoe, round."""

_PRICES = ("game", "currency", "decimals")
"""What a round takes over from its shoe."""

_AT = {name: {column: place for place, column in enumerate(table.names)} for name, table in TABLES.items()}


class PatchedRow:
    """A row that events change."""

    __slots__ = ("changed", "stored", "values")

    def __init__(self, values: dict[str, Value], *, stored: bool) -> None:
        self.values = values
        self.stored = stored
        """It is in the database, and was read from there."""
        self.changed = not stored


class StandingRow:
    """A row that another event may replace."""

    __slots__ = ("replaced", "stored", "values")

    def __init__(self, values: list[Value], *, stored: bool) -> None:
        self.values = values
        self.stored = stored
        self.replaced = False


class Batch:
    def __init__(self, every: Sequence[Rows]) -> None:
        self.every = every
        self.patched: dict[str, dict[Key, PatchedRow]] = defaultdict(dict)
        self.added: dict[str, list[StandingRow]] = defaultdict(list)
        self.forgotten: list[tuple[Table, StandingRow]] = []
        self.marked: list[tuple[Table, StandingRow]] = []
        """Stored rows that have become replaced."""
        self._standing: dict[tuple[str, RoundKey], list[StandingRow]] = defaultdict(list)
        self._keys = _keys_of(every)
        self._named = _named_in(every)
        self._prices: dict[Key, Row] = {}
        """Of shoes that are in the database."""

    # --- which rows of the database it concerns -----------------------------------------------------------------------

    def patched_keys(self) -> dict[str, list[Key]]:
        return {name: list(keys) for name, keys in self._keys.items()}

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """The columns of stored rows that are read and written: not the `jsonb`, unless something changes it.

        The rules of a shoe are longer than everything else of it.
        """
        named = self._named.get(table.name, set())
        return tuple(column.name for column in table.columns if column.type != "jsonb" or column.name in named)

    def sweeps(self) -> list[Sweep]:
        return [sweep for rows in self.every for sweep in rows.sweeps]

    def stored_rounds(self, table: Table) -> list[RoundKey]:
        """The rounds that the database may have rows of this table of which are replaced now."""
        rounds: dict[RoundKey, None] = {}
        for rows in self.every:
            for replaced in rows.replaced:
                key = (replaced.journal_id, replaced.shoe, replaced.round)
                if replaced.table is table and (not replaced.round or self._is_stored(key)):
                    rounds[key] = None
        return list(rounds)

    def times_of(self, rounds: Iterable[RoundKey]) -> tuple[Value, Value]:
        """When their first event was, and their last before this batch; null for any time."""
        rows = [self.patched[ROUND.name][key] for key in rounds if key in self.patched[ROUND.name]]
        if not rows or any(not key[2] for key in rounds):
            return None, None
        firsts, lasts = ([row.values[name] for row in rows] for name in ("first_at", "last_at"))
        return min(firsts), max(lasts)  # type: ignore[type-var]

    def shoes_without_prices(self) -> list[Key]:
        """Shoes of rounds that have no currency yet, where nothing of this batch is about the shoe itself."""
        stored = self.patched[ROUND.name]
        shoes = {
            key[:2]: None
            for key in self._keys.get(ROUND.name, ())
            if key not in stored or stored[key].values["currency"] is None
        }
        return [shoe for shoe in shoes if shoe not in self._keys.get(SHOE.name, ())]

    def _is_stored(self, key: RoundKey) -> bool:
        row = self.patched[ROUND.name].get(key)
        return row is not None and row.stored

    # --- what the database has ----------------------------------------------------------------------------------------

    def load(self, table: Table, rows: Iterable[Row]) -> None:
        """Take rows with the columns of `columns_of`."""
        known, columns = self.patched[table.name], self.columns_of(table)
        for row in rows:
            key = tuple(row[: table.key])
            if key not in known:
                known[key] = PatchedRow(_empty(table, key) | dict(zip(columns, row, strict=True)), stored=True)

    def load_standing(self, table: Table, rows: Iterable[Row]) -> None:
        for row in rows:
            standing = StandingRow(list(row), stored=True)
            self._standing[table.name, _round_of(table, standing.values)].append(standing)

    def load_prices(self, rows: Iterable[Row]) -> None:
        self._prices = {tuple(row[:2]): tuple(row[2:]) for row in rows}

    # --- what becomes of it -------------------------------------------------------------------------------------------

    def work_out(self) -> None:
        for rows in self.every:
            for patch in rows.patches:
                self._patch(patch)
            for sweep in rows.sweeps:
                self._sweep(sweep)
            for replaced in rows.replaced:
                self._replace(replaced)
            for table, row in rows.added:
                self._add(table, row)
        self._price()

    def _patch(self, patch: Patch) -> None:
        row = self.patched[patch.table.name].get(patch.key)
        if row is None:
            row = self.patched[patch.table.name][patch.key] = PatchedRow(_empty(patch.table, patch.key), stored=False)
        row.changed = True
        _merge(patch.table, row.values, patch.values)

    def _sweep(self, sweep: Sweep) -> None:
        for row in self.patched[sweep.table.name].values():
            if all(row.values[name] == value for name, value in sweep.where.items()):
                row.values.update(sweep.values)
                row.changed = True

    def _replace(self, replaced: Replaced) -> None:
        table = replaced.table
        key = (table.name, (replaced.journal_id, replaced.shoe, replaced.round))
        standing = self._standing.get(key)
        if not standing:
            return
        at = _AT[table.name]
        stays = []
        for row in standing:
            if any(row.values[at[name]] != value for name, value in replaced.having.items()):
                stays.append(row)
                continue
            row.replaced = True
            row.values[at["replaced_by"]] = replaced.by
            if replaced.forget:
                self.forgotten.append((table, row))
            elif row.stored:
                self.marked.append((table, row))
        self._standing[key] = stays

    def _add(self, table: Table, row: Row) -> None:
        added = StandingRow(list(row), stored=False)
        self.added[table.name].append(added)
        if "replaced_by" in _AT[table.name]:
            self._standing[table.name, _round_of(table, added.values)].append(added)

    def _price(self) -> None:
        """Rounds take over the game and the currency of their shoes, which no other event names."""
        shoes = {
            key: tuple(row.values[name] for name in _PRICES) for key, row in self.patched[SHOE.name].items()
        } | self._prices
        for key, row in self.patched[ROUND.name].items():
            if row.changed and row.values["currency"] is None:
                row.values.update(zip(_PRICES, shoes.get(key[:2], ()), strict=False))


def _keys_of(every: Sequence[Rows]) -> dict[str, dict[Key, None]]:
    """The keys of the rows that are changed, by table."""
    keys: dict[str, dict[Key, None]] = defaultdict(dict)
    for rows in every:
        for patch in rows.patches:
            keys[patch.table.name][patch.key] = None
    return keys


def _named_in(every: Sequence[Rows]) -> dict[str, set[str]]:
    """The columns that are changed, by table."""
    named: dict[str, set[str]] = defaultdict(set)
    for rows in every:
        for patch in rows.patches:
            named[patch.table.name].update(patch.values)
    return named


def _round_of(table: Table, values: Sequence[Value]) -> RoundKey:
    at = _AT[table.name]
    return values[0], values[at["shoe"]], values[at["round"]]


_EMPTY = {
    name: {column.name: 0 if column.merge is Merge.SUM else None for column in table.columns}
    for name, table in TABLES.items()
}


def _empty(table: Table, key: Key) -> dict[str, Value]:
    return _EMPTY[table.name] | dict(zip(table.names, key, strict=False))


_MERGES = {table.name: {column.name: column.merge for column in table.columns} for table in TABLES.values()}


def _merge(table: Table, row: dict[str, Value], values: Mapping[str, Value]) -> None:
    merges = _MERGES[table.name]
    for name, value in values.items():
        merge, before = merges[name], row[name]
        if merge is Merge.LAST or before is None:
            row[name] = value
        elif value is not None and merge is not Merge.FIRST:
            row[name] = _merged(merge, before, value)


def _merged(merge: Merge, before: Value, value: Value) -> Value:
    both: tuple[int, int] = (before, value)  # type: ignore[assignment]
    match merge:
        case Merge.SUM:
            return sum(both)
        case Merge.LEAST:
            return min(both)
        case _:
            return max(both)
