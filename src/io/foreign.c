// Sample types that the library lacks become f32: exactly, or rounded where that is asked for.
#include "io/io_internal.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} foreign_types[] = {
    [LG_FOREIGN_NONE] = {"none", 0}, [LG_FOREIGN_I8] = {"i8", 1},   [LG_FOREIGN_I16] = {"i16", 2},
    [LG_FOREIGN_I32] = {"i32", 4},   [LG_FOREIGN_I64] = {"i64", 8}, [LG_FOREIGN_U32] = {"u32", 4},
    [LG_FOREIGN_U64] = {"u64", 8},   [LG_FOREIGN_F64] = {"f64", 8},
};

size_t lg_foreign_size(lg_foreign type)
{
    return foreign_types[type].size;
}

const char *lg_foreign_name(lg_foreign type)
{
    return foreign_types[type].name;
}

// Integers up to 2^24 are exact in f32, and beyond those with enough trailing zero bits.
static bool exact_u64(uint64_t value, float *out)
{
    *out = (float)value;
    return *out < 0x1p64f && (uint64_t)*out == value;
}

static bool exact_i64(int64_t value, float *out)
{
    bool exact = exact_u64(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, out);
    if (value < 0)
        *out = -*out;
    return exact;
}

static bool exact_f64(double value, float *out)
{
    *out = fabs(value) > 3.4028234663852886e38 && !isinf(value) ? INFINITY : (float)value;
    return isnan(value) || (double)*out == value;
}

// The nearest floats; true when every one of them is the value itself.
static bool convert(lg_foreign type, const void *in, float *out, size_t count)
{
#define EACH(c_type, exact_of)                                                                     \
    for (size_t i = 0; i < count; i++) {                                                           \
        c_type value;                                                                              \
        memcpy(&value, (const uint8_t *)in + i * sizeof value, sizeof value);                      \
        exact &= exact_of(value, out + i);                                                         \
    }                                                                                              \
    break
    bool exact = true;
    switch (type) {
    case LG_FOREIGN_I8:
        EACH(int8_t, exact_i64);
    case LG_FOREIGN_I16:
        EACH(int16_t, exact_i64);
    case LG_FOREIGN_I32:
        EACH(int32_t, exact_i64);
    case LG_FOREIGN_I64:
        EACH(int64_t, exact_i64);
    case LG_FOREIGN_U32:
        EACH(uint32_t, exact_u64);
    case LG_FOREIGN_U64:
        EACH(uint64_t, exact_u64);
    case LG_FOREIGN_F64:
        EACH(double, exact_f64);
    case LG_FOREIGN_NONE:
        exact = false;
        break;
    }
    return exact;
#undef EACH
}

// Rounding makes infinities only of what is beyond the range of f32.
static bool is_beyond(lg_foreign type, const void *in, const float *out, size_t count)
{
    double value;
    for (size_t i = 0; i < count && type == LG_FOREIGN_F64; i++) {
        memcpy(&value, (const uint8_t *)in + i * sizeof value, sizeof value);
        if (isinf(out[i]) && !isinf(value))
            return true;
    }
    return false;
}

lg_status lg_foreign_to_f32(lg_rounding *rounding, const void *in, float *out, size_t count,
                            lg_error *error)
{
    const char *name = lg_foreign_name(rounding->type);
    if (convert(rounding->type, in, out, count))
        return LG_OK;
    if (is_beyond(rounding->type, in, out, count))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%s values beyond the range of f32, 3.4e38; scale them first", name);
    if (!rounding->allowed)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%s values that f32 does not hold exactly; --convert rounds them to the "
                       "nearest f32",
                       name);
    rounding->happened = true;
    return LG_OK;
}

void lg_rounding_note(const lg_rounding *rounding, lg_read_info *info)
{
    if (rounding->type == LG_FOREIGN_NONE)
        return;
    lg_note(info,
            rounding->happened ? "%s samples rounded to the nearest f32"
                               : "%s samples converted to f32, every value exactly",
            lg_foreign_name(rounding->type));
}
