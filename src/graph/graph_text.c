// The pipeline text: filters joined by |, and filters that stand for pipelines.
#include "graph/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 16384 // characters of a pipeline

typedef struct reader {
    lg_graph *graph;
    const char *text;
    lg_node from;  // what the text is applied to
    lg_node over;  // the second image of two-image filters that name none; -1: none
    int scope;     // 0: the caller's names; else of the pipeline filter that is being unfolded
    int character; // where the outermost of those stands
    const lg_filter *within; // which it is
    lg_error *error;
} reader;

// A phrase of the text.
typedef struct phrase {
    const char *at;
    size_t length;
} phrase;

// The character of the caller's text, from 1.
static int place_of(const reader *r, const char *at)
{
    return r->scope ? r->character : (int)(at - r->text) + 1;
}

static lg_status fail_at(const reader *r, const char *at, const char *what)
{
    return lg_fail(r->error, LG_ERROR_ARGUMENT, "pipeline, character %d: %s", place_of(r, at),
                   what);
}

// An error of another part, with the place that it is about.
static lg_status blame(const reader *r, const char *at, const lg_error *inner)
{
    return lg_fail(r->error, inner->status, "pipeline, character %d: %s", place_of(r, at),
                   inner->message);
}

static phrase trim(phrase p)
{
    while (p.length && strchr(" \t\r\n", p.at[0]))
        p.at++, p.length--;
    while (p.length && strchr(" \t\r\n", p.at[p.length - 1]))
        p.length--;
    return p;
}

// Copies a phrase into `out`; false when it does not fit.
static bool copy(phrase p, char *out, size_t size)
{
    if (p.length >= size)
        return false;
    memcpy(out, p.at, p.length);
    out[p.length] = '\0';
    return true;
}

// Names inside a pipeline filter get its number behind them, so that it can be used twice.
static bool local_name(const reader *r, phrase p, char out[64])
{
    char name[48];
    if (!copy(p, name, sizeof name))
        return false;
    if (r->scope)
        snprintf(out, 64, "%s-%d", name, r->scope);
    else
        snprintf(out, 64, "%s", name);
    return true;
}

// The node that #NAME means; -1: none.
static lg_node find(const reader *r, phrase p)
{
    char name[64];
    if (r->scope && p.length == 2 && strncmp(p.at, "in", 2) == 0)
        return r->from;
    if (r->scope && p.length == 4 && strncmp(p.at, "over", 4) == 0)
        return r->over;
    if (p.length > 1 && p.at[0] == '#') // ##NAME: as the graph has it
        return copy((phrase){p.at + 1, p.length - 1}, name, sizeof name)
                   ? lg_graph_find(r->graph, name)
                   : -1;
    return local_name(r, p, name) ? lg_graph_find(r->graph, name) : -1;
}

static lg_status fail_name(const reader *r, const char *at, phrase p);

// NAME@-N: the image of NAME of N runs before; NAME may stand further behind.
static lg_status add_delayed(const reader *r, phrase p, lg_node *out)
{
    const char *sign = memchr(p.at, '@', p.length);
    const phrase name = {p.at, (size_t)(sign - p.at)};
    const lg_node known = find(r, name);
    char text[64], runs[8];
    lg_error inner = {0};
    const phrase digits = {sign + 2, p.length - name.length - LG_MIN(p.length - name.length, 2)};
    if (p.length - name.length < 3 || sign[1] != '-' || !copy(digits, runs, sizeof runs) ||
        strspn(runs, "0123456789") != digits.length)
        return fail_at(r, p.at, "an image of a run before is written #NAME@-1, or -2, -3 ...");
    if (!local_name(r, name, text))
        return fail_at(r, p.at, "this name is too long");
    if (lg_graph_delay(r->graph, text, atoi(runs), r->from, out, &inner))
        return blame(r, p.at, &inner);
    lg_graph_node *n = &r->graph->nodes[*out];
    n->within = r->within;
    n->source = known;
    if (known >= 0) {
        lg_free(n->source_name);
        n->source_name = NULL;
    }
    return LG_OK;
}

