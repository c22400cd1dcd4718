// lumagraph: connected components. One call labels an image or stack and measures every component.
// Order of labels, columns and conventions: docs/definitions.md, section Labels.
#ifndef LUMAGRAPH_COMPONENTS_H
#define LUMAGRAPH_COMPONENTS_H

#include <lumagraph/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- labels -------------------------------------------------------------------------------------

// Which pixels belong to components.
typedef enum lg_foreground {
    LG_FOREGROUND_NONZERO, // samples other than 0; NaN is background
    LG_FOREGROUND_ABOVE,   // samples above `level`, as lg_threshold_image has it
    LG_FOREGROUND_VALUES,  // label images: samples other than 0; only equal samples are connected
    LG_FOREGROUNDS
} lg_foreground;

// Name of a rule ("nonzero", "above", "values"). Static storage; NULL for anything else.
LG_API const char *lg_foreground_name(lg_foreground foreground);

typedef struct lg_label_params {
    size_t size; // sizeof(lg_label_params) of the caller; the defaults set it
    lg_foreground foreground;
    double level;     // LG_FOREGROUND_ABOVE, in stored units
    int connectivity; // 4 or 8: each layer by itself; 6, 18 or 26: volumes, layers are z. -1: 8
    // Holes become foreground: background that no path connects to the edge. Paths have the
    // complementary connectivity: 4 for 8, 8 for 4, 6 for 18 and 26, 26 for 6. Not for VALUES. The
    // first and last layer of a volume are edges.
    bool fill_holes;
    bool figures;        // false: labels only
    bool moments;        // second moments too: orientation, axes, eccentricity
    bool shape;          // perimeter, Euler number and circularity too; of volumes the surface
    size_t memory_limit; // bytes; more is refused
} lg_label_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_label_params_init(lg_label_params *params, size_t size);

// LG_FOREGROUND_NONZERO, connectivity 8, holes not filled; figures without moments and shape; 16
// GiB.
static inline lg_label_params lg_label_params_default(void)
{
    lg_label_params params;
    lg_label_params_init(&params, sizeof params);
    return params;
}

// Labels of all pixels: 0 for the background, from 1 for components, in raster order (layer, row,
// column) of their first pixels. Labels do not start again in the next layer. `data` is NULL while
// the labels are on the device only. Thread-safety: as lg_image.
typedef struct lg_labels {
    int32_t width, height, layers;
    uint32_t count;                  // components
    size_t row_stride, layer_stride; // bytes
    uint32_t *data;
} lg_labels;

// Figures of all components of one labelling. Thread-safety: as lg_image.
typedef struct lg_components lg_components;

// Labels an image of one channel. `intensity` is NULL or an image of the same size with one
// channel, whose samples are measured over the components. `labels` or `components` is NULL when
// not wanted. Labels of a Vulkan context stay on the device until lg_labels_download. params NULL
// means defaults. Errors: LG_ERROR_ARGUMENT (channels, connectivity, sizes that differ, a level
// that is not finite), LG_ERROR_LIMIT (memory; more than 2^32 - 1 runs of foreground),
// LG_ERROR_MEMORY.
LG_API lg_status lg_label_image(lg_context *context, const lg_image *image,
                                const lg_label_params *params, const lg_image *intensity,
                                lg_labels **labels, lg_components **components, lg_error *error);

// lg_label_image into the labels of an earlier call with an image of the same size. Their memory is
// reused: new memory costs about as much time as labelling. `labels` is undefined after an error.
LG_API lg_status lg_label_update(lg_context *context, const lg_image *image,
                                 const lg_label_params *params, const lg_image *intensity,
                                 lg_labels *labels, lg_components **components, lg_error *error);

// Labels of one's own, zeroed, for a label image that comes from somewhere else.
LG_API lg_status lg_labels_create(lg_context *context, int32_t width, int32_t height,
                                  int32_t layers, lg_labels **out, lg_error *error);

// Copies labels from the device to `data`, which is allocated if need be. Does nothing when `data`
// has them already.
LG_API lg_status lg_labels_download(lg_context *context, lg_labels *labels, lg_error *error);
LG_API void lg_labels_destroy(lg_labels **labels);

// Figures of labels in host memory. Component i is all pixels with label i, connected or not.
// Errors: as lg_label_image; LG_ERROR_ARGUMENT for a label above `labels->count`.
LG_API lg_status lg_labels_measure(lg_context *context, const lg_labels *labels,
                                   const lg_label_params *params, const lg_image *intensity,
                                   lg_components **components, lg_error *error);

// ---- figures ------------------------------------------------------------------------------------

