// Values of parameters: numbers, choices, colours, measured figures.
#include "graph/nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
    lg_graph *graph;
    lg_graph_node *node;
    const lg_filter_param *param;
    int at; // its first number among the values
    lg_error *error;
} target;

static lg_status refuse(const target *t, const char *text, const char *wanted)
{
    return lg_fail(t->error, LG_ERROR_ARGUMENT, "%s: %s=%.60s: %s", t->node->filter->name,
                   t->param->name, text, wanted);
}

// ---- numbers ------------------------------------------------------------------------------------

// Ranges are floats, as the stored value will be: 0.1 is not below the float that 0.1 gives.
static lg_status check_range(const target *t, double number, const char *text)
{
    const lg_filter_param *p = t->param;
    const float value = (float)number;
    if (value >= p->min && value <= p->max)
        return LG_OK;
    char least[LG_FLOAT_TEXT], most[LG_FLOAT_TEXT];
    return lg_fail(t->error, LG_ERROR_ARGUMENT, "%s: %s=%.60s is out of range; allowed is %s to %s",
                   t->node->filter->name, p->name, text, lg_float_text(p->min, least),
                   lg_float_text(p->max, most));
}

// Reads numbers with commas between them; returns how many, or -1 (not numbers, or too many).
static int parse_list(const char *text, double *out, int capacity)
{
    int count = 0;
    for (;;) {
        const char *end;
        if (count == capacity || !lg_parse_number(text, &end, &out[count]))
            return -1;
        count++;
        if (!*end)
            return count;
        if (*end != ',')
            return -1;
        text = end + 1;
    }
}

static lg_status set_list(const target *t, const char *text, const double *list, int count)
{
    for (int i = 0; i < count; i++) {
        const lg_status status = check_range(t, list[i], text);
        if (status)
            return status;
    }
    for (int i = 0; i < count; i++)
        t->node->values[t->at + i] = (float)list[i];
    return LG_OK;
}

static lg_status set_number(const target *t, const char *text)
{
    double value;
    if (parse_list(text, &value, 1) != 1)
        return refuse(t, text,
                      strchr(text, '@') ? "a number is wanted, or a figure as in @mean*0.5+0.1"
                                        : "a number is wanted");
    if (t->param->kind == LG_PARAM_INTEGER && value != floor(value))
        return refuse(t, text, "a whole number is wanted");
    return set_list(t, text, &value, 1);
}

static lg_status set_flag(const target *t, const char *text)
{
    static const char *const words[] = {"0", "no", "false", "off", "1", "yes", "true", "on"};
    for (size_t i = 0; i < LG_COUNT(words); i++)
        if (strcmp(text, words[i]) == 0) {
            t->node->values[t->at] = i >= 4 ? 1.0f : 0.0f;
            return LG_OK;
        }
    return refuse(t, text, "yes or no is wanted");
}

