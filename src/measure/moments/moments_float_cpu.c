// Leaves of float samples: 128 columns x 32 rows. docs/definitions.md has the tree and the
// formulas, moments_leaf.h their scalar text; here whole vectors of columns take the same steps.
//
// An ordinary leaf (nothing left out, finite, within the range of scale 0) runs on the samples as
// they are; the outcome tells whether it was one. Otherwise the channel is redone with counts per
// column.
#include "cpu/halves.h"
#include "measure/moments/moments_kernels.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES           16
#define vf_fma(a, b, c) ((vf)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define vf_min(a, b)    ((vf)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define vf_max(a, b)    ((vf)_mm512_max_ps((__m512)(a), (__m512)(b)))
#elif defined(__AVX2__)
#include <immintrin.h>
#define LANES           8
#define vf_fma(a, b, c) ((vf)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define vf_min(a, b)    ((vf)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define vf_max(a, b)    ((vf)_mm256_max_ps((__m256)(a), (__m256)(b)))
#elif defined(__SSE2__)
#include <emmintrin.h>
#define LANES        4
#define vf_min(a, b) ((vf)_mm_min_ps((__m128)(a), (__m128)(b)))
#define vf_max(a, b) ((vf)_mm_max_ps((__m128)(a), (__m128)(b)))
#else
#define LANES        4
#define vf_min(a, b) choose((a) < (b), a, b)
#define vf_max(a, b) choose((a) > (b), a, b)
#endif

#ifndef vf_fma // only for exact products, so that it does not matter whether they are rounded
#define vf_fma(a, b, c) ((a) * (b) + (c))
#endif

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef uint8_t vb __attribute__((vector_size(LANES)));

INLINE vf choose(vi yes, vf a, vf b)
{
    return (vf)((yes & (vi)a) | (~yes & (vi)b));
}

INLINE vf load(const float *p) // any alignment
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

// ---- columns: one vector of adjacent samples, rows in pairs -------------------------------------

typedef struct vnode {
    vf hi, lo, m2;
} vnode;

typedef struct vrange {
    vf min, max;
} vrange;

// Sum and difference by a fused product with 1, which is rounded the same. AMD's processors add and find
// extremes on two pipes and multiply on two others, which have little else to do here.
INLINE vf plus(vf a, vf b)
{
    return vf_fma(a, (vf){0} + 1.0f, b);
}

INLINE vf minus(vf a, vf b)
{
    return vf_fma(a, (vf){0} + 1.0f, -b);
}

INLINE vnode v_sum(vnode a, vnode b)
{
    const vf hi = a.hi + b.hi, bb = hi - a.hi;
    const vf e = (a.hi - (hi - bb)) + minus(b.hi, bb);
    return (vnode){hi, e + plus(a.lo, b.lo), plus(a.m2, b.m2)};
}

INLINE vf v_difference(vnode a, vnode b)
{
    return minus(a.hi, b.hi) + (a.lo - b.lo);
}

INLINE vnode v_equal(vnode a, vnode b, float c)
{
    vnode r = v_sum(a, b);
    const vf d = v_difference(a, b);
    r.m2 = r.m2 + (d * d) * c;
    return r;
}

// n a power of two, so that the product with c is exact.
INLINE vnode v_power(vnode a, vnode b, float c)
{
    vnode r = v_sum(a, b);
    const vf d = v_difference(a, b);
    r.m2 = vf_fma(d * d, (vf){0} + c, r.m2);
    return r;
}

INLINE vf v_product_error(vf p, vf x, vf n) // n * x - p for p = n * x rounded
{
    const vf t = 4097.0f * x, h = t - (t - x), l = x - h;
    return (n * h - p) + n * l;
}

INLINE vnode v_unequal(vnode a, vnode b, int na, int nb, const float *reciprocals)
{
    vnode r = v_sum(a, b);
    const vf fa = (vf){0} + (float)na, fb = (vf){0} + (float)nb;
    const vf p = fb * a.hi, q = fa * b.hi;
    const vf pl = v_product_error(p, a.hi, fb), ql = v_product_error(q, b.hi, fa);
    const vf d = (p - q) + ((pl - ql) + (fb * a.lo - fa * b.lo));
    r.m2 = r.m2 + ((d * reciprocals[nb]) * (d * reciprocals[na])) * reciprocals[na + nb];
    return r;
}

