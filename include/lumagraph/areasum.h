// lumagraph: area sums. Figures of many boxes of an array of one to six dimensions, from a
// summed-area table or a summed-area ripmap; the time of a box hardly depends on its size. Units,
// errors and the order of plain additions: docs/definitions.md, section Area sums.
#ifndef LUMAGRAPH_AREASUM_H
#define LUMAGRAPH_AREASUM_H

#include <lumagraph/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- arrays -------------------------------------------------------------------------------------

#define LG_AREA_DIMS 6

// An array in the caller's memory. Axis 0 varies fastest, as x in an image; the samples of an
// element (channels) are adjacent.
typedef struct lg_area_array {
    const void *data;
    lg_type type;
    int dims;     // 1 .. LG_AREA_DIMS
    int channels; // 1 .. LG_MAX_CHANNELS
    int64_t
        extent[LG_AREA_DIMS]; // elements along each axis, at least 1; below 2^32 elements in all
    int64_t stride
        [LG_AREA_DIMS]; // bytes from an element to the next along each axis, not negative; the sum
    // of extent * stride over the axes must fit the address space
} lg_area_array;

// The array of an image: axes width, height and, with more than one layer, layers. Opaque alpha is
// not a channel. The image must have host memory.
LG_API lg_status lg_area_array_of_image(const lg_image *image, lg_area_array *out, lg_error *error);

// Sets the strides of an array without gaps from its type, channels and extents. A stride that does
// not fit becomes INT64_MAX; functions refuse such an array.
LG_API void lg_area_array_pack(lg_area_array *array);

// ---- structures ---------------------------------------------------------------------------------

typedef enum lg_areasum_kind {
    LG_AREASUM_TABLE,  // prefix sums: 2^dims reads for a box
    LG_AREASUM_RIPMAP, // sums of all aligned boxes with sides of powers of two: at most
                       // 2 log2(side) reads an axis, each inside the box; also extremes and
                       // histograms
} lg_areasum_kind;

typedef enum lg_area_precision {
    // Floats become integer multiples of a unit, a power of two that is chosen from the array. Sums
    // and sums of squares are exact: tables, ripmaps and devices agree in every bit. Sums have 64
    // bits, sums of squares and of f64 128. f64 is summed on the CPU only.
    LG_AREA_EXACT,
    // Single-precision floats, the textbook method: for comparison, and for half the memory. No
    // squares, no f64.
    LG_AREA_PLAIN,
} lg_area_precision;

typedef struct lg_areasum_params {
    size_t size; // sizeof(lg_areasum_params) of the caller; the defaults set it
    lg_areasum_kind kind;
    lg_area_precision precision;
    bool squares;      // sums of squares too, for variances
    bool extremes;     // minima and maxima too; ripmaps only
    bool counts_above; // count of samples above `above` too
    double above;
    int bins; // histograms with so many equal bins from `low` to `high`; ripmaps only. 0: none
    double low, high;
    lg_nan nan;          // LG_NAN_IGNORE or LG_NAN_ERROR
    size_t memory_limit; // bytes; more is refused
    // Plain ripmaps on the CPU: the array itself is the first level of sums, if its samples are
    // finite f32 without gaps, aligned to 4 bytes. This saves a quarter of the memory and a fifth
    // of the traffic. The array must then stay unchanged until the structure is destroyed or
    // updated. No effect otherwise.
    bool share_array;
} lg_areasum_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_areasum_params_init(lg_areasum_params *params, size_t size);

// An exact table of sums only; bins, where set, cover 0..1; LG_NAN_IGNORE; 16 GiB.
static inline lg_areasum_params lg_areasum_params_default(void)
{
    lg_areasum_params params;
    lg_areasum_params_init(&params, sizeof params);
    return params;
}

// Thread-safety: several threads may query a structure at the same time, each with its own context.
// One that was built on a device is queried with the context that built it, which one thread at a
// time uses.
typedef struct lg_areasum lg_areasum;

// Builds the structure. Only share_array needs the array afterwards. params NULL means defaults.
// Errors: LG_ERROR_ARGUMENT (shape, parameters), LG_ERROR_LIMIT (memory: the message says how much
// is needed, and how much a table would need; squares of 32-bit integers that do not fit 64 bits),
// LG_ERROR_DATA (LG_NAN_ERROR), LG_ERROR_MEMORY, LG_ERROR_IO (scratch files have no room, of a context
// with lg_context_set_memory).
LG_API lg_status lg_areasum_create(lg_context *context, const lg_area_array *array,
                                   const lg_areasum_params *params, lg_areasum **out,
                                   lg_error *error);

