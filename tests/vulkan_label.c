// Labels on a Vulkan device against a flood fill: identical numbers and sums, by the interface and by the
// kernels alone.
#include "check.h"
#include "device.h"
#include "flood_fill.h"
#include "label_content.h"
#include "labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "measure/components/label_device.h"

static lg_context *context;

static const int connectivities[] = {8, 4, 26, 6, 18};

static const measure_variants both = {(const int[]){LABELS_BOTH}, 1},
                              figures = {(const int[]){LABELS_FIGURES}, 1};

static lg_image *new_image(lg_type type, int32_t width, int32_t height, int32_t layers)
{
    return label_content_image(context, type, width, height, layers);
}

// The device has to do it.
static void compare(const lg_image *image, const label_params *params, measure_variants variants,
                    const char *what)
{
    label_check_on(context, what, image, params, variants);
    CHECK(!strcmp(context->report.variant, "vulkan-label"), "%s: labelled by %s", what,
          context->report.variant);
}

static void compare_all(const lg_image *image, lg_foreground foreground, double level,
                        const char *what)
{
    for (size_t c = 0; c < (image->shape.layers > 1 ? LG_COUNT(connectivities) : 2); c++)
        compare(image,
                &(label_params){.of = WITH(lg_label_params, it.foreground = foreground,
                                           it.level = level, it.connectivity = connectivities[c])},
                both, what);
}

// ---- the interface ------------------------------------------------------------------------------------

static void test_noise(void)
{
    static const int32_t sizes[][3] = {{131, 67, 2}, {257, 131, 1}, {640, 200, 1}, {1000, 129, 1}};
    const int seeds = test_extent(1, 1, 8), step = test_extent(50, 15, 5);
    unsigned turn = 0;
    for (int seed = 0; seed < seeds; seed++)
        for (int density = 0; density <= 100; density += step)
            for (int grain = 1; grain <= 16; grain += grain < 3 || test_is_full() ? 1 : 13) {
                const int32_t *size = sizes[turn++ % LG_COUNT(sizes)];
                lg_image *image = new_image(LG_U8, size[0], size[1], size[2]);
                char what[64];
                snprintf(what, sizeof what, "noise %d %% of cells of %d, seed %d", density, grain,
                         seed);
                random_seed((uint64_t)(density * 1000 + grain * 10 + seed + 1));
                label_content_fill(image, LABEL_NOISE, density, grain, 0, false);
                compare_all(image, LG_FOREGROUND_NONZERO, 0, what);
                lg_image_destroy(&image);
            }
}

// Pixels that touch over the corners of tiles alone, one way or the other.
static void draw_crosses(const lg_image *image)
{
    for (int32_t y = 0; y < image->shape.height; y++) {
        uint8_t *row = (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
        for (int32_t x = 0; x < image->shape.width; x++) {
            const bool falling = (x / 32 + (x % 32 == 31) + y / 32 + (y % 32 == 31)) % 2;
            row[x] = falling ? (x % 32 == 31 && y % 32 == 31) || (x % 32 == 0 && y % 32 == 0)
                             : (x % 32 == 31 && y % 32 == 0) || (x % 32 == 0 && y % 32 == 31);
        }
    }
}

static void test_shapes(void)
{
    static const int32_t sizes[][3] = {{300, 150, 1}, {1, 1, 1},    {1, 517, 1},  {1031, 1, 1},
                                       {2, 130, 1},   {128, 64, 1}, {129, 65, 3}, {97, 61, 5}};
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++) {
            label_content_fill(image, (label_content)kind, 0, 1, 0, false);
            compare_all(image, LG_FOREGROUND_NONZERO, 0, label_content_name((label_content)kind));
        }
        lg_image_destroy(&image);
    }
    lg_image *image = new_image(LG_U8, 391, 200, 1);
    draw_crosses(image);
    compare_all(image, LG_FOREGROUND_NONZERO, 0, "crosses");
    lg_image_destroy(&image);
}

