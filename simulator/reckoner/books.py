"""Follows a table by its events alone, and raises a `MismatchError` for the first that contradicts those before it."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from simulator.reckoner.alerts import AlertBook
from simulator.reckoner.cards import CardBook, CardInHand
from simulator.reckoner.drawing import Round, dealt
from simulator.reckoner.house import HouseRules
from simulator.reckoner.mismatch import Json, MismatchError, RoundKey, round_of
from simulator.reckoner.pay_tables import LOSE, PUSH
from simulator.reckoner.settlement import odds_text
from simulator.reckoner.wagers import WagerBook

NAMING_ACTS = ("identify_card", "correct_card")
"""Acts by which a person says what a card is."""
FEWEST_CARDS = 4
"""Of a whole round."""
NOT_NEEDED = ("2C", "2C")
"""Cards for a round that was ended too early: so it can be compared with what it should have been."""
WITHOUT_CONSEQUENCE = frozenset(
    {"cut_card_out", "shoe_link", "free_hand", "act_proposed", "proposal_ended", "wrong_pin", "checkpoint_signed"}
)
"""Events from which nothing follows here."""


class StandingResult(NamedTuple):
    """The result of a round, as long as it is not undone."""

    seq: int
    played: Round
    winner: str
    settlement: int | None = None
    """The event that settled its wagers."""


class TableBooks:
    def __init__(self, house: HouseRules | None = None) -> None:
        self.seq = 0
        """The last event."""
        self.alerts = AlertBook()
        self.cards = CardBook()
        self.wagers = WagerBook(house)
        self.results: dict[RoundKey, StandingResult] = {}
        self.settlements = 0
        """Of the results that stand."""
        self.voided: set[RoundKey] = set()
        self.acts: Counter[str] = Counter()
        """What people did."""
        self._round: RoundKey | None = None
        """The round under way, from its betting to its result."""
        self._last: RoundKey | None = None
        """The round whose result was published last, and may be undone,"""
        self._last_hand: list[CardInHand] = []
        """and its cards."""
        self._undone_results: dict[RoundKey, int] = {}
        self._undone_settlements: dict[RoundKey, int] = {}
        """What was undone last in a round, which the next one replaces."""
        self._undone: StandingResult | None = None
        """The last result that was undone."""
        self._handlers: dict[str, Callable[[Json], None]] = {
            "shoe_opened": self._shoe_opened,
            "shoe_ended": self._shoe_ended,
            "betting_opened": self._betting_opened,
            "betting_closed": self.wagers.closed,
            "wagers_changed": self._wagers_changed,
            "wagers_returned": self.wagers.give_back,
            "round_voided": self._round_voided,
            "card_burned": self.cards.burned,
            "card_set_aside": self.cards.set_aside,
            "extra_card_decided": self.cards.extra_decided,
            "card_dealt": self._card_dealt,
            "cards_shown": self.cards.shown,
            "card_corrected": self.cards.corrected,
            "round_result": self._round_result,
            "result_undone": self._result_undone,
            "round_settled": self._round_settled,
            "settlement_undone": self._settlement_undone,
            "alert_raised": self.alerts.raised,
            "alert_ended": self.alerts.ended,
            "person_acted": self._person_acted,
        }

    @property
    def looked_at(self) -> frozenset[str]:
        """The kinds of events from which something follows."""
        return frozenset(self._handlers)

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds of events that are known; others are ignored."""
        return WITHOUT_CONSEQUENCE | self.looked_at

    def take(self, event: Json) -> None:
        before, self.seq = self.seq, event["seq"]
        if self.seq != before + 1:
            raise MismatchError(f"event {self.seq} follows event {before}")
        handle = self._handlers.get(event["fact"])
        if handle is not None:
            handle(event)

    def go_on_in_new_journal(self) -> None:
        """Events are numbered from 1 again; what came before is event 0."""
        self.seq = 0
        self.alerts.go_on_in_new_journal()
        for laid in (*self.cards.hand, *self._last_hand):
            laid.seq = 0
        self.results = {key: _of_old_journal(result) for key, result in self.results.items()}
        self._undone = None if self._undone is None else _of_old_journal(self._undone)
        self._undone_results = dict.fromkeys(self._undone_results, 0)
        self._undone_settlements = dict.fromkeys(self._undone_settlements, 0)

    # --- shoe and round ----------------------------------------------------------------------------------------------

    def _shoe_opened(self, _event: Json) -> None:
        self._round_over()
        self.cards.shoe_opened()
        self.wagers.shoe_opened()
        self._last = None

    def _shoe_ended(self, event: Json) -> None:
        if not self.cards.hand:
            self.cards.clear_table()  # an extra card that waits for a decision goes with its shoe
        self._round_over()
        self.wagers.shoe_ended(event)
        out = sum(record.where[0] == event["shoe"] for record in self.cards.cards)
        if event["cards_out"] < out:
            raise MismatchError(f"{event['cards_out']} cards left the shoe when it ended, and {out} are recorded")

    def _betting_opened(self, event: Json) -> None:
        self.wagers.none_stand("when a round begins")
        self._round_over()
        self._round = round_of(event)
        self.wagers.open = True

    def _round_over(self) -> None:
        if self._round is not None and (self.cards.hand or self.cards.undecided):
            raise MismatchError(f"round {self._round} is over, with neither a result nor a void")
        self.cards.clear_table()
        self._round = None

    def _round_voided(self, event: Json) -> None:
        self._check_round(event)
        self.voided.add(round_of(event))
        self.cards.clear_table()
        self.wagers.voided(event)
        self._round = self._round if event["replay"] else None

    def _check_round(self, event: Json) -> None:
        if round_of(event) != self._round:
            raise MismatchError(f"{event} is about another round than the one under way, {self._round}")

    def _wagers_changed(self, event: Json) -> None:
        self._check_round(event)
        self.wagers.changed(event)

    def _card_dealt(self, event: Json) -> None:
        self._check_round(event)
        self.cards.dealt(event)

    def _person_acted(self, event: Json) -> None:
        act = event["act"]
        self.acts[act["act"]] += 1
        if act["act"] in NAMING_ACTS:
            self.cards.name(act["number"], act["card"])

    # --- results -----------------------------------------------------------------------------------------------------

    def _round_result(self, event: Json) -> None:
        key = round_of(event)
        self._check_round(event)
        if self.alerts.stopping:
            raise MismatchError(f"round {key} has a result while {self.alerts.stopping} stand")
        if key in self.results or any(shoe == key[0] and number > key[1] for shoe, number in self.results):
            raise MismatchError(f"round {key} has a result again, or after a later round")
        if event["replaces"] != self._undone_results.get(key):
            raise MismatchError(f"the result of {key} replaces {event['replaces']}, not what was undone")
        if self.cards.undecided:
            raise MismatchError(f"round {key} has a result while cards lie aside: {self.cards.undecided}")
        played = self._played(key)
        outcome = event["outcome"]
        self._check_outcome(key, outcome, played)
        self.results[key] = StandingResult(event["seq"], played, outcome["winner"])
        self._last, self._last_hand = key, self.cards.hand
        self._round = None

    def _played(self, key: RoundKey) -> Round:
        faces = [laid.record.card for laid in self.cards.hand]
        known = [face for face in faces if face is not None]
        if len(known) < max(FEWEST_CARDS, len(faces)):
            raise MismatchError(f"round {key} has a result on too few cards, or on one that is not known: {faces}")
        played = dealt([*known, *NOT_NEEDED])
        hands = {"player": list(played.player), "banker": list(played.banker)}
        if len(played.player) + len(played.banker) != len(known) or any(
            laid.record.card != hands[laid.hand].pop(0) for laid in self.cards.hand
        ):
            raise MismatchError(f"round {key} has a result; {known} are no whole round as they lie")
        return played

    def _check_outcome(self, key: RoundKey, outcome: Json, played: Round) -> None:
        naturals = {side: len(cards) == 2 and total in (8, 9) for side, cards, total in _sides(played)}
        right = {
            side: {"cards": list(cards), "total": total, "natural": naturals[side]}
            for side, cards, total in _sides(played)
        }
        published = {side: {field: outcome[side][field] for field in right[side]} for side in right}
        winner = "tie" if played.tie else "player" if played.p > played.b else "banker"
        if published != right or outcome["winner"] != winner:
            raise MismatchError(f"round {key} is {outcome['winner']} with {published}; it is {winner} with {right}")
        house = self.wagers.house
        for wager, rule in ({} if house is None else house.prices).items():
            price = rule(played)
            result = "lose" if price is LOSE else "push" if price == PUSH else "win"
            pays = odds_text(price) if price else None
            stated = outcome["wagers"][wager]
            if (stated["result"], stated.get("pays")) != (result, pays):
                raise MismatchError(f"{wager} is {stated} in round {key}; it should be {result} {pays}: {played}")

    def _result_undone(self, event: Json) -> None:
        undone = None if self._last is None else self.results.pop(self._last, None)
        if undone is None or self._last is None or event["replaces"] != undone.seq or round_of(event) != self._last:
            raise MismatchError(f"{event} undoes something else than the last result, {undone}")
        self._undone_results[self._last] = undone.seq
        self.cards.lay_again(self._last_hand)
        self._round = self._last
        self._undone = undone

    # --- settlements -------------------------------------------------------------------------------------------------

    def _round_settled(self, event: Json) -> None:
        key, result = round_of(event), self.results.get(round_of(event))
        if result is None or result.seq != event["seq"] - 1:
            raise MismatchError(f"round {key} is settled, and its result is not the event before")
        if event["replaces"] != self._undone_settlements.get(key):
            raise MismatchError(f"the settlement of {key} replaces {event['replaces']}, not what was undone")
        self.results[key] = result._replace(settlement=event["seq"])
        self.settlements += 1
        self.wagers.settle(event["settlement"], result.played)

    def _settlement_undone(self, event: Json) -> None:
        undone, self._undone = self._undone, None
        if undone is None or undone.settlement is None or event["replaces"] != undone.settlement:
            raise MismatchError(f"{event} undoes something else than the last settlement, of {undone}")
        self._undone_settlements[round_of(event)] = undone.settlement
        self.settlements -= 1
        self.wagers.undo()


def _of_old_journal(result: StandingResult) -> StandingResult:
    return result._replace(seq=0, settlement=None if result.settlement is None else 0)


def _sides(played: Round) -> tuple[tuple[str, tuple[str, ...], int], ...]:
    return ("player", played.player, played.p), ("banker", played.banker, played.b)
