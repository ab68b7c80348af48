"""Cards where the rules put them: assigned, discarded, carried, burned; by the drawing rules of this folder."""

from collections.abc import Sequence

from simulator.reckoner.drawing import burns, next_hands
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.recorded_cards import CardInHand, RecordedCard

ASSIGNS = "assign_cards"
"""The act by which a person says where the cards of the round belong, and what some of them are."""


def placed(
    event: Json, order: Sequence[RecordedCard], *, extras_wait: bool = False
) -> tuple[list[CardInHand], list[RecordedCard]]:
    """These cards as the event lays them, and those that are extra; in another order, or elsewhere, they cannot lie.

    `extras_wait`: one that was burned left before them, and takes its place first.
    """
    places = event["places"]
    if len(places) + event["extra_cards"] != len(order):
        raise MismatchError(f"{event} is about {len(order)} cards: {order}")
    hand: list[CardInHand] = []
    for number, (place, record) in enumerate(zip(places, order, strict=False), 1):
        possible = next_hands([(laid.hand, laid.record.face_for_rules) for laid in hand])
        said = record.said if record.named else record.card
        if place["number"] != number or place["hand"] not in possible:
            raise MismatchError(f"card {number} of {event} does not belong there: {possible}")
        if None not in (place["card"], said) and place["card"] != said:
            raise MismatchError(f"card {number} of {event} is {said}")
        if event.get("person") is None and None not in (place["card"], record.card) and place["card"] != record.card:
            raise MismatchError(f"card {number} of {event} was published as {record.card}, and nobody corrected it")
        if place.get("entered_by") != record.entered_by:
            raise MismatchError(f"{place} is published of a card that was entered by {record.entered_by}")
        record.card = place["card"] or record.card
        record.assigned = record.assigned or record.place != place["hand"]
        record.place = place["hand"]
        hand.append(CardInHand(place["hand"], record, event["seq"]))
    extra = list(order[len(places) :])
    if extra and not extras_wait and next_hands([(laid.hand, laid.record.face_for_rules) for laid in hand]):
        raise MismatchError(f"{event} leaves cards over, and one is due: {extra}")
    return hand, extra


def check_replaced(event: Json, last: int) -> None:
    """A card that is corrected or discarded names the last event about it."""
    if event.get("replaces") not in (None, last):
        raise MismatchError(f"{event} is about a card whose last event is {last}")


def check_burns(event: Json, first: str | None) -> None:
    """As many cards are burned as the first one says, also when it is corrected."""
    if first is not None and event["to_burn"] not in (None, burns(first)):
        raise MismatchError(f"{first} burns {burns(first)} cards: {event}")


def check_taken_back(event: Json, back: Sequence[RecordedCard]) -> None:
    if len(back) != event["taken_back"]:
        raise MismatchError(f"{event} takes back more cards than were burned or carried: {back}")


def check_none_passed_over(event: Json, passed: Sequence[RecordedCard]) -> None:
    """After a correction, the card that was drawn first is the one that is due."""
    if passed:
        raise MismatchError(f"{event} takes the place of a card that was drawn before: {passed}")


def check_none_left_aside(due: Sequence[RecordedCard]) -> None:
    if due:
        raise MismatchError(f"after a correction, these cards lie aside and the first of them is due: {due}")


def check_who_assigned(event: Json, act: Json | None) -> None:
    by_person = act is not None and act["act"] == ASSIGNS
    if by_person != (event["person"] is not None):
        raise MismatchError(f"{event} follows {act}")


def check_discarded(event: Json, act: Json | None, rules: Json) -> None:
    said = None if act is None else (act["act"], act.get("number"), act.get("cause"))
    wanted = ("discard_card", event["place"]["number"], event["cause"])
    if said != wanted or rules.get("discarded_card") != "next_card":
        raise MismatchError(f"{event} follows {act}, or the house does not discard: {rules}")


def check_no_wagers(event: Json, *, seen: bool, wagers: bool = True) -> None:
    """A free hand has no wagers, and a card that everyone has seen begins no round with wagers."""
    if wagers and (seen or event.get("free")):
        raise MismatchError(f"{event}: a free hand, or everyone had seen the card that begins it, and it has wagers")
