"""What a reckoner says to an evening, in each of the ways in which it is used."""

from typing import Any

from simulator.second_sum import differences
from tests.simulator.reckoner.evenings import Evening

Package = Any
"""The modules of the reckoner, or of a copy of it with a bug."""


def verdicts(package: Package, evening: Evening) -> dict[str, list[str]]:
    """The problems that it finds, by the way in which it is asked."""
    house, step = package.house.house_of(evening.info), package.reckoning.Step
    reckon = package.reckoning.reckon
    return {
        "over": list(reckon(evening.truth, evening.steps, house).problems),
        "events": list(reckon(evening.truth, [step(None, evening.events)], house).problems),
        "lenient": list(reckon(evening.truth, evening.steps, house, leniency=anything(package)).problems),
        "no truth": list(reckon(None, evening.steps, None).problems),
        "live": _live(package, evening, house),
    }


def anything(package: Package) -> object:
    """Where cards may be lost or invented, they are not compared."""
    return package.alignment.Leniency(any_loss=True, any_invention=True)


def second_sum_problems(package: Package, evening: Evening) -> list[str]:
    found = package.reckoning.reckon(evening.truth, evening.steps, package.house.house_of(evening.info))
    return differences(found, evening.events)


def _live(package: Package, evening: Evening, house: object) -> list[str]:
    reckoner = package.reckoning.Reckoner(house)
    matcher = package.reports.ReportMatcher(
        keeps_events=True, may_lose=lambda: False, may_be_false=lambda: False, missed=lambda _: None
    )
    matcher.cards += [line for line in evening.truth if line["what"] == "card_out"]
    try:
        for step in evening.steps:
            cause = package.inputs.cause_of(step.given)
            left = ()
            if cause is not None and cause["input"] == "shoe_report":
                left = matcher.match(cause["event"], number=cause["sequence"], arrived=float("inf"))
            reckoner.stored(step, left)
    except package.mismatch.MismatchError as error:
        return [str(error)]
    return [f"{card} was never reported" for card in matcher.unreported]
