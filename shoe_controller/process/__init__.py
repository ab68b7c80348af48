"""Logging and systemd notifications, for every long-running process of the product."""
