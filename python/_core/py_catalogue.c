// The catalogue of filters, figures and names, for what is generated from it.
#include "py_core.h"

#include <string.h>

static PyObject *words_of(const lg_filter_param *p)
{
    PyObject *out = PyTuple_New(p->size);
    for (int i = 0; out && i < p->size; i++)
        if (!core_put(out, i, PyFloat_FromDouble(p->value[i])))
            Py_CLEAR(out);
    return out;
}

static PyObject *param_dict(const lg_filter_param *p)
{
    PyObject *value = words_of(p);
    return value ? Py_BuildValue("{s:s,s:s,s:s,s:N,s:d,s:d,s:z,s:z,s:z}", "name", p->name, "kind",
                                 lg_param_kind_name(p->kind), "unit", p->unit, "value", value,
                                 "min", (double)p->min, "max", (double)p->max, "choices",
                                 p->choices, "text", p->text, "help", p->help)
                 : NULL;
}

static PyObject *filter_dict(const lg_filter *f)
{
    PyObject *params = PyList_New(f->param_count);
    for (int i = 0; params && i < f->param_count; i++) {
        PyObject *one = param_dict(&f->params[i]);
        if (!one || PyList_SetItem(params, i, one))
            Py_CLEAR(params);
    }
    return params ? Py_BuildValue("{s:s,s:s,s:i,s:i,s:s,s:z,s:z,s:z,s:N,s:z,s:z}", "name", f->name,
                                  "kind", lg_filter_kind_name(f->kind), "inputs", f->inputs,
                                  "flags", f->flags, "summary", f->summary, "formula", f->formula,
                                  "source", f->source, "notes", f->notes, "params", params,
                                  "neutral", f->neutral, "pipeline", f->pipeline)
                  : NULL;
}

static PyObject *catalogue(PyObject *module, PyObject *none)
{
    const size_t count = lg_filter_count();
    PyObject *out = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; out && i < count; i++) {
        PyObject *one = filter_dict(lg_filter_at(i));
        if (!one || PyList_SetItem(out, (Py_ssize_t)i, one))
            Py_CLEAR(out);
    }
    return out;
}

static PyObject *figure_names(PyObject *module, PyObject *none)
{
    PyObject *out = PyList_New(0);
    const lg_figure_info *f;
    for (size_t i = 0; out && (f = lg_graph_figure_at(i)); i++) {
        PyObject *one = Py_BuildValue("(ssi)", f->name, f->help, f->numbers);
        if (!one || PyList_Append(out, one))
            Py_CLEAR(out);
        Py_XDECREF(one);
    }
    return out;
}

static PyObject *names(PyObject *out, const char *key, const char *(*at)(int), int count)
{
    PyObject *list = out ? PyTuple_New(count) : NULL;
    for (int i = 0; list && i < count; i++)
        if (!core_put(list, i, PyUnicode_FromString(at(i))))
            Py_CLEAR(list);
    if (!list || PyDict_SetItemString(out, key, list))
        Py_CLEAR(out);
    Py_XDECREF(list);
    return out;
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

static const char *column_at(int i)
{
    return lg_column_name((lg_column)i);
}

static PyObject *all_names(PyObject *module, PyObject *none)
{
    PyObject *out = PyDict_New();
    out = names(out, "spaces", space_at, LG_SPACES);
    out = names(out, "lumas", luma_at, LG_LUMAS);
    out = names(out, "methods", method_at, LG_THRESHOLD_METHODS);
    return names(out, "columns", column_at, LG_COLUMNS);
}

PyMethodDef core_catalogue_methods[] = {
    {"filters", catalogue, METH_NOARGS, "The filters: a dictionary for each."},
    {"figures", figure_names, METH_NOARGS, "The figures: name, help and how many numbers."},
    {"names", all_names, METH_NOARGS, "Colour spaces, lumas, methods and columns."},
    {NULL, NULL, 0, NULL},
};
