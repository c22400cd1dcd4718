// Area sums: the structures behind lumagraph/areasum.h. Definitions: docs/definitions.md, section
// Area sums.
#ifndef LG_AREASUM_PRIVATE_H
#define LG_AREASUM_PRIVATE_H

#include <lumagraph/areasum.h>

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "core/u1024.h"

__extension__ typedef __int128 lg_i128;

// What is summed.
typedef enum lg_area_op {
    LG_AREA_OP_SUM,
    LG_AREA_OP_SQUARES,     // floats: the low bits of squares in units, see lg_area_split
    LG_AREA_OP_SQUARES_TOP, // floats: the bits above these
    LG_AREA_OP_COUNT,       // samples that count; only where some do not
    LG_AREA_OP_ABOVE,
    LG_AREA_OP_LEAST, // the smallest key; keys are ordered as the samples are
    LG_AREA_OP_MOST,
    LG_AREA_OP_BIN,
    LG_AREA_OP_SUM_LOW, // f64: what the units of SUM leave, in smaller ones, see lg_area_below
    LG_AREA_OPS
} lg_area_op;

// Whether an operation sums values; the others count samples or compare keys.
static inline bool lg_area_is_of_values(lg_area_op op)
{
    return op <= LG_AREA_OP_SQUARES_TOP || op == LG_AREA_OP_SUM_LOW;
}

typedef enum lg_area_word { LG_AREA_U32, LG_AREA_U64, LG_AREA_F32, LG_AREA_WORDS } lg_area_word;

// One quantity of every channel: [element][channel].
typedef struct lg_area_plane {
    lg_area_op op;
    lg_area_word word;
    int bin; // LG_AREA_OP_BIN
    // Operations with keys: samples with keys from `first` to `last` count. No sample counts when
    // first > last.
    uint32_t first, last;
    int exponent;        // of the unit of float samples; 0 for integers
    void *data;          // a table, or all blocks of a ripmap but the first
    void *level0;        // ripmaps: the block of the elements themselves
    bool shared;         // level0 is the caller's array, which is only read
    lg_context *limited; // what is here is of its blocks; NULL: of the heap
} lg_area_plane;

#define LG_AREA_BOXES_AT_ONCE 4096 // boxes per job of a thread
// Of what lies in a file, pages are let go of so often: for a word of it the kernel maps 64 KiB, or more.
#define LG_AREA_MAPPED_NODES 16

struct lg_areasum {
    lg_areasum_params params;
    lg_area_array shape; // packed, without data
    size_t elements;
    size_t bytes;
    bool floats;
    int magnitude; // floats: the smallest E with |x| < 2^E
    bool guessed;  // while building: magnitude and finiteness are guessed from some samples
    uint64_t ignored;
    // Ripmaps: the number of levels along each axis, at least 1. The block of levels (l0, l1, ...)
    // begins in a plane at element block[l0 + levels[0] * (l1 + levels[1] * (l2 + ...))]. The first
    // block is elsewhere: lg_area_plane.level0.
    int levels[LG_AREA_DIMS];
    size_t *block;
    size_t blocks, block_elements;
    lg_area_plane *planes;
    int plane_count;
    int plane_of[LG_AREA_OPS];                    // -1: none
    struct lg_area_device *device;                // NULL: the planes are in host memory
    const struct lg_area_device_calls *on_device; // what can be done with `device`
    const lg_context *owner;                      // whose device that is
};

static inline size_t lg_area_word_size(lg_area_word word)
{
    return word == LG_AREA_U64 ? 8 : 4;
}

// The bytes of a plane, with level0 unless it is shared; a table has no other block.
static inline double lg_area_plane_bytes(const lg_areasum *a, const lg_area_plane *plane)
{
    const size_t elements = plane->shared ? 0 : a->elements;
    return ((double)a->block_elements + (double)elements) * a->shape.channels *
           (double)lg_area_word_size(plane->word);
}

static inline bool lg_area_is_float(lg_type type)
{
    return type == LG_F16 || type == LG_F32 || type == LG_F64;
}

// ---- floats in units ----------------------------------------------------------------------------

// F of docs/definitions.md: samples are integers of at most 2^F, so that the sum of all is at most
// 2^62.
static inline int lg_area_fraction(size_t elements)
{
    int bits = 0;
    while (((size_t)1 << bits) < elements)
        bits++;
    return 62 - bits;
}

