// TIFF files become images: which of a file's images are its layers, and each sample on its way
// from the file to its pixel.
#include "io/description.h"
#include "io/tiff.h"

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

typedef struct job {
    lg_tiff *tiff;
    const lg_read_params *params;
    int32_t *chosen; // directories, one for each layer
    int32_t count, left_out;
    lg_tiff_page page; // of the layer at work
    int32_t layer;
    lg_image *image;
    lg_rounding rounding;
    void *unpacked; // a row of samples of whole bytes
    float *floats;  // a row of what they become
} job;

// ---- which images -------------------------------------------------------------------------------

static lg_status refuse_previews(const lg_tiff_list *list, lg_error *error)
{
    const int last = list->count - 1;
    if (list->raw)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "a raw photograph: a raw converter (dcraw, darktable, RawTherapee) makes a "
                       "picture of its samples; --page N (0 to %d) reads one of its images as it "
                       "is stored, previews and sensor alike",
                       last);
    if (list->directory[0].reduced)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "its first image says that it is a smaller version of another one "
                       "(NewSubfileType 1), as previews are; --page N (0 to %d) reads one of them",
                       last);
    return LG_OK;
}

// All pages but smaller versions and masks of others, or the one that is asked for.
static lg_status choose(job *j, lg_error *error)
{
    const lg_tiff_list *list = &j->tiff->list;
    const int32_t page = j->params->page;
    if (page >= list->count)
        return lg_fail_page(error, page, list->count);
    lg_status status = page < 0 ? refuse_previews(list, error) : LG_OK;
    if (status != LG_OK)
        return status;
    const size_t bytes = (size_t)list->pages * sizeof *j->chosen;
    j->chosen = lg_alloc(bytes);
    if (!j->chosen)
        return lg_fail_memory(error, bytes, "a list of pages");
    for (int32_t i = 0; i < list->pages && page < 0; i++)
        if (i == 0 || (!list->directory[i].reduced && !list->directory[i].mask))
            j->chosen[j->count++] = i;
    j->left_out = page < 0 ? list->pages - j->count : 0;
    if (page >= 0)
        j->chosen[j->count++] = page;
    return LG_OK;
}

// ---- what the file says beside the samples ------------------------------------------------------

// ImageJ writes stacks above 4 GB as one page with the others behind its samples.
static lg_status check_stack(const job *j, int64_t images, lg_error *error)
{
    const lg_tiff_page *p = &j->page;
    const double bytes = (double)p->width * (double)p->height * p->samples * p->bits / 8;
    if (j->params->page >= 0 || images <= j->tiff->list.pages ||
        bytes * (double)images > (double)j->tiff->source.size)
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "ImageJ states %lld images and the file has %d pages: the others have no "
                   "directories; save it as OME-TIFF, or read the first with --page 0",
                   (long long)images, j->tiff->list.pages);
}

static lg_status read_description(const job *j, lg_read_info *info, lg_error *error)
{
    const lg_tiff_directory *first = &j->tiff->list.directory[0];
    char *text;
    int64_t images;
    const lg_status status = lg_tiff_text(j->tiff, first->text, first->text_size, &text, error);
    if (!text)
        return status;
    lg_description_read(text, j->page.channels, j->count, info, &images);
    lg_free(text);
    return check_stack(j, images, error);
}

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

static void look_up(const job *j, int64_t count, void *to)
{
    const lg_tiff_page *page = &j->page;
    bool low = true;
    for (size_t i = 0; i < (size_t)1 << page->bits; i++)
        low &= (page->colors[0][i] | page->colors[1][i] | page->colors[2][i]) < 256;
    for (int64_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            uint16_t index = page->bits <= 8 ? ((const uint8_t *)j->unpacked)[i]
                                             : ((const uint16_t *)j->unpacked)[i];
            const uint16_t color = page->colors[c][index];
            if (page->type == LG_U8)
                ((uint8_t *)to)[4 * i + c] = (uint8_t)(low ? color : color >> 8);
            else
                ((uint16_t *)to)[4 * i + c] = color;
        }
}

// CIE L*a*b*: a and b are signed in the bits of unsigned samples.
static void lab_to_f32(const job *j, int32_t first, size_t samples)
{
    const lg_tiff_page *page = &j->page;
    for (size_t i = 0; i < samples; i++) {
        const int32_t channel = first < 0 ? (int32_t)(i % (size_t)page->samples) : first;
        const bool sign = channel == 1 || channel == 2;
        if (page->bits == 8) {
            const uint8_t v = ((const uint8_t *)j->unpacked)[i];
            j->floats[i] = sign ? (float)(int8_t)v : (float)v;
        } else {
            const uint16_t v = ((const uint16_t *)j->unpacked)[i];
            j->floats[i] = sign ? (float)(int16_t)v : (float)v;
        }
    }
}

