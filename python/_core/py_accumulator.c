// Moments and histograms of an image that comes in tiles. States merge and are saved as bytes.
#include "py_core.h"

#include <stdlib.h>

typedef struct core_accumulator {
    PyObject_HEAD
    lg_moments_accumulator *moments;     // one of the two
    lg_histogram_accumulator *histogram; //
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

// Accumulator(None | bins, type, channels, alpha, width, height, layers)
static PyObject *accumulator_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *bins;
    int sample, channels, alpha;
    long long width, height, layers;
    if (!PyArg_ParseTuple(args, "OiiiLLL", &bins, &sample, &channels, &alpha, &width, &height,
                          &layers))
        return NULL;
    lg_histogram_params params = lg_histogram_params_default();
    if (bins != Py_None && !core_parse_bins(bins, &params))
        return NULL;
    core_accumulator *a = accumulator_alloc(type);
    if (!a)
        return NULL;
    lg_error error = {LG_OK, ""};
    const lg_image_params shape = {.channels = channels, .alpha = (lg_alpha)alpha};
    a->channels = lg_image_measured_channels(&shape);
    const lg_status status =
        bins == Py_None
            ? lg_moments_accumulator_create((lg_type)sample, a->channels, width, height, layers,
                                            &a->moments, &error)
            : lg_histogram_accumulator_create(&params, (lg_type)sample, channels, (lg_alpha)alpha,
                                              width, height, layers, &a->histogram, &error);
    if (!status)
        return (PyObject *)a;
    Py_DECREF((PyObject *)a);
    return core_raise(PyType_GetModuleState(type), status, &error);
}

static void accumulator_dealloc(core_accumulator *a)
{
    PyTypeObject *type = Py_TYPE((PyObject *)a);
    lg_moments_accumulator_destroy(&a->moments);
    lg_histogram_accumulator_destroy(&a->histogram);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(a);
    Py_DECREF(type);
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
        status = a->moments ? lg_moments_accumulator_add(c->context, a->moments, tile, &select, x,
                                                         y, layer, &error)
                            : lg_histogram_accumulator_add(c->context, a->histogram, tile, &select,
                                                           x, y, layer, &error);
    lg_image_destroy(&tile);
    lg_image_destroy(&wrapped);
    give(a);
    return core_end(c, status, &error) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *accumulator_merge(core_accumulator *a, PyObject *other)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_accumulator *from = (core_accumulator *)other;
    if (!Py_IS_TYPE(other, Py_TYPE((PyObject *)a)) || !a->moments != !from->moments) {
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
    const lg_status status =
        a->moments ? lg_moments_accumulator_merge(a->moments, from->moments, &error)
                   : lg_histogram_accumulator_merge(a->histogram, from->histogram, &error);
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
        const lg_status status =
            a->moments ? lg_moments_accumulator_save(a->moments, data, size, &size, &error)
                       : lg_histogram_accumulator_save(a->histogram, data, size, &size, &error);
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

// accumulator_load(bytes, is_histogram, channels)
static PyObject *accumulator_load(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    const char *data;
    Py_ssize_t size;
    int is_histogram, channels;
    if (!PyArg_ParseTuple(args, "y#pi", &data, &size, &is_histogram, &channels))
        return NULL;
    if (channels < 1 || channels > LG_MAX_CHANNELS)
        return PyErr_Format(PyExc_ValueError, "channels is %d; an image has 1 to 4", channels);
    core_accumulator *a = accumulator_alloc(state->accumulator);
    if (!a)
        return NULL;
    a->channels = channels;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        is_histogram ? lg_histogram_accumulator_load(data, (size_t)size, &a->histogram, &error)
                     : lg_moments_accumulator_load(data, (size_t)size, &a->moments, &error);
    if (!status)
        return (PyObject *)a;
    Py_DECREF((PyObject *)a);
    return core_raise(state, status, &error);
}

static PyObject *finish(core_accumulator *a, int nan, PyObject *percentiles)
{
    const core_state *state = core_state_of((PyObject *)a);
    lg_error error = {LG_OK, ""};
    if (a->moments) {
        lg_moments out[LG_MAX_CHANNELS] = {{0}};
        const lg_status status =
            lg_moments_accumulator_finish(a->moments, (lg_nan)nan, out, LG_MAX_CHANNELS, &error);
        return status ? core_raise(state, status, &error)
                      : core_moments_list(out, (size_t)a->channels);
    }
    lg_histogram *h = NULL;
    const lg_status status = lg_histogram_accumulator_finish(a->histogram, (lg_nan)nan, &h, &error);
    if (status)
        return core_raise(state, status, &error);
    PyObject *list = core_histogram_list(h, percentiles);
    lg_histogram_destroy(&h);
    return list;
}

// finish(nan, percentiles)
static PyObject *accumulator_finish(core_accumulator *a, PyObject *args)
{
    int nan;
    PyObject *percentiles;
    if (!PyArg_ParseTuple(args, "iO!", &nan, &PyTuple_Type, &percentiles) || !take(a))
        return NULL;
    PyObject *out = finish(a, nan, percentiles);
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
