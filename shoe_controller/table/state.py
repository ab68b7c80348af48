"""All that a table knows. Plain data that encodes to JSON, so that a snapshot of it can go into the journal.

Every value inside is immutable (tuples and frozen structs); only the structs that are not frozen are worked on, and
only as copies inside a `Draft`. Moments are nanoseconds on the clock that never goes back.
"""

from enum import Enum

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, ResultIndicated
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.outcome import HandOutcome
from shoe_controller.baccarat.roads import RoadResult
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.acts import AnyAct
from shoe_controller.messages.alerts import AlertKind, Remedy
from shoe_controller.messages.details import AnyDetail, ShoeProof
from shoe_controller.messages.facts import Dispute, DueCommission
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.table.procedure import Procedure

SECOND = 1_000_000_000
"""A second, in nanoseconds."""

REVISION = 8
"""Revision of the table's decisions. A shoe keeps the one it was opened with: a replay must lead to the recorded facts.

2: a card that was set aside is recognised when the shoe names it later. In 1 that raised `event_gap`, and the face was
not counted. The shoe keeps its rounds with their cards; in 1 it kept the results alone.
3: what holds from here on is named where it is decided, beside a constant with this number.
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


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """That a person entered a card."""

    by: str
    """The id of the person."""
    number: int
    """As in `EnteredCard`."""
    reported: bool = False
    """The shoe has reported the card, with this face."""


class LaidCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card of the round, in the place where it lies."""

    hand: Side
    card: Card | None
    card_id: str | None = None
    shown: bool
    seq: int
    """The last fact about it."""
    drawn: int = 0
    """Its place in the order of the draw: the shoe's `cards_out` when it left; 0 in older journals."""
    entered: Entry | None = None
    """For a card that a person entered."""
    foreign: bool = False
    """It is counted among the shoe's foreign cards."""
    carried: bool = False
    """It was drawn in the round before, and began this one."""


class ExtraCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that left the shoe and lies in no hand."""

    card: Card | None
    card_id: str | None = None
    seq: int
    drawn: int = 0
    """As in `LaidCard`."""
    entered: Entry | None = None
    """As in `LaidCard`."""
    shown: bool = False
    """Everyone has seen it; of a card that an earlier version set aside, `carrying.was_shown` tells."""
    round: int | None = None
    """Of an extra card, the round in which it was drawn, or after which; `None` in older journals."""
    foreign: bool = False
    """As in `LaidCard`."""
    declined: bool = False
    """It was decided on while a card was due by those that were known: no correction takes it back."""


class StrayCard(ExtraCard, frozen=True, kw_only=True):
    """A card that fits no place, with the place that the shoe gave for it."""

    hand: Side | None = None
    position: int | None = None


class StandingWager(msgspec.Struct, frozen=True, kw_only=True):
    seat: str
    wager: str
    stake: int
    accepted_ns: int


class SeatChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a seat's wagers, with what the seat had before."""

    seat: str
    at_ns: int
    before: tuple[StandingWager, ...]


class Round(msgspec.Struct, kw_only=True):
    number: int
    attempt: int = 1
    """Counts up when the round is voided and dealt again."""
    free: bool = False
    wagers: tuple[StandingWager, ...] = ()
    taken_back: tuple[tuple[str, int], ...] = ()
    """Seats that took a wager back, each with the moment when it last did."""
    changes: tuple[SeatChange, ...] = ()
    """The changes of wagers since they were opened, the oldest first: a card may turn out to have left before one."""
    first_card_ns: int = 0
    """When the first card left the shoe."""
    reported_ns: int | None = None
    """Dealing by hand: when it left, by what the shoe reported before it was entered."""
    cards: tuple[LaidCard, ...] = ()
    extras: tuple[ExtraCard, ...] = ()
    """Extra cards, until a supervisor decides what becomes of them."""
    strays: tuple[StrayCard, ...] = ()
    """Cards that fit no place, until a supervisor assigns them or voids the round."""
    corrected: bool = False
    """A person corrected a card of it: the shoe may take a card for extra that is due in truth."""
    rearranged: bool = False
    """Cards of it were assigned or discarded: the hands and positions that the shoe reports mean nothing any more."""
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
    paid: tuple[tuple[str, int], ...] = ()
    """What the settlement before gave each seat, less its stakes: a new one says the difference."""
    proven: tuple[ShoeProof, ...] = ()
    """What cards prove of the shoe that were discarded from the round, or came after it was settled, once for each: it
    goes on without them, and is the last."""
    followed_at: int | None = None
    """After an undo: how many cards had left the shoe, where some of them left after those of this round. What would be
    due in it now is one of those."""
    unopened: bool = False
    """Wagers were not opened for it, since the shoe was proven bad."""
    restarted: bool = False
    """The shoe has reported in the middle of it that it restarted: what it reports since may be of another round."""
    forgotten: bool = False
    """The shoe restarted in the middle of it, and a supervisor lets it go on: its result means nothing for it."""


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


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Commission that was marked for a seat when a round was settled, and what became of it; the sum is the mark."""

    round: int
    seat: str
    owed: int = 0
    collected: int = 0
    waived: int = 0


class EarlierMark(msgspec.Struct, frozen=True, kw_only=True):
    """A mark of a shoe before the one on the table."""

    shoe: int
    mark: Mark


class AmendedRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round that was amended after it was over."""

    shoe: int
    round: int
    seq: int
    """The last `round_amended` about it, which tells what counts."""


