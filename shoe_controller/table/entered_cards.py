"""Cards that people entered, matched with what the shoe reports of the same cards: none is dealt twice.

A shoe reports its events in order, and a person enters a card after it left the shoe. So what left before an entry was
made is the card of the oldest entry that still waits; what left after it is another card, and the shoe never read the
entered one. While the table is dealt by hand, the shoe may also report a card before it is entered.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CameAgain,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCode,
    ForeignCard,
    Misread,
    ResultIndicated,
)
from shoe_controller.baccarat.sides import Side
from shoe_controller.clock.moment import Moment
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import CardProblem, EnteredDiffers, ShoeFault
from shoe_controller.messages.facts import CardBurned, CardDealt, CardSetAside, EnteredCardConfirmed
from shoe_controller.messages.phases import Phase
from shoe_controller.table.burning import bad_card_out_of_round
from shoe_controller.table.counting import Arrived, count_face_and_piece
from shoe_controller.table.dealing import SIDES, card_left, cards_left_together, first_card_left_earlier
from shoe_controller.table.dealing_on import another_has_begun
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import ShoeReport
from shoe_controller.table.judging import FIRST_FOUR
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import EnteredCard, Entry, ExtraCard, LaidCard, Shoe, TableState
from shoe_controller.table.unentered import differs, not_entered, set_aside

C = TypeVar("C", bound=LaidCard | ExtraCard)

_NS_IN_MS = 1_000_000

_CardEvent = CardDrawn | Misread | ForeignCard | DoubleFeed

TELLS_PLACES_APART = 4
"""The `REVISION` of the running program from which an entry whose report cannot come takes no other card's report."""

DATES_FIRST_CARD = 4
"""The `REVISION` of the running program from which the shoe's report tells which wagers came after a first card."""


# --- what a report is about ------------------------------------------------------------------------------------------


def is_about_entered(state: TableState, report: ShoeReport, at: Moment) -> bool:
    """Whether a report is about what people entered, or about what was dealt by hand."""
    if isinstance(report.event, CameAgain):
        return False
    happened = _happened_ns(state, report, at.mono_ns)
    if _was_by_hand(state, happened):
        return not _concerns_shoe_alone(state, report.event, happened)
    if not isinstance(report.event, _CardEvent) or _carries(report.event):
        return False
    return bool(_not_of_other_places(state, _waiting(state, happened), report.event))


def _happened_ns(state: TableState, report: ShoeReport, now: int) -> int | None:
    """When it happened; `None` before the shoe's last start, since it cannot tell how long before that was."""
    boot_id = state.lasting.link.boot_id
    if report.boot_id is not None and boot_id is not None and report.boot_id != boot_id:
        return None
    return now - report.age_ms * _NS_IN_MS


def _was_by_hand(state: TableState, happened: int | None) -> bool:
    until = state.lasting.by_hand_until_ns
    return state.lasting.hand_entry or (until is not None and (happened is None or happened < until))


def _waiting(state: TableState, happened: int | None) -> tuple[EnteredCard, ...]:
    """The entries that a card can be about that left then."""
    return tuple(entry for entry in state.lasting.entered if happened is None or happened < entry.at_ns)


def _not_of_other_places(
    state: TableState, waiting: tuple[EnteredCard, ...], event: AnyShoeEvent
) -> tuple[EnteredCard, ...]:
    """Without those that the shoe may never report, and that lie elsewhere than the card that it reports."""
    if not isinstance(event, CardDrawn | Misread | ForeignCard) or state.lasting.revision < TELLS_PLACES_APART:
        return waiting
    return tuple(
        itertools.dropwhile(
            lambda entry: (entry.may_be_missing or entry.undated) and _lies_there(state, entry, event) is False, waiting
        )
    )


