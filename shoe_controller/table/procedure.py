"""How a house deals: the choices that concern the procedure at the table rather than wagers and prices.

`config/procedure.py` reads them from the table's file; they are fixed for a shoe when it is opened (`inputs.py`).
"""

from enum import Enum

import msgspec

from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard


class OverDrawn(Enum):
    """What becomes of an extra card when a supervisor clears the alert without deciding."""

    BURN = "burn"
    USE = "use"
    """It becomes the first card of the next round."""


class GateLocks(Enum):
    WHEN_STOPPED = "when_stopped"
    WHEN_NO_CARD_IS_DUE = "when_no_card_is_due"
    """Also while the round is complete, the shoe is over, or the dealer has not yet closed the wagers."""


class FinishedRound(Enum):
    """Who may correct or void a round that is complete, or whose result is known."""

    ONE_SUPERVISOR = "one_supervisor"
    TWO_SUPERVISORS = "two_supervisors"


class Procedure(msgspec.Struct, frozen=True, kw_only=True):
    bets_close: BetsClose = BetsClose.FIRST_CARD
    reveal: Reveal = Reveal.AT_DRAW
    burn: bool = True
    """The first card of a shoe is shown, and as many cards as it counts are burned; face cards count ten."""
    last_rounds: int = 1
    """Rounds that are still dealt after the one in which the cut card comes."""
    over_drawn: OverDrawn = OverDrawn.BURN
    shown_card: ShownCard = ShownCard.BURN
    discarded_card: DiscardedCard = DiscardedCard.VOID
    finished_round: FinishedRound = FinishedRound.ONE_SUPERVISOR
    gate_locks: GateLocks = GateLocks.WHEN_NO_CARD_IS_DUE
    confirm_after: float | None = None
    """Seconds after which a complete round is confirmed by itself; `None` waits for the shoe's button or the dealer."""
    draw_within: float | None = 120.0
    """Seconds in which the next card of a round should come; `None` waits indefinitely."""
    card_sets: tuple[str, ...] = ()
    """The sets of decks that this table uses, where cards carry their set; a card of another set is foreign."""
    wrong_pins: int = 5
    """Wrong PINs in a row after which a person is locked out at that terminal."""
    locked_out_for: float = 300.0
    """Seconds of the first pause; with each wrong PIN after it, the pause doubles (`pins.py`)."""
    approve_within: float = 120.0
    """Seconds that a second person has to approve an act that needs two."""
    dealer_signs_in: bool = False
    """A dealer acts only after signing in with a PIN (`duty.py`)."""
    new_dealer_burns: bool = False
    """A dealer who takes over in the middle of a shoe burns a card before the next round."""
    remainder: Remainder = Remainder.NOT_COUNTED
    """Whether the next shoe waits until the cards that are left have been counted (`remainder.py`)."""
