"""The command `shoe-emulator`: `run` (the default), `record`, `play` and `faults`.

However a run ends (q, Ctrl-C, a kill, a lost terminal, a full disk), the port is closed and nothing is left behind.
Exit code 0 is success, 1 a run that failed, 2 a command line that cannot be used.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

from shoe_controller.words.printable import printable
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.event_lines import in_words
from simulator.faults import FAULTS, Group, markdown_table
from simulator.late_file import LateFile, UnwritableError
from simulator.options import BadOptionError, add_port_option, add_shoe_options, port_from, settings_from, speed_from
from simulator.ports.port import Port, PortError
from simulator.reader_ids import cards_file
from simulator.recording import BadRecordingError, Player, Recorder, RecordingPort, read_recording
from simulator.relay import RealLineError, Relay
from simulator.shoe_line import Wire
from simulator.truth import AnyHappening, TruthSink, TruthWriter

_COMMANDS = ("run", "record", "play", "faults")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Report a mistake in the arguments, which may contain anything."""
        super().error(printable(message))


def parser() -> argparse.ArgumentParser:
    top = _Parser(
        prog="shoe-emulator", description="A baccarat shoe in software that a controller cannot tell from a real one."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="an emulated shoe at a port, with a console (this is the default)")
    add_port_option(run)
    add_shoe_options(run)
    run.add_argument("--headless", "--no-console", action="store_true", help="no console: one line for each event")
    run.set_defaults(work=_run)

    record = commands.add_parser(
        "record", help="record line traffic with its timing", description="Record an emulated shoe or a real line."
    )
    record.add_argument("file", metavar="FILE", help="where to write the recording")
    record.add_argument(
        "--line",
        metavar="LINE",
        help="sit between --port and a real shoe at /dev/ttyUSB0, /dev/ttyUSB0@9600 or tcp:HOST:PORT",
    )
    add_port_option(record)
    add_shoe_options(record)
    record.add_argument("--headless", "--no-console", action="store_true", help="no console")
    record.set_defaults(work=_record)

    play = commands.add_parser("play", help="replay the shoe's side of a recording to a port")
    play.add_argument("file", metavar="FILE", help="a recording, packed (.gz) or not")
    add_port_option(play)
    play.add_argument("--speed", default="1", metavar="N", help="20 is twenty times as fast, max is without pauses")
    play.set_defaults(work=_play)

    faults = commands.add_parser("faults", help="list the faults, and how each wire reports them")
    faults.add_argument("--markdown", action="store_true", help="print them as a Markdown table")
    faults.set_defaults(work=_faults)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0] not in _COMMANDS and words[0] not in ("-h", "--help")):
        words.insert(0, "run")
    args = parser().parse_args(words)
    try:
        exit_code: int = args.work(args)
    except (BadOptionError, BadRecordingError, UnwritableError) as error:
        return _print_error(error, 2)
    except (PortError, RealLineError) as error:
        return _print_error(error, 1)
    except BrokenPipeError:
        # The reader of our output has closed it. Python would complain once more while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _print_error(error, 1)
    return exit_code


def _print_error(error: Exception, exit_code: int) -> int:
    message = printable(str(error), keep="\n")
    sys.stderr.write(f"shoe-emulator: {message}\n")
    return exit_code


# --- run and record --------------------------------------------------------------------------------------------


def _run(args: argparse.Namespace) -> int:
    settings = settings_from(args)
    _write_cards_file(args, settings)
    port = port_from(args.port, args.serial_number)
    return _until_stopped(lambda stop: _emulate(args, port, settings, stop))


def _write_cards_file(args: argparse.Namespace, settings: EmulationSettings) -> None:
    """For the controller, which has to know the cards of the reader's ids."""
    if args.cards_file is not None:
        with LateFile(args.cards_file) as file:
            file.write(cards_file(settings.decks, settings.wire.ids))


def _record(args: argparse.Namespace) -> int:
    if args.line is not None:
        port = port_from(args.port)
        with ExitStack() as stack:
            file = stack.enter_context(LateFile(args.file))
            return _until_stopped(lambda stop: _relay(args.line, port, file, stop))
    settings = settings_from(args)
    _write_cards_file(args, settings)
    port = port_from(args.port, args.serial_number)
    if args.truth is not None and Path(args.truth).absolute() == Path(args.file).absolute():
        raise BadOptionError(f"{args.file} is given for both the recording and the truth: give two names")
    with ExitStack() as stack:
        file = stack.enter_context(LateFile(args.file))

        async def work(stop: asyncio.Event) -> None:
            recorder = Recorder(file.write, asyncio.get_running_loop().time)
            await _emulate(args, RecordingPort(port, recorder), settings, stop)
            sys.stdout.write(f"{recorder.chunks} chunks recorded in {args.file}\n")

        return _until_stopped(work)


