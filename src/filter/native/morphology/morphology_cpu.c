// Extremes over windows, for one CPU level.
#include "filter/alpha.h"
#include "filter/native/morphology/morphology.h"
#include "kernel/prelude.h"

#include <string.h>

#define SLACK 64                 // keys behind a buffer that whole vectors may read
#define NEAR  ((size_t)32 << 10) // bytes of a block that is visited twice in a row

// ---- kernels per type and direction -------------------------------------------------------------

typedef struct kernels {
    // out = the better of a and b
    void (*pair)(const void *a, const void *b, void *out, size_t n);
    // running = the better of running and row; out = the better of that and rest
    void (*fold)(void *running, const void *row, const void *rest, void *out, size_t n);
    // first = the best of rows 0 to 2, second = that of rows 1 to 3
    void (*threes)(const void *const rows[4], void *first, void *second, size_t n);
    // out[i] = the best of in[i + k step] for k < taps - 1 and in[i + last]; taps: 2, 3 or 4
    void (*spread)(const void *in, void *out, size_t n, size_t step, size_t last, int taps);
} kernels;

#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))

#define DEFINE_KERNELS(name, type, BEST)                                                           \
    static void name##_pair(const void *from, const void *with, void *to, size_t n)                \
    {                                                                                              \
        const type *a = from, *b = with;                                                           \
        type *restrict out = to;                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = BEST(a[i], b[i]);                                                             \
    }                                                                                              \
    static void name##_fold(void *running, const void *from, const void *with, void *to, size_t n) \
    {                                                                                              \
        type *restrict run = running, *restrict out = to;                                          \
        const type *restrict row = from, *restrict rest = with;                                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            const type v = BEST(run[i], row[i]);                                                   \
            run[i] = v;                                                                            \
            out[i] = BEST(v, rest[i]);                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_threes(const void *const rows[4], void *first, void *second, size_t n)      \
    {                                                                                              \
        const type *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];                         \
        type *restrict out = first, *restrict next = second;                                       \
        for (size_t i = 0; i < n; i++) {                                                           \
            const type both = BEST(b[i], c[i]);                                                    \
            out[i] = BEST(a[i], both);                                                             \
            next[i] = BEST(both, d[i]);                                                            \
        }                                                                                          \
    }                                                                                              \
    static void name##_spread(const void *from, void *to, size_t n, size_t step, size_t last,      \
                              int taps)                                                            \
    {                                                                                              \
        const type *a = from, *b = a + step, *c = b + step, *z = a + last;                         \
        type *restrict out = to;                                                                   \
        if (taps == 2)                                                                             \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] = BEST(a[i], z[i]);                                                         \
        else if (taps == 3)                                                                        \
            for (size_t i = 0; i < n; i++) {                                                       \
                const type v = BEST(a[i], b[i]);                                                   \
                out[i] = BEST(v, z[i]);                                                            \
            }                                                                                      \
        else                                                                                       \
            for (size_t i = 0; i < n; i++) {                                                       \
                const type v = BEST(a[i], b[i]), w = BEST(c[i], z[i]);                             \
                out[i] = BEST(v, w);                                                               \
            }                                                                                      \
    }

DEFINE_KERNELS(max_u8, uint8_t, MORE)
DEFINE_KERNELS(min_u8, uint8_t, LESS)
DEFINE_KERNELS(max_u16, uint16_t, MORE)
DEFINE_KERNELS(min_u16, uint16_t, LESS)
DEFINE_KERNELS(max_f16, int16_t, MORE)
DEFINE_KERNELS(min_f16, int16_t, LESS)
DEFINE_KERNELS(max_f32, int32_t, MORE)
DEFINE_KERNELS(min_f32, int32_t, LESS)

#define KERNELS(name)                                                                              \
    {                                                                                              \
        name##_pair, name##_fold, name##_threes, name##_spread                                     \
    }

static const kernels *kernels_of(lg_type key, bool max)
{
    static const kernels all[LG_TYPES][2] = {
        [LG_U8] = {KERNELS(min_u8), KERNELS(max_u8)},
        [LG_U16] = {KERNELS(min_u16), KERNELS(max_u16)},
        [LG_F16] = {KERNELS(min_f16), KERNELS(max_f16)},
        [LG_F32] = {KERNELS(min_f32), KERNELS(max_f32)},
    };
    return &all[key][max];
}

