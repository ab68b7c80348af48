"""What happens at the table as short lines for people, each with the colour it is drawn in. Pure."""

from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.messages.acts import AnyAct, ClearAlert, EnterCard, IdentifyCard
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import (
    ActProposed,
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingOpened,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardsAssigned,
    CardSetAside,
    CardsShown,
    CommissionCollected,
    CommissionWaived,
    CutCardOut,
    DealerChanged,
    DisputeClosed,
    DisputeOpened,
    EnteredCardConfirmed,
    ExtraCardDecided,
    FreeHandAnnounced,
    HandEntryChanged,
    NoteMade,
    PaymentAdjusted,
    PersonActed,
    RemainderCounted,
    RoundAmended,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
    WagersCorrected,
)
from shoe_controller.words.render import ENGLISH

_IN_ASCII = str.maketrans({"─": "-", "·": "-", "…": ".", "’": "'", "“": '"', "”": '"'})
_SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}

GOOD, BAD, WARNING, FAULT, QUIET = "green", "bold red", "yellow", "bold magenta", "dim"
WINNER_STYLES = {"player": "bold blue", "banker": "bold red", "tie": "bold green"}


class StyledText(NamedTuple):
    words: str
    style: str = ""


def face(card: Card | None) -> str:
    """As people write it: "10♥"; the letters of the suits where a terminal cannot show them are the screen's matter."""
    if card is None:
        return "??"
    rank, suit = card.value
    return f"{'10' if rank == 'T' else rank}{_SUITS[suit]}"


def in_letters(text: str) -> str:
    """For a terminal that cannot show the suits."""
    for letter, sign in _SUITS.items():
        text = text.replace(sign, letter)
    return text.translate(_IN_ASCII)


