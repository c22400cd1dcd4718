// What an array of somebody else looks like.
#include "py_core.h"

#include <string.h>

static const struct {
    char code, kind;
    int size;
} formats[] = {
    {'?', '?', 1}, {'B', 'u', 1}, {'b', 'i', 1}, {'H', 'u', 2}, {'h', 'i', 2}, {'I', 'u', 4},
    {'i', 'i', 4}, {'L', 'u', 8}, {'l', 'i', 8}, {'Q', 'u', 8}, {'q', 'i', 8}, {'e', 'f', 2},
    {'f', 'f', 4}, {'d', 'f', 8}, {'N', 'u', 8}, {'n', 'i', 8},
};

const char *core_array_type(const core_array *a)
{
    static const char *const names[3][4] = {
        {"uint8", "uint16", "uint32", "uint64"},
        {"int8", "int16", "int32", "int64"},
        {"float8", "float16", "float32", "float64"},
    };
    const int size = a->size == 1 ? 0 : a->size == 2 ? 1 : a->size == 4 ? 2 : 3;
    return a->kind == '?' ? "bool" : names[a->kind == 'u' ? 0 : a->kind == 'i' ? 1 : 2][size];
}

static bool find_format(const char *format, core_array *out)
{
    const char order = strchr("@=<>!", *format) && *format ? *format++ : '@';
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (format[0] == formats[i].code && !format[1]) {
            out->kind = formats[i].kind;
            out->size = formats[i].size;
            // The standard sizes of l and L are 4 bytes.
            if (order != '@' && (format[0] == 'l' || format[0] == 'L'))
                out->size = 4;
            const bool big = order == '>' || order == '!';
            out->swapped =
                out->size > 1 && big == (PY_LITTLE_ENDIAN != 0) && order != '@' && order != '=';
            return true;
        }
    return false;
}

bool core_array_of_buffer(const Py_buffer *b, core_array *out)
{
    *out = (core_array){.data = b->buf, .ndim = b->ndim, .readonly = b->readonly};
    const char *format = b->format ? b->format : "B";
    if (!find_format(format, out) || out->size != b->itemsize) {
        PyErr_Format(PyExc_TypeError,
                     "samples of the format '%s' cannot be read; bool, integers of 8 to 64 bits, "
                     "float16, float32 and float64 can: convert with .astype()",
                     format);
        return false;
    }
    if (b->ndim < 1 || b->ndim > CORE_AXES) {
        PyErr_Format(PyExc_ValueError,
                     "an array of %d axes is no image: it has rows and columns, and may have "
                     "layers and channels",
                     b->ndim);
        return false;
    }
    for (int i = 0; i < b->ndim; i++) {
        out->extent[i] = b->shape[i];
        out->stride[i] = b->strides[i];
    }
    return true;
}
