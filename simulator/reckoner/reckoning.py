"""The whole reckoning: whether truth and journal agree, and how much they hold."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from simulator.reckoner.alignment import STRICT, Comparison, Leniency, Pairs, aligned, compare
from simulator.reckoner.books import ENTERING_ACTS, NAMING_ACTS, StandingResult, TableBooks
from simulator.reckoner.house import HouseRules
from simulator.reckoner.inputs import InputBook, cause_of
from simulator.reckoner.mismatch import Json, MismatchError, RoundKey
from simulator.reckoner.placing import ASSIGNS
from simulator.reckoner.recorded_cards import RecordedCard
from simulator.reckoner.reports import ReportedCard, reported_cards

T = TypeVar("T")


class Step(NamedTuple):
    """One entry of a journal: what came in, and the events that followed from it."""

    given: Json | None
    """`None` where the input is not known."""
    events: Sequence[Json]


SAYS_DIFFERENCE = 3
"""The revision of a shoe from which a round that is settled again says the difference."""
KEEPS_INVENTORY = 3
"""The revision in which the end of a shoe says where its cards are, and is left to supervisors."""


ENDS_WITH_SUPERVISOR = 4
"""The revision of the program in which a dealer neither ends a shoe with a cut card that a person entered, nor buries
a dispute that was opened after its end."""


NEVER_WITH_WAGERS = 3
"""The revision of the program from which a card that everyone has seen begins no round with wagers."""
SAYS_ALL = 4
"""The revision of the program from which a correction after a late wager leaves the seat's other wagers alone, a
difference is said also where a round had no wagers before, and no round goes on that began with nobody on duty."""

DECISIONS_STAY = 4
"""The revision of the program from which no correction takes back a card that was burned while one was due."""
TAKES_DUE_PLACE = 3
"""The revision of a shoe in which an extra card that was due in truth takes its place after a correction."""


def _names_no_place(given: Json | None) -> bool:
    """Whether this is a report of a reader, which does not know where a card goes: the table decides that."""
    event = {} if given is None or given["input"] != "shoe_report" else given["event"]
    return event.get("event") in ("card_drawn", "misread", "foreign_card") and event.get("hand") is None


class Reckoner:
    """Follows a journal entry by entry; a `MismatchError` says what is wrong with one."""

    def __init__(self, house: HouseRules | None = None, *, keeps_events: bool = True) -> None:
        self.books = TableBooks(house)
        self._inputs = InputBook(keeps_events=keeps_events)
        self.books.shoes.keeps_events = keeps_events
        self._proposed: Json | None = None
        """The act that was proposed last, as it was requested."""

        self.entered = 0
        """Cards that people entered,"""
        self.awaited = 0
        """and how many of them the shoe has reported, for which it dealt no other; less those that were dealt later."""
        self.held = 0
        """Cards that wait until a supervisor says which shoe they belong to, or decides on the round before them."""

    def stored(self, step: Step, left: Sequence[Json | None] = ()) -> None:
        """The next entry; `left` are the cards of the truth that it is about."""
        given, cards = cause_of(step.given), list(left)
        self._inputs.take(given, step.events)
        self._name_card(given, step.events)
        self._look_at_clock(given, step.events)
        if step.given is not None and step.given["input"] == "new_shoe":
            self.books.says_difference = step.given["revision"] >= SAYS_DIFFERENCE
            self.books.shoes.next_holds = step.given["revision"] >= KEEPS_INVENTORY
            self.books.takes_due_place = step.given["revision"] >= TAKES_DUE_PLACE
            procedure = step.given["rules"]["procedure"]
            self.books.finished_takes_two = procedure.get("finished_round") == "two_supervisors"
        if given is not None and given["input"] == "controller_started":
            self.books.never_with_wagers = given.get("revision", 1) >= NEVER_WITH_WAGERS
            self.books.cards.decisions_stay = given.get("revision", 1) >= DECISIONS_STAY
            self.books.says_all = self.books.duty.wants_dealer = given.get("revision", 1) >= SAYS_ALL
            self.books.shoes.left_to_supervisors = given.get("revision", 1) >= KEEPS_INVENTORY
            strict = given.get("revision", 1) >= ENDS_WITH_SUPERVISOR
            self.books.shoes.ends_with_supervisor = self.books.disputes.warns_after_end = strict
        if given is not None and given["input"] == "shoe_report":
            self.books.shoes.foreign_reported(given["event"], step.events)
            if given["event"]["event"] == "cut_card":
                self.books.shoes.cut_card_reported()
        self.books.cards.added = []
        placeless = _names_no_place(given)
        mismatches = []
        for event in step.events:
            try:
                self._take(event, cards, placeless=placeless)
            except MismatchError as error:
                mismatches.append(error)
        act = self.carried_out(given, step.events)
        if act is not None and act["act"] in ENTERING_ACTS:
            self.books.cards.entered(act.get("card"))
        self._count_entries(given)
        if mismatches:
            raise mismatches[0]
        if act is not None and act["act"] == "correct_card":
            self.books.check_corrected()

    def _count_entries(self, given: Json | None) -> None:
        added = self.books.cards.added
        entered = sum(record.entered_by is not None for record in added)
        self.entered += entered
        unconfirmed = any(alert.kind == "shoe_change_unconfirmed" for alert in self.books.alerts.standing.values())
        # Cards of a round that the shoe begins before the one on the table is decided on wait as well.
        waits = unconfirmed or (self.books.alerts.stopping and not self.entered)
        if given is not None and given["input"] == "shoe_report":
            change = len(reported_cards(given["event"])) - len(added)
            self.awaited += change
            self.held = max(0, self.held + change) if waits or change < 0 else self.held
        elif self.held:
            self.held = max(0, self.held - len(added))
        if given is not None and given["input"] == "shoe_report":
            return
        if given is not None:
            self.awaited -= len(added) - entered

    def _take(self, event: Json, left: list[Json | None], *, placeless: bool) -> None:
        book = self.books.cards
        known = len(book.added)
        self.books.take(event)
        for record in book.added[known:]:
            record.true = left.pop(0) if left else None
            record.placeless = placeless
            if record.true is not None and not record.fits(record.true):
                raise MismatchError(f"{record.true} is published as {record}")

    def _look_at_clock(self, given: Json | None, events: Sequence[Json]) -> None:
        """When the first card left, where a wager was late for it; a clock that was set cannot tell."""
        history = self.books.wagers.history
        if given is not None and given["input"] in ("clock_stepped", "controller_started"):
            history.times_are_known = False
        if given is not None and given["input"] == "shoe_report":
            for event in events:
                if event["fact"] == "alert_raised" and event["alert"]["kind"] == "late_wager":
                    history.first_card = event["time"] - given["age_ms"]

    def _name_card(self, given: Json | None, events: Sequence[Json]) -> None:
        """A person says what a card is; while it lies face down, only the input tells the face."""
        act = self.carried_out(given, events)
        if given is not None and any(event["fact"] == "act_proposed" for event in events):
            self._proposed = given["act"]
        if act is not None and act["act"] in NAMING_ACTS:
            self.books.cards.name(act["number"], act["card"])
        if act is not None and act["act"] == ASSIGNS:
            self.books.cards.name_in_order([card.get("card") for card in act["cards"]])

    def carried_out(self, given: Json | None, events: Sequence[Json]) -> Json | None:
        """The act that a person did, as it was requested; one that was approved, as it was proposed."""
        acted = any(event["fact"] == "person_acted" for event in events)
        if given is None or given["input"] != "person_acts" or not acted:
            return None
        return self._proposed if given["act"]["act"] == "approve" else given["act"]


class Reckoning(NamedTuple):
    events: int
    cards: int
    """Cards that left the shoe and are on record, in order."""
    results: int
    """Results that stand, each of a round that was dealt so."""
    settlements: int
    wagers: int
    """Wagers that were settled, all by their prices."""
    unpriced: int
    """Wagers that were settled and whose prices are not known here."""
    stakes: int
    """Of the settlements that stand;"""
    paid_back: int
    """and what they gave back, winnings included."""
    lost: int
    """Cards that the wire lost,"""
    invented: int
    """cards on record that never left the shoe,"""
    under_way: int
    """and cards that were not on record yet: all as they are allowed for."""
    problems: tuple[str, ...]


def reckon(  # noqa: PLR0913 - the records that are compared, and how, each given by name
    truth: Sequence[Json] | None,
    steps: Sequence[Step],
    house: HouseRules | None = None,
    *,
    native: bool = True,
    leniency: Leniency = STRICT,
    every_round: bool = False,
) -> Reckoning:
    """Compare what happened at the shoe with what the journal holds; without the truth, the journal with itself.

    A shoe that is not `native` keeps no events, and reports of two cards at once only the first. `every_round` asks for
    a result of every round that ended at the shoe, numbered from 1 in one shoe.
    """
    reckoner = Reckoner(house, keeps_events=native)
    problems: list[str] = []
    for step in steps:
        try:
            reckoner.stored(step)
        except MismatchError as error:
            problems.append(str(error))
    books = reckoner.books
    cards = Comparison(len(books.cards.cards), 0, 0, 0, [])
    if truth is not None:
        left = [line for line in truth if line["what"] == "card_out" and (native or not _hides_behind_another(line))]
        faults = [line for line in truth if line["what"] == "fault_injected"]
        cards = _compare_records(left, books, faults, leniency)
        problems += cards.problems
        problems += _report_problems(left, steps, reckoner, leniency, native=native)
        problems += _result_problems(truth, books.results, every_round=every_round)
    return Reckoning(
        events=books.seq,
        cards=cards.agreed,
        results=len(books.results),
        settlements=books.settlements,
        wagers=books.wagers.counted.total(),
        unpriced=books.wagers.unpriced.total(),
        stakes=books.wagers.settled,
        paid_back=books.wagers.paid_back,
        lost=cards.lost,
        invented=cards.invented,
        under_way=cards.under_way,
        problems=tuple(problems),
    )


def _hides_behind_another(line: Json) -> bool:
    return line.get("reading") == "with_another" and line["to"] == "extra"


# --- cards -----------------------------------------------------------------------------------------------------------


def _compare_records(left: Sequence[Json], books: TableBooks, faults: Sequence[Json], leniency: Leniency) -> Comparison:
    """Cards that left the shoe, and cards that were published."""
    pairs = aligned(left, books.cards.cards, RecordedCard.fits)
    for card, record in pairs:
        if record is not None:
            record.true = card

    def excused(number: int) -> bool:
        return _fault_before(pairs, number, faults) in leniency.faults and _beside_void(pairs, number, books.voided)

    return compare(pairs, leniency, excused)


def _fault_before(pairs: "Pairs[T]", number: int, faults: Sequence[Json]) -> str:
    """The last fault before this card, or for one that never left the shoe, before the next that did."""
    t = next((left["t"] for left, _ in pairs[number:] if left is not None), float("inf"))
    return next((str(fault["fault"]) for fault in reversed(faults) if fault["t"] <= t), "")


def _beside_void(pairs: "Pairs[RecordedCard]", number: int, voided: set[RoundKey]) -> bool:
    """Whether the card belongs to a round that was voided: its own, or that of its neighbour on record."""
    before = next((record for _, record in reversed(pairs[: number + 1]) if record is not None), None)
    after = next((record for _, record in pairs[number:] if record is not None), None)
    return any(record is not None and record.where in voided for record in (before, after))


def _report_problems(
    left: Sequence[Json], steps: Sequence[Step], reckoner: Reckoner, leniency: Leniency, *, native: bool
) -> list[str]:
    """Cards that left the shoe, and cards that it reported; where the journal's inputs are known."""
    causes = [cause_of(step.given) for step in steps]
    if not any(causes):
        return []
    reported: list[ReportedCard] = []
    for cause in causes:
        if cause is not None and cause["input"] == "shoe_report":
            reported += reported_cards(cause["event"])
    pairs = aligned(left, reported, lambda report, card: report.fits(card, native=native))
    # Which fault explains a difference is judged by the cards that were published.
    entered = Counter(record.face for record in reckoner.books.cards.cards if record.entered_by is not None)

    def was_entered(number: int) -> bool:
        """Whether it is a card that a person entered, which the shoe need not report."""
        card, report = pairs[number]
        return report is None and card is not None and entered[card["card"]] > 0

    problems = [] if leniency.faults else compare(pairs, leniency, was_entered).problems
    recorded = len(reckoner.books.cards.cards)
    if (
        len(reported) - reckoner.awaited != recorded - reckoner.entered
        or reckoner.awaited - reckoner.held > reckoner.entered
    ):
        problems.append(
            f"the shoe reported {len(reported)} cards, people entered {reckoner.entered}, and {recorded} were published"
        )
    return problems


