// Area sums in device memory: every kernel against a loop written from the definitions.
#include "check.h"
#include "core/core.h"
#include "device.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "measure/areasum/areasum_device.h"

static lg_context *context;
static lg_error error;
static unsigned repeated; // chained tables, since tiles waited in vain

static const size_t element_size[LG_ELEMENTS] = {1, 2, 4, 2, 4};

// ---- arrays -------------------------------------------------------------------------------------

// Samples without gaps on the host, rows with gaps full of ones on the device.
typedef struct array {
    lg_device_array device;
    lg_vk_buffer *buffer;
    uint8_t *data;
    size_t samples, row; // in all; of a row
} array;

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const double size = exponent == 31 ? (digits ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + digits, exponent - 25)
                                       : ldexp(digits, -24);
    return bits >> 15 ? -size : size;
}

static double value_at(const array *a, size_t i)
{
    uint16_t u16;
    int32_t i32;
    float f32;
    switch (a->device.type) {
    case LG_ELEMENT_U8:
        return a->data[i];
    case LG_ELEMENT_I32:
        memcpy(&i32, a->data + 4 * i, 4);
        return i32;
    case LG_ELEMENT_F32:
        memcpy(&f32, a->data + 4 * i, 4);
        return (double)f32;
    default:
        memcpy(&u16, a->data + 2 * i, 2);
        return a->device.type == LG_ELEMENT_U16 ? u16 : half_value(u16);
    }
}

static void fill_samples(array *a, bool wild)
{
    random_bytes(a->data, a->samples * element_size[a->device.type]);
    if (a->device.type != LG_ELEMENT_F32 || wild)
        return;
    for (size_t i = 0; i < a->samples; i++) {
        const float x = random_below(50) ? (float)(random_unit() * 2 - 0.7) : INFINITY;
        memcpy(a->data + 4 * i, &x, 4);
    }
}

// wild: any bits, so that floats are of any magnitude; otherwise like an image.
static bool open_array(array *a, lg_element type, int channels, uint32_t width, uint32_t height,
                       uint32_t layers, bool wild)
{
    const size_t size = element_size[type];
    *a = (array){.row = (size_t)width * (size_t)channels};
    a->samples = a->row * height * layers;
    const size_t stride = lg_align_up(a->row * size, 16), rows = (size_t)height * layers;
    a->device =
        (lg_device_array){0, stride, stride * height, type, channels, width, height, layers};
    a->data = malloc(a->samples * size);
    uint8_t *padded = malloc(stride * rows + 256);
    fill_samples(a, wild);
    memset(padded, 255, stride * rows + 256);
    for (size_t y = 0; y < rows; y++)
        memcpy(padded + y * stride, a->data + y * a->row * size, a->row * size);
    lg_status status =
        lg_vk_buffer_create(context->vk, stride * rows + 256, LG_VK_DEVICE, &a->buffer, &error);
    if (!status)
        status = lg_vk_upload(context->vk, a->buffer, 0, stride * rows + 256, padded,
                              stride * rows + 256, stride * rows + 256, 1, &error);
    CHECK(status == LG_OK, "%s", error.message);
    if (!status)
        a->device.data = a->buffer->address;
    free(padded);
    return status == LG_OK;
}

static void close_array(array *a)
{
    lg_vk_buffer_destroy(context->vk, &a->buffer);
    free(a->data);
}

// ---- the definitions ----------------------------------------------------------------------------

// One table entry for each sample, in 64 bits; floats as their bits.
typedef struct expected {
    uint64_t *sums;
    uint32_t largest;
    uint64_t ignored;
    int fraction;
} expected;

static uint64_t fixed(double x, int unit)
{
    return (uint64_t)(int64_t)rint(ldexp(x, -unit));
}

