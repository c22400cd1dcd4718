// Images of other sizes: the entry, and the tiles of the CPU.
#include "filter/native/geometry/resize.h"

#include "cpu/cpu.h"
#include "filter/native/planes.h"

#include <math.h>

LG_CPU_DECLARE(lg_pixel_tiles, resize);

#define PARAMETERS(X)                                                                              \
    X(INTEGER, width, "px", 0, 0, 16777216, "of the result; 0: what keeps the shape")              \
    X(INTEGER, height, "px", 0, 0, 16777216, "of the result; 0: what keeps the shape")             \
    X(NUMBER, scale, "", 1, 0.0001f, 1000, "of both sides, where no width and no height is given") \
    X(CHOICE, fit, 0, "stretch|inside|cover",                                                      \
      "into width and height: both exactly; as large as goes into them; all of them covered, "     \
      "what "                                                                                      \
      "lies beyond is cut off")                                                                    \
    X(CHOICE, method, 2, "nearest|bilinear|bicubic|lanczos3|area", "how pixels are weighed")       \
    X(FLAG, antialias, 1, "the weights reach further where the image becomes smaller")             \
    X(CHOICE, light, 0, "stored|linear",                                                           \
      "what is mixed: samples as they are, or linear light of sRGB")                               \
    X(NUMBER, scale_x, "", 0, 0, 1000, "of the width alone, in place of scale; 0: scale")          \
    X(NUMBER, scale_y, "", 0, 0, 1000, "of the height alone, in place of scale; 0: scale")

enum { WIDTH, HEIGHT, SCALE, FIT, METHOD, ANTIALIAS, LIGHT, SCALE_X, SCALE_Y };
enum { FIT_STRETCH, FIT_INSIDE, FIT_COVER };

// ---- sizes --------------------------------------------------------------------------------------

// a b / c, rounded to nearest, at least 1.
static int64_t in_proportion(int64_t a, int64_t b, int64_t c)
{
    return LG_MAX((2 * a * b + c) / (2 * c), 1);
}

static void size_of(const float *values, const lg_image_params *in, int64_t *width, int64_t *height)
{
    const int64_t w = in->width, h = in->height;
    *width = (int64_t)values[WIDTH];
    *height = (int64_t)values[HEIGHT];
    const bool inside = (int)values[FIT] == FIT_INSIDE && *width && *height;
    if (!*width && !*height) {
        const float across = values[SCALE_X] > 0 ? values[SCALE_X] : values[SCALE];
        const float down = values[SCALE_Y] > 0 ? values[SCALE_Y] : values[SCALE];
        *width = (int64_t)fmax(floor((double)w * (double)across + 0.5), 1);
        *height = (int64_t)fmax(floor((double)h * (double)down + 0.5), 1);
    } else if (!*height || (inside && *width * h <= *height * w)) {
        *height = in_proportion(h, *width, w);
    } else if (!*width || inside) {
        *width = in_proportion(w, *height, h);
    }
}

static lg_status resize_shape(float *values, lg_image_params *shape, lg_error *error)
{
    int64_t width, height;
    size_of(values, shape, &width, &height);
    if (width > INT32_MAX || height > INT32_MAX)
        return lg_fail(error, LG_ERROR_LIMIT, "resize: %lld x %lld pixels are too many",
                       (long long)width, (long long)height);
    shape->width = (int32_t)width;
    shape->height = (int32_t)height;
    return LG_OK;
}

// The middle part of each axis that has the shape of the output.
static void cover(lg_resize *r)
{
    const int64_t w = r->axis[0].size, h = r->axis[1].size;
    const int64_t width = r->axis[0].count, height = r->axis[1].count;
    const int cut = width * h >= height * w ? 1 : 0;
    lg_resize_range *part = &r->part[cut];
    part->length =
        cut ? (double)(height * w) / (double)width : (double)(width * h) / (double)height;
    part->from = ((double)r->axis[cut].size - part->length) / 2;
}

lg_resize lg_resize_of(const lg_filter *filter, const float *values, const lg_image_params *in,
                       const lg_image_params *out)
{
    lg_resize r = {.method = (lg_resize_method)values[METHOD],
                   .antialias = values[ANTIALIAS] > 0,
                   .linear = values[LIGHT] > 0,
                   .columns_first = out->height < in->height,
                   .axis = {{.size = in->width, .count = out->width},
                            {.size = in->height, .count = out->height}}};
    for (int k = 0; k < 2; k++)
        r.part[k].length = r.axis[k].size;
    if ((int)values[FIT] == FIT_COVER && values[WIDTH] > 0 && values[HEIGHT] > 0)
        cover(&r);
    return r;
}

static lg_row_reach resize_reach(const lg_filter *filter, const float *values,
                                 const lg_image_params *in)
{
    int64_t width, height;
    size_of(values, in, &width, &height);
    const lg_image_params out = {.width = (int32_t)width, .height = (int32_t)height};
    const lg_resize r = lg_resize_of(filter, values, in, &out);
    const lg_resize_range *part = &r.part[1];
    const double ratio = part->length / (double)height;
    const int64_t kernel = (int64_t)ceil(3 * (r.antialias ? fmax(ratio, 1) : 1));
    // Rows are made of several at a time, and places are rounded.
    const int64_t reach = lg_resize_moves(&r) ? 1 : kernel + 1 + LG_RESIZE_LANES;
    const int64_t cut = (int64_t)part->from;
    return part->length < in->height
               ? lg_row_reach_scaled(reach - cut, reach + cut, in->width, width)
               : lg_row_reach_scaled(reach, reach, in->height, height);
}

// ---- nearest ------------------------------------------------------------------------------------

