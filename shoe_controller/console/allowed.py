"""What can be offered at the console now: the acts that the table would take, as far as its messages tell. Pure.

The table itself decides. This only keeps buttons away that would be refused; `tests/console/test_allowed.py` compares
it with the table, act by act and phase by phase.
"""

import msgspec

from shoe_controller.mqtt.contract import InfoMessage, StateMessage
from shoe_controller.table.acts import ACTS, Approve, ClearAlert, OpenShoe, Role, SignIn, Withdraw
from shoe_controller.table.alerts import ALERTS, Scope
from shoe_controller.table.procedure import Reveal

HELD = frozenset(
    {
        "open_shoe",
        "use_extra_card",
        "burn_extra_card",
        "void_round",
        "void_and_replay",
        "end_shoe",
        "approve",
    }
)
"""What nobody can take back: it is held for two seconds rather than tapped."""

CARD_ACTS = frozenset({"identify_card", "correct_card"})
"""These name a card of the round, and say which one it is."""

RULES = {rule.name: rule for rule in ACTS.values()}

_ELSEWHERE = frozenset(ACTS[act].name for act in (SignIn, ClearAlert, Approve, Withdraw))
"""Offered beside the alert or the proposal that they are about, or to enter the supervisor's mode."""


class OfferedAct(msgspec.Struct, frozen=True, kw_only=True):
    act: str
    held: bool
    reason: bool
    two_people: bool
    possible: bool
    """Whether the table would take it now."""
    cards: tuple[int, ...] = ()
    """The numbers of the cards that it can be about."""


def dealer_acts(info: InfoMessage, state: StateMessage) -> tuple[OfferedAct, ...]:
    """The dealer's buttons: what is possible now, and nothing else."""
    rules = (rule for rule in ACTS.values() if rule.role is Role.DEALER and rule.name not in _ELSEWHERE)
    offered = (_offered(rule.name, info, state, by_supervisor=False) for rule in rules)
    return tuple(act for act in offered if act.possible)


def supervisor_acts(info: InfoMessage, state: StateMessage) -> tuple[OfferedAct, ...]:
    """All that a supervisor may do by a request of a supervisor's own; those that are not possible say so."""
    names = [rule.name for act, rule in ACTS.items() if act is not OpenShoe and rule.name not in _ELSEWHERE]
    own = [name for name in names if RULES[name].role is Role.SUPERVISOR]
    dealers = [name for name in names if name == "confirm"]
    return tuple(_offered(name, info, state, by_supervisor=True) for name in (*own, *dealers))


def betting_is_open(state: StateMessage) -> bool:
    return state.phase == "betting" and not state.stopped and not state.free and state.link_up


def _offered(name: str, info: InfoMessage, state: StateMessage, *, by_supervisor: bool) -> OfferedAct:
    rule = RULES[name]
    cards = _cards_for(name, state)
    possible = name in state.possible_acts and _makes_sense(name, info, state, by_supervisor=by_supervisor)
    return OfferedAct(
        act=name,
        held=name in HELD,
        reason=rule.reason,
        two_people=rule.two_people,
        possible=possible and (bool(cards) or name not in CARD_ACTS),
        cards=cards,
    )


def _makes_sense(name: str, info: InfoMessage, state: StateMessage, *, by_supervisor: bool) -> bool:  # noqa: PLR0911 - one case for each act
    match name:
        case "no_more_bets":
            return not state.stopped
        case "free_hand":
            return not state.free and not state.wagers
        case "reveal_cards":
            return info.reveal is Reveal.BY_DEALER and any(place.card is None for place in state.cards)
        case "confirm":
            return _may_confirm(state, by_supervisor=by_supervisor)
        case "use_extra_card":
            return "over_draw" in _kinds(state) and "extra_card" not in _kinds(state) and state.phase != "dealing"
        case "burn_extra_card":
            return bool(_kinds(state) & {"over_draw", "extra_card"})
        case "undo_last_result":
            return state.last_outcome is not None and not _has_alert_about_round(state)
        case "void_round":
            lies_there = bool(state.wagers) or state.free or _has_alert_about_round(state)
            return state.phase != "betting" or lies_there
        case _:
            return True


def _may_confirm(state: StateMessage, *, by_supervisor: bool) -> bool:
    stopping = {alert.kind for alert in state.alerts if alert.severity == "stops"}
    return not stopping or (by_supervisor and stopping == {"result_undone"})


def _cards_for(name: str, state: StateMessage) -> tuple[int, ...]:
    if name == "identify_card" and state.phase == "first_card":
        return (0,) if _kinds(state) & {"misread", "undisclosed_card"} else ()
    if name == "identify_card":
        return tuple(place.number for place in state.cards if place.card is None)
    if name == "correct_card":
        # A card that lies face down is known to the table, and may be the wrong one too.
        return tuple(place.number for place in state.cards)
    return ()


def _kinds(state: StateMessage) -> frozenset[str]:
    return frozenset(alert.kind for alert in state.alerts)


def _has_alert_about_round(state: StateMessage) -> bool:
    return any(kind in ALERTS and ALERTS[kind].scope is Scope.ROUND for kind in _kinds(state))
