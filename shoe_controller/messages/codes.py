"""Every family of codes: what a display needs words for. `words/` has them, and a test finds any that is missing."""

from types import UnionType

from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.causes import AnyAlertEnd, AnyProposalEnd, AnyShoeEnd
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.pit import AnyNoEdges, AnyPitAlarm
from shoe_controller.messages.prompts import AnyPrompt
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.messages.witness import AnyWitnessAlarm

FAMILIES: dict[str, UnionType] = {
    "prompts": AnyPrompt,
    "reasons": AnyReason,
    "details": AnyDetail,
    "refusals": AnyRefusal,
    "alert_ends": AnyAlertEnd,
    "shoe_ends": AnyShoeEnd,
    "proposal_ends": AnyProposalEnd,
    "actors": AnyActor,
    "witness_alarms": AnyWitnessAlarm,
    "no_edges": AnyNoEdges,
    "pit_alarms": AnyPitAlarm,
}
"""By the name of their section in the tables of words."""


def codes_of(family: str) -> dict[str, type[Code]]:
    """The codes of a family, each with the struct that holds its values."""
    return {str(code.__struct_config__.tag): code for code in FAMILIES[family].__args__}


def family_of(code: Code) -> str:
    """The section of the tables of words that has the words of this code."""
    return _FAMILY_OF[type(code)]


_FAMILY_OF: dict[type, str] = {code: family for family, union in FAMILIES.items() for code in union.__args__}
