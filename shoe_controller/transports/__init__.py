"""The lines to a shoe: a serial port, a socket, a USB device. Bytes in, bytes out, and no meaning.

`transport.py` says what a port and an open line are, `serial_port.py`, `socket_port.py` and `usb_device.py` are the
ports, `reconnect.py` keeps one of them open for ever. Each outside library is imported by one file only, and every
error of theirs leaves this folder as a `TransportError`.
"""
