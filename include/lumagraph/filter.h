// lumagraph: the catalogue of filters: names, parameters, units, ranges, formulas, help. Its
// entries come from one source file per filter (src/filter).
#ifndef LUMAGRAPH_FILTER_H
#define LUMAGRAPH_FILTER_H

#include <lumagraph/image.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a filter computes a pixel, which decides how a graph is cut into stages.
typedef enum lg_filter_kind {
    LG_FILTER_POINT,    // one pixel to one pixel
    LG_FILTER_BLEND,    // the same pixel of two images to one
    LG_FILTER_WARP,     // for each output pixel, the place in the input to sample
    LG_FILTER_WINDOW,   // 3 x 3 pixels to one
    LG_FILTER_GENERATE, // a pixel from its position alone; the input gives the size
    LG_FILTER_NATIVE,   // kernels of its own
    LG_FILTER_PIPELINE, // a short name for a pipeline of other filters
    LG_FILTER_KINDS
} lg_filter_kind;

typedef enum lg_param_kind {
    LG_PARAM_NUMBER,
    LG_PARAM_INTEGER,
    LG_PARAM_FLAG,   // 0 or 1; also written no, yes, false, true, off, on
    LG_PARAM_CHOICE, // one of `choices`
    LG_PARAM_POINT,  // x,y: fractions of width and height, origin top left
    LG_PARAM_COLOR, // r,g,b[,a] in 0..1 (a is 1 when left out), one number for grey, or #rrggbb[aa]
    LG_PARAM_MATRIX, // `size` numbers, row by row
    LG_PARAM_TABLE,  // numbers computed from other parameters or an image, never set by the caller;
                     // with the unit "@cdf" or "@ecdf", a measured curve
    LG_PARAM_TEXT,
    LG_PARAM_IMAGE, // #NAME of a table image that replaces the filter `text`; in pipelines only
    LG_PARAM_ALIAS, // another name of the parameter `unit`
    LG_PARAM_BOX,   // WxH+X+Y in pixels: sets the parameters x, y, width, height, and unit to px
    LG_PARAM_KINDS
} lg_param_kind;

#define LG_PARAM_WORDS 16 // most numbers of one parameter

typedef struct lg_filter_param {
    const char *name;
    lg_param_kind kind;
    const char
        *unit; // "" for plain numbers; "0..1" for colours and levels in the unit of the samples:
               // 0..1 where input and output are integers, any number for floats
    float value[LG_PARAM_WORDS];
    int size;            // numbers in `value`
    float min, max;      // allowed range of every number
    const char *choices; // "first|second|third", for LG_PARAM_CHOICE
    const char *text;    // default of LG_PARAM_TEXT
    const char *help;
} lg_filter_param;

enum {
    LG_FILTER_MAKES_COLOR = 1, // a grey input becomes RGB
    LG_FILTER_MAKES_ALPHA = 2, // the output has alpha even when the input has none
    LG_FILTER_PER_CHANNEL =
        4, // r, g and b each depend only on themselves, not on position; alpha stays
    LG_FILTER_TAKES_COLOR = 8,  // the output is RGB when the second image is
    LG_FILTER_TAKES_ALPHA = 16, // the output has alpha when the second image has
    LG_FILTER_PREPARES = 32,    // has an expensive step that depends on its parameters alone
    LG_FILTER_LOOK =
        64, // a look: applies a built-in table or formula; with a second image, that table
    LG_FILTER_AFFINE = 128, // r, g, b are a matrix times those of the input, plus a term for each
    LG_FILTER_AFFINE_ALPHA = 256, // with LG_FILTER_AFFINE: the same of r, g, b and alpha
};

// One worked example: parameters, a pixel of each input, the output pixel. A window filter has nine
// grey pixels, row by row, in `window`.
typedef struct lg_filter_example {
    const char *params;
    float in[4], over[4], out[4];
    float window[9];
    float x, y; // position of the pixel, as fractions
} lg_filter_example;

typedef struct lg_filter {
    const char *name;
    lg_filter_kind kind;
    int inputs; // images, 0 .. 2
    int flags;
    const char *summary; // one line
    const char *formula; // what it computes
    const char *source;  // where it comes from
    const char *notes;   // what differs from the source, and why; NULL when nothing does
    const lg_filter_param *params;
    int param_count;
    const lg_filter_example *examples;
    int example_count;
    const char *neutral; // parameters that leave every image unchanged, as "contrast=1"; NULL: none
    const char *pipeline; // of LG_FILTER_PIPELINE: its text; {name} is replaced by that parameter
} lg_filter;

// The catalogue in alphabetical order. Thread-safety: constant data.
LG_API size_t lg_filter_count(void);
LG_API const lg_filter *lg_filter_at(size_t index); // NULL behind the end

// A filter by name; LG_ERROR_ARGUMENT with the nearest known name when there is none.
LG_API lg_status lg_filter_find(const char *name, const lg_filter **out, lg_error *error);

// A parameter by name or alias; LG_ERROR_ARGUMENT with the nearest known name when there is none.
LG_API lg_status lg_filter_find_param(const lg_filter *filter, const char *name,
                                      const lg_filter_param **out, lg_error *error);

LG_API const char *lg_filter_kind_name(lg_filter_kind kind); // "point", "blend" ...
LG_API const char *lg_param_kind_name(lg_param_kind kind);   // "number", "color" ...

// A straight line in an image, x cos(angle) + y sin(angle) = distance. x and y are pixels from the
// middle of the top left one.
typedef struct lg_straight_line {
    float angle;     // radians, 0 .. pi
    float distance;  // pixels
    float votes;     // edge pixels on the line, as a share of the image's longer side
    float slope;     // the same line as y = slope x + intercept, where x goes from -1 at the left
    float intercept; // edge of the image to 1 at the right one, and y from its top to its bottom;
                     // upright lines have the slope INFINITY, and x as their intercept
    float from[2];   // where it enters and leaves the image, as fractions of width and height:
    float to[2];     // two points of the filter line_generator
} lg_straight_line;

// Reads a layer of a list of lines, which the filters hough_lines and hough_transform_line_detection
// make as an image of floats. `width` and `height` are those of the image in which the lines were
// found. Writes at most `capacity` lines, those with the most votes first, and sets *count to the
// number in the list. Errors: LG_ERROR_ARGUMENT (no such list, layer or size), LG_ERROR_DEVICE.
LG_API lg_status lg_lines_read(const lg_image *list, int32_t layer, int32_t width, int32_t height,
                               lg_straight_line *out, size_t capacity, size_t *count,
                               lg_error *error);

#ifdef __cplusplus
}
#endif

#endif