INLINE vnode rows2(const float *p, size_t stride, vrange *range)
{
    const vf a = load(p), b = load(p + stride), sum = a + b, d = a - b;
    range->min = vf_min(vf_min(a, b), range->min);
    range->max = vf_max(vf_max(a, b), range->max);
    return (vnode){sum, ((a + a) - sum) - d, (d * d) * 0.5f};
}

// lg_leaf_four
INLINE vnode rows4(const float *p, size_t stride, vrange *range)
{
    const vf half = (vf){0} + 0.5f, two = (vf){0} + 2.0f;
    const vf a = load(p), b = load(p + stride), c = load(p + 2 * stride), d = load(p + 3 * stride);
    range->min = vf_min(vf_min(vf_min(a, b), vf_min(c, d)), range->min);
    range->max = vf_max(vf_max(vf_max(a, b), vf_max(c, d)), range->max);
    const vf s = a + b, t = c + d, u = minus(a, b), v = minus(c, d);
    const vnode x = {s, vf_fma(a, two, -s) - u, u * u}, y = {t, vf_fma(c, two, -t) - v, v * v};
    vnode r = v_sum(x, y);
    const vf w = v_difference(x, y);
    r.m2 = vf_fma(w * w, half, r.m2) * half;
    return r;
}

INLINE vnode rows8(const float *p, size_t stride, vrange *range)
{
    const vnode a = rows4(p, stride, range);
    return v_power(a, rows4(p + 4 * stride, stride, range), 0.125f);
}

static vnode rows32(const float *p, size_t stride, vrange *range)
{
    vnode part[4];
    for (int quarter = 0; quarter < 4; quarter++, p += 8 * stride)
        part[quarter] = rows8(p, stride, range);
    return v_power(v_power(part[0], part[1], 0.0625f), v_power(part[2], part[3], 0.0625f),
                   0.03125f);
}

// Fewer than 32 rows: a binary counter of finished blocks; what is left at the end merges from the
// right, each block with a larger one.
static vnode rows_ragged(const float *p, size_t stride, int height, const float *reciprocals,
                         vrange *range)
{
    vnode stack[6];
    int count[6], top = 0;
    for (int row = 0; row < height; row += 2, p += 2 * stride) {
        if (row + 1 == height) {
            const vf x = load(p);
            range->min = vf_min(x, range->min);
            range->max = vf_max(x, range->max);
            stack[top] = (vnode){x, (vf){0}, (vf){0}};
            count[top++] = 1;
            break;
        }
        stack[top] = rows2(p, stride, range);
        count[top++] = 2;
        for (; top > 1 && count[top - 1] == count[top - 2]; top--) {
            stack[top - 2] =
                v_equal(stack[top - 2], stack[top - 1], reciprocals[2 * count[top - 1]]);
            count[top - 2] *= 2;
        }
    }
    for (; top > 1; top--) {
        stack[top - 2] =
            v_unequal(stack[top - 2], stack[top - 1], count[top - 2], count[top - 1], reciprocals);
        count[top - 2] += count[top - 1];
    }
    return stack[0];
}

INLINE void store_node(lg_leaf_scratch *scratch, int i, vnode v)
{
    store(scratch->hi + i, v.hi);
    store(scratch->lo + i, v.lo);
    store(scratch->m2 + i, v.m2);
}

// ---- adjacent columns ---------------------------------------------------------------------------

