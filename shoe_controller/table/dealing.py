"""Cards that leave the shoe: each is checked as it comes, by the phase in which it does.

A card is never lost here: one that fits no place is set aside as a stray, which stops the round until it is voided.
"""

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, DoubleFeed, Hand
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import FirstCardDrawn
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import CardCame, CardDue
from shoe_controller.messages.details import (
    AfterShoeEnd,
    AnotherRoundBegun,
    AnyDetail,
    BurnedCardReused,
    BurnedInRound,
    BurnedSoFar,
    CardMissingBefore,
    CardOfRound,
    CardsTogether,
    CarriedCardDiffers,
    DealtBeforeBurn,
    FirstOfNewShoe,
    FromBadShoe,
    HandNotNamed,
    LateSeats,
    NoShoeOpen,
    OneTooMany,
    PlaceTaken,
    UnknownCardCarried,
    WrongHand,
)
from shoe_controller.messages.facts import BettingClosed, CardBurned, CardDealt, CardSetAside, ExtraCardDecided
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal, ShownCard
from shoe_controller.table.burning import (
    card_burned,
    end_burning,
    end_burning_when_done,
    first_card,
    first_card_known,
    problem_out_of_round,
)
from shoe_controller.table.carrying import NEVER_WITH_WAGERS, burn_carried, was_shown
from shoe_controller.table.counting import Arrived, count_face, counted
from shoe_controller.table.draft import Draft
from shoe_controller.table.drawn_order import drawn_next
from shoe_controller.table.duty import burn_is_due, new_dealer_burned, round_begun
from shoe_controller.table.finishing import REOPENS_WAGERS, without_wagers
from shoe_controller.table.judging import judge, place_of, possible_hands, standing_of
from shoe_controller.table.phases import CARDS_OUT, Move
from shoe_controller.table.state import ExtraCard, LaidCard, StrayCard

SIDES = {Hand.PLAYER: Side.PLAYER, Hand.BANKER: Side.BANKER}
HANDS = {side: hand for hand, side in SIDES.items()}

_NS_IN_MS = 1_000_000

KEEPS_ORDER = 4
"""The `REVISION` of the running program from which no card is laid before an extra one that may have been due."""

FOLLOWS_LAST = 4
"""The `REVISION` of the running program from which a card drawn between rounds is known as drawn after the last."""

BURNS_THE_OTHER = 4
"""The `REVISION` of the running program from which a carried card is burned where the shoe has carried another one."""

NAMES_NO_BURNED_CARD = 4
"""The `REVISION` of the running program from which a card is asked for that the shoe takes for a burned one."""


FOLLOWS_SHOE = 5
"""The `REVISION` of the running program from which an over-draw is one alert from its first telegram to its last, and a
card that the shoe carries over is laid where the shoe says, also where it was burned at the table."""


def card_left(draft: Draft, arrived: Arrived) -> None:
    """A card has left the shoe."""
    if draft.phase is Phase.NO_SHOE:
        _card_out_of_play(draft)
        return
    if arrived.hand in SIDES:
        _dealt_before_burned(draft)
    arrived = counted(draft, arrived)
    match draft.phase:
        case Phase.ENDED:
            _card_out_of_play(draft)
        case Phase.FIRST_CARD if draft.shoe.first_card is None:
            first_card(draft, arrived)
        case Phase.FIRST_CARD:
            # Burning has begun before the first card was read: the number to burn is unknown.
            card_burned(draft, arrived)
        case Phase.BURNING:
            card_burned(draft, arrived)
        case Phase.BETTING | Phase.CLOSED if _is_burned_between_rounds(draft, arrived):
            draft.shoe.burned += 1
            draft.emit(CardBurned, card=None, burned=draft.shoe.burned, to_burn=None, entered_by=arrived.entered_by)
            if burn_is_due(draft.state):
                new_dealer_burned(draft)
            else:
                draft.alert(AlertKind.BURNED_BETWEEN_ROUNDS)
            problem_out_of_round(draft, arrived)
        case Phase.BETTING | Phase.CLOSED if draft.has_alert(AlertKind.BAD_SHOE):
            _card_of_bad_shoe(draft, arrived)
        case _:
            _card_of_round(draft, arrived)


