"""`shoe-controller journal recall FILE [N]`: shows the last rounds of a table.

Reads the end of a journal, beside a running controller: backwards as far as the rounds reach, then forwards from there
with the chain checked. `shoe_controller/history/recall.py` puts together what the facts say, `drawing.py`
beside it draws them.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.commands.output import GOOD, add_json_option, as_text, console, print_json
from shoe_controller.daemon.table_journal import read_fact
from shoe_controller.history.recall import last_rounds
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.history.seen_cards import FACTS_ABOUT_CARDS, SeenCards
from shoe_controller.journal.errors import BrokenChainError, FileError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Event
from shoe_controller.messages.facts import AnyFact, BettingClosed

MOST_ROUNDS = 1000
"""More than a day of play; all of them are held in memory."""

_CLOSED = str(BettingClosed.__struct_config__.tag)


def add_parser(
    actions: "argparse._SubParsersAction[argparse.ArgumentParser]", run: Callable[[argparse.Namespace], int]
) -> None:
    """Add the action; `run` wraps an action of `journal`, with its exit codes."""
    parser = actions.add_parser(
        "recall",
        help="show the last rounds: cards, results, payments, alerts, corrections",
        description="Show the last rounds as a dealer wants to see them, the newest last. A round counts from the "
        "moment its wagers are closed; cards that were not shown at the table are not shown here. All times are UTC.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("rounds", nargs="?", type=_rounds, default=1, metavar="N", help="how many; one if left out")
    add_json_option(parser)
    parser.set_defaults(run=run, act=_recall)


def _recall(args: argparse.Namespace) -> int:
    with JournalReader(args.file) as reader:
        rounds = recalled(reader, args.rounds)
        pruned = reader.oldest() > 1
    if args.json:
        for playing in rounds:
            print_json(playing)
        return GOOD
    # Imported late: only drawing needs rich.
    from shoe_controller.history.drawing import draw  # noqa: PLC0415 - see above

    draw(console(), rounds, _remark(rounds, args.rounds, pruned=pruned))
    return GOOD


def _remark(rounds: list[RecalledRound], wanted: int, *, pruned: bool) -> str:
    """The remark when there are fewer rounds than requested."""
    there = sum(playing.counts for playing in rounds)
    if there >= wanted:
        return ""
    why = "Older shoes were pruned; their exports have them." if pruned else ""
    if not there:
        return f"This journal contains no round yet. {why}".strip()
    return f"This journal contains only {there} {'round' if there == 1 else 'rounds'}. {why}".strip()


def recalled(reader: JournalReader, count: int) -> list[RecalledRound]:
    """Return the last `count` rounds, however long the history is."""
    reach = count + 1
    while True:
        oldest = reader.oldest()
        try:
            first = _closing_of(reader, reach)
            facts = _facts_from(reader, oldest if first is None else first)
            rounds = last_rounds(facts, count, from_beginning=first is None)
        except BrokenChainError:
            if reader.oldest() == oldest:
                raise
            continue  # it was pruned while we read; what is left is complete
        if rounds is not None:
            return rounds
        # One of them began earlier than assumed: its result was taken back after others had been voided.
        reach *= 2


def _closing_of(reader: JournalReader, reach: int) -> int | None:
    """Record in which the wagers of the `reach`-th last round were closed; `None` if there are fewer rounds."""
    seen = set()
    for record in reader.events_backwards(_CLOSED):
        closed = _read(reader, Event(name=record.name, body=record.body), record.number)
        seen.add((closed.shoe, closed.round))
        if len(seen) == reach:
            return record.entry
    return None


def _facts_from(reader: JournalReader, first: int) -> Iterator[tuple[AnyFact, ...]]:
    for step in reader.steps(first):
        yield tuple(_read(reader, fact, step.input.number) for fact in step.events)


def _read(reader: JournalReader, stored: Event, number: int) -> AnyFact:
    try:
        return read_fact(stored)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileError(
            reader.database.path,
            f'the fact "{as_text(stored.name)}" at record {number} cannot be read by this version of the program '
            f"({error}). `shoe-controller journal export` shows it as it is.",
        ) from error


class SeenInShoe(NamedTuple):
    shoe: int
    decks: int
    cards: Counter[Card]
    """Those that were shown."""


def seen_in_journal(file: Path, shoe: int | None, before_round: int | None) -> SeenInShoe:
    """Return the cards of a shoe that were shown, up to the end of the journal or before the first card of a round."""
    with JournalReader(file) as reader:
        if shoe is None:
            last = next(reader.events_backwards(FACTS_ABOUT_CARDS[0]), None)
            if last is None:
                raise FileError(file, "contains no shoe.")
            shoe = _read(reader, Event(name=last.name, body=last.body), last.number).shoe
        span = reader.shoe_records(shoe)
        if span is None:
            raise FileError(file, f"does not contain the opening of shoe {shoe}; an export may have it.")
        seen = SeenCards()
        rounds = 0
        for record in reader.events_between(span.first, span.last, FACTS_ABOUT_CARDS):
            fact = _read(reader, Event(name=record.name, body=record.body), record.number)
            if fact.shoe != shoe:
                continue
            rounds = max(rounds, fact.round)
            if before_round is None or fact.round < before_round:
                seen.take(fact)
        if before_round is not None and before_round > rounds + 1:
            raise FileError(file, f"has {rounds} rounds of shoe {shoe}; there is no round {before_round}.")
        return SeenInShoe(shoe, seen.decks, +seen.cards)


def _rounds(text: str) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"{as_text(text)!r} is not a number of rounds; give 1 or more")
    if len(text) > 18 or int(text) > MOST_ROUNDS:
        raise argparse.ArgumentTypeError(
            f"at most {MOST_ROUNDS} rounds can be recalled; `journal export` writes everything"
        )
    return int(text)
