"""Blind spots of a campaign are failures, and a thousand seeds aim at every cell that can be met."""

from collections import Counter

from shoe_controller.table.alerts import ALERTS
from tests.simulation.aims import PHASES, cells
from tests.simulation.coverage import ALL_ACTS, ALL_FACTS, ENOUGH, MEANING, alerts_table, blind_spots, coverage_table
from tests.simulation.houses import GAMES, every_wager
from tests.simulation.mishaps import AROUND, DOWN_PHASE, NEVER_RAISED, SHOE_FAULTS, why_never
from tests.simulation.seeds import plan_of

CAN = [(name, phase) for name in (*SHOE_FAULTS, *AROUND) for phase in PHASES if why_never(name, phase) is None]
ALL_MET = Counter(CAN)
ALL_DONE: Counter[str] = Counter(ALL_ACTS)
ALL_SAID: Counter[str] = Counter(ALL_FACTS)
ALL_SETTLED = Counter((game, wager) for game in GAMES for wager in every_wager())


def test_a_campaign_that_met_everything_has_no_blind_spot() -> None:
    assert blind_spots(ALL_MET, ALL_SETTLED, ALL_DONE, ALL_SAID, ENOUGH) == []


def test_every_cell_that_stays_empty_is_a_blind_spot_once_there_are_enough_seeds() -> None:
    for cell in CAN:
        met = ALL_MET.copy()
        del met[cell]
        (sentence,) = blind_spots(met, ALL_SETTLED, ALL_DONE, ALL_SAID, ENOUGH)
        assert sentence == f"{cell[0]} never came in the phase {cell[1]}, and no reason says that it cannot"
        assert blind_spots(met, ALL_SETTLED, ALL_DONE, ALL_SAID, ENOUGH - 1) == []


def test_a_wager_that_was_never_settled_is_a_blind_spot() -> None:
    settled = ALL_SETTLED.copy()
    del settled["nepal", "lucky_8.banker"]
    found = blind_spots(ALL_MET, settled, ALL_DONE, ALL_SAID, ENOUGH)
    assert found == ["lucky_8.banker was never settled in the base game nepal"]


def test_an_act_that_nobody_did_is_a_blind_spot() -> None:
    done = ALL_DONE.copy()
    del done["void_and_replay"]
    assert blind_spots(ALL_MET, ALL_SETTLED, done, ALL_SAID, ENOUGH) == ["nobody ever did void_and_replay"]
    assert blind_spots(ALL_MET, ALL_SETTLED, done, ALL_SAID, ENOUGH - 1) == []


def test_an_event_that_nothing_led_to_is_a_blind_spot() -> None:
    said = ALL_SAID.copy()
    del said["round_amended"]
    assert blind_spots(ALL_MET, ALL_SETTLED, ALL_DONE, said, ENOUGH) == ["nothing ever led to the event round_amended"]
    assert blind_spots(ALL_MET, ALL_SETTLED, ALL_DONE, said, ENOUGH - 1) == []


def test_what_was_said_to_be_impossible_and_came_fails_however_few_the_seeds() -> None:
    (sentence,) = blind_spots(Counter({("daemon_killed", DOWN_PHASE): 1}), Counter(), Counter(), Counter(), 1)
    assert sentence.startswith("daemon_killed came in the phase down, and this is said to be impossible: while no")


def test_the_table_says_what_it_means() -> None:
    caption = str(coverage_table(Counter()).caption)
    assert MEANING in caption
    assert "(1) while nobody is on the line" in caption


def test_an_alert_that_nothing_here_can_raise_says_why() -> None:
    assert set(ALERTS) > set(NEVER_RAISED)
    table = alerts_table(Counter({"misread": 3}))
    rows = list(zip(*(column.cells for column in table.columns), strict=True))
    assert [row[0] for row in rows] == sorted(ALERTS)
    assert ("misread", "3", "") in rows
    assert ("preset_changed", "none", NEVER_RAISED["preset_changed"]) in rows


def test_a_thousand_seeds_aim_at_every_cell() -> None:
    aims = {(mishap.name, mishap.phase) for seed in range(ENOUGH) for mishap in plan_of(seed).mishaps}
    assert set(CAN) == set(cells()) <= aims
