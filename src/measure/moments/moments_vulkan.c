#include "measure/moments/moments_device.h"
#include "measure/moments/moments_record.h"

#include <stdio.h>
#include <string.h>

static bool is_integer(const lg_scan *scan)
{
    return scan->type == LG_U8 || scan->type == LG_U16;
}

static size_t tally_size(const lg_scan *scan)
{
    return is_integer(scan) ? sizeof(lg_integer_tally) : sizeof(lg_float_tally);
}

static size_t tallies_size(const lg_scan *scan)
{
    return (size_t)scan->layers * (size_t)scan->channels * tally_size(scan);
}

// Copies of the tallies: many for few, since all workgroups add to them at the same time.
static uint32_t tally_copies(const lg_scan *scan)
{
    uint32_t copies = 16;
    while (copies > 1 && copies * tallies_size(scan) > 16384)
        copies /= 2;
    return copies;
}

#define SHORT_ROW 256 // samples; lanes that have none of a row wait

typedef struct recording {
    lg_device_totals totals;
    lg_device_view mask; // open
    bool dense;          // integers of which every pixel counts
} recording;

// Whether integers are read in vectors, which need a stride of their size.
static bool in_vectors(const lg_scan *scan, const lg_device_view *view, lg_vector_rows *rows)
{
    return is_integer(scan) && !scan->selective && scan->step == 1 &&
           lg_vector_rows_init(rows, view, scan->width, scan->height, lg_scan_pixel_size(scan));
}

// Whether rows of floats are read as they lie.
static bool in_rows(const lg_scan *scan, const lg_device_view *view)
{
    return !is_integer(scan) && scan->alpha < 0 && scan->step == 1 &&
           (scan->height == 1 || scan->width * scan->channels >= SHORT_ROW) &&
           view->row_stride <= UINT32_MAX;
}

static lg_status record_kernel(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                               lg_vk_commands *commands, recording *r, lg_error *error)
{
    const bool floats = in_rows(scan, view);
    lg_vector_rows rows;
    lg_device_walk walk = {.data = view->first};
    r->dense = in_vectors(scan, view, &rows);
    if (r->dense)
        return lg_moments_record_integer_rows(context, scan, &rows, &r->totals, commands, error);
    if (!floats || scan->mask) { // it refuses rows that are too long for it
        const lg_status status = lg_device_walk_open(context, scan, view, &r->mask, &walk, error);
        if (status)
            return status;
    }
    if (floats)
        return lg_moments_record_float_rows(context, scan, view, &walk, &r->totals, commands,
                                            error);
    return (is_integer(scan) ? lg_moments_record_integer_pixels : lg_moments_record_float_pixels)(
        context, scan, &walk, &r->totals, commands, error);
}

// The caller closes the mask.
static lg_status record(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                        lg_vk_commands *commands, recording *r, lg_error *error)
{
    lg_vk_buffer *host;
    const uint32_t copies = tally_copies(scan);
    lg_status status =
        lg_workspace_slot(context, LG_SCRATCH_READBACK, copies * tallies_size(scan), &host, error);
    if (!status)
        status = lg_workspace_totals(context, tallies_size(scan) / 4, copies, &r->totals, error);
    return status ? status : record_kernel(context, scan, view, commands, r, error);
}

// to += from, of which the words from `extremes` on are two maxima.
static void add_tally(uint32_t *to, const uint32_t *from, size_t words, size_t extremes)
{
    for (size_t i = 0; i < words; i++) {
        if (i == extremes || i == extremes + 1)
            to[i] = LG_MAX(to[i], from[i]);
        else
            to[i] += from[i];
    }
}

