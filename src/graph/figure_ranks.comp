// A measured parameter on the device: from counts of samples that are no bytes to the numbers of a stage. A
// workgroup makes the figure of one channel. There are up to 65536 counters, in ascending order of what they
// count; 256 of them are a block, and first it is found in which block a sample lies.
#version 460
//@variant figure_ranks
//@variant figure_ranks_halves -DHALVES
//@variant figure_ranks_bins -DBINS
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

const uint BLOCK = 256u;
const uint SUMS = 2u, LIMBS = 4u; // sum and sum of squares
const uint WORDS = SUMS * LIMBS;

layout(constant_id = 1) const uint COUNTERS = 65536u; // of a channel
layout(constant_id = 2) const uint FLUSHES = 0u;      // subnormal floats are taken for 0
layout(constant_id = 3) const uint CLASS = 0u;        // lg_figure_class: what is left of this text

#include "graph/figure_counters.glsl"
#include "graph/figure_rank_range.glsl"
#include "measure/threshold/threshold_otsu.glsl"

shared uint block_n[BLOCK]; // samples of blocks up to each
shared uint found;
shared uint extremes[2]; // of integers: 65535 less the least one, the largest one

uint count_at(uint place)
{
#ifdef HALVES
    if (place >= LG_RANK_HALVES)
        return 0u;
    const uint at = lg_rank_half(place);
#else
    const uint at = place;
#endif
    const uint channel = gl_WorkGroupID.x * p.words;
    uint sum = 0u;
    for (uint copy = 0u; copy < p.copies; copy++)
        for (uint layer = 0u; layer < p.layers; layer++)
            sum += lg_words(p.counters).at[counter_at(copy, layer, channel + at)];
    return sum;
}

// All invocations call the functions below, and all get the same result, unless they say otherwise.

void count_blocks()
{
    const uint k = gl_LocalInvocationIndex;
    otsu_n[k] = otsu_s_low[k] = otsu_s_high[k] = 0u;
    barrier();
    for (uint block = 0u; block < COUNTERS / BLOCK; block++) {
        const uint sum = subgroupAdd(count_at(block * BLOCK + k));
        if (subgroupElect())
            atomicAdd(otsu_n[block], sum);
    }
    otsu_scan(k);
    block_n[k] = otsu_n[k];
    barrier();
}

// How many of 256 sums do not exceed a rank.
uint sums_below(uint sum, uint rank)
{
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        found = 0u;
    barrier();
    atomicAdd(found, sum <= rank ? 1u : 0u);
    barrier();
    return min(found, BLOCK - 1u);
}

// Where the sample of a rank lies, of block_n[255] samples; it is `before` behind the first one there.
lg_rank_spot spot_of(uint rank)
{
    const uint k = gl_LocalInvocationIndex;
    const uint block = sums_below(block_n[k], rank);
    const uint before = block > 0u ? block_n[block - 1u] : 0u;
    otsu_n[k] = count_at(block * BLOCK + k);
    otsu_s_low[k] = otsu_s_high[k] = 0u;
    otsu_scan(k);
    const uint place = sums_below(otsu_n[k], rank - before);
    const uint less = place > 0u ? otsu_n[place - 1u] : 0u;
    lg_rank_spot s;
    s.bin = block * BLOCK + place;
    s.before = rank - before - less;
    s.count = otsu_n[place] - less;
    barrier();
    return s;
}

bool has_samples()
{
    return block_n[BLOCK - 1u] > 0u;
}

// The long arithmetic at the end is done by one invocation, which leaves its result to the others.

float value_between(uint channel, lg_rank_spot a, lg_rank_spot b, lg_figure_place at)
{
#if defined(HALVES)
    return lg_rank_between(lg_rank_half_value(a.bin), lg_rank_half_value(b.bin), at.rest);
#elif defined(BINS)
    const lg_rank_rule rule = rank_rule(p.ranges, channel, p.channels, 0u, COUNTERS);
    return lg_rank_between_bins(rule.low, rule.high, a, b, at.rest);
#else
    return lg_figure_between(a.bin, b.bin, at.rest, p.scale);
#endif
}

float lg_counts_percentile(uint channel, uint billionths)
{
    count_blocks();
    if (!has_samples())
        return 0.0;
    const lg_figure_place at = lg_figure_place_of(block_n[BLOCK - 1u], billionths);
    const lg_rank_spot a = spot_of(at.rank), b = spot_of(at.next);
    if (gl_LocalInvocationIndex == 0u)
        figures[0] = value_between(channel, a, b, at);
    barrier();
    return figures[0];
}

