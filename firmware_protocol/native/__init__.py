"""Our own protocol for shoe firmware; `PROTOCOL.md` in this folder specifies all of it.

Read in this order: `framing` (bytes to frames), `messages` and `event_layouts` (frames to meaning), `session` (keys
and tags), `handshake` (how a session begins), then the two ends of the line, `controller` and `shoe`.
"""
