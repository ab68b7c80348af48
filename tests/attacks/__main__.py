"""`make attack`: every attack at full length, then a table of what held; exits 1 if one did not hold."""

# ruff: noqa: T201 - reports to the terminal

import argparse
import sys
import tempfile
import traceback
from pathlib import Path

from tests.attacks.attack import Attack
from tests.attacks.collection import every_attack


def _run(attack: Attack) -> tuple[bool, str]:
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        try:
            return True, attack.run(Path(folder), attack.tries)
        except Exception as error:  # noqa: BLE001 - whatever an attack broke, the others still run
            traceback.print_exc()
            return False, f"DID NOT HOLD: {type(error).__name__}: {error}".splitlines()[0]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only attacks with this in their name")
    chosen = [attack for attack in every_attack() if parser.parse_args().only in attack.name]
    rows: list[tuple[str, str, str]] = [("attack", "tries", "what held")]
    broken = 0
    for number, attack in enumerate(chosen, 1):
        print(f"[{number} of {len(chosen)}] {attack.name}", flush=True)
        held, what = _run(attack)
        broken += not held
        rows.append((attack.name, f"{attack.tries:,}", what))
    names, tries = (max(len(row[column]) for row in rows) for column in (0, 1))
    print("\n" + "\n".join(f"{name:{names}}  {count:>{tries}}  {what}" for name, count, what in rows))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
