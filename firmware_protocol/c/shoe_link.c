/* The shoe's side of the native protocol. shoe_link.h says how to use it, ../native/PROTOCOL.md what it does.
 *
 * From bottom to top: numbers in bytes, framing, the event store, keys and tags, what goes out, what comes in.
 */
#include "shoe_link.h"

enum { HELLO = 0x01, PROOF = 0x02, ACK = 0x10, NAK = 0x11, DESIRE = 0x12, CLOCK = 0x13, IDENTIFY = 0x14 };
enum { AWAKE = 0x81, CHALLENGE = 0x82, REJECT = 0x83, EVENT = 0x90, STATUS = 0x91 };
enum { FROM_SHOE = 0x80, SEALED = 0x70 };
enum { VERSION = 1, INSECURE = 0x01 };
enum { NO_COMMON_VERSION = 1, SHOE_HAS_A_KEY = 2, SHOE_HAS_NO_KEY = 3 };
enum { RECOGNISED = 0x01, LOCKED_BY_SILENCE = 0x02, STORE_FULL = 0x04 };
enum { NONCE_BYTES = 16, TAG_BYTES = 16, FRAME_TAG_BYTES = 8 };
enum { HELLO_BYTES = 20, PROOF_BYTES = 25, SEALED_HEADER = 9, EVENT_HEADER = 12 };
/* Where a CHALLENGE has the fields of its HELLO, and its own nonce. */
enum { ASKED_AT = 4, ASKED_BYTES = 19, NONCE_AT = 23 };

/* So many places are tried in turn for one record. */
enum { WINDOW = 32, SMALLEST_STORE = 8, MOST_TRIES = 8 };
/* Milliseconds. */
enum { KEEP_ALIVE = 500, ANSWER_EVERY = 100, AWAKE_EVERY = 1000, PAUSE = 10 };
enum { FIRST_WAIT = 250, SHORTEST_WAIT = 50, LONGEST_WAIT = 2000 };

/* What is to be sent beside events, in this order. */
enum { DUE_AWAKE = 1, DUE_REJECT = 2, DUE_CHALLENGE = 4, DUE_STATUS = 8 };

/* --- Numbers in bytes ----------------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint64_t number, unsigned int size) {
    for (unsigned int i = size; i-- > 0; number >>= 8) at[i] = (uint8_t)number;
    return at + size;
}

static uint64_t get(const uint8_t *at, unsigned int size) {
    uint64_t number = 0;
    for (unsigned int i = 0; i < size; i++) number = number << 8 | at[i];
    return number;
}

static uint32_t get32(const uint8_t *at) { return (uint32_t)get(at, 4); }

static uint8_t *copy(uint8_t *to, const uint8_t *from, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = from[i];
    return to + size;
}

/* Looks at every byte, whatever it finds: how long it takes says nothing about a tag. */
static bool same(const uint8_t *one, const uint8_t *other, size_t size) {
    uint8_t different = 0;
    for (size_t i = 0; i < size; i++) different |= one[i] ^ other[i];
    return different == 0;
}

/* How long a text is; more than SHOE_LONGEST_TEXT if it cannot be sent. */
static uint8_t text_size(const char *text) {
    uint8_t size = 0;
    if (text == NULL) return 0;
    while (text[size] != 0) {
        if (size == SHOE_LONGEST_TEXT || text[size] < 0x20 || text[size] > 0x7E) return SHOE_LONGEST_TEXT + 1;
        size++;
    }
    return size;
}

static uint8_t *put_text(uint8_t *at, const char *text) {
    uint8_t size = text_size(text);
    if (size > SHOE_LONGEST_TEXT) size = 0;
    *at++ = size;
    for (uint8_t i = 0; i < size; i++) *at++ = (uint8_t)text[i];
    return at;
}

/* --- Framing (section 1) -------------------------------------------------------------------------------------- */

