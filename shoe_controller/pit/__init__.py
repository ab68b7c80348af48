"""`shoe-controller pit`: the live edge of every wager, from shown cards, and alarms, for the pit alone."""
