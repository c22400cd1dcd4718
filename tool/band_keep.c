#include "band_keep.h"

#include "team_messages.h"

#include <stdlib.h>
#include <string.h>

struct lg_kept_bytes {
    lg_team_bytes bytes;
};

static bool keeps(const lg_journal *journal, const lg_band_keep *keep)
{
    return journal && keep && keep->pass != LG_JOURNAL_NONE;
}

static size_t place_of(const lg_band_keep *keep, int32_t layer)
{
    return keep->stack ? 0 : (size_t)layer;
}

lg_status lg_keep_begin(lg_journal *journal, lg_band_keep *keep, lg_error *error)
{
    lg_status status = LG_OK;
    if (!keeps(journal, keep) || !keep->kind)
        return LG_OK;
    keep->empty = calloc(keep->count, sizeof *keep->empty);
    if (!keep->empty)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for what bands add");
    for (size_t i = 0; i < keep->count && !status; i++)
        status = lg_team_save(keep->kind, keep->at[i], &keep->empty[i].bytes, error);
    return status;
}

void lg_keep_end(lg_band_keep *keep)
{
    for (size_t i = 0; keep && keep->empty && i < keep->count; i++)
        free(keep->empty[i].bytes.data);
    if (keep) {
        free(keep->empty);
        keep->empty = NULL;
    }
}

static lg_status add(const lg_band_keep *keep, int32_t layer, void *data, size_t size,
                     lg_error *error)
{
    if (keep->numbers) {
        uint64_t more[2], *at[2];
        keep->numbers(keep->priv, layer, at);
        if (size != sizeof more)
            return lg_set_error(error, LG_ERROR_DATA, "the journal has no counts");
        memcpy(more, data, sizeof more);
        *at[0] += more[0];
        *at[1] += more[1];
    }
    if (!keep->kind)
        return LG_OK;
    void *band = NULL;
    lg_status status = keep->kind->load(data, size, &band, error);
    if (!status && keep->kind == &lg_team_labels)
        status = lg_label_accumulator_claim(band, error);
    if (!status)
        status = keep->kind->merge(keep->at[place_of(keep, layer)], band, error);
    if (band)
        keep->kind->destroy(&band);
    return status;
}

lg_status lg_keep_restore(const lg_journal *journal, lg_band_keep *keep, int32_t layer, int64_t y,
                          int64_t *end, lg_error *error)
{
    void *data = NULL;
    size_t size = 0;
    *end = y;
    if (!keeps(journal, keep))
        return LG_OK;
    lg_status status = lg_journal_find(journal, keep->pass, layer, y, end, &data, &size, error);
    if (!status && *end > y)
        status = add(keep, layer, data, size, error);
    free(data);
    return status;
}

lg_status lg_keep_enter(const lg_journal *journal, lg_band_keep *keep, int32_t layer,
                        lg_error *error)
{
    if (!keeps(journal, keep))
        return LG_OK;
    if (keep->numbers) {
        uint64_t *numbers[2];
        keep->numbers(keep->priv, layer, numbers);
        keep->before[0] = *numbers[0];
        keep->before[1] = *numbers[1];
    }
    if (!keep->kind)
        return LG_OK;
    const size_t at = place_of(keep, layer);
    const lg_team_bytes *empty = &keep->empty[at].bytes;
    void *band = NULL;
    const lg_status status = keep->kind->load(empty->data, empty->size, &band, error);
    if (status)
        return status;
    keep->band = keep->at[at];
    keep->at[at] = band;
    return LG_OK;
}

lg_status lg_keep_leave(lg_journal *journal, lg_band_keep *keep, int32_t layer, int64_t y,
                        int64_t rows, lg_status status, lg_error *error)
{
    lg_team_bytes bytes = {0};
    uint64_t more[2];
    if (!keeps(journal, keep))
        return status;
    const size_t at = place_of(keep, layer);
    void *band = keep->band ? keep->at[at] : NULL; // of its own
    if (!status && keep->numbers) {
        uint64_t *now[2];
        keep->numbers(keep->priv, layer, now);
        more[0] = *now[0] - keep->before[0];
        more[1] = *now[1] - keep->before[1];
    }
    if (!status && band)
        status = lg_team_save(keep->kind, band, &bytes, error);
    if (!status)
        status = lg_journal_add(journal, keep->pass, layer, y, y + rows,
                                keep->numbers ? (void *)more : bytes.data,
                                keep->numbers ? sizeof more : bytes.size, error);
    free(bytes.data);
    if (band) {
        keep->at[at] = keep->band;
        if (!status)
            status = keep->kind->merge(keep->at[at], band, error);
        keep->kind->destroy(&band);
    }
    keep->band = NULL;
    return status;
}
