// Sums within the rows of a tile; a thread has a vector of each of EACH rows. Sums have 16 bits if
// samples are small (LOCAL_PACKED), 32 if these suffice (LOCAL_NARROW), else the size of entries.

#ifdef SUM_WIDE
#define LOW_WORD(s) ((s).x)
#else
#define LOW_WORD(s) (s)
#endif

const uint LAST = VECTOR - CHANNELS;          // the last pixel

#if defined(SUM_WIDE) && !defined(LOCAL_NARROW) && !defined(LOCAL_PACKED)
#define LOCAL uvec2
#elif defined(SUM_FLOAT)
#define LOCAL float
#else
#define LOCAL uint
#endif

LOCAL add_local(LOCAL a, LOCAL b)
{
#if defined(SUM_WIDE) && !defined(LOCAL_NARROW) && !defined(LOCAL_PACKED)
    return lg_add64(a, b);
#else
    precise LOCAL s = a + b;
    return s;
#endif
}

#ifdef LOCAL_PACKED
uint even[EACH], odd[EACH]; // sums of samples 0 and 2, 1 and 3

SUM row_sum(uint r, uint k)
{
    const uint s = ((k & 1u) == 0u ? even[r] : odd[r]) >> (8u * (k & 2u)) & 0xffffu;
#ifdef SUM_WIDE
    return uvec2(s, 0u);
#else
    return s;
#endif
}
#else
LOCAL v[EACH * 4u];

SUM row_sum(uint r, uint k)
{
#ifdef LOCAL_NARROW
    return uvec2(v[4u * r + k], 0u);
#else
    return v[4u * r + k];
#endif
}
#endif

// ---- from samples ----

#if !defined(LOCAL_PACKED) && !defined(SUM_FLOAT)
// Colour times alpha, and alpha times 255.
uint premultiplied(uvec4 vector, uint k)
{
    const uint last = CHANNELS - 1u, channel = k % CHANNELS;
    const uint alpha = sample_bits(vector, k - channel + last);
    return alpha * (channel == last ? 255u : sample_bits(vector, k));
}
#endif

void keep_samples(uint r, uvec4 vector, sample_rule rule)
{
#if defined(LOCAL_PACKED)
    if (TYPE == LG_U8 && OPERATION == VALUE) {
        even[r] = vector.x & 0xff00ffu;
        odd[r] = vector.x >> 8 & 0xff00ffu;
        return;
    }
    uint bits[4] = {0u, 0u, 0u, 0u};
    [[unroll]] for (uint k = 0u; k < VECTOR; k++)
        bits[k] = LOW_WORD(sample_value(sample_bits(vector, k), rule));
    even[r] = bits[0] | bits[2] << 16;
    odd[r] = bits[1] | bits[3] << 16;
#else
    [[unroll]] for (uint k = 0u; k < VECTOR; k++) {
#ifdef LOCAL_NARROW
        v[4u * r + k] = PREMULTIPLIED ? premultiplied(vector, k)
                                      : sample_value(sample_bits(vector, k), rule).x;
#elif defined(SUM_FLOAT) || defined(SUM_WIDE)
        v[4u * r + k] = sample_value(sample_bits(vector, k), rule);
#else
        v[4u * r + k] = PREMULTIPLIED ? premultiplied(vector, k)
                                      : sample_value(sample_bits(vector, k), rule);
#endif
    }
#endif
}

// ---- from lane to lane ----

shared LOCAL swapped[SHUFFLED < LG_AREA_LANES ? LG_AREA_LANES * GROUPS : 1u];
shared SUM row_sums[ROWS * CHANNELS]; // of a tile's rows, then the sums before them

// s of another lane; lanes exchange within blocks of 2 distance.
LOCAL from_lane(LOCAL s, uint source, uint distance)
{
    if (2u * distance <= SHUFFLED)
        return subgroupShuffle(s, gl_SubgroupInvocationID - lane() % SHUFFLED + source % SHUFFLED);
    barrier();
    swapped[thread()] = s;
    barrier();
    return swapped[group() * LG_AREA_LANES + source];
}

// For lanes of an upper half, the lane with the last sum of the lower half.
uint lower_lane(uint distance)
{
    return (lane() & distance) != 0u ? (lane() & ~(distance - 1u)) - 1u : lane();
}

// Sums over the lanes up to and including this one.
LOCAL sum_lanes(LOCAL s)
{
    [[unroll]] for (uint distance = 1u; distance < LG_AREA_LANES; distance *= 2u) {
        const LOCAL lower = from_lane(s, lower_lane(distance), distance);
        s = (lane() & distance) != 0u ? add_local(lower, s) : s;
    }
    return s;
}

