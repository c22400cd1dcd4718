// Looking things up in the catalogue.
#include "cpu/cpu.h"
#include "filter/catalogue.h"
#include "filter/loops.h"

#include <stdio.h>
#include <string.h>

LG_CPU_DECLARE(lg_loop_table, filter_loops);

size_t lg_filter_count(void)
{
    return lg_filter_entry_count;
}

const lg_filter *lg_filter_at(size_t index)
{
    return index < lg_filter_entry_count ? &lg_filter_entries[index]->filter : NULL;
}

lg_status lg_filter_find(const char *name, const lg_filter **out, lg_error *error)
{
    if (!name || !out)
        return lg_fail_null(error, "the name of a filter, and a place for it");
    for (size_t i = 0; i < lg_filter_entry_count; i++)
        if (strcmp(lg_filter_entries[i]->filter.name, name) == 0) {
            *out = &lg_filter_entries[i]->filter;
            return LG_OK;
        }
    return lg_filter_fail_unknown(name, error);
}

static const lg_filter_param *find(const lg_filter *filter, const char *name)
{
    for (int i = 0; i < filter->param_count; i++)
        if (strcmp(filter->params[i].name, name) == 0)
            return &filter->params[i];
    return NULL;
}

static lg_status fail_param(const lg_filter *filter, const char *name, lg_error *error)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < filter->param_count && count < (int)LG_COUNT(names) - 1; i++)
        if (filter->params[i].kind != LG_PARAM_TABLE || lg_param_is_curve(&filter->params[i]))
            names[count++] = filter->params[i].name;
    names[count] = NULL;
    if (!count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s has no parameters; '%.60s' was given",
                       filter->name, name);
    const char *near = lg_nearest(name, names);
    if (near)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s has no parameter '%.60s'; did you mean '%s'?",
                       filter->name, name, near);
    char all[200] = "";
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", names[i]);
    }
    return lg_fail(error, LG_ERROR_ARGUMENT, "%s has no parameter '%.60s'; it has: %s",
                   filter->name, name, all);
}

lg_status lg_filter_find_param(const lg_filter *filter, const char *name,
                               const lg_filter_param **out, lg_error *error)
{
    if (!filter || !name || !out)
        return lg_fail_null(error, "a filter, the name of a parameter, and a place for it");
    const lg_filter_param *param = find(filter, name);
    if (param && param->kind == LG_PARAM_ALIAS)
        param = find(filter, param->unit);
    if (param && param->kind == LG_PARAM_TABLE && !lg_param_is_curve(param))
        param = NULL;
    if (!param)
        return fail_param(filter, name, error);
    *out = param;
    return LG_OK;
}

bool lg_param_is_curve(const lg_filter_param *param)
{
    return param->kind == LG_PARAM_TABLE && param->unit[0] == '@';
}

int lg_filter_offset(const lg_filter *filter, int param)
{
    int words = 0;
    for (int i = 0; i < param; i++)
        words += filter->params[i].size;
    return words;
}

const lg_filter_param *lg_filter_step_param(const lg_filter *filter, int axis)
{
    for (int i = 0; i < filter->param_count && filter->kind == LG_FILTER_WINDOW; i++) {
        const lg_filter_param *p = &filter->params[i];
        if (strcmp(p->name, axis ? "texel_height" : "texel_width") == 0 ||
            (p->kind == LG_PARAM_INTEGER && strcmp(p->name, "offset") == 0))
            return p;
    }
    return NULL;
}

float lg_filter_step(const lg_filter *filter, const float *values, int axis)
{
    const lg_filter_param *p = lg_filter_step_param(filter, axis);
    return p ? values[lg_filter_offset(filter, (int)(p - filter->params))] : 1;
}

bool lg_filter_fits_table(const lg_filter *filter, const float *values, int channels)
{
    const lg_filter_entry *entry = (const lg_filter_entry *)filter;
    if (filter->kind != LG_FILTER_POINT)
        return false;
    if (channels == 1)
        return !strstr(entry->text, "at.");
    return entry->apart ? entry->apart(values) : filter->flags & LG_FILTER_PER_CHANNEL;
}

bool lg_filter_is_expensive(const lg_filter *filter)
{
    static const char *const expensive[] = {"lg_pow", "lg_exp2", "lg_div", "lg_at("};
    for (size_t i = 0; i < LG_COUNT(expensive); i++)
        if (strstr(((const lg_filter_entry *)filter)->text, expensive[i]))
            return true;
    return false;
}

const lg_filter_loops *lg_filter_get_loops(const lg_filter *filter, lg_cpu_level level)
{
    const lg_named_loops *all = LG_CPU_SELECT(filter_loops, level)->all;
    for (; all->name; all++)
        if (strcmp(all->name, filter->name) == 0)
            return &all->loops;
    return NULL;
}

const char *lg_filter_kind_name(lg_filter_kind kind)
{
    static const char *const names[LG_FILTER_KINDS] = {
        [LG_FILTER_POINT] = "point",       [LG_FILTER_BLEND] = "blend",
        [LG_FILTER_WARP] = "warp",         [LG_FILTER_WINDOW] = "window",
        [LG_FILTER_GENERATE] = "generate", [LG_FILTER_NATIVE] = "native",
        [LG_FILTER_PIPELINE] = "pipeline"};
    return (unsigned)kind < LG_FILTER_KINDS ? names[kind] : "unknown";
}

const char *lg_param_kind_name(lg_param_kind kind)
{
    static const char *const names[LG_PARAM_KINDS] = {
        [LG_PARAM_NUMBER] = "number", [LG_PARAM_INTEGER] = "integer", [LG_PARAM_FLAG] = "flag",
        [LG_PARAM_CHOICE] = "choice", [LG_PARAM_POINT] = "point",     [LG_PARAM_COLOR] = "color",
        [LG_PARAM_MATRIX] = "matrix", [LG_PARAM_TABLE] = "table",     [LG_PARAM_TEXT] = "text",
        [LG_PARAM_IMAGE] = "image",   [LG_PARAM_ALIAS] = "alias",     [LG_PARAM_BOX] = "box"};
    return (unsigned)kind < LG_PARAM_KINDS ? names[kind] : "unknown";
}
