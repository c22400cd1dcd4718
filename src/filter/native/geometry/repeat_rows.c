// The image several times below itself.
#include "filter/native/geometry/rearrange.h"

static void repeat_rows_fill(const lg_filter *filter, const float *values,
                             const lg_image_params *in, lg_rearrangement *r)
{
    lg_rearrange_line(r->across, r->width, 0, 1);
    for (int32_t y = 0; y < r->height; y += in->height)
        lg_rearrange_line(r->down + y, in->height, 0, 1);
}

static lg_row_reach repeat_rows_reach(const lg_filter *filter, const float *values,
                                      const lg_image_params *in)
{
    return lg_row_reach_whole("rows are repeated");
}

static lg_status repeat_rows_shape(float *values, lg_image_params *shape, lg_error *error)
{
    const int64_t height = shape->height * (int64_t)values[0];
    if (height > INT32_MAX)
        return lg_fail(error, LG_ERROR_LIMIT, "repeat_rows: %lld rows are too many",
                       (long long)height);
    shape->height = (int32_t)height;
    return LG_OK;
}

#define PARAMETERS(X) X(INTEGER, times, "", 3, 1, 64, "how often the image stands there")

LG_REARRANGE(repeat_rows, "times", repeat_rows_reach)

LG_NATIVE_FILTER_SHAPED(repeat_rows, &repeat_rows_native, repeat_rows_shape, 1,
                        .summary = "the image several times below itself",
                        .formula = "c'(x, y) = c(x, y mod H), of times H rows",
                        .source = "ours: a step of nn_tensor_pack",
                        .notes = "every sample is copied as it is stored", .neutral = "times=1");