def _dealt_before_burned(draft: Draft) -> None:
    """The first round begins, although cards are still to be burned.

    A shoe that does not know of the first card's correction deals to hands what the table burns.
    """
    if draft.phase is Phase.FIRST_CARD:
        draft.alert(AlertKind.BURN_DIFFERS, DealtBeforeBurn())
        first_card_known(draft)
    elif draft.phase is Phase.BURNING and not draft.shoe.first_corrected:
        draft.alert(AlertKind.BURN_DIFFERS, BurnedSoFar(burned=draft.shoe.burned, to_burn=draft.shoe.burns or 0))
        end_burning(draft)


def _is_burned_between_rounds(draft: Draft, arrived: Arrived) -> bool:
    if arrived.hand is Hand.BURN:
        return not _burns_by_own_count(draft, arrived)
    return arrived.hand is None and burn_is_due(draft.state)


def _burns_by_own_count(draft: Draft, arrived: Arrived) -> bool:
    """Whether the shoe still burns by what it read, although the first card was corrected, and enough are burned."""
    by_count = arrived.hand is Hand.BURN and arrived.burns_left is not None
    return by_count and first_after_corrected_burn(draft)


_OUT_OF_PLAY: dict[Phase, tuple[AnyDetail, AlertKind]] = {
    Phase.NO_SHOE: (NoShoeOpen(), AlertKind.CARD_WITHOUT_SHOE),
    Phase.ENDED: (AfterShoeEnd(), AlertKind.CARD_AFTER_END),
}


def _card_out_of_play(draft: Draft) -> None:
    why, kind = _OUT_OF_PLAY[draft.phase]
    draft.emit(CardSetAside, card=None, why=why)
    draft.alert(kind)


def _card_of_bad_shoe(draft: Draft, arrived: Arrived) -> None:
    """Nothing is dealt any more from a shoe that is proven bad: the card is out of play."""
    _emit_set_aside(draft, arrived, FromBadShoe())
    problem_out_of_round(draft, arrived)


def cards_left_together(draft: Draft, event: DoubleFeed, age_ms: int) -> None:
    """The order of the cards is unknown."""
    detail = CardsTogether(cards=event.cards)
    if draft.state.shoe is not None:
        draft.shoe.cards_out += event.cards
        draft.shoe.last_is_foreign = False
    if draft.phase in (Phase.BETTING, Phase.CLOSED) and draft.has_alert(AlertKind.BAD_SHOE):
        for _ in range(event.cards):
            _card_of_bad_shoe(draft, Arrived())
        return
    if draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, age_ms)
    if draft.phase in CARDS_OUT:
        before = draft.shoe.cards_out - event.cards
        for number in range(1, event.cards + 1):
            _set_aside(draft, Arrived(drawn=before + number), detail)
        draft.alert(AlertKind.DOUBLE_FEED, detail)
    elif draft.phase in _OUT_OF_PLAY:
        for _ in range(event.cards):
            _card_out_of_play(draft)
    else:
        draft.alert(AlertKind.BAD_CARD_OUT_OF_ROUND, detail)
        if draft.phase is Phase.BURNING:
            draft.shoe.burned += event.cards
            draft.emit(CardBurned, card=None, burned=draft.shoe.burned, to_burn=draft.shoe.burns)
            end_burning_when_done(draft)


