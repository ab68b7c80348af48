"""Facts about the cards of a shoe that has ended: what came, what must be left, and what was found."""

from typing import ClassVar

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.messages.facts.base import EventTopic, Fact


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """Where the cards of a shoe are when it ends.

    `cards_out` is the sum of `known`, plus `unseen`; `remainder` is 52 for each deck, plus `foreign`, less `cards_out`.
    """

    decks: int
    """How many decks are in the shoe."""
    known: dict[Card, int]
    """How many of each face are known to have come; faces that never came are left out."""
    unseen: int
    """Cards that came and whose face is not known: burned or set aside unseen, or not read."""
    foreign: int
    """Cards among those that came that do not belong to the decks."""
    remainder: int
    """Cards that must still be in the shoe; below 0 where more came than it can hold."""
    uncertain: bool = False
    """The shoe restarted in play, and cards may have left it unseen: there may be fewer in it than `remainder`."""


class CardCounted(Fact, frozen=True, kw_only=True, tag="card_counted"):
    """A card that was left came through the reader while the remainder is counted. It belongs to no round."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    card: Card | None
    """The card; null if it was not read."""
    counted: int
    """Cards counted so far, this one included."""


class RunOutBegun(Fact, frozen=True, kw_only=True, tag="run_out_begun"):
    """From now on cards that come are counted as the remainder of the shoe that ended."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    expected: int
    """Cards that must be left."""


class FaceCount(msgspec.Struct, frozen=True, kw_only=True):
    """The inventory of the whole shoe by face, once its remainder came through the reader."""

    missing: dict[Card, int]
    """Faces that came less often than the decks hold them. As many as `unseen` are among the cards not seen."""
    extra: dict[Card, int]
    """Faces that came more often than the decks hold them."""
    unseen: int
    """Cards whose face is not known, of the shoe and of its remainder."""
    duplicates: tuple[str, ...]
    """The ids of pieces of the remainder that had come before."""
    foreign: int
    """Cards of the remainder that do not belong to the decks."""


class RemainderCounted(Fact, frozen=True, kw_only=True, tag="remainder_counted"):
    """The cards that were left in a shoe were counted."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    expected: int
    """Cards that had to be left."""
    found: int
    """Cards that were left."""
    fits: bool
    """Whether nothing is missing and nothing is extra."""
    faces: FaceCount | None
    """Null where the cards were counted by hand: then nothing is known of their faces."""
    replaces: int | None = None
    """The `remainder_counted` before, where the cards were counted again."""
