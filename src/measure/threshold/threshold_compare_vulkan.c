// The passes over pixels of a threshold whose level the host found: comparing, and luma for means.
#include "device/workspace.h"
#include "measure/threshold/luma_moments.h"
#include "measure/threshold/threshold_kernels.h"
#include "measure/threshold/threshold_push.h"

#include <float.h>
#include <math.h>
#include <string.h>

extern const lg_spirv lg_spirv_threshold_compare, lg_spirv_threshold_luma;

#define GROUP       256
#define GROUP_BYTES 16384 // of pixels, at least, to a workgroup

static lg_luma_weights weights_of(const lg_compare *c)
{
    return (lg_luma_weights){{c->weight_float[0], c->weight_float[1], c->weight_float[2]},
                             c->weight[0] | c->weight[1] << 16,
                             c->weight[2]};
}

static lg_status check_size(lg_context *context, const lg_scan *scan, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const bool fits = scan->width <= INT32_MAX / 64 && scan->width * scan->height <= INT32_MAX &&
                      (int64_t)scan->layers * scan->height <= INT32_MAX &&
                      (uint32_t)scan->layers <= limits->max_workgroups[1] &&
                      limits->max_workgroup_size >= GROUP;
    return fits ? LG_OK
                : lg_fail(error, LG_ERROR_UNSUPPORTED, "too many pixels for the device kernels");
}

// ---- comparing ----

typedef struct pass {
    lg_context *context;
    const lg_scan *scan;
    const lg_compare *compare; // all but the cuts
    int32_t levels;
    uint32_t steps[2];
    bool stack;
    lg_device_view view;
    lg_image_private *binary; // NULL: only counted
    lg_vk_buffer *cuts, *results, *host;
} pass;

// The largest value that is not above the level, as the kernel orders values.
static int32_t cut_key(const lg_compare *compare, double level)
{
    const lg_cut cut = lg_threshold_cut(level);
    int32_t bits;
    if (compare->type <= LG_U16)
        return (int32_t)cut.integer - 1;
    if (compare->type == LG_F16 && compare->channels < 4)
        return cut.ordered;
    memcpy(&bits, &cut.real, sizeof bits);
    return cut.real == 0 ? 0 : bits ^ ((bits >> 31) & 0x7fffffff);
}

// Where a device takes subnormal numbers for zero, luma near zero is not that of the CPU.
static bool exact_level(const pass *p, double level)
{
    const lg_compare *c = p->compare;
    const bool luma = c->type == LG_F32 && c->channels == 4;
    return !luma || lg_vk_get_limits(p->context->vk)->denorm_preserve || fabs(level) >= 0x1p-100;
}

// The cuts of a layer, in vectors of four.
static int32_t cut_words(const pass *p)
{
    return p->levels > 4 ? 8 : 4;
}

static lg_status write_cuts(const pass *p, const lg_threshold *levels, lg_error *error)
{
    const int32_t words = cut_words(p);
    int32_t *cuts = p->cuts->map;
    for (int32_t layer = 0; layer < p->scan->layers; layer++, cuts += words) {
        const lg_threshold *t = &levels[p->stack ? 0 : layer];
        for (int32_t k = 0; k < words; k++) {
            cuts[k] = k < t->levels ? cut_key(p->compare, t->level[k]) : INT32_MAX;
            if (k < t->levels && !exact_level(p, t->level[k]))
                return lg_fail(error, LG_ERROR_UNSUPPORTED,
                               "luma next to zero on a device without subnormal numbers");
        }
    }
    return LG_OK;
}

static lg_status get_buffers(pass *p, lg_error *error)
{
    const size_t layers = (size_t)p->scan->layers, size = layers * sizeof(uint32_t);
    lg_status status = lg_workspace_slot(p->context, LG_SCRATCH_PARAMETERS,
                                         size * (size_t)cut_words(p), &p->cuts, error);
    if (!status)
        status = lg_workspace_slot(p->context, LG_SCRATCH_RESULTS, size, &p->results, error);
    if (!status)
        status = lg_workspace_slot(p->context, LG_SCRATCH_READBACK, size, &p->host, error);
    return status;
}

static lg_status get_pipeline(const pass *p, const lg_vk_pipeline **out, lg_error *error)
{
    const bool aligned =
        p->view.first % 16 == 0 && p->view.row_stride % 16 == 0 && p->view.layer_stride % 16 == 0;
    const uint32_t constants[] = {GROUP,
                                  (uint32_t)p->compare->type,
                                  (uint32_t)p->compare->channels,
                                  p->compare->luma == LG_LUMA_MAX,
                                  aligned,
                                  (uint32_t)p->levels,
                                  p->binary != NULL};
    return lg_vk_pipeline_get(p->context->vk, &lg_spirv_threshold_compare, constants, 7, 0, out,
                              error);
}

