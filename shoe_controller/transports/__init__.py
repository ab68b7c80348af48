"""The lines to a shoe: a serial port, a socket, a USB device. Bytes in, bytes out, not interpreted.

`transport.py` defines a port and an open line, `serial_port.py`, `socket_port.py` and `usb_device.py` are the ports,
`reconnect.py` keeps one of them open for ever. Each outside library is imported by one file only, and all of its errors
leave this folder as `TransportError`.
"""
