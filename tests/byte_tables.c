// Chains that begin with filters of which a table of all bytes can be made: images of bytes, where they may
// be looked up or computed as lines, give the same as the same values in float, which go through the
// kernels. On Vulkan they give what the CPU gives.
#include "check.h"
#include "device.h"
#include "samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter/byte_line.h"
#include "filter/catalogue.h"
#include "graph/nodes.h"
#include "kernel/pixel_rule.h"

enum { LONGEST = 5 };

static lg_error error;

// ---- images -------------------------------------------------------------------------------------

static lg_image *byte_image(lg_context *context, lg_image_params shape)
{
    shape.type = LG_U8;
    lg_image *image = image_zeros(context, shape);
    for (int32_t i = 0; image && i < shape.height * shape.layers; i++)
        random_bytes((char *)image->data + (size_t)i * image->shape.row_stride,
                     (size_t)shape.width * (size_t)shape.channels);
    return image;
}

// The same values as floats.
static lg_image *float_image(lg_context *context, const lg_image *bytes)
{
    lg_image_params shape = bytes->shape;
    shape.type = LG_F32;
    lg_image *image = image_zeros(context, shape);
    for (int32_t i = 0; image && i < shape.height * shape.layers; i++) {
        const uint8_t *from = (const uint8_t *)bytes->data + (size_t)i * bytes->shape.row_stride;
        float *to = (float *)(void *)((char *)image->data + (size_t)i * image->shape.row_stride);
        for (int32_t k = 0; k < shape.width * shape.channels; k++)
            to[k] = (float)from[k] * LG_UNIT_U8;
    }
    return image;
}

// Where `outside`, the output is the caller's memory, `outside` bytes off a vector, with rows that touch.
static lg_image *run(lg_context *context, const char *text, lg_image *in, lg_type type, int outside,
                     void **memory)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_image *out = NULL;
    lg_node node, last;
    lg_image_params shape;
    error.message[0] = '\0';
    *memory = NULL;
    bool good = !lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
                !lg_graph_parse(graph, text, node, &last, &error) &&
                !lg_graph_output(graph, last, &error) &&
                !lg_plan_create(context, graph, &in->shape, 1, &type, &plan, &error) &&
                !lg_plan_output(plan, 0, &shape, &error);
    if (good && outside) {
        shape.row_stride = (size_t)shape.width * (size_t)shape.channels * lg_type_size(type);
        shape.layer_stride = shape.row_stride * (size_t)shape.height;
        const size_t bytes = shape.layer_stride * (size_t)shape.layers;
        *memory = malloc(bytes + 64);
        good = *memory && !lg_image_wrap(context, &shape, (char *)*memory + outside, &out, &error);
    } else if (good) {
        good = !lg_image_create(context, &shape, &out, &error);
    }
    good = good && !lg_plan_run(plan, &in, &out, &error);
    CHECK(good, "%s: %s", text, error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    return out;
}

static void compare(lg_context *context, const char *name, const char *text, lg_image *bytes,
                    lg_image *floats, lg_type type, int outside)
{
    void *memory, *none;
    lg_image *a = run(context, text, bytes, type, outside, &memory);
    lg_image *b = run(context, text, floats, type, 0, &none);
    if (a && b)
        CHECK(samples_equal(a, b), "%s: %d x %d x %d, alpha %d, to %s, %d off: %s", name,
              bytes->shape.width, bytes->shape.height, bytes->shape.channels,
              (int)bytes->shape.alpha, lg_type_name(type), outside, text);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
    free(memory);
}

// ---- chains -------------------------------------------------------------------------------------

// Colours and levels of integers are in 0..1, and levels' min below its max.
static void find_range(const lg_filter_param *p, double *min, double *max)
{
    const bool in_unit = strcmp(p->unit, LG_PIXEL_UNIT) == 0;
    *min = !in_unit ? (double)p->min : strcmp(p->name, "max") == 0 ? 0.5 : 0;
    *max = !in_unit ? (double)p->max : strcmp(p->name, "min") == 0 ? 0.45 : 1;
}

