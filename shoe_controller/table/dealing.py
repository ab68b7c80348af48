"""Cards that leave the shoe: the first card, burned cards, and each card of a round, checked as it comes.

A card is never lost here: one that fits no place is set aside as a stray, which stops the round until it is voided.
"""

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import Burn, CardDrawn, DoubleFeed, ForeignCard, Hand, Misread
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import FirstCardDrawn
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import AnyAlertEnd, CardCame, CardDue
from shoe_controller.messages.details import (
    AfterShoeEnd,
    AnotherRoundBegun,
    AnyDetail,
    BurnCountDiffers,
    BurnedCardReused,
    BurnedInRound,
    BurnedSoFar,
    BurnsLeftDiffer,
    CardMissingBefore,
    CardOfRound,
    CardProblem,
    CardsTogether,
    CarriedCardDiffers,
    DealtBeforeBurn,
    FirstCardOfShoe,
    FirstOfNewShoe,
    HandNotNamed,
    LateSeats,
    NoShoeOpen,
    OneTooMany,
    PlaceTaken,
    ProblemCard,
    UnknownCardCarried,
    WrongHand,
)
from shoe_controller.messages.facts import BettingClosed, CardBurned, CardDealt, CardSetAside
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import open_betting
from shoe_controller.table.judging import judge, place_of, possible_hands, standing_of
from shoe_controller.table.phases import CARDS_OUT, Move
from shoe_controller.table.state import ExtraCard, LaidCard, StrayCard

SIDES = {Hand.PLAYER: Side.PLAYER, Hand.BANKER: Side.BANKER}

FACE_CARDS_BURN = 10

_NS_IN_MS = 1_000_000


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


def card_left(draft: Draft, arrived: Arrived) -> None:
    """A card has left the shoe."""
    if draft.phase is Phase.NO_SHOE:
        _card_out_of_play(draft)
        return
    arrived = _counted(draft, arrived)
    match draft.phase:
        case Phase.ENDED:
            _card_out_of_play(draft)
        case Phase.FIRST_CARD if arrived.hand in SIDES:
            draft.alert(AlertKind.BURN_DIFFERS, DealtBeforeBurn())
            _first_card_known(draft)
            _card_of_round(draft, arrived)
        case Phase.FIRST_CARD if draft.shoe.first_card is None:
            _first_card(draft, arrived)
        case Phase.FIRST_CARD:
            # Burning has begun before the first card was read: the number to burn is unknown.
            _burned(draft, arrived)
        case Phase.BURNING if arrived.hand not in SIDES:
            _burned(draft, arrived)
        case Phase.BURNING:
            draft.alert(AlertKind.BURN_DIFFERS, BurnedSoFar(burned=draft.shoe.burned, to_burn=draft.shoe.burns or 0))
            _end_burning(draft)
            _card_of_round(draft, arrived)
        case Phase.BETTING | Phase.CLOSED if arrived.hand is Hand.BURN:
            draft.shoe.burned += 1
            draft.emit(CardBurned, card=None, burned=draft.shoe.burned, to_burn=None)
            draft.alert(AlertKind.BURNED_BETWEEN_ROUNDS)
            _problem_out_of_round(draft, arrived)
        case _:
            _card_of_round(draft, arrived)


_OUT_OF_PLAY: dict[Phase, tuple[AnyDetail, AlertKind]] = {
    Phase.NO_SHOE: (NoShoeOpen(), AlertKind.CARD_WITHOUT_SHOE),
    Phase.ENDED: (AfterShoeEnd(), AlertKind.CARD_AFTER_END),
}


def _card_out_of_play(draft: Draft) -> None:
    why, kind = _OUT_OF_PLAY[draft.phase]
    draft.emit(CardSetAside, card=None, why=why)
    draft.alert(kind)


