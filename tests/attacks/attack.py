"""What an attack is. An attack raises an error, usually a failed assertion, when something did not hold."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Attack:
    name: str
    """As in the table that `make attack` prints, such as "retained request with U+FEFF"."""
    run: Callable[[Path, int], str]
    """Called with an empty folder and the number of tries; returns what held, in a few words with its figures."""
    tries: int
    """At full length."""
    sample: int = 1
    """Tries in `make test`; 0 leaves it to `make attack`."""
