/* What runs before main on a Cortex-M0 without a C library: the vectors, the variables, and what the compiler calls. */
#include <stddef.h>
#include <stdint.h>

extern uint32_t stack_top, data_start, data_end, data_in_flash, bss_start, bss_end;

int main(void);
void reset(void);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

static void stop(void) {
    for (;;) continue;
}

/* The stack, the reset, and fourteen more that must not happen. */
__attribute__((section(".vectors"), used)) static const void *const VECTORS[16] = {
    &stack_top, (void *)reset, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop,
    (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop, (void *)stop};

void reset(void) {
    const uint32_t *from = &data_in_flash;
    for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
    main();
    stop();
}

void *memcpy(void *to, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = (uint8_t)byte;
    return to;
}
