// Area sums: tables and ripmaps of an array, and figures of its boxes.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_areasum {
    PyObject_HEAD
    core_context *context; // that built it
    lg_areasum *areasum;
    int bins;
} core_areasum;

static void destroy_areasum(void *areasum)
{
    lg_areasum *own = areasum;
    lg_areasum_destroy(&own);
}

// A buffer of one to six axes, of u8, u16, f16, f32, i32 or f64, whose last axis may be channels.
static bool describe(const Py_buffer *b, bool channels, lg_area_array *out)
{
    static const struct {
        char code;
        lg_type type;
    } types[] = {{'?', LG_U8},  {'B', LG_U8},  {'H', LG_U16}, {'e', LG_F16},
                 {'f', LG_F32}, {'i', LG_I32}, {'d', LG_F64}};
    const char *format = b->format ? b->format : "B";
    *out = (lg_area_array){.data = b->buf, .dims = b->ndim - channels, .type = LG_ARRAY_TYPES};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (*format == types[i].code && !format[1])
            out->type = types[i].type;
    if (out->type == LG_ARRAY_TYPES) {
        PyErr_Format(PyExc_TypeError,
                     "samples of the format '%s': area sums are of bool, uint8, uint16, int32, "
                     "float16, float32 or float64",
                     format);
        return false;
    }
    if (out->dims < 1 || out->dims > LG_AREA_DIMS) {
        PyErr_Format(PyExc_ValueError, "area sums have 1 to %d axes beside channels, not %d",
                     LG_AREA_DIMS, out->dims);
        return false;
    }
    out->channels = channels ? (int)b->shape[b->ndim - 1] : 1;
    for (int i = 0; i < out->dims; i++) {
        out->extent[i] = b->shape[out->dims - 1 - i];
        out->stride[i] = b->strides[out->dims - 1 - i];
    }
    return true;
}

// AreaSum(context, array, has_channels, ripmap, squares, extremes, bins, low, high, nan)
static PyObject *areasum_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    core_context *c;
    PyObject *array;
    int channels, ripmap, squares, extremes, nan;
    lg_areasum_params params = lg_areasum_params_default();
    if (!PyArg_ParseTuple(args, "O!Oppppiddi", state->context, &c, &array, &channels, &ripmap,
                          &squares, &extremes, &params.bins, &params.low, &params.high, &nan))
        return NULL;
    params.kind = ripmap ? LG_AREASUM_RIPMAP : LG_AREASUM_TABLE;
    params.squares = squares;
    params.extremes = extremes;
    params.nan = (lg_nan)nan;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_areasum *a = (core_areasum *)make(type, 0);
    if (!a)
        return NULL;
    a->context = (core_context *)Py_NewRef((PyObject *)c);
    a->bins = params.bins;
    Py_buffer buffer = {.obj = NULL};
    lg_area_array described;
    bool good = PyObject_GetBuffer(array, &buffer, PyBUF_RECORDS_RO) == 0 &&
                describe(&buffer, channels, &described) && core_begin(c);
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status =
            lg_areasum_create(c->context, &described, &params, &a->areasum, &error);
        good = core_end(c, status, &error);
    }
    if (buffer.obj)
        PyBuffer_Release(&buffer);
    if (!good)
        Py_CLEAR(a);
    return (PyObject *)a;
}

static void areasum_dealloc(core_areasum *a)
{
    PyTypeObject *type = Py_TYPE((PyObject *)a);
    if (a->areasum)
        core_destroy(a->context, destroy_areasum, a->areasum);
    Py_XDECREF((PyObject *)a->context);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(a);
    Py_DECREF(type);
}

typedef struct query {
    lg_area_figure figure;
    bool histogram, percentile;
    double p;
} query;

static lg_status ask(lg_context *c, const core_areasum *a, const query *q, const int32_t *bounds,
                     size_t count, void *out, lg_error *error)
{
    if (q->histogram)
        return lg_areasum_query_histogram(c, a->areasum, bounds, count, out, error);
    if (q->percentile)
        return lg_areasum_query_percentile(c, a->areasum, q->p, bounds, count, out, error);
    return lg_areasum_query(c, a->areasum, q->figure, bounds, count, out, error);
}

static bool parse_figure(const char *name, query *out)
{
    *out = (query){.histogram = !strcmp(name, "histogram"), .percentile = *name == 'p'};
    if (out->percentile) {
        char *end;
        out->p = strtod(name + 1, &end);
        out->percentile = end != name + 1 && !*end;
    }
    if (out->histogram || out->percentile)
        return true;
    for (int i = 0; i < LG_AREA_FIGURES; i++)
        if (!strcmp(lg_area_figure_name((lg_area_figure)i), name)) {
            out->figure = (lg_area_figure)i;
            return true;
        }
    PyErr_Format(
        PyExc_ValueError,
        "there is no figure '%s' of boxes; there are sum, mean, variance, min, max, count, "
        "histogram and percentiles such as p50",
        name);
    return false;
}

// query(context, figure, bounds of int32 in the library's order) -> bytes of doubles or 64-bit counts.
// Several threads may ask at the same time, each with its own context.
static PyObject *areasum_query(core_areasum *a, PyObject *args)
{
    const char *name;
    Py_buffer bounds;
    query q;
    core_context *c;
    if (!PyArg_ParseTuple(args, "O!sy*", core_state_of((PyObject *)a)->context, &c, &name, &bounds))
        return NULL;
    lg_areasum_info info;
    lg_areasum_get_info(a->areasum, &info);
    const size_t count = (size_t)bounds.len / sizeof(int32_t) / (2 * (size_t)info.dims);
    PyObject *out = NULL;
    if (parse_figure(name, &q)) {
        const size_t values = q.histogram ? (size_t)a->bins : 1;
        out = PyByteArray_FromStringAndSize(
            NULL, (Py_ssize_t)(count * (size_t)info.channels * values * 8));
    }
    void *to = out ? PyByteArray_AsString(out) : NULL;
    bool good = out && core_begin(c);
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status = ask(c->context, a, &q, bounds.buf, count, to, &error);
        good = core_end(c, status, &error);
    }
    PyBuffer_Release(&bounds);
    if (!good)
        Py_CLEAR(out);
    return out;
}

// (extents in NumPy's order, channels, bytes, exact, unit, ignored)
static PyObject *areasum_info(core_areasum *a, PyObject *none)
{
    lg_areasum_info i;
    lg_areasum_get_info(a->areasum, &i);
    PyObject *extent = PyTuple_New(i.dims);
    for (int k = 0; extent && k < i.dims; k++)
        if (!core_put(extent, k, PyLong_FromLongLong(i.extent[i.dims - 1 - k])))
            Py_CLEAR(extent);
    return extent ? Py_BuildValue("(NinNdK)", extent, i.channels, (Py_ssize_t)i.bytes,
                                  PyBool_FromLong(i.exact), i.unit, (unsigned long long)i.ignored)
                  : NULL;
}

static PyMethodDef areasum_methods[] = {
    {"query", (PyCFunction)areasum_query, METH_VARARGS, "Figures of boxes."},
    {"info", (PyCFunction)areasum_info, METH_NOARGS, "Extents, channels, bytes, exact, unit."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot areasum_slots[] = {
    {Py_tp_new, areasum_new},
    {Py_tp_dealloc, areasum_dealloc},
    {Py_tp_methods, areasum_methods},
    {0, NULL},
};

PyType_Spec core_areasum_spec = {
    .name = "lumagraph._core.AreaSum",
    .basicsize = sizeof(core_areasum),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = areasum_slots,
};
