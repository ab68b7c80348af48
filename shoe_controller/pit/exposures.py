"""The exposures of all tables, and a version that grows with every change, of all and of each. Pure."""

from shoe_controller.pit.exposure import Exposure


class Exposures:
    def __init__(self) -> None:
        self.version = 0
        self._tables: dict[str, tuple[int, Exposure]] = {}

    def put(self, table: str, exposure: Exposure) -> None:
        self.version += 1
        self._tables[table] = self.version, exposure

    def forget(self, table: str) -> None:
        """The table no longer exists."""
        if self._tables.pop(table, None) is not None:
            self.version += 1

    def of(self, table: str) -> Exposure | None:
        return self._tables[table][1] if table in self._tables else None

    def version_of(self, table: str) -> int:
        """0 while nothing is known of it."""
        return self._tables[table][0] if table in self._tables else 0
