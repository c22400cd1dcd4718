// Colour kernels and their arithmetic against double-precision formulas.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernel/space/hsl.h"
#include "kernel/space/lab.h"
#include "kernel/space/luma.h"

// Distance in units of the last place of the float nearest to `exact`.
static double ulps(float y, double exact)
{
    int exponent;
    frexp(exact, &exponent);
    return fabs(y - exact) / ldexp(1, exponent - 24);
}

static void report(const char *name, double worst, double bound, const char *unit)
{
    printf("%s: at most %.3g %s (stated: %.3g)\n", name, worst, unit, bound);
    CHECK(worst <= bound, "%s: %g %s, stated %g", name, worst, unit, bound);
}

static float random_float(int low_exponent, int high_exponent)
{
    const uint32_t spread = (uint32_t)(high_exponent - low_exponent);
    const uint32_t exponent = (uint32_t)(low_exponent + 127) + random_below(spread);
    return lg_from_bits(exponent << 23 | (uint32_t)(random_u64() >> 41));
}

// ---- arithmetic ---------------------------------------------------------------------------------

static void test_division(void)
{
    double worst = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40000000; bits++) { // every mantissa
        const float b = lg_from_bits(bits);
        worst = fmax(worst, ulps(lg_div(1.0f, b), 1.0 / b));
    }
    for (int i = 0; i < 3000000; i++) {
        const float sign = random_below(2) ? 1 : -1;
        const float a = sign * random_float(-60, 60), b = random_float(-60, 60);
        worst = fmax(worst, ulps(lg_div(a, b), (double)a / b));
        worst = fmax(worst, ulps(lg_div(a, -b), (double)a / -b));
    }
    report("lg_div", worst, 0.51, "ulp");
    worst = 0;
    for (int i = 0; i < 1000000; i++) {
        const float a = random_float(-125, 127), b = random_float(-125, 127);
        const double exact = (double)a / b;
        if (exact > 0x1p-120 && exact < 0x1p127)
            worst = fmax(worst, ulps(lg_div(a, b), exact));
    }
    report("lg_div, far", worst, 2, "ulp");
    static const float far[] = {0x1p-126f, 0x1p-100f, 0x1.8p-65f, 0x1p65f, 0x1.fffffep126f};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        CHECK(lg_div(far[i] * 0.75f, far[i]) == 0.75f, "0.75 of %g", far[i]);
}

static void test_logarithm(void)
{
    double worst = 0, exact = 0;
    for (uint32_t bits = 0x3f000000; bits < 0x40000000; bits++) { // two octaves, every float
        const float x = lg_from_bits(bits);
        worst = fmax(worst, fabs(lg_log2(x) - log2(x)) * 0x1p23);
    }
    for (int i = 0; i < 3000000; i++) {
        const float x = random_float(-126, 128);
        const double y = log2(x);
        worst = fmax(worst, fabs(lg_log2(x) - y) * 0x1p23 / fmax(1, fabs(y)));
    }
    for (int e = -126; e < 128; e++)
        exact = fmax(exact, fabs(lg_log2(ldexpf(1, e)) - e));
    report("lg_log2", worst, 1, "of 2^-23 max(1, |log2 x|)");
    CHECK(exact == 0, "powers of two are exact");
}

static void test_exponential(void)
{
    double worst = 0;
    for (int i = 0; i < 6000000; i++) {
        const float x = (float)(random_unit() * 252.999 - 125);
        worst = fmax(worst, ulps(lg_exp2(x), exp2(x)));
    }
    report("lg_exp2", worst, 2, "ulp");
    for (int e = -125; e < 128; e++)
        CHECK(lg_exp2((float)e) == ldexpf(1, e), "2^%d", e);
    CHECK(lg_exp2(1e9f) == lg_exp2(127.999f) && lg_exp2(-1e9f) == 0x1p-125f, "clamped");
}

static void test_power(void)
{
    double worst = 0;
    for (int i = 0; i < 3000000; i++) {
        const float x = random_float(-20, 4), y = (float)(random_unit() * 6 - 3);
        const double exact = pow(x, y);
        const double size = (2 + fabs(y * log2(x))) * 0x1p-23;
        worst = fmax(worst, fabs(lg_pow(x, y) - exact) / exact / size);
    }
    report("lg_pow", worst, 1, "of (2 + |y log2 x|) 2^-23");
    CHECK(lg_pow(1, 2.4f) == 1, "1 to any power");
}

