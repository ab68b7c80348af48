"""Changes single values in the text of a TOML file; comments, order and layout stay as they are. Pure.

A key that the file shows as a comment, as every file of `init` does, is set there. Each change is read back: where the
text does not come out as the old values with that one change, `EditError` says so, and nothing is changed.
"""

import copy
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from shoe_controller.setup.template import as_key, as_toml

Keys = tuple[str, ...]
"""A key from the top of the file; an item of a list is its place, such as `[0]`."""

_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\])*"' r"|'[^']*'",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}#\r\n]+")
_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_SHOWN_HEADER = re.compile(r"^#[ \t]*(\[[^\[\]\r\n]+\])[ \t]*(?=\r?$)", re.MULTILINE)
_SHOWN_KEY = re.compile(r"^#[ \t]?([^#\r\n]+=[^\r\n]*)(?=\r?$)", re.MULTILINE)


class EditError(ValueError):
    """A change that this file's layout does not permit; the message says what to do instead."""


class _Value(NamedTuple):
    keys: Keys
    key_start: int
    start: int
    end: int
    section: int
    """Where the header above it ends; 0 above the first."""
    inside: bool
    """Whether it is part of a list or of a table on one line."""


class _Header(NamedTuple):
    keys: Keys
    start: int
    end: int


def parse_key(text: str) -> Keys:
    """The parts of a key as it is written in TOML: `house.limits."base.tie".max`."""
    keys: list[str] = []
    try:
        found: Any = tomllib.loads(f"{text} = 0")
    except ValueError:
        found = {}
    while isinstance(found, dict) and len(found) == 1:
        ((key, found),) = found.items()
        keys.append(key)
    if found != 0 or len(keys) < 2:
        raise EditError(f"{text!r} is not a key: write it with its section before it, such as house.decks")
    return tuple(keys)


def with_value(text: str, keys: Keys, value: object) -> str:
    """Return the text with this key set to this value."""
    written = _written(keys, value)
    wanted = copy.deepcopy(tomllib.loads(text))
    table: Any = wanted
    for number, key in enumerate(keys[:-1], 1):
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise EditError(f"{_dotted(keys[:number])} has no keys below it: change it in an editor")
    before = table.get(keys[-1])
    if before == value and type(before) is type(value):
        return text
    if isinstance(before, dict) and keys not in _Scan(text).values:
        below = ", ".join(_dotted((*keys, key)) for key in before)
        raise EditError(f"{_dotted(keys)} is a section: set a key in it{below and ', such as '}{below}")
    table[keys[-1]] = value
    return _first_that_reads(_settings(text, keys, written), wanted, keys)


def without(text: str, keys: Keys) -> str:
    """Return the text without this key or item: a line becomes a comment, a part of a line goes."""
    wanted = copy.deepcopy(tomllib.loads(text))
    table: Any = wanted
    for key in keys[:-1]:
        table = table[key]
    del table[int(keys[-1][1:-1]) if isinstance(table, list) else keys[-1]]
    found = _Scan(text)
    here = found.values[keys]
    changed = _cut_out(text, here, found) if here.inside else _as_comment(text, here)
    return _first_that_reads([changed], wanted, keys)


def with_section(text: str, name: str, values: dict[str, object]) -> str:
    """Return the text with one more section of this name, such as `[[people]]`: at its end, or where their list is."""
    wanted = copy.deepcopy(tomllib.loads(text))
    wanted.setdefault(name, []).append(values)
    end = _line_end(text)
    lines = [f"{as_key(key)} = {_written((name, key), value)}" for key, value in values.items()]
    there = _Scan(text).values.get((name,))
    if there is not None:
        return _first_that_reads([_put_last(text, there, f"{{ {', '.join(lines)} }}")], wanted, (name,))
    kept = text if text.endswith("\n") or not text else f"{text}{end}"
    return _first_that_reads([f"{kept}{end}{end.join([f'[[{name}]]', *lines])}{end}"], wanted, (name,))


def _written(keys: Keys, value: object) -> str:
    """The value in TOML; a command line can hold bytes that no TOML file may."""
    written = as_toml(value)
    try:
        "".join((*keys, written)).encode()
    except UnicodeEncodeError:
        raise EditError(
            f"{_dotted(keys)} = {written}: it is not UTF-8: type it in a terminal that uses UTF-8"
        ) from None
    return written


