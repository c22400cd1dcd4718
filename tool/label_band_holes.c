// Holes of an image that is labelled in bands. Whether background is enclosed is known once all of it was
// seen: one pass over the bands finds the components of the background, and later ones fill those that do
// not reach the edge.
#include "label_bands.h"

#include <stdlib.h>
#include <string.h>

struct lg_band_holes {
    lg_label_params foreground; // which samples are not background
    lg_label_accumulator *background;
    bool scratch;      // has its components in files
    uint8_t *enclosed; // a bit for each label; NULL: they are not found yet
    size_t labels;     // so far
};

static int complementary(int connectivity)
{
    return connectivity == 4 ? 8 : connectivity == 8 ? 4 : connectivity == 6 ? 26 : 6;
}

lg_status lg_band_holes_create(const lg_label_params *foreground, const lg_region *region,
                               int32_t layers, const char *scratch, size_t bytes,
                               lg_band_holes **out, lg_error *error)
{
    lg_label_params params = lg_label_params_default();
    lg_band_holes *holes = calloc(1, sizeof *holes);
    if (!holes)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for holes");
    holes->foreground = *foreground;
    holes->foreground.figures = holes->foreground.moments = holes->foreground.shape = false;
    params.connectivity = complementary(foreground->connectivity);
    params.memory_limit = foreground->memory_limit;
    holes->scratch = scratch != NULL;
    *out = holes;
    const lg_status status = lg_label_accumulator_create(
        &params, LG_U8, NULL, region->width, region->height, layers, &holes->background, error);
    return status || !scratch
               ? status
               : lg_label_accumulator_scratch_labels(holes->background, scratch, bytes, error);
}

void lg_band_holes_free(lg_band_holes *holes)
{
    if (!holes)
        return;
    lg_label_accumulator_destroy(&holes->background);
    free(holes->enclosed);
    free(holes);
}

static uint8_t *row_of(const lg_image *image, int32_t y)
{
    return (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
}

static const uint32_t *labels_of(const lg_labels *labels, int32_t y)
{
    return labels->data + (size_t)y * (labels->row_stride / sizeof *labels->data);
}

// 255 where a sample is background.
static lg_status background_of(lg_context *context, const lg_band_holes *holes,
                               const lg_image *rows, lg_image **out, lg_error *error)
{
    const lg_image_params shape = {.width = rows->shape.width,
                                   .height = rows->shape.height,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_U8};
    lg_labels *labels = NULL;
    lg_status status =
        lg_label_image(context, rows, &holes->foreground, NULL, &labels, NULL, error);
    if (!status)
        status = lg_image_create(context, &shape, out, error);
    for (int32_t y = 0; y < shape.height && !status; y++)
        for (int32_t x = 0; x < shape.width; x++)
            row_of(*out, y)[x] = labels_of(labels, y)[x] ? 0 : 255;
    lg_labels_destroy(&labels);
    return status;
}

lg_status lg_band_holes_add(lg_context *context, lg_band_holes *holes, const lg_image *rows,
                            int64_t y, int64_t layer, lg_error *error)
{
    lg_image *background = NULL;
    lg_status status = background_of(context, holes, rows, &background, error);
    if (!status)
        status =
            lg_label_accumulator_add(context, holes->background, background, NULL, y, layer, error);
    lg_image_destroy(&background);
    return status;
}

static bool is_enclosed(const lg_band_holes *holes, uint32_t label)
{
    return holes->enclosed[label / 8] >> label % 8 & 1;
}

// The next labels.
static lg_status add_enclosed(void *priv, lg_components *found, lg_error *error)
{
    lg_band_holes *holes = priv;
    const size_t count = lg_components_count(found);
    double *edge = malloc((count + 1) * sizeof *edge);
    if (!edge)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu holes", count);
    const lg_status status = lg_components_column(found, LG_COLUMN_EDGE, edge, error);
    for (size_t i = 0; i < count && !status; i++) {
        const size_t label = ++holes->labels;
        holes->enclosed[label / 8] |= (uint8_t)((edge[i] == 0) << label % 8);
    }
    free(edge);
    return status;
}

static lg_status find_enclosed(lg_band_holes *holes, lg_error *error)
{
    const uint64_t count = lg_label_accumulator_count(holes->background);
    lg_components *found = NULL;
    holes->enclosed = calloc((size_t)(count / 8 + 1), 1);
    if (!holes->enclosed)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu holes",
                            (unsigned long long)count);
    if (holes->scratch)
        return lg_label_accumulator_blocks(holes->background, LG_LABEL_BLOCK, add_enclosed, holes,
                                           error);
    lg_status status = lg_label_accumulator_finish(holes->background, &found, error);
    if (!status)
        status = add_enclosed(holes, found, error);
    lg_components_destroy(&found);
    return status;
}

lg_status lg_band_holes_fill(lg_context *context, lg_band_holes *holes, const lg_image *rows,
                             int64_t y, int64_t layer, lg_image **out, lg_error *error)
{
    lg_image *image = NULL;
    lg_labels *labels = NULL;
    lg_status status = holes->enclosed ? LG_OK : find_enclosed(holes, error);
    if (!status)
        status = background_of(context, holes, rows, &image, error);
    if (!status)
        status = lg_label_accumulator_labels(context, holes->background, image, y, layer, &labels,
                                             error);
    for (int32_t k = 0; k < rows->shape.height && !status; k++)
        for (int32_t x = 0; x < rows->shape.width; x++) {
            const uint32_t label = labels_of(labels, k)[x];
            row_of(image, k)[x] = label == 0 || is_enclosed(holes, label) ? 255 : 0;
        }
    lg_labels_destroy(&labels);
    if (status)
        lg_image_destroy(&image);
    *out = image;
    return status;
}