// A number of a parameter: its ends, nothing, a little or anything.
static double random_number(const lg_filter_param *p)
{
    double min, max;
    find_range(p, &min, &max);
    switch (random_below(5)) {
    case 0:
        return min;
    case 1:
        return max;
    case 2:
        return min <= 0 && max >= 0 ? 0 : min;
    case 3:
        return min + random_unit() * (max - min);
    default: {
        const double v = (double)p->value[0] + random_unit() * 1.2 - 0.6;
        return LG_MIN(LG_MAX(v, min), max);
    }
    }
}

static void write_filter(const lg_filter *f, FILE *out)
{
    static const char *const curves[] = {"0,0;0.5,0.75;1,1", "0,1;1,0", "0.4,0;0.41,1",
                                         "0,0.2;0.3,0.1;0.9,1"};
    fputs(f->name, out);
    for (int i = 0; i < f->param_count; i++) {
        const lg_filter_param *p = &f->params[i];
        if (random_below(3) == 0 || p->kind == LG_PARAM_ALIAS || p->kind == LG_PARAM_TABLE)
            continue;
        fprintf(out, ":%s=", p->name);
        if (p->kind == LG_PARAM_TEXT) {
            fprintf(out, "'%s'", curves[random_below(LG_COUNT(curves))]);
            continue;
        }
        if (p->kind == LG_PARAM_CHOICE) {
            const size_t length =
                strcspn(p->choices, "|"); // the first or, where it is named, the last
            const char *last = strrchr(p->choices, '|');
            if (last && random_below(2))
                fputs(last + 1, out);
            else
                fprintf(out, "%.*s", (int)length, p->choices);
            continue;
        }
        for (int k = 0; k < p->size; k++) {
            const double v = random_number(p);
            const bool whole = p->kind != LG_PARAM_NUMBER && p->kind != LG_PARAM_COLOR;
            fprintf(out, whole ? "%s%.0f" : "%s%.7g", k ? "," : "", v);
        }
    }
}

// Measured curves differ between bytes and the same values as floats: tests/equalization.c.
static bool is_tabled(const lg_filter *f, int channels)
{
    for (int i = 0; i < f->param_count; i++)
        if (lg_param_is_curve(&f->params[i]))
            return false;
    const float values[LG_MAX_VALUES] = {0};
    return lg_filter_fits_table(f, values, channels) && f->inputs == 1;
}

static const lg_filter *tabled_filter(int channels)
{
    for (;;) {
        const lg_filter *f = lg_filter_at(random_below((uint32_t)lg_filter_count()));
        if (is_tabled(f, channels))
            return f;
    }
}

