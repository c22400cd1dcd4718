// FAST-9 as the definition reads: every run of nine pixels of every circle.
#include "filter/native/fast_corner_detection/fast_corner_detection.h"

#include "filter/native/plain_sample.h"
#include "kernel/pixel_rule.h"

#include <math.h>

// Grey levels for 8-bit images, else 0 .. 1.
static float luminance(const lg_image *image, bool integer, int64_t x, int64_t y, int64_t z)
{
    const lg_image_params *s = &image->shape;
    const bool alpha = s->channels == 2 && s->alpha != LG_ALPHA_NONE;
    color c = {0, 0, 0, 1};
    c.r = lg_plain_sample(image, x, y, z, 0);
    c.g = s->channels == 1 || alpha ? c.r : lg_plain_sample(image, x, y, z, 1);
    c.b = s->channels == 1 || alpha ? c.r
          : s->channels == 4        ? lg_plain_sample(image, x, y, z, 2)
                                    : 0;
    if (integer)
        return (float)floor((13926 * round(c.r * 255.0) + 46885 * round(c.g * 255.0) +
                             4725 * round(c.b * 255.0) + 32768) /
                            65536);
    if (s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED) {
        c.a = lg_plain_sample(image, x, y, z, s->channels - 1);
        c = lg_straight(c);
    }
    const float l = lg_luminance(c);
    return isnan(l) ? 0 : fminf(fmaxf(l, -LG_FAST_LIMIT), LG_FAST_LIMIT);
}

static float score_at(const lg_fast_job *job, const float *luma, int64_t width, int64_t height,
                      int64_t x, int64_t y)
{
    static const int ring[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                    {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                    {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3)
        return 0;
    const float centre = luma[y * width + x];
    float best = 0;
    for (int start = 0; start < 16; start++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float min = INFINITY;
            for (int k = start; k < start + 9; k++) {
                const int *at = ring[k % 16];
                const float v = luma[(y + at[1]) * width + x + at[0]];
                const float difference = sign < 0 ? centre - v : v - centre;
                min = difference < min ? difference : min;
            }
            best = min > best ? min : best;
        }
    return best > (job->integer ? (float)job->threshold : job->real_threshold) ? best : 0;
}

static void write_pixel(const lg_image *image, int64_t x, int64_t y, int64_t z, float v)
{
    const lg_image_params *s = &image->shape;
    char *row = (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
    for (int c = 0; c < s->channels; c++) {
        const bool alpha = c == 3 || (c == 1 && s->channels == 2 && s->alpha != LG_ALPHA_NONE);
        const float w = alpha ? 1 : v;
        const size_t i = (size_t)x * (size_t)s->channels + (size_t)c;
        if (s->type == LG_U8)
            ((uint8_t *)row)[i] = (uint8_t)lg_to_unit(w, 255);
        else if (s->type == LG_U16)
            ((uint16_t *)row)[i] = (uint16_t)lg_to_unit(w, 65535);
        else if (s->type == LG_F16)
            ((uint16_t *)row)[i] = lg_float_to_half(w);
        else
            ((float *)row)[i] = w;
    }
}

static void do_layer(const lg_fast_job *job, const lg_native_call *call, float *luma, float *score,
                     int64_t z)
{
    const int64_t width = call->out->shape.width, height = call->out->shape.height;
    for (int64_t i = 0; i < width * height; i++)
        luma[i] = luminance(call->in[0], job->integer, i % width, i / width, z);
    for (int64_t i = 0; i < width * height; i++)
        score[i] = score_at(job, luma, width, height, i % width, i / width);
    for (int64_t i = 0; i < width * height; i++) {
        const int64_t x = i % width, y = i / width;
        bool kept = score[i] > 0;
        for (int64_t v = y - 1; v <= y + 1 && job->suppress; v++)
            for (int64_t u = x - 1; u <= x + 1; u++)
                if ((u != x || v != y) && u >= 0 && v >= 0 && u < width && v < height &&
                    score[v * width + u] >= score[i])
                    kept = false;
        float value = kept ? 1 : 0;
        if (job->write_score && kept)
            value = job->integer ? score[i] * LG_UNIT_U8 : score[i];
        write_pixel(call->out, x, y, z, value);
    }
}

lg_status lg_fast_ref(const lg_native_call *call)
{
    lg_fast_job job;
    lg_fast_set_up(&job, call);
    const size_t count = (size_t)call->out->shape.width * (size_t)call->out->shape.height;
    float *luma = lg_alloc_array(count, sizeof *luma),
          *score = lg_alloc_array(count, sizeof *score);
    for (int64_t z = 0; z < call->out->shape.layers && luma && score; z++)
        do_layer(&job, call, luma, score, z);
    const bool fine = luma && score;
    lg_free(luma);
    lg_free(score);
    return fine ? LG_OK : LG_ERROR_MEMORY;
}
