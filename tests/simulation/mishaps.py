"""Everything that can go wrong around the table besides the shoe's own faults, and which alerts may tell of what.

The shoe's faults are those of the emulator's own table (`simulator/faults.py`).
"""

from simulator.faults import FAULTS, Undetectable
from simulator.shoe_line import Wire

AROUND: dict[str, str] = {
    "frames_swapped": "two messages from the shoe come in the wrong order",
    "commands_swapped": "two messages to the shoe come in the wrong order",
    "daemon_killed": "the daemon is killed between two steps",
    "killed_before_commit": "the daemon is killed before a commit",
    "killed_in_commit": "the daemon is killed in a commit, which is rolled back",
    "killed_after_commit": "the daemon is killed after a commit, before its answer",
    "daemon_stopped": "the daemon is stopped in order, and started again",
    "machine_reboots": "the controller's machine loses its power",
    "journal_damaged": "the daemon is killed, and finds its journal damaged when it starts again",
    "journal_put_back": "the daemon is killed, and finds an older copy of its journal, or its log gone, when it starts",
    "disk_full": "for a while nothing can be stored",
    "slow_disk": "for a while every commit takes long",
    "clock_steps": "somebody sets the clock",
    "broker_away": "the broker is gone for a while",
    "broker_hangs": "the broker hangs for a while",
    "broker_forgets": "the broker restarts and has forgotten everything",
    "controller_cut": "the connection between controller and broker is cut",
    "display_cut": "the connection of a display is cut",
    "display_forgotten": "the broker forgets the session of a display",
    "late_deliveries": "what the broker delivers is late",
    "lost_deliveries": "the broker loses messages to a display",
    "doubled_deliveries": "the broker delivers messages twice",
    "withheld_confirmations": "the broker does not say that it took a message",
    "refused_publishes": "the broker refuses the controller's messages",
    "nonsense_requests": "somebody sends requests that mean nothing",
    "wrong_pins": "somebody guesses a supervisor's PIN",
    "stolen_names": "somebody acts in the name of a dealer, without the token of a sign-in",
    "forged_reply_topics": "somebody wants answers sent where they must not go",
    "dealer_rests": "the dealer lets everybody wait",
    "reader_dead": "the shoe is gone for a few rounds, which are dealt from it by hand",
    "unasked_acts": "a dealer or a supervisor does what nothing has called for",
    "early_new_shoe": "somebody presses the button for a new shoe, with the same cards in it",
    "shoe_exchanged": "a supervisor exchanges the shoe as soon as the round is over, and the cards go into the other",
}

WIPED = "store_wiped"
"""The shoe loses its power and its event store, in seeds of its own (`wiping.py`)."""

SHOE_FAULTS = {name: kind for name, kind in FAULTS.items() if name != "read_again"}
"""The faults that aims are taken at. A reader of ids has one more (`reader.py`)."""

SWAPS = frozenset({"frames_swapped", "commands_swapped"})
WAITING = SWAPS | {"killed_before_commit", "killed_in_commit", "killed_after_commit", "journal_put_back"}
"""These wait for their moment, and count when it has come."""

DOWN_PHASE = "down"
"""What stands for a phase while no daemon runs."""

CRASHES = (
    "daemon_killed",
    "killed_before_commit",
    "killed_in_commit",
    "killed_after_commit",
    "daemon_stopped",
    "machine_reboots",
    "journal_damaged",
    "journal_put_back",
)

NEW_JOURNAL = frozenset({"journal_damaged", "journal_put_back"})
"""After these the table begins a new journal."""

ENDS_DAEMON = frozenset(CRASHES) - NEW_JOURNAL - {"machine_reboots"}
"""These need a daemon that runs. Power can fail, and something can happen to a file, while none does."""

LOSES = (
    "reboot",
    "power_loss",
    "unplug",
    "silence",
    "bytes_lost",
    "bytes_corrupted",
    "bytes_doubled",
    "frames_swapped",
    "reader_dead",
    "early_new_shoe",
    "shoe_exchanged",
    *CRASHES,
)
"""After these the Angel Eye wire may have lost telegrams, or may repeat one that was received before."""

TAKEN_FOR_LOSS = (
    "event_gap",
    "shoe_lost",
    "shoe_restarted",
    "place_filled",
    "out_of_turn",
    "card_without_shoe",
    "journal_rolled_back",
)
"""Alerts that make people compare the table with the display."""


