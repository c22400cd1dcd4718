#include "option_values.h"

#include <lumagraph/io.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void lg_list_choices(lg_choice_fn choice, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; choice(i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", choice(i));
}

const char *lg_nearest_choice(lg_choice_fn choice, const char *text)
{
    const char *names[128];
    size_t count = 0;
    for (; choice((int)count) && count < sizeof names / sizeof names[0] - 1; count++)
        names[count] = choice((int)count);
    names[count] = NULL;
    return *text ? lg_nearest(text, names) : NULL;
}

// ---- choices: the library's own names -----------------------------------------------------------

const char *lg_choice_cpu(int index)
{
    if (index == 0)
        return "best";
    return index <= LG_CPU_LEVELS ? lg_cpu_level_name((lg_cpu_level)(index - 1)) : NULL;
}

const char *lg_choice_nan(int index)
{
    static const char *const names[] = {"ignore", "propagate", "error"}; // in the order of lg_nan
    return index < 3 ? names[index] : NULL;
}

// Sums over areas cannot pass a NaN on.
const char *lg_choice_area_nan(int index)
{
    static const char *const names[] = {"ignore", "error"};
    return index < 2 ? names[index] : NULL;
}

const char *lg_choice_resample(int index)
{
    static const char *const names[] = {"area", "bilinear"};
    return index < 2 ? names[index] : NULL;
}

const char *lg_choice_space(int index)
{
    return index < LG_SPACES ? lg_space_name((lg_space)index) : NULL;
}

const char *lg_choice_luma(int index)
{
    return index < LG_LUMAS ? lg_luma_name((lg_luma)index) : NULL;
}

const char *lg_choice_variant(int index)
{
    return index < LG_HISTOGRAM_VARIANTS ? lg_histogram_variant_name((lg_histogram_variant)index)
                                         : NULL;
}

// How a method is written: two of them take a value behind a colon.
const char *lg_choice_method(int index)
{
    if (index == LG_THRESHOLD_MULTI_OTSU)
        return "multi-otsu:K";
    if (index == LG_THRESHOLD_VALUE)
        return "value:V";
    return index < LG_THRESHOLD_METHODS ? lg_threshold_method_name((lg_threshold_method)index)
                                        : NULL;
}

const char *lg_choice_type(int index)
{
    return index < LG_TYPES ? lg_type_name((lg_type)index) : NULL;
}

const char *lg_choice_channels(int index)
{
    static const char *const names[] = {"1", "3", "4"};
    return index < 3 ? names[index] : NULL;
}

const char *lg_choice_plane(int index)
{
    static const char *const names[] = {"y", "cb", "cr"};
    return index < 3 ? names[index] : NULL;
}

const char *lg_choice_audio(int index)
{
    static const char *const names[] = {"copy", "none"};
    return index < 2 ? names[index] : NULL;
}

// ---- numbers ------------------------------------------------------------------------------------

bool lg_parse_integer(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *text == ' ')
        return false;
    *out = value;
    return true;
}

bool lg_parse_real(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value) || *text == ' ')
        return false;
    *out = value;
    return true;
}

// ---- values -------------------------------------------------------------------------------------

bool lg_parse_device(const char *text, lg_options *out, char *why, size_t size)
{
    out->device_index = -1;
    if (strcmp(text, "auto") == 0) {
        out->device = LG_DEVICE_AUTO;
        return true;
    }
    if (strcmp(text, "cpu") == 0) {
        out->device = LG_DEVICE_CPU;
        return true;
    }
    int64_t index = -1;
    bool plain = strcmp(text, "vulkan") == 0;
    if (plain || (strncmp(text, "vulkan:", 7) == 0 && lg_parse_integer(text + 7, &index) &&
                  index >= 0 && index < 1024)) {
        out->device = LG_DEVICE_VULKAN;
        out->device_index = (int)index;
        return true;
    }
    snprintf(why, size,
             "allowed are auto, cpu, vulkan and vulkan:N (`lumagraph devices` lists them)");
    return false;
}

