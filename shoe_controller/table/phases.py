"""The life of a shoe and of its rounds: phases, and one table of the moves between them.

    no shoe ──▶ first card ──▶ burning ──▶ betting ──▶ (closed) ──▶ dealing ──▶ complete ──▶ betting … ──▶ ended

That a table is *stopped* is no phase: an alert can stop it in any of them, and when the alert is over the table goes on
from where it stood. A move that is not in `TRANSITIONS` cannot be made. The diagram of the documents is drawn from it.
"""

from enum import Enum


class Phase(Enum):
    NO_SHOE = "no_shoe"
    FIRST_CARD = "first_card"
    """A new shoe: its first card tells how many are burned."""
    BURNING = "burning"
    BETTING = "betting"
    """Wagers are open. Where the first card closes them, it may come."""
    CLOSED = "closed"
    """No more bets: the first card may come."""
    DEALING = "dealing"
    COMPLETE = "complete"
    """The rules allow no more cards; the result is not yet confirmed."""
    ENDED = "ended"
    """The last round of the shoe is over."""


class Move(Enum):
    OPEN = "new shoe"
    OPEN_WITHOUT_BURN = "new shoe, nothing is burned"
    SHOW_FIRST = "first card shown"
    BURN_LAST = "last card burned"
    CLOSE = "no more bets"
    DEAL = "first card of the round"
    FINISH = "last card of the round"
    REOPEN = "a corrected card asks for another"
    SETTLE = "result confirmed and settled"
    VOID = "round voided"
    REPLAY = "round voided, to be dealt again"
    UNDO = "last result taken back"
    END = "shoe ended"


TRANSITIONS: dict[tuple[Phase, Move], Phase] = {
    **{
        (phase, Move.OPEN): Phase.FIRST_CARD
        for phase in (Phase.NO_SHOE, Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED)
    },
    **{
        (phase, Move.OPEN_WITHOUT_BURN): Phase.BETTING
        for phase in (Phase.NO_SHOE, Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED)
    },
    (Phase.FIRST_CARD, Move.SHOW_FIRST): Phase.BURNING,
    (Phase.BURNING, Move.BURN_LAST): Phase.BETTING,
    (Phase.BETTING, Move.CLOSE): Phase.CLOSED,
    (Phase.BETTING, Move.DEAL): Phase.DEALING,
    (Phase.CLOSED, Move.DEAL): Phase.DEALING,
    (Phase.DEALING, Move.FINISH): Phase.COMPLETE,
    (Phase.COMPLETE, Move.REOPEN): Phase.DEALING,
    (Phase.COMPLETE, Move.SETTLE): Phase.BETTING,
    **{(phase, Move.VOID): Phase.BETTING for phase in (Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.COMPLETE)},
    (Phase.DEALING, Move.REPLAY): Phase.CLOSED,
    (Phase.COMPLETE, Move.REPLAY): Phase.CLOSED,
    (Phase.BETTING, Move.UNDO): Phase.COMPLETE,
    (Phase.ENDED, Move.UNDO): Phase.COMPLETE,
    **{(phase, Move.END): Phase.ENDED for phase in (Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING)},
}

IN_ROUND = frozenset({Phase.CLOSED, Phase.DEALING, Phase.COMPLETE})
"""Wagers stand, or cards lie on the table, and nothing is settled yet."""

CARDS_OUT = frozenset({Phase.DEALING, Phase.COMPLETE})


def diagram() -> str:
    """The transitions as a Mermaid diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.NO_SHOE.value}"]
    lines += [f"    {start.value} --> {end.value}: {move.value}" for (start, move), end in TRANSITIONS.items()]
    return "\n".join(lines) + "\n"
