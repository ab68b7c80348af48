"""Copies of the reckoner with one bug each: a check that is left out, an event that is passed over, a wrong sum.

A copy is loaded under another name, from sources that are changed on the way; the reckoner itself stays as it is.
"""

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import simulator.reckoner

ORIGINAL, COPY = "simulator.reckoner", "copied_reckoner"
FOLDER = Path(simulator.reckoner.__file__).parent
MODULES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != "__init__")

Change = Callable[[str, ast.Module], ast.Module | None]
"""Makes of a module's name and code the code of the copy; `None` where nothing is to be changed."""


@cache
def _source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8").replace(ORIGINAL, COPY)


@cache
def _unchanged(name: str) -> CodeType:
    return compile(_source(name), f"{COPY}/{name}.py", "exec")


class _Finder(MetaPathFinder, Loader):
    def __init__(self, change: Change) -> None:
        self._change = change

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != COPY:
            return None
        return spec_from_loader(fullname, self, is_package=fullname == COPY)

    def create_module(self, _spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.removeprefix(COPY).removeprefix(".") or "__init__"
        changed = self._change(name, ast.parse(_source(name)))
        code = _unchanged(name)
        if changed is not None:
            code = compile(ast.fix_missing_locations(changed), f"{COPY}/{name}.py", "exec")
        exec(code, module.__dict__)  # noqa: S102 - our own file, with one bug


@contextmanager
def copied(change: Change) -> Iterator[Any]:
    """The package with this change, for as long as it is needed."""
    finder = _Finder(change)
    sys.meta_path.insert(0, finder)
    try:
        package = importlib.import_module(COPY)
        for name in MODULES:
            importlib.import_module(f"{COPY}.{name}")
        yield package
    finally:
        sys.meta_path.remove(finder)
        for name in [each for each in sys.modules if each.partition(".")[0] == COPY]:
            del sys.modules[name]


# --- checks, one of which is left out --------------------------------------------------------------------------------


class Site(NamedTuple):
    """A place where a problem is found."""

    module: str
    number: int

    def __str__(self) -> str:
        return f"<{self.module} {self.number}>"


class _Checks(ast.NodeTransformer):
    """Marks every problem with the place where it is found; or leaves one place out."""

    def __init__(self, module: str, left_out: Site | None) -> None:
        self._module = module
        self._left_out = left_out
        self.sites: list[Site] = []

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if isinstance(node.exc, ast.Call) and getattr(node.exc.func, "id", "") == "MismatchError":
            return self._found(node, node.exc)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "problems.append":
            appended = node.value.args[0]
            if "error" not in {each.id for each in ast.walk(appended) if isinstance(each, ast.Name)}:
                return self._found(node, node.value)
        return node

    def _found(self, node: ast.stmt, call: ast.Call) -> ast.stmt:
        site = Site(self._module, len(self.sites))
        self.sites.append(site)
        if site == self._left_out:
            return ast.Pass()
        call.args[0] = ast.BinOp(ast.Constant(f"{site} "), ast.Add(), call.args[0])
        return node


def marking(module: str, code: ast.Module) -> ast.Module:
    """Every problem says where it was found."""
    changed: ast.Module = _Checks(module, None).visit(code)
    return changed


def without(site: Site) -> Change:
    def leave_out(module: str, code: ast.Module) -> ast.Module | None:
        changed: ast.Module = _Checks(module, site).visit(code)
        return changed if module == site.module else None

    return leave_out


def all_sites() -> list[Site]:
    found = []
    for module in MODULES:
        checks = _Checks(module, None)
        checks.visit(ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")))
        found += checks.sites
    return found


# --- other bugs ------------------------------------------------------------------------------------------------------


class Bug(NamedTuple):
    module: str
    right: str
    wrong: str

    def put_in(self, module: str, code: ast.Module) -> ast.Module | None:
        if module != self.module:
            return None
        source = ast.unparse(code)
        assert source.count(self.right) == 1, f"{self.right!r} is {source.count(self.right)} times in {module}"
        return ast.parse(source.replace(self.right, self.wrong))


def forgotten_kinds() -> list[Bug]:
    """For every kind of event that is looked at, a reckoner that passes over it."""
    code = ast.parse((FOLDER / "books.py").read_text(encoding="utf-8"))
    table = next(
        node.value
        for node in ast.walk(code)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "self._handlers"
    )
    assert isinstance(table, ast.Dict)
    kinds = [ast.unparse(key) for key in table.keys if key is not None]
    return [Bug("books", f"{kind}: self", f"'no such {kind[1:-1]}': self") for kind in kinds]


BUGS = (
    Bug("pay_tables", "return 1 - commission", "return 1 - commission / 2"),
    Bug("pay_tables", "'base.tie': lambda r: _when(r.tie, 8)", "'base.tie': lambda r: _when(r.tie, 9)"),
    Bug("drawing", "if total(player) < 8 and total(banker) < 8", "if total(player) < 9 and total(banker) < 9"),
    Bug("drawing", "% 10", "% 9"),
    Bug("settlement", "wager.stake + winnings - _held(house, commission)", "wager.stake + winnings"),
    Bug("settlement", "return commission if house.commission_taken == AT_ONCE else 0", "return commission"),
    Bug("settlement", "<= limit.amount", "<= 2 * limit.amount"),
    Bug("settlement", "shares[number] += 1", "shares[number] += 0"),
    Bug("house", "frozenset({'base.banker'}) if game == 'commission' else frozenset()", "frozenset()"),
    Bug("wagers", "self.settled += sign * sum((row.stake for row in what.rows))", "pass"),
    Bug("wagers", "self.paid_back += sign * sum((row.returned for row in what.rows))", "pass"),
    Bug("amendments", "seats[row.seat] += sign * (row.returned - row.stake)", "seats[row.seat] += sign * row.returned"),
    Bug("wagers", "self._count(undone, -1)", "self._count(undone, 1)"),
    Bug("wagers", "self._count(before, -1)", "pass"),
    Bug("amendments", "self.rows if self.taken == MARKED else ()", "()"),
    Bug("commission", "slip.amount -= off", "pass"),
    Bug("commission", "slip.fate = act['act']", "pass"),
    Bug("disputes", "self._unwarned = [] if warned else list(self.open)", "pass"),
    Bug("drawing", "len(known) < max(4, len(laid))", "len(laid) > 3"),
    Bug("books", "self.settlements += 1", "self.settlements += 0"),
    Bug("books", "self.settlements -= 1", "self.settlements -= 0"),
    Bug("cards", "self._burned += event['burned']", "pass"),
    Bug("cards", "self._carried = extras[0]", "pass"),
    Bug("reports", "return [ReportedCard('with_another')] * event['cards']", "return []"),
    Bug("inputs", "stored.append(event)", "pass"),
    Bug("inputs", "self._requests.add(given['request_id'])", "pass"),
    Bug("reckoning", "problems += cards.problems", "pass"),
    Bug("reckoning", "problems += _result_problems(truth, books.results, every_round=every_round)", "pass"),
    Bug("reckoning", "problems.append(str(error))", "pass"),
    Bug("reckoning", "results=len(books.results)", "results=0"),
    Bug("reckoning", "events=books.seq", "events=books.seq - 1"),
)
