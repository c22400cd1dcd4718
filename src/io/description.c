// Descriptions state how many slices, channels and moments there are, and how large the image is.
// They are read as text: an element or line that looks otherwise than programs write it is not
// found, and nothing is known then.
#include "io/description.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 256 // what rewriting may add

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_ome(const char *text)
{
    return strstr(text, "<OME ") || strstr(text, ":OME ");
}

// ---- OME-XML ------------------------------------------------------------------------------------

// The start tag of the next Pixels element; *end: its '>'.
static const char *find_pixels(const char *text, const char **end)
{
    for (const char *at = text; (at = strstr(at, "Pixels ")); at++)
        if (at > text && (at[-1] == '<' || at[-1] == ':')) {
            *end = strchr(at, '>');
            return *end ? at : NULL;
        }
    return NULL;
}

// The value of an attribute between `at` and `end`, up to its closing quote; NULL: there is none.
static const char *find_attribute(const char *at, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (; at && at < end && (at = strstr(at, name)) && at < end; at++)
        if ((at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t') && at[length] == '=' &&
            (at[length + 1] == '"' || at[length + 1] == '\''))
            return at + length + 2;
    return NULL;
}

static int64_t attribute_number(const char *at, const char *end, const char *name)
{
    const char *value = find_attribute(at, end, name);
    return value ? strtoll(value, NULL, 10) : 1;
}

// ---- what the layers are ------------------------------------------------------------------------

typedef struct axes {
    lg_layer_axis axis[LG_LAYER_AXES];
    int count;
    int64_t product;
} axes;

static void add_axis(axes *a, char name, int64_t size)
{
    if (size < 1 || size > INT32_MAX || a->product > INT32_MAX)
        size = 1;
    a->product *= size;
    if (size > 1 && a->count < LG_LAYER_AXES)
        a->axis[a->count++] = (lg_layer_axis){name, (int32_t)size};
}

// "XYCZT" has the fastest first; layers are listed the slowest first.
static void read_ome(const char *text, int32_t samples, axes *out)
{
    const char *end, *at = find_pixels(text, &end);
    if (!at)
        return;
    const char *order = find_attribute(at, end, "DimensionOrder");
    if (!order || strlen(order) < 5)
        order = "XYZCT";
    for (int i = 4; i >= 2; i--) {
        char name[] = "SizeZ";
        name[4] = order[i];
        int64_t size = order[i] == 'Z' || order[i] == 'C' || order[i] == 'T'
                           ? attribute_number(at, end, name)
                           : 1;
        if (order[i] == 'C' && size % samples == 0)
            size /= samples; // the channels of a layer are among them
        add_axis(out, order[i], size);
    }
}

// The value behind "key=" at the start of a line; NULL: there is none.
static const char *find_line(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = text; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static int64_t line_number(const char *text, const char *key)
{
    const char *value = find_line(text, key);
    return value ? strtoll(value, NULL, 10) : 1;
}

static void read_imagej(const char *text, axes *out)
{
    add_axis(out, 'T', line_number(text, "frames"));
    add_axis(out, 'Z', line_number(text, "slices"));
    add_axis(out, 'C', line_number(text, "channels"));
}

// {"shape": [12, 2, 60, 80], "axes": "ZCYX"}
static void read_tifffile(const char *text, axes *out)
{
    const char *shape = strchr(text, '['), *names = strstr(text, "\"axes\"");
    names = names ? strchr(names + 6, '"') : NULL;
    if (!shape || !names)
        return;
    for (names++; *names >= 'A' && *names <= 'Z' && *names != 'Y'; names++) {
        char *end;
        const int64_t size = strtoll(shape + 1, &end, 10);
        add_axis(out, *names, size);
        if (*end != ',')
            return;
        shape = end;
    }
}

void lg_description_read(const char *text, int32_t samples, int32_t layers, lg_read_info *info,
                         int64_t *images)
{
    axes found = {.product = 1};
    *images = 0;
    if (is_ome(text))
        read_ome(text, samples, &found);
    else if (starts(text, "ImageJ="))
        read_imagej(text, &found), *images = line_number(text, "images");
    else if (starts(text, "{\"shape\":"))
        read_tifffile(text, &found);
    info->mixed = false;
    for (int i = 0; i < found.count && layers > 1; i++)
        info->mixed |= found.axis[i].name == 'C' || found.axis[i].name == 'T';
    // A file may hold a part of what it describes.
    if (found.product == layers && layers > 1)
        memcpy(info->axes, found.axis, (size_t)found.count * sizeof *found.axis);
}

// ---- the size of pixels -------------------------------------------------------------------------

// The letter micro has two code points, and comes as an entity, as Java's escape and in Latin-1 as well.
static double micrometres(const char *unit, size_t length)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {{"um", 1},       {"\xc2\xb5m", 1},   {"\xce\xbcm", 1},   {"\xb5m", 1},
                 {"\\u00B5m", 1}, {"&#181;m", 1},     {"&#xB5;m", 1},     {"micron", 1},
                 {"microns", 1},  {"micrometer", 1},  {"micrometers", 1}, {"nm", 1e-3},
                 {"pm", 1e-6},    {"\xc3\x85", 1e-4}, {"mm", 1e3},        {"cm", 1e4},
                 {"m", 1e6},      {"in", 25400},      {"inch", 25400}};
    for (size_t i = 0; i < LG_COUNT(units); i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, unit, length) == 0)
            return units[i].size;
    return 0;
}