def _first_that_reads(texts: Iterable[str], wanted: dict[str, Any], keys: Keys) -> str:
    for text in texts:
        try:
            if tomllib.loads(text) == wanted:
                return text
        except ValueError:
            continue
    raise EditError(f"{_dotted(keys)} cannot be changed in this file's layout: change it in an editor")


# --- where a value goes ----------------------------------------------------------------------------------------------


def _settings(text: str, keys: Keys, value: str) -> Iterator[str]:
    """Yield the texts with the key set, at its best place first."""
    found = _Scan(text)
    there = found.values.get(keys)
    if there is not None:
        if any(there.start <= comment < there.end for comment in found.comments):
            raise EditError(f"the value of {_dotted(keys)} has comments in it: change it in an editor")
        yield text[: there.start] + value + text[there.end :]
        return
    for count in range(len(keys) - 1, 0, -1):
        above, rest = keys[:count], f"{_dotted(keys[count:])} = {value}"
        table = found.values.get(above)
        if table is not None and text[table.start] == "{":
            yield _put_inside(text, table, rest)
        for header in found.headers:
            if header.keys == above:
                yield from _put_below(text, header.end, rest, found)
        for shown in _SHOWN_HEADER.finditer(text):
            if _reads_as(shown[1], above):
                opened = text[: shown.start()] + shown[1] + text[shown.end() :]
                yield from _put_below(opened, shown.start() + len(shown[1]), rest, _Scan(opened))
    end = _line_end(text)
    kept = text if text.endswith("\n") or not text else f"{text}{end}"
    yield f"{kept}{end}[{_dotted(keys[:-1])}]{end}{as_key(keys[-1])} = {value}{end}"


def _put_inside(text: str, table: _Value, setting: str) -> str:
    """Into a table on one line."""
    inside = text[table.start + 1 : table.end - 1].rstrip()
    return f"{text[: table.start]}{{{inside}{',' if inside.strip() else ''} {setting} }}{text[table.end :]}"


def _put_last(text: str, items: _Value, item: str) -> str:
    """Into a list between brackets."""
    inside = text[items.start + 1 : items.end - 1].rstrip()
    closing = text[items.start + 1 + len(inside) : items.end]
    comma = "" if not inside else " " if inside.endswith(",") else ", "
    return f"{text[: items.start]}[{inside}{comma}{item}{closing}{text[items.end :]}"


def _put_below(text: str, header_end: int, setting: str, found: "_Scan") -> Iterator[str]:
    """Into a section: in place of a comment that shows the key, else below its last key."""
    key = setting.partition(" = ")[0]
    until = min((each.start for each in found.headers if each.start >= header_end), default=len(text))
    shown_header = _SHOWN_HEADER.search(text, header_end, until)
    for shown in _SHOWN_KEY.finditer(text, header_end, shown_header.start() if shown_header else until):
        if shown[1].partition("=")[0].strip().replace('"', "") == key.replace('"', "") and _is_toml(shown[1]):
            yield text[: shown.start()] + setting + text[shown.end() :]
    last = max((each.end for each in found.values.values() if each.section == header_end), default=header_end)
    line_end = text.find("\n", last)
    if line_end < 0:
        yield f"{text}{_line_end(text)}{setting}{_line_end(text)}"
    else:
        yield f"{text[: line_end + 1]}{setting}{_line_end(text)}{text[line_end + 1 :]}"


def _reads_as(header: str, keys: Keys) -> bool:
    try:
        found: Any = tomllib.loads(header)
    except ValueError:
        return False
    for key in keys:
        if not isinstance(found, dict) or list(found) != [key]:
            return False
        found = found[key]
    return bool(found == {})


def _is_toml(line: str) -> bool:
    try:
        tomllib.loads(line)
    except ValueError:
        return False
    return True


# --- what goes -------------------------------------------------------------------------------------------------------


def _as_comment(text: str, value: _Value) -> str:
    start = text.rfind("\n", 0, value.key_start) + 1
    return text[:start] + re.sub(r"^", "# ", text[start : value.end], flags=re.MULTILINE) + text[value.end :]


