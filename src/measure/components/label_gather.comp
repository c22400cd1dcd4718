// Labels, behind the last step: the records of tiles are added to those of components. A thread has a tile; those
// of a subgroup that have the same component add up first.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_record.glsl"

// Fields of a record: sums of two words each, and greatest values.
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

void add_together_to(lg_words_shared to, lg_words_shared from)
{
    const bool one = subgroupElect();
    const uint area = subgroupAdd(from.at[AREA]);
    if (one)
        add_32(to, AREA, area, false);
    [[unroll]] for (uint i = 0u; i < SUMS_64.length(); i++) {
        const uint field = SUMS_64[i];
        if (!is_used(field))
            continue;
        const uvec2 sum = add_together(uvec2(from.at[field], from.at[field + 1u]));
        if (one)
            add_64(to, field, sum, false);
    }
    [[unroll]] for (uint i = 0u; i < GREATEST_OF.length(); i++) {
        const uint field = GREATEST_OF[i];
        if (!is_used(field))
            continue;
        const uint value = subgroupMax(from.at[field]);
        if (one)
            raise(to, field, value, false);
    }
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
    for (;;) {
        if (subgroupBroadcastFirst(component) == component) {
            add_together_to(record_of(component), from);
            break;
        }
    }
}
