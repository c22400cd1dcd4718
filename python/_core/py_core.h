// The extension module lumagraph._core: what its files share. It has no state outside the module,
// uses the limited API of CPython 3.11, and of lumagraph the public headers.
#ifndef LUMAGRAPH_PYTHON_CORE_H
#define LUMAGRAPH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <lumagraph/lumagraph.h>

#include <stdatomic.h>

#define CORE_AXES 4 // of an image: layers, rows, columns, channels

// ---- the module ---------------------------------------------------------------------------------

typedef struct core_state {
    PyObject *errors[LG_ERROR_CANCELLED + 1]; // by lg_status; [LG_OK] is the base class
    PyTypeObject *context, *image, *plan, *labels, *accumulator, *areasum;
} core_state;

extern struct PyModuleDef core_module;

// The state, by an object of one of our types.
core_state *core_state_of(PyObject *self);

// Raises the exception of a status with the library's sentence. Returns NULL.
PyObject *core_raise(const core_state *state, lg_status status, const lg_error *error);
int core_errors_add(PyObject *module, core_state *state);

// Adds a heap type of ours to the module. NULL after an error.
PyTypeObject *core_type_add(PyObject *module, PyType_Spec *spec);
extern PyType_Spec core_context_spec, core_image_spec, core_plan_spec, core_labels_spec,
    core_accumulator_spec, core_areasum_spec;
extern PyMethodDef core_measure_methods[], core_component_methods[], core_catalogue_methods[],
    core_accumulator_methods[];

// Sets item `index` of a new tuple or fails when there is none. Steals `item`.
bool core_put(PyObject *tuple, Py_ssize_t index, PyObject *item);

// Tuples of figures, for measurements and accumulators.
PyObject *core_moments_list(const lg_moments *moments, size_t count);
PyObject *core_histogram_list(const lg_histogram *histogram, PyObject *percentiles);

// (bins, low, high, "automatic" | "type" | "given", space, luma). False with an exception.
bool core_parse_bins(PyObject *object, lg_histogram_params *out);

// ---- contexts -----------------------------------------------------------------------------------

// What a thread could not destroy while another one used the context.
typedef struct core_left {
    struct core_left *next;
    void (*destroy)(void *object);
    void *object;
} core_left;

typedef struct core_context {
    PyObject_HEAD
    lg_context *context;
    atomic_bool busy;      // a call is in progress
    PyThreadState *thread; // of that call, while it does not hold the GIL
    _Atomic(core_left *) left;
    PyObject *progress; // is called with the share that is done; NULL: nothing is
    bool on_device;
} core_context;

// Begins a call: the context is taken and the GIL released. False with an exception when the context
// is in use by another thread or closed. After true, core_end must follow.
bool core_begin(core_context *context);

// Ends it. False with an exception: the call failed, or a signal handler raised one.
bool core_end(core_context *context, lg_status status, const lg_error *error);

// Destroys an object of the library that may need its context: now, or when the call of another
// thread has ended.
void core_destroy(core_context *context, void (*destroy)(void *object), void *object);

// ---- images -------------------------------------------------------------------------------------

struct core_tensor;

// Pixels of somebody else's array, or of our own memory.
typedef struct core_image {
    PyObject_HEAD
    Py_buffer source;           // source.obj is NULL without one
    struct core_tensor *tensor; // of DLPack; NULL without one
    void *own;                  // from malloc; NULL without any
    lg_image_params shape;
    void *data;
    bool readonly, is_bool;
    bool has_layers, has_channels; // the array has these axes
    const char *conversion;        // static; NULL: the samples are those of the array
    int ndim;                      // as an array: of what is exported
    Py_ssize_t extent[CORE_AXES], stride[CORE_AXES]; // bytes
} core_image;

// A new image with memory of its own. Opaque alpha is no channel of the array that it exports.
// `keep` are axes that the array has even where their length is 1.
core_image *core_image_new(const core_state *state, const lg_image_params *shape, bool has_layers,
                           bool has_channels);

// The library's view of the pixels, for one call.
lg_status core_image_wrap(const core_context *context, const core_image *image, lg_image **out,
                          lg_error *error);

// An argument that is None or an image. False with a TypeError for anything else.
bool core_image_or_none(const core_state *state, PyObject *object, core_image **out);

// ---- arrays of others ---------------------------------------------------------------------------

typedef struct core_array {
    char *data;
    int ndim;
    Py_ssize_t extent[CORE_AXES], stride[CORE_AXES];
    char kind; // '?' bool, 'u', 'i', 'f'; as in NumPy
    int size;  // of a sample, bytes
    bool swapped, readonly;
} core_array;

// The layout of an array from its buffer. False with a TypeError or ValueError.
bool core_array_of_buffer(const Py_buffer *buffer, core_array *out);

// Takes the tensor of object.__dlpack__(). NULL with an exception.
struct core_tensor *core_tensor_take(PyObject *object, core_array *out);
void core_tensor_free(struct core_tensor *tensor);
PyObject *core_tensor_give(core_image *image, bool versioned);

// A name as NumPy has it, such as "float64"; static storage.
const char *core_array_type(const core_array *array);

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
