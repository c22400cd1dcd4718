// A pass over a coarse grid of a Poisson blend; poisson_grids.h has the same in C. An equation and the
// weights of a point are two pixels side by side: links, then the diagonal, its inverse and whether it
// is pinned; weights along the axes, then across.
// Defined before: PASS, FIRST: whether the grid above is the image, SUM: whether w itself is added up.
// Words: height of the result, layers, size of the grid above, size of the coarse grid, length of a step.
#include "filter/native/poisson_blend/poisson_rule.h"

#define BASIS   0 // view 0: the equations above
#define COMBINE 1 // and view 1: weights
#define GATHER  2 // view 0: values above, view 1: weights
#define EXPAND  3 // view 0: values below, view 1: weights, view 2: w, where the result is
#define RELAX   4 // view 0: equations, view 1: right sides, view 2: values
#define LAST    5 // view 0: equations, view 1: right sides

const int near_x[8] = int[](1, 0, -1, 0, 1, -1, -1, 1);
const int near_y[8] = int[](0, 1, 0, -1, 1, 1, -1, -1);

ivec2 above = ivec2(lg.extra[2], lg.extra[3]), below = ivec2(lg.extra[4], lg.extra[5]);
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

#if PASS == COMBINE || PASS == GATHER || PASS == EXPAND
PAIR(basis, lg_load_1, below)

float weight(int x, int y, int i)
{
    return basis(x, y, i >> 2)[i & 3];
}
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

// The link between a point and the one at (ex, ey) from it.
float link(int x, int y, int ex, int ey)
{
    if (ey < 0 || (ey == 0 && ex < 0)) {
        x += ex;
        y += ey;
        ex = -ex;
        ey = -ey;
    }
    vec4 v = links(x, y);
    return ey == 0 ? v.x : ex == 0 ? v.y : ex > 0 ? v.z : v.w;
}
#endif

#if PASS == BASIS
float along(int x, int y, int dx, int dy)
{
    x += dx;
    y += dy;
    return poisson_weight_along(link(x, y, -dx, -dy), link(x, y, -dx + dy, -dy + dx),
                                link(x, y, -dx - dy, -dy - dx), diagonal(x, y), link(x, y, dy, dx),
                                link(x, y, -dy, -dx));
}

float across(int x, int y, int dx, int dy, float first_weight, float second_weight)
{
    x += dx;
    y += dy;
    return poisson_weight_across(link(x, y, -dx, -dy), link(x, y, 0, -dy), first_weight,
                                 link(x, y, -dx, 0), second_weight, diagonal(x, y));
}

void make(int x, int y, out vec4 v[2])
{
    x *= 2;
    y *= 2;
    v[0] = vec4(along(x, y, 1, 0), along(x, y, 0, 1), along(x, y, -1, 0), along(x, y, 0, -1));
    v[1] = vec4(across(x, y, 1, 1, v[0].x, v[0].y), across(x, y, -1, 1, v[0].z, v[0].y),
                across(x, y, -1, -1, v[0].z, v[0].w), across(x, y, 1, -1, v[0].x, v[0].w));
}
#elif PASS == COMBINE
int neighbor(int dx, int dy)
{
    int i = 0;
    while (near_x[i] != dx || near_y[i] != dy)
        i++;
    return i;
}

// What the equation of the point at (ix, iy) has of the coarse point at (tx, ty) from x, y.
float share(int x, int y, int ix, int iy, int tx, int ty)
{
    LG_FLOAT sum = 0.0;
    for (int jy = max(iy - 1, 2 * ty - 1); jy <= min(iy + 1, 2 * ty + 1); jy++)
        for (int jx = max(ix - 1, 2 * tx - 1); jx <= min(ix + 1, 2 * tx + 1); jx++) {
            bool own = jx == ix && jy == iy;
            float a = own ? diagonal(2 * x + ix, 2 * y + iy)
                          : -link(2 * x + ix, 2 * y + iy, jx - ix, jy - iy);
            int dx = jx - 2 * tx, dy = jy - 2 * ty;
            LG_FLOAT w = dx == 0 && dy == 0 ? 1.0 : weight(x + tx, y + ty, neighbor(dx, dy));
            sum = sum + a * w;
        }
    return sum;
}

// The equation has so much of the coarse point at (tx, ty) from x, y.
float combined(int x, int y, int tx, int ty)
{
    LG_FLOAT sum = 0.0;
    for (int iy = -1; iy <= 1; iy++)
        for (int ix = -1; ix <= 1; ix++) {
            LG_FLOAT w = ix == 0 && iy == 0 ? 1.0 : weight(x, y, neighbor(ix, iy));
            sum = sum + w * share(x, y, ix, iy, tx, ty);
        }
    return sum;
}

void make(int x, int y, out vec4 v[2])
{
    v[0] = vec4(0.0 - combined(x, y, 1, 0), 0.0 - combined(x, y, 0, 1), 0.0 - combined(x, y, 1, 1),
                0.0 - combined(x, y, -1, 1));
    float d = combined(x, y, 0, 0), any = 0.0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            any = max(any, pinned(2 * x + j, 2 * y + i));
    v[1] = vec4(d, poisson_inverse(d), any, 0.0);
}
#elif PASS == GATHER
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

vec4 make(int x, int y)
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
#elif PASS == EXPAND
VIEW(value, lg_load_0, below)

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

vec4 make(int x, int y)
{
    vec4 e = expanded(x, y);
#if FIRST
    vec4 w = four(lg_load_2(x, y, layer));
    return vec4(poisson_step(w, e, w.a).xyz, w.a);
#else
    return e;
#endif
}
#else
PAIR(equation, lg_load_0, below)
VIEW(right_side, lg_load_1, below)

#if PASS == LAST
vec4 make(int x, int y)
{
    vec4 d = equation(x, y, 1);
    LG_FLOAT part = d.y * d.z;
    precise vec4 v = right_side(x, y) * part;
    return v;
}
#else
VIEW(value, lg_load_2, below)

vec4 make(int x, int y)
{
    vec4 k = equation(x, y, 0);
    float left = equation(x - 1, y, 0).x, up = equation(x, y - 1, 0).y;
    float left_up = equation(x - 1, y - 1, 0).z, right_up = equation(x + 1, y - 1, 0).w;
    precise vec4 ring = poisson_four(value(x + 1, y), k.x, value(x, y + 1), k.y, value(x - 1, y), left,
                                     value(x, y - 1), up) +
                        poisson_four(value(x + 1, y + 1), k.z, value(x - 1, y + 1), k.w,
                                     value(x - 1, y - 1), left_up, value(x + 1, y - 1), right_up);
    return poisson_relaxed(value(x, y), ring, right_side(x, y), equation(x, y, 1).y,
                           uintBitsToFloat(lg.extra[6]));
}
#endif
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
