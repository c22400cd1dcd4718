// TIFF files of every layout and sample type, written byte by byte: each sample that is read is the
// one that was stored, or the refusal says what to do.
#include "check.h"
#include "tiff_bytes.h"
#include <lumagraph/io.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LG_HAVE_TIFF

static lg_context *context;
static char path[] = "/tmp/lumagraph-tiff-XXXXXX";

#define MAX_SAMPLES (96 * 96 * 7)
static uint64_t raw[MAX_SAMPLES];

// ---- reading ------------------------------------------------------------------------------------

static lg_status read_bytes(const uint8_t *data, size_t size, const lg_read_params *params,
                            lg_image **out, lg_read_info *info, lg_error *error)
{
    unlink(path); // a file system may wait for the disk when an old file becomes another
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "cannot write %s",
          path);
    *error = (lg_error){0};
    *out = NULL;
    return lg_image_read(context, path, params, out, info, error);
}

// More than four channels are layers.
static const void *sample_of(const lg_image *image, int x, int y, int channel)
{
    const lg_image_params *s = &image->shape;
    const size_t layer = s->channels == 1 ? (size_t)channel : 0;
    channel = s->channels == 1 ? 0 : channel;
    return (const uint8_t *)image->data + layer * s->layer_stride + (size_t)y * s->row_stride +
           ((size_t)x * (size_t)s->channels + (size_t)channel) * lg_type_size(s->type);
}

// ---- what is expected, from the bits alone ------------------------------------------------------

static double float_of(uint64_t bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const double fraction = (double)(bits & ((UINT64_C(1) << fraction_bits) - 1));
    const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(1 + ldexp(fraction, -fraction_bits), exponent - bias);
}

static double value_of(const tiff_layout *l, uint64_t bits)
{
    if (l->format == 3)
        return l->bits == 16   ? float_of(bits, 5, 10)
               : l->bits == 24 ? float_of(bits, 7, 16)
               : l->bits == 32 ? float_of(bits, 8, 23)
                               : float_of(bits, 11, 52);
    if (l->format == 2 && bits >> (l->bits - 1) & 1)
        return -(double)((l->bits == 64 ? 0 : UINT64_C(1) << l->bits) - bits);
    return l->bits == 1 ? 255.0 * (double)bits : (double)bits;
}

static lg_type type_of(const tiff_layout *l)
{
    if (l->format == 3)
        return l->bits == 16 ? LG_F16 : LG_F32;
    return l->format == 2 || l->bits > 16 ? LG_F32 : l->bits > 8 ? LG_U16 : LG_U8;
}

static double read_value(const lg_image *image, int x, int y, int channel)
{
    const void *at = sample_of(image, x, y, channel);
    uint16_t half;
    float real;
    switch (image->shape.type) {
    case LG_U8:
        return *(const uint8_t *)at;
    case LG_F32:
        memcpy(&real, at, sizeof real);
        return (double)real;
    default:
        memcpy(&half, at, sizeof half);
        return image->shape.type == LG_U16 ? half : float_of(half, 5, 10);
    }
}

// Bits of a sample whose value f32 holds: 24 significant ones, finite.
static uint64_t random_sample(const tiff_layout *l)
{
    uint64_t bits = random_u64();
    if (l->format == 3) {
        // 0x7c00, 0x7f0000 ...: without the lowest bit of the exponent nothing is infinite.
        const int fraction = l->bits == 16 ? 10 : l->bits == 24 ? 16 : l->bits == 32 ? 23 : 52;
        bits &= ~(UINT64_C(1) << fraction);
        if (l->bits == 64) { // a float's exponent and fraction
            const double value = float_of(random_u64() & 0xbfffffff, 8, 23);
            memcpy(&bits, &value, sizeof bits);
        }
    } else if (l->bits > 24) {
        const int shift = (int)random_below((uint32_t)l->bits - 24);
        bits = (bits & 0xffffff) << shift;
        if (l->format == 2 && random_below(2))
            bits = 0 - bits;
    }
    return l->bits == 64 ? bits : bits & ((UINT64_C(1) << l->bits) - 1);
}

