"""How a round ends: confirmed and settled, or void; how a settled result is taken back; how a shoe ends.

A round is settled when it is complete, a person or the shoe has confirmed it, and no alert stops the table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy

from firmware_protocol.events import ResultIndicated
from shoe_controller.baccarat import roads
from shoe_controller.baccarat.facts import Facts, Winner
from shoe_controller.baccarat.house import CommissionTaken, PlacedWager
from shoe_controller.baccarat.outcome import outcome_of
from shoe_controller.baccarat.settlement import Settlement, settle
from shoe_controller.messages.actors import AnyActor, Shoe
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import (
    AnyProposalEnd,
    AnyShoeEnd,
    LastRoundOver,
    ProposalRoundVoided,
    ResultTakenBack,
    ReturnCause,
    RoundSettledNow,
    RoundVoidedNow,
    ShoeEndedNow,
)
from shoe_controller.messages.details import (
    MarkDiffers,
    NoWinnerIndicated,
    OpenDisputes,
    ResultDiffersFaceDown,
    ResultMark,
    WinnerDiffers,
)
from shoe_controller.messages.facts import (
    BettingOpened,
    CardsShown,
    ExtraCardDecided,
    FreeHandAnnounced,
    ProposalEnded,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import ShownCard
from shoe_controller.table.alerts import Scope
from shoe_controller.table.carrying import NEVER_WITH_WAGERS, burn_carried, carries_shown
from shoe_controller.table.commission import mark, owed_by_seat, unmark
from shoe_controller.table.draft import Draft
from shoe_controller.table.inventory import all_proofs, inventory_of, is_bad
from shoe_controller.table.judging import judge, place_of, standing_of
from shoe_controller.table.phases import Move
from shoe_controller.table.remainder import forget_count
from shoe_controller.table.state import Round, SettledRound, StandingWager, VoidedRound
from shoe_controller.table.unentered import set_unentered_aside

_ROAD_WINNERS = {
    Winner.BANKER: roads.RoadWinner.BANKER,
    Winner.PLAYER: roads.RoadWinner.PLAYER,
    Winner.TIE: roads.RoadWinner.TIE,
}


KEEPS_ROUNDS = 2
"""The first `REVISION` in which a shoe keeps its rounds with their cards."""

SAYS_DIFFERENCE = 3
"""The first `REVISION` in which a round that is settled again says what to pay or to collect."""

SAYS_FIRST_DIFFERENCE = 4
"""The `REVISION` of the running program from which it says so too where the round had no wagers before."""

SETTLES_AS_BEFORE = 4
"""The first `REVISION` of the program in which a round that was settled before its shoe was proven bad can be settled
again, and wagers are opened when it is not bad in truth."""

REOPENS_WAGERS = 3
"""The first `REVISION` in which wagers are open again after a void, where the round is dealt again."""

VOID_ENDS_PROPOSAL = 4
"""The `REVISION` of the running program from which what was proposed in a round ends with its void."""

MISSES_DUE_CARD = 4
"""The `REVISION` of the running program from which a card that was due, and left before an undo, is missed."""

FREE_STAYS_FREE = 4
"""The `REVISION` of the running program from which nothing that was late stands again in a free hand."""


def open_betting(draft: Draft) -> None:
    """The next round begins: wagers are open, but where a card begins it that everyone has seen.

    Where nothing was dealt, the number is still free.
    """
    if carries_shown(draft.state) and draft.procedure.shown_card is ShownCard.BURN:
        burn_carried(draft)  # an earlier version let it be carried
    bad = is_bad(draft.shoe)
    free = carries_shown(draft.state) and not bad
    draft.state.round = Round(number=draft.shoe.rounds + 1, free=free, resumed_ns=draft.now)
    if bad:
        draft.round.unopened = draft.lasting.revision >= SETTLES_AS_BEFORE
        return  # no round is opened for wagers: a bad shoe can only be ended
    if free:
        draft.emit(FreeHandAnnounced, carried=True)
    else:
        draft.emit(BettingOpened)


def open_after_all(draft: Draft) -> None:
    """A card was named wrongly, and the shoe is not bad in truth: wagers are opened for the round that waits."""
    playing = draft.state.round
    if draft.phase is Phase.BETTING and playing is not None and playing.unopened and not is_bad(draft.shoe):
        open_betting(draft)


def without_wagers(draft: Draft) -> None:
    """Everyone has seen the card that begins the round: wagers go back, and it is dealt as a free hand."""
    return_wagers_of(draft, {wager.seat for wager in draft.round.wagers}, ReturnCause.CARD_SHOWN)
    draft.round.free = True
    if draft.lasting.revision >= FREE_STAYS_FREE:
        draft.round.changes = ()
    draft.emit(FreeHandAnnounced, carried=True)


def by_seat(*parts: Mapping[str, int], sign: int = 1) -> dict[str, int]:
    """The first of these sums with the second added, or taken from it; without those that are 0."""
    total: Counter[str] = Counter()
    for part, factor in zip(parts, (1, sign), strict=False):
        for seat, amount in part.items():
            total[seat] += amount * factor
    return {seat: amount for seat, amount in sorted(total.items()) if amount}


def stakes_by_seat(wagers: Iterable[PlacedWager]) -> dict[str, int]:
    stakes: Counter[str] = Counter()
    for wager in wagers:
        stakes[wager.seat] += wager.stake
    return dict(stakes)


def paid_by_seat(settlement: Settlement | None) -> dict[str, int]:
    """What a settlement gives each seat, less its stakes."""
    seats = {} if settlement is None else settlement.seats
    return {seat: totals.returned - totals.stakes for seat, totals in seats.items()}


def marked_by_seat(settlement: Settlement | None) -> dict[str, int]:
    """The commission that a settlement marks for each seat."""
    if settlement is None or settlement.commission_taken is not CommissionTaken.MARKED:
        return {}
    return {seat: totals.commission for seat, totals in settlement.seats.items() if totals.commission}


def placed(wagers: Iterable[StandingWager]) -> tuple[PlacedWager, ...]:
    return tuple(PlacedWager(wager.seat, wager.wager, wager.stake) for wager in wagers)


# --- the result ------------------------------------------------------------------------------------------------------


ShownDifference = WinnerDiffers | NoWinnerIndicated | MarkDiffers


def result_differs(indicated: ResultIndicated, playing: Round) -> ShownDifference | ResultDiffersFaceDown | None:
    """What of the shoe's result does not fit the cards; while they lie face down, only that it does not."""
    difference = _difference(indicated, playing)
    if difference is not None and not all(laid.shown for laid in playing.cards):
        return ResultDiffersFaceDown(round=playing.number)
    return difference


