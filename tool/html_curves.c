// Figures over layers and over the frames of a film.
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  310.0
#define HEIGHT 80.0

// ---- figures of a document ----------------------------------------------------------------------

static bool is_figure(const lg_json_node *node)
{
    static const char *const no[] = {"frame",  "time", "width",        "height", "layers", "layer",
                                     "lo",     "hi",   "bins",         "step",   "index",  "x",
                                     "status", "y",    "connectivity", NULL};
    for (int i = 0; no[i]; i++)
        if (node->key && strcmp(no[i], node->key) == 0)
            return false;
    return node->kind == '0';
}

static bool take_list(const lg_json_tree *tree, const lg_json_node *list, lg_take_figure_fn take,
                      void *priv)
{
    char label[160];
    for (const lg_json_node *item = lg_json_first(tree, list); item;
         item = lg_json_next(tree, item)) {
        const char *name = lg_json_text_of(tree, item, "name");
        const lg_json_node *values = lg_json_member(tree, item, "values");
        const lg_json_node *value = lg_json_first(tree, values);
        snprintf(label, sizeof label, "%.80s", name);
        if (value && value->kind == '0' && !take(priv, label, value)) // of --figure
            return false;
        for (const lg_json_node *m = values ? NULL : lg_json_first(tree, item); m;
             m = lg_json_next(tree, m)) {
            snprintf(label, sizeof label, "%.40s%s%.80s", name, *name ? " " : "", m->key);
            if (is_figure(m) && !take(priv, label, m))
                return false;
        }
    }
    return true;
}

void lg_html_figures(const lg_json_tree *tree, lg_take_figure_fn take, void *priv)
{
    for (const lg_json_node *m = lg_json_first(tree, tree->nodes); m; m = lg_json_next(tree, m)) {
        const bool figures = strcmp(m->key, "figures") == 0;
        if (m->kind == '[' && (figures || strcmp(m->key, "channels") == 0)) {
            if (!take_list(tree, m, take, priv))
                return;
        } else if (m->kind == '{' && figures) {
            for (const lg_json_node *f = lg_json_first(tree, m); f; f = lg_json_next(tree, f))
                if (is_figure(f) && !take(priv, f->key, f))
                    return;
        } else if (is_figure(m) && !take(priv, m->key, m)) {
            return;
        }
    }
}

// ---- curves -------------------------------------------------------------------------------------

typedef struct adding {
    lg_curves *curves;
    int point;
} adding;

static void put_point(lg_curve *curve, int i, double value)
{
    if (!isfinite(value))
        return;
    const bool first = curve->count[i] == 0;
    curve->least[i] = first || value < curve->least[i] ? value : curve->least[i];
    curve->most[i] = first || value > curve->most[i] ? value : curve->most[i];
    curve->sum[i] += value;
    curve->count[i]++;
}

static bool take_value(void *priv, const char *label, const lg_json_node *value)
{
    adding *a = priv;
    lg_curves *all = a->curves;
    int at = 0;
    while (at < all->count && strcmp(all->curve[at].label, label) != 0)
        at++;
    if (at == LG_CURVES_MOST)
        return false;
    if (at == all->count)
        snprintf(all->curve[all->count++].label, sizeof all->curve[at].label, "%s", label);
    put_point(&all->curve[at], a->point, strtod(value->text, NULL));
    return true;
}

// Two spans become one, so that there is room again.
static void halve(lg_curves *curves)
{
    for (int c = 0; c < curves->count; c++) {
        lg_curve *v = &curves->curve[c];
        for (int i = 0; i < LG_CURVE_POINTS; i++) {
            const int a = 2 * i, b = 2 * i + 1;
            const bool inside = b < LG_CURVE_POINTS, has_a = inside && v->count[a] > 0,
                       has_b = inside && v->count[b] > 0;
            const double least = has_a && !(has_b && v->least[b] < v->least[a]) ? v->least[a]
                                 : has_b                                        ? v->least[b]
                                                                                : 0;
            const double most = has_a && !(has_b && v->most[b] > v->most[a]) ? v->most[a]
                                : has_b                                      ? v->most[b]
                                                                             : 0;
            v->sum[i] = (has_a ? v->sum[a] : 0) + (has_b ? v->sum[b] : 0);
            v->count[i] = (has_a ? v->count[a] : 0) + (has_b ? v->count[b] : 0);
            v->least[i] = least;
            v->most[i] = most;
        }
    }
    curves->span *= 2;
}

