// The header of filter files. docs/adding-a-filter.md explains a whole file. A file consists of:
//
//   #define PARAMETERS(X)  one X(KIND, name, ...) per parameter: filter/parameters.h
//   LG_PARAMETERS(NAME)    makes the struct NAME_params and the rows for help and checks from it
//   LG_KERNEL(NAME, ...)   the function NAME_kernel, compiled as C and kept as text for GLSL.
//                          Helper functions in it come first; their names begin with NAME_
//   LG_EXAMPLES(NAME, ...) worked examples by hand
//   LG_POINT(NAME) ...     the loop over a span of pixels, by the filter's kind
//   LG_FILTER(NAME, ...)   the entry in the catalogue
//
// Kernels by kind (`place`, `neighborhood`, `point`, `color`, `lg_table`: kernel/prelude.h).
// LG_FUNCTION precedes every function in the text.
//   point     color NAME_kernel(color c, place at, NAME_params p)
//             and, where it has one for bytes alone, lg_uint NAME_word(lg_uint w, NAME_params p)
//   blend     color NAME_kernel(color b, color o, place at, NAME_params p)
//             and, where bytes give it, uint8_t NAME_byte(uint8_t b, uint8_t o), in C alone
//   window    float NAME_channel(float tl, float t, float tr, float l, float c, float r, float bl,
//             float b, float br, NAME_params p) for red, green and blue; alpha is the centre's. Or
//             float NAME_value(color c), a number for each pixel, and for nine numbers and the
//             centre's colour color NAME_kernel(neighborhood n, color c, place at, NAME_params p).
//             Of grey bytes a device computes with integers where it can (filter/stage_whole.glsl):
//             float NAME_weight(int i, NAME_params p) tells the weights of a sum, and
//             float NAME_strength(NAME_params p) the factor of a gradient's length
//   generate  color NAME_kernel(place at, NAME_params p)
//   warp      point NAME_kernel(place at, NAME_params p), the point to sample. Or, with
//             LG_WARP_LINE, point NAME_along(float t, place at, NAME_params p), t from -1 to 1, and
//             float NAME_count(NAME_params p), how many points: odd, 3 or more. Their weighted mean
//             (lg_line_weight) is then the sampled colour. Where that is not the result, with
//             LG_FINISH, color NAME_finish(color c, place at, NAME_params p)
#ifndef LG_KERNEL_H
#define LG_KERNEL_H

#include "cpu/cpu.h"
#include "filter/ahead.h"
#include "filter/parameters.h"
#include "filter/pixel_blocks.h"
#include "kernel/color_math.h"
#include "kernel/pixel_rule.h"
#include "kernel/prelude.h"

#include <string.h>

#define LG_FIELD_NUMBER(name, ...)       float name;
#define LG_FIELD_INTEGER(name, ...)      float name;
#define LG_FIELD_LEVEL(name, ...)        float name;
#define LG_FIELD_FLAG(name, ...)         float name;
#define LG_FIELD_CHOICE(name, ...)       float name;
#define LG_FIELD_POINT(name, ...)        point name;
#define LG_FIELD_COLOR(name, ...)        color name;
#define LG_FIELD_RANGED_COLOR(name, ...) color name;
#define LG_FIELD_MATRIX3(name, ...)      float name[9];
#define LG_FIELD_TRANSFORM(name, ...)    float name[9];
#define LG_FIELD_MATRIX4(name, ...)      float name[16];
#define LG_FIELD_TEXT(name, ...)
#define LG_FIELD_TABLE(name, ...) lg_table name;
#define LG_FIELD_CURVE(name, ...) lg_table name;
#define LG_FIELD_ECDF(name, ...)  lg_table name;
#define LG_FIELD_ALIAS(name, ...)
#define LG_FIELD_BOX(name, ...)
#define LG_FIELD(kind, ...) LG_FIELD_##kind(__VA_ARGS__)

