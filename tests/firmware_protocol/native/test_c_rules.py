"""Rules of the page that a line between two good ends seldom shows, tried on the shoe in C frame by frame."""

from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.c_line import KEY, HandmadeController, drawn, nonces, random_of
from tests.firmware_protocol.native.c_shoe import EVENT_BYTES, CShoe, Memory
from tests.firmware_protocol.native.second_reader import Fields

HELLO: Fields = {"oldest": 1, "newest": 1, "flags": 0, "nonce_c": bytes(range(16))}


def _new() -> HandmadeController:
    return HandmadeController(CShoe(key=KEY, memory=Memory(64), random=random_of(7, nonces(of=1))))


def _in_session() -> HandmadeController:
    """A session in which STARTED is stored."""
    controller = _new()
    (challenge,) = controller.say(second.message_bytes(second.HELLO, HELLO))
    controller.challenge = challenge[:-16]
    controller.say(controller.proof())
    controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 1}))
    return controller


def _said_after(controller: HandmadeController, seconds: float) -> list[int]:
    controller.now += seconds
    controller.shoe.tick(controller.now)
    return [body[0] for body in second.Line().bodies(controller.shoe.to_send(controller.now))]


def test_reserved_bits_of_hello_are_ignored_and_sent_back_as_0() -> None:
    controller = _new()
    (challenge,) = controller.say(second.message_bytes(second.HELLO, HELLO | {"flags": 0xFE}))
    assert challenge[6] == 0
    assert controller.say(second.message_bytes(second.HELLO, HELLO), after=0.2) == [challenge]


def test_what_follows_the_known_fields_is_ignored() -> None:
    controller = _new()
    (challenge,) = controller.say(second.message_bytes(second.HELLO, HELLO) + b"later")
    controller.challenge = challenge[:-16]
    proof = controller.proof()[:-16] + b"later"
    proof += second.controller_tag(KEY, controller.challenge, proof)
    assert [body[0] for body in controller.say(proof)] == [second.STATUS, second.EVENT]
    assert [body[0] for body in controller.say(proof)] == [second.STATUS], "the same again, byte for byte"
    changed = proof[:20] + bytes([proof[20] ^ 1]) + proof[21:]
    assert controller.say(changed) == []


def test_awake_comes_at_most_once_a_second_and_only_without_a_session() -> None:
    controller = _new()
    sealed = bytes([second.ACK]) + bytes(24)
    assert controller.say(sealed, after=0.9) == [], "it said so at power-up"
    assert controller.say(sealed, after=0.2) == [bytes([second.AWAKE])]
    assert controller.say(sealed, after=0.9) == []
    assert controller.say(sealed, after=0.1) == [bytes([second.AWAKE])]
    assert _in_session().say(sealed, after=5.0) == []


def test_after_the_wait_one_event_goes_out_and_each_ack_allows_twice_as_many() -> None:
    controller = _in_session()
    for number in range(10):
        controller.shoe.report(drawn(number), controller.now)
    assert _said_after(controller, 0.0) == [second.EVENT] * 10
    controller.now += controller.shoe.wait / 1000
    assert _said_after(controller, 0.0) == [second.EVENT]
    assert len(controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 2}))) == 2
    assert len(controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 4}))) == 4


def test_no_event_that_was_sent_twice_is_measured() -> None:
    controller = _new()
    (challenge,) = controller.say(second.message_bytes(second.HELLO, HELLO))
    controller.challenge = challenge[:-16]
    controller.say(controller.proof())
    assert _said_after(controller, 0.25) == [second.EVENT]
    controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 1}), after=0.1)
    assert controller.shoe.wait == 500, "there is no estimate yet, so it stays doubled"


def test_reserved_lamps_are_ignored() -> None:
    controller = _in_session()
    controller.say(controller.seal(second.DESIRE, {"revision": 1, "gate": 0, "lamps": 0xF5, "next_hand": 0}))
    assert controller.shoe.desires == [{"gate": 0, "lamps": 5, "next_hand": 0}]


