"""Ages that cannot be: bounded by what is known of the shoe, told of, and never younger than the event may be."""

import pytest

from firmware_protocol.events import Standby
from firmware_protocol.link import DesiredShoe, ImpossibleAge
from firmware_protocol.native.ages import OLDEST
from tests.firmware_protocol.native.puppets import BOOT_ID, PuppetShoe, new_controller, only_delivery

ABSURD = 4_294_967_294
NEW_BOOT_ID = BOOT_ID + 1


def in_session(**status: int) -> PuppetShoe:
    """A shoe whose session began at 100 s, with a STATUS that says this."""
    shoe = PuppetShoe(new_controller())
    shoe.now = 100.0
    shoe.reconnect()
    shoe.shake_hands(**status)
    return shoe


def heard(shoe: PuppetShoe, sequence: int, age: float, boot_id: int | None = None) -> tuple[float, bool]:
    """The age that is believed of an event, and whether the shoe is told of."""
    *reports, delivery = shoe.say_event(sequence, Standby(), boot_id, age=round(age * 1000))
    assert all(isinstance(report, ImpossibleAge) and report.reported == age for report in reports)
    believed = only_delivery([delivery])
    shoe.controller.committed(believed, shoe.now)
    return believed.age, bool(reports)


def test_an_event_is_no_older_than_the_status_that_did_not_know_it() -> None:
    shoe = in_session(oldest=1, upcoming=1)
    shoe.now = 130.0
    assert heard(shoe, 1, ABSURD / 1000) == (30.0, True)


@pytest.mark.parametrize(("age", "believed"), [(0.0, 0.0), (29.0, 29.0), (31.5, 31.5), (3600.0, 30.0)])
def test_ages_that_can_be_stay_as_they_are(age: float, believed: float) -> None:
    shoe = in_session(oldest=1, upcoming=1)
    shoe.now = 130.0
    assert heard(shoe, 1, age) == (believed, age != believed)


def test_what_was_dealt_in_an_outage_of_hours_is_as_old_as_the_shoe_says() -> None:
    shoe = in_session(oldest=1, upcoming=1)
    shoe.now = 130.0
    shoe.controller.disconnected(shoe.now)
    shoe.now += 5 * 3600.0
    shoe.controller.connected(shoe.now)
    shoe.shake_hands(oldest=1, upcoming=4)
    assert heard(shoe, 1, 5 * 3600.0 + 20) == (5 * 3600.0 + 20, False)
    assert heard(shoe, 2, 4 * 3600.0) == (4 * 3600.0, False)
    assert heard(shoe, 3, 6 * 3600.0) == (5 * 3600.0 + 30, True), "the session before did not know it yet"


def test_of_what_happened_before_the_first_session_hardly_anything_is_known() -> None:
    shoe = in_session(oldest=1, upcoming=3)
    assert heard(shoe, 1, 20 * 86400.0) == (20 * 86400.0, False)
    assert heard(shoe, 2, ABSURD / 1000) == (OLDEST, True)


def test_a_status_that_waited_on_the_way_does_not_make_an_event_younger() -> None:
    """The controller's machine stood still for a minute: STATUS and event lay there, and both were sent long ago."""
    shoe = in_session(oldest=1, upcoming=1)
    shoe.now = 160.0
    assert shoe.say_status() == []
    assert heard(shoe, 1, 40.0) == (40.0, False)


@pytest.mark.parametrize("by_desire", [True, False])
def test_an_answer_of_the_shoe_shows_when_its_status_was_sent_at_the_earliest(*, by_desire: bool) -> None:
    shoe = in_session(oldest=1, upcoming=1)
    shoe.now = 4000.0
    if by_desire:
        shoe.controller.want(DesiredShoe(gate_locked=True), shoe.now)
        shoe.now = 4001.0
        shoe.say_status(revision=1)
    else:
        heard(shoe, 1, 0.0)
        shoe.now = 4001.0
        shoe.say_status(oldest=2, upcoming=2)
    shoe.now = 4002.0
    assert heard(shoe, shoe.status.upcoming, 3000.0) == (2.0, True)


def test_an_event_is_at_least_as_old_as_the_status_that_knew_it() -> None:
    shoe = in_session(oldest=1, upcoming=3)
    shoe.now = 160.0
    assert heard(shoe, 1, 0.0) == (60.0, True)
    assert heard(shoe, 2, 59.0) == (59.0, False)


def test_an_event_that_waited_on_the_line_is_older_than_its_frame_says_and_nobody_is_blamed() -> None:
    shoe = in_session(oldest=1, upcoming=2)
    shoe.now = 103.0
    assert heard(shoe, 1, 0.0) == (3.0, False)


def test_a_shoe_that_restarted_cannot_know_how_old_its_events_are() -> None:
    shoe = in_session(oldest=1, upcoming=2)
    shoe.now = 160.0
    shoe.boot_id = NEW_BOOT_ID
    shoe.reconnect()
    shoe.shake_hands(oldest=1, upcoming=3)
    assert heard(shoe, 1, 1.0, BOOT_ID) == (60.0, False), "the session before knew it, and the shoe says what it can"
    assert heard(shoe, 2, 1.0) == (1.0, False)
