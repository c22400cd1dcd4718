// The directories of a TIFF file, without libtiff: where they are, what kind of image each one
// says it is, and whether what they declare is in proportion to the file. libtiff would look at
// each of them, sort and copy whatever they point at, as often as they point at it.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <string.h>

#define MAX_ENTRIES     1024 // of a directory, and different tags in a file; the standard has 150
#define MAX_DIRECTORIES (2 * LG_MAX_LAYERS)

enum {
    SUBFILE_TYPE = 254,
    OLD_SUBFILE_TYPE = 255,
    PHOTOMETRIC = 262,
    IMAGE_DESCRIPTION = 270,
    TILE_OFFSETS = 324,
    TILE_BYTE_COUNTS = 325,
    SUB_IFDS = 330,
    IPTC = 33723,
    GEO_KEYS = 34735,
    GDAL_NODATA = 42113,
    DNG_VERSION = 50706,
};

enum { COLOR_FILTER_ARRAY = 32803, LINEAR_RAW = 34892 };

typedef struct entry {
    uint32_t tag, type;
    uint64_t count;
    uint64_t value; // the first element, when it stands in the entry itself
    uint64_t place; // of the elements
} entry;

typedef struct walk {
    const lg_tiff_source *source;
    lg_tiff_list *list;
    uint64_t budget;    // bytes that entries may still declare
    uint8_t seen[8192]; // a bit for each tag
    uint8_t raw[MAX_ENTRIES * 20];
    int32_t tags;         // different ones
    uint64_t below_count; // SubIFDs that were found
    uint64_t *below;
    size_t below_room;
} walk;

// Bytes of an element; 0: no type of the standard.
static int element_size(uint32_t type)
{
    static const int sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < LG_COUNT(sizes) ? sizes[type] : 0;
}

static entry parse_entry(const walk *w, const uint8_t *raw, uint64_t at)
{
    const int wide = w->source->big ? 8 : 4;
    entry e = {.tag = (uint32_t)lg_tiff_number_in(w->source, raw, 2),
               .type = (uint32_t)lg_tiff_number_in(w->source, raw + 2, 2),
               .count = lg_tiff_number_in(w->source, raw + 4, wide)};
    const uint64_t size = (uint64_t)element_size(e.type);
    const uint8_t *field = raw + 4 + wide;
    const bool inside = e.count <= (uint64_t)wide && e.count * size <= (uint64_t)wide;
    e.place = inside ? at + 4 + (uint64_t)wide : lg_tiff_number_in(w->source, field, wide);
    if (inside && size > 0 && e.count > 0)
        e.value = lg_tiff_number_in(w->source, field, (int)size);
    return e;
}

static lg_status fail_proportion(lg_error *error)
{
    return lg_fail(error, LG_ERROR_LIMIT,
                   "its directories declare more than the file can hold; it is damaged, or made to "
                   "keep a reader busy");
}

static lg_status count_entry(walk *w, const entry *e, lg_error *error)
{
    const uint64_t size = (uint64_t)element_size(e->type);
    uint64_t cost = 12;
    if (size > 0 && e->count > w->budget / size)
        return fail_proportion(error);
    cost += e->count * size;
    if (cost > w->budget)
        return fail_proportion(error);
    w->budget -= cost;
    uint8_t *bits = &w->seen[e->tag >> 3];
    w->tags += !(*bits & 1u << (e->tag & 7));
    *bits |= (uint8_t)(1u << (e->tag & 7));
    return w->tags <= MAX_ENTRIES
               ? LG_OK
               : lg_fail(error, LG_ERROR_LIMIT, "more than %d different tags; it is damaged",
                         MAX_ENTRIES);
}

static bool grow(void *array, size_t *room, size_t used, size_t size)
{
    void **at = array;
    if (used < *room)
        return true;
    const size_t larger = *room ? *room * 2 : 16;
    void *copy = lg_alloc_array(larger, size);
    if (!copy)
        return false;
    if (used)
        memcpy(copy, *at, used * size);
    lg_free(*at);
    *at = copy;
    *room = larger;
    return true;
}

