"""The cards that events report: those that left the shoe, each once and in order, and those that lie in the hands."""

from collections.abc import Sequence

from simulator.reckoner.drawing import FEWEST_CARDS, next_hands
from simulator.reckoner.mismatch import Json, MismatchError, round_of
from simulator.reckoner.placing import check_burns, check_replaced, check_taken_back, placed
from simulator.reckoner.recorded_cards import ASIDE, BURN, COUNTED, CardInHand, RecordedCard


def of_earlier_round(event: Json) -> bool:
    """Whether a card set aside is of none of the rounds since: it left while the table was dealt by hand."""
    return bool(event["why"]["code"] == "not_entered")


class CardBook:
    def __init__(self) -> None:
        self.cards: list[RecordedCard] = []
        """All that left the shoe, in the order of the draw."""
        self.added: list[RecordedCard] = []
        """Those that the events of the last entry put on record."""
        self.enters: str | None = None
        """A person who has just entered a card."""
        self.hand: list[CardInHand] = []
        """Those in the hands, in the order in which they were dealt."""
        self.last_hand: list[CardInHand] = []
        """Those of the round whose result was published last."""
        self._last_was = (False, False, False, False)
        """Whether it was corrected or rearranged, began with a card that everyone had seen, or lacks a card."""
        self.first: RecordedCard | None = None
        """The first card of the shoe, which is shown."""
        self._burned = 0
        self._set_aside: list[RecordedCard] = []
        """Extra cards and strays of the round under way."""
        self._carried: RecordedCard | None = None
        """An extra card that lies ready as the first of the next round."""
        self._burned_extras: list[RecordedCard] = []
        """Extra cards that were burned since the last round began."""
        self.was_corrected = False
        """A card of the round was corrected,"""
        self.rearranged = False
        """or cards were assigned or discarded: the shoe does not know of it."""
        self.held_are_burned = False
        """A supervisor says that cards which waited are of the old shoe: they are burned, whatever the shoe says."""
        self.begun_with_seen = False
        """The round began with an extra card that everyone had seen."""
        self.lacks_one = False
        """A card of the round was discarded, which lies in it for the shoe."""
        self.decisions_stay = False
        """An extra card that was burned while one was due stays burned, whatever is corrected."""
        self._first_seq = 0
        """The event that reported the first card last."""
        self._first_corrected = False

    def shoe_opened(self) -> None:
        self.first, self._burned, self._carried = None, 0, None
        self._burned_extras, self._first_corrected = [], False
        self.clear_table()

    def clear_table(self) -> None:
        self.hand, self._set_aside = [], []
        self.was_corrected = self.rearranged = self.begun_with_seen = self.lacks_one = False

    def round_has_result(self) -> None:
        """The round is over: of a bad shoe, no other one follows that would clear the table."""
        self.last_hand = self.hand
        self._last_was = self.was_corrected, self.rearranged, self.begun_with_seen, self.lacks_one
        self.clear_table()

    def lay_again(self) -> None:
        """The last result was undone: the cards of its round lie on the table."""
        self.hand, self._set_aside = list(self.last_hand), []
        self.was_corrected, self.rearranged, self.begun_with_seen, self.lacks_one = self._last_was

    @property
    def carries_seen(self) -> bool:
        """Whether a card lies ready for the next round that everyone has seen."""
        return self._carried is not None and self._carried.card is not None

    @property
    def undecided(self) -> list[RecordedCard]:
        """Cards that lie aside, and for which it is not decided whether they are burned or used."""
        return self._set_aside

    def name(self, number: int, face: str | None) -> None:
        """A person says what a card is: the one with that number in the round, or with 0 the first card of the shoe."""
        record = self.first if number == 0 else self.hand[number - 1].record if number <= len(self.hand) else None
        if record is not None:
            record.named, record.said = True, face or record.said

    def name_in_order(self, faces: Sequence[str | None]) -> None:
        """A person says what the cards of the round are, in the order of the draw; `None` leaves one as it is."""
        for record, face in zip(self.order(), faces, strict=False):
            if face is not None:
                record.named, record.said = True, face

    def order(self, *more: RecordedCard) -> list[RecordedCard]:
        """The cards of the round, and these, in the order of the draw."""
        there = {id(record) for record in (*(laid.record for laid in self.hand), *self._set_aside, *more)}
        return [record for record in self.cards if id(record) in there]

    # --- cards that leave the shoe -----------------------------------------------------------------------------------

    def burned(self, event: Json) -> None:
        check_replaced(event, self._first_seq)
        if self.first is None and event["burned"] == 0:
            self.first = self._add(BURN, event["card"], event)
            self._first_seq = event["seq"]
        elif self.first is not None and event["card"] is not None:
            # The first card could not be read, and is named after all; or it is corrected.
            self.first.card, self._first_seq = event["card"], event["seq"]
            self._first_corrected = self._first_corrected or event.get("replaces") is not None
        else:
            for _ in range(event["burned"] - self._burned):
                # Once the first card is corrected, the shoe does not know how many are burned.
                self._add(BURN, None, event).assigned = self._first_corrected
            self._burned = event["burned"]
        if self.held_are_burned:
            for record in self.added:
                record.assigned = True
        check_burns(event, None if self.first is None else self.first.card)

    def set_aside(self, event: Json) -> None:
        record = self._add(ASIDE, event["card"], event)
        if not of_earlier_round(event):
            self._set_aside.append(record)
            record.stray = event["why"]["code"] != "one_too_many"

    def counted(self, event: Json) -> None:
        self._add(COUNTED, event["card"], event)

    def extra_decided(self, event: Json) -> None:
        extras = [record for record in self._set_aside if not record.stray]
        if self._carried is not None and not extras and (event["burned"], event["used"]) == (1, False):
            # What was to begin the next round is burned after all.
            self._burned_extras, self._carried = [self._carried, *self._burned_extras], None
            self._burned += 1
            return
        if event["burned"] + event["used"] != len(extras):
            raise MismatchError(f"{event} decides on other cards than the {len(extras)} that are extra")
        if event["used"]:
            self._carried = extras[0]
        self._burned += event["burned"]
        burned = extras[1:] if event["used"] else extras
        for record in burned:
            record.declined = self._one_is_due if self.decisions_stay else False
        self._burned_extras += burned
        self._set_aside = [record for record in self._set_aside if record.stray]

    def is_carried(self, event: Json) -> bool:
        """Whether this deals the card that lies ready as the first of the round: it came on record when it left."""
        return self._carried is not None and event["fact"] == "card_dealt" and event["place"]["number"] == 1

    def dealt(self, event: Json) -> None:
        place = event["place"]
        if event.get("moved") or self._belongs_before_others(event):
            self._entered_before(event)
            return
        if place["number"] != len(self.hand) + 1:
            raise MismatchError(f"card {place['number']} of the round follows card {len(self.hand)}")
        carried = self._carried
        if carried is None and event.get("carried") and self._burned_extras:
            carried, self._burned = self._burned_extras[0], self._burned - 1
        if carried is not None and not self.hand:
            record, self._carried = carried, None
            self.begun_with_seen = record.card is not None
            record.card = place["card"] or record.card
        else:
            record = self._add(place["hand"], place["card"], event, place.get("entered_by"))
            record.assigned = self.rearranged or (self._first_corrected and event["round"] == 1)
            record.due_in_truth, record.burned_by_shoe = self.was_corrected, self._first_corrected
        self._burned_extras = [] if not self.hand else self._burned_extras
        self._check_entry(place, record)
        self.hand.append(CardInHand(place["hand"], record, event["seq"]))

    def assigned(self, event: Json) -> None:
        """Cards lie where the rules put them; an extra card that was burned or carried may be one of them."""
        aside = [record for record in (self._carried, *self._burned_extras) if record is not None]
        decided = {id(record) for record in aside if not record.declined}
        back = [record for record in self.cards if id(record) in decided][: event["taken_back"]]
        check_taken_back(event, back)
        order = self.order(*back)
        self._lay(event, order, extras_wait=self._burned_before_extras(event, order))
        taken = {id(record) for record in back}
        self._carried = None if id(self._carried) in taken else self._carried
        left = [record for record in self._burned_extras if id(record) not in taken]
        self._burned -= len(self._burned_extras) - len(left)
        self._burned_extras = left

    def discarded(self, event: Json) -> None:
        laid = self._at(event["place"])
        check_replaced(event, laid.seq)
        if event["place"]["card"] != laid.record.card:
            raise MismatchError(f"{event} discards another card than {laid.record}")
        others = [record for record in self.order() if record is not laid.record]
        self._lay(event, others, extras_wait=self._burned_before_extras(event, others))
        self.lacks_one = True

    def _burned_before_extras(self, event: Json, others: Sequence[RecordedCard]) -> bool:
        """Whether a burned or carried card of the round left between those that the event lays and the extra ones."""
        laid = len(event["places"])
        first = next((id(record) for record in others[laid:]), None)
        last = next((id(record) for record in others[max(laid - 1, 0) : laid]), None)
        aside = [record for record in (*self._burned_extras, self._carried) if record is not None]
        burned = {id(record) for record in aside if not record.declined}
        found = False
        for record in self.cards:
            if id(record) == first:
                return found
            found = id(record) != last and (found or (id(record) in burned and record.where == round_of(event)))
        return False

    def _lay(self, event: Json, order: Sequence[RecordedCard], *, extras_wait: bool = False) -> None:
        self.hand, self._set_aside = placed(event, order, extras_wait=extras_wait)
        for record in order:
            record.stray = False
        self.rearranged = True

    def passed_over(self, event: Json) -> list[RecordedCard]:
        """After cards were put right: extra cards of the round that were drawn before this one, and so were due."""
        if (
            not (self.was_corrected or self.rearranged)
            or not self.hand
            or event.get("carried")
            or event["place"].get("entered_by")
        ):
            return []
        extra = {id(record) for record in (*self._set_aside, *self._burned_extras, self._carried)}
        last = max(at for at, record in enumerate(self.cards) if record is self.hand[-1].record)
        passed, between = [], self.decisions_stay
        for record in self.cards[last + 1 :]:
            is_extra = id(record) in extra
            # One that was drawn directly after a round was due in it, if any was.
            if is_extra and record.declined is False and (record.where == round_of(event) or between):
                passed.append(record)
            between = between and is_extra
        return passed

    @property
    def _one_is_due(self) -> bool | None:
        """Whether a card of the round is due, by the faces that were published; `None` if those do not tell."""
        laid = [(laid.hand, laid.record.said or laid.record.card) for laid in self.hand]
        if not laid:
            return None
        if len(laid) < FEWEST_CARDS:
            return True
        return None if any(face is None for _, face in laid) else bool(next_hands(laid))

    @property
    def due_aside(self) -> list[RecordedCard]:
        """Extra cards of the round, the first of which the rules give to a hand, by the faces that were published."""
        laid = [(laid.hand, laid.record.said or laid.record.card) for laid in self.hand]
        if any(face is None for _, face in laid) or any(record.stray for record in self._set_aside):
            return []
        last = next((at for at, record in enumerate(self.cards) if self.hand and record is self.hand[-1].record), -1)
        later = [record for record in self.cards[last + 1 :] if any(record is aside for aside in self._set_aside)]
        return later if next_hands(laid) else []

    def _belongs_before_others(self, event: Json) -> bool:
        return event["place"].get("entered_by") is not None and event["place"]["number"] <= len(self.hand)

    def _entered_before(self, event: Json) -> None:
        """A card that left unseen takes its place in the order of the draw; those after it move on by one."""
        place, moved = event["place"], event["moved"]
        number = place["number"]
        there = {id(record) for record in (*(laid.record for laid in self.hand), *self._set_aside)}
        order = [record for record in self.cards if id(record) in there]
        kept, later = self.hand[: number - 1], order[number - 1 :]
        pairs = list(zip(moved, later, strict=False))
        places = [(one["number"], one["card"] or record.card) for one, record in pairs]
        faces = [(number + step, record.card or one["card"]) for step, (one, record) in enumerate(pairs, 1)]
        if not later or len(moved) > len(later) or len(kept) != number - 1 or places != faces:
            raise MismatchError(f"these cards cannot have moved on by one: {event}, {order}")
        new = self._record(place["hand"], place["card"], event, place.get("entered_by"))
        self.cards.insert(next(at for at, record in enumerate(self.cards) if record is later[0]), new)
        self.hand = [*kept, CardInHand(place["hand"], new, event["seq"])]
        for one, record in pairs:
            record.place, record.card = one["hand"], one["card"] or record.card
            self._check_entry(one, record)
            self.hand.append(CardInHand(one["hand"], record, event["seq"]))
        lie = {id(laid.record) for laid in self.hand}
        self._set_aside = [record for record in self._set_aside if id(record) not in lie]

    def entered(self, face: str | None) -> None:
        """What was added last was entered by a person, who is believed as to its face."""
        for record in self.added:
            if record.entered_by is not None:
                record.named, record.said = True, face

    def _add(self, place: str, card: str | None, event: Json, entered_by: str | None = None) -> RecordedCard:
        self.cards.append(self._record(place, card, event, entered_by or event.get("entered_by")))
        return self.cards[-1]

    def _record(self, place: str, card: str | None, event: Json, entered_by: str | None) -> RecordedCard:
        """A card comes on record: whether it was entered, and by whom, is what somebody did just before."""
        enters, self.enters = self.enters, None
        if entered_by != enters:
            raise MismatchError(f"{enters} has entered a card, and {event} is published as entered by {entered_by}")
        self.added.append(RecordedCard(place, card, round_of(event), entered_by=entered_by))
        return self.added[-1]

    def _check_entry(self, place: Json, record: RecordedCard) -> None:
        if place.get("entered_by") != record.entered_by:
            raise MismatchError(f"{place} is published of a card that was entered by {record.entered_by}")

    # --- cards on the table ------------------------------------------------------------------------------------------

    def shown(self, event: Json) -> None:
        for place in event["places"]:
            laid = self._at(place)
            if place["card"] is None and laid.record.card is not None:
                raise MismatchError(f"card {place['number']} was {laid.record.card} and is published as unknown")
            laid.publish(place["card"], event["seq"])

    def corrected(self, event: Json) -> None:
        laid = self._at(event["place"])
        if event["replaces"] != laid.seq:
            raise MismatchError(f"a correction replaces event {event['replaces']}; the card's last was {laid.seq}")
        laid.publish(event["place"]["card"], event["seq"])
        self.was_corrected = True

    def _at(self, place: Json) -> CardInHand:
        number: int = place["number"]
        if not 1 <= number <= len(self.hand):
            raise MismatchError(f"there is no card {number} in the round")
        laid = self.hand[number - 1]
        if laid.hand != place["hand"]:
            raise MismatchError(f"card {number} was {laid.hand}'s and is published as {place['hand']}'s")
        self._check_entry(place, laid.record)
        return laid
