"""A card that left the shoe unseen takes its place in the order of the draw; cards drawn after it move on by one."""

from collections.abc import Sequence

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.details import CardOfRound
from shoe_controller.messages.facts import MOST_CARDS, CardDealt
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CardIsUnknown,
    CardsLieFaceDown,
    CarriedCardIsFirst,
    NoSuchCard,
    OrderDisturbed,
)
from shoe_controller.table.assigning import take_due_place
from shoe_controller.table.carrying import begins_with_carried, carries
from shoe_controller.table.counting import Arrived, counted
from shoe_controller.table.dealing import HANDS, after_cards_changed
from shoe_controller.table.draft import Draft
from shoe_controller.table.drawn_order import DrawnCard, in_order
from shoe_controller.table.entered_cards import await_report, enter, entries_moved, has_been_reported, new_entry
from shoe_controller.table.finishing import result_differs
from shoe_controller.table.judging import FIRST_FOUR, place_of, possible_hands, standing_of
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.remedies import loses_order, order_lost
from shoe_controller.table.state import Alert, ExtraCard, LaidCard, Round, TableState

_NOT_IN_ORDER = (AlertKind.EXTRA_CARD, AlertKind.CARD_NOT_DUE)
"""With these, one more card puts nothing in order."""


# --- whether one can have left there ---------------------------------------------------------------------------------


def places_for_entry(state: TableState) -> tuple[int, ...]:
    """The positions in the round at which a card can be entered, as far as the cards that are shown tell."""
    if state.round is None:
        return ()
    return tuple(number for number in range(1, MOST_CARDS + 1) if _why_no_place(state, state.round, number) is None)


def _why_no_place(state: TableState, playing: Round, number: int) -> AnyRefusal | None:
    """Why no card can be entered there, whatever its face is."""
    why = _why_no_number(state, playing, number)
    if why is not None:
        return why
    there = _drawn(playing)
    carried = carries(state) is not None
    if order_lost(state) or any(alert.kind in _NOT_IN_ORDER for alert in state.lasting.alerts):
        return OrderDisturbed()
    if _is_next(playing, number - carried):
        # A card after those that lie face down is judged as one that the shoe reports: a refusal would tell of them.
        judged_later = _hidden(playing) and len(playing.cards) >= len(FIRST_FOUR)
        return None if judged_later or possible_hands(playing.cards) else OrderDisturbed()
    if any(drawn.card not in playing.cards for drawn in there[: number - 1]):
        # A card that fits no place stays so when one is missing after it.
        return OrderDisturbed()
    if _hidden(playing) and len(there) >= len(FIRST_FOUR):
        return CardsLieFaceDown()
    return None


def _why_no_number(state: TableState, playing: Round, number: int) -> AnyRefusal | None:
    """Why no card has this number, or none that could be entered."""
    if number == 1 and begins_with_carried(state):
        return CarriedCardIsFirst()
    upcoming = len(_drawn(playing)) + (carries(state) is not None) + 1
    return None if 1 <= number <= min(upcoming, MOST_CARDS) else NoSuchCard(number=number)


def why_not_entered(state: TableState, playing: Round, number: int, hand: Side | None, card: Card) -> AnyRefusal | None:
    """Why this card cannot have left the shoe there."""
    why = _why_no_place(state, playing, number)
    if why is not None:
        return why
    carried = carries(state) is not None
    if not _is_next(playing, number - carried):
        new = LaidCard(hand=hand or Side.PLAYER, card=card, shown=True, seq=0)
        return OrderDisturbed() if _with(playing, number, DrawnCard(new, hand)) is None else None
    if _hidden(playing) and len(playing.cards) >= len(FIRST_FOUR):
        return None
    possible = (Side.BANKER,) if carried else possible_hands(playing.cards)
    if hand is not None:
        return None if hand in possible else OrderDisturbed()
    return None if len(possible) == 1 else CardIsUnknown()


def _is_next(playing: Round, number: int) -> bool:
    """Whether it is the card that came last, and every other one lies in a hand."""
    return number == len(playing.cards) + 1 and not playing.strays and not playing.extras


def _hidden(playing: Round) -> bool:
    return not all(laid.shown for laid in playing.cards)


# --- entered ---------------------------------------------------------------------------------------------------------


def enter_in_place(draft: Draft, number: int, hand: Side | None, card: Card, person: str) -> None:
    if draft.phase not in CARDS_OUT or _is_next(draft.round, number):
        enter(draft, Arrived(card=card, hand=None if hand is None else HANDS[hand]), person)
    else:
        _insert(draft, number, hand, card, person)
        take_due_place(draft, person)


