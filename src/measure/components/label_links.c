// One file has a word for each part of each band, in the order of bands: first what became of it, later its
// label. Components that are open behind a band are numbered once they are complete, so labels are found
// from the last band to the first. Another file has the labels of components in the order in which they
// were taken.
#include "measure/components/label_links.h"

#include "core/scratch.h"

#include <string.h>

#define BLOCK ((size_t)4096) // records at a time

typedef struct lg_label_place {
    lg_label_step step;
    int64_t at; // of its first word in the file
} lg_label_place;

struct lg_label_links {
    char *folder;
    size_t memory;
    lg_scratch words, numbers;
    int64_t end; // of `words`
    lg_label_place *places;
    size_t count, room;
    uint32_t most; // parts of a step
    bool resolved;
    lg_status failed; // labels were written over in part
};

// ---- life -----------------------------------------------------------------------------------------

lg_status lg_label_links_create(const char *folder, size_t memory, lg_label_links **out,
                                lg_error *error)
{
    lg_label_links *l = lg_alloc(sizeof *l);
    if (!l || !(l->folder = lg_strdup(folder))) {
        lg_free(l);
        return lg_fail_memory(error, sizeof *l, "labels of bands");
    }
    l->memory = memory;
    l->words.folder = l->numbers.folder = l->folder;
    *out = l;
    return LG_OK;
}

void lg_label_links_destroy(lg_label_links **links)
{
    if (!links || !*links)
        return;
    lg_label_links *l = *links;
    lg_scratch_close(&l->words);
    lg_scratch_close(&l->numbers);
    lg_free(l->places);
    lg_free(l->folder);
    lg_free(l);
    *links = NULL;
}

// ---- forwards -------------------------------------------------------------------------------------

static uint32_t parts_of(const lg_label_step *step)
{
    return step->open + step->count;
}

lg_status lg_label_links_add(lg_label_links *l, const lg_label_step *step, const uint32_t *became,
                             lg_error *error)
{
    if (l->count == l->room) {
        const size_t room = 2 * l->room + 64;
        lg_label_place *more = lg_alloc_array(room, sizeof *more);
        if (!more)
            return lg_fail_memory(error, room * sizeof *more, "places of bands");
        if (l->count)
            memcpy(more, l->places, l->count * sizeof *more);
        lg_free(l->places);
        l->places = more;
        l->room = room;
    }
    const size_t bytes = (size_t)parts_of(step) * sizeof *became;
    const lg_status status = lg_scratch_write(&l->words, l->end, became, bytes, error);
    if (status)
        return status;
    l->places[l->count++] = (lg_label_place){*step, l->end};
    l->end += (int64_t)bytes;
    l->most = LG_MAX(l->most, parts_of(step));
    return LG_OK;
}

// ---- numbers --------------------------------------------------------------------------------------

typedef struct numbered {
    uint64_t taken, label;
} numbered;

static lg_status sort_numbers(lg_sorted_file *components, size_t size, uint8_t *records,
                              lg_sorted_file *sorted, lg_error *error)
{
    numbered next = {0};
    size_t count = 0;
    lg_status status = lg_sorted_file_rewind(components, error);
    do {
        status = status ? status : lg_sorted_file_next(components, records, BLOCK, &count, error);
        for (size_t i = 0; i < count && !status; i++) {
            memcpy(&next.taken, records + (i + 1) * size - sizeof next.taken, sizeof next.taken);
            next.label++;
            status = lg_sorted_file_add(sorted, &next, error);
        }
    } while (count && !status);
    return status;
}

static lg_status write_numbers(lg_label_links *l, lg_sorted_file *sorted, lg_error *error)
{
    numbered records[64];
    uint32_t labels[LG_COUNT(records)];
    int64_t at = 0;
    size_t count = 0;
    lg_status status = lg_sorted_file_rewind(sorted, error);
    do {
        status = status ? status
                        : lg_sorted_file_next(sorted, records, LG_COUNT(records), &count, error);
        for (size_t i = 0; i < count && !status; i++)
            labels[i] = (uint32_t)records[i].label;
        if (!status)
            status = lg_scratch_write(&l->numbers, at, labels, count * sizeof *labels, error);
        at += (int64_t)(count * sizeof *labels);
    } while (count && !status);
    return status;
}

