/* The shoe's side of the native protocol, version 1, for a firmware in C99.
 *
 * ../native/PROTOCOL.md says what goes over the line; "section n" below means a section of that page. These files do all
 * of it on the shoe's side: framing, the handshake, the event store, resends, and what the controller desires. Add
 * shoe_link.h, shoe_link.c and blake2s.c to your firmware. They need no library, no heap, no clock and no port.
 *
 * You provide (struct shoe_firmware): the shoe's names and its key, memory that survives a loss of power, random bytes,
 * and functions that move the gate and the lamps. Then, in your main loop:
 *
 *     shoe_link_start(&link, &firmware, milliseconds());            // once, at power-up; false: see below
 *     for (;;) {
 *         n = bytes that came over the line;
 *         shoe_link_receive(&link, bytes, n, milliseconds());
 *         shoe_link_tick(&link, milliseconds());                    // every 10 ms or more often, also without a line
 *         n = shoe_link_send(&link, bytes, room, milliseconds());   // as many bytes as your port takes now
 *         if (a card was drawn) shoe_link_report(&link, &event, milliseconds());
 *     }
 *
 * Milliseconds count from any number and may run over after 2^32; where they go back, no time has passed. Call nothing of
 * this from an interrupt: put what interrupts receive into a buffer of your own, and hand it over in the main loop. Only the
 * functions of struct shoe_firmware are called from here, from within the calls above; they must not call back into the
 * link.
 */
#ifndef SHOE_LINK_H
#define SHOE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Codes of section 7 --------------------------------------------------------------------------------------- */

enum shoe_kind {
    SHOE_STARTED = 0x01,
    SHOE_STANDBY = 0x02,
    SHOE_CARD_IDENTIFIED = 0x03,
    SHOE_RESULT = 0x04,
    SHOE_CUT_CARD = 0x05,
    SHOE_BURN = 0x06,
    SHOE_CARD_RETURNED = 0x07,
    SHOE_GATE = 0x08,
    SHOE_LID = 0x09,
    SHOE_BUTTON = 0x0A,
    SHOE_FAULT = 0x0B,
    SHOE_FAULT_CLEARED = 0x0C,
    SHOE_PRESET_CHANGED = 0x0D,
    SHOE_HEALTH = 0x0E,
    SHOE_CARD_DRAWN = 0x10,
    SHOE_DOUBLE_FEED = 0x11,
    SHOE_MISREAD = 0x12,
    SHOE_FOREIGN_CARD = 0x13
};

enum shoe_hand { SHOE_NO_HAND, SHOE_PLAYER, SHOE_BANKER, SHOE_BURNED, SHOE_EXTRA };
enum shoe_suit { SHOE_CLUBS = 1, SHOE_DIAMONDS, SHOE_HEARTS, SHOE_SPADES };
enum shoe_cause { SHOE_UNKNOWN, SHOE_POWER_ON, SHOE_BROWN_OUT, SHOE_WATCHDOG, SHOE_RESET_BUTTON, SHOE_FIRMWARE_UPDATE };
enum shoe_button { SHOE_BUTTON_RESULT = 1, SHOE_NO_MORE_BETS, SHOE_NEW_SHOE, SHOE_BURN_BUTTON, SHOE_CALL_SUPERVISOR };
enum shoe_fault {
    SHOE_OTHER,
    SHOE_UNREADABLE,
    SHOE_OVER_DRAW,
    SHOE_BUTTON_MISUSED,
    SHOE_PUSHED_BACK_AT_EXIT,
    SHOE_PUSHED_BACK_HALF_WAY,
    SHOE_FOREIGN,
    SHOE_DRAW_TIMEOUT,
    SHOE_JAM,
    SHOE_SENSOR,
    SHOE_GATE_FORCED,
    SHOE_LOW_VOLTAGE,
    SHOE_OVER_TEMPERATURE,
    SHOE_EVENT_STORE_FULL
};