static lg_status set_choice(const target *t, const char *text)
{
    const size_t length = strlen(text);
    int index = 0;
    for (const char *p = t->param->choices;; index++) {
        const size_t word = strcspn(p, "|");
        if (word == length && strncmp(p, text, word) == 0) {
            t->node->values[t->at] = (float)index;
            return LG_OK;
        }
        if (!p[word])
            break;
        p += word + 1;
    }
    return lg_fail(t->error, LG_ERROR_ARGUMENT, "%s: %s=%.60s: one of %s is wanted",
                   t->node->filter->name, t->param->name, text, t->param->choices);
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static lg_status set_color(const target *t, const char *text)
{
    static const char wanted[] = "a colour is wanted: r,g,b or r,g,b,a or one number or #rrggbb";
    double c[4] = {0, 0, 0, 1};
    if (*text == '#') {
        const size_t length = strlen(text + 1);
        if (length != 6 && length != 8)
            return refuse(t, text, wanted);
        for (size_t i = 0; i < length / 2; i++) {
            const int high = hex(text[1 + 2 * i]), low = hex(text[2 + 2 * i]);
            if (high < 0 || low < 0)
                return refuse(t, text, wanted);
            c[i] = (high * 16 + low) / 255.0;
        }
        return set_list(t, text, c, 4);
    }
    const int count = parse_list(text, c, 4);
    if (count < 0 || count == 2)
        return refuse(t, text, wanted);
    if (count == 1)
        c[1] = c[2] = c[0], c[3] = 1;
    if (count == 1 && (1 < t->param->min || 1 > t->param->max))
        c[3] = c[0];
    if (count == 3)
        c[3] = t->param->value[3];
    return set_list(t, text, c, 4);
}

static lg_status set_tuple(const target *t, const char *text)
{
    double list[LG_PARAM_WORDS];
    if (parse_list(text, list, LG_PARAM_WORDS) == t->param->size)
        return set_list(t, text, list, t->param->size);
    char wanted[60];
    snprintf(wanted, sizeof wanted, "%d numbers with commas between them are wanted",
             t->param->size);
    return refuse(t, text, wanted);
}

static lg_status set_text(const target *t, const char *text)
{
    lg_graph_node *n = t->node;
    if (!n->texts && !(n->texts = lg_alloc_array((size_t)n->filter->param_count, sizeof *n->texts)))
        return lg_fail_memory(t->error, 64, "a text");
    char *copy = lg_strdup(text);
    if (!copy)
        return lg_fail_memory(t->error, strlen(text) + 1, "a text");
    const ptrdiff_t index = t->param - n->filter->params;
    lg_free(n->texts[index]);
    n->texts[index] = copy;
    return LG_OK;
}

// WxH+X+Y: five other parameters.
static lg_status set_box(const target *t, const char *text)
{
    static const char *const names[] = {"x", "y", "width", "height"};
    lg_region r;
    const lg_filter_param *param;
    const lg_filter *f = t->node->filter;
    if (lg_region_parse(text, &r, NULL) || r.width < 1 || r.height < 1)
        return refuse(t, text, "WxH+X+Y in pixels is wanted, such as 640x480+10+20");
    const double values[] = {(double)r.x, (double)r.y, (double)r.width, (double)r.height};
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG_COUNT(names) && !status; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.0f", values[i]);
        status = lg_filter_find_param(f, names[i], &param, t->error);
        if (!status)
            status =
                lg_graph_parse_value(t->graph, t->node, (int)(param - f->params), number, t->error);
    }
    if (!status)
        status = lg_filter_find_param(f, "unit", &param, t->error);
    return status
               ? status
               : lg_graph_parse_value(t->graph, t->node, (int)(param - f->params), "px", t->error);
}

// ---- figures ------------------------------------------------------------------------------------

// *FACTOR and +OFFSET or -OFFSET, each at most once.
static bool parse_line(const char *p, lg_figure *f)
{
    double number;
    if (*p == '*') {
        if (!lg_parse_number(p + 1, &p, &number))
            return false;
        f->factor = (float)number;
    }
    if (*p == '+' || *p == '-') {
        if (!lg_parse_number(p, &p, &number))
            return false;
        f->offset = (float)number;
    }
    return !*p;
}

// Its index; of a node that is not in the graph yet the next one.
static int place_in_graph(const target *t)
{
    int i = 0;
    while (i < t->graph->count && &t->graph->nodes[i] != t->node)
        i++;
    return i;
}

// #NAME. in front of a figure; *p moves behind it.
static lg_status parse_node(const target *t, const char *text, const char **p, lg_figure *f)
{
    const char *start = *p + 1;
    const size_t length = strcspn(start, ".");
    char name[64];
    if (!start[length] || length >= sizeof name)
        return refuse(t, text, "the figure of an image is written @#NAME.figure");
    memcpy(name, start, length);
    name[length] = '\0';
    *p = start + length + 1;
    if (strcmp(name, "prev") == 0) {
        f->previous = true;
        return LG_OK;
    }
    f->node = lg_graph_find(t->graph, name);
    if (f->node < 0)
        return lg_fail(t->error, LG_ERROR_ARGUMENT,
                       "%s: %s=%.60s: no image before it is called #%s", t->node->filter->name,
                       t->param->name, text, name);
    if (f->node >= place_in_graph(t))
        return refuse(t, text, "a figure must come from an image before the filter");
    return LG_OK;
}

