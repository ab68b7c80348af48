"""Looks at a page: what is wrong with it as it is painted, and what axe-core objects to."""

import importlib.util
from pathlib import Path
from typing import Any

from playwright.async_api import Page, ViewportSize

LEAST = 12.0
"""Pixels of the smallest text."""

LEAST_DRAWN = 10.0
"""Of letters and numbers that are drawn inside the marks of a road."""

PHONE = 600
"""Pixels; a board may be scrolled on a screen that is narrower, where there is somebody to do it."""

MEASURE = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")


def axe_core() -> str:
    """The library; the distribution that brings it to Python is pinned, and axe-core with it."""
    found = importlib.util.find_spec("axe_playwright_python")
    assert found is not None, "axe-playwright-python is not installed: make .venv/ready"
    assert found.origin is not None
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


SETTLED = """async ([width, height]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (innerWidth !== width || innerHeight !== height) await frame();
  for (let count = 0; count < 3; count += 1) await frame();
}"""

AXE = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const why = (node) => node.failureSummary.split("\\n").slice(1).join(" ");
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${why(node)}`));
}"""


async def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the page this size, and wait until what follows the size has been drawn anew."""
    await page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    await page.evaluate(SETTLED, list(size))


async def misfits(page: Page, name: str) -> list[str]:
    """What is too small, cut, covered, outside the screen, or goes on without a hint."""
    size = page.viewport_size
    assert size is not None
    may_scroll = name.startswith("pit") or (name.startswith("board") and size["width"] < PHONE)
    options: dict[str, Any] = {"least": LEAST, "leastDrawn": LEAST_DRAWN, "mayScroll": may_scroll}
    found: list[str] = await page.evaluate(MEASURE, options)
    return found


async def violations(page: Page) -> list[str]:
    """What axe-core objects to, by all its rules."""
    if not await page.evaluate("() => 'axe' in globalThis"):
        await page.evaluate(axe_core())
    found: list[str] = await page.evaluate(AXE)
    return found
