"""Inputs and facts as journals of layout 1 hold them, brought into their present form.

Layout 1 (commit 25f84e2) stored sentences where there are codes now. What a sentence stood for is recovered where it
is unambiguous; otherwise the sentence itself is kept, under a code that names its origin. Nothing in the
journal is changed: this is what is read from it.
"""

from collections.abc import Callable
from typing import Any

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.table.alerts import ALERTS

Fields = dict[str, Any]

_KINDS = {"shoe_ailing": "shoe_fault"}
"""Alerts that have another name now."""

_ACTORS = {
    "shoe": "shoe",
    "shoe_button": "shoe_button",
    "first_card": "first_card_drawn",
    "time": "time_ran_out",
}
_ALERT_ENDS = {
    "shoe": "ended_by_shoe",
    "a new shoe was opened": "new_shoe_opened",
    "the round is settled": "round_settled",
    "the round is void": "round_voided",
    "the result was taken back": "result_taken_back",
    "the shoe has ended": "shoe_ended",
    "the card came": "card_came",
    "a card is due": "card_due",
    "the shoe started anew": "shoe_restarted",
    "the shoe says that it is over": "fault_cleared",
    "the shoe is back, with every event": "shoe_back",
    "there is room again": "storing_again",
    "the broker takes them again": "publishing_again",
}
_SHOE_ENDS = {"the last round is over": "last_round_over", "a new shoe was opened": "next_shoe_opened"}
_PROPOSAL_ENDS = {
    "nobody approved it in time": "proposal_timed_out",
    "another proposal took its place": "proposal_replaced",
    "a new shoe was opened": "proposal_shoe_opened",
}
_RETURNS = {
    "a new shoe was opened": "shoe_opened",
    "the shoe has ended": "shoe_ended",
    "the result before was taken back": "result_undone",
    "they came after the first card": "late",
}
_WITHDRAWN = "withdrawn by "
_RESTARTED = "the controller started anew"

WORDED = frozenset({"why", "cause", "detail", "rules"})
"""Fields that layout 1 had in words, or not at all: they cannot be compared with those of today."""


def without_words(value: object) -> object:
    """A fact as far as it can be compared with one of layout 1."""
    if isinstance(value, dict):
        return {name: without_words(field) for name, field in value.items() if name not in WORDED}
    return [without_words(item) for item in value] if isinstance(value, list) else value


# --- facts -----------------------------------------------------------------------------------------------------------


def upgraded_fact(fact: Fields) -> Fields:
    """A fact of layout 1 in its present form."""
    upgrade = _FACTS.get(fact["fact"])
    return fact if upgrade is None else upgrade(dict(fact))


def _shoe_opened(fact: Fields) -> Fields:
    return fact | {"opened_by": _actor(fact["opened_by"])}


def _shoe_ended(fact: Fields) -> Fields:
    why = fact.pop("why")
    cause = {"code": _SHOE_ENDS[why]} if why in _SHOE_ENDS else {"code": "ended_early", "reason": why}
    return fact | {"cause": cause}


def _shoe_link(fact: Fields) -> Fields:
    return fact | {"cause": _link_cause(fact.pop("why"))}


def _link_cause(why: str) -> Fields | None:
    if not why:
        return None
    return {"code": "controller_restarted"} if why == _RESTARTED else _detail(why)


def _betting_closed(fact: Fields) -> Fields:
    return fact | {"closed_by": _actor(fact["closed_by"])}


def _round_voided(fact: Fields) -> Fields:
    return fact | {"reason": fact.pop("why")}


def _wagers_returned(fact: Fields) -> Fields:
    return fact | {"cause": _RETURNS.get(fact.pop("why"), "earlier")}


def _card(fact: Fields) -> Fields:
    standing = fact["standing"]
    return fact | {"standing": standing | {"why": _reason(standing["why"])}}


def _card_set_aside(fact: Fields) -> Fields:
    return fact | {"why": _detail(fact["why"])}


def _round_result(fact: Fields) -> Fields:
    return fact | {"why": _reason(fact["why"]), "confirmed_by": _actor(fact["confirmed_by"])}


