"""Acts about cards: shown, named, corrected, and extra cards that a supervisor decides about."""

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    Act,
    AnyAct,
    AssignCards,
    AssignedCard,
    BurnExtraCard,
    CorrectCard,
    DealCard,
    EnterCard,
    IdentifyCard,
    RevealCards,
    UseExtraCard,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.details import CardOfRound, DueCardElsewhere, FirstCardOfShoe
from shoe_controller.messages.facts import CardCorrected, ExtraCardDecided
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CardIsKnown,
    CardIsUnknown,
    CardMissing,
    CardWasShown,
    ForeignCardRefused,
    NoExtraCard,
    NoSuchCard,
    NotByDealer,
    NothingHidden,
    OnlyBurned,
    SameCard,
)
from shoe_controller.table.acts.act import BETTING, ActAtTable, By, Seen, Targets, only_if, some
from shoe_controller.table.acts.rounds import TWO_IF_FINISHED, finished
from shoe_controller.table.assigning import TAKES_DUE_PLACE, take_due_place
from shoe_controller.table.burning import correct_first, identify_first
from shoe_controller.table.carrying import burn_carried, can_only_be_burned, carries, carries_shown
from shoe_controller.table.counting import count_face
from shoe_controller.table.dealing import FOLLOWS_SHOE, after_cards_changed
from shoe_controller.table.draft import Draft
from shoe_controller.table.duty import burn_is_due
from shoe_controller.table.entered_cards import entry_corrected
from shoe_controller.table.finishing import result_differs, show, without_wagers
from shoe_controller.table.identifying import card_not_due, make_known
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.judging import judge, one_is_due, place_of, standing_of
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.state import Alert, ExtraCard, TableState

SEES_WHAT_IS_SHOWN = 6
"""The `REVISION` of the running program from which no card that lies face down decides whether an extra one may be
used."""

DECIDES_ANEW = 4
"""The `REVISION` of the running program from which a carried card can be burned after all, and none is carried when the
last round is dealt."""

STAYS_DECIDED = 4
"""The `REVISION` of the running program from which an extra card stays burned if one was due when it was decided."""


def as_published(state: TableState, act: AnyAct) -> AnyAct:
    """The act as it may be published: without the face of a card that lies face down."""
    if isinstance(act, EnterCard | DealCard):
        return act if _is_shown(state) else msgspec.structs.replace(act, card=None)
    if isinstance(act, AssignCards):
        return act if _is_shown(state) else msgspec.structs.replace(act, cards=_without_faces(act.cards))
    if not isinstance(act, IdentifyCard | CorrectCard) or state.round is None:
        return act
    if act.number == 0:
        # Everyone sees the first card of the shoe.
        return act
    # What was proposed may be about cards that are not there any more.
    shown = 1 <= act.number <= len(state.round.cards) and state.round.cards[act.number - 1].shown
    return act if shown else msgspec.structs.replace(act, card=None)


def _without_faces(cards: tuple[AssignedCard, ...]) -> tuple[AssignedCard, ...]:
    return tuple(msgspec.structs.replace(card, card=None) for card in cards)


def _is_shown(state: TableState) -> bool:
    """Whether a card that is entered now can be seen by everyone: those burned after the first never can."""
    if state.shoe is None:
        return False
    if state.phase in (Phase.FIRST_CARD, Phase.BURNING):
        return state.shoe.first_card is None
    if state.phase in (Phase.BETTING, Phase.CLOSED) and burn_is_due(state):
        return False
    return state.shoe.rules.procedure.reveal is Reveal.AT_DRAW


# --- shown -----------------------------------------------------------------------------------------------------------


def _why_not_reveal(draft: Draft, act: RevealCards, _given: PersonActs) -> AnyRefusal | None:
    if draft.procedure.reveal is not Reveal.BY_DEALER:
        return NotByDealer()
    return None if _hidden(draft, act) else NothingHidden()


def _reveal(draft: Draft, act: RevealCards, _by: By) -> None:
    show(draft, _hidden(draft, act))


