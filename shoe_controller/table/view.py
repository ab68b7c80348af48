"""What may be shown of a table at a moment: the retained `state` of the displays, and the dealer's next sentence.

Cards that lie face down are not in it, nor anything that would give them away.
"""

import msgspec

from shoe_controller.baccarat.drawing import Side
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import HandOutcome
from shoe_controller.table.acts import ACTS, AnyAct
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.draft import is_stopped
from shoe_controller.table.facts import CardPlace, Standing
from shoe_controller.table.finishing import placed
from shoe_controller.table.judging import FIRST_FOUR, judge, place_of, standing_of
from shoe_controller.table.phases import CARDS_OUT, Phase
from shoe_controller.table.procedure import BetsClose
from shoe_controller.table.state import TableState


class AlertView(msgspec.Struct, frozen=True, kw_only=True):
    alert: int
    kind: str
    severity: str
    happened: str
    detail: str
    to_do: str
    cleared_by: str
    ended_by: tuple[str, ...]


class ProposalView(msgspec.Struct, frozen=True, kw_only=True):
    proposal: int
    act: AnyAct
    person: str
    reason: str


class LastOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The round that was settled last in this shoe."""

    round: int
    player: HandOutcome
    banker: HandOutcome
    winner: Winner


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    seq: int
    """The last fact that it includes."""
    phase: str
    stopped: bool
    prompt: str
    """What comes next, for the dealer."""
    shoe: int
    round: int
    decks: int | None
    free: bool
    link_up: bool
    cards_out: int
    burned: int
    to_burn: int | None
    last_round: int | None
    cards: tuple[CardPlace, ...]
    extra_cards: int
    standing: Standing | None
    wagers: tuple[PlacedWager, ...]
    alerts: tuple[AlertView, ...]
    proposal: ProposalView | None
    possible_acts: tuple[str, ...]
    """What people may do in this phase, whoever may."""
    last_outcome: LastOutcome | None


def view_of(state: TableState) -> TableView:
    shoe, playing, lasting = state.shoe, state.round, state.lasting
    cards = () if playing is None else playing.cards
    proposal = lasting.proposal
    phases = _phases_that_may_be(state)
    return TableView(
        seq=lasting.seq,
        phase=phases[0].value,
        stopped=is_stopped(state),
        prompt=prompt(state),
        shoe=state.shoe_number,
        round=state.round_number,
        decks=None if shoe is None else shoe.decks,
        free=playing is not None and playing.free,
        link_up=lasting.link.up,
        cards_out=0 if shoe is None else shoe.cards_out,
        burned=0 if shoe is None else shoe.burned,
        to_burn=None if shoe is None else shoe.burns,
        last_round=None if shoe is None else shoe.last_round,
        cards=tuple(place_of(number, laid) for number, laid in enumerate(cards, 1)),
        extra_cards=0 if playing is None else len(playing.extras) + len(playing.strays),
        standing=None if playing is None else standing_of(cards),
        wagers=() if playing is None else placed(playing.wagers),
        alerts=tuple(
            AlertView(
                alert=alert.number,
                kind=alert.kind,
                severity=ALERTS[alert.kind].severity.value,
                happened=ALERTS[alert.kind].happened,
                detail=alert.detail,
                to_do=ALERTS[alert.kind].to_do,
                cleared_by=ALERTS[alert.kind].cleared_by.value,
                ended_by=ALERTS[alert.kind].ended_by,
            )
            for alert in lasting.alerts
        ),
        proposal=None
        if proposal is None
        else ProposalView(proposal=proposal.number, act=proposal.act, person=proposal.person, reason=proposal.reason),
        possible_acts=tuple(rule.name for rule in ACTS.values() if not rule.phases.isdisjoint(phases)),
        last_outcome=_last_outcome(state),
    )


def _phases_that_may_be(state: TableState) -> tuple[Phase, ...]:
    """The phase; where cards lie face down, nobody may learn from it whether another one is due."""
    cards = () if state.round is None else state.round.cards
    if state.phase in CARDS_OUT and len(cards) >= len(FIRST_FOUR) and not all(laid.shown for laid in cards):
        return (Phase.DEALING, Phase.COMPLETE)
    return (state.phase,)


def _last_outcome(state: TableState) -> LastOutcome | None:
    previous = None if state.shoe is None else state.shoe.previous
    if previous is None:
        return None
    deal = judge(previous.cards).deal
    facts = deal.facts
    return LastOutcome(
        round=previous.number,
        player=HandOutcome(deal.player, facts.player_total, facts.player_natural),
        banker=HandOutcome(deal.banker, facts.banker_total, facts.banker_natural),
        winner=facts.winner,
    )


def prompt(state: TableState) -> str:  # noqa: PLR0911 - a sentence for each phase
    """What happens next, in the dealer's words."""
    stopping = [alert for alert in state.lasting.alerts if ALERTS[alert.kind].severity.value == "stops"]
    if stopping:
        return ALERTS[stopping[0].kind].to_do
    if not state.lasting.link.up:
        return "The shoe is not connected. Check its cable and its power."
    match state.phase:
        case Phase.NO_SHOE:
            return "Put the cards in and announce the new shoe."
        case Phase.FIRST_CARD:
            return "Draw the first card and show it."
        case Phase.ENDED:
            return "The shoe is over. Change the cards and announce the new shoe."
        case Phase.BURNING if state.shoe is not None:
            left = (state.shoe.burns or 0) - state.shoe.burned
            return f"Burn {left} more {'card' if left == 1 else 'cards'}."
    return _prompt_in_round(state)


def _prompt_in_round(state: TableState) -> str:  # noqa: PLR0911 - a sentence for each phase
    if state.shoe is None or state.round is None:
        return ""
    by_dealer = state.shoe.rules.procedure.bets_close is BetsClose.DEALER
    standing = standing_of(state.round.cards)
    match state.phase:
        case Phase.BETTING if by_dealer and not state.round.free:
            return 'Take the wagers, then say "no more bets".'
        case Phase.BETTING:
            return "Take the wagers, then draw Player's first card." if not state.round.free else _draw(Side.PLAYER)
        case Phase.CLOSED:
            return _draw(Side.PLAYER)
        case Phase.COMPLETE if standing.complete:
            return f"{standing.why}. Ask for the result."
        case _ if standing.next_hand is not None:
            return f"{_draw(standing.next_hand)} {standing.why}."
        case _:
            return "Show the cards, or ask for the result."


def _draw(side: Side) -> str:
    return f"Draw a card for {side}."
