// Curve files of Photoshop: the table that is read has the bits of tone_curve with the same points, and each
// mistake is named.
#include "check.h"
#include "device.h"
#include "filtering.h"
#include "kernel.h"
#include "pipeline.h"

#include <lumagraph/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/lumagraph-XXXXXX.acv";

// Numbers of two bytes, the higher first; -1 ends them.
static size_t write_numbers(const int *numbers)
{
    FILE *file = fopen(path, "wb");
    NEED(file, "cannot write %s", path);
    size_t size = 0;
    for (; *numbers >= 0; numbers++, size += 2) {
        fputc(*numbers >> 8, file);
        fputc(*numbers & 255, file);
    }
    NEED(fclose(file) == 0, "cannot write %s", path);
    return size;
}

static lg_status read_curves(lg_image **out, lg_error *error)
{
    lg_read_info info = {0};
    *out = NULL;
    const lg_status status = lg_image_read(kernel_context(), path, NULL, out, &info, error);
    CHECK(status || strcmp(info.format, "acv") == 0, "format %s", info.format);
    return status;
}

// Composite, red, green, blue, and a fifth that nothing uses. Of each point first what comes out.
#define CURVES                                                                                     \
    4, 5, 3, 10, 0, 150, 128, 245, 255, 3, 0, 0, 140, 100, 255, 255, 2, 0, 20, 255, 240, 2, 255,   \
        0, 0, 255, 2, 0, 0, 255, 255, -1
static const char same[] =
    "tone_curve:composite=0,%.17g;%.17g,%.17g;1,%.17g:red=0,0;%.17g,%.17g;1,1:"
    "green=%.17g,0;%.17g,1:blue=0,1;1,0";

