"""Settles all wagers of a round: the result of each, and the steps in which a dealer takes and pays.

Amounts are whole minor units. For every wager, and so for the table:
stake + winnings = taken + returned + commission taken at once + cut.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from shoe_controller.baccarat.facts import Facts
from shoe_controller.baccarat.house import (
    CommissionTaken,
    House,
    OverLimit,
    PlacedWager,
    Rounding,
    RoundLimit,
    is_base,
    refusals,
)
from shoe_controller.baccarat.wager_refusals import AnyWagerRefusal
from shoe_controller.baccarat.wagers import Result


class WagersRefusedError(ValueError):
    """Wagers that the house does not permit. Nothing was settled."""

    def __init__(self, refused: list[AnyWagerRefusal]) -> None:
        super().__init__("; ".join(f"{refusal.code} at seat {refusal.seat}: {refusal.wager}" for refusal in refused))
        self.refused = refused


class SettledWager(msgspec.Struct, frozen=True, omit_defaults=True):
    """A wager and what it came to. Amounts are in minor units."""

    seat: str
    """The seat."""
    wager: str
    """The wager's id."""
    stake: int
    """What was staked."""
    result: Result
    """Whether it won, lost or was a push."""
    winnings: int
    """By the pay table, before commission and before the round's limit."""
    commission: int
    """Taken from the winnings, at once or at the end of the shoe."""
    cut: int
    """Winnings that the round's limit does not let the house pay."""
    returned: int
    """Everything that goes back to the player: the stake, unless it lost, and what is paid on it."""
    pays: str | None = None
    """The price in lowest terms, after commission; only on a win."""

    @property
    def paid(self) -> int:
        """What the dealer pays, without the stake."""
        return self.returned - self.stake if self.result is Result.WIN else 0


class DealerStep(msgspec.Struct, frozen=True):
    """One action of the dealer: take a losing stake, pay a winner, or announce a push."""

    step: Literal["take", "pay", "push"]
    """What the dealer does."""
    seat: str
    """The seat."""
    wager: str
    """The wager's id."""
    amount: int
    """What is taken or paid, in minor units; of a push, the stake."""


class Totals(msgspec.Struct, frozen=True):
    """The sums over wagers, in minor units."""

    stakes: int
    """All stakes."""
    taken: int
    """Stakes that lost."""
    winnings: int
    """By the pay tables, before commission and before the round's limit."""
    commission: int
    """Commission on the winnings."""
    cut: int
    """Winnings that the round's limit does not let the house pay."""
    paid: int
    """What the dealer pays, the stakes not counted."""
    returned: int
    """Everything that goes back to players."""


class LimitReached(msgspec.Struct, frozen=True):
    """The round's limit that cut winnings."""

    limit: int
    """The most that is paid, in minor units."""
    winnings: int
    """What the named wagers had won together."""
    policy: OverLimit
    """How the winnings were cut."""


class Settlement(msgspec.Struct, frozen=True):
    """What every wager of a round came to, and how the dealer pays it."""

    wagers: tuple[SettledWager, ...]
    """Seat by seat in the order of action, at each seat in the order of paying."""
    totals: Totals
    """Of all wagers."""
    seats: dict[str, Totals]
    """Of each seat that has wagers."""
    steps: tuple[DealerStep, ...]
    """What the dealer does, in order."""
    rounding: Rounding
    """How amounts that do not divide were rounded."""
    commission_taken: CommissionTaken
    """When commission is collected."""
    limit_reached: LimitReached | None
    """The round's limit, where it cut winnings."""


