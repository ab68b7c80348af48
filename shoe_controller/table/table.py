"""The table: hands each input to the file that judges it, and keeps the state that was stored last.

    handled = table.handle(given, at)      nothing is changed yet
    …store the input and handled.facts…
    table.take_over(handled)               now it is

An act or an event that opens a shoe comes inside a `NewShoe`, because a shoe takes its rules from the house's files and
only the engine can read those: `table.opens_shoe(given, at)` shows whether this is one.
"""

from typing import NamedTuple

from firmware_protocol.events import Button, ButtonPressed, CardDrawn, FaultCode
from firmware_protocol.link import DesiredShoe
from shoe_controller.clock.moment import Moment
from shoe_controller.messages.actors import Person, TimeRanOut
from shoe_controller.messages.actors import Shoe as ShoeItself
from shoe_controller.messages.acts import ActName, AmendRound, Approve, ExchangeShoe, OfRound, OpenShoe, Role
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import (
    EndedByPerson,
    EndedByShoe,
    NewShoeOpened,
    NextShoeOpened,
    ProposalShoeOpened,
    ProposalStruckOff,
    ProposalTimedOut,
    ReturnCause,
)
from shoe_controller.messages.facts import AnyFact, PersonActed, ShoeEnded, ShoeOpened
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal, NotSignedIn, OtherContents
from shoe_controller.table import link_events
from shoe_controller.table.acts import at_table
from shoe_controller.table.acts.disputes import meant_round
from shoe_controller.table.alerts import ALERTS, Scope
from shoe_controller.table.betting import seat_bets
from shoe_controller.table.commission import STAYS_DUE, leave_due, leave_marks, marks_by_round, owed_by_seat, stays_due
from shoe_controller.table.counting import NO_COPIES
from shoe_controller.table.desired_shoe import desired_shoe, due_at, faults_put_right, next_timer
from shoe_controller.table.draft import Draft, ReadRules
from shoe_controller.table.duty import end_duty, in_name_of_dealer, needs_duty
from shoe_controller.table.entered_cards import is_about_entered
from shoe_controller.table.finishing import (
    confirm,
    drop_proposal,
    open_after_all,
    open_betting,
    return_wagers_of,
    settle_if_ready,
    warn_of_disputes,
)
from shoe_controller.table.inputs import (
    AgeImpossible,
    AnyInput,
    CheckpointMade,
    ClockStepped,
    Closing,
    ControllerMet,
    ControllerStarted,
    DealerStruckOff,
    DealtBefore,
    EventsMissed,
    GateAnswered,
    GateUnanswered,
    JournalBegun,
    JournalFailed,
    LineRefused,
    LineStrange,
    LinkBack,
    LinkLost,
    MessagesRefused,
    MessagesTaken,
    NewShoe,
    PersonActs,
    PinVerdict,
    ProposerStruckOff,
    RequestsFlooded,
    RolledBack,
    SeatBets,
    ShoeReport,
    Snapshot,
    StatusAhead,
    TimerRanOut,
)
from shoe_controller.table.inventory import inventory_of, judge_shoe, with_unseen
from shoe_controller.table.opening import OPENS_IN, shoe_may_open
from shoe_controller.table.past import MeantRound
from shoe_controller.table.people import (
    answered_before,
    may_open_shoe,
    meant_for_another_round,
    person_acts,
    remember,
    says_something_else,
)
from shoe_controller.table.phases import Move
from shoe_controller.table.pins import pin_holds
from shoe_controller.table.published_rules import published_rules
from shoe_controller.table.shoe_events import deal_on, lid_still_open, result_grace_over, shoe_reports
from shoe_controller.table.state import REVISION, Round, RulesSource, Shoe, TableState, Timer
from shoe_controller.table.succession import take_over_state
from shoe_controller.table.unentered import set_unentered_aside


class Handled(NamedTuple):
    """What an input leads to."""

    state: TableState
    facts: tuple[AnyFact, ...]
    refusal: AnyRefusal | None
    changed: bool
    """Whether there is anything to store: a refused request that changes nothing is not stored."""