static lg_image *run(const char *text, lg_image *in, lg_image *over)
{
    const lg_image *const both[2] = {in, over};
    lg_image *out = NULL;
    lg_error error = {LG_OK, ""};
    const lg_status status =
        pipeline_run(kernel_context(), text, both, 2, in->shape.type, 1, &out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return out;
}

static void test_bits(void)
{
    char text[400];
    lg_image *table;
    lg_error error = {LG_OK, ""};
    write_numbers((const int[]){CURVES});
    NEED(!read_curves(&table, &error), "%s", error.message);
    CHECK(table->shape.width == 1025 && table->shape.height == 1 && table->shape.layers == 1 &&
              table->shape.type == LG_F32,
          "%d x %d", table->shape.width, table->shape.height);
    snprintf(text, sizeof text, same, 10 / 255.0, 128 / 255.0, 150 / 255.0, 245 / 255.0,
             100 / 255.0, 140 / 255.0, 20 / 255.0, 240 / 255.0);
    static const lg_image_params shapes[] = {
        SHAPE(61, 7, 1, 4, LG_U8, LG_ALPHA_OPAQUE), SHAPE(300, 11, 2, 4, LG_U8, LG_ALPHA_STRAIGHT),
        SHAPE(61, 7, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), SHAPE(33, 5, 1, 1, LG_U16, LG_ALPHA_NONE)};
    for (size_t i = 0; i < LG_COUNT(shapes); i++) {
        lg_image *in = kernel_image(shapes[i], CONTENT_UNIT);
        lg_image *wanted = run(text, in, table), *look = run("lookup", in, table);
        lg_image *over = run("tone_curve:over=#over", in, table);
        CHECK(wanted && look && samples_equal(wanted, look), "lookup of shape %zu", i);
        CHECK(wanted && over && samples_equal(wanted, over), "tone_curve of shape %zu", i);
        lg_image_destroy(&in);
        lg_image_destroy(&wanted);
        lg_image_destroy(&look);
        lg_image_destroy(&over);
    }
    lg_image_destroy(&table);
}

// The line from 1 to 0.
static void test_worked(void)
{
    lg_image *table;
    lg_error error = {LG_OK, ""};
    write_numbers((const int[]){1, 1, 2, 255, 0, 0, 255, -1});
    NEED(!read_curves(&table, &error), "%s", error.message);
    for (int i = 0; i <= 1024; i += 256)
        CHECK(sample_get(table, i, 0, 0, 1) == 1 - i / 1024.0, "entry %d is %g", i,
              sample_get(table, i, 0, 0, 1));
    lg_image_destroy(&table);
}

static void test_bad(void)
{
    static const struct {
        int numbers[64];
        const char *said;
        lg_status status;
    } files[] = {
        {{-1}, "truncated: the file ends after 0 bytes", LG_ERROR_DATA},
        {{4, -1}, "truncated: the file ends after 2 bytes", LG_ERROR_DATA},
        {{4, 2, 2, 0, 0, 255, 255, -1},
         "after 14 bytes, within the head of curve 1",
         LG_ERROR_DATA},
        {{4, 1, 3, 0, 0, 255, 255, -1}, "within the points of curve 0", LG_ERROR_DATA},
        {{4, 1, 2, 0, 0, 255, -1}, "within the points of curve 0", LG_ERROR_DATA},
        {{3, 1, 2, 0, 0, 255, 255, -1}, "version 3", LG_ERROR_UNSUPPORTED},
        {{4, 0, -1}, "0 curves; allowed are 1 to 64", LG_ERROR_DATA},
        {{4, 65, -1}, "65 curves", LG_ERROR_DATA},
        {{4, 1, 1, 0, 0, -1}, "curve 0 has 1 points; allowed are 2 to 19", LG_ERROR_DATA},
        {{4, 1, 20, 0, 0, -1}, "curve 0 has 20 points", LG_ERROR_DATA},
        {{4, 1, 2, 0, 0, 256, 255, -1}, "point 1: 255 to 256; allowed is 0 to 255", LG_ERROR_DATA},
        {{4, 1, 2, 0, 0, 255, 300, -1}, "point 1: 300 to 255", LG_ERROR_DATA},
        {{4, 1, 2, 0, 9, 255, 9, -1}, "its input 9 is not above", LG_ERROR_DATA},
        {{4, 1, 3, 0, 9, 0, 8, 255, 255, -1}, "point 1: its input 8", LG_ERROR_DATA},
        {{1, 1, 2, 0, 0, 255, 255, 7, -1}, "2 bytes behind the last curve", LG_ERROR_DATA},
    };
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        lg_image *image;
        lg_error error = {LG_OK, ""};
        write_numbers(files[i].numbers);
        const lg_status status = read_curves(&image, &error);
        CHECK(status == files[i].status && !image && strstr(error.message, files[i].said),
              "file %zu: %s, %s", i, lg_status_name(status), error.message);
        lg_image_destroy(&image);
    }
}

// Whatever stands there, there are curves or a message.
static void test_damaged(void)
{
    static const int whole[] = {CURVES};
    for (int round = 0; round < test_extent(200, 2000, 20000); round++) {
        int numbers[LG_COUNT(whole)];
        memcpy(numbers, whole, sizeof whole);
        for (uint32_t k = 1 + random_below(3); k > 0; k--)
            numbers[random_below(LG_COUNT(whole) - 1)] =
                (int)random_below(random_below(2) ? 20 : 65536);
        numbers[random_below(2) ? LG_COUNT(whole) - 1 : random_below(LG_COUNT(whole))] = -1;
        write_numbers(numbers);
        lg_image *image;
        lg_error error = {LG_OK, ""};
        const lg_status status = lg_image_read(kernel_context(), path, NULL, &image, NULL, &error);
        CHECK(status ? error.message[0] != 0 : image != NULL, "round %d: %s", round, error.message);
        if (!status)
            lg_image_destroy(&image);
    }
}

static void test_all(void)
{
    const int fd = mkstemps(path, 4);
    NEED(fd >= 0, "no file");
    close(fd);
    test_bits();
    test_worked();
    test_bad();
    test_damaged();
    unlink(path);
    lg_io_shutdown();
}

int main(void)
{
    return kernel_main("acv", NULL, 0, test_all);
}
