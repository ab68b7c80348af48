"""The reader of plain values: everything that does not fit is reported, each with its place, and nothing else is."""

import datetime as dt
from typing import Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_controller.config.strict_reading import BadFileError, Problem, read


class Chair(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    nickname: str | None = None


class Room(msgspec.Struct, forbid_unknown_fields=True):
    """One of every kind of shape that the product's files are made of."""

    title: str
    tables: int
    open: bool = True
    smoking: Literal["never", "always", "outside"] = "never"
    doors: tuple[str, ...] = ()
    chair: Chair | None = None
    chairs: tuple[Chair, ...] = ()
    by_name: dict[str, Chair] = {}
    rows: tuple[tuple[int, ...], ...] | None = None
    colour: str | tuple[str, ...] = "green"
    price: str | dict[str, str] = "1:1"
    anything: tuple[object, ...] = ()


FULL = {
    "title": "Salon",
    "tables": 3,
    "open": False,
    "smoking": "outside",
    "doors": ["north", "south"],
    "chair": {"number": 7, "nickname": "the good one"},
    "chairs": [{"number": 1}, {"number": 2}],
    "by_name": {"left": {"number": 1}, "right hand": {"number": 2}},
    "rows": [[1, 2], [], [3]],
    "colour": ["red", "black"],
    "price": {"A": "2:1"},
    "anything": [1, "two", [3], {"four": 4}],
}


def problems_of(data: object, place: str = "") -> list[str]:
    problems: list[Problem] = []
    value = read(data, Room, problems, place)
    assert (value is None) == bool(problems)
    return [str(problem) for problem in problems]


def test_a_value_that_fits_is_read_whole() -> None:
    problems: list[Problem] = []
    room = read(FULL, Room, problems)
    assert problems == []
    assert room == Room(
        title="Salon",
        tables=3,
        open=False,
        smoking="outside",
        doors=("north", "south"),
        chair=Chair(7, "the good one"),
        chairs=(Chair(1), Chair(2)),
        by_name={"left": Chair(1), "right hand": Chair(2)},
        rows=((1, 2), (), (3,)),
        colour=("red", "black"),
        price={"A": "2:1"},
        anything=(1, "two", [3], {"four": 4}),
    )


def test_what_is_left_out_has_its_default() -> None:
    problems: list[Problem] = []
    assert read({"title": "Salon", "tables": 1}, Room, problems) == Room("Salon", 1)
    assert problems == []


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("title", 5, 'title: expected a text in quotes, got 5; write "5", in quotes'),
        ("title", ["Salon"], "title: expected a text in quotes, got a list"),
        ("tables", "3", "tables: expected a whole number, got '3'; write 3, without quotes"),
        ("tables", 3.0, "tables: expected a whole number, got 3.0; write 3, without a decimal point"),
        ("tables", True, "tables: expected a whole number, got true"),
        ("tables", False, "tables: expected a whole number, got false"),
        ("open", 1, "open: expected true or false, got 1"),
        ("open", "true", "open: expected true or false, got 'true'; write true, without quotes"),
        (
            "smoking",
            "allways",
            "smoking: expected one of 'never', 'always', 'outside', got 'allways'; did you mean 'always'?",
        ),
        ("smoking", "42", "smoking: expected one of 'never', 'always', 'outside', got '42'"),
        ("smoking", True, "smoking: expected one of 'never', 'always', 'outside', got true"),
        ("doors", "north", "doors: expected a list, got 'north'; write [\"north\"], in brackets"),
        ("doors", ["north", 2], 'doors[2]: expected a text in quotes, got 2; write "2", in quotes'),
        ("chair", 5, "chair: expected a table of keys, got 5"),
        ("chair", {}, "chair.number: is missing: write number = a whole number"),
        (
            "chair",
            {"number": 7, "nickname": 5},
            'chair.nickname: expected a text in quotes, got 5; write "5", in quotes',
        ),
        (
            "chairs",
            {"number": 1},
            "chairs: expected a list, got a table of keys; write [[chairs]], in two brackets, above each of them",
        ),
        (
            "chairs",
            [{"number": 1}, {"number": "2"}],
            "chairs[2].number: expected a whole number, got '2'; write 2, without quotes",
        ),
        ("by_name", [], "by_name: expected a table of keys, got a list"),
        ("by_name", {"right hand": {"number": "x"}}, "by_name.\"right hand\".number: expected a whole number, got 'x'"),
        ("by_name", {"base.tie": 1}, 'by_name."base.tie": expected a table of keys, got 1'),
        ("price", {"A": {"b": "2:1"}}, 'price.A: a name with a dot is in quotes: write "A.b"'),
        ("doors", True, "doors: expected a list, got true"),
        ("chairs", "red", "chairs: expected a list, got 'red'"),
        ("rows", [[1], [2, "3"]], "rows[2][2]: expected a whole number, got '3'; write 3, without quotes"),
        ("rows", 5, "rows: expected a list, got 5"),
        ("colour", 5, 'colour: expected a text in quotes or a list, got 5; write "5", in quotes'),
        ("colour", ["red", 5], 'colour[2]: expected a text in quotes, got 5; write "5", in quotes'),
        ("price", True, "price: expected a text in quotes or a table of keys, got true"),
        ("price", {"A": 2}, 'price.A: expected a text in quotes, got 2; write "2", in quotes'),
        ("anything", "all", "anything: expected a list, got 'all'; write [\"all\"], in brackets"),
    ],
)
def test_a_wrong_type_is_one_problem_with_its_place(key: str, value: object, expected: str) -> None:
    assert problems_of({**FULL, key: value}) == [expected]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({**FULL, "titel": "x"}, "titel: unknown key; did you mean 'title'?"),
        ({**FULL, "Tables": 1}, "Tables: unknown key; did you mean 'tables'?"),
        ({**FULL, "chair": {"number": 1, "nickame": "x"}}, "chair.nickame: unknown key; did you mean 'nickname'?"),
        ({**FULL, "chairs": [{"nummber": 1, "number": 1}]}, "chairs[1].nummber: unknown key; did you mean 'number'?"),
        ({**FULL, "chair": {"number": 1, "z": 0}}, "chair.z: unknown key; the keys here are number, nickname"),
        ({**FULL, "": 0}, '"": unknown key; the keys here are ' + ", ".join(FULL)),
    ],
)
def test_an_unknown_key_comes_with_the_nearest_one_or_with_all_of_them(data: object, expected: str) -> None:
    assert problems_of(data) == [expected]


