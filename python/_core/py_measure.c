// Moments, histograms and thresholds.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

// ---- which samples ------------------------------------------------------------------------------

typedef struct selection {
    lg_region region;
    core_image *mask;
    int nan, step, skip;
    bool has_region;
} selection;

// (mask, region, nan, step, skip_transparent)
static bool parse_selection(const core_state *state, PyObject *object, selection *out)
{
    PyObject *mask, *region;
    *out = (selection){.step = 1};
    long long x, y, width, height;
    if (!PyArg_ParseTuple(object, "OOiip", &mask, &region, &out->nan, &out->step, &out->skip) ||
        !core_image_or_none(state, mask, &out->mask))
        return false;
    if (region == Py_None)
        return true;
    if (!PyArg_ParseTuple(region, "LLLL", &x, &y, &width, &height))
        return false;
    out->region = (lg_region){x, y, width, height};
    out->has_region = true;
    return true;
}

static lg_select select_of(const selection *s, const lg_image *mask)
{
    return (lg_select){.region = s->has_region ? &s->region : NULL,
                       .mask = mask,
                       .skip_transparent = s->skip,
                       .nan = (lg_nan)s->nan,
                       .step = s->step};
}

// The library's images of a measurement, for one call.
typedef struct pair {
    lg_image *image, *mask;
} pair;

static lg_status wrap_pair(core_context *c, const core_image *image, const core_image *mask,
                           pair *out, lg_error *error)
{
    *out = (pair){NULL, NULL};
    lg_status status = core_image_wrap(c, image, &out->image, error);
    if (!status && mask)
        status = core_image_wrap(c, mask, &out->mask, error);
    return status;
}

static void drop_pair(pair *p)
{
    core_image_drop(&p->image);
    core_image_drop(&p->mask);
}

// ---- moments ------------------------------------------------------------------------------------

static PyObject *exact_sum(const lg_moments *m)
{
    if (!m->exact)
        return Py_NewRef(Py_None);
    if (!m->sum_hi)
        return PyLong_FromUnsignedLongLong(m->sum_lo);
    PyObject *high = PyLong_FromUnsignedLongLong(m->sum_hi), *shift = PyLong_FromLong(64);
    PyObject *low = PyLong_FromUnsignedLongLong(m->sum_lo);
    PyObject *up = high && shift ? PyNumber_Lshift(high, shift) : NULL;
    PyObject *sum = up && low ? PyNumber_Or(up, low) : NULL;
    Py_XDECREF(high);
    Py_XDECREF(shift);
    Py_XDECREF(low);
    Py_XDECREF(up);
    return sum;
}

static PyObject *moments_tuple(const lg_moments *m)
{
    PyObject *sum = exact_sum(m);
    return sum ? Py_BuildValue("(KKKddddddN)", (unsigned long long)m->count,
                               (unsigned long long)m->nan_count, (unsigned long long)m->inf_count,
                               m->min, m->max, m->sum, m->mean, m->variance, m->variance_sample,
                               sum)
               : NULL;
}

PyObject *core_moments_list(const lg_moments *moments, size_t count)
{
    PyObject *out = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; out && i < count; i++) {
        PyObject *one = moments_tuple(&moments[i]);
        if (!one || PyList_SetItem(out, (Py_ssize_t)i, one))
            Py_CLEAR(out);
    }
    return out;
}

// moments(context, image, selection, stack)
static PyObject *moments(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    core_image *image;
    PyObject *selected;
    int stack;
    selection s;
    if (!PyArg_ParseTuple(args, "O!O!O!p", state->context, &c, state->image, &image, &PyTuple_Type,
                          &selected, &stack) ||
        !parse_selection(state, selected, &s))
        return NULL;
    const size_t count = (size_t)lg_image_measured_channels(&image->shape) *
                         (size_t)(stack ? 1 : image->shape.layers);
    lg_moments *out = calloc(count, sizeof *out);
    if (!out)
        return PyErr_NoMemory();
    PyObject *list = NULL;
    if (core_begin(c)) {
        lg_error error = {LG_OK, ""};
        pair p;
        lg_status status = wrap_pair(c, image, s.mask, &p, &error);
        lg_moments_params params = lg_moments_params_default();
        params.select = select_of(&s, p.mask);
        params.stack = stack;
        if (!status)
            status = lg_measure_moments(c->context, p.image, &params, out, count, &error);
        drop_pair(&p);
        if (core_end(c, status, &error))
            list = core_moments_list(out, count);
    }
    free(out);
    return list;
}

// ---- histograms ---------------------------------------------------------------------------------

// Counts as an array of 64-bit integers: bytes that the caller makes an array of.
static PyObject *counts_of(const uint64_t *counts, size_t count)
{
    return PyByteArray_FromStringAndSize((const char *)counts,
                                         (Py_ssize_t)(count * sizeof *counts));
}