// ---- every kind ---------------------------------------------------------------------------------

static void compare(const tiff_layout *l, const lg_image *image, const char *name)
{
    const lg_image_params *s = &image->shape;
    const int channels = l->samples > 4 ? 1 : l->samples == 3 ? 4 : l->samples;
    CHECK(s->width == l->width && s->height == l->height &&
              s->layers == (l->samples > 4 ? l->samples : 1) && s->channels == channels &&
              s->type == type_of(l),
          "%s: %d x %d x %d, %d channels, %s", name, s->width, s->height, s->layers, s->channels,
          lg_type_name(s->type));
    int wrong = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            for (int c = 0; c < l->samples; c++) {
                const uint64_t bits =
                    raw[((size_t)y * (size_t)l->width + (size_t)x) * (size_t)l->samples +
                        (size_t)c];
                const double found = read_value(image, x, y, c), wanted = value_of(l, bits);
                if (found != wanted && wrong++ == 0)
                    printf("%s: (%d, %d) channel %d is %.17g, not %.17g\n", name, x, y, c, found,
                           wanted);
            }
    CHECK(wrong == 0, "%s: %d samples differ", name, wrong);
}

static void check_layout(const tiff_layout *l, bool big_endian, bool wide)
{
    char name[160];
    tiff_bytes file;
    lg_image *image = NULL;
    lg_error error;
    snprintf(name, sizeof name, "%s %s, %d x %d of %d, %d bits format %d, blocks %d x %d%s, %d",
             wide ? "BigTIFF" : "TIFF", big_endian ? "MM" : "II", l->width, l->height, l->samples,
             l->bits, l->format, l->block_width, l->block_height, l->planes ? " planes" : "",
             l->compression);
    for (size_t i = 0; i < (size_t)l->width * (size_t)l->height * (size_t)l->samples; i++)
        raw[i] = random_sample(l);
    tiff_start(&file, big_endian, wide);
    tiff_add(&file, l, raw);
    CHECK(read_bytes(file.data, file.size, NULL, &image, NULL, &error) == LG_OK, "%s: %s", name,
          error.message);
    if (image)
        compare(l, image, name);
    lg_image_destroy(&image);
    tiff_free(&file);
}

static const struct {
    int bits, format;
} kinds[] = {
    {1, 1},  {2, 1},  {3, 1},  {4, 1},  {5, 1},  {6, 1},  {7, 1},  {8, 1},  {9, 1},  {10, 1},
    {11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}, {16, 1}, {17, 1}, {20, 1}, {24, 1}, {25, 1},
    {29, 1}, {31, 1}, {32, 1}, {64, 1}, {2, 2},  {5, 2},  {8, 2},  {11, 2}, {12, 2}, {16, 2},
    {18, 2}, {24, 2}, {30, 2}, {32, 2}, {64, 2}, {16, 3}, {24, 3}, {32, 3}, {64, 3},
};

static void every_kind(void)
{
    static const int sizes[][2] = {{1, 1}, {13, 9}, {37, 29}, {70, 33}};
    static const int blocks[][2] = {{0, 0}, {0, 1}, {0, 7}, {16, 16}, {32, 16}};
    static const int schemes[] = {0, TIFF_LZW, TIFF_DEFLATE, TIFF_PACKBITS};
    int turn = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int samples = 1; samples <= 4; samples++)
            for (int b = 0; b < 5; b++)
                for (int planes = 0; planes <= (samples > 1); planes++, turn++) {
                    const tiff_layout l = {
                        .width = sizes[turn % 4][0],
                        .height = sizes[turn % 4][1],
                        .samples = samples,
                        .bits = kinds[k].bits,
                        .format = kinds[k].format,
                        .photometric = samples >= 3 ? 2 : 1,
                        .compression = schemes[turn / 4 % 4],
                        .block_width = blocks[b][0],
                        .block_height = blocks[b][1],
                        .planes = planes,
                        .extra = samples % 2 ? -1 : 2,
                    };
                    check_layout(&l, turn % 3 == 0, turn % 5 == 0);
                }
}