def test_everything_is_reported_at_once_in_the_order_of_the_file() -> None:
    data = {
        "tabels": 3,
        "open": "yes",
        "doors": [1, "south", 2],
        "chair": {"nickname": 0, "legs": 4},
        "chairs": [{}, {"number": 1}, 3],
        "by_name": {"a": {"number": "1"}, "b": "2"},
    }
    assert problems_of(data, place="room") == [
        "room.tabels: unknown key; did you mean 'tables'?",
        "room.open: expected true or false, got 'yes'",
        'room.doors[1]: expected a text in quotes, got 1; write "1", in quotes',
        'room.doors[3]: expected a text in quotes, got 2; write "2", in quotes',
        'room.chair.nickname: expected a text in quotes, got 0; write "0", in quotes',
        "room.chair.legs: unknown key; the keys here are number, nickname",
        "room.chair.number: is missing: write number = a whole number",
        "room.chairs[1].number: is missing: write number = a whole number",
        "room.chairs[3]: expected a table of keys, got 3",
        "room.by_name.a.number: expected a whole number, got '1'; write 1, without quotes",
        "room.by_name.b: expected a table of keys, got '2'",
        "room.title: is missing: write title = a text in quotes",
        "room.tables: is missing: write tables = a whole number",
    ]


@pytest.mark.parametrize("data", [None, 5, "title", [], [FULL]])
def test_a_file_that_is_no_table_at_all(data: object) -> None:
    (problem,) = problems_of(data)
    assert "expected a table of keys" in problem


@pytest.mark.parametrize("value", [dt.date(1979, 5, 27), dt.time(7, 32), dt.datetime(1979, 5, 27, tzinfo=dt.UTC)])
def test_dates_are_shown_as_the_file_has_them(value: object) -> None:
    """TOML has dates and times; whoever wrote one by accident should recognise it."""
    (problem,) = problems_of({**FULL, "tables": value})
    assert problem.startswith("tables: expected a whole number, got ")
    assert "datetime" not in problem


plain_values = st.recursive(
    st.booleans()
    | st.integers(-3, 9)
    | st.floats()
    | st.sampled_from(["", "never", "always", "green", "1:1", "\x00", "é\n"])
    | st.just(dt.date(1979, 5, 27)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["number", "nickname", "a b", ""]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(derandomize=True)
@given(
    st.fixed_dictionaries(
        {}, optional={key: st.just(value) | plain_values for key, value in {**FULL, "extra": 1}.items()}
    )
    | plain_values
)
def test_it_accepts_exactly_what_fits(data: object) -> None:
    """A second opinion: the strict conversion of msgspec stops at the first misfit, but knows whether there is one."""
    problems: list[Problem] = []
    value = read(data, Room, problems)
    try:
        expected = msgspec.convert(data, Room, strict=True)
    except msgspec.ValidationError:
        assert value is None
        assert problems
    else:
        assert problems == []
        assert value == expected


def test_the_error_has_a_line_for_every_problem_with_the_file_first() -> None:
    problems = [Problem("house.decks", "must be from 1 to 8, not 9"), Problem("", "cannot be read")]
    error = BadFileError("table.toml", problems)
    assert str(error) == "table.toml: house.decks: must be from 1 to 8, not 9\ntable.toml: cannot be read"
    assert error.file == "table.toml"
    assert error.problems == problems
