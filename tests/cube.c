// .cube tables: what is read, and that each mistake is named with its line.
#include "check.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static char path[] = "/tmp/lumagraph-XXXXXX.cube";

static lg_status read_text(const char *text, size_t size, lg_image **out, lg_error *error)
{
    FILE *file = fopen(path, "wb");
    *out = NULL;
    CHECK(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "cannot write %s",
          path);
    lg_read_info info = {0};
    const lg_status status = lg_image_read(context, path, NULL, out, &info, error);
    CHECK(status || strcmp(info.format, "cube") == 0, "format %s", info.format);
    return status;
}

static const float *texel(const lg_image *image, int r, int g, int b)
{
    return (const float *)((const char *)image->data + (size_t)b * image->shape.layer_stride +
                           (size_t)g * image->shape.row_stride) +
           4 * r;
}

#define ROWS                                                                                       \
    "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n"                                            \
    "0.25 -1.5e-1 +3\n"

static void good_files(void)
{
    static const char *const heads[] = {
        "LUT_3D_SIZE 2\n",
        "\xef\xbb\xbfLUT_3D_SIZE 2\n",
        "# one\n#two\n\n  # three\nTITLE \"a # b\"\nLUT_3D_SIZE\t2\nDOMAIN_MAX 1.0 1 1\n",
        "TITLE\nLUT_3D_SIZE 2\r\n\r\nLUT_3D_INPUT_RANGE 0.0 1.0\r\n",
        "DOMAIN_MAX 1 1 1\nDOMAIN_MIN 0 0 0\nLUT_3D_SIZE 2   \n#end\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        for (int cut = 0; cut < 2; cut++) {
            char text[1000];
            lg_image *image;
            lg_error error = {0};
            const int length = snprintf(text, sizeof text, "%s%s", heads[i], ROWS);
            const lg_status status = read_text(text, (size_t)(length - cut), &image, &error);
            CHECK(!status, "file %zu: %s", i, error.message);
            if (status)
                continue;
            const lg_image_params *s = &image->shape;
            CHECK(s->width == 2 && s->height == 2 && s->layers == 2 && s->channels == 4 &&
                      s->type == LG_F32 && s->alpha == LG_ALPHA_OPAQUE,
                  "file %zu: %d x %d x %d", i, s->width, s->height, s->layers);
            for (int k = 0; k < 7; k++) { // the identity, but for the last row
                const float *t = texel(image, k & 1, k >> 1 & 1, k >> 2);
                CHECK(t[0] == (float)(k & 1) && t[1] == (float)(k >> 1 & 1) &&
                          t[2] == (float)(k >> 2),
                      "file %zu: entry %d is %g %g %g", i, k, (double)t[0], (double)t[1],
                      (double)t[2]);
            }
            const float *t = texel(image, 1, 1, 1);
            CHECK(t[0] == 0.25f && t[1] == -0.15f && t[2] == 3, "numbers of the last row");
            lg_image_destroy(&image);
        }
}

