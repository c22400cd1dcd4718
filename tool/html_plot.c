// Histograms of a page, as inline SVG.
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  640.0
#define HEIGHT 150.0 // of the bars
#define TOP    16.0  // room for the names of marks
enum { COLUMNS = 320, PLOTS_MOST = 8, NAMES_MOST = 16 };

static const char *class_of(const char *name)
{
    return strcmp(name, "r") == 0 || strcmp(name, "g") == 0 || strcmp(name, "b") == 0 ? name : "y";
}

static void begin_plot(FILE *out, const char *title)
{
    fprintf(out,
            "<figure><svg viewBox=\"-4 0 %g %g\" width=\"%g\" role=\"img\" aria-label=\"%s\">\n"
            "<path class=\"axis\" d=\"M0 %gH%g\"/>\n",
            WIDTH + 8, TOP + HEIGHT + 22, WIDTH, title, TOP + HEIGHT, WIDTH);
}

static void end_plot(FILE *out, const char *lo, const char *hi, const char *title)
{
    fprintf(out, "<text x=\"0\" y=\"%g\">%s</text><text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s",
            TOP + HEIGHT + 16, lo, WIDTH, TOP + HEIGHT + 16, hi);
    fprintf(out, "</text>\n</svg><figcaption>%s</figcaption></figure>\n", title);
}

// Bins become at most COLUMNS columns, each the mean of its bins.
static int take_columns(const double *counts, int bins, double out[COLUMNS])
{
    const int columns = bins < COLUMNS ? bins : COLUMNS;
    for (int i = 0; i < columns; i++) {
        const int64_t first = (int64_t)i * bins / columns, end = (int64_t)(i + 1) * bins / columns;
        out[i] = 0;
        for (int64_t k = first; k < end; k++)
            out[i] += counts[k] / (double)(end - first);
    }
    return columns;
}

static void put_bars(FILE *out, const double *column, int columns, double most, const char *name)
{
    fprintf(out, "<path class=\"%s\" d=\"M0 %g", class_of(name), TOP + HEIGHT);
    for (int i = 0; i < columns && most > 0; i++)
        fprintf(out, "V%.1fH%.1f", TOP + HEIGHT - HEIGHT * fmin(1, column[i] / most),
                WIDTH * (i + 1) / columns);
    fprintf(out, "V%gZ\"/>\n", TOP + HEIGHT);
}

// Where names stand: marks come channel by channel, and one beside a name goes without.
typedef struct names {
    double at[NAMES_MOST];
    int count;
} names;

static bool has_room(const names *n, double x)
{
    for (int i = 0; i < n->count; i++)
        if (fabs(x - n->at[i]) < 70)
            return false;
    return n->count < NAMES_MOST;
}