// Builds the structure again for another array of the same type, extents and channels, such as the
// next frame. Its memory is reused on host and device. Errors as above; after one the structure can
// only be destroyed or updated. LG_ERROR_ARGUMENT, too, for a structure on the device of another
// context, which stays as it is.
LG_API lg_status lg_areasum_update(lg_context *context, lg_areasum *areasum,
                                   const lg_area_array *array, lg_error *error);
LG_API void lg_areasum_destroy(lg_areasum **areasum);

typedef struct lg_areasum_info {
    lg_areasum_kind kind;
    lg_type type;
    int dims, channels;
    int64_t extent[LG_AREA_DIMS];
    size_t bytes; // of memory in use
    bool exact;   // integer samples: no sample is rounded
    // Samples are rounded to multiples of the unit, by at most half of it; all sums after that are
    // exact. A power of two for floats, 1 for integers, 0 for plain precision.
    double unit;
    uint64_t ignored; // samples that are not finite; no figure includes them
} lg_areasum_info;

LG_API void lg_areasum_get_info(const lg_areasum *areasum, lg_areasum_info *out);

// ---- queries ------------------------------------------------------------------------------------

typedef enum lg_area_figure {
    LG_AREA_SUM,
    // Sum, mean and variance are quotients of integers, rounded once; not so in plain precision.
    LG_AREA_MEAN,     // sum / count. Mean, variance, minimum and maximum are NaN without samples
    LG_AREA_VARIANCE, // population; needs params.squares
    LG_AREA_MIN,      // needs params.extremes
    LG_AREA_MAX,
    LG_AREA_COUNT,       // samples that count
    LG_AREA_COUNT_ABOVE, // needs params.counts_above
    LG_AREA_FIGURES
} lg_area_figure;

// Name of a figure ("sum", "mean" ...). Static storage; NULL for anything else.
LG_API const char *lg_area_figure_name(lg_area_figure figure);

// Figures of boxes. Box i begins along an axis at element bounds[2 * dims * i + axis] and ends
// before element bounds[2 * dims * i + dims + axis]. Its figures go to out[channels * i + channel].
// Errors: LG_ERROR_ARGUMENT: a box that is empty, inverted or partly outside (the message names
// it), a figure that the structure was not built for, or a structure on the device of another
// context; nothing is written. LG_ERROR_DEVICE (the device fails during the query),
// LG_ERROR_MEMORY, LG_ERROR_CANCELLED: the contents of out are undefined. After a device was lost,
// lg_areasum_update builds the structure again, on the CPU.
LG_API lg_status lg_areasum_query(lg_context *context, const lg_areasum *areasum,
                                  lg_area_figure figure, const int32_t *bounds, size_t count,
                                  double *out, lg_error *error);

// Sums of integer samples as signed 64-bit integers, without rounding to the 53 bits of a double.
// Errors: as above, and LG_ERROR_UNSUPPORTED for floats.
LG_API lg_status lg_areasum_query_integers(lg_context *context, const lg_areasum *areasum,
                                           const int32_t *bounds, size_t count, int64_t *out,
                                           lg_error *error);

// Histograms of boxes: out[(channels * i + channel) * bins + bin]. Bins are those of
// lg_measure_histogram with lo = low and hi = high; i32 counts like other integers. Samples outside
// low..high are not counted.
LG_API lg_status lg_areasum_query_histogram(lg_context *context, const lg_areasum *areasum,
                                            const int32_t *bounds, size_t count, uint64_t *out,
                                            lg_error *error);

// Percentile p, 0 to 100, of boxes: that of lg_histogram_percentile from their histograms. Exact for u8
// with 256 bins over 0..255 and u16 with 65536 over 0..65535, else within a bin width. NaN where no
// sample lies in the bins. Errors: as for lg_areasum_query_histogram, and LG_ERROR_ARGUMENT (p).
LG_API lg_status lg_areasum_query_percentile(lg_context *context, const lg_areasum *areasum,
                                             double p, const int32_t *bounds, size_t count,
                                             double *out, lg_error *error);

// The samples as a density: the sum over a box, divided by the sum over the array, for each channel.
// Samples should not be negative; that is not checked. Errors: as for lg_areasum_query, and
// LG_ERROR_DATA: the sum over the array is not above 0.
LG_API lg_status lg_areasum_query_probability(lg_context *context, const lg_areasum *areasum,
                                              const int32_t *bounds, size_t count, double *out,
                                              lg_error *error);

// ---- moments of boxes ---------------------------------------------------------------------------

