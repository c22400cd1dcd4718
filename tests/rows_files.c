// Image files by rows: every part that is read is that of the whole image, whatever the format, the height
// of the bands and their order; damage and changes are found.
#include "check.h"
#include "samples.h"
#include <lumagraph/rows.h>

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef LG_HAVE_TIFF
#include <tiffio.h>
#endif

static lg_context *context;
static lg_error error;
static char folder[] = "/tmp/lumagraph-rows-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static uint8_t *row_of(const lg_image *image, int32_t layer, int64_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static size_t pixel_of(const lg_image_params *s)
{
    return lg_type_size(s->type) * (size_t)s->channels;
}

// ---- what is read -------------------------------------------------------------------------------

static bool same_part(const lg_image *part, const lg_image *whole, int32_t layer,
                      const lg_region *r)
{
    const size_t pixel = pixel_of(&whole->shape);
    for (int64_t y = 0; y < r->height; y++)
        if (memcmp(row_of(part, 0, y), row_of(whole, layer, r->y + y) + (size_t)r->x * pixel,
                   pixel * (size_t)r->width) != 0)
            return false;
    return true;
}

static lg_image *image_for(const lg_image_params *shape, const lg_region *r)
{
    lg_image_params s = *shape;
    s.width = (int32_t)r->width;
    s.height = (int32_t)r->height;
    s.layers = 1;
    s.row_stride = s.layer_stride = 0;
    return image_zeros(context, s);
}

static void check_part(lg_row_reader *rows, const lg_image *whole, int32_t layer, lg_region r,
                       const char *name)
{
    lg_image *part = image_for(&whole->shape, &r);
    const lg_status status = lg_row_reader_read(rows, layer, &r, part, &error);
    CHECK(!status && same_part(part, whole, layer, &r), "%s: %lldx%lld+%lld+%lld of layer %d: %s",
          name, (long long)r.width, (long long)r.height, (long long)r.x, (long long)r.y, layer,
          status ? error.message : "other pixels");
    lg_image_destroy(&part);
}

static void check_bands(lg_row_reader *rows, const lg_image *whole, int64_t height,
                        const char *name)
{
    const lg_image_params *s = &whole->shape;
    for (int32_t layer = 0; layer < s->layers; layer++)
        for (int64_t y = 0; y < s->height; y += height)
            check_part(rows, whole, layer,
                       (lg_region){0, y, s->width, LG_MIN(height, s->height - y)}, name);
}

// Bands of several heights, a part, and rows from the last to the first.
static void check_file(const char *name, const lg_read_params *params, bool holds_all)
{
    static const int64_t heights[] = {1, 7, 32, 100};
    lg_image *whole = NULL;
    lg_row_reader *rows = NULL;
    lg_read_info info = {0}, told = {0};
    const char *path = in_folder(name);
    NEED(!lg_image_read(context, path, params, &whole, &info, &error), "%s: %s", name,
         error.message);
    NEED(!lg_row_reader_open(context, path, params, &rows, &told, &error), "%s: %s", name,
         error.message);
    const lg_image_params *s = lg_row_reader_shape(rows), *w = &whole->shape;
    CHECK(s->width == w->width && s->height == w->height && s->layers == w->layers &&
              s->channels == w->channels && s->type == w->type && s->alpha == w->alpha,
          "%s: %d x %d x %d, %d channels", name, s->width, s->height, s->layers, s->channels);
    CHECK(strcmp(info.format, told.format) == 0, "%s: %s and %s", name, info.format, told.format);
    CHECK(lg_row_reader_holds_all(rows) == holds_all, "%s: held whole: %d", name, !holds_all);
    const int first = test_is_short() ? 1 : 0;
    for (size_t i = (size_t)first; i < LG_COUNT(heights); i++)
        check_bands(rows, whole, heights[i], name);
    const int32_t last = w->layers - 1;
    check_part(rows, whole, last, (lg_region){5, 9, 6, 11}, name);
    check_part(rows, whole, last, (lg_region){w->width - 1, w->height - 1, 1, 1}, name);
    for (int64_t y = w->height - 20; y >= 0; y -= 13)
        check_part(rows, whole, 0, (lg_region){0, y, w->width, 20}, name);
    lg_row_reader_note(rows, &told);
    CHECK(strcmp(info.note, told.note) == 0, "%s: \"%s\" and \"%s\"", name, info.note, told.note);
    lg_row_reader_close(&rows);
    lg_image_destroy(&whole);
}

