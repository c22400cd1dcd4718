// Arrays in Fortran order: the first axis is the fastest in the file, the last one in the image.
#include "io/npy.h"

#include <string.h>

#define TURN_BYTES 65536 // of a file in Fortran order, turned at a time

// Steps in an image of the axes of a file.
static void axis_strides(const lg_npy_header *header, const lg_image_params *shape, size_t *out)
{
    const char *names = lg_npy_axes(header);
    const size_t sample = lg_type_size(shape->type);
    for (int i = 0; i < header->axes; i++)
        out[i] = names[i] == 'L'   ? shape->layer_stride
                 : names[i] == 'H' ? shape->row_stride
                 : names[i] == 'W' ? sample * (size_t)shape->channels
                                   : sample;
}

typedef struct turning {
    lg_input *input;
    const lg_npy_header *header;
    lg_rounding *rounding;
    size_t sample, size[4], stride[4];
    uint8_t *stored, *converted;
} turning;

// Reads `count` neighbours along the second axis, each of them the whole first axis, to `out`.
static lg_status turn(const turning *t, size_t count, uint8_t *out, lg_error *error)
{
    const size_t samples = t->size[0] * count, bytes = samples * t->header->sample;
    const uint8_t *from = t->stored;
    if (lg_input_read(t->input, t->stored, bytes) != bytes)
        return lg_input_short(t->input, "the pixels", error);
    if (t->header->swap)
        lg_swap_bytes(t->stored, t->header->sample, samples);
    if (t->header->foreign != LG_FOREIGN_NONE) {
        lg_status status =
            lg_foreign_to_f32(t->rounding, t->stored, (float *)t->converted, samples, error);
        if (status != LG_OK)
            return status;
        from = t->converted;
    }
    for (size_t i = 0; i < t->size[0]; i++)
        for (size_t k = 0; k < count; k++)
            memcpy(out + i * t->stride[0] + k * t->stride[1],
                   from + (k * t->size[0] + i) * t->sample, t->sample);
    return LG_OK;
}

lg_status lg_npy_read_columns(lg_input *input, const lg_npy_header *header, lg_rounding *rounding,
                              lg_image *image, lg_error *error)
{
    turning t = {.input = input,
                 .header = header,
                 .rounding = rounding,
                 .sample = lg_type_size(image->shape.type),
                 .size = {1, 1, 1, 1}};
    axis_strides(header, &image->shape, t.stride);
    for (int i = 0; i < header->axes; i++)
        t.size[i] = (size_t)header->shape[i];
    const size_t some = LG_MIN(LG_MAX(TURN_BYTES / (t.size[0] * header->sample), 1), t.size[1]);
    const size_t bytes = some * t.size[0] * LG_MAX(header->sample, sizeof(float));
    t.stored = lg_alloc(bytes);
    t.converted = lg_alloc(bytes);
    lg_status status =
        t.stored && t.converted ? LG_OK : lg_fail_memory(error, bytes, "columns of an array");
    for (size_t d = 0; d < t.size[3]; d++)
        for (size_t c = 0; c < t.size[2]; c++)
            for (size_t b = 0; b < t.size[1] && status == LG_OK; b += some)
                status = turn(&t, LG_MIN(some, t.size[1] - b),
                              (uint8_t *)image->data + b * t.stride[1] + c * t.stride[2] +
                                  d * t.stride[3],
                              error);
    lg_free(t.stored);
    lg_free(t.converted);
    return status;
}
