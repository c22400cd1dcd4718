// lumagraph selftest: every device against a plain computation and against the plainest kernels.
#include "selftest.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOMENTS, HISTOGRAM, THRESHOLD, LABELS, AREASUMS, FILTERS, FIGURES, KINDS };

static const char *const kind_names[KINDS] = {"moments",   "histogram", "threshold", "labels",
                                              "area sums", "filters",   "figures"};

typedef struct device {
    char name[32];
    char what[300]; // its driver, or why it cannot be used
    lg_context_params params;
    bool failed; // does not start
    int cases[KINDS][LG_TYPES], wrong[KINDS][LG_TYPES];
    int left[KINDS][LG_TYPES]; // to the processor, because the device cannot do them
    char first[300];           // first failure in words
    char first_left[600];      // the first that was left, and why
} device;

typedef struct selftest {
    const lg_options *options;
    device *devices;
    int count;
    lg_context *plain; // one thread, baseline instructions
    int passed, failed, left;
} selftest;

// ---- what is tested -----------------------------------------------------------------------------

static void add_device(selftest *t, const lg_context_params *params, const char *name,
                       const char *what)
{
    device *d = &t->devices[t->count++];
    d->params = *params;
    snprintf(d->name, sizeof d->name, "%s", name);
    snprintf(d->what, sizeof d->what, "%s", what);
}

static void add_levels(selftest *t)
{
    const lg_options *options = t->options;
    for (int level = LG_CPU_BASE; level < LG_CPU_LEVELS; level++) {
        char name[32];
        lg_context *probe = NULL;
        lg_context_params params = lg_context_params_default();
        params.device = LG_DEVICE_CPU;
        params.threads = (int)options->threads;
        params.cpu_level = (lg_cpu_level)level;
        if (options->cpu > 0 && options->cpu - 1 != level)
            continue;
        // Levels this processor lacks are no failure, unless one was asked for.
        if (options->cpu == 0 && lg_context_create(&params, &probe, NULL) != LG_OK)
            continue;
        lg_context_destroy(&probe);
        snprintf(name, sizeof name, "cpu %s", lg_cpu_level_name((lg_cpu_level)level));
        add_device(t, &params, name, "");
    }
}

static void add_vulkan(selftest *t, const lg_device_info *info)
{
    char name[32];
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    params.device_index = info->index;
    params.threads = (int)t->options->threads;
    params.strict = t->options->strict;
    snprintf(name, sizeof name, "vulkan:%d", info->index);
    add_device(t, &params, name, info->name);
}

// All levels and devices, or those that --device and --cpu leave.
static lg_status collect(selftest *t, lg_error *error)
{
    const lg_options *options = t->options;
    char why[256] = "";
    size_t count = 0;
    lg_device_info list[16];
    lg_status status = lg_devices_list(list, 16, &count, why, error);
    if (status != LG_OK)
        return status;
    t->devices = calloc(LG_CPU_LEVELS + 16, sizeof *t->devices);
    if (!t->devices)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the devices");
    if (options->device != LG_DEVICE_VULKAN)
        add_levels(t);
    int found = 0;
    for (size_t i = 0; i < count && i < 16 && options->device != LG_DEVICE_CPU; i++) {
        bool named = options->device_index == list[i].index;
        if (list[i].kind != LG_DEVICE_VULKAN || (options->device_index >= 0 && !named) ||
            (!list[i].usable && !named))
            continue;
        add_vulkan(t, &list[i]);
        found++;
    }
    if (options->device == LG_DEVICE_VULKAN && found == 0)
        return lg_set_error(error, LG_ERROR_DEVICE, "no such Vulkan device%s%s", why[0] ? ": " : "",
                            why);
    return LG_OK;
}

// ---- one case on one device ---------------------------------------------------------------------

typedef struct outcome {
    lg_moments moments[LG_SELFTEST_LAYERS * LG_MAX_CHANNELS];
    lg_threshold threshold[LG_SELFTEST_LAYERS];
    bool thresholded;
    lg_components *components[LG_FOREGROUNDS];
    lg_selftest_areas areas;
} outcome;

static void free_components(outcome *out)
{
    for (int i = 0; i < LG_FOREGROUNDS; i++)
        lg_components_destroy(&out->components[i]);
}

