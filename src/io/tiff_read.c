// TIFF files become images: each sample on its way from the file to its pixel.
#include "io/metadata.h"
#include "io/tiff_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lg_tiff_is(const uint8_t *head, size_t size)
{
    return size >= 4 && (memcmp(head, "II\x2a\0", 4) == 0 || memcmp(head, "MM\0\x2a", 4) == 0 ||
                         memcmp(head, "II\x2b\0", 4) == 0 || memcmp(head, "MM\0\x2b", 4) == 0);
}

#ifdef LG_HAVE_TIFF

#define PROGRESS_ROWS 64

// ---- samples ------------------------------------------------------------------------------------

#define SPREAD(type)                                                                               \
    for (int64_t i = 0; i < count; i++)                                                            \
        memcpy((uint8_t *)to + (size_t)i * pixel,                                                  \
               (const uint8_t *)from + (size_t)i * sizeof(type), sizeof(type));

// Samples of one channel to every pixel from `to` on.
static void spread(const void *from, int64_t count, size_t sample, size_t pixel, void *to)
{
    if (sample == 1) {
        SPREAD(uint8_t)
    } else if (sample == 2) {
        SPREAD(uint16_t)
    } else {
        SPREAD(uint32_t)
    }
}

#undef SPREAD

static void look_up(const lg_tiff_job *j, const void *from, int64_t first, int64_t count, void *to)
{
    const lg_tiff_page *page = &j->page;
    bool low = true;
    for (size_t i = 0; i < (size_t)1 << page->bits; i++)
        low &= (page->colors[0][i] | page->colors[1][i] | page->colors[2][i]) < 256;
    for (int64_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            uint16_t index = page->bits <= 8 ? ((const uint8_t *)from)[first + i]
                                             : ((const uint16_t *)from)[first + i];
            const uint16_t color = page->colors[c][index];
            if (page->type == LG_U8)
                ((uint8_t *)to)[4 * i + c] = (uint8_t)(low ? color : color >> 8);
            else
                ((uint16_t *)to)[4 * i + c] = color;
        }
}

// CIE L*a*b*: a and b are signed in the bits of unsigned samples.
static void lab_to_f32(const lg_tiff_job *j, const void *from, int32_t first, size_t samples)
{
    const lg_tiff_page *page = &j->page;
    for (size_t i = 0; i < samples; i++) {
        const int32_t channel = first < 0 ? (int32_t)(i % (size_t)page->samples) : first;
        const bool sign = channel == 1 || channel == 2;
        if (page->bits == 8) {
            const uint8_t v = ((const uint8_t *)from)[i];
            j->floats[i] = sign ? (float)(int8_t)v : (float)v;
        } else {
            const uint16_t v = ((const uint16_t *)from)[i];
            j->floats[i] = sign ? (float)(int16_t)v : (float)v;
        }
    }
}

