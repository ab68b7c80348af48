"""The screen of `shoe-controller status`, from retained messages."""

from shoe_controller.commands.status import screen
from tests.follow.samples import info, roads_message, state, status


def version_line(*lines: str) -> str:
    (found,) = (line for line in lines if line.strip().startswith("version"))
    return found.strip()


def test_the_number_is_that_of_the_last_event_whichever_message_came_with_it() -> None:
    """The status is published when something of it changes, so that its own number is an old one."""
    shown = screen("T1", status(seq=3), info(seq=1), state(207), roads_message(198))
    assert version_line(*shown) == "version   1.0, event 207"
    assert version_line(*screen("T1", status(seq=3), None, None, None)) == "version   1.0, event 3"


def test_it_says_where_the_table_is_served() -> None:
    assert next(screen("T1", status(), None, None, None, where="pc (192.0.2.7, process 9)")) == (
        "T1: running on pc (192.0.2.7, process 9)"
    )
    assert next(screen("T1", status(), None, None, None)) == "T1: running", "its broker has an older access list"
    assert "NOT RUNNING" in next(screen("T1", status(online=False), None, None, None))


def test_the_number_is_none_of_an_earlier_journal() -> None:
    shown = screen("T1", status(seq=3, journal="new"), info(seq=1), state(207), None)
    assert version_line(*shown) == "version   1.0, event 3"


def test_it_shows_what_the_line_has_damaged() -> None:
    bad = status(line_frames=900, line_damaged=7, line_refused=2)
    (line,) = (line for line in screen("T1", bad, None, None, None) if "damaged" in line)
    assert "900 frames, 7 damaged, 2 refused" in line
    assert not any("damaged" in line for line in screen("T1", status(line_frames=900), None, None, None))
