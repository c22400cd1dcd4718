// Pipelines that are compiled once and run on images of one shape.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

// ---- compiling ----------------------------------------------------------------------------------

// What Plan() is told.
typedef struct request {
    const char *pipeline;
    PyObject *names, *images, *figures;
    int type, channels;
} request;

static lg_status add_figures(lg_graph *graph, lg_node last, PyObject *figures, lg_error *error)
{
    lg_status status = LG_OK;
    for (Py_ssize_t i = 0; i < PyTuple_Size(figures) && !status; i++) {
        const char *name, *figure;
        if (!PyArg_ParseTuple(PyTuple_GetItem(figures, i), "ss", &name, &figure))
            return LG_ERROR_ARGUMENT;
        status = lg_graph_figure(graph, last, figure, name, error);
    }
    return status;
}

static lg_status build(core_plan *p, const request *r, lg_error *error)
{
    lg_status status = lg_graph_create(&p->graph, error);
    lg_node first = -1, last;
    for (Py_ssize_t i = 0; i < p->input_count && !status; i++) {
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(r->names, i), NULL);
        lg_node node;
        if (!name)
            return LG_ERROR_ARGUMENT;
        status = lg_graph_input(p->graph, name, &node, error);
        first = i ? first : node;
    }
    last = first;
    if (!status && *r->pipeline)
        status = lg_graph_parse(p->graph, r->pipeline, first, &last, error);
    if (!status)
        status = add_figures(p->graph, last, r->figures, error);
    // A plan has an output. Where figures alone are wanted it is one pixel.
    if (!status && !p->has_output)
        status = lg_graph_parse(p->graph, "crop:box=1x1", last, &last, error);
    if (!status)
        status = lg_graph_output(p->graph, last, error);
    if (!status && p->has_output && r->channels)
        status = lg_graph_output_channels(p->graph, 0, r->channels, error);
    return status;
}

static bool compile(core_plan *p, const request *r)
{
    lg_error error = {LG_OK, ""};
    lg_status status = build(p, r, &error);
    if (PyErr_Occurred())
        return false;
    if (status)
        return core_raise(core_state_of((PyObject *)p), status, &error) != NULL;
    if (!core_begin(p->context))
        return false;
    const lg_type type = (lg_type)r->type;
    status = lg_plan_create(p->context->context, p->graph, p->inputs, (size_t)p->input_count,
                            r->type < 0 ? NULL : &type, &p->plan, &error);
    if (!status)
        status = lg_plan_output(p->plan, 0, &p->output, &error);
    return core_end(p->context, status, &error);
}

static bool take_shapes(core_plan *p, const core_state *state, const request *r)
{
    p->input_count = PyTuple_Size(r->images);
    if (p->input_count < 1 || p->input_count > LG_MAX_INPUTS ||
        PyTuple_Size(r->names) != p->input_count) {
        PyErr_Format(PyExc_ValueError, "a pipeline has 1 to %d images, not %zd", LG_MAX_INPUTS,
                     p->input_count);
        return false;
    }
    for (Py_ssize_t i = 0; i < p->input_count; i++) {
        core_image *image;
        if (!core_image_or_none(state, PyTuple_GetItem(r->images, i), &image))
            return false;
        if (!image) {
            PyErr_SetString(PyExc_TypeError, "an image is None");
            return false;
        }
        p->inputs[i] = image->shape;
        p->has_layers |= image->has_layers;
        // One channel is an axis of the result only where it was one of the image.
        p->has_channels |= i == 0 && image->has_channels && image->shape.channels == 1;
    }
    return true;
}

// Plan(context, pipeline, names, images, figures, type, channels, with_output)
static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    request r;
    core_context *context;
    int with_output;
    if (!PyArg_ParseTuple(args, "O!sO!O!O!iip", state->context, &context, &r.pipeline,
                          &PyTuple_Type, &r.names, &PyTuple_Type, &r.images, &PyTuple_Type,
                          &r.figures, &r.type, &r.channels, &with_output))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_plan *p = (core_plan *)allocate(type, 0);
    if (!p)
        return NULL;
    p->context = (core_context *)Py_NewRef((PyObject *)context);
    p->has_output = with_output;
    if (!take_shapes(p, state, &r) || !compile(p, &r)) {
        Py_DECREF((PyObject *)p);
        return NULL;
    }
    return (PyObject *)p;
}

