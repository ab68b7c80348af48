"""The rules and prices of a shoe as they are published, made from the rules of the house."""

import hashlib
from fractions import Fraction

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.wagers import Row, Schedule, odds_text
from shoe_controller.messages.rules import OfferedWager, PostedLimit, Price, PublishedRules
from shoe_controller.table.state import RulesSource

MOST_DECIMALS = 12
"""A longer number is harder to read than the fraction that it is."""


def published_rules(rules: RulesSource, house: House) -> PublishedRules:
    limit = house.round_limit
    return PublishedRules(
        rules_hash=rules_hash(rules),
        currency=rules.currency,
        decimals=rules.decimals,
        base_game=house.schedule.base_game,
        commission=percentage(house.schedule.commission),
        commission_taken=house.commission_taken,
        decks=house.decks,
        seats=house.seats,
        offered=tuple(_offered(wager, house) for wager in house.offered),
        option_rules=house.option_rules,
        round_limit=None
        if limit is None
        else PostedLimit(amount=limit.amount, wagers=tuple(sorted(limit.wagers)), policy=limit.policy),
        rounding=house.rounding,
        bets_close=rules.procedure.bets_close,
        reveal=rules.procedure.reveal,
        dealer_signs_in=rules.procedure.dealer_signs_in,
        new_dealer_burns=rules.procedure.new_dealer_burns,
        shown_card=rules.procedure.shown_card,
        discarded_card=rules.procedure.discarded_card,
        remainder=rules.procedure.remainder,
    )


def rules_hash(rules: RulesSource) -> str:
    """The same for two shoes that were dealt by the same rules and prices."""
    return hashlib.blake2s(msgspec.json.encode(rules)).hexdigest()


def percentage(share: Fraction) -> str:
    """Exact: as a decimal number where there is one, else as a fraction."""
    hundredths = share * 100
    digits = next((n for n in range(MOST_DECIMALS + 1) if 10**n % hundredths.denominator == 0), None)
    if digits is None:
        return f"{hundredths}%"
    whole, rest = divmod(hundredths.numerator * 10**digits // hundredths.denominator, 10**digits)
    return f"{whole}.{rest:0{digits}}%" if digits else f"{whole}%"


def _offered(wager: str, house: House) -> OfferedWager:
    limits = house.limits[wager]
    return OfferedWager(
        id=wager,
        names=house.names[wager],
        prices=tuple(_price(row, house.schedule) for row in house.schedule.pay_tables[wager]),
        min=limits.min,
        max=limits.max,
        needs_base=wager in house.needs_base,
    )


def _price(row: Row, schedule: Schedule) -> Price:
    pays = "push" if row.pays is None else odds_text(schedule.row_result(row).pays)
    return Price(when=row.when, pays=pays)