static lg_status note_below(walk *w, const entry *e, lg_error *error)
{
    const int size = element_size(e->type);
    uint8_t raw[8];
    if (size < 4)
        return LG_OK;
    for (uint64_t i = 0; i < e->count && w->below_count < LG_MAX_LAYERS; i++) {
        if (lg_tiff_bytes_at(w->source, e->place + i * (uint64_t)size, raw, (size_t)size) !=
            (size_t)size)
            break;
        if (!grow(&w->below, &w->below_room, w->below_count, sizeof *w->below))
            return lg_fail_memory(error, w->below_count * sizeof *w->below, "a list of images");
        w->below[w->below_count++] = lg_tiff_number_in(w->source, raw, size);
    }
    return LG_OK;
}

// The first one counts where there are several. SHORT, LONG and LONG8.
static void note_numbers(const entry *e, lg_tiff_numbers *out)
{
    if (!out->count && (e->type == 3 || e->type == 4 || e->type == 16))
        *out = (lg_tiff_numbers){e->place, e->count, element_size(e->type)};
}

static lg_status take_entry(walk *w, const entry *e, lg_tiff_directory *out, lg_error *error)
{
    switch (e->tag) {
    case SUBFILE_TYPE:
        out->reduced |= e->value & 1;
        out->mask |= e->value >> 2 & 1;
        break;
    case OLD_SUBFILE_TYPE:
        out->reduced |= e->value == 2;
        break;
    case PHOTOMETRIC:
        out->sensor = e->value == COLOR_FILTER_ARRAY || e->value == LINEAR_RAW;
        break;
    case IMAGE_DESCRIPTION:
        if (element_size(e->type) != 1)
            break;
        out->text = e->place;
        out->text_size = (uint32_t)LG_MIN(e->count, UINT32_MAX);
        break;
    case GEO_KEYS:
        out->georeferenced = true;
        break;
    case TILE_OFFSETS:
        note_numbers(e, &out->tile_offsets);
        break;
    case TILE_BYTE_COUNTS:
        note_numbers(e, &out->tile_sizes);
        break;
    case GDAL_NODATA:
        if (element_size(e->type) != 1)
            break;
        out->no_data = e->place;
        out->no_data_size = (uint32_t)LG_MIN(e->count, UINT32_MAX);
        break;
    case IPTC: // bytes, which files call bytes or numbers of 32 bits
        out->iptc = e->place;
        out->iptc_size = (uint32_t)LG_MIN(e->count * (uint64_t)element_size(e->type), UINT32_MAX);
        break;
    case DNG_VERSION:
        w->list->raw = true;
        break;
    case SUB_IFDS:
        return out->below ? LG_OK : note_below(w, e, error);
    default:
        break;
    }
    return LG_OK;
}

static lg_status read_entries(walk *w, uint64_t at, uint64_t entries, lg_tiff_directory *out,
                              lg_error *error)
{
    const size_t size = w->source->big ? 20 : 12, bytes = (size_t)entries * size;
    lg_status status = LG_OK;
    if (lg_tiff_bytes_at(w->source, at, w->raw, bytes) != bytes)
        return lg_fail(error, LG_ERROR_DATA, "truncated: the file ends inside a directory");
    for (size_t i = 0; i < entries && status == LG_OK; i++) {
        const entry e = parse_entry(w, w->raw + i * size, at + i * size);
        status = count_entry(w, &e, error);
        if (status == LG_OK)
            status = take_entry(w, &e, out, error);
    }
    return status;
}

