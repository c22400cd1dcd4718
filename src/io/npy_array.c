// NPY files as arrays of any number of axes, for area sums.
#include "io/npy.h"

#include <string.h>

#define PIECE 16384 // bytes of a file that are converted at a time

// The type in memory: every value of the file's type, or those that fit 32 bits.
static lg_type type_of(const lg_npy_header *header)
{
    return header->foreign == LG_FOREIGN_NONE ? header->type : LG_I32;
}

// Shape as NumPy writes it.
static const char *shape_text(const lg_npy_header *header, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "(");
    for (int i = 0; i < header->axes && i < LG_AREA_DIMS && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)header->shape[i]);
    if (used < size)
        snprintf(out + used, size - used, header->axes == 1 ? ",)" : ")");
    return out;
}

static lg_status check(const lg_npy_header *header, int64_t max_elements, uint64_t *elements,
                       lg_error *error)
{
    char shape[160];
    if (header->axes < 1 || header->axes > LG_AREA_DIMS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an array of %d axes; area sums take 1 to %d: index or reshape it first",
                       header->axes, LG_AREA_DIMS);
    if (header->foreign == LG_FOREIGN_F64)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "an array of f64; u8, u16, i32, f16 and f32 are taken");
    *elements = 1;
    for (int i = 0; i < header->axes; i++)
        if (header->shape[i] < 1)
            return lg_fail(error, LG_ERROR_ARGUMENT, "the shape is %s: axis %d has no elements",
                           shape_text(header, shape, sizeof shape), i);
    for (int i = 0; i < header->axes; i++)
        if (__builtin_mul_overflow(*elements, (uint64_t)header->shape[i], elements) ||
            *elements > UINT32_MAX || header->shape[i] > INT32_MAX)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "the shape is %s; area sums take less than 2^32 elements, and less than "
                           "2^31 along an axis",
                           shape_text(header, shape, sizeof shape));
    if (*elements > (uint64_t)LG_MAX(max_elements, (int64_t)0))
        return lg_fail(error, LG_ERROR_LIMIT, "the shape is %s: %llu elements; the limit is %lld",
                       shape_text(header, shape, sizeof shape), (unsigned long long)*elements,
                       (long long)max_elements);
    return LG_OK;
}

// ---- integers -----------------------------------------------------------------------------------

static int64_t integer_at(const uint8_t *from, lg_foreign type)
{
    switch (type) {
    case LG_FOREIGN_I8:
        return (int8_t)*from;
    case LG_FOREIGN_I16: {
        int16_t v;
        memcpy(&v, from, sizeof v);
        return v;
    }
    case LG_FOREIGN_U32: {
        uint32_t v;
        memcpy(&v, from, sizeof v);
        return v;
    }
    case LG_FOREIGN_I32: {
        int32_t v;
        memcpy(&v, from, sizeof v);
        return v;
    }
    default: {
        int64_t v;
        memcpy(&v, from, sizeof v);
        return v;
    }
    }
}

static lg_status to_integers(const lg_npy_header *header, const uint8_t *from, size_t first,
                             size_t count, int32_t *to, lg_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t v = integer_at(from + i * header->sample, header->foreign);
        const bool above = header->foreign == LG_FOREIGN_U64 && v < 0;
        if (above || v < INT32_MIN || v > INT32_MAX) {
            char text[24];
            if (above)
                snprintf(text, sizeof text, "%llu", (unsigned long long)v);
            else
                snprintf(text, sizeof text, "%lld", (long long)v);
            return lg_fail(error, LG_ERROR_UNSUPPORTED,
                           "element %zu of the file is %s, which does not fit 32 bits; area sums "
                           "take integers from -2147483648 to 2147483647",
                           first + i, text);
        }
        to[i] = (int32_t)v;
    }
    return LG_OK;
}

// ---- reading ------------------------------------------------------------------------------------

static lg_status read_samples(lg_input *input, const lg_npy_header *header, size_t elements,
                              void *data, lg_error *error)
{
    uint8_t piece[PIECE];
    const bool converted = header->foreign != LG_FOREIGN_NONE;
    const size_t at_once = PIECE / header->sample;
    lg_status status = LG_OK;
    for (size_t first = 0; first < elements && status == LG_OK; first += at_once) {
        const size_t count = LG_MIN(at_once, elements - first), bytes = count * header->sample;
        uint8_t *to = converted ? piece : (uint8_t *)data + first * header->sample;
        if (lg_input_read(input, to, bytes) != bytes)
            return lg_input_short(input, "the samples", error);
        if (header->swap && header->sample > 1)
            lg_swap_bytes(to, header->sample, count);
        if (converted)
            status = to_integers(header, piece, first, count, (int32_t *)data + first, error);
    }
    return status;
}

// Axis 0 is NumPy's last one.
static void lay_out(const lg_npy_header *header, lg_area_array *out)
{
    int64_t step = (int64_t)lg_type_size(out->type);
    for (int d = 0; d < LG_AREA_DIMS; d++) {
        out->extent[d] = 1;
        out->stride[d] = 0;
    }
    for (int i = 0; i < header->axes; i++) {
        const int axis = header->columns ? i : header->axes - 1 - i, d = header->axes - 1 - axis;
        out->extent[d] = header->shape[axis];
        out->stride[d] = step;
        step *= header->shape[axis];
    }
}

static lg_status read_array(lg_input *input, int64_t max_elements, lg_area_array *out,
                            lg_error *error)
{
    lg_npy_header header = {0};
    uint64_t elements = 0;
    const size_t head = lg_input_peek(input, 6);
    if (input->failure)
        return lg_input_short(input, "the start", error);
    if (!lg_npy_is(input->buffer + input->begin, head))
        return lg_fail(error, LG_ERROR_DATA, "is not an .npy file, which arrays come from");
    lg_status status = lg_npy_read_header(input, &header, error);
    if (status == LG_OK)
        status = check(&header, max_elements, &elements, error);
    if (status == LG_OK)
        status = lg_input_expect(input, elements * header.sample, error);
    if (status != LG_OK)
        return status;
    lg_area_array array = {.type = type_of(&header), .dims = header.axes, .channels = 1};
    const size_t bytes = (size_t)elements * lg_type_size(array.type);
    void *data = lg_alloc_uninit(bytes);
    if (!data)
        return lg_fail_memory(error, bytes, "an array");
    status = read_samples(input, &header, (size_t)elements, data, error);
    if (status != LG_OK) {
        lg_free(data);
        return status;
    }
    array.data = data;
    lay_out(&header, &array);
    *out = array;
    return LG_OK;
}

lg_status lg_area_array_read(const char *path, int64_t max_elements, lg_area_array *out,
                             lg_error *error)
{
    if (!path || !out)
        return lg_fail_null(error, "the name of a file, and a place for the array");
    lg_input *input = lg_alloc(sizeof *input); // its buffer is large for a stack
    if (!input)
        return lg_fail_memory(error, sizeof *input, "a read buffer");
    lg_status status = lg_input_open(input, path, error);
    if (status == LG_OK) {
        status = read_array(input, max_elements, out, error);
        lg_input_close(input);
    }
    lg_free(input);
    return status;
}

void lg_area_array_free(lg_area_array *array)
{
    if (!array)
        return;
    lg_free((void *)(uintptr_t)array->data);
    array->data = NULL;
}
