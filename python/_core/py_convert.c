// Samples of one type as those of another.
#include "py_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef union sample {
    uint8_t bytes[8];
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} sample;

static sample load(const core_array *a, const char *from)
{
    sample s = {.u64 = 0};
    if (!a->swapped)
        memcpy(s.bytes, from, (size_t)a->size);
    else
        for (int i = 0; i < a->size; i++)
            s.bytes[i] = (uint8_t)from[a->size - 1 - i];
    return s;
}

static int64_t signed_of(const core_array *a, sample s)
{
    return a->size == 1 ? s.i8 : a->size == 2 ? s.i16 : a->size == 4 ? s.i32 : s.i64;
}

// Of integers whose size differs from that of the sample, the unused bytes are zero.
static bool to_f32(const core_array *a, sample s, float *out)
{
    if (a->kind == 'f') {
        const double v = a->size == 8 ? s.f64 : (double)s.f32;
        *out = (float)v;
        return (double)*out == v || isnan(v);
    }
    if (a->kind == 'i') {
        const int64_t v = signed_of(a, s);
        *out = (float)v;
        return *out < 0x1p63F && (int64_t)*out == v;
    }
    *out = (float)s.u64;
    return *out < 0x1p64F && (uint64_t)*out == s.u64;
}

static void note_loss(const core_array *a, sample s, const Py_ssize_t *index, core_loss *loss)
{
    loss->lost = true;
    memcpy(loss->index, index, sizeof loss->index);
    if (a->kind == 'f')
        snprintf(loss->value, sizeof loss->value, "%.17g", a->size == 8 ? s.f64 : (double)s.f32);
    else if (a->kind == 'i')
        snprintf(loss->value, sizeof loss->value, "%lld", (long long)signed_of(a, s));
    else
        snprintf(loss->value, sizeof loss->value, "%llu", (unsigned long long)s.u64);
}

// ---- a row of the last axis ---------------------------------------------------------------------

typedef bool row_fn(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                    void *to, bool rounds, Py_ssize_t *at);

static bool copy_row(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                     void *to, bool rounds, Py_ssize_t *at)
{
    if (stride == a->size) {
        memcpy(to, from, (size_t)(count * a->size));
        return true;
    }
    char *out = to;
    for (Py_ssize_t i = 0; i < count; i++)
        memcpy(out + i * a->size, from + i * stride, (size_t)a->size);
    return true;
}

static bool swap_row(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                     void *to, bool rounds, Py_ssize_t *at)
{
    char *out = to;
    for (Py_ssize_t i = 0; i < count; i++) {
        const sample s = load(a, from + i * stride);
        memcpy(out + i * a->size, s.bytes, (size_t)a->size);
    }
    return true;
}

// The usual case in a loop that a compiler makes vectors of: whether any sample is lost is asked
// once for the row.
static bool doubles_row(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                        void *to, bool rounds, Py_ssize_t *at)
{
    float *out = to;
    int lost = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        double v;
        memcpy(&v, from + i * stride, sizeof v);
        out[i] = (float)v;
        lost |= ((double)out[i] != v) & (v == v);
    }
    for (*at = 0; lost && !rounds && *at < count; (*at)++) {
        float f;
        if (!to_f32(a, load(a, from + *at * stride), &f))
            return false;
    }
    return true;
}

static bool any_row(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                    void *to, bool rounds, Py_ssize_t *at)
{
    float *out = to;
    for (*at = 0; *at < count; (*at)++)
        if (!to_f32(a, load(a, from + *at * stride), &out[*at]) && !rounds)
            return false;
    return true;
}

static row_fn *row_of(const core_array *a, lg_type type)
{
    const bool same = type != LG_F32 || (a->kind == 'f' && a->size == 4);
    if (same)
        return a->swapped ? swap_row : copy_row;
    return a->kind == 'f' && a->size == 8 && !a->swapped ? doubles_row : any_row;
}

// ---- all axes -----------------------------------------------------------------------------------

// The array with axes of length 1 in front, so that it has all four.
static core_array padded(const core_array *a)
{
    core_array p = *a;
    const int more = CORE_AXES - a->ndim;
    for (int i = 0; i < CORE_AXES; i++) {
        p.extent[i] = i < more ? 1 : a->extent[i - more];
        p.stride[i] = i < more ? 0 : a->stride[i - more];
    }
    return p;
}

