// Operations on rows of pixels, in integers and in f32. Rows have room for whole vectors in front
// of their first pixel and behind their last one.
#ifndef LG_CANNY_ROWS_H
#define LG_CANNY_ROWS_H

#include "cpu/cpu.h"
#include "filter/native/canny_edge_detection/canny.h"
#include "kernel/color_math.h"

// Gradients within 22.5 degrees of an axis count as along it: tan 22.5 degrees, in 65536ths rounded
// up, and as a float.
#define LG_CANNY_TANGENT      27146
#define LG_CANNY_REAL_TANGENT 0.41421356f

// The neighbours of a pixel along its gradient.
enum {
    LG_CANNY_ACROSS,  // left and right
    LG_CANNY_FALLING, // top left and bottom right
    LG_CANNY_DOWN,    // above and below
    LG_CANNY_RISING,  // top right and bottom left
};

typedef struct lg_canny_rows {
    // Converts luminance to samples.
    void (*plain)(const void *luma, void *to, int32_t count);
    // The Gaussian's two passes: lg_separable_kernels.
    void (*feed)(const lg_gaussian *g, void *state, size_t pitch, int64_t index, const void *luma,
                 int32_t count, void *out);
    void (*line)(const lg_gaussian *g, const void *line, int32_t count, void *spare, void *to);
    // From three rows of samples, for columns 0 .. count-1: the squared magnitude (also of the
    // columns beside them), the direction, and bits of pixels above the lower threshold. The
    // direction of other pixels is undefined. Spare rows are of samples.
    void (*gradient)(const lg_canny_job *job, const void *const *rows, void *spare0, void *spare1,
                     int32_t count, void *magnitude, uint8_t *direction, uint64_t *candidate);
    // The same of rows of columns to the left, of those here, and to the right: lines[row][column]. Integers
    // have none.
    void (*gradient_apart)(const lg_canny_job *job, const float *const (*lines)[3], void *spare0,
                           void *spare1, int32_t count, void *magnitude, uint8_t *direction,
                           uint64_t *candidate);
    // Keeps candidates that are larger than their first neighbour along the gradient and not
    // smaller than the second: weak. Those not below the upper threshold are strong.
    void (*thin)(const lg_canny_job *job, const void *const *magnitudes, int32_t count,
                 const uint8_t *direction, const uint64_t *candidate, uint64_t *weak,
                 uint64_t *strong);
    float (*magnitude)(const void *magnitudes, int32_t x); // not squared, in units of luminance
} lg_canny_rows;

extern const lg_canny_rows LG_CPU_TABLE(canny_integer), LG_CPU_TABLE(canny_real);

// Bits of the first `count` of 64 bytes that are 0 or 1.
static inline uint64_t lg_canny_pack(const uint8_t *bytes, int32_t count)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t v;
        memcpy(&v, bytes + 8 * i, sizeof v);
        // Bit 8 k to bit 56 + k.
        bits |= (v * 0x0102040810204080u >> 56) << (8 * i);
    }
    return count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits;
}

// The two neighbours' offsets, for rows of `stride` pixels: first in above or this row.
#define LG_CANNY_THIN(name, type)                                                                  \
    static void name(const type *const *rows, const uint8_t *direction, uint64_t candidates,       \
                     int32_t x, type high, uint64_t *weak, uint64_t *strong)                       \
    {                                                                                              \
        const type *above = rows[0] + x, *here = rows[1] + x, *below = rows[2] + x;                \
        *weak = *strong = 0;                                                                       \
        for (uint64_t left = candidates; left; left &= left - 1) {                                 \
            const int i = __builtin_ctzll(left);                                                   \
            const type first[4] = {here[i - 1], above[i - 1], above[i], above[i + 1]};             \
            const type second[4] = {here[i + 1], below[i + 1], below[i], below[i - 1]};            \
            const int d = direction[x + i];                                                        \
            const bool kept = here[i] > first[d] && here[i] >= second[d];                          \
            *weak |= (uint64_t)kept << i;                                                          \
            *strong |= (uint64_t)(kept && here[i] >= high) << i;                                   \
        }                                                                                          \
    }

#endif
