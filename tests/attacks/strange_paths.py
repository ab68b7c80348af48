"""Paths that lead nowhere good, given to every command that takes one: each ends in a message and an exit code."""

import itertools
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from tests.attacks.attack import Attack
from tests.daemon.programs import COMMANDS

WITHIN = 60.0
"""Seconds; a command that takes longer hangs."""

ROOT = Path(__file__).parent.parent.parent
HAND = "9H 4D KS 2C"

LINES = (
    *("run @", "board @", "console @", "status @", "doctor @", "doctor table.toml --users @"),
    *("support-bundle @ --output NEW", "support-bundle table.toml --output @"),
    *(f"settle @ wagers.json {HAND}", f"settle table.toml @ {HAND}", "config check @", "config check --running @"),
    *("odds --catalogue @ --wager lucky_8", f"hand --catalogue @ {HAND}", "catalogue --catalogue @"),
    *("keys shoe --output @", "decode --wire angel_eye @", "decode --wire native --key @ wagers.json"),
    *("journal verify @", "journal recall @", "journal export @", "journal export @ --output NEW"),
    *("journal prune @ --older-than 1 --export-to NEW", "init @ --yes", "init NEW --yes --broker-folder @"),
    *("journal verify JOURNAL --key @", "journal verify JOURNAL --earlier @", "journal verify JOURNAL --witness @"),
    *("journal verify JOURNAL --export @", "journal prune JOURNAL --older-than 1 --export-to @", "witness @"),
    *("verifier @", "verifier JOURNAL --key @", "verifier JOURNAL --witness @", "verifier JOURNAL --export @"),
    *("hand @", "emulator @"),
    *("emulator --cards @", "emulator --scenario @", "emulator --key @ --wire native", "emulator play @"),
    *("emulator --headless --truth @ --cards no-such-file", "emulator record @ --cards no-such-file"),
)
"""`@` is the path, NEW one that does not exist, JOURNAL a journal."""

NAMES = {
    "symlink loop": b"loop",
    "pipe": b"pipe",
    "memory": b"/proc/self/mem",
    "zeros": b"/dev/zero",
    "folder": b"folder",
    "dotted": b"dotted.toml",
    "long number": b"number.toml",
    "long hexadecimal number": b"hexadecimal.toml",
    "not UTF-8": b"not-\xff-utf-8",
    "escapes": b"\x1b]0;title\x07\x1b[2J\xc2\x9b31m\xe2\x80\xae.toml",
    "two lines": b"one\ntwo",
}

CONTROLS = (b"\x1b", b"\x07", b"\xc2\x9b", b"\xe2\x80\xae")


def _prepare(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "dotted.toml").write_text(".".join(["a"] * 200_000) + " = 1\n")
    # The first line for tables, the second for scenarios; Python prints no number of more than 4,300 digits.
    for name, number in (("number", "9" * 5000), ("hexadecimal", "0x" + "f" * 5000)):
        (folder / f"{name}.toml").write_text(f"house = {number}\nseed = {number}\n")
    (folder / "wagers.json").write_text("[]")
    shutil.copyfile(ROOT / "docs" / "table.example.toml", folder / "table.toml")
    shutil.copyfile(ROOT / "tests" / "journal" / "old_files" / "25f84e2" / "pruned_shoe.journal", folder / "JOURNAL")


def _try(folder: Path, number: int, line: str, kind: str) -> None:
    _prepare(folder)
    words = [NAMES[kind] if word == "@" else word.replace("NEW", f"new-{number}").encode() for word in line.split()]
    program = COMMANDS / "shoe-controller"
    if words[0] == b"emulator":
        program, words = COMMANDS / "shoe-emulator", words[1:]
    elif words[0] == b"verifier":
        program, words = Path(sys.executable), [os.fsencode(ROOT / "tools" / "verify_journal.py"), *words[1:]]
    what = f"{program.name} {line} with {kind}"
    try:
        ended = subprocess.run(
            [os.fsencode(program), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=WITHIN,
        )
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{what} hangs") from None
    output = ended.stdout + ended.stderr
    assert b"Traceback" not in output, f"{what}: {output.decode(errors='replace')}"
    assert not any(mark in output for mark in CONTROLS), f"{what} wrote control characters: {output!r}"
    assert ended.returncode in (0, 1, 2, 3), f"{what}: exit code {ended.returncode}"
    assert output or ended.returncode == 0, f"{what} ended with {ended.returncode} and without a word"


def _run(folder: Path, tries: int) -> str:
    cases = list(itertools.product(LINES, NAMES))
    random.Random(16).shuffle(cases)  # noqa: S311 - a seed, no secret
    for number, (line, kind) in enumerate(cases[:tries]):
        inside = folder / str(number)
        inside.mkdir()
        _try(inside, number, line, kind)
        shutil.rmtree(inside)
    return f"{tries} command lines ended with a message and an exit code, without a traceback or a control character"


ATTACKS = (Attack("strange paths on the command line", _run, tries=len(LINES) * len(NAMES), sample=2),)