HARMLESS = frozenset(
    {
        "broker_away",
        "broker_hangs",
        "broker_forgets",
        "controller_cut",
        "display_cut",
        "display_forgotten",
        "late_deliveries",
        "lost_deliveries",
        "doubled_deliveries",
        "withheld_confirmations",
        "refused_publishes",
        "nonsense_requests",
        "wrong_pins",
        "stolen_names",
        "forged_reply_topics",
        "single_bytes",
        "dealer_rests",
    }
)
"""No alert may ever come of these alone, but that a dealer who rests is slow."""

PATIENT = (
    frozenset(FAULTS)
    | SWAPS
    | {"clock_steps", "slow_disk", "nonsense_requests", "wrong_pins", "stolen_names", "forged_reply_topics"}
    | {"dealer_rests", "unasked_acts", "reader_dead", "early_new_shoe", "shoe_exchanged"}
)
"""Nothing here keeps an event from a display: none has to ask for one."""

_LINE = ("unplug", "silence", "bytes_lost", "bytes_corrupted", "bytes_doubled", "bytes_delayed", "glued")
_LATE = (WIPED, *_LINE, *CRASHES, "reader_dead", "reboot", "power_loss", "wrong_key", "slow_disk", "disk_full")

NEVER_RAISED = {
    "preset_changed": "nobody changes the settings of the emulated shoe",
    "request_flood": "nobody sends so many requests that most of them are dropped",
    "wrong_line": "every shoe here speaks the wire that its table is set to, at its speed",
    "impossible_age": "the clock of the emulated shoe is right",
    "status_ahead": "nobody but the table publishes its messages",
    "another_controller": "there is one controller of the table",
    "journal_begun": "the journal is never away without a trace",
}
"""Alerts that nothing here can bring about, and why. Each has its own cases in `tests/table/alert_cases.py`."""

CAUSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NEVER_RAISED, ()),
    "misread": ("misread", "double_feed", "replayed_frame"),
    "foreign_card": ("foreign_card",),
    "double_feed": ("double_feed",),
    "card_twice": ("duplicate_card",),
    "too_many_copies": (
        "ninth_copy",
        "duplicate_card",
        "forged_frame",
        "replayed_frame",
        "frames_swapped",
        "unasked_acts",
        # A supervisor may say the wrong face of a card that was not read.
        "misread",
        "undisclosed",
        "double_feed",
    ),
    "card_pushed_back": ("pushed_back_at_exit", "pushed_back_half_way", "replayed_frame"),
    # A whole frame that comes twice, or late, cannot be distinguished from one that an attacker replays.
    "line_refused": ("wrong_key", "forged_frame", "replayed_frame", "bytes_doubled", "frames_swapped"),
    "no_card_came": ("empty_in_round", "jam", "replayed_frame"),
    "gate_forced": ("gate_forced",),
    "shown_card_carried": ("over_draw_burned", "over_draw_carried_over", "unasked_acts"),
    "burned_card_carried": ("over_draw_burned", "over_draw_carried_over", "unasked_acts"),
    "gate_unanswered": (*_LATE, "commands_swapped", "frames_swapped", "forged_frame", "replayed_frame"),
    "clock_stepped": ("clock_steps",),
    "journal_full": ("disk_full",),
    "messages_refused": ("refused_publishes",),
    "pin_guessing": ("wrong_pins",),
    "shoe_restarted": (
        WIPED,
        "reboot",
        "power_loss",
        "wrong_key",
        "replayed_frame",
        "frames_swapped",
        "shoe_exchanged",
    ),
    "shoe_lost": (*_LATE,),
    "late_wager": (*_LATE, "frames_swapped", "unasked_acts"),
    "events_came_again": (WIPED,),
    "supervisor_called": ("unasked_acts", WIPED),
    "journal_damaged": ("journal_damaged",),
    "bad_shoe": (
        "foreign_card",
        "duplicate_card",
        "ninth_copy",
        "forged_frame",
        "replayed_frame",
        "frames_swapped",
        "unasked_acts",
        "misread",
        "undisclosed",
        "double_feed",
    ),
    # No crash may look as if somebody had put an older journal back.
    "journal_rolled_back": ("journal_put_back",),
}
"""Alerts that tell of one thing, and what may bring them about. What is not here may follow from any other mishap: it
tells that the shoe and the table no longer speak of the same round."""

BY_PEOPLE = ("result_undone", "burn_due", "nobody_on_duty", "dispute_open", "remainder_differs")
"""Raised by what people do on purpose."""


