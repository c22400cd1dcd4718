// Moments on the CPU: the selection is cut into jobs for the threads.
#include "core/pixel_planes.h"
#include "engine/tile.h"
#include "measure/moments/moments_fold.h"

LG_CPU_DECLARE(lg_moments_integer_table, moments_integer);
LG_CPU_DECLARE(lg_moments_float_table, moments_float);

#define JOB_BYTES (512 << 10) // roughly

typedef struct plan {
    const lg_scan *scan;
    size_t columns, rows;  // jobs of one layer
    int64_t width, height; // pixels of a job
    size_t scratch_size;   // of one worker
    const lg_moments_integer_table *integer;
    const lg_moments_float_table *floats;
    lg_moments_state *parts; // [((layer * rows + row) * columns + column) * measured + channel]
} plan;

// The part of the scan that belongs to a job, as a scan of its own.
static lg_scan job_scan(const plan *p, const lg_tile *t)
{
    lg_scan s = *p->scan;
    s.x += t->x * s.step;
    s.y += t->y * s.step;
    s.width = t->x_end - t->x;
    s.height = t->y_end - t->y;
    return s;
}

// ---- integers -----------------------------------------------------------------------------------

typedef void (*integer_kernel)(const lg_integer_rows *rows, lg_integer_sums *sums);

static void add_sums(const lg_integer_sums *sums, uint64_t n, int measured, lg_moments_state *part)
{
    for (int c = 0; c < measured; c++) {
        lg_moments_state more = lg_moments_state_empty(LG_U8);
        if (n > 0)
            more.integers =
                (lg_integer_moments){n, sums->sum[c], sums->squares[c], sums->min[c], sums->max[c]};
        lg_moments_state_merge(&part[c], &more);
    }
}

// Two copies of whole pixels. dark: what is left out becomes 0, which no sum and no maximum notices;
// light: it becomes all ones for the minimum.
#define DEFINE_MASK(name, type)                                                                    \
    static void name(const uint8_t *restrict pixels, const uint8_t *restrict take, size_t count,   \
                     type *restrict dark, type *restrict light)                                    \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            type v; /* a pixel need not be aligned to its own size */                              \
            memcpy(&v, pixels + i * sizeof v, sizeof v);                                           \
            const type keep = (type)(0 - (type)take[i]);                                           \
            dark[i] = v & keep;                                                                    \
            light[i] = (type)(v | (type)~keep);                                                    \
        }                                                                                          \
    }

DEFINE_MASK(mask_pixels8, uint8_t)
DEFINE_MASK(mask_pixels16, uint16_t)
DEFINE_MASK(mask_pixels32, uint32_t)
DEFINE_MASK(mask_pixels64, uint64_t)

static void mask_pixels(size_t pixel, const void *pixels, const uint8_t *take, size_t count,
                        void *dark, void *light)
{
    if (pixel == 1)
        mask_pixels8(pixels, take, count, dark, light);
    else if (pixel == 2)
        mask_pixels16(pixels, take, count, dark, light);
    else if (pixel == 4)
        mask_pixels32(pixels, take, count, dark, light);
    else
        mask_pixels64(pixels, take, count, dark, light);
}

static void integer_row_selected(const plan *p, const lg_scan *s, int32_t layer, int64_t row,
                                 integer_kernel kernel, uint8_t *scratch, lg_moments_state *part)
{
    const size_t width = (size_t)s->width, pixel = lg_scan_pixel_size(s);
    const size_t bytes = width * pixel, room = lg_align_up(bytes, 64);
    uint8_t *dark = scratch + room, *light = scratch + 2 * room, *take = scratch + 3 * room;
    const void *pixels = lg_scan_row_dense(s, layer, row, scratch);
    lg_scan_row_mask(s, layer, row, take);
    uint32_t n = 0;
    for (size_t i = 0; i < width; i++)
        n += take[i];
    mask_pixels(pixel, pixels, take, width, dark, light);
    lg_integer_sums low = {.min = {0}}, high = {.min = {~0u, ~0u, ~0u, ~0u}};
    lg_integer_rows rows = {dark, bytes, 1, width, s->channels};
    kernel(&rows, &low);
    rows.data = light;
    kernel(&rows, &high);
    memcpy(low.min, high.min, sizeof low.min);
    add_sums(&low, n, s->measured, part);
}

