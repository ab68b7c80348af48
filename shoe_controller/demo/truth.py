"""What really happened at an emulated shoe, read from the file in which the emulator writes it down.

The people around the table use it for what they would see with their own eyes: the face of a card that the shoe could
not read, whether a round lies on the table, whether the lid is open. At the end the journal is compared with it.
"""

from pathlib import Path

import msgspec

from firmware_protocol.cards import Card
from simulator.reckoner.mismatch import Json

RECENT = 8
"""Cards that can have left the shoe before the first of them is on the display."""
_ROUND_OVER = frozenset({"round_ended", "round_abandoned"})


class Happening(msgspec.Struct, frozen=True):
    """A line of the file, with whatever of it matters here."""

    what: str
    t: float
    card: Card | None = None
    to: str = ""
    position: int | None = None
    reading: str = "read"
    opened: bool = False
    button: str = ""
    locked: bool = False
    plugged_in: bool = True
    fault: str = ""
    cards: int = 0
    taken_out: int = 0
    winner: str | None = None
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()


class Truth:
    """Read piece by piece while the emulator writes."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = 0
        self.lines: list[Json] = []
        """Everything as it was written."""
        self.cards: list[Happening] = []
        """Every card that has left the shoe, in order."""
        self.rounds: list[Happening] = []
        """Every round that was ended at the shoe."""
        self.faults: list[Happening] = []
        self.in_round = False
        self.given_up = False
        """Whether the last round was ended at the shoe without a result, and no other has begun."""
        self.lid_open = False
        self.gate_locked = False
        self.plugged_in = True
        self.supervisor_called = 0
        """How often the button for it was pressed at the shoe."""
        self.empty = False
        """All cards were taken out of the shoe."""
        self.left = 0
        """Cards that were taken out of the shoe last, counted by hand."""
        self.new_cards = False
        """Whether no round was dealt yet from the cards in the shoe."""
        self.began: float | None = None
        """When the emulator's clock showed nothing, on our own: at the latest then, judging by all that was read."""

    def look(self, now: float) -> list[Happening]:
        """What was written since the last look."""
        try:
            with self._file.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        lines = [msgspec.json.decode(line) for line in whole.splitlines()]
        self.lines += lines
        happened = [msgspec.convert(line, Happening) for line in lines]
        for happening in happened:
            self._take(happening)
            began = now - happening.t
            self.began = began if self.began is None else min(self.began, began)
        return happened

    def _take(self, happening: Happening) -> None:  # noqa: C901 - a case for each
        match happening.what:
            case "card_out":
                self.cards.append(happening)
                dealt = happening.to in ("player", "banker")
                self.in_round = self.in_round or dealt
                self.new_cards = self.new_cards and not dealt
            case "card_used_again":
                self.in_round = True
            case "round_ended":
                self.rounds.append(happening)
            case "fault_injected":
                self.faults.append(happening)
            case "lid_moved":
                self.lid_open = happening.opened
            case "gate_moved":
                self.gate_locked = happening.locked
            case "cable":
                self.plugged_in = happening.plugged_in
            case "pressed":
                self.supervisor_called += happening.button == "call_supervisor"
            case "cards_removed":
                self.empty, self.left = True, happening.cards
            case "loaded":
                self.left = self.left if self.empty else happening.taken_out
                self.empty, self.new_cards = False, True
        if happening.what in _ROUND_OVER:
            self.in_round = False
            self.given_up = happening.winner is None
        self.given_up = self.given_up and not self.in_round

    @property
    def last_card(self) -> Json | None:
        """The last card that has left the shoe, as it was written."""
        return next((line for line in reversed(self.lines) if line["what"] == "card_out"), None)

    def lying_at(self, hand: str, position: int) -> Happening | None:
        """The card that lies in that place, or lay there last."""
        return next((card for card in reversed(self.cards) if (card.to, card.position) == (hand, position)), None)

    def moment_of(self, card: Card) -> float | None:
        """When that card left the shoe, on our own clock; unknown if it was none of the last few."""
        found = next((each for each in reversed(self.cards[-RECENT:]) if each.card is card), None)
        return None if found is None or self.began is None else self.began + found.t