def _difference(indicated: ResultIndicated, playing: Round) -> ShownDifference | None:
    """A mark left out means nothing: not all shoes know it."""
    number, facts = playing.number, judge(playing.cards).deal.facts
    if indicated.winner is None:
        return NoWinnerIndicated(round=number, cards=facts.winner)
    if indicated.winner.value != facts.winner.value:
        return WinnerDiffers(round=number, shoe=Winner(indicated.winner.value), cards=facts.winner)
    marks = (
        (ResultMark.PLAYER_PAIR, indicated.player_pair, facts.player_pair),
        (ResultMark.BANKER_PAIR, indicated.banker_pair, facts.banker_pair),
        (ResultMark.BANKER_SIX, indicated.banker_six, facts.winner is Winner.BANKER and facts.banker_total == 6),
    )
    wrong = next((mark for mark, shown, is_so in marks if shown and not is_so), None)
    return None if wrong is None else MarkDiffers(round=number, mark=wrong)


def compare_results(draft: Draft, indicated: ResultIndicated) -> None:
    """The round is complete and the shoe has given its own result: if they are the same, that confirms it."""
    difference = result_differs(indicated, draft.round)
    if difference is not None:
        draft.alert(AlertKind.RESULT_DIFFERS, difference)
    else:
        confirm(draft, Shoe())


def confirm(draft: Draft, confirmed_by: AnyActor) -> None:
    draft.round.confirmed_by = confirmed_by
    settle_if_ready(draft)


def settle_if_ready(draft: Draft) -> None:
    """Called after everything that could have been the last condition."""
    playing = draft.state.round
    if draft.phase is not Phase.COMPLETE or playing is None or playing.confirmed_by is None:
        return
    if not draft.stopped and not is_bad(draft.shoe, playing):
        _settle(draft, playing, playing.confirmed_by)


def _settle(draft: Draft, playing: Round, confirmed_by: AnyActor) -> None:
    show_cards(draft)
    house = draft.house
    deal = judge(playing.cards).deal
    facts = deal.facts
    outcome = outcome_of(deal, house.schedule)
    settled_before, again = _says_difference(draft), _has_difference(draft)
    playing.outcome_seq = draft.emit(
        RoundResult,
        outcome=outcome,
        why=deal.why,
        confirmed_by=confirmed_by,
        dealer=draft.lasting.dealer_id,
        free=playing.free,
        replaces=playing.outcome_seq,
    )
    playing.commission = ()
    if playing.wagers or settled_before:
        settlement = settle(house, facts, placed(playing.wagers))
        paid = paid_by_seat(settlement)
        playing.settlement_seq = draft.emit(
            RoundSettled,
            settlement=settlement,
            replaces=playing.settlement_seq,
            difference=by_seat(paid, dict(playing.paid), sign=-1) if again else None,
        )
        playing.paid = tuple(paid.items())
        playing.commission = tuple(marked_by_seat(settlement).items())
    mark(draft, playing)
    shoe = draft.shoe
    shoe.results = (*shoe.results, road_result(facts))
    if shoe.revision >= KEEPS_ROUNDS:
        dealt = SettledRound(
            number=playing.number,
            free=playing.free,
            seq=playing.outcome_seq,
            time=draft.at.wall_ms,
            player=outcome.player,
            banker=outcome.banker,
            winner=outcome.winner,
        )
        shoe.settled = (*shoe.settled, dealt)
    shoe.previous = playing
    shoe.voided = None
    draft.end_alerts(RoundSettledNow(), scope=Scope.ROUND)
    draft.move(Move.SETTLE)
    _next_round(draft)


