#include "label_content.h"
#include "check.h"
#include "samples.h"

#include <stdlib.h>

const char *label_content_name(label_content kind)
{
    static const char *const names[LABEL_CONTENTS] = {
        "noise",     "spiral", "comb", "comb down", "nested", "checkerboard",
        "diagonals", "steps",  "all",  "none",      "one",    "corners"};
    return names[kind];
}

lg_image *label_content_image(lg_context *context, lg_type type, int32_t width, int32_t height,
                              int32_t layers)
{
    return image_zeros(context, SHAPE(width, height, layers, 1, type, 0));
}

lg_image *label_content_rows(lg_context *context, const lg_image *image, int64_t y, int64_t layer,
                             int32_t rows)
{
    lg_image_params shape = image->shape;
    lg_image *out = NULL;
    lg_error error;
    shape.height = rows;
    shape.layers = 1;
    shape.layer_stride = shape.row_stride * (size_t)rows;
    if (image->data)
        NEED(!lg_image_wrap(context, &shape,
                            (char *)image->data + (size_t)layer * image->shape.layer_stride +
                                (size_t)y * shape.row_stride,
                            &out, &error),
             "%s", error.message);
    return out;
}

// A path two pixels apart from itself, from the upper left corner inwards: each ring leaves out the pixel
// below its corner and goes on inside from there.
static bool in_spiral(int32_t x, int32_t y, int32_t width, int32_t height)
{
    const int32_t ring = LG_MIN(LG_MIN(x, y), LG_MIN(width - 1 - x, height - 1 - y));
    if (ring % 2 == 1)
        return x == ring && y == ring + 1; // from the ring outside to the one inside
    return !(x == ring && y == ring + 1);
}

static bool shape(label_content kind, int32_t x, int32_t y, int32_t z, const lg_image_params *s)
{
    const int32_t w = s->width, h = s->height;
    switch (kind) {
    case LABEL_SPIRAL:
        return in_spiral(x, y, w, h);
    case LABEL_COMB:
        return x % 2 == 0 || y == h - 1;
    case LABEL_COMB_DOWN:
        return (x % 2 == 0 && z % 2 == 0) || y == 0;
    case LABEL_NESTED:
        return LG_MIN(LG_MIN(x, y), LG_MIN(w - 1 - x, h - 1 - y)) % 2 == 0;
    case LABEL_CHECKER:
        return (x + y + z) % 2 == 0;
    case LABEL_DIAGONALS:
        return (x + y) % 16 == 15 || (x - y + 16 * h) % 32 == 0;
    case LABEL_STEPS:
        return abs(x % 14 - 7) == y % 8 || (x % 14 == 7 && y % 8 == 7);
    case LABEL_ALL:
        return true;
    case LABEL_ONE:
        return x == w / 2 && y == h / 2 && z == s->layers / 2;
    case LABEL_CORNERS:
        return (x == 0 || x == w - 1) && (y == 0 || y == h - 1);
    default:
        return false;
    }
}

void label_content_fill(lg_image *image, label_content kind, int density, int granularity,
                        double level, bool values)
{
    const lg_image_params *s = &image->shape;
    const int32_t across = (s->width + granularity - 1) / granularity;
    const bool integers = s->type <= LG_U16;
    double *cell = calloc((size_t)across, sizeof *cell);
    if (!cell) {
        CHECK(false, "memory for a row");
        return;
    }
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++) {
            for (int32_t i = 0; i < across && kind == LABEL_NOISE && y % granularity == 0; i++) {
                const bool in = random_below(100) < (uint32_t)density;
                if (values)
                    cell[i] = in ? 1 + random_below(3) : 0;
                else if (integers)
                    cell[i] =
                        in ? level + 1 + random_below(100) : random_below((uint32_t)level + 1);
                else
                    cell[i] = in ? level + 0.25 * (1 + random_below(9))
                                 : level - 0.25 * (level > 0 ? random_below(9) : 0);
            }
            for (int32_t x = 0; x < s->width; x++)
                if (kind == LABEL_NOISE)
                    sample_store(image, x, y, z, 0, cell[x / granularity]);
                else
                    sample_store(image, x, y, z, 0,
                                 shape(kind, x, y, z, s)
                                     ? (values ? 1 + (x / 5 + y / 3) % 2 : level + 1)
                                     : level);
        }
    free(cell);
}
