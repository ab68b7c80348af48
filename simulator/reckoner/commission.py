"""Marked commission as slips of paper: each is owed until it is collected or waived, or its round comes out otherwise.

Each slip is known by its round, as long as there are no more than 1,000 in the shoes before the one on the table. Of
the oldest shoes beyond that, all that counts is what seats still owe of them; beyond 200 debts, of several together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simulator.reckoner.mismatch import Json, MismatchError

COLLECTED, WAIVED = "collect_commission", "waive_commission"
"""The acts after which a seat owes nothing."""
OWED = "owed"

MOST_APART = 200
"""Debts of earlier shoes that a table keeps apart; beyond, it adds up those of one seat, the oldest first."""

MOST_BY_ROUND = 1000
"""Marks of earlier shoes, by round and seat, that a table keeps."""


@dataclass
class Slip:
    shoe: int
    round: int
    """0 where it is not known any more."""
    seat: str
    amount: int
    fate: str = OWED
    """`OWED`, or the act that ended that."""


class CommissionBook:
    def __init__(self) -> None:
        self._slips: list[Slip] = []
        self._piles: dict[tuple[int, str], int] = {}
        """Debts of several shoes that were added up: the last shoe and the seat, and the first shoe."""
        self._by_round_from = 0
        """The first shoe whose slips are known by round."""

    @property
    def owed(self) -> dict[tuple[int, str], int]:
        """By shoe and seat; what was added up, by the last of its shoes."""
        owed: Counter[tuple[int, str]] = Counter()
        for slip in self._slips:
            if slip.fate == OWED:
                owed[self._debt(slip.shoe, slip.seat)] += slip.amount
        return dict(owed)

    def _debt(self, shoe: int, seat: str) -> tuple[int, str]:
        """Under which shoe and seat this is owed."""
        piles = (key for key, since in self._piles.items() if key[1] == seat and since <= shoe <= key[0])
        return next(piles, (shoe, seat))

    def add_up(self, on_table: int) -> None:
        """Add up debts of shoes before the one on the table, where there are too many."""
        owed = self.owed
        self._piles = {key: since for key, since in self._piles.items() if key in owed}
        debts = sorted(key for key in owed if key[0] < on_table)
        while len(debts) > MOST_APART:
            older = next((key for key in debts if _next_of_seat(debts, key) is not None), None)
            newer = None if older is None else _next_of_seat(debts, older)
            if older is None or newer is None:
                break
            self._piles[newer] = self._piles.pop(older, older[0])
            debts.remove(older)

    def shoe_opened(self, shoe: int) -> None:
        """Another shoe is on the table: there may be too many slips of those before it."""
        known = {(slip.shoe, slip.round, slip.seat) for slip in self._slips if self._by_round_from <= slip.shoe < shoe}
        while len(known) > MOST_BY_ROUND:
            oldest = min(of_shoe for of_shoe, _, _ in known)
            known = {slip for slip in known if slip[0] > oldest}
            self._forget_rounds(oldest)
        self.add_up(shoe)

    def _forget_rounds(self, last: int) -> None:
        """Of the shoes up to this one, all that counts is what is owed."""
        self._by_round_from = last + 1
        self._slips = [slip for slip in self._slips if slip.shoe > last or slip.fate == OWED]
        for slip in self._slips:
            slip.round = 0 if slip.shoe <= last else slip.round

    def forget(self, shoe: int) -> None:
        """What was owed of this shoe is over with it: an earlier version opened it, and kept no rounds."""
        self._forget_rounds(shoe)
        self._slips = [slip for slip in self._slips if slip.shoe != shoe]

    def mark(self, shoe: int, number: int, marks: Mapping[str, int]) -> None:
        """A round was settled."""
        self._slips += [Slip(shoe, number, seat, amount) for seat, amount in marks.items() if amount]

    def taken(self, event: Json, acted: Json) -> None:
        """Collected, or waived, as a person `acted`."""
        act = acted["act"]
        seat, of_shoe = act["seat"], act.get("shoe")
        due = {key: amount for key, amount in self.owed.items() if key[1] == seat and of_shoe in (None, key[0])}
        named = {(each["shoe"], each["seat"]): each["amount"] for each in event["due"]}
        since = {(each["shoe"], each["seat"]): each.get("since") for each in event["due"]}
        if not due or event["seat"] != seat or named != due or event["amount"] != sum(due.values()):
            raise MismatchError(f"{event} after {act}; what the seat owed is {due}")
        if since != {key: self._piles.get(key) for key in due}:
            raise MismatchError(f"{event} adds up other shoes than {self._piles}")
        taken = [slip for slip in self._slips if slip.fate == OWED and self._debt(slip.shoe, slip.seat) in due]
        for slip in taken:
            slip.fate = act["act"]
        self._piles = {key: first for key, first in self._piles.items() if key not in due}

    def change(self, event: Json, changes: Mapping[str, int]) -> None:
        """A round was amended. Of the oldest shoes nobody knows any more which round was paid."""
        shoe, known = event["of_shoe"], event["of_shoe"] >= self._by_round_from
        number = event["of_round"] if known else 0
        self.mark(shoe, number, {seat: amount for seat, amount in changes.items() if amount > 0})
        back = {}
        for seat, amount in changes.items():
            slips = [slip for slip in self._slips if slip.seat == seat and slip.round == number]
            if known:
                gone = _tear((slip for slip in slips if slip.shoe == shoe), -amount, (OWED, COLLECTED, WAIVED))
                back[seat] = gone[COLLECTED]
            else:
                debt = self._debt(shoe, seat)
                of_debt = [slip for slip in slips if self._debt(slip.shoe, seat) == debt]
                back[seat] = max(-amount, 0) - _tear(of_debt, -amount, (OWED,))[OWED]
        self._pay_back(event, back)
        self.add_up(event["shoe"])

    def undo(self, event: Json) -> None:
        """The last settlement is taken back, and with it all slips of its round."""
        undone = [slip for slip in self._slips if (slip.shoe, slip.round) == (event["shoe"], event["round"])]
        back: Counter[str] = Counter()
        for slip in undone:
            back[slip.seat] += slip.amount if slip.fate == COLLECTED else 0
            slip.amount = 0
        self._pay_back(event, back)

    def _pay_back(self, event: Json, back: Mapping[str, int]) -> None:
        right = {seat: amount for seat, amount in back.items() if amount}
        if event.get("commission_back", {}) != right:
            raise MismatchError(f"{event} does not pay back {right}, which is not owed any more")
        self._slips = [slip for slip in self._slips if slip.amount]

    def shoe_ended(self, event: Json) -> None:
        due = {seat: amount for (shoe, seat), amount in self.owed.items() if shoe == event["shoe"]}
        if event["commission_due"] != due:
            raise MismatchError(f"commission due is {event['commission_due']}; {due} was marked and not collected")


def _next_of_seat(debts: Iterable[tuple[int, str]], older: tuple[int, str]) -> tuple[int, str] | None:
    return next((key for key in debts if key[1] == older[1] and key > older), None)


def _tear(slips: Iterable[Slip], amount: int, fates: tuple[str, ...]) -> Counter[str]:
    """Take an amount off slips, by what became of them, in this order; returns what was taken of each kind."""
    gone: Counter[str] = Counter()
    for slip in sorted((slip for slip in slips if slip.fate in fates), key=lambda slip: fates.index(slip.fate)):
        off = max(min(slip.amount, amount - gone.total()), 0)
        slip.amount -= off
        gone[slip.fate] += off
    return gone
