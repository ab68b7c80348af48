"""The console's model: a fold over messages that may be repeated, late or missing. Compared with the table itself."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.console import model as model_module
from shoe_controller.console.model import HISTORY, MOST_ROUNDS, ConsoleModel
from shoe_controller.follow.event_sequencer import ASK_AGAIN, PATIENCE
from shoe_controller.history.recall import last_rounds
from shoe_controller.messages.acts import Approve, Confirm, CorrectCard, UndoLastResult, VoidRound
from shoe_controller.messages.facts import RoundSettled
from tests.console.bench import model_of, new_model, online, send_event, send_state
from tests.follow.samples import after, answered, replayed
from tests.table.sitting import Sitting
from tests.table.test_amendments import amend, approved
from tests.table.test_phases import PLAYER_WINS


def play(table: Sitting, rounds: int = 1) -> None:
    for _ in range(rounds):
        table.bet("1", "base.player", 50)
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)


@pytest.fixture
def table() -> Sitting:
    made = Sitting()
    made.open_shoe()
    play(made)
    return made


def replay(model: ConsoleModel, table: Sitting, now: float) -> bool:
    """Answer a request for what is missing as the controller would; whether there was one."""
    model.followed.request(now)
    request = model.followed.request(now + PATIENCE)
    if request is None:
        return False
    below = request.response_topic.removeprefix(f"{model.followed.topics.prefix}/")
    for fact in table.facts[after(request) :]:
        model.followed.receive(below, replayed(fact), now)
    model.followed.receive(below, answered(request, table.facts[-1].seq), now)
    return True


def test_the_last_settlement_is_the_tables(table: Sitting) -> None:
    assert model_of(table).settlement == table.last(RoundSettled)


def test_a_settlement_that_was_taken_back_is_not_worked_off(table: Sitting) -> None:
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    assert model_of(table).settlement is None
    table.act(Confirm())
    again = model_of(table).settlement
    assert again is not None
    assert again.replaces == table.all(RoundSettled)[0].seq


@pytest.mark.parametrize("stake", [70, 0], ids=["another stake", "no wager left"])
def test_nor_one_that_was_amended_before_it_was_taken_back(table: Sitting, stake: int) -> None:
    assert amend(table, wagers=(PlacedWager("1", "base.player", stake),)) is None
    assert model_of(table).settlement == table.last(RoundSettled), "it is worked off together with the difference"
    table.act(UndoLastResult())
    assert approved(table) is None
    assert model_of(table).settlement is None
    table.act(VoidRound())
    assert model_of(table).settlement is None


def test_a_void_round_leaves_the_settlement_of_the_one_before(table: Sitting) -> None:
    table.card("9H")
    table.act(VoidRound())
    assert model_of(table).settlement == table.last(RoundSettled)


def test_a_new_shoe_has_nothing_to_pay(table: Sitting) -> None:
    table.open_shoe()
    assert model_of(table).settlement is None


@given(seed=st.integers(0, 2**32), losses=st.floats(0, 0.9))
def test_whatever_is_lost_doubled_or_late_the_model_comes_to_the_truth(seed: int, losses: float) -> None:
    table = Sitting()
    table.open_shoe()
    chance = random.Random(seed)  # noqa: S311 - of a test
    model = new_model()
    model.followed.receive("status", online(), 0.0)
    send_state(model, table)
    play(table, rounds=3)
    on_the_way = [fact for fact in table.facts for _ in range(chance.choice((1, 1, 2))) if chance.random() >= losses]
    for number in range(len(on_the_way) - 1):
        if chance.random() < 0.2:
            on_the_way[number], on_the_way[number + 1] = on_the_way[number + 1], on_the_way[number]
    for fact in on_the_way:
        send_event(model, fact)
    send_state(model, table)
    for attempt in range(5):
        if not replay(model, table, (attempt + 1) * 2 * ASK_AGAIN):
            break
    else:
        pytest.fail("it never stopped asking")
    assert list(model.facts) == table.facts
    assert model.settlement == table.last(RoundSettled)


def test_looking_back_is_what_the_journal_would_tell(table: Sitting) -> None:
    play(table)
    table.bet("2", "base.tie", 10)
    table.deal("7H 4D")
    table.act(CorrectCard(number=1, card=Card.parse("8H")))
    table.act(VoidRound(), reason="misdeal")
    table.act(UndoLastResult())
    steps = [facts for _, _, facts in table.history]
    assert model_of(table).rounds() == last_rounds(steps, MOST_ROUNDS, from_beginning=True)


def test_a_console_switched_on_in_mid_shoe_shows_no_half_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "HISTORY", 30)
    table = Sitting()
    table.open_shoe()
    play(table, 6)
    model = new_model()
    model.followed.receive("status", online(), 0.0)
    send_state(model, table)
    assert model.followed.have == table.facts[-1].seq - 30
    assert replay(model, table, 0.0)
    rounds = model.rounds()
    assert 1 <= len(rounds) < 6
    assert all(len(each.attempts[0].cards) == 4 for each in rounds if each.state == "settled")
    assert HISTORY > 30
