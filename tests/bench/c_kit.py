"""How much of a Cortex-M0+ the shoe in C takes, beside its budgets: code, RAM, and the deepest that its calls stack.

The functions that the firmware provides, and what a compiler adds of its own (division, memcpy), are not counted. The
figures are written into the pages that name them, so that these cannot differ.
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

CODE, LINK_RAM, STACK = "code and constants", "struct shoe_link", "deepest stack"
PAGES = {
    KIT / "README.md": {
        "code and constants": CODE,
        "RAM: `struct shoe_link`": LINK_RAM,
        "RAM: the deepest of its calls on the stack, your own functions aside": STACK,
    },
    KIT.with_name("native") / "PROTOCOL.md": {
        "code and constants, BLAKE2s included": CODE,
        "RAM: the link with both buffers": LINK_RAM,
        "RAM: stack below its deepest call": STACK,
    },
}
"""Rows of tables, and which figure each has."""

_NODE = re.compile(r'node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes')
_EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def main() -> None:
    figures = measured()
    _tell(CODE, figures[CODE], MOST_CODE)
    _tell(LINK_RAM, figures[LINK_RAM], None)
    _tell(STACK, figures[STACK], None)
    _tell("RAM: both", figures[LINK_RAM] + figures[STACK], MOST_RAM)
    for page, rows in PAGES.items():
        text = page.read_text("utf-8")
        page.write_text(with_figures(text, {row: figures[name] for row, name in rows.items()}), "utf-8")


def measured() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = sum(_compiled(source, folder)[0] for source in (LINK, BLAKE2S))
        link = folder / "link.c"
        link.write_text(
            f'#include "{KIT}/shoe_link.h"\nextern struct shoe_link shoe;\nstruct shoe_link shoe;\n', "ascii"
        )
        ram = _compiled(link, folder)[1]
        stack = _deepest("".join(graph.read_text("utf-8") for graph in folder.glob("*.ci")))
    return {CODE: code, LINK_RAM: ram, STACK: stack}


def with_figures(text: str, figures: dict[str, int]) -> str:
    """A page with these figures in its rows."""
    for row, figure in figures.items():
        text = _figure(row).sub(rf"\g<1>{figure:,}", text)
    return text


def figures_of(text: str, rows: dict[str, str]) -> dict[str, int]:
    """What a page says now."""
    found = {name: _figure(row).findall(text) for row, name in rows.items()}
    return {name: int(figure.replace(",", "")) for name, ((_, figure),) in found.items()}


def _figure(row: str) -> re.Pattern[str]:
    return re.compile(rf"^(\| {re.escape(row)} \| )([\d,]+)", re.MULTILINE)


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
