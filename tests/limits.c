// Parameters that are the two ends of a range: reversed ranges are refused, and empty ones that
// have no meaning. The table has every such pair of the catalogue; a filter with two parameters
// named like ends of a range that is not in it fails.
#include "check.h"
#include "device.h"

#include "filter/catalogue.h"

#include <stdio.h>
#include <string.h>

typedef struct pair {
    const char *filter, *low, *high;
    bool equal;          // equal ends are allowed
    const char *allowed; // why any order is; NULL: it is not
} pair;

static const pair pairs[] = {
    {"vignette", "vignette_start", "vignette_end", false, NULL},
    {"band_mix", "top", "bottom", false, NULL},
    {"tilt_shift", "top_focus_level", "bottom_focus_level", false, NULL},
    {"levels", "min", "max", false, NULL},
    {"canny_edge_detection", "lower_threshold", "upper_threshold", true, NULL},
    {"hough_transform_line_detection", "lower_threshold", "upper_threshold", true, NULL},
    {"hough_line_detection", "lower_threshold", "upper_threshold", true, NULL},
    {"directional_non_maximum_suppression", "lower_threshold", "upper_threshold", true, NULL},
    {"levels", "min_out", "max_out", true, "turns dark and light round"},
    {"difference_of_gaussians", "low_sigma", "high_sigma", true, "changes the sign"},
    {"pad", "top", "bottom", true, "widths of two borders"},
    {"pad", "left", "right", true, "widths of two borders"},
    {"perlin_noise", "color_start", "color_finish", true, "colours have no order"},
    {"false_color", "first_color", "second_color", true, "colours have no order"},
    {"highlight_shadow", "shadows", "highlights", true, "two amounts"},
    {"highlight_shadow_tint", "shadow_tint_color", "highlight_tint_color", true, "colours"},
    {"highlight_shadow_tint", "shadow_tint_intensity", "highlight_tint_intensity", true, "amounts"},
    {"soft_elegance", "first", "second", true, "two tables"},
};

// Words that stand for the ends of a range in names.
static const char *const words[][2] = {
    {"lower", "upper"},  {"low", "high"},     {"min", "max"},    {"start", "end"},
    {"top", "bottom"},   {"first", "last"},   {"near", "far"},   {"inner", "outer"},
    {"begin", "end"},    {"from", "to"},      {"least", "most"}, {"left", "right"},
    {"start", "finish"}, {"first", "second"}, {"dark", "light"}, {"shadow", "highlight"}};

static lg_context *context;

// ---- the table is whole -------------------------------------------------------------------------

// Whether `high` is `low` with one word in place of the other.
static bool is_pair(const char *low, const char *high, const char *const word[2])
{
    const size_t length = strlen(word[0]);
    for (const char *at = strstr(low, word[0]); at; at = strstr(at + 1, word[0])) {
        char wanted[128];
        snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(at - low), low, word[1], at + length);
        if (strcmp(wanted, high) == 0)
            return true;
    }
    return false;
}

static bool is_listed(const char *filter, const char *low, const char *high)
{
    for (size_t i = 0; i < LG_COUNT(pairs); i++)
        if (strcmp(pairs[i].filter, filter) == 0 && strcmp(pairs[i].low, low) == 0 &&
            strcmp(pairs[i].high, high) == 0)
            return true;
    return false;
}

static void look_through(const lg_filter *f)
{
    for (int i = 0; i < f->param_count; i++)
        for (int k = 0; k < f->param_count; k++)
            for (size_t w = 0; w < LG_COUNT(words); w++) {
                const lg_filter_param *low = &f->params[i], *high = &f->params[k];
                if (low->kind != LG_PARAM_ALIAS && high->kind != LG_PARAM_ALIAS &&
                    is_pair(low->name, high->name, words[w]))
                    CHECK(is_listed(f->name, low->name, high->name),
                          "%s: are %s and %s the ends of a range? Give the entry limits, and a row "
                          "to the table of this test",
                          f->name, low->name, high->name);
            }
    const char *limits = ((const lg_filter_entry *)f)->limits;
    char low[64], sign[8], high[64];
    if (limits)
        CHECK(sscanf(limits, "%63s %7s %63s", low, sign, high) == 3 &&
                  is_listed(f->name, low, high) && (!strcmp(sign, "<") || !strcmp(sign, "<=")),
              "%s: limits \"%s\" are not in the table of this test", f->name, limits);
}

// ---- one pair -----------------------------------------------------------------------------------

