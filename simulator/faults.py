"""The one table of everything that can go wrong at an emulated shoe, and how each wire reports it.

From it come the menu of the console, the checks of a scenario file, the table that `shoe-emulator faults` prints, and
the test that injects each fault and checks what is promised here. What a fault does is in `fault_effects.py`.
"""

from enum import Enum

import msgspec

from simulator.shoe_line import Wire


class Moment(Enum):
    """When a fault can happen. Injected, it happens as soon as it can; in a scenario not before the card it names."""

    NEXT_CARD = "to the next card of a round"
    MID_ROUND = "in the middle of a round"
    ROUND_COMPLETE = "when a round is complete"
    AT_ONCE = "at once"
    LINE = "at once, to what is sent"


class Group(Enum):
    DEALER = "The dealer's hand"
    CARDS = "The cards"
    SHOE = "The shoe"
    LINE = "The line"
    STRANGER = "A stranger on the line"


class Detection(msgspec.Struct, frozen=True):
    """How a wire reports a fault."""

    sees: tuple[str, ...] = ()
    """What the controller's link delivers or reports, in this order, with anything between: its name and some fields.

    Empty: the controller notices nothing at all."""
    description: str = ""
    """The same for people, where the names in `sees` are not enough."""
    loses: bool = False
    """Some of what the shoe sent never arrives."""
    invents: bool = False
    """Something arrives that the shoe never sent, and is accepted."""

    def __str__(self) -> str:
        return self.description or ", ".join(self.sees)


class Undetectable(msgspec.Struct, frozen=True):
    """A fault that a wire cannot report."""

    why: str

    def __str__(self) -> str:
        return f"cannot: {self.why}"