static void put_special_floats(const lg_image *image)
{
    static const uint32_t bits[] = {0x7fc00000, 0xff800000, 0x7f800000, 0x80000000,
                                    1,          0xffc00001, 0x40e00001, 0x80000001};
    static const uint16_t halves[] = {0x7e00, 0xfc00, 0x7c00, 0x8000, 1, 0xfe01, 0x4701, 0x8001};
    const size_t size = lg_type_size(image->shape.type);
    for (int i = 0; i < 400; i++) {
        const uint32_t which = random_below(LG_COUNT(bits));
        memcpy((uint8_t *)image->data +
                   random_below((uint32_t)image->shape.height) * image->shape.row_stride +
                   random_below((uint32_t)image->shape.width) * size,
               size == 2 ? (const void *)&halves[which] : &bits[which], size);
    }
}

static void test_foregrounds(void)
{
    static const double levels[] = {7, 6.5, 0, -1, -1e-50, 127, 128, 254.5, 255, 65535, 1e300};
    for (int type = 0; type < LG_TYPES; type++) {
        lg_image *image = new_image((lg_type)type, 197, 29, 2);
        random_seed((uint64_t)type + 1);
        label_content_fill(image, LABEL_NOISE, 60, 1, 0, false);
        if (type >= LG_F16)
            put_special_floats(image);
        compare_all(image, LG_FOREGROUND_NONZERO, 0, lg_type_name((lg_type)type));
        for (size_t i = 0; i < LG_COUNT(levels); i++) {
            label_content_fill(image, LABEL_NOISE, 50, 1, type == LG_U8 ? levels[i] : 7, false);
            if (type >= LG_F16)
                put_special_floats(image);
            compare(image,
                    &(label_params){.of = WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE,
                                               it.level = levels[i], it.connectivity = 8)},
                    both, lg_type_name((lg_type)type));
        }
        lg_image_destroy(&image);
    }
}

// ---- label images -------------------------------------------------------------------------------------

static void put(const lg_image *image, int32_t x, int32_t y, int32_t z, uint32_t value)
{
    char *to = (char *)image->data + (size_t)z * image->shape.layer_stride +
               (size_t)y * image->shape.row_stride + (size_t)x * lg_type_size(image->shape.type);
    memcpy(to, &value, lg_type_size(image->shape.type));
}

typedef enum pattern {
    EACH_ITS_OWN, // more runs and components of a tile than a binary image can have
    CROSSES,      // two values whose diagonals cross each other
    STRIPES,      // columns of several values, joined at a height of their own
    BLOCKS,       // of 32 x 64, so that all borders of words and tiles are ones of values
    PATTERNS
} pattern;

// Small integers: as bits of floats they are tiny numbers, each another one.
static uint32_t pattern_value(pattern kind, int32_t x, int32_t y, int32_t z)
{
    switch (kind) {
    case EACH_ITS_OWN:
        return 1 + (uint32_t)(x % 13 + 13 * (y % 17) + 3 * z) % 251;
    case CROSSES:
        return 1 + (uint32_t)(x + y + z) % 2;
    case STRIPES:
        return y == x % 61 ? 9 : (uint32_t)(x % 5);
    default:
        return 1 + (uint32_t)(x / 32 + y / 64 + z) % 3;
    }
}

static void fill_pattern(const lg_image *image, pattern kind)
{
    for (int32_t z = 0; z < image->shape.layers; z++)
        for (int32_t y = 0; y < image->shape.height; y++)
            for (int32_t x = 0; x < image->shape.width; x++)
                put(image, x, y, z, pattern_value(kind, x, y, z));
}

static void test_patterns(lg_type type)
{
    static const char *const names[PATTERNS] = {"each its own", "crosses", "stripes", "blocks"};
    static const int32_t sizes[][3] = {{300, 130, 1}, {67, 65, 2}, {1, 90, 1}, {259, 1, 1}};
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        lg_image *image = new_image(type, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int kind = 0; kind < PATTERNS; kind++) {
            fill_pattern(image, (pattern)kind);
            compare_all(image, LG_FOREGROUND_VALUES, 0, names[kind]);
        }
        lg_image_destroy(&image);
    }
}

