"""The Angel Eye wire, both ends of the line. PROTOCOL.md lists what is known about it and what is not."""
