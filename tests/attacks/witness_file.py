"""Changes of a witness's file by somebody who can write it, against the last line that was published."""

import random
from hashlib import sha256
from pathlib import Path

from shoe_controller.process.lines_file import LinesFileError
from shoe_controller.witness.lines import ControllerSeen, HeadSeen
from shoe_controller.witness.lines_file import LinesFile
from tests.attacks.attack import Attack

LINES = 40


def _changed(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """A bit flipped, a line removed, doubled or swapped with another, or the end cut off."""
    at = chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            place, text = chance.randrange(len(lines[at])), bytearray(lines[at])
            text[place] ^= 1 << chance.randrange(8)
            return [*lines[:at], bytes(text), *lines[at + 1 :]]
        case 1:
            return [*lines[:at], *lines[at + 1 :]]
        case 2:
            return [*lines[: at + 1], *lines[at:]]
        case 3:
            return [*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]]
    return lines[:at]


def _change_the_file(folder: Path, tries: int) -> str:
    """Every change is refused at the next start, or lacks the line that was published."""
    path = folder / "north.witness"
    file = LinesFile(path)
    list(file.restored())
    file.start("1", 0, 1)
    for number in range(0, LINES, 2):
        file.add(ControllerSeen(table="t1", journal="4f2a", start=f"s{number}", session=number), number)
        head = f"{number}:{sha256(bytes([number])).hexdigest()}"
        file.add(HeadSeen(table="t1", journal="4f2a", session=number, head=head), number + 1)
    published = file.last
    file.close()
    assert published is not None
    lines = path.read_bytes().splitlines(keepends=True)
    chance = random.Random(1)  # noqa: S311 - which change is tried, not a secret
    refused = lacking = 0
    for _ in range(tries):
        changed = _changed(lines, chance)
        if changed == lines:
            continue
        path.write_bytes(b"".join(changed))
        again = LinesFile(path)
        try:
            list(again.restored())
            assert again.lacks(published.line.line, published.hash), "a change that nobody would notice"
            lacking += 1
        except LinesFileError:
            refused += 1
        finally:
            again.close()
    return f"{refused} changed files refused, {lacking} without the line that was published"


ATTACKS = (Attack("the witness's own file changed or cut", _change_the_file, tries=20_000, sample=200),)
