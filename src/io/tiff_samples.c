// Stored samples of TIFF files become numbers of whole bytes.
#ifdef LG_HAVE_TIFF

#include "io/tiff.h"

#include <string.h>

size_t lg_tiff_unpacked_size(const lg_tiff_page *page)
{
    const int bits = page->bits;
    if (page->number == LG_TIFF_FLOAT && bits == 24)
        return sizeof(float);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

// Bits follow each other from the highest of each byte on, whatever the byte order of the file.
static uint32_t next_bits(const uint8_t **at, uint32_t *kept, int *count, int bits)
{
    uint64_t word = *kept;
    while (*count < bits) {
        word = word << 8 | *(*at)++;
        *count += 8;
    }
    *count -= bits;
    const uint32_t value = (uint32_t)(word >> *count & ((UINT64_C(1) << bits) - 1));
    *kept = (uint32_t)(word & ((UINT64_C(1) << *count) - 1));
    return value;
}

static uint32_t extend_sign(uint32_t value, int bits)
{
    const uint32_t sign = UINT32_C(1) << (bits - 1);
    return (value ^ sign) - sign;
}

static void store(uint32_t value, size_t size, size_t i, void *out)
{
    if (size == 1) {
        ((uint8_t *)out)[i] = (uint8_t)value;
    } else if (size == 2) {
        const uint16_t narrow = (uint16_t)value;
        memcpy((uint8_t *)out + i * 2, &narrow, 2);
    } else {
        memcpy((uint8_t *)out + i * 4, &value, 4);
    }
}

static void unpack_bits(const lg_tiff_page *page, const uint8_t *stored, size_t count, void *out)
{
    const size_t size = lg_tiff_unpacked_size(page);
    uint32_t kept = 0;
    int left = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = next_bits(&stored, &kept, &left, page->bits);
        store(page->number == LG_TIFF_INT ? extend_sign(value, page->bits) : value, size, i, out);
    }
}

// Black and white, as in every other format.
static void unpack_bilevel(const uint8_t *stored, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = stored[i >> 3] >> (7 - (i & 7)) & 1 ? 255 : 0;
}

// Three bytes in the order of this machine; libtiff has swapped them.
static uint32_t three_bytes(const uint8_t *at)
{
    return lg_host_is_little() ? (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
                               : (uint32_t)at[2] | (uint32_t)at[1] << 8 | (uint32_t)at[0] << 16;
}

// A sign, 7 bits of exponent, 16 of fraction; f32 has room for all of it.
static float widen_f24(uint32_t bits)
{
    const uint32_t exponent = bits >> 16 & 127, fraction = bits & 0xffff;
    uint32_t wide = (bits & 0x800000) << 8;
    float value;
    if (exponent == 127)
        wide |= 0x7f800000 | fraction << 7;
    else if (exponent != 0)
        wide |= (exponent - 63 + 127) << 23 | fraction << 7;
    memcpy(&value, &wide, sizeof value);
    if (exponent == 0) // subnormal: a multiple of 2^-78
        value = (wide ? -1.0f : 1.0f) * ((float)fraction * 0x1p-78f);
    return value;
}

static void unpack_24(const lg_tiff_page *page, const uint8_t *stored, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = three_bytes(stored + 3 * i);
        const float real = widen_f24(value);
        if (page->number == LG_TIFF_FLOAT)
            memcpy((uint8_t *)out + 4 * i, &real, sizeof real);
        else
            store(page->number == LG_TIFF_INT ? extend_sign(value, 24) : value, 4, i, out);
    }
}

bool lg_tiff_is_unpacked(const lg_tiff_page *page)
{
    return page->bits == 8 || page->bits == 16 || page->bits == 32 || page->bits == 64;
}

void lg_tiff_unpack(const lg_tiff_page *page, const uint8_t *stored, size_t count, void *out)
{
    const int bits = page->bits;
    if (bits == 24)
        unpack_24(page, stored, count, out);
    else if (bits == 1 && !page->palette && page->number == LG_TIFF_UINT)
        unpack_bilevel(stored, count, out);
    else
        unpack_bits(page, stored, count, out);
}

#endif
