// Ripmaps in device memory and their boxes, against loops written from the definitions.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "device_array.h"

// ---- ripmaps ----------------------------------------------------------------------------------------

// All blocks one after the other, the first included.
typedef struct ripmap {
    size_t levels[3];
    uint32_t extent[3];
    size_t block[32 * 32], blocks, words; // where they begin, in words; in all
} ripmap;

// The levels of a block along each axis.
static void levels_of(const ripmap *r, size_t b, size_t level[3])
{
    for (int d = 0; d < 3; d++) {
        level[d] = b % r->levels[d];
        b /= r->levels[d];
    }
}

static ripmap ripmap_of(const array *a)
{
    ripmap r = {.levels = {1, 1, 1},
                .extent = {a->device.width, a->device.height, a->device.layers}};
    for (int d = 0; d < 3; d++)
        while (r.extent[d] >> r.levels[d])
            r.levels[d]++;
    for (; r.blocks < r.levels[0] * r.levels[1] * r.levels[2]; r.blocks++) {
        size_t level[3], words = (size_t)a->device.channels;
        levels_of(&r, r.blocks, level);
        for (int d = 0; d < 3; d++)
            words *= r.extent[d] >> level[d];
        r.block[r.blocks] = r.words;
        r.words += words;
    }
    return r;
}

static uint32_t key_at(const array *a, size_t i)
{
    const float x = (float)value_at(a, i);
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (a->device.type == LG_I32)
        return (uint32_t)(int32_t)value_at(a, i) ^ 0x80000000u;
    if (!lg_area_is_float(a->device.type))
        return (uint32_t)value_at(a, i);
    return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}

static int exponent_of_units; // E of the array at hand, which would take long for each sample

// Nodes in 64 bits, floats as their bits.
static uint64_t first_node(const array *a, const lg_area_rule *rule, size_t i)
{
    const double x = value_at(a, i);
    if (rule->operation == LG_AREA_OP_LEAST || rule->operation == LG_AREA_OP_MOST)
        return isfinite(x) ? key_at(a, i) : rule->operation == LG_AREA_OP_LEAST ? UINT32_MAX : 0;
    if (rule->sum != LG_AREA_F32)
        return sample_sum(a, rule, i, exponent_of_units);
    const float single = isfinite(x) ? (float)x : 0;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return bits;
}

