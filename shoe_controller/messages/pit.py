"""What the pit's process publishes of a table: the live edge of each wager, and what a person should look into.

All of it follows from cards that everybody at the table has seen, and it is what a card counter would like to know: no
display, board, console or terminal may read it. The process is one of its own (`docs/protection.md`). Words for the
codes are in `words/`.
"""

from enum import StrEnum

import msgspec

from shoe_controller.baccarat.codes import Code

MOST_ALARMS = 20
"""Alarms in one message; the pit's own file has all of them."""


class PitMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the pit's process is online. The broker publishes the offline one as the last will."""

    schema: int = 1
    """The version of this message."""
    online: bool
    """While this is false, no edge with this `start` counts."""
    start: str
    """Random, new at each connection of the process to the broker."""
    time: int
    """Milliseconds since 1970, by the clock of the process."""
    storing: bool = True
    """Whether its file of alarms can be written to. Edges and alarms are published all the same."""


# --- edges -----------------------------------------------------------------------------------------------------------


class NoEdges(Code, frozen=True):
    """Why there are no edges."""


class NoShoe(NoEdges, frozen=True):
    """No shoe is on the table, or its first card has not been shown yet."""


class NoRoundToCome(NoEdges, frozen=True):
    """Wagers are not open for a round: the next edges come when they are."""


class FreeHandNow(NoEdges, frozen=True, tag="free_hand"):
    """The round is dealt without wagers."""


class EventsGone(NoEdges, frozen=True):
    """Events of this shoe are not there any more: which cards have been shown is not known."""


class EventsAwaited(NoEdges, frozen=True):
    """Events of this shoe are missing, and have been requested."""


class CardsUncertain(NoEdges, frozen=True):
    """A card may have left the shoe unnoticed, or more have come than the decks hold."""


class PricesUnknown(NoEdges, frozen=True):
    """The shoe was opened without prices that this version can read."""


class TableAway(NoEdges, frozen=True):
    """The table's controller is offline."""


class TooFewCards(NoEdges, frozen=True):
    """Too few cards are left for a round."""


AnyNoEdges = (
    NoShoe
    | NoRoundToCome
    | FreeHandNow
    | EventsGone
    | EventsAwaited
    | CardsUncertain
    | PricesUnknown
    | TableAway
    | TooFewCards
)


class WagerEdge(msgspec.Struct, frozen=True, kw_only=True):
    """The edge of one wager for the round that wagers are open for."""

    wager: str
    """The id of the wager."""
    edge: float
    """What the player is expected to win with a stake of one: above 0 the wager is the player's."""
    full_shoe: float
    """The same from a full shoe."""


class EdgesMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The edges of all wagers that a table offers, for one round, from the cards that were shown."""

    schema: int = 1
    """The version of this message."""
    start: str
    """Counts only while the pit's message with the same `start` is online."""
    journal: str
    """The id of the table's journal."""
    seq: int
    """The last event of the table that it includes."""
    shoe: int
    """The shoe, counted from 1; 0 before the first."""
    round: int
    """The round that these are the edges of."""
    time: int
    """When it was computed: milliseconds since 1970, by the clock of the process."""
    until: int
    """When it expires, unless a newer one comes before: milliseconds since 1970."""
    unseen: int
    """Cards that nobody has seen: those in the shoe, and those that were burned or lie face down."""
    edges: tuple[WagerEdge, ...]
    """The highest first; empty where there are none."""
    none: AnyNoEdges | None = None
    """Why there are none."""


# --- alarms ----------------------------------------------------------------------------------------------------------


class SuggestedAct(StrEnum):
    """What a person may do about an alarm. The process does none of it by itself."""

    LOWER_LIMIT = "lower_limit"
    TAKE_WAGER_OFF = "take_wager_off"
    END_SHOE_EARLY = "end_shoe_early"
    WATCH_SEAT = "watch_seat"


class PitAlarm(Code, frozen=True):
    """Something that a person of the pit should look into."""


class WagerExposed(PitAlarm, frozen=True):
    """A wager favours the player by more than the limit, for the round that wagers are open for."""

    shoe: int
    """The shoe."""
    round: int
    """The round."""
    wager: str
    """The id of the wager."""
    edge: float
    """The player's edge."""
    limit: float
    """The limit of the pit's file."""
    staked: int
    """What is staked on it now, over all seats, in minor units; in the file, when wagers were closed."""
    suggested: tuple[SuggestedAct, ...]
    """What may be done."""


class StakesFollowEdge(PitAlarm, frozen=True):
    """The stakes of a seat on a wager follow its edge, as those of a card counter would."""

    seat: str
    """The seat. It is not a person."""
    wager: str
    """The id of the wager."""
    shoe: int
    """The shoe at whose end this was found."""
    shoes: int
    """Shoes of this seat that it rests on."""
    rounds: int
    """Rounds in them in which the seat staked on the wager."""
    mean_edge: float
    """The player's edge, weighted with the stakes."""
    evidence: float
    """The value of the test. A seat that does not look at the cards gets so far no more often than once in as many
    shoes."""
    suggested: tuple[SuggestedAct, ...]
    """What may be done."""


AnyPitAlarm = WagerExposed | StakesFollowEdge


class RaisedPitAlarm(msgspec.Struct, frozen=True, kw_only=True):
    """An alarm, as it stands."""

    line: int
    """The number of its line in the file of the process; 0 while it has none, as before wagers are closed."""
    time: int
    """When it was raised: milliseconds since 1970, by the clock of the process."""
    alarm: AnyPitAlarm
    """What was found."""


class PitAlarmsMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The alarms about a table that nobody has acknowledged, and the exposed wagers of the present round."""

    schema: int = 1
    """The version of this message."""
    start: str
    """Counts only while the pit's message with the same `start` is online."""
    journal: str
    """The id of the table's journal."""
    alarms: tuple[RaisedPitAlarm, ...]
    """Exposed wagers, the most exposed last, then those about seats, the newest last; of too many the first are cut."""
