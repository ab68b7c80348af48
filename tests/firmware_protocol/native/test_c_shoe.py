"""The shoe in C says what the vectors say, keeps the page's rules, and the product's controller understands it.

The first tests hold the kit of `firmware_protocol/c` against `vectors.json` and the page; the others put it on a line
with the product's controller. What its memory survives is in `test_c_store`.
"""

import hashlib
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.events import Hand
from firmware_protocol.link import Delivery, DesiredShoe, Lamp, LinkReport, LinkUp, Refused
from firmware_protocol.native.controller import NativeController
from tests.firmware_protocol.native import c_shoe
from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.c_line import (
    KEY,
    HandmadeController,
    Happenings,
    Table,
    drawn,
    nonces,
    random_of,
)
from tests.firmware_protocol.native.c_shoe import CShoe, Identity, Memory
from tests.firmware_protocol.native.second_reader import Fields, Line
from tests.firmware_protocol.native.second_vectors import CAPABILITIES, CONVERSATIONS, VECTORS, all_frames, title


@pytest.mark.parametrize("vector", [*VECTORS["framing"], *all_frames(), *VECTORS["refused"]], ids=title)
def test_the_bytes_on_the_wire_are_those_of_the_vectors(vector: Fields) -> None:
    body, wire = bytes.fromhex(vector["body"]), bytes.fromhex(vector["wire"])
    assert c_shoe.framed(body) == wire
    assert c_shoe.unframed(wire[:-1]) == body


@pytest.mark.parametrize("vector", VECTORS["bad_framing"], ids=title)
def test_what_is_no_frame_is_dropped_and_the_next_frame_is_heard(vector: Fields) -> None:
    garbage = bytes.fromhex(vector["between_zeros"])
    assert c_shoe.unframed(garbage) == b""
    shoe = CShoe(key=KEY, memory=Memory(), random=random_of(7, nonces(of=1)))
    shoe.receive(garbage + b"\0" + second.framed(bytes([second.AWAKE])), 0.0)
    assert (shoe.line_errors, shoe.refused) == (1, 1)


@pytest.mark.parametrize("vector", VECTORS["events"], ids=title)
def test_events_are_those_of_the_vectors(vector: Fields) -> None:
    event, memory = vector["event"], Memory()
    memory.put_mark(1, event.get("total", 0) - second.cards_of(event))
    shoe = CShoe(key=KEY, memory=memory, random=random_of(7, nonces(of=1)))
    assert shoe.report(event, 0.0)
    assert memory.said(1) == bytes.fromhex(vector["bytes"])


def test_keys_are_those_of_the_vectors() -> None:
    keys = {name: bytes.fromhex(value) for name, value in VECTORS["keys"].items()}
    key, challenge, proof = keys["key"], keys["challenge"], keys["proof"]
    assert c_shoe.digest(key, b"SHOE-TAG" + challenge, 16) == keys["shoe_tag"]
    assert c_shoe.digest(key, b"CTRL-TAG" + challenge + proof, 16) == keys["controller_tag"]
    assert c_shoe.digest(key, b"SHOE-KEY" + challenge) == keys["key_from_shoe"]
    assert c_shoe.digest(key, b"CTRL-KEY" + challenge) == keys["key_to_shoe"]


def test_blake2s_is_that_of_the_standard_library() -> None:
    """At every length around its blocks of 64 bytes."""
    for length in range(1, 260):
        data = bytes((length * 7 + at) % 256 for at in range(length))
        assert c_shoe.digest(KEY, data) == hashlib.blake2s(data, key=KEY).digest()


def _challenge_to(shoe: CShoe, now: float) -> Fields:
    hello = {"oldest": 1, "newest": 1, "flags": 0, "nonce_c": round(now * 10).to_bytes(16, "big")}
    shoe.to_send(now)
    shoe.receive(second.framed(second.message_bytes(second.HELLO, hello)), now)
    (challenge,) = Line().bodies(shoe.to_send(now))
    return second.message_fields(second.CHALLENGE, challenge[:-16])


