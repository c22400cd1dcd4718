// Arrays on a GPU that CUDA sees, too: memory of ours, tensors of others, and the order of streams.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 4, LAYERS = 0, ROWS, COLUMNS, CHANNELS };

// Memory that tensors of others are copied into, or that images have. It goes with the last of them.
typedef struct shared {
    lg_cuda *cuda;
    lg_cuda_image *image;
} shared;

typedef struct core_cuda {
    lg_cuda *side;
    core_image *images; // those that own memory
    shared *kept[KEPT]; // for copies, the one of the last copy first
    bool submitted;     // work that nobody has waited for
} core_cuda;

typedef struct core_image_cuda {
    core_context *home;
    shared *memory;
    core_image *owner; // in place: the image whose memory it is
    core_image *next;  // of the owners
    bool copied;
} core_image_cuda;

// ---- sides ----------------------------------------------------------------------------------------

bool core_cuda_open(core_context *c)
{
    if (c->cuda)
        return true;
    core_cuda *cuda = calloc(1, sizeof *cuda);
    if (!cuda)
        return PyErr_NoMemory() != NULL;
    if (!core_begin(c)) {
        free(cuda);
        return false;
    }
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_cuda_create(c->context, &cuda->side, &error);
    if (!core_end(c, status, &error)) {
        lg_cuda_destroy(&cuda->side);
        free(cuda);
        return false;
    }
    c->cuda = cuda;
    return true;
}

static void destroy_shared(void *object)
{
    shared *memory = object;
    lg_cuda_image_destroy(memory->cuda, &memory->image);
    free(memory);
}

void core_cuda_close(core_context *c)
{
    core_cuda *cuda = c->cuda;
    if (!cuda)
        return;
    for (int i = 0; i < KEPT; i++)
        if (cuda->kept[i])
            destroy_shared(cuda->kept[i]);
    lg_cuda_destroy(&cuda->side);
    free(cuda);
    c->cuda = NULL;
}

core_context *core_cuda_home(const core_image *image)
{
    return image->cuda->home;
}

lg_image *core_cuda_view(const core_image *image)
{
    return image->cuda->memory->image->image;
}

bool core_cuda_is_copied(const core_image *image)
{
    return image->cuda->copied;
}

int core_cuda_number(const core_image *image)
{
    return lg_cuda_device(image->cuda->memory->cuda);
}

// ---- order ----------------------------------------------------------------------------------------

bool core_cuda_stream(PyObject *object, void **stream, bool *any)
{
    const long long number = object == Py_None ? 1 : PyLong_AsLongLong(object);
    if (number == -1 && PyErr_Occurred())
        return false;
    *any = number != -1;
    *stream = PyLong_AsVoidPtr(object == Py_None ? Py_True : object);
    if (*any && !PyErr_Occurred())
        return true;
    PyErr_Clear();
    *stream = NULL;
    return true;
}

bool core_cuda_signal(const core_image *image, void *stream, bool *signalled)
{
    core_context *c = image->cuda->home;
    *signalled = c->cuda->submitted;
    if (!*signalled)
        return true;
    if (!core_begin(c))
        return false;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_cuda_signal(c->cuda->side, stream, &error);
    return core_end(c, status, &error);
}

// What follows with the context begins behind what is in the stream. With `host_waits` its end is waited
// for here, however long that takes; otherwise on the device, which the library does not wait for
// without a limit.
static lg_status order(core_cuda *cuda, void *stream, bool host_waits, lg_error *error)
{
    return host_waits ? lg_cuda_finish(cuda->side, stream, error)
                      : lg_cuda_wait(cuda->side, stream, error);
}

lg_status core_cuda_follow(core_context *c, void *stream, lg_error *error)
{
    return lg_cuda_wait(c->cuda->side, stream, error);
}

lg_status core_cuda_lead(core_context *c, void *stream, lg_error *error)
{
    c->cuda->submitted = true;
    return lg_cuda_signal(c->cuda->side, stream, error);
}

// cuda_order(image, stream, host_waits): calls with an image begin behind the stream
static PyObject *cuda_order(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_image *image;
    PyObject *number;
    int host_waits;
    void *stream;
    bool any;
    if (!PyArg_ParseTuple(args, "O!Op", state->image, &image, &number, &host_waits) ||
        !core_cuda_stream(number, &stream, &any))
        return NULL;
    if (!any || !image->cuda)
        Py_RETURN_NONE;
    core_context *c = image->cuda->home;
    if (!core_begin(c))
        return NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status = order(c->cuda, stream, host_waits, &error);
    return core_end(c, status, &error) ? Py_NewRef(Py_None) : NULL;
}

// cuda_signal(image, stream) -> whether there was anything to wait for
static PyObject *cuda_signal(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_image *image;
    PyObject *number;
    void *stream;
    bool any, signalled = false;
    if (!PyArg_ParseTuple(args, "O!O", state->image, &image, &number) ||
        !core_cuda_stream(number, &stream, &any))
        return NULL;
    if (any && image->cuda && !core_cuda_signal(image, stream, &signalled))
        return NULL;
    return PyBool_FromLong(signalled);
}