static void destroy_plan(void *plan)
{
    lg_plan *own = plan;
    lg_plan_destroy(&own);
}

static void plan_dealloc(core_plan *p)
{
    PyTypeObject *type = Py_TYPE((PyObject *)p);
    lg_graph_destroy(&p->graph);
    if (p->plan)
        core_destroy(p->context, destroy_plan, p->plan);
    Py_XDECREF((PyObject *)p->context);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(p);
    Py_DECREF(type);
}

// ---- running ------------------------------------------------------------------------------------

// Strides and the kind of padding may differ from those of the images that the plan was made for.
static bool same_shape(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height && a->layers == b->layers &&
           a->channels == b->channels && a->type == b->type && a->alpha == b->alpha;
}

bool core_plan_inputs(const core_plan *p, const core_state *state, PyObject *images,
                      core_image **out)
{
    if (PyTuple_Size(images) != p->input_count) {
        PyErr_Format(PyExc_ValueError, "the plan has %zd images, not %zd", p->input_count,
                     PyTuple_Size(images));
        return false;
    }
    for (Py_ssize_t i = 0; i < p->input_count; i++) {
        if (!core_image_or_none(state, PyTuple_GetItem(images, i), &out[i]))
            return false;
        const lg_image_params *is = out[i] ? &out[i]->shape : NULL, *was = &p->inputs[i];
        if (is && same_shape(is, was))
            continue;
        PyErr_Format(PyExc_ValueError,
                     "image %zd of the plan is %d x %d x %d with %d channels of %s, not %d x %d x "
                     "%d with %d of %s; make another plan",
                     i, was->width, was->height, was->layers, was->channels,
                     lg_type_name(was->type), is ? is->width : 0, is ? is->height : 0,
                     is ? is->layers : 0, is ? is->channels : 0,
                     is ? lg_type_name(is->type) : "nothing");
        return false;
    }
    return true;
}

core_image *core_plan_result(const core_plan *p, const core_state *state, core_image *out,
                             const core_image *like)
{
    if (!out && like && like->cuda)
        return core_cuda_image_new(state, p->context, &p->output, p->has_layers, p->has_channels);
    if (!out)
        return core_image_new(state, p->context, &p->output, p->has_layers, p->has_channels);
    if (out->readonly) {
        PyErr_SetString(PyExc_ValueError, "out is read-only");
        return NULL;
    }
    if (!same_shape(&out->shape, &p->output)) {
        PyErr_Format(PyExc_ValueError,
                     "out has %d x %d x %d pixels with %d channels of %s; the result has %d x %d x "
                     "%d with %d of %s",
                     out->shape.width, out->shape.height, out->shape.layers, out->shape.channels,
                     lg_type_name(out->shape.type), p->output.width, p->output.height,
                     p->output.layers, p->output.channels, lg_type_name(p->output.type));
        return NULL;
    }
    return (core_image *)Py_NewRef((PyObject *)out);
}

static lg_status run_on(core_plan *p, core_image *const *images, core_image *result, bool again,
                        lg_error *error)
{
    lg_image *inputs[LG_MAX_INPUTS] = {NULL}, *output = NULL;
    lg_status status = again ? lg_plan_reset(p->plan, error) : LG_OK;
    for (Py_ssize_t i = 0; i < p->input_count && !status; i++)
        status = core_image_wrap(p->context, images[i], &inputs[i], error);
    if (!status)
        status = core_image_wrap(p->context, result, &output, error);
    if (!status)
        status = lg_plan_run(p->plan, inputs, &output, error);
    for (Py_ssize_t i = 0; i < p->input_count; i++)
        core_image_drop(&inputs[i]);
    core_image_drop(&output);
    return status;
}

