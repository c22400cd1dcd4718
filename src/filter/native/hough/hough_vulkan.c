// Lines by Hough's transform on a Vulkan device: edges become a list, whose votes for an angle are counted
// in shared memory; peaks become a list, whose first lines are taken one by one.
#include "device/workspace.h"
#include "filter/native/hough/hough.h"
#include "filter/native/native_vulkan.h"

#include <stdio.h>
#include <string.h>

extern const char lg_glsl_hough_points[], lg_glsl_hough_votes[], lg_glsl_hough_write[];
extern const char lg_glsl_hough_peaks[], lg_glsl_hough_list[];

#define ROWS 4096 // of distances that a workgroup counts

#define LOW(a)  (uint32_t)(a)
#define HIGH(a) (uint32_t)((a) >> 32)

// Lists of layers, and their lengths, which are 0 at first.
typedef struct lists {
    lg_vk_buffer *items, *lengths;
} lists;

static lg_status make_lists(lg_device_call *call, size_t bytes, int32_t layers, lists *out)
{
    const size_t lengths = (size_t)layers * sizeof(uint32_t);
    lg_status status = lg_device_scratch(call, bytes, &out->items);
    if (!status)
        status = lg_device_scratch(call, lengths, &out->lengths);
    if (!status) {
        lg_vk_fill(call->commands, out->lengths, 0, lengths, 0);
        lg_vk_barrier(call->commands);
    }
    return status;
}

static lg_status put(lg_device_call *call, const void *bytes, size_t size, lg_vk_buffer **out)
{
    lg_vk_buffer *host;
    lg_status status = lg_device_scratch_host(call, size, &host);
    if (!status)
        status = lg_device_scratch(call, size, out);
    if (status)
        return status;
    memcpy(host->map, bytes, size);
    lg_vk_copy(call->commands, host, 0, *out, 0, size);
    lg_vk_barrier(call->commands);
    return LG_OK;
}

static lg_status record(lg_device_call *call, const lg_native_glsl *text, const char *lines,
                        const uint32_t *words, uint32_t x, uint32_t y, uint32_t z)
{
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, text, views, 2, &pipeline, "%s", lines);
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, words, text->extra, x, y, z);
    lg_vk_barrier(call->commands);
    return status;
}

// ---- votes ----------------------------------------------------------------------------------------

static lg_status find_points(lg_device_call *call, const lists *points)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_native_glsl text = {.name = "hough_points",
                                 .text = lg_glsl_hough_points,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 6,
                                 .span = 4};
    const uint32_t words[] = {(uint32_t)s->height,           (uint32_t)s->layers,
                              LOW(points->items->address),   HIGH(points->items->address),
                              LOW(points->lengths->address), HIGH(points->lengths->address)};
    lg_vk_writes(call->commands, points->items->address, 0);
    lg_vk_adds(call->commands, points->lengths->address, 0);
    return record(call, &text, "", words, lg_native_groups(s->width, text.group_x),
                  lg_native_groups(s->height, text.group_y), lg_native_groups(s->layers, 1));
}

static lg_status count_votes(lg_device_call *call, const lg_hough_plan *plan, const lists *points,
                             lg_vk_buffer *votes)
{
    const lg_image_params *s = &call->in[0].shape;
    const size_t bytes = (size_t)plan->angles * sizeof *plan->table;
    lg_vk_buffer *table;
    const lg_status status = put(call, plan->table, bytes, &table);
    if (status)
        return status;
    const lg_native_glsl text = {.name = "hough_votes",
                                 .text = lg_glsl_hough_votes,
                                 .group_x = 256,
                                 .group_y = 1,
                                 .extra = 12,
                                 .span = 4};
    const uint32_t words[] = {(uint32_t)s->layers,
                              LOW(points->items->address),
                              HIGH(points->items->address),
                              LOW(points->lengths->address),
                              HIGH(points->lengths->address),
                              (uint32_t)s->width * (uint32_t)s->height,
                              LOW(table->address),
                              HIGH(table->address),
                              (uint32_t)plan->angles,
                              (uint32_t)plan->reach,
                              LOW(votes->address),
                              HIGH(votes->address)};
    char lines[40];
    snprintf(lines, sizeof lines, "#define ROWS %d\n", ROWS);
    lg_vk_reads(call->commands, points->items->address, 0);
    lg_vk_reads(call->commands, points->lengths->address, 0);
    lg_vk_reads(call->commands, table->address, bytes);
    lg_vk_writes(call->commands, votes->address, 0);
    return record(call, &text, lines, words, (uint32_t)(plan->rows + ROWS - 1) / ROWS,
                  lg_native_groups(plan->angles, 1), lg_native_groups(s->layers, 1));
}

