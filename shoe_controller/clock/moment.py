"""A time on both of a machine's clocks. The shell makes them; table and journal store them."""

import msgspec


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    wall_ms: int
    """Milliseconds since 1970, on the wall clock, which can be set."""
    mono_ns: int
    """Nanoseconds on the monotonic clock, which restarts with the machine."""
    synchronised: bool
    """Whether the wall clock was synchronised with a time server."""
