"""The largest numbers and the longest names that a message may hold."""

LARGEST_SEQ = 2**63 - 1
"""The journal cannot count any further, nor look for a larger number."""

LARGEST_STAKE = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""

LONGEST_SEAT, LONGEST_WAGER = 40, 100
"""A table's file must not have longer names of seats and wagers either."""

MOST_CARDS_LEFT = 1_000
"""The largest number of cards that can be entered as the remainder of a shoe; far more than any holds."""
