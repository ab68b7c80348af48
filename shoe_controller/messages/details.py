"""What exactly is wrong, beside an alert's kind or a card that was set aside: codes with their values.

No value here ever names the face of a card: a card that lies face down must not be given away.
"""

from enum import StrEnum

from firmware_protocol.events import FaultCode, LinkDownCause
from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.sides import Side


class Detail(Code, frozen=True):
    """What exactly is wrong."""


# --- which card ------------------------------------------------------------------------------------------------------


class CardProblem(StrEnum):
    """What can be wrong with a card itself."""

    MISREAD = "misread"
    FOREIGN_CARD = "foreign_card"
    CARD_TWICE = "card_twice"
    TOO_MANY_COPIES = "too_many_copies"


class CardOfRound(Detail, frozen=True):
    """It is about a card of the round."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""


class FirstCardOfShoe(Detail, frozen=True):
    """It is about the first card of the shoe."""


class ProblemCard(Detail, frozen=True):
    """What is wrong with a card that lies in no hand."""

    problem: CardProblem
    """What is wrong with the card."""


class CardsTogether(Detail, frozen=True):
    """Several cards left the shoe at once."""

    cards: int
    """How many cards."""


class NoShoeOpen(Detail, frozen=True):
    """No shoe is open."""


class AfterShoeEnd(Detail, frozen=True):
    """The shoe has ended."""


class OneTooMany(Detail, frozen=True):
    """The round needs no more cards."""


# --- a card that has no place ----------------------------------------------------------------------------------------


class WrongHand(Detail, frozen=True):
    """A card went to one hand when it was the other's turn."""

    hand: Side
    """The hand that the card went to."""
    due: Side
    """The hand whose turn it was."""


class HandNotNamed(Detail, frozen=True):
    """The shoe does not report to which hand the card went."""


class CardMissingBefore(Detail, frozen=True):
    """The shoe reports a later card of the hand than the next one."""

    hand: Side
    """The hand that the card is reported for."""
    position: int
    """1-based position in the hand."""


class PlaceTaken(Detail, frozen=True):
    """The shoe reports a card for a place that has one already."""

    hand: Side
    """The hand that the card is reported for."""
    position: int
    """1-based position in the hand."""


class CardRenamed(Detail, frozen=True):
    """The shoe reports another face for a card than before."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""


class StrayRenamed(Detail, frozen=True):
    """The shoe reports another face for a card of a hand that was set aside."""

    hand: Side
    """The hand that the shoe gave as the card's place."""


class BurnedInRound(Detail, frozen=True):
    """The shoe reports a burned card in the middle of a round."""


class FirstOfNewShoe(Detail, frozen=True):
    """The shoe reports a card as the first of a new shoe."""


class CarriedCardDiffers(Detail, frozen=True):
    """The shoe reports another card than the one that was carried over."""


class BurnedCardReused(Detail, frozen=True):
    """The shoe carries over an extra card that was burned."""


class AnotherRoundBegun(Detail, frozen=True):
    """The shoe begins another round with an extra card as Player's first."""


class UnknownCardCarried(Detail, frozen=True):
    """The shoe carries over an extra card that it never reported."""


# --- faces that come later -------------------------------------------------------------------------------------------


class IdentifiedTwice(Detail, frozen=True):
    """The shoe identifies a card although every card that came is known."""


class IdentifiedMissingCard(Detail, frozen=True):
    """The shoe identifies a card of a hand that never came."""

    hand: Side
    """The hand that the card is reported for."""


class IdentifiedOutOfRound(Detail, frozen=True):
    """The shoe identifies a card of a hand when no round was under way."""

    hand: Side
    """The hand that the card is reported for."""


# --- burning ---------------------------------------------------------------------------------------------------------


class DealtBeforeBurn(Detail, frozen=True):
    """The shoe deals to a hand; no card was shown and none burned."""


class BurnedSoFar(Detail, frozen=True):
    """The shoe deals to a hand before all cards were burned."""

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


# --- results ---------------------------------------------------------------------------------------------------------


class ResultMark(StrEnum):
    """What a shoe can indicate beside the winner."""

    PLAYER_PAIR = "player_pair"
    BANKER_PAIR = "banker_pair"
    BANKER_SIX = "banker_six"


class ShoeIndicates(Detail, frozen=True):
    """The result that the shoe indicates."""

    winner: Winner
    """The winner that the shoe indicates."""


class WinnerDiffers(Detail, frozen=True):
    """The shoe indicates another winner than the cards give."""

    round: int
    """The round's number."""
    shoe: Winner
    """The winner that the shoe indicates."""
    cards: Winner
    """The winner by the cards."""


class NoWinnerIndicated(Detail, frozen=True):
    """The shoe ended the round without a winner."""

    round: int
    """The round's number."""
    cards: Winner
    """The winner by the cards."""