static void test_values(void)
{
    static const int32_t sizes[][3] = {{131, 67, 3}, {300, 129, 1}, {513, 70, 1}};
    for (int type = 0; type < LG_TYPES; type++) {
        unsigned turn = (unsigned)type;
        for (int density = 40; density <= 100; density += test_extent(60, 30, 10))
            for (int grain = 1; grain <= 5; grain += test_extent(4, 2, 1)) {
                const int32_t *size = sizes[turn++ % LG_COUNT(sizes)];
                lg_image *image = new_image((lg_type)type, size[0], size[1], size[2]);
                char what[64];
                snprintf(what, sizeof what, "values, %s, %d %% of cells of %d",
                         lg_type_name((lg_type)type), density, grain);
                random_seed((uint64_t)(density * 100 + grain * 10 + type + 1));
                label_content_fill(image, LABEL_NOISE, density, grain, 0, true);
                if (type >= LG_F16)
                    put_special_floats(image);
                compare_all(image, LG_FOREGROUND_VALUES, 0, what);
                lg_image_destroy(&image);
            }
        if (type == LG_U8 || !test_is_short())
            test_patterns((lg_type)type);
    }
    lg_image *image = new_image(LG_U16, 200, 90, 3);
    for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++) {
        label_content_fill(image, (label_content)kind, 0, 1, 0, true);
        compare_all(image, LG_FOREGROUND_VALUES, 0, label_content_name((label_content)kind));
    }
    lg_image_destroy(&image);
}

static void test_figures(void)
{
    static const int densities[] = {12, 45, 70};
    for (int i = 0; i < test_extent(3, 6, 24); i++) {
        // Usually halfwords in planes and bytes in volumes: kernels take long to compile.
        const bool large = i % 2, bytes = test_is_full() ? i / 2 % 2 : !large;
        const int connectivity = large ? 8 : connectivities[2 + i / 2 % 3];
        const bool values = i / 2 % 3 == 1;
        const lg_label_params params = WITH(
            lg_label_params, it.foreground = values ? LG_FOREGROUND_VALUES : LG_FOREGROUND_NONZERO,
            it.connectivity = connectivity, it.moments = true, it.shape = true);
        const int32_t width = large ? 700 : 200, height = large ? 300 : 90, layers = large ? 1 : 3;
        lg_image *image = new_image(LG_U8, width, height, layers);
        lg_image *intensity = new_image(bytes ? LG_U8 : LG_U16, width, height, layers);
        random_seed((uint64_t)i + 1);
        label_content_fill(image, LABEL_NOISE, densities[i / 2 % 3], 1 + i / 8, 0, values);
        random_bytes(intensity->data, intensity->shape.layer_stride * (size_t)layers);
        compare(image, &(label_params){.of = params, .intensity = intensity}, figures,
                bytes ? "bytes" : "halfwords");
        lg_image_destroy(&image);
        lg_image_destroy(&intensity);
    }
}

// Counts of perimeters and Euler numbers, with labels that are kept or not.
static void compare_shapes(const lg_image *image, lg_foreground foreground, const char *what)
{
    for (int kept = 0; kept < 2; kept++)
        compare(image,
                &(label_params){.of = WITH(lg_label_params, it.foreground = foreground,
                                           it.connectivity = kept ? 8 : 4, it.shape = true)},
                kept ? both : figures, what);
}

static void test_shape_counts(void)
{
    static const int32_t sizes[][3] = {{300, 130, 1}, {1, 1, 1},    {1, 201, 1},
                                       {259, 1, 1},   {128, 64, 2}, {129, 65, 3}};
    for (size_t s = 0; s < LG_COUNT(sizes); s++) {
        lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
        for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++) {
            label_content_fill(image, (label_content)kind, 0, 1, 0, false);
            compare_shapes(image, LG_FOREGROUND_NONZERO, label_content_name((label_content)kind));
        }
        for (int i = 0; i < test_extent(2, 4, 20); i++) {
            random_seed((uint64_t)i + 1);
            label_content_fill(image, LABEL_NOISE, 25 * (1 + i % 4), 1 + i / 4, 0, i % 2);
            compare_shapes(image, i % 2 ? LG_FOREGROUND_VALUES : LG_FOREGROUND_NONZERO, "noise");
        }
        fill_pattern(image, EACH_ITS_OWN);
        compare_shapes(image, LG_FOREGROUND_VALUES, "each its own");
        lg_image_destroy(&image);
    }
}

