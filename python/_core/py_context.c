#include "py_core.h"

#include <stdlib.h>

// ---- calls --------------------------------------------------------------------------------------

// A long call asks now and then whether a signal, such as that of Ctrl-C, waits for Python, and says
// how far it is. An exception of a handler or of the progress function stays set and ends the call.
static bool check_signals(void *priv, double part)
{
    core_context *c = priv;
    PyEval_RestoreThread(c->thread);
    // A stream asks again while it waits for frames that are ending.
    bool goes_on = !PyErr_Occurred() && PyErr_CheckSignals() == 0;
    if (goes_on && c->progress) {
        PyObject *function = Py_NewRef(c->progress); // it may set another one
        PyObject *answer = PyObject_CallFunction(function, "d", part);
        goes_on = answer != NULL;
        Py_XDECREF(answer);
        Py_DECREF(function);
    }
    c->thread = PyEval_SaveThread();
    return goes_on;
}

bool core_begin_stream(core_context *c, const lg_stream *own)
{
    bool free = false;
    if (!atomic_compare_exchange_strong(&c->busy, &free, true)) {
        PyErr_SetString(core_state_of((PyObject *)c)->errors[LG_ERROR_ARGUMENT],
                        "this context is in use by a call of another thread; one thread at a time "
                        "uses a context: make a Context in each thread, or leave `context` out");
        return false;
    }
    if (!c->context) {
        atomic_store(&c->busy, false);
        PyErr_SetString(core_state_of((PyObject *)c)->errors[LG_ERROR_ARGUMENT],
                        "this context is closed; make another one");
        return false;
    }
    atomic_store(&c->owner, PyThread_get_thread_ident());
    c->pixels = NULL;
    c->thread = PyEval_SaveThread();
    if (!c->streaming || c->streaming == own)
        return true;
    lg_error error = {LG_OK, ""};
    const lg_status status = lg_stream_flush(c->streaming, &error);
    c->streaming = NULL; // cancelled or not: nothing is on its way
    return status ? core_end(c, status, &error) : true;
}

bool core_begin(core_context *c)
{
    return core_begin_stream(c, NULL);
}

// The oldest first: a stream goes before its plan.
static void destroy_left(core_context *c)
{
    core_left *left = atomic_exchange(&c->left, NULL), *oldest = NULL;
    for (core_left *next; left; left = next) {
        next = left->next;
        left->next = oldest;
        oldest = left;
    }
    for (core_left *next; oldest; oldest = next) {
        next = oldest->next;
        oldest->destroy(oldest->object);
        free(oldest);
    }
}

bool core_end(core_context *c, lg_status status, const lg_error *error)
{
    PyThreadState *thread = c->thread;
    c->thread = NULL;
    PyEval_RestoreThread(thread);
    if (!c->streaming)
        destroy_left(c);
    atomic_store(&c->busy, false);
    if (PyErr_Occurred())
        return false;
    if (status)
        core_raise(core_state_of((PyObject *)c), status, error);
    return !status;
}

void core_destroy_stream(core_context *c, const lg_stream *own, void (*destroy)(void *object),
                         void *object)
{
    bool free = false;
    if (atomic_compare_exchange_strong(&c->busy, &free, true)) {
        const bool now = !c->streaming || c->streaming == own;
        if (now && !c->streaming)
            destroy_left(c);
        if (now)
            destroy(object);
        if (now && !c->streaming)
            destroy_left(c);
        atomic_store(&c->busy, false);
        if (now)
            return;
    }
    core_left *left = malloc(sizeof *left);
    if (!left)
        return; // lost rather than destroyed under a call
    *left = (core_left){atomic_load(&c->left), destroy, object};
    while (!atomic_compare_exchange_weak(&c->left, &left->next, left))
        ;
}

void core_destroy(core_context *c, void (*destroy)(void *object), void *object)
{
    core_destroy_stream(c, NULL, destroy, object);
}

// ---- the type -----------------------------------------------------------------------------------