def _card_of_round(draft: Draft, arrived: Arrived) -> None:  # noqa: C901, PLR0912 - each way in which one can fail to fit
    burned_by_shoe = _burns_by_own_count(draft, arrived)
    awaited, draft.shoe.over_draw_awaited = draft.shoe.over_draw_awaited, False
    extra, arrived = arrived.hand is Hand.EXTRA, _where_rules_put_it(draft, arrived)
    if awaited and extra and arrived.hand is not Hand.EXTRA:
        draft.end_alerts(CardDue(), AlertKind.OVER_DRAW)  # cards were put right while it was awaited
    if arrived.hand is Hand.EXTRA:
        if awaited and not draft.has_alert(AlertKind.OVER_DRAW):
            _burned_with_void(draft, arrived)
            return
        complete = draft.phase is Phase.COMPLETE or not possible_hands(draft.round.cards)
        over_draw = complete or draft.has_alert(AlertKind.OVER_DRAW)
        _extra_card(draft, arrived, AlertKind.OVER_DRAW if over_draw else AlertKind.EXTRA_CARD)
        return
    if draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, arrived.age_ms)
        carried = draft.shoe.carried
        if carried is not None:
            draft.shoe.carried = None
            _lay(draft, Side.PLAYER, _carried(carried), carried=True)
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
    elif _one_left_before(draft):
        over_draw = draft.has_alert(AlertKind.OVER_DRAW)
        _extra_card(draft, arrived, AlertKind.OVER_DRAW if over_draw else AlertKind.EXTRA_CARD)
    elif side is None:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, HandNotNamed())
    elif side not in possible:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, WrongHand(hand=side, due=possible[0]))
    elif arrived.position is not None and arrived.position > _cards_of(draft, side) + 1:
        _stray(draft, arrived, AlertKind.OUT_OF_TURN, CardMissingBefore(hand=side, position=arrived.position))
    else:
        _lay(draft, side, arrived)
        if burned_by_shoe and arrived.card is None and draft.lasting.revision >= NAMES_NO_BURNED_CARD:
            number = len(draft.round.cards)
            draft.alert(AlertKind.UNDISCLOSED_CARD, CardOfRound(number=number, hand=side), card=number)


def await_extra_card(draft: Draft) -> None:
    """The shoe has reported an over-draw. Its card comes next, unless it has come already."""
    playing, shoe = draft.state.round, draft.shoe
    if playing is None or draft.lasting.revision < FOLLOWS_SHOE:
        return
    decided = (*shoe.burned_extras, *(() if shoe.carried is None else (shoe.carried,)))
    shoe.over_draw_stands = True
    shoe.over_draw_awaited = not playing.extras and not any(extra.round == _drawn_in(draft) for extra in decided)


def over_draw_is_over(draft: Draft) -> None:
    """The shoe has nothing more to say of an over-draw."""
    if draft.state.shoe is not None:
        draft.shoe.over_draw_awaited = draft.shoe.over_draw_stands = False


def _burned_with_void(draft: Draft, arrived: Arrived) -> None:
    """The round was voided when its extra card had been reported and had not come: it is burned like the others."""
    seq = _emit_set_aside(draft, arrived, OneTooMany())
    draft.shoe.burned += 1
    draft.shoe.burned_extras = (*draft.shoe.burned_extras, _extra_from(draft, arrived, seq))
    draft.emit(ExtraCardDecided, burned=1, used=False)
    problem_out_of_round(draft, arrived)


def _where_rules_put_it(draft: Draft, arrived: Arrived) -> Arrived:
    """The card, without the place that the shoe gives it where that means nothing any more."""
    unknown_to_shoe = arrived.hand in SIDES and (draft.round.rearranged or first_after_corrected_burn(draft))
    if unknown_to_shoe or _burns_by_own_count(draft, arrived) or (arrived.hand is Hand.EXTRA and due_in_truth(draft)):
        return msgspec.structs.replace(arrived, hand=None, position=None)
    return arrived


def first_after_corrected_burn(draft: Draft) -> bool:
    """Whether this is the first round of a shoe whose first card was corrected: the shoe counts from elsewhere."""
    begun = 1 if draft.phase in CARDS_OUT else 0
    return draft.shoe.first_corrected and draft.shoe.rounds == begun


def due_in_truth(draft: Draft) -> bool:
    """Whether a card is due that the shoe takes for extra, because it does not know what people put right."""
    playing, ahead = draft.state.round, first_after_corrected_burn(draft)
    if playing is None or draft.phase in (Phase.BETTING, Phase.CLOSED):
        return ahead
    put_right = playing.corrected or playing.rearranged or ahead
    return draft.phase is Phase.DEALING and put_right and judge(playing.cards).card_is_due


def _one_left_before(draft: Draft) -> bool:
    """Whether an extra card comes before this one in the order of the draw, now that cards were put right.

    A card that nobody knows yet decides whether that one was due; until then no later card takes its place.
    """
    playing = draft.round
    put_right = draft.lasting.revision >= KEEPS_ORDER and (playing.corrected or playing.rearranged)
    return put_right and drawn_next(draft.shoe, playing) is not None


def _place_taken(draft: Draft, side: Side, position: int | None) -> PlaceTaken | None:
    there = _cards_of(draft, side)
    return PlaceTaken(hand=side, position=position) if position is not None and position <= there else None


