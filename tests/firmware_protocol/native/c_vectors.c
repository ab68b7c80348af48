/* The kit against vectors.h, in C alone, as the test of a firmware would do it. Prints what failed; exit code 0 if nothing. */
#include <stdio.h>
#include <string.h>

#include "../../../firmware_protocol/c/shoe_link.c"
#include "../../../firmware_protocol/c/vectors.h"

enum { MOST_PLACES = 1025, MARKS = 8, MOST_SAID = 16384 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct {
    uint8_t events[MOST_PLACES][SHOE_EVENT_BYTES];
    uint8_t marks[MARKS][SHOE_MARK_BYTES];
    const struct shoe_vector_talk *talk;
    size_t nonces;
    uint8_t said[MOST_SAID];
    size_t said_size;
} desk;

static int failures;

static void check(bool holds, const char *what, size_t number) {
    if (holds) return;
    printf("%s: %zu\n", what, number);
    failures++;
}

static bool equal(struct shoe_vector_bytes wanted, const uint8_t *found, size_t size) {
    return size == wanted.size && memcmp(found, wanted.bytes, size) == 0;
}

static uint8_t *place_of(enum shoe_area area, uint16_t place) {
    return area == SHOE_EVENTS ? desk.events[place] : desk.marks[place];
}

static bool read_place(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    (void)context;
    memcpy(bytes, place_of(area, place), size);
    return true;
}

static bool write_place(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    (void)context;
    memcpy(place_of(area, place), bytes, size);
    return true;
}

static void draw_random(void *context, uint8_t *bytes, size_t size) {
    (void)context;
    if (size == 4) put(bytes, desk.talk->boot_id, 4);
    else memcpy(bytes, desk.talk->nonces[desk.nonces++], size);
}

static void follow(void *context, const struct shoe_desire *desire) { (void)context, (void)desire; }
static void lock(void *context) { (void)context; }

/* The memory as the kit would have left it. */
static void lay_down(const struct shoe_vector_talk *talk) {
    memset(desk.events, 0xFF, sizeof desk.events);
    memset(desk.marks, 0xFF, sizeof desk.marks);
    for (size_t i = 0; i < talk->held_size; i++) {
        const struct shoe_vector_event *event = &talk->held[i];
        uint8_t *record = desk.events[i];
        memset(record, 0, SHOE_EVENT_BYTES);
        put(record, event->sequence, 4);
        put(record + BOOT_AT, event->boot_id, 4);
        record[LENGTH_AT] = (uint8_t)event->said.size;
        memcpy(record + SAID_AT, event->said.bytes, event->said.size);
        put(record + SAID_AT + event->said.size, crc(record, SAID_AT + event->said.size), 2);
    }
    uint8_t *mark = desk.marks[0];
    put(mark, 1, 4);
    put(mark + ACKNOWLEDGED_AT, talk->acknowledged_boot_id, 4);
    put(mark + ACKNOWLEDGED_AT + 4, talk->acknowledged, 4);
    put(mark + NEXT_AT, talk->next, 4);
    put(mark + MARK_TOTAL_AT, talk->total, 4);
    put(mark + POWER_UPS_AT, 0, 4);
    mark[FLAGS_AT] = 0;
    put(mark + MARK_SIZE, crc(mark, MARK_SIZE), 2);
}

static void happens(struct shoe_link *link, const struct shoe_vector_step *step) {
    const uint8_t *said = (const uint8_t *)step->bytes.bytes;
    struct shoe_event event = {.kind = said[0]};
    if (event.kind == SHOE_STARTED) return; /* which the link reports by itself */
    if (event.kind == SHOE_CARD_DRAWN || event.kind == SHOE_MISREAD) {
        event.hand = said[5];
        event.position = said[6];
    }
    if (event.kind == SHOE_CARD_DRAWN) {
        event.card = said[7];
        event.burns_left = said[8];
        event.flags = said[9];
    }
    shoe_link_report(link, &event, step->t);
}

static void try_talk(const struct shoe_vector_talk *talk) {
    static struct shoe_link link;
    struct shoe_firmware firmware = {.model = SHOE_VECTOR_MODEL,
                                     .version = SHOE_VECTOR_FIRMWARE,
                                     .serial_number = SHOE_VECTOR_SERIAL_NUMBER,
                                     .key = (const uint8_t *)talk->key,
                                     .capabilities = SHOE_VECTOR_CAPABILITIES,
                                     .cause = SHOE_WATCHDOG,
                                     .silence = 3000,
                                     .event_places = (uint16_t)(talk->places + 1),
                                     .events_in_page = 1,
                                     .mark_places = MARKS,
                                     .marks_in_page = 1,
                                     .read = read_place,
                                     .write = write_place,
                                     .random = draw_random,
                                     .follow = follow,
                                     .lock_gate = lock};
    desk.talk = talk;
    desk.nonces = desk.said_size = 0;
    lay_down(talk);
    check(shoe_link_start(&link, &firmware, 0), talk->why, 0);
    for (size_t i = 0; i < talk->steps_size; i++) {
        const struct shoe_vector_step *step = &talk->steps[i];
        shoe_link_tick(&link, step->t);
        if (step->what == 'C')
            shoe_link_receive(&link, (const uint8_t *)step->bytes.bytes, step->bytes.size, step->t);
        if (step->what == 'H') happens(&link, step);
        else desk.said_size += shoe_link_send(&link, desk.said + desk.said_size, MOST_SAID - desk.said_size, step->t);
    }
    size_t at = 0;
    for (size_t i = 0; i < talk->steps_size; i++) {
        if (talk->steps[i].what != 'S') continue;
        size_t from = at;
        while (from < desk.said_size && desk.said[from] == 0) from++;
        for (at = from; at < desk.said_size && desk.said[at] != 0;) at++;
        at += at < desk.said_size;
        check(equal(talk->steps[i].bytes, desk.said + from, at - from), talk->why, i);
    }
    check(at == desk.said_size, "more was sent", at);
}

static void try_framing(void) {
    for (size_t i = 0; i < COUNT(shoe_vector_framing); i++) {
        static struct shoe_link link;
        const struct shoe_vector_pair *pair = &shoe_vector_framing[i];
        memcpy(link.out + 2, pair->one.bytes, pair->one.size);
        frame(&link, (uint8_t)pair->one.size);
        check(equal(pair->other, link.out + 1, link.out_size - 1U), "framing", i);
    }
    for (size_t i = 0; i < COUNT(shoe_vector_bad_framing); i++) {
        uint8_t run[256];
        memcpy(run, shoe_vector_bad_framing[i].one.bytes, shoe_vector_bad_framing[i].one.size);
        check(unframed(run, (uint8_t)shoe_vector_bad_framing[i].one.size) == 0, "bad framing", i);
    }
}

static void try_keys(void) {
    const struct { const char *label; size_t made, more, size; } formulas[] = {
        {"SHOE-TAG", 3, 0, 16}, {"CTRL-TAG", 4, 2, 16}, {"SHOE-KEY", 5, 0, 32}, {"CTRL-KEY", 6, 0, 32}};
    for (size_t i = 0; i < COUNT(formulas); i++) {
        const struct shoe_vector_bytes *challenge = &shoe_vector_keys[1].one, *more = &shoe_vector_keys[formulas[i].more].one;
        struct blake2s hash;
        uint8_t made[32];
        blake2s_begin(&hash, (const uint8_t *)shoe_vector_keys[0].one.bytes);
        add_text(&hash, formulas[i].label);
        blake2s_add(&hash, (const uint8_t *)challenge->bytes, challenge->size);
        if (formulas[i].more != 0) blake2s_add(&hash, (const uint8_t *)more->bytes, more->size);
        blake2s_end(&hash, made, formulas[i].size);
        check(equal(shoe_vector_keys[formulas[i].made].one, made, formulas[i].size), formulas[i].label, i);
    }
}

int main(void) {
    try_framing();
    try_keys();
    for (size_t i = 0; i < COUNT(shoe_vector_talks); i++) try_talk(&shoe_vector_talks[i]);
    printf("%zu talks, %d failures\n", COUNT(shoe_vector_talks), failures);
    return failures != 0;
}
