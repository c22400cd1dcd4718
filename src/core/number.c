// Numbers in texts, whatever the locale.
#include "core/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool lg_parse_number(const char *text, const char **end, double *out)
{
    const char *p = text;
    double value = 0, scale = 1;
    int digits = 0, exponent = 0;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    for (; *p >= '0' && *p <= '9'; p++, digits++)
        value = value * 10 + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, digits++) {
            value = value * 10 + (*p - '0');
            scale *= 10;
        }
    if (!digits)
        return false;
    if ((*p == 'e' || *p == 'E') &&
        ((p[1] >= '0' && p[1] <= '9') ||
         ((p[1] == '-' || p[1] == '+') && p[2] >= '0' && p[2] <= '9'))) {
        const bool down = p[1] == '-';
        for (p += p[1] == '-' || p[1] == '+' ? 2 : 1; *p >= '0' && *p <= '9'; p++)
            exponent = exponent < 400 ? exponent * 10 + (*p - '0') : exponent;
        exponent = down ? -exponent : exponent;
    }
    value = value / scale * pow(10, exponent);
    *out = negative ? -value : value;
    *end = p;
    return isfinite(*out);
}

const char *lg_float_text(float value, char out[LG_FLOAT_TEXT])
{
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(out, LG_FLOAT_TEXT, "%.*g", digits, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return out;
}