void lg_curves_add(lg_curves *curves, const lg_json_tree *tree, double time)
{
    if (!curves->curve) {
        curves->curve = calloc(LG_CURVES_MOST, sizeof *curves->curve);
        curves->span = 1;
        curves->first_time = time;
    }
    if (!curves->curve) {
        lg_html_set_lost(true);
        return;
    }
    while (curves->frames / curves->span >= LG_CURVE_POINTS)
        halve(curves);
    adding a = {curves, (int)(curves->frames / curves->span)};
    lg_html_figures(tree, take_value, &a);
    curves->frames++;
    curves->last_time = time;
}

static void find_range(const lg_curve *v, int points, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < points; i++)
        if (v->count[i] > 0) {
            *lo = v->least[i] < *lo ? v->least[i] : *lo;
            *hi = v->most[i] > *hi ? v->most[i] : *hi;
        }
}

static void write_curve(FILE *out, const lg_curve *v, int points)
{
    double lo, hi;
    char least[LG_NUMBER_SIZE], most[LG_NUMBER_SIZE];
    find_range(v, points, &lo, &hi);
    if (!(hi > lo))
        return;
    const double room = hi - lo, step = points > 1 ? WIDTH / (points - 1) : 0;
    fprintf(out, "<figure><svg viewBox=\"-2 -4 %g %g\" width=\"%g\" role=\"img\">\n", WIDTH + 4,
            HEIGHT + 8, WIDTH);
    const char *class = strncmp(v->label, "r ", 2) == 0   ? "r"
                        : strncmp(v->label, "g ", 2) == 0 ? "g"
                        : strncmp(v->label, "b ", 2) == 0 ? "b"
                                                          : "y";
    const char *pen = "M";
    fprintf(out, "<path class=\"axis\" d=\"M0 %gH%g\"/><path class=\"%s curve\" d=\"", HEIGHT,
            WIDTH, class);
    for (int i = 0; i < points; i++) {
        if (v->count[i] > 0)
            fprintf(out, "%s%.1f %.1f", pen, step * i,
                    HEIGHT - HEIGHT * (v->sum[i] / v->count[i] - lo) / room);
        pen = v->count[i] > 0 ? "L" : "M";
    }
    fputs("\"/></svg><figcaption>", out);
    lg_html_text(out, v->label);
    fprintf(out, ": %s to %s</figcaption></figure>\n", lg_number_short(lo, least),
            lg_number_short(hi, most));
}

void lg_curves_write(FILE *out, const lg_curves *curves)
{
    if (!curves->curve || curves->frames < 2)
        return;
    const int points = (int)((curves->frames + curves->span - 1) / curves->span);
    fputs("<div class=\"curves\">\n", out);
    for (int c = 0; c < curves->count; c++)
        write_curve(out, &curves->curve[c], points);
    fputs("</div>\n", out);
    bool any = false;
    for (int c = 0; c < curves->count; c++) {
        double lo, hi;
        char number[LG_NUMBER_SIZE];
        find_range(&curves->curve[c], points, &lo, &hi);
        if (lo != hi)
            continue;
        fputs(any ? ", " : "<p class=\"soft\">The same everywhere: ", out);
        lg_html_text(out, curves->curve[c].label);
        fprintf(out, " %s", lg_number_short(lo, number));
        any = true;
    }
    fputs(any ? "</p>\n" : "", out);
}

// ---- layers -------------------------------------------------------------------------------------

enum { LAYERS_LEAST = 4 };

// Each layer is a point; the channels of a document stand layer by layer.
void lg_html_layers(FILE *out, const lg_json_tree *tree)
{
    lg_curves curves = {.span = 1, .curve = calloc(LG_CURVES_MOST, sizeof(lg_curve))};
    const lg_json_node *channels = lg_json_member(tree, tree->nodes, "channels");
    const char *layer = NULL;
    if (!curves.curve)
        lg_html_set_lost(true);
    if (!curves.curve || !channels || channels->kind != '[') {
        free(curves.curve);
        return;
    }
    for (const lg_json_node *c = lg_json_first(tree, channels); c; c = lg_json_next(tree, c)) {
        const char *its = lg_json_text_of(tree, c, "layer"),
                   *name = lg_json_text_of(tree, c, "name");
        if (!layer || strcmp(layer, its) != 0)
            curves.frames++;
        layer = its;
        while ((curves.frames - 1) / curves.span >= LG_CURVE_POINTS)
            halve(&curves);
        adding a = {&curves, (int)((curves.frames - 1) / curves.span)};
        for (const lg_json_node *m = lg_json_first(tree, c); m; m = lg_json_next(tree, m)) {
            char label[160];
            snprintf(label, sizeof label, "%.40s %.80s", name, m->key);
            if (is_figure(m))
                take_value(&a, label, m);
        }
    }
    if (curves.frames >= LAYERS_LEAST) {
        fputs("<h2>Layer by layer</h2>\n", out);
        lg_curves_write(out, &curves);
    }
    free(curves.curve);
}