class UnexpectedInputError(RuntimeError):
    """This program gave the table an invalid input."""


class Table:
    def __init__(self, read_rules: ReadRules, state: TableState | None = None) -> None:
        self.state = TableState() if state is None else state
        self._read_rules = read_rules
        self._next_timer: tuple[Timer, int] | None = None
        self._next_timer_of: TableState | None = None
        """The state to which `_next_timer` belongs."""

    def handle(self, given: AnyInput, at: Moment) -> Handled:
        draft = Draft(self.state, at, self._read_rules)
        if isinstance(given, PersonActs | SeatBets):
            before = answered_before(self.state, given)
            if before is not None:
                refusal = OtherContents() if says_something_else(given, before) else before.refusal
                return Handled(self.state, (), refusal, changed=False)
            _ask(draft, given)
            if not draft.facts:
                return Handled(self.state, (), draft.refusal, changed=False)
            remember(draft, given)
        else:
            _happen(draft, given)
            if draft.refusal is not None:
                return Handled(self.state, (), draft.refusal, changed=False)
        return Handled(draft.state, tuple(draft.facts), draft.refusal, changed=True)

    def take_over(self, handled: Handled) -> None:
        """Adopt the state that `handle` returned, once it is stored."""
        self.state = handled.state

    def opens_shoe(self, given: AnyInput, at: Moment) -> bool:
        """Whether this opens a shoe, and is to be handed over inside a `NewShoe`."""
        phase = self.state.phase
        if isinstance(given, ShoeReport) and is_about_entered(self.state, given, at):
            return False
        match given:
            case PersonActs(act=OpenShoe()):
                meant = (given.shoe, given.round) == (self.state.shoe_number, self.state.round_number)
                new = answered_before(self.state, given) is None
                return phase in OPENS_IN and meant and new and may_open_shoe(self.state, given)
            case ShoeReport(event=ButtonPressed(button=Button.NEW_SHOE)):
                # A shoe from which nothing was drawn is still the new one.
                fresh = self.state.shoe is not None and self.state.shoe.cards_out == 0 and phase is not Phase.ENDED
                return shoe_may_open(self.state) and not fresh
            case ShoeReport(event=CardDrawn(first_of_shoe=True)):
                used = self.state.shoe is None or self.state.shoe.cards_out > 0
                return shoe_may_open(self.state) and used
        return False

    def exchanges_shoe(self, given: AnyInput) -> bool:
        """Whether this act takes up another shoe: what the table's file says of it is to be handed in with it."""
        if not isinstance(given, PersonActs) or not isinstance(given.act, ExchangeShoe):
            return False
        may = given.role is Role.SUPERVISOR and given.pin is PinVerdict.RIGHT
        return may and self.state.phase in at_table(given.act).phases

    def past_round(self, given: AnyInput) -> MeantRound | None:
        """The round that this act is about and that is over: what the journal has of it is to be handed in with it."""
        if not isinstance(given, PersonActs) or given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT:
            return None
        proposal, act = self.state.lasting.proposal, given.act
        if isinstance(act, Approve) and proposal is not None and proposal.number == act.proposal:
            act = proposal.act
        if isinstance(act, AmendRound):
            return MeantRound(act.shoe, act.round)
        # The rounds of its own shoe the table knows.
        earlier = isinstance(act, OfRound) and act.shoe not in (None, self.state.shoe_number)
        return meant_round(self.state, act) if earlier and isinstance(act, OfRound) else None

    def new_shoe(self, rules: RulesSource, cause: PersonActs | ShoeReport) -> NewShoe:
        """The input that opens a shoe with these rules."""
        shoe, playing = self.state.shoe, self.state.round
        closing = None
        if shoe is not None and self.state.phase is not Phase.ENDED:
            closing = Closing(
                round=self.state.round_number,
                wagers=() if playing is None else playing.wagers,
                cards_out=shoe.cards_out,
                commission=owed_by_seat(shoe),
                revision=shoe.revision,
                inventory=inventory_of(shoe),
            )
        return NewShoe(
            rules=rules,
            lasting=self.state.lasting,
            closing=closing,
            commission=stays_due(shoe) if shoe is not None and closing is None else (),
            marks=() if shoe is None else marks_by_round(shoe),
            cause=cause,
            revision=REVISION,
        )

    def next_deadline(self) -> int | None:
        """When the table wants `TimerRanOut`, on the monotonic clock."""
        timer = self.next_timer
        return None if timer is None else timer[1]

    @property
    def next_timer(self) -> tuple[Timer, int] | None:
        if self._next_timer_of is not self.state:
            # Read after every frame from the shoe; it changes only with the state.
            self._next_timer, self._next_timer_of = next_timer(self.state), self.state
        return self._next_timer

    @property
    def desired_shoe(self) -> DesiredShoe:
        return desired_shoe(self.state)

    @property
    def put_right(self) -> frozenset[FaultCode]:
        """The faults of the shoe that are over at the table."""
        return faults_put_right(self.state)