# --- rounds ----------------------------------------------------------------------------------------------------------


def _result_problems(truth: Sequence[Json], results: dict[RoundKey, StandingResult], *, every_round: bool) -> list[str]:
    """The results that stand are those of rounds that were dealt, in order, none of them twice."""
    ended = [line for line in truth if line["what"] == "round_ended"]
    rest = list(ended)
    for key, result in results.items():
        found = next((number for number, line in enumerate(rest) if _is_result_of(result, line)), None)
        if found is not None:
            rest = rest[found + 1 :]
        elif not _was_put_right(result):
            return [f"shoe {key[0]}, round {key[1]} has a result on cards that were not dealt: {result.played}"]
    if every_round and list(results) != [(1, number) for number in range(1, len(ended) + 1)]:
        return [f"{len(ended)} rounds ended at the shoe, and these have a result: {list(results)}"]
    return []


def _was_put_right(result: StandingResult) -> bool:
    """Whether people said that a card was another one, or belongs elsewhere, and the shoe does not know of it."""
    carried = "extra"
    for number, laid in enumerate(result.cards):
        true = laid.record.true
        places = (laid.hand, carried) if number == 0 else (laid.hand,)
        if true is not None and (true["card"] != laid.record.card or true["to"] not in places):
            return True
    return not result.cards


def _is_result_of(result: StandingResult, line: Json) -> bool:
    hands = tuple(line["player"]), tuple(line["banker"])
    return hands == tuple(result.played) and line["winner"] in (None, result.winner)
