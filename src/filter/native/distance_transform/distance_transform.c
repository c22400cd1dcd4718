// The distance transform: the entry, and its two passes over the image.
#include "filter/native/distance_transform/distance_transform.h"

#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/distance_transform/distance_transform_rule.h"
#include "kernel/pixel_rule.h"

LG_CPU_DECLARE(lg_distance_table, distance_transform);

enum { TYPE_F32, TYPE_U16, TYPE_U8 };

// Rows first .. end - 1 of all columns.
static lg_status run_columns(lg_distance_job *job, const lg_native_call *call, lg_rows_fn *run,
                             int32_t first, int32_t end)
{
    job->first = first;
    job->end = end;
    const lg_row_pass pass = {
        .run = run, .job = job, .rows = (job->in.width + LG_SPAN - 1) / LG_SPAN, .band = 1};
    return lg_rows_run(call->context, &pass, call->error);
}

// In files all columns go down some rows, and then further down: a job does not touch all rows.
static lg_status run_all_columns(lg_distance_job *job, const lg_native_call *call,
                                 const lg_distance_table *table)
{
    const int32_t height = job->in.height, step = lg_mapped_side(call->context);
    if (!step || height <= step)
        return run_columns(job, call, table->columns, 0, height);
    lg_status status = LG_OK;
    for (int32_t y = 0; y < height && !status; y += step)
        status = run_columns(job, call, table->down, y, LG_MIN(y + step, height));
    for (int32_t y = height; y > 0 && !status; y -= step)
        status = run_columns(job, call, table->up, LG_MAX(y - step, 0), y);
    return status;
}

static lg_status run_layer(lg_distance_job *job, const lg_native_call *call, int32_t z)
{
    const lg_distance_table *table = LG_CPU_SELECT(distance_transform, call->context->cpu_level);
    job->in = lg_layer_pixels(call->in[0], z);
    job->out = lg_layer_pixels(call->out, z);
    const lg_row_pass rows = {.run = table->finish,
                              .job = job,
                              .rows = job->out.height,
                              .band = 16,
                              .scratch = lg_distance_scratch(job->in.width),
                              .what = "a row of distance_transform"};
    const lg_status status = run_all_columns(job, call, table);
    return status ? status : lg_rows_run(call->context, &rows, call->error);
}

lg_distance_job lg_distance_describe(const lg_filter *filter, const float *values)
{
    static const float units[] = {[TYPE_F32] = 1, [TYPE_U16] = LG_UNIT_U16, [TYPE_U8] = LG_UNIT_U8};
    return (lg_distance_job){
        .of_sites = lg_native_value(filter, values, "of") != 0,
        .squared = lg_native_value(filter, values, "result") != 0,
        .unit = units[(int)lg_native_value(filter, values, "type")],
    };
}

static lg_status distance_cpu(const lg_native_call *call)
{
    const lg_image_params *s = &call->out->shape;
    const size_t bytes = (size_t)s->width * (size_t)s->height * sizeof(uint32_t);
    lg_distance_job job = lg_distance_describe(call->filter, call->values);
    job.stage = lg_stage_get(call->context->cpu_level);
    void *memory = NULL;
    lg_status status = lg_block_take(call->context, bytes, "the columns of distance_transform",
                                     &memory, call->error);
    job.rows = memory;
    for (int32_t z = 0; z < s->layers && !status; z++)
        status = run_layer(&job, call, z);
    lg_block_give(call->context, memory);
    return status;
}

static lg_status distance_shape(float *values, lg_image_params *shape, lg_error *error)
{
    static const lg_type types[] = {[TYPE_F32] = LG_F32, [TYPE_U16] = LG_U16, [TYPE_U8] = LG_U8};
    extern const lg_filter_entry lg_filter_distance_transform;
    if (shape->width > LG_DISTANCE_SIDE || shape->height > LG_DISTANCE_SIDE)
        return lg_fail(
            error, LG_ERROR_LIMIT,
            "distance_transform: an image of %d x %d pixels; at most %d a side can be done",
            shape->width, shape->height, (int)LG_DISTANCE_SIDE);
    shape->channels = 1;
    shape->alpha = LG_ALPHA_NONE;
    shape->type = types[(int)lg_native_value(&lg_filter_distance_transform.filter, values, "type")];
    return LG_OK;
}

#define PARAMETERS(X)                                                                              \
    X(CHOICE, of, 0, "foreground|background",                                                      \
      "whose distance to the nearest pixel of the other is measured")                              \
    X(CHOICE, result, 0, "distance|square", "the distance, or its square, which is an integer")    \
    X(CHOICE, type, 0, "f32|u16|u8",                                                               \
      "of the result: the number of pixels; integers are rounded, and end at 65535 or 255")

LG_ROWS(distance_transform)

static double cost(const lg_filter *filter, const float *values)
{
    return 4;
}

static const lg_native distance_transform_native = {.cpu = distance_cpu,
                                                    .vulkan = LG_VULKAN(lg_distance_vulkan),
                                                    .recorded = "of result type",
                                                    .cost = cost};

LG_NATIVE_FILTER_SHAPED(
    distance_transform, &distance_transform_native, distance_shape, 1,
    .summary = "how far every pixel of the foreground is from the background, exactly",
    .formula = "0 in the background; in the foreground the least sqrt(dx^2 + dy^2) over the pixels "
               "of the background, in pixels; infinite where there are none. Foreground is what is "
               "neither black nor transparent",
    .source = "A. Meijster, J. Roerdink and W. Hesselink, A general algorithm for computing "
              "distance transforms in linear time, 2000",
    .notes =
        "one channel. Squares are integers: result=square is exact up to 16777216. "
        "Distances are the floats nearest to their roots. f32 keeps fractions: -o d.npy, d.pfm or "
        "d.tif; ImageJ's 8-bit map is type=u8. Each layer by itself");
