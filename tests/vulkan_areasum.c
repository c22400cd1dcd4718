// Area sums in device memory: every kernel against a loop written from the definitions.
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "device/lookback.h"
#include "device/workspace.h"
#include "device_array.h"

#define MOST_TRIES 50 // of a table, where software is too busy for a chain

static unsigned repeated; // chained tables, since tiles waited in vain

// ---- the definitions ----------------------------------------------------------------------------

// In place along an axis: entry i of a line is `step` entries behind entry i - 1.
static void sum_integers(uint64_t *at, size_t count, size_t step)
{
    for (size_t i = 1; i < count; i++)
        at[i * step] += at[(i - 1) * step];
}

// Along axis 0: `block` entries by halves.
static void sum_float_row(float *at, size_t count, size_t step, size_t block)
{
    float carry = 0;
    for (size_t first = 0; first < count; first += block) {
        const size_t end = LG_MIN(first + block, count);
        for (size_t half = 1; half < block; half *= 2)
            for (size_t i = first; i < end; i++)
                if ((i - first) / half % 2)
                    at[i * step] += at[((i - first) / half * half - 1 + first) * step];
        for (size_t i = first; i < end; i++)
            at[i * step] += carry;
        carry = at[(end - 1) * step];
    }
}

// Along the others: groups of 8, blocks of 8 groups.
static void sum_float_column(float *at, size_t count, size_t step)
{
    float block = 0, group = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        within = i % 8 ? within + at[i * step] : at[i * step];
        at[i * step] = block + (group + within);
        if (i % 8 == 7)
            group += within;
        if (i % 64 == 63) {
            block += group;
            group = 0;
        }
    }
}

// block: of axis 0, for floats; 0: another axis.
static void sum_axis(void *sums, bool floats, size_t lines, size_t inner, size_t outer,
                     size_t count, size_t step, size_t block)
{
    for (size_t i = 0; i < lines; i++) {
        const size_t start = i % inner + i / inner * outer;
        if (!floats)
            sum_integers((uint64_t *)sums + start, count, step);
        else if (block)
            sum_float_row((float *)sums + start, count, step, block);
        else
            sum_float_column((float *)sums + start, count, step);
    }
}

// The table as the device should have it; the caller frees it.
static void *expected_table(const array *a, const lg_area_rule *rule, bool three)
{
    const bool floats = rule->sum == LG_AREA_F32;
    uint64_t *sums = calloc(a->samples, 8);
    float *single = (float *)(void *)sums;
    uint32_t *narrow = (uint32_t *)(void *)sums;
    const int exponent = exponent_of(a);
    for (size_t i = 0; i < a->samples; i++) {
        if (floats)
            single[i] = isfinite(value_at(a, i)) ? (float)value_at(a, i) : 0;
        else
            sums[i] = sample_sum(a, rule, i, exponent);
    }
    const size_t c = (size_t)a->device.channels, w = a->device.width, h = a->device.height;
    const size_t layers = a->device.layers, layer = a->row * h;
    sum_axis(sums, floats, c * h * layers, c, a->row, w, c, c == 3 ? 32 : 128 / c);
    sum_axis(sums, floats, a->row * layers, a->row, layer, h, a->row, 0);
    if (three)
        sum_axis(sums, floats, layer, layer, 0, layers, layer, 0);
    for (size_t i = 0; rule->sum == LG_AREA_U32 && i < a->samples; i++)
        narrow[i] = (uint32_t)sums[i];
    return sums;
}

// ---- on the device ------------------------------------------------------------------------------

static bool find_largest(const array *a, lg_vk_commands *commands, lg_vk_buffer *result)
{
    uint32_t words[4] = {0};
    uint64_t ignored = 0;
    lg_vk_begin(commands);
    lg_vk_fill(commands, result, 0, 16, 0);
    lg_vk_barrier(commands);
    if (!finish(commands, lg_area_record_largest(area_context, &a->device, result->address,
                                                 commands, &area_error)) ||
        !download(words, result, 16))
        return false;
    for (size_t i = 0; i < a->samples; i++)
        ignored += !isfinite(value_at(a, i));
    float got;
    memcpy(&got, words, 4);
    CHECK((double)got == largest_of(a) && words[1] == ignored && words[2] == 0,
          "%ux%ux%u: largest %g not %g, %u samples ignored", a->device.width, a->device.height,
          a->device.layers, (double)got, largest_of(a), words[1]);
    return true;
}