static uint64_t sample_sum(const array *a, const lg_area_rule *rule, size_t i, int exponent)
{
    const double x = value_at(a, i);
    float above;
    memcpy(&above, &rule->above, 4);
    if (!isfinite(x))
        return 0;
    if (rule->operation == LG_AREA_OP_COUNT)
        return 1;
    if (rule->operation == LG_AREA_OP_ABOVE)
        return a->device.type >= LG_ELEMENT_F16 ? x > (double)above : x > (int32_t)rule->above;
    const bool square = rule->operation == LG_AREA_OP_SQUARES;
    if (a->device.type < LG_ELEMENT_F16)
        return square ? (uint64_t)((int64_t)x * (int64_t)x) : (uint64_t)(int64_t)x;
    return square ? fixed(x * x, 2 * exponent - rule->fraction)
                  : fixed(x, exponent - rule->fraction);
}

// In place along an axis: entry i of a line is `step` entries behind entry i - 1.
static void sum_integers(uint64_t *at, size_t count, size_t step)
{
    for (size_t i = 1; i < count; i++)
        at[i * step] += at[(i - 1) * step];
}

static void sum_floats(float *at, size_t count, size_t step)
{
    float carry = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        within = i % 32 ? within + at[i * step] : at[i * step];
        at[i * step] = carry + within;
        if (i % 32 == 31)
            carry += within;
    }
}

static void sum_axis(void *sums, bool floats, size_t lines, size_t inner, size_t outer,
                     size_t count, size_t step)
{
    for (size_t i = 0; i < lines; i++) {
        const size_t start = i % inner + i / inner * outer;
        if (floats)
            sum_floats((float *)sums + start, count, step);
        else
            sum_integers((uint64_t *)sums + start, count, step);
    }
}

static double largest_of(const array *a)
{
    double largest = 0;
    for (size_t i = 0; i < a->samples; i++)
        if (isfinite(value_at(a, i)))
            largest = fmax(largest, fabs(value_at(a, i)));
    return largest;
}

// The table as the device should have it; the caller frees it.
static void *expected_table(const array *a, const lg_area_rule *rule, bool three)
{
    const bool floats = rule->sum == LG_AREA_F32;
    uint64_t *sums = calloc(a->samples, 8);
    float *single = (float *)(void *)sums;
    uint32_t *narrow = (uint32_t *)(void *)sums;
    int exponent;
    frexp(largest_of(a), &exponent);
    for (size_t i = 0; i < a->samples; i++) {
        if (floats)
            single[i] = isfinite(value_at(a, i)) ? (float)value_at(a, i) : 0;
        else
            sums[i] = sample_sum(a, rule, i, exponent);
    }
    const size_t c = (size_t)a->device.channels, w = a->device.width, h = a->device.height;
    const size_t layers = a->device.layers, layer = a->row * h;
    sum_axis(sums, floats, c * h * layers, c, a->row, w, c);
    sum_axis(sums, floats, a->row * layers, a->row, layer, h, a->row);
    if (three)
        sum_axis(sums, floats, layer, layer, 0, layers, layer);
    for (size_t i = 0; rule->sum == LG_AREA_U32 && i < a->samples; i++)
        narrow[i] = (uint32_t)sums[i];
    return sums;
}

// ---- on the device ------------------------------------------------------------------------------

static bool finish(lg_vk_commands *commands, lg_status status)
{
    if (!status)
        status = lg_vk_end(commands, &error);
    if (!status)
        status = lg_vk_submit(context->vk, commands, &error);
    if (!status)
        status = lg_vk_wait(context->vk, commands, &error);
    CHECK(status == LG_OK, "%s", error.message);
    return status == LG_OK;
}

static lg_vk_buffer *new_buffer(size_t size)
{
    lg_vk_buffer *buffer = NULL;
    CHECK(lg_vk_buffer_create(context->vk, size, LG_VK_DEVICE, &buffer, &error) == LG_OK, "%s",
          error.message);
    return buffer;
}

static bool download(void *to, const lg_vk_buffer *from, size_t size)
{
    const lg_status status = lg_vk_download(context->vk, to, size, from, 0, size, size, 1, &error);
    CHECK(status == LG_OK, "%s", error.message);
    return status == LG_OK;
}

