"""Every stretch of telegrams that an Angel Eye table can miss in a shoe: what it notices, and what it cannot.

`make test` leaves out some lengths of a stretch, `make torture` none.
"""

import os
import re

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.house.rules import rules_of
from shoe_controller.messages.phases import Phase
from shoe_controller.table.phases import CARDS_OUT
from tests.table_files import load, small_house
from tests.torture.missed_telegrams import LOOK_AHEAD, Missed, Shoe, telegrams_of_a_shoe

NOTICED = [count for count in range(1, 28) if count % 9] if os.environ.get("LONG_TESTS") else [1, 2, 8, 10, 17, 19, 26]

WHOLE_ROUNDS = {
    Disclosing.AT_RESULT: re.compile(r"P?(D{4,6}I{4,6}GP?)+"),
    Disclosing.AT_DRAW: re.compile(r"P?(D{4,6}GP?)+"),
}
"""Nothing but rounds that were missed from their first card to their result."""


@pytest.fixture(scope="module", params=Disclosing, ids=lambda disclosing: disclosing.value)
def disclosing(request: pytest.FixtureRequest) -> Disclosing:
    return Disclosing(request.param)


@pytest.fixture(scope="module")
def shoe(disclosing: Disclosing, tmp_path_factory: pytest.TempPathFactory) -> Shoe:
    rules = rules_of(load(tmp_path_factory.mktemp("house"), small_house(base_game="commission")))
    return Shoe(telegrams_of_a_shoe(3, disclosing), rules)


@pytest.mark.parametrize("how", Missed, ids=lambda how: how.name.lower())
@pytest.mark.parametrize("count", NOTICED)
def test_every_number_but_nine_and_its_multiples_is_noticed_at_the_next_telegram(
    shoe: Shoe, count: int, how: Missed
) -> None:
    for verdict in shoe.misses(count, how):
        assert verdict.noticed_after in (0, 1), verdict
        assert verdict.results_before == 0, verdict


@pytest.mark.parametrize("count", [9, 18, 27])
def test_nine_telegrams_are_noticed_unless_they_are_whole_rounds(
    shoe: Shoe, disclosing: Disclosing, count: int
) -> None:
    """Also no result is published before: what is known of a round that lacks cards is never made into one."""
    for verdict in shoe.misses(count, Missed.AWAY):
        if verdict.noticed_after is None:
            assert verdict.phase is Phase.BETTING, verdict
            assert WHOLE_ROUNDS[disclosing].fullmatch(verdict.letters), verdict
        else:
            assert verdict.results_before == 0, verdict


@pytest.mark.parametrize("count", [9, 18, 27])
def test_on_a_silent_line_two_rounds_can_also_be_taken_for_one(shoe: Shoe, disclosing: Disclosing, count: int) -> None:
    """Begun with cards of one round and ended with those of a later one, where places and result fit by chance.

    Nobody knows then that anything was missed, unlike when the controller itself was away. At least the stretch spans
    the end of a round and its count fits; anything else is noticed, and before any result is published.
    """
    verdicts = list(shoe.misses(count, Missed.SILENCE))
    assert all(verdict.results_before == 0 for verdict in verdicts if verdict.noticed_after is not None)
    unnoticed = [verdict for verdict in verdicts if verdict.noticed_after is None]
    odd = [verdict for verdict in unnoticed if not WHOLE_ROUNDS[disclosing].fullmatch(verdict.letters)]
    assert all("G" in verdict.letters and verdict.phase in CARDS_OUT for verdict in odd), odd
    assert len(odd) <= len(verdicts) // 10


def test_a_shoe_that_is_heard_to_its_end_raises_no_alert(shoe: Shoe) -> None:
    assert not [fact for fact in shoe.heard if fact.TOPIC == "alert"]
    assert sum(fact.TOPIC == "outcome" for fact in shoe.heard) > 60


def test_what_is_left_out_is_really_missed(shoe: Shoe) -> None:
    """Leaving nothing out raises nothing, wherever it is done: the alerts above come from what is missing."""
    for start in range(2, len(shoe.telegrams) - LOOK_AHEAD, 7):
        assert shoe.miss(start, 0, Missed.SILENCE).noticed_after is None
