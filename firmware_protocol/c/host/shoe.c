/* A shoe as an ordinary program: the link at a TCP port or a pseudo-terminal, its memory in a file.
 *
 * What a firmware provides is provided here by POSIX, so this is also an example. Things happen at this shoe when they
 * are typed, one a line, in the words of shoe_link.h:
 *
 *     card_drawn hand=1 position=1 card=0x39 burns_left=255 card_id=E280
 *     button code=3
 *     deal 300            a card every 300 ms for the hand that the controller desires, and the result button
 *
 * and what the link tells its firmware is printed. When the input ends, the shoe goes on.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../shoe_link.h"

enum { EVENT_PLACES = 1024, MARK_PLACES = 64, DECKS = 8, TICK = 10 };

struct desk {
    int memory;
    int listening; /* -1 at a pseudo-terminal, whose line is always there */
    int line;
    uint8_t waiting[256]; /* bytes that the line has not taken yet */
    size_t waiting_size;
    char typed[512];
    size_t typed_size;
    bool input_ended;

    /* A dealer who does what the table asks for. */
    uint32_t pace;
    uint32_t dealt_at;
    struct shoe_desire desire;
    bool locked;
    uint8_t positions[3];
    uint8_t stack[DECKS * 52];
    size_t drawn;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint32_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

/* --- What a firmware provides --------------------------------------------------------------------------------- */

static off_t offset(enum shoe_area area, uint16_t place) {
    return area == SHOE_EVENTS ? (off_t)place * SHOE_EVENT_BYTES
                               : (off_t)EVENT_PLACES * SHOE_EVENT_BYTES + (off_t)place * SHOE_MARK_BYTES;
}

static bool read_place(void *context, enum shoe_area area, uint16_t place, uint8_t *bytes, size_t size) {
    const struct desk *desk = context;
    memset(bytes, 0xFF, size); /* a place that was never written is blank */
    return pread(desk->memory, bytes, size, offset(area, place)) >= 0;
}

static bool write_place(void *context, enum shoe_area area, uint16_t place, const uint8_t *bytes, size_t size) {
    const struct desk *desk = context;
    return pwrite(desk->memory, bytes, size, offset(area, place)) == (ssize_t)size && fdatasync(desk->memory) == 0;
}

static void random_bytes(void *context, uint8_t *bytes, size_t size) {
    (void)context;
    int source = open("/dev/urandom", O_RDONLY);
    if (source < 0 || read(source, bytes, size) != (ssize_t)size) fail("/dev/urandom");
    close(source);
}

static void follow(void *context, const struct shoe_desire *desire) {
    struct desk *desk = context;
    desk->desire = *desire;
    if (desire->gate != SHOE_GATE_AS_IT_IS) desk->locked = desire->gate == SHOE_GATE_LOCKED;
    printf("desire gate=%u lamps=%u next_hand=%u\n", desire->gate, desire->lamps, desire->next_hand);
}

static void lock_gate(void *context) {
    struct desk *desk = context;
    desk->locked = true;
    puts("the gate is locked until the controller says otherwise");
}

static void set_clock(void *context, uint64_t unix_milliseconds) {
    (void)context;
    printf("clock %llu\n", (unsigned long long)unix_milliseconds);
}

static void identify(void *context, uint8_t seconds) {
    (void)context;
    printf("identify %u\n", seconds);
}

static void stranger(void *context) {
    (void)context;
    puts("a controller with another key has tried to begin a session");
}

/* --- What happens at the shoe --------------------------------------------------------------------------------- */

static const char *const KINDS[] = {"",
                                    "started",
                                    "standby",
                                    "card_identified",
                                    "result",
                                    "cut_card",
                                    "burn",
                                    "card_returned",
                                    "gate",
                                    "lid",
                                    "button",
                                    "fault",
                                    "fault_cleared",
                                    "preset_changed",
                                    "health",
                                    "",
                                    "card_drawn",
                                    "double_feed",
                                    "misread",
                                    "foreign_card"};

