// Labels of connected components, and figures of labels.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_labels {
    PyObject_HEAD
    core_context *context; // that made them; a device's labels are destroyed with it
    lg_labels *labels;
    bool has_layers;
    int ndim;
    Py_ssize_t extent[3], stride[3];
} core_labels;

static void destroy_labels(void *labels)
{
    lg_labels *own = labels;
    lg_labels_destroy(&own);
}

static core_labels *labels_new(const core_state *state, core_context *context, lg_labels *labels,
                               bool has_layers)
{
    allocfunc make = (allocfunc)PyType_GetSlot(state->labels, Py_tp_alloc);
    core_labels *l = (core_labels *)make(state->labels, 0);
    if (!l) {
        core_destroy(context, destroy_labels, labels);
        return NULL;
    }
    l->context = (core_context *)Py_NewRef((PyObject *)context);
    l->labels = labels;
    const Py_ssize_t extent[] = {labels->layers, labels->height, labels->width};
    const Py_ssize_t stride[] = {(Py_ssize_t)labels->layer_stride, (Py_ssize_t)labels->row_stride,
                                 (Py_ssize_t)sizeof *labels->data};
    for (int i = has_layers ? 0 : 1; i < 3; i++) {
        l->extent[l->ndim] = extent[i];
        l->stride[l->ndim++] = stride[i];
    }
    return l;
}

static void labels_dealloc(core_labels *l)
{
    PyTypeObject *type = Py_TYPE((PyObject *)l);
    if (l->labels)
        core_destroy(l->context, destroy_labels, l->labels);
    Py_XDECREF((PyObject *)l->context);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(l);
    Py_DECREF(type);
}

// An array of int32, or of uint32 where int32 does not hold the labels.
static int labels_getbuffer(core_labels *l, Py_buffer *view, int flags)
{
    static char narrow[] = "i", wide[] = "I";
    view->obj = NULL;
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_C_CONTIGUOUS & ~PyBUF_STRIDES) ||
        (flags & PyBUF_F_CONTIGUOUS & ~PyBUF_STRIDES)) {
        PyErr_SetString(PyExc_BufferError, "labels are read with strides");
        return -1;
    }
    view->buf = l->labels->data;
    view->itemsize = sizeof *l->labels->data;
    view->len = view->itemsize;
    for (int i = 0; i < l->ndim; i++)
        view->len *= l->extent[i];
    view->readonly = 0;
    view->ndim = l->ndim;
    view->format = flags & PyBUF_FORMAT ? (l->labels->count > INT32_MAX ? wide : narrow) : NULL;
    view->shape = l->extent;
    view->strides = l->stride;
    view->suboffsets = NULL;
    view->internal = NULL;
    view->obj = Py_NewRef((PyObject *)l);
    return 0;
}

static PyObject *get_count(core_labels *l, void *unused)
{
    return PyLong_FromUnsignedLong(l->labels->count);
}

static PyGetSetDef labels_getset[] = {
    {"count", (getter)get_count, NULL, "How many components there are.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot labels_slots[] = {
    {Py_tp_dealloc, labels_dealloc},
    {Py_tp_getset, labels_getset},
    {Py_bf_getbuffer, labels_getbuffer},
    {0, NULL},
};

PyType_Spec core_labels_spec = {
    .name = "lumagraph._core.Labels",
    .basicsize = sizeof(core_labels),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = labels_slots,
};

// ---- columns ------------------------------------------------------------------------------------

// The columns of some names. False with an exception.
static bool find_columns(const core_state *state, PyObject *names, lg_column *out)
{
    lg_error error = {LG_OK, ""};
    for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!name)
            return false;
        const lg_status status = lg_column_find(name, &out[i], &error);
        if (status) {
            core_raise(state, status, &error);
            return false;
        }
    }
    return true;
}

static unsigned needs_of(const lg_column *columns, Py_ssize_t count)
{
    unsigned needs = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        needs |= lg_column_needs(columns[i]);
    return needs;
}

// Columns as bytes of doubles, in the order of their names.
static PyObject *columns_of(const core_state *state, const lg_components *components,
                            const lg_column *columns, Py_ssize_t count)
{
    const size_t rows = lg_components_count(components);
    lg_error error = {LG_OK, ""};
    PyObject *out = PyTuple_New(count);
    for (Py_ssize_t i = 0; out && i < count; i++) {
        PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * sizeof(double)));
        if (!core_put(out, i, bytes)) {
            Py_CLEAR(out);
            break;
        }
        const lg_status status = lg_components_column(
            components, columns[i], (double *)(void *)PyByteArray_AsString(bytes), &error);
        if (status) {
            Py_CLEAR(out);
            core_raise(state, status, &error);
        }
    }
    return out;
}

// ---- label(context, image, connectivity, rule, level, fill_holes, intensity, keep, largest) -------