/* Flags of an event; which of them a kind has is in section 7. */
enum {
    SHOE_FIRST_OF_SHOE = 1,
    SHOE_CARRIED_OVER = 2,
    SHOE_PLAYER_PAIR = 1,
    SHOE_BANKER_PAIR = 2,
    SHOE_BANKER_SIX = 4,
    SHOE_STOPPED = 1,
    SHOE_HAS_DETAIL = 2
};

enum { SHOE_NO_BURNS = 0xFF }; /* burns left are not given */

/* A card as one byte: rank 1 (ace) to 13 (king). A card that is not disclosed is 0. */
#define SHOE_CARD(suit, rank) ((uint8_t)((suit) << 4 | (rank)))

/* Something that happened at the shoe. Fill in what its kind has (section 7) and leave the rest 0, for instance
 *     struct shoe_event drawn = {.kind = SHOE_CARD_DRAWN, .hand = SHOE_PLAYER, .position = 1,
 *                                .card = SHOE_CARD(SHOE_HEARTS, 9), .burns_left = SHOE_NO_BURNS};
 * The total of cards is counted by the link. */
struct shoe_event {
    uint8_t kind;
    uint8_t hand;
    uint8_t position;
    uint8_t card;
    uint8_t burns_left; /* of CARD_DRAWN: SHOE_NO_BURNS where you do not count them */
    uint8_t flags;
    uint8_t cards;  /* of DOUBLE_FEED and BURN */
    uint8_t code;   /* the cause, winner, gate, lid, button or fault */
    uint32_t detail; /* of a fault, with the flag SHOE_HAS_DETAIL; else 0 */
    uint16_t millivolts;
    int16_t celsius;
    uint16_t cards_since_load;
    const char *card_id;  /* at most 32 printable ASCII characters; NULL for none. One that */
    const char *deck_set; /* breaks this rule is left out, so that its card is still reported */
};

/* --- What you provide ----------------------------------------------------------------------------------------- */

enum { SHOE_KEY_BYTES = 32, SHOE_LONGEST_TEXT = 32 };

/* Capabilities of section 3. */
enum {
    SHOE_HAS_GATE = 1 << 0,
    SHOE_HAS_LAMPS = 1 << 1,
    SHOE_HAS_CARD_IDS = 1 << 2,
    SHOE_HAS_RESULT_BUTTON = 1 << 8,
    SHOE_HAS_NO_MORE_BETS_BUTTON = 1 << 9,
    SHOE_HAS_NEW_SHOE_BUTTON = 1 << 10,
    SHOE_HAS_BURN_BUTTON = 1 << 11,
    SHOE_HAS_CALL_SUPERVISOR_BUTTON = 1 << 12
};

enum shoe_gate { SHOE_GATE_AS_IT_IS, SHOE_GATE_UNLOCKED, SHOE_GATE_LOCKED };
enum shoe_lamp { SHOE_LAMP_PLAYER = 1, SHOE_LAMP_BANKER = 2, SHOE_LAMP_TIE = 4, SHOE_LAMP_ALERT = 8 };

/* What the controller wants the shoe to be like from now on. */
struct shoe_desire {
    uint8_t gate;      /* enum shoe_gate */
    uint8_t lamps;     /* those of enum shoe_lamp that are on; all others are off */
    uint8_t next_hand; /* enum shoe_hand: whose card is expected next */
};

/* The memory that survives a loss of power has two areas of numbered places. Events go from place to place and begin
 * again at 0; so do marks, which say what was acknowledged and counted. So all places wear alike. */
enum shoe_area { SHOE_EVENTS, SHOE_MARKS };
enum { SHOE_EVENT_BYTES = 96, SHOE_MARK_BYTES = 32 }; /* a place of either area */

struct shoe_firmware {
    const char *model; /* texts of at most 32 printable ASCII characters */
    const char *version;
    const char *serial_number;
    const uint8_t *key;    /* SHOE_KEY_BYTES of them, not all zero; NULL: insecure, for the desk */
    uint16_t capabilities; /* SHOE_HAS_… */
    uint8_t cause;         /* enum shoe_cause: of this power-up */
    uint16_t silence;      /* milliseconds without the controller after which the gate locks: 3000, or 0 for never */

