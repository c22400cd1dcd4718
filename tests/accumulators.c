// Accumulators of histograms and of boxes: an image in tiles of any size, in any order, through several
// accumulators and their saved bytes, has the figures of one pass. Saved bytes that are cut, changed or of
// another kind are refused. Accumulators of moments of a region: tests/accumulator.c.
#include "check.h"
#include "content.h"
#include "device.h"
#include "measure/accumulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *context;
static lg_error error;

// ---- the kinds ----------------------------------------------------------------------------------

enum { BOXES = 5 };

typedef struct measured_whole {
    const lg_image *image;
    lg_histogram_params params;
    lg_region boxes[BOXES];
} measured_whole;

// One kind of accumulator.
typedef struct kind {
    const char *name;
    void *(*create)(const measured_whole *of);
    lg_status (*add)(void *a, const lg_image *tile, const lg_select *select, const int64_t at[3]);
    lg_status (*merge)(void *into, const void *from);
    lg_status (*save)(const void *a, void *data, size_t capacity, size_t *size);
    lg_status (*load)(const void *data, size_t size, void **out);
    void (*check)(const void *a, const measured_whole *of, const char *what);
    void (*finish)(const void *a);
    void (*destroy)(void **a);
} kind;

static void *create_histogram(const measured_whole *of)
{
    const lg_image_params *s = &of->image->shape;
    lg_histogram_accumulator *a = NULL;
    CHECK(!lg_histogram_accumulator_create(&of->params, s->type, s->channels, s->alpha, s->width,
                                           s->height, s->layers, &a, &error),
          "%s", error.message);
    return a;
}

static lg_status add_histogram(void *a, const lg_image *tile, const lg_select *select,
                               const int64_t at[3])
{
    return lg_histogram_accumulator_add(context, a, tile, select, at[0], at[1], at[2], &error);
}

static lg_status merge_histogram(void *into, const void *from)
{
    return lg_histogram_accumulator_merge(into, from, &error);
}

static lg_status save_histogram(const void *a, void *data, size_t capacity, size_t *size)
{
    return lg_histogram_accumulator_save(a, data, capacity, size, &error);
}

static lg_status load_histogram(const void *data, size_t size, void **out)
{
    return lg_histogram_accumulator_load(data, size, (lg_histogram_accumulator **)out, &error);
}

static bool same_channel(const lg_histogram_channel *a, const lg_histogram_channel *b)
{
    bool same = a->bins == b->bins && a->lo == b->lo && a->hi == b->hi && a->below == b->below &&
                a->above == b->above && a->nan_count == b->nan_count &&
                a->inf_count == b->inf_count && a->total == b->total && a->layer == b->layer &&
                a->value_count == b->value_count && strcmp(a->name, b->name) == 0;
    same = same && memcmp(a->counts, b->counts, (size_t)a->bins * sizeof *a->counts) == 0;
    return same && (!a->value_count ||
                    memcmp(a->values, b->values, a->value_count * sizeof *a->values) == 0);
}

static void check_histogram(const void *a, const measured_whole *of, const char *what)
{
    lg_histogram *want = NULL, *got = NULL;
    lg_histogram_params params = of->params;
    params.stack = true;
    if (lg_measure_histogram(context, of->image, &params, &want, &error) ||
        lg_histogram_accumulator_finish(a, LG_NAN_IGNORE, &got, &error)) {
        CHECK(false, "%s: %s", what, error.message);
    } else {
        bool same = want->channels == got->channels && got->layers == 1 && want->type == got->type;
        for (int i = 0; same && i < want->channels; i++)
            same = same_channel(&want->channel[i], &got->channel[i]);
        CHECK(same, "%s: other counts than in one pass", what);
    }
    lg_histogram_destroy(&want);
    lg_histogram_destroy(&got);
}

static void finish_histogram(const void *a)
{
    lg_histogram *h = NULL;
    lg_histogram_accumulator_finish(a, LG_NAN_IGNORE, &h, &error);
    lg_histogram_destroy(&h);
}

static void destroy_histogram(void **a)
{
    lg_histogram_accumulator_destroy((lg_histogram_accumulator **)a);
}

