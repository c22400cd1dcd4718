// Planes of a frame in memory.
#include "io/film.h"

#include <string.h>

// ---- holders ------------------------------------------------------------------------------------

lg_frame_memory *lg_frame_memory_hold(lg_frame_memory *memory)
{
    __atomic_add_fetch(&memory->holders, 1, __ATOMIC_RELAXED);
    return memory;
}

void lg_frame_memory_release(void *memory)
{
    lg_frame_memory *m = memory;
    if (!m || __atomic_sub_fetch(&m->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (m->give_back)
        m->give_back(m->lender);
    lg_free(m->data);
    lg_free(m);
}

static lg_frame_memory *new_memory(size_t bytes)
{
    lg_frame_memory *m = lg_alloc(sizeof *m);
    uint8_t *data = m ? lg_alloc_uninit(bytes) : NULL;
    if (!data) {
        lg_free(m);
        return NULL;
    }
    *m = (lg_frame_memory){.holders = 1, .data = data};
    return m;
}

// One that nobody else holds, else a new one. The caller holds it.
static lg_frame_memory *find_memory(lg_frame_planes *planes)
{
    for (int i = 0; i < LG_FRAME_SPARES; i++) {
        lg_frame_memory **spare = &planes->spare[i];
        if (!*spare)
            *spare = new_memory(planes->bytes);
        if (!*spare)
            return NULL;
        if (__atomic_load_n(&(*spare)->holders, __ATOMIC_ACQUIRE) == 1)
            return lg_frame_memory_hold(*spare);
    }
    return new_memory(planes->bytes);
}

// ---- planes -------------------------------------------------------------------------------------

void lg_frame_shape(const lg_film *film, lg_frame_planes *out)
{
    const lg_chroma c = film->chroma;
    const int32_t across = c == LG_CHROMA_411                         ? 4
                           : c == LG_CHROMA_420 || c == LG_CHROMA_422 ? 2
                                                                      : 1;
    const int32_t down = c == LG_CHROMA_420 ? 2 : 1;
    *out = (lg_frame_planes){.count = film->planes, .sample = film->bits > 8 ? 2 : 1};
    for (int i = 0; i < out->count; i++) {
        lg_frame_plane *p = &out->plane[i];
        const bool small = i == 1 || i == 2;
        p->width = small ? (film->width - 1) / across + 1 : film->width;
        p->height = small ? (film->height - 1) / down + 1 : film->height;
        p->row = lg_frame_row(out, i);
        out->bytes += p->row * (size_t)p->height; // max_pixels is far below an overflow
    }
}

size_t lg_frame_row(const lg_frame_planes *planes, int plane)
{
    return (size_t)planes->plane[plane].width * planes->sample;
}

lg_status lg_frame_renew(lg_frame_planes *planes, lg_error *error)
{
    lg_frame_memory_release(planes->memory);
    planes->memory = find_memory(planes);
    if (!planes->memory)
        return lg_fail_memory(error, planes->bytes, "a frame");
    size_t used = 0;
    for (int i = 0; i < planes->count; i++) {
        lg_frame_plane *p = &planes->plane[i];
        p->row = lg_frame_row(planes, i);
        p->data = planes->memory->data + used;
        used += p->row * (size_t)p->height;
    }
    return LG_OK;
}

lg_status lg_frame_create(const lg_film *film, lg_frame_planes *out, lg_error *error)
{
    lg_frame_shape(film, out);
    const lg_status status = lg_frame_renew(out, error);
    if (status == LG_OK)
        memset(out->memory->data, 0, out->bytes);
    return status;
}

lg_status lg_frame_lend(lg_frame_planes *planes, const lg_frame_plane *lent,
                        void (*give_back)(void *lender), void *lender, lg_error *error)
{
    lg_frame_memory *m = lg_alloc(sizeof *m);
    if (!m) {
        give_back(lender);
        return lg_fail_memory(error, sizeof *m, "a frame");
    }
    *m = (lg_frame_memory){.holders = 1, .give_back = give_back, .lender = lender};
    lg_frame_memory_release(planes->memory);
    planes->memory = m;
    for (int i = 0; i < planes->count; i++)
        planes->plane[i].data = lent[i].data, planes->plane[i].row = lent[i].row;
    return LG_OK;
}

void lg_frame_free(lg_frame_planes *planes)
{
    lg_frame_memory_release(planes->memory);
    for (int i = 0; i < LG_FRAME_SPARES; i++)
        lg_frame_memory_release(planes->spare[i]);
    *planes = (lg_frame_planes){0};
}
