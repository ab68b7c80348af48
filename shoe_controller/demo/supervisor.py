"""The scripted supervisors: decide the next act from the state of the table and the cards on it.

They follow the table's own word on each alert: what an act puts right, they put right; what may be cleared, they clear;
what can only be voided, they void, after the dealer has ended the round at the shoe. A bad shoe they end; what is left
in a shoe is counted where the house asks for it. What one has proposed, the other approves. Pure: `people.py` lets them
act, and the dealer sign in.
"""

from enum import Enum
from typing import NamedTuple

from shoe_controller.demo.faults import FAULT_PANEL, FAULTS
from shoe_controller.demo.folder import DEALER, OTHER_SUPERVISOR, SUPERVISOR
from shoe_controller.demo.truth import Truth
from shoe_controller.messages.acts import ActName, Role
from shoe_controller.messages.alerts import AlertMessage, Remedy
from shoe_controller.messages.details import CardOfRound
from shoe_controller.messages.facts import CardPlace
from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.retained import TableView
from simulator.reckoner.drawing import next_hands


class AtTheShoe(Enum):
    """What a person does at the shoe itself; the value is what is pressed on the emulator's console."""

    END_ROUND_BY_FORCE = "R"
    DRAW = "d"
    RESULT = "r"
    BURN = "b"
    CALL_SUPERVISOR = "s"
    GATE_KEY = "g"
    CABLE = "u"
    NEW_CARDS = "n"
    NEW_SHOE_BUTTON = "N"
    TAKE_OUT = "t"
    CLEAR_FAULTS = "c"
    RESTART = "x"
    DRAW_ON_SILENT_LINE = FAULT_PANEL + FAULTS["silence"].key + "d"

    @property
    def words(self) -> str:
        """For the screen; nothing for what shows in the table's own events."""
        return _AT_THE_SHOE.get(self, "")


_AT_THE_SHOE = {
    AtTheShoe.END_ROUND_BY_FORCE: "dealer: ends the round at the shoe",
    AtTheShoe.CALL_SUPERVISOR: "dealer: stops, and calls a supervisor",
    AtTheShoe.GATE_KEY: "dealer: turns the gate's key",
    AtTheShoe.CABLE: "the shoe's cable is pulled, or plugged in again",
    AtTheShoe.NEW_CARDS: "dealer: puts new cards in",
    AtTheShoe.NEW_SHOE_BUTTON: "dealer: presses the shoe's button for new cards",
    AtTheShoe.TAKE_OUT: "dealer: takes the cards that are left out of the shoe",
    AtTheShoe.RESTART: "the other shoe is switched on",
    AtTheShoe.DRAW_ON_SILENT_LINE: "dealer: draws a card, and for a while the line is silent",
}


class ScriptedAct(NamedTuple):
    """A request to the table."""

    role: RequestRole
    act: str
    details: dict[str, object]
    reason: str
    person: str = ""
    """Who does it; without one the supervisor, or the dealer on duty."""


_UNKNOWN_CARD = frozenset({"misread", "undisclosed_card"})
_ROUND_IS_LOST = frozenset({"shoe_restarted", "ended_by_force", "result_differs", "event_gap"})
"""May be cleared, but the round cannot be finished any more."""
_WAITS_FOR_LINK = frozenset({"shoe_lost"})
_CARDS_OUT = frozenset({"dealing", "complete"})
_IN_ROUND = _CARDS_OUT | {"closed"}
_TECHNICIAN = frozenset({"journal_full", "journal_damaged"})
_ENDS_WITH_FAULT = "shoe_fault"
"""The shoe goes on, and reports when the fault is over."""


def next_act(table: TableView, truth: Truth, *, reads_ids: bool = False) -> ScriptedAct | AtTheShoe | None:
    """What they do as things stand; nothing if there is nothing to do, or only to wait.

    Where the shoe is a reader of ids, a dealer says at the console what other shoes have buttons for.
    """
    if table.dealer is None:
        return dealer("sign_in", by=DEALER)
    if table.proposal is not None:
        return approval(table)
    acts = [_act_for(alert, table, truth) for alert in table.alerts]
    # A round that is voided takes most other alerts with it, so that comes first.
    acts.sort(key=lambda each: not (isinstance(each, AtTheShoe) or (each is not None and each.act == "void_round")))
    for scripted in acts:
        if scripted is not None:
            return scripted
    if _must_count(table):
        count = supervisor("count_remainder", "counted by hand", cards=truth.left)
        return count if truth.empty or truth.new_cards else AtTheShoe.TAKE_OUT
    if truth.empty and table.phase == "betting" and not truth.in_round:
        return supervisor("end_shoe", "the shoe is empty")
    return _said_at_console(table, truth) if reads_ids else None


def dealer_may_deal(table: TableView, truth: Truth) -> bool:
    """Whether a dealer whose shoe has no gate goes on, by what the display shows."""
    if table.stopped or not table.link_up or table.dealer is None:
        return False
    match table.phase:
        case "no_shoe":
            return False
        case "ended":
            # New cards go in; none is drawn before the new shoe is opened.
            return truth.empty
        case "complete":
            return truth.in_round
        case _:
            return not truth.given_up or table.phase not in _CARDS_OUT


def _said_at_console(table: TableView, truth: Truth) -> ScriptedAct | None:
    if table.stopped or not table.link_up:
        return None
    if table.phase in _CARDS_OUT and truth.given_up:
        return supervisor("void_round", "the dealer has ended the round")
    if table.phase == "complete" and not truth.in_round:
        return dealer("confirm")
    if table.phase in ("no_shoe", "ended") and truth.new_cards:
        return dealer("open_shoe")
    return None


