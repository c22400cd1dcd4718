// The texts of states: what was measured, of which samples, and what reports say besides.
#include "area_bands.h"
#include "area_values.h"
#include "label_values.h"
#include "option_values.h"
#include "state_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- digests --------------------------------------------------------------------------------------

// FNV-1a: tells images apart, and is no protection against forgery.
static uint64_t digest(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

#define DIGEST_START 0xcbf29ce484222325u
#define DIGEST_ENDS  ((size_t)1 << 16) // bytes at both ends of a file

static uint64_t mask_digest(const lg_image *mask)
{
    const lg_image_params *s = &mask->shape;
    const int64_t sides[] = {s->width, s->height, s->layers};
    uint64_t hash = DIGEST_START;
    for (int i = 0; i < 3; i++)
        for (int shift = 0; shift < 64; shift += 8)
            hash = digest(hash, &(uint8_t){(uint8_t)(sides[i] >> shift)}, 1);
    for (int32_t layer = 0; layer < s->layers; layer++)
        for (int32_t y = 0; y < s->height; y++)
            hash = digest(hash,
                          (const char *)mask->data + (size_t)layer * s->layer_stride +
                              (size_t)y * s->row_stride,
                          (size_t)s->width);
    return hash;
}

// Of the size and the ends of a file: another file of the same name and shape is found out, mostly.
static uint64_t file_digest(const char *path, int64_t *size)
{
    struct stat status;
    uint8_t *ends = malloc(DIGEST_ENDS);
    uint64_t hash = DIGEST_START;
    *size = 0;
    FILE *file =
        ends && stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    if (file) {
        *size = status.st_size;
        hash = digest(hash, ends, fread(ends, 1, DIGEST_ENDS, file));
        if (status.st_size > (off_t)DIGEST_ENDS && fseeko(file, -(off_t)DIGEST_ENDS, SEEK_END) == 0)
            hash = digest(hash, ends, fread(ends, 1, DIGEST_ENDS, file));
        fclose(file);
    }
    free(ends);
    return hash;
}

// ---- writing --------------------------------------------------------------------------------------

static void put_line(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s ", key);
    for (; *text; text++)
        fputc(*text == '\n' ? ' ' : *text, out);
    fputc('\n', out);
}

static void put_histogram(FILE *out, const lg_options *o)
{
    char lo[LG_NUMBER_SIZE], hi[LG_NUMBER_SIZE];
    fprintf(out, "bins %lld\n", (long long)o->bins);
    if (o->range_auto || o->range_type)
        put_line(out, "range", o->range_auto ? "auto" : "type");
    else
        fprintf(out, "range %s %s\n", lg_number(o->lo, lo), lg_number(o->hi, hi));
    fprintf(out, "space %s\nluma %s\n", lg_choice_space(o->space), lg_choice_luma(o->luma));
}

static void put_label(FILE *out, const lg_options *o)
{
    char number[LG_NUMBER_SIZE];
    int64_t bytes;
    fprintf(out, "foreground %s\nconnectivity %d\nluma %s\nbins %lld\nclasses %d\n",
            o->label_values ? "values" : "nonzero", lg_connectivity_of(o), lg_choice_luma(o->luma),
            (long long)o->bins, o->classes);
    put_line(out, "threshold",
             !o->has_level                     ? "none"
             : o->method == LG_THRESHOLD_VALUE ? lg_number(o->value, number)
                                               : lg_threshold_method_name(o->method));
    if (o->intensity && strcmp(o->intensity, "self") != 0)
        fprintf(out, "intensity file %016" PRIx64 "\n", file_digest(o->intensity, &bytes));
    else
        put_line(out, "intensity", o->intensity ? "self" : "none");
}

static void put_layers(FILE *out, const lg_layer_choice *layers)
{
    fprintf(out, "layers %d %d", layers->channel, layers->time);
    for (int i = 0; i < LG_LAYER_AXES && layers->axes[i].name; i++)
        fprintf(out, " %c%d", layers->axes[i].name, layers->axes[i].size);
    fputc('\n', out);
}

static void put_area(FILE *out, const lg_session *session)
{
    const lg_options *o = session->options;
    for (int i = 0; i < o->figure_count; i++)
        fprintf(out, "%s%s", i ? "," : "figure ", lg_figure_name(o->figure[i]));
    fputc('\n', out);
    lg_area_put_boxes(out, session->shapes);
}

static FILE *begin_text(char **text, size_t *size)
{
    *text = NULL;
    return open_memstream(text, size);
}

// NULL when a part did not arrive.
static char *end_text(FILE *out, char **text)
{
    const bool bad = !out || ferror(out);
    if ((out && fclose(out) != 0) || bad) {
        free(*text);
        *text = NULL;
    }
    return *text;
}

char *lg_state_definition_of(const lg_session *session)
{
    char *text;
    size_t size;
    const lg_options *o = session->options;
    FILE *out = begin_text(&text, &size);
    if (!out)
        return NULL;
    put_line(out, "command", o->command);
    if (o->has_region)
        fprintf(out, "region %lldx%lld+%lld+%lld\n", (long long)o->region.width,
                (long long)o->region.height, (long long)o->region.x, (long long)o->region.y);
    else
        put_line(out, "region", "all");
    if (session->mask)
        fprintf(out, "mask %016" PRIx64 "\n", mask_digest(session->mask));
    else
        put_line(out, "mask", "none");
    fprintf(out, "step %lld\npage %lld\nstack %d\nskip_transparent %d\nconvert %d\nnan %s\n",
            (long long)o->step, (long long)o->page, o->stack, o->skip_transparent, o->convert,
            lg_choice_nan(o->nan));
    if (o->chooses_layers)
        put_layers(out, &o->layers);
    if (strcmp(o->command, "histogram") == 0)
        put_histogram(out, o);
    else if (strcmp(o->command, "label") == 0)
        put_label(out, o);
    else if (strcmp(o->command, "areasum") == 0 && session->shapes->kind == LG_SHAPES_BOXES)
        put_area(out, session);
    return end_text(out, &text);
}

char *lg_state_samples_of(const lg_input_file *file, const char *more)
{
    char *text;
    size_t size;
    int64_t bytes;
    const lg_image_params *s = &file->image->shape;
    const uint64_t hash = file_digest(file->name, &bytes);
    FILE *out = begin_text(&text, &size);
    if (!out)
        return NULL;
    fprintf(out,
            "size %dx%d\nlayers %d\nchannels %d\ntype %s\nalpha %d\nbytes %lld\ndigest %016" PRIx64
            "\n",
            s->width, s->height, s->layers, s->channels, lg_type_name(s->type), (int)s->alpha,
            (long long)bytes, hash);
    fputs(more ? more : "", out);
    return end_text(out, &text);
}

// What is noted of samples is of those that were read: parts have no notes.
char *lg_state_notes_of(const lg_session *session, const lg_input_file *file)
{
    char *text;
    size_t size;
    FILE *out = begin_text(&text, &size);
    if (!out)
        return NULL;
    put_line(out, "format", file->info.format);
    fprintf(out, "cmyk %d\n", file->info.cmyk);
    for (int i = 0; i < LG_LAYER_AXES && file->info.axes[i].name; i++)
        fprintf(out, "axis %c%d\n", file->info.axes[i].name, file->info.axes[i].size);
    if (file->info.note[0] && !session->options->part_count)
        put_line(out, "note", file->info.note);
    if (session->options->mask)
        put_line(out, "mask", session->options->mask);
    if (session->options->intensity)
        put_line(out, "intensity", session->options->intensity);
    const double *pixel = file->info.pixel_size;
    if (pixel[0] > 0 || pixel[1] > 0 || pixel[2] > 0) {
        char number[3][LG_NUMBER_SIZE];
        fprintf(out, "pixel %s %s %s\n", lg_number(pixel[0], number[0]),
                lg_number(pixel[1], number[1]), lg_number(pixel[2], number[2]));
    }
    return end_text(out, &text);
}

// ---- reading --------------------------------------------------------------------------------------

// The value of the first line with this key, or of the next one behind `after`. NULL: there is none.
static const char *value_of(const char *lines, const char *after, const char *key)
{
    const size_t length = strlen(key);
    const char *line = after ? strchr(after, '\n') : lines;
    for (line = after && line ? line + 1 : line; line && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return line + length + 1;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return NULL;
}

static bool integer_of(const char *lines, const char *key, int64_t min, int64_t max, int64_t *out)
{
    char *end = NULL;
    const char *value = value_of(lines, NULL, key);
    *out = value ? strtoll(value, &end, 10) : 0;
    return value && end != value && *end == '\n' && *out >= min && *out <= max;
}

static bool flag_of(const char *lines, const char *key, bool *out)
{
    int64_t number;
    const bool good = integer_of(lines, key, 0, 1, &number);
    *out = number != 0;
    return good;
}

static bool is_value(const char *value, const char *text)
{
    const size_t length = strlen(text);
    return value && strncmp(value, text, length) == 0 && value[length] == '\n';
}

static bool choice_of(const char *lines, const char *key, const char *(*choice)(int), int *out)
{
    const char *value = value_of(lines, NULL, key);
    for (*out = 0; choice(*out); ++*out)
        if (is_value(value, choice(*out)))
            return true;
    return false;
}

static bool take_histogram(const char *lines, lg_options *o)
{
    char *end;
    const char *range = value_of(lines, NULL, "range");
    o->range_auto = is_value(range, "auto");
    o->range_type = is_value(range, "type");
    if (range && !o->range_auto && !o->range_type) {
        o->lo = strtod(range, &end);
        o->hi = strtod(end, &end);
    }
    return range && integer_of(lines, "bins", -1, LG_MAX_BINS, &o->bins) &&
           choice_of(lines, "space", lg_choice_space, &o->space) &&
           choice_of(lines, "luma", lg_choice_luma, &o->luma);
}

static bool take_level(const char *value, lg_options *o)
{
    char text[100], why[800];
    if (is_value(value, "none"))
        return true;
    if (!value || strcspn(value, "\n") >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(value, "\n"), value);
    return lg_parse_level(text, o, why, sizeof why);
}

static bool take_label(const char *lines, lg_options *o)
{
    int64_t classes;
    const bool numbers = integer_of(lines, "bins", -1, LG_MAX_BINS, &o->bins) &&
                         integer_of(lines, "classes", 2, LG_MAX_CLASSES, &classes);
    o->classes = numbers ? (int)classes : 2;
    o->label_values = is_value(value_of(lines, NULL, "foreground"), "values");
    return numbers && choice_of(lines, "luma", lg_choice_luma, &o->luma) &&
           choice_of(lines, "connectivity", lg_choice_connectivity, &o->connectivity) &&
           take_level(value_of(lines, NULL, "threshold"), o);
}

// The boxes are read where they are used.
static bool take_area(const char *lines, lg_options *o)
{
    char text[200], why[800];
    const char *value = value_of(lines, NULL, "figure");
    if (!value || strcspn(value, "\n") >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(value, "\n"), value);
    return lg_parse_figures(text, o, why, sizeof why);
}

static bool take_region(const char *value, lg_options *o)
{
    char text[100], why[400];
    if (is_value(value, "all"))
        return true;
    if (!value || strcspn(value, "\n") >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(value, "\n"), value);
    return lg_parse_region(text, o, why, sizeof why);
}

bool lg_state_take_options(const char *lines, lg_options *o, const char **command)
{
    const char *name = value_of(lines, NULL, "command");
    *command = is_value(name, "stats")       ? "stats"
               : is_value(name, "histogram") ? "histogram"
               : is_value(name, "label")     ? "label"
               : is_value(name, "areasum")   ? "areasum"
                                             : NULL;
    return *command && take_region(value_of(lines, NULL, "region"), o) &&
           integer_of(lines, "step", 1, LG_MAX_SIDE, &o->step) &&
           integer_of(lines, "page", -1, LG_MAX_LAYERS - 1, &o->page) &&
           flag_of(lines, "stack", &o->stack) &&
           flag_of(lines, "skip_transparent", &o->skip_transparent) &&
           choice_of(lines, "nan", lg_choice_nan, &o->nan) &&
           (strcmp(*command, "histogram") != 0 || take_histogram(lines, o)) &&
           (strcmp(*command, "label") != 0 || take_label(lines, o)) &&
           (strcmp(*command, "areasum") != 0 || take_area(lines, o));
}

static bool take_shape(const char *lines, lg_image_params *out)
{
    int64_t layers, channels, alpha;
    char *end;
    const char *sides = value_of(lines, NULL, "size"), *type = value_of(lines, NULL, "type");
    const long long width = sides ? strtoll(sides, &end, 10) : 0;
    const long long height = sides && *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
    if (!integer_of(lines, "layers", 1, LG_MAX_LAYERS, &layers) ||
        !integer_of(lines, "channels", 1, LG_MAX_CHANNELS, &channels) ||
        !integer_of(lines, "alpha", 0, LG_ALPHA_PREMULTIPLIED, &alpha) || width < 1 || height < 1 ||
        width > LG_MAX_SIDE || height > LG_MAX_SIDE)
        return false;
    for (int i = 0; i < LG_TYPES; i++)
        if (is_value(type, lg_type_name((lg_type)i))) {
            *out = (lg_image_params){.width = (int32_t)width,
                                     .height = (int32_t)height,
                                     .layers = (int32_t)layers,
                                     .channels = (int32_t)channels,
                                     .type = (lg_type)i,
                                     .alpha = (lg_alpha)alpha};
            return true;
        }
    return false;
}

static void copy_value(const char *value, char *out, size_t size)
{
    snprintf(out, size, "%.*s", value ? (int)strcspn(value, "\n") : 0, value ? value : "");
}

static void take_notes(const char *lines, lg_read_info *info)
{
    int count = 0;
    copy_value(value_of(lines, NULL, "format"), info->format, sizeof info->format);
    copy_value(value_of(lines, NULL, "note"), info->note, sizeof info->note);
    flag_of(lines, "cmyk", &info->cmyk);
    for (const char *axis = value_of(lines, NULL, "axis"); axis && count < LG_LAYER_AXES;
         axis = value_of(lines, axis, "axis"))
        info->axes[count++] = (lg_layer_axis){axis[0], (int32_t)strtol(axis + 1, NULL, 10)};
    const char *pixel = value_of(lines, NULL, "pixel");
    for (int i = 0; i < 3 && pixel; i++) {
        char *end;
        info->pixel_size[i] = strtod(pixel, &end);
        pixel = end;
    }
}

bool lg_state_take_input(const lg_state_input *input, const lg_options *options,
                         lg_input_file *file)
{
    lg_image_params *shape = &file->image->shape;
    if (!take_shape(input->samples, shape))
        return false;
    file->region = options->has_region ? options->region : lg_image_region(shape);
    file->select = (lg_select){.region = options->has_region ? &file->region : NULL,
                               .skip_transparent = options->skip_transparent,
                               .nan = (lg_nan)options->nan,
                               .step = (int32_t)options->step};
    take_notes(input->notes, &file->info);
    return file->region.height == input->height;
}

const char *lg_state_line(const char *lines, const char *after, const char *key)
{
    return value_of(lines, after, key);
}
