// Area sums: tables and ripmaps of an array, and figures of its boxes and shapes.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_areasum {
    PyObject_HEAD
    core_context *context; // that built it last
    lg_areasum *areasum;
    int bins;
    bool has_channels;
    atomic_int readers; // queries in progress; -1: it is built again
} core_areasum;

// Several threads may ask at the same time, and none while it is built again. False with an exception.
static bool read_begin(core_areasum *a)
{
    int readers = atomic_load(&a->readers);
    while (readers >= 0)
        if (atomic_compare_exchange_weak(&a->readers, &readers, readers + 1))
            return true;
    core_raise(core_state_of((PyObject *)a), LG_ERROR_ARGUMENT,
               &(lg_error){LG_OK, "another thread is updating these area sums"});
    return false;
}

static void read_end(core_areasum *a)
{
    atomic_fetch_sub(&a->readers, 1);
}

static void destroy_areasum(void *areasum)
{
    lg_areasum *own = areasum;
    lg_areasum_destroy(&own);
}

bool core_area_describe(const Py_buffer *b, bool channels, lg_area_array *out)
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

// (squares, extremes, plain, bins, low, high, nan, above | None, bytes | None)
static bool parse_params(PyObject *object, lg_areasum_params *out)
{
    int squares, extremes, plain, nan;
    PyObject *above, *bytes;
    if (!PyArg_ParseTuple(object, "pppiddiOO", &squares, &extremes, &plain, &out->bins, &out->low,
                          &out->high, &nan, &above, &bytes))
        return false;
    out->squares = squares;
    out->extremes = extremes;
    out->precision = plain ? LG_AREA_PLAIN : LG_AREA_EXACT;
    out->nan = (lg_nan)nan;
    out->counts_above = above != Py_None;
    if (out->counts_above)
        out->above = PyFloat_AsDouble(above);
    if (bytes != Py_None)
        out->memory_limit = PyLong_AsSize_t(bytes);
    return !PyErr_Occurred();
}

// Builds, or builds again, from an array. False with an exception.
static bool build(core_areasum *a, core_context *c, PyObject *array,
                  const lg_areasum_params *params)
{
    Py_buffer buffer = {.obj = NULL};
    lg_area_array described;
    bool good = PyObject_GetBuffer(array, &buffer, PyBUF_RECORDS_RO) == 0 &&
                core_area_describe(&buffer, a->has_channels, &described) && core_begin(c);
    if (good) {
        lg_error error = {LG_OK, ""};
        const lg_status status =
            params ? lg_areasum_create(c->context, &described, params, &a->areasum, &error)
                   : lg_areasum_update(c->context, a->areasum, &described, &error);
        good = core_end(c, status, &error);
    }
    if (buffer.obj)
        PyBuffer_Release(&buffer);
    return good;
}

// AreaSum(context, array, has_channels, ripmap, params)
static PyObject *areasum_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    core_context *c;
    PyObject *array, *given;
    int channels, ripmap;
    lg_areasum_params params = lg_areasum_params_default();
    if (!PyArg_ParseTuple(args, "O!OppO", state->context, &c, &array, &channels, &ripmap, &given) ||
        !parse_params(given, &params))
        return NULL;
    params.kind = ripmap ? LG_AREASUM_RIPMAP : LG_AREASUM_TABLE;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_areasum *a = (core_areasum *)make(type, 0);
    if (!a)
        return NULL;
    a->context = (core_context *)Py_NewRef((PyObject *)c);
    a->bins = params.bins;
    a->has_channels = channels;
    if (!build(a, c, array, &params))
        Py_CLEAR(a);
    return (PyObject *)a;
}

