"""Why the house does not permit a wager: codes with their values. `house.py` decides which one applies."""

from shoe_controller.baccarat.codes import Code


class WagerRefusal(Code, frozen=True):
    """Why the wagers of a seat are not permitted. Stakes and limits are in minor units."""

    seat: str
    """The seat in the request."""
    wager: str
    """The wager in the request."""


class UnknownSeat(WagerRefusal, frozen=True):
    """There is no such seat."""

    seats: tuple[str, ...]
    """The seats of the table."""


class NotOffered(WagerRefusal, frozen=True):
    """The table does not offer this wager."""

    nearest: str | None
    """The offered wager with the most similar id."""


class BelowMinimum(WagerRefusal, frozen=True):
    """The stake is below the minimum."""

    stake: int
    """The stake in the request."""
    min: int
    """The least stake."""


class AboveMaximum(WagerRefusal, frozen=True):
    """The stake is above the maximum."""

    stake: int
    """The stake in the request."""
    max: int
    """The largest stake."""


class NoMultiple(WagerRefusal, frozen=True):
    """The stake is not a multiple of the smallest amount that the table pays."""

    stake: int
    """The stake in the request."""
    unit: int
    """The smallest amount that the table pays."""


class PlacedTwice(WagerRefusal, frozen=True):
    """The wager is named twice; place it once, with the whole stake."""


class NeedsBaseWager(WagerRefusal, frozen=True):
    """This side wager needs a wager on Player or Banker at the same seat."""


class OneOfOption(WagerRefusal, frozen=True):
    """Of these wagers only one may be played in a round."""

    wagers: tuple[str, ...]
    """The wagers of the option that were played."""


class TooManyOptions(WagerRefusal, frozen=True):
    """The seat plays more betting options than are permitted."""

    options: int
    """How many betting options there are."""
    at_most: int
    """How many of them a seat may play."""


AnyWagerRefusal = (
    UnknownSeat
    | NotOffered
    | BelowMinimum
    | AboveMaximum
    | NoMultiple
    | PlacedTwice
    | NeedsBaseWager
    | OneOfOption
    | TooManyOptions
)
