#include "measure/moments/moments_fold.h"

#include <math.h>

#define MOST_BLOCKS  2048  // of 2^51 units: lanes have 64 bits
#define MOST_SINGLES 65536 // of 48 bits
#define SHORT        1024  // runs of samples that are gathered into blocks
#define FEW_STEPS    16

#define HALF_WINDOW    16                       // halves are multiples of 2^-24 below 2^16
#define LOWEST_WINDOW  (-126 + LG_WINDOW_DEPTH) // a window has normal floats only
#define HIGHEST_WINDOW 128

// ---- windows ------------------------------------------------------------------------------------

static void set_window(lg_float_fold *f, size_t channel, int exponent)
{
    lg_fold_lanes *l = &f->lanes;
    f->window[channel] = exponent;
    for (size_t i = channel; i < f->kernels->lanes; i += f->channels) {
        l->sum_start[i] = ldexp(0x1.8p52, exponent - LG_WINDOW_BITS);
        l->upper_start[i] = ldexp(0x1.8p52, 2 * exponent - LG_WINDOW_BITS);
        l->lower_start[i] = ldexp(0x1.8p52, 2 * exponent - 2 * LG_WINDOW_BITS);
        l->below[i] = (uint32_t)(exponent + 127) << 23;
        l->least[i] = f->fixed ? INT32_MIN : (exponent - LG_WINDOW_DEPTH + 127) << 23;
        l->counts[i] = channel < f->measured ? -1 : 0;
    }
}

// What the lanes have goes to the sums; they are zero then.
static void empty_lanes(lg_float_fold *f)
{
    lg_fold_lanes *l = &f->lanes;
    for (size_t i = 0; f->blocks > 0 && i < f->kernels->lanes; i++) {
        const size_t channel = i % f->channels;
        if (channel >= f->measured)
            continue;
        lg_float_sums *sums = &f->sums[channel];
        const int e = f->window[channel];
        const __int128 squares = ((__int128)l->upper[i] << LG_WINDOW_BITS) + l->lower[i];
        lg_float_sums_add(sums, l->sum[i], e - LG_WINDOW_BITS);
        lg_float_sums_add_squares(sums, (lg_u128)squares, 2 * (e - LG_WINDOW_BITS));
        lg_float_sums_extend(sums, l->min[i], l->max[i]);
    }
    for (size_t i = 0; i < LG_FOLD_LANES; i++) {
        l->sum[i] = l->upper[i] = l->lower[i] = 0;
        l->min[i] = INFINITY;
        l->max[i] = -INFINITY;
    }
    f->blocks = 0;
}

// Windows that hold the largest samples of a block, and some that are larger.
static void choose_windows(lg_float_fold *f, const float *samples, size_t count)
{
    uint32_t largest[LG_MAX_CHANNELS];
    empty_lanes(f);
    f->kernels->largest(samples, count, f->channels, largest);
    for (size_t c = 0; c < f->channels; c++) {
        const int exponent = largest[c] ? lg_exponent(largest[c]) + 2 : 1;
        set_window(f, c, LG_MIN(LG_MAX(exponent, LOWEST_WINDOW), HIGHEST_WINDOW));
    }
}

// ---- single samples -----------------------------------------------------------------------------

static void empty_exponents(lg_float_fold *f)
{
    for (size_t c = 0; f->singles > 0 && c < f->measured; c++) {
        lg_fold_exponents *e = &f->exponents[c];
        for (int i = 0; i < LG_FOLD_EXPONENTS; i++) {
            const int unit = LG_MAX(i, 1) - 150; // subnormals have that of the least normal floats
            if (e->squares[i] == 0)
                continue;
            lg_float_sums_add(&f->sums[c], e->sum[i], unit);
            lg_float_sums_add_squares(&f->sums[c], e->squares[i], 2 * unit);
        }
        memset(e, 0, sizeof *e);
    }
    f->singles = 0;
}

static void count_special(lg_float_sums *sums, uint32_t bits)
{
    sums->n--;
    if ((bits & LG_BITS_ABS) > LG_BITS_INF)
        sums->nans++;
    else if (bits >> 31)
        sums->ninfs++;
    else
        sums->pinfs++;
}

// Whatever the samples are.
static void add_singly(lg_float_fold *f, const float *samples, size_t count)
{
    if (f->singles + count > MOST_SINGLES)
        empty_exponents(f);
    f->singles += (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        const size_t c = i % f->channels;
        uint32_t bits;
        memcpy(&bits, samples + i, sizeof bits);
        const uint32_t exponent = bits >> 23 & 255;
        if (c >= f->measured)
            continue;
        if (exponent == 255) {
            count_special(&f->sums[c], bits);
            continue;
        }
        const uint32_t significand = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0);
        f->exponents[c].sum[exponent] += bits >> 31 ? -(int64_t)significand : significand;
        f->exponents[c].squares[exponent] += (uint64_t)significand * significand;
        lg_float_sums_extend(&f->sums[c], lg_from_bits(bits), lg_from_bits(bits));
    }
}

