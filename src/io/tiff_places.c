// Where the blocks of a page lie, and the memory that they are read into.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <tiffio.h>

bool lg_tiff_grow(lg_tiff_room *room, size_t bytes)
{
    if (bytes <= room->size)
        return true;
    lg_free(room->data);
    room->data = lg_alloc_uninit(bytes);
    room->size = room->data ? bytes : 0;
    return room->data != NULL;
}

static bool has_tables(const lg_tiff_directory *d)
{
    return d->tile_offsets.size && d->tile_sizes.count == d->tile_offsets.count;
}

bool lg_tiff_may_defer(const lg_tiff_list *list)
{
    for (int32_t i = 0; i < list->count; i++)
        if (!has_tables(&list->directory[i]))
            return false;
    return true;
}

static bool read_numbers(const lg_tiff_source *source, const lg_tiff_numbers *from, uint32_t first,
                         uint32_t count, uint64_t *out)
{
    uint8_t raw[LG_TIFF_PLACES * 8];
    const size_t size = (size_t)from->size, bytes = count * size;
    if (lg_tiff_bytes_at(source, from->place + first * size, raw, bytes) != bytes)
        return false;
    for (size_t i = 0; i < count; i++)
        out[i] = lg_tiff_number_in(source, raw + i * size, from->size);
    return true;
}

static bool read_places(lg_tiff *tiff, const lg_tiff_directory *d, uint32_t block)
{
    const uint32_t first = block / LG_TIFF_PLACES * LG_TIFF_PLACES;
    const uint64_t left = d->tile_offsets.count - first;
    const uint32_t count = (uint32_t)LG_MIN(left, (uint64_t)LG_TIFF_PLACES);
    const bool good = read_numbers(&tiff->source, &d->tile_offsets, first, count, tiff->offset) &&
                      read_numbers(&tiff->source, &d->tile_sizes, first, count, tiff->size);
    tiff->places_first = first;
    tiff->places_count = good ? count : 0;
    return good;
}

bool lg_tiff_place(lg_tiff *tiff, uint32_t block, uint64_t *offset, uint64_t *size)
{
    TIFF *handle = tiff->handle;
    const lg_tiff_directory *d = &tiff->list.directory[tiff->selected];
    // Tables of another length are damaged: libtiff knows what to make of them.
    if (!tiff->defers || !TIFFIsTiled(handle) ||
        d->tile_offsets.count != TIFFNumberOfTiles(handle)) {
        *offset = TIFFGetStrileOffset(handle, block);
        *size = TIFFGetStrileByteCount(handle, block);
        return !tiff->failed;
    }
    if (block >= d->tile_offsets.count ||
        ((block < tiff->places_first || block - tiff->places_first >= tiff->places_count) &&
         !read_places(tiff, d, block)))
        return false;
    *offset = tiff->offset[block - tiff->places_first];
    *size = tiff->size[block - tiff->places_first];
    return true;
}

#endif
