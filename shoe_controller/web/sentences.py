"""What the table says in English, taken apart so that a page can say it in any language. Pure.

The table says what comes next (`state.prompt`) and why a hand draws or stands (`standing.why`) as sentences. Here each
becomes a code and its numbers, for which the pages have words (`files/table.*.json`). A sentence that is not known here
is shown as it is.
"""

import re

import msgspec


class Sentence(msgspec.Struct, frozen=True, omit_defaults=True):
    code: str
    """What is said; pages have a sentence for each, in each language."""
    player: int | None = None
    """Player's points, where they matter."""
    banker: int | None = None
    third: int | None = None
    """Points of Player's third card."""
    cards: int | None = None
    """How many are still to be burned."""
    text: str = ""
    """A sentence that could not be taken apart."""


class Prompt(msgspec.Struct, frozen=True):
    """What comes next, in two parts."""

    what: Sentence
    why: Sentence | None


REASON_CODES = (
    "player_first",
    "banker_first",
    "player_second",
    "banker_second",
    "banker_has_drawn",
    "third_banker_draws",
    "third_banker_stands",
    "player_natural",
    "banker_natural",
    "both_natural",
    "player_draws",
    "banker_draws",
    "both_stand",
    "face_down",
    "not_due",
    "not_shown",
)
"""All reasons that a page must be able to say."""

_REASONS = [
    (re.compile(pattern), code)
    for pattern, code in (
        (r"Player's first card", "player_first"),
        (r"Banker's first card", "banker_first"),
        (r"Player's second card", "player_second"),
        (r"Banker's second card", "banker_second"),
        (r"Banker has drawn to (?P<banker>\d): no more cards", "banker_has_drawn"),
        (
            r"Banker has (?P<banker>\d), Player's third card (is|counts) (?P<third>\d|an ace): Banker draws",
            "third_banker_draws",
        ),
        (
            r"Banker has (?P<banker>\d), Player's third card (is|counts) (?P<third>\d|an ace): Banker stands",
            "third_banker_stands",
        ),
        (r"Player has a natural (?P<player>\d): no more cards", "player_natural"),
        (r"Banker has a natural (?P<banker>\d): no more cards", "banker_natural"),
        (
            r"Player has a natural (?P<player>\d) and Banker has a natural (?P<banker>\d): no more cards",
            "both_natural",
        ),
        (r"Player has (?P<player>\d): Player draws", "player_draws"),
        (r"Player stands on (?P<player>\d), Banker has (?P<banker>\d): Banker draws", "banker_draws"),
        (r"Player stands on (?P<player>\d), Banker has (?P<banker>\d): Banker stands", "both_stand"),
        (r"Cards are still face down", "face_down"),
        (r"not due, as the cards are known now", "not_due"),
        (r"a card before it is not shown", "not_shown"),
    )
]

PROMPTS = {
    "The shoe is not connected. Check its cable and its power.": "no_link",
    "Put the cards in and announce the new shoe.": "announce_shoe",
    "Draw the first card and show it.": "show_first_card",
    "The shoe is over. Change the cards and announce the new shoe.": "change_cards",
    'Take the wagers, then say "no more bets".': "take_wagers",
    "Take the wagers, then draw Player's first card.": "take_wagers_and_draw",
    "Draw a card for Player.": "draw_player",
    "Draw a card for Banker.": "draw_banker",
    "Ask for the result.": "ask_result",
    "Show the cards, or ask for the result.": "show_or_ask",
}
"""What comes next, while nothing is wrong."""

PROMPT_CODES = (*PROMPTS.values(), "burn", "burn_last")

_BURN = re.compile(r"Burn (?P<cards>\d+) more cards?\.")
_DRAW_WHY = re.compile(r"(Draw a card for (?:Player|Banker)\.) (.+)\.")
_WHY_ASK = re.compile(r"(.+)\. (Ask for the result\.)")


def reason_of(why: str) -> Sentence | None:
    """Why a hand draws or stands; `None` where nothing is said."""
    if not why:
        return None
    for pattern, code in _REASONS:
        found = pattern.fullmatch(why)
        if found:
            points = {name: 1 if text == "an ace" else int(text) for name, text in found.groupdict().items()}
            return Sentence(code, points.get("player"), points.get("banker"), points.get("third"))
    return Sentence("", text=why)


def prompt_of(prompt: str) -> Prompt:
    """What comes next. While an alert stops the table that is the alert's own `to_do`, which is not known here."""
    if draws := _DRAW_WHY.fullmatch(prompt):
        return Prompt(_what(draws[1]), reason_of(draws[2]))
    if asks := _WHY_ASK.fullmatch(prompt):
        return Prompt(_what(asks[2]), reason_of(asks[1]))
    return Prompt(_what(prompt), None)


def _what(sentence: str) -> Sentence:
    if burn := _BURN.fullmatch(sentence):
        cards = int(burn["cards"])
        return Sentence("burn_last" if cards == 1 else "burn", cards=cards)
    code = PROMPTS.get(sentence, "")
    return Sentence(code) if code else Sentence("", text=sentence)
