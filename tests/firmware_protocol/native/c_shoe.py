"""The shoe of `firmware_protocol/c`, compiled and driven from Python: its memory and its random bytes are the test's.

It runs in the process of the test, on the test's time; what the language leaves undefined ends that process. Events are
the dictionaries of `second_reader`, from whose tables come all codes: the product's own Python is not used here.
"""

import ctypes
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.c_build import BLAKE2S, compiled
from tests.firmware_protocol.native.second_reader import Fields

EVENTS, MARKS = 0, 1
EVENT_BYTES, MARK_BYTES = 96, 32
_NUMBERS = (
    "oldest",
    "next",
    "total",
    "in_session",
    "revision",
    "line_errors",
    "refused",
    "unknown",
    "wait",
    "locked_by_silence",
    "full",
    "boot_id",
)

_READ = ctypes.CFUNCTYPE(
    ctypes.c_bool,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_uint16,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
)
_ERASE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint16)
_RANDOM = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t)


class Desire(ctypes.Structure):
    _fields_ = (("gate", ctypes.c_uint8), ("lamps", ctypes.c_uint8), ("next_hand", ctypes.c_uint8))


_FOLLOW = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Desire))
_TOLD = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_COUNT = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
_CLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64)
_IDENTIFY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint8)


class _Firmware(ctypes.Structure):
    """`struct shoe_firmware`."""

    _fields_ = (
        ("model", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("serial_number", ctypes.c_char_p),
        ("key", ctypes.c_char_p),
        ("capabilities", ctypes.c_uint16),
        ("cause", ctypes.c_uint8),
        ("silence", ctypes.c_uint16),
        ("event_places", ctypes.c_uint16),
        ("events_in_page", ctypes.c_uint16),
        ("mark_places", ctypes.c_uint16),
        ("marks_in_page", ctypes.c_uint16),
        ("acknowledged_without_mark", ctypes.c_uint16),
        ("context", ctypes.c_void_p),
        ("read", _READ),
        ("write", _READ),
        ("erase", _ERASE),
        ("random", _RANDOM),
        ("follow", _FOLLOW),
        ("lock_gate", _TOLD),
        ("set_clock", _CLOCK),
        ("identify", _IDENTIFY),
        ("stranger", _TOLD),
        ("count_power_up", _COUNT),
    )


class _Event(ctypes.Structure):
    """`struct shoe_event`."""

    _fields_ = (
        ("kind", ctypes.c_uint8),
        ("hand", ctypes.c_uint8),
        ("position", ctypes.c_uint8),
        ("card", ctypes.c_uint8),
        ("burns_left", ctypes.c_uint8),
        ("flags", ctypes.c_uint8),
        ("cards", ctypes.c_uint8),
        ("code", ctypes.c_uint8),
        ("detail", ctypes.c_uint32),
        ("millivolts", ctypes.c_uint16),
        ("celsius", ctypes.c_int16),
        ("cards_since_load", ctypes.c_uint16),
        ("card_id", ctypes.c_char_p),
        ("deck_set", ctypes.c_char_p),
    )


@cache
def library() -> ctypes.CDLL:
    traps = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    return loaded_kit(Path(__file__).with_name("c_shoe.c"), ("-O1", "-g", *traps))


def loaded_kit(source: Path, options: tuple[str, ...]) -> ctypes.CDLL:
    """The kit as a library, with what `c_shoe.c` shows of it."""
    loaded = ctypes.CDLL(str(compiled("c_shoe", (source, BLAKE2S), (*options, "-fPIC", "-shared"))))
    loaded.seen_size.restype = ctypes.c_size_t
    loaded.seen_unframed.restype = loaded.seen_framed.restype = ctypes.c_uint8
    loaded.shoe_link_start.restype = loaded.shoe_link_report.restype = ctypes.c_bool
    loaded.shoe_link_send.restype = ctypes.c_size_t
    loaded.seen_digest.argtypes = [
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    loaded.shoe_link_receive.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
    loaded.shoe_link_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
    loaded.shoe_link_tick.argtypes = loaded.shoe_link_line_is_back.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    return loaded


def framed(body: bytes) -> bytes:
    wire = ctypes.create_string_buffer(256)
    size = library().seen_framed(body, len(body), wire)
    return wire.raw[:size]


def unframed(run: bytes) -> bytes:
    """The body; empty if these bytes are no frame. A link hands over at most one byte more than a frame has."""
    held = ctypes.create_string_buffer(run[:244], 256)
    size = library().seen_unframed(held, min(len(run), 244))
    return held.raw[1 : 1 + size]


def digest(key: bytes, data: bytes, size: int = 32) -> bytes:
    made = ctypes.create_string_buffer(size)
    library().seen_digest(key, data, len(data), made, size)
    return made.raw


def _with_crc(record: bytes) -> bytes:
    return record + struct.pack(">H", second.crc(record))


class PowerCutError(Exception):
    """The power failed in the middle of a write: this shoe is dead, and its memory is for the next power-up."""


class Memory:
    """What survives a loss of power: places of events and of marks, in pages that are erased as a whole."""

    def __init__(
        self, event_places: int = 1024, events_in_page: int = 1, mark_places: int = 8, marks_in_page: int = 1
    ) -> None:
        self.places = (event_places, mark_places)
        self.in_page = (events_in_page, marks_in_page)
        self.bytes = (bytearray(b"\xff" * EVENT_BYTES * event_places), bytearray(b"\xff" * MARK_BYTES * mark_places))
        self.is_flash = events_in_page > 1
        self.fails = False
        """Whether writes are refused."""
        self.erase_fails = False
        self.worn: set[tuple[int, int]] = set()
        """Areas and places that can never be written again; pages that begin with one cannot be erased."""
        self.power_for: int | None = None
        """How many more bytes are written or erased before the power fails; `None` for any number."""
        self.is_cut = False
        self.erased = 0

    def power_is_back(self) -> None:
        self.power_for, self.is_cut = None, False

    def size(self, area: int) -> int:
        return MARK_BYTES if area == MARKS else EVENT_BYTES

    def read(self, area: int, place: int, size: int) -> bytes:
        at = place * self.size(area)
        return bytes(self.bytes[area][at : at + size])

    def write(self, area: int, place: int, data: bytes) -> bool:
        assert place < self.places[area]
        assert len(data) <= self.size(area)
        at = place * self.size(area)
        if self.is_cut or self.fails or (area, place) in self.worn:
            return False
        if self.is_flash:
            assert self.bytes[area][at : at + len(data)] == b"\xff" * len(data), "flash is written once, then erased"
        lasts = self._powered(len(data))
        self.bytes[area][at : at + lasts] = data[:lasts]
        return not self.is_cut

    def erase(self, area: int, place: int) -> bool:
        assert place % self.in_page[area] == 0
        if self.erase_fails or (area, place) in self.worn:
            return False
        if self.is_cut or self.fails:
            return False
        self.erased += 1
        size, at = self.in_page[area] * self.size(area), place * self.size(area)
        lasts = self._powered(size)
        self.bytes[area][at : at + lasts] = b"\xff" * lasts
        return not self.is_cut

    def _powered(self, wanted: int) -> int:
        if self.power_for is None:
            return wanted
        lasts = min(wanted, self.power_for)
        self.power_for -= lasts
        self.is_cut = lasts < wanted
        return lasts

    def put_event(self, place: int, sequence: int, boot_id: int, said: bytes, total: int = 0) -> None:
        """As the kit lays it down."""
        record = struct.pack(">III5xB", sequence, boot_id, total, len(said)) + said
        self._put(EVENTS, place, _with_crc(record))

    def put_mark(self, next_: int, total: int = 0, acknowledged: tuple[int, int] = (0, 0), power_ups: int = 0) -> None:
        self._put(MARKS, 0, _with_crc(struct.pack(">IIIIIIB", 1, *acknowledged, next_, total, power_ups, 0)))

    def said(self, place: int) -> bytes:
        """Kind and payload of the event in a place."""
        record = self.read(EVENTS, place, EVENT_BYTES)
        return record[18 : 18 + record[17]]

    def _put(self, area: int, place: int, record: bytes) -> None:
        at = place * self.size(area)
        self.bytes[area][at : at + len(record)] = record


@dataclass(frozen=True)
class Identity:
    cause: int = 1
    capabilities: int = 0x0007
    model: str = "in C"
    firmware: str = "0.1"
    serial_number: str = "C-2"


_KINDS = {name: kind for kind, (name, _) in second.EVENTS.items()}
_HANDS = {name: number for number, name in second.HANDS.items()}
_CARDS = {name: number for number, name in second.CARDS.items()}
_FLAGS = {
    "first_of_shoe": 1,
    "carried_over": 2,
    "player_pair": 1,
    "banker_pair": 2,
    "banker_six": 4,
    "stopped": 1,
}


def _codes(meanings: dict[int, object]) -> dict[object, int]:
    return {meaning: number for number, meaning in meanings.items()}


_CODES: dict[str, tuple[str, dict[object, int]]] = {
    "started": ("cause", _codes({**second.CAUSES})),
    "result": ("winner", _codes({**second.WINNERS})),
    "gate": ("locked", {None: 0, False: 1, True: 2}),
    "lid": ("opened", {False: 0, True: 1}),
    "button": ("button", _codes({**second.BUTTONS})),
    "fault": ("code", _codes({**second.FAULTS})),
    "fault_cleared": ("code", _codes({**second.FAULTS})),
}


def c_event(event: Fields) -> _Event:
    """An event of the page's words as the kit wants it."""
    made = _Event(kind=_KINDS[event["event"]], burns_left=0xFF)
    made.flags = sum(bit for name, bit in _FLAGS.items() if event.get(name))
    if event["event"] in _CODES:
        name, numbers = _CODES[event["event"]]
        made.code = numbers[event[name]]
    for name in ("cards", "millivolts", "celsius", "cards_since_load"):
        setattr(made, name, event.get(name, 0))
    made.hand, made.card = _HANDS[event.get("hand")], _CARDS[event.get("card")]
    made.position = event.get("position") or 0
    if event.get("burns_left") is not None:
        made.burns_left = event["burns_left"]
    if event.get("detail") is not None:
        made.detail, made.flags = event["detail"], made.flags | 2
    made.card_id, made.deck_set = ((event.get(name) or "").encode("ascii") for name in ("card_id", "deck_set"))
    return made


class CShoe:
    """One power-up. What outlives it is the `Memory`; a restart is a new `CShoe` with the same one.

    `random` is asked for the boot id (4 bytes), then for nonces (16); without it power-ups are counted.
    """

    def __init__(
        self,
        *,
        key: bytes | None,
        memory: Memory,
        random: Callable[[int], bytes] | None,
        now: float = 0.0,
        identity: Identity | None = None,
        silence: int = 3000,
        acknowledged_without_mark: int = 0,
        count_power_up: Callable[[int], int] | None = None,
        kit: ctypes.CDLL | None = None,
    ) -> None:
        self.memory = memory
        self.desires: list[Fields] = []
        self.clock: list[int] = []
        self.identified: list[int] = []
        self.locks = self.strangers = 0
        self._kit = kit or library()
        self._link = ctypes.create_string_buffer(self._kit.seen_size())
        self._out = ctypes.create_string_buffer(8192)
        self._random = random
        identity = identity or Identity()
        self._firmware = _Firmware(
            model=identity.model.encode("ascii"),
            version=identity.firmware.encode("ascii"),
            serial_number=identity.serial_number.encode("ascii"),
            key=key,
            capabilities=identity.capabilities,
            cause=identity.cause,
            silence=silence,
            event_places=memory.places[EVENTS],
            events_in_page=memory.in_page[EVENTS],
            mark_places=memory.places[MARKS],
            marks_in_page=memory.in_page[MARKS],
            acknowledged_without_mark=acknowledged_without_mark,
            read=_READ(self._read),
            write=_READ(self._write),
            erase=_ERASE(lambda _, area, place: memory.erase(area, place)) if memory.is_flash else _ERASE(),
            random=_RANDOM(self._fill) if random else _RANDOM(),
            follow=_FOLLOW(self._follow),
            lock_gate=_TOLD(self._lock),
            set_clock=_CLOCK(lambda _, milliseconds: self.clock.append(milliseconds)),
            identify=_IDENTIFY(lambda _, seconds: self.identified.append(seconds)),
            stranger=_TOLD(self._meet_stranger),
            count_power_up=_COUNT(lambda _, at_least: count_power_up(at_least)) if count_power_up else _COUNT(),
        )
        started = self._kit.shoe_link_start(self._link, ctypes.byref(self._firmware), _milliseconds(now))
        self._unless_cut()
        if not started:
            raise ValueError("the kit refuses these settings")

    def __getattr__(self, name: str) -> int:
        """A number that the link keeps to itself."""
        if name not in _NUMBERS:
            raise AttributeError(name)
        numbers = (ctypes.c_uint32 * len(_NUMBERS))()
        self._kit.seen_numbers(self._link, numbers)
        return int(numbers[_NUMBERS.index(name)])

    @property
    def held(self) -> int:
        return self.next - self.oldest

    def report(self, event: Fields, now: float) -> bool:
        stored = self._kit.shoe_link_report(self._link, ctypes.byref(c_event(event)), _milliseconds(now))
        self._unless_cut()
        return bool(stored)

    def receive(self, data: bytes, now: float) -> None:
        self._kit.shoe_link_receive(self._link, data, len(data), _milliseconds(now))
        self._unless_cut()

    def tick(self, now: float) -> None:
        self._kit.shoe_link_tick(self._link, _milliseconds(now))
        self._unless_cut()

    def to_send(self, now: float) -> bytes:
        """All that it has to say; a full window fits."""
        size = self._kit.shoe_link_send(self._link, self._out, len(self._out), _milliseconds(now))
        return ctypes.string_at(self._out, size)

    def line_is_back(self, now: float) -> None:
        self._kit.shoe_link_line_is_back(self._link, _milliseconds(now))

    def has_made_nonces(self, count: int) -> None:
        self._kit.seen_nonces(self._link, ctypes.c_uint32(count))

    def _unless_cut(self) -> None:
        if self.memory.is_cut:
            raise PowerCutError

    def _read(self, _: int, area: int, place: int, to: "ctypes._Pointer[ctypes.c_uint8]", size: int) -> bool:
        ctypes.memmove(to, self.memory.read(area, place, size), size)
        return True

    def _write(self, _: int, area: int, place: int, data: "ctypes._Pointer[ctypes.c_uint8]", size: int) -> bool:
        return self.memory.write(area, place, ctypes.string_at(data, size))

    def _fill(self, _: int, to: "ctypes._Pointer[ctypes.c_uint8]", size: int) -> None:
        if self._random:
            ctypes.memmove(to, self._random(size), size)

    def _follow(self, _: int, desire: "ctypes._Pointer[Desire]") -> None:
        followed = desire.contents
        self.desires.append({"gate": followed.gate, "lamps": followed.lamps, "next_hand": followed.next_hand})

    def _lock(self, _: int) -> None:
        self.locks += 1

    def _meet_stranger(self, _: int) -> None:
        self.strangers += 1


def _milliseconds(now: float) -> int:
    return round(now * 1000) & 0xFFFFFFFF