def line_for(fact: AnyFact, reason: str) -> StyledText | None:  # noqa: C901, PLR0911, PLR0912, PLR0915 - a sentence for each fact
    """The line for a fact; nothing for those that would only crowd it. `reason` is why the last card was drawn."""
    match fact:
        case ShoeLinkChanged(up=True):
            return StyledText(
                f"shoe connected: {fact.shoe_name or 'no name'}, {'key proven' if fact.authenticated else 'no key'}"
            )
        case ShoeLinkChanged():
            why = "" if fact.cause is None else f": {ENGLISH.of(fact.cause)}"
            return StyledText(f"no shoe{why}", WARNING)
        case ShoeOpened():
            return StyledText(f"shoe {fact.shoe} is opened, {fact.decks} decks", "bold")
        case CardBurned(card=Card()):
            return StyledText(f"first card {face(fact.card)}: {fact.to_burn} to burn")
        case CardBurned():
            of = "" if fact.to_burn is None else f" of {fact.to_burn}"
            return StyledText(f"burned {fact.burned}{of}", QUIET)
        case BettingOpened():
            return StyledText(f"round {fact.round}: place your bets", "bold")
        case CardDealt():
            return StyledText(f"{fact.place.hand} {face(fact.place.card)}  {reason}")
        case CardsShown():
            return StyledText(f"shown: {' '.join(face(place.card) for place in fact.places)}")
        case CardCorrected():
            return StyledText(f"card {fact.place.number} is {face(fact.place.card)}")
        case CardsAssigned():
            lie = " ".join(f"{place.hand} {face(place.card)}" for place in fact.places)
            return StyledText(f"the cards lie where the rules put them: {lie}", GOOD)
        case CardDiscarded():
            why = ENGLISH.discard_cause(fact.cause)
            return StyledText(f"card {fact.place.number}, {face(fact.place.card)}, is discarded: {why}", WARNING)
        case FreeHandAnnounced(carried=True):
            return StyledText(f"round {fact.round}: a free hand, everyone has seen its first card", "bold")
        case CardSetAside():
            return StyledText(f"{face(fact.card)} set aside: {ENGLISH.of(fact.why)}", WARNING)
        case ExtraCardDecided():
            return StyledText(f"the extra card {'begins the next round' if fact.used else 'is burned'}", GOOD)
        case CutCardOut():
            return StyledText(f"cut card: round {fact.last_round} is the last", WARNING)
        case RoundResult():
            winner = fact.outcome.winner.value
            totals = f"{fact.outcome.player.total} to {fact.outcome.banker.total}"
            return StyledText(f"{result_words(winner)}, Player {totals} Banker", WINNER_STYLES[winner])
        case RoundSettled():
            sums = fact.settlement.totals
            return StyledText(f"settled: taken {sums.taken:,}, paid {sums.paid:,}")
        case RoundAmended():
            owed = ", ".join(f"seat {seat} {amount:+,}" for seat, amount in fact.difference.items())
            return StyledText(
                f"shoe {fact.of_shoe}, round {fact.of_round} amended: {owed or 'nothing to pay'}", WARNING
            )
        case WagersCorrected():
            return StyledText(
                f"wagers of seat {' and '.join(fact.seats)} are put right: {fact.stakes:,} stand", WARNING
            )
        case RoundVoided():
            return StyledText(f"round {fact.round} is void; {fact.total:,} returned", GOOD)
        case AlertRaised():
            alert = fact.alert
            style = BAD if alert.severity is Severity.STOPS else WARNING
            return StyledText(f"{alert.kind}: {ENGLISH.happened(alert.kind)}", style)
        case AlertEnded():
            return StyledText(f"{fact.alert.kind} is over: {ENGLISH.of(fact.cause)}", GOOD)
        case DealerChanged():
            return StyledText(f"dealer on duty: {fact.dealer or 'nobody'}")
        case HandEntryChanged():
            return StyledText(f"dealt {'by hand' if fact.hand_entry else 'from the shoe again'}", WARNING)
        case EnteredCardConfirmed():
            return StyledText("the shoe reports a card that was entered: it is the same", GOOD)
        case DisputeOpened():
            of = f"shoe {fact.dispute.shoe}, round {fact.dispute.round}"
            return StyledText(f"{of} is disputed: {fact.dispute.text}", WARNING)
        case DisputeClosed():
            return StyledText(f"the dispute is closed: {fact.decision}", GOOD)
        case PaymentAdjusted():
            return StyledText(f"payment put right: seat {fact.seat} {fact.amount:+,}", WARNING)
        case CommissionCollected():
            return StyledText(f"commission of seat {fact.seat} collected: {fact.amount:,}")
        case CommissionWaived():
            return StyledText(f"commission of seat {fact.seat} waived: {fact.amount:,}", WARNING)
        case NoteMade():
            return StyledText(f"note on round {fact.of_round}: {fact.text}")
        case ActProposed():
            return StyledText(f"{fact.person} proposes: {_name_of(fact.act)} ({fact.reason})", WARNING)
        case PersonActed():
            return StyledText(_act_words(fact), GOOD)
        case RemainderCounted():
            found = f"{fact.found} cards are left, and {fact.expected} must be"
            return StyledText(f"{found}: {'it fits' if fact.fits else 'it does not fit'}", GOOD if fact.fits else BAD)
        case ShoeExchanged():
            return StyledText(f"another shoe, at {fact.port}", WARNING)
        case ShoeEnded():
            return StyledText(f"shoe {fact.shoe} ended: {ENGLISH.of(fact.cause)}", "bold")
        case _:
            return None


def result_words(winner: str) -> str:
    return "Tie" if winner == "tie" else f"{winner.capitalize()} wins"


def _act_words(fact: PersonActed) -> str:
    people = fact.person if fact.approved_by is None else f"{fact.person} and {fact.approved_by}"
    why = f" ({fact.reason})" if fact.reason else ""
    match fact.act:
        case IdentifyCard():
            return f"{people}: card {fact.act.number} is {face(fact.act.card)}{why}"
        case EnterCard():
            return f"{people}: card {fact.act.number} left unseen, and is {face(fact.act.card)}{why}"
        case ClearAlert():
            return f"{people} clears the alert ({fact.reason or 'seen'})"
        case act:
            return f"{people}: {_name_of(act)}{why}"


def _name_of(act: AnyAct) -> str:
    return str(act.__struct_config__.tag).replace("_", " ")
