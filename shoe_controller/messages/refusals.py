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


class NotSignedIn(Refusal, frozen=True):
    """The person or the token is not that of the dealer on duty. Sign in: `sign_in` with a PIN and a new token."""


class TokenMissing(Refusal, frozen=True):
    """A dealer's `sign_in` needs a token here: a random secret of the terminal, which goes with every act after it."""


class NobodyOnDuty(Refusal, frozen=True):
    """No dealer is on duty who could be signed out."""


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


class TooManyChanges(Refusal, frozen=True):
    """The seat has changed its wagers too often in this round. After the close a supervisor can put them right."""

    seat: str
    """The seat in the request."""
    most: int
    """How often a seat can change its wagers in a round."""


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


class OrderDisturbed(Refusal, frozen=True):
    """No card can have left the shoe there: by the rules, the others would lie elsewhere. Check, or void the round."""


class CardWaits(Refusal, frozen=True):
    """A card that the shoe has reported and that waits to be dealt may be this one. Enter only one that it did not."""


class CarriedCardIsFirst(Refusal, frozen=True):
    """The carried card is Player's first: a card that left the shoe since comes after it."""


class CardsLieFaceDown(Refusal, frozen=True):
    """Cards lie face down; show them first."""


class CannotBlink(Refusal, frozen=True):
    """No shoe is connected that can be made to blink."""


class NotInHandEntry(Refusal, frozen=True):
    """The table is not dealt by hand."""


class InHandEntry(Refusal, frozen=True):
    """The table is dealt by hand already."""


class CutCardIsOut(Refusal, frozen=True):
    """The cut card is out already."""


class NoExtraCard(Refusal, frozen=True):
    """There is no extra card."""


class ExtraCardAwaited(Refusal, frozen=True):
    """The shoe has reported an over-draw and not yet its card: it is decided on when it has come."""


class OnlyBurned(Refusal, frozen=True):
    """This card can only be burned: it was not drawn after a complete round, or another one is carried already."""


class CardWasShown(Refusal, frozen=True):
    """Everyone has seen this card: here it can only be burned (`shown_card`)."""


class NotAllCards(Refusal, frozen=True):
    """The request does not name every card of the round, in the order of the draw."""

    cards: int
    """How many cards the round has, those in no hand included."""


class NotByRules(Refusal, frozen=True):
    """By the drawing rules, a card does not belong where the request puts it."""

    number: int
    """1-based position of the card in the order of the draw."""


class OrderUnknown(Refusal, frozen=True):
    """The order in which the cards left the shoe is not known: the round can only be voided."""


class OtherCard(Refusal, frozen=True):
    """Another card lies at this position than the request names."""

    number: int
    """The position in the request."""


class NothingDiscarded(Refusal, frozen=True):
    """At this table a card is not discarded (`discarded_card`): the round is voided."""


class NothingToVoid(Refusal, frozen=True):
    """No wager and no card lies on the table."""


class NothingToUndo(Refusal, frozen=True):
    """There is no settled round to take back."""


class NothingChanges(Refusal, frozen=True):
    """It is as the request says already."""


class RoundNotFound(Refusal, frozen=True):
    """The journal has no result of this round: it was voided, is not over, is in an earlier journal, or cannot be read.

    `shoe-controller journal verify` says whether the journal is damaged.
    """

    shoe: int
    """The shoe in the request."""
    round: int
    """The round in the request."""


class RoundPruned(Refusal, frozen=True):
    """The round is no longer in the journal. It is in the export, from which it has to be put right by hand."""

    shoe: int
    """The shoe in the request."""
    round: int
    """The round in the request."""
    export: str
    """The name of the file that holds the shoe."""


class CardNamedTwice(Refusal, frozen=True):
    """The request names one card twice."""

    number: int
    """The position in the request."""


class NoWholeRound(Refusal, frozen=True):
    """With these cards another card would have been drawn, or one less: they are not the cards of this round."""


class TooManyCopiesRefused(Refusal, frozen=True, tag="too_many_copies"):
    """The shoe does not hold so many of this card."""

    card: str
    """The card, as in `"9H"`."""


class ShoeIsBad(Refusal, frozen=True):
    """The shoe is proven bad: a round of it can be voided, but not dealt again. End the shoe."""


class RoundTakenBack(Refusal, frozen=True):
    """The result of this round was taken back after it was paid: deal it again, or void it, before the shoe ends."""


class RemainderNotCounted(Refusal, frozen=True):
    """The cards that are left must be counted before the next shoe: `end_shoe`, then `count_remainder` or a run-out."""

    expected: int
    """Cards that must be left."""


class RunOutUnderWay(Refusal, frozen=True):
    """The cards that are left are being drawn through the reader: `end_run_out` comes first."""


class NoRunOut(Refusal, frozen=True):
    """No cards are being drawn through the reader to be counted."""


class ShoeSectionRefused(Refusal, frozen=True):
    """The `[shoe]` section of the table's file cannot be used; the shoe stays the one that it was."""

    text: str
    """What is wrong with it."""


class NothingToAccept(Refusal, frozen=True):
    """The journal was not rolled back, or two supervisors have accepted it already."""


class NoSuchRound(Refusal, frozen=True):
    """The table has not come to that round."""

    shoe: int
    """The shoe in the request."""
    round: int
    """The round in the request; 0 where it names none."""


class NoSuchSeat(Refusal, frozen=True):
    """There is no such seat."""

    seat: str
    """The seat in the request."""
    seats: tuple[str, ...]
    """The seats of the table."""


class NoSuchDispute(Refusal, frozen=True):
    """The dispute does not exist, or is closed."""

    number: int
    """The number in the request."""


class TooManyDisputes(Refusal, frozen=True):
    """No more disputes can be open at once. Close one first."""

    most: int
    """How many can be open at once."""


class NothingToAdjust(Refusal, frozen=True):
    """The amount is 0."""


class NoCommissionDue(Refusal, frozen=True):
    """The seat owes no marked commission."""

    seat: str
    """The seat in the request."""


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
    | NotSignedIn
    | TokenMissing
    | NobodyOnDuty
    | NotASupervisor
    | ReasonMissing
    | NoProposal
    | SamePerson
    | BettingClosedRefused
    | FreeHandRefused
    | NoSuchWager
    | TooManyChanges
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
    | OrderDisturbed
    | CardWaits
    | CarriedCardIsFirst
    | CardsLieFaceDown
    | CannotBlink
    | NotInHandEntry
    | InHandEntry
    | CutCardIsOut
    | NoExtraCard
    | ExtraCardAwaited
    | OnlyBurned
    | CardWasShown
    | NotAllCards
    | NotByRules
    | OrderUnknown
    | OtherCard
    | NothingDiscarded
    | NothingToVoid
    | NothingToUndo
    | NothingChanges
    | RoundNotFound
    | RoundPruned
    | CardNamedTwice
    | NoWholeRound
    | TooManyCopiesRefused
    | ShoeIsBad
    | RoundTakenBack
    | RemainderNotCounted
    | RunOutUnderWay
    | NoRunOut
    | ShoeSectionRefused
    | NothingToAccept
    | NoSuchRound
    | NoSuchSeat
    | NoSuchDispute
    | TooManyDisputes
    | NothingToAdjust
    | NoCommissionDue
    | EarlierRefusal
    | AnyWagerRefusal
)
