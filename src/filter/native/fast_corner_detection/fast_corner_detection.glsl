// FAST-9 corners. A workgroup loads luminance of a tile and four pixels around it into shared
// memory, makes the scores of the tile and one pixel around it, and writes the tile.
//
// Defined before: INTEGER: luminance is a byte; IN: channels of such an image; GREY: only the first
// one counts; THRESHOLD: index of the parameter; SUPPRESS; SCORE: scores are written. Words:
// height, layers.

#define WIDTH  64 // of a tile
#define HEIGHT 16
#define LUMA_WIDTH  (WIDTH + 8)
#define LUMA_HEIGHT (HEIGHT + 8)
#define SCORE_WIDTH (WIDTH + 2)
#define THREADS     (LG_GROUP_X * LG_GROUP_Y)

#if INTEGER
#define LUMA int
#define NONE 0
#else
#define LUMA  float
#define NONE  0.0
#define LIMIT 1e30
#endif

shared LUMA luma[LUMA_HEIGHT][LUMA_WIDTH];
shared LUMA scores[HEIGHT + 2][SCORE_WIDTH];

LUMA threshold_value()
{
    float threshold = lg_param_float(THRESHOLD);
#if INTEGER
    LG_FLOAT scaled = threshold * 255.0;
    LG_FLOAT level = floor(scaled + 0.5);
    return int(clamp(level, 0.0, 255.0));
#else
    return threshold;
#endif
}

LUMA luma_of(uvec4 v[LG_VECTORS_0], int j)
{
#if INTEGER
#if IN == 1
    return int(v[0].x >> (8 * j) & 255u);
#elif IN == 2
    uint w = v[0][j >> 1] >> (16 * (j & 1));
    return int(GREY ? w & 255u : lg_luma_integer(w & 255u, w >> 8 & 255u, 0u, 13926u, 46885u, 4725u));
#else
    uint w = v[0][j];
    return int(lg_luma_integer(w & 255u, w >> 8 & 255u, w >> 16 & 255u, 13926u, 46885u, 4725u));
#endif
#else
    float y = lg_luminance(lg_unpack_0(v, j));
    y = isnan(y) ? 0.0 : y;
    return min(max(y, -LIMIT), LIMIT);
#endif
}

void load_tile(int x0, int y0, int height, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < LUMA_HEIGHT * LUMA_WIDTH / 4; i += THREADS) {
        int column = i % (LUMA_WIDTH / 4) * 4, row = i / (LUMA_WIDTH / 4);
        int x = x0 - 4 + column, y = y0 - 4 + row;
        if (x >= 0 && x < int(lg.width) && y >= 0 && y < height) {
            uvec4 v[LG_VECTORS_0];
            lg_fetch_0(v, x, y, z);
            [[unroll]] for (int j = 0; j < 4; j++)
                luma[row][column + j] = luma_of(v, j);
        }
    }
}

// The circle, clockwise from the top.
const ivec2 circle[16] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                          {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                          {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};

// The largest, over nine contiguous of 16, of the smallest. Runs of nine that begin side by side share eight.
LUMA best_run(LUMA d[16])
{
    LUMA pair[8], four[8], best = NONE;
    [[unroll]] for (int i = 0; i < 8; i++)
        pair[i] = min(d[2 * i + 1], d[(2 * i + 2) % 16]);
    [[unroll]] for (int i = 0; i < 8; i++)
        four[i] = min(pair[i], pair[(i + 1) % 8]);
    [[unroll]] for (int i = 0; i < 8; i++)
        best = max(best, min(min(four[i], four[(i + 2) % 8]), max(d[2 * i], d[(2 * i + 9) % 16])));
    return best;
}

// `row` and `column` of the pixel in the tile of luminance.
LUMA score_of(int row, int column, LUMA threshold)
{
    LUMA c = luma[row][column];
    // Every run contains two neighbours on the axes.
    LUMA top = luma[row - 3][column], bottom = luma[row + 3][column];
    LUMA left = luma[row][column - 3], right = luma[row][column + 3];
    LUMA brighter = min(max(top, bottom), max(left, right)) - c;
    LUMA darker = c - max(min(top, bottom), min(left, right));
    if (max(brighter, darker) <= threshold)
        return NONE;
    LUMA up[16], down[16];
    [[unroll]] for (int k = 0; k < 16; k++) {
        LUMA v = luma[row + circle[k].y][column + circle[k].x];
        up[k] = v - c;
        down[k] = c - v;
    }
    LUMA most = max(best_run(up), best_run(down));
    return most > threshold ? most : NONE;
}

void make_scores(int x0, int y0, int height, LUMA threshold)
{
    for (int i = int(gl_LocalInvocationIndex); i < (HEIGHT + 2) * SCORE_WIDTH; i += THREADS) {
        int column = i % SCORE_WIDTH, row = i / SCORE_WIDTH;
        int x = x0 - 1 + column, y = y0 - 1 + row;
        bool whole = x >= 3 && x + 3 < int(lg.width) && y >= 3 && y + 3 < height;
        scores[row][column] = whole ? score_of(row + 3, column + 3, threshold) : NONE;
    }
}

LUMA kept(int row, int column)
{
    LUMA v = scores[row][column];
#if SUPPRESS
    LUMA around = max(scores[row][column - 1], scores[row][column + 1]);
    [[unroll]] for (int k = -1; k <= 1; k++)
        around = max(around, max(scores[row - 1][column + k], scores[row + 1][column + k]));
    v = v > around ? v : NONE;
#endif
    return v;
}

void write_tile(int x0, int y0, int height, uint z)
{
    int column = int(gl_LocalInvocationIndex) % (WIDTH / 4) * 4;
    int row = int(gl_LocalInvocationIndex) / (WIDTH / 4);
    if (x0 + column >= int(lg.width) || y0 + row >= height)
        return;
    uvec4 result[LG_VECTORS_OUT];
    [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)
        result[i] = uvec4(0u);
    [[unroll]] for (int j = 0; j < 4; j++) {
        LUMA score = kept(row + 1, column + j + 1);
#if INTEGER
        float v = lg_from_uint(uint(score)) * LG_UNIT_U8;
#else
        float v = score;
#endif
#if !SCORE
        v = v > 0.0 ? 1.0 : 0.0;
#endif
        lg_pack(result, j, rgba(v, v, v, 1.0));
    }
    lg_flush(result, x0 + column, y0 + row, z);
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), x0 = int(gl_WorkGroupID.x) * WIDTH;
    LUMA threshold = threshold_value();
    for (uint z = gl_WorkGroupID.z; z < uint(layers); z += gl_NumWorkGroups.z)
        for (int y0 = int(gl_WorkGroupID.y) * HEIGHT; y0 < height; y0 += int(gl_NumWorkGroups.y) * HEIGHT) {
            load_tile(x0, y0, height, z);
            barrier();
            make_scores(x0, y0, height, threshold);
            barrier();
            write_tile(x0, y0, height, z);
            barrier();
        }
}