// ---- keys ---------------------------------------------------------------------------------------

// The key that every other one beats; NaN has it.
static void fill_losing(lg_type key, bool max, void *to, size_t n)
{
    switch (key) {
    case LG_U8:
        memset(to, max ? 0 : 255, n);
        return;
    case LG_U16:
        memset(to, max ? 0 : 255, n * sizeof(uint16_t));
        return;
    case LG_F16:
        for (size_t i = 0; i < n; i++)
            ((int16_t *)to)[i] = max ? INT16_MIN : INT16_MAX;
        return;
    default:
        for (size_t i = 0; i < n; i++)
            ((int32_t *)to)[i] = max ? INT32_MIN : INT32_MAX;
    }
}

// Every step-th sample from `from` to keys.
#define DEFINE_KEYS(name, type, KEY)                                                               \
    static inline __attribute__((always_inline)) void name##_stepped(                              \
        const type *p, size_t step, type losing, type *restrict keys, size_t n)                    \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            keys[i] = KEY(p[i * step], losing);                                                    \
    }                                                                                              \
    static void name(const void *from, size_t step, type losing, void *to, size_t n)               \
    {                                                                                              \
        if (step == 1) /* apart, so that the compiler knows the step */                            \
            name##_stepped(from, 1, losing, to, n);                                                \
        else if (step == 2)                                                                        \
            name##_stepped(from, 2, losing, to, n);                                                \
        else                                                                                       \
            name##_stepped(from, 4, losing, to, n);                                                \
    }

#define KEY_INTEGER(v, losing) (v)
#define KEY_F16(v, losing)                                                                         \
    (((v)&0x7fff) > 0x7c00 ? (losing) : (int16_t)((v) ^ (((v) >> 15) & 0x7fff)))
#define KEY_F32(v, losing)                                                                         \
    (((v)&0x7fffffff) > 0x7f800000 ? (losing) : ((v) ^ (((v) >> 31) & 0x7fffffff)))

DEFINE_KEYS(keys_u8, uint8_t, KEY_INTEGER)
DEFINE_KEYS(keys_u16, uint16_t, KEY_INTEGER)
DEFINE_KEYS(keys_f16, int16_t, KEY_F16)
DEFINE_KEYS(keys_f32, int32_t, KEY_F32)

static void to_keys(lg_type key, const void *from, size_t step, bool max, void *to, size_t n)
{
    switch (key) {
    case LG_U8:
        keys_u8(from, step, 0, to, n);
        return;
    case LG_U16:
        keys_u16(from, step, 0, to, n);
        return;
    case LG_F16:
        keys_f16(from, step, max ? INT16_MIN : INT16_MAX, to, n);
        return;
    default:
        keys_f32(from, step, max ? INT32_MIN : INT32_MAX, to, n);
    }
}

// Keys back to the bits of samples, in place. A key of NaN becomes a NaN.
static void from_keys(lg_type key, void *keys, size_t n)
{
    if (key == LG_F16)
        for (size_t i = 0; i < n; i++) {
            const int16_t k = ((int16_t *)keys)[i];
            ((int16_t *)keys)[i] = (int16_t)(k ^ ((k >> 15) & 0x7fff));
        }
    if (key == LG_F32)
        for (size_t i = 0; i < n; i++) {
            const int32_t k = ((int32_t *)keys)[i];
            ((int32_t *)keys)[i] = k ^ ((k >> 31) & 0x7fffffff);
        }
}

// What lost against everything in one direction has to lose in the other as well.
static void turn_losing(lg_type key, bool max, void *keys, size_t n)
{
    if (key == LG_F16)
        for (size_t i = 0; i < n; i++) {
            int16_t *k = (int16_t *)keys + i;
            *k = max ? (*k == INT16_MAX ? INT16_MIN : *k) : (*k == INT16_MIN ? INT16_MAX : *k);
        }
    if (key == LG_F32)
        for (size_t i = 0; i < n; i++) {
            int32_t *k = (int32_t *)keys + i;
            *k = max ? (*k == INT32_MAX ? INT32_MIN : *k) : (*k == INT32_MIN ? INT32_MAX : *k);
        }
}

// ---- scratch ------------------------------------------------------------------------------------

