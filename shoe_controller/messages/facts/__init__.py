"""Every fact that a table can publish as an event. It never holds what may not be shown yet.

Facts are numbered without a gap (`seq`). A fact never changes once published: a correction is a new fact that names the
one it `replaces`. `TOPIC` is the last part of the topic on which it is published.
"""

from shoe_controller.messages.facts.alerts import AlertEnded, AlertRaised
from shoe_controller.messages.facts.base import EventTopic, Fact
from shoe_controller.messages.facts.cards import (
    MOST_CARDS,
    AsideCard,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardPlace,
    CardsAssigned,
    CardSetAside,
    CardsShown,
    EnteredCardConfirmed,
    ExtraCardDecided,
    Standing,
)
from shoe_controller.messages.facts.commission import CommissionCollected, CommissionWaived, DueCommission
from shoe_controller.messages.facts.disputes import Dispute, DisputeClosed, DisputeOpened, NoteMade, PaymentAdjusted
from shoe_controller.messages.facts.inventory import (
    CardCounted,
    FaceCount,
    Inventory,
    RemainderCounted,
    RunOutBegun,
)
from shoe_controller.messages.facts.journal import CheckpointSigned
from shoe_controller.messages.facts.people import ActProposed, DealerChanged, PersonActed, ProposalEnded, WrongPin
from shoe_controller.messages.facts.results import (
    ResultUndone,
    RoundAmended,
    RoundResult,
    RoundSettled,
    SettlementUndone,
)
from shoe_controller.messages.facts.rounds import (
    BettingClosed,
    BettingOpened,
    FreeHandAnnounced,
    RoundVoided,
    WagersChanged,
    WagersCorrected,
    WagersReturned,
)
from shoe_controller.messages.facts.shoe import (
    CardBurned,
    CutCardOut,
    HandEntryChanged,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
)

AnyFact = (
    ShoeOpened
    | CardBurned
    | CutCardOut
    | ShoeEnded
    | RunOutBegun
    | CardCounted
    | RemainderCounted
    | ShoeExchanged
    | ShoeLinkChanged
    | HandEntryChanged
    | BettingOpened
    | FreeHandAnnounced
    | WagersChanged
    | BettingClosed
    | RoundVoided
    | WagersCorrected
    | WagersReturned
    | CardDealt
    | EnteredCardConfirmed
    | CardsShown
    | CardCorrected
    | CardsAssigned
    | CardDiscarded
    | CardSetAside
    | ExtraCardDecided
    | RoundResult
    | ResultUndone
    | RoundSettled
    | SettlementUndone
    | RoundAmended
    | AlertRaised
    | AlertEnded
    | PersonActed
    | ActProposed
    | ProposalEnded
    | DealerChanged
    | WrongPin
    | NoteMade
    | DisputeOpened
    | DisputeClosed
    | PaymentAdjusted
    | CommissionCollected
    | CommissionWaived
    | CheckpointSigned
)

__all__ = [
    "MOST_CARDS",
    "ActProposed",
    "AlertEnded",
    "AlertRaised",
    "AnyFact",
    "AsideCard",
    "BettingClosed",
    "BettingOpened",
    "CardBurned",
    "CardCorrected",
    "CardCounted",
    "CardDealt",
    "CardDiscarded",
    "CardPlace",
    "CardSetAside",
    "CardsAssigned",
    "CardsShown",
    "CheckpointSigned",
    "CommissionCollected",
    "CommissionWaived",
    "CutCardOut",
    "DealerChanged",
    "Dispute",
    "DisputeClosed",
    "DisputeOpened",
    "DueCommission",
    "EnteredCardConfirmed",
    "EventTopic",
    "ExtraCardDecided",
    "FaceCount",
    "Fact",
    "FreeHandAnnounced",
    "HandEntryChanged",
    "Inventory",
    "NoteMade",
    "PaymentAdjusted",
    "PersonActed",
    "ProposalEnded",
    "RemainderCounted",
    "ResultUndone",
    "RoundAmended",
    "RoundResult",
    "RoundSettled",
    "RoundVoided",
    "RunOutBegun",
    "SettlementUndone",
    "ShoeEnded",
    "ShoeExchanged",
    "ShoeLinkChanged",
    "ShoeOpened",
    "Standing",
    "WagersChanged",
    "WagersCorrected",
    "WagersReturned",
    "WrongPin",
]
