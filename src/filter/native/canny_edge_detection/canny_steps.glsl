// Canny's steps one by one, for any type and Gaussian, through planes of 32-bit words: floats, or
// integers for bytes. The Gaussian is gaussian_blur's, between the first two steps.
//
// Defined before: STEP: 0 luminance, 1 squared magnitudes, 2 suppression; INTEGER; RING as in
// canny_bytes.glsl; APART: the Sobel takes texel_width and texel_height. Words behind those of the maps:
// height, layers, the factor of integer luminance, 0. Views: the input; a second plane, for suppression
// (blurred luminance and magnitudes); the output.

#if INTEGER
#define VALUE int
#define decode(w) int(w)
#define encode(v) uint(v)
#define ROUNDED(x) (x)
#else
#define VALUE float
#define decode(w) uintBitsToFloat(w)
#define encode(v) floatBitsToUint(v)
// A driver of NVIDIA fuses products into sums when the two meet behind a branch, but not across a
// bit operation that it cannot see through.
#define ROUNDED(x) uintBitsToFloat(floatBitsToUint(x) ^ lg.extra[7])
#endif

VALUE at(lg_view plane, int x, int y, uint z)
{
    int column = lg_border_index(x, lg_param_int(5), BORDER);
    int row = lg_border_index(y, lg_param_int(6), BORDER);
    if (column < 0 || row < 0)
        return VALUE(0);
    return decode(lg_words(lg_row(plane, uint(row), z)).at[column]);
}

#if STEP == 0
VALUE compute(int x, int y, uint z)
{
    color c = lg_load_0(x, y, z);
#if INTEGER
    return int(lg_luma_integer(lg_to_unit(c.r, 255.0), lg_to_unit(c.g, 255.0), lg_to_unit(c.b, 255.0),
                               13926u, 46885u, 4725u)) *
           int(lg.extra[6]);
#else
    return lg_luminance(rgba(c.r, c.g, c.b, 1.0));
#endif
}
#else

#if INTEGER
#define GRADIENT ivec2
#else
#define GRADIENT vec2
#endif

#if APART
float between(float near, float next, float part)
{
    float y = near + ROUNDED((next - near) * part);
    return part > 0.0 ? y : near;
}

// The neighbour on a side, mixed of the pixels around it: down the columns, then along the row.
float neighbour(lg_view plane, int x, int y, int side, int below, uint z)
{
    float across = lg_param_float(LG_STAGE_HEADER + 6), down = lg_param_float(LG_STAGE_HEADER + 7);
    float column = floor(across), row = floor(down);
    float part = side == 0 ? 0.0 : across - column, part_down = below == 0 ? 0.0 : down - row;
    x += side * int(column);
    y += below * int(row);
    float near = between(at(plane, x, y, z), at(plane, x, y + below, z), part_down);
    float next = between(at(plane, x + side, y, z), at(plane, x + side, y + below, z), part_down);
    return between(near, next, part);
}
#else
#define neighbour(plane, x, y, side, below, z) at(plane, (x) + (side), (y) + (below), z)
#endif

GRADIENT sobel(lg_view plane, int x, int y, uint z)
{
    VALUE smooth_of[3], step_of[3];
    [[unroll]] for (int k = 0; k < 3; k++) {
        VALUE top = neighbour(plane, x, y, k - 1, -1, z);
        VALUE middle = neighbour(plane, x, y, k - 1, 0, z);
        VALUE bottom = neighbour(plane, x, y, k - 1, 1, z);
        smooth_of[k] = (top + bottom) + VALUE(2) * middle;
        step_of[k] = bottom - top;
    }
    return GRADIENT(smooth_of[2] - smooth_of[0],
                    (step_of[0] + step_of[2]) + VALUE(2) * step_of[1]);
}

#if STEP == 1
VALUE compute(int x, int y, uint z)
{
    GRADIENT g = sobel(lg.views[0], x, y, z);
    return ROUNDED(g.x * g.x) + ROUNDED(g.y * g.y);
}
#else
// The step to the first neighbour along the gradient.
ivec2 first_neighbour(GRADIENT g)
{
    GRADIENT a = abs(g);
#if INTEGER
    bool flat_one = a.y <= (a.x * 27146) >> 16, steep = a.x <= (a.y * 27146) >> 16;
#else
    bool flat_one = !(a.y > 0.41421356 * a.x), steep = !(a.x > 0.41421356 * a.y);
#endif
    bool same = (g.x < VALUE(0)) == (g.y < VALUE(0));
    return flat_one ? ivec2(-1, 0) : steep ? ivec2(0, -1) : same ? ivec2(-1, -1) : ivec2(1, -1);
}

bool largest(VALUE m, int x, int y, uint z)
{
    ivec2 d = first_neighbour(sobel(lg.views[0], x, y, z));
    return m > at(lg.views[1], x + d.x, y + d.y, z) && m >= at(lg.views[1], x - d.x, y - d.y, z);
}

#if RING
float magnitude_of(VALUE m)
{
#if INTEGER
    // One rounding: both parts are exact.
    precise float whole = float(uint(m) >> 16) * 65536.0;
    whole = whole + float(uint(m) & 0xffffu);
    precise float magnitude = lg_sqrt(whole) * (1.0 / 8160.0);
    return magnitude;
#else
    return lg_sqrt(m);
#endif
}

float compute(int x, int y, uint z)
{
    VALUE m = at(lg.views[1], x, y, z);
#if INTEGER
    VALUE low = whole_limits().x;
#else
    VALUE low = real_limits().x;
#endif
    if (!(m > low && largest(m, x, y, z)))
        return 0.0;
    return lg_smoothstep(lower_threshold(), lg_param_float(UPPER), magnitude_of(m));
}
#undef encode
#define encode(v) floatBitsToUint(v)
#endif
#endif
#endif

#if STEP == 2 && !RING
// A thread makes a word of each map.
void main()
{
    int x = int(gl_GlobalInvocationID.x), width = lg_param_int(5), height = int(lg.extra[4]);
    if (x >= width)
        return;
#if INTEGER
    ivec2 limits = whole_limits();
#else
    vec2 limits = real_limits();
#endif
    for (uint z = gl_WorkGroupID.z; z < lg.extra[5]; z += gl_NumWorkGroups.z)
        for (uint row = gl_WorkGroupID.y; row < map_rows(); row += gl_NumWorkGroups.y) {
            int y0 = 32 * int(row);
            uint weak = 0u, strong = 0u;
            for (int i = 0; i < min(32, height - y0); i++) {
                VALUE m = at(lg.views[1], x, y0 + i, z);
                if (m > limits.x && largest(m, x, y0 + i, z)) {
                    weak |= 1u << i;
                    strong |= (m >= limits.y ? 1u : 0u) << i;
                }
            }
            lg_words(map_row(0u, row, z)).at[x] = weak;
            lg_words(map_row(1u, row, z)).at[x] = strong;
        }
}
#else
void main()
{
    int x = int(gl_GlobalInvocationID.x), width = lg_param_int(5), height = int(lg.extra[4]);
    if (x >= width)
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[5]; z += gl_NumWorkGroups.z)
        for (int y = int(gl_GlobalInvocationID.y); y < height;
             y += int(gl_NumWorkGroups.y) * LG_GROUP_Y)
            lg_words(lg_row(lg.views[LG_VIEWS - 1], uint(y), z)).at[x] = encode(compute(x, y, z));
}
#endif
