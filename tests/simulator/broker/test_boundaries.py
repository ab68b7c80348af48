"""What the broker may use: the standard library alone, and in its core neither network nor clock nor chance."""

import sys
from pathlib import Path

import pytest

from tests.test_layers import files_in, imports_of, is_within, package_of

FILES = files_in("simulator/broker")
SHELL = {"server.py", "__main__.py", "__init__.py"}
PURE = {"collections", "dataclasses", "enum", "functools", "heapq", "itertools", "math", "typing"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_imports(file: Path) -> None:
    for name in imports_of(file.read_text(encoding="utf-8"), package_of(file)):
        if is_within(name, ["simulator.broker"]):
            if file.name not in SHELL:
                assert not is_within(name, ["simulator.broker.server", "simulator.broker.__main__"]), (
                    f"{file.name} knows the shell"
                )
        else:
            permitted = sys.stdlib_module_names if file.name in SHELL else PURE
            assert is_within(name, permitted), f"{file.name} imports {name}"


def test_there_is_a_core_to_look_at() -> None:
    assert {file.name for file in FILES} > SHELL | {"core.py", "session.py", "decoding.py"}