// ---- Otsu's level of integers -------------------------------------------------------------------

otsu_class sum_block(uint block)
{
    otsu_class c = otsu_class(0u, uvec2(0u));
    for (uint i = 0u; i < BLOCK; i++) {
        const uint place = block * BLOCK + i, count = count_at(place);
        c.n += count;
        c.s = lg_add64(c.s, lg_mul64(place, uvec2(count, 0u)));
    }
    return c;
}

shared uint best_level[BLOCK], best_n[BLOCK], best_low[BLOCK], best_high[BLOCK]; // level: 65536: none

otsu_class best_at(uint k)
{
    return otsu_class(best_n[k], uvec2(best_low[k], best_high[k]));
}

void put_best(uint k, uint level, otsu_class c)
{
    best_level[k] = level;
    best_n[k] = c.n;
    best_low[k] = c.s.x;
    best_high[k] = c.s.y;
}

// Blocks keep their best level: the lowest one of those that no other exceeds. Exact products compare
// levels of which the scores are near the best score.
void search_block(uint block, otsu_class before)
{
    otsu_class c = before, best = before;
    uint level = COUNTERS;
    float most = 0.0;
    for (uint i = 0u; i < BLOCK; i++) {
        const uint place = block * BLOCK + i, count = count_at(place);
        c.n += count;
        c.s = lg_add64(c.s, lg_mul64(place, uvec2(count, 0u)));
        most = count > 0u ? max(most, otsu_score(c)) : most;
    }
    atomicMax(otsu_best_score, floatBitsToUint(most));
    barrier();
    const float least = uintBitsToFloat(otsu_best_score) * 0.999995;
    c = before;
    for (uint i = 0u; i < BLOCK && most >= least; i++) {
        const uint place = block * BLOCK + i, count = count_at(place);
        c.n += count;
        c.s = lg_add64(c.s, lg_mul64(place, uvec2(count, 0u)));
        if (count == 0u || c.n == otsu_n[255] || otsu_score(c) < least)
            continue;
        if (level == COUNTERS || otsu_better(c, best)) {
            level = place;
            best = c;
        }
    }
    put_best(block, level, best);
}

uint level_of_integers()
{
    const uint k = gl_LocalInvocationIndex;
    const otsu_class own = sum_block(k);
    if (k == 0u)
        otsu_best_score = 0u;
    otsu_n[k] = own.n;
    otsu_s_low[k] = own.s.x;
    otsu_s_high[k] = own.s.y;
    otsu_scan(k);
    search_block(k, k > 0u ? otsu_class_at(k - 1u) : otsu_class(0u, uvec2(0u)));
    for (uint step = 1u; step < BLOCK; step *= 2u) {
        barrier();
        if (k % (2u * step) != 0u || best_level[k + step] == COUNTERS)
            continue;
        if (best_level[k] == COUNTERS || otsu_better(best_at(k + step), best_at(k)))
            put_best(k, best_level[k + step], best_at(k + step));
    }
    barrier();
    if (best_level[0] != COUNTERS)
        return best_level[0];
    return spot_of(0u).bin; // the one value of all samples
}

// ---- and of floats ------------------------------------------------------------------------------

// The largest float in bins up to one. Bins follow each other as floats do: bisect.
float top_of_bin(lg_rank_rule rule, uint bin)
{
    uint low = lg_float_key(rule.low), high = lg_float_key(rule.high);
    while (low < high) {
        const uint middle = low + (high - low + 1u) / 2u;
        const float v = lg_key_float(middle);
        const uint bits = floatBitsToUint(v);
        // As it was counted: histogram_count.glsl.
        const float scaled = rule.factor > 1.0 && (bits & LG_BITS_INF) == 0u ? lg_rank_scaled(v, 100)
                                                                             : v * rule.factor;
        precise float t = (scaled - rule.start) * rule.scale;
        if (min(uint(t), COUNTERS - 1u) <= bin)
            low = middle;
        else
            high = middle - 1u;
    }
    return lg_key_float(low);
}

