/* A shoe on an ATmega2560 at 16 MHz: the line at its first UART, the event store in its EEPROM, milliseconds from a timer. It has
 * no random source, so power-ups are counted. TRIED IN AN EMULATOR ONLY: simavr, by `make test-firmware`.
 *
 * The key stands in this file, for the desk. A shoe at a table has one of its own, which is not in its firmware's source.
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>

#include "../dealing.h"

/* All 4096 bytes of the EEPROM. Behind events and marks lies the count of power-ups, in four places that are taken in turn:
 * erase what is before it, and boot ids and nonces are new ones all the same. */
enum { EVENT_PLACES = 36, MARK_PLACES = 19, COUNT_PLACES = 4, PACE = 100 };
enum { COUNTS_AT = EVENT_PLACES * SHOE_EVENT_BYTES + MARK_PLACES * SHOE_MARK_BYTES };

static struct dealing dealing;
static struct shoe_link link;
static volatile uint32_t milliseconds_so_far;
static volatile uint8_t received[256]; /* while an event is written, which takes a tenth of a second */
static volatile uint8_t received_to;
static uint8_t received_from;

ISR(TIMER0_COMPA_vect) { milliseconds_so_far++; }

ISR(USART0_RX_vect) { received[received_to++] = UDR0; }

static uint32_t milliseconds(void) {
    cli();
    uint32_t now = milliseconds_so_far;
    sei();
    return now;
}

static uint8_t *address(enum shoe_area area, uint16_t place) {
    return (uint8_t *)(area == SHOE_EVENTS ? place * SHOE_EVENT_BYTES
                                           : EVENT_PLACES * SHOE_EVENT_BYTES + place * SHOE_MARK_BYTES);
}

static bool read_place(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    (void)context;
    eeprom_read_block(bytes, address(area, place), size);
    return true;
}

static bool write_place(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    (void)context;
    eeprom_update_block(bytes, address(area, place), size);
    eeprom_busy_wait();
    return true;
}

/* A count lies beside its complement, so that one which the power has cut short is none. */
static uint32_t count_power_up(void *context, uint32_t at_least) {
    uint32_t newest = 0, pair[2];
    uint8_t place = 0;
    (void)context;
    for (uint8_t i = 0; i < COUNT_PLACES; i++) {
        eeprom_read_block(pair, (const uint8_t *)(COUNTS_AT + i * sizeof pair), sizeof pair);
        if (pair[0] != ~pair[1] || pair[0] < newest) continue;
        newest = pair[0];
        place = (uint8_t)((i + 1) % COUNT_PLACES);
    }
    pair[0] = newest + 1 > at_least ? newest + 1 : at_least;
    pair[1] = ~pair[0];
    eeprom_update_block(pair, (uint8_t *)(COUNTS_AT + place * sizeof pair), sizeof pair);
    eeprom_busy_wait();
    return pair[0];
}

static void set_up(void) {
    UBRR0 = 16; /* 115200 baud at twice the speed */
    UCSR0A = 1 << U2X0;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    OCR0A = 249;
    TIMSK0 = 1 << OCIE0A;
    sei();
}

static void use_line(void) {
    uint8_t byte;
    while (received_from != received_to) {
        byte = received[received_from++];
        shoe_link_receive(&link, &byte, 1, milliseconds());
    }
    if ((UCSR0A & 1 << UDRE0) != 0 && shoe_link_send(&link, &byte, 1, milliseconds()) != 0) UDR0 = byte;
}

int main(void) {
    static const uint8_t KEY[SHOE_KEY_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const struct shoe_firmware FIRMWARE = {.model = "ATmega2560",
                                                  .version = "1.0.0",
                                                  .serial_number = "AT-0001",
                                                  .key = KEY,
                                                  .capabilities = SHOE_HAS_GATE,
                                                  .silence = 3000,
                                                  .event_places = EVENT_PLACES,
                                                  .events_in_page = 1,
                                                  .mark_places = MARK_PLACES,
                                                  .marks_in_page = 1,
                                                  .acknowledged_without_mark = 8,
                                                  .context = &dealing,
                                                  .read = read_place,
                                                  .write = write_place,
                                                  .follow = dealing_follow,
                                                  .lock_gate = dealing_lock_gate,
                                                  .count_power_up = count_power_up};
    set_up();
    dealing_begin(&dealing);
    if (!shoe_link_start(&link, &FIRMWARE, milliseconds())) return 1;
    for (;;) {
        use_line();
        shoe_link_tick(&link, milliseconds());
        dealing_go_on(&dealing, &link, milliseconds(), PACE);
    }
}