// What a call of label() asks for.
typedef struct request {
    core_image *image, *intensity;
    lg_label_params params;
    lg_column columns[2 * LG_COLUMNS];
    Py_ssize_t column_count;
    const char *keep; // an expression; NULL: all
    unsigned largest; // how many stay; 0: all
} request;

// Removes the components that are not wanted.
static lg_status thin_out(core_context *c, const request *r, lg_labels *labels,
                          lg_components *components, lg_error *error)
{
    const size_t count = lg_components_count(components);
    uint8_t *keep = malloc(count + 1);
    if (!keep)
        return LG_ERROR_MEMORY;
    memset(keep, 1, count + 1);
    lg_status status = LG_OK;
    if (r->keep)
        status = lg_components_select(components, r->keep, keep, error);
    if (!status && r->largest)
        status = lg_components_largest(components, r->largest, keep, error);
    if (!status)
        status = lg_components_keep(c->context, labels, components, keep, error);
    free(keep);
    return status;
}

static lg_status label_on(core_context *c, const request *r, lg_labels **labels, lg_error *error)
{
    lg_image *image = NULL, *intensity = NULL;
    lg_components *components = NULL;
    lg_status status = core_image_wrap(c, r->image, &image, error);
    if (!status && r->intensity)
        status = core_image_wrap(c, r->intensity, &intensity, error);
    if (!status)
        status = lg_label_image(c->context, image, &r->params, intensity, labels,
                                r->params.figures ? &components : NULL, error);
    if (!status && components)
        status = thin_out(c, r, *labels, components, error);
    if (!status)
        status = lg_labels_download(c->context, *labels, error);
    core_image_drop(&image);
    core_image_drop(&intensity);
    lg_components_destroy(&components);
    return status;
}

static bool take_columns(const core_state *state, PyObject *names, request *r)
{
    r->column_count = PyTuple_Size(names);
    if (r->column_count > 2 * LG_COLUMNS) {
        PyErr_SetString(PyExc_ValueError, "so many columns are not known");
        return false;
    }
    if (!find_columns(state, names, r->columns))
        return false;
    const unsigned needs = needs_of(r->columns, r->column_count);
    r->params.figures = r->column_count > 0;
    r->params.moments = needs & LG_NEEDS_MOMENTS;
    r->params.shape = needs & LG_NEEDS_SHAPE;
    return true;
}

// What the expression needs, and areas for the largest ones. False with an exception.
static bool take_wishes(const core_state *state, request *r)
{
    unsigned needs = 0;
    lg_error error = {LG_OK, ""};
    const lg_status status = r->keep ? lg_components_needs(r->keep, &needs, &error) : LG_OK;
    r->params.figures = r->keep || r->largest;
    r->params.moments = needs & LG_NEEDS_MOMENTS;
    r->params.shape = needs & LG_NEEDS_SHAPE;
    return !status || core_raise(state, status, &error) != NULL;
}

static PyObject *label(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    PyObject *intensity;
    int connectivity, rule, fill;
    double level;
    request r = {.params = lg_label_params_default()};
    if (!PyArg_ParseTuple(args, "O!O!iidpOzI", state->context, &c, state->image, &r.image,
                          &connectivity, &rule, &level, &fill, &intensity, &r.keep, &r.largest) ||
        !core_image_or_none(state, intensity, &r.intensity) || !take_wishes(state, &r))
        return NULL;
    r.params.connectivity = connectivity;
    r.params.foreground = (lg_foreground)rule;
    r.params.level = level;
    r.params.fill_holes = fill;
    lg_labels *labels = NULL;
    lg_error error = {LG_OK, ""};
    if (!core_begin(c))
        return NULL;
    const lg_status status = label_on(c, &r, &labels, &error);
    if (core_end(c, status, &error))
        return (PyObject *)labels_new(state, c, labels, r.image->has_layers);
    if (labels)
        core_destroy(c, destroy_labels, labels);
    return NULL;
}

// ---- measure_labels(context, array, connectivity, intensity, columns, euler) ----------------------

static bool refuse_label(const core_array *a, const core_loss *loss)
{
    PyErr_Format(PyExc_TypeError,
                 "the %s sample %s at [%s%zd, %zd] is no label; labels are whole numbers below "
                 "2**32 - 1 of an integer type",
                 core_array_type(a), loss->value, a->ndim == 3 ? "..., " : "", loss->index[2],
                 loss->index[3]);
    return false;
}

typedef struct given {
    core_array array;
    int32_t width, height, layers;
    bool too_sparse;
    core_loss loss;
    bool wants_euler;
    double *euler; // of each label of a volume, where wanted
    uint32_t count;
} given;

