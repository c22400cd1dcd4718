#include "tiff_bytes.h"

#include <stdlib.h>
#include <string.h>

// ---- bytes --------------------------------------------------------------------------------------

static void put_byte(tiff_bytes *f, uint8_t byte)
{
    if (f->size == f->room) {
        f->room = f->room ? 2 * f->room : 4096;
        f->data = realloc(f->data, f->room);
    }
    f->data[f->size++] = byte;
}

static void put_at(tiff_bytes *f, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        f->data[at + (size_t)i] = (uint8_t)(value >> 8 * (f->big_endian ? bytes - 1 - i : i));
}

static void put(tiff_bytes *f, uint64_t value, int bytes)
{
    const size_t at = f->size;
    for (int i = 0; i < bytes; i++)
        put_byte(f, 0);
    put_at(f, at, value, bytes);
}

static int type_size(int type)
{
    return type <= TIFF_ASCII ? 1 : type == TIFF_SHORT ? 2 : type == TIFF_LONG ? 4 : 8;
}

void tiff_start(tiff_bytes *f, bool big_endian, bool wide)
{
    *f = (tiff_bytes){.big_endian = big_endian, .wide = wide};
    put_byte(f, big_endian ? 'M' : 'I');
    put_byte(f, big_endian ? 'M' : 'I');
    put(f, wide ? 43 : 42, 2);
    if (wide)
        put(f, 8, 2), put(f, 0, 2);
    f->link = f->size;
    put(f, 0, wide ? 8 : 4);
}

void tiff_free(tiff_bytes *f)
{
    free(f->data);
    *f = (tiff_bytes){0};
}

// ---- compression --------------------------------------------------------------------------------

typedef struct bit_writer {
    tiff_bytes *f;
    uint32_t kept;
    int count;
} bit_writer;

static void put_bits(bit_writer *w, uint64_t value, int bits)
{
    for (int i = bits; i-- > 0;) {
        w->kept = w->kept << 1 | (value >> i & 1);
        if (++w->count == 8) {
            put_byte(w->f, (uint8_t)w->kept);
            w->kept = 0, w->count = 0;
        }
    }
}

static void end_bits(bit_writer *w)
{
    while (w->count)
        put_bits(w, 0, 1);
}

// Literals alone: the table is cleared before codes get a tenth bit.
static void put_lzw(tiff_bytes *f, const uint8_t *from, size_t bytes)
{
    bit_writer w = {.f = f};
    for (size_t i = 0; i < bytes; i++) {
        if (i % 200 == 0)
            put_bits(&w, 256, 9);
        put_bits(&w, from[i], 9);
    }
    put_bits(&w, 257, 9);
    end_bits(&w);
}

// Stored blocks, which every inflate reads.
static void put_deflate(tiff_bytes *f, const uint8_t *from, size_t bytes)
{
    uint32_t a = 1, b = 0;
    put_byte(f, 0x78), put_byte(f, 0x01);
    for (size_t i = 0; i < bytes; i += 60000) {
        const size_t some = bytes - i < 60000 ? bytes - i : 60000;
        put_byte(f, i + some == bytes);
        put_byte(f, (uint8_t)some), put_byte(f, (uint8_t)(some >> 8));
        put_byte(f, (uint8_t)~some), put_byte(f, (uint8_t)(~some >> 8));
        for (size_t k = 0; k < some; k++) {
            put_byte(f, from[i + k]);
            a = (a + from[i + k]) % 65521, b = (b + a) % 65521;
        }
    }
    for (int i = 3; i >= 0; i--)
        put_byte(f, (uint8_t)((b << 16 | a) >> 8 * i));
}

// Runs of equal bytes, and literals one by one.
static void put_packbits(tiff_bytes *f, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        size_t run = 1;
        while (i + run < bytes && run < 128 && from[i + run] == from[i])
            run++;
        put_byte(f, run == 1 ? 0 : (uint8_t)(257 - run));
        put_byte(f, from[i]);
        i += run;
    }
}

// ---- samples ------------------------------------------------------------------------------------

static uint64_t sample(const tiff_layout *l, const uint64_t *raw, int x, int y, int channel)
{
    if (x >= l->width || y >= l->height)
        return 0; // the rest of a tile
    return raw[((size_t)y * (size_t)l->width + (size_t)x) * (size_t)l->samples + (size_t)channel];
}

