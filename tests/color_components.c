// Y'CbCr, YIQ, XYZ, L*u*v*, LCh and Oklab against formulas in double, and every way back.
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "kernel/space/hsl.h"
#include "kernel/space/lch.h"
#include "kernel/space/luv.h"
#include "kernel/space/oklab.h"
#include "kernel/space/ycbcr.h"
#include "kernel/space/yiq.h"

// ---- formulas -----------------------------------------------------------------------------------

static const double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                    {0.2126729, 0.7151522, 0.0721750},
                                    {0.0193339, 0.1191920, 0.9503041}};

static double light(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void times(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

static void xyz_exact(const double v[3], double out[3])
{
    const double linear[3] = {light(v[0]), light(v[1]), light(v[2])};
    times(to_xyz, linear, out);
}

static double f_exact(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void ycbcr_exact(double kr, double kb, const double v[3], double out[3])
{
    out[0] = kr * v[0] + (1 - kr - kb) * v[1] + kb * v[2];
    out[1] = (v[2] - out[0]) / (2 - 2 * kb);
    out[2] = (v[0] - out[0]) / (2 - 2 * kr);
}

static void ycbcr601_exact(const double v[3], double out[3])
{
    ycbcr_exact(0.299, 0.114, v, out);
}

static void ycbcr709_exact(const double v[3], double out[3])
{
    ycbcr_exact(0.2126, 0.0722, v, out);
}

static void yiq_exact(const double v[3], double out[3])
{
    const double turn = 33 * acos(-1.0) / 180;
    out[0] = 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
    const double a = 0.877283 * (v[0] - out[0]), b = 0.492111 * (v[2] - out[0]);
    out[1] = a * cos(turn) - b * sin(turn);
    out[2] = a * sin(turn) + b * cos(turn);
}

static void luv_exact(const double v[3], double out[3])
{
    const double x = 0.95047, z = 1.08883, white = x + 15 + 3 * z;
    double c[3];
    xyz_exact(v, c);
    const double d = c[0] + 15 * c[1] + 3 * c[2];
    out[0] = 116 * f_exact(c[1]) - 16;
    out[1] = d > 0 ? 13 * out[0] * (4 * c[0] / d - 4 * x / white) : 0;
    out[2] = d > 0 ? 13 * out[0] * (9 * c[1] / d - 9 / white) : 0;
}

static void lch_exact(const double v[3], double out[3])
{
    double c[3];
    xyz_exact(v, c);
    const double x = f_exact(c[0] / 0.95047), y = f_exact(c[1]), z = f_exact(c[2] / 1.08883);
    const double a = 500 * (x - y), b = 200 * (y - z);
    out[0] = 116 * y - 16;
    out[1] = hypot(a, b);
    out[2] = atan2(b, a) / (2 * acos(-1.0));
    out[2] += out[2] < 0;
}

static void oklab_exact(const double v[3], double out[3])
{
    static const double cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                       {0.2119034982, 0.6806995451, 0.1073969566},
                                       {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                     {1.9779984951, -2.4285922050, 0.4505937099},
                                     {0.0259040371, 0.7827717662, -0.8086757660}};
    const double linear[3] = {light(v[0]), light(v[1]), light(v[2])};
    double c[3];
    times(cones, linear, c);
    const double roots[3] = {cbrt(c[0]), cbrt(c[1]), cbrt(c[2])};
    times(lab, roots, out);
}

// ---- comparing ----------------------------------------------------------------------------------

typedef struct space {
    const char *name;
    color (*to)(color c);
    color (*back)(color c);
    void (*exact)(const double v[3], double out[3]); // NULL: tests/color_space.c compares it
    double bound[3];                                 // errors of the components for 0..1
    double lo[3], hi[3];
    double way;  // error of the colour that comes back
    int turning; // the component that is a hue, or -1
} space;

#define WAY(name, to, back)                                                                        \
    static color name##_to(color c)                                                                \
    {                                                                                              \
        return to(c);                                                                              \
    }                                                                                              \
    static color name##_back(color c)                                                              \
    {                                                                                              \
        return back(c);                                                                            \
    }

WAY(linear, lg_point_linear, lg_linear_rgb)
WAY(hsv, lg_point_hsv, lg_hsv_rgb)
WAY(hsl, lg_point_hsl, lg_hsl_rgb)
WAY(lab, lg_point_lab, lg_lab_rgb)
WAY(ycbcr601, lg_point_ycbcr601, lg_ycbcr601_rgb)
WAY(ycbcr709, lg_point_ycbcr709, lg_ycbcr709_rgb)
WAY(yiq, lg_point_yiq, lg_yiq_rgb)
WAY(xyz, lg_point_xyz, lg_xyz_rgb)
WAY(luv, lg_point_luv, lg_luv_rgb)
WAY(lch, lg_point_lch, lg_lch_rgb)
WAY(oklab, lg_point_oklab, lg_oklab_rgb)

static const space spaces[] = {
    {"linear", linear_to, linear_back, NULL, {0}, {0, 0, 0}, {1, 1, 1}, 2e-6, -1},
    {"hsv", hsv_to, hsv_back, NULL, {0}, {0, 0, 0}, {1, 1, 1}, 1e-6, 0},
    {"hsl", hsl_to, hsl_back, NULL, {0}, {0, 0, 0}, {1, 1, 1}, 1e-6, 0},
    {"lab", lab_to, lab_back, NULL, {0}, {0, -128, -128}, {100, 128, 128}, 1e-5, -1},
    {"ycbcr601",
     ycbcr601_to,
     ycbcr601_back,
     ycbcr601_exact,
     {2e-7, 2e-7, 2e-7},
     {0, -0.5, -0.5},
     {1, 0.5, 0.5},
     6e-7,
     -1},
    {"ycbcr709",
     ycbcr709_to,
     ycbcr709_back,
     ycbcr709_exact,
     {2e-7, 2e-7, 2e-7},
     {0, -0.5, -0.5},
     {1, 0.5, 0.5},
     6e-7,
     -1},
    {"yiq",
     yiq_to,
     yiq_back,
     yiq_exact,
     {2e-7, 2e-7, 2e-7},
     {0, -0.6, -0.6},
     {1, 0.6, 0.6},
     6e-7,
     -1},
    {"xyz",
     xyz_to,
     xyz_back,
     xyz_exact,
     {4e-7, 4e-7, 4e-7},
     {0, 0, 0},
     {0.95047, 1, 1.08883},
     1e-5,
     -1},
    {"luv",
     luv_to,
     luv_back,
     luv_exact,
     {2e-5, 2e-4, 2e-4},
     {0, -180, -180},
     {100, 180, 180},
     2e-5,
     -1},
    {"lch", lch_to, lch_back, lch_exact, {2e-5, 1.2e-4, 0}, {0, 0, 0}, {100, 135, 1}, 1e-5, 2},
    {"oklab",
     oklab_to,
     oklab_back,
     oklab_exact,
     {5e-7, 1e-6, 1e-6},
     {0, -0.4, -0.4},
     {1, 0.4, 0.4},
     3e-5,
     -1},
};

typedef struct worst_errors {
    double component[3], way;
} worst_errors;

static void compare(const space *s, color c, worst_errors *w)
{
    const double v[3] = {c.r, c.g, c.b};
    const color y = s->to(c), back = s->back(y);
    const float got[3] = {y.r, y.g, y.b};
    double exact[3];
    for (int k = 0; k < 3; k++)
        CHECK(got[k] >= (float)s->lo[k] && got[k] <= (float)s->hi[k],
              "%s: component %d of %.9g %.9g %.9g is %.9g", s->name, k, c.r, c.g, c.b, got[k]);
    w->way =
        fmax(w->way, fmax(fabs(back.r - v[0]), fmax(fabs(back.g - v[1]), fabs(back.b - v[2]))));
    CHECK(y.a == c.a && back.a == c.a, "%s: alpha", s->name);
    if (!s->exact)
        return;
    s->exact(v, exact);
    for (int k = 0; k < 3; k++)
        if (k != s->turning)
            w->component[k] = fmax(w->component[k], fabs(got[k] - exact[k]));
    // The angle is as exact as a chroma of this size allows.
    if (s->turning == 2) {
        const double turn = fabs(got[2] - exact[2]), off = fmin(turn, 1 - turn);
        CHECK(off <= 1e-7 + 2e-5 / fmax(exact[1], 1e-3) || exact[1] < 1e-3,
              "%s: the hue of %.9g %.9g %.9g is %.9g, exact %.9g", s->name, c.r, c.g, c.b, got[2],
              exact[2]);
    }
}

static void test_colors(const space *s)
{
    worst_errors w = {{0}, 0};
    const float unit = (float)(1.0 / 255);
    for (int r = 0; r < 256; r += 3)
        for (int g = 0; g < 256; g += 3)
            for (int b = 0; b < 256; b += 3)
                compare(s, (color){(float)r * unit, (float)g * unit, (float)b * unit, 0.25f}, &w);
    for (int i = 0; i < 300000; i++)
        compare(s, (color){(float)random_unit(), (float)random_unit(), (float)random_unit(), 1},
                &w);
    for (int k = 0; k < 3 && s->exact; k++)
        CHECK(k == s->turning || w.component[k] <= s->bound[k], "%s, component %d: %g, stated %g",
              s->name, k, w.component[k], s->bound[k]);
    CHECK(w.way <= s->way, "%s and back: %g, stated %g", s->name, w.way, s->way);
    printf("%s: components %.3g %.3g %.3g, and back %.3g\n", s->name, w.component[0],
           w.component[1], w.component[2], w.way);
}

// Greys have no colour, also where their sums round apart, and white and black are exact.
static void test_greys(void)
{
    for (int i = 0; i <= 65535; i++) {
        const float v = (float)i * (float)(1.0 / 65535);
        const color c = {v, v, v, 1},
                    none[] = {lg_point_ycbcr601(c), lg_point_ycbcr709(c), lg_point_yiq(c),
                              lg_point_luv(c),      lg_point_lch(c),      lg_point_oklab(c)};
        for (int k = 0; k < 6; k++)
            CHECK(none[k].g == 0 && none[k].b == 0 && (k > 2 || none[k].r == v),
                  "grey %d has a colour in space %d: %.9g %.9g %.9g", i, k, none[k].r, none[k].g,
                  none[k].b);
    }
    const color white = {1, 1, 1, 1}, xyz = lg_point_xyz(white);
    CHECK(xyz.r == 0.95047f && xyz.g == 1 && xyz.b == 1.08883f, "the white");
    CHECK(lg_point_luv(white).r == 100 && lg_point_lch(white).r == 100 &&
              lg_point_oklab(white).r == 1,
          "the lightness of white");
    const color black = {0, 0, 0, 1}, dark[] = {lg_point_luv(black), lg_point_lch(black),
                                                lg_point_oklab(black), lg_point_xyz(black)};
    for (int k = 0; k < 4; k++)
        CHECK(dark[k].r == 0 && dark[k].g == 0 && dark[k].b == 0, "black in space %d", k);
}

int main(void)
{
    random_seed(77);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        test_colors(&spaces[i]);
    test_greys();
    return check_finish("color_components");
}
