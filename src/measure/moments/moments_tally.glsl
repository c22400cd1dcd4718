// Exact tallies of integer samples: folded across a workgroup, then across workgroups.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "shader/memory.glsl"

struct tally {
    uint count;        // only kept by kernels that leave samples out
    uvec2 sum, square; // 64 bits: low, high
    uint low, high;
};

const uint TALLY_WORDS = 8u; // of a record; the last one pads
const tally NOTHING = tally(0u, uvec2(0u), uvec2(0u), ~0u, 0u);

shared tally parts[128]; // of the subgroups

// Through 16-bit limbs, which cannot overflow 32 bits.
uvec2 subgroup_add64(uvec2 v)
{
    const uint a = subgroupAdd(v.x & 0xffffu), b = subgroupAdd(v.x >> 16) + (a >> 16);
    const uint c = subgroupAdd(v.y & 0xffffu) + (b >> 16), d = subgroupAdd(v.y >> 16) + (c >> 16);
    return uvec2((a & 0xffffu) | (b << 16), (c & 0xffffu) | (d << 16));
}

tally across_subgroup(tally t)
{
    return tally(subgroupAdd(t.count), subgroup_add64(t.sum), subgroup_add64(t.square),
                 subgroupMin(t.low), subgroupMax(t.high));
}

tally both(tally a, tally b)
{
    return tally(a.count + b.count, lg_add64(a.sum, b.sum), lg_add64(a.square, b.square),
                 min(a.low, b.low), max(a.high, b.high));
}

// The workgroup's tally, valid in the first subgroup.
tally across_workgroup(tally t)
{
    t = across_subgroup(t);
    barrier();
    if (subgroupElect())
        parts[gl_SubgroupID] = t;
    barrier();
    if (gl_SubgroupID != 0u)
        return t;
    t = NOTHING;
    for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += gl_SubgroupSize)
        t = both(t, parts[i]);
    return across_subgroup(t);
}

void store(uvec2 to, uint record, tally t)
{
    lg_words_shared words = lg_words_shared(to);
    const uint at = record * TALLY_WORDS;
    words.at[at] = t.count;
    words.at[at + 1u] = t.sum.x;
    words.at[at + 2u] = t.sum.y;
    words.at[at + 3u] = t.square.x;
    words.at[at + 4u] = t.square.y;
    words.at[at + 5u] = t.low;
    words.at[at + 6u] = t.high;
}

tally load(uvec2 from, uint record)
{
    lg_words_shared words = lg_words_shared(from);
    const uint at = record * TALLY_WORDS;
    return tally(words.at[at], uvec2(words.at[at + 1u], words.at[at + 2u]),
                 uvec2(words.at[at + 3u], words.at[at + 4u]), words.at[at + 5u], words.at[at + 6u]);
}

// Writes the tallies of channels 0 .. CHANNELS-1 to the workgroup's partial record; the layer's last
// workgroup folds all of them into the layer's records.
#define PUBLISH_TALLIES(t, channels, partials, records, tickets)                                   \
    {                                                                                              \
        const uint layer_ = gl_WorkGroupID.y, groups_ = gl_NumWorkGroups.x;                        \
        for (uint c_ = 0u; c_ < channels; c_++) {                                                  \
            const tally t_ = across_workgroup(t[c_]);                                              \
            if (gl_LocalInvocationIndex == 0u)                                                     \
                store(partials, (layer_ * groups_ + gl_WorkGroupID.x) * channels + c_, t_);        \
        }                                                                                          \
        if (lg_last_workgroup(lg_words_shared(tickets), layer_, groups_)) {                        \
            for (uint c_ = 0u; c_ < channels; c_++) {                                              \
                tally t_ = NOTHING;                                                                \
                for (uint i_ = gl_LocalInvocationIndex; i_ < groups_; i_ += gl_WorkGroupSize.x)    \
                    t_ = both(t_, load(partials, (layer_ * groups_ + i_) * channels + c_));        \
                t_ = across_workgroup(t_);                                                         \
                if (gl_LocalInvocationIndex == 0u)                                                 \
                    store(records, layer_ * channels + c_, t_);                                    \
            }                                                                                      \
        }                                                                                          \
    }
