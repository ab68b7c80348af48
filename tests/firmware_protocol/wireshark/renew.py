"""Writes the tables of the Wireshark dissector anew: `python -m tests.firmware_protocol.wireshark.renew`."""

from pathlib import Path

from firmware_protocol.wireshark.lua import renewed

DISSECTOR = Path(__file__).parents[3] / "firmware_protocol" / "wireshark" / "shoe_native.lua"


def main() -> None:
    DISSECTOR.write_text(renewed(DISSECTOR.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
