// Saved accumulators of any kind are merged as bytes.
#include "measure/state_entries.h"

#include <lumagraph/label_accumulator.h>

#include <string.h>

typedef struct saved_kind {
    const char *magic; // the first 8 bytes
    lg_status (*load)(const void *data, size_t size, void **out, lg_error *error);
    lg_status (*merge)(void *into, const void *from, lg_error *error);
    lg_status (*save)(const void *a, void *data, size_t capacity, size_t *size, lg_error *error);
    void (*destroy)(void *a);
} saved_kind;

#define KIND(name)                                                                                 \
    static lg_status load_##name(const void *data, size_t size, void **out, lg_error *error)       \
    {                                                                                              \
        lg_##name##_accumulator *a = NULL;                                                         \
        const lg_status status = lg_##name##_accumulator_load(data, size, &a, error);              \
        *out = a;                                                                                  \
        return status;                                                                             \
    }                                                                                              \
    static lg_status merge_##name(void *into, const void *from, lg_error *error)                   \
    {                                                                                              \
        return lg_##name##_accumulator_merge(into, from, error);                                   \
    }                                                                                              \
    static lg_status save_##name(const void *a, void *data, size_t capacity, size_t *size,         \
                                 lg_error *error)                                                  \
    {                                                                                              \
        return lg_##name##_accumulator_save(a, data, capacity, size, error);                       \
    }                                                                                              \
    static void destroy_##name(void *a)                                                            \
    {                                                                                              \
        lg_##name##_accumulator *typed = a;                                                        \
        lg_##name##_accumulator_destroy(&typed);                                                   \
    }

KIND(moments)
KIND(histogram)
KIND(box)
KIND(label)

#define ROW(text, name)                                                                            \
    {                                                                                              \
        text, load_##name, merge_##name, save_##name, destroy_##name                               \
    }

static const saved_kind kinds[] = {ROW("LGMOMENT", moments), ROW("LGHISTOG", histogram),
                                   ROW("LGBOXMOM", box), ROW("LGLABELS", label)};

static const saved_kind *kind_of(const lg_state_bytes *bytes)
{
    for (size_t i = 0; bytes->size >= 8 && i < LG_COUNT(kinds); i++)
        if (memcmp(bytes->data, kinds[i].magic, 8) == 0)
            return &kinds[i];
    return NULL;
}

static lg_status merge_loaded(const saved_kind *kind, void *into, const void *from,
                              lg_state_bytes *out, lg_error *error)
{
    size_t size = 0;
    lg_status status = kind->merge(into, from, error);
    if (!status)
        status = kind->save(into, NULL, 0, &size, error);
    if (status)
        return status;
    void *data = lg_alloc(size);
    if (!data)
        return lg_fail_memory(error, size, "a state");
    status = kind->save(into, data, size, &size, error);
    if (status)
        lg_free(data);
    else
        *out = (lg_state_bytes){data, size};
    return status;
}

lg_status lg_state_merge_saved(const lg_state_bytes *a, const lg_state_bytes *b,
                               lg_state_bytes *out, lg_error *error)
{
    void *into = NULL, *from = NULL;
    const saved_kind *kind = kind_of(a);
    if (!kind || kind_of(b) != kind)
        return lg_fail(error, LG_ERROR_DATA, "its accumulators are of no known kind, or of two");
    lg_status status = kind->load(a->data, a->size, &into, error);
    if (!status)
        status = kind->load(b->data, b->size, &from, error);
    if (!status)
        status = merge_loaded(kind, into, from, out, error);
    kind->destroy(into);
    kind->destroy(from);
    return status;
}
