// Lists of straight lines, as the filter hough_lines writes them.
#include "device/dispatch.h"

#include <lumagraph/filter.h>
#include <math.h>

static lg_status check(const lg_image *list, int32_t layer, int32_t width, int32_t height,
                       const size_t *count, lg_error *error)
{
    if (!list || !count)
        return lg_fail_null(error, "a list of lines, and a place for their number");
    const lg_image_params *s = &list->shape;
    if (s->height != 1 || s->channels != 4 || s->type != LG_F32)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an image of %d x %d pixels with %d channels of %s is no list of lines; "
                       "hough_lines makes one row of four floats",
                       s->width, s->height, s->channels, lg_type_name(s->type));
    if (layer < 0 || layer >= s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT, "layer %d of a list of lines with %d", layer,
                       s->layers);
    if (width < 1 || height < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "lines of an image of %d x %d pixels", width,
                       height);
    return LG_OK;
}

// Cuts a line off where a coordinate, p + t d, leaves 0 .. size.
static void cut(double p, double d, double size, double *first, double *last)
{
    if (d == 0)
        return;
    const double a = -p / d, b = (size - p) / d;
    *first = fmax(*first, fmin(a, b));
    *last = fmin(*last, fmax(a, b));
}

static void find_ends(double c, double s, double d, int32_t width, int32_t height,
                      lg_straight_line *out)
{
    // The nearest point to the top left pixel, from that pixel's corner; the line goes on along (-s, c).
    const double x = d * c + 0.5, y = d * s + 0.5;
    double first = -INFINITY, last = INFINITY;
    cut(x, -s, width, &first, &last);
    cut(y, c, height, &first, &last);
    last = fmax(first, last);
    const double at[2] = {first, last};
    for (int k = 0; k < 2; k++) {
        float *to = k ? out->to : out->from;
        to[0] = (float)fmin(fmax((x - at[k] * s) / width, 0), 1);
        to[1] = (float)fmin(fmax((y + at[k] * c) / height, 0), 1);
    }
}

static lg_straight_line line_of(const float *v, int32_t width, int32_t height)
{
    const double c = (double)v[0], s = (double)v[1], d = (double)v[2];
    lg_straight_line line = {.angle = (float)atan2(s, c), .distance = v[2], .votes = v[3]};
    if (s == 0) {
        line.slope = INFINITY;
        line.intercept = (float)((2 * d * c + 1) / width - 1);
    } else {
        line.slope = (float)(-(c / s) * width / height);
        line.intercept = (float)((2 * (d - c * (width - 1) / 2) / s + 1) / height - 1);
    }
    find_ends(c, s, d, width, height, &line);
    return line;
}

lg_status lg_lines_read(const lg_image *list, int32_t layer, int32_t width, int32_t height,
                        lg_straight_line *out, size_t capacity, size_t *count, lg_error *error)
{
    lg_host_view view = {0};
    lg_status status = check(list, layer, width, height, count, error);
    if (!status && capacity && !out)
        status = lg_fail_null(error, "a place for lines");
    if (!status)
        status = lg_host_view_open(list, &view, error);
    if (status)
        return status;
    const lg_image *image = &view.image.image;
    const float *v = (const float *)(const void *)((const char *)image->data +
                                                   (size_t)layer * image->shape.layer_stride);
    size_t found = 0;
    for (int32_t i = 0; i < image->shape.width && v[4 * i + 3] > 0; i++, found++)
        if (found < capacity)
            out[found] = line_of(v + 4 * (size_t)i, width, height);
    lg_host_view_close(&view);
    *count = found;
    return LG_OK;
}
