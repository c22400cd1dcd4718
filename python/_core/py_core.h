// The extension module lumagraph._core: what its files share. It has no state outside the module,
// uses the limited API of CPython 3.11, and of lumagraph the public headers.
#ifndef LUMAGRAPH_PYTHON_CORE_H
#define LUMAGRAPH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <lumagraph/cuda.h>
#include <lumagraph/lumagraph.h>

#include <stdatomic.h>

#define CORE_AXES 4 // of an image: layers, rows, columns, channels

enum { CORE_DLPACK_CPU = 1, CORE_DLPACK_CUDA = 2, CORE_DLPACK_CUDA_MANAGED = 13 };

// ---- the module ---------------------------------------------------------------------------------

typedef struct core_state {
    PyObject *errors[LG_ERROR_CANCELLED + 1]; // by lg_status; [LG_OK] is the base class
    PyTypeObject *context, *image, *plan, *stream, *labels, *accumulator, *areasum, *windows;
} core_state;

extern struct PyModuleDef core_module;

// The state, by an object of one of our types.
core_state *core_state_of(PyObject *self);

// Raises the exception of a status with the library's sentence. Returns NULL.
PyObject *core_raise(const core_state *state, lg_status status, const lg_error *error);
int core_errors_add(PyObject *module, core_state *state);

// Adds a heap type of ours to the module. NULL after an error.
PyTypeObject *core_type_add(PyObject *module, PyType_Spec *spec);
extern PyType_Spec core_context_spec, core_image_spec, core_plan_spec, core_stream_spec,
    core_labels_spec, core_accumulator_spec, core_areasum_spec, core_windows_spec;
extern PyMethodDef core_measure_methods[], core_component_methods[], core_catalogue_methods[],
    core_accumulator_methods[], core_shape_methods[];

// Sets item `index` of a new tuple or fails when there is none. Steals `item`.
bool core_put(PyObject *tuple, Py_ssize_t index, PyObject *item);

// Tuples of figures, for measurements and accumulators.
PyObject *core_moments_list(const lg_moments *moments, size_t count);
PyObject *core_histogram_list(const lg_histogram *histogram, PyObject *percentiles);

// (bins, low, high, "automatic" | "type" | "given", space, luma). False with an exception.
bool core_parse_bins(PyObject *object, lg_histogram_params *out);

// ---- contexts -----------------------------------------------------------------------------------

// What could not be destroyed while another thread, or a stream, used the context.
typedef struct core_left {
    struct core_left *next;
    void (*destroy)(void *object);
    void *object;
} core_left;

typedef struct core_context {
    PyObject_HEAD
    lg_context *context;
    atomic_bool busy;      // a call is in progress
    atomic_ulong owner;    // the thread of that call
    PyThreadState *thread; // of that call, while it does not hold the GIL
    _Atomic(core_left *) left;
    lg_stream *streaming;   // that may have frames on their way; of the call that is in progress
    PyObject *progress;     // is called with the share that is done; NULL: nothing is
    const char *pixels;     // where those of the last call were; static
    struct core_cuda *cuda; // CUDA's side; NULL: not used yet
    bool limited;           // results lie in its blocks, some of which are files
} core_context;

// Begins a call: the context is taken and the GIL released. A stream that has frames on their way is
// waited for, as it uses the context too. False with an exception when the context is in use by another
// thread or closed, or when the stream was cancelled. After true, core_end must follow.
bool core_begin(core_context *context);

// The same for a call of that stream, whose own frames stay on their way.
bool core_begin_stream(core_context *context, const lg_stream *own);

// Ends it. False with an exception: the call failed, or a signal handler raised one.
bool core_end(core_context *context, lg_status status, const lg_error *error);

// Destroys an object of the library that may need its context, with the GIL: now, or when the call of
// another thread, or the frames of a stream, have ended.
void core_destroy(core_context *context, void (*destroy)(void *object), void *object);

// The same for that stream, whose own frames do not matter.
void core_destroy_stream(core_context *context, const lg_stream *own, void (*destroy)(void *object),
                         void *object);

// ---- images -------------------------------------------------------------------------------------

struct core_tensor;

// Pixels of somebody else's array, of our own memory, or of memory that CUDA sees, too.
typedef struct core_image {
    PyObject_HEAD
    Py_buffer source;           // source.obj is NULL without one
    struct core_tensor *tensor; // of DLPack; NULL without one
    void *own;                  // from malloc; NULL without any
    lg_image *block;            // of a context with a limit, instead; NULL without any
    core_context *block_of;     // is kept as long as the block
    lg_image_params shape;
    void *data;
    bool readonly, is_bool;
    bool has_layers, has_channels; // the array has these axes
    const char *conversion;        // static; NULL: the samples are those of the array
    int ndim;                      // as an array: of what is exported
    Py_ssize_t extent[CORE_AXES], stride[CORE_AXES]; // bytes
    struct core_image_cuda *cuda;                    // NULL: in the memory of the host
} core_image;

// A new object without pixels. NULL with an exception.
core_image *core_image_blank(PyTypeObject *type);

// The axes of the array that an image is, by its shape.
void core_image_axes(core_image *image);

// A new image with memory of its own, which is the context's where that has a limit. Opaque alpha is no
// channel of the array that it exports. `keep` are axes that the array has even where their length is 1.
core_image *core_image_new(const core_state *state, core_context *context,
                           const lg_image_params *shape, bool has_layers, bool has_channels);

// The library's view of the pixels, for one call, which core_image_drop ends.
lg_status core_image_wrap(core_context *context, const core_image *image, lg_image **out,
                          lg_error *error);
void core_image_drop(lg_image **image);

// An argument that is None or an image. False with a TypeError for anything else.
bool core_image_or_none(const core_state *state, PyObject *object, core_image **out);

