"""When something happened, on both of a machine's clocks. The shell makes them; table and journal keep them."""

import msgspec


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    wall_ms: int
    """Milliseconds since 1970, by a clock that people read and that can be set."""
    mono_ns: int
    """Nanoseconds on the clock that never goes back; it starts anew with the machine."""
    synchronised: bool
    """Whether the wall clock agreed with a time server."""
