"""The rounds in a capture: assembles the cards of each round and checks whether cards, rules and result agree.

Pure: it receives what was on the line, event by event, and returns each round as it ends. Used by `decode.py`.
It does not use the table: a table stops at the first card that it cannot explain until a supervisor acts, and a capture
holds no acts.
"""

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardDrawn,
    CardIdentified,
    CardReturned,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
    ShoeEvent,
    Started,
)
from firmware_protocol.link import EventGap, LinkReport, ShoeNotice
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.sides import Side

_SIDES = {Hand.PLAYER: Side.PLAYER, Hand.BANKER: Side.BANKER}

_NO_CARD_AT_STAKE = frozenset(
    {FaultCode.BUTTON_MISUSED, FaultCode.DRAW_TIMEOUT, FaultCode.LOW_VOLTAGE, FaultCode.OVER_TEMPERATURE}
)
_SETTLED_BY_CLEARING = frozenset(
    {FaultCode.UNREADABLE, FaultCode.OVER_DRAW, FaultCode.PUSHED_BACK_AT_EXIT, FaultCode.PUSHED_BACK_HALF_WAY}
)
"""Faults about a card, which the shoe clears only when that card is accounted for."""

_LARGEST_SHOE = 8 * 52
"""More extra cards than this are not believed, and not kept."""

_Place = tuple[Hand, int]


class Computed(msgspec.Struct, frozen=True, kw_only=True):
    """The result by the rules."""

    winner: IndicatedWinner
    player_total: int
    banker_total: int
    player_pair: bool
    banker_pair: bool
    banker_six: bool


class Indicated(msgspec.Struct, frozen=True, kw_only=True):
    """The result according to the shoe; no winner where the dealer forced the round to end."""

    winner: IndicatedWinner | None
    player_pair: bool
    banker_pair: bool
    banker_six: bool


class Cards(msgspec.Struct, frozen=True, kw_only=True):
    """By hand, in drawing order; `None` for a card that was never identified."""

    player: list[Card | None]
    banker: list[Card | None]
    extra: list[Card | None]
    """Drawn outside the round while it was going on."""


class CapturedRound(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="round"):
    number: int
    """Counted from the start of the capture."""
    cards: Cards
    computed: Computed | None
    indicated: Indicated | None
    agrees: bool
    partial: bool
    """Part of the round is missing, or a card in it is unexplained."""
    problems: list[str]


