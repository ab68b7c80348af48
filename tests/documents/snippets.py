"""Finds every block and every command of every document. Reads files and nothing else."""

import re
import shlex
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

DOCUMENTS = tuple(
    str(file.relative_to(ROOT))
    for pattern in ("*.md", "docs/*.md", "firmware_protocol/*/*.md", "deploy/**/*.md", "tests/recordings/*.md")
    for file in sorted(ROOT.glob(pattern))
)

PROGRAMS = (
    "make",
    "shoe-controller",
    "shoe-emulator",
    "shoe-conformance",
    "sudo",
    "mosquitto_sub",
    "mosquitto_pub",
    "mosquitto_rr",
    "python",
)
"""An indented block that begins with one of these holds commands."""

INDENTED = "indented"
SHELL = "sh"

_FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)(?:(?: {4}.*)?\n)*")
_LIST = re.compile(r"^ *(?:[-*]|\d+\.) ", re.MULTILINE)


class Snippet(NamedTuple):
    document: str
    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The commands of a block for the shell, without comments that stand alone."""
        return [line for line in self.text.splitlines() if shlex.split(line, comments=True)]

    def __str__(self) -> str:
        return f"{self.document}: {self.text.splitlines()[0]}"


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def prose_of(document: str) -> str:
    """The document without its fenced blocks."""
    return _FENCED.sub("", text_of(document))


def snippets_of(document: str) -> list[Snippet]:
    fenced = [Snippet(document, language, dedent(text)) for _, language, text in _FENCED.findall(text_of(document))]
    return fenced + [_indented(document, dedent(text).strip("\n")) for text in _INDENTED.findall(prose_of(document))]


def _indented(document: str, text: str) -> Snippet:
    return Snippet(document, SHELL if text.split(maxsplit=1)[0] in PROGRAMS else INDENTED, text)


def every_snippet() -> list[Snippet]:
    return [snippet for document in DOCUMENTS for snippet in snippets_of(document)]


def inline_code(document: str) -> list[str]:
    """Everything that stands in `this type`."""
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose_of(document))]