// ---- images ---------------------------------------------------------------------------------------

static bool begin_image(core_image *image, core_context *context, shared *memory)
{
    image->cuda = calloc(1, sizeof *image->cuda);
    if (!image->cuda)
        return PyErr_NoMemory() != NULL;
    *image->cuda =
        (core_image_cuda){.home = (core_context *)Py_NewRef((PyObject *)context), .memory = memory};
    const lg_cuda_image *of = memory->image;
    image->shape = of->image->shape;
    image->shape.row_stride = of->row_stride;
    image->shape.layer_stride = of->layer_stride;
    image->data = of->data;
    core_image_axes(image);
    return true;
}

static bool equal_shapes(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height && a->layers == b->layers &&
           a->channels == b->channels && a->type == b->type && a->alpha == b->alpha;
}

// Memory of that shape from an earlier copy. NULL without any.
static shared *find_kept(core_cuda *cuda, const lg_image_params *shape)
{
    for (int i = 0; i < KEPT; i++)
        if (cuda->kept[i] && equal_shapes(&cuda->kept[i]->image->image->shape, shape)) {
            shared *found = cuda->kept[i];
            cuda->kept[i] = NULL;
            return found;
        }
    return NULL;
}

static lg_status make_shared(core_cuda *cuda, const lg_image_params *shape, shared **out,
                             lg_error *error)
{
    shared *memory = calloc(1, sizeof *memory);
    if (!memory)
        return LG_ERROR_MEMORY;
    memory->cuda = cuda->side;
    const lg_status status = lg_cuda_image_create(cuda->side, shape, &memory->image, error);
    if (status)
        free(memory);
    else
        *out = memory;
    return status;
}

core_image *core_cuda_image_new(const core_state *state, core_context *c,
                                const lg_image_params *shape, bool has_layers, bool has_channels)
{
    if (!core_cuda_open(c) || !core_begin(c))
        return NULL;
    lg_error error = {LG_OK, ""};
    shared *memory = NULL;
    const lg_status status = make_shared(c->cuda, shape, &memory, &error);
    if (!core_end(c, status, &error)) {
        if (memory)
            core_destroy(c, destroy_shared, memory);
        return NULL;
    }
    core_image *image = core_image_blank(state->image);
    if (image) {
        image->has_layers = has_layers || shape->layers > 1;
        image->has_channels = has_channels || shape->channels > 1;
    }
    if (image && begin_image(image, c, memory)) {
        image->cuda->next = c->cuda->images;
        c->cuda->images = image;
        return image;
    }
    core_destroy(c, destroy_shared, memory);
    Py_XDECREF((PyObject *)image);
    return NULL;
}

static void keep(core_context *c, shared *memory)
{
    shared *last = c->cuda->kept[KEPT - 1];
    memmove(&c->cuda->kept[1], &c->cuda->kept[0], (KEPT - 1) * sizeof *c->cuda->kept);
    c->cuda->kept[0] = memory;
    if (last)
        core_destroy(c, destroy_shared, last);
}

void core_cuda_image_drop(core_image *image)
{
    core_image_cuda *own = image->cuda;
    core_context *c = own->home;
    image->cuda = NULL;
    if (own->copied)
        keep(c, own->memory);
    else if (!own->owner) {
        for (core_image **at = &c->cuda->images; *at; at = &(*at)->cuda->next)
            if (*at == image) {
                *at = own->next;
                break;
            }
        core_destroy(c, destroy_shared, own->memory);
    }
    Py_XDECREF((PyObject *)own->owner);
    Py_DECREF((PyObject *)c);
    free(own);
}

// ---- tensors of others ------------------------------------------------------------------------------

static core_image *find_owner(const core_cuda *cuda, const core_array *a, const lg_image_params *s)
{
    for (core_image *i = cuda->images; i; i = i->cuda->next)
        if (i->data == a->data && equal_shapes(&i->shape, s) &&
            (s->height == 1 || i->shape.row_stride == s->row_stride) &&
            (s->layers == 1 || i->shape.layer_stride == s->layer_stride))
            return i;
    return NULL;
}

static bool refuse(const core_array *a)
{
    const bool type = a->kind == 'i' || a->size > 4 || (a->kind == 'u' && a->size > 2);
    if (type)
        PyErr_Format(PyExc_TypeError,
                     "samples of %s on a GPU are not converted: images have uint8, uint16, float16 "
                     "or float32",
                     core_array_type(a));
    else
        PyErr_SetString(PyExc_ValueError,
                        "this tensor is no image as it lies in the memory of the GPU: the samples "
                        "of a pixel are adjacent (channels are the last axis, 1, 2, 4 or three of "
                        "four), so are pixels of a row, and strides are not negative; "
                        ".contiguous() makes one that is");
    return false;
}

