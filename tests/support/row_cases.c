#include "row_cases.h"

#include "check.h"
#include "samples.h"
#include "tiff_bytes.h"
#include <lumagraph/rows.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t value_at(const row_case *c, int64_t x, int64_t y, int channel)
{
    const uint64_t key = ((uint64_t)y << 24 ^ (uint64_t)x) * 4 + (uint64_t)channel + 1;
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % (uint32_t)c->limit;
}

static void put_number(FILE *file, uint64_t value, int bytes, bool little)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * (little ? i : bytes - 1 - i) & 255), file);
}

static void put_sample(FILE *file, const row_case *c, uint32_t value)
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

static void put_bits(FILE *file, const row_case *c, int64_t y)
{
    for (int64_t x = 0; x < c->width; x += 8) {
        int byte = 0;
        for (int i = 0; i < 8; i++)
            byte |= (x + i < c->width && !value_at(c, x + i, y, 0)) << (7 - i);
        fputc(byte, file);
    }
}

static void put_head(FILE *file, const row_case *c)
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

static void write_stored(const row_case *c, const char *path)
{
    FILE *file = fopen(path, "wb");
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

static void write_tiff(const row_case *c, const char *path)
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
    FILE *file = fopen(path, "wb");
    NEED(file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0,
         "cannot write %s", c->name);
    tiff_free(&bytes);
    free(raw);
}

static bool is_tiff(const row_case *c)
{
    return strcmp(strrchr(c->name, '.'), ".tif") == 0;
}

bool row_case_write(const row_case *c, const char *path, bool tiff)
{
    if (!is_tiff(c))
        write_stored(c, path);
    else if (tiff)
        write_tiff(c, path);
    else
        check_skip("this build has no libtiff");
    return tiff || !is_tiff(c);
}

const row_case row_cases[ROW_CASES] = {
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
    {"tiles.tif", 1300, 900, 1, 1, true, 256, 128, 64, 0},
    {"tiles16.tif", 1100, 700, 1, 2, false, 65536, 96, 208, 0},
    {"tiles_planes.tif", 1000, 600, 3, 1, true, 256, 128, 128, 0, true},
    {"tiles_lzw.tif", 900, 700, 1, 2, true, 300, 128, 64, TIFF_LZW},
    {"strips.tif", 1100, 900, 3, 1, true, 256, 0, 7, 0},
    {"strips16.tif", 1100, 900, 1, 2, false, 65536, 0, 1, 0},
    {"strip.tif", 1024, 2300, 1, 2, true, 65536, 0, 0, 0}, // large
    {"strip_planes.tif", 1000, 600, 3, 2, false, 65536, 0, 600, 0, true},
};

bool row_case_is_right(const row_case *c, const lg_image *part, const lg_region *r)
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

lg_context *row_cases_context(int threads)
{
    lg_context *context = NULL;
    lg_error error;
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = threads;
    NEED(!lg_context_create(&params, &context, &error), "%s", error.message);
    return context;
}

lg_status row_case_read(lg_context *context, const char *path, const row_case *c, bool *right,
                        lg_error *why)
{
    lg_row_reader *rows = NULL;
    lg_image *image = NULL;
    *right = false;
    lg_status status = lg_row_reader_open(context, path, NULL, &rows, NULL, why);
    if (!status)
        status = lg_image_create(context, lg_row_reader_shape(rows), &image, why);
    const lg_region all = {0, 0, c->width, c->height};
    if (!status)
        status = lg_row_reader_read(rows, 0, &all, image, why);
    if (!status)
        *right = row_case_is_right(c, image, &all);
    lg_image_destroy(&image);
    lg_row_reader_close(&rows);
    return status;
}
