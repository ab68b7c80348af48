"""The line to the shoe of a table, and another shoe in its place while the table runs.

A supervisor's `exchange_shoe` has the table's file read again. What its `[shoe]` section says then (wire, port and
key) is taken up when the act is stored: the old line is closed, and the new one is kept open from then on.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, NoReturn, Protocol

import msgspec

from firmware_protocol.lines.cards_file import CardIds
from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.secret_files import Secret
from shoe_controller.config.shoe import ShoeSettings, port_of
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import RunningConfig, for_running, load_config
from shoe_controller.daemon.assembly import link_for
from shoe_controller.daemon.engine import SECOND, LinkMemory, OtherShoe
from shoe_controller.journal.reading import JournalReader
from shoe_controller.table.inputs import BadShoeSection, NewShoeLine
from shoe_controller.transports.reconnect import LineReport, Reconnector
from shoe_controller.transports.transport import Port

PortFor = Callable[[ShoeSettings], Port]


class LineOwner(Protocol):
    """Receives what comes of the line to the present shoe."""

    def line_changed(self, report: LineReport) -> None: ...

    def bytes_came(self, data: bytes) -> float: ...


class ShoeLine:
    """Keeps the line to the present shoe open; nothing of an earlier one is passed on."""

    def __init__(self, port: Port, owner: LineOwner, clock: Clock) -> None:
        self._owner = owner
        self._clock = clock
        self._exchanged = asyncio.Event()
        self._present = self._kept_open(port)

    def _kept_open(self, port: Port) -> Reconnector:
        def reported(report: LineReport) -> None:
            if self._present is kept:
                self._owner.line_changed(report)

        def received(data: bytes) -> float | None:
            return self._owner.bytes_came(data) if self._present is kept else None

        kept = Reconnector(port, reported, received, clock=lambda: self._clock.now().mono_ns / SECOND)
        return kept

    def write(self, data: bytes) -> None:
        self._present.write(data)

    def exchange(self, port: Port) -> None:
        self._present = self._kept_open(port)
        self._exchanged.set()

    async def run(self) -> NoReturn:
        while True:
            self._exchanged.clear()
            keeping = asyncio.create_task(self._present.run(), name="shoe")
            exchanged = asyncio.create_task(self._exchanged.wait(), name="exchange")
            try:
                await asyncio.wait([keeping, exchanged], return_when=asyncio.FIRST_COMPLETED)
                if keeping.done():
                    keeping.result()
            finally:
                for task in (keeping, exchanged):
                    task.cancel()
                await asyncio.wait([keeping, exchanged])


class ShoeInFile(NamedTuple):
    """What the table's file says of its shoe."""

    shoe: ShoeSettings
    key: Secret[bytes] | None
    cards: CardIds | None


class ShoeExchange:
    """Reads what the file says of the shoe, and takes it up."""

    def __init__(  # noqa: PLR0913 - the parts of a table, each given by name
        self,
        *,
        config: Callable[[], RunningConfig],
        taken_up: Callable[[ShoeInFile], None],
        line: ShoeLine,
        reader: JournalReader,
        clock: Clock,
        nonce: Callable[[], bytes],
        port_for: PortFor = port_of,
    ) -> None:
        self._config = config
        self._taken_up = taken_up
        self._line = line
        self._reader = reader
        self._clock = clock
        self._nonce = nonce
        self._port_for = port_for

    def read(self) -> OtherShoe | BadShoeSection:
        """The shoe that the file names now; nothing changes yet. The odds, slow to check, are not looked at."""
        try:
            fresh = for_running(load_config(self._config().file, guarded=False))
        except BadFileError as error:
            return BadShoeSection(text=str(error))
        named = ShoeInFile(fresh.shoe, fresh.shoe_key, fresh.shoe_cards)
        config = self._config()._replace(shoe=named.shoe, shoe_key=named.key, shoe_cards=named.cards)
        port = self._port_for(named.shoe)
        # A native shoe knows its own events again, also at another port: none of them comes twice. On the other wires
        # nothing tells one shoe from another: its numbers begin anew.
        stored = self._reader.position().link_state if named.shoe.wire == "native" else None
        return OtherShoe(
            named=NewShoeLine(wire=named.shoe.wire, port=named.shoe.address),
            link=link_for(
                config,
                stored,
                self._clock,
                self._nonce,
                reader=self._reader,
                perhaps_another=True,
            ),
            memory=None if named.shoe.wire == "native" else _nothing_received(self._clock),
            take_up=lambda: self._take_up(named, port),
        )

    def _take_up(self, named: ShoeInFile, port: Port) -> None:
        self._taken_up(named)
        self._line.exchange(port)


def _nothing_received(clock: Clock) -> bytes:
    """What a link remembers of a shoe that has sent nothing; no wire has this name, so nothing is made of it."""
    return msgspec.json.encode(LinkMemory(wire="", memory=b"", boot=clock.boot(), mono_ns=clock.now().mono_ns))
