"""Acts by which people enter cards: one that left the shoe unseen, and all of them while the table is dealt by hand."""

from shoe_controller.messages.acts import Act, BeginHandEntry, DealCard, EndHandEntry, EnterCard
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.details import CardOfRound
from shoe_controller.messages.facts import HandEntryChanged
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CardIsUnknown,
    CardMissing,
    CardWaits,
    CutCardIsOut,
    InHandEntry,
    NoSuchCard,
    NotInHandEntry,
    RunOutUnderWay,
    TableStopped,
)
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, Seen, Targets, only_if, some
from shoe_controller.table.acts.rounds import TWO_IF_FINISHED, finished
from shoe_controller.table.counting import Arrived
from shoe_controller.table.dealing_on import another_has_begun, may_wait
from shoe_controller.table.draft import Draft, is_stopped
from shoe_controller.table.duty import burn_is_due
from shoe_controller.table.entered_cards import deal_unentered, enter
from shoe_controller.table.entering import enter_in_place, places_for_entry, why_not_entered
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.judging import possible_hands
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.remainder import COUNTS_TO_THE_LAST
from shoe_controller.table.shoe_events import LID_OF_THE_READER, cut_card, lid_still_open
from shoe_controller.table.state import TableState
from shoe_controller.table.unentered import not_entered

_BURNING = frozenset({Phase.FIRST_CARD, Phase.BURNING})
_DEALT_FROM = _BURNING | IN_ROUND | {Phase.BETTING}


def _face_is_needed(state: TableState) -> bool:
    """Only a card that is burned after the first can stay unknown, or by a dealer who takes over."""
    first_is_out = state.shoe is not None and state.shoe.first_card is not None
    if state.phase in (Phase.BETTING, Phase.CLOSED):
        return not burn_is_due(state)
    return not (state.phase is Phase.BURNING or (state.phase is Phase.FIRST_CARD and first_is_out))


# --- a card that left unseen -----------------------------------------------------------------------------------------


def _why_not_enter(draft: Draft, act: EnterCard, _given: PersonActs) -> AnyRefusal | None:
    if act.card is None and _face_is_needed(draft.state):
        return CardMissing()
    if draft.phase in _BURNING:
        return None if act.number == 0 and act.hand is None else NoSuchCard(number=act.number)
    if act.card is None:
        return CardMissing()
    if may_wait(draft.state, act.card):
        return CardWaits()
    return why_not_entered(draft.state, draft.round, act.number, act.hand, act.card)


def _enter(draft: Draft, act: EnterCard, by: By) -> None:
    if draft.phase in _BURNING or act.card is None:
        enter(draft, Arrived(card=act.card), by.person)
    else:
        enter_in_place(draft, act.number, act.hand, act.card, by.person)


def _can_be_entered(seen: Seen) -> Targets | None:
    return some("cards", (0,) if seen.state.phase in _BURNING else places_for_entry(seen.state))


# --- dealt by hand ---------------------------------------------------------------------------------------------------


def _why_not_begin(draft: Draft, _act: BeginHandEntry, _given: PersonActs) -> AnyRefusal | None:
    if draft.lasting.hand_entry:
        return InHandEntry()
    return RunOutUnderWay() if draft.lasting.revision >= COUNTS_TO_THE_LAST and _runs_out(draft.state) else None


def _runs_out(state: TableState) -> bool:
    return state.shoe is not None and state.shoe.run_out is not None


def _begin(draft: Draft, _act: BeginHandEntry, by: By) -> None:
    draft.lasting.hand_entry = True
    draft.lasting.by_hand_until_ns = None
    draft.emit(HandEntryChanged, hand_entry=True)
    # What it would take to go on with the shoe is not needed.
    draft.end_alerts(EndedByPerson(person=by.person), AlertKind.SHOE_LOST, AlertKind.SHOE_STOPPED)
    if draft.phase in CARDS_OUT:
        draft.round.button_ns = None
        for number, laid in enumerate(draft.round.cards, 1):
            if laid.card is None and not any(alert.card == number for alert in draft.lasting.alerts):
                # The shoe will not disclose it any more.
                draft.alert(AlertKind.UNDISCLOSED_CARD, CardOfRound(number=number, hand=laid.hand), card=number)


def _why_not_end(draft: Draft, _act: EndHandEntry, _given: PersonActs) -> AnyRefusal | None:
    return None if draft.lasting.hand_entry else NotInHandEntry()


def _end(draft: Draft, _act: EndHandEntry, _by: By) -> None:
    lasting = draft.lasting
    lasting.hand_entry = False
    if lasting.link.keeps_events or not lasting.link.up:
        lasting.by_hand_until_ns = draft.now
    draft.emit(HandEntryChanged, hand_entry=False)
    if lasting.revision >= LID_OF_THE_READER and draft.phase is Phase.BETTING:
        lid_still_open(draft)
    if deal_unentered(draft):
        not_entered(draft)


def _why_not_deal(draft: Draft, act: DealCard, _given: PersonActs) -> AnyRefusal | None:
    if not draft.lasting.hand_entry:
        return NotInHandEntry()
    if draft.stopped:
        return TableStopped()
    if another_has_begun(draft.state):
        return CardWaits()
    if act.cut_card:
        return None if draft.shoe.last_round is None else CutCardIsOut()
    if act.card is None and _face_is_needed(draft.state):
        return CardMissing()
    return CardIsUnknown() if _hand_is_open(draft.state) else None


def _hand_is_open(state: TableState) -> bool:
    """Whether a card that is not known decides which hand the next one goes to."""
    return state.phase in CARDS_OUT and state.round is not None and len(possible_hands(state.round.cards)) > 1


def _deal(draft: Draft, act: DealCard, by: By) -> None:
    if act.cut_card:
        cut_card(draft, by.person)
    else:
        enter(draft, Arrived(card=act.card), by.person)


def _offers_deal(seen: Seen) -> bool:
    possible = not is_stopped(seen.state) and not another_has_begun(seen.state)
    return seen.state.lasting.hand_entry and possible and not _hand_is_open(seen.state)


ACTS: dict[type[Act], ActAtTable] = {
    EnterCard: ActAtTable(
        phases=_DEALT_FROM,
        why_not=_why_not_enter,
        does=_enter,
        about=_can_be_entered,
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
    DealCard: ActAtTable(phases=_DEALT_FROM, why_not=_why_not_deal, does=_deal, about=only_if(_offers_deal)),
    BeginHandEntry: ActAtTable(
        phases=ANY_PHASE,
        why_not=_why_not_begin,
        does=_begin,
        about=only_if(lambda seen: not seen.state.lasting.hand_entry and not _runs_out(seen.state)),
    ),
    EndHandEntry: ActAtTable(
        phases=frozenset({Phase.NO_SHOE, Phase.BETTING, Phase.ENDED}),
        why_not=_why_not_end,
        does=_end,
        about=only_if(lambda seen: seen.state.lasting.hand_entry),
    ),
}