def _hidden(draft: Draft, act: RevealCards) -> list[int]:
    return [
        number
        for number, laid in enumerate(draft.round.cards, 1)
        if not laid.shown and (act.hand is None or laid.hand is act.hand)
    ]


def _hands_face_down(seen: Seen) -> Targets | None:
    shoe, playing = seen.state.shoe, seen.state.round
    if shoe is None or shoe.rules.procedure.reveal is not Reveal.BY_DEALER or playing is None:
        return None
    return some(
        "hands", tuple(side for side in Side if any(laid.hand is side and not laid.shown for laid in playing.cards))
    )


# --- named -----------------------------------------------------------------------------------------------------------


def _why_not_identify(draft: Draft, act: IdentifyCard, _given: PersonActs) -> AnyRefusal | None:
    if act.card is None:
        return CardMissing()
    if draft.phase is Phase.FIRST_CARD or act.number == 0:
        return None if act.number == 0 and _first_is_asked_for(draft.state) else NoSuchCard(number=act.number)
    if not 1 <= act.number <= len(draft.round.cards):
        return NoSuchCard(number=act.number)
    if draft.round.cards[act.number - 1].card is not None:
        return CardIsKnown()
    if any(alert.kind is AlertKind.FOREIGN_CARD and alert.card == act.number for alert in draft.lasting.alerts):
        return ForeignCardRefused()
    return None


def _identify(draft: Draft, act: IdentifyCard, by: By) -> None:
    if act.card is None:
        return
    if act.number == 0:
        identify_first(draft, act.card, EndedByPerson(person=by.person))
        return
    make_known(draft, act.number, act.card, EndedByPerson(person=by.person))
    take_due_place(draft, by.person)


def _identifiable(seen: Seen) -> Targets | None:
    state = seen.state
    first = (0,) if _first_is_asked_for(state) else ()
    foreign = {alert.card for alert in state.lasting.alerts if alert.kind is AlertKind.FOREIGN_CARD}
    cards = () if state.round is None else state.round.cards
    # Whether the table knows a card that lies face down must not show.
    numbers = (number for number, laid in enumerate(cards, 1) if laid.card is None or not laid.shown)
    return some("cards", (*first, *(number for number in numbers if number not in foreign)))


def _first_is_asked_for(state: TableState) -> bool:
    """Whether the first card of the shoe is not known, and a person can name it; also once the first round is dealt."""
    if state.phase is Phase.FIRST_CARD:
        return state.shoe is not None and state.shoe.first_card is not None
    return any(isinstance(alert.detail, FirstCardOfShoe) for alert in state.lasting.alerts)


# --- corrected -------------------------------------------------------------------------------------------------------


def _why_not_correct(draft: Draft, act: CorrectCard, _given: PersonActs) -> AnyRefusal | None:
    if act.card is None:
        return CardMissing()
    if draft.phase is Phase.BURNING:
        return _why_not_correct_first(draft, act)
    if not 1 <= act.number <= len(draft.round.cards):
        return NoSuchCard(number=act.number)
    laid = draft.round.cards[act.number - 1]
    if laid.card is None:
        return CardIsUnknown()
    if laid.card is act.card and laid.shown:
        # Of a card that lies face down, this refusal would confirm a guess without leaving a trace.
        return SameCard()
    return None


def _why_not_correct_first(draft: Draft, act: CorrectCard) -> AnyRefusal | None:
    first = draft.shoe.first_card
    if act.number != 0 or first is None:
        return NoSuchCard(number=act.number)
    if first.card is None:
        return CardIsUnknown()
    return SameCard() if first.card is act.card else None


def _do_correct(draft: Draft, act: CorrectCard, by: By) -> None:
    if act.card is None:
        return
    if draft.phase is Phase.BURNING:
        entry_corrected(draft, None if draft.shoe.first_card is None else draft.shoe.first_card.entered, act.card)
        correct_first(draft, act.card, EndedByPerson(person=by.person))
        return
    correct(draft, act.number, act.card, by.person)
    take_due_place(draft, by.person)


