"""What `init` shows of a new table: the figures of its rules, and a round dealt with them."""

from shoe_controller.baccarat.house import House, PlacedWager
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.baccarat.outcome import dealt_round
from shoe_controller.baccarat.payments import payment_range
from shoe_controller.baccarat.settlement import settle
from shoe_controller.commands.output import console, draw_table
from shoe_controller.history.drawing import draw
from shoe_controller.history.rounds import RecalledRound


def draw_figures(house: House) -> None:
    """What each wager earns the house, and what it pays at the limits."""
    rows = []
    for wager in house.offered:
        edge = f"{float(exact_odds(house.schedule, wager, house.decks).house_edge):.2%}"
        pays = payment_range(house, wager)
        amounts = ["none", "", "", ""]
        if pays is not None:
            amounts = [f"{amount:,}" for amount in (pays.lowest_stake, pays.smallest, pays.highest_stake, pays.largest)]
        rows.append((wager, edge, *amounts))
    title = f"The house's edge with {house.decks} decks, and payments in minor units"
    figures = ("edge", "lowest stake", "smallest payment", "highest stake", "largest payment")
    draw_table(title, ("wager",), figures, rows)


def draw_round(house: House, playing: RecalledRound) -> None:
    """The round card by card, and the lowest stake on each wager settled."""
    out = console()
    draw(out, [playing], "")
    cards = [each.card for each in playing.attempts[-1].cards if each.card is not None]
    facts = dealt_round(cards, house.decks).facts
    for wager in house.offered:
        stake = house.limits[wager].min
        (one,) = settle(house, facts, [PlacedWager(house.seats[0], wager, stake)]).wagers
        out.print(f"  Settled: {stake:,} on {wager}: {one.result.value}, {one.returned:,} goes back to the player.")
