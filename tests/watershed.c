// The watershed from markers against its definition, solved by going over all pixels until nothing changes.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

#define MOST 4096 // pixels of an image that the definition is solved for

static void one_channel(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    *out = SHAPE(in->width, in->height, in->layers, 1, LG_F32, LG_ALPHA_NONE);
    if (random_below(3) == 0)
        out->type = random_below(2) ? LG_U8 : LG_U16;
}

static void draw(lg_image *image, uint32_t values, uint32_t one_of)
{
    const lg_image_params *s = &image->shape;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                const double value = (1 + random_below(values)) / (double)values;
                for (int k = 0, there = random_below(one_of) == 0; k < s->channels; k++)
                    sample_put(image, x, y, z, k, there ? value : 0);
            }
}

// Plains of a few levels, or hardly any equal pixels.
static void draw_levels(lg_image *image)
{
    draw(image, (uint32_t[]){1, 2, 5, 1000}[random_below(4)], 1 + random_below(3));
}

static void draw_markers(lg_image *image)
{
    draw(image, 5, (uint32_t[]){10, 50, 400}[random_below(3)]);
}

// ---- the definition -----------------------------------------------------------------------------

typedef struct pixel {
    double value, marker, label; // what stands there; 0: none
    double height;
    int steps;
    bool dry;
} pixel;

typedef struct sheet {
    int width, height, neighbors;
    pixel at[MOST];
} sheet;

static double alpha_of(const lg_image *image, int x, int y, int z)
{
    const lg_image_params *s = &image->shape;
    const bool data = s->channels == 4 && s->alpha == LG_ALPHA_NONE;
    return data || s->alpha == LG_ALPHA_STRAIGHT ? sample_get(image, x, y, z, s->channels - 1) : 1;
}

static void read_sheet(sheet *s, const lg_native_call *done, int z)
{
    const lg_image *in = done->in[0], *over = done->in[1];
    const double sign = kernel_whole(done, "order") ? -1 : 1;
    const int layer = over->shape.layers == 1 ? 0 : z;
    for (int i = 0; i < s->width * s->height; i++) {
        const int x = i % s->width, y = i / s->width;
        const double value = sample_get(in, x, y, z, 0), mark = sample_get(over, x, y, layer, 0);
        const bool dry = isnan(value) || alpha_of(in, x, y, z) == 0 ||
                         isnan(alpha_of(in, x, y, z)) ||
                         (kernel_whole(done, "nonzero") && value == 0);
        s->at[i] = (pixel){.value = sign * value, .dry = dry};
        s->at[i].marker = s->at[i].label = isnan(mark) || dry ? 0 : mark;
    }
}

// The neighbour k of pixel i, or NULL.
static const pixel *beside(const sheet *s, int i, int k)
{
    static const int steps[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                    {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    const int x = i % s->width + steps[k][0], y = i / s->width + steps[k][1];
    const bool outside = x < 0 || y < 0 || x >= s->width || y >= s->height || k >= s->neighbors;
    return outside ? NULL : &s->at[y * s->width + x];
}

static bool lower_water(sheet *s, int i)
{
    pixel *p = &s->at[i];
    double height = p->marker != 0 ? p->value : p->height;
    for (int k = 0; k < 8 && p->marker == 0; k++)
        if (beside(s, i, k) && !isnan(beside(s, i, k)->height))
            height = fmin(height, fmax(p->value, beside(s, i, k)->height));
    const bool change = !(height == p->height) && !isnan(height) && !p->dry;
    p->height = change ? height : p->height;
    return change;
}

static bool fewer_steps(sheet *s, int i)
{
    pixel *p = &s->at[i];
    int steps = p->marker != 0 ? 0 : p->steps;
    for (int k = 0; k < 8 && p->marker == 0; k++) {
        const pixel *q = beside(s, i, k);
        if (q && q->height < p->height)
            steps = 1;
        else if (q && q->height == p->height && q->steps < steps)
            steps = q->steps + 1;
    }
    const bool change = steps < p->steps && !isnan(p->height);
    p->steps = change ? steps : p->steps;
    return change;
}

static bool takes_label(sheet *s, int i)
{
    pixel *p = &s->at[i];
    const pixel *best = NULL;
    for (int k = 0; k < 8 && p->marker == 0 && !isnan(p->height); k++) {
        const pixel *q = beside(s, i, k);
        if (!q || isnan(q->height))
            continue;
        const bool same = best && q->height == best->height && q->steps == best->steps;
        const bool before = !best || q->height < best->height ||
                            (q->height == best->height && q->steps < best->steps);
        const bool label = same && q->label != 0 && (best->label == 0 || q->label < best->label);
        best = before || label ? q : best;
    }
    const bool change = best && best->label != p->label;
    p->label = change ? best->label : p->label;
    return change;
}

static void repeat(sheet *s, bool (*change)(sheet *s, int i))
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < s->width * s->height; i++)
            more |= change(s, i);
    }
}