static void record(const pass *p, const lg_vk_pipeline *pipeline, lg_workspace *work)
{
    const size_t size = (size_t)p->scan->layers * sizeof(uint32_t);
    const lg_threshold_compare_push push = {
        .data = p->view.first,
        .layer_stride = p->view.layer_stride,
        .mask = p->binary ? p->binary->device->address : 0,
        .mask_layer_stride = p->binary ? p->binary->device_layer_stride : 0,
        .cuts = p->cuts->address,
        .results = p->results->address,
        .row_stride = (uint32_t)p->view.row_stride,
        .mask_row_stride = p->binary ? (uint32_t)p->binary->device_row_stride : 0,
        .width = (uint32_t)p->scan->width,
        .height = (uint32_t)p->scan->height,
        .steps = {p->steps[0], p->steps[1]},
        .weights = weights_of(p->compare),
    };
    const uint64_t bytes =
        (uint64_t)p->scan->width * (uint64_t)p->scan->height * lg_scan_pixel_size(p->scan);
    const uint32_t groups = lg_device_groups(p->context, bytes / GROUP_BYTES + 1, 32);
    lg_vk_commands *c = work->commands;
    lg_vk_begin(c);
    lg_vk_fill(c, p->results, 0, size, 0);
    lg_vk_barrier(c);
    lg_vk_timestamp(c, 0);
    lg_vk_reads(c, push.data, 0);
    lg_vk_writes(c, push.mask, 0);
    lg_vk_reads(c, push.cuts, size * (uint64_t)cut_words(p));
    lg_vk_adds(c, push.results, size);
    lg_vk_dispatch(c, pipeline, &push, sizeof push, groups, (uint32_t)p->scan->layers, 1);
    lg_vk_timestamp(c, 1);
    lg_workspace_record_readback(work, p->results, size);
}

static lg_status run(pass *p, const lg_threshold *levels, lg_error *error)
{
    const lg_vk_pipeline *pipeline = NULL;
    lg_workspace *work;
    lg_status status = lg_workspace_get(p->context, &work, error);
    if (!status)
        status = get_buffers(p, error);
    if (!status)
        status = write_cuts(p, levels, error);
    if (!status)
        status = get_pipeline(p, &pipeline, error);
    if (status)
        return status;
    record(p, pipeline, work);
    return lg_workspace_run(p->context, work, error);
}

static void take_counts(const pass *p, lg_threshold *levels)
{
    const uint32_t *passed = p->host->map;
    const uint64_t pixels = (uint64_t)p->scan->width * (uint64_t)p->scan->height;
    const int32_t layers = p->scan->layers;
    for (int32_t i = 0; i < (p->stack ? 1 : layers); i++) {
        levels[i].foreground = 0;
        levels[i].total = pixels * (uint64_t)(p->stack ? layers : 1);
    }
    for (int32_t i = 0; i < layers; i++)
        levels[p->stack ? 0 : i].foreground += passed[i];
}

static lg_status create_image(lg_context *context, const lg_scan *scan, lg_type type,
                              lg_image **out, lg_error *error)
{
    const lg_image_params shape = {.width = (int32_t)scan->width,
                                   .height = (int32_t)scan->height,
                                   .layers = scan->layers,
                                   .channels = 1,
                                   .type = type};
    return lg_image_create_device(context, &shape, out, error);
}

lg_status lg_threshold_binarise_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                       bool stack, lg_threshold *levels, lg_image **binary,
                                       lg_error *error)
{
    lg_compare compare;
    lg_image *image = NULL;
    pass p = {.context = context,
              .scan = scan,
              .compare = &compare,
              .levels = levels[0].levels,
              .stack = stack};
    for (int32_t i = 0; i < p.levels; i++)
        p.steps[i / 4] |=
            (uint32_t)(lg_class_byte(i + 1, p.levels + 1) - lg_class_byte(i, p.levels + 1))
            << (8 * (i % 4));
    lg_status status = check_size(context, scan, error);
    if (!status)
        status = lg_compare_init(context, scan, luma, &compare, error);
    if (!status && binary)
        status = create_image(context, scan, LG_U8, &image, error);
    p.binary = (lg_image_private *)image;
    if (!status)
        status = lg_device_view_open(context, scan->image, scan->x, scan->y, &p.view, error);
    if (!status) {
        status = run(&p, levels, error);
        lg_device_view_close(context, &p.view);
    }
    if (!status && image) {
        const double start = lg_time_seconds();
        status = lg_image_download(context, image, error);
        context->report.download = lg_time_seconds() - start;
    }
    if (status) {
        lg_image_destroy(&image);
        return status;
    }
    take_counts(&p, levels);
    if (binary)
        *binary = image;
    return LG_OK;
}