static void put_samples(tiff_bytes *rows, const tiff_layout *l, const uint64_t *raw, int x, int y,
                        int count, int plane)
{
    bit_writer w = {.f = rows};
    const bool whole = l->bits % 8 == 0;
    for (int i = 0; i < count; i++)
        for (int c = l->planes ? plane : 0; c < (l->planes ? plane + 1 : l->samples); c++) {
            const uint64_t value = sample(l, raw, x + i, y, c);
            if (whole)
                put(rows, value, l->bits / 8);
            else
                put_bits(&w, value, l->bits);
        }
    end_bits(&w);
}

static void put_block(tiff_bytes *f, const tiff_layout *l, const uint64_t *raw, int x, int y,
                      int width, int height, int plane)
{
    tiff_bytes rows = {.big_endian = f->big_endian};
    for (int i = 0; i < height; i++) {
        const size_t start = rows.size;
        put_samples(&rows, l, raw, x, y + i, width, plane);
        if (l->compression == TIFF_PACKBITS) {
            put_packbits(f, rows.data + start, rows.size - start);
        }
    }
    if (l->compression == TIFF_LZW)
        put_lzw(f, rows.data, rows.size);
    else if (l->compression == TIFF_DEFLATE)
        put_deflate(f, rows.data, rows.size);
    else if (l->compression != TIFF_PACKBITS)
        for (size_t i = 0; i < rows.size; i++)
            put_byte(f, rows.data[i]);
    free(rows.data);
}

// ---- directories --------------------------------------------------------------------------------

enum { MAX_BLOCKS = 4096, MAX_TAGS = 32 };

static int by_tag(const void *a, const void *b)
{
    return ((const tiff_tag *)a)->tag - ((const tiff_tag *)b)->tag;
}

static void put_value(tiff_bytes *f, const tiff_tag *tag, uint32_t i, size_t at)
{
    if (tag->text) {
        f->data[at] = (uint8_t)tag->text[i];
    } else if (tag->type == TIFF_RATIONAL) {
        put_at(f, at, tag->values[2 * i], 4);
        put_at(f, at + 4, tag->values[2 * i + 1], 4);
    } else {
        put_at(f, at, tag->values[i], type_size(tag->type));
    }
}

static uint64_t put_directory(tiff_bytes *f, tiff_tag *tags, int count)
{
    const int word = f->wide ? 8 : 4;
    qsort(tags, (size_t)count, sizeof *tags, by_tag);
    if (f->size % 2)
        put_byte(f, 0);
    const size_t start = f->size, entry = f->wide ? 20 : 12;
    put(f, (uint64_t)count, f->wide ? 8 : 2);
    const size_t first = f->size;
    for (size_t i = 0; i < entry * (size_t)count + (size_t)word; i++)
        put_byte(f, 0);
    for (int i = 0; i < count; i++) {
        const tiff_tag *tag = &tags[i];
        const size_t at = first + entry * (size_t)i;
        const size_t size = (size_t)type_size(tag->type);
        size_t place = at + 4 + (size_t)word;
        put_at(f, at, tag->tag, 2);
        put_at(f, at + 2, tag->type, 2);
        put_at(f, at + 4, tag->count, word);
        if (size * tag->count > (size_t)word) {
            put_at(f, place, f->size, word);
            place = f->size;
            for (size_t k = 0; k < size * tag->count; k++)
                put_byte(f, 0);
        }
        for (uint32_t k = 0; k < tag->count; k++)
            put_value(f, tag, k, place + k * size);
    }
    return start;
}

static int put_blocks(tiff_bytes *f, const tiff_layout *l, const uint64_t *raw, uint64_t *offsets,
                      uint64_t *sizes)
{
    const int width = l->block_width ? l->block_width : l->width;
    const int height = l->block_height ? l->block_height : l->height;
    int blocks = 0;
    for (int plane = 0; plane < (l->planes ? l->samples : 1); plane++)
        for (int y = 0; y < l->height; y += height)
            for (int x = 0; x < l->width && blocks < MAX_BLOCKS; x += width, blocks++) {
                const int rows = l->block_width || y + height <= l->height ? height : l->height - y;
                offsets[blocks] = f->size;
                put_block(f, l, raw, x, y, width, rows, plane);
                sizes[blocks] = f->size - offsets[blocks];
            }
    return blocks;
}

