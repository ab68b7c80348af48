"""How fast native card frames are decoded and believed, beside the least that any reader of them must do.

The floor is COBS decoding, the CRC and one keyed MAC for each frame, with the same library calls, in the same run.
The link does that and makes a delivery of each card, in order, counted and bounded.
"""

import sys
import time
from binascii import crc_hqx
from collections.abc import Callable
from functools import partial
from hashlib import blake2s
from itertools import count

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand
from firmware_protocol.link import Delivery, ShoeIdentity
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import CRC_START, decode_cobs
from firmware_protocol.native.messages import WINDOW
from firmware_protocol.native.session import FRAME_TAG_BYTES
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore

KEY = bytes(range(1, 33))
BATCHES = 2000
"""Of a full window each: what a shoe sends when a controller comes back."""
ROUNDS = 5
"""The best of so many is shown: what else runs on the machine is not what is measured."""


def card_frames(card_id: str | None) -> tuple[NativeController, list[bytes]]:
    """A controller in a session, and batches of card frames that it has not seen yet."""
    numbers = count(1)

    def nonce() -> bytes:
        return next(numbers).to_bytes(16, "big")

    identity = ShoeIdentity(
        model="Bench", firmware="1", serial_number="1", boot_id=0xC0FFEE11, protocol_version=1, capabilities=frozenset()
    )
    shoe = NativeShoe(identity=identity, store=ShoeStore(), nonce=nonce, now=0.0, key=KEY)
    controller = NativeController(key=KEY, nonce=nonce)
    shoe.connected(0.0)
    controller.connected(0.0)
    for _ in range(4):
        shoe.receive(controller.to_send(), 0.0)
        controller.receive(shoe.to_send(), 0.0)
    if controller.shoe is None:
        raise SystemExit("the two ends did not come to a session")
    batches = []
    cards = list(Card)
    for _ in range(BATCHES):
        for number in range(WINDOW):
            shoe.report(CardDrawn(hand=Hand.PLAYER, position=1, card=cards[number], card_id=card_id), 0.0)
        batches.append(shoe.to_send())
        # The controller's own acknowledgements come later; here everything counts as acknowledged at once.
        shoe.store.acknowledge(identity.boot_id, shoe.store.next_sequence - 1)
    return controller, batches


def floor(batches: list[bytes]) -> None:
    prepared = blake2s(key=KEY)
    for batch in batches:
        for chunk in batch.split(b"\0"):
            if chunk:
                checked = decode_cobs(chunk)
                if checked is None or crc_hqx(checked, CRC_START):
                    raise SystemExit("the bench made a bad frame")
                mac = prepared.copy()
                mac.update(checked[:-FRAME_TAG_BYTES])
                mac.digest()


def through_the_link(controller: NativeController, batches: list[bytes]) -> None:
    for batch in batches:
        found = controller.receive(batch, 0.0)
        last = found[-1]
        if len(found) != WINDOW or not isinstance(last, Delivery):
            raise SystemExit(f"the link did not deliver every card: {found[-1]}")
        controller.committed(last, 0.0)
        controller.to_send()


def seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    for name, card_id in (("card frames", None), ("card frames with card ids", "E280116060000209")):
        floors, links = [], []
        for _ in range(ROUNDS):
            controller, batches = card_frames(card_id)
            floors.append(seconds(partial(floor, batches)))
            links.append(seconds(partial(through_the_link, controller, batches)))
        frames = BATCHES * WINDOW
        size = sum(map(len, batches))
        for what, took in (("floor", min(floors)), ("link", min(links))):
            sys.stdout.write(f"{name:28} {what:6} {frames / took:>10,.0f} frames/s {size / took:>12,.0f} bytes/s\n")
        sys.stdout.write(f"{name:28} link at {min(floors) / min(links):.2f} of the floor\n")


if __name__ == "__main__":
    main()
