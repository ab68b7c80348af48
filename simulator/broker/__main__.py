"""`python -m simulator.broker`: runs the emulated broker until Ctrl-C."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence

from simulator.broker.server import LOOPBACK, BrokerAddressError, EmulatedBroker

_GOOD, _BAD_INPUT = 0, 2
_PROGRAM = "python -m simulator.broker"


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="An emulated MQTT broker (MQTT 5 and 3.1.1) for demonstrations and tests, never for production. "
        "Only programs on this machine can reach it, and it forgets everything when it stops.",
    )
    options.add_argument("--port", type=int, default=1883, help="port to listen on; 0 chooses any free one (1883)")
    options.add_argument("--host", default=LOOPBACK, help=f"a loopback address of this machine ({LOOPBACK})")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    logging.basicConfig(format="%(asctime)s  %(message)s", datefmt="%H:%M:%S", level=logging.INFO, stream=sys.stdout)
    try:
        asyncio.run(_run(EmulatedBroker(port=args.port, host=args.host)))
    except BrokerAddressError as error:
        sys.stderr.write(f"{_PROGRAM}: {error}\n")
        return _BAD_INPUT
    return _GOOD


async def _run(broker: EmulatedBroker) -> None:
    loop, asked_to_end = asyncio.get_running_loop(), asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, asked_to_end.set)
    async with broker:
        _print(
            f"Emulated MQTT broker on {broker.host} port {broker.port}. For demonstrations and tests, never for "
            "production: only this machine can reach it, and it forgets everything when it stops. Ctrl-C stops it."
        )
        await asked_to_end.wait()
    _print("The emulated broker has stopped.")


def _print(sentence: str) -> None:
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