def test_boot_ids_and_nonces_without_a_random_source_are_those_of_the_vectors() -> None:
    vectors = VECTORS["without_random_source"]
    key, identity = bytes.fromhex(vectors["key"]), Identity(serial_number=vectors["serial_number"])

    def powered_up(power_ups: int) -> CShoe:
        memory = Memory()
        memory.put_mark(1, power_ups=power_ups - 1)
        return CShoe(key=key, memory=memory, random=None, identity=identity)

    for vector in vectors["boot_ids"]:
        assert _challenge_to(powered_up(vector["power_ups"]), 0.0)["boot_id"] == vector["boot_id"]
    for vector in vectors["nonces"]:
        shoe = powered_up(vector["power_ups"])
        shoe.has_made_nonces(vector["count"])
        assert _challenge_to(shoe, 0.0)["nonce_s"] == bytes.fromhex(vector["nonce"])
    memory = Memory()
    for power_ups in (1, 2):
        shoe = CShoe(key=key, memory=memory, random=None, identity=identity)
        assert shoe.boot_id == vectors["boot_ids"][power_ups - 1]["boot_id"], "power-ups are counted in its memory"
        first, second_one = (_challenge_to(shoe, now)["nonce_s"] for now in (0.0, 1.0))
        assert first != second_one


@pytest.mark.parametrize(
    "vector", VECTORS["rejected"], ids=lambda vector: f"reason {vector['reject']['says']['reason']}"
)
def test_it_rejects_as_the_vectors_do(vector: Fields) -> None:
    key = KEY if vector["shoe_has_a_key"] else None
    shoe = CShoe(key=key, memory=Memory(), random=random_of(7, lambda: bytes(16)))
    shoe.to_send(0.0)
    shoe.receive(bytes.fromhex(vector["hello"]["wire"]), 0.0)
    assert shoe.to_send(0.0) == bytes.fromhex(vector["reject"]["wire"])


def _powered_up(conversation: Fields) -> CShoe:
    """The shoe of a conversation at 0 s."""
    says = next(frame["says"]["shoe"] for frame in conversation["frames"] if frame["type"] == "CHALLENGE")
    causes = {name: number for number, name in second.CAUSES.items()}
    identity = Identity(
        cause=causes[says["start_cause"]],
        capabilities=sum(1 << CAPABILITIES[name] for name in says["capabilities"]),
        model=says["model"],
        firmware=says["firmware"],
        serial_number=says["serial_number"],
    )
    keeps, acknowledged = conversation["shoe_keeps"], conversation["shoe_keeps"]["acknowledged"]
    # One place more than events are held: it is the page that stays free.
    memory = Memory(keeps["places"] + 1) if "places" in keeps else Memory()
    for place, event in enumerate(keeps["held"]):
        memory.put_event(place, event["sequence"], event["boot_id"], bytes.fromhex(event["bytes"]))
    memory.put_mark(keeps["next"], keeps["total"], (acknowledged["boot_id"], acknowledged["sequence"]))
    key = bytes.fromhex(conversation["key"])
    nonces = iter(conversation["shoe_nonces"] if "shoe_nonces" in conversation else [conversation["shoe_nonce"]])
    random = random_of(says["boot_id"], lambda: bytes.fromhex(next(nonces)))
    return CShoe(key=key if any(key) else None, memory=memory, identity=identity, random=random)


