#include "label_values.h"

#include "label_presets.h"
#include "option_values.h"
#include "text.h"
#include <lumagraph/io.h>

#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

static const char *const connectivities[] = {"4", "8", "6", "18", "26"};

const char *lg_choice_connectivity(int index)
{
    return index < 5 ? connectivities[index] : NULL;
}

int lg_connectivity_of(const lg_options *options)
{
    return options->connectivity < 0 ? 8 : atoi(connectivities[options->connectivity]);
}

const char *lg_choice_centers(int index)
{
    static const char *const names[] = {"integer", "half"};
    return index < 2 ? names[index] : NULL;
}

const char *lg_choice_column(int index)
{
    return index == LG_COLUMNS ? "all" : lg_column_name((lg_column)index);
}

// ---- values -------------------------------------------------------------------------------------

bool lg_parse_level(const char *text, lg_options *out, char *why, size_t size)
{
    out->has_level = true;
    if (lg_parse_real(text, &out->value)) {
        out->method = LG_THRESHOLD_VALUE;
        return true;
    }
    if (lg_parse_method(text, out, why, size))
        return true;
    char rest[400];
    snprintf(rest, sizeof rest, "%s", why);
    snprintf(why, size, "a number in stored units, or a method: %.300s", rest);
    return false;
}

static bool add_column(lg_options *out, lg_column column, char *why, size_t size)
{
    for (int i = 0; i < out->column_count; i++)
        if (out->columns[i] == (int)column) {
            snprintf(why, size, "%s stands there twice", lg_column_name(column));
            return false;
        }
    out->columns[out->column_count++] = (int)column;
    return true;
}

bool lg_parse_columns(const char *text, lg_options *out, char *why, size_t size)
{
    out->column_count = 0;
    if ((out->all_columns = strcmp(text, "all") == 0))
        return true;
    for (;; text++) {
        char name[64];
        const size_t length = strcspn(text, ",");
        lg_column column;
        lg_error error;
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
        if (lg_column_find(name, &column, &error) != LG_OK) {
            snprintf(why, size, "%.200s (`lumagraph label --help` lists them)", error.message);
            return false;
        }
        if (!add_column(out, column, why, size))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}

bool lg_parse_outline(const char *text, lg_options *out, char *why, size_t size)
{
    out->outline_given = true;
    out->overlay_colors = lg_overlay_params_default();
    if ((out->overlay_colors.distinct = strcmp(text, "labels") == 0))
        return true;
    char *end = NULL;
    const bool form =
        *text == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6;
    const unsigned long value = form ? strtoul(text + 1, &end, 16) : 0;
    for (int i = 0; i < 3; i++)
        out->overlay_colors.color[i] = (uint8_t)(value >> (16 - 8 * i));
    snprintf(why, size, "allowed are a colour, #rrggbb, and labels: each its own");
    return form;
}

bool lg_parse_keep(const char *text, lg_options *out, char *why, size_t size)
{
    unsigned needs;
    lg_error error;
    out->keep = text;
    if (lg_components_needs(text, &needs, &error) == LG_OK)
        return true;
    snprintf(why, size, "%.300s", error.message);
    return false;
}

// ---- what goes together -------------------------------------------------------------------------

static bool check_intensity(const lg_options *options)
{
    unsigned needs = 0;
    lg_error error;
    if (options->intensity)
        return true;
    for (int i = 0; i < options->column_count; i++)
        if (lg_column_needs((lg_column)options->columns[i]) & LG_NEEDS_INTENSITY) {
            lg_complain("--columns %s needs --intensity FILE, or --intensity self",
                        lg_column_name((lg_column)options->columns[i]));
            return false;
        }
    if (options->keep && lg_components_needs(options->keep, &needs, &error) == LG_OK &&
        (needs & LG_NEEDS_INTENSITY)) {
        lg_complain("--keep '%s' needs --intensity FILE, or --intensity self", options->keep);
        return false;
    }
    return true;
}

static bool check_foreground(const lg_options *options)
{
    if (options->label_values && options->has_level)
        lg_complain("--values and --threshold exclude each other");
    else if (options->label_values && options->fill_holes)
        lg_complain("--values and --fill-holes exclude each other: holes of a label image belong "
                    "to nobody");
    else if (options->bins > 0 && (!options->has_level || options->method == LG_THRESHOLD_VALUE))
        lg_complain("--bins is for methods of --threshold");
    else
        return true;
    return false;
}

static bool check_outputs(const lg_options *options)
{
    const char *const paths[] = {options->output, options->colors, options->overlay};
    static const char *const names[] = {"-o", "--colors", "--overlay"};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (paths[i] && paths[j] && strcmp(paths[i], paths[j]) == 0) {
                lg_complain("%s and %s both name '%s'; give each its own", names[j], names[i],
                            paths[i]);
                return false;
            }
    if (options->outline_given && !options->overlay) {
        lg_complain("--outline is the colour of --overlay FILE");
        return false;
    }
    return true;
}

bool lg_check_label(lg_options *options)
{
    if ((options->column_count > 0 || options->all_columns) && options->preset >= 0) {
        lg_complain("--columns and --preset exclude each other");
        return false;
    }
    if (options->intensity && strcmp(options->intensity, "-") == 0) {
        lg_complain("--intensity cannot be standard input; name a file");
        return false;
    }
    return check_intensity(options) && check_foreground(options) && check_outputs(options);
}

lg_threshold_params lg_label_threshold(const lg_options *options, bool one)
{
    return (lg_threshold_params){.size = sizeof(lg_threshold_params),
                                 .select = lg_select_default(),
                                 .method = options->method,
                                 .value = options->value,
                                 .classes = options->classes,
                                 .bins = (int32_t)options->bins,
                                 .stack = one,
                                 .luma = (lg_luma)options->luma};
}
