"""Comments of a configuration stay at the table; everything else of it is packed as it is."""

import tomllib

import pytest

from shoe_controller.doctor.bundle import without_comments
from tests.table_files import EXAMPLE


@pytest.mark.parametrize(
    ("text", "packed"),
    [
        ("a = 1 # the owner's number is 555", "a = 1 "),
        ("# rana drinks\na = 1", "\na = 1"),
        ('a = "#1" # one', 'a = "#1" '),
        ("a = '#1' # one", "a = '#1' "),
        (r'a = "\"#" # one', r'a = "\"#" '),
        ('a = """\n# two\n""" # three', 'a = """\n# two\n""" '),
        ("a = '''\n# two\n''' # three", "a = '''\n# two\n''' "),
        ("a = [ # one\n 1, # two\n]", "a = [ \n 1, \n]"),
        ('a = "not closed # one\nb = 1 # two', 'a = "not closed \nb = 1 '),
    ],
)
def test_comments_are_left_out(text: str, packed: str) -> None:
    assert without_comments(text) == packed


def test_the_example_means_the_same_without_them() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    packed = without_comments(text)
    assert "#" not in packed
    assert tomllib.loads(packed) == tomllib.loads(text)