static char *random_chain(const lg_filter *first, int channels, bool mixed)
{
    static const char *const mixing[] = {"saturation:saturation=1.7", "sepia", "vignette", "hue",
                                         "grayscale"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const uint32_t length = random_below(LONGEST) + (mixed && random_below(3) == 0 ? 8 : 0);
    write_filter(first, out);
    for (uint32_t k = 0; k < length; k++) {
        fputs(" | ", out);
        write_filter(tabled_filter(channels), out);
    }
    if (mixed)
        fprintf(out, " | %s", mixing[random_below(LG_COUNT(mixing))]);
    fclose(out);
    return text;
}

// The sizes are in turn too small for tables, large enough for them, and for lines.
static void test_chains(lg_cpu_level level, int rounds)
{
    static const struct {
        int channels;
        lg_alpha alpha;
    } kinds[] = {{4, LG_ALPHA_OPAQUE},   {4, LG_ALPHA_STRAIGHT},     {1, LG_ALPHA_NONE},
                 {2, LG_ALPHA_STRAIGHT}, {2, LG_ALPHA_NONE},         {4, LG_ALPHA_NONE},
                 {2, LG_ALPHA_OPAQUE},   {4, LG_ALPHA_PREMULTIPLIED}};
    static const int sides[][3] = {{61, 13, 1}, {97, 43, 1}, {131, 67, 2}, {263, 251, 1}};
    lg_context *context = device_open_level(level, 2);
    if (!context)
        return;
    random_seed(11 + (uint64_t)level);
    for (size_t s = 0; s < LG_COUNT(sides); s++)
        for (size_t k = 0; k < LG_COUNT(kinds); k++) {
            lg_image *bytes = byte_image(context, (lg_image_params){.width = sides[s][0],
                                                                    .height = sides[s][1],
                                                                    .layers = sides[s][2],
                                                                    .channels = kinds[k].channels,
                                                                    .alpha = kinds[k].alpha});
            lg_image *floats = bytes ? float_image(context, bytes) : NULL;
            int round = 0;
            for (size_t i = 0; floats && i < lg_filter_count(); i++) {
                if (!is_tabled(lg_filter_at(i), kinds[k].channels))
                    continue;
                for (int r = 0; r < rounds; r++, round++) {
                    char *text = random_chain(lg_filter_at(i), kinds[k].channels, round % 3 == 2);
                    const lg_type type = round % 5 == 4 ? LG_F32 : LG_U8;
                    compare(context, lg_cpu_level_name(level), text, bytes, floats, type,
                            type == LG_U8 && round % 2 ? 1 + round % 63 : 0);
                    free(text);
                }
            }
            lg_image_destroy(&bytes);
            lg_image_destroy(&floats);
        }
    lg_context_destroy(&context);
}

// Every filter that a table can stand for, with others behind it, on both sides.
static void test_device(int rounds)
{
    static const lg_type types[] = {LG_U8, LG_F32, LG_U16};
    lg_context *device = device_open(NULL, NULL), *cpu = device ? device_open_cpu() : NULL;
    random_seed(3);
    for (size_t i = 0, round = 0; cpu && i < lg_filter_count(); i++)
        for (int r = 0; r < rounds && is_tabled(lg_filter_at(i), 1); r++, round++) {
            const bool grey = !is_tabled(lg_filter_at(i), 4) || round % 2;
            const lg_image_params shape = {.width = 67,
                                           .height = 70,
                                           .layers = 1,
                                           .channels = grey ? 1 : 4,
                                           .alpha = grey ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT};
            lg_image *on_cpu = byte_image(cpu, shape), *on_device = NULL;
            if (!on_cpu || lg_image_wrap(device, &on_cpu->shape, on_cpu->data, &on_device, &error))
                continue;
            const lg_type type = types[round % LG_COUNT(types)];
            char *text = random_chain(lg_filter_at(i), shape.channels, round % 3 == 2);
            void *none;
            lg_image *a = run(cpu, text, on_cpu, type, 0, &none);
            lg_image *b = run(device, text, on_device, type, 0, &none);
            CHECK(a && b && samples_equal(a, b), "Vulkan, %d channels, to %s: %s", shape.channels,
                  lg_type_name(type), text);
            lg_image_destroy(&a);
            lg_image_destroy(&b);
            lg_image_destroy(&on_device);
            lg_image_destroy(&on_cpu);
            free(text);
        }
    lg_context_destroy(&cpu);
    device_close(&device);
}

// An output of which caches keep nothing.
static void test_large(lg_cpu_level level)
{
    static const char *const chains[] = {"contrast:contrast=1.3", "gamma:gamma=0.7",
                                         "levels:min=0.1,0.2,0.3:gamma=1,2,0.5:max=0.8,0.9,1",
                                         "saturation:saturation=0.3"};
    lg_context *context = device_open_level(level, 2);
    if (!context)
        return;
    lg_image *bytes = byte_image(
        context,
        (lg_image_params){
            .width = 2111, .height = 2003, .layers = 1, .channels = 4, .alpha = LG_ALPHA_STRAIGHT});
    lg_image *floats = bytes ? float_image(context, bytes) : NULL;
    for (size_t i = 0; floats && i < LG_COUNT(chains); i++)
        compare(context, lg_cpu_level_name(level), chains[i], bytes, floats, LG_U8, i % 2 ? 32 : 0);
    lg_image_destroy(&bytes);
    lg_image_destroy(&floats);
    lg_context_destroy(&context);
}

// ---- lines --------------------------------------------------------------------------------------

static int on_line(const lg_byte_lines *l, int k, int x)
{
    int64_t y = (x ^ l->invert[k]) * 256LL * l->slope[k] / 65536 + l->add[k];
    y = LG_MAX(LG_MIN(y, 65535) - l->subtract[k], 0) >> l->shift;
    y = LG_MIN(y, 255);
    for (int i = 0; i < LG_LINE_ODD; i++)
        y += l->odd[i][k] == x ? l->step[i][k] : 0;
    return (int)(y & 255);
}

// Lines are found for most straight tables, and what is found is the table.
static void test_lines(void)
{
    int found = 0;
    const int rounds = test_extent(100, 1000, 1000);
    random_seed(5);
    for (int r = 0; r < rounds; r++) {
        uint8_t tables[4][256];
        float values[4][256];
        const float *pointers[4];
        lg_byte_lines lines;
        for (int k = 0; k < 4; k++) {
            const float slope = (float)(random_unit() * 6 - 3), at = (float)random_unit();
            pointers[k] = values[k];
            for (int x = 0; x < 256; x++) {
                values[k][x] = ((float)x * LG_UNIT_U8 - at) * slope + at;
                tables[k][x] = (uint8_t)lg_to_unit(values[k][x], 255);
            }
        }
        const bool fits = lg_byte_lines_fit((const uint8_t(*)[256])tables, pointers, &lines);
        found += fits;
        for (int i = 0; fits && i < 1024; i++)
            if (on_line(&lines, i / 256, i % 256) != tables[i / 256][i % 256]) {
                CHECK(false, "round %d, channel %d, byte %d: %d instead of %d", r, i / 256, i % 256,
                      on_line(&lines, i / 256, i % 256), tables[i / 256][i % 256]);
                break;
            }
        // A table that is no line by more than can be put right.
        const uint32_t k = random_below(4), x = random_below(240);
        for (uint32_t i = 0; i <= LG_LINE_ODD * 2; i++)
            tables[k][x + i] = (uint8_t)(tables[k][x + i] + 37);
        CHECK(!lg_byte_lines_fit((const uint8_t(*)[256])tables, pointers, &lines),
              "round %d: a bent table passes for a line", r);
    }
    CHECK(found * 10 > rounds * 9, "%d of %d straight tables are lines", found, rounds);
    printf("%d of %d straight tables are lines\n", found, rounds);
}

// ---- steps --------------------------------------------------------------------------------------

// Tables of one step are found, those with a second one are not.
static void test_steps(void)
{
    random_seed(17);
    for (int r = 0; r < 300; r++) {
        uint8_t tables[4][256];
        lg_byte_steps s;
        for (int k = 0; k < 4; k++) {
            const uint32_t level = r < 2 ? 255 * (uint32_t)r : random_below(257);
            const uint8_t low = (uint8_t)random_below(256), high = (uint8_t)random_below(256);
            for (uint32_t x = 0; x < 256; x++)
                tables[k][x] = x >= level ? high : low;
        }
        const bool fits = lg_byte_steps_fit((const uint8_t(*)[256])tables, &s);
        int wrong = 0;
        for (int i = 0; fits && i < 1024; i++) {
            const int k = i / 256, x = i % 256;
            wrong += (x >= s.from[k] ? s.above[k] : s.below[k]) != tables[k][x];
        }
        CHECK(fits && wrong == 0, "round %d: %d of 1024 bytes", r, wrong);
        const uint32_t k = random_below(4), x = 1 + random_below(254);
        tables[k][x] = (uint8_t)(tables[k][x] ^ 1);
        const bool third = tables[k][x] != tables[k][0] && tables[k][x] != tables[k][255];
        CHECK(!third || !lg_byte_steps_fit((const uint8_t(*)[256])tables, &s),
              "round %d: three values pass for a step", r);
        memset(tables[k], 3, 256);
        memset(tables[k] + 100, 9, 1 + random_below(155));
        CHECK(!lg_byte_steps_fit((const uint8_t(*)[256])tables, &s),
              "round %d: a table that goes back passes for a step", r);
    }
}

int main(void)
{
    test_lines();
    test_steps();
    for (int level = 0; level < LG_CPU_LEVELS; level++) {
        test_chains((lg_cpu_level)level, test_extent(1, 2, 20));
        if (!test_is_short())
            test_large((lg_cpu_level)level);
    }
    test_device(test_extent(1, 1, 6));
    return check_finish("byte_tables");
}