#define LG_LOAD_NUMBER(name, ...)       p.name = *w++;
#define LG_LOAD_INTEGER(name, ...)      p.name = *w++;
#define LG_LOAD_LEVEL(name, ...)        p.name = *w++;
#define LG_LOAD_FLAG(name, ...)         p.name = *w++;
#define LG_LOAD_CHOICE(name, ...)       p.name = *w++;
#define LG_LOAD_POINT(name, ...)        p.name.x = w[0], p.name.y = w[1], w += 2;
#define LG_LOAD_COLOR(name, ...)        p.name = (color){w[0], w[1], w[2], w[3]}, w += 4;
#define LG_LOAD_RANGED_COLOR(name, ...) p.name = (color){w[0], w[1], w[2], w[3]}, w += 4;
// Element by element: the compiler makes one vector of a 64-byte copy, and then vectorises no loop
// that uses it.
#define LG_LOAD_THREE(name, k) p.name[k] = w[k], p.name[k + 1] = w[k + 1], p.name[k + 2] = w[k + 2]
#define LG_LOAD_MATRIX3(name, ...)                                                                 \
    LG_LOAD_THREE(name, 0), LG_LOAD_THREE(name, 3), LG_LOAD_THREE(name, 6), w += 9;
#define LG_LOAD_TRANSFORM(name, ...) LG_LOAD_MATRIX3(name, __VA_ARGS__)
#define LG_LOAD_MATRIX4(name, ...)                                                                 \
    LG_LOAD_THREE(name, 0), LG_LOAD_THREE(name, 3), LG_LOAD_THREE(name, 6),                        \
        LG_LOAD_THREE(name, 9), LG_LOAD_THREE(name, 12), p.name[15] = w[15], w += 16;
#define LG_LOAD_TEXT(name, ...)
#define LG_LOAD_TABLE(name, ...) p.name = *t++;
#define LG_LOAD_CURVE(name, ...) p.name = *t++;
#define LG_LOAD_ECDF(name, ...)  p.name = *t++;
#define LG_LOAD_ALIAS(name, ...)
#define LG_LOAD_BOX(name, ...)
#define LG_LOAD(kind, ...) LG_LOAD_##kind(__VA_ARGS__)

#define LG_PARAMETERS(name)                                                                        \
    typedef struct name##_params {                                                                 \
        PARAMETERS(LG_FIELD)                                                                       \
    } name##_params;                                                                               \
    LG_FUNCTION name##_params name##_load(const lg_span *s)                                        \
    {                                                                                              \
        name##_params p = {};                                                                      \
        const float *w = s->values;                                                                \
        const lg_table *t = s->tables;                                                             \
        PARAMETERS(LG_LOAD)                                                                        \
        (void)w, (void)t;                                                                          \
        return p;                                                                                  \
    }                                                                                              \
    LG_ROWS(name)

// The text is the source as written: GLSL expands its macros.
#define LG_KERNEL(name, ...)                                                                       \
    static const char name##_text[] __attribute__((unused)) = #__VA_ARGS__;                        \
    __VA_ARGS__

// The loops are separate functions so that the compiler makes use of `restrict` and leaves out
// stores of planes that a kernel does not change.
#define LG_PLANES float *restrict r, float *restrict g, float *restrict b, float *restrict a
#define LG_OUT(s)                                                                                  \
    LG_ALIGNED((s)->out[0]), LG_ALIGNED((s)->out[1]), LG_ALIGNED((s)->out[2]),                     \
        LG_ALIGNED((s)->out[3])
#define LG_EACH_PIXEL(s) (int i = 0; i < ((s)->count & -LG_SPAN_STEP); i++)
#define LG_WRITE(y)      (r[i] = (y).r, g[i] = (y).g, b[i] = (y).b, a[i] = (y).a)

#define LG_POINT_LOOP(name, function, kernel)                                                      \
    static __attribute__((noinline)) void name##_##function##_loop(const lg_span *restrict s,      \
                                                                   LG_PLANES)                      \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const color c = {r[i], g[i], b[i], a[i]};                                          \
                const color y = kernel(c, lg_place(s, i), p);                                      \
                LG_WRITE(y);                                                                       \
            }                                                                                      \
    }                                                                                              \
    static void name##_##function(const lg_span *s)                                                \
    {                                                                                              \
        name##_##function##_loop(s, LG_OUT(s));                                                    \
    }

