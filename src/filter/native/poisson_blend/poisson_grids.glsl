// A pass over a coarse grid of a Poisson blend; poisson_grids.h has the same in C. An equation and the
// weights of a point are two pixels side by side: links, then the diagonal, its inverse and whether it
// is pinned; weights along the axes, then across.
// Defined before: PASS, FIRST: whether the grid above is the image, SUM: whether w itself is added up.
// Words: height of the result, layers, size of the grid above, size of the coarse grid, length of a step.
// TAIL is a half cycle of a workgroup through small grids: from the right side of the first to its values.
// Words: how many grids, layers, size of the first, address of its values (poisson_blend_vulkan.c lays out
// the rest behind them), lengths of eight steps.
#include "filter/native/poisson_blend/poisson_rule.h"

#define BASIS   0 // view 0: the equations above
#define COMBINE 1 // and view 1: weights
#define GATHER  2 // view 0: values above, view 1: weights
#define EXPAND  3 // view 0: values below, view 1: weights, view 2: w, where the result is
#define RELAX   4 // view 0: equations, view 1: right sides, view 2: values
#define TAIL    5 // view 0: values of the first grid

#if PASS == TAIL
ivec2 above, below;
#else
ivec2 above = ivec2(lg.extra[2], lg.extra[3]), below = ivec2(lg.extra[4], lg.extra[5]);
#endif
uint layer;

bool is_in(int x, int y, ivec2 size)
{
    return x >= 0 && y >= 0 && x < size.x && y < size.y;
}

vec4 four(color c)
{
    return vec4(c.r, c.g, c.b, c.a);
}

#define VIEW(name, load, size)                                                                            \
    vec4 name(int x, int y)                                                                               \
    {                                                                                                     \
        return is_in(x, y, size) ? four(load(x, y, layer)) : vec4(0.0);                                   \
    }
// Half of a pair of pixels.
#define PAIR(name, load, size)                                                                            \
    vec4 name(int x, int y, int which)                                                                    \
    {                                                                                                     \
        return is_in(x, y, size) ? four(load(2 * x + which, y, layer)) : vec4(0.0);                       \
    }

#if PASS == TAIL
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer poisson_points {
    vec4 at[];
};

// Where the grids are: values that are read, right sides, equations and weights of `below`.
uvec2 value_at, right_side_at, equation_at, basis_at;
ivec2 value_size;

vec4 stored(uvec2 address, int x, int y, ivec2 size, int of, int which)
{
    return is_in(x, y, size) ? poisson_points(address).at[(y * size.x + x) * of + which] : vec4(0.0);
}

vec4 value(int x, int y)
{
    return stored(value_at, x, y, value_size, 1, 0);
}

vec4 right_side(int x, int y)
{
    return stored(right_side_at, x, y, below, 1, 0);
}

vec4 equation(int x, int y, int which)
{
    return stored(equation_at, x, y, below, 2, which);
}

vec4 basis(int x, int y, int which)
{
    return stored(basis_at, x, y, below, 2, which);
}
#endif

#if PASS == COMBINE || PASS == GATHER || PASS == EXPAND
PAIR(basis, lg_load_1, below)
#endif

#if PASS == BASIS || PASS == COMBINE
#if FIRST
VIEW(image, lg_load_0, above)

// The equations of the image: four links of 1/4 inside it, between pixels inside the mask.
vec4 links(int x, int y)
{
    float c = image(x, y).a;
    precise vec4 v = vec4(0.25 * (c * image(x + 1, y).a), 0.25 * (c * image(x, y + 1).a), 0.0, 0.0);
    return v;
}

float diagonal(int x, int y)
{
    int neighbors = int(x > 0) + int(x < above.x - 1) + int(y > 0) + int(y < above.y - 1);
    LG_FLOAT d = 0.25 * (image(x, y).a * float(neighbors));
    return d;
}

float pinned(int x, int y)
{
    LG_FLOAT p = is_in(x, y, above) ? 1.0 - image(x, y).a : 0.0;
    return p;
}
#else
PAIR(equation, lg_load_0, above)