void keep_row_sum(uint r, uint channel, SUM s)
{
    if (lane() == LG_AREA_LANES - 1u && channel < CHANNELS)
        row_sums[(group() * EACH + r) * CHANNELS + channel] = s;
}

#ifdef LOCAL_PACKED

SUM low_half(uint s)
{
#ifdef SUM_WIDE
    return uvec2(s & 0xffffu, 0u);
#else
    return s & 0xffffu;
#endif
}

// Two sums of a row, or of two rows, go from lane to lane at once; sums of 128 samples fit 16 bits.
void sum_rows()
{
    [[unroll]] for (uint r = 0u; r < EACH; r++) {
        if (CHANNELS == 1u) {
            odd[r] += even[r]; // pixels 0 + 1, 2 + 3
            const uint half_sum = odd[r] << 16;
            even[r] += half_sum;
            odd[r] += half_sum;
        } else if (CHANNELS == 2u) {
            even[r] += even[r] << 16;
            odd[r] += odd[r] << 16;
        }
    }
    [[unroll]] for (uint r = 0u; r < EACH; r += 2u) {
        if (CHANNELS == 1u) {
            const uint own = odd[r] >> 16 | (odd[r + 1u] & 0xffff0000u);
            const uint up_to = sum_lanes(own), before = up_to - own;
            const uint first = (before & 0xffffu) * 0x10001u, second = (before >> 16) * 0x10001u;
            even[r] += first;
            odd[r] += first;
            even[r + 1u] += second;
            odd[r + 1u] += second;
            keep_row_sum(r, 0u, low_half(up_to));
            keep_row_sum(r + 1u, 0u, low_half(up_to >> 16));
            continue;
        }
        [[unroll]] for (uint i = r; i < r + 2u; i++) {
            if (CHANNELS == 2u) {
                const uint own = even[i] >> 16 | (odd[i] & 0xffff0000u);
                const uint up_to = sum_lanes(own), before = up_to - own;
                even[i] += (before & 0xffffu) * 0x10001u;
                odd[i] += (before >> 16) * 0x10001u;
                keep_row_sum(i, 0u, low_half(up_to));
                keep_row_sum(i, 1u, low_half(up_to >> 16));
            } else {
                even[i] = sum_lanes(even[i]);
                odd[i] = sum_lanes(odd[i]);
                keep_row_sum(i, 0u, low_half(even[i]));
                keep_row_sum(i, 1u, low_half(odd[i]));
                keep_row_sum(i, 2u, low_half(even[i] >> 16));
                keep_row_sum(i, 3u, low_half(odd[i] >> 16));
            }
        }
    }
}

#else

void sum_vector(uint at)
{
    if (PIXELS > 1u)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            v[at + CHANNELS + c] = add_local(v[at + c], v[at + CHANNELS + c]);
    if (PIXELS == 4u) {
        v[at + 3u] = add_local(v[at + 2u], v[at + 3u]);
        v[at + 2u] = add_local(v[at + 1u], v[at + 2u]);
        v[at + 3u] = add_local(v[at + 1u], v[at + 3u]);
    }
}

// By halves: every element of an upper half gets the last sum of the lower one. For integers only
// the last sum of a vector goes from lane to lane.
void sum_rows()
{
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        sum_vector(4u * r);
#ifdef SUM_FLOAT
    [[unroll]] for (uint distance = 1u; distance < LG_AREA_LANES; distance *= 2u)
        [[unroll]] for (uint r = 0u; r < EACH; r++)
            [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
                const float lower = from_lane(v[4u * r + LAST + c], lower_lane(distance), distance);
                [[unroll]] for (uint k = 4u * r + c; k < 4u * r + VECTOR; k += CHANNELS)
                    v[k] = (lane() & distance) != 0u ? add_local(lower, v[k]) : v[k];
            }
#else
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++) {
            const LOCAL own = v[4u * r + LAST + c], up_to = sum_lanes(own);
#if defined(SUM_WIDE) && !defined(LOCAL_NARROW)
            const LOCAL before = lg_add64(up_to, negative64(own));
#else
            const LOCAL before = up_to - own;
#endif
            [[unroll]] for (uint k = 4u * r + c; k < 4u * r + VECTOR; k += CHANNELS)
                v[k] = add_local(before, v[k]);
        }
#endif
    [[unroll]] for (uint r = 0u; r < EACH; r++)
        [[unroll]] for (uint c = 0u; c < CHANNELS; c++)
            keep_row_sum(r, c, row_sum(r, LAST + c));
}

#endif
