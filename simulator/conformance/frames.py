"""Judges every frame from the shoe as it comes, whatever is being tried: form, tag, counter, layout, totals."""

from firmware_protocol.events import Fault
from firmware_protocol.link import LineError
from firmware_protocol.native.event_layouts import decode_event
from firmware_protocol.native.messages import (
    FROM_SHOE,
    SEALED,
    WINDOW,
    BadFrameError,
    Challenge,
    FrameType,
    ShoeStatus,
)
from firmware_protocol.native.session import FRAME_TAG_BYTES, payload_of
from simulator.conformance.session import HeldEvent, NastySession, counter_of
from simulator.conformance.verdicts import Findings

FAULT_KIND = 0x0B
SHORTEST = {
    FrameType.AWAKE: 1,
    FrameType.CHALLENGE: 65,
    FrameType.REJECT: 20,
    FrameType.EVENT: 30,
    FrameType.STATUS: 34,
}
"""Bytes of a body, with its tag."""


class FrameJudge:
    def __init__(self, findings: Findings) -> None:
        self._check = findings.check
        self._fail = findings.fail
        self._held = findings.held
        self._nonces: dict[bytes, bytes] = {}
        """CHALLENGE by its nonce S, of the whole run."""
        self.boot_ids: set[int] = set()
        self._total = -1
        self.line_errors = 0
        self.frames = 0

    def bad_frame(self, error: LineError) -> None:
        self.line_errors += 1
        self._fail("?frame", f"{error.length} bytes from the shoe are no frame: {error.reason}")

    def judge(self, at: float, body: bytes, session: NastySession | None, *, is_current: bool) -> None:
        kind = body[0]
        self.frames += 1
        self._held.add("?frame")
        if not self._check(
            "?direction", bool(kind & FROM_SHOE), f"a frame of type {kind:02X}, which is the controller's"
        ):
            return
        if kind not in SHORTEST:
            self._fail("?types", f"a frame of type {kind:02X}, which does not exist")
            return
        self._held.add("?types")
        if not self._check(
            "?layouts", len(body) >= SHORTEST[FrameType(kind)], f"{FrameType(kind).name} of {len(body)} bytes"
        ):
            return
        if kind & SEALED:
            self._judge_sealed(at, body, session, is_current=is_current)
        elif kind == FrameType.CHALLENGE:
            self._judge_challenge(body)

    def _judge_sealed(self, at: float, body: bytes, session: NastySession | None, *, is_current: bool) -> None:
        name = FrameType(body[0]).name
        if not self._check("?tag", session is not None, f"{name} with a tag that no session of this run explains"):
            return
        assert session is not None  # noqa: S101 - for the types; it was just checked
        counter = counter_of(body)
        expected = session.received + 1
        # What was spoilt on the line leaves a hole, and that is normal.
        right = counter == expected or (counter > expected and self.line_errors > 0)
        self._check("?counter", right, f"{name} has counter {counter} after {session.received}")
        session.received = max(counter, session.received)
        if body[0] == FrameType.STATUS:
            self._judge_status(body, session, is_current=is_current)
        else:
            self._judge_event(HeldEvent.read(at, body), session)

    def _judge_status(self, body: bytes, session: NastySession, *, is_current: bool) -> None:
        status = ShoeStatus.read(payload_of(body))
        session.status = status
        self._check(
            "?status",
            1 <= status.oldest <= status.upcoming,
            f"STATUS with oldest {status.oldest}, next {status.upcoming}",
        )
        self._check("?reserved", body[-FRAME_TAG_BYTES - 1] & 0xF8 == 0, "STATUS with a reserved flag set")
        if is_current:
            self._judge_total(status.card_total, "STATUS")

    def _judge_event(self, event: HeldEvent, session: NastySession) -> None:
        session.events[event.sequence] = event
        self._check("?event_boot_id", event.boot_id != 0, f"event {event.sequence} with boot id 0")
        decoded = decode_event(event.kind, event.fields)
        understood = event.kind == FAULT_KIND or not isinstance(decoded, Fault)
        self._check(
            "?kinds",
            understood,
            f"event {event.sequence} of kind {event.kind:02X} has a layout or a code that does not exist",
        )
        status = session.status
        if (
            self._check("?status_first", status is not None, "an EVENT came before the first STATUS of its session")
            and status
        ):
            oldest = max(status.oldest, session.acknowledged + 1)
            in_flight = event.sequence - oldest + 1
            self._check("?window", in_flight <= WINDOW, f"event {event.sequence} while {oldest} is not acknowledged")

    def _judge_total(self, total: int, where: str) -> None:
        self._check("?total_never_lower", total >= self._total, f"{where} has total {total} after {self._total}")
        self._total = max(total, self._total)

    def _judge_challenge(self, body: bytes) -> None:
        try:
            challenge = Challenge.read(body)
        except BadFrameError as error:
            self._fail("?texts", f"{error}")
            return
        self._held.add("?texts")
        self.boot_ids.add(challenge.shoe.boot_id)
        self._check("?boot_id_not_0", challenge.shoe.boot_id != 0, "CHALLENGE with boot id 0")
        known = self._nonces.setdefault(challenge.nonce, body)
        self._check("?nonce_once", known == body, f"nonce S {challenge.nonce.hex()} came in two different CHALLENGEs")
