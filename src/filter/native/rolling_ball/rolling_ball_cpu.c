// The rolling ball for one CPU level.
#include "filter/native/rolling_ball/rolling_ball.h"

#include "cpu/cpu.h"

#include <math.h>
#include <stdlib.h>

#define TILE  LG_BALL_TILE
#define CELL  LG_BALL_CELL
#define BLOCK LG_BALL_BLOCK

// ---- samples and cells --------------------------------------------------------------------------

typedef struct colors {
    float at[4][LG_SPAN] __attribute__((aligned(64)));
} colors;

static void load(const void *job_, int64_t y, int64_t y_end, char *scratch)
{
    const lg_ball_job *job = job_;
    const size_t width = (size_t)job->in.width, pixels = width * (size_t)job->in.height;
    const bool light = job->light;
    colors c;
    float *const planes[4] = {c.at[0], c.at[1], c.at[2], c.at[3]};
    for (; y < y_end; y++)
        for (int32_t x = 0; x < job->in.width; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, job->in.width - x);
            job->stage->load(&job->in, x, y, count, planes);
            for (int k = 0; k < job->plane_count; k++) {
                float *to = job->planes + (size_t)k * pixels + (size_t)y * width + x;
                for (int i = 0; i < count; i++)
                    to[i] = rolling_ball_ground(c.at[k][i], light);
            }
        }
}

static float least_of(const lg_ball_job *job, int32_t x, int32_t y)
{
    const int32_t x_end = LG_MIN(x + CELL, job->in.width);
    const int32_t y_end = LG_MIN(y + CELL, job->in.height);
    float least = INFINITY;
    for (; y < y_end; y++) {
        const float *row = job->from + (size_t)y * (size_t)job->in.width;
        for (int32_t i = x; i < x_end; i++)
            least = row[i] < least ? row[i] : least;
    }
    return least;
}

static void find_least(const void *job_, int64_t y, int64_t y_end, char *scratch)
{
    const lg_ball_job *job = job_;
    const int32_t columns = (job->in.width + CELL - 1) / CELL, margin = job->ball.cells;
    for (; y < y_end; y++) {
        float *to = job->cells + (size_t)y * (size_t)job->cell_stride;
        for (int32_t i = 0; i < job->cell_stride; i++)
            to[i] = INFINITY;
        for (int32_t i = 0; i < columns; i++)
            to[margin + i] = least_of(job, i * CELL, (int32_t)y * CELL);
    }
}

// ---- tiles --------------------------------------------------------------------------------------

// What is found for a tile so far, and the least of it in every row and altogether: what cannot give more
// than that need not be looked at.
typedef struct tile {
    float best[TILE][TILE] __attribute__((aligned(64)));
    float least[TILE], lowest;
    int32_t x, y;
} tile;

// Pixels outside of the image are content with nothing.
static tile begin_tile(const lg_ball_job *job, int32_t x, int32_t y)
{
    tile t = {.x = x, .y = y, .lowest = -INFINITY};
    for (int j = 0; j < TILE; j++) {
        t.least[j] = y + j < job->in.height ? -INFINITY : INFINITY;
        for (int i = 0; i < TILE; i++)
            t.best[j][i] = x + i < job->in.width ? t.least[j] : INFINITY;
    }
    return t;
}

static void find_lowest(tile *t)
{
    t->lowest = INFINITY;
    for (int j = 0; j < TILE; j++) {
        float least = t->best[j][0];
        for (int i = 1; i < TILE; i++)
            least = t->best[j][i] < least ? t->best[j][i] : least;
        t->least[j] = least;
        t->lowest = least < t->lowest ? least : t->lowest;
    }
}

static const float *heights(const lg_ball *ball, int32_t dy)
{
    return ball->rows + (size_t)abs(dy) * (size_t)ball->stride;
}

// The ball below one pixel, for the rows of the tile where it may be more than what is there.
static void take_pixel(const lg_ball_job *job, int32_t x, int32_t y, tile *t)
{
    const float f = job->from[(size_t)y * (size_t)job->in.width + (size_t)x];
    const int32_t aside = LG_MAX(0, LG_MAX(t->x - x, x - (t->x + TILE - 1)));
    const float *bound = heights(&job->ball, aside) + (t->y - y); // rows and columns are alike
    int32_t more[TILE], any = 0;
    for (int j = 0; j < TILE; j++)
        more[j] = bound[j] - f > t->least[j];
    for (int j = 0; j < TILE; j++)
        any |= more[j];
    if (!any)
        return;
    for (int j = 0; j < TILE; j++) {
        if (!more[j])
            continue;
        const float *height = heights(&job->ball, t->y + j - y) + (t->x - x);
        for (int i = 0; i < TILE; i++) {
            const float v = height[i] - f;
            t->best[j][i] = v > t->best[j][i] ? v : t->best[j][i];
        }
    }
}

