// ITU-T T.81, sequential, with the tables of its annex K.
#include "jpeg.h"

#include <math.h>
#include <stdbool.h>

typedef struct writer {
    FILE *out;
    uint32_t bits;
    int count;
    float scale[2][64]; // quantiser of luma and chroma, in the order of rows
    float wave[8][8];   // of the transform
} writer;

static const uint8_t zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                   12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                   35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                   58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

static const uint8_t steps[2][64] = {
    {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
     14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
     18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
     99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

// Huffman tables: how many codes have 1 to 16 bits, and what they stand for.
typedef struct code_table {
    uint8_t lengths[16];
    uint8_t values[162];
} code_table;

static const code_table tables[2][2] = {
    {{{0, 1, 5, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
     {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
      {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
       0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52,
       0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25,
       0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45,
       0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64,
       0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
       0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
       0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6,
       0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3,
       0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8,
       0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}}},
    {{{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
     {{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
      {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
       0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33,
       0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18,
       0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44,
       0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63,
       0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
       0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
       0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4,
       0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca,
       0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7,
       0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa}}}};

static void put_u16(FILE *out, unsigned value)
{
    fputc((int)(value >> 8 & 255), out);
    fputc((int)(value & 255), out);
}

static void put_bits(writer *w, uint32_t value, int count)
{
    w->bits = w->bits << count | value;
    for (w->count += count; w->count >= 8; w->count -= 8) {
        const int byte = (int)(w->bits >> (w->count - 8) & 255);
        fputc(byte, w->out);
        if (byte == 255)
            fputc(0, w->out);
    }
}

// The code of a value: codes of each length follow each other.
static void put_code(writer *w, const code_table *table, int value)
{
    uint32_t code = 0;
    for (int length = 1, at = 0; length <= 16; length++, code <<= 1)
        for (int i = 0; i < table->lengths[length - 1]; i++, code++)
            if (table->values[at++] == value) {
                put_bits(w, code, length);
                return;
            }
}

static int bits_of(int value)
{
    int bits = 0;
    for (int rest = value < 0 ? -value : value; rest; rest >>= 1)
        bits++;
    return bits;
}

static void put_amount(writer *w, int value, int bits)
{
    put_bits(w, (uint32_t)(value < 0 ? value + (1 << bits) - 1 : value), bits);
}

// One block: transformed, quantised, coded. Returns its mean, which the next one's is coded from.
static int put_block(writer *w, const float in[64], int kind, int before)
{
    float rows[64];
    int out[64], last = 0;
    for (int y = 0; y < 8; y++)
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int x = 0; x < 8; x++)
                sum += in[8 * y + x] * w->wave[u][x];
            rows[8 * y + u] = sum;
        }
    for (int i = 0; i < 64; i++) {
        const int u = zigzag[i] % 8, v = zigzag[i] / 8;
        float sum = 0;
        for (int y = 0; y < 8; y++)
            sum += rows[8 * y + u] * w->wave[v][y];
        out[i] = (int)lrintf(sum / w->scale[kind][zigzag[i]]);
        last = out[i] ? i : last;
    }
    int bits = bits_of(out[0] - before);
    put_code(w, &tables[kind][0], bits);
    put_amount(w, out[0] - before, bits);
    int zeros = 0;
    for (int i = 1; i <= last; i++) {
        if (!out[i]) {
            zeros++;
            continue;
        }
        for (; zeros > 15; zeros -= 16)
            put_code(w, &tables[kind][1], 0xF0);
        bits = bits_of(out[i]);
        put_code(w, &tables[kind][1], zeros << 4 | bits);
        put_amount(w, out[i], bits);
        zeros = 0;
    }
    if (last < 63)
        put_code(w, &tables[kind][1], 0);
    return out[0];
}

static void put_head(writer *w, int width, int height, bool grey)
{
    FILE *out = w->out;
    const int parts = grey ? 1 : 3, kinds = grey ? 1 : 2;
    fwrite("\xFF\xD8\xFF\xE0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0", 1, 20, out);
    for (int kind = 0; kind < kinds; kind++) {
        fwrite("\xFF\xDB\0\x43", 1, 4, out);
        fputc(kind, out);
        for (int i = 0; i < 64; i++)
            fputc((int)w->scale[kind][zigzag[i]], out);
    }
    fwrite("\xFF\xC0", 1, 2, out);
    put_u16(out, (unsigned)(8 + 3 * parts));
    fputc(8, out);
    put_u16(out, (unsigned)height);
    put_u16(out, (unsigned)width);
    fputc(parts, out);
    for (int i = 0; i < parts; i++) {
        fputc(i + 1, out);
        fputc(0x11, out);
        fputc(i > 0, out);
    }
    for (int kind = 0; kind < kinds; kind++)
        for (int ac = 0; ac < 2; ac++) {
            const code_table *table = &tables[kind][ac];
            unsigned count = 0;
            for (int i = 0; i < 16; i++)
                count += table->lengths[i];
            fwrite("\xFF\xC4", 1, 2, out);
            put_u16(out, 19 + count);
            fputc(ac << 4 | kind, out);
            fwrite(table->lengths, 1, 16, out);
            fwrite(table->values, 1, count, out);
        }
    fwrite("\xFF\xDA", 1, 2, out);
    put_u16(out, (unsigned)(6 + 2 * parts));
    fputc(parts, out);
    for (int i = 0; i < parts; i++) {
        fputc(i + 1, out);
        fputc(i > 0 ? 0x11 : 0, out);
    }
    fwrite("\0\x3F\0", 1, 3, out);
}

static void prepare(writer *w, int quality)
{
    const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 64; i++) {
            const int step = (steps[kind][i] * percent + 50) / 100;
            w->scale[kind][i] = (float)(step < 1 ? 1 : step > 255 ? 255 : step);
        }
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            w->wave[u][x] = (float)(cos((2 * x + 1) * u * (3.14159265358979323846 / 16)) *
                                    (u ? 0.5 : 0.35355339059327379));
}

// A block of one component: y, cb or cr. Pixels beyond the edge repeat it.
static void take_block(const uint8_t *rgb, int width, int height, int left, int top, int part,
                       float out[64])
{
    static const float weights[3][3] = {
        {0.299f, 0.587f, 0.114f}, {-0.168736f, -0.331264f, 0.5f}, {0.5f, -0.418688f, -0.081312f}};
    for (int i = 0; i < 64; i++) {
        const int x = left + i % 8 < width ? left + i % 8 : width - 1;
        const int y = top + i / 8 < height ? top + i / 8 : height - 1;
        const uint8_t *p = rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
        out[i] = weights[part][0] * p[0] + weights[part][1] * p[1] + weights[part][2] * p[2] -
                 (part ? 0 : 128);
    }
}

void lg_jpeg_write(FILE *out, const uint8_t *rgb, int width, int height, int quality)
{
    writer w = {.out = out};
    int before[3] = {0};
    bool grey = true;
    for (size_t i = 0; i < (size_t)width * (size_t)height && grey; i++)
        grey = rgb[3 * i] == rgb[3 * i + 1] && rgb[3 * i] == rgb[3 * i + 2];
    prepare(&w, quality);
    put_head(&w, width, height, grey);
    for (int top = 0; top < height; top += 8)
        for (int left = 0; left < width; left += 8)
            for (int part = 0; part < (grey ? 1 : 3); part++) {
                float block[64];
                take_block(rgb, width, height, left, top, part, block);
                before[part] = put_block(&w, block, part > 0, before[part]);
            }
    put_bits(&w, 0x7F, 7); // the last byte is filled with ones
    fwrite("\xFF\xD9", 1, 2, out);
}
