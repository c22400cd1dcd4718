// Planes of a frame in memory.
#include "io/film.h"

lg_status lg_frame_create(const lg_film *film, lg_frame_planes *out, lg_error *error)
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
        p->row = (size_t)p->width * out->sample;
        out->bytes += p->row * (size_t)p->height; // max_pixels is far below an overflow
    }
    out->memory = lg_alloc_aligned(out->bytes);
    if (!out->memory)
        return lg_fail_memory(error, out->bytes, "a frame");
    size_t used = 0;
    for (int i = 0; i < out->count; i++) {
        out->plane[i].data = out->memory + used;
        used += out->plane[i].row * (size_t)out->plane[i].height;
    }
    return LG_OK;
}

void lg_frame_free(lg_frame_planes *planes)
{
    lg_free(planes->memory);
    *planes = (lg_frame_planes){0};
}
