"""`python -m simulator.broker`: runs the emulated broker until Ctrl-C."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from simulator.broker.access import EVERYTHING_ALLOWED, AccessFileError, AccessList
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
    options.add_argument(
        "--user",
        action="append",
        type=_user,
        metavar="NAME:PASSWORD",
        help="let in this user; may be given more than once, and nobody else is let in then",
    )
    options.add_argument(
        "--access", type=Path, metavar="FILE", help="who may read and write what: a Mosquitto acl_file"
    )
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    logging.basicConfig(format="%(asctime)s  %(message)s", datefmt="%H:%M:%S", level=logging.INFO, stream=sys.stdout)
    try:
        broker = EmulatedBroker(
            port=args.port,
            host=args.host,
            users=dict(args.user) if args.user else None,
            access=_access(args.access) if args.access else EVERYTHING_ALLOWED,
        )
        asyncio.run(_run(broker))
    except (BrokerAddressError, AccessFileError) as error:
        sys.stderr.write(f"{_PROGRAM}: {error}\n")
        return _BAD_INPUT
    return _GOOD


async def _run(broker: EmulatedBroker) -> None:
    loop, asked_to_end = asyncio.get_running_loop(), asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, asked_to_end.set)
    async with broker:
        _say(
            f"Emulated MQTT broker on {broker.host} port {broker.port}. For demonstrations and tests, never for "
            "production: only this machine can reach it, and it forgets everything when it stops. Ctrl-C stops it."
        )
        await asked_to_end.wait()
    _say("The emulated broker has stopped.")


def _user(text: str) -> tuple[str, str]:
    name, colon, password = text.partition(":")
    if not name or not colon or not password:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:PASSWORD")
    return name, password


def _access(file: Path) -> AccessList:
    try:
        return AccessList.from_mosquitto(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise AccessFileError(f"cannot read the access file {file}: {reason}") from error
    except AccessFileError as error:
        raise AccessFileError(f"{file}, {error}") from error


def _say(sentence: str) -> None:
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
