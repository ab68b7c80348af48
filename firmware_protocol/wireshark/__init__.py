"""The native wire in Wireshark: `fields.py` names every field, `lua.py` writes them into `shoe_native.lua`."""