class RunOut(msgspec.Struct, frozen=True, kw_only=True):
    """The remainder of a shoe, as far as it has come through the reader."""

    counted: int = 0
    copies: tuple[int, ...]
    """How often each face has come, by the card's number."""
    card_ids: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    """Pieces that had come before, from the shoe or from its remainder."""
    foreign: int = 0
    last_is_foreign: bool = False
    """Whether the card that came last was counted as foreign: some wires report it once more, as a fault."""


class DealtOn(msgspec.Struct, frozen=True, kw_only=True):
    """What the shoe reported before the round on the table was decided on: an event, or that some are missing."""

    event: AnyShoeEvent | None = None
    gap: AnyDetail | None = None
    """Where it is not an event: what is known of those that are missing."""


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
    cut_card_entered: bool = False
    """A person said that the cut card came, and the shoe has not reported it."""
    rounds: int = 0
    """The number of the last round begun."""
    ended_seq: int | None = None
    """The last fact about the end of this shoe."""
    results: tuple[RoadResult, ...] = ()
    settled: tuple[SettledRound, ...] = ()
    """The rounds of `results`, with their cards; empty in a shoe of revision 1."""
    commission: tuple[tuple[str, int], ...] = ()
    """Marked, by seat, in a shoe of revision 1 or 2; `marks` since."""
    marks: tuple[Mark, ...] = ()
    """Commission marked by round and seat (`commission.py`)."""
    carried: ExtraCard | None = None
    """The extra card that begins the next round."""
    burned_extras: tuple[ExtraCard, ...] = ()
    """The extra cards that were burned since the last round began, in the order of the draw."""
    discarded: int = 0
    """Cards that were discarded from a round."""
    first_corrected: bool = False
    """A person corrected the first card: the number of burns that the shoe reports means nothing."""
    previous: Round | None = None
    """The round that was settled last, so that its result can be taken back."""
    voided: VoidedRound | None = None
    """The round that was voided last, unless one was settled since."""
    result_owed: bool = False
    """A round was voided before the shoe gave its result: the result may still come, and means nothing."""
    revision: int = 1
    """See `REVISION`."""
    dealt_by: str | None = None
    """The dealer who began the last round, or burned a card since; `None` before the first."""
    opened_ns: int = 0
    """When it was opened: what the shoe reports of earlier is about other cards."""
    machine_restarted: bool = False
    """The machine has started anew since, and `opened_ns` is when: of what is earlier, the order of events tells."""
    reported: bool = False
    """Nothing is left that the shoe could report of other cards: its events come in order, and its line was up when
    this one was opened, or it has reported a card of this one."""
    foreign: int = 0
    """Cards among `cards_out` that do not belong to the decks."""
    last_is_foreign: bool = False
    """As in `RunOut`, for the card that left last."""
    pieces_twice: int = 0
    """How often a piece came that had come before."""
    run_out: RunOut | None = None
    """While the remainder is drawn through the reader."""
    ran_out: bool = False
    """Its remainder was drawn through the reader: of those cards the shoe may still make a round."""
    remainder_counted: bool = False
    counted_at: int | None = None
    """`cards_out` when it was counted; `None` in older journals."""
    remainder_seq: int | None = None
    """The last fact about the count of the remainder."""
    over_draw_awaited: bool = False
    """The shoe has reported that a card is drawn too many, and not yet the card."""
    over_draw_stands: bool = False
    """The shoe has reported an over-draw, and not that it is over."""
    dealt_on: tuple[DealtOn, ...] = ()
    """What waits until the round on the table is decided on (`dealing_on.py`)."""
    joined_in_doubt: bool = False
    """An alert was raised for what may have been missed before the line was opened: what shows of it later is that."""
    uncertain: bool = False
    """The shoe restarted, and could not report what left it meanwhile: there may be fewer cards in it than counted."""


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
    remedy: Remedy | None = None
    """How the round can be put right, where a card lies elsewhere than the rules put it."""


