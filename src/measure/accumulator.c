#include "measure/accumulator.h"

#include <stdio.h>

#define MAX_PIXELS (INT64_C(1) << 62)

// ---- regions ------------------------------------------------------------------------------------

lg_status lg_covered_region_init(lg_covered_region *region, lg_type type, int channels,
                                 int64_t width, int64_t height, int64_t layers, lg_error *error)
{
    if ((unsigned)type >= LG_TYPES || channels < 1 || channels > LG_MAX_CHANNELS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator for %d channels of type %d was asked for; 1 to %d channels "
                       "of a known type are possible",
                       channels, (int)type, LG_MAX_CHANNELS);
    if (width < 1 || height < 1 || layers < 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the region %lldx%lldx%lld is empty; every side must be at least 1",
                       (long long)width, (long long)height, (long long)layers);
    if (width > MAX_PIXELS / height || width * height > MAX_PIXELS / layers)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "the region %lldx%lldx%lld is too large; at most 2^62 pixels are counted",
                       (long long)width, (long long)height, (long long)layers);
    *region = (lg_covered_region){type, channels, width, height, layers, 0};
    return LG_OK;
}

static uint64_t size_of(const lg_covered_region *r)
{
    return (uint64_t)r->width * (uint64_t)r->height * (uint64_t)r->layers;
}

// More pixels than there are cannot all be different ones.
static lg_status check_covered(const lg_covered_region *r, uint64_t more, lg_error *error)
{
    if (more > size_of(r) - r->covered)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%llu pixels were added, and %llu more would be more than the region's "
                       "%llu; add every pixel once",
                       (unsigned long long)r->covered, (unsigned long long)more,
                       (unsigned long long)size_of(r));
    return LG_OK;
}

lg_status lg_covered_region_check(const lg_covered_region *r, const lg_scan *s, int channels,
                                  int64_t x, int64_t y, int64_t layer, uint64_t *pixels,
                                  lg_error *error)
{
    if (s->type != r->type || channels != r->channels)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the tile has %d channels of type %s; the accumulator takes %d of type %s",
                       channels, lg_type_name(s->type), r->channels, lg_type_name(r->type));
    if (x < 0 || y < 0 || layer < 0 || x > r->width - s->width || y > r->height - s->height ||
        layer > r->layers - s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a tile of %lldx%lldx%d pixels at (%lld, %lld, %lld) leaves the region of "
                       "%lldx%lldx%lld",
                       (long long)s->width, (long long)s->height, s->layers, (long long)x,
                       (long long)y, (long long)layer, (long long)r->width, (long long)r->height,
                       (long long)r->layers);
    *pixels = (uint64_t)s->width * (uint64_t)s->height * (uint64_t)s->layers;
    return check_covered(r, *pixels, error);
}

lg_status lg_covered_region_check_merge(const lg_covered_region *into,
                                        const lg_covered_region *from, lg_error *error)
{
    if (into->type != from->type || into->channels != from->channels ||
        into->width != from->width || into->height != from->height || into->layers != from->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an accumulator of %lldx%lldx%lld pixels with %d channels of type %s cannot "
                       "take one of %lldx%lldx%lld with %d of type %s; both must describe the same "
                       "region",
                       (long long)into->width, (long long)into->height, (long long)into->layers,
                       into->channels, lg_type_name(into->type), (long long)from->width,
                       (long long)from->height, (long long)from->layers, from->channels,
                       lg_type_name(from->type));
    return check_covered(into, from->covered, error);
}

// ---- bytes --------------------------------------------------------------------------------------

// With a pointer of their own the bytes become one store, or load.
void lg_put64(uint8_t **at, uint64_t value)
{
    uint8_t *to = *at;
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (8 * i));
    *at = to + 8;
}

uint64_t lg_get64(const uint8_t **at)
{
    const uint8_t *from = *at;
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << (8 * i);
    *at = from + 8;
    return value;
}

