// Labels, after the last step: adds the records of tiles to those of components. A thread has a
// tile; tiles of a subgroup with the same component add up first.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_record.glsl"

// Fields of a record: sums of two words each, and maxima.
const uint SUMS_64[] = {X, Y, Z, XX, YY, XY, ZZ, XZ, YZ, SUM, SQUARES, MX, MY, MZ};
const uint GREATEST_OF[] = {LEFT, RIGHT, BOTTOM, TOP, BACK, LOW, HIGH};

bool is_used(uint field)
{
    const bool volume = field == Z || field == TOP || field == BACK, moments = field >= XX && field <= YZ;
    const bool of_volume = field == ZZ || field == XZ || field == YZ || field == MZ;
    return ((!volume && !of_volume) || VOLUME) && (!moments || MOMENTS) && (field < LOW || INTENSITY > 0u);
}

// Of the threads that are here; up to 128.
uvec2 add_together(uvec2 v)
{
    const uint low = subgroupAdd(v.x & 0xffffu), high = subgroupAdd(v.x >> 16);
    return lg_add64(uvec2(low, subgroupAdd(v.y)), uvec2(high << 16, high >> 16));
}

// The sums that a thread adds to a record, if it is the one of those with the same component.
uvec2 sums_64[SUMS_64.length()];
uint greatest[GREATEST_OF.length()];
uint area;

void add_together_from(lg_words_shared from)
{
    area = subgroupAdd(from.at[AREA]);
    [[unroll]] for (uint i = 0u; i < SUMS_64.length(); i++)
        if (is_used(SUMS_64[i]))
            sums_64[i] = add_together(uvec2(from.at[SUMS_64[i]], from.at[SUMS_64[i] + 1u]));
    [[unroll]] for (uint i = 0u; i < GREATEST_OF.length(); i++)
        if (is_used(GREATEST_OF[i]))
            greatest[i] = subgroupMax(from.at[GREATEST_OF[i]]);
}

void main()
{
    const uint tile = gl_GlobalInvocationID.x, layers = p.rows / p.height;
    if (tile >= p.tiles_x * p.tiles_y * layers)
        return;
    lg_words_shared from = tile_record(tile);
    const uint component = from.at[FIRST];
    if (component == 0u || component > p.capacity)
        return;
    // Without a break: code before one may be moved behind the loop, where all threads are together
    // again.
    bool one = false;
    for (uint rest = component; rest != 0u;) {
        if (subgroupBroadcastFirst(rest) == rest) {
            add_together_from(from);
            one = subgroupElect();
            rest = 0u;
        }
    }
    if (!one)
        return;
    lg_words_shared to = record_of(component);
    add_32(to, AREA, area, false);
    [[unroll]] for (uint i = 0u; i < SUMS_64.length(); i++)
        if (is_used(SUMS_64[i]))
            add_64(to, SUMS_64[i], sums_64[i], false);
    [[unroll]] for (uint i = 0u; i < GREATEST_OF.length(); i++)
        if (is_used(GREATEST_OF[i]))
            raise(to, GREATEST_OF[i], greatest[i], false);
}