typedef struct space {
    const lg_morphology_pass *pass;
    const kernels *vertical;
    size_t size, pixel; // bytes of a key and of a pixel's keys
    int32_t x0, x1;     // columns of the output
    int32_t c0, count;  // columns that are taken down for it, and how many
    int32_t rows;       // of the vertical window
    size_t pad, line;   // bytes beside a row on either side, and from row to row
    size_t suffix_line;
    size_t step;     // bytes of a row that pass down the columns together
    bool converts;   // rows of the input are not keys as they lie there
    bool direct;     // keys of a row may be written where the row belongs
    char *suffix;    // [rows][columns]: extremes from a row to the end of its block
    char *lines;     // [rows][pad, columns, pad]: extremes down the columns
    char *strip;     // [rows][strip]: rows of the block that have to be converted
    char *nothing;   // a strip of what stands outside
    char *running;   // extremes from the begin of a block
    char *piece;     // a strip of a row that still has to be converted
    char *across[2]; // a line each
    char *done;      // a line that still has to be converted
    float *planes;
    const char **row; // [rows]
} space;

static char *take(char *base, size_t *at, size_t bytes)
{
    char *here = base ? base + *at : NULL;
    *at = lg_align_up(*at + bytes, 64);
    return here;
}

// Lays the scratch out; without a base only the size counts.
static size_t lay_out(space *s, char *base)
{
    const lg_morphology_pass *p = s->pass;
    lg_window_side reach = {0, 0};
    int32_t most = 0;
    for (int i = 0; i < p->across_count; i++) {
        const lg_window_side *side = &p->across[i].side;
        reach.before += side->before;
        reach.after += side->after;
        most = LG_MAX(most, LG_MAX(side->before, side->after));
    }
    s->c0 = LG_MAX(s->x0 - reach.before, 0);
    s->count = LG_MIN(s->x1 + reach.after, p->width) - s->c0;
    s->size = lg_type_size(p->key);
    s->pixel = s->size * (size_t)p->components;
    s->rows = p->down ? lg_window_size(p->vertical.side) : 1;
    s->pad = lg_align_up((size_t)most * s->pixel, 64);
    s->suffix_line = lg_align_up((size_t)s->count * s->pixel, 64);
    s->line = s->suffix_line + 2 * s->pad + SLACK * sizeof(float);
    const size_t rows = (size_t)s->rows;
    s->step = LG_MORPHOLOGY_STRIP;
    while (s->step > 64 && rows * s->step > NEAR)
        s->step /= 2;
    size_t at = 0;
    s->suffix = take(base, &at, p->down ? rows * s->suffix_line : 0);
    s->lines = take(base, &at, p->across_count ? rows * s->line : 0);
    s->strip = take(base, &at, rows * s->step);
    s->nothing = take(base, &at, s->step);
    s->running = take(base, &at, s->step);
    s->piece = take(base, &at, s->step);
    s->across[0] = take(base, &at, p->across_count ? s->line : 0);
    s->across[1] = take(base, &at, p->across_count ? s->line : 0);
    s->done = take(base, &at, s->line);
    s->planes = (float *)take(base, &at, 4 * LG_SPAN * sizeof(float));
    s->row = (const char **)take(base, &at, rows * sizeof *s->row);
    return at;
}

static bool is_integer(lg_type type)
{
    return type == LG_U8 || type == LG_U16;
}

static bool is_grey(const lg_morphology_pass *p)
{
    return p->components == 1;
}

// The rows of the image are its keys, but for the bits of floats.
static bool same_layout(const lg_morphology_pass *p, const lg_pixels *image)
{
    return image->type == p->key && image->channels == p->components &&
           (image->alpha != LG_ALPHA_PREMULTIPLIED || image->channels == 1);
}

static void begin(space *s)
{
    const lg_morphology_pass *p = s->pass;
    s->converts = !p->from_plane && !(same_layout(p, &p->in) && is_integer(p->key));
    s->direct = p->to_plane || (same_layout(p, &p->out) && is_integer(p->key));
    if (p->down) {
        s->vertical = kernels_of(p->key, p->vertical.max);
        if (p->outside == LG_OUTSIDE_ZERO)
            memset(s->nothing, 0, s->step);
        else
            fill_losing(p->key, p->vertical.max, s->nothing, s->step / s->size);
    }
}

