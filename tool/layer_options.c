#include "layer_options.h"

#include "option_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static lg_layer_choice *choice_of(lg_options *options)
{
    if (!options->chooses_layers)
        options->layers = (lg_layer_choice){.channel = -1, .time = -1};
    options->chooses_layers = true;
    return &options->layers;
}

// NAME[=SIZE],NAME[=SIZE]...
bool lg_parse_axes(const char *text, lg_options *out, char *why, size_t size)
{
    lg_layer_axis *axes = choice_of(out)->axes;
    snprintf(why, size,
             "what the layers are, the slowest first: z, c, t or another letter, each "
             "once, and the number of each but one, as in z,c=2");
    memset(axes, 0, sizeof out->layers.axes);
    int open = 0;
    for (int i = 0; i < LG_LAYER_AXES; i++) {
        int64_t count = 0;
        char number[12];
        const size_t digits = text[0] && text[1] == '=' ? strcspn(text + 2, ",") : 0;
        if (!isalpha((unsigned char)*text) || digits >= sizeof number)
            return false;
        axes[i].name = (char)toupper((unsigned char)*text++);
        for (int k = 0; k < i; k++)
            if (axes[k].name == axes[i].name)
                return false;
        if (*text == '=') {
            snprintf(number, sizeof number, "%.*s", (int)digits, text + 1);
            if (!lg_parse_integer(number, &count) || count < 1 || count > LG_MAX_LAYERS)
                return false;
            text += 1 + digits;
        }
        axes[i].size = (int32_t)count;
        open += count == 0;
        if (*text == '\0')
            return open <= 1;
        if (*text++ != ',')
            return false;
    }
    return false;
}

static bool parse_index(const char *text, int32_t *out, char *why, size_t size)
{
    int64_t number;
    snprintf(why, size, "allowed are whole numbers from 0 to %d", LG_MAX_LAYERS - 1);
    if (!lg_parse_integer(text, &number) || number < 0 || number >= LG_MAX_LAYERS)
        return false;
    *out = (int32_t)number;
    return true;
}

bool lg_parse_page(const char *text, lg_options *out, char *why, size_t size)
{
    int32_t page = LG_PAGE_RAW;
    if (strcmp(text, "raw") != 0 && !parse_index(text, &page, why, size)) {
        snprintf(why, size, "allowed are whole numbers from 0 to %d, and raw", LG_MAX_LAYERS - 1);
        return false;
    }
    out->page = page;
    return true;
}

bool lg_parse_channel(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_index(text, &choice_of(out)->channel, why, size);
}

bool lg_parse_time(const char *text, lg_options *out, char *why, size_t size)
{
    return parse_index(text, &choice_of(out)->time, why, size);
}

// file, or X[,Y[,Z]][UNIT]
bool lg_parse_spacing(const char *text, lg_options *out, char *why, size_t size)
{
    static const struct {
        const char *name;
        double micrometres;
    } units[] = {{"", 1}, {"um", 1}, {"nm", 1e-3}, {"mm", 1e3}, {"\xc2\xb5m", 1}, {"\xce\xbcm", 1}};
    snprintf(why, size,
             "the size of a pixel, as in 0.2 or 0.2,0.2,1 (x, y, z) in um, or with a "
             "unit, nm, um or mm; or file: what the file says");
    out->has_spacing = true;
    if ((out->spacing_of_file = strcmp(text, "file") == 0))
        return true;
    int count = 0;
    for (; count < 3; count++) {
        char *end;
        const bool digit = isdigit((unsigned char)*text) || *text == '.';
        out->spacing[count] = digit ? strtod(text, &end) : 0;
        if (!(out->spacing[count] > 0 && out->spacing[count] < 1e12))
            return false;
        text = end;
        if (*text != ',') {
            count++;
            break;
        }
        text++;
    }
    if (count == 1)
        out->spacing[1] = out->spacing[0];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(text, units[i].name) == 0) {
            for (int k = 0; k < 3; k++)
                out->spacing[k] *= units[i].micrometres;
            return true;
        }
    return false;
}

bool lg_check_layers_options(const lg_options *options)
{
    if (!options->chooses_layers)
        return true;
    if (options->page != -1)
        lg_complain("--page is one layer already; leave out --axes, --channel and --time");
    else if (options->frames || options->raw || options->live)
        lg_complain("--axes, --channel and --time are of stacks, and frames come one by one");
    else
        return true;
    return false;
}

void lg_pixel_size_of(const lg_session *session, const lg_input_file *file, double out[3])
{
    const lg_options *options = session->options;
    const bool given = options->has_spacing && !options->spacing_of_file;
    for (int i = 0; i < 3; i++)
        out[i] = given ? options->spacing[i] : file->info.pixel_size[i];
}

const char *lg_pixel_size_text(const lg_session *session, const lg_input_file *file, char *out,
                               size_t size)
{
    double pixel[3];
    char number[3][LG_NUMBER_SIZE];
    lg_pixel_size_of(session, file, pixel);
    for (int i = 0; i < 3; i++)
        lg_number_short(pixel[i], number[i]);
    const bool depth = file->image && file->image->shape.layers > 1 && pixel[2] > 0;
    out[0] = '\0';
    if (pixel[0] > 0 && pixel[1] > 0)
        snprintf(out, size, "%s x %s%s%s um", number[0], number[1], depth ? " x " : "",
                 depth ? number[2] : "");
    return out;
}