static void write_image(const char *name, lg_image_params shape)
{
    lg_image *image = content_image(context, shape, CONTENT_ALL_BITS);
    const size_t sample = lg_type_size(shape.type);
    for (int32_t z = 0; z < shape.layers && shape.alpha == LG_ALPHA_OPAQUE; z++)
        for (int64_t i = 0; i < (int64_t)shape.width * shape.height; i++)
            memset(row_of(image, z, i / shape.width) + (size_t)(i % shape.width) * 4 * sample +
                       3 * sample,
                   0, sample);
    NEED(!lg_image_write(image, in_folder(name), NULL, &error), "%s: %s", name, error.message);
    lg_image_destroy(&image);
}

static void write_bytes(const char *name, const void *head, size_t head_size, const void *data,
                        size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    NEED(file && fwrite(head, 1, head_size, file) == head_size &&
             fwrite(data, 1, size, file) == size && fclose(file) == 0,
         "cannot write %s", name);
}

static void test_built_in(void)
{
    static const struct {
        const char *name;
        lg_image_params shape;
    } files[] = {
        {"g8.pgm", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE)},
        {"c8.ppm", SHAPE(37, 141, 3, 4, LG_U8, LG_ALPHA_OPAQUE)},
        {"a16.pam", SHAPE(21, 109, 2, 4, LG_U16, LG_ALPHA_STRAIGHT)},
        {"c16.npy", SHAPE(37, 141, 1, 4, LG_U16, LG_ALPHA_OPAQUE)},
        {"s16.npy", SHAPE(37, 141, 3, 1, LG_F16, LG_ALPHA_NONE)},
        {"f32.npy", SHAPE(37, 141, 2, 4, LG_F32, LG_ALPHA_STRAIGHT)},
        {"g.pfm", SHAPE(37, 141, 1, 1, LG_F32, LG_ALPHA_NONE)},
        {"c.pfm", SHAPE(37, 141, 1, 4, LG_F32, LG_ALPHA_OPAQUE)},
    };
    for (size_t i = 0; i < LG_COUNT(files); i++) {
        write_image(files[i].name, files[i].shape);
        check_file(files[i].name, NULL, false);
    }
    lg_read_params page = lg_read_params_default();
    page.page = 1;
    check_file("c8.ppm", &page, false);
    check_file("s16.npy", &page, false);
    page.page = 3;
    lg_row_reader *rows = NULL;
    CHECK(lg_row_reader_open(context, in_folder("c8.ppm"), &page, &rows, NULL, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "page"),
          "%s", error.message);
}

// Layouts that only other programs write.
static void test_by_hand(void)
{
    static uint8_t data[64 * 141 * 8];
    random_bytes(data, sizeof data);
    write_bytes("bits.pbm", "P4\n61 141\n", 10, data, 8 * 141);
    check_file("bits.pbm", NULL, false);
    char header[128];
    const struct {
        const char *name, *descr, *order;
        size_t sample;
        bool whole;
    } arrays[] = {{"big.npy", ">u2", "False", 2, false},
                  {"i16.npy", "<i2", "False", 2, false},
                  {"i8.npy", "|i1", "False", 1, false},
                  {"bool.npy", "|b1", "False", 1, false},
                  {"columns.npy", "<u2", "True", 2, true}};
    for (size_t i = 0; i < LG_COUNT(arrays); i++) {
        memset(header, ' ', sizeof header);
        const int length = snprintf(header + 10, sizeof header - 10,
                                    "{'descr': '%s', 'fortran_order': %s, 'shape': (141, 37), }",
                                    arrays[i].descr, arrays[i].order);
        header[10 + length] = ' ';
        memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
        header[127] = '\n';
        write_bytes(arrays[i].name, header, 128, data, 37 * 141 * arrays[i].sample);
        check_file(arrays[i].name, NULL, arrays[i].whole);
    }
    char text[3000] = "P2 11 80 99\n";
    for (int k = 0; k < 11 * 80; k++)
        snprintf(text + strlen(text), 4, "%d ", k % 100);
    write_bytes("text.pgm", text, strlen(text), "", 0);
    check_file("text.pgm", NULL, true);
}