static void *create_boxes(const measured_whole *of)
{
    const lg_image_params *s = &of->image->shape;
    lg_box_accumulator *a = NULL;
    CHECK(!lg_box_accumulator_create(s->type, lg_image_measured_channels(s), s->width, s->height,
                                     s->layers, of->boxes, BOXES, &a, &error),
          "%s", error.message);
    return a;
}

static lg_status add_boxes(void *a, const lg_image *tile, const lg_select *select,
                           const int64_t at[3])
{
    return lg_box_accumulator_add(context, a, tile, select, at[0], at[1], at[2], &error);
}

static lg_status merge_boxes(void *into, const void *from)
{
    return lg_box_accumulator_merge(into, from, &error);
}

static lg_status save_boxes(const void *a, void *data, size_t capacity, size_t *size)
{
    return lg_box_accumulator_save(a, data, capacity, size, &error);
}

static lg_status load_boxes(const void *data, size_t size, void **out)
{
    return lg_box_accumulator_load(data, size, (lg_box_accumulator **)out, &error);
}

static void check_boxes(const void *a, const measured_whole *of, const char *what)
{
    const int channels = lg_image_measured_channels(&of->image->shape);
    lg_moments want[4], got[BOXES * 4];
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    CHECK(!lg_box_accumulator_finish(a, LG_NAN_IGNORE, got, LG_COUNT(got), &error), "%s: %s", what,
          error.message);
    for (int i = 0; i < BOXES; i++) {
        params.select.region = &of->boxes[i];
        CHECK(!lg_measure_moments(context, of->image, &params, want, 4, &error) &&
                  memcmp(want, got + i * channels, (size_t)channels * sizeof *want) == 0,
              "%s, box %d: other figures than in one pass", what, i);
    }
}

static void finish_boxes(const void *a)
{
    lg_moments got[BOXES * 4];
    lg_box_accumulator_finish(a, LG_NAN_IGNORE, got, LG_COUNT(got), &error);
}

static void destroy_boxes(void **a)
{
    lg_box_accumulator_destroy((lg_box_accumulator **)a);
}

static const kind kinds[] = {{"histogram", create_histogram, add_histogram, merge_histogram,
                              save_histogram, load_histogram, check_histogram, finish_histogram,
                              destroy_histogram},
                             {"boxes", create_boxes, add_boxes, merge_boxes, save_boxes, load_boxes,
                              check_boxes, finish_boxes, destroy_boxes}};

// ---- tiles --------------------------------------------------------------------------------------

static void through_bytes(const kind *k, void **a)
{
    size_t size = 0, again = 0;
    void *loaded = NULL;
    CHECK(!k->save(*a, NULL, 0, &size), "%s", error.message);
    uint8_t *bytes = malloc(size), *copy = malloc(size);
    CHECK(k->save(*a, bytes, size - 1, &again) == LG_ERROR_ARGUMENT, "%s: no room", k->name);
    CHECK(!k->save(*a, bytes, size, &again) && again == size, "%s", error.message);
    CHECK(!k->load(bytes, size, &loaded), "%s: %s", k->name, error.message);
    CHECK(loaded && !k->save(loaded, copy, size, &again) && memcmp(bytes, copy, size) == 0,
          "%s: other bytes after loading", k->name);
    free(bytes);
    free(copy);
    if (loaded) {
        k->destroy(a);
        *a = loaded;
    }
}

// A tile is a selection of the image: its place in it is the one in the region.
static void add_tiles(const kind *k, void *const parts[3], const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const int64_t wide = 1 + (int64_t)random_below((unsigned)s->width),
                  high = 1 + (int64_t)random_below((unsigned)s->height);
    for (int64_t y = s->height - 1 - (s->height - 1) % high; y >= 0; y -= high)
        for (int64_t x = 0; x < s->width; x += wide) {
            const lg_region r = {x, y, LG_MIN(wide, s->width - x), LG_MIN(high, s->height - y)};
            lg_select select = lg_select_default();
            select.region = &r;
            CHECK(!k->add(parts[random_below(3)], image, &select, (const int64_t[]){x, y, 0}),
                  "%s: %s", k->name, error.message);
        }
}

