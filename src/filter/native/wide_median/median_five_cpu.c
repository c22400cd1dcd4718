// Medians of 5 x 5 integers, for one CPU level.
#include "filter/native/wide_median/median_five.h"

#include "cpu/cpu.h"
#include "filter/alpha.h"
#include "kernel/pixel_rule.h"

#include <string.h>

// Bytes of a line of a tile with its neighbours.
static size_t line_bytes(const lg_median_job *job, int channels, size_t sample)
{
    return lg_align_up(((size_t)job->strip + 4) * (size_t)channels * sample, 64);
}

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

static size_t scratch(const lg_median_job *job, const lg_image_params *in)
{
    const size_t sample = lg_type_size(in->type);
    const size_t zeros = (size_t)in->width * (size_t)in->channels * sample;
    return 5 * line_bytes(job, in->channels, sample) + lg_align_up(zeros, 64);
}

extern const lg_median_five_table LG_CPU_TABLE(median_five);
const lg_median_five_table LG_CPU_TABLE(median_five) = {bytes_filter, shorts_filter, scratch};