async def _emulate(args: argparse.Namespace, port: Port, settings: EmulationSettings, stop: asyncio.Event) -> None:
    about = _about(port, settings)
    with ExitStack() as stack:
        sinks: list[TruthSink] = []
        if args.truth is not None:
            truth = TruthWriter(stack.enter_context(LateFile(args.truth)).write)
            sinks.append(truth.record)
        if args.headless or not _has_a_screen():
            sinks.append(_Printer(about).record)
            async with EmulatedShoe(port=port, settings=settings, truth=_all_of(sinks)) as shoe:
                await _until_all_is_dealt(shoe, stop)
        else:
            from simulator.console import LiveConsole  # noqa: PLC0415 -- rich is loaded only where something is drawn

            console = LiveConsole(about)
            sinks.append(console.record)
            async with EmulatedShoe(port=port, settings=settings, truth=_all_of(sinks)) as shoe:
                await console.run(shoe, stop)


def _has_a_screen() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _about(port: Port, settings: EmulationSettings) -> str:
    wire = settings.wire
    if wire.wire is Wire.NATIVE:
        name = "native" if wire.key else "native, insecure"
    elif wire.wire is Wire.LINES:
        name = f"lines, ids of {wire.ids}"
    else:
        name = f"Angel Eye, {wire.disclosing.value.replace('_', ' ')}"
    return f"{port.address}, {name}, seed {settings.seed}"


class _Printer:
    """Prints one line for each event, with a heading before the first, which comes when the port is open."""

    def __init__(self, about: str) -> None:
        self._heading = f"emulated shoe: {about}; it deals as soon as a controller opens the port; Ctrl-C stops it\n"

    def record(self, happening: AnyHappening) -> None:
        sys.stdout.write(f"{self._heading}{happening.t:10.3f}  {in_words(happening)}\n")
        sys.stdout.flush()
        self._heading = ""


def _all_of(sinks: list[TruthSink]) -> TruthSink:
    def record(happening: AnyHappening) -> None:
        for sink in sinks:
            sink(happening)

    return record


async def _until_all_is_dealt(shoe: EmulatedShoe, stop: asyncio.Event) -> None:
    """Wait for `stop`, or until the last shoe is dealt and every event of it is sent and acknowledged."""

    def look() -> None:
        emulation = shoe.emulation
        line = emulation.shoe.line
        if emulation.dealer.finished and not line.store.events and emulation.shoe.line.has_room:
            stop.set()

    shoe.on_change = look
    await stop.wait()


async def _relay(line: str, port: Port, file: LateFile, stop: asyncio.Event) -> None:
    recorder = Recorder(file.write, asyncio.get_running_loop().time)
    relay = asyncio.create_task(Relay(port, line, recorder).run())
    relay.add_done_callback(lambda _: stop.set())
    sys.stdout.write(f"recording {line} to {file.name}; point the controller at {port.address}; Ctrl-C stops it\n")
    sys.stdout.flush()
    await stop.wait()
    relay.cancel()
    await asyncio.wait([relay])
    sys.stdout.write(f"{recorder.chunks} chunks recorded in {file.name}\n")
    if not relay.cancelled():
        relay.result()


# --- play and faults -------------------------------------------------------------------------------------------


def _play(args: argparse.Namespace) -> int:
    speed = speed_from(args.speed)
    if speed is None:
        raise BadOptionError("--speed manual is not possible for a recording: write a number, or max")
    path = Path(args.file)
    for _ in read_recording(path):
        # The whole file is checked before anything is plugged in.
        pass
    port = port_from(args.port)

    async def work(stop: asyncio.Event) -> None:
        player = Player(port, read_recording(path), speed)
        sys.stdout.write(f"{path.name} plays as soon as a controller opens {port.address}; Ctrl-C stops it\n")
        sys.stdout.flush()
        playing = asyncio.create_task(player.play())
        playing.add_done_callback(lambda _: stop.set())
        await stop.wait()
        playing.cancel()
        await asyncio.wait([playing])
        if not playing.cancelled():
            playing.result()
        sys.stdout.write(f"{player.played} chunks played\n")

    return _until_stopped(work)


def _faults(args: argparse.Namespace) -> int:
    if args.markdown:
        sys.stdout.write(markdown_table())
        return 0
    for group in Group:
        sys.stdout.write(f"{group.value}\n")
        for kind in FAULTS.values():
            if kind.group is group:
                sys.stdout.write(
                    f"  {kind.name}: {kind.what}\n"
                    f"      when       {kind.moment.value}\n"
                    f"      native     {kind.native}\n"
                    f"      angel_eye  {kind.angel_eye}\n"
                    f"      lines      {kind.lines}\n"
                )
    return 0


# --- ends ------------------------------------------------------------------------------------------------------


def _until_stopped(work: Callable[[asyncio.Event], Awaitable[None]]) -> int:
    """Run this in an event loop until it ends or a signal stops it; an error in a callback stops it too."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        failed: list[BaseException] = []

        def fail(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            failed.append(context.get("exception") or RuntimeError(context["message"]))
            stop.set()

        loop.set_exception_handler(fail)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop.set)
        await work(stop)
        if failed:
            raise failed[0]

    asyncio.run(run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
