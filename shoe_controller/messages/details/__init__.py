"""What exactly is wrong, beside an alert's kind or a card that was set aside: codes with their values.

No value here ever names the face of a card: a card that lies face down must not be given away.
"""

from shoe_controller.messages.details.base import Detail
from shoe_controller.messages.details.burning import (
    BurnCountDiffers,
    BurnedSoFar,
    BurnedTooMany,
    BurnsLeftDiffer,
    DealtBeforeBurn,
)
from shoe_controller.messages.details.cards import (
    AfterShoeEnd,
    AnotherRoundBegun,
    BurnedCardReused,
    BurnedInRound,
    CardMissingBefore,
    CardOfRound,
    CardProblem,
    CardRenamed,
    CardsTogether,
    CarriedCardDiffers,
    DueCardElsewhere,
    EnteredDiffers,
    FirstCardOfShoe,
    FirstOfNewShoe,
    HandNotNamed,
    IdentifiedMissingCard,
    IdentifiedOutOfRound,
    IdentifiedTwice,
    NoShoeOpen,
    NotEntered,
    OneTooMany,
    PlaceTaken,
    ProblemCard,
    StrayRenamed,
    UnknownCardCarried,
    WrongHand,
)
from shoe_controller.messages.details.controller import (
    AgeOfEvent,
    BrokerError,
    ClockStep,
    ControllerRestarted,
    DealtSign,
    DecoderMessage,
    EarlierDetail,
    EventsCameAgain,
    FaceReadAgain,
    HeadSource,
    JournalBehind,
    JournalSetAside,
    LineLooksLike,
    LinkDropped,
    MetController,
    NewJournalBegun,
    OperatingSystemError,
    OtherController,
    ShoeFault,
    ShoeRestarted,
    ShoeStoreFull,
    SilentController,
    SilentShoe,
    StatusBeyondJournal,
)
from shoe_controller.messages.details.people import CalledBy, FloodingUser, LateSeats, OpenDisputes, PinsGuessed
from shoe_controller.messages.details.results import (
    MarkDiffers,
    NoWinnerIndicated,
    ResultDiffersFaceDown,
    ResultMark,
    ShoeIndicates,
    WinnerDiffers,
)
from shoe_controller.messages.details.shoe import (
    ButtonBeforeEnd,
    FirstCardBeforeEnd,
    FromBadShoe,
    OldShoeUnheard,
    ProvenBad,
    RemainderOff,
    ShoeExchangedNow,
    ShoeProof,
)

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
    | DueCardElsewhere
    | AnotherRoundBegun
    | UnknownCardCarried
    | EnteredDiffers
    | NotEntered
    | IdentifiedTwice
    | IdentifiedMissingCard
    | IdentifiedOutOfRound
    | DealtBeforeBurn
    | BurnedSoFar
    | BurnedTooMany
    | BurnCountDiffers
    | BurnsLeftDiffer
    | ShoeIndicates
    | WinnerDiffers
    | NoWinnerIndicated
    | MarkDiffers
    | ResultDiffersFaceDown
    | ProvenBad
    | FromBadShoe
    | ButtonBeforeEnd
    | FirstCardBeforeEnd
    | RemainderOff
    | OldShoeUnheard
    | ShoeExchangedNow
    | LateSeats
    | CalledBy
    | OpenDisputes
    | PinsGuessed
    | FloodingUser
    | ShoeFault
    | ShoeStoreFull
    | ShoeRestarted
    | SilentShoe
    | FaceReadAgain
    | LinkDropped
    | ControllerRestarted
    | DecoderMessage
    | LineLooksLike
    | EventsCameAgain
    | AgeOfEvent
    | ClockStep
    | OperatingSystemError
    | JournalSetAside
    | JournalBehind
    | StatusBeyondJournal
    | OtherController
    | NewJournalBegun
    | SilentController
    | BrokerError
    | EarlierDetail
)

__all__ = [
    "AfterShoeEnd",
    "AgeOfEvent",
    "AnotherRoundBegun",
    "AnyDetail",
    "BrokerError",
    "BurnCountDiffers",
    "BurnedCardReused",
    "BurnedInRound",
    "BurnedSoFar",
    "BurnedTooMany",
    "BurnsLeftDiffer",
    "ButtonBeforeEnd",
    "CalledBy",
    "CardMissingBefore",
    "CardOfRound",
    "CardProblem",
    "CardRenamed",
    "CardsTogether",
    "CarriedCardDiffers",
    "ClockStep",
    "ControllerRestarted",
    "DealtBeforeBurn",
    "DealtSign",
    "DecoderMessage",
    "Detail",
    "DueCardElsewhere",
    "EarlierDetail",
    "EnteredDiffers",
    "EventsCameAgain",
    "FaceReadAgain",
    "FirstCardBeforeEnd",
    "FirstCardOfShoe",
    "FirstOfNewShoe",
    "FloodingUser",
    "FromBadShoe",
    "HandNotNamed",
    "HeadSource",
    "IdentifiedMissingCard",
    "IdentifiedOutOfRound",
    "IdentifiedTwice",
    "JournalBehind",
    "JournalSetAside",
    "LateSeats",
    "LineLooksLike",
    "LinkDropped",
    "MarkDiffers",
    "MetController",
    "NewJournalBegun",
    "NoShoeOpen",
    "NoWinnerIndicated",
    "NotEntered",
    "OldShoeUnheard",
    "OneTooMany",
    "OpenDisputes",
    "OperatingSystemError",
    "OtherController",
    "PinsGuessed",
    "PlaceTaken",
    "ProblemCard",
    "ProvenBad",
    "RemainderOff",
    "ResultDiffersFaceDown",
    "ResultMark",
    "ShoeExchangedNow",
    "ShoeFault",
    "ShoeIndicates",
    "ShoeProof",
    "ShoeRestarted",
    "ShoeStoreFull",
    "SilentController",
    "SilentShoe",
    "StatusBeyondJournal",
    "StrayRenamed",
    "UnknownCardCarried",
    "WinnerDiffers",
    "WrongHand",
]
