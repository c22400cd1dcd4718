// Tables for smooth windows of an array, and for moments of its boxes.
#include "py_core.h"

typedef struct core_windows {
    PyObject_HEAD
    core_context *context;    // that built it
    lg_area_smooth *smooth;   // one of the two
    lg_area_moments *moments; //
    int dims, channels;
} core_windows;

static void destroy_smooth(void *object)
{
    lg_area_smooth *own = object;
    lg_area_smooth_destroy(&own);
}

static void destroy_moments(void *object)
{
    lg_area_moments *own = object;
    lg_area_moments_destroy(&own);
}

// Windows(context, array, has_channels, order, max_side, bytes); order 0: moments of boxes
static PyObject *windows_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    core_context *c;
    PyObject *array;
    int channels, order, side;
    Py_ssize_t bytes;
    if (!PyArg_ParseTuple(args, "O!Opiin", state->context, &c, &array, &channels, &order, &side,
                          &bytes))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_windows *w = (core_windows *)make(type, 0);
    if (!w)
        return NULL;
    w->context = (core_context *)Py_NewRef((PyObject *)c);
    Py_buffer buffer = {.obj = NULL};
    lg_area_array described = {.dims = 0};
    bool good = PyObject_GetBuffer(array, &buffer, PyBUF_RECORDS_RO) == 0 &&
                core_area_describe(&buffer, channels, &described) && core_begin(c);
    w->dims = described.dims;
    w->channels = described.channels;
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status = order ? lg_area_smooth_create(c->context, &described, order, side,
                                                               (size_t)bytes, &w->smooth, &error)
                                       : lg_area_moments_create(c->context, &described,
                                                                (size_t)bytes, &w->moments, &error);
        good = core_end(c, status, &error);
    }
    if (buffer.obj)
        PyBuffer_Release(&buffer);
    if (!good)
        Py_CLEAR(w);
    return (PyObject *)w;
}

static void windows_dealloc(core_windows *w)
{
    PyTypeObject *type = Py_TYPE((PyObject *)w);
    if (w->smooth)
        core_destroy(w->context, destroy_smooth, w->smooth);
    if (w->moments)
        core_destroy(w->context, destroy_moments, w->moments);
    Py_XDECREF((PyObject *)w->context);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(w);
    Py_DECREF(type);
}

// query(context, bounds) -> bytes of doubles: a mean, or the eleven numbers of lg_area_moment
static PyObject *windows_query(core_windows *w, PyObject *args)
{
    core_context *c;
    Py_buffer bounds;
    if (!PyArg_ParseTuple(args, "O!y*", core_state_of((PyObject *)w)->context, &c, &bounds))
        return NULL;
    const size_t count = (size_t)bounds.len / sizeof(int32_t) / (2 * (size_t)w->dims);
    const size_t each = w->smooth ? sizeof(double) : sizeof(lg_area_moment);
    PyObject *out =
        PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * (size_t)w->channels * each));
    void *to = out ? PyByteArray_AsString(out) : NULL;
    bool good = out && core_begin(c);
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status =
            w->smooth
                ? lg_area_smooth_query(c->context, w->smooth, bounds.buf, count, to, &error)
                : lg_area_moments_query(c->context, w->moments, bounds.buf, count, to, &error);
        good = core_end(c, status, &error);
    }
    PyBuffer_Release(&bounds);
    if (!good)
        Py_CLEAR(out);
    return out;
}

// (axes, channels, unit)
static PyObject *windows_info(core_windows *w, PyObject *none)
{
    return Py_BuildValue("(iid)", w->dims, w->channels,
                         w->smooth ? lg_area_smooth_unit(w->smooth) : 1.0);
}

static PyMethodDef windows_methods[] = {
    {"query", (PyCFunction)windows_query, METH_VARARGS, "Means under windows, or moments."},
    {"info", (PyCFunction)windows_info, METH_NOARGS, "Axes, channels and unit."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot windows_slots[] = {
    {Py_tp_new, windows_new},
    {Py_tp_dealloc, windows_dealloc},
    {Py_tp_methods, windows_methods},
    {0, NULL},
};

PyType_Spec core_windows_spec = {
    .name = "lumagraph._core.Windows",
    .basicsize = sizeof(core_windows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = windows_slots,
};
