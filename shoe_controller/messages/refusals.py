"""Why a request was refused: codes with their values. Wager limits are in `baccarat/wager_refusals.py`."""

from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.wager_refusals import AnyWagerRefusal
from shoe_controller.messages.acts import ActName
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.phases import Phase


class Refusal(Code, frozen=True):
    """Why a request was refused; nothing was done."""


# --- the request itself ----------------------------------------------------------------------------------------------


class UnknownRequest(Refusal, frozen=True):
    """This role has no request of that name. Compare the topic with the table of topics."""


class BadRequest(Refusal, frozen=True):
    """The payload does not match the schema."""

    text: str
    """What the decoder reported."""


class Retained(Refusal, frozen=True):
    """Requests must not be retained. Clear the topic with an empty retained message and send the request again."""


class NoResponseTopic(Refusal, frozen=True):
    """A replay needs a response topic to send the events to."""


class Failed(Refusal, frozen=True):
    """The controller failed; its log says why. Nothing was done."""


class OtherContents(Refusal, frozen=True):
    """A request with this id and other contents was already served. Use a new id for a new request."""


class Pruned(Refusal, frozen=True):
    """The requested events are no longer in the journal. Continue with a replay after `oldest` - 1."""

    oldest: int
    """The number of the oldest event that is still there."""


class BeyondNewest(Refusal, frozen=True):
    """The requested events do not exist yet; `newest` is the number of the last one."""

    newest: int
    """The number of the newest event."""


class Busy(Refusal, frozen=True):
    """Too many PIN checks or replays are waiting. Send the same request again in a moment."""


class JournalFull(Refusal, frozen=True):
    """The controller cannot store anything at present, so nothing is done. See `status`."""


class OtherRound(Refusal, frozen=True):
    """The request names another shoe or round than the table is at. Read `state` before sending another."""

    shoe: int
    """The shoe that the request names."""
    round: int
    """The round that the request names."""
    table_shoe: int
    """Where the table is."""
    table_round: int
    """The round that the table is at."""


class NotNow(Refusal, frozen=True):
    """The act is not possible in this phase."""

    act: ActName
    """The act that was requested."""
    phase: Phase
    """The phase that the table is in, as in `state`."""


class TableStopped(Refusal, frozen=True, tag="stopped"):
    """An alert stops the table; it must end first."""


class NoShoeLink(Refusal, frozen=True):
    """The shoe is not connected."""


# --- people ----------------------------------------------------------------------------------------------------------


class PinMissing(Refusal, frozen=True):
    """A supervisor's act, and signing in, need a person and a PIN."""


class WrongPinRefused(Refusal, frozen=True, tag="wrong_pin"):
    """The person or the PIN is wrong; the answer does not say which."""

    locked_out: bool = False
    """Whether the person is locked out at this terminal now."""


class LockedOut(Refusal, frozen=True):
    """Too many wrong PINs at this terminal. No PIN is checked until the pause is over; each pause is longer."""

    person: str
    """The id that the request gave."""
    seconds: int
    """How long the person is still locked out at this terminal."""


class NotASupervisor(Refusal, frozen=True):
    """For a supervisor, with a PIN: send it under `request/supervisor/`."""


class ReasonMissing(Refusal, frozen=True):
    """The act needs a reason."""


class NoProposal(Refusal, frozen=True):
    """The proposal does not exist, or has ended."""

    proposal: int
    """The number in the request."""


class SamePerson(Refusal, frozen=True):
    """Another person than the one who proposed it must approve."""


# --- wagers ----------------------------------------------------------------------------------------------------------


class BettingClosedRefused(Refusal, frozen=True, tag="betting_closed"):
    """Wagers are not open."""


class FreeHandRefused(Refusal, frozen=True, tag="free_hand"):
    """The round is a free hand, dealt without wagers."""


class NoSuchWager(Refusal, frozen=True):
    """The seat has no wager of that name to take back."""

    seat: str
    """The seat in the request."""
    wager: str
    """The wager in the request."""


class WagerNamedTwice(Refusal, frozen=True):
    """The request names one wager twice."""

    wager: str
    """The wager in the request."""


class OtherSeat(Refusal, frozen=True):
    """The broker user of this request may bet for its own seat alone."""

    seat: str
    """The seat that the user may bet for."""


# --- acts at the table -----------------------------------------------------------------------------------------------


class WagersStand(Refusal, frozen=True):
    """Wagers stand; they must be taken back before a free hand."""


class NoSuchAlert(Refusal, frozen=True):
    """The alert does not exist, or has ended."""

    number: int
    """The number in the request."""


class CannotBeCleared(Refusal, frozen=True):
    """This alert is not cleared but put right; its `ended_by` says by which acts."""

    kind: AlertKind
    """What went wrong."""


class LidOpen(Refusal, frozen=True):
    """The lid of the shoe is still open."""


class NotByDealer(Refusal, frozen=True):
    """At this table the dealer does not show the cards."""


class NothingHidden(Refusal, frozen=True):
    """No card that the request concerns lies face down."""


class CardMissing(Refusal, frozen=True):
    """The request does not name the card."""


class NoSuchCard(Refusal, frozen=True):
    """The round has no card at this position."""

    number: int
    """The position in the request."""


class CardIsKnown(Refusal, frozen=True):
    """The card is known; if it is wrong, correct it."""


class CardIsUnknown(Refusal, frozen=True):
    """The card is not known; identify it."""


class SameCard(Refusal, frozen=True):
    """The card has that face already."""


class ForeignCardRefused(Refusal, frozen=True, tag="foreign_card"):
    """A foreign card cannot be part of a round, which can only be voided."""


class NoExtraCard(Refusal, frozen=True):
    """There is no extra card."""


class OnlyBurned(Refusal, frozen=True):
    """This card can only be burned: it was not drawn after a complete round, or another one is carried already."""


class NothingToVoid(Refusal, frozen=True):
    """No wager and no card lies on the table."""


class NothingToUndo(Refusal, frozen=True):
    """There is no settled round to take back."""


class NothingToAccept(Refusal, frozen=True):
    """The journal was not rolled back, or two supervisors have accepted it already."""


class EarlierRefusal(Refusal, frozen=True):
    """From a journal of layout version 1, which stored a code and a sentence."""

    earlier_code: str
    """The code that was stored."""
    text: str
    """The sentence that was stored."""


AnyRefusal = (
    UnknownRequest
    | BadRequest
    | Retained
    | NoResponseTopic
    | Failed
    | OtherContents
    | Pruned
    | BeyondNewest
    | Busy
    | JournalFull
    | OtherRound
    | NotNow
    | TableStopped
    | NoShoeLink
    | PinMissing
    | WrongPinRefused
    | LockedOut
    | NotASupervisor
    | ReasonMissing
    | NoProposal
    | SamePerson
    | BettingClosedRefused
    | FreeHandRefused
    | NoSuchWager
    | WagerNamedTwice
    | OtherSeat
    | WagersStand
    | NoSuchAlert
    | CannotBeCleared
    | LidOpen
    | NotByDealer
    | NothingHidden
    | CardMissing
    | NoSuchCard
    | CardIsKnown
    | CardIsUnknown
    | SameCard
    | ForeignCardRefused
    | NoExtraCard
    | OnlyBurned
    | NothingToVoid
    | NothingToUndo
    | NothingToAccept
    | EarlierRefusal
    | AnyWagerRefusal
)