// The host waits for the copy: the tensor may go then.
static bool copy_tensor(core_image *image, core_context *c, const core_array *a,
                        const lg_image_params *shape)
{
    core_cuda *cuda = c->cuda;
    shared *memory = find_kept(cuda, shape);
    if (!core_begin(c)) {
        if (memory)
            keep(c, memory);
        return false;
    }
    lg_error error = {LG_OK, ""};
    void *stream = lg_cuda_stream(cuda->side);
    lg_status status = memory ? LG_OK : make_shared(cuda, shape, &memory, &error);
    if (!status && cuda->submitted) // it may still be read
        status = lg_cuda_signal(cuda->side, stream, &error);
    if (!status)
        status = lg_cuda_copy(cuda->side, memory->image, a->data, shape->row_stride,
                              shape->layer_stride, stream, &error);
    if (!status)
        status = lg_cuda_finish(cuda->side, stream, &error);
    if (core_end(c, status, &error) && begin_image(image, c, memory))
        return image->cuda->copied = true;
    if (memory)
        keep(c, memory);
    return false;
}

static bool use_in_place(core_image *image, core_context *c, core_image *owner, bool host_waits)
{
    if (!core_begin(c))
        return false;
    lg_error error = {LG_OK, ""};
    const lg_status status = order(c->cuda, lg_cuda_stream(c->cuda->side), host_waits, &error);
    if (!core_end(c, status, &error) || !begin_image(image, c, owner->cuda->memory))
        return false;
    image->cuda->owner = (core_image *)Py_NewRef((PyObject *)owner);
    return true;
}

bool core_cuda_fill(core_image *image, core_context *c, PyObject *object, PyObject *channels,
                    PyObject *layers, bool may_copy, bool host_waits)
{
    core_array array, ordered;
    int from[CORE_AXES];
    lg_image_params shape;
    if (!core_cuda_open(c) ||
        !(image->tensor = core_tensor_take(object, lg_cuda_stream(c->cuda->side), &array)) ||
        !core_array_order(&array, channels, layers, &ordered, from))
        return false;
    if (from[LAYERS] > 0) {
        PyErr_SetString(PyExc_ValueError, "on a GPU layers are the first axis of a tensor");
        return false;
    }
    if (!core_array_in_place(&ordered, &shape) || shape.channels == 3)
        return refuse(&array);
    shape.planes = NULL;
    image->has_layers = from[LAYERS] >= 0;
    image->has_channels = from[CHANNELS] >= 0;
    image->is_bool = array.kind == '?';
    image->readonly = array.readonly;
    core_image *owner = find_owner(c->cuda, &ordered, &shape);
    if (owner)
        return use_in_place(image, c, owner, host_waits);
    if (may_copy && copy_tensor(image, c, &ordered, &shape)) {
        core_tensor_free(image->tensor);
        image->tensor = NULL;
        return true;
    }
    if (may_copy)
        return false;
    PyErr_SetString(PyExc_ValueError,
                    "this tensor is not in memory that lumagraph.empty() has made, and would be "
                    "copied");
    return false;
}

// ---- functions --------------------------------------------------------------------------------------

// cuda_find(number) -> index of the Vulkan device
static PyObject *cuda_find(PyObject *module, PyObject *args)
{
    int number, index = -1;
    if (!PyArg_ParseTuple(args, "i", &number))
        return NULL;
    lg_error error = {LG_OK, ""};
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_cuda_find(number, &index, &error);
    Py_END_ALLOW_THREADS
    return status ? core_raise(PyModule_GetState(module), status, &error) : PyLong_FromLong(index);
}

// cuda_empty(context, width, height, layers, channels, type, has_layers, has_channels, is_bool)
static PyObject *cuda_empty(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    int type, has_layers, has_channels, is_bool;
    lg_image_params s = {0};
    if (!PyArg_ParseTuple(args, "O!iiiiippp", state->context, &c, &s.width, &s.height, &s.layers,
                          &s.channels, &type, &has_layers, &has_channels, &is_bool))
        return NULL;
    s.type = (lg_type)type;
    s.alpha = s.channels == 3  ? LG_ALPHA_OPAQUE
              : s.channels > 1 ? LG_ALPHA_STRAIGHT
                               : LG_ALPHA_NONE;
    s.channels += s.channels == 3;
    core_image *image = core_cuda_image_new(state, c, &s, has_layers, has_channels);
    if (image)
        image->is_bool = is_bool;
    return (PyObject *)image;
}

PyMethodDef core_cuda_methods[] = {
    {"cuda_find", cuda_find, METH_VARARGS, "The Vulkan device that is a device of CUDA."},
    {"cuda_empty", cuda_empty, METH_VARARGS, "An image that CUDA sees, too."},
    {"cuda_order", cuda_order, METH_VARARGS, "Calls with an image begin behind a stream."},
    {"cuda_signal", cuda_signal, METH_VARARGS, "A stream goes on behind what was submitted."},
    {NULL, NULL, 0, NULL},
};