static void compare_sums(const array *a, const lg_area_rule *rule, const uint8_t *got,
                         const uint8_t *want)
{
    const size_t size = lg_area_word_size(rule->sum);
    size_t i = 0;
    while (i < a->samples && !memcmp(got + i * size, want + i * size, size))
        i++;
    uint64_t x = 0, y = 0;
    if (i < a->samples) {
        memcpy(&x, got + i * size, size);
        memcpy(&y, want + i * size, size);
    }
    CHECK(i == a->samples,
          "%ux%ux%u, %d channels of element %d, sum %s of %d, method %d, %u groups, depth %u, "
          "%u lanes, advance %u: sample %zu (column %zu, row %zu) is %llx, not %llx",
          a->device.width, a->device.height, a->device.layers, a->device.channels,
          (int)a->device.type, sum_names[rule->sum], (int)rule->operation, (int)rule->tuning.method,
          rule->tuning.groups, rule->tuning.depth, rule->tuning.shuffled, rule->tuning.advance, i,
          i % a->row, i / a->row, (unsigned long long)x, (unsigned long long)y);
}

// ---- queries --------------------------------------------------------------------------------------

// From the table, corner by corner; `table` holds the plane's own words.
static uint64_t corner_sum(const array *a, lg_area_word word, const int32_t *bounds, int dims,
                           const uint8_t *table, size_t channel)
{
    const size_t size = lg_area_word_size(word);
    const uint32_t extent[] = {a->device.width, a->device.height, a->device.layers};
    uint64_t sum = 0;
    float single = 0;
    for (int k = 0; k < 1 << dims; k++) {
        size_t at = 0;
        bool there = true;
        for (int d = dims - 1; d >= 0; d--) {
            const int32_t i = k >> d & 1 ? bounds[d] : bounds[dims + d];
            there &= i > 0;
            at = at * extent[d] + (size_t)(i - 1);
        }
        if (!there)
            continue;
        const bool negative = (k ^ k >> 1 ^ k >> 2) & 1;
        uint64_t v = 0;
        float x;
        memcpy(&v, table + (at * (size_t)a->device.channels + channel) * size, size);
        memcpy(&x, &v, 4);
        sum = negative ? sum - v : sum + v;
        single = negative ? single - x : single + x;
    }
    if (word == LG_AREA_F32) {
        uint32_t bits;
        memcpy(&bits, &single, 4);
        return bits;
    }
    return word == LG_AREA_U32 ? (uint32_t)sum : sum;
}

static void check_queries(const array *a, const lg_area_rule *rule, bool three,
                          const lg_vk_buffer *table, const uint8_t *want, lg_vk_commands *commands)
{
    batch b;
    const int dims = three ? 3 : a->device.layers > 1 ? 0 : a->device.height > 1 ? 2 : 1;
    if (dims == 0 || !open_batch(&b, a, dims, 203))
        return;
    const size_t size = rule->sum == LG_AREA_F32 ? 4 : 8;
    lg_vk_begin(commands);
    if (!finish(commands, lg_area_record_corners(area_context, &b.device, rule->sum, true,
                                                 table->address, commands, &area_error)) ||
        !download(b.results, b.results_buffer, b.words * size))
        return;
    size_t wrong = 0;
    for (size_t i = 0; i < b.words; i++) {
        uint64_t got = 0;
        memcpy(&got, (char *)b.results + i * size, size);
        wrong += got != corner_sum(a, rule->sum,
                                   b.bounds + i / (size_t)a->device.channels * 2 * (size_t)dims,
                                   dims, want, i % (size_t)a->device.channels);
    }
    CHECK(wrong == 0, "%zu of %zu boxes of %ux%ux%u, sum %s", wrong, b.words, a->device.width,
          a->device.height, a->device.layers, sum_names[rule->sum]);
    close_batch(&b);
}

