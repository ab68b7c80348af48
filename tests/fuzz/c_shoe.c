/* Any bytes, and any frames under right checks and tags, into the shoe in C, with losses of power between.
 *
 * An input is a conversation: a byte that says what comes and how much time passes, then as many as it takes. The fuzzer
 * also speaks under the keys of the session, as a controller with broken firmware would. After each step what must hold
 * is looked at; memory out of bounds is what the sanitizer looks for.
 */
#include <stdlib.h>

#include "../../firmware_protocol/c/shoe_link.c"

enum { EVENT_PLACES = 24, EVENTS_IN_PAGE = 6, MARK_PLACES = 8, MARKS_IN_PAGE = 4 };

struct world {
    struct shoe_link link;
    struct shoe_firmware firmware;
    uint8_t events[EVENT_PLACES][SHOE_EVENT_BYTES];
    uint8_t marks[MARK_PLACES][SHOE_MARK_BYTES];
    uint64_t said_counter; /* of frames that the fuzzer sealed */
    uint32_t now;
    uint8_t random;
    unsigned int lasts; /* bytes that are written before the power fails; 0: it does not */
    bool cut;
};

static void must(bool holds_true) {
    if (!holds_true) abort();
}

static uint8_t *place_of(struct world *world, enum shoe_area area, uint16_t place) {
    must(place < (area == SHOE_EVENTS ? EVENT_PLACES : MARK_PLACES));
    return area == SHOE_EVENTS ? world->events[place] : world->marks[place];
}

static size_t place_size(enum shoe_area area) { return area == SHOE_EVENTS ? SHOE_EVENT_BYTES : SHOE_MARK_BYTES; }

static bool read_place(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    must(size <= place_size(area));
    copy(bytes, place_of(context, area, place), size);
    return true;
}

static bool powered(struct world *world) {
    if (world->lasts != 0 && --world->lasts == 0) world->cut = true;
    return !world->cut;
}

static bool write_place(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    struct world *world = context;
    uint8_t *at = place_of(world, area, place);
    must(size <= place_size(area));
    for (size_t i = 0; i < size; i++) {
        if (!powered(world)) return false;
        must(at[i] == 0xFF);
        at[i] = bytes[i];
    }
    return true;
}

static void fill(uint8_t *at, size_t size) {
    for (size_t i = 0; i < size; i++) at[i] = 0xFF;
}

static bool erase_page(void *context, enum shoe_area area, uint16_t place) {
    struct world *world = context;
    uint16_t pages = area == SHOE_EVENTS ? EVENTS_IN_PAGE : MARKS_IN_PAGE;
    must(place % pages == 0);
    for (uint16_t i = 0; i < pages; i++) {
        uint8_t *at = place_of(world, area, (uint16_t)(place + i));
        if (!powered(world)) return false;
        fill(at, place_size(area));
    }
    return true;
}

static void random_bytes(void *context, uint8_t *bytes, size_t size) {
    struct world *world = context;
    world->random++;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(world->random + i);
}

static void follow(void *context, const struct shoe_desire *desire) {
    (void)context;
    must(desire->gate <= 2 && desire->next_hand <= 4 && desire->lamps < 16);
}

static void lock_gate(void *context) { (void)context; }

static void power_up(struct world *world) {
    world->cut = false;
    world->lasts = 0;
    must(shoe_link_start(&world->link, &world->firmware, world->now));
}

/* Everything that the shoe says is frames. */
static void listen(struct world *world) {
    uint8_t said[64], run[SHOE_LONGEST_RUN];
    size_t size, held = 0;
    unsigned int frames = 0;
    while ((size = shoe_link_send(&world->link, said, sizeof said, world->now)) != 0)
        for (size_t i = 0; i < size; i++) {
            if (said[i] != 0) {
                must(held < sizeof run);
                run[held++] = said[i];
            } else if (held != 0) {
                must(unframed(run, (uint8_t)held) != 0 && run[1] & FROM_SHOE);
                held = 0;
                must(++frames <= WINDOW + EVENT_PLACES + 4);
            }
        }
    must(held == 0);
}

static void say(struct world *world, const uint8_t *body, uint8_t size) {
    struct shoe_link writer = {0};
    copy(writer.out + 2, body, size);
    frame(&writer, size);
    shoe_link_receive(&world->link, writer.out, writer.out_size, world->now);
}

static void say_sealed(struct world *world, const uint8_t *said, uint8_t size) {
    uint8_t body[SHOE_LONGEST_BODY];
    body[0] = said[0];
    put(body + 1, ++world->said_counter, 8);
    copy(body + SEALED_HEADER, said + 1, size - 1U);
    uint8_t end = (uint8_t)(SEALED_HEADER + size - 1);
    digest(world->link.key_to_shoe, body, end, body + end, FRAME_TAG_BYTES);
    say(world, body, (uint8_t)(end + FRAME_TAG_BYTES));
}