def _replay(shoe: CShoe, conversation: Fields, refused: list[Fields]) -> list[bytes]:
    """What the shoe sends when it receives the controller's half, with frames to be refused at their places."""
    now, said = 0.0, list[bytes]()
    started, *happens = conversation["happens"]
    assert started == {"t": 0.0, "bytes": "0103"}, "this the shoe reports by itself"
    for place, frame in enumerate([*conversation["frames"], None]):
        for vector in refused:
            if vector["after"] == place:
                before = shoe.refused
                shoe.receive(bytes.fromhex(vector["wire"]), now)
                assert shoe.refused == before + 1, vector["why"]
        if frame is None:
            break
        now = frame["t"]
        shoe.tick(now)
        while happens and happens[0]["t"] <= now:
            shoe.report(second.event_fields(bytes.fromhex(happens.pop(0)["bytes"])), now)
        if frame["from"] == "controller" and not frame["lost"]:
            shoe.receive(bytes.fromhex(frame["wire"]), now)
        said += Line().bodies(shoe.to_send(now))
    assert not happens
    return said


def _shoes_half(conversation: Fields) -> list[bytes]:
    return [bytes.fromhex(frame["body"]) for frame in conversation["frames"] if frame["from"] == "shoe"]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_it_says_every_conversation_byte_for_byte(name: str) -> None:
    conversation = VECTORS[name]
    shoe = _powered_up(conversation)
    assert _replay(shoe, conversation, []) == _shoes_half(conversation)
    assert (shoe.held, shoe.refused, shoe.line_errors) == (0, 0, 0)


@pytest.mark.parametrize("trial", VECTORS["trials"], ids=title)
def test_it_answers_every_trial_byte_for_byte(trial: Fields) -> None:
    assert _replay(_powered_up(trial), trial, []) == _shoes_half(trial)


def test_frames_to_be_refused_change_nothing_in_what_it_says() -> None:
    conversation = VECTORS["conversation"]
    refused = [vector for vector in VECTORS["refused"] if vector["by"] == "shoe"]
    assert len(refused) > 5
    assert _replay(_powered_up(conversation), conversation, refused) == _shoes_half(conversation)


def test_it_answers_as_the_vectors_do() -> None:
    shoe = _powered_up(VECTORS["conversation"])
    _replay(shoe, VECTORS["conversation"], [])
    for vector in VECTORS["answered"]:
        shoe.receive(bytes.fromhex(vector["said"]["wire"]), vector["t"])
        answers = list(Line().bodies(shoe.to_send(vector["t"])))
        assert answers == [bytes.fromhex(vector["answer"]["body"])], vector["why"]


def _types(bodies: list[bytes]) -> list[int]:
    return [body[0] for body in bodies]


def test_the_shoe_in_c_keeps_the_rules_of_the_handshake() -> None:
    shoe = CShoe(key=KEY, memory=Memory(), random=random_of(7, nonces(of=1)))
    controller = HandmadeController(shoe)
    fields = {"oldest": 1, "newest": 1, "flags": 0, "nonce_c": bytes(range(16))}
    hello = second.message_bytes(second.HELLO, fields)

    (challenge,) = controller.say(hello)
    assert controller.say(hello, after=0.05) == [], "at most one answer in 0.1 s"
    assert controller.say(hello, after=0.2) == [challenge], "the same HELLO gets the same CHALLENGE"
    controller.challenge = challenge[:-16]

    assert controller.say(controller.proof(key=bytes(range(32)))) == []
    assert (shoe.in_session, shoe.refused, shoe.strangers) == (0, 1, 1)
    proof = controller.proof()
    assert _types(controller.say(proof)) == [second.STATUS, second.EVENT]
    assert _types(controller.say(proof)) == [second.STATUS], "the PROOF of the session is answered again"
    assert controller.say(hello, after=1.0) == [], "the HELLO of the session is dropped"

    stranger = second.message_bytes(second.HELLO, fields | {"nonce_c": b"a stranger's own"})
    assert _types(controller.say(stranger, after=1.0)) == [second.CHALLENGE]
    ack = controller.seal(second.ACK, {"boot_id": 7, "sequence": 1})
    controller.say(ack)
    assert not shoe.held, "the session went on"
    assert (controller.say(bytes([second.AWAKE])), shoe.refused) == ([], 2), "a reflected frame is dropped and counted"


