"""Converts the plain values of a TOML file to typed ones, and reports everything that does not fit at once.

msgspec's own conversion stops at the first error; a person who edits a configuration needs all of them, each with its
place and, for a misspelt key, the nearest one that exists. Shapes are `msgspec.Struct` classes.
"""

import builtins
import json
import re
import tomllib
import types
import typing
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.toml_errors import explained
from shoe_controller.words.printable import printable

BYTE_ORDER_MARK = "\ufeff"
"""What some editors save at the beginning of a text, and TOML does not know."""

MOST_DOTS = 32
_DEEP = re.compile(rf"""(?:\.[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){{{MOST_DOTS + 1}}}""")
"""A key of so many parts takes Python's reader the square of their number."""

_NUMBER = re.compile(r"\s*(?:0|[1-9][0-9]{0,8})\.[0-9]{1,9}\s*")
_WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")

T = TypeVar("T")


class Hint(NamedTuple):
    """How a value is written, beside its type: `Annotated[str, Hint('write it like "5%"')]`."""

    text: str


class Problem(NamedTuple):
    place: str
    """Dotted keys from the top of the file: `house.limits.base.max`."""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class BadFileError(ValueError):
    """A file that cannot be used, with everything that is wrong with it."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        super().__init__("\n".join(printable(f"{file}: {problem}") for problem in problems))
        self.file = file
        self.problems = problems


class _Misfit:
    """Placeholder for a value that was reported as a problem."""


_MISFIT = _Misfit()


def read(data: object, shape: type[T], problems: list[Problem], place: str = "") -> T | None:
    """Convert a value to that shape; `None` if anything in it was a problem."""
    before = len(problems)
    value = read_what_fits(data, shape, problems, place)
    return value if len(problems) == before else None


def read_what_fits(data: object, shape: type[T], problems: list[Problem], place: str = "") -> T | None:
    """Like `read`, but values that do not fit fall back to their defaults, so that the rest can be checked."""
    value = _read(data, shape, problems, place)
    return None if isinstance(value, _Misfit) else typing.cast("T", value)


def parse_toml(name: str, text: str) -> dict[str, object]:
    if _DEEP.search(text):
        raise BadFileError(name, [Problem("", f"is not valid: a key has more than {MOST_DOTS} dots")])
    try:
        parsed = tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
        too_long = _number_too_long(parsed)
    except (ValueError, RecursionError) as error:
        raise BadFileError(name, [Problem("", f"is not valid TOML: {explained(str(error), text)}")]) from None
    if too_long is not None:
        message = "is not valid TOML: a whole number has more than 64 bits: write a smaller one"
        raise BadFileError(name, [Problem(too_long, message)])
    return parsed


def _number_too_long(value: object, place: str = "") -> str | None:
    """The place of the first one: Python reads them, and then refuses to print one of more than 4,300 digits."""
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**63 else place
    inner: list[tuple[str, object]] = []
    if isinstance(value, dict):
        inner = [(join_place(place, key), each) for key, each in value.items()]
    elif isinstance(value, list):
        inner = [(f"{place}[{number}]", each) for number, each in enumerate(value, 1)]
    return next((found for where, each in inner if (found := _number_too_long(each, where)) is not None), None)


MADE_BY_INIT = "table.toml"
"""The name of the file that many commands read where none is named."""

_UNREADABLE: dict[type[OSError], str] = {
    FileNotFoundError: "; correct its path",
    PermissionError: "; run this with sudo, or as the user of the service",
    IsADirectoryError: "; name a file in it",
}


def why_unreadable(error: OSError) -> str:
    """Why a file that was named cannot be read, and what to do."""
    return f"{error.strerror}{_UNREADABLE.get(type(error), '')}"


def read_text(file: Path) -> str:
    try:
        return read_plain(file, only_ours=True).decode()
    except UnicodeDecodeError as error:
        problem = Problem("", f"cannot be read: byte {error.start} is not utf-8; save it as UTF-8 in your editor")
        raise BadFileError(str(file), [problem]) from None
    except OSError as error:
        missing = isinstance(error, FileNotFoundError) and file.name == MADE_BY_INIT
        made = ", or make it with `shoe-controller init`" if missing else ""
        raise BadFileError(str(file), [Problem("", f"cannot be read: {why_unreadable(error)}{made}")]) from None


def _read(  # noqa: PLR0911 - one return for each kind of shape
    data: object,
    shape: Any,  # noqa: ANN401 - a type, whichever
    problems: list[Problem],
    place: str,
    hint: Hint | None = None,
) -> object:
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        return _read_struct(data, shape, problems, place, hint)
    arguments = typing.get_args(shape)
    match typing.get_origin(shape):
        case typing.Annotated:
            return _read(data, arguments[0], problems, place, arguments[1])
        case typing.Union | types.UnionType:
            return _read_union(data, arguments, problems, place, hint)
        case typing.Literal:
            return _read_choice(data, arguments, problems, place)
        case builtins.tuple:
            return _read_list(data, arguments[0], problems, place, hint)
        case builtins.dict:
            return _read_dict(data, arguments[1], problems, place, hint)
    if shape is object or _is_a(data, shape):
        return data
    return _wrong_type(problems, place, (shape,), data, hint)


def _wrong_type(
    problems: list[Problem], place: str, shapes: tuple[object, ...], data: object, hint: Hint | None
) -> _Misfit:
    # A whole number is a number.
    named = [shape for shape in shapes if not (shape is int and float in shapes)]
    expected = " or ".join(dict.fromkeys(_kind(shape) for shape in named))
    how = _unquoted(data, shapes) or (hint.text if hint else "") or _rewritten(data, shapes)
    return _misfit(problems, place, f"expected {expected}, got {_shown(data)}{how and '; '}{how}")


def _unquoted(data: object, shapes: tuple[object, ...]) -> str:
    if int in shapes and isinstance(data, str) and _WHOLE_NUMBER.fullmatch(data):
        return f"write {int(data)}, without quotes"
    if float in shapes and isinstance(data, str) and _NUMBER.fullmatch(data):
        return f"write {data.strip()}, without quotes"
    if bool in shapes and isinstance(data, str) and data.lower() in ("true", "false"):
        return f"write {data.lower()}, without quotes"
    return ""


def _rewritten(data: object, shapes: tuple[object, ...]) -> str:
    """How the same value is written so that it fits; empty where nobody can know what was meant."""
    if int in shapes and isinstance(data, float) and data.is_integer() and abs(data) < 2**53:
        return f"write {int(data)}, without a decimal point"
    if str in shapes and isinstance(data, int | float) and not isinstance(data, bool):
        return f'write "{data}", in quotes'
    items = [typing.get_args(shape)[0] for shape in shapes if typing.get_origin(shape) is tuple]
    if items and isinstance(data, str | int | float) and not set(str(data)) & set('[]"'):
        item = str(data) if items[0] is str and not isinstance(data, bool) else data
        if items[0] is object or (isinstance(items[0], type) and _is_a(item, items[0])):
            return f"write [{json.dumps(item, ensure_ascii=False)}], in brackets"
    return ""


def _is_a(data: object, shape: type) -> bool:
    # A boolean is an int in Python, but "decks = true" is a mistake.
    return isinstance(data, shape) and (shape is bool or not isinstance(data, bool))


@cache
def _keys_of(shape: type[msgspec.Struct]) -> tuple[dict[str, Any], dict[str, msgspec.structs.FieldInfo]]:
    """The types of a struct's fields by name, and its fields by their key in the file."""
    return typing.get_type_hints(shape, include_extras=True), {
        field.encode_name: field for field in msgspec.structs.fields(shape)
    }


