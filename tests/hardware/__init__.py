"""The emulated shoe on a real kernel: a QEMU guest with Debian's own kernel attaches it over USB/IP and reads it.

`python -m tests.hardware` does everything: `.ci/system-packages hardware` installs QEMU, `guest_image.py` builds the
guest once and keeps it below `.cache/hardware/`, `__main__.py` boots it and judges, and `in_guest.py` is what runs
inside. Nothing leaves the machine but the download of packages; the guest has no network card.
"""