#define LG_POINT(name) LG_POINT_LOOP(name, run, name##_kernel)

// The loops of `lg_uint NAME_word(lg_uint w, NAME_params p)` over pixels of four bytes, for a point filter
// that has it beside NAME_kernel. `loop` is the lg_words_fn for parameters `p`.
#define LG_WORDS(name, loop)                                                                       \
    static void name##_words(const lg_span *s, const uint32_t *from, uint32_t *to)                 \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        (loop)(s, from, to);                                                                       \
    }

// The loops of a cheap point filter that ignores the position, on pixels of four bytes: what loading to
// planes, NAME_kernel and storing compute, without the planes in between. With LG_PIXELS the kernel leaves
// alpha as it is, a byte of which comes back from the conversions unchanged, or its result is stored as grey.
#define LG_PIXEL_PART(w, k) ((float)(int32_t)((w) >> (8 * (k)) & 255) * LG_UNIT_U8)

LG_FUNCTION color lg_pixel_color(uint32_t w)
{
    return (color){LG_PIXEL_PART(w, 0), LG_PIXEL_PART(w, 1), LG_PIXEL_PART(w, 2),
                   LG_PIXEL_PART(w, 3)};
}

LG_FUNCTION uint32_t lg_pixel_word(color y, uint32_t alpha)
{
    return lg_to_unit(y.r, 255.0f) | lg_to_unit(y.g, 255.0f) << 8 | lg_to_unit(y.b, 255.0f) << 16 |
           alpha;
}

// Loops of few turns would be unrolled before they become vectors.
#define LG_UNROLL_NONE _Pragma("GCC unroll 1")
#if LG_BLOCK_VECTORS
#define LG_PIXEL_BLOCKS(kernel, count)                                                             \
    for (; i + LG_BLOCK <= (count); i += LG_BLOCK) {                                               \
        const lg_block_words w = lg_block_load(from + i, set);                                     \
        lg_block c;                                                                                \
        lg_block_split(w, &c);                                                                     \
        LG_UNROLL_NONE for (int k = 0; k < LG_BLOCK; k++)                                          \
        {                                                                                          \
            const color y =                                                                        \
                kernel((color){c.r[k], c.g[k], c.b[k], c.a[k]}, (place){0, 0, 0, 0, 0}, p);        \
            c.r[k] = y.r, c.g[k] = y.g, c.b[k] = y.b;                                              \
        }                                                                                          \
        lg_block_store(to + i, lg_block_join(&c, w));                                              \
    }
#else
#define LG_PIXEL_BLOCKS(kernel, count)
#endif

#define LG_PIXEL_LOOP(name, function, kernel)                                                      \
    static __attribute__((noinline)) void name##_##function(                                       \
        const lg_span *s, const uint32_t *restrict from, uint32_t *restrict to)                    \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        const uint32_t set = s->set;                                                               \
        int i = 0;                                                                                 \
        LG_PIXEL_BLOCKS(kernel, s->count)                                                          \
        for (; i < s->count; i++) {                                                                \
            const uint32_t w = from[i] | set;                                                      \
            to[i] = lg_pixel_word(kernel(lg_pixel_color(w), (place){0, 0, 0, 0, 0}, p),            \
                                  w & 0xff000000u);                                                \
        }                                                                                          \
    }

#define LG_PIXELS(name) LG_PIXEL_LOOP(name, pixels, name##_kernel)

// The same by a statement of its own, with `s`, `from` and `to`.
#define LG_PIXELS_BY(name, ...)                                                                    \
    static void name##_pixels(const lg_span *s, const uint32_t *from, uint32_t *to)                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

// Says that there is a NAME_grey (lg_grey_fn), for results of one channel.
#define LG_GREY(name)