static void shuffle(struct desk *desk) {
    for (size_t i = 0; i < sizeof desk->stack; i++) desk->stack[i] = SHOE_CARD(i / 13 % 4 + 1, i % 13 + 1);
    for (size_t i = sizeof desk->stack - 1; i > 0; i--) {
        uint32_t number;
        random_bytes(NULL, (uint8_t *)&number, sizeof number);
        size_t other = number % (i + 1);
        uint8_t card = desk->stack[i];
        desk->stack[i] = desk->stack[other];
        desk->stack[other] = card;
    }
}

/* What was typed has happened for the dealer too, who goes on from there. */
static void note_typed(struct desk *desk, const struct shoe_event *event) {
    if (event->kind == SHOE_BUTTON && event->code == SHOE_NEW_SHOE) {
        shuffle(desk);
        desk->drawn = 0;
    }
    if (event->kind == SHOE_BUTTON) memset(desk->positions, 0, sizeof desk->positions);
    if (event->kind != SHOE_CARD_DRAWN || desk->drawn == sizeof desk->stack) return;
    for (size_t i = desk->drawn; i < sizeof desk->stack; i++)
        if (desk->stack[i] == event->card) {
            desk->stack[i] = desk->stack[desk->drawn];
            break;
        }
    desk->drawn++;
    if (event->hand < sizeof desk->positions) desk->positions[event->hand] = event->position;
}

static void report(struct shoe_link *link, const struct shoe_event *event) {
    puts(shoe_link_report(link, event, milliseconds()) ? "stored" : "no place");
}

static bool set_field(struct shoe_event *event, const char *name, const char *value) {
    unsigned long number = strtoul(value, NULL, 0);
    if (strcmp(name, "card_id") == 0) event->card_id = value;
    else if (strcmp(name, "deck_set") == 0) event->deck_set = value;
    else if (strcmp(name, "hand") == 0) event->hand = (uint8_t)number;
    else if (strcmp(name, "position") == 0) event->position = (uint8_t)number;
    else if (strcmp(name, "card") == 0) event->card = (uint8_t)number;
    else if (strcmp(name, "burns_left") == 0) event->burns_left = (uint8_t)number;
    else if (strcmp(name, "flags") == 0) event->flags = (uint8_t)number;
    else if (strcmp(name, "cards") == 0) event->cards = (uint8_t)number;
    else if (strcmp(name, "code") == 0) event->code = (uint8_t)number;
    else if (strcmp(name, "detail") == 0) event->detail = (uint32_t)number;
    else if (strcmp(name, "millivolts") == 0) event->millivolts = (uint16_t)number;
    else if (strcmp(name, "celsius") == 0) event->celsius = (int16_t)strtol(value, NULL, 0);
    else if (strcmp(name, "cards_since_load") == 0) event->cards_since_load = (uint16_t)number;
    else return false;
    return true;
}

static void do_line(struct desk *desk, struct shoe_link *link, char *line) {
    struct shoe_event event = {0};
    char *word = strtok(line, " ");
    if (word == NULL) return;
    if (strcmp(word, "deal") == 0) {
        word = strtok(NULL, " ");
        desk->pace = word == NULL ? 1000 : (uint32_t)strtoul(word, NULL, 0);
        desk->dealt_at = milliseconds();
        return;
    }
    for (uint8_t kind = 1; kind < sizeof KINDS / sizeof *KINDS; kind++)
        if (strcmp(word, KINDS[kind]) == 0) event.kind = kind;
    while (event.kind != 0 && (word = strtok(NULL, " ")) != NULL) {
        char *value = strchr(word, '=');
        if (value != NULL) *value++ = 0;
        if (value == NULL || !set_field(&event, word, value)) event.kind = 0;
    }
    if (event.kind == 0) {
        puts("not understood");
    } else {
        report(link, &event);
        note_typed(desk, &event);
    }
}

