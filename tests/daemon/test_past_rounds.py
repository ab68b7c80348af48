"""Rounds that are over, read from a real journal for an amendment."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware_protocol.cards import Card
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    Approve,
    Confirm,
    UndoLastResult,
    VoidRound,
)
from shoe_controller.messages.facts import RoundAmended, RoundResult, RoundSettled
from shoe_controller.messages.refusals import RoundPruned
from shoe_controller.table.past import AnyPast, MeantRound, NoPastRound, PastRound, PrunedRound
from tests.table.desk import PATIENCE, SOFTWARE, Desk, desk_in
from tests.table.sitting import rules

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