static lg_status store_samples(job *j, const void *from, const lg_tiff_span *span, void *row)
{
    const lg_image_params *shape = &j->image->shape;
    const size_t sample = lg_type_size(shape->type), pixel = sample * (size_t)shape->channels;
    uint8_t *to = (uint8_t *)row + (size_t)span->x * pixel;
    if (span->channel >= 0) {
        spread(from, span->count, sample, pixel, to + (size_t)span->channel * sample);
        return LG_OK;
    }
    memcpy(to, from, (size_t)span->count * (size_t)j->page.samples * sample);
    if (shape->alpha == LG_ALPHA_OPAQUE)
        lg_expand_rgb(to, (size_t)span->count, sample);
    return LG_OK;
}

static lg_status show_progress(const job *j, const lg_tiff_span *span, lg_error *error)
{
    const double planes = j->page.planes ? j->page.samples : 1;
    const double plane = span->channel > 0 ? span->channel : 0;
    if (span->y % PROGRESS_ROWS != 0 || span->x != 0)
        return LG_OK;
    const double part = (plane + (double)span->y / (double)j->page.height) / planes;
    return lg_read_progress(j->params, (j->layer + part) / j->count, error);
}

static lg_status take(void *priv, const lg_tiff_span *span, lg_error *error)
{
    job *j = priv;
    const size_t samples = (size_t)span->count * (size_t)(span->channel < 0 ? j->page.samples : 1);
    void *row = lg_image_row(j->image, j->layer, span->y);
    const void *from = j->unpacked;
    lg_status status = show_progress(j, span, error);
    if (status)
        return status;
    lg_tiff_unpack(&j->page, span->stored, samples, j->unpacked);
    if (j->page.palette) {
        look_up(j, span->count, (uint8_t *)row + (size_t)span->x * 4 * lg_type_size(j->page.type));
        return LG_OK;
    }
    if (j->page.signed_ab) {
        lab_to_f32(j, span->channel, samples);
        from = j->floats;
    } else if (j->page.foreign != LG_FOREIGN_NONE) {
        status = lg_foreign_to_f32(&j->rounding, j->unpacked, j->floats, samples, error);
        if (status != LG_OK)
            return status;
        from = j->floats;
    }
    return store_samples(j, from, span, row);
}

// ---- pages --------------------------------------------------------------------------------------

static bool same_measure(const lg_tiff_page *a, const lg_tiff_page *b)
{
    return a->width == b->width && a->height == b->height && a->type == b->type &&
           a->foreign == b->foreign && a->channels == b->channels && a->alpha == b->alpha &&
           a->white_is_zero == b->white_is_zero && a->cmyk == b->cmyk && a->lab == b->lab &&
           a->palette == b->palette && (a->palette || a->bits == b->bits);
}

// Looks at every page before anything is allocated for their samples.
static lg_status check_pages(job *j, lg_error *error)
{
    lg_tiff_page page;
    lg_status status = lg_tiff_select(j->tiff, j->chosen[0], &j->page, error);
    if (status == LG_OK)
        status = lg_read_check(j->params, j->page.width, j->page.height, j->count, error);
    if (status == LG_OK)
        status = lg_tiff_check_blocks(j->tiff, &j->page, error);
    for (int32_t i = 1; i < j->count && status == LG_OK; i++) {
        status = lg_tiff_select(j->tiff, j->chosen[i], &page, error);
        if (status == LG_OK && !same_measure(&page, &j->page))
            return lg_fail(error, LG_ERROR_UNSUPPORTED,
                           "its %d pages differ in size or type; --page N reads one of them (from "
                           "0)",
                           j->count);
        if (status == LG_OK)
            status = lg_tiff_check_blocks(j->tiff, &page, error);
    }
    return status;
}

static lg_status make_image(job *j, lg_context *context, lg_error *error)
{
    const lg_tiff_page *p = &j->page;
    const lg_image_params shape = {.width = (int32_t)p->width,
                                   .height = (int32_t)p->height,
                                   .layers = j->count,
                                   .channels = p->channels == 3 ? 4 : p->channels,
                                   .type = p->type,
                                   .alpha = p->alpha};
    const size_t samples = (size_t)p->width * (size_t)p->samples;
    j->rounding = (lg_rounding){.type = p->foreign, .allowed = j->params->convert};
    j->unpacked = lg_alloc_array(samples, sizeof(double));
    j->floats = lg_alloc_array(samples, sizeof *j->floats);
    if (!j->unpacked || !j->floats)
        return lg_fail_memory(error, samples * sizeof(double), "a row");
    return lg_image_create(context, &shape, &j->image, error);
}