// The node of #NAME or #NAME@-N, of which `p` is what stands behind the #.
static lg_status find_image(const reader *r, phrase p, lg_node *out)
{
    if (p.length && memchr(p.at, '@', p.length))
        return add_delayed(r, p, out);
    *out = find(r, p);
    return *out < 0 ? fail_name(r, p.at, p) : LG_OK;
}

static lg_status fail_name(const reader *r, const char *at, phrase p)
{
    const lg_graph *g = r->graph;
    const char *names[64];
    size_t count = 0;
    char what[200], name[64] = "";
    copy(p, name, sizeof name);
    for (int i = g->count - 1; i >= 0 && count < LG_COUNT(names) - 1; i--)
        if (g->nodes[i].name)
            names[count++] = g->nodes[i].name;
    names[count] = NULL;
    const char *near = lg_nearest(name, names);
    if (near)
        snprintf(what, sizeof what, "no image before it is called #%s; did you mean #%s?", name,
                 near);
    else
        snprintf(what, sizeof what, "no image before it is called #%s", name);
    return fail_at(r, at, what);
}

// Where a value mentions an image, as @#name.figure does; NULL: it does not.
static const char *find_mention(const char *value)
{
    const char *hash = value[0] == '@' ? strchr(value, '#') : NULL;
    return hash && strncmp(hash, "#prev.", 6) != 0 ? hash : NULL;
}

// A value that mentions images: @#name.figure inside a pipeline filter needs the scope's name. With
// ## it came from outside, and the name is the caller's.
static bool scoped_value(const reader *r, const char *value, char *out, size_t size)
{
    const char *hash = find_mention(value);
    if (!r->scope || !hash)
        return snprintf(out, size, "%s", value) < (int)size;
    if (hash[1] == '#')
        return snprintf(out, size, "%.*s%s", (int)(hash - value), value, hash + 1) < (int)size;
    const phrase name = {hash + 1, strcspn(hash + 1, ".")};
    const lg_node node = find(r, name);
    if (node < 0 || !r->graph->nodes[node].name)
        return false;
    return snprintf(out, size, "%.*s#%s%s", (int)(hash - value), value, r->graph->nodes[node].name,
                    name.at + name.length) < (int)size;
}

static lg_status read_all(reader *r, lg_node *out, int depth);

#define MAX_SETTINGS 32

typedef struct setting {
    char name[64]; // "": of FILTER=VALUE, until the filter is known
    char value[512];
    const char *at; // in the text
} setting;

// name:key=value:key=value
typedef struct element {
    char filter[64];
    phrase label; // of #NAME behind it; length 0: none
    phrase over;
    setting settings[MAX_SETTINGS];
    int count;
} element;

// The end of a value: the next : or blank outside quotes.
static size_t value_length(const char *p, size_t length)
{
    size_t i = 0;
    for (bool quoted = false; i < length && (quoted || !strchr(": \t\r\n", p[i])); i++)
        quoted ^= p[i] == '\'';
    return i;
}

static void unquote(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (*text != '\'')
            *to++ = *text;
    *to = '\0';
}

// over=#NAME
static lg_status take_over(const reader *r, const setting *s, phrase value, element *e)
{
    char what[200];
    if (value.length > 1 && value.at[0] == '#' && !e->over.length) {
        e->over = (phrase){value.at + 1, value.length - 1};
        return LG_OK;
    }
    if (e->over.length)
        return fail_at(r, s->at, "over is given twice");
    snprintf(what, sizeof what, "over=%.60s: an image is wanted, over=#NAME%s%.60s%s", s->value,
             *s->value ? "; did you mean over=#" : "", s->value, *s->value ? "?" : "");
    return fail_at(r, s->at, what);
}

static bool ends_in_comma(const char *value)
{
    return *value && value[strlen(value) - 1] == ',';
}

// FILTER=VALUE: the value of the only parameter. `rest` begins with the sign, and moves behind the value.
static lg_status read_short(const reader *r, phrase *rest, element *e)
{
    setting *s = &e->settings[e->count++];
    const phrase value = {rest->at + 1, value_length(rest->at + 1, rest->length - 1)};
    if (!copy(value, s->value, sizeof s->value))
        return fail_at(r, rest->at, "this parameter is too long");
    unquote(s->value);
    s->name[0] = '\0';
    s->at = rest->at;
    rest->length -= value.length + 1;
    rest->at += value.length + 1;
    return LG_OK;
}

