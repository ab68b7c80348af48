"""Benchmarks: ratios to a floor that is measured in the same run. `make bench` runs them; nothing is asserted."""