// f64: what is left of a sample below its unit counts in units of 2^-below of it, at most 2^F of these.
static inline int lg_area_below(size_t elements)
{
    return lg_area_fraction(elements) + 1;
}

// Squares have up to 2 F bits. Their sums are two words: one of the low bits of each square, one of
// the bits above. The split is such that neither sum overflows.
static inline int lg_area_split(size_t elements)
{
    return LG_MIN(lg_area_fraction(elements) + 2, 63);
}

// Whether double precision rounds samples to units correctly: a double has enough bits, and
// denormal samples, which a caller's processor may flush to zero, are below half a unit.
static inline bool lg_area_by_doubles(const lg_areasum *a, const lg_area_plane *plane)
{
    return plane->exponent >= a->magnitude - 51 && plane->exponent >= -125;
}

// Most u8 samples whose sum always fits 32 bits.
#define LG_AREA_PART (UINT32_MAX / 255)

static inline bool lg_area_is_signed(const lg_areasum *a)
{
    return a->floats || a->shape.type == LG_I32;
}

// Whether the sums of a plane can wrap, so that boxes are answered in parts.
static inline bool lg_area_wraps(const lg_areasum *a, const lg_area_plane *plane)
{
    return a->params.kind == LG_AREASUM_TABLE && plane->op == LG_AREA_OP_SUM &&
           a->shape.type == LG_U8 && a->elements > LG_AREA_PART;
}

// ---- arrays -------------------------------------------------------------------------------------

lg_status lg_area_array_check(const lg_area_array *array, size_t *elements, lg_error *error);

// ---- building -----------------------------------------------------------------------------------

// Converts `count` adjacent samples to words of a plane.
struct lg_area_lines_table;
void lg_area_values(const struct lg_area_lines_table *lines, const lg_areasum *a,
                    const lg_area_plane *plane, const void *samples, size_t count, void *words);

// f64 as words; the bits of the largest finite magnitude, and how many samples are not finite.
void lg_area_double_words(const lg_areasum *a, const lg_area_plane *plane, const void *samples,
                          size_t count, void *words);
void lg_area_find_most(const void *samples, size_t count, uint64_t *max, uint64_t *ignored);
double lg_area_double_of_key(uint64_t key);

// Whether samples of this type can be counted in these bins.
bool lg_area_bins_fit(lg_type type, const lg_areasum_params *params);

// Sets the first and last key that a plane counts; for extremes, those of all finite samples.
void lg_area_find_keys(const lg_areasum *a, lg_area_plane *plane);

// A line of the array as packed samples: the array itself where they are adjacent, else gathered in
// `scratch`. `line` counts all indices but the first, axis 1 fastest.
const void *lg_area_line(const lg_area_array *array, size_t line, void *scratch);
// `count` elements of a line, from `first` on.
const void *lg_area_span(const lg_area_array *array, size_t line, size_t first, size_t count,
                         void *scratch);

// A slice is the first two axes. These are its number of rows and the number of slices.
static inline size_t lg_area_rows_of(const lg_areasum *a)
{
    return a->shape.dims > 1 ? (size_t)a->shape.extent[1] : 1;
}

static inline size_t lg_area_slices_of(const lg_areasum *a)
{
    return a->elements / (size_t)a->shape.extent[0] / lg_area_rows_of(a);
}

// Planes of at least this many bytes bypass the caches, which would not keep them for the first
// query. Tests set these three to 0.
extern size_t lg_area_stream_least;
// Arrays of at least this many elements are built on a guess of their magnitude.
extern size_t lg_area_guess_least;
// Bytes of samples that the caches keep from a first reading to a second.
extern size_t lg_area_cached;

#define LG_AREA_INFINITE 0x7f800000u

// The smallest E with |x| < 2^E, from the bits of a finite magnitude x.
static inline int lg_area_magnitude_of(uint32_t bits)
{
    float max;
    int magnitude;
    memcpy(&max, &bits, sizeof max);
    (void)frexp((double)max, &magnitude);
    return magnitude;
}

// *right becomes false when the guess was wrong; the plane is then invalid.
lg_status lg_area_build_table(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                              lg_area_plane *plane, void *scratch, bool *right, lg_error *error);
lg_status lg_area_build_ripmap(lg_context *context, const lg_areasum *a, const lg_area_array *array,
                               lg_area_plane *plane, void *scratch, bool *right, lg_error *error);

