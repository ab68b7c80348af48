"""The file of a witness, with the lines of `lines.py`."""

from collections.abc import Iterator
from pathlib import Path

from shoe_controller.process import lines_file as shared
from shoe_controller.process.lines_file import TornTail, Written
from shoe_controller.witness.lines import AnyLine, LineChain


def read_lines(path: Path, torn: TornTail) -> Iterator[Written[AnyLine]]:
    """All lines in order, each checked; `LinesFileError` at the first that is not as it was written."""
    return shared.read_lines(path, torn, LineChain())


class LinesFile(shared.LinesFile[AnyLine]):
    """The file, open for one witness alone."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, LineChain())