def _insert(draft: Draft, number: int, hand: Side | None, card: Card, person: str) -> None:
    playing = draft.round
    entry = new_entry(draft, person)
    arrived = counted(draft, Arrived(card=card, entered=entry))
    new = LaidCard(
        hand=hand or Side.PLAYER,
        card=card,
        shown=draft.procedure.reveal is Reveal.AT_DRAW,
        seq=0,
        drawn=arrived.drawn,
        entered=entry,
    )
    found = _with(playing, number, DrawnCard(new, hand))
    if found is None:
        raise RuntimeError(f"card {number} was refused a place in the round and is entered all the same")
    seq, lain, fitted = draft.lasting.seq + 1, len(playing.cards), len(found)
    unresolved = fitted < lain + 1 + len(playing.strays) + len(playing.extras)
    strayed, extras = bool(playing.strays), playing.extras
    drawn = _drawn_at(draft, found, number)
    playing.cards = tuple(
        laid if position < number else msgspec.structs.replace(laid, seq=seq)
        for position, laid in enumerate(_numbered_by_draw(found, number, drawn), 1)
    )
    playing.strays, playing.extras = (), _drawn_later(extras, drawn) if unresolved else ()
    draft.shoe.burned_extras = _drawn_later(draft.shoe.burned_extras, drawn)
    if draft.shoe.carried is not None:
        draft.shoe.carried = _drawn_later((draft.shoe.carried,), drawn)[0]
    playing.confirmed_by = playing.button_ns = None
    places = [place_of(position, laid) for position, laid in enumerate(playing.cards, 1)]
    draft.emit(CardDealt, place=places[number - 1], standing=standing_of(playing.cards), moved=tuple(places[number:]))
    before = next((laid.entered for laid in playing.cards[number:]), None)
    entries_moved(draft, playing.cards)
    after: tuple[LaidCard | ExtraCard, ...] = (*playing.cards, *playing.extras, *draft.shoe.burned_extras)
    passed = any(has_been_reported(draft, one) for one in after if one.drawn > drawn)
    await_report(draft, entry, card, place=number, seq=seq, before=before, passed=passed)
    _end_alerts(draft, number, EndedByPerson(person=person), strayed=strayed, extras=bool(extras) and not unresolved)
    for problem in arrived.problems:
        draft.alert(AlertKind(problem), _card_of(playing, number), card=number)
    after_cards_changed(draft)
    if draft.phase is Phase.COMPLETE and playing.indicated is not None:
        difference = result_differs(playing.indicated, playing)
        if difference is not None:
            draft.alert(AlertKind.RESULT_DIFFERS, difference)


def _end_alerts(draft: Draft, number: int, ended: EndedByPerson, *, strayed: bool, extras: bool) -> None:
    """End what is put right by a card at this position, and name the later cards by their new positions."""
    stand = tuple(alert for alert in draft.lasting.alerts if _moves_on(alert, number))
    for alert in draft.lasting.alerts:
        if alert in stand or (strayed and alert.kind is AlertKind.OUT_OF_TURN and not loses_order(alert)):
            draft.end_alert(alert, ended)
    if extras:
        draft.end_alerts(ended, AlertKind.OVER_DRAW)
    for alert in stand:
        position = (alert.card or 0) + 1
        draft.alert(alert.kind, _card_of(draft.round, position), card=position)


def _moves_on(alert: Alert, number: int) -> bool:
    """Whether an alert is about a card that has another position from now on."""
    return isinstance(alert.detail, CardOfRound) and alert.card is not None and alert.card >= number


def _card_of(playing: Round, number: int) -> CardOfRound:
    return CardOfRound(number=number, hand=playing.cards[number - 1].hand)


def _drawn_at(draft: Draft, cards: Sequence[LaidCard], number: int) -> int:
    """The place in the order of the draw of the new card at this position: that of the one that left after it."""
    shoe, before = draft.shoe, cards[number - 2].drawn if number > 1 else 0
    carried = () if shoe.carried is None else (shoe.carried,)
    aside = [extra.drawn for extra in (*draft.round.extras, *shoe.burned_extras, *carried) if extra.drawn > before]
    return min((laid.drawn for laid in cards[number:]), default=min(aside, default=cards[number - 1].drawn))


def _numbered_by_draw(cards: Sequence[LaidCard], number: int, drawn: int) -> list[LaidCard]:
    """The cards with the order in which they left, now that one more is known to have left before some of them."""
    return [
        *cards[: number - 1],
        msgspec.structs.replace(cards[number - 1], drawn=drawn),
        *(msgspec.structs.replace(laid, drawn=laid.drawn + 1) for laid in cards[number:]),
    ]


def _drawn_later(extras: Sequence[ExtraCard], drawn: int) -> tuple[ExtraCard, ...]:
    return tuple(
        msgspec.structs.replace(extra, drawn=extra.drawn + 1) if extra.drawn >= drawn else extra for extra in extras
    )


# --- the order of the draw -------------------------------------------------------------------------------------------


def _with(playing: Round, number: int, new: DrawnCard) -> tuple[LaidCard, ...] | None:
    """The round with one more card at this position; extra cards may stay extra."""
    for extras in (True, False):
        cards = _drawn(playing, extras=extras)
        if number <= len(cards) + 1:
            found = _laid_by_rules([*cards[: number - 1], new, *cards[number - 1 :]])
            if found is not None:
                return found
    return None


def _drawn(playing: Round, *, extras: bool = True) -> list[DrawnCard]:
    return in_order(playing, shown=not _hidden(playing), extras=extras)


def _laid_by_rules(cards: Sequence[DrawnCard]) -> tuple[LaidCard, ...] | None:
    """The cards in the hands that they belong to in this order; nothing where they do not make a round."""
    laid: list[LaidCard] = []
    for drawn in cards:
        card = drawn.card
        possible = possible_hands(laid)
        hand = possible[0] if len(possible) == 1 else card.hand if card.hand in possible else None
        if hand is None or drawn.hand not in (None, hand):
            return None
        if drawn.position not in (None, 1 + sum(other.hand is hand for other in laid)):
            return None
        laid.append(msgspec.structs.replace(card, hand=hand))
    return tuple(laid)
