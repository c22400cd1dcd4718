// Image files: round trips of the built-in formats, hostile headers, outputs that appear whole.
#include "check.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static lg_context *context;
static char folder[] = "/tmp/lumagraph-io-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static size_t sample_size(const lg_image_params *shape)
{
    return lg_type_size(shape->type);
}

static uint8_t *row_of(const lg_image *image, int32_t layer, int32_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

// ---- round trips --------------------------------------------------------------------------------

// Random samples; the padding channel of RGB stays zero, as readers leave it.
static lg_image *make(lg_image_params shape)
{
    lg_image *image = NULL;
    lg_error error = {0};
    NEED(lg_image_create(context, &shape, &image, &error) == LG_OK, "%s", error.message);
    if (!image)
        return NULL;
    size_t sample = sample_size(&shape), pixel = sample * (size_t)shape.channels;
    for (int32_t layer = 0; layer < shape.layers; layer++)
        for (int32_t y = 0; y < shape.height; y++) {
            uint8_t *row = row_of(image, layer, y);
            random_bytes(row, pixel * (size_t)shape.width);
            for (int32_t x = 0; x < shape.width && shape.alpha == LG_ALPHA_OPAQUE; x++)
                memset(row + (size_t)x * pixel + 3 * sample, 0, sample);
        }
    return image;
}

static bool same_pixels(const lg_image *a, const lg_image *b)
{
    size_t bytes = sample_size(&a->shape) * (size_t)a->shape.channels * (size_t)a->shape.width;
    for (int32_t layer = 0; layer < a->shape.layers; layer++)
        for (int32_t y = 0; y < a->shape.height; y++)
            if (memcmp(row_of(a, layer, y), row_of(b, layer, y), bytes) != 0)
                return false;
    return true;
}

static void round_trip(const char *name, lg_image_params shape)
{
    lg_error error = {0};
    lg_image *image = make(shape), *back = NULL;
    if (!image)
        return;
    const char *path = in_folder(name);
    lg_status status = lg_image_write(image, path, NULL, &error);
    CHECK(status == LG_OK, "%s: write: %s", name, error.message);
    if (status == LG_OK)
        status = lg_image_read(context, path, NULL, &back, NULL, &error);
    CHECK(status == LG_OK, "%s: read: %s", name, error.message);
    if (back) {
        CHECK(back->shape.width == shape.width && back->shape.height == shape.height &&
                  back->shape.layers == shape.layers && back->shape.channels == shape.channels &&
                  back->shape.type == shape.type && back->shape.alpha == shape.alpha,
              "%s: shape %d x %d x %d x %d, type %d, alpha %d", name, back->shape.width,
              back->shape.height, back->shape.layers, back->shape.channels, (int)back->shape.type,
              (int)back->shape.alpha);
        CHECK(same_pixels(image, back), "%s: pixels", name);
    }
    lg_image_destroy(&image);
    lg_image_destroy(&back);
    unlink(path);
}

static void round_trips(void)
{
    static const lg_alpha alphas[] = {LG_ALPHA_NONE, LG_ALPHA_NONE, LG_ALPHA_STRAIGHT,
                                      LG_ALPHA_OPAQUE, LG_ALPHA_STRAIGHT};
    static const int sizes[][2] = {{1, 1}, {1, 7}, {13, 1}, {17, 9}, {129, 33}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int channels = 1; channels <= 4; channels++)
            for (int type = 0; type < LG_TYPES; type++) {
                lg_image_params shape = {.width = sizes[s][0],
                                         .height = sizes[s][1],
                                         .layers = 1,
                                         .channels = channels == 3 ? 4 : channels,
                                         .type = (lg_type)type,
                                         .alpha = alphas[channels]};
                bool integer = type == LG_U8 || type == LG_U16;
                round_trip("a.npy", shape);
                if (integer) {
                    round_trip("a.pam", shape);
                    round_trip("a.pnm", shape);
                }
                if (type == LG_F32 && (channels == 1 || channels == 3))
                    round_trip("a.pfm", shape);
                shape.layers = 5;
                round_trip("layers.npy", shape);
                if (integer)
                    round_trip("layers.pnm", shape);
#ifdef LG_HAVE_TIFF
                round_trip("layers.tif", shape);
#endif
                shape.layers = 1;
#ifdef LG_HAVE_TIFF
                round_trip("a.tif", shape);
#endif
#ifdef LG_HAVE_VIPS
                if (integer)
                    round_trip("a.png", shape);
                if (type == LG_U8 && channels == 3)
                    round_trip("a.webp", shape);
#endif
            }
}

// ---- files written by hand ----------------------------------------------------------------------

static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "cannot write %s",
          path);
    return path;
}