static void shake_hands(struct world *world, struct shoe_event_name stored) {
    uint8_t hello[HELLO_BYTES] = {HELLO, VERSION, VERSION, INSECURE, ++world->random};
    uint8_t proof[PROOF_BYTES + TAG_BYTES] = {PROOF};
    world->now += 200;
    say(world, hello, sizeof hello);
    if (world->link.challenge_size == 0) return;
    copy(proof + 1, world->link.challenge + NONCE_AT, NONCE_BYTES);
    put(put(proof + 17, stored.boot_id, 4), stored.sequence, 4);
    sign(&world->link, "CTRL-TAG", proof, PROOF_BYTES, proof + PROOF_BYTES, TAG_BYTES);
    say(world, proof, sizeof proof);
    must(world->link.in_session);
    world->said_counter = 0;
}

static void report(struct world *world, const uint8_t *said, uint8_t size) {
    char text[64];
    struct shoe_event event = {.kind = said[0] & 0x1F, .card_id = text, .deck_set = "SET"};
    if (said[0] & 0x20) event.kind = SHOE_CARD_DRAWN;
    uint8_t used = size > 40 ? 40 : size;
    for (uint8_t i = 0; i < used; i++) text[i] = (char)said[i];
    text[used] = 0;
    event.flags = event.cards = event.hand = said[size - 1];
    shoe_link_report(&world->link, &event, world->now);
}

static void check(const struct world *world, uint32_t next, uint32_t total) {
    const struct shoe_link *link = &world->link;
    must(link->oldest <= link->next);
    must(!link->in_session || (link->oldest <= link->cursor && link->cursor <= link->next));
    must(shoe_link_held(link) <= EVENT_PLACES - EVENTS_IN_PAGE);
    must(link->next >= next && link->total >= total);
    must(link->allowed <= WINDOW && link->wait <= LONGEST_WAIT);
}

/* After a loss of power all is there that had been stored: no number comes again, no card is forgotten. */
static void lose_power(struct world *world) {
    const struct shoe_link before = world->link;
    world->now += 5;
    power_up(world);
    must(world->link.next >= before.next && world->link.total >= before.total);
    must(world->link.oldest <= before.oldest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct world world;
    world = (struct world){0};
    for (uint16_t place = 0; place < EVENT_PLACES; place++) fill(world.events[place], SHOE_EVENT_BYTES);
    for (uint16_t place = 0; place < MARK_PLACES; place++) fill(world.marks[place], SHOE_MARK_BYTES);
    world.firmware = (struct shoe_firmware){.model = "fuzz",
                                            .version = "1",
                                            .serial_number = "1",
                                            .silence = 3000,
                                            .event_places = EVENT_PLACES,
                                            .events_in_page = EVENTS_IN_PAGE,
                                            .mark_places = MARK_PLACES,
                                            .marks_in_page = MARKS_IN_PAGE,
                                            .acknowledged_without_mark = (uint16_t)(size % 7),
                                            .context = &world,
                                            .read = read_place,
                                            .write = write_place,
                                            .erase = erase_page,
                                            .random = size % 2 ? random_bytes : NULL,
                                            .follow = follow,
                                            .lock_gate = lock_gate};
    power_up(&world);
    shake_hands(&world, (struct shoe_event_name){0, 0});
    while (size >= 2) {
        uint8_t kind = *data++;
        uint8_t piece = (uint8_t)(1 + *data % (size - 1 > 40 ? 40 : size - 1));
        uint32_t next = world.link.next, total = world.link.total;
        struct shoe_event_name newest = {world.link.boot_id, world.link.next - 1U - (kind >> 6)};
        uint8_t ack[9] = {ACK};
        world.now += (uint32_t)(kind >> 4) * (kind >> 4) * 10;
        size -= 1U + piece;
        switch (kind & 15) {
            case 0: case 1: shoe_link_receive(&world.link, data, piece, world.now); break;
            case 2: say(&world, data, piece); break;
            case 3: case 4: case 5: say_sealed(&world, data, piece); break;
            case 6: case 7: case 8: report(&world, data, piece); break;
            case 9: case 10:
                put(put(ack + 1, newest.boot_id, 4), newest.sequence, 4);
                say_sealed(&world, ack, sizeof ack);
                break;
            case 11: shake_hands(&world, newest); break;
            case 12: lose_power(&world); break;
            case 13: world.lasts = 1U + data[0]; break;
            case 14: shoe_link_line_is_back(&world.link, world.now); break;
            default: shoe_link_tick(&world.link, world.now); break;
        }
        /* What was being written when the power failed may be lost; the shoe that was writing it says no more. */
        if (world.cut) {
            power_up(&world);
            next = total = 0;
        }
        shoe_link_tick(&world.link, world.now);
        if ((kind & 15) != 2) listen(&world);
        check(&world, next, total);
        data += piece;
    }
    return 0;
}
