"""Rounds further back: settled again with the cards and wagers that were true, beside the old settlement.

The round comes with the input (`past.py`). It is settled by the rules that its shoe was opened with.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.house import House, PlacedWager, refusals
from shoe_controller.baccarat.outcome import RoundOutcome, outcome_of
from shoe_controller.baccarat.settlement import Settlement, settle
from shoe_controller.messages.acts import Act, AmendRound
from shoe_controller.messages.facts import RoundAmended
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CardNamedTwice,
    FreeHandRefused,
    NoSuchCard,
    NoSuchWager,
    NothingChanges,
    NoWholeRound,
    RoundNotFound,
    RoundPruned,
    TooManyCopiesRefused,
    WagerNamedTwice,
)
from shoe_controller.table.acts.act import ActAtTable, By, Seen, only_if
from shoe_controller.table.commission import change_marks
from shoe_controller.table.counting import count_face
from shoe_controller.table.draft import Draft
from shoe_controller.table.entered_cards import round_amended
from shoe_controller.table.finishing import by_seat, marked_by_seat, paid_by_seat, road_result
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.past import PastRound, PrunedRound
from shoe_controller.table.phases import IN_ROUND
from shoe_controller.table.state import AmendedRound, Round, Shoe, StandingWager

BETWEEN_ROUNDS = frozenset(Phase) - IN_ROUND


class _Amended(NamedTuple):
    """What a round comes to with the cards and wagers that were true."""

    deal: Deal
    outcome: RoundOutcome
    wagers: tuple[PlacedWager, ...]
    settlement: Settlement | None


def _cards_of(outcome: RoundOutcome) -> tuple[Card, ...]:
    """The cards in the order in which they were dealt."""
    player, banker = outcome.player.cards, outcome.banker.cards
    return (player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:])


def _with_cards(past: PastRound, act: AmendRound) -> list[Card]:
    cards = list(_cards_of(past.outcome))
    for amended in act.cards:
        cards[amended.number - 1] = amended.card
    return cards


def _with_wagers(past: PastRound, act: AmendRound) -> tuple[PlacedWager, ...]:
    stakes = {(wager.seat, wager.wager): wager.stake for wager in past.wagers}
    stakes |= {(wager.seat, wager.wager): wager.stake for wager in act.wagers}
    return tuple(PlacedWager(seat, wager, stake) for (seat, wager), stake in stakes.items() if stake)


def _house(draft: Draft, past: PastRound) -> House:
    return draft.house if past.rules is None else draft.read_rules(past.rules)


def _amended(draft: Draft, past: PastRound, act: AmendRound) -> _Amended:
    house = _house(draft, past)
    deal = _whole_deal(past, _with_cards(past, act))
    wagers = _with_wagers(past, act)
    settlement = settle(house, deal.facts, wagers) if wagers or past.settlement is not None else None
    return _Amended(deal, outcome_of(deal, house.schedule), wagers, settlement)


def _whole_deal(past: PastRound, cards: Iterable[Card]) -> Deal:
    """Deal the cards again; a `DealError` where they do not come to lie as they did."""
    deal = Deal()
    for card in cards:
        deal.feed(card)
    deal.check_complete()
    if len(deal.player) != len(past.outcome.player.cards):
        raise DealError("another hand drew the third card")
    return deal


# --- why not ---------------------------------------------------------------------------------------------------------


def _why_not(draft: Draft, act: AmendRound, given: PersonActs) -> AnyRefusal | None:
    past = given.past
    if isinstance(past, PrunedRound):
        return RoundPruned(shoe=act.shoe, round=act.round, export=past.export)
    if not isinstance(past, PastRound) or (past.shoe, past.round) != (act.shoe, act.round):
        return RoundNotFound(shoe=act.shoe, round=act.round)
    return _why_not_cards(draft, act, past) or _why_not_wagers(draft, act, past) or _why_nothing_changes(act, past)


def _why_not_cards(draft: Draft, act: AmendRound, past: PastRound) -> AnyRefusal | None:
    cards = _cards_of(past.outcome)
    for place, amended in enumerate(act.cards):
        if not 1 <= amended.number <= len(cards):
            return NoSuchCard(number=amended.number)
        if any(amended.number == other.number for other in act.cards[:place]):
            return CardNamedTwice(number=amended.number)
    try:
        _whole_deal(past, _with_cards(past, act))
    except DealError:
        return NoWholeRound()
    return _why_too_many(draft, cards, _with_cards(past, act), past)


def _why_too_many(draft: Draft, old: Iterable[Card], new: list[Card], past: PastRound) -> AnyRefusal | None:
    """Of an earlier shoe only the cards of this round are known."""
    decks = _house(draft, past).decks
    out = Counter(new)
    if past.rules is None:
        out = Counter({card: draft.shoe.copies[card.number] for card in Card})
        out.update(new)
        out.subtract(old)
    more = Counter(new) - Counter(old)
    too_many = next((card for card in new if more[card] and out[card] > decks), None)
    return None if too_many is None else TooManyCopiesRefused(card=too_many.value)


def _why_not_wagers(draft: Draft, act: AmendRound, past: PastRound) -> AnyRefusal | None:
    if act.wagers and past.free:
        return FreeHandRefused()
    stood = {(wager.seat, wager.wager) for wager in past.wagers}
    for place, wager in enumerate(act.wagers):
        if any((wager.seat, wager.wager) == (other.seat, other.wager) for other in act.wagers[:place]):
            return WagerNamedTwice(wager=wager.wager)
        if not wager.stake and (wager.seat, wager.wager) not in stood:
            return NoSuchWager(seat=wager.seat, wager=wager.wager)
    refused = refusals(_house(draft, past), _with_wagers(past, act)) if act.wagers else []
    return refused[0] if refused else None


def _why_nothing_changes(act: AmendRound, past: PastRound) -> AnyRefusal | None:
    same_cards = tuple(_with_cards(past, act)) == _cards_of(past.outcome)
    return NothingChanges() if same_cards and set(act.wagers) <= set(past.wagers) else None


# --- amended ---------------------------------------------------------------------------------------------------------


def _amend(draft: Draft, act: AmendRound, by: By) -> None:
    past = by.past
    if not isinstance(past, PastRound):
        return
    amended = _amended(draft, past, act)
    commission = by_seat(marked_by_seat(amended.settlement), marked_by_seat(past.settlement), sign=-1)
    seq = draft.emit(
        RoundAmended,
        of_shoe=past.shoe,
        of_round=past.round,
        free=past.free,
        old_outcome=past.outcome,
        outcome=amended.outcome,
        old_settlement=past.settlement,
        settlement=amended.settlement,
        difference=by_seat(paid_by_seat(amended.settlement), paid_by_seat(past.settlement), sign=-1),
        commission=commission,
        commission_back=change_marks(draft, past.shoe, past.round, commission),
        replaces=past.outcome_seq,
        replaces_settlement=past.settlement_seq,
    )
    others = tuple(each for each in draft.lasting.amended if (each.shoe, each.round) != (past.shoe, past.round))
    draft.lasting.amended = (*others, AmendedRound(shoe=past.shoe, round=past.round, seq=seq))
    faces = tuple(zip(_cards_of(past.outcome), amended.deal.cards, strict=True))
    round_amended(draft, past.shoe, past.round, faces)
    if past.rules is None:
        for old, new in faces:
            count_face(draft, old, by=-1)
            count_face(draft, new)
        shoe = draft.shoe
        _follow(shoe, past, amended, seq)
        if shoe.previous is not None and shoe.previous.number == past.round:
            shoe.previous = _as_amended(shoe.previous, amended, seq, draft.now)


def _follow(shoe: Shoe, past: PastRound, amended: _Amended, seq: int) -> None:
    """The roads and the list of rounds show the result as it is now."""
    results = list(shoe.results)
    results[past.place] = road_result(amended.deal.facts)
    shoe.results = tuple(results)
    outcome = amended.outcome
    shoe.settled = tuple(
        msgspec.structs.replace(each, seq=seq, player=outcome.player, banker=outcome.banker, winner=outcome.winner)
        if each.number == past.round
        else each
        for each in shoe.settled
    )


def _as_amended(previous: Round, amended: _Amended, seq: int, now: int) -> Round:
    """The round that was settled last, should its result be taken back after all."""
    cards = zip(previous.cards, amended.deal.cards, strict=True)
    return msgspec.structs.replace(
        previous,
        cards=tuple(msgspec.structs.replace(laid, card=card) for laid, card in cards),
        wagers=tuple(
            StandingWager(seat=wager.seat, wager=wager.wager, stake=wager.stake, accepted_ns=now)
            for wager in amended.wagers
        ),
        outcome_seq=seq,
        settlement_seq=None if amended.settlement is None else seq,
        commission=tuple(marked_by_seat(amended.settlement).items()),
        paid=tuple(paid_by_seat(amended.settlement).items()),
    )


def _has_rounds(seen: Seen) -> bool:
    """Whether a round can have been settled at this table."""
    shoe = seen.state.shoe
    return seen.state.shoe_number > 1 or (shoe is not None and bool(shoe.results))


ACTS: dict[type[Act], ActAtTable] = {
    AmendRound: ActAtTable(phases=BETWEEN_ROUNDS, why_not=_why_not, does=_amend, about=only_if(_has_rounds)),
}
