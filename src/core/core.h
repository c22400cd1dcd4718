// The base of all parts of the library: errors, log, checked sizes, memory, threads, context.
#ifndef LG_CORE_H
#define LG_CORE_H

#include <lumagraph/lumagraph.h>

#define LG_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LG_MIN(a, b)    ((a) < (b) ? (a) : (b))
#define LG_MAX(a, b)    ((a) > (b) ? (a) : (b))

#define LG_MUST_CHECK          __attribute__((warn_unused_result))
#define LG_PRINTF(text, first) __attribute__((format(__printf__, text, first)))

// ---- errors: fill *error (may be NULL) and return the status ------------------------------------

lg_status lg_fail(lg_error *error, lg_status status, const char *format, ...) LG_PRINTF(3, 4);
lg_status lg_fail_memory(lg_error *error, size_t bytes, const char *what);
// LG_ERROR_ARGUMENT: one of the arguments that `what` names is NULL.
lg_status lg_fail_null(lg_error *error, const char *what);
// LG_ERROR_CANCELLED.
lg_status lg_fail_cancelled(lg_error *error);

// ---- structures of parameters: their size stands first, see docs/abi.md -------------------------

typedef struct lg_params_type {
    const char *name; // "lg_moments_params"
    size_t size;      // of this version
    size_t first;     // of the first version that has a size member
} lg_params_type;

// Copies a caller's structure of this or an earlier version over the defaults in *out; NULL leaves
// the defaults. LG_ERROR_ARGUMENT for a size that no version up to this one has.
lg_status lg_params_take(const void *given, const lg_params_type *type, void *out, lg_error *error);