// update(context, array)
static PyObject *areasum_update(core_areasum *a, PyObject *args)
{
    core_context *c;
    PyObject *array;
    if (!PyArg_ParseTuple(args, "O!O", core_state_of((PyObject *)a)->context, &c, &array))
        return NULL;
    int readers = 0;
    if (!atomic_compare_exchange_strong(&a->readers, &readers, -1))
        return core_raise(core_state_of((PyObject *)a), LG_ERROR_ARGUMENT,
                          &(lg_error){LG_OK, "another thread uses these area sums; update them "
                                             "when it is done"});
    const bool good = build(a, c, array, NULL);
    if (good) {
        Py_INCREF((PyObject *)c);
        Py_DECREF((PyObject *)a->context);
        a->context = c;
    }
    atomic_store(&a->readers, 0);
    return good ? Py_NewRef(Py_None) : NULL;
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

typedef enum how { FIGURE, HISTOGRAM, PERCENTILE, INTEGERS, PROBABILITY } how;

typedef struct query {
    how how;
    lg_area_figure figure;
    double p;
} query;

static lg_status ask(lg_context *c, const core_areasum *a, const query *q, const int32_t *bounds,
                     size_t count, void *out, lg_error *error)
{
    switch (q->how) {
    case HISTOGRAM:
        return lg_areasum_query_histogram(c, a->areasum, bounds, count, out, error);
    case PERCENTILE:
        return lg_areasum_query_percentile(c, a->areasum, q->p, bounds, count, out, error);
    case INTEGERS:
        return lg_areasum_query_integers(c, a->areasum, bounds, count, out, error);
    case PROBABILITY:
        return lg_areasum_query_probability(c, a->areasum, bounds, count, out, error);
    default:
        return lg_areasum_query(c, a->areasum, q->figure, bounds, count, out, error);
    }
}

static bool find_figure(const char *name, lg_area_figure *out)
{
    for (int i = 0; i < LG_AREA_FIGURES; i++)
        if (!strcmp(lg_area_figure_name((lg_area_figure)i), name)) {
            *out = (lg_area_figure)i;
            return true;
        }
    return false;
}

static bool parse_figure(const char *name, query *out)
{
    static const struct {
        const char *name;
        how how;
    } others[] = {{"histogram", HISTOGRAM}, {"exact_sum", INTEGERS}, {"probability", PROBABILITY}};
    *out = (query){.how = FIGURE};
    if (find_figure(name, &out->figure))
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i].name)) {
            out->how = others[i].how;
            return true;
        }
    char *end = NULL;
    if (*name == 'p')
        out->p = strtod(name + 1, &end);
    if (end && end != name + 1 && !*end) {
        out->how = PERCENTILE;
        return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "there is no figure '%s' of boxes; there are sum, exact_sum, mean, variance, min, "
                 "max, count, count_above, probability, histogram and percentiles such as p50",
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
    if (!read_begin(a)) {
        PyBuffer_Release(&bounds);
        return NULL;
    }
    lg_areasum_info info;
    lg_areasum_get_info(a->areasum, &info);
    const size_t count = (size_t)bounds.len / sizeof(int32_t) / (2 * (size_t)info.dims);
    PyObject *out = NULL;
    if (parse_figure(name, &q)) {
        const size_t values = q.how == HISTOGRAM ? (size_t)a->bins : 1;
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
    read_end(a);
    PyBuffer_Release(&bounds);
    if (!good)
        Py_CLEAR(out);
    return out;
}

// ---- figures of shapes ----------------------------------------------------------------------------

// A figure of all pixels of a polygon or mask, or of a turned rectangle.
typedef struct shape_query {
    lg_area_figure figure;
    const lg_area_polygon *polygon; // one of the three
    core_image *mask;
    const lg_area_rectangle *rectangle;
    int most;
    long long first, layers; // layers -1: the array has two axes
    lg_area_cover cover;
} shape_query;

static lg_status ask_shape(core_context *c, const core_areasum *a, shape_query *q, double *out,
                           lg_error *error)
{
    lg_image *mask = NULL;
    lg_status status = q->mask ? core_image_wrap(c, q->mask, &mask, error) : LG_OK;
    if (status)
        return status;
    if (q->rectangle)
        status = lg_areasum_query_rectangle(c->context, a->areasum, q->figure, q->rectangle,
                                            q->most, out, &q->cover, error);
    else if (q->mask && q->layers < 0)
        status = lg_areasum_query_mask(c->context, a->areasum, q->figure, mask, out, error);
    else if (q->mask)
        status = lg_areasum_query_mask_layers(c->context, a->areasum, q->figure, mask, q->first,
                                              q->layers, out, error);
    else if (q->layers < 0)
        status =
            lg_areasum_query_polygon(c->context, a->areasum, q->figure, q->polygon, out, error);
    else
        status = lg_areasum_query_polygon_layers(c->context, a->areasum, q->figure, q->polygon,
                                                 q->first, q->layers, out, error);
    core_image_drop(&mask);
    return status;
}

// query_shape(context, figure, polygon | mask | rectangle, first, layers, most) -> (figures, cover)
static PyObject *areasum_query_shape(core_areasum *a, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)a);
    core_context *c;
    const char *name;
    PyObject *shape;
    shape_query q = {.layers = -1};
    core_polygon polygon = {.view = {.obj = NULL}};
    lg_area_rectangle rectangle;
    if (!PyArg_ParseTuple(args, "O!sOLLi", state->context, &c, &name, &shape, &q.first, &q.layers,
                          &q.most))
        return NULL;
    if (!find_figure(name, &q.figure))
        return PyErr_Format(PyExc_ValueError,
                            "there is no figure '%s' of shapes; there are sum, mean, variance, "
                            "min, max, count and count_above",
                            name);
    if (Py_IS_TYPE(shape, state->image))
        q.mask = (core_image *)shape;
    else if (PyTuple_Size(shape) == 5) {
        if (!core_rectangle_take(shape, &rectangle))
            return NULL;
        q.rectangle = &rectangle;
    } else {
        if (!core_polygon_take(shape, &polygon))
            return NULL;
        q.polygon = &polygon.polygon;
    }
    double out[LG_MAX_CHANNELS] = {0};
    lg_areasum_info info;
    PyObject *result = NULL;
    const bool reads = read_begin(a);
    if (reads && core_begin(c)) {
        lg_areasum_get_info(a->areasum, &info);
        lg_error error = {LG_OK, ""};
        const lg_status status = ask_shape(c, a, &q, out, &error);
        if (core_end(c, status, &error))
            result = PyByteArray_FromStringAndSize((const char *)out, info.channels * 8);
    }
    if (reads)
        read_end(a);
    core_polygon_drop(&polygon);
    return result ? Py_BuildValue("(NN)", result, core_cover_tuple(&q.cover)) : NULL;
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
    {"query_shape", (PyCFunction)areasum_query_shape, METH_VARARGS, "A figure of a shape."},
    {"update", (PyCFunction)areasum_update, METH_VARARGS, "The same for another array."},
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
