#include "labels.h"
#include "check.h"
#include "component_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct labelled {
    uint32_t *label; // [layers][height][width]; NULL: figures alone
    size_t pixels;
    lg_components figures; // arrays that were not asked for are NULL
    lg_components *owner;  // of these; NULL: the arrays are its own
} labelled;

static const label_params *params_of(const measured *m)
{
    static label_params plain;
    plain = (label_params){.of = lg_label_params_default()};
    return m->params ? m->params : &plain;
}

static const lg_image *intensity_of(const measured *m)
{
    return params_of(m)->itself ? m->image : params_of(m)->intensity;
}

static void release_labelled(void *figures)
{
    labelled *l = figures;
    free(l->label);
    if (!l->owner)
        component_oracle_free(&l->figures);
    lg_components_destroy(&l->owner);
    free(l);
}

// ---- measuring ----------------------------------------------------------------------------------

static size_t pixels_of(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    return (size_t)s->width * (size_t)s->height * (size_t)s->layers;
}

static uint32_t *packed(const lg_labels *labels)
{
    const size_t width = (size_t)labels->width, height = (size_t)labels->height;
    uint32_t *out = malloc(width * height * (size_t)labels->layers * sizeof *out);
    NEED(out, "%d x %d labels", labels->width, labels->height);
    for (size_t row = 0; row < height * (size_t)labels->layers; row++)
        memcpy(out + row * width,
               (const char *)labels->data + row / height * labels->layer_stride +
                   row % height * labels->row_stride,
               width * sizeof *out);
    return out;
}

static void measure_reference(const measured *m, labelled *out)
{
    const lg_label_params *p = &params_of(m)->of;
    const int connectivity = p->connectivity == -1 ? 8 : p->connectivity;
    lg_image *filled = NULL;
    if (p->fill_holes)
        filled =
            flood_fill_holes(kernel_context(), m->image, p->foreground, p->level, connectivity);
    flood *f = filled ? flood_fill(filled, LG_FOREGROUND_NONZERO, 0, connectivity)
                      : flood_fill(m->image, p->foreground, p->level, connectivity);
    NEED(f, "a flood fill");
    out->figures = component_oracle(f, p, intensity_of(m));
    out->label = f->label;
    f->label = NULL;
    flood_free(&f);
    lg_image_destroy(&filled);
}

static lg_status measure_with(lg_context *context, const measured *m, labelled *out,
                              lg_error *error)
{
    const lg_label_params *p = &params_of(m)->of;
    const bool measured_later = m->variant == LABELS_MEASURED;
    lg_labels *labels = NULL;
    lg_status status = lg_label_image(context, m->image, p, intensity_of(m),
                                      m->variant == LABELS_FIGURES ? NULL : &labels,
                                      measured_later ? NULL : &out->owner, error);
    if (labels && !status) {
        CHECK(strcmp(context->report.variant, "vulkan-label") != 0 || !labels->data,
              "%s: labels stay on the device", m->title);
        status = lg_labels_download(context, labels, error);
    }
    if (measured_later && !status)
        status = lg_labels_measure(context, labels, p, intensity_of(m), &out->owner, error);
    if (labels && !status)
        out->label = packed(labels);
    if (labels && out->owner)
        CHECK(labels->count == out->owner->count, "%s: labels of %u components, figures of %u",
              m->title, labels->count, out->owner->count);
    lg_labels_destroy(&labels);
    return status;
}

static void *measure_labels(lg_context *context, const measured *m, lg_error *error)
{
    labelled *out = calloc(1, sizeof *out);
    NEED(out, "figures");
    out->pixels = pixels_of(m->image);
    if (!context) {
        measure_reference(m, out);
        return out;
    }
    if (measure_with(context, m, out, error)) {
        release_labelled(out);
        return NULL;
    }
    out->figures = *out->owner;
    return out;
}

// ---- equality -----------------------------------------------------------------------------------

static bool same_intensity(const lg_component_intensity *a, const lg_component_intensity *b)
{
    return a->sum == b->sum && a->squares == b->squares && a->count == b->count &&
           a->min == b->min && a->max == b->max && signbit(a->min) == signbit(b->min) &&
           memcmp(a->moment, b->moment, sizeof a->moment) == 0;
}

