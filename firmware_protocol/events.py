"""Every event a shoe can report, whichever wire it speaks.

Each event is an immutable value that encodes itself to JSON with its name under "event". A field is `None` where
the wire or the cards do not provide it. The links of `native/`, `angel_eye/` and `lines/` make these; the table
judges them.
"""

from enum import Enum

import msgspec

from firmware_protocol.cards import Card


class Hand(Enum):
    """Where a card went, according to the shoe."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    EXTRA = "extra"
    """Drawn outside a round: over-drawn, or while the shoe was locked, in error or in setting mode."""


class LinkDownCause(Enum):
    """Why the link to a shoe is down."""

    DISCONNECTED = "disconnected"
    SILENT = "silent"
    RESTARTED = "restarted"


class LineLook(Enum):
    """What the bytes on a shoe's line look like, where they are not those of the wire that was set."""

    NATIVE = "native"
    ANGEL_EYE = "angel_eye"
    LINES = "lines"
    OTHER_SPEED = "other_speed"


class StartCause(Enum):
    POWER_ON = "power_on"
    BROWN_OUT = "brown_out"
    WATCHDOG = "watchdog"
    RESET_BUTTON = "reset_button"
    FIRMWARE_UPDATE = "firmware_update"
    UNKNOWN = "unknown"


class IndicatedWinner(Enum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Button(Enum):
    """The buttons a shoe may have; its handshake lists those it does have."""

    RESULT = "result"
    NO_MORE_BETS = "no_more_bets"
    NEW_SHOE = "new_shoe"
    BURN = "burn"
    CALL_SUPERVISOR = "call_supervisor"


class FaultCode(Enum):
    """What is wrong with a shoe or with how it is handled; a fault lasts until it is cleared."""

    UNREADABLE = "unreadable"
    OVER_DRAW = "over_draw"
    BUTTON_MISUSED = "button_misused"
    PUSHED_BACK_AT_EXIT = "pushed_back_at_exit"
    PUSHED_BACK_HALF_WAY = "pushed_back_half_way"
    FOREIGN_CARD = "foreign_card"
    DRAW_TIMEOUT = "draw_timeout"
    JAM = "jam"
    SENSOR = "sensor"
    GATE_FORCED = "gate_forced"
    LOW_VOLTAGE = "low_voltage"
    OVER_TEMPERATURE = "over_temperature"
    EVENT_STORE_FULL = "event_store_full"
    OTHER = "other"


class ShoeEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """Base class of all events; never instantiated itself."""


class Started(ShoeEvent, frozen=True, kw_only=True, tag="started"):
    cause: StartCause = StartCause.UNKNOWN


class Standby(ShoeEvent, frozen=True, kw_only=True, tag="standby"):
    """Ready for the next round. A shoe may leave it out."""


class CardDrawn(ShoeEvent, frozen=True, kw_only=True, tag="card_drawn"):
    """A card has left the shoe. Its face is `None` while the shoe does not disclose it."""

    hand: Hand | None = None
    position: int | None = None
    """1-based position in the hand."""
    card: Card | None = None
    card_id: str | None = None
    """Number of this individual card, where the cards carry one."""
    deck_set: str | None = None
    burns_left: int | None = None
    first_of_shoe: bool = False
    carried_over: bool = False
    """An over-drawn card that is used again as the first card of the next round."""
    total: int | None = None
    """Cards that have left this shoe in its lifetime, this one included; it survives a restart of the shoe."""


class CardIdentified(ShoeEvent, frozen=True, kw_only=True, tag="card_identified"):
    """The face of a card that left the shoe earlier."""

    hand: Hand
    position: int | None = None
    card: Card | None = None
    card_id: str | None = None
    deck_set: str | None = None


class ResultIndicated(ShoeEvent, frozen=True, kw_only=True, tag="result"):
    """The result as computed by the shoe; the winner is `None` when the dealer forced the round to end."""

    winner: IndicatedWinner | None
    player_pair: bool = False
    banker_pair: bool = False
    banker_six: bool = False


class CutCard(ShoeEvent, frozen=True, kw_only=True, tag="cut_card"):
    pass


class Burn(ShoeEvent, frozen=True, kw_only=True, tag="burn"):
    """The shoe announces that the next `cards` cards are burned."""

    cards: int


class CardReturned(ShoeEvent, frozen=True, kw_only=True, tag="card_returned"):
    """A card was pushed back into the shoe."""

    card: Card | None = None
    card_id: str | None = None


class DoubleFeed(ShoeEvent, frozen=True, kw_only=True, tag="double_feed"):
    """More than one card left at once; `total` counts all of them."""

    cards: int = 2
    total: int | None = None


class Misread(ShoeEvent, frozen=True, kw_only=True, tag="misread"):
    """A card has left the shoe and could not be read."""

    hand: Hand | None = None
    position: int | None = None
    total: int | None = None


class ForeignCard(ShoeEvent, frozen=True, kw_only=True, tag="foreign_card"):
    """A card has left the shoe that belongs to another set of decks."""

    hand: Hand | None = None
    position: int | None = None
    card: Card | None = None
    card_id: str | None = None
    deck_set: str | None = None
    total: int | None = None


class CardReadAgain(ShoeEvent, frozen=True, kw_only=True, tag="card_read_again"):
    """The reader read the same id once more, soon after. A piece is the same piece; a face may be another card."""

    card: Card | None = None
    card_id: str | None = None
    """The piece; `None` where the reader knows faces only."""
    after_ms: int
    """Milliseconds since it was read before."""


class GateChanged(ShoeEvent, frozen=True, kw_only=True, tag="gate"):
    """The gate was locked or unlocked; `None` where the shoe reports only that it changed."""

    locked: bool | None


class LidChanged(ShoeEvent, frozen=True, kw_only=True, tag="lid"):
    opened: bool


class ButtonPressed(ShoeEvent, frozen=True, kw_only=True, tag="button"):
    button: Button


class Fault(ShoeEvent, frozen=True, kw_only=True, tag="fault"):
    code: FaultCode
    stopped: bool = False
    """The shoe has stopped dealing by itself until the fault is cleared."""
    detail: int | None = None
    """The maker's own number for it, where there is one."""


class FaultCleared(ShoeEvent, frozen=True, kw_only=True, tag="fault_cleared"):
    code: FaultCode
    detail: int | None = None


class PresetChanged(ShoeEvent, frozen=True, kw_only=True, tag="preset_changed"):
    """The shoe's own settings were changed."""


class Health(ShoeEvent, frozen=True, kw_only=True, tag="health"):
    millivolts: int
    celsius: int
    cards_since_load: int


AnyShoeEvent = (
    Started
    | Standby
    | CardDrawn
    | CardIdentified
    | ResultIndicated
    | CutCard
    | Burn
    | CardReturned
    | DoubleFeed
    | Misread
    | ForeignCard
    | CardReadAgain
    | GateChanged
    | LidChanged
    | ButtonPressed
    | Fault
    | FaultCleared
    | PresetChanged
    | Health
)
"""The union of all events that a shoe reports, which a decoder tells apart by name."""


class CameAgain(ShoeEvent, frozen=True, kw_only=True, tag="came_again"):
    """An event that is stored already came once more, after the shoe's numbers had gone back.

    A shoe that lost its newest writes sends such events; so does one that lost all it had and whose power-up number
    repeats, for something that is new. Nothing on the line tells these two apart.
    """

    what: AnyShoeEvent


AnyStoredEvent = AnyShoeEvent | CameAgain
"""The union of all events as they are stored."""