def test_a_gate_that_silence_has_locked_stays_so_until_a_desire_names_it() -> None:
    controller = _in_session()
    assert controller.shoe.locks == 1, "at the beginning of the session"
    _said_after(controller, 3.0)
    assert controller.shoe.locks == 2
    desire = {"revision": 1, "gate": 0, "lamps": 1, "next_hand": 1}
    (status,) = controller.say(controller.seal(second.DESIRE, desire))
    fields = second.message_fields(second.STATUS, status[9:-8])
    assert (fields["revision"], fields["flags"]) == (1, 0b011)
    (status,) = controller.say(controller.seal(second.DESIRE, desire | {"revision": 2, "gate": 2}))
    assert second.message_fields(second.STATUS, status[9:-8])["flags"] == 0b001


def test_each_session_locks_the_gate_until_a_desire_unlocks_it() -> None:
    controller = _in_session()
    controller.say(controller.seal(second.DESIRE, {"revision": 1, "gate": 1, "lamps": 0, "next_hand": 1}))
    assert (controller.shoe.locks, controller.shoe.desires[-1]["gate"]) == (1, 1)
    hello = second.message_bytes(second.HELLO, HELLO | {"nonce_c": b"of a new session"})
    (challenge,) = controller.say(hello, after=0.2)
    assert controller.shoe.locks == 1, "a HELLO changes nothing"
    controller.challenge = challenge[:-16]
    controller.say(controller.proof())
    assert (controller.shoe.locks, controller.shoe.revision, controller.shoe.locked_by_silence) == (2, 0, 0)


def test_a_malformed_frame_that_is_believed_breaks_the_silence_and_uses_its_counter() -> None:
    controller = _in_session()
    short = second.sealed(second.key_to_shoe(KEY, controller.challenge), second.ACK, controller.next_counter(), b"abc")
    controller.say(short, after=2.0)
    assert controller.shoe.refused == 1
    _said_after(controller, 2.0)
    assert controller.shoe.locks == 1, "when the session began, and not again"
    controller.say(short)
    assert controller.shoe.refused == 2, "replayed"


def test_one_status_answers_several_desires_that_came_together() -> None:
    controller = _in_session()
    desires = [
        controller.seal(second.DESIRE, {"revision": revision, "gate": 1, "lamps": 0, "next_hand": 1})
        for revision in (3, 2)
    ]
    controller.shoe.receive(b"".join(map(second.framed, desires)), controller.now)
    (status,) = second.Line().bodies(controller.shoe.to_send(controller.now))
    assert second.message_fields(second.STATUS, status[9:-8])["revision"] == 2, "a lower revision is followed too"


def test_an_event_that_the_memory_loses_costs_none_before_it() -> None:
    controller = _in_session()
    for number in range(3):
        controller.shoe.report(drawn(number), controller.now)
    controller.shoe.memory.bytes[0][2 * EVENT_BYTES + 30] ^= 1
    assert _said_after(controller, 0.0) == [second.EVENT], "the first is not given up for the second, which is lost"
    status, event = controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 2}))
    assert second.message_fields(second.STATUS, status[9:-8])["oldest"] == 4
    assert second.message_fields(second.EVENT, event[9:-8])["sequence"] == 4


def test_a_full_store_stays_full_until_half_its_places_are_empty() -> None:
    controller = _in_session()
    while controller.shoe.report({"event": "cut_card"}, controller.now):
        pass
    held = controller.shoe.held
    assert held == 63
    for stored in (1, held // 2):
        controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 1 + stored}))
        assert controller.shoe.full
    controller.say(controller.seal(second.ACK, {"boot_id": 7, "sequence": 2 + held // 2}))
    assert not controller.shoe.full
    assert controller.shoe.held == held // 2 + 1, "half of them, and that the fault is cleared"
