"""`shoe-controller demo`: the whole chain on this machine, in one command."""

import argparse
import asyncio
import importlib.util

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.demo.chosen_faults import ALL_FAULTS, NO_FAULTS, BadFaultError, chosen_faults
from shoe_controller.demo.faults import FAULTS
from shoe_controller.demo.irregularities import IRREGULARITIES
from shoe_controller.demo.settings import (
    BROKERS,
    COUNTERS_DECKS,
    COUNTERS_SEED,
    COUNTERS_SPEED,
    FASTEST,
    GAMES,
    MOST_TABLES,
    SLOWEST,
    USUAL_SEED,
    USUAL_SPEED,
    WIRES,
    DemoSettings,
)
from shoe_controller.demo.strategies import COUNTS

FAILED = 1
COUNTER, NO_COUNTER = "1", "0"
USUAL_COUNTER = "natural_9_over_7"
PAGES, NO_PAGES = "1", "0"
"""Values for yes and no after PAGES=."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "demo",
        help="see the whole chain at work, without any hardware",
        description="Start a broker, an emulated shoe with its dealer, players who bet, a controller, and the pages "
        "for browsers, all on this machine and in a temporary folder, and watch them. Ctrl-C stops everything and "
        "reports whether what left the shoe, what the journal holds and what the display received are the same.",
        epilog="The same for `make demo`: FAULTS=1, WIRE=…, GAME=…, SPEED=…, TABLES=…, ROUNDS=…, SEED=…, COUNTER=1, "
        "PAGES=0",
    )
    parser.add_argument("--wire", choices=WIRES, default=WIRES[0], help="the shoe's protocol (default: %(default)s)")
    parser.add_argument("--game", choices=GAMES, default=GAMES[0], help="the base game (default: %(default)s)")
    parser.add_argument(
        "--speed",
        type=_speed,
        metavar="N",
        help=f"times a person's pace, {SLOWEST:g} to {FASTEST:g} (default: {USUAL_SPEED:g}, with a counter "
        f"{COUNTERS_SPEED:g})",
    )
    parser.add_argument(
        "--tables", type=_tables, default=1, metavar="N", help=f"1 to {MOST_TABLES} tables (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=_positive, metavar="N", help="stop after this many settled rounds")
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="N",
        help=f"random seed of the cards and wagers (default: {USUAL_SEED}, with a counter {COUNTERS_SEED})",
    )
    parser.add_argument(
        "--faults",
        nargs="?",
        const=ALL_FAULTS,
        default=NO_FAULTS,
        metavar="NAME,NAME",
        help="let the shoe and the people go wrong, one thing after another, and let supervisors put it right: all of "
        f"it, or what is named. Of the shoe: {', '.join(FAULTS)}. Of the people: {', '.join(IRREGULARITIES)}. "
        "The name of an alert stands for everything that raises it. "
        "Without --rounds the demo stops when all are over",
    )
    parser.add_argument(
        "--counter",
        nargs="?",
        choices=(*COUNTS, COUNTER, NO_COUNTER),
        const=COUNTER,
        default=NO_COUNTER,
        help="let the player in the last seat count cards, by a published count, until the pit's process finds it; the "
        f"wager that it is for is offered then, and {COUNTERS_DECKS} decks are dealt (1 or no name: {USUAL_COUNTER})",
    )
    parser.add_argument(
        "--broker", choices=BROKERS, default=BROKERS[0], help="auto uses Mosquitto if it is installed (default)"
    )
    parser.add_argument(
        "--pages",
        choices=(PAGES, NO_PAGES),
        default=PAGES,
        help="whether to serve the board, the pit view, live edges and a console to browsers (default: %(default)s)",
    )
    parser.add_argument("--no-pages", dest="pages", action="store_const", const=NO_PAGES, help="same as --pages 0")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    try:
        faults = chosen_faults(args.faults, args.wire, args.game)
    except BadFaultError as error:
        return bad_input(args, "bad_fault", str(error))
    if importlib.util.find_spec("simulator") is None:
        return bad_input(args, "no_simulator", "the emulated shoe is not installed here, and the demo needs it")
    is_usual = args.counter == NO_COUNTER
    counter = {COUNTER: USUAL_COUNTER, NO_COUNTER: None}.get(args.counter, args.counter)
    settings = DemoSettings(
        wire=args.wire,
        game=args.game,
        speed=args.speed or (USUAL_SPEED if is_usual else COUNTERS_SPEED),
        tables=args.tables,
        rounds=args.rounds,
        seed=args.seed if args.seed is not None else USUAL_SEED if is_usual else COUNTERS_SEED,
        faults=faults,
        broker=args.broker,
        pages=args.pages == PAGES,
        counter=counter,
    )
    return _show(args, settings)


def _show(args: argparse.Namespace, settings: DemoSettings) -> int:
    # Imported late: it brings the event loop and drawing along, which no other command needs.
    from shoe_controller.demo.programs import DemoError  # noqa: PLC0415 - see above
    from shoe_controller.demo.screen import LiveScreen, PlainScreen, has_a_screen  # noqa: PLC0415 - see above
    from shoe_controller.demo.show import Show  # noqa: PLC0415 - see above
    from shoe_controller.mqtt.broker import BrokerError  # noqa: PLC0415 - see above

    screen = LiveScreen() if has_a_screen() else PlainScreen(several_tables=settings.tables > 1)

    async def show() -> int:
        report = await Show(settings, screen).run()
        if report is None:
            screen.say("Stopped before it began.")
            return GOOD
        for line in report.lines:
            screen.say(line)
        return GOOD if report.good else FAILED

    try:
        return asyncio.run(show())
    except BrokenPipeError:
        # The reader of our output has closed it; `cli.main` handles that.
        raise
    except (DemoError, BrokerError, OSError) as error:
        bad_input(args, "demo", str(error))
        return FAILED


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not SLOWEST <= speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from {SLOWEST:g} to {FASTEST:g}")
    return speed


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1_000_000):
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)


def _tables(text: str) -> int:
    tables = _positive(text)
    if tables > MOST_TABLES:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of tables from 1 to {MOST_TABLES}")
    return tables


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number of at most 15 digits")
    return int(text)
