"""All that can happen to a table. Each input goes into the journal as it is, with its time beside it.

Whatever decides is in here: the table has no other source, so the same inputs always lead to the same facts.
"""

from enum import Enum

import msgspec

from firmware_protocol.events import AnyStoredEvent, LineLook, LinkDownCause
from firmware_protocol.link import RefusedCause
from shoe_controller.messages.acts import AnyAct, Role
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.details import DealtSign, JournalBehind, MetController
from shoe_controller.messages.facts import Inventory
from shoe_controller.messages.requests import Stake
from shoe_controller.table.past import AnyPast
from shoe_controller.table.state import Lasting, Mark, RulesSource, StandingWager, TableState, Timer


class Input(msgspec.Struct, frozen=True, kw_only=True, tag_field="input"):
    """The common base; never instantiated itself."""


class ShoeReport(Input, frozen=True, kw_only=True, tag="shoe_report"):
    """The shoe reported an event."""

    event: AnyStoredEvent
    sequence: int
    boot_id: int | None = None
    age_ms: int = 0
    """How long ago it happened."""


class PinVerdict(Enum):
    NOT_GIVEN = "not_given"
    RIGHT = "right"
    WRONG = "wrong"


class NewShoeLine(msgspec.Struct, frozen=True, kw_only=True, tag="new_shoe_line"):
    """The line that the table's file names now."""

    wire: str
    port: str


class BadShoeSection(msgspec.Struct, frozen=True, kw_only=True, tag="bad_shoe_section"):
    """The table's file, or its section of the shoe, cannot be used."""

    text: str
    """What is wrong with it."""


class PersonActs(Input, frozen=True, kw_only=True, tag="person_acts"):
    """A person acts. The PIN itself never comes here, only the result of its check."""

    act: AnyAct
    person: str
    role: Role
    pin: PinVerdict = PinVerdict.NOT_GIVEN
    reason: str = ""
    shoe: int
    round: int
    """The shoe and round that the person means: an act for another round is late."""
    request_id: str = ""
    contents: str = ""
    """A digest of the request: one with the same id and other contents is refused. Empty in older journals."""
    user: str = ""
    """The broker's user who sent the request; empty in older journals."""
    past: AnyPast | None = None
    """What the journal has of the round that an amendment, or its approval, is about: the shell adds it."""
    token_digest: str = ""
    """A digest of the token that a dealer's request carries; the token itself never comes here. Empty without one."""
    line: NewShoeLine | BadShoeSection | None = None
    """What the table's file says of the shoe, where this act exchanges it: the shell adds it."""


class SeatBets(Input, frozen=True, kw_only=True, tag="seat_bets"):
    """A seat places, changes or withdraws wagers: all of these, or none of them."""

    seat: str
    stakes: tuple[Stake, ...]
    shoe: int
    round: int
    request_id: str = ""
    contents: str = ""
    user: str = ""
    """As in `PersonActs`."""


class TimerRanOut(Input, frozen=True, kw_only=True, tag="timer_ran_out"):
    timer: Timer


class LinkLost(Input, frozen=True, kw_only=True, tag="link_lost"):
    reason: str
    """What the link reported, in English: for the record."""
    how: LinkDownCause | None = None
    """Null in journals of layout version 1."""


class LinkBack(Input, frozen=True, kw_only=True, tag="link_back"):
    keeps_events: bool
    authenticated: bool
    boot_id: int | None = None
    shoe_name: str = ""
    nonce: str = ""
    """The shoe's nonce of the session, in hexadecimal digits: for the link, which must know it after a restart."""
    can_blink: bool = False
    """The wire has a message that makes the shoe blink or beep."""


class EventsMissed(Input, frozen=True, kw_only=True, tag="events_missed"):
    """The numbers of the shoe's events have a gap, or the count of its cards does not fit."""

    reason: str
    joined: bool = False
    """They were sent before the line was opened."""


class LineRefused(Input, frozen=True, kw_only=True, tag="line_refused"):
    """Bytes on the line were well-formed but not authentic."""

    reason: str
    why: RefusedCause | None = None
    """Each has an alert of its own; null in older journals."""


class LineStrange(Input, frozen=True, kw_only=True, tag="line_strange"):
    """What comes from the shoe's port is plainly of another wire or speed than the table's file says."""

    looks_like: LineLook


class AgeImpossible(Input, frozen=True, kw_only=True, tag="age_impossible"):
    """The shoe said an age of its next event that cannot be; the event comes with one that can."""

    sequence: int
    reported_ms: int
    taken_ms: int


class GateUnanswered(Input, frozen=True, kw_only=True, tag="gate_unanswered"):
    """The shoe did not answer a command to its gate, or refused it."""

    reason: str


class GateAnswered(Input, frozen=True, kw_only=True, tag="gate_answered"):
    """The shoe obeys commands to its gate again."""


class ClockStepped(Input, frozen=True, kw_only=True, tag="clock_stepped"):
    by_ms: int