// The parameter that FILTER=VALUE means: the only one besides `border` and `fit`, which every filter of a
// kind has; NULL: there is none, or several.
static const lg_filter_param *main_param(const lg_filter *f)
{
    const lg_filter_param *found = NULL;
    for (int i = 0; i < f->param_count; i++) {
        if (strcmp(f->params[i].name, "border") == 0 || strcmp(f->params[i].name, "fit") == 0)
            continue;
        if (found)
            return NULL;
        found = &f->params[i];
    }
    return found;
}

// Gives the value of FILTER=VALUE its name.
static lg_status name_short(const reader *r, const lg_filter *f, element *e)
{
    char what[400];
    size_t used;
    if (!e->count || e->settings[0].name[0])
        return LG_OK;
    if (main_param(f)) {
        snprintf(e->settings[0].name, sizeof e->settings[0].name, "%s", main_param(f)->name);
        return LG_OK;
    }
    used = (size_t)snprintf(
        what, sizeof what, "%s=VALUE is for filters with one parameter; %s has ", f->name, f->name);
    for (int i = 0; i < f->param_count && used < sizeof what; i++)
        used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", i ? ", " : "",
                                 f->params[i].name);
    if (!f->param_count)
        snprintf(what + used, sizeof what - used, "none");
    else if (used < sizeof what)
        snprintf(what + used, sizeof what - used, "; write %s:NAME=VALUE", f->name);
    return fail_at(r, e->settings[0].at, what);
}

static lg_status read_element(const reader *r, phrase p, element *e)
{
    const size_t name = strcspn(p.at, "=: \t\r\n|");
    *e = (element){.label = {p.at, 0}, .over = {p.at, 0}};
    if (!copy((phrase){p.at, LG_MIN(name, p.length)}, e->filter, sizeof e->filter))
        return fail_at(r, p.at, "this is no name of a filter");
    phrase rest = {p.at + LG_MIN(name, p.length), p.length - LG_MIN(name, p.length)};
    if (rest.length && rest.at[0] == '=' && read_short(r, &rest, e))
        return LG_ERROR_ARGUMENT;
    while (rest.length && rest.at[0] == ':') {
        rest.at++, rest.length--;
        const size_t key = strcspn(rest.at, "=: \t\r\n|");
        if (key >= rest.length || rest.at[key] != '=')
            return fail_at(r, rest.at,
                           "parameters are written FILTER:NAME=VALUE, or FILTER=VALUE where there "
                           "is only one");
        const phrase value = {rest.at + key + 1,
                              value_length(rest.at + key + 1, rest.length - key - 1)};
        if (e->count == MAX_SETTINGS)
            return fail_at(r, rest.at, "too many parameters");
        setting *s = &e->settings[e->count];
        if (!copy((phrase){rest.at, key}, s->name, sizeof s->name) ||
            !copy(value, s->value, sizeof s->value))
            return fail_at(r, rest.at, "this parameter is too long");
        unquote(s->value);
        s->at = rest.at;
        if (strcmp(s->name, "over") != 0)
            e->count++;
        else if (take_over(r, s, value, e))
            return LG_ERROR_ARGUMENT;
        rest.length -= (size_t)(value.at + value.length - rest.at);
        rest.at = value.at + value.length;
    }
    const char *behind = rest.at;
    rest = trim(rest);
    if (rest.length && rest.at[0] == '#' && rest.length > 1)
        e->label = trim((phrase){rest.at + 1, rest.length - 1});
    else if (rest.length && e->count && ends_in_comma(e->settings[e->count - 1].value))
        return fail_at(r, behind - 1, "filters are joined by |, not by a comma");
    else if (rest.length)
        return fail_at(
            r, rest.at,
            "expected | or #NAME behind a filter; parameters are written FILTER:NAME=VALUE");
    return LG_OK;
}