static lg_status read_pages(job *j, lg_error *error)
{
    lg_status status = LG_OK;
    for (j->layer = 0; j->layer < j->count && status == LG_OK; j->layer++) {
        status = lg_tiff_select(j->tiff, j->chosen[j->layer], &j->page, error);
        const lg_region all = {0, 0, j->page.width, j->page.height};
        if (status == LG_OK)
            status = lg_tiff_read_window(j->tiff, &j->page, &all, take, j, error);
    }
    return status;
}

// ---- notes --------------------------------------------------------------------------------------

// GDAL's value for "nothing was measured here" is a sample like any other to everybody else.
static lg_status note_no_data(const job *j, lg_read_info *info, lg_error *error)
{
    const lg_tiff_directory *d = &j->tiff->list.directory[j->chosen[0]];
    char *text, *end;
    const lg_status status =
        lg_tiff_text(j->tiff, d->no_data, LG_MIN(d->no_data_size, 64), &text, error);
    if (!text)
        return status;
    const double value = strtod(text, &end);
    const bool none = end == text || isnan(value); // NaN is left out anyway
    const double wanted = j->image->shape.type == LG_F32 ? (double)(float)value : value;
    const lg_image_params *s = &j->image->shape;
    const int channels = lg_file_channels(s);
    uint64_t found = 0;
    for (int64_t y = 0; y < (int64_t)s->height * s->layers && !none; y++) {
        const void *row = lg_image_row(j->image, (int32_t)(y / s->height), y % s->height);
        for (int64_t i = 0; i < (int64_t)s->width * s->channels; i++)
            found += i % s->channels < channels &&
                     lg_sample_at(row, j->image->shape.type, (size_t)i) == wanted;
    }
    if (found > 0)
        lg_note(info,
                "%llu samples are %g, which the file declares to be no data (tag 42113), and are "
                "measured like others; a --mask leaves them out",
                (unsigned long long)found, value);
    lg_free(text);
    return LG_OK;
}

static lg_status describe(const job *j, lg_read_info *info, lg_error *error)
{
    const lg_tiff_directory *d = &j->tiff->list.directory[j->chosen[0]];
    snprintf(info->format, sizeof info->format, "tiff");
    info->cmyk = j->page.cmyk;
    info->lab = j->page.lab;
    lg_rounding_note(&j->rounding, info);
    if (j->page.white_is_zero)
        lg_note(info, "0 is white in this file (MinIsWhite); samples are as stored, and the filter "
                      "color_invert makes 0 black");
    if (j->page.lab)
        lg_note(info, "CIE L*a*b* samples as stored: r, g, b stand for L, a, b");
    if (d->sensor)
        lg_note(info, "samples of a camera's sensor as stored, no picture yet");
    if (j->left_out > 0)
        lg_note(info, "smaller versions and masks of pages are left out (%d); --page N reads one",
                j->left_out);
    return note_no_data(j, info, error);
}

// ---- a file -------------------------------------------------------------------------------------

static lg_status read_file(job *j, lg_context *context, lg_input *input, lg_read_info *info,
                           lg_error *error)
{
    lg_status status = lg_tiff_open(input, &j->tiff, error);
    if (status == LG_OK)
        status = choose(j, error);
    if (status == LG_OK)
        status = check_pages(j, error);
    if (status == LG_OK)
        status = read_description(j, info, error);
    if (status == LG_OK)
        status = make_image(j, context, error);
    if (status == LG_OK)
        status = read_pages(j, error);
    if (status == LG_OK)
        status = describe(j, info, error);
    if (status == LG_OK && j->params->metadata)
        status = lg_tiff_metadata(j->tiff, j->chosen[0], &j->image->shape, &info->metadata, error);
    return status;
}

lg_status lg_tiff_read(lg_context *context, lg_input *input, const lg_read_params *params,
                       lg_image **out, lg_read_info *info, lg_error *error)
{
    job j = {.params = params};
    const lg_status status = read_file(&j, context, input, info, error);
    if (status == LG_OK)
        *out = j.image;
    else
        lg_image_destroy(&j.image);
    lg_tiff_close(&j.tiff);
    lg_free(j.chosen);
    lg_free(j.unpacked);
    lg_free(j.floats);
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