static lg_status measure_moments(lg_context *context, const lg_image *image,
                                 const lg_select *select, const lg_selftest_case *c, outcome *out,
                                 bool *right, lg_error *error)
{
    lg_moments_params params = {.size = sizeof(lg_moments_params), .select = *select};
    lg_status status = lg_measure_moments(context, image, &params, out->moments,
                                          sizeof out->moments / sizeof out->moments[0], error);
    *right = status == LG_OK && lg_selftest_moments_right(c, out->moments);
    return status;
}

static lg_status run_histogram(lg_context *context, const lg_image *image,
                               const lg_histogram_params *params, const lg_selftest_case *c,
                               bool *right, lg_error *error)
{
    lg_histogram *histogram = NULL;
    lg_status status = lg_measure_histogram(context, image, params, &histogram, error);
    *right = status == LG_OK && lg_selftest_histogram_right(c, histogram);
    lg_histogram_destroy(&histogram);
    return status;
}

static lg_status measure_histogram(lg_context *context, const lg_image *image,
                                   const lg_select *select, const lg_selftest_case *c, bool *right,
                                   lg_error *error)
{
    lg_histogram_params params = lg_histogram_params_default();
    params.select = *select;
    if (c->shape.type == LG_F32) {
        params.type_range = false;
        params.lo = 1000;
        params.hi = 1064;
    }
    lg_status status = run_histogram(context, image, &params, c, right, error);
    // The other variants give the same counts; a device need not have all of them.
    for (int i = LG_HISTOGRAM_AUTO + 1; i < LG_HISTOGRAM_VARIANTS && *right && c->variants; i++) {
        params.variant = (lg_histogram_variant)i;
        status = run_histogram(context, image, &params, c, right, error);
        if (status == LG_ERROR_UNSUPPORTED)
            *right = true;
        else if (!*right && status == LG_OK)
            lg_set_error(error, LG_ERROR_DEVICE, "variant %s counts differently",
                         lg_histogram_variant_name(params.variant));
    }
    return status;
}

static lg_status measure_threshold(lg_context *context, const lg_image *image,
                                   const lg_select *select, const lg_selftest_case *c, outcome *out,
                                   bool *right, lg_error *error)
{
    lg_threshold_params params = lg_threshold_params_default();
    lg_image *binary = NULL;
    params.select = *select;
    lg_status status = lg_threshold_image(context, image, &params, out->threshold,
                                          LG_SELFTEST_LAYERS, &binary, error);
    out->thresholded = status == LG_OK;
    *right = status == LG_OK && lg_selftest_threshold_right(c, out->threshold, binary);
    lg_image_destroy(&binary);
    return status;
}

static bool label(lg_context *context, lg_image *image, const lg_selftest_case *c,
                  lg_foreground foreground, lg_components **components, lg_error *error)
{
    const lg_label_params params = lg_selftest_label_params(c, foreground);
    lg_labels *labels = NULL;
    const bool right =
        lg_label_image(context, image, &params, image, &labels, components, error) == LG_OK &&
        lg_labels_download(context, labels, error) == LG_OK &&
        lg_selftest_labels_right(c, &params, labels, *components);
    lg_labels_destroy(&labels);
    return right;
}

static void measure_labels(lg_context *context, const lg_selftest_case *c, outcome *out,
                           bool *right, lg_error *error)
{
    const lg_image_params shape = lg_selftest_label_shape(c);
    lg_image *image = NULL;
    *right =
        lg_image_wrap(context, &shape, c->data, &image, error) == LG_OK &&
        (!c->upload || lg_image_upload(context, image, error) == LG_OK) &&
        label(context, image, c, LG_FOREGROUND_ABOVE, &out->components[LG_FOREGROUND_ABOVE], error);
    if (*right && c->variants)
        *right = label(context, image, c, LG_FOREGROUND_VALUES,
                       &out->components[LG_FOREGROUND_VALUES], error);
    lg_image_destroy(&image);
}

static bool same_components(const outcome *a, const outcome *b)
{
    for (int i = 0; i < LG_FOREGROUNDS; i++)
        if (a->components[i] &&
            !(b->components[i] && lg_selftest_components_same(a->components[i], b->components[i])))
            return false;
    return true;
}

