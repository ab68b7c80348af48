"""The content of the console's screen: a picture of the shoe, made from the emulation each time. Pure.

A picture is one `ScreenLine` for each line of the terminal; `console.py` draws it. Everything fits 80 columns and 24
lines; a larger terminal shows more events and more about the faults.
"""

from enum import Enum
from string import ascii_lowercase
from typing import NamedTuple, Self

from firmware_protocol.cards import Card
from firmware_protocol.events import Hand
from shoe_controller.words.render import ENGLISH
from simulator.dealer import AS_FAST_AS_THE_LINE
from simulator.emulation import Emulation
from simulator.event_lines import in_words, total_of
from simulator.faults import FAULTS, FaultKind, Undetectable
from simulator.firmware import Stage
from simulator.shoe_line import Wire
from simulator.truth import AnyHappening, CutCardOut, FaultInjected, GateMoved, HostAttached, HostDetached, RoundEnded
from simulator.virtual_shoe import VirtualShoe

FAULT_KEYS: dict[str, str] = dict(zip(ascii_lowercase + "123456789", FAULTS, strict=False))
"""The keys of the fault panel."""
DISARM_KEY = "0"

KEYS = (
    ("d", "draw"),
    ("r", "result"),
    ("n", "new shoe"),
    ("b", "burn"),
    ("c", "clear"),
    ("k", "keep card"),
    ("space", "dealer"),
    ("+ -", "speed"),
    ("f", "faults"),
    ("g", "gate"),
    ("l", "lid"),
    ("p", "power"),
    ("x", "restart"),
    ("u", "cable"),
    ("?", "help"),
    ("q", "quit"),
)
HELP = (
    ("d, Enter", "draw the next card; it goes where the rules say"),
    ("r", "press the result button"),
    ("R", "hold the result button down: the round ends by force"),
    ("n", "new cards: lid, cards, lid, and the new-shoe button"),
    ("N, t", "press the new-shoe button alone; take all cards out"),
    ("b", "press the burn button; an extra card is burned, or the next card"),
    ("m, s", "press 'no more bets', 'call supervisor'"),
    ("c", "clear the shoe's faults"),
    ("k", "the same, and keep an extra card for the next round"),
    ("g", "turn the gate's key"),
    ("l", "open or close the lid"),
    ("p", "power off or on"),
    ("x", "restart the shoe"),
    ("u", "pull the cable or plug it in"),
    ("space", "let the dealer deal, or deal by hand"),
    ("+ -", "a faster or slower dealer"),
    ("f", "inject a fault"),
    ("q, Ctrl-C", "quit"),
)

_LABEL = 9


