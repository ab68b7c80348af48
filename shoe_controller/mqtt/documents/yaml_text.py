"""Writes plain values, and texts that can be printed, as YAML that people can read.

What could be misread is quoted as in JSON, which YAML takes.
"""

import json
import re
from collections.abc import Iterator

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:[ ./][A-Za-z0-9_-]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
"""Words that some YAML parser reads as something other than text."""


def yaml_text(value: object) -> str:
    return "\n".join(_lines(value)) + "\n"


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _entry(f"{_scalar(key)}:", item)
    elif isinstance(value, list) and value:
        for item in value:
            lines = list(_lines(item))
            yield f"- {lines[0]}"
            yield from (f"  {line}" for line in lines[1:])
    else:
        yield _scalar(value)


def _entry(key: str, item: object) -> Iterator[str]:
    if isinstance(item, dict | list) and item:
        yield key
        yield from (f"  {line}" for line in _lines(item))
    else:
        yield f"{key} {_scalar(item)}"


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
