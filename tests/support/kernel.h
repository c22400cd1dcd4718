// One harness for the kernels of filters. A case says what is run and with what it is compared; the harness
// runs it on every CPU level with several numbers of threads, in images at odd places of memory, whose
// surroundings must stay as they are. `./dev test --bench` times the same cases instead.
#ifndef LG_TEST_KERNEL_H
#define LG_TEST_KERNEL_H

#include "filter/native.h"
#include "samples.h"

typedef lg_status (*kernel_fn)(const lg_native_call *call);

typedef struct kernel_case {
    const char *filter;
    // As in a pipeline. Of a choice in braces, "radius={0|1|5}:border={*}", each try takes one at random; {*}
    // is any border.
    const char *params;
    const char *params_small; // the same for images up to 200 pixels; NULL: params
    kernel_fn reference;      // NULL: the lowest level with one thread
    // Looks at what the reference made of this content, by a definition that shares no code with it; or NULL.
    void (*oracle)(const lg_native_call *done, content kind);
    // Changes what kinds of images are tried; or NULL: inputs of any kind, the output as the first one.
    void (*shapes)(lg_image_params *in, lg_image_params *over, lg_image_params *out);
    void (*draw)(lg_image *image);      // two of three images; NULL: none
    void (*draw_over)(lg_image *image); // two of three second images; NULL: none
    // How far a result may be from the reference, in colours; NULL: not a bit. All levels have the same bits.
    double (*allowed)(const lg_image_params *out);
    content extreme;          // extreme ones beside CONTENT_SPECIAL; 0: none
    bool plain_premultiplied; // premultiplied images are never of extreme content
    int share;                // takes one of so many combinations of sizes and kinds; 0: all
    const char *bench;        // parameters of the timed form; NULL: the defaults
    // Pixels that the references have marked so far.
    int64_t *marks;
} kernel_case;

// Every size, type, number of channels and kind of alpha.
void kernel_test(const kernel_case *k);

// One try: the filter's parameters, and images that the caller keeps; `over` NULL: none. Returns what the
// reference made, to be destroyed by the caller; NULL after a failed check.
lg_image *kernel_compare(const kernel_case *k, const char *params, const lg_image *in,
                         const lg_image *over, lg_image_params out);
// The same with an image of this shape and content, and the oracle.
void kernel_try(const kernel_case *k, const char *params, lg_image_params shape, content kind);

// Output of any type; or, one of three, as between two stages.
void kernel_any_type(lg_image_params *in, lg_image_params *over, lg_image_params *out);
void kernel_or_between(lg_image_params *in, lg_image_params *over, lg_image_params *out);

// Takes one of each choice.
void kernel_pick(char *out, size_t size, const char *choices);

// A call, not yet made. `job` must stay where it is. A wrong name is a failed check.
typedef struct kernel_job {
    lg_native_call call;
    float values[64];
    lg_error error;
} kernel_job;

bool kernel_prepare(kernel_job *job, lg_context *context, const char *filter, const char *params,
                    const lg_image *in, const lg_image *over, lg_image *out);
// Makes it. A failed call is a failed check.
bool kernel_run(lg_context *context, const char *filter, const char *params, const lg_image *in,
                const lg_image *over, lg_image *out);
int kernel_whole(const lg_native_call *call, const char *param); // a parameter that is an integer

// Whether the output is of the first input's type, channels and alpha.
bool kernel_keeps_kind(const lg_native_call *call);

// The context that images belong to, of the lowest level; one of the highest, with several threads; all.
lg_context *kernel_context(void);
// There is no plan of these filters for an image that is too large: the message has `text`.
void kernel_refuses(const char *filters, const lg_image_params *shape, const char *text);
lg_context *kernel_best_context(void);
int kernel_contexts(lg_context *const **out);

// Any number of channels, with an alpha that goes with it, in one or two layers.
lg_image_params kernel_any_shape(int width, int height);
// With this content; alpha of one third of the pixels is zero, of premultiplied ones the colour as well.
lg_image *kernel_image(lg_image_params shape, content kind);
lg_image *kernel_zeros(lg_image_params shape);

// The whole program: the cases, then `more`; or their times. Returns the exit status.
int kernel_main(const char *name, const kernel_case *cases, size_t count, void (*more)(void));

#endif