// Figures of a component. For centroids and moments, pixels are points at integer coordinates.
typedef enum lg_column {
    LG_COLUMN_LABEL,
    LG_COLUMN_AREA, // pixels
    LG_COLUMN_X,
    LG_COLUMN_Y,
    LG_COLUMN_Z, // first column, row and layer of the bounding box
    LG_COLUMN_WIDTH,
    LG_COLUMN_HEIGHT,
    LG_COLUMN_DEPTH,
    LG_COLUMN_CX,
    LG_COLUMN_CY,
    LG_COLUMN_CZ,                  // centroid
    LG_COLUMN_EDGE,                // 1 if the bounding box touches the image's edge, else 0
    LG_COLUMN_EXTENT,              // area / area of the bounding box
    LG_COLUMN_EQUIVALENT_DIAMETER, // of the circle (in volumes the ball) with the same area
    LG_COLUMN_MAJOR_AXIS,
    LG_COLUMN_MINOR_AXIS,        // of the ellipse with the same second moments; `moments`
    LG_COLUMN_ECCENTRICITY,      // of that ellipse
    LG_COLUMN_ORIENTATION,       // of its major axis, radians, see docs/definitions.md
    LG_COLUMN_PERIMETER,         // pixels; `shape`, as the next three
    LG_COLUMN_CROFTON_PERIMETER, // from four directions
    LG_COLUMN_EULER_NUMBER,      // pieces minus holes, in the connectivity of the labelling
    LG_COLUMN_CIRCULARITY,       // 4 pi area / perimeter^2
    LG_COLUMN_SUM,
    LG_COLUMN_MEAN,
    LG_COLUMN_MIN,
    LG_COLUMN_MAX, // of the intensity image, finite samples
    LG_COLUMN_VARIANCE,
    LG_COLUMN_STDDEV, // population
    LG_COLUMN_STDDEV_SAMPLE,
    LG_COLUMN_MX,
    LG_COLUMN_MY,
    LG_COLUMN_MZ, // centroid weighted by intensity
    // The same in micrometres, of pixels of the size that lg_components_pixel_size states.
    LG_COLUMN_AREA_UM2,
    LG_COLUMN_VOLUME_UM3,
    LG_COLUMN_WIDTH_UM,
    LG_COLUMN_HEIGHT_UM,
    LG_COLUMN_DEPTH_UM,
    LG_COLUMN_CX_UM,
    LG_COLUMN_CY_UM,
    LG_COLUMN_CZ_UM,
    LG_COLUMN_EQUIVALENT_DIAMETER_UM,
    LG_COLUMN_MAJOR_AXIS_UM,
    LG_COLUMN_MINOR_AXIS_UM,
    LG_COLUMN_PERIMETER_UM, // of pixels as wide as they are high, as the next
    LG_COLUMN_CROFTON_PERIMETER_UM,
    LG_COLUMN_MX_UM,
    LG_COLUMN_MY_UM,
    LG_COLUMN_MZ_UM,
    // The surface of volumes; `shape`. Faces of pixels across an axis that have no pixel of the
    // component beyond.
    LG_COLUMN_FACES_X,
    LG_COLUMN_FACES_Y,
    LG_COLUMN_FACES_Z,
    LG_COLUMN_SURFACE_AREA,         // of all such faces
    LG_COLUMN_CROFTON_SURFACE_AREA, // from 13 directions
    LG_COLUMN_SPHERICITY,           // area of the ball with the same volume / crofton_surface_area
    LG_COLUMN_SURFACE_AREA_UM2,
    LG_COLUMN_CROFTON_SURFACE_AREA_UM2, // of pixels that are cubes
    LG_COLUMNS
} lg_column;

// Name of a column in snake_case ("area", "equivalent_diameter"). Static storage; NULL for anything
// else.
LG_API const char *lg_column_name(lg_column column);

// The column of that name. Errors: LG_ERROR_ARGUMENT with the nearest name.
LG_API lg_status lg_column_find(const char *name, lg_column *out, lg_error *error);

// What a labelling needs before it can give a figure, as bits.
enum {
    LG_NEEDS_MOMENTS = 1,     // lg_label_params.moments
    LG_NEEDS_SHAPE = 2,       // lg_label_params.shape
    LG_NEEDS_INTENSITY = 4,   // an intensity image
    LG_NEEDS_PLANE = 8,       // connectivity 4 or 8, or an image of one layer
    LG_NEEDS_PIXEL_SIZE = 16, // lg_components_pixel_size along x and y
    LG_NEEDS_DISTANCE = 32,   // and along the layers
    LG_NEEDS_VOLUME = 64,     // connectivity 6, 18 or 26, and several layers
    LG_NEEDS_SQUARES = 128,   // pixels as wide as they are high
    LG_NEEDS_CUBES = 256,     // and as the distance of layers
};

