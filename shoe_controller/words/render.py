"""Turns a code with its values into a sentence, by a table of words. Pages do the same in `web/static/language.js`.

A text may have placeholders: `{number}` is a value of the code; `{hand|hands}` looks the value up in a section of the
table, `{kind|alerts.to_do}` in a part of it; `{stake|amount}` is an amount of money. Where the grammar depends on a
number, the entry is an object: `by` names the value, `one` and `other` are the texts.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from shoe_controller.baccarat.codes import Code
from shoe_controller.messages.alerts import AlertKind, AlertMessage
from shoe_controller.messages.causes import DiscardCause, ReturnCause
from shoe_controller.messages.codes import family_of
from shoe_controller.messages.prompts import AnyPrompt, ConfirmResult, DrawCard

LANGUAGES = ("en", "zh-Hans", "zh-Hant")

PLACEHOLDER = re.compile(r"\{(\w+)(?:\|([\w.]+))?\}")

AMOUNT = "amount"
"""Stands in a placeholder where others name a section of the table."""


@cache
def table_of(language: str) -> dict[str, Any]:
    """The table of words in a language."""
    file = resources.files("shoe_controller.messages") / "words" / f"table.{language}.json"
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


class Words:
    """What people read, in one language. `decimals` are those of the table's currency."""

    def __init__(self, language: str = "en", *, decimals: int = 2) -> None:
        self._table = table_of(language)
        self._decimals = decimals

    def of(self, code: Code) -> str:
        """A code in words."""
        values: dict[str, Any] = msgspec.to_builtins(code)
        return self._filled(self._table[family_of(code)][code.code], values)

    def detail(self, alert: AlertMessage) -> str:
        """What exactly is wrong, and how it can be put right; empty where the kind says it all."""
        what = "" if alert.detail is None else self.of(alert.detail).strip()
        remedy = "" if alert.remedy is None else str(self._table["remedies"][alert.remedy])
        return str(self._table["detail_separator"]).join(filter(None, (what, remedy)))

    def prompt(self, prompt: AnyPrompt) -> str:
        """What comes next and, where there is one, the reason."""
        why = prompt.why if isinstance(prompt, DrawCard | ConfirmResult) else None
        return self.of(prompt) if why is None else f"{self.of(prompt)} {self.of(why)}."

    def happened(self, kind: AlertKind) -> str:
        return str(self._table["alerts"][kind]["happened"])

    def to_do(self, kind: AlertKind) -> str:
        return str(self._table["alerts"][kind]["to_do"])

    def ends(self, kind: AlertKind) -> str:
        """When it ends by itself; empty if it does not."""
        return str(self._table["alerts"][kind].get("ends", ""))

    def return_cause(self, cause: ReturnCause) -> str:
        return str(self._table["return_causes"][cause])

    def discard_cause(self, cause: DiscardCause) -> str:
        return str(self._table["discard_causes"][cause])

    def amount(self, minor: int) -> str:
        """Minor units as people write them: with two decimals, 1050 is 10.50 and 100000 is 1,000."""
        whole, rest = divmod(abs(minor), 10**self._decimals)
        return f"{'-' if minor < 0 else ''}{whole:,}{f'.{rest:0{self._decimals}}' if rest else ''}"

    def _filled(self, entry: str | Mapping[str, str], values: Mapping[str, Any]) -> str:
        if isinstance(entry, Mapping):
            entry = entry["one" if values[entry["by"]] == 1 else "other"]
        return PLACEHOLDER.sub(lambda found: self._value(values.get(found[1]), found[2]), entry)

    def _value(self, value: object, section: str | None) -> str:
        if value is None:
            return ""
        if isinstance(value, Sequence) and not isinstance(value, str):
            return str(self._table["list_separator"]).join(self._value(one, section) for one in value)
        if section is None:
            return str(value)
        if section == AMOUNT:
            return self.amount(int(str(value)))
        name, _, part = section.partition(".")
        found = self._table[name][value]
        return str(found[part] if part else found)


ENGLISH = Words()
"""For the command line, the demonstration and the log."""
