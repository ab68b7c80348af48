"""Rounds that are over, read from a real journal for an amendment."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.roads import RoadWinner
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.daemon.table_journal import entry_for, recover
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.store import open_journal
from shoe_controller.messages.acts import (
    AcceptRollback,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    BeginHandEntry,
    Confirm,
    DealCard,
    EndShoe,
    OpenShoe,
    UndoLastResult,
    VoidRound,
)
from shoe_controller.messages.facts import RoundAmended, RoundResult, RoundSettled
from shoe_controller.messages.refusals import AnyRefusal, RoundNotFound, RoundPruned
from shoe_controller.table.inputs import AnyInput, PersonActs, ShoeReport
from shoe_controller.table.past import AnyPast, MeantRound, NoPastRound, PastRound, PrunedRound
from shoe_controller.table.table import Handled
from tests.attacks.rollback import journal_after_rollback
from tests.table.desk import PATIENCE, SOFTWARE, Desk, desk_in
from tests.table.sitting import QuickSitting, rules

PLAYER_WINS = "7H 4D KS 2C"
RULES = {shoe: rules({"limits": {"all": {"min": 1, "max": 1000 + shoe}}}) for shoe in (1, 2, 3)}
FAR_AHEAD = 10**15
"""Milliseconds: everything is older than that."""


def play(desk: Desk, stake: int = 50) -> None:
    desk.bet("1", "base.player", stake)
    desk.deal(PLAYER_WINS)
    desk.dealer(Confirm())


def read(desk: Desk, shoe: int, number: int) -> AnyPast:
    with JournalReader(desk.path) as reader:
        return past_round(reader, MeantRound(shoe, number), desk.state)


def amend(desk: Desk, shoe: int, number: int, card: str) -> None:
    act = AmendRound(shoe=shoe, round=number, cards=(AmendedCard(number=1, card=Card.parse(card)),))
    assert desk.act(act).refusal is None
    assert desk.act(Approve(proposal=desk.state.lasting.proposals_made), person="ben").refusal is None


def test_every_round_of_this_shoe_and_of_earlier_ones(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        for shoe in (1, 2, 3):
            desk.rules = RULES[shoe]
            desk.open_shoe()
            play(desk, stake=10 * shoe)
            desk.deal("7H")
            desk.act(VoidRound())
            play(desk, stake=10 * shoe + 1)
        results, settled = desk.all(RoundResult), desk.all(RoundSettled)
        for number, (result, settlement) in enumerate(zip(results, settled, strict=True)):
            past = read(desk, result.shoe, result.round)
            assert isinstance(past, PastRound)
            assert (past.outcome, past.outcome_seq) == (result.outcome, result.seq)
            assert (past.settlement, past.settlement_seq) == (settlement.settlement, settlement.seq)
            assert past.place == number % 2
            assert past.rules == (None if result.shoe == 3 else RULES[result.shoe])
        assert read(desk, 1, 2) == NoPastRound(voided=True)
        assert isinstance(read(desk, 3, 4), NoPastRound), "it is not over"
        assert read(desk, 4, 1) == NoPastRound()


def test_what_was_amended_last_counts_unless_there_is_another_result(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.open_shoe()
        play(desk)
        play(desk)
        amend(desk, 1, 2, "7D")
        amend(desk, 1, 2, "7S")
        past = read(desk, 1, 2)
        assert isinstance(past, PastRound)
        assert past.outcome == desk.last(RoundAmended).outcome
        assert past.outcome_seq == past.settlement_seq == desk.last(RoundAmended).seq
        desk.restart()
        desk.act(UndoLastResult())
        desk.act(Approve(proposal=desk.state.lasting.proposals_made), person="ben")
        assert isinstance(read(desk, 1, 2), NoPastRound)
        desk.act(Confirm())
        past = read(desk, 1, 2)
        assert isinstance(past, PastRound)
        assert past.outcome_seq == desk.last(RoundResult).seq
        assert past.outcome.player.cards[0] is Card.parse("7S")
        desk.open_shoe()
        amend(desk, 1, 1, "7D")
        desk.check_recovery()
        assert desk.verified().good


def test_a_pruned_round_is_refused_with_the_name_of_its_export(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        desk.open_shoe()
        play(desk)
        desk.open_shoe()
        play(desk)
        desk.journal.confirm(len(desk.facts)).result(timeout=PATIENCE)
        pruned = prune(
            desk.path,
            older_than_ms=FAR_AHEAD,
            folder=tmp_path,
            now=desk.moment(),
            software=SOFTWARE,
            progress=lambda _done, _all: None,
            rest=lambda: None,
        )
        export = pruned.exports[-1]
        assert read(desk, 1, 1) == PrunedRound(export=export)
        refusal = desk.act(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card.parse("7D")),))).refusal
        assert refusal == RoundPruned(shoe=1, round=1, export=export)
        amend(desk, 2, 1, "7D")


@pytest.mark.parametrize("name", ["round_result", "round_settled"])
def test_a_record_that_cannot_be_read_does_not_end_the_daemon(tmp_path: Path, name: str) -> None:
    with desk_in(tmp_path) as desk:
        desk.open_shoe()
        play(desk)
        desk.open_shoe()
        with JournalReader(desk.path) as reader:
            broken = next(reader.events_backwards(name))
        with closing(sqlite3.connect(desk.path)) as file, file:
            (trigger,) = file.execute("SELECT sql FROM sqlite_master WHERE name = 'record_never_changes'").fetchone()
            file.execute("DROP TRIGGER record_never_changes")
            file.execute("UPDATE record SET body = x'00' WHERE number = ?", (broken.number,))
            file.execute(trigger)
        assert isinstance(read(desk, 1, 1), NoPastRound)


# --- a journal that replaces another one -----------------------------------------------------------------------------


class OnJournal(QuickSitting):
    """A table that goes on with what this journal has."""

    def __init__(self, path: Path) -> None:
        self.path: Path | None = None
        super().__init__()
        with JournalReader(path) as reader:
            self.table, identity = recover(reader, SOFTWARE), reader.identity
        self.path, self.facts = path, []
        self.journal = open_journal(path, identity=identity, software=SOFTWARE, now_ms=0, stamp="20261116T120000Z")

    def past(self, meant: MeantRound) -> AnyPast:
        assert self.path is not None
        with JournalReader(self.path) as reader:
            return past_round(reader, meant, self.state)

    def give(self, given: AnyInput) -> Handled:
        if self.path is None:
            return super().give(given)
        self.wait(0.1)
        meant = self.table.past_round(given)
        if meant is not None and isinstance(given, PersonActs):
            given = msgspec.structs.replace(given, past=self.past(meant))
        at = self.moment()
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, at):
            given = self.table.new_shoe(self.rules, given)
        handled = self.table.handle(given, at)
        if handled.changed:
            self.journal.submit(entry_for(given, handled, at)).result(timeout=PATIENCE)
        self.table.take_over(handled)
        self.facts += handled.facts
        return handled

    def both(self, act: AnyAct) -> AnyRefusal | None:
        refusal = self.act(act).refusal
        approve = Approve(proposal=self.state.lasting.proposals_made)
        return refusal or self.act(approve, person="ben").refusal

    def amend(self, shoe: int, number: int, card: str) -> AnyRefusal | None:
        return self.both(AmendRound(shoe=shoe, round=number, cards=(AmendedCard(number=1, card=Card.parse(card)),)))


def test_rounds_settled_since_a_rollback_are_amended_in_the_right_place(tmp_path: Path) -> None:
    table = OnJournal(journal_after_rollback(tmp_path))
    with closing(table.journal):
        assert [alert.kind for alert in table.state.lasting.alerts] == ["journal_rolled_back"]
        assert table.both(AcceptRollback()) is None
        table.act(BeginHandEntry())
        table.act(VoidRound())
        for _ in range(2):
            table.bet("1", "base.player", 50)
            for card in PLAYER_WINS.split():
                table.dealer(DealCard(card=Card.parse(card)))
            table.dealer(Confirm())
        shoe = table.state.shoe
        assert shoe is not None
        assert [each.number for each in shoe.settled] == [1, 3, 4]
        before = shoe.results
        assert table.amend(1, 4, "6H") is None, "a tie"
        assert table.state.shoe is not None
        assert table.state.shoe.results[:2] == before[:2]
        assert (before[2].winner, table.state.shoe.results[2].winner) == (RoadWinner.PLAYER, RoadWinner.TIE)
        assert table.last(RoundAmended).difference == {"1": -50}
        assert table.amend(1, 1, "6H") == RoundNotFound(shoe=1, round=1), "the kept file has it"
        rules_then = table.state.shoe.rules
        table.act(EndShoe())
        table.act(OpenShoe())
        assert table.state.shoe_number == 2
        past = table.past(MeantRound(1, 3))
        assert isinstance(past, PastRound)
        assert past.rules == rules_then
        assert table.amend(1, 3, "6H") is None
        assert table.last(RoundAmended).difference == {"1": -50}
