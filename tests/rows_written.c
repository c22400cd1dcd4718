// Image files that are written by rows: they are those of lg_image_write, byte for byte; a file that is not
// complete is not there.
#include "check.h"
#include "samples.h"
#include <lumagraph/rows.h>

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static lg_context *context;
static lg_error error;
static char folder[] = "/tmp/lumagraph-rows-written-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Two files, or folders of the same files but for .zattrs, which has the name.
static bool same_bytes(const char *a, const char *b)
{
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%s", in_folder(a));
    if (strstr(a, ".zarr")) {
        char command[3 * PATH_MAX];
        snprintf(command, sizeof command, "diff -r -x .zattrs '%s' '%s'", first, in_folder(b));
        return system(command) == 0;
    }
    FILE *x = fopen(first, "rb"), *y = fopen(in_folder(b), "rb");
    NEED(x && y, "cannot read %s or %s", a, b);
    int c, d;
    do {
        c = fgetc(x);
        d = fgetc(y);
    } while (c == d && c != EOF);
    fclose(x);
    fclose(y);
    return c == d;
}

static lg_status write_by_rows(const lg_image *image, const char *path,
                               const lg_write_params *params, int64_t height)
{
    lg_row_writer *writer = NULL;
    lg_status status = lg_row_writer_open(path, &image->shape, params, &writer, &error);
    for (int32_t layer = 0; layer < image->shape.layers; layer++)
        for (int64_t y = 0; y < image->shape.height && !status; y += height) {
            lg_image_params shape = image->shape;
            lg_image *part = NULL;
            uint8_t *rows = (uint8_t *)image->data + (size_t)y * image->shape.row_stride +
                            (size_t)layer * image->shape.layer_stride;
            shape.layers = 1;
            shape.height = (int32_t)LG_MIN(height, image->shape.height - y);
            NEED(!lg_image_wrap(context, &shape, rows, &part, &error), "%s", error.message);
            status = lg_row_writer_write(writer, part, &error);
            lg_image_destroy(&part);
        }
    if (!status)
        return lg_row_writer_close(&writer, &error);
    lg_row_writer_discard(&writer);
    return status;
}

