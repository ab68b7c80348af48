"""Where the cards of a shoe are, counted anew from the events; who opened the next shoe; and what a bad shoe allows."""

from collections import Counter
from collections.abc import Sequence

from simulator.reckoner.alerts import AlertBook
from simulator.reckoner.cards import CardBook
from simulator.reckoner.mismatch import Json, MismatchError, round_of
from simulator.reckoner.recorded_cards import COUNTED, RecordedCard

CARDS_IN_DECK = 52
GAPS = ("event_gap", "shoe_restarted")
"""With these, a shoe may have restarted; one of them that stands already is not raised once more."""


class ShoeBook:
    def __init__(self, cards: CardBook, alerts: AlertBook) -> None:
        self.holds = True
        """Whether the shoe was opened by a version that keeps an inventory,"""
        self.next_holds = True
        """and whether the next one is."""
        self.left_to_supervisors: bool | None = None
        """Whether the program that runs leaves the end of a shoe to supervisors, where the inputs say so."""
        self._cards = cards
        self._alerts = alerts
        self._shoe = 0
        self._decks = 0
        self._must_be_counted = False
        self._cut_card = False
        self._cut_card_entered = False
        """A person said that it came, and the shoe has not."""
        self.ends_with_supervisor = False
        """Whether the inputs say of the program that runs that a dealer ends no shoe with a cut card that a person
        entered."""
        self._ended: Json | None = None
        """The last event about the end of this shoe."""
        self._after_end = 0
        """Cards that were on record when it ended."""
        self._foreign_since = 0
        """Cards that were reported as foreign since its end, where the inputs say so; one may be of an earlier shoe."""
        self._foreign_waits = 0
        """Foreign cards that were reported and are not on record, because the round before them is not decided on."""
        self._is_counted = False
        self._counted: list[str | None] = []
        """The faces of the remainder, as far as it has come through the reader."""
        self._runs_out = False
        self._proven: str | None = None
        """What came that no correction makes good: a foreign card, or a piece that had come before."""
        self._amended: Counter[str] = Counter()
        """How amendments of earlier rounds, and cards found to be foreign, change the faces that came."""
        self._amended_since: Counter[str] = Counter()
        """How amendments since its end change the faces that were known then."""
        self._together = False
        """Cards left together outside a round: those are not on record one by one."""
        self._discarded: tuple[int, int] | None = None
        """The round from which a card was discarded: it goes on, whatever that card proves of the shoe."""

        self.keeps_events = False
        """Whether a shoe on this wire keeps what was not received, also when it restarts."""
        self._may_have_restarted = self._has_restarted = False
        """Whether an alert says that it may have restarted, or that it has."""
        self._settled_before: tuple[int, int] | None = None
        """The round whose result was taken back: it is settled again, whatever came after it."""

    def _out(self) -> list[RecordedCard]:
        return [card for card in self._cards.cards if card.where[0] == self._shoe and card.place != COUNTED]

    # --- opened ------------------------------------------------------------------------------------------------------

    def opened(self, event: Json, acted: Json | None) -> None:
        if self._shoe:
            self._check_opened(event, acted)
        self.holds = self.next_holds
        rules = event["rules"] or {}
        self._shoe, self._decks = event["shoe"], event["decks"]
        self._must_be_counted = rules.get("remainder") == "counted"
        self._cut_card = self._cut_card_entered = self._is_counted = self._runs_out = self._together = False
        self._ended = self._proven = None
        self._has_restarted = False
        self._may_have_restarted = any(alert.kind in GAPS for alert in self._alerts.standing.values())
        self._amended.clear()

    def _check_opened(self, event: Json, acted: Json | None) -> None:
        """A dealer ends no shoe before the cut card, and opens none beside what a supervisor has to look at."""
        early = self._ended is not None and self._ended["cause"]["code"] == "next_shoe_opened" and not self._cut_card
        early |= self._cut_card_entered and self.ends_with_supervisor
        beside = [
            alert.kind
            for alert in self._alerts.standing.values()
            if alert.stops and alert.event["alert"]["cleared_by"] != "dealer"
        ]
        supervised = self.holds if self.left_to_supervisors is None else self.left_to_supervisors
        if supervised and (early or beside) and (acted is None or acted["role"] != "supervisor"):
            raise MismatchError(f"{event} follows {acted}, before the cut card of {self._shoe} or beside {beside}")
        if self._runs_out:
            raise MismatchError(f"{event} while the cards of shoe {self._shoe} are being counted")
        if self._must_be_counted and self._ended is not None and self._ended["cards_out"] and not self._is_counted:
            raise MismatchError(f"{event}, and the cards that were left in shoe {self._shoe} were not counted")

    def cut_card_out(self, event: Json) -> None:
        self._cut_card = True
        self._cut_card_entered = event.get("entered_by") is not None

    def cut_card_reported(self) -> None:
        self._cut_card_entered = False

    def alert_raised(self, alert: Json) -> None:
        detail = alert["detail"] or {}
        problem = detail.get("problem", alert["kind"])
        if problem in ("foreign_card", "card_twice"):
            self._proven = problem
        self._together |= alert["kind"] == "bad_card_out_of_round" and detail.get("code") == "cards_together"
        between = alert["kind"] == "restarted_between_rounds"
        self._has_restarted |= between or (alert["kind"] == "event_gap" and detail.get("code") == "shoe_restarted")
        self._may_have_restarted |= between or alert["kind"] in GAPS

    def foreign_reported(self, event: Json, events: Sequence[Json]) -> None:
        """The shoe reported something; `events` is what the table made of it."""
        if "foreign_card" in (event["event"], event.get("code")):
            self._foreign_since += 1
            self._foreign_waits += not events

    def card_discarded(self, event: Json) -> None:
        self._discarded = round_of(event)
        if event["cause"] == "foreign":
            self._proven = "foreign_card"
            if event["place"]["card"] is not None:
                # It is none of the decks' own faces.
                self._amended[event["place"]["card"]] -= 1

    # --- ended -------------------------------------------------------------------------------------------------------

    def ended(self, event: Json) -> None:
        self._ended, self._is_counted = event, False
        if event["cause"]["code"] == "ended_early":
            self._cut_card_entered = False  # a supervisor ended it
        self._amended_since.clear()
        # Those that waited when the shoe ended come on record after it.
        self._foreign_since, self._foreign_waits = self._foreign_waits, 0
        out = self._out()
        self._after_end = len(out)
        if event["cards_out"] < len(out) or (event["cards_out"] > len(out) and not self._together):
            raise MismatchError(f"{event['cards_out']} cards left the shoe when it ended, and {len(out)} are recorded")
        inventory = event.get("inventory")
        if inventory is None:
            if self.holds and event["shoe"] == self._shoe:
                raise MismatchError(f"{event} does not say where its cards are")
            return
        known = inventory["known"]
        if inventory["decks"] != self._decks or sum(known.values()) + inventory["unseen"] != event["cards_out"]:
            raise MismatchError(f"{event} does not account for all cards that came")
        if inventory["remainder"] != CARDS_IN_DECK * self._decks + inventory["foreign"] - event["cards_out"]:
            raise MismatchError(f"{event} does not account for all cards that must be left")
        uncertain = inventory.get("uncertain", False)
        may_be = self._may_have_restarted and not self.keeps_events
        if (uncertain and not may_be) or (self._has_restarted and not uncertain):
            raise MismatchError(f"{event} is uncertain, or is not, against what is known of the shoe's restarts")
        published = Counter(card.published for card in out if card.published is not None)
        published.update(self._amended)
        if any(known.get(face, 0) < times for face, times in published.items()):
            raise MismatchError(f"{event} has lost faces that were published: {published}")

    def amended(self, event: Json, *, on_record: bool) -> None:
        """A round was dealt with other cards in truth; those of the last round are put right `on_record`."""
        if event["of_shoe"] != self._shoe:
            return
        changes: Counter[str] = Counter()
        for outcome, by in ((event["old_outcome"], -1), (event["outcome"], 1)):
            for side in ("player", "banker"):
                for face in outcome[side]["cards"]:
                    changes[face] += by
        self._amended_since.update(changes)
        if not on_record:
            self._amended.update(changes)

    def undone(self, event: Json) -> None:
        """The shoe may have ended, and goes on with a result that was taken back."""
        self._is_counted = self._runs_out = False
        self._settled_before = round_of(event)

    # --- what is left ------------------------------------------------------------------------------------------------

    def run_out_begun(self, event: Json) -> None:
        self._runs_out, self._counted = True, []
        self._check_expected(event)

    def counted(self, event: Json) -> None:
        if not self._runs_out:
            raise MismatchError(f"{event}, and nobody began to count")
        self._counted.append(event["card"])
        self._cards.counted(event)
        if event["counted"] != len(self._counted):
            raise MismatchError(f"{event} is card {len(self._counted)} of the remainder")

    def remainder_counted(self, event: Json) -> None:
        self._check_expected(event)
        self._is_counted = True
        faces = event["faces"]
        wrong = faces is not None and bool(faces["extra"] or faces["duplicates"] or faces["foreign"])
        if event["fits"] != (event["found"] == event["expected"] and not wrong):
            raise MismatchError(f"{event} fits, or does not, against its own numbers")
        if (faces is not None) != self._runs_out:
            raise MismatchError(f"{event} has faces that nobody saw, or none of those that came through the reader")
        if faces is not None:
            self._check_faces(event, faces)
        self._runs_out = False

    @property
    def _since_end(self) -> int:
        """Cards that came on record since the shoe ended."""
        return len(self._out()) - self._after_end

    def _check_expected(self, event: Json) -> None:
        if self._ended is None or self._ended.get("inventory") is None:
            return
        least = self._ended["inventory"]["remainder"] - self._since_end
        if not least <= event["expected"] <= least + self._foreign_since:
            raise MismatchError(f"{event} expects another remainder; {self._since_end} cards came since {self._ended}")

    def _check_faces(self, event: Json, faces: Json) -> None:
        if event["found"] != len(self._counted):
            raise MismatchError(f"{event} counts others than the {len(self._counted)} that came")
        inventory = None if self._ended is None else self._ended.get("inventory")
        if self._ended is None or inventory is None:
            return
        off = sum(faces["missing"].values()) - sum(faces["extra"].values())
        came = self._ended["cards_out"] + self._since_end
        if off != CARDS_IN_DECK * self._decks - (came + event["found"] - faces["unseen"]):
            raise MismatchError(f"{event} does not add up")
        known = Counter(face for face in self._counted if face is not None)
        known.update(inventory["known"])
        known.update(self._amended_since)
        for face, times in known.items():
            total = self._decks + faces["extra"].get(face, 0) - faces["missing"].get(face, 0)
            if total < times:
                raise MismatchError(f"{event} has lost some of {face}")

    # --- a bad shoe --------------------------------------------------------------------------------------------------

    @property
    def is_bad(self) -> bool:
        """Whether an alert says so."""
        return any(alert.kind == "bad_shoe" for alert in self._alerts.standing.values())

    def check_good(self, event: Json) -> None:
        """Nothing is bet or settled once a face has come more often than the decks hold it, or an alert says so."""
        if not self.holds or (event["fact"] == "round_result" and round_of(event) == self._discarded):
            return
        if self.is_bad:
            raise MismatchError(f"{event} with a shoe that is proven bad")
        if event["fact"] == "round_result" and round_of(event) == self._settled_before:
            return
        self._settled_before = None
        if self._proven is not None:
            raise MismatchError(f"{event} with a shoe in which {self._proven} was found")
        faces = Counter(card.card for card in self._out() if card.card is not None)
        faces.update(self._amended)
        too_many = {face: times for face, times in faces.items() if times > self._decks}
        if too_many:
            raise MismatchError(f"{event} after {too_many} came out of {self._decks} decks")