// ---- luma ----

// Where the luma goes, and what leaves pixels out.
typedef struct luma_target {
    uint64_t luma, mask; // mask 0: none
    size_t luma_row_stride, mask_row_stride;
} luma_target;

static lg_status record_luma(lg_context *context, const lg_scan *scan, lg_luma luma,
                             const lg_device_walk *walk, const luma_target *to,
                             lg_vk_commands *commands, lg_error *error)
{
    lg_compare compare;
    const lg_vk_pipeline *pipeline = NULL;
    lg_status status = lg_compare_init(context, scan, luma, &compare, error);
    const uint32_t constants[] = {GROUP, (uint32_t)scan->type, (uint32_t)scan->channels,
                                  luma == LG_LUMA_MAX};
    if (!status)
        status = lg_vk_pipeline_get(context->vk, &lg_spirv_threshold_luma, constants, 4, 0,
                                    &pipeline, error);
    if (status)
        return status;
    const lg_threshold_luma_push push = {.walk = *walk,
                                         .luma = to->luma,
                                         .mask = to->mask,
                                         .luma_row_stride = (uint32_t)to->luma_row_stride,
                                         .mask_row_stride = (uint32_t)to->mask_row_stride,
                                         .weights = weights_of(&compare)};
    const uint64_t pixels = (uint64_t)scan->width * (uint64_t)scan->height;
    lg_device_walk_reads(commands, walk);
    lg_vk_writes(commands, push.luma, 0);
    lg_vk_writes(commands, push.mask, 0);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push,
                   lg_device_groups(context, pixels / 4096 + 1, 8), (uint32_t)scan->layers, 1);
    return LG_OK;
}

lg_status lg_threshold_record_luma(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   const lg_device_view *view, uint64_t to, size_t row_stride,
                                   lg_vk_commands *commands, lg_error *error)
{
    lg_device_view none;
    lg_device_walk walk;
    const luma_target target = {.luma = to, .luma_row_stride = row_stride};
    lg_status status = check_size(context, scan, error);
    if (!status)
        status = lg_device_walk_open(context, scan, view, &none, &walk, error);
    return status ? status : record_luma(context, scan, luma, &walk, &target, commands, error);
}

static lg_status run_luma(lg_context *context, const lg_scan *scan, lg_luma luma,
                          const lg_device_walk *walk, const lg_image_private *values,
                          const lg_image_private *mask, lg_error *error)
{
    const luma_target to = {values->device->address, mask ? mask->device->address : 0,
                            values->device_row_stride, mask ? mask->device_row_stride : 0};
    lg_workspace *work;
    lg_status status = lg_workspace_get(context, &work, error);
    if (status)
        return status;
    lg_vk_begin(work->commands);
    lg_vk_timestamp(work->commands, 0);
    status = record_luma(context, scan, luma, walk, &to, work->commands, error);
    if (status)
        return status;
    lg_vk_timestamp(work->commands, 1);
    lg_vk_barrier(work->commands);
    return lg_workspace_run(context, work, error);
}

lg_status lg_threshold_luma_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   lg_image **values, lg_image **mask, lg_error *error)
{
    lg_device_view view, over;
    lg_device_walk walk;
    lg_status status = check_size(context, scan, error);
    if (!status)
        status = create_image(context, scan, LG_F32, values, error);
    if (!status && scan->selective)
        status = create_image(context, scan, LG_U8, mask, error);
    if (!status)
        status = lg_device_view_open(context, scan->image, scan->x, scan->y, &view, error);
    if (!status) {
        status = lg_device_walk_open(context, scan, &view, &over, &walk, error);
        if (!status) {
            status = run_luma(context, scan, luma, &walk, (lg_image_private *)*values,
                              (lg_image_private *)*mask, error);
            lg_device_view_close(context, &over);
        }
        lg_device_view_close(context, &view);
    }
    if (status) {
        lg_image_destroy(values);
        lg_image_destroy(mask);
    }
    return status;
}