static void test_cube_root(void)
{
    double worst = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x41000000; bits++) { // three octaves, every float
        const float x = lg_from_bits(bits);
        worst = fmax(worst, ulps(lg_cbrt(x), cbrt(x)));
    }
    for (int i = 0; i < 2000000; i++) {
        const float x = random_float(-100, 100);
        worst = fmax(worst, ulps(lg_cbrt(x), cbrt(x)));
    }
    report("lg_cbrt", worst, 2, "ulp");
    CHECK(lg_cbrt(1) == 1, "the root of 1");
}

static void test_square_root(void)
{
    double worst = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits++) { // two octaves, every float
        const float x = lg_from_bits(bits);
        worst = fmax(worst, ulps(lg_sqrt(x), sqrt(x)));
    }
    for (int i = 0; i < 2000000; i++) {
        const float x = random_float(-126, 120);
        worst = fmax(worst, ulps(lg_sqrt(x), sqrt(x)));
    }
    report("lg_sqrt", worst, 1, "ulp");
    for (int i = 0; i < 4096; i++)
        CHECK(lg_sqrt((float)(i * i)) == (float)i, "the root of %d squared", i);
    CHECK(lg_sqrt(-1) == 0, "negative numbers");
}

static void test_waves(void)
{
    const double pi = acos(-1.0);
    double turns = 0, radians = 0, far = 0;
    for (int i = -(1 << 23); i <= 1 << 23; i++) {
        const float t = (float)i * 0x1p-22f, x = (float)i * (float)(0x1p-22 * 3.14159265);
        turns = fmax(turns, fabs(lg_sin_turns(t) - sin(2 * pi * (double)t)));
        turns = fmax(turns, fabs(lg_cos_turns(t) - cos(2 * pi * (double)t)));
        radians = fmax(radians, fabs(lg_sin(x) - sin((double)x)));
        radians = fmax(radians, fabs(lg_cos(x) - cos((double)x)));
    }
    for (int i = 0; i < 1000000; i++) {
        const float x = random_float(3, 20);
        const double allowed = 0x1p-21 + (double)x * 0x1p-23;
        far = fmax(far, fabs(lg_sin(x) - sin((double)x)) / allowed);
        far = fmax(far, fabs(lg_cos(-x) - cos((double)x)) / allowed);
    }
    report("lg_sin_turns, lg_cos_turns", turns * 0x1p22, 1, "of 2^-22");
    report("lg_sin, lg_cos", radians * 0x1p21, 1, "of 2^-21");
    report("lg_sin, lg_cos, far", far, 1, "of 2^-21 + |x| 2^-23");
    for (int i = -1000; i <= 1000; i++) {
        static const float wave[] = {0, 1, 0, -1};
        const float t = (float)i * 0.25f;
        CHECK(lg_sin_turns(t) == wave[i & 3] && lg_cos_turns(t) == wave[(i + 1) & 3],
              "%d quarters of a turn", i);
    }
}

static void test_angle(void)
{
    double worst = 0;
    for (int i = 0; i < 6000000; i++) {
        const float sign = random_below(2) ? 1 : -1, x = random_float(-60, 60);
        const float y = x * random_float(-12, 12) * (random_below(2) ? 1 : -1);
        worst = fmax(worst, fabs(lg_atan2(y, sign * x) - atan2(y, sign * x)));
    }
    report("lg_atan2", worst * 0x1p21, 1, "of 2^-21");
    CHECK(lg_atan2(0, 0) == 0 && lg_atan2(0, 1) == 0 && lg_atan2(0, -1) == (float)acos(-1.0),
          "on the axis of x");
    CHECK(lg_atan2(1, 0) == (float)acos(0.0) && lg_atan2(-1, 0) == -(float)acos(0.0),
          "on the axis of y");
}

// ---- spaces -------------------------------------------------------------------------------------

