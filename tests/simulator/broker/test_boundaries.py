"""What the broker may use: the standard library alone, and in its core neither network nor clock nor chance."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import simulator.broker

FILES = sorted(Path(simulator.broker.__file__).parent.glob("*.py"))
SHELL = {"server.py", "__main__.py", "__init__.py"}
PURE = {"collections", "dataclasses", "enum", "functools", "heapq", "itertools", "math", "typing"}


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            yield node.module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_imports(file: Path) -> None:
    for module in imported(file):
        top = module.split(".")[0]
        if module.startswith("simulator.broker"):
            if file.name not in SHELL:
                assert f"{module.rpartition('.')[2]}.py" not in SHELL, f"{file.name} knows the shell"
        else:
            assert top in (sys.stdlib_module_names if file.name in SHELL else PURE), f"{file.name} imports {module}"


def test_there_is_a_core_to_look_at() -> None:
    assert {file.name for file in FILES} > SHELL | {"core.py", "session.py", "decoding.py"}
