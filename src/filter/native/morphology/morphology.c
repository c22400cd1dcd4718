// Dilation, erosion, opening, closing: the entries, and which passes they take.
#include "filter/native/morphology/morphology.h"

#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/tiles.h"

LG_CPU_DECLARE(lg_morphology_table, morphology);

#define MOST_SCRATCH ((size_t)400 << 10) // bytes of a worker, to stay in its second cache

typedef struct task {
    const lg_morphology_table *table;
    lg_context *context;
    lg_pool *pool;
    lg_error *error;
    const lg_morphology_pass *pass;
    lg_morphology_plane planes[2];
} task;

// ---- running a pass -----------------------------------------------------------------------------

static lg_status run_tile(void *arg, const lg_tile *t)
{
    const task *k = arg;
    k->table->run(k->pass, (int32_t)t->x, (int32_t)t->x_end, (int32_t)t->y, (int32_t)t->y_end,
                  t->scratch);
    return LG_OK;
}

static lg_status run_tiles(task *t, const lg_morphology_pass *pass, int32_t bands, int32_t strip)
{
    t->pass = pass;
    strip = LG_MIN(strip, pass->width);
    const lg_tiling tiling = {.width = pass->width,
                              .height = pass->height,
                              .strip = strip,
                              .bands = bands,
                              .scratch = t->table->scratch(pass, strip),
                              .what = "the scratch of a morphological filter",
                              .run = run_tile,
                              .job = t};
    return lg_tiling_run(t->pool, &tiling, t->error);
}

static int32_t count_bands(const task *t, const lg_morphology_pass *pass, int32_t min)
{
    const int32_t threads = lg_pool_threads(t->pool);
    return LG_MAX(1, LG_MIN(threads == 1 ? 1 : 4 * threads, pass->height / min));
}

// Columns of a strip so that a pass down and along it stays near; 0: there are none.
static int32_t near_strip(const task *t, const lg_morphology_pass *pass)
{
    int32_t reach = 0;
    for (int i = 0; i < pass->across_count; i++)
        reach += lg_window_size(pass->across[i].side) / 2;
    int32_t strip = pass->width;
    while (t->table->scratch(pass, strip) > MOST_SCRATCH) {
        if (pass->outside == LG_OUTSIDE_WRAP)
            return 0;
        strip = (strip + 1) / 2;
        // What is taken down beside a strip is taken down twice.
        if (strip < 8 * reach || strip < 64)
            return 0;
    }
    return (strip + 63) & ~63;
}

static lg_status need_plane(task *t, const lg_morphology_pass *pass, lg_morphology_plane *plane)
{
    if (plane->data)
        return LG_OK;
    const size_t pixel = lg_type_size(pass->key) * (size_t)pass->components;
    size_t bytes;
    // Columns are read in whole vectors, so rows end with a margin.
    plane->row_stride = lg_align_up((size_t)pass->width * pixel, 64);
    static const char *const what = "an inner image of a morphological filter";
    void *data = NULL;
    if (!lg_size_mul(plane->row_stride, (size_t)pass->height, &bytes))
        return lg_fail_memory(t->error, (size_t)pass->height * plane->row_stride, what);
    const lg_status status = lg_block_take(t->context, bytes, what, &data, t->error);
    plane->data = data;
    return status;
}

// A pass that takes extremes both down and along, in one or in two.
static lg_status run_pass(task *t, const lg_morphology_pass *pass)
{
    const size_t pixel = lg_type_size(pass->key) * (size_t)pass->components;
    const int32_t column = LG_MORPHOLOGY_STRIP / (int32_t)pixel;
    const int32_t bands =
        count_bands(t, pass, LG_MAX(16, lg_window_size(pass->vertical.side) / 2 * 8));
    const int32_t strip = near_strip(t, pass);
    // Strips of whole height: what stands above and below a band is not read twice.
    if (!pass->across_count)
        return run_tiles(t, pass, 1, column);
    if (strip && (bands > 1 || lg_pool_threads(t->pool) == 1))
        return run_tiles(t, pass, bands, strip);
    lg_morphology_pass down = *pass, along = *pass;
    lg_morphology_plane *between = &t->planes[pass->from_plane];
    lg_status status = need_plane(t, pass, between);
    if (status)
        return status;
    down.across_count = 0;
    down.to_plane = true;
    down.out_plane = *between;
    along.down = false;
    along.from_plane = true;
    along.in_plane = *between;
    status = run_tiles(t, &down, 1, column);
    return status ? status : run_tiles(t, &along, count_bands(t, pass, 1), pass->width);
}

