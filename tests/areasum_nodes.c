// Every node of ripmaps, against its definition: an element, or two nodes of the level below along the last
// axis that is not at level 0.
#include "area_samples.h"
#include "check.h"

#include <lumagraph/lumagraph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/areasum/areasum_planes.h"

static double sample(lg_type type, const void *data, size_t i)
{
    switch (type) {
    case LG_U8:
        return ((const uint8_t *)data)[i];
    case LG_U16:
        return ((const uint16_t *)data)[i];
    case LG_I32:
        return ((const int32_t *)data)[i];
    default:
        return (double)((const float *)data)[i];
    }
}

typedef union word {
    uint32_t u32;
    uint64_t u64;
    float f32;
} word;

static word of_float(float v)
{
    word w = {.u64 = 0};
    w.f32 = v;
    return w;
}

static word word_at(const lg_area_plane *plane, const void *words, size_t i)
{
    word w = {.u64 = 0};
    const size_t size = lg_area_word_size(plane->word);
    memcpy(&w, (const char *)words + i * size, size);
    return w;
}

// Low bits of the square of an integer, or those above: as many as never carry out of a word.
static word of_square(const lg_areasum *sums, const lg_area_plane *plane, int64_t x)
{
    const unsigned __int128 square = (unsigned __int128)((__int128)x * x);
    int bits = 1;
    while ((size_t)1 << bits < sums->elements)
        bits++;
    const unsigned __int128 unit = (unsigned __int128)1 << (64 - bits);
    return (word){.u64 =
                      (uint64_t)(plane->op == LG_AREA_OP_SQUARES ? square % unit : square / unit)};
}

static word of_sample(const lg_areasum *sums, const lg_area_plane *plane, double v)
{
    if (plane->word == LG_AREA_F32)
        return of_float(isfinite(v) ? (float)v : 0);
    if (plane->op == LG_AREA_OP_COUNT)
        return (word){.u64 = isfinite(v)};
    const int64_t x = isfinite(v) ? (int64_t)rint(ldexp(v, -plane->exponent)) : 0;
    if (plane->op == LG_AREA_OP_SUM)
        return (word){.u64 = (uint64_t)x};
    return sums->floats ? of_square(sums, plane, x) : (word){.u64 = (uint64_t)(x * x)};
}

static word join(const lg_area_plane *plane, word a, word b)
{
    if (plane->op == LG_AREA_OP_LEAST)
        return a.u32 < b.u32 ? a : b;
    if (plane->op == LG_AREA_OP_MOST)
        return a.u32 > b.u32 ? a : b;
    if (plane->word == LG_AREA_F32)
        return of_float(a.f32 + b.f32);
    return plane->word == LG_AREA_U32 ? (word){.u64 = (uint32_t)(a.u32 + b.u32)}
                                      : (word){.u64 = a.u64 + b.u64};
}

// A plane's elements; samples without gaps. Keys of extremes are looked at by queries elsewhere.
static size_t wrong_elements(const lg_areasum *sums, const lg_area_plane *plane, const void *data)
{
    size_t wrong = 0;
    const bool keys = plane->op == LG_AREA_OP_LEAST || plane->op == LG_AREA_OP_MOST;
    for (size_t i = 0; i < sums->elements * (size_t)sums->shape.channels && !keys; i++)
        wrong += word_at(plane, plane->level0, i).u64 !=
                 of_sample(sums, plane, sample(sums->shape.type, data, i)).u64;
    return wrong;
}

static size_t wrong_nodes(const lg_areasum *sums, const lg_area_plane *plane, const int *level)
{
    const size_t channels = (size_t)sums->shape.channels;
    int below[LG_AREA_DIMS], axis = sums->shape.dims - 1;
    while (level[axis] == 0)
        axis--;
    memcpy(below, level, sizeof below);
    below[axis]--;
    size_t inner = channels, outer = 1;
    for (int d = 0; d < sums->shape.dims; d++) {
        const size_t extent = (size_t)(sums->shape.extent[d] >> level[d]);
        inner *= d < axis ? extent : 1;
        outer *= d > axis ? extent : 1;
    }
    const size_t length = (size_t)(sums->shape.extent[axis] >> level[axis]),
                 before = (size_t)(sums->shape.extent[axis] >> below[axis]);
    const void *to = lg_area_block(sums, plane, lg_area_block_index(sums, level)),
               *from = lg_area_block(sums, plane, lg_area_block_index(sums, below));
    size_t wrong = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < length; i++)
            for (size_t k = 0; k < inner; k++) {
                const size_t at = (o * before + 2 * i) * inner + k;
                const word wanted =
                    join(plane, word_at(plane, from, at), word_at(plane, from, at + inner));
                wrong += word_at(plane, to, (o * length + i) * inner + k).u64 != wanted.u64;
            }
    return wrong;
}

static void compare_nodes(const lg_areasum *sums, const void *data)
{
    for (int p = 0; p < sums->plane_count; p++) {
        const lg_area_plane *plane = &sums->planes[p];
        int level[LG_AREA_DIMS] = {0};
        const size_t elements = wrong_elements(sums, plane, data);
        CHECK(elements == 0, "plane %d of %d x %d: %zu elements", p, (int)sums->shape.extent[0],
              (int)sums->shape.extent[1], elements);
        for (size_t block = 1; block < sums->blocks; block++) {
            size_t rest = block;
            for (int d = 0; d < sums->shape.dims; d++, rest /= (size_t)sums->levels[d - 1])
                level[d] = (int)(rest % (size_t)sums->levels[d]);
            const size_t wrong = wrong_nodes(sums, plane, level);
            CHECK(wrong == 0, "plane %d of %d x %d: %zu nodes of level %d, %d", p,
                  (int)sums->shape.extent[0], (int)sums->shape.extent[1], wrong, level[0],
                  level[1]);
        }
    }
}

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
        compare_nodes(sums, data);
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
    lg_context *contexts[3];
    const lg_context_params params[3] = {
        WITH(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 3, it.use_cache = false),
        WITH(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 1, it.use_cache = false),
        WITH(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 2, it.use_cache = false,
             it.cpu_level = LG_CPU_BASE)};
    random_seed(20261122);
    for (int k = 0; k < 3; k++)
        if (lg_context_create(&params[k], &contexts[k], NULL))
            abort();
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
