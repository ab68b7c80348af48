"""The truth: everything that physically happened around an emulated shoe, as JSON lines.

A controller's record can be compared with it card by card. It tells what happened, not what was said on the line:
a misread card is told here with its face. The pure parts make these values and hand them to a `TellTruth`.
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
    """What the shoe's reader made of a card that went by."""

    READ = "read"
    HIDDEN = "hidden"
    """Read, and kept to itself for ever."""
    UNREAD = "unread"
    FOREIGN = "foreign"
    WITH_ANOTHER = "with_another"
    """Two cards went by at once."""


class Happening(msgspec.Struct, frozen=True, kw_only=True, tag_field="what", omit_defaults=True):
    """The common ancestor; never made itself."""

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
    """A piece of card has left the shoe."""

    card: Card
    card_id: str
    number: int
    """The how manieth card that left the shoe since the emulator began."""
    to: Hand
    """Where it was laid."""
    position: int | None = None
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
    """Somebody pulled at an empty shoe."""


class CardsRemoved(Happening, frozen=True, kw_only=True, tag="cards_removed"):
    """Cards were taken out of the shoe by hand."""

    cards: int


class RoundEnded(Happening, frozen=True, kw_only=True, tag="round_ended"):
    """What lay on the table when the result was asked for."""

    round: int
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    winner: IndicatedWinner | None
    """By the rules; `None` for a round that was ended by force."""
    player_pair: bool = False
    banker_pair: bool = False


class RoundAbandoned(Happening, frozen=True, kw_only=True, tag="round_abandoned"):
    """The shoe forgot a round that was being dealt: it lost its power, or was started anew."""

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
    """A person set the shoe right, or the controller told it to forget an error."""


class Identified(Happening, frozen=True, kw_only=True, tag="identified"):
    """The shoe blinked and beeped for so many seconds."""

    seconds: int


class HostAttached(Happening, frozen=True, kw_only=True, tag="host_attached"):
    pass


class HostDetached(Happening, frozen=True, kw_only=True, tag="host_detached"):
    pass


class CableMoved(Happening, frozen=True, kw_only=True, tag="cable"):
    """Somebody pulled the cable, or plugged it in again."""

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

TellTruth = Callable[[AnyHappening], None]


class TruthWriter:
    """Writes the truth as it happens, each line at once."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write

    def tell(self, happening: AnyHappening) -> None:
        self._write(msgspec.json.encode(happening) + b"\n")


def read_truth(path: Path) -> list[AnyHappening]:
    return [msgspec.json.decode(line, type=AnyHappening) for line in path.read_bytes().splitlines()]