uint64_t tiff_add_apart(tiff_bytes *f, const tiff_layout *l, const uint64_t *raw)
{
    static uint64_t offsets[MAX_BLOCKS], sizes[MAX_BLOCKS];
    const uint32_t blocks = (uint32_t)put_blocks(f, l, raw, offsets, sizes);
    const uint16_t word = f->wide ? TIFF_LONG8 : TIFF_LONG;
    const uint32_t n = (uint32_t)l->samples;
    const uint64_t plain = l->compression ? (uint64_t)l->compression : TIFF_PLAIN;
    const uint64_t single[] = {(uint64_t)l->width,
                               (uint64_t)l->height,
                               l->declared ? (uint64_t)l->declared : plain,
                               (uint64_t)l->photometric,
                               (uint64_t)l->samples,
                               (uint64_t)(l->block_height ? l->block_height : l->height),
                               l->planes ? 2 : 1,
                               (uint64_t)l->block_width,
                               (uint64_t)(l->extra < 0 ? 0 : l->extra)};
    uint64_t bits[16], formats[16];
    for (uint32_t i = 0; i < n && i < 16; i++)
        bits[i] = (uint64_t)l->bits, formats[i] = (uint64_t)l->format;
    tiff_tag tags[MAX_TAGS] = {
        {256, TIFF_LONG, 1, &single[0], NULL},  {257, TIFF_LONG, 1, &single[1], NULL},
        {258, TIFF_SHORT, n, bits, NULL},       {259, TIFF_SHORT, 1, &single[2], NULL},
        {262, TIFF_SHORT, 1, &single[3], NULL}, {277, TIFF_SHORT, 1, &single[4], NULL},
        {284, TIFF_SHORT, 1, &single[6], NULL}, {339, TIFF_SHORT, n, formats, NULL},
    };
    int count = 8;
    if (l->block_width) {
        tags[count++] = (tiff_tag){322, TIFF_LONG, 1, &single[7], NULL};
        tags[count++] = (tiff_tag){323, TIFF_LONG, 1, &single[5], NULL};
        tags[count++] = (tiff_tag){324, word, blocks, offsets, NULL};
        tags[count++] = (tiff_tag){325, word, blocks, sizes, NULL};
    } else {
        tags[count++] = (tiff_tag){278, TIFF_LONG, 1, &single[5], NULL};
        tags[count++] = (tiff_tag){273, word, blocks, offsets, NULL};
        tags[count++] = (tiff_tag){279, word, blocks, sizes, NULL};
    }
    if (l->extra >= 0)
        tags[count++] = (tiff_tag){338, TIFF_SHORT, 1, &single[8], NULL};
    for (int i = 0; i < l->tag_count && count < MAX_TAGS; i++)
        tags[count++] = l->tags[i];
    return put_directory(f, tags, count);
}

void tiff_add(tiff_bytes *f, const tiff_layout *l, const uint64_t *raw)
{
    const int word = f->wide ? 8 : 4;
    const uint64_t start = tiff_add_apart(f, l, raw);
    put_at(f, f->link, start, word);
    const uint64_t entries =
        f->data[start + (f->big_endian ? (f->wide ? 7 : 1) : 0)]; // fewer than 256
    f->link = (size_t)(start + (f->wide ? 8 : 2) + entries * (f->wide ? 20 : 12));
}

// ---- looking ------------------------------------------------------------------------------------

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

// The entry of a tag, NULL when there is none.
static const uint8_t *find_entry(const uint8_t *data, size_t size, int tag)
{
    const size_t start = size > 8 ? (size_t)get(data + 4, 4) : 0;
    if (start == 0 || start + 2 > size)
        return NULL;
    const uint8_t *entry = data + start + 2;
    for (uint64_t i = 0; i < get(data + start, 2); i++, entry += 12)
        if (get(entry, 2) == (uint64_t)tag)
            return entry;
    return NULL;
}

const char *tiff_find_text(const uint8_t *data, size_t size, int tag)
{
    const uint8_t *entry = find_entry(data, size, tag);
    if (!entry)
        return NULL;
    return (const char *)(get(entry + 4, 4) <= 4 ? entry + 8 : data + get(entry + 8, 4));
}

int tiff_find(const uint8_t *data, size_t size, int tag, uint64_t *out, int room)
{
    const uint8_t *entry = find_entry(data, size, tag);
    if (!entry)
        return 0;
    const bool rational = get(entry + 2, 2) == TIFF_RATIONAL;
    const int bytes = rational ? 4 : type_size((int)get(entry + 2, 2));
    const int count = (int)get(entry + 4, 4) * (rational ? 2 : 1);
    const uint8_t *at = count * bytes <= 4 ? entry + 8 : data + get(entry + 8, 4);
    for (int i = 0; i < count && i < room; i++)
        out[i] = get(at + i * bytes, bytes);
    return count;
}
