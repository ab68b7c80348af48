"""The game of baccarat, pure: no I/O, no clock, no randomness. Of the rest of the product it knows only the cards."""
