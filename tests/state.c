// States: inputs with their accumulators merge in any order to the same bytes; what does not go together is
// refused with its name; bytes that are cut or changed do not load.
#include "check.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *context;
static lg_error error;

enum { ROWS = 20, WIDTH = 6 };
static const char *const names[] = {"b.png", "a.png", "c.png"};
static const char definition[] = "command stats\nstep 1\n";

static lg_state *new_state(void)
{
    lg_state *state = NULL;
    CHECK(!lg_state_create(definition, names, 3, &state, &error), "%s", error.message);
    return state;
}

// The sums of some rows, whose samples are their numbers and that of the input.
static lg_status add_rows(lg_state *state, int64_t place, int64_t first, int64_t end,
                          const char *samples)
{
    const int64_t rows[] = {first, end};
    const lg_image_params shape = {
        .width = WIDTH, .height = ROWS, .layers = 1, .channels = 1, .type = LG_U8};
    uint8_t bytes[512];
    lg_moments_accumulator *a = NULL;
    lg_image *image = NULL;
    lg_state_bytes saved = {bytes, 0};
    lg_status status = lg_moments_accumulator_create(LG_U8, 1, WIDTH, ROWS, 1, &a, &error);
    if (!status)
        status = lg_image_create(context, &shape, &image, &error);
    for (int64_t y = 0; y < ROWS && !status; y++)
        memset((char *)image->data + (size_t)y * image->shape.row_stride, (int)(y + place), WIDTH);
    lg_select select = lg_select_default();
    const lg_region region = {0, first, WIDTH, end - first};
    select.region = &region;
    if (!status && end > first)
        status = lg_moments_accumulator_add(context, a, image, &select, 0, first, 0, &error);
    if (!status)
        status = lg_moments_accumulator_save(a, bytes, sizeof bytes, &saved.size, &error);
    const lg_state_input in = {names[place], place,  samples, "format png\n", ROWS, rows,
                               end > first,  &saved, 1,       LG_OK,          ""};
    if (!status)
        status = lg_state_add(state, &in, &error);
    lg_image_destroy(&image);
    lg_moments_accumulator_destroy(&a);
    return status;
}

static lg_status add_failure(lg_state *state, int64_t place, const char *why)
{
    const lg_state_input in = {.name = names[place],
                               .place = place,
                               .samples = "",
                               .notes = "",
                               .failure = LG_ERROR_IO,
                               .message = why};
    return lg_state_add(state, &in, &error);
}

static uint8_t *save(lg_state *state, size_t *size)
{
    CHECK(!lg_state_save(state, NULL, 0, size, &error), "%s", error.message);
    uint8_t *data = malloc(*size);
    CHECK(!lg_state_save(state, data, *size, size, &error), "%s", error.message);
    CHECK(lg_state_save(state, data, *size - 1, size, &error) == LG_ERROR_ARGUMENT,
          "too little room was taken");
    return data;
}

// ---- order --------------------------------------------------------------------------------------

enum { PARTS = 9 };

// Inputs in uneven parts, one of them empty, and failures that are made up for or not.
static lg_state *part_of(int i)
{
    static const struct {
        int64_t place, first, end;
    } parts[PARTS] = {{0, 0, 7}, {0, 7, 8},  {0, 8, 20}, {1, 0, 20}, {2, 15, 20},
                      {2, 0, 3}, {2, 5, 10}, {2, 3, 3},  {0, 0, 0}};
    lg_state *state = new_state();
    if (i < PARTS - 1)
        CHECK(!add_rows(state, parts[i].place, parts[i].first, parts[i].end, "type u8\n"), "%s",
              error.message);
    else
        CHECK(!add_failure(state, 0, "was away") && !add_failure(state, 2, "broke off"), "%s",
              error.message);
    return state;
}

