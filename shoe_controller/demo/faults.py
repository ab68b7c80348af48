"""Which faults the demonstration lets the emulated shoe have, and how each is shown to be caught.

Names and keys are the emulator's (`shoe-emulator faults`, and `f` on its console); a test keeps the two lists the same.
Expected is one of several alerts or facts of the table or, where the link recovers by itself, nothing at all.
"""

from typing import NamedTuple

FAULT_PANEL = "f"
"""The key on the emulator's console that asks what should go wrong."""


class DemoFault(NamedTuple):
    name: str
    key: str
    """On the emulator's console, after `f`."""
    what: str
    caught_by: frozenset[str]
    """Alerts or facts, any of which reports it; none where the link recovers by itself."""
    wires: tuple[str, ...] = ("native", "angel_eye")

    def was_noticed(self, names: frozenset[str]) -> bool:
        """Whether these facts and alerts report it."""
        return not self.caught_by or not self.caught_by.isdisjoint(names)


LOSES_CARDS = {
    "native": frozenset[str](),
    "angel_eye": frozenset(
        {"double_feed", "reboot", "power_loss", "unplug", "silence", "forged_frame", "replayed_frame"}
    ),
    "lines": frozenset({"double_feed", "unplug"}),
}
"""By wire: faults during which cards may be lost, or be reported by an attacker. The native wire loses none."""

NOT_SHOWN = {
    "native": frozenset[str](),
    "angel_eye": frozenset[str](),
    "lines": frozenset({"silence", "forged_frame", "replayed_frame"}),
}
"""By wire: faults that are expressed and that nothing shows: lines have no numbers, and are not signed."""


def _fault(name: str, key: str, what: str, caught_by: str = "", *, wires: str = "native angel_eye") -> DemoFault:
    return DemoFault(name, key, what, frozenset(caught_by.split()), tuple(wires.split()))


_LINE_LOST = "shoe_lost shoe_link event_gap"
_LINE_NOISE = "what was damaged comes again, or is taken for a card that could not be read"

_EVERY = "native angel_eye lines"

_ALL = (
    _fault("misread", "g", "a card leaves that cannot be read", "misread", wires=_EVERY),
    _fault("undisclosed", "h", "a card leaves whose face the shoe keeps to itself", "undisclosed_card"),
    _fault("over_draw_burned", "a", "an extra card is drawn; it is burned", "over_draw", wires=_EVERY),
    _fault(
        "over_draw_carried_over", "b", "an extra card is drawn; it begins the next round", "over_draw", wires=_EVERY
    ),
    _fault("result_too_early", "c", "the result is asked for while a card is still to come", "result_too_early"),
    _fault("out_of_turn", "d", "a card goes to the hand whose turn it is not", "out_of_turn"),
    _fault("pushed_back_at_exit", "e", "a card is pushed back from the exit", "card_pushed_back"),
    _fault("pushed_back_half_way", "f", "a card is pushed back from half way", "card_pushed_back"),
    _fault(
        "duplicate_card",
        "i",
        "a copy of a card that is out already, number and all",
        "card_twice",
        wires="native lines",
    ),
    _fault(
        "ninth_copy",
        "j",
        "one face comes once more than there are decks",
        # No file of a reader has the id of that piece.
        "too_many_copies foreign_card",
        wires=_EVERY,
    ),
    _fault("foreign_card", "k", "a card of another set of decks", "foreign_card", wires=_EVERY),
    _fault("double_feed", "l", "two cards leave at once", "double_feed misread", wires=_EVERY),
    _fault("lid_opened", "o", "the lid is opened, and closed again", "lid_opened", wires="native"),
    _fault("reboot", "p", "the shoe starts by itself and forgets the round", "shoe_restarted shoe_lost"),
    _fault("power_loss", "q", "the power fails, and comes back", "shoe_restarted shoe_lost"),
    _fault("unplug", "r", "the cable is pulled, and plugged in again", _LINE_LOST, wires=_EVERY),
    _fault("wrong_key", "s", "the shoe starts with another key", "line_refused shoe_lost shoe_link", wires="native"),
    _fault("jam", "t", "a card sticks in the exit, and comes when the jam is cleared", "no_card_came"),
    _fault("gate_forced", "u", "somebody forces the gate", "gate_forced", wires="native"),
    _fault("low_voltage", "v", "the supply voltage is too low for a while", "shoe_fault", wires="native"),
    _fault("bytes_lost", "w", f"bytes are lost; {_LINE_NOISE}", wires=_EVERY),
    _fault("bytes_corrupted", "x", f"bits flip; {_LINE_NOISE}", wires=_EVERY),
    _fault("bytes_doubled", "y", f"bytes come twice; {_LINE_NOISE}", wires=_EVERY),
    _fault("bytes_delayed", "z", "bytes come late, and are put together again", wires=_EVERY),
    _fault("single_bytes", "1", "bytes come one by one, and are put together again", wires=_EVERY),
    _fault("glued", "2", "for a while everything is held back, then comes in one piece", wires=_EVERY),
    _fault("silence", "3", "for a while nothing comes through", _LINE_LOST),
    _fault(
        "forged_frame",
        "4",
        "an attacker sends a forged card",
        "line_refused event_gap place_filled out_of_turn",
    ),
    _fault(
        "replayed_frame",
        "5",
        "an attacker sends again what the shoe sent earlier",
        "line_refused event_gap place_filled",
    ),
    _fault("cut_card_in_round", "m", "the cut card comes in the middle of a round", "cut_card_out", wires=_EVERY),
    _fault("read_again", "6", "a reader reads a card twice: it is dealt once", wires="lines"),
    _fault("empty_in_round", "n", "the shoe is empty in the middle of a round", "no_card_came"),
)

FAULTS = {fault.name: fault for fault in _ALL}


def faults_on(wire: str) -> tuple[str, ...]:
    """All faults that this wire can report, in the order in which they are shown."""
    return tuple(fault.name for fault in _ALL if wire in fault.wires)
