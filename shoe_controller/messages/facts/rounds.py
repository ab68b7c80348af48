"""Facts about a round: wagers opened, changed and closed; void."""

from typing import ClassVar

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.causes import CorrectionCause, ReturnCause
from shoe_controller.messages.facts.base import EventTopic, Fact


class BettingOpened(Fact, frozen=True, kw_only=True, tag="betting_opened"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    wagers: tuple[PlacedWager, ...] = ()
    """Those that stand already: the round is dealt again, and seats may change or withdraw them."""


class FreeHandAnnounced(Fact, frozen=True, kw_only=True, tag="free_hand"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    carried: bool = False
    """It begins with an extra card that everyone has seen: wagers are not opened, or were returned."""


class WagersChanged(Fact, frozen=True, kw_only=True, tag="wagers_changed"):
    """All wagers of one seat, as they stand now."""

    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    seat: str
    """The seat."""
    wagers: tuple[PlacedWager, ...]
    """All wagers of the seat."""
    total: int
    """The sum of their stakes, in minor units."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class BettingClosed(Fact, frozen=True, kw_only=True, tag="betting_closed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    closed_by: AnyActor
    """Who or what closed the wagers."""
    stakes: int
    """The sum of all stakes, in minor units."""
    dealer: str | None = None
    """The id of the dealer on duty, who begins to deal the round; null if none was."""


class RoundVoided(Fact, frozen=True, kw_only=True, tag="round_voided"):
    """The cards are out of play. The wagers are returned, unless the round is dealt again with them."""

    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    replay: bool
    """The same round is dealt again with the same wagers."""
    reason: str
    """What the supervisor gave as the reason."""
    returned: tuple[PlacedWager, ...]
    """The wagers that are returned; none if the round is dealt again."""
    total: int
    """The sum of their stakes, in minor units."""
    difference: dict[str, int] | None = None
    """Where the round was settled before: what to pay (above 0) or to collect (below 0), by seat; otherwise null."""


class WagersCorrected(Fact, frozen=True, kw_only=True, tag="wagers_corrected"):
    """Wagers were put right after the close."""

    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    cause: CorrectionCause
    """Why they are others now."""
    seats: tuple[str, ...]
    """The seats concerned."""
    before: tuple[PlacedWager, ...]
    """All wagers of these seats, as they were."""
    after: tuple[PlacedWager, ...]
    """All wagers of these seats, as they stand now."""
    difference: dict[str, int]
    """The stake to return (above 0) or to take in (below 0), by seat. A seat for which nothing changes is left out."""
    stakes: int
    """The sum of all stakes of the round now, in minor units."""


class WagersReturned(Fact, frozen=True, kw_only=True, tag="wagers_returned"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    cause: ReturnCause
    """Why they were returned."""
    returned: tuple[PlacedWager, ...]
    """The wagers that were returned."""
    total: int
    """The sum of their stakes, in minor units."""