static lg_status write_votes(lg_device_call *call, const lg_hough_plan *plan, lg_vk_buffer *votes)
{
    const lg_image_params *s = &call->out.shape;
    const lg_native_glsl text = {.name = "hough_write",
                                 .text = lg_glsl_hough_write,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 5,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    uint32_t unit;
    memcpy(&unit, &plan->unit, sizeof unit);
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers, LOW(votes->address),
                              HIGH(votes->address), unit};
    lg_vk_reads(call->commands, votes->address, 0);
    return record(call, &text, "", words,
                  lg_native_groups(s->width, (int64_t)text.group_x * text.span),
                  lg_native_groups(s->height, text.group_y), lg_native_groups(s->layers, 1));
}

lg_status lg_hough_transform_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const size_t pixels = (size_t)s->width * (size_t)s->height, layers = (size_t)s->layers;
    lg_hough_plan plan;
    lists points;
    lg_vk_buffer *votes;
    lg_status status = lg_hough_make(call->filter, call->values, s, &plan, call->error);
    if (!status)
        status = make_lists(call, pixels * layers * 4, s->layers, &points);
    if (!status)
        status = lg_device_scratch(
            call, (size_t)plan.angles * (size_t)plan.rows * layers * sizeof(uint32_t), &votes);
    if (!status)
        status = find_points(call, &points);
    if (!status)
        status = count_votes(call, &plan, &points, votes);
    if (!status)
        status = write_votes(call, &plan, votes);
    lg_free(plan.table);
    return status;
}

// ---- lines ----------------------------------------------------------------------------------------

static lg_status find_peaks(lg_device_call *call, const lists *peaks, uint32_t most)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_native_glsl text = {.name = "hough_peaks",
                                 .text = lg_glsl_hough_peaks,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 7,
                                 .span = 4};
    const uint32_t words[] = {(uint32_t)s->height,
                              (uint32_t)s->layers,
                              LOW(peaks->items->address),
                              HIGH(peaks->items->address),
                              LOW(peaks->lengths->address),
                              HIGH(peaks->lengths->address),
                              most};
    char lines[40];
    snprintf(lines, sizeof lines, "#define THRESHOLD %u\n",
             lg_native_index(call->filter, "threshold"));
    lg_vk_writes(call->commands, peaks->items->address, 0);
    lg_vk_adds(call->commands, peaks->lengths->address, 0);
    return record(call, &text, lines, words, lg_native_groups(s->width, text.group_x),
                  lg_native_groups(s->height, text.group_y), lg_native_groups(s->layers, 1));
}

static lg_status write_lines(lg_device_call *call, const lists *peaks, uint32_t most,
                             const lg_vk_buffer *directions)
{
    const lg_image_params *s = &call->out.shape;
    const lg_native_glsl text = {.name = "hough_list",
                                 .text = lg_glsl_hough_list,
                                 .group_x = 256,
                                 .group_y = 1,
                                 .extra = 9,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    const uint32_t words[] = {(uint32_t)s->width,
                              (uint32_t)s->layers,
                              LOW(peaks->items->address),
                              HIGH(peaks->items->address),
                              LOW(peaks->lengths->address),
                              HIGH(peaks->lengths->address),
                              most,
                              LOW(directions->address),
                              HIGH(directions->address)};
    char lines[40];
    snprintf(lines, sizeof lines, "#define STEP %u\n", lg_native_index(call->filter, "step"));
    lg_vk_reads(call->commands, peaks->items->address, 0);
    lg_vk_reads(call->commands, peaks->lengths->address, 0);
    lg_vk_reads(call->commands, directions->address, 0);
    return record(call, &text, lines, words, lg_native_groups(s->layers, 1), 1, 1);
}

lg_status lg_hough_lines_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    // No two neighbours are peaks.
    const uint32_t most = ((uint32_t)s->width / 2 + 1) * ((uint32_t)s->height / 2 + 1);
    float(*table)[2] = lg_hough_directions(s->width);
    lists peaks;
    lg_vk_buffer *directions;
    if (!table)
        return lg_fail_memory(call->error, (size_t)s->width * sizeof *table, "the angles of lines");
    lg_status status = make_lists(call, (size_t)most * 8 * (size_t)s->layers, s->layers, &peaks);
    if (!status)
        status = put(call, table, (size_t)s->width * sizeof *table, &directions);
    if (!status)
        status = find_peaks(call, &peaks, most);
    if (!status)
        status = write_lines(call, &peaks, most, directions);
    lg_free(table);
    return status;
}