static lg_status integer_job(void *arg, const lg_tile *t)
{
    const plan *p = arg;
    const int32_t layer = t->layer;
    const lg_scan s = job_scan(p, t);
    lg_moments_state *part = p->parts + t->index * (size_t)s.measured;
    uint8_t *scratch = (uint8_t *)t->scratch;
    const integer_kernel kernel = s.type == LG_U8 ? p->integer->u8 : p->integer->u16;
    for (int c = 0; c < s.measured; c++)
        part[c] = lg_moments_state_empty(s.type);
    if (s.selective) {
        for (int64_t row = 0; row < s.height; row++)
            integer_row_selected(p, &s, layer, row, kernel, scratch, part);
        return LG_OK;
    }
    lg_integer_sums sums = {.min = {~0u, ~0u, ~0u, ~0u}};
    if (s.planar) {
        p->integer->planes(s.planar, (int32_t)s.x, (int32_t)s.y, (int32_t)s.width,
                           (int32_t)s.height, &sums);
        add_sums(&sums, (uint64_t)s.width * (uint64_t)s.height, s.measured, part);
        return LG_OK;
    }
    lg_integer_rows rows = {.data = lg_scan_row(&s, layer, 0),
                            .stride = s.image->shape.row_stride,
                            .rows = (size_t)s.height,
                            .pixels = (size_t)s.width,
                            .channels = s.channels};
    if (lg_scan_in_place(&s)) {
        kernel(&rows, &sums);
    } else {
        rows.rows = 1;
        for (int64_t row = 0; row < s.height; row++) {
            rows.data = lg_scan_row_dense(&s, layer, row, scratch);
            kernel(&rows, &sums);
        }
    }
    add_sums(&sums, (uint64_t)s.width * (uint64_t)s.height, s.measured, part);
    return LG_OK;
}

// ---- floats -------------------------------------------------------------------------------------

typedef struct float_scratch {
    lg_float_fold fold;
    float samples[LG_FOLD_SPAN];     // of halves
    uint64_t gathered[LG_FOLD_SPAN]; // pixels of a step: up to 4 bytes a sample
    uint8_t take[LG_FOLD_SPAN];
} float_scratch;

// A part of a row: as floats, side by side, and which pixels count.
static void float_span(const plan *p, const lg_scan *span, int32_t layer, int64_t row,
                       float_scratch *scratch)
{
    const size_t pixels = (size_t)span->width, count = pixels * (size_t)span->channels;
    const void *dense = lg_scan_row_dense(span, layer, row, scratch->gathered);
    const float *samples = dense;
    if (span->type == LG_F16) {
        p->floats->halves(dense, count, scratch->samples);
        samples = scratch->samples;
    }
    if (!span->selective) {
        lg_float_fold_add(&scratch->fold, samples, count);
        return;
    }
    lg_scan_row_mask(span, layer, row, scratch->take);
    lg_float_fold_taken(&scratch->fold, samples, scratch->take, pixels);
}

static void float_row(const plan *p, const lg_scan *s, int32_t layer, int64_t row,
                      float_scratch *scratch)
{
    if (s->type == LG_F32 && lg_scan_in_place(s) && !s->selective) {
        lg_float_fold_add(&scratch->fold, lg_scan_row(s, layer, row),
                          (size_t)s->width * (size_t)s->channels);
        return;
    }
    lg_scan span = *s;
    for (int64_t x = 0; x < s->width; x += span.width) {
        span.x = s->x + x * s->step;
        span.width = LG_MIN(s->width - x, LG_FOLD_SPAN / s->channels);
        float_span(p, &span, layer, row, scratch);
    }
}

