// Images of the library over arrays of others, and arrays over images of ours.
#include "py_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_LEAST ((size_t)4 << 20) // bytes from which large pages are asked for
#define ALIGNMENT   ((size_t)64)

enum { LAYERS, ROWS, COLUMNS, CHANNELS };

// ---- memory -------------------------------------------------------------------------------------

static void *allocate(size_t bytes)
{
    const size_t whole = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    void *memory = bytes > PTRDIFF_MAX ? NULL : aligned_alloc(ALIGNMENT, whole ? whole : ALIGNMENT);
#if defined(MADV_HUGEPAGE)
    if (memory && whole >= LARGE_LEAST) {
        const uintptr_t first = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
        madvise((void *)first, ((uintptr_t)memory + whole - first) & ~(size_t)4095, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

core_image *core_image_blank(PyTypeObject *type)
{
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (core_image *)make(type, 0);
}

void core_image_axes(core_image *image)
{
    const lg_image_params *s = &image->shape;
    const size_t sample = lg_type_size(s->type);
    const bool rgb = s->alpha == LG_ALPHA_OPAQUE;
    const Py_ssize_t extent[] = {s->layers, s->height, s->width,
                                 rgb ? s->channels - 1 : s->channels};
    const Py_ssize_t stride[] = {(Py_ssize_t)s->layer_stride, (Py_ssize_t)s->row_stride,
                                 (Py_ssize_t)(sample * (size_t)s->channels), (Py_ssize_t)sample};
    image->ndim = 0;
    for (int i = LAYERS; i <= CHANNELS; i++) {
        if ((i == LAYERS && !image->has_layers) || (i == CHANNELS && !image->has_channels))
            continue;
        image->extent[image->ndim] = extent[i];
        image->stride[image->ndim++] = stride[i];
    }
}

#define BLOCK_LEAST ((size_t)256 << 10) // bytes that are worth a block
#define BLOCK_ROW   ((int32_t)1 << 16)

// Pixels without gaps between rows, which images of the library have: a block is an image of bytes of another
// shape. No call needs to be in progress, as blocks are given and taken back under a lock.
static bool take_block(const core_state *state, core_context *context, core_image *image,
                       size_t bytes)
{
    const size_t rows = bytes / BLOCK_ROW + 1;
    const lg_image_params shape = {
        .width = BLOCK_ROW, .height = (int32_t)rows, .layers = 1, .channels = 1, .type = LG_U8};
    lg_error error = {LG_OK, ""};
    lg_status status = LG_ERROR_LIMIT;
    if (rows <= LG_MAX_SIDE) {
        Py_BEGIN_ALLOW_THREADS
        status = lg_image_create(context->context, &shape, &image->block, &error);
        Py_END_ALLOW_THREADS
    }
    if (status) {
        core_raise(state, status, &error);
        return false;
    }
    image->block_of = (core_context *)Py_NewRef((PyObject *)context);
    image->data = image->block->data;
    return true;
}

core_image *core_image_new(const core_state *state, core_context *context,
                           const lg_image_params *shape, bool has_layers, bool has_channels)
{
    core_image *image = core_image_blank(state->image);
    if (!image)
        return NULL;
    image->shape = *shape;
    lg_image_params *s = &image->shape;
    s->row_stride = (size_t)s->width * (size_t)s->channels * lg_type_size(s->type);
    s->layer_stride = s->row_stride * (size_t)s->height;
    const size_t bytes = s->layer_stride * (size_t)s->layers;
    image->has_layers = has_layers || s->layers > 1;
    image->has_channels = has_channels || s->channels > 1;
    core_image_axes(image);
    if (context->limited && context->context && bytes >= BLOCK_LEAST) {
        if (take_block(state, context, image, bytes))
            return image;
        Py_DECREF((PyObject *)image);
        return NULL;
    }
    image->own = image->data = allocate(bytes);
    if (!image->own) {
        Py_DECREF((PyObject *)image);
        PyErr_NoMemory();
        return NULL;
    }
    return image;
}

lg_status core_image_wrap(core_context *context, const core_image *image, lg_image **out,
                          lg_error *error)
{
    if (!image->cuda) {
        context->pixels = context->pixels ? context->pixels : "host";
        return lg_image_wrap(context->context, &image->shape, image->data, out, error);
    }
    if (core_cuda_home(image) != context) {
        snprintf(error->message, sizeof error->message,
                 "the pixels are on cuda:%d and belong to another context: leave `context` out",
                 core_cuda_number(image));
        return error->status = LG_ERROR_ARGUMENT;
    }
    *out = core_cuda_view(image);
    if (core_cuda_is_copied(image))
        context->pixels = "copied";
    else if (!context->pixels || !strcmp(context->pixels, "host"))
        context->pixels = "in place";
    return LG_OK;
}

// What CUDA sees, too, belongs to an object of ours, and has no pixels in the memory of the host.
void core_image_drop(lg_image **image)
{
    if (*image && !(*image)->data)
        *image = NULL;
    lg_image_destroy(image);
}

bool core_image_or_none(const core_state *state, PyObject *object, core_image **out)
{
    *out = object == Py_None ? NULL : (core_image *)object;
    if (object == Py_None || Py_IS_TYPE(object, state->image))
        return true;
    PyErr_SetString(PyExc_TypeError, "an Image of lumagraph._core or None is expected");
    return false;
}

// ---- which axes an array has --------------------------------------------------------------------

// None is -1. False with a ValueError.
static bool find_axis(PyObject *object, int ndim, const char *name, int *out)
{
    *out = -1;
    if (object == Py_None)
        return true;
    const long axis = PyLong_AsLong(object);
    if (axis == -1 && PyErr_Occurred())
        return false;
    if (axis < -ndim || axis >= ndim) {
        PyErr_Format(PyExc_ValueError, "%s=%ld is no axis of an array of %d axes", name, axis,
                     ndim);
        return false;
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return true;
}

static bool refuse_axes(const core_array *a, int channel, int layer)
{
    char shape[120] = "";
    for (int i = 0, at = 0; i < a->ndim; i++)
        at += snprintf(shape + at, sizeof shape - (size_t)at, i ? ", %zd" : "%zd", a->extent[i]);
    const int named = (channel >= 0) + (layer >= 0);
    if (a->ndim < 2 + named)
        PyErr_Format(PyExc_ValueError,
                     "an array of the shape (%s%s) has %d axes; an image has rows and columns "
                     "beside the axes that channel_axis and layer_axis name",
                     shape, a->ndim == 1 ? "," : "", a->ndim);
    else if (a->ndim == 3) {
        const Py_ssize_t last = a->extent[2];
        PyErr_Format(PyExc_ValueError,
                     "an array of the shape (%s) has 3 axes, which are not guessed: pass "
                     "channel_axis=-1 for colours%s, or layer_axis=0 for layers (pages, a volume)",
                     shape, last == 3 || last == 4 ? ", as the last axis suggests" : "");
    } else
        PyErr_Format(PyExc_ValueError,
                     "an array of the shape (%s) has %d axes: pass layer_axis (such as 0) and "
                     "channel_axis (such as -1)",
                     shape, a->ndim);
    return false;
}

static bool order_axes(const core_array *a, PyObject *channels, PyObject *layers, core_array *out,
                       int from[CORE_AXES])
{
    int channel, layer;
    if (!find_axis(channels, a->ndim, "channel_axis", &channel) ||
        !find_axis(layers, a->ndim, "layer_axis", &layer))
        return false;
    if (channel >= 0 && channel == layer) {
        PyErr_SetString(PyExc_ValueError, "channel_axis and layer_axis are the same axis");
        return false;
    }
    if (a->ndim != 2 + (channel >= 0) + (layer >= 0))
        return refuse_axes(a, channel, layer);
    from[LAYERS] = layer, from[CHANNELS] = channel;
    int next = ROWS;
    for (int i = 0; i < a->ndim; i++)
        if (i != channel && i != layer)
            from[next++] = i;
    *out = *a;
    out->ndim = CORE_AXES;
    for (int i = 0; i < CORE_AXES; i++) {
        out->extent[i] = from[i] < 0 ? 1 : a->extent[from[i]];
        out->stride[i] = from[i] < 0 ? 0 : a->stride[from[i]];
    }
    return true;
}

static bool check_extents(const core_array *a)
{
    const Py_ssize_t *e = a->extent;
    if (e[LAYERS] < 1 || e[ROWS] < 1 || e[COLUMNS] < 1 || e[CHANNELS] < 1)
        PyErr_Format(PyExc_ValueError,
                     "an image of %zd x %zd pixels, %zd layers and %zd channels "
                     "is empty; every side is at least 1",
                     e[COLUMNS], e[ROWS], e[LAYERS], e[CHANNELS]);
    else if (e[CHANNELS] > LG_MAX_CHANNELS)
        PyErr_Format(PyExc_ValueError,
                     "an image has 1 to 4 channels, not %zd; measure the planes one by one, or "
                     "pass layer_axis when these are layers",
                     e[CHANNELS]);
    else if (e[COLUMNS] > LG_MAX_SIDE || e[ROWS] > LG_MAX_SIDE || e[LAYERS] > LG_MAX_LAYERS)
        PyErr_Format(PyExc_ValueError,
                     "an image of %zd x %zd x %zd is over the limit: sides up to %d, layers up to "
                     "%d",
                     e[COLUMNS], e[ROWS], e[LAYERS], LG_MAX_SIDE, LG_MAX_LAYERS);
    else
        return true;
    return false;
}

bool core_array_order(const core_array *a, PyObject *channels, PyObject *layers, core_array *out,
                      int from[CORE_AXES])
{
    return order_axes(a, channels, layers, out, from) && check_extents(out);
}

// ---- arrays that the library reads where they are -----------------------------------------------

// The type of the library's samples; LG_ARRAY_TYPES where none is the array's.
static lg_type same_type(const core_array *a)
{
    if (a->kind == '?' || (a->kind == 'u' && a->size == 1))
        return LG_U8;
    if (a->kind == 'u' && a->size == 2)
        return LG_U16;
    return a->kind != 'f' || a->size == 8 ? LG_ARRAY_TYPES : a->size == 2 ? LG_F16 : LG_F32;
}

static lg_alpha alpha_of(Py_ssize_t channels)
{
    return channels == 2 || channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE;
}

static bool is_multiple(Py_ssize_t stride, size_t of)
{
    return stride >= 0 && (size_t)stride % of == 0;
}

// Bytes from pixel to pixel: those of the channels, or of four where three of them are seen, as in
// a view of RGBA. The fourth may be read too: words at their own alignment do not leave a page.
static bool find_pixel(const core_array *a, lg_image_params *shape)
{
    const Py_ssize_t channels = a->extent[CHANNELS], size = a->size;
    if (channels > 1 && a->stride[CHANNELS] != size)
        return false;
    const bool one = a->extent[COLUMNS] == 1;
    shape->channels = (int32_t)channels;
    shape->alpha = alpha_of(channels);
    if (one || a->stride[COLUMNS] == channels * size)
        return true;
    const size_t four = 4 * (size_t)size;
    if (channels != 3 || a->stride[COLUMNS] != 4 * size || (uintptr_t)a->data % four ||
        !is_multiple(a->stride[ROWS], four) || !is_multiple(a->stride[LAYERS], four))
        return false;
    shape->channels = 4;
    shape->alpha = LG_ALPHA_OPAQUE;
    return true;
}

bool core_array_in_place(const core_array *a, lg_image_params *shape)
{
    const lg_type type = same_type(a);
    if (type == LG_ARRAY_TYPES || a->swapped || (uintptr_t)a->data % (size_t)a->size ||
        !find_pixel(a, shape))
        return false;
    shape->type = type;
    shape->width = (int32_t)a->extent[COLUMNS];
    shape->height = (int32_t)a->extent[ROWS];
    shape->layers = (int32_t)a->extent[LAYERS];
    const size_t row = (size_t)shape->width * (size_t)shape->channels * (size_t)a->size;
    const bool row_stands = shape->height > 1, layer_stands = shape->layers > 1;
    if (row_stands &&
        (!is_multiple(a->stride[ROWS], (size_t)a->size) || (size_t)a->stride[ROWS] < row))
        return false;
    shape->row_stride = row_stands ? (size_t)a->stride[ROWS] : row;
    const size_t layer = shape->row_stride * (size_t)shape->height;
    const size_t least = layer - shape->row_stride + row;
    if (layer_stands &&
        (!is_multiple(a->stride[LAYERS], (size_t)a->size) || (size_t)a->stride[LAYERS] < least))
        return false;
    shape->layer_stride = layer_stands ? (size_t)a->stride[LAYERS] : layer;
    return true;
}

// ---- arrays that are copied ---------------------------------------------------------------------

static PyObject *refuse_loss(const core_array *a, const int from[CORE_AXES], const core_loss *loss)
{
    char place[100] = "";
    int at = 0;
    for (int axis = 0; axis < CORE_AXES; axis++)
        for (int i = 0; i < CORE_AXES; i++)
            if (from[i] == axis)
                at += snprintf(place + at, sizeof place - (size_t)at, at ? ", %zd" : "%zd",
                               loss->index[i]);
    return PyErr_Format(PyExc_TypeError,
                        "the %s sample %s at [%s] is no float32, and images have uint8, uint16, "
                        "float16 or float32: pass cast=True to round to float32, or convert with "
                        ".astype()",
                        core_array_type(a), loss->value, place);
}

static bool copy_pixels(core_image *image, const core_array *a, const int from[CORE_AXES],
                        bool rounds)
{
    lg_image_params *s = &image->shape;
    const lg_type same = same_type(a);
    s->type = same == LG_ARRAY_TYPES ? LG_F32 : same;
    s->width = (int32_t)a->extent[COLUMNS];
    s->height = (int32_t)a->extent[ROWS];
    s->layers = (int32_t)a->extent[LAYERS];
    s->channels = (int32_t)a->extent[CHANNELS];
    s->alpha = alpha_of(s->channels);
    s->row_stride = (size_t)s->width * (size_t)s->channels * lg_type_size(s->type);
    s->layer_stride = s->row_stride * (size_t)s->height;
    image->own = image->data = allocate(s->layer_stride * (size_t)s->layers);
    if (!image->own)
        return PyErr_NoMemory() != NULL;
    // One channel: columns are the last axis, so that rows are copied whole.
    core_array flat = *a;
    if (a->extent[CHANNELS] == 1)
        flat.ndim = CORE_AXES - 1;
    core_loss loss = {.lost = false};
    Py_BEGIN_ALLOW_THREADS
    core_convert(&flat, s->type, rounds, image->own, &loss);
    Py_END_ALLOW_THREADS
    if (loss.lost && flat.ndim < CORE_AXES) {
        for (int i = 0; i + 1 < CORE_AXES; i++)
            loss.index[i] = loss.index[i + 1];
        loss.index[CHANNELS] = 0;
    }
    if (loss.lost)
        return refuse_loss(a, from, &loss) != NULL;
    if (same == LG_ARRAY_TYPES)
        image->conversion = core_array_type(a);
    return true;
}

// ---- Image(array, channel_axis, layer_axis, cast, copy, context, host_waits) ----------

static bool take_array(core_image *image, PyObject *object, core_array *out)
{
    if (PyObject_CheckBuffer(object)) {
        if (PyObject_GetBuffer(object, &image->source, PyBUF_RECORDS_RO))
            return false;
        return core_array_of_buffer(&image->source, out);
    }
    if (PyObject_HasAttrString(object, "__dlpack__"))
        return (image->tensor = core_tensor_take(object, NULL, out)) != NULL;
    PyErr_Format(PyExc_TypeError,
                 "%R has no pixels to read: pass a NumPy array, or an object with the buffer "
                 "protocol or DLPack",
                 (PyObject *)Py_TYPE(object));
    return false;
}

static void drop_array(core_image *image)
{
    if (image->source.obj)
        PyBuffer_Release(&image->source);
    if (image->tensor)
        core_tensor_free(image->tensor);
    image->tensor = NULL;
}

static bool fill(core_image *image, PyObject *object, PyObject *channels, PyObject *layers,
                 bool rounds, bool may_copy)
{
    core_array array, ordered;
    int from[CORE_AXES];
    if (!take_array(image, object, &array) ||
        !core_array_order(&array, channels, layers, &ordered, from))
        return false;
    image->has_layers = from[LAYERS] >= 0;
    image->has_channels = from[CHANNELS] >= 0;
    image->is_bool = array.kind == '?';
    image->readonly = array.readonly;
    if (core_array_in_place(&ordered, &image->shape)) {
        image->data = ordered.data;
        core_image_axes(image);
        return true;
    }
    if (!may_copy) {
        PyErr_Format(PyExc_ValueError,
                     "this array of %s cannot be used without a copy: samples of a pixel must be "
                     "adjacent uint8, uint16, float16 or float32, and strides not negative",
                     core_array_type(&array));
        return false;
    }
    if (!copy_pixels(image, &ordered, from, rounds))
        return false;
    drop_array(image);
    core_image_axes(image);
    return true;
}

static PyObject *image_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *object, *channels = Py_None, *layers = Py_None, *context = Py_None;
    int rounds = 0, may_copy = 1, host_waits = 1;
    if (!PyArg_ParseTuple(args, "O|OOppOp", &object, &channels, &layers, &rounds, &may_copy,
                          &context, &host_waits))
        return NULL;
    core_image *image = core_image_blank(type);
    // With a context it is a tensor of CUDA.
    if (image && (context == Py_None ? !fill(image, object, channels, layers, rounds, may_copy)
                                     : !core_cuda_fill(image, (core_context *)context, object,
                                                       channels, layers, may_copy, host_waits))) {
        Py_DECREF((PyObject *)image);
        return NULL;
    }
    return (PyObject *)image;
}

static void image_dealloc(core_image *image)
{
    PyTypeObject *type = Py_TYPE((PyObject *)image);
    if (image->cuda)
        core_cuda_image_drop(image);
    drop_array(image);
    free(image->own);
    lg_image_destroy(&image->block);
    Py_XDECREF((PyObject *)image->block_of);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(image);
    Py_DECREF(type);
}

// ---- as an array --------------------------------------------------------------------------------

static char *format_of(const core_image *image)
{
    static char formats[][2] = {"B", "H", "e", "f", "?"};
    return formats[image->is_bool ? 4 : image->shape.type];
}

// The pixels lie in one piece, in the order of the axes.
static bool is_dense(const core_image *image)
{
    Py_ssize_t next = (Py_ssize_t)lg_type_size(image->shape.type);
    for (int i = image->ndim - 1; i >= 0; i--) {
        if (image->extent[i] != 1 && image->stride[i] != next)
            return false;
        next *= image->extent[i];
    }
    return true;
}

static int image_getbuffer(core_image *image, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if (image->cuda) {
        PyErr_Format(PyExc_BufferError, "the pixels are on cuda:%d: numpy() copies them",
                     core_cuda_number(image));
        return -1;
    }
    const bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    const bool wants_order =
        (flags & (PyBUF_C_CONTIGUOUS | PyBUF_F_CONTIGUOUS | PyBUF_ANY_CONTIGUOUS) &
         ~PyBUF_STRIDES) != 0;
    const bool wants_columns = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    if ((flags & PyBUF_WRITABLE) && image->readonly) {
        PyErr_SetString(PyExc_BufferError, "the pixels are read-only");
        return -1;
    }
    if (((!strided || wants_order) && !is_dense(image)) || (wants_columns && image->ndim > 1)) {
        PyErr_SetString(PyExc_BufferError, "the pixels are not in one piece; ask with strides");
        return -1;
    }
    view->buf = image->data;
    view->itemsize = (Py_ssize_t)lg_type_size(image->shape.type);
    view->len = view->itemsize;
    for (int i = 0; i < image->ndim; i++)
        view->len *= image->extent[i];
    view->readonly = image->readonly;
    view->ndim = flags & PyBUF_ND ? image->ndim : 1;
    view->format = flags & PyBUF_FORMAT ? format_of(image) : NULL;
    view->shape = flags & PyBUF_ND ? image->extent : NULL;
    view->strides = strided ? image->stride : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    view->obj = Py_NewRef((PyObject *)image);
    return 0;
}

// __dlpack__(*, stream, max_version, dl_device, copy): the pixels stay where they are.
static PyObject *image_dlpack(core_image *image, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO", names, &stream, &version, &device,
                                     &copy))
        return NULL;
    const int own = image->cuda ? CORE_DLPACK_CUDA : CORE_DLPACK_CPU;
    const int number = image->cuda ? core_cuda_number(image) : 0;
    int kind = own, index = number, major = 0, minor = 0;
    if (device != Py_None && !PyArg_ParseTuple(device, "ii", &kind, &index))
        return NULL;
    if (version != Py_None && !PyArg_ParseTuple(version, "ii", &major, &minor))
        return NULL;
    if (kind != own || index != number || copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, image->cuda
                                               ? "the pixels are in memory of CUDA and not copied"
                                               : "the pixels are in the host's memory and not "
                                                 "copied");
        return NULL;
    }
    void *behind;
    bool any, signalled;
    if (image->cuda && (!core_cuda_stream(stream, &behind, &any) ||
                        (any && !core_cuda_signal(image, behind, &signalled))))
        return NULL;
    return core_tensor_give(image, major >= 1);
}

