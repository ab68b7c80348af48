/* What the examples do at the table: a card leaves whenever the controller asks for one, as if a dealer drew it. */
#ifndef DEALING_H
#define DEALING_H

#include "../shoe_link.h"

struct dealing {
    struct shoe_desire desire;
    bool locked;
    uint32_t dealt_at;
    uint8_t positions[3];
    uint8_t card; /* the next, in the order of the ranks of one suit after another */
};

static inline void dealing_begin(struct dealing *dealing) {
    /* No card leaves before the controller has said so. */
    dealing->locked = true;
    dealing->card = SHOE_CARD(SHOE_CLUBS, 1);
}

static inline void dealing_follow(void *context, const struct shoe_desire *desire) {
    struct dealing *dealing = context;
    dealing->desire = *desire;
    if (desire->gate != SHOE_GATE_AS_IT_IS) dealing->locked = desire->gate == SHOE_GATE_LOCKED;
    if (desire->next_hand == SHOE_NO_HAND) dealing->positions[SHOE_PLAYER] = dealing->positions[SHOE_BANKER] = 0;
}

static inline void dealing_lock_gate(void *context) { ((struct dealing *)context)->locked = true; }

/* One card every `pace` milliseconds at most, and none before the controller has stored the last. */
static inline void dealing_go_on(struct dealing *dealing, struct shoe_link *link, uint32_t now, uint32_t pace) {
    struct shoe_event drawn = {.kind = SHOE_CARD_DRAWN, .burns_left = SHOE_NO_BURNS};
    uint8_t hand = dealing->desire.next_hand;
    if (hand == SHOE_NO_HAND || hand > SHOE_BURNED || dealing->locked || now - dealing->dealt_at < pace) return;
    if (shoe_link_is_full(link) || shoe_link_held(link) != 0) return;
    drawn.hand = hand;
    if (hand != SHOE_BURNED) drawn.position = ++dealing->positions[hand];
    drawn.card = dealing->card;
    shoe_link_report(link, &drawn, now);
    dealing->dealt_at = now;
    dealing->card++;
    if ((dealing->card & 15) > 13) dealing->card = (uint8_t)(dealing->card - 13 + 16);
    if (dealing->card >> 4 > SHOE_SPADES) dealing->card = SHOE_CARD(SHOE_CLUBS, 1);
}

#endif