// What of component i differs; NULL: nothing.
static const char *difference(const lg_components *a, const lg_components *b, uint32_t i)
{
    if (!a->basic != !b->basic || !a->second != !b->second || !a->intensity != !b->intensity ||
        !a->shape != !b->shape)
        return "figures that are there";
    if (a->basic && memcmp(&a->basic[i], &b->basic[i], sizeof *a->basic) != 0)
        return "area, place or sums";
    if (a->second && memcmp(&a->second[i], &b->second[i], sizeof *a->second) != 0)
        return "second moments";
    if (a->intensity && !same_intensity(&a->intensity[i], &b->intensity[i]))
        return "intensities";
    if (a->shape && memcmp(&a->shape[i], &b->shape[i], sizeof *a->shape) != 0)
        return "shape";
    return NULL;
}

static bool same_labelled(const void *want, const void *got, char text[MEASURE_TEXT])
{
    const labelled *a = want, *b = got;
    if (a->figures.count != b->figures.count || a->figures.unit != b->figures.unit) {
        snprintf(text, MEASURE_TEXT, "%u components in units of %g, not %u of %g", b->figures.count,
                 b->figures.unit, a->figures.count, a->figures.unit);
        return false;
    }
    for (size_t i = 0; b->label && i < a->pixels; i++)
        if (a->label[i] != b->label[i]) {
            snprintf(text, MEASURE_TEXT, "pixel %zu has label %u, not %u", i, b->label[i],
                     a->label[i]);
            return false;
        }
    for (uint32_t i = 0; i < a->figures.count; i++) {
        const char *what = difference(&a->figures, &b->figures, i);
        if (what) {
            snprintf(text, MEASURE_TEXT, "component %u of %u: %s", i + 1, a->figures.count, what);
            return false;
        }
    }
    return true;
}

// ---- parameters ---------------------------------------------------------------------------------

static const void *draw_params(const lg_image_params *shape)
{
    static const int connectivities[] = {4, 8, 6, 18, 26, -1};
    static const double of_floats[] = {0.5, 0.3, 0.8, 0, -1};
    static label_params p;
    const double levels[LG_TYPES] = {[LG_U8] = random_below(256), [LG_U16] = random_below(65536)};
    const bool integers = shape->type <= LG_U16;
    p = (label_params){
        .of = WITH(lg_label_params, it.foreground = (lg_foreground)random_below(LG_FOREGROUNDS),
                   it.level = integers ? levels[shape->type]
                                       : of_floats[random_below(LG_COUNT(of_floats))],
                   it.connectivity = connectivities[random_below(LG_COUNT(connectivities))],
                   it.moments = random_below(2), it.shape = random_below(2)),
        .itself = random_below(2)};
    p.of.fill_holes = p.of.foreground != LG_FOREGROUND_VALUES && random_below(3) == 0;
    return &p;
}

static void describe(const void *params, char text[MEASURE_TEXT])
{
    const label_params *p = params;
    snprintf(text, MEASURE_TEXT,
             "%s, level %g, connectivity %d, holes filled %d, moments %d, shape %d, intensity %s",
             lg_foreground_name(p->of.foreground), p->of.level, p->of.connectivity,
             p->of.fill_holes, p->of.moments, p->of.shape,
             p->itself      ? "of itself"
             : p->intensity ? lg_type_name(p->intensity->shape.type)
                            : "none");
}

static const int variants[] = {LABELS_BOTH, LABELS_FIGURES, LABELS_MEASURED};

const measure_case label_case = {.name = "labels",
                                 .measure = measure_labels,
                                 .release = release_labelled,
                                 .same = same_labelled,
                                 .params = draw_params,
                                 .describe = describe,
                                 .variants = {variants, LG_COUNT(variants)},
                                 .device_variants = {variants, LG_COUNT(variants)},
                                 .device_share = 2,
                                 .selects = MEASURE_EVERYTHING,
                                 .channels = 1};

// ---- single tries -------------------------------------------------------------------------------

static measured try_of(const char *title, const lg_image *image, const label_params *params)
{
    return (measured){
        .title = title, .image = image, .select = lg_select_default(), .params = params};
}

void label_check(const char *title, const lg_image *image, const label_params *params)
{
    const measured m = try_of(title, image, params);
    measure_in_place(&label_case, &m);
}

void label_check_on(lg_context *context, const char *title, const lg_image *image,
                    const label_params *params, measure_variants which)
{
    const measured m = try_of(title, image, params);
    void *want = measure_figures(&label_case, NULL, &m);
    if (want)
        measure_check(&label_case, context, &m, which, want);
    measure_release(&label_case, want);
}