def _says_difference(draft: Draft) -> bool:
    """Whether wagers of this round were settled before, and paid."""
    return draft.round.settlement_seq is not None and draft.shoe.revision >= SAYS_DIFFERENCE


def _has_difference(draft: Draft) -> bool:
    """Whether what the wagers come to is said against a result before, also one on which nothing was paid."""
    playing = draft.round
    if playing.settlement_seq is None and draft.lasting.revision >= SAYS_FIRST_DIFFERENCE:
        return playing.outcome_seq is not None
    return _says_difference(draft)


def road_result(facts: Facts) -> roads.RoadResult:
    return roads.RoadResult(
        winner=_ROAD_WINNERS[facts.winner],
        banker_pair=facts.banker_pair,
        player_pair=facts.player_pair,
        natural=facts.player_natural or facts.banker_natural,
    )


def show_cards(draft: Draft) -> None:
    """Whatever still lies face down is turned."""
    hidden = [number for number, laid in enumerate(draft.round.cards, 1) if not laid.shown]
    show(draft, hidden)


def show(draft: Draft, numbers: Iterable[int]) -> None:
    turned = list(numbers)
    if not turned:
        return
    for number in turned:
        draft.replace_card(number, shown=True)
    cards = draft.round.cards
    places = tuple(place_of(number, cards[number - 1]) for number in turned)
    seq = draft.emit(CardsShown, places=places, standing=standing_of(cards))
    for number in turned:
        draft.replace_card(number, seq=seq)


def _next_round(draft: Draft) -> None:
    shoe = draft.shoe
    if shoe.last_round is not None and shoe.rounds >= shoe.last_round:
        # Its wagers are settled or returned already; the end of the shoe must not return them once more.
        draft.state.round = None
        end_shoe(draft, LastRoundOver())
    else:
        open_betting(draft)


# --- void ------------------------------------------------------------------------------------------------------------


def void(draft: Draft, reason: str) -> None:
    """All wagers are returned; the cards are out of play."""
    playing = draft.round
    _burn_undecided(draft)
    returned = placed(playing.wagers)
    draft.emit(
        RoundVoided,
        replay=False,
        reason=reason,
        returned=returned,
        total=sum(wager.stake for wager in returned),
        difference=by_seat({}, dict(playing.paid), sign=-1) if _says_difference(draft) else None,
    )
    _out_of_play(draft, replay=False)
    draft.move(Move.VOID)
    _next_round(draft)


def void_and_replay(draft: Draft, reason: str) -> None:
    """The wagers stay, and seats may change them until the first card; the next card is the first of the same round."""
    playing = draft.round
    _burn_undecided(draft)
    draft.emit(RoundVoided, replay=True, reason=reason, returned=(), total=0)
    _out_of_play(draft, replay=True)
    if carries_shown(draft.state) and not playing.free:
        burn_carried(draft)
    reopens = draft.shoe.revision >= REOPENS_WAGERS
    draft.move(Move.REPLAY_OPEN if reopens else Move.REPLAY)
    draft.state.round = Round(
        number=playing.number,
        attempt=playing.attempt + 1,
        free=playing.free,
        wagers=playing.wagers,
        resumed_ns=draft.now,
        outcome_seq=playing.outcome_seq,
        settlement_seq=playing.settlement_seq,
        paid=playing.paid,
    )
    if reopens and playing.free:
        draft.emit(FreeHandAnnounced, carried=carries_shown(draft.state))
    elif reopens:
        draft.emit(BettingOpened, wagers=placed(playing.wagers))


def _burn_undecided(draft: Draft) -> None:
    """Extra cards of a round that is voided are burned: the shoe may begin the next round with one all the same."""
    extras = sorted(draft.round.extras, key=lambda extra: extra.drawn)
    if extras and draft.lasting.revision >= NEVER_WITH_WAGERS:
        draft.round.extras = ()
        draft.shoe.burned += len(extras)
        draft.shoe.burned_extras = (*draft.shoe.burned_extras, *extras)
        draft.emit(ExtraCardDecided, burned=len(extras), used=False)


