// Moments of a region that is measured tile by tile, in any order, also by several processes.
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_accumulator {
    PyObject_HEAD
    lg_moments_accumulator *moments;
    int channels;
    atomic_bool busy; // a call changes it or reads it
} core_accumulator;

static bool take(core_accumulator *a)
{
    bool free = false;
    if (atomic_compare_exchange_strong(&a->busy, &free, true))
        return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "this accumulator is in use by another thread; give each thread its own and merge them");
    return false;
}

static core_accumulator *allocate(PyTypeObject *type, int channels)
{
    allocfunc allocate_ = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_accumulator *a = (core_accumulator *)allocate_(type, 0);
    if (a)
        a->channels = channels;
    return a;
}

// Gives `a` up after a failure.
static PyObject *fail(core_accumulator *a, const core_state *state, lg_status status,
                      const lg_error *error)
{
    Py_DECREF((PyObject *)a);
    return core_raise(state, status, error);
}

// Moments(type name, channels, width, height, layers) | Moments(bytes of save(), channels)
static PyObject *accumulator_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    const char *bytes = NULL, *name;
    Py_ssize_t size = 0;
    int channels;
    long long width = 0, height = 0, layers = 0;
    const bool loads = PyTuple_Size(args) == 2;
    lg_type sample = LG_U8;
    if (loads ? !PyArg_ParseTuple(args, "y#i", &bytes, &size, &channels)
              : !PyArg_ParseTuple(args, "siLLL", &name, &channels, &width, &height, &layers))
        return NULL;
    while (!loads && sample < LG_TYPES && strcmp(lg_type_name(sample), name))
        sample++;
    if (!loads && sample == LG_TYPES)
        return PyErr_Format(PyExc_ValueError, "there is no sample type '%s'", name);
    if (channels < 1 || channels > LG_MAX_CHANNELS)
        return PyErr_Format(PyExc_ValueError, "an image has 1 to 4 channels, not %d", channels);
    core_accumulator *a = allocate(type, channels);
    if (!a)
        return NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        loads ? lg_moments_accumulator_load(bytes, (size_t)size, &a->moments, &error)
              : lg_moments_accumulator_create(sample, channels, width, height, layers, &a->moments, &error);
    return status ? fail(a, state, status, &error) : (PyObject *)a;
}

static void accumulator_dealloc(core_accumulator *a)
{
    PyTypeObject *type = Py_TYPE((PyObject *)a);
    lg_moments_accumulator_destroy(&a->moments);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(a);
    Py_DECREF(type);
}

static lg_status add_tile(core_accumulator *a, core_context *c, const core_image *image,
                          const core_image *mask, const long long at[3], lg_error *error)
{
    lg_image *tile = NULL, *zero = NULL;
    lg_status status = core_image_wrap(c, image, &tile, error);
    if (!status && mask)
        status = core_image_wrap(c, mask, &zero, error);
    lg_select select = lg_select_default();
    select.mask = zero;
    if (!status)
        status = lg_moments_accumulator_add(c->context, a->moments, tile, &select, at[0], at[1],
                                            at[2], error);
    lg_image_destroy(&tile);
    lg_image_destroy(&zero);
    return status;
}

// add(context, image, mask or None, x, y, layer)
static PyObject *accumulator_add(core_accumulator *a, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_context *c;
    core_image *image, *mask;
    PyObject *given;
    long long at[3];
    if (!PyArg_ParseTuple(args, "O!O!OLLL", state->context, &c, state->image, &image, &given, &at[0],
                          &at[1], &at[2]) ||
        !core_image_or_none(state, given, &mask) || !take(a))
        return NULL;
    bool good = core_begin(c);
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status = add_tile(a, c, image, mask, at, &error);
        good = core_end(c, status, &error);
    }
    atomic_store(&a->busy, false);
    return good ? Py_NewRef(Py_None) : NULL;
}

// merge(other)
static PyObject *accumulator_merge(core_accumulator *a, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_accumulator *from;
    if (!PyArg_ParseTuple(args, "O!", state->accumulator, &from) || !take(a))
        return NULL;
    lg_error error = {LG_OK, ""};
    lg_status status = LG_OK;
    const bool both = take(from); // not when they are the same one
    if (both) {
        status = lg_moments_accumulator_merge(a->moments, from->moments, &error);
        atomic_store(&from->busy, false);
    }
    atomic_store(&a->busy, false);
    if (!both)
        return NULL;
    return status ? core_raise(state, status, &error) : Py_NewRef(Py_None);
}

static PyObject *accumulator_save(core_accumulator *a, PyObject *none)
{
    if (!take(a))
        return NULL;
    lg_error error = {LG_OK, ""};
    size_t size = 0;
    char *data = NULL;
    lg_status status = lg_moments_accumulator_save(a->moments, NULL, 0, &size, &error);
    if (!status && !(data = malloc(size ? size : 1)))
        status = LG_ERROR_MEMORY;
    if (!status)
        status = lg_moments_accumulator_save(a->moments, data, size, &size, &error);
    atomic_store(&a->busy, false);
    PyObject *out = status ? core_raise(core_state_of((PyObject *)a), status, &error)
                           : PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    free(data);
    return out;
}

// finish(nan): a tuple of figures for each channel
static PyObject *accumulator_finish(core_accumulator *a, PyObject *args)
{
    int nan;
    if (!PyArg_ParseTuple(args, "i", &nan) || !take(a))
        return NULL;
    lg_error error = {LG_OK, ""};
    lg_moments out[LG_MAX_CHANNELS] = {{0}};
    const lg_status status = lg_moments_accumulator_finish(a->moments, (lg_nan)nan, out,
                                                           LG_MAX_CHANNELS, &error);
    atomic_store(&a->busy, false);
    return status ? core_raise(core_state_of((PyObject *)a), status, &error)
                  : core_moments_list(out, (size_t)a->channels);
}

static PyMethodDef accumulator_methods[] = {
    {"add", (PyCFunction)accumulator_add, METH_VARARGS, "Adds a tile at its place."},
    {"merge", (PyCFunction)accumulator_merge, METH_VARARGS, "Adds what another one has seen."},
    {"save", (PyCFunction)accumulator_save, METH_NOARGS, "Bytes for a file or another process."},
    {"finish", (PyCFunction)accumulator_finish, METH_VARARGS, "The figures of all tiles so far."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot accumulator_slots[] = {
    {Py_tp_new, accumulator_new},
    {Py_tp_dealloc, accumulator_dealloc},
    {Py_tp_methods, accumulator_methods},
    {0, NULL},
};

PyType_Spec core_accumulator_spec = {
    .name = "lumagraph._core.Moments",
    .basicsize = sizeof(core_accumulator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = accumulator_slots,
};