// Bytes of scratch that the two above need for all workers.
size_t lg_area_table_scratch(const lg_context *context, const lg_areasum *a);
size_t lg_area_ripmap_scratch(const lg_context *context, const lg_areasum *a);

// The block of a tuple of levels, and its extents.
static inline size_t lg_area_block_index(const lg_areasum *a, const int *level)
{
    size_t index = 0;
    for (int d = a->shape.dims - 1; d >= 0; d--)
        index = index * (size_t)a->levels[d] + (size_t)level[d];
    return index;
}

static inline void *lg_area_block(const lg_areasum *a, const lg_area_plane *plane, size_t index)
{
    return index ? (char *)plane->data +
                       a->block[index] * (size_t)a->shape.channels * lg_area_word_size(plane->word)
                 : plane->level0;
}

// ---- queries ------------------------------------------------------------------------------------

// The sums and extremes of a part of a channel; states of disjoint parts add up.
typedef struct lg_area_state {
    uint64_t count, above;
    lg_i128 sum;     // in units
    lg_i128 low;     // f64: what is left below them
    lg_u128 squares; // of units
    float hi, lo;    // sums of plain ripmaps
    double real;     // sums of plain tables
    uint64_t min, max;
} lg_area_state;

lg_area_state lg_area_state_empty(void);

// The value of a sum of squares: SQUARES_TOP sums are shifted by the split.
static inline lg_u128 lg_area_square(const lg_areasum *a, const lg_area_plane *plane, uint64_t sum)
{
    return (lg_u128)sum << (plane->op == LG_AREA_OP_SQUARES_TOP ? lg_area_split(a->elements) : 0);
}

void lg_area_state_add(lg_area_state *to, const lg_area_state *from);

// Adds a box, only as far as `figure` needs it.
void lg_area_add_box(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds, int channel,
                     lg_area_state *state);
// The same for one plane of a ripmap.
void lg_area_add_nodes(const lg_areasum *a, const lg_area_plane *plane, const int32_t *bounds,
                       int channel, lg_area_state *state);
double lg_area_sample_of_key(lg_type type, uint64_t key);
double lg_area_finish(const lg_areasum *a, lg_area_figure figure, const lg_area_state *state);

// Whether a figure needs a plane with this operation.
bool lg_area_needs(lg_area_figure figure, lg_area_op op);
uint64_t lg_area_elements(const lg_areasum *a, const int32_t *bounds); // of a box

// Whether a context may ask for what lies on the device of `owner`; NULL: it is in host memory.
lg_status lg_area_check_owner(const lg_context *context, const lg_context *owner, lg_error *error);
// The same for `a`, and whether all boxes are legal; the message names the first that is not.
lg_status lg_area_check_boxes(lg_context *context, const lg_areasum *a, const int32_t *bounds,
                              size_t count, lg_error *error);

// One figure of the union of disjoint boxes: out[channel].
lg_status lg_area_query_union(lg_context *context, const lg_areasum *a, lg_area_figure figure,
                              const int32_t *bounds, size_t count, double *out, lg_error *error);

// ---- on a Vulkan device -------------------------------------------------------------------------

typedef struct lg_area_device lg_area_device;

// Whether the kernels support what was asked for; *why gets the reason if not.
bool lg_area_fits_device(const lg_context *context, const lg_areasum *a, const char **why);
// Builds the planes on the device, and fills `device` and `on_device`.
lg_status lg_area_build_vulkan(lg_context *context, lg_areasum *a, const lg_area_array *array,
                               lg_error *error);

typedef void lg_area_states_fn(void *arg, size_t first, size_t count, const lg_area_state *states);

typedef struct lg_area_device_calls {
    // Calls each(arg, first, count, states) for some boxes at a time, with a state for each channel
    // of a box.
    lg_status (*states)(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds,
                        size_t count, void *arg, lg_area_states_fn *each, lg_error *error);
    // lg_areasum_query_histogram
    lg_status (*histograms)(const lg_areasum *a, const int32_t *bounds, size_t count, uint64_t *out,
                            lg_error *error);
    void (*destroy)(lg_area_device **device);
} lg_area_device_calls;

#endif
