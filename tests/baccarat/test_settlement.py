"""Settlement: money in is money out, for any table; and each rule of the house, by itself."""

from fractions import Fraction
from itertools import groupby

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from shoe_controller.baccarat.conditions import facts_where
from shoe_controller.baccarat.facts import Facts, all_facts
from shoe_controller.baccarat.house import (
    CommissionTaken,
    House,
    OverLimit,
    PlacedWager,
    Rounding,
    RoundingMode,
    RoundLimit,
    StakeLimits,
    is_base,
    refusals,
)
from shoe_controller.baccarat.outcome import dealt_round
from shoe_controller.baccarat.settlement import Settlement, WagersRefusedError, settle
from shoe_controller.baccarat.wager_refusals import (
    AboveMaximum,
    AnyWagerRefusal,
    BelowMinimum,
    NeedsBaseWager,
    NoMultiple,
    NotOffered,
    OneOfOption,
    PlacedTwice,
    TooManyOptions,
    UnknownSeat,
)
from shoe_controller.baccarat.wagers import OptionRule, Result, Row, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue

CATALOGUE = built_in_catalogue()
SEATS = ("9", "7", "5", "3", "1")
SIDE_WAGERS = frozenset(wager for wager in CATALOGUE.wagers if not is_base(wager))


def house(**changes: object) -> House:
    plain = House(
        decks=8,
        schedule=CATALOGUE.schedule("commission"),
        offered=tuple(CATALOGUE.wagers),
        seats=SEATS,
        limits=dict.fromkeys(CATALOGUE.wagers, StakeLimits(1, 10_000_000)),
        needs_base=frozenset(),
        option_rules=(),
        rounding=Rounding(),
        round_limit=None,
        commission_taken=CommissionTaken.AT_ONCE,
        names={},
    )
    return msgspec.structs.replace(plain, **changes)


def facts_of(texts: str) -> Facts:
    return dealt_round([Card.parse(text) for text in texts.split()], decks=8).facts


def settled(rules: House, texts: str, *placed: tuple[str, str, int]) -> Settlement:
    return settle(rules, facts_of(texts), [PlacedWager(*one) for one in placed])


HOUSES = st.builds(
    house,
    schedule=st.sampled_from(
        [
            CATALOGUE.schedule("commission"),
            CATALOGUE.schedule("commission", commission=Fraction("0.0475")),
            CATALOGUE.schedule("nepal", {"lucky_8": "L8-3"}),
            CATALOGUE.schedule("no_commission"),
        ]
    ),
    rounding=st.builds(Rounding, st.sampled_from(RoundingMode), st.sampled_from([1, 5, 50])),
    round_limit=st.none()
    | st.builds(RoundLimit, st.integers(1, 30_000), st.just(SIDE_WAGERS), st.sampled_from(OverLimit)),
    commission_taken=st.sampled_from(CommissionTaken),
)
PLACED = st.dictionaries(
    st.tuples(st.sampled_from(SEATS), st.sampled_from(list(CATALOGUE.wagers))), st.integers(1, 9_999), max_size=25
).map(lambda stakes: [PlacedWager(seat, wager, stake) for (seat, wager), stake in stakes.items()])


def in_units(rules: House, placed: list[PlacedWager]) -> list[PlacedWager]:
    """The same wagers, with stakes that are multiples of the least the table pays."""
    return [msgspec.structs.replace(bet, stake=bet.stake * rules.rounding.unit) for bet in placed]


@given(HOUSES, PLACED, st.sampled_from(all_facts()))
def test_money_in_is_money_out(rules: House, placed: list[PlacedWager], facts: Facts) -> None:
    placed = in_units(rules, placed)
    settlement = settle(rules, facts, placed)
    at_once = rules.commission_taken is CommissionTaken.AT_ONCE
    for part in (settlement.totals, *settlement.seats.values()):
        kept_back = part.commission if at_once else 0
        assert part.stakes + part.winnings == part.taken + part.returned + kept_back + part.cut
        assert part.paid == part.winnings - kept_back - part.cut
    assert settlement.totals.stakes == sum(bet.stake for bet in placed)
    for name in ("stakes", "taken", "winnings", "commission", "cut", "paid", "returned"):
        assert getattr(settlement.totals, name) == sum(getattr(seat, name) for seat in settlement.seats.values())
    for wager in settlement.wagers:
        assert min(wager.winnings, wager.commission, wager.cut, wager.paid, wager.returned) >= 0
        assert wager.result is Result.WIN or wager.winnings == wager.commission == wager.cut == 0
        assert (
            wager.returned
            == {
                Result.LOSE: 0,
                Result.PUSH: wager.stake,
                Result.WIN: wager.stake + wager.winnings - (wager.commission if at_once else 0) - wager.cut,
            }[wager.result]
        )


