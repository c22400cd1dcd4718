#include "py_core.h"

#include <string.h>

static const struct {
    const char *name, *base, *doc;
} errors[] = {
    [LG_OK] = {"lumagraph.Error", NULL, "A call of lumagraph failed; `status` names the kind."},
    [LG_ERROR_ARGUMENT] = {"lumagraph.ArgumentError", "ValueError",
                           "The caller asked for something that does not make sense."},
    [LG_ERROR_LIMIT] = {"lumagraph.LimitError", "ValueError", "Refused by a named limit."},
    [LG_ERROR_MEMORY] = {"lumagraph.OutOfMemoryError", "MemoryError",
                         "Host or device memory is used up."},
    [LG_ERROR_DEVICE] = {"lumagraph.DeviceError", "RuntimeError",
                         "No such device, a missing feature, or a device that was lost."},
    [LG_ERROR_IO] = {"lumagraph.FileError", "OSError", "Reading or writing failed."},
    [LG_ERROR_DATA] = {"lumagraph.DataError", "ValueError",
                       "The bytes or samples cannot be used, such as a damaged state."},
    [LG_ERROR_UNSUPPORTED] = {"lumagraph.UnsupportedError", "NotImplementedError",
                              "Valid, but this build or device cannot do it."},
    [LG_ERROR_CANCELLED] = {"lumagraph.CancelledError", NULL,
                            "The call was ended by a progress function."},
};

static PyObject *new_error(PyObject *builtins, PyObject *base, int status)
{
    PyObject *dict = Py_BuildValue("{s:s}", "status", lg_status_name((lg_status)status));
    PyObject *second =
        errors[status].base ? PyObject_GetAttrString(builtins, errors[status].base) : NULL;
    PyObject *bases = NULL, *made = NULL;
    if (!PyErr_Occurred() && dict)
        bases = second ? PyTuple_Pack(2, base, second) : PyTuple_Pack(1, base);
    if (bases)
        made = PyErr_NewExceptionWithDoc(errors[status].name, errors[status].doc, bases, dict);
    Py_XDECREF(bases);
    Py_XDECREF(second);
    Py_XDECREF(dict);
    return made;
}

int core_errors_add(PyObject *module, core_state *state)
{
    PyObject *builtins = PyImport_ImportModule("builtins");
    if (!builtins)
        return -1;
    int failed = 0;
    for (int i = 0; i <= LG_ERROR_CANCELLED && !failed; i++) {
        state->errors[i] = new_error(builtins, i ? state->errors[0] : PyExc_Exception, i);
        failed = !state->errors[i] ||
                 PyModule_AddObjectRef(module, strchr(errors[i].name, '.') + 1, state->errors[i]);
    }
    Py_DECREF(builtins);
    return failed ? -1 : 0;
}

PyObject *core_raise(const core_state *state, lg_status status, const lg_error *error)
{
    PyObject *type = state->errors[status <= LG_ERROR_CANCELLED ? status : LG_OK];
    PyErr_SetString(type, error->message[0] ? error->message : lg_status_name(status));
    return NULL;
}
