// Rows that several threads read of files whose samples are not compressed, and of tiles: every pixel is that
// of the formula, the first failure in the order of rows is told, and nothing is lost where memory or threads
// fail.
#include "check.h"
#include "faults.h"
#include "samples.h"
#include "tiff_bytes.h"
#include <lumagraph/rows.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static lg_error error;
static char folder[] = "/tmp/lumagraph-faults-rows-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// ---- files ----------------------------------------------------------------------------------------

typedef struct file_case {
    const char *name;
    int width, height;
    int channels; // in the file
    int bytes;    // of a sample in the file; 0: eight pixels a byte
    bool little;
    int limit; // samples are below
    // TIFF
    int block_width, block_height, compression;
    bool planes;
} file_case;

static uint32_t value_at(const file_case *c, int64_t x, int64_t y, int channel)
{
    const uint64_t key = ((uint64_t)y << 24 ^ (uint64_t)x) * 4 + (uint64_t)channel + 1;
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % (uint32_t)c->limit;
}

static void put_number(FILE *file, uint64_t value, int bytes, bool little)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * (little ? i : bytes - 1 - i) & 255), file);
}

static void put_sample(FILE *file, const file_case *c, uint32_t value)
{
    const char *end = strrchr(c->name, '.');
    if (strcmp(end, ".pfm") == 0) {
        const float real = (float)value;
        uint32_t bits;
        memcpy(&bits, &real, 4);
        put_number(file, bits, 4, c->little);
    } else if (c->bytes == 8) {
        const double real = value;
        uint64_t bits;
        memcpy(&bits, &real, 8);
        put_number(file, bits, 8, c->little);
    } else {
        put_number(file, value, c->bytes, c->little);
    }
}

static void put_bits(FILE *file, const file_case *c, int64_t y)
{
    for (int64_t x = 0; x < c->width; x += 8) {
        int byte = 0;
        for (int i = 0; i < 8; i++)
            byte |= (x + i < c->width && !value_at(c, x + i, y, 0)) << (7 - i);
        fputc(byte, file);
    }
}

static void put_head(FILE *file, const file_case *c)
{
    const char *end = strrchr(c->name, '.');
    if (strcmp(end, ".npy") == 0) {
        char head[129];
        memset(head, ' ', sizeof head);
        snprintf(head + 10, 118, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%d, %d), }",
                 c->little ? '<' : '>', c->bytes == 8 ? 'f' : 'i', c->bytes, c->height, c->width);
        *strchr(head + 10, '\0') = ' ';
        memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
        head[127] = '\n';
        fwrite(head, 1, 128, file);
    } else if (strcmp(end, ".pfm") == 0) {
        fprintf(file, "Pf\n%d %d\n%s\n", c->width, c->height, c->little ? "-1.0" : "1.0");
    } else if (!c->bytes) {
        fprintf(file, "P4\n%d %d\n", c->width, c->height);
    } else {
        fprintf(file, "P%d\n%d %d\n%d\n", c->channels == 3 ? 6 : 5, c->width, c->height,
                c->bytes == 2 ? 65535 : 255);
    }
}

static void write_stored(const file_case *c)
{
    FILE *file = fopen(in_folder(c->name), "wb");
    const bool upwards = strcmp(strrchr(c->name, '.'), ".pfm") == 0;
    NEED(file, "cannot write %s", c->name);
    put_head(file, c);
    for (int64_t k = 0; k < c->height; k++) {
        const int64_t y = upwards ? c->height - 1 - k : k;
        for (int64_t i = 0; i < (int64_t)c->width * c->channels && c->bytes; i++)
            put_sample(file, c, value_at(c, i / c->channels, y, (int)(i % c->channels)));
        if (!c->bytes)
            put_bits(file, c, y);
    }
    NEED(fclose(file) == 0, "cannot write %s", c->name);
}

