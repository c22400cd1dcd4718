// Quotients and weighted means of bytes by products and shifts: over all values they can have, they are those
// of divisions.
#include "check.h"

#include "kernel/byte_math.h"

static void test_quotients(void)
{
    uint32_t wrong = 0;
    for (uint32_t x = 0; x < 65535; x++)
        wrong += lg_div_255(x) != x / 255;
    CHECK(wrong == 0, "x / 255: %u of 65535 are wrong", wrong);
    // The function looks at the upper 16 bits of x, and then compares. In between the ends of such a
    // block and the multiples of 255^3 nothing changes.
    const uint64_t cube = (uint64_t)255 * 255 * 255;
    wrong = 0;
    for (uint64_t high = 0; high < 65536; high++)
        for (uint64_t x = high << 16; x <= (high << 16 | 65535); x += 65535)
            wrong += lg_div_cube_255((uint32_t)x) != x / cube;
    for (uint64_t k = 1; k * cube < (uint64_t)1 << 32; k++)
        for (uint64_t x = k * cube - 1; x <= k * cube + 1; x++)
            wrong += lg_div_cube_255((uint32_t)x) != x / cube;
    CHECK(wrong == 0, "x / 255^3: %u are wrong", wrong);
}

// Two numbers in one word: neighbouring values of each, beside all of the other.
static void test_mixing(void)
{
    uint32_t wrong = 0;
    for (uint32_t a = 0; a < 256; a++)
        for (uint32_t b = 0; b < 256; b++)
            for (uint32_t w = 0; w < 256; w++) {
                const uint32_t one = a * (255 - w) + b * w, other = b * (255 - w) + (255 - a) * w;
                wrong += lg_mix_255(a << 16 | b, b << 16 | (255 - a), w) != (one << 16 | other);
            }
    CHECK(wrong == 0, "%u of 2^24 mixtures are wrong", wrong);
}

int main(void)
{
    test_quotients();
    test_mixing();
    return check_finish("byte_math");
}