// run(images, out, afresh)
static PyObject *plan_run(core_plan *p, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)p);
    PyObject *list, *given;
    core_image *images[LG_MAX_INPUTS], *out, *result = NULL;
    int afresh;
    if (!PyArg_ParseTuple(args, "O!Op", &PyTuple_Type, &list, &given, &afresh) ||
        !core_image_or_none(state, given, &out) || !core_plan_inputs(p, state, list, images))
        return NULL;
    if (!(result = core_plan_result(p, state, p->has_output ? out : NULL,
                                    p->has_output ? images[0] : NULL)))
        return NULL;
    if (!core_begin(p->context)) {
        Py_DECREF((PyObject *)result);
        return NULL;
    }
    lg_error error = {LG_OK, ""};
    const lg_status status = run_on(p, images, result, afresh, &error);
    if (core_end(p->context, status, &error))
        return (PyObject *)result;
    Py_DECREF((PyObject *)result);
    return NULL;
}

static lg_status submit_on(core_plan *p, core_image *const *images, const core_image *out,
                           const core_image *figures, void *stream, lg_error *error)
{
    lg_image *inputs[LG_MAX_INPUTS], *output = out ? core_cuda_view(out) : NULL;
    for (Py_ssize_t i = 0; i < p->input_count; i++)
        inputs[i] = core_cuda_view(images[i]);
    lg_status status = core_cuda_follow(p->context, stream, error);
    if (!status)
        status = lg_plan_submit(p->plan, inputs, out ? &output : NULL,
                                figures ? core_cuda_view(figures) : NULL, error);
    return status ? status : core_cuda_lead(p->context, stream, error);
}

// submit(images, out | None, figures | None, stream): images on the GPU; nobody waits
static PyObject *plan_submit(core_plan *p, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)p);
    PyObject *list, *given, *rows, *number;
    core_image *images[LG_MAX_INPUTS], *out, *figures;
    void *stream;
    bool any;
    if (!PyArg_ParseTuple(args, "O!OOO", &PyTuple_Type, &list, &given, &rows, &number) ||
        !core_image_or_none(state, given, &out) || !core_image_or_none(state, rows, &figures) ||
        !core_plan_inputs(p, state, list, images) || !core_cuda_stream(number, &stream, &any))
        return NULL;
    bool here = (!out || out->cuda) && (!figures || figures->cuda);
    for (Py_ssize_t i = 0; i < p->input_count; i++)
        here = here && images[i]->cuda && core_cuda_home(images[i]) == p->context;
    if (!here || (out && core_cuda_home(out) != p->context) ||
        (figures && core_cuda_home(figures) != p->context)) {
        PyErr_SetString(PyExc_ValueError,
                        "what is submitted is in memory that lumagraph.empty() has "
                        "made for the context of the plan");
        return NULL;
    }
    if (!core_begin(p->context))
        return NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status = submit_on(p, images, out, figures, stream, &error);
    return core_end(p->context, status, &error) ? Py_NewRef(Py_None) : NULL;
}

// ---- figures and parameters ---------------------------------------------------------------------

static PyObject *figure_tuple(const lg_figure_value *f)
{
    PyObject *values = PyTuple_New(f->count);
    for (int i = 0; values && i < f->count; i++)
        if (!core_put(values, i, PyFloat_FromDouble(f->value[i])))
            Py_CLEAR(values);
    return values ? Py_BuildValue("(izsN)", (int)f->node, f->filter, f->name, values) : NULL;
}

PyObject *core_figure_list(const lg_figure_value *figures, size_t count)
{
    PyObject *out = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; out && i < count; i++) {
        PyObject *one = figure_tuple(&figures[i]);
        if (!one || PyList_SetItem(out, (Py_ssize_t)i, one))
            Py_CLEAR(out);
    }
    return out;
}

static PyObject *plan_figures(core_plan *p, PyObject *none)
{
    lg_error error = {LG_OK, ""};
    size_t count = 0;
    lg_figure_value *list = NULL;
    if (!core_begin(p->context))
        return NULL;
    lg_status status = lg_plan_figures(p->plan, NULL, 0, &count, &error);
    if (!status && count && !(list = calloc(count, sizeof *list)))
        status = LG_ERROR_MEMORY;
    if (!status && count)
        status = lg_plan_figures(p->plan, list, count, &count, &error);
    PyObject *out = core_end(p->context, status, &error) ? core_figure_list(list, count) : NULL;
    free(list);
    return out;
}

