"""The example configuration as a template: its sections with their comments, and values in place of the example's.

So a file that `init` writes explains every key, and they are explained in one place.
"""

import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path

NAME = "table.example.toml"
_HEADER = re.compile(r"\[\[?([a-z_.]+)\]\]?$")


def example_text() -> str:
    """Return the example, as installed or from the source tree."""
    here = Path(__file__).parent
    for file in (here / NAME, here.parents[1] / "docs" / NAME):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{NAME} is missing: install the program again")


class Section:
    """One section's lines, from the comment above its header to the comment above the next."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.name = name
        self.lines = lines

    def put(self, key: str, value: object) -> None:
        """Set a key, whether the example has it as a key or as a comment."""
        self._replace(key, f"{as_key(key)} = {as_toml(value)}")

    def leave_out(self, *keys: str) -> None:
        """Turn keys into comments, so that their defaults apply."""
        for key in keys:
            line = self.lines[self._find(key)]
            if not line.startswith("#"):
                self._replace(key, f"# {line}")

    def _replace(self, key: str, line: str) -> None:
        self.lines[self._find(key)] = line

    def _find(self, key: str) -> int:
        # A value counts before a comment that shows one.
        for prefix in ("", "# "):
            for number, line in enumerate(self.lines):
                if line.startswith((f"{prefix}{key} =", f'{prefix}"{key}" =')):
                    return number
        raise KeyError(f"the example has no key {key} in [{self.name}]")


class Template:
    def __init__(self, text: str) -> None:
        self._sections = [Section(name, lines) for name, lines in _split(text.splitlines())]

    def section(self, name: str) -> Section:
        return next(section for section in self._sections if section.name == name)

    def text(self, *names: str) -> str:
        """Return these sections with their subsections, in the order of the example."""
        wanted = [each for each in self._sections if each.name.partition(".")[0] in names]
        return "\n".join("\n".join(each.lines).strip("\n") + "\n" for each in wanted)


def _split(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Split before the comment directly above each header."""
    starts = []
    for number, line in enumerate(lines):
        match = _HEADER.match(line)
        if match is not None:
            start = number
            while start > 0 and lines[start - 1].startswith("#"):
                start -= 1
            starts.append((start, match[1]))
    for (start, name), (end, _) in zip(starts, [*starts[1:], (len(lines), "")], strict=True):
        yield name, lines[start:end]


def as_toml(value: object) -> str:
    """Format a plain value as TOML, on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case list() | tuple():
            return f"[{', '.join(map(as_toml, value))}]"
        case dict():
            return f"{{ {', '.join(f'{as_key(str(key))} = {as_toml(each)}' for key, each in value.items())} }}"
        case _:
            return _quoted(str(value))


def as_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    # JSON strings are TOML strings, except for one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