// The label of each component, in the order in which they were taken.
static lg_status number(lg_label_links *l, lg_sorted_file *components, size_t size, lg_error *error)
{
    lg_sorted_file *sorted = NULL;
    uint8_t *records = lg_alloc_array(BLOCK, size);
    lg_status status =
        records ? lg_sorted_file_create(l->folder, sizeof(numbered), l->memory, &sorted, error)
                : lg_fail_memory(error, BLOCK * size, "a block of components");
    if (!status)
        status = sort_numbers(components, size, records, sorted, error);
    if (!status)
        status = write_numbers(l, sorted, error);
    lg_sorted_file_destroy(&sorted);
    lg_free(records);
    return status;
}

// ---- backwards ------------------------------------------------------------------------------------

typedef struct backwards {
    uint32_t *words;   // of a step: what became of its parts, then their labels
    uint32_t *open;    // labels of what is open behind it
    uint32_t *numbers; // labels of what was taken in it
} backwards;

static lg_status go_back(lg_label_links *l, const lg_label_place *place, const backwards *b,
                         lg_error *error)
{
    const lg_label_step *s = &place->step;
    const size_t all = parts_of(s), word = sizeof *b->words;
    lg_status status = lg_scratch_read(&l->words, place->at, b->words, all * word, error);
    if (!status)
        status = lg_scratch_read(&l->numbers, (int64_t)(s->taken * word), b->numbers,
                                 s->closed * word, error);
    for (size_t i = 0; i < all && !status; i++)
        b->words[i] =
            b->words[i] < s->kept ? b->open[b->words[i]] : b->numbers[LG_LABEL_TAKEN - b->words[i]];
    if (!status)
        status = lg_scratch_write(&l->words, place->at + (int64_t)(s->open * word),
                                  b->words + s->open, s->count * word, error);
    if (!status && s->open)
        memcpy(b->open, b->words, s->open * word);
    return status;
}

lg_status lg_label_links_resolve(lg_label_links *l, lg_sorted_file *components, size_t size,
                                 lg_error *error)
{
    const size_t room = (size_t)l->most + 1;
    if (l->failed)
        return lg_fail(error, l->failed, "labels of bands could not be read or written before");
    lg_status status = number(l, components, size, error);
    backwards b = {0};
    if (!status) {
        b = (backwards){lg_alloc_array(room, sizeof *b.words), lg_alloc_array(room, sizeof *b.open),
                        lg_alloc_array(room, sizeof *b.numbers)};
        if (!b.words || !b.open || !b.numbers)
            status = lg_fail_memory(error, 3 * room * sizeof *b.words, "labels of a band");
    }
    for (size_t i = l->count; i-- > 0 && !status;)
        l->failed = status = go_back(l, &l->places[i], &b, error);
    lg_free(b.words);
    lg_free(b.open);
    lg_free(b.numbers);
    l->resolved = !status;
    return status;
}

bool lg_label_links_resolved(const lg_label_links *l)
{
    return l->resolved;
}

// ---- labels ---------------------------------------------------------------------------------------

const lg_label_step *lg_label_links_find(const lg_label_links *l, int64_t first, int64_t end)
{
    size_t low = 0, high = l->count; // the end, without rows, is the last
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const lg_label_step *s = &l->places[middle].step;
        if (s->end && s->first < first)
            low = middle + 1;
        else
            high = middle;
    }
    const lg_label_step *found = low < l->count ? &l->places[low].step : NULL;
    return found && found->first == first && found->end == end ? found : NULL;
}

lg_status lg_label_links_labels(const lg_label_links *l, const lg_label_step *step,
                                uint32_t *labels, lg_error *error)
{
    const lg_label_place *place = (const lg_label_place *)(const void *)step; // it is in there
    return lg_scratch_read(&l->words, place->at + (int64_t)(step->open * sizeof *labels), labels,
                           step->count * sizeof *labels, error);
}
