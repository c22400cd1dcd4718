// Curves of Photoshop, .acv files: for each curve a list of control points. They become a table of one row
// for `lookup`, with the entries that `tone_curve` has for these points.
#include "core/spline.h"
#include "io/io_internal.h"

#include <string.h>

// Every number has two bytes, the higher first: a version (1 or 4), the count of curves; of each curve the
// count of its points, and of each point what comes out and what goes in, 0..255.
#define MOST_CURVES 64
#define MOST_POINTS 19
#define LONGEST     (2 * (2 + MOST_CURVES * (1 + 2 * MOST_POINTS)))
#define ENTRIES     1025

enum { WHOLE, RED, GREEN, BLUE, USED };

typedef struct reader {
    uint8_t bytes[LONGEST + 1];
    size_t size, at;
    int count; // of curves
    lg_spline curves[USED];
    lg_error *error;
} reader;

static bool number(reader *r, int *out)
{
    if (r->size - r->at < 2)
        return false;
    *out = r->bytes[r->at] << 8 | r->bytes[r->at + 1];
    r->at += 2;
    return true;
}

static lg_status fail_end(const reader *r, const char *what, int curve)
{
    return lg_fail(r->error, LG_ERROR_DATA,
                   "truncated: the file ends after %zu bytes, within %s %d", r->size, what, curve);
}

static lg_status read_points(reader *r, int curve, lg_spline *to)
{
    int in, out;
    for (int i = 0; i < to->count; i++) {
        if (!number(r, &out) || !number(r, &in))
            return fail_end(r, "the points of curve", curve);
        if (in > 255 || out > 255)
            return lg_fail(r->error, LG_ERROR_DATA,
                           "curve %d, point %d: %d to %d; allowed is 0 to 255", curve, i, in, out);
        to->x[i] = in / 255.0;
        to->y[i] = out / 255.0;
        if (i && to->x[i] <= to->x[i - 1])
            return lg_fail(r->error, LG_ERROR_DATA,
                           "curve %d, point %d: its input %d is not above that of the point before",
                           curve, i, in);
    }
    return LG_OK;
}

static lg_status read_curve(reader *r, int curve)
{
    lg_spline ignored, *to = curve < USED ? &r->curves[curve] : &ignored;
    if (!number(r, &to->count))
        return fail_end(r, "the head of curve", curve);
    if (to->count < 2 || to->count > MOST_POINTS)
        return lg_fail(r->error, LG_ERROR_DATA, "curve %d has %d points; allowed are 2 to %d",
                       curve, to->count, MOST_POINTS);
    const lg_status status = read_points(r, curve, to);
    if (!status)
        lg_spline_bend(to);
    return status;
}

// The curves that the file lacks change nothing.
static void fill(reader *r)
{
    for (int i = r->count; i < USED; i++) {
        r->curves[i] = (lg_spline){.count = 2, .x = {0, 1}, .y = {0, 1}};
        lg_spline_bend(&r->curves[i]);
    }
}

static lg_status read_all(reader *r)
{
    int version;
    if (!number(r, &version) || !number(r, &r->count))
        return fail_end(r, "the head, curve", 0);
    if (version != 1 && version != 4)
        return lg_fail(r->error, LG_ERROR_UNSUPPORTED,
                       "version %d of curve files; versions 1 and 4 are read", version);
    if (r->count < 1 || r->count > MOST_CURVES)
        return lg_fail(r->error, LG_ERROR_DATA, "%d curves; allowed are 1 to %d", r->count,
                       MOST_CURVES);
    lg_status status = LG_OK;
    for (int i = 0; i < r->count && !status; i++)
        status = read_curve(r, i);
    // Version 4 may go on with other data.
    if (!status && version == 1 && r->at != r->size)
        status =
            lg_fail(r->error, LG_ERROR_DATA, "%zu bytes behind the last curve", r->size - r->at);
    fill(r);
    return status;
}

static reader *open_reader(lg_input *input, lg_error *error)
{
    reader *r = lg_alloc(sizeof *r);
    if (r) {
        r->error = error;
        r->size = LG_MIN(lg_input_peek(input, LONGEST + 1), (size_t)LONGEST + 1);
        memcpy(r->bytes, input->buffer + input->begin, r->size);
    } else {
        lg_fail_memory(error, sizeof *r, "curves");
    }
    return r;
}

// There is no signature: all of it has to fit.
bool lg_acv_is(lg_input *input)
{
    const size_t size = lg_input_peek(input, 4);
    const uint8_t *head = input->buffer + input->begin;
    if (size < 4 || head[0] || (head[1] != 1 && head[1] != 4) || head[2] || !head[3] ||
        head[3] > MOST_CURVES)
        return false;
    lg_error ignored;
    reader *r = open_reader(input, &ignored);
    const bool fits = r && !read_all(r) && r->at == r->size;
    lg_free(r);
    return fits;
}

lg_status lg_acv_read(lg_context *context, lg_input *input, const lg_read_params *params,
                      lg_image **out, lg_read_info *info, lg_error *error)
{
    const lg_image_params shape = {.width = ENTRIES,
                                   .height = 1,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_F32,
                                   .alpha = LG_ALPHA_OPAQUE};
    reader *r = open_reader(input, error);
    if (!r)
        return LG_ERROR_MEMORY;
    lg_image *image = NULL;
    lg_status status = read_all(r);
    if (!status)
        status = lg_read_check(params, ENTRIES, 1, 1, error);
    if (!status)
        status = lg_image_create(context, &shape, &image, error);
    float *to = status ? NULL : image->data;
    for (int i = 0; to && i < ENTRIES; i++)
        for (int k = RED; k <= BLUE; k++)
            to[4 * i + k - RED] = (float)lg_spline_at(
                &r->curves[WHOLE], lg_spline_at(&r->curves[k], (double)i / (ENTRIES - 1)));
    lg_free(r);
    if (status)
        return status;
    snprintf(info->format, sizeof info->format, "acv");
    *out = image;
    return LG_OK;
}