static lg_status record(const array *a, const lg_area_rule *rule, const lg_vk_buffer *table,
                        bool three, lg_vk_commands *commands)
{
    lg_status status = lg_area_record_tables(area_context, &a->device, rule, table->address,
                                             commands, &area_error);
    if (!status && three)
        status =
            lg_area_record_axis(area_context, rule->sum, table->address, a->row * a->device.height,
                                a->device.layers, commands, &area_error);
    return status;
}

// Chained tiles may wait in vain on a device that is not hardware, where that is a matter of luck.
static bool make_table(const array *a, lg_area_rule *rule, lg_vk_buffer *table, bool three,
                       lg_vk_commands *commands)
{
    bool gave_up = true;
    lg_status status = LG_OK;
    for (int i = 0; i < MOST_TRIES && gave_up && !status; i++) {
        lg_lookback_begin(area_context);
        lg_vk_begin(commands);
        lg_vk_fill(commands, table, 0, table->size / 4 * 4, 0xabababab);
        lg_vk_barrier(commands);
        status = record(a, rule, table, three, commands);
        if (!finish(commands, status))
            status = LG_ERROR_DEVICE;
        gave_up = lg_lookback_gave_up(area_context);
        if (!status && gave_up && rule->tuning.method == LG_AREA_CHAINED &&
            !lg_vk_get_limits(area_context->vk)->hardware)
            repeated++;
        else
            CHECK(status || !gave_up, "waited in vain");
    }
    if (!status && gave_up)
        check_skip("tiles waited for each other in vain, time after time");
    return !status && !gave_up;
}

// The table of one rule, by the method it asks for or by both.
static void check_table(const array *a, lg_area_rule rule, bool three)
{
    const int asked = rule.tuning.method;
    const size_t bytes = a->samples * lg_area_word_size(rule.sum);
    lg_vk_commands *commands = NULL;
    lg_vk_buffer *table = new_buffer(bytes + 64), *largest = new_buffer(16);
    uint8_t *want = expected_table(a, &rule, three), *got = malloc(bytes + 64);
    if (!table || !largest || lg_vk_commands_create(area_context->vk, 0, &commands, &area_error))
        return;
    rule.largest = largest->address;
    if (rule.sum == LG_AREA_U64 && lg_area_is_float(a->device.type))
        find_largest(a, commands, largest);
    for (int method = LG_AREA_CHAINED; method <= LG_AREA_PASSES; method++) {
        if (asked && method != asked)
            continue;
        rule.tuning.method = method;
        if (!make_table(a, &rule, table, three, commands) || !download(got, table, bytes + 64))
            continue;
        compare_sums(a, &rule, got, want);
        bool kept = true;
        for (size_t i = 0; i < 64; i++)
            kept &= got[bytes + i] == 0xab;
        CHECK(kept, "written behind the end");
        check_queries(a, &rule, three, table, want, commands);
    }
    free(want);
    free(got);
    lg_vk_commands_destroy(area_context->vk, &commands);
    lg_vk_buffer_destroy(area_context->vk, &table);
    lg_vk_buffer_destroy(area_context->vk, &largest);
}

// ---- what is tested -----------------------------------------------------------------------------

// Software Vulkan takes a second for each kernel: the methods take turns in the usual run.
static lg_area_tuning in_turn(int number)
{
    return (lg_area_tuning){.method = test_is_full() ? LG_AREA_AUTO
                                      : number % 2   ? LG_AREA_PASSES
                                                     : LG_AREA_CHAINED};
}

static void table_of(lg_type type, int channels, uint32_t width, uint32_t height, uint32_t layers,
                     lg_area_rule rule)
{
    array a;
    const bool wild = rule.sum == LG_AREA_U64;
    if (open_array(&a, type, channels, width, height, layers, wild)) {
        rule.fraction = fraction_of(&a);
        check_table(&a, rule, layers > 1);
    }
    close_array(&a);
}