// Even and odd columns of two vectors, for 1, 2 and 4 channels side by side.
#if LANES == 16
#define EVEN1 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD1  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVEN2 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29
#define ODD2  2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31
#define EVEN4 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define ODD4  4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#elif LANES == 8
#define EVEN1 0, 2, 4, 6, 8, 10, 12, 14
#define ODD1  1, 3, 5, 7, 9, 11, 13, 15
#define EVEN2 0, 1, 4, 5, 8, 9, 12, 13
#define ODD2  2, 3, 6, 7, 10, 11, 14, 15
#define EVEN4 0, 1, 2, 3, 8, 9, 10, 11
#define ODD4  4, 5, 6, 7, 12, 13, 14, 15
#else
#define EVEN1 0, 2, 4, 6
#define ODD1  1, 3, 5, 7
#define EVEN2 0, 1, 4, 5
#define ODD2  2, 3, 6, 7
#define EVEN4 0, 1, 2, 3
#define ODD4  4, 5, 6, 7
#endif
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

typedef struct vtwo {
    vf even, odd;
} vtwo;

INLINE vtwo pairs(vf a, vf b, const int channels)
{
    if (channels == 1)
        return (vtwo){SHUFFLE(a, b, EVEN1), SHUFFLE(a, b, ODD1)};
    if (channels == 2)
        return (vtwo){SHUFFLE(a, b, EVEN2), SHUFFLE(a, b, ODD2)};
    return (vtwo){SHUFFLE(a, b, EVEN4), SHUFFLE(a, b, ODD4)};
}

INLINE vtwo load_pairs(const float *p, const int channels)
{
    return pairs(load(p), load(p + LANES), channels);
}

INLINE vnode load_node(const lg_leaf_scratch *s, int i)
{
    return (vnode){load(s->hi + i), load(s->lo + i), load(s->m2 + i)};
}

// Merges the adjacent columns of two vectors.
INLINE vnode merge_pairs(vnode a, vnode b, const int channels, float c)
{
    const vtwo hi = pairs(a.hi, b.hi, channels), lo = pairs(a.lo, b.lo, channels);
    const vtwo m2 = pairs(a.m2, b.m2, channels);
    return v_power((vnode){hi.even, lo.even, m2.even}, (vnode){hi.odd, lo.odd, m2.odd}, c);
}

INLINE lg_leaf_node column(const lg_leaf_scratch *s, int i, int n)
{
    return (lg_leaf_node){(lg_uint)n, s->hi[i], s->lo[i], s->m2[i]};
}

// What becomes of the last of `width` columns, which count n each but the last `last`: it passes
// through, or merges with its neighbour.
INLINE lg_leaf_node last_column(const lg_leaf_scratch *s, int width, int channels, int channel,
                                int n, int last, const float *reciprocals)
{
    const int at = (width - 1) * channels + channel;
    const lg_leaf_node b = column(s, at, last);
    if (width & 1)
        return b;
    const lg_leaf_node a = column(s, at - channels, n);
    return lg_leaf_merge_any(a, b, reciprocals[n], reciprocals[last], reciprocals[n + last]);
}

// Merges adjacent columns, in place, until one is left for each channel. Vectors may reach past the
// columns that exist; what they make of the rest of the arrays is not looked at.
INLINE void reduce_columns(const lg_leaf_source *leaf, lg_leaf_scratch *s, const int channels,
                           lg_leaf_node *out)
{
    int n = leaf->height, last = n; // samples of a column, and of the last one
    for (int width = leaf->width; width > 1; width = (width + 1) / 2, n *= 2) {
        lg_leaf_node end[LG_MAX_CHANNELS];
        const bool regular = last == n && width % 2 == 0;
        const float c = leaf->reciprocals[2 * n];
        for (int k = 0; !regular && k < channels; k++)
            end[k] = last_column(s, width, channels, k, n, last, leaf->reciprocals);
        for (int i = 0; i < width / 2 * channels; i += LANES) {
            const vtwo hi = load_pairs(s->hi + 2 * i, channels);
            const vtwo lo = load_pairs(s->lo + 2 * i, channels);
            const vtwo m2 = load_pairs(s->m2 + 2 * i, channels);
            store_node(
                s, i,
                v_equal((vnode){hi.even, lo.even, m2.even}, (vnode){hi.odd, lo.odd, m2.odd}, c));
        }
        for (int k = 0; !regular && k < channels; k++) {
            const int at = (width - 1) / 2 * channels + k;
            s->hi[at] = end[k].hi;
            s->lo[at] = end[k].lo;
            s->m2[at] = end[k].m2;
        }
        last = width % 2 ? last : n + last;
    }
    for (int k = 0; k < channels; k++)
        out[k] = column(s, k, last);
}