static lg_image *read_bytes(const char *name, const void *bytes, size_t size)
{
    lg_image *image = NULL;
    lg_error error = {0};
    lg_status status =
        lg_image_read(context, write_bytes(name, bytes, size), NULL, &image, NULL, &error);
    CHECK(status == LG_OK, "%s: %s", name, error.message);
    return image;
}

#define READ(text) read_bytes("hand", text, sizeof text - 1)

static void expect_u8(lg_image *image, const uint8_t *expected, size_t count)
{
    CHECK(image && image->shape.type == LG_U8 && memcmp(image->data, expected, count) == 0,
          "u8 samples");
    lg_image_destroy(&image);
}

static void known_files(void)
{
    expect_u8(READ("P1 # bits\n3 1\n0 1\n0"), (uint8_t[]){255, 0, 255}, 3);
    expect_u8(READ("P1\n3 1\n010"), (uint8_t[]){255, 0, 255}, 3);
    expect_u8(READ("P4\n9 1\n\x40\x80"), (uint8_t[]){255, 0, 255, 255, 255, 255, 255, 255, 0}, 9);
    expect_u8(READ("P2\n2 1 255\n7\n 200 "), (uint8_t[]){7, 200}, 2);
    expect_u8(READ("P3\n1 1\n255\n1 2 3\n"), (uint8_t[]){1, 2, 3, 0}, 4);
    expect_u8(READ("P5\n#comment\n2 1\n15\n\x01\x0f"), (uint8_t[]){1, 15}, 2);
    expect_u8(READ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\n"
                   "# c\nENDHDR\n\x05\x06"),
              (uint8_t[]){5, 6}, 2);
    lg_image *wide = READ("P5 2 1 65535\n\x01\x02\xff\xfe");
    CHECK(wide && wide->shape.type == LG_U16 && ((uint16_t *)wide->data)[0] == 0x0102 &&
              ((uint16_t *)wide->data)[1] == 0xfffe,
          "16-bit PGM is big endian");
    lg_image_destroy(&wide);
    lg_image *up = READ("Pf\n1 2\n-1\n\0\0\x80\x3f\0\0\0\x40"); // bottom row 1, top row 2
    CHECK(up && *(float *)row_of(up, 0, 0) == 2 && *(float *)row_of(up, 0, 1) == 1,
          "PFM rows go up");
    lg_image_destroy(&up);
    lg_image *big = READ("Pf\n1 1\n1.0\n\x3f\x80\0\0");
    CHECK(big && *(float *)big->data == 1, "big-endian PFM");
    lg_image_destroy(&big);
}

// An NPY file of version 1 with this header text and these samples.
static size_t npy(uint8_t *out, const char *header, const void *samples, size_t bytes)
{
    size_t length = strlen(header);
    memcpy(out, "\x93NUMPY\x01\0", 8);
    out[8] = (uint8_t)length;
    out[9] = (uint8_t)(length >> 8);
    memcpy(out + 10, header, length);
    memcpy(out + 10 + length, samples, bytes);
    return 10 + length + bytes;
}

#define NPY(type, shape) "{'descr': '" type "', 'fortran_order': False, 'shape': " shape ", }\n"