// For a kernel that mixes c and NAME_whole(c) by p.intensity: at 1, c times 0 adds nothing to a colour.
#define LG_PIXELS_WHOLE(name)                                                                      \
    LG_FUNCTION color name##_whole_kernel(color c, place at, name##_params p)                      \
    {                                                                                              \
        return name##_whole(c);                                                                    \
    }                                                                                              \
    LG_PIXEL_LOOP(name, whole_loop, name##_whole_kernel)                                           \
    LG_PIXEL_LOOP(name, mixed_loop, name##_kernel)                                                 \
    static void name##_pixels(const lg_span *s, const uint32_t *from, uint32_t *to)                \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        (p.intensity == 1.0f ? name##_whole_loop : name##_mixed_loop)(s, from, to);                \
    }

#define LG_BLEND(name)                                                                             \
    static __attribute__((noinline)) void name##_loop(                                             \
        const lg_span *restrict s, LG_PLANES, const float *restrict over_r,                        \
        const float *restrict over_g, const float *restrict over_b, const float *restrict over_a)  \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const color c = {r[i], g[i], b[i], a[i]};                                          \
                const color o = {over_r[i], over_g[i], over_b[i], over_a[i]};                      \
                const color y = name##_kernel(c, o, lg_place(s, i), p);                            \
                LG_WRITE(y);                                                                       \
            }                                                                                      \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        name##_loop(s, LG_OUT(s), LG_ALIGNED(s->over[0]), LG_ALIGNED(s->over[1]),                  \
                    LG_ALIGNED(s->over[2]), LG_ALIGNED(s->over[3]));                               \
    }

// The loop of `uint8_t NAME_byte(uint8_t b, uint8_t o)`, for a blend whose colours of bytes, stored as bytes,
// are that for every pair. Alpha is the first image's.
#define LG_BLEND_BYTES(name)                                                                       \
    static __attribute__((noinline)) void name##_bytes(                                            \
        const lg_span *s, const uint8_t *restrict from, const uint8_t *restrict over, int count,   \
        uint8_t *restrict to)                                                                      \
    {                                                                                              \
        int i = 0;                                                                                 \
        for (; i + 64 <= count; i += 64) {                                                         \
            lg_ask_read(from + i), lg_ask_read(over + i), lg_ask_written(to + i, false);           \
            for (int k = 0; k < 64; k++)                                                           \
                to[i + k] = name##_byte(from[i + k], over[i + k]);                                 \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            to[i] = name##_byte(from[i], over[i]);                                                 \
    }

// What the host asks of NAME_weight and NAME_strength. The build uses these where a kernel has them.
#define LG_WINDOW_WEIGHT(name)                                                                     \
    static float name##_weight_of(const lg_span *s, int i)                                         \
    {                                                                                              \
        return name##_weight(i, name##_load(s));                                                   \
    }
#define LG_WINDOW_STRENGTH(name)                                                                   \
    static float name##_strength_of(const lg_span *s)                                              \
    {                                                                                              \
        return name##_strength(name##_load(s));                                                    \
    }

// Of NAME_value and NAME_kernel. The numbers of a row are made once, though nine results take each; `over` is
// the centre.
#define LG_VALUE_AT(line, i) (s->rows[line][0] + (i))[0]
#define LG_WINDOW_OF_VALUES(name)                                                                  \
    static void name##_values(const float *const planes[4], int count, float *restrict to)         \
    {                                                                                              \
        const float *r = planes[0], *g = planes[1], *b = planes[2], *a = planes[3];                \
        for (int i = 0; i < count; i++)                                                            \
            to[i] = name##_value((color){r[i], g[i], b[i], a[i]});                                 \
    }                                                                                              \
    static __attribute__((noinline)) void name##_loop(                                             \
        const lg_span *restrict s, LG_PLANES, const float *restrict over_r,                        \
        const float *restrict over_g, const float *restrict over_b, const float *restrict over_a)  \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const neighborhood n = {                                                           \
                    LG_VALUE_AT(0, i - 1), LG_VALUE_AT(0, i), LG_VALUE_AT(0, i + 1),               \
                    LG_VALUE_AT(1, i - 1), LG_VALUE_AT(1, i), LG_VALUE_AT(1, i + 1),               \
                    LG_VALUE_AT(2, i - 1), LG_VALUE_AT(2, i), LG_VALUE_AT(2, i + 1)};              \
                const color c = {over_r[i], over_g[i], over_b[i], over_a[i]};                      \
                const color y = name##_kernel(n, c, lg_place(s, i), p);                            \
                LG_WRITE(y);                                                                       \
            }                                                                                      \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        name##_loop(s, LG_OUT(s), LG_ALIGNED(s->over[0]), LG_ALIGNED(s->over[1]),                  \
                    LG_ALIGNED(s->over[2]), LG_ALIGNED(s->over[3]));                               \
    }

