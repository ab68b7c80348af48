/* What the tests of the kit need to see of it: its own functions, and what is in a link. */
#include "../../../firmware_protocol/c/shoe_link.c"

size_t seen_size(void);
uint8_t seen_unframed(uint8_t *run, uint8_t size);
uint8_t seen_framed(const uint8_t *body, uint8_t size, uint8_t *wire);
void seen_digest(const uint8_t *key, const uint8_t *bytes, size_t bytes_size, uint8_t *to, size_t size);
void seen_numbers(const struct shoe_link *link, uint32_t *numbers);
void seen_nonces(struct shoe_link *link, uint32_t count);

size_t seen_size(void) { return sizeof(struct shoe_link); }

uint8_t seen_unframed(uint8_t *run, uint8_t size) { return unframed(run, size); }

uint8_t seen_framed(const uint8_t *body, uint8_t size, uint8_t *wire) {
    struct shoe_link link = {0};
    copy(link.out + 2, body, size);
    frame(&link, size);
    copy(wire, link.out + 1, link.out_size - 1U);
    return (uint8_t)(link.out_size - 1);
}

void seen_digest(const uint8_t *key, const uint8_t *bytes, size_t bytes_size, uint8_t *to, size_t size) {
    digest(key, bytes, bytes_size, to, size);
}

void seen_numbers(const struct shoe_link *link, uint32_t *numbers) {
    const uint32_t all[] = {link->oldest,
                            link->next,
                            link->total,
                            link->in_session,
                            link->revision,
                            link->counts.line_errors,
                            link->counts.reflected + link->counts.refused + link->counts.malformed,
                            link->counts.unknown,
                            link->wait,
                            link->locked_by_silence,
                            link->full,
                            link->boot_id};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) numbers[i] = all[i];
}

/* So many nonces were made in this power-up. */
void seen_nonces(struct shoe_link *link, uint32_t count) { link->nonces = count; }
