#include "area_values.h"

#include "option_values.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

const char *lg_figure_name(int figure)
{
    if (figure == LG_FIGURE_HISTOGRAM)
        return "histogram";
    static const char *const moments[] = {"mx", "my", "var_x", "var_y", "cov_xy"};
    if (figure >= LG_FIGURE_MX && figure <= LG_FIGURE_COV_XY)
        return moments[figure - LG_FIGURE_MX];
    if (figure == LG_FIGURE_SMOOTH)
        return "smooth";
    if (figure == LG_FIGURE_PROBABILITY)
        return "probability";
    if (figure == LG_FIGURE_PERCENTILES)
        return "percentiles";
    return lg_area_figure_name((lg_area_figure)figure);
}

const char *lg_choice_figure(int index)
{
    return index < LG_FIGURE_PROBABILITY ? lg_figure_name(index) : NULL;
}

const char *lg_choice_area_kind(int index)
{
    static const char *const names[] = {"table", "ripmap"}; // in the order of lg_areasum_kind
    return index < 2 ? names[index] : NULL;
}

const char *lg_choice_winding(int index)
{
    return lg_area_winding_name((lg_area_winding)index);
}

// ---- values -------------------------------------------------------------------------------------

// A whole number up to LG_MAX_BOX_NUMBER; *text then stands behind it.
static bool take_number(const char **text, int64_t *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0 && *out <= LG_MAX_BOX_NUMBER;
}

// SIDExSIDE[xSIDE] and then, for all axes or none, +FIRST.
static bool take_box(const char *text, lg_option_box *out)
{
    bool good = take_number(&text, &out->side[0]);
    out->ranges = false;
    for (out->dims = 1; good && *text == 'x' && out->dims < 3; out->dims++) {
        text++;
        good = take_number(&text, &out->side[out->dims]);
    }
    for (int i = 0; i < out->dims; i++)
        out->first[i] = 0;
    for (int i = 0; good && *text == '+' && i < out->dims; i++) {
        text++;
        good = take_number(&text, &out->first[i]) && (i + 1 == out->dims || *text == '+');
    }
    for (int i = 0; i < out->dims; i++)
        good &= out->side[i] > 0;
    return good && out->dims > 1 && *text == '\0';
}

// FIRST:END for each axis, joined by commas; FIRST is 0 and END that of the axis when left out.
static bool take_ranges(const char *text, lg_option_box *out)
{
    *out = (lg_option_box){.ranges = true};
    for (;; text++) {
        int64_t *first = &out->first[out->dims], *end = &out->side[out->dims];
        if (out->dims == LG_AREA_DIMS)
            return false;
        *end = -1;
        if (*text != ':' && !take_number(&text, first))
            return false;
        if (*text++ != ':')
            return false;
        if (*text != ',' && *text != '\0' && (!take_number(&text, end) || *end <= *first))
            return false;
        out->dims++;
        if (*text != ',')
            return *text == '\0';
    }
}

bool lg_parse_box(const char *text, lg_options *out, char *why, size_t size)
{
    if (out->box_count == LG_MAX_BOXES) {
        snprintf(why, size, "at most %d are allowed; --boxes FILE.csv takes any number",
                 LG_MAX_BOXES);
        return false;
    }
    lg_option_box *box = &out->box[out->box_count];
    snprintf(why, size,
             "allowed is WxH+X+Y in pixels, for example 64x48+10+20 (WxHxD+X+Y+Z with layers), or "
             "FIRST:END for each of up to %d axes of an .npy array, joined by commas, for example "
             "1:3,0:4; END must be above FIRST",
             LG_AREA_DIMS);
    if (!(strchr(text, ':') ? take_ranges : take_box)(text, box))
        return false;
    if (box->ranges != out->box[0].ranges) {
        snprintf(why, size,
                 "boxes in pixels, WxH+X+Y, and boxes of ranges, FIRST:END,..., do not "
                 "go together");
        return false;
    }
    if (box->dims != out->box[0].dims) {
        snprintf(why, size,
                 box->ranges ? "all boxes must have the same number of ranges; the first has %d"
                             : "all boxes must have two axes, or all three",
                 out->box[0].dims);
        return false;
    }
    out->box_count++;
    return true;
}

bool lg_has_figure(const lg_options *options, int figure)
{
    for (int i = 0; i < options->figure_count; i++)
        if (options->figure[i] == figure)
            return true;
    return false;
}

int lg_box_parts(const lg_options *options)
{
    return options->parts > 0 ? (int)options->parts : 16;
}

int lg_smooth_order(const lg_options *options)
{
    return options->order > 0 ? (int)options->order : 3;
}

bool lg_needs_bins(const lg_options *options)
{
    return lg_has_figure(options, LG_FIGURE_HISTOGRAM) ||
           lg_has_figure(options, LG_FIGURE_PERCENTILES);
}

static int find_figure(const char *text, size_t length)
{
    for (int i = 0; lg_choice_figure(i); i++)
        if (strlen(lg_choice_figure(i)) == length &&
            strncmp(lg_choice_figure(i), text, length) == 0)
            return i;
    return -1;
}

