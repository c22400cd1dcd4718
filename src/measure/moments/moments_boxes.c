// Moments of boxes in a region that is measured tile by tile. Saved: measure/accumulator.h, then how many
// boxes, x, y, width and height of each, and their sums as moments_file.c has them.
#include "measure/moments/moments_accumulator.h"

#include <string.h>

static const lg_saved_kind kind = {"LGBOXMOM", 1};

// ---- create -------------------------------------------------------------------------------------

static lg_status check_box(const lg_covered_region *r, const lg_region *b, size_t index,
                           lg_error *error)
{
    if (b->width < 1 || b->height < 1 || b->x < 0 || b->y < 0 || b->width > r->width ||
        b->height > r->height || b->x > r->width - b->width || b->y > r->height - b->height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "box %zu of %lldx%lld pixels at (%lld, %lld) is empty or leaves the region "
                       "of %lldx%lld",
                       index, (long long)b->width, (long long)b->height, (long long)b->x,
                       (long long)b->y, (long long)r->width, (long long)r->height);
    return LG_OK;
}

static lg_status allocate(const lg_covered_region *r, size_t count, lg_box_accumulator **out,
                          lg_error *error)
{
    lg_box_accumulator *a = lg_alloc(sizeof *a);
    if (!a)
        return lg_fail_memory(error, sizeof *a, "an accumulator");
    const size_t channels = (size_t)r->channels;
    a->region = *r;
    a->count = count;
    a->boxes = lg_alloc_array(count, sizeof *a->boxes);
    a->states =
        count <= SIZE_MAX / channels ? lg_alloc_array(count * channels, sizeof *a->states) : NULL;
    if (!a->boxes || !a->states) {
        lg_box_accumulator_destroy(&a);
        return lg_fail(error, LG_ERROR_MEMORY, "out of memory: the sums of %zu boxes", count);
    }
    for (size_t i = 0; i < count * channels; i++)
        a->states[i] = lg_moments_state_empty(r->type);
    *out = a;
    return LG_OK;
}

lg_status lg_box_accumulator_create(lg_type type, int channels, int64_t width, int64_t height,
                                    int64_t layers, const lg_region *boxes, size_t count,
                                    lg_box_accumulator **out, lg_error *error)
{
    lg_covered_region region;
    if (!boxes || !count || !out)
        return lg_fail_null(error, "one box or more, and a place for the accumulator");
    lg_status status =
        lg_covered_region_init(&region, type, channels, width, height, layers, error);
    for (size_t i = 0; i < count && !status; i++)
        status = check_box(&region, &boxes[i], i, error);
    if (!status)
        status = allocate(&region, count, out, error);
    if (!status)
        memcpy((*out)->boxes, boxes, count * sizeof *boxes);
    return status;
}

void lg_box_accumulator_destroy(lg_box_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_free((*accumulator)->boxes);
    lg_free((*accumulator)->states);
    lg_free(*accumulator);
    *accumulator = NULL;
}

// ---- add ----------------------------------------------------------------------------------------

// What of a tile that lies at (x, y) is in a box, as the tile's image has it. False: nothing.
static bool cut(const lg_region *box, const lg_scan *tile, int64_t x, int64_t y, lg_region *out)
{
    const int64_t left = LG_MAX(box->x, x), top = LG_MAX(box->y, y);
    const int64_t right = LG_MIN(box->x + box->width, x + tile->width),
                  bottom = LG_MIN(box->y + box->height, y + tile->height);
    *out = (lg_region){tile->x + left - x, tile->y + top - y, right - left, bottom - top};
    return left < right && top < bottom;
}

static lg_status measure_cut(lg_context *context, const lg_image *tile, const lg_select *select,
                             const lg_region *part, lg_moments_state *out, lg_error *error)
{
    lg_scan scan;
    lg_select of_part = *select;
    of_part.region = part;
    const lg_status status = lg_scan_init(&scan, tile, &of_part, error);
    return status ? status : lg_moments_of_tile(context, &scan, out, error);
}

// Nothing is added before everything is measured.
static lg_status measure_boxes(lg_context *context, const lg_box_accumulator *a,
                               const lg_image *tile, const lg_select *select, const lg_scan *scan,
                               int64_t x, int64_t y, lg_moments_state *more, lg_error *error)
{
    const size_t channels = (size_t)a->region.channels;
    lg_status status = LG_OK;
    for (size_t i = 0; i < a->count && !status; i++) {
        lg_region part;
        lg_moments_state *to = more + i * channels;
        for (size_t c = 0; c < channels; c++)
            to[c] = lg_moments_state_empty(a->region.type);
        if (cut(&a->boxes[i], scan, x, y, &part))
            status = measure_cut(context, tile, select, &part, to, error);
    }
    return status;
}

lg_status lg_box_accumulator_add(lg_context *context, lg_box_accumulator *a, const lg_image *tile,
                                 const lg_select *select, int64_t x, int64_t y, int64_t layer,
                                 lg_error *error)
{
    const lg_select all = lg_select_default();
    lg_scan scan;
    uint64_t covered;
    lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!a)
        return lg_fail_null(error, "an accumulator");
    status = lg_scan_init(&scan, tile, select, error);
    if (!status && scan.step != 1)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "step is %d; boxes are of every pixel, step 1",
                         scan.step);
    if (!status)
        status =
            lg_covered_region_check(&a->region, &scan, scan.measured, x, y, layer, &covered, error);
    if (status)
        return status;
    const size_t count = a->count * (size_t)a->region.channels;
    lg_moments_state *more = lg_alloc_array(count, sizeof *more);
    if (!more)
        return lg_fail_memory(error, count * sizeof *more, "the sums of boxes");
    status = measure_boxes(context, a, tile, select ? select : &all, &scan, x, y, more, error);
    for (size_t i = 0; i < count && !status; i++)
        lg_moments_state_merge(&a->states[i], &more[i]);
    if (!status)
        a->region.covered += covered;
    lg_free(more);
    return status;
}

