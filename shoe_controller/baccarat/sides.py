"""The two hands of the game."""

from enum import Enum


class Side(Enum):
    """One of the two hands on the table."""

    PLAYER = "player"
    BANKER = "banker"

    def __str__(self) -> str:
        return self.value.capitalize()
