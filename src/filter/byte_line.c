#include "filter/byte_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps in both directions around the nearest slope and offset; the products' rounding wants some.
#define NEAR 2

typedef struct line {
    double slope, offset; // in bytes, of the inverted byte where `invert`
    bool invert;
} line;

// Through the outermost values that nothing clamped.
static bool find_line(const uint8_t *table, const float *values, line *out)
{
    int first = 0, last = 255;
    while (first < 256 && !(values[first] > 0 && values[first] < 1))
        first++;
    while (last > first && !(values[last] > 0 && values[last] < 1))
        last--;
    *out = (line){0, table[0], false};
    if (first >= last)
        return memcmp(table, table + 1, 255) == 0;
    out->slope = 255 * ((double)values[last] - (double)values[first]) / (last - first);
    out->offset = 255 * (double)values[first] - out->slope * first;
    if (out->slope < 0) {
        out->offset += 255 * out->slope;
        out->slope = -out->slope;
        out->invert = true;
    }
    return true;
}

static int byte_of(int x, uint32_t slope, int32_t offset, int shift)
{
    const int32_t y = (int32_t)((uint32_t)x * slope >> 8) + offset;
    const int32_t kept = y < 0 ? 0 : LG_MIN(y, 65535);
    return LG_MIN(kept >> shift, 255);
}

static int count_odd(const uint8_t *table, bool invert, uint32_t slope, int32_t offset, int shift)
{
    int odd = 0;
    for (int x = 0; x < 256; x++)
        odd += byte_of(invert ? 255 - x : x, slope, offset, shift) != table[x];
    return odd;
}

static bool fit(const uint8_t *table, const line *l, int k, lg_byte_lines *out)
{
    const int shift = out->shift;
    const int32_t slope = (int32_t)lrint(ldexp(l->slope, 8 + shift));
    // Half a byte for rounding, half a step for the product, which is rounded down.
    const int32_t offset = (int32_t)lrint(ldexp(l->offset + 0.5, shift) + 0.5);
    int min = 256;
    int32_t best_slope = 0, best_offset = 0;
    for (int i = 0; i < (2 * NEAR + 1) * (2 * NEAR + 1) && min; i++) {
        static const int order[] = {0, 1, -1, 2, -2};
        const int32_t s = slope + order[i / (2 * NEAR + 1)], o = offset + order[i % (2 * NEAR + 1)];
        const int odd =
            s < 0 || s > 65535 ? 256 : count_odd(table, l->invert, (uint32_t)s, o, shift);
        if (odd < min)
            min = odd, best_slope = s, best_offset = o;
    }
    if (min > LG_LINE_ODD || abs(best_offset) > 65535)
        return false;
    out->invert[k] = l->invert ? 255 : 0;
    out->slope[k] = (uint16_t)best_slope;
    out->add[k] = (uint16_t)LG_MAX(best_offset, 0);
    out->subtract[k] = (uint16_t)LG_MAX(-best_offset, 0);
    out->odd_count = LG_MAX(out->odd_count, min);
    for (int x = 0, i = 0; x < 256; x++) {
        const int y = byte_of(l->invert ? 255 - x : x, (uint32_t)best_slope, best_offset, shift);
        if (y != table[x]) {
            out->odd[i][k] = (uint8_t)x;
            out->step[i++][k] = (uint8_t)(table[x] - y);
        }
    }
    return true;
}

bool lg_byte_lines_fit(const uint8_t (*tables)[256], const float *const values[4],
                       lg_byte_lines *out)
{
    line lines[4];
    double steepest = 0;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) {
        if (!find_line(tables[k], values[k], &lines[k]))
            return false;
        steepest = fmax(steepest, lines[k].slope);
    }
    // As many bits behind the point as 16 have room for, at least one.
    out->shift = 7;
    while (out->shift > 0 && ldexp(steepest, 8 + out->shift) > 65530)
        out->shift--;
    for (int k = 0; k < 4 && out->shift > 0; k++)
        if (!(fabs(lines[k].offset) < 500) || !fit(tables[k], &lines[k], k, out))
            return false;
    return out->shift > 0;
}

bool lg_byte_steps_fit(const uint8_t (*tables)[256], lg_byte_steps *out)
{
    for (int k = 0; k < 4; k++) {
        const uint8_t *table = tables[k];
        int from = 0, end;
        while (from < 255 && table[from] == table[0])
            from++;
        for (end = from; end < 256 && table[end] == table[255]; end++)
            ;
        if (end < 256)
            return false;
        out->from[k] = (uint8_t)from;
        out->below[k] = table[0];
        out->above[k] = table[255];
    }
    return true;
}
