"""Acts about the shoe: opened, ended, exchanged, and what is left of it counted.

A shoe is opened by `table.py`, because it takes the rules of the house.
"""

from shoe_controller.messages.acts import (
    Act,
    BeginRunOut,
    BlinkShoe,
    CountRemainder,
    EndRunOut,
    EndShoe,
    ExchangeShoe,
    OpenShoe,
    Role,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson, EndedEarly
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CannotBlink,
    Failed,
    InHandEntry,
    NoRunOut,
    RunOutUnderWay,
    ShoeSectionRefused,
)
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, Seen, only_if
from shoe_controller.table.alerts import Scope
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import end_shoe
from shoe_controller.table.inputs import BadShoeSection, NewShoeLine, PersonActs
from shoe_controller.table.link_events import shoe_exchanged
from shoe_controller.table.opening import OPENS_IN, needs_supervisor, why_count_first, why_not_ended
from shoe_controller.table.remainder import begin_run_out, counted_by_hand, end_run_out
from shoe_controller.table.state import TableState

_ENDED = frozenset({Phase.ENDED})


def _offers_open(seen: Seen) -> bool:
    may = seen.role is Role.SUPERVISOR or not needs_supervisor(seen.state)
    return may and why_not_ended(seen.state) is None and why_count_first(seen.state) is None


def _why_not_end_shoe(draft: Draft, _act: EndShoe, _given: PersonActs) -> AnyRefusal | None:
    return why_not_ended(draft.state)


def _end(draft: Draft, _act: EndShoe, by: By) -> None:
    draft.end_alerts(EndedByPerson(person=by.person), AlertKind.LID_OPENED, scope=Scope.SHOE)
    # A supervisor ends it: it does not depend on what was said of the cut card.
    draft.shoe.cut_card_entered = False
    end_shoe(draft, EndedEarly(reason=by.reason))


# --- what is left ----------------------------------------------------------------------------------------------------


def _why_not_count(draft: Draft, _act: CountRemainder, _given: PersonActs) -> AnyRefusal | None:
    return None if draft.shoe.run_out is None else RunOutUnderWay()


def _count(draft: Draft, act: CountRemainder, by: By) -> None:
    counted_by_hand(draft, act.cards, by.person)


def _why_not_begin(draft: Draft, _act: BeginRunOut, _given: PersonActs) -> AnyRefusal | None:
    if draft.lasting.hand_entry:
        return InHandEntry()
    return None if draft.shoe.run_out is None else RunOutUnderWay()


def _begin(draft: Draft, _act: BeginRunOut, _by: By) -> None:
    begin_run_out(draft)


def _why_not_end(draft: Draft, _act: EndRunOut, _given: PersonActs) -> AnyRefusal | None:
    return NoRunOut() if draft.shoe.run_out is None else None


def _end_run_out(draft: Draft, _act: EndRunOut, by: By) -> None:
    if draft.shoe.run_out is not None:
        end_run_out(draft, draft.shoe.run_out, by.person)


def _runs_out(seen: Seen) -> bool:
    return seen.state.shoe is not None and seen.state.shoe.run_out is not None


# --- another one -----------------------------------------------------------------------------------------------------


def _why_not_exchange(_draft: Draft, _act: ExchangeShoe, given: PersonActs) -> AnyRefusal | None:
    if isinstance(given.line, BadShoeSection):
        return ShoeSectionRefused(text=given.line.text)
    return Failed() if given.line is None else None


def _exchange(draft: Draft, _act: ExchangeShoe, by: By) -> None:
    if isinstance(by.line, NewShoeLine):
        shoe_exchanged(draft, by.line)


# --- found -----------------------------------------------------------------------------------------------------------


def _can_blink(state: TableState) -> bool:
    return state.lasting.link.up and state.lasting.link.can_blink


def _why_not_blink(draft: Draft, _act: BlinkShoe, _given: PersonActs) -> AnyRefusal | None:
    return None if _can_blink(draft.state) else CannotBlink()


ACTS: dict[type[Act], ActAtTable] = {
    OpenShoe: ActAtTable(phases=OPENS_IN, about=only_if(_offers_open)),
    EndShoe: ActAtTable(
        phases=frozenset({Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING}),
        why_not=_why_not_end_shoe,
        does=_end,
        about=only_if(lambda seen: why_not_ended(seen.state) is None),
    ),
    CountRemainder: ActAtTable(
        phases=_ENDED, why_not=_why_not_count, does=_count, about=only_if(lambda seen: not _runs_out(seen))
    ),
    BeginRunOut: ActAtTable(
        phases=_ENDED,
        why_not=_why_not_begin,
        does=_begin,
        about=only_if(lambda seen: not _runs_out(seen) and not seen.state.lasting.hand_entry),
    ),
    EndRunOut: ActAtTable(phases=_ENDED, why_not=_why_not_end, does=_end_run_out, about=only_if(_runs_out)),
    ExchangeShoe: ActAtTable(phases=OPENS_IN, why_not=_why_not_exchange, does=_exchange),
    BlinkShoe: ActAtTable(phases=ANY_PHASE, why_not=_why_not_blink, about=only_if(lambda seen: _can_blink(seen.state))),
}