// The loops of NAME_channel. Samples of several channels may be interleaved: neighbours are `step`
// apart.
#define LG_WINDOW_OF_CHANNELS(name)                                                                \
    static __attribute__((noinline)) void name##_samples(const lg_span *restrict s,                \
                                                         const float *const rows[3], int step,     \
                                                         int count, float *restrict out)           \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        const float *above = rows[0], *at = rows[1], *below = rows[2];                             \
        for (int i = 0; i < count; i++)                                                            \
            out[i] =                                                                               \
                name##_channel(above[i - step], above[i], above[i + step], at[i - step], at[i],    \
                               at[i + step], below[i - step], below[i], below[i + step], p);       \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        for (int k = 0; k < 3; k++)                                                                \
            name##_samples(s,                                                                      \
                           (const float *const[3]){s->rows[0][k], s->rows[1][k], s->rows[2][k]},   \
                           1, s->count, s->out[k]);                                                \
        memcpy(s->out[3], s->rows[1][3], (size_t)s->count * sizeof *s->out[3]);                    \
    }

// Says of a NAME_channel with NAME_weight that it is (top + middle) + bottom, each the sum of a row from left
// to right, so that sums of rows can be shared.
#define LG_SUMS_ROWS(name)

// The loops of a NAME_channel that only chooses among samples (fminf, fmaxf), in two steps.
// NAME_sort turns the three samples of a column into a NAME_column { low, middle, high }; NAME_of
// makes the result from three columns. Integers are not converted to floats: the build makes a
// second text of the kernel for them.
#define LG_CHOICE_OF_COLUMNS(name) LG_WINDOW_OF_CHANNELS(name)

#define LG_CHOICE_SAMPLES 2048 // whose columns stay in the first cache
#define LG_CHOICE_AT(name, i)                                                                      \
    (name##_column)                                                                                \
    {                                                                                              \
        low[i], middle[i], high[i]                                                                 \
    }

// That second text, with `type` for float. Columns are sorted once, though three results take each.
#define LG_CHOICE_LOOP(loop, name, type)                                                           \
    static void loop##_line(const void *const rows[3], int step, int count, void *to)              \
    {                                                                                              \
        type low[LG_CHOICE_SAMPLES + 8], middle[LG_CHOICE_SAMPLES + 8],                            \
            high[LG_CHOICE_SAMPLES + 8];                                                           \
        for (int first = 0; first < count; first += LG_CHOICE_SAMPLES) {                           \
            const int n = LG_MIN(count - first, LG_CHOICE_SAMPLES);                                \
            const type *above = (const type *)rows[0] + first - step;                              \
            const type *at = (const type *)rows[1] + first - step;                                 \
            const type *below = (const type *)rows[2] + first - step;                              \
            type *restrict out = (type *)to + first;                                               \
            for (int i = 0; i < n + 2 * step; i++) {                                               \
                const name##_column c = name##_sort(above[i], at[i], below[i]);                    \
                low[i] = c.low, middle[i] = c.middle, high[i] = c.high;                            \
            }                                                                                      \
            for (int i = 0; i < n; i++)                                                            \
                out[i] = name##_of(LG_CHOICE_AT(name, i), LG_CHOICE_AT(name, i + step),            \
                                   LG_CHOICE_AT(name, i + 2 * step));                              \
        }                                                                                          \
    }                                                                                              \
    static bool loop(const void *const rows[4], int lines, int step, int count, uint32_t set,      \
                     void *const to[2])                                                            \
    {                                                                                              \
        for (int k = 0; k < lines; k++)                                                            \
            loop##_line(rows + k, step, count, to[k]);                                             \
        return false;                                                                              \
    }

