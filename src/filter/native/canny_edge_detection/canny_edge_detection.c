// Canny's edge detector: the entry, its arithmetic, and how bands of rows are put together.
#include "device/spill.h"
#include "filter/native/canny_edge_detection/canny.h"
#include "filter/native/gaussian_blur/gaussian_pyramid.h"

#include "cpu/cpu.h"
#include "filter/native/luminance.h"
#include "filter/native/tiles.h"

#include <math.h>

LG_CPU_DECLARE(lg_canny_table, canny);

#define TILE 4096 // columns whose rows stay in the second cache

// ---- arithmetic ---------------------------------------------------------------------------------

// Squares of thresholds as integers that decide alike, exactly: a threshold is a significand of 24 bits
// times a power of two, and LG_CANNY_UNIT is 255 * 2^5.
static int32_t square_of(float threshold, bool up)
{
    int exponent;
    const uint64_t whole = (uint64_t)ldexpf(frexpf(threshold, &exponent), 24) * 255;
    const int shift = 2 * (24 - exponent - 5);
    if (shift < 30)
        return INT32_MAX;
    if (shift > 63)
        return up && whole > 0;
    const uint64_t square = whole * whole >> shift, rest = whole * whole & ((1ull << shift) - 1);
    return (int32_t)LG_MIN(square + (up && rest), (uint64_t)INT32_MAX);
}

lg_status lg_canny_set_up(lg_canny_job *job, const lg_native_call *call)
{
#define VALUE(name) lg_native_value(call->filter, call->values, name)
    const lg_image_params *s = &call->in[0]->shape;
    const float upper = VALUE("upper_threshold");
    const float lower = fminf(VALUE("lower_threshold"), upper);
    const float sigma = VALUE("sigma");
    const int spacing = (int)VALUE("blur_texel_spacing_multiplier");
    const float across = VALUE("texel_width"), down = VALUE("texel_height");
    const bool apart = across != 1 || down != 1;
    *job = (lg_canny_job){.width = s->width,
                          .height = s->height,
                          .border = (lg_border)VALUE("border"),
                          .integer = lg_luminance_is_byte(s) && !apart,
                          .apart = apart,
                          .across = across,
                          .down = down,
                          .ring = VALUE("hysteresis") == 1,
                          .lower = lower,
                          .upper = upper,
                          .real_high = upper * upper,
                          .words = ((size_t)s->width + 63) / 64,
                          .stage = lg_stage_get(call->context->cpu_level)};
#undef VALUE
    job->tile = job->ring ? (int32_t)job->words * 64 : TILE;
    job->high = square_of(upper, true);
    // Weak includes strong, also where both thresholds are equal.
    job->low = LG_MIN(square_of(lower, false), job->high - 1);
    job->real_low = lower * lower;
    if (job->real_low >= job->real_high)
        job->real_low = job->real_high > 0 ? nextafterf(job->real_high, 0) : -1;
    return lg_gaussian_create_spaced(sigma, 0, LG_GAUSSIAN_AUTO, spacing, &job->gaussian,
                                     call->error);
}

// ---- running ------------------------------------------------------------------------------------

#define MOST_BANDS 256
#define BAND_ROWS  32 // below that, the rows around a band cost more than the band

typedef struct task {
    const lg_canny_table *table;
    lg_canny_job job;
    lg_hysteresis hysteresis;
    lg_pixels out, luminance;
    int32_t starts[MOST_BANDS + 1];
    int bands;
} task;

static lg_status find_edges(void *arg, const lg_tile *t)
{
    const task *k = arg;
    const int32_t first = (int32_t)t->y, end = (int32_t)t->y_end;
    k->table->edges(&k->job, first, end, t->scratch);
    if (!k->job.ring)
        lg_hysteresis_band(&k->hysteresis, first, end);
    return LG_OK;
}