// What the range of a table is, and that of a row.
static void ranged_files(void)
{
    static const struct {
        const char *head;
        float least[3], most[3];
    } files[] = {
        {"LUT_1D_SIZE 3\n", {0, 0, 0}, {1, 1, 1}},
        {"DOMAIN_MIN -1 0 0.25\nDOMAIN_MAX 2 3 4\nLUT_1D_SIZE 3\n", {-1, 0, 0.25f}, {2, 3, 4}},
        {"LUT_1D_INPUT_RANGE -0.5 1.5\nLUT_1D_SIZE 3\n", {-0.5f, -0.5f, -0.5f}, {1.5f, 1.5f, 1.5f}},
        {"LUT_1D_SIZE 3\nDOMAIN_MAX 1 1 2\n", {0, 0, 0}, {1, 1, 2}},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char text[400];
        lg_image *image = NULL;
        lg_error error = {0};
        const int length =
            snprintf(text, sizeof text, "%s0 0.5 1\n0.25 2 3\n1 -1 0\n", files[i].head);
        const lg_status status = read_text(text, (size_t)length, &image, &error);
        CHECK(!status, "row %zu: %s", i, error.message);
        if (status)
            continue;
        float least[3], most[3];
        lg_image_domain(image, least, most);
        CHECK(image->shape.width == 3 && image->shape.height == 1 && image->shape.layers == 1 &&
                  texel(image, 1, 0, 0)[1] == 2 && texel(image, 2, 0, 0)[1] == -1,
              "row %zu: %d x %d", i, image->shape.width, image->shape.height);
        CHECK(memcmp(least, files[i].least, sizeof least) == 0 &&
                  memcmp(most, files[i].most, sizeof most) == 0,
              "row %zu: from %g %g %g to %g %g %g", i, (double)least[0], (double)least[1],
              (double)least[2], (double)most[0], (double)most[1], (double)most[2]);
        lg_image_destroy(&image);
    }
}