static void test_written(void)
{
    static const struct {
        const char *extension;
        lg_image_params shape;
        const char *options;
    } files[] = {
        {"pgm", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE)},
        {"ppm", SHAPE(37, 141, 1, 4, LG_U16, LG_ALPHA_OPAQUE)},
        {"pam", SHAPE(37, 141, 1, 4, LG_U8, LG_ALPHA_STRAIGHT)},
        {"npy", SHAPE(37, 141, 1, 4, LG_F32, LG_ALPHA_OPAQUE)},
        {"npy", SHAPE(37, 141, 1, 1, LG_F16, LG_ALPHA_NONE)},
        {"tif", SHAPE(37, 141, 1, 1, LG_U16, LG_ALPHA_NONE)},
        {"tif", SHAPE(3000, 301, 1, 4, LG_U8, LG_ALPHA_OPAQUE)}, // several strips
        {"tif", SHAPE(37, 141, 1, 4, LG_F32, LG_ALPHA_STRAIGHT)},
        {"pnm", SHAPE(37, 41, 3, 4, LG_U8, LG_ALPHA_OPAQUE)},
        {"pgm", SHAPE(37, 41, 5, 1, LG_U16, LG_ALPHA_NONE)},
        {"npy", SHAPE(37, 41, 3, 1, LG_F32, LG_ALPHA_NONE)},
        {"tif", SHAPE(37, 41, 3, 4, LG_U8, LG_ALPHA_STRAIGHT)},
        {"tif", SHAPE(900, 301, 3, 1, LG_F32, LG_ALPHA_NONE), "compression=none"},
        {"tif", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE), "tile=16,pyramid"},
        {"tif", SHAPE(700, 301, 1, 4, LG_U8, LG_ALPHA_OPAQUE), "tile=64x32,compression=none"},
        {"tif", SHAPE(101, 33, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), "pyramid,tile=48x16"},
        {"tif", SHAPE(65, 97, 3, 2, LG_U16, LG_ALPHA_STRAIGHT), "tile=32,pyramid"},
        {"tif", SHAPE(1, 1, 1, 1, LG_F16, LG_ALPHA_NONE), "pyramid"},
        {"zarr", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE), "tile=16,pyramid"},
        {"zarr", SHAPE(101, 33, 3, 4, LG_F32, LG_ALPHA_OPAQUE), "pyramid,tile=48x16"},
        {"zarr", SHAPE(1, 1, 1, 2, LG_U16, LG_ALPHA_STRAIGHT), "compression=none"},
        {"png", SHAPE(37, 141, 1, 2, LG_U8, LG_ALPHA_STRAIGHT)},
        {"png", SHAPE(700, 301, 1, 4, LG_U16, LG_ALPHA_OPAQUE)},
        {"png", SHAPE(37, 141, 1, 4, LG_U8, LG_ALPHA_OPAQUE), "interlace"},
        {"jpg", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE)},
        {"jpg", SHAPE(700, 301, 1, 4, LG_U8, LG_ALPHA_OPAQUE), "Q=80,interlace"},
    };
    static const int64_t heights[] = {1, 7, 32, 100, 1000};
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        char whole[32], parts[32], path[PATH_MAX];
        snprintf(whole, sizeof whole, "whole.%s", files[i].extension);
        snprintf(parts, sizeof parts, "parts.%s", files[i].extension);
        if (!lg_image_can_write(whole))
            continue; // this build does not
        CHECK(lg_row_writer_can(parts, NULL) &&
                  (files[i].shape.layers == 1 || lg_row_writer_can_layers(parts, NULL)),
              "%s", parts);
        lg_image *image = content_image(context, files[i].shape, CONTENT_ALL_BITS);
        const lg_write_params params = {.options = files[i].options};
        NEED(!lg_image_write(image, in_folder(whole), &params, &error), "%s", error.message);
        for (size_t k = 0; k < LG_COUNT(heights); k++) {
            snprintf(path, sizeof path, "%s", in_folder(parts));
            CHECK(!write_by_rows(image, path, &params, heights[k]) && same_bytes(whole, parts),
                  "%s of %s in bands of %lld: %s", parts, lg_type_name(files[i].shape.type),
                  (long long)heights[k], error.message);
        }
        lg_image_destroy(&image);
    }
}