static PyObject *image_dlpack_device(core_image *image, PyObject *none)
{
    return image->cuda ? Py_BuildValue("(ii)", CORE_DLPACK_CUDA, core_cuda_number(image))
                       : Py_BuildValue("(ii)", CORE_DLPACK_CPU, 0);
}

static PyObject *get_shape(core_image *image, void *unused)
{
    PyObject *out = PyTuple_New(image->ndim);
    for (int i = 0; out && i < image->ndim; i++)
        if (!core_put(out, i, PyLong_FromSsize_t(image->extent[i])))
            Py_CLEAR(out);
    return out;
}

// (width, height, layers, channels, measured channels)
static PyObject *get_size(core_image *image, void *unused)
{
    const lg_image_params *s = &image->shape;
    return Py_BuildValue("(iiiii)", s->width, s->height, s->layers, s->channels,
                         lg_image_measured_channels(s));
}

static PyObject *get_type(core_image *image, void *unused)
{
    return PyUnicode_FromString(lg_type_name(image->shape.type));
}

static PyObject *get_conversion(core_image *image, void *unused)
{
    return image->conversion ? PyUnicode_FromString(image->conversion) : Py_NewRef(Py_None);
}

static PyObject *get_flags(core_image *image, void *unused)
{
    return Py_BuildValue(
        "(NNNN)", PyBool_FromLong(image->has_layers), PyBool_FromLong(image->has_channels),
        PyBool_FromLong(image->own || image->block), PyBool_FromLong(image->is_bool));
}