// Reads one directory and adds it to the list; *next: where the next one is, 0 behind the last.
static lg_status read_directory(walk *w, uint64_t offset, bool below, uint64_t *next,
                                lg_error *error)
{
    const int counter = w->source->big ? 8 : 2, link = w->source->big ? 8 : 4;
    lg_tiff_list *list = w->list;
    lg_tiff_directory found = {.offset = offset, .below = below};
    uint8_t raw[8];
    if (lg_tiff_bytes_at(w->source, offset, raw, (size_t)counter) != (size_t)counter)
        return lg_fail(error, LG_ERROR_DATA,
                       "truncated: directory %d is at byte %llu and the file has %llu", list->count,
                       (unsigned long long)offset, (unsigned long long)w->source->size);
    const uint64_t entries = lg_tiff_number_in(w->source, raw, counter);
    if (entries == 0 || entries > MAX_ENTRIES)
        return lg_fail(error, LG_ERROR_DATA, "damaged: directory %d has %llu entries", list->count,
                       (unsigned long long)entries);
    const uint64_t first = offset + (uint64_t)counter;
    lg_status status = read_entries(w, first, entries, &found, error);
    if (status != LG_OK)
        return status;
    const uint64_t end = first + entries * (w->source->big ? 20 : 12);
    *next = lg_tiff_bytes_at(w->source, end, raw, (size_t)link) == (size_t)link
                ? lg_tiff_number_in(w->source, raw, link)
                : 0;
    if (!grow(&list->directory, &list->room, (size_t)list->count, sizeof *list->directory))
        return lg_fail_memory(error, list->room * sizeof *list->directory, "a list of images");
    list->directory[list->count++] = found;
    return LG_OK;
}

static lg_status read_pages(walk *w, lg_error *error)
{
    const int link = w->source->big ? 8 : 4;
    uint8_t raw[8];
    lg_status status = LG_OK;
    if (lg_tiff_bytes_at(w->source, (uint64_t)link, raw, (size_t)link) != (size_t)link)
        return lg_fail(error, LG_ERROR_DATA, "truncated: the file ends inside its header");
    uint64_t offset = lg_tiff_number_in(w->source, raw, link), mark = 0;
    if (offset == 0)
        return lg_fail(error, LG_ERROR_DATA, "damaged: it has no images");
    for (; offset != 0 && status == LG_OK; w->list->pages = w->list->count) {
        if (offset == mark)
            return lg_fail(error, LG_ERROR_DATA, "damaged: its pages go round in a circle");
        if (w->list->count == LG_MAX_LAYERS)
            return lg_fail(error, LG_ERROR_LIMIT, "more than %d pages; so many can be measured",
                           LG_MAX_LAYERS);
        // A circle comes by the mark once it is as short as the way from there (Brent).
        if ((w->list->count & (w->list->count - 1)) == 0)
            mark = offset;
        status = read_directory(w, offset, false, &offset, error);
    }
    return status;
}

// Canon's raw files say so between header and first directory, which is a picture for the screen.
static bool is_canon_raw(const lg_tiff_source *source, uint64_t first)
{
    uint8_t raw[3];
    return first == 16 && lg_tiff_bytes_at(source, 8, raw, 3) == 3 && memcmp(raw, "CR\2", 3) == 0;
}

lg_status lg_tiff_list_read(const lg_tiff_source *source, lg_tiff_list *out, lg_error *error)
{
    walk *w = lg_alloc(sizeof *w);
    uint64_t next;
    if (!w)
        return lg_fail_memory(error, sizeof *w, "a list of images");
    w->source = source;
    w->list = out;
    w->budget = source->size <= UINT64_MAX / 8 ? 4 * source->size + (64 << 20) : UINT64_MAX;
    lg_status status = read_pages(w, error);
    for (uint64_t i = 0; i < w->below_count && status == LG_OK; i++)
        // A broken one concerns nobody who does not ask for it.
        if (read_directory(w, w->below[i], true, &next, error) == LG_ERROR_MEMORY)
            status = LG_ERROR_MEMORY;
    out->raw |= out->count > 0 && is_canon_raw(source, out->directory[0].offset);
    for (int32_t i = 0; i < out->count; i++)
        out->raw |= out->directory[i].sensor;
    lg_free(w->below);
    lg_free(w);
    return status;
}

void lg_tiff_list_free(lg_tiff_list *list)
{
    lg_free(list->directory);
    *list = (lg_tiff_list){0};
}

#endif
