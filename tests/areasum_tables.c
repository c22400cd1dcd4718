// Entries of summed-area tables that one or several threads build, against loops in 64-bit integers;
// tables and ripmaps that are built on a guess, right or wrong.
#include "area_samples.h"
#include "area_words.h"
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>

// ---- entries ----------------------------------------------------------------------------------------

// Rows of the caller have gaps between them.
static lg_area_array with_gaps(lg_type type, int channels, const int64_t *n, const void *data)
{
    lg_area_array array = area_array(type, channels, n);
    const size_t bytes = (size_t)(n[0] * array.stride[0]),
                 gap = random_below(3) * lg_type_size(type);
    char *to = malloc((bytes + gap) * (size_t)(n[1] * n[2]));
    for (size_t y = 0; y < (size_t)(n[1] * n[2]); y++)
        memcpy(to + y * (bytes + gap), (const char *)data + y * bytes, bytes);
    if (array.dims > 1)
        array.stride[1] = (int64_t)(bytes + gap);
    if (array.dims > 2)
        array.stride[2] = array.stride[1] * n[1];
    array.data = to;
    return array;
}

static void test_entries(void)
{
    static const int64_t extents[][3] = {
        {1537, 70, 1},  {1600, 130, 1}, {2048, 9, 2}, {5000, 1, 1},   {70001, 1, 1},
        {1664, 200, 1}, {4099, 17, 2},  {3000, 3, 1}, {5001, 200, 1}, {2300, 131, 1},
        {37, 900, 1},   {300, 333, 1},  {700, 41, 2}, {129, 12, 1},   {1, 600001, 1}};
    static const lg_type types[] = {LG_U8, LG_F32, LG_U16, LG_F32, LG_I32};
    lg_context *contexts[3] = {device_open_level(LG_CPU_BEST, 3), device_open_level(LG_CPU_BASE, 2),
                               device_open_level(LG_CPU_BEST, 1)};
    const size_t min = lg_area_stream_least, cached = lg_area_cached;
    for (int i = 0; i < test_extent(40, 120, 800); i++) {
        const int64_t *n = extents[random_below(LG_COUNT(extents))];
        const lg_type type = types[i % LG_COUNT(types)];
        const int channels = i % 3 ? 1 : 1 + (int)random_below(4);
        const size_t words = (size_t)(n[0] * n[1] * n[2] * channels);
        void *data = malloc(words * lg_type_size(type));
        area_fill(type, data, words);
        const bool holes = type == LG_F32 && random_below(4) == 0;
        for (int k = 0; holes && k < 5; k++)
            ((float *)data)[random_below((uint32_t)words)] = k % 2 ? NAN : INFINITY;
        lg_area_array array = with_gaps(type, channels, n, data);
        const lg_areasum_params params =
            WITH(lg_areasum_params,
                 it.squares = (type == LG_U8 || type == LG_U16) && random_below(3) == 0);
        lg_areasum *sums = NULL;
        lg_error error = {LG_OK, ""};
        lg_area_stream_least = random_below(2) ? 0 : min;
        lg_area_cached = random_below(2) ? 0 : cached;
        lg_area_guess_least = random_below(2) ? 0 : SIZE_MAX;
        NEED(!lg_areasum_create(contexts[i % 3], &array, &params, &sums, &error), "%s",
             error.message);
        if (sums)
            area_check_words(sums, data, "a table");
        lg_areasum_destroy(&sums);
        free((void *)(uintptr_t)array.data);
        free(data);
    }
    lg_area_stream_least = min;
    lg_area_cached = cached;
    for (int k = 0; k < 3; k++)
        lg_context_destroy(&contexts[k]);
}

// ---- guesses ----------------------------------------------------------------------------------------

enum { WIDTH = 2000, HEIGHT = 300 };

typedef struct surprise {
    const char *name;
    float first,
        second; // samples in a row at the top and in one at the bottom, of which no guess is made
    uint64_t ignored;
} surprise;