class _OpenRound:
    """A round that has begun and not yet ended."""

    def __init__(self) -> None:
        self.drawn: dict[_Place, Card | None] = {}
        self.extra: list[Card | None] = []
        self.faults: set[FaultCode] = set()
        self.partial = False
        self._problems: dict[str, None] = {}
        """Each message once, in order: a capture of garbage can repeat itself without end."""

    def problem(self, sentence: str) -> None:
        self._problems[sentence] = None

    def unclear(self, sentence: str) -> None:
        """Add a problem that makes the record of the round incomplete."""
        self.partial = True
        self.problem(sentence)

    def draw(self, place: _Place, card: Card | None) -> None:
        if place in self.drawn:
            known = self.drawn[place] or "not disclosed"
            self.unclear(f"{_name(place)} was drawn twice: {known}, then {card or 'not disclosed'}; the first is kept.")
        else:
            self.drawn[place] = card

    def identify(self, place: _Place, card: Card | None) -> None:
        if place not in self.drawn:
            self.unclear(f"{_name(place)} was identified as {card} and never seen drawn.")
            self.drawn[place] = card
            return
        known = self.drawn[place]
        if known is None:
            self.drawn[place] = card
        elif card is not None and card is not known:
            self.unclear(f"{_name(place)} was {known} first and was then identified as {card}; the first is kept.")

    def end(self, number: int, indicated: Indicated | None, standing: set[FaultCode]) -> CapturedRound:
        self._judge_faults(standing)
        computed = self._compute()
        if indicated is not None:
            self._compare(computed, indicated)
        return CapturedRound(
            number=number,
            cards=Cards(player=self._hand(Hand.PLAYER), banker=self._hand(Hand.BANKER), extra=self.extra),
            computed=computed,
            indicated=indicated,
            agrees=not self._problems,
            partial=self.partial,
            problems=list(self._problems),
        )

    def _hand(self, hand: Hand) -> list[Card | None]:
        return [card for place, card in self.drawn.items() if place[0] is hand]

    def _judge_faults(self, standing: set[FaultCode]) -> None:
        for code in sorted(self.faults | standing, key=lambda code: code.value):
            if code in _NO_CARD_AT_STAKE:
                continue
            if code in standing:
                self.unclear(f"The shoe reported {code.value} and had not cleared it when the round ended.")
            elif code not in _SETTLED_BY_CLEARING:
                self.unclear(f"The shoe reported {code.value} in this round.")
        if FaultCode.OVER_DRAW in self.faults and not self.extra:
            self.unclear("The shoe reported an over-draw, and the extra card was never seen.")

    def _compute(self) -> Computed | None:
        """Deal the round again by the rules, in drawing order."""
        deal = Deal()
        dealt = dict.fromkeys(_SIDES, 0)
        for (hand, position), card in self.drawn.items():
            dealt[hand] += 1
            if position != dealt[hand]:
                self.unclear(f"{_name((hand, position))} came as the hand's card {dealt[hand]}.")
                return None
            if card is None:
                self.unclear(f"{_name((hand, position))} was never identified.")
                return None
            try:
                deal.feed(card, _SIDES[hand])
            except DealError as error:
                self.problem(str(error))
                break
        try:
            facts = deal.facts
        except DealError as error:
            self.problem(str(error))
            return None
        winner = IndicatedWinner(facts.winner.value)
        return Computed(
            winner=winner,
            player_total=facts.player_total,
            banker_total=facts.banker_total,
            player_pair=facts.player_pair,
            banker_pair=facts.banker_pair,
            banker_six=winner is IndicatedWinner.BANKER and facts.banker_total == 6,
        )

    def _compare(self, computed: Computed | None, indicated: Indicated) -> None:
        if indicated.winner is None:
            self.problem("The dealer forced the round to end.")
            return
        if computed is None:
            return
        if indicated.winner is not computed.winner:
            self.problem(f"The shoe says {indicated.winner.value}, the cards say {computed.winner.value}.")
        for side, shown, right in (
            ("Player", indicated.player_pair, computed.player_pair),
            ("Banker", indicated.banker_pair, computed.banker_pair),
        ):
            if shown != right:
                self.problem(
                    f"The shoe says {'a' if shown else 'no'} {side} pair, the cards say {'a' if right else 'no'} pair."
                )
        # Not the other way round: a shoe that does not distinguish Banker's six reports plain Banker for it.
        if indicated.banker_six and not computed.banker_six:
            self.problem("The shoe says that Banker won with 6, the cards say otherwise.")