static double usable(double size)
{
    return size > 0 && size < 1e12 ? size : 0; // also no NaN
}

static void ome_pixel_size(const char *text, double out[3])
{
    const char *end, *at = find_pixels(text, &end);
    for (int i = 0; i < 3 && at; i++) {
        char name[] = "PhysicalSizeX", unit_name[] = "PhysicalSizeXUnit";
        name[12] = unit_name[12] = (char)('X' + i);
        const char *value = find_attribute(at, end, name);
        const char *unit = find_attribute(at, end, unit_name);
        const double scale = unit ? micrometres(unit, strcspn(unit, "\"'")) : 1;
        out[i] = value ? usable(strtod(value, NULL) * scale) : 0;
    }
}

static void imagej_pixel_size(const char *text, double x, double y, double out[3])
{
    static const char *const keys[] = {"unit", "yunit", "zunit"};
    const char *depth = find_line(text, "spacing");
    const double size[3] = {x > 0 ? 1 / x : 0, y > 0 ? 1 / y : 0, depth ? strtod(depth, NULL) : 0};
    for (int i = 0; i < 3; i++) {
        const char *unit = find_line(text, keys[i]);
        unit = unit ? unit : find_line(text, keys[0]);
        out[i] = unit ? usable(size[i] * micrometres(unit, strcspn(unit, "\r\n"))) : 0;
    }
}

void lg_description_pixel_size(const char *text, double x, double y, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (is_ome(text))
        ome_pixel_size(text, out);
    else if (starts(text, "ImageJ="))
        imagej_pixel_size(text, x, y, out);
}

// ---- rewriting ----------------------------------------------------------------------------------

typedef struct writing {
    char *text;
    size_t used;
} writing;

static void put(writing *w, const char *from, size_t bytes)
{
    memcpy(w->text + w->used, from, bytes);
    w->used += bytes;
    w->text[w->used] = '\0';
}

static bool same_layers(const lg_image_params *a, const lg_image_params *b)
{
    return a->layers == b->layers && lg_file_channels(a) == lg_file_channels(b);
}

// Lines about the stack stay when it does; the range that is shown was that of the old samples.
static bool keeps_line(const char *line, bool same)
{
    static const char *const shape[] = {
        "images=", "channels=", "slices=", "frames=", "hyperstack=", "mode=", "loop="};
    if (starts(line, "min=") || starts(line, "max="))
        return false;
    for (size_t i = 0; i < LG_COUNT(shape) && !same; i++)
        if (starts(line, shape[i]))
            return false;
    return true;
}

static bool adapt_imagej(const char *text, const lg_image_params *from, const lg_image_params *to,
                         writing *w)
{
    const bool same = same_layers(from, to);
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        if (keeps_line(line, same))
            put(w, line, length);
        line += length;
    }
    if (!same && to->layers > 1) {
        char stack[80];
        put(w, stack,
            (size_t)snprintf(stack, sizeof stack, "images=%d\nslices=%d\n", to->layers,
                             to->layers));
    }
    return true;
}

// A file that was renamed is still the one that its own description names; other files are lost.
static bool names_one_file(const char *text)
{
    const char *first = strstr(text, "FileName=\"");
    for (const char *at = first; at; at = strstr(at + 1, "FileName=\""))
        if (strncmp(at, first, 11 + strcspn(first + 10, "\"'")) != 0)
            return false;
    return true;
}