// Context(kind, index, threads, level, strict, cache)
static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    int kind, index, threads, level, strict, cache;
    if (!PyArg_ParseTuple(args, "iiiipp", &kind, &index, &threads, &level, &strict, &cache))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_context *c = (core_context *)allocate(type, 0);
    if (!c)
        return NULL;
    lg_context_params params = lg_context_params_default();
    params.device = (lg_device_kind)kind;
    params.device_index = index;
    params.threads = threads;
    params.cpu_level = (lg_cpu_level)level;
    params.strict = strict;
    params.use_cache = cache;
    params.progress = check_signals;
    params.progress_priv = c;
    lg_error error = {LG_OK, ""};
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_context_create(&params, &c->context, &error);
    Py_END_ALLOW_THREADS
    if (status) {
        core_raise(PyType_GetModuleState(type), status, &error);
        Py_DECREF((PyObject *)c);
        return NULL;
    }
    return (PyObject *)c;
}

static void context_dealloc(core_context *c)
{
    PyTypeObject *type = Py_TYPE((PyObject *)c);
    destroy_left(c);
    Py_CLEAR(c->progress);
    Py_BEGIN_ALLOW_THREADS
    core_cuda_close(c);
    lg_context_destroy(&c->context);
    Py_END_ALLOW_THREADS
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(c);
    Py_DECREF(type);
}

static PyObject *context_device(core_context *c, PyObject *none)
{
    if (!c->context)
        Py_RETURN_NONE;
    lg_device_info d;
    lg_context_device(c->context, &d);
    return Py_BuildValue("{s:s,s:i,s:s,s:s,s:i}", "kind",
                         d.kind == LG_DEVICE_CPU ? "cpu" : "vulkan", "index", d.index, "name",
                         d.name, "driver", d.driver, "threads", d.threads);
}

static PyObject *context_report(core_context *c, PyObject *none)
{
    const char *pixels = c->pixels ? c->pixels : "";
    if (!core_begin(c))
        return NULL;
    lg_engine_report r;
    lg_context_report(c->context, &r);
    c->pixels = pixels;
    if (!core_end(c, LG_OK, NULL))
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:d,s:d,s:d}", "pixels", pixels, "device", r.device,
                         "driver", r.driver, "variant", r.variant, "fallback", r.fallback, "upload",
                         r.upload, "compute", r.compute, "download", r.download);
}

// progress(function or None)
static PyObject *context_progress(core_context *c, PyObject *args)
{
    PyObject *function;
    if (!PyArg_ParseTuple(args, "O", &function))
        return NULL;
    if (atomic_load(&c->busy) && atomic_load(&c->owner) != PyThread_get_thread_ident())
        return core_raise(core_state_of((PyObject *)c), LG_ERROR_ARGUMENT,
                          &(lg_error){LG_OK, "this context is in use by a call of another thread"});
    PyObject *before = c->progress;
    c->progress = function == Py_None ? NULL : Py_NewRef(function);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyObject *context_busy(core_context *c, PyObject *none)
{
    return PyBool_FromLong(atomic_load(&c->busy));
}

// memory(bytes, folder)
static PyObject *context_memory(core_context *c, PyObject *args)
{
    unsigned long long bytes;
    PyObject *folder;
    if (!PyArg_ParseTuple(args, "KO&", &bytes, PyUnicode_FSConverter, &folder))
        return NULL;
    lg_error error = {LG_OK, ""};
    lg_status status = LG_OK;
    const bool begun = core_begin(c);
    if (begun)
        status = lg_context_set_memory(c->context, bytes, PyBytes_AsString(folder), &error);
    const bool good = begun && core_end(c, status, &error);
    Py_DECREF(folder);
    if (!good)
        return NULL;
    c->limited = bytes > 0;
    Py_RETURN_NONE;
}

static PyObject *context_scratch(core_context *c, PyObject *none)
{
    return PyLong_FromUnsignedLongLong(lg_context_scratch(c->context));
}

static PyMethodDef context_methods[] = {
    {"memory", (PyCFunction)context_memory, METH_VARARGS, "A limit, and a folder beyond it."},
    {"scratch", (PyCFunction)context_scratch, METH_NOARGS, "Bytes of scratch files at the most."},
    {"device", (PyCFunction)context_device, METH_NOARGS, "What the context computes on."},
    {"report", (PyCFunction)context_report, METH_NOARGS, "What computed last, and its seconds."},
    {"progress", (PyCFunction)context_progress, METH_VARARGS, "Is told how far long calls are."},
    {"busy", (PyCFunction)context_busy, METH_NOARGS, "Whether a call is in progress."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_methods, context_methods},
    {0, NULL},
};

PyType_Spec core_context_spec = {
    .name = "lumagraph._core.Context",
    .basicsize = sizeof(core_context),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = context_slots,
};