static bool find_largest(const array *a, lg_vk_commands *commands, lg_vk_buffer *result)
{
    uint32_t words[4] = {0};
    uint64_t ignored = 0;
    lg_vk_begin(commands);
    lg_vk_fill(commands, result, 0, 16, 0);
    lg_vk_barrier(commands);
    if (!finish(commands,
                lg_area_record_largest(context, &a->device, result->address, commands, &error)) ||
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

static const char *const sum_names[] = {"u32", "u64", "f32"};

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
          "%ux%ux%u, %d channels of element %d, sum %s of %d, method %d, tiles of %u x %u of %u, "
          "advance %u: sample %zu (column %zu, row %zu) is %llx, not %llx",
          a->device.width, a->device.height, a->device.layers, a->device.channels,
          (int)a->device.type, sum_names[rule->sum], (int)rule->operation, (int)rule->tuning.method,
          rule->tuning.segments, rule->tuning.bands, rule->tuning.column, rule->tuning.advance, i,
          i % a->row, i / a->row, (unsigned long long)x, (unsigned long long)y);
}

// ---- queries --------------------------------------------------------------------------------------

static void random_box(int32_t *bounds, int dims, const uint32_t *extent)
{
    for (int d = 0; d < dims; d++) {
        const uint32_t a = random_below(extent[d]), b = random_below(extent[d]);
        bounds[d] = (int32_t)LG_MIN(a, b);
        bounds[dims + d] = (int32_t)LG_MAX(a, b) + 1;
    }
}

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

// Buffers of a batch of random boxes; their bounds are the caller's to free.
typedef struct batch {
    lg_device_boxes device;
    lg_vk_buffer *bounds_buffer, *results_buffer;
    int32_t *bounds;
    uint64_t *results;
    size_t words; // results in all
} batch;

static bool open_batch(batch *b, const array *a, int dims, size_t count)
{
    *b = (batch){.words = count * (size_t)a->device.channels};
    b->device = (lg_device_boxes){.count = count,
                                  .dims = dims,
                                  .channels = a->device.channels,
                                  .extent = {a->device.width, a->device.height, a->device.layers}};
    const size_t bytes = count * (size_t)dims * 8;
    b->bounds = malloc(bytes);
    b->results = calloc(b->words, 8);
    for (size_t i = 0; i < count; i++)
        random_box(b->bounds + i * 2 * (size_t)dims, dims, b->device.extent);
    b->bounds_buffer = new_buffer(bytes);
    b->results_buffer = new_buffer(b->words * 8);
    if (!b->bounds_buffer || !b->results_buffer)
        return false;
    b->device.bounds = b->bounds_buffer->address;
    b->device.results = b->results_buffer->address;
    return lg_vk_upload(context->vk, b->bounds_buffer, 0, bytes, b->bounds, bytes, bytes, 1,
                        &error) == LG_OK;
}

