// Moments, of all or of boxes, and histograms of an image that comes in tiles. States merge and are saved
// as bytes.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

enum { MOMENTS, HISTOGRAM, BOXES };

typedef struct core_accumulator {
    PyObject_HEAD
    int kind;
    lg_moments_accumulator *moments; // one of the three
    lg_histogram_accumulator *histogram;
    lg_box_accumulator *boxes;
    size_t count; // of boxes; 1 otherwise
    int channels;
    atomic_bool busy; // a tile is being added, without the GIL
} core_accumulator;

// One thread at a time uses a state. False with an exception.
static bool take(core_accumulator *a)
{
    bool free = false;
    if (atomic_compare_exchange_strong(&a->busy, &free, true))
        return true;
    PyErr_SetString(core_state_of((PyObject *)a)->errors[LG_ERROR_ARGUMENT],
                    "this state is in use by another thread; give each thread a state of its own, "
                    "and merge them");
    return false;
}

static void give(core_accumulator *a)
{
    atomic_store(&a->busy, false);
}

static core_accumulator *accumulator_alloc(PyTypeObject *type)
{
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (core_accumulator *)make(type, 0);
}

// Where a state is for, and what it has.
typedef struct region {
    int type, channels, alpha;
    long long width, height, layers;
} region;

static lg_status create_boxes(core_accumulator *a, const region *r, const Py_buffer *rows,
                              lg_error *error)
{
    const int64_t *numbers = rows->buf; // x, y, width, height
    a->count = (size_t)rows->len / (4 * sizeof *numbers);
    lg_region *boxes = calloc(a->count ? a->count : 1, sizeof *boxes);
    if (!boxes)
        return LG_ERROR_MEMORY;
    for (size_t i = 0; i < a->count; i++)
        boxes[i] =
            (lg_region){numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]};
    const lg_status status =
        lg_box_accumulator_create((lg_type)r->type, a->channels, r->width, r->height, r->layers,
                                  boxes, a->count, &a->boxes, error);
    free(boxes);
    return status;
}

// What is counted: None for moments, bytes of 64-bit integers for boxes, else bins. False with an
// exception.
static bool create(core_accumulator *a, const core_state *state, const region *r, PyObject *what)
{
    lg_error error = {LG_OK, ""};
    lg_histogram_params params = lg_histogram_params_default();
    lg_status status;
    const lg_image_params shape = {.channels = r->channels, .alpha = (lg_alpha)r->alpha};
    a->channels = lg_image_measured_channels(&shape);
    a->count = 1;
    a->kind = what == Py_None ? MOMENTS : PyObject_CheckBuffer(what) ? BOXES : HISTOGRAM;
    if (a->kind == MOMENTS) {
        status = lg_moments_accumulator_create((lg_type)r->type, a->channels, r->width, r->height,
                                               r->layers, &a->moments, &error);
    } else if (a->kind == BOXES) {
        Py_buffer rows;
        if (PyObject_GetBuffer(what, &rows, PyBUF_SIMPLE))
            return false;
        status = create_boxes(a, r, &rows, &error);
        PyBuffer_Release(&rows);
    } else {
        if (!core_parse_bins(what, &params))
            return false;
        status = lg_histogram_accumulator_create(&params, (lg_type)r->type, r->channels,
                                                 (lg_alpha)r->alpha, r->width, r->height, r->layers,
                                                 &a->histogram, &error);
    }
    return !status || core_raise(state, status, &error) != NULL;
}

// Accumulator(None | boxes | bins, type, channels, alpha, width, height, layers)
static PyObject *accumulator_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *what;
    region r;
    if (!PyArg_ParseTuple(args, "OiiiLLL", &what, &r.type, &r.channels, &r.alpha, &r.width,
                          &r.height, &r.layers))
        return NULL;
    core_accumulator *a = accumulator_alloc(type);
    if (a && !create(a, PyType_GetModuleState(type), &r, what)) {
        Py_DECREF((PyObject *)a);
        return NULL;
    }
    return (PyObject *)a;
}