static uint64_t magic_of(const lg_saved_kind *kind)
{
    const uint8_t *at = (const uint8_t *)kind->magic;
    return lg_get64(&at);
}

lg_status lg_saved_fit(const void *data, size_t capacity, size_t bytes, size_t *size,
                       lg_error *error)
{
    if (data && capacity < bytes)
        return lg_fail(error, LG_ERROR_ARGUMENT, "there is room for %zu bytes; %zu are needed",
                       capacity, bytes);
    *size = bytes;
    return LG_OK;
}

lg_status lg_saved_begin(const lg_saved_kind *kind, const lg_covered_region *r, void *data,
                         size_t capacity, size_t bytes, size_t *size, uint8_t **at, lg_error *error)
{
    *at = NULL;
    const lg_status status = lg_saved_fit(data, capacity, bytes, size, error);
    if (status || !data)
        return status;
    const uint64_t header[LG_SAVED_HEADER] = {
        magic_of(kind),     kind->version,       (uint64_t)r->type,   (uint64_t)r->channels,
        (uint64_t)r->width, (uint64_t)r->height, (uint64_t)r->layers, r->covered};
    *at = data;
    for (int i = 0; i < LG_SAVED_HEADER; i++)
        lg_put64(at, header[i]);
    return LG_OK;
}

// Four words at a time, as a multiplication takes as long as several loads. What is left is hashed as bytes.
uint64_t lg_saved_sum(const void *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t lane[4] = {1, 2, 3, 4};
    for (size_t left = size / 32; left; left--)
        for (int i = 0; i < 4; i++)
            lane[i] = (lane[i] ^ lg_get64(&at)) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 4; i++)
        lane[i] ^= lane[i] >> 32;
    return lg_hash(at, size % 32, lg_hash(lane, sizeof lane, size));
}

void lg_saved_end(void *data, uint8_t *at)
{
    lg_put64(&at, lg_saved_sum(data, (size_t)(at - (uint8_t *)data)));
}

lg_status lg_saved_damaged(lg_error *error, const char *what)
{
    return lg_fail(error, LG_ERROR_DATA, "these bytes are no saved accumulator: %s", what);
}

lg_status lg_saved_open(const lg_saved_kind *kind, const void *data, size_t size,
                        lg_covered_region *region, const uint8_t **at, lg_error *error)
{
    char what[40];
    uint64_t header[LG_SAVED_HEADER];
    if (size < 8 * LG_SAVED_HEADER + 8)
        return lg_saved_damaged(error, "they are too few");
    *at = data;
    for (int i = 0; i < LG_SAVED_HEADER; i++)
        header[i] = lg_get64(at);
    snprintf(what, sizeof what, "the first 8 are not %s", kind->magic);
    if (header[0] != magic_of(kind))
        return lg_saved_damaged(error, what);
    if (header[1] != kind->version)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the accumulator was saved in version %llu of the format; this library "
                       "reads version %llu",
                       (unsigned long long)header[1], (unsigned long long)kind->version);
    const uint8_t *end = (const uint8_t *)data + size - 8;
    if (lg_get64(&end) != lg_saved_sum(data, size - 8))
        return lg_saved_damaged(error, "the check sum is wrong");
    if (header[2] >= LG_TYPES || header[3] < 1 || header[3] > LG_MAX_CHANNELS ||
        header[4] > INT64_MAX || header[5] > INT64_MAX || header[6] > INT64_MAX)
        return lg_saved_damaged(error, "the header is out of range");
    const lg_status status =
        lg_covered_region_init(region, (lg_type)header[2], (int)header[3], (int64_t)header[4],
                               (int64_t)header[5], (int64_t)header[6], error);
    if (status)
        return status;
    region->covered = header[7];
    if (region->covered > size_of(region))
        return lg_saved_damaged(error, "more pixels were added than there are");
    return LG_OK;
}
