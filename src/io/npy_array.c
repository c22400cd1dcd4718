// NPY files as arrays of any number of axes, for area sums.
#include "io/npy.h"

#include <string.h>

#define EXACT ((int64_t)1 << 53)
#define PIECE 16384 // bytes of a file that are converted at a time

// The type in memory. Integers of more than 32 bits wait as they are until their range is known.
static lg_type type_of(const lg_npy_header *header)
{
    return header->foreign == LG_FOREIGN_NONE  ? header->type
           : header->foreign == LG_FOREIGN_F64 ? LG_F64
                                               : LG_I32;
}

static bool is_wide(const lg_npy_header *header)
{
    return header->foreign == LG_FOREIGN_U32 || header->foreign == LG_FOREIGN_I64 ||
           header->foreign == LG_FOREIGN_U64;
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

static lg_status beyond(size_t index, const char *value, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "element %zu of the file is %s; area sums take integers up to 2^53, which all "
                   "doubles hold",
                   index, value);
}

// Integers of other types as i32, or as i64 where they may not fit: int32_t or int64_t at `to`.
static lg_status to_integers(const lg_npy_header *header, const uint8_t *from, size_t first,
                             size_t count, void *to, lg_error *error)
{
    int32_t *narrow = (int32_t *)to + first;
    int64_t *wide = (int64_t *)to + first;
    for (size_t i = 0; i < count; i++) {
        const int64_t v = integer_at(from + i * header->sample, header->foreign);
        if (!is_wide(header)) {
            narrow[i] = (int32_t)v;
            continue;
        }
        char text[24];
        if (header->foreign == LG_FOREIGN_U64 && v < 0) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)v);
            return beyond(first + i, text, error);
        }
        if (v < -EXACT || v > EXACT) {
            snprintf(text, sizeof text, "%lld", (long long)v);
            return beyond(first + i, text, error);
        }
        wide[i] = v;
    }
    return LG_OK;
}

// Wide integers, in place, as i32 when all of them fit, else as f64, which is exact.
static lg_type settle(void *data, size_t elements)
{
    char *at = data;
    bool fits = true;
    for (size_t i = 0; i < elements && fits; i++)
        fits = ((int64_t *)data)[i] >= INT32_MIN && ((int64_t *)data)[i] <= INT32_MAX;
    for (size_t i = 0; i < elements; i++) {
        int64_t v;
        memcpy(&v, at + 8 * i, sizeof v);
        const int32_t narrow = (int32_t)v;
        const double real = (double)v;
        if (fits)
            memcpy(at + 4 * i, &narrow, sizeof narrow);
        else
            memcpy(at + 8 * i, &real, sizeof real);
    }
    return fits ? LG_I32 : LG_F64;
}

// ---- reading ------------------------------------------------------------------------------------

static lg_status read_samples(lg_input *input, const lg_npy_header *header, size_t elements,
                              void *data, lg_error *error)
{
    uint8_t piece[PIECE];
    const bool converted = header->foreign != LG_FOREIGN_NONE && header->foreign != LG_FOREIGN_F64;
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
            status = to_integers(header, piece, first, count, data, error);
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
    const size_t bytes = (size_t)elements * (is_wide(&header) ? 8 : lg_type_size(array.type));
    void *data = lg_alloc_uninit(bytes);
    if (!data)
        return lg_fail_memory(error, bytes, "an array");
    status = read_samples(input, &header, (size_t)elements, data, error);
    if (status != LG_OK) {
        lg_free(data);
        return status;
    }
    if (is_wide(&header))
        array.type = settle(data, (size_t)elements);
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
