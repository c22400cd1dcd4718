// Accumulators of levels as bytes:
//
//   the header, method, bins, classes, luma, bits of the value, alpha, state of the range, of the mean,
//   bytes of the counts, which are an accumulator of a histogram, filled up to words; 0: there are none.
#include "measure/moments/moments_accumulator.h"
#include "measure/threshold/threshold_accumulator.h"

#include <string.h>

static const lg_saved_kind kind = {"LGTHRESH", 1};

#define WORDS 7 // behind the header, without the states

static size_t counted(const lg_threshold_accumulator *a, lg_error *error)
{
    size_t size = 0;
    return a->counts && !lg_histogram_accumulator_save(a->counts, NULL, 0, &size, error) ? size : 0;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

lg_status lg_threshold_accumulator_save(const lg_threshold_accumulator *a, void *data,
                                        size_t capacity, size_t *size, lg_error *error)
{
    uint8_t *at;
    if (!a || !size)
        return lg_fail_null(error, "an accumulator, and a size to fill");
    const lg_threshold_params *p = &a->params;
    size_t counts = counted(a, error);
    const size_t words = LG_SAVED_HEADER + WORDS + 2 * lg_moments_state_words(a->region.type) + 1;
    const size_t all = 8 * words + lg_align_up(counts, 8);
    lg_status status = lg_saved_begin(&kind, &a->region, data, capacity, all, size, &at, error);
    if (status || !at)
        return status;
    lg_put64(&at, (uint64_t)p->method);
    lg_put64(&at, (uint64_t)(int64_t)p->bins);
    lg_put64(&at, (uint64_t)(int64_t)p->classes);
    lg_put64(&at, (uint64_t)p->luma);
    lg_put64(&at, bits_of(p->value));
    lg_put64(&at, (uint64_t)a->alpha);
    lg_moments_state_put(&at, &a->range);
    lg_moments_state_put(&at, &a->mean);
    lg_put64(&at, counts);
    if (counts) {
        memset(at, 0, lg_align_up(counts, 8));
        status = lg_histogram_accumulator_save(a->counts, at, counts, &counts, error);
        at += lg_align_up(counts, 8);
    }
    lg_saved_end(data, at);
    return status;
}

// The counts are of the bins that the parameters and the range say: merging refuses others.
static lg_status take_counts(lg_threshold_accumulator *a, const uint8_t *data, size_t size,
                             lg_error *error)
{
    lg_histogram_accumulator *counts = NULL;
    lg_status status = lg_histogram_accumulator_load(data, size, &counts, error);
    if (!status && !a->counts)
        status = lg_threshold_accumulator_count(a, error);
    if (!status)
        status = lg_histogram_accumulator_merge(a->counts, counts, error);
    lg_histogram_accumulator_destroy(&counts);
    return status;
}

static lg_status take(const uint8_t *at, const uint8_t *end, const lg_covered_region *region,
                      lg_threshold_accumulator **out, lg_error *error)
{
    lg_threshold_params p = lg_threshold_params_default();
    const uint64_t method = lg_get64(&at), bins = lg_get64(&at), classes = lg_get64(&at),
                   luma = lg_get64(&at), value = lg_get64(&at), alpha = lg_get64(&at);
    if (method > INT32_MAX || luma >= LG_LUMAS || alpha > LG_ALPHA_PREMULTIPLIED ||
        (int64_t)bins < -1 || (int64_t)bins > LG_MAX_BINS || (int64_t)classes < 0 ||
        classes > LG_MAX_CLASSES)
        return lg_saved_damaged(error, "the parameters are out of range");
    p.method = (lg_threshold_method)method;
    p.bins = (int32_t)(int64_t)bins;
    p.classes = (int)classes;
    p.luma = (lg_luma)luma;
    memcpy(&p.value, &value, sizeof p.value);
    lg_status status =
        lg_threshold_accumulator_create(&p, region->type, region->channels, (lg_alpha)alpha,
                                        region->width, region->height, region->layers, out, error);
    if (status)
        return status == LG_ERROR_MEMORY ? status : lg_saved_damaged(error, "the parameters");
    lg_threshold_accumulator *a = *out;
    a->region.covered = region->covered;
    if (!lg_moments_state_get(&at, region->type, UINT64_MAX, &a->range) ||
        !lg_moments_state_get(&at, region->type, UINT64_MAX, &a->mean))
        return lg_saved_damaged(error, "sums contradict each other");
    const uint64_t counts = lg_get64(&at), left = (uint64_t)(end - at);
    if (counts > left || lg_align_up((size_t)counts, 8) != left ||
        (counts && a->source != FROM_VALUES && a->source != FROM_BINS))
        return lg_saved_damaged(error, "the counts have another size");
    status = counts ? take_counts(a, at, (size_t)counts, error) : LG_OK;
    return status == LG_ERROR_ARGUMENT ? lg_saved_damaged(error, "the counts are of other bins")
                                       : status;
}

lg_status lg_threshold_accumulator_load(const void *data, size_t size,
                                        lg_threshold_accumulator **out, lg_error *error)
{
    lg_covered_region region;
    lg_threshold_accumulator *a = NULL;
    const uint8_t *at;
    if (!data || !out)
        return lg_fail_null(error, "bytes, and a place for the accumulator");
    lg_status status = lg_saved_open(&kind, data, size, &region, &at, error);
    if (!status &&
        size < 8 * (LG_SAVED_HEADER + WORDS + 2 * lg_moments_state_words(region.type) + 1))
        status = lg_saved_damaged(error, "they are too few");
    if (!status)
        status = take(at, (const uint8_t *)data + size - 8, &region, &a, error);
    if (status)
        lg_threshold_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}