static uint64_t join(const lg_area_rule *rule, uint64_t a, uint64_t b)
{
    if (rule->operation == LG_AREA_OP_LEAST)
        return LG_MIN(a, b);
    if (rule->operation == LG_AREA_OP_MOST)
        return LG_MAX(a, b);
    if (rule->sum != LG_AREA_F32)
        return rule->sum == LG_AREA_U32 ? (uint32_t)(a + b) : a + b;
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

// Node by node, as defined: from the level below along the last axis whose level is not 0.
static uint64_t *expected_ripmap(const array *a, const lg_area_rule *rule, const ripmap *r)
{
    uint64_t *nodes = calloc(r->words, 8);
    for (size_t i = 0; i < a->samples; i++)
        nodes[i] = first_node(a, rule, i);
    for (size_t b = 1; b < r->blocks; b++) {
        size_t level[3], inner = (size_t)a->device.channels, numbers = 1, outer = 1;
        levels_of(r, b, level);
        const int axis = level[2] ? 2 : level[1] ? 1 : 0;
        for (int d = 0; d < axis; d++) {
            inner *= r->extent[d] >> level[d];
            numbers *= r->levels[d];
        }
        for (int d = axis + 1; d < 3; d++)
            outer *= r->extent[d];
        const size_t length = r->extent[axis] >> level[axis];
        const size_t below = r->extent[axis] >> (level[axis] - 1);
        const uint64_t *from = nodes + r->block[b - numbers];
        for (size_t i = 0; i < inner * length * outer; i++) {
            const size_t node = i / inner % length, line = i / inner / length;
            const size_t first = (line * below + 2 * node) * inner + i % inner;
            nodes[r->block[b] + i] = join(rule, from[first], from[first + inner]);
        }
    }
    return nodes;
}

static void compare_nodes(const array *a, const lg_area_rule *rule, const ripmap *r,
                          const uint8_t *got, const uint64_t *want, size_t begin)
{
    const size_t size = lg_area_word_size(rule->sum);
    size_t i = begin, b = 0;
    while (i < r->words && !memcmp(got + i * size, want + i, size))
        i++;
    while (b + 1 < r->blocks && r->block[b + 1] <= i)
        b++;
    size_t level[3];
    levels_of(r, b, level);
    CHECK(i == r->words,
          "%ux%ux%u, %d channels of element %d, sum %s of %d: node %zu of levels %zu, %zu, %zu",
          a->device.width, a->device.height, a->device.layers, a->device.channels,
          (int)a->device.type, sum_names[rule->sum], (int)rule->operation, i - r->block[b],
          level[0], level[1], level[2]);
}

static lg_vk_buffer *address_table(const ripmap *r, const lg_vk_buffer *nodes, size_t size)
{
    uint64_t addresses[32 * 32];
    for (size_t b = 0; b < r->blocks; b++)
        addresses[b] = nodes->address + r->block[b] * size;
    lg_vk_buffer *table = new_buffer(r->blocks * 8);
    if (table)
        lg_vk_upload(area_context->vk, table, 0, r->blocks * 8, addresses, r->blocks * 8,
                     r->blocks * 8, 1, &area_error);
    return table;
}

// The nodes of an interval, as defined: level by level while it is not empty.
static size_t cut(int32_t low, int32_t end, int level[64], int32_t node[64])
{
    size_t count = 0;
    for (int l = 0; low < end; l++, low /= 2, end /= 2) {
        if (low % 2) {
            level[count] = l;
            node[count++] = low++;
        }
        if (end % 2) {
            level[count] = l;
            node[count++] = --end;
        }
    }
    return count;
}

static uint64_t walk_sum(const array *a, const lg_area_rule *rule, const ripmap *r,
                         const uint64_t *nodes, const int32_t *bounds, int dims, size_t channel)
{
    int levels[3][64] = {{0}};
    int32_t at[3][64] = {{0}};
    size_t count[3] = {1, 1, 1};
    for (int d = 0; d < dims; d++)
        count[d] = cut(bounds[d], bounds[dims + d], levels[d], at[d]);
    uint64_t sum = rule->operation == LG_AREA_OP_LEAST ? UINT32_MAX : 0;
    float hi = 0, lo = 0;
    for (size_t i = 0; i < count[0] * count[1] * count[2]; i++) {
        const size_t of[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
        size_t b = 0, node = 0;
        for (int d = 2; d >= 0; d--) {
            b = b * r->levels[d] + (size_t)levels[d][of[d]];
            node = node * (r->extent[d] >> levels[d][of[d]]) + (size_t)at[d][of[d]];
        }
        const uint64_t v = nodes[r->block[b] + node * (size_t)a->device.channels + channel];
        float f;
        memcpy(&f, &v, 4);
        const float s = hi + f, t = s - hi;
        lo = lo + ((hi - (s - t)) + (f - t));
        hi = s;
        sum = rule->operation == LG_AREA_OP_LEAST  ? LG_MIN(sum, v)
              : rule->operation == LG_AREA_OP_MOST ? LG_MAX(sum, v)
                                                   : sum + v;
    }
    if (rule->sum != LG_AREA_F32)
        return sum;
    uint32_t bits[2];
    memcpy(&bits[0], &hi, 4);
    memcpy(&bits[1], &lo, 4);
    return bits[0] | (uint64_t)bits[1] << 32;
}

static void check_walks(const array *a, const lg_area_rule *rule, const ripmap *r,
                        const lg_vk_buffer *table, const uint64_t *nodes, lg_vk_commands *commands)
{
    batch b;
    const int dims = a->device.layers > 1 ? 3 : a->device.height > 1 ? 2 : 1;
    if (!open_batch(&b, a, dims, 301))
        return;
    b.device.words = rule->words;
    lg_vk_begin(commands);
    if (finish(commands, lg_area_record_nodes(area_context, &b.device, rule->sum, rule->operation,
                                              table->address, commands, &area_error)) &&
        download(b.results, b.results_buffer, b.words * 8)) {
        size_t wrong = 0;
        const size_t channels = (size_t)a->device.channels;
        for (size_t i = 0; i < b.words; i++)
            wrong += b.results[i] != walk_sum(a, rule, r, nodes,
                                              b.bounds + i / channels * 2 * (size_t)dims, dims,
                                              i % channels);
        CHECK(wrong == 0, "%zu of %zu boxes of the ripmap of %ux%u, sum %s", wrong, b.words,
              a->device.width, a->device.height, sum_names[rule->sum]);
    }
    close_batch(&b);
}

static void check_ripmap(const array *a, const lg_area_rule *rule, bool write_first)
{
    const ripmap r = ripmap_of(a);
    const size_t bytes = r.words * lg_area_word_size(rule->sum);
    lg_vk_commands *commands = NULL;
    lg_vk_buffer *nodes = new_buffer(bytes + 64);
    lg_vk_buffer *table = address_table(&r, nodes, lg_area_word_size(rule->sum));
    uint64_t *want = expected_ripmap(a, rule, &r);
    uint8_t *got = malloc(bytes + 64);
    if (lg_vk_commands_create(area_context->vk, 0, &commands, &area_error))
        return;
    lg_area_rule there = *rule;
    there.words = nodes->address;
    lg_vk_begin(commands);
    lg_vk_fill(commands, nodes, 0, nodes->size / 4 * 4, 0xabababab);
    lg_vk_barrier(commands);
    if (finish(commands, lg_area_record_ripmap(area_context, &a->device, &there, table->address,
                                               write_first, commands, &area_error)) &&
        download(got, nodes, bytes + 64)) {
        compare_nodes(a, rule, &r, got, want, write_first ? 0 : a->samples);
        const size_t end = write_first ? bytes : 0;
        bool kept = true;
        for (size_t i = 0; i < 64; i++)
            kept &= got[bytes + i] == 0xab;
        for (size_t i = 0; i < a->samples && !end; i++)
            kept &= got[i] == 0xab;
        CHECK(kept, "written outside");
        if (write_first)
            check_walks(a, &there, &r, table, want, commands);
    }
    free(want);
    free(got);
    lg_vk_commands_destroy(area_context->vk, &commands);
    lg_vk_buffer_destroy(area_context->vk, &nodes);
    lg_vk_buffer_destroy(area_context->vk, &table);
}

static void find_largest(const array *a, lg_area_rule *rule, lg_vk_buffer *result)
{
    lg_vk_commands *commands = NULL;
    exponent_of_units = exponent_of(a);
    rule->fraction = fraction_of(a);
    rule->largest = result->address;
    if (lg_vk_commands_create(area_context->vk, 0, &commands, &area_error))
        return;
    lg_vk_begin(commands);
    lg_vk_fill(commands, result, 0, 16, 0);
    lg_vk_barrier(commands);
    finish(commands, lg_area_record_largest(area_context, &a->device, result->address, commands,
                                            &area_error));
    lg_vk_commands_destroy(area_context->vk, &commands);
}

static void layers_test(lg_type type, int channels, const uint32_t extent[3], lg_area_word word,
                        lg_area_op operation, bool write_first)
{
    static uint32_t number;
    array a;
    lg_area_rule rule = {.sum = word, .operation = operation, .above = 100};
    const bool in_units = lg_area_is_float(type) && word == LG_AREA_U64;
    if (!open_array(&a, type, channels, extent[0], extent[1], extent[2], in_units))
        return;
    lg_vk_buffer *largest = new_buffer(16);
    if (in_units && largest)
        find_largest(&a, &rule, largest);
    // Tiles of 8 and of 16 rows take turns, and ways from lane to lane.
    number++;
    for (uint32_t tall = 0; tall < 2; tall++) {
        rule.tuning.groups = tall ? 2 : 1;
        rule.tuning.shuffled = number % 3 ? 0 : 8;
        if (test_is_full() || (extent[2] > 1 ? 0 : number % 2) == tall)
            check_ripmap(&a, &rule, write_first);
    }
    lg_vk_buffer_destroy(area_context->vk, &largest);
    close_array(&a);
}

static void ripmap_test(lg_type type, int channels, uint32_t width, uint32_t height,
                        lg_area_word word, lg_area_op operation, bool write_first)
{
    const uint32_t extent[] = {width, height, 1};
    layers_test(type, channels, extent, word, operation, write_first);
}

static void test_layers(void)
{
    static const uint32_t sizes[][3] = {{133, 35, 5}, {1, 1, 67},  {3, 21, 33},
                                        {260, 17, 3}, {1, 70, 12}, {9, 1, 2}};
    for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(2, 1, 1))
        layers_test(LG_F32, 1, sizes[i], i / 2 % 2 ? LG_AREA_U64 : LG_AREA_F32, LG_AREA_OP_SUM,
                    true);
    for (int type = 0; type < LG_F64 && test_is_full(); type++) {
        layers_test(type, 1 + type % 4, sizes[type], LG_AREA_U64, LG_AREA_OP_COUNT, true);
        layers_test(type, 1 + (type + 2) % 4, sizes[type], LG_AREA_U32, LG_AREA_OP_LEAST, true);
    }
}

static void test_ripmaps(void)
{
    static const uint32_t sizes[][2] = {{1, 1},     {1, 77},    {203, 1},  {64, 32},
                                        {63, 31},   {65, 33},   {129, 70}, {257, 129},
                                        {1031, 37}, {37, 2051}, {5000, 3}, {512, 256}};
    for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(4, 1, 1)) {
        ripmap_test(LG_F32, 1, sizes[i][0], sizes[i][1], LG_AREA_F32, LG_AREA_OP_SUM, i % 2);
        ripmap_test(LG_U8, 1, sizes[i][0], sizes[i][1], LG_AREA_U32, LG_AREA_OP_SUM, true);
    }
    for (int type = 0; type < LG_F64; type += test_extent(3, 2, 1)) {
        const bool floats = lg_area_is_float(type);
        ripmap_test(type, 1 + type % 4, 133, 71, floats ? LG_AREA_F32 : LG_AREA_U64, LG_AREA_OP_SUM,
                    true);
        ripmap_test(type, 1 + (type + 2) % 4, 75, 95, LG_AREA_U32,
                    type % 2 ? LG_AREA_OP_LEAST : LG_AREA_OP_MOST, true);
        ripmap_test(type, 1, 75, 95, LG_AREA_U32, floats ? LG_AREA_OP_COUNT : LG_AREA_OP_ABOVE,
                    true);
    }
    for (int op = LG_AREA_OP_SUM; op <= LG_AREA_OP_SQUARES_TOP; op++) {
        if (!test_is_short() || op % 2)
            ripmap_test(LG_F32, 1 + op, 101, 40, LG_AREA_U64, (lg_area_op)op, true);
        if (!test_is_short() || op % 2 == 0)
            ripmap_test(LG_F16, 4 - op, 50, 33, LG_AREA_U64, (lg_area_op)op, true);
        ripmap_test(LG_F32, 1, 2, 1, LG_AREA_U64, (lg_area_op)op, true);
    }
}

static void run_tests(void)
{
    random_seed(6);
    test_ripmaps();
    test_layers();
}

int main(void)
{
    return device_main("vulkan_ripmap", &area_context, run_tests);
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("vulkan_ripmap");
}

#endif
