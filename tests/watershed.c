// The watershed from markers against its definition, solved by going over all pixels until nothing changes.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST   4160 // pixels, at once, that the definition is solved for
#define LAYERS 4    // of small images, so that some are neither first nor last

static void one_channel(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    if (in->layers > 1 && in->width * in->height * LAYERS <= MOST) {
        over->layers = over->layers == 1 ? 1 : LAYERS;
        in->layers = LAYERS;
    }
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

// A layer, or all layers of a volume.
typedef struct sheet {
    int width, height, layers, first;
    int neighbor[26][3], neighbors;
    pixel at[MOST];
} sheet;

static int pixels_of(const sheet *s)
{
    return s->width * s->height * s->layers;
}

// Pixels whose corners, edges or faces touch, by how many of their coordinates differ.
static void list_neighbors(sheet *s, int connectivity)
{
    const bool volume = connectivity != 4 && connectivity != 8;
    const int most = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 26 ? 3 : 2;
    s->neighbors = 0;
    for (int i = 0; i < 27; i++) {
        const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        const int differ = (step[0] != 0) + (step[1] != 0) + (step[2] != 0);
        if (differ > 0 && differ <= most && (volume || step[2] == 0))
            memcpy(s->neighbor[s->neighbors++], step, sizeof step);
    }
}

static double alpha_of(const lg_image *image, int x, int y, int z)
{
    const lg_image_params *s = &image->shape;
    const bool data = s->channels == 4 && s->alpha == LG_ALPHA_NONE;
    return data || s->alpha == LG_ALPHA_STRAIGHT ? sample_get(image, x, y, z, s->channels - 1) : 1;
}

static void read_sheet(sheet *s, const lg_native_call *done)
{
    const lg_image *in = done->in[0], *over = done->in[1];
    const double sign = kernel_whole(done, "order") ? -1 : 1;
    for (int i = 0; i < pixels_of(s); i++) {
        const int x = i % s->width, y = i / s->width % s->height;
        const int z = s->first + i / s->width / s->height;
        const int layer = over->shape.layers == 1 ? 0 : z;
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
    const int x = i % s->width + s->neighbor[k][0],
              y = i / s->width % s->height + s->neighbor[k][1],
              z = i / s->width / s->height + s->neighbor[k][2];
    const bool outside =
        x < 0 || y < 0 || z < 0 || x >= s->width || y >= s->height || z >= s->layers;
    return outside ? NULL : &s->at[(z * s->height + y) * s->width + x];
}

static bool lower_water(sheet *s, int i)
{
    pixel *p = &s->at[i];
    double height = p->marker != 0 ? p->value : p->height;
    for (int k = 0; k < s->neighbors && p->marker == 0; k++)
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
    for (int k = 0; k < s->neighbors && p->marker == 0; k++) {
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
    for (int k = 0; k < s->neighbors && p->marker == 0 && !isnan(p->height); k++) {
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
        for (int i = 0; i < pixels_of(s); i++)
            more |= change(s, i);
    }
}

static double expected(const sheet *s, int i, bool lines)
{
    const pixel *p = &s->at[i];
    for (int k = 0; k < s->neighbors && lines && p->marker == 0; k++) {
        const pixel *q = beside(s, i, k);
        if (q && q->label != 0 && q->label != p->label && (q->label < p->label || q->marker != 0))
            return 0;
    }
    return p->label;
}

static void check_sheet(const lg_native_call *done, sheet *s)
{
    const double most[LG_TYPES] = {[LG_U8] = 255, [LG_U16] = 65535};
    const double full = most[done->out->shape.type];
    int wrong = 0;
    read_sheet(s, done);
    for (int i = 0; i < pixels_of(s); i++) {
        s->at[i].height = s->at[i].marker != 0 ? s->at[i].value : NAN;
        s->at[i].steps = MOST;
    }
    repeat(s, lower_water);
    repeat(s, fewer_steps);
    repeat(s, takes_label);
    for (int i = 0; i < pixels_of(s); i++) {
        double want = expected(s, i, kernel_whole(done, "lines"));
        want = full > 0 ? fmin(fmax(want, 0), 1) : want;
        const double have = sample_get(done->out, i % s->width, i / s->width % s->height,
                                       s->first + i / s->width / s->height, 0);
        wrong += !(fabs(have - want) <= 1e-6 + (full > 0 ? 0.5 / full : 0));
    }
    CHECK(wrong == 0, "%d pixels of %d x %d x %d", wrong, s->width, s->height, s->layers);
}

static void check_floods(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    const bool divided =
        s->alpha == LG_ALPHA_PREMULTIPLIED || done->in[1]->shape.alpha == LG_ALPHA_PREMULTIPLIED;
    static const int connectivities[] = {4, 8, 6, 18, 26};
    const int choice = kernel_whole(done, "connectivity"), layers = choice < 2 ? 1 : s->layers;
    if (kind != CONTENT_UNIT || divided || s->width * s->height * layers > MOST)
        return;
    sheet *work = malloc(sizeof *work);
    NEED(work, "memory");
    work->width = s->width;
    work->height = s->height;
    work->layers = layers;
    list_neighbors(work, connectivities[choice]);
    for (work->first = 0; work->first < s->layers; work->first += layers)
        check_sheet(done, work);
    free(work);
}

static const kernel_case floods = {
    .filter = "watershed",
    .params =
        "connectivity={4|8|6|18|26}:order={rising|falling}:nonzero={no|no|yes}:lines={no|yes}",
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

// Heights and markers along z, of one pixel a layer.
static void check_column(const char *params, const int *values, const int *markers, const int *want)
{
    lg_image *in = kernel_zeros(SHAPE(1, 1, 6, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = kernel_zeros(SHAPE(1, 1, 6, 1, LG_U16, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(1, 1, 6, 1, LG_U16, LG_ALPHA_NONE));
    for (int z = 0; z < 6; z++) {
        sample_store(in, 0, 0, z, 0, values[z]);
        sample_store(over, 0, 0, z, 0, markers[z]);
    }
    kernel_run(kernel_best_context(), "watershed", params, in, over, out);
    for (int z = 0; z < 6; z++)
        CHECK(sample_stored(out, 0, 0, z, 0) == want[z], "%s: %g in layer %d, not %d", params,
              sample_stored(out, 0, 0, z, 0), z, want[z]);
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
}

// A marker in one corner of 2 x 2 x 2 pixels, of which every other one is dry: the wet ones touch at edges.
static void check_corners(const char *params, int reached)
{
    lg_image *in = kernel_zeros(SHAPE(2, 2, 2, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = kernel_zeros(SHAPE(2, 2, 2, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(2, 2, 2, 1, LG_U8, LG_ALPHA_NONE));
    int found = 0;
    for (int i = 0; i < 8; i++)
        sample_store(in, i % 2, i / 2 % 2, i / 4, 0, (i % 2 + i / 2 % 2 + i / 4) % 2 == 0);
    sample_store(over, 0, 0, 0, 0, 9);
    kernel_run(kernel_best_context(), "watershed", params, in, over, out);
    for (int i = 0; i < 8; i++)
        found += sample_stored(out, i % 2, i / 2 % 2, i / 4, 0) == 9;
    CHECK(found == reached, "%s: %d pixels, not %d", params, found, reached);
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
    check_column("connectivity=26", hills, ends, (const int[]){1, 1, 1, 2, 2, 2});
    check_column("connectivity=6:lines=yes", hills, ends, (const int[]){1, 1, 1, 0, 2, 2});
    check_column("connectivity=8", hills, ends, (const int[]){1, 0, 0, 0, 0, 2});
    check_corners("connectivity=6:nonzero=yes", 1);
    check_corners("connectivity=8:nonzero=yes", 2);
    check_corners("connectivity=18:nonzero=yes", 4);
    check_corners("connectivity=26:nonzero=yes", 4);
    kernel_refuses("watershed:over=#in:connectivity=26",
                   &SHAPE(2048, 2048, 1024, 1, LG_U8, LG_ALPHA_NONE), "2^32");
    kernel_refuses("watershed:over=#in", &SHAPE(65536, 65536, 1, 1, LG_U8, LG_ALPHA_NONE), "2^32");
}

int main(void)
{
    return kernel_main("watershed", &floods, 1, test_more);
}
