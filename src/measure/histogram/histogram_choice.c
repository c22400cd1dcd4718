// Which of two CPU variants is faster here: measured once per context.
#include "measure/histogram/histogram_kernels.h"

#define SAMPLES (1 << 16)
#define RUNS    5

typedef struct trial {
    uint8_t samples[SAMPLES];
    uint32_t tables[LG_HISTOGRAM_PIXEL_WAYS * LG_HISTOGRAM_WIDE_STRIDE];
    lg_histogram_avx512 states[LG_MAX_CHANNELS];
} trial;

static double time_multi(const lg_histogram_kernels *kernels, trial *t, int channels)
{
    const int ways = channels == 4 ? LG_HISTOGRAM_PIXEL_WAYS : LG_HISTOGRAM_WIDE_WAYS;
    const lg_histogram_layout layout = {channels, channels, ways, true, LG_HISTOGRAM_WIDE_STRIDE};
    const double start = lg_time_seconds();
    kernels->count(t->samples, 1, SAMPLES, &layout, t->tables);
    return lg_time_seconds() - start;
}

static double time_avx512(trial *t, int channels)
{
    const double start = lg_time_seconds();
    if (channels == 1)
        lg_histogram_avx512_add(t->states, t->samples, SAMPLES, t->tables);
    else
        lg_histogram_avx512_add_4(t->states, channels, t->samples, SAMPLES / 4, t->tables,
                                  LG_HISTOGRAM_WIDE_STRIDE);
    return lg_time_seconds() - start;
}

lg_histogram_variant lg_histogram_cpu_choice(lg_context *context,
                                             const lg_histogram_kernels *kernels, int channels)
{
    lg_histogram_variant *choice = &context->cpu_histogram[channels == 1 ? 0 : 1];
    if (*choice != LG_HISTOGRAM_AUTO)
        return *choice;
    trial *t = lg_alloc_aligned(sizeof *t);
    if (!t)
        return LG_HISTOGRAM_CPU_MULTI;
    uint32_t state = 1;
    for (size_t i = 0; i < SAMPLES; i++) {
        state = state * 1664525u + 1013904223u;
        t->samples[i] = (uint8_t)(state >> 24);
    }
    double multi = 1e9, vectors = 1e9;
    for (int i = 0; i < RUNS; i++) {
        const double a = time_multi(kernels, t, channels), b = time_avx512(t, channels);
        multi = LG_MIN(multi, a);
        vectors = LG_MIN(vectors, b);
    }
    lg_free(t);
    *choice = vectors < multi ? LG_HISTOGRAM_CPU_AVX512 : LG_HISTOGRAM_CPU_MULTI;
    lg_log(&context->log, LG_LOG_INFO,
           "histogram of %d-channel u8: %s (tables %.2f, bit vectors %.2f GB/s per thread)",
           channels, lg_histogram_variant_name(*choice), SAMPLES / multi * 1e-9,
           SAMPLES / vectors * 1e-9);
    return *choice;
}
