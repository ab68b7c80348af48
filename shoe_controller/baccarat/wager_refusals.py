"""Why the house does not permit a wager: codes with their values. `house.py` decides which one applies."""

from shoe_controller.baccarat.codes import Code


class WagerRefusal(Code, frozen=True):
    """Why the wagers of a seat are not permitted. Stakes and limits are in minor units."""

    seat: str
    wager: str


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
    min: int


class AboveMaximum(WagerRefusal, frozen=True):
    """The stake is above the maximum."""

    stake: int
    max: int


class NoMultiple(WagerRefusal, frozen=True):
    """The stake is not a multiple of the smallest amount that the table pays."""

    stake: int
    unit: int


class PlacedTwice(WagerRefusal, frozen=True):
    """The wager is named twice; place it once, with the whole stake."""


class NeedsBaseWager(WagerRefusal, frozen=True):
    """This side wager needs a wager on Player or Banker at the same seat."""


class OneOfOption(WagerRefusal, frozen=True):
    """Of these wagers only one may be played in a round."""

    wagers: tuple[str, ...]


class TooManyOptions(WagerRefusal, frozen=True):
    """The seat plays more betting options than are permitted."""

    options: int
    at_most: int


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