#ifdef LG_HAVE_TIFF

typedef struct layout {
    const char *name, *mode;
    uint16_t samples, bits, planar, scheme, format;
    uint32_t tile, strip; // sides of tiles, rows of strips
    int height, width;    // width 0: 75
    uint32_t more;        // rows than fit in each strip
    uint16_t predictor;   // 0: none
} layout;

// A page of random samples, written by libtiff.
static void write_tiff(const layout *l)
{
    const int width = l->width ? l->width : 75;
    TIFF *tiff = TIFFOpen(in_folder(l->name), l->mode);
    NEED(tiff, "cannot write %s", l->name);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, l->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, l->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, l->samples);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, l->format);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, l->planar);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, l->scheme);
    if (l->predictor)
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, l->predictor);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 l->samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (l->tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, l->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, l->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, l->strip);
    }
    const tmsize_t bytes = l->tile ? TIFFTileSize(tiff) : TIFFVStripSize(tiff, l->strip + l->more);
    uint8_t *block = malloc((size_t)bytes);
    NEED(block, "no memory");
    const uint32_t count = l->tile ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        random_bytes(block, (size_t)bytes);
        const tmsize_t rest = l->tile ? bytes : TIFFVStripSize(tiff, l->strip + l->more);
        for (tmsize_t k = 0; k < bytes && l->scheme != COMPRESSION_NONE; k++)
            block[k] &= 3; // something to compress
        for (tmsize_t k = 3; k < bytes && l->format == SAMPLEFORMAT_IEEEFP; k += 4)
            block[k] = block[k - 3] = 0x3f; // numbers, in both byte orders
        good &= (l->tile ? TIFFWriteEncodedTile(tiff, i, block, rest)
                         : TIFFWriteEncodedStrip(tiff, i, block, rest)) > 0;
    }
    CHECK(good, "%s was not written", l->name);
    free(block);
    TIFFClose(tiff);
}