#define BLOCK 32

// Columns that lie together in memory: blocks of both axes stay in the cache.
static void copy_turned(const core_array *a, const char *from, const Py_ssize_t *extent,
                        const Py_ssize_t *stride, char *to)
{
    for (Py_ssize_t r = 0; r < extent[0]; r += BLOCK)
        for (Py_ssize_t c = 0; c < extent[1]; c += BLOCK) {
            const Py_ssize_t wide = extent[1] - c < BLOCK ? extent[1] - c : BLOCK;
            for (Py_ssize_t i = r; i < extent[0] && i < r + BLOCK; i++)
                copy_row(a, from + i * stride[0] + c * stride[1], stride[1], wide,
                         to + (i * extent[1] + c) * a->size, true, NULL);
        }
}

void core_convert(const core_array *array, lg_type type, bool rounds, void *out, core_loss *loss)
{
    const core_array p = padded(array);
    const Py_ssize_t *e = p.extent, *s = p.stride;
    row_fn *row = row_of(&p, type);
    const Py_ssize_t bytes = e[3] * (Py_ssize_t)lg_type_size(type);
    char *to = out;
    for (Py_ssize_t i = 0; i < e[0]; i++)
        for (Py_ssize_t j = 0; j < e[1]; j++) {
            const char *from = p.data + i * s[0] + j * s[1];
            if (row == copy_row && e[2] > 1 && s[3] != p.size) {
                copy_turned(&p, from, e + 2, s + 2, to);
                to += e[2] * bytes;
                continue;
            }
            for (Py_ssize_t k = 0; k < e[2]; k++, to += bytes) {
                Py_ssize_t at = 0;
                if (row(&p, from + k * s[2], s[3], e[3], to, rounds, &at))
                    continue;
                const Py_ssize_t index[CORE_AXES] = {i, j, k, at};
                note_loss(&p, load(&p, from + k * s[2] + at * s[3]), index, loss);
                return;
            }
        }
}

// ---- labels -------------------------------------------------------------------------------------

static bool to_label(const core_array *a, sample s, uint32_t *out)
{
    if (a->kind == 'f') {
        float f = 0;
        return to_f32(a, s, &f) && false;
    }
    const bool negative = a->kind == 'i' && signed_of(a, s) < 0;
    const uint64_t v = negative ? 0 : a->kind == 'i' ? (uint64_t)signed_of(a, s) : s.u64;
    *out = (uint32_t)v;
    return v < UINT32_MAX;
}

static bool labels_row(const core_array *a, const char *from, Py_ssize_t stride, Py_ssize_t count,
                       uint32_t *to, uint32_t *most, Py_ssize_t *at)
{
    uint32_t top = *most;
    *at = 0;
    if (a->size == 4 && !a->swapped && a->kind == 'i') {
        for (Py_ssize_t i = 0; i < count; i++) {
            int32_t v;
            memcpy(&v, from + i * stride, sizeof v);
            to[i] = v < 0 ? 0 : (uint32_t)v;
            top = top > to[i] ? top : to[i];
        }
        *at = count;
    }
    for (; *at < count; (*at)++) {
        if (!to_label(a, load(a, from + *at * stride), &to[*at]))
            return false;
        top = top > to[*at] ? top : to[*at];
    }
    *most = top;
    return true;
}

void core_convert_labels(const core_array *array, lg_labels *out, core_loss *loss)
{
    const core_array p = padded(array);
    const Py_ssize_t *e = p.extent, *s = p.stride;
    out->count = 0;
    for (Py_ssize_t j = 0; j < e[1]; j++)
        for (Py_ssize_t k = 0; k < e[2]; k++) {
            char *to =
                (char *)out->data + (size_t)j * out->layer_stride + (size_t)k * out->row_stride;
            const char *from = p.data + j * s[1] + k * s[2];
            Py_ssize_t at;
            if (labels_row(&p, from, s[3], e[3], (uint32_t *)(void *)to, &out->count, &at))
                continue;
            const Py_ssize_t index[CORE_AXES] = {0, j, k, at};
            note_loss(&p, load(&p, from + at * s[3]), index, loss);
            return;
        }
}
