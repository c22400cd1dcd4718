// Alpha of pixels that were computed like their other samples. Included by the kernels of each CPU level.
#ifndef LG_ALPHA_H
#define LG_ALPHA_H

#include "filter/stage.h"

#include <string.h>

// A pixel is one integer with alpha on top, so that loops over pixels become vectors.
#define LG_SET_ALPHA(pixel_type, sample, one)                                                      \
    {                                                                                              \
        const int shift = 8 * (int)(sizeof(pixel_type) - sizeof(sample));                          \
        const pixel_type low = (pixel_type)(((pixel_type)1 << shift) - 1);                         \
        for (size_t i = 0; i < count; i++) {                                                       \
            pixel_type pixel, alpha = (pixel_type)((pixel_type)(one) << shift);                    \
            memcpy(&pixel, to + i * sizeof pixel, sizeof pixel);                                   \
            if (from)                                                                              \
                memcpy(&alpha, from + i * sizeof alpha, sizeof alpha);                             \
            pixel = (pixel_type)((pixel & low) | (alpha & (pixel_type)~low));                      \
            memcpy(to + i * sizeof pixel, &pixel, sizeof pixel);                                   \
        }                                                                                          \
        return;                                                                                    \
    }

// The last of 2 or 4 samples of `count` pixels becomes that of the pixels `from`, or 1 where that is NULL.
static inline void lg_set_alpha(lg_type type, int channels, const char *restrict from, size_t count,
                                char *restrict to)
{
    const uint16_t one = type == LG_U16 ? 65535 : 0x3c00;
    if (type == LG_U8 && channels == 2)
        LG_SET_ALPHA(uint16_t, uint8_t, 255)
    if (type == LG_U8)
        LG_SET_ALPHA(uint32_t, uint8_t, 255)
    if (type != LG_F32 && channels == 2)
        LG_SET_ALPHA(uint32_t, uint16_t, one)
    if (type != LG_F32)
        LG_SET_ALPHA(uint64_t, uint16_t, one)
    float *samples = (float *)(void *)to;
    for (size_t i = (size_t)channels - 1; i < count * (size_t)channels; i += (size_t)channels)
        samples[i] = from ? ((const float *)(const void *)from)[i] : 1;
}

#endif