// ---- blocks -------------------------------------------------------------------------------------

static bool try_block(lg_float_fold *f, const float *samples, size_t steps)
{
    if (!f->kernels->fold(samples, steps, f->signs, &f->lanes))
        return false;
    if (++f->blocks == MOST_BLOCKS)
        empty_lanes(f);
    return true;
}

// Some vectors at a time, and singly where these lie outside of the windows.
static void add_steps(lg_float_fold *f, const float *samples, size_t steps)
{
    const size_t lanes = f->kernels->lanes;
    for (size_t n; steps > 0; samples += n * lanes, steps -= n) {
        n = LG_MIN(steps, (size_t)FEW_STEPS);
        if (!try_block(f, samples, n))
            add_singly(f, samples, n * lanes);
    }
}

// Whether the block fits windows of its own, with or without a look at signs.
static bool try_windows(lg_float_fold *f, const float *samples, size_t steps)
{
    choose_windows(f, samples, steps * f->kernels->lanes);
    for (int signs = 0; signs < 2; signs++) {
        f->signs = signs;
        if (try_block(f, samples, steps))
            return true;
    }
    return false;
}

// At most LG_FOLD_STEPS vectors.
static void add_block(lg_float_fold *f, const float *samples, size_t steps)
{
    const bool signs = f->signs;
    if (try_block(f, samples, steps) || (!f->fixed && try_windows(f, samples, steps)))
        return;
    add_steps(f, samples, steps);
    f->signs = signs; // a few samples that are small or not finite say nothing of the next block
}

// Whole vectors; returns how many samples are left.
static size_t add_vectors(lg_float_fold *f, const float *samples, size_t count)
{
    const size_t lanes = f->kernels->lanes, block = LG_FOLD_STEPS * lanes;
    for (; count >= lanes; samples += LG_MIN(count, block) / lanes * lanes,
                           count -= LG_MIN(count, block) / lanes * lanes)
        add_block(f, samples, LG_MIN(count, block) / lanes);
    return count;
}

static void empty_pending(lg_float_fold *f)
{
    const size_t left = add_vectors(f, f->pending, f->waiting);
    memmove(f->pending, f->pending + f->waiting - left, left * sizeof *f->pending);
    f->waiting = left;
}

static void wait_for_more(lg_float_fold *f, const float *samples, size_t count)
{
    if (f->waiting + count > LG_FOLD_BLOCK)
        empty_pending(f);
    memcpy(f->pending + f->waiting, samples, count * sizeof *samples);
    f->waiting += count;
}

static void count_pixels(lg_float_fold *f, size_t pixels)
{
    for (size_t c = 0; c < f->measured; c++)
        f->sums[c].n += pixels;
}

// ---- all ----------------------------------------------------------------------------------------

void lg_float_fold_begin(lg_float_fold *f, const lg_moments_float_table *kernels,
                         lg_float_sums *sums, size_t channels, size_t measured, bool half)
{
    f->kernels = kernels;
    f->sums = sums;
    f->channels = channels;
    f->measured = measured;
    f->waiting = 0;
    f->blocks = f->singles = 0;
    f->signs = false;
    f->fixed = half;
    for (size_t c = 0; c < measured; c++)
        sums[c] = lg_float_sums_empty();
    memset(f->exponents, 0, measured * sizeof *f->exponents);
    empty_lanes(f);
    for (size_t c = 0; c < channels; c++)
        set_window(f, c, half ? HALF_WINDOW : 1);
}

void lg_float_fold_add(lg_float_fold *f, const float *samples, size_t count)
{
    count_pixels(f, count / f->channels);
    if (count >= SHORT) {
        const size_t left = add_vectors(f, samples, count);
        samples += count - left;
        count = left;
    }
    if (count > 0)
        wait_for_more(f, samples, count);
}

// Copies of a size that is known, as copies of `channels` samples are calls. Returns the taken pixels.
static inline size_t pack(float *restrict to, const float *restrict samples,
                          const uint8_t *restrict take, size_t pixels, size_t channels)
{
    size_t taken = 0;
    for (size_t i = 0; i < pixels; i++) {
        memcpy(to + taken * channels, samples + i * channels, channels * sizeof *to);
        taken += take[i] != 0;
    }
    return taken;
}

void lg_float_fold_taken(lg_float_fold *f, const float *samples, const uint8_t *take, size_t pixels)
{
    if (f->waiting + pixels * f->channels > LG_FOLD_BLOCK)
        empty_pending(f);
    float *to = f->pending + f->waiting;
    const size_t taken = f->channels == 1   ? pack(to, samples, take, pixels, 1)
                         : f->channels == 2 ? pack(to, samples, take, pixels, 2)
                                            : pack(to, samples, take, pixels, 4);
    count_pixels(f, taken);
    f->waiting += taken * f->channels;
}

void lg_float_fold_end(lg_float_fold *f)
{
    empty_pending(f);
    add_singly(f, f->pending, f->waiting);
    empty_lanes(f);
    empty_exponents(f);
}