// A file that is not complete is not there, and an old one stays.
static void test_not_complete(const char *name)
{
    const lg_image_params shape = SHAPE(37, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *image = content_image(context, shape, CONTENT_UNIT);
    lg_image_params other = shape;
    lg_row_writer *writer = NULL;
    const char *path = in_folder(name);
    if (!lg_row_writer_can(path, NULL))
        return; // this build does not
    other.height = 100;
    NEED(!lg_row_writer_open(path, &other, NULL, &writer, &error), "%s", error.message);
    CHECK(!lg_row_writer_write(writer, image, &error), "%s", error.message);
    CHECK(lg_row_writer_close(&writer, &error) == LG_ERROR_ARGUMENT && !writer &&
              strstr(error.message, "20 of 100 rows"),
          "%s", error.message);
    CHECK(access(path, F_OK) != 0, "a part of a file stays");
    NEED(!lg_row_writer_open(path, &shape, NULL, &writer, &error), "%s", error.message);
    CHECK(!lg_row_writer_write(writer, image, &error), "%s", error.message);
    CHECK(lg_row_writer_write(writer, image, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "more than the 20"),
          "%s", error.message);
    lg_row_writer_discard(&writer);
    CHECK(access(path, F_OK) != 0, "a file that was dropped stays");
    lg_image_destroy(&image);
}

static void test_not_written(void)
{
    const char *path = in_folder("part.pgm");
    lg_image_params other = SHAPE(37, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_row_writer *writer = NULL;
    test_not_complete("part.pgm");
    test_not_complete("part.tif");
    test_not_complete("part.png");
    test_not_complete("part.zarr");
    test_not_complete("part.jpg");
    other.type = LG_F32;
    CHECK(lg_row_writer_open(path, &other, NULL, &writer, &error) == LG_ERROR_UNSUPPORTED, "%s",
          error.message);
    CHECK(lg_row_writer_open(in_folder("x.pfm"), &other, NULL, &writer, &error) ==
                  LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "whole"),
          "%s", error.message);
    CHECK(!lg_row_writer_can("x.webp", NULL) && !lg_row_writer_can(NULL, NULL) &&
              lg_row_writer_can("-", NULL),
          "formats");
    other.layers = 3;
    other.type = LG_U8;
    CHECK(!lg_row_writer_can_layers("x.png", NULL) && lg_row_writer_can_layers("x.pgm", NULL) &&
              lg_row_writer_open(in_folder("x.png"), &other, NULL, &writer, &error) ==
                  LG_ERROR_UNSUPPORTED,
          "%s", error.message);
    NEED(!lg_row_writer_open(in_folder("x.pgm"), &other, NULL, &writer, &error), "%s",
         error.message);
    other.layers = 1;
    other.height = 21; // one row more than a layer has
    lg_image *across = content_image(context, other, CONTENT_UNIT);
    CHECK(lg_row_writer_write(writer, across, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "of the layer"),
          "%s", error.message);
    lg_row_writer_discard(&writer);
    lg_image_destroy(&across);
    other.height = 20;
    const lg_write_params exact = {.exact = true};
    CHECK(!lg_row_writer_can("x.jpg", &exact) &&
              lg_row_writer_can("x.png", &exact) == lg_image_can_format("png"),
          "exact formats");
    other.type = LG_U8;
    CHECK(lg_row_writer_open(in_folder("x.jpg"), &other, &exact, &writer, &error) ==
                  LG_ERROR_UNSUPPORTED &&
              strstr(error.message, lg_image_can_format("jpg") ? "changes samples" : "x"),
          "%s", error.message);
    other.type = LG_U16;
    CHECK(lg_row_writer_open(in_folder("x.jpg"), &other, NULL, &writer, &error) ==
              LG_ERROR_UNSUPPORTED,
          "%s", error.message);
}

// The disk is full: a limit on the size of files stands for it.
static void test_full(void)
{
    const struct rlimit small = {60000, RLIM_INFINITY}; // less than a chunk of Zarr
    struct rlimit before;
    const lg_image_params shape = SHAPE(1000, 500, 1, 1, LG_U8, LG_ALPHA_NONE);
    static const char *const names[] = {"full.pgm", "full.npy", "full.tif",
                                        "full.png", "full.jpg", "full.zarr"};
    lg_image *image = content_image(context, shape, CONTENT_ALL_BITS);
    signal(SIGXFSZ, SIG_IGN);
    NEED(getrlimit(RLIMIT_FSIZE, &before) == 0 && setrlimit(RLIMIT_FSIZE, &small) == 0,
         "no limits");
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        if (!lg_image_can_write(names[i]))
            continue;
        CHECK(write_by_rows(image, in_folder(names[i]), NULL, 50) == LG_ERROR_IO &&
                  strstr(error.message, "cannot write"),
              "%s: %s", names[i], error.message);
        CHECK(access(in_folder(names[i]), F_OK) != 0, "%s stays", names[i]);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    lg_image_destroy(&image);
}

// What comes into a folder that is replaced, until the end, stays.
static void test_kept(void)
{
    const lg_image_params shape = SHAPE(10, 10, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *image = content_image(context, shape, CONTENT_ALL_BITS);
    lg_row_writer *writer = NULL;
    NEED(!write_by_rows(image, in_folder("kept.zarr"), NULL, 5), "%s", error.message);
    NEED(!lg_row_writer_open(in_folder("kept.zarr"), &shape, NULL, &writer, &error) &&
             !lg_row_writer_write(writer, image, &error),
         "%s", error.message);
    FILE *other = fopen(in_folder("kept.zarr/0/notes"), "w");
    NEED(other && fclose(other) == 0, "no file");
    CHECK(lg_row_writer_close(&writer, &error) == LG_ERROR_IO, "%s", error.message);
    CHECK(access(in_folder("kept.zarr/0/notes"), F_OK) == 0, "it went");
    lg_image_destroy(&image);
}

int main(void)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    NEED(mkdtemp(folder) && !lg_context_create(&params, &context, &error), "%s", error.message);
    random_seed(12);
    test_written();
    test_not_written();
    test_full();
    test_kept();
    CHECK(remove_tree(folder), "%s stays behind", folder);
    lg_context_destroy(&context);
    return check_finish("rows_written");
}
