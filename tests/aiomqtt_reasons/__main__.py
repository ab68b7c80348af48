"""`python -m tests.aiomqtt_reasons`: whether each reason against aiomqtt still holds with the release installed.

The exit code is 0 if all of them hold, 1 if the choice may be looked at again.
"""

# ruff: noqa: T201 - reports to the terminal

import asyncio
import sys
from importlib.metadata import version

from tests.aiomqtt_reasons.clients import with_aiomqtt
from tests.aiomqtt_reasons.reasons import REASONS, try_out


def main() -> int:
    print(f"aiomqtt {version('aiomqtt')}, paho-mqtt {version('paho-mqtt')}")
    holding = 0
    for reason, experiment in REASONS.items():
        try:
            finding = asyncio.run(try_out(experiment, with_aiomqtt))
        except Exception as error:  # noqa: BLE001 - a release with another interface may fail anyhow
            print(f"error  {reason}: this release could not be tried: {error!r}", flush=True)
            continue
        holding += finding.holds
        print(f"{'holds' if finding.holds else 'gone '}  {reason}: {finding.evidence}", flush=True)
    everything = holding == len(REASONS)
    print(f"{holding} of {len(REASONS)} reasons hold.{'' if everything else ' The choice may be looked at again.'}")
    return 0 if everything else 1


if __name__ == "__main__":
    sys.exit(main())
