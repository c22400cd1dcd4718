// Sums and counts of components against loops over pixels: second moments, intensities of every type, shapes;
// taken while labelling and from labels, with one thread and several, and on a Vulkan device.
#include "check.h"
#include "device.h"
#include "flood_fill.h"
#include "label_content.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *contexts[3]; // the last one on Vulkan, or NULL

static void open_contexts(void)
{
    contexts[0] = device_open_threads(1);
    contexts[1] = device_open_threads(3);
    contexts[2] = device_open(NULL, NULL);
}

static lg_image *new_image(lg_type type, int32_t width, int32_t height, int32_t layers)
{
    return label_content_image(contexts[0], type, width, height, layers);
}

// ---- oracles --------------------------------------------------------------------------------------

static uint32_t label_at(const flood *f, int32_t x, int32_t y, int32_t z)
{
    if (x < 0 || y < 0 || x >= f->width || y >= f->height)
        return 0;
    return f->label[((size_t)z * (size_t)f->height + (size_t)y) * (size_t)f->width + (size_t)x];
}

typedef struct expected {
    lg_component_second *second;
    lg_component_intensity *intensity;
    lg_component_shape *shape;
    double unit;
} expected;

// The unit by trial: the smallest power of two such that all samples of components are at most 2^40 units and
// below it.
static double unit_of(const flood *f, const lg_image *image)
{
    double max = 0;
    for (int32_t z = 0; z < image->shape.layers; z++)
        for (int32_t y = 0; y < image->shape.height; y++)
            for (int32_t x = 0; x < image->shape.width; x++) {
                const double v = fabs(flood_sample(image, x, y, z));
                if (isfinite(v) && v > max && label_at(f, x, y, z))
                    max = v;
            }
    if (image->shape.type <= LG_U16 || max == 0)
        return 1;
    double unit = 0x1p-300;
    while (max >= unit * 0x1p40)
        unit *= 2;
    return unit;
}

static void add_pixel(expected *e, uint32_t i, double v, int32_t x, int32_t y, int32_t z)
{
    lg_component_second *s = &e->second[i];
    s->xx += (lg_u128)((int64_t)x * x);
    s->yy += (lg_u128)((int64_t)y * y);
    s->zz += (lg_u128)((int64_t)z * z);
    s->xy += (lg_u128)((int64_t)x * y);
    s->xz += (lg_u128)((int64_t)x * z);
    s->yz += (lg_u128)((int64_t)y * z);
    if (!isfinite(v))
        return;
    if (v == 0)
        v = 0; // zeros have no sign
    lg_component_intensity *n = &e->intensity[i];
    const double scaled = v / e->unit, below = floor(scaled), rest = scaled - below;
    int64_t units = (int64_t)below;
    if (rest > 0.5 || (rest == 0.5 && units % 2 != 0))
        units++;
    const int64_t at[3] = {x, y, z};
    n->sum += units;
    n->squares += (lg_u128)((__int128)units * units);
    for (int k = 0; k < 3; k++)
        n->moment[k] += (__int128)units * at[k];
    if (n->count == 0 || v < n->min)
        n->min = v;
    if (n->count == 0 || v > n->max)
        n->max = v;
    n->count++;
}

static bool on_border(const flood *f, uint32_t v, int32_t x, int32_t y, int32_t z)
{
    return label_at(f, x, y, z) == v &&
           (label_at(f, x - 1, y, z) != v || label_at(f, x + 1, y, z) != v ||
            label_at(f, x, y - 1, z) != v || label_at(f, x, y + 1, z) != v);
}

static void add_border(lg_component_shape *s, const flood *f, uint32_t v, int32_t x, int32_t y,
                       int32_t z)
{
    static const int weights[3][3] = {{10, 2, 10}, {2, 1, 2}, {10, 2, 10}};
    if (!on_border(f, v, x, y, z))
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (on_border(f, v, x + dx, y + dy, z))
                sum += weights[dy + 1][dx + 1];
    switch (sum) {
    case 5:
    case 7:
    case 15:
    case 17:
    case 25:
    case 27:
        s->border[0]++;
        break;
    case 21:
    case 33:
        s->border[1]++;
        break;
    case 13:
    case 23:
        s->border[2]++;
        break;
    default:
        break;
    }
}