// vulkan:0,vulkan:1 with at least one comma.
static bool parse_device_list(const char *text, lg_options *out)
{
    out->device_count = 0;
    for (const char *at = text; *at;) {
        char one[32];
        lg_options parsed;
        char ignored[200];
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof one || out->device_count == LG_MAX_DEVICES)
            return false;
        memcpy(one, at, length);
        one[length] = '\0';
        if (strncmp(one, "vulkan:", 7) != 0 ||
            !lg_parse_device(one, &parsed, ignored, sizeof ignored))
            return false;
        out->devices[out->device_count++] = parsed.device_index;
        at += length;
        if (*at == ',' && !*++at)
            return false;
    }
    return true;
}

bool lg_parse_devices(const char *text, lg_options *out, char *why, size_t size)
{
    out->all_gpus = strcmp(text, "gpus") == 0;
    if (!strchr(text, ',') && lg_parse_device(text, out, why, size))
        return true;
    if (!out->all_gpus && (!strchr(text, ',') || !parse_device_list(text, out))) {
        snprintf(why, size,
                 "allowed are auto, cpu, gpus, vulkan, vulkan:N, and up to %d of vulkan:N with "
                 "commas (`lumagraph devices` lists them)",
                 LG_MAX_DEVICES);
        return false;
    }
    out->device = LG_DEVICE_VULKAN;
    out->device_index = out->all_gpus ? -1 : out->devices[0];
    return true;
}

bool lg_parse_region(const char *text, lg_options *out, char *why, size_t size)
{
    lg_error error;
    if (lg_region_parse(text, &out->region, &error) == LG_OK) {
        out->has_region = true;
        return true;
    }
    snprintf(why, size, "allowed is WxH+X+Y in pixels, for example 640x480+10+20");
    return false;
}

bool lg_parse_scale(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a number from 0.0001 to 1 is needed, for example 0.25");
    return lg_parse_real(text, &out->scale) && out->scale >= 0.0001 && out->scale <= 1;
}

bool lg_parse_size(const char *text, lg_options *out, char *why, size_t size)
{
    const char *x = strchr(text, 'x');
    char width[32] = "";
    int64_t w, h;
    if (x && (size_t)(x - text) < sizeof width)
        memcpy(width, text, (size_t)(x - text));
    if (!x || !lg_parse_integer(width, &w) || !lg_parse_integer(x + 1, &h) || w < 1 || h < 1 ||
        w > LG_MAX_SIDE || h > LG_MAX_SIDE) {
        snprintf(why, size, "allowed is WxH in pixels, for example 1920x1080");
        return false;
    }
    out->size = text;
    out->width = (int32_t)w;
    out->height = (int32_t)h;
    return true;
}

bool lg_parse_range(const char *text, lg_options *out, char *why, size_t size)
{
    out->range_auto = strcmp(text, "auto") == 0;
    out->range_type = strcmp(text, "type") == 0;
    if (out->range_auto || out->range_type)
        return true;
    char low[64];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : sizeof low;
    if (length < sizeof low) {
        memcpy(low, text, length);
        low[length] = '\0';
        if (lg_parse_real(low, &out->lo) && lg_parse_real(colon + 1, &out->hi)) {
            if (out->lo < out->hi)
                return true;
            snprintf(why, size, "the lower end must be below the upper one");
            return false;
        }
    }
    snprintf(why, size, "allowed are LO:HI (for example 0:255), auto and type");
    return false;
}

bool lg_parse_percentiles(const char *text, lg_options *out, char *why, size_t size)
{
    out->percentile_count = 0;
    while (*text) {
        char one[64];
        size_t length = strcspn(text, ",");
        double value;
        if (out->percentile_count == LG_MAX_PERCENTILES) {
            snprintf(why, size, "at most %d are allowed", LG_MAX_PERCENTILES);
            return false;
        }
        if (length >= sizeof one)
            break;
        memcpy(one, text, length);
        one[length] = '\0';
        if (!lg_parse_real(one, &value) || value < 0 || value > 100)
            break;
        out->percentiles[out->percentile_count++] = value;
        text += length;
        if (*text == ',' && *++text == '\0')
            text--; // a comma at the end is no value
        else if (*text == '\0')
            return true;
    }
    snprintf(why, size, "allowed are numbers from 0 to 100 joined by commas, for example 1,50,99");
    return false;
}

static bool find_method(const char *text, size_t length, lg_threshold_method *out)
{
    for (int i = 0; i < LG_THRESHOLD_METHODS; i++) {
        const char *name = lg_threshold_method_name((lg_threshold_method)i);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            *out = (lg_threshold_method)i;
            return true;
        }
    }
    return false;
}

