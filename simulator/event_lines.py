"""Events at the shoe as one line of text each, for the console and for headless runs."""

from collections.abc import Sequence

from firmware_protocol.cards import Card
from firmware_protocol.events import Hand, IndicatedWinner, StartCause
from simulator.truth import (
    AnyHappening,
    CableMoved,
    CardBack,
    CardOut,
    CardsRemoved,
    CardUsedAgain,
    CutCardOut,
    FaultInjected,
    FaultsCleared,
    GateMoved,
    HostAttached,
    HostDetached,
    Identified,
    LampsChanged,
    LidMoved,
    Loaded,
    NothingCame,
    PoweredOff,
    PoweredOn,
    Pressed,
    Reading,
    RoundAbandoned,
    RoundEnded,
)

_READINGS = {
    Reading.READ: "",
    Reading.HIDDEN: ", not disclosed",
    Reading.UNREAD: ", not read",
    Reading.FOREIGN: ", from another set",
    Reading.WITH_ANOTHER: ", with another",
}


def total_of(cards: Sequence[Card]) -> int:
    return sum(card.points for card in cards) % 10


def in_words(happening: AnyHappening) -> str:  # noqa: C901, PLR0911, PLR0912 -- one line for each kind of happening
    match happening:
        case CardOut(to=Hand.BURN):
            return f"card {happening.number}: {happening.card} burned"
        case CardOut(to=Hand.EXTRA):
            return f"card {happening.number}: {happening.card} extra{_READINGS[happening.reading]}"
        case CardOut():
            place = f"{happening.to.value.capitalize()} {happening.position}"
            return f"card {happening.number}: {happening.card} to {place}{_READINGS[happening.reading]}"
        case RoundEnded():
            return f"round {happening.round}: {_result_in_words(happening)}"
        case RoundAbandoned(round=number):
            return f"round {number} is forgotten"
        case CardUsedAgain(card=card):
            return f"{card}, carried over, begins the round"
        case CardBack(card=card, half_way=half_way):
            return f"{card} pushed back {'half way' if half_way else 'at the exit'}"
        case CutCardOut():
            return "the cut card"
        case NothingCame():
            return "no card came out"
        case CardsRemoved(cards=cards):
            return f"{cards} cards taken out by hand"
        case Loaded():
            return f"{happening.cards} cards loaded, set {happening.deck_set}"
        case Pressed(button=button, long=held):
            return f"button {button.value.replace('_', ' ')}{' held' if held else ''}"
        case GateMoved(locked=locked, by=by):
            causes = {"controller": "by the controller", "silence": "the controller is silent", "key": "by key"}
            return f"gate {'locked' if locked else 'open'}, {causes[by]}"
        case LidMoved(opened=opened):
            return f"lid {'opened' if opened else 'closed'}"
        case LampsChanged(lit=lit):
            return f"lamps: {', '.join(lamp.value for lamp in lit) or 'none'}"
        case FaultsCleared():
            return "faults cleared"
        case Identified(seconds=seconds):
            return f"blinks for {seconds} s: here I am"
        case CableMoved(plugged_in=plugged_in):
            return "cable plugged in" if plugged_in else "cable pulled"
        case HostAttached():
            return "controller on the line"
        case HostDetached():
            return "controller gone from the line"
        case PoweredOn(cause=cause):
            return "power on" if cause is StartCause.POWER_ON else f"starts ({cause.value.replace('_', ' ')})"
        case PoweredOff():
            return "power off"
        case FaultInjected(fault=fault):
            return f"FAULT {fault}"


def _result_in_words(ended: RoundEnded) -> str:
    player, banker = total_of(ended.player), total_of(ended.banker)
    match ended.winner:
        case None:
            words = "ended by force"
        case IndicatedWinner.TIE:
            words = f"Tie at {player}"
        case IndicatedWinner.PLAYER:
            words = f"Player wins {player} to {banker}"
        case IndicatedWinner.BANKER:
            words = f"Banker wins {banker} to {player}"
    match ended.player_pair, ended.banker_pair:
        case True, True:
            words += ", both pairs"
        case True, False:
            words += ", Player pair"
        case False, True:
            words += ", Banker pair"
    return f"{words} ({_cards_in_words(ended.player)} / {_cards_in_words(ended.banker)})"


def _cards_in_words(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards)) or "no card"
