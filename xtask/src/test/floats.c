// Compares the float routines in assembler with this core's FPU, and prints how many results differ.
#include <stdint.h>

typedef union {
    uint32_t bits;
    float number;
} Float;

uint32_t soft_fadd(uint32_t, uint32_t), soft_fsub(uint32_t, uint32_t), soft_fmul(uint32_t, uint32_t);
uint32_t soft_i2f(uint32_t), soft_ui2f(uint32_t);
uint64_t soft_lmul(uint64_t, uint64_t), soft_uidivmod(uint32_t, uint32_t);

static uint32_t seed = 1, differ, compared;

static uint32_t bits_of(float number)
{
    return ((Float){ .number = number }).bits;
}

static float number_of(uint32_t bits)
{
    return ((Float){ .bits = bits }).number;
}

// The routines leave rare operands to functions in Rust, which tests on the host compare.
uint32_t rare_fadd(uint32_t a, uint32_t b)
{
    return bits_of(number_of(a) + number_of(b));
}

uint32_t rare_fmul(uint32_t a, uint32_t b)
{
    return bits_of(number_of(a) * number_of(b));
}

static void call_host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void print(const char *text)
{
    call_host(4, text);
}

static void print_number(uint32_t number, uint32_t base)
{
    char text[12];
    int at = 11;
    text[at] = 0;
    do {
        text[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    print(text + at);
}

static uint32_t random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed ^ seed >> 15;
}

// Any bits, numbers near 1, short and long mantissas, whole numbers, special numbers.
static uint32_t operand(void)
{
    static const uint32_t special[16] = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00000, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0x33800000, 0x4b800000, 0x4b7fffff, 0x3f7fffff,
        0x80800001 };
    uint32_t bits = random();
    switch (random() >> 29) {
    case 0: return bits;
    case 1: return (bits & 0x807fffff) | (120 + (random() >> 28)) << 23;
    case 2: return (bits & 0x80ff0000) | (100 + (random() >> 26)) << 23;
    case 3: return special[random() >> 28];
    case 4: return (bits & 0x807fffff) | 127u << 23;
    case 5: return bits_of((float)((int32_t)(bits >> 16) - (1 << 15)));
    case 6: return (bits & 0x80000007) | (110 + (random() >> 27)) << 23;
    default: return (bits & 0x807ffff8) | (125 + (random() >> 29)) << 23;
    }
}

static void compare(const char *what, uint32_t a, uint32_t b, uint32_t ours, float expected)
{
    uint32_t bits = bits_of(expected);
    compared++;
    // The bits of a NaN are not specified.
    if (ours == bits || ((ours << 1) > 0xff000000 && (bits << 1) > 0xff000000))
        return;
    if (differ++ >= 10)
        return;
    print(what);
    for (int i = 0; i < 4; i++) {
        print(" ");
        print_number((uint32_t[]){ a, b, ours, bits }[i], 16);
    }
    print("\n");
}

static void compare_words(const char *what, uint32_t a, uint32_t b, uint64_t ours, uint64_t expected)
{
    compare(what, a, b, bits_of((float)(ours != expected)), 0);
}

// Compares a product of 64 bits, and a quotient with its rest.
static void compare_long(uint32_t a, uint32_t b)
{
    uint64_t one = (uint64_t)random() << 32 | a, other = (uint64_t)(int32_t)random() << (random() & 32) | b;
    compare_words("long product", a, b, soft_lmul(one, other), one * other);
    uint32_t whole = a >> (random() & 31), divisor = b >> (random() & 31) | !(random() & 3);
    if (divisor == 0)
        return;
    uint64_t rest = (uint64_t)(whole % divisor) << 32;
    compare_words("quotient", whole, divisor, soft_uidivmod(whole, divisor), rest | whole / divisor);
}

static void compare_all(uint32_t a, uint32_t b)
{
    compare_long(a, b);
    compare("product", a, b, soft_fmul(a, b), number_of(a) * number_of(b));
    compare("sum", a, b, soft_fadd(a, b), number_of(a) + number_of(b));
    compare("difference", a, b, soft_fsub(a, b), number_of(a) - number_of(b));
    uint32_t whole = (uint32_t)((int32_t)a >> (b & 31));
    compare("signed", whole, 0, soft_i2f(whole), (float)(int32_t)whole);
    compare("unsigned", a >> (b & 31), 0, soft_ui2f(a >> (b & 31)), (float)(a >> (b & 31)));
}

__attribute__((noinline)) static void run(void)
{
    for (int i = 0; i < 500000; i++) {
        uint32_t a = operand(), b = operand();
        compare_all(a, b);
        // Neighbours, so that digits cancel.
        compare_all(a, a ^ (b & 15));
    }
    print_number(differ, 10);
    print(" of ");
    print_number(compared, 10);
    print("\n");
    call_host(0x18, (const void *)0x20026);
    for (;;)
        ;
}

// Enables the FPU before a function saves its registers.
void start(void)
{
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20;
    __asm__ volatile("dsb\n isb");
    run();
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))0x20010000, start
};
