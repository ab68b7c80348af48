"""Facts about rounds and their wagers: opened, closed, changed, voided."""

from shoe_controller.archive.derived.rows import Replaced, Rows, as_text, line_head, when
from shoe_controller.archive.derived.shoe_rows import actor_text
from shoe_controller.archive.derived.tables import CARD, ROUND, WAGER
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.messages.facts import (
    BettingClosed,
    BettingOpened,
    FreeHandAnnounced,
    RoundVoided,
    WagersChanged,
    WagersCorrected,
    WagersReturned,
)

NO_RESULT: dict[str, object] = dict.fromkeys(
    (
        "ended_at",
        "player_total",
        "banker_total",
        "player_cards",
        "banker_cards",
        "winner",
        "player_natural",
        "banker_natural",
        "player_pair",
        "banker_pair",
        "why",
        "confirmed_by",
        "result_seq",
        "settlement_seq",
        "taken",
        "winnings",
        "commission",
        "cut",
        "paid",
        "returned",
        "house_win",
        "commission_marked",
    )
)
"""The columns of a round without a result."""


def about_round(event: ArchivedEvent, rows: Rows, /, **values: object) -> None:
    about_round_of(event, rows, (event.shoe, event.round), **values)


def about_round_of(event: ArchivedEvent, rows: Rows, of: tuple[int, int], /, **values: object) -> None:
    if of[1]:
        at = when(event.at_ms)
        own = {"site": event.site, "table_name": event.table, "first_at": at, "last_at": at}
        rows.patch(ROUND, (event.journal_id, *of), **own, **values)


def place(
    event: ArchivedEvent,
    rows: Rows,
    wagers: tuple[PlacedWager, ...],
    how: str,
    of: tuple[int, int] | None = None,
) -> None:
    for line, each in enumerate(wagers, 1):
        seat, wager = as_text(each.seat), as_text(each.wager)
        rows.add(WAGER, line_head(event, line, of), seat=seat, wager=wager, stake=each.stake, how=how)


def take_down(
    event: ArchivedEvent, rows: Rows, of: tuple[int, int] | None = None, *, forget: bool = False, **having: object
) -> None:
    """The wagers that stood, or those with these values, are replaced."""
    shoe, round_ = of or (event.shoe, event.round)
    rows.replaced.append(Replaced(WAGER, event.journal_id, shoe, round_, event.seq, having, forget))


def opened(event: ArchivedEvent, fact: BettingOpened, rows: Rows) -> None:
    cleared = {**NO_RESULT, "closed_at": None, "closed_seq": None, "closed_by": None}
    about_round(event, rows, state="open", began_at=when(event.at_ms), void_reason=None, stakes=None, **cleared)
    # The same round may have been opened before, and dealt in part.
    rows.replaced.append(Replaced(CARD, event.journal_id, event.shoe, event.round, event.seq, {"place": "hand"}))
    take_down(event, rows)
    place(event, rows, fact.wagers, "carried")


def free_hand(event: ArchivedEvent, fact: FreeHandAnnounced, rows: Rows) -> None:
    if fact.carried:
        about_round(event, rows, free=True, began_at=when(event.at_ms))
    else:
        about_round(event, rows, free=True)


def changed(event: ArchivedEvent, fact: WagersChanged, rows: Rows) -> None:
    about_round(event, rows)
    take_down(event, rows, forget=True, seat=as_text(fact.seat))
    place(event, rows, fact.wagers, "placed")


def closed(event: ArchivedEvent, fact: BettingClosed, rows: Rows) -> None:
    about_round(
        event,
        rows,
        state="closed",
        began_at=when(event.at_ms),
        closed_at=when(event.at_ms),
        closed_seq=event.seq,
        closed_by=actor_text(fact.closed_by),
        dealer=as_text(fact.dealer),
        stakes=fact.stakes,
    )


def corrected(event: ArchivedEvent, fact: WagersCorrected, rows: Rows) -> None:
    about_round(event, rows, corrections=1, stakes=fact.stakes)
    for seat in fact.seats:
        take_down(event, rows, seat=as_text(seat))
    place(event, rows, fact.after, f"corrected: {fact.cause.value}")


def returned(event: ArchivedEvent, fact: WagersReturned, rows: Rows) -> None:
    about_round(event, rows)
    for wager in fact.returned:
        take_down(event, rows, seat=as_text(wager.seat), wager=as_text(wager.wager))


def voided(event: ArchivedEvent, fact: RoundVoided, rows: Rows) -> None:
    reason = as_text(fact.reason)
    if fact.replay:
        rows.replaced.append(Replaced(CARD, event.journal_id, event.shoe, event.round, event.seq, {"place": "hand"}))
        about_round(event, rows, state="open", replays=1, **NO_RESULT)
        return
    at = when(event.at_ms)
    about_round(event, rows, **{**NO_RESULT, "state": "voided", "ended_at": at, "stakes": 0, "void_reason": reason})
    take_down(event, rows)
