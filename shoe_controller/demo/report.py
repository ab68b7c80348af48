"""The report at the end of a demonstration: what happened, and whether truth, journal and display agree.

The journal is read from its file once the daemon has ended, and verified as an auditor would: the chain, the head that
the display received, and that replaying the inputs gives the same facts.
"""

from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from shoe_controller.daemon.table_journal import published_fact, replay, written_by
from shoe_controller.demo.display import TableWatch
from shoe_controller.demo.fault_book import FaultBook, FaultStory
from shoe_controller.demo.faults import FAULTS, LOSES_CARDS
from shoe_controller.demo.irregularities import IRREGULARITIES
from shoe_controller.demo.pit_alarms import SeatAlarm
from shoe_controller.demo.truth import Truth
from shoe_controller.journal.errors import JournalError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.journal.verify import verify
from simulator.reckoner.alignment import Leniency
from simulator.reckoner.displays import Event, display_problems
from simulator.reckoner.house import house_of
from simulator.reckoner.reckoning import Reckoning, Step, reckon
from simulator.second_sum import differences

MOST_PROBLEMS = 10

_decode = msgspec.json.decode


class TableEnd(NamedTuple):
    """All there is of one table when everything has ended."""

    name: str
    watch: TableWatch
    truth: Truth
    faults: FaultBook
    journal: Path
    requests: int


class Report(NamedTuple):
    lines: list[str]
    good: bool


class _Audit(NamedTuple):
    reckoning: Reckoning
    records: int
    replayed: int
    head: str
    problems: list[str]


def report_on(  # noqa: PLR0913 - what a report is about, each given by name
    tables: list[TableEnd],
    *,
    wire: str,
    planned: tuple[str, ...],
    pages: list[str],
    counter: bool,
    alarms: list[SeatAlarm],
) -> Report:
    """The report; `planned` says what was to go wrong at each table, `pages` what was served to browsers.

    `counter` says whether a player counted cards, `alarms` what the pit's process found about seats.
    """
    audits = [_audit(table, wire) for table in tables]
    stories = [story for table in tables for story in table.faults.stories(table.watch.facts)]
    problems = [
        f"{table.name}: {problem}" for table, audit in zip(tables, audits, strict=True) for problem in audit.problems
    ]
    problems += [
        f"{story.name} was not {'put right' if story.name in IRREGULARITIES else 'caught'}"
        for story in stories
        if not story.caught
    ]
    watches = [table.watch for table in tables]
    lines = ["", "What was shown:"]
    voids = sum(watch.voids for watch in watches)
    at = "" if len(tables) == 1 else f" at {len(tables)} tables"
    lines.append(f"  rounds    {_many(sum(watch.results for watch in watches), 'round')} settled, {voids} void{at}")
    faults = [name for name in planned if name in FAULTS]
    if faults:
        lines += _faults([story for story in stories if story.name in FAULTS], len(faults) * len(tables))
    if len(planned) > len(faults):
        irregular = [story for story in stories if story.name in IRREGULARITIES]
        lines += _irregularities(irregular, (len(planned) - len(faults)) * len(tables))
    lines += _seat_alarms(alarms, counter=counter and bool(pages))
    lines.append(
        f"  messages  {sum(watch.messages for watch in watches):,} to the display, "
        f"{sum(len(watch.facts) for watch in watches):,} of them events; "
        f"{sum(table.requests for table in tables):,} requests to the controller"
    )
    latencies = [each for watch in watches for each in watch.latencies.all]
    if latencies:
        lines.append(f"  latency   shoe to display: median {median(latencies):.1f} ms, worst {max(latencies):.1f} ms")
    for audit in audits:
        lines.append(
            f"  journal   {audit.records:,} records, {audit.replayed:,} facts replayed byte for byte; it ends with"
        )
        lines.append(f"    {audit.head}")
    if pages:
        lines += ["", "Pages, which have ended with it:", *pages]
    return Report([*lines, "", *_verdict(audits, problems)], good=not problems)


