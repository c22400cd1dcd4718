// Made-up images and the plain computations that the self-test compares with.
#ifndef LG_TOOL_SELFTEST_H
#define LG_TOOL_SELFTEST_H

#include <lumagraph/lumagraph.h>

#define LG_SELFTEST_LAYERS 3

// One image with its selection.
typedef struct lg_selftest_case {
    lg_image_params shape;
    bool select;   // a region inside, a mask and a step
    bool upload;   // measured from device memory, else streamed
    bool variants; // every variant of the histogram
    bool areas;    // area sums as well
    void *data;
    uint8_t *mask;
    lg_region region;
    int step;
} lg_selftest_case;

int lg_selftest_cases(void); // per sample type
// Fills *out for case `index` of a type: the same samples on every machine. false: no memory.
bool lg_selftest_make(int index, lg_type type, lg_selftest_case *out);
void lg_selftest_free(lg_selftest_case *c);

// Sample as a double.
double lg_selftest_sample(const lg_selftest_case *c, int layer, int64_t x, int64_t y, int channel);
bool lg_selftest_takes(const lg_selftest_case *c, int64_t x, int64_t y); // is the pixel measured

// Compare with a plain loop over the pixels.
bool lg_selftest_moments_right(const lg_selftest_case *c, const lg_moments *out);
bool lg_selftest_histogram_right(const lg_selftest_case *c, const lg_histogram *h);
bool lg_selftest_threshold_right(const lg_selftest_case *c, const lg_threshold *results,
                                 const lg_image *binary);

// The same figures bit for bit; NaNs are the same.
bool lg_selftest_same(double a, double b);
bool lg_selftest_moments_same(const lg_moments *a, const lg_moments *b, size_t count);

// Labels, of the whole image.
lg_image_params lg_selftest_label_shape(const lg_selftest_case *c);
lg_label_params lg_selftest_label_params(const lg_selftest_case *c, lg_foreground foreground);
bool lg_selftest_labels_right(const lg_selftest_case *c, const lg_label_params *params,
                              const lg_labels *labels, const lg_components *components);
bool lg_selftest_components_same(const lg_components *a, const lg_components *b);

// Pipeline `index` for images of a type, with or without measured parameters; NULL behind the last.
// Every filter with kernels of its own is among those of u8.
const char *lg_selftest_pipeline(bool with_figures, lg_type type, size_t index);
lg_status lg_selftest_filter_image(lg_context *context, lg_type type, lg_image **out,
                                   lg_error *error);
// Makes *out, also where it fails later.
lg_status lg_selftest_run(lg_context *context, const char *pipeline, lg_image *image,
                          lg_image **out, lg_error *error);
bool lg_selftest_images_same(const lg_image *a, const lg_image *b);

// Figures of boxes, of a table and of a ripmap; sums of integers are compared with a plain loop.
typedef struct lg_selftest_areas {
    double value[6 * 3 * LG_MAX_CHANNELS];
    size_t count;
} lg_selftest_areas;

lg_status lg_selftest_areasums(lg_context *context, const lg_image *image,
                               const lg_selftest_case *c, lg_selftest_areas *out, bool *right,
                               lg_error *error);
bool lg_selftest_areas_same(const lg_selftest_areas *a, const lg_selftest_areas *b);

#endif