static uint16_t crc(const uint8_t *bytes, size_t size) {
    uint16_t sum = 0xFFFF;
    for (size_t i = 0; i < size; i++) {
        sum = (uint16_t)(sum ^ (unsigned int)bytes[i] << 8);
        for (unsigned int bit = 0; bit < 8; bit++) sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

/* Body and crc out of the bytes between two zero bytes, in place; the size of the body, 0 if they are no frame. */
static uint8_t unframed(uint8_t *run, uint8_t size) {
    unsigned int at = 0;
    if (size > SHOE_LONGEST_RUN) return 0;
    while (at < size) {
        uint8_t step = run[at];
        run[at] = 0;
        at += step;
    }
    if (at != size || size < 4 || crc(run + 1, size - 1U) != 0) return 0;
    return (uint8_t)(size - 3);
}

/* The body lies two bytes into `out`; put its frame around it. */
static void frame(struct shoe_link *link, uint8_t body_size) {
    uint8_t *run = link->out + 1;
    uint32_t now = (uint32_t)link->uptime;
    put(run + 1 + body_size, crc(run + 1, body_size), 2);
    uint8_t end = (uint8_t)(body_size + 3), zero = 0;
    for (uint8_t at = 1; at < end; at++)
        if (run[at] == 0) {
            run[zero] = (uint8_t)(at - zero);
            zero = at;
        }
    run[zero] = (uint8_t)(end - zero);
    run[end] = 0;
    /* After a pause a zero byte goes first, so that noise on the idle line spoils no frame. */
    link->out[0] = 0;
    link->out_at = now - link->framed_at < PAUSE && link->out_size != 0;
    link->out_size = (uint8_t)(end + 2);
    link->framed_at = now;
}

/* --- The event store (section 6) ------------------------------------------------------------------------------ */

/* An event in its place: number (the sequence), boot id, total after it, when it happened, length, kind and payload, crc. */
enum { BOOT_AT = 4, TOTAL_AT = 8, HAPPENED_AT = 12, LENGTH_AT = 17, SAID_AT = 18, LONGEST_EVENT = 76 };
/* A mark: number, event acknowledged (boot id, sequence), next sequence, total, power-ups, flags, crc. */
enum { ACKNOWLEDGED_AT = 4, NEXT_AT = 12, MARK_TOTAL_AT = 16, POWER_UPS_AT = 20, FLAGS_AT = 24, MARK_SIZE = 25 };

static uint16_t places(const struct shoe_link *link, enum shoe_area area) {
    return area == SHOE_EVENTS ? link->firmware->event_places : link->firmware->mark_places;
}

static uint16_t in_page(const struct shoe_link *link, enum shoe_area area) {
    return area == SHOE_EVENTS ? link->firmware->events_in_page : link->firmware->marks_in_page;
}

/* Places from one to another, going forward. */
static uint16_t places_between(const struct shoe_link *link, uint16_t from, uint16_t to) {
    return (uint16_t)(to >= from ? to - from : to + places(link, SHOE_EVENTS) - from);
}

static uint16_t place_before(const struct shoe_link *link, enum shoe_area area, uint16_t place) {
    return (uint16_t)((place == 0 ? places(link, area) : place) - 1);
}

static uint16_t place_after(const struct shoe_link *link, enum shoe_area area, uint16_t place) {
    return (uint16_t)(place + 1 == places(link, area) ? 0 : place + 1);
}

/* The first place of the page behind the one of this place. */
static uint16_t page_after(const struct shoe_link *link, enum shoe_area area, uint16_t place) {
    return place_after(link, area, (uint16_t)(place - place % in_page(link, area) + in_page(link, area) - 1));
}

/* The number of the record in a place; 0 if there is none, or none that was written to its end. */
static uint32_t read_record(struct shoe_link *link, enum shoe_area area, uint16_t place, uint8_t *record) {
    size_t size = MARK_SIZE + 2;
    if (!link->firmware->read(link->firmware->context, area, place, record,
                              area == SHOE_EVENTS ? SHOE_EVENT_BYTES : SHOE_MARK_BYTES))
        return 0;
    if (area == SHOE_EVENTS) {
        if (record[LENGTH_AT] == 0 || record[LENGTH_AT] > LONGEST_EVENT) return 0;
        size = SAID_AT + (size_t)record[LENGTH_AT] + 2;
    }
    return crc(record, size) == 0 ? get32(record) : 0;
}

/* Put the next record of an area into its place. A place that fails is left behind, and so is a page that cannot be erased. */
static bool write_record(struct shoe_link *link, enum shoe_area area, uint8_t *record, uint32_t number, size_t size) {
    const struct shoe_firmware *firmware = link->firmware;
    struct shoe_log *log = &link->logs[area];
    uint16_t place = log->next_place;
    put(record, number, 4);
    put(record + size, crc(record, size), 2);
    if (firmware->erase != NULL && place % in_page(link, area) == 0 && !firmware->erase(firmware->context, area, place)) {
        log->next_place = page_after(link, area, place);
        return false;
    }
    log->next_place = place_after(link, area, place);
    if (!firmware->write(firmware->context, area, place, record, size + 2)) return false;
    log->newest = number;
    log->newest_place = place;
    return true;
}

/* After a loss of power: the newest record of an area, into `newest`, and the place behind it. */
static void find_end(struct shoe_link *link, enum shoe_area area, uint8_t *newest) {
    struct shoe_log *log = &link->logs[area];
    uint8_t record[SHOE_EVENT_BYTES];
    log->newest = 0;
    log->next_place = 0;
    for (uint16_t place = 0; place < places(link, area); place++) {
        uint32_t number = read_record(link, area, place, record);
        /* A number is twice there if memory has kept what it said it could not: then the one written later counts, which
         * is a few places behind the other. */
        if (number == 0 || number < log->newest ||
            (number == log->newest && place - log->newest_place > places(link, area) / 2))
            continue;
        log->newest = number;
        log->newest_place = place;
        log->next_place = place_after(link, area, place);
        copy(newest, record, area == SHOE_EVENTS ? SAID_AT : MARK_SIZE);
    }
    /* What a loss of power has begun to write cannot be written over before its page is erased. */
    while (log->next_place % in_page(link, area) != 0) {
        size_t i = 0, size = area == SHOE_EVENTS ? SHOE_EVENT_BYTES : SHOE_MARK_BYTES;
        link->firmware->read(link->firmware->context, area, log->next_place, record, size);
        while (i < size && record[i] == 0xFF) i++;
        if (i == size) break;
        log->next_place = place_after(link, area, log->next_place);
    }
}

/* An event that is held, and its place; false if the memory has lost it. Places that failed are stepped over. */
static bool find_event(struct shoe_link *link, uint32_t sequence, uint8_t *record, uint16_t *place) {
    uint16_t number_of_places = places(link, SHOE_EVENTS), back = (uint16_t)(link->next - sequence);
    uint16_t at = link->logs[SHOE_EVENTS].next_place;
    if (link->next - sequence > number_of_places) return false;
    at = (uint16_t)(at >= back ? at - back : at + number_of_places - back);
    for (uint16_t step = 0; step < number_of_places; step++) {
        if (read_record(link, SHOE_EVENTS, at, record) == sequence) {
            *place = at;
            return true;
        }
        at = place_before(link, SHOE_EVENTS, at);
    }
    return false;
}

/* Write down what no event says: what was acknowledged, and cards that found no place. */
static bool mark(struct shoe_link *link) {
    uint8_t record[SHOE_MARK_BYTES];
    uint8_t *at = record + ACKNOWLEDGED_AT;
    at = put(at, link->acknowledged.boot_id, 4);
    at = put(at, link->acknowledged.sequence, 4);
    at = put(at, link->next, 4);
    at = put(at, link->total, 4);
    at = put(at, link->power_ups, 4);
    *at = link->full;
    for (unsigned int tries = 0; tries < MOST_TRIES; tries++) {
        struct shoe_log *log = &link->logs[SHOE_MARKS];
        /* The newest mark stays until there is a newer one: nothing else has what it says. */
        if (log->newest != 0 && log->next_place % in_page(link, SHOE_MARKS) == 0 &&
            page_after(link, SHOE_MARKS, log->newest_place) == page_after(link, SHOE_MARKS, log->next_place))
            log->next_place = page_after(link, SHOE_MARKS, log->next_place);
        if (!write_record(link, SHOE_MARKS, record, log->newest + 1, MARK_SIZE)) continue;
        link->marked = link->acknowledged.sequence;
        /* Places that failed while nothing was held are free again. */
        if (link->oldest == link->next) link->oldest_place = link->logs[SHOE_EVENTS].next_place;
        link->kept_from = link->oldest_place;
        return true;
    }
    return false;
}

/* Events that can be held. One page stays free, so that erasing it never takes one that is held. */
static uint16_t capacity(const struct shoe_link *link) {
    return (uint16_t)(places(link, SHOE_EVENTS) - in_page(link, SHOE_EVENTS));
}

/* Events that still find a place. What a loss of power would bring back is not overwritten. */
static uint16_t room(const struct shoe_link *link) {
    uint16_t used = places_between(link, link->kept_from, link->logs[SHOE_EVENTS].next_place);
    return (uint16_t)(used < capacity(link) ? capacity(link) - used : 0);
}

/* `record` has kind and payload; the rest is filled in here. */
static bool keep(struct shoe_link *link, uint8_t *record, uint8_t size) {
    put(record + BOOT_AT, link->boot_id, 4);
    put(record + TOTAL_AT, link->total, 4);
    put(record + HAPPENED_AT, link->uptime, 5);
    record[LENGTH_AT] = size;
    if (room(link) == 0 || !write_record(link, SHOE_EVENTS, record, link->next, SAID_AT + (size_t)size)) return false;
    link->next++;
    return true;
}

static bool keep_store_fault(struct shoe_link *link, uint8_t *record, uint8_t kind, uint8_t flags) {
    uint8_t *at = record + SAID_AT;
    *at++ = kind;
    *at++ = SHOE_EVENT_STORE_FULL;
    *at++ = flags;
    put(at, 0, 4);
    return keep(link, record, 7);
}

/* A full store that is half empty is full no more, which is an event. False if there is nothing to clear. */
static bool clear_full(struct shoe_link *link) {
    uint8_t record[SHOE_EVENT_BYTES];
    if (!link->full || link->next - link->oldest > capacity(link) / 2U) return false;
    mark(link);
    link->full = !keep_store_fault(link, record, SHOE_FAULT_CLEARED, 0);
    mark(link);
    return true;
}

/* Let go of all events up to one that the controller has stored. False if it is not held: nothing changes. */
static bool acknowledge(struct shoe_link *link, struct shoe_event_name event) {
    uint8_t record[SHOE_EVENT_BYTES];
    uint16_t place;
    if (event.sequence < link->oldest || event.sequence >= link->next ||
        !find_event(link, event.sequence, record, &place) || get32(record + BOOT_AT) != event.boot_id)
        return false;
    link->acknowledged = event;
    link->oldest = event.sequence + 1;
    link->oldest_place = place_after(link, SHOE_EVENTS, place);
    if (!clear_full(link) && link->acknowledged.sequence - link->marked > link->firmware->acknowledged_without_mark)
        mark(link);
    return true;
}

/* After a loss of power: the events that were not acknowledged, as far back as the memory has them. */
static void remember(struct shoe_link *link) {
    uint8_t record[SHOE_EVENT_BYTES] = {0}, marked[SHOE_MARK_BYTES] = {0};
    uint16_t place;
    find_end(link, SHOE_EVENTS, record);
    find_end(link, SHOE_MARKS, marked);
    link->acknowledged.boot_id = get32(marked + ACKNOWLEDGED_AT);
    link->acknowledged.sequence = link->marked = get32(marked + ACKNOWLEDGED_AT + 4);
    link->power_ups = get32(marked + POWER_UPS_AT);
    link->next = get32(marked + NEXT_AT);
    link->total = get32(marked + MARK_TOTAL_AT);
    if (link->next <= link->logs[SHOE_EVENTS].newest) link->next = link->logs[SHOE_EVENTS].newest + 1;
    if (link->next == 0) link->next = 1;
    if (link->total < get32(record + TOTAL_AT)) link->total = get32(record + TOTAL_AT);
    link->oldest = link->next;
    link->oldest_place = link->logs[SHOE_EVENTS].next_place;
    while (link->oldest - 1 > link->marked && find_event(link, link->oldest - 1, record, &place)) {
        link->oldest--;
        link->oldest_place = place;
    }
    link->kept_from = link->oldest_place;
    link->full = marked[FLAGS_AT] != 0 || room(link) == 0;
}

/* What an event of each kind consists of (section 7): after the kind, a letter for each field. */
static const char LAYOUTS[] =
    "\x01" "c"
    "\x02"
    "\x03" "hpkid"
    "\x04" "cf"
    "\x05"
    "\x06" "n"
    "\x07" "ki"
    "\x08" "c"
    "\x09" "c"
    "\x0A" "c"
    "\x0B" "cfx"
    "\x0C" "cfx"
    "\x0D"
    "\x0E" "vgl"
    "\x10" "thpkbfid"
    "\x11" "tn"
    "\x12" "thp"
    "\x13" "thpkid";
enum { FIRST_LETTER = 0x20 };

/* Kind and payload; their size, 0 for a kind that does not exist. */
static uint8_t put_event(uint8_t *said, const struct shoe_event *event, uint32_t total) {
    const char *layout = LAYOUTS;
    uint8_t *at = said;
    if (event->kind >= FIRST_LETTER) return 0;
    while (*layout != 0 && *layout != event->kind) layout++;
    if (*layout == 0) return 0;
    *at++ = event->kind;
    while (*++layout >= FIRST_LETTER) switch (*layout) {
            case 't': at = put(at, total, 4); break;
            case 'h': *at++ = event->hand; break;
            case 'p': *at++ = event->position; break;
            case 'k': *at++ = event->card; break;
            case 'b': *at++ = event->burns_left; break;
            case 'f': *at++ = event->flags; break;
            case 'n': *at++ = event->cards; break;
            case 'c': *at++ = event->code; break;
            case 'x': at = put(at, event->detail, 4); break;
            case 'v': at = put(at, event->millivolts, 2); break;
            case 'g': at = put(at, (uint16_t)event->celsius, 2); break;
            case 'l': at = put(at, event->cards_since_load, 2); break;
            case 'i': at = put_text(at, event->card_id); break;
            default: at = put_text(at, event->deck_set); break;
        }
    return (uint8_t)(at - said);
}

static uint8_t cards_leaving(const struct shoe_event *event) {
    if (event->kind == SHOE_DOUBLE_FEED) return event->cards;
    if (event->kind == SHOE_CARD_DRAWN) return (event->flags & SHOE_CARRIED_OVER) == 0;
    return event->kind == SHOE_MISREAD || event->kind == SHOE_FOREIGN_CARD;
}

static bool happen(struct shoe_link *link, const struct shoe_event *event) {
    uint8_t record[SHOE_EVENT_BYTES];
    uint8_t cards = cards_leaving(event);
    uint8_t size = put_event(record + SAID_AT, event, link->total + cards);
    if (size == 0) return false;
    if (room(link) < 2 && (link->marked != link->acknowledged.sequence || link->oldest == link->next)) mark(link);
    link->total += cards;
    if (!link->full && room(link) < 2) {
        link->full = true;
        keep_store_fault(link, record, SHOE_FAULT, SHOE_STOPPED);
    } else if (!link->full) {
        /* The last place is for the fault, also where one before it fails. */
        for (unsigned int tries = 0; tries < MOST_TRIES && room(link) >= 2; tries++)
            if (keep(link, record, size)) return true;
    }
    mark(link);
    return false;
}

/* --- Keys and tags (sections 3 and 4) ------------------------------------------------------------------------- */

static const uint8_t NO_KEY[SHOE_KEY_BYTES];

static const uint8_t *key_of(const struct shoe_link *link) {
    return link->firmware->key != NULL ? link->firmware->key : NO_KEY;
}

static void add_text(struct blake2s *hash, const char *text) {
    for (; *text != 0; text++) {
        uint8_t byte = (uint8_t)*text;
        blake2s_add(hash, &byte, 1);
    }
}

/* The digest of a label, the CHALLENGE and what follows it. */
static void sign(const struct shoe_link *link, const char *label, const uint8_t *more, size_t more_size, uint8_t *digest,
                 size_t size) {
    struct blake2s hash;
    blake2s_begin(&hash, key_of(link));
    add_text(&hash, label);
    blake2s_add(&hash, link->challenge, link->challenge_size);
    blake2s_add(&hash, more, more_size);
    blake2s_end(&hash, digest, size);
}

static void digest(const uint8_t *key, const uint8_t *bytes, size_t bytes_size, uint8_t *to, size_t size) {
    struct blake2s hash;
    blake2s_begin(&hash, key);
    blake2s_add(&hash, bytes, bytes_size);
    blake2s_end(&hash, to, size);
}

/* A shoe without a random source has its count of power-ups. */
static void make_boot_id(struct shoe_link *link) {
    const struct shoe_firmware *firmware = link->firmware;
    uint8_t bytes[4];
    if (firmware->random != NULL) {
        firmware->random(firmware->context, bytes, 4);
    } else {
        struct blake2s hash;
        blake2s_begin(&hash, key_of(link));
        add_text(&hash, "boot");
        add_text(&hash, firmware->serial_number);
        put(bytes, link->power_ups, 4);
        blake2s_add(&hash, bytes, 4);
        blake2s_end(&hash, bytes, 4);
    }
    link->boot_id = get32(bytes);
    if (link->boot_id == 0) link->boot_id = 1;
}

static void make_nonce(struct shoe_link *link, uint8_t *nonce) {
    const struct shoe_firmware *firmware = link->firmware;
    if (firmware->random != NULL) {
        firmware->random(firmware->context, nonce, NONCE_BYTES);
    } else {
        uint8_t named[13] = {'n', 'o', 'n', 'c', 'e'};
        put(put(named + 5, link->power_ups, 4), link->nonces++, 4);
        digest(key_of(link), named, sizeof named, nonce, NONCE_BYTES);
    }
}

/* --- What goes out -------------------------------------------------------------------------------------------- */

static uint32_t since(const struct shoe_link *link, uint32_t moment) { return (uint32_t)link->uptime - moment; }

/* The payload lies behind where the header goes; seal and frame it. */
static void send_sealed(struct shoe_link *link, uint8_t type, const uint8_t *end) {
    uint8_t *body = link->out + 2;
    size_t size = (size_t)(end - body);
    body[0] = type;
    put(body + 1, ++link->sent_counter, 8);
    digest(link->key_from_shoe, body, size, body + size, FRAME_TAG_BYTES);
    link->sealed_at = (uint32_t)link->uptime;
    frame(link, (uint8_t)(size + FRAME_TAG_BYTES));
}

static void send_status(struct shoe_link *link) {
    uint8_t *at = link->out + 2 + SEALED_HEADER;
    at = put(at, link->oldest, 4);
    at = put(at, link->next, 4);
    at = put(at, link->total, 4);
    at = put(at, link->revision, 4);
    *at++ = (uint8_t)((link->recognised ? RECOGNISED : 0) | (link->locked_by_silence ? LOCKED_BY_SILENCE : 0) |
                      (link->full ? STORE_FULL : 0));
    send_sealed(link, STATUS, at);
}

/* False if nothing may be sent now: no event is left, or as many as are allowed are in flight. */
static bool send_event(struct shoe_link *link) {
    uint8_t *at = link->out + 2 + SEALED_HEADER;
    /* It is read to where its kind and payload belong in the frame. */
    uint8_t *record = at + EVENT_HEADER - SAID_AT;
    uint16_t place;
    if (link->cursor == link->next || link->cursor - link->oldest >= link->allowed) return false;
    if (!find_event(link, link->cursor, record, &place)) {
        /* The memory has lost it. When it is the oldest, the controller sees a gap and goes on behind it. */
        if (link->cursor != link->oldest) return false;
        link->cursor = ++link->oldest;
        send_status(link);
        return true;
    }
    uint64_t age = link->uptime, happened = get(record + HAPPENED_AT, 5);
    uint32_t boot_id = get32(record + BOOT_AT);
    uint8_t size = record[LENGTH_AT];
    /* A boot id that repeats, as it should not, may be that of an earlier power-up. */
    if (boot_id == link->boot_id && happened <= age) age -= happened;
    if (age > UINT32_MAX) age = UINT32_MAX;
    at = put(at, boot_id, 4);
    at = put(at, link->cursor, 4);
    at = put(at, age, 4) + size;
    if (link->cursor == link->oldest) link->wait_since = (uint32_t)link->uptime;
    if (link->cursor > link->sent_up_to) {
        link->sent_up_to = link->cursor;
        if (link->timed == 0) {
            link->timed = link->cursor;
            link->timed_at = (uint32_t)link->uptime;
        }
    }
    link->cursor++;
    send_sealed(link, EVENT, at);
    return true;
}

/* Make the next frame. False if there is nothing to say. */
static bool send_next(struct shoe_link *link) {
    uint8_t *body = link->out + 2;
    if (link->due & DUE_AWAKE) {
        link->due &= (uint8_t)~DUE_AWAKE;
        body[0] = AWAKE;
        frame(link, 1);
    } else if (link->due & DUE_REJECT) {
        link->due &= (uint8_t)~DUE_REJECT;
        body[0] = REJECT;
        body[1] = link->reject_reason;
        body[2] = body[3] = VERSION;
        copy(body + 4, link->reject_nonce, NONCE_BYTES);
        frame(link, 4 + NONCE_BYTES);
    } else if (link->due & DUE_CHALLENGE) {
        link->due &= (uint8_t)~DUE_CHALLENGE;
        copy(body, link->challenge, link->challenge_size);
        sign(link, "SHOE-TAG", body, 0, body + link->challenge_size, TAG_BYTES);
        frame(link, (uint8_t)(link->challenge_size + TAG_BYTES));
    } else if (!link->in_session) {
        return false;
    } else if (link->due & DUE_STATUS) {
        link->due &= (uint8_t)~DUE_STATUS;
        send_status(link);
    } else {
        return send_event(link);
    }
    return true;
}

static void wake(struct shoe_link *link) {
    link->awake_at = (uint32_t)link->uptime;
    link->due |= DUE_AWAKE;
}

/* --- What comes in -------------------------------------------------------------------------------------------- */

static void hear_hello(struct shoe_link *link, const uint8_t *hello, uint8_t size) {
    uint8_t asked[ASKED_BYTES];
    if (size < HELLO_BYTES) {
        link->counts.malformed++;
        return;
    }
    copy(asked, hello + 1, ASKED_BYTES);
    asked[2] &= INSECURE;
    if ((link->answered && since(link, link->answered_at) < ANSWER_EVERY) ||
        (link->in_session && same(asked, link->session_hello, ASKED_BYTES))) {
        link->counts.unexpected++;
        return;
    }
    link->answered = true;
    link->answered_at = (uint32_t)link->uptime;
    link->reject_reason = 0;
    if (asked[0] > VERSION || asked[1] < VERSION)
        link->reject_reason = NO_COMMON_VERSION;
    else if (asked[2] != (link->firmware->key == NULL))
        link->reject_reason = link->firmware->key == NULL ? SHOE_HAS_NO_KEY : SHOE_HAS_A_KEY;
    if (link->reject_reason != 0) {
        copy(link->reject_nonce, asked + 3, NONCE_BYTES);
        link->due |= DUE_REJECT;
        return;
    }
    link->due |= DUE_CHALLENGE;
    if (link->challenge_size != 0 && same(asked, link->challenge + ASKED_AT, ASKED_BYTES)) return;
    uint8_t *at = link->challenge;
    *at++ = CHALLENGE;
    *at++ = VERSION;
    *at++ = VERSION;
    *at++ = VERSION;
    at = copy(at, asked, ASKED_BYTES);
    make_nonce(link, at);
    at = put(at + NONCE_BYTES, link->boot_id, 4);
    *at++ = link->firmware->cause;
    at = put(at, link->firmware->capabilities, 2);
    at = put_text(at, link->firmware->model);
    at = put_text(at, link->firmware->version);
    at = put_text(at, link->firmware->serial_number);
    link->challenge_size = (uint8_t)(at - link->challenge);
}

/* A frame of a session or a handshake that the shoe does not know. */
static void hear_unexpected(struct shoe_link *link) {
    link->counts.unexpected++;
    if (!link->in_session && since(link, link->awake_at) >= AWAKE_EVERY) wake(link);
}

static void note_heard(struct shoe_link *link) {
    link->heard_at = (uint32_t)link->uptime;
    link->awaits_silence = link->firmware->silence != 0;
}

static void begin_session(struct shoe_link *link, struct shoe_event_name stored) {
    sign(link, "SHOE-KEY", NULL, 0, link->key_from_shoe, sizeof link->key_from_shoe);
    sign(link, "CTRL-KEY", NULL, 0, link->key_to_shoe, sizeof link->key_to_shoe);
    copy(link->session_hello, link->challenge + ASKED_AT, ASKED_BYTES);
    link->challenge_size = 0;
    link->due = DUE_STATUS;
    link->in_session = true;
    link->told_of_stranger = false;
    link->sent_counter = link->received_counter = 0;
    link->revision = 0;
    link->recognised = (stored.boot_id == 0 && stored.sequence == 0) ||
                       (stored.boot_id == link->acknowledged.boot_id && stored.sequence == link->acknowledged.sequence) ||
                       acknowledge(link, stored);
    link->cursor = link->oldest;
    link->sent_up_to = 0;
    link->allowed = WINDOW;
    link->wait = FIRST_WAIT;
    link->timed = 0;
    link->estimated = false;
    note_heard(link);
    /* What the last session desired may be out of date. */
    link->firmware->lock_gate(link->firmware->context);
}

static void hear_proof(struct shoe_link *link, const uint8_t *proof, uint8_t size) {
    uint8_t tag[TAG_BYTES], whole[sizeof link->session_proof];
    if (size < PROOF_BYTES + TAG_BYTES) {
        link->counts.malformed++;
        return;
    }
    /* It may be longer in a later version; its digest stands for all its bytes. */
    digest(key_of(link), proof, size, whole, sizeof whole);
    if (link->in_session && same(whole, link->session_proof, sizeof whole)) {
        link->due |= DUE_STATUS;
        return;
    }
    if (link->challenge_size == 0 || !same(proof + 1, link->challenge + NONCE_AT, NONCE_BYTES)) {
        hear_unexpected(link);
        return;
    }
    size = (uint8_t)(size - TAG_BYTES);
    sign(link, "CTRL-TAG", proof, size, tag, TAG_BYTES);
    if (!same(tag, proof + size, TAG_BYTES)) {
        link->counts.refused++;
        if (link->firmware->stranger != NULL && !link->told_of_stranger)
            link->firmware->stranger(link->firmware->context);
        link->told_of_stranger = true;
        return;
    }
    copy(link->session_proof, whole, sizeof whole);
    begin_session(link, (struct shoe_event_name){get32(proof + 17), get32(proof + 21)});
}

/* The estimate of RFC 6298 in whole numbers. */
static void measure(struct shoe_link *link, uint32_t round_trip) {
    if (round_trip > LONGEST_WAIT) round_trip = LONGEST_WAIT;
    if (!link->estimated) {
        link->estimated = true;
        link->smoothed = 8 * round_trip;
        link->deviation = 2 * round_trip;
        return;
    }
    uint32_t smoothed = link->smoothed / 8;
    uint32_t error = round_trip > smoothed ? round_trip - smoothed : smoothed - round_trip;
    link->deviation = link->deviation - link->deviation / 4 + error;
    link->smoothed = link->smoothed - smoothed + round_trip;
}

static void hear_ack(struct shoe_link *link, struct shoe_event_name stored) {
    if (!acknowledge(link, stored)) return;
    if (link->timed != 0 && stored.sequence >= link->timed) {
        measure(link, since(link, link->timed_at));
        link->timed = 0;
    }
    if (link->estimated) {
        link->wait = link->smoothed / 8 + link->deviation;
        if (link->wait < SHORTEST_WAIT) link->wait = SHORTEST_WAIT;
        if (link->wait > LONGEST_WAIT) link->wait = LONGEST_WAIT;
    }
    link->allowed = link->allowed > WINDOW / 2 ? WINDOW : 2 * link->allowed;
    if (link->cursor < link->oldest) link->cursor = link->oldest;
    link->wait_since = (uint32_t)link->uptime;
}

static void go_back(struct shoe_link *link, uint32_t sequence) {
    link->cursor = sequence;
    link->timed = 0;
    link->wait_since = (uint32_t)link->uptime;
}

static void hear_desire(struct shoe_link *link, const uint8_t *payload) {
    struct shoe_desire desire = {payload[4], payload[5] & 0x0F, payload[6]};
    uint32_t revision = get32(payload);
    if (desire.gate > SHOE_GATE_LOCKED || desire.next_hand > SHOE_EXTRA) {
        link->counts.malformed++;
        return;
    }
    link->due |= DUE_STATUS;
    if (revision == link->revision) return;
    link->revision = revision;
    if (desire.gate != SHOE_GATE_AS_IT_IS) link->locked_by_silence = false;
    link->firmware->follow(link->firmware->context, &desire);
}

static uint8_t shortest_payload(uint8_t type) {
    switch (type) {
        case ACK: return 8;
        case NAK: return 4;
        case DESIRE: return 7;
        case CLOCK: return 8;
        case IDENTIFY: return 1;
        default: return 0;
    }
}

static void hear_sealed(struct shoe_link *link, const uint8_t *body, uint8_t size) {
    const struct shoe_firmware *firmware = link->firmware;
    const uint8_t *payload = body + SEALED_HEADER;
    uint8_t tag[FRAME_TAG_BYTES];
    if (!link->in_session) {
        hear_unexpected(link);
        return;
    }
    if (size < SEALED_HEADER + FRAME_TAG_BYTES) {
        link->counts.refused++;
        return;
    }
    size = (uint8_t)(size - FRAME_TAG_BYTES);
    digest(link->key_to_shoe, body, size, tag, FRAME_TAG_BYTES);
    if (!same(tag, body + size, FRAME_TAG_BYTES) || get(body + 1, 8) <= link->received_counter) {
        link->counts.refused++;
        return;
    }
    link->received_counter = get(body + 1, 8);
    note_heard(link);
    if (size < SEALED_HEADER + shortest_payload(body[0])) {
        link->counts.malformed++;
        return;
    }
    switch (body[0]) {
        case ACK: hear_ack(link, (struct shoe_event_name){get32(payload), get32(payload + 4)}); break;
        case NAK:
            if (get32(payload) >= link->oldest && get32(payload) < link->cursor)
                go_back(link, get32(payload));
            else
                link->due |= DUE_STATUS;
            break;
        case DESIRE: hear_desire(link, payload); break;
        case CLOCK:
            if (firmware->set_clock != NULL) firmware->set_clock(firmware->context, get(payload, 8));
            break;
        case IDENTIFY:
            if (firmware->identify != NULL) firmware->identify(firmware->context, payload[0]);
            break;
        default: link->counts.unknown++; break;
    }
}

static void hear(struct shoe_link *link, const uint8_t *body, uint8_t size) {
    if (size == 0)
        link->counts.line_errors++;
    else if (body[0] & FROM_SHOE)
        link->counts.reflected++;
    else if (body[0] & SEALED)
        hear_sealed(link, body, size);
    else if (body[0] == HELLO)
        hear_hello(link, body, size);
    else if (body[0] == PROOF)
        hear_proof(link, body, size);
    else
        link->counts.unknown++;
}

/* --- What the firmware calls ---------------------------------------------------------------------------------- */

static void pass_time(struct shoe_link *link, uint32_t now) {
    uint32_t passed = now - link->ticked;
    /* A reading that went back, as of a counter that an interrupt has changed or that began anew, is no time. */
    if (passed <= INT32_MAX) link->uptime += passed;
    link->ticked = now;
}

static bool has_whole_pages(uint16_t number_of_places, uint16_t of_page, unsigned int fewest) {
    return of_page != 0 && number_of_places % of_page == 0 && number_of_places >= fewest;
}

static bool can_be_used(const struct shoe_firmware *firmware) {
    return text_size(firmware->model) <= SHOE_LONGEST_TEXT && text_size(firmware->version) <= SHOE_LONGEST_TEXT &&
           firmware->serial_number != NULL && text_size(firmware->serial_number) <= SHOE_LONGEST_TEXT &&
           (firmware->key == NULL || !same(firmware->key, NO_KEY, SHOE_KEY_BYTES)) &&
           (firmware->erase != NULL || (firmware->events_in_page == 1 && firmware->marks_in_page == 1)) &&
           has_whole_pages(firmware->event_places, firmware->events_in_page, firmware->events_in_page + SMALLEST_STORE) &&
           has_whole_pages(firmware->mark_places, firmware->marks_in_page, 2U * firmware->marks_in_page);
}

bool shoe_link_start(struct shoe_link *link, const struct shoe_firmware *firmware, uint32_t now) {
    struct shoe_event started = {.kind = SHOE_STARTED, .code = firmware->cause};
    uint32_t counted = 0;
    if (!can_be_used(firmware)) return false;
    for (size_t i = 0; i < sizeof *link; i++) ((uint8_t *)link)[i] = 0;
    link->firmware = firmware;
    link->ticked = now;
    remember(link);
    link->power_ups++;
    if (firmware->count_power_up != NULL) counted = firmware->count_power_up(firmware->context, link->power_ups);
    if (counted > link->power_ups) link->power_ups = counted;
    if (firmware->random == NULL && !mark(link) && counted == 0) return false;
    make_boot_id(link);
    note_heard(link);
    /* The power may have failed, or memory, when the store was emptied and still full by its mark. */
    clear_full(link);
    happen(link, &started);
    wake(link);
    return true;
}

void shoe_link_receive(struct shoe_link *link, const uint8_t *bytes, size_t size, uint32_t now) {
    pass_time(link, now);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            if (link->in_size < SHOE_LONGEST_RUN) link->in[link->in_size] = bytes[i];
            /* One more than fits is remembered: then it is no frame. */
            if (link->in_size <= SHOE_LONGEST_RUN) link->in_size++;
        } else if (link->in_size != 0) {
            uint8_t body_size = unframed(link->in, link->in_size);
            link->in_size = 0;
            hear(link, link->in + 1, body_size);
        }
    }
}