def _alert_raised(fact: Fields) -> Fields:
    alert = _alert(fact["alert"], fact.pop("kind"), fact.pop("detail"))
    for name in ("severity", "happened", "to_do", "ends"):
        del fact[name]
    return fact | {"alert": alert}


def _alert_ended(fact: Fields) -> Fields:
    alert, ended_by = _alert(fact["alert"], fact.pop("kind"), ""), fact.pop("ended_by")
    known = _ALERT_ENDS.get(ended_by)
    cause = {"code": "ended_by_person", "person": ended_by} if known is None else {"code": known}
    return fact | {"alert": alert, "cause": cause}


def _proposal_ended(fact: Fields) -> Fields:
    why = fact.pop("why")
    if why.startswith(_WITHDRAWN):
        return fact | {"cause": {"code": "proposal_withdrawn", "person": why.removeprefix(_WITHDRAWN)}}
    known = _PROPOSAL_ENDS.get(why)
    return fact | {"cause": {"code": "earlier_proposal_end", "text": why} if known is None else {"code": known}}


_FACTS: dict[str, Callable[[Fields], Fields]] = {
    "shoe_opened": _shoe_opened,
    "shoe_ended": _shoe_ended,
    "shoe_link": _shoe_link,
    "betting_closed": _betting_closed,
    "round_voided": _round_voided,
    "wagers_returned": _wagers_returned,
    "card_dealt": _card,
    "cards_shown": _card,
    "card_corrected": _card,
    "card_set_aside": _card_set_aside,
    "round_result": _round_result,
    "alert_raised": _alert_raised,
    "alert_ended": _alert_ended,
    "proposal_ended": _proposal_ended,
}


# --- inputs ----------------------------------------------------------------------------------------------------------


def upgraded_input(given: Fields) -> Fields:
    """An input of layout 1 in its present form: only those differ that hold the state of a table."""
    match given["input"]:
        case "new_shoe":
            return given | {"lasting": _lasting(given["lasting"])}
        case "snapshot":
            return given | {"state": _state(given["state"])}
    return given


def _state(state: Fields) -> Fields:
    shoe = state["shoe"]
    if shoe is not None:
        shoe = shoe | {"previous": _round(shoe["previous"])}
    return state | {"lasting": _lasting(state["lasting"]), "shoe": shoe, "round": _round(state["round"])}


def _round(playing: Fields | None) -> Fields | None:
    if playing is None or playing["confirmed_by"] is None:
        return playing
    return playing | {"confirmed_by": _actor(playing["confirmed_by"])}


def _lasting(lasting: Fields) -> Fields:
    alerts = [
        alert | {"kind": _KINDS.get(alert["kind"], alert["kind"]), "detail": _detail(alert["detail"])}
        for alert in lasting["alerts"]
    ]
    answered = [answer | {"refusal": _refusal(answer["refusal"])} for answer in lasting["answered"]]
    return lasting | {"alerts": alerts, "answered": answered}


def _refusal(refusal: Fields | None) -> Fields | None:
    if refusal is None:
        return None
    return {"code": "earlier_refusal", "earlier_code": refusal["code"], "text": refusal["message"]}


# --- what both have --------------------------------------------------------------------------------------------------


def _actor(word: str) -> Fields:
    return {"code": _ACTORS[word]} if word in _ACTORS else {"code": "person", "person": word}


def _reason(why: str) -> Fields | None:
    return {"code": "earlier_reason", "text": why} if why else None


def _detail(detail: str) -> Fields | None:
    return {"code": "earlier_detail", "text": detail} if detail else None


def _alert(number: int, kind: str, detail: str) -> Fields:
    rule = ALERTS[AlertKind(_KINDS.get(kind, kind))]
    return {
        "number": number,
        "kind": rule.kind.value,
        "severity": rule.severity.value,
        "detail": _detail(detail),
        "cleared_by": rule.cleared_by.value,
        "ended_by": [act.value for act in rule.ended_by],
        "ends_itself": rule.ends_itself,
    }
