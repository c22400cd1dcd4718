// Types that the files of this folder share: sums of a component, and the results of backends.
#ifndef LG_COMPONENTS_INTERNAL_H
#define LG_COMPONENTS_INTERNAL_H

#include <lumagraph/components.h>

#include "core/core.h"
#include "core/u1024.h"

// Exact sums over the pixels of a component. An image has fewer than 2^40 pixels and sides of at
// most 2^24, so a first moment fits 64 bits.
typedef struct lg_component_basic {
    uint64_t area;
    uint64_t first;          // (z * height + y) * width + x of the first pixel in raster order
    uint64_t sum[3];         // of x, y and z
    int32_t low[3], high[3]; // bounding box: first and last x, y and z
} lg_component_basic;

// Second moments about the origin of the image.
typedef struct lg_component_second {
    lg_u128 xx, yy, zz, xy, xz, yz;
} lg_component_second;

// Intensities: integers as stored, floats rounded to multiples of lg_components.unit. All sums are
// exact, so the order of samples does not matter.
typedef struct lg_component_intensity {
    __int128 sum, moment[3]; // of samples, and of samples times x, y and z
    lg_u128 squares;
    uint64_t count;  // finite samples
    double min, max; // of these
} lg_component_intensity;

// Counts from which perimeters and the Euler number follow.
typedef struct lg_component_shape {
    // Counts of 2x2 windows by which of their pixels belong to the component: bit 0 upper left, 1
    // upper right, 2 lower left, 3 lower right. Windows may extend beyond the image; [0] is unused.
    // Layer by layer.
    uint64_t windows[16];
    // Border pixels by the length that each contributes: 1, sqrt(2), (1 + sqrt(2)) / 2.
    uint64_t border[3];
    // Of volumes: pixels whose neighbour in the next layer, k % 3 - 1 columns and k / 3 - 1 rows
    // away, does not belong to the component. Beyond the image nothing does.
    uint64_t down[9];
} lg_component_shape;

#define LG_STRAIGHT_DOWN 4 // of `down`

struct lg_components {
    uint32_t count;
    uint32_t before; // components of lower labels that are elsewhere
    int32_t width, height, layers;
    int connectivity;
    double unit;               // of intensities of floats, 1 for integers
    double pixel_size[3];      // in micrometres, 0: not known
    lg_component_basic *basic; // [count] each, NULL where not asked for
    lg_component_second *second;
    lg_component_intensity *intensity;
    lg_component_shape *shape;
};

// One labelling as backends get it: checked, with a resolved connectivity and without holes to
// fill.
typedef struct lg_label_task {
    const lg_image *image;
    const lg_image *intensity; // or NULL
    lg_foreground foreground;
    double level;
    int connectivity;
    double unit; // of intensities of floats; 0: that of these components
    bool figures, moments, shape;
    bool want_labels;
    size_t memory_limit;
} lg_label_task;

static inline bool lg_connectivity_is_volume(int connectivity)
{
    return connectivity == 6 || connectivity == 18 || connectivity == 26;
}

// Allocates what the task asks for, zeroed, for `count` components.
lg_status lg_components_reserve(lg_components *components, const lg_label_task *task,
                                uint32_t count, lg_error *error);

// LG_ERROR_LIMIT when `bytes` exceed the task's limit.
lg_status lg_label_check_memory(const lg_label_task *task, double bytes, lg_error *error);

// Both create *labels if wanted and NULL, or overwrite those given. They fill *components, which
// comes zeroed with its shape; NULL for no figures. On an error the caller destroys both.
lg_status lg_label_cpu(lg_context *context, const lg_label_task *task, lg_labels **labels,
                       lg_components *components, lg_error *error);
lg_status lg_label_vulkan(lg_context *context, const lg_label_task *task, lg_labels **labels,
                          lg_components *components, lg_error *error);
// Whether the device can do all of a task; if not, *why gets the reason and the CPU does the task.
bool lg_label_fits_device(const lg_context *context, const lg_label_task *task, const char **why);

// Labels with undefined pixels, in host memory or only in device memory.
lg_status lg_labels_create_uninit(lg_context *context, int32_t width, int32_t height,
                                  int32_t layers, bool device, lg_labels **out, lg_error *error);

typedef struct lg_labels_private {
    lg_labels labels; // first: lg_labels * and lg_labels_private * are the same address
    lg_context *context;
    struct lg_vk_buffer *device; // dense rows of 32-bit labels; NULL when there is none
    void *scratch;               // of the CPU, kept after lg_label_update; from lg_block_take
    size_t scratch_size;
    bool limited; // the context has a limit of memory; else labels may outlive it
} lg_labels_private;

static inline lg_labels_private *lg_labels_internal(const lg_labels *labels)
{
    return (lg_labels_private *)(uintptr_t)labels;
}

// Figures of labels in host memory; the components come zeroed, with their shape.
lg_status lg_label_measure_host(lg_context *context, const lg_label_task *task,
                                const lg_labels *labels, lg_components *components,
                                lg_error *error);

// The bits of the largest finite magnitude of intensities over the components.
lg_status lg_label_greatest_of(lg_context *context, const lg_label_task *task, uint32_t *out,
                               lg_error *error);

// The image of a task with its holes filled, 0 and 255, on the CPU.
lg_status lg_label_fill_holes(lg_context *context, const lg_label_task *task, lg_image **filled,
                              lg_error *error);

#endif
