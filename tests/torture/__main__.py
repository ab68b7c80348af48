"""Many power cuts: `python -m tests.torture [CUTS [SEED]]`. A failure names the cut; the same seed finds it again."""

# ruff: noqa: T201 - reports to the terminal

import sys
import tempfile
from pathlib import Path

from tests.torture.power_cuts import Cuts, forgetful_disk, why_not

CUTS = 200
CUTS_IN_ONE_LIFE = 20
"""Then another journal is begun: beginnings are cut too."""


def main() -> int:
    if why_not():
        print(f"no power cuts here: {why_not()}", file=sys.stderr)
        return 1
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CUTS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    done = answered = 0
    with forgetful_disk() as disk:
        while done < count:
            with tempfile.TemporaryDirectory(prefix="power-cuts-") as folder:
                cuts = Cuts(disk, Path(folder), seed + done)
                for _ in range(min(CUTS_IN_ONE_LIFE, count - done)):
                    cuts.cut()
                    done += 1
                answered += cuts.answered
            print(f"{done} of {count} power cuts, {answered} answered entries, all of them there", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