static void check_cuts(const kind *k, const measured_whole *of, const char *what)
{
    void *parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = k->create(of);
    if (parts[0] && parts[1] && parts[2]) {
        add_tiles(k, parts, of->image);
        through_bytes(k, &parts[1]);
        CHECK(!k->merge(parts[1], parts[2]) && !k->merge(parts[0], parts[1]), "%s: %s", k->name,
              error.message);
        k->check(parts[0], of, what);
        lg_select select = lg_select_default();
        CHECK(k->add(parts[0], of->image, &select, (const int64_t[]){0, 0, 0}) == LG_ERROR_ARGUMENT,
              "%s: added twice", k->name);
        CHECK(k->merge(parts[0], parts[0]) == LG_ERROR_ARGUMENT, "%s: itself", k->name);
    }
    for (int i = 0; i < 3; i++)
        k->destroy(&parts[i]);
}

static lg_region some_box(const lg_image_params *s)
{
    const int64_t w = 1 + random_below((unsigned)s->width),
                  h = 1 + random_below((unsigned)s->height);
    return (lg_region){random_below((unsigned)(s->width - w + 1)),
                       random_below((unsigned)(s->height - h + 1)), w, h};
}

static measured_whole whole_of(lg_image_params shape, int turn)
{
    static const lg_space spaces[] = {LG_SPACE_STORED, LG_SPACE_LUMA,   LG_SPACE_RGBL,
                                      LG_SPACE_HSV,    LG_SPACE_LINEAR, LG_SPACE_LAB};
    measured_whole of = {
        .image = content_image(context, shape, turn % 2 ? CONTENT_SPECIAL : CONTENT_UNIT),
        .params = lg_histogram_params_default()};
    const int any = shape.channels == 4 ? 6 : 3;
    of.params.space = spaces[turn % any];
    of.params.luma = (lg_luma)(turn % LG_LUMAS);
    of.params.bins = turn % 3 ? 1 + (int)random_below(700) : -1;
    of.params.type_range = turn % 4 == 0;
    of.params.automatic_range = turn % 4 == 1 && shape.type != LG_F32 &&
                                !(shape.type == LG_F16 && of.params.space > LG_SPACE_STORED);
    of.params.lo = shape.type <= LG_U16 ? 3 : -0.25;
    of.params.hi = shape.type <= LG_U16 ? 200 : 0.75;
    for (int i = 0; i < BOXES; i++)
        of.boxes[i] = some_box(&shape);
    return of;
}

// Software compiles kernels for each space and type.
static void test_cuts(void)
{
    const int tries = context->vk ? test_extent(1, 1, 24) : test_extent(2, 3, 24);
    int turn = 0;
    for (int type = 0; type < LG_TYPES; type++)
        for (int channels = 1; channels <= 4; channels *= 2)
            for (int i = 0; i < tries; i++, turn++) {
                const lg_alpha alpha =
                    channels == 1 ? LG_ALPHA_NONE : (lg_alpha)(turn % (LG_ALPHA_PREMULTIPLIED + 1));
                const lg_image_params shape =
                    SHAPE(1 + (int)random_below(150), 1 + (int)random_below(60), 1 + turn % 3,
                          channels, type, alpha);
                measured_whole of = whole_of(shape, turn);
                char what[120];
                snprintf(what, sizeof what, "%s x%d alpha %d, space %s, %d bins",
                         lg_type_name(type), channels, (int)alpha, lg_space_name(of.params.space),
                         of.params.bins);
                for (size_t k = 0; k < LG_COUNT(kinds); k++)
                    check_cuts(&kinds[k], &of, what);
                lg_image *image = (lg_image *)(uintptr_t)of.image;
                lg_image_destroy(&image);
            }
}

// ---- bytes --------------------------------------------------------------------------------------

static void repair(uint8_t *bytes, size_t size)
{
    const uint64_t sum = lg_saved_sum(bytes, size - 8);
    for (int i = 0; i < 8; i++)
        bytes[size - 8 + (size_t)i] = (uint8_t)(sum >> (8 * i));
}

