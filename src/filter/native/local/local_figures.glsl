// Figures of the windows around pixels, from the corners of summed-area tables.
//
// Defined before: CH sums of an entry, PLANES of them in use; KIND and SAMPLES as in local.h; WIDE:
// words of 64 bits; FIGURE 0 mean, 1 deviation, 2 Niblack's threshold, 3 Sauvola's; WINDOWS 0 all
// of one size, 1 radius from the first component of view 0, 2 radii from its first two; MEASURED,
// BITS: the unit; GREY: the image is grey and alpha; SMALL: sums fit 24 bits; TILED: the table is
// in tiles; K, RANGE: indices of parameters. Words: layers, rows first .. end - 1 of results,
// height, the tables' first row and number of rows, radii, unit, addresses of the tables of sums
// and of squares, and of the bits of the largest magnitude.
#include "filter/native/local/local_spread.glsl"
#include "filter/native/planes_color_glsl.h"

// Sums of up to four channels, modulo 2^64 or 2^32.
struct entry {
    uvec4 low, high;
};

entry add(entry a, entry b)
{
#if WIDE
    uvec4 carry, low = uaddCarry(a.low, b.low, carry);
    return entry(low, a.high + b.high + carry);
#else
    return entry(a.low + b.low, uvec4(0u));
#endif
}

entry subtract(entry a, entry b)
{
#if WIDE
    uvec4 borrow, low = usubBorrow(a.low, b.low, borrow);
    return entry(low, a.high - b.high - borrow);
#else
    return entry(a.low - b.low, uvec4(0u));
#endif
}

// The common parts of the entries of a row, and of a column. `row` counts the table's rows of a
// layer.
#if TILED
// In tiles, see areasum_device.h: 2 or 4 channels, less than 4 GiB. The addresses of the parts
// replace those of the tables of other figures.
#define SIDE 16u

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer lg_pairs {
    uvec2 at[];
};

uint tiles_of(uint size)
{
    return (size + 2u * SIDE - 1u) / SIDE;
}

struct row_place {
    uint inside, left, above; // first elements, of CH samples
};

row_place row_of(uvec2 table, uint row, uint z)
{
    uint tiles_x = tiles_of(lg.width), tiles_y = tiles_of(lg.extra[5]), width = tiles_x * SIDE;
    uint row_of_all = z * tiles_y * SIDE + row;
    return row_place(row_of_all * width, (row_of_all - row) * tiles_x + row,
                     (z * tiles_y + row / SIDE) * width);
}

// The entry before the first one: the last tiles are all 0.
row_place row_before(uvec2 table, int row, uint z)
{
    return row_of(table, row > 0 ? uint(row) - 1u : (tiles_of(lg.extra[5]) - 1u) * SIDE, z);
}

struct column_place {
    uint x, left;
};

column_place column_of(uint x)
{
    return column_place(x, x / SIDE * SIDE * tiles_of(lg.extra[5]));
}

column_place column_before(int x)
{
    return column_of(x > 0 ? uint(x) - 1u : (tiles_of(lg.width) - 1u) * SIDE);
}

uvec4 words_at(uvec2 from, uint i)
{
#if CH == 4
    return lg_vectors(from).at[i];
#else
    return uvec4(lg_pairs(from).at[i], 0u, 0u);
#endif
}

uvec4 inside_tile(uvec2 from, uint i)
{
#if CH == 4
    uvec2 pairs = lg_pairs(from).at[i];
    return uvec4(pairs & 0xffffu, pairs >> 16);
#else
    uint pair = lg_words(from).at[i];
    return uvec4(pair & 0xffffu, pair >> 16, 0u, 0u);
#endif
}

entry entry_at(uvec2 table, row_place row, column_place column)
{
    return entry(inside_tile(table, row.inside + column.x) +
                     words_at(uvec2(lg.extra[11], lg.extra[12]), row.left + column.left) +
                     words_at(uvec2(lg.extra[13], lg.extra[14]), row.above + column.x),
                 uvec4(0u));
}
#else
#define ENTRY_BYTES (CH * 4 * (1 + WIDE))

struct row_place {
    uvec2 first; // address
    bool none;   // before the first entry: another one is read instead, so that no corner waits for a branch
};

row_place row_of(uvec2 table, uint row, uint z)
{
    return row_place(lg_add64(table, lg_mul32(z * lg.extra[5] + row, lg.width * ENTRY_BYTES)), false);
}

row_place row_before(uvec2 table, int row, uint z)
{
    row_place place = row_of(table, uint(max(row - 1, 0)), z);
    place.none = row <= 0;
    return place;
}

struct column_place {
    uint x;
    bool none;
};

column_place column_of(uint x)
{
    return column_place(x, false);
}

column_place column_before(int x)
{
    return column_place(uint(max(x - 1, 0)), x <= 0);
}

entry stored_entry(uvec2 at)
{
#if CH == 4 && WIDE
    uvec4 a = lg_vectors(at).at[0], b = lg_vectors(at).at[1];
    return entry(uvec4(a.xz, b.xz), uvec4(a.yw, b.yw));
#elif CH == 4
    return entry(lg_vectors(at).at[0], uvec4(0u));
#elif CH == 2 && WIDE
    uvec4 a = lg_vectors(at).at[0];
    return entry(uvec4(a.xz, 0u, 0u), uvec4(a.yw, 0u, 0u));
#elif CH == 2
    return entry(uvec4(lg_words(at).at[0], lg_words(at).at[1], 0u, 0u), uvec4(0u));
#elif WIDE
    return entry(uvec4(lg_words(at).at[0], 0u, 0u, 0u), uvec4(lg_words(at).at[1], 0u, 0u, 0u));
#else
    return entry(uvec4(lg_words(at).at[0], 0u, 0u, 0u), uvec4(0u));
#endif
}

