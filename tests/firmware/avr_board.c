/* An ATmega2560 under simavr, no faster than a real one: its UART is standard input and output, its EEPROM a file that is
 * always up to date, so that killing this program is a loss of power. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <poll.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HERTZ = 16000000, BYTE_CYCLES = 1400, SLICE_CYCLES = 16000, EEPROM_BYTES = 4096 };

static void sent(struct avr_irq_t *irq, uint32_t byte, void *context) {
    (void)irq;
    uint8_t said = (uint8_t)byte;
    if (write(*(int *)context, &said, 1) != 1) _exit(1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **words) {
    static uint8_t stored[EEPROM_BYTES];
    elf_firmware_t firmware = {0};
    uint32_t flags = 0;
    /* The emulator has something to say too, and says it on standard output. */
    int line = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (count != 3 || elf_read_firmware(words[1], &firmware) != 0) return 2;
    avr_t *avr = avr_make_mcu_by_name("atmega2560");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POOL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), sent, &line);
    avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);

    avr_eeprom_desc_t eeprom = {.size = EEPROM_BYTES};
    int file = open(words[2], O_RDWR | O_CREAT, 0600);
    memset(stored, 0xFF, sizeof stored);
    if (file < 0 || pread(file, stored, sizeof stored, 0) < 0) return 2;
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &eeprom);
    memcpy(eeprom.ee, stored, sizeof stored);

    double began = seconds();
    avr_cycle_count_t next_byte = 0, next_slice = 0;
    for (;;) {
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) return 3;
        if (avr->cycle >= next_byte) {
            struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
            uint8_t byte;
            if (poll(&polled, 1, 0) > 0) {
                if (read(STDIN_FILENO, &byte, 1) != 1) return 0;
                avr_raise_irq(input, byte);
            }
            next_byte = avr->cycle + BYTE_CYCLES;
        }
        if (avr->cycle >= next_slice) {
            next_slice = avr->cycle + SLICE_CYCLES;
            if (memcmp(stored, eeprom.ee, sizeof stored) != 0) {
                memcpy(stored, eeprom.ee, sizeof stored);
                if (pwrite(file, stored, sizeof stored, 0) != sizeof stored) return 1;
            }
            double ahead = (double)avr->cycle / HERTZ - (seconds() - began);
            if (ahead > 0.002) {
                struct timespec pause = {.tv_nsec = (long)(ahead * 1e9) % 1000000000};
                nanosleep(&pause, NULL);
            }
        }
    }
}