def test_the_shoe_in_c_keeps_the_rules_of_a_session() -> None:
    shoe = CShoe(key=KEY, memory=Memory(), random=random_of(7, nonces(of=1)))
    controller = HandmadeController(shoe)
    fields = {"oldest": 1, "newest": 1, "flags": 0, "nonce_c": bytes(range(16))}
    (challenge,) = controller.say(second.message_bytes(second.HELLO, fields))
    controller.challenge = challenge[:-16]
    controller.say(controller.proof())

    for number in range(40):
        shoe.report(drawn(number), controller.now)
    on_the_line = list(Line().bodies(shoe.to_send(controller.now)))
    assert len(on_the_line) == 31, "with STARTED, 32 events are under way"
    assert controller.say(controller.seal(second.ACK, {"boot_id": 8, "sequence": 3})) == []
    assert shoe.held == 41, "an ACK of another power-up deletes nothing"
    assert len(controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 3}))) == 3
    assert _types(controller.say(controller.seal(second.NAK, {"sequence": 3}))) == [second.STATUS], "no longer held"
    assert _types(controller.say(controller.seal(second.NAK, {"sequence": 41}))) == [second.STATUS], "not sent yet"

    later = second.sealed(second.key_to_shoe(KEY, controller.challenge), 0x1F, controller.next_counter(), b"later")
    assert (controller.say(later), shoe.refused) == ([], 0), "a type of a later version is skipped"

    desire = {"revision": 1, "gate": 1, "lamps": 0, "next_hand": 1}
    for _ in range(2):
        assert _types(controller.say(controller.seal(second.DESIRE, desire))) == [second.STATUS]
    assert shoe.desires == [{name: value for name, value in desire.items() if name != "revision"}], (
        "a revision that is followed already changes nothing"
    )
    assert controller.say(controller.seal(second.DESIRE, desire | {"revision": 2, "gate": 3})) == []


def test_the_controller_knows_the_shoe_in_c() -> None:
    table = Table()
    table.run(1.0)
    ups = [report for report in table.reports if isinstance(report, LinkUp)]
    assert len(ups) == 1
    assert ups[0].authenticated
    shoe = ups[0].shoe
    assert shoe is not None
    assert (shoe.model, shoe.firmware, shoe.serial_number) == ("in C", "0.1", "C-2")
    assert (shoe.boot_id, shoe.protocol_version, shoe.start_cause.value) == (1001, 1, "power_on")
    assert shoe.capabilities == {"gate", "lamps", "card_ids"}


def test_every_kind_of_event_arrives_as_it_was_said() -> None:
    table = Table()
    happenings = Happenings(table)
    table.run(0.5)
    for vector in VECTORS["events"]:
        happenings.happen(vector["event"])
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()


def test_cards_arrive_once_and_in_order_also_when_more_are_held_than_may_be_under_way() -> None:
    table = Table()
    happenings = Happenings(table)
    happenings.draw(416)
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()


def _losing(sender: str, numbers: range) -> Callable[[str, int], bool]:
    return lambda by, number: by == sender and number in numbers


@pytest.mark.parametrize("sender", ["shoe", "controller"])
@pytest.mark.parametrize("burst", [1, 3, 40])
def test_whichever_frame_is_lost_every_card_arrives_once(sender: str, burst: int) -> None:
    """Each place on the line in turn, handshake included, loses one frame or several in a row."""
    for first in range(30):
        table = Table(loses=_losing(sender, range(first, first + burst)))
        happenings = Happenings(table)
        for _ in range(20):
            happenings.draw()
            table.run(0.05)
        table.run_until_all_is_stored(60.0)
        happenings.assert_all_told()


@pytest.mark.parametrize("steps", range(0, 120, 3))
def test_a_restarted_shoe_tells_what_was_not_acknowledged(steps: int) -> None:
    """The power fails at one moment after another: in the handshake, with events under way, with ACKs under way."""
    table = Table()
    happenings = Happenings(table)
    for step in range(120):
        if step % 10 == 0:
            happenings.draw(2)
        if step == steps:
            happenings.restart()
        table.step()
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()