def _read_struct(
    data: object, shape: type[msgspec.Struct], problems: list[Problem], place: str, hint: Hint | None
) -> object:
    if not isinstance(data, dict):
        return _wrong_type(problems, place, (shape,), data, hint)
    hints, fields = _keys_of(shape)
    good: dict[str, object] = {}
    for key, value in data.items():
        if key not in fields:
            near = get_close_matches(key, fields, n=1)
            known = f"did you mean {near[0]!r}?" if near else f"the keys here are {', '.join(fields)}"
            _misfit(problems, join_place(place, key), f"unknown key; {known}")
            continue
        name = fields[key].name
        read_value = _read(value, hints[name], problems, join_place(place, key))
        if read_value is not _MISFIT:
            good[name] = read_value
    incomplete = False
    for key, field in fields.items():
        if field.required and field.name not in good:
            incomplete = True
            if key not in data:
                _misfit(problems, join_place(place, key), f"is missing: write {key} = {_kind(hints[field.name])}")
    return _MISFIT if incomplete else shape(**good)


def _read_union(
    data: object, choices: tuple[Any, ...], problems: list[Problem], place: str, hint: Hint | None
) -> object:
    for choice in choices:
        container = typing.get_origin(choice) or choice
        if container is tuple:
            container = list
        elif isinstance(container, type) and issubclass(container, msgspec.Struct):
            container = dict
        if isinstance(container, type) and _is_a(data, container):
            return _read(data, choice, problems, place, hint)
    shapes = tuple(choice for choice in choices if choice is not types.NoneType)
    return _wrong_type(problems, place, shapes, data, hint)


