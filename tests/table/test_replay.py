"""A journal holds all that is needed to say the same again: `verify` replays it, and finds what does not follow.

Two enemies: one who meddles with the file, and one who also computes the chain anew, as anybody with the program can.
Against the second, replaying finds every fact that does not follow from the inputs, and heads that were kept elsewhere
find everything else.
"""

# ruff: noqa: S608 - the statements are made of the numbers in this file

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import SOFTWARE as THIS_SOFTWARE
from shoe_controller.daemon.table_journal import (
    ReplayDiffersError,
    entry_for,
    recover,
    replay,
    snapshot_if_needed,
    written_by,
)
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import INPUTS, STARTS, Head, Record, RecordKind
from shoe_controller.journal.store import open_journal
from shoe_controller.journal.verify import Report, verify
from shoe_controller.messages.acts import Approve, Confirm, CorrectCard, UndoLastResult
from shoe_controller.messages.facts import RoundResult, RoundSettled
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.inputs import AnyInput, ControllerStarted, LinkBack, LinkLost
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Table
from tests.commands.running import PROGRAM, run_program
from tests.journal.tampering import query, tampered
from tests.table.desk import IDENTITY, SOFTWARE, Desk, desk_in, quick_folder
from tests.table.desk_dealer import Dealer
from tests.table.desk_forging import doubled, forged, heads_of, records_of, removed, replaced, swapped


def play(desk: Desk) -> None:
    """A shoe with wagers, a correction, a result taken back and confirmed anew, and the beginning of another round."""
    desk.open_shoe("AS")
    desk.bet("1", "base.player", 50)
    desk.bets("2", [("base.banker", 100), ("lucky_6.lucky_6", 10)])
    desk.deal("9H 4D KS 2C")
    desk.act(CorrectCard(number=2, card=Card.parse("5D")))
    desk.result(IndicatedWinner.PLAYER)
    desk.act(UndoLastResult(), person="ann")
    assert desk.state.lasting.proposal is not None
    desk.act(Approve(proposal=desk.state.lasting.proposal.number), person="bob")
    desk.act(Confirm(), person="bob")
    desk.bet("3", "base.tie", 5)
    desk.deal("2H 4C")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Instead of pytest's own: the files of these tests are written hundreds of times."""
    folder = quick_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with desk_in(tmp_path_factory.mktemp("played")) as desk:
        play(desk)
        assert sum(isinstance(fact, RoundSettled) for fact in desk.facts) == 2
    return desk.path


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "table.journal"))


def verified(path: Path, *, software: str = SOFTWARE, heads: Sequence[Head] = ()) -> Report:
    return verify(path, replay=replay, software=software, heads=heads, progress=lambda _done, _all: None)


def numbers_of(report: Report) -> list[int | None]:
    return [problem.number for problem in report.problems]


def test_every_fact_comes_out_again(path: Path) -> None:
    report = verified(path, heads=heads_of(path))
    assert report.good
    assert report.replayed == query(path, "SELECT count(*) FROM record WHERE kind = 'event'")[0][0] > 30
    assert report.not_replayed == {}


# --- an enemy who meddles with the file ------------------------------------------------------------------------------


def test_every_record_that_is_changed_removed_or_swapped_is_named(path: Path, tmp_path: Path) -> None:
    """Each record of the journal in turn; the checks of single columns are in the journal's own tests."""
    last = records_of(path)[-1].number
    for number in range(2, last):
        for what, statements in (
            ("changed", [f"UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE number = {number}"]),
            ("removed", [f"DELETE FROM record WHERE number = {number}"]),
            (
                "swapped",
                [
                    f"UPDATE record SET number = -1 WHERE number = {number}",
                    f"UPDATE record SET number = {number} WHERE number = {number + 1}",
                    f"UPDATE record SET number = {number + 1} WHERE number = -1",
                ],
            ),
        ):
            victim = Path(shutil.copy(path, tmp_path / "victim"))
            tampered(victim, *statements)
            assert number in numbers_of(verified(victim)), f"record {number} {what}"


# --- an enemy who computes the chain anew ----------------------------------------------------------------------------


def test_a_forgery_that_changes_nothing_changes_nothing(path: Path, tmp_path: Path) -> None:
    assert forged(path, tmp_path / "copy", lambda records: records) == records_of(path)
    assert verified(tmp_path / "copy", heads=heads_of(path)).good