// What is wrong with a figure of `length` characters that nobody knows.
static lg_status refuse_figure(const target *t, const char *text, const char *p, size_t length)
{
    char word[64], names[160], what[260];
    int channel;
    snprintf(word, sizeof word, "%.*s", (int)LG_MIN(length, sizeof word - 1), p);
    const size_t dot = strcspn(word, ".");
    const char *near = lg_figure_nearest(word), *slash = strchr(p, '/'), *end;
    double divisor;
    if (slash && lg_parse_number(slash + 1, &end, &divisor) && !*end && divisor != 0)
        snprintf(what, sizeof what, "figures are multiplied, not divided: @%.*s*%.9g",
                 (int)(slash - p), p, 1 / divisor);
    else if (lg_figure_list_family(word, dot, names, sizeof names))
        snprintf(what, sizeof what, "of the %.*s component there are %s", (int)dot, word, names);
    else if (lg_figure_find_channel(word, strlen(word), &channel))
        snprintf(what, sizeof what, "%s is a channel; which figure of it? As in @%s.mean", word,
                 word);
    else if (word[dot])
        snprintf(
            what, sizeof what,
            "%.*s is no channel (r g b a luma; y cb cr of planes); of an image it is written @#%s",
            (int)dot, word, word);
    else if (near)
        snprintf(what, sizeof what, "unknown figure; did you mean @%s?", near);
    else {
        lg_figure_list(names, sizeof names);
        snprintf(what, sizeof what,
                 "unknown figure; known are %s and percentiles, @p0 to @p100, of a channel as in "
                 "@luma.mean",
                 names);
    }
    return refuse(t, text, what);
}

static lg_status check_of_components(const target *t, const char *text, const lg_figure *f)
{
    if (f->channel != LG_CHANNEL_DEFAULT)
        return refuse(t, text, "components are of an image, not of one of its channels");
    const int numbers = lg_figure_rows[f->kind].info.numbers;
    if (numbers == 2 && f->count != 2)
        return refuse(t, text, "@largest.center is a point; its numbers are @largest.cx and .cy");
    if (numbers != f->count)
        return refuse(t, text,
                      f->count == 2 ? "a point is wanted: two numbers, or @largest.center"
                                    : "a figure of components is a number");
    return LG_OK;
}

// A parameter that takes the curve its unit names.
static lg_status refuse_for_curve(const target *t, const char *text)
{
    const char *figure = t->param->unit + 1;
    char what[96];
    snprintf(what, sizeof what, "a curve is wanted: @%s, @luma.%s or @#NAME.%s", figure, figure,
             figure);
    return refuse(t, text, what);
}