// Whether a value ends in a comma and a filter: a chain as other programs write it.
static bool is_comma_chain(const char *value)
{
    const lg_filter *filter;
    const char *comma = strrchr(value, ',');
    return comma && !lg_filter_find(comma + 1 + strspn(comma + 1, " "), &filter, NULL);
}

// Whether a rectangle sets the other parameter as well.
static bool box_meets(const lg_filter_param *box, const lg_filter_param *other)
{
    static const char *const names[] = {"x", "y", "width", "height", "unit"};
    bool found = false;
    for (size_t i = 0; box->kind == LG_PARAM_BOX && i < LG_COUNT(names); i++)
        found |= strcmp(other->name, names[i]) == 0;
    return found;
}

// Every parameter is there, and at most once, under whichever name.
static lg_status check_names(const reader *r, const lg_filter *f, const element *e)
{
    const lg_filter_param *params[MAX_SETTINGS];
    char what[200];
    lg_error inner = {0};
    for (int i = 0; i < e->count; i++) {
        if (is_comma_chain(e->settings[i].value))
            return fail_at(r, e->settings[i].at, "filters are joined by |, not by a comma");
        if (lg_filter_find_param(f, e->settings[i].name, &params[i], &inner))
            return blame(r, e->settings[i].at, &inner);
        for (int k = 0; k < i; k++)
            if (box_meets(params[k], params[i]) || box_meets(params[i], params[k])) {
                snprintf(what, sizeof what, "%s: %s and %s exclude each other", f->name,
                         params[k]->name, params[i]->name);
                return fail_at(r, e->settings[i].at, what);
            } else if (params[k] == params[i]) {
                snprintf(what, sizeof what, "%s: %s is given twice, as %.40s and as %.40s", f->name,
                         params[i]->name, e->settings[k].value, e->settings[i].value);
                return fail_at(r, e->settings[i].at, what);
            }
    }
    return LG_OK;
}

// ---- filters that stand for a pipeline ----------------------------------------------------------

static void default_text(const lg_filter_param *p, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    if (p->kind == LG_PARAM_TEXT || p->kind == LG_PARAM_IMAGE)
        snprintf(out, size, "%s", p->text);
    if (p->kind == LG_PARAM_CHOICE) {
        const char *choice = p->choices;
        for (int i = (int)p->value[0]; i > 0; i--)
            choice += strcspn(choice, "|") + 1;
        snprintf(out, size, "%.*s", (int)strcspn(choice, "|"), choice);
        return;
    }
    for (int i = 0; i < p->size && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%.9g", i ? "," : "",
                                   (double)p->value[i]);
}

// A value given to a pipeline filter, for use inside it.
static bool inner_value(const reader *r, const char *given, char *out, size_t size)
{
    char value[600];
    if (!scoped_value(r, given, value, sizeof value))
        return false;
    const char *hash = find_mention(value);
    const int outside = hash ? (int)(hash - value) : 0;
    return snprintf(out, size, "%.*s%s%s", outside, value, hash ? "#" : "", value + outside) <
           (int)size;
}

// A table given to a pipeline filter: the look-up in it.
static bool inner_look(const reader *r, const char *given, char *out, size_t size)
{
    const phrase name = {given + 1, strlen(given + 1)};
    const lg_node node = find(r, name);
    return node >= 0 && r->graph->nodes[node].name &&
           snprintf(out, size, "lookup:over=##%s", r->graph->nodes[node].name) < (int)size;
}