def _out_of_play(draft: Draft, *, replay: bool) -> None:
    draft.shoe.voided = VoidedRound(number=draft.round.number, replay=replay)
    draft.shoe.result_owed = draft.shoe.result_owed or (
        draft.phase in (Phase.DEALING, Phase.COMPLETE) and draft.round.indicated is None
    )
    draft.end_alerts(RoundVoidedNow(), scope=Scope.ROUND)
    if draft.lasting.revision >= VOID_ENDS_PROPOSAL:
        # Where no card was dealt, the round that follows has the same number.
        drop_proposal(draft, ProposalRoundVoided())


def return_wagers_of(draft: Draft, seats: set[str], cause: ReturnCause) -> None:
    returned = placed(wager for wager in draft.round.wagers if wager.seat in seats)
    draft.round.wagers = tuple(wager for wager in draft.round.wagers if wager.seat not in seats)
    if returned:
        draft.emit(WagersReturned, cause=cause, returned=returned, total=sum(wager.stake for wager in returned))


# --- undo and end ----------------------------------------------------------------------------------------------------


def undo(draft: Draft, settled: Round) -> None:
    """Take the last settled result back: its round is complete again, and not confirmed."""
    previous = copy(settled)
    if draft.state.round is not None:
        return_wagers_of(draft, {wager.seat for wager in draft.round.wagers}, ReturnCause.RESULT_UNDONE)
    shoe = draft.shoe
    shoe.previous = None
    shoe.results = shoe.results[:-1]
    shoe.settled = shoe.settled[:-1]
    if draft.phase is Phase.ENDED:
        forget_count(shoe)
    back = unmark(draft, previous)
    draft.state.round = previous
    if previous.outcome_seq is not None:
        draft.emit(ResultUndone, replaces=previous.outcome_seq)
    if previous.settlement_seq is not None:
        draft.emit(SettlementUndone, replaces=previous.settlement_seq, commission_back=back)
    previous.confirmed_by = previous.button_ns = None
    previous.commission = ()
    if draft.lasting.revision >= SETTLES_AS_BEFORE:
        previous.proven = all_proofs(shoe)
    if draft.lasting.revision >= MISSES_DUE_CARD and _others_left_since(draft, previous):
        previous.followed_at = shoe.cards_out
    draft.end_alerts(ResultTakenBack(), AlertKind.SETTLED_RESULT_DIFFERS)
    draft.move(Move.UNDO)
    draft.alert(AlertKind.RESULT_UNDONE)


def _others_left_since(draft: Draft, settled: Round) -> bool:
    """Whether cards left the shoe after those of this round that are not its own."""
    shoe = draft.shoe
    carried = () if shoe.carried is None else (shoe.carried,)
    extras = [extra.drawn for extra in (*shoe.burned_extras, *carried) if extra.round == settled.number]
    return shoe.cards_out > max([*extras, *(laid.drawn for laid in settled.cards)], default=0)


def end_shoe(draft: Draft, cause: AnyShoeEnd) -> None:
    """Nothing more is dealt from these cards; wagers that stand are returned, marked commission is due."""
    if draft.state.round is not None:
        return_wagers_of(draft, {wager.seat for wager in draft.round.wagers}, ReturnCause.SHOE_ENDED)
    shoe = draft.shoe
    shoe.cards_out += set_unentered_aside(draft)
    draft.state.round = None
    # If the last result is taken back and settled anew, the shoe is over all the same.
    shoe.last_round = shoe.rounds
    shoe.ended_seq = draft.emit(
        ShoeEnded,
        cause=cause,
        cards_out=shoe.cards_out,
        commission_due=dict(owed_by_seat(shoe)),
        replaces=shoe.ended_seq,
        inventory=inventory_of(shoe),
    )
    draft.end_alerts(ShoeEndedNow(), AlertKind.BAD_SHOE, scope=Scope.ROUND)
    warn_of_disputes(draft)
    draft.move(Move.END)


def warn_of_disputes(draft: Draft) -> None:
    """A shoe is over; its cards are about to go, and disputes are open."""
    if draft.lasting.disputes:
        draft.alert(
            AlertKind.DISPUTE_OPEN, OpenDisputes(disputes=tuple(each.number for each in draft.lasting.disputes))
        )


def drop_proposal(draft: Draft, cause: AnyProposalEnd) -> None:
    proposal = draft.lasting.proposal
    if proposal is not None:
        draft.lasting.proposal = None
        draft.emit(ProposalEnded, proposal=proposal.number, cause=cause)
