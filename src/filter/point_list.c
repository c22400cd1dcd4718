#include "filter/point_list.h"

#include <string.h>

static bool read_point(const char **at, lg_listed_point *out)
{
    const char *end;
    if (!lg_parse_number(*at, &end, &out->x) || *end != ',')
        return false;
    return lg_parse_number(end + 1, at, &out->y) && (!**at || **at == ';');
}

lg_status lg_point_list(const char *filter, const char *param, const char *text, int max,
                        lg_listed_point **out, int *count, lg_error *error)
{
    if (*text == '@' || *text == '#')
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "%s: %s are written x,y with ; between them; %s:over=#NAME takes those of an "
            "image",
            filter, param, strcmp(param, "lines") ? "draw_crosshairs" : "draw_lines");
    size_t places = 1;
    for (const char *p = text; *p; p++)
        places += *p == ';';
    *out = NULL;
    *count = 0;
    if (places > (size_t)max)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s: %s has %zu points; at most %d are allowed",
                       filter, param, places, max);
    lg_listed_point *list = lg_alloc_array(places, sizeof *list);
    if (!list)
        return lg_fail_memory(error, places * sizeof *list, "a list of points");
    for (const char *p = text; *p; p += *p == ';') {
        if (!read_point(&p, &list[*count])) {
            lg_free(list);
            *count = 0;
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "%s: %s=%.60s: points are written x,y with ; between them", filter,
                           param, text);
        }
        ++*count;
    }
    *out = list;
    return LG_OK;
}

lg_status lg_point_table(const char *filter, const char *param, const char *text, int max,
                         float **out, int *count, lg_error *error)
{
    lg_listed_point *points;
    int listed;
    lg_status status = lg_point_list(filter, param, text, max, &points, &listed, error);
    if (status)
        return status;
    *out = lg_alloc_array((size_t)listed * 2 + 1, sizeof **out);
    if (!*out)
        status = lg_fail_memory(error, (size_t)listed * 2 * sizeof **out, "a list of points");
    for (int i = 0; i < listed && !status; i++) {
        (*out)[2 * i] = (float)points[i].x;
        (*out)[2 * i + 1] = (float)points[i].y;
    }
    *count = 2 * listed;
    lg_free(points);
    return status;
}
