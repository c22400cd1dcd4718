// Arrays of area sums: their layout, and what is refused.
#include "measure/areasum/areasum_planes.h"

void lg_area_array_pack(lg_area_array *array)
{
    if (!array)
        return;
    int64_t step = (int64_t)lg_type_size(array->type) * array->channels;
    for (int d = 0; d < LG_AREA_DIMS; d++) {
        array->stride[d] = d < array->dims ? step : 0;
        if (d >= array->dims)
            array->extent[d] = 1;
        else if (__builtin_mul_overflow(step, array->extent[d], &step))
            step = INT64_MAX; // refused with the extents
    }
}

lg_status lg_area_array_of_image(const lg_image *image, lg_area_array *out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the array");
    if (image && lg_image_check_adjacent(&image->shape, "what is summed", error))
        return LG_ERROR_ARGUMENT;
    if (!image || !image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "area sums need an image with host memory");
    const lg_image_params *s = &image->shape;
    lg_area_array array = {
        .data = image->data,
        .type = s->type,
        .dims = s->layers > 1 ? 3 : 2,
        .channels = lg_image_measured_channels(s),
        .extent = {s->width, s->height, s->layers, 1, 1, 1},
        .stride = {(int64_t)lg_pixel_size(s), (int64_t)s->row_stride, (int64_t)s->layer_stride}};
    *out = array;
    return LG_OK;
}

// Whether a pointer behind the last element of every axis fits the address space.
static bool strides_fit(const lg_area_array *array)
{
    int64_t all = 0, axis;
    for (int d = 0; d < array->dims; d++)
        if (__builtin_mul_overflow(array->stride[d], array->extent[d], &axis) ||
            __builtin_add_overflow(all, axis, &all))
            return false;
    const int64_t pixel = (int64_t)lg_type_size(array->type) * array->channels;
    return !__builtin_add_overflow(all, pixel, &all) &&
           (uint64_t)all <= UINTPTR_MAX - (uintptr_t)array->data;
}

lg_status lg_area_array_check(const lg_area_array *array, size_t *elements, lg_error *error)
{
    if (!array || !array->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "area sums need an array with data");
    if ((unsigned)array->type >= LG_ARRAY_TYPES)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown element type %d", (int)array->type);
    if (array->dims < 1 || array->dims > LG_AREA_DIMS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an array of %d dimensions; area sums take 1 to %d", array->dims,
                       LG_AREA_DIMS);
    if (array->channels < 1 || array->channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d channels; area sums take 1 to %d",
                       array->channels, LG_MAX_CHANNELS);
    *elements = 1;
    for (int d = 0; d < array->dims; d++) {
        if (array->extent[d] < 1 || array->extent[d] > INT32_MAX)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "axis %d of the array has %lld elements; 1 to %d are possible", d,
                           (long long)array->extent[d], INT32_MAX);
        if (array->stride[d] < 0)
            return lg_fail(error, LG_ERROR_ARGUMENT, "the stride of axis %d is negative", d);
        if (!lg_size_mul(*elements, (size_t)array->extent[d], elements) || *elements > UINT32_MAX)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "area sums take arrays of less than 2^32 elements");
    }
    if (!strides_fit(array))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the strides of the array lead out of the address space");
    return LG_OK;
}
