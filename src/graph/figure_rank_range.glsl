// The range of samples of floats, as figure_range.comp has left it.
#include "graph/figure_ranks.h"

// The largest complement of a key and the largest key of a channel, or with `apart` 0 of all channels.
uvec2 rank_ends(uvec2 ranges, uint channel, uint channels, uint apart)
{
    uvec2 ends = uvec2(0u);
    for (uint c = 0u; c < channels; c++) {
        const uvec2 own = uvec2(lg_words(ranges).at[2u * c], lg_words(ranges).at[2u * c + 1u]);
        ends = apart == 0u || c == channel ? max(ends, own) : ends;
    }
    return ends;
}

bool rank_has_samples(uvec2 ends)
{
    return ends.y != 0u;
}

float rank_low(uvec2 ends)
{
    return lg_plus_zero(lg_key_float(~ends.x));
}

float rank_high(uvec2 ends)
{
    return lg_plus_zero(lg_key_float(ends.y));
}

// By bits, as a device may take different subnormal floats for the same.
bool rank_is_single(uvec2 ends)
{
    return floatBitsToUint(rank_low(ends)) == floatBitsToUint(rank_high(ends));
}

// Without samples that of 0..1, in which no sample lies.
lg_rank_rule rank_rule(uvec2 ranges, uint channel, uint channels, uint apart, uint bins)
{
    const uvec2 ends = rank_ends(ranges, channel, channels, apart);
    float low = rank_low(ends), high = rank_high(ends);
    if (!rank_has_samples(ends)) {
        low = 0.0;
        high = 1.0;
    } else if (rank_is_single(ends)) {
        const float half_width = lg_rank_half_width(low);
        low = lg_rank_widened(low, -half_width);
        high = lg_rank_widened(high, half_width);
    }
    return lg_rank_rule_of(low, high, bins);
}
