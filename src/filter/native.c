#include "filter/native.h"

#include "filter/native/window_side.h"

#include <string.h>

float lg_native_value(const lg_filter *filter, const float *values, const char *name)
{
    for (int i = 0; i < filter->param_count; i++)
        if (strcmp(filter->params[i].name, name) == 0)
            return values[lg_filter_offset(filter, i)];
    return 0;
}

lg_window_side lg_window_side_get(const lg_filter *filter, const float *values,
                                  const char *size_name)
{
    const int32_t given = (int32_t)lg_native_value(filter, values, size_name);
    const int32_t radius = (int32_t)lg_native_value(filter, values, "radius");
    const int32_t size = given ? given : 2 * radius + 1;
    return (lg_window_side){size / 2, size - 1 - size / 2};
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool lg_native_records(const lg_native *native, const lg_filter_param *param)
{
    return has_word(native->recorded, param->name);
}