// The node of that name, or the only one of that filter; -1 with an exception.
static lg_node find_node(core_plan *p, const char *name)
{
    lg_node found = lg_graph_find(p->graph, name), same = -1;
    int count = 0;
    for (lg_node i = 0; found < 0 && i < LG_MAX_NODES; i++) {
        bool idle;
        const lg_filter *f = lg_graph_node_filter(p->graph, i, &idle);
        if (f && !strcmp(f->name, name))
            same = i, count++;
    }
    if (found >= 0 || count == 1)
        return found >= 0 ? found : same;
    if (count)
        PyErr_Format(PyExc_ValueError,
                     "%d filters of the pipeline are '%s'; name the one that is meant, as in "
                     "'%s #soft', and pass 'soft'",
                     count, name, name);
    else
        PyErr_Format(PyExc_ValueError, "no filter of the pipeline is called '%s'", name);
    return -1;
}

// set(node or filter, parameter, text)
static PyObject *plan_set(core_plan *p, PyObject *args)
{
    const char *node, *param, *value;
    if (!PyArg_ParseTuple(args, "sss", &node, &param, &value))
        return NULL;
    const lg_node found = find_node(p, node);
    if (found < 0 || !core_begin(p->context))
        return NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_plan_set_text(p->plan, found, param, value, &error);
    return core_end(p->context, status, &error) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *plan_explain(core_plan *p, PyObject *none)
{
    if (!core_begin(p->context))
        return NULL;
    const char *text = lg_plan_explain(p->plan);
    return core_end(p->context, LG_OK, NULL) ? PyUnicode_FromString(text ? text : "") : NULL;
}

static PyObject *plan_profile(core_plan *p, PyObject *none)
{
    lg_stage_profile stages[64];
    if (!core_begin(p->context))
        return NULL;
    const size_t all = lg_plan_profile(p->plan, stages, 64);
    if (!core_end(p->context, LG_OK, NULL))
        return NULL;
    PyObject *out = PyList_New(0);
    for (size_t i = 0; out && i < all && i < 64; i++) {
        PyObject *one = Py_BuildValue("(sdd)", stages[i].name, stages[i].seconds, stages[i].bytes);
        if (!one || PyList_Append(out, one))
            Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

static PyObject *plan_reset(core_plan *p, PyObject *none)
{
    lg_error error = {LG_OK, ""};
    if (!core_begin(p->context))
        return NULL;
    return core_end(p->context, lg_plan_reset(p->plan, &error), &error) ? Py_NewRef(Py_None) : NULL;
}

// (width, height, layers, channels, type, whether the fourth channel is padding)
static PyObject *plan_output(core_plan *p, PyObject *none)
{
    const lg_image_params *s = &p->output;
    return p->has_output
               ? Py_BuildValue("(iiiisN)", s->width, s->height, s->layers, s->channels,
                               lg_type_name(s->type), PyBool_FromLong(s->alpha == LG_ALPHA_OPAQUE))
               : Py_NewRef(Py_None);
}

static PyMethodDef plan_methods[] = {
    {"run", (PyCFunction)plan_run, METH_VARARGS, "Runs on images of the plan's shapes."},
    {"submit", (PyCFunction)plan_submit, METH_VARARGS, "Runs on the GPU; nobody waits."},
    {"figures", (PyCFunction)plan_figures, METH_NOARGS, "Figures of the last run."},
    {"set", (PyCFunction)plan_set, METH_VARARGS, "Changes a parameter."},
    {"explain", (PyCFunction)plan_explain, METH_NOARGS, "A line for each stage."},
    {"profile", (PyCFunction)plan_profile, METH_NOARGS, "Stages of the last run."},
    {"reset", (PyCFunction)plan_reset, METH_NOARGS, "Forgets earlier runs."},
    {"output", (PyCFunction)plan_output, METH_NOARGS, "The shape of the result."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_new, plan_new},
    {Py_tp_dealloc, plan_dealloc},
    {Py_tp_methods, plan_methods},
    {0, NULL},
};

PyType_Spec core_plan_spec = {
    .name = "lumagraph._core.Plan",
    .basicsize = sizeof(core_plan),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};