static void deal(struct desk *desk, struct shoe_link *link) {
    uint8_t hand = desk->desire.next_hand, *positions = desk->positions;
    struct shoe_event event = {.kind = SHOE_CARD_DRAWN, .hand = hand, .burns_left = SHOE_NO_BURNS};
    bool round_is_over = hand == SHOE_NO_HAND && positions[SHOE_PLAYER] + positions[SHOE_BANKER] >= 4;
    bool card_may_leave = !desk->locked && !shoe_link_is_full(link) && desk->drawn < sizeof desk->stack;
    /* What is desired changes when the table has the last card: until it is stored, the desire may be an old one. */
    if (shoe_link_held(link) != 0 || (!round_is_over && !card_may_leave)) return;
    if (round_is_over) {
        report(link, &(struct shoe_event){.kind = SHOE_BUTTON, .code = SHOE_BUTTON_RESULT});
        memset(positions, 0, sizeof desk->positions);
    } else if (hand == SHOE_PLAYER || hand == SHOE_BANKER || hand == SHOE_BURNED) {
        if (hand != SHOE_BURNED) event.position = ++positions[hand];
        if (desk->drawn == 0) event.flags = SHOE_FIRST_OF_SHOE;
        event.card = desk->stack[desk->drawn++];
        report(link, &event);
    }
}

/* --- Line and keyboard ---------------------------------------------------------------------------------------- */

static void open_pty(struct desk *desk, const char *name) {
    struct termios settings;
    desk->line = posix_openpt(O_RDWR | O_NOCTTY);
    if (desk->line < 0 || grantpt(desk->line) < 0 || unlockpt(desk->line) < 0) fail("pseudo-terminal");
    /* Our own hold on the other end: without one the line would fail whenever the controller closes it. */
    int other = open(ptsname(desk->line), O_RDWR | O_NOCTTY);
    if (other < 0 || tcgetattr(other, &settings) < 0) fail("pseudo-terminal");
    settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
    if (tcsetattr(other, TCSANOW, &settings) < 0) fail("pseudo-terminal");
    unlink(name);
    if (symlink(ptsname(desk->line), name) < 0) fail(name);
    fcntl(desk->line, F_SETFL, O_NONBLOCK);
}

static void open_port(struct desk *desk, const char *number) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(number, NULL, 10))};
    socklen_t size = sizeof address;
    int again = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    desk->listening = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(desk->listening, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (bind(desk->listening, (struct sockaddr *)&address, sizeof address) < 0 || listen(desk->listening, 1) < 0)
        fail(number);
    getsockname(desk->listening, (struct sockaddr *)&address, &size);
    printf("port %u\n", ntohs(address.sin_port));
}

static void hang_up(struct desk *desk) {
    if (desk->listening < 0) return;
    close(desk->line);
    desk->line = -1;
}

static void use_line(struct desk *desk, struct shoe_link *link, short events) {
    uint8_t bytes[256];
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        ssize_t size = read(desk->line, bytes, sizeof bytes);
        if (size > 0) shoe_link_receive(link, bytes, (size_t)size, milliseconds());
        else if (size == 0 || errno != EAGAIN) hang_up(desk);
    }
    while (desk->line >= 0) {
        if (desk->waiting_size == 0)
            desk->waiting_size = shoe_link_send(link, desk->waiting, sizeof desk->waiting, milliseconds());
        if (desk->waiting_size == 0) return;
        ssize_t size = write(desk->line, desk->waiting, desk->waiting_size);
        if (size < 0 && errno != EAGAIN) hang_up(desk);
        if (size < 0) return;
        desk->waiting_size -= (size_t)size;
        memmove(desk->waiting, desk->waiting + size, desk->waiting_size);
    }
}

static void take_call(struct desk *desk, struct shoe_link *link) {
    if (desk->line >= 0) close(desk->line);
    desk->line = accept(desk->listening, NULL, NULL);
    if (desk->line < 0) return;
    fcntl(desk->line, F_SETFL, O_NONBLOCK);
    desk->waiting_size = 0;
    shoe_link_line_is_back(link, milliseconds());
}

static void use_keyboard(struct desk *desk, struct shoe_link *link) {
    ssize_t size = read(STDIN_FILENO, desk->typed + desk->typed_size, sizeof desk->typed - desk->typed_size);
    if (size <= 0) {
        desk->input_ended = true;
        return;
    }
    desk->typed_size += (size_t)size;
    for (char *end; (end = memchr(desk->typed, '\n', desk->typed_size)) != NULL;) {
        size_t used = (size_t)(end - desk->typed) + 1;
        *end = 0;
        do_line(desk, link, desk->typed);
        desk->typed_size -= used;
        memmove(desk->typed, desk->typed + used, desk->typed_size);
    }
    if (desk->typed_size == sizeof desk->typed) desk->typed_size = 0;
}

