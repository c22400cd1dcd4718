// Thresholds: levels from counts, and the passes that compare pixels with levels.
//
// Every level is a function of integer counts. The files of this folder share two names: counts[0
// .. bins-1], and the level bin k, which puts bins 0..k below and bins k+1.. above.
#ifndef LG_THRESHOLD_H
#define LG_THRESHOLD_H

#include "core/core.h"
#include "core/scan.h"

lg_status lg_threshold_check(const lg_threshold_params *params, lg_error *error);

// ---- levels from counts -------------------------------------------------------------------------

// Otsu's level bin, in exact integers: the lowest k with two non-empty classes that maximises (N *
// S_k - n_k * S)^2 / (n_k * (N - n_k)). n_k is the count and S_k the sum of index * count of bins
// 0..k; N and S are those of all bins. A single non-empty bin is the result itself; -1 without
// samples. The sum of the counts must be below 2^64.
int32_t lg_otsu_bin(const uint64_t *counts, int32_t bins);

// Between-class variance / total variance, when bins 0..k are one class. NaN when the total
// variance is 0; 0 when a class is empty.
double lg_threshold_separability(const uint64_t *counts, int32_t bins, int32_t k);

// Multi-Otsu: bin[0 .. classes-2], lexicographically lowest of the maxima. LG_ERROR_DATA with fewer
// non-empty bins than classes.
lg_status lg_multi_otsu_bins(const uint64_t *counts, int32_t bins, int32_t classes, int32_t *bin,
                             double *separability, lg_error *error);

// The classic single-level methods: fills *bin. LG_ERROR_DATA when there is no level.
lg_status lg_threshold_classic(lg_threshold_method method, const uint64_t *counts, int32_t bins,
                               int32_t *bin, lg_error *error);

// Level, bin and separability from counts with one bin for each integer sample 0 .. bins-1 (u8, u16
// and their luma), by any method. foreground and total are those of the counts; the caller replaces
// them when the output covers other pixels than the selection.
lg_status lg_threshold_native(const uint64_t *counts, int32_t bins,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_error *error);

// Otsu's level of all layers together, as lg_threshold_image finds it: of a stored channel, or with
// -1 of the grey channel or luma. `select`: NULL for all pixels.
lg_status lg_threshold_find(lg_context *context, const lg_image *image, const lg_select *select,
                            lg_luma luma, int channel, lg_threshold *out, lg_error *error);

// ---- comparing pixels with levels ---------------------------------------------------------------

// A level as kernels compare it. `integer` is the smallest u8 or u16 sample above the level (65536:
// none). `ordered` is the largest f16 not above the level, as lg_half_ordered, and `real` the
// largest such float: v > level <=> v >= integer <=> lg_half_ordered(v) > ordered <=> v > real.
typedef struct lg_cut {
    uint32_t integer;
    int32_t ordered;
    float real;
} lg_cut;

lg_cut lg_threshold_cut(double level);

// Maps the bits of an f16 to integers with the order of the numbers; +0 is 0 and -0 is -1.
static inline int32_t lg_half_ordered(uint16_t bits)
{
    const int16_t s = (int16_t)bits;
    return (int16_t)(s ^ ((s >> 15) & 0x7fff));
}

// The output byte of class number c of `classes`.
static inline uint8_t lg_class_byte(int32_t c, int32_t classes)
{
    return (uint8_t)(c * 255 / (classes - 1));
}

// Compares all pixels of `scan` (step 1; its mask is ignored) with the levels of their layer,
// levels[layer * stride]. With binary NULL it only counts. Fills foreground and total of
// levels[layer], or for a stack of levels[0].
lg_status lg_threshold_binarise(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                                lg_threshold *levels, lg_image *binary, lg_error *error);

// The same, pixel by pixel, for the tests.
lg_status lg_threshold_binarise_ref(const lg_scan *scan, lg_luma luma, bool stack,
                                    lg_threshold *levels, lg_image *binary, lg_error *error);

// ---- Vulkan -------------------------------------------------------------------------------------

// lg_threshold_image on the device, for Otsu, mean and fixed values of u8 and u16 samples and their
// luma. out[] has one entry per layer, or one for a stack; *binary is created unless `binary` is
// NULL. After LG_ERROR_UNSUPPORTED outputs are unchanged and the caller uses the general way.
lg_status lg_threshold_vulkan(lg_context *context, const lg_scan *scan,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_image **binary, lg_error *error);

// lg_threshold_binarise on the device, for any type; *binary and LG_ERROR_UNSUPPORTED as above.
lg_status lg_threshold_binarise_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                       bool stack, lg_threshold *levels, lg_image **binary,
                                       lg_error *error);

// Luma of the selected pixels of four float channels as an f32 image on the device, with a mask of
// these pixels if some are left out. LG_ERROR_UNSUPPORTED as above.
lg_status lg_threshold_luma_vulkan(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   lg_image **values, lg_image **mask, lg_error *error);

#endif