    /* A page is what can only be erased as a whole. Where every byte can be overwritten (EEPROM, FRAM) a page is one
     * place, and `erase` is NULL. An area has whole pages: at least two of marks; of events as many as make up 8 places
     * beside one page. event_places - events_in_page events can be kept. */
    uint16_t event_places;
    uint16_t events_in_page;
    uint16_t mark_places;
    uint16_t marks_in_page;
    /* A mark is written when more than so many events were acknowledged since the last one. 0 remembers every
     * acknowledgement over a loss of power; a higher number spares the memory, and after a loss of power the shoe may send
     * so many events again, which the controller recognises. */
    uint16_t acknowledged_without_mark;

    void *context; /* handed to all functions below */
    /* Read the first `size` bytes of a place. False: they cannot be read. */
    bool (*read)(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size);
    /* Write the first bytes of a place, and return when they would survive a loss of power, not before. False: they
     * could not be written. A write that the power cuts short may leave anything in its place, and nothing elsewhere. */
    bool (*write)(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size);
    /* Make all bytes FF in the page that begins with this place. NULL if pages are one place, and only then. */
    bool (*erase)(void *context, enum shoe_area area, uint16_t place);
    /* Bytes that nobody can foresee. NULL if there is no such source: then power-ups are counted (section 3). */
    void (*random)(void *context, uint8_t *bytes, size_t size);

    void (*follow)(void *context, const struct shoe_desire *desire);
    /* The controller is silent, or a session begins: lock the gate until a desire says otherwise. Begin locked, too. */
    void (*lock_gate)(void *context);
    /* May be NULL, as may all below. The time of day, milliseconds since 1970 in UTC. */
    void (*set_clock)(void *context, uint64_t unix_milliseconds);
    /* Blink or beep, so that a person finds the shoe. */
    void (*identify)(void *context, uint8_t seconds);
    /* A controller with another key has tried to begin a session: tell people, once. */
    void (*stranger)(void *context);
    /* For a shoe without `random`: a count of power-ups in memory of its own, which a wipe of events and marks leaves
     * alone. Called once at each start. Make the count one more than it was, and at least `at_least`; return it when it would
     * survive a loss of power, 0 if it could not be written. NULL: the count is in the marks alone. */
    uint32_t (*count_power_up)(void *context, uint32_t at_least);
};

/* --- The link ------------------------------------------------------------------------------------------------- */

enum { SHOE_LONGEST_BODY = 240, SHOE_LONGEST_RUN = 243, SHOE_LONGEST_CHALLENGE = 46 + 3 * (1 + SHOE_LONGEST_TEXT) };

/* What came over the line and was dropped (section 9). */
struct shoe_counts {
    uint32_t line_errors;
    uint32_t reflected;
    uint32_t unknown;
    uint32_t refused;
    uint32_t malformed;
    uint32_t unexpected; /* of another session, or more HELLOs than are answered */
};

struct shoe_log {
    uint32_t newest; /* number of the newest record; 0 for none */
    uint16_t newest_place;
    uint16_t next_place;
};

struct shoe_event_name {
    uint32_t boot_id;
    uint32_t sequence;
};

/* One power-up of a shoe. Where it lives is up to you; what is in it is the link's own, except `counts`. */
struct shoe_link {
    const struct shoe_firmware *firmware;
    struct shoe_counts counts;
    uint64_t uptime; /* milliseconds since power-up */
    uint32_t ticked; /* your milliseconds at that time */
    uint32_t boot_id;
    uint32_t power_ups;
    uint32_t nonces;

