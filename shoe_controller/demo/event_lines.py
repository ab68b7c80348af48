"""What happens at the table as short lines for people, each with the colour it is drawn in. Pure."""

from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.messages.acts import ClearAlert, IdentifyCard
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingOpened,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardSetAside,
    CardsShown,
    CutCardOut,
    ExtraCardDecided,
    PersonActed,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
    ShoeLinkChanged,
    ShoeOpened,
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


def line_for(fact: AnyFact, reason: str) -> StyledText | None:  # noqa: C901, PLR0911, PLR0912 - a sentence for each fact
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
        case RoundVoided():
            return StyledText(f"round {fact.round} is void; {fact.total:,} returned", GOOD)
        case AlertRaised():
            alert = fact.alert
            style = BAD if alert.severity is Severity.STOPS else WARNING
            return StyledText(f"{alert.kind}: {ENGLISH.happened(alert.kind)}", style)
        case AlertEnded():
            return StyledText(f"{fact.alert.kind} is over: {ENGLISH.of(fact.cause)}", GOOD)
        case PersonActed():
            return StyledText(_act_words(fact), GOOD)
        case ShoeEnded():
            return StyledText(f"shoe {fact.shoe} ended: {ENGLISH.of(fact.cause)}", "bold")
        case _:
            return None


def result_words(winner: str) -> str:
    return "Tie" if winner == "tie" else f"{winner.capitalize()} wins"


def _act_words(fact: PersonActed) -> str:
    match fact.act:
        case IdentifyCard():
            return f"{fact.person}: card {fact.act.number} is {face(fact.act.card)} ({fact.reason})"
        case ClearAlert():
            return f"{fact.person} clears the alert ({fact.reason or 'seen'})"
        case act:
            name = str(act.__struct_config__.tag).replace("_", " ")
            return f"{fact.person}: {name} ({fact.reason})"