vec4 links(int x, int y)
{
    return equation(x, y, 0);
}

float diagonal(int x, int y)
{
    return equation(x, y, 1).x;
}

float pinned(int x, int y)
{
    return equation(x, y, 1).z;
}
#endif

// Links of the points at (-2, -2) .. (2, 1) and diagonals of those at (-1, -1) .. (1, 1) from the point
// above the coarse one. Loops over them are unrolled, so that they stay in registers.
vec4 near_links[20];
float near_diagonal[9];

void load_near(int x, int y)
{
    [[unroll]] for (int i = 0; i < 20; i++)
        near_links[i] = links(2 * x - 2 + i % 5, 2 * y - 2 + i / 5);
    [[unroll]] for (int i = 0; i < 9; i++)
        near_diagonal[i] = diagonal(2 * x - 1 + i % 3, 2 * y - 1 + i / 3);
}

float diagonal_at(int dx, int dy)
{
    return near_diagonal[3 * (dy + 1) + dx + 1];
}

// The link between the point at (dx, dy) and the one at (ex, ey) from it.
float link(int dx, int dy, int ex, int ey)
{
    bool back = ey < 0 || (ey == 0 && ex < 0);
    int at = 5 * (dy + 2 + (back ? ey : 0)) + dx + 2 + (back ? ex : 0);
    return near_links[at][ey == 0 ? 0 : ex == 0 ? 1 : ex * ey > 0 ? 2 : 3];
}
#endif

#if PASS == BASIS
float along(int dx, int dy)
{
    return poisson_weight_along(link(dx, dy, -dx, -dy), link(dx, dy, -dx + dy, -dy + dx),
                                link(dx, dy, -dx - dy, -dy - dx), diagonal_at(dx, dy),
                                link(dx, dy, dy, dx), link(dx, dy, -dy, -dx));
}

float across(int dx, int dy, float first_weight, float second_weight)
{
    return poisson_weight_across(link(dx, dy, -dx, -dy), link(dx, dy, 0, -dy), first_weight,
                                 link(dx, dy, -dx, 0), second_weight, diagonal_at(dx, dy));
}

void make(int x, int y, out vec4 v[2])
{
    load_near(x, y);
    v[0] = vec4(along(1, 0), along(0, 1), along(-1, 0), along(0, -1));
    v[1] = vec4(across(1, 1, v[0].x, v[0].y), across(-1, 1, v[0].z, v[0].y),
                across(-1, -1, v[0].z, v[0].w), across(1, -1, v[0].x, v[0].w));
}
#elif PASS == COMBINE
// Weights of the point itself and of those right, below, right below, left below.
const int target_x[5] = int[](0, 1, 0, 1, -1);
const int target_y[5] = int[](0, 0, 1, 1, 1);
vec4 near_basis[10];

// The neighbours in rows of three.
const int order[9] = int[](6, 3, 7, 2, 0, 0, 5, 1, 4);

float weight(int target, int dx, int dy)
{
    int i = order[3 * (dy + 1) + dx + 1];
    return dx == 0 && dy == 0 ? 1.0 : near_basis[2 * target + (i >> 2)][i & 3];
}

// The equation has so much of a coarse point.
float combined(int target)
{
    int tx = target_x[target], ty = target_y[target];
    LG_FLOAT sum = 0.0;
    [[unroll]] for (int i = 0; i < 9; i++) {
        int ix = i % 3 - 1, iy = i / 3 - 1;
        LG_FLOAT share = 0.0; // what the equation of the point at (ix, iy) has of it
        [[unroll]] for (int j = 0; j < 9; j++) {
            int ex = j % 3 - 1, ey = j / 3 - 1, dx = ix + ex - 2 * tx, dy = iy + ey - 2 * ty;
            if (abs(dx) < 2 && abs(dy) < 2) {
                float a = j == 4 ? diagonal_at(ix, iy) : -link(ix, iy, ex, ey);
                share = share + a * weight(target, dx, dy);
            }
        }
        sum = sum + weight(0, ix, iy) * share;
    }
    return sum;
}