static lg_status measure_on(core_context *c, const request *r, given *g, lg_components **components,
                            lg_error *error)
{
    lg_labels *labels = NULL;
    lg_image *intensity = NULL;
    lg_status status = lg_labels_create(c->context, g->width, g->height, g->layers, &labels, error);
    if (!status)
        core_convert_labels(&g->array, labels, &g->loss);
    if (!status && !g->loss.lost)
        g->too_sparse = labels->count > 1u << 16 &&
                        labels->count / 4 >
                            (uint64_t)g->width * (uint64_t)g->height * (uint64_t)g->layers / 4 + 1;
    const bool measures = !status && !g->loss.lost && !g->too_sparse;
    if (measures && r->intensity)
        status = core_image_wrap(c, r->intensity, &intensity, error);
    if (measures && !status)
        status = lg_labels_measure(c->context, labels, &r->params, intensity, components, error);
    if (measures && !status && g->wants_euler) {
        g->count = labels->count;
        g->euler = malloc(((size_t)g->count + 1) * sizeof *g->euler);
        if (!g->euler || !core_euler_numbers(labels, g->euler))
            status = LG_ERROR_MEMORY;
    }
    core_image_drop(&intensity);
    lg_labels_destroy(&labels);
    return status;
}

static bool take_labels(PyObject *array, Py_buffer *buffer, given *g)
{
    if (PyObject_GetBuffer(array, buffer, PyBUF_RECORDS_RO))
        return false;
    if (!core_array_of_buffer(buffer, &g->array))
        return false;
    const core_array *a = &g->array;
    if (a->ndim != 2 && a->ndim != 3) {
        PyErr_Format(PyExc_ValueError, "labels have 2 or 3 axes, not %d", a->ndim);
        return false;
    }
    const Py_ssize_t *e = a->extent + (a->ndim - 2), layers = a->ndim == 3 ? a->extent[0] : 1;
    if (e[0] < 1 || e[1] < 1 || layers < 1 || e[0] > LG_MAX_SIDE || e[1] > LG_MAX_SIDE ||
        layers > LG_MAX_LAYERS) {
        PyErr_Format(PyExc_ValueError,
                     "labels of %zd x %zd x %zd: sides are 1 to %d, layers 1 to %d", e[1], e[0],
                     layers, LG_MAX_SIDE, LG_MAX_LAYERS);
        return false;
    }
    g->width = (int32_t)e[1];
    g->height = (int32_t)e[0];
    g->layers = (int32_t)layers;
    return true;
}

// Columns, and with the Euler numbers behind them.
static PyObject *all_columns(const core_state *state, const lg_components *components,
                             const request *r, const given *g)
{
    PyObject *out = columns_of(state, components, r->columns, r->column_count);
    if (!out || !g->wants_euler)
        return out;
    PyObject *both = NULL;
    PyObject *numbers = PyByteArray_FromStringAndSize(
        (const char *)g->euler, (Py_ssize_t)((size_t)g->count * sizeof *g->euler));
    PyObject *last = numbers ? PyTuple_Pack(1, numbers) : NULL;
    if (last)
        both = PySequence_Concat(out, last);
    Py_XDECREF(last);
    Py_XDECREF(numbers);
    Py_DECREF(out);
    return both;
}

// Bytes of columns, or None where most numbers up to the largest label do not occur.
static PyObject *measure_labels(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    PyObject *array, *intensity, *names;
    int connectivity, euler;
    request r = {.params = lg_label_params_default()};
    given g = {.too_sparse = false};
    if (!PyArg_ParseTuple(args, "O!OiOO!p", state->context, &c, &array, &connectivity, &intensity,
                          &PyTuple_Type, &names, &euler) ||
        !core_image_or_none(state, intensity, &r.intensity) || !take_columns(state, names, &r))
        return NULL;
    r.params.connectivity = connectivity;
    g.wants_euler = euler;
    Py_buffer buffer = {.obj = NULL};
    lg_components *components = NULL;
    lg_error error = {LG_OK, ""};
    bool good = take_labels(array, &buffer, &g) && core_begin(c);
    if (good) {
        const lg_status status = measure_on(c, &r, &g, &components, &error);
        good = core_end(c, status, &error);
    }
    if (good && g.loss.lost)
        good = refuse_label(&g.array, &g.loss);
    if (buffer.obj)
        PyBuffer_Release(&buffer);
    PyObject *out = NULL;
    if (good && g.too_sparse)
        out = Py_NewRef(Py_None);
    else if (good)
        out = all_columns(state, components, &r, &g);
    free(g.euler);
    lg_components_destroy(&components);
    return out;
}

PyMethodDef core_component_methods[] = {
    {"label", label, METH_VARARGS, "Labels of components."},
    {"measure_labels", measure_labels, METH_VARARGS, "Columns of figures of labels."},
    {NULL, NULL, 0, NULL},
};