bool lg_parse_method(const char *text, lg_options *out, char *why, size_t size)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (!colon && lg_parse_real(text, &out->value)) { // as --threshold of label takes it
        out->method = LG_THRESHOLD_VALUE;
        return true;
    }
    if (!find_method(text, length, &out->method)) {
        const char *near = lg_nearest_choice(lg_choice_method, text);
        size_t used = (size_t)snprintf(why, size, "%s%s%sallowed are", near ? "did you mean " : "",
                                       near ? near : "", near ? "? " : "");
        for (int i = 0; i < LG_THRESHOLD_METHODS && used < size; i++)
            used += (size_t)snprintf(why + used, size - used, "%s %s", i ? "," : "",
                                     lg_choice_method(i));
        return false;
    }
    int64_t classes = out->classes;
    switch (out->method) {
    case LG_THRESHOLD_MULTI_OTSU:
        if (colon &&
            (!lg_parse_integer(colon + 1, &classes) || classes < 2 || classes > LG_MAX_CLASSES)) {
            snprintf(why, size, "multi-otsu:K takes 2 to %d classes", LG_MAX_CLASSES);
            return false;
        }
        out->classes = (int)classes;
        return true;
    case LG_THRESHOLD_VALUE:
        if (!colon || !lg_parse_real(colon + 1, &out->value)) {
            snprintf(why, size, "value:V takes a number in stored units, for example value:128");
            return false;
        }
        return true;
    default:
        if (colon)
            snprintf(why, size, "this method takes no value");
        return !colon;
    }
}

// ---- files --------------------------------------------------------------------------------------

bool lg_parse_input(const char *text, lg_options *out, char *why, size_t size)
{
    const char *equals = strchr(text, '=');
    lg_named_file *to = &out->inputs[out->input_count];
    snprintf(why, size, "needed is NAME=FILE, for example paper=paper.png");
    if (!equals || equals == text || !equals[1])
        return false;
    const size_t length = (size_t)(equals - text);
    if (length >= sizeof to->name) {
        snprintf(why, size, "a name has at most %zu characters", sizeof to->name - 1);
        return false;
    }
    if (out->input_count == LG_MAX_INPUTS - 1) {
        snprintf(why, size, "at most %d are allowed", LG_MAX_INPUTS - 1);
        return false;
    }
    memcpy(to->name, text, length);
    to->name[length] = '\0';
    to->file = equals + 1;
    out->input_count++;
    return true;
}

bool lg_parse_report(const char *text, lg_options *out, char *why, size_t size)
{
    const char *slash = strrchr(text, '/'), *dot = strrchr(slash ? slash : text, '.');
    snprintf(why, size, "the page is HTML; the name must end in .html");
    out->report = text;
    return dot && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0);
}

bool lg_parse_points(const char *text, lg_options *out, char *why, size_t size)
{
    const char *slash = strrchr(text, '/'), *dot = strrchr(slash ? slash : text, '.');
    snprintf(why, size, "the name must end in .csv or .json");
    out->points = text;
    out->points_json = dot && strcasecmp(dot, ".json") == 0;
    return out->points_json || (dot && strcasecmp(dot, ".csv") == 0);
}

bool lg_parse_filters(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a pipeline is needed, for example contrast:contrast=2");
    out->filters = text;
    return *text != '\0';
}

bool lg_parse_run_figure(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "needed is a figure, for example mean, r.p99 or #NAME.max");
    if (!*text)
        return false;
    snprintf(why, size, "at most %d are allowed", LG_MAX_GRAPH_FIGURES);
    if (out->run_figure_count == LG_MAX_GRAPH_FIGURES)
        return false;
    out->run_figures[out->run_figure_count++] = text;
    return true;
}

bool lg_parse_target(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a file name is needed");
    if (!*text)
        return false;
    snprintf(why, size, "at most %d are allowed", LG_MAX_INPUTS);
    if (out->target_count == LG_MAX_INPUTS)
        return false;
    out->targets[out->target_count++] = text;
    return true;
}

bool lg_is_frames(const char *text)
{
    return strchr(text, ':') && strspn(text, "0123456789:.s") == strlen(text);
}