// What a plan for this image depends on.
static PyObject *get_key(core_image *image, void *unused)
{
    const lg_image_params *s = &image->shape;
    return Py_BuildValue("(iiiiiiii)", s->width, s->height, s->layers, s->channels, (int)s->type,
                         (int)s->alpha, image->has_layers, image->has_channels);
}

// The context of memory that CUDA sees, too; None for the host's.
static PyObject *get_home(core_image *image, void *unused)
{
    return Py_NewRef(image->cuda ? (PyObject *)core_cuda_home(image) : Py_None);
}

// (address, strides), as __cuda_array_interface__ has them
static PyObject *get_memory(core_image *image, void *unused)
{
    PyObject *strides = PyTuple_New(image->ndim);
    for (int i = 0; strides && i < image->ndim; i++)
        if (!core_put(strides, i, PyLong_FromSsize_t(image->stride[i])))
            Py_CLEAR(strides);
    return strides ? Py_BuildValue("(NN)", PyLong_FromVoidPtr(image->data), strides) : NULL;
}

static PyObject *channel_names(core_image *image, PyObject *none)
{
    const int count = lg_image_measured_channels(&image->shape);
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; i++)
        if (!core_put(out, i, PyUnicode_FromString(lg_channel_name(&image->shape, i))))
            Py_CLEAR(out);
    return out;
}