static void accumulator_dealloc(core_accumulator *a)
{
    PyTypeObject *type = Py_TYPE((PyObject *)a);
    lg_moments_accumulator_destroy(&a->moments);
    lg_histogram_accumulator_destroy(&a->histogram);
    lg_box_accumulator_destroy(&a->boxes);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(a);
    Py_DECREF(type);
}

static lg_status add_tile(core_accumulator *a, lg_context *context, const lg_image *tile,
                          const lg_select *select, int64_t x, int64_t y, int64_t layer,
                          lg_error *error)
{
    if (a->kind == MOMENTS)
        return lg_moments_accumulator_add(context, a->moments, tile, select, x, y, layer, error);
    if (a->kind == HISTOGRAM)
        return lg_histogram_accumulator_add(context, a->histogram, tile, select, x, y, layer,
                                            error);
    return lg_box_accumulator_add(context, a->boxes, tile, select, x, y, layer, error);
}

static lg_status merge(core_accumulator *a, const core_accumulator *from, lg_error *error)
{
    if (a->kind == MOMENTS)
        return lg_moments_accumulator_merge(a->moments, from->moments, error);
    if (a->kind == HISTOGRAM)
        return lg_histogram_accumulator_merge(a->histogram, from->histogram, error);
    return lg_box_accumulator_merge(a->boxes, from->boxes, error);
}

static lg_status write_state(const core_accumulator *a, void *data, size_t *size, lg_error *error)
{
    if (a->kind == MOMENTS)
        return lg_moments_accumulator_save(a->moments, data, *size, size, error);
    if (a->kind == HISTOGRAM)
        return lg_histogram_accumulator_save(a->histogram, data, *size, size, error);
    return lg_box_accumulator_save(a->boxes, data, *size, size, error);
}

// add(context, image, mask | None, region | None, x, y, layer)
static PyObject *accumulator_add(core_accumulator *a, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_context *c;
    core_image *image, *mask;
    PyObject *given;
    long long x, y, layer;
    if (!PyArg_ParseTuple(args, "O!O!OLLL", state->context, &c, state->image, &image, &given, &x,
                          &y, &layer) ||
        !core_image_or_none(state, given, &mask) || !take(a))
        return NULL;
    if (!core_begin(c)) {
        give(a);
        return NULL;
    }
    lg_error error = {LG_OK, ""};
    lg_image *tile = NULL, *wrapped = NULL;
    lg_select select = lg_select_default();
    lg_status status = core_image_wrap(c, image, &tile, &error);
    if (!status && mask)
        status = core_image_wrap(c, mask, &wrapped, &error);
    select.mask = wrapped;
    if (!status)
        status = add_tile(a, c->context, tile, &select, x, y, layer, &error);
    core_image_drop(&tile);
    core_image_drop(&wrapped);
    give(a);
    return core_end(c, status, &error) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *accumulator_merge(core_accumulator *a, PyObject *other)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_accumulator *from = (core_accumulator *)other;
    if (!Py_IS_TYPE(other, Py_TYPE((PyObject *)a)) || a->kind != from->kind) {
        PyErr_SetString(PyExc_TypeError, "only states of the same kind are merged");
        return NULL;
    }
    lg_error error = {LG_OK, ""};
    if (!take(a))
        return NULL;
    if (from != a && !take(from)) {
        give(a);
        return NULL;
    }
    const lg_status status = merge(a, from, &error);
    give(from);
    give(a);
    return status ? core_raise(state, status, &error) : Py_NewRef(Py_None);
}

static PyObject *save(core_accumulator *a)
{
    const core_state *state = core_state_of((PyObject *)a);
    lg_error error = {LG_OK, ""};
    PyObject *bytes = NULL;
    size_t size = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size)))
            return NULL;
        void *data = bytes ? PyBytes_AsString(bytes) : NULL;
        const lg_status status = write_state(a, data, &size, &error);
        if (status) {
            Py_XDECREF(bytes);
            return core_raise(state, status, &error);
        }
    }
    return bytes;
}

static PyObject *accumulator_save(core_accumulator *a, PyObject *none)
{
    if (!take(a))
        return NULL;
    PyObject *bytes = save(a);
    give(a);
    return bytes;
}

