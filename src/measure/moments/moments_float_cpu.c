// One leaf of float samples: 128 columns x 32 rows. docs/definitions.md has the tree and the
// formulas, moments_node.h their scalar text; here whole vectors of columns take the same steps.
//
// An ordinary leaf (nothing left out, finite, within the range of scale 0) runs on the samples as
// they are; the outcome tells whether it was one. Otherwise the channel is redone with counts per
// column.
#include "measure/moments/moments_kernels.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES 16
typedef float vf __attribute__((vector_size(64)));
#define vf_min(a, b) ((vf)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define vf_max(a, b) ((vf)_mm512_max_ps((__m512)(a), (__m512)(b)))
#elif defined(__AVX__)
#include <immintrin.h>
#define LANES        8
typedef float vf __attribute__((vector_size(32)));
#define vf_min(a, b) ((vf)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define vf_max(a, b) ((vf)_mm256_max_ps((__m256)(a), (__m256)(b)))
#elif defined(__SSE2__)
#include <emmintrin.h>
#define LANES        4
typedef float vf __attribute__((vector_size(16)));
#define vf_min(a, b) ((vf)_mm_min_ps((__m128)(a), (__m128)(b)))
#define vf_max(a, b) ((vf)_mm_max_ps((__m128)(a), (__m128)(b)))
#else
#define LANES        4
typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));
INLINE vf vf_select(vi yes, vf a, vf b)
{
    return (vf)((yes & (vi)a) | (~yes & (vi)b));
}
#define vf_min(a, b) vf_select((a) < (b), a, b)
#define vf_max(a, b) vf_select((a) > (b), a, b)
#endif

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

INLINE vnode v_sum(vnode a, vnode b)
{
    const vf hi = a.hi + b.hi, bb = hi - a.hi;
    const vf e = (a.hi - (hi - bb)) + (b.hi - bb);
    return (vnode){hi, e + (a.lo + b.lo), a.m2 + b.m2};
}

INLINE vnode v_equal(vnode a, vnode b, float c)
{
    vnode r = v_sum(a, b);
    const vf d = (a.hi - b.hi) + (a.lo - b.lo);
    r.m2 = r.m2 + (d * d) * c;
    return r;
}

// a and b have lo = 0: the additions of zeros are left out, which changes at most the sign of a
// zero that does not reach the result.
INLINE vnode v_first(vnode a, vnode b, float c)
{
    const vf hi = a.hi + b.hi, bb = hi - a.hi;
    const vf e = (a.hi - (hi - bb)) + (b.hi - bb);
    const vf d = a.hi - b.hi;
    return (vnode){hi, e, (a.m2 + b.m2) + (d * d) * c};
}

INLINE vf v_product_error(vf p, vf x, float n) // n * x - p for p = n * x rounded
{
    const vf t = 4097.0f * x, h = t - (t - x), l = x - h;
    return (n * h - p) + n * l;
}

INLINE vnode v_unequal(vnode a, vnode b, int na, int nb, const float *reciprocals)
{
    vnode r = v_sum(a, b);
    const float fa = (float)na, fb = (float)nb;
    const vf p = fb * a.hi, q = fa * b.hi;
    const vf pl = v_product_error(p, a.hi, fb), ql = v_product_error(q, b.hi, fa);
    const vf d = (p - q) + ((pl - ql) + (fb * a.lo - fa * b.lo));
    r.m2 = r.m2 + ((d * reciprocals[nb]) * (d * reciprocals[na])) * reciprocals[na + nb];
    return r;
}

#define AHEAD 1024 // bytes; the 32 rows are too many streams for the prefetcher of most processors

INLINE vnode rows2(const float *p, size_t stride, vrange *range)
{
    const vf a = load(p), b = load(p + stride), d = a - b;
    __builtin_prefetch((const char *)p + AHEAD);
    __builtin_prefetch((const char *)(p + stride) + AHEAD);
    range->min = vf_min(vf_min(a, b), range->min);
    range->max = vf_max(vf_max(a, b), range->max);
    return (vnode){a + b, (vf){0}, (d * d) * 0.5f};
}

INLINE vnode rows4(const float *p, size_t stride, vrange *range)
{
    return v_first(rows2(p, stride, range), rows2(p + 2 * stride, stride, range), 0.25f);
}

INLINE vnode rows8(const float *p, size_t stride, vrange *range)
{
    const vnode a = rows4(p, stride, range);
    return v_equal(a, rows4(p + 4 * stride, stride, range), 0.125f);
}

INLINE vnode rows16(const float *p, size_t stride, vrange *range)
{
    const vnode a = rows8(p, stride, range);
    return v_equal(a, rows8(p + 8 * stride, stride, range), 0.0625f);
}