def approval(table: TableView) -> ScriptedAct | None:
    """What one supervisor has proposed, the other approves."""
    if table.proposal is None:
        return None
    other = OTHER_SUPERVISOR if table.proposal.person == SUPERVISOR else SUPERVISOR
    return supervisor("approve", by=other, proposal=table.proposal.proposal)


def _act_for(alert: AlertMessage, table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:  # noqa: C901, PLR0911 - a case each
    kind = alert.kind
    if kind in _TECHNICIAN or kind == _ENDS_WITH_FAULT:
        return None
    if kind in _UNKNOWN_CARD:
        return _identify(table, truth)
    put_right = _put_where_rules_put_it(alert, table)
    if put_right is not None:
        return put_right
    if kind == "bad_shoe":
        return _end_bad_shoe(alert, table, truth)
    if kind == "shoe_change_unconfirmed" and truth.new_cards:
        return None if _must_count(table) else supervisor("open_shoe", "the cards are new")
    if kind == "remainder_differs":
        return supervisor("clear_alert", "the cards are kept, to be checked", alert=alert.number)
    if kind == "over_draw" and not table.extra_cards and truth.cards and truth.cards[-1].to == "extra":
        # The shoe reports the fault first, and the card is still on its way.
        return None
    if kind == "over_draw" and table.extra_cards:
        used = any(fault.fault == "over_draw_carried_over" for fault in truth.faults[-1:])
        act = "use_extra_card" if used else "burn_extra_card"
        return supervisor(act, "it begins the next round" if used else "an extra card")
    if kind == "extra_card":
        return supervisor("burn_extra_card", "drawn outside the round")
    if kind == "lid_opened" and truth.lid_open:
        return None
    if kind in _WAITS_FOR_LINK and not table.link_up:
        return None
    # A round that the shoe considers over cannot be finished by the table.
    over_at_shoe = table.phase == "dealing" and not truth.in_round
    # A jam is cleared, and the card comes; from an empty shoe none does.
    is_lost = kind in _ROUND_IS_LOST or (kind == "no_card_came" and truth.empty)
    if alert.cleared_by == "nobody" or over_at_shoe or (is_lost and table.phase in _CARDS_OUT):
        return _void(alert, truth)
    clears = dealer if alert.cleared_by == "dealer" else supervisor
    return clears("clear_alert", "seen, and all is well", alert=alert.number)


def _end_bad_shoe(alert: AlertMessage, table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:
    """The round is voided, unless it goes on without the card that proves it; then the shoe is ended."""
    if any(other.remedy is Remedy.DISCARD for other in table.alerts):
        return None
    if table.phase in _IN_ROUND or truth.in_round:
        return _void(alert, truth)
    return supervisor("end_shoe", "the shoe is bad")


def _must_count(table: TableView) -> bool:
    """Whether the cards that are left of a shoe come before the next one."""
    offered = {possible.act for possible in table.acts if possible.role is Role.SUPERVISOR}
    return ActName.COUNT_REMAINDER in offered and ActName.OPEN_SHOE not in offered


def _put_where_rules_put_it(alert: AlertMessage, table: TableView) -> ScriptedAct | None:
    if alert.remedy is Remedy.DISCARD and isinstance(alert.detail, CardOfRound):
        number = alert.detail.number
        face = table.cards[number - 1].card if number <= len(table.cards) else None
        seen = None if face is None else face.value
        return supervisor(
            "discard_card", "it does not belong to these decks", number=number, cause="foreign", card=seen
        )
    if alert.remedy is not Remedy.ASSIGN:
        return None
    cards = [place.card for place in table.cards]
    for card in table.aside:
        cards.insert(card.order - 1, card.card)
    laid: list[tuple[str, str | None]] = []
    hands: list[str | None] = []
    for face in cards:
        possible = next_hands(laid)
        if face is None:
            return None
        laid += [(possible[0], face.value)] if possible else []
        hands.append(possible[0] if possible else None)
    return supervisor("assign_cards", "it went to the wrong hand", cards=[{"hand": hand} for hand in hands])


def _identify(table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:
    unknown = next((place for place in table.cards if place.card is None), None)
    if unknown is None:
        return None
    lies_there = truth.lying_at(unknown.hand.value, _position(table, unknown))
    if lies_there is None or lies_there.card is None:
        return None
    if lies_there.reading == "with_another":
        return AtTheShoe.END_ROUND_BY_FORCE if truth.in_round else supervisor("void_round", "two cards lie there")
    return supervisor("identify_card", "turned over and seen", number=unknown.number, card=lies_there.card.value)


def _position(table: TableView, place: CardPlace) -> int:
    return sum(other.hand is place.hand and other.number <= place.number for other in table.cards)


def _void(alert: AlertMessage, truth: Truth) -> ScriptedAct | AtTheShoe:
    if truth.in_round:
        return AtTheShoe.END_ROUND_BY_FORCE
    return supervisor("void_round", alert.kind.replace("_", " "))


def supervisor(act: str, reason: str = "", *, by: str = "", **details: object) -> ScriptedAct:
    return ScriptedAct(RequestRole.SUPERVISOR, act, details, reason, by)


def dealer(act: str, reason: str = "", *, by: str = "", **details: object) -> ScriptedAct:
    return ScriptedAct(RequestRole.DEALER, act, details, reason, by)
