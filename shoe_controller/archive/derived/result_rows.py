"""Facts about results, settlements and commission."""

from shoe_controller.archive.derived.card_rows import lie_as_amended
from shoe_controller.archive.derived.round_rows import NO_RESULT, about_round, about_round_of, place, take_down
from shoe_controller.archive.derived.rows import Replaced, Rows, as_json, as_text, head, line_head, when
from shoe_controller.archive.derived.shoe_rows import actor_text
from shoe_controller.archive.derived.tables import COMMISSION, PAYMENT, RESULT, SETTLEMENT, Table
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.baccarat.house import CommissionTaken, PlacedWager
from shoe_controller.baccarat.outcome import HandOutcome, RoundOutcome
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.messages.facts import (
    CommissionCollected,
    CommissionWaived,
    ResultUndone,
    RoundAmended,
    RoundResult,
    RoundSettled,
    SettlementUndone,
)

_NOTHING: dict[str, int] = dict.fromkeys(
    ("stakes", "taken", "winnings", "commission", "cut", "paid", "returned", "house_win", "commission_marked"), 0
)
"""What a round without wagers comes to."""


def _faces(hand: HandOutcome) -> str:
    return " ".join(card.value for card in hand.cards)


def _pair(hand: HandOutcome) -> bool:
    """Whether the first two cards have the same rank, which is the first letter of a face."""
    first, second = (card.value for card in hand.cards[:2])
    return first[:1] == second[:1]


def _hands(outcome: RoundOutcome) -> dict[str, object]:
    player, banker = outcome.player, outcome.banker
    return {
        "player_total": player.total,
        "banker_total": banker.total,
        "player_cards": _faces(player),
        "banker_cards": _faces(banker),
        "winner": outcome.winner.value,
        "player_natural": player.natural,
        "banker_natural": banker.natural,
        "player_pair": _pair(player),
        "banker_pair": _pair(banker),
    }


def _money(settlement: Settlement) -> dict[str, int]:
    totals = settlement.totals
    marked = settlement.commission_taken is CommissionTaken.MARKED
    return {
        "stakes": totals.stakes,
        "taken": totals.taken,
        "winnings": totals.winnings,
        "commission": totals.commission,
        "cut": totals.cut,
        "paid": totals.paid,
        "returned": totals.returned,
        "house_win": totals.stakes - totals.returned,
        "commission_marked": totals.commission if marked else 0,
    }


def _replace(event: ArchivedEvent, rows: Rows, of: tuple[int, int], *tables: Table) -> None:
    for table in tables:
        having = {"kind": "marked"} if table is COMMISSION else {}
        rows.replaced.append(Replaced(table, event.journal_id, *of, event.seq, having))


def result(event: ArchivedEvent, fact: RoundResult, rows: Rows) -> None:
    decided = {
        **_hands(fact.outcome),
        "why": fact.why.code,
        "confirmed_by": actor_text(fact.confirmed_by),
        "free": fact.free,
    }
    _replace(event, rows, (event.shoe, event.round), RESULT)
    rows.add(RESULT, head(event), kind="result", dealer=as_text(fact.dealer), **decided)
    about_round(
        event,
        rows,
        state="settled",
        ended_at=when(event.at_ms),
        result_seq=event.seq,
        settlement_seq=None,
        **decided,
        **_NOTHING,
    )


def undone(event: ArchivedEvent, _fact: ResultUndone, rows: Rows) -> None:
    _replace(event, rows, (event.shoe, event.round), RESULT)
    rows.add(RESULT, head(event), kind="undone")
    about_round(event, rows, corrections=1, **{**NO_RESULT, "state": "undone"})