void shoe_link_tick(struct shoe_link *link, uint32_t now) {
    pass_time(link, now);
    if (link->awaits_silence && since(link, link->heard_at) >= link->firmware->silence) {
        link->awaits_silence = false;
        link->locked_by_silence = true;
        link->revision = 0;
        link->firmware->lock_gate(link->firmware->context);
    }
    if (!link->in_session) return;
    if (link->cursor > link->oldest && since(link, link->wait_since) >= link->wait) {
        link->wait = link->wait > LONGEST_WAIT / 2 ? LONGEST_WAIT : 2 * link->wait;
        link->allowed = 1;
        go_back(link, link->oldest);
    }
    if (since(link, link->sealed_at) >= KEEP_ALIVE && (link->due & DUE_STATUS) == 0) {
        clear_full(link);
        link->due |= DUE_STATUS;
    }
}

size_t shoe_link_send(struct shoe_link *link, uint8_t *bytes, size_t room_for, uint32_t now) {
    size_t size = 0;
    pass_time(link, now);
    while (size < room_for) {
        if (link->out_at == link->out_size && !send_next(link)) break;
        bytes[size++] = link->out[link->out_at++];
    }
    return size;
}

bool shoe_link_report(struct shoe_link *link, const struct shoe_event *event, uint32_t now) {
    pass_time(link, now);
    return happen(link, event);
}

void shoe_link_line_is_back(struct shoe_link *link, uint32_t now) {
    pass_time(link, now);
    link->in_session = false;
    link->challenge_size = 0;
    link->in_size = link->out_at = link->out_size = 0;
    link->due = 0;
    wake(link);
}

uint32_t shoe_link_held(const struct shoe_link *link) { return link->next - link->oldest; }

bool shoe_link_is_full(const struct shoe_link *link) { return link->full; }