@given(HOUSES, PLACED, st.sampled_from(all_facts()))
def test_each_wager_is_settled_on_its_own_and_rounded_by_the_houses_rule(
    rules: House, placed: list[PlacedWager], facts: Facts
) -> None:
    placed = in_units(rules, placed)
    settlement = settle(rules, facts, placed)
    for wager in settlement.wagers:
        if wager.pays is None:
            continue
        exact = wager.stake * Fraction(*map(int, wager.pays.split(":")))
        off = wager.winnings - wager.commission - exact
        unit = rules.rounding.unit
        assert (wager.winnings - wager.commission) % unit == 0
        match rules.rounding.mode:
            case RoundingMode.DOWN:
                assert -unit < off <= 0
            case RoundingMode.UP:
                assert 0 <= off < unit
            case RoundingMode.NEAREST:
                assert -unit < 2 * off <= unit


@given(HOUSES, PLACED, st.sampled_from(all_facts()))
def test_the_steps_follow_the_dealers_order_of_action(rules: House, placed: list[PlacedWager], facts: Facts) -> None:
    placed = in_units(rules, placed)
    settlement = settle(rules, facts, placed)
    steps = settlement.steps
    assert sorted((s.seat, s.wager) for s in steps) == sorted((bet.seat, bet.wager) for bet in placed)
    phases = [phase for phase, _ in groupby(steps, key=lambda s: s.step == "take")]
    assert phases in ([], [True], [False], [True, False])
    for taking in (True, False):
        in_phase = [s for s in steps if (s.step == "take") == taking]
        assert [seat for seat, _ in groupby(in_phase, key=lambda s: s.seat)] == sorted(
            {s.seat for s in in_phase}, key=SEATS.index
        )
        for _, at_seat in groupby(in_phase, key=lambda s: s.seat):
            base_first = [is_base(s.wager) for s in at_seat]
            assert base_first == sorted(base_first, reverse=True)
    by_wager = {(wager.seat, wager.wager): wager for wager in settlement.wagers}
    for step in steps:
        wager = by_wager[step.seat, step.wager]
        expected = {
            Result.LOSE: ("take", wager.stake),
            Result.PUSH: ("push", wager.stake),
            Result.WIN: ("pay", wager.paid),
        }
        assert (step.step, step.amount) == expected[wager.result]


@given(HOUSES, PLACED, st.sampled_from(all_facts()))
def test_the_rounds_limit_is_kept_and_used_up(rules: House, placed: list[PlacedWager], facts: Facts) -> None:
    placed = in_units(rules, placed)
    settlement = settle(rules, facts, placed)
    limit = rules.round_limit
    limited = [wager for wager in settlement.wagers if limit and wager.wager in limit.wagers]
    won = sum(wager.paid + wager.cut for wager in limited)
    if limit is None or won <= limit.amount:
        assert settlement.totals.cut == 0
        assert settlement.limit_reached is None
        return
    usable = limit.amount // rules.rounding.unit * rules.rounding.unit
    assert sum(wager.paid for wager in limited) == usable
    assert settlement.limit_reached is not None
    assert (settlement.limit_reached.limit, settlement.limit_reached.winnings) == (limit.amount, won)
    assert all(wager.cut == 0 for wager in settlement.wagers if wager not in limited)
    if limit.policy is OverLimit.PROPORTIONAL:
        for wager in limited:
            fair = Fraction(usable * (wager.paid + wager.cut), won)
            assert abs(wager.paid - fair) < rules.rounding.unit
    else:
        cut_or_not = [wager.cut > 0 for wager in limited if wager.result is Result.WIN]
        assert cut_or_not == sorted(cut_or_not)
        assert sum(1 for wager in limited if wager.cut and wager.paid) <= 1


def test_left_over_units_go_to_the_largest_remainders_then_in_paying_order() -> None:
    """Winners of 110, 110 and 220 share the limit; of equal remainders the one paid first gets the unit."""
    placed = [("9", "pairs.player", 10), ("7", "pairs.player", 10), ("5", "pairs.player", 20)]
    for amount, shares in ((100, [25, 25, 50]), (101, [25, 25, 51]), (102, [26, 25, 51]), (103, [26, 26, 51])):
        limit = RoundLimit(amount, SIDE_WAGERS, OverLimit.PROPORTIONAL)
        settlement = settled(house(round_limit=limit), "4H 9D 4S KC", *placed)
        assert [wager.paid for wager in settlement.wagers] == shares