static void take_tallies(const lg_scan *scan, bool dense, bool stack, uint32_t *tallies,
                         lg_moments_state *out)
{
    const bool integer = is_integer(scan);
    const size_t words = tally_size(scan) / 4, all = tallies_size(scan) / 4;
    const size_t extremes =
        (integer ? offsetof(lg_integer_tally, low) : offsetof(lg_float_tally, low)) / 4;
    const size_t measured = (size_t)scan->measured, channels = (size_t)scan->channels;
    for (size_t i = all; i < all * tally_copies(scan); i += words)
        add_tally(tallies + i % all, tallies + i, words, extremes);
    for (size_t i = 0; i < (stack ? 1 : (size_t)scan->layers) * measured; i++)
        out[i] = lg_moments_state_empty(scan->type);
    for (size_t i = 0; i < all / words; i++) {
        const size_t layer = i / channels, channel = i % channels;
        const void *tally = tallies + i * words;
        if (channel >= measured)
            continue;
        const lg_moments_state state =
            integer ? lg_moments_integer_state(scan, dense, tally) : lg_moments_float_state(tally);
        lg_moments_state_merge(&out[(stack ? 0 : layer * measured) + channel], &state);
    }
}

static lg_status measure(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                         bool stack, lg_moments_state *out, lg_error *error)
{
    lg_workspace *work;
    recording r = {0};
    lg_status status = lg_workspace_get(context, &work, error);
    if (status)
        return status;
    lg_vk_begin(work->commands);
    lg_vk_timestamp(work->commands, 0);
    status = record(context, scan, view, work->commands, &r, error);
    lg_vk_timestamp(work->commands, 1);
    if (!status) {
        lg_workspace_record_readback(work, work->slot[LG_SCRATCH_TOTALS],
                                     tally_copies(scan) * tallies_size(scan));
        lg_workspace_clear_totals(work, &r.totals);
        status = lg_workspace_run(context, work, error);
    }
    if (!status)
        take_tallies(scan, r.dense, stack, work->slot[LG_SCRATCH_READBACK]->map, out);
    lg_device_view_close(context, &r.mask);
    return status;
}

// The parts of a float come out of additions that round to nearest.
static bool exact_floats(const lg_vk_limits *limits)
{
    return limits->rounding_rte;
}

lg_status lg_moments_vulkan(lg_context *context, const lg_scan *scan, bool stack,
                            lg_moments_state *out, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    if (!is_integer(scan) && !exact_floats(limits))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "this device does not promise to round to nearest");
    if ((uint64_t)scan->width * (uint64_t)scan->height > UINT32_MAX ||
        (uint32_t)scan->layers > limits->max_workgroups[1])
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "a layer of 2^32 pixels or more, or too many layers");
    lg_device_view view;
    context->report.upload = context->report.compute = context->report.download = -1;
    snprintf(context->report.variant, sizeof context->report.variant, "totals");
    lg_status status = lg_device_view_open(context, scan->image, scan->x, scan->y, &view, error);
    if (status)
        return status;
    status = measure(context, scan, &view, stack, out, error);
    lg_device_view_close(context, &view);
    return status;
}

// ---- for the next kernel ------------------------------------------------------------------------

lg_status lg_moments_reserve(lg_context *context, const lg_image_params *shape, lg_error *error)
{
    const size_t lines = (size_t)shape->layers * 4;
    lg_workspace *work;
    lg_vk_buffer *buffer;
    const lg_status status = lg_workspace_get(context, &work, error);
    return status ? status
                  : lg_workspace_slot(context, LG_SCRATCH_TOTALS,
                                      LG_MAX(lines * 4 * sizeof(lg_float_tally), (size_t)65536),
                                      &buffer, error);
}

bool lg_moments_stay(const lg_context *context, const lg_image_params *shape)
{
    const bool integer = shape->type == LG_U8 || shape->type == LG_U16;
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t pixels = (uint64_t)shape->width * (uint64_t)shape->height;
    return (integer || exact_floats(limits)) && pixels * (uint64_t)shape->layers <= UINT32_MAX &&
           (uint32_t)shape->layers * 4 <= LG_MIN(limits->max_workgroups[1], 4096u);
}

lg_status lg_moments_record(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                            lg_vk_commands *commands, lg_moments_device *out, lg_error *error)
{
    recording r = {0};
    const lg_status status = record(context, scan, view, commands, &r, error);
    out->integer = is_integer(scan);
    out->layer_words = (uint32_t)((size_t)scan->channels * tally_size(scan) / 4);
    out->totals = r.totals;
    return status;
}
