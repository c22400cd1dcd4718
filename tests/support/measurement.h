// The harness of kernel.h for measurements. A case says how figures are measured and compared. The harness
// measures each try by the plain reference, then on every CPU level with one thread and with several, and of
// some tries on Vulkan. Images and masks lie at odd places of memory; what stands beside their rows would
// change the figures and must stay as it is. `./dev test --bench` times the same cases instead.
#ifndef LG_TEST_MEASUREMENT_H
#define LG_TEST_MEASUREMENT_H

#include "kernel.h"

#define MEASURE_TEXT 1400

// What one try measures.
typedef struct measured {
    const char *title; // "unaligned"
    const lg_image *image;
    lg_select select;
    bool stack;
    int variant;        // one of the case's
    const void *params; // what the measurement takes beside; the case knows its type
} measured;

// Ways to count, say. None: variant 0 alone.
typedef struct measure_variants {
    const int *of;
    int count;
} measure_variants;

// What of an image can be selected.
typedef enum measure_selects {
    MEASURE_ANY_PIXELS,
    MEASURE_REGIONS, // every pixel of a region and a step: there are no masks
    MEASURE_EVERYTHING
} measure_selects;

typedef struct measure_case {
    const char *name;
    // Returns the figures, which `release` frees; NULL after an error. `context` NULL: the plain reference.
    void *(*measure)(lg_context *context, const measured *what, lg_error *error);
    void (*release)(void *figures); // NULL: free()
    // Whether all figures have the same bits; `text` gets the first difference.
    bool (*same)(const void *want, const void *got, char text[MEASURE_TEXT]);
    // Compares the figures of the reference with those of code that they share nothing with; or NULL.
    void (*oracle)(const measured *what, const void *figures);
    // Draws the parameters of a try of measure_test(); they stay until the next call. NULL: none.
    const void *(*params)(const lg_image_params *shape);
    void (*describe)(const void *params, char text[MEASURE_TEXT]); // or NULL
    measure_variants variants;
    // On Vulkan the first one is measured in every try, and one of the others in turn.
    measure_variants device_variants;
    // Vulkan takes part in one of so many tries: in software nearly every try compiles a kernel.
    int device_share;
    bool refuses; // the device may refuse variant 0 as well
    // Whether the figures come of sums or products in f32, where a device may take numbers below 2^-126
    // for 0: samples near zero are then not compared with such a device. NULL: never.
    bool (*rounds)(const measured *what);
    measure_selects selects;
    int channels; // at most; 0: any
} measure_case;

// Every size, type, number of channels and kind of alpha; floats of every content; and every kind of
// selection: regions, masks, steps, transparent pixels, stacks of layers.
void measure_test(const measure_case *k);

// One try.
void measure_compare(const measure_case *k, const measured *what);
// One try of the image as it lies in memory, on the CPU alone.
void measure_in_place(const measure_case *k, const measured *what);
// One try of this image, which the function makes.
void measure_try(const measure_case *k, const char *title, lg_image_params shape, content kind,
                 bool stack);
// The figures of one context against those that are given, in each of these variants (none: what->variant).
// The image and the mask are taken where they are.
void measure_check(const measure_case *k, lg_context *context, const measured *what,
                   measure_variants variants, const void *want);
// The figures by one context; a failure is a failed check and gives NULL.
void *measure_figures(const measure_case *k, lg_context *context, const measured *what);
void measure_release(const measure_case *k, void *figures);

// The Vulkan device of the harness; NULL, and a skipped check, where there is none.
lg_context *measure_device(void);

// The whole program: the cases, then `more`; or the times of the cases. Returns the exit status.
int measure_main(const char *name, const measure_case *cases, size_t count, void (*more)(void));

#endif
