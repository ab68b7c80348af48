"""The player's edge of some wagers from what is left of one shoe after another, in floating point."""

from collections.abc import Mapping, Sequence

import numpy as np

from shoe_controller.baccarat.composition import Composition, check
from shoe_controller.baccarat.wagers import PayTable
from shoe_controller.protection.counted_play import EdgeCounter, Priced


class LiveEdges:
    """Pay tables as they are played: their prices are after commission."""

    def __init__(self, pay_tables: Mapping[str, PayTable]) -> None:
        self.wagers = tuple(pay_tables)
        self._counter = EdgeCounter([Priced(table, tuple(row.pays for row in table)) for table in pay_tables.values()])

    def edges(self, compositions: Sequence[Composition]) -> list[tuple[float, ...]]:
        """By composition, in the order of `wagers`; raise `CompositionError` if no round can be dealt from one."""
        for composition in compositions:
            check(composition)
        found, _ = self._counter.edges(np.array(compositions, dtype=np.int64))
        return [tuple(edges) for edges in found.tolist()]