static void write_tiff(const file_case *c)
{
    const size_t count = (size_t)c->width * (size_t)c->height * (size_t)c->channels;
    uint64_t *raw = malloc(count * sizeof *raw);
    NEED(raw, "no memory");
    for (size_t i = 0; i < count; i++) {
        const size_t pixel = i / (size_t)c->channels;
        raw[i] = value_at(c, (int64_t)(pixel % (size_t)c->width),
                          (int64_t)(pixel / (size_t)c->width), (int)(i % (size_t)c->channels));
    }
    const tiff_layout layout = {.width = c->width,
                                .height = c->height,
                                .samples = c->channels,
                                .bits = 8 * c->bytes,
                                .format = 1,
                                .photometric = c->channels == 3 ? 2 : 1,
                                .compression = c->compression,
                                .block_width = c->block_width,
                                .block_height = c->block_height,
                                .planes = c->planes,
                                .extra = -1};
    tiff_bytes bytes;
    tiff_start(&bytes, !c->little, c->channels == 3);
    tiff_add(&bytes, &layout, raw);
    FILE *file = fopen(in_folder(c->name), "wb");
    NEED(file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0,
         "cannot write %s", c->name);
    tiff_free(&bytes);
    free(raw);
}

static bool is_tiff(const file_case *c)
{
    return strcmp(strrchr(c->name, '.'), ".tif") == 0;
}

// Each is worth two threads at least: a mebibyte for each, or 2^19 pixels of a TIFF file.
static const file_case cases[] = {
    {"narrow.pgm", 1500, 2300, 1, 1, false, 256},      // through buffers: rows of memory are padded
    {"straight.pgm", 20000, 170, 1, 1, false, 256},    // row by row
    {"together.pgm", 16384, 200, 1, 1, false, 256},    // many rows at once
    {"deep.pgm", 1000, 2000, 1, 2, false, 65536},      // bytes are swapped
    {"deep_rows.pgm", 16384, 100, 1, 2, false, 65536}, // where they are needed
    {"colors.ppm", 1100, 1300, 3, 1, false, 256},      // a fourth channel is made
    {"bits.pbm", 8301, 2300, 1, 0, false, 2},
    {"up.pfm", 900, 900, 1, 4, true, 1 << 24},
    {"up_rows.pfm", 8192, 150, 1, 4, false, 1 << 24},
    {"doubles.npy", 701, 700, 1, 8, false, 1 << 24},
    {"wide.npy", 700001, 3, 1, 2, true, 30000}, // a row is larger than a buffer
    {"tiles.tif", 1100, 900, 1, 1, true, 256, 128, 64, 0},
    {"tiles16.tif", 1100, 700, 1, 2, false, 65536, 96, 208, 0},
    {"tiles_planes.tif", 1000, 600, 3, 1, true, 256, 128, 128, 0, true},
    {"tiles_lzw.tif", 900, 700, 1, 2, true, 300, 128, 64, TIFF_LZW},
    {"strips.tif", 1100, 900, 3, 1, true, 256, 0, 7, 0},
    {"strips16.tif", 1100, 900, 1, 2, false, 65536, 0, 1, 0},
    {"strip.tif", 1024, 2300, 1, 2, true, 65536, 0, 0, 0}, // large
    {"strip_planes.tif", 1000, 600, 3, 2, false, 65536, 0, 600, 0, true},
};

// ---- pixels ---------------------------------------------------------------------------------------

static bool right_pixels(const file_case *c, const lg_image *part, const lg_region *r)
{
    const int channels = part->shape.channels;
    for (int64_t y = 0; y < r->height; y++)
        for (int64_t x = 0; x < r->width; x++)
            for (int k = 0; k < channels; k++) {
                const double factor = c->bytes ? 1 : 255; // of bits
                const double want =
                    k < c->channels ? factor * value_at(c, r->x + x, r->y + y, k) : 0;
                if (sample_stored(part, x, y, 0, k) != want)
                    return false;
            }
    return true;
}

static void check_region(lg_row_reader *rows, const file_case *c, lg_region r, int threads)
{
    lg_image_params shape = *lg_row_reader_shape(rows);
    shape.width = (int32_t)r.width;
    shape.height = (int32_t)r.height;
    shape.row_stride = shape.layer_stride = 0;
    lg_image *plain = image_zeros(context, shape);
    // A fourth channel beside planes is left as it is.
    guarded g = guarded_open(context, shape, c->planes ? 0 : 0xa7);
    lg_status status = lg_row_reader_read(rows, 0, &r, plain, &error);
    CHECK(!status && right_pixels(c, plain, &r), "%s, %d threads: %lldx%lld+%lld+%lld: %s", c->name,
          threads, (long long)r.width, (long long)r.height, (long long)r.x, (long long)r.y,
          status ? error.message : "other pixels");
    status = lg_row_reader_read(rows, 0, &r, g.image, &error);
    CHECK(!status && right_pixels(c, g.image, &r) && guarded_spoiled(&g) == 0,
          "%s, %d threads, rows apart: %lldx%lld+%lld+%lld: %s", c->name, threads,
          (long long)r.width, (long long)r.height, (long long)r.x, (long long)r.y,
          status ? error.message : "other pixels");
    guarded_close(&g);
    lg_image_destroy(&plain);
}

