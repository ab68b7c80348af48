"""What comes next, for the dealer: codes with their values."""

from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind


class Prompt(Code, frozen=True):
    """What the dealer does next."""


class ResolveAlert(Prompt, frozen=True):
    """An alert stops the table: its words say what to do."""

    number: int
    """The alert's number."""
    kind: AlertKind
    """What went wrong."""


class ConnectShoe(Prompt, frozen=True):
    """The shoe is not connected: check its cable and its power."""


class AnnounceShoe(Prompt, frozen=True):
    """Put the cards in and announce the new shoe."""


class CountCardsLeft(Prompt, frozen=True):
    """The shoe is over: a supervisor has the cards that are left counted."""

    cards: int
    """Cards that must be left."""


class RunCardsOut(Prompt, frozen=True):
    """Draw the cards that are left through the reader."""

    counted: int
    """Cards that have come so far."""
    cards: int
    """Cards that must come."""


class ShowFirstCard(Prompt, frozen=True):
    """Draw the first card of the shoe and show it."""


class BurnCards(Prompt, frozen=True):
    """Burn more cards, as many as `cards` says."""

    cards: int
    """How many cards are still to burn."""


class SignInFirst(Prompt, frozen=True):
    """No dealer is on duty: sign in."""


class NewDealerBurns(Prompt, frozen=True):
    """Another dealer is on duty: burn a card before the round."""


class TakeWagers(Prompt, frozen=True):
    """Take the wagers, then announce "no more bets"."""


class TakeWagersWithCarried(Prompt, frozen=True):
    """Take the wagers, then announce "no more bets": a card is carried, and will be Player's first."""


class TakeWagersAndDraw(Prompt, frozen=True):
    """Take the wagers, then draw Player's first card."""


class TakeWagersAndLay(Prompt, frozen=True):
    """Take the wagers, then lay the carried card as Player's first and draw Banker's first card."""


class LayCarriedCard(Prompt, frozen=True):
    """Lay the carried card as Player's first, and draw Banker's first card."""


class EnterReportedCards(Prompt, frozen=True):
    """The table is dealt by hand, and the shoe has reported cards that nobody has entered: enter them."""

    cards: int
    """How many."""


class DrawCard(Prompt, frozen=True):
    """Draw a card for a hand."""

    hand: Side
    """The hand that the card goes to."""
    why: AnyReason | None = None
    """Why that card is due; null before the first card of a round."""


class ConfirmResult(Prompt, frozen=True):
    """No more cards are due: ask for the result."""

    why: AnyReason
    """Why no more cards are due."""


class ShowCards(Prompt, frozen=True):
    """Show the cards, or ask for the result."""


class AwaitExtraCard(Prompt, frozen=True):
    """The shoe has reported an over-draw and not yet its card: wait for it before deciding."""


class ChangeCards(Prompt, frozen=True):
    """The shoe is over: change the cards and announce the new shoe."""


AnyPrompt = (
    ResolveAlert
    | ConnectShoe
    | AnnounceShoe
    | CountCardsLeft
    | RunCardsOut
    | ShowFirstCard
    | BurnCards
    | SignInFirst
    | NewDealerBurns
    | TakeWagers
    | TakeWagersWithCarried
    | TakeWagersAndDraw
    | TakeWagersAndLay
    | LayCarriedCard
    | EnterReportedCards
    | DrawCard
    | ConfirmResult
    | ShowCards
    | AwaitExtraCard
    | ChangeCards
)
