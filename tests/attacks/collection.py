"""Every attack of this folder."""

import importlib
import pkgutil

import tests.attacks
from tests.attacks.attack import Attack


def every_attack() -> tuple[Attack, ...]:
    modules = sorted(found.name for found in pkgutil.iter_modules(tests.attacks.__path__))
    found = (
        getattr(importlib.import_module(f"tests.attacks.{name}"), "ATTACKS", ())
        for name in modules
        if name != "__main__"
    )
    return tuple(attack for attacks in found for attack in attacks)
