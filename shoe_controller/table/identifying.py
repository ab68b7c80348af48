"""Faces that become known after a card has left the shoe: reported by the shoe at the result, or named by a supervisor.

Cards that leave the shoe are in `dealing.py`.
"""

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import CardIdentified, Hand
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import AnyAlertEnd, EndedByShoe
from shoe_controller.messages.details import (
    CardOfRound,
    CardProblem,
    CardRenamed,
    IdentifiedMissingCard,
    IdentifiedOutOfRound,
    IdentifiedTwice,
    StrayRenamed,
)
from shoe_controller.messages.facts import CardsShown
from shoe_controller.messages.phases import Phase
from shoe_controller.table.burning import bad_card_out_of_round, identify_first
from shoe_controller.table.counting import count_face_and_piece
from shoe_controller.table.dealing import SIDES, after_cards_changed, first_after_corrected_burn
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import compare_results
from shoe_controller.table.judging import judge, place_of, standing_of
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import ExtraCard, LaidCard, StrayCard

_COUNTS_IN_PLACE = 3
"""The `REVISION` from which a card whose face becomes known where it lies is not counted as another one before."""

_STRAYS_NAMED_SINCE = 2
"""The `REVISION` from which a card set aside is recognised when the shoe names it."""


def card_identified(draft: Draft, event: CardIdentified) -> None:
    """The shoe identifies a card that left it earlier."""
    if event.hand in SIDES:
        _identified_in_hand(draft, event, SIDES[event.hand])
    elif event.card is not None and draft.state.shoe is not None:
        if draft.phase is Phase.FIRST_CARD and draft.shoe.first_card is not None and event.hand is Hand.BURN:
            identify_first(draft, event.card, EndedByShoe())
        elif event.hand is Hand.EXTRA:
            _identified_extra(draft, event, event.card)
        else:
            _known_out_of_round(draft, event, event.card)


def _known_out_of_round(draft: Draft, event: CardIdentified, card: Card) -> None:
    """A card that lies in no known place: burned, or of a round that was voided."""
    in_place = _unknown_in_place(draft) if draft.shoe.revision >= _COUNTS_IN_PLACE else 0
    _count(draft, event, card, known=sum(draft.shoe.copies) + in_place)


def _known_in_place(draft: Draft, event: CardIdentified, card: Card, card_id: str | None) -> None:
    _count(draft, event, card, card_id, known=sum(draft.shoe.copies))


def _unknown_in_place(draft: Draft) -> int:
    """Cards without a face that lie where it can become known: each is counted when it does."""
    shoe, playing = draft.shoe, draft.state.round
    lie: list[LaidCard | ExtraCard] = [] if playing is None else [*playing.cards, *playing.extras, *playing.strays]
    if shoe.carried is not None:
        lie.append(shoe.carried)
    if draft.phase is Phase.FIRST_CARD and shoe.first_card is not None:
        lie.append(shoe.first_card)
    awaited = [entry for entry in draft.lasting.entered if entry.shoe == shoe.number]
    return sum(each.card is None for each in (*lie, *awaited))


def _count(draft: Draft, event: CardIdentified, card: Card, card_id: str | None = None, *, known: int) -> None:
    if known >= draft.shoe.cards_out:
        draft.alert(AlertKind.EVENT_GAP, IdentifiedTwice())
        return
    for problem in count_face_and_piece(draft, card, event.card_id, event.deck_set, known_id=card_id):
        bad_card_out_of_round(draft, problem)


def _identified_extra(draft: Draft, event: CardIdentified, card: Card) -> None:
    """Identify an extra card: one that waits, or the one chosen to begin the next round."""
    extras = () if draft.state.round is None else draft.round.extras
    number = next((number for number, extra in enumerate(extras) if extra.card is None), None)
    carried = draft.shoe.carried
    nowhere = _unknown_without_hand(draft)
    if number is not None:
        _known_in_place(draft, event, card, extras[number].card_id)
        known = msgspec.structs.replace(extras[number], card=card, card_id=event.card_id or extras[number].card_id)
        draft.round.extras = (*extras[:number], known, *extras[number + 1 :])
    elif carried is not None and carried.card is None:
        _known_in_place(draft, event, card, carried.card_id)
        draft.shoe.carried = msgspec.structs.replace(carried, card=card, card_id=event.card_id or carried.card_id)
    elif nowhere is not None:
        _identified_stray(draft, event, card, nowhere)
    else:
        _known_out_of_round(draft, event, card)


def _unknown_without_hand(draft: Draft) -> StrayCard | None:
    """A card set aside for which the shoe named no hand: of several that left at once, whichever it is."""
    if draft.shoe.revision < _COUNTS_IN_PLACE or draft.state.round is None:
        return None
    return next((stray for stray in draft.round.strays if stray.card is None and stray.hand is None), None)


