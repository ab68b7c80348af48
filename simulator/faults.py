"""The one table of everything that can go wrong at an emulated shoe, and how each wire tells of it.

From it come the menu of the console, the checks of a scenario file, the table that `shoe-emulator faults` prints, and
the test that lets each fault happen and looks for what is promised here. What a fault does is in `fault_effects.py`.
"""

from enum import Enum

import msgspec

from simulator.shoe_line import Wire


class Moment(Enum):
    """When a fault can happen. Live, it happens as soon as it can; in a scenario not before the card it names."""

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
    """How a wire tells of a fault."""

    sees: tuple[str, ...] = ()
    """What the controller's link delivers or reports, in this order, with anything between: its name and some fields.

    Empty: the controller notices nothing at all."""
    says: str = ""
    """The same for people, where the names of `sees` do not say it all."""
    loses: bool = False
    """Some of what the shoe said never arrives."""
    invents: bool = False
    """Something arrives that the shoe never said, and is believed."""

    def __str__(self) -> str:
        return self.says or ", ".join(self.sees)


class Undetectable(msgspec.Struct, frozen=True):
    """A fault that a wire has no way to tell of."""

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
    seconds: float | None = None
    """How long it lasts, where it lasts; a scenario may say otherwise."""
    bytes: int | None = None
    """How many bytes it concerns, where it concerns bytes; a scenario may say otherwise."""
    names_card: bool = False
    """A scenario may say which card."""

    def on(self, wire: Wire) -> Detection | Undetectable:
        return self.native if wire is Wire.NATIVE else self.angel_eye


_CARRIED_OVER = (
    "fault code=over_draw stopped=no",
    "card_drawn hand=extra",
    "fault_cleared code=over_draw",
    "result",
    "card_drawn hand=player position=1 carried_over=yes",
)
_ENDED_BY_FORCE = ("fault_cleared", "result winner=none")
_NOTHING = Detection((), "nothing: everything arrives, and is put together again")

_DEALER = (
    FaultKind(
        name="over_draw_burned",
        group=Group.DEALER,
        moment=Moment.ROUND_COMPLETE,
        what="a card too many is drawn; it is burned",
        native=Detection(
            ("fault code=over_draw stopped=no", "card_drawn hand=extra", "button button=burn", "fault_cleared")
        ),
        angel_eye=Detection(
            ("fault code=over_draw stopped=no", "card_drawn hand=extra", "fault_cleared code=over_draw"),
            "E 82, d, i (unless disclosed at draw), e 82, then the round's I and G",
        ),
    ),
    FaultKind(
        name="over_draw_carried_over",
        group=Group.DEALER,
        moment=Moment.ROUND_COMPLETE,
        what="a card too many is drawn; it begins the next round",
        native=Detection(_CARRIED_OVER),
        angel_eye=Detection(_CARRIED_OVER, "E 82, d, e 82, the round's I and G, then R Player 1"),
    ),
    FaultKind(
        name="result_too_early",
        group=Group.DEALER,
        moment=Moment.MID_ROUND,
        what="the result is asked for while a card is still to come",
        native=Detection(("button button=result", "fault code=button_misused stopped=no", "fault_cleared")),
        angel_eye=Detection(("fault code=button_misused stopped=no", "fault_cleared"), "E 83, e 83"),
    ),
    FaultKind(
        name="out_of_turn",
        group=Group.DEALER,
        moment=Moment.NEXT_CARD,
        what="a card goes to the hand whose turn it is not",
        native=Detection(("card_drawn", "result winner=none"), "card_drawn in the wrong hand, result winner=none"),
        angel_eye=Detection(("card_drawn", "result winner=none"), "D with a place in the wrong hand, later G F0"),
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
    ),
)

