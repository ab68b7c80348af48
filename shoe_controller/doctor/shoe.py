"""Checks of the shoe itself: whether it answers, with which key, and its firmware and protocol.

While the table's controller runs, only its status at the broker is checked, and it is asked to make the shoe blink.
Otherwise the doctor opens the port and connects to the shoe as the controller would, with the last state in the
journal. It stores nothing, so it acknowledges nothing: the shoe keeps its cards for the controller.
"""

import asyncio
from collections.abc import Callable, Sequence

from firmware_protocol.events import ForeignCard, LineLook, Misread
from firmware_protocol.link import ControllerLink, Delivery, LineQuality, LinkReport, LinkUp, Refused, StrangeBytes
from firmware_protocol.native.controller import NativeController
from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.shoe import port_of
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.doctor.blink import ask_to_blink
from shoe_controller.doctor.findings import Finding, Patient, ShoeProbe, good, not_looked, problem
from shoe_controller.journal.errors import JournalError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.acts import BLINK_SECONDS
from shoe_controller.messages.details import LineLooksLike
from shoe_controller.table.link_events import SETTINGS
from shoe_controller.transports.socket_port import SOCKET_PREFIX
from shoe_controller.transports.transport import Port, Transport, TransportError
from shoe_controller.words.render import ENGLISH

TICK = 0.05
ONE_CLIENT = 1.0
"""Seconds in which a serial server for one client notices that the connection of the check before has ended."""
SECOND = 1_000_000_000

_NO_ANSWER = "the shoe was not contacted, see above"
_NO_KEYS = {
    "angel_eye": "the Angel Eye wire has no keys",
    "lines": "a reader of ids has no key: anyone at the cable can pretend to be it",
}


async def look_at_shoe(patient: Patient) -> list[Finding]:
    if patient.table_runs:
        return await _as_the_table_says(patient)
    if patient.running is None or not patient.port_ready:
        return not_looked("the port or the configuration is not ready, see above")
    limits = patient.limits
    patient.shoe = await probe(patient.running, patient.clock, limits.listen_seconds, limits.measure_seconds)
    if patient.shoe.answered:
        return good(patient.shoe.what)
    if patient.running.shoe.wire != "native" and not patient.shoe.what:
        return not_looked("nothing was received, which is normal between two cards: draw one while the doctor listens")
    look = patient.shoe.looks_like
    return problem(patient.shoe.what, _behind_a_server(patient) if look is None else _about_look(look))


def _behind_a_server(patient: Patient) -> str:
    """What to do about a silent shoe at a serial server, which has the speed in its own settings; otherwise nothing."""
    if patient.running is None or not patient.running.shoe.address.startswith(SOCKET_PREFIX):
        return ""
    return (
        "Check that the serial server is on, and its host and port in the [shoe] section; then the shoe's cable and "
        "power, the speed that is set in the server, and wire in [shoe]."
    )


def _about_look(look: LineLook) -> str:
    detail = LineLooksLike(looks_like=look, setting=SETTINGS[look])
    return f"{ENGLISH.of(detail)}."


async def look_at_line(patient: Patient) -> list[Finding]:
    quality = None if patient.shoe is None else patient.shoe.quality
    since = "while the doctor listened"
    if patient.table_runs and patient.status is not None and patient.status.online:
        status = patient.status
        quality = LineQuality(status.line_frames, status.line_damaged, status.line_refused)
        since = "since the table opened its line"
    if quality is None:
        return not_looked(_NO_ANSWER)
    if not quality.damaged:
        return good(f"no frame was damaged {since}")
    whole = quality.frames + quality.damaged
    what = f"{quality.damaged} of {whole} frames were damaged {since}"
    if quality.damaged <= whole * patient.limits.damaged_share:
        return good(f"{what}; they are sent again by themselves")
    return problem(f"{what}: cards come late, and with 4 of 10 damaged a lost shoe takes long to come back")


async def look_at_key(patient: Patient) -> list[Finding]:
    if patient.running is None:
        return not_looked(_NO_ANSWER)
    if patient.running.shoe.wire != "native":
        return not_looked(_NO_KEYS[patient.running.shoe.wire])
    if patient.running.shoe.insecure:
        return problem(
            "the shoe is used without a key: anyone at the cable can pretend to be it",
            "Make a key with `shoe-controller keys shoe`, put it into the shoe, and name it as key_file.",
        )
    if patient.table_runs and patient.status is not None and patient.status.shoe_link:
        authenticated = patient.status.authenticated
    elif patient.shoe is not None and patient.shoe.answered:
        if patient.shoe.refused and "version" not in patient.shoe.refused:
            return problem(patient.shoe.refused)
        authenticated = patient.shoe.authenticated
    else:
        return not_looked(_NO_ANSWER)
    return (
        good("the shoe holds the right key")
        if authenticated
        else problem("the shoe has not proven that it holds the right key")
    )


async def look_at_firmware(patient: Patient) -> list[Finding]:
    if patient.shoe is None or not patient.shoe.answered:
        return not_looked(_NO_ANSWER)
    if "version" in patient.shoe.refused:
        return problem(patient.shoe.refused)
    return good(patient.shoe.firmware) if patient.shoe.firmware else not_looked("the shoe did not report it")


async def _as_the_table_says(patient: Patient) -> list[Finding]:
    if patient.status is None:
        return not_looked("the table's controller holds the port, and its status is not available")
    if not patient.status.online:
        return not_looked("the table's controller holds the port, but is not connected to the broker")
    if not patient.status.shoe_link:
        return problem(
            "the table's controller holds the port, and the shoe does not answer it", _behind_a_server(patient)
        )
    return good(f"the shoe is connected to the table's controller; {await ask_to_blink(patient)}")


