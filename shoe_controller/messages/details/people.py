"""Which seats, people and terminals."""

from shoe_controller.messages.details.base import Detail


class LateSeats(Detail, frozen=True):
    """Seats whose wagers changed after the first card had left the shoe."""

    seats: tuple[str, ...]
    """The seats, as in `info`."""


class CalledBy(Detail, frozen=True):
    """Who called."""

    person: str
    """The person's id; `dealer` where the request named no person."""


class OpenDisputes(Detail, frozen=True):
    """The disputes that were open when the shoe ended."""

    disputes: tuple[int, ...]
    """Their numbers."""


class PinsGuessed(Detail, frozen=True):
    """Wrong PINs, counted over all terminals."""

    tries: int
    """How many, within ten minutes."""
    users: tuple[str, ...]
    """The broker's users that sent them."""


class FloodingUser(Detail, frozen=True):
    """Who sends more requests than the table serves."""

    user: str
    """The broker's user."""
