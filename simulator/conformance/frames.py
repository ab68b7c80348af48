"""Judges every frame from the shoe as it comes, whatever is being tried: form, tag, counter, layout, totals."""

from firmware_protocol.events import CardDrawn, Fault
from firmware_protocol.link import LineError
from firmware_protocol.native.event_layouts import decode_event, encode_event
from firmware_protocol.native.messages import (
    FROM_SHOE,
    SEALED,
    WINDOW,
    BadFrameError,
    Challenge,
    FrameType,
    ShoeStatus,
)
from firmware_protocol.native.session import payload_of
from simulator.conformance.session import HeldEvent, NastySession, counter_of
from simulator.conformance.verdicts import Findings

JUDGED = ("1.1", "1.6", "2.3", "2.5", "3.2", "3.4", "3.5", "4.1", "4.2", "4.7", "7.1")
"""Clauses that hold if every frame of the whole run is right; others are only found broken here, and need a trial."""
FAULT_KIND = 0x0B
CHALLENGE_BYTES = 65
"""Without the characters of its three texts."""
SHORTEST = {
    FrameType.AWAKE: 1,
    FrameType.CHALLENGE: 65,
    FrameType.REJECT: 20,
    FrameType.EVENT: 30,
    FrameType.STATUS: 34,
}
"""Bytes of a body, with its tag."""
EXACT = (FrameType.AWAKE, FrameType.REJECT, FrameType.STATUS)
"""Frames of one size in version 1; AWAKE and REJECT keep it in all versions."""
LAST_CAUSE = 5
KNOWN_STATUS_FLAGS = 0x07
KNOWN_CAPABILITIES = 0x1F07
FLAGS_OF_KINDS = {0x04: (1, 0x07), 0x0B: (1, 0x03), 0x0C: (1, 0x02), 0x10: (8, 0x03)}
"""Where an event of a kind has its flags, and which of them exist."""