async def probe(config: RunningConfig, clock: Clock, seconds: float, measure: float) -> ShoeProbe:
    # Imported only where a shoe is contacted: it brings the event loop and all libraries along.
    from shoe_controller.daemon.assembly import link_for  # noqa: PLC0415 - see above

    try:
        with JournalReader(config.journal.file) as reader:
            link = link_for(config, reader.position().link_state, clock, reader=reader)
    except JournalError:
        link = link_for(config, None, clock)
    port = port_of(config.shoe)
    try:
        try:
            listener = await listen(port, link, lambda: clock.now().mono_ns / SECOND, seconds, measure)
        except TransportError:
            if not config.shoe.address.startswith(SOCKET_PREFIX):
                raise
            await asyncio.sleep(ONE_CLIENT)
            listener = await listen(port, link, lambda: clock.now().mono_ns / SECOND, seconds, measure)
    except TransportError as error:
        return ShoeProbe(answered=False, what=str(error))
    return _judge(listener, config)


async def listen(
    port: Port, link: ControllerLink, now: Callable[[], float], seconds: float, measure: float = 0.0
) -> "ShoeListener":
    """Talk over this port until the shoe is identified, or the time is over; raise `TransportError` without a line.

    A native shoe that has proven its key is then asked for as much as it can say, for `measure` seconds.
    """
    listener = ShoeListener(link, now)
    await listener.listen(port, seconds, measure)
    return listener


class ShoeListener:
    """Collects what is received from a shoe."""

    def __init__(self, link: ControllerLink, now: Callable[[], float]) -> None:
        self.received_bytes = 0
        """Bytes."""
        self.up: LinkUp | None = None
        self.refused = ""
        self.looks_like: LineLook | None = None
        """What the bytes look like, where they are not those of the wire that was set."""
        self.deliveries = 0
        self.blinks = False
        """Whether the shoe was asked to blink, so that a person sees which one it is."""
        self._link = link
        self._now = now
        self._stirred = asyncio.Event()
        self._lost: TransportError | None = None

    async def listen(self, port: Port, seconds: float, measure: float) -> None:
        until = self._now() + seconds
        line = await port.open(self._on_bytes, self._on_lost)
        try:
            self._link.connected(self._now())
            while self._now() < until and self._lost is None and not self._settled:
                await self._talk(line)
            if self.up is not None:
                self.blinks = self._link.identify(BLINK_SECONDS, self._now())
            until = self._now() + measure
            while self.up is not None and self._now() < until and self._lost is None:
                if isinstance(self._link, NativeController):
                    self._link.ask_for_status(self._now())
                await self._talk(line)
            line.write(self._link.to_send())
        finally:
            await line.close()
        if self._lost is not None:
            raise self._lost

    async def _talk(self, line: Transport) -> None:
        line.write(self._link.to_send())
        self._stirred.clear()
        try:
            async with asyncio.timeout(TICK):
                await self._stirred.wait()
        except TimeoutError:
            self._take(self._link.tick(self._now()))

    @property
    def quality(self) -> LineQuality:
        return self._link.quality

    @property
    def _settled(self) -> bool:
        return self.up is not None or bool(self.refused) or self.deliveries > 0 or self.looks_like is not None

    def _on_bytes(self, data: bytes) -> None:
        self.received_bytes += len(data)
        self._take(self._link.receive(data, self._now()))
        self._stirred.set()

    def _on_lost(self, error: TransportError) -> None:
        self._lost = error
        self._stirred.set()

    def _take(self, items: Sequence[Delivery | LinkReport]) -> None:
        for each in items:
            match each:
                # The other wires are up as soon as they are open, with or without a shoe.
                case LinkUp(shoe=shoe) if shoe is not None:
                    self.up = each
                case Refused(reason=reason) if self.up is None:
                    # Once the shoe has proven itself, what a bad line makes of its frames says nothing about its key.
                    self.refused = self.refused or reason
                case StrangeBytes(looks_like=look):
                    self.looks_like = look
                case Delivery(event=event):
                    # A reader of lines makes these two of whatever comes.
                    self.deliveries += not isinstance(event, Misread | ForeignCard)


def _judge(listener: ShoeListener, config: RunningConfig) -> ShoeProbe:
    name = config.shoe.address
    if listener.refused:
        return ShoeProbe(answered=True, what=f"a shoe answers at {name}", refused=listener.refused)
    if listener.looks_like is not None:
        return ShoeProbe(
            answered=False,
            what=f"what comes from {name} is not what the {config.shoe.wire} wire sends",
            looks_like=listener.looks_like,
        )
    if listener.up is not None or listener.deliveries:
        return _answered(listener, name)
    if listener.received_bytes:
        return ShoeProbe(
            answered=False,
            what=f"{listener.received_bytes} bytes came from {name}, but no message of the {config.shoe.wire} wire: "
            "check wire and baud in the [shoe] section",
        )
    if config.shoe.wire != "native":
        return ShoeProbe(answered=False, what="")
    return ShoeProbe(answered=False, what=f"the port {name} opens, but no shoe answers there")


def _answered(listener: ShoeListener, name: str) -> ShoeProbe:
    shoe = None if listener.up is None else listener.up.shoe
    firmware = ""
    if shoe is not None:
        firmware = (
            f"{shoe.model}, serial number {shoe.serial_number}, firmware {shoe.firmware}, "
            f"protocol version {shoe.protocol_version}"
        )
    authenticated = listener.up is not None and listener.up.authenticated
    blinks = listener.blinks
    return ShoeProbe(
        answered=True,
        what=f"a shoe answers at {name}" + (f"; it is the one that blinks for {BLINK_SECONDS} s" if blinks else ""),
        authenticated=authenticated,
        firmware=firmware,
        quality=listener.quality,
    )