// Merges in a random tree.
static lg_state *merge_all(uint64_t seed)
{
    lg_state *states[PARTS];
    int count = PARTS;
    for (int i = 0; i < PARTS; i++)
        states[i] = part_of(i);
    while (count > 1) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int into = (int)((seed >> 33) % (uint64_t)count);
        const int from = (into + 1 + (int)((seed >> 45) % (uint64_t)(count - 1))) % count;
        CHECK(!lg_state_merge(states[into], states[from], &error), "%s", error.message);
        lg_state_destroy(&states[from]);
        states[from] = states[--count];
    }
    return states[0];
}

static void check_inputs(lg_state *state)
{
    lg_state_input in;
    lg_moments figures;
    lg_moments_accumulator *a = NULL;
    CHECK(lg_state_count(state) == 3 && lg_state_missing(state, NULL) == 0, "%zu inputs",
          lg_state_count(state));
    CHECK(!lg_state_at(state, 0, &in, &error) && strcmp(in.name, "b.png") == 0 &&
              lg_state_whole(&in) && !in.failure && !*in.message,
          "the order of inputs is not that of the run, or a failure stayed");
    CHECK(!lg_moments_accumulator_load(in.saved[0].data, in.saved[0].size, &a, &error) &&
              !lg_moments_accumulator_finish(a, LG_NAN_IGNORE, &figures, 1, &error) &&
              figures.count == ROWS * WIDTH && figures.sum_lo == WIDTH * ROWS * (ROWS - 1) / 2,
          "sum %llu", (unsigned long long)figures.sum_lo);
    lg_moments_accumulator_destroy(&a);
    CHECK(!lg_state_at(state, 2, &in, &error) && !lg_state_whole(&in) && in.row_ranges == 3 &&
              in.rows[1] == 3 && in.rows[2] == 5 && in.rows[5] == 20 && in.failure == LG_ERROR_IO &&
              strcmp(in.message, "broke off") == 0,
          "rows of %s", in.name);
    CHECK(lg_state_find(state, "a.png", &in) && in.place == 1 && !lg_state_find(state, "d", &in),
          "finding by name");
    CHECK(lg_state_at(state, 3, &in, &error) == LG_ERROR_ARGUMENT, "a fourth input");
}

static void test_order(void)
{
    size_t size, other, used;
    lg_state *first = merge_all(1), *loaded = NULL;
    uint8_t *bytes = save(first, &size);
    check_inputs(first);
    for (uint64_t seed = 2; seed < 30; seed++) {
        lg_state *again = merge_all(seed);
        uint8_t *others = save(again, &other);
        CHECK(other == size && memcmp(bytes, others, size) == 0, "merged in order %d", (int)seed);
        free(others);
        lg_state_destroy(&again);
    }
    CHECK(!lg_state_load(bytes, size, &loaded, NULL, &error), "%s", error.message);
    check_inputs(loaded);
    uint8_t *again = save(loaded, &other);
    CHECK(other == size && memcmp(bytes, again, size) == 0, "saved anew");
    free(again);
    lg_state_destroy(&loaded);
    uint8_t *two = malloc(2 * size); // one behind the other, as in a journal
    memcpy(two, bytes, size);
    memcpy(two + size, bytes, size);
    CHECK(!lg_state_load(two, 2 * size, &loaded, &used, &error) && used == size,
          "the first of two");
    lg_state_destroy(&loaded);
    CHECK(lg_state_load(two, 2 * size, &loaded, NULL, &error) == LG_ERROR_DATA, "two as one");
    free(two);
    free(bytes);
    lg_state_destroy(&first);
}

// ---- runs ---------------------------------------------------------------------------------------