class ControllerStarted(Input, frozen=True, kw_only=True, tag="controller_started"):
    """The first input after every start of the program: the line to the shoe is not open yet."""

    boot: str
    """The machine's boot id."""
    revision: int = 1
    """Revision of the table's decisions that this program makes (`REVISION` in `state.py`); 1 in older journals."""
    dealer_signs_in: bool = False
    """As the table's file says it now, for the time before the first shoe; false in older journals."""


class DealerStruckOff(Input, frozen=True, kw_only=True, tag="dealer_struck_off"):
    """The dealer on duty is no longer among the people of the table's file."""

    person: str


class ProposerStruckOff(Input, frozen=True, kw_only=True, tag="proposer_struck_off"):
    """The person whose proposal waits for another is no longer a supervisor in the table's file."""

    person: str


class JournalTrouble(Enum):
    FULL = "journal_full"
    DAMAGED = "journal_damaged"


class JournalFailed(Input, frozen=True, kw_only=True, tag="journal_failed"):
    """Nothing could be stored for a while, or an earlier journal had to be set aside. Stored as soon as it can be."""

    trouble: JournalTrouble
    detail: str
    set_aside: tuple[str, ...] = ()
    """The names of the damaged files; none in journals of layout version 1."""


class StatusAhead(Input, frozen=True, kw_only=True, tag="status_ahead"):
    """The broker had a `status` of this table that does not fit the journal, and that nobody vouches for."""

    number: int
    noted: int
    """As in `StatusBeyondJournal`."""


class DealtBefore(Input, frozen=True, kw_only=True, tag="dealt_before"):
    """The broker had a `status` of this table from another journal, and this one was begun as that of a new table."""

    journal: str
    """The journal that the message names."""


class ControllerMet(Input, frozen=True, kw_only=True, tag="controller_met"):
    """Another controller of this table was met."""

    how: MetController
    host: str
    address: str
    """As in `OtherController`."""


class MessagesRefused(Input, frozen=True, kw_only=True, tag="messages_refused"):
    """The broker is connected and refuses what the table publishes."""

    reason: str


class MessagesTaken(Input, frozen=True, kw_only=True, tag="messages_taken"):
    """The broker accepts the table's messages again."""


class RequestsFlooded(Input, frozen=True, kw_only=True, tag="requests_flooded"):
    """A client sends more requests than are served; most of them are dropped."""

    user: str
    """The broker's user."""


class CheckpointMade(Input, frozen=True, kw_only=True, tag="checkpoint_signed"):
    """A signed checkpoint is in the journal, and its key is removed: it can be published."""

    checkpoint: Checkpoint


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a shoe that was still in play when the next one was opened."""

    round: int
    wagers: tuple[StandingWager, ...]
    cards_out: int
    commission: tuple[tuple[str, int], ...]
    revision: int = 1
    """As in `Shoe`; 1 in older journals."""
    inventory: Inventory | None = None
    """As in `ShoeEnded`; nothing in older journals."""


class NewShoe(Input, frozen=True, kw_only=True, tag="new_shoe"):
    """A shoe is opened. It carries all that a replay needs, and the act or event that opened it."""

    rules: RulesSource
    lasting: Lasting
    closing: Closing | None
    commission: tuple[tuple[str, int], ...] = ()
    """What is still owed of a shoe that ended before, by seat; that of one still in play is in `closing`."""
    marks: tuple[Mark, ...] | None = None
    """Commission marked in the shoe before, by round; `None` where it was not kept by round, and in older journals."""
    cause: PersonActs | ShoeReport
    revision: int = 1
    """Revision of the table's decisions that this shoe is handled with (`REVISION` in `state.py`)."""


class Snapshot(Input, frozen=True, kw_only=True, tag="snapshot"):
    """The whole state, so that a replay can begin here: before the first shoe, and when the program was changed."""

    state: TableState


class RolledBack(Input, frozen=True, kw_only=True, tag="rolled_back"):
    """The first input of a journal that replaces one that was rolled back; it takes over that one's state."""

    state: TableState
    """With the numbers of events set to 0: see `succession.py`."""
    behind: JournalBehind


class JournalBegun(Input, frozen=True, kw_only=True, tag="journal_begun"):
    """The first input of a journal that a person has begun in place of one that is not there."""

    state: TableState
    """That of a new table: what was dealt before is not known."""
    signs: tuple[DealtSign, ...]
    """What said then that the table had dealt before; none for a new table."""


AnyInput = (
    ShoeReport
    | PersonActs
    | SeatBets
    | TimerRanOut
    | LinkLost
    | LinkBack
    | EventsMissed
    | LineRefused
    | LineStrange
    | GateUnanswered
    | GateAnswered
    | AgeImpossible
    | ClockStepped
    | ControllerStarted
    | DealerStruckOff
    | ProposerStruckOff
    | JournalFailed
    | StatusAhead
    | DealtBefore
    | ControllerMet
    | MessagesRefused
    | MessagesTaken
    | RequestsFlooded
    | CheckpointMade
    | NewShoe
    | Snapshot
    | RolledBack
    | JournalBegun
)