def cards_left_together(draft: Draft, event: DoubleFeed, age_ms: int) -> None:
    """The order of the cards is unknown."""
    detail = CardsTogether(cards=event.cards)
    if draft.state.shoe is not None:
        draft.shoe.cards_out += event.cards
    if draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, age_ms)
    if draft.phase in CARDS_OUT:
        for _ in range(event.cards):
            _set_aside(draft, Arrived(), detail)
        draft.alert(AlertKind.DOUBLE_FEED, detail)
    elif draft.phase in _OUT_OF_PLAY:
        for _ in range(event.cards):
            _card_out_of_play(draft)
    else:
        draft.alert(AlertKind.BAD_CARD_OUT_OF_ROUND, detail)
        if draft.phase is Phase.BURNING:
            draft.shoe.burned += event.cards
            draft.emit(CardBurned, card=None, burned=draft.shoe.burned, to_burn=draft.shoe.burns)
            _end_burning_when_done(draft)


def burn_announced(draft: Draft, event: Burn) -> None:
    if draft.phase is Phase.BURNING and event.cards != draft.shoe.burns:
        differs = BurnCountDiffers(shoe=event.cards, first_card=draft.shoe.burns or 0)
        draft.alert(AlertKind.BURN_DIFFERS, differs)


# --- counting --------------------------------------------------------------------------------------------------------


def _counted(draft: Draft, arrived: Arrived) -> Arrived:
    """Count the card as out of the shoe; what is wrong with it is added to its problems."""
    draft.shoe.cards_out += 1
    found = count_face_and_piece(draft, arrived.card, arrived.card_id, arrived.deck_set)
    return msgspec.structs.replace(arrived, problems=tuple(dict.fromkeys((*arrived.problems, *found))))


def count_face_and_piece(
    draft: Draft, card: Card | None, card_id: str | None, deck_set: str | None, *, known_id: str | None = None
) -> list[CardProblem]:
    """Count what is known of a card now; returns what is wrong with it. `known_id` was counted when it was drawn."""
    problems = []
    sets = draft.procedure.card_sets
    if sets and deck_set is not None and deck_set not in sets:
        problems.append(CardProblem.FOREIGN_CARD)
    if card_id is not None and card_id != known_id:
        if card_id in draft.shoe.card_ids:
            problems.append(CardProblem.CARD_TWICE)
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


# --- first card and burn ---------------------------------------------------------------------------------------------


def _first_card(draft: Draft, arrived: Arrived) -> None:
    # Everyone at the table counts the burn, so the first card is shown whatever the house reveals later.
    seq = draft.emit(CardBurned, card=arrived.card, burned=0, to_burn=burns_for(arrived.card))
    draft.shoe.first_card = ExtraCard(card=arrived.card, card_id=arrived.card_id, seq=seq)
    if arrived.card is None and CardProblem.FOREIGN_CARD not in arrived.problems:
        misread = CardProblem.MISREAD in arrived.problems
        draft.alert(AlertKind.MISREAD if misread else AlertKind.UNDISCLOSED_CARD, FirstCardOfShoe(), card=0)
        return
    _problem_out_of_round(draft, arrived)
    _first_card_known(draft)


def identify_first(draft: Draft, card: Card, identified_by: AnyAlertEnd) -> None:
    """The first card was not read; a supervisor, or the shoe, names it now."""
    first = draft.shoe.first_card
    if first is None:
        return
    if not count_face(draft, card):
        bad_card_out_of_round(draft, CardProblem.TOO_MANY_COPIES)
    seq = draft.emit(CardBurned, card=card, burned=draft.shoe.burned, to_burn=burns_for(card))
    draft.shoe.first_card = msgspec.structs.replace(first, card=card, seq=seq)
    draft.end_alerts(identified_by, AlertKind.MISREAD, AlertKind.UNDISCLOSED_CARD)
    _first_card_known(draft)


def _first_card_known(draft: Draft) -> None:
    """Begin to burn; a foreign first card burns nothing."""
    first = draft.shoe.first_card
    draft.shoe.burns = burns_for(None if first is None else first.card) or 0
    draft.move(Move.SHOW_FIRST)
    _end_burning_when_done(draft)


def burns_for(card: Card | None) -> int | None:
    return None if card is None else card.points or FACE_CARDS_BURN


def _burned(draft: Draft, arrived: Arrived) -> None:
    shoe = draft.shoe
    shoe.burned += 1
    draft.emit(CardBurned, card=None, burned=shoe.burned, to_burn=shoe.burns)
    left = (shoe.burns or 0) - shoe.burned
    if arrived.burns_left is not None and shoe.burns is not None and arrived.burns_left != left:
        draft.alert(AlertKind.BURN_DIFFERS, BurnsLeftDiffer(shoe=arrived.burns_left, first_card=left))
    _problem_out_of_round(draft, arrived)
    _end_burning_when_done(draft)