// Sums of the samples v of a box times powers of their coordinates, which count from the first element
// of the array: 0, 1, 2 ... Every sum and every quotient is that of exact integers, rounded once.
typedef struct lg_area_moment {
    double sum;              // of v
    double x, y, xx, xy, yy; // of v x, v y, v x^2, v x y, v y^2
    double mean_x, mean_y;   // x / sum, y / sum: where the samples lie. NaN where the sum is 0,
    double variance_x, variance_y; // as these: xx / sum - mean_x^2 and so on
    double covariance;             // xy / sum - mean_x mean_y
} lg_area_moment;

// Thread-safety: as lg_areasum.
typedef struct lg_area_moments lg_area_moments;

// Builds tables for moments of a two-dimensional array of u8 or u16 with sides of at most 65536: 6 to 14
// sums of 64 bits for each sample. memory_limit 0: 16 GiB for each four of them. The array is not needed
// afterwards. Errors: LG_ERROR_UNSUPPORTED (another type or number of dimensions), LG_ERROR_LIMIT,
// LG_ERROR_ARGUMENT, LG_ERROR_MEMORY.
LG_API lg_status lg_area_moments_create(lg_context *context, const lg_area_array *array,
                                        size_t memory_limit, lg_area_moments **out,
                                        lg_error *error);
LG_API void lg_area_moments_destroy(lg_area_moments **moments);

// out[channels * i + channel]; boxes and errors as for lg_areasum_query.
LG_API lg_status lg_area_moments_query(lg_context *context, const lg_area_moments *moments,
                                       const int32_t *bounds, size_t count, lg_area_moment *out,
                                       lg_error *error);

// ---- smoothed boxes -----------------------------------------------------------------------------

#define LG_AREA_MAX_ORDER 4

// Thread-safety: as lg_areasum.
typedef struct lg_area_smooth lg_area_smooth;

// Builds a table for means under smooth windows: a box convolved with itself `order` times, from 1
// (a box) over 2 (a pyramid) to 4, nearly a Gaussian. Any number of windows of any odd sides up to
// max_side come from the one table, each with (order + 1)^dims reads. Sums of weights times samples
// are exact in 64 bits: of integers as they are, of floats in multiples of lg_area_smooth_unit. A
// table has an entry of 64 bits for each sample, and order * (max_side - 1) / 2 more along each
// axis. memory_limit 0: 16 GiB. The array is not needed afterwards. The context's device makes
// tables of up to three axes and keeps them. Errors: LG_ERROR_LIMIT (sums that might not fit 64
// bits, units that leave floats fewer than 24 bits, memory), LG_ERROR_DATA (samples that are not
// finite), LG_ERROR_ARGUMENT, LG_ERROR_DEVICE, LG_ERROR_MEMORY.
LG_API lg_status lg_area_smooth_create(lg_context *context, const lg_area_array *array, int order,
                                       int32_t max_side, size_t memory_limit, lg_area_smooth **out,
                                       lg_error *error);
LG_API void lg_area_smooth_destroy(lg_area_smooth **smooth);

// Samples are rounded to multiples of it, by at most half of it. 1 for integers; 0 for NULL.
LG_API double lg_area_smooth_unit(const lg_area_smooth *smooth);

// Means under the windows of boxes: out[channels * i + channel] is the sum of weights times samples
// divided by the sum of weights, both over the elements of the array that the window covers,
// rounded once. The layout of bounds is that of lg_areasum_query. The window has the centre of the
// box, which must be inside the array, and goes order * (side - 1) / 2 elements to either side; it
// may reach outside. Errors: LG_ERROR_ARGUMENT (an even side or one above max_side, a centre
// outside: the message names the window; nothing is written), LG_ERROR_DEVICE (the device with the table is
// lost), LG_ERROR_CANCELLED.
LG_API lg_status lg_area_smooth_query(lg_context *context, const lg_area_smooth *smooth,
                                      const int32_t *bounds, size_t count, double *out,
                                      lg_error *error);

// ---- shapes -------------------------------------------------------------------------------------

typedef enum lg_area_winding {
    LG_AREA_EVEN_ODD, // inside where a ray crosses an odd number of edges
    LG_AREA_NON_ZERO, // inside where the rings wind around
    LG_AREA_WINDINGS
} lg_area_winding;

// Name of a rule ("even-odd", "non-zero"). Static storage; NULL for anything else.
LG_API const char *lg_area_winding_name(lg_area_winding winding);

// Closed rings of points. The unit is pixels; the centre of pixel (0, 0) is (0.5, 0.5). Holes are
// further rings.
typedef struct lg_area_polygon {
    const double *points; // x and y of every point, ring after ring; the last point joins the first
    const size_t *ring;   // points of each ring, at least 3
    size_t rings;         // at least 1
    lg_area_winding winding;
} lg_area_polygon;