def settle(house: House, facts: Facts, placed: Iterable[PlacedWager]) -> Settlement:
    """Settle a complete round; raise `WagersRefusedError` if the house does not permit one of the wagers."""
    placed = list(placed)
    refused = refusals(house, placed)
    if refused:
        raise WagersRefusedError(refused)
    results = house.schedule.results[facts]
    in_order = sorted(placed, key=_order_of_action(house))
    settled: list[SettledWager] = []
    for bet in in_order:
        outcome = results[bet.wager]
        winnings = house.rounding.apply(bet.stake * outcome.before_commission)
        # What is paid is rounded by the house's rule, and commission is the rest, so that they add up to the winnings.
        commission = winnings - house.rounding.apply(bet.stake * outcome.pays)
        settled.append(
            SettledWager(
                seat=bet.seat,
                wager=bet.wager,
                stake=bet.stake,
                result=outcome.result,
                winnings=winnings,
                commission=commission,
                cut=0,
                returned=0 if outcome.result is Result.LOSE else bet.stake + winnings - _held_back(house, commission),
                pays=outcome.odds if outcome.result is Result.WIN else None,
            )
        )
    settled, limit_reached = _within_round_limit(house, settled)
    return Settlement(
        wagers=tuple(settled),
        totals=_totals(settled),
        seats={
            seat: _totals([wager for wager in settled if wager.seat == seat])
            for seat in house.seats
            if any(wager.seat == seat for wager in settled)
        },
        steps=_steps(settled),
        rounding=house.rounding,
        commission_taken=house.commission_taken,
        limit_reached=limit_reached,
    )


def _order_of_action(house: House) -> Callable[[PlacedWager], tuple[int, bool, int]]:
    seats = {seat: number for number, seat in enumerate(house.seats)}
    wagers = {wager: number for number, wager in enumerate(house.offered)}
    return lambda bet: (seats[bet.seat], not is_base(bet.wager), wagers[bet.wager])


def _held_back(house: House, commission: int) -> int:
    """Commission that is not paid out; marked commission is paid now and collected later."""
    return commission if house.commission_taken is CommissionTaken.AT_ONCE else 0


def _within_round_limit(house: House, settled: list[SettledWager]) -> tuple[list[SettledWager], LimitReached | None]:
    limit = house.round_limit
    if limit is None:
        return settled, None
    limited = [number for number, wager in enumerate(settled) if wager.wager in limit.wagers]
    won = [settled[number].paid for number in limited]
    if sum(won) <= limit.amount:
        return settled, None
    cut_to = _proportional if limit.policy is OverLimit.PROPORTIONAL else _in_order
    allowed = cut_to(limit, won, house.rounding.unit)
    for number, paid in zip(limited, allowed, strict=True):
        wager = settled[number]
        # Commission is taken on what is paid, so nothing is taken on what is cut.
        commission = wager.commission * paid // wager.paid if wager.paid else wager.commission
        cut = wager.winnings - _held_back(house, commission) - paid
        settled[number] = msgspec.structs.replace(
            wager, commission=commission, cut=cut, returned=wager.returned - wager.paid + paid
        )
    return settled, LimitReached(limit.amount, sum(won), limit.policy)


def _proportional(limit: RoundLimit, won: Sequence[int], unit: int) -> list[int]:
    """Each wager's share in whole units; leftover units go to the largest remainders, then in paying order."""
    units, total = limit.amount // unit, sum(won)
    allowed = [amount * units // total for amount in won]
    remainders = [amount * units % total for amount in won]
    left_over = units - sum(allowed)
    for number in sorted(range(len(won)), key=lambda n: -remainders[n])[:left_over]:
        allowed[number] += 1
    return [share * unit for share in allowed]


def _in_order(limit: RoundLimit, won: Sequence[int], unit: int) -> list[int]:
    """Paid in order until the limit is used up."""
    left = limit.amount // unit * unit
    allowed = []
    for amount in won:
        allowed.append(min(amount, left))
        left -= allowed[-1]
    return allowed


def _totals(settled: list[SettledWager]) -> Totals:
    return Totals(
        stakes=sum(wager.stake for wager in settled),
        taken=sum(wager.stake for wager in settled if wager.result is Result.LOSE),
        winnings=sum(wager.winnings for wager in settled),
        commission=sum(wager.commission for wager in settled),
        cut=sum(wager.cut for wager in settled),
        paid=sum(wager.paid for wager in settled),
        returned=sum(wager.returned for wager in settled),
    )


def _steps(settled: list[SettledWager]) -> tuple[DealerStep, ...]:
    """First all losing wagers are taken, then winners are paid and pushes announced, both in the order of action."""
    takes = [DealerStep("take", w.seat, w.wager, w.stake) for w in settled if w.result is Result.LOSE]
    pays = [
        DealerStep("pay", w.seat, w.wager, w.paid)
        if w.result is Result.WIN
        else DealerStep("push", w.seat, w.wager, w.stake)
        for w in settled
        if w.result is not Result.LOSE
    ]
    return (*takes, *pays)
