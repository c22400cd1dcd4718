#include "device_array.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lg_context *area_context;
lg_error area_error;

const char *const sum_names[3] = {"u32", "u64", "f32"};

static const size_t element_size[LG_ARRAY_TYPES] = {1, 2, 2, 4, 4};

// ---- arrays -------------------------------------------------------------------------------------

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const double size = exponent == 31 ? (digits ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + digits, exponent - 25)
                                       : ldexp(digits, -24);
    return bits >> 15 ? -size : size;
}

double value_at(const array *a, size_t i)
{
    uint16_t u16;
    int32_t i32;
    float f32;
    switch (a->device.type) {
    case LG_U8:
        return a->data[i];
    case LG_I32:
        memcpy(&i32, a->data + 4 * i, 4);
        return i32;
    case LG_F32:
        memcpy(&f32, a->data + 4 * i, 4);
        return (double)f32;
    default:
        memcpy(&u16, a->data + 2 * i, 2);
        return a->device.type == LG_U16 ? u16 : half_value(u16);
    }
}

static void fill_samples(array *a, bool wild)
{
    random_bytes(a->data, a->samples * element_size[a->device.type]);
    if (a->device.type != LG_F32 || wild)
        return;
    // In some arrays all sums are subnormal.
    const double unit = random_below(4) ? 1 : 0x1p-140;
    for (size_t i = 0; i < a->samples; i++) {
        const float x = random_below(50) ? (float)((random_unit() * 2 - 0.7) * unit) : INFINITY;
        memcpy(a->data + 4 * i, &x, 4);
    }
}

// wild: any bits, so that floats are of any magnitude; otherwise like an image.
bool open_array(array *a, lg_type type, int channels, uint32_t width, uint32_t height,
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
    lg_status status = lg_vk_buffer_create(area_context->vk, stride * rows + 256, LG_VK_DEVICE,
                                           &a->buffer, &area_error);
    if (!status)
        status = lg_vk_upload(area_context->vk, a->buffer, 0, stride * rows + 256, padded,
                              stride * rows + 256, stride * rows + 256, 1, &area_error);
    CHECK(status == LG_OK, "%s", area_error.message);
    if (!status)
        a->device.data = a->buffer->address;
    free(padded);
    return status == LG_OK;
}

void close_array(array *a)
{
    lg_vk_buffer_destroy(area_context->vk, &a->buffer);
    free(a->data);
}

// ---- samples as the definitions have them ----------------------------------------------------------

// Of the square of an integer the low bits, or those above.
static uint64_t half_square(int64_t x, int split, bool top)
{
    const unsigned __int128 square = (unsigned __int128)((__int128)x * x),
                            unit = (unsigned __int128)1 << split;
    return (uint64_t)(top ? square / unit : square % unit);
}

uint64_t sample_sum(const array *a, const lg_area_rule *rule, size_t i, int exponent)
{
    const double x = value_at(a, i);
    float above;
    memcpy(&above, &rule->above, 4);
    if (!isfinite(x))
        return 0;
    if (rule->operation == LG_AREA_OP_COUNT)
        return 1;
    if (rule->operation == LG_AREA_OP_ABOVE)
        return lg_area_is_float(a->device.type) ? x > (double)above : x > (int32_t)rule->above;
    const bool value = rule->operation == LG_AREA_OP_SUM;
    if (!lg_area_is_float(a->device.type))
        return value ? (uint64_t)(int64_t)x : (uint64_t)((int64_t)x * (int64_t)x);
    const int64_t q = (int64_t)rint(ldexp(x, rule->fraction - exponent));
    return value ? (uint64_t)q
                 : half_square(q, LG_MIN(rule->fraction + 2, 63),
                               rule->operation == LG_AREA_OP_SQUARES_TOP);
}

int fraction_of(const array *a)
{
    const size_t n = (size_t)a->device.width * a->device.height * a->device.layers;
    int bits = 0;
    while (((size_t)1 << bits) < n)
        bits++;
    return 62 - bits;
}

double largest_of(const array *a)
{
    double largest = 0;
    for (size_t i = 0; i < a->samples; i++)
        if (isfinite(value_at(a, i)))
            largest = fmax(largest, fabs(value_at(a, i)));
    return largest;
}

int exponent_of(const array *a)
{
    int exponent;
    frexp(largest_of(a), &exponent);
    return exponent;
}

// ---- on the device ------------------------------------------------------------------------------

bool finish(lg_vk_commands *commands, lg_status status)
{
    if (!status)
        status = lg_vk_end(commands, &area_error);
    if (!status)
        status = lg_vk_submit(area_context->vk, commands, &area_error);
    if (!status)
        status = lg_vk_wait(area_context->vk, commands, &area_error);
    CHECK(status == LG_OK, "%s", area_error.message);
    return status == LG_OK;
}

lg_vk_buffer *new_buffer(size_t size)
{
    lg_vk_buffer *buffer = NULL;
    CHECK(lg_vk_buffer_create(area_context->vk, size, LG_VK_DEVICE, &buffer, &area_error) == LG_OK,
          "%s", area_error.message);
    return buffer;
}

bool download(void *to, const lg_vk_buffer *from, size_t size)
{
    const lg_status status =
        lg_vk_download(area_context->vk, to, size, from, 0, size, size, 1, &area_error);
    CHECK(status == LG_OK, "%s", area_error.message);
    return status == LG_OK;
}

// ---- boxes ----------------------------------------------------------------------------------------

static void random_box(int32_t *bounds, int dims, const uint32_t *extent)
{
    for (int d = 0; d < dims; d++) {
        const uint32_t a = random_below(extent[d]), b = random_below(extent[d]);
        bounds[d] = (int32_t)LG_MIN(a, b);
        bounds[dims + d] = (int32_t)LG_MAX(a, b) + 1;
    }
}

bool open_batch(batch *b, const array *a, int dims, size_t count)
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
    return lg_vk_upload(area_context->vk, b->bounds_buffer, 0, bytes, b->bounds, bytes, bytes, 1,
                        &area_error) == LG_OK;
}

void close_batch(batch *b)
{
    free(b->bounds);
    free(b->results);
    lg_vk_buffer_destroy(area_context->vk, &b->bounds_buffer);
    lg_vk_buffer_destroy(area_context->vk, &b->results_buffer);
}