static lg_status read_npy(const char *header, const void *samples, size_t bytes, lg_image **out,
                          lg_error *error)
{
    uint8_t file[4096];
    const char *path = write_bytes("hand.npy", file, npy(file, header, samples, bytes));
    return lg_image_read(context, path, NULL, out, NULL, error);
}

static void npy_types(void)
{
    lg_error error = {0};
    lg_image *image = NULL;
    CHECK(read_npy(NPY(">u2", "(1, 2)"), "\x01\x02\x03\x04", 4, &image, &error) == LG_OK &&
              ((uint16_t *)image->data)[1] == 0x0304,
          "big-endian u16: %s", error.message);
    lg_image_destroy(&image);
    const double good[2] = {0.5, -3}, bad[2] = {0.1, 0};
    CHECK(read_npy(NPY("<f8", "(1, 2)"), good, sizeof good, &image, &error) == LG_OK &&
              image->shape.type == LG_F32 && ((float *)image->data)[1] == -3,
          "f64 that f32 holds: %s", error.message);
    lg_image_destroy(&image);
    CHECK(read_npy(NPY("<f8", "(1, 2)"), bad, sizeof bad, &image, &error) == LG_ERROR_UNSUPPORTED,
          "f64 that f32 does not hold");
    const int64_t integers[2] = {-16777216, INT64_MIN}, odd[2] = {16777217, 0};
    CHECK(read_npy(NPY("<i8", "(1, 2)"), integers, sizeof integers, &image, &error) == LG_OK &&
              ((float *)image->data)[1] == -0x1p63f,
          "i64: %s", error.message);
    lg_image_destroy(&image);
    CHECK(read_npy(NPY("<i8", "(1, 2)"), odd, sizeof odd, &image, &error) == LG_ERROR_UNSUPPORTED,
          "i64 beyond 24 bits");
    CHECK(read_npy(NPY("|b1", "(2, 1)"), "\0\1", 2, &image, &error) == LG_OK &&
              row_of(image, 0, 1)[0] == 1,
          "bool: %s", error.message);
    lg_image_destroy(&image);
    CHECK(read_npy(NPY("|u1", "(2, 3, 5)"), integers, 16, &image, &error) == LG_ERROR_DATA,
          "too short");
    uint8_t thirty[30] = {0};
    CHECK(read_npy(NPY("|u1", "(2, 3, 5)"), thirty, 30, &image, &error) == LG_OK &&
              image->shape.layers == 2 && image->shape.height == 3 && image->shape.width == 5,
          "L x H x W: %s", error.message);
    lg_image_destroy(&image);
    CHECK(read_npy(NPY("|u1", "(2, 5, 3)"), thirty, 30, &image, &error) == LG_OK &&
              image->shape.layers == 1 && image->shape.channels == 4,
          "H x W x C: %s", error.message);
    lg_image_destroy(&image);
}

// The same array in both orders is the same image. `axes` are its sides, of
// samples of `sample` bytes.
static void both_orders(const char *type, const int *axes, int count)
{
    static uint8_t c_order[1 << 16], columns[1 << 16], file[(1 << 16) + 256];
    const size_t sample = (size_t)(type[2] - '0');
    size_t total = 1;
    char shape[64] = "", header[200];
    for (int i = 0; i < count; i++) {
        total *= (size_t)axes[i];
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%d, ", axes[i]);
    }
    for (size_t i = 0; i < total * sample; i++)
        c_order[i] = (uint8_t)random_below(60); // numbers that are finite and not too large
    for (size_t i = 0; i < total; i++) {
        size_t rest = i, at = 0, step = total;
        int index[4];
        for (int k = count; k-- > 0; rest /= (size_t)axes[k])
            index[k] = (int)(rest % (size_t)axes[k]);
        for (int k = count; k-- > 0;) {
            step /= (size_t)axes[k];
            at += (size_t)index[k] * step;
        }
        memcpy(columns + at * sample, c_order + i * sample, sample);
    }
    lg_image *image[2] = {0};
    for (int order = 0; order < 2; order++) {
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n",
                 type, order ? "True" : "False", shape);
        lg_read_params params = WITH(lg_read_params, it.convert = true);
        lg_error error = {0};
        const char *path = write_bytes(
            "hand.npy", file, npy(file, header, order ? columns : c_order, total * sample));
        CHECK(lg_image_read(context, path, &params, &image[order], NULL, &error) == LG_OK, "%s: %s",
              header, error.message);
    }
    CHECK(image[0] && image[1] && image[0]->shape.layers == image[1]->shape.layers &&
              image[0]->shape.channels == image[1]->shape.channels &&
              image[0]->shape.width == image[1]->shape.width && same_pixels(image[0], image[1]),
          "%s (%s)", type, shape);
    lg_image_destroy(&image[0]);
    lg_image_destroy(&image[1]);
}

