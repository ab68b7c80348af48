"""Game protection: the edge of every wager from the cards that are left, and what a counter would win with it."""