static void nearest_axis(int32_t *to, const lg_resize_axis *axis, const lg_resize_range *part)
{
    for (int32_t i = 0; i < axis->count; i++) {
        const double at =
            part->from + (2 * (double)i + 1) * part->length / (2 * (double)axis->count);
        to[i] = (int32_t)fmin(fmax(floor(at), 0), axis->size - 1);
    }
}

void lg_resize_nearest(const lg_filter *filter, const float *values, const lg_image_params *in,
                       lg_rearrangement *r)
{
    const lg_image_params out = {.width = r->width, .height = r->height};
    const lg_resize resize = lg_resize_of(filter, values, in, &out);
    nearest_axis(r->across, &resize.axis[0], &resize.part[0]);
    nearest_axis(r->down, &resize.axis[1], &resize.part[1]);
}

bool lg_resize_moves(const lg_resize *r)
{
    bool same = true;
    for (int k = 0; k < 2; k++)
        same = same && r->axis[k].size == r->axis[k].count &&
               r->part[k].length == (double)r->axis[k].size;
    return same || r->method == LG_RESIZE_NEAREST;
}

// ---- tiles --------------------------------------------------------------------------------------

#define RING_MOST   16        // rows of the input that are kept for several rows of the output
#define STRIP_BYTES (1 << 20) // of scratch memory, about
#define BAND_PIXELS 131072

size_t lg_resize_scratch(const lg_resize_job *job)
{
    const size_t row = (size_t)LG_MAX(job->across, job->strip) + LG_RESIZE_LANES;
    const size_t rows = (size_t)(job->ring + 2) * (size_t)job->planes + LG_RESIZE_LANES;
    return rows * row + (size_t)LG_RESIZE_LANES * LG_RESIZE_CHUNK;
}

int32_t lg_resize_widest(const lg_resize_axis *axis, int32_t strip)
{
    int32_t most = 1, first, end;
    for (int32_t x = 0; x < axis->count; x += strip) {
        lg_resize_reach(axis, x, LG_MIN(x + strip, axis->count), &first, &end);
        most = LG_MAX(most, end - first);
    }
    return most;
}

static lg_resize_job job_of(const lg_resize *r, const lg_image_params *in)
{
    const lg_pixels pixels = {.channels = in->channels, .type = in->type, .alpha = in->alpha};
    lg_resize_job job = {.r = r, .planes = lg_plane_count(&pixels)};
    job.lanes = job.planes == 3 ? 4 : job.planes;
    job.rows = LG_RESIZE_LANES / job.lanes;
    const int32_t kept = r->axis[1].kept;
    job.ring = !r->columns_first ? kept + job.rows : kept <= RING_MOST ? kept : 0;
    job.strip = r->axis[0].count;
    job.across = lg_resize_widest(&r->axis[0], job.strip);
    while (job.strip > 64 && lg_resize_scratch(&job) * sizeof(float) > STRIP_BYTES) {
        job.strip = (int32_t)lg_align_up((size_t)LG_MAX(job.strip / 2, 1), 64);
        job.across = lg_resize_widest(&r->axis[0], job.strip);
    }
    return job;
}

static lg_status resize_floats(const lg_native_call *call, const lg_resize *r)
{
    lg_resize_job job = job_of(r, &call->in[0]->shape);
    job.stage = lg_stage_get(call->context->cpu_level);
    lg_pixel_tiles tiles = *LG_CPU_SELECT(resize, call->context->cpu_level);
    tiles.job = &job;
    tiles.strip = job.strip;
    tiles.band = LG_MAX(BAND_PIXELS / job.strip, 2 * job.rows);
    tiles.scratch = lg_resize_scratch(&job) * sizeof(float);
    return lg_pixel_tiles_run(call, &tiles);
}

static lg_status resize_cpu(const lg_native_call *call)
{
    const lg_image_params *in = &call->in[0]->shape, *out = &call->out->shape;
    lg_resize r = lg_resize_of(call->filter, call->values, in, out);
    if (lg_resize_moves(&r))
        return lg_rearrange_cpu(call, lg_resize_nearest);
    const lg_resize_scale scale = lg_resize_known_scale(&r, in, out);
    if (scale)
        return lg_resize_scaled_cpu(call, scale);
    const lg_status status = lg_resize_weigh(&r, in, out, call->kept, call->error);
    return status ? status : r.bytes ? lg_resize_bytes_cpu(call, &r) : resize_floats(call, &r);
}

// ---- the entry ----------------------------------------------------------------------------------

static double resize_cost(const lg_filter *filter, const float *values)
{
    static const double by_method[] = {0.3, 1, 2, 3, 1};
    return by_method[(int)values[METHOD]] * (values[LIGHT] > 0 ? 4 : 1);
}

LG_ROWS(resize)

static const lg_native resize_native = {.cpu = resize_cpu,
                                        .vulkan = LG_VULKAN(lg_resize_vulkan),
                                        .recorded = "width height scale fit method antialias light "
                                                    "scale_x scale_y",
                                        .reach = resize_reach,
                                        .by_rows = true,
                                        .drop = lg_resize_drop,
                                        .cost = resize_cost};

LG_NATIVE_FILTER_SHAPED(
    resize, &resize_native, resize_shape, 1, .summary = "the image at another size",
    .formula = "c'(x, y) = sum of w(x, i) v(y, j) c(i, j) / sum of w v; w(x, i) = k((i + 1/2 - "
               "(x + 1/2) W / W') / s), s = max(1, W / W'); v likewise",
    .source = "Image.resize of Pillow; GPUImageLanczosResamplingFilter",
    .notes = "bicubic is Keys' kernel with a = -1/2; area weighs pixels by how much of them is "
             "covered. Weights beyond the edge are left out",
    .neutral = "width=0:height=0:scale=1:scale_x=0:scale_y=0");