static bool same_thresholds(const lg_selftest_case *c, const outcome *a, const outcome *b)
{
    for (int i = 0; i < c->shape.layers; i++)
        if (memcmp(&a->threshold[i].level[0], &b->threshold[i].level[0], sizeof(double)) != 0 ||
            a->threshold[i].foreground != b->threshold[i].foreground)
            return false;
    return true;
}

// Runs one kind; `expected` is the outcome of the plain context, NULL while that itself is made.
static bool run_kind(int kind, lg_context *context, const lg_image *image, const lg_select *select,
                     const lg_selftest_case *c, const outcome *expected, outcome *out,
                     lg_error *error)
{
    bool right = false;
    int channels = lg_image_measured_channels(&c->shape);
    size_t figures = (size_t)channels * (size_t)c->shape.layers;
    switch (kind) {
    case MOMENTS:
        measure_moments(context, image, select, c, out, &right, error);
        return right &&
               (!expected || lg_selftest_moments_same(out->moments, expected->moments, figures));
    case HISTOGRAM:
        measure_histogram(context, image, select, c, &right, error);
        return right;
    case AREASUMS:
        lg_selftest_areasums(context, image, c, &out->areas, &right, error);
        return right && (!expected || lg_selftest_areas_same(&out->areas, &expected->areas));
    case LABELS:
        measure_labels(context, c, out, &right, error);
        return right && (!expected || same_components(out, expected));
    default:
        measure_threshold(context, image, select, c, out, &right, error);
        if (expected && !expected->thresholded) // without a level there as well as here
            return !out->thresholded;
        return right && (!expected || same_thresholds(c, out, expected));
    }
}

static bool wrap(lg_context *context, lg_selftest_case *c, lg_image **image, lg_image **mask,
                 lg_error *error)
{
    lg_image_params shape = {.width = c->shape.width,
                             .height = c->shape.height,
                             .layers = 1,
                             .channels = 1,
                             .type = LG_U8,
                             .row_stride = (size_t)c->shape.width,
                             .layer_stride = (size_t)c->shape.width * (size_t)c->shape.height};
    return lg_image_wrap(context, &c->shape, c->data, image, error) == LG_OK &&
           (!c->select || lg_image_wrap(context, &shape, c->mask, mask, error) == LG_OK);
}

// Whether a device did what it was asked for, by its report.
static void note_engine(device *d, int kind, lg_type type, const lg_context *context)
{
    lg_engine_report report;
    lg_context_report(context, &report);
    if (!report.fallback[0])
        return;
    d->left[kind][type]++;
    if (!d->first_left[0])
        snprintf(d->first_left, sizeof d->first_left, "%s %s on the processor: %s",
                 kind_names[kind], lg_type_name(type), report.fallback);
}

static void record(device *d, int kind, lg_type type, bool right, const char *what,
                   const lg_error *error)
{
    d->cases[kind][type]++;
    d->wrong[kind][type] += right ? 0 : 1;
    if (right || d->first[0])
        return;
    snprintf(d->first, sizeof d->first, "%s %s, %.60s: %.150s", kind_names[kind],
             lg_type_name(type), what,
             error->message[0] ? error->message : "other figures than a plain computation");
}

static void record_case(device *d, int kind, const lg_selftest_case *c, bool right,
                        const lg_error *error)
{
    char what[64];
    snprintf(what, sizeof what, "%d x %d x %d, %d channels%s", c->shape.width, c->shape.height,
             c->shape.layers, c->shape.channels, c->select ? ", region and mask" : "");
    record(d, kind, c->shape.type, right, what, error);
}

static void run_pipeline(device *d, int kind, lg_type type, const char *text, lg_context *plain,
                         lg_context *context)
{
    lg_error error = {0};
    lg_image *in = NULL, *in_plain = NULL, *out = NULL, *expected = NULL;
    const bool right = lg_selftest_filter_image(plain, type, &in_plain, &error) == LG_OK &&
                       lg_selftest_filter_image(context, type, &in, &error) == LG_OK &&
                       lg_selftest_run(plain, text, in_plain, &expected, &error) == LG_OK &&
                       lg_selftest_run(context, text, in, &out, &error) == LG_OK &&
                       lg_selftest_images_same(out, expected);
    record(d, kind, type, right, text, &error);
    if (right)
        note_engine(d, kind, type, context);
    lg_image_destroy(&in);
    lg_image_destroy(&in_plain);
    lg_image_destroy(&out);
    lg_image_destroy(&expected);
}

