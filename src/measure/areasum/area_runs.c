// Runs of rows, and masks as runs.
#include "area_runs.h"

#include <string.h>

// ---- runs ---------------------------------------------------------------------------------------

static bool grow(lg_area_runs *runs)
{
    const size_t capacity = runs->capacity ? runs->capacity * 2 : 256;
    int32_t *larger = lg_alloc_array(capacity, LG_RUN_BOUNDS * sizeof *larger);
    if (!larger)
        return false;
    if (runs->used)
        memcpy(larger, runs->bounds, runs->used * LG_RUN_BOUNDS * sizeof *larger);
    lg_free(runs->bounds);
    runs->bounds = larger;
    runs->capacity = capacity;
    return true;
}

bool lg_area_runs_add(lg_area_runs *runs, int32_t row, int32_t first, int32_t end)
{
    int32_t *last = runs->used ? runs->bounds + LG_RUN_BOUNDS * (runs->used - 1) : NULL;
    if (last && last[1] == row && last[2] == first) {
        last[2] = end;
        return true;
    }
    if (runs->used == runs->capacity && !grow(runs))
        return false;
    const int32_t run[LG_RUN_BOUNDS] = {first, row, end, row + 1};
    memcpy(runs->bounds + LG_RUN_BOUNDS * runs->used++, run, sizeof run);
    return true;
}

lg_status lg_area_runs_check(int64_t width, int64_t height, lg_error *error)
{
    if (width < 1 || height < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an array of %lld x %lld elements; shapes need at least 1 x 1",
                       (long long)width, (long long)height);
    if (width > INT32_MAX || height > INT32_MAX)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "an array of %lld x %lld elements; shapes are for sides of up to %d",
                       (long long)width, (long long)height, INT32_MAX);
    return LG_OK;
}

lg_status lg_area_runs_finish(lg_area_runs *runs, bool good, int32_t **bounds, size_t *count,
                              lg_error *error)
{
    if (!good) {
        lg_free(runs->bounds);
        return lg_fail_memory(error, runs->capacity * 2 * LG_RUN_BOUNDS * sizeof *runs->bounds,
                              "the runs of a shape");
    }
    *bounds = runs->bounds;
    *count = runs->used;
    return LG_OK;
}

void lg_area_runs_free(int32_t **bounds)
{
    if (!bounds)
        return;
    lg_free(*bounds);
    *bounds = NULL;
}

const char *lg_area_winding_name(lg_area_winding winding)
{
    static const char *const names[] = {"even-odd", "non-zero"};
    return (unsigned)winding < LG_AREA_WINDINGS ? names[winding] : NULL;
}

// ---- masks --------------------------------------------------------------------------------------

static lg_status check_mask(const lg_image *mask, int64_t width, int64_t height, lg_error *error)
{
    if (mask && lg_image_check_adjacent(&mask->shape, "a mask", error))
        return LG_ERROR_ARGUMENT;
    if (!mask || !mask->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a mask needs pixels in host memory");
    const lg_image_params *shape = &mask->shape;
    if (shape->type != LG_U8 || shape->channels != 1 || shape->layers != 1)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "a mask of %d channel%s of %s in %d layer%s; it must be one channel of u8 in "
            "one layer",
            shape->channels, shape->channels == 1 ? "" : "s", lg_type_name(shape->type),
            shape->layers, shape->layers == 1 ? "" : "s");
    if (shape->width != width || shape->height != height)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the mask has %dx%d pixels; it must have %lldx%lld as the array",
                       shape->width, shape->height, (long long)width, (long long)height);
    return LG_OK;
}

static bool add_mask_row(lg_area_runs *runs, int32_t row, const uint8_t *samples, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        if (samples[x] == 0)
            continue;
        const uint8_t *zero = memchr(samples + x, 0, (size_t)(width - x));
        const int32_t end = zero ? (int32_t)(zero - samples) : width;
        if (!lg_area_runs_add(runs, row, x, end))
            return false;
        x = end;
    }
    return true;
}

lg_status lg_area_mask_runs(const lg_image *mask, int64_t width, int64_t height, int32_t **bounds,
                            size_t *count, lg_error *error)
{
    if (!bounds || !count)
        return lg_fail_null(error, "a place for the runs, and one for their number");
    lg_status status = lg_area_runs_check(width, height, error);
    if (status == LG_OK)
        status = check_mask(mask, width, height, error);
    if (status != LG_OK)
        return status;
    lg_area_runs runs = {0};
    bool good = true;
    for (int32_t row = 0; row < mask->shape.height && good; row++)
        good = add_mask_row(&runs, row,
                            (const uint8_t *)mask->data + (size_t)row * mask->shape.row_stride,
                            mask->shape.width);
    return lg_area_runs_finish(&runs, good, bounds, count, error);
}
