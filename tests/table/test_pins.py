"""Wrong PINs: counted by terminal and person together, with pauses that grow and outlast restarts; and guessing."""

import pytest

from shoe_controller.messages.acts import SignIn
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import PinsGuessed
from shoe_controller.messages.facts import AlertRaised, WrongPin
from shoe_controller.messages.refusals import LockedOut, WrongPinRefused
from shoe_controller.table.inputs import ControllerStarted, PinVerdict, RequestsFlooded
from shoe_controller.table.link_events import MOST_FLOODS
from shoe_controller.table.pins import (
    FORGET_AFTER,
    GUESSING_TRIES,
    GUESSING_WITHIN,
    LONGEST_PAUSE,
    MOST_NAMES,
    MOST_RECORDS,
    guessing,
)
from shoe_controller.table.state import SECOND
from tests.table.sitting import Sitting
from tests.table.test_acts import again, code_of


def seated(wrong_pins: int = 3, locked_out_for: float = 60.0) -> Sitting:
    table = Sitting(wrong_pins=wrong_pins, locked_out_for=locked_out_for)
    table.open_shoe()
    return table


def wrong(table: Sitting, person: str = "ann", user: str = "console") -> str | None:
    return code_of(table.act(SignIn(), person=person, user=user, pin=PinVerdict.WRONG))


def right(table: Sitting, person: str = "ann", user: str = "console") -> str | None:
    return code_of(table.act(SignIn(), person=person, user=user))


def seconds_left(table: Sitting, person: str = "ann", user: str = "console") -> int:
    refusal = table.act(SignIn(), person=person, user=user).refusal
    assert isinstance(refusal, LockedOut)
    return refusal.seconds


def test_wrong_pins_at_one_terminal_lock_nobody_out_at_another() -> None:
    table = seated()
    for _ in range(30):
        for person in ("ann", "ben"):
            wrong(table, person, user="dealers-terminal")
    for person in ("ann", "ben"):
        assert right(table, person, user="dealers-terminal") == "locked_out"
        assert right(table, person) is None


def test_each_wrong_pin_after_a_pause_doubles_the_next_one_up_to_a_limit() -> None:
    table = seated(wrong_pins=3, locked_out_for=60.0)
    for _ in range(2):
        assert wrong(table) == "wrong_pin"
    pauses = []
    for _ in range(12):
        assert wrong(table) == "wrong_pin"
        pauses.append(seconds_left(table))
        assert wrong(table) == "locked_out"
        table.wait(pauses[-1] - 1)
        assert right(table, user="elsewhere") is None
        assert seconds_left(table) == 1
        table.wait(1)
    assert pauses == [min(60 * 2**number, LONGEST_PAUSE) for number in range(12)]
    assert right(table) is None
    assert wrong(table) == "wrong_pin"
    assert table.last(WrongPin).failures == 1, "the right PIN ends the count"


def test_a_pause_longer_than_the_limit_stays_as_the_house_wants_it() -> None:
    table = seated(wrong_pins=1, locked_out_for=LONGEST_PAUSE * 3)
    wrong(table)
    assert seconds_left(table) == LONGEST_PAUSE * 3


@pytest.mark.parametrize("boot", ["first", "second"])
def test_pauses_keep_growing_over_a_restart(boot: str) -> None:
    table = seated(wrong_pins=2)
    for _ in range(2):
        wrong(table)
    table.wait(60)
    wrong(table)
    again(table)
    if boot == "second":
        table.mono_ns = 5 * SECOND
    table.give(ControllerStarted(boot=boot))
    assert seconds_left(table) == 120
    table.wait(120)
    wrong(table)
    assert seconds_left(table) == 240


def test_a_wrong_pin_counts_whatever_else_is_wrong_with_the_request() -> None:
    table = seated()
    for _ in range(3):
        table.act(SignIn(), pin=PinVerdict.WRONG, round=77)
    assert [fact.failures for fact in table.all(WrongPin)] == [1, 2, 3]
    assert code_of(table.act(SignIn(), round=77)) == "locked_out"
    table.wait(60)
    assert code_of(table.act(SignIn(), round=77)) == "other_round"


def test_many_names_at_one_terminal_share_a_count_and_fill_no_journal() -> None:
    table = seated(wrong_pins=3)
    for number in range(500):
        wrong(table, f"name-{number}", user="flooder")
    assert len(table.all(WrongPin)) == MOST_NAMES + 3
    assert right(table, "ann", user="flooder") == "locked_out", "known or not, no further name is checked there"
    assert right(table, "ann") is None
    # The names that came first have counts of their own.
    assert wrong(table, "name-0", user="flooder") == "wrong_pin"
    assert table.last(WrongPin).failures == 2


def test_counts_are_forgotten_after_a_day_of_peace() -> None:
    table = seated(wrong_pins=3)
    for number in range(MOST_NAMES):
        wrong(table, f"mistyped-{number}")
    table.wait(FORGET_AFTER / SECOND + 1)
    wrong(table, "ann")
    assert [(record.person, record.failures) for record in table.state.lasting.pins] == [("ann", 1)]


def test_counts_are_bounded_in_all() -> None:
    table = seated()
    for number in range(MOST_RECORDS + 50):
        wrong(table, "ann", user=f"terminal-{number}")
    assert len(table.state.lasting.pins) == MOST_RECORDS


def test_guessing_over_many_terminals_raises_one_alert_that_names_them() -> None:
    table = seated(wrong_pins=5)
    users = ("north", "south", "west")
    for number in range(GUESSING_TRIES * 3):
        assert guessing(table.state, table.mono_ns) == (number >= GUESSING_TRIES)
        wrong(table, f"person-{number}", user=users[number % 3])
    (raised,) = (fact.alert for fact in table.all(AlertRaised) if fact.alert.kind is AlertKind.PIN_GUESSING)
    assert raised.detail == PinsGuessed(tries=GUESSING_TRIES, users=users)
    assert right(table) is None, "nobody is locked out by it"
    table.wait(GUESSING_WITHIN / SECOND)
    assert not guessing(table.state, table.mono_ns)


def test_a_wrong_pin_now_and_then_is_no_guessing() -> None:
    table = seated(wrong_pins=20)
    for _ in range(GUESSING_TRIES * 3):
        wrong(table)
        table.wait(GUESSING_WITHIN / SECOND / (GUESSING_TRIES - 1))
    assert not table.all(AlertRaised)


def test_requests_of_a_journal_of_layout_1_are_counted_as_they_were() -> None:
    """They name no user: by person alone, with a count that a pause ends."""
    table = seated(wrong_pins=2)
    for _ in range(8):
        assert wrong(table, user="") == "wrong_pin"
        assert table.act(SignIn(), pin=PinVerdict.WRONG, user="").refusal == WrongPinRefused(locked_out=True)
        assert seconds_left(table, user="") == 60
        table.wait(60)
    assert [fact.failures for fact in table.all(WrongPin)] == [1, 2] * 8
    assert not table.all(AlertRaised)


def test_a_few_floods_stand_at_once() -> None:
    table = seated()
    for number in range(2 * MOST_FLOODS):
        for _ in range(3):
            table.give(RequestsFlooded(user=f"user-{number}"))
    assert [alert.fault for alert in table.state.lasting.alerts] == [f"user-{number}" for number in range(MOST_FLOODS)]
