// Saved accumulators and states, their check sums repaired. What loads is whole: it saves
// as the same bytes, merges and gives figures.
#include "fuzz.h"

#include "measure/accumulator.h"

#include <string.h>

static lg_error error;

static void check_loaded(const lg_moments_accumulator *a, const uint8_t *bytes, size_t size)
{
    lg_moments figures[LG_MAX_CHANNELS];
    lg_moments_accumulator *again = NULL;
    size_t saved = 0;
    uint8_t *copy = malloc(size);
    EXPECT(copy && !lg_moments_accumulator_save(a, copy, size, &saved, &error));
    EXPECT(saved == size && memcmp(copy, bytes, size) == 0);
    EXPECT(!lg_moments_accumulator_load(copy, size, &again, &error));
    lg_moments_accumulator_merge(again, a, &error);
    lg_moments_accumulator_finish(again, LG_NAN_IGNORE, figures, LG_COUNT(figures), &error);
    lg_moments_accumulator_destroy(&again);
    free(copy);
}

static void check_histogram(const lg_histogram_accumulator *a, const uint8_t *bytes, size_t size)
{
    lg_histogram *h = NULL;
    size_t saved = 0;
    uint8_t *copy = malloc(size);
    EXPECT(copy && !lg_histogram_accumulator_save(a, copy, size, &saved, &error));
    EXPECT(saved == size && memcmp(copy, bytes, size) == 0);
    lg_histogram_accumulator_finish(a, LG_NAN_IGNORE, &h, &error);
    lg_histogram_destroy(&h);
    free(copy);
}

static void check_boxes(const lg_box_accumulator *a, const uint8_t *bytes, size_t size)
{
    lg_moments figures[64];
    size_t saved = 0;
    uint8_t *copy = malloc(size);
    EXPECT(copy && !lg_box_accumulator_save(a, copy, size, &saved, &error));
    EXPECT(saved == size && memcmp(copy, bytes, size) == 0);
    lg_box_accumulator_finish(a, LG_NAN_IGNORE, figures, LG_COUNT(figures), &error);
    free(copy);
}

static void check_labels(const lg_label_accumulator *a, const uint8_t *bytes, size_t size)
{
    lg_components *c = NULL;
    lg_label_accumulator *again = NULL;
    size_t saved = 0;
    uint8_t *copy = malloc(size);
    EXPECT(copy && !lg_label_accumulator_save(a, copy, size, &saved, &error));
    EXPECT(saved == size && memcmp(copy, bytes, size) == 0);
    EXPECT(!lg_label_accumulator_load(copy, size, &again, &error));
    lg_label_accumulator_merge(again, a, &error);
    lg_label_accumulator_finish(a, &c, &error);
    lg_components_destroy(&c);
    lg_label_accumulator_destroy(&again);
    free(copy);
}

// A state of inputs: what it holds is not looked at before it merges.
static void check_state(lg_state *state, const uint8_t *bytes, size_t size)
{
    lg_state_input in;
    lg_state *again = NULL;
    size_t saved = 0;
    uint8_t *copy = malloc(size);
    EXPECT(copy && !lg_state_save(state, copy, size, &saved, &error));
    EXPECT(saved == size && memcmp(copy, bytes, size) == 0);
    for (size_t i = 0; i < lg_state_count(state); i++)
        EXPECT(!lg_state_at(state, i, &in, &error));
    lg_state_missing(state, NULL);
    EXPECT(!lg_state_load(copy, size, &again, NULL, &error));
    lg_state_merge(again, state, &error);
    lg_state_destroy(&again);
    free(copy);
}