// The filter's text with {name} replaced by the values of its parameters.
static lg_status unfold_text(const reader *r, const lg_filter *f, const element *e, const char *at,
                             char *out, size_t size)
{
    size_t length = 0;
    for (const char *p = f->pipeline; *p;) {
        char value[600];
        if (*p != '{') {
            value[0] = *p++;
            value[1] = '\0';
        } else {
            const size_t name = strcspn(p + 1, "}");
            const char *given = NULL;
            bool look = false;
            for (int i = 0; i < e->count; i++) {
                const lg_filter_param *param;
                if (!lg_filter_find_param(f, e->settings[i].name, &param, NULL) &&
                    strlen(param->name) == name && strncmp(param->name, p + 1, name) == 0)
                    given = e->settings[i].value, look = param->kind == LG_PARAM_IMAGE;
            }
            for (int i = 0; !given && i < f->param_count; i++)
                if (strlen(f->params[i].name) == name &&
                    strncmp(f->params[i].name, p + 1, name) == 0) {
                    default_text(&f->params[i], value, sizeof value);
                    break;
                }
            if (look && !inner_look(r, given, value, sizeof value))
                return fail_name(r, at, (phrase){given + 1, strlen(given + 1)});
            if (given && !look && !inner_value(r, given, value, sizeof value))
                return fail_at(r, at, "a figure of an image that is not there");
            p += name + 2;
        }
        const size_t more = strlen(value);
        if (length + more >= size)
            return fail_at(r, at, "this unfolds to too long a pipeline");
        memcpy(out + length, value, more + 1);
        length += more;
    }
    return LG_OK;
}

// Checks the values as if the filter had a kernel, so that messages name this filter.
static lg_status check_settings(const reader *r, const lg_filter *f, const element *e,
                                const char *at)
{
    lg_graph_node probe = {.filter = f, .from = {-1, -1}};
    lg_status status = LG_OK;
    lg_error rules = {0};
    for (int i = 0; i < f->param_count; i++)
        memcpy(probe.values + lg_filter_offset(f, i), f->params[i].value,
               (size_t)f->params[i].size * sizeof *probe.values);
    for (int i = 0; i < e->count && !status; i++) {
        const setting *s = &e->settings[i];
        const lg_filter_param *param;
        char value[600];
        lg_error inner = {0};
        if (!scoped_value(r, s->value, value, sizeof value))
            status = fail_at(r, s->at, "a figure of an image that is not there");
        else if (lg_filter_find_param(f, s->name, &param, &inner) ||
                 lg_graph_parse_value(r->graph, &probe, (int)(param - f->params), value, &inner))
            status = blame(r, s->at, &inner);
    }
    if (!status && lg_graph_check_rules(&probe, &rules))
        status = blame(r, at, &rules);
    for (int i = 0; probe.texts && i < f->param_count; i++)
        lg_free(probe.texts[i]);
    lg_free(probe.texts);
    return status;
}

static lg_status unfold(const reader *r, const lg_filter *f, const element *e, const char *at,
                        lg_node current, lg_node over, lg_node *out, int depth)
{
    char text[2048];
    if (depth > 8)
        return fail_at(r, at, "filters that stand for pipelines are nested too deeply");
    lg_status status = check_settings(r, f, e, at);
    if (!status)
        status = unfold_text(r, f, e, at, text, sizeof text);
    if (status)
        return status;
    reader inner = {.graph = r->graph,
                    .text = text,
                    .from = current,
                    .over = over,
                    .scope = r->graph->count + 1,
                    .character = place_of(r, at),
                    .within = r->within ? r->within : f,
                    .error = r->error};
    const int before = r->graph->count;
    lg_error error = {0};
    status = read_all(&inner, out, depth + 1);
    if (!status && lg_graph_find_sources(r->graph, before, &error))
        return blame(r, at, &error);
    // The name of the last image was for delayed ones; the caller may give it another.
    if (!status && *out >= before) {
        lg_free(r->graph->nodes[*out].name);
        r->graph->nodes[*out].name = NULL;
    }
    return status;
}

// ---- elements -----------------------------------------------------------------------------------

// The second image: the one that was named, or the reader's own.
static lg_status find_over(const reader *r, const element *e, const lg_filter *f, const char *at,
                           lg_node *out)
{
    *out = r->over;
    if (e->over.length && f->inputs < 2 && !(f->flags & LG_FILTER_LOOK))
        return fail_at(r, at, "this filter has no second image; over= is for filters with two");
    if (e->over.length)
        return find_image(r, e->over, out);
    if (f->inputs < 2 || *out >= 0)
        return LG_OK;
    char what[200];
    snprintf(
        what, sizeof what,
        "%s needs a second image: --input NAME=FILE (in C lg_graph_input again), or over=#NAME of "
        "an image in the pipeline",
        f->name);
    return fail_at(r, at, what);
}