class FrameJudge:
    def __init__(self, findings: Findings) -> None:
        self._check = findings.check
        self._check_part = findings.check_part
        self._fail = findings.fail
        self._nonces: dict[bytes, bytes] = {}
        """CHALLENGE by its nonce S, of the whole run."""
        self._contents: dict[tuple[int, int], tuple[int, bytes]] = {}
        """Kind and fields of every event, by boot id and sequence."""
        self._sealed: set[bytes] = set()
        self._speaking: NastySession | None = None
        """That of the last sealed frame,"""
        self._awake_after: NastySession | None = None
        """and what it was when AWAKE came last."""
        self._total = -1
        self.boot_ids: set[int] = set()
        self.line_errors = 0
        self.frames = 0

    def _note(self, clause: str, right: bool, what: str) -> bool:  # noqa: FBT001 - as in `Findings`
        """What the frames alone decide holds if they are right; else another trial decides it."""
        return (self._check if clause in JUDGED else self._check_part)(clause, right, what)

    def bad_frame(self, error: LineError) -> None:
        self.line_errors += 1
        self._fail("1.1", f"{error.length} bytes from the shoe are no frame: {error.reason}")

    def judge(self, at: float, body: bytes, session: NastySession | None) -> None:
        self.frames += 1
        self._check("1.1", True, "")  # noqa: FBT003 - it is a frame
        kind = body[0]
        layouts = "5.1" if kind & SEALED else "3.2"
        exists = kind & FROM_SHOE and kind in SHORTEST
        if not self._note(layouts, bool(exists), f"a frame of type {kind:02X}, which no shoe sends"):
            return
        name = FrameType(kind).name
        right = len(body) >= SHORTEST[FrameType(kind)]
        if not self._note(layouts, right, f"{name} of {len(body)} bytes"):
            return
        if kind in EXACT:
            self._note(layouts, len(body) == SHORTEST[FrameType(kind)], f"{name} of {len(body)} bytes")
        if kind & SEALED:
            self._judge_sealed(at, body, session)
        elif kind == FrameType.CHALLENGE:
            self._judge_challenge(body)
        elif kind == FrameType.AWAKE:
            self._awake_after = self._speaking

    def _judge_sealed(self, at: float, body: bytes, session: NastySession | None) -> None:
        name = FrameType(body[0]).name
        if session is None:
            self._fail("4.1", f"{name} with a tag that no session of this run explains")
            return
        self._check("4.1", True, "")  # noqa: FBT003 - its tag was found to be right
        if session is self._awake_after:
            self._fail(
                "3.22", f"AWAKE came before {name} with counter {counter_of(body)}, in the middle of its session"
            )
        self._speaking = session
        again = body in self._sealed
        self._check("4.7", not again, f"{name} with counter {counter_of(body)} was sent twice, byte for byte")
        self._sealed.add(body)
        counter = counter_of(body)
        expected = session.received + 1
        # What was spoilt on the line leaves a hole, and that is normal.
        right = counter == expected or (counter > expected and self.line_errors > 0)
        self._check("4.2", right or again, f"{name} has counter {counter} after {session.received}")
        session.received = max(counter, session.received)
        if body[0] == FrameType.STATUS:
            self._judge_status(body, session)
        else:
            self._judge_event(HeldEvent.read(at, body), session)

    def _judge_status(self, body: bytes, session: NastySession) -> None:
        status = ShoeStatus.read(payload_of(body))
        session.status = status
        ordered = 1 <= status.oldest <= status.upcoming
        self._note("5.1", ordered, f"STATUS with oldest {status.oldest}, next {status.upcoming}")
        self._check("2.3", body[25] & ~KNOWN_STATUS_FLAGS == 0, "STATUS with a reserved flag set")
        if status.card_total < self._total:
            self._fail("6.7", f"STATUS has total {status.card_total} after {self._total}")
        self._total = max(status.card_total, self._total)

    def _judge_event(self, event: HeldEvent, session: NastySession) -> None:
        session.events[event.sequence] = event
        known = self._contents.setdefault(event.name, (event.kind, event.fields))
        if known != (event.kind, event.fields):
            self._fail("6.3", f"event {event.sequence} came again with other bytes")
        self._judge_kind(event)
        status = session.status
        if status is None:
            self._fail("3.18", "an EVENT came before the first STATUS of its session")
            return
        oldest = max(status.oldest, session.acknowledged + 1)
        if event.sequence - oldest >= WINDOW:
            self._fail("6.22", f"event {event.sequence} was sent while {oldest} is not acknowledged")

    def _judge_kind(self, event: HeldEvent) -> None:
        decoded = decode_event(event.kind, event.fields)
        understood = event.kind == FAULT_KIND or not isinstance(decoded, Fault)
        what = f"event {event.sequence} of kind {event.kind:02X}"
        self._check("7.1", understood and event.boot_id != 0, f"{what} has a layout or a code that does not exist")
        if understood:
            size = len(encode_event(decoded)) - 1
            more = f"{what} has {len(event.fields)} bytes of fields, where its kind has {size}"
            self._check("7.1", len(event.fields) == size, more)
        if understood and event.kind in FLAGS_OF_KINDS:
            at, flags = FLAGS_OF_KINDS[event.kind]
            self._check("2.3", event.fields[at] & ~flags == 0, f"{what} has a reserved flag set")
        if isinstance(decoded, CardDrawn) and decoded.burns_left is not None and decoded.first_of_shoe:
            self._fail("7.6", f"{what}: the first card of a shoe has burns left, which are not known yet")

    def _judge_challenge(self, body: bytes) -> None:
        try:
            challenge = Challenge.read(body)
        except BadFrameError as error:
            self._fail("2.5", f"{error}")
            return
        self._check("2.5", True, "")  # noqa: FBT003 - its names could be read
        self.boot_ids.add(challenge.shoe.boot_id)
        shoe = challenge.shoe
        size = CHALLENGE_BYTES + sum(map(len, (shoe.model, shoe.firmware, shoe.serial_number)))
        if challenge.versions.newest == 1:
            self._check("3.2", len(body) == size, f"CHALLENGE of {len(body)} bytes, where its fields have {size}")
        self._check("3.2", body[43] <= LAST_CAUSE, f"CHALLENGE with cause {body[43]}, which does not exist")
        capabilities = int.from_bytes(body[44:46], "big")
        self._check("2.3", capabilities & ~KNOWN_CAPABILITIES == 0, f"reserved capabilities: {capabilities:04X}")
        self._check("3.5", challenge.shoe.boot_id != 0, "CHALLENGE with boot id 0")
        known = self._nonces.setdefault(challenge.nonce, body)
        self._check("3.4", known == body, f"nonce S {challenge.nonce.hex()} came in two different CHALLENGEs")
