// The median of boxes for one CPU level.
#include "filter/native/median_3d/median_3d.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "filter/native/median_3d/median_3d_rule.h"

#define CHUNK  64 // columns at a time
#define WIDE   (CHUNK + 2 * LG_MEDIAN_3D_MOST)
#define SIDE   (2 * LG_MEDIAN_3D_MOST + 1)
#define PLANES 3

// All rows of the boxes of a chunk, of one channel after the other.
typedef struct boxes {
    uint32_t key[PLANES][SIDE * SIDE][WIDE];
    float row[4][WIDE];
    _Alignas(64) float alpha[CHUNK]; // store reads whole vectors
    _Alignas(64) float result[PLANES][CHUNK];
} boxes;

static void load_row(const lg_median_3d_job *job, int64_t x, int64_t y, int64_t z, int count,
                     boxes *b)
{
    const int64_t layer = lg_border_index(z, job->in->shape.layers, job->border);
    float *const to[4] = {b->row[0], b->row[1], b->row[2], b->row[3]};
    memset(b->row, 0, sizeof b->row);
    if (layer < 0)
        return;
    const lg_pixels in = lg_layer_pixels(job->in, (int32_t)layer);
    lg_color_row(job->stage, &in, job->border, x, x + count, y, to);
}

static int load(const lg_median_3d_job *job, int32_t x, int32_t y, int32_t z, int count, int planes,
                boxes *b)
{
    int rows = 0;
    for (int dz = -job->radius_z; dz <= job->radius_z; dz++)
        for (int dy = -job->radius; dy <= job->radius; dy++, rows++) {
            load_row(job, (int64_t)x - job->radius, (int64_t)y + dy, (int64_t)z + dz,
                     count + 2 * job->radius, b);
            for (int k = 0; k < planes; k++)
                for (int i = 0; i < WIDE; i++)
                    b->key[k][rows][i] = median_3d_key(b->row[k][i]);
            if (dz == 0 && dy == 0)
                memcpy(b->alpha, b->row[3] + job->radius, sizeof b->alpha);
        }
    return rows;
}

static void find(const uint32_t key[][WIDE], int rows, int columns, float *to)
{
    uint32_t known[CHUNK] = {0}, rank[CHUNK], count[CHUNK];
    for (int i = 0; i < CHUNK; i++)
        rank[i] = (uint32_t)(rows * columns / 2);
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        memset(count, 0, sizeof count);
        for (int row = 0; row < rows; row++)
            for (int dx = 0; dx < columns; dx++)
                for (int i = 0; i < CHUNK; i++)
                    count[i] += median_3d_counts(key[row][i + dx], known[i], bit);
        for (int i = 0; i < CHUNK; i++) {
            const bool one = rank[i] >= count[i];
            rank[i] -= one ? count[i] : 0;
            known[i] |= one ? bit : 0;
        }
    }
    for (int i = 0; i < CHUNK; i++)
        to[i] = lg_key_float(known[i]);
}

static void run(const void *job_, int64_t row, int64_t end, char *scratch)
{
    const lg_median_3d_job *job = job_;
    const lg_image_params *in = &job->in->shape, *s = &job->out->shape;
    const int planes = lg_reads_grey(in->channels, in->alpha) ? 1 : PLANES;
    boxes *b = (boxes *)(void *)scratch;
    // Arrays of their own, also of grey: store multiplies each by alpha in its place.
    float *const colors[4] = {b->result[0], b->result[1], b->result[2], b->alpha};
    for (; row < end; row++)
        for (int32_t x = 0; x < s->width; x += CHUNK) {
            const int32_t y = (int32_t)(row % s->height), z = (int32_t)(row / s->height);
            const int count = LG_MIN(CHUNK, s->width - x);
            const lg_pixels out = lg_layer_pixels(job->out, z);
            const int rows = load(job, x, y, z, count, planes, b);
            for (int k = 0; k < planes; k++)
                find(b->key[k], rows, 2 * job->radius + 1, b->result[k]);
            for (int k = planes; k < PLANES; k++)
                memcpy(b->result[k], b->result[0], sizeof b->result[k]);
            job->stage->store(&out, x, y, count, colors);
        }
}

extern const lg_median_3d_table LG_CPU_TABLE(median_3d);
const lg_median_3d_table LG_CPU_TABLE(median_3d) = {run, sizeof(boxes)};