// Each channel is a layer, whatever it is called; one can be had by itself.
static void many_channels(void)
{
    static const int samples[] = {5, 6, 7};
    int turn = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k += 3)
        for (int planes = 0; planes < 2; planes++, turn++) {
            const tiff_layout l = {.width = 37,
                                   .height = 29,
                                   .samples = samples[turn % 3],
                                   .bits = kinds[k].bits,
                                   .format = kinds[k].format,
                                   .photometric = turn % 2 ? 2 : 1,
                                   .compression = turn % 5 ? TIFF_DEFLATE : 0,
                                   .block_width = turn % 4 < 2 ? 16 : 0,
                                   .block_height = turn % 4 < 2 ? 32
                                                   : turn % 8   ? 0
                                                                : 5,
                                   .planes = planes,
                                   .extra = -1};
            check_layout(&l, turn % 3 == 0, turn % 5 == 0);
        }
}

// Two pages of five channels: the axes, one channel of both pages, one of one page.
static void channels_of_pages(void)
{
    tiff_layout l = {.width = 3, .height = 2, .samples = 5, .bits = 8, .format = 1, .extra = -1};
    for (int planes = 0; planes < 2; planes++) {
        tiff_bytes file;
        lg_image *image = NULL;
        lg_read_info info;
        lg_error error;
        lg_layer_choice choice = {.channel = 3, .time = -1};
        lg_read_params params = lg_read_params_default();
        l.planes = planes;
        tiff_start(&file, false, false);
        for (int number = 0; number < 2; number++) {
            for (uint64_t i = 0; i < 30; i++)
                raw[i] = (uint64_t)number * 100 + i;
            tiff_add(&file, &l, raw);
        }
        CHECK(read_bytes(file.data, file.size, &params, &image, &info, &error) == LG_OK &&
                  image->shape.layers == 10 && read_value(image, 1, 1, 7) == 100 + 4 * 5 + 2 &&
                  info.axes[0].name == 'P' && info.axes[0].size == 2 && info.axes[1].name == 'C' &&
                  info.axes[1].size == 5 && info.mixed,
              "all: %s", error.message);
        lg_image_destroy(&image);
        params.layers = &choice;
        CHECK(read_bytes(file.data, file.size, &params, &image, &info, &error) == LG_OK &&
                  image->shape.layers == 2 && read_value(image, 2, 1, 1) == 100 + 5 * 5 + 3 &&
                  !info.mixed,
              "a channel: %s", error.message);
        lg_image_destroy(&image);
        params.page = 1;
        CHECK(read_bytes(file.data, file.size, &params, &image, &info, &error) == LG_OK &&
                  image->shape.layers == 1 && read_value(image, 2, 1, 0) == 100 + 5 * 5 + 3,
              "a channel of a page: %s", error.message);
        lg_image_destroy(&image);
        choice.channel = 5;
        CHECK(read_bytes(file.data, file.size, &params, &image, &info, &error) ==
                      LG_ERROR_ARGUMENT &&
                  strstr(error.message, "there are channels 0 to 4"),
              "%s", error.message);
        tiff_free(&file);
    }
}

// ---- meaning ------------------------------------------------------------------------------------

static lg_image *read_page(const tiff_layout *l, lg_read_info *info)
{
    tiff_bytes file;
    lg_image *image = NULL;
    lg_error error;
    tiff_start(&file, false, false);
    tiff_add(&file, l, raw);
    CHECK(read_bytes(file.data, file.size, NULL, &image, info, &error) == LG_OK, "%s",
          error.message);
    tiff_free(&file);
    return image;
}