def _cards_of(draft: Draft, side: Side) -> int:
    return sum(laid.hand is side for laid in draft.round.cards)


def carried_over(draft: Draft, event: CardDrawn, age_ms: int) -> None:  # noqa: C901 - by where that card is
    """The shoe reports that the extra card begins the next round. No card has left the shoe for it."""
    between = draft.phase in (Phase.BETTING, Phase.CLOSED)
    if between and draft.has_alert(AlertKind.BAD_SHOE):
        return
    burned = _burned_at_table(draft, event.card) if between else None
    if between and draft.shoe.carried is not None:
        carried, draft.shoe.carried = draft.shoe.carried, None
        _begin_with_carried(draft, carried, event.card, age_ms)
    elif burned is not None:
        draft.shoe.burned -= 1
        seen = was_shown(draft.shoe, burned)
        if seen and draft.procedure.shown_card is ShownCard.FREE_HAND and not draft.round.free:
            without_wagers(draft)
        _begin_with_carried(draft, burned, event.card, age_ms)
        if not seen:
            draft.alert(AlertKind.BURNED_CARD_CARRIED)
        elif not draft.round.free:
            draft.alert(AlertKind.SHOWN_CARD_CARRIED)
    elif draft.phase in CARDS_OUT and draft.round.extras:
        # The supervisor has not decided yet; if the card is used, the next card that comes will find it in its place.
        draft.alert(AlertKind.OVER_DRAW)
    elif draft.phase in (Phase.BETTING, Phase.CLOSED):
        _begin_round(draft, age_ms)
        draft.alert(AlertKind.OUT_OF_TURN, BurnedCardReused())
    elif draft.phase in CARDS_OUT:
        draft.alert(AlertKind.PLACE_FILLED, AnotherRoundBegun())
    elif draft.phase is Phase.NO_SHOE:
        draft.alert(AlertKind.CARD_WITHOUT_SHOE)
    else:
        draft.alert(AlertKind.EVENT_GAP, UnknownCardCarried())


def _burned_at_table(draft: Draft, face: Card | None) -> ExtraCard | None:
    """The extra card that was burned last: the shoe may carry it over all the same."""
    burned = next(iter(draft.shoe.burned_extras), None)
    if burned is None or draft.lasting.revision < NEVER_WITH_WAGERS:
        return None
    if not was_shown(draft.shoe, burned) and draft.lasting.revision < FOLLOWS_SHOE:
        return None
    return None if _is_another(burned, face) else burned


def _is_another(extra: ExtraCard, face: Card | None) -> bool:
    return None not in (face, extra.card) and face is not extra.card


def _begin_with_carried(draft: Draft, carried: ExtraCard, face: Card | None, age_ms: int) -> None:
    if face is not None and carried.card is None and not count_face(draft, face):
        draft.alert(AlertKind.TOO_MANY_COPIES, CardOfRound(number=1, hand=Side.PLAYER), card=1)
    _begin_round(draft, age_ms)
    if _is_another(carried, face):
        if draft.lasting.revision >= BURNS_THE_OTHER:
            draft.shoe.carried = carried
            burn_carried(draft)
        # The card was published when it was drawn; it is not published again.
        draft.alert(AlertKind.PLACE_FILLED, CarriedCardDiffers())
    else:
        _lay(draft, Side.PLAYER, _carried(carried, carried.card or face), carried=True)


def _carried(carried: ExtraCard, face: Card | None = None) -> Arrived:
    return Arrived(
        card=face or carried.card,
        card_id=carried.card_id,
        drawn=carried.drawn,
        entered=carried.entered,
        shown=carried.shown,
        foreign=carried.foreign,
    )


def _begin_round(draft: Draft, age_ms: int) -> None:
    """Wagers close, whatever is then found out about the card."""
    playing = draft.round
    if draft.phase is Phase.BETTING:
        draft.emit(
            BettingClosed,
            closed_by=FirstCardDrawn(),
            stakes=sum(wager.stake for wager in playing.wagers),
            dealer=draft.lasting.dealer_id,
        )
        # What was dealt while the table was stopped was dealt without wagers.
        if draft.procedure.bets_close is BetsClose.DEALER and not playing.free and not draft.deals_on:
            draft.alert(AlertKind.DRAW_BEFORE_CLOSE)
    left_ns = draft.now - age_ms * _NS_IN_MS
    _first_card_left(draft, left_ns if playing.reported_ns is None else min(left_ns, playing.reported_ns))
    round_begun(draft)
    # A round that is dealt again after an undo may be an older one than the last.
    draft.shoe.rounds = max(draft.shoe.rounds, playing.number)
    draft.shoe.result_owed = False
    draft.shoe.burned_extras = ()
    over_draw_is_over(draft)
    playing.last_card_ns = draft.now
    draft.move(Move.DEAL)