// ---- which passes -------------------------------------------------------------------------------

lg_window_side lg_morphology_seen(lg_window_side side, int32_t size, lg_outside outside)
{
    if (outside == LG_OUTSIDE_WRAP)
        return lg_window_size(side) < size ? side : lg_window_side_of(size / 2);
    const int32_t most = outside == LG_OUTSIDE_CUT ? size - 1 : size;
    return (lg_window_side){LG_MIN(side.before, most), LG_MIN(side.after, most)};
}

static lg_extreme extreme_of(const lg_native_call *call, const char *size_name, int32_t size,
                             lg_outside outside, bool max)
{
    const lg_window_side side = lg_window_side_get(call->filter, call->values, size_name);
    const lg_window_side turned = max ? lg_window_side_mirrored(side) : side;
    return (lg_extreme){max, lg_morphology_seen(turned, size, outside)};
}

static lg_extreme opposite(lg_extreme e)
{
    return (lg_extreme){!e.max, lg_window_side_mirrored(e.side)};
}

static void choose_keys(lg_morphology_pass *p, bool grey)
{
    const bool premultiplied = p->in.alpha == LG_ALPHA_PREMULTIPLIED && p->in.channels != 1;
    grey = grey || p->in.channels == 1 || p->out.channels == 1;
    p->key = premultiplied ? LG_F32 : p->in.type;
    p->components = grey ? 1 : premultiplied ? 4 : p->in.channels;
}

static lg_status run_layer(task *t, const lg_native_call *call, int32_t z,
                           lg_morphology_operation operation, bool grey)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    lg_morphology_pass p = {
        .in = lg_layer_pixels(call->in[0], z),
        .out = lg_layer_pixels(call->out, z),
        .width = call->out->shape.width,
        .height = call->out->shape.height,
        .outside = border == LG_BORDER_WRAP       ? LG_OUTSIDE_WRAP
                   : border == LG_BORDER_CONSTANT ? LG_OUTSIDE_ZERO
                                                  : LG_OUTSIDE_CUT,
        .stage = lg_stage_get(call->context->cpu_level),
        .down = true,
        .across_count = 1,
    };
    choose_keys(&p, grey);
    const bool max = operation == LG_MORPHOLOGY_DILATION || operation == LG_MORPHOLOGY_CLOSING;
    const lg_extreme down = extreme_of(call, "height", p.height, p.outside, max);
    const lg_extreme along = extreme_of(call, "width", p.width, p.outside, max);
    p.vertical = down;
    p.across[0] = along;
    if (operation == LG_MORPHOLOGY_DILATION || operation == LG_MORPHOLOGY_EROSION)
        return run_pass(t, &p);
    // Both operations along the rows follow each other while a row is at hand.
    lg_morphology_pass second = p;
    lg_status status = need_plane(t, &p, &t->planes[1]);
    if (status)
        return status;
    p.across[1] = opposite(along);
    p.across_count = 2;
    p.to_plane = second.from_plane = true;
    p.out_plane = second.in_plane = t->planes[1];
    second.vertical = opposite(down);
    second.across_count = 0;
    status = run_pass(t, &p);
    return status ? status : run_pass(t, &second);
}

static lg_status run(const lg_native_call *call, lg_morphology_operation operation, bool grey)
{
    task t = {.table = LG_CPU_SELECT(morphology, call->context->cpu_level),
              .context = call->context,
              .pool = call->context->pool,
              .error = call->error};
    lg_status status = LG_OK;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++)
        status = run_layer(&t, call, z, operation, grey);
    lg_block_give(t.context, t.planes[0].data);
    lg_block_give(t.context, t.planes[1].data);
    return status;
}

static lg_row_reach reach_of(const lg_filter *filter, const float *values,
                             lg_morphology_operation operation)
{
    const lg_window_side down = lg_window_side_get(filter, values, "height");
    if (operation == LG_MORPHOLOGY_OPENING || operation == LG_MORPHOLOGY_CLOSING)
        return lg_row_reach_of(down.before + down.after);
    const bool max = operation == LG_MORPHOLOGY_DILATION;
    return lg_row_reach_sides(max ? down.after : down.before, max ? down.before : down.after);
}

// ---- entries ------------------------------------------------------------------------------------

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, LG_MORPHOLOGY_RADIUS,                                           \
      "a window without width and height has 2 radius + 1 pixels a side")                          \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_WIDTH_PARAMETER(X)                                                                          \
    LG_HEIGHT_PARAMETER(X)