def _settle(
    event: ArchivedEvent, rows: Rows, of: tuple[int, int], settlement: Settlement, difference: dict[str, int] | None
) -> dict[str, int]:
    money = _money(settlement)
    rows.add(
        SETTLEMENT,
        head(event, of),
        kind="amended" if event.fact == "round_amended" else "settled",
        limit_reached=settlement.limit_reached is not None,
        difference=as_json(difference),
        **money,
    )
    for line, each in enumerate(settlement.wagers, 1):
        rows.add(
            PAYMENT,
            line_head(event, line, of),
            seat=as_text(each.seat),
            wager=as_text(each.wager),
            stake=each.stake,
            result=each.result.value,
            pays=as_text(each.pays),
            winnings=each.winnings,
            commission=each.commission,
            cut=each.cut,
            returned=each.returned,
            paid=each.paid,
        )
    if money["commission_marked"]:
        marked = [(seat, totals.commission) for seat, totals in settlement.seats.items() if totals.commission]
        for line, (seat, amount) in enumerate(marked, 1):
            _commission(event, rows, line, of, seat=seat, kind="marked", amount=amount)
    return money


def _commission(  # noqa: PLR0913 - the parts of a row, each given by name
    event: ArchivedEvent,
    rows: Rows,
    line: int,
    of: tuple[int, int | None],
    *,
    seat: str,
    kind: str,
    amount: int,
    since: int | None = None,
) -> None:
    rows.add(
        COMMISSION,
        (event.journal_id, event.seq, line, when(event.at_ms), event.site, event.table, *of),
        seat=as_text(seat),
        kind=kind,
        amount=amount,
        since_shoe=since,
    )


PAID_BACK = 1000
"""Lines of commission paid back begin behind this, beside those that are marked with the same event."""


def _pay_back(event: ArchivedEvent, rows: Rows, of: tuple[int, int], back: dict[str, int]) -> None:
    for line, (seat, amount) in enumerate(back.items(), PAID_BACK + 1):
        _commission(event, rows, line, of, seat=seat, kind="paid_back", amount=amount)


def settled(event: ArchivedEvent, fact: RoundSettled, rows: Rows) -> None:
    of = (event.shoe, event.round)
    _replace(event, rows, of, SETTLEMENT, PAYMENT, COMMISSION)
    money = _settle(event, rows, of, fact.settlement, fact.difference)
    about_round(event, rows, settlement_seq=event.seq, **money)


def settlement_undone(event: ArchivedEvent, fact: SettlementUndone, rows: Rows) -> None:
    of = (event.shoe, event.round)
    _replace(event, rows, of, SETTLEMENT, PAYMENT, COMMISSION)
    rows.add(SETTLEMENT, head(event), kind="undone", limit_reached=False, **_NOTHING)
    _pay_back(event, rows, of, fact.commission_back)
    about_round(event, rows)


def amended(event: ArchivedEvent, fact: RoundAmended, rows: Rows) -> None:
    of = (fact.of_shoe, fact.of_round)
    hands = _hands(fact.outcome)
    _replace(event, rows, of, RESULT, SETTLEMENT, PAYMENT, COMMISSION)
    rows.add(RESULT, head(event, of), kind="amended", free=fact.free, **hands)
    lie_as_amended(event, of, fact.outcome, rows)
    take_down(event, rows, of)
    money = _NOTHING
    if fact.settlement is not None:
        money = _settle(event, rows, of, fact.settlement, fact.difference)
        placed = tuple(PlacedWager(each.seat, each.wager, each.stake) for each in fact.settlement.wagers)
        place(event, rows, placed, "amended", of)
    elif fact.old_settlement is not None:
        difference = as_json(fact.difference)
        rows.add(SETTLEMENT, head(event, of), kind="amended", limit_reached=False, difference=difference, **money)
    _pay_back(event, rows, of, fact.commission_back)
    about_round_of(
        event,
        rows,
        of,
        state="amended",
        free=fact.free,
        corrections=1,
        result_seq=event.seq,
        settlement_seq=None if fact.settlement is None else event.seq,
        **hands,
        **money,
    )


def commission(event: ArchivedEvent, fact: CommissionCollected | CommissionWaived, rows: Rows) -> None:
    kind = "collected" if isinstance(fact, CommissionCollected) else "waived"
    for line, due in enumerate(fact.due, 1):
        _commission(event, rows, line, (due.shoe, None), seat=fact.seat, kind=kind, amount=due.amount, since=due.since)