static void test_again(void)
{
    const lg_label_params params = WITH(lg_label_params, it.connectivity = 8);
    lg_image *image = new_image(LG_U8, 300, 200, 1);
    lg_labels *labels = NULL;
    lg_error error = {LG_OK, ""};
    random_seed(1);
    label_content_fill(image, LABEL_NOISE, 50, 2, 0, false);
    NEED(!lg_image_upload(context, image, &error) &&
             !lg_label_image(context, image, &params, NULL, &labels, NULL, &error) &&
             !lg_labels_download(context, labels, &error),
         "%s", error.message);
    label_content_fill(image, LABEL_NOISE, 40, 1, 0, false);
    flood *f = flood_fill(image, LG_FOREGROUND_NONZERO, 0, 8);
    NEED(f && !lg_image_upload(context, image, &error) &&
             !lg_label_update(context, image, &params, NULL, labels, NULL, &error) &&
             !lg_labels_download(context, labels, &error),
         "%s", error.message);
    CHECK(flood_same_labels(f, labels), "labels that are written again");
    compare(image, &(label_params){.of = params}, figures, "figures alone");
    const lg_label_params small = WITH(lg_label_params, it.memory_limit = 1000);
    CHECK(lg_label_update(context, image, &small, NULL, labels, NULL, &error) == LG_ERROR_LIMIT,
          "a limit");
    flood_free(&f);
    lg_labels_destroy(&labels);
    lg_image_destroy(&image);
}

// ---- the kernels --------------------------------------------------------------------------------------

#define RECORD_BYTES 48 // without moments and intensities

typedef struct recorded {
    lg_vk_buffer *labels, *count, *records, *shapes;
    lg_vk_commands *commands;
} recorded;

static lg_status record(recorded *r, const lg_image *image, lg_label_request *request,
                        lg_error *error)
{
    const lg_image_private *priv = (const lg_image_private *)image;
    const lg_image_params *shape = &image->shape;
    const lg_label_source source = {
        priv->device->address,  priv->device_row_stride, priv->device_layer_stride, shape->type,
        (uint32_t)shape->width, (uint32_t)shape->height, (uint32_t)shape->layers};
    const size_t pixels = (size_t)shape->width * (size_t)shape->height * (size_t)shape->layers;
    lg_vk *vk = context->vk;
    lg_status status = lg_vk_commands_create(vk, 0, &r->commands, error);
    if (!status)
        status = lg_vk_buffer_create(vk, pixels * 4, LG_VK_DEVICE, &r->labels, error);
    if (!status)
        status = lg_vk_buffer_create(vk, 16, LG_VK_DEVICE, &r->count, error);
    if (!status)
        status = lg_vk_buffer_create(vk, (size_t)request->capacity * RECORD_BYTES, LG_VK_DEVICE,
                                     &r->records, error);
    if (!status)
        status = lg_vk_buffer_create(vk, (size_t)request->capacity * sizeof(lg_label_shape_record),
                                     LG_VK_DEVICE, &r->shapes, error);
    if (status)
        return status;
    request->labels = r->labels->address;
    request->count = r->count->address;
    request->figures = r->records->address;
    request->shapes = r->shapes->address;
    lg_vk_begin(r->commands);
    status = lg_label_record_forest(context, &source, request, r->commands, error);
    if (!status)
        status = lg_label_record_labels(context, &source, request, r->commands, error);
    if (!status)
        status = lg_vk_end(r->commands, error);
    if (!status)
        status = lg_vk_submit(vk, r->commands, error);
    return status ? status : lg_vk_wait(vk, r->commands, error);
}

static lg_status read_back(void *to, const lg_vk_buffer *from, size_t size, lg_error *error)
{
    return lg_vk_download(context->vk, to, size, from, 0, size, size, 1, error);
}

// As many as there is room for, as the CPU has them.
static void compare_shape_records(const lg_image *image, const recorded *r,
                                  const lg_label_request *request, lg_error *error)
{
    const lg_label_params params = WITH(lg_label_params, it.foreground = request->foreground,
                                        it.connectivity = request->connectivity, it.shape = true);
    const size_t size = (size_t)request->capacity * sizeof(lg_label_shape_record);
    lg_context *host = device_open_cpu();
    lg_label_shape_record *records = malloc(size);
    lg_components *want = NULL;
    NEED(host && records && !read_back(records, r->shapes, size, error) &&
             !lg_label_image(host, image, &params, NULL, NULL, &want, error),
         "%s", error->message);
    uint32_t same = 0;
    const uint32_t count = want ? LG_MIN(request->capacity, want->count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        bool equal = true;
        for (int k = 0; k < 14; k++)
            equal &= records[i].windows[k] == want->shape[i].windows[k + 1];
        for (int k = 0; k < 3; k++)
            equal &= records[i].border[k] == want->shape[i].border[k];
        same += equal;
    }
    CHECK(same == count, "%u of %u records of shapes are right", same, count);
    lg_components_destroy(&want);
    free(records);
    lg_context_destroy(&host);
}