static void add_windows(expected *e, const flood *f, int32_t x, int32_t y, int32_t z)
{
    for (uint32_t v = 1; v <= f->count; v++) {
        // A component has windows inside of its box and one around it.
        const lg_component_basic *b = &f->basic[v - 1];
        if (x < b->low[0] || y < b->low[1] || x > b->high[0] + 1 || y > b->high[1] + 1)
            continue;
        const int which = (label_at(f, x - 1, y - 1, z) == v) +
                          2 * (label_at(f, x, y - 1, z) == v) +
                          4 * (label_at(f, x - 1, y, z) == v) + 8 * (label_at(f, x, y, z) == v);
        if (which)
            e->shape[v - 1].windows[which]++;
    }
}

static expected expect(const flood *f, const lg_image *intensity, bool shape)
{
    const size_t n = f->count ? f->count : 1;
    expected e = {.second = calloc(n, sizeof *e.second),
                  .intensity = calloc(n, sizeof *e.intensity),
                  .shape = calloc(n, sizeof *e.shape),
                  .unit = unit_of(f, intensity)};
    for (int32_t z = 0; z < f->layers; z++)
        for (int32_t y = 0; y <= f->height; y++)
            for (int32_t x = 0; x <= f->width; x++) {
                const uint32_t v = x < f->width && y < f->height ? label_at(f, x, y, z) : 0;
                if (v) {
                    add_pixel(&e, v - 1, flood_sample(intensity, x, y, z), x, y, z);
                    add_border(&e.shape[v - 1], f, v, x, y, z);
                }
                if (shape)
                    add_windows(&e, f, x, y, z);
            }
    return e;
}

static void drop(expected *e)
{
    free(e->second);
    free(e->intensity);
    free(e->shape);
}

// ---- comparisons ----------------------------------------------------------------------------------

static bool same_intensity(const lg_component_intensity *a, const lg_component_intensity *b)
{
    return a->sum == b->sum && a->squares == b->squares && a->count == b->count &&
           a->min == b->min && a->max == b->max && signbit(a->min) == signbit(b->min) &&
           memcmp(a->moment, b->moment, sizeof a->moment) == 0;
}

static void compare(const flood *f, const expected *e, const lg_components *c, const char *what)
{
    CHECK(c->count == f->count && c->unit == e->unit, "%s: %u components, not %u; unit %g, not %g",
          what, c->count, f->count, c->unit, e->unit);
    int64_t wrong[4] = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < f->count && c->count == f->count; i++) {
        if (memcmp(&c->basic[i], &f->basic[i], sizeof c->basic[i]))
            wrong[0] = i;
        if (memcmp(&c->second[i], &e->second[i], sizeof c->second[i]))
            wrong[1] = i;
        if (!same_intensity(&c->intensity[i], &e->intensity[i]))
            wrong[2] = i;
        if (c->shape && memcmp(&c->shape[i], &e->shape[i], sizeof c->shape[i]))
            wrong[3] = i;
    }
    CHECK(wrong[0] < 0, "%s: sums of component %lld", what, (long long)wrong[0]);
    CHECK(wrong[1] < 0, "%s: second moments of component %lld", what, (long long)wrong[1]);
    CHECK(wrong[2] < 0, "%s: intensities of component %lld", what, (long long)wrong[2]);
    CHECK(wrong[3] < 0, "%s: shape of component %lld", what, (long long)wrong[3]);
}

