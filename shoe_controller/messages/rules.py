"""The rules and prices that a shoe is dealt by, as they are published: in `info`, and in every `shoe_opened`."""

import msgspec

from shoe_controller.baccarat.house import CommissionTaken, OverLimit, Rounding
from shoe_controller.baccarat.wagers import Names, OptionRule
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a pay table. The first line that fits counts; where none fits, the wager loses."""

    when: str
    """The condition, in the vocabulary of the catalogue."""
    pays: str
    """Winnings to stake in lowest terms and after commission, as "20:1" or "19:20"; or "push"."""


class OfferedWager(msgspec.Struct, frozen=True, kw_only=True):
    """A wager of the layout, with its prices and limits."""

    id: str
    """As requests and events name it: "base.banker"."""
    names: Names
    """What the wager is called on a display."""
    prices: tuple[Price, ...]
    """The pay table, from the top."""
    min: int
    """The least stake, in minor units."""
    max: int
    """The largest stake, in minor units."""
    needs_base: bool
    """A seat may place it only beside a wager on Player or Banker."""


class PostedLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The most that is paid in a round for these wagers together."""

    amount: int
    """In minor units."""
    wagers: tuple[str, ...]
    """The ids of the wagers."""
    policy: OverLimit
    """What happens to winnings over the limit."""


class PublishedRules(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change while a shoe lasts."""

    rules_hash: str
    """Of the house's effective configuration and all its pay tables: shoes with the same hash were dealt alike."""
    currency: str
    """As displays write it; may be empty."""
    decimals: int
    """How many digits of an amount in minor units stand behind the decimal point: with 2, 1050 is 10.50."""
    base_game: str
    """The id of the base game in the catalogue."""
    commission: str
    """What is taken from winnings, exactly: "5%"; where no decimal number is exact, a fraction, "50/7%"."""
    commission_taken: CommissionTaken
    """When commission is collected."""
    decks: int
    """How many decks are in the shoe."""
    seats: tuple[str, ...]
    """From the dealer's right, counter-clockwise: the order in which wagers are settled."""
    offered: tuple[OfferedWager, ...]
    """In the order in which a seat is paid."""
    option_rules: tuple[OptionRule, ...]
    """How many betting options a seat may play."""
    round_limit: PostedLimit | None
    """Null where the house has no such limit."""
    rounding: Rounding
    """How amounts that do not divide are rounded."""
    bets_close: BetsClose
    """What closes the wagers of a round."""
    reveal: Reveal
    """When the cards of a round are shown."""
    dealer_signs_in: bool = False
    """Whether the dealer's acts need a sign-in; if not, the names of dealers on the record are not proven."""
    new_dealer_burns: bool = False
    """Whether a dealer who takes over in the middle of a shoe burns a card before the next round."""
    shown_card: ShownCard = ShownCard.BURN
    """What becomes of an extra card that everyone has seen."""
    discarded_card: DiscardedCard = DiscardedCard.VOID
    """What becomes of a round in which a card is found face up, damaged or foreign."""
    remainder: Remainder = Remainder.NOT_COUNTED
    """Whether the cards that are left are counted before the next shoe is opened."""
