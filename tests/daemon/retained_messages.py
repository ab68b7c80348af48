"""Whether the retained roads and state of a table are those of what happened at the shoe."""

from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.facts import Facts
from shoe_controller.baccarat.roads import RoadResult, RoadWinner, roads
from shoe_controller.baccarat.sides import Side
from simulator.truth import AnyHappening, CardOut, RoundEnded
from tests.daemon.clients import Display


def deal_of(ended: RoundEnded) -> Facts:
    """What a round comes to, worked out from the cards that really lay there."""
    deal = Deal()
    hands = {Side.PLAYER: list(ended.player), Side.BANKER: list(ended.banker)}
    while deal.next_side is not None:
        deal.feed(hands[deal.next_side].pop(0))
    assert not hands[Side.PLAYER] + hands[Side.BANKER], f"cards are left over: {ended}"
    return deal.facts


def roads_and_state_agree(truth: list[AnyHappening], display: Display) -> None:
    """Of a shoe in which every round counted."""
    all_facts = [deal_of(happening) for happening in truth if isinstance(happening, RoundEnded)]
    results = [
        RoadResult(
            winner=RoadWinner[facts.winner.name],
            banker_pair=facts.banker_pair,
            player_pair=facts.player_pair,
            natural=facts.player_natural or facts.banker_natural,
        )
        for facts in all_facts
    ]
    assert display.roads is not None
    assert display.roads.roads == roads(results)
    assert display.roads.counts.rounds == len(results)
    assert display.state is not None
    assert display.state.cards_out == sum(isinstance(happening, CardOut) for happening in truth)