def _read_choice(data: object, choices: tuple[object, ...], problems: list[Problem], place: str) -> object:
    if any(data == choice and type(data) is type(choice) for choice in choices):
        return data
    near = get_close_matches(data, [str(choice) for choice in choices], n=1) if isinstance(data, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    allowed = ", ".join(repr(choice) for choice in choices)
    return _misfit(problems, place, f"expected one of {allowed}, got {_shown(data)}{hint}")


def _read_list(data: object, item: object, problems: list[Problem], place: str, hint: Hint | None) -> object:
    if not isinstance(data, list):
        if isinstance(data, dict) and isinstance(item, type) and issubclass(item, msgspec.Struct):
            hint = hint or Hint(f"write [[{place}]], in two brackets, above each of them")
        return _wrong_type(problems, place, (tuple[item, ...],), data, hint)  # type: ignore[valid-type]  # of items of any type
    items = [_read(value, item, problems, f"{place}[{number}]") for number, value in enumerate(data, 1)]
    return _MISFIT if _MISFIT in items else tuple(items)


def _read_dict(data: object, item: object, problems: list[Problem], place: str, hint: Hint | None) -> object:
    if not isinstance(data, dict):
        return _wrong_type(problems, place, (dict,), data, hint)
    items: dict[str, object] = {}
    for key, value in data.items():
        name = _without_quotes(key, value, item)
        if name:
            items[key] = _misfit(problems, join_place(place, key), f'a name with a dot is in quotes: write "{name}"')
        else:
            items[key] = _read(value, item, problems, join_place(place, key))
    return _MISFIT if _MISFIT in items.values() else items


def _without_quotes(key: str, value: object, item: object) -> str:
    """The name with a dot, such as `base.tie`, that was written without quotes: TOML reads it as a table in a table."""
    if typing.get_origin(item) is typing.Annotated:
        item = typing.get_args(item)[0]
    if not isinstance(value, dict):
        return ""
    if isinstance(item, type) and issubclass(item, msgspec.Struct):
        known = _keys_of(item)[1]
        value = {name: each for name, each in value.items() if name not in known and isinstance(each, dict)}
    elif item is not str:
        return ""
    return f"{key}.{next(iter(value))}" if value else ""


def _misfit(problems: list[Problem], place: str, message: str) -> _Misfit:
    problems.append(Problem(place, message))
    return _MISFIT


def join_place(place: str, key: str) -> str:
    """Return the place of a key inside a table, as written in the file."""
    shown = key if key.replace("_", "").replace("-", "").isalnum() else f'"{key}"'
    return f"{place}.{shown}" if place else shown


def _kind(shape: object) -> str:
    names: dict[object, str] = {
        int: "a whole number",
        str: "a text in quotes",
        bool: "true or false",
        float: "a number",
        tuple: "a list",
        dict: "a table of keys",
    }
    if typing.get_origin(shape) is typing.Annotated:
        return _kind(typing.get_args(shape)[0])
    return names.get(typing.get_origin(shape) or shape, "a table of keys")


def _shown(data: object) -> str:
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, dict):
        return "a table of keys"
    if isinstance(data, list):
        return "a list"
    return repr(data) if isinstance(data, str) else str(data)