def _end_burning_when_done(draft: Draft) -> None:
    if draft.phase is Phase.BURNING and draft.shoe.burned >= (draft.shoe.burns or 0):
        _end_burning(draft)


def _end_burning(draft: Draft) -> None:
    draft.move(Move.BURN_LAST)
    open_betting(draft)


def _problem_out_of_round(draft: Draft, arrived: Arrived) -> None:
    for problem in arrived.problems:
        bad_card_out_of_round(draft, problem)


def bad_card_out_of_round(draft: Draft, problem: CardProblem) -> None:
    draft.alert(AlertKind.BAD_CARD_OUT_OF_ROUND, ProblemCard(problem=problem), fault=problem)


# --- a round ---------------------------------------------------------------------------------------------------------


def _card_of_round(draft: Draft, arrived: Arrived) -> None:  # noqa: C901 - each way in which a card can fail to fit
    if arrived.hand is Hand.EXTRA:
        complete = draft.phase is Phase.COMPLETE or not possible_hands(draft.round.cards)
        over_draw = complete or draft.has_alert(AlertKind.OVER_DRAW)
        _extra_card(draft, arrived, AlertKind.OVER_DRAW if over_draw else AlertKind.EXTRA_CARD)
        return
    if draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, arrived.age_ms)
        carried = draft.shoe.carried
        if carried is not None:
            draft.shoe.carried = None
            _lay(draft, Side.PLAYER, Arrived(card=carried.card, card_id=carried.card_id))
    possible = possible_hands(draft.round.cards)
    side = SIDES.get(arrived.hand) if arrived.hand is not None else possible[0] if len(possible) == 1 else None
    taken = None if side is None else _place_taken(draft, side, arrived.position)
    if arrived.first_of_shoe and draft.shoe.cards_out > 1:
        _stray(draft, arrived, AlertKind.SHOE_CHANGED, FirstOfNewShoe())
    elif arrived.hand is Hand.BURN:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, BurnedInRound())
    elif taken is not None:
        _stray(draft, arrived, AlertKind.PLACE_FILLED, taken)
    elif not possible:
        _extra_card(draft, arrived, AlertKind.OVER_DRAW)
    elif side is None:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, HandNotNamed())
    elif side not in possible:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, WrongHand(hand=side, due=possible[0]))
    elif arrived.position is not None and arrived.position > _cards_of(draft, side) + 1:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, CardMissingBefore(hand=side, position=arrived.position))
    else:
        _lay(draft, side, arrived)


def _place_taken(draft: Draft, side: Side, position: int | None) -> PlaceTaken | None:
    there = _cards_of(draft, side)
    return PlaceTaken(hand=side, position=position) if position is not None and position <= there else None


def _cards_of(draft: Draft, side: Side) -> int:
    return sum(laid.hand is side for laid in draft.round.cards)


def carried_over(draft: Draft, event: CardDrawn, age_ms: int) -> None:
    """The shoe reports that the extra card begins the next round. No card has left the shoe for it."""
    if draft.phase in (Phase.BETTING, Phase.CLOSED) and draft.shoe.carried is not None:
        carried = draft.shoe.carried
        if event.card is not None and carried.card is None and not count_face(draft, event.card):
            draft.alert(AlertKind.TOO_MANY_COPIES, CardOfRound(number=1, hand=Side.PLAYER), card=1)
        draft.shoe.carried = None
        _begin_round(draft, age_ms)
        if None not in (event.card, carried.card) and event.card is not carried.card:
            # The card was published when it was drawn; it is not published again.
            draft.alert(AlertKind.PLACE_FILLED, CarriedCardDiffers())
        else:
            _lay(draft, Side.PLAYER, Arrived(card=carried.card or event.card, card_id=carried.card_id))
    elif draft.phase in CARDS_OUT and draft.round.extras:
        # The supervisor has not decided yet; if the card is used, the next card that comes will find it in its place.
        draft.alert(AlertKind.OVER_DRAW)
    elif draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, age_ms)
        draft.alert(AlertKind.OUT_OF_TURN, BurnedCardReused())
    elif draft.phase in CARDS_OUT:
        draft.alert(AlertKind.PLACE_FILLED, AnotherRoundBegun())
    else:
        draft.alert(AlertKind.EVENT_GAP, UnknownCardCarried())