// The same for whole leaves side by side, whose pairs of columns are merged: as if they were one,
// but ending when each has one node a channel.
INLINE void reduce_whole(lg_leaf_scratch *s, int nodes, const int channels)
{
    for (int n = 2 * LG_LEAF_HEIGHT; n < LG_LEAF_SAMPLES; n *= 2) {
        const float c = 0.5f / (float)n;
        nodes /= 2;
        for (int i = 0; i < nodes; i += LANES)
            store_node(s, i,
                       merge_pairs(load_node(s, 2 * i), load_node(s, 2 * i + LANES), channels, c));
    }
}

// ---- whole leaves side by side --------------------------------------------------------------------
//
// Eight rows at a time across all of them: processors foresee eight long streams and fetch them ahead,
// but not 32 short ones. Where rows are a multiple of 4096 bytes apart, a first-level cache holds no
// more than eight of them.

INLINE vnode get_node(const float *p)
{
    return (vnode){load(p), load(p + LANES), load(p + 2 * LANES)};
}

INLINE void put_node(float *p, vnode v)
{
    store(p, v.hi);
    store(p + LANES, v.lo);
    store(p + 2 * LANES, v.m2);
}

// A quarter of 32 rows of two adjacent vectors, at column i. Quarters meet in scratch; after the last one
// pairs of columns merge.
INLINE void eight_rows(const float *p, size_t stride, int i, const int quarter, const int channels,
                       lg_leaf_scratch *s, vrange *range)
{
    vnode node[2];
    for (int k = 0; k < 2; k++) {
        float *upper = s->upper + (size_t)3 * (i + k * LANES);
        float *lower = s->lower + (size_t)3 * (i + k * LANES);
        node[k] = rows8(p + k * LANES, stride, range);
        if (quarter == 0)
            put_node(upper, node[k]);
        else if (quarter == 1)
            put_node(upper, v_power(get_node(upper), node[k], 0.0625f));
        else if (quarter == 2)
            put_node(lower, node[k]);
        else
            node[k] =
                v_power(get_node(upper), v_power(get_node(lower), node[k], 0.0625f), 0.03125f);
    }
    if (quarter == 3)
        store_node(s, i / 2, merge_pairs(node[0], node[1], channels, 0.015625f));
}

// `range` has one place for each leaf.
INLINE void quarter_rows(const lg_leaf_source *leaf, const int quarter, const int channels,
                         lg_leaf_scratch *s, vrange *range)
{
    const float *p = leaf->rows + 8 * (size_t)quarter * leaf->stride;
    for (int i = 0; i < leaf->width * channels; range++) {
        vrange r = *range;
        for (const int end = i + LG_LEAF_WIDTH * channels; i < end; i += 2 * LANES)
            eight_rows(p + i, leaf->stride, i, quarter, channels, s, &r);
        *range = r;
    }
}

// ---- any leaf: a count per column ---------------------------------------------------------------

typedef struct vlanes {
    vf n, hi, lo, m2;
} vlanes;

typedef struct leaf_facts {
    float min, max;
    uint32_t nans, pinfs, ninfs;
} leaf_facts;

INLINE uint32_t sum_lanes(vi v)
{
    uint32_t sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += (uint32_t)v[i];
    return sum;
}

INLINE void copy_channel(float *to, const float *from, int width, const int channels)
{
    for (int i = 0; i < width; i++)
        to[i] = from[i * channels];
}