static lg_status set_all(const reader *r, const element *e, lg_node node)
{
    for (int i = 0; i < e->count; i++) {
        const setting *s = &e->settings[i];
        char value[600];
        lg_error inner = {0};
        if (!scoped_value(r, s->value, value, sizeof value))
            return fail_at(r, s->at, "a figure of an image that is not there");
        if (lg_graph_set(r->graph, node, s->name, value, &inner))
            return blame(r, s->at, &inner);
    }
    return LG_OK;
}

static lg_status add_element(const reader *r, phrase p, lg_node *current, int depth)
{
    element e;
    lg_status status = read_element(r, p, &e);
    if (status)
        return status;
    const lg_filter *filter;
    lg_error inner = {0};
    status = lg_filter_find(e.filter, &filter, &inner);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(r->error, status, "%s", inner.message);
    if (status)
        return fail_at(r, p.at, inner.message);
    lg_node over;
    const bool look = filter->flags & LG_FILTER_LOOK && e.over.length;
    const lg_filter *named = filter;
    if (look && lg_filter_find("lookup", &named, &inner))
        return fail_at(r, p.at, inner.message);
    if ((status = name_short(r, named, &e)))
        return status;
    if ((status = check_names(r, named, &e)))
        return status;
    if ((status = find_over(r, &e, filter, p.at, &over)))
        return status;
    char label[64];
    if (e.label.length && !local_name(r, e.label, label))
        return fail_at(r, e.label.at, "this name is too long");
    if (filter->kind == LG_FILTER_PIPELINE) {
        status = unfold(r, filter, &e, p.at, *current, over, current, depth);
        if (!status && e.label.length) {
            lg_graph_node *n = &r->graph->nodes[*current];
            if (n->name || lg_graph_find(r->graph, label) >= 0)
                return fail_at(r, e.label.at, "this name is taken");
            if (!(n->name = lg_strdup(label)))
                return lg_fail_memory(r->error, strlen(label) + 1, "a name");
        }
        return status;
    }
    const lg_node inputs[2] = {*current, over};
    const int count = look ? 2 : filter->kind == LG_FILTER_GENERATE ? 1 : filter->inputs;
    if (lg_graph_filter(r->graph, e.filter, inputs, count, e.label.length ? label : NULL, current,
                        &inner))
        return blame(r, p.at, &inner);
    r->graph->nodes[*current].within = r->within;
    return set_all(r, &e, *current);
}

static lg_status read_all(reader *r, lg_node *out, int depth)
{
    lg_node current = r->from;
    const char *p = r->text;
    for (;;) {
        size_t length = 0;
        for (bool quoted = false; p[length] && (quoted || p[length] != '|'); length++)
            quoted ^= p[length] == '\'';
        const phrase part = trim((phrase){p, length});
        if (!part.length)
            return fail_at(r, p, "a filter is missing here");
        lg_status status = LG_OK;
        if (part.at[0] == '#') {
            status = find_image(r, (phrase){part.at + 1, part.length - 1}, &current);
        } else {
            status = add_element(r, part, &current, depth);
        }
        if (status)
            return status;
        if (!p[length])
            break;
        p += length + 1;
    }
    *out = current;
    return LG_OK;
}

lg_status lg_graph_parse(lg_graph *graph, const char *pipeline, lg_node from, lg_node *out,
                         lg_error *error)
{
    if (!graph || !pipeline || !out)
        return lg_fail_null(error, "a graph, a pipeline, and a place for the node");
    if (from < 0 || from >= graph->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is not in this graph", (int)from);
    if (strnlen(pipeline, LONGEST + 1) > LONGEST)
        return lg_fail(error, LG_ERROR_LIMIT, "a pipeline has at most %d characters", LONGEST);
    reader r = {.graph = graph,
                .text = pipeline,
                .from = from,
                .over = graph->input_count > 1 ? graph->inputs[1] : -1,
                .error = error};
    const int count = graph->count;
    lg_status status = read_all(&r, out, 0);
    if (!status)
        status = lg_graph_find_sources(graph, count, error);
    if (status) // without the filters that were added before the mistake
        lg_graph_cut(graph, count);
    return status;
}
