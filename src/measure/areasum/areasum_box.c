// What a box of area sums adds up to: corners of tables, nodes of ripmaps, and the figures they make.
#include "measure/areasum/areasum_planes.h"

#include <math.h>
#include <string.h>

#include "kernel/float_bits.h"

lg_area_state lg_area_state_empty(void)
{
    return (lg_area_state){.min = UINT64_MAX, .max = 0};
}

void lg_area_state_add(lg_area_state *to, const lg_area_state *from)
{
    to->count += from->count;
    to->above += from->above;
    to->sum += from->sum;
    to->low += from->low;
    to->squares += from->squares;
    to->real += from->real + ((double)from->hi + (double)from->lo);
    to->min = LG_MIN(to->min, from->min);
    to->max = LG_MAX(to->max, from->max);
}

static uint64_t load(const lg_area_plane *plane, const void *words, size_t i)
{
    return plane->word == LG_AREA_U64 ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
}

// ---- tables ---------------------------------------------------------------------------------------

// Calls for each corner of a box its index and whether it counts negative.
#define EACH_CORNER(a, bounds, at, negative, ...)                                                  \
    for (unsigned corner_ = 0; corner_ < 1u << (a)->shape.dims; corner_++) {                       \
        size_t at = 0, step_ = 1;                                                                  \
        bool negative = false, there_ = true;                                                      \
        for (int d_ = 0; d_ < (a)->shape.dims; d_++) {                                             \
            const bool lower_ = corner_ >> d_ & 1;                                                 \
            const int32_t i_ = lower_ ? (bounds)[d_] : (bounds)[(a)->shape.dims + d_];             \
            negative ^= lower_;                                                                    \
            there_ = there_ && i_ > 0;                                                             \
            at += step_ * (size_t)(i_ > 0 ? i_ - 1 : 0);                                           \
            step_ *= (size_t)(a)->shape.extent[d_];                                                \
        }                                                                                          \
        if (there_) {                                                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static uint64_t table_sum(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                          int channel)
{
    const size_t channels = (size_t)a->shape.channels;
    uint64_t sum = 0;
    EACH_CORNER(a, bounds, at, negative, {
        const uint64_t v = load(plane, plane->data, at * channels + (size_t)channel);
        sum += negative ? 0 - v : v;
    })
    return plane->word == LG_AREA_U32 ? (uint32_t)sum : sum;
}

// In parts whose sums fit 32 bits: the longest axis is cut in two.
static uint64_t wrapping_sum(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                             int channel)
{
    const int dims = a->shape.dims;
    size_t elements = 1;
    int longest = 0;
    for (int d = 0; d < dims; d++) {
        elements *= (size_t)(bounds[dims + d] - bounds[d]);
        if (bounds[dims + d] - bounds[d] > bounds[dims + longest] - bounds[longest])
            longest = d;
    }
    if (elements <= LG_AREA_PART)
        return table_sum(a, plane, bounds, channel);
    int32_t half[2 * LG_AREA_DIMS];
    const int32_t middle = bounds[longest] + (bounds[dims + longest] - bounds[longest]) / 2;
    memcpy(half, bounds, 2 * (size_t)dims * sizeof *half);
    half[dims + longest] = middle;
    const uint64_t first = wrapping_sum(a, plane, half, channel);
    half[dims + longest] = bounds[dims + longest];
    half[longest] = middle;
    return first + wrapping_sum(a, plane, half, channel);
}

static float plain_sum(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                       int channel)
{
    const float *words = plane->data;
    float sum = 0;
    EACH_CORNER(a, bounds, at, negative, {
        const float v = words[at * (size_t)a->shape.channels + (size_t)channel];
        sum = negative ? sum - v : sum + v;
    })
    return sum;
}

// ---- ripmaps --------------------------------------------------------------------------------------

typedef struct span {
    int level;
    int32_t index;
} span;

#define MOST_SPANS 64

// The nodes of an interval along an axis, from both ends inwards.
static int cut(int32_t first, int32_t end, span *out)
{
    int count = 0;
    for (int level = 0; first < end; level++, first >>= 1, end >>= 1) {
        if (first & 1)
            out[count++] = (span){level, first++};
        if (end & 1 && first < end)
            out[count++] = (span){level, --end};
    }
    return count;
}

typedef struct walk {
    const lg_areasum *a;
    span spans[LG_AREA_DIMS][MOST_SPANS];
    int count[LG_AREA_DIMS], at[LG_AREA_DIMS];
} walk;

static void walk_begin(walk *w, const lg_areasum *a, const int32_t *bounds)
{
    w->a = a;
    for (int d = 0; d < a->shape.dims; d++) {
        w->count[d] = cut(bounds[d], bounds[a->shape.dims + d], w->spans[d]);
        w->at[d] = 0;
    }
}

// The node's block and place, in elements; its elements are 2^*size.
static size_t walk_node(const walk *w, size_t *place, int *size)
{
    size_t index = 0, at = 0;
    *size = 0;
    for (int d = w->a->shape.dims - 1; d >= 0; d--) {
        const span s = w->spans[d][w->at[d]];
        index = index * (size_t)w->a->levels[d] + (size_t)s.level;
        at = at * (size_t)(w->a->shape.extent[d] >> s.level) + (size_t)s.index;
        *size += s.level;
    }
    *place = at;
    return index;
}

static bool walk_next(walk *w)
{
    for (int d = 0; d < w->a->shape.dims; d++) {
        if (++w->at[d] < w->count[d])
            return true;
        w->at[d] = 0;
    }
    return false;
}

// Adds a float to a pair.
static void add_pair(lg_area_state *state, float v)
{
    const float s = state->hi + v, t = s - state->hi;
    state->lo += (state->hi - (s - t)) + (v - t);
    state->hi = s;
}

// Adds a sum of words of a plane, which may have a sign.
static void add_sum(const lg_areasum *a, const lg_area_plane *plane, uint64_t sum,
                    lg_area_state *state)
{
    if (plane->op == LG_AREA_OP_SUM)
        state->sum += lg_area_is_signed(a) ? (lg_i128)(int64_t)sum : (lg_i128)sum;
    else if (plane->op == LG_AREA_OP_SUM_LOW)
        state->low += (int64_t)sum;
    else if (lg_area_is_of_values(plane->op))
        state->squares += lg_area_square(a, plane, sum);
    else if (plane->op == LG_AREA_OP_COUNT)
        state->count += sum;
    else
        state->above += sum;
}

static bool is_extreme(const lg_area_plane *plane)
{
    return plane->op == LG_AREA_OP_LEAST || plane->op == LG_AREA_OP_MOST;
}

static void add_node(const lg_areasum *a, const lg_area_plane *plane, size_t block, size_t place,
                     lg_area_state *state)
{
    const void *words = lg_area_block(a, plane, block);
    if (plane->op == LG_AREA_OP_LEAST)
        state->min = LG_MIN(state->min, load(plane, words, place));
    else if (plane->op == LG_AREA_OP_MOST)
        state->max = LG_MAX(state->max, load(plane, words, place));
    else if (plane->word == LG_AREA_F32)
        add_pair(state, ((const float *)words)[place]);
    else
        add_sum(a, plane, load(plane, words, place), state);
}

// Sums in two dimensions, of nodes in the same order.
static void add_flat_nodes(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                           int channel, lg_area_state *state)
{
    const size_t channels = (size_t)a->shape.channels;
    span across[MOST_SPANS], down[MOST_SPANS];
    const int columns = cut(bounds[0], bounds[2], across), rows = cut(bounds[1], bounds[3], down);
    lg_area_state pair = *state;
    uint64_t sum = 0;
    for (int y = 0; y < rows; y++) {
        const size_t block = (size_t)(down[y].level * a->levels[0]), row = (size_t)down[y].index;
        for (int x = 0; x < columns; x++) {
            const size_t width = (size_t)(a->shape.extent[0] >> across[x].level),
                         at = (row * width + (size_t)across[x].index) * channels + (size_t)channel;
            const void *words = lg_area_block(a, plane, block + (size_t)across[x].level);
            if (plane->word == LG_AREA_F32)
                add_pair(&pair, ((const float *)words)[at]);
            else
                sum += load(plane, words, at);
        }
        lg_context_relieve(plane->limited);
    }
    *state = pair;
    if (plane->word != LG_AREA_F32)
        add_sum(a, plane, sum, state);
}

void lg_area_add_nodes(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                       int channel, lg_area_state *state)
{
    if (a->shape.dims == 2 && !is_extreme(plane)) {
        add_flat_nodes(a, plane, bounds, channel, state);
        return;
    }
    walk w;
    int count = 0;
    walk_begin(&w, a, bounds);
    do {
        if (++count % LG_AREA_MAPPED_NODES == 0)
            lg_context_relieve(plane->limited);
        size_t place;
        int size;
        const size_t block = walk_node(&w, &place, &size);
        add_node(a, plane, block, place * (size_t)a->shape.channels + (size_t)channel, state);
    } while (walk_next(&w));
}

// ---- boxes and figures ----------------------------------------------------------------------------

static void add_plane(const lg_areasum *a, lg_area_op op, const int32_t *bounds, int channel,
                      lg_area_state *state)
{
    const lg_area_plane *plane = &a->planes[a->plane_of[op]];
    if (a->params.kind == LG_AREASUM_RIPMAP) {
        lg_area_add_nodes(a, plane, bounds, channel, state);
        return;
    }
    if (plane->word == LG_AREA_F32) {
        state->real += (double)plain_sum(a, plane, bounds, channel);
        return;
    }
    const uint64_t sum = lg_area_wraps(a, plane) ? wrapping_sum(a, plane, bounds, channel)
                                                 : table_sum(a, plane, bounds, channel);
    add_sum(a, plane, sum, state);
    lg_context_relieve(plane->limited);
}

bool lg_area_needs(lg_area_figure figure, lg_area_op op)
{
    switch (op) {
    case LG_AREA_OP_SUM:
        return figure == LG_AREA_SUM || figure == LG_AREA_MEAN || figure == LG_AREA_VARIANCE;
    case LG_AREA_OP_SUM_LOW:
        return figure == LG_AREA_SUM || figure == LG_AREA_MEAN;
    case LG_AREA_OP_SQUARES:
    case LG_AREA_OP_SQUARES_TOP:
        return figure == LG_AREA_VARIANCE;
    case LG_AREA_OP_COUNT:
        return figure != LG_AREA_SUM;
    case LG_AREA_OP_LEAST:
        return figure == LG_AREA_MIN;
    case LG_AREA_OP_MOST:
        return figure == LG_AREA_MAX;
    case LG_AREA_OP_ABOVE:
        return figure == LG_AREA_COUNT_ABOVE;
    default:
        return false;
    }
}

uint64_t lg_area_elements(const lg_areasum *a, const int32_t *bounds)
{
    uint64_t count = 1;
    for (int d = 0; d < a->shape.dims; d++)
        count *= (uint64_t)(bounds[a->shape.dims + d] - bounds[d]);
    return count;
}

void lg_area_add_box(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds, int channel,
                     lg_area_state *state)
{
    if (a->plane_of[LG_AREA_OP_COUNT] < 0)
        state->count += lg_area_elements(a, bounds);
    for (int op = 0; op < LG_AREA_OPS; op++)
        if (a->plane_of[op] >= 0 && lg_area_needs(figure, (lg_area_op)op))
            add_plane(a, (lg_area_op)op, bounds, channel, state);
}

// The sum as an integer multiple of 2^*exponent. Of f64 below 2^126: samples are at most 2^(2F + 1) units.
static lg_i128 integer_of(const lg_areasum *a, const lg_area_state *s, int *exponent)
{
    *exponent = a->planes[a->plane_of[LG_AREA_OP_SUM]].exponent;
    if (a->plane_of[LG_AREA_OP_SUM_LOW] < 0)
        return s->sum;
    const int below = lg_area_below(a->elements);
    *exponent -= below;
    return s->sum * ((lg_i128)1 << below) + s->low;
}

// Of integers rounded once.
static double sum_of(const lg_areasum *a, const lg_area_state *s)
{
    int exponent;
    if (a->planes[a->plane_of[LG_AREA_OP_SUM]].word == LG_AREA_F32)
        return s->real + ((double)s->hi + (double)s->lo);
    const lg_i128 sum = integer_of(a, s, &exponent);
    return ldexp((double)sum, exponent);
}

static lg_u128 magnitude(lg_i128 v)
{
    return v < 0 ? -(lg_u128)v : (lg_u128)v;
}

static double mean_of(const lg_areasum *a, const lg_area_state *s)
{
    int exponent;
    if (a->planes[a->plane_of[LG_AREA_OP_SUM]].word == LG_AREA_F32)
        return sum_of(a, s) / (double)s->count;
    const lg_i128 sum = integer_of(a, s, &exponent);
    const double mean = lg_quotient(magnitude(sum), s->count, exponent);
    return sum < 0 ? -mean : mean;
}

// (n Σx² - (Σx)²) / n² in integers. Both products fit: n has 32 bits, and Σx² 64; or the samples at
// most F bits, so that (Σx)² <= n Σx² <= (n 2^F)² <= 2^124.
static double variance_of(const lg_areasum *a, const lg_area_state *s)
{
    const lg_u128 n = s->count, sum = magnitude(s->sum);
    return lg_quotient(n * s->squares - sum * sum, n * n, 2 * a->planes[0].exponent);
}

double lg_area_sample_of_key(lg_type type, uint64_t key)
{
    if (type == LG_F64)
        return lg_area_double_of_key(key);
    if (lg_area_is_float(type))
        return (double)lg_key_float((uint32_t)key);
    return type == LG_I32 ? (double)(int32_t)((uint32_t)key ^ 0x80000000u) : (double)key;
}

double lg_area_finish(const lg_areasum *a, lg_area_figure figure, const lg_area_state *s)
{
    switch (figure) {
    case LG_AREA_SUM:
        return sum_of(a, s);
    case LG_AREA_COUNT:
        return (double)s->count;
    case LG_AREA_COUNT_ABOVE:
        return (double)s->above;
    default:
        break;
    }
    if (s->count == 0)
        return NAN;
    switch (figure) {
    case LG_AREA_MEAN:
        return mean_of(a, s);
    case LG_AREA_VARIANCE:
        return variance_of(a, s);
    case LG_AREA_MIN:
        return lg_area_sample_of_key(a->shape.type, s->min) + 0.0; // not -0
    default:
        return lg_area_sample_of_key(a->shape.type, s->max) + 0.0;
    }
}
