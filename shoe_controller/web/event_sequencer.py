"""Numbered events as they come: puts them in order, and knows what is missing and when to ask for it. Pure.

`now` is in seconds, by a clock that only goes forward.
"""

from collections.abc import Iterator

import msgspec

from shoe_controller.mqtt.contract import Answer

MOST_WAITING = 2000
"""Events kept while earlier ones are missing; those beyond it are asked for again."""

PATIENCE = 0.2
"""Seconds that a missing event may still be on its way before it is asked for."""

ASK_AGAIN, ASK_AGAIN_LAST = 3.0, 48.0
"""Seconds after which a request that nobody answered is made again; each time twice as many, up to so many."""


class _Numbered(msgspec.Struct):
    seq: int


_read_number = msgspec.json.Decoder(_Numbered).decode


class EventSequencer:
    """The events of one table. Whoever uses it says from which number on, when there is a reason to ask, and asks."""

    def __init__(self) -> None:
        self.have: int | None = None
        """No event up to this one is missing, but for those from before we were switched on."""
        self._waiting: dict[int, bytes] = {}
        self._missing_since: tuple[int, float] | None = None
        self._asked_at: float | None = None
        self._ask_again = ASK_AGAIN

    def begin(self, after: int) -> None:
        """Events after this one are wanted; whatever was asked before is of no use."""
        self.have = after
        self.ask_anew()

    def forget_waiting(self) -> None:
        """What waits is from another life of the table."""
        self._waiting.clear()

    def ask_anew(self) -> None:
        """An answer that was awaited is lost, or not awaited any more."""
        self._asked_at = None
        self._ask_again = ASK_AGAIN

    # --- what comes --------------------------------------------------------------------------------------------------

    def keep(self, payload: bytes) -> None:
        """An event; `msgspec.DecodeError` if it has no number. A repeat changes nothing."""
        seq = _read_number(payload).seq
        is_next = self.have is not None and seq == self.have + 1
        is_new = self.have is None or seq > self.have
        if is_next or (is_new and len(self._waiting) < MOST_WAITING):
            self._waiting.setdefault(seq, payload)

    def ready(self) -> Iterator[bytes]:
        """What has come without a gap; each is taken before it is given, so that one that cannot be read is passed."""
        if self.have is None:
            return
        for seq in [seq for seq in self._waiting if seq <= self.have]:
            del self._waiting[seq]
        while (payload := self._waiting.pop(self.have + 1, None)) is not None:
            self.have += 1
            yield payload

    # --- what is missing ---------------------------------------------------------------------------------------------

    def is_behind(self, newest: int) -> bool:
        return self.have is not None and (newest > self.have or bool(self._waiting))

    def wanted(self, now: float, *, missing: bool) -> int | None:
        """The number after which events should be asked for now; `missing` says whether there is a reason to."""
        if self.have is None or not missing:
            self._missing_since = None
            return None
        if self._missing_since is None or self._missing_since[0] != self.have:
            self._missing_since = (self.have, now)
        is_early = now - self._missing_since[1] < PATIENCE
        waits = self._asked_at is not None and now - self._asked_at < self._ask_again
        return None if is_early or waits else self.have

    def awaits(self, now: float) -> bool:
        """Whether an answer may still come to what was asked last."""
        return self._asked_at is not None and now - self._asked_at < ASK_AGAIN

    def asked(self, now: float) -> None:
        """The request went out."""
        if self._asked_at is not None:
            self._ask_again = min(self._ask_again * 2, ASK_AGAIN_LAST)
        self._asked_at = now

    def answered(self, answer: Answer, newest: int) -> None:
        """The answer that comes after the events that were asked for; `newest` is the newest number that we know of."""
        if self.have is None:
            return
        if answer.data is not None:
            # What was asked for and did not come is no longer in the journal.
            self.begin(max(self.have, answer.data.last))
        elif answer.code == "pruned":
            # Nobody has the oldest of these any more. Which is the first that is left is found in a few questions.
            self.begin(max(self.have, min(newest, (self.have + newest + 1) // 2)))