static void take_cell(const lg_ball_job *job, int32_t x, int32_t y, tile *t)
{
    const int32_t x_end = LG_MIN(x + CELL, job->in.width);
    const int32_t y_end = LG_MIN(y + CELL, job->in.height);
    for (; y < y_end; y++)
        for (int32_t i = x; i < x_end; i++)
            take_pixel(job, i, y, t);
    find_lowest(t);
}

// A row of cells, `down` rows of cells from the tile's first one.
static void take_cells(const lg_ball_job *job, int32_t down, tile *t)
{
    const lg_ball *ball = &job->ball;
    const int32_t row = t->y / CELL + down, first = t->x / CELL - ball->cells;
    if (row < 0 || row * CELL >= job->in.height)
        return;
    const float *bound = ball->bounds + (size_t)(down + ball->cells) * (size_t)ball->bound_stride;
    const float *least = job->cells + (size_t)row * (size_t)job->cell_stride + t->x / CELL;
    for (int32_t i = 0; i < ball->bound_stride; i += BLOCK) {
        int32_t more[BLOCK], any = 0;
        for (int k = 0; k < BLOCK; k++)
            more[k] = bound[i + k] - least[i + k] > t->lowest;
        for (int k = 0; k < BLOCK; k++)
            any |= more[k];
        for (int k = 0; any && k < BLOCK; k++)
            if (more[k] && bound[i + k] - least[i + k] > t->lowest)
                take_cell(job, (first + i + k) * CELL, row * CELL, t);
    }
}

static void store_tile(const lg_ball_job *job, const tile *t)
{
    const int32_t width = job->in.width;
    const int32_t rows = LG_MIN(TILE, job->in.height - t->y), columns = LG_MIN(TILE, width - t->x);
    for (int32_t j = 0; j < rows; j++)
        for (int32_t i = 0; i < columns; i++)
            job->to[(size_t)(t->y + j) * (size_t)width + (size_t)(t->x + i)] = t->best[j][i];
}

// From the tile outwards: most of what is far away is left out then.
static void roll(const void *job_, int64_t first, int64_t end, char *scratch)
{
    const lg_ball_job *job = job_;
    for (; first < end; first++)
        for (int32_t x = 0; x < job->in.width; x += TILE) {
            tile t = begin_tile(job, x, (int32_t)first * TILE);
            for (int32_t j = 0; j < TILE; j += CELL)
                for (int32_t i = 0; i < TILE; i += CELL)
                    take_cell(job, x + i, t.y + j, &t);
            for (int32_t i = 0; i < 2 * job->ball.cells + 2; i++)
                take_cells(job, i % 2 ? (i + 1) / 2 : -i / 2, &t);
            store_tile(job, &t);
        }
}

// ---- the result ---------------------------------------------------------------------------------

static void store(const void *job_, int64_t y, int64_t y_end, char *scratch)
{
    const lg_ball_job *job = job_;
    const size_t width = (size_t)job->in.width, pixels = width * (size_t)job->in.height;
    const bool light = job->light, background = job->background;
    colors c;
    float *const planes[4] = {c.at[0], c.at[1], c.at[2], c.at[3]};
    for (; y < y_end; y++)
        for (int32_t x = 0; x < job->in.width; x += LG_SPAN) {
            const int count = LG_MIN(LG_SPAN, job->in.width - x);
            job->stage->load(&job->in, x, y, count, planes);
            for (int k = 0; k < 3; k++) {
                const size_t plane = k < job->plane_count ? (size_t)k : 0;
                const float *opened = job->planes + plane * pixels + (size_t)y * width + x;
                for (int i = 0; i < count; i++)
                    c.at[k][i] = rolling_ball_result(c.at[k][i], opened[i], light, background);
            }
            job->stage->store(&job->out, x, y, count, planes);
        }
}

extern const lg_ball_table LG_CPU_TABLE(rolling_ball);
const lg_ball_table LG_CPU_TABLE(rolling_ball) = {load, find_least, roll, store};
