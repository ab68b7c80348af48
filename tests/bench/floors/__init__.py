"""Processes that do the least of what a benchmark measures; each is started by the benchmark that it stands beside."""