#define LG_GENERATE(name)                                                                          \
    static __attribute__((noinline)) void name##_loop(const lg_span *restrict s, LG_PLANES)        \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const color y = name##_kernel(lg_place(s, i), p);                                  \
                LG_WRITE(y);                                                                       \
            }                                                                                      \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        name##_loop(s, LG_OUT(s));                                                                 \
    }

// Instructions of a long kernel each wait for the one before, so four vectors are computed together. That
// is of use where the copies have registers of their own and are mixed, which gcc does only when it is asked;
// in other loops it makes registers scarce.
#define LG_UNROLL_LONG _Pragma("GCC unroll 4")
#if defined(__GNUC__) && !defined(__clang__)
#define LG_LONG_LOOP __attribute__((noinline, optimize("web", "schedule-insns")))
#else
#define LG_LONG_LOOP __attribute__((noinline))
#endif

// Writes the points to sample to out[0] (x) and out[1] (y).
#define LG_WARP(name)                                                                              \
    static LG_LONG_LOOP void name##_loop(const lg_span *restrict s, float *restrict x,             \
                                         float *restrict y)                                        \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        LG_UNROLL_LONG                                                                             \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const point from = name##_kernel(lg_place(s, i), p);                               \
                x[i] = from.x, y[i] = from.y;                                                      \
            }                                                                                      \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        name##_loop(s, LG_ALIGNED(s->out[0]), LG_ALIGNED(s->out[1]));                              \
    }

// A warp that reads points along a line: NAME_along says where, for t from -1 to 1.
#define LG_WARP_LINE(name)                                                                         \
    static int name##_points(const lg_span *s)                                                     \
    {                                                                                              \
        return (int)name##_count(name##_load(s));                                                  \
    }                                                                                              \
    static LG_LONG_LOOP void name##_loop(const lg_span *restrict s, float *restrict x,             \
                                         float *restrict y)                                        \
    {                                                                                              \
        const name##_params p = name##_load(s);                                                    \
        const float t = s->t;                                                                      \
        LG_UNROLL_LONG                                                                             \
        for                                                                                        \
            LG_EACH_PIXEL(s)                                                                       \
            {                                                                                      \
                const point from = name##_along(t, lg_place(s, i), p);                             \
                x[i] = from.x, y[i] = from.y;                                                      \
            }                                                                                      \
    }                                                                                              \
    static void name##_run(const lg_span *s)                                                       \
    {                                                                                              \
        name##_loop(s, LG_ALIGNED(s->out[0]), LG_ALIGNED(s->out[1]));                              \
    }

// What a warp with NAME_finish does to the sampled colours, as a point filter.
#define LG_FINISH(name) LG_POINT_LOOP(name, after, name##_finish)

// The lowest level alone defines the catalogue; the other levels only have the loops.
#ifdef LG_CPU_LOWEST
#define LG_CATALOGUE(name) const lg_filter_entry lg_filter_##name
#else
#define LG_CATALOGUE(name) static const lg_filter_entry lg_filter_##name __attribute__((unused))
#endif

#define LG_FILTER(name_, kind_, inputs_, ...)                                                      \
    LG_FILTER_ENTRY(name_, kind_, inputs_, NULL, NULL, NULL, NULL, NULL, NULL, NULL, __VA_ARGS__)
// With two parameters of which one is a lower and one an upper limit: lg_filter_entry.limits.
#define LG_FILTER_LIMITED(name_, kind_, inputs_, limits_, ...)                                     \
    LG_FILTER_ENTRY(name_, kind_, inputs_, NULL, NULL, NULL, NULL, NULL, limits_, NULL, __VA_ARGS__)
