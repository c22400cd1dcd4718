#include "py_core.h"

core_state *core_state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

PyTypeObject *core_type_add(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, (PyTypeObject *)type)) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

bool core_put(PyObject *tuple, Py_ssize_t index, PyObject *item)
{
    return item && PyTuple_SetItem(tuple, index, item) == 0;
}

// ---- devices ------------------------------------------------------------------------------------

static PyObject *device_dict(const lg_device_info *d)
{
    return Py_BuildValue(
        "{s:s,s:i,s:O,s:O,s:s,s:s,s:s,s:s,s:O,s:s,s:K,s:i,s:i,s:y#}", "kind",
        d->kind == LG_DEVICE_CPU ? "cpu" : "vulkan", "index", d->index, "usable",
        d->usable ? Py_True : Py_False, "hardware", d->hardware ? Py_True : Py_False, "name",
        d->name, "driver", d->driver, "api", d->api, "reason", d->reason, "compiler",
        d->compiler ? Py_True : Py_False, "no_compiler", d->no_compiler, "memory",
        (unsigned long long)d->memory, "subgroup_size", d->subgroup_size, "threads", d->threads,
        "uuid", (const char *)d->uuid, (Py_ssize_t)sizeof d->uuid);
}

static PyObject *devices(PyObject *module, PyObject *none)
{
    lg_device_info list[64];
    size_t count = 0;
    char why[256] = "";
    lg_error error = {LG_OK, ""};
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_devices_list(list, sizeof list / sizeof *list, &count, why, &error);
    Py_END_ALLOW_THREADS
    if (status)
        return core_raise(PyModule_GetState(module), status, &error);
    PyObject *out = PyList_New(0);
    for (size_t i = 0; out && i < count && i < sizeof list / sizeof *list; i++) {
        PyObject *one = device_dict(&list[i]);
        if (!one || PyList_Append(out, one))
            Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out ? Py_BuildValue("Ns", out, why) : NULL;
}

static PyObject *version(PyObject *module, PyObject *none)
{
    return PyUnicode_FromString(lg_version());
}

static PyMethodDef methods[] = {
    {"devices", devices, METH_NOARGS, "The devices, and why there is no Vulkan."},
    {"version", version, METH_NOARGS, "The version of the library."},
    {NULL, NULL, 0, NULL},
};

// ---- the module ---------------------------------------------------------------------------------

static int types_add(PyObject *module, core_state *state)
{
    return (state->context = core_type_add(module, &core_context_spec)) &&
                   (state->image = core_type_add(module, &core_image_spec)) &&
                   (state->plan = core_type_add(module, &core_plan_spec)) &&
                   (state->stream = core_type_add(module, &core_stream_spec)) &&
                   (state->labels = core_type_add(module, &core_labels_spec)) &&
                   (state->accumulator = core_type_add(module, &core_accumulator_spec)) &&
                   (state->areasum = core_type_add(module, &core_areasum_spec)) &&
                   (state->windows = core_type_add(module, &core_windows_spec))
               ? 0
               : -1;
}

static int execute(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (core_errors_add(module, state) || types_add(module, state))
        return -1;
    return PyModule_AddFunctions(module, core_measure_methods) ||
                   PyModule_AddFunctions(module, core_component_methods) ||
                   PyModule_AddFunctions(module, core_accumulator_methods) ||
                   PyModule_AddFunctions(module, core_shape_methods) ||
                   PyModule_AddFunctions(module, core_cuda_methods) ||
                   PyModule_AddFunctions(module, core_catalogue_methods)
               ? -1
               : 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *s = PyModule_GetState(module);
    for (int i = 0; i <= LG_ERROR_CANCELLED; i++)
        Py_VISIT(s->errors[i]);
    Py_VISIT(s->context);
    Py_VISIT(s->image);
    Py_VISIT(s->plan);
    Py_VISIT(s->stream);
    Py_VISIT(s->labels);
    Py_VISIT(s->accumulator);
    Py_VISIT(s->areasum);
    Py_VISIT(s->windows);
    return 0;
}

static int clear(PyObject *module)
{
    core_state *s = PyModule_GetState(module);
    for (int i = 0; i <= LG_ERROR_CANCELLED; i++)
        Py_CLEAR(s->errors[i]);
    Py_CLEAR(s->context);
    Py_CLEAR(s->image);
    Py_CLEAR(s->plan);
    Py_CLEAR(s->stream);
    Py_CLEAR(s->labels);
    Py_CLEAR(s->accumulator);
    Py_CLEAR(s->areasum);
    Py_CLEAR(s->windows);
    return 0;
}

static void release(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
#if defined(Py_GIL_DISABLED) && !defined(Py_LIMITED_API)
    {Py_mod_gil,
     Py_MOD_GIL_NOT_USED}, // contexts, streams and states are taken by one thread at a time
#endif
    {0, NULL},
};

struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lumagraph._core",
    .m_doc = "What lumagraph's Python package needs of the C library.",
    .m_size = sizeof(core_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
