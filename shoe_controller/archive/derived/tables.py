"""The columns of the derived tables, as rows are written to them. `002_derived.sql` creates and describes them."""

from enum import Enum, auto
from typing import NamedTuple


class Merge(Enum):
    """What becomes of a column's value when an event brings another one."""

    LAST = auto()
    """It takes the new value, also null."""
    FIRST = auto()
    """It keeps the first that is not null."""
    SUM = auto()
    LEAST = auto()
    MOST = auto()


class Column(NamedTuple):
    name: str
    type: str
    merge: Merge


class Table(NamedTuple):
    name: str
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    key: int
    """How many of the first columns name a row that later events change; 0 where rows are only added."""
    monthly: bool
    """Partitioned by month."""


def _table(name: str, text: str, *, key: int = 0, monthly: bool = False) -> Table:
    columns = _columns(text)
    return Table(name, columns, tuple(column.name for column in columns), key, monthly)


def _columns(text: str) -> tuple[Column, ...]:
    """Read "name", "name type" and "name type merge", separated by commas."""
    found = []
    for words in map(str.split, text.split(",")):
        name, type_, merge = (*words, *("", "bigint", "last")[len(words) :])
        found.append(Column(name, type_, Merge[merge.upper()]))
    return tuple(found)


_EVENT = "journal_id, seq, at timestamptz, site text, table_name text, shoe, round"
"""Where and when an event was, and which shoe and round it is about."""

_LINE = "journal_id, seq, line, at timestamptz, shoe, round"
"""The same of one line of an event that has several. The table is a join away, with the round."""

_MONEY = "stakes, taken, winnings, commission, cut, paid, returned, house_win, commission_marked"

_HANDS = (
    "player_total, banker_total, player_cards text, banker_cards text, winner text, player_natural boolean, "
    "banker_natural boolean, player_pair boolean, banker_pair boolean"
)

SHOE = _table(
    "shoe",
    "journal_id, shoe, site text, table_name text, opened_at timestamptz, opened_seq, opened_by text, decks, "
    "card_sets jsonb, game text, currency text, decimals, commission_rate text, commission_taken text, "
    "rules_hash text, rules jsonb, first_card text, burned, cut_card_at timestamptz, last_round, "
    "ended_at timestamptz, ended_seq, ended_why text, ended_reason text, cards_out, inventory jsonb, "
    "commission_due jsonb, remainder_expected, remainder_found, remainder_fits boolean, remainder_faces jsonb, "
    "exchanges bigint sum",
    key=2,
)

ROUND = _table(
    "round",
    "journal_id, shoe, round, site text, table_name text, state text, began_at timestamptz first, "
    "closed_at timestamptz, closed_seq, closed_by text, ended_at timestamptz, first_at timestamptz least, "
    f"last_at timestamptz most, dealer text, free boolean, {_HANDS}, why text, confirmed_by text, result_seq, "
    f"settlement_seq, {_MONEY}, void_reason text, corrections bigint sum, alerts bigint sum, replays bigint sum, "
    "extra_burned bigint sum, game text, currency text, decimals",
    key=3,
)

RESULT = _table(
    "result",
    f"{_EVENT}, kind text, {_HANDS}, why text, confirmed_by text, dealer text, free boolean, replaced_by",
)

SETTLEMENT = _table(
    "settlement",
    f"{_EVENT}, kind text, {_MONEY}, limit_reached boolean, difference jsonb, replaced_by",
)

PAYMENT = _table(
    "payment",
    f"{_LINE}, seat text, wager text, stake, result text, pays text, winnings, commission, cut, returned, paid, "
    "replaced_by",
    monthly=True,
)

WAGER = _table("wager", f"{_LINE}, seat text, wager text, stake, how text, replaced_by", monthly=True)

CARD = _table(
    "card",
    f"{_LINE}, place text, number, hand text, face text, why text, entered_by text, carried boolean, fact text, "
    "player_total, banker_total, replaced_by",
    monthly=True,
)

ALERT = _table(
    "alert",
    "journal_id, seq, site text, table_name text, number, shoe bigint first, round bigint first, "
    "raised_at timestamptz, kind text, severity text, detail_code text, detail jsonb, cleared_by text, "
    "ended_at timestamptz, ended_seq, ended_how text, ended_by text",
    key=2,
)

ACT = _table(
    "act",
    f"{_EVENT}, act text, person text, role text, reason text, approved_by text, terminal text, of_shoe, of_round, "
    "details jsonb",
)

PERSON = _table(
    "person",
    "journal_id, person text, site text, table_name text, first_at timestamptz least, last_at timestamptz most, "
    "acts_as_dealer bigint sum, acts_as_supervisor bigint sum",
    key=2,
)

DUTY = _table("duty", f"{_EVENT}, dealer text, before text")

DISPUTE = _table(
    "dispute",
    "journal_id, dispute, site text, table_name text, shoe, round, seat text, disputed text, "
    "opened_at timestamptz, opened_by text, closed_at timestamptz, closed_seq, decision text",
    key=2,
)

NOTE = _table("note", f"{_EVENT}, of_shoe, of_round, note text")

ADJUSTMENT = _table("adjustment", f"{_EVENT}, of_shoe, of_round, seat text, amount")

COMMISSION = _table(
    "commission",
    "journal_id, seq, line, at timestamptz, site text, table_name text, shoe, round, seat text, kind text, "
    "amount, since_shoe, replaced_by",
)

PROPOSAL = _table(
    "proposal",
    "journal_id, proposal, site text, table_name text, seq, at timestamptz, shoe, round, act text, person text, "
    "reason text, details jsonb, state text, ended_at timestamptz, ended_why text, approved_by text",
    key=2,
)

WRONG_PIN = _table("wrong_pin", f"{_EVENT}, person text, failures, locked_out boolean, terminal text")

LINK = _table(
    "link",
    f"{_EVENT}, what text, reader text, authenticated boolean, keeps_events boolean, wire text, port text, cause text",
)

NOT_DERIVED = _table("not_derived", f"{_EVENT}, fact text, why text")

TABLES = {
    table.name: table
    for table in (
        SHOE,
        ROUND,
        RESULT,
        SETTLEMENT,
        PAYMENT,
        WAGER,
        CARD,
        ALERT,
        ACT,
        PERSON,
        DUTY,
        DISPUTE,
        NOTE,
        ADJUSTMENT,
        COMMISSION,
        PROPOSAL,
        WRONG_PIN,
        LINK,
        NOT_DERIVED,
    )
}
