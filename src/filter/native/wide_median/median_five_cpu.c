// Medians of 5 x 5 integers, for one CPU level.
#include "filter/native/wide_median/median_five.h"

#include "cpu/cpu.h"
#include "filter/alpha.h"
#include "kernel/pixel_rule.h"

#include <string.h>

#define PART                                                                                       \
    1024 // samples of a row that are computed together: what they take stays in the first cache
#define BLOCK 64           // samples at least, and a multiple of what a vector has
#define PITCH (PART + 128) // of lines of a part
#define LINES 20           // 4 of columns, 8 of pairs, 6 of copies, 2 of results

static size_t row_bytes(const lg_pixels *in, size_t sample)
{
    return (size_t)in->width * (size_t)in->channels * sample;
}

// The centre's alpha, or whole alpha, in pixels whose alpha was chosen like a colour.
static void set_alpha(const lg_pixel_tile *t, const char *centre, int count, char *to)
{
    const lg_pixels *out = &t->out;
    if (out->channels == 4 || (out->channels == 2 && out->alpha != LG_ALPHA_NONE))
        lg_set_alpha(out->type, out->channels, out->alpha == LG_ALPHA_OPAQUE ? NULL : centre,
                     (size_t)count, to);
}

#define SAMPLE  uint8_t
#define NAME(x) bytes_##x
#include "filter/native/wide_median/median_five_samples.h"
#undef SAMPLE
#undef NAME
#define SAMPLE  uint16_t
#define NAME(x) shorts_##x
#include "filter/native/wide_median/median_five_samples.h"
#undef SAMPLE
#undef NAME

static size_t scratch(const lg_image_params *in)
{
    const size_t sample = lg_type_size(in->type);
    const size_t zeros = (size_t)in->width * (size_t)in->channels + BLOCK;
    return lg_align_up((LINES * PITCH + zeros) * sample, 64);
}

extern const lg_median_five_table LG_CPU_TABLE(median_five);
const lg_median_five_table LG_CPU_TABLE(median_five) = {bytes_filter, shorts_filter, scratch};