static double expected(const sheet *s, int i, bool lines)
{
    const pixel *p = &s->at[i];
    for (int k = 0; k < 8 && lines && p->marker == 0; k++) {
        const pixel *q = beside(s, i, k);
        if (q && q->label != 0 && q->label != p->label && (q->label < p->label || q->marker != 0))
            return 0;
    }
    return p->label;
}

static void check_layer(const lg_native_call *done, int z, sheet *s)
{
    const double most[LG_TYPES] = {[LG_U8] = 255, [LG_U16] = 65535};
    const double full = most[done->out->shape.type];
    int wrong = 0;
    read_sheet(s, done, z);
    for (int i = 0; i < s->width * s->height; i++) {
        s->at[i].height = s->at[i].marker != 0 ? s->at[i].value : NAN;
        s->at[i].steps = MOST;
    }
    repeat(s, lower_water);
    repeat(s, fewer_steps);
    repeat(s, takes_label);
    for (int i = 0; i < s->width * s->height; i++) {
        double want = expected(s, i, kernel_whole(done, "lines"));
        want = full > 0 ? fmin(fmax(want, 0), 1) : want;
        const double have = sample_get(done->out, i % s->width, i / s->width, z, 0);
        wrong += !(fabs(have - want) <= 1e-6 + (full > 0 ? 0.5 / full : 0));
    }
    CHECK(wrong == 0, "%d pixels of %d x %d", wrong, s->width, s->height);
}

static void check_floods(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    const bool divided =
        s->alpha == LG_ALPHA_PREMULTIPLIED || done->in[1]->shape.alpha == LG_ALPHA_PREMULTIPLIED;
    if (kind != CONTENT_UNIT || divided || s->width * s->height > MOST)
        return;
    sheet *work = malloc(sizeof *work);
    NEED(work, "memory");
    work->width = s->width;
    work->height = s->height;
    work->neighbors = kernel_whole(done, "connectivity") ? 8 : 4;
    for (int z = 0; z < s->layers; z++)
        check_layer(done, z, work);
    free(work);
}

static const kernel_case floods = {
    .filter = "watershed",
    .params = "connectivity={4|8}:order={rising|falling}:nonzero={no|no|yes}:lines={no|yes}",
    .oracle = check_floods,
    .shapes = one_channel,
    .draw = draw_levels,
    .draw_over = draw_markers};

// ---- by hand ------------------------------------------------------------------------------------

static void check_row(const char *params, const int *values, const int *markers, const int *want)
{
    lg_image *in = kernel_zeros(SHAPE(6, 1, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = kernel_zeros(SHAPE(6, 1, 1, 1, LG_U16, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(6, 1, 1, 1, LG_U16, LG_ALPHA_NONE));
    for (int x = 0; x < 6; x++) {
        sample_store(in, x, 0, 0, 0, values[x]);
        sample_store(over, x, 0, 0, 0, markers[x]);
    }
    kernel_run(kernel_best_context(), "watershed", params, in, over, out);
    for (int x = 0; x < 6; x++)
        CHECK(sample_stored(out, x, 0, 0, 0) == want[x], "%s: %g in column %d, not %d", params,
              sample_stored(out, x, 0, 0, 0), x, want[x]);
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    static const int hills[] = {1, 5, 2, 9, 3, 1}, plain[] = {4, 4, 4, 4, 4, 0};
    static const int ends[] = {1, 0, 0, 0, 0, 2}, near[] = {7, 0, 0, 0, 3, 0};
    check_row("order=rising", hills, ends, (const int[]){1, 1, 1, 2, 2, 2});
    check_row("lines=yes", hills, ends, (const int[]){1, 1, 1, 0, 2, 2});
    check_row("order=falling", hills, near, (const int[]){7, 3, 3, 3, 3, 3});
    check_row("nonzero=yes", plain, near, (const int[]){7, 7, 3, 3, 3, 0});
    check_row("order=rising", plain, near, (const int[]){7, 7, 3, 3, 3, 3});
    kernel_refuses("watershed:over=#in", &SHAPE(65536, 65536, 1, 1, LG_U8, LG_ALPHA_NONE), "2^32");
}

int main(void)
{
    return kernel_main("watershed", &floods, 1, test_more);
}