static void run(struct desk *desk, struct shoe_link *link) {
    for (;;) {
        short wanted = (short)(POLLIN | (desk->waiting_size != 0 ? POLLOUT : 0));
        struct pollfd polled[] = {{.fd = desk->input_ended ? -1 : STDIN_FILENO, .events = POLLIN},
                                  {.fd = desk->listening, .events = POLLIN},
                                  {.fd = desk->line, .events = wanted}};
        poll(polled, 3, TICK);
        if (polled[0].revents != 0) use_keyboard(desk, link);
        if (polled[1].revents != 0) take_call(desk, link);
        shoe_link_tick(link, milliseconds());
        if (desk->pace != 0 && milliseconds() - desk->dealt_at >= desk->pace) {
            desk->dealt_at = milliseconds();
            deal(desk, link);
        }
        if (desk->line >= 0) use_line(desk, link, polled[2].fd == desk->line ? polled[2].revents : 0);
    }
}

static void read_key(const char *file, uint8_t *key) {
    FILE *opened = fopen(file, "r");
    if (opened == NULL) fail(file);
    for (int i = 0; i < SHOE_KEY_BYTES; i++) {
        unsigned int byte;
        if (fscanf(opened, "%2x", &byte) != 1) {
            fprintf(stderr, "%s: a key is 64 hexadecimal digits; shoe-controller keys shoe makes one\n", file);
            exit(1);
        }
        key[i] = (uint8_t)byte;
    }
    fclose(opened);
}

static int usage(void) {
    fputs("shoe (tcp NUMBER | pty NAME) MEMORY [KEY]\n"
          "  tcp NUMBER  listens on this port of this machine, 0 for any\n"
          "  pty NAME    makes a pseudo-terminal, to which NAME is a link\n"
          "  MEMORY      a file with what the shoe keeps over a loss of power\n"
          "  KEY         a file with the shoe's key; without one it is insecure\n",
          stderr);
    return 2;
}

int main(int count, char **words) {
    static struct desk desk = {.listening = -1, .line = -1, .locked = true};
    static struct shoe_link link;
    static uint8_t key[SHOE_KEY_BYTES];
    struct shoe_firmware firmware = {.model = "Shoe in C",
                                     .version = "1.0.0",
                                     .serial_number = "C-0001",
                                     .capabilities = SHOE_HAS_GATE | SHOE_HAS_LAMPS | SHOE_HAS_CARD_IDS |
                                                     SHOE_HAS_RESULT_BUTTON | SHOE_HAS_NEW_SHOE_BUTTON,
                                     .cause = SHOE_POWER_ON,
                                     .silence = 3000,
                                     .event_places = EVENT_PLACES,
                                     .events_in_page = 1,
                                     .mark_places = MARK_PLACES,
                                     .marks_in_page = 1,
                                     .context = &desk,
                                     .read = read_place,
                                     .write = write_place,
                                     .random = random_bytes,
                                     .follow = follow,
                                     .lock_gate = lock_gate,
                                     .set_clock = set_clock,
                                     .identify = identify,
                                     .stranger = stranger};
    if (count < 4 || count > 5) return usage();
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    desk.memory = open(words[3], O_RDWR | O_CREAT, 0600);
    if (desk.memory < 0) fail(words[3]);
    if (count == 5) {
        read_key(words[4], key);
        firmware.key = key;
    }
    shuffle(&desk);
    if (!shoe_link_start(&link, &firmware, milliseconds())) {
        fputs("The shoe cannot start: its key is all zeros.\n", stderr);
        return 1;
    }
    if (strcmp(words[1], "tcp") == 0) open_port(&desk, words[2]);
    else if (strcmp(words[1], "pty") == 0) open_pty(&desk, words[2]);
    else return usage();
    puts("ready");
    run(&desk, &link);
}
