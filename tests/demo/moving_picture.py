"""`make moving-picture`: records a real run of `make demo FAULTS=1` in a terminal, as docs/pictures/demo.gif.

    python -m tests.demo.moving_picture            # the picture of the documents
    python -m tests.demo.moving_picture FOLDER     # and each of its frames there, to be looked at

The picture has the beginning of the run as it was, then the end of the report; the clock above them says when that was.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from tests.demo.terminal_picture import FONTS, TerminalPicture
from tests.demo.watched_demo import YES, Folder

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "demo.gif"
COLUMNS, ROWS = 104, 30
SPEED = 10
COMMAND = f"$ make demo FAULTS=1 SPEED={SPEED}"
LONGEST_RUN = 1800.0
SHOWN = 40.0
"""Seconds of the run that are shown as they were."""
SHORTEST_FRAME = 0.2
"""Seconds; what is drawn meanwhile is seen in the frame behind it."""
REPORT_STANDS = 8.0
LARGEST = 2_000_000
"""Bytes."""


class Frame(NamedTuple):
    at: float
    """Seconds since the command was typed."""
    lines: list[Text]


class Recording(NamedTuple):
    frames: list[Frame]
    report: Frame


async def record() -> Recording:
    """Let the demonstration run to its end, and take every picture that it draws."""
    with tempfile.TemporaryDirectory() as scratch:
        demo = Folder(Path(scratch)).demo("--faults", "--speed", str(SPEED))
        try:
            began = time.monotonic()
            await demo.start(COLUMNS, ROWS)
            if await demo.ended(within=LONGEST_RUN) or YES not in demo.report:
                raise SystemExit(f"The demonstration does not say yes:\n{demo.report}")
            drawn = [Frame(at - began, _as_lines(picture)) for at, picture in demo.drawn]
            frames = [frame for frame in drawn if any(line.plain.strip() for line in frame.lines)]
            report = [row for line in _as_lines(demo.report.strip("\r\n")) for row in _rows(line)]
            return Recording(frames, Frame(frames[-1].at, report[-ROWS:]))
        finally:
            await demo.kill()


def _as_lines(picture: str) -> list[Text]:
    return [Text.from_ansi(line) for line in picture.replace("\r", "").split("\n")]


def _rows(line: Text) -> Iterable[Text]:
    """A line as a terminal breaks it."""
    return line.divide(range(COLUMNS, len(line), COLUMNS))


def shown(recording: Recording) -> Iterator[tuple[Frame, float]]:
    """The frames of the picture, each with how long it stands, in seconds."""
    chosen: list[Frame] = []
    end = recording.frames[0].at + SHOWN
    for frame in recording.frames:
        if frame.at > end:
            break
        if not chosen or (frame.at - chosen[-1].at >= SHORTEST_FRAME and frame.lines != chosen[-1].lines):
            chosen.append(frame)
    for frame, following in pairwise([*chosen, Frame(end, [])]):
        yield frame, following.at - frame.at
    yield recording.report, REPORT_STANDS


def with_command(frame: Frame) -> list[Text]:
    """A frame below the command that was typed, with the clock of the run."""
    minutes, seconds = divmod(int(frame.at), 60)
    clock = f"{minutes}:{seconds:02}"
    above = Text(COMMAND, Style(bold=True)).append(clock.rjust(COLUMNS - len(COMMAND)), "not bold dim")
    return [above, Text(), *frame.lines][: ROWS + 2]


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the moving picture of the documents from a real run.")
    parser.add_argument("folder", type=Path, nargs="?", help="where each frame is put, to be looked at")
    folder = parser.parse_args().folder
    if not FONTS.exists():
        raise SystemExit("The letters are missing: sudo apt install fonts-dejavu-core")
    recording = asyncio.run(record())
    picture = TerminalPicture(COLUMNS, ROWS + 2)
    for frame, stands in shown(recording):
        picture.add(with_command(frame), stands)
    picture.save(PICTURE)
    if folder is not None:
        picture.save_frames(folder)
    size = PICTURE.stat().st_size
    sys.stdout.write(f"{PICTURE}: {picture.frames} frames, {picture.seconds:.0f} s, {size / 1e6:.2f} MB\n")
    return 0 if size <= LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