// Sides of pixels are equal that differ by less than this part: files round them.
#define LG_SQUARE_PIXELS 1e-6

// The bits of a column.
LG_API unsigned lg_column_needs(lg_column column);

LG_API uint32_t lg_components_count(const lg_components *components);

// The unit of intensities. Float samples are rounded to multiples of it, by at most half of it;
// sums, means and variances of these are exact, rounded once. A power of two; 1 for integers and
// without intensities.
LG_API double lg_components_unit(const lg_components *components);

// States the size of pixels: micrometres from one to the next along x, y and the layers; 0: not known.
// Errors: LG_ERROR_ARGUMENT (negative, or not finite).
LG_API lg_status lg_components_pixel_size(lg_components *components, const double micrometres[3],
                                          lg_error *error);

// One figure of all components; `out` has a place for each. NaN where a figure does not exist.
// Errors: LG_ERROR_ARGUMENT: the labelling did not measure the figure (the message says what was
// missing), or the figure is for planes and the components are volumes.
LG_API lg_status lg_components_column(const lg_components *components, lg_column column,
                                      double *out, lg_error *error);
LG_API void lg_components_destroy(lg_components **components);

// ---- selection ----------------------------------------------------------------------------------

// Selects components by an expression over columns: keep[i] becomes 1 or 0 for component i + 1.
// Example: `area >= 50 && circularity > 0.8`. An expression has names of columns, numbers, + - * /,
// < <= > >= == !=, ! && || and parentheses. ! binds weaker than comparisons, which do not chain. A
// comparison with NaN is false; a number counts as true when it is neither 0 nor NaN. Errors:
// LG_ERROR_ARGUMENT with the position of the mistake, or with the figure that was not measured.
LG_API lg_status lg_components_select(const lg_components *components, const char *expression,
                                      uint8_t *keep, lg_error *error);

// What an expression needs, as bits, to be asked before labelling.
LG_API lg_status lg_components_needs(const char *expression, unsigned *needs, lg_error *error);

// Keeps the k largest areas among the components whose keep is not 0, and clears keep of the
// others. Of equal areas the lower label stays.
LG_API lg_status lg_components_largest(const lg_components *components, uint32_t k, uint8_t *keep,
                                       lg_error *error);

// Removes the components whose keep is 0. Their pixels become background; the others are renumbered
// from 1 in their old order. `labels` or `components` may be NULL. Labels are downloaded first, and
// are then in host memory only. Errors: LG_ERROR_ARGUMENT (labels and components of different
// labellings), LG_ERROR_MEMORY.
LG_API lg_status lg_components_keep(lg_context *context, lg_labels *labels,
                                    lg_components *components, const uint8_t *keep,
                                    lg_error *error);

// ---- pictures -----------------------------------------------------------------------------------

// The colour of a label: black for 0; successive labels have very different hues. Formula:
// docs/definitions.md.
LG_API void lg_label_color(uint32_t label, uint8_t color[3]);

// A new RGB image of u8 with every label in its colour. This function and those below download the
// labels first if need be.
LG_API lg_status lg_labels_colors(lg_context *context, lg_labels *labels, lg_image **out,
                                  lg_error *error);

typedef struct lg_overlay_params {
    size_t size;      // sizeof(lg_overlay_params) of the caller; the defaults set it
    bool distinct;    // outlines in the colours of their labels
    uint8_t color[3]; // of all outlines otherwise
    // Samples that are black and white, in stored units, of images other than u8; NaN: the smallest and the
    // largest finite one of the image. For rows of an image whose range is known.
    double low, high;
} lg_overlay_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_overlay_params_init(lg_overlay_params *params, size_t size);

// Yellow outlines.
static inline lg_overlay_params lg_overlay_params_default(void)
{
    lg_overlay_params params;
    lg_overlay_params_init(&params, sizeof params);
    return params;
}

// A new RGB image of u8: the image with outlines of the labels. An outline pixel has a label, and a
// neighbour above, below, left or right with another one. u8 samples are kept; other types are
// stretched from the smallest to the largest finite sample. `image` has the size of the labels and
// host memory; its alpha is dropped. params NULL: defaults. Errors: LG_ERROR_ARGUMENT (sizes that
// differ, no host pixels), LG_ERROR_MEMORY.
LG_API lg_status lg_labels_overlay(lg_context *context, lg_labels *labels, const lg_image *image,
                                   const lg_overlay_params *params, lg_image **out,
                                   lg_error *error);

// A new image of u16 with the labels as samples. LG_ERROR_LIMIT above 65535 components.
LG_API lg_status lg_labels_image(lg_context *context, lg_labels *labels, lg_image **out,
                                 lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