float level_of_floats(uint channel)
{
    const uint k = gl_LocalInvocationIndex;
    const uvec2 range = rank_ends(p.ranges, channel, p.channels, 1u);
    block_n[k] = otsu_n[k] = count_at(k);
    const uint bin = otsu_level();
    if (k == 0u && !rank_is_single(range))
        figures[0] = top_of_bin(rank_rule(p.ranges, channel, p.channels, 1u, COUNTERS), bin);
    barrier();
    return lg_rank_above(rank_is_single(range) ? rank_low(range) : figures[0], FLUSHES);
}

float lg_counts_otsu(uint channel)
{
#ifdef BINS
    const float level = level_of_floats(channel);
    barrier();
    block_n[gl_LocalInvocationIndex] = otsu_n[gl_LocalInvocationIndex];
    barrier();
    return level;
#else
    count_blocks();
    return lg_figure_level(level_of_integers(), p.scale);
#endif
}

// ---- sums of integers ---------------------------------------------------------------------------

void add_digits(uint at, uvec2 v)
{
    atomicAdd(digits[at], v.x & 0xffffu);
    atomicAdd(digits[at + 1u], v.x >> 16);
    atomicAdd(digits[at + 2u], v.y & 0xffffu);
    atomicAdd(digits[at + 3u], v.y >> 16);
}

// Of values below 2^16 and fewer than 2^32 samples: all sums are below 2^64.
float figure_of_sums_of_counts(uint kind)
{
    const uint k = gl_LocalInvocationIndex;
    count_blocks();
    if (k < WORDS)
        digits[k] = above[k] = 0u;
    if (k < 2u)
        extremes[k] = 0u;
    barrier();
    uvec2 sum = uvec2(0u), squares = uvec2(0u);
    for (uint i = 0u; i < BLOCK; i++) {
        const uint place = k * BLOCK + i, count = count_at(place);
        sum = lg_add64(sum, lg_mul64(place, uvec2(count, 0u)));
        squares = lg_add64(squares, lg_mul64(place * place, uvec2(count, 0u)));
        if (count > 0u) {
            atomicMax(extremes[0], COUNTERS - 1u - place);
            atomicMax(extremes[1], place);
        }
    }
    add_digits(0u, sum);
    add_digits(LIMBS, squares);
    barrier();
    if (k > 0u)
        return 0.0; // the caller waits
    lg_figure_sums s;
    s.sum = number_of(0u, LIMBS);
    s.squares = number_of(LIMBS, LIMBS);
    s.n = block_n[BLOCK - 1u];
    s.negative = 0u;
    s.unit = p.unit;
    s.scale = p.scale;
    s.low = float(COUNTERS - 1u - extremes[0]);
    s.high = float(extremes[1]);
    return lg_figure_of_sums(s, kind);
}

// ---- the figure -----------------------------------------------------------------------------------

float figure_of_ranks(uint c, uint kind, uint billionths)
{
    uint row = LG_FIRST_OF_RANKS;
    LG_FIGURES_OF_RANKS(LG_FIGURE_CASE)
    return 0.0;
}

float figure_of_classes(uint c, uint kind)
{
    uint row = LG_FIRST_OF_CLASSES;
    LG_FIGURES_OF_CLASSES(LG_FIGURE_CASE)
    return 0.0;
}

float figure_of_class(uint channel)
{
    if (CLASS == LG_CLASS_SUMS) {
        const float figure = figure_of_sums_of_counts(p.to.kind);
        if (gl_LocalInvocationIndex == 0u)
            figures[0] = figure;
        barrier();
        return figures[0];
    }
    if (CLASS == LG_CLASS_RANKS)
        return figure_of_ranks(channel, p.to.kind, p.billionths);
    return figure_of_classes(channel, p.to.kind);
}

uint place_of(uint number)
{
    return p.places >> (8u * number) & 255u;
}

bool is_wanted(uint channel)
{
    bool wanted = false;
    for (uint i = 0u; i < p.to.numbers; i++)
        wanted = wanted || place_of(i) == channel;
    return wanted;
}

void main()
{
    const uint k = gl_LocalInvocationIndex, channel = gl_WorkGroupID.x;
    if (channel == 0u && k < p.to.numbers && place_of(k) == 255u) // a channel that there is not
        lg_figure_write_fitted(p.to, k, 1.0);
    if (!is_wanted(channel))
        return;
    const float figure = figure_of_class(channel);
    if (!has_samples() && k == 0u)
        lg_words_shared(p.refused).at[0] = 1u;
    if (has_samples() && k < p.to.numbers && place_of(k) == channel)
        lg_figure_write_fitted(p.to, k, figure);
}