static void test_tiff(void)
{
    // Large strips without compression are those above 4 MiB.
    static const layout layouts[] = {
        {"tiles.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 32, 0, 141},
        {"tiles3.tif", "w8", 3, 16, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 16, 0, 141},
        {"planes.tif", "w", 3, 8, PLANARCONFIG_SEPARATE, COMPRESSION_LZW, 1, 48, 0, 141},
        {"strips.tif", "w", 3, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 0, 50, 141},
        {"strip.tif", "w", 1, 32, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 3, 0, 141, 141},
        {"stripes.tif", "w", 3, 16, PLANARCONFIG_SEPARATE, COMPRESSION_LZW, 1, 0, 20, 141},
        {"tiles7.tif", "w", 7, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 32, 0, 141},
        {"planes5.tif", "w", 5, 16, PLANARCONFIG_SEPARATE, COMPRESSION_LZW, 1, 16, 0, 141},
        {"strips6.tif", "w", 6, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 0, 50, 141},
        {"stripes5.tif", "w", 5, 16, PLANARCONFIG_SEPARATE, COMPRESSION_LZW, 1, 0, 20, 141},
        {"i16.tif", "wb", 1, 16, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 2, 0, 9, 141},
        {"bits.tif", "w", 1, 1, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 1, 0, 9, 141},
        {"large.tif", "wl", 1, 16, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 1, 0, 30000, 30000},
        {"largeb.tif", "wb", 1, 32, PLANARCONFIG_CONTIG, COMPRESSION_NONE, 3, 0, 16000, 16000},
        {"largep.tif", "wb", 3, 16, PLANARCONFIG_SEPARATE, COMPRESSION_NONE, 1, 0, 30000, 30000},
    };
    for (size_t i = 0; i < LG_COUNT(layouts); i++) {
        write_tiff(&layouts[i]);
        if (layouts[i].height == 141) {
            check_file(layouts[i].name, NULL, false);
            continue;
        }
        lg_image *whole = NULL;
        lg_row_reader *rows = NULL;
        NEED(
            !lg_image_read(context, in_folder(layouts[i].name), NULL, &whole, NULL, &error) &&
                !lg_row_reader_open(context, in_folder(layouts[i].name), NULL, &rows, NULL, &error),
            "%s", error.message);
        CHECK(lg_row_reader_memory(rows) < 1 << 20, "%s holds %zu bytes", layouts[i].name,
              lg_row_reader_memory(rows));
        check_bands(rows, whole, 4001, layouts[i].name);
        check_part(rows, whole, 0, (lg_region){7, 12345, 31, 9}, layouts[i].name);
        lg_row_reader_close(&rows);
        lg_image_destroy(&whole);
        unlink(in_folder(layouts[i].name));
    }
    write_image("stack.tif", SHAPE(37, 141, 3, 4, LG_U8, LG_ALPHA_STRAIGHT));
    check_file("stack.tif", NULL, false);
}

// Bytes in the middle of a file become others.
static void damage(const char *name)
{
    FILE *file = fopen(in_folder(name), "r+b");
    NEED(file && fseek(file, 0, SEEK_END) == 0, "%s", name);
    const long size = ftell(file);
    NEED(fseek(file, size / 2, SEEK_SET) == 0, "%s", name);
    for (int i = 0; i < 3000; i++)
        fputc(0xa5, file);
    NEED(fclose(file) == 0, "%s", name);
}

static void check_damage(const char *name, const lg_read_params *slow, lg_context *one)
{
    lg_image *a = NULL, *b = NULL;
    lg_error why, other;
    damage(name);
    const lg_status alone = lg_image_read(one, in_folder(name), slow, &a, NULL, &why);
    const lg_status several = lg_image_read(context, in_folder(name), NULL, &b, NULL, &other);
    CHECK(alone == several && (!alone || strcmp(why.message, other.message) == 0), "%s: %s; %s",
          name, alone ? why.message : "good", several ? other.message : "good");
    for (int32_t z = 0; !alone && !several && z < a->shape.layers; z++)
        for (int64_t y = 0; y < a->shape.height; y++)
            if (memcmp(row_of(a, z, y), row_of(b, z, y),
                       pixel_of(&a->shape) * (size_t)a->shape.width) != 0) {
                CHECK(false, "%s, damaged: row %lld of layer %d", name, (long long)y, z);
                break;
            }
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// Several threads, and strips that are decoded whole, read what one thread reads row by row.
static void test_decoders(void)
{
    static const layout layouts[] = {
        {"d1.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701},
        {"d2.tif", "w8", 3, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 16, 777, 701},
        {"d3.tif", "w", 3, 8, PLANARCONFIG_SEPARATE, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701},
        {"d4.tif", "w", 2, 16, PLANARCONFIG_SEPARATE, COMPRESSION_DEFLATE, 1, 0, 777, 777, 701},
        {"d5.tif", "wb", 1, 32, PLANARCONFIG_CONTIG, COMPRESSION_DEFLATE, 3, 0, 7, 777, 701},
        {"dm.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701,
         3},
        {"p1.tif", "w", 3, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701, 0,
         2},
        {"p2.tif", "wb", 1, 16, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701,
         3, 2},
        {"p3.tif", "w", 3, 16, PLANARCONFIG_SEPARATE, COMPRESSION_ADOBE_DEFLATE, 1, 0, 9, 777, 701,
         0, 2},
        {"p4.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 0, 50, 777, 701, 2,
         2},
        {"p5.tif", "w", 1, 32, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 3, 0, 50, 777, 701,
         0, 3},
        {"d6.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 0, 50, 777, 701},
        {"d7.tif", "w", 1, 8, PLANARCONFIG_CONTIG, COMPRESSION_ADOBE_DEFLATE, 1, 64, 0, 777, 701},
        {"d8.tif", "w", 5, 8, PLANARCONFIG_SEPARATE, COMPRESSION_LZW, 1, 96, 0, 777, 701},
        {"d9.tif", "w", 3, 8, PLANARCONFIG_CONTIG, COMPRESSION_LZW, 1, 800, 0, 777, 701},
    };
    static const int64_t heights[] = {33, 200, 777};
    lg_read_params slow = lg_read_params_default();
    lg_context_params four = lg_context_params_default();
    lg_context *const one = context;
    slow.spare_memory = 0;
    four.device = LG_DEVICE_CPU;
    four.threads = 4;
    NEED(!lg_context_create(&four, &context, &error), "%s", error.message);
    for (size_t i = 0; i < LG_COUNT(layouts); i++) {
        const char *name = layouts[i].name;
        lg_image *wanted = NULL, *got = NULL;
        lg_row_reader *rows = NULL;
        write_tiff(&layouts[i]);
        NEED(!lg_image_read(one, in_folder(name), &slow, &wanted, NULL, &error) &&
                 !lg_image_read(context, in_folder(name), NULL, &got, NULL, &error) &&
                 !lg_row_reader_open(context, in_folder(name), NULL, &rows, NULL, &error),
             "%s: %s", name, error.message);
        const lg_region all = lg_image_region(&wanted->shape);
        for (int32_t z = 0; z < wanted->shape.layers; z++) {
            lg_image *layer = NULL;
            lg_image_params shape = got->shape;
            shape.layers = 1;
            NEED(!lg_image_wrap(context, &shape, row_of(got, z, 0), &layer, &error), "%s", name);
            CHECK(same_part(layer, wanted, z, &all), "%s: layer %d of all threads", name, z);
            lg_image_destroy(&layer);
        }
        for (size_t h = 0; h < LG_COUNT(heights); h++)
            check_bands(rows, wanted, heights[h], name);
        check_part(rows, wanted, 0, (lg_region){3, 40, 690, 731}, name);
        check_part(rows, wanted, 0, (lg_region){0, 740, 701, 37}, name);
        lg_row_reader_close(&rows);
        lg_image_destroy(&got);
        lg_image_destroy(&wanted);
        check_damage(name, &slow, one);
        unlink(in_folder(name));
    }
    lg_context_destroy(&context);
    context = one;
}

#else

static void test_decoders(void)
{
}

static void test_tiff(void)
{
    check_skip("this build has no libtiff");
}

#endif

// Rows that are read by a thread, of a reader that another thread opens and closes.
typedef struct thread_read {
    lg_row_reader *rows;
    lg_image *part;
    int64_t y;
    lg_status status;
    lg_error error;
} thread_read;

static void *read_in_thread(void *priv)
{
    thread_read *t = priv;
    const lg_image_params *s = &t->part->shape;
    t->status = lg_row_reader_read(t->rows, 0, &(lg_region){0, t->y, s->width, s->height}, t->part,
                                   &t->error);
    return NULL;
}

static void test_threads(const char *name)
{
    lg_image *whole = NULL;
    thread_read t = {0};
    const char *path = in_folder(name);
    NEED(!lg_image_read(context, path, NULL, &whole, NULL, &error), "%s", error.message);
    NEED(!lg_row_reader_open(context, path, NULL, &t.rows, NULL, &error), "%s", error.message);
    for (t.y = 0; t.y + 30 <= whole->shape.height; t.y += 30) { // each part by a thread of its own
        const lg_region r = {0, t.y, whole->shape.width, 30};
        pthread_t thread;
        t.part = image_for(&whole->shape, &r);
        NEED(pthread_create(&thread, NULL, read_in_thread, &t) == 0, "no thread");
        pthread_join(thread, NULL);
        CHECK(!t.status && same_part(t.part, whole, 0, &r), "%s from row %lld: %s", name,
              (long long)t.y, t.status ? t.error.message : "other pixels");
        lg_image_destroy(&t.part);
    }
    lg_row_reader_close(&t.rows);
    lg_image_destroy(&whole);
}

static void test_vips(void)
{
    if (!lg_image_can_format("png")) {
        check_skip("this build has no libvips");
        return;
    }
    write_image("g8.png", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE));
    write_image("a16.png", SHAPE(37, 141, 1, 4, LG_U16, LG_ALPHA_STRAIGHT));
    write_image("c8.jpg", SHAPE(37, 141, 1, 4, LG_U8, LG_ALPHA_OPAQUE));
    write_image("c8.webp", SHAPE(37, 141, 1, 4, LG_U8, LG_ALPHA_OPAQUE));
    check_file("g8.png", NULL, false);
    check_file("a16.png", NULL, false);
    check_file("c8.jpg", NULL, false);
    check_file("c8.webp", NULL, true);
    test_threads("g8.png");
    test_threads("c8.jpg");
}

// ---- limits and failures --------------------------------------------------------------------------

// Limits on pixels are on those that are held: a sparse file of 10^10 pixels opens, and its end is read.
static void test_limits(void)
{
    static const char header[] = "P5\n100000 100000\n255\n";
    lg_read_params params = lg_read_params_default();
    lg_row_reader *rows = NULL;
    params.max_pixels = 1000;
    write_bytes("huge.pgm", header, sizeof header - 1, "", 0);
    if (truncate(in_folder("huge.pgm"), (off_t)(sizeof header - 1) + INT64_C(10000000000)) != 0) {
        check_skip("there are no sparse files here");
        return;
    }
    NEED(!lg_row_reader_open(context, in_folder("huge.pgm"), &params, &rows, NULL, &error), "%s",
         error.message);
    const lg_region corner = {99990, 99990, 10, 10}, outside = {99991, 0, 10, 10};
    lg_image *part = image_for(lg_row_reader_shape(rows), &corner);
    CHECK(!lg_row_reader_read(rows, 0, &corner, part, &error), "%s", error.message);
    CHECK(lg_row_reader_read(rows, 0, &outside, part, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "not inside"),
          "%s", error.message);
    CHECK(lg_row_reader_read(rows, 1, &corner, part, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "layer 1"),
          "%s", error.message);
    const lg_region wide = {0, 0, 11, 10};
    CHECK(lg_row_reader_read(rows, 0, &wide, part, &error) == LG_ERROR_ARGUMENT, "another size");
    lg_row_reader_close(&rows);
    lg_image_destroy(&part);
    unlink(in_folder("huge.pgm"));
    CHECK(lg_row_reader_open(context, in_folder("columns.npy"), &params, &rows, NULL, &error) ==
                  LG_ERROR_LIMIT &&
              !rows,
          "an image that is held: %s", error.message);
    CHECK(lg_row_reader_open(NULL, "x", NULL, &rows, NULL, &error) == LG_ERROR_ARGUMENT, "NULL");
    CHECK(lg_row_reader_open(context, in_folder("none.png"), NULL, &rows, NULL, &error) ==
              LG_ERROR_IO,
          "%s", error.message);
}

// A file that ends too early, when it is opened or where it is read.
static void test_truncated(void)
{
    static const char *const names[] = {"g8.pgm",     "c16.npy", "g.pfm", "tiles.tif",
                                        "strips.tif", "g8.png",  "c8.jpg"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        struct stat status;
        lg_row_reader *rows = NULL;
        if (stat(in_folder(names[i]), &status) != 0)
            continue; // this build does not write it
        NEED(truncate(in_folder(names[i]), status.st_size * 3 / 4) == 0, "cannot cut %s", names[i]);
        lg_status got = lg_row_reader_open(context, in_folder(names[i]), NULL, &rows, NULL, &error);
        for (int y = 0; !got && y < 141; y += 10) {
            const lg_region r = {0, y, lg_row_reader_shape(rows)->width, LG_MIN(10, 141 - y)};
            lg_image *part = image_for(lg_row_reader_shape(rows), &r);
            got = lg_row_reader_read(rows, 0, &r, part, &error);
            lg_image_destroy(&part);
        }
        CHECK(got == LG_ERROR_DATA && *error.message, "%s, cut: %d, %s", names[i], (int)got,
              error.message);
        lg_row_reader_close(&rows);
    }
}

// A file that another program writes to.
static void test_changed(void)
{
    write_image("change.pgm", SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE));
    for (int longer = 0; longer < 2; longer++) {
        lg_row_reader *rows = NULL;
        const lg_region r = {0, 0, 37, 10};
        NEED(!lg_row_reader_open(context, in_folder("change.pgm"), NULL, &rows, NULL, &error), "%s",
             error.message);
        lg_image *part = image_for(lg_row_reader_shape(rows), &r);
        CHECK(!lg_row_reader_read(rows, 0, &r, part, &error), "%s", error.message);
        const struct timespec later[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
        const int fd = open(in_folder("change.pgm"), O_WRONLY | O_APPEND);
        NEED(fd >= 0 && (longer ? write(fd, "x", 1) == 1 : futimens(fd, later) == 0), "no change");
        close(fd);
        CHECK(lg_row_reader_read(rows, 0, &r, part, &error) == LG_ERROR_IO &&
                  strstr(error.message, "changed while it was read"),
              "%s", error.message);
        lg_row_reader_close(&rows);
        lg_image_destroy(&part);
    }
}

#ifdef LG_HAVE_JANSSON
static const bool reads_zarr = true;
#else
static const bool reads_zarr = false;
#endif

static void write_tiles(const char *name)
{
    const lg_write_params params = {.options = "tile=32,compression=none"};
    lg_image *image =
        content_image(context, SHAPE(37, 141, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_ALL_BITS);
    NEED(!lg_image_write(image, name, &params, &error), "%s: %s", name, error.message);
    lg_image_destroy(&image);
}

// A folder of Zarr that another one replaces, or that is removed: chunks that are not there hold zeros else.
static void test_replaced(void)
{
    char name[PATH_MAX], elsewhere[PATH_MAX];
    snprintf(name, sizeof name, "%s", in_folder("replaced.zarr"));
    snprintf(elsewhere, sizeof elsewhere, "%s", in_folder("elsewhere.zarr"));
    for (int way = 0; way < 3 && reads_zarr; way++) {
        write_tiles(name);
        lg_row_reader *rows = NULL;
        const lg_region first = {0, 0, 37, 10}, last = {0, 100, 37, 10};
        NEED(!lg_row_reader_open(context, name, NULL, &rows, NULL, &error), "%s", error.message);
        lg_image *part = image_for(lg_row_reader_shape(rows), &first);
        CHECK(!lg_row_reader_read(rows, 0, &first, part, &error), "%s", error.message);
        if (way == 0)
            write_tiles(name);
        else if (way == 1)
            NEED(rename(name, elsewhere) == 0, "rename");
        else
            NEED(truncate(in_folder("replaced.zarr/0/.zarray"), 10) == 0, "truncate");
        CHECK(lg_row_reader_read(rows, 0, &last, part, &error) == LG_ERROR_IO &&
                  strstr(error.message, "changed while it was read"),
              "%d: %s", way, error.message);
        lg_row_reader_close(&rows);
        lg_image_destroy(&part);
        CHECK(remove_tree(way == 1 ? elsewhere : name), "%s stays behind", name);
    }
}

static void remove_folder(void)
{
    CHECK(remove_tree(folder), "%s stays behind", folder);
}

int main(void)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    NEED(mkdtemp(folder) && !lg_context_create(&params, &context, &error), "%s", error.message);
    random_seed(11);
    test_built_in();
    test_by_hand();
    test_tiff();
    test_decoders();
    test_vips();
    test_limits();
    test_changed();
    test_replaced();
    test_truncated();
    remove_folder();
    lg_context_destroy(&context);
    return check_finish("rows_files");
}
