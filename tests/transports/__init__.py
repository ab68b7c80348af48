"""The lines to a shoe, on real ptys, real sockets, and pyusb over a bus of the tests' own."""
