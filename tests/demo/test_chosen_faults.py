"""What `FAULTS=` takes: names of faults and irregularities, and of alerts."""

from contextlib import suppress

import pytest

from shoe_controller.demo.chosen_faults import ALERTS, ENTRIES, BadFaultError, chosen_faults
from shoe_controller.demo.settings import GAMES, WIRES


def test_an_alert_stands_for_everything_that_raises_it() -> None:
    over_draws = ("over_draw_burned", "over_draw_carried_over", "extra_card_was_due")
    assert chosen_faults("over_draw", "native", "nepal") == over_draws
    assert chosen_faults("lid_opened, over_draw,over_draw_burned", "native", "nepal") == ("lid_opened", *over_draws)
    assert chosen_faults("shoe_fault", "native", "nepal") == ("low_voltage",)
    assert chosen_faults("remainder_differs", "angel_eye", "commission") == ("remainder_counted",)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("game", GAMES)
def test_every_alert_is_taken_or_its_refusal_says_why(wire: str, game: str) -> None:
    possible = set(chosen_faults("1", wire, game))
    refused = 0
    for alert in ALERTS - ENTRIES.keys():
        with suppress(BadFaultError):
            names = chosen_faults(alert, wire, game)
            assert names
            assert set(names) <= possible
            continue
        refused += 1
        with pytest.raises(BadFaultError, match=f"the alert {alert}.*leave it out"):
            chosen_faults(alert, wire, game)
    assert 0 < refused < len(ALERTS)


@pytest.mark.parametrize(
    ("names", "printed"),
    [
        ("shoe_fault", "the alert shoe_fault is raised by low_voltage, which the wire angel_eye"),
        ("clock_stepped", "nothing in the demo raises the alert clock_stepped"),
        ("lid_opened", "the angel_eye wire cannot express lid_opened"),
        ("commission_waived", "commission_waived needs the game commission"),
        ("over_drw", "there is no fault or alert 'over_drw'; did you mean 'over_draw'?"),
    ],
)
def test_what_cannot_be_shown_is_refused(names: str, printed: str) -> None:
    with pytest.raises(BadFaultError) as refusal:
        chosen_faults(names, "angel_eye", "nepal")
    assert printed in str(refusal.value)