static void run_pipelines(selftest *t, device *d, lg_type type, lg_context *context)
{
    for (int kind = FILTERS; kind <= FIGURES; kind++) {
        const char *text;
        for (size_t i = 0; (text = lg_selftest_pipeline(kind == FIGURES, type, i)); i++)
            run_pipeline(d, kind, type, text, t->plain, context);
    }
}

static void run_case(selftest *t, device *d, lg_context *context, lg_selftest_case *c,
                     outcome *plain)
{
    lg_error error = {0};
    lg_image *image = NULL, *mask = NULL;
    outcome out = {0};
    bool good = wrap(context, c, &image, &mask, &error) &&
                (!c->upload || lg_image_upload(context, image, &error) == LG_OK);
    lg_select select = lg_select_default();
    select.mask = mask;
    select.step = c->step;
    select.region = c->select ? &c->region : NULL;
    for (int kind = 0; kind < FILTERS; kind++) {
        error.message[0] = '\0';
        if (kind == AREASUMS && !c->areas)
            continue;
        bool right = good && run_kind(kind, context, image, &select, c, d ? plain : NULL,
                                      d ? &out : plain, &error);
        if (d)
            record_case(d, kind, c, right, &error);
        if (d && right)
            note_engine(d, kind, c->shape.type, context);
    }
    free_components(&out);
    lg_image_destroy(&mask);
    lg_image_destroy(&image);
}

// ---- all of it ----------------------------------------------------------------------------------

static void run_device(selftest *t, device *d)
{
    lg_error error = {0};
    lg_context *context = NULL;
    if (lg_context_create(&d->params, &context, &error) != LG_OK) {
        d->failed = true;
        snprintf(d->first, sizeof d->first, "does not start: %.250s", error.message);
        return;
    }
    lg_device_info info;
    lg_context_device(context, &info);
    snprintf(d->what, sizeof d->what, "%s", info.name);
    for (int type = 0; type < LG_TYPES; type++) {
        run_pipelines(t, d, (lg_type)type, context);
        for (int i = 0; i < lg_selftest_cases(); i++) {
            lg_selftest_case c;
            outcome plain = {0};
            if (!lg_selftest_make(i, (lg_type)type, &c)) {
                d->failed = true;
                snprintf(d->first, sizeof d->first, "no memory for the test images");
                continue;
            }
            run_case(t, NULL, t->plain, &c, &plain);
            run_case(t, d, context, &c, &plain);
            free_components(&plain);
            lg_selftest_free(&c);
        }
    }
    lg_context_destroy(&context);
}

static void tally(selftest *t)
{
    for (int i = 0; i < t->count; i++) {
        t->failed += t->devices[i].failed ? 1 : 0;
        for (int kind = 0; kind < KINDS; kind++)
            for (int type = 0; type < LG_TYPES; type++) {
                bool ran = t->devices[i].cases[kind][type] > 0;
                bool wrong = t->devices[i].wrong[kind][type] > 0;
                bool left = !wrong && t->devices[i].left[kind][type] > 0;
                t->passed += ran && !wrong && !left ? 1 : 0;
                t->left += left ? 1 : 0;
                t->failed += ran && wrong ? 1 : 0;
            }
    }
}