// ---- from the image, to the image ---------------------------------------------------------------

// Straight colour of premultiplied pixels.
static void fetch_straight(const space *s, int32_t x, int32_t y, int32_t count, bool max, char *to)
{
    const lg_morphology_pass *p = s->pass;
    float *const planes[4] = {s->planes, s->planes + LG_SPAN, s->planes + 2 * LG_SPAN,
                              s->planes + 3 * LG_SPAN};
    const int32_t losing = max ? INT32_MIN : INT32_MAX;
    for (int32_t at = 0; at < count; at += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, count - at);
        p->stage->load(&p->in, x + at, y, n, planes);
        for (int c = 0; c < p->components; c++) {
            int32_t *keys = (int32_t *)to + (size_t)at * (size_t)p->components + c;
            for (int32_t i = 0; i < n; i++) {
                const int32_t bits = (int32_t)lg_bits(planes[c][i]);
                keys[(size_t)i * (size_t)p->components] = KEY_F32(bits, losing);
            }
        }
    }
}

// Keys of `count` pixels of row y, which is inside, in `to`.
static void fetch(const space *s, int32_t x, int32_t y, int32_t count, bool max, char *to)
{
    const lg_morphology_pass *p = s->pass;
    if (p->from_plane) {
        memcpy(to, p->in_plane.data + (size_t)y * p->in_plane.row_stride + (size_t)x * s->pixel,
               (size_t)count * s->pixel);
        return;
    }
    if (p->in.alpha == LG_ALPHA_PREMULTIPLIED && p->in.channels != 1) {
        fetch_straight(s, x, y, count, max, to);
        return;
    }
    const char *from =
        p->in.data + (size_t)y * p->in.row_stride + (size_t)x * s->size * (size_t)p->in.channels;
    const size_t step = is_grey(p) ? (size_t)p->in.channels : 1;
    to_keys(p->key, from, step, max, to, (size_t)count * (size_t)p->components);
}

static void widen_grey(const lg_pixels *out, const void *keys, size_t n, char *to)
{
    const bool alpha = out->channels == 4 || out->alpha != LG_ALPHA_NONE;
#define WIDEN(type, one)                                                                           \
    for (size_t i = 0; i < n; i++) {                                                               \
        const type v = ((const type *)keys)[i];                                                    \
        type *pixel = (type *)to + i * (size_t)out->channels;                                      \
        if (out->channels == 4)                                                                    \
            pixel[1] = pixel[2] = v;                                                               \
        pixel[0] = v;                                                                              \
        pixel[out->channels - 1] = alpha ? (type)(one) : v;                                        \
    }
    switch (out->type) {
    case LG_U8:
        WIDEN(uint8_t, 255)
        return;
    case LG_U16:
        WIDEN(uint16_t, 65535)
        return;
    case LG_F16:
        WIDEN(uint16_t, 0x3c00)
        return;
    default:
        WIDEN(uint32_t, 0x3f800000)
    }
#undef WIDEN
}

static char *place_of(const space *s, int32_t x, int32_t y)
{
    const lg_morphology_pass *p = s->pass;
    if (p->to_plane)
        return p->out_plane.data + (size_t)y * p->out_plane.row_stride + (size_t)x * s->pixel;
    return p->out.data + (size_t)y * p->out.row_stride +
           (size_t)x * lg_type_size(p->out.type) * (size_t)p->out.channels;
}

// Through colours: for another type, or for premultiplied pixels.
static void put_colors(const space *s, int32_t x, int32_t y, int32_t count, char *samples)
{
    const lg_morphology_pass *p = s->pass;
    const lg_pixels row = {.data = samples,
                           .width = count,
                           .height = 1,
                           .channels = p->components,
                           .type = p->key,
                           .alpha = is_grey(p)                              ? LG_ALPHA_NONE
                                    : p->in.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT
                                                                            : p->in.alpha};
    float *const planes[4] = {s->planes, s->planes + LG_SPAN, s->planes + 2 * LG_SPAN,
                              s->planes + 3 * LG_SPAN};
    for (int32_t at = 0; at < count; at += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, count - at);
        p->stage->load(&row, at, 0, n, planes);
        p->stage->store(&p->out, x + at, y, n, planes);
    }
}

