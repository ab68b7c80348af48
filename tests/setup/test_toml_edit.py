"""Single values changed in a TOML file's text: everything else stays as it was, character by character."""

import difflib
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.setup.template import as_toml
from shoe_controller.setup.toml_edit import EditError, Keys, parse_key, with_section, with_value, without
from tests.table_files import EXAMPLE

LAID_OUT = """\
# The house.
[house] # as it is
decks = 8   # eight
offer = [
    "base",   # always
    "pairs",  # since May
    "lucky_6",
]
seats = ["1", '2', "3"]
layout = "a"

# What may be staked.
[house.limits]
all = { min = 5, max = 50 }
"base.tie" = {min = 1, max = 2}
text = '''
[house]
decks = 9'''

# [house.rounding]
# mode = "down"
# unit = 1

# The broker.
[mqtt]
host = "h"

# Default: 8883.
# port = 8883

# Its users.
[[people]]
id = "a"

[[people]]
id = "b"
"""


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.parametrize(
    ("key", "value", "changes"),
    [
        ("house.decks", 6, ["-decks = 8   # eight", "+decks = 6   # eight"]),
        ("house.layout", "b", ['-layout = "a"', '+layout = "b"']),
        ("house.seats", ["1"], ['-seats = ["1", \'2\', "3"]', '+seats = ["1"]']),
        ("house.limits.all.max", 60, ["-all = { min = 5, max = 50 }", "+all = { min = 5, max = 60 }"]),
        ('house.limits."base.tie".min', 2, ['-"base.tie" = {min = 1, max = 2}', '+"base.tie" = {min = 2, max = 2}']),
        ("house.limits.all.step", 5, ["-all = { min = 5, max = 50 }", "+all = { min = 5, max = 50, step = 5 }"]),
        ("house.limits.pairs.min", 5, ["+pairs.min = 5"]),
        ("mqtt.port", 1883, ["-# port = 8883", "+port = 1883"]),
        ("mqtt.keep_alive", 9, ["+keep_alive = 9"]),
        ("house.rounding.unit", 5, ["-# [house.rounding]", "+[house.rounding]", "-# unit = 1", "+unit = 5"]),
        ("house.base_game", "nepal", ['+base_game = "nepal"']),
        ("journal.file", "/x", ["+", "+[journal]", '+file = "/x"']),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_nothing_but_the_value_changes(key: str, value: object, changes: list[str], line_end: str) -> None:
    text = LAID_OUT.replace("\n", line_end)
    after = with_value(text, parse_key(key), value)
    assert sorted(changed_lines(text, after)) == sorted(changes)
    assert after.count("\n") == after.count(line_end)
    assert with_value(after, parse_key(key), value) == after


def test_a_new_key_is_not_put_below_the_comment_of_the_next_section() -> None:
    after = with_value(LAID_OUT, ("mqtt", "keep_alive"), 9)
    assert 'host = "h"\nkeep_alive = 9\n\n# Default' in after
    after = with_value(LAID_OUT, ("house", "base_game"), "x")
    assert 'layout = "a"\nbase_game = "x"\n\n# What may' in after


@pytest.mark.parametrize(
    ("keys", "changes"),
    [
        (("house", "offer", "[0]"), ['-    "base",   # always', "+    # always"]),
        (("house", "offer", "[2]"), ['-    "lucky_6",']),
        (("house", "seats", "[1]"), ['-seats = ["1", \'2\', "3"]', '+seats = ["1", "3"]']),
        (("house", "seats", "[2]"), ['-seats = ["1", \'2\', "3"]', "+seats = [\"1\", '2']"]),
        (("house", "limits", "base.tie"), ['-"base.tie" = {min = 1, max = 2}', '+# "base.tie" = {min = 1, max = 2}']),
        (("house", "limits", "all", "max"), ["-all = { min = 5, max = 50 }", "+all = { min = 5 }"]),
        (
            ("house", "limits", "text"),
            ["-text = '''", "-[house]", "-decks = 9'''", "+# text = '''", "+# [house]", "+# decks = 9'''"],
        ),
    ],
)
def test_what_is_taken_out_goes_alone(keys: Keys, changes: list[str]) -> None:
    assert sorted(changed_lines(LAID_OUT, without(LAID_OUT, keys))) == sorted(changes)


def test_a_list_with_comments_is_not_replaced() -> None:
    with pytest.raises(EditError, match="has comments in it: change it in an editor"):
        with_value(LAID_OUT, ("house", "offer"), ["base"])


@pytest.mark.parametrize("keys", [("house", "decks", "x"), ("people", "id"), ("house", "limits", "all", "min", "x")])
def test_what_has_no_keys_gets_none(keys: Keys) -> None:
    with pytest.raises(EditError, match="change it in an editor"):
        with_value(LAID_OUT, keys, 1)


@pytest.mark.parametrize("text", ["", "decks", "a b", "house.", "[house]", "house.decks = 1\nx", "house.decks=1 #"])
def test_a_key_that_is_none(text: str) -> None:
    with pytest.raises(EditError, match="is not a key"):
        parse_key(text)


def test_a_section_is_added_at_the_end() -> None:
    for text in (LAID_OUT, LAID_OUT.rstrip("\n"), ""):
        after = with_section(text, "people", {"id": "c", "name": 'C "c"'})
        assert after.startswith(text)
        assert tomllib.loads(after)["people"][-1] == {"id": "c", "name": 'C "c"'}


@pytest.mark.parametrize("people", ["[]", '[{ id = "a" }]', '[\n  { id = "a" },  # first\n  { id = "b" },\n]'])
def test_a_section_is_added_to_a_list_on_one_line(people: str) -> None:
    text = f"people = {people}\n[house]\ndecks = 8\n"
    before = tomllib.loads(text)
    after = tomllib.loads(with_section(text, "people", {"id": "c"}))
    assert after == before | {"people": [*before["people"], {"id": "c"}]}


def keys_of(data: dict[str, Any], above: Keys = ()) -> list[Keys]:
    found = []
    for key, value in data.items():
        found += keys_of(value, (*above, key)) if isinstance(value, dict) else [(*above, key)]
    return [keys for keys in found if keys[0] != "people"]


def test_every_key_of_the_example_can_be_set_where_it_stands() -> None:
    """Those that `init` leaves as comments too: each takes the comment's place."""
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = "\n".join(line if line.startswith(("#", "[")) or not line else f"# {line}" for line in text.split("\n"))
    for keys in keys_of(tomllib.loads(text)):
        assert len(changed_lines(text, with_value(text, keys, 77))) == 2
        if keys[:2] != ("house", "limits"):  # on one line together
            removed, added = changed_lines(shown, with_value(shown, keys, 77))
            assert removed.startswith((f"-# {keys[-1]}", f'-# "{keys[-1]}"'))
            assert added.endswith(" = 77")


SCALARS = st.one_of(st.integers(-9, 9), st.booleans(), st.text(max_size=8), st.lists(st.text(max_size=3), max_size=3))
NAMES = st.text("ab.-_ \"'é", min_size=1, max_size=4)
TABLES = st.recursive(st.dictionaries(NAMES, SCALARS, max_size=3), lambda t: st.dictionaries(NAMES, t, max_size=3))


@given(data=st.dictionaries(NAMES, TABLES, max_size=3), keys=st.lists(NAMES, min_size=2, max_size=3), value=SCALARS)
def test_what_comes_out_is_the_old_with_the_change_or_a_refusal(
    data: dict[str, Any], keys: list[str], value: object
) -> None:
    text = "".join(f"{as_toml({key: part})[2:-2]}  # {key!r}\n" for key, part in data.items())
    try:
        after = tomllib.loads(with_value(text, tuple(keys), value))
    except EditError:
        return
    here: Any = after
    for key in keys:
        here = here[key]
    assert here == value