static void report_text(const selftest *t, FILE *out)
{
    char clean[1900];
    lg_table table = {.columns = t->count + 1};
    lg_table_cell(&table, "check");
    for (int i = 0; i < t->count; i++)
        lg_table_cell(&table, "%s", t->devices[i].name);
    for (int kind = 0; kind < KINDS; kind++)
        for (int type = 0; type < LG_TYPES; type++) {
            lg_table_cell(&table, "%s %s", kind_names[kind], lg_type_name((lg_type)type));
            for (int i = 0; i < t->count; i++) {
                const device *d = &t->devices[i];
                if (d->wrong[kind][type])
                    lg_table_cell(&table, "FAIL %d/%d", d->wrong[kind][type], d->cases[kind][type]);
                else if (d->left[kind][type])
                    lg_table_cell(&table, "CPU %d/%d", d->left[kind][type], d->cases[kind][type]);
                else
                    lg_table_cell(&table, "%s", d->cases[kind][type] ? "PASS" : "-");
            }
        }
    lg_table_print(&table, out, ~0u);
    for (int i = 0; i < t->count; i++)
        if (t->devices[i].first[0])
            fprintf(out, "%s: %s\n", t->devices[i].name,
                    lg_sanitise(t->devices[i].first, clean, sizeof clean));
    for (int i = 0; i < t->count; i++)
        if (t->devices[i].first_left[0])
            fprintf(out, "%s: %s\n", t->devices[i].name,
                    lg_sanitise(t->devices[i].first_left, clean, sizeof clean));
    fprintf(out, "selftest: %d passed, %d failed", t->passed, t->failed);
    if (t->left)
        fprintf(out, ", %d left to the processor", t->left);
    fprintf(out, " (%d devices, %d images each)\n", t->count, lg_selftest_cases() * LG_TYPES);
}

static void report_json(const selftest *t, FILE *out)
{
    lg_json json = {.stream = out};
    lg_json_begin(&json, NULL, '{');
    lg_json_text(&json, "schema", "lumagraph.selftest/1");
    lg_json_begin(&json, "devices", '[');
    for (int i = 0; i < t->count; i++) {
        const device *d = &t->devices[i];
        lg_json_begin(&json, NULL, '{');
        lg_json_text(&json, "device", d->name);
        lg_json_text(&json, "name", d->what);
        lg_json_text(&json, "failure", d->first[0] ? d->first : NULL);
        lg_json_text(&json, "fallback", d->first_left[0] ? d->first_left : NULL);
        lg_json_begin(&json, "checks", '[');
        for (int kind = 0; kind < KINDS; kind++)
            for (int type = 0; type < LG_TYPES; type++) {
                lg_json_begin(&json, NULL, '{');
                lg_json_text(&json, "measurement", kind_names[kind]);
                lg_json_text(&json, "type", lg_type_name((lg_type)type));
                lg_json_integer(&json, "cases", d->cases[kind][type]);
                lg_json_integer(&json, "failed", d->wrong[kind][type]);
                lg_json_integer(&json, "left", d->left[kind][type]);
                lg_json_end(&json, '}');
            }
        lg_json_end(&json, ']');
        lg_json_end(&json, '}');
    }
    lg_json_end(&json, ']');
    lg_json_integer(&json, "passed", t->passed);
    lg_json_integer(&json, "failed", t->failed);
    lg_json_integer(&json, "left", t->left);
    lg_json_end(&json, '}');
}

static lg_status run_all(selftest *t, lg_error *error)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.cpu_level = LG_CPU_BASE;
    params.threads = 1;
    lg_status status = lg_context_create(&params, &t->plain, error);
    if (status == LG_OK)
        status = collect(t, error);
    bool show = isatty(STDERR_FILENO) && !t->options->quiet;
    for (int i = 0; i < t->count && status == LG_OK; i++) {
        if (show)
            fprintf(stderr, "\r\033[Ktesting %s", t->devices[i].name);
        run_device(t, &t->devices[i]);
    }
    if (show)
        fputs("\r\033[K", stderr);
    tally(t);
    return status;
}

int lg_command_selftest(const lg_options *options)
{
    selftest t = {.options = options};
    lg_output *report = NULL;
    lg_error error = {0};
    lg_status status = run_all(&t, &error);
    if (status == LG_OK)
        status = lg_output_open(options->output ? options->output : "-", &report, &error);
    if (status == LG_OK) {
        if (options->json)
            report_json(&t, lg_output_stream(report));
        else
            report_text(&t, lg_output_stream(report));
        status = lg_output_commit(&report, &error);
    }
    lg_context_destroy(&t.plain);
    free(t.devices);
    if (status != LG_OK) {
        lg_complain("selftest: %s", error.message);
        return lg_exit_of(status);
    }
    return t.failed > 0 ? LG_EXIT_DEVICE : LG_EXIT_DONE;
}