// What is left to do for pixels that were computed in place.
static void seal(const space *s, int32_t x, int32_t y, int32_t count)
{
    const lg_morphology_pass *p = s->pass;
    if (!p->to_plane && p->out.channels != 1 && p->out.alpha == LG_ALPHA_OPAQUE)
        lg_set_alpha(p->out.type, p->out.channels, NULL, (size_t)count, place_of(s, x, y));
}

// Writes keys where they belong; spoils them.
static void put(const space *s, int32_t x, int32_t y, int32_t count, char *keys)
{
    const lg_morphology_pass *p = s->pass;
    const size_t n = (size_t)count * (size_t)p->components;
    char *to = place_of(s, x, y);
    if (!p->to_plane)
        from_keys(p->key, keys, n);
    if (p->to_plane || same_layout(p, &p->out)) {
        memcpy(to, keys, n * s->size);
        seal(s, x, y, count);
    } else if (is_grey(p) && p->key == p->out.type) {
        widen_grey(&p->out, keys, n, to);
    } else {
        put_colors(s, x, y, count, keys);
    }
}

// ---- down the columns ---------------------------------------------------------------------------

// Row v of the image with its border; `slot` names the place where it may be converted. Whole
// vectors may be read.
static const char *source_row(const space *s, int32_t v, int32_t x, int32_t count, int32_t slot)
{
    const lg_morphology_pass *p = s->pass;
    if (v < 0 || v >= p->height) {
        if (p->outside != LG_OUTSIDE_WRAP)
            return s->nothing;
        v += v < 0 ? p->height : -p->height;
    }
    if (p->from_plane) // its rows have a margin
        return p->in_plane.data + (size_t)v * p->in_plane.row_stride + (size_t)x * s->pixel;
    char *to = s->strip + (size_t)slot * s->step;
    if (s->converts) {
        fetch(s, x, v, count, p->vertical.max, to);
        return to;
    }
    const char *from = p->in.data + (size_t)v * p->in.row_stride + (size_t)x * s->pixel;
    if ((size_t)count * s->pixel % 64 == 0)
        return from;
    memcpy(to, from, (size_t)count * s->pixel);
    return to;
}

// Where the extremes of row k of a block go: behind the returned place whole vectors fit.
static char *vertical_place(const space *s, int32_t k, int32_t x, int32_t y, int32_t count)
{
    if (s->pass->across_count)
        return s->lines + (size_t)k * s->line + s->pad + (size_t)(x - s->c0) * s->pixel;
    const bool whole = s->pass->to_plane || (size_t)count * s->pixel % 64 == 0;
    return s->direct && whole ? place_of(s, x, y) : s->piece;
}

static void vertical_done(const space *s, const char *at, int32_t x, int32_t y, int32_t count)
{
    if (s->pass->across_count)
        return;
    if (at == s->piece)
        put(s, x, y, count, s->piece);
    else
        seal(s, x, y, count);
}

// Asks for the piece of row v that the next strip reads, or the first one of the next block: short pieces
// of rows are nothing that a processor sees coming.
static void ask_for(const space *s, int32_t v, int32_t x)
{
    const lg_morphology_pass *p = s->pass;
    if (x >= s->c0 + s->count)
        v += s->rows, x = s->c0;
    if (v < 0 || v >= p->height)
        return;
    const char *row = p->from_plane ? p->in_plane.data + (size_t)v * p->in_plane.row_stride
                                    : p->in.data + (size_t)v * p->in.row_stride;
    const size_t pixel =
        p->from_plane ? s->pixel : lg_type_size(p->in.type) * (size_t)p->in.channels;
    const size_t left = (size_t)(s->c0 + s->count - x) * pixel;
    const char *at = row + (size_t)x * pixel;
    for (size_t i = 0; i < LG_MIN(left, s->step); i += 64)
        __builtin_prefetch(at + i);
}