static const surprise surprises[] = {{"none", 0.25f, 0.25f, 0},
                                     {"larger at the top", 3e7f, 0.25f, 0},
                                     {"larger at the bottom", 0.25f, -1.0f, 0},
                                     {"much larger at the bottom", 0.25f, 3e38f, 0},
                                     {"an infinity", -INFINITY, 0.25f, 1},
                                     {"NaNs", NAN, -NAN, 2},
                                     {"NaN and larger", 5.0f, NAN, 1}};

// The same words, unit and counts as without a guess; update and create.
static void compare_guess(lg_context *context, const lg_area_array *array, const surprise *s,
                          lg_area_precision precision, lg_areasum_kind kind)
{
    const lg_areasum_params params =
        WITH(lg_areasum_params, it.kind = kind, it.precision = precision);
    lg_areasum *guessed = NULL, *looked = NULL;
    lg_area_guess_least = SIZE_MAX;
    NEED(!lg_areasum_create(context, array, &params, &looked, NULL), "%s", s->name);
    lg_area_guess_least = 0;
    NEED(!lg_areasum_create(context, array, &params, &guessed, NULL), "%s", s->name);
    for (int again = 0; guessed && looked && again < 2; again++) {
        lg_areasum_info a, b;
        lg_areasum_get_info(guessed, &a);
        lg_areasum_get_info(looked, &b);
        CHECK(a.unit == b.unit && a.ignored == s->ignored && b.ignored == s->ignored &&
                  a.bytes == b.bytes && guessed->plane_count == looked->plane_count,
              "%s: unit %g, wanted %g; %d samples left out, wanted %d", s->name, a.unit, b.unit,
              (int)a.ignored, (int)s->ignored);
        char text[AREA_TEXT] = "";
        CHECK(area_same_words(guessed, looked, text), "%s, without a guess: %s", s->name, text);
        if (precision == LG_AREA_EXACT && !kind)
            area_check_words(guessed, array->data, s->name);
        CHECK(!lg_areasum_update(context, guessed, array, NULL), "%s again", s->name);
    }
    lg_areasum_destroy(&guessed);
    lg_areasum_destroy(&looked);
}

static void test_guesses(void)
{
    lg_context *contexts[3] = {device_open_level(LG_CPU_BEST, 2), device_open_level(LG_CPU_BEST, 1),
                               device_open_level(LG_CPU_BASE, 2)};
    float *data = malloc(sizeof(float) * WIDTH * HEIGHT);
    const size_t cached = lg_area_cached, min = lg_area_stream_least;
    for (size_t k = 0; k < LG_COUNT(surprises); k++)
        for (int c = 0; c < test_extent(1, 3, 3); c++) {
            lg_area_array array = {
                .type = LG_F32, .dims = 2, .channels = 1, .extent = {WIDTH, HEIGHT}, .data = data};
            lg_area_array_pack(&array);
            for (size_t i = 0; i < WIDTH * HEIGHT; i++)
                data[i] = (float)(random_unit() - 0.25);
            data[(size_t)2 * WIDTH + random_below(WIDTH)] = surprises[k].first;
            data[(size_t)(HEIGHT - 2) * WIDTH + WIDTH - 1 - random_below(300)] =
                surprises[k].second;
            lg_area_cached = c ? cached : 0;
            lg_area_stream_least = k % 2 ? min : 0;
            compare_guess(contexts[c], &array, &surprises[k], LG_AREA_EXACT, LG_AREASUM_TABLE);
            compare_guess(contexts[c], &array, &surprises[k], LG_AREA_PLAIN, LG_AREASUM_TABLE);
            compare_guess(contexts[c], &array, &surprises[k], LG_AREA_EXACT, LG_AREASUM_RIPMAP);
            compare_guess(contexts[c], &array, &surprises[k], LG_AREA_PLAIN, LG_AREASUM_RIPMAP);
        }
    lg_area_cached = cached;
    lg_area_stream_least = min;
    free(data);
    for (int k = 0; k < 3; k++)
        lg_context_destroy(&contexts[k]);
}

int main(void)
{
    random_seed(20261122);
    test_entries();
    test_guesses();
    return check_finish("areasum_tables");
}
