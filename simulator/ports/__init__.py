"""The ports an emulated shoe can be plugged into: one file for each kind.

`port.py` defines the interface. `pty.py` is a pseudo-terminal, `tcp.py` a socket, `usb.py` a bus for pyusb inside this
process, `usbip.py` a USB device for a Linux kernel. The others are shared code: `descriptor_line.py`, `listening.py`
(sockets), `opened_files.py`, `usb_shoe.py` (descriptors), `usbip_packets.py` and `usbip_session.py`.
Nothing here knows what the bytes mean.
"""