static void close_batch(batch *b)
{
    free(b->bounds);
    free(b->results);
    lg_vk_buffer_destroy(context->vk, &b->bounds_buffer);
    lg_vk_buffer_destroy(context->vk, &b->results_buffer);
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
    if (!finish(commands, lg_area_record_corners(context, &b.device, rule->sum, true,
                                                 table->address, commands, &error)) ||
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
    lg_status status =
        lg_area_record_tables(context, &a->device, rule, table->address, commands, &error);
    if (!status && three)
        status = lg_area_record_axis(context, rule->sum, table->address, a->row * a->device.height,
                                     a->device.layers, commands, &error);
    return status;
}

// Chained tiles may wait in vain on a device that is not hardware, where that is a matter of luck.
static bool make_table(const array *a, lg_area_rule *rule, lg_vk_buffer *table, bool three,
                       lg_vk_commands *commands)
{
    uint32_t trouble = 1;
    lg_vk_buffer *flag = new_buffer(16);
    lg_status status = LG_OK;
    rule->trouble = flag->address;
    for (int i = 0; i < 40 && trouble && !status; i++) {
        lg_vk_begin(commands);
        lg_vk_fill(commands, table, 0, table->size / 4 * 4, 0xabababab);
        lg_vk_fill(commands, flag, 0, 16, 0);
        if (i > 0)
            status = lg_area_forget_carries(context, commands, &error);
        lg_vk_barrier(commands);
        if (!status)
            status = record(a, rule, table, three, commands);
        if (!finish(commands, status) || !download(&trouble, flag, 4))
            status = LG_ERROR_DEVICE;
        if (!status && trouble && rule->tuning.method == LG_AREA_CHAINED &&
            !lg_vk_get_limits(context->vk)->hardware)
            repeated++;
        else
            CHECK(status || !trouble, "waited in vain");
    }
    lg_vk_buffer_destroy(context->vk, &flag);
    return !status && !trouble;
}

// The table of one rule, by the method it asks for or by both.
static void check_table(const array *a, lg_area_rule rule, bool three)
{
    const int asked = rule.tuning.method;
    const size_t bytes = a->samples * lg_area_word_size(rule.sum);
    lg_vk_commands *commands = NULL;
    lg_vk_buffer *table = new_buffer(bytes + 64), *largest = new_buffer(16);
    uint8_t *want = expected_table(a, &rule, three), *got = malloc(bytes + 64);
    if (!table || !largest || lg_vk_commands_create(context->vk, 0, &commands, &error))
        return;
    rule.largest = largest->address;
    if (rule.sum == LG_AREA_U64 && a->device.type >= LG_ELEMENT_F16)
        find_largest(a, commands, largest);
    for (int method = LG_AREA_CHAINED; method <= LG_AREA_PASSES; method++) {
        if (asked && method != asked)
            continue;
        rule.tuning.method = method;
        if (!make_table(a, &rule, table, three, commands) || !download(got, table, bytes + 64))
            break;
        compare_sums(a, &rule, got, want);
        bool kept = true;
        for (size_t i = 0; i < 64; i++)
            kept &= got[bytes + i] == 0xab;
        CHECK(kept, "written behind the end");
        check_queries(a, &rule, three, table, want, commands);
    }
    free(want);
    free(got);
    lg_vk_commands_destroy(context->vk, &commands);
    lg_vk_buffer_destroy(context->vk, &table);
    lg_vk_buffer_destroy(context->vk, &largest);
}

// ---- ripmaps ----------------------------------------------------------------------------------------

// All blocks one after the other, the first included.
typedef struct ripmap {
    int levels[2];
    size_t block[32 * 32], blocks, words; // where they begin, in words; in all
} ripmap;

static ripmap ripmap_of(const array *a)
{
    ripmap r = {.levels = {1, 1}};
    while (a->device.width >> r.levels[0])
        r.levels[0]++;
    while (a->device.height >> r.levels[1])
        r.levels[1]++;
    for (int y = 0; y < r.levels[1]; y++)
        for (int x = 0; x < r.levels[0]; x++) {
            r.block[r.blocks++] = r.words;
            r.words += (size_t)(a->device.width >> x) * (size_t)a->device.channels *
                       (a->device.height >> y);
        }
    return r;
}

static uint32_t key_at(const array *a, size_t i)
{
    const float x = (float)value_at(a, i);
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (a->device.type == LG_ELEMENT_I32)
        return (uint32_t)(int32_t)value_at(a, i) ^ 0x80000000u;
    if (a->device.type < LG_ELEMENT_F16)
        return (uint32_t)value_at(a, i);
    return bits ^ (bits >> 31 ? ~0u : 0x80000000u);
}

// Nodes in 64 bits, floats as their bits.
static uint64_t first_node(const array *a, const lg_area_rule *rule, size_t i)
{
    const double x = value_at(a, i);
    if (rule->operation == LG_AREA_OP_LEAST || rule->operation == LG_AREA_OP_MOST)
        return isfinite(x) ? key_at(a, i) : rule->operation == LG_AREA_OP_LEAST ? UINT32_MAX : 0;
    if (rule->sum != LG_AREA_F32)
        return sample_sum(a, rule, i, 0);
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

// Node by node, as defined: the level below along axis 1, or, on its level 0, along axis 0.
static uint64_t *expected_ripmap(const array *a, const lg_area_rule *rule, const ripmap *r)
{
    const size_t c = (size_t)a->device.channels;
    uint64_t *nodes = calloc(r->words, 8);
    for (size_t i = 0; i < a->samples; i++)
        nodes[i] = first_node(a, rule, i);
    for (size_t b = 1; b < r->blocks; b++) {
        const size_t lx = b % (size_t)r->levels[0], ly = b / (size_t)r->levels[0];
        const size_t row = (a->device.width >> lx) * c, rows = a->device.height >> ly;
        const size_t from_row = ly ? row : (a->device.width >> (lx - 1)) * c;
        const uint64_t *from = nodes + r->block[ly ? b - (size_t)r->levels[0] : b - 1];
        for (size_t i = 0; i < row * rows; i++) {
            const size_t x = i % row, y = i / row;
            const size_t first = ly ? 2 * y * row + x : y * from_row + x / c * 2 * c + x % c;
            nodes[r->block[b] + i] = join(rule, from[first], from[first + (ly ? row : c)]);
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
    CHECK(i == r->words,
          "%ux%u, %d channels of element %d, sum %s of %d: node %zu of levels %zu, %zu",
          a->device.width, a->device.height, a->device.channels, (int)a->device.type,
          sum_names[rule->sum], (int)rule->operation, i - r->block[b], b % (size_t)r->levels[0],
          b / (size_t)r->levels[0]);
}

static lg_vk_buffer *address_table(const ripmap *r, const lg_vk_buffer *nodes, size_t size)
{
    uint64_t addresses[32 * 32];
    for (size_t b = 0; b < r->blocks; b++)
        addresses[b] = nodes->address + r->block[b] * size;
    lg_vk_buffer *table = new_buffer(r->blocks * 8);
    if (table)
        lg_vk_upload(context->vk, table, 0, r->blocks * 8, addresses, r->blocks * 8, r->blocks * 8,
                     1, &error);
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
    int levels[2][64] = {{0}};
    int32_t at[2][64] = {{0}};
    size_t count[2] = {0, 1};
    for (int d = 0; d < dims; d++)
        count[d] = cut(bounds[d], bounds[dims + d], levels[d], at[d]);
    uint64_t sum = rule->operation == LG_AREA_OP_LEAST ? UINT32_MAX : 0;
    float hi = 0, lo = 0;
    for (size_t i = 0; i < count[0] * count[1]; i++) {
        const size_t x = i % count[0], y = i / count[0];
        const size_t row = a->device.width >> levels[0][x];
        const size_t b = (size_t)(levels[0][x] + r->levels[0] * levels[1][y]);
        const uint64_t v =
            nodes[r->block[b] +
                  ((size_t)at[1][y] * row + (size_t)at[0][x]) * (size_t)a->device.channels +
                  channel];
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
    const int dims = a->device.height > 1 ? 2 : 1;
    if (!open_batch(&b, a, dims, 301))
        return;
    lg_vk_begin(commands);
    if (finish(commands, lg_area_record_nodes(context, &b.device, rule->sum, rule->operation,
                                              table->address, commands, &error)) &&
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
    if (lg_vk_commands_create(context->vk, 0, &commands, &error))
        return;
    lg_vk_begin(commands);
    lg_vk_fill(commands, nodes, 0, nodes->size / 4 * 4, 0xabababab);
    lg_vk_barrier(commands);
    if (finish(commands, lg_area_record_ripmap(context, &a->device, rule, table->address,
                                               write_first, commands, &error)) &&
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
            check_walks(a, rule, &r, table, want, commands);
    }
    free(want);
    free(got);
    lg_vk_commands_destroy(context->vk, &commands);
    lg_vk_buffer_destroy(context->vk, &nodes);
    lg_vk_buffer_destroy(context->vk, &table);
}

static void ripmap_test(lg_element type, int channels, uint32_t width, uint32_t height,
                        lg_area_word word, lg_area_op operation, bool write_first)
{
    array a;
    const lg_area_rule rule = {.sum = word, .operation = operation, .above = 100};
    if (open_array(&a, type, channels, width, height, 1, false))
        check_ripmap(&a, &rule, write_first);
    close_array(&a);
}

static void test_ripmaps(void)
{
    static const uint32_t sizes[][2] = {{1, 1},     {1, 77},    {203, 1},  {64, 32},
                                        {63, 31},   {65, 33},   {129, 70}, {257, 129},
                                        {1031, 37}, {37, 2051}, {5000, 3}, {512, 256}};
    for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(4, 1, 1)) {
        ripmap_test(LG_ELEMENT_F32, 1, sizes[i][0], sizes[i][1], LG_AREA_F32, LG_AREA_OP_SUM,
                    i % 2);
        ripmap_test(LG_ELEMENT_U8, 1, sizes[i][0], sizes[i][1], LG_AREA_U32, LG_AREA_OP_SUM, true);
    }
    for (int type = 0; type < LG_ELEMENTS; type++) {
        const bool floats = type >= LG_ELEMENT_F16;
        ripmap_test(type, 1 + type % 4, 133, 71, floats ? LG_AREA_F32 : LG_AREA_U64, LG_AREA_OP_SUM,
                    true);
        ripmap_test(type, 1 + (type + 2) % 4, 75, 95, LG_AREA_U32,
                    type % 2 ? LG_AREA_OP_LEAST : LG_AREA_OP_MOST, true);
        ripmap_test(type, 1, 75, 95, LG_AREA_U32, floats ? LG_AREA_OP_COUNT : LG_AREA_OP_ABOVE,
                    true);
    }
}

// ---- what is tested -----------------------------------------------------------------------------

// Software Vulkan takes a second for each kernel: the methods take turns in the usual run.
static lg_area_tuning in_turn(int number)
{
    return (lg_area_tuning){.method = test_is_full() ? LG_AREA_AUTO
                                      : number % 2   ? LG_AREA_PASSES
                                                     : LG_AREA_CHAINED};
}

static int fraction_of(const array *a)
{
    int exponent = 0;
    const size_t n = a->samples / (size_t)a->device.channels;
    while (((size_t)1 << exponent) < n)
        exponent++;
    return 62 - exponent;
}

static void table_of(lg_element type, int channels, uint32_t width, uint32_t height,
                     uint32_t layers, lg_area_rule rule)
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
        lg_element type;
        lg_area_word sum;
    } kinds[] = {
        {LG_ELEMENT_U8, LG_AREA_U32}, {LG_ELEMENT_F32, LG_AREA_F32}, {LG_ELEMENT_F32, LG_AREA_U64}};
    for (size_t k = 0; k < LG_COUNT(kinds); k++)
        for (size_t i = 0; i < LG_COUNT(sizes); i += (size_t)test_extent(4, 1, 1))
            table_of(kinds[k].type, 1, sizes[i][0], sizes[i][1], sizes[i][2],
                     (lg_area_rule){.sum = kinds[k].sum});
}

static void test_types(void)
{
    for (int type = 0; type < LG_ELEMENTS; type++) {
        for (int channels = 1 + type % 2; channels <= 4; channels += test_extent(4, 2, 1)) {
            const lg_area_tuning tuning = in_turn(type / 2);
            const lg_area_word narrow = type < LG_ELEMENT_F16 ? LG_AREA_U32 : LG_AREA_F32;
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
    for (int type = 0; type < LG_ELEMENTS; type += test_extent(2, 1, 1)) {
        const bool floats = type >= LG_ELEMENT_F16;
        const lg_area_tuning tuning = in_turn(0);
        const lg_area_rule square = {
            .sum = LG_AREA_U64, .operation = LG_AREA_OP_SQUARES, .tuning = tuning};
        const lg_area_rule finite = {.operation = LG_AREA_OP_COUNT, .tuning = tuning};
        const uint32_t levels[] = {floats ? float_bits(0.25f) : 100,
                                   floats ? float_bits(-1.0f) : (uint32_t)-100, 0};
        table_of(type, 1, 133, 35, 1, square);
        for (size_t i = 0; i < LG_COUNT(levels); i++)
            table_of(type, 1, 133, 35, 1,
                     (lg_area_rule){
                         .operation = LG_AREA_OP_ABOVE, .above = levels[i], .tuning = tuning});
        if (floats)
            table_of(type, 1, 133, 35, 1, finite);
    }
}

// A box whose sum is above 2^32.
static void test_wrapping(void)
{
    array a;
    if (test_is_short() || !open_array(&a, LG_ELEMENT_U8, 1, 4111, 4099, 1, false))
        return;
    lg_vk_buffer *table = new_buffer(a.samples * 4);
    lg_vk_commands *commands = NULL;
    batch b;
    if (table && open_batch(&b, &a, 2, 50) &&
        !lg_vk_commands_create(context->vk, 0, &commands, &error)) {
        const int32_t whole[] = {0, 0, 4111, 4099};
        const lg_area_rule rule = {.tuning.method = LG_AREA_PASSES};
        memcpy(b.bounds, whole, sizeof whole);
        lg_vk_upload(context->vk, b.bounds_buffer, 0, 16, whole, 16, 16, 1, &error);
        lg_vk_begin(commands);
        lg_vk_fill(commands, a.buffer, 0, a.buffer->size / 4 * 4, UINT32_MAX);
        lg_vk_barrier(commands);
        lg_status status =
            lg_area_record_tables(context, &a.device, &rule, table->address, commands, &error);
        if (!status)
            status = lg_area_record_corners(context, &b.device, LG_AREA_U32, true, table->address,
                                            commands, &error);
        if (finish(commands, status) && download(b.results, b.results_buffer, b.words * 8))
            for (size_t i = 0; i < b.words; i++) {
                const int32_t *box = b.bounds + 4 * i;
                const uint64_t want =
                    255 * (uint64_t)(box[2] - box[0]) * (uint64_t)(box[3] - box[1]);
                CHECK(b.results[i] == want, "box %zu: %llu, not %llu", i,
                      (unsigned long long)b.results[i], (unsigned long long)want);
            }
        lg_vk_commands_destroy(context->vk, &commands);
    }
    close_batch(&b);
    lg_vk_buffer_destroy(context->vk, &table);
    close_array(&a);
}

// Tiles of other sides, which change nothing.
static void test_tiles(void)
{
    static const lg_area_tuning tunings[] = {
        {.segments = 1, .bands = 2},
        {.segments = 1, .bands = 4, .column = 8},
        {.segments = 2, .bands = 2, .column = 16, .advance = 1},
        {.segments = 4, .bands = 1, .advance = 3},
        {.segments = 8, .bands = 1, .column = 16}};
    for (size_t i = 0; i < LG_COUNT(tunings); i += (size_t)test_extent(2, 1, 1)) {
        lg_area_tuning tuning = tunings[i];
        tuning.method = in_turn((int)i).method;
        table_of(LG_ELEMENT_U8, 1, 601, 403, 2,
                 (lg_area_rule){.sum = LG_AREA_U32, .tuning = tuning});
        if (tuning.segments < 8)
            table_of(LG_ELEMENT_F32, 1, 601, 403, 2,
                     (lg_area_rule){.sum = LG_AREA_F32, .tuning = tuning});
    }
}

static void run_tests(void)
{
    random_seed(5);
    test_sizes();
    test_types();
    test_operations();
    test_tiles();
    test_ripmaps();
    test_wrapping();
    printf("%u chained tables were made again\n", repeated);
}

#else

static void run_tests(void)
{
    check_skip("built without Vulkan");
}

static lg_context *context;

#endif

int main(void)
{
    context = device_open(NULL, NULL);
    if (context)
        run_tests();
    device_close(&context);
    return check_finish("vulkan_areasum");
}
