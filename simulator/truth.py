"""The truth: everything that physically happened around an emulated shoe, as JSON lines.

A controller's record can be compared with it card by card. It records what happened, not what was sent on the line: a
misread card has its face here. The pure parts make these values and pass them to a `TruthSink`.
"""

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Literal

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import Button, Hand, IndicatedWinner, StartCause
from firmware_protocol.link import Lamp


class Reading(Enum):
    """How the shoe's reader saw a card that passed."""

    READ = "read"
    HIDDEN = "hidden"
    """Read, and never disclosed."""
    UNREAD = "unread"
    FOREIGN = "foreign"
    WITH_ANOTHER = "with_another"
    """Two cards passed at once."""


class Happening(msgspec.Struct, frozen=True, kw_only=True, tag_field="what", omit_defaults=True):
    """Base class; never instantiated itself."""

    t: float
    """Seconds on the emulator's clock."""


class PoweredOn(Happening, frozen=True, kw_only=True, tag="powered_on"):
    cause: StartCause
    boot_id: int


class PoweredOff(Happening, frozen=True, kw_only=True, tag="powered_off"):
    pass


class Loaded(Happening, frozen=True, kw_only=True, tag="loaded"):
    """Cards were put into the shoe; those that were still in it were taken out."""

    cards: int
    decks: int
    deck_set: str
    taken_out: int = 0


class CardOut(Happening, frozen=True, kw_only=True, tag="card_out"):
    """A physical card has left the shoe."""

    card: Card
    card_id: str
    number: int
    """Number of the card, counted from 1 since the emulator started."""
    to: Hand
    """Where it was laid."""
    position: int | None = None
    burns_left: int | None = None
    """Of a burned card: how many are still to be burned."""
    reading: Reading = Reading.READ


class CardUsedAgain(Happening, frozen=True, kw_only=True, tag="card_used_again"):
    """The over-drawn card on the table becomes the first card of the next round."""

    card: Card
    card_id: str


class CardBack(Happening, frozen=True, kw_only=True, tag="card_back"):
    """A card was pulled, and pushed back before it had left."""

    card: Card
    card_id: str
    half_way: bool


class CutCardOut(Happening, frozen=True, kw_only=True, tag="cut_card_out"):
    pass


class NothingCame(Happening, frozen=True, kw_only=True, tag="nothing_came"):
    """A card was pulled from an empty shoe."""


class CardsRemoved(Happening, frozen=True, kw_only=True, tag="cards_removed"):
    """Cards were taken out of the shoe by hand."""

    cards: int


class RoundEnded(Happening, frozen=True, kw_only=True, tag="round_ended"):
    """The cards on the table when the result button was pressed."""

    round: int
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    winner: IndicatedWinner | None
    """By the rules; `None` for a round that was ended by force."""
    player_pair: bool = False
    banker_pair: bool = False


class RoundAbandoned(Happening, frozen=True, kw_only=True, tag="round_abandoned"):
    """The shoe forgot a round that was being dealt: it lost power or was restarted."""

    round: int


class Pressed(Happening, frozen=True, kw_only=True, tag="pressed"):
    button: Button
    long: bool = False


class GateMoved(Happening, frozen=True, kw_only=True, tag="gate_moved"):
    locked: bool
    by: Literal["controller", "silence", "key"]


class LidMoved(Happening, frozen=True, kw_only=True, tag="lid_moved"):
    opened: bool


class LampsChanged(Happening, frozen=True, kw_only=True, tag="lamps"):
    lit: tuple[Lamp, ...]


class FaultsCleared(Happening, frozen=True, kw_only=True, tag="faults_cleared"):
    """A person cleared the shoe's faults, or the controller cleared one."""


class Identified(Happening, frozen=True, kw_only=True, tag="identified"):
    """The shoe blinked and beeped for this many seconds."""

    seconds: int


class HostAttached(Happening, frozen=True, kw_only=True, tag="host_attached"):
    pass


class HostDetached(Happening, frozen=True, kw_only=True, tag="host_detached"):
    pass


class CableMoved(Happening, frozen=True, kw_only=True, tag="cable"):
    """The cable was pulled, or plugged in again."""

    plugged_in: bool


class FaultInjected(Happening, frozen=True, kw_only=True, tag="fault_injected"):
    fault: str
    at_card: int
    """Cards that had left the shoe by then."""


AnyHappening = (
    PoweredOn
    | PoweredOff
    | Loaded
    | CardOut
    | CardUsedAgain
    | CardBack
    | CutCardOut
    | NothingCame
    | CardsRemoved
    | RoundEnded
    | RoundAbandoned
    | Pressed
    | GateMoved
    | LidMoved
    | LampsChanged
    | FaultsCleared
    | Identified
    | HostAttached
    | HostDetached
    | CableMoved
    | FaultInjected
)

TruthSink = Callable[[AnyHappening], None]


class TruthWriter:
    """Writes the truth as it happens, each line at once."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def record(self, happening: AnyHappening) -> None:
        self._write(msgspec.json.encode(happening) + b"\n")


def read_truth(path: Path) -> list[AnyHappening]:
    return [msgspec.json.decode(line, type=AnyHappening) for line in path.read_bytes().splitlines()]
