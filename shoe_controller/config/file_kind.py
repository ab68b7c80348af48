"""Which program a configuration file is for: only a table has rules, a shoe, people and a journal."""

from enum import Enum
from pathlib import Path

from shoe_controller.config.strict_reading import BadFileError, parse_toml, read_text


class FileKind(Enum):
    """Named as the command that takes the file."""

    TABLE = "run"
    BOARD = "board"
    CONSOLE = "console"
    WITNESS = "witness"
    PIT = "pit"
    ARCHIVE = "archive"


_OF_TABLE = frozenset({"house", "procedure", "shoe", "people", "journal"})
_OTHERS = (FileKind.BOARD, FileKind.CONSOLE, FileKind.WITNESS, FileKind.PIT, FileKind.ARCHIVE)


def kind_of(file: Path, text: str | None = None) -> FileKind:
    """What the sections of a file say, or of a text for it.

    A table's where nothing can be read, so that reading it reports why.
    """
    try:
        sections = parse_toml(str(file), read_text(file) if text is None else text).keys()
    except BadFileError:
        return FileKind.TABLE
    if sections & _OF_TABLE:
        return FileKind.TABLE
    return next((kind for kind in _OTHERS if kind.value in sections), FileKind.TABLE)