static double linear_exact(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void hue_exact(const double v[3], double *high, double *low, double *hue)
{
    *high = fmax(v[0], fmax(v[1], v[2]));
    *low = fmin(v[0], fmin(v[1], v[2]));
    const double d = *high - *low;
    *hue = 0;
    if (d == 0)
        return;
    if (v[0] == *high)
        *hue = fmod((v[1] - v[2]) / d + 6, 6) / 6;
    else if (v[1] == *high)
        *hue = ((v[2] - v[0]) / d + 2) / 6;
    else
        *hue = ((v[0] - v[1]) / d + 4) / 6;
}

static void lab_exact(const double v[3], double out[3])
{
    static const double matrix[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    double f[3];
    for (int i = 0; i < 3; i++) {
        double t = 0, white = 0;
        for (int k = 0; k < 3; k++) {
            t += matrix[i][k] * linear_exact(v[k]);
            white += matrix[i][k];
        }
        t /= white;
        f[i] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    out[0] = 116 * f[1] - 16;
    out[1] = 500 * (f[0] - f[1]);
    out[2] = 200 * (f[1] - f[2]);
}

typedef struct worst_errors {
    double linear, hue, hsv_s, hsl_s, l, lab_l, lab_ab;
} worst_errors;

static void compare_color(color c, worst_errors *w)
{
    const double v[3] = {c.r, c.g, c.b};
    double high, low, hue, lab[3];
    hue_exact(v, &high, &low, &hue);
    lab_exact(v, lab);
    const double sum = high + low, d = high - low;
    const double hsl_s = d == 0 ? 0 : sum <= 1 ? d / sum : d / (2 - sum);
    const color linear = lg_point_linear(c), hsv = lg_point_hsv(c), hsl = lg_point_hsl(c);
    const color cie = lg_point_lab(c);
    const double turn = fabs(hsv.r - hue);
    w->linear = fmax(w->linear, fabs(linear.r - linear_exact(c.r)));
    w->hue = fmax(w->hue, fmin(turn, 1 - turn));
    w->hsv_s = fmax(w->hsv_s, fabs(hsv.g - (high > 0 ? d / high : 0)));
    w->hsl_s = fmax(w->hsl_s, fabs(hsl.g - hsl_s));
    w->l = fmax(w->l, fabs(hsl.b - sum / 2));
    w->lab_l = fmax(w->lab_l, fabs(cie.r - lab[0]));
    w->lab_ab = fmax(w->lab_ab, fmax(fabs(cie.g - lab[1]), fabs(cie.b - lab[2])));
    const bool in_range = hsv.r >= 0 && hsv.r <= 1 && hsv.g >= 0 && hsv.g <= 1 && hsl.g >= 0 &&
                          hsl.g <= 1 && hsl.b >= 0 && hsl.b <= 1 && cie.r >= 0 && cie.r <= 100 &&
                          linear.r >= 0 && linear.r <= 1 && fabsf(cie.g) < 128 &&
                          fabsf(cie.b) < 128;
    CHECK(in_range && hsv.b == (float)high && hsl.r == hsv.r, "%.9g %.9g %.9g leaves the range",
          c.r, c.g, c.b);
}

static void test_spaces(void)
{
    worst_errors w = {0};
    for (int r = 0; r < 256; r += 3)
        for (int g = 0; g < 256; g += 3)
            for (int b = 0; b < 256; b += 3)
                compare_color((color){(float)r * (float)(1.0 / 255), (float)g * (float)(1.0 / 255),
                                      (float)b * (float)(1.0 / 255), 1},
                              &w);
    for (int i = 0; i < 300000; i++)
        compare_color((color){(float)random_unit(), (float)random_unit(), (float)random_unit(), 1},
                      &w);
    report("linear", w.linear, 2e-7, "");
    report("hue", w.hue, 2e-7, "");
    report("hsv saturation", w.hsv_s, 2e-7, "");
    report("hsl saturation", w.hsl_s, 2e-7, "");
    report("hsl lightness", w.l, 6e-8, "");
    report("L*", w.lab_l, 2e-5, "");
    report("a*, b*", w.lab_ab, 1.2e-4, "");
}

// Lightness where the sum of two floats is none: the half of the exact sum, rounded once.
static void test_large_lightness(void)
{
    static const float large[] = {FLT_MAX,    0x1p127F,        0x1.fffffep126F,
                                  0x1.8p127F, 0x1.000002p127F, 0x1.abcdep127F,
                                  0x1p126F,   0x1p103F,        1,
                                  0x1p-126F,  0x1p-149F,       0};
    const size_t count = sizeof large / sizeof *large;
    for (size_t i = 0; i < 4 * count * count; i++) {
        const float a = i & 1 ? -large[i / 4 % count] : large[i / 4 % count];
        const float b = i & 2 ? -large[i / 4 / count] : large[i / 4 / count];
        // Subnormal sums round again when they are halved, as they always have.
        const double sum = (double)a + (double)b;
        const float want = isinf((float)sum) ? (float)(sum / 2) : (float)sum * 0.5F;
        const color c = lg_point_hsl((color){a, b, a, 1});
        CHECK(memcmp(&c.b, &want, sizeof want) == 0 || (c.b == 0 && want == 0),
              "the lightness of %a and %a is %a, not %a", a, b, c.b, want);
    }
}

static void test_greys(void)
{
    for (int i = 0; i <= 65535; i++) {
        const float v = (float)i * (float)(1.0 / 65535);
        const color c = {v, v, v, 1}, hsv = lg_point_hsv(c), hsl = lg_point_hsl(c);
        const color lab = lg_point_lab(c);
        CHECK(hsv.r == 0 && hsv.g == 0 && hsv.b == v && hsl.r == 0 && hsl.g == 0 && hsl.b == v &&
                  lab.g == 0 && lab.b == 0,
              "grey %d has a colour", i);
        CHECK(lg_luma_float(v, v, v, 0.2126f, 0.7152f, 0.0722f) == v, "luma of grey %d", i);
        CHECK(lg_luma_integer((uint32_t)i, (uint32_t)i, (uint32_t)i, 13933, 46871, 4732) ==
                  (uint32_t)i,
              "integer luma of grey %d", i);
    }
    const color white = lg_point_lab((color){1, 1, 1, 1});
    CHECK(white.r == 100 && lg_linear(1) == 1 && lg_linear(0) == 0, "white and black are exact");
}

static void test_known_colors(void)
{
    static const struct {
        color c, hsv, hsl;
    } known[] = {
        {{1, 0, 0, 1}, {0, 1, 1, 1}, {0, 1, 0.5f, 1}},
        {{1, 1, 0, 1}, {1 / 6.0f, 1, 1, 1}, {1 / 6.0f, 1, 0.5f, 1}},
        {{0, 1, 0, 1}, {2 / 6.0f, 1, 1, 1}, {2 / 6.0f, 1, 0.5f, 1}},
        {{0, 1, 1, 1}, {3 / 6.0f, 1, 1, 1}, {3 / 6.0f, 1, 0.5f, 1}},
        {{0, 0, 1, 1}, {4 / 6.0f, 1, 1, 1}, {4 / 6.0f, 1, 0.5f, 1}},
        {{1, 0, 1, 1}, {5 / 6.0f, 1, 1, 1}, {5 / 6.0f, 1, 0.5f, 1}},
        {{0.5f, 0.25f, 0.25f, 1}, {0, 0.5f, 0.5f, 1}, {0, 1 / 3.0f, 0.375f, 1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const color v = lg_point_hsv(known[i].c), l = lg_point_hsl(known[i].c);
        CHECK(fabsf(v.r - known[i].hsv.r) < 2e-7f && fabsf(v.g - known[i].hsv.g) < 2e-7f &&
                  v.b == known[i].hsv.b && v.a == 1,
              "hsv of color %zu: %g %g %g", i, v.r, v.g, v.b);
        CHECK(fabsf(l.r - known[i].hsl.r) < 2e-7f && fabsf(l.g - known[i].hsl.g) < 2e-7f &&
                  l.b == known[i].hsl.b && l.a == 1,
              "hsl of color %zu: %g %g %g", i, l.r, l.g, l.b);
    }
    const color red = lg_point_lab((color){1, 0, 0, 1});
    CHECK(fabsf(red.r - 53.24f) < 0.01f && fabsf(red.g - 80.09f) < 0.01f &&
              fabsf(red.b - 67.20f) < 0.01f,
          "lab of red: %g %g %g", red.r, red.g, red.b);
}

static void test_way_back(void)
{
    double worst = 0;
    for (int i = 0; i < 1000000; i++) {
        const color c = {(float)random_unit(), (float)random_unit(), (float)random_unit(), 1};
        const color y = lg_hsv_rgb(lg_point_hsv(c));
        worst = fmax(worst, fmax(fabs(y.r - c.r), fmax(fabs(y.g - c.g), fabs(y.b - c.b))));
    }
    report("hsv and back", worst, 1e-6, "");
}

int main(void)
{
    random_seed(21);
    test_division();
    test_logarithm();
    test_exponential();
    test_power();
    test_cube_root();
    test_square_root();
    test_waves();
    test_angle();
    test_spaces();
    test_greys();
    test_large_lightness();
    test_known_colors();
    test_way_back();
    return check_finish("color_space");
}