static void fortran_order(void)
{
    static const char *const types[] = {"|u1", "<u2", ">u2", "<f2", "<f4", ">f4", "<f8", "<i4"};
    static const int axes[][4] = {{1, 1},       {7, 5},       {1, 9},      {9, 1},
                                  {60, 70},     {5, 6, 3},    {6, 5, 2},   {3, 7, 9},
                                  {2, 3, 4, 3}, {3, 4, 5, 1}, {2, 5, 6, 4}};
    static const int counts[] = {2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            both_orders(types[t], axes[i], counts[i]);
}

// Doubles that f32 does not hold are rounded where that is asked for, and nowhere else.
static void npy_rounding(void)
{
    uint8_t file[512];
    const double values[2] = {0.1, -3}, large[2] = {1e300, 0};
    lg_read_params params = lg_read_params_default();
    lg_read_info info = {0};
    lg_error error = {0};
    lg_image *image = NULL;
    const char *path = write_bytes("hand.npy", file, npy(file, NPY("<f8", "(1, 2)"), values, 16));
    CHECK(lg_image_read(context, path, &params, &image, &info, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "--convert"),
          "%s", error.message);
    params.convert = true;
    CHECK(lg_image_read(context, path, &params, &image, &info, &error) == LG_OK &&
              ((float *)image->data)[0] == 0.1f && strstr(info.note, "rounded"),
          "%s", error.message);
    lg_image_destroy(&image);
    path = write_bytes("hand.npy", file, npy(file, NPY("<f8", "(1, 2)"), large, 16));
    CHECK(lg_image_read(context, path, &params, &image, &info, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "beyond"),
          "%s", error.message);
}

// ---- hostile files ------------------------------------------------------------------------------

static void refuse(const char *name, const void *bytes, size_t size, lg_status expected)
{
    lg_image *image = NULL;
    lg_error error = {0};
    lg_status status =
        lg_image_read(context, write_bytes("hostile", bytes, size), NULL, &image, NULL, &error);
    CHECK(status != LG_OK && (expected == LG_OK || status == expected) && !image &&
              error.message[0] && !strchr(error.message, '\n'),
          "%s: status %s, %s", name, lg_status_name(status), error.message);
    lg_image_destroy(&image);
}

#define REFUSE(text, status) refuse(text, text, sizeof text - 1, status)

static void hostile_headers(void)
{
    REFUSE("P5\n2 2\n255\nabc", LG_ERROR_DATA);
    REFUSE("P5\n2 2\n255", LG_ERROR_DATA);
    REFUSE("P5\n2 2\n", LG_ERROR_DATA);
    REFUSE("P5\n", LG_ERROR_DATA);
    REFUSE("P5\n-2 2\n255\nabcd", LG_ERROR_DATA);
    REFUSE("P5\n0 2\n255\n", LG_ERROR_DATA);
    REFUSE("P5\n2 2\n0\nabcd", LG_ERROR_DATA);
    REFUSE("P5\n2 2\n65536\nabcdabcd", LG_ERROR_DATA);
    REFUSE("P5\n2 2\nx\nabcd", LG_ERROR_DATA);
    REFUSE("P5\n1 1\n255\naxyz", LG_ERROR_DATA);
    REFUSE("P5\n1 1\n255\na\0", LG_ERROR_DATA);
    REFUSE("P6\n100000000 100000000\n255\nabc", LG_ERROR_LIMIT);
    REFUSE("P6\n16000000 16000000\n255\nabc", LG_ERROR_LIMIT);
    REFUSE("P6\n16384 16384\n255\nabc", LG_ERROR_DATA);
    REFUSE("P6\n18446744073709551617 1\n255\nabc", LG_ERROR_LIMIT);
    REFUSE("P6\n99999999999999999999999999999999 99999999999999999999999999\n255\n",
           LG_ERROR_LIMIT);
    REFUSE("P2\n2 1\n255\n7 x", LG_ERROR_DATA);
    REFUSE("P2\n2 1\n255\n7 256", LG_ERROR_DATA);
    REFUSE("P2\n2 1\n255\n7 -6", LG_ERROR_DATA);
    REFUSE("P1\n3 1\n0 2 0", LG_ERROR_DATA);
    REFUSE("P4\n9 1\n\x40", LG_ERROR_DATA);
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde", LG_ERROR_UNSUPPORTED);
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 0\nMAXVAL 255\nENDHDR\n", LG_ERROR_DATA);
    REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n", LG_ERROR_DATA);
    REFUSE("P7\nWIDTH\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\na", LG_ERROR_DATA);
    REFUSE("P5\n1 1\n255\naP5\n2 1\n255\nbb", LG_ERROR_UNSUPPORTED);
    REFUSE("P5\n1 1\n255\naP5\n1 1\n255\n", LG_ERROR_DATA);
    REFUSE("Pf\n1 1\n0\nabcd", LG_ERROR_DATA);
    REFUSE("Pf\n1 1\nnan\nabcd", LG_ERROR_DATA);
    REFUSE("Pf\n1 1\n-1\nabc", LG_ERROR_DATA);
    REFUSE("Pf\n-1 1\n-1\nabcd", LG_ERROR_DATA);
    REFUSE("PF\n99999999999 1\n-1\n", LG_ERROR_LIMIT);
    REFUSE("\x93NUMPY", LG_ERROR_DATA);
    REFUSE("\x93NUMPY\x09\0\1\0a", LG_ERROR_UNSUPPORTED);
    REFUSE("\x93NUMPY\x02\0\xff\xff\xff\xff", LG_ERROR_LIMIT);
    REFUSE("\x93NUMPY\x01\0\x10\0{}", LG_ERROR_DATA);
    REFUSE("", LG_ERROR_DATA);
    REFUSE("hello, this is a text file\n", LG_OK);
    static const struct {
        const char *header;
        lg_status status;
    } npys[] = {
        {NPY("<f4", "(4294967296, 4294967296)"), LG_ERROR_LIMIT},
        {NPY("<f4", "(16384, 16384)"), LG_ERROR_DATA},
        {NPY("<f4", "(65536, 65536, 65536, 4)"), LG_ERROR_LIMIT},
        {NPY("<f4", "(0, 4)"), LG_ERROR_DATA},
        {NPY("<f4", "(-1, 4)"), LG_ERROR_DATA},
        {NPY("<f4", "(4,)"), LG_ERROR_UNSUPPORTED},
        {NPY("<f4", "()"), LG_ERROR_UNSUPPORTED},
        {NPY("<f4", "(1, 1, 1, 1, 1)"), LG_ERROR_UNSUPPORTED},
        {NPY("<f4", "(2, 2, 2, 9)"), LG_ERROR_UNSUPPORTED},
        {NPY("<f4", "(2, 2"), LG_ERROR_DATA},
        {NPY("<c8", "(1, 1)"), LG_ERROR_UNSUPPORTED},
        {NPY("|O", "(1, 1)"), LG_ERROR_UNSUPPORTED},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }\n",
         LG_ERROR_UNSUPPORTED},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n", LG_ERROR_DATA},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (0, 2), }\n", LG_ERROR_DATA},
        {"{'descr': '<f4', 'shape': (2, 2), }\n", LG_ERROR_DATA},
        {"{'descr': '<f4', 'fortran_order': False}\n", LG_ERROR_DATA},
        {"{'descr", LG_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof npys / sizeof npys[0]; i++) {
        uint8_t file[512];
        refuse(npys[i].header, file, npy(file, npys[i].header, "abcd", 4), npys[i].status);
    }
}

