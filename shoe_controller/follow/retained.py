"""What is known of one table by its retained messages. Pure.

The retained `state` is the truth about the table, and each message of it is complete: a display that needs no more
than that follows no events. A message of a topic that is not subscribed to stays `None`.

Which journal
-------------
A table whose journal was replaced begins a new life, in which `seq` counts from 1 again. Every message names its
journal, and everything known here is of one journal, the current one:

- Only a `status` decides which journal is the current one. It counts if its `session` is not below that of the last one
  that counted, or if the controller has published it just now, online: then its clock was set back, or the broker would
  not have passed it on. So neither the late will of an older session nor what a broker has kept from before its own
  restart decides anything.
- With another journal everything known is discarded.
- Any other message of another journal than the current one waits: it counts when a `status` names its journal, since
  retained messages come in any order.
- Within a journal `seq` only grows: a message with a smaller one than the last on its topic is out of date.
"""

from collections.abc import Callable

import msgspec

from shoe_controller.messages.retained import InfoMessage, RoadsMessage, RoundsMessage, StateMessage, StatusMessage
from shoe_controller.messages.topics import INFO, ROADS, ROUNDS, STATE, STATUS

_read_status = msgspec.json.Decoder(StatusMessage).decode

Retained = InfoMessage | StateMessage | RoadsMessage | RoundsMessage

_READ_RETAINED: dict[str, Callable[[bytes], Retained]] = {
    INFO: msgspec.json.Decoder(InfoMessage).decode,
    STATE: msgspec.json.Decoder(StateMessage).decode,
    ROADS: msgspec.json.Decoder(RoadsMessage).decode,
    ROUNDS: msgspec.json.Decoder(RoundsMessage).decode,
}


class RetainedTable:
    """One table, as far as its retained messages have come. One that cannot be read raises `msgspec.DecodeError`."""

    def __init__(self) -> None:
        self.journal: str | None = None
        """The id of the journal that everything here is of; `None` before the first status."""
        self.status: StatusMessage | None = None
        self.info: InfoMessage | None = None
        self.state: StateMessage | None = None
        self.roads: RoadsMessage | None = None
        self.rounds: RoundsMessage | None = None
        self.version = 0
        """Grows with every message."""
        self._connected = False
        self._status_received = False
        self._other_journal: dict[str, Retained] = {}

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker."""
        return self._connected

    @property
    def online(self) -> bool:
        """Whether the controller is there, as far as a status has come over the present connection to the broker."""
        return self._connected and self._status_received and self.status is not None and self.status.online

    def broker_up(self) -> None:
        """A new connection: whether the controller is there must come anew."""
        self._connected, self._status_received = True, False
        self.version += 1

    def broker_down(self) -> None:
        self._connected = False
        self.version += 1

    def receive_retained(self, below: str, payload: bytes, *, retained: bool = False) -> None:
        """A message on a retained topic of the table, without the table's own part of it: "state".

        `retained` says whether the broker had kept it when we subscribed.
        """
        if below == STATUS:
            self._take_status(_read_status(payload), retained=retained)
        elif below in _READ_RETAINED:
            self._take(below, _READ_RETAINED[below](payload))
        else:
            return
        self.version += 1

    def _take_status(self, status: StatusMessage, *, retained: bool) -> None:
        is_newer = self.status is None or status.session >= self.status.session
        if not is_newer and (retained or not status.online):
            return
        self.status, self._status_received = status, True
        if status.journal != self.journal:
            self._begin_journal(status.journal)

    def _begin_journal(self, journal: str) -> None:
        self.journal = journal
        self.info = self.state = self.roads = self.rounds = None
        for below, message in self._other_journal.items():
            if message.journal == journal:
                self._take(below, message)
        self._other_journal.clear()

    def _take(self, below: str, message: Retained) -> None:
        if message.journal != self.journal:
            self._other_journal[below] = message
            return
        match message:
            case InfoMessage() if self.info is None or message.seq >= self.info.seq:
                self.info = message
            case StateMessage() if self.state is None or message.seq >= self.state.seq:
                self.state = message
            case RoadsMessage() if self.roads is None or message.seq >= self.roads.seq:
                self.roads = message
            case RoundsMessage() if self.rounds is None or message.seq >= self.rounds.seq:
                self.rounds = message