def _ask(draft: Draft, given: PersonActs | SeatBets) -> None:
    # The PIN first: a wrong one counts whatever else is wrong with the request, or checks could be had for nothing.
    if isinstance(given, PersonActs) and not pin_holds(draft, given):
        return
    if meant_for_another_round(draft, given):
        return
    if isinstance(given, SeatBets):
        seat_bets(draft, given)
    else:
        person_acts(draft, given)
        judge_shoe(draft, EndedByPerson(person=given.person))
        open_after_all(draft)
        deal_on(draft)


def _happen(draft: Draft, given: AnyInput) -> None:  # noqa: C901, PLR0912, PLR0915 - one case for each input
    match given:
        case ShoeReport():
            shoe_reports(draft, given)
        case NewShoe():
            _open_shoe(draft, given)
        case TimerRanOut():
            _timer(draft, given.timer)
        case LinkLost():
            link_events.link_lost(draft, given)
        case LinkBack():
            link_events.link_back(draft, given)
        case EventsMissed():
            link_events.events_missed(draft, given)
        case LineRefused():
            link_events.line_refused(draft, given)
        case LineStrange():
            link_events.line_strange(draft, given)
        case GateUnanswered():
            link_events.gate_unanswered(draft, given)
        case GateAnswered():
            link_events.gate_answered(draft)
        case AgeImpossible():
            link_events.age_impossible(draft, given)
        case ClockStepped():
            link_events.clock_stepped(draft, given)
        case ControllerStarted():
            link_events.controller_started(draft, given)
        case DealerStruckOff():
            if draft.lasting.dealer_id == given.person:
                end_duty(draft)
        case ProposerStruckOff():
            proposal = draft.lasting.proposal
            if proposal is not None and proposal.person == given.person:
                drop_proposal(draft, ProposalStruckOff())
        case JournalFailed():
            link_events.journal_failed(draft, given)
        case StatusAhead():
            link_events.status_ahead(draft, given)
        case DealtBefore():
            link_events.dealt_before(draft)
        case JournalBegun():
            link_events.journal_begun(draft, given)
        case ControllerMet():
            link_events.controller_met(draft, given)
        case MessagesRefused():
            link_events.messages_refused(draft, given)
        case MessagesTaken():
            link_events.messages_taken(draft)
        case RequestsFlooded():
            link_events.requests_flooded(draft, given)
        case CheckpointMade():
            link_events.checkpoint_made(draft, given)
        case Snapshot():
            if draft.state.lasting.seq and draft.state != given.state:
                raise UnexpectedInputError("a snapshot of another state than this one")
            draft.restart_from(given.state)
        case RolledBack():
            if draft.lasting.seq:
                raise UnexpectedInputError("a journal that replaces another begins with that")
            take_over_state(draft, given)
        case _:
            raise UnexpectedInputError(f"{type(given).__name__} is not an input of its own")
    settle_if_ready(draft)
    # After it: with the last round of a bad shoe settled, what its cards prove stands at once.
    judge_shoe(draft, EndedByShoe())
    open_after_all(draft)
    deal_on(draft)