// One channel into x and counts; what does not count becomes 0 with count 0.
static leaf_facts gather(const lg_leaf_source *leaf, int channel, lg_leaf_scratch *scratch)
{
    const vf infinity = (vf)((vi){0} + (int32_t)LG_BITS_INF);
    vrange range = {infinity, -infinity};
    vi nans = {0}, pinfs = {0}, ninfs = {0}, column;
    memset(scratch->x, 0, sizeof scratch->x);
    memset(scratch->counts, 0, sizeof scratch->counts);
    for (int i = 0; i < LANES; i++)
        column[i] = i;
    for (int row = 0; row < leaf->height; row++) {
        const float *from = leaf->rows + (size_t)row * leaf->stride + channel;
        float *x = scratch->x[row];
        if (leaf->channels == 1)
            copy_channel(x, from, leaf->width, 1);
        else if (leaf->channels == 2)
            copy_channel(x, from, leaf->width, 2);
        else
            copy_channel(x, from, leaf->width, 4);
        for (int i = 0; i < leaf->width; i += LANES) {
            const vf v = load(x + i);
            const vi abs = (vi)v & (int32_t)LG_BITS_ABS;
            vi taken = column + i < leaf->width;
            if (leaf->take) {
                vb take;
                memcpy(&take, leaf->take + (size_t)row * leaf->take_stride + i, sizeof take);
                taken &= __builtin_convertvector(take, vi) != 0;
            }
            const vi counted = taken & (abs < (int32_t)LG_BITS_INF);
            nans -= taken & (abs > (int32_t)LG_BITS_INF);
            pinfs -= taken & ((vi)v == (int32_t)LG_BITS_INF);
            ninfs -= taken & ((vi)v == (int32_t)0xff800000);
            range.min = vf_min(choose(counted, v, infinity), range.min);
            range.max = vf_max(choose(counted, v, -infinity), range.max);
            store(x + i, (vf)((vi)v & counted));
            store(scratch->counts[row] + i, (vf)(counted & (vi)((vf){0} + 1.0f)));
        }
    }
    leaf_facts f = {range.min[0], range.max[0], sum_lanes(nans), sum_lanes(pinfs),
                    sum_lanes(ninfs)};
    for (int i = 1; i < LANES; i++) {
        f.min = range.min[i] < f.min ? range.min[i] : f.min;
        f.max = range.max[i] > f.max ? range.max[i] : f.max;
    }
    return f;
}

// lg_leaf_scaled for all samples.
static void scale_samples(float *x, lg_int k)
{
    // A denormal is m * 2^-149. For k >= -60 it is too small to count whatever the factor.
    const float factor = lg_from_bits(k < -60 ? (uint32_t)(127 - 149 - k) << 23 : 0);
    const int32_t least = (127 - 64) << 23;
    for (int i = 0; i < LG_LEAF_SAMPLES; i += LANES) {
        const vi bits = (vi)load(x + i), m = bits & (int32_t)LG_BITS_ABS;
        const vi denormal = (vi)(__builtin_convertvector(m, vf) * factor);
        const vi small = m < 0x00800000;
        const vi moved = (m & 0x007fffff) | (((m >> 23) - k) << 23);
        vi result = (small & denormal) | (~small & moved);
        result &= (small & (denormal >= least)) | (~small & ((m >> 23) - k >= 127 - 64));
        store(x + i, (vf)(result | (bits & (int32_t)0x80000000 & (result != 0))));
    }
}

// Two adjacent rows: both, one or none of two samples.
INLINE vlanes any_pair(const lg_leaf_scratch *scratch, int row, int i)
{
    const vf a = load(scratch->x[row] + i), b = load(scratch->x[row + 1] + i);
    const vf na = load(scratch->counts[row] + i), nb = load(scratch->counts[row + 1] + i);
    const vf n = na + nb, sum = a + b, d = a - b;
    const vf lo = ((a + a) - sum) - d, m2 = (d * d) * 0.5f;
    const vi both = n > 1.0f;
    return (vlanes){n, choose(both, sum, choose(na > 0.0f, a, b)), (vf)((vi)lo & both),
                    (vf)((vi)m2 & both)};
}