// Areas of as many components as there is room for.
static void compare_record(const flood *f, const recorded *r, const lg_label_request *request,
                           lg_error *error)
{
    const size_t pixels = (size_t)f->width * (size_t)f->height * (size_t)f->layers;
    uint32_t count = 0, *labels = malloc(pixels * 4);
    char *records = malloc((size_t)request->capacity * RECORD_BYTES);
    CHECK(!read_back(&count, r->count, 4, error) &&
              !read_back(labels, r->labels, pixels * 4, error) &&
              !read_back(records, r->records, (size_t)request->capacity * RECORD_BYTES, error),
          "%s", error->message);
    const lg_label_tuning *t = &request->tuning;
    CHECK(count == f->count && !memcmp(labels, f->label, pixels * 4),
          "tiles of %u x %u, %u words each: %u components, not %u", t->tile_words, t->tile_rows,
          t->each, count, f->count);
    for (uint32_t i = 0; i < LG_MIN(request->capacity, f->count); i++) {
        lg_label_record record;
        memcpy(&record, records + (size_t)i * RECORD_BYTES, RECORD_BYTES);
        const bool same = record.area == f->basic[i].area && record.first == f->basic[i].first;
        if (!same || i == 0)
            CHECK(same, "component %u of %u has area %u, not %llu", i + 1, f->count, record.area,
                  (unsigned long long)f->basic[i].area);
    }
    free(labels);
    free(records);
}

static void test_kernels(void)
{
    static const lg_label_tuning tunings[] = {{.tile_rows = 32, .split = 8, .each = 4},
                                              {.tile_words = 8, .tile_rows = 16, .split = 4},
                                              {.tile_words = 8, .each = 16, .split = 1}};
    lg_image *image = new_image(LG_U8, 530, 140, 1);
    lg_error error = {LG_OK, ""};
    random_seed(7);
    label_content_fill(image, LABEL_NOISE, 42, 1, 0, false);
    CHECK(!lg_image_upload(context, image, &error), "%s", error.message);
    flood *floods[2] = {flood_fill(image, LG_FOREGROUND_NONZERO, 0, 8),
                        flood_fill(image, LG_FOREGROUND_VALUES, 0, 8)};
    for (int i = 0; floods[0] && floods[1] && i < test_extent(1, 2, 2 * LG_COUNT(tunings)); i++) {
        recorded r = {0};
        const bool values = i % 2 == 1;
        lg_label_request request = {.foreground =
                                        values ? LG_FOREGROUND_VALUES : LG_FOREGROUND_NONZERO,
                                    .connectivity = 8,
                                    .capacity = i % 2 ? 100000 : 50,
                                    .tuning = tunings[i / 2]};
        const lg_status status = record(&r, image, &request, &error);
        CHECK(!status, "%s", error.message);
        if (!status)
            compare_record(floods[values], &r, &request, &error);
        if (!status)
            compare_shape_records(image, &r, &request, &error);
        lg_vk_buffer_destroy(context->vk, &r.labels);
        lg_vk_buffer_destroy(context->vk, &r.count);
        lg_vk_buffer_destroy(context->vk, &r.records);
        lg_vk_buffer_destroy(context->vk, &r.shapes);
        lg_vk_commands_destroy(context->vk, &r.commands);
    }
    flood_free(&floods[0]);
    flood_free(&floods[1]);
    lg_image_destroy(&image);
}

static void run_tests(void)
{
    test_shapes();
    test_noise();
    test_foregrounds();
    test_values();
    test_figures();
    test_shape_counts();
    test_again();
    test_kernels();
}

int main(void)
{
    return device_main("vulkan_label", &context, run_tests);
}

#else

int main(void)
{
    check_skip("this build is without Vulkan");
    return check_finish("vulkan_label");
}

#endif
