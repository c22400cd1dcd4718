// Single samples and pixels of images of any type, borders, and images at odd places of memory.
#ifndef LG_TEST_SAMPLES_H
#define LG_TEST_SAMPLES_H

#include "content.h"

// The sample in units of colours: integers over their largest value.
double sample_get(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel);

// Whether filters see more than black and transparent there. The fourth of four channels of data is an alpha
// to them.
bool sample_is_visible(const lg_image *image, int64_t x, int64_t y, int64_t layer);

// The same as stored: integers are what they are.
double sample_stored(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel);

// Luma of integers by the weights of BT.709 in parts of 65536; of one or two channels the first.
int64_t sample_luma(const lg_image *image, int64_t x, int64_t y, int64_t layer);

// Calls `pixel` for every pixel of the layer, -1: of all, that the selection takes.
void samples_select(const lg_image *image, const lg_select *select, int64_t layer,
                    void (*pixel)(void *arg, int64_t x, int64_t y, int64_t layer), void *arg);

// Stores a value as it is, of integers the part before the point.
void sample_store(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value);

// The same in units of colours.
void sample_put(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value);

// Multiplies the channels of all pixels by the last one.
void samples_premultiply(lg_image *image);

// Samples whose bits differ, any NaN being equal to any NaN; padding does not count. `first` gets a text
// that describes the first of them.
size_t samples_differ(const lg_image *got, const lg_image *want, char first[160]);
bool samples_equal(const lg_image *a, const lg_image *b);

// The largest |a - b| over the larger of 1 and |b|.
double samples_distance(const lg_image *a, const lg_image *b);

// Pixels whose first sample is above 0.
int64_t samples_count_marks(const lg_image *image);

// The values of the parameter border.
extern const char *const border_names[4];

// Index of the sample that stands at i for one of these borders, -1 for none; by walking.
int64_t border_walk(int64_t i, int64_t size, int border);

// A new image, zeroed.
lg_image *image_zeros(lg_context *context, lg_image_params shape);

// An image in memory of its own, with bytes in front of it, behind it, and between its rows and layers.
// Three of four begin at an address that is no multiple of 16.
typedef struct guarded {
    lg_image *image;
    uint8_t *memory;
    size_t bytes;
    uint8_t value; // of the bytes that are no pixels, and of all pixels in the beginning
} guarded;

guarded guarded_open(lg_context *context, lg_image_params shape, uint8_t value);
// The same with the pixels of an image.
guarded guarded_copy(lg_context *context, const lg_image *image, uint8_t value);
// Bytes beside the pixels that have changed.
size_t guarded_spoiled(const guarded *g);
void guarded_close(guarded *g);

#endif