// Any counts. 1 / n is the table's value: a division rounds to nearest as well.
INLINE vlanes any_merge(vlanes a, vlanes b)
{
    const vnode left = {a.hi, a.lo, a.m2}, right = {b.hi, b.lo, b.m2};
    const vnode sum = v_sum(left, right);
    const vf n = a.n + b.n, rn = 1.0f / n;
    const vf d = (a.hi - b.hi) + (a.lo - b.lo), equal = sum.m2 + (d * d) * rn;

    const vf p = b.n * a.hi, q = a.n * b.hi;
    const vf pl = v_product_error(p, a.hi, b.n), ql = v_product_error(q, b.hi, a.n);
    const vf w = (p - q) + ((pl - ql) + (b.n * a.lo - a.n * b.lo));
    const vf unequal = sum.m2 + ((w * (1.0f / b.n)) * (w * (1.0f / a.n))) * rn;

    const vi has_a = a.n > 0.0f, has_both = has_a & (b.n > 0.0f);
    const vf m2 = choose(a.n == b.n, equal, unequal);
    return (vlanes){n, choose(has_both, sum.hi, choose(has_a, a.hi, b.hi)),
                    choose(has_both, sum.lo, choose(has_a, a.lo, b.lo)),
                    choose(has_both, m2, choose(has_a, a.m2, b.m2))};
}

static lg_leaf_record leaf_any(const lg_leaf_source *leaf, int channel, lg_leaf_scratch *s)
{
    const leaf_facts f = gather(leaf, channel, s);
    const bool none = f.min > f.max;
    const uint32_t low = lg_bits(f.min) & LG_BITS_ABS, high = lg_bits(f.max) & LG_BITS_ABS;
    const lg_int k = none ? LG_SCALE_ZERO : lg_leaf_scale(LG_MAX(low, high));
    if (k != 0 && k != LG_SCALE_ZERO)
        scale_samples(s->x[0], k);
    for (int i = 0; i < LG_LEAF_WIDTH; i += LANES) {
        vlanes stack[5];
        int top = 0;
        for (int row = 0; row < LG_LEAF_HEIGHT; row += 2) {
            vlanes v = any_pair(s, row, i);
            for (int rest = row / 2; rest & 1; rest >>= 1)
                v = any_merge(stack[--top], v);
            stack[top++] = v;
        }
        store(s->n + i, stack[0].n);
        store_node(s, i, (vnode){stack[0].hi, stack[0].lo, stack[0].m2});
    }
    for (int width = LG_LEAF_WIDTH; width > 1; width /= 2) {
        for (int i = 0; i < width / 2; i += LANES) {
            const vtwo n = load_pairs(s->n + 2 * i, 1), hi = load_pairs(s->hi + 2 * i, 1);
            const vtwo lo = load_pairs(s->lo + 2 * i, 1), m2 = load_pairs(s->m2 + 2 * i, 1);
            const vlanes v = any_merge((vlanes){n.even, hi.even, lo.even, m2.even},
                                       (vlanes){n.odd, hi.odd, lo.odd, m2.odd});
            store(s->n + i, v.n);
            store_node(s, i, (vnode){v.hi, v.lo, v.m2});
        }
    }
    return lg_leaf_record_of(column(s, 0, (int)s->n[0]), k, f.min, f.max, f.nans, f.pinfs, f.ninfs);
}

// ---- entries ------------------------------------------------------------------------------------

// The extremes of each channel, in the first lanes.
INLINE vrange lanes_range(vrange r, const int channels)
{
#pragma GCC unroll 4
    for (int lanes = LANES; lanes > channels; lanes /= 2) {
        const vtwo low = pairs(r.min, r.min, channels), high = pairs(r.max, r.max, channels);
        r = (vrange){vf_min(low.even, low.odd), vf_max(high.even, high.odd)};
    }
    return r;
}

