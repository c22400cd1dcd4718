// Values of parameters that must go together.
#include "graph/nodes.h"

#include <string.h>

void lg_graph_find_measured(const lg_graph_node *n, bool measured[LG_MAX_VALUES])
{
    memset(measured, 0, LG_MAX_VALUES * sizeof *measured);
    for (int i = 0; i < n->figure_count; i++)
        for (int k = 0; k < n->figures[i].count && n->figures[i].at >= 0; k++)
            measured[n->figures[i].at + k] = true;
}

// The place among the values of a parameter whose name has `length` characters.
static int place_of(const lg_filter *f, const char *name, size_t length)
{
    for (int i = 0; i < f->param_count; i++)
        if (strlen(f->params[i].name) == length && strncmp(f->params[i].name, name, length) == 0)
            return lg_filter_offset(f, i);
    return -1;
}

static lg_status check_limits(const lg_graph_node *n, const bool *measured, lg_error *error)
{
    const char *limits = ((const lg_filter_entry *)n->filter)->limits;
    if (!limits)
        return LG_OK;
    const int length = (int)strcspn(limits, " ");
    const char *sign = limits + length + 1;
    const bool equal = sign[1] == '=';
    const char *high_name = sign + 2 + equal;
    const int low = place_of(n->filter, limits, (size_t)length);
    const int high = place_of(n->filter, high_name, strlen(high_name));
    if (low < 0 || high < 0 || measured[low] || measured[high])
        return LG_OK;
    const float *v = n->values;
    if (v[low] < v[high] || (equal && v[low] == v[high]))
        return LG_OK;
    // As short as they were written, unless that makes them equal.
    const bool close = v[low] != v[high] && v[low] - v[high] < 1e-5f * v[low];
    const int digits = close ? 9 : 6;
    return lg_fail(error, LG_ERROR_ARGUMENT, "%s: %s=%.*g is %s %.*s=%.*g; set both so that %s",
                   n->filter->name, high_name, digits, (double)v[high],
                   equal ? "below" : "not above", length, limits, digits, (double)v[low], limits);
}

lg_status lg_graph_check_rules(const lg_graph_node *n, lg_error *error)
{
    const lg_rule_fn rule = ((const lg_filter_entry *)n->filter)->rule;
    bool measured[LG_MAX_VALUES];
    lg_graph_find_measured(n, measured);
    const lg_status status = check_limits(n, measured, error);
    return status || !rule ? status : rule(n->values, measured, error);
}