def test_paid_in_order_until_the_limit_is_used_up() -> None:
    limit = RoundLimit(150, SIDE_WAGERS, OverLimit.IN_ORDER)
    settlement = settled(
        house(round_limit=limit),
        "4H 9D 4S KC",
        ("1", "pairs.player", 10),
        ("9", "pairs.player", 10),
        ("5", "pairs.player", 10),
        ("9", "base.banker", 100),
    )
    assert [(w.seat, w.wager, w.paid, w.cut) for w in settlement.wagers] == [
        ("9", "base.banker", 95, 0),
        ("9", "pairs.player", 110, 0),
        ("5", "pairs.player", 40, 70),
        ("1", "pairs.player", 0, 110),
    ]


@pytest.mark.parametrize(
    ("taken", "returned", "paid"), [(CommissionTaken.AT_ONCE, 4875, 2375), (CommissionTaken.MARKED, 5000, 2500)]
)
def test_commission_at_once_or_marked(taken: CommissionTaken, returned: int, paid: int) -> None:
    settlement = settled(house(commission_taken=taken), "4H 9D KS KC", ("1", "base.banker", 2500))
    (wager,) = settlement.wagers
    assert (wager.pays, wager.winnings, wager.commission) == ("19:20", 2500, 125)
    assert (wager.returned, wager.paid, settlement.commission_taken) == (returned, paid, taken)


def test_what_is_paid_is_rounded_down_and_commission_is_the_rest() -> None:
    (wager,) = settled(house(), "4H 9D KS KC", ("1", "base.banker", 2550)).wagers
    assert (wager.winnings, wager.commission, wager.returned) == (2550, 128, 2550 + 2422)


def test_nepals_six_pays_half_rounded() -> None:
    nepal = house(schedule=CATALOGUE.schedule("nepal"))
    (wager,) = settled(nepal, "2H 2D KS 4C 3H", ("1", "base.banker", 25)).wagers
    assert (wager.pays, wager.winnings, wager.returned) == ("1:2", 12, 37)


REFUSED: list[tuple[AnyWagerRefusal, dict[str, object], list[tuple[str, str, int]]]] = [
    (UnknownSeat(seat="4", wager="base.player", seats=SEATS), {}, [("4", "base.player", 100)]),
    (
        NotOffered(seat="1", wager="lucky_8.banker", nearest=None),
        {"offered": ("base.player",)},
        [("1", "lucky_8.banker", 100)],
    ),
    (NotOffered(seat="1", wager="base.plyer", nearest="base.player"), {}, [("1", "base.plyer", 100)]),
    (BelowMinimum(seat="1", wager="base.tie", stake=0, min=1), {}, [("1", "base.tie", 0)]),
    (BelowMinimum(seat="1", wager="base.tie", stake=-5, min=1), {}, [("1", "base.tie", -5)]),
    (
        AboveMaximum(seat="1", wager="base.tie", stake=10_000_001, max=10_000_000),
        {},
        [("1", "base.tie", 10_000_001)],
    ),
    (
        NoMultiple(seat="1", wager="base.tie", stake=120, unit=50),
        {"rounding": Rounding(unit=50)},
        [("1", "base.tie", 120)],
    ),
    (PlacedTwice(seat="1", wager="base.tie"), {}, [("1", "base.tie", 5), ("1", "base.tie", 5)]),
    (NeedsBaseWager(seat="1", wager="pairs.player"), {"needs_base": SIDE_WAGERS}, [("1", "pairs.player", 5)]),
    (
        NeedsBaseWager(seat="1", wager="pairs.player"),
        {"needs_base": SIDE_WAGERS},
        [("1", "pairs.player", 5), ("1", "base.tie", 5), ("3", "base.player", 5)],
    ),
]


@pytest.mark.parametrize(("refusal", "changes", "placed"), REFUSED)
def test_what_the_house_does_not_permit_is_refused_and_nothing_settled(
    refusal: AnyWagerRefusal, changes: dict[str, object], placed: list[tuple[str, str, int]]
) -> None:
    with pytest.raises(WagersRefusedError, match=refusal.code) as refused:
        settled(house(**changes), "4H 9D KS KC", ("9", "base.player", 100), *placed)
    assert refused.value.refused == [refusal]


