// Arrays of any number of axes from .npy files: where their elements lie, and what is refused.
#include "check.h"

#include <lumagraph/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/lumagraph-arrays-XXXXXX";

static lg_status read_bytes(const char *header, const void *samples, size_t bytes, int64_t most,
                            lg_area_array *out, lg_error *error)
{
    const size_t length = strlen(header);
    const uint8_t start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)length, (uint8_t)(length >> 8)};
    FILE *file = fopen(path, "wb");
    NEED(file, "cannot write %s", path);
    fwrite(start, 1, sizeof start, file);
    fwrite(header, 1, length, file);
    fwrite(samples, 1, bytes, file);
    fclose(file);
    *error = (lg_error){0};
    return lg_area_array_read(path, most, out, error);
}

#define NPY(type, order, shape)                                                                    \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static int32_t at(const lg_area_array *array, const int64_t *index)
{
    const char *from = array->data;
    int32_t v;
    for (int d = 0; d < array->dims; d++)
        from += index[d] * array->stride[d];
    memcpy(&v, from, sizeof v);
    return v;
}

// Element (i, j, k) of shape (2, 3, 4) is 100 i + 10 j + k, in either order.
static void orders(void)
{
    int32_t c[24], f[24];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                c[(i * 3 + j) * 4 + k] = f[(k * 3 + j) * 2 + i] = 100 * i + 10 * j + k;
    for (int fortran = 0; fortran < 2; fortran++) {
        lg_area_array array = {0};
        lg_error error;
        CHECK(
            read_bytes(fortran ? NPY("<i4", "True", "(2, 3, 4)") : NPY("<i4", "False", "(2, 3, 4)"),
                       fortran ? f : c, sizeof c, 1000, &array, &error) == LG_OK,
            "%s", error.message);
        CHECK(array.type == LG_I32 && array.dims == 3 && array.channels == 1 &&
                  array.extent[0] == 4 && array.extent[1] == 3 && array.extent[2] == 2 &&
                  array.extent[3] == 1,
              "the shape of order %d", fortran);
        bool same = true;
        for (int64_t i = 0; i < 2; i++)
            for (int64_t j = 0; j < 3; j++)
                for (int64_t k = 0; k < 4; k++)
                    same &= at(&array, (int64_t[]){k, j, i}) == 100 * i + 10 * j + k;
        CHECK(same, "the elements of order %d", fortran);
        lg_area_array_free(&array);
        CHECK(!array.data, "freed");
        lg_area_array_free(&array);
    }
}

static void integer_type(const char *header, const void *samples, size_t bytes, int32_t first,
                         int32_t second)
{
    lg_area_array array = {0};
    lg_error error;
    CHECK(read_bytes(header, samples, bytes, 2, &array, &error) == LG_OK && array.type == LG_I32,
          "%s: %s", header, error.message);
    CHECK(array.data && at(&array, (int64_t[]){0}) == first && at(&array, (int64_t[]){1}) == second,
          "%s", header);
    lg_area_array_free(&array);
}

// Integers that do not all fit 32 bits are doubles.
static void doubles(void)
{
    static const struct {
        const char *header, *bytes;
        double first, second;
    } files[] = {
        {NPY("<u4", "False", "(2,)"), "\xff\xff\xff\xff\1\0\0\0", 4294967295.0, 1},
        {NPY("<i8", "False", "(2,)"), "\0\0\0\0\0\0\x20\0\xff\xff\xff\xff\xff\xff\xff\xff", 0x1p53,
         -1},
        {NPY(">f8", "False", "(2,)"), "\x3f\xf8\0\0\0\0\0\0\xbf\xe0\0\0\0\0\0\0", 1.5, -0.5}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        lg_area_array array = {0};
        lg_error error;
        double v[2] = {0};
        CHECK(read_bytes(files[i].header, files[i].bytes, i ? 16 : 8, 2, &array, &error) == LG_OK &&
                  array.type == LG_F64 && array.stride[0] == 8,
              "%s: %s", files[i].header, error.message);
        if (array.data)
            memcpy(v, array.data, sizeof v);
        CHECK(v[0] == files[i].first && v[1] == files[i].second, "%s", files[i].header);
        lg_area_array_free(&array);
    }
}