_CARDS = (
    FaultKind(
        name="misread",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card leaves that cannot be read",
        native=Detection(("misread", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn card=none", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE),
            "D not disclosed, E C1, e 81, and no I for it; later G F0",
        ),
    ),
    FaultKind(
        name="undisclosed",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card leaves whose face the shoe keeps to itself",
        native=Detection(("card_drawn card=none", "card_identified card=none", "result")),
        angel_eye=Detection(
            ("card_drawn card=none", "card_identified card=none", "result"),
            "D not disclosed, at the result I not disclosed",
        ),
    ),
    FaultKind(
        name="duplicate_card",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a copy of a piece of card that is out already, number and all",
        native=Detection(
            ("card_drawn",), "card_drawn (at draw) or card_identified (at result) with a card_id that came before"
        ),
        angel_eye=Undetectable("its telegrams do not number the pieces of card"),
    ),
    FaultKind(
        name="ninth_copy",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="one face comes once more than there are decks",
        native=Detection(("card_drawn",), "card_drawn or card_identified with a face that there cannot be any more"),
        angel_eye=Detection(("card_drawn",), "D or I with a face that there cannot be any more"),
    ),
    FaultKind(
        name="foreign_card",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="a card of another set of decks",
        names_card=True,
        native=Detection(("foreign_card", "fault code=foreign_card stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn", "fault code=foreign_card stopped=yes", *_ENDED_BY_FORCE),
            "D not disclosed, E C6, e 86, and no I for it; later G F0",
        ),
    ),
    FaultKind(
        name="double_feed",
        group=Group.CARDS,
        moment=Moment.NEXT_CARD,
        what="two cards leave at once",
        native=Detection(("double_feed cards=2", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(
            ("card_drawn card=none", "fault code=unreadable stopped=yes", *_ENDED_BY_FORCE),
            "as one misread card: it cannot say that there were two",
        ),
    ),
    FaultKind(
        name="cut_card_in_round",
        group=Group.CARDS,
        moment=Moment.MID_ROUND,
        what="the cut card comes in the middle of a round",
        native=Detection(("card_drawn", "cut_card", "card_drawn", "result")),
        angel_eye=Detection(("card_drawn", "cut_card", "card_drawn", "result"), "C between two D of one round"),
    ),
    FaultKind(
        name="empty_in_round",
        group=Group.CARDS,
        moment=Moment.MID_ROUND,
        what="the shoe is empty in the middle of a round",
        native=Detection(("fault code=draw_timeout stopped=yes", *_ENDED_BY_FORCE)),
        angel_eye=Detection(("fault code=draw_timeout stopped=yes", *_ENDED_BY_FORCE), "E C7, e 87, later G F0"),
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
    ),
    FaultKind(
        name="reboot",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the shoe starts by itself and forgets the round",
        native=Detection(("link_down", "link_up", "started cause=watchdog")),
        angel_eye=Detection(("started",), "S; what was waiting to be sent is lost without a trace", loses=True),
    ),
    FaultKind(
        name="power_loss",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the power fails, and comes back",
        seconds=5.0,
        native=Detection(("link_down", "link_up", "started cause=power_on")),
        angel_eye=Detection(("started",), "S; what was waiting to be sent is lost without a trace", loses=True),
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
            "a gap in the numbers, unless just nine or eighteen telegrams went by unheard",
            loses=True,
        ),
    ),
    FaultKind(
        name="wrong_key",
        group=Group.SHOE,
        moment=Moment.AT_ONCE,
        what="the shoe starts with another key; later with its own again",
        seconds=6.0,
        native=Detection(("refused", "link_up"), "refused: the shoe does not hold our key; then link_up"),
        angel_eye=Undetectable("it has no keys"),
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
        angel_eye=Detection(("line_error",), "line_error, and the next copy is taken"),
    ),
    FaultKind(
        name="bytes_corrupted",
        group=Group.LINE,
        moment=Moment.LINE,
        what="a bit turns in each of some bytes",
        bytes=1,
        native=Detection(("line_error",), "line_error, and the event comes again"),
        angel_eye=Detection(("line_error",), "line_error, and the next copy is taken"),
    ),
    FaultKind(
        name="bytes_doubled",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes come twice",
        bytes=1,
        native=Detection(("line_error",), "line_error, and the event comes again"),
        angel_eye=Detection(("line_error",), "line_error, and the next copy is taken"),
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
    ),
    FaultKind(
        name="single_bytes",
        group=Group.LINE,
        moment=Moment.LINE,
        what="bytes come one by one",
        bytes=200,
        native=_NOTHING,
        angel_eye=_NOTHING,
    ),
    FaultKind(
        name="glued",
        group=Group.LINE,
        moment=Moment.LINE,
        what="for a while everything is held back, then comes in one piece",
        seconds=0.8,
        native=_NOTHING,
        angel_eye=_NOTHING,
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
            "nothing during it; then a gap in the numbers, unless just nine or eighteen telegrams are missing",
            loses=True,
        ),
    ),
)

_STRANGER = (
    FaultKind(
        name="forged_frame",
        group=Group.STRANGER,
        moment=Moment.LINE,
        what="somebody sends a card of his own making",
        native=Detection(("refused",), "refused: a tag that does not fit"),
        angel_eye=Detection(
            ("card_drawn", "gap"),
            "the forged card is taken: nothing is signed. The next telegram's number shows it",
            invents=True,
        ),
    ),
    FaultKind(
        name="replayed_frame",
        group=Group.STRANGER,
        moment=Moment.LINE,
        what="somebody sends again what the shoe sent earlier",
        native=Detection(("refused",), "refused: a frame that came again"),
        angel_eye=Detection(
            ("gap",), "the old telegram is taken: nothing is signed. The numbers show it", invents=True
        ),
    ),
)

FAULTS: dict[str, FaultKind] = {kind.name: kind for kind in (*_DEALER, *_CARDS, *_SHOE, *_LINE, *_STRANGER)}


def markdown_table() -> str:
    """The table as a document shows it."""
    lines = ["| fault | what happens | native wire | Angel Eye wire |", "|---|---|---|---|"]
    lines += [f"| `{kind.name}` | {kind.what} | {kind.native} | {kind.angel_eye} |" for kind in FAULTS.values()]
    return "\n".join(lines) + "\n"
