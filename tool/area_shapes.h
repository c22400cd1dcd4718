// Shapes of areasum: boxes and polygons from the command line or a CSV file, and the mask.
#ifndef LG_TOOL_AREA_SHAPES_H
#define LG_TOOL_AREA_SHAPES_H

#include "session.h"

typedef enum lg_shape_kind { LG_SHAPES_BOXES, LG_SHAPES_POLYGONS, LG_SHAPES_MASK } lg_shape_kind;

typedef struct lg_named_polygon {
    char *id;
    size_t line;        // of its first point
    size_t point, ring; // its first ones
    size_t rings;
} lg_named_polygon;

typedef struct lg_area_shapes {
    lg_shape_kind kind;
    const char *path; // of the CSV file; NULL: the shapes are from the command line
    size_t count;
    int64_t first_layer, layers; // that polygons and the mask go through; 0 layers: all
    // boxes, in the layout of lg_areasum_query
    int dims;    // 2 or 3, of ranges 1 to LG_AREA_DIMS
    bool ranges; // boxes of arrays, given as ranges along the axes of NumPy's shape
    int32_t *bounds;
    uint32_t *line; // of the CSV file; 0 beyond 2^32
    // polygons
    lg_named_polygon *polygon;
    double *points; // x and y
    size_t point_count;
    size_t *ring; // points of each
    size_t ring_count;
    size_t room[4]; // of the arrays above
} lg_area_shapes;

// Reads what the options name. Messages name the file and the line.
// Errors: LG_ERROR_IO, LG_ERROR_ARGUMENT (what the file says), LG_ERROR_MEMORY.
lg_status lg_area_shapes_read(const lg_options *options, lg_area_shapes *out, lg_error *error);
void lg_area_shapes_free(lg_area_shapes *shapes);

// Whether the shapes fit an image; the message names the one that does not.
lg_status lg_area_shapes_fit(const lg_area_shapes *shapes, const lg_image_params *image,
                             lg_error *error);

// Boxes of ranges: tool/area_ranges.c. The options' boxes for an array, whose axes end open ranges; and
// whether all boxes fit it.
lg_status lg_area_ranges_fit(const lg_options *options, lg_area_shapes *shapes,
                             const lg_area_array *array, lg_error *error);
// Box `index` as --box takes it, such as "1:3,0:4".
#define LG_RANGES_SIZE (LG_AREA_DIMS * 24)
const char *lg_area_ranges_text(const lg_area_shapes *shapes, size_t index, char *out);
// First (part 0) or end (part 1) of a box along an axis of NumPy's shape.
int32_t lg_area_range_of(const lg_area_shapes *shapes, size_t index, int part, int axis);
// Columns of CSV files: "first_0" ... "end_0" ...; out[2 * dims].
void lg_area_range_columns(int dims, const char **out);
// The shape of an array as NumPy writes it.
const char *lg_area_shape_text(const lg_area_array *array, char *out);

// Least and greatest finite sample of an array; NAN when there is none.
void lg_area_find_range(const lg_area_array *array, double *low, double *high);

// *array with room for `used` + 1 elements of `size` bytes. False: no memory.
bool lg_area_grow(void *array, size_t *room, size_t used, size_t size);

// The rows of a CSV file as they come; tool/area_csv.c.
lg_status lg_area_read_boxes(FILE *stream, lg_area_shapes *out, lg_error *error);
lg_status lg_area_read_polygons(FILE *stream, lg_area_shapes *out, lg_error *error);

#endif
