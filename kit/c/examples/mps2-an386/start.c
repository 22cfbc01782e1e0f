/* Start-up of a Cortex-M4F, and files of the host through semihosting. */

#include <stdint.h>

#include "../save.h"

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;

static int semihosting(int operation, const void *arguments) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

int save(uint16_t pixels[HEIGHT][WIDTH]) {
    enum { OPEN = 1, CLOSE = 2, WRITE = 5, BINARY_FOR_WRITING = 5 };
    static const char name[] = "picture.ppm", begin[] = PPM_BEGIN;
    const uintptr_t open[] = {(uintptr_t)name, BINARY_FOR_WRITING, sizeof name - 1};
    int file = semihosting(OPEN, open);
    if (file == -1) {
        return 1;
    }
    const uintptr_t first[] = {(uintptr_t)file, (uintptr_t)begin, sizeof begin - 1};
    int left = semihosting(WRITE, first);
    for (int y = 0; y < HEIGHT; y++) {
        uint8_t bytes[3 * WIDTH];
        convert(pixels[y], bytes);
        const uintptr_t row[] = {(uintptr_t)file, (uintptr_t)bytes, sizeof bytes};
        left |= semihosting(WRITE, row);
    }
    const uintptr_t close[] = {(uintptr_t)file};
    return semihosting(CLOSE, close) == 0 && left == 0 ? 0 : 1;
}

static void leave(int status) {
    enum { EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };
    const uintptr_t arguments[] = {APPLICATION_EXIT, (uintptr_t)status};
    semihosting(EXIT_EXTENDED, arguments);
    for (;;) {
    }
}

static void run(void) {
    leave(example());
}

void reset(void) {
    for (uint32_t *from = &data_load, *to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    /* Full access to the floating-point unit, before a function uses it. */
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
    run();
}

static void fault(void) {
    leave(102);
}

__attribute__((used, section(".vectors"))) static void (*const vectors[])(void) = {
    (void (*)(void))&stack_top, reset, fault, fault, fault, fault, fault,
};