class FaultKind(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    group: Group
    moment: Moment
    what: str
    """What happens, for people."""
    native: Detection | Undetectable
    angel_eye: Detection | Undetectable
    lines: Detection | Undetectable
    seconds: float | None = None
    """Duration in seconds, if it has one; a scenario may override it."""
    bytes: int | None = None
    """Number of bytes it affects, if it affects bytes; a scenario may override it."""
    names_card: bool = False
    """Whether a scenario may choose the card."""

    def on(self, wire: Wire) -> Detection | Undetectable:
        return {Wire.NATIVE: self.native, Wire.ANGEL_EYE: self.angel_eye, Wire.LINES: self.lines}[wire]


_CARRIED_OVER = (
    "fault code=over_draw stopped=no",
    "card_drawn hand=extra",
    "fault_cleared code=over_draw",
    "result",
    "card_drawn hand=player position=1 carried_over=yes",
)
_ENDED_BY_FORCE = ("fault_cleared", "result winner=none")
_NO_BUTTONS = Undetectable("it has no buttons")
_SEES_IDS = Undetectable("it sees ids that pass, and nothing else")
_REMEMBERS_NOTHING = Undetectable("it has nothing to forget; what passes without power is lost without a trace")
_DAMAGED = Detection(
    ("line_error", "misread"), "line_error, and a card that could not be read in place of each line", loses=True
)
_READS_ONCE = Undetectable("it reports a card once")
_NOTHING = Detection((), "nothing: everything arrives, and is reassembled")

_DEALER = (
    FaultKind(
        name="over_draw_burned",
        group=Group.DEALER,
        moment=Moment.ROUND_COMPLETE,
        what="an extra card is drawn; it is burned",
        native=Detection(
            ("fault code=over_draw stopped=no", "card_drawn hand=extra", "button button=burn", "fault_cleared")
        ),
        angel_eye=Detection(
            ("fault code=over_draw stopped=no", "card_drawn hand=extra", "fault_cleared code=over_draw"),
            "E 82, d, i (unless disclosed at draw), e 82, then the round's I and G",
        ),
        lines=Detection(("card_drawn",), "card_drawn, as of any card"),
    ),
    FaultKind(
        name="over_draw_carried_over",
        group=Group.DEALER,
        moment=Moment.ROUND_COMPLETE,
        what="an extra card is drawn; it begins the next round",
        native=Detection(_CARRIED_OVER),
        angel_eye=Detection(_CARRIED_OVER, "E 82, d, e 82, the round's I and G, then R Player 1"),
        lines=Detection(("card_drawn",), "card_drawn, as of any card, and nothing when it is used"),
    ),
    FaultKind(
        name="result_too_early",
        group=Group.DEALER,
        moment=Moment.MID_ROUND,
        what="the result button is pressed while a card is still to come",
        native=Detection(("button button=result", "fault code=button_misused stopped=no", "fault_cleared")),
        angel_eye=Detection(("fault code=button_misused stopped=no", "fault_cleared"), "E 83, e 83"),
        lines=_NO_BUTTONS,
    ),
    FaultKind(
        name="out_of_turn",
        group=Group.DEALER,
        moment=Moment.NEXT_CARD,
        what="a card goes to the wrong hand",
        native=Detection(("card_drawn", "result winner=none"), "card_drawn in the wrong hand, result winner=none"),
        angel_eye=Detection(("card_drawn", "result winner=none"), "D with a place in the wrong hand, later G F0"),
        lines=Undetectable("it does not see where a card is laid"),
    ),
    FaultKind(
        name="pushed_back_at_exit",
        group=Group.DEALER,
        moment=Moment.NEXT_CARD,
        what="a card is pushed back from the exit, then drawn",
        native=Detection(("card_returned", "fault code=pushed_back_at_exit stopped=no", "fault_cleared", "card_drawn")),
        angel_eye=Detection(
            ("fault code=pushed_back_at_exit stopped=no", "fault_cleared", "card_drawn"), "E 84, e 84, then the D"
        ),
        lines=_SEES_IDS,
    ),
    FaultKind(
        name="pushed_back_half_way",
        group=Group.DEALER,
        moment=Moment.NEXT_CARD,
        what="a card is pushed back from half way, then drawn",
        native=Detection(
            ("card_returned card=none", "fault code=pushed_back_half_way stopped=no", "fault_cleared", "card_drawn")
        ),
        angel_eye=Detection(
            ("fault code=pushed_back_half_way stopped=no", "fault_cleared", "card_drawn"), "E 85, e 85, then the D"
        ),
        lines=_SEES_IDS,
    ),
)

_CARDS = (
    FaultKind(
        name="misread",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card comes out that cannot be read",
        native=Detection(("misread", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn card=none", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE),
            "D not disclosed, E C1, e 81, and no I for it; later G F0",
        ),
        lines=Detection(("misread",), "misread, if the reader has a line for it"),
    ),
    FaultKind(
        name="undisclosed",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card comes out whose face the shoe never discloses",
        native=Detection(("card_drawn card=none", "card_identified card=none", "result")),
        angel_eye=Detection(
            ("card_drawn card=none", "card_identified card=none", "result"),
            "D not disclosed, at the result I not disclosed",
        ),
        lines=Undetectable("an id is known or not"),
    ),
    FaultKind(
        name="duplicate_card",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a copy of a card that is already out, with the same number",
        native=Detection(
            ("card_drawn",), "card_drawn (at draw) or card_identified (at result) with a card_id seen before"
        ),
        angel_eye=Undetectable("its telegrams carry no card numbers"),
        lines=Detection(("card_drawn",), "card_drawn with a card_id seen before"),
    ),
    FaultKind(
        name="ninth_copy",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="one face comes once more than there are decks",
        native=Detection(("card_drawn",), "card_drawn or card_identified with a face that is used up"),
        angel_eye=Detection(("card_drawn",), "D or I with a face that is used up"),
        lines=Detection(("card_drawn",), "foreign_card once all ids of its face have come: no file has another"),
    ),
    FaultKind(
        name="foreign_card",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card from another set of decks",
        names_card=True,
        native=Detection(("foreign_card", "fault code=foreign_card stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn", "fault code=foreign_card stopped=yes", *_ENDED_BY_FORCE),
            "D not disclosed, E C6, e 86, and no I for it; later G F0",
        ),
        lines=Detection(("foreign_card",), "foreign_card: no file has its id"),
    ),
    FaultKind(
        name="double_feed",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="two cards come out at once",
        native=Detection(("double_feed cards=2", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn card=none", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE),
            "as one misread card: it cannot report that there were two",
        ),
        lines=Detection(("misread",), "as one misread card, if the reader has a line for it"),
    ),
    FaultKind(
        name="cut_card_in_round",
        group=Group.CARDS,
        moment=Moment.MID_ROUND,
        what="the cut card comes in the middle of a round",
        native=Detection(("card_drawn", "cut_card", "card_drawn", "result")),
        angel_eye=Detection(("card_drawn", "cut_card", "card_drawn", "result"), "C between two D of one round"),
        lines=Detection(("card_drawn", "cut_card", "card_drawn"), "cut_card, if the cut card has an id"),
    ),
    FaultKind(
        name="empty_in_round",
        group=Group.CARDS,
        moment=Moment.MID_ROUND,
        what="the shoe is empty in the middle of a round",
        native=Detection(("fault code=draw_timeout stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(("fault code=draw_timeout stopped=yes", *_ENDED_BY_FORCE), "E C7, e 87, later G F0"),
        lines=_SEES_IDS,
    ),
)

_SHOE = (
    FaultKind(
        name="lid_opened",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the lid is opened, and closed again",
        seconds=3.0,
        native=Detection(("lid opened=yes", "lid opened=no")),
        angel_eye=Undetectable("it has no telegram for a lid"),
        lines=_SEES_IDS,
    ),
    FaultKind(
        name="reboot",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the shoe restarts by itself and forgets the round",
        native=Detection(("link_down", "link_up", "started cause=watchdog")),
        angel_eye=Detection(("started",), "S; unsent telegrams are lost without a trace", loses=True),
        lines=_REMEMBERS_NOTHING,
    ),
    FaultKind(
        name="power_loss",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the power fails, and comes back",
        seconds=5.0,
        native=Detection(("link_down", "link_up", "started cause=power_on")),
        angel_eye=Detection(("started",), "S; unsent telegrams are lost without a trace", loses=True),
        lines=_REMEMBERS_NOTHING,
    ),
    FaultKind(
        name="unplug",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the cable is pulled, and plugged in again",
        seconds=4.0,
        native=Detection(("link_down", "link_up")),
        angel_eye=Detection(
            ("link_down", "link_up", "gap"),
            "a gap in the numbers, unless exactly nine or eighteen telegrams were missed",
            loses=True,
        ),
        lines=Detection(("link_down", "link_up"), "link_down, link_up; what passed meanwhile is lost", loses=True),
    ),
    FaultKind(
        name="wrong_key",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the shoe starts with another key; later with its own again",
        seconds=6.0,
        native=Detection(("refused", "link_up"), "refused: the shoe does not hold our key; then link_up"),
        angel_eye=Undetectable("it has no keys"),
        lines=Undetectable("it has no keys"),
    ),
    FaultKind(
        name="jam",
        group=Group.SHOE,
        moment=Moment.NEXT_CARD,
        what="a card sticks in the exit; the jam is cleared, then it is drawn",
        native=Detection(("fault code=jam stopped=yes", "fault_cleared code=jam", "card_drawn")),
        angel_eye=Detection(
            ("fault code=draw_timeout stopped=yes", "fault_cleared code=draw_timeout", "card_drawn"),
            "as a draw time-out: E C7, e 87, then the D",
        ),
        lines=_SEES_IDS,
    ),
    FaultKind(
        name="gate_forced",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="somebody forces the gate",
        native=Detection(("fault code=gate_forced stopped=no", "fault_cleared code=gate_forced")),
        angel_eye=Undetectable("it has no telegram for a forced gate"),
        lines=_SEES_IDS,
    ),
    FaultKind(
        name="low_voltage",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the supply voltage is too low, and well again later",
        seconds=6.0,
        native=Detection(
            ("health", "fault code=low_voltage stopped=no", "fault_cleared code=low_voltage"),
        ),
        angel_eye=Undetectable("it has no telegram for its supply"),
        lines=_SEES_IDS,
    ),
)

_LINE = (
    FaultKind(
        name="bytes_lost",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes are lost",
        bytes=1,
        native=Detection(("line_error",), "line_error, and the event comes again"),
        angel_eye=Detection(("line_error",), "line_error, and the next copy is accepted"),
        lines=_DAMAGED,
    ),
    FaultKind(
        name="bytes_corrupted",
        group=Group.LINE,
        moment=Moment.LINE,
        what="some bytes each have a bit flipped",
        bytes=1,
        native=Detection(("line_error",), "line_error, and the event comes again"),
        angel_eye=Detection(("line_error",), "line_error, and the next copy is accepted"),
        lines=_DAMAGED,
    ),
    FaultKind(
        name="bytes_doubled",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes come twice",
        bytes=1,
        native=Detection(("line_error",), "line_error, and the event comes again"),
        angel_eye=Detection(("line_error",), "line_error, and the next copy is accepted"),
        lines=_DAMAGED,
    ),
    FaultKind(
        name="bytes_delayed",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes come late",
        seconds=0.5,
        bytes=200,
        native=_NOTHING,
        angel_eye=_NOTHING,
        lines=_NOTHING,
    ),
    FaultKind(
        name="single_bytes",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes come one by one",
        bytes=200,
        native=_NOTHING,
        angel_eye=_NOTHING,
        lines=_NOTHING,
    ),
    FaultKind(
        name="glued",
        group=Group.LINE,
        moment=Moment.LINE,
        what="for a while everything is held back, then arrives in one piece",
        seconds=0.8,
        native=_NOTHING,
        angel_eye=_NOTHING,
        lines=_NOTHING,
    ),
    FaultKind(
        name="silence",
        group=Group.LINE,
        moment=Moment.LINE,
        what="for a while nothing comes through",
        seconds=6.0,
        native=Detection(("link_down", "link_up"), "link_down, link_up, and then all events of that time"),
        angel_eye=Detection(
            ("gap",),
            "nothing during it; then a gap in the numbers, unless exactly nine or eighteen telegrams are missing",
            loses=True,
        ),
        lines=Detection(("card_drawn",), "nothing: what passed meanwhile is lost", loses=True),
    ),
)

_STRANGER = (
    FaultKind(
        name="forged_frame",
        group=Group.STRANGER,
        moment=Moment.LINE,
        what="a stranger sends a forged card",
        native=Detection(("refused",), "refused: a wrong tag"),
        angel_eye=Detection(
            ("card_drawn", "gap"),
            "the forged card is accepted: nothing is signed. The next telegram's number shows it",
            invents=True,
        ),
        lines=Detection(("card_drawn",), "the forged card is accepted: nothing is signed", invents=True),
    ),
    FaultKind(
        name="replayed_frame",
        group=Group.STRANGER,
        moment=Moment.LINE,
        what="a stranger replays what the shoe sent earlier",
        native=Detection(("refused",), "refused: a replayed frame"),
        angel_eye=Detection(
            ("gap",), "the old telegram is accepted: nothing is signed. The numbers show it", invents=True
        ),
        lines=Detection(("card_drawn",), "the old id is accepted: a piece that came twice", invents=True),
    ),
)

_READER = (
    FaultKind(
        name="read_again",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="the reader reads a card twice",
        native=_READS_ONCE,
        angel_eye=_READS_ONCE,
        lines=Detection(("card_drawn", "card_read_again")),
    ),
)

FAULTS: dict[str, FaultKind] = {kind.name: kind for kind in (*_DEALER, *_CARDS, *_SHOE, *_LINE, *_STRANGER, *_READER)}


def markdown_table() -> str:
    """The table in Markdown, for docs/emulator.md."""
    lines = ["| fault | what happens | native wire | Angel Eye wire | lines |", "|---|---|---|---|---|"]
    lines += [
        f"| `{kind.name}` | {kind.what} | {kind.native} | {kind.angel_eye} | {kind.lines} |" for kind in FAULTS.values()
    ]
    return "\n".join(lines) + "\n"