static void types(void)
{
    integer_type(NPY("|i1", "False", "(2,)"), "\x80\x7f", 2, -128, 127);
    integer_type(NPY(">i2", "False", "(2,)"), "\x80\0\x01\x02", 4, -32768, 258);
    integer_type(NPY(">i4", "False", "(2,)"), "\x80\0\0\0\0\0\x01\0", 8, INT32_MIN, 256);
    integer_type(NPY("<u4", "False", "(2,)"), "\xff\xff\xff\x7f\1\0\0\0", 8, INT32_MAX, 1);
    integer_type(NPY("<i8", "False", "(2,)"), "\0\0\0\x80\xff\xff\xff\xff\x05\0\0\0\0\0\0\0", 16,
                 INT32_MIN, 5);
    integer_type(NPY("<u8", "False", "(2,)"), "\x07\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0", 16, 7, 5);
    static const struct {
        const char *header;
        lg_type type;
        size_t bytes;
    } kept[] = {{NPY("|u1", "False", "(3, 1)"), LG_U8, 3},
                {NPY("|b1", "True", "(3, 1)"), LG_U8, 3},
                {NPY("<u2", "False", "(3, 1)"), LG_U16, 6},
                {NPY("<f2", "True", "(3, 1)"), LG_F16, 6},
                {NPY("<f4", "False", "(3, 1)"), LG_F32, 12}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char samples[13] = "\0\1\2\3\4\5\6\7\1\2\3\4";
        lg_area_array array = {0};
        lg_error error;
        CHECK(read_bytes(kept[i].header, samples, kept[i].bytes, 3, &array, &error) == LG_OK &&
                  array.type == kept[i].type && !memcmp(array.data, samples, kept[i].bytes),
              "%s: %s", kept[i].header, error.message);
        lg_area_array_free(&array);
    }
}

static void refused(lg_status status, const char *text, const char *header, size_t bytes)
{
    char ones[64] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    lg_area_array array = {0};
    lg_error error;
    if (strstr(header, ">i8"))
        ones[0] = 0x7f;
    CHECK(read_bytes(header, ones, bytes, 8, &array, &error) == status && !array.data &&
              strstr(error.message, text),
          "%s: %s", header, error.message);
}

static void refusals(void)
{
    lg_error error = {0};
    lg_area_array array = {0};
    refused(LG_ERROR_ARGUMENT, "0 axes; area sums take 1 to 6", NPY("|u1", "False", "()"), 1);
    refused(LG_ERROR_ARGUMENT, "7 axes", NPY("|u1", "False", "(1, 1, 1, 1, 1, 1, 1)"), 1);
    refused(LG_ERROR_ARGUMENT, "(2, 0, 3): axis 1 has no elements",
            NPY("|u1", "False", "(2, 0, 3)"), 1);
    refused(LG_ERROR_LIMIT, "(9,): 9 elements; the limit is 8", NPY("|u1", "False", "(9,)"), 9);
    refused(LG_ERROR_LIMIT, "less than 2^32 elements",
            NPY("|u1", "False", "(65536, 65536, 65536, 65536, 65536)"), 1);
    refused(LG_ERROR_LIMIT, "2^31 along an axis", NPY("|u1", "False", "(2147483648,)"), 1);
    refused(LG_ERROR_DATA, "truncated", NPY("|u1", "False", "(8,)"), 7);
    refused(LG_ERROR_UNSUPPORTED, "element 0 of the file is 18446744073709551615; area",
            NPY("<u8", "False", "(2,)"), 16);
    refused(LG_ERROR_UNSUPPORTED, "is 9223372036854775807; area", NPY(">i8", "False", "(1,)"), 8);
    refused(LG_ERROR_UNSUPPORTED, "NPY of type '<c8'", NPY("<c8", "False", "(2,)"), 16);
    FILE *file = fopen(path, "wb");
    NEED(file && fputs("P5 1 1 255\n1", file) >= 0 && !fclose(file), "cannot write");
    CHECK(lg_area_array_read(path, 8, &array, &error) == LG_ERROR_DATA &&
              strstr(error.message, "not an .npy file"),
          "%s", error.message);
    CHECK(lg_area_array_read("/nowhere/a.npy", 8, &array, &error) == LG_ERROR_IO, "no file");
    CHECK(lg_area_array_read(NULL, 8, &array, &error) == LG_ERROR_ARGUMENT, "no name");
    CHECK(lg_area_array_read(path, 8, NULL, &error) == LG_ERROR_ARGUMENT, "no place");
    CHECK(!array.data, "nothing was written");
    lg_area_array_free(NULL);
}

int main(void)
{
    const int file = mkstemp(path);
    NEED(file >= 0, "cannot write to /tmp");
    close(file);
    orders();
    types();
    doubles();
    refusals();
    unlink(path);
    return check_finish("area_arrays");
}