    /* The event store. It holds the events from `oldest` to the one before `next`. */
    struct shoe_log logs[2];
    uint32_t oldest;
    uint32_t next;
    uint32_t total;
    struct shoe_event_name acknowledged;
    uint32_t marked;       /* sequence of the last event whose acknowledgement is in a mark */
    uint16_t oldest_place; /* of the events that are held, */
    uint16_t kept_from;    /* and of those that a loss of power now would bring back */
    bool full;

    /* What comes in and what goes out. */
    uint8_t in_size;
    uint8_t out_at;
    uint8_t out_size;
    uint8_t due;
    uint32_t framed_at;
    uint8_t in[SHOE_LONGEST_RUN];
    uint8_t out[SHOE_LONGEST_RUN + 2];

    /* The handshake. */
    uint8_t challenge_size; /* of the unproven CHALLENGE; 0 for none */
    uint8_t challenge[SHOE_LONGEST_CHALLENGE];
    uint8_t reject_reason;
    uint8_t reject_nonce[16];
    bool told_of_stranger;
    bool answered; /* a HELLO, and when; likewise AWAKE */
    uint32_t answered_at;
    uint32_t awake_at;

    /* The session. */
    bool in_session;
    bool recognised;
    uint8_t session_hello[19];
    uint8_t session_proof[16];
    uint8_t key_from_shoe[32];
    uint8_t key_to_shoe[32];
    uint64_t sent_counter;
    uint64_t received_counter;
    uint32_t revision;
    uint32_t sealed_at;
    uint32_t heard_at;
    bool awaits_silence;
    bool locked_by_silence;

    /* Resends. */
    uint32_t cursor;     /* sequence of the event that is sent next; those held before it are in flight */
    uint32_t sent_up_to; /* the highest sequence that was sent in this session */
    uint32_t allowed;
    uint32_t wait;
    uint32_t wait_since;
    uint32_t timed; /* the event whose round trip is measured; 0 for none */
    uint32_t timed_at;
    bool estimated;
    uint32_t smoothed;  /* eighths of a millisecond */
    uint32_t deviation; /* quarters of a millisecond */
};

/* Begin a power-up: find what the last one kept, and store STARTED. False if the settings cannot be used, or if a shoe
 * without `random` could write its count of power-ups nowhere. */
bool shoe_link_start(struct shoe_link *link, const struct shoe_firmware *firmware, uint32_t now);

void shoe_link_receive(struct shoe_link *link, const uint8_t *bytes, size_t size, uint32_t now);

void shoe_link_tick(struct shoe_link *link, uint32_t now);

/* Fetch what goes over the line next; how many bytes that is, at most `room`. Frames are made here, one at a time, when
 * the one before has gone: so ask for no more than your port takes soon. */
size_t shoe_link_send(struct shoe_link *link, uint8_t *bytes, size_t room, uint32_t now);

/* Store an event; it is sent as soon as the controller takes it. False if it found no place: its cards are counted
 * in the total nevertheless, so that their loss shows. */
bool shoe_link_report(struct shoe_link *link, const struct shoe_event *event, uint32_t now);

/* The line was cut and is back (USB): the session is over. A serial line has no such moment and needs no such call. */
void shoe_link_line_is_back(struct shoe_link *link, uint32_t now);

/* How many events the controller has not stored yet. Its desire knows of a card only when none is left. */
uint32_t shoe_link_held(const struct shoe_link *link);

/* True while no card may leave: the event store is full, and says so to the controller. */
bool shoe_link_is_full(const struct shoe_link *link);

/* --- BLAKE2s (blake2s.c) -------------------------------------------------------------------------------------- */

struct blake2s {
    uint32_t chain[8];
    uint32_t taken; /* bytes compressed or about to be */
    uint8_t filled;
    uint8_t block[64];
};

void blake2s_begin(struct blake2s *state, const uint8_t key[SHOE_KEY_BYTES]);
void blake2s_add(struct blake2s *state, const uint8_t *bytes, size_t size);
/* The first `size` bytes, at most 32, of the digest. */
void blake2s_end(struct blake2s *state, uint8_t *digest, size_t size);

#ifdef __cplusplus
}
#endif
#endif