// `last`: the last member of the first version.
#define LG_PARAMS_TYPE(type, last)                                                                 \
    ((const lg_params_type){#type, sizeof(type), offsetof(type, last) + sizeof(((type *)0)->last)})

// ---- log ----------------------------------------------------------------------------------------

typedef struct lg_logger {
    lg_log_fn fn;
    void *priv;
} lg_logger;

void lg_log(const lg_logger *log, lg_log_level level, const char *format, ...) LG_PRINTF(3, 4);

// ---- sizes: the one place where products of dimensions are formed -------------------------------

bool lg_size_mul(size_t a, size_t b, size_t *out); // false on overflow
bool lg_size_add(size_t a, size_t b, size_t *out);
size_t lg_align_up(size_t value, size_t alignment); // alignment: a power of two; no overflow check

// ---- memory: NULL when used up; a test hook fails the Nth allocation ----------------------------

void *lg_alloc(size_t bytes);                    // zeroed
void *lg_alloc_array(size_t count, size_t size); // zeroed; NULL on overflow as well
void *lg_alloc_aligned(size_t bytes);            // 64-byte aligned, zeroed; free with lg_free
void *lg_alloc_uninit(size_t bytes);             // as lg_alloc_aligned, contents undefined
void lg_free(void *pointer);
// Asks the system for large pages, as new memory otherwise costs a fault for every 4 KiB. No effect
// on small blocks.
void lg_use_large_pages(void *pointer, size_t bytes);
char *lg_strdup(const char *text);
void lg_alloc_fail_after(int64_t count); // tests: -1 turns it off

// ---- threads ------------------------------------------------------------------------------------

#define LG_MAX_THREADS 1024

typedef struct lg_pool lg_pool;

// `threads` workers including the caller of lg_pool_run; fewer when the system refuses. Workers
// block all signals, so handlers run on the caller's threads. A forked child has no workers: there
// the caller does all jobs.
lg_pool *lg_pool_create(int threads);
void lg_pool_destroy(lg_pool *pool);
int lg_pool_threads(const lg_pool *pool);

// Calls job(arg, index, worker) for index 0 .. count-1 on all workers and waits. `worker` is 0 ..
// lg_pool_threads()-1, for scratch memory of its own. Jobs start in order.
void lg_pool_run(lg_pool *pool, size_t count, void (*job)(void *arg, size_t index, int worker),
                 void *arg);

#define LG_PROGRESS_SECONDS 0.02 // between two calls of the caller's function, at least

// Sets a function that is called after each job, on the thread that did it, and by lg_pool_report.
void lg_pool_relieve(lg_pool *pool, void (*relieve)(void *priv), void *priv);

// Sets the function that gets the progress of calls, at most every `seconds`. NULL: none.
void lg_pool_watch(lg_pool *pool, lg_progress_fn progress, void *priv, double seconds);

// Reports the progress of the present step. LG_ERROR_CANCELLED when the call must end. Only on the
// thread that made the call, which is worker 0 in jobs of lg_pool_run.
lg_status lg_pool_report(lg_pool *pool, double part, lg_error *error) LG_MUST_CHECK;

// A thread that blocks signals as workers do. NULL: the system refuses, or there is no memory.
typedef struct lg_thread lg_thread;
lg_thread *lg_thread_start(void (*run)(void *arg), void *arg);
void lg_thread_join(lg_thread **thread); // NULL and a pointer to NULL are fine

int lg_processor_count(void); // processors this process may use

// ---- time and checks ----------------------------------------------------------------------------

double lg_time_seconds(void); // monotonic

uint64_t lg_hash(const void *data, size_t size,
                 uint64_t seed); // for our own files; not cryptographic

// ---- context ------------------------------------------------------------------------------------

struct lg_vk;

struct lg_context {
    lg_context_params params;
    int process; // that made the context: a forked child has neither its workers nor its device
    lg_logger log;
    lg_cpu_level cpu_level;
    lg_pool *pool;
    struct lg_vk *vk; // the device to compute on; NULL: the CPU computes, perhaps as the fallback
    struct lg_vk *attached; // the device, which may hold images and results; NULL: there is none
    bool on_device;         // the current call is part of work on the device
    bool loss_logged;
    struct lg_workspace *workspace; // device/workspace.h; NULL until a measurement ran on vk
    lg_device_info info, processor;
    char *cache_dir; // NULL when nothing is cached
    lg_engine_report report;
    lg_histogram_variant cpu_histogram[2]; // measured for 1 and 4 channels; AUTO: not yet
    struct lg_spill *spill;                // device/spill.h; NULL: the heap takes all blocks
    const char *scratch_folder;            // of the limit of memory; NULL: there is none
    uint32_t *cpu_pairs; // tables of the histogram, all zero between calls; NULL until needed
};

struct lg_vulkan_device;
// lg_context_create; lent: a device of the application, NULL: that of the parameters.
lg_status lg_context_make(const lg_context_params *params, const struct lg_vulkan_device *lent,
                          lg_context **out, lg_error *error);

// Every public function calls this first. LG_ERROR_ARGUMENT without a context; LG_ERROR_DEVICE for
// a context of the parent process after a fork.
lg_status lg_context_check(const lg_context *context, lg_error *error);

// ---- images -------------------------------------------------------------------------------------

struct lg_vk_buffer;

typedef struct lg_image_private {
    lg_image image; // first: lg_image * and lg_image_private * are the same address
    lg_context *context;
    bool owns_data;
    bool limited;                // the context has a limit of memory; else pixels may outlive it
    struct lg_vk_buffer *device; // device copy, NULL when there is none
    size_t device_row_stride, device_layer_stride;
    uint64_t uploaded; // under validation: digest of the host pixels at the upload
    bool has_digest;
    bool has_domain; // lg_image_set_domain
    float domain[2][3];
    lg_planes stored;                              // what shape.planes points to
    struct lg_image_private *plane[LG_MAX_PLANES]; // images of one plane; NULL: there are no planes
    struct lg_image_private *whole;                // of such an image: the one that it is part of
    int holders;                                   // planes of this image that the caller has
    void (*release)(void *released); // of an image of planes: called at its end; NULL: nothing is
    void *released;
} lg_image_private;

// LG_ERROR_ARGUMENT for an image of planes, which `what` ("a mask") cannot be.
lg_status lg_image_check_adjacent(const lg_image_params *shape, const char *what, lg_error *error);

// Under validation, remembers the host pixels of a device copy by their digest. Images that were
// only written on the device have no digest.
void lg_image_remember(lg_image_private *image);
void lg_image_forget(lg_image_private *image);
// LG_ERROR_ARGUMENT when the host pixels were written since the upload.
lg_status lg_image_check_copy(const lg_image *image, lg_error *error);

lg_status lg_shape_check(const lg_image_params *shape, lg_error *error);
// Whether two images share a byte of pixels in host memory; the padding of rows does not count.
bool lg_images_overlap(const lg_image *a, const lg_image *b);

// Sets the strides of an image that the library allocates, and *bytes to its size.
lg_status lg_image_layout(lg_image_params *shape, size_t *bytes, lg_error *error);
// lg_image_create with undefined pixels, for outputs that are written whole.
lg_status lg_image_create_uninit(lg_context *context, const lg_image_params *shape, lg_image **out,
                                 lg_error *error);
size_t lg_pixel_size(const lg_image_params *shape); // bytes of one pixel

// Whether a shape is packed RGB, which is read as the padded image of the same pixels.
bool lg_shape_is_packed(const lg_image_params *shape);
// The shape that kernels get: for a packed image that of the padded one, without strides.
lg_image_params lg_shape_padded(const lg_image_params *shape);
// Copies pixels of three samples of `size` bytes, `step` bytes apart, to pixels of four with the
// last 0; and back.
void lg_pad_pixels(const void *from, size_t pixels, size_t step, size_t size, void *to);
void lg_unpad_pixels(const void *from, size_t pixels, size_t size, void *to);
float lg_half_to_float(uint16_t half);
uint16_t lg_float_to_half(float value); // round to nearest even
// Sample i of a row, as it is stored, at any address.
double lg_sample_at(const void *row, lg_type type, size_t i);

// Parses a finite decimal number such as -1.5e-3 in any locale; *end is behind it. Hexadecimal, inf
// and nan are refused.
bool lg_parse_number(const char *text, const char **end, double *out);

// For messages: the fewest digits, six or more, that read back as the same float.
#define LG_FLOAT_TEXT 24
const char *lg_float_text(float value, char out[LG_FLOAT_TEXT]);

#endif