class MarkDiffers(Detail, frozen=True):
    """The shoe indicates a mark that the cards do not have."""

    round: int
    """The round's number."""
    mark: ResultMark
    """The mark that the shoe indicates."""


class ResultDiffersFaceDown(Detail, frozen=True):
    """The shoe's result is not that of the cards, which still lie face down: what they give is not said."""

    round: int
    """The round's number."""


# --- wagers and people -----------------------------------------------------------------------------------------------


class LateSeats(Detail, frozen=True):
    """Seats whose wagers changed after the first card had left the shoe."""

    seats: tuple[str, ...]
    """The seats, as in `info`."""


class CalledBy(Detail, frozen=True):
    """Who called."""

    person: str
    """The person's id; `dealer` where the request named no person."""


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


# --- shoe, line and controller ---------------------------------------------------------------------------------------


class ShoeFault(Detail, frozen=True):
    """A fault that the shoe reports."""

    fault: FaultCode
    """The kind of fault."""
    number: int | None = None
    """The shoe's own number for it, where it has one."""


class ShoeStoreFull(Detail, frozen=True):
    """The shoe could not keep its events."""


class ShoeRestarted(Detail, frozen=True):
    """The shoe restarted; events that it had not sent are lost."""


class SilentShoe(Detail, frozen=True):
    """The shoe was silent for a while, and does not repeat what it sent then."""


class LinkDropped(Detail, frozen=True, tag="link_lost"):
    """The line to the shoe was lost."""

    cause: LinkDownCause
    """How it was lost."""


class ControllerRestarted(Detail, frozen=True):
    """The controller restarted, and has received nothing from the shoe since."""


class DecoderMessage(Detail, frozen=True):
    """What the decoder of the shoe's line reported."""

    text: str
    """The decoder's message, in English."""


class ClockStep(Detail, frozen=True):
    """By how much the clock was set."""

    by_ms: int
    """Milliseconds that the clock was set forward; negative if it was set back."""


class OperatingSystemError(Detail, frozen=True, tag="system_error"):
    """What the operating system or the storage reported."""

    text: str
    """The message, as it was reported."""


class JournalSetAside(Detail, frozen=True):
    """A damaged journal was set aside; the controller's log says what is wrong with it."""

    files: tuple[str, ...]
    """The names of the files that were set aside, beside the journal."""


class HeadSource(StrEnum):
    """Where the head of a journal was noted."""

    ANCHOR = "anchor"
    STATUS = "status"


class JournalBehind(Detail, frozen=True):
    """An older copy of the journal was in its place; this journal was begun, and takes over what that one held."""

    journal: str
    """The older copy's journal id."""
    number: int
    """The number of the older copy's last record."""
    hash: str
    """The hash of that record."""
    noted: int
    """The number of a record that the journal had had."""
    noted_hash: str
    """The hash of that record."""
    source: HeadSource
    """Where that was noted."""
    file: str
    """The name of the older copy, which is kept beside the journal."""


class StatusBeyondJournal(Detail, frozen=True):
    """The broker had a `status` of this table, without a valid seal, that does not fit the journal."""

    number: int
    """The number of the journal's last record."""
    noted: int
    """The number of the record that the message names."""


class BrokerError(Detail, frozen=True):
    """What the broker reported."""

    text: str
    """The name of the broker's reason code, as MQTT 5 has it."""


class EarlierDetail(Detail, frozen=True):
    """From a journal of layout version 1, which stored an English sentence."""

    text: str
    """The sentence that was stored."""


AnyDetail = (
    CardOfRound
    | FirstCardOfShoe
    | ProblemCard
    | CardsTogether
    | NoShoeOpen
    | AfterShoeEnd
    | OneTooMany
    | WrongHand
    | HandNotNamed
    | CardMissingBefore
    | PlaceTaken
    | CardRenamed
    | StrayRenamed
    | BurnedInRound
    | FirstOfNewShoe
    | CarriedCardDiffers
    | BurnedCardReused
    | AnotherRoundBegun
    | UnknownCardCarried
    | IdentifiedTwice
    | IdentifiedMissingCard
    | IdentifiedOutOfRound
    | DealtBeforeBurn
    | BurnedSoFar
    | BurnCountDiffers
    | BurnsLeftDiffer
    | ShoeIndicates
    | WinnerDiffers
    | NoWinnerIndicated
    | MarkDiffers
    | ResultDiffersFaceDown
    | LateSeats
    | CalledBy
    | PinsGuessed
    | FloodingUser
    | ShoeFault
    | ShoeStoreFull
    | ShoeRestarted
    | SilentShoe
    | LinkDropped
    | ControllerRestarted
    | DecoderMessage
    | ClockStep
    | OperatingSystemError
    | JournalSetAside
    | JournalBehind
    | StatusBeyondJournal
    | BrokerError
    | EarlierDetail
)