static void put_mark(FILE *out, double value, double lo, double hi, const char *text, names *named)
{
    if (!(value >= lo && value <= hi && hi > lo))
        return;
    const double x = WIDTH * (value - lo) / (hi - lo);
    fprintf(out, "<path class=\"mark\" d=\"M%.1f %gV%g\"/>\n", x, TOP, TOP + HEIGHT);
    if (!has_room(named, x))
        return;
    fprintf(out, "<text x=\"%.1f\" y=\"11\"%s>", x, x > WIDTH - 70 ? " text-anchor=\"end\"" : "");
    lg_html_text(out, text);
    fputs("</text>\n", out);
    named->at[named->count++] = x;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The height of the plot: of the highest column, unless a few would leave nothing to be seen of the others.
static double height_of(const double *column, int columns)
{
    double sorted[COLUMNS];
    if (!columns)
        return 0;
    memcpy(sorted, column, (size_t)columns * sizeof *sorted);
    qsort(sorted, (size_t)columns, sizeof *sorted, compare);
    const double most = sorted[columns - 1], usual = sorted[(columns - 1) * 49 / 50];
    return usual > 0 && most > 3 * usual ? 1.5 * usual : most;
}

// ---- counts of a document -----------------------------------------------------------------------

static double *counts_of(const lg_json_tree *tree, const lg_json_node *channel, int *bins)
{
    const lg_json_node *list = lg_json_member(tree, channel, "counts");
    double *counts = list && list->count ? malloc(list->count * sizeof *counts) : NULL;
    if (list && list->count && !counts)
        lg_html_set_lost(true);
    *bins = 0;
    for (const lg_json_node *c = counts ? lg_json_first(tree, list) : NULL; c;
         c = lg_json_next(tree, c))
        counts[(*bins)++] = strtod(c->text, NULL);
    return counts;
}

static void put_percentiles(FILE *out, const lg_json_tree *tree, const lg_json_node *channel,
                            names *named)
{
    const double lo = strtod(lg_json_text_of(tree, channel, "lo"), NULL);
    const double hi = strtod(lg_json_text_of(tree, channel, "hi"), NULL);
    const lg_json_node *list = lg_json_member(tree, channel, "percentiles");
    for (const lg_json_node *p = lg_json_first(tree, list); p; p = lg_json_next(tree, p)) {
        char text[80];
        snprintf(text, sizeof text, "p%.20s %.40s", p->key, p->text);
        if (p->kind == '0')
            put_mark(out, strtod(p->text, NULL), lo, hi, text, named);
    }
}

// The channels of a layer in one plot.
static void plot_layer(FILE *out, const lg_json_tree *tree, const lg_json_node *head,
                       const char *layer)
{
    char title[120];
    double column[COLUMNS], most = 0;
    names named = {0};
    snprintf(title, sizeof title, "Histogram%s%.20s", *layer ? ", layer " : "", layer);
    begin_plot(out, title);
    for (int pass = 0; pass < 2; pass++)
        for (const lg_json_node *c = head; c; c = lg_json_next(tree, c)) {
            int bins;
            if (strcmp(lg_json_text_of(tree, c, "layer"), layer) != 0)
                continue;
            double *counts = counts_of(tree, c, &bins);
            const int columns = counts ? take_columns(counts, bins, column) : 0;
            if (!pass)
                most = fmax(most, height_of(column, columns));
            if (pass) {
                put_bars(out, column, columns, most, lg_json_text_of(tree, c, "name"));
                put_percentiles(out, tree, c, &named);
            }
            free(counts);
        }
    end_plot(out, lg_json_text_of(tree, head, "lo"), lg_json_text_of(tree, head, "hi"), title);
}

// ---- counts of an image -------------------------------------------------------------------------

static void put_levels(FILE *out, const lg_json_tree *tree, double lo, double hi)
{
    names named = {0};
    const lg_json_node *object = lg_json_member(tree, tree->nodes, "threshold");
    object = object && object->kind == '{' ? object : tree->nodes;
    const lg_json_node *list = lg_json_member(tree, object, "levels");
    const lg_json_node *one = lg_json_member(tree, object, "level");
    if (!list && one)
        put_mark(out, strtod(one->text, NULL), lo, hi, one->text, &named);
    for (const lg_json_node *l = lg_json_first(tree, list); l; l = lg_json_next(tree, l))
        put_mark(out, strtod(l->text, NULL), lo, hi, l->text, &named);
}

static void plot_image(FILE *out, lg_session *session, const lg_input_file *file,
                       const lg_json_tree *tree)
{
    lg_histogram_params params = lg_histogram_params_default();
    lg_histogram *h = NULL;
    lg_error ignored;
    char lo[LG_NUMBER_SIZE], hi[LG_NUMBER_SIZE];
    double column[LG_MAX_CHANNELS][COLUMNS], counts[256], most = 0;
    const bool floats = file->image->shape.type == LG_F16 || file->image->shape.type == LG_F32;
    params.select = file->select;
    params.select.nan = LG_NAN_IGNORE;
    params.stack = true;
    params.bins = 256;
    params.automatic_range = floats;
    params.type_range = !floats;
    const lg_status status =
        lg_measure_histogram(session->context, file->image, &params, &h, &ignored);
    if (status == LG_ERROR_MEMORY)
        lg_html_set_lost(true);
    if (status != LG_OK)
        return; // a region without a finite sample, for example: there is nothing to draw
    for (int c = 0; c < h->channels; c++) {
        for (int i = 0; i < h->channel[c].bins && i < 256; i++)
            counts[i] = (double)h->channel[c].counts[i];
        const int columns = take_columns(counts, h->channel[c].bins, column[c]);
        most = fmax(most, height_of(column[c], columns));
    }
    begin_plot(out, "Histogram of the input");
    for (int c = 0; c < h->channels; c++)
        put_bars(out, column[c], h->channel[c].bins < COLUMNS ? h->channel[c].bins : COLUMNS, most,
                 lg_file_channel_name(file, c));
    put_levels(out, tree, h->channel[0].lo, h->channel[0].hi);
    end_plot(out, lg_number(h->channel[0].lo, lo), lg_number(h->channel[0].hi, hi),
             "Histogram of the input, all layers together");
    lg_histogram_destroy(&h);
}

void lg_html_histograms(FILE *out, lg_session *session, const lg_input_file *file,
                        const lg_json_tree *tree)
{
    const lg_json_node *channels = lg_json_member(tree, tree->nodes, "channels");
    const lg_json_node *first =
        channels && channels->kind == '[' ? lg_json_first(tree, channels) : NULL;
    const char *layer = NULL;
    int plots = 0;
    if (!first || !lg_json_member(tree, first, "counts")) {
        if (file->image && file->image->data && !file->image->shape.planes)
            plot_image(out, session, file, tree);
        return;
    }
    for (const lg_json_node *c = first; c && plots < PLOTS_MOST; c = lg_json_next(tree, c)) {
        const char *its = lg_json_text_of(tree, c, "layer");
        if (layer && strcmp(layer, its) == 0)
            continue;
        layer = its;
        plot_layer(out, tree, c, layer);
        plots++;
    }
}
