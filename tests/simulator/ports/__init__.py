"""The ports of the emulated shoe, mostly through the controller's own transports."""
