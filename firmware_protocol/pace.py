"""Notices cards that come faster than a hand can draw them: something on the way has held them up.

On a wire that says nothing about the time of an event, a line that stalls without closing hides how old its cards are,
and a wager may have been placed while they lay on the table already. Bytes show that badly: those of a round take less
than half a second on the line, and a minute's stall has room for all of them. But nobody draws four cards at once.
Pure.
"""

import math

CARD_TAKES = 0.2
"""Seconds from one card to the next, at the least: a quick hand that burns cards takes twice that."""

MOST_AHEAD = 3.5
"""Cards by which the line may be ahead of such a hand. A machine that is busy for half a second reads two at once, and
the shortest round has four."""

LONGEST_AHEAD = 10.0
"""Cards: what is more is forgotten, so that another stall is noticed soon."""

JOINING = 5.0
"""Seconds after the port was opened in which such cards were held up before, as by a serial server that keeps them."""


class CardPace:
    """With `card_takes` 0 nothing is judged: for captures without times, and for what is no hand."""

    def __init__(self, card_takes: float) -> None:
        self._card_takes = card_takes
        self._ahead = 0.0
        self._at = -math.inf
        self._noticed = False

    def held_up(self, cards: int, now: float) -> bool:
        """Take cards that came at once; whether they show a stall, which is said once for each."""
        if not cards or not self._card_takes:
            return False
        left = max(0.0, self._ahead - (now - self._at) / self._card_takes)
        self._noticed = self._noticed and left > 0
        self._ahead, self._at = min(left + cards, LONGEST_AHEAD), now
        found = self._ahead > MOST_AHEAD and not self._noticed
        self._noticed = self._noticed or found
        return found


def held_up_reason(cards: int) -> str:
    return f"cards came at once, {cards} of them: the line had stalled, and wagers may have been placed after they left"
