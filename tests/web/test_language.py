"""Pages and the command line make the same words from the same codes: every code, in every language, in Chromium."""

from collections.abc import Iterator
from enum import Enum
from itertools import cycle, islice
from typing import Any, get_args, get_origin

import msgspec
import pytest
from playwright.async_api import Route

from shoe_controller.baccarat.codes import Code
from shoe_controller.messages.codes import FAMILIES, codes_of
from shoe_controller.messages.details import DealtSign
from shoe_controller.messages.pit import SuggestedAct
from shoe_controller.web.static_files import SHARED, TABLE_WORDS
from shoe_controller.words.render import Words
from tests.board.room import chromium
from tests.web.words import TAGS

ADDRESS = "http://words.test/"

NUMBERS = (1, 2, 0, -7, 5, 1050, 100_000, 12_345_678_901)
TEXTS = ("x", "", "{hand}", "$& \\1 座位")
LISTS: dict[type, tuple[object, ...]] = {
    str: (("1",), ("1", "2", "3"), ()),
    int: ((1,), (1, 2, 3), ()),
    DealtSign: (tuple(DealtSign), (DealtSign.ANCHOR,), ()),
    SuggestedAct: (tuple(SuggestedAct), ()),
}
SIMPLE: dict[Any, tuple[object, ...]] = {
    int: NUMBERS,
    str: TEXTS,
    bool: (True, False),
    float: (0.0634, -0.5),
    type(None): (None,),
}
DECIMALS = (0, 2, 3)

RENDER = """async ([address, language, cases]) => {
  const { rendered } = await import(`${address}files/language.js`);
  const table = await (await fetch(`${address}files/table.${language}.json`)).json();
  return cases.map(([family, code, decimals]) => rendered(table, family, code, decimals));
}"""


def samples(annotation: Any) -> tuple[object, ...]:  # noqa: ANN401 - a type
    """Values that a field of this type may have."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Code):
        return tuple(islice(made(annotation), 1))
    if get_origin(annotation) is tuple:
        return LISTS[get_args(annotation)[0]]
    return tuple(value for each in get_args(annotation) for value in samples(each))


def made(code: type[Code]) -> Iterator[Code]:
    """Enough of this code that every sample of every field occurs."""
    fields = {field.name: samples(field.type) for field in msgspec.structs.fields(code)}
    most = max((len(values) for values in fields.values()), default=1)
    rows = zip(*(islice(cycle(values), most) for values in fields.values()), strict=True) if fields else [()]
    for row in rows:
        yield code(**dict(zip(fields, row, strict=True)))


CASES = [
    (family, code, decimals)
    for family in FAMILIES
    for struct in codes_of(family).values()
    for code in made(struct)
    for decimals in DECIMALS
]


async def serve(route: Route) -> None:
    name = route.request.url.rpartition("/")[2]
    if not name:
        await route.fulfill(body="<!doctype html>", content_type="text/html")
        return
    folder, kind = (TABLE_WORDS, "application/json") if name.endswith(".json") else (SHARED, "text/javascript")
    await route.fulfill(body=(folder / name).read_text(encoding="utf-8"), content_type=f"{kind}; charset=utf-8")


@pytest.mark.asyncio
async def test_pages_and_python_render_every_code_alike() -> None:
    async with chromium() as browser:
        page = await browser.new_page()
        await page.route(f"{ADDRESS}**", serve)
        await page.goto(ADDRESS)
        cases = [(family, msgspec.to_builtins(code), decimals) for family, code, decimals in CASES]
        for tag in TAGS:
            by_page = await page.evaluate(RENDER, [ADDRESS, tag, cases])
            by_python = [Words(tag, decimals=decimals).of(code) for _, code, decimals in CASES]
            different = [
                (code, page_text, python_text)
                for (_, code, _), page_text, python_text in zip(CASES, by_page, by_python, strict=True)
                if page_text != python_text
            ]
            assert different == [], tag
