"""Coverage-guided fuzzing (`make fuzz`): any bytes, cut anywhere, give what the type says or a counted error.

An input is what libFuzzer makes at once: for a wire, a conversation of some pieces and frames; for the packets of a
broker, one or two; for requests, a table with up to some twenty steps. Each begins with a line, a guard or a table of
its own, and the same bytes always do the same.
"""

PLAIN = "--plain"
"""The option of `tests.fuzz.target` for mutations that nothing guides."""
