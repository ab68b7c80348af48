/* What frama-c is asked: can the shoe in C touch memory that is not its own, whatever comes?
 *
 * Each function that is not static calls one part of the kit with everything that it can be called with, or more. Eva follows
 * all of it at once and raises an alarm wherever it cannot exclude a bad access or anything undefined; there must be none.
 */
#include "../../firmware_protocol/c/shoe_link.c"

#include "__fc_builtin.h"

enum { EVENT_PLACES = 9, MARK_PLACES = 2 };

static uint8_t any(uint8_t most) { return (uint8_t)Frama_C_interval(0, most); }

/* Any bytes between two zero bytes, at any length, also one that is too long. */
void unframe_anything(void) {
    uint8_t run[SHOE_LONGEST_RUN];
    Frama_C_make_unknown((char *)run, sizeof run);
    uint8_t size = unframed(run, any(SHOE_LONGEST_RUN + 1));
    //@ assert size <= SHOE_LONGEST_BODY;
}

void frame_anything(void) {
    static struct shoe_link link;
    Frama_C_make_unknown((char *)link.out, sizeof link.out);
    frame(&link, (uint8_t)Frama_C_interval(1, SHOE_LONGEST_BODY));
    //@ assert link.out_size <= SHOE_LONGEST_RUN + 2;
}

/* Every kind with every field; ids may be missing, too long, or anything but text. */
void lay_out_anything(void) {
    char card_id[SHOE_LONGEST_TEXT + 1], deck_set[SHOE_LONGEST_TEXT + 1];
    uint8_t record[SHOE_EVENT_BYTES];
    Frama_C_make_unknown(card_id, sizeof card_id);
    Frama_C_make_unknown(deck_set, sizeof deck_set);
    //@ loop unroll 256;
    for (unsigned int kind = 0; kind < 256; kind++) {
        struct shoe_event event;
        Frama_C_make_unknown((char *)&event, sizeof event);
        event.kind = (uint8_t)kind;
        event.card_id = Frama_C_nondet(0, 1) ? card_id : NULL;
        event.deck_set = Frama_C_nondet(0, 1) ? deck_set : NULL;
        uint8_t size = put_event(record + SAID_AT, &event, Frama_C_unsigned_int_interval(0, UINT32_MAX));
        //@ assert size <= LONGEST_EVENT;
    }
}

/* The longest names that a firmware can have, and any HELLO. */
void challenge_anybody(void) {
    static const char NAME[] = "12345678901234567890123456789012";
    static const struct shoe_firmware FIRMWARE = {.model = NAME, .version = NAME, .serial_number = NAME};
    static struct shoe_link link;
    uint8_t hello[SHOE_LONGEST_BODY];
    Frama_C_make_unknown((char *)hello, sizeof hello);
    link.firmware = &FIRMWARE;
    hear_hello(&link, hello, any(SHOE_LONGEST_BODY));
    //@ assert link.challenge_size <= SHOE_LONGEST_CHALLENGE;
}

/* Numbers and digests of every length that occurs. */
void hash_anything(void) {
    uint8_t bytes[SHOE_LONGEST_BODY], key[SHOE_KEY_BYTES], made[32];
    Frama_C_make_unknown((char *)bytes, sizeof bytes);
    Frama_C_make_unknown((char *)key, sizeof key);
    digest(key, bytes, any(SHOE_LONGEST_BODY), made, any(32));
}

/* What the firmware provides does anything. */
static bool read_anything(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    (void)context;
    //@ assert place < (area == SHOE_EVENTS ? EVENT_PLACES : MARK_PLACES);
    Frama_C_make_unknown((char *)bytes, size);
    return any(1);
}

static bool write_anything(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    (void)context;
    //@ assert place < (area == SHOE_EVENTS ? EVENT_PLACES : MARK_PLACES);
    //@ assert \valid_read(bytes + (0 .. size - 1));
    return any(1);
}

static void follow_anything(void *context, const struct shoe_desire *desire) {
    (void)context;
    //@ assert desire->gate <= 2 && desire->next_hand <= 4 && desire->lamps < 16;
}

static void lock_anything(void *context) { (void)context; }

/* A link in the middle of anything, with a store of the smallest sort. */
static void be_anywhere(struct shoe_link *link, bool in_session) {
    static const uint8_t KEY[SHOE_KEY_BYTES];
    static const struct shoe_firmware FIRMWARE = {.model = "",
                                                  .version = "",
                                                  .serial_number = "",
                                                  .key = KEY,
                                                  .event_places = EVENT_PLACES,
                                                  .events_in_page = 1,
                                                  .mark_places = MARK_PLACES,
                                                  .marks_in_page = 1,
                                                  .read = read_anything,
                                                  .write = write_anything,
                                                  .follow = follow_anything,
                                                  .lock_gate = lock_anything};
    link->firmware = &FIRMWARE;
    link->in_session = in_session;
    link->next = Frama_C_unsigned_int_interval(1, UINT32_MAX);
    link->oldest = Frama_C_unsigned_int_interval(1, UINT32_MAX);
    link->cursor = Frama_C_unsigned_int_interval(0, UINT32_MAX);
    link->logs[SHOE_EVENTS].next_place = any(EVENT_PLACES - 1);
    link->logs[SHOE_MARKS].next_place = any(MARK_PLACES - 1);
    link->kept_from = link->oldest_place = any(EVENT_PLACES - 1);
}

/* Any frame, in a session and without one; a sealed one passes as if its tag were right. */
void hear_anything(void) {
    static struct shoe_link in_session, alone;
    uint8_t body[SHOE_LONGEST_BODY];
    Frama_C_make_unknown((char *)body, sizeof body);
    be_anywhere(&in_session, true);
    hear(&in_session, body, any(SHOE_LONGEST_BODY));
    be_anywhere(&alone, false);
    hear(&alone, body, any(SHOE_LONGEST_BODY));
}

/* Any byte after any others, up to one more than a frame has. */
void receive_anything(void) {
    static struct shoe_link link;
    uint8_t byte = any(UINT8_MAX);
    be_anywhere(&link, false);
    Frama_C_make_unknown((char *)link.in, sizeof link.in);
    link.in_size = any(SHOE_LONGEST_RUN + 1);
    shoe_link_receive(&link, &byte, 1, 0);
    //@ assert link.in_size <= SHOE_LONGEST_RUN + 1;
}

/* Whatever the memory has in the place of the event that is sent next. */
void send_anything(void) {
    static struct shoe_link link;
    be_anywhere(&link, true);
    link.allowed = any(WINDOW);
    send_event(&link);
}

/* Whatever the memory has after a loss of power. */
void remember_anything(void) {
    static struct shoe_link link;
    be_anywhere(&link, false);
    remember(&link);
}
