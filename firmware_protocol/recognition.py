"""Recognises bytes that are plainly another wire's, or noise of a wrong speed, on a line that was set up wrongly. Pure.

A wrong wire or baud rate looks like a shoe that says nothing. It is told from noise by what noise cannot do: frames of
another wire whose checksums are right, or one line of text after another over some seconds. And it is told from a bad
line by what a line of the right speed always does: once a whole message of our own wire has come over this port, what
cannot be read is noise, and no wrong speed.
"""

from firmware_protocol.angel_eye.messages import BadTelegramError
from firmware_protocol.angel_eye.sequence import decode_telegram
from firmware_protocol.angel_eye.telegrams import Telegram, TelegramReader
from firmware_protocol.events import LineLook
from firmware_protocol.lines.splitting import Line, LineReader
from firmware_protocol.link import StrangeBytes
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.messages import FROM_SHOE, FrameType

ENOUGH_FRAMES = 2
"""Whole native frames of a shoe, each with a CRC of 16 bits; one AWAKE, which has no other form, is enough."""
ENOUGH_TELEGRAMS = 3
"""Whole telegrams; an Angel Eye shoe sends each three times."""
ENOUGH_LINES, TEXT_SECONDS = 4, 5.0
"""Lines of text in a row, and the time from the first to the last: a device that starts prints as many at once."""
LEAST_TEXT = 4
"""Characters of such a line."""
ENOUGH_NOISE, NOISE_SECONDS = 256, 5.0
"""Bytes without a whole message of any wire since the port was opened, and the time from the first to the last."""
QUIET_SECONDS = 30.0
"""Silence after which noise is counted anew: a byte now and then comes from a loose contact."""

_AWAKE = bytes((FrameType.AWAKE,))
_OF_SHOE = frozenset(int(kind) for kind in FrameType if kind & FROM_SHOE)


class LineRecognition:
    """Looks at what a link could not read. It says once what the line looks like, until the port is opened anew."""

    def __init__(self, own: LineLook) -> None:
        self._own = own
        self._said = False
        self._ever_understood = False
        self._frames = 0
        self._telegrams = 0
        self._texts = 0
        """Lines of text in a row."""
        self._text_since = 0.0
        self._bytes = 0
        self._first_at = 0.0
        self._last_at = 0.0
        self._forget()

    def opened(self) -> None:
        self._said = self._ever_understood = False
        self._forget()

    def understood(self) -> None:
        """A whole message of our own wire has come: the line is set up rightly."""
        if not self._ever_understood or self._bytes:
            self._ever_understood = True
            self._said = False
            self._forget()

    def not_understood(self, data: bytes, now: float) -> list[StrangeBytes]:
        """These bytes came, and no whole message of our own wire among them."""
        if self._said or not data:
            return []
        if not self._bytes or now - self._last_at > QUIET_SECONDS:
            self._bytes, self._first_at = 0, now
        self._bytes += len(data)
        self._last_at = now
        look = self._other_wire(data, now)
        if look is None and self._is_noise(now):
            look = LineLook.OTHER_SPEED
        if look is None:
            return []
        self._said = True
        return [StrangeBytes(looks_like=look)]

    def _is_noise(self, now: float) -> bool:
        return (
            not self._ever_understood
            and self._bytes >= ENOUGH_NOISE
            and now - self._first_at >= NOISE_SECONDS
            and not self._texts
        )

    def _other_wire(self, data: bytes, now: float) -> LineLook | None:
        seen = (
            (LineLook.NATIVE, self._looks_native),
            (LineLook.ANGEL_EYE, self._looks_angel_eye),
            (LineLook.LINES, self._looks_like_text),
        )
        found = [look for look, is_it in seen if is_it(data, now)]
        return next((look for look in found if look is not self._own), None)

    def _looks_native(self, data: bytes, _now: float) -> bool:
        frames = [frame for frame in self._native.feed(data) if isinstance(frame, bytes) and frame[0] in _OF_SHOE]
        self._frames += len(frames)
        return self._frames >= ENOUGH_FRAMES or any(frame == _AWAKE for frame in frames)

    def _looks_angel_eye(self, data: bytes, _now: float) -> bool:
        self._telegrams += sum(
            isinstance(item, Telegram) and _means_something(item) for item in self._angel_eye.read(data)
        )
        return self._telegrams >= ENOUGH_TELEGRAMS

    def _looks_like_text(self, data: bytes, now: float) -> bool:
        for item in self._lines.read(data):
            if isinstance(item, Line) and item.text.isascii() and len(item.text) >= LEAST_TEXT:
                if not self._texts:
                    self._text_since = now
                self._texts += 1
            else:
                self._texts = 0
        return self._texts >= ENOUGH_LINES and now - self._text_since >= TEXT_SECONDS

    def _forget(self) -> None:
        self._native, self._angel_eye, self._lines = FrameReader(), TelegramReader(), LineReader()
        self._frames = self._telegrams = self._texts = self._bytes = 0


def _means_something(telegram: Telegram) -> bool:
    try:
        decode_telegram(telegram)
    except BadTelegramError:
        return False
    return True
