"""The scripted supervisor: decides the next act from the state of the table and the cards on it.

He follows the table's own word on each alert: what an act puts right, he puts right; what may be cleared, he clears;
what can only be voided, he voids, after the dealer has ended the round at the shoe. Pure: `people.py` lets him act.
"""

from enum import Enum
from typing import NamedTuple

from shoe_controller.demo.truth import Truth
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.facts import CardPlace
from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.retained import TableView


class AtTheShoe(Enum):
    """What a person does at the shoe itself; the value is the key on the emulator's console."""

    END_ROUND_BY_FORCE = "R"


class ScriptedAct(NamedTuple):
    """A request to the table."""

    role: RequestRole
    act: str
    details: dict[str, object]
    reason: str


_UNKNOWN_CARD = frozenset({"misread", "undisclosed_card"})
_ROUND_IS_LOST = frozenset({"shoe_restarted", "ended_by_force", "result_differs", "no_card_came", "event_gap"})
"""May be cleared, but the round cannot be finished any more."""
_WAITS_FOR_LINK = frozenset({"shoe_lost"})
_CARDS_OUT = frozenset({"dealing", "complete"})
_TECHNICIAN = frozenset({"journal_full", "journal_damaged"})


def next_act(table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:
    """What he does as things stand; nothing if there is nothing to do, or only to wait."""
    acts = [_act_for(alert, table, truth) for alert in table.alerts]
    # A round that is voided takes most other alerts with it, so that comes first.
    acts.sort(key=lambda each: not (isinstance(each, AtTheShoe) or (each is not None and each.act == "void_round")))
    for scripted in acts:
        if scripted is not None:
            return scripted
    if truth.empty and table.phase == "betting" and not truth.in_round:
        return _supervisor("end_shoe", "the shoe is empty")
    return None


def _act_for(alert: AlertMessage, table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:  # noqa: PLR0911 - a case each
    kind = alert.kind
    if kind in _TECHNICIAN:
        return None
    if kind in _UNKNOWN_CARD:
        return _identify(table, truth)
    if kind == "over_draw" and not table.extra_cards and truth.cards and truth.cards[-1].to == "extra":
        # The shoe reports the fault first, and the card is still on its way.
        return None
    if kind == "over_draw" and table.extra_cards:
        used = any(fault.fault == "over_draw_carried_over" for fault in truth.faults[-1:])
        act = "use_extra_card" if used else "burn_extra_card"
        return _supervisor(act, "it begins the next round" if used else "an extra card")
    if kind == "extra_card":
        return _supervisor("burn_extra_card", "drawn outside the round")
    if kind == "lid_opened" and truth.lid_open:
        return None
    if kind in _WAITS_FOR_LINK and not table.link_up:
        return None
    # A round that the shoe considers over cannot be finished by the table.
    over_at_shoe = table.phase == "dealing" and not truth.in_round
    if alert.cleared_by == "nobody" or over_at_shoe or (kind in _ROUND_IS_LOST and table.phase in _CARDS_OUT):
        return _void(alert, truth)
    role = RequestRole.DEALER if alert.cleared_by == "dealer" else RequestRole.SUPERVISOR
    return ScriptedAct(role, "clear_alert", {"alert": alert.number}, "seen, and all is well")


def _identify(table: TableView, truth: Truth) -> ScriptedAct | AtTheShoe | None:
    unknown = next((place for place in table.cards if place.card is None), None)
    if unknown is None:
        return None
    lies_there = truth.lying_at(unknown.hand.value, _position(table, unknown))
    if lies_there is None or lies_there.card is None:
        return None
    if lies_there.reading == "with_another":
        return AtTheShoe.END_ROUND_BY_FORCE if truth.in_round else _supervisor("void_round", "two cards lie there")
    details: dict[str, object] = {"number": unknown.number, "card": lies_there.card.value}
    return _supervisor("identify_card", "turned over and seen", details)


def _position(table: TableView, place: CardPlace) -> int:
    return sum(other.hand is place.hand and other.number <= place.number for other in table.cards)


def _void(alert: AlertMessage, truth: Truth) -> ScriptedAct | AtTheShoe:
    if truth.in_round:
        return AtTheShoe.END_ROUND_BY_FORCE
    return _supervisor("void_round", alert.kind.replace("_", " "))


def _supervisor(act: str, reason: str, details: dict[str, object] | None = None) -> ScriptedAct:
    return ScriptedAct(RequestRole.SUPERVISOR, act, details or {}, reason)