// Columns x .. x+count-1 of `outputs` rows from y on, whose block ends were prepared in s->suffix;
// then, if more follow, the ends of the next block.
static void run_strip(const space *s, int32_t x, int32_t count, int32_t y, int32_t outputs,
                      bool more)
{
    const lg_morphology_pass *p = s->pass;
    const int32_t next = y + p->vertical.side.after + 1; // first row of the next block
    const size_t n = lg_align_up((size_t)count * s->pixel, 64) / s->size;
    char *ends = s->suffix + (size_t)(x - s->c0) * s->pixel;
    const int32_t rows = more ? s->rows : outputs - 1;
    for (int32_t k = 0; k < rows; k++)
        s->row[k] = source_row(s, next + k, x, count, k);
    for (int32_t k = 0; k < outputs; k++) {
        char *to = vertical_place(s, k, x, y + k, count);
        ask_for(s, next + k, x + count);
        const char *rest = ends + (size_t)k * s->suffix_line;
        if (k == 0) {
            memcpy(to, rest, n * s->size);
        } else if (k == 1) {
            memcpy(s->running, s->row[0], n * s->size);
            s->vertical->pair(s->running, rest, to, n);
        } else {
            s->vertical->fold(s->running, s->row[k - 1], rest, to, n);
        }
        vertical_done(s, to, x, y + k, count);
    }
    if (!more)
        return;
    char *end = ends + (size_t)(s->rows - 1) * s->suffix_line;
    memcpy(end, s->row[s->rows - 1], n * s->size);
    for (int32_t k = s->rows - 2; k >= 0; k--, end -= s->suffix_line)
        s->vertical->pair(end, s->row[k], end - s->suffix_line, n);
}

// ---- along the rows -----------------------------------------------------------------------------

// Columns first .. end-1 of a row; at[0] is the first. There is room for pads on both sides.
typedef struct stretch {
    int32_t first, end;
    char *at;
} stretch;

// What stands outside, where the stretch ends with the image.
static void fill_pads(const space *s, const lg_extreme *e, const stretch *row)
{
    const lg_morphology_pass *p = s->pass;
    const size_t before = (size_t)e->side.before * s->pixel;
    const size_t after = (size_t)e->side.after * s->pixel;
    char *left = row->at - before, *right = row->at + (size_t)(row->end - row->first) * s->pixel;
    for (int side = 0; side < 2; side++) {
        char *pad = side ? right : left;
        const size_t bytes = side ? after : before;
        if (side ? row->end < p->width : row->first > 0)
            continue;
        if (p->outside == LG_OUTSIDE_WRAP)
            memcpy(pad, side ? row->at : right - bytes, bytes);
        else if (p->outside == LG_OUTSIDE_ZERO)
            memset(pad, 0, bytes);
        else
            fill_losing(p->key, e->max, pad, bytes / s->size);
    }
}

// Extremes of `row` for the columns of `to`. exact: nothing behind the last one may be written.
static void extreme_across(const space *s, const lg_extreme *e, const stretch *row,
                           const stretch *to, bool exact)
{
    const kernels *k = kernels_of(s->pass->key, e->max);
    const size_t components = (size_t)s->pass->components;
    const size_t keys = (size_t)(to->end - to->first) * components;
    const size_t side = (size_t)lg_window_size(e->side);
    fill_pads(s, e, row);
    const char *from = row->at + (to->first - e->side.before - row->first) * (ptrdiff_t)s->pixel;
    size_t have = 1, length = keys + (side - 1) * components;
    for (int turn = 0; 4 * have < side; turn ^= 1) {
        length -= 3 * have * components;
        k->spread(from, s->across[turn], lg_align_up(length, SLACK), have * components,
                  3 * have * components, 4);
        from = s->across[turn];
        have *= 4;
    }
    const int taps = (int)((side + have - 1) / have);
    const size_t step = have * components, last = (side - have) * components;
    const size_t whole = keys & ~(size_t)(SLACK - 1);
    if (taps == 1) {
        memcpy(to->at, from, keys * s->size);
    } else if (!exact) {
        k->spread(from, to->at, lg_align_up(keys, SLACK), step, last, taps);
    } else {
        k->spread(from, to->at, whole, step, last, taps);
        if (whole < keys) {
            char tail[SLACK * sizeof(float)];
            k->spread(from + whole * s->size, tail, SLACK, step, last, taps);
            memcpy(to->at + whole * s->size, tail, (keys - whole) * s->size);
        }
    }
}

