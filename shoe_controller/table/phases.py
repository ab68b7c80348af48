"""The life of a shoe and of its rounds: phases, and one table of the moves between them.

    no shoe ──▶ first card ──▶ burning ──▶ betting ──▶ (closed) ──▶ dealing ──▶ complete ──▶ betting … ──▶ ended

That a table is *stopped* is no phase: an alert can stop it in any of them, and when the alert has ended the table goes
on from where it stood. `after` is the one place that changes a phase; a move that is not in `TRANSITIONS` is an error
of our own. The diagram of the documents is drawn from the table.
"""

from enum import Enum

from shoe_controller.messages.phases import Phase


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
    REPLAY_OPEN = "round voided, to be dealt again; wagers are open"
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
    (Phase.DEALING, Move.REPLAY_OPEN): Phase.BETTING,
    (Phase.COMPLETE, Move.REPLAY_OPEN): Phase.BETTING,
    (Phase.BETTING, Move.UNDO): Phase.COMPLETE,
    (Phase.ENDED, Move.UNDO): Phase.COMPLETE,
    **{(phase, Move.END): Phase.ENDED for phase in (Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING)},
}


class IllegalMoveError(RuntimeError):
    """This program made a move that the phase does not have."""


def after(phase: Phase, move: Move) -> Phase:
    """The phase that a move leads to."""
    try:
        return TRANSITIONS[phase, move]
    except KeyError:
        raise IllegalMoveError(f"there is no move {move.value!r} in the phase {phase.value!r}") from None


IN_ROUND = frozenset({Phase.CLOSED, Phase.DEALING, Phase.COMPLETE})
"""Wagers stand, or cards lie on the table, and nothing is settled yet."""

CARDS_OUT = frozenset({Phase.DEALING, Phase.COMPLETE})


def diagram() -> str:
    """The transitions as a Mermaid diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.NO_SHOE.value}"]
    lines += [f"    {start.value} --> {end.value}: {move.value}" for (start, move), end in TRANSITIONS.items()]
    return "\n".join(lines) + "\n"
