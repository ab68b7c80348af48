"""`make another-python`: whether every locked library has a wheel for a Python that the lock is not for.

    python deploy/another_python.py 3.14

Asks pip for each library in the version of `dependencies.lock`, for each architecture, and prints a table. Exit code 1
says that at least one is missing: there the program could be installed only with a compiler. Nothing is installed.
"""
# ruff: noqa: INP001 - a stand-alone program, not part of a package

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from build_deb import LOCK, PIP, PLATFORMS, wheels_for

LOCKED_VERSION = re.compile(r"^[a-z0-9-]+==\S+", re.MULTILINE)
NONE = "none"


def main() -> int:
    if len(sys.argv) != 2 or not re.fullmatch(r"3\.\d+", sys.argv[1]):
        sys.stderr.write("Name a version of Python: make another-python PYTHON_VERSION=3.14\n")
        return 2
    python = sys.argv[1]
    libraries = LOCKED_VERSION.findall(LOCK.read_text(encoding="utf-8"))
    found = ((library, *(wheel_of(library, python, arch) for arch in PLATFORMS)) for library in libraries)
    rows = [("library", *PLATFORMS), *found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        sys.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")
    missing = [row[0] for row in rows if NONE in row]
    sys.stdout.write(
        f"\nWithout a wheel for Python {python}: {', '.join(missing)}\n"
        if missing
        else f"\nEvery library has a wheel for Python {python}.\n"
    )
    return 1 if missing else 0


def wheel_of(library: str, python: str, arch: str) -> str:
    """The file that pip would install, by the part of its name that says for what; or that there is none."""
    with tempfile.TemporaryDirectory(prefix="shoe-wheel-") as folder:
        words = [*PIP, "download", "--no-deps", "--dest", folder, *wheels_for(python, arch), library]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        found = [file.stem.split("-")[2:] for file in Path(folder).glob("*.whl")]
    if done.returncode and "No matching distribution" not in done.stderr:
        raise SystemExit(f"pip could not look for {library}:\n{done.stderr}")
    return "-".join(tags.rpartition(".")[2] for tags in found[0]) if found else NONE


if __name__ == "__main__":
    sys.exit(main())