def correct(draft: Draft, number: int, card: Card, person: str) -> None:
    """The face changes, the card stays where it lies; everything after it is worked out again."""
    laid = draft.round.cards[number - 1]
    if laid.card is not None:
        count_face(draft, laid.card, by=-1)
    fits = count_face(draft, card)
    differed = draft.has_alert(AlertKind.RESULT_DIFFERS)
    entry_corrected(draft, laid.entered, card)
    # It was confirmed with other cards.
    draft.round.confirmed_by = draft.round.button_ns = None
    draft.round.corrected = draft.shoe.revision >= TAKES_DUE_PLACE
    draft.replace_card(number, card=card)
    cards = draft.round.cards
    seq = draft.emit(
        CardCorrected, place=place_of(number, cards[number - 1]), standing=standing_of(cards), replaces=laid.seq
    )
    draft.replace_card(number, seq=seq)
    for alert in draft.lasting.alerts:
        # The result is compared again below, and invalid cards, or that one is due, are found again.
        compared_again = alert.kind in (AlertKind.RESULT_DIFFERS, AlertKind.CARD_NOT_DUE)
        due_again = isinstance(alert.detail, DueCardElsewhere)
        if compared_again or due_again or _fits_now(draft, alert):
            draft.end_alert(alert, EndedByPerson(person=person))
    if not fits:
        draft.alert(AlertKind.TOO_MANY_COPIES, CardOfRound(number=number, hand=laid.hand), card=number)
    illegal = judge(draft.round.cards).illegal
    if illegal is not None:
        card_not_due(draft, illegal)
    after_cards_changed(draft)
    indicated = draft.round.indicated
    if differed and indicated is not None and draft.phase is Phase.COMPLETE:
        difference = result_differs(indicated, draft.round)
        if difference is not None:
            draft.alert(AlertKind.RESULT_DIFFERS, difference)


def _fits_now(draft: Draft, alert: Alert) -> bool:
    """Whether the decks hold a card after all that seemed to be an extra copy."""
    if alert.kind is not AlertKind.TOO_MANY_COPIES or alert.card is None:
        return False
    card = draft.round.cards[alert.card - 1].card
    return card is None or draft.shoe.copies[card.number] <= draft.shoe.decks


def _correctable(seen: Seen) -> Targets | None:
    if seen.state.phase is Phase.BURNING:
        first = None if seen.state.shoe is None else seen.state.shoe.first_card
        return some("cards", (0,) if first is not None and first.card is not None else ())
    # As above: what lies face down may be known, and wrong.
    cards = () if seen.state.round is None else seen.state.round.cards
    return some(
        "cards", tuple(number for number, laid in enumerate(cards, 1) if laid.card is not None or not laid.shown)
    )


# --- extra -----------------------------------------------------------------------------------------------------------


def _why_not_use(draft: Draft, act: UseExtraCard, _given: PersonActs) -> AnyRefusal | None:
    if not draft.round.extras:
        return NoExtraCard()
    if can_only_be_burned(draft.state, _as_seen(draft.round.extras[0], face_up=act.face_up)):
        return CardWasShown()
    return None if may_use_extra(draft.state, draft.phase) else OnlyBurned()


def _use(draft: Draft, act: UseExtraCard, by: By) -> None:
    decide_extra(draft, used=True, person=by.person, face_up=act.face_up)


def _as_seen(extra: ExtraCard, *, face_up: bool) -> ExtraCard:
    return msgspec.structs.replace(extra, shown=True) if face_up else extra


def _why_not_burn(draft: Draft, _act: BurnExtraCard, _given: PersonActs) -> AnyRefusal | None:
    return None if _can_burn(draft.state) else NoExtraCard()


def _can_burn(state: TableState) -> bool:
    """Whether an extra card lies there, or one that was to begin the round that comes."""
    extra = state.round is not None and bool(state.round.extras)
    return extra or (carries(state) is not None and state.lasting.revision >= DECIDES_ANEW)


def _burn(draft: Draft, _act: BurnExtraCard, by: By) -> None:
    if draft.round.extras:
        decide_extra(draft, used=False, person=by.person)
    else:
        burn_carried(draft)