// The records of a leaf, if it is ordinary. A record without samples, and false, where it is not: left to
// leaf_any.
INLINE bool ordinary(const lg_leaf_node *node, vrange range, const int channels, int measured,
                     lg_leaf_record *out)
{
    float min[LANES], max[LANES];
    bool all = true;
    range = lanes_range(range, channels);
    store(min, range.min);
    store(max, range.max);
    for (int c = 0; c < measured; c++) {
        // A NaN may be missing from min and max but not from the sum.
        const bool finite = (lg_bits(node[c].hi) & LG_BITS_ABS) < LG_BITS_INF;
        const uint32_t low = lg_bits(min[c]) & LG_BITS_ABS;
        const uint32_t high = lg_bits(max[c]) & LG_BITS_ABS;
        const lg_int k = lg_leaf_scale(LG_MAX(low, high));
        out[c] = lg_leaf_record_of(node[c], k, min[c], max[c], 0, 0, 0);
        if (!finite || (k != 0 && k != LG_SCALE_ZERO)) {
            out[c].counts = 0;
            all = false;
        }
    }
    return all;
}

INLINE void whole_leaves(const lg_leaf_source *source, lg_leaf_scratch *scratch, const int channels,
                         lg_leaf_record *out)
{
    const int count = source->width / LG_LEAF_WIDTH;
    vrange range[LG_LEAVES];
    bool all = true;
    for (int i = 0; i < count; i++) {
        const vf first = load(source->rows + i * LG_LEAF_WIDTH * channels);
        range[i] = (vrange){first, first};
    }
    quarter_rows(source, 0, channels, scratch, range);
    quarter_rows(source, 1, channels, scratch, range);
    quarter_rows(source, 2, channels, scratch, range);
    quarter_rows(source, 3, channels, scratch, range);
    reduce_whole(scratch, source->width / 2 * channels, channels);
    for (int i = 0; i < count; i++) {
        lg_leaf_node node[LG_MAX_CHANNELS];
        for (int k = 0; k < channels; k++)
            node[k] = column(scratch, i * channels + k, LG_LEAF_SAMPLES);
        all &= ordinary(node, range[i], channels, source->measured, out + i * source->measured);
    }
    for (int i = 0; !all && i < count * source->measured; i++) {
        if (out[i].counts == 0) {
            lg_leaf_source leaf = *source;
            leaf.width = LG_LEAF_WIDTH;
            leaf.rows += i / source->measured * LG_LEAF_WIDTH * channels;
            out[i] = leaf_any(&leaf, i % source->measured, scratch);
        }
    }
}

// A leaf at the right or at the bottom.
INLINE void small_leaf(const lg_leaf_source *leaf, lg_leaf_scratch *scratch, const int channels,
                       lg_leaf_record *out)
{
    lg_leaf_node node[LG_MAX_CHANNELS];
    vrange range = {load(leaf->rows), load(leaf->rows)};
    for (int i = 0; i < leaf->width * channels; i += LANES) {
        const float *p = leaf->rows + i;
        store_node(scratch, i,
                   leaf->height == LG_LEAF_HEIGHT
                       ? rows32(p, leaf->stride, &range)
                       : rows_ragged(p, leaf->stride, leaf->height, leaf->reciprocals, &range));
    }
    reduce_columns(leaf, scratch, channels, node);
    if (!ordinary(node, range, channels, leaf->measured, out)) {
        for (int c = 0; c < leaf->measured; c++) {
            if (out[c].counts == 0)
                out[c] = leaf_any(leaf, c, scratch);
        }
    }
}

static void leaves(const lg_leaf_source *source, lg_leaf_scratch *scratch, lg_leaf_record *out)
{
    const bool whole = source->width % LG_LEAF_WIDTH == 0 && source->height == LG_LEAF_HEIGHT;
    if (source->take) {
        for (int c = 0; c < source->measured; c++)
            out[c] = leaf_any(source, c, scratch);
    } else if (source->channels == 1) {
        (whole ? whole_leaves : small_leaf)(source, scratch, 1, out);
    } else if (source->channels == 2) {
        (whole ? whole_leaves : small_leaf)(source, scratch, 2, out);
    } else {
        (whole ? whole_leaves : small_leaf)(source, scratch, 4, out);
    }
}

const lg_moments_float_table LG_CPU_TABLE(moments_float) = {.leaves = leaves,
                                                            .halves = lg_halves_to_floats};
