// Images for tests that compare engines: contents that are hard on sums, bins and comparisons.
#ifndef LG_TEST_CONTENT_H
#define LG_TEST_CONTENT_H

#include "core/core.h"

typedef enum content {
    CONTENT_UNIT,      // uniform 0..1; integers: every value
    CONTENT_SIGNED,    // both signs, many magnitudes
    CONTENT_CONSTANT,  // 0.1; integers: the largest value
    CONTENT_OFFSET,    // mean / sigma = 1e4
    CONTENT_SPRINKLED, // uniform, with a NaN or an infinity in a few places
    CONTENT_SPECIAL,   // NaN, infinities, zeros of both signs, denormals, the largest values
    CONTENT_HUGE,      // 1e30
    CONTENT_TINY,      // 1e-35
    CONTENT_DENORMAL,  // below the normal numbers, both signs
    CONTENT_MIXED,     // normal numbers beside denormals, whose squares vanish or do not
    CONTENT_ZEROS,     // zeros of both signs
    CONTENT_SCALES,    // every block of 128 x 32 has a magnitude of its own, from denormal to 1e38
    CONTENT_ALL_BITS,  // any bit pattern
    CONTENTS
} content;

const char *content_name(content kind);

// A new image of the context, filled. Alpha is zero for a third of the
// pixels.
lg_image *content_image(lg_context *context, lg_image_params shape, content kind);
void content_fill(lg_image *image, content kind);
// The same with a copy on the device of the context.
lg_image *content_on_device(lg_context *context, lg_image_params shape, content kind);

// A mask of the image's size with columns 128 .. 255 all taken and the rest at random; every mask
// has blocks without a single pixel.
lg_image *content_mask(lg_context *context, const lg_image_params *shape, int32_t layers);

#define SHAPE(w, h, n, c, t, a)                                                                    \
    ((lg_image_params){.width = (w),                                                               \
                       .height = (h),                                                              \
                       .layers = (n),                                                              \
                       .channels = (c),                                                            \
                       .type = (lg_type)(t),                                                       \
                       .alpha = (lg_alpha)(a)})

#endif