static void check_damage(const kind *k, const uint8_t *bytes, size_t size)
{
    void *out = NULL;
    uint8_t *bad = malloc(size);
    for (int i = 0; i < 400; i++) {
        const size_t at = random_below((unsigned)size), less = random_below((unsigned)size);
        memcpy(bad, bytes, size);
        bad[at] ^= (uint8_t)(1 + random_below(255));
        CHECK(k->load(bad, size, &out) && !out, "%s: byte %zu changed", k->name, at);
        CHECK(k->load(bytes, less, &out) && !out, "%s: the first %zu bytes", k->name, less);
        // With a check sum that fits, nothing may break: refused, or usable.
        memcpy(bad, bytes, size);
        bad[i < 200 ? random_below(130) : at] ^= (uint8_t)(1 + random_below(255));
        repair(bad, size);
        if (!k->load(bad, size, &out))
            k->finish(out);
        k->destroy(&out);
    }
    free(bad);
}

static void test_bytes(void)
{
    measured_whole of = whole_of(SHAPE(40, 30, 1, 2, LG_U8, LG_ALPHA_NONE), 0);
    uint8_t *bytes[LG_COUNT(kinds)];
    size_t sizes[LG_COUNT(kinds)];
    void *out = NULL;
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        void *a = kinds[i].create(&of);
        lg_select select = lg_select_default();
        CHECK(!kinds[i].add(a, of.image, &select, (const int64_t[]){0, 0, 0}), "%s", error.message);
        kinds[i].save(a, NULL, 0, &sizes[i]);
        bytes[i] = malloc(sizes[i]);
        kinds[i].save(a, bytes[i], sizes[i], &sizes[i]);
        check_damage(&kinds[i], bytes[i], sizes[i]);
        kinds[i].destroy(&a);
    }
    CHECK(kinds[0].load(bytes[1], sizes[1], &out) == LG_ERROR_DATA && !out &&
              strstr(error.message, "LGHISTOG"),
          "boxes are no histogram: %s", error.message);
    CHECK(lg_moments_accumulator_load(bytes[0], sizes[0], (lg_moments_accumulator **)&out,
                                      &error) == LG_ERROR_DATA &&
              strstr(error.message, "LGMOMENT"),
          "a histogram is no moments: %s", error.message);
    for (size_t i = 0; i < LG_COUNT(kinds); i++)
        free(bytes[i]);
    lg_image *image = (lg_image *)(uintptr_t)of.image;
    lg_image_destroy(&image);
}

// ---- what is refused ----------------------------------------------------------------------------

static void test_refusals(void)
{
    lg_histogram_params params = lg_histogram_params_default();
    lg_histogram_accumulator *h = NULL, *other = NULL;
    lg_box_accumulator *b = NULL;
    params.type_range = false;
    params.automatic_range = true;
    CHECK(lg_histogram_accumulator_create(&params, LG_F32, 1, LG_ALPHA_NONE, 9, 9, 1, &h, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "must be known"),
          "an automatic range of floats: %s", error.message);
    CHECK(lg_histogram_accumulator_create(NULL, LG_U8, 1, LG_ALPHA_STRAIGHT, 9, 9, 1, &h, &error) ==
              LG_ERROR_ARGUMENT,
          "alpha of one channel");
    CHECK(!lg_histogram_accumulator_create(NULL, LG_U8, 1, LG_ALPHA_NONE, 9, 9, 1, &h, &error) &&
              !lg_histogram_accumulator_create(&params, LG_U8, 1, LG_ALPHA_NONE, 9, 9, 1, &other,
                                               &error),
          "%s", error.message);
    CHECK(lg_histogram_accumulator_merge(h, other, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "same bins"),
          "other ranges: %s", error.message);
    const lg_region outside = {3, 3, 7, 2}, empty = {0, 0, 0, 4};
    CHECK(lg_box_accumulator_create(LG_U8, 1, 9, 9, 1, &outside, 1, &b, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "box 0"),
          "%s", error.message);
    CHECK(lg_box_accumulator_create(LG_U8, 1, 9, 9, 1, &empty, 1, &b, &error) == LG_ERROR_ARGUMENT,
          "an empty box");
    lg_histogram_accumulator_destroy(&h);
    lg_histogram_accumulator_destroy(&other);
}

int main(void)
{
    random_seed(41);
    context = device_open_cpu();
    test_cuts();
    test_bytes();
    test_refusals();
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context)
        test_cuts();
    device_close(&context);
    return check_finish("accumulators");
}
