// Rows of tiles in registers: 32 lanes have a vector of samples each.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "measure/areasum/areasum_push.h"
#include "measure/areasum/areasum_sums.glsl"

layout(constant_id = 4) const uint GROUPS = 8;   // of lanes
layout(constant_id = 6) const uint SHUFFLED = 1; // lanes that can exchange registers

const uint VECTOR = CHANNELS == 3u ? 3u : 4u; // samples: whole pixels
const uint PIXELS = VECTOR / CHANNELS;        // of a vector

uint thread()
{
    return SHUFFLED > 1u ? gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID
                         : gl_LocalInvocationIndex;
}

uint lane()
{
    return thread() % LG_AREA_LANES;
}

uint group()
{
    return thread() / LG_AREA_LANES;
}

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer word_pairs {
    uvec2 at[];
};

// The samples of a vector, without gaps; anything may follow them.
uvec4 load_vector(uvec2 row, uint x)
{
    const uint byte = x * SAMPLE_BYTES;
    const uvec2 from = lg_add64(row, uvec2(byte & ~3u, 0u));
    if (CHANNELS != 3u) {
        if (SAMPLE_BYTES == 1u)
            return uvec4(lg_words(from).at[0], 0u, 0u, 0u);
        if (SAMPLE_BYTES == 2u)
            return uvec4(word_pairs(from).at[0], 0u, 0u);
        return lg_vectors(from).at[0];
    }
    lg_words words = lg_words(from);
    const uvec2 first = uvec2(words.at[0], words.at[1]);
    if (SAMPLE_BYTES == 4u)
        return uvec4(first, words.at[2], 0u);
    const uint by = (byte & 3u) * 8u;
    return uvec4(by == 0u ? first.x : first.x >> by | first.y << (32u - by), first.y >> by, 0u, 0u);
}

// ---- vectors of sums ----

layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer word_vectors {
    uvec4 at[];
};

void write_vector(uvec2 to, SUM s[4])
{
#if defined(SUM_WIDE)
    word_vectors(to).at[0] = uvec4(s[0], s[1]);
    word_vectors(to).at[1] = uvec4(s[2], s[3]);
#elif defined(SUM_FLOAT)
    word_vectors(to).at[0] = floatBitsToUint(vec4(s[0], s[1], s[2], s[3]));
#else
    word_vectors(to).at[0] = uvec4(s[0], s[1], s[2], s[3]);
#endif
}

layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer written_pairs {
    uvec2 at[];
};

// The first two, at a multiple of their size.
void write_pair(uvec2 to, SUM s[4])
{
#if defined(SUM_WIDE)
    word_vectors(to).at[0] = uvec4(s[0], s[1]);
#elif defined(SUM_FLOAT)
    written_pairs(to).at[0] = floatBitsToUint(vec2(s[0], s[1]));
#else
    written_pairs(to).at[0] = uvec2(s[0], s[1]);
#endif
}