// A number of --frames with an s behind it; *found is false where there is none.
static bool parse_second(char *number, double *out, bool *found)
{
    const size_t length = strlen(number);
    *found = length > 0 && number[length - 1] == 's';
    if (!*found)
        return true;
    number[length - 1] = '\0';
    return out && lg_parse_real(number, out) && *out >= 0;
}

// A:B:STEP; each may be left out.
bool lg_parse_frames(const char *text, lg_options *out, char *why, size_t size)
{
    int64_t *const parts[] = {&out->first_frame, &out->end_frame, &out->frame_step};
    double *const seconds[] = {&out->first_second, &out->end_second, NULL};
    char number[24];
    bool second;
    out->frames = true;
    *parts[0] = 0, *parts[1] = -1, *parts[2] = 1;
    *seconds[0] = *seconds[1] = -1;
    snprintf(why, size,
             "A:B are the frames from A to B - 1, counted from 0; A:B:STEP takes every STEPth; "
             "with an s behind it a number is of seconds, as in 1.5s:20s");
    bool good = !*text || lg_is_frames(text);
    for (int i = 0; good && *text; i++) {
        const size_t length = strcspn(text, ":");
        good = i < 3 && length < sizeof number;
        if (good && length) {
            snprintf(number, sizeof number, "%.*s", (int)length, text);
            good = parse_second(number, seconds[i], &second) &&
                   (second || lg_parse_integer(number, parts[i]));
        }
        text += length + (text[length] == ':');
    }
    return good && out->frame_step > 0 &&
           (out->end_frame < 0 || out->end_frame > out->first_frame) &&
           (out->end_second < 0 || out->end_second > out->first_second);
}

static bool check_film(const lg_frames_params *params, char *why, size_t size)
{
    lg_error error;
    const bool good = lg_frames_check(params, &error) == LG_OK;
    if (!good)
        snprintf(why, size, "%s", error.message);
    return good;
}

bool lg_parse_raw(const char *text, lg_options *out, char *why, size_t size)
{
    out->raw = text;
    return check_film(&(lg_frames_params){.raw = text}, why, size);
}

bool lg_parse_video_colors(const char *text, lg_options *out, char *why, size_t size)
{
    out->video_colors = text;
    return check_film(&(lg_frames_params){.colors = text}, why, size);
}

bool lg_parse_codec(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "the name of an encoder or a codec is needed, such as ffv1");
    out->codec = text;
    return *text && *text != ':';
}

bool lg_parse_crf(const char *text, lg_options *out, char *why, size_t size)
{
    snprintf(why, size, "a number from 0 to 100 is needed");
    return lg_parse_real(text, &out->crf) && out->crf >= 0 && out->crf <= 100;
}

// EXTENSION or EXTENSION[OPTIONS]
bool lg_parse_format(const char *text, lg_options *out, char *why, size_t size)
{
    text += *text == '.';
    const size_t length = strcspn(text, "["), all = strlen(text);
    snprintf(why, size,
             "allowed are the extensions of images that can be written here, such as "
             "png, tif, jpg, pnm, npy, and of films: y4m, mkv, mp4, webm ...");
    if (length >= sizeof out->format_name || (text[length] && text[all - 1] != ']') ||
        all - length >= sizeof out->format_options)
        return false;
    snprintf(out->format_name, sizeof out->format_name, "%.*s", (int)length, text);
    if (text[length])
        snprintf(out->format_options, sizeof out->format_options, "%.*s", (int)(all - length - 2),
                 text + length + 1);
    out->format = out->format_name;
    return *out->format && (lg_image_can_format(out->format) || lg_film_can_format(out->format));
}

bool lg_parse_tile(const char *text, lg_options *out, char *why, size_t size)
{
    const char *x = strchr(text, 'x');
    char width[16] = "";
    int64_t w = 0, h = 16;
    snprintf(width, sizeof width, "%.*s", x ? (int)(x - text) : 15, text);
    const bool good = lg_parse_integer(width, &w) && (!x || lg_parse_integer(x + 1, &h));
    if (!good || w < 16 || h < 16 || w % 16 || h % 16 || w > 16384 || h > 16384) {
        snprintf(why, size, "allowed are multiples of 16 up to 16384, for example 256 or 512x256");
        return false;
    }
    out->tile = text;
    return true;
}
