/* BLAKE2s with a key of 32 bytes and a digest of 32, as RFC 7693 defines it. Written for few bytes of code. */
#include "shoe_link.h"

enum { BLOCK = 64, DIGEST = 32 };

static const uint32_t START[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                  0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

/* The order in which a round takes the words of the message: two in each byte, the first in the high half. */
static const uint8_t ORDER[10][8] = {
    {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}, {0xEA, 0x48, 0x9F, 0xD6, 0x1C, 0x02, 0xB7, 0x53},
    {0xB8, 0xC0, 0x52, 0xFD, 0xAE, 0x36, 0x71, 0x94}, {0x79, 0x31, 0xDC, 0xBE, 0x26, 0x5A, 0x40, 0xF8},
    {0x90, 0x57, 0x24, 0xAF, 0xE1, 0xBC, 0x68, 0x3D}, {0x2C, 0x6A, 0x0B, 0x83, 0x4D, 0x75, 0xFE, 0x19},
    {0xC5, 0x1F, 0xED, 0x4A, 0x07, 0x63, 0x92, 0x8B}, {0xDB, 0x7E, 0xC1, 0x39, 0x50, 0xF4, 0x86, 0x2A},
    {0x6F, 0xE9, 0xB3, 0x08, 0xC2, 0xD7, 0x14, 0xA5}, {0xA2, 0x84, 0x76, 0x15, 0xFB, 0x9E, 0x3C, 0xD0}};

static uint32_t rotated(uint32_t word, unsigned int right) { return word >> right | word << (32 - right); }

/* One mixing step of a column (the first four of a round) or of a diagonal (the last four). */
static void mix(uint32_t *words, unsigned int step, uint32_t first, uint32_t second) {
    unsigned int shift = step >> 2;
    uint32_t *a = words + (step & 3);
    uint32_t *b = words + 4 + ((step + shift) & 3);
    uint32_t *c = words + 8 + ((step + 2 * shift) & 3);
    uint32_t *d = words + 12 + ((step + 3 * shift) & 3);
    *a += *b + first;
    *d = rotated(*d ^ *a, 16);
    *c += *d;
    *b = rotated(*b ^ *c, 12);
    *a += *b + second;
    *d = rotated(*d ^ *a, 8);
    *c += *d;
    *b = rotated(*b ^ *c, 7);
}

static void compress(struct blake2s *state, bool last) {
    uint32_t words[16], message[16];
    const uint8_t *byte = state->block;
    for (unsigned int i = 0; i < 16; i++, byte += 4)
        message[i] = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    for (unsigned int i = 0; i < 8; i++) {
        words[i] = state->chain[i];
        words[8 + i] = START[i];
    }
    words[12] ^= state->taken;
    if (last) words[14] = ~words[14];
    for (unsigned int round = 0; round < 10; round++)
        for (unsigned int step = 0; step < 8; step++) {
            uint8_t pair = ORDER[round][step];
            mix(words, step, message[pair >> 4], message[pair & 15]);
        }
    for (unsigned int i = 0; i < 8; i++) state->chain[i] ^= words[i] ^ words[8 + i];
}

void blake2s_add(struct blake2s *state, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        /* A full block waits for the next byte: only then is it known not to be the last. */
        if (state->filled >= BLOCK) {
            compress(state, false);
            state->filled = 0;
        }
        state->block[state->filled++] = bytes[i];
        state->taken++;
    }
}

static void fill_up(struct blake2s *state) {
    for (uint8_t i = state->filled; i < BLOCK; i++) state->block[i] = 0;
}

void blake2s_begin(struct blake2s *state, const uint8_t key[SHOE_KEY_BYTES]) {
    for (unsigned int i = 0; i < 8; i++) state->chain[i] = START[i];
    state->chain[0] ^= 0x01010000 | SHOE_KEY_BYTES << 8 | DIGEST;
    state->taken = 0;
    state->filled = 0;
    /* The key is a block of its own before the message. */
    blake2s_add(state, key, SHOE_KEY_BYTES);
    fill_up(state);
    state->taken = state->filled = BLOCK;
}

void blake2s_end(struct blake2s *state, uint8_t *digest, size_t size) {
    fill_up(state);
    compress(state, true);
    for (size_t i = 0; i < size && i < DIGEST; i++) digest[i] = (uint8_t)(state->chain[i / 4] >> 8 * (i % 4));
}
