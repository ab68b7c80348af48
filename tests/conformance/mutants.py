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
    """The clauses that must be reported as failed; the first is the one that the bug is about."""


MUTANTS = (
    Mutant("no crc is checked", " || crc(run + 1, size - 1U) != 0) return 0;", ") return 0;", ("?bad_frames",)),
    Mutant(
        "garbage is never dropped",
        "            link->in_size = 0;\n            hear(link",
        "            if (body_size != 0) link->in_size = 0;\n            hear(link",
        ("?resync",),
    ),
    Mutant("every HELLO is answered", "< ANSWER_EVERY) ||", "< 1) ||", ("?answer_rate",)),
    Mutant(
        "the HELLO of the session is answered again",
        "(link->in_session && same(asked, link->session_hello, ASKED_BYTES))",
        "false",
        ("?session_hello",),
    ),
    Mutant(
        "each HELLO gets a new nonce",
        "    if (link->challenge_size != 0 && same(asked, link->challenge + ASKED_AT, ASKED_BYTES)) return;\n",
        "",
        ("?same_challenge",),
    ),
    Mutant(
        "the reasons of REJECT are exchanged", "SHOE_HAS_NO_KEY : SHOE_HAS_A_KEY;", "SHOE_HAS_A_KEY : SHOE_HAS_NO_KEY;", ("?reject",)
    ),
    Mutant("only the newest version is compared", "asked[0] > VERSION || asked[1] < VERSION", "asked[1] < VERSION", ("?reject",)),
    Mutant("reserved flags are taken for known ones", "    asked[2] &= INSECURE;\n", "", ("?hello_flags",)),
    Mutant(
        "a HELLO ends the session",
        "    link->due |= DUE_CHALLENGE;\n    if",
        "    link->due |= DUE_CHALLENGE;\n    link->in_session = false;\n    if",
        ("?goes_on",),
    ),
    Mutant("nonce S is always the same", "        firmware->random(firmware->context, nonce, NONCE_BYTES);", "        nonce[0] = 1;", ("?fresh_nonce",)),
    Mutant(
        "the tag of PROOF is not checked",
        "if (!same(tag, proof + size, TAG_BYTES)) {",
        "if (same(tag, NO_KEY, TAG_BYTES)) {",
        ("?proof_tag",),
    ),
    Mutant(
        "a repeated PROOF is not known again",
        "if (link->in_session && same(whole, link->session_proof, sizeof whole)) {",
        "if (same(whole, NO_KEY, sizeof whole)) {",
        ("?session_proof",),
    ),
    Mutant(
        "counters go on in a new session",
        "link->sent_counter = link->received_counter = 0;",
        "link->received_counter = 0;",
        ("?counter",),
    ),
    Mutant("a new session follows the old DESIRE", "    link->revision = 0;\n    link->recognised", "    link->recognised", ("?revision_0",)),
    Mutant("events come before STATUS", "    link->due = DUE_STATUS;\n", "    link->due = 0;\n", ("?status_first",)),
    Mutant(
        "no tag of a sealed frame is checked",
        "if (!same(tag, body + size, FRAME_TAG_BYTES) || get",
        "if (same(tag, NO_KEY, FRAME_TAG_BYTES) || get",
        ("?their_tag",),
    ),
    Mutant("the last counter is believed again", "get(body + 1, 8) <= link", "get(body + 1, 8) < link", ("?their_counter",)),
    Mutant(
        "a malformed frame leaves its counter free",
        "    link->received_counter = get(body + 1, 8);\n",
        "    if (size >= SEALED_HEADER + shortest_payload(body[0])) link->received_counter = get(body + 1, 8);\n",
        ("?believed_malformed",),
    ),
    Mutant("a hand that does not exist is followed", " || desire.next_hand > SHOE_EXTRA", "", ("?desire_malformed",)),
    Mutant("a lower revision is not followed", "if (revision == link->revision) return;", "if (revision <= link->revision) return;", ("?desire_other",)),
    Mutant("an ACK is taken by its sequence alone", " || get32(record + BOOT_AT) != event.boot_id)", ")", ("?ack_not_held", "?not_recognised")),
    Mutant("48 events are in flight", "enum { WINDOW = 32,", "enum { WINDOW = 48,", ("?window",)),
    Mutant("all events are sent again after the wait", "        link->allowed = 1;\n", "", ("?one_in_flight",)),
    Mutant("nothing is sent again", "        go_back(link, link->oldest);\n", "", ("?resend",)),
    Mutant("an ACK allows no more events", "link->allowed > WINDOW / 2 ? WINDOW : 2 * link->allowed", "link->allowed", ("?doubles",)),
    Mutant("a NAK that cannot be served has no answer", "            else\n                link->due |= DUE_STATUS;\n            break;", "            break;", ("?nak_status",)),
    Mutant("the keep-alive comes every two seconds", "KEEP_ALIVE = 500", "KEEP_ALIVE = 2000", ("?keep_alive",)),
    Mutant(
        "a silence leaves the DESIRE standing",
        "        link->revision = 0;\n        link->firmware->lock_gate",
        "        link->firmware->lock_gate",
        ("?silence_revision",),
    ),
    Mutant("a DESIRE with gate 0 ends the lock of a silence", "    if (desire.gate != SHOE_GATE_AS_IT_IS) link->locked", "    link->locked", ("?silence_gate_0",)),
    Mutant(
        "a forged frame breaks the silence",
        "    size = (uint8_t)(size - FRAME_TAG_BYTES);\n",
        "    size = (uint8_t)(size - FRAME_TAG_BYTES);\n    note_heard(link);\n",
        ("?what_breaks_silence",),
    ),
    Mutant(
        "the total is lost with the power",
        "    if (link->total < get32(record + TOTAL_AT)) link->total = get32(record + TOTAL_AT);\n",
        "",
        ("?kept_total",),
    ),
    Mutant("every power-up has the same boot id", "    link->boot_id = get32(bytes);\n", "    link->boot_id = 7;\n", ("?boot_id_new",)),
    Mutant("AWAKE comes ten times a second", "AWAKE_EVERY = 1000", "AWAKE_EVERY = 100", ("?awake_rate",)),
    Mutant("ages are in seconds", "    at = put(at, age, 4) + size;", "    at = put(at, age / 1000, 4) + size;", ("?age",)),
    Mutant("a card that finds no place is not counted", "    link->total += cards;\n", "    if (!link->full) link->total += cards;\n", ("?full_total",)),
)