// Parses a filter with these settings and compiles it.
static lg_status compile(const char *filter, const char *settings, lg_plan **plan, lg_node *last,
                         lg_error *error)
{
    lg_graph *graph = NULL;
    lg_node in[2];
    char text[400];
    const lg_image_params shape = {
        .width = 9, .height = 7, .layers = 1, .channels = 3, .type = LG_U8};
    const lg_image_params shapes[] = {shape, shape};
    snprintf(text, sizeof text, "%s%s%s", filter, *settings ? ":" : "", settings);
    NEED(!lg_graph_create(&graph, error) && !lg_graph_input(graph, "in", &in[0], error) &&
             !lg_graph_input(graph, "over", &in[1], error),
         "%s", error->message);
    lg_status status = lg_graph_parse(graph, text, in[0], last, error);
    if (!status)
        status = lg_graph_output(graph, *last, error);
    if (!status)
        status = lg_plan_create(context, graph, shapes, 2, NULL, plan, error);
    lg_graph_destroy(&graph);
    return status;
}

static void expect(const pair *p, const char *low, const char *high, bool good)
{
    char settings[200];
    lg_plan *plan = NULL;
    lg_node last;
    lg_error error = {0};
    snprintf(settings, sizeof settings, "%s=%s:%s=%s", p->low, low, p->high, high);
    const lg_status status = compile(p->filter, settings, &plan, &last, &error);
    CHECK(status == (good ? LG_OK : LG_ERROR_ARGUMENT), "%s:%s: %s: %s", p->filter, settings,
          lg_status_name(status), error.message);
    if (!good)
        CHECK(strstr(error.message, p->filter) && strstr(error.message, p->low) &&
                  strstr(error.message, p->high) &&
                  (strlen(low) > 4 || (strstr(error.message, low) && strstr(error.message, high))),
              "%s:%s: the message says nothing of it: %s", p->filter, settings, error.message);
    lg_plan_destroy(&plan);
}

// One limit alone against the default of the other.
static void expect_alone(const pair *p, const lg_filter_param *given, const char *value)
{
    char settings[100];
    lg_plan *plan = NULL;
    lg_node last;
    lg_error error = {0};
    snprintf(settings, sizeof settings, "%s=%s", given->name, value);
    const lg_status status = compile(p->filter, settings, &plan, &last, &error);
    CHECK(status == LG_ERROR_ARGUMENT, "%s:%s: %s", p->filter, settings, lg_status_name(status));
    lg_plan_destroy(&plan);
}

static const lg_filter_param *param_of(const pair *p, const char *name)
{
    const lg_filter *f = NULL;
    const lg_filter_param *param = NULL;
    NEED(!lg_filter_find(p->filter, &f, NULL) && !lg_filter_find_param(f, name, &param, NULL),
         "%s has no %s", p->filter, name);
    return param;
}

// A compiled plan refuses the same, and keeps what it had.
static void change(const pair *p)
{
    lg_plan *plan = NULL;
    lg_node last;
    lg_error error = {0};
    const lg_status status = compile(p->filter, "", &plan, &last, &error);
    CHECK(!status, "%s: %s", p->filter, error.message);
    if (status)
        return;
    CHECK(lg_plan_set_text(plan, last, p->high, "0", &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, p->low),
          "%s: %s=0 in a plan: %s", p->filter, p->high, error.message);
    CHECK(!lg_plan_set_text(plan, last, p->low, "0", &error), "%s: %s=0 in a plan: %s", p->filter,
          p->low, error.message);
    lg_plan_destroy(&plan);
}

static void try_pair(const pair *p)
{
    const lg_filter_param *low = param_of(p, p->low), *high = param_of(p, p->high);
    if (p->allowed)
        return;
    expect(p, "0.25", "0.75", true);
    expect(p, "0.75", "0.25", false);
    expect(p, "0.5", "0.5", p->equal);
    // The floats of 0.1 and of 0.1 + 1e-12 are equal, those of 0.1 and 0.10000001 are not.
    expect(p, "0.10000001", "0.1", false);
    expect(p, "0.1", "0.10000001", true);
    expect(p, "@mean*0+0.75", "0.25", true);
    expect(p, "0.75", "@mean*0+0.25", true);
    expect_alone(p, low, "1");
    expect_alone(p, high, "0");
    if (low->kind != LG_PARAM_COLOR && strcmp(p->filter, "tilt_shift") != 0 &&
        !strstr(p->filter, "line_detection"))
        change(p);
}

int main(void)
{
    context = device_open_level(LG_CPU_BASE, 1);
    for (size_t i = 0; i < lg_filter_count(); i++)
        look_through(lg_filter_at(i));
    for (size_t i = 0; context && i < LG_COUNT(pairs); i++)
        try_pair(&pairs[i]);
    lg_context_destroy(&context);
    return check_finish("limits");
}