static void test_sizes(void)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},     {1, 67, 1},    {131, 1, 1},  {31, 33, 1},
                                        {127, 129, 1}, {128, 64, 1},  {257, 31, 1}, {389, 197, 1},
                                        {33, 65, 3},   {1031, 70, 1}, {5, 1025, 1}, {300, 300, 2},
                                        {2, 3, 67},    {513, 511, 1}, {640, 480, 1}};
    static const struct {
        lg_type type;
        lg_area_word sum;
    } kinds[] = {{LG_U8, LG_AREA_U32}, {LG_F32, LG_AREA_F32}, {LG_F32, LG_AREA_U64}};
    for (size_t k = 0; k < LG_COUNT(kinds); k++)
        for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(4, 1, 1))
            table_of(kinds[k].type, 1, sizes[i][0], sizes[i][1], sizes[i][2],
                     (lg_area_rule){.sum = kinds[k].sum});
}

static void test_types(void)
{
    for (int type = 0; type < LG_F64; type += test_extent(2, 2, 1)) {
        const int first = test_is_full() ? 1 : 1 + (type + type / 2) % 4;
        for (int channels = first; channels <= 4; channels += test_extent(4, 4, 1)) {
            const lg_area_tuning tuning = in_turn(type / 2);
            const lg_area_word narrow = !lg_area_is_float(type) ? LG_AREA_U32 : LG_AREA_F32;
            table_of(type, channels, 131, 67, 1, (lg_area_rule){.sum = narrow, .tuning = tuning});
            table_of(type, channels, 101, 37, 2,
                     (lg_area_rule){.sum = LG_AREA_U64, .tuning = tuning});
        }
    }
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static void test_operations(void)
{
    for (int type = 0; type < LG_F64; type += test_extent(3, 3, 1)) {
        const bool floats = lg_area_is_float(type);
        const lg_area_tuning tuning = in_turn(0);
        const lg_area_rule square = {.sum = LG_AREA_U64,
                                     .operation = LG_AREA_OP_SQUARES,
                                     .tuning = tuning},
                           top = {.sum = LG_AREA_U64,
                                  .operation = LG_AREA_OP_SQUARES_TOP,
                                  .tuning = tuning};
        const lg_area_rule finite = {.operation = LG_AREA_OP_COUNT, .tuning = tuning};
        const uint32_t levels[] = {floats ? float_bits(0.25f) : 100,
                                   floats ? float_bits(-1.0f) : (uint32_t)-100, 0};
        table_of(type, 1, 133, 35, 1, square);
        for (size_t i = 0; i < LG_COUNT(levels); i++)
            table_of(type, 1, 133, 35, 1,
                     (lg_area_rule){
                         .operation = LG_AREA_OP_ABOVE, .above = levels[i], .tuning = tuning});
        if (!floats)
            continue;
        table_of(type, 1, 133, 35, 1, finite);
        table_of(type, 1, 133, 35, 1, top);
        table_of(type, 2, 3, 1, 1, top); // shifts of almost whole words
        table_of(type, 2, 3, 1, 1, square);
    }
}

// More tiles than a dispatch may have workgroups.
static void test_parts(void)
{
    // So many tiles in a chain are beyond the patience of software, whose loops end after 65535 turns.
    const bool hardware = lg_vk_get_limits(area_context->vk)->hardware;
    const lg_area_tuning tuning = {.method = hardware ? LG_AREA_AUTO : LG_AREA_PASSES, .groups = 1};
    if (!hardware)
        check_skip("chains of 70000 tiles are for hardware");
    if (test_is_short())
        check_skip("more tiles than a dispatch has workgroups, outside the short form");
    else
        table_of(LG_U8, 1, 1000, 2200, 1, (lg_area_rule){.sum = LG_AREA_U32, .tuning = tuning});
}

// A box whose sum is above 2^32.
static void test_wrapping(void)
{
    array a;
    if (test_is_short())
        check_skip("sums of bytes above 2^32, outside the short form");
    if (test_is_short() || !open_array(&a, LG_U8, 1, 4111, 4099, 1, false))
        return;
    lg_vk_buffer *table = new_buffer(a.samples * 4);
    lg_vk_commands *commands = NULL;
    batch b;
    if (table && open_batch(&b, &a, 2, 50) &&
        !lg_vk_commands_create(area_context->vk, 0, &commands, &area_error)) {
        const int32_t whole[] = {0, 0, 4111, 4099};
        const lg_area_rule rule = {.tuning.method = LG_AREA_PASSES};
        memcpy(b.bounds, whole, sizeof whole);
        lg_vk_upload(area_context->vk, b.bounds_buffer, 0, 16, whole, 16, 16, 1, &area_error);
        lg_vk_begin(commands);
        lg_vk_fill(commands, a.buffer, 0, a.buffer->size / 4 * 4, UINT32_MAX);
        lg_vk_barrier(commands);
        lg_status status = lg_area_record_tables(area_context, &a.device, &rule, table->address,
                                                 commands, &area_error);
        if (!status)
            status = lg_area_record_corners(area_context, &b.device, LG_AREA_U32, true,
                                            table->address, commands, &area_error);
        if (finish(commands, status) && download(b.results, b.results_buffer, b.words * 8))
            for (size_t i = 0; i < b.words; i++) {
                const int32_t *box = b.bounds + 4 * i;
                const uint64_t want =
                    255 * (uint64_t)(box[2] - box[0]) * (uint64_t)(box[3] - box[1]);
                CHECK(b.results[i] == want, "box %zu: %llu, not %llu", i,
                      (unsigned long long)b.results[i], (unsigned long long)want);
            }
        lg_vk_commands_destroy(area_context->vk, &commands);
    }
    close_batch(&b);
    lg_vk_buffer_destroy(area_context->vk, &table);
    close_array(&a);
}

// Tiles of other sides, which change nothing.
static void test_tiles(void)
{
    static const lg_area_tuning tunings[] = {{.groups = 4, .depth = 1},
                                             {.groups = 2, .each = 6, .depth = 3, .shuffled = 4},
                                             {.groups = 16, .each = 2, .advance = 1, .shuffled = 1},
                                             {.depth = 16, .advance = 3},
                                             {.groups = 1, .depth = 2, .advance = 5}};
    for (size_t i = 0; i < LG_COUNT(tunings); i += (size_t)test_extent(3, 3, 1)) {
        lg_area_tuning tuning = tunings[i];
        tuning.method = in_turn((int)i).method;
        table_of(LG_U8, 1, 601, 403, 2, (lg_area_rule){.sum = LG_AREA_U32, .tuning = tuning});
        table_of(LG_F32, 1, 601, 403, 2, (lg_area_rule){.sum = LG_AREA_F32, .tuning = tuning});
    }
}

// The last number of a run, and the first again.
static void test_runs(void)
{
    const lg_area_rule rule = {.tuning.method = LG_AREA_CHAINED};
    lg_vk_commands *commands = NULL;
    lg_workspace *work = NULL;
    if (lg_workspace_get(area_context, &work, &area_error) ||
        lg_vk_commands_create(area_context->vk, 0, &commands, &area_error))
        return;
    table_of(LG_U8, 1, 300, 400, 1, rule);
    uint32_t header[3] = {0};
    lg_vk_begin(commands);
    lg_vk_fill(commands, work->slot[LG_SCRATCH_CARRIES], 8, 4, 16382);
    lg_vk_barrier(commands);
    finish(commands, LG_OK);
    const unsigned before = repeated; // each repetition is a run
    for (uint32_t i = 16383; i < 16388; i++) {
        table_of(LG_U8, 1, 300, 400, 1, rule);
        const uint32_t run = i + repeated - before;
        download(header, work->slot[LG_SCRATCH_CARRIES], sizeof header);
        CHECK(header[0] == 0 && header[1] == 0 && header[2] == run % 16384,
              "after run %u: %u taken, %u finished, run %u", run - 1, header[0], header[1],
              header[2]);
    }
    lg_vk_commands_destroy(area_context->vk, &commands);
}

static void run_tests(void)
{
    random_seed(5);
    test_runs();
    test_sizes();
    test_types();
    test_operations();
    test_tiles();
    test_parts();
    test_wrapping();
    printf("%u chained tables were made again\n", repeated);
}

int main(void)
{
    return device_main("vulkan_areasum", &area_context, run_tests);
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("vulkan_areasum");
}

#endif