class LinkState(msgspec.Struct, frozen=True, kw_only=True):
    up: bool = False
    keeps_events: bool = False
    """The shoe keeps what was not acknowledged and sends it again."""
    authenticated: bool = False
    boot_id: int | None = None
    shoe_name: str = ""
    can_blink: bool = False
    """It blinks or beeps when it is asked to."""


class EnteredCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that a person entered, and that the shoe has not reported."""

    number: int
    """Counts up with every card that is entered."""
    shoe: int
    round: int
    place: int
    """1-based position in the round; 0 for a card of no hand."""
    card: Card | None
    at_ns: int
    """When it was entered: the card left the shoe before."""
    seq: int
    """The fact about it."""
    may_be_missing: bool = False
    """Events of the shoe are missing: it may never report this card."""
    undated: bool = False
    """The machine has started anew since: nothing tells whether a card left before this one was entered."""


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


class DealerOnDuty(msgspec.Struct, frozen=True, kw_only=True):
    """The dealer who is signed in."""

    person: str
    token_digest: str
    """Of the token that came with the sign-in, and that goes with each of the dealer's acts."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    act: AnyAct
    person: str
    reason: str
    at_ns: int
    shoe: int
    round: int
    attempt: int | None = None
    """Of the round; `None` where it is not known, in older journals."""


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
    revision: int = 1
    """Of the program that runs the table: for what holds at once, also in a shoe that an earlier one opened."""
    checkpoint: PublishedCheckpoint | None = None
    amended: tuple[AmendedRound, ...] = ()
    """Every round of this journal that was amended: each takes two supervisors, so there are few."""
    dealer: DealerOnDuty | None = None
    dealer_signs_in: bool = False
    """Whether dealers sign in before the first shoe, which brings the rules."""

    @property
    def dealer_id(self) -> str | None:
        return None if self.dealer is None else self.dealer.person

    disputes_opened: int = 0
    disputes: tuple[Dispute, ...] = ()
    """Those that are open."""
    commission_due: tuple[DueCommission, ...] = ()
    """What is owed of earlier shoes, the oldest first."""
    earlier_marks: tuple[EarlierMark, ...] = ()
    """The marks of earlier shoes by round, from shoe `marks_from` on; of those before, only what is owed is known."""
    marks_from: int | None = None
    """`None` where no shoe's marks are kept by round: in older journals."""
    hand_entry: bool = False
    """The table is dealt by hand."""
    exchanged: str | None = None
    """The name of the shoe that was exchanged, until one is connected: it may be the same at another port, and report
    what it has kept."""
    by_hand_until_ns: int | None = None
    """When dealing by hand ended, until the shoe reports something that happened since."""
    entries_made: int = 0
    entered: tuple[EnteredCard, ...] = ()
    """Cards that people entered and the shoe may still report, the oldest first."""
    unentered: tuple[Card | None, ...] = ()
    """Cards that the shoe reported while the table is dealt by hand, and nobody has entered yet."""
    held: tuple[AnyShoeEvent, ...] = ()
    """What the shoe reported of cards since one that it marks as the first of a new shoe, until a supervisor decides
    which shoe they belong to (`opening.py`)."""


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
    def attempt(self) -> int:
        """How often the round was dealt; 0 without one."""
        return 0 if self.round is None else self.round.attempt

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