def test_events_that_nobody_stored_survive_a_restart() -> None:
    table = Table()
    happenings = Happenings(table)
    table.run(1.0)
    table.stores = False
    happenings.draw(5)
    table.run(1.0)
    assert table.shoe.held == 5, "the controller acknowledged what was not stored"
    happenings.restart()
    table.restart_controller()
    table.stores = True
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_losses_and_restarts_of_every_sort_lose_and_double_nothing(data: st.DataObject) -> None:
    lost = {
        sender: data.draw(st.sets(st.integers(0, 150), max_size=60), label=f"lost from the {sender}")
        for sender in ("shoe", "controller")
    }
    restarts = data.draw(st.sets(st.integers(0, 299), max_size=4), label="restarts")
    table = Table(loses=lambda sender, number: number in lost[sender])
    happenings = Happenings(table)
    for step in range(300):
        if step % 15 == 0:
            happenings.draw(3)
        if step in restarts:
            happenings.restart()
        table.step()
    table.run_until_all_is_stored(120.0)
    happenings.assert_all_told()


def test_a_recording_played_back_to_the_controller_says_nothing_new() -> None:
    table = Table()
    happenings = Happenings(table)
    happenings.draw(10)
    table.run_until_all_is_stored(10.0)
    table.hear(table.from_shoe)
    table.run(5.0)
    happenings.draw(3)
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()


def test_a_strangers_hello_does_not_disturb_a_session() -> None:
    table = Table()
    happenings = Happenings(table)
    table.run(1.0)
    hello = {"oldest": 1, "newest": 1, "flags": 0, "nonce_c": b"a stranger's own"}
    table.shoe.receive(second.framed(second.message_bytes(second.HELLO, hello)), table.now)
    happenings.draw(3)
    table.run_until_all_is_stored(10.0)
    happenings.assert_all_told()
    awakes = [body for body in Line().bodies(table.from_shoe) if body[0] == second.AWAKE]
    assert len(awakes) == 1, "only the one of its power-up"


def test_a_shoe_with_another_key_is_refused_and_keeps_its_events() -> None:
    table = Table(shoe_key=bytes(range(32)))
    table.shoe.report(drawn(0), table.now)
    table.run(5.0)
    assert table.deliveries == []
    assert any(isinstance(report, Refused) for report in table.reports)
    assert not any(isinstance(report, LinkUp) for report in table.reports)
    assert table.shoe.held == 2


def test_a_shoe_without_a_key_is_heard_by_a_controller_without_one() -> None:
    shoe = CShoe(key=None, memory=Memory(), random=random_of(7, nonces(of=1)))
    controller = NativeController(key=None, insecure=True, nonce=nonces(of=0))
    controller.connected(0.0)
    heard: list[Delivery | LinkReport] = []
    for _ in range(4):
        shoe.receive(controller.to_send(), 0.0)
        heard += controller.receive(shoe.to_send(0.0), 0.0)
    assert [up.authenticated for up in heard if isinstance(up, LinkUp)] == [False]
    assert [delivery.sequence for delivery in heard if isinstance(delivery, Delivery)] == [1]