def decide_extra(draft: Draft, *, used: bool, person: str, face_up: bool = False) -> None:
    """What becomes of extra cards: the first begins the next round, or all of them are burned."""
    if draft.state.round is not None and draft.round.extras:
        extras = draft.round.extras
        draft.round.extras = ()
        if used:
            draft.shoe.carried = _as_seen(extras[0], face_up=face_up)
        burned = tuple(_as_decided(draft, extra) for extra in extras[used:])
        draft.shoe.burned += len(burned)
        draft.shoe.burned_extras = (*draft.shoe.burned_extras, *burned)
        draft.emit(ExtraCardDecided, burned=len(burned), used=used)
        if carries(draft.state) is not None and carries_shown(draft.state) and not draft.round.free:
            without_wagers(draft)
    draft.end_alerts(EndedByPerson(person=person), AlertKind.OVER_DRAW, AlertKind.EXTRA_CARD)


def _as_decided(draft: Draft, extra: ExtraCard) -> ExtraCard:
    due = draft.phase is Phase.DEALING and one_is_due(draft.round.cards)
    return msgspec.structs.replace(extra, declined=due and draft.lasting.revision >= STAYS_DECIDED)


def may_use_extra(state: TableState, phase: Phase) -> bool:
    """Only a card drawn after a complete round can begin the next one, and only one card can."""
    outside = any(alert.kind is AlertKind.EXTRA_CARD for alert in state.lasting.alerts)
    carried = state.shoe is not None and state.shoe.carried is not None
    extras = () if state.round is None else state.round.extras
    seen = bool(extras) and can_only_be_burned(state, extras[0])
    over = phase is not Phase.DEALING or _shoe_says_complete(state)
    return over and not outside and not carried and not seen and not _is_last_round(state)


def _shoe_says_complete(state: TableState) -> bool:
    """Whether faces are not disclosed before the result, and the shoe, which knows them, says that no card is due.

    A card that lies face down counts as not disclosed: a refusal would tell what it is.
    """
    cards = () if state.round is None else state.round.cards
    if state.lasting.revision >= SEES_WHAT_IS_SHOWN:
        cards = tuple(laid if laid.shown else msgspec.structs.replace(laid, card=None) for laid in cards)
    over_draw = any(alert.kind is AlertKind.OVER_DRAW for alert in state.lasting.alerts)
    undisclosed = over_draw and judge(cards).unknown is not None and not one_is_due(cards)
    return undisclosed and state.lasting.revision >= FOLLOWS_SHOE


def _is_last_round(state: TableState) -> bool:
    shoe, playing = state.shoe, state.round
    if shoe is None or playing is None or shoe.last_round is None:
        return False
    return playing.number >= shoe.last_round and state.lasting.revision >= DECIDES_ANEW


def _offers_use(seen: Seen) -> bool:
    extra = seen.state.round is not None and bool(seen.state.round.extras)
    return extra and any(may_use_extra(seen.state, phase) for phase in seen.phases)


def _offers_burn(seen: Seen) -> bool:
    return _can_burn(seen.state)


ACTS: dict[type[Act], ActAtTable] = {
    RevealCards: ActAtTable(phases=CARDS_OUT, why_not=_why_not_reveal, does=_reveal, about=_hands_face_down),
    IdentifyCard: ActAtTable(
        phases=CARDS_OUT | {Phase.FIRST_CARD}, why_not=_why_not_identify, does=_identify, about=_identifiable
    ),
    CorrectCard: ActAtTable(
        phases=CARDS_OUT | {Phase.BURNING},
        why_not=_why_not_correct,
        does=_do_correct,
        about=_correctable,
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
    UseExtraCard: ActAtTable(phases=IN_ROUND | BETTING, why_not=_why_not_use, does=_use, about=only_if(_offers_use)),
    BurnExtraCard: ActAtTable(
        phases=IN_ROUND | BETTING, why_not=_why_not_burn, does=_burn, about=only_if(_offers_burn)
    ),
}
