"""Facts about the cards of a round."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from firmware_protocol.cards import Card
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.facts.base import EventTopic, Fact

MOST_CARDS = 6
"""In the two hands of a round."""


class CardPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A card as it may be shown; `None` while it lies face down or is not known."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""
    card: Card | None
    """The card; null while it lies face down or is not known."""
    entered_by: str | None = None
    """The id of the person who entered it; null for a card that the shoe reported."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How the round stands; totals and what comes next are `None` while cards they depend on are not shown."""

    player_total: int | None
    """Points of Player's hand."""
    banker_total: int | None
    """Points of Banker's hand."""
    next_hand: Side | None
    """The hand that the next card goes to; null if none is due or a hidden card decides it."""
    complete: bool | None
    """Whether no more cards may come."""
    why: AnyReason | None
    """Why the next card is due, or none; null when a card lies where the rules do not allow one."""


class AsideCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card of the round that lies in no hand, as it may be shown."""

    order: int
    """1-based position in the order of the draw, among all cards of the round."""
    hand: Side | None
    """The hand that the shoe gave for it; null where it gave none."""
    card: Card | None
    """The card; null while it lies face down or is not known."""


class CardDealt(Fact, frozen=True, kw_only=True, tag="card_dealt"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    place: CardPlace
    """The card and where it lies."""
    standing: Standing
    """How the round stands with it."""
    moved: Annotated[tuple[CardPlace, ...], Meta(max_length=MOST_CARDS)] = ()
    """Of a card that left the shoe unseen: the cards drawn after it, in the places that they take now."""
    carried: bool = False
    """It is an extra card of the round before: no card left the shoe for it."""


class EnteredCardConfirmed(Fact, frozen=True, kw_only=True, tag="entered_card_confirmed"):
    """The shoe reported a card that a person had entered, with the same face."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    entered: int
    """The `seq` of the event about the card that was entered; 0 where an earlier journal has it."""


class CardsShown(Fact, frozen=True, kw_only=True, tag="cards_shown"):
    """Cards that lay face down, or were not known, are shown now."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    places: Annotated[tuple[CardPlace, ...], Meta(min_length=1, max_length=MOST_CARDS)]
    """The cards and where they lie."""
    standing: Standing
    """How the round stands with them."""


class CardCorrected(Fact, frozen=True, kw_only=True, tag="card_corrected"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    place: CardPlace
    """The card as it is now, and where it lies."""
    standing: Standing
    """How the round stands with it."""
    replaces: int
    """The `seq` of the last event about this card."""


class CardsAssigned(Fact, frozen=True, kw_only=True, tag="cards_assigned"):
    """Cards lie where the rules put them: a supervisor assigned them, or an extra card was due in truth."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    places: Annotated[tuple[CardPlace, ...], Meta(max_length=MOST_CARDS)]
    """All cards of the round as they lie now."""
    extra_cards: int
    """Cards of the round that are extra."""
    standing: Standing
    """How the round stands now."""
    person: str | None
    """The id of the supervisor who assigned them; null where an extra card took its place after a correction."""
    taken_back: int = 0
    """How many of them were decided to be burned, or to begin the next round, before it was known that they are due."""


class CardDiscarded(Fact, frozen=True, kw_only=True, tag="card_discarded"):
    """A card was taken out of the round; it has left the shoe all the same."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    place: CardPlace
    """The card, and where it lay."""
    cause: DiscardCause
    """What is wrong with it."""
    places: Annotated[tuple[CardPlace, ...], Meta(max_length=MOST_CARDS)]
    """The other cards of the round as they lie now: those drawn after it have moved up."""
    extra_cards: int
    """Cards of the round that are extra."""
    standing: Standing
    """How the round stands without it."""
    replaces: int
    """The `seq` of the last event about this card."""


class CardSetAside(Fact, frozen=True, kw_only=True, tag="card_set_aside"):
    """A card left the shoe and lies in no hand."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    card: Card | None
    """The card; null if cards lie face down at this table, or it is not known."""
    why: AnyDetail
    """Why it has no place."""
    entered_by: str | None = None
    """The id of the person who entered it; null for a card that the shoe reported."""


class ExtraCardDecided(Fact, frozen=True, kw_only=True, tag="extra_card_decided"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    burned: int
    """How many of them were burned."""
    used: bool
    """The first of them begins the next round."""
