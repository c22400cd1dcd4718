// Streams: frames that follow each other through a plan, several of them on their way at once.
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

// What a frame on its way reads: the library's images, and the arrays behind them.
typedef struct held {
    struct held *next;
    PyObject *arrays;
    lg_image *inputs[LG_MAX_INPUTS];
    bool done; // the library has read them
} held;

// What ends with the library's stream, which may be after the object of Python.
typedef struct flight {
    core_context *context;
    lg_stream *stream;
    held *held;
} flight;

typedef struct core_stream {
    PyObject_HEAD
    core_plan *plan;
    flight *flight; // NULL: closed
    int64_t pushed;
    bool has_thread;
    atomic_bool busy; // a call is in progress
} core_stream;

// ---- what frames hold -----------------------------------------------------------------------------

static void free_held(held *list)
{
    for (held *next; list; list = next) {
        next = list->next;
        for (int i = 0; i < LG_MAX_INPUTS; i++)
            core_image_drop(&list->inputs[i]);
        Py_XDECREF(list->arrays);
        free(list);
    }
}

static void mark_done(void *priv)
{
    ((held *)priv)->done = true;
}

// Those that were read, taken out of the list: without the GIL nothing of Python can be given back.
static held *take_done(flight *f)
{
    held *done = NULL;
    for (held **at = &f->held; *at;) {
        held *one = *at;
        if (!one->done) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        one->next = done;
        done = one;
    }
    return done;
}

// ---- life -----------------------------------------------------------------------------------------

static void destroy_flight(void *object)
{
    flight *f = object;
    if (f->context->streaming == f->stream)
        f->context->streaming = NULL;
    Py_BEGIN_ALLOW_THREADS
    lg_stream_destroy(&f->stream);
    Py_END_ALLOW_THREADS
    free_held(f->held);
    free(f);
}

static void close_stream(core_stream *s)
{
    flight *f = s->flight;
    s->flight = NULL;
    if (f)
        core_destroy_stream(f->context, f->stream, destroy_flight, f);
}

static lg_status open_stream(core_stream *s, int depth, bool live, lg_error *error)
{
    lg_stream_params params = lg_stream_params_default();
    params.depth = depth;
    params.live = live;
    s->has_thread = depth > 1;
    return lg_stream_create(s->plan->plan, &params, &s->flight->stream, error);
}

// Stream(plan, depth, live)
static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const core_state *state = PyType_GetModuleState(type);
    core_plan *plan;
    int depth, live;
    if (!PyArg_ParseTuple(args, "O!ip", state->plan, &plan, &depth, &live))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_stream *s = (core_stream *)allocate(type, 0);
    if (!s)
        return NULL;
    s->plan = (core_plan *)Py_NewRef((PyObject *)plan);
    s->flight = calloc(1, sizeof *s->flight);
    bool good = s->flight && core_begin(plan->context);
    if (good) {
        lg_error error = {LG_OK, ""};
        s->flight->context = plan->context;
        const lg_status status = open_stream(s, depth, live, &error);
        good = core_end(plan->context, status, &error);
    } else if (!s->flight)
        PyErr_NoMemory();
    if (good)
        return (PyObject *)s;
    if (s->flight && !s->flight->stream) {
        free(s->flight);
        s->flight = NULL;
    }
    Py_DECREF((PyObject *)s);
    return NULL;
}

static void stream_dealloc(core_stream *s)
{
    PyTypeObject *type = Py_TYPE((PyObject *)s);
    close_stream(s);
    Py_XDECREF((PyObject *)s->plan);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(s);
    Py_DECREF(type);
}

// One thread at a time uses a stream. False with an exception.
static bool take(core_stream *s)
{
    bool free = false;
    if (atomic_compare_exchange_strong(&s->busy, &free, true))
        return true;
    PyErr_SetString(core_state_of((PyObject *)s)->errors[LG_ERROR_ARGUMENT],
                    "this stream is in use by another thread; one thread at a time uses a stream");
    return false;
}

static void give(core_stream *s)
{
    atomic_store(&s->busy, false);
}

static PyObject *stream_close(core_stream *s, PyObject *none)
{
    if (!take(s))
        return NULL;
    close_stream(s);
    give(s);
    Py_RETURN_NONE;
}

// After true, end must follow.
static bool begin(core_stream *s)
{
    if (!take(s))
        return false;
    if (s->flight && core_begin_stream(s->flight->context, s->flight->stream))
        return true;
    if (!s->flight)
        PyErr_SetString(core_state_of((PyObject *)s)->errors[LG_ERROR_ARGUMENT],
                        "this stream is closed; make another one");
    give(s);
    return false;
}

// Ends a call, and gives back what was read. False with an exception.
static bool end(core_stream *s, lg_status status, const lg_error *error)
{
    held *done = take_done(s->flight);
    const bool good = core_end(s->flight->context, status, error);
    free_held(done);
    give(s);
    return good;
}

// ---- in and out -----------------------------------------------------------------------------------