def _open_shoe(draft: Draft, given: NewShoe) -> None:
    """Every fact emitted here depends on the input alone, so that a replay can begin with it."""
    if draft.lasting.seq and draft.lasting != given.lasting:
        raise UnexpectedInputError("this shoe was prepared for an earlier state of the table")
    closing, cause = given.closing, given.cause
    draft.restart_from(TableState(lasting=given.lasting))
    if isinstance(cause, PersonActs) and needs_duty(cause, dealer_signs_in=given.rules.procedure.dealer_signs_in):
        # The rules of this shoe: before the first one of a table, only the opening brings them.
        by_dealer = in_name_of_dealer(given.lasting, cause)
        if by_dealer is None:
            draft.refuse(NotSignedIn())
            return
        cause = by_dealer
    if closing is not None:
        draft.state.round = Round(number=closing.round, wagers=closing.wagers)
        return_wagers_of(draft, {wager.seat for wager in closing.wagers}, ReturnCause.SHOE_OPENED)
        unentered = set_unentered_aside(draft)
        draft.emit(
            ShoeEnded,
            cause=NextShoeOpened(),
            cards_out=closing.cards_out + unentered,
            commission_due=dict(closing.commission),
            inventory=None if closing.inventory is None else with_unseen(closing.inventory, unentered),
        )
        if closing.revision >= STAYS_DUE:
            leave_due(draft, draft.lasting.shoe_number, closing.commission)
        warn_of_disputes(draft)
        draft.state.round = None
    set_unentered_aside(draft)
    leave_due(draft, draft.lasting.shoe_number, given.commission)
    leave_marks(draft, draft.lasting.shoe_number, given.marks)
    draft.lasting.shoe_number += 1
    house = draft.read_rules(given.rules)
    draft.state.shoe = Shoe(
        number=draft.lasting.shoe_number,
        rules=given.rules,
        decks=house.decks,
        copies=NO_COPIES,
        revision=given.revision,
        opened_ns=draft.now,
        reported=draft.lasting.link.up,
    )
    opened_by = Person(person=cause.person) if isinstance(cause, PersonActs) else ShoeItself()
    if isinstance(cause, PersonActs):
        draft.emit(
            PersonActed, act=cause.act, person=cause.person, role=cause.role, reason=cause.reason, user=cause.user
        )
        remember(draft, cause)
    draft.emit(
        ShoeOpened,
        decks=house.decks,
        card_sets=draft.procedure.card_sets,
        opened_by=opened_by,
        rules=published_rules(given.rules, house),
    )
    drop_proposal(draft, ProposalShoeOpened())
    # What a supervisor must look at does not go away because a dealer announces a new shoe.
    ended = [rule.kind for rule in ALERTS.values() if ActName.OPEN_SHOE in rule.ended_by]
    draft.end_alerts(NewShoeOpened(), *ended, scope=Scope.ROUND)
    lid_still_open(draft)
    if draft.procedure.burn:
        draft.move(Move.OPEN)
    else:
        draft.move(Move.OPEN_WITHOUT_BURN)
        open_betting(draft)
    _deal_held(draft)
    if isinstance(cause, ShoeReport) and isinstance(cause.event, CardDrawn):
        shoe_reports(draft, cause)


def _deal_held(draft: Draft) -> None:
    """The cards that waited for a supervisor are the first of this shoe."""
    held, draft.lasting.held = draft.lasting.held, ()
    for event in held:
        shoe_reports(draft, ShoeReport(event=event, sequence=0))


def _timer(draft: Draft, timer: Timer) -> None:
    due = due_at(draft.state, timer)
    if due is None or due > draft.now:
        return  # what it was for has happened meanwhile
    match timer:
        case Timer.DRAW:
            draft.alert(AlertKind.DRAW_TOO_SLOW)
        case Timer.CONFIRM:
            confirm(draft, TimeRanOut())
        case Timer.RESULT:
            result_grace_over(draft)
        case Timer.PROPOSAL:
            drop_proposal(draft, ProposalTimedOut())
