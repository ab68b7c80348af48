"""What may be shown of a table at a moment: the retained `state`, and what comes next for the dealer.

Cards that lie face down are not in it, nor anything that would give them away.
"""

import msgspec

from shoe_controller.baccarat.outcome import outcome_of
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.facts import AsideCard, Standing
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Remainder
from shoe_controller.messages.prompts import (
    AnnounceShoe,
    AnyPrompt,
    AwaitExtraCard,
    BurnCards,
    ChangeCards,
    ConfirmResult,
    ConnectShoe,
    CountCardsLeft,
    DrawCard,
    EnterReportedCards,
    LayCarriedCard,
    NewDealerBurns,
    ResolveAlert,
    RunCardsOut,
    ShowCards,
    ShowFirstCard,
    SignInFirst,
    TakeWagers,
    TakeWagersAndDraw,
    TakeWagersAndLay,
    TakeWagersWithCarried,
)
from shoe_controller.messages.retained import CarriedCard, LastOutcome, LastVoid, ProposalView, TableView
from shoe_controller.table.acts.cards import as_published
from shoe_controller.table.alerts import alert_message, rule_of
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.betting import why_betting_closed
from shoe_controller.table.carrying import awaits_extra_card, carries, was_shown
from shoe_controller.table.commission import owed
from shoe_controller.table.dealing_on import another_has_begun
from shoe_controller.table.draft import ReadRules, is_stopped
from shoe_controller.table.duty import awaits_dealer, burn_is_due
from shoe_controller.table.finishing import placed
from shoe_controller.table.inventory import remainder_of
from shoe_controller.table.judging import FIRST_FOUR, judge, place_of, standing_of
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.possible_acts import possible_acts
from shoe_controller.table.remainder import is_counted
from shoe_controller.table.state import ExtraCard, Round, Shoe, TableState


def view_of(state: TableState, read_rules: ReadRules) -> TableView:
    shoe, playing, lasting = state.shoe, state.round, state.lasting
    cards = () if playing is None else playing.cards
    proposal = lasting.proposal
    phases = possible_phases(state)
    return TableView(
        seq=lasting.seq,
        phase=phases[0],
        stopped=is_stopped(state),
        betting_open=why_betting_closed(state) is None,
        prompt=prompt(state),
        shoe=state.shoe_number,
        round=state.round_number,
        dealer=lasting.dealer_id,
        decks=None if shoe is None else shoe.decks,
        free=playing is not None and playing.free,
        link_up=lasting.link.up,
        hand_entry=lasting.hand_entry,
        cards_out=0 if shoe is None else shoe.cards_out,
        burned=0 if shoe is None else shoe.burned,
        counted=None if shoe is None or shoe.run_out is None else shoe.run_out.counted,
        to_burn=None if shoe is None else shoe.burns,
        last_round=None if shoe is None else shoe.last_round,
        cards=tuple(place_of(number, laid) for number, laid in enumerate(cards, 1)),
        extra_cards=0 if playing is None else len(playing.extras) + len(playing.strays),
        aside=_aside(state),
        carried=None if shoe is None or shoe.carried is None else _carried(shoe, shoe.carried),
        discarded=0 if shoe is None else shoe.discarded,
        standing=None if playing is None else _standing(state, playing),
        wagers=() if playing is None else placed(playing.wagers),
        alerts=tuple(alert_message(alert) for alert in lasting.alerts),
        proposal=None
        if proposal is None
        else ProposalView(
            proposal=proposal.number,
            act=as_published(state, proposal.act),
            person=proposal.person,
            reason=proposal.reason,
        ),
        acts=possible_acts(state, phases),
        last_outcome=None if shoe is None else _last_outcome(shoe, read_rules),
        last_void=None
        if shoe is None or shoe.voided is None
        else LastVoid(round=shoe.voided.number, replay=shoe.voided.replay),
        disputes=lasting.disputes,
        commission=owed(state),
    )


def _aside(state: TableState) -> tuple[AsideCard, ...]:
    return tuple(
        AsideCard(order=order, hand=one.hand, card=one.card.card if one.card.shown else None)
        for order, one in enumerate(drawn_cards(state), 1)
        if one.aside is not None
    )


def _carried(shoe: Shoe, carried: ExtraCard) -> CarriedCard:
    shown = was_shown(shoe, carried)
    return CarriedCard(card=carried.card if shown else None, shown=shown)


