"""Compiles what the tests need of `firmware_protocol/c`, once for each state of its sources, into `build/c`."""

import hashlib
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[3]
KIT = ROOT / "firmware_protocol" / "c"
LINK, BLAKE2S, HOST = KIT / "shoe_link.c", KIT / "blake2s.c", KIT / "host" / "shoe.c"
FOLDER = ROOT / "build" / "c"

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
SANITIZERS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Memory out of bounds and what the language leaves undefined end the program with a message."""


def compiled(
    name: str,
    sources: tuple[Path, ...],
    options: tuple[str, ...],
    *,
    compiler: str = "cc",
    last: tuple[str, ...] = (),
) -> Path:
    """The program or library of this name; it is compiled only if its sources have changed. `last` follows them."""
    command = [compiler, *STRICT, *options, *last]
    read = [*sources, *sorted(KIT.rglob("*.[ch]"))]
    state = hashlib.sha256("\0".join(command).encode() + b"".join(source.read_bytes() for source in read)).hexdigest()
    made = FOLDER / f"{name}-{state[:16]}"
    if made.exists():
        return made
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Several workers may come here at once; each has a file of its own until it is whole.
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        fresh = Path(folder) / name
        subprocess.run([compiler, *STRICT, *options, *map(str, sources), *last, "-o", str(fresh)], check=True)
        fresh.replace(made)
    return made


def host_program() -> Path:
    """The shoe as a program, under both sanitizers."""
    return compiled("shoe", (HOST, LINK, BLAKE2S), SANITIZERS)
