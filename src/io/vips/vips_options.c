// Options of encoders. GLib prints a number that is out of range, and leaves the usual one.
#include "io/vips/vips_formats.h"

#include <string.h>

enum { OPTION_MOST = 80, NAMES_MOST = 100 };

typedef struct option {
    char name[OPTION_MOST], value[OPTION_MOST];
} option;

// The next of "Q=80,interlace]" to *out; false: it is not simple, which libvips is left to read.
static bool take_option(const char **text, option *out)
{
    const size_t length = strcspn(*text, ",]"), name = strcspn(*text, "=,] ");
    if (!length || length >= OPTION_MOST || memchr(*text, '"', length) ||
        memchr(*text, '[', length) || memchr(*text, '(', length))
        return false;
    *out = (option){"", ""};
    memcpy(out->name, *text, name);
    if ((*text)[name] == '=')
        memcpy(out->value, *text + name + 1, length - name - 1);
    *text += length + ((*text)[length] == ',');
    return true;
}

static lg_status fail_name(GObjectClass *encoder, const char *format, const char *name,
                           lg_error *error)
{
    const char *names[NAMES_MOST + 1] = {NULL};
    guint count = 0;
    GParamSpec **all = g_object_class_list_properties(encoder, &count);
    for (guint i = 0; i < count && i < NAMES_MOST; i++)
        names[i] = all[i]->name;
    const char *near = lg_nearest(name, names);
    const lg_status status = lg_fail(error, LG_ERROR_ARGUMENT, "%s has no option '%s'%s%s%s",
                                     format, name, near ? "; did you mean '" : "", near ? near : "",
                                     near ? "'?" : "; `vips` lists the options of its encoders");
    g_free(all);
    return status;
}

static lg_status check_number(const GParamSpec *spec, const char *format, const option *o,
                              lg_error *error)
{
    double least, most;
    if (G_IS_PARAM_SPEC_INT(spec)) {
        least = G_PARAM_SPEC_INT(spec)->minimum;
        most = G_PARAM_SPEC_INT(spec)->maximum;
    } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
        least = G_PARAM_SPEC_DOUBLE(spec)->minimum;
        most = G_PARAM_SPEC_DOUBLE(spec)->maximum;
    } else {
        return LG_OK;
    }
    char *end;
    const double value = g_ascii_strtod(o->value, &end);
    if (*o->value && !*end && value >= least && value <= most)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT, "%s: option %s=%s: allowed are %s from %g to %g",
                   format, o->name, o->value,
                   G_IS_PARAM_SPEC_INT(spec) ? "whole numbers" : "numbers", least, most);
}

lg_status lg_vips_check_options(const char *suffix, lg_error *error)
{
    char format[20];
    const char *text = strchr(suffix, '[');
    if (!text || !text[1] || text[1] == ']')
        return LG_OK;
    snprintf(format, sizeof format, "%.*s", (int)(text - suffix), suffix);
    const char *name = vips_foreign_find_save_target(format);
    GObjectClass *encoder = name ? g_type_class_ref(g_type_from_name(name)) : NULL;
    if (!encoder) {
        vips_error_clear(); // the encoder says it again
        return LG_OK;
    }
    lg_status status = LG_OK;
    option o;
    for (text++; !status && *text && *text != ']' && take_option(&text, &o);) {
        const GParamSpec *spec = g_object_class_find_property(encoder, o.name);
        status = spec ? check_number(spec, format, &o, error)
                      : fail_name(encoder, format, o.name, error);
    }
    g_type_class_unref(encoder);
    return status;
}
