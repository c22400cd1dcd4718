// Own SVG writer: axes with round ticks, one filled step line per channel, percentile marks, a
// legend with the figures.
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WIDTH    960.0
#define LEFT     76.0
#define RIGHT    28.0
#define TOP      74.0
#define PLOT     380.0 // height of the axes' rectangle
#define ROW      20.0  // of the legend and of the percentile strip
#define COLUMNS  1024  // more bins than these are averaged: no screen shows more
#define CHANNELS 5     // r, g, b, a and luma at most

typedef struct series {
    const lg_histogram_channel *channel; // of the first layer
    const char *color;
    double *counts; // summed over layers
    uint64_t total, below, above;
    int columns, group; // group: bins averaged in a column
} series;

typedef struct plot {
    FILE *out;
    const lg_options *options;
    const lg_histogram *histogram;
    series series[CHANNELS];
    int count;
    double lo, hi, max; // of the axes
    double top;         // of the rectangle, below the percentile strip
} plot;

// ---- numbers and text ---------------------------------------------------------------------------

static void escape(FILE *out, const char *text)
{
    char clean[1200];
    for (lg_sanitise(text, clean, sizeof clean), text = clean; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc(*text, out);
    }
}

// 1500 -> 1.5k: axis labels stay short.
static const char *short_count(double value, char *out, size_t size)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    int unit = 0;
    while (value >= 1000 && unit < 4) {
        value /= 1000;
        unit++;
    }
    snprintf(out, size, "%.4g%s", value, units[unit]);
    return out;
}

// The largest of 1, 2, 5 times a power of ten that gives at least `wanted` steps.
static double round_step(double span, int wanted)
{
    double raw = span / wanted, power = pow(10, floor(log10(raw)));
    double first = raw / power;
    return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}

static const char *color_of(const char *name, int index)
{
    static const struct {
        const char *name, *color;
    } known[] = {{"r", "#d6322d"},    {"g", "#2c9a3f"}, {"b", "#2a6fdb"}, {"a", "#8a5cc4"},
                 {"grey", "#4a4f57"}, {"y", "#4a4f57"}, {"h", "#c2501e"}, {"s", "#0f8f8a"},
                 {"v", "#4a4f57"},    {"l", "#4a4f57"}, {"L", "#4a4f57"}};
    static const char *const others[] = {"#2a6fdb", "#d6322d", "#2c9a3f", "#8a5cc4", "#c2501e"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].color;
    return others[index % 5];
}

// ---- data ---------------------------------------------------------------------------------------

static bool sum_layers(plot *p, int index)
{
    const lg_histogram *h = p->histogram;
    series *s = &p->series[index];
    s->channel = &h->channel[index];
    s->color = color_of(s->channel->name, index);
    int bins = s->channel->bins;
    s->group = (bins + COLUMNS - 1) / COLUMNS;
    s->columns = (bins + s->group - 1) / s->group;
    s->counts = calloc((size_t)s->columns, sizeof *s->counts);
    if (!s->counts)
        return false;
    for (int layer = 0; layer < h->layers; layer++) {
        const lg_histogram_channel *c = &h->channel[layer * h->channels + index];
        for (int i = 0; i < bins; i++)
            s->counts[i / s->group] += (double)c->counts[i];
        s->total += c->total;
        s->below += c->below;
        s->above += c->above;
    }
    for (int i = 0; i < s->columns; i++) {
        int covered = bins - i * s->group < s->group ? bins - i * s->group : s->group;
        s->counts[i] /= covered;
        p->max = fmax(p->max, s->counts[i]);
    }
    p->lo = fmin(p->lo, s->channel->lo);
    p->hi = fmax(p->hi, lg_histogram_bin_value(s->channel, bins));
    return true;
}

static double at_x(const plot *p, double value)
{
    return LEFT + (value - p->lo) / (p->hi - p->lo) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const plot *p, double count)
{
    double part =
        p->options->log_scale ? log1p(count) / log1p(p->max * 1.04) : count / (p->max * 1.04);
    return p->top + PLOT * (1 - part);
}

// ---- axes ---------------------------------------------------------------------------------------

static void grid_line(const plot *p, double count)
{
    char label[32];
    double y = at_y(p, count);
    fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            LEFT, y, WIDTH - RIGHT, y);
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4,
            short_count(count, label, sizeof label));
}

static void draw_counts_axis(const plot *p)
{
    grid_line(p, 0);
    if (p->options->log_scale) {
        for (double tick = 1; tick <= p->max; tick *= 10)
            grid_line(p, tick);
    } else {
        double step = fmax(round_step(p->max, 4), 1);
        for (double tick = step; tick <= p->max; tick += step)
            grid_line(p, tick);
    }
    double middle = p->top + PLOT / 2;
    const char *what = p->options->log_scale ? "samples per bin, log scale" : "samples per bin";
    fprintf(p->out,
            "<text class=\"label\" transform=\"rotate(-90 18 %.1f)\" x=\"18\" y=\"%.1f\" "
            "text-anchor=\"middle\">%s%s</text>\n",
            middle, middle, what, p->series[0].group > 1 ? ", averaged" : "");
}