entry entry_at(uvec2 table, row_place row, column_place column)
{
    entry e = stored_entry(lg_add64(row.first, uvec2(column.x * ENTRY_BYTES, 0u)));
    bool none = row.none || column.none;
    return entry(none ? uvec4(0u) : e.low, none ? uvec4(0u) : e.high);
}
#endif

// A window's columns and rows, both ends inside.
struct box {
    int left, right, top, bottom;
};

entry sum_of(uvec2 table, box b, uint z)
{
    int first = int(lg.extra[4]);
    row_place high = row_before(table, b.top - first, z), low = row_of(table, uint(b.bottom - first), z);
    column_place left = column_before(b.left), right = column_of(uint(b.right));
    entry high_left = entry_at(table, high, left), high_right = entry_at(table, high, right);
    entry low_left = entry_at(table, low, left), low_right = entry_at(table, low, right);
    return subtract(subtract(low_right, low_left), subtract(high_right, high_left));
}

// ---- pixels ---------------------------------------------------------------------------------------

float unit_of()
{
#if MEASURED
    return local_power(local_exponent(lg_words(uvec2(lg.extra[13], lg.extra[14])).at[0]) - BITS);
#else
    return uintBitsToFloat(lg.extra[8]);
#endif
}

color color_of(vec4 v)
{
#if KIND == 1
    return lg_straight(GREY != 0 ? rgba(v.x, v.x, v.x, v.y) : rgba(v.x, v.y, v.z, v.w));
#else
    return color_of_components(v);
#endif
}

#if FIGURE > 1
// The pixel's own sample.
int own_of(color c, int x, int y, uint z, float unit)
{
#if SAMPLES == 3
    int exponent = 1;
#if MEASURED
    exponent = local_exponent(lg_words(uvec2(lg.extra[13], lg.extra[14])).at[0]);
#endif
    return local_units(lg_luminance(c), local_power(BITS - exponent));
#else
    uint r = lg_to_unit(c.r, 255.0), g = lg_to_unit(c.g, 255.0), b = lg_to_unit(c.b, 255.0);
    return int(SAMPLES == 0 || GREY != 0 ? r : lg_luma_integer(r, g, b, 13926u, 46885u, 4725u));
#endif
}
#endif

color figure_at(int x, int y, uint z, float unit)
{
    int width = int(lg.width), height = int(lg.extra[3]);
    int radius_x = int(lg.extra[6]), radius_y = int(lg.extra[7]);
#if FIGURE > 1 || WINDOWS > 0
    color c = lg_load_0(x, y, z);
#endif
#if WINDOWS > 0
    radius_x = local_radius(c.r, float(radius_x));
    radius_y = local_radius(WINDOWS == 2 ? c.g : c.r, float(radius_y));
#endif
    box b = box(max(x - radius_x, 0), min(x + radius_x, width - 1), max(y - radius_y, 0),
                min(y + radius_y, height - 1));
    int columns = b.right - b.left + 1, rows = b.bottom - b.top + 1;
    float inverse = local_inverse(columns, rows);
    entry sums = sum_of(uvec2(lg.extra[9], lg.extra[10]), b, z);
#if FIGURE > 0
    entry squares = sum_of(uvec2(lg.extra[11], lg.extra[12]), b, z);
    uint n = uint(columns) * uint(rows);
#endif
#if FIGURE > 1
    spread s = spread_of(uvec2(sums.low.x, sums.high.x), uvec2(squares.low.x, squares.high.x), n, inverse);
    float v = threshold_of(s, own_of(c, x, y, z, unit), unit, lg_param_float(K), inverse_range());
    return rgba(v, v, v, c.a);
#else
    vec4 v = vec4(0.0);
    [[unroll]] for (int k = 0; k < PLANES; k++) {
        uvec2 sum = uvec2(sums.low[k], sums.high[k]);
#if FIGURE == 0
        v[k] = local_mean(real_sum(sum), inverse, unit);
#else
        LG_FLOAT d = spread_of(sum, uvec2(squares.low[k], squares.high[k]), n, inverse).deviation;
        d = d * unit;
        v[k] = d;
#endif
    }
    return color_of(v);
#endif
}

void main()
{
    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN, width = int(lg.width);
    if (x0 >= width)
        return;
    float unit = unit_of();
    for (uint z = gl_WorkGroupID.z; z < lg.extra[0]; z += gl_NumWorkGroups.z)
        for (int y = int(lg.extra[1] + gl_GlobalInvocationID.y); y < int(lg.extra[2]);
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y) {
            uvec4 w[LG_VECTORS_OUT];
            [[unroll]] for (int k = 0; k < LG_VECTORS_OUT; k++)
                w[k] = uvec4(0u);
            [[unroll]] for (int j = 0; j < LG_SPAN; j++)
                lg_pack(w, j, figure_at(min(x0 + j, width - 1), y, z, unit));
            lg_flush(w, x0, y, z);
        }
}
