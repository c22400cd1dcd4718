// The common parts of accumulators: the region that their tiles cover, and how they are saved.
#ifndef LG_ACCUMULATOR_H
#define LG_ACCUMULATOR_H

#include "core/core.h"
#include "core/scan.h"

// Samples of one type over a region of pixels that tiles cover.
typedef struct lg_covered_region {
    lg_type type;
    int channels;
    int64_t width, height, layers;
    uint64_t covered; // pixels of all added tiles, selected or not
} lg_covered_region;

lg_status lg_covered_region_init(lg_covered_region *region, lg_type type, int channels,
                                 int64_t width, int64_t height, int64_t layers, lg_error *error);

// Whether a tile with this number of channels fits at (x, y, layer): its type, its place, and the
// pixels covered already. *pixels is the number of pixels that it covers.
lg_status lg_covered_region_check(const lg_covered_region *region, const lg_scan *tile,
                                  int channels, int64_t x, int64_t y, int64_t layer,
                                  uint64_t *pixels, lg_error *error);

// Whether two accumulators may be merged: they have the same kind of samples, and together not more
// pixels than the region.
lg_status lg_covered_region_check_merge(const lg_covered_region *into,
                                        const lg_covered_region *from, lg_error *error);

// ---- saved accumulators: little-endian words of 64 bits -------------------------------------------
//
//   magic, version, type, channels, width, height, layers, pixels added,
//   what each kind has, check sum of all before it (lg_saved_sum).

#define LG_SAVED_HEADER 8 // words

typedef struct lg_saved_kind {
    const char *magic; // 8 characters
    uint64_t version;
} lg_saved_kind;

void lg_put64(uint8_t **at, uint64_t value);
uint64_t lg_get64(const uint8_t **at);

// *size = bytes, the size of everything, if the caller has no memory yet or `capacity` is enough.
lg_status lg_saved_fit(const void *data, size_t capacity, size_t bytes, size_t *size,
                       lg_error *error);

// `bytes` is the size of everything, `capacity` the available size. *at is NULL when only the size
// was asked for.
lg_status lg_saved_begin(const lg_saved_kind *kind, const lg_covered_region *region, void *data,
                         size_t capacity, size_t bytes, size_t *size, uint8_t **at,
                         lg_error *error);
uint64_t lg_saved_sum(const void *data, size_t size);
// Writes the checksum behind the last word.
void lg_saved_end(void *data, uint8_t *at);

// Checks the parts that all kinds have; *at is then behind the header.
lg_status lg_saved_open(const lg_saved_kind *kind, const void *data, size_t size,
                        lg_covered_region *region, const uint8_t **at, lg_error *error);
lg_status lg_saved_damaged(lg_error *error, const char *what);

#endif
