"""The cards of a recalled round, fact by fact: dealt, shown, corrected, assigned, discarded, set aside."""

from typing import Literal

from shoe_controller.baccarat.drawing import HandTotals, reason
from shoe_controller.baccarat.sides import Side
from shoe_controller.history.rounds import (
    Amendment,
    AsideCard,
    Attempt,
    CardChange,
    ExtraCards,
    PutRight,
    RecalledCard,
)
from shoe_controller.messages.acts import IdentifyCard
from shoe_controller.messages.facts import (
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardPlace,
    CardsAssigned,
    CardSetAside,
    CardsShown,
    ExtraCardDecided,
    PersonActed,
    Standing,
)

CardFact = CardDealt | CardsShown | CardCorrected | CardsAssigned | CardDiscarded | CardSetAside | ExtraCardDecided


def take_card(
    fact: CardFact,
    attempt: Attempt,
    acted: PersonActed | None,
) -> None:
    match fact:
        case CardDealt():
            attempt.standing = fact.standing
            _move_on(attempt, fact)
            _card(attempt, fact.place, fact.time)
            attempt.cards.sort(key=lambda card: card.number)
        case CardsShown():
            attempt.standing = fact.standing
            for place in fact.places:
                card = _card(attempt, place, fact.time)
                if acted is not None and isinstance(acted.act, IdentifyCard) and acted.act.number == place.number:
                    _change(card, place, "identified", acted, fact.time)
                card.card = place.card
        case CardCorrected():
            attempt.standing = fact.standing
            card = _card(attempt, fact.place, fact.time)
            _change(card, fact.place, "corrected", acted, fact.time)
            card.card = fact.place.card
        case CardsAssigned() | CardDiscarded():
            _rearrange(attempt, fact, acted)
        case CardSetAside():
            attempt.set_aside.append(AsideCard(time=fact.time, card=fact.card, why=fact.why))
        case ExtraCardDecided():
            person = None if acted is None else acted.person
            decided = ExtraCards(time=fact.time, burned=fact.burned, begins_next_round=fact.used, person=person)
            attempt.extra_cards.append(decided)


def lie_as_amended(attempt: Attempt, amended: Amendment) -> None:
    """The cards of a round whose result is taken back are what it was amended to."""
    player, banker = amended.outcome.player, amended.outcome.banker
    hands = {Side.PLAYER: iter(player.cards), Side.BANKER: iter(banker.cards)}
    for card in attempt.cards:
        face = next(hands[card.hand], card.card)
        if face is not card.card:
            card.changes.append(
                CardChange(
                    time=amended.time,
                    what="corrected",
                    old=card.card,
                    new=face,
                    person=amended.person,
                    reason=amended.reason,
                )
            )
            card.card = face
    third = next((card.points for card in player.cards[2:]), None)
    totals = HandTotals(len(player.cards), len(banker.cards), player.total, banker.total, third)
    attempt.standing = Standing(
        player_total=player.total, banker_total=banker.total, next_hand=None, complete=True, why=reason(totals)
    )


def _move_on(attempt: Attempt, fact: CardDealt) -> None:
    """A card was entered that left the shoe before others: they take the places after it."""
    later = iter([card for card in attempt.cards if card.number >= fact.place.number])
    for place in fact.moved:
        card = next(later, None)
        if card is None:
            # One that had been set aside.
            attempt.set_aside = attempt.set_aside[1:]
            _card(attempt, place, fact.time)
        else:
            card.number, card.hand, card.card, card.entered_by = place.number, place.hand, place.card, place.entered_by


def _rearrange(attempt: Attempt, fact: CardsAssigned | CardDiscarded, acted: PersonActed | None) -> None:
    """All cards lie as the fact says."""
    gone = fact.place if isinstance(fact, CardDiscarded) else None
    before = [card for card in attempt.cards if gone is None or card.number != gone.number]
    asides = attempt.set_aside
    attempt.cards = []
    for place in fact.places:
        known = before[place.number - 1] if place.number <= len(before) else None
        card = _card(attempt, place, fact.time if known is None else known.time)
        if known is not None and known.hand is place.hand and known.card is place.card:
            card.why, card.changes = known.why, known.changes
    attempt.set_aside = asides[len(asides) - fact.extra_cards :] if fact.extra_cards <= len(asides) else asides
    attempt.standing = fact.standing
    by_itself = isinstance(fact, CardsAssigned) and fact.person is None
    attempt.put_right.append(
        PutRight(
            time=fact.time,
            what="due_in_truth" if by_itself else "assigned" if gone is None else "discarded",
            number=None if gone is None else gone.number,
            card=None if gone is None else gone.card,
            cause=fact.cause if isinstance(fact, CardDiscarded) else None,
            person=None if acted is None else acted.person,
            approved_by=None if acted is None else acted.approved_by,
            reason="" if acted is None else acted.reason,
        )
    )


def _card(attempt: Attempt, place: CardPlace, time: int) -> RecalledCard:
    for card in attempt.cards:
        if card.number == place.number:
            return card
    card = RecalledCard(number=place.number, time=time, hand=place.hand, card=place.card, entered_by=place.entered_by)
    attempt.cards.append(card)
    return card


def _change(
    card: RecalledCard,
    place: CardPlace,
    what: Literal["identified", "corrected"],
    acted: PersonActed | None,
    time: int,
) -> None:
    card.changes.append(
        CardChange(
            time=time,
            what=what,
            old=card.card,
            new=place.card,
            person=None if acted is None else acted.person,
            reason="" if acted is None else acted.reason,
        )
    )