void make(int x, int y, out vec4 v[2])
{
    float any = 0.0, d;
    load_near(x, y);
    [[unroll]] for (int i = 0; i < 10; i++)
        near_basis[i] = basis(x + target_x[i >> 1], y + target_y[i >> 1], i & 1);
    [[unroll]] for (int i = 0; i < 9; i++)
        any = max(any, pinned(2 * x - 1 + i % 3, 2 * y - 1 + i / 3));
    d = combined(0);
    v[0] = vec4(0.0 - combined(1), 0.0 - combined(2), 0.0 - combined(3), 0.0 - combined(4));
    v[1] = vec4(d, poisson_inverse(d), any, 0.0);
}
#endif

#if PASS == GATHER
#if FIRST && !SUM
vec4 value(int x, int y)
{
    if (!is_in(x, y, above))
        return vec4(0.0);
    vec4 c = four(lg_load_0(x, y, layer));
    vec4 l = four(lg_load_0(max(x - 1, 0), y, layer)), r = four(lg_load_0(min(x + 1, above.x - 1), y, layer));
    vec4 t = four(lg_load_0(x, max(y - 1, 0), layer)), b = four(lg_load_0(x, min(y + 1, above.y - 1), layer));
    precise vec4 left = poisson_flux(c, l, r, t, b) * c.a;
    return left;
}
#else
VIEW(value, lg_load_0, above)
#endif
#elif PASS == EXPAND
VIEW(value, lg_load_0, below)
#elif PASS == RELAX
PAIR(equation, lg_load_0, below)
VIEW(right_side, lg_load_1, below)
VIEW(value, lg_load_2, below)
#endif

#if PASS == GATHER || PASS == TAIL
vec4 gathered(int x, int y)
{
    vec4 w = basis(x, y, 0), d = basis(x, y, 1);
    x *= 2;
    y *= 2;
    precise vec4 v = (value(x, y) + poisson_four(value(x + 1, y), w.x, value(x, y + 1), w.y,
                                                 value(x - 1, y), w.z, value(x, y - 1), w.w)) +
                     poisson_four(value(x + 1, y + 1), d.x, value(x - 1, y + 1), d.y,
                                  value(x - 1, y - 1), d.z, value(x + 1, y - 1), d.w);
    return v;
}
#endif

#if PASS == EXPAND || PASS == TAIL
float weight(int x, int y, int i)
{
    return basis(x, y, i >> 2)[i & 3];
}

vec4 expanded(int column, int row)
{
    int x = column >> 1, y = row >> 1;
    vec4 e = value(x, y);
    if ((column & 1) == 0 && (row & 1) == 0)
        return e;
    if ((row & 1) == 0)
        return poisson_two(e, weight(x, y, 0), value(x + 1, y), weight(x + 1, y, 2));
    if ((column & 1) == 0)
        return poisson_two(e, weight(x, y, 1), value(x, y + 1), weight(x, y + 1, 3));
    return poisson_four(e, weight(x, y, 4), value(x + 1, y), weight(x + 1, y, 5), value(x + 1, y + 1),
                        weight(x + 1, y + 1, 6), value(x, y + 1), weight(x, y + 1, 7));
}

#endif

#if PASS == RELAX || PASS == TAIL
vec4 relaxed(int x, int y, float part)
{
    vec4 k = equation(x, y, 0);
    float left = equation(x - 1, y, 0).x, up = equation(x, y - 1, 0).y;
    float left_up = equation(x - 1, y - 1, 0).z, right_up = equation(x + 1, y - 1, 0).w;
    precise vec4 ring = poisson_four(value(x + 1, y), k.x, value(x, y + 1), k.y, value(x - 1, y), left,
                                     value(x, y - 1), up) +
                        poisson_four(value(x + 1, y + 1), k.z, value(x - 1, y + 1), k.w,
                                     value(x - 1, y - 1), left_up, value(x + 1, y - 1), right_up);
    return poisson_relaxed(value(x, y), ring, right_side(x, y), equation(x, y, 1).y, part);
}
#endif

#if PASS == TAIL
// The value of a single point.
vec4 last(int x, int y)
{
    vec4 d = equation(x, y, 1);
    LG_FLOAT part = d.y * d.z;
    precise vec4 v = right_side(x, y) * part;
    return v;
}

