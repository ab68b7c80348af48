"""What is wrong with a text that is not TOML, with the line to look at and what to write there.

Python's reader stops where it cannot go on, which is often lines behind the mistake: an array that was never closed is
reported at the next key.
"""

import re
from typing import NamedTuple

_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_TOKENS = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*|[\[\]{}]", re.DOTALL
)
_HEADING = re.compile(r"[ \t]*\[\[?[ \t]*([A-Za-z0-9_.-]+)")
_CLOSING = {"[": "]", "{": "}"}

_WHAT_TO_DO = (
    ("Illegal character '\\n'", "close the text in this line with a quote of the kind that opens it"),
    ("Illegal character '\\r'", "close the text in this line with a quote of the kind that opens it"),
    ("Unterminated string", "close the text with a quote of the kind that opens it"),
    ("Expected \"'''\"", "close the text with three quotes of the kind that opens it"),
    ('Expected \'"""\'', "close the text with three quotes of the kind that opens it"),
    ("Unescaped '\\'", "write every \\ in a text twice, or the text in single quotes"),
    ("Cannot overwrite a value", "a key is there twice: leave one of them out"),
    ("Cannot declare", "a section is there twice: put all its keys below one heading"),
    (
        "Cannot mutate immutable",
        "a key belongs to a table that is closed already: put it between the same braces, or quote a name with a dot",
    ),
    ("Expected '=' after a key", "write key = value, and numbers without commas"),
    (
        "Expected newline or end of document",
        "write one value behind the =, numbers without commas and units, and # before a comment",
    ),
    ("Expected ']'", "close the heading with as many brackets as open it"),
    ("Invalid initial character for a key part", "write a key before the ="),
    ("Invalid value", "write a text in quotes, true and false in small letters, and a number with digits alone"),
    ("Invalid statement", "write key = value, a [heading], or a # before a comment"),
    ("Unclosed array", "close it with ]"),
    ("Unclosed inline table", "close it with }, on the same line, and write numbers with digits alone"),
    ("Invalid inline table", "keep everything between { and } on one line, without a comma before the }"),
)


class _Open(NamedTuple):
    bracket: str
    line: int


def explained(error: str, text: str) -> str:
    """The reader's error about a text, with the place of the mistake where that is another, and what to do."""
    place = _PLACE.search(error)
    what = error if place is None else error[: place.start()]
    if place is not None:
        if place["line"] and (name := _in_one_bracket_and_two(text, int(place["line"]))):
            return f"{error}: write [[{name}]], in two brackets, above each of them"
        line = int(place["line"] or text.count("\n") + 1)
        still_open = _still_open(text, line, int(place["column"] or 1) if place["line"] else None)
        if still_open is not None and still_open.line < line:
            bracket, begun = still_open
            return f"the {bracket} in line {begun} is never closed: write {_CLOSING[bracket]} behind its last value"
    do = next((do for beginning, do in _WHAT_TO_DO if what.startswith(beginning)), "")
    return f"{error}{do and ': '}{do}"


def _in_one_bracket_and_two(text: str, line: int) -> str:
    """The name in this line's heading, if it stands in one bracket at one place and in two at another."""
    heading = _HEADING.match(text.split("\n")[line - 1])
    if heading is None:
        return ""
    name = re.escape(heading[1])
    once = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\]", text, re.MULTILINE)
    twice = re.search(rf"^[ \t]*\[\[[ \t]*{name}[ \t]*\]\]", text, re.MULTILINE)
    return heading[1] if once and twice else ""


def _still_open(text: str, line: int, column: int | None) -> _Open | None:
    """The first bracket that is still open at this place; without a column, at the end of the text."""
    lines = text.splitlines(keepends=True)
    end = len(text) if column is None else sum(map(len, lines[: line - 1])) + column - 1
    still_open: list[_Open] = []
    line, counted = 1, 0
    for token in _TOKENS.finditer(text, 0, end):
        line, counted = line + text.count("\n", counted, token.start()), token.start()
        if token[0] in _CLOSING:
            still_open.append(_Open(token[0], line))
        elif still_open and token[0] == _CLOSING[still_open[-1].bracket]:
            still_open.pop()
    # A heading below an array that was left open looks like a list in it.
    return still_open[0] if still_open else None
