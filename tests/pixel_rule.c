// The bilinear mean of opaque pixels has the bits of the general one, which divides by alpha.
#include "check.h"

#include "core/core.h"
#include "kernel/color_math.h"
#include "kernel/pixel_rule.h"

#include <math.h>
#include <string.h>

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static color opaque(void)
{
    // Bytes, as images have them, and any sample.
    const bool bytes = random_below(2);
    float v[3];
    for (int i = 0; i < 3; i++)
        v[i] = bytes ? (float)random_below(256) * (1.0f / 255.0f)
                     : (float)(random_unit() * 4 - (double)random_below(2) * 2);
    return rgba(v[0], v[1], v[2], 1.0f);
}

// Sums of weights round to seven floats around 1; no other is met.
static void test_means(void)
{
    int met[16] = {0};
    for (int i = 0; i < test_extent(400000, 4000000, 40000000); i++) {
        const color tl = opaque(), tr = opaque(), bl = opaque(), br = opaque();
        const lg_tap t = {0, 0, (float)random_below(1 << 24) / (1 << 24),
                          (float)random_below(1 << 24) / (1 << 24)};
        const color want = lg_bilinear(tl, tr, bl, br, t);
        const color got = lg_bilinear_opaque(tl, tr, bl, br, t);
        CHECK(same(want.r, got.r) && same(want.g, got.g) && same(want.b, got.b) &&
                  same(want.a, got.a),
              "at %a, %a: %a %a %a %a, not %a %a %a %a", (double)t.fx, (double)t.fy, (double)got.r,
              (double)got.g, (double)got.b, (double)got.a, (double)want.r, (double)want.g,
              (double)want.b, (double)want.a);
        const float below = (1.0f - want.a) * 0x1p24f, above = (want.a - 1.0f) * 0x1p23f;
        const int k = want.a <= 1.0f ? 8 - (int)below : 8 + (int)above;
        met[k < 0 ? 0 : k > 15 ? 15 : k]++;
    }
    for (int k = 0; k < 16; k++)
        CHECK(k >= 4 && k <= 10 ? true : met[k] == 0, "a sum of weights %d floats from 1, %d times",
              k - 8, met[k]);
    CHECK(met[7] && met[8], "sums beside 1 are not met");
}

// lg_near_at has the bits of lg_tap_at where a pixel is inside, and is beyond any side where it is not.
static void check_near(float x, int size)
{
    const lg_near n = lg_near_at(x, (float)size);
    const lg_tap t = lg_tap_at(x, 0.5f, (float)size, 1.0f);
    if (t.x >= 0 && t.x < (float)size)
        CHECK(n.first == (uint32_t)t.x && same(n.share, t.fx), "%a of %d: %u + %a, not %a + %a",
              (double)x, size, n.first, (double)n.share, (double)t.x, (double)t.fx);
    else
        CHECK(n.first >= (uint32_t)size, "%a of %d is outside, not in %u", (double)x, size,
              n.first);
}

static void test_near(void)
{
    static const float far[] = {NAN, -NAN, INFINITY, -INFINITY, 1e30f,   -1e30f, 16,    -16, 17,
                                -17, 2,    -1,       1e-30f,    -1e-30f, 0,      -0.0f, 1};
    for (int i = 0; i < test_extent(40000, 400000, 4000000); i++) {
        const int size = i < 200 ? i + 1 : 1 + (int)random_below(1u << random_below(21));
        if (size >= LG_NEAR_SIDE)
            continue;
        for (int k = 0; k < (int)LG_COUNT(far); k++)
            check_near(far[k], size);
        // Anywhere, and a few floats beside a pixel's centre or the middle between two.
        check_near((float)(random_unit() * 1.2 - 0.1), size);
        float x = (float)random_below(2 * (uint32_t)size + 3) * 0.5f / (float)size;
        for (int k = (int)random_below(9); k > 0; k--)
            x = nextafterf(x, random_below(2) ? 2.0f : -1.0f);
        check_near(x, size);
    }
}

// Every sum that there can be, whatever weights give it.
static void test_sums(void)
{
    for (int k = -4; k <= 2; k++) {
        const float alpha = k < 0 ? 1.0f + (float)k * 0x1p-24f : 1.0f + (float)k * 0x1p-23f;
        for (int i = 0; i < 100000; i++) {
            const float v = (float)random_unit();
            const color want = lg_straight(rgba(v, v, v, alpha));
            CHECK(same(want.r, v * (1.0f + (1.0f - alpha))), "%a / %a is %a", (double)v,
                  (double)alpha, (double)want.r);
        }
    }
}

int main(void)
{
    random_seed(1);
    test_means();
    test_sums();
    test_near();
    return check_finish("pixel_rule");
}
