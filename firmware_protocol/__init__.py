"""The wire between a shoe and its controller: bytes and `now` in, events and bytes out. No I/O, no clock."""