static lg_status store_samples(lg_tiff_job *j, const void *from, const lg_tiff_span *span,
                               void *row)
{
    const lg_image_params *shape = &j->image->shape;
    const size_t sample = lg_type_size(shape->type), pixel = sample * (size_t)shape->channels;
    uint8_t *to = (uint8_t *)row + (size_t)(span->x - j->window.x) * pixel;
    if (span->channel >= 0) {
        spread(from, span->count, sample, pixel, to + (size_t)span->channel * sample);
        return LG_OK;
    }
    memcpy(to, from, (size_t)span->count * (size_t)j->page.samples * sample);
    if (shape->alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(to, (size_t)span->count, sample);
    return LG_OK;
}

// How many samples are GDAL's value for "nothing was measured here", which is a sample like any other to
// everybody else.
static void count_no_data(lg_tiff_job *j, const lg_tiff_span *span, const void *row)
{
    const lg_image_params *s = &j->image->shape;
    const size_t pixel = lg_type_size(s->type) * (size_t)s->channels;
    const void *from = (const uint8_t *)row + (size_t)(span->x - j->window.x) * pixel;
    const int channels = lg_file_channels(s);
    if (!j->has_no_data)
        return;
    for (int64_t i = 0; i < span->count * s->channels; i++) {
        const int channel = (int)(i % s->channels);
        j->no_data_found += channel < channels && (span->channel < 0 || span->channel == channel) &&
                            lg_sample_at(from, s->type, (size_t)i) == j->no_data;
    }
}

// Channels that are layers.
static void store_apart(lg_tiff_job *j, const uint8_t *from, const lg_tiff_span *span)
{
    const size_t size = lg_type_size(j->image->shape.type), pixel = size * (size_t)j->page.samples;
    lg_tiff_span one = *span;
    one.channel = -1;
    for (int32_t k = 0; k < j->several; k++) {
        const int32_t sample = j->sample[j->layer + k];
        uint8_t *row = lg_image_row(j->image, j->into_layer + k, span->y - j->window.y);
        uint8_t *to = row + (size_t)(span->x - j->window.x) * size;
        if (span->channel >= 0 && span->channel != sample)
            continue;
        if (span->channel >= 0)
            memcpy(to, from, (size_t)span->count * size);
        for (int64_t i = 0; i < span->count && span->channel < 0; i++)
            memcpy(to + (size_t)i * size, from + (size_t)i * pixel + (size_t)sample * size, size);
        count_no_data(j, &one, row);
    }
}

static lg_status show_progress(const lg_tiff_job *j, const lg_tiff_span *span, lg_error *error)
{
    const double planes = j->page.planes ? j->page.samples : 1;
    const double plane = span->channel > 0 ? span->channel : 0;
    if (span->y % PROGRESS_ROWS != 0 || span->x != 0)
        return LG_OK;
    const double part = (plane + (double)span->y / (double)j->page.height) / planes;
    return lg_read_progress(j->params, (j->layer + part) / j->count, error);
}

// The part of a span in the window; *skipped pixels lie before it.
static lg_tiff_span clip(const lg_tiff_job *j, const lg_tiff_span *span, int64_t *skipped)
{
    lg_tiff_span out = *span;
    out.x = LG_MAX(span->x, j->window.x);
    *skipped = out.x - span->x;
    out.count = LG_MIN(span->x + span->count, j->window.x + j->window.width) - out.x;
    return out;
}

static lg_status take(void *priv, const lg_tiff_span *given, lg_error *error)
{
    lg_tiff_job *j = priv;
    const size_t each = (size_t)(given->channel < 0 ? j->page.samples : 1);
    const size_t samples = (size_t)given->count * each;
    int64_t skipped;
    const lg_tiff_span span = clip(j, given, &skipped);
    void *row = lg_image_row(j->image, j->into_layer, span.y - j->window.y);
    lg_status status = show_progress(j, given, error);
    if (status)
        return status;
    const void *from = given->stored;
    if (!lg_tiff_is_unpacked(&j->page)) {
        lg_tiff_unpack(&j->page, given->stored, samples, j->unpacked);
        from = j->unpacked;
    }
    if (j->page.palette) {
        look_up(j, from, skipped, span.count,
                (uint8_t *)row + (size_t)(span.x - j->window.x) * 4 * lg_type_size(j->page.type));
        count_no_data(j, &span, row);
        return LG_OK;
    }
    if (j->page.signed_ab)
        lab_to_f32(j, from, given->channel, samples);
    from = (const uint8_t *)from + (size_t)skipped * each * lg_tiff_unpacked_size(&j->page);
    if (j->page.signed_ab) {
        from = j->floats + (size_t)skipped * each;
    } else if (j->page.foreign != LG_FOREIGN_NONE) {
        status = lg_foreign_to_f32(&j->rounding, from, j->floats, (size_t)span.count * each, error);
        if (status != LG_OK)
            return status;
        from = j->floats;
    }
    if (j->page.apart) {
        store_apart(j, from, &span);
        return LG_OK;
    }
    status = store_samples(j, from, &span, row);
    count_no_data(j, &span, row);
    return status;
}

// ---- layers ----------------------------------------------------------------------------------

lg_image_params lg_tiff_job_shape(const lg_tiff_job *j)
{
    const lg_tiff_page *p = &j->page;
    return (lg_image_params){.width = (int32_t)p->width,
                             .height = (int32_t)p->height,
                             .layers = j->count,
                             .channels = p->apart           ? 1
                                         : p->channels == 3 ? 4
                                                            : p->channels,
                             .type = p->type,
                             .alpha = p->alpha};
}

lg_status lg_tiff_job_make_rows(lg_tiff_job *j, lg_error *error)
{
    const size_t samples = (size_t)j->page.width * (size_t)j->page.samples;
    j->rounding = (lg_rounding){.type = j->page.foreign, .allowed = j->params->convert};
    j->unpacked = lg_alloc_array(samples, sizeof(double));
    j->floats = lg_alloc_array(samples, sizeof *j->floats);
    if (!j->unpacked || !j->floats)
        return lg_fail_memory(error, samples * sizeof(double), "a row");
    return LG_OK;
}

// `several` layers that are channels of one directory.
static lg_status read_layers(lg_tiff_job *j, int32_t layer, int32_t several,
                             const lg_region *window, lg_image *into, int32_t into_layer,
                             lg_error *error)
{
    lg_status status = LG_OK;
    if (j->selected != j->chosen[layer])
        status = lg_tiff_select(j->tiff, j->chosen[layer], &j->page, error);
    j->selected = status ? -1 : j->chosen[layer];
    j->layer = layer;
    j->window = *window;
    j->image = into;
    j->into_layer = into_layer;
    j->several = several;
    j->page.plane = j->page.apart && several == 1 ? j->sample[layer] : -1;
    return status ? status : lg_tiff_job_decode(j, take, error);
}

lg_status lg_tiff_job_read(lg_tiff_job *j, int32_t layer, const lg_region *window, lg_image *into,
                           int32_t into_layer, lg_error *error)
{
    return read_layers(j, layer, 1, window, into, into_layer, error);
}

// Layers from this one on that are channels of the same directory, and are decoded together.
static int32_t count_together(const lg_tiff_job *j, int32_t layer)
{
    int32_t count = 1;
    while (j->page.apart && layer + count < j->count &&
           j->chosen[layer + count] == j->chosen[layer])
        count++;
    return count;
}

// ---- notes --------------------------------------------------------------------------------------

static lg_status find_no_data(lg_tiff_job *j, lg_error *error)
{
    const lg_tiff_directory *d = &j->tiff->list.directory[j->chosen[0]];
    char *text, *end;
    const lg_status status =
        lg_tiff_text(j->tiff, d->no_data, LG_MIN(d->no_data_size, 64), &text, error);
    if (!text)
        return status;
    const double value = strtod(text, &end);
    j->has_no_data = end != text && !isnan(value); // NaN is left out anyway
    j->no_data = j->page.type == LG_F32 ? (double)(float)value : value;
    j->no_data_stated = value;
    lg_free(text);
    return LG_OK;
}

void lg_tiff_job_note(const lg_tiff_job *j, bool counted, lg_read_info *info)
{
    char number[32] = "some";
    lg_rounding_note(&j->rounding, info);
    if (j->page.white_is_zero)
        lg_note(info, "0 is white in this file (MinIsWhite); samples are as stored, and the filter "
                      "color_invert makes 0 black");
    if (j->page.lab)
        lg_note(info, "CIE L*a*b* samples as stored: r, g, b stand for L, a, b");
    if (j->tiff->list.directory[j->chosen[0]].sensor)
        lg_note(info, "samples of a camera's sensor as stored, no picture yet");
    if (j->left_out > 0)
        lg_note(info, "smaller versions and masks of pages are left out (%d); --page N reads one",
                j->left_out);
    if (counted)
        snprintf(number, sizeof number, "%llu", (unsigned long long)j->no_data_found);
    if (j->no_data_found > 0)
        lg_note(info,
                "%s samples are %g, which the file declares to be no data (tag 42113), and are "
                "measured like others; a --mask leaves them out",
                number, j->no_data_stated);
}

// ---- a file -------------------------------------------------------------------------------------

lg_status lg_tiff_job_open(lg_tiff_job *j, lg_input *input, const lg_read_params *params,
                           lg_read_info *info, lg_error *error)
{
    *j = (lg_tiff_job){.params = params, .selected = -1};
    lg_status status = lg_tiff_open(input, &j->tiff, error);
    if (status == LG_OK)
        status = lg_tiff_job_choose(j, info, error);
    if (status == LG_OK)
        status = find_no_data(j, error);
    if (status == LG_OK)
        status = lg_tiff_job_make_rows(j, error);
    if (status != LG_OK)
        return status;
    snprintf(info->format, sizeof info->format, "tiff");
    info->cmyk = j->page.cmyk;
    info->lab = j->page.lab;
    return LG_OK;
}

lg_status lg_tiff_job_metadata(lg_tiff_job *j, lg_read_info *info, lg_error *error)
{
    lg_image_params shape = lg_tiff_job_shape(j);
    shape.layers = j->described;
    j->selected = -1;
    if (!j->params->metadata)
        return LG_OK;
    const lg_status status =
        lg_tiff_metadata(j->tiff, j->chosen[0], &shape, &info->metadata, error);
    if (status == LG_OK) {
        memcpy(info->metadata->axes, info->axes, sizeof info->axes);
        memcpy(info->metadata->pixel_size, info->pixel_size, sizeof info->pixel_size);
    }
    return status;
}

void lg_tiff_job_close(lg_tiff_job *j)
{
    lg_tiff_job_dismiss(j);
    lg_tiff_close(&j->tiff);
    lg_free(j->chosen);
    lg_free(j->sample);
    lg_free(j->unpacked);
    lg_free(j->floats);
}

lg_status lg_tiff_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error)
{
    lg_tiff_job j;
    lg_image *image = NULL;
    lg_status status = lg_tiff_job_open(&j, input, params, info, error);
    const lg_image_params shape = status ? (lg_image_params){0} : lg_tiff_job_shape(&j);
    const lg_region all = {0, 0, shape.width, shape.height};
    if (status == LG_OK)
        status = lg_image_create(context, &shape, &image, error);
    if (status == LG_OK)
        (void)lg_tiff_job_plan(&j, lg_pool_threads(context->pool));
    for (int32_t layer = 0, several; layer < shape.layers && status == LG_OK; layer += several) {
        several = count_together(&j, layer);
        status = read_layers(&j, layer, several, &all, image, layer, error);
    }
    if (status == LG_OK)
        status = lg_tiff_job_metadata(&j, info, error);
    if (status == LG_OK)
        lg_tiff_job_note(&j, true, info);
    if (status == LG_OK)
        *out = image;
    else
        lg_image_destroy(&image);
    lg_tiff_job_close(&j);
    return status;
}

#else

lg_status lg_tiff_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "TIFF, which this build does not read; build with libtiff");
}

#endif
