"""What every long-running process of the product needs from its system: logging and systemd's notifications."""