class CaptureRounds:
    """Feed it everything that was received, in order."""

    def __init__(self) -> None:
        self.rounds = 0
        self.disagreeing = 0
        self.cards_without_a_hand = 0
        """Cards whose hand the shoe did not report; no rounds can be assembled from them."""
        self.results_set_aside = 0
        """Results without a card before them, as after a change of shoes: they belong to no round of the capture."""
        self._round: _OpenRound | None = None
        self._extra: list[Card | None] = []
        """Cards drawn outside a round since the last round began: burned, or to begin the next one."""
        self._standing: set[FaultCode] = set()
        self._unplaced: dict[str, None] = {}
        """What went wrong between rounds, for the record of the next one."""

    def feed(self, item: ShoeEvent | LinkReport | ShoeNotice) -> list[CapturedRound]:
        match item:
            case CardDrawn():
                return self._card_drawn(item)
            case Misread() | ForeignCard():
                return self._doubtful_card(item)
            case CardIdentified():
                self._card_identified(item)
            case ResultIndicated():
                return self._result(item)
            case Fault(code=code):
                self._standing.add(code)
                if self._round is not None:
                    self._round.faults.add(code)
            case FaultCleared(code=code):
                self._standing.discard(code)
            case Started() | EventGap() | DoubleFeed() | CardReturned():
                self._interruption(item)
            case _:
                pass
        return []

    def finish(self) -> list[CapturedRound]:
        return self._end_without_result("The capture ended before its result.")

    def _card_drawn(self, drawn: CardDrawn) -> list[CapturedRound]:
        if drawn.hand is None:
            self.cards_without_a_hand += 1
            return []
        if drawn.hand is Hand.EXTRA:
            for extra in (self._extra, self._round.extra if self._round else []):
                if len(extra) < _LARGEST_SHOE:
                    extra.append(drawn.card)
            return []
        if drawn.hand is Hand.BURN:
            if drawn.first_of_shoe or drawn.burns_left is not None:
                self._extra.clear()
                return self._end_without_result("A new shoe began before its result.")
            return []
        place = (drawn.hand, drawn.position or 0)
        ended = self._begin(drawn) if place == (Hand.PLAYER, 1) else []
        self._present_round().draw(place, drawn.card)
        return ended

    def _begin(self, first: CardDrawn) -> list[CapturedRound]:
        """A first Player card begins a round, whatever went before it."""
        ended = self._end_without_result("The next round began before its result.")
        self._round = beginning = _OpenRound()
        if first.carried_over:
            if not self._extra:
                beginning.unclear("The first card was carried over from an over-draw that was never seen.")
            elif first.card is not None and self._extra[0] not in (None, first.card):
                beginning.unclear(f"{self._extra[0]} was over-drawn, and {first.card} was carried over.")
            self._extra = self._extra[1:]
        unexplained = self._extra.count(None)
        if unexplained:
            beginning.unclear(
                f"Before it {unexplained} card{'s' if unexplained > 1 else ''} left the shoe outside a round, "
                "neither identified nor carried over."
            )
        self._extra.clear()
        for sentence in self._unplaced:
            beginning.unclear(sentence)
        self._unplaced.clear()
        return ended

    def _doubtful_card(self, doubtful: Misread | ForeignCard) -> list[CapturedRound]:
        card = doubtful.card if isinstance(doubtful, ForeignCard) else None
        ended = self._card_drawn(CardDrawn(hand=doubtful.hand, position=doubtful.position, card=card))
        what = "could not be read" if isinstance(doubtful, Misread) else "belongs to another set"
        self._note(f"A card left the shoe that {what}.")
        return ended

    def _card_identified(self, identified: CardIdentified) -> None:
        if identified.hand in _SIDES:
            self._present_round().identify((identified.hand, identified.position or 0), identified.card)
        elif identified.hand is Hand.EXTRA:
            _fill_first(self._extra, identified.card)
            if self._round is not None:
                _fill_first(self._round.extra, identified.card)

    def _result(self, result: ResultIndicated) -> list[CapturedRound]:
        if self._round is None:
            self.results_set_aside += 1
            return []
        indicated = Indicated(
            winner=result.winner,
            player_pair=result.player_pair,
            banker_pair=result.banker_pair,
            banker_six=result.banker_six,
        )
        return [self._end(self._round, indicated)]

    def _interruption(self, item: Started | EventGap | DoubleFeed | CardReturned) -> None:
        match item:
            case Started():
                if self._round is not None:
                    self._round.unclear("The shoe restarted in mid-round.")
            case EventGap(reason=reason):
                # Between rounds a gap hides other rounds, but spoils none: the next one begins with its first card.
                if self._round is not None:
                    self._round.unclear(f"Part of the round is missing: {reason}.")
            case DoubleFeed(cards=cards):
                self._note(f"{cards} cards left the shoe at once.")
            case CardReturned():
                self._note("A card was pushed back into the shoe.")

    def _note(self, sentence: str) -> None:
        if self._round is not None:
            self._round.unclear(sentence)
        else:
            self._unplaced[sentence] = None

    def _present_round(self) -> _OpenRound:
        if self._round is None:
            self._round = _OpenRound()
            self._round.unclear("Joined in mid-round: its first Player card was not received.")
        return self._round

    def _end_without_result(self, why: str) -> list[CapturedRound]:
        if self._round is None:
            return []
        self._round.unclear(why)
        return [self._end(self._round, None)]

    def _end(self, ending: _OpenRound, indicated: Indicated | None) -> CapturedRound:
        self._round = None
        self.rounds += 1
        ended = ending.end(self.rounds, indicated, self._standing)
        self.disagreeing += not ended.agrees
        return ended


def _name(place: _Place) -> str:
    hand, position = place
    return f"{_SIDES[hand]} card {position}"


def _fill_first(cards: list[Card | None], face: Card | None) -> None:
    if None in cards:
        cards[cards.index(None)] = face