class ScreenLine:
    """Spans of text, each with a rich style."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self.pieces: list[tuple[str, str]] = []
        self.add(text, style)

    def add(self, text: str, style: str = "") -> Self:
        if text:
            self.pieces.append((text, style))
        return self

    def join(self, other: "ScreenLine") -> Self:
        self.pieces += other.pieces
        return self

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.pieces)

    @property
    def width(self) -> int:
        return sum(len(text) for text, _ in self.pieces)


class Panel(Enum):
    """What is shown in place of the last events."""

    NONE = "none"
    FAULTS = "faults"
    HELP = "help"


class View(NamedTuple):
    emulation: Emulation
    about: str
    happened: list[AnyHappening]
    message: str
    panel: Panel
    plugged_in: bool
    now: float


def picture(view: View, width: int, height: int) -> list[ScreenLine]:
    """The whole screen; the caller cuts lines that are too long."""
    head = _head(view, width)
    foot = _foot(view, width)
    if view.panel is Panel.NONE:
        room = max(height - len(head) - len(foot), 0)
        body = _last_happenings(view.happened, room)
    else:
        # A panel takes the place of the picture where there is no room for both.
        needed = 1 + max(len(HELP), len(FAULTS))
        head = head if height >= len(head) + needed + len(foot) else [head[0], head[-1]]
        room = max(height - len(head) - len(foot), 0)
        body = _help_panel() if view.panel is Panel.HELP else _fault_panel(view.emulation, width, room)
    body = body[:room] + [ScreenLine()] * (room - len(body))
    return [*head, *body, *foot][:height]


# --- the state of the shoe -------------------------------------------------------------------------------------


def _head(view: View, width: int) -> list[ScreenLine]:
    emulation = view.emulation
    shoe, firmware = emulation.shoe, emulation.shoe.firmware
    return [
        _title(view, width),
        _row("Shoe", _cards_left(view)),
        _row("", _body(view)),
        _row("Round", _round(view)),
        _row("Player", _hand(firmware.hand(Hand.PLAYER))),
        _row("Banker", _hand(firmware.hand(Hand.BANKER))),
        _row("Wanted", _wanted(view)),
        _row("Dealer", _dealer(view)),
        _row("Faults", _faults(emulation, stopped=shoe.firmware.stopped)),
        ScreenLine("─" * width, "dim"),
    ]


def _title(view: View, width: int) -> ScreenLine:
    shoe = view.emulation.shoe
    if not shoe.line.host_attached:
        state, style = "no controller", "white on red"
    elif shoe.line.is_native and not shoe.link_up:
        state, style = "no session yet", "black on yellow"
    else:
        state, style = "connected", "black on green"
    left = f" shoe-emulator  {view.about}"
    state = f" {state} "
    room = max(width - len(state) - 1, 0)
    # Cut visibly: half a seed would look like a whole one.
    left = left if len(left) <= room else f"{left[: max(room - 1, 0)]}…"
    return ScreenLine(left.ljust(max(width - len(state), 0)), "reverse").add(state, style)


def _row(label: str, content: ScreenLine) -> ScreenLine:
    return ScreenLine(f" {label:<{_LABEL}}", "bold").join(content)


def _cards_left(view: View) -> ScreenLine:
    shoe = view.emulation.shoe
    words = ScreenLine(f"no. {shoe.shoes_loaded}, {shoe.cards_out} cards out, {shoe.cards_inside} inside")
    if shoe.cut_card is not None:
        out = shoe.last_round is not None
        words.add(", cut card is out" if out else f", cut card in {shoe.cards_inside - shoe.cut_card}")
    return words


def _body(view: View) -> ScreenLine:
    shoe = view.emulation.shoe
    words = ScreenLine()
    for text, wrong in (
        ("power on" if shoe.powered else "NO POWER", not shoe.powered),
        ("gate LOCKED" if shoe.gate_locked else "gate open", shoe.gate_locked),
        ("lid OPEN" if shoe.lid_open else "lid closed", shoe.lid_open),
        ("cable in" if view.plugged_in else "cable OUT", not view.plugged_in),
    ):
        words.add(text, "bold yellow" if wrong else "").add("   ")
    waiting = len(shoe.line.store.events)
    if waiting:
        words.add(f"{waiting} event{'s' if waiting > 1 else ''} waiting", "yellow")
    if shoe.firmware.unreported:
        words.add(f", {shoe.firmware.unreported} lost", "bold red")
    return words


def _round(view: View) -> ScreenLine:
    firmware = view.emulation.shoe.firmware
    match firmware.stage:
        case Stage.FIRST_CARD:
            return ScreenLine("none yet: the first card shows how many are burned")
        case Stage.BURNING:
            return ScreenLine(f"none yet: {firmware.burns_left} more to burn")
        case Stage.READY if firmware.carried is not None:
            return ScreenLine(f"{firmware.rounds} dealt; the next begins with {firmware.carried.card}, carried over")
        case Stage.READY:
            ready = "the next card is burned" if firmware.burn_next else "ready for the next"
            return ScreenLine(f"{firmware.rounds} dealt; {ready}")
        case _ if firmware.spoilt:
            return ScreenLine(f"{firmware.rounds}, spoilt: it can only be ended by force (R)", "yellow")
        case _:
            return ScreenLine(f"{firmware.rounds}. {ENGLISH.of(firmware.why)}")


def _hand(cards: tuple[Card, ...]) -> ScreenLine:
    words = ScreenLine()
    for card in cards:
        words.add(str(card), "bold red" if card.suit.value in "HD" else "bold").add(" ")
    if cards:
        words.add(" " * (12 - words.width)).add(str(total_of(cards)), "bold cyan")
    return words


def _wanted(view: View) -> ScreenLine:
    shoe = view.emulation.shoe
    if not shoe.line.is_native:
        controls = "the gate alone" if shoe.line.settings.wire is Wire.ANGEL_EYE else "nothing: a reader only sends"
        return ScreenLine(f"this wire controls {controls}", "dim")
    lamps = ", ".join(sorted(lamp.value for lamp in shoe.lamps)) or "none"
    next_hand = "not given" if shoe.next_hand is None else f"for {shoe.next_hand.value.capitalize()}"
    return ScreenLine(f"lamps: {lamps}; next card: {next_hand}")


def _dealer(view: View) -> ScreenLine:
    emulation = view.emulation
    dealer, shoe = emulation.dealer, emulation.shoe
    if not emulation.dealer_is_on:
        return ScreenLine(f"by hand: {_hint(shoe)}", "cyan")
    speed = "full speed" if dealer.speed == AS_FAST_AS_THE_LINE else f"speed {dealer.speed:g}"
    words = ScreenLine(f"{speed}, ")
    at = dealer.next_deadline()
    if dealer.finished:
        return words.add("has dealt all shoes")
    if dealer.next_act is not None and at is not None:
        return words.add(f"{dealer.next_act.value} in {max(at - view.now, 0):.0f} s")
    if not emulation.has_begun:
        return words.add("waits for a controller", "yellow")
    why = shoe.why_no_card or ("waits for the line" if not shoe.line.has_room else "waits")
    return words.add(f"waits: {why}" if shoe.why_no_card else why, "yellow")


def _hint(shoe: VirtualShoe) -> str:
    """The key that a person would press next."""
    firmware = shoe.firmware
    hints = (
        (not shoe.powered, "p switches the power on"),
        (bool(firmware.extras), "b burns the extra card, k keeps it for the next round"),
        (bool(firmware.standing), "c clears the shoe's faults"),
        (firmware.spoilt, "R ends the round by force"),
        (firmware.stage is Stage.COMPLETE, "r asks for the result"),
        (shoe.cards_inside == 0, "n loads new cards"),
    )
    return next((hint for applies, hint in hints if applies), "d draws the next card")


def _faults(emulation: Emulation, *, stopped: bool) -> ScreenLine:
    standing = [code.value for code in emulation.shoe.firmware.standing]
    armed = [kind.name for kind in emulation.plan.armed]
    words = ScreenLine()
    if standing:
        words.add(f"{', '.join(standing)}{' (stopped)' if stopped else ''}", "bold red")
        words.add("; " if armed else "")
    if armed:
        more = f" and {len(armed) - 1} more" if len(armed) > 1 else ""
        words.add(f"pending: {armed[0]}{more}", "magenta")
    return words if words.plain else ScreenLine("none", "dim")


# --- below it --------------------------------------------------------------------------------------------------


def _last_happenings(happened: list[AnyHappening], room: int) -> list[ScreenLine]:
    lines = []
    for happening in happened[-room:] if room else []:
        minutes, seconds = divmod(happening.t, 60)
        line = ScreenLine(f" {minutes:3.0f}:{seconds:04.1f}  ", "dim")
        lines.append(line.add(in_words(happening), _style(happening)))
    return lines


def _style(happening: AnyHappening) -> str:
    match happening:
        case FaultInjected():
            return "bold magenta"
        case RoundEnded():
            return "bold"
        case HostAttached() | HostDetached() | GateMoved() | CutCardOut():
            return "yellow"
        case _:
            return ""


def _fault_panel(emulation: Emulation, width: int, room: int) -> list[ScreenLine]:
    """All faults with their keys: in two columns by name, or in one with descriptions if there is room."""
    wire = emulation.settings.wire.wire
    entries = [(key, FAULTS[name]) for key, name in FAULT_KEYS.items()]
    lines = [ScreenLine(f" Which fault? {DISARM_KEY} removes the pending ones; other keys go back.", "bold")]
    if room > len(entries):
        return lines + [_fault_line(key, kind, wire, with_words=True) for key, kind in entries]
    rows = max(room - 1, 1)
    columns = [entries[begin : begin + rows] for begin in range(0, len(entries), rows)]
    column_width = width // len(columns)
    for row in range(rows):
        line = ScreenLine()
        for column in columns:
            if row < len(column):
                cell = _fault_line(*column[row], wire, with_words=False)
                line.join(cell).add(" " * (column_width - cell.width))
        lines.append(line)
    return lines


def _fault_line(key: str, kind: FaultKind, wire: Wire, *, with_words: bool) -> ScreenLine:
    detection = kind.on(wire)
    cannot = isinstance(detection, Undetectable)
    words = f"{kind.name:<24} {kind.what}" if with_words else kind.name
    if with_words and cannot:
        words = f"{kind.name:<24} {detection}"
    return ScreenLine(f" {key} ", "dim" if cannot else "bold cyan").add(words, "dim" if cannot else "")


def _help_panel() -> list[ScreenLine]:
    return [ScreenLine(f" {key:<12}", "bold cyan").add(words) for key, words in HELP]


def _foot(view: View, width: int) -> list[ScreenLine]:
    lines = [ScreenLine(f" {view.message}", "bold yellow"), ScreenLine("─" * width, "dim"), ScreenLine()]
    for key, word in KEYS:
        if lines[-1].width + len(f"  {key} {word}") > width:
            lines.append(ScreenLine())
        lines[-1].add("  " if lines[-1].width else " ").add(key, "bold cyan").add(f" {word}")
    return lines