// accumulator_load(bytes, kind, channels, boxes); kind: "moments", "histogram" or "boxes"
static PyObject *accumulator_load(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    const char *data, *kind;
    Py_ssize_t size, boxes;
    int channels;
    if (!PyArg_ParseTuple(args, "y#sin", &data, &size, &kind, &channels, &boxes))
        return NULL;
    if (channels < 1 || channels > LG_MAX_CHANNELS)
        return PyErr_Format(PyExc_ValueError, "channels is %d; an image has 1 to 4", channels);
    core_accumulator *a = accumulator_alloc(state->accumulator);
    if (!a)
        return NULL;
    a->channels = channels;
    a->kind = !strcmp(kind, "boxes") ? BOXES : !strcmp(kind, "histogram") ? HISTOGRAM : MOMENTS;
    a->count = a->kind == BOXES ? (size_t)boxes : 1;
    lg_error error = {LG_OK, ""};
    lg_status status;
    if (a->kind == MOMENTS)
        status = lg_moments_accumulator_load(data, (size_t)size, &a->moments, &error);
    else if (a->kind == HISTOGRAM)
        status = lg_histogram_accumulator_load(data, (size_t)size, &a->histogram, &error);
    else
        status = lg_box_accumulator_load(data, (size_t)size, &a->boxes, &error);
    if (!status)
        return (PyObject *)a;
    Py_DECREF((PyObject *)a);
    return core_raise(state, status, &error);
}

static PyObject *finish_histogram(core_accumulator *a, int nan, PyObject *percentiles)
{
    lg_error error = {LG_OK, ""};
    lg_histogram *h = NULL;
    const lg_status status = lg_histogram_accumulator_finish(a->histogram, (lg_nan)nan, &h, &error);
    if (status)
        return core_raise(core_state_of((PyObject *)a), status, &error);
    PyObject *list = core_histogram_list(h, percentiles);
    lg_histogram_destroy(&h);
    return list;
}

// Of every box, and of every channel in it.
static PyObject *finish_moments(core_accumulator *a, int nan)
{
    lg_error error = {LG_OK, ""};
    // As many as the library may write, whatever the bytes of a state say about channels.
    const size_t all = a->count * LG_MAX_CHANNELS;
    lg_moments *out = calloc(all ? all : 1, sizeof *out);
    if (!out)
        return PyErr_NoMemory();
    const lg_status status =
        a->kind == BOXES ? lg_box_accumulator_finish(a->boxes, (lg_nan)nan, out, all, &error)
                         : lg_moments_accumulator_finish(a->moments, (lg_nan)nan, out, all, &error);
    PyObject *list = status ? core_raise(core_state_of((PyObject *)a), status, &error)
                            : core_moments_list(out, a->count * (size_t)a->channels);
    free(out);
    return list;
}

// finish(nan, percentiles)
static PyObject *accumulator_finish(core_accumulator *a, PyObject *args)
{
    int nan;
    PyObject *percentiles;
    if (!PyArg_ParseTuple(args, "iO!", &nan, &PyTuple_Type, &percentiles) || !take(a))
        return NULL;
    PyObject *out =
        a->kind == HISTOGRAM ? finish_histogram(a, nan, percentiles) : finish_moments(a, nan);
    give(a);
    return out;
}

static PyMethodDef accumulator_methods[] = {
    {"add", (PyCFunction)accumulator_add, METH_VARARGS, "Adds a tile."},
    {"merge", (PyCFunction)accumulator_merge, METH_O, "Adds what another state has."},
    {"save", (PyCFunction)accumulator_save, METH_NOARGS, "The state as bytes."},
    {"finish", (PyCFunction)accumulator_finish, METH_VARARGS, "The figures so far."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot accumulator_slots[] = {
    {Py_tp_new, accumulator_new},
    {Py_tp_dealloc, accumulator_dealloc},
    {Py_tp_methods, accumulator_methods},
    {0, NULL},
};

PyType_Spec core_accumulator_spec = {
    .name = "lumagraph._core.Accumulator",
    .basicsize = sizeof(core_accumulator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = accumulator_slots,
};

PyMethodDef core_accumulator_methods[] = {
    {"accumulator_load", accumulator_load, METH_VARARGS, "A state from its bytes."},
    {NULL, NULL, 0, NULL},
};
