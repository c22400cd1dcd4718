// How the accumulators of the library are sent and merged, by one form of functions for all.
#include "team.h"

#include <lumagraph/label_parts.h>

#define KIND(name, type)                                                                           \
    static lg_status save_##name(const void *a, void *data, size_t capacity, size_t *size,         \
                                 lg_error *error)                                                  \
    {                                                                                              \
        return type##_save(a, data, capacity, size, error);                                        \
    }                                                                                              \
    static lg_status load_##name(const void *data, size_t size, void **out, lg_error *error)       \
    {                                                                                              \
        type *loaded = NULL;                                                                       \
        const lg_status status = type##_load(data, size, &loaded, error);                          \
        *out = loaded;                                                                             \
        return status;                                                                             \
    }                                                                                              \
    static lg_status merge_##name(void *into, const void *from, lg_error *error)                   \
    {                                                                                              \
        return type##_merge(into, from, error);                                                    \
    }                                                                                              \
    static void destroy_##name(void **a)                                                           \
    {                                                                                              \
        type *gone = *a;                                                                           \
        type##_destroy(&gone);                                                                     \
        *a = NULL;                                                                                 \
    }                                                                                              \
    const lg_team_kind lg_team_##name = {save_##name, load_##name, merge_##name, destroy_##name}

KIND(moments, lg_moments_accumulator);
KIND(histograms, lg_histogram_accumulator);
KIND(thresholds, lg_threshold_accumulator);
KIND(labels, lg_label_accumulator);
KIND(shapes, lg_label_shapes);
