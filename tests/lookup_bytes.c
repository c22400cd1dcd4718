// lookup of bytes in a table of bytes: the exact result, rounded once, on every CPU level and on Vulkan. The
// oracle multiplies the weights of the corners of a cell as integers of 64 bits.
#include "check.h"
#include "device.h"
#include "kernel.h"
#include "pipeline.h"
#include "samples.h"

#include "graph/plan_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the oracle ---------------------------------------------------------------------------------

typedef struct cube {
    const lg_image *image;
    int64_t levels[3];
} cube;

static cube cube_of(const lg_image *table)
{
    const lg_image_params *s = &table->shape;
    cube c = {table, {s->width, s->height, s->layers}};
    if (s->layers == 1)
        c.levels[0] = c.levels[1] = c.levels[2] = 64;
    return c;
}

static int64_t entry(const cube *c, const int64_t at[3], int channel)
{
    int64_t x = at[0], y = at[1], layer = at[2];
    if (c->image->shape.layers == 1) {
        x += at[2] % 8 * 64;
        y += at[2] / 8 * 64;
        layer = 0;
    }
    return (int64_t)sample_stored(c->image, x, y, layer, channel);
}

// The cell and the numerators of a colour's fractions in it: v (n - 1) = 255 cell + fraction.
static void find_cell(const cube *c, const int64_t v[3], int64_t cell[3], int64_t fraction[3])
{
    for (int k = 0; k < 3; k++) {
        cell[k] = 0;
        while (cell[k] + 2 < c->levels[k] && (cell[k] + 1) * 255 <= v[k] * (c->levels[k] - 1))
            cell[k]++;
        fraction[k] = v[k] * (c->levels[k] - 1) - 255 * cell[k];
    }
}

// Of the entry `cell` moved by 0 or 1 along each axis, the weight being what the axes' weights make.
static int64_t sum_of_eight(const cube *c, const int64_t v[3], int channel)
{
    int64_t cell[3], fraction[3], sum = 0;
    find_cell(c, v, cell, fraction);
    for (int corner = 0; corner < 8; corner++) {
        int64_t weight = 1, at[3];
        for (int k = 0; k < 3; k++) {
            weight *= corner >> k & 1 ? fraction[k] : 255 - fraction[k];
            at[k] = cell[k] + (corner >> k & 1 && c->levels[k] > 1);
        }
        sum += weight * entry(c, at, channel);
    }
    return sum;
}