static void begin(int threads)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = threads;
    NEED(!lg_context_create(&params, &context, &error), "%s", error.message);
}

static void test_pixels(const file_case *c)
{
    static const int threads[] = {1, 2, 7};
    for (size_t i = test_is_short() ? 2 : 0; i < LG_COUNT(threads); i++) {
        lg_row_reader *rows = NULL;
        begin(threads[i]);
        NEED(!lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, &error), "%s: %s",
             c->name, error.message);
        // A small part needs no thread, nor does a large one for whom there is one.
        faults_arm(FAULTS_THREAD, -1);
        check_region(rows, c, (lg_region){3, 1, 90, 2}, threads[i]);
        CHECK(faults_calls(FAULTS_THREAD) == 0, "%s: threads for a small part", c->name);
        check_region(rows, c, (lg_region){0, 0, c->width, c->height}, threads[i]);
        CHECK((faults_calls(FAULTS_THREAD) > 0) == (threads[i] > 1), "%s: %d threads began of %d",
              c->name, (int)faults_calls(FAULTS_THREAD), threads[i]);
        faults_disarm();
        check_region(rows, c, (lg_region){13, 1, c->width - 20, c->height - 1}, threads[i]);
        check_region(rows, c, (lg_region){0, c->height / 3, c->width, c->height / 2}, threads[i]);
        lg_row_reader_close(&rows);
        lg_context_destroy(&context);
    }
}

// Threads have buffers within the memory that there is to spare.
static void test_memory(void)
{
    static const size_t spare[] = {0, 200000, (size_t)64 << 20}, held[] = {1, 4, 7};
    begin(7);
    for (size_t i = 0; i < LG_COUNT(spare); i++) {
        lg_read_params params = lg_read_params_default();
        lg_row_reader *rows = NULL;
        params.spare_memory = spare[i];
        NEED(!lg_row_reader_open(context, in_folder("colors.ppm"), &params, &rows, NULL, &error),
             "%s", error.message);
        CHECK(lg_row_reader_memory(rows) == held[i] << 16, "%zu bytes to spare: %zu", spare[i],
              lg_row_reader_memory(rows));
        faults_arm(FAULTS_THREAD, -1);
        check_region(rows, &cases[5], (lg_region){0, 0, 1100, 1300}, 7);
        CHECK((faults_calls(FAULTS_THREAD) > 0) == (spare[i] > 0), "%zu bytes to spare: %d threads",
              spare[i], (int)faults_calls(FAULTS_THREAD));
        faults_disarm();
        lg_row_reader_close(&rows);
    }
    lg_context_destroy(&context);
}

// ---- failures -------------------------------------------------------------------------------------

static lg_status read_all(const file_case *c, bool *right, lg_error *why)
{
    lg_row_reader *rows = NULL;
    lg_image *image = NULL;
    *right = false;
    lg_status status = lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, why);
    if (!status)
        status = lg_image_create(context, lg_row_reader_shape(rows), &image, why);
    const lg_region all = {0, 0, c->width, c->height};
    if (!status)
        status = lg_row_reader_read(rows, 0, &all, image, why);
    if (!status)
        *right = right_pixels(c, image, &all);
    lg_image_destroy(&image);
    lg_row_reader_close(&rows);
    return status;
}

static void test_faults(const file_case *c, faults_kind kind)
{
    lg_error why = {LG_OK, ""};
    bool right;
    begin(3);
    faults_arm(kind, -1);
    CHECK(!read_all(c, &right, &why) && right, "%s: %s", c->name, why.message);
    const int64_t calls = faults_calls(kind);
    CHECK(calls > 0, "%s: no call of kind %d", c->name, (int)kind);
    for (int64_t at = 0; at < calls; at++) {
        const int64_t before = faults_live();
        faults_arm(kind, at);
        const lg_status status = read_all(c, &right, &why);
        const bool fired = faults_disarm();
        // How many calls there are depends on which threads come in time.
        CHECK((status ? fired && kind == FAULTS_MEMORY && status == LG_ERROR_MEMORY &&
                            strstr(why.message, "memory")
                      : right),
              "%s: call %d of kind %d: status %d, %s", c->name, (int)at, (int)kind, (int)status,
              status ? why.message : "other pixels");
        CHECK(faults_live() == before, "%s: call %d of kind %d: %d blocks", c->name, (int)at,
              (int)kind, (int)(faults_live() - before));
    }
    lg_context_destroy(&context);
}

