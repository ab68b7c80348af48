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
    Mutant("no crc is checked", " || crc(run + 1, size - 1U) != 0) return 0;", ") return 0;", ("1.3",)),
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
        also=("2.1",),
    ),
    Mutant(
        "nonce S is always the same",
        "        firmware->random(firmware->context, nonce, NONCE_BYTES);",
        "        nonce[0] = 1;",
        ("3.12",),
        also=("3.4",),
    ),
    Mutant(
        "the tag of PROOF is not checked",
        "if (!same(tag, proof + size, TAG_BYTES)) {",
        "if (same(tag, NO_KEY, TAG_BYTES)) {",
        ("3.15",),
        also=(
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
    ),
    Mutant(
        "a NAK that cannot be served has no answer",
        "            else\n                link->due |= DUE_STATUS;\n            break;",
        "            break;",
        ("6.32",),
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
        "ages are in seconds", "    at = put(at, age, 4) + size;", "    at = put(at, age / 1000, 4) + size;", ("6.11",)
    ),
    Mutant(
        "a card that finds no place is not counted",
        "    link->total += cards;\n",
        "    if (!link->full) link->total += cards;\n",
        ("6.5",),
        also=("6.35",),
    ),
)
