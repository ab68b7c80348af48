"""Seeds that once broke a promise, each with what it found. They run with every `make test`.

A seed means another plan when `plan.py` changes; then another one is looked for that finds the same.
"""

REGRESSIONS: dict[int, str] = {
    415: "a timer that a rounding error put a hair before its deadline kept the virtual time from passing",
    727: "an Angel Eye shoe that missed the command to unlock its gate stayed locked until its cable was pulled",
    2634: "a clock that was set was not noticed on a wire without timers",
    3143: "a lid that was closed while the shoe had no power counted as open until it was moved again",
    9955: "an Angel Eye shoe carried a card over into a round of which the table had seen one card, and the table "
    "could be let go on and settle on it",
}