// ---- merge and finish ---------------------------------------------------------------------------

lg_status lg_box_accumulator_merge(lg_box_accumulator *into, const lg_box_accumulator *from,
                                   lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    const lg_status status = lg_covered_region_check_merge(&into->region, &from->region, error);
    if (status)
        return status;
    if (into->count != from->count ||
        memcmp(into->boxes, from->boxes, into->count * sizeof *into->boxes) != 0)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "accumulators merge only with the same boxes in the same order");
    for (size_t i = 0; i < into->count * (size_t)into->region.channels; i++)
        lg_moments_state_merge(&into->states[i], &from->states[i]);
    into->region.covered += from->region.covered;
    return LG_OK;
}

lg_status lg_box_accumulator_finish(const lg_box_accumulator *a, lg_nan nan, lg_moments *out,
                                    size_t capacity, lg_error *error)
{
    if (!a || !out || capacity / (size_t)a->region.channels < a->count)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu figures; %zu boxes have one for each of their %d "
                       "channels",
                       out ? capacity : 0, a ? a->count : 0, a ? a->region.channels : 0);
    if ((unsigned)nan > LG_NAN_ERROR)
        return lg_fail(error, LG_ERROR_ARGUMENT, "NaN rule %d does not exist", (int)nan);
    const size_t count = a->count * (size_t)a->region.channels;
    lg_moments *figures = lg_alloc_array(count, sizeof *figures);
    lg_status status =
        figures ? LG_OK : lg_fail_memory(error, count * sizeof *figures, "the figures of boxes");
    for (size_t i = 0; i < count && !status; i++)
        status = lg_moments_finish(&a->states[i], nan, &figures[i], error);
    if (!status)
        memcpy(out, figures, count * sizeof *out);
    lg_free(figures);
    return status;
}

// ---- as bytes -----------------------------------------------------------------------------------

static bool saved_size(const lg_covered_region *r, uint64_t count, size_t *bytes)
{
    const size_t words = 4 + lg_moments_state_words(r->type) * (size_t)r->channels;
    return count <= SIZE_MAX / 16 && lg_size_mul((size_t)count, 8 * words, bytes) &&
           lg_size_add(*bytes, 8 * (LG_SAVED_HEADER + 2), bytes);
}

lg_status lg_box_accumulator_save(const lg_box_accumulator *a, void *data, size_t capacity,
                                  size_t *size, lg_error *error)
{
    uint8_t *at;
    size_t bytes = 0;
    if (!a || !size)
        return lg_fail_null(error, "an accumulator, and a size to fill");
    saved_size(&a->region, a->count, &bytes); // what is in memory fits
    const lg_status status =
        lg_saved_begin(&kind, &a->region, data, capacity, bytes, size, &at, error);
    if (status || !at)
        return status;
    lg_put64(&at, a->count);
    for (size_t i = 0; i < a->count; i++) {
        const lg_region *b = &a->boxes[i];
        const int64_t numbers[] = {b->x, b->y, b->width, b->height};
        for (int k = 0; k < 4; k++)
            lg_put64(&at, (uint64_t)numbers[k]);
    }
    for (size_t i = 0; i < a->count * (size_t)a->region.channels; i++)
        lg_moments_state_put(&at, &a->states[i]);
    lg_saved_end(data, at);
    return LG_OK;
}

static lg_status load(const uint8_t *at, const lg_covered_region *r, size_t count,
                      lg_box_accumulator **out, lg_error *error)
{
    lg_box_accumulator *a = NULL;
    lg_status status = allocate(r, count, &a, error);
    for (size_t i = 0; i < count && !status; i++) {
        int64_t numbers[4];
        for (int k = 0; k < 4; k++)
            numbers[k] = (int64_t)lg_get64(&at);
        a->boxes[i] = (lg_region){numbers[0], numbers[1], numbers[2], numbers[3]};
        if (check_box(r, &a->boxes[i], i, NULL))
            status = lg_saved_damaged(error, "a box is empty or leaves the region");
    }
    for (size_t i = 0; i < count * (size_t)r->channels && !status; i++)
        if (!lg_moments_state_get(&at, r->type, r->covered, &a->states[i]))
            status = lg_saved_damaged(error, "its sums contradict each other");
    if (status)
        lg_box_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}

lg_status lg_box_accumulator_load(const void *data, size_t size, lg_box_accumulator **out,
                                  lg_error *error)
{
    lg_covered_region r;
    const uint8_t *at;
    size_t bytes;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the accumulator");
    const lg_status status = lg_saved_open(&kind, data, size, &r, &at, error);
    if (status)
        return status;
    const uint64_t count = size > 8 * (LG_SAVED_HEADER + 1) ? lg_get64(&at) : 0;
    if (!count || !saved_size(&r, count, &bytes) || bytes != size)
        return lg_saved_damaged(error, "their number does not fit the header");
    return load(at, &r, (size_t)count, out, error);
}
