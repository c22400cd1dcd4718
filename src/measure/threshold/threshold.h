// Thresholds: levels from counts, and the passes that compare pixels with them.
//
// Every figure is a function of integer counts; the files of this folder share these names:
// counts[0 .. bins-1], and a level bin k that puts bins 0..k below and bins k+1.. above.
#ifndef LG_THRESHOLD_H
#define LG_THRESHOLD_H

#include "core/core.h"
#include "core/scan.h"

lg_status lg_threshold_check(const lg_threshold_params *params, lg_error *error);

// ---- levels from counts -----------------------------------------------------------------------------

// Otsu's level bin, decided in exact integers: the lowest k, both classes non-empty, that maximises
// (N * S_k - n_k * S)^2 / (n_k * (N - n_k)) with n_k the count and S_k the sum of index * count of
// bins 0..k. With a single non-empty bin that bin; -1 without samples. The sum of the counts must be
// below 2^64.
int32_t lg_otsu_bin(const uint64_t *counts, int32_t bins);

// Between-class over total variance when bins 0..k are one class; NaN when the total variance is 0,
// and 0 when one class is empty.
double lg_threshold_separability(const uint64_t *counts, int32_t bins, int32_t k);

// Multi-Otsu: bin[0 .. classes-2], lexicographically lowest of the maxima. DATA with fewer non-empty
// bins than classes.
lg_status lg_multi_otsu_bins(const uint64_t *counts, int32_t bins, int32_t classes, int32_t *bin,
                             double *separability, lg_error *error);

// The classic single-level methods: fills *bin. DATA when the method finds no level.
lg_status lg_threshold_classic(lg_threshold_method method, const uint64_t *counts, int32_t bins,
                               int32_t *bin, lg_error *error);

// What follows from counts that have one bin for each integer sample value 0 .. bins-1 (u8, u16 and
// their luma): level, bin and separability. foreground and total are those of the counts; the
// caller replaces them when the output covers other pixels than the selection. Any method.
lg_status lg_threshold_native(const uint64_t *counts, int32_t bins,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_error *error);

// Otsu's level of all layers of an image together, as lg_threshold_image finds it: of a stored
// channel, or with -1 of the grey channel or of luma.
lg_status lg_threshold_find(lg_context *context, const lg_image *image, lg_luma luma, int channel,
                            lg_threshold *out, lg_error *error);

// ---- comparing pixels with levels -------------------------------------------------------------------

// A level as the kernels compare it. `integer` is the smallest u8 or u16 sample above the level
// (65536: none); `ordered` likewise for f16 as lg_half_ordered; `real` the largest float that is not
// above the level. v > level <=> v >= integer <=> lg_half_ordered(v) > ordered <=> v > real.
typedef struct lg_cut {
    uint32_t integer;
    int32_t ordered;
    float real;
} lg_cut;

lg_cut lg_threshold_cut(double level);

// Bits of a half mapped to integers that compare as the numbers do; +0 is 0 and -0 is -1.
static inline int32_t lg_half_ordered(uint16_t bits)
{
    const int16_t s = (int16_t)bits;
    return (int16_t)(s ^ ((s >> 15) & 0x7fff));
}

// Output byte of class number c of `classes`.
static inline uint8_t lg_class_byte(int32_t c, int32_t classes)
{
    return (uint8_t)(c * 255 / (classes - 1));
}

// The pixels of `scan` (step 1; its mask plays no part) against one level each per layer:
// levels[layer * stride]. binary may be NULL: then pixels are only counted. Fills foreground and
// total of levels[layer], or with stack of levels[0].
lg_status lg_threshold_binarise(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                                lg_threshold *levels, lg_image *binary, lg_error *error);

// The same, pixel by pixel, for the tests.
lg_status lg_threshold_binarise_ref(const lg_scan *scan, lg_luma luma, bool stack,
                                    lg_threshold *levels, lg_image *binary, lg_error *error);

// ---- Vulkan -----------------------------------------------------------------------------------------

// All of lg_threshold_image on the device for Otsu, mean and fixed values of u8 and u16 samples and
// their luma. out[] has one entry per layer (one for a stack); *binary is created when binary is not
// NULL. LG_ERROR_UNSUPPORTED, with outputs untouched: the caller takes the general way.
lg_status lg_threshold_vulkan(lg_context *context, const lg_scan *scan,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_image **binary, lg_error *error);

// lg_threshold_binarise on the device, for any type; *binary is created when binary is not NULL.
// LG_ERROR_UNSUPPORTED likewise.
lg_status lg_threshold_binarise_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                       bool stack, lg_threshold *levels, lg_image **binary,
                                       lg_error *error);

// Luma of the taken pixels of four float channels as an f32 image on the device and, for a selective
// scan, what leaves pixels out as a mask. LG_ERROR_UNSUPPORTED likewise.
lg_status lg_threshold_luma_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   lg_image **values, lg_image **mask, lg_error *error);

#endif