// ---- plans --------------------------------------------------------------------------------------

typedef struct core_plan {
    PyObject_HEAD
    core_context *context;
    lg_graph *graph; // kept: it knows the names of nodes
    lg_plan *plan;
    lg_image_params output;
    lg_image_params inputs[LG_MAX_INPUTS]; // shapes, to compare
    Py_ssize_t input_count;
    bool has_layers, has_channels; // of the first input
    bool has_output;
} core_plan;

// The images of a tuple, which have the shapes of the plan. False with an exception.
bool core_plan_inputs(const core_plan *plan, const core_state *state, PyObject *images,
                      core_image **out);

// The image that the plan writes: the caller's, or where `out` is NULL a new one in the memory that `like`
// (NULL: the host's) has. NULL with an exception.
core_image *core_plan_result(const core_plan *plan, const core_state *state, core_image *out,
                             const core_image *like);

// Tuples of figures: node, filter, name, numbers.
PyObject *core_figure_list(const lg_figure_value *figures, size_t count);

// ---- arrays of others ---------------------------------------------------------------------------

typedef struct core_array {
    char *data;
    int ndim;
    Py_ssize_t extent[CORE_AXES], stride[CORE_AXES];
    char kind; // '?' bool, 'u', 'i', 'f'; as in NumPy
    int size;  // of a sample, bytes
    bool swapped, readonly;
    bool on_cuda; // `data` is an address there
} core_array;

// The layout of an array from its buffer. False with a TypeError or ValueError.
bool core_array_of_buffer(const Py_buffer *buffer, core_array *out);

// Takes the tensor of object.__dlpack__(). `stream`: of CUDA, which gets to wait for the pixels; NULL for
// tensors of the host. NULL with an exception.
struct core_tensor *core_tensor_take(PyObject *object, void *stream, core_array *out);
void core_tensor_free(struct core_tensor *tensor);
PyObject *core_tensor_give(core_image *image, bool versioned);

// The axes in the order of images. `from` gets the place of each in the array; -1: none. False with an
// exception, also for a shape that no image has.
bool core_array_order(const core_array *array, PyObject *channels, PyObject *layers,
                      core_array *out, int from[CORE_AXES]);
// Whether an array in that order is an image as it lies in memory, and of which shape.
bool core_array_in_place(const core_array *ordered, lg_image_params *shape);

// ---- CUDA -----------------------------------------------------------------------------------------

extern PyMethodDef core_cuda_methods[];

// Begins CUDA's side of a context where it has none. False with an exception.
bool core_cuda_open(core_context *context);
void core_cuda_close(core_context *context);

// An image over a tensor of CUDA: in place where it lies in memory of ours, else copied. False with an
// exception.
bool core_cuda_fill(core_image *image, core_context *context, PyObject *object, PyObject *channels,
                    PyObject *layers, bool may_copy, bool host_waits);
core_image *core_cuda_image_new(const core_state *state, core_context *context,
                                const lg_image_params *shape, bool has_layers, bool has_channels);
void core_cuda_image_drop(core_image *image);

core_context *core_cuda_home(const core_image *image);
lg_image *core_cuda_view(const core_image *image);
bool core_cuda_is_copied(const core_image *image);
int core_cuda_number(const core_image *image);
// Submissions: they begin behind a stream, and it goes on behind them. The context is taken.
lg_status core_cuda_follow(core_context *context, void *stream, lg_error *error);
lg_status core_cuda_lead(core_context *context, void *stream, lg_error *error);
// What a stream of CUDA is given later begins behind submissions that nobody has waited for. False with
// an exception.
bool core_cuda_signal(const core_image *image, void *stream, bool *signalled);
// A stream as DLPack numbers it: None is the legacy default one, -1 none at all (*any is false). False
// with an exception.
bool core_cuda_stream(PyObject *object, void **stream, bool *any);

// A name as NumPy has it, such as "float64"; static storage.
const char *core_array_type(const core_array *array);

// ---- volumes ------------------------------------------------------------------------------------

// The Euler number of each label of a volume, with 26 neighbours. False without memory. Does not need
// the GIL.
bool core_euler_numbers(const lg_labels *labels, double *out);

// ---- area sums ----------------------------------------------------------------------------------

// A buffer of one to six axes, of u8, u16, f16, f32, i32 or f64, whose last axis may be channels. False
// with an exception.
bool core_area_describe(const Py_buffer *buffer, bool channels, lg_area_array *out);

typedef struct core_polygon {
    Py_buffer view; // of the points
    size_t *ring;
    lg_area_polygon polygon;
} core_polygon;

// Shapes as tuples; false with an exception. After core_polygon_take core_polygon_drop must follow.
bool core_polygon_take(PyObject *object, core_polygon *out);
void core_polygon_drop(core_polygon *polygon);
bool core_rectangle_take(PyObject *object, lg_area_rectangle *out);

// (boxes, pixels, missing, extra)
PyObject *core_cover_tuple(const lg_area_cover *cover);

// ---- conversion ---------------------------------------------------------------------------------

// Where a sample does not survive.
typedef struct core_loss {
    bool lost;
    Py_ssize_t index[CORE_AXES];
    char value[40];
} core_loss;

// Copies an array into adjacent samples of a type: bools and u8 into LG_U8, u16 into LG_U16, f16
// into LG_F16, everything else into LG_F32. Without `rounds` it stops at the first sample that f32
// does not hold. Does not need the GIL.
void core_convert(const core_array *array, lg_type type, bool rounds, void *out, core_loss *loss);

// Copies into labels, negative ones as 0. Stops at a label that is no whole number below 2^32.
void core_convert_labels(const core_array *array, lg_labels *out, core_loss *loss);

#endif
