"""Scenario files: what a person may write, and the line and reason of everything that cannot be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from simulator.faults import FAULTS, Detection, Moment
from simulator.scenario import PlannedFault, Scenario, ScenarioError, read_scenario
from simulator.shoe_line import Wire

GOOD = """\
seed = 7
decks = 2
shoes = 1
cut_card = 20

[[fault]]
fault = "misread"
at_card = 12

[[fault]]
fault = "bytes_lost"
at_byte = 900
bytes = 3
direction = "host"

[[fault]]
fault = "double_feed"
chance = 0.01
times = 3

[[fault]]
fault = "foreign_card"
at_card = 30
card = "10h"

[[fault]]
fault = "silence"
at_card = 40
seconds = 9
"""


def problems_of(text: str, wire: Wire = Wire.NATIVE, given_elsewhere: Scenario | None = None) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        read_scenario(text, "s.toml", wire, given_elsewhere or Scenario())
    return str(caught.value).splitlines()


def test_a_good_file_is_read() -> None:
    read = read_scenario(GOOD, "s.toml", Wire.NATIVE)
    assert (read.seed, read.decks, read.shoes, read.cut_card) == (7, 2, 1, 20)
    assert read.faults == (
        PlannedFault(kind=FAULTS["misread"], at_card=12, times=1),
        PlannedFault(kind=FAULTS["bytes_lost"], at_byte=900, times=1, bytes=3, from_host=True),
        PlannedFault(kind=FAULTS["double_feed"], chance=0.01, times=3),
        PlannedFault(kind=FAULTS["foreign_card"], at_card=30, times=1, card=Card("TH")),
        PlannedFault(kind=FAULTS["silence"], at_card=40, times=1, seconds=9.0),
    )


def test_an_empty_file_changes_nothing() -> None:
    assert read_scenario("", "s.toml", Wire.ANGEL_EYE) == Scenario()


def test_an_exact_list_of_cards() -> None:
    read = read_scenario('cards = ["9H", "4d", "10S"]', "s.toml", Wire.NATIVE)
    assert read.cards == (Card("9H"), Card("4D"), Card("TS"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[fault]]\nfault = "misred"\nat_card = 1', "line 2: there is no fault 'misred'; did you mean 'misread'?"),
        ('[[fault]]\nfault = "qqq"\nat_card = 1', "line 2: there is no fault 'qqq'; known: over_draw_burned, "),
        ("[[fault]]\nat_card = 1", 'line 1: which fault? Give its name, as in fault = "misread"'),
        ('[[fault]]\nfault = "misread"', "line 2: one of at_card, at_byte, chance: none is given"),
        (
            '[[fault]]\nfault = "misread"\nat_card = 3\nchance = 0.5',
            "line 4: one of at_card, at_byte, chance: at_card and chance are given",
        ),
        ('[[fault]]\nfault = "misread"\nat_card = 0', "line 3: at_card is a whole number from 1 to "),
        ('[[fault]]\nfault = "misread"\nat_card = true', "line 3: at_card is a whole number from 1 to "),
        (
            '[[fault]]\nfault = "misread"\nat_byte = 3',
            "line 3: misread does not happen to bytes: give at_card or chance",
        ),
        ('[[fault]]\nfault = "misread"\nchance = 1.5', "line 3: a chance is above 0 and at most 1, not 1.5"),
        ('[[fault]]\nfault = "misread"\nchance = "often"', "line 3: a chance is above 0 and at most 1, not 'often'"),
        (
            '[[fault]]\nfault = "misread"\nat_card = 3\ntimes = 2',
            "line 4: times goes with chance; a fault at one place happens once",
        ),
        ('[[fault]]\nfault = "misread"\nat_card = 3\nseconds = 2', "line 4: misread does not last: it has no seconds"),
        (
            '[[fault]]\nfault = "silence"\nat_card = 3\nseconds = 0',
            "line 4: seconds are above 0 and at most a day, not 0",
        ),
        ('[[fault]]\nfault = "misread"\nat_card = 3\nbytes = 2', "line 4: misread does not happen to bytes"),
        (
            '[[fault]]\nfault = "misread"\nat_card = 3\ncard = "9H"',
            "line 4: the card of misread cannot be chosen",
        ),
        ('[[fault]]\nfault = "foreign_card"\nat_card = 3\ncard = "9X"', "line 4: '9X' is not a card"),
        (
            '[[fault]]\nfault = "bytes_lost"\nat_card = 3\ndirection = "up"',
            'line 4: direction is "shoe" or "host", who sends, not \'up\'',
        ),
        ('[[fault]]\nfault = "misread"\nat_card = 3\ndirection = "host"', "line 4: misread has no direction"),
        ('[[fault]]\nfault = "misread"\nat_crad = 3', "line 3: unknown key 'at_crad'; did you mean 'at_card'?"),
        ("sede = 3", "line 1: unknown key 'sede'; did you mean 'seed'?"),
        ("seed = -1", "line 1: seed is a whole number from 0 to "),
        ("decks = 99", "line 1: decks is a whole number from 1 to 16, not 99"),
        ('decks = 2\ncards = ["9H"]', "line 1: either decks or an exact list of cards, not both"),
        ('cards = [\n  "9H",\n  "1X",\n]', "line 3: '1X' is not a card"),
        ("cards = []", "line 1: cards is a list of at least one card"),
        ("decks = 1\ncut_card = 52", "line 2: cut_card is a whole number from 0 to 51, not 52"),
        ("fault = 3", "line 1: each fault is a table of its own: write [[fault]] above it"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_line_and_reason(text: str, problem: str) -> None:
    problems = problems_of(text)
    assert any(found.startswith(f"s.toml, {problem}") for found in problems), problems


def test_a_card_that_is_never_dealt_is_a_wrong_place() -> None:
    fault = '[[fault]]\nfault = "misread"\nat_card = {}\n'
    assert (
        "at_card is a whole number from 1 to 104 (cards that are dealt), not 105"
        in problems_of("decks = 2\nshoes = 1\n" + fault.format(105))[0]
    )
    assert "from 1 to 2 " in problems_of('cards = ["9H", "4D"]\n' + fault.format(3))[0]
    assert "from 1 to 52 " in problems_of("shoes = 1\n" + fault.format(53), given_elsewhere=Scenario(decks=1))[0]
    read_scenario(fault.format(100_000), "s.toml", Wire.NATIVE)  # a dealer without end comes there some day


def test_all_problems_come_at_once_and_in_the_order_of_the_file() -> None:
    text = (
        'sede = 1\n\n[[fault]]\nfault = "misred"\nat_card = 0\n\n[[fault]]\nfault = "misread"\nchance = 7\nbytes = 1\n'
    )
    lines = [int(problem.split("line ")[1].split(":")[0]) for problem in problems_of(text)]
    assert lines == [1, 4, 5, 9, 10]


@pytest.mark.parametrize(("text", "line"), [("seed = ", 1), ("seed = 1\nseed = 2\n", 2), ("\n\n[[fault", 3)])
def test_what_is_not_toml_is_refused_with_its_line(text: str, line: int) -> None:
    (problem,) = problems_of(text)
    assert problem.startswith(f"s.toml, line {line}: not valid TOML: ")


@pytest.mark.parametrize("wire", Wire)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_taken_exactly_where_the_wire_can_express_it(name: str, wire: Wire) -> None:
    text = f'[[fault]]\nfault = "{name}"\nat_card = 20\n'
    if isinstance(FAULTS[name].on(wire), Detection):
        (fault,) = read_scenario(text, "s.toml", wire).faults
        assert fault.kind.name == name
        assert (fault.seconds, fault.bytes) == (FAULTS[name].seconds, FAULTS[name].bytes)
    else:
        (problem,) = problems_of(text, wire)
        assert problem.startswith(f"s.toml, line 2: the {wire.value} wire cannot express {name}: ")


def test_only_faults_of_the_line_concern_bytes() -> None:
    assert {kind.moment for kind in FAULTS.values() if kind.bytes is not None} == {Moment.LINE}


@given(
    st.dictionaries(
        st.sampled_from(
            ["fault", "at_card", "at_byte", "chance", "times", "seconds", "bytes", "card", "direction", "x"]
        ),
        st.sampled_from(
            ["1", "-1", "0.5", "true", '"misread"', '"silence"', '"bytes_lost"', '"9H"', "[]", "{}", '"host"']
        ),
    )
)
def test_no_fault_table_does_worse_than_be_refused(keys: dict[str, str]) -> None:
    text = "[[fault]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
    try:
        read_scenario(text, "s.toml", Wire.NATIVE)
    except ScenarioError as error:
        for problem in str(error).splitlines():
            line = int(problem.removeprefix("s.toml, line ").split(":")[0])
            assert 1 <= line <= len(text.splitlines())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("decks = 8\n" + ".".join(["a"] * 200_000) + " = 1", "s.toml, line 2: a key has more than 8 dots"),
        ("[" + ".".join(["a"] * 200_000) + "]", "s.toml, line 1: a key has more than 8 dots"),
        ("cards = " + "[" * 100_000, "s.toml: lists or tables lie too deep inside each other"),
        ("seed = 0x8" + "0" * 15, "s.toml: not valid TOML: a whole number has more than 64 bits"),
        ("cards = [0x" + "f" * 5000 + "]", "s.toml: not valid TOML: a whole number has more than 64 bits"),
    ],
    ids=["key", "table", "lists", "number", "number inside"],
)
def test_a_file_without_measure_is_refused_at_once(text: str, problem: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read_scenario(text, "s.toml", Wire.NATIVE)
    assert str(refused.value) == problem


def test_a_number_of_too_many_digits_is_no_toml() -> None:
    with pytest.raises(ScenarioError, match=r"s\.toml: not valid TOML"):
        read_scenario("seed = " + "9" * 5000, "s.toml", Wire.NATIVE)
