"""`shoe-controller hand 9H 4D KS 2C`: one round, checked card by card, with the result of every wager.

`hand -` reads one hand per line and answers each with one JSON object per line, good hands and bad ones alike.
"""

import argparse
import sys

import msgspec

from firmware_protocol.cards import BadCardError, Card
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.facts import Facts, Winner
from shoe_controller.baccarat.outcome import HandOutcome, WagerOutcome, dealt_round, outcome_of, wager_outcomes
from shoe_controller.baccarat.wagers import Catalogue, CatalogueError, Result, Schedule
from shoe_controller.commands.output import (
    BAD_INPUT,
    GOOD,
    add_json_option,
    bad_input,
    console,
    deal_error_text,
    print_json,
)
from shoe_controller.commands.schedule_options import (
    add_decks_option,
    add_schedule_options,
    chosen_catalogue,
    chosen_schedule,
)
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.words.render import ENGLISH

FROM_STANDARD_INPUT = "-"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "hand",
        help="check one round and show the result of every wager",
        description="Check the cards of one round in the order they leave the shoe, and show every wager's result.",
    )
    parser.add_argument(
        "cards",
        nargs="+",
        metavar="CARD",
        help="rank and suit, as in 9H or 10s; a single - reads one hand per line from standard input",
    )
    add_schedule_options(parser)
    add_decks_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        catalogue = chosen_catalogue(args)
        schedule = chosen_schedule(args, catalogue)
    except BadFileError as error:
        return bad_input(args, "bad_catalogue", str(error))
    except CatalogueError as error:
        return bad_input(args, "unknown_name", str(error))
    if args.cards == [FROM_STANDARD_INPUT]:
        return _answer_lines(schedule, args.decks)
    try:
        deal = dealt_round([Card.parse(text) for text in args.cards], args.decks)
    except (BadCardError, DealError) as error:
        return bad_input(args, _code(error), _text(error))
    if args.json:
        print_json(outcome_of(deal, schedule))
    else:
        _draw(deal, schedule, catalogue)
    return GOOD


def _code(error: BadCardError | DealError) -> str:
    return error.code if isinstance(error, DealError) else "bad_card"


def _text(error: BadCardError | DealError) -> str:
    return deal_error_text(error) if isinstance(error, DealError) else str(error)


class _OutcomeLine(msgspec.Struct, frozen=True):
    """An `Outcome` whose wagers are JSON already: they depend on the facts alone, and facts come again and again."""

    player: HandOutcome
    banker: HandOutcome
    winner: Winner
    wagers: msgspec.Raw


def _answer_lines(schedule: Schedule, decks: int) -> int:
    encode = msgspec.json.Encoder().encode
    wagers_by_facts: dict[Facts, msgspec.Raw] = {}
    hands = bad = 0
    for line in sys.stdin.buffer:
        # Bytes that are not text are not a card either, and are answered as such.
        texts = line.decode(errors="replace").replace(",", " ").split()
        if not texts:
            continue
        hands += 1
        try:
            deal = dealt_round([Card.parse(text) for text in texts], decks)
        except (BadCardError, DealError) as error:
            print_json({"error": {"code": _code(error), "message": _text(error)}})
            bad += 1
            continue
        facts = deal.facts
        if facts not in wagers_by_facts:
            wagers_by_facts[facts] = msgspec.Raw(encode(wager_outcomes(facts, schedule)))
        player = HandOutcome(deal.player, facts.player_total, facts.player_natural)
        banker = HandOutcome(deal.banker, facts.banker_total, facts.banker_natural)
        print_json(_OutcomeLine(player, banker, facts.winner, wagers_by_facts[facts]))
    if bad:
        sys.stderr.write(
            f"shoe-controller hand: {bad} of {hands} hands could not be used; their output lines say why\n"
        )
    return BAD_INPUT if bad else GOOD


def _draw(deal: Deal, schedule: Schedule, catalogue: Catalogue) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    out = console()
    again = Deal()
    for card in deal.cards:
        out.print(f"{ENGLISH.of(again.why) + ':':64} {card}")
        again.feed(card)
    outcome = outcome_of(deal, schedule)
    out.print(f"{ENGLISH.of(deal.why)}.\n")
    for name, hand in (("Player", outcome.player), ("Banker", outcome.banker)):
        natural = "  natural" if hand.natural else ""
        out.print(f"{name}  {' '.join(map(str, hand.cards)):8}  {hand.total}{natural}")
    verdict = "Tie" if outcome.winner is Winner.TIE else f"{outcome.winner.value.capitalize()} wins"
    out.print(f"\n{verdict}\n", style="bold")
    table = Table("wager", "name", "result", "pays")
    winners_first = sorted(outcome.wagers.items(), key=lambda item: _ORDER_SHOWN.index(item[1].result))
    for wager, result in winners_first:
        table.add_row(
            wager, catalogue.wagers[wager].names.en, result.result.value, result.pays or "", style=_style(result)
        )
    out.print(table)


_ORDER_SHOWN = (Result.WIN, Result.PUSH, Result.LOSE)


def _style(result: WagerOutcome) -> str:
    return {Result.WIN: "bold green", Result.PUSH: "yellow", Result.LOSE: "dim"}[result.result]
