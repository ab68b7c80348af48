"""Cards as they leave the shoe: what the shoe reports of each, and the count of faces and pieces that came out."""

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import CardDrawn, ForeignCard, Hand, Misread
from shoe_controller.messages.details import CardProblem
from shoe_controller.table.draft import Draft
from shoe_controller.table.state import Entry


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """A card that has just left the shoe, with everything that the shoe reported about it."""

    card: Card | None = None
    card_id: str | None = None
    deck_set: str | None = None
    hand: Hand | None = None
    position: int | None = None
    burns_left: int | None = None
    first_of_shoe: bool = False
    problems: tuple[CardProblem, ...] = ()
    """What is wrong with the card itself."""
    age_ms: int = 0
    drawn: int = 0
    """Its place in the order of the draw, once it is counted."""
    entered: Entry | None = None
    """For a card that a person entered."""
    shown: bool = False
    """Everyone has seen it: an extra card that begins a round."""
    foreign: bool = False
    """It is counted among the shoe's foreign cards."""

    @property
    def entered_by(self) -> str | None:
        return None if self.entered is None else self.entered.by


def arrived_from(event: CardDrawn | Misread | ForeignCard, age_ms: int) -> Arrived:
    match event:
        case CardDrawn():
            return Arrived(
                card=event.card,
                card_id=event.card_id,
                deck_set=event.deck_set,
                hand=event.hand,
                position=event.position,
                burns_left=event.burns_left,
                first_of_shoe=event.first_of_shoe,
                age_ms=age_ms,
            )
        case Misread():
            return Arrived(hand=event.hand, position=event.position, problems=(CardProblem.MISREAD,), age_ms=age_ms)
        case ForeignCard():
            return Arrived(
                card_id=event.card_id,
                hand=event.hand,
                position=event.position,
                problems=(CardProblem.FOREIGN_CARD,),
                age_ms=age_ms,
            )


def counted(draft: Draft, arrived: Arrived) -> Arrived:
    """Count the card as out of the shoe; what is wrong with it is added to its problems."""
    draft.shoe.cards_out += 1
    draft.shoe.reported = draft.shoe.reported or arrived.entered is None
    found = count_face_and_piece(draft, arrived.card, arrived.card_id, arrived.deck_set)
    if CardProblem.FOREIGN_CARD in arrived.problems and CardProblem.FOREIGN_CARD not in found:
        draft.shoe.foreign += 1
    problems = tuple(dict.fromkeys((*arrived.problems, *found)))
    draft.shoe.last_is_foreign = foreign = CardProblem.FOREIGN_CARD in problems
    return msgspec.structs.replace(arrived, problems=problems, drawn=draft.shoe.cards_out, foreign=foreign)


def count_face_and_piece(
    draft: Draft, card: Card | None, card_id: str | None, deck_set: str | None, *, known_id: str | None = None
) -> list[CardProblem]:
    """Count what is known of a card now; returns what is wrong with it. `known_id` was counted when it was drawn."""
    problems = []
    sets = draft.procedure.card_sets
    if sets and deck_set is not None and deck_set not in sets:
        problems.append(CardProblem.FOREIGN_CARD)
        draft.shoe.foreign += 1
    if card_id is not None and card_id != known_id:
        if card_id in draft.shoe.card_ids:
            problems.append(CardProblem.CARD_TWICE)
            draft.shoe.pieces_twice += 1
        else:
            draft.shoe.card_ids = (*draft.shoe.card_ids, card_id)
    if card is not None and not count_face(draft, card):
        problems.append(CardProblem.TOO_MANY_COPIES)
    return problems


def count_face(draft: Draft, card: Card, by: int = 1) -> bool:
    """Count a face as out; returns whether the decks hold that many of it."""
    copies = list(draft.shoe.copies)
    copies[card.number] += by
    draft.shoe.copies = tuple(copies)
    return copies[card.number] <= draft.shoe.decks


NO_COPIES = (0,) * len(CARDS_BY_NUMBER)