bool lg_parse_figures(const char *text, lg_options *out, char *why, size_t size)
{
    out->figure_count = 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        const int figure = find_figure(text, length);
        if (figure < 0)
            break;
        if (!lg_has_figure(out, figure))
            out->figure[out->figure_count++] = figure;
        text += length;
        if (*text == '\0')
            return true;
    }
    size_t used = (size_t)snprintf(why, size, "allowed are, joined by commas,");
    for (int i = 0; lg_choice_figure(i) && used < size; i++)
        used +=
            (size_t)snprintf(why + used, size - used, "%s %s", i ? "," : "", lg_choice_figure(i));
    return false;
}

bool lg_parse_layers(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "allowed is N+Z, for example 4+10: four layers from layer 10 on");
    return out->has_slab = take_number(&text, &out->slab_layers) && out->slab_layers > 0 &&
                           *text++ == '+' && take_number(&text, &out->slab_first) && *text == '\0';
}

bool lg_parse_above(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a number in stored units is needed, for example 128");
    return out->has_above = lg_parse_real(text, &out->above);
}

bool lg_parse_angle(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a number of degrees is needed, for example 30");
    return out->has_angle = lg_parse_real(text, &out->angle);
}

static bool parse_bytes(const char *text, size_t *out, char *why, size_t size)
{
    static const char units[] = "KMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const double bytes = unit ? ldexp(number, 10 * (int)(unit - units + 1)) : number;
    snprintf(why, size, "allowed are bytes from 1 to 1024T, for example 500M or 16G");
    if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) || !(bytes >= 1) ||
        bytes > 0x1p50)
        return false;
    *out = bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX;
    return true;
}

bool lg_parse_memory(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_bytes(text, &out->memory_limit, why, size);
}

bool lg_parse_ceiling(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_bytes(text, &out->memory, why, size);
}

// ---- what goes together -------------------------------------------------------------------------

static bool check_shapes(const lg_options *options)
{
    const int kinds =
        (options->box_count > 0) + !!options->boxes + !!options->polygons + !!options->mask;
    const char *csv = options->boxes ? options->boxes : options->polygons;
    if (kinds == 0)
        lg_complain("areasum needs shapes: --box WxH+X+Y, --boxes FILE.csv, --polygons FILE.csv or "
                    "--mask FILE");
    else if (kinds > 1)
        lg_complain("--box, --boxes, --polygons and --mask exclude each other");
    else
        for (int i = 0; i <= options->file_count; i++) {
            if (i == options->file_count)
                return true;
            if (csv && strcmp(csv, "-") == 0 && strcmp(options->files[i], "-") == 0) {
                lg_complain("standard input cannot be the image and the shapes");
                break;
            }
        }
    return false;
}

static bool check_angle(const lg_options *options)
{
    if (options->parts > 0 && !options->has_angle) {
        lg_complain("--parts is for boxes that are turned: --angle DEGREES");
        return false;
    }
    if (options->has_angle && (options->polygons || options->mask)) {
        lg_complain("--angle turns boxes, not polygons and masks");
        return false;
    }
    for (int f = LG_FIGURE_MX; f <= LG_FIGURE_SMOOTH; f++)
        if (options->has_angle && lg_has_figure(options, f)) {
            lg_complain("--figure %s is of boxes that are not turned: leave --angle out",
                        lg_figure_name(f));
            return false;
        }
    return true;
}

static bool check_figures(const lg_options *options)
{
    static const int of_ripmaps[] = {LG_AREA_MIN, LG_AREA_MAX, LG_FIGURE_HISTOGRAM,
                                     LG_FIGURE_PERCENTILES};
    if (lg_has_figure(options, LG_AREA_COUNT_ABOVE) && !options->has_above) {
        lg_complain("--figure count_above needs --above V, the value");
        return false;
    }
    if (options->bins > 0 && !lg_needs_bins(options)) {
        lg_complain("--bins is for histograms: --figure histogram");
        return false;
    }
    for (int f = LG_FIGURE_MX; f <= LG_FIGURE_SMOOTH; f++)
        if (lg_has_figure(options, f) && (options->polygons || options->mask)) {
            lg_complain("--figure %s is of boxes, not of polygons and masks", lg_figure_name(f));
            return false;
        }
    if (options->order > 0 && !lg_has_figure(options, LG_FIGURE_SMOOTH)) {
        lg_complain("--order is that of --figure smooth");
        return false;
    }
    if (options->has_slab && !options->polygons && !options->mask) {
        lg_complain("--layers is for polygons and masks; boxes have their own, WxHxD+X+Y+Z");
        return false;
    }
    for (int i = 0; i < 4; i++)
        if (options->area_kind == LG_AREASUM_TABLE && lg_has_figure(options, of_ripmaps[i])) {
            lg_complain("--kind table: %s needs a ripmap; leave --kind out",
                        lg_figure_name(of_ripmaps[i]));
            return false;
        }
    return true;
}

bool lg_check_area(lg_options *options)
{
    if (!check_shapes(options))
        return false;
    if (options->figure_count == 0 && !options->density && !options->percentile_count) {
        options->figure[options->figure_count++] = LG_AREA_SUM;
        options->figure[options->figure_count++] = LG_AREA_MEAN;
    }
    if (options->density)
        options->figure[options->figure_count++] = LG_FIGURE_PROBABILITY;
    if (options->percentile_count)
        options->figure[options->figure_count++] = LG_FIGURE_PERCENTILES;
    return check_figures(options) && check_angle(options);
}