def _begin_round(draft: Draft, age_ms: int) -> None:
    """Wagers close, whatever is then found out about the card."""
    playing = draft.round
    if draft.phase is Phase.BETTING:
        draft.emit(BettingClosed, closed_by=FirstCardDrawn(), stakes=sum(wager.stake for wager in playing.wagers))
        if draft.procedure.bets_close is BetsClose.DEALER and not playing.free:
            draft.alert(AlertKind.DRAW_BEFORE_CLOSE)
    left_ns = draft.now - age_ms * _NS_IN_MS
    changed = [(wager.seat, wager.accepted_ns) for wager in playing.wagers]
    late = tuple(dict.fromkeys(seat for seat, at_ns in (*changed, *playing.taken_back) if at_ns > left_ns))
    if late and playing.attempt == 1:
        draft.alert(AlertKind.LATE_WAGER, LateSeats(seats=late), seats=late)
    # A round that is dealt again after an undo may be an older one than the last.
    draft.shoe.rounds = max(draft.shoe.rounds, playing.number)
    draft.shoe.result_owed = False
    playing.last_card_ns = draft.now
    draft.move(Move.DEAL)


def _lay(draft: Draft, side: Side, arrived: Arrived) -> None:
    playing = draft.round
    number = len(playing.cards) + 1
    shown = draft.procedure.reveal is Reveal.AT_DRAW
    laid = LaidCard(hand=side, card=arrived.card, card_id=arrived.card_id, shown=shown, seq=draft.lasting.seq + 1)
    playing.cards = (*playing.cards, laid)
    playing.last_card_ns = draft.now
    draft.emit(CardDealt, place=place_of(number, laid), standing=standing_of(playing.cards))
    draft.end_alerts(CardCame(), AlertKind.DRAW_TOO_SLOW)
    for problem in arrived.problems:
        draft.alert(AlertKind(problem), CardOfRound(number=number, hand=side), card=number)
    after_cards_changed(draft)


def after_cards_changed(draft: Draft) -> None:
    """Whether the round is complete is worked out from its cards alone."""
    complete = judge(draft.round.cards).complete
    if complete and draft.phase is Phase.DEALING:
        draft.move(Move.FINISH)
        draft.round.complete_ns = draft.now
    elif not complete and draft.phase is Phase.COMPLETE:
        draft.move(Move.REOPEN)
        draft.round.last_card_ns = draft.now
        if possible_hands(draft.round.cards):
            # The result and its confirmation were about other cards.
            draft.round.confirmed_by = draft.round.indicated = draft.round.button_ns = None
            draft.end_alerts(CardDue(), AlertKind.RESULT_UNDONE)


def _extra_card(draft: Draft, arrived: Arrived, kind: AlertKind) -> None:
    seq = _emit_set_aside(draft, arrived, OneTooMany())
    draft.round.extras = (*draft.round.extras, ExtraCard(card=arrived.card, card_id=arrived.card_id, seq=seq))
    draft.alert(kind)
    _problem_out_of_round(draft, arrived)


def _stray(draft: Draft, arrived: Arrived, kind: AlertKind, detail: AnyDetail) -> None:
    _set_aside(draft, arrived, detail)
    draft.alert(kind, detail)
    _problem_out_of_round(draft, arrived)


def _set_aside(draft: Draft, arrived: Arrived, why: AnyDetail) -> None:
    seq = _emit_set_aside(draft, arrived, why)
    stray = StrayCard(
        card=arrived.card,
        card_id=arrived.card_id,
        seq=seq,
        hand=None if arrived.hand is None else SIDES.get(arrived.hand),
        position=arrived.position,
    )
    draft.round.strays = (*draft.round.strays, stray)


def _emit_set_aside(draft: Draft, arrived: Arrived, why: AnyDetail) -> int:
    shown = arrived.card if draft.procedure.reveal is Reveal.AT_DRAW else None
    return draft.emit(CardSetAside, card=shown, why=why)
