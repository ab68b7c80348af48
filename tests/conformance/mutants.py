"""Bugs for the shoe in C, each a small change of `shoe_link.c`, and the clauses that it breaks.

A firmware author would make such mistakes: each is one that compiles, deals cards, and is found on a casino floor.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    bug: str
    search: str
    """Occurs exactly once in shoe_link.c."""
    replacement: str
    breaks: tuple[str, ...]
    """The clauses that the bug is about: each must be reported as failed."""
    also: tuple[str, ...] = ()
    """What may fail with them, because it rests on them."""


MUTANTS = (
    Mutant(
        "no crc is checked",
        " || crc(run + 1, size - 1U) != 0) return 0;",
        ") return 0;",
        ("1.3",),
        also=("9.1",),
    ),
    Mutant(
        "garbage is never dropped",
        "            link->in_size = 0;\n            hear(link",
        "            if (body_size != 0) link->in_size = 0;\n            hear(link",
        ("1.4",),
        also=(
            "1.2",
            "1.5",
            "2.1",
            "2.2",
            "3.10",
            "3.12",
            "3.8",
        ),
    ),
    Mutant("a HELLO is heeded again too soon", "< ANSWER_EVERY) ||", "< 80) ||", ("3.8",)),
    Mutant("every HELLO is answered", "< ANSWER_EVERY) ||", "< 1) ||", ("3.8",)),
    Mutant(
        "the HELLO of the session is answered again",
        "(link->in_session && same(asked, link->session_hello, ASKED_BYTES))",
        "false",
        ("3.9",),
    ),
    Mutant(
        "each HELLO gets a new nonce",
        "    if (link->challenge_size != 0 && same(asked, link->challenge + ASKED_AT, ASKED_BYTES)) return;\n",
        "",
        ("3.11",),
        also=("2.4",),
    ),
    Mutant(
        "the reasons of REJECT are exchanged",
        "SHOE_HAS_NO_KEY : SHOE_HAS_A_KEY;",
        "SHOE_HAS_A_KEY : SHOE_HAS_NO_KEY;",
        ("3.10",),
    ),
    Mutant(
        "only the newest version is compared",
        "asked[0] > VERSION || asked[1] < VERSION",
        "asked[1] < VERSION",
        ("3.10",),
    ),
    Mutant("reserved flags are taken for known ones", "    asked[2] &= INSECURE;\n", "", ("2.4",)),
    Mutant(
        "a HELLO ends the session",
        "    link->due |= DUE_CHALLENGE;\n    if",
        "    link->due |= DUE_CHALLENGE;\n    link->in_session = false;\n    if",
        ("3.19",),
        also=(
            "3.13",
            "2.1",
        ),
    ),
    Mutant(
        "nonce S is always the same",
        "        firmware->random(firmware->context, nonce, NONCE_BYTES);",
        "        nonce[0] = 1;",
        ("3.12",),
        also=("3.4",),
    ),
    Mutant(
        "CHALLENGE repeats its own version, not that of the HELLO",
        "    at = copy(at, asked, ASKED_BYTES);\n",
        "    at = copy(at, asked, ASKED_BYTES);\n    link->challenge[ASKED_AT + 1] = VERSION;\n",
        ("3.3",),
    ),
    Mutant(
        "AWAKE comes every ten seconds",
        "    if (link->cursor > link->oldest && since",
        "    if (since(link, link->awake_at) >= 10000) wake(link);\n    if (link->cursor > link->oldest && since",
        ("3.22",),
    ),
    Mutant(
        "one event at a time is sent, however many are allowed",
        "link->cursor - link->oldest >= link->allowed",
        "link->cursor != link->oldest",
        ("3.17",),
    ),
    Mutant(
        "a NAK for what is not held is answered only by a shoe that holds nothing",
        "            else\n                link->due |= DUE_STATUS;\n",
        "            else if (link->oldest == link->next)\n                link->due |= DUE_STATUS;\n",
        ("6.32",),
        also=("2.2",),
    ),
    Mutant(
        "the nonce in PROOF is not compared",
        " || !same(proof + 1, link->challenge + NONCE_AT, NONCE_BYTES)",
        "",
        ("3.14",),
        also=("3.19", "4.1", "4.2"),
    ),
    Mutant(
        "the tag of PROOF is not checked",
        "if (!same(tag, proof + size, TAG_BYTES)) {",
        "if (same(tag, NO_KEY, TAG_BYTES)) {",
        ("3.15",),
        also=(
            "9.1",
            "3.14",
            "3.19",
            "4.1",
            "4.2",
        ),
    ),
    Mutant(
        "a repeated PROOF is not known again",
        "if (link->in_session && same(whole, link->session_proof, sizeof whole)) {",
        "if (same(whole, NO_KEY, sizeof whole)) {",
        ("3.13",),
    ),
    Mutant(
        "counters go on in a new session",
        "link->sent_counter = link->received_counter = 0;",
        "link->received_counter = 0;",
        ("4.2",),
    ),
    Mutant(
        "a new session follows the old DESIRE",
        "    link->revision = 0;\n    link->recognised",
        "    link->recognised",
        ("3.17",),
    ),
    Mutant(
        "events come before STATUS",
        "    link->due = DUE_STATUS;\n",
        "    link->due = 0;\n",
        ("3.18",),
        also=(
            "2.2",
            "6.25",
            "6.26",
            "6.27",
            "6.31",
        ),
    ),
    Mutant(
        "no tag of a sealed frame is checked",
        "if (!same(tag, body + size, FRAME_TAG_BYTES) || get",
        "if (same(tag, NO_KEY, FRAME_TAG_BYTES) || get",
        ("4.3",),
        also=(
            "9.1",
            "3.17",
            "4.5",
        ),
    ),
    Mutant(
        "the last counter is believed again",
        "get(body + 1, 8) <= link",
        "get(body + 1, 8) < link",
        ("4.4",),
        also=(
            "4.6",
            "8.5",
        ),
    ),
    Mutant(
        "a malformed frame leaves its counter free",
        "    link->received_counter = get(body + 1, 8);\n",
        "    if (size >= SEALED_HEADER + shortest_payload(body[0])) link->received_counter = get(body + 1, 8);\n",
        ("4.6",),
    ),
    Mutant(
        "a DESIRE with a code that does not exist leaves its counter free",
        "desire.next_hand > SHOE_EXTRA) {\n",
        "desire.next_hand > SHOE_EXTRA) {\n        link->received_counter--;\n",
        ("4.6",),
    ),
    Mutant("a hand that does not exist is followed", " || desire.next_hand > SHOE_EXTRA", "", ("5.2",)),
    Mutant(
        "a lower revision is not followed",
        "if (revision == link->revision) return;",
        "if (revision <= link->revision) return;",
        ("5.4",),
        also=(
            "2.4",
            "5.1",
            "5.6",
        ),
    ),
    Mutant(
        "an ACK is taken by its sequence alone", " || get32(record + BOOT_AT) != event.boot_id)", ")", ("6.16", "6.17")
    ),
    Mutant("48 events are in flight", "enum { WINDOW = 32,", "enum { WINDOW = 48,", ("6.22",)),
    Mutant("all events are sent again after the wait", "        link->allowed = 1;\n", "", ("6.23",), also=("6.24",)),
    Mutant("nothing is sent again", "        go_back(link, link->oldest);\n", "", ("6.23",), also=("6.26",)),
    Mutant(
        "an ACK allows no more events",
        "link->allowed > WINDOW / 2 ? WINDOW : 2 * link->allowed",
        "link->allowed",
        ("6.24",),
        also=("6.25",),
    ),
    Mutant(
        "a NAK that cannot be served has no answer",
        "            else\n                link->due |= DUE_STATUS;\n            break;",
        "            break;",
        ("6.32",),
        also=("2.2",),
    ),
    Mutant("the keep-alive comes every two seconds", "KEEP_ALIVE = 500", "KEEP_ALIVE = 2000", ("8.1",), also=("8.4",)),
    Mutant(
        "a silence leaves the DESIRE standing",
        "        link->revision = 0;\n        link->firmware->lock_gate",
        "        link->firmware->lock_gate",
        ("8.3",),
    ),
    Mutant(
        "a DESIRE with gate 0 ends the lock of a silence",
        "    if (desire.gate != SHOE_GATE_AS_IT_IS) link->locked",
        "    link->locked",
        ("8.7",),
    ),
    Mutant(
        "a forged frame breaks the silence",
        "    size = (uint8_t)(size - FRAME_TAG_BYTES);\n",
        "    size = (uint8_t)(size - FRAME_TAG_BYTES);\n    note_heard(link);\n",
        ("8.5",),
    ),
    Mutant(
        "the total is lost with the power",
        "    if (link->total < get32(record + TOTAL_AT)) link->total = get32(record + TOTAL_AT);\n",
        "",
        ("6.7",),
    ),
    Mutant(
        "every power-up has the same boot id",
        "    link->boot_id = get32(bytes);\n",
        "    link->boot_id = 7;\n",
        ("3.6",),
        also=("6.12",),
    ),
    Mutant("AWAKE comes ten times a second", "AWAKE_EVERY = 1000", "AWAKE_EVERY = 100", ("3.21",)),
    Mutant(
        "ages are in seconds",
        "    at = put(at, age, 4) + size;",
        "    at = put(at, age / 1000, 4) + size;",
        ("6.11",),
        also=("6.12",),
    ),
    Mutant(
        "a card that finds no place is not counted",
        "    link->total += cards;\n",
        "    if (!link->full) link->total += cards;\n",
        ("6.5",),
        also=("6.35",),
    ),
    Mutant(
        "a silence is said, and does not lock the gate",
        "        link->revision = 0;\n"
        "        link->firmware->lock_gate(link->firmware->context);\n"
        "    }\n"
        "    if (!link->in_session) return;",
        "        link->revision = 0;\n    }\n    if (!link->in_session) return;",
        ("8.3",),
        also=("8.7",),
    ),
    Mutant(
        "the PROOF of the session is forgotten at its first ACK",
        "    if (!acknowledge(link, stored)) return;\n    if (link->timed",
        "    link->session_proof[0] ^= 1;\n    if (!acknowledge(link, stored)) return;\n    if (link->timed",
        ("3.13",),
    ),
    Mutant(
        "dropped HELLOs prolong the 0.1 s",
        "        link->counts.unexpected++;\n        return;\n    }\n    link->answered = true;",
        "        link->counts.unexpected++;\n"
        "        link->answered_at = (uint32_t)link->uptime;\n"
        "        return;\n"
        "    }\n"
        "    link->answered = true;",
        ("3.8",),
    ),
    Mutant(
        "REJECTs are not rate limited",
        "    link->answered = true;\n    link->answered_at = (uint32_t)link->uptime;\n    link->reject_reason = 0;",
        "    link->reject_reason = 0;\n"
        "    if (asked[1] >= VERSION) { link->answered = true; link->answered_at = (uint32_t)link->uptime; }",
        ("3.8",),
    ),
    Mutant(
        "the allowance outlives its session",
        "    link->allowed = WINDOW;\n",
        "    if (link->allowed == 0) link->allowed = WINDOW;\n",
        ("3.17",),
    ),
    Mutant("the estimate outlives its session", "    link->estimated = false;\n", "", ("3.17",)),
    Mutant(
        "an age is frozen in a session",
        "    if (boot_id == link->boot_id && happened <= age) age -= happened;",
        "    if (boot_id == link->boot_id && happened <= age) age -= happened;\n"
        "    static uint64_t frozen; static uint32_t of; "
        "if (link->cursor == of && link->cursor <= link->sent_up_to) age = frozen; else { frozen = age; "
        "of = link->cursor; }",
        ("6.11",),
    ),
    Mutant(
        "events of an earlier power-up have age 0",
        "    if (boot_id == link->boot_id && happened <= age) age -= happened;",
        "    if (boot_id != link->boot_id) age = 0; else if (happened <= age) age -= happened;",
        ("6.12",),
    ),
    Mutant(
        "an ACK makes the event in PROOF recognised",
        "    if (!acknowledge(link, stored)) return;\n    if (link->timed",
        "    link->recognised = true;\n    if (!acknowledge(link, stored)) return;\n    if (link->timed",
        ("6.19",),
    ),
    Mutant(
        "an ACK allows one event more",
        "link->allowed > WINDOW / 2 ? WINDOW : 2 * link->allowed",
        "link->allowed >= WINDOW ? WINDOW : link->allowed + 1",
        ("6.24",),
    ),
    Mutant(
        "an ACK does not restart the wait",
        "    if (link->cursor < link->oldest) link->cursor = link->oldest;\n"
        "    link->wait_since = (uint32_t)link->uptime;\n"
        "}",
        "    if (link->cursor < link->oldest) link->cursor = link->oldest;\n}",
        ("6.25",),
    ),
    Mutant(
        "a NAK allows as many events as a new session",
        "                go_back(link, get32(payload));\n",
        "                { go_back(link, get32(payload)); link->allowed = WINDOW; }\n",
        ("6.31",),
    ),
    Mutant(
        "a NAK for an event that counts as not sent is obeyed",
        "get32(payload) < link->cursor)",
        "get32(payload) < link->next)",
        ("6.32",),
    ),
    Mutant(
        "malformed DESIRE answered by STATUS",
        "    if (desire.gate > SHOE_GATE_LOCKED || desire.next_hand > SHOE_EXTRA) {\n",
        "    if (desire.gate > SHOE_GATE_LOCKED || desire.next_hand > SHOE_EXTRA) {\n"
        "        link->due |= DUE_STATUS;\n",
        ("5.2",),
    ),
    Mutant(
        "forged sealed frame answered by STATUS",
        "<= link->received_counter) {\n        link->counts.refused++;",
        "<= link->received_counter) {\n        link->due |= DUE_STATUS;\n        link->counts.refused++;",
        ("9.1",),
    ),
    Mutant(
        "AWAKE of two bytes",
        "        body[0] = AWAKE;\n        frame(link, 1);",
        "        body[0] = AWAKE; body[1] = 7;\n        frame(link, 2);",
        ("3.2",),
    ),
    Mutant(
        "STATUS has a byte more",
        "    send_sealed(link, STATUS, at);",
        "    *at++ = 0x55;\n    send_sealed(link, STATUS, at);",
        ("5.1",),
    ),
    Mutant(
        "EVENT has a byte more",
        "    at = put(at, age, 4) + size;",
        "    at = put(at, age, 4) + size;\n    *at++ = 0x55;",
        ("7.1",),
    ),
    Mutant(
        "REJECT names versions 0 to 255",
        "        body[2] = body[3] = VERSION;",
        "        body[2] = 0; body[3] = 255;",
        ("3.2",),
    ),
    Mutant(
        "CHALLENGE has a cause that does not exist",
        "    *at++ = link->firmware->cause;\n    at = put(at, link->firmware->capabilities, 2);",
        "    *at++ = 200;\n    at = put(at, link->firmware->capabilities, 2);",
        ("3.2",),
    ),
    Mutant(
        "gate 2 is not followed",
        "    link->firmware->follow(link->firmware->context, &desire);",
        "    if (desire.gate == SHOE_GATE_LOCKED) desire.gate = SHOE_GATE_AS_IT_IS;\n"
        "    link->firmware->follow(link->firmware->context, &desire);",
        ("5.8",),
    ),
    Mutant(
        "a DESIRE of the same revision is followed again", "    if (revision == link->revision) return;\n", "", ("5.5",)
    ),
    Mutant(
        "events of an earlier power-up get the boot id of this one",
        "    uint32_t boot_id = get32(record + BOOT_AT);\n",
        "    uint32_t boot_id = link->boot_id;\n",
        ("6.3",),
        also=("6.15", "6.20"),
    ),
    Mutant(
        "PROOF deletes nothing",
        "                       acknowledge(link, stored);",
        "                       (stored.sequence >= link->oldest && stored.sequence < link->next);",
        ("6.18",),
        also=("6.17", "6.19"),
    ),
    Mutant(
        "the event acknowledged last is recognised by its sequence alone",
        "(stored.boot_id == link->acknowledged.boot_id && stored.sequence == link->acknowledged.sequence)",
        "(stored.sequence == link->acknowledged.sequence)",
        ("6.17",),
    ),
    Mutant(
        "an ACK of a deleted event is taken for the last one",
        "    if (event.sequence < link->oldest || event.sequence >= link->next ||",
        "    if (event.sequence < link->oldest && event.sequence) link->acknowledged = event;\n"
        "    if (event.sequence < link->oldest || event.sequence >= link->next ||",
        ("6.16",),
    ),
    Mutant(
        "STATUS counts a card less",
        "    at = put(at, link->total, 4);\n    at = put(at, link->revision, 4);",
        "    at = put(at, link->next > link->oldest ? link->total - 1 : link->total, 4);\n"
        "    at = put(at, link->revision, 4);",
        ("6.10",),
        also=("6.7", "6.8"),
    ),
    Mutant(
        "a run that is too long is cut to a frame",
        "            if (link->in_size <= SHOE_LONGEST_RUN) link->in_size++;",
        "            if (link->in_size < SHOE_LONGEST_RUN) link->in_size++;",
        ("1.2",),
    ),
    Mutant(
        "no AWAKE at power-up", "    happen(link, &started);\n    wake(link);", "    happen(link, &started);", ("3.20",)
    ),
    Mutant(
        "a repeated PROOF breaks the silence",
        "    if (link->in_session && same(whole, link->session_proof, sizeof whole)) {\n",
        "    if (link->in_session && same(whole, link->session_proof, sizeof whole)) {\n        note_heard(link);\n",
        ("8.5",),
    ),
    Mutant(
        "a wrong PROOF breaks the silence",
        '    size = (uint8_t)(size - TAG_BYTES);\n    sign(link, "CTRL-TAG"',
        '    note_heard(link);\n    size = (uint8_t)(size - TAG_BYTES);\n    sign(link, "CTRL-TAG"',
        ("8.5",),
    ),
    Mutant(
        "reserved flags count in a session",
        "    asked[2] &= INSECURE;\n    if (",
        "    if (!(link->in_session)) asked[2] &= INSECURE;\n    if (",
        ("2.4",),
    ),
    Mutant(
        "gate 2 does not end the lock of a silence",
        "    if (desire.gate != SHOE_GATE_AS_IT_IS) link->locked",
        "    if (desire.gate == SHOE_GATE_UNLOCKED) link->locked",
        ("8.7",),
    ),
    Mutant(
        "only the first STATUS says whether the event in PROOF is recognised",
        "        link->due &= (uint8_t)~DUE_STATUS;\n        send_status(link);",
        "        link->due &= (uint8_t)~DUE_STATUS;\n        send_status(link);\n        link->recognised = false;",
        ("6.19",),
    ),
    Mutant("the wait grows to 4 s", "LONGEST_WAIT = 2000", "LONGEST_WAIT = 4000", ("6.27",)),
    Mutant(
        "IDENTIFY does nothing",
        "            if (firmware->identify != NULL) firmware->identify(",
        "            if (0) firmware->identify(",
        ("5.1",),
    ),
    Mutant(
        "an ACK with appended fields is ignored",
        "        case ACK: hear_ack(link,",
        "        case ACK: if (size == SEALED_HEADER + 8) hear_ack(link,",
        ("2.2",),
    ),
    Mutant(
        "CHALLENGE has a text that is longer than it",
        "    at = put_text(at, link->firmware->serial_number);\n",
        "    at = put_text(at, link->firmware->serial_number);\n    link->challenge[46] = 200;\n",
        ("2.5",),
    ),
)