static const tiff_layout grey = {
    .width = 2, .height = 2, .samples = 1, .bits = 8, .format = 1, .photometric = 1, .extra = -1};

static void white_is_zero(void)
{
    tiff_layout l = grey;
    lg_read_info info;
    l.photometric = 0;
    raw[0] = 10, raw[1] = 20, raw[2] = 30, raw[3] = 40;
    lg_image *image = read_page(&l, &info);
    CHECK(image && read_value(image, 0, 0, 0) == 10 && read_value(image, 1, 1, 0) == 40,
          "samples are as stored");
    CHECK(strstr(info.note, "0 is white"), "the note says it: %s", info.note);
    lg_image_destroy(&image);
}

static void alphas(void)
{
    static const lg_alpha expected[] = {LG_ALPHA_NONE, LG_ALPHA_PREMULTIPLIED, LG_ALPHA_STRAIGHT};
    tiff_layout l = grey;
    for (int samples = 2; samples <= 4; samples += 2)
        for (int extra = 0; extra <= 2; extra++) {
            l.samples = samples;
            l.photometric = samples == 4 ? 2 : 1;
            l.extra = extra;
            for (int i = 0; i < 16; i++)
                raw[i] = (uint64_t)(i * 7 + 3);
            lg_image *image = read_page(&l, NULL);
            CHECK(image && image->shape.alpha == expected[extra], "extra sample %d", extra);
            for (int i = 0; image && i < 4 * samples; i++)
                CHECK(read_value(image, i / samples % 2, i / samples / 2, i % samples) ==
                          (double)raw[i],
                      "extra sample %d: sample %d", extra, i);
            lg_image_destroy(&image);
        }
}

// The entries of a palette are 8 bits in either of two ways, or 16 bits.
static void check_palette(int bits, uint64_t factor, uint64_t low, lg_type type)
{
    static uint64_t colors[3 << 16];
    const size_t entries = (size_t)1 << bits;
    for (size_t i = 0; i < 3 * entries; i++)
        colors[i] = random_below(256) * factor + random_below((uint32_t)low + 1);
    colors[0] = 255 * factor;
    const tiff_tag map = {320, TIFF_SHORT, (uint32_t)(3 * entries), colors, NULL};
    const tiff_layout l = {.width = 31,
                           .height = 20,
                           .samples = 1,
                           .bits = bits,
                           .format = 1,
                           .photometric = 3,
                           .extra = -1,
                           .tags = &map,
                           .tag_count = 1};
    for (size_t i = 0; i < 31 * 20; i++)
        raw[i] = random_below((uint32_t)entries);
    lg_image *image = read_page(&l, NULL);
    CHECK(image && image->shape.type == type && image->shape.alpha == LG_ALPHA_OPAQUE,
          "palette of %d bits", bits);
    int wrong = 0;
    for (int i = 0; image && i < 31 * 20; i++)
        for (int c = 0; c < 3; c++) {
            const uint64_t entry = colors[(size_t)c * entries + raw[i]];
            const double wanted = (double)(type == LG_U8 ? entry / factor : entry);
            wrong += read_value(image, i % 31, i / 31, c) != wanted;
        }
    CHECK(wrong == 0, "palette of %d bits: %d samples differ", bits, wrong);
    lg_image_destroy(&image);
}

static void palettes(void)
{
    static const int bits[] = {1, 2, 4, 8, 12, 16};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        check_palette(bits[i], 257, 0, LG_U8);
        check_palette(bits[i], 1, 0, LG_U8);
        check_palette(bits[i], 256, 255, LG_U16);
    }
}

static void lab(void)
{
    tiff_layout l = grey;
    lg_read_info info;
    l.samples = 3;
    l.photometric = 8;
    raw[0] = 200, raw[1] = 0x80, raw[2] = 0x7f;
    memset(raw + 3, 0, 9 * sizeof *raw);
    lg_image *image = read_page(&l, &info);
    CHECK(image && info.lab && read_value(image, 0, 0, 0) == 200 &&
              read_value(image, 0, 0, 1) == -128 && read_value(image, 0, 0, 2) == 127,
          "a and b are signed");
    lg_image_destroy(&image);
}

