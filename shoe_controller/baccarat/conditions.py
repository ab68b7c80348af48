"""The closed vocabulary of the catalogue's conditions, which decide when a row of a pay table fits.

A condition gives each of its words a value, or a list of values: all words must hold, each with any of its values. It
is compiled to a set of facts (`FactSet`), so that conditions can be compared, counted and refused before any card is
dealt. `docs/catalogue.md` describes the words for a house.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from shoe_controller.baccarat.facts import Facts, Winner, all_facts

FactSet = int
"""A set of facts: bit n stands for the n-th of `all_facts`."""

Value = str | int | bool


class ConditionError(ValueError):
    """A condition that is outside the vocabulary, or that no round can fulfil."""


class Word(NamedTuple):
    meaning: str
    values: tuple[Value, ...]
    look_up: Callable[[Facts], Value | None]
    """Its value in a round; `None` where it has none, like the winning total of a tie."""


_TOTALS = tuple(range(10))
_CARDS = (2, 3)
_YES_OR_NO = (True, False)


def _of_the_winner(player: str, banker: str) -> Callable[[Facts], Value | None]:
    """Look up a field of the winning hand; with the sides exchanged, of the losing hand."""

    def look_up(facts: Facts) -> Value | None:
        if facts.winner is Winner.TIE:
            return None
        value: Value = getattr(facts, player if facts.winner is Winner.PLAYER else banker)
        return value

    return look_up


WORDS: dict[str, Word] = {
    "winner": Word("who wins the round", ("player", "banker", "tie"), lambda f: f.winner.value),
    "margin": Word("points between the two hands; 0 is a tie", _TOTALS, lambda f: f.margin),
    "player_total": Word("Player's points", _TOTALS, lambda f: f.player_total),
    "banker_total": Word("Banker's points", _TOTALS, lambda f: f.banker_total),
    "player_cards": Word("how many cards Player has", _CARDS, lambda f: f.player_cards),
    "banker_cards": Word("how many cards Banker has", _CARDS, lambda f: f.banker_cards),
    "player_natural": Word("Player has 8 or 9 on two cards", _YES_OR_NO, lambda f: f.player_natural),
    "banker_natural": Word("Banker has 8 or 9 on two cards", _YES_OR_NO, lambda f: f.banker_natural),
    "player_pair": Word("Player's first two cards are of one rank", _YES_OR_NO, lambda f: f.player_pair),
    "banker_pair": Word("Banker's first two cards are of one rank", _YES_OR_NO, lambda f: f.banker_pair),
    "either_pair": Word(
        "the first two cards of Player, of Banker or of both are of one rank",
        _YES_OR_NO,
        lambda f: f.player_pair or f.banker_pair,
    ),
    "player_perfect_pair": Word(
        "Player's first two cards are of one rank and one suit", _YES_OR_NO, lambda f: f.player_perfect_pair
    ),
    "banker_perfect_pair": Word(
        "Banker's first two cards are of one rank and one suit", _YES_OR_NO, lambda f: f.banker_perfect_pair
    ),
    "player_suited": Word("all of Player's cards are of one suit", _YES_OR_NO, lambda f: f.player_suited),
    "banker_suited": Word("all of Banker's cards are of one suit", _YES_OR_NO, lambda f: f.banker_suited),
    "winning_total": Word(
        "points of the hand that wins; never fits a tie", _TOTALS, _of_the_winner("player_total", "banker_total")
    ),
    "losing_total": Word(
        "points of the hand that loses; never fits a tie", _TOTALS, _of_the_winner("banker_total", "player_total")
    ),
    "winning_cards": Word(
        "how many cards the winning hand has; never fits a tie",
        _CARDS,
        _of_the_winner("player_cards", "banker_cards"),
    ),
    "losing_cards": Word(
        "how many cards the losing hand has; never fits a tie", _CARDS, _of_the_winner("banker_cards", "player_cards")
    ),
    "winning_natural": Word(
        "the winning hand has 8 or 9 on two cards; never fits a tie",
        _YES_OR_NO,
        _of_the_winner("player_natural", "banker_natural"),
    ),
    "losing_natural": Word(
        "the losing hand has 8 or 9 on two cards; never fits a tie",
        _YES_OR_NO,
        _of_the_winner("banker_natural", "player_natural"),
    ),
}

EVERYTHING: FactSet = (1 << len(all_facts())) - 1


@cache
def _sets_of(word: str) -> dict[Value, FactSet]:
    """The facts in which a word has each of its values."""
    # The integer is made once at the end: setting a bit in one copies all of it.
    bits = {value: bytearray(len(all_facts()) // 8 + 1) for value in WORDS[word].values}
    look_up = WORDS[word].look_up
    for number, facts in enumerate(all_facts()):
        value = look_up(facts)
        if value is not None:
            bits[value][number >> 3] |= 1 << (number & 7)
    return {value: int.from_bytes(held, "little") for value, held in bits.items()}


def facts_where(when: Mapping[str, object]) -> FactSet:
    """Return the facts for which a condition holds; raise `ConditionError` if it is invalid or impossible."""
    holds = EVERYTHING
    for word, wanted in when.items():
        if word not in WORDS:
            near = get_close_matches(word, WORDS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the words are {', '.join(WORDS)}"
            raise ConditionError(f"unknown word {word!r}{hint}")
        sets = _sets_of(word)
        any_of = 0
        values = wanted if isinstance(wanted, list | tuple) else (wanted,)
        if not values:
            raise ConditionError(f"{word} has an empty list of values; name at least one")
        for value in values:
            any_of |= sets[_allowed(word, value)]
        holds &= any_of
    if not holds:
        raise ConditionError(f"impossible condition: no round has {describe(when)}")
    return holds


def _allowed(word: str, value: object) -> Value:
    # 1 and true are equal in Python, but "player_pair = 1" is a mistake.
    for allowed in WORDS[word].values:
        if value == allowed and type(value) is type(allowed):
            return allowed
    choices = ", ".join(_text(allowed) for allowed in WORDS[word].values)
    raise ConditionError(f"{word} cannot be {_text(value)}; it is one of {choices}")


ANY_ROUND = "any round"


def read_description(text: str) -> dict[str, list[Value]]:
    """The condition that `describe` has written as this text; raise `ConditionError` if it is none."""
    when: dict[str, list[Value]] = {}
    for part in () if text == ANY_ROUND else text.split(", "):
        word, _, values = part.partition(" ")
        by_text = {_text(value): value for value in WORDS[word].values} if word in WORDS else {}
        unknown = [value for value in values.split(" or ") if value not in by_text]
        if unknown:
            raise ConditionError(f"{part!r} is not in the vocabulary")
        when[word] = [by_text[value] for value in values.split(" or ")]
    return when


def describe(when: Mapping[str, object]) -> str:
    """A condition as one line of text: "winner banker, banker_total 6, banker_cards 2 or 3"."""
    if not when:
        return ANY_ROUND
    return ", ".join(
        f"{word} {' or '.join(_text(v) for v in wanted) if isinstance(wanted, list | tuple) else _text(wanted)}"
        for word, wanted in when.items()
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def members(facts: FactSet) -> Iterator[int]:
    """The numbers of the facts in a set."""
    while facts:
        lowest = facts & -facts
        yield lowest.bit_length() - 1
        facts ^= lowest
