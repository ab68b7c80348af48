"""A code with its values: how the product says something to people without choosing their language.

`{"code": "player_draws", "player_total": 4}` is a struct of its own for each code, so the values are typed. Words are
made from codes at the edges only (`shoe_controller/words`), from the tables in `shoe_controller/messages/words`.
"""

import re

import msgspec


def snake_case(name: str) -> str:
    """The code of a class: `PlayerDraws` is `player_draws`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Code(msgspec.Struct, frozen=True, tag_field="code", tag=snake_case):
    """The common base; never instantiated itself."""

    @property
    def code(self) -> str:
        return str(self.__struct_config__.tag)