def _cut_out(text: str, value: _Value, found: "_Scan") -> str:
    """A part of a list or of a table on one line, with the comma that parted it from the next, or else the last."""
    start, end = value.key_start, value.end
    after = _between(text, end)
    if text[after] == ",":
        return _cut(text[:end] + text[end:after] + text[after + 1 :], start, end)
    before = max((each.end for each in found.values.values() if _is_before(each, value)), default=None)
    shorter = _cut(text, start, end)
    if before is None:
        return shorter
    comma = _between(text, before)
    rest = shorter[comma + 1 :]
    return shorter[:comma] + (rest.lstrip(" \t") if rest.lstrip(" \t").startswith("]") else rest)


def _is_before(one: _Value, value: _Value) -> bool:
    return one.keys[:-1] == value.keys[:-1] and one.inside and one.end <= value.key_start


def _cut(text: str, start: int, end: int) -> str:
    """Without this part, and without its line if nothing else is on it."""
    end += len(_SPACES.match(text, end)[0])  # type: ignore[index]  # matches nothing at all, too
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if line_end >= 0 and not (text[line_start:start] + text[end:line_end]).strip():
        return text[:line_start] + text[line_end + 1 :]
    return text[:start] + text[end:]


# --- what is where ---------------------------------------------------------------------------------------------------


class _Scan:
    """Where every header and value of a valid text is."""

    def __init__(self, text: str) -> None:
        self.headers: list[_Header] = []
        self.values: dict[Keys, _Value] = {}
        self.comments: list[int] = []
        self._text = text
        self._section = 0
        above: Keys = ()
        at = self._skip(0)
        while at < len(text):
            if text[at] == "[":
                above, at = self._header(at)
            else:
                at = self._pair(at, above, inside=False)
            at = self._skip(at)

    def _header(self, start: int) -> tuple[Keys, int]:
        many = self._text.startswith("[[", start)
        keys, at = self._key(start + 1 + many)
        at = self._text.index("]", at) + 1 + many
        if many:
            number = sum(each.keys[:-1] == keys for each in self.headers)
            keys = (*keys, f"[{number}]")
        self.headers.append(_Header(keys, start, at))
        self._section = at
        return keys, at

    def _pair(self, start: int, above: Keys, *, inside: bool) -> int:
        keys, at = self._key(start)
        return self._value((*above, *keys), start, self._spaces(self._text.index("=", at) + 1), inside=inside)

    def _key(self, at: int) -> tuple[Keys, int]:
        keys: list[str] = []
        while True:
            at = self._spaces(at)
            part = _BARE_KEY.match(self._text, at) or _STRING.match(self._text, at)
            if part is None:
                raise EditError("this file's layout cannot be changed here: use an editor")
            keys.extend(tomllib.loads(f"{part[0]} = 0"))
            at = self._spaces(part.end())
            if self._text[at] != ".":
                return tuple(keys), at
            at += 1

    def _value(self, keys: Keys, key_start: int, start: int, *, inside: bool) -> int:
        match self._text[start]:
            case "[":
                end = self._list(keys, start + 1)
            case "{":
                end = self._table(keys, start + 1)
            case _:
                found = _STRING.match(self._text, start) or _BARE_VALUE.match(self._text, start)
                if found is None:
                    raise EditError("this file's layout cannot be changed here: use an editor")
                end = start + len(found[0].rstrip())
        self.values[keys] = _Value(keys, key_start, start, end, self._section, inside)
        return end

    def _list(self, keys: Keys, at: int) -> int:
        number = 0
        while self._text[at := self._skip(at)] != "]":
            at = self._skip(self._value((*keys, f"[{number}]"), at, at, inside=True))
            at += self._text[at] == ","
            number += 1
        return at + 1

    def _table(self, keys: Keys, at: int) -> int:
        while self._text[at := self._skip(at)] != "}":
            at = self._skip(self._pair(at, keys, inside=True))
            at += self._text[at] == ","
        return at + 1

    def _skip(self, at: int) -> int:
        end = _between(self._text, at)
        while (comment := self._text.find("#", at, end)) >= 0:
            self.comments.append(comment)
            line_end = self._text.find("\n", comment, end)
            at = end if line_end < 0 else line_end
        return end

    def _spaces(self, at: int) -> int:
        found = _SPACES.match(self._text, at)
        return at if found is None else found.end()


def _between(text: str, at: int) -> int:
    """Where what lies between two values ends: blanks, lines and comments."""
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()


def _dotted(keys: Keys) -> str:
    return ".".join(map(as_key, keys))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
