"""Reads a round that is over from the journal, for an act about it: its last result and settlement, and its rules.

How much is read depends on the round's shoe alone, not on the length of the history.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from shoe_controller.daemon.table_journal import read_fact, read_input
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Event, stored_input
from shoe_controller.messages.facts import AnyFact, ResultUndone, RoundAmended, RoundResult, RoundSettled, RoundVoided
from shoe_controller.table.inputs import NewShoe, RolledBack, Snapshot
from shoe_controller.table.past import AnyPast, MeantRound, NoPastRound, PastRound, PrunedRound
from shoe_controller.table.state import RulesSource, TableState

ReadPast = Callable[[MeantRound, TableState], AnyPast]

_decode_amended = msgspec.json.Decoder(RoundAmended).decode
_ABOUT_RESULTS = ("round_result", "result_undone", "round_settled", "round_voided")


def past_round(reader: JournalReader, meant: MeantRound, state: TableState) -> AnyPast:
    """What the journal has of the round."""
    try:
        return _read(reader, meant, state)
    except (FileError, msgspec.DecodeError):
        # Old damage is for `journal verify` to report: a request must not end the table's daemon.
        return NoPastRound()


def _read(reader: JournalReader, meant: MeantRound, state: TableState) -> AnyPast:
    pruned = next((tombstone for tombstone in reader.tombstones() if tombstone.shoe == meant.shoe), None)
    if pruned is not None:
        return PrunedRound(export=pruned.export_name)
    records = reader.shoe_records(meant.shoe)
    if records is None:
        return NoPastRound()
    is_own = state.shoe is not None and meant.shoe == state.shoe_number
    rules = None if is_own else _rules(reader, records.first)
    found = reader.events_between(records.first, records.last, _ABOUT_RESULTS)
    facts = (read_fact(Event(name=record.name, body=record.body)) for record in found)
    amended = amended_seq(meant, state)
    again = None if amended is None else _decode_amended(reader.events(amended - 1, 1)[0].body)
    return past_from(facts, again, meant, rules, order_of_rounds(state, meant))


def _rules(reader: JournalReader, first: int) -> RulesSource | None:
    record = next(reader.records(first - 1, first), None)
    beginning = None if record is None else read_input(stored_input(record).input)
    match beginning:
        case NewShoe():
            return beginning.rules
        case Snapshot() | RolledBack() if beginning.state.shoe is not None:
            return beginning.state.shoe.rules
    return None


def order_of_rounds(state: TableState, meant: MeantRound) -> tuple[int, ...]:
    """The rounds with a result of the shoe on the table, as its roads show them: some may be of an earlier journal."""
    own = state.shoe
    return () if own is None or own.number != meant.shoe else tuple(each.number for each in own.settled)


def amended_seq(meant: MeantRound, state: TableState) -> int | None:
    """The event by which the round was amended last, if it was; those of an earlier journal have the number 0."""
    found = (each.seq for each in state.lasting.amended if (each.shoe, each.round) == (meant.shoe, meant.round))
    return next(found, 0) or None


class _Standing(NamedTuple):
    result: RoundResult
    settled: RoundSettled | None


def past_from(
    facts: Iterable[AnyFact],
    amended: RoundAmended | None,
    meant: MeantRound,
    rules: RulesSource | None,
    order: Sequence[int] = (),
) -> PastRound | NoPastRound:
    """The round as the facts of its shoe tell of it, and the last amendment."""
    standing: dict[int, _Standing] = {}
    """By the round's number: results that were not taken back."""
    voided = False
    for fact in facts:
        match fact:
            case RoundResult(shoe=meant.shoe):
                standing[fact.round] = _Standing(fact, None)
            case RoundSettled(shoe=meant.shoe) if fact.round in standing:
                standing[fact.round] = _Standing(standing[fact.round].result, fact)
            case ResultUndone(shoe=meant.shoe):
                # Its settlement is taken back with it.
                standing.pop(fact.round, None)
            case RoundVoided(shoe=meant.shoe, round=meant.round):
                voided = True
    if meant.round not in standing:
        return NoPastRound(voided=voided)
    result, settled = standing[meant.round]
    # A result that was amended may have been taken back, and be another since.
    last = amended if amended is not None and amended.seq > result.seq else None
    settlement = (None if settled is None else settled.settlement) if last is None else last.settlement
    settlement_seq = (None if settled is None else settled.seq) if last is None else last.seq
    return PastRound(
        shoe=meant.shoe,
        round=meant.round,
        rules=rules,
        place=(order if meant.round in order else list(standing)).index(meant.round),
        free=result.free,
        outcome=result.outcome if last is None else last.outcome,
        settlement=settlement,
        outcome_seq=result.seq if last is None else last.seq,
        settlement_seq=None if settlement is None else settlement_seq,
    )
