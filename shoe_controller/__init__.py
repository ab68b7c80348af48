"""The controller beside a smart baccarat shoe."""
