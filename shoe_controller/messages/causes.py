"""Why something ended or was given back: alerts, shoes, proposals, wagers. Codes with their values."""

from enum import StrEnum

from shoe_controller.baccarat.codes import Code


class CorrectionCause(StrEnum):
    """Why wagers are others than when they were closed."""

    SET = "set"
    """A supervisor set a stake, or removed a wager."""
    MOVED = "moved"
    """A supervisor moved a wager to another seat."""
    LATE = "late"
    """What was changed after the first card had left the shoe does not count."""


class ReturnCause(StrEnum):
    """Why wagers were returned before their round was settled."""

    SHOE_OPENED = "shoe_opened"
    """The next shoe was opened."""
    SHOE_ENDED = "shoe_ended"
    """The shoe ended."""
    RESULT_UNDONE = "result_undone"
    """The result of the round before was taken back."""
    CARD_SHOWN = "card_shown"
    """Everyone had seen the card that begins the round."""
    LATE = "late"
    """They were placed after the first card had left the shoe."""
    EARLIER = "earlier"
    """From a journal of layout version 1, which stored a sentence."""


class DiscardCause(StrEnum):
    """Why a card of the round was discarded."""

    FACE_UP = "face_up"
    """It lay face up in the shoe."""
    DAMAGED = "damaged"
    """It is damaged or marked."""
    FOREIGN = "foreign"
    """It does not belong to this table's decks."""


class AlertEndCause(Code, frozen=True):
    """Why an alert ended."""


class EndedByPerson(AlertEndCause, frozen=True):
    """A person cleared it, or put it right."""

    person: str
    """The person's id."""


class EndedByShoe(AlertEndCause, frozen=True):
    """The shoe reported what was missing."""


class NewShoeOpened(AlertEndCause, frozen=True):
    """A new shoe was opened."""


class RoundSettledNow(AlertEndCause, frozen=True, tag="round_settled"):
    """The round was settled."""


class RoundVoidedNow(AlertEndCause, frozen=True, tag="round_voided"):
    """The round was voided."""


class ResultTakenBack(AlertEndCause, frozen=True):
    """The result was taken back."""


class ShoeEndedNow(AlertEndCause, frozen=True, tag="shoe_ended"):
    """The shoe ended."""


class CardCame(AlertEndCause, frozen=True):
    """The card that was due came."""


class CardDue(AlertEndCause, frozen=True):
    """By the corrected cards, another card is due."""


class ShoeRestartedNow(AlertEndCause, frozen=True, tag="shoe_restarted"):
    """The shoe restarted."""


class FaultClearedNow(AlertEndCause, frozen=True, tag="fault_cleared"):
    """The shoe reported the end of the fault."""


class ShoeBack(AlertEndCause, frozen=True):
    """The shoe is back and has kept every event."""


class GateObeyed(AlertEndCause, frozen=True):
    """The shoe answers commands to its gate again."""


class SessionBegun(AlertEndCause, frozen=True):
    """A session with the shoe has begun: both sides hold the same key and speak the same version."""


class MoreCameAgain(AlertEndCause, frozen=True):
    """One more event came again; the alert is raised anew, and counts it too."""


class StoringAgain(AlertEndCause, frozen=True):
    """The journal can be written to again."""


class PublishingAgain(AlertEndCause, frozen=True):
    """The broker accepts the table's messages again."""


AnyAlertEnd = (
    EndedByPerson
    | EndedByShoe
    | NewShoeOpened
    | RoundSettledNow
    | RoundVoidedNow
    | ResultTakenBack
    | ShoeEndedNow
    | CardCame
    | CardDue
    | ShoeRestartedNow
    | FaultClearedNow
    | ShoeBack
    | GateObeyed
    | SessionBegun
    | MoreCameAgain
    | StoringAgain
    | PublishingAgain
)


class ShoeEndCause(Code, frozen=True):
    """Why a shoe ended."""


class LastRoundOver(ShoeEndCause, frozen=True):
    """Its last round is over."""


class NextShoeOpened(ShoeEndCause, frozen=True):
    """The next shoe was opened."""


class EndedEarly(ShoeEndCause, frozen=True):
    """A supervisor ended it."""

    reason: str
    """What the supervisor gave as the reason."""


AnyShoeEnd = LastRoundOver | NextShoeOpened | EndedEarly


class ProposalEndCause(Code, frozen=True):
    """Why a proposal ended without having been approved."""


class ProposalTimedOut(ProposalEndCause, frozen=True):
    """It was not approved in time."""


class ProposalReplaced(ProposalEndCause, frozen=True):
    """Another proposal took its place."""


class ProposalWithdrawn(ProposalEndCause, frozen=True):
    """A supervisor withdrew it."""

    person: str
    """The person's id."""


class ProposalShoeOpened(ProposalEndCause, frozen=True):
    """A new shoe was opened."""


class ProposalRoundVoided(ProposalEndCause, frozen=True):
    """The round was voided."""


class ProposalStruckOff(ProposalEndCause, frozen=True):
    """The person who made it is no longer a supervisor in the table's file."""


class EarlierProposalEnd(ProposalEndCause, frozen=True):
    """From a journal of layout version 1, which stored a sentence."""

    text: str
    """The sentence that was stored."""


AnyProposalEnd = (
    ProposalTimedOut
    | ProposalReplaced
    | ProposalWithdrawn
    | ProposalShoeOpened
    | ProposalRoundVoided
    | ProposalStruckOff
    | EarlierProposalEnd
)
