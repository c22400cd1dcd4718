// Boxes of .npy arrays as ranges along the axes of NumPy's shape: 1:3,0:4. The library counts axes from
// the last one of that shape.
#include "area_shapes.h"

#include <math.h>
#include <string.h>

int32_t lg_area_range_of(const lg_area_shapes *shapes, size_t index, int part, int axis)
{
    const size_t dims = (size_t)shapes->dims;
    return shapes->bounds[2 * dims * index + (part ? dims : 0) + (dims - 1 - (size_t)axis)];
}

const char *lg_area_ranges_text(const lg_area_shapes *shapes, size_t index, char *out)
{
    size_t used = 0;
    for (int axis = 0; axis < shapes->dims && used < LG_RANGES_SIZE; axis++)
        used += (size_t)snprintf(out + used, LG_RANGES_SIZE - used, "%s%d:%d", axis ? "," : "",
                                 lg_area_range_of(shapes, index, 0, axis),
                                 lg_area_range_of(shapes, index, 1, axis));
    return out;
}

void lg_area_range_columns(int dims, const char **out)
{
    static const char *const first[LG_AREA_DIMS] = {"first_0", "first_1", "first_2",
                                                    "first_3", "first_4", "first_5"},
                             *const end[LG_AREA_DIMS] = {"end_0", "end_1", "end_2",
                                                         "end_3", "end_4", "end_5"};
    for (int axis = 0; axis < dims; axis++) {
        out[axis] = first[axis];
        out[dims + axis] = end[axis];
    }
}

const char *lg_area_shape_text(const lg_area_array *array, char *out)
{
    size_t used = (size_t)snprintf(out, LG_RANGES_SIZE, "(");
    for (int d = array->dims - 1; d >= 0 && used < LG_RANGES_SIZE; d--)
        used += (size_t)snprintf(out + used, LG_RANGES_SIZE - used, "%lld%s",
                                 (long long)array->extent[d], d ? ", " : "");
    if (used < LG_RANGES_SIZE)
        snprintf(out + used, LG_RANGES_SIZE - used, array->dims == 1 ? ",)" : ")");
    return out;
}

// The boxes of the command line; open ranges end where the array does.
static void take_ranges(const lg_options *options, lg_area_shapes *shapes,
                        const lg_area_array *array)
{
    const int dims = shapes->dims;
    for (int i = 0; i < options->box_count; i++)
        for (int axis = 0; axis < dims; axis++) {
            const lg_option_box *box = &options->box[i];
            int32_t *bounds = shapes->bounds + 2 * dims * i;
            const int d = dims - 1 - axis;
            bounds[d] = (int32_t)box->first[axis];
            bounds[dims + d] = (int32_t)(box->side[axis] < 0 ? array->extent[d] : box->side[axis]);
        }
}

static lg_status check_range(const lg_area_shapes *shapes, const lg_area_array *array, size_t index,
                             int axis, lg_error *error)
{
    char box[LG_RANGES_SIZE], shape[LG_RANGES_SIZE], where[400] = "--box";
    const long long first = lg_area_range_of(shapes, index, 0, axis),
                    end = lg_area_range_of(shapes, index, 1, axis),
                    extent = (long long)array->extent[shapes->dims - 1 - axis];
    if (first >= 0 && first < end && end <= extent)
        return LG_OK;
    if (shapes->path)
        snprintf(where, sizeof where, "%.300s: line %lu: box",
                 strcmp(shapes->path, "-") == 0 ? "standard input" : shapes->path,
                 (unsigned long)shapes->line[index]);
    lg_area_ranges_text(shapes, index, box);
    lg_area_shape_text(array, shape);
    if (first >= end && first >= 0)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "%s %s is empty: axis %d of the shape %s ends at %lld", where, box,
                            axis, shape, extent);
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "%s %s reaches outside the array of shape %s: along axis %d, 0:%lld is "
                        "possible",
                        where, box, shape, axis, extent);
}

lg_status lg_area_ranges_fit(const lg_options *options, lg_area_shapes *shapes,
                             const lg_area_array *array, lg_error *error)
{
    char shape[LG_RANGES_SIZE];
    if (shapes->dims != array->dims)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "the array has the shape %s, %d ax%s; a box has %d range%s: one for "
                            "each axis is needed, as in 1:3,:,0:4",
                            lg_area_shape_text(array, shape), array->dims,
                            array->dims == 1 ? "is" : "es", shapes->dims,
                            shapes->dims == 1 ? "" : "s");
    if (!shapes->path)
        take_ranges(options, shapes, array);
    for (size_t i = 0; i < shapes->count; i++)
        for (int axis = 0; axis < shapes->dims; axis++) {
            const lg_status status = check_range(shapes, array, i, axis, error);
            if (status != LG_OK)
                return status;
        }
    return LG_OK;
}

// ---- samples ------------------------------------------------------------------------------------

static double half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double v = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                    : ldexp(fraction, -24);
    return half >> 15 ? -v : v;
}

static double sample_at(const void *at, lg_type type)
{
    float real;
    double wide;
    int32_t integer;
    uint16_t half;
    switch (type) {
    case LG_U8:
        return *(const uint8_t *)at;
    case LG_F32:
        memcpy(&real, at, sizeof real);
        return (double)real;
    case LG_F64:
        memcpy(&wide, at, sizeof wide);
        return wide;
    case LG_I32:
        memcpy(&integer, at, sizeof integer);
        return integer;
    default:
        memcpy(&half, at, sizeof half);
        return type == LG_U16 ? half : half_value(half);
    }
}

void lg_area_find_range(const lg_area_array *array, double *low, double *high)
{
    int64_t at[LG_AREA_DIMS] = {0};
    *low = *high = NAN;
    for (int d = 0; d < array->dims;) {
        const char *sample = array->data;
        for (int k = 0; k < array->dims; k++)
            sample += at[k] * array->stride[k];
        const double v = sample_at(sample, array->type);
        if (isfinite(v)) {
            *low = fmin(*low, v); // fmin and fmax leave NaN out
            *high = fmax(*high, v);
        }
        for (d = 0; d < array->dims && ++at[d] == array->extent[d]; d++)
            at[d] = 0;
    }
}