def _seat_alarms(alarms: list[SeatAlarm], *, counter: bool) -> list[str]:
    if not alarms:
        return ["  pit       no seat was found that follows an edge"] if counter else []
    named = [f"after {each.minutes} minutes, {each.table}: {each.words}" for each in alarms]
    return [f"  pit       {named[0]}", *(f"            {each}" for each in named[1:])]


def _faults(stories: list[FaultStory], planned: int) -> list[str]:
    caught = sum(story.caught for story in stories)
    lines = [f"  faults    {len(stories)} of {planned} happened, {caught} caught"]
    for story in stories:
        if story.alerts:
            end = f"ended by {', '.join(story.acts)}" if story.over else "not over yet"
            lines.append(f"            {story.name}: {', '.join(story.alerts)}; {end}")
        elif not FAULTS[story.name].caught_by:
            lines.append(f"            {story.name}: mended by the line itself")
        else:
            lines.append(f"            {story.name}: {'seen, no alert needed' if story.caught else 'NOT CAUGHT'}")
    return lines


def _irregularities(stories: list[FaultStory], planned: int) -> list[str]:
    put_right = sum(story.caught for story in stories)
    lines = [f"  people    {len(stories)} of {planned} irregularities happened, {put_right} put right"]
    for story in stories:
        end = "NOT PUT RIGHT" if not story.caught else "put right" if story.over else "put right, an alert still stands"
        lines.append(f"            {story.name}: {', '.join(story.people) or 'nobody did anything'}; {end}")
    return lines


def _verdict(audits: list[_Audit], problems: list[str]) -> list[str]:
    if problems:
        more = [f"  and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
        lines = [f"  {problem}" for problem in problems[:MOST_PROBLEMS]]
        return ["truth = journal = display: NO", *lines, *more]
    cards = sum(audit.reckoning.cards for audit in audits)
    rounds = sum(audit.reckoning.results for audit in audits)
    lines = [f"truth = journal = display: yes, {_many(cards, 'card')} in order, {_many(rounds, 'settled round')}"]
    lost = sum(audit.reckoning.lost for audit in audits)
    made_up = sum(audit.reckoning.invented for audit in audits)
    if lost or made_up:
        lines[0] = (
            f"truth = journal = display: yes for {_many(cards, 'card')} in order and all {rounds} settled rounds;"
        )
        lines.append(f"  {_many(lost, 'card')} were lost and {made_up} came from an attacker, as this wire allows:")
        lines.append("  each time the table noticed and stopped, and the round was voided")
    late = sum(audit.reckoning.under_way for audit in audits)
    if late:
        lines.append(f"  {_many(late, 'card')} had just left the shoe when it was switched off")
    return lines


def _audit(table: TableEnd, wire: str) -> _Audit:
    problems: list[str] = []
    steps: list[Step] = []
    stored: dict[int, Event] = {}
    records, replayed, head = 0, 0, "nothing"
    watch = table.watch
    try:
        with JournalReader(table.journal) as reader:
            head = str(reader.position().head)
            while events := reader.events(len(stored)):
                stored |= {event.seq: (published_fact(event).topic, event.body) for event in events}
            steps += (
                Step(_decode(step.input.input.body), [_decode(event.body) for event in step.events])
                for step in reader.steps(reader.oldest())
            )
            software = written_by(reader) or ""
        checked = verify(
            table.journal,
            replay=replay,
            software=software,
            heads=[_head(watch.head)] if watch.head else [],
            progress=lambda _done, _all: None,
        )
        problems += [problem.what for problem in checked.problems]
        records, replayed = checked.records, checked.replayed or 0
    except JournalError as error:
        problems.append(str(error))
    problems += display_problems(stored, watch.events)
    reckoning = reckon(
        table.truth.lines,
        steps,
        None if watch.info is None else house_of(msgspec.to_builtins(watch.info.rules)),
        native=wire == "native",
        leniency=Leniency(under_way=True, faults=LOSES_CARDS[wire]),
    )
    problems += reckoning.problems
    problems += differences(reckoning, [event for step in steps for event in step.events])
    return _Audit(reckoning, records, replayed, head, problems)


def _head(text: str) -> Head:
    number, _, digest = text.partition(":")
    return Head(number=int(number), hash=bytes.fromhex(digest))


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
