"""A native line in one process and in virtual time: a shoe, a controller with a journal, and bad weather between them.

    line = Line(seed=7, weather=Weather(loss=0.2))
    line.plan(events)
    line.run_until(lambda: len(line.journal) == len(events))

Nothing sleeps and nothing is random but the seed. `journal` is what the controller's owner has stored; restarting the
controller leaves it only that, restarting the shoe leaves it only its `ShoeStore`.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from firmware_protocol.events import AnyShoeEvent, StartCause
from firmware_protocol.link import Delivery, LinkReport, ShoeIdentity, ShoeNotice
from firmware_protocol.native.controller import DEFAULT_TIMINGS as CONTROLLER_TIMINGS
from firmware_protocol.native.controller import ControllerTimings, NativeController
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.messages import OUR_VERSIONS, Versions
from firmware_protocol.native.progress import LastCommitted
from firmware_protocol.native.recent import MOST_RECENT
from firmware_protocol.native.shoe import DEFAULT_TIMINGS as SHOE_TIMINGS
from firmware_protocol.native.shoe import NativeShoe, ShoeTimings
from firmware_protocol.native.store import ShoeStore

AnyReport = TypeVar("AnyReport", bound=LinkReport)

KEY = bytes(range(1, 33))
BACKLOG = 64
"""The dealer waits while the shoe holds so many events."""


class Weather(msgspec.Struct, frozen=True):
    """What happens to each piece (mostly a frame) on its way. Chances from 0 to 1, times in seconds."""

    loss: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    """One bit is turned."""
    delay: tuple[float, float] = (0.001, 0.002)
    overtaking: bool = False
    """Pieces may arrive in another order than they were sent, as no cable would do."""
    one_byte: bool = False
    """Every byte arrives by itself."""
    commit: tuple[float, float] = (0.0, 0.003)
    """How long the journal takes."""
    dies_at_commit: float = 0.0
    """The controller dies instead of storing."""


class Ends(msgspec.Struct, frozen=True):
    """How the two ends are made; `None` for a key makes an insecure one."""

    controller_key: bytes | None = KEY
    shoe_key: bytes | None = KEY
    controller_versions: Versions = OUR_VERSIONS
    shoe_versions: Versions = OUR_VERSIONS
    controller_timings: ControllerTimings = CONTROLLER_TIMINGS
    shoe_timings: ShoeTimings = SHOE_TIMINGS


FAIR = Weather()
USUAL = Ends()


class TookTooLongError(AssertionError):
    """The condition did not come about within the virtual time allowed."""


def bodies(data: bytes) -> list[bytes]:
    """The frames in what one side sends."""
    found = FrameReader().feed(data)
    assert all(isinstance(body, bytes) for body in found), "a link has sent a bad frame"
    return [body for body in found if isinstance(body, bytes)]


class Line:
    def __init__(
        self,
        *,
        seed: int = 1,
        weather: Weather = FAIR,
        ends: Ends = USUAL,
        store: ShoeStore | None = None,
        connected: bool = True,
    ) -> None:
        self.random = random.Random(seed)  # noqa: S311 -- weather, not a secret
        self.weather = weather
        self.ends = ends
        self.now = 100.0
        self.journal: list[Delivery] = []
        self.reports: list[LinkReport] = []
        self.notices: list[ShoeNotice | LinkReport] = []
        self.tap: Callable[[str, bytes], bytes] = lambda _, data: data
        """Sees, and may change, what "shoe" or "controller" sends, before the weather does."""
        self.sent: dict[str, list[bytes]] = {"shoe": [], "controller": []}
        """The bodies of all frames that each side has sent, if `recording`."""
        self.recording = False
        self._boots = 0
        self._planned: deque[AnyShoeEvent] = deque()
        self._arrivals: list[tuple[float, int, str, bytes]] = []
        self._commits: deque[tuple[float, list[Delivery]]] = deque()
        self._counter = 0
        self._latest = {"shoe": 0.0, "controller": 0.0}
        self.shoe = self._new_shoe(store or ShoeStore())
        self.controller = self._new_controller()
        if connected:
            self.shoe.connected(self.now)
            self.controller.connected(self.now)

    # --- the two ends ------------------------------------------------------------------------------------------

    def nonce(self) -> bytes:
        return self.random.randbytes(16)

    def _new_shoe(self, store: ShoeStore) -> NativeShoe:
        self._boots += 1
        identity = ShoeIdentity(
            model="Test Shoe",
            firmware="1.2.3",
            serial_number="TS-0001",
            boot_id=self.random.randrange(1, 1 << 32),
            protocol_version=1,
            capabilities=frozenset({"gate", "lamps"}),
            start_cause=StartCause.POWER_ON if self._boots == 1 else StartCause.WATCHDOG,
        )
        return NativeShoe(
            identity=identity,
            store=store,
            nonce=self.nonce,
            now=self.now,
            key=self.ends.shoe_key,
            insecure=self.ends.shoe_key is None,
            timings=self.ends.shoe_timings,
            versions=self.ends.shoe_versions,
        )

    def _new_controller(self) -> NativeController:
        return NativeController(
            key=self.ends.controller_key,
            insecure=self.ends.controller_key is None,
            nonce=self.nonce,
            last_committed=self.last_committed(),
            recent=self.journal[-MOST_RECENT:],
            timings=self.ends.controller_timings,
            versions=self.ends.controller_versions,
        )

    def last_committed(self) -> LastCommitted | None:
        """What a restarted controller finds in its journal."""
        if not self.journal:
            return None
        last = self.journal[-1]
        totals = (getattr(delivery.event, "total", None) for delivery in reversed(self.journal))
        total = next((total for total in totals if total is not None), None)
        return LastCommitted(boot_id=last.boot_id or 0, sequence=last.sequence, total=total)

    def restart_shoe(self, store: ShoeStore | None = None) -> None:
        """Power fails and comes back. The store goes through its saved form, as in a real shoe."""
        saved = msgspec.json.encode(store or self.shoe.store)
        self._cut_short("shoe")
        self.shoe = self._new_shoe(msgspec.json.decode(saved, type=ShoeStore))
        self.shoe.connected(self.now)

    def restart_controller(self) -> None:
        """The process dies. A commit under way is stored or not; it is not answered either way."""
        if self._commits and self.random.random() < 0.5:
            self.journal += self._commits[0][1]
        self._commits.clear()
        self._cut_short("controller")
        self.controller = self._new_controller()
        self.controller.connected(self.now)

    def replug(self) -> None:
        """The cable is pulled and put back: both sides notice, and what was on the way is gone."""
        self.reports += self.controller.disconnected(self.now)
        self.notices += self.shoe.disconnected(self.now)
        self._arrivals.clear()
        self.controller.connected(self.now)
        self.shoe.connected(self.now)

    def _cut_short(self, sender: str) -> None:
        """What this side has sent last arrives in part only."""
        for place, (at, number, by, data) in enumerate(self._arrivals):
            if by == sender and len(data) > 1:
                self._arrivals[place] = (at, number, by, data[: self.random.randrange(1, len(data))])

    # --- running -----------------------------------------------------------------------------------------------

    def plan(self, events: Iterable[AnyShoeEvent]) -> None:
        """The shoe will report these, one after the other, while it does not hold too many."""
        self._planned.extend(events)

    def run_until(self, condition: Callable[[], bool], seconds: float = 100_000.0) -> None:
        end = self.now + seconds
        while not condition():
            if not self.step(end):
                raise TookTooLongError(f"not within {seconds} s: {self.controller.counts} {self.shoe.counts}")

    def run_for(self, seconds: float) -> None:
        end = self.now + seconds
        while self.step(end):
            pass
        self.now = end

    def step(self, end: float) -> bool:
        """Go to the next thing that happens; False if nothing does before `end`."""
        self._report_planned()
        self._pump()
        at = min(
            self._arrivals[0][0] if self._arrivals else end,
            self._commits[0][0] if self._commits else end,
            self.controller.next_deadline() or end,
            self.shoe.next_deadline() or end,
        )
        if at >= end:
            return False
        self.now = max(self.now, at)
        while self._commits and self._commits[0][0] <= self.now:
            self._commit(self._commits.popleft()[1])
        while self._arrivals and self._arrivals[0][0] <= self.now:
            _, _, sender, data = heapq.heappop(self._arrivals)
            self._arrive(sender, data)
        self.reports += self.controller.tick(self.now)
        self.notices += self.shoe.tick(self.now)
        return True

    def inject(self, sender: str, data: bytes, delay: float = 0.0) -> None:
        """Put bytes on the line as if this side had sent them."""
        self._counter += 1
        heapq.heappush(self._arrivals, (self.now + delay, self._counter, sender, data))

    def _report_planned(self) -> None:
        while self._planned and len(self.shoe.store.events) < BACKLOG:
            self.shoe.report(self._planned.popleft(), self.now)

    def _pump(self) -> None:
        for sender, link in (("shoe", self.shoe), ("controller", self.controller)):
            data = link.to_send()
            if data and self.recording:
                self.sent[sender] += bodies(data)
            if data:
                self._send(sender, self.tap(sender, data))

    def _send(self, sender: str, data: bytes) -> None:
        chance, weather = self.random.random, self.weather
        for piece in data[:-1].split(b"\0"):
            sent = piece + b"\0"
            if weather.loss and chance() < weather.loss:
                continue
            if weather.corrupt and chance() < weather.corrupt:
                place = self.random.randrange(len(sent))
                sent = sent[:place] + bytes((sent[place] ^ 1 << self.random.randrange(8),)) + sent[place + 1 :]
            for _ in range(2 if weather.duplicate and chance() < weather.duplicate else 1):
                at = self.now + self.random.uniform(*weather.delay)
                if not weather.overtaking:
                    at = self._latest[sender] = max(at, self._latest[sender])
                self.inject(sender, sent, at - self.now)

    def _arrive(self, sender: str, data: bytes) -> None:
        pieces = [data[at : at + 1] for at in range(len(data))] if self.weather.one_byte else [data]
        if sender == "controller":
            for piece in pieces:
                self.notices += self.shoe.receive(piece, self.now)
            return
        for piece in pieces:
            found = self.controller.receive(piece, self.now)
            if found:
                self._found(found)

    def _found(self, found: list[Delivery | LinkReport]) -> None:
        deliveries = [item for item in found if isinstance(item, Delivery)]
        self.reports += [item for item in found if isinstance(item, LinkReport)]
        if deliveries:
            ready = self.now + self.random.uniform(*self.weather.commit)
            earliest = self._commits[-1][0] if self._commits else ready
            self._commits.append((max(ready, earliest), deliveries))

    def _commit(self, deliveries: list[Delivery]) -> None:
        if self.weather.dies_at_commit and self.random.random() < self.weather.dies_at_commit:
            self._commits.clear()
            self.restart_controller()
            return
        self.journal += deliveries
        self.controller.committed(deliveries[-1], self.now)

    def reports_of(self, kind: type[AnyReport]) -> list[AnyReport]:
        return [report for report in self.reports if isinstance(report, kind)]
