"""How much of a Cortex-M0+ the shoe in C takes, beside its budgets: code, RAM, and the deepest that its calls stack.

The functions that the firmware provides, and what a compiler adds of its own (division, memcpy), are not counted.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.firmware_protocol.native.c_build import BLAKE2S, KIT, LINK, STRICT

COMPILER = ("arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", "-Os", "-ffreestanding")
MOST_CODE, MOST_RAM = 7 * 1024, 1536
"""Bytes. RAM is that beside the event store: the link and its stack."""

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = sum(_compiled(source, folder)[0] for source in (LINK, BLAKE2S))
        link = folder / "link.c"
        link.write_text(
            f'#include "{KIT}/shoe_link.h"\nextern struct shoe_link shoe;\nstruct shoe_link shoe;\n', "ascii"
        )
        ram = _compiled(link, folder)[1]
        stack = _deepest("".join(graph.read_text("utf-8") for graph in folder.glob("*.ci")))
    _tell("code and constants", code, MOST_CODE)
    _tell("struct shoe_link", ram, None)
    _tell("deepest stack", stack, None)
    _tell("RAM: both", ram + stack, MOST_RAM)


def _compiled(source: Path, folder: Path) -> tuple[int, int]:
    """Bytes of code with its constants, and of variables."""
    made = folder / f"{source.stem}.o"
    subprocess.run([*COMPILER, *STRICT, "-fcallgraph-info=su", "-c", str(source), "-o", str(made)], check=True)
    sizes = subprocess.run(["arm-none-eabi-size", str(made)], check=True, capture_output=True, text=True)  # noqa: S607 - Debian's own
    text, data, variables = map(int, sizes.stdout.splitlines()[1].split()[:3])
    return text + data, data + variables


def _deepest(graph: str) -> int:
    """Bytes on the stack when the deepest of all calls is reached; nothing here calls itself."""
    own = {name: int(size) for name, size in _NODE.findall(graph)}
    calls: dict[str, set[str]] = {}
    for caller, called in _EDGE.findall(graph):
        calls.setdefault(caller, set()).add(called)

    def below(name: str) -> int:
        return own.get(name, 0) + max(map(below, calls.get(name, ())), default=0)

    return max(map(below, own))


def _tell(what: str, size: int, most: int | None) -> None:
    budget = "" if most is None else f" of {most:,}{'' if size <= most else ': OVER THE BUDGET'}"
    sys.stdout.write(f"shoe in C on a Cortex-M0+, {what:20} {size:>6,} bytes{budget}\n")


if __name__ == "__main__":
    main()