// Bytes flipped and files cut at random: an error or an image, never more.
static void damaged_files(void)
{
    static const char *const names[] = {"d.npy", "d.pam", "d.pfm", "d.pnm"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        uint8_t file[4096], damaged[4096];
        lg_image *image = make((lg_image_params){
            .width = 5, .height = 4, .layers = 1, .channels = 1, .type = n == 2 ? LG_F32 : LG_U8});
        const char *path = in_folder(names[n]);
        CHECK(lg_image_write(image, path, NULL, NULL) == LG_OK, "%s", path);
        lg_image_destroy(&image);
        FILE *stream = fopen(path, "rb");
        size_t size = stream ? fread(file, 1, sizeof file, stream) : 0;
        if (stream)
            fclose(stream);
        CHECK(size > 20, "%s: %zu bytes", path, size);
        for (int round = 0; round < 400; round++) {
            memcpy(damaged, file, size);
            for (uint32_t i = random_below(4); i < 4; i++)
                damaged[random_below((uint32_t)LG_MAX_CHANNELS * 30 % (uint32_t)size)] =
                    (uint8_t)random_below(256);
            size_t cut = random_below(3) ? size : random_below((uint32_t)size);
            lg_read_params params = {.max_pixels = 1 << 20, .max_side = 1 << 20, .page = -1};
            lg_image *back = NULL;
            lg_error error = {0};
            lg_status status = lg_image_read(context, write_bytes("damaged", damaged, cut), &params,
                                             &back, NULL, &error);
            CHECK((status == LG_OK) == (back != NULL) && (status == LG_OK || error.message[0]),
                  "%s round %d: %s", names[n], round, error.message);
            lg_image_destroy(&back);
        }
    }
}

