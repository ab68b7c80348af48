"""The console's model: a fold over messages that may be repeated, late or missing. Compared with the table itself."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.console import model as model_module
from shoe_controller.console.model import HISTORY, MOST_ROUNDS, ConsoleModel
from shoe_controller.history.recall import last_rounds
from shoe_controller.mqtt.contract import Answer, ReplayDone
from shoe_controller.table.acts import Approve, Confirm, CorrectCard, UndoLastResult, VoidRound
from shoe_controller.table.facts import RoundSettled
from shoe_controller.web.event_sequencer import ASK_AGAIN, PATIENCE
from tests.console.bench import encode, model_of, online, tell_event, tell_state
from tests.table.sitting import Sitting
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


def replay(model: ConsoleModel, table: Sitting, after: int, limit: int = 500) -> None:
    """What the controller answers to a request for a replay."""
    sent = [fact for fact in table.facts if fact.seq > after][:limit]
    for fact in sent:
        body = {"topic": f"event/{fact.TOPIC}", **msgspec.to_builtins(fact)}
        model.heard_replay(encode(body))
    done = ReplayDone(sent=len(sent), last=sent[-1].seq if sent else after, newest=table.facts[-1].seq)
    model.heard_replay(encode(Answer(status="ok", data=done)))


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


def test_a_new_shoe_has_nothing_to_pay(table: Sitting) -> None:
    table.open_shoe()
    assert model_of(table).settlement is None


@given(seed=st.integers(0, 2**32), losses=st.floats(0, 0.9))
def test_whatever_is_lost_doubled_or_late_the_model_comes_to_the_truth(seed: int, losses: float) -> None:
    table = Sitting()
    table.open_shoe()
    chance = random.Random(seed)  # noqa: S311 - of a test
    model = ConsoleModel()
    model.broker_up()
    model.heard("status", online())
    tell_state(model, table)
    play(table, rounds=3)
    on_the_way = [fact for fact in table.facts for _ in range(chance.choice((1, 1, 2))) if chance.random() >= losses]
    for number in range(len(on_the_way) - 1):
        if chance.random() < 0.2:
            on_the_way[number], on_the_way[number + 1] = on_the_way[number + 1], on_the_way[number]
    for fact in on_the_way:
        tell_event(model, fact)
    tell_state(model, table)
    now = 0.0
    for _ in range(5):
        now += PATIENCE + ASK_AGAIN
        model.wanted(now)
        after = model.wanted(now + PATIENCE)
        if after is None:
            break
        model.asked(now)
        replay(model, table, after)
    else:
        pytest.fail("it never stopped asking")
    assert list(model.facts) == table.facts
    assert model.settlement == table.last(RoundSettled)


def test_nothing_is_asked_for_while_it_may_still_come_or_nobody_is_there(table: Sitting) -> None:
    model = ConsoleModel()
    tell_state(model, table)
    assert model.wanted(0) is None, "nobody is there"
    model.broker_up()
    model.heard("status", online())
    assert model.wanted(0) is None, "it may still come"
    assert model.wanted(PATIENCE) == 0
    model.asked(PATIENCE)
    assert model.wanted(PATIENCE + ASK_AGAIN / 2) is None
    assert model.wanted(PATIENCE + ASK_AGAIN) == 0
    replay(model, table, 0)
    assert model.wanted(100) is None


def test_what_was_pruned_is_not_waited_for(table: Sitting) -> None:
    model = ConsoleModel()
    model.broker_up()
    model.heard("status", online())
    tell_state(model, table)
    done = ReplayDone(sent=0, last=table.facts[-1].seq, newest=table.facts[-1].seq)
    model.heard_replay(encode(Answer(status="ok", data=done)))
    assert model.wanted(0) is None
    assert model.wanted(100) is None
    assert model.rounds() == []


def test_a_new_journal_is_taken_for_what_it_is(table: Sitting) -> None:
    model = model_of(table)
    other = Sitting()
    other.open_shoe()
    assert other.facts[-1].seq < table.facts[-1].seq
    tell_state(model, other)
    assert list(model.facts) == []
    assert model.wanted(0) is None
    assert model.wanted(PATIENCE) == 0
    replay(model, other, 0)
    assert list(model.facts) == other.facts


def is_there(model: ConsoleModel) -> bool:
    return model.online


def test_a_will_that_comes_late_and_one_of_before_are_told_apart() -> None:
    model = ConsoleModel()
    model.broker_up()
    assert not is_there(model)
    model.heard("status", online(session=5))
    assert is_there(model)
    model.heard("status", online(session=4, online=False))
    assert is_there(model), "that was the end of an older connection"
    model.heard("status", online(session=5, online=False))
    assert not is_there(model)
    model.heard("status", online(session=3))
    assert is_there(model), "the controller's clock is behind"
    model.broker_down()
    model.broker_up()
    model.heard("status", online(session=1))
    assert is_there(model), "whatever lies at a broker that we are new to is all there is"
    model.broker_down()
    assert not is_there(model)


def test_looking_back_is_what_the_journal_would_tell(table: Sitting) -> None:
    play(table)
    table.bet("2", "base.tie", 10)
    table.deal("7H 4D")
    table.act(CorrectCard(number=1, card=Card.parse("8H")))
    table.act(VoidRound(), reason="misdeal")
    table.act(UndoLastResult())
    steps = [facts for _, _, facts in table.history]
    assert model_of(table).rounds() == last_rounds(steps, MOST_ROUNDS, from_beginning=True)


def test_a_console_switched_on_in_mid_shoe_tells_no_half_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "HISTORY", 30)
    table = Sitting()
    table.open_shoe()
    play(table, 6)
    model = ConsoleModel()
    model.broker_up()
    model.heard("status", online())
    tell_state(model, table)
    newest = table.facts[-1].seq
    assert model.wanted(0) is None
    assert model.wanted(1) == newest - 30
    replay(model, table, newest - 30)
    rounds = model.rounds()
    assert 1 <= len(rounds) < 6
    assert all(len(each.attempts[0].cards) == 4 for each in rounds if each.state == "settled")
    assert HISTORY > 30


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"seq": "x"}', b"\xff"])
@pytest.mark.parametrize("below", ["status", "info", "state", "event/card"])
def test_nonsense_changes_nothing(table: Sitting, below: str, payload: bytes) -> None:
    model = model_of(table)
    before = (model.state, model.status, model.info, list(model.facts))
    with pytest.raises(msgspec.DecodeError):
        model.heard(below, payload)
    assert (model.state, model.status, model.info, list(model.facts)) == before


def test_topics_that_nobody_knows_are_left_alone(table: Sitting) -> None:
    model = model_of(table)
    model.heard("weather", b"sunny")
    assert model.state is not None
