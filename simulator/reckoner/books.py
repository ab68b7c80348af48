"""Follows a table by its events alone, and raises a `MismatchError` for the first that contradicts those before it."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from simulator.reckoner.alerts import AlertBook
from simulator.reckoner.amendments import (
    NOT_NEEDED,
    SettledBefore,
    amended_round,
    check_correction,
    check_difference,
    difference,
    marked_difference,
)
from simulator.reckoner.cards import CardBook, of_earlier_round
from simulator.reckoner.commission import COLLECTED, WAIVED
from simulator.reckoner.disputes import DisputeBook
from simulator.reckoner.drawing import FEWEST_CARDS, Round, dealt, is_whole
from simulator.reckoner.duty import DutyBook
from simulator.reckoner.house import HouseRules
from simulator.reckoner.inventory import ShoeBook
from simulator.reckoner.mismatch import Json, MismatchError, RoundKey, round_of
from simulator.reckoner.pay_tables import LOSE, PUSH
from simulator.reckoner.placing import (
    ASSIGNS,
    check_discarded,
    check_no_wagers,
    check_none_left_aside,
    check_none_passed_over,
    check_who_assigned,
)
from simulator.reckoner.recorded_cards import CardInHand
from simulator.reckoner.settlement import SettledRow, check_settlement, odds_text, rows_of
from simulator.reckoner.two_people import check_two
from simulator.reckoner.wagers import WagerBook

NAMING_ACTS = ("identify_card", "correct_card")
"""Acts by which a person says what a card is."""
ORDER_LOST = frozenset({"double_feed", "shoe_changed", "place_filled", "out_of_turn"})
"""Alerts with which the order of the draw may not be known."""
ENTERING_ACTS = ("enter_card", "deal_card")
"""Acts by which a person enters a card."""
WITHOUT_CONSEQUENCE = frozenset(
    {
        "shoe_link",
        "shoe_exchanged",
        "act_proposed",
        "proposal_ended",
        "wrong_pin",
        "checkpoint_signed",
        "hand_entry_changed",
        "entered_card_confirmed",
    }
)
"""Events from which nothing follows here."""


FOLLOWS = {
    "note": "note_made",
    "open_dispute": "dispute_opened",
    "close_dispute": "dispute_closed",
    "adjust": "payment_adjusted",
    COLLECTED: "commission_collected",
    WAIVED: "commission_waived",
}
"""Acts that are nothing without the event that follows at once."""


class StandingResult(NamedTuple):
    """The result of a round, as long as it is not undone."""

    seq: int
    played: Round
    winner: str
    house: HouseRules | None = None
    """The house when it was dealt."""
    settlement: int | None = None
    """The event that settled its wagers."""
    cards: tuple[CardInHand, ...] = ()
    """As they lay; none where one was discarded or amended, of which the shoe does not know."""


class TableBooks:
    def __init__(self, house: HouseRules | None = None) -> None:
        self.seq = 0
        """The last event."""
        self.alerts = AlertBook()
        self.cards = CardBook()
        self.wagers = WagerBook(house)
        self.duty = DutyBook()
        self.disputes = DisputeBook()
        self.shoes = ShoeBook(self.cards, self.alerts)
        self.results: dict[RoundKey, StandingResult] = {}
        self.settlements = 0
        """Of the results that stand."""
        self.says_difference = True
        self.takes_due_place = True
        """Whether the shoe says what to pay or to collect where a round is settled again; earlier versions did not."""
        self.voided: set[RoundKey] = set()
        self.acts: Counter[str] = Counter()
        """What people did."""
        self._acted: Json | None = None
        """The event before, where a person did something."""
        self._acted_before: Json | None = None
        """The same, while the event after it is taken."""
        self._round: RoundKey | None = None
        """The round under way, from its betting to its result."""
        self._last: RoundKey | None = None
        """The round whose result was published last, and may be undone."""
        self._undone_results: dict[RoundKey, int] = {}
        self._undone_settlements: dict[RoundKey, int] = {}
        """What was undone last in a round, which the next one replaces."""
        self._undone: StandingResult | None = None
        """The last result that was undone."""
        self._settled: dict[RoundKey, SettledBefore] = {}
        """What every round came to last, also where that was undone."""
        self._act: Json | None = None
        """What somebody did, in the event before."""
        self.finished_takes_two = False
        """Whether the house wants two supervisors for a round that is finished, where the inputs say so."""
        self.never_with_wagers: bool | None = None
        """Whether the program that runs the table begins no round with wagers with a card that everyone has seen;
        `None` where it is not known, and the rules of the shoe tell."""
        self.says_all = False
        """Whether the program that runs the table returns all that was late but for what supervisors put right, and
        says the difference also of a round that had no wagers before."""
        self._rules: Json = {}
        """The rules of the shoe."""
        self._handlers: dict[str, Callable[[Json], None]] = {
            "shoe_opened": self._shoe_opened,
            "shoe_ended": self._shoe_ended,
            "cut_card_out": self.shoes.cut_card_out,
            "run_out_begun": self.shoes.run_out_begun,
            "card_counted": self.shoes.counted,
            "remainder_counted": self.shoes.remainder_counted,
            "betting_opened": self._betting_opened,
            "free_hand": self._free_hand,
            "wagers_corrected": self._wagers_corrected,
            "betting_closed": self._betting_closed,
            "wagers_changed": self._wagers_changed,
            "wagers_returned": self.wagers.give_back,
            "round_voided": self._round_voided,
            "card_burned": self._card_burned,
            "card_set_aside": self._card_set_aside,
            "extra_card_decided": self.cards.extra_decided,
            "card_dealt": self._card_dealt,
            "cards_shown": self.cards.shown,
            "card_corrected": self.cards.corrected,
            "cards_assigned": self._cards_assigned,
            "card_discarded": self._card_discarded,
            "round_result": self._round_result,
            "result_undone": self._result_undone,
            "round_settled": self._round_settled,
            "settlement_undone": self._settlement_undone,
            "round_amended": self._round_amended,
            "alert_raised": self._alert_raised,
            "alert_ended": self._alert_ended,
            "person_acted": self._person_acted,
            "dealer_changed": self.duty.changed,
        }
        self._after_acts: dict[str, Callable[[Json, Json], None]] = {
            "note_made": self.disputes.noted,
            "dispute_opened": self.disputes.opened,
            "dispute_closed": self.disputes.closed,
            "payment_adjusted": self.disputes.adjust,
            "commission_collected": self.wagers.commission.taken,
            "commission_waived": self.wagers.commission.taken,
        }
        """With the act that they follow."""

    @property
    def _without_wagers(self) -> bool:
        """Whether a card that everyone has seen begins no round with wagers."""
        return "shown_card" in self._rules if self.never_with_wagers is None else self.never_with_wagers

    @property
    def looked_at(self) -> frozenset[str]:
        """The kinds of events from which something follows."""
        return frozenset(self._handlers) | frozenset(self._after_acts)

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds of events that are known; others are ignored."""
        return WITHOUT_CONSEQUENCE | self.looked_at

    def rows_of_round(self, key: RoundKey) -> tuple[SettledRow, ...]:
        """What the wagers of a round came to last."""
        return self._settled[key].rows if key in self._settled else ()

    def take(self, event: Json) -> None:
        before, self.seq = self.seq, event["seq"]
        if self.seq != before + 1:
            raise MismatchError(f"event {self.seq} follows event {before}")
        acted, self._acted = self._acted, event if event["fact"] == "person_acted" else None
        self._acted_before = acted
        wanted = None if acted is None else FOLLOWS.get(acted["act"]["act"])
        if event["fact"] != wanted and (wanted is not None or event["fact"] in FOLLOWS.values()):
            raise MismatchError(f"{event} follows {acted}, which is followed by {wanted}")
        handle = self._handlers.get(event["fact"])
        if acted is not None and wanted is not None:
            self._followed(acted, event)
        elif handle is not None:
            handle(event)
        if event["fact"] != "person_acted":
            self._act = None

    def go_on_in_new_journal(self) -> None:
        """Events are numbered from 1 again; what came before is event 0."""
        self.seq = 0
        self.alerts.go_on_in_new_journal()
        self.duty.go_on_in_new_journal()
        for laid in (*self.cards.hand, *self.cards.last_hand):
            laid.seq = 0
        self.results = {key: _of_old_journal(result) for key, result in self.results.items()}
        self._undone = None if self._undone is None else _of_old_journal(self._undone)
        self._undone_results = dict.fromkeys(self._undone_results, 0)
        self._undone_settlements = dict.fromkeys(self._undone_settlements, 0)

    # --- shoe and round ----------------------------------------------------------------------------------------------

    def _shoe_opened(self, event: Json) -> None:
        self._round_over()
        self.shoes.opened(event, self._acted_before)
        self.duty.shoe_opened(event)
        self.cards.shoe_opened()
        self._rules = event.get("rules") or {}
        self.wagers.shoe_opened()
        self.wagers.commission.shoe_opened(event["shoe"])
        self.disputes.shoe_opened()
        self._last = None

    def _shoe_ended(self, event: Json) -> None:
        if not self.cards.hand:
            self.cards.clear_table()  # an extra card that waits for a decision goes with its shoe
        self._round_over()
        self.wagers.shoe_ended(event)
        self.disputes.shoe_ended(warned=any(alert.kind == "dispute_open" for alert in self.alerts.standing.values()))
        self.shoes.ended(event)

    def _betting_opened(self, event: Json) -> None:
        check_no_wagers(event, seen=self._without_wagers and self.cards.carries_seen)
        self._round_over()
        self.shoes.check_good(event)
        self._round = round_of(event)
        self.wagers.opened(event)

    def _free_hand(self, event: Json) -> None:
        """A round without wagers; one that an extra card begins is not opened for wagers before."""
        if event.get("carried") and round_of(event) != self._round:
            self._round_over()
            self._round = round_of(event)
        self._check_round(event)
        self.wagers.none_stand("in a free hand")
        self.wagers.open, self.wagers.free = False, True

    def _betting_closed(self, event: Json) -> None:
        self.wagers.closed(event)
        self.duty.wagers_closed(event)

    def _alert_raised(self, event: Json) -> None:
        self.alerts.raised(event)
        self.duty.alert(event)
        self.disputes.alert_raised(event["alert"])
        self.shoes.alert_raised(event["alert"])

    def _alert_ended(self, event: Json) -> None:
        self.alerts.ended(event)
        cleared = event["alert"]["kind"] == "late_wager" and event["cause"]["code"] == "ended_by_person"
        if cleared and self.says_difference and self.says_all and not self.wagers.free:
            self.wagers.history.check_late(event["alert"]["detail"]["seats"], self.wagers.standing)
        self.cards.held_are_burned = False

    def _round_over(self) -> None:
        if self._round is not None and (self.cards.hand or self.cards.undecided):
            raise MismatchError(f"round {self._round} is over, with neither a result nor a void")
        self.cards.clear_table()
        self._round = None

    def _round_voided(self, event: Json) -> None:
        self._check_round(event)
        self.voided.add(round_of(event))
        before = self._settled.get(round_of(event)) if not event["replay"] and self.says_difference else None
        check_difference(event["difference"], None if before is None else difference(before.rows, ()), event)
        self.cards.clear_table()
        self.wagers.voided(event)
        self.duty.voided(replay=event["replay"])
        self._round = self._round if event["replay"] else None

    def _check_round(self, event: Json) -> None:
        if round_of(event) != self._round:
            raise MismatchError(f"{event} is about another round than the one under way, {self._round}")

    def _wagers_changed(self, event: Json) -> None:
        self._check_round(event)
        self.wagers.changed(event)

    def _wagers_corrected(self, event: Json) -> None:
        self._check_round(event)
        self.wagers.corrected(event)
        if self._act is not None and self._act["act"] in ("set_wager", "move_wager"):
            check_correction(event, self._act)
            for seat in event["seats"]:
                if not self.duty.waits:
                    self.wagers.history.decided(seat, self._act["wager"], self.wagers.standing.get(seat, ()))
                else:
                    self.wagers.history.changed(seat, event["time"], self.wagers.standing.get(seat, ()))

    def _card_dealt(self, event: Json) -> None:
        self._check_round(event)
        if self._due_is_known:
            check_none_passed_over(event, self.cards.passed_over(event))
        self.cards.dealt(event)
        self.duty.card()

    def check_corrected(self) -> None:
        """A card of the round was corrected: what that means for the others has followed."""
        if self._due_is_known:
            check_none_left_aside(self.cards.due_aside)

    @property
    def _due_is_known(self) -> bool:
        """Whether it is certain which extra card was due in truth, and the shoe's rules give it its place."""
        order_is_known = ORDER_LOST.isdisjoint(alert.kind for alert in self.alerts.standing.values())
        return "shown_card" in self._rules and self.takes_due_place and order_is_known

    def _cards_assigned(self, event: Json) -> None:
        self._check_round(event)
        check_who_assigned(event, self._act)
        self.cards.assigned(event)

    def _card_discarded(self, event: Json) -> None:
        self._check_round(event)
        check_discarded(event, self._act, self._rules)
        self.cards.discarded(event)
        self.shoes.card_discarded(event)

    def _card_set_aside(self, event: Json) -> None:
        self.cards.set_aside(event)
        # A card of a shoe that is proven bad begins no round.
        out_of_play = event["why"]["code"] == "from_bad_shoe"
        if not of_earlier_round(event) and not self._before_round(event) and not out_of_play:
            self.duty.card()

    def _before_round(self, event: Json) -> bool:
        """Whether it is an extra card that came between two rounds, and begins none."""
        return event["why"]["code"] == "one_too_many" and not self.cards.hand

    def _card_burned(self, event: Json) -> None:
        self.cards.burned(event)
        if not self.cards.held_are_burned:
            self.duty.burned(event)

    def _person_acted(self, event: Json) -> None:
        act = event["act"]
        self.duty.acted(event)
        card_is_out = bool(self.cards.hand or self.cards.undecided)
        check_two(event, card_is_out=card_is_out, finished=self.finished_takes_two and self._finished)
        self.acts[act["act"]] += 1
        self._act = act
        if act["act"] in NAMING_ACTS:
            self.cards.name(act["number"], act["card"])
        if act["act"] == ASSIGNS:
            self.cards.name_in_order([card["card"] for card in act["cards"]])
        cleared = self.alerts.standing.get(act["alert"]) if act["act"] == "clear_alert" else None
        self.cards.held_are_burned = cleared is not None and cleared.kind == "shoe_change_unconfirmed"
        enters = act["act"] in ENTERING_ACTS and not act.get("cut_card")
        self.cards.enters = event["person"] if enters else None

    @property
    def _finished(self) -> bool:
        """Whether the round is complete by the cards that were published, or had a result that was undone."""
        lie = [(laid.hand, laid.record.card) for laid in self.cards.hand]
        return self._round in self._undone_results or is_whole(lie)

    # --- what follows from an act ------------------------------------------------------------------------------------

    def _followed(self, acted: Json, event: Json) -> None:
        """An event that follows from an act at once."""
        self._after_acts[event["fact"]](event, acted)

    # --- results -----------------------------------------------------------------------------------------------------

    def _round_result(self, event: Json) -> None:
        key = round_of(event)
        self._check_round(event)
        self.duty.named(event)
        self.shoes.check_good(event)
        if self.alerts.stopping:
            raise MismatchError(f"round {key} has a result while {self.alerts.stopping} stand")
        if key in self.results or any(shoe == key[0] and number > key[1] for shoe, number in self.results):
            raise MismatchError(f"round {key} has a result again, or after a later round")
        if event["replaces"] != self._undone_results.get(key):
            raise MismatchError(f"the result of {key} replaces {event['replaces']}, not what was undone")
        if self.cards.undecided:
            raise MismatchError(f"round {key} has a result while cards lie aside: {self.cards.undecided}")
        seen = self._without_wagers and self.cards.begun_with_seen
        check_no_wagers(event, seen=seen, wagers=bool(self.wagers.all_standing))
        played = self._played(key)
        outcome = event["outcome"]
        self._check_outcome(key, outcome, played, self.wagers.house)
        cards = () if self.cards.lacks_one else tuple(self.cards.hand)
        self.results[key] = StandingResult(event["seq"], played, outcome["winner"], self.wagers.house, cards=cards)
        # Not before: a shoe that discloses faces late may mean a card of the next round, which lies aside until then.
        for laid in self.cards.hand:
            laid.record.check_face()
        self._last, self._round = key, None
        self.cards.round_has_result()

    def _played(self, key: RoundKey) -> Round:
        faces = [laid.record.card for laid in self.cards.hand]
        known = [face for face in faces if face is not None]
        if len(known) < max(FEWEST_CARDS, len(faces)):
            raise MismatchError(f"round {key} has a result on too few cards, or on one that is not known: {faces}")
        played = dealt([*known, *NOT_NEEDED])
        if not is_whole([(laid.hand, laid.record.card) for laid in self.cards.hand]):
            raise MismatchError(f"round {key} has a result; {known} are no whole round as they lie")
        return played

    def _check_outcome(self, key: RoundKey, outcome: Json, played: Round, house: HouseRules | None) -> None:
        naturals = {side: len(cards) == 2 and total in (8, 9) for side, cards, total in _sides(played)}
        right = {
            side: {"cards": list(cards), "total": total, "natural": naturals[side]}
            for side, cards, total in _sides(played)
        }
        published = {side: {field: outcome[side][field] for field in right[side]} for side in right}
        winner = "tie" if played.tie else "player" if played.p > played.b else "banker"
        if published != right or outcome["winner"] != winner:
            raise MismatchError(f"round {key} is {outcome['winner']} with {published}; it is {winner} with {right}")
        for wager, rule in ({} if house is None else house.prices).items():
            price = rule(played)
            result = "lose" if price is LOSE else "push" if price == PUSH else "win"
            pays = odds_text(price) if price else None
            stated = outcome["wagers"][wager]
            if (stated["result"], stated.get("pays")) != (result, pays):
                raise MismatchError(f"{wager} is {stated} in round {key}; it should be {result} {pays}: {played}")

    def _result_undone(self, event: Json) -> None:
        undone = None if self._last is None else self.results.pop(self._last, None)
        self.shoes.undone(event)
        self.disputes.shoe_goes_on()
        if undone is None or self._last is None or event["replaces"] != undone.seq or round_of(event) != self._last:
            raise MismatchError(f"{event} undoes something else than the last result, {undone}")
        self._undone_results[self._last] = undone.seq
        self.cards.lay_again()
        self._round = self._last
        self._undone = undone
        self.wagers.open = False

    # --- settlements -------------------------------------------------------------------------------------------------

    def _round_settled(self, event: Json) -> None:
        key, result = round_of(event), self.results.get(round_of(event))
        if result is None or result.seq != event["seq"] - 1:
            raise MismatchError(f"round {key} is settled, and its result is not the event before")
        if event["replaces"] != self._undone_settlements.get(key):
            raise MismatchError(f"the settlement of {key} replaces {event['replaces']}, not what was undone")
        self.results[key] = result._replace(settlement=event["seq"])
        self.settlements += 1
        self.wagers.settle(*key, event["settlement"], result.played)
        first = key not in self._undone_settlements
        again = self.says_all and key in self._undone_results if first else self.says_difference
        before = None if first else self._settled.get(key)
        if self.wagers.last is not None:
            self._settled[key] = self.wagers.last
            old, new = () if before is None else before.rows, self.wagers.last.rows
            check_difference(event["difference"], difference(old, new) if again else None, key)

    def _round_amended(self, event: Json) -> None:
        act, key = self._act, (event["of_shoe"], event["of_round"])
        result = self.results.get(key)
        if act is None or act["act"] != "amend_round" or (act["shoe"], act["round"]) != key or result is None:
            raise MismatchError(f"{event} amends a round that has no result, or another one than was said: {act}")
        if (event["replaces"], event["replaces_settlement"]) != (result.seq, result.settlement):
            raise MismatchError(f"the amendment of {key} replaces {event['replaces']}, not {result}")
        played = amended_round(result.played, act)
        before = self._settled.get(key) if result.settlement is not None else None
        self._check_outcome(key, event["old_outcome"], result.played, result.house)
        self._check_outcome(key, event["outcome"], played, result.house)
        old_rows = None if event["old_settlement"] is None else tuple(rows_of(event["old_settlement"]))
        if old_rows != (None if before is None else before.rows):
            raise MismatchError(f"the amendment of {key} has another settlement before than {before}")
        if old_rows is not None:
            check_settlement(event["old_settlement"], old_rows, result.house)
        again = None
        if event["settlement"] is not None:
            old = before or SettledBefore((), "", result.house)
            again = self.wagers.settle_again(event["settlement"], played, old, act)
            self.settlements += before is None
            self._settled[key] = again
            check_difference(event["difference"], difference(old.rows, again.rows), event)
            marked = marked_difference(before, again)
            check_difference(event["commission"], marked, event)
            self.wagers.commission.change(event, marked)
        elif before is not None or act["wagers"] or event["difference"] or event["commission"]:
            raise MismatchError(f"{event} forgets wagers: {before}")
        seq, winner = event["seq"], event["outcome"]["winner"]
        cards = () if act["cards"] else result.cards
        self.results[key] = StandingResult(seq, played, winner, result.house, None if again is None else seq, cards)
        self.shoes.amended(event, on_record=key == self._last)
        if key == self._last:
            self.wagers.last = again
            faces = {"player": list(played.player), "banker": list(played.banker)}
            for laid in self.cards.last_hand:
                laid.record.card = faces[laid.hand].pop(0)
                if any(card["number"] == 1 + self.cards.last_hand.index(laid) for card in act["cards"]):
                    laid.record.named, laid.record.said = True, laid.record.card

    def _settlement_undone(self, event: Json) -> None:
        undone, self._undone = self._undone, None
        if undone is None or undone.settlement is None or event["replaces"] != undone.settlement:
            raise MismatchError(f"{event} undoes something else than the last settlement, of {undone}")
        self._undone_settlements[round_of(event)] = undone.settlement
        self.settlements -= 1
        self.wagers.undo(event)


def _of_old_journal(result: StandingResult) -> StandingResult:
    return result._replace(seq=0, settlement=None if result.settlement is None else 0)


def _sides(played: Round) -> tuple[tuple[str, tuple[str, ...], int], ...]:
    return ("player", played.player, played.p), ("banker", played.banker, played.b)
