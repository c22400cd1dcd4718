// Arrays through DLPack, in and out, in the memory of the host or of CUDA. The structures are those of its
// specification, versions 0 and 1.
#include "py_core.h"

#include <stdlib.h>

typedef struct tensor_device {
    int32_t kind, index;
} tensor_device;

enum { CODE_INT = 0, CODE_UINT = 1, CODE_FLOAT = 2, CODE_BOOL = 6 };

typedef struct tensor {
    void *data;
    tensor_device device;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; // elements; strides NULL: in one piece
    uint64_t byte_offset;
} tensor;

typedef struct managed {
    tensor tensor;
    void *priv;
    void (*deleter)(struct managed *self);
} managed;

typedef struct managed_versioned {
    uint32_t major, minor;
    void *priv;
    void (*deleter)(struct managed_versioned *self);
    uint64_t flags; // bit 0: read-only
    tensor tensor;
} managed_versioned;

#define PLAIN     "dltensor"
#define VERSIONED "dltensor_versioned"

// ---- in -----------------------------------------------------------------------------------------

struct core_tensor {
    managed *plain;
    managed_versioned *versioned;
};

void core_tensor_free(struct core_tensor *t)
{
    if (t->plain && t->plain->deleter)
        t->plain->deleter(t->plain);
    if (t->versioned && t->versioned->deleter)
        t->versioned->deleter(t->versioned);
    free(t);
}

static bool describe(const tensor *t, bool readonly, bool on_cuda, core_array *out)
{
    const int device = t->device.kind;
    if (on_cuda ? device != CORE_DLPACK_CUDA && device != CORE_DLPACK_CUDA_MANAGED
                : device != CORE_DLPACK_CPU) {
        PyErr_Format(PyExc_TypeError,
                     "the tensor is on the device %d of DLPack, not in the memory of the host; "
                     "move it there first",
                     device);
        return false;
    }
    const char kind = t->code == CODE_BOOL    ? '?'
                      : t->code == CODE_UINT  ? 'u'
                      : t->code == CODE_INT   ? 'i'
                      : t->code == CODE_FLOAT ? 'f'
                                              : 0;
    const int bits = t->bits;
    if (!kind || t->lanes != 1 || (bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
        (kind == 'f' && bits == 8)) {
        PyErr_Format(PyExc_TypeError,
                     "samples of DLPack's code %d with %d bits cannot be read; bool, integers of 8 "
                     "to 64 bits, float16, float32 and float64 can",
                     (int)t->code, bits);
        return false;
    }
    if (t->ndim < 1 || t->ndim > CORE_AXES) {
        PyErr_Format(PyExc_ValueError,
                     "an array of %d axes is no image: it has rows and columns, "
                     "and may have layers and channels",
                     (int)t->ndim);
        return false;
    }
    *out = (core_array){.data = (char *)t->data + t->byte_offset,
                        .ndim = t->ndim,
                        .kind = kind,
                        .size = bits / 8,
                        .readonly = readonly,
                        .on_cuda = on_cuda};
    Py_ssize_t next = out->size;
    for (int i = t->ndim - 1; i >= 0; i--) {
        out->extent[i] = (Py_ssize_t)t->shape[i];
        out->stride[i] = t->strides ? (Py_ssize_t)t->strides[i] * out->size : next;
        next *= out->extent[i];
    }
    return true;
}

// A consumer asks for a version that it knows; producers from before versions refuse the word.
static PyObject *ask(PyObject *object, void *stream)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0), *words = Py_BuildValue("{s:(ii)}", "max_version", 1, 0);
    PyObject *number = stream ? PyLong_FromVoidPtr(stream) : Py_NewRef(Py_None);
    if (!number || (stream && words && PyDict_SetItemString(words, "stream", number)))
        Py_CLEAR(words);
    PyObject *capsule = method && none && words ? PyObject_Call(method, none, words) : NULL;
    if (!capsule && method && none && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        if (PyDict_DelItemString(words, "max_version") == 0)
            capsule = PyObject_Call(method, none, words);
    }
    Py_XDECREF(number);
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(words);
    return capsule;
}