static void draw_values_axis(const plot *p)
{
    char label[LG_NUMBER_SIZE];
    // Bytes read best in halves of halves; everything else in round numbers.
    bool bytes = p->lo == 0 && p->hi == 256;
    double step = bytes ? 32 : round_step(p->hi - p->lo, 7), bottom = p->top + PLOT;
    for (double k = ceil(p->lo / step); k * step <= p->hi * (1 + 1e-12); k++) {
        double value = bytes && k == 8 ? 255 : k * step;
        double x = at_x(p, bytes && k == 8 ? 255.5 : value);
        fprintf(p->out, "<line class=\"tick\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                x, bottom, x, bottom + 5);
        fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", x,
                bottom + 20, lg_number_short(fabs(value) < step * 1e-9 ? 0 : value, label));
    }
    fprintf(p->out, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
            LEFT, bottom, WIDTH - RIGHT, bottom);
    fprintf(p->out,
            "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">value%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, bottom + 40,
            p->options->space <= LG_SPACE_RGBL ? ", stored units" : "");
}

// ---- curves -------------------------------------------------------------------------------------

static void draw_series(const plot *p, const series *s)
{
    double bottom = p->top + PLOT;
    fprintf(p->out, "<path fill=\"%s\" stroke=\"%s\" class=\"curve\" d=\"M%.2f %.2f", s->color,
            s->color, at_x(p, s->channel->lo), bottom);
    for (int i = 0; i < s->columns; i++) {
        int next = (i + 1) * s->group < s->channel->bins ? (i + 1) * s->group : s->channel->bins;
        fprintf(p->out, "V%.2fH%.2f", at_y(p, s->counts[i]),
                at_x(p, lg_histogram_bin_value(s->channel, next)));
    }
    fprintf(p->out, "V%.2fZ\"/>\n", bottom);
}

// Where the mark of a percentile stands; NaN without samples. A whole value of an integer histogram
// is its bin: the mark stands in the middle of it.
static double mark_x(const plot *p, const series *s, int index)
{
    double value = lg_histogram_percentile(s->channel, p->options->percentiles[index]);
    bool whole = s->channel->values && value == floor(value) && p->hi - p->lo > 1;
    return isnan(value) ? NAN : at_x(p, value + (whole ? 0.5 : 0));
}

// A label goes right of its mark, or left at the edge, unless another mark of the row is there; the
// legend has every value.
static void draw_mark_label(const plot *p, const series *s, int index, double x, double y)
{
    char text[LG_NUMBER_SIZE];
    lg_number_short(p->options->percentiles[index], text);
    double width = 20 + 7.5 * (double)strlen(text);
    bool flip = x + width > WIDTH - RIGHT + 10;
    double from = flip ? x - width : x, to = flip ? x : x + width;
    for (int i = 0; i < p->options->percentile_count; i++) {
        double other = mark_x(p, s, i);
        if (i != index && other > from - 4 && other < to + 4 && other != x)
            return;
    }
    fprintf(p->out, "<text class=\"p\" x=\"%.2f\" y=\"%.1f\" style=\"fill:%s\"%s>p%s</text>\n",
            x + (flip ? -7 : 7), y + 4, s->color, flip ? " text-anchor=\"end\"" : "", text);
}

// A strip above the plot, one row per channel: where its percentiles lie.
static void draw_percentiles(const plot *p, const series *s, int row)
{
    double y = TOP + ROW * row + ROW / 2;
    for (int i = 0; i < p->options->percentile_count; i++) {
        double x = mark_x(p, s, i);
        if (isnan(x))
            continue;
        fprintf(p->out,
                "<line x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\" stroke=\"%s\" "
                "class=\"mark\"/>\n"
                "<circle cx=\"%.2f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>\n",
                x, y, x, p->top + PLOT, s->color, x, y, s->color);
        draw_mark_label(p, s, i, x, y);
    }
}

// ---- texts --------------------------------------------------------------------------------------

static void draw_title(const plot *p, const lg_input_file *file)
{
    const lg_image_params *shape = &file->image->shape;
    const char *slash = strrchr(file->name, '/');
    const char *name = strcmp(file->name, "-") == 0 ? "standard input"
                       : slash && slash[1]          ? slash + 1
                                                    : file->name;
    fprintf(p->out, "<text class=\"title\" x=\"%.1f\" y=\"34\">", LEFT);
    escape(p->out, name);
    fprintf(p->out, "</text>\n<text class=\"label\" x=\"%.1f\" y=\"56\">%d × %d", LEFT,
            shape->width, shape->height);
    if (shape->layers > 1)
        fprintf(p->out, " × %d layers", shape->layers);
    fprintf(p->out, ", %s, %d bins", lg_type_name(shape->type), p->series[0].channel->bins);
    if (p->options->space != LG_SPACE_STORED)
        fprintf(p->out, ", %s", lg_space_name((lg_space)p->options->space));
    if (file->unscaled_width > 0)
        fprintf(p->out, ", scaled by %g", p->options->scale);
    else if (p->options->has_region)
        fprintf(p->out, ", region %lldx%lld+%lld+%lld", (long long)file->region.width,
                (long long)file->region.height, (long long)file->region.x,
                (long long)file->region.y);
    fputs("</text>\n", p->out);
}