static PyObject *channel_tuple(const lg_histogram_channel *h)
{
    PyObject *counts = counts_of(h->counts, (size_t)h->bins);
    return counts
               ? Py_BuildValue("(siidddNKKKKK)", h->name, (int)h->layer, (int)h->bins, h->lo, h->hi,
                               lg_histogram_bin_width(h), counts, (unsigned long long)h->below,
                               (unsigned long long)h->above, (unsigned long long)h->nan_count,
                               (unsigned long long)h->inf_count, (unsigned long long)h->total)
               : NULL;
}

// A histogram with figures: percentiles that were asked for, mode and entropy.
PyObject *core_histogram_list(const lg_histogram *histogram, PyObject *percentiles)
{
    const Py_ssize_t count = (Py_ssize_t)histogram->channels * histogram->layers;
    const Py_ssize_t asked = PyTuple_Size(percentiles);
    PyObject *out = PyList_New(count);
    for (Py_ssize_t i = 0; out && i < count; i++) {
        const lg_histogram_channel *h = &histogram->channel[i];
        PyObject *ranks = PyTuple_New(asked);
        bool good = ranks != NULL;
        for (Py_ssize_t k = 0; good && k < asked; k++) {
            const double p = PyFloat_AsDouble(PyTuple_GetItem(percentiles, k));
            good = !PyErr_Occurred() &&
                   core_put(ranks, k, PyFloat_FromDouble(lg_histogram_percentile(h, p)));
        }
        PyObject *one = good ? channel_tuple(h) : NULL;
        PyObject *both =
            one ? Py_BuildValue("(NOdd)", one, ranks, lg_histogram_mode(h), lg_histogram_entropy(h))
                : NULL;
        Py_XDECREF(ranks);
        if (!both || PyList_SetItem(out, i, both))
            Py_CLEAR(out);
    }
    return out;
}

static int name_index(const char *name, const char *(*at)(int), int count, const char *what)
{
    for (int i = 0; i < count; i++)
        if (at(i) && !strcmp(at(i), name))
            return i;
    PyErr_Format(PyExc_ValueError, "there is no %s '%s'", what, name);
    return -1;
}

static const char *space_at(int i)
{
    return lg_space_name((lg_space)i);
}

static const char *luma_at(int i)
{
    return lg_luma_name((lg_luma)i);
}

static const char *method_at(int i)
{
    return lg_threshold_method_name((lg_threshold_method)i);
}

// (bins, low, high, "automatic" | "type" | "given", space, luma)
bool core_parse_bins(PyObject *object, lg_histogram_params *out)
{
    const char *rule, *space, *luma;
    int bins;
    if (!PyArg_ParseTuple(object, "iddsss", &bins, &out->lo, &out->hi, &rule, &space, &luma))
        return false;
    const int s = name_index(space, space_at, LG_SPACES, "colour space");
    const int l = s < 0 ? -1 : name_index(luma, luma_at, LG_LUMAS, "luma");
    if (l < 0)
        return false;
    out->bins = bins;
    out->automatic_range = !strcmp(rule, "automatic");
    out->type_range = !strcmp(rule, "type");
    out->space = (lg_space)s;
    out->luma = (lg_luma)l;
    return true;
}

// histogram(context, image, selection, stack, bins, percentiles)
static PyObject *histogram(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    core_image *image;
    PyObject *selected, *bins, *percentiles;
    int stack;
    selection s;
    lg_histogram_params params = lg_histogram_params_default();
    if (!PyArg_ParseTuple(args, "O!O!O!pO!O!", state->context, &c, state->image, &image,
                          &PyTuple_Type, &selected, &stack, &PyTuple_Type, &bins, &PyTuple_Type,
                          &percentiles) ||
        !parse_selection(state, selected, &s) || !core_parse_bins(bins, &params) || !core_begin(c))
        return NULL;
    lg_error error = {LG_OK, ""};
    pair p;
    lg_histogram *h = NULL;
    lg_status status = wrap_pair(c, image, s.mask, &p, &error);
    params.select = select_of(&s, p.mask);
    params.stack = stack;
    if (!status)
        status = lg_measure_histogram(c->context, p.image, &params, &h, &error);
    drop_pair(&p);
    PyObject *list = core_end(c, status, &error) ? core_histogram_list(h, percentiles) : NULL;
    lg_histogram_destroy(&h);
    return list;
}

// ---- thresholds ---------------------------------------------------------------------------------

static PyObject *threshold_tuple(const lg_threshold *t)
{
    PyObject *levels = PyTuple_New(t->levels), *bins = PyTuple_New(t->levels);
    bool good = levels && bins;
    for (int i = 0; good && i < t->levels; i++)
        good = core_put(levels, i, PyFloat_FromDouble(t->level[i])) &&
               core_put(bins, i, PyLong_FromLong(t->bin[i]));
    PyObject *out =
        good ? Py_BuildValue("(OOdKK)", levels, bins, t->separability,
                             (unsigned long long)t->foreground, (unsigned long long)t->total)
             : NULL;
    Py_XDECREF(levels);
    Py_XDECREF(bins);
    return out;
}

