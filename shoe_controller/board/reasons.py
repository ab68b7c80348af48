"""Why a hand draws or stands, taken apart so that a page can say it in any language. Pure.

The controller says it as an English sentence, `standing.why`. A sentence that is not known here is shown as it is.
"""

import re

import msgspec


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    code: str
    """What is said; pages have a sentence for each, in each language."""
    player: int | None = None
    """Player's points, where they matter."""
    banker: int | None = None
    third: int | None = None
    """Points of Player's third card."""
    text: str = ""
    """A sentence that could not be taken apart."""


CODES = (
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
)
"""All that a page must be able to say."""

_PATTERNS = [
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
    )
]


def reason_of(why: str) -> Reason | None:
    """The sentence taken apart; `None` where nothing is said."""
    if not why:
        return None
    for pattern, code in _PATTERNS:
        found = pattern.fullmatch(why)
        if found:
            points = {name: 1 if text == "an ace" else int(text) for name, text in found.groupdict().items()}
            return Reason(code, points.get("player"), points.get("banker"), points.get("third"))
    return Reason("", text=why)