// The k-th grid of them; returns where its values are.
uvec2 locate(uint k)
{
    uvec2 at = uvec2(lg.extra[4], lg.extra[5]);
    below = ivec2(lg.extra[2], lg.extra[3]);
    for (uint i = 0u;; i++) {
        uint points = uint(below.x * below.y), own = 16u * points * layer;
        uint one = (16u * points * lg.extra[1] + 511u) & ~255u;
        uint two = (32u * points * lg.extra[1] + 511u) & ~255u;
        if (i == k) {
            right_side_at = lg_add64(at, uvec2(2u * one + own, 0u));
            equation_at = lg_add64(at, uvec2(3u * one + 2u * own, 0u));
            basis_at = lg_add64(at, uvec2(3u * one + two + 2u * own, 0u));
            return lg_add64(at, uvec2(own, 0u));
        }
        at = lg_add64(at, uvec2(3u * one + 2u * two, 0u));
        above = below;
        below = (below + 1) / 2;
    }
}

// Where the other values of the grid are that begins at `values`.
uvec2 others(uvec2 values)
{
    return lg_add64(values, uvec2((16u * uint(below.x * below.y) * lg.extra[1] + 511u) & ~255u, 0u));
}

// For all points of a grid; then they are there for all threads.
#define EACH_POINT(size, to, made)                                                                         \
    for (int n = int(gl_LocalInvocationIndex); n < (size).x * (size).y; n += LG_GROUP_X) {                 \
        int x = n % (size).x, y = n / (size).x;                                                            \
        poisson_points(to).at[n] = made;                                                                   \
    }                                                                                                      \
    memoryBarrierBuffer();                                                                                 \
    barrier()

void run_layer()
{
    uint count = lg.extra[0];
    for (uint k = 1u; k < count; k++) {
        locate(k - 1u);
        value_at = right_side_at;
        value_size = below;
        locate(k);
        EACH_POINT(below, right_side_at, gathered(x, y));
    }
    uvec2 at = locate(count - 1u);
    EACH_POINT(below, at, last(x, y));
    for (uint k = count - 1u; k > 0u; k--) {
        uvec2 to = locate(k - 1u);
        ivec2 size = below;
        value_at = locate(k);
        value_size = below;
        EACH_POINT(size, to, expanded(x, y));
        locate(k - 1u);
        value_size = below;
        for (uint i = 0u; i < 8u; i++) {
            bool odd = (i & 1u) == 1u;
            uvec2 next = odd ? to : others(to);
            value_at = odd ? others(to) : to;
            EACH_POINT(below, next, relaxed(x, y, uintBitsToFloat(lg.extra[6u + i])));
        }
    }
}

void main()
{
    for (layer = gl_WorkGroupID.z; layer < lg.extra[1]; layer += gl_NumWorkGroups.z)
        run_layer();
}
#else
#if PASS == GATHER || PASS == EXPAND || PASS == RELAX
vec4 make(int x, int y)
{
#if PASS == GATHER
    return gathered(x, y);
#elif PASS == EXPAND && FIRST
    vec4 w = four(lg_load_2(x, y, layer));
    return vec4(poisson_step(w, expanded(x, y), w.a).xyz, w.a);
#elif PASS == EXPAND
    return expanded(x, y);
#else
    return relaxed(x, y, uintBitsToFloat(lg.extra[6]));
#endif
}
#endif

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x = int(gl_GlobalInvocationID.x);
    if (x * LG_SPAN >= int(lg.width))
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        layer = z;
        LG_WORDS_OUT(result);
#if PASS == BASIS || PASS == COMBINE
        vec4 v[2];
        make(x, y, v);
        lg_pack(result, 1, rgba(v[1].x, v[1].y, v[1].z, v[1].w));
        vec4 made = v[0];
#else
        vec4 made = make(x, y);
#endif
        lg_pack(result, 0, rgba(made.x, made.y, made.z, made.w));
        lg_flush(result, x * LG_SPAN, y, z);
    }
}
#endif