def _lies_there(state: TableState, entry: EnteredCard, event: CardDrawn | Misread | ForeignCard) -> bool | None:
    """Whether the card of this entry lies where the shoe says; `None` where that cannot be told."""
    playing = state.round
    moved = playing is not None and playing.rearranged and entry.round == playing.number
    if moved or not entry.place or event.hand not in SIDES or event.position is None:
        return None
    if entry.place <= len(FIRST_FOUR):
        same = (SIDES[event.hand], event.position) == (FIRST_FOUR[entry.place - 1], (entry.place + 1) // 2)
    else:
        same = event.position > len(FIRST_FOUR) // 2 and _hand_of(state, entry) in (None, SIDES[event.hand])
    # The same place in another round is no proof that it is the same card.
    return None if same and (playing is None or entry.round != playing.number) else same


def _hand_of(state: TableState, entry: EnteredCard) -> Side | None:
    cards = () if state.round is None else state.round.cards
    return next((laid.hand for laid in cards if laid.entered and laid.entered.number == entry.number), None)


def _carries(event: AnyShoeEvent) -> bool:
    return isinstance(event, CardDrawn) and event.carried_over


def _concerns_shoe_alone(state: TableState, event: AnyShoeEvent, happened: int | None) -> bool:
    """What is judged as ever while the table is dealt by hand: nothing about cards, rounds and results."""
    match event:
        case CardDrawn() | Misread() | ForeignCard() | DoubleFeed():
            return False
        case CardIdentified() | ResultIndicated() | Burn() | CardReturned() | Fault():
            return False
        case ButtonPressed():
            return event.button is Button.CALL_SUPERVISOR
        case CutCard():
            # One that came out of the cards before is no business of these.
            return state.shoe is not None and _of_these_cards(state.shoe, happened)
    return True


def _of_these_cards(shoe: Shoe, happened: int | None) -> bool:
    """Whether it happened since the shoe was opened."""
    if happened is not None and (happened >= shoe.opened_ns or not shoe.machine_restarted):
        return happened >= shoe.opened_ns
    return shoe.reported


# --- reported after it was entered -----------------------------------------------------------------------------------


def about_entered_cards(draft: Draft, report: ShoeReport) -> bool:
    """Match a report with what people entered; whether it was about that, so that nothing more comes of it."""
    event = report.event
    if isinstance(event, CameAgain):
        return False
    happened = _happened_ns(draft.state, report, draft.now)
    _forget_unread(draft, happened)
    by_hand = _was_by_hand(draft.state, happened)
    if not by_hand:
        draft.lasting.by_hand_until_ns = None
        draft.lasting.entered = _not_of_other_places(draft.state, draft.lasting.entered, event)
    if not is_about_entered(draft.state, report, draft.at):
        return False
    match event:
        case CardDrawn() if not event.carried_over:
            _card_reported(draft, event.card, happened, event)
        case Misread():
            _card_reported(draft, None, happened, event)
        case ForeignCard():
            _card_reported(draft, event.card, happened, event)
        case DoubleFeed():
            _cards_reported(draft, event, happened, report.age_ms, by_hand=by_hand)
        case Fault() if event.code in _FAULTS_OF_SHOE:
            draft.alert(AlertKind.SHOE_FAULT, ShoeFault(fault=event.code, number=event.detail), fault=event.code.value)
    return True


_FAULTS_OF_SHOE = frozenset(
    {FaultCode.SENSOR, FaultCode.LOW_VOLTAGE, FaultCode.OVER_TEMPERATURE, FaultCode.GATE_FORCED, FaultCode.OTHER}
)
"""Shown while the table is dealt by hand, but they do not stop it. Other faults are about cards and the reader."""


def _forget_unread(draft: Draft, happened: int | None) -> None:
    """Events come in order: what was entered before this one happened is not reported any more."""
    draft.lasting.entered = _waiting(draft.state, happened)


def _card_reported(
    draft: Draft,
    card: Card | None,
    happened: int | None,
    event: CardDrawn | Misread | ForeignCard | None = None,
) -> None:
    foreign = isinstance(event, ForeignCard)
    waiting = _waiting(draft.state, happened)
    if waiting:
        entry = _entry_for(waiting, card)
        draft.lasting.entered = draft.lasting.entered[draft.lasting.entered.index(entry) + 1 :]
        _match(draft, entry, card, event)
        if happened is not None and not entry.undated and draft.lasting.revision >= DATES_FIRST_CARD:
            _date_first_card(draft, entry, happened)
    elif draft.lasting.hand_entry and not foreign and draft.phase in _CAN_BE_ENTERED:
        if not draft.lasting.unentered and draft.phase is Phase.BETTING:
            draft.round.reported_ns = happened if draft.lasting.revision >= DATES_FIRST_CARD else None
        draft.lasting.unentered = (*draft.lasting.unentered, card)
    else:
        _out_of_sight(draft, happened, foreign=foreign)


def _date_first_card(draft: Draft, entry: EnteredCard, happened: int) -> None:
    """The first card of the round left before it was entered: what was wagered in between was late."""
    if draft.phase in CARDS_OUT and entry.shoe == draft.shoe.number and entry.round == draft.round.number:
        first = next((laid.entered for laid in draft.round.cards if not laid.carried), None)
        if first is not None and first.number == entry.number:
            first_card_left_earlier(draft, happened)


_CAN_BE_ENTERED = frozenset(Phase) - {Phase.NO_SHOE, Phase.ENDED}


def _out_of_sight(draft: Draft, happened: int | None, *, foreign: bool) -> None:
    """A card left while the table was dealt by hand, and nobody entered it: it is counted, and lies in no hand."""
    shoe = draft.state.shoe
    left = draft.lasting.by_hand_until_ns if happened is None else happened
    if draft.lasting.hand_entry and shoe is None:
        card_left(draft, Arrived())
        return
    if shoe is not None and _of_these_cards(shoe, left):
        # Its face is not counted: where one was left out, each entered later was compared with the one before.
        shoe.cards_out += 1
        shoe.foreign += foreign
        shoe.last_is_foreign = foreign
        set_aside(draft)
    if foreign:
        bad_card_out_of_round(draft, CardProblem.FOREIGN_CARD)
    else:
        not_entered(draft)


def _entry_for(waiting: tuple[EnteredCard, ...], card: Card | None) -> EnteredCard:
    """The oldest; where events of the shoe are missing, the oldest with this face."""
    oldest = waiting[0]
    if not oldest.may_be_missing or card is None or oldest.card in (None, card):
        return oldest
    return next((entry for entry in waiting if entry.card is card), oldest)


def _match(
    draft: Draft, entry: EnteredCard, card: Card | None, event: CardDrawn | Misread | ForeignCard | None
) -> None:
    known, foreign = None not in (card, entry.card), isinstance(event, ForeignCard)
    of_this_shoe = draft.state.shoe is not None and draft.shoe.number == entry.shoe
    if of_this_shoe:
        draft.shoe.reported = True
    if foreign or (known and card is not entry.card):
        if foreign and of_this_shoe:
            draft.shoe.foreign += 1
            _is_foreign(draft, entry)
        differs(draft, EnteredDiffers(shoe=entry.shoe, round=entry.round, number=entry.place), str(entry.number))
        return
    if entry.undated and not _is_the_same(draft.state, entry, event):
        differs(draft, EnteredDiffers(shoe=entry.shoe, round=entry.round, number=entry.place), str(entry.number))
    if known:
        draft.emit(EnteredCardConfirmed, entered=entry.seq)
        _reported(draft, entry)
    if of_this_shoe:
        face = card if entry.card is None else None
        piece = (event.card_id, event.deck_set) if isinstance(event, CardDrawn) else (None, None)
        for problem in count_face_and_piece(draft, face, *piece):
            bad_card_out_of_round(draft, problem)
            if problem is CardProblem.FOREIGN_CARD:
                _is_foreign(draft, entry)


def _reported(draft: Draft, entry: EnteredCard) -> None:
    """The shoe has reported the card of this entry: of those that left before it, it reports none any more."""
    playing = draft.state.round
    lie: tuple[LaidCard | ExtraCard, ...]
    lie = () if playing is None else (*playing.cards, *playing.extras, *playing.strays)
    of_entry = next((one.entered for one in lie if one.entered and one.entered.number == entry.number), None)
    if of_entry is not None and draft.lasting.revision >= TELLS_PLACES_APART:
        _replace_card(draft, entry, entered=msgspec.structs.replace(of_entry, reported=True))


def _is_foreign(draft: Draft, entry: EnteredCard) -> None:
    """The card of this entry is counted as foreign, wherever it lies in the round."""
    _replace_card(draft, entry, foreign=True)


def _is_the_same(state: TableState, entry: EnteredCard, event: CardDrawn | Misread | ForeignCard | None) -> bool:
    """Whether a report is about the card that was entered, although nothing tells which left first."""
    if state.lasting.revision < TELLS_PLACES_APART or _was_by_hand(state, None):
        return True
    return event is not None and _lies_there(state, entry, event) is True


def _replace_card(draft: Draft, entry: EnteredCard, **changes: object) -> None:
    """Put down what is known now of the card of this entry, wherever it lies in the round."""
    playing = draft.state.round
    if playing is not None:
        playing.cards = _replaced(playing.cards, entry, changes)
        playing.extras = _replaced(playing.extras, entry, changes)
        playing.strays = _replaced(playing.strays, entry, changes)


def _replaced(cards: tuple[C, ...], entry: EnteredCard, changes: dict[str, object]) -> tuple[C, ...]:
    return tuple(
        msgspec.structs.replace(card, **changes)
        if card.entered is not None and card.entered.number == entry.number
        else card
        for card in cards
    )


def _cards_reported(draft: Draft, event: DoubleFeed, happened: int | None, age_ms: int, *, by_hand: bool) -> None:
    """Several cards left at once: as many as people entered are theirs."""
    waiting = len(_waiting(draft.state, happened))
    if by_hand or waiting >= event.cards:
        for _ in range(event.cards):
            _card_reported(draft, None, happened)
        return
    for _ in range(waiting):
        _card_reported(draft, None, happened)
    cards_left_together(draft, DoubleFeed(cards=event.cards - waiting), age_ms)


# --- entered ---------------------------------------------------------------------------------------------------------


def enter(draft: Draft, arrived: Arrived, person: str) -> None:
    """A person enters the card that left the shoe last; the same rules apply as to one that the shoe reports."""
    entry = new_entry(draft, person)
    before = len(draft.facts)
    card_left(draft, msgspec.structs.replace(arrived, entered=entry))
    about = [fact for fact in draft.facts[before:] if isinstance(fact, CardDealt | CardBurned | CardSetAside)][-1]
    place = about.place.number if isinstance(about, CardDealt) else 0
    await_report(draft, entry, arrived.card, place=place, seq=about.seq)


def new_entry(draft: Draft, person: str) -> Entry:
    draft.lasting.entries_made += 1
    return Entry(by=person, number=draft.lasting.entries_made)


def await_report(  # noqa: PLR0913 - which card, and where it belongs
    draft: Draft,
    entry: Entry,
    card: Card | None,
    *,
    place: int,
    seq: int,
    before: Entry | None = None,
    passed: bool = False,
) -> None:
    """The shoe has reported this card, or may report it later. A wire that repeats nothing has had its chance.

    `before` is the entry of the card that left the shoe next, where that was entered earlier. `passed`: the shoe has
    reported a card that left after this one, and its events come in order.
    """
    if passed and draft.lasting.revision >= TELLS_PLACES_APART:
        return
    lasting = draft.lasting
    entered = EnteredCard(
        number=entry.number,
        shoe=lasting.shoe_number,
        round=draft.state.round_number,
        place=place,
        card=card,
        at_ns=draft.now,
        seq=seq,
        may_be_missing=lasting.revision >= TELLS_PLACES_APART and draft.has_alert(AlertKind.EVENT_GAP),
    )
    if lasting.unentered:
        reported, *rest = lasting.unentered
        lasting.unentered = tuple(rest)
        _match(draft, entered, reported, None)
    elif lasting.link.keeps_events or not lasting.link.up:
        numbers = [waiting.number for waiting in lasting.entered]
        at = len(numbers) if before is None or before.number not in numbers else numbers.index(before.number)
        lasting.entered = (*lasting.entered[:at], entered, *lasting.entered[at:])


def has_been_reported(draft: Draft, one: LaidCard | ExtraCard) -> bool:
    """Whether the shoe has reported this card.

    Dealing by hand, where one was forgotten, its report was compared with the next: a face that is the same tells less.
    """
    return one.entered is None or (one.entered.reported and not draft.lasting.hand_entry)


def entry_corrected(draft: Draft, entry: Entry | None, card: Card) -> None:
    """A person says that another card was meant."""
    if entry is not None:
        draft.lasting.entered = tuple(
            msgspec.structs.replace(entered, card=card) if entered.number == entry.number else entered
            for entered in draft.lasting.entered
        )


def entries_moved(draft: Draft, cards: Iterable[LaidCard], aside: Iterable[LaidCard | ExtraCard] = ()) -> None:
    """Cards of the round lie at other positions than they were entered at; those aside lie in no hand."""
    places = {one.entered.number: 0 for one in aside if one.entered is not None}
    places |= {laid.entered.number: position for position, laid in enumerate(cards, 1) if laid.entered is not None}
    draft.lasting.entered = tuple(
        msgspec.structs.replace(entered, place=places.get(entered.number, entered.place))
        for entered in draft.lasting.entered
    )


def round_amended(draft: Draft, shoe: int, number: int, cards: Sequence[tuple[Card, Card]]) -> None:
    """Supervisors say what the cards of a round were: each with its old face and the new one, by position."""
    draft.lasting.entered = tuple(
        msgspec.structs.replace(entered, card=cards[entered.place - 1][1])
        if (entered.shoe, entered.round) == (shoe, number)
        and 1 <= entered.place <= len(cards)
        and entered.card is cards[entered.place - 1][0]
        else entered
        for entered in draft.lasting.entered
    )


# --- cards that nobody entered ---------------------------------------------------------------------------------------


def deal_unentered(draft: Draft) -> bool:
    """Deal what the shoe reported while the table is dealt by hand, and nobody entered; whether there was any.

    Not before cards that wait: those left the shoe earlier.
    """
    if another_has_begun(draft.state):
        return False
    unentered, draft.lasting.unentered = draft.lasting.unentered, ()
    for card in unentered:
        card_left(draft, Arrived(card=card))
    return bool(unentered)


# --- the line --------------------------------------------------------------------------------------------------------


def await_nothing(draft: Draft) -> None:
    """The wire repeats nothing: what was entered while it was down is never reported."""
    draft.lasting.entered = ()
    draft.lasting.by_hand_until_ns = None


def some_may_be_missing(draft: Draft) -> None:
    draft.lasting.entered = tuple(
        msgspec.structs.replace(entry, may_be_missing=True) for entry in draft.lasting.entered
    )


def date_entries_anew(draft: Draft) -> None:
    """The machine started anew: all that was entered, was entered before."""
    draft.lasting.entered = tuple(
        msgspec.structs.replace(entry, at_ns=draft.now, undated=True) for entry in draft.lasting.entered
    )
    if draft.lasting.by_hand_until_ns is not None:
        draft.lasting.by_hand_until_ns = draft.now
    if draft.state.shoe is not None:
        # What the shoe kept from before cannot be dated any more, but its events come in order.
        draft.shoe.opened_ns, draft.shoe.machine_restarted = draft.now, True