def test_a_side_wager_stands_beside_player_or_banker() -> None:
    rules = house(needs_base=SIDE_WAGERS)
    for base in ("base.player", "base.banker"):
        assert refusals(rules, [PlacedWager("1", "pairs.player", 5), PlacedWager("1", base, 5)]) == []


WASHINGTON = CATALOGUE.layouts["lucky_8"].option_rule
assert WASHINGTON is not None
LUCKY_8_TABLE = house(option_rules=(WASHINGTON,), schedule=CATALOGUE.schedule("commission"))


@pytest.mark.parametrize(
    ("wagers", "codes"),
    [
        (["base.player", "base.tie", "lucky_8.player"], []),
        (["base.tie", "lucky_8.player", "lucky_8.banker"], []),
        (["base.player", "base.tie", "lucky_8.player", "lucky_8.banker"], ["too_many_options"]),
        (["base.player", "base.banker"], ["one_of_option"]),
        (
            ["base.player", "base.banker", "base.tie", "lucky_8.player", "lucky_8.banker"],
            ["one_of_option", "too_many_options"],
        ),
    ],
)
def test_three_of_the_four_options_of_lucky_8(wagers: list[str], codes: list[str]) -> None:
    placed = [PlacedWager("1", wager, 10) for wager in wagers]
    assert [refusal.code for refusal in refusals(LUCKY_8_TABLE, placed)] == codes
    # Another seat has options of its own.
    assert refusals(LUCKY_8_TABLE, [PlacedWager("3", "base.banker", 10), PlacedWager("1", "base.player", 10)]) == []


def test_the_values_of_refused_options() -> None:
    placed = [PlacedWager("1", wager, 10) for wager in ("base.player", "base.banker")]
    both = OneOfOption(seat="1", wager="base.banker", wagers=("base.player", "base.banker"))
    assert refusals(LUCKY_8_TABLE, placed) == [both]
    placed = [PlacedWager("1", wager, 10) for wager in ("base.player", "base.tie", "lucky_8.player", "lucky_8.banker")]
    too_many = TooManyOptions(seat="1", wager="lucky_8.banker", options=4, at_most=3)
    assert refusals(LUCKY_8_TABLE, placed) == [too_many]


def test_all_refusals_are_given_at_once() -> None:
    placed = [PlacedWager("4", "base.tie", 5), PlacedWager("1", "base.tie", 0), PlacedWager("1", "no.such", 5)]
    assert [refusal.code for refusal in refusals(house(), placed)] == ["unknown_seat", "below_minimum", "not_offered"]


def test_option_rules_speak_of_wagers_only_where_they_are_played() -> None:
    rule = OptionRule(1, (("base.player",), ("base.tie",)))
    assert refusals(house(option_rules=(rule,)), [PlacedWager("1", "pairs.player", 5)]) == []


@pytest.mark.parametrize(
    ("taken", "policy", "expected"),
    [
        (CommissionTaken.AT_ONCE, OverLimit.IN_ORDER, [(100, 5, 895), (0, 0, 1000)]),
        (CommissionTaken.MARKED, OverLimit.IN_ORDER, [(100, 5, 900), (0, 0, 1000)]),
        (CommissionTaken.AT_ONCE, OverLimit.PROPORTIONAL, [(50, 2, 948), (50, 2, 948)]),
        (CommissionTaken.MARKED, OverLimit.PROPORTIONAL, [(50, 2, 950), (50, 2, 950)]),
    ],
)
def test_what_the_limit_cuts_away_costs_no_commission(
    taken: CommissionTaken, policy: OverLimit, expected: list[tuple[int, int, int]]
) -> None:
    """A house's own side wager with commission: paid, commission and cut of two winners of 1000."""
    schedule = CATALOGUE.schedule("commission")
    schedule.pay_tables["pairs.player"] = (
        Row("player_pair true", facts_where({"player_pair": True}), Fraction(1), commission=True),
    )
    schedule = Schedule(
        "commission", {wager: ("", table) for wager, table in schedule.pay_tables.items()}, schedule.commission
    )
    rules = house(
        schedule=schedule,
        commission_taken=taken,
        round_limit=RoundLimit(100, frozenset({"pairs.player"}), policy),
    )
    settlement = settled(rules, "4H 9D 4S KC", ("9", "pairs.player", 1000), ("7", "pairs.player", 1000))
    assert [(w.paid, w.commission, w.cut) for w in settlement.wagers] == expected
    totals = settlement.totals
    kept_back = totals.commission if taken is CommissionTaken.AT_ONCE else 0
    assert totals.stakes + totals.winnings == totals.taken + totals.returned + kept_back + totals.cut