def test_every_fact_that_does_not_follow_is_named_although_the_chain_fits(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    records = records_of(path)
    facts = [record for record in records if record.kind == RecordKind.EVENT]
    for fact, following in pairwise(facts):
        number = fact.number
        given = max(record.number for record in records[:number] if record.kind in INPUTS)
        last_of_section = any(record.kind in STARTS for record in records[number : following.number])
        forged(path, copy, replaced(number, fact._replace(body=fact.body.replace(b'"time":1', b'"time":2'))))
        assert numbers_of(verified(copy)) == [number]
        forged(path, copy, replaced(number, fact._replace(name=f"{fact.name}s")))
        assert numbers_of(verified(copy)) == [number]
        forged(path, copy, removed(number))
        # What replaying gives in its place is compared with the next fact of the same input, if there is one.
        assert numbers_of(verified(copy)) == [number if fact.entry == following.entry else given]
        forged(path, copy, doubled(number))
        assert numbers_of(verified(copy)) == [number + 1]
        forged(path, copy, swapped(number, following.number))
        # The replay begins anew with each shoe, and so finds the other one too.
        assert numbers_of(verified(copy)) == ([number, following.number] if last_of_section else [number])


def test_the_last_fact_of_a_journal_cannot_be_removed_or_doubled_either(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    last = [record for record in records_of(path) if record.kind == RecordKind.EVENT][-1]
    forged(path, copy, removed(last.number))
    (problem,) = verified(copy).problems
    assert f'gives one more event "{last.name}"' in problem.what
    forged(path, copy, doubled(last.number))
    (problem,) = verified(copy).problems
    assert problem.number == last.number + 1
    assert "replaying does not give this event" in problem.what


def test_another_outcome_is_named_although_the_chain_was_changed_with_it(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    fact = next(record for record in records_of(path) if record.name == "round_result")

    def change(records: list[Record]) -> list[Record]:
        return [
            one._replace(body=one.body.replace(b'"winner":"player"', b'"winner":"banker"'))
            if one.body == fact.body
            else one
            for one in records
        ]

    assert sum(one != old for one, old in zip(change(records_of(path)), records_of(path), strict=True)) == 1
    forged(path, copy, change)
    (problem,) = verified(copy).problems
    assert problem.number == fact.number
    assert 'replaying gives another event here, "round_result"' in problem.what


def test_heads_that_were_kept_find_every_other_change(path: Path, tmp_path: Path) -> None:
    """Inputs and raw bytes: what replaying does not notice, the heads do."""
    copy = tmp_path / "copy"
    heads = heads_of(path)
    by_replay = {"input": 0, "raw": 0, "opening": 0, "snapshot": 0}
    *records, last = records_of(path)
    for record in (*records, last):
        if record.kind == RecordKind.EVENT:
            continue
        # A record more after the last one whose head was published is no change of what was.
        changes = [removed(record.number)] + [doubled(record.number)] * (record is not last)
        if record.kind not in INPUTS:
            changes.append(replaced(record.number, record._replace(body=record.body + b" ")))
        elif b"9H" in record.body:
            changes.append(replaced(record.number, record._replace(body=record.body.replace(b"9H", b"8H"))))
        for change in changes:
            forged(path, copy, change)
            by_replay[record.kind] += not verified(copy).good
            report = verified(copy, heads=heads)
            # The first head after the change does not fit, or the journal ends before it.
            told = [problem for problem in report.problems if " known as " in problem.what or "beyond" in problem.what]
            assert told
            assert all(problem.number is not None and problem.number >= record.number - 1 for problem in told)
    assert by_replay["raw"] == 0
    assert by_replay["input"] > 20


def test_an_input_that_makes_no_sense_is_named_with_its_reason(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    records = records_of(path)
    victim = next(record for record in records if record.kind == RecordKind.INPUT and b"5D" in record.body)
    start = max(record.number for record in records if record.kind in STARTS)
    for body, what in ((b"nonsense", "DecodeError"), (b'{"input":"no_such_input"}', "ValidationError")):
        forged(path, copy, replaced(victim.number, victim._replace(body=body)))
        problem = verified(copy).problems[0]
        assert problem.number == start
        assert f"replaying from here stopped: {what}" in problem.what
        with JournalReader(copy) as reader, pytest.raises(ReplayDiffersError, match=f"input {victim.number} stops"):
            recover(reader)


def test_a_table_does_not_start_on_facts_that_do_not_follow(path: Path, tmp_path: Path) -> None:
    fact = [record for record in records_of(path) if record.kind == RecordKind.EVENT][-1]
    copy = tmp_path / "copy"
    forged(path, copy, replaced(fact.number, fact._replace(body=fact.body + b" ")))
    with JournalReader(copy) as reader, pytest.raises(ReplayDiffersError) as raised:
        recover(reader)
    assert f"replaying input {fact.number - 1} gives other facts than were recorded" in str(raised.value)
    assert f"last written by version {SOFTWARE}" in str(raised.value)


def test_a_forgery_from_beginning_to_end_is_found_by_one_kept_head(path: Path, tmp_path: Path) -> None:
    """Somebody deals the shoe once more with other cards: everything follows, and it is not what happened."""
    (tmp_path / "other").mkdir()
    with desk_in(tmp_path / "other") as other:
        other.open_shoe("AS")
        for _ in range(6):
            other.deal("2D 4D KS 2C")
            other.result(IndicatedWinner.BANKER)
    assert verified(other.path).good
    pairs = zip(records_of(path), records_of(other.path), strict=False)
    first = next(one.number for one, forgery in pairs if one != forgery)
    for kept in heads_of(path):
        assert verified(other.path, heads=[kept]).good == (kept.number < first)


# --- versions --------------------------------------------------------------------------------------------------------


def test_an_upgrade_in_the_middle_of_a_round_goes_on_from_a_snapshot(tmp_path: Path) -> None:
    with desk_in(tmp_path, reveal=Reveal.BY_DEALER) as desk:
        play(desk)
        before, old_facts, end = desk.state, len(desk.facts), records_of(desk.path)[-1].number
        desk.restart(software="2.0")
        first = next(record for record in records_of(desk.path) if record.number > end and record.kind in INPUTS)
        assert (first.kind, first.software) == (RecordKind.SNAPSHOT, "2.0")
        assert desk.state.round is not None
        assert before.round is not None
        assert desk.state.round.cards == before.round.cards
        assert desk.state.round.wagers == before.round.wagers
        desk.deal("TS TD 5H 2S")
        desk.check_recovery()
        desk.result(IndicatedWinner.PLAYER)
        desk.check_recovery()
        new_facts = len(desk.facts) - old_facts
        assert any(isinstance(fact, RoundResult) for fact in desk.facts[old_facts:])
        for software, other, same in (("2.0", SOFTWARE, new_facts), (SOFTWARE, "2.0", old_facts)):
            report = verified(desk.path, software=software, heads=heads_of(desk.path))
            assert report.good
            assert report.replayed == same
            assert report.not_replayed == {other: old_facts + new_facts - same}
        both = verified(desk.path, software="3.0")
        assert (both.good, both.replayed) == (True, 0)
        # The same version again needs no other snapshot; an older one does.
        for software, snapshots in (("2.0", 2), (SOFTWARE, 3), (SOFTWARE, 3)):
            desk.restart(software=software)
            assert query(desk.path, "SELECT count(*) FROM record WHERE kind = 'snapshot'") == [(snapshots,)]
            desk.check_recovery()


def test_a_crash_right_after_the_snapshot_of_an_upgrade(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        play(desk)
        stood = desk.state
        desk.journal.close()
        desk.software = "2.0"
        desk.journal = open_journal(desk.path, identity=IDENTITY, software="2.0", now_ms=0, stamp="")
        with JournalReader(desk.path) as reader:
            snapshot = snapshot_if_needed(reader, recover(reader), "2.0")
        assert snapshot is not None
        desk.give(snapshot)
        desk.lose_power()
        assert desk.recovered().state == stood
        desk.start()
        desk.link_back()
        desk.deal("TS TD")
        desk.check_recovery()
        assert verified(desk.path, software="2.0").good


def test_pruning_by_another_version_asks_for_no_snapshot(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        for _ in range(2):
            desk.open_shoe("AS")
            desk.deal("9H 4D KS 2C")
            desk.result(IndicatedWinner.PLAYER)
        desk.journal.confirm(len(desk.facts)).result(timeout=10)
        pruned = prune(
            desk.path,
            older_than_ms=desk.moment().wall_ms * 2,
            folder=tmp_path,
            now=desk.moment(),
            software="9.9",
            progress=lambda _done, _all: None,
            rest=lambda: None,
        )
        assert pruned.shoes == 2, "what came before the first shoe, and the first shoe"
        with JournalReader(desk.path) as reader:
            assert written_by(reader) == SOFTWARE
            assert snapshot_if_needed(reader, desk.table, SOFTWARE) is None
        desk.check_recovery()
        report = verified(desk.path)
        assert report.good
        assert report.replayed == query(desk.path, "SELECT count(*) FROM record WHERE kind = 'event'")[0][0]


# --- before the first shoe -------------------------------------------------------------------------------------------


def test_a_new_journal_asks_for_a_snapshot_first(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    open_journal(path, identity=IDENTITY, software=SOFTWARE, now_ms=0, stamp="").close()
    with JournalReader(path) as reader:
        table = recover(reader)
        assert table.state == TableState()
        assert written_by(reader) is None
        assert snapshot_if_needed(reader, table, SOFTWARE) is not None
    report = verified(path)
    assert (report.good, report.replayed, report.not_replayed) == (True, 0, {})


def test_inputs_before_the_first_shoe_are_replayed_from_the_snapshot(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.give(LinkLost(reason="the cable was pulled"))
        desk.link_back()
        desk.check_recovery()
        report = desk.verified()
        assert report.good
        assert report.replayed == len(desk.facts) == 3
        desk.open_shoe("KC")
        assert desk.verified().replayed == len(desk.facts)


def test_a_journal_that_begins_without_a_snapshot_is_recovered_and_its_facts_counted(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    table = Table(read_rules)
    at = Moment(wall_ms=1_790_000_000_000, mono_ns=1, synchronised=True)
    inputs: tuple[AnyInput, ...] = (
        ControllerStarted(boot="one"),
        LinkBack(keeps_events=True, authenticated=False),
        LinkLost(reason="the cable was pulled"),
    )
    with closing(open_journal(path, identity=IDENTITY, software=SOFTWARE, now_ms=0, stamp="")) as journal:
        for given in inputs:
            handled = table.handle(given, at)
            journal.submit(entry_for(given, handled, at)).result(timeout=10)
            table.take_over(handled)
    with JournalReader(path) as reader:
        assert recover(reader).state == table.state
    report = verified(path)
    assert (report.good, report.replayed, report.not_replayed) == (True, 0, {SOFTWARE: 2})


# --- as a command ----------------------------------------------------------------------------------------------------


def test_the_command_verifies_beside_a_writer_that_deals_on(tmp_path: Path) -> None:
    with desk_in(tmp_path, software=THIS_SOFTWARE) as desk:
        play(desk)
        dealer = Dealer(desk, discloses_at_draw=True, numbered=True, seed=3)
        dealer.load()
        asked = len(desk.facts)
        with subprocess.Popen(
            [*PROGRAM, "journal", "verify", "--json", str(desk.path)], stdout=subprocess.PIPE, text=True
        ) as command:
            while command.poll() is None:
                dealer.go_on()
            out = command.stdout.read() if command.stdout is not None else ""
        assert command.returncode == 0, out
        assert '"good":true' in out.replace(" ", "")
        answer = run_program("journal", "verify", str(desk.path), "--head", str(heads_of(desk.path)[-1]))
        assert (answer.exit_code, answer.err) == (0, "")
        assert f"{desk.path} is whole: table {IDENTITY.table}, " in answer.out
        assert f"Replaying the inputs gave {len(desk.facts)} events again, byte for byte." in answer.out
        assert len(desk.facts) > asked


def test_the_command_names_a_fact_that_does_not_follow(tmp_path: Path) -> None:
    with desk_in(tmp_path, software=THIS_SOFTWARE) as desk:
        play(desk)
    fact = next(record for record in records_of(desk.path) if record.name == "round_settled")
    copy = tmp_path / "copy"
    forged(desk.path, copy, replaced(fact.number, fact._replace(body=fact.body.replace(b"100", b"900"))))
    answer = run_program("journal", "verify", str(copy))
    assert answer.exit_code == 1
    assert f"{copy} IS DAMAGED" in answer.out
    assert f'record {fact.number} (event "round_settled"): replaying gives another event here' in answer.out