static void put_sum(uint8_t *bytes, size_t size, uint64_t sum)
{
    for (int i = 0; i < 8; i++)
        bytes[size - 8 + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_moments_accumulator *a = NULL;
    lg_histogram_accumulator *h = NULL;
    lg_box_accumulator *b = NULL;
    lg_label_accumulator *l = NULL;
    lg_threshold_accumulator *t = NULL;
    lg_threshold level;
    lg_state *s = NULL;
    uint8_t *bytes = (uint8_t *)fuzz_text(data, size);
    if (size >= 8)
        put_sum(bytes, size, lg_saved_sum(bytes, size - 8));
    if (!lg_moments_accumulator_load(bytes, size, &a, &error))
        check_loaded(a, bytes, size);
    if (!lg_histogram_accumulator_load(bytes, size, &h, &error))
        check_histogram(h, bytes, size);
    if (!lg_box_accumulator_load(bytes, size, &b, &error))
        check_boxes(b, bytes, size);
    lg_moments_accumulator_destroy(&a);
    lg_histogram_accumulator_destroy(&h);
    if (!lg_label_accumulator_load(bytes, size, &l, &error))
        check_labels(l, bytes, size);
    if (!lg_threshold_accumulator_load(bytes, size, &t, &error))
        lg_threshold_accumulator_finish(t, LG_NAN_IGNORE, &level, &error);
    if (size >= 8)
        put_sum(bytes, size, lg_hash(bytes, size - 8, 0));
    if (!lg_state_load(bytes, size, &s, NULL, &error))
        check_state(s, bytes, size);
    lg_box_accumulator_destroy(&b);
    lg_label_accumulator_destroy(&l);
    lg_threshold_accumulator_destroy(&t);
    lg_state_destroy(&s);
    free(bytes);
    return 0;
}

static void write_other_seeds(int count, char **arguments)
{
    static uint8_t bytes[1 << 14];
    const lg_region boxes[] = {{0, 0, 2, 2}, {1, 1, 3, 3}};
    lg_histogram_params params = lg_histogram_params_default();
    lg_histogram_accumulator *h = NULL;
    lg_box_accumulator *b = NULL;
    size_t size;
    params.bins = 9;
    EXPECT(
        !lg_histogram_accumulator_create(&params, LG_F32, 2, LG_ALPHA_NONE, 4, 4, 1, &h, &error) &&
        !lg_histogram_accumulator_save(h, bytes, sizeof bytes, &size, &error));
    fuzz_seed(count, arguments, "histogram", bytes, size);
    EXPECT(!lg_box_accumulator_create(LG_U16, 1, 4, 4, 1, boxes, 2, &b, &error) &&
           !lg_box_accumulator_save(b, bytes, sizeof bytes, &size, &error));
    fuzz_seed(count, arguments, "boxes", bytes, size);
    lg_histogram_accumulator_destroy(&h);
    lg_box_accumulator_destroy(&b);
}

static void write_seed(int count, char **arguments, lg_type type, int channels)
{
    static const float samples[4 * 4 * 4] = {1, 0.5f, -3e30f, 1e-40f};
    const lg_image_params shape = {
        .width = 4, .height = 4, .layers = 1, .channels = channels, .type = type};
    lg_moments_accumulator *a = NULL;
    lg_image *image = fuzz_image_of(&shape, samples);
    uint8_t bytes[4096];
    size_t size;
    char name[32];
    EXPECT(!lg_moments_accumulator_create(type, channels, 4, 4, 1, &a, &error) &&
           !lg_moments_accumulator_add(fuzz_context(), a, image, NULL, 0, 0, 0, &error) &&
           !lg_moments_accumulator_save(a, bytes, sizeof bytes, &size, &error));
    snprintf(name, sizeof name, "%s-%d", lg_type_name(type), channels);
    fuzz_seed(count, arguments, name, bytes, size);
    lg_moments_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

static void write_label_seed(int count, char **arguments)
{
    static uint8_t bytes[1 << 14];
    static const float samples[4 * 4] = {1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1};
    const lg_image_params shape = {
        .width = 4, .height = 4, .layers = 1, .channels = 1, .type = LG_U8};
    const lg_type intensity = LG_U8;
    lg_label_params params = lg_label_params_default();
    lg_label_accumulator *a = NULL;
    lg_image *image = fuzz_image_of(&shape, samples);
    size_t size;
    params.moments = true;
    EXPECT(!lg_label_accumulator_create(&params, LG_U8, &intensity, 4, 9, 1, &a, &error) &&
           !lg_label_accumulator_add(fuzz_context(), a, image, image, 0, 0, &error) &&
           !lg_label_accumulator_add(fuzz_context(), a, image, image, 5, 0, &error) &&
           !lg_label_accumulator_save(a, bytes, sizeof bytes, &size, &error));
    fuzz_seed(count, arguments, "labels", bytes, size);
    lg_label_accumulator_destroy(&a);
    lg_image_destroy(&image);
}

static void write_state_seed(int count, char **arguments)
{
    static uint8_t bytes[1 << 14], sums[4096];
    const char *const names[] = {"a.png", "b.png"};
    const int64_t rows[] = {0, 2, 3, 4};
    lg_state *state = NULL;
    lg_moments_accumulator *a = NULL;
    lg_state_bytes saved = {sums, 0};
    size_t size;
    EXPECT(!lg_moments_accumulator_create(LG_U8, 1, 4, 4, 1, &a, &error) &&
           !lg_moments_accumulator_save(a, sums, sizeof sums, &saved.size, &error));
    const lg_state_input in = {"b.png", 1,      "type u8\n", "format png\n", 4,          rows,
                               2,       &saved, 1,           LG_ERROR_IO,    "broke off"};
    EXPECT(!lg_state_create("command stats\n", names, 2, &state, &error) &&
           !lg_state_add(state, &in, &error) &&
           !lg_state_save(state, bytes, sizeof bytes, &size, &error));
    fuzz_seed(count, arguments, "state", bytes, size);
    lg_state_destroy(&state);
    lg_moments_accumulator_destroy(&a);
}

// Only the library knows what a saved accumulator looks like.
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    for (int type = 0; type < LG_TYPES; type++)
        for (int channels = 1; channels <= 4; channels += 3)
            write_seed(*count, *arguments, (lg_type)type, channels);
    write_other_seeds(*count, *arguments);
    write_label_seed(*count, *arguments);
    write_state_seed(*count, *arguments);
    return 0;
}