// ---- outputs ------------------------------------------------------------------------------------

static long file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static void outputs(void)
{
    lg_error error = {0};
    lg_output *output = NULL;
    const char *path = write_bytes("out", "old", 3);
    CHECK(lg_output_open(path, &output, &error) == LG_OK, "%s", error.message);
    fputs("something new", lg_output_stream(output));
    fflush(lg_output_stream(output));
    CHECK(file_size(path) == 3, "the old file stays until the new one is complete");
    lg_output_discard(&output);
    CHECK(!output && file_size(path) == 3, "discard leaves the old file");
    CHECK(lg_output_open(path, &output, &error) == LG_OK, "%s", error.message);
    fputs("something new", lg_output_stream(output));
    CHECK(lg_output_commit(&output, &error) == LG_OK && !output && file_size(path) == 13,
          "commit replaces: %s", error.message);
    char missing[PATH_MAX + 8];
    snprintf(missing, sizeof missing, "%s/none/x.pgm", folder);
    CHECK(lg_output_open(missing, &output, &error) == LG_ERROR_IO && !output, "missing folder");
    CHECK(lg_output_open(folder, &output, &error) == LG_ERROR_IO && !output, "a folder");
    lg_image *image = make((lg_image_params){
        .width = 300, .height = 300, .layers = 1, .channels = 2, .alpha = LG_ALPHA_STRAIGHT});
    CHECK(lg_image_write(image, in_folder("x.ppm"), NULL, &error) == LG_ERROR_UNSUPPORTED &&
              file_size(in_folder("x.ppm")) < 0,
          "a format that cannot hold the image leaves nothing");
    CHECK(lg_image_write(image, in_folder("x.xyz"), NULL, &error) == LG_ERROR_UNSUPPORTED,
          "unknown format");
    lg_image_destroy(&image);
    if (access("/dev/full", W_OK) == 0) {
        CHECK(lg_output_open("/dev/full", &output, &error) == LG_OK, "%s", error.message);
        fputs("no room", lg_output_stream(output));
        CHECK(lg_output_commit(&output, &error) == LG_ERROR_IO, "a full device");
    } else {
        check_skip("no /dev/full");
    }
    unlink(in_folder("out"));
}