static lg_status write_rows(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int32_t y = (int32_t)t->y; y < t->y_end; y++)
        k->table->write(k->job.stage, k->job.strong + (size_t)y * k->job.words, &k->out, y);
    return LG_OK;
}

static lg_status blur_rows(void *arg, const lg_tile *t)
{
    const task *k = arg;
    k->table->blur(&k->job, (int32_t)t->y, (int32_t)t->y_end, t->scratch);
    return LG_OK;
}

static lg_status run_bands(task *t, const lg_native_call *call, lg_tile_fn *run, size_t scratch)
{
    const lg_tiling tiling = {.height = t->job.height,
                              .bands = t->bands,
                              .scratch = scratch,
                              .what = "the rows of canny_edge_detection",
                              .run = run,
                              .job = t};
    return lg_tiling_run(call->context->pool, &tiling, call->error);
}

enum { STRONG, WEAK, STACK, QUEUED, BLOCKS };

static lg_status allocate(task *t, lg_context *context, void *blocks[BLOCKS], lg_error *error)
{
    static const size_t sizes[BLOCKS] = {sizeof(uint64_t), sizeof(uint64_t),
                                         sizeof *t->hysteresis.stack, sizeof *t->hysteresis.queued};
    const size_t words = t->job.words * (size_t)t->job.height;
    lg_status status = LG_OK;
    for (int i = 0; i < BLOCKS && !status; i++)
        status = (i == QUEUED ? lg_block_take_zeroed : lg_block_take)(
            context, words * sizes[i], "the bit maps of canny_edge_detection", &blocks[i], error);
    t->hysteresis.words = t->job.words;
    t->job.strong = t->hysteresis.strong = blocks[STRONG];
    t->job.weak = t->hysteresis.weak = blocks[WEAK];
    t->hysteresis.stack = blocks[STACK];
    t->hysteresis.queued = blocks[QUEUED];
    return status;
}

static lg_status make_luminance(void *arg, const lg_tile *t)
{
    const task *k = arg;
    for (int64_t y = t->y; y < t->y_end; y++)
        k->table->luminance(&k->job, (int32_t)y,
                            k->luminance.data + (size_t)y * k->luminance.row_stride);
    return LG_OK;
}

// A plane of the size of the image.
static size_t plan_plane(const lg_canny_job *job, lg_type type, lg_pixels *out)
{
    const size_t row = lg_align_up((size_t)job->width * lg_type_size(type), 64);
    *out = (lg_pixels){
        .width = job->width, .height = job->height, .channels = 1, .type = type, .row_stride = row};
    return row * (size_t)job->height;
}

// Once for all layers.
static lg_status take_plane(const lg_native_call *call, size_t bytes, void **memory)
{
    return *memory ? LG_OK
                   : lg_block_take(call->context, bytes, "the luminance of canny_edge_detection",
                                   memory, call->error);
}

// A Gaussian with levels blurs a whole plane.
static lg_status blur_before(task *t, const lg_native_call *call, void **memory)
{
    lg_canny_job *job = &t->job;
    lg_pixels blurred;
    const size_t luminance = plan_plane(job, job->integer ? LG_U8 : LG_F32, &t->luminance);
    const size_t bytes = luminance + plan_plane(job, job->integer ? LG_U16 : LG_F32, &blurred) + 64;
    lg_status status = take_plane(call, bytes, memory);
    if (status)
        return status;
    t->luminance.data = *memory;
    blurred.data = (char *)*memory + luminance;
    status = run_bands(t, call, make_luminance, 0);
    if (!status)
        status = lg_gaussian_blur_layer(call->context, &job->gaussian, job->border,
                                        LG_GAUSSIAN_PLANE, &t->luminance, &blurred, call->error);
    job->blurred = blurred;
    return status;
}

// Rows of a Sobel whose pixels are apart are read from a plane.
static lg_status spread_before(task *t, const lg_native_call *call, void **memory)
{
    lg_canny_job *job = &t->job;
    const size_t bytes = plan_plane(job, LG_F32, &job->whole) + 64;
    lg_status status = take_plane(call, bytes, memory);
    if (status)
        return status;
    job->whole.data = *memory;
    status = run_bands(t, call, blur_rows, t->table->scratch(job));
    job->blurred = job->whole;
    return status;
}

