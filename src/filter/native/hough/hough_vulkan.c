// Lines by Hough's transform on a Vulkan device: edges become a list, whose votes for an angle are counted
// in shared memory; peaks become a list, whose first lines are taken one by one.
#include "filter/native/hough/hough.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_hough_points[], lg_glsl_hough_votes[], lg_glsl_hough_write[];
extern const char lg_glsl_hough_peaks[], lg_glsl_hough_list[];

#define ROWS 4096 // of distances that a workgroup counts

// Addresses of the lists of layers, and of their lengths, which are 0 at first.
typedef struct lists {
    uint64_t items, lengths;
} lists;

static lists make_lists(lg_device_call *call, size_t bytes, int32_t layers)
{
    const uint64_t items = lg_device_memory(call, bytes);
    return (lists){items, lg_device_zeros(call, (size_t)layers * sizeof(uint32_t))};
}

// ---- votes ----------------------------------------------------------------------------------------

static void find_points(lg_device_call *call, const lists *points)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_pass pass = {
        LG_PASS_TEXT(hough_points),
        .group_x = 64,
        .span = 4,
        .views = {&call->in[0], &call->out},
        .words =
            LG_WORDS(s->height, s->layers, LG_ADDRESS(points->items), LG_ADDRESS(points->lengths)),
        .writes = {points->items},
        .adds = {points->lengths},
        .groups = {lg_native_groups(s->width, 64), lg_native_groups(s->height, 4)}};
    lg_pass_run(call, &pass, "%s", "");
}

static void count_votes(lg_device_call *call, const lg_hough_plan *plan, const lists *points,
                        uint64_t votes)
{
    const lg_image_params *s = &call->in[0].shape;
    const uint64_t table =
        lg_device_upload(call, plan->table, (size_t)plan->angles * sizeof *plan->table);
    const lg_pass pass = {
        LG_PASS_TEXT(hough_votes),
        .group_x = 256,
        .group_y = 1,
        .span = 4,
        .views = {&call->in[0], &call->out},
        .words = LG_WORDS(s->layers, LG_ADDRESS(points->items), LG_ADDRESS(points->lengths),
                          (uint32_t)s->width * (uint32_t)s->height, LG_ADDRESS(table), plan->angles,
                          plan->reach, LG_ADDRESS(votes)),
        .reads = {points->items, points->lengths, table},
        .writes = {votes},
        .groups = {(uint32_t)(plan->rows + ROWS - 1) / ROWS, lg_native_groups(plan->angles, 1),
                   lg_native_groups(s->layers, 1)}};
    lg_pass_run(call, &pass, "#define ROWS %d\n", ROWS);
}

static void write_votes(lg_device_call *call, const lg_hough_plan *plan, uint64_t votes)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {
        LG_PASS_TEXT(hough_write), .span = LG_SPAN_WORDS, .views = {&call->in[0], &call->out},
        .words = LG_WORDS(s->height, s->layers, LG_ADDRESS(votes), lg_bits(plan->unit)),
        .reads = {votes}};
    lg_pass_run(call, &pass, "%s", "");
}

void lg_hough_transform_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const size_t pixels = (size_t)s->width * (size_t)s->height, layers = (size_t)s->layers;
    lg_hough_plan plan;
    call->status = lg_hough_make(call->filter, call->values, s, &plan, call->error);
    if (call->status)
        return;
    const lists points = make_lists(call, pixels * layers * 4, s->layers);
    const uint64_t votes =
        lg_device_memory(call, (size_t)plan.angles * (size_t)plan.rows * layers * sizeof(uint32_t));
    find_points(call, &points);
    count_votes(call, &plan, &points, votes);
    write_votes(call, &plan, votes);
    lg_free(plan.table);
}

// ---- lines ----------------------------------------------------------------------------------------

static void find_peaks(lg_device_call *call, const lists *peaks, uint32_t most)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_pass pass = {
        LG_PASS_TEXT(hough_peaks),
        .span = 4,
        .views = {&call->in[0], &call->out},
        .words = LG_WORDS(s->height, s->layers, LG_ADDRESS(peaks->items),
                          LG_ADDRESS(peaks->lengths), most),
        .writes = {peaks->items},
        .adds = {peaks->lengths},
        .groups = {lg_native_groups(s->width, 32), lg_native_groups(s->height, 4)}};
    lg_pass_run(call, &pass, "#define THRESHOLD %u\n", lg_native_index(call->filter, "threshold"));
}

static void write_lines(lg_device_call *call, const lists *peaks, uint32_t most,
                        uint64_t directions)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {LG_PASS_TEXT(hough_list),
                          .group_x = 256,
                          .group_y = 1,
                          .span = LG_SPAN_WORDS,
                          .views = {&call->in[0], &call->out},
                          .words =
                              LG_WORDS(s->width, s->layers, LG_ADDRESS(peaks->items),
                                       LG_ADDRESS(peaks->lengths), most, LG_ADDRESS(directions)),
                          .reads = {peaks->items, peaks->lengths, directions},
                          .groups = {lg_native_groups(s->layers, 1), 1, 1}};
    lg_pass_run(call, &pass, "#define STEP %u\n", lg_native_index(call->filter, "step"));
}

void lg_hough_lines_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    // No two neighbours are peaks.
    const uint32_t most = ((uint32_t)s->width / 2 + 1) * ((uint32_t)s->height / 2 + 1);
    const size_t bytes = (size_t)s->width * sizeof(float[2]);
    float(*table)[2] = lg_hough_directions(s->width);
    if (!table) {
        call->status = lg_fail_memory(call->error, bytes, "the angles of lines");
        return;
    }
    const lists peaks = make_lists(call, (size_t)most * 8 * (size_t)s->layers, s->layers);
    const uint64_t directions = lg_device_upload(call, table, bytes);
    find_peaks(call, &peaks, most);
    write_lines(call, &peaks, most, directions);
    lg_free(table);
}
