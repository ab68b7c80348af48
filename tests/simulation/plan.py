"""A plan: the house and its way of dealing, how many rounds, and what goes wrong when. `seeds.py` draws them."""

from typing import NamedTuple

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.table.procedure import Procedure
from simulator.shoe_line import Wire
from tests.simulation.houses import SimulatedHouse

DOWN = "the daemon is gone"

CORRECTING = 5
"""In one of so many seeds money is put right by people."""


COUNTING = 20
"""In one of so many a seat counts cards."""


class Mishap(NamedTuple):
    name: str
    entry: int
    """It happens after so many entries of the journal,"""
    delay: float
    """and so many seconds."""
    seconds: float
    """How long it lasts, where it lasts."""
    number: int
    """Any number, for what else there is to choose."""
    after: str = ""
    """Instead of a number of entries: after the first of these moments (`seeds.MOMENTS`)."""
    phase: str = ""
    """It waits for this phase of the table."""

    def __str__(self) -> str:
        moment = self.after or f"entry {self.entry}" + (f", in the phase {self.phase}" if self.phase else "")
        return f"{self.name} {self.delay:.3f} s after {moment} (for {self.seconds:.1f} s, {self.number})"


class Plan(NamedTuple):
    seed: int
    house: SimulatedHouse
    wire: Wire
    disclosing: Disclosing
    procedure: Procedure
    rounds: int
    cut_card_after: int | None
    """Cards until the cut card; nothing for a whole shoe."""
    speed: float
    sync_seconds: float
    """How long a commit takes on this disk when all is well."""
    undoes: bool
    mishaps: tuple[Mishap, ...]
    argues: bool = False
    """Rounds are noted, disputed and put right by hand, and commission is collected or waived."""
    misnames: bool = False
    """Supervisors name cards wrongly without a call, and notice it later."""
    counts: bool = False
    """A seat counts the cards on the felt."""

    @property
    def corrects(self) -> bool:
        """Whether seats change their minds, and supervisors put wagers and rounds right without a call."""
        return self.seed % CORRECTING == CORRECTING - 1

    @property
    def places(self) -> bool:
        """Whether supervisors discard cards and correct the first one without a call."""
        return self.seed % CORRECTING == CORRECTING // 2

    @property
    def names(self) -> list[str]:
        return [mishap.name for mishap in self.mishaps]

    def __str__(self) -> str:
        head = f"seed {self.seed}: {self.house}, {self.wire.value}, {self.disclosing.value}, {self.rounds} rounds"
        return "\n".join([head, *(f"  {mishap}" for mishap in self.mishaps)])