// One figure of a legend row; columns have fixed widths so that rows line up.
static void legend_figure(const plot *p, double *x, double y, double width, const char *name,
                          double value)
{
    char text[LG_NUMBER_SIZE];
    if (*x + width > WIDTH)
        return;
    snprintf(text, sizeof text, value == floor(value) && fabs(value) < 1e9 ? "%.0f" : "%.6g",
             value);
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\"><tspan class=\"dim\">%s</tspan> %s</text>\n", *x,
            y, name, text);
    *x += width;
}

static void draw_legend(const plot *p, const series *s, int row)
{
    char name[32];
    const lg_options *options = p->options;
    double y = p->top + PLOT + 66 + ROW * row, x = LEFT + 62;
    fprintf(p->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"3\" fill=\"%s\"/>\n"
            "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            LEFT, y - 11, s->color, LEFT + 19, y, s->channel->name);
    if (p->histogram->layers > 1) { // figures are per layer, the drawing is of all
        fprintf(p->out, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\">all layers summed</text>\n", x,
                y);
        return;
    }
    bool median = true;
    for (int i = 0; i < options->percentile_count; i++)
        median &= options->percentiles[i] != 50;
    legend_figure(p, &x, y, 122, "samples", (double)s->total);
    if (s->below + s->above > 0)
        legend_figure(p, &x, y, 108, "outside", (double)(s->below + s->above));
    if (median)
        legend_figure(p, &x, y, 128, "median", lg_histogram_percentile(s->channel, 50));
    legend_figure(p, &x, y, 118, "mode", lg_histogram_mode(s->channel));
    legend_figure(p, &x, y, 118, "entropy", lg_histogram_entropy(s->channel));
    for (int i = 0; i < options->percentile_count; i++) {
        snprintf(name, sizeof name, "p%.6g", options->percentiles[i]);
        legend_figure(p, &x, y, 104, name,
                      lg_histogram_percentile(s->channel, options->percentiles[i]));
    }
}

static const char STYLE[] =
    "<style>\n"
    "text{font:12px 'Inter','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#3c4149}\n"
    ".title{font-size:19px;font-weight:600;fill:#16181d}.label,.dim{fill:#757b86}\n"
    ".p{paint-order:stroke;stroke:#fff;stroke-width:3px}.name{font-weight:600}.grid{stroke:#e6e8ec}"
    ".tick,.axis{stroke:#8b919c}\n"
    ".curve{fill-opacity:.22;stroke-width:1.3;stroke-linejoin:round}\n"
    ".mark{stroke-width:1;stroke-dasharray:3 4;opacity:.75}\n"
    "</style>\n";

static void draw(plot *p, const lg_input_file *file)
{
    p->top = TOP + (p->options->percentile_count > 0 ? ROW * p->count + 6 : 0);
    double height = p->top + PLOT + 66 + ROW * p->count;
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n",
            WIDTH, height, WIDTH, height);
    fputs(STYLE, p->out);
    fprintf(p->out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    draw_title(p, file);
    draw_counts_axis(p);
    for (int i = 0; i < p->count; i++)
        draw_series(p, &p->series[i]);
    draw_values_axis(p);
    for (int i = 0; i < p->count && p->histogram->layers == 1; i++)
        draw_percentiles(p, &p->series[i], i);
    for (int i = 0; i < p->count; i++)
        draw_legend(p, &p->series[i], i);
    fputs("</svg>\n", p->out);
}

lg_status lg_plot_histogram(const lg_options *options, const lg_input_file *file,
                            const lg_histogram *histogram, const char *path, lg_error *error)
{
    plot p = {
        .options = options, .histogram = histogram, .lo = INFINITY, .hi = -INFINITY, .max = 1};
    bool good = true;
    p.count = histogram->channels < CHANNELS ? histogram->channels : CHANNELS;
    for (int i = 0; i < p.count && good; i++)
        good = sum_layers(&p, i);
    lg_output *output = NULL;
    lg_status status = LG_OK;
    if (!good)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for the plot");
    if (status == LG_OK)
        status = lg_output_open(path, &output, error);
    if (status == LG_OK) {
        p.out = lg_output_stream(output);
        draw(&p, file);
        status = lg_output_commit(&output, error);
    }
    for (int i = 0; i < p.count; i++)
        free(p.series[i].counts);
    return status;
}

// ---- options ------------------------------------------------------------------------------------

// True unless the name says that another format is expected.
static bool may_be_svg(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return !dot || strcasecmp(dot, ".svg") == 0;
}

bool lg_check_plot(const lg_options *options)
{
    if (options->plot && !may_be_svg(options->plot))
        lg_complain("--plot '%s': plots are SVG; the name must end in .svg", options->plot);
    else if (options->log_scale && !options->plot)
        lg_complain("--log scales a plot; say where to draw it: --plot FILE.svg");
    else
        return true;
    return false;
}
