"""Seeds that once broke a promise, each with what it found. They run with every `make test`.

A seed means another plan when `plan.py` changes; then another one is looked for that finds the same.
"""

REGRESSIONS: dict[int, str] = {
    415: "a timer that a rounding error put a hair before its deadline kept the virtual time from passing",
    727: "an Angel Eye shoe that missed the command to unlock its gate stays locked until its cable is pulled",
    2634: "a clock that was set was not noticed on a wire without timers",
    3143: "a lid that was closed while the shoe had no power counts as open until it is moved again",
}

NOT_YET_MENDED: dict[int, str] = {
    9955: "an Angel Eye shoe carries a card over into a round of which the table has seen one card: the table stays "
    "with event_gap, which may be cleared, and settles on a card that lies in another's place",
}
"""Seeds that still break a promise. A test expects them to; once mended, they move up."""
