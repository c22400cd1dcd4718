// The pipelines of `bench filter`: the usual ones, or one of each filter.
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <lumagraph/filter.h>

#define ROOM 300 // characters of a pipeline

// Parameters that change something, where the defaults do not: of the first worked example with any.
static const char *given_params(const lg_filter *filter)
{
    for (int i = 0; i < filter->example_count && filter->neutral; i++)
        if (filter->examples[i].params && filter->examples[i].params[0])
            return filter->examples[i].params;
    return "";
}

// A filter with two images gets its own input twice, or the table of colours that lookup needs.
static void write_pipeline(const lg_filter *filter, char *out)
{
    const char *params = given_params(filter);
    const char *over = filter->inputs < 2                    ? ""
                       : strcmp(filter->name, "lookup") == 0 ? ":over=#table"
                                                             : ":over=#in";
    snprintf(out, ROOM, "%s%s%s%s", filter->name, params[0] ? ":" : "", params, over);
}

const char **bench_all_filters(int *count)
{
    const size_t filters = lg_filter_count();
    // The texts follow the list.
    const char **list = malloc(filters * (sizeof *list + ROOM));
    char *texts = (char *)(list + filters);
    *count = 0;
    for (size_t i = 0; i < filters && list; i++) {
        write_pipeline(lg_filter_at(i), texts + i * ROOM);
        list[(*count)++] = texts + i * ROOM;
    }
    return list;
}
