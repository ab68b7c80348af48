"""`python -m tests.fuzz.target NAME [INPUT | OPTION …]`: runs one target under libFuzzer, or a stored input again.

A target is a module of this folder with `one_input`, `INSTRUMENTED` (modules whose branches guide the fuzzer) and
`LONGEST_INPUT`. Options are those of libFuzzer.
"""

import ast
import importlib
import sys
from pathlib import Path

import atheris

HERE = Path(__file__).parent

LONG_INPUTS = ("-len_control=0", "-reduce_inputs=0")
"""Without these libFuzzer prefers short inputs, in which no two steps have to do with each other."""
WITHOUT_STEPS = frozenset({"mqtt_packets"})


def main() -> None:
    program, name, *options = sys.argv
    with atheris.instrument_imports(include=list(_constant(name, "INSTRUMENTED")), enable_loader_override=False):
        target = importlib.import_module(f"tests.fuzz.{name}")
    length = () if name in WITHOUT_STEPS else LONG_INPUTS
    atheris.Setup([program, f"-max_len={target.LONGEST_INPUT}", *length, *options], target.one_input)
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