def first_card_left_earlier(draft: Draft, left_ns: int) -> None:
    """The shoe says that the first card of the round left before it was entered: wagers may have come after it."""
    if left_ns < draft.round.first_card_ns:
        _first_card_left(draft, left_ns)


def _first_card_left(draft: Draft, left_ns: int) -> None:
    draft.round.first_card_ns = left_ns
    late = _late_seats(draft, left_ns)
    if late:
        draft.alert(AlertKind.LATE_WAGER, LateSeats(seats=late), seats=late)


def _late_seats(draft: Draft, left_ns: int) -> tuple[str, ...]:
    """The seats that changed their wagers after the card had left the shoe."""
    playing = draft.round
    changed = [(change.seat, change.at_ns) for change in playing.changes]
    if draft.shoe.revision < REOPENS_WAGERS:
        placed = [(wager.seat, wager.accepted_ns) for wager in playing.wagers]
        changed = [*placed, *playing.taken_back] if playing.attempt == 1 else []
    return tuple(dict.fromkeys(seat for seat, at_ns in changed if at_ns > left_ns))


def _lay(draft: Draft, side: Side, arrived: Arrived, *, carried: bool = False) -> None:
    playing = draft.round
    number = len(playing.cards) + 1
    shown = draft.procedure.reveal is Reveal.AT_DRAW or arrived.shown
    laid = LaidCard(
        hand=side,
        card=arrived.card,
        card_id=arrived.card_id,
        shown=shown,
        seq=draft.lasting.seq + 1,
        drawn=arrived.drawn,
        entered=arrived.entered,
        foreign=arrived.foreign,
        carried=carried,
    )
    playing.cards = (*playing.cards, laid)
    playing.last_card_ns = draft.now
    draft.emit(CardDealt, place=place_of(number, laid), standing=standing_of(playing.cards), carried=carried)
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
    draft.round.extras = (*draft.round.extras, _extra_from(draft, arrived, seq))
    draft.alert(kind)
    problem_out_of_round(draft, arrived)


def _extra_from(draft: Draft, arrived: Arrived, seq: int) -> ExtraCard:
    return ExtraCard(
        card=arrived.card,
        card_id=arrived.card_id,
        seq=seq,
        drawn=arrived.drawn,
        entered=arrived.entered,
        shown=draft.procedure.reveal is Reveal.AT_DRAW,
        round=_drawn_in(draft),
        foreign=arrived.foreign,
    )


def _drawn_in(draft: Draft) -> int:
    """The round in which an extra card is drawn; between two, the one before, in which it may have been due."""
    between = draft.phase in (Phase.BETTING, Phase.CLOSED) and draft.lasting.revision >= FOLLOWS_LAST
    return draft.shoe.rounds if between else draft.round.number


def _stray(draft: Draft, arrived: Arrived, kind: AlertKind, detail: AnyDetail) -> None:
    _set_aside(draft, arrived, detail)
    draft.alert(kind, detail)
    problem_out_of_round(draft, arrived)


def _set_aside(draft: Draft, arrived: Arrived, why: AnyDetail) -> None:
    seq = _emit_set_aside(draft, arrived, why)
    stray = StrayCard(
        card=arrived.card,
        card_id=arrived.card_id,
        seq=seq,
        drawn=arrived.drawn,
        entered=arrived.entered,
        foreign=arrived.foreign,
        hand=None if arrived.hand is None else SIDES.get(arrived.hand),
        position=arrived.position,
    )
    draft.round.strays = (*draft.round.strays, stray)


def _emit_set_aside(draft: Draft, arrived: Arrived, why: AnyDetail) -> int:
    shown = arrived.card if draft.procedure.reveal is Reveal.AT_DRAW else None
    return draft.emit(CardSetAside, card=shown, why=why, entered_by=arrived.entered_by)