// What a symbolic link points at is written, whether it is there yet or not.
static void links(void)
{
    static const char *const targets[] = {"made", "./made", "again"};
    lg_error error = {0};
    char link[PATH_MAX], again[PATH_MAX];
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(again, sizeof again, "%s/again", folder);
    CHECK(symlink("made", again) == 0, "cannot link");
    for (int i = 0; i < 4; i++) {
        lg_output *output = NULL;
        const char *made = in_folder("made");
        struct stat status;
        CHECK(symlink(i < 3 ? targets[i] : made, link) == 0, "cannot link");
        CHECK(lg_output_open(link, &output, &error) == LG_OK, "%s", error.message);
        fputs("text", lg_output_stream(output));
        CHECK(lg_output_commit(&output, &error) == LG_OK && file_size(in_folder("made")) == 4, "%s",
              error.message);
        CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link stays one");
        unlink(in_folder("made"));
        unlink(link);
    }
    lg_output *output = NULL;
    CHECK(symlink("link", link) == 0, "cannot link");
    CHECK(lg_output_open(link, &output, &error) == LG_ERROR_IO && !output, "a link to itself");
    unlink(link);
    unlink(again);
}

// ---- what makes no sense ------------------------------------------------------------------------

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        lg_error error = {LG_OK, ""};                                                              \
        CHECK((call) == LG_ERROR_ARGUMENT && error.message[0], "%s: %s", #call, error.message);    \
    } while (0)

static void refusals(void)
{
    const lg_image_params shape = {
        .width = 2, .height = 2, .layers = 1, .channels = 1, .type = LG_U8};
    lg_image *image = make(shape), *none = NULL;
    lg_graph *graph = NULL;
    lg_output *output = NULL;
    lg_labels labels = {0};
    REFUSED(lg_image_read(NULL, "a.pgm", NULL, &none, NULL, &error));
    REFUSED(lg_image_read(context, NULL, NULL, &none, NULL, &error));
    REFUSED(lg_image_read(context, "a.pgm", NULL, NULL, NULL, &error));
    REFUSED(lg_image_write(NULL, "a.pgm", NULL, &error));
    REFUSED(lg_image_write(image, NULL, NULL, &error));
    REFUSED(lg_labels_write(NULL, &labels, "a.pgm", NULL, &error));
    REFUSED(lg_labels_write(context, NULL, "a.pgm", NULL, &error));
    REFUSED(lg_labels_write(context, &labels, NULL, NULL, &error));
    REFUSED(lg_output_open(NULL, &output, &error));
    REFUSED(lg_output_open("a.pgm", NULL, &error));
    REFUSED(lg_output_commit(NULL, &error));
    REFUSED(lg_output_commit(&output, &error));
#ifdef LG_HAVE_JANSSON
    REFUSED(lg_graph_read(NULL, &graph, &error));
    REFUSED(lg_graph_read("a.json", NULL, &error));
#endif
    const lg_image elsewhere = {shape, NULL};
    REFUSED(lg_image_write(&elsewhere, "a.pgm", NULL, &error));
    lg_output_discard(NULL);
    lg_output_discard(&output);
    lg_metadata_destroy(NULL);
    CHECK(!none && !graph && !output && !lg_output_stream(NULL), "outputs are untouched");
    CHECK(!lg_image_can_write(NULL) && !lg_image_can_format(NULL), "NULL is no format");
    lg_image_destroy(&image);
}

