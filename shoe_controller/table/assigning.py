"""Cards lie where the rules put them: assigned by a supervisor, one less where it is discarded, an extra that was due.

The order of the draw is never changed: in this order, each card belongs to the hand to which the rules give it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from shoe_controller.messages.acts import AssignedCard
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import DiscardCause, EndedByPerson
from shoe_controller.messages.details import CardOfRound, CardProblem, DueCardElsewhere, ShoeProof
from shoe_controller.messages.facts import CardDiscarded, CardsAssigned
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.refusals import AnyRefusal, CardIsUnknown, NotAllCards, NotByRules
from shoe_controller.table.burning import bad_card_out_of_round
from shoe_controller.table.counting import count_face
from shoe_controller.table.dealing import KEEPS_ORDER, after_cards_changed
from shoe_controller.table.draft import Draft
from shoe_controller.table.drawn_order import DrawnCard, drawn_next, in_order, laid_from
from shoe_controller.table.entered_cards import entries_moved, entry_corrected
from shoe_controller.table.finishing import result_differs
from shoe_controller.table.judging import judge, one_is_due, place_of, possible_hands, standing_of
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.remedies import OUT_OF_PLACE, order_unknown
from shoe_controller.table.state import ExtraCard, LaidCard, Round, TableState

TAKES_DUE_PLACE = 3
"""The first `REVISION` in which an extra card that was due in truth takes its place after a correction."""

ONE_PROOF = 4
"""The first `REVISION` in which a card that is discarded as foreign proves nothing else of its shoe."""

ENTRIES_MOVE = 4
"""The `REVISION` of the running program from which an entry follows its card to another place."""

ASKS_FOR_ALL = 4
"""The `REVISION` of the running program from which each card that is assigned without a face is asked for."""

FORGETS_RESULT = 6
"""The `REVISION` of the running program from which a result of the shoe is forgotten when a card is due after all."""

_PROOFS = {
    AlertKind.TOO_MANY_COPIES: ShoeProof.TOO_MANY_COPIES,
    AlertKind.CARD_TWICE: ShoeProof.CARD_TWICE,
    AlertKind.FOREIGN_CARD: ShoeProof.FOREIGN_CARD,
}


class Arranged(NamedTuple):
    """The cards of a round, each where it belongs."""

    cards: tuple[LaidCard, ...]
    extras: tuple[ExtraCard, ...]


def drawn_cards(state: TableState) -> list[DrawnCard]:
    """The cards of the round in the order of the draw, as they would lie in the hands."""
    playing, shoe = state.round, state.shoe
    if playing is None or shoe is None:
        return []
    return in_order(playing, shown=shoe.rules.procedure.reveal is Reveal.AT_DRAW)


# --- assigned --------------------------------------------------------------------------------------------------------


def arranged_as_said(state: TableState, said: Sequence[AssignedCard]) -> Arranged | AnyRefusal:
    """The cards in the hands that a person names; a refusal where the rules give them other ones."""
    drawn = drawn_cards(state)
    if len(said) != len(drawn):
        return NotAllCards(cards=len(drawn))
    laid: list[LaidCard] = []
    extras: list[ExtraCard] = []
    for number, (one, named) in enumerate(zip(drawn, said, strict=True), 1):
        card = msgspec.structs.replace(one.card, card=named.card or one.card.card)
        possible = possible_hands(laid)
        waits = one.aside is not None and _burned_between(state, laid, one)
        if named.hand is None and (waits or not possible):
            extras.append(_extra_from(card, one))
        elif named.hand in possible and not waits:
            laid.append(msgspec.structs.replace(card, hand=named.hand))
        else:
            return NotByRules(number=number)
    return Arranged(tuple(laid), tuple(extras))


def _burned_between(state: TableState, laid: Sequence[LaidCard], extra: DrawnCard) -> bool:
    """Whether a burned or carried card left between these and an extra one: it takes its place first, by itself."""
    playing, shoe = state.round, state.shoe
    if playing is None or shoe is None or state.lasting.revision < KEEPS_ORDER:
        return False
    first = drawn_next(shoe, msgspec.structs.replace(playing, cards=tuple(laid)))
    return first is not None and first not in playing.extras and first.drawn < extra.card.drawn


def changes_nothing(playing: Round, arranged: Arranged, said: Sequence[AssignedCard]) -> bool:
    lie = [(laid.hand, laid.card) for laid in arranged.cards] == [(laid.hand, laid.card) for laid in playing.cards]
    same = [extra.card for extra in arranged.extras] == [extra.card for extra in playing.extras]
    # Of a card that nobody has seen, a refusal would confirm a guess at its face.
    unseen = not all(one.shown for cards in (playing.cards, playing.extras) for one in cards)
    guessed = unseen and any(named.card is not None for named in said)
    return lie and same and not guessed and not playing.strays and all(laid.shown for laid in playing.cards)


def assign(draft: Draft, arranged: Arranged, person: str) -> None:
    """Lay the cards where a supervisor says, which is where the rules put them."""
    old = {one.card.drawn: one.card for one in drawn_cards(draft.state)}
    too_many = []
    lie: tuple[LaidCard | ExtraCard, ...] = (*arranged.cards, *arranged.extras)
    for one in lie:
        was = old[one.drawn].card
        if was is not one.card and one.card is not None:
            entry_corrected(draft, one.entered, one.card)
            if was is not None:
                count_face(draft, was, by=-1)
            if not count_face(draft, one.card):
                too_many.append(one.drawn)
    before = _arrange(draft, arranged)
    seq = _emit_assigned(draft, person)
    _number(draft, seq)
    _end_alerts(draft, before, person)
    for number, laid in enumerate(draft.round.cards, 1):
        if laid.drawn in too_many:
            draft.alert(AlertKind.TOO_MANY_COPIES, CardOfRound(number=number, hand=laid.hand), card=number)
    if any(extra.drawn in too_many for extra in draft.round.extras):
        bad_card_out_of_round(draft, CardProblem.TOO_MANY_COPIES)
    if draft.lasting.revision >= ASKS_FOR_ALL:
        _ask_for_new(draft, before)
    _go_on(draft)


def _ask_for_new(draft: Draft, before: Sequence[LaidCard]) -> None:
    """Ask for the cards that nobody knows, and that lay in no hand before."""
    lay = {laid.drawn for laid in before}
    for number, laid in enumerate(draft.round.cards, 1):
        if laid.card is None and laid.drawn not in lay:
            _ask_for(draft, number)


def _emit_assigned(draft: Draft, person: str | None, taken_back: int = 0) -> int:
    return draft.emit(
        CardsAssigned,
        places=_places(draft),
        extra_cards=len(draft.round.extras),
        standing=standing_of(draft.round.cards),
        person=person,
        taken_back=taken_back,
    )


# --- discarded -------------------------------------------------------------------------------------------------------


def arranged_without(state: TableState, gone: LaidCard) -> Arranged | AnyRefusal:
    """The other cards in the hands that the rules give them; a refusal where a card that is not known decides it."""
    laid: list[LaidCard] = []
    extras_wait = _burned_before_extras(state, gone)
    extras: list[ExtraCard] = []
    moves = False
    """The shoe gave the hands of those that were drawn after it with that card in its place."""
    for one in drawn_cards(state):
        if one.card is gone:
            moves = True
            continue
        possible = possible_hands(laid)
        if not possible or (extras_wait and one.aside is not None):
            extras.append(_extra_from(one.card, one))
        elif len(possible) == 1 or (one.aside is None and not moves and one.card.hand in possible):
            hand = possible[0] if len(possible) == 1 else one.card.hand
            laid.append(msgspec.structs.replace(one.card, hand=hand))
        else:
            return CardIsUnknown()
    return Arranged(tuple(laid), tuple(extras))


def _burned_before_extras(state: TableState, gone: LaidCard) -> bool:
    """Whether a burned or carried card left before the extra ones: they take their places after it, in that order."""
    playing, shoe = state.round, state.shoe
    if playing is None or shoe is None or state.lasting.revision < KEEPS_ORDER:
        return False
    others = tuple(laid for laid in playing.cards if laid is not gone)
    first = drawn_next(shoe, msgspec.structs.replace(playing, cards=others))
    return first is not None and first not in playing.extras


def discard(draft: Draft, number: int, cause: DiscardCause, arranged: Arranged, person: str) -> None:
    """Take a card out of the round; it has left the shoe, and stays counted."""
    gone = draft.round.cards[number - 1]
    proven = {_PROOFS[alert.kind] for alert in draft.lasting.alerts if alert.card == number and alert.kind in _PROOFS}
    if cause is DiscardCause.FOREIGN:
        if gone.card is not None:
            # It is none of the decks' own: theirs are all still to come.
            count_face(draft, gone.card, by=-1)
            proven.discard(ShoeProof.TOO_MANY_COPIES)
        if ShoeProof.CARD_TWICE in proven and draft.shoe.revision >= ONE_PROOF:
            # The decks' own piece is the other one, which came once.
            draft.shoe.pieces_twice -= 1
            proven.discard(ShoeProof.CARD_TWICE)
        draft.shoe.foreign += not gone.foreign
    if gone.foreign or cause is DiscardCause.FOREIGN:
        proven.add(ShoeProof.FOREIGN_CARD)
    draft.round.proven = (*draft.round.proven, *sorted(proven))
    draft.shoe.discarded += 1
    before = _arrange(draft, arranged)
    seq = draft.emit(
        CardDiscarded,
        place=place_of(number, gone),
        cause=cause,
        places=_places(draft),
        extra_cards=len(draft.round.extras),
        standing=standing_of(draft.round.cards),
        replaces=gone.seq,
    )
    _number(draft, seq)
    _end_alerts(draft, before, person)
    _go_on(draft)


# --- due in truth ----------------------------------------------------------------------------------------------------


def take_due_place(draft: Draft, person: str, *, replaces: bool = False) -> None:
    """After cards were put right: extra cards that were due in truth take their places, in the order of the draw.

    `replaces`: a card was discarded, and the next takes its place, also where a card that is not known decides it.
    """
    playing = draft.state.round
    if playing is None or draft.shoe.revision < TAKES_DUE_PLACE or playing.strays or order_unknown(draft.state):
        return
    taken_back, before = 0, len(playing.cards)
    while draft.phase is Phase.DEALING and _one_is_due(playing, replaces=replaces):
        extra = drawn_next(draft.shoe, playing)
        if extra is None or _left_since(playing, extra):
            break
        taken_back += extra not in playing.extras
        _take(draft, extra)
        hand = possible_hands(playing.cards)[0]
        shown = draft.procedure.reveal is Reveal.AT_DRAW
        playing.cards = (*playing.cards, laid_from(extra, hand, shown=shown))
    if len(playing.cards) > before:
        playing.rearranged = True
        playing.last_card_ns = draft.now
        if draft.lasting.revision >= ENTRIES_MOVE:
            entries_moved(draft, playing.cards)
        seq = _emit_assigned(draft, None, taken_back)
        _number(draft, seq)
        if not playing.extras:
            draft.end_alerts(EndedByPerson(person=person), AlertKind.OVER_DRAW, AlertKind.EXTRA_CARD)
        if playing.cards[-1].card is None:
            _ask_for(draft, len(playing.cards))
        _go_on(draft)
    _look_for_due_card(draft)


def _left_since(playing: Round, card: LaidCard | ExtraCard) -> bool:
    """Whether cards of other rounds left before this one: it cannot be the one that was due."""
    return playing.followed_at is not None and card.drawn > playing.followed_at


def _look_for_due_card(draft: Draft) -> None:
    """After an undo, the card that is due may have left for a later round: no other decides the money."""
    playing = draft.round
    own = [laid for laid in playing.cards if not _left_since(playing, laid)]
    missing = playing.followed_at is not None and draft.phase in CARDS_OUT and one_is_due(own)
    if missing and not any(isinstance(alert.detail, DueCardElsewhere) for alert in draft.lasting.alerts):
        draft.alert(AlertKind.OUT_OF_TURN, DueCardElsewhere())


def _one_is_due(playing: Round, *, replaces: bool) -> bool:
    return judge(playing.cards).card_is_due or (replaces and len(possible_hands(playing.cards)) == 1)


def _ask_for(draft: Draft, number: int) -> None:
    """Nobody knows the card that was laid there: a supervisor says what it is."""
    laid = draft.round.cards[number - 1]
    kind = AlertKind.FOREIGN_CARD if laid.foreign else AlertKind.UNDISCLOSED_CARD
    draft.alert(kind, CardOfRound(number=number, hand=laid.hand), card=number)


def _take(draft: Draft, extra: ExtraCard) -> None:
    playing, shoe = draft.round, draft.shoe
    if extra in playing.extras:
        playing.extras = tuple(other for other in playing.extras if other is not extra)
    elif extra in shoe.burned_extras:
        shoe.burned_extras = tuple(other for other in shoe.burned_extras if other is not extra)
        shoe.burned -= 1
    else:
        shoe.carried = None


# --- for all of them -------------------------------------------------------------------------------------------------


def _extra_from(card: LaidCard, drawn: DrawnCard) -> ExtraCard:
    shown = card.shown if drawn.aside is None else drawn.aside.shown
    return ExtraCard(
        card=card.card,
        card_id=card.card_id,
        seq=card.seq,
        drawn=card.drawn,
        entered=card.entered,
        shown=shown,
        foreign=card.foreign,
    )


def _places(draft: Draft) -> tuple[object, ...]:
    return tuple(place_of(number, laid) for number, laid in enumerate(draft.round.cards, 1))


def _number(draft: Draft, seq: int) -> None:
    """The last fact about every card of the round is this one."""
    for number in range(1, len(draft.round.cards) + 1):
        draft.replace_card(number, seq=seq)


def _arrange(draft: Draft, arranged: Arranged) -> tuple[LaidCard, ...]:
    """Lay the cards; returns those that lay there before."""
    playing, before = draft.round, draft.round.cards
    playing.cards, playing.strays = arranged.cards, ()
    playing.extras = tuple(msgspec.structs.replace(extra, round=playing.number) for extra in arranged.extras)
    playing.rearranged = True
    # It was confirmed with other cards.
    playing.confirmed_by = playing.button_ns = None
    playing.last_card_ns = draft.now
    if draft.lasting.revision >= ENTRIES_MOVE:
        entries_moved(draft, playing.cards, (*before, *playing.extras))
    return before


def _end_alerts(draft: Draft, before: Sequence[LaidCard], person: str) -> None:
    """End what was wrong with the cards' places; what is still wrong with a card names its new place."""
    playing, ended = draft.round, EndedByPerson(person=person)
    lie = {laid.drawn: number for number, laid in enumerate(playing.cards, 1)}
    move: list[tuple[AlertKind, int]] = []
    for alert in draft.lasting.alerts:
        if alert.kind in (*OUT_OF_PLACE, AlertKind.EXTRA_CARD, AlertKind.RESULT_DIFFERS):
            draft.end_alert(alert, ended)
        elif alert.card and isinstance(alert.detail, CardOfRound):
            number = lie.get(before[alert.card - 1].drawn)
            still = number is not None and _still_wrong(draft, alert.kind, playing.cards[number - 1])
            if not still or number != alert.card:
                draft.end_alert(alert, ended)
            if still and number is not None and number != alert.card:
                move.append((alert.kind, number))
    for kind, number in move:
        draft.alert(kind, CardOfRound(number=number, hand=playing.cards[number - 1].hand), card=number)
    if playing.extras:
        draft.alert(AlertKind.OVER_DRAW)
    elif not draft.shoe.over_draw_awaited:
        draft.end_alerts(ended, AlertKind.OVER_DRAW)


def _still_wrong(draft: Draft, kind: AlertKind, laid: LaidCard) -> bool:
    if kind in (AlertKind.MISREAD, AlertKind.UNDISCLOSED_CARD):
        return laid.card is None
    if kind is AlertKind.TOO_MANY_COPIES:
        return laid.card is not None and draft.shoe.copies[laid.card.number] > draft.shoe.decks
    return True


def _go_on(draft: Draft) -> None:
    """Whether the round is complete now, and whether the shoe's own result is what the cards come to."""
    after_cards_changed(draft)
    playing = draft.round
    indicated = playing.indicated
    if draft.lasting.revision >= FORGETS_RESULT and draft.phase is Phase.DEALING and judge(playing.cards).card_is_due:
        # The shoe's result was about other cards: the round goes on with the next ones, also with those that wait.
        playing.confirmed_by = playing.indicated = playing.button_ns = None
    if draft.phase is Phase.COMPLETE and indicated is not None:
        difference = result_differs(indicated, playing)
        if difference is not None:
            draft.alert(AlertKind.RESULT_DIFFERS, difference)
