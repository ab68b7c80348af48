/* A shoe on a BBC micro:bit (nRF51822, Cortex-M0): the line at its UART, the event store in its flash, random bytes from its
 * generator, milliseconds from a timer. TRIED IN AN EMULATOR ONLY: QEMU's `microbit`, by `make test-firmware`.
 *
 * The key stands in this file, for the desk. A shoe at a table has one of its own, which is not in its firmware's source.
 */
#include "../dealing.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define UART_START_RX REGISTER(0x40002000)
#define UART_START_TX REGISTER(0x40002008)
#define UART_RECEIVED REGISTER(0x40002108)
#define UART_SENT REGISTER(0x4000211C)
#define UART_ENABLE REGISTER(0x40002500)
#define UART_PIN_TX REGISTER(0x4000250C)
#define UART_PIN_RX REGISTER(0x40002514)
#define UART_RX REGISTER(0x40002518)
#define UART_TX REGISTER(0x4000251C)
#define UART_BAUD REGISTER(0x40002524)
#define TIMER_START REGISTER(0x40008000)
#define TIMER_CAPTURE REGISTER(0x40008040)
#define TIMER_BITS REGISTER(0x40008508)
#define TIMER_PRESCALER REGISTER(0x40008510)
#define TIMER_COUNT REGISTER(0x40008540)
#define RANDOM_START REGISTER(0x4000D000)
#define RANDOM_READY REGISTER(0x4000D100)
#define RANDOM_VALUE REGISTER(0x4000D508)
#define FLASH_READY REGISTER(0x4001E400)
#define FLASH_MODE REGISTER(0x4001E504)
#define FLASH_ERASE_PAGE REGISTER(0x4001E508)

enum { FLASH_READ_ONLY, FLASH_WRITE, FLASH_ERASE };
enum { PAGE = 1024, EVENTS_IN_PAGE = 10, MARKS_IN_PAGE = 32, EVENT_PAGES = 32, MARK_PAGES = 4 };
enum { STORE = 0x30000, PACE = 100 };

static struct dealing dealing;
static struct shoe_link link;

/* --- Flash ---------------------------------------------------------------------------------------------------- */

static uint32_t address(enum shoe_area area, uint16_t place) {
    if (area == SHOE_EVENTS)
        return STORE + (uint32_t)(place / EVENTS_IN_PAGE) * PAGE + (uint32_t)(place % EVENTS_IN_PAGE) * SHOE_EVENT_BYTES;
    return STORE + EVENT_PAGES * PAGE + (uint32_t)place * SHOE_MARK_BYTES;
}

static void set_flash_mode(uint32_t mode) {
    FLASH_MODE = mode;
    while (FLASH_READY == 0) continue;
}

static bool read_place(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    (void)context;
    const volatile uint8_t *at = (const volatile uint8_t *)address(area, place);
    for (size_t i = 0; i < size; i++) bytes[i] = at[i];
    return true;
}

/* Flash is written in words; what the last one has to spare stays FF. */
static bool write_place(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    (void)context;
    volatile uint32_t *at = (volatile uint32_t *)address(area, place);
    bool written = true;
    set_flash_mode(FLASH_WRITE);
    for (size_t i = 0; i < size; i += 4, at++) {
        uint32_t word = 0xFFFFFFFF;
        for (size_t byte = 0; byte < 4 && i + byte < size; byte++) {
            word &= ~((uint32_t)0xFF << 8 * byte);
            word |= (uint32_t)bytes[i + byte] << 8 * byte;
        }
        *at = word;
        while (FLASH_READY == 0) continue;
        written &= *at == word;
    }
    set_flash_mode(FLASH_READ_ONLY);
    return written;
}

static bool erase_page(void *context, enum shoe_area area, uint16_t place) {
    (void)context;
    set_flash_mode(FLASH_ERASE);
    FLASH_ERASE_PAGE = address(area, place);
    while (FLASH_READY == 0) continue;
    set_flash_mode(FLASH_READ_ONLY);
    return *(volatile uint32_t *)address(area, place) == 0xFFFFFFFF;
}

/* --- Line, time and chance ------------------------------------------------------------------------------------ */

static void random_bytes(void *context, uint8_t *bytes, size_t size) {
    (void)context;
    for (size_t i = 0; i < size; i++) {
        RANDOM_READY = 0;
        while (RANDOM_READY == 0) continue;
        bytes[i] = (uint8_t)RANDOM_VALUE;
    }
}

/* The timer counts microseconds and runs over after 71 minutes; milliseconds are counted from its steps. */
static uint32_t milliseconds(void) {
    static uint32_t counted, milliseconds_so_far;
    TIMER_CAPTURE = 1;
    uint32_t steps = (TIMER_COUNT - counted) / 1000;
    counted += steps * 1000;
    milliseconds_so_far += steps;
    return milliseconds_so_far;
}

static void set_up(void) {
    UART_PIN_TX = 24;
    UART_PIN_RX = 25;
    UART_BAUD = 0x01D7E000; /* 115200 */
    UART_ENABLE = 4;
    UART_START_RX = UART_START_TX = 1;
    TIMER_BITS = 3;
    TIMER_PRESCALER = 4;
    TIMER_START = 1;
    RANDOM_START = 1;
}

static void use_line(void) {
    static bool sending;
    uint8_t byte;
    while (UART_RECEIVED != 0) {
        UART_RECEIVED = 0;
        byte = (uint8_t)UART_RX;
        shoe_link_receive(&link, &byte, 1, milliseconds());
    }
    if (sending && UART_SENT == 0) return;
    UART_SENT = 0;
    sending = shoe_link_send(&link, &byte, 1, milliseconds()) != 0;
    if (sending) UART_TX = byte;
}

int main(void) {
    static const uint8_t KEY[SHOE_KEY_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const struct shoe_firmware FIRMWARE = {.model = "micro:bit",
                                                  .version = "1.0.0",
                                                  .serial_number = "MB-0001",
                                                  .key = KEY,
                                                  .capabilities = SHOE_HAS_GATE,
                                                  .silence = 3000,
                                                  .event_places = EVENT_PAGES * EVENTS_IN_PAGE,
                                                  .events_in_page = EVENTS_IN_PAGE,
                                                  .mark_places = MARK_PAGES * MARKS_IN_PAGE,
                                                  .marks_in_page = MARKS_IN_PAGE,
                                                  .acknowledged_without_mark = 16,
                                                  .context = &dealing,
                                                  .read = read_place,
                                                  .write = write_place,
                                                  .erase = erase_page,
                                                  .random = random_bytes,
                                                  .follow = dealing_follow,
                                                  .lock_gate = dealing_lock_gate};
    set_up();
    dealing_begin(&dealing);
    if (!shoe_link_start(&link, &FIRMWARE, milliseconds())) return 1;
    for (;;) {
        use_line();
        shoe_link_tick(&link, milliseconds());
        dealing_go_on(&dealing, &link, milliseconds(), PACE);
    }
}
