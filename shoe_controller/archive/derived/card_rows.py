"""Facts about the cards of a round."""

from collections.abc import Iterator
from itertools import zip_longest

from firmware_protocol.cards import Card
from shoe_controller.archive.derived.round_rows import about_round
from shoe_controller.archive.derived.rows import Replaced, Rows, as_text, line_head
from shoe_controller.archive.derived.tables import CARD
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.facts import (
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardPlace,
    CardsAssigned,
    CardSetAside,
    CardsShown,
    ExtraCardDecided,
    Standing,
)

HAND = "hand"
"""The place of a card in one of the two hands."""

NOT_DUE = "not_due"
"""It lies where the rules do not allow one."""


def _reason(number: int, hand: Side) -> str:
    """Why a card that is due was drawn, which its place says; the totals that decided it are those of the cards."""
    if number <= 4:
        return "first_card" if number <= 2 else "second_card"
    if hand is Side.PLAYER:
        return "player_draws"
    return "banker_draws" if number == 5 else "banker_draws_after_third"


def _lay(  # noqa: PLR0913 - the parts of a row, each given by name
    rows: Rows,
    event: ArchivedEvent,
    line: int,
    *,
    place: CardPlace,
    standing: Standing | None,
    where: str = HAND,
    why: str | None = None,
    carried: bool = False,
) -> None:
    rows.add(
        CARD,
        line_head(event, line),
        place=where,
        number=place.number,
        hand=place.hand.value,
        face=None if place.card is None else place.card.value,
        why=why or _reason(place.number, place.hand),
        entered_by=as_text(place.entered_by),
        carried=carried,
        fact=event.fact,
        player_total=None if standing is None else standing.player_total,
        banker_total=None if standing is None else standing.banker_total,
    )


def take_up(rows: Rows, event: ArchivedEvent, number: int | None = None, of: tuple[int, int] | None = None) -> None:
    """The cards that lay in the hands, or the one of that number, are replaced."""
    shoe, round_ = of or (event.shoe, event.round)
    having: dict[str, object] = {"place": HAND} if number is None else {"place": HAND, "number": number}
    rows.replaced.append(Replaced(CARD, event.journal_id, shoe, round_, event.seq, having))


def dealt(event: ArchivedEvent, fact: CardDealt, rows: Rows) -> None:
    about_round(event, rows)
    if fact.moved:
        for number in sorted({place.number for place in (fact.place, *fact.moved)}):
            take_up(rows, event, number)
    why = NOT_DUE if fact.standing.why is None else None
    _lay(rows, event, 1, place=fact.place, standing=fact.standing, why=why, carried=fact.carried)
    for line, place in enumerate(fact.moved, 2):
        _lay(rows, event, line, place=place, standing=fact.standing)


def shown(event: ArchivedEvent, fact: CardsShown, rows: Rows) -> None:
    about_round(event, rows)
    for line, place in enumerate(fact.places, 1):
        take_up(rows, event, place.number)
        _lay(rows, event, line, place=place, standing=fact.standing)


def corrected(event: ArchivedEvent, fact: CardCorrected, rows: Rows) -> None:
    about_round(event, rows, corrections=1)
    take_up(rows, event, fact.place.number)
    _lay(rows, event, 1, place=fact.place, standing=fact.standing)


def assigned(event: ArchivedEvent, fact: CardsAssigned, rows: Rows) -> None:
    about_round(event, rows, corrections=1)
    take_up(rows, event)
    for line, place in enumerate(fact.places, 1):
        _lay(rows, event, line, place=place, standing=fact.standing)


def discarded(event: ArchivedEvent, fact: CardDiscarded, rows: Rows) -> None:
    about_round(event, rows, corrections=1)
    take_up(rows, event)
    _lay(rows, event, 1, place=fact.place, standing=None, where="discarded", why=fact.cause.value)
    for line, place in enumerate(fact.places, 2):
        _lay(rows, event, line, place=place, standing=fact.standing)


def set_aside(event: ArchivedEvent, fact: CardSetAside, rows: Rows) -> None:
    face = None if fact.card is None else fact.card.value
    rows.add(
        CARD,
        line_head(event, 1),
        place="aside",
        face=face,
        why=fact.why.code,
        entered_by=as_text(fact.entered_by),
        carried=False,
        fact=event.fact,
    )


def decided(event: ArchivedEvent, fact: ExtraCardDecided, rows: Rows) -> None:
    about_round(event, rows, extra_burned=fact.burned)


def lie_as_amended(event: ArchivedEvent, of: tuple[int, int], outcome: RoundOutcome, rows: Rows) -> None:
    """The cards of a round that was settled again, as they were in truth."""
    take_up(rows, event, of=of)
    for number, (hand, card) in enumerate(_in_order(outcome), 1):
        rows.add(
            CARD,
            line_head(event, number, of),
            place=HAND,
            number=number,
            hand=hand.value,
            face=card.value,
            why=_reason(number, hand),
            carried=False,
            fact=event.fact,
            player_total=outcome.player.total,
            banker_total=outcome.banker.total,
        )


def _in_order(outcome: RoundOutcome) -> Iterator[tuple[Side, Card]]:
    """The cards in the order of the draw."""
    for player, banker in zip_longest(outcome.player.cards, outcome.banker.cards):
        if player is not None:
            yield Side.PLAYER, player
        if banker is not None:
            yield Side.BANKER, banker