#ifdef LG_HAVE_VULKAN
#define ON_DEVICE(name, operation, grey)                                                           \
    static void name##_vulkan(struct lg_device_call *call)                                         \
    {                                                                                              \
        lg_morphology_vulkan(call, LG_MORPHOLOGY_##operation, grey);                               \
    }
#else
#define ON_DEVICE(name, operation, grey)
#endif

#define ENTRY(name, operation, grey)                                                               \
    LG_ROWS(name)                                                                                  \
    static lg_status name##_cpu(const lg_native_call *call)                                        \
    {                                                                                              \
        return run(call, LG_MORPHOLOGY_##operation, grey);                                         \
    }                                                                                              \
    static lg_row_reach name##_reach(const lg_filter *filter, const float *values,                 \
                                     const lg_image_params *in)                                    \
    {                                                                                              \
        return reach_of(filter, values, LG_MORPHOLOGY_##operation);                                \
    }                                                                                              \
    ON_DEVICE(name, operation, grey)                                                               \
    static const lg_native name##_native = {.cpu = name##_cpu,                                     \
                                            .vulkan = LG_VULKAN(name##_vulkan),                    \
                                            .recorded = "radius width height",                     \
                                            .reach = name##_reach};

#define NOTES                                                                                      \
    "any radius, at hardly more than the cost of radius 1; GPUImage allows 1 to 4. A NaN is left " \
    "out of its windows, and a window of nothing else gives NaN; -0 is below +0."

#define RED(colored)                                                                               \
    " As in GPUImage red is taken of a colour image, and the result is grey; " colored             \
    " does each channel."

ENTRY(dilation, DILATION, true)
ENTRY(erosion, EROSION, true)
ENTRY(opening, OPENING, true)
ENTRY(closing, CLOSING, true)
ENTRY(rgb_dilation, DILATION, false)
ENTRY(rgb_erosion, EROSION, false)
ENTRY(rgb_opening, OPENING, false)
ENTRY(rgb_closing, CLOSING, false)

LG_NATIVE_FILTER(dilation, &dilation_native, 1,
                 .summary = "largest red within a rectangle, as grey",
                 .formula = "v = max of red over the window of erosion, mirrored; (v, v, v, 1)",
                 .source = "GPUImageDilationFilter", .notes = NOTES RED("rgb_dilation"));
LG_NATIVE_FILTER(erosion, &erosion_native, 1, .summary = "smallest red within a rectangle, as grey",
                 .formula = "v = min of red over height rows, y - floor(height / 2) first, and "
                            "width columns, likewise; (v, v, v, 1)",
                 .source = "GPUImageErosionFilter", .notes = NOTES RED("rgb_erosion"));
LG_NATIVE_FILTER(opening, &opening_native, 1, .summary = "removes bright specks: red, as grey",
                 .formula = "dilation(erosion(image)), both with the same window and border",
                 .source = "GPUImageOpeningFilter", .notes = NOTES RED("rgb_opening"));
LG_NATIVE_FILTER(closing, &closing_native, 1, .summary = "fills dark specks: red, as grey",
                 .formula = "erosion(dilation(image)), both with the same window and border",
                 .source = "GPUImageClosingFilter", .notes = NOTES RED("rgb_closing"));
LG_NATIVE_FILTER(
    rgb_dilation, &rgb_dilation_native, 1,
    .summary = "largest value of each component within a rectangle",
    .formula = "c' = max of c over the window of rgb_erosion, mirrored, each of r, g, b, a alone",
    .source = "GPUImageRGBDilationFilter", .notes = NOTES);
LG_NATIVE_FILTER(rgb_erosion, &rgb_erosion_native, 1,
                 .summary = "smallest value of each component within a rectangle",
                 .formula = "c' = min of c over height rows, y - floor(height / 2) first, and "
                            "width columns, likewise, each of r, g, b, a alone",
                 .source = "GPUImageRGBErosionFilter", .notes = NOTES);
LG_NATIVE_FILTER(rgb_opening, &rgb_opening_native, 1,
                 .summary = "removes bright specks from each component",
                 .formula = "rgb_dilation(rgb_erosion(image)), with the same window and border",
                 .source = "GPUImageRGBOpeningFilter", .notes = NOTES);
LG_NATIVE_FILTER(rgb_closing, &rgb_closing_native, 1,
                 .summary = "fills dark specks of each component",
                 .formula = "rgb_erosion(rgb_dilation(image)), with the same window and border",
                 .source = "GPUImageRGBClosingFilter", .notes = NOTES);
