"""All that a table knows. Plain data that encodes to JSON, so that a snapshot of it can go into the journal.

Every value inside is immutable (tuples and frozen structs); only the structs that are not frozen are worked on, and
only as copies inside a `Draft`. Moments are nanoseconds on the clock that never goes back.
"""

from enum import Enum

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import ResultIndicated
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.outcome import HandOutcome
from shoe_controller.baccarat.roads import RoadResult
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.acts import AnyAct
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.table.procedure import Procedure

SECOND = 1_000_000_000
"""A second, in nanoseconds."""

REVISION = 2
"""Revision of the table's decisions. A shoe keeps the one it was opened with: a replay must lead to the recorded facts.

2: a card that was set aside is recognised when the shoe names it later. In 1 that raised `event_gap`, and the face was
not counted. The shoe keeps its rounds with their cards; in 1 it kept the results alone.
"""


class RulesSource(msgspec.Struct, frozen=True, kw_only=True):
    """The effective rules of the house, as texts: all that is needed to build them again years later."""

    house: str
    catalogue: tuple[tuple[str, str], ...]
    """Names and texts of the catalogue's files, in order."""
    procedure: Procedure = Procedure()
    currency: str = ""
    decimals: int = 2
    """Digits of an amount in minor units behind the decimal point."""


class LaidCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card of the round, in the place where it lies."""

    hand: Side
    card: Card | None
    card_id: str | None = None
    shown: bool
    seq: int
    """The last fact about it."""


class ExtraCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that left the shoe and lies in no hand."""

    card: Card | None
    card_id: str | None = None
    seq: int


class StrayCard(ExtraCard, frozen=True, kw_only=True):
    """A card that fits no place, with the place that the shoe gave for it."""

    hand: Side | None = None
    position: int | None = None


class StandingWager(msgspec.Struct, frozen=True, kw_only=True):
    seat: str
    wager: str
    stake: int
    accepted_ns: int


class Round(msgspec.Struct, kw_only=True):
    number: int
    attempt: int = 1
    """Counts up when the round is voided and dealt again."""
    free: bool = False
    wagers: tuple[StandingWager, ...] = ()
    taken_back: tuple[tuple[str, int], ...] = ()
    """Seats that took a wager back, each with the moment when it last did."""
    cards: tuple[LaidCard, ...] = ()
    extras: tuple[ExtraCard, ...] = ()
    """Extra cards, until a supervisor decides what becomes of them."""
    strays: tuple[StrayCard, ...] = ()
    """Cards that fit no place: with one of these, the round can only be voided."""
    last_card_ns: int = 0
    complete_ns: int = 0
    resumed_ns: int = 0
    """When the table last resumed after an alert."""
    button_ns: int | None = None
    """When the shoe's result button was pressed on the complete round."""
    indicated: ResultIndicated | None = None
    """The shoe's own result."""
    confirmed_by: AnyActor | None = None
    outcome_seq: int | None = None
    settlement_seq: int | None = None
    """The last facts about them: a correction replaces these."""
    commission: tuple[tuple[str, int], ...] = ()
    """Commission marked by seat when the round was settled."""


class SettledRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has a result, for the list of the shoe's rounds."""

    number: int
    free: bool
    seq: int
    """The number of its result."""
    time: int | None = None
    """When it got its result; `None` in what an earlier version stored."""
    player: HandOutcome
    banker: HandOutcome
    winner: Winner


class VoidedRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round whose cards went out of play without a result."""

    number: int
    replay: bool
    """It is dealt again with the same wagers."""


class Shoe(msgspec.Struct, kw_only=True):
    number: int
    rules: RulesSource
    decks: int
    copies: tuple[int, ...]
    """How often each face has come out, by the card's number."""
    card_ids: tuple[str, ...] = ()
    cards_out: int = 0
    """All cards that left the shoe, read or not."""
    first_card: ExtraCard | None = None
    burns: int | None = None
    """How many cards to burn, by the first card."""
    burned: int = 0
    last_round: int | None = None
    """The number of the last round, once the cut card is out."""
    rounds: int = 0
    """The number of the last round begun."""
    ended_seq: int | None = None
    """The last fact about the end of this shoe."""
    results: tuple[RoadResult, ...] = ()
    settled: tuple[SettledRound, ...] = ()
    """The rounds of `results`, with their cards; empty in a shoe of revision 1."""
    commission: tuple[tuple[str, int], ...] = ()
    """Marked and not yet collected, by seat."""
    carried: ExtraCard | None = None
    """The extra card that begins the next round."""
    previous: Round | None = None
    """The round that was settled last, so that its result can be taken back."""
    voided: VoidedRound | None = None
    """The round that was voided last, unless one was settled since."""
    result_owed: bool = False
    """A round was voided before the shoe gave its result: the result may still come, and means nothing."""
    revision: int = 1
    """See `REVISION`."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    kind: AlertKind
    detail: AnyDetail | None = None
    card: int | None = None
    """1-based position in the round of the card it is about; 0 is the first card of the shoe."""
    seq: int
    fault: str | None = None
    """Distinguishes alerts of one kind: the shoe's own name for a fault, so that the shoe can clear it;
    the broker's user of a flood."""
    seats: tuple[str, ...] = ()
    """The seats it is about."""


class LinkState(msgspec.Struct, frozen=True, kw_only=True):
    up: bool = False
    keeps_events: bool = False
    """The shoe keeps what was not acknowledged and sends it again."""
    authenticated: bool = False
    boot_id: int | None = None
    shoe_name: str = ""


class PinRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Wrong PINs in a row, for one person at one terminal."""

    user: str = ""
    """The terminal, by its user at the broker; empty in older journals, which counted by person alone."""
    person: str
    failures: int
    at_ns: int = 0
    """When the last one was given."""
    locked_until_ns: int | None = None


class WrongTry(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong PIN, whoever it was for."""

    user: str
    at_ns: int


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    act: AnyAct
    person: str
    reason: str
    at_ns: int
    shoe: int
    round: int


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A request that changed something, with its answer: a repeat gets the same again."""

    request_id: str
    contents: str = ""
    """A digest of the request; empty where it was made by a version that compared the ids alone."""
    refusal: AnyRefusal | None


class PublishedCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoint of the journal that was published last."""

    journal: str
    index: int


class Lasting(msgspec.Struct, kw_only=True):
    """What outlasts a shoe. The opening of the next one carries it, so that a replay can begin there."""

    seq: int = 0
    """The number of the last fact."""
    shoe_number: int = 0
    alerts_raised: int = 0
    alerts: tuple[Alert, ...] = ()
    link: LinkState = LinkState()
    lid_open: bool = False
    pins: tuple[PinRecord, ...] = ()
    wrong_tries: tuple[WrongTry, ...] = ()
    """The last wrong PINs over all terminals, the oldest first."""
    proposals_made: int = 0
    proposal: Proposal | None = None
    answered: tuple[Answered, ...] = ()
    boot: str = ""
    """The machine's boot id; times of another boot cannot be compared."""
    checkpoint: PublishedCheckpoint | None = None


class TableState(msgspec.Struct, kw_only=True):
    phase: Phase = Phase.NO_SHOE
    lasting: Lasting = msgspec.field(default_factory=Lasting)
    shoe: Shoe | None = None
    round: Round | None = None
    """The round that wagers are open for, or that is under way."""

    @property
    def shoe_number(self) -> int:
        return self.lasting.shoe_number

    @property
    def round_number(self) -> int:
        return self.round.number if self.round is not None else self.shoe.rounds if self.shoe is not None else 0


class Timer(Enum):
    """What a table waits for; `timers` in `desired_shoe.py` gives the deadlines."""

    DRAW = "draw"
    """The next card has been due for too long."""
    CONFIRM = "confirm"
    """The complete round is confirmed by itself."""
    RESULT = "result"
    """The shoe's button was pressed, and its own result is awaited for a moment."""
    PROPOSAL = "proposal"
    """A second person has not approved in time."""