struct core_tensor *core_tensor_take(PyObject *object, void *stream, core_array *out)
{
    PyObject *capsule = ask(object, stream);
    if (!capsule)
        return NULL;
    struct core_tensor *t = calloc(1, sizeof *t);
    bool good = false;
    if (!t)
        PyErr_NoMemory();
    else if (PyCapsule_IsValid(capsule, VERSIONED)) {
        managed_versioned *m = PyCapsule_GetPointer(capsule, VERSIONED);
        if (m->major > 1)
            PyErr_Format(PyExc_TypeError, "DLPack %u is newer than 1, which is known here",
                         (unsigned)m->major);
        else if (describe(&m->tensor, m->flags & 1, stream != NULL, out) &&
                 PyCapsule_SetName(capsule, "used_" VERSIONED) == 0)
            t->versioned = m, good = true;
    } else if (PyCapsule_IsValid(capsule, PLAIN)) {
        managed *m = PyCapsule_GetPointer(capsule, PLAIN);
        if (describe(&m->tensor, false, stream != NULL, out) &&
            PyCapsule_SetName(capsule, "used_" PLAIN) == 0)
            t->plain = m, good = true;
    } else
        PyErr_SetString(PyExc_TypeError, "__dlpack__() returned no tensor that is still unused");
    Py_DECREF(capsule);
    if (good)
        return t;
    free(t);
    return NULL;
}

// ---- out ----------------------------------------------------------------------------------------

typedef struct given {
    union {
        managed plain;
        managed_versioned versioned;
    };
    core_image *image;
    int64_t shape[CORE_AXES], strides[CORE_AXES];
} given;

// Any thread may call it, with or without the GIL.
static void give_up(given *g)
{
    if (Py_IsInitialized()) {
        const PyGILState_STATE gil = PyGILState_Ensure();
        Py_DECREF((PyObject *)g->image);
        PyGILState_Release(gil);
    }
    free(g);
}

static void delete_plain(managed *self)
{
    give_up(self->priv);
}

static void delete_versioned(managed_versioned *self)
{
    give_up(self->priv);
}

// A capsule that nobody took.
static void drop_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, PLAIN))
        delete_plain(PyCapsule_GetPointer(capsule, PLAIN));
    else if (PyCapsule_IsValid(capsule, VERSIONED))
        delete_versioned(PyCapsule_GetPointer(capsule, VERSIONED));
}

static tensor tensor_of(core_image *image, given *g)
{
    const int size = (int)lg_type_size(image->shape.type);
    for (int i = 0; i < image->ndim; i++) {
        g->shape[i] = image->extent[i];
        g->strides[i] = image->stride[i] / size;
    }
    const bool whole = image->shape.type == LG_U8 || image->shape.type == LG_U16;
    return (tensor){.data = image->data,
                    .device = {image->cuda ? CORE_DLPACK_CUDA : CORE_DLPACK_CPU,
                               image->cuda ? core_cuda_number(image) : 0},
                    .ndim = image->ndim,
                    .code = (uint8_t)(image->is_bool ? CODE_BOOL
                                      : whole        ? CODE_UINT
                                                     : CODE_FLOAT),
                    .bits = (uint8_t)(8 * size),
                    .lanes = 1,
                    .shape = g->shape,
                    .strides = g->strides};
}

PyObject *core_tensor_give(core_image *image, bool versioned)
{
    if (image->readonly && !versioned) {
        PyErr_SetString(PyExc_BufferError,
                        "read-only pixels need a consumer of DLPack 1, which has a flag for them");
        return NULL;
    }
    given *g = calloc(1, sizeof *g);
    if (!g)
        return PyErr_NoMemory();
    g->image = image;
    if (versioned)
        g->versioned = (managed_versioned){.major = 1,
                                           .priv = g,
                                           .deleter = delete_versioned,
                                           .flags = image->readonly,
                                           .tensor = tensor_of(image, g)};
    else
        g->plain = (managed){.tensor = tensor_of(image, g), .priv = g, .deleter = delete_plain};
    PyObject *capsule = PyCapsule_New(g, versioned ? VERSIONED : PLAIN, drop_capsule);
    if (capsule)
        Py_INCREF((PyObject *)image);
    else
        free(g);
    return capsule;
}
