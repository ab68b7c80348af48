"""Cards that the shoe reported while the table is dealt by hand, and that nobody entered."""

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import AnyDetail, NotEntered
from shoe_controller.messages.facts import CardSetAside
from shoe_controller.table.draft import Draft

MOST_DIFFERENCES = 5
"""Alerts about entered cards that stand at once: a shoe that reports something else reports it of many cards."""


def set_unentered_aside(draft: Draft) -> int:
    """The shoe is over, and nobody entered these cards that were reported of it; how many."""
    unentered, draft.lasting.unentered = draft.lasting.unentered, ()
    for _ in unentered:
        set_aside(draft)
    if unentered:
        not_entered(draft)
    return len(unentered)


def set_aside(draft: Draft) -> None:
    """Put a card on record that nobody entered; it lies in no hand."""
    draft.emit(CardSetAside, card=None, why=NotEntered())


def not_entered(draft: Draft) -> None:
    differs(draft, NotEntered())


def differs(draft: Draft, detail: AnyDetail, fault: str | None = None) -> None:
    standing = sum(alert.kind is AlertKind.ENTERED_CARD_DIFFERS for alert in draft.lasting.alerts)
    if standing < MOST_DIFFERENCES:
        draft.alert(AlertKind.ENTERED_CARD_DIFFERS, detail, fault=fault)