def test_a_shoe_of_a_later_version_is_understood() -> None:
    """It appends fields to all that it says, also between the texts of CHALLENGE and its tag, and knows more types."""
    controller = NativeController(key=KEY, nonce=nonces(of=0))
    controller.connected(0.0)
    (hello,) = Line().bodies(controller.to_send())
    said: Fields = vars(Identity()) | {"boot_id": 7, "version": 1, "oldest": 1, "newest": 3, "hello_bytes": hello[1:4]}
    said |= {"nonce_c": hello[4:20], "nonce_s": bytes(range(16))}
    challenge = second.message_bytes(second.CHALLENGE, said) + b"appended"
    assert controller.receive(second.framed(challenge + second.shoe_tag(KEY, challenge)), 0.0) == []
    (proof,) = Line().bodies(controller.to_send())
    assert proof[-16:] == second.controller_tag(KEY, challenge, proof[:-16])

    status = {"oldest": 1, "next": 2, "total": 1, "revision": 0, "flags": second.RECOGNISED}
    event = {"boot_id": 7, "sequence": 1, "age": 0, "event": second.event_bytes(drawn(0) | {"total": 1})}
    payloads = [
        (second.STATUS, second.message_bytes(second.STATUS, status)),
        (0x9F, b""),
        (second.EVENT, second.message_bytes(second.EVENT, event)),
    ]
    key = second.key_from_shoe(KEY, challenge)
    frames = [
        second.framed(second.sealed(key, type_, counter, payload + b"appended"))
        for counter, (type_, payload) in enumerate(payloads, 1)
    ]
    heard = controller.receive(b"".join(frames), 0.0)
    assert [type(one) for one in heard] == [LinkUp, Delivery]
    delivery = heard[1]
    assert isinstance(delivery, Delivery)
    assert msgspec.to_builtins(delivery.event) == drawn(0) | {"total": 1}


def test_what_the_table_wants_reaches_the_shoe_and_again_after_a_restart() -> None:
    table = Table()
    table.run(0.5)
    wanted = DesiredShoe(gate_locked=True, lamps=frozenset({Lamp.TIE, Lamp.ALERT}), next_hand=Hand.BANKER)
    table.controller.want(wanted, table.now)
    table.run(0.5)
    followed = table.shoe.desires[-1]
    assert followed == {"gate": 2, "lamps": 0b1100, "next_hand": 2}
    table.restart_shoe()
    table.run(5.0)
    assert table.shoe.desires[-1] == followed
    assert len(table.shoe.desires) == 1, "a revision that is followed already is not followed again"


def test_a_shoe_that_lost_its_memory_is_heard_from_its_first_event_and_the_loss_is_reported() -> None:
    table = Table()
    happenings = Happenings(table)
    happenings.draw(3)
    table.run_until_all_is_stored(10.0)
    table.memory = Memory()
    happenings.restart()
    happenings.draw(6)
    table.run_until_all_is_stored(10.0)
    assert table.events() == happenings.expected
    assert [delivery.boot_id for delivery in table.deliveries] == happenings.boot_ids
    assert [delivery.sequence for delivery in table.deliveries] == [*range(1, 5), *range(1, 8)]
    assert (table.gaps()[0].expected, table.gaps()[0].received) == (5, 1)


def test_a_card_that_left_and_found_no_place_in_the_store_is_reported_by_the_total() -> None:
    table = Table()
    happenings = Happenings(table)
    happenings.draw(2)
    table.run_until_all_is_stored(10.0)
    table.memory.fails = True
    assert not table.shoe.report(drawn(100), table.now)
    table.memory.fails = False
    happenings.draw(1)
    table.run_until_all_is_stored(10.0)
    assert table.events() == happenings.expected
    assert [(gap.expected, gap.received) for gap in table.gaps()] == [(3, 4)]


@pytest.mark.parametrize("vector", VECTORS["not_understood"], ids=lambda vector: vector["why"])
def test_an_event_that_is_not_understood_keeps_its_place(vector: Fields) -> None:
    """Both readers of the page make the same of it, and the next event follows."""
    said = bytes.fromhex(vector["bytes"])
    memory = Memory()
    memory.put_event(0, 1, 1000, said)
    table = Table(memory=memory)
    table.shoe.report({"event": "cut_card"}, table.now)
    table.run_until_all_is_stored(10.0)
    assert second.event_fields(said) == vector["becomes"]
    assert table.events() == [vector["becomes"], {"event": "started", "cause": "power_on"}, {"event": "cut_card"}]
