"""What is wrong with the burned cards."""

from shoe_controller.messages.details.base import Detail


class DealtBeforeBurn(Detail, frozen=True):
    """The shoe deals to a hand; no card was shown and none burned."""


class BurnedSoFar(Detail, frozen=True):
    """The shoe deals to a hand before all cards were burned."""

    burned: int
    """Cards burned so far."""
    to_burn: int
    """Cards to burn, by the first card."""


class BurnedTooMany(Detail, frozen=True):
    """More cards were burned than the first card says, as it was corrected."""

    burned: int
    """Cards burned so far."""
    to_burn: int
    """Cards to burn, by the first card."""


class BurnCountDiffers(Detail, frozen=True):
    """The shoe announces another number of cards to burn than the first card says."""

    shoe: int
    """Cards to burn, as the shoe announces."""
    first_card: int
    """Cards to burn, by the first card."""


class BurnsLeftDiffer(Detail, frozen=True):
    """The shoe has another number of cards left to burn than the first card says."""

    shoe: int
    """Cards left to burn, as the shoe reports."""
    first_card: int
    """Cards left to burn, by the first card."""