// With a function that checks combinations of values (lg_rule_fn).
#define LG_FILTER_RULED(name_, kind_, inputs_, rule_, ...)                                         \
    LG_FILTER_ENTRY(name_, kind_, inputs_, NULL, NULL, NULL, rule_, NULL, NULL, NULL, __VA_ARGS__)
// With a table function and a shape function; NULL for none.
#define LG_FILTER_WITH(name_, kind_, inputs_, table_, shape_, ...)                                 \
    LG_FILTER_ENTRY(name_, kind_, inputs_, table_, shape_, NULL, NULL, NULL, NULL, NULL,           \
                    __VA_ARGS__)
// A point filter that reads its second image as a table, which check_ accepts or refuses.
#define LG_FILTER_TABLE(name_, check_, ...)                                                        \
    LG_FILTER_ENTRY(name_, POINT, 2, NULL, NULL, check_, NULL, NULL, NULL, NULL, __VA_ARGS__)
// A point filter with a shape function and an lg_apart_fn.
#define LG_FILTER_APART(name_, shape_, apart_, ...)                                                \
    LG_FILTER_ENTRY(name_, POINT, 1, NULL, shape_, NULL, NULL, apart_, NULL, NULL, __VA_ARGS__)
// A warp whose output has rows of its input.
#define LG_FILTER_ROWS(name_, shape_, top_, ...)                                                   \
    LG_FILTER_ENTRY(name_, WARP, 1, NULL, shape_, NULL, NULL, NULL, NULL, top_, __VA_ARGS__)
#define LG_FILTER_ENTRY(name_, kind_, inputs_, table_, shape_, check_, rule_, apart_, limits_,     \
                        top_, ...)                                                                 \
    LG_CATALOGUE(name_) = {                                                                        \
        .filter = {.name = #name_,                                                                 \
                   .kind = LG_FILTER_##kind_,                                                      \
                   .inputs = inputs_,                                                              \
                   .params = name_##_rows,                                                         \
                   .param_count = LG_COUNT(name_##_rows) - 1,                                      \
                   .examples = name_##_examples,                                                   \
                   .example_count = LG_COUNT(name_##_examples) - 1,                                \
                   __VA_ARGS__},                                                                   \
        .text = name_##_text,                                                                      \
        .table = table_,                                                                           \
        .shape = shape_,                                                                           \
        .check = check_,                                                                           \
        .rule = rule_,                                                                             \
        .apart = apart_,                                                                           \
        .limits = limits_,                                                                         \
        .top = top_,                                                                               \
    }

// A filter that stands for a pipeline of others. In its text {name} is the value of a parameter;
// #in and #over are its images.
#define LG_PIPELINE(name_, inputs_, text_, ...)                                                    \
    LG_PIPELINE_LIMITED(name_, inputs_, text_, NULL, __VA_ARGS__)
#define LG_PIPELINE_LIMITED(name_, inputs_, text_, limits_, ...)                                   \
    LG_CATALOGUE(name_) = {                                                                        \
        .filter = {.name = #name_,                                                                 \
                   .kind = LG_FILTER_PIPELINE,                                                     \
                   .inputs = inputs_,                                                              \
                   .params = name_##_rows,                                                         \
                   .param_count = LG_COUNT(name_##_rows) - 1,                                      \
                   .pipeline = text_,                                                              \
                   __VA_ARGS__},                                                                   \
        .limits = limits_,                                                                         \
    }

#define LG_EXAMPLES(name, ...)                                                                     \
    static const lg_filter_example name##_examples[] = {__VA_ARGS__ __VA_OPT__(, ){0}};

LG_FUNCTION place lg_place(const lg_span *s, int i)
{
    return (place){((float)((int)s->column + i) + 0.5f) * s->inverse_width, s->y, s->aspect,
                   s->width, s->height};
}

#endif
