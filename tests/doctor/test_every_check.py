"""Every check has a test in which it fails for its reason, and one can always say what it looks at."""

import ast
from pathlib import Path

from shoe_controller.doctor.checks import CHECKS


def names_of_tests() -> set[str]:
    files = Path(__file__).parent.glob("test_*.py")
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    functions = (node for tree in trees for node in ast.walk(tree))
    return {node.name for node in functions if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_check_has_a_test_in_which_it_fails() -> None:
    tests = names_of_tests()
    without = [
        check.name
        for check in CHECKS
        if not any(name.startswith(f"test_{check.name.replace('-', '_')}_fails") for name in tests)
    ]
    assert without == []


def test_every_check_says_what_it_looks_at_and_what_to_do() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert check.looks_at
        assert check.to_do.endswith((".", ")"))
