"""What every wager pays, a second time: written from the documents, sharing no code with `shoe_controller/baccarat`.

Each wager is one Python expression here, not a row of a catalogue. A price is winnings for a stake of one, net of
commission.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from simulator.reckoner.drawing import Round, total

PUSH = Fraction(0)
LOSE = None


def _when(holds: bool, price: int | Fraction) -> Fraction | None:  # noqa: FBT001 - reads as a sentence where it is used
    return Fraction(price) if holds else LOSE


Rule = Callable[[Round], Fraction | None]


def _lucky_six(r: Round, three: int, two: int) -> Fraction | None:
    if r.b != 6 or r.p >= 6:
        return LOSE
    return Fraction(three if len(r.banker) == 3 else two)


def _blue_dragon(r: Round) -> Fraction | None:
    how_many = r.three("P", 9) + r.three("B", 9)
    return {0: LOSE, 1: Fraction(10), 2: Fraction(75)}[how_many]


def _red_dragon(r: Round, on: int) -> Fraction | None:
    if r.three("P", on) and r.three("B", on):
        return Fraction(200)
    return _when(r.two("P", on) and r.two("B", on), 50)


def _bad_beat(r: Round) -> Fraction | None:
    if abs(r.p - r.b) != 1:
        return LOSE
    high = max(r.p, r.b)
    if high == 9:
        if len(r.player) == len(r.banker) == 3:
            return Fraction(40)
        return Fraction(10) if len(r.player) == len(r.banker) == 2 else Fraction(1)
    return Fraction({8: 5, 7: 4}.get(high, 1))


def _phoenix(mine: tuple[str, ...], other: tuple[str, ...]) -> Fraction | None:
    i_have, they_have = total(mine), total(other)
    if i_have == they_have:
        return PUSH if i_have >= 8 and len(mine) == len(other) == 2 else LOSE
    if i_have < they_have:
        return LOSE
    if i_have >= 8 and len(mine) == 2:
        return Fraction(1)
    prices: dict[int, int] = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}
    margin = i_have - they_have
    return Fraction(prices[margin]) if margin in prices else LOSE


def _suited(hand: Sequence[str]) -> bool:
    return len({card[1] for card in hand}) == 1


def _lucky_8(mine: tuple[str, ...], other: tuple[str, ...], prices: Sequence[int]) -> Fraction | None:
    if total(mine) != 8:
        return LOSE
    suited_8 = len(mine) == 3 and _suited(mine)
    if suited_8 and total(other) == 8 and len(other) == 3 and _suited(other):
        return Fraction(prices[0])
    if suited_8:
        return Fraction(prices[1])
    if total(other) == 8:
        return Fraction(prices[2])
    return Fraction(prices[3] if total(other) == 9 else prices[4])


def _any_dragon(r: Round, suite: str) -> Fraction | None:
    dragons = {
        "golden 7": r.three("B", 7) and r.b > r.p,
        "golden 6": r.b == 6 and r.b > r.p,
        "green 8": r.three("P", 8) and r.p > r.b,
        "blue 9": r.three("P", 9) or r.three("B", 9),
        "red 7": _red_dragon(r, 7) is not LOSE,
        "red 6": _red_dragon(r, 6) is not LOSE,
    }
    del dragons["red 6" if suite == "A" else "golden 7"]
    return _when(any(dragons.values()), 6 if suite == "A" else 4)


def _banker(r: Round, game: str, commission: Fraction) -> Fraction | None:
    if r.tie:
        return PUSH
    if r.p > r.b:
        return LOSE
    if game == "commission":
        return 1 - commission
    if game == "nepal":
        return Fraction(1, 2) if r.b == 6 else Fraction(1)
    return PUSH if r.three("B", 7) else Fraction(1)


L8 = {"L8-1": (200, 50, 25, 8, 3), "L8-2": (200, 40, 25, 8, 3), "L8-3": (200, 25, 15, 8, 4)}


GAMES = ("commission", "no_commission", "nepal")
USUAL_COMMISSION = Fraction(5, 100)


def rules(game: str, suite: str, fortune: str, lucky: str, commission: Fraction = USUAL_COMMISSION) -> dict[str, Rule]:
    """Every wager under one base game, one Any Dragon suite, one Infinite Fortune and one Lucky 8 pay table."""
    three, two, any_number = (3,), (2,), (2, 3)

    def banker_three_7(r: Round) -> Fraction | None:
        return _when(r.three("B", 7) and r.b > r.p, 40)

    def player_three_8(r: Round) -> Fraction | None:
        return _when(r.three("P", 8) and r.p > r.b, 25)

    table: dict[str, Rule] = {
        "base.player": lambda r: PUSH if r.tie else _when(r.p > r.b, 1),
        "base.banker": lambda r: _banker(r, game, commission),
        "base.tie": lambda r: _when(r.tie, 8),
        "pairs.player": lambda r: _when(r.player[0][0] == r.player[1][0], 11),
        "pairs.banker": lambda r: _when(r.banker[0][0] == r.banker[1][0], 11),
        "lucky_6.lucky_6": lambda r: _lucky_six(r, 20, 12),
        "golden_bacc.three_card_9_over_three_card_7": lambda r: _when(r.over(9, three, 7, three), 200),
        "golden_bacc.natural_9_over_7": lambda r: _when(r.over(9, two, 7, any_number), 50),
        "golden_bacc.any_8_over_any_6": lambda r: _when(r.over(8, any_number, 6, any_number), 25),
        "golden_bacc.three_card_9_over_three_card_1": lambda r: _when(r.over(9, three, 1, three), 150),
        "golden_bacc.super_7": banker_three_7,
        "golden_bacc.fortune_8": player_three_8,
        "five_dragons.golden_dragon_7": banker_three_7,
        "five_dragons.golden_dragon_6": lambda r: _lucky_six(r, 25, 12),
        "five_dragons.green_dragon_8": player_three_8,
        "five_dragons.blue_dragon_9": _blue_dragon,
        "five_dragons.red_dragon_7": lambda r: _red_dragon(r, 7),
        "five_dragons.red_dragon_6": lambda r: _red_dragon(r, 6),
        "five_dragons.any_dragon": lambda r: _any_dragon(r, suite),
        "infinite_fortune.three_card_9_over_three_card_8": lambda r: _when(r.over(9, three, 8, three), 200),
        "infinite_fortune.natural_9_over_natural_8": lambda r: _when(
            r.over(9, two, 8, two), 50 if fortune == "1" else 45
        ),
        "infinite_fortune.any_8_over_any_7": lambda r: _when(r.over(8, any_number, 7, any_number), 25),
        "infinite_fortune.tie_7": lambda r: _when(r.tie and r.p == 7, 40),
        "infinite_fortune.tie_6": lambda r: _when(r.tie and r.p == 6, 40),
        "infinite_fortune.tie_7_or_6": lambda r: _when(r.tie and r.p in (6, 7), 20),
        "infinite_fortune.super_7": banker_three_7,
        "infinite_fortune.fortune_8": player_three_8,
        "bad_beat.bad_beat": _bad_beat,
        "phoenix_bonus.player": lambda r: _phoenix(r.player, r.banker),
        "phoenix_bonus.banker": lambda r: _phoenix(r.banker, r.player),
        "lucky_8.player": lambda r: _lucky_8(r.player, r.banker, L8[lucky]),
        "lucky_8.banker": lambda r: _lucky_8(r.banker, r.player, L8[lucky]),
    }
    table |= {f"player_wins_on.{on}": _wins_on("P", on, price) for on, price in enumerate(PLAYER_WINS_ON, 1)}
    table |= {f"banker_wins_on.{on}": _wins_on("B", on, price) for on, price in enumerate(BANKER_WINS_ON, 1)}
    table["banker_wins_on.6"] = lambda r: _lucky_six(r, 20, 12)
    table |= {f"tie_wins_on.{on}": _tie_on(on, price) for on, price in enumerate(TIE_WINS_ON)}
    return table


PLAYER_WINS_ON = (160, 90, 60, 45, 30, 11, 9, 6, 6)
BANKER_WINS_ON = (160, 90, 60, 25, 17, 0, 9, 7, 6)
"""Six has two prices and stands by itself."""
TIE_WINS_ON = (140, 200, 200, 170, 110, 100, 40, 40, 70, 70)


def _wins_on(side: str, on: int, price: int) -> Rule:
    if side == "P":
        return lambda r: _when(r.p == on > r.b, price)
    return lambda r: _when(r.b == on > r.p, price)


def _tie_on(on: int, price: int) -> Rule:
    return lambda r: _when(r.p == r.b == on, price)
