// Planes of Y'CbCr codes: their shapes, where chroma lies, and the integers that take codes to colours and
// back. docs/definitions.md, Video.
#ifndef LG_PLANE_CODES_H
#define LG_PLANE_CODES_H

#include "core/core.h"

#define LG_CODE_SHIFT 40 // coefficients are multiples of 2^-40

lg_status lg_planes_check(const lg_image_params *shape, lg_error *error);
bool lg_planes_same(const lg_planes *a, const lg_planes *b);

// Planes in memory, 1 to 3.
int lg_planes_count(const lg_planes *planes);

// The shape of a plane of an image, without strides.
lg_image_params lg_planes_shape(const lg_image_params *of, int plane);

// ---- where chroma lies --------------------------------------------------------------------------

typedef struct lg_chroma_axis {
    int32_t factor; // luma samples to one of chroma
    bool between;   // chroma lies between two samples of luma
    int32_t luma, chroma;
} lg_chroma_axis;

lg_chroma_axis lg_chroma_across(const lg_planes *planes, int32_t width);
lg_chroma_axis lg_chroma_down(const lg_planes *planes, int32_t height);

// Samples of luma from `first` on that make one of chroma, with weights that rise and fall.
typedef struct lg_chroma_spread {
    int32_t first, count, sum, weight[7];
} lg_chroma_spread;

const lg_chroma_spread *lg_chroma_spread_of(const lg_chroma_axis *axis);

// ---- codes and colours --------------------------------------------------------------------------

typedef struct lg_code_range {
    int32_t most;         // full scale of the colours
    int32_t highest;      // code of the planes
    int32_t black, grey;  // code of black, and of no chroma
    int32_t luma, chroma; // codes from black to white, and of chroma over its whole range
} lg_code_range;

// Coefficients of codes less those of black and grey; of chroma of its sixteenths.
typedef struct lg_decoder {
    lg_code_range range;
    int64_t luma, red_cr, green_cb, green_cr, blue_cb;
} lg_decoder;

// Coefficients of red, green and blue, of chroma of their weighted sums.
typedef struct lg_encoder {
    lg_code_range range;
    int64_t grey, luma[3], chroma[2][3];
} lg_encoder;

// `type` of the colours: LG_U8 or LG_U16.
lg_decoder lg_decoder_of(const lg_planes *planes, lg_type type);
lg_encoder lg_encoder_of(const lg_planes *planes, lg_type type);

#endif