static lg_status canny_cpu(const lg_native_call *call)
{
    const int threads = lg_pool_threads(call->context->pool);
    task t = {.table = LG_CPU_SELECT(canny, call->context->cpu_level)};
    void *blurred = NULL, *plane = NULL, *blocks[BLOCKS] = {NULL};
    lg_status status = lg_canny_set_up(&t.job, call);
    const int32_t height = t.job.height;
    const int most = lg_blocks_are_mapped(call->context) ? MOST_BANDS : 4 * threads;
    t.bands = LG_MAX(1, LG_MIN(LG_MIN(MOST_BANDS, most), height / BAND_ROWS));
    for (int i = 0; i <= t.bands; i++)
        t.starts[i] = (int32_t)((int64_t)i * height / t.bands);
    if (!status)
        status = allocate(&t, call->context, blocks, call->error);
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        t.job.in = lg_layer_pixels(call->in[0], z);
        t.out = lg_layer_pixels(call->out, z);
        if (t.job.gaussian.levels)
            status = blur_before(&t, call, &blurred);
        else
            t.job.blurred = (lg_pixels){0};
        if (t.job.apart && !t.job.gaussian.levels && !status)
            status = spread_before(&t, call, &plane);
        if (!status)
            status = run_bands(&t, call, find_edges, t.table->scratch(&t.job));
        if (!status && !t.job.ring)
            lg_hysteresis_join(&t.hysteresis, height, t.starts, t.bands);
        if (!status)
            status = run_bands(&t, call, write_rows, 0);
    }
    for (int i = 0; i < BLOCKS; i++)
        lg_block_give(call->context, blocks[i]);
    lg_block_give(call->context, blurred);
    lg_block_give(call->context, plane);
    lg_gaussian_destroy(&t.job.gaussian);
    return status;
}

// ---- the entry ----------------------------------------------------------------------------------

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, LG_CANNY_SIGMA, "of the Gaussian; 0: none")                       \
    X(NUMBER, upper_threshold, "", 0.4f, 0, 10, "magnitude from which a pixel is an edge")         \
    X(NUMBER, lower_threshold, "", 0.1f, 0, 10,                                                    \
      "magnitude above which a pixel that touches an edge is one; at most the upper threshold")    \
    X(CHOICE, hysteresis, 0, "full|ring",                                                          \
      "how far edges spread: ring is GPUImage's approximation")                                    \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(INTEGER, blur_texel_spacing_multiplier, "px", 1, 1, LG_GAUSSIAN_SPACING,                     \
      "from weight to weight of the Gaussian, as of gaussian_blur")                                \
    LG_TEXEL_PARAMETERS(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(canny_edge_detection)

static const lg_native canny_native = {.cpu = canny_cpu,
                                       .vulkan = LG_VULKAN(lg_canny_vulkan),
                                       .recorded = "sigma hysteresis blur_texel_spacing_multiplier "
                                                   "texel_width texel_height"};

LG_NATIVE_FILTER_LIMITED(
    canny_edge_detection, &canny_native, 1, "lower_threshold <= upper_threshold",
    .summary = "thin edges by Canny's method",
    .formula = "luminance, Gaussian, Sobel, largest along the gradient, then magnitude "
               ">= upper_threshold, or > lower_threshold and connected to that through "
               "such pixels (8 neighbours): 1, else 0. Magnitudes are of luminance in "
               "0..1, a step from black to white has 4",
    .source = "GPUImageCannyEdgeDetectionFilter; J. Canny, 1986",
    .notes = "GPUImage spreads edges by one pixel only (hysteresis=ring), clips "
             "magnitudes at 1, and keeps both pixels where two neighbours are equally "
             "large; here the second of them goes");
