// The rolling ball: grounds of the planes, one below the other (STEP 0), the least of cells (STEP 1), the
// highest place of the ball (STEP 2), the result (STEP 3). Defined before: PLANES, LIGHT, BACKGROUND.
// Words: layers, first row, end of the rows, width and height of the image, the ball's reach, address of its
// heights (2).
#include "filter/native/rolling_ball/rolling_ball_rule.h"

#define WIDTH     int(lg.extra[3])
#define HEIGHT    int(lg.extra[4])
#define CELLS(n)  ((n + LG_BALL_CELL - 1) / LG_BALL_CELL)
#define INFINITE  lg_from_bits(LG_BITS_INF)
#define SAMPLE(x, y, z) lg_floats(lg_row(lg.views[0], uint(y), z)).at[x]

#if STEP == 0

float ground_of(int k, int x, int y, uint z)
{
    color c = lg_load_0(x, y, z);
    return rolling_ball_ground(k == 0 ? c.r : k == 1 ? c.g : c.b, LIGHT);
}

float result_at(int x, int y, uint z)
{
    return ground_of(y / HEIGHT, x, y % HEIGHT, z);
}

#elif STEP == 1

float result_at(int x, int y, uint z)
{
    int rows = CELLS(HEIGHT), first = y % rows * LG_BALL_CELL, plane = y / rows * HEIGHT;
    float least = INFINITE;
    for (int j = first; j < min(first + LG_BALL_CELL, HEIGHT); j++)
        for (int i = x * LG_BALL_CELL; i < min((x + 1) * LG_BALL_CELL, WIDTH); i++) {
            float f = SAMPLE(i, plane + j, z);
            least = f < least ? f : least;
        }
    return least;
}

#elif STEP == 2

// Where a thread looks: its pixel, the row in which its plane begins, and the heights.
struct spot {
    int x, y, plane, reach;
    uint z;
    lg_floats heights;
};

float height_at(spot s, int dx, int dy)
{
    return s.heights.at[dy * (s.reach + 1) + dx];
}

bool in_ball(spot s, int dx, int dy)
{
    return dx <= s.reach && dy <= s.reach && height_at(s, dx, dy) >= 0.0;
}

int nearest(int at, int cell)
{
    return max(0, max(cell * LG_BALL_CELL - at, at - (cell * LG_BALL_CELL + LG_BALL_CELL - 1)));
}

float best_in_cell(spot s, int cell_x, int cell_y, float best)
{
    int x_end = min((cell_x + 1) * LG_BALL_CELL, WIDTH), y_end = min((cell_y + 1) * LG_BALL_CELL, HEIGHT);
    for (int y = cell_y * LG_BALL_CELL; y < y_end; y++)
        for (int x = cell_x * LG_BALL_CELL; x < x_end; x++) {
            int dx = abs(x - s.x), dy = abs(y - s.y);
            if (in_ball(s, dx, dy)) {
                LG_FLOAT v = height_at(s, dx, dy) - SAMPLE(x, s.plane + y, s.z);
                best = v > best ? v : best;
            }
        }
    return best;
}

float best_in_row(spot s, int cell_y, float best)
{
    int dy = nearest(s.y, cell_y), rows = CELLS(HEIGHT);
    int first = max(s.x - s.reach, 0) / LG_BALL_CELL, last = min(s.x + s.reach, WIDTH - 1) / LG_BALL_CELL;
    lg_floats least = lg_floats(lg_row(lg.views[1], uint(s.plane / HEIGHT * rows + cell_y), s.z));
    for (int i = first; i <= last; i++) {
        int dx = nearest(s.x, i);
        if (in_ball(s, dx, dy)) {
            LG_FLOAT bound = height_at(s, dx, dy) - least.at[i];
            if (bound > best)
                best = best_in_cell(s, i, cell_y, best);
        }
    }
    return best;
}

float result_at(int x, int y, uint z)
{
    spot s;
    s.x = x;
    s.y = y % HEIGHT;
    s.plane = y - s.y;
    s.reach = int(lg.extra[5]);
    s.z = z;
    s.heights = lg_floats(uvec2(lg.extra[6], lg.extra[7]));
    int own = s.y / LG_BALL_CELL;
    int first = max(s.y - s.reach, 0) / LG_BALL_CELL, last = min(s.y + s.reach, HEIGHT - 1) / LG_BALL_CELL;
    float best = best_in_cell(s, x / LG_BALL_CELL, own, -INFINITE);
    for (int away = 0; away <= max(own - first, last - own); away++) {
        if (own + away <= last)
            best = best_in_row(s, own + away, best);
        if (away > 0 && own - away >= first)
            best = best_in_row(s, own - away, best);
    }
    return best;
}

#endif

#if STEP == 3

color result_of(int x, int y, uint z)
{
    float opened[PLANES];
    [[unroll]] for (int k = 0; k < PLANES; k++)
        opened[k] = lg_floats(lg_row(lg.views[1], uint(k * HEIGHT + y), z)).at[x];
    color c = lg_load_0(x, y, z);
    return rgba(rolling_ball_result(c.r, opened[0], LIGHT, BACKGROUND),
                rolling_ball_result(c.g, opened[PLANES > 1 ? 1 : 0], LIGHT, BACKGROUND),
                rolling_ball_result(c.b, opened[PLANES > 1 ? 2 : 0], LIGHT, BACKGROUND), c.a);
}

void main()
{
    int width = int(lg.width), x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;
    if (x0 >= width)
        return;
    LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0]) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, result_of(min(x0 + j, width - 1), y, z));
        lg_flush(result, x0, y, z);
    }
}

#else

void main()
{
    int x = int(gl_GlobalInvocationID.x);
    if (x >= int(lg.width))
        return;
    LG_EACH_ROW(y, z, lg.extra[1], lg.extra[2], lg.extra[0]) {
        lg_words(lg_row(lg.views[LG_VIEWS - 1], uint(y), z)).at[x] = lg_bits(result_at(x, y, z));
    }
}

#endif