// From the cell's first corner to its last along the axes in falling order of fractions.
static int64_t sum_of_four(const cube *c, const int64_t v[3], int channel)
{
    int64_t at[3], fraction[3], left = 255, sum = 0;
    bool done[3] = {false, false, false};
    find_cell(c, v, at, fraction);
    for (int step = 0; step < 3; step++) {
        int axis = -1;
        for (int k = 0; k < 3; k++)
            if (!done[k] && (axis < 0 || fraction[k] > fraction[axis]))
                axis = k;
        sum += (left - fraction[axis]) * entry(c, at, channel);
        left = fraction[axis];
        at[axis] += c->levels[axis] > 1;
        done[axis] = true;
    }
    return sum + left * entry(c, at, channel);
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct setting {
    bool four;
    double intensity; // of 1 the result is rounded exactly
} setting;

// How far beyond 1/2 a mixture may lie from what is stored of it: four roundings of up to 255.
#define DOUBT 6.1e-5

static int64_t rounded(int64_t sum, int64_t unit)
{
    return (2 * sum + unit) / (2 * unit);
}

static void compare(const lg_image *in, const lg_image *table, const lg_image *out, setting s,
                    const char *where)
{
    const cube c = cube_of(table);
    const int64_t unit = s.four ? 255 : (int64_t)255 * 255 * 255;
    int64_t wrong = 0, alpha = 0;
    for (int64_t i = 0; i < (int64_t)in->shape.height * in->shape.width; i++) {
        const int64_t x = i % in->shape.width, y = i / in->shape.width;
        int64_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = (int64_t)sample_stored(in, x, y, 0, k);
        for (int k = 0; k < 3; k++) {
            const int64_t sum = s.four ? sum_of_four(&c, v, k) : sum_of_eight(&c, v, k);
            const double got = sample_stored(out, x, y, 0, k);
            const double exact =
                (double)v[k] + ((double)sum / (double)unit - (double)v[k]) * s.intensity;
            wrong += s.intensity < 1 ? fabs(got - exact) > 0.5 + DOUBT
                                     : (int64_t)got != rounded(sum, unit);
        }
        const bool given = in->shape.alpha != LG_ALPHA_OPAQUE && in->shape.channels == 4;
        alpha += sample_stored(out, x, y, 0, 3) != (given ? sample_stored(in, x, y, 0, 3) : 255);
    }
    CHECK(wrong == 0 && alpha == 0, "%s: %lld samples and %lld alphas are wrong", where,
          (long long)wrong, (long long)alpha);
}

// The rows of an image in two parts.
static lg_status run_rows(lg_plan *plan, lg_image *const *images, lg_image *out, lg_error *error)
{
    const int64_t rows = out->shape.height, cut[] = {0, rows / 3, rows};
    lg_status status = LG_OK;
    for (int i = 0; i < 2 && !status; i++) {
        const lg_plan_band band = {.first = cut[i], .rows = cut[i + 1] - cut[i]};
        status = lg_plan_run_rows(plan, &band, images, &out, error);
    }
    return status;
}

// A table that is read as bytes is in a plan of one stage.
static void run_one(lg_context *context, const lg_image *in, const lg_image *table, setting s)
{
    char text[120], where[200];
    snprintf(text, sizeof text, "lookup:over=#over:interpolation=%s:intensity=%g",
             s.four ? "tetrahedral" : "trilinear", s.intensity);
    snprintf(where, sizeof where, "%s, %d channels, alpha %d, table %d x %d x %d x %d", text,
             in->shape.channels, (int)in->shape.alpha, table->shape.width, table->shape.height,
             table->shape.layers, table->shape.channels);
    const lg_image_params shapes[2] = {in->shape, table->shape};
    lg_image *const images[2] = {(lg_image *)(uintptr_t)in, (lg_image *)(uintptr_t)table};
    pipeline p;
    lg_error error = {LG_OK, ""};
    if (!pipeline_open(&p, context, text, shapes, 2, NULL))
        return;
    CHECK(strstr(lg_plan_explain(p.plan), "1 stage, 0 images"), "%s: %s", where,
          lg_plan_explain(p.plan));
    for (int parts = 0; parts < 2; parts++) {
        guarded out = guarded_open(context, p.out, 0x5a);
        const lg_status status = parts ? run_rows(p.plan, images, out.image, &error)
                                       : lg_plan_run(p.plan, images, &out.image, &error);
        CHECK(!status, "%s: %s", where, error.message);
        if (!status)
            compare(in, table, out.image, s, where);
        CHECK(guarded_spoiled(&out) == 0, "%s: bytes beside the pixels", where);
        guarded_close(&out);
    }
    pipeline_close(&p);
}

// ---- images and tables --------------------------------------------------------------------------

static lg_image *bytes_of(lg_context *context, lg_image_params shape)
{
    lg_image *image = image_zeros(context, shape);
    random_bytes(image->data, image->shape.layer_stride * (size_t)image->shape.layers);
    return image;
}

// Colours between entries and at their ends: bytes at random, and 0, 1, 254 and 255.
static guarded picture(lg_context *context, int channels, lg_alpha alpha, int32_t width)
{
    guarded g = guarded_open(context, SHAPE(width, 3, 1, channels, LG_U8, alpha), 0x33);
    static const uint8_t ends[] = {0, 1, 254, 255};
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 0; x < width; x++)
            for (int k = 0; k < channels; k++)
                sample_store(g.image, x, y, 0, k,
                             random_below(4) ? random_below(256) : ends[random_below(4)]);
    return g;
}

static const setting settings[] = {{false, 1}, {true, 1}, {false, 0.3}, {true, 0.7}};

static void test_tables(lg_context *context)
{
    static const struct {
        int32_t width, height, layers;
    } sizes[] = {{512, 512, 1}, {2, 2, 2}, {3, 5, 9},    {17, 17, 17}, {33, 33, 33}, {1, 4, 3},
                 {1, 1, 2},     {6, 1, 2}, {64, 64, 64}, {256, 2, 3},  {2, 256, 2},  {2, 3, 256}};
    for (size_t i = 0; i < LG_COUNT(sizes); i++) {
        lg_image *table = bytes_of(context, SHAPE(sizes[i].width, sizes[i].height, sizes[i].layers,
                                                  4, LG_U8, LG_ALPHA_OPAQUE));
        guarded in = picture(context, 4, LG_ALPHA_STRAIGHT, test_extent(301, 701, 3001));
        for (size_t k = 0; k < LG_COUNT(settings); k++)
            run_one(context, in.image, table, settings[k]);
        guarded_close(&in);
        lg_image_destroy(&table);
    }
}

// Tables in the caller's memory: at odd places, with gaps, of three channels.
static void test_places(lg_context *context)
{
    for (int channels = 3; channels <= 4; channels++)
        for (int32_t layers = 1; layers < 10; layers += 4) {
            const int32_t side = layers == 1 ? 512 : 5;
            guarded table = guarded_open(context,
                                         SHAPE(side, side, layers, channels, LG_U8,
                                               channels == 3 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT),
                                         0x77);
            for (int64_t i = 0; i < (int64_t)side * side * layers * channels; i++)
                sample_store(table.image, i / channels % side, i / channels / side % side,
                             i / channels / side / side, (int)(i % channels), random_below(256));
            guarded in = picture(context, 4, LG_ALPHA_OPAQUE, 200);
            for (size_t k = 0; k < 2; k++)
                run_one(context, in.image, table.image, settings[k]);
            guarded_close(&in);
            guarded_close(&table);
        }
}