// Runs of many single files, enough for the tables of names to grow: they come by name.
static void test_runs(void)
{
    enum { RUNS = 300 };
    lg_state *all = NULL;
    lg_state_input in;
    char name[20], before[20] = "";
    for (int i = 0; i < RUNS; i++) {
        const char *const one[] = {name};
        lg_state *state = NULL;
        snprintf(name, sizeof name, "%d.png", i * 7919 % RUNS);
        CHECK(!lg_state_create(definition, one, 1, &state, &error), "%s", error.message);
        const lg_state_input only = {
            .name = name, .samples = "", .notes = "", .failure = LG_ERROR_IO, .message = "x"};
        CHECK(!lg_state_add(state, &only, &error), "%s", error.message);
        if (all)
            CHECK(!lg_state_merge(all, state, &error), "%s", error.message);
        if (!all)
            all = state;
        else
            lg_state_destroy(&state);
    }
    CHECK(lg_state_count(all) == RUNS && lg_state_missing(all, NULL) == 0, "%zu inputs",
          lg_state_count(all));
    for (size_t i = 0; i < RUNS; i++) {
        CHECK(!lg_state_at(all, i, &in, &error) && strcmp(before, in.name) < 0, "%s behind %s",
              in.name, before);
        snprintf(before, sizeof before, "%s", in.name);
    }
    lg_state_clear(all);
    int64_t first = -1;
    CHECK(lg_state_count(all) == 0 && lg_state_missing(all, &first) == RUNS && first == 0,
          "a cleared state has inputs");
    lg_state_destroy(&all);
}

// ---- what is refused ----------------------------------------------------------------------------

static void refused(lg_status got, lg_status want, const char *text)
{
    CHECK(got == want && strstr(error.message, text), "status %d: %s; '%s' expected", (int)got,
          error.message, text);
}

static void test_refused(void)
{
    lg_state *a = new_state(), *b = new_state(), *c = NULL;
    CHECK(!add_rows(a, 0, 2, 9, "type u8\n"), "%s", error.message);
    refused(add_rows(a, 0, 8, 12, "type u8\n"), LG_ERROR_ARGUMENT,
            "rows 8 to 8 of b.png are there already");
    refused(add_rows(a, 0, 0, 20, "type u8\n"), LG_ERROR_ARGUMENT,
            "rows 2 to 8 of b.png are there already");
    refused(add_rows(a, 0, 9, 12, "type u16\n"), LG_ERROR_ARGUMENT, "'type u16', not 'type u8'");
    CHECK(!add_rows(b, 0, 8, 20, "type u8\n"), "%s", error.message);
    refused(lg_state_merge(a, b, &error), LG_ERROR_ARGUMENT, "rows 8 to 8 of b.png");
    lg_state_destroy(&b);
    CHECK(!lg_state_create("command stats\nstep 2\n", names, 3, &b, &error), "%s", error.message);
    refused(lg_state_merge(a, b, &error), LG_ERROR_ARGUMENT, "with 'step 2', the state before");
    CHECK(!lg_state_create(definition, names, 1, &c, &error) && !add_rows(c, 0, 9, 20, "type u8\n"),
          "%s", error.message);
    refused(lg_state_merge(a, c, &error), LG_ERROR_ARGUMENT, "b.png is an input of another run");
    refused(lg_state_merge(a, a, &error), LG_ERROR_ARGUMENT, "two states");
    refused(add_rows(c, 1, 0, 20, ""), LG_ERROR_ARGUMENT, "among those of its run");
    lg_state_input in;
    CHECK(!lg_state_at(a, 0, &in, &error) && in.row_ranges == 1 && in.rows[1] == 9,
          "a refused input has changed the state");
    lg_state_destroy(&a);
    lg_state_destroy(&b);
    lg_state_destroy(&c);
}

// Every byte that is changed and every length that is cut is found.
static void test_damage(void)
{
    size_t size;
    lg_state *state = merge_all(3), *loaded = NULL;
    uint8_t *bytes = save(state, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 4;
        const lg_status status = lg_state_load(bytes, size, &loaded, NULL, &error);
        CHECK(status == LG_ERROR_DATA || (status == LG_ERROR_UNSUPPORTED && i / 8 == 1),
              "byte %zu was changed, and status is %d", i, (int)status);
        bytes[i] ^= 4;
        CHECK(lg_state_load(bytes, i, &loaded, NULL, &error) == LG_ERROR_DATA, "cut at %zu", i);
    }
    CHECK(!loaded, "a damaged state was made");
    free(bytes);
    lg_state_destroy(&state);
}

int main(void)
{
    context = device_open_cpu();
    test_order();
    test_runs();
    test_refused();
    test_damage();
    lg_context_destroy(&context);
    return check_finish("state");
}