def without_cause(kind: str, befallen: "set[str]", *, hasty: bool, shoe_ends: bool) -> bool:
    """Whether this alert came of nothing.

    A `hasty` dealer can draw before the wagers are closed, because the house leaves the gate open. Where the shoe ends
    the lid is opened, and an Angel Eye shoe starts anew; after a void, dealer and table may not agree on which round
    was the last, and the new shoe may be announced before the cards that are left are counted.
    """
    if kind in BY_PEOPLE or (kind == "draw_before_close" and hasty):
        return False
    at_end = ("lid_opened", "shoe_restarted", "restarted_between_rounds", "shoe_change_unconfirmed")
    if kind in at_end and shoe_ends:
        return False
    if kind == "draw_too_slow" and "dealer_rests" in befallen:
        return False
    causes = CAUSES.get(kind)
    return not befallen & set(causes) if causes is not None else befallen <= HARMLESS


IN_ROUND = ("closed", "dealing", "complete")
CARDS_OUT = ("dealing", "complete")
ANY_PHASE = ("no_shoe", "first_card", "burning", "betting", *IN_ROUND, "ended")

TOLD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "over_draw_burned": (("over_draw", "extra_card"), ANY_PHASE),
    "over_draw_carried_over": (("over_draw", "extra_card"), ANY_PHASE),
    "result_too_early": (("result_too_early",), ANY_PHASE),
    "out_of_turn": (("out_of_turn", "place_filled"), ANY_PHASE),
    "pushed_back_at_exit": (("card_pushed_back",), ANY_PHASE),
    "pushed_back_half_way": (("card_pushed_back",), ANY_PHASE),
    "misread": (("misread",), ANY_PHASE),
    "undisclosed": (("undisclosed_card",), ANY_PHASE),
    "duplicate_card": (("card_twice", "bad_card_out_of_round"), ANY_PHASE),
    "ninth_copy": (("too_many_copies", "bad_card_out_of_round"), ANY_PHASE),
    "foreign_card": (("foreign_card",), ANY_PHASE),
    "double_feed": (("double_feed", "misread"), ANY_PHASE),
    "empty_in_round": (("no_card_came",), ANY_PHASE),
    "jam": (("no_card_came", "shoe_stopped"), ANY_PHASE),
    "gate_forced": (("gate_forced",), ANY_PHASE),
    "low_voltage": (("shoe_fault",), ANY_PHASE),
    WIPED: (("event_gap",), ANY_PHASE),
    "lid_opened": (("lid_opened",), ("first_card", "burning", "betting", *IN_ROUND)),
    "early_new_shoe": (("shoe_change_unconfirmed", "shoe_changed"), ("burning", "betting", *IN_ROUND)),
    "reboot": (("shoe_restarted",), ("dealing",)),
    "power_loss": (("shoe_restarted",), ("dealing",)),
    "unplug": (("shoe_lost", "event_gap"), ("dealing",)),
    "forged_frame": (("line_refused", *TAKEN_FOR_LOSS, "burn_differs"), ("betting", *IN_ROUND)),
    "replayed_frame": (("line_refused", *TAKEN_FOR_LOSS, "burn_differs"), ("betting", *IN_ROUND)),
    # What was overtaken is refused on the native wire; on the other one the numbers do not fit.
    "frames_swapped": (("line_refused", "event_gap"), ("betting", *IN_ROUND)),
    "clock_steps": (("clock_stepped",), ANY_PHASE),
    "journal_put_back": (("journal_rolled_back",), ANY_PHASE),
    "daemon_killed": (("shoe_lost",), CARDS_OUT),
    "machine_reboots": (("shoe_lost",), CARDS_OUT),
}
"""What must be reported: one of these alerts, if the mishap came in one of these phases and nothing else went wrong."""


def possible(wire: Wire) -> list[str]:
    """The shoe's faults that this wire can express."""
    return [name for name, kind in FAULTS.items() if not isinstance(kind.on(wire), Undetectable)]


_NOTHING_RUNS = "while no daemon runs there is none to kill or to stop"
_NOBODY_LISTENS = "while nobody is on the line the shoe sends no bytes that could be hit"


def why_never(name: str, phase: str) -> str | None:
    """Why a mishap cannot come in this phase of the table; nothing if it can."""
    if phase != DOWN_PHASE:
        return None
    if name in ENDS_DAEMON:
        return _NOTHING_RUNS
    kind = FAULTS.get(name)
    hits_bytes = name in SWAPS or (kind is not None and kind.bytes is not None)
    return _NOBODY_LISTENS if hits_bytes else None