// 2^50 pixels. Beyond it a double resolves hardly more than whole pixels.
#define LG_AREA_MAX_COORDINATE 1125899906842624.0

// The pixels of a polygon, or the non-zero pixels of a mask, as runs: disjoint boxes of height 1,
// laid out for lg_areasum_query in two dimensions, sorted by row and column, clipped to width x
// height. A pixel belongs to a polygon when its centre is inside, or on a left or upper edge:
// polygons with a common edge neither share nor lose a pixel. Without any run, *count is 0 and the
// status LG_OK. Free with lg_area_runs_free. Errors: LG_ERROR_ARGUMENT: no ring, a ring of fewer
// than 3 points, a coordinate that is not finite or too large (the message names it), a mask that
// is not one layer of one channel of u8 in host memory with width x height pixels; LG_ERROR_LIMIT:
// sides beyond 2^31 - 1; LG_ERROR_MEMORY.
LG_API lg_status lg_area_polygon_runs(const lg_area_polygon *polygon, int64_t width, int64_t height,
                                      int32_t **bounds, size_t *count, lg_error *error);
LG_API lg_status lg_area_mask_runs(const lg_image *mask, int64_t width, int64_t height,
                                   int32_t **bounds, size_t *count, lg_error *error);
LG_API void lg_area_runs_free(int32_t **bounds);

// A rectangle turned about its centre. The unit is pixels, as of polygons; the angle is in degrees,
// from the x axis towards the y axis: clockwise on a screen.
typedef struct lg_area_rectangle {
    double x, y, width, height, angle;
} lg_area_rectangle;

// How boxes cover a rectangle: pixels of it inside the array, those of them in no box, and those of
// boxes outside it. A sum over the boxes differs from that over the rectangle by at most missing +
// extra times the largest magnitude.
typedef struct lg_area_cover {
    size_t boxes;
    int64_t pixels, missing, extra;
} lg_area_cover;

#define LG_AREA_MAX_PARTS 65536

// At most `most` disjoint boxes instead of the pixels of a turned rectangle, clipped to width x
// height. Pixels belong to it as to a polygon. With R rows and C columns of pixels, missing + extra
// is at most ceil(R / most) * C and ceil(C / most) * R, if no row or column between has none; it is
// 0 when `most` is R or C. *bounds is laid out for lg_areasum_query; free it with
// lg_area_runs_free. Errors: LG_ERROR_ARGUMENT (numbers that are not finite, an empty rectangle,
// most), LG_ERROR_LIMIT, LG_ERROR_MEMORY.
LG_API lg_status lg_area_rectangle_boxes(const lg_area_rectangle *rectangle, int64_t width,
                                         int64_t height, int most, int32_t **bounds,
                                         lg_area_cover *cover, lg_error *error);
// One figure of these boxes together, out[channel]; cover may be NULL. Errors: as above, and as for
// polygons.
LG_API lg_status lg_areasum_query_rectangle(lg_context *context, const lg_areasum *areasum,
                                            lg_area_figure figure,
                                            const lg_area_rectangle *rectangle, int most,
                                            double *out, lg_area_cover *cover, lg_error *error);

// One figure of all pixels of a polygon or mask together, out[channel]. Errors: as for boxes, and
// LG_ERROR_ARGUMENT for a structure that is not two-dimensional or was not built for the figure.
LG_API lg_status lg_areasum_query_polygon(lg_context *context, const lg_areasum *areasum,
                                          lg_area_figure figure, const lg_area_polygon *polygon,
                                          double *out, lg_error *error);
LG_API lg_status lg_areasum_query_mask(lg_context *context, const lg_areasum *areasum,
                                       lg_area_figure figure, const lg_image *mask, double *out,
                                       lg_error *error);

// The same in a three-dimensional array: the shape goes through `layers` layers of axis 2 from `first`
// on. Errors: as above, and LG_ERROR_ARGUMENT for layers outside the array.
LG_API lg_status lg_areasum_query_polygon_layers(lg_context *context, const lg_areasum *areasum,
                                                 lg_area_figure figure,
                                                 const lg_area_polygon *polygon, int64_t first,
                                                 int64_t layers, double *out, lg_error *error);
LG_API lg_status lg_areasum_query_mask_layers(lg_context *context, const lg_areasum *areasum,
                                              lg_area_figure figure, const lg_image *mask,
                                              int64_t first, int64_t layers, double *out,
                                              lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