static void no_data(void)
{
    const tiff_tag tag = {42113, TIFF_ASCII, 6, NULL, "-9999"};
    tiff_layout l = grey;
    lg_read_info info;
    l.bits = 32, l.format = 3, l.tags = &tag, l.tag_count = 1;
    raw[0] = raw[3] = 0xc61c3c00; // -9999
    raw[1] = raw[2] = 0x41a00000; // 20
    lg_image *image = read_page(&l, &info);
    CHECK(image && strstr(info.note, "2 samples are -9999"), "the note counts them: %s", info.note);
    lg_image_destroy(&image);
    raw[0] = raw[3] = 0;
    image = read_page(&l, &info);
    CHECK(image && info.note[0] == '\0', "no fill, no note: %s", info.note);
    lg_image_destroy(&image);
    // Colours, of which the fourth sample in memory is no sample of the file.
    const tiff_tag zero = {42113, TIFF_ASCII, 2, NULL, "0"};
    tiff_layout rgb = grey;
    rgb.samples = 3, rgb.photometric = 2, rgb.tags = &zero, rgb.tag_count = 1;
    for (int i = 0; i < 12; i++)
        raw[i] = i == 5 ? 0 : 7;
    image = read_page(&rgb, &info);
    CHECK(image && strstr(info.note, "1 samples are 0,"), "samples of colours: %s", info.note);
    lg_image_destroy(&image);
}

// ---- rounding -----------------------------------------------------------------------------------