static void run_across(const space *s, char *line, int32_t y)
{
    const lg_morphology_pass *p = s->pass;
    stretch row = {s->c0, s->c0 + s->count, line + s->pad};
    if (p->across_count == 2) {
        const lg_window_side *reach = &p->across[1].side;
        const stretch first = {LG_MAX(s->x0 - reach->before, 0),
                               LG_MIN(s->x1 + reach->after, p->width), s->done + s->pad};
        extreme_across(s, &p->across[0], &row, &first, false);
        const size_t pixels = (size_t)(first.end - first.first);
        row = (stretch){first.first, first.end, line + s->pad};
        memcpy(row.at, first.at, pixels * s->pixel);
        turn_losing(p->key, p->across[1].max, row.at, pixels * (size_t)p->components);
    }
    const lg_extreme *e = &p->across[p->across_count - 1];
    const stretch to = {s->x0, s->x1, s->direct ? place_of(s, s->x0, y) : s->done};
    extreme_across(s, e, &row, &to, s->direct);
    if (s->direct)
        seal(s, s->x0, y, s->x1 - s->x0);
    else
        put(s, s->x0, y, s->x1 - s->x0, s->done);
}

// ---- a pass -------------------------------------------------------------------------------------

static void run_down(const space *s, int32_t y0, int32_t y1)
{
    const lg_morphology_pass *p = s->pass;
    const int32_t step = (int32_t)(s->step / s->pixel);
    // The ends of the first block: no row of output comes before it.
    for (int32_t x = 0; x < s->count; x += step)
        run_strip(s, s->c0 + x, LG_MIN(step, s->count - x), y0 - s->rows, 0, true);
    for (int32_t y = y0; y < y1; y += s->rows) {
        const int32_t outputs = LG_MIN(s->rows, y1 - y);
        for (int32_t x = 0; x < s->count; x += step)
            run_strip(s, s->c0 + x, LG_MIN(step, s->count - x), y, outputs, y + s->rows < y1);
        for (int32_t k = 0; k < outputs && p->across_count; k++)
            run_across(s, s->lines + (size_t)k * s->line, y + k);
    }
}

// Windows of three rows that lie in the image as keys: a block of rows would take more than the rows, of
// which each is compared with two.
static bool takes_threes(const space *s)
{
    const lg_morphology_pass *p = s->pass;
    return p->across_count == 1 && !s->converts && !p->from_plane && p->vertical.side.before == 1 &&
           p->vertical.side.after == 1 && p->outside == LG_OUTSIDE_CUT;
}

static void run_threes(const space *s, int32_t y0, int32_t y1)
{
    const lg_pixels *in = &s->pass->in;
    for (int32_t y = y0; y < y1; y += 2) {
        const void *rows[4];
        for (int32_t k = 0; k < 4; k++) {
            const int32_t row = LG_MIN(LG_MAX(y + k - 1, 0), in->height - 1);
            rows[k] = in->data + (size_t)row * in->row_stride + (size_t)s->c0 * s->pixel;
        }
        s->vertical->threes(rows, s->lines + s->pad, s->lines + s->line + s->pad,
                            (size_t)s->count * s->pixel / s->size);
        for (int32_t k = 0; k < LG_MIN(2, y1 - y); k++)
            run_across(s, s->lines + (size_t)k * s->line, y + k);
    }
}

static void run(const lg_morphology_pass *pass, int32_t x0, int32_t x1, int32_t y0, int32_t y1,
                char *scratch)
{
    space s = {.pass = pass, .x0 = x0, .x1 = x1};
    lay_out(&s, scratch);
    begin(&s);
    if (pass->down && takes_threes(&s)) {
        run_threes(&s, y0, y1);
        return;
    }
    if (pass->down) {
        run_down(&s, y0, y1);
        return;
    }
    for (int32_t y = y0; y < y1; y++) {
        fetch(&s, s.c0, y, s.count, pass->across_count && pass->across[0].max, s.lines + s.pad);
        run_across(&s, s.lines, y);
    }
}

static size_t scratch_size(const lg_morphology_pass *pass, int32_t columns)
{
    // In the middle of a row, where a stretch reaches out to both sides.
    space s = {.pass = pass, .x0 = (pass->width - columns) / 2};
    s.x1 = s.x0 + columns;
    return lay_out(&s, NULL);
}

extern const lg_morphology_table LG_CPU_TABLE(morphology);
const lg_morphology_table LG_CPU_TABLE(morphology) = {run, scratch_size};
