"""`python -m tests.fuzz.target NAME [--plain] [INPUT | OPTION …]`: runs one target under libFuzzer, or an input again.

A target is a module of this folder with `one_input`, `INSTRUMENTED` (modules whose branches guide the fuzzer) and
`LONGEST_INPUT`. With `--plain` nothing is instrumented: what the fuzzer has learned is mutated, and nothing is added
to it, which takes a half to a seventh of the time. Other options are those of libFuzzer.
"""

import ast
import importlib
import sys
from pathlib import Path

import atheris

from tests.fuzz import PLAIN

HERE = Path(__file__).parent

LONG_INPUTS = ("-len_control=0", "-reduce_inputs=0")
"""Without these libFuzzer prefers short inputs, in which no two steps have to do with each other."""
WITHOUT_STEPS = frozenset({"mqtt_packets"})


def main() -> None:
    program, name, *given = sys.argv
    guided = PLAIN not in given
    options = [option for option in given if option != PLAIN]
    if name not in WITHOUT_STEPS:
        options = [*LONG_INPUTS, *options]
    if guided:
        with atheris.instrument_imports(include=list(_constant(name, "INSTRUMENTED")), enable_loader_override=False):
            target = importlib.import_module(f"tests.fuzz.{name}")
    else:
        target = importlib.import_module(f"tests.fuzz.{name}")
        # Without branches to tell them apart, libFuzzer would keep one input alone.
        options = ["-keep_seed=1", *options]
    options = [f"-max_len={target.LONGEST_INPUT}", *options]
    atheris.Setup([program, *options], target.one_input, enable_python_coverage=guided)
    atheris.Fuzz()


def _constant(name: str, constant: str) -> tuple[str, ...]:
    """A constant of a target, read without importing it: what it imports is to be instrumented on the way."""
    for node in ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == constant:
            found: tuple[str, ...] = ast.literal_eval(node.value)
            return found
    raise SystemExit(f"tests/fuzz/{name}.py has no {constant}")


if __name__ == "__main__":
    main()