// Leaves out <UUID FileName="...">...</UUID>.
static void drop_file_names(writing *w)
{
    char *at = w->text;
    while ((at = strstr(at, "UUID FileName="))) {
        char *start = at;
        while (start > w->text && *start != '<')
            start--;
        char *end = strstr(at, "UUID>");
        if (!end)
            return;
        memmove(start, end + 5, strlen(end + 5) + 1);
        at = start;
    }
    w->used = strlen(w->text);
}

static void replace_attribute(writing *w, const char *name, const char *value)
{
    const char *end, *pixels = find_pixels(w->text, &end);
    const char *old = pixels ? find_attribute(pixels, end, name) : NULL;
    if (!old)
        return;
    char *at = w->text + (old - w->text);
    const size_t length = strcspn(at, "\"'"), wanted = strlen(value);
    memmove(at + wanted, at + length, strlen(at + length) + 1);
    memcpy(at, value, wanted);
    w->used = strlen(w->text);
}

static void scale_attribute(writing *w, const char *name, double scale)
{
    const char *end, *pixels = find_pixels(w->text, &end);
    const char *old = pixels ? find_attribute(pixels, end, name) : NULL;
    char number[32];
    if (!old || !(scale > 0) || scale == 1)
        return;
    snprintf(number, sizeof number, "%.10g", strtod(old, NULL) * scale);
    replace_attribute(w, name, number);
}

// The sizes as they are now, in micrometres, where the axes have changed places.
static void state_sizes(writing *w, const double size[3])
{
    static const char *const names[] = {"PhysicalSizeX", "PhysicalSizeY"};
    static const char *const units[] = {"PhysicalSizeXUnit", "PhysicalSizeYUnit"};
    char number[32];
    for (int i = 0; i < 2; i++) {
        snprintf(number, sizeof number, "%.10g", size[i]);
        replace_attribute(w, names[i], number);
        replace_attribute(w, units[i], "\xc2\xb5m");
    }
}

static bool adapt_ome(const lg_metadata *m, const lg_image_params *to, writing *w)
{
    static const char *const types[] = {"uint8", "uint16", NULL, "float"};
    const char *const text = m->description;
    const char *end, *pixels = find_pixels(text, &end);
    const lg_image_params *from = &m->shape;
    char number[32];
    if (!pixels || find_pixels(end, &end) || !same_layers(from, to) || !types[to->type] ||
        !names_one_file(text))
        return false;
    put(w, text, strlen(text));
    drop_file_names(w);
    snprintf(number, sizeof number, "%d", to->width);
    replace_attribute(w, "SizeX", number);
    snprintf(number, sizeof number, "%d", to->height);
    replace_attribute(w, "SizeY", number);
    replace_attribute(w, "Type", types[to->type]);
    if (m->turned && lg_metadata_knows_pixels(m)) {
        state_sizes(w, m->pixel_size);
    } else {
        scale_attribute(w, "PhysicalSizeX", m->scaled[0]);
        scale_attribute(w, "PhysicalSizeY", m->scaled[1]);
    }
    if (from->type != to->type) {
        snprintf(number, sizeof number, "%d", (int)(8 * lg_type_size(to->type)));
        replace_attribute(w, "SignificantBits", number);
    }
    return true;
}

lg_status lg_description_adapt(const lg_metadata *metadata, const lg_image_params *to, char **out,
                               lg_error *error)
{
    const char *text = metadata->description;
    const lg_image_params *from = &metadata->shape;
    const size_t bytes = strlen(text) + ROOM;
    const bool same_size = from->width == to->width && from->height == to->height;
    writing w = {.text = lg_alloc(bytes)};
    if (!w.text)
        return lg_fail_memory(error, bytes, "an image description");
    bool kept;
    if (is_ome(text)) {
        kept = adapt_ome(metadata, to, &w);
    } else if (starts(text, "ImageJ=")) {
        kept = adapt_imagej(text, from, to, &w);
    } else {
        kept = !starts(text, "{\"shape\":") || (same_size && same_layers(from, to));
        put(&w, text, strlen(text));
    }
    if (!kept) {
        lg_free(w.text);
        w.text = NULL;
    }
    *out = w.text;
    return !kept && is_ome(text) ? lg_ome_make(metadata, to, out, error) : LG_OK;
}