INLINE vnode rows32(const float *p, size_t stride, vrange *range)
{
    const vnode a = rows16(p, stride, range);
    return v_equal(a, rows16(p + 16 * stride, stride, range), 0.03125f);
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

// All columns of the leaf into scratch, smallest and largest sample of each channel into min and
// max.
static void leaf_columns(const lg_leaf_source *leaf, lg_leaf_scratch *scratch, float *min,
                         float *max)
{
    const int samples = (leaf->width * leaf->channels + LANES - 1) / LANES * LANES;
    vrange range = {load(leaf->rows), load(leaf->rows)};
    for (int i = 0; i < samples; i += LANES) {
        const float *p = leaf->rows + i;
        const vnode v = leaf->height == LG_LEAF_HEIGHT
                            ? rows32(p, leaf->stride, &range)
                            : rows_ragged(p, leaf->stride, leaf->height, leaf->reciprocals, &range);
        store(scratch->hi + i, v.hi);
        store(scratch->lo + i, v.lo);
        store(scratch->m2 + i, v.m2);
    }
    float low[LANES], high[LANES];
    store(low, range.min);
    store(high, range.max);
    memcpy(min, low, LG_MAX_CHANNELS * sizeof *min);
    memcpy(max, high, LG_MAX_CHANNELS * sizeof *max);
    for (int i = leaf->channels; i < LANES; i++) {
        const int c = i % leaf->channels;
        min[c] = low[i] < min[c] ? low[i] : min[c];
        max[c] = high[i] > max[c] ? high[i] : max[c];
    }
}

// ---- adjacent columns ---------------------------------------------------------------------------

INLINE lg_leaf_node merge_nodes(lg_leaf_node a, lg_leaf_node b, const float *reciprocals)
{
    if (a.n == b.n)
        return lg_leaf_merge_equal(a, b, reciprocals[2 * a.n]);
    return lg_leaf_merge_unequal(a, b, reciprocals[a.n], reciprocals[b.n], reciprocals[a.n + b.n]);
}

typedef struct columns {
    float *hi, *lo, *m2;
} columns;

INLINE lg_leaf_node column(columns v, size_t i, int n)
{
    return (lg_leaf_node){(lg_u32)n, v.hi[i], v.lo[i], v.m2[i]};
}

// Equal pairs of `channels` interleaved columns: to[i] = merge(from[2 i], from[2 i + 1]).
INLINE void pair_columns(columns to, columns from, size_t pairs, const size_t channels, float c)
{
    float *restrict hi = to.hi, *restrict lo = to.lo, *restrict m2 = to.m2;
    for (size_t i = 0; i < pairs; i++) {
        for (size_t k = 0; k < channels; k++) {
            const size_t a = 2 * i * channels + k;
            const lg_leaf_node r =
                lg_leaf_merge_equal(column(from, a, 0), column(from, a + channels, 0), c);
            hi[i * channels + k] = r.hi;
            lo[i * channels + k] = r.lo;
            m2[i * channels + k] = r.m2;
        }
    }
}

// Columns of equal counts; every channel into out.
INLINE void reduce_columns(const lg_leaf_source *leaf, lg_leaf_scratch *scratch,
                           const size_t channels, lg_leaf_node *out)
{
    columns from = {scratch->hi, scratch->lo, scratch->m2};
    columns to = {scratch->x[0], scratch->x[8], scratch->x[16]}; // 512 floats each are enough
    int n = leaf->height, last = n; // counts of a column and of the last one
    for (size_t width = (size_t)leaf->width; width > 1; width = (width + 1) / 2) {
        const size_t pairs = last == n ? width / 2 : (width - 1) / 2;
        pair_columns(to, from, pairs, channels, leaf->reciprocals[2 * n]);
        if (2 * pairs + 1 == width) {
            for (size_t k = 0; k < channels; k++) { // passes through
                to.hi[pairs * channels + k] = from.hi[2 * pairs * channels + k];
                to.lo[pairs * channels + k] = from.lo[2 * pairs * channels + k];
                to.m2[pairs * channels + k] = from.m2[2 * pairs * channels + k];
            }
        } else if (2 * pairs < width) {
            for (size_t k = 0; k < channels; k++) {
                const size_t a = 2 * pairs * channels + k;
                const lg_leaf_node r = merge_nodes(
                    column(from, a, n), column(from, a + channels, last), leaf->reciprocals);
                to.hi[pairs * channels + k] = r.hi;
                to.lo[pairs * channels + k] = r.lo;
                to.m2[pairs * channels + k] = r.m2;
            }
            last += n;
        } else {
            last = 2 * n;
        }
        n *= 2;
        const columns swap = from;
        from = to;
        to = swap;
    }
    for (size_t k = 0; k < channels; k++)
        out[k] = column(from, k, last);
}

// ---- any leaf: a count per column ---------------------------------------------------------------

typedef struct leaf_facts {
    float min, max;
    uint32_t largest; // bits of the largest magnitude
    uint32_t nans, pinfs, ninfs;
} leaf_facts;

// One channel into x and counts; what does not count becomes 0 with count 0.
static leaf_facts gather(const lg_leaf_source *leaf, int channel, lg_leaf_scratch *scratch)
{
    leaf_facts f = {.min = lg_bits_f32(LG_BITS_INF), .max = -lg_bits_f32(LG_BITS_INF)};
    static const uint8_t all[LG_LEAF_WIDTH] = {[0 ... LG_LEAF_WIDTH - 1] = 1};
    const float infinity = lg_bits_f32(LG_BITS_INF);
    memset(scratch->x, 0, sizeof scratch->x);
    memset(scratch->counts, 0, sizeof scratch->counts);
    for (int row = 0; row < leaf->height; row++) {
        const float *from = leaf->rows + (size_t)row * leaf->stride + channel;
        const uint8_t *take = leaf->take ? leaf->take + (size_t)row * leaf->take_stride : all;
        float *x = scratch->x[row], *counts = scratch->counts[row];
        for (int i = 0; i < leaf->width; i++)
            x[i] = from[i * leaf->channels];
        float min = f.min, max = f.max;
        uint32_t largest = f.largest, nans = 0, pinfs = 0, ninfs = 0;
        for (int i = 0; i < leaf->width; i++) {
            const float v = x[i];
            const uint32_t bits = lg_f32_bits(v), abs = bits & LG_BITS_ABS;
            const uint32_t taken = take[i];
            const uint32_t counted = taken & (abs < LG_BITS_INF);
            nans += taken & (abs > LG_BITS_INF);
            pinfs += taken & (bits == LG_BITS_INF);
            ninfs += taken & (bits == 0xff800000u);
            const float low = counted ? v : infinity, high = counted ? v : -infinity;
            min = low < min ? low : min;
            max = high > max ? high : max;
            const uint32_t magnitude = counted ? abs : 0;
            largest = magnitude > largest ? magnitude : largest;
            x[i] = counted ? v : 0.0f;
            counts[i] = (float)counted;
        }
        f.min = min;
        f.max = max;
        f.largest = largest;
        f.nans += nans;
        f.pinfs += pinfs;
        f.ninfs += ninfs;
    }
    return f;
}

// Two adjacent rows: both, one or none of two samples.
static void pair_rows(const lg_leaf_scratch *scratch, int row, lg_leaf_lanes *restrict to)
{
    const float *a = scratch->x[row], *b = scratch->x[row + 1];
    const float *na = scratch->counts[row], *nb = scratch->counts[row + 1];
    for (int i = 0; i < LG_LEAF_WIDTH; i++) {
        const float n = na[i] + nb[i], s = a[i] + b[i], d = a[i] - b[i];
        const float one = na[i] > 0.0f ? a[i] : b[i], m2 = (d * d) * 0.5f;
        to->n[i] = n;
        to->hi[i] = n > 1.0f ? s : one;
        to->lo[i] = 0.0f;
        to->m2[i] = n > 1.0f ? m2 : 0.0f;
    }
}

INLINE float product_error(float p, float x, float n)
{
    const float t = 4097.0f * x, h = t - (t - x), l = x - h;
    return (n * h - p) + n * l;
}

// to[i] = merge(a[i], b[i]) for any counts. 1 / n is the table's value: a division rounds to
// nearest.
INLINE void merge_lanes(lg_leaf_lanes *restrict to, const float *na, const float *ha,
                        const float *la, const float *ma, const float *nb, const float *hb,
                        const float *lb, const float *mb, int count, const int step)
{
    for (int i = 0; i < count; i++) {
        const int j = i * step;
        const float a = ha[j], al = la[j], b = hb[j], bl = lb[j], ca = na[j], cb = nb[j];
        const float n = ca + cb, rn = 1.0f / n;
        const float hi = a + b, bb = hi - a;
        const float e = (a - (hi - bb)) + (b - bb), lo = e + (al + bl), m = ma[j] + mb[j];

        const float d = (a - b) + (al - bl), equal = m + (d * d) * rn;

        const float p = cb * a, q = ca * b;
        const float pl = product_error(p, a, cb), ql = product_error(q, b, ca);
        const float w = (p - q) + ((pl - ql) + (cb * al - ca * bl));
        const float unequal = m + ((w * (1.0f / cb)) * (w * (1.0f / ca))) * rn;

        const float both = ca == cb ? equal : unequal;
        const float m_one = ca > 0.0f ? ma[j] : mb[j], h_one = ca > 0.0f ? a : b;
        const float l_one = ca > 0.0f ? al : bl;
        const bool merged = (ca > 0.0f) & (cb > 0.0f);
        to->n[i] = n;
        to->hi[i] = merged ? hi : h_one;
        to->lo[i] = merged ? lo : l_one;
        to->m2[i] = merged ? both : m_one;
    }
}

static void merge_rows(lg_leaf_lanes *to, const lg_leaf_lanes *a, const lg_leaf_lanes *b)
{
    merge_lanes(to, a->n, a->hi, a->lo, a->m2, b->n, b->hi, b->lo, b->m2, LG_LEAF_WIDTH, 1);
}

static void merge_columns(lg_leaf_lanes *to, const lg_leaf_lanes *from, int pairs)
{
    merge_lanes(to, from->n, from->hi, from->lo, from->m2, from->n + 1, from->hi + 1, from->lo + 1,
                from->m2 + 1, pairs, 2);
}

static lg_node leaf_any(const lg_leaf_source *leaf, int channel, lg_leaf_scratch *scratch)
{
    const leaf_facts f = gather(leaf, channel, scratch);
    const lg_i32 k = lg_leaf_scale(f.largest);
    if (k != 0 && k != LG_SCALE_ZERO) {
        float *x = scratch->x[0];
        for (int i = 0; i < LG_LEAF_SAMPLES; i++)
            x[i] = lg_leaf_scaled(x[i], k);
    }
    lg_leaf_lanes *lanes = scratch->lanes, spare;
    for (int i = 0; i < LG_LEAF_HEIGHT / 2; i++)
        pair_rows(scratch, 2 * i, &lanes[i]);
    for (int step = 1; step < LG_LEAF_HEIGHT / 2; step *= 2) {
        for (int i = 0; i < LG_LEAF_HEIGHT / 2; i += 2 * step) {
            merge_rows(&spare, &lanes[i], &lanes[i + step]);
            lanes[i] = spare;
        }
    }
    int from = 0;
    for (int pairs = LG_LEAF_WIDTH / 2; pairs > 0; pairs /= 2, from ^= 1)
        merge_columns(&lanes[from ^ 1], &lanes[from], pairs);
    const lg_leaf_lanes *r = &lanes[from];
    const lg_leaf_node node = {(lg_u32)r->n[0], r->hi[0], r->lo[0], r->m2[0]};
    return lg_node_from_leaf(node, k, f.min, f.max, f.nans, f.pinfs, f.ninfs);
}

// ---- entries ------------------------------------------------------------------------------------

INLINE void leaf_whole(const lg_leaf_source *leaf, lg_leaf_scratch *scratch, const size_t channels,
                       lg_node *out)
{
    float min[LG_MAX_CHANNELS], max[LG_MAX_CHANNELS];
    lg_leaf_node node[LG_MAX_CHANNELS];
    leaf_columns(leaf, scratch, min, max);
    reduce_columns(leaf, scratch, channels, node);
    for (int c = 0; c < leaf->measured; c++) {
        // A NaN may be missing from min and max but not from the sum.
        const bool finite = (lg_f32_bits(node[c].hi) & LG_BITS_ABS) < LG_BITS_INF;
        const uint32_t low = lg_f32_bits(min[c]) & LG_BITS_ABS;
        const uint32_t high = lg_f32_bits(max[c]) & LG_BITS_ABS;
        const lg_i32 k = lg_leaf_scale(LG_MAX(low, high));
        if (finite && (k == 0 || k == LG_SCALE_ZERO))
            out[c] = lg_node_from_leaf(node[c], k, min[c], max[c], 0, 0, 0);
        else
            out[c] = leaf_any(leaf, c, scratch);
    }
}

static void leaf(const lg_leaf_source *source, lg_leaf_scratch *scratch, lg_node *out)
{
    if (source->take) {
        for (int c = 0; c < source->measured; c++)
            out[c] = leaf_any(source, c, scratch);
    } else if (source->channels == 1) {
        leaf_whole(source, scratch, 1, out);
    } else if (source->channels == 2) {
        leaf_whole(source, scratch, 2, out);
    } else {
        leaf_whole(source, scratch, 4, out);
    }
}

static void halves(const uint16_t *from, float *to, size_t count)
{
    size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#endif
    for (; i < count; i++) {
        // Exponent and mantissa moved to their places are 2^-112 times the value; infinities and
        // NaN get the largest exponent.
        const uint32_t half = from[i], rest = half & 0x7fffu;
        const float scaled = lg_bits_f32(rest << 13) * 0x1p112f;
        uint32_t bits = lg_f32_bits(scaled);
        bits = rest >= 0x7c00u ? bits | LG_BITS_INF : bits;
        to[i] = lg_bits_f32(bits | (half & 0x8000u) << 16);
    }
}

const lg_moments_float_table LG_CPU_TABLE(moments_float) = {.leaf = leaf, .halves = halves};