def _standing(state: TableState, playing: Round) -> Standing:
    """While a card is carried, the one that is drawn first is Banker's."""
    standing = standing_of(playing.cards)
    return standing if carries(state) is None else msgspec.structs.replace(standing, next_hand=Side.BANKER)


def shown_phase(state: TableState) -> Phase:
    """The phase as it may be shown."""
    return possible_phases(state)[0]


def possible_phases(state: TableState) -> tuple[Phase, ...]:
    """The phase; while cards lie face down, it must not show whether another one is due."""
    cards = () if state.round is None else state.round.cards
    if state.phase in CARDS_OUT and len(cards) >= len(FIRST_FOUR) and not all(laid.shown for laid in cards):
        return (Phase.DEALING, Phase.COMPLETE)
    return (state.phase,)


def _last_outcome(shoe: Shoe, read_rules: ReadRules) -> LastOutcome | None:
    if shoe.previous is None:
        return None
    outcome = outcome_of(judge(shoe.previous.cards).deal, read_rules(shoe.rules).schedule)
    return LastOutcome(
        round=shoe.previous.number,
        player=outcome.player,
        banker=outcome.banker,
        winner=outcome.winner,
        won={wager: came_to.pays for wager, came_to in outcome.wagers.items() if came_to.pays is not None},
    )


def prompt(state: TableState) -> AnyPrompt:
    """What happens next, for the dealer."""
    stopping = next((alert for alert in state.lasting.alerts if rule_of(alert).severity is Severity.STOPS), None)
    if stopping is not None and stopping.kind is AlertKind.OVER_DRAW and awaits_extra_card(state):
        return AwaitExtraCard()
    if stopping is not None:
        return ResolveAlert(number=stopping.number, kind=stopping.kind)
    if not state.lasting.link.up and not state.lasting.hand_entry:
        return ConnectShoe()
    if awaits_dealer(state):
        return SignInFirst()
    if state.lasting.unentered and not another_has_begun(state):
        return EnterReportedCards(cards=len(state.lasting.unentered))
    return _prompt_by_phase(state)


def _prompt_by_phase(state: TableState) -> AnyPrompt:  # noqa: PLR0911 - a prompt for each phase
    match state.phase:
        case Phase.FIRST_CARD:
            return ShowFirstCard()
        case Phase.ENDED if state.shoe is not None:
            return _prompt_at_end(state.shoe)
        case Phase.BURNING if state.shoe is not None:
            return BurnCards(cards=(state.shoe.burns or 0) - state.shoe.burned)
    if state.shoe is None or state.round is None:
        return AnnounceShoe()
    if state.phase in (Phase.BETTING, Phase.CLOSED) and burn_is_due(state):
        return NewDealerBurns()
    if carries(state) is not None:
        return _prompt_with_carried(state.shoe, state.round, state.phase)
    return _prompt_in_round(state.shoe, state.round, state.phase)


def _prompt_with_carried(shoe: Shoe, playing: Round, phase: Phase) -> AnyPrompt:
    if phase is Phase.CLOSED or playing.free:
        return LayCarriedCard()
    by_dealer = shoe.rules.procedure.bets_close is BetsClose.DEALER
    return TakeWagersWithCarried() if by_dealer else TakeWagersAndLay()


def _prompt_at_end(shoe: Shoe) -> AnyPrompt:
    if shoe.run_out is not None:
        return RunCardsOut(counted=shoe.run_out.counted, cards=remainder_of(shoe))
    if shoe.rules.procedure.remainder is Remainder.COUNTED and shoe.cards_out and not is_counted(shoe):
        return CountCardsLeft(cards=remainder_of(shoe))
    return ChangeCards()


def _prompt_in_round(shoe: Shoe, playing: Round, phase: Phase) -> AnyPrompt:
    by_dealer = shoe.rules.procedure.bets_close is BetsClose.DEALER
    standing = standing_of(playing.cards)
    match phase:
        case Phase.BETTING if not playing.free:
            return TakeWagers() if by_dealer else TakeWagersAndDraw()
        case Phase.BETTING | Phase.CLOSED:
            return DrawCard(hand=Side.PLAYER)
        case Phase.COMPLETE if standing.complete and standing.why is not None:
            return ConfirmResult(why=standing.why)
        case Phase.COMPLETE if shoe.dealt_on and standing.why is not None:
            # The shoe has given its result and begun another round: nothing more of this one will be shown.
            return ConfirmResult(why=standing.why)
        case _ if standing.next_hand is not None:
            return DrawCard(hand=standing.next_hand, why=standing.why)
    return ShowCards()
