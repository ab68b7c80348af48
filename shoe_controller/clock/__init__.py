"""`Moment`, a time on both clocks of a machine, and the one file that reads those clocks."""