static void run(const lg_image *image, lg_foreground foreground, int connectivity,
                const lg_image *intensity, bool shape, const char *what)
{
    char text[160];
    flood *f = flood_fill(image, foreground, 0, connectivity);
    if (!f)
        return;
    expected e = expect(f, intensity, shape);
    const lg_label_params params =
        WITH(lg_label_params, it.foreground = foreground, it.connectivity = connectivity,
             it.moments = true, it.shape = shape);
    for (int i = 0; i < 3 && contexts[i]; i++) {
        lg_labels *labels = NULL;
        lg_components *c[3] = {NULL};
        lg_error error = {LG_OK, ""};
        const bool done =
            lg_label_image(contexts[i], image, &params, intensity, &labels, &c[0], &error) ==
                LG_OK &&
            lg_label_image(contexts[i], image, &params, intensity, NULL, &c[1], &error) == LG_OK &&
            lg_labels_download(contexts[i], labels, &error) == LG_OK &&
            lg_labels_measure(contexts[i], labels, &params, intensity, &c[2], &error) == LG_OK;
        CHECK(done, "%s", error.message);
        for (int k = 0; k < 3 && done; k++) {
            static const char *const ways[] = {"with labels", "without labels", "of labels"};
            snprintf(text, sizeof text, "%s, %s of %s, %dx%dx%d, connectivity %d, %s%s", what,
                     lg_foreground_name(foreground), lg_type_name(intensity->shape.type), f->width,
                     f->height, f->layers, connectivity, ways[k], i == 2 ? ", Vulkan" : "");
            compare(f, &e, c[k], text);
        }
        for (int k = 0; k < 3; k++)
            lg_components_destroy(&c[k]);
        lg_labels_destroy(&labels);
    }
    drop(&e);
    flood_free(&f);
}

static void fill_intensity(lg_image *image, bool wild)
{
    const lg_image_params *s = &image->shape;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++) {
            char *row =
                (char *)image->data + (size_t)z * s->layer_stride + (size_t)y * s->row_stride;
            if (s->type <= LG_U16 || wild)
                random_bytes(row, (size_t)s->width * lg_type_size(s->type));
            for (int32_t x = 0; x < s->width && s->type >= LG_F16 && !wild; x++) {
                const float v = (float)(random_unit() * 3 - 1);
                const uint16_t half = lg_float_to_half(v);
                memcpy(row + (size_t)x * lg_type_size(s->type),
                       s->type == LG_F16 ? (const void *)&half : &v, lg_type_size(s->type));
            }
        }
}

static void test_sums(void)
{
    // The last two have rows with more than 64 runs, most of them of one component or not.
    static const int32_t sizes[][3] = {{61, 43, 1}, {19, 17, 7},  {1, 31, 1},
                                       {130, 3, 2}, {419, 13, 1}, {300, 5, 2}};
    static const int connectivities[] = {4, 8, 6, 18, 26};
    for (size_t s = 0; s < LG_COUNT(sizes); s++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int round = 0; round < test_extent(2, 5, 40); round++) {
                random_seed((uint64_t)(1000 * type + 10 * round + (int)s));
                const bool values = round % 3 == 2;
                lg_image *image = new_image(LG_U8, sizes[s][0], sizes[s][1], sizes[s][2]);
                lg_image *intensity =
                    new_image((lg_type)type, sizes[s][0], sizes[s][1], sizes[s][2]);
                label_content_fill(image, LABEL_NOISE, 30 + 12 * round % 70, 1 + round % 4, 0,
                                   values);
                fill_intensity(intensity, round % 2 == 1);
                run(image, values ? LG_FOREGROUND_VALUES : LG_FOREGROUND_NONZERO,
                    connectivities[(round + type + (int)s) % 5], intensity, true, "noise");
                lg_image_destroy(&image);
                lg_image_destroy(&intensity);
            }
}

// Large enough for several bands: a component has parts in each of them, and several where they only meet in
// another band.
static void test_bands(void)
{
    for (int percent = 41; percent <= 61; percent += 4) {
        random_seed((uint64_t)percent);
        lg_image *image = new_image(LG_U8, 391, 701, 1);
        label_content_fill(image, LABEL_NOISE, percent, 1, 0, false);
        run(image, LG_FOREGROUND_NONZERO, percent < 57 ? 8 : 4, image, false, "bands of noise");
        lg_image_destroy(&image);
    }
}

static void test_shapes(void)
{
    for (int kind = LABEL_SPIRAL; kind < LABEL_CONTENTS; kind++)
        for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
            lg_image *image = new_image(LG_U8, 71, 37, 1);
            label_content_fill(image, (label_content)kind, 0, 1, 0, false);
            run(image, LG_FOREGROUND_NONZERO, connectivity, image, true,
                label_content_name((label_content)kind));
            lg_image_destroy(&image);
        }
}

