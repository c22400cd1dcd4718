// Gradient noise.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, scale, "", 8, 0, 256, "cells on a side")                                             \
    X(COLOR, color_start, 0, 0, 0, 1, "where the noise is -1")                                     \
    X(COLOR, color_finish, 1, 1, 1, 1, "where it is 1")

LG_PARAMETERS(perlin_noise)

LG_KERNEL(
    perlin_noise,
    LG_FUNCTION lg_uint perlin_noise_permute(lg_uint x) {
        return ((34u * x + 1u) * x) % 289u;
    } LG_FUNCTION float perlin_noise_corner(lg_uint x, lg_uint y, float dx, float dy) {
        lg_uint i = perlin_noise_permute(perlin_noise_permute(x % 289u) + y % 289u);
        LG_FLOAT gx = lg_to_float(lg_to_int(i % 41u)) * 0.0487804878f - 1.0f;
        LG_FLOAT gy = fabsf(gx) - 0.5f;
        gx = gx - floorf(gx + 0.5f);
        LG_FLOAT norm = 1.79284291f - 0.853734721f * (gx * gx + gy * gy);
        LG_FLOAT dot = (gx * dx + gy * dy) * norm;
        return dot;
    } LG_FUNCTION float perlin_noise_fade(float t) {
        LG_FLOAT y = ((t * t) * t) * (t * (t * 6.0f - 15.0f) + 10.0f);
        return y;
    } LG_FUNCTION color perlin_noise_kernel(place at, perlin_noise_params p) {
        LG_FLOAT x = at.x * p.scale;
        LG_FLOAT y = at.y * p.scale;
        LG_FLOAT left = floorf(x);
        LG_FLOAT top = floorf(y);
        LG_FLOAT fx = x - left;
        LG_FLOAT fy = y - top;
        lg_uint i = lg_to_uint(lg_to_int(left));
        lg_uint j = lg_to_uint(lg_to_int(top));
        LG_FLOAT tl = perlin_noise_corner(i, j, fx, fy);
        LG_FLOAT tr = perlin_noise_corner(i + 1u, j, fx - 1.0f, fy);
        LG_FLOAT bl = perlin_noise_corner(i, j + 1u, fx, fy - 1.0f);
        LG_FLOAT br = perlin_noise_corner(i + 1u, j + 1u, fx - 1.0f, fy - 1.0f);
        LG_FLOAT u = perlin_noise_fade(fx);
        LG_FLOAT v = perlin_noise_fade(fy);
        LG_FLOAT noise = lg_mix(lg_mix(tl, tr, u), lg_mix(bl, br, u), v) * 2.3f;
        LG_FLOAT t = (noise + 1.0f) * 0.5f;
        LG_COLOR c = lg_mix_rgb(p.color_start, p.color_finish, t);
        c.a = lg_mix(p.color_start.a, p.color_finish.a, t);
        return c;
    })

LG_GENERATE(perlin_noise)

// At a corner of cells the noise is 0. In the middle of the first cell it is the mean of four corners,
// whose hashes are 0, 69, 35 and 172: 2.3 (0.3948523 - 0.4158021 - 0.4207538 - 0.4131357) / 4 = -0.4915326.
LG_EXAMPLES(perlin_noise, {"scale=2", .out = {0.5f, 0.5f, 0.5f, 1}, .x = 0.5f, .y = 0.5f},
            {"scale=1", .out = {0.2542337f, 0.2542337f, 0.2542337f, 1}, .x = 0.5f, .y = 0.5f},
            {"scale=2:color_start=1,0.5,0,0:color_finish=0,0.5,0.5,1",
             .out = {0.5f, 0.5f, 0.25f, 0.5f}, .x = 0.5f, .y = 0.5f})

LG_FILTER(perlin_noise, GENERATE, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
          .summary = "gradient noise",
          .formula =
              "classic noise of (x, y) scale with K. Perlin's fade 6 t^5 - 15 t^4 + 10 t^3; a "
              "corner's hash is perm(perm(X) + Y), perm(x) = (34 x + 1) x mod 289, its gradient g "
              "= 2 fract(hash / 41) - 1 folded and scaled by 1.79284291 - 0.85373472 |g|^2; C' = "
              "color_start + (color_finish - color_start) (2.3 noise + 1) / 2",
          .source = "GPUImagePerlinNoiseFilter");
