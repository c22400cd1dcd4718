// The single-level methods other than Otsu's: their table and their names.
#include "measure/threshold/threshold_classic.h"

#include "core/u1024.h"

// Methods that visit every pair of bins see at most this many; longer tables are merged.
#define LG_PAIR_BINS 4096

typedef struct lg_classic_entry {
    const char *name;
    lg_classic *find;
    bool pairs; // time grows with the square of the bins
} lg_classic_entry;

static const lg_classic_entry entries[LG_THRESHOLD_METHODS] = {
    [LG_THRESHOLD_OTSU] = {"otsu"},
    [LG_THRESHOLD_MULTI_OTSU] = {"multi-otsu"},
    [LG_THRESHOLD_VALUE] = {"value"},
    [LG_THRESHOLD_MEAN] = {"mean"},
    [LG_THRESHOLD_DEFAULT] = {"default", lg_classic_default},
    [LG_THRESHOLD_HUANG] = {"huang", lg_classic_huang, true},
    [LG_THRESHOLD_INTERMODES] = {"intermodes", lg_classic_intermodes},
    [LG_THRESHOLD_ISODATA] = {"isodata", lg_classic_isodata},
    [LG_THRESHOLD_LI] = {"li", lg_classic_li},
    [LG_THRESHOLD_MAX_ENTROPY] = {"max-entropy", lg_classic_max_entropy},
    [LG_THRESHOLD_MIN_ERROR] = {"min-error", lg_classic_min_error},
    [LG_THRESHOLD_MINIMUM] = {"minimum", lg_classic_minimum},
    [LG_THRESHOLD_MOMENTS] = {"moments", lg_classic_moments},
    [LG_THRESHOLD_PERCENTILE] = {"percentile", lg_classic_percentile},
    [LG_THRESHOLD_RENYI_ENTROPY] = {"renyi-entropy", lg_classic_renyi_entropy},
    [LG_THRESHOLD_SHANBHAG] = {"shanbhag", lg_classic_shanbhag, true},
    [LG_THRESHOLD_TRIANGLE] = {"triangle", lg_classic_triangle},
    [LG_THRESHOLD_YEN] = {"yen", lg_classic_yen},
};

const char *lg_threshold_method_name(lg_threshold_method method)
{
    return (unsigned)method < LG_THRESHOLD_METHODS ? entries[method].name : "unknown";
}

// Exact class counts and moments, each rounded once.
static bool table_init(lg_cumulative *t)
{
    const size_t bins = (size_t)t->bins;
    double *memory = lg_alloc_array(bins * 4, sizeof *memory);
    if (!memory)
        return false;
    t->below = memory;
    t->below_moment = memory + bins;
    t->scratch = memory + bins * 2;
    uint64_t n = 0;
    lg_u128 moment = 0;
    t->first = -1;
    for (int32_t i = 0; i < t->bins; i++) {
        n += t->counts[i];
        moment += (lg_u128)t->counts[i] * (uint32_t)i;
        t->below[i] = (double)n;
        t->below_moment[i] = (double)moment;
        if (t->counts[i]) {
            t->first = t->first < 0 ? i : t->first;
            t->last = i;
        }
    }
    t->total = (double)n;
    t->moment = (double)moment;
    return true;
}

// counts in groups of `group` neighbours; the caller frees them.
static uint64_t *merged(const uint64_t *counts, int32_t bins, int32_t group)
{
    uint64_t *out = lg_alloc_array((size_t)((bins + group - 1) / group), sizeof *out);
    for (int32_t i = 0; out && i < bins; i++)
        out[i / group] += counts[i];
    return out;
}

static int32_t run(const lg_classic_entry *entry, const lg_cumulative *t)
{
    if (t->first < 0)
        return -1;
    return t->first == t->last ? t->first : entry->find(t);
}

lg_status lg_threshold_classic(lg_threshold_method method, const uint64_t *counts, int32_t bins,
                               int32_t *bin, lg_error *error)
{
    const lg_classic_entry *entry = &entries[method];
    const int32_t group = entry->pairs ? (bins + LG_PAIR_BINS - 1) / LG_PAIR_BINS : 1;
    uint64_t *few = group > 1 ? merged(counts, bins, group) : NULL;
    if (group > 1 && !few)
        return lg_fail_memory(error, (size_t)bins * sizeof *few, "a merged histogram");
    lg_cumulative t = {.counts = few ? few : counts, .bins = (bins + group - 1) / group};
    if (!table_init(&t)) {
        lg_free(few);
        return lg_fail_memory(error, (size_t)t.bins * 4 * sizeof(double), "threshold tables");
    }
    const int32_t found = run(entry, &t);
    lg_free(t.below);
    lg_free(few);
    if (found < 0)
        return lg_fail(error, LG_ERROR_DATA,
                       "method %s finds no level in this histogram: its curve does not have two "
                       "peaks; use otsu or another method",
                       entry->name);
    *bin = LG_MIN(found * group + group - 1, bins - 1);
    return LG_OK;
}