// Floats that have no smaller exponent, and zeros alone: units are far below all of them, or 1.
static void test_tiny(void)
{
    for (int type = LG_F16; type <= LG_F32; type++)
        for (uint32_t max = 0; max < 200; max = 3 * max + 1) {
            lg_image *image = new_image(LG_U8, 140, 67, 1);
            lg_image *intensity = new_image((lg_type)type, 140, 67, 1);
            random_seed(max + 1);
            label_content_fill(image, LABEL_NOISE, 70, 3, 0, false);
            for (int32_t y = 0; y < 67; y++)
                for (int32_t x = 0; x < 140; x++) {
                    const uint32_t v = random_below(max + 1), sign = random_below(2);
                    const uint16_t half = (uint16_t)(v | sign << 15);
                    const uint32_t word = v | sign << 31;
                    memcpy((char *)intensity->data + (size_t)y * intensity->shape.row_stride +
                               (size_t)x * lg_type_size((lg_type)type),
                           type == LG_F16 ? (const void *)&half : &word,
                           lg_type_size((lg_type)type));
                }
            run(image, LG_FOREGROUND_NONZERO, 8, intensity, false, "tiny");
            lg_image_destroy(&image);
            lg_image_destroy(&intensity);
        }
}

// Far from the origin, where sums of x^2 and of sample times x are largest.
static void test_wide(void)
{
    lg_image *image = new_image(LG_U16, LG_MAX_SIDE, 2, 1);
    memset(image->data, 255, image->shape.layer_stride);
    lg_components *c = NULL;
    lg_labels *labels = NULL;
    const lg_label_params params = WITH(lg_label_params, it.moments = true);
    NEED(lg_label_image(contexts[1], image, &params, image, &labels, &c, NULL) == LG_OK, "wide");
    const lg_u128 n = LG_MAX_SIDE;
    CHECK(c->count == 1 && c->basic[0].area == 2 * n && c->basic[0].sum[0] == n * (n - 1) &&
              c->second[0].xx == n * (n - 1) * (2 * n - 1) / 3 &&
              c->second[0].xy == n * (n - 1) / 2 && c->second[0].yy == n,
          "sums of all pixels of two rows");
    CHECK(c->intensity[0].sum == (__int128)(2 * n * 65535) &&
              c->intensity[0].squares == 2 * n * 65535 * 65535 &&
              c->intensity[0].moment[0] == (__int128)(n * (n - 1) * 65535),
          "intensities of all pixels of two rows");
    lg_components_destroy(&c);
    lg_labels_destroy(&labels);
    lg_image_destroy(&image);
}

// A square of 10 pixels has a perimeter of 36 straight pixels, and one of each corner; a diagonal line counts
// as diagonal but for its ends.
static void test_known(void)
{
    lg_image *image = new_image(LG_U8, 30, 30, 1);
    uint8_t *data = image->data;
    const size_t stride = image->shape.row_stride;
    for (size_t y = 0; y < 10; y++)
        memset(data + (3 + y) * stride + 2, 1, 10);
    for (size_t i = 0; i < 9; i++)
        data[(16 + i) * stride + 15 + i] = 1;
    const lg_label_params params = WITH(lg_label_params, it.shape = true);
    lg_components *c = NULL;
    NEED(lg_label_image(contexts[0], image, &params, NULL, NULL, &c, NULL) == LG_OK, "known");
    const lg_component_shape *s = c->shape;
    CHECK(c->count == 2 && s[0].border[0] == 36 && !s[0].border[1] && !s[0].border[2] &&
              s[0].windows[15] == 81 && s[0].windows[1] == 1 && s[0].windows[8] == 1 &&
              s[0].windows[3] == 9 && s[0].windows[10] == 9,
          "a square");
    CHECK(s[1].border[0] == 0 && s[1].border[1] == 7 && s[1].windows[9] == 8 &&
              s[1].windows[2] == 9 && s[1].windows[4] == 9,
          "a diagonal line");
    lg_components_destroy(&c);
    lg_image_destroy(&image);
}

int main(void)
{
    open_contexts();
    test_sums();
    test_bands();
    test_shapes();
    test_known();
    test_tiny();
    if (!test_is_short())
        test_wide();
    for (int i = 0; i < 2; i++)
        lg_context_destroy(&contexts[i]);
    device_close(&contexts[2]);
    return check_finish("label_figures");
}
