"""Facts about the shoe: opened, burned, ended, connected."""

from typing import ClassVar

from firmware_protocol.cards import Card
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.causes import AnyShoeEnd
from shoe_controller.messages.details import ControllerRestarted, EarlierDetail, LinkDropped, ShoeExchangedNow
from shoe_controller.messages.facts.base import EventTopic, Fact
from shoe_controller.messages.facts.inventory import Inventory
from shoe_controller.messages.rules import PublishedRules


class ShoeOpened(Fact, frozen=True, kw_only=True, tag="shoe_opened"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    decks: int
    """How many decks are in the shoe."""
    card_sets: tuple[str, ...]
    """The sets of cards that belong to the table; empty where the house names none."""
    opened_by: AnyActor
    """Who or what opened it."""
    rules: PublishedRules | None = None
    """The rules and prices of this shoe; null only in events from a journal of layout version 1."""


class CardBurned(Fact, frozen=True, kw_only=True, tag="card_burned"):
    """The first card of a shoe is shown; those burned after it never are."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    card: Card | None
    """The first card of the shoe; null for the cards burned after it, and while it is not known."""
    burned: int
    """Cards burned so far, the first card left aside."""
    to_burn: int | None
    """How many cards are to be burned, by the first card; null before it is known, and between rounds."""
    entered_by: str | None = None
    """The id of the person who entered it; null for a card that the shoe reported."""
    replaces: int | None = None
    """The `seq` of the event that the first card was published with, where it is corrected."""


class CutCardOut(Fact, frozen=True, kw_only=True, tag="cut_card_out"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    last_round: int
    """The number of the last round of this shoe."""
    entered_by: str | None = None
    """The id of the person who entered it; null where the shoe reported it."""


class ShoeEnded(Fact, frozen=True, kw_only=True, tag="shoe_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    cause: AnyShoeEnd
    """Why the shoe ended."""
    cards_out: int
    """Cards that left the shoe, read or not."""
    commission_due: dict[str, int]
    """Marked during the shoe and not collected yet, by seat."""
    replaces: int | None = None
    """The `shoe_ended` before, where a result was taken back after it."""
    inventory: Inventory | None = None
    """Where the cards of the shoe are; null for a shoe that an earlier version opened."""


class ShoeExchanged(Fact, frozen=True, kw_only=True, tag="shoe_exchanged"):
    """Another shoe took the place of the one at the table; its cards, and all that was dealt from them, stay."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    wire: str
    """The wire of the shoe from now on, as the table's file names it."""
    port: str
    """The port of the shoe from now on, as the table's file names it."""


class HandEntryChanged(Fact, frozen=True, kw_only=True, tag="hand_entry_changed"):
    """The table is dealt by hand from now on, or by the shoe's reader again."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    hand_entry: bool
    """Whether the dealer enters each card."""


class ShoeLinkChanged(Fact, frozen=True, kw_only=True, tag="shoe_link"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    up: bool
    """Whether the shoe is connected."""
    authenticated: bool
    """Whether the shoe has proven itself with its key."""
    shoe_name: str
    """Model and serial number, where the shoe reports them."""
    keeps_events: bool | None = None
    """Whether the shoe keeps what was not stored and sends it again, so that no card is lost with the connection; null
    in events of earlier versions."""
    cause: LinkDropped | ControllerRestarted | ShoeExchangedNow | EarlierDetail | None
    """Why the connection is gone; null when it is up."""