static lg_status set_figure(const target *t, const char *text)
{
    const bool table = t->param->kind == LG_PARAM_TABLE;
    lg_figure f = {.node = -1,
                   .channel = LG_CHANNEL_DEFAULT,
                   .factor = 1,
                   .at = table ? -1 : t->at,
                   .count = t->param->size,
                   .integer = t->param->kind == LG_PARAM_INTEGER,
                   .min = t->param->min > -LG_ANY_NUMBER ? t->param->min : -INFINITY,
                   .max = t->param->max < LG_ANY_NUMBER ? t->param->max : INFINITY};
    const char *p = text + 1;
    if (strncmp(p, "prev.", 5) == 0) {
        f.previous = true;
        p += 5;
    }
    if (*p == '#') {
        const lg_status status = parse_node(t, text, &p, &f);
        if (status)
            return status;
    }
    size_t length = strcspn(p, ".*+-");
    if (p[length] == '.' && lg_figure_find_channel(p, length, &f.channel)) {
        p += length + 1;
        length = strcspn(p, "*+-");
    } else {
        length = strcspn(p, "*+-");
    }
    if (!lg_figure_find(p, length, &f))
        return refuse_figure(t, text, p, length);
    if (!parse_line(p + length, &f))
        return refuse(t, text,
                      "behind a figure stand *FACTOR, and then +OFFSET or -OFFSET, with numbers");
    if (((const lg_filter_entry *)t->node->filter)->shape && !table)
        return refuse(t, text, "this decides the size of the result; it cannot be measured");
    if (strcmp(t->param->name, "blur_passes") == 0)
        return refuse(t, text, "this decides how many filters there are; it cannot be measured");
    if (!table && lg_figure_is_curve(&f))
        return refuse(t, text, "this figure is a curve, not a number");
    if (table && strcmp(lg_figure_rows[f.kind].info.name, t->param->unit + 1) != 0)
        return refuse_for_curve(t, text);
    if (table && (f.factor != 1 || f.offset != 0))
        return refuse(t, text, "a curve takes no factor and no offset");
    if (f.channel >= LG_CHANNEL_Y && lg_figure_is_pixel(&f))
        return refuse(t, text, "a pixel is a colour; y, cb and cr are measured over a plane");
    if (lg_figure_is_of_components(&f)) {
        const lg_status status = check_of_components(t, text, &f);
        if (status)
            return status;
    } else if (!table && f.count != 1 && f.count != 4) {
        return refuse(t, text,
                      f.count == 2
                          ? "a figure sets a number or a colour, and @largest.center a point"
                          : "a figure sets a number or a colour");
    }
    if (f.channel == LG_CHANNEL_DEFAULT && f.count == 1)
        f.channel = LG_CHANNEL_LUMA;
    lg_graph_node *n = t->node;
    for (int i = 0; i < n->figure_count; i++) // set again
        if (n->figures[i].at == f.at) {
            n->figures[i] = f;
            return LG_OK;
        }
    if (n->figure_count == LG_MAX_FIGURES)
        return refuse(t, text, "too many measured parameters in one filter");
    n->figures[n->figure_count++] = f;
    return LG_OK;
}

static lg_status set_image(const target *t, const char *text)
{
    return text[0] == '#' && text[1] ? LG_OK : refuse(t, text, "a table is wanted: #NAME");
}

// ---- all ----------------------------------------------------------------------------------------

static void drop_figure(lg_graph_node *n, int at)
{
    for (int i = 0; i < n->figure_count; i++)
        if (n->figures[i].at == at) {
            n->figures[i] = n->figures[--n->figure_count];
            return;
        }
}

lg_status lg_graph_parse_value(lg_graph *graph, lg_graph_node *node, int param, const char *text,
                               lg_error *error)
{
    const target t = {graph, node, &node->filter->params[param],
                      lg_filter_offset(node->filter, param), error};
    if (*text == '@' && t.param->kind != LG_PARAM_TEXT) {
        if (t.param->kind == LG_PARAM_FLAG || t.param->kind == LG_PARAM_CHOICE ||
            t.param->kind == LG_PARAM_IMAGE || t.param->kind == LG_PARAM_BOX)
            return refuse(&t, text, "only numbers, points and colours can be measured");
        return set_figure(&t, text);
    }
    lg_status status = LG_OK;
    switch (t.param->kind) {
    case LG_PARAM_NUMBER:
    case LG_PARAM_INTEGER:
        status = set_number(&t, text);
        break;
    case LG_PARAM_FLAG:
        return set_flag(&t, text);
    case LG_PARAM_CHOICE:
        return set_choice(&t, text);
    case LG_PARAM_COLOR:
        status = set_color(&t, text);
        break;
    case LG_PARAM_TEXT:
        return set_text(&t, text);
    case LG_PARAM_IMAGE:
        return set_image(&t, text);
    case LG_PARAM_BOX:
        return set_box(&t, text);
    case LG_PARAM_TABLE:
        return refuse_for_curve(&t, text);
    default:
        status = set_tuple(&t, text);
    }
    if (!status)
        drop_figure(node, t.at);
    return status;
}
