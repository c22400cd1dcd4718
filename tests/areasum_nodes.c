// Every node of ripmaps, against its definition: an element, or two nodes of the level below along the last
// axis that is not at level 0.
#include "area_samples.h"
#include "area_words.h"
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>

// Whether all are finite.
static bool fill(lg_type type, void *data, size_t count)
{
    area_fill(type, data, count);
    if (type != LG_F32 || random_below(3))
        return true;
    ((float *)data)[random_below((uint32_t)count)] = random_below(2) ? NAN : INFINITY;
    return false;
}

// An array of random samples without gaps.
static void compare_random(lg_context *context, lg_type type, int channels, const int64_t *n)
{
    lg_area_array array = area_array(type, channels, n);
    const size_t words = (size_t)(n[0] * n[1] * n[2] * channels);
    void *data = malloc(words * lg_type_size(type));
    array.data = data;
    bool finite = fill(type, data, words);
    const bool plain = type == LG_F32 && random_below(2);
    const lg_areasum_params params = WITH(
        lg_areasum_params, it.kind = LG_AREASUM_RIPMAP,
        it.precision = plain ? LG_AREA_PLAIN : LG_AREA_EXACT, it.extremes = random_below(4) == 0,
        it.squares = !plain && type != LG_I32 && random_below(4) == 0,
        it.share_array = random_below(2));
    lg_areasum *sums = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_areasum_create(context, &array, &params, &sums, &error), "%s", error.message);
    for (int again = 0; sums && again < 3; again++) {
        area_check_words(sums, data, "a ripmap");
        const bool shared = params.share_array && plain && finite;
        CHECK(sums->planes[0].shared == shared && (sums->planes[0].level0 == data) == shared,
              "shared: %d, wanted %d", sums->planes[0].shared, shared);
        if (words > 1u << 20)
            break;
        finite = fill(type, data, words);
        CHECK(!lg_areasum_update(context, sums, &array, &error), "%s", error.message);
    }
    lg_areasum_destroy(&sums);
    free(data);
}

int main(void)
{
    static const lg_type types[] = {LG_F32, LG_U8, LG_U16, LG_F32, LG_U8, LG_I32};
    static const int64_t widths[] = {1,    3,    100,  127,  130,  256,  384,  512,  1000,
                                     1024, 1025, 1328, 3840, 4096, 4099, 8192, 8200, 16416},
                         heights[] = {1, 2, 3, 7, 63, 64, 65, 66, 130, 257};
    lg_context *contexts[3] = {device_open_threads(3), device_open_threads(1),
                               device_open_level(LG_CPU_BASE, 2)};
    random_seed(20261122);
    const size_t min = lg_area_stream_least;
    for (int i = 0; i < test_extent(20, 60, 900); i++) {
        const int64_t n[3] = {widths[random_below(LG_COUNT(widths))],
                              heights[random_below(LG_COUNT(heights))],
                              random_below(4) ? 1 : 2 + (int64_t)random_below(3)};
        lg_area_stream_least = random_below(3) ? 0 : min;
        lg_area_guess_least = random_below(2) ? 0 : SIZE_MAX;
        compare_random(contexts[i % 3], types[i % LG_COUNT(types)],
                       i % 3 ? 1 : 1 + (int)random_below(4), n);
    }
    // Sums of bytes beyond 32 bits.
    for (int k = 0; k < test_extent(1, 1, 3); k++)
        compare_random(contexts[k], LG_U8, 1, (const int64_t[]){4224, 4000, 1});
    lg_area_stream_least = min;
    for (int k = 0; k < 3; k++)
        lg_context_destroy(&contexts[k]);
    return check_finish("areasum_nodes");
}
