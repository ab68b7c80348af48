"""Stands beside a simulated table: sees every card that leaves the shoe, and every entry as it reaches the disk.

All reckoning is done by `simulator/reckoner`; a mismatch is a `BrokenPromiseError` at once. Here is what only a
simulation knows: what went wrong when, and what may follow from that.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.daemon.table_journal import TOPICS_BY_FACT
from shoe_controller.journal.records import Entry, Receipt
from shoe_controller.messages.requests import Answer
from shoe_controller.messages.retained import StateMessage
from simulator.reckoner.displays import Event
from simulator.reckoner.house import HouseRules
from simulator.reckoner.inputs import cause_of
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.reckoning import Reckoner, Step
from simulator.reckoner.recorded_cards import COUNTED
from simulator.reckoner.reports import ReportMatcher
from simulator.reckoner.settlement import Wager
from simulator.second_sum import differences
from simulator.truth import AnyHappening, CardOut, FaultInjected, Loaded, NothingCame
from tests.simulation.corrections import PastRound
from tests.simulation.mishaps import LOSES, TAKEN_FOR_LOSS
from tests.simulation.wiping import Deletions

SURELY_MISSED = 2
"""So many telegrams that are lost are noticed by their numbers, which begin anew after nine."""
CARD_FACTS = ("card_dealt", "card_burned", "card_set_aside")
"""One of these is published of every card that leaves the shoe."""
SINGLE_CARDS = ("card_drawn", "misread", "foreign_card")
PUT_ON_RECORD = ("deal_card", "enter_card", "confirm", "void_round", "void_and_replay", "end_hand_entry")
"""Acts that can put cards on record: those that are entered, and those that the shoe reported and nobody entered."""
FALSE_FRAMES = ("forged_frame", "replayed_frame")


class BrokenPromiseError(MismatchError):
    """Something that must never happen has happened."""


class Raised(NamedTuple):
    t: float
    kind: str
    detail: dict[str, Any]


class Counted(NamedTuple):
    """What the reckoner has counted in one journal, for the second sum."""

    events: int
    cards: int
    invented: int
    results: int
    settlements: int
    stakes: int
    paid_back: int


class Memory(NamedTuple):
    """What was known when the journal ended with a record that it may be set back to."""

    reckoner: Reckoner
    events: tuple[Json, ...]
    in_play: bool
    opened_at: float
    last_event: int
    """Of the shoe."""
    by_hand: bool
    entered: frozenset[int]
    unentered: tuple[Json, ...]
    held: tuple[Json | None, ...]
    dealt_on: tuple[Json | None, ...]
    """Of the cards that people entered, as in `ReportMatcher`."""


class Observer:
    def __init__(
        self,
        *,
        keeps_events: bool,
        discloses_at_draw: bool,
        now: Callable[[], float],
        unknown_pin: str,
        game: str,
        house: HouseRules,
    ) -> None:
        self.journal = ""
        """The name of the present journal."""
        self.messages: list[Event] = []
        """What it holds for the displays; the first has the number 1."""
        self.journals: dict[str, list[Event]] = {}
        """The same for each journal by its name: those before the present one were set aside."""
        self.entries = 0
        self.results_at: list[float] = []
        """When there was a result, each time."""
        self.acts: Counter[str] = Counter()
        """What people did, as far as it was more than a wrong PIN."""
        self.facts: Counter[str] = Counter()
        """Events of each kind."""
        self.raised: list[Raised] = []
        self.missing: list[Json] = []
        """Cards that were never reported: only a wire that keeps no events may lose any."""
        self.loss_is_known = False
        """An event says that the shoe was gone, or that something was missed."""
        self.injected: list[tuple[float, str]] = []
        self.deletions: Deletions | None = None
        """At a shoe that keeps its events."""
        self._settled: Counter[str] = Counter()
        """Wagers that were settled in earlier journals."""
        self._keeps_events = keeps_events
        self._discloses_at_draw = discloses_at_draw
        self._unknown_pin = unknown_pin
        """The person whose PIN no one at this table knows."""
        self._game = game
        self._house = house
        self._now = now
        self._loss_known_at = float("-inf")
        self._held: list[Json | None] = []
        """Cards that wait until a supervisor says which shoe they belong to."""
        self._dealt_on: list[Json | None] = []
        """Cards that wait until the round on the table, which something stops, is decided on."""
        self._another_began = False
        """The shoe has begun another round meanwhile, with a card that it carried over."""
        self._in_shoe = 0
        """Cards that nobody has drawn."""
        self._in_play = False
        self._by_hand = False
        self._opened_at = 0.0
        self._events: list[Json] = []
        """Of this journal, and of those whose state it has taken over; numbered through."""
        self._taken_over = 0
        """So many of them are of journals before it."""
        self._reckoner = Reckoner(house, keeps_events=keeps_events)
        self._matcher = ReportMatcher(
            keeps_events=keeps_events,
            may_lose=lambda: not keeps_events and bool(self.injected),
            may_be_false=lambda: not keeps_events and any(n in (*FALSE_FRAMES, *LOSES) for _, n in self.injected),
            missed=self._miss,
        )

    # --- the truth ----------------------------------------------------------------------------------------------------

    @property
    def cards(self) -> list[Json]:
        """All cards that left the shoe."""
        return self._matcher.cards

    @property
    def unheard(self) -> list[Json]:
        """Cards that were not reported; those that people entered need not be by a wire that keeps no events."""
        waits = self._matcher.unreported
        if self.loss_is_known:
            waits = [card for card in waits if card["number"] not in self._matcher.perhaps_lost]
        return waits if self._keeps_events else [card for card in waits if card["number"] not in self._matcher.entered]

    def to_enter(self) -> list[Card]:
        """Cards that lie on the table and that nobody has entered, as anyone can see them."""
        return [Card(card["card"]) for card in self._matcher.to_enter]

    @property
    def results(self) -> int:
        return len(self.results_at)

    def happened(self, happening: AnyHappening) -> None:
        match happening:
            case Loaded():
                self._in_shoe = happening.cards
            case CardOut():
                self._in_shoe -= 1
                self.cards.append(msgspec.to_builtins(happening))
            case FaultInjected():
                self.befell(happening.fault)
            case NothingCame() if self._in_shoe <= 0:
                # A shoe that was run out to its end may be opened as the next one, with no card in it.
                self.befell("empty_in_round")
            case _:
                pass

    def befell(self, mishap: str) -> None:
        self.injected.append((self._now(), mishap))

    def store_wiped(self, cards: int) -> None:
        """The shoe has lost its store, with the last so many cards; what of them is on its way may still come."""
        self.loss_is_known = False
        self._matcher.perhaps_lost |= {card["number"] for card in self.cards[len(self.cards) - cards :]}

    def faces(self) -> list[Card | None]:
        """What lies in the hands, as anyone at the table can see it, or as a supervisor has named it."""
        return [_card(laid.record.face) for laid in self._reckoner.books.cards.hand]

    def drawn_faces(self) -> list[Card | None]:
        """The cards of the round in the order of the draw, those that lie in no hand included."""
        return [_card(record.face) for record in self._reckoner.books.cards.order()]

    def past_rounds(self) -> list[PastRound]:
        """The rounds that have a result, as they were settled or amended last."""
        books = self._reckoner.books
        found = []
        for (shoe, number), result in books.results.items():
            p, b = result.played
            wagers = [Wager(row.seat, row.wager, row.stake) for row in books.rows_of_round((shoe, number))]
            found.append(PastRound(shoe, number, [p[0], b[0], p[1], b[1], *p[2:], *b[2:]], wagers))
        return found

    def first_face(self) -> Card | None:
        """The first card of the shoe, which everyone has seen."""
        first = self._reckoner.books.cards.first
        return None if first is None or first.true is None else _card(first.true["card"])

    # --- journals -----------------------------------------------------------------------------------------------------

    def begin_journal(self, name: str, *, told_again_from: int | None) -> None:
        """A new journal is empty: numbers begin anew, no shoe is open, no wager stands, no alert stands.

        A shoe that keeps its events reports those `told_again_from` on again, though the journal before may have them.
        """
        self.check_sums()
        self._settled += self._reckoner.books.wagers.counted
        self.journal = name
        self.messages = self.journals[name] = []
        self._events = []
        self._taken_over = 0
        self._reckoner = Reckoner(self._house, keeps_events=self._keeps_events)
        self._in_play = self._by_hand = False
        self._matcher.entered.clear()
        self._matcher.unentered.clear()
        self._held.clear()
        self._dealt_on.clear()
        self._another_began = False
        if told_again_from is not None:
            self._matcher.reported_again_from(told_again_from)

    def remember(self) -> Memory:
        """What is known now, to go back to."""
        return Memory(
            reckoner=deepcopy(self._reckoner, {id(self._house): self._house}),
            events=tuple(self._events),
            in_play=self._in_play,
            opened_at=self._opened_at,
            last_event=self._matcher.last_event,
            by_hand=self._by_hand,
            entered=frozenset(self._matcher.entered),
            unentered=tuple(self._matcher.unentered),
            held=tuple(self._held),
            dealt_on=tuple(self._dealt_on),
        )

    def go_back(
        self, name: str, memory: Memory, first: Step, messages: Sequence[Event], *, told_again_from: int | None
    ) -> None:
        """A new journal takes over the state of an older copy, and begins with this entry and its messages.

        What the journal before had beyond that copy is known to the displays alone. A shoe that keeps its events
        reports those again that the copy does not have, as far as it has kept them: `told_again_from` on. The others
        are missing, and so are their cards.
        """
        self.check_sums()
        self._settled += self._reckoner.books.wagers.counted - memory.reckoner.books.wagers.counted
        # A journal may be set back to the same record twice.
        self._reckoner = deepcopy(memory.reckoner, {id(self._house): self._house})
        self._reckoner.books.go_on_in_new_journal()
        self._events = list(memory.events)
        self._taken_over = len(self._events)
        self._in_play, self._opened_at = memory.in_play, memory.opened_at
        self._by_hand = memory.by_hand
        self._matcher.entered, self._matcher.unentered = set(memory.entered), list(memory.unentered)
        self._held = list(memory.held)
        self._dealt_on = list(memory.dealt_on)
        self._another_began = False
        self.journal = name
        self.messages = self.journals[name] = []
        if told_again_from is not None:
            self._matcher.reported_again_from(max(told_again_from, memory.last_event + 1))
        self._take(first)
        self.messages += messages

    def stored(self, entry: Entry, receipt: Receipt, arrived: float) -> None:  # noqa: C901 - all that one entry tells
        """An entry is on the disk; `arrived` is when its input came in, which may be a while ago."""
        if entry.checkpoint is None and (entry.input is None or entry.input.name != "checkpoint_signed"):
            # Mishaps come after so many entries of a sitting, however often the journal signs itself meanwhile.
            self.entries += 1
        if list(receipt.seqs) != list(range(len(self.messages) + 1, len(self.messages) + 1 + len(entry.events))):
            raise BrokenPromiseError(f"messages {receipt.seqs} follow {len(self.messages)}")
        given: Json | None = None if entry.input is None else msgspec.json.decode(entry.input.body)
        events: list[Json] = [msgspec.json.decode(event.body) for event in entry.events]
        cause = cause_of(given)
        left: Sequence[Json | None] = ()
        if cause is not None and cause["input"] == "shoe_report":
            if self.deletions is not None:
                self.deletions.stored(cause)
            left = self._matcher.match(cause["event"], number=cause["sequence"], arrived=arrived)
        if cause is not None and cause["input"] == "person_acts" and any(e["fact"] != "wrong_pin" for e in events):
            self.acts[cause["act"]["act"]] += 1
            act = self._reckoner.carried_out(cause, events)
            if act is not None and act["act"] in PUT_ON_RECORD:
                book = self._reckoner.books.cards
                dealt = [
                    event
                    for event in events
                    if event["fact"] in CARD_FACTS and not book.is_carried(event) and not event.get("carried")
                ]
                # What waited is dealt when the round before it is decided on: nobody enters that.
                waited = len(self._dealt_on) if act["act"] != "enter_card" else 0
                left = [self._entered(act) for _ in dealt[waited:]]
        if self._held and _decides_on_held(given):
            on_record = sum(event["fact"] in CARD_FACTS for event in events)
            left, self._held = [*self._held[:on_record], *left], self._held[on_record:]
        elif self._dealt_on:
            is_own = cause is not None and cause.get("act", {}).get("act", "enter_card") == "enter_card"
            own = list(left) if is_own else []
            left = [*own, *self._now_dealt(events, len(own))]
        self._take(Step(given, events), left)
        self._see_another_begin(cause, events)
        if cause is not None and cause["input"] == "shoe_report" and not (self._hold(left) or self._waits(left)):
            self._check_reported(cause["event"], left, events)
        if self._dealt_on and not self._reckoner.books.alerts.stopping and self._reckoner.books.cards.hand == []:
            raise BrokenPromiseError(f"{self._dealt_on} waited for a round that is over, and were not dealt")
        self.messages += [(TOPICS_BY_FACT[event.name], event.body) for event in entry.events]
        if self._reckoner.books.seq != len(self.messages):
            raise BrokenPromiseError(f"event {self._reckoner.books.seq} is stored as message {len(self.messages)}")

    def _entered(self, act: Json) -> Json | None:
        """The card of the truth that a person has entered."""
        lost = [card for card in self.missing if act.get("card") in (None, card["card"])]
        if act["act"] == "enter_card" and lost:
            self.missing.remove(lost[-1])
            return lost[-1]
        card = self._matcher.enter()
        # Somebody may have entered another one than it is, and is believed.
        return card if card is not None and act.get("card") in (None, card["card"]) else None

    def _hold(self, left: Sequence[Json | None]) -> bool:
        """Whether cards wait: then they are not on record yet, and an alert says so."""
        waits = any(alert.kind == "shoe_change_unconfirmed" for alert in self._reckoner.books.alerts.standing.values())
        if not left or not waits or self._reckoner.books.cards.added:
            return False
        self._held += left
        return True

    def _now_dealt(self, events: Sequence[Json], own: int) -> list[Json | None]:
        """The cards that waited until the round before them was decided on, and are on record now."""
        dealt = [event for event in events if event["fact"] in CARD_FACTS and not event.get("carried")]
        on_record = max(0, len(dealt) - own)
        now, self._dealt_on = self._dealt_on[:on_record], self._dealt_on[on_record:]
        return now

    def _waits(self, left: Sequence[Json | None]) -> bool:
        """Whether cards wait because they came before the round on the table was decided on: something stops it."""
        books = self._reckoner.books
        stopped = books.alerts.stopping or self._dealt_on
        if not left or books.cards.added or self._by_hand or not (stopped or self._another_began):
            return False
        if not books.cards.order():
            return False  # no round is on the table
        self._dealt_on += left
        return True

    def _see_another_begin(self, cause: Json | None, events: Sequence[Json]) -> None:
        """A card that the shoe carries over waits like others, and no card leaves the shoe for it."""
        if any(event["fact"] in ("round_result", "round_voided") for event in events):
            self._another_began = False
        elif cause is not None and cause["input"] == "shoe_report" and cause["event"].get("carried_over"):
            self._another_began = bool(self._reckoner.books.alerts.stopping) and not events

    def _check_reported(self, event: Json, left: Sequence[Json | None], events: Sequence[Json]) -> None:
        """What a person entered is not dealt again, and nothing else is swallowed."""
        dealt = len(self._reckoner.books.cards.added)
        if dealt == len(left) or event["event"] not in SINGLE_CARDS:
            return
        differs = any(each["fact"] == "alert_raised" for each in events)
        if dealt == 0 and self._by_hand:
            self._matcher.unentered += [card for card in left if card is not None]
        elif dealt or not differs:
            raise BrokenPromiseError(f"the shoe reported {event}, about {left}, and {dealt} cards were dealt for it")

    def _take(self, step: Step, left: Sequence[Json | None] = ()) -> None:
        self._reckoner.stored(step, left)
        for event in step.events:
            self._events.append(self._numbered_through(event))
            self.facts[event["fact"]] += 1
            self._look_at(event)

    def _numbered_through(self, event: Json) -> Json:
        """With the numbers of journals before this one below its own; 0 was an event of theirs."""
        if not self._taken_over:
            return event
        numbers = {"seq": event["seq"] + self._taken_over}
        if event["fact"] == "settlement_undone":
            about = {"round_settled", "round_amended"}
            before = [each["seq"] for each in self._events if each["fact"] in about and _is_of(each, event)]
            numbers["replaces"] = event["replaces"] + self._taken_over if event["replaces"] else before[-1]
        if event["fact"] == "round_amended" and event["replaces_settlement"] is not None:
            # Only rounds of this journal can be amended.
            numbers["replaces_settlement"] = event["replaces_settlement"] + self._taken_over
        return {**event, **numbers}

    def _look_at(self, event: Json) -> None:
        match event["fact"]:
            case "shoe_link" if not event["up"]:
                self._loss_becomes_known()
            case "alert_raised":
                if event["alert"]["kind"] in TAKEN_FOR_LOSS:
                    self._loss_becomes_known()
                self.raised.append(Raised(self._now(), event["alert"]["kind"], event["alert"]["detail"]))
            case "person_acted" if event["person"] == self._unknown_pin:
                raise BrokenPromiseError(f"a person who did not know the PIN was let in: {event}")
            case "shoe_opened":
                self._in_play, self._opened_at = True, self._now()
            case "shoe_ended":
                self._in_play = False
            case "hand_entry_changed":
                self._by_hand = event["hand_entry"]
            case "round_result":
                self.results_at.append(self._now())

    def let_in(self, answer: Answer) -> None:
        raise BrokenPromiseError(f"a person without the token of a sign-in was let in: {answer}")

    # --- what is lost -------------------------------------------------------------------------------------------------

    def _loss_becomes_known(self) -> None:
        self.loss_is_known = True
        self._loss_known_at = self._now()

    def _miss(self, lost: Sequence[Json]) -> None:
        """These cards were never reported, and that must be known by now: telegrams are numbered."""
        # A piece that comes twice at once is one to a reader of ids: it reports that it was read again.
        lost = [card for card in lost if not self._is_piece_again(card)]
        self.missing += lost
        known = self._loss_known_at >= lost[0]["t"] - 0.5 if lost else True
        # A shoe that starts anew counts anew: what it had not reported of the cards before is lost without a trace.
        same_shoe = self._in_play and bool(lost) and lost[0]["t"] > self._opened_at
        sure = len(lost) <= SURELY_MISSED and self._discloses_at_draw and same_shoe
        stands = any(raised.kind in TAKEN_FOR_LOSS for raised in self._reckoner.books.alerts.standing.values())
        if sure and not known and not stands and not any(card.get("reading") == "with_another" for card in lost):
            raise BrokenPromiseError(f"cards were missed and no alert tells of it: {lost}")

    def _is_piece_again(self, card: Json) -> bool:
        before = self.cards[: card["number"] - 1]
        return any(other["card_id"] == card["card_id"] and other["to"] != "extra" for other in before[-2:])

    # --- at the end ---------------------------------------------------------------------------------------------------

    def check_sums(self) -> None:
        """What the reckoner has counted in this journal, counted a second time."""
        books = self._reckoner.books
        counted = Counted(
            events=self._taken_over + books.seq,
            cards=len(books.cards.cards),
            invented=0,
            results=len(books.results),
            settlements=books.settlements,
            stakes=books.wagers.settled,
            paid_back=books.wagers.paid_back,
        )
        different = differences(counted, self._events)
        if different:
            raise BrokenPromiseError(f"the second sum differs: {different}")

    @property
    def settled(self) -> Counter[tuple[str, str]]:
        """Wagers that were settled, each with the base game."""
        wagers = self._settled + self._reckoner.books.wagers.counted
        return Counter({(self._game, wager): count for wager, count in wagers.items()})

    def check_open(self, state: StateMessage) -> None:
        """Whether a display shows just what is owed and disputed, and every card that left the shoe."""
        books = self._reckoner.books
        # What is counted of the remainder is no card that came.
        recorded = sum(record.where[0] == state.shoe and record.place != COUNTED for record in books.cards.cards)
        if state.cards_out < recorded:
            raise BrokenPromiseError(f"{state.cards_out} cards are shown to have left; {recorded} are recorded")
        owed = {(each.shoe, each.seat): each.amount for each in state.commission}
        if owed != books.wagers.commission.owed:
            raise BrokenPromiseError(f"{owed} is shown as owed; it is {books.wagers.commission.owed}")
        disputes = {each.number: msgspec.to_builtins(each) for each in state.disputes}
        if disputes != books.disputes.open:
            raise BrokenPromiseError(f"{disputes} are shown as open; it is {books.disputes.open}")
        books.disputes.check_warned()

    @property
    def standing(self) -> list[Json]:
        """Alerts that stand."""
        return [raised.event for raised in self._reckoner.books.alerts.standing.values()]


def _is_of(settled: Json, undone: Json) -> bool:
    key = undone["shoe"], undone["round"]
    if settled["fact"] == "round_amended":
        return (settled["of_shoe"], settled["of_round"]) == key
    return (settled["shoe"], settled["round"]) == key


def _card(face: str | None) -> Card | None:
    return None if face is None else Card(face)


def _decides_on_held(given: Json | None) -> bool:
    """Whether this says which shoe the cards that waited belong to."""
    if given is None or given["input"] == "new_shoe":
        return given is not None
    return bool(given["input"] == "person_acts" and given["act"]["act"] == "clear_alert")
