"""One flipped bit in a journal: every program that opens it ends soon, and no changed record passes for a good one.

`python -m tests.attacks.flipped_bits JOURNAL FOLDER BIT...` is the process in which it is tried: one that
hangs or crashes can only be seen from outside. It prints each bit before it tries it.
"""

import asyncio
import contextlib
import io
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from shoe_controller import cli
from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import RunningConfig, for_running
from shoe_controller.daemon.assembly import open_table
from tests.attacks.attack import Attack
from tests.attacks.table_journal import NAME, SITE, table_journal
from tests.table_files import load, small_house

HEADER_BITS = 8 * 100
FIRST_KILOBYTE = 8 * 1024
HEADER = tuple(8 * byte + bit for byte, bit in ((18, 0), (19, 7), (28, 0), (28, 7), (47, 0), (63, 0), (71, 0)))
"""What the sample always tries: the versions and page count that SQLite acts on, and our own two numbers."""
PATIENCE = 60.0
"""Seconds for one flipped bit, in all that is tried with it; without the bound on pages it is many minutes."""

UNCOVERED = {"journal": {"created_ms"}, "position": {"published_seq", "link_state"}}
"""Columns that no chain covers: see `journal_edits.py`."""

Content = dict[str, list[tuple[object, ...]]]


def flip(folder: Path, tries: int) -> str:
    made = table_journal(folder)
    random_bits = random.Random(tries)  # noqa: S311 - the same bits every time
    size = 8 * made.path.stat().st_size
    types = _bits_of_types(made.path.read_bytes())
    bits = [*range(FIRST_KILOBYTE), *types] if tries > FIRST_KILOBYTE else [*HEADER, *types[:: len(types) // 4]]
    bits += [random_bits.randrange(size) for _ in range(tries - len(bits))]
    command = [sys.executable, "-m", "tests.attacks.flipped_bits", str(made.path), str(folder), *map(str, bits)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = _lines_until_it_hangs(process)
    assert process.returncode == 0, f"stopped with {process.returncode} at bit {lines[-1] if lines else None}"
    return lines[-1]


def _bits_of_types(data: bytes) -> list[int]:
    """The bits before the content of some rows: there SQLite keeps the row's number and the type of each column."""
    record = [found.start() for found in re.finditer(rb"event(card_dealt|round_result)", data)][-1]
    rows = (record, 20), (data.rindex(b'{"boot_id"'), 70), (data.index(b"north/t1"), 20), (data.rindex(b'{"event"'), 70)
    return [8 * byte + bit for end, count in rows for byte in range(end - count, end) for bit in range(8)]


def _lines_until_it_hangs(process: "subprocess.Popen[str]") -> list[str]:
    """What it printed; it is ended if one line takes too long."""
    assert process.stdout is not None

    async def read() -> list[str]:
        loop = asyncio.get_running_loop()
        lines: list[str] = []
        assert process.stdout is not None
        while line := await asyncio.wait_for(loop.run_in_executor(None, process.stdout.readline), PATIENCE):
            lines.append(line.rstrip("\n"))
            if len(lines) > 2:
                del lines[0]
        return lines

    try:
        return asyncio.run(read())
    except TimeoutError:
        process.kill()
        raise AssertionError("a flipped bit made a program hang") from None


def main(journal: Path, folder: Path, bits: list[int]) -> str:
    data = journal.read_bytes()
    content = _content(journal)
    outcomes: Counter[str] = Counter()
    config = for_running(load(folder, _settings(folder / "at_table" / "table.journal")))
    for bit in bits:
        print(bit, flush=True)  # noqa: T201 - read by the process that started this one
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        outcomes[_try_all(config, bytes(flipped), content, every_command=bit < HEADER_BITS or bit % 4 == 0)] += 1
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{len(bits)} bits: {told}"


def _settings(journal: Path) -> dict[str, object]:
    return small_house() | {
        "table": {"site": SITE, "name": NAME},
        "shoe": {"wire": "angel_eye", "port": "/dev/ttyUSB0"},
        "journal": {"file": str(journal), "anchor": str(journal.with_suffix(".anchor"))},
    }


def _try_all(config: RunningConfig, flipped: bytes, content: Content, *, every_command: bool) -> str:
    at_table = config.journal.file
    _put(at_table, flipped)
    started = asyncio.run(_started(config))
    if started == "set aside":
        aside = [file for file in at_table.parent.glob("*.damaged-*") if file.read_bytes() == flipped]
        assert len(aside) == 1, "what was set aside is not the damaged file"
    others = (["recall", "3"], ["export"], ["prune", "--older-than", "1", "--export-to", str(at_table.parent)])
    for action in others if every_command else ():
        _put(at_table, flipped)
        code, said = _command(action[0], at_table, *action[1:])
        assert code in {0, 1}, f"{action[0]} ended with {code}: {said}"
    _put(at_table, flipped)
    code, said = _command("verify", at_table)
    assert code in {0, 1}, f"verify ended with {code}: {said}"
    if code == 0:
        assert started == "whole", f"verify calls whole what the start set aside: {said}"
        assert _content(at_table) == content, "verify calls a changed journal whole"
        return "whole"
    return "set aside at the start" if started == "set aside" else "found by verify"


def _put(path: Path, data: bytes) -> None:
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir()
    path.write_bytes(data)


async def _started(config: RunningConfig) -> str:
    """As the controller starts, up to the point where it would connect."""
    opened = open_table(config, SystemClock())
    opened.reader.close()
    opened.writer.close()
    return "set aside" if opened.damaged else "whole"


def _command(action: str, *arguments: str | Path) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+") as out, contextlib.redirect_stdout(out):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            code = cli.main(["journal", action, *map(str, arguments)])
        out.seek(0)
        return code, f"{out.read(500)} {err.getvalue()[-500:]}"


def _content(path: Path) -> Content:
    """Every row, without the columns that no chain covers."""
    content: Content = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        for name in ("journal", "record", "position", "tombstone"):
            rows = database.execute(f"SELECT * FROM {name} ORDER BY 1")  # noqa: S608 - the names above
            covered = [not (name in UNCOVERED and column[0] in UNCOVERED[name]) for column in rows.description]
            content[name] = [tuple(value for value, wanted in zip(row, covered, strict=True) if wanted) for row in rows]
    return content


ATTACKS = (Attack("one flipped bit in the journal", flip, tries=FIRST_KILOBYTE + 2400, sample=len(HEADER) + 5),)


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2]), [int(bit) for bit in sys.argv[3:]]), flush=True)  # noqa: T201 - the result
