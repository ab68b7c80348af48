"""What an honest clerk writes down beside the table: the truth of the cards, and each entry as it reaches the disk.

`happened` gets the truth, `stored` every entry in the moment of its commit. What does not fit is a `BrokenPromiseError`
at once: a card that nobody drew, lost, doubled or in another order; a round settled on other cards than lie there, or
paid otherwise than a second opinion says; money that does not add up; a gap in the numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, DoubleFeed, ForeignCard, Hand, Misread
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.settlement import SettledWager
from shoe_controller.baccarat.wagers import Result
from shoe_controller.daemon.table_journal import topic_of
from shoe_controller.journal.records import Entry, Receipt
from shoe_controller.messages.acts import CorrectCard, IdentifyCard, rule_of
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingClosed,
    BettingOpened,
    CardBurned,
    CardDealt,
    CardSetAside,
    ExtraCardDecided,
    PersonActed,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    ShoeLinkChanged,
    ShoeOpened,
    WagersChanged,
    WagersReturned,
    WrongPin,
)
from shoe_controller.table.inputs import AnyInput, NewShoe, PersonActs, SeatBets, ShoeReport
from simulator.truth import AnyHappening, CardOut, FaultInjected, Reading
from tests.baccarat import oracle
from tests.simulation.houses import SimulatedHouse
from tests.simulation.mishaps import LOSES, TAKEN_FOR_LOSS

_decode_input: Callable[[bytes], AnyInput] = msgspec.json.Decoder(AnyInput).decode
_decode_fact: Callable[[bytes], AnyFact] = msgspec.json.Decoder(AnyFact).decode

SURELY_MISSED = 2
OLDEST = 6.0
"""Seconds after which a wire that keeps nothing does not speak of a card any more."""


class BrokenPromiseError(AssertionError):
    """Something that must never happen has happened."""


class Raised(NamedTuple):
    t: float
    kind: str
    detail: str


class Books:
    def __init__(
        self,
        *,
        keeps_events: bool,
        discloses_at_draw: bool,
        now: Callable[[], float],
        unknown_pin: str,
        house: SimulatedHouse,
    ) -> None:
        self.cards: list[CardOut] = []
        """All cards that left the shoe."""
        self.journal = ""
        """The name of the present journal."""
        self.messages: list[tuple[str, bytes]] = []
        """What it holds for the displays; the first has the number 1."""
        self.journals: dict[str, list[tuple[str, bytes]]] = {}
        """The same for each journal by its name: those before the present one were damaged and set aside."""
        self.entries = 0
        self.results = 0
        self.results_at: list[float] = []
        self.settled: Counter[tuple[str, str]] = Counter()
        """Wagers that were settled, each with the base game."""
        self.acts: Counter[str] = Counter()
        """What people did, as far as it was more than a wrong PIN."""
        self.raised: list[Raised] = []
        self.standing: dict[int, AlertRaised] = {}
        self.missing: list[CardOut] = []
        """Cards that were never heard of: only a wire that keeps nothing may lose any."""
        self.told_of_loss = False
        """People were told that the shoe was gone, or that something was missed."""
        self.first_face: Card | None = None
        """The first card of the shoe, which everybody has seen."""
        self.injected: list[tuple[float, str]] = []
        self._keeps_events = keeps_events
        self._discloses_at_draw = discloses_at_draw
        self._unknown_pin = unknown_pin
        """The person whose PIN nobody at this table knows."""
        self._house = house
        self._prices = house.prices
        self._bets_open = False
        self._now = now
        self._loss_told_at = float("-inf")
        self._in_play = False
        self._opened_at = 0.0
        self._arrived = 0.0
        self._heard = 0
        """Cards that the journal knows of."""
        self._heard_by: list[tuple[int, int]] = []
        """By which of the shoe's events how many cards were known, for a shoe that tells again what was not stored."""
        self._requests: set[str] = set()
        self._events: set[tuple[int | None, int]] = set()
        self._laid: list[Card | None] = []
        """The faces in the hands of the present round, as they lie there, or as a supervisor has said."""
        self._extras: list[CardOut | None] = []
        self._carried: CardOut | None = None
        self._last_laid: list[Card | None] = []
        self._wagers: dict[str, tuple[PlacedWager, ...]] = {}
        self._before_undo: dict[int, dict[str, tuple[PlacedWager, ...]]] = {}

    # --- the truth ----------------------------------------------------------------------------------------------------

    def happened(self, happening: AnyHappening) -> None:
        match happening:
            case CardOut():
                self.cards.append(happening)
            case FaultInjected():
                self.befell(happening.fault)
            case _:
                pass

    def befell(self, mishap: str) -> None:
        self.injected.append((self._now(), mishap))

    def faces(self) -> list[Card | None]:
        """What lies in the hands, as anybody at the table can see it, or as a supervisor has said."""
        return list(self._laid)

    @property
    def unheard(self) -> list[CardOut]:
        return self.cards[self._heard :]

    # --- a journal begins ---------------------------------------------------------------------------------------------

    def begin_journal(self, name: str, *, told_again_from: int | None) -> None:
        """A new journal knows nothing: numbers begin anew, no shoe is open, no wager lies, no alert stands.

        A shoe that keeps its events tells again those `told_again_from` on, although the journal before may have them.
        """
        self.journal = name
        self.messages = self.journals[name] = []
        self.standing.clear()
        self._requests.clear()
        self._events.clear()
        self._bets_open = self._in_play = False
        self.first_face = self._carried = None
        self._laid, self._extras, self._last_laid = [], [], []
        self._wagers, self._before_undo = {}, {}
        if told_again_from is not None:
            self._heard_by = [(event, heard) for event, heard in self._heard_by if event < told_again_from]
            self._heard = self._heard_by[-1][1] if self._heard_by else 0

    # --- an entry is on the disk --------------------------------------------------------------------------------------

    def stored(self, entry: Entry, receipt: Receipt, arrived: float) -> None:
        """`arrived` is when the input came in, which may be a while ago."""
        self.entries += 1
        self._arrived = arrived
        cards: list[CardOut | None] = []
        report: AnyInput | None = None
        if entry.input is not None:
            given = _decode_input(entry.input.body)
            report = given.cause if isinstance(given, NewShoe) else given
            if isinstance(report, ShoeReport):
                self._check_number(report)
                cards = self._match(report.event)
                self._heard_by.append((report.sequence, self._heard))
            elif isinstance(report, PersonActs | SeatBets):
                self._check_request(report)
        if list(receipt.seqs) != list(range(len(self.messages) + 1, len(self.messages) + 1 + len(entry.events))):
            raise BrokenPromiseError(f"messages {receipt.seqs} follow {len(self.messages)}")
        facts = [_decode_fact(event.body) for event in entry.events]
        if isinstance(report, PersonActs):
            self._hear_of_act(report, facts)
        for number, fact in enumerate(facts, len(self.messages) + 1):
            if fact.seq != number:
                raise BrokenPromiseError(f"fact {fact.seq} is stored as {number}: {fact}")
            self._hear(fact, cards)
        topics = [topic_of(type(fact)) for fact in facts]
        self.messages += list(zip(topics, (event.body for event in entry.events), strict=True))

    def _check_number(self, report: ShoeReport) -> None:
        if not self._keeps_events:
            return
        number = (report.boot_id, report.sequence)
        if number in self._events:
            raise BrokenPromiseError(f"the shoe's event {number} is stored twice: {report.event}")
        self._events.add(number)

    def _check_request(self, request: PersonActs | SeatBets) -> None:
        if request.request_id in self._requests:
            raise BrokenPromiseError(f"a request was carried out twice: {request}")
        self._requests.add(request.request_id)

    # --- truth = journal ----------------------------------------------------------------------------------------------

    def _match(self, event: AnyShoeEvent) -> list[CardOut | None]:
        """The cards that this event tells of, from the truth; nothing for one that nobody drew."""
        match event:
            case CardDrawn(carried_over=True):
                return []
            case CardDrawn() | Misread() | ForeignCard():
                return [self._match_card(event)]
            case DoubleFeed():
                both = self.cards[self._heard : self._heard + event.cards]
                if [card.reading for card in both] != [Reading.WITH_ANOTHER] * event.cards:
                    raise BrokenPromiseError(f"the journal has {event}, and what left the shoe is {both}")
                self._heard += event.cards
                return [*both]
        return []

    def _match_card(self, event: CardDrawn | Misread | ForeignCard) -> CardOut | None:
        for ahead in self._candidates(event):
            card = self.cards[self._heard + ahead]
            if _tells_of(event, card, native=self._keeps_events):
                self._miss(self.cards[self._heard : self._heard + ahead])
                self._heard += ahead + 1
                return card
        if not self._keeps_events and any(name in ("forged_frame", "replayed_frame") for _, name in self.injected):
            return None
        if not self._keeps_events and any(name in LOSES for _, name in self.injected):
            # The same telegram once more, long after: the numbers tell of it.
            return None
        raise BrokenPromiseError(f"the journal has {event}, and what left the shoe is {self.unheard[:2]}")

    def _candidates(self, event: CardDrawn | Misread | ForeignCard) -> Iterable[int]:
        """Which cards an event may be about, counted from the first that was not heard of, the likeliest first.

        A wire that keeps every event tells of them in order. One that keeps nothing tells of a card soon or never: of
        two for the same place in a hand it means the younger one.
        """
        if self._keeps_events or not self.injected:
            return range(min(1, len(self.unheard)))
        drawn = [ahead for ahead, card in enumerate(self.unheard) if card.t <= self._arrived]
        young = [ahead for ahead in drawn if self._arrived - self.unheard[ahead].t <= OLDEST]
        if event.position is not None:
            young.reverse()
        return [*young, *drawn]

    def _miss(self, lost: list[CardOut]) -> None:
        """These cards were never heard of, and that must be known by now: the telegrams are numbered.

        The numbers begin anew after nine, so that only the loss of a few is sure to show.
        """
        self.missing += lost
        told = self._loss_told_at >= lost[0].t - 0.5 if lost else True
        # A shoe that starts anew counts anew: what it had not told of the cards before is lost without a trace.
        same_shoe = self._in_play and bool(lost) and lost[0].t > self._opened_at
        sure = len(lost) <= SURELY_MISSED and self._discloses_at_draw and same_shoe
        stands = any(raised.kind in TAKEN_FOR_LOSS for raised in self.standing.values())
        if sure and not told and not stands and not any(card.reading is Reading.WITH_ANOTHER for card in lost):
            raise BrokenPromiseError(f"cards were missed and nothing tells of it: {lost}")

    # --- what the journal tells ---------------------------------------------------------------------------------------

    def _hear(self, fact: AnyFact, cards: list[CardOut | None]) -> None:  # noqa: C901, PLR0912 - a case for each fact
        match fact:
            case ShoeLinkChanged():
                if not fact.up:
                    self._tell_of_loss()
            case AlertRaised():
                if fact.kind in TAKEN_FOR_LOSS:
                    self._tell_of_loss()
                self.standing[fact.alert] = fact
                self.raised.append(Raised(self._now(), fact.kind, fact.detail))
            case AlertEnded():
                if self.standing.pop(fact.alert, None) is None:
                    raise BrokenPromiseError(f"alert {fact.alert} ended, and did not stand")
            case CardDealt() | CardSetAside() | ExtraCardDecided():
                self._hear_of_card(fact, cards)
            case CardBurned(burned=0) if cards:
                self.first_face = None if cards[0] is None else cards[0].card
            case BettingClosed():
                self._bets_open = False
            case PersonActed() if fact.person == self._unknown_pin:
                raise BrokenPromiseError(f"somebody who did not know the PIN was let in: {fact}")
            case ShoeOpened() | BettingOpened():
                self._laid, self._extras, self._bets_open = [], [], isinstance(fact, BettingOpened)
                if isinstance(fact, ShoeOpened):
                    self._carried, self._in_play, self._opened_at = None, True, self._now()
            case ShoeEnded():
                self._in_play = False
            case RoundResult():
                self._check_result(fact)
            case ResultUndone():
                self._laid = list(self._last_laid)
            case _:
                self._hear_of_money(fact)

    def _hear_of_act(self, asked: PersonActs, facts: list[AnyFact]) -> None:
        if any(not isinstance(fact, WrongPin) for fact in facts):
            self.acts[rule_of(asked.act).name] += 1
        done = any(isinstance(fact, PersonActed) for fact in facts)
        if isinstance(asked.act, IdentifyCard | CorrectCard) and done and 0 < asked.act.number <= len(self._laid):
            # From here on the house believes the supervisor.
            self._laid[asked.act.number - 1] = asked.act.card

    def _tell_of_loss(self) -> None:
        self.told_of_loss = True
        self._loss_told_at = self._now()

    def _hear_of_card(self, fact: CardDealt | CardSetAside | ExtraCardDecided, cards: list[CardOut | None]) -> None:
        match fact:
            case CardDealt():
                if fact.place.number != len(self._laid) + 1:
                    raise BrokenPromiseError(f"card {fact.place.number} follows {len(self._laid)}: {fact}")
                card: CardOut | None
                if self._carried is not None and not self._laid:
                    card, self._carried = self._carried, None
                else:
                    card = cards.pop(0) if cards else None
                    if card is not None and card.to.value != fact.place.hand.value:
                        raise BrokenPromiseError(f"{card} is told as {fact.place}")
                face = None if card is None else card.card
                if fact.place.card is not None and face is not None and fact.place.card is not face:
                    raise BrokenPromiseError(f"the table shows {fact.place.card} where {face} lies")
                self._laid.append(face)
            case CardSetAside():
                self._extras.append(cards.pop(0) if cards else self._carried)
                self._carried = None
            case ExtraCardDecided():
                self._carried = self._extras[0] if fact.used and self._extras else None
                self._extras = []

    def _check_result(self, fact: RoundResult) -> None:
        self.results += 1
        self.results_at.append(self._now())
        stops = [raised.kind for raised in self.standing.values() if raised.severity == "stops"]
        if stops:
            raise BrokenPromiseError(f"round {fact.round} has a result while {stops} stand")
        told = (
            tuple(card.value for card in fact.outcome.player.cards),
            tuple(c.value for c in fact.outcome.banker.cards),
        )
        if None in self._laid:
            # Where telegrams get lost, the clerk cannot always say which card was meant.
            if self._keeps_events:
                raise BrokenPromiseError(f"round {fact.round} has a result on a card that nobody knows: {self._laid}")
            return
        laid = [card.value for card in self._laid if card is not None]
        right = oracle.dealt([*laid, "2C", "2C"])
        if len(right.player) + len(right.banker) != len(laid) or told != (right.player, right.banker):
            raise BrokenPromiseError(f"round {fact.round}: {told} is told where {laid} lies")
        self._last_laid = list(self._laid)

    # --- money --------------------------------------------------------------------------------------------------------

    def _hear_of_money(self, fact: AnyFact) -> None:
        match fact:
            case WagersChanged() if not self._bets_open:
                raise BrokenPromiseError(f"a wager was taken when wagers were closed: {fact}")
            case WagersChanged():
                if fact.total != sum(wager.stake for wager in fact.wagers):
                    raise BrokenPromiseError(f"a seat's wagers do not add up: {fact}")
                self._wagers[fact.seat] = fact.wagers
            case RoundVoided() | WagersReturned():
                self._take_off(fact.returned, fact.total)
                if isinstance(fact, RoundVoided):
                    self._laid, self._extras = [], []
                    if not fact.replay and any(self._wagers.values()):
                        raise BrokenPromiseError(f"wagers stand after a void: {self._wagers}")
            case RoundSettled():
                self._check_settlement(fact)
            case SettlementUndone():
                self._wagers = self._before_undo[fact.replaces]
            case _:
                pass

    def _check_settlement(self, fact: RoundSettled) -> None:
        self._before_undo[fact.seq] = dict(self._wagers)
        wagers, totals = fact.settlement.wagers, fact.settlement.totals
        for wager in wagers:
            self._check_payment(wager)
        if fact.settlement.commission_taken.value != self._house.commission_taken:
            raise BrokenPromiseError(f"commission is {fact.settlement.commission_taken} at {self._house}")
        held = totals.commission if self._house.commission_taken == "at_once" else 0
        if totals.stakes + totals.winnings != totals.taken + totals.returned + totals.cut + held:
            raise BrokenPromiseError(f"the settlement does not balance: {totals}")
        if (totals.returned, totals.commission) != (sum(w.returned for w in wagers), sum(w.commission for w in wagers)):
            raise BrokenPromiseError(f"the settlement does not add up: {totals} of {wagers}")
        self._take_off(tuple(PlacedWager(one.seat, one.wager, one.stake) for one in wagers), totals.stakes)
        if any(self._wagers.values()):
            raise BrokenPromiseError(f"wagers were left out of the settlement: {self._wagers}")

    def _take_off(self, wagers: tuple[PlacedWager, ...], total: int) -> None:
        standing = Counter(wager for seat in self._wagers.values() for wager in seat)
        if total != sum(wager.stake for wager in wagers) or not Counter(wagers) <= standing:
            raise BrokenPromiseError(f"{wagers} ({total}) are taken off, and what stood is {self._wagers}")
        gone = set(wagers)
        self._wagers = {
            seat: tuple(wager for wager in stood if wager not in gone) for seat, stood in self._wagers.items()
        }

    def _check_payment(self, wager: SettledWager) -> None:
        if None in self._laid:
            return
        self.settled[self._house.game, wager.wager] += 1
        laid = [card.value for card in self._laid if card is not None]
        price = self._prices[wager.wager](oracle.dealt([*laid, "2C", "2C"]))
        if price is None:
            right = (Result.LOSE, 0, 0, 0)
        elif price == 0:
            right = (Result.PUSH, 0, 0, wager.stake)
        else:
            # The price is net of commission, which only this game takes, and only from this wager.
            taxed = (self._house.game, wager.wager) == ("commission", "base.banker")
            winnings = wager.stake if taxed else int(price * wager.stake)
            commission = winnings - int(price * wager.stake)
            # What is only marked is paid out now and collected later.
            held = commission if self._house.commission_taken == "at_once" else 0
            right = (Result.WIN, winnings, commission, wager.stake + winnings - held)
        if (wager.result, wager.winnings, wager.commission, wager.returned) != right or wager.cut:
            raise BrokenPromiseError(f"{laid} at {self._house}: {wager} is not {right}")


def _tells_of(event: CardDrawn | Misread | ForeignCard, card: CardOut, *, native: bool) -> bool:
    """Whether this event can tell of this card."""
    if event.hand not in (None, card.to) or event.position not in (None, card.position):
        return False
    match event:
        case Misread():
            return card.reading is Reading.UNREAD
        case ForeignCard():
            return card.reading is Reading.FOREIGN
        case CardDrawn():
            if event.card not in (None, card.card) or event.card_id not in (None, card.card_id):
                return False
            plain = card.reading in (Reading.READ, Reading.HIDDEN) or card.to is Hand.EXTRA
            return plain or not native