static PyMethodDef image_methods[] = {
    {"channel_names", (PyCFunction)channel_names, METH_NOARGS, "Of the measured channels."},
    {"__dlpack__", (PyCFunction)(void (*)(void))image_dlpack, METH_VARARGS | METH_KEYWORDS,
     "A capsule of DLPack."},
    {"__dlpack_device__", (PyCFunction)image_dlpack_device, METH_NOARGS, "The host's memory."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef image_getset[] = {
    {"shape", (getter)get_shape, NULL, "As an array.", NULL},
    {"size", (getter)get_size, NULL, "Width, height, layers, channels, measured channels.", NULL},
    {"type", (getter)get_type, NULL, "Of the samples: u8, u16, f16 or f32.", NULL},
    {"conversion", (getter)get_conversion, NULL, "What was converted to f32, or None.", NULL},
    {"flags", (getter)get_flags, NULL, "Layers, channels, own memory, bool.", NULL},
    {"home", (getter)get_home, NULL, "The context of pixels on a GPU, or None.", NULL},
    {"memory", (getter)get_memory, NULL, "Address and strides.", NULL},
    {"key", (getter)get_key, NULL, "What a plan for this image depends on.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot image_slots[] = {
    {Py_tp_new, image_new},
    {Py_tp_dealloc, image_dealloc},
    {Py_tp_methods, image_methods},
    {Py_tp_getset, image_getset},
    {Py_bf_getbuffer, image_getbuffer},
    {0, NULL},
};

PyType_Spec core_image_spec = {
    .name = "lumagraph._core.Image",
    .basicsize = sizeof(core_image),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = image_slots,
};