static lg_status float_job(void *arg, const lg_tile *t)
{
    const plan *p = arg;
    const int32_t layer = t->layer;
    const lg_scan s = job_scan(p, t);
    float_scratch *scratch = (void *)t->scratch;
    lg_moments_state *part = p->parts + t->index * (size_t)s.measured;
    lg_float_sums sums[LG_MAX_CHANNELS];
    lg_float_fold_begin(&scratch->fold, p->floats, sums, (size_t)s.channels, (size_t)s.measured,
                        s.type == LG_F16);
    for (int64_t row = 0; row < s.height; row++)
        float_row(p, &s, layer, row, scratch);
    lg_float_fold_end(&scratch->fold);
    for (int c = 0; c < s.measured; c++)
        part[c] = (lg_moments_state){.integer = false, .floats = sums[c]};
    return LG_OK;
}

// ---- all ----------------------------------------------------------------------------------------

// Adds the parts up: those of a layer, or all of them.
static void collect(const plan *p, bool stack, lg_moments_state *out)
{
    const size_t measured = (size_t)p->scan->measured, layers = (size_t)p->scan->layers;
    const size_t results = stack ? 1 : layers, jobs = p->rows * p->columns * (layers / results);
    for (size_t i = 0; i < results * measured; i++) {
        const lg_moments_state *part = p->parts + i / measured * jobs * measured + i % measured;
        out[i] = lg_moments_state_empty(p->scan->type);
        for (size_t job = 0; job < jobs; job++)
            lg_moments_state_merge(&out[i], &part[job * measured]);
    }
}

static void cut(plan *p, bool integers)
{
    const lg_scan *s = p->scan;
    const size_t pixel = lg_scan_pixel_size(s);
    p->width = LG_MIN(s->width, LG_INTEGER_ROW);
    p->height = JOB_BYTES / (p->width * (int64_t)pixel) + 1;
    // dense pixels, two masked copies of them, and the mask
    p->scratch_size = integers ? 3 * lg_align_up((size_t)p->width * pixel, 64) + LG_INTEGER_ROW
                               : sizeof(float_scratch);
    p->scratch_size = lg_align_up(p->scratch_size, 4096);
    p->columns = (size_t)((s->width - 1) / p->width + 1);
    p->rows = (size_t)((s->height - 1) / p->height + 1);
}

lg_status lg_moments_cpu(lg_context *context, const lg_scan *scan, bool stack,
                         lg_moments_state *out, lg_error *error)
{
    plan p = {.scan = scan,
              .integer = LG_CPU_SELECT(moments_integer, context->cpu_level),
              .floats = LG_CPU_SELECT(moments_float, context->cpu_level)};
    if (!scan->image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image has no host pixels; download it before measuring on the CPU");
    const bool integers = scan->type == LG_U8 || scan->type == LG_U16;
    cut(&p, integers);
    size_t jobs, count;
    if (!lg_size_mul(p.columns, p.rows, &jobs) || !lg_size_mul(jobs, (size_t)scan->layers, &jobs) ||
        !lg_size_mul(jobs, (size_t)scan->measured, &count))
        return lg_fail(error, LG_ERROR_LIMIT, "the image is too large to be cut into jobs");
    p.parts = lg_alloc_array(count, sizeof *p.parts);
    if (!p.parts)
        return lg_fail_memory(error, count * sizeof *p.parts, "moments");
    const lg_tiling tiling = {.width = scan->width,
                              .height = scan->height,
                              .layers = scan->layers,
                              .strip = p.width,
                              .band = p.height,
                              .scratch = p.scratch_size,
                              .what = "moments",
                              .run = integers ? integer_job : float_job,
                              .job = &p};
    const lg_status status = lg_tiling_run(context->pool, &tiling, error);
    if (!status)
        collect(&p, stack, out);
    lg_free(p.parts);
    return status;
}