static PyObject *threshold_list(const lg_threshold *t, size_t count)
{
    PyObject *out = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; out && i < count; i++) {
        PyObject *one = threshold_tuple(&t[i]);
        if (!one || PyList_SetItem(out, (Py_ssize_t)i, one))
            Py_CLEAR(out);
    }
    return out;
}

// threshold(context, image, selection, stack, method, classes, bins, value, luma)
static PyObject *threshold(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    core_image *image;
    PyObject *selected;
    int stack, classes, bins;
    double value;
    const char *method, *luma;
    selection s;
    if (!PyArg_ParseTuple(args, "O!O!O!psiids", state->context, &c, state->image, &image,
                          &PyTuple_Type, &selected, &stack, &method, &classes, &bins, &value,
                          &luma) ||
        !parse_selection(state, selected, &s))
        return NULL;
    const int m = name_index(method, method_at, LG_THRESHOLD_METHODS, "threshold method");
    const int l = m < 0 ? -1 : name_index(luma, luma_at, LG_LUMAS, "luma");
    if (l < 0)
        return NULL;
    const size_t count = (size_t)(stack ? 1 : image->shape.layers);
    lg_threshold *out = calloc(count, sizeof *out);
    if (!out)
        return PyErr_NoMemory();
    PyObject *list = NULL;
    if (core_begin(c)) {
        lg_error error = {LG_OK, ""};
        pair p;
        lg_status status = wrap_pair(c, image, s.mask, &p, &error);
        lg_threshold_params params = lg_threshold_params_default();
        params.select = select_of(&s, p.mask);
        params.method = (lg_threshold_method)m;
        params.classes = classes;
        params.bins = bins;
        params.value = value;
        params.luma = (lg_luma)l;
        params.stack = stack;
        if (!status)
            status = lg_threshold_image(c->context, p.image, &params, out, count, NULL, &error);
        drop_pair(&p);
        if (core_end(c, status, &error))
            list = threshold_list(out, count);
    }
    free(out);
    return list;
}

// ---- points -------------------------------------------------------------------------------------

static lg_status find_points(core_context *c, const core_image *image, const selection *s,
                             lg_image_point **out, size_t most, size_t *count, lg_error *error)
{
    pair p;
    lg_status status = wrap_pair(c, image, s->mask, &p, error);
    const lg_select select = select_of(s, p.mask);
    if (!status)
        status = lg_image_points(c->context, p.image, &select, NULL, 0, count, error);
    const size_t room = *count < most ? *count : most;
    if (!status && !(*out = malloc((room + 1) * sizeof **out)))
        status = LG_ERROR_MEMORY;
    if (!status && room)
        status = lg_image_points(c->context, p.image, &select, *out, room, count, error);
    drop_pair(&p);
    return status;
}

// points(context, image, selection, most) -> (bytes of x, y, layer and strength as doubles, count of all)
static PyObject *points(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);
    core_context *c;
    core_image *image;
    PyObject *selected;
    Py_ssize_t most;
    selection s;
    if (!PyArg_ParseTuple(args, "O!O!O!n", state->context, &c, state->image, &image, &PyTuple_Type,
                          &selected, &most) ||
        !parse_selection(state, selected, &s) || !core_begin(c))
        return NULL;
    lg_image_point *found = NULL;
    size_t count = 0;
    lg_error error = {LG_OK, ""};
    const lg_status status = find_points(c, image, &s, &found, (size_t)most, &count, &error);
    PyObject *bytes = NULL;
    if (core_end(c, status, &error)) {
        const size_t room = count < (size_t)most ? count : (size_t)most;
        bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(room * 4 * sizeof(double)));
        double *to = bytes ? (double *)(void *)PyByteArray_AsString(bytes) : NULL;
        for (size_t i = 0; to && i < room; i++) {
            to[4 * i] = found[i].x;
            to[4 * i + 1] = found[i].y;
            to[4 * i + 2] = found[i].layer;
            to[4 * i + 3] = (double)found[i].strength;
        }
    }
    free(found);
    return bytes ? Py_BuildValue("(Nn)", bytes, (Py_ssize_t)count) : NULL;
}

PyMethodDef core_measure_methods[] = {
    {"moments", moments, METH_VARARGS, "Moments of every channel and layer."},
    {"histogram", histogram, METH_VARARGS, "Histograms of every channel and layer."},
    {"points", points, METH_VARARGS, "Points of a picture of points."},
    {"threshold", threshold, METH_VARARGS, "Levels of every layer."},
    {NULL, NULL, 0, NULL},
};