static void check_rounding(int bits, int format, uint64_t sample, float wanted)
{
    tiff_layout l = grey;
    tiff_bytes file;
    lg_image *image = NULL;
    lg_read_info info;
    lg_error error;
    lg_read_params params = lg_read_params_default();
    l.bits = bits, l.format = format;
    raw[0] = sample, raw[1] = raw[2] = raw[3] = 0;
    tiff_start(&file, false, false);
    tiff_add(&file, &l, raw);
    CHECK(read_bytes(file.data, file.size, &params, &image, &info, &error) ==
                  LG_ERROR_UNSUPPORTED &&
              strstr(error.message, isinf(wanted) ? "beyond" : "--convert"),
          "%d bits: %s", bits, error.message);
    params.convert = true;
    const lg_status status = read_bytes(file.data, file.size, &params, &image, &info, &error);
    if (isinf(wanted))
        CHECK(status == LG_ERROR_UNSUPPORTED, "beyond f32 whatever is allowed");
    else
        CHECK(status == LG_OK && read_value(image, 0, 0, 0) == (double)wanted &&
                  strstr(info.note, "rounded"),
              "%d bits: %s", bits, error.message);
    lg_image_destroy(&image);
    tiff_free(&file);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void rounding(void)
{
    check_rounding(64, 3, bits_of(0.1), 0.1f);
    check_rounding(64, 3, bits_of(1e300), INFINITY);
    check_rounding(64, 3, bits_of(1e-300), 0);
    check_rounding(32, 1, 0xffffffff, 0x1p32f);
    check_rounding(32, 2, 0x80000001, -0x1p31f);
    check_rounding(64, 1, UINT64_MAX, 0x1p64f);
    check_rounding(25, 1, 0x1ffffff, 0x1p25f);
}

// ---- refusals -----------------------------------------------------------------------------------

static void refuse(const tiff_layout *l, lg_status status, const char *words)
{
    tiff_bytes file;
    lg_image *image = NULL;
    lg_error error;
    memset(raw, 0, sizeof raw);
    tiff_start(&file, false, false);
    tiff_add(&file, l, raw);
    const lg_status found = read_bytes(file.data, file.size, NULL, &image, NULL, &error);
    CHECK(found == status && !image && strstr(error.message, words), "'%s': status %d, %s", words,
          (int)found, error.message);
    lg_image_destroy(&image);
    tiff_free(&file);
}

#define REFUSE(status, words, ...)                                                                 \
    do {                                                                                           \
        tiff_layout l = grey;                                                                      \
        __VA_ARGS__;                                                                               \
        refuse(&l, status, words);                                                                 \
    } while (0)

static void refusals(void)
{
    const uint64_t two = 2;
    const tiff_tag depth = {32997, TIFF_LONG, 1, &two, NULL};
    REFUSE(LG_ERROR_UNSUPPORTED, "34712", l.declared = 34712);
    REFUSE(LG_ERROR_UNSUPPORTED, "old-style JPEG", l.declared = 6);
    REFUSE(LG_ERROR_UNSUPPORTED, "LogLuv", l.declared = 34676);
    REFUSE(LG_ERROR_UNSUPPORTED, "complex", l.format = 6, l.bits = 64);
    REFUSE(LG_ERROR_UNSUPPORTED, "complex", l.format = 5, l.bits = 32);
    REFUSE(LG_ERROR_UNSUPPORTED, "48 bits", l.bits = 48);
    REFUSE(LG_ERROR_UNSUPPORTED, "8 bits", l.format = 3);
    REFUSE(LG_ERROR_UNSUPPORTED, "YCbCr", l.samples = 3, l.photometric = 6);
    REFUSE(LG_ERROR_UNSUPPORTED, "raw converter", l.photometric = 32803);
    REFUSE(LG_ERROR_UNSUPPORTED, "raw converter", l.photometric = 34892);
    REFUSE(LG_ERROR_UNSUPPORTED, "ImageDepth", l.tags = &depth, l.tag_count = 1);
    REFUSE(LG_ERROR_DATA, "", l.photometric = 3, l.bits = 4); // no palette
    REFUSE(LG_ERROR_LIMIT, "tiles", l.compression = TIFF_DEFLATE, l.block_width = 16384,
           l.block_height = 16384, l.width = 1, l.height = 1);
}

// ---- damage -------------------------------------------------------------------------------------

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value, at[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, value), put_u16(at + 2, value >> 16);
}

// Directories that would keep a reader busy for hours.
static void endless(void)
{
    static uint8_t file[1 << 20];
    lg_image *image = NULL;
    lg_error error;
    memcpy(file, "II\x2a\0\x08\0\0\0", 8);
    put_u16(file + 8, 1);
    put_u16(file + 10, 270), put_u16(file + 12, 2), put_u32(file + 14, 1 << 19);
    put_u32(file + 18, 64), put_u32(file + 22, 8); // itself again
    CHECK(read_bytes(file, sizeof file, NULL, &image, NULL, &error) == LG_ERROR_DATA &&
              strstr(error.message, "circle"),
          "%s", error.message);
    for (uint32_t i = 0; i < 200; i++) { // each with the same text of half a megabyte
        uint8_t *directory = file + 8 + 18 * i;
        memcpy(directory, file + 8, 14);
        put_u32(directory + 14, i < 199 ? 8 + 18 * (i + 1) : 0);
    }
    CHECK(read_bytes(file, sizeof file, NULL, &image, NULL, &error) == LG_ERROR_LIMIT, "%s",
          error.message);
    put_u32(file + 14, 0xffffffff), put_u32(file + 22, 0);
    CHECK(read_bytes(file, sizeof file, NULL, &image, NULL, &error) == LG_ERROR_LIMIT, "%s",
          error.message);
    put_u16(file + 8, 65535); // tags that nobody knows, each once
    for (uint32_t i = 0; i < 65535; i++) {
        put_u16(file + 10 + 12 * i, i), put_u16(file + 12 + 12 * i, 1);
        put_u32(file + 14 + 12 * i, 1);
    }
    CHECK(read_bytes(file, sizeof file, NULL, &image, NULL, &error) == LG_ERROR_DATA, "%s",
          error.message);
    put_u32(file + 4, 0);
    CHECK(read_bytes(file, sizeof file, NULL, &image, NULL, &error) == LG_ERROR_DATA, "%s",
          error.message);
}