// ---- several threads ----------------------------------------------------------------------------

#ifdef LG_HAVE_VIPS
#define OF_THREADS "png"
#else
#define OF_THREADS "npy"
#endif

#define ROUNDS 8

typedef struct job {
    pthread_t thread;
    lg_image *image;
    char path[PATH_MAX];
    int right;
} job;

// Writes its image and reads it again, and a file that is no image in between.
static void *write_and_read(void *argument)
{
    job *j = argument;
    lg_context *own = NULL;
    lg_error error = {LG_OK, ""};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    if (lg_context_create(&params, &own, &error))
        return NULL;
    for (int i = 0; i < ROUNDS; i++) {
        lg_image *back = NULL;
        if (lg_image_read(own, "/dev/null", NULL, &back, NULL, &error) == LG_ERROR_DATA &&
            !lg_image_write(j->image, j->path, NULL, &error) &&
            !lg_image_read(own, j->path, NULL, &back, NULL, &error))
            j->right += same_pixels(j->image, back);
        lg_image_destroy(&back);
    }
    lg_context_destroy(&own);
    return NULL;
}

static void threads(void)
{
    static job jobs[4];
    const lg_image_params shape = {
        .width = 40, .height = 30, .layers = 1, .channels = 1, .type = LG_U16};
    for (int i = 0; i < 4; i++) {
        snprintf(jobs[i].path, sizeof jobs[i].path, "%s/%d." OF_THREADS, folder, i);
        jobs[i].image = make(shape);
        CHECK(pthread_create(&jobs[i].thread, NULL, write_and_read, &jobs[i]) == 0, "thread %d", i);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(jobs[i].thread, NULL);
        CHECK(jobs[i].right == ROUNDS, "%d of %d files are right in thread %d", jobs[i].right,
              ROUNDS, i);
        lg_image_destroy(&jobs[i].image);
        unlink(jobs[i].path);
    }
}

// ---- a process that is ended while a thread makes files -------------------------------------------

static void *make_files(void *path)
{
    lg_error error;
    for (lg_output *output = NULL;; lg_output_discard(&output))
        if (lg_output_open(path, &output, &error) != LG_OK)
            return NULL;
}

// What a handler does in one thread, at any moment of the other.
static void endings(void)
{
    int left = 0;
    for (int i = 0; i < 300; i++) {
        const uint32_t microseconds = random_below(1500);
        const pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            char path[PATH_MAX];
            snprintf(path, sizeof path, "%s/ended", folder);
            if (pthread_create(&thread, NULL, make_files, path))
                _exit(1);
            usleep(microseconds);
            lg_output_unlink_all();
            _exit(0);
        }
        int status = 1;
        NEED(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child");
        left += access(in_folder(".lumagraph-0.tmp"), F_OK) == 0;
    }
    CHECK(left == 0, "%d of 100 ended processes left a file", left);
}

int main(void)
{
    random_seed(7);
    lg_error error = {0};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    if (!mkdtemp(folder) || lg_context_create(&params, &context, &error) != LG_OK) {
        printf("cannot start: %s\n", error.message);
        return 1;
    }
    round_trips();
    known_files();
    npy_types();
    fortran_order();
    npy_rounding();
    hostile_headers();
    damaged_files();
    outputs();
    links();
    refusals();
    threads();
    endings();
    static const char *const left[] = {"hand",  "hand.npy", "hostile", "damaged",
                                       "d.npy", "d.pam",    "d.pfm",   "d.pnm"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        unlink(in_folder(left[i]));
    CHECK(rmdir(folder) == 0, "%s holds files that should be gone", folder);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("io");
}