static void bad_files(void)
{
    static const struct {
        const char *text, *said;
        lg_status status;
    } files[] = {
        {"LUT_3D_SIZE 2\n0 0 0\n", "line 2 with 1 rows", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n" ROWS "0 0 0\n", "line 10: more than the 8 rows", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 0\n" ROWS, "line 2: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 0 0 0\n" ROWS, "line 2: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 nan 0\n" ROWS, "line 2: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 0x1 0\n" ROWS, "line 2: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 1e99 0\n" ROWS, "line 2: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 0 0\n\n0 1 -\n" ROWS, "line 4: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n0 0 0\nLUT_3D_SIZE 2\n" ROWS, "line 3: a row", LG_ERROR_DATA},
        {"LUT_3D_SIZE 1\n0 0 0\n", "line 1: LUT_3D_SIZE 1; allowed is 2 to 256", LG_ERROR_LIMIT},
        {"LUT_3D_SIZE 257\n", "line 1: LUT_3D_SIZE 257", LG_ERROR_LIMIT},
        {"LUT_3D_SIZE 99999999999999999999\n", "allowed is 2 to 256", LG_ERROR_LIMIT},
        {"LUT_3D_SIZE 256\n0 0 0\n", "truncated", LG_ERROR_DATA},
        {"LUT_3D_SIZE two\n", "line 1: LUT_3D_SIZE is followed by", LG_ERROR_DATA},
        {"LUT_3D_SIZE\n", "line 1: LUT_3D_SIZE is followed by", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n" ROWS, "line 2: a second", LG_ERROR_DATA},
        {"TITLE \"t\"\n" ROWS, "line 2: numbers before", LG_ERROR_DATA},
        {"TITLE \"t\"\n", "line 1 without LUT_1D_SIZE or LUT_3D_SIZE", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\n", "line 1, before its table", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MIN 0 0\n" ROWS, "line 2: DOMAIN_MIN is followed by three",
         LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MAX 2 2\n" ROWS, "line 2: DOMAIN_MAX is followed by three",
         LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MAX 1 nan 1\n" ROWS, "line 2: DOMAIN_MAX is followed by three",
         LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MAX 1 0 1\n" ROWS, "the range of green is 0 to 0", LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MIN 0 0 1.5\n" ROWS, "the range of blue is 1.5 to 1",
         LG_ERROR_DATA},
        {"LUT_3D_SIZE 2\nDOMAIN_MIN 0 0 -3e38\nDOMAIN_MAX 1 1 3e38\n" ROWS, "a range from -3e+38",
         LG_ERROR_ARGUMENT},
        {"LUT_3D_INPUT_RANGE 0\n", "line 1: LUT_3D_INPUT_RANGE is followed by two", LG_ERROR_DATA},
        {"LUT_1D_INPUT_RANGE 0 2\nLUT_3D_SIZE 2\n" ROWS, "line 1: the range of a 1-D table",
         LG_ERROR_DATA},
        {"LUT_1D_SIZE 3\n0 0 0\n1 1 1\n", "line 3 with 2 rows of the table; LUT_1D_SIZE 3 has 3",
         LG_ERROR_DATA},
        {"LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n", "more than the 2 rows of a table with LUT_1D_SIZE",
         LG_ERROR_DATA},
        {"LUT_1D_SIZE 2\n0 0 nan\n1 1 1\n", "line 2: a row", LG_ERROR_DATA},
        {"LUT_1D_SIZE 65537\n", "line 1: LUT_1D_SIZE 65537; allowed is 2 to 65536", LG_ERROR_LIMIT},
        {"LUT_1D_SIZE 65536\n0 0 0\n", "truncated", LG_ERROR_DATA},
        {"LUT_1D_SIZE 2\nLUT_1D_SIZE 2\n", "line 2: a second LUT_1D_SIZE", LG_ERROR_DATA},
        {"LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n" ROWS, "line 2: a 1-D and a 3-D table",
         LG_ERROR_UNSUPPORTED},
        {"LUT_3D_SIZE 2\nGAMMA 2\n", "line 2: unknown keyword 'GAMMA 2'", LG_ERROR_DATA},
        {"hello\n", "line 1: unknown keyword 'hello'", LG_ERROR_DATA}, // by its name it is a table
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        lg_image *image;
        lg_error error = {0};
        const lg_status status = read_text(files[i].text, strlen(files[i].text), &image, &error);
        CHECK(status == files[i].status && !image && strstr(error.message, files[i].said),
              "file %zu: %s, %s", i, lg_status_name(status), error.message);
        lg_image_destroy(&image);
    }
    char text[3000] = "LUT_3D_SIZE 2\n#";
    lg_image *image;
    lg_error error = {0};
    memset(text + 15, 'x', sizeof text - 15);
    CHECK(read_text(text, sizeof text, &image, &error) == LG_ERROR_DATA &&
              strstr(error.message, "line 2: longer"),
          "a long line: %s", error.message);
    memcpy(text, "LUT_3D_SIZE 2\n0 0\0 0\n", 22);
    CHECK(read_text(text, 22, &image, &error) == LG_ERROR_DATA &&
              strstr(error.message, "line 2: a zero byte"),
          "a zero byte: %s", error.message);
}

static void damaged_files(void)
{
    static const char whole[] = "TITLE \"t\"\nLUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\n" ROWS;
    for (int round = 0; round < (test_is_short() ? 300 : 3000); round++) {
        char text[sizeof whole];
        memcpy(text, whole, sizeof whole);
        for (uint32_t k = 1 + random_below(4); k > 0; k--)
            text[random_below(sizeof whole - 1)] =
                random_below(3) ? " \n#-.e09LT\r"[random_below(11)] : (char)random_below(256);
        const size_t size = random_below(3) ? sizeof whole - 1 : random_below(sizeof whole);
        lg_image *image;
        lg_error error = {0};
        const lg_status status = read_text(text, size, &image, &error);
        CHECK(status ? !image && error.message[0] && !strchr(error.message, '\n') : image != NULL,
              "round %d: %s", round, error.message);
        lg_image_destroy(&image);
    }
}

int main(void)
{
    random_seed(11);
    lg_error error = {0};
    const int fd = mkstemps(path, 5);
    const lg_context_params params = lg_context_params_default();
    lg_context_params cpu = params;
    cpu.device = LG_DEVICE_CPU;
    cpu.threads = 1;
    if (fd < 0 || lg_context_create(&cpu, &context, &error) != LG_OK) {
        printf("cannot start: %s\n", error.message);
        return 1;
    }
    close(fd);
    good_files();
    ranged_files();
    bad_files();
    damaged_files();
    unlink(path);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("cube");
}
