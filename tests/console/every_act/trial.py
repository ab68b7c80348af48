"""Acts done on the console with taps, in one language and at one size; every screen that is touched is read first.

An evening is a table with its console at which some acts are done one after another. Each act is a row: its name, and a
scenario that does it as `docs/operator.md` says, and asserts the fact that it leads to.
"""

import re
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Browser, expect

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import Fact, PersonActed
from tests.console.browser import Desk, desk_at
from tests.console.console_chain import CARDS, ConsoleAt, console_at
from tests.daemon.house_file import DEALER, PINS, TABLE
from tests.renew_documents import button_of
from tests.web.words import read

F = TypeVar("F", bound=Fact)

LANGUAGES = ("en", "zh-Hant", "zh-Hans")
SIZES = ((1280, 800), (1024, 600), (390, 844))

SHOWN = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest("body [lang]"))
  .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data)
    .concat(["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? "")))
  .filter((text) => text.trim())"""
"""All texts that a person sees or that are read out, but those that are marked as being in another language."""

CODE = re.compile(r"[a-z]+_[a-z_]+|[{}]|\b(?:undefined|null|NaN|true|false)\b|\[object|\b[a-z]+\.[a-z]+")
"""What no person should see: the name of a code, a place for a value, a value that is missing, the id of a wager."""

LATIN = re.compile(r"[A-Za-z]{2,}")
FILE = re.compile(r"\b[\w.]+\.rolled-back-\w+")
CARD = re.compile(r"[A2-9TJQK][SHDC]")
SAME_EVERYWHERE = {DEALER, *PINS, *TABLE.split("-"), TABLE}
"""Names, which nobody translates."""

ACT_BUTTON = re.compile(r"(?:act|do)-([a-z_]+)(?:-\w+)?")


@dataclass(frozen=True, slots=True)
class Combination:
    """What a run is done in."""

    language: str
    size: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.language} {self.size[0]}x{self.size[1]}"


class Trial:
    """A person at the console; `at` has the dealer's hands and a display that knows the truth."""

    def __init__(self, at: ConsoleAt, desk: Desk, combination: Combination) -> None:
        self.at = at
        self.desk = desk
        self.combination = combination
        self._act = ""
        self._screens = 0
        self._before = 0
        """The number of the newest event when the act was begun."""

    def begin(self, act: str) -> None:
        self._act, self._screens = act, 0
        self._before = self.at.display.newest

    # --- reading -----------------------------------------------------------------------------------------------------

    async def look(self) -> None:
        """Read the screen as it is: all of it fits, is in the person's language, and is words."""
        self._screens += 1
        await self.desk.fits(f"{self._act}-{self._screens:02}-{self.combination.language}")
        shown: list[str] = await self.desk.page.evaluate(SHOWN)
        texts = [FILE.sub("", text) for text in shown]
        if wrong := [text for text in texts if CODE.search(text)]:
            raise AssertionError(f"no words: {wrong} ({self._where})")
        if self.combination.language != "en" and (wrong := [text for text in texts if foreign(text)]):
            raise AssertionError(f"not translated: {wrong} ({self._where})")

    async def reads(self, place: str) -> None:
        """There is a text in that place, and the screen is as it should be."""
        await expect(self.desk.page.locator(place).first).not_to_be_empty()
        await self.look()

    async def is_refused(self) -> None:
        """The table refuses what was asked, and the page says why."""
        waiting = re.escape(read("console", self.combination.language)["asking"])
        message = self.desk.page.locator("dialog[open] .message, #door .message")
        await expect(message).to_have_text(re.compile(f"^(?!{waiting}).+"))
        await self.look()

    @property
    def _where(self) -> str:
        return f"{self._act}, screen {self._screens}, {self.combination}"

    # --- touching ----------------------------------------------------------------------------------------------------

    async def tap(self, *keys: str) -> None:
        for before, key in pairwise(("", *keys)):
            if before.startswith("tab-"):
                await self.desk.stays_open(before, key)
            await self._finds(key)
            await self.desk.tap(key)

    async def hold(self, key: str) -> None:
        await self._finds(key)
        await self.desk.hold(key)

    async def _finds(self, key: str) -> None:
        """The button is there, and the button of an act is named as the manual names it."""
        await expect(self.desk.at(key)).to_be_enabled()
        if act := ACT_BUTTON.fullmatch(key):
            await expect(self.desk.at(key)).to_contain_text(button_of(act[1], self.combination.language))
        await self.look()

    async def fill(self, key: str, text: str) -> None:
        await self.desk.at(key).fill(text)

    async def identify(self, person: str = "rana", pin: str | None = None) -> None:
        await expect(self.desk.at("pin")).to_be_visible()
        await self.look()
        await self.desk.identify(person, pin)

    async def is_done(self) -> None:
        await expect(self.desk.page.locator("dialog")).to_be_hidden()

    async def come_in(self) -> None:
        """The dealer signs in, in the language of this run."""
        await self.choose_language()
        await self.desk.come_in()

    async def choose_language(self) -> None:
        button = self.desk.at(f"language-{self.combination.language}")
        if await button.get_attribute("aria-pressed") == "false":
            await button.click()
        await expect(button).to_have_attribute("aria-pressed", "true")

    async def supervisor_mode(self) -> None:
        if await self.desk.at("tab-supervisor").count() == 0:
            await self.tap("mode")
            await self.identify()
            await expect(self.desk.at("tab-supervisor")).to_be_visible()

    async def supervise(self, act: str, *answers: str, reason: bool = True) -> None:
        """Choose an act of supervisor mode and answer its questions: the first reason that is offered, id and PIN."""
        await self.supervisor_mode()
        await self.tap("tab-supervisor", f"act-{act}", *answers)
        await self.give_reason_and_pin(reason=reason)

    async def give_reason_and_pin(self, *, reason: bool = True) -> None:
        if reason:
            await self.tap("reason-0")
        await self.identify()
        await self.is_done()

    async def clear_alert(self, kind: AlertKind) -> None:
        """A supervisor has looked, and clears the alert."""

        def number() -> int | None:
            alerts = () if self.at.display.state is None else self.at.display.state.alerts
            return next((alert.number for alert in alerts if alert.kind is kind), None)

        await self.at.display.until(number, what=kind.value)
        await self.tap("tab-alerts", f"clear-{number()}")
        await self.give_reason_and_pin()
        await self.at.display.until(lambda: number() is None, what=f"the end of {kind.value}")

    async def second_supervisor_approves(self, person: str = "shah") -> None:
        await self.tap("tab-alerts", "approve")
        await self.identify(person)
        await self.is_done()

    async def bet(self, seat: str, **stakes: str) -> None:
        await self.tap("tab-wagers", f"seat-{seat}")
        for wager, stake in stakes.items():
            await self.fill(wager.replace("_", ".", 1), stake)
        await self.tap("place")
        await self.is_done()

    # --- the truth ---------------------------------------------------------------------------------------------------

    def facts(self, kind: type[F]) -> list[F]:
        """Those since the act was begun."""
        return [fact for fact in self.at.display.facts_of(kind) if fact.seq > self._before]

    async def fact(self, kind: type[F], count: int = 1) -> F:
        """Wait for so many facts of a kind since the act was begun; the last of them."""
        await self.at.display.until(lambda: len(self.facts(kind)) >= count, what=f"{kind.__name__} after {self._act}")
        await self.at.display.is_up_to_date()
        return self.facts(kind)[-1]

    async def is_on_record(self, act: str) -> PersonActed:
        """Who did it is on the record."""

        def of_act() -> list[PersonActed]:
            return [fact for fact in self.facts(PersonActed) if fact.act.__struct_config__.tag == act]

        await self.at.display.until(of_act, what=f"{act} on the record")
        return of_act()[-1]


def foreign(text: str) -> set[str]:
    """The words of a text that are not Chinese, and not the same in every language."""
    return {word for word in LATIN.findall(CARD.sub("", text)) if word not in SAME_EVERYWHERE}


Scenario = Callable[[Trial], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Evening:
    """Acts that are done at one table, in this order."""

    acts: Mapping[str, Scenario]
    cards: str = CARDS
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of `console_at`."""


PART_OF_AN_ACT = {"approve", "withdraw"}
"""The record has them with the proposal."""

NOT_REACHED = "not reached"

Result = tuple[str, str | None]
"""An act, and why it failed."""


async def spend(evening: Evening, browser: Browser, folder: Path, combination: Combination) -> list[Result]:
    """Do the acts of an evening; after one that failed, those behind it are not reached."""
    results: list[Result] = []
    try:
        async with (
            console_at(folder, evening.cards, **evening.settings) as at,
            desk_at(browser, at.address, combination.size) as desk,
        ):
            trial = Trial(at, desk, combination)
            for act, scenario in evening.acts.items():
                trial.begin(act)
                await scenario(trial)
                if act not in PART_OF_AN_ACT:
                    await trial.is_on_record(act)
                results.append((act, None))
    except Exception as error:  # noqa: BLE001 - the table of results says it, and the other evenings go on
        # What goes wrong after the last act, such as an error in the page, is that act's.
        failed, *behind = list(evening.acts)[min(len(results), len(evening.acts) - 1) :]
        results = [done for done in results if done[0] != failed]
        results += [(failed, _failure(error)), *((act, NOT_REACHED) for act in behind)]
    return results


def _failure(error: Exception) -> str:
    """What went wrong, and on which line of the scenario."""
    here = Path(__file__)
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent == here.parent]
    own = [frame for frame in lines if Path(frame.filename) != here] or lines
    place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno}: {own[-1].line})" if own else ""
    return f"{type(error).__name__}: {error}{place}"
