"""A scenario: which cards, and what goes wrong when, from a TOML file.

    seed = 7
    decks = 8

    [[fault]]
    fault = "misread"
    at_card = 12            # as the twelfth card leaves, or as soon after it as this can happen

    [[fault]]
    fault = "bytes_lost"
    at_byte = 900           # the 900th byte that the shoe sends
    bytes = 3

    [[fault]]
    fault = "double_feed"
    chance = 0.01           # per card; for a fault of the line, per chunk that is sent
    times = 3               # at most

An invalid file is refused as a whole before anything starts, with the line and the reason of every problem.
"""

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches

import msgspec

from firmware_protocol.cards import BadCardError, Card
from simulator.decks import MOST_DECKS, USUAL_DECKS
from simulator.faults import FAULTS, FaultKind, Group, Moment, Undetectable
from simulator.shoe_line import Wire

_TOP_KEYS = ("seed", "decks", "cards", "cut_card", "shoes", "fault")
_FAULT_KEYS = ("fault", "at_card", "at_byte", "chance", "times", "seconds", "bytes", "card", "direction")
_PLACES = ("at_card", "at_byte", "chance")


class ScenarioError(ValueError):
    """A scenario that is refused; one line for each problem."""


class PlannedFault(msgspec.Struct, frozen=True, kw_only=True):
    kind: FaultKind
    at_card: int | None = None
    at_byte: int | None = None
    chance: float | None = None
    times: int | None = None
    """How many times it may happen; `None` for any number. A fault at one place happens once."""
    seconds: float | None = None
    bytes: int | None = None
    card: Card | None = None
    from_host: bool = False
    """It affects what the controller sends, not what the shoe sends."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    seed: int | None = None
    decks: int | None = None
    cards: tuple[Card, ...] | None = None
    cut_card: int | None = None
    """Cards behind the cut card."""
    shoes: int | None = None
    faults: tuple[PlannedFault, ...] = ()


def planned(name: str, *, at_card: int | None = None) -> PlannedFault:
    """A fault with its usual length."""
    kind = FAULTS[name]
    return PlannedFault(kind=kind, at_card=at_card, times=1, seconds=kind.seconds, bytes=kind.bytes)


NOTHING_GIVEN = Scenario()

MOST_DOTS = 8
_DEEP = re.compile(rf"""(?:\.[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){{{MOST_DOTS + 1}}}""")
"""A key of so many parts takes Python's reader the square of their number."""


def read_scenario(text: str, name: str, wire: Wire, given: Scenario = NOTHING_GIVEN) -> Scenario:
    """Read a scenario for a wire. `given` holds the options of the command line, which take precedence."""
    deep = _DEEP.search(text)
    if deep is not None:
        above = text.count("\n", 0, deep.start())
        raise ScenarioError(f"{name}, line {above + 1}: a key has more than {MOST_DOTS} dots")
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise ScenarioError(f"{name}: lists or tables lie too deep inside each other") from error
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = place[1] if place else max(len(text.splitlines()), 1)
        raise ScenarioError(f"{name}, line {line}: not valid TOML: {error}") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise ScenarioError(f"{name}: not valid TOML: {error}") from error
    if not _numbers_fit(table):
        raise ScenarioError(f"{name}: not valid TOML: a whole number has more than 64 bits")
    return _Reading(text, name, wire).scenario(table, given)


def _numbers_fit(value: object) -> bool:
    """Python reads hexadecimal numbers of any length, and then cannot print them."""
    if isinstance(value, dict | list):
        return all(map(_numbers_fit, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or -(2**63) <= value < 2**63


class _Reading:
    """One file being read: collects every problem with its line."""

    def __init__(self, text: str, name: str, wire: Wire) -> None:
        self._lines = text.splitlines()
        self._name = name
        self._wire = wire
        self._problems: list[tuple[int, str]] = []
        self._headers = [
            number for number, line in enumerate(self._lines, start=1) if re.match(r"\s*\[\[\s*fault\s*\]\]", line)
        ]

    def scenario(self, table: Mapping[str, object], given: Scenario) -> Scenario:
        self._check_keys(table, _TOP_KEYS, None)
        cards = self._cards(table)
        decks = self._whole(table, "decks", None, 1, MOST_DECKS)
        shoes = self._whole(table, "shoes", None, 1, 1_000_000)
        if cards is not None and decks is not None:
            self._problem("decks", None, "either decks or an exact list of cards, not both")
        listed = given.cards or (cards if given.decks is None else None)
        in_shoe = len(listed) if listed else 52 * (given.decks or decks or USUAL_DECKS)
        shoes_dealt = 1 if listed else given.shoes or shoes
        read = Scenario(
            seed=self._whole(table, "seed", None, 0, 1 << 63),
            decks=decks,
            cards=cards,
            cut_card=self._whole(table, "cut_card", None, 0, in_shoe - 1),
            shoes=shoes,
            faults=self._faults(table, None if shoes_dealt is None else in_shoe * shoes_dealt),
        )
        if self._problems:
            problems = sorted(self._problems, key=lambda problem: problem[0])
            raise ScenarioError("\n".join(f"{self._name}, line {line}: {reason}" for line, reason in problems))
        return read

    def _cards(self, table: Mapping[str, object]) -> tuple[Card, ...] | None:
        value = table.get("cards")
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            self._problem("cards", None, 'cards is a list of at least one card, as in ["9H", "4D"]')
            return None
        cards = []
        for word in value:
            card = self._card(word, "cards", None)
            if card is not None:
                cards.append(card)
        return tuple(cards)

    def _card(self, value: object, key: str, fault: int | None) -> Card | None:
        try:
            return Card.parse(value if isinstance(value, str) else repr(value))
        except BadCardError as error:
            self._problem(key, fault, str(error), holding=str(value))
            return None

    def _faults(self, table: Mapping[str, object], dealt: int | None) -> tuple[PlannedFault, ...]:
        entries = table.get("fault", [])
        if not isinstance(entries, list):
            self._problem("fault", None, "each fault is a table of its own: write [[fault]] above it")
            return ()
        faults = []
        for number, entry in enumerate(entries):
            if not isinstance(entry, dict):
                self._problem("fault", number, "each fault is a table of its own: write [[fault]] above it")
                continue
            fault = self._fault(entry, number, dealt)
            if fault is not None:
                faults.append(fault)
        return tuple(faults)

    def _fault(self, entry: Mapping[str, object], number: int, dealt: int | None) -> PlannedFault | None:
        self._check_keys(entry, _FAULT_KEYS, number)
        kind = self._kind(entry, number)
        places = [place for place in _PLACES if place in entry]
        if len(places) != 1:
            given = "none is given" if not places else f"{' and '.join(places)} are given"
            self._problem(places[-1] if places else "fault", number, f"one of at_card, at_byte, chance: {given}")
        at_card = self._whole(entry, "at_card", number, 1, dealt or 1 << 31, of="cards that are dealt")
        at_byte = self._whole(entry, "at_byte", number, 1, 1 << 40)
        chance = self._chance(entry, number)
        times = self._whole(entry, "times", number, 1, 1 << 31)
        if kind is None:
            return None
        if at_byte is not None and kind.bytes is None:
            self._problem("at_byte", number, f"{kind.name} does not happen to bytes: give at_card or chance")
        if times is not None and chance is None:
            self._problem("times", number, "times goes with chance; a fault at one place happens once")
        return PlannedFault(
            kind=kind,
            at_card=at_card,
            at_byte=at_byte,
            chance=chance,
            times=times if chance is not None else 1,
            seconds=self._seconds(entry, kind, number),
            bytes=self._bytes(entry, kind, number),
            card=self._named_card(entry, kind, number),
            from_host=self._from_host(entry, kind, number),
        )

    def _kind(self, entry: Mapping[str, object], number: int) -> FaultKind | None:
        name = entry.get("fault")
        if not isinstance(name, str):
            self._problem("fault", number, 'which fault? Give its name, as in fault = "misread"')
            return None
        kind = FAULTS.get(name)
        if kind is None:
            self._problem("fault", number, f"there is no fault {name!r}{_nearest(name, FAULTS)}")
            return None
        detection = kind.on(self._wire)
        if isinstance(detection, Undetectable):
            self._problem("fault", number, f"the {self._wire.value} wire cannot express {name}: {detection.why}")
        return kind

    def _chance(self, entry: Mapping[str, object], number: int) -> float | None:
        value = entry.get("chance")
        if value is None:
            return None
        if not isinstance(value, float | int) or isinstance(value, bool) or not 0 < value <= 1:
            self._problem("chance", number, f"a chance is above 0 and at most 1, not {value!r}")
            return None
        return float(value)

    def _seconds(self, entry: Mapping[str, object], kind: FaultKind, number: int) -> float | None:
        value = entry.get("seconds")
        if value is None:
            return kind.seconds
        if kind.seconds is None:
            self._problem("seconds", number, f"{kind.name} does not last: it has no seconds")
        elif not isinstance(value, float | int) or isinstance(value, bool) or not 0 < value <= 86400:
            self._problem("seconds", number, f"seconds are above 0 and at most a day, not {value!r}")
        else:
            return float(value)
        return None

    def _bytes(self, entry: Mapping[str, object], kind: FaultKind, number: int) -> int | None:
        if "bytes" in entry and kind.bytes is None:
            self._problem("bytes", number, f"{kind.name} does not happen to bytes")
            return None
        return self._whole(entry, "bytes", number, 1, 1 << 20) or kind.bytes

    def _named_card(self, entry: Mapping[str, object], kind: FaultKind, number: int) -> Card | None:
        if "card" not in entry:
            return None
        if not kind.names_card:
            self._problem("card", number, f"the card of {kind.name} cannot be chosen")
            return None
        return self._card(entry["card"], "card", number)

    def _from_host(self, entry: Mapping[str, object], kind: FaultKind, number: int) -> bool:
        value = entry.get("direction", "shoe")
        if value not in ("shoe", "host"):
            self._problem("direction", number, f'direction is "shoe" or "host", who sends, not {value!r}')
        elif "direction" in entry and (kind.moment is not Moment.LINE or kind.group is Group.STRANGER):
            self._problem("direction", number, f"{kind.name} has no direction")
        return value == "host"

    def _whole(  # noqa: PLR0913 -- a number, where it stands, and its bounds
        self, table: Mapping[str, object], key: str, fault: int | None, least: int, most: int, *, of: str = ""
    ) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._problem(key, fault, f"{key} is a whole number from {least} to {most}{of and f' ({of})'}, not {value!r}")
        return None

    def _check_keys(self, table: Mapping[str, object], known: tuple[str, ...], fault: int | None) -> None:
        for key in table:
            if key not in known:
                self._problem(key, fault, f"unknown key {key!r}{_nearest(key, known)}")

    def _problem(self, key: str, fault: int | None, reason: str, holding: str = "") -> None:
        self._problems.append((self._line_of(key, fault, holding), reason))

    def _line_of(self, key: str, fault: int | None, holding: str) -> int:
        """Find the line of a key in the text: the TOML reader does not report it."""
        begin, end = 0, len(self._lines)
        if fault is None:
            end = self._headers[0] - 1 if self._headers else end
        elif fault < len(self._headers):
            begin = self._headers[fault] - 1
            end = self._headers[fault + 1] - 1 if fault + 1 < len(self._headers) else end
        found = None
        for number in range(begin, end):
            if found is None and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=\].]""", self._lines[number]):
                found = number + 1
            if found is not None and (not holding or holding in self._lines[number]):
                return number + 1
        return found or begin + 1


def _nearest(name: str, known: "Mapping[str, object] | tuple[str, ...]") -> str:
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
