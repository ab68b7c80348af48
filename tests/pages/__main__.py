"""`python -m tests.pages`: every page in its main states, in each language, look and size, looked at in Chromium.

Ends with what is wrong; the exit code is 1 if anything is. With a folder in the environment as PAGE_PICTURES, a picture
of each is kept in it.
"""

# ruff: noqa: T201 - reports to the terminal

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from playwright.async_api import Browser

from shoe_controller.web.static_files import LANGUAGES
from tests.console.browser import chromium
from tests.pages.gallery import SIZES, Scene, gallery
from tests.pages.looking import misfits, resize, violations

Found = dict[str, list[str]]
"""By scene, look, language and size: what is wrong."""


async def look_at(browser: Browser, scene: Scene, tag: str, look: str, sizes: Sequence[tuple[int, int]]) -> Found:
    found: Found = {}
    context = await browser.new_context()
    try:
        page = await scene.open(context, tag, look)
        for width, height in sizes:
            await resize(page, (width, height))
            name = "-".join(filter(None, [scene.name, look, tag, f"{width}x{height}"]))
            found[name] = [*await misfits(page, scene.name), *await violations(page)]
            if folder := os.environ.get("PAGE_PICTURES"):
                await page.screenshot(path=f"{folder}/{name}.png")
    except Exception as error:  # noqa: BLE001 - the others are looked at all the same
        found[f"{scene.name}-{look}-{tag}"] = [f"{type(error).__name__}: {error}"]
    finally:
        await context.close()
    return found


async def look_at_all(only: str, tags: Sequence[str], sizes: Sequence[tuple[int, int]], at_once: int) -> Found:
    found: Found = {}
    turn = asyncio.Semaphore(at_once)

    async def one(browser: Browser, scene: Scene, tag: str, look: str) -> None:
        async with turn:
            looked = await look_at(browser, scene, tag, look, sizes)
        found.update(looked)
        for name, wrong in looked.items():
            print(name, "passed" if not wrong else "FAILED", *wrong, sep="\n    " if wrong else "  ", flush=True)

    async with gallery(lambda name: only in name) as scenes, chromium() as browser, asyncio.TaskGroup() as group:
        for scene in scenes:
            for tag in tags:
                for look in scene.looks:
                    group.create_task(one(browser, scene, tag, look))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    parser.add_argument("--scene", default="", help="only scenes with this in their names, such as board-nepal")
    parser.add_argument("--language", choices=LANGUAGES.values(), help="only this language")
    parser.add_argument("--width", type=int, choices=[width for width, _ in SIZES], help="only this size")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="pages at the same time")
    given = parser.parse_args()
    tags = [tag for tag in LANGUAGES.values() if given.language in (None, tag)]
    sizes = [size for size in SIZES if given.width in (None, size[0])]
    found = asyncio.run(look_at_all(given.scene, tags, sizes, given.at_once))
    failed = {name: wrong for name, wrong in found.items() if wrong}
    for name, wrong in sorted(failed.items()):
        print(f"{name}:", *wrong, sep="\n    ")
    print(f"\n{len(found)} pages looked at, {len(failed)} with something wrong")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