static void put_double(FILE *file, long place, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    NEED(fseek(file, place, SEEK_SET) == 0, "no such place");
    put_number(file, bits, 8, false);
}

// One number that f32 does not hold, in front of many that are beyond its range, in other rows: the first one
// is told, however fast the threads are.
static void test_first_failure(void)
{
    const file_case *c = &cases[9];
    bool right;
    FILE *file = fopen(in_folder(c->name), "r+b");
    NEED(file, "%s", c->name);
    for (int y = 45; y < c->height; y += 5)
        put_double(file, 128 + 8L * (y * (long)c->width + (y == 45 ? 600 : 2)),
                   y == 45 ? 0.1 : 1e300);
    NEED(fclose(file) == 0, "%s", c->name);
    for (int i = 0; i < test_extent(5, 40, 400); i++) {
        lg_error why = {LG_OK, ""};
        begin(7);
        const lg_status status = read_all(c, &right, &why);
        CHECK(status == LG_ERROR_UNSUPPORTED && strstr(why.message, "exactly"), "%s", why.message);
        lg_context_destroy(&context);
    }
}

// Two tiles are damaged; the first one is told.
static void test_first_tile(void)
{
    const file_case *c = &cases[14];
    lg_error alone = {LG_OK, ""}, why = {LG_OK, ""};
    bool right;
    FILE *file = fopen(in_folder(c->name), "r+b");
    NEED(file && fseek(file, 0, SEEK_END) == 0, "%s", c->name);
    const long size = ftell(file);
    for (int part = 1; part < 4; part++) {
        NEED(fseek(file, size / 4 * part, SEEK_SET) == 0, "%s", c->name);
        for (int i = 0; i < 200 * part; i++)
            fputc(0xff, file);
    }
    NEED(fclose(file) == 0, "%s", c->name);
    begin(1);
    CHECK(read_all(c, &right, &alone) == LG_ERROR_DATA, "%s", alone.message);
    lg_context_destroy(&context);
    for (int i = 0; i < test_extent(5, 40, 400); i++) {
        begin(7);
        CHECK(read_all(c, &right, &why) == LG_ERROR_DATA && !strcmp(why.message, alone.message),
              "%s; %s", why.message, alone.message);
        lg_context_destroy(&context);
    }
}

// A file that becomes shorter behind its opening.
static void test_shorter(const file_case *c)
{
    lg_row_reader *rows = NULL;
    begin(4);
    NEED(!lg_row_reader_open(context, in_folder(c->name), NULL, &rows, NULL, &error), "%s",
         error.message);
    lg_image *image = image_zeros(context, *lg_row_reader_shape(rows));
    NEED(truncate(in_folder(c->name), (off_t)c->width * c->height / 16) == 0, "%s", c->name);
    const lg_region all = {0, 0, c->width, c->height};
    CHECK(lg_row_reader_read(rows, 0, &all, image, &error) == LG_ERROR_IO &&
              strstr(error.message, "changed while it was read: it had"),
          "%s: %s", c->name, error.message);
    lg_image_destroy(&image);
    lg_row_reader_close(&rows);
    lg_context_destroy(&context);
}

int main(void)
{
    NEED(mkdtemp(folder), "%s", folder);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
#ifndef LG_HAVE_TIFF
        if (is_tiff(&cases[i])) {
            check_skip("this build has no libtiff");
            continue;
        }
#endif
        (is_tiff(&cases[i]) ? write_tiff : write_stored)(&cases[i]);
        test_pixels(&cases[i]);
        if (!test_is_short() || i % 5 == 0)
            for (int kind = FAULTS_MEMORY; kind <= FAULTS_THREAD; kind++)
                test_faults(&cases[i], (faults_kind)kind);
    }
    test_memory();
    test_first_failure();
#ifdef LG_HAVE_TIFF
    test_first_tile();
    test_shorter(&cases[11]);
    test_shorter(&cases[17]);
#endif
    test_shorter(&cases[0]);
    test_shorter(&cases[7]);
    CHECK(remove_tree(folder), "%s stays behind", folder);
    return check_finish("faults_rows");
}