// A sample file for damage: every few rounds another layout.
static void make_file(tiff_bytes *file, int turn)
{
    static const int schemes[] = {0, TIFF_LZW, TIFF_DEFLATE, TIFF_PACKBITS};
    const tiff_layout l = {.width = 20,
                           .height = 17,
                           .samples = 1 + turn % 4,
                           .bits = kinds[turn % 39].bits,
                           .format = kinds[turn % 39].format,
                           .photometric = turn % 4 >= 2 ? 2 : 1,
                           .compression = schemes[turn / 4 % 4],
                           .block_width = turn % 3 ? 0 : 16,
                           .block_height = turn % 3 ? 5 : 16,
                           .planes = turn % 4 && turn % 5 == 0,
                           .extra = turn % 2 ? 2 : -1};
    for (size_t i = 0; i < 20 * 17 * 4; i++)
        raw[i] = random_sample(&l);
    tiff_start(file, turn % 7 == 0, turn % 11 == 0);
    for (int page = 0; page < 1 + turn % 2; page++)
        tiff_add(file, &l, raw);
}

// Files that are cut, and bytes that are others: an error or an image, never more.
static void damage(void)
{
    const int rounds = test_is_short() ? 300 : 3000;
    const lg_read_params params = {.max_pixels = 1 << 20, .max_side = 1 << 20, .page = -1};
    for (int round = 0; round < rounds; round++) {
        tiff_bytes file;
        lg_image *image = NULL;
        lg_read_info info;
        lg_error error;
        make_file(&file, round);
        const size_t cut = random_below(3) ? file.size : random_below((uint32_t)file.size);
        const uint32_t directory = (uint32_t)file.size / 2;
        for (uint32_t i = random_below(4); i < 4; i++)
            file.data[random_below(2) ? random_below((uint32_t)file.size)
                                      : directory + random_below((uint32_t)file.size - directory)] =
                (uint8_t)random_below(256);
        const lg_status status = read_bytes(file.data, cut, &params, &image, &info, &error);
        CHECK((status == LG_OK) == (image != NULL) && (status == LG_OK || error.message[0]) &&
                  !strchr(error.message, '\n'),
              "round %d: %s", round, error.message);
        lg_image_destroy(&image);
        tiff_free(&file);
    }
}

// What is cut off is missed, wherever the cut is.
static void cuts(void)
{
    for (int turn = 0; turn < 24; turn++) {
        tiff_bytes file;
        make_file(&file, turn);
        for (size_t cut = 0; cut < file.size; cut += 1 + file.size / 40) {
            lg_image *image = NULL;
            lg_error error;
            CHECK(read_bytes(file.data, cut, NULL, &image, NULL, &error) != LG_OK && !image,
                  "layout %d: %zu of %zu bytes", turn, cut, file.size);
            lg_image_destroy(&image);
        }
        tiff_free(&file);
    }
}

int main(void)
{
    lg_error error = {0};
    const lg_context_params params =
        WITH(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 1);
    const int file = mkstemp(path);
    random_seed(23);
    if (file < 0 || close(file) != 0 || lg_context_create(&params, &context, &error) != LG_OK) {
        printf("cannot start: %s\n", error.message);
        return 1;
    }
    every_kind();
    many_channels();
    channels_of_pages();
    white_is_zero();
    alphas();
    palettes();
    lab();
    no_data();
    rounding();
    refusals();
    endless();
    cuts();
    damage();
    unlink(path);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("tiff");
}

#else

int main(void)
{
    check_skip("this build has no libtiff");
    return check_finish("tiff");
}

#endif