static void test_pictures(lg_context *context)
{
    static const struct {
        int channels;
        lg_alpha alpha;
    } kinds[] = {
        {3, LG_ALPHA_NONE}, {4, LG_ALPHA_NONE}, {4, LG_ALPHA_OPAQUE}, {4, LG_ALPHA_STRAIGHT}};
    lg_image *table = bytes_of(context, SHAPE(4, 3, 2, 4, LG_U8, LG_ALPHA_OPAQUE));
    for (size_t i = 0; i < LG_COUNT(kinds); i++)
        for (int32_t width = 1; width < 1100; width = width * 3 + 2) {
            guarded in = picture(context, kinds[i].channels, kinds[i].alpha, width);
            for (size_t k = 0; k < LG_COUNT(settings); k++)
                run_one(context, in.image, table, settings[k]);
            guarded_close(&in);
        }
    lg_image_destroy(&table);
}

// A plan whose values change, to others and back.
static void test_changes(lg_context *context)
{
    static const setting steps[] = {{false, 1}, {false, 0.25}, {true, 0.25}, {true, 1}, {false, 1}};
    lg_image *table = bytes_of(context, SHAPE(4, 3, 2, 4, LG_U8, LG_ALPHA_OPAQUE)), *out = NULL;
    guarded in = picture(context, 4, LG_ALPHA_STRAIGHT, 333);
    const lg_image_params shapes[2] = {in.image->shape, table->shape};
    lg_image *const images[2] = {in.image, table};
    const lg_node node = 2; // behind the two inputs
    lg_error error = {LG_OK, ""};
    pipeline p;
    if (pipeline_open(&p, context, "lookup:over=#over", shapes, 2, NULL) &&
        !lg_image_create(context, &p.out, &out, &error))
        for (size_t i = 0; i < LG_COUNT(steps); i++) {
            char where[40];
            snprintf(where, sizeof where, "change %zu", i);
            CHECK(!lg_plan_set(p.plan, node, "intensity", steps[i].intensity, &error) &&
                      !lg_plan_set(p.plan, node, "interpolation", steps[i].four, &error) &&
                      !lg_plan_run(p.plan, images, &out, &error),
                  "%s: %s", where, error.message);
            compare(in.image, table, out, steps[i], where);
        }
    pipeline_close(&p);
    lg_image_destroy(&out);
    lg_image_destroy(&table);
    guarded_close(&in);
}

// What goes through colours has a stage for the table.
static void test_others(lg_context *context)
{
    static const struct {
        const char *text;
        int channels;
        lg_alpha alpha;
        lg_type type, out;
        int32_t levels;
        bool bytes;
    } cases[] = {
        {"lookup:over=#over", 4, LG_ALPHA_OPAQUE, LG_U8, LG_U8, 256, true},
        {"lookup:over=#over", 4, LG_ALPHA_OPAQUE, LG_U8, LG_U8, 257, false},
        {"lookup:over=#over", 4, LG_ALPHA_PREMULTIPLIED, LG_U8, LG_U8, 2, false},
        {"lookup:over=#over", 1, LG_ALPHA_NONE, LG_U8, LG_U8, 2, false},
        {"lookup:over=#over", 2, LG_ALPHA_STRAIGHT, LG_U8, LG_U8, 2, false},
        {"lookup:over=#over", 4, LG_ALPHA_OPAQUE, LG_U16, LG_U8, 2, false},
        {"lookup:over=#over", 4, LG_ALPHA_OPAQUE, LG_U8, LG_U16, 2, false},
        {"contrast | lookup:over=#over", 4, LG_ALPHA_OPAQUE, LG_U8, LG_U8, 2, false},
        {"lookup:over=#over | contrast", 4, LG_ALPHA_OPAQUE, LG_U8, LG_U8, 2, false},
    };
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const lg_image_params shapes[2] = {
            SHAPE(9, 4, 1, cases[i].channels, cases[i].type, cases[i].alpha),
            SHAPE(2, cases[i].levels, 2, 4, LG_U8, LG_ALPHA_OPAQUE)};
        pipeline p;
        if (!pipeline_open(&p, context, cases[i].text, shapes, 2, &cases[i].out))
            continue;
        CHECK(cases[i].bytes == !strstr(lg_plan_explain(p.plan), "2 stages"), "%s, case %zu: %s",
              cases[i].text, i, lg_plan_explain(p.plan));
        pipeline_close(&p);
    }
}

static void test_context(lg_context *context)
{
    random_seed(11);
    test_tables(context);
    test_places(context);
    test_pictures(context);
    test_changes(context);
    test_others(context);
}

int main(void)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    for (int i = 0; i < count; i++)
        test_context(contexts[i]);
    static const char *const masked[] = {NULL, "dot_product"}; // plain products
    for (size_t i = 0; i < LG_COUNT(masked); i++) {
        lg_context *vulkan = device_open(NULL, masked[i]);
        if (vulkan)
            test_context(vulkan);
        device_close(&vulkan);
    }
    return check_finish("lookup_bytes");
}
