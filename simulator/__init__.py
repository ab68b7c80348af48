"""What stands around a controller, in software."""