def _identified_in_hand(draft: Draft, event: CardIdentified, side: Side) -> None:
    if draft.phase not in CARDS_OUT:
        _identified_too_late(draft, event, side)
        return
    if draft.round.rearranged or first_after_corrected_burn(draft):
        _ask_for_unknown(draft)
        return
    numbers = [number for number, laid in enumerate(draft.round.cards, 1) if laid.hand is side]
    if event.position is not None:
        numbers = numbers[event.position - 1 : event.position]
    unknown = [number for number in numbers if draft.round.cards[number - 1].card is None]
    strays = _strays_at(draft, side, event.position)
    unknown_stray = next((stray for stray in strays if stray.card is None), None)
    faces = [draft.round.cards[number - 1].card for number in numbers] + [stray.card for stray in strays]
    if not faces:
        draft.alert(AlertKind.EVENT_GAP, IdentifiedMissingCard(hand=side))
    elif event.card is None:
        if unknown:
            draft.alert(AlertKind.UNDISCLOSED_CARD, CardOfRound(number=unknown[0], hand=side), card=unknown[0])
    elif unknown:
        make_known(draft, unknown[0], event.card, EndedByShoe(), card_id=event.card_id, deck_set=event.deck_set)
    elif unknown_stray is not None:
        _identified_stray(draft, event, event.card, unknown_stray)
    elif event.card not in faces:
        number = numbers[0] if numbers else None
        renamed = StrayRenamed(hand=side) if number is None else CardRenamed(number=number, hand=side)
        draft.alert(AlertKind.PLACE_FILLED, renamed, card=number)


def _ask_for_unknown(draft: Draft) -> None:
    """The shoe names a place where cards lie otherwise since: a supervisor says what they are."""
    for number, laid in enumerate(draft.round.cards, 1):
        if laid.card is None:
            draft.alert(AlertKind.UNDISCLOSED_CARD, CardOfRound(number=number, hand=laid.hand), card=number)


def _strays_at(draft: Draft, side: Side, position: int | None) -> list[StrayCard]:
    """Cards set aside to which the shoe gave this place. Where it gave none, no identification can be matched."""
    if draft.shoe.revision < _STRAYS_NAMED_SINCE:
        return []
    return [stray for stray in draft.round.strays if stray.hand is side and position in (None, stray.position)]


def _identified_stray(draft: Draft, event: CardIdentified, card: Card, stray: StrayCard) -> None:
    _known_in_place(draft, event, card, stray.card_id)
    known = msgspec.structs.replace(stray, card=card, card_id=event.card_id or stray.card_id)
    draft.round.strays = tuple(known if other is stray else other for other in draft.round.strays)


def _identified_too_late(draft: Draft, event: CardIdentified, side: Side) -> None:
    """The round is over: its cards were voided, or a supervisor had to name them."""
    shoe = draft.state.shoe
    if shoe is None:
        return
    previous = [] if shoe.previous is None else [c.card for c in shoe.previous.cards if c.hand is side]
    if shoe.result_owed:
        if event.card is not None:
            _known_out_of_round(draft, event, event.card)
    elif event.card is not None and event.card not in previous:
        draft.alert(AlertKind.EVENT_GAP, IdentifiedOutOfRound(hand=side))


def card_not_due(draft: Draft, number: int) -> None:
    where = CardOfRound(number=number, hand=draft.round.cards[number - 1].hand)
    draft.alert(AlertKind.CARD_NOT_DUE, where, card=number)


def make_known(  # noqa: PLR0913 - which card, and everything that is known of it
    draft: Draft,
    number: int,
    card: Card,
    named_by: AnyAlertEnd,
    *,
    card_id: str | None = None,
    deck_set: str | None = None,
) -> None:
    """The face of a laid card is known now."""
    for alert in draft.lasting.alerts:
        if alert.card == number and alert.kind in (AlertKind.MISREAD, AlertKind.UNDISCLOSED_CARD):
            draft.end_alert(alert, named_by)
    before = draft.round.cards[number - 1].card_id
    problems = count_face_and_piece(draft, card, card_id, deck_set, known_id=before)
    draft.replace_card(number, card=card, card_id=card_id or before)
    laid = draft.round.cards[number - 1]
    if laid.shown:
        seq = draft.emit(CardsShown, places=(place_of(number, laid),), standing=standing_of(draft.round.cards))
        draft.replace_card(number, seq=seq)
    if CardProblem.FOREIGN_CARD in problems:
        draft.replace_card(number, foreign=True)
    for problem in problems:
        draft.alert(AlertKind(problem), CardOfRound(number=number, hand=laid.hand), card=number)
    illegal = judge(draft.round.cards).illegal
    if illegal is not None:
        card_not_due(draft, illegal)
    after_cards_changed(draft)
    indicated = draft.round.indicated
    if draft.phase is Phase.COMPLETE and indicated is not None and indicated.winner is not None:
        # The shoe gave its result while this card was not known.
        compare_results(draft, indicated)