static lg_status send(core_stream *s, core_image *const *images, held *h, int64_t tag,
                      lg_error *error)
{
    flight *f = s->flight;
    lg_status status = LG_OK;
    for (Py_ssize_t i = 0; i < s->plan->input_count && !status; i++)
        status = core_image_wrap(f->context, images[i], &h->inputs[i], error);
    if (!status)
        status = lg_stream_push(f->stream, h->inputs, tag, mark_done, h, error);
    if (status)
        return status;
    h->next = f->held;
    f->held = h;
    s->pushed++;
    if (s->has_thread)
        f->context->streaming = f->stream;
    return LG_OK;
}

// push(images, tag)
static PyObject *stream_push(core_stream *s, PyObject *args)
{
    PyObject *list;
    long long tag;
    core_image *images[LG_MAX_INPUTS];
    if (!PyArg_ParseTuple(args, "O!L", &PyTuple_Type, &list, &tag) ||
        !core_plan_inputs(s->plan, core_state_of((PyObject *)s), list, images))
        return NULL;
    held *h = calloc(1, sizeof *h);
    if (!h)
        return PyErr_NoMemory();
    h->arrays = Py_NewRef(list);
    if (!begin(s)) {
        free_held(h);
        return NULL;
    }
    lg_error error = {LG_OK, ""};
    const lg_status status = send(s, images, h, tag, &error);
    const bool good = end(s, status, &error);
    if (status)
        free_held(h);
    return good ? Py_NewRef(Py_None) : NULL;
}

// An exception says which frame it is of.
static void note_frame(const lg_stream_frame *frame)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *index = PyLong_FromLongLong(frame->index), *tag = PyLong_FromLongLong(frame->tag);
    if (!index || !tag || !value || PyObject_SetAttrString(value, "index", index) ||
        PyObject_SetAttrString(value, "tag", tag))
        PyErr_Clear(); // the exception itself counts more
    Py_XDECREF(index);
    Py_XDECREF(tag);
    PyErr_Restore(type, value, trace);
}

// A frame that was taken. Its figures are copied, as the library's are gone with the next one.
typedef struct taken {
    lg_stream_frame frame;
    lg_figure_value *figures;
} taken;

static lg_status receive(core_stream *s, core_image *result, bool wait, taken *out, lg_error *error)
{
    flight *f = s->flight;
    lg_image *output = NULL;
    lg_status status = result ? core_image_wrap(f->context, result, &output, error) : LG_OK;
    if (!status)
        status = lg_stream_pull(f->stream, result ? &output : NULL, &out->frame, wait, error);
    core_image_drop(&output);
    const size_t bytes = out->frame.figure_count * sizeof *out->figures;
    if (!status && bytes && !(out->figures = malloc(bytes)))
        status = LG_ERROR_MEMORY;
    else if (!status && bytes)
        memcpy(out->figures, out->frame.figures, bytes);
    if (out->frame.index >= 0 && out->frame.index == s->pushed - 1)
        f->context->streaming = NULL;
    return status;
}

static PyObject *frame_tuple(const taken *t, core_image *result)
{
    PyObject *figures = core_figure_list(t->figures, t->frame.figure_count);
    return figures ? Py_BuildValue("(LLLON)", (long long)t->frame.index, (long long)t->frame.tag,
                                   (long long)t->frame.dropped,
                                   result ? (PyObject *)result : Py_None, figures)
                   : NULL;
}

// pull(out | None, wait, wanted) -> (index, tag, dropped, image | None, figures), or None without a frame
static PyObject *stream_pull(core_stream *s, PyObject *args)
{
    const core_state *state = core_state_of((PyObject *)s);
    PyObject *given;
    core_image *out, *result = NULL;
    int wait, wanted;
    if (!PyArg_ParseTuple(args, "Opp", &given, &wait, &wanted) ||
        !core_image_or_none(state, given, &out))
        return NULL;
    wanted = wanted && s->plan->has_output;
    if (wanted && !(result = core_plan_result(s->plan, state, out, NULL)))
        return NULL;
    if (!begin(s)) {
        Py_XDECREF((PyObject *)result);
        return NULL;
    }
    taken t = {.frame = {.index = -1}};
    lg_error error = {LG_OK, ""};
    const lg_status status = receive(s, result, wait, &t, &error);
    const bool good = end(s, status, &error);
    PyObject *tuple = NULL;
    if (good)
        tuple = t.frame.index < 0 ? Py_NewRef(Py_None) : frame_tuple(&t, result);
    else if (t.frame.index >= 0)
        note_frame(&t.frame);
    free(t.figures);
    Py_XDECREF((PyObject *)result);
    return tuple;
}

static PyObject *stream_flush(core_stream *s, PyObject *none)
{
    if (!begin(s))
        return NULL;
    flight *f = s->flight;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_stream_flush(f->stream, &error);
    if (f->context->streaming == f->stream)
        f->context->streaming = NULL;
    return end(s, status, &error) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef stream_methods[] = {
    {"push", (PyCFunction)stream_push, METH_VARARGS, "Sends a frame on its way."},
    {"pull", (PyCFunction)stream_pull, METH_VARARGS, "Takes the oldest frame."},
    {"flush", (PyCFunction)stream_flush, METH_NOARGS, "Waits until every frame is computed."},
    {"close", (PyCFunction)stream_close, METH_NOARGS, "Ends frames on their way."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_methods, stream_methods},
    {0, NULL},
};

PyType_Spec core_stream_spec = {
    .name = "lumagraph._core.Stream",
    .basicsize = sizeof(core_stream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = stream_slots,
};
